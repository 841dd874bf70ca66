"""A child that compacts on a disk that fails, while another thread writes.

    LD_PRELOAD=failing_disk.so python -m tests.faults.compacting FOLDER DURABILITY BUFFER \\
        CALL SUFFIX AFTER ERROR DURING

prints, as JSON, what `compact` and the commit after it said, how many calls failed, and how many of
the rows can still be read. The last five are those of failing_disk.c.
"""

import ctypes
import json
import sys
import threading
import time

from graphmem.errors import GraphMemError
from graphmem.storage import leveldb
from graphmem.storage.store import Store

SCOPE, NEXT = b"\0\0\0\1", b"\0\0\0\2"
ROWS = 2000


def main(folder: str, durability: str, buffer: str, call: str, suffix: str, *numbers: str) -> None:
    disk = ctypes.CDLL(None)
    leveldb._OPTIONS["write_buffer_size"] = int(buffer)
    after, error, during = map(int, numbers)
    store = Store.open(folder, durability=durability)  # type: ignore[arg-type]
    for value in (b"v", b"w"):
        for first in range(10):
            rows = range(first, ROWS, 10)
            store.commit({SCOPE + b"%05d" % row: value * 100 for row in rows})
        if value == b"v":
            store.compact(SCOPE, NEXT)
    disk.failing_disk_slow(b".ldb", 5)

    def write() -> None:
        try:
            while True:
                store.commit({NEXT + b"%02d" % place: b"y" * 100 for place in range(50)})
                time.sleep(0.001 if int(buffer) < 1 << 20 else 0.02)  # one is to be filled
        except GraphMemError:
            pass

    writer = threading.Thread(target=write)
    writer.start()
    disk.failing_disk_during(during)
    disk.failing_disk_fail(ctypes.c_char(call.encode()), suffix.encode(), after, error)
    said: dict[str, object] = {"compact": said_by(lambda: store.compact(SCOPE, NEXT))}
    said["commit"] = said_by(lambda: store.commit({SCOPE: b""}))
    said["met"] = disk.failing_disk_met()
    disk.failing_disk_fail(ctypes.c_char(b"-"), b"", 0, 0)
    said["rows"] = len(list(store.range(SCOPE + b"0", NEXT)))
    said["close"] = said_by(store.close)
    writer.join()
    print(json.dumps(said), flush=True)


def said_by(act: object) -> object:
    try:
        return act()  # type: ignore[operator]
    except GraphMemError as error:
        return type(error).__name__


if __name__ == "__main__":
    main(*sys.argv[1:])
