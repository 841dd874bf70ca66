"""Takes decisions and syncs them with a project's folder, over and over.

    python -m tests.faults.syncing FOLDER PROJECT SEED

lives until it is killed, and prints each decision when its sync has returned.
"""

import json
import sys

import graphmem


def main(folder: str, project: str, seed: int) -> None:
    """Go on until killed."""
    with graphmem.open(folder, worker="none", durability="os") as memory:
        memory.files.sync(project, write=True)
        number = 0
        while True:
            number += 1
            text = f"We decided to adopt release s{seed}n{number} for the project."
            memory.remember(text)
            assert len(memory.files.sync(project, write=True).written) == 1
            print(json.dumps(["decided", text]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
