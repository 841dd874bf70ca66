"""A client that counts up an entry of a pool optimistically, until it is killed; prints each count
that was acknowledged. Arguments: folder, name."""

import sys
from contextlib import suppress

import graphmem
from graphmem.errors import VersionConflictError

if __name__ == "__main__":
    folder, name = sys.argv[1:]
    with graphmem.attach(folder) as memory:
        pool = memory.pool("counts", by=name)
        while True:
            entry = pool.read("count")
            value, version = (0, 0) if entry is None else (entry.value, entry.version)
            with suppress(VersionConflictError):
                pool.write("count", value + 1, expected=version)
                print(value + 1, flush=True)
