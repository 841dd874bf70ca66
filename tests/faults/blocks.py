"""Writes memories, items and facts in transactions, every third of which is rolled back.

    python -m tests.faults.blocks FOLDER SEED DURABILITY

lives until it is killed, and prints the number of each block that has been committed.
"""

import json
import sys
from contextlib import suppress

import graphmem


class TakenBackError(Exception):
    """Raised to leave a block."""


def main(folder: str, seed: int, durability: str) -> None:
    """Go on until killed."""
    with graphmem.open(folder, worker="none", durability=durability) as memory:
        number = 0
        while True:
            number += 1
            name = f"{seed}.{number}"
            with suppress(TakenBackError):
                with memory.transaction():
                    node = memory.remember(f"Block {name} has begun.", pin=True)[0]
                    memory.items.put("blocks", name, {"node": node.id, "step": 1})
                    memory.graph.facts.put(node, "http://e.org/block", name)
                    last = memory.remember(f"Block {name} is nearly over.")[0]
                    memory.graph.relate(node, "ends in", last)
                    memory.items.put("blocks", name, {"node": node.id, "step": 2}, expected=1)
                    if number % 3 == 0:
                        raise TakenBackError
                print(json.dumps([name]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
