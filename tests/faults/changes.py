"""Replaces memories and lets others expire, over and over, on a clock that it moves itself.

    python -m tests.faults.changes FOLDER SEED DURABILITY

lives until it is killed, and prints each act when it has returned.
"""

import json
import sys
from datetime import UTC, datetime, timedelta

import graphmem

START = datetime(2026, 1, 1, tzinfo=UTC)


def main(folder: str, seed: int, durability: str) -> None:
    """Go on until killed."""
    now = START + timedelta(days=seed)
    with graphmem.open(folder, worker="none", durability=durability, clock=lambda: now) as memory:
        number = 0
        (home,) = memory.remember(f"s{seed}: Wen lives in town 0.")
        print(json.dumps(["kept", home.id]), flush=True)
        while True:
            number += 1
            now += timedelta(minutes=1)
            for k in range(8):
                (passing,) = memory.remember(f"s{seed}n{number}k{k} is passing.", expires=30.0)
                print(json.dumps(["passing", passing.id, passing.expires.isoformat()]), flush=True)
            (new,) = memory.replace(home, f"s{seed}: Wen lives in town {number}.")
            print(json.dumps(["replaced", home.id, new.id]), flush=True)
            home = new
            now += timedelta(minutes=1)
            memory.sweep()
            print(json.dumps(["swept", now.isoformat()]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
