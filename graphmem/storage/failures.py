"""The errors of engines: for a failing disk, damage, a fork, or use after `close`."""

import ctypes
import errno
import os
from typing import Final

from graphmem.errors import (
    BrokenError,
    ClosedError,
    CorruptError,
    ForkedError,
    FullError,
    GraphMemError,
    StorageError,
)

WHAT_NOW: Final = "close it and run graphmem admin repair, or restore a backup"
_ERRNOS: Final = (
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EACCES, errno.EPERM, errno.EMFILE,
    errno.ENFILE, errno.ENOENT,
)  # fmt: skip


def closed(path: str) -> GraphMemError:
    """The error of an engine after `close`."""
    return ClosedError(f"the store in {path} is closed: open it again")


def forked(path: str) -> GraphMemError:
    """The error of an engine in a forked child."""
    return ForkedError(
        f"the store in {path} belongs to the process that this one was forked from: "
        "start workers with spawn, and open the folder in one process only"
    )


def broken(failed: Exception, path: str | None = None) -> BrokenError:
    """The error of a write after one that failed."""
    return BrokenError(
        errno.EIO,
        f"an earlier write failed ({failed}) and writing on could lose data: put that right, close "
        "the store and open it again",
        path,
    )


def corrupt(text: str, path: str) -> CorruptError:
    """The error for damage that the engine's library found. text: its message."""
    return CorruptError(f"{path} is damaged ({text}): {WHAT_NOW}")


def damaged(key: bytes, path: str) -> CorruptError:
    """The error for a value that does not agree with its checksum."""
    return CorruptError(f"the value of key {key.hex()} in {path} is damaged: {WHAT_NOW}")


def number_in(text: str) -> int:
    """The errno whose strerror message is in a text; EIO without any."""
    return next((n for n in _ERRNOS if os.strerror(n) in text), errno.EIO)


def refused(text: str, number: int, path: str) -> StorageError:
    """The error for a refusing disk. text: the message of the engine's library."""
    if number in (errno.ENOSPC, errno.EDQUOT):
        return FullError(number, f"no space left ({text}): make room and open it again", path)
    return StorageError(number, f"the disk refuses ({text})", path)


def leak(thing: object) -> None:
    """Prevent `thing` from ever being freed. In a forked child, freeing a part of LevelDB can wait
    for ever for a thread that exists only in the parent."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
