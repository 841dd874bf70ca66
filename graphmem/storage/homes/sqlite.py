"""A home in a folder of this machine, or in the memory of this process: the same SQL on SQLite."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EIO, ENOENT
from pathlib import Path
from threading import Lock, RLock
from typing import Any, Final, TypeVar

from graphmem.errors import MissingError, NotAStoreError, StorageError
from graphmem.storage.homes.home import PATIENCE
from graphmem.storage.homes.sql import Connection, Dialect, Server

T = TypeVar("T")

NAME: Final = "home.sqlite3"
_LOCKS: Final = Path("/proc/locks")
_WRITER: Final = "120"  # the byte of …-shm that SQLite's writer locks (WAL_WRITE_LOCK)
_USERS: Final = {"": (0x40000002, 510), "-shm": (128, 1)}
"""By file: first and number of the bytes that SQLite keeps locked, shared, while a connection is
open (SHARED_FIRST, SHARED_SIZE; UNIX_SHM_DMS). Whoever gets them alone deletes the log."""
_HELD: Final[dict[tuple[int, int, int], list[int]]] = {}
"""By process, device and inode: the number of connections, and descriptors that lock the files."""
_HOLDING: Final = Lock()
_MOUNTS: Final = Path("/proc/self/mounts")
_REMOTE: Final = {
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "glusterfs", "lustre", "afs",
    "gpfs", "ocfs2", "gfs2", "beegfs", "pvfs2", "ncpfs", "davfs", "fuse",
}  # fmt: skip
_DIALECT: Final = Dialect(
    now="((julianday('now') - 2440587.5) * 86400.0)",
    uuid="text",
    bytes="blob",
    time="real",
    writes_in_with=False,
    trusts=True,
)


class _Database:
    """A connection; see `sql.Connection`."""

    def __init__(self, path: str, inode: tuple[int, int] | None) -> None:
        """inode: device and number of the file, None in memory."""
        self.inode = inode
        self._file = None if inode is None else (os.getpid(), *inode)
        if self._file is not None:
            with _HOLDING:
                _HELD.setdefault(self._file, [0])[0] += 1
        try:
            self.raw = _connected(path)
        except BaseException:
            self._let_go()
            raise
        if self._file is not None:
            with _HOLDING:
                if not (held := _HELD[self._file])[1:]:
                    _hold(path, held)

    def close(self) -> None:
        """Close it; the last one to do so deletes the log."""
        self._let_go(self.raw)

    def _let_go(self, raw: sqlite3.Connection | None = None) -> None:
        """Close a connection, and after the last one of this process to its file the descriptors,
        which ends all locks that SQLite has on the file."""
        with _HOLDING:
            held: list[int] = []
            if self._file is not None:
                _HELD[self._file][0] -= 1
                if not _HELD[self._file][0]:
                    held = _HELD.pop(self._file)[1:]
            for descriptor in held:
                with suppress(OSError):
                    _lock(descriptor, 0, 0, fcntl.F_UNLCK)
            if raw is not None:
                raw.close()
            for descriptor in held:
                os.close(descriptor)

    def execute(self, query: str, values: Sequence[Any] = (), /) -> sqlite3.Cursor:
        return self.raw.execute(query.replace("%s", "?"), values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self.raw.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.raw.execute("ROLLBACK")
            raise
        self.raw.execute("COMMIT")


def _connected(path: str) -> sqlite3.Connection:
    raw = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    for pragma in (
        "journal_mode = wal", "synchronous = full", "secure_delete = on", "user_version"
    ):  # fmt: skip
        raw.execute(f"PRAGMA {pragma}")  # the last one opens the log
    # Invalid UTF-8 is reported where rows are checked, which names the row.
    raw.text_factory = lambda text: text.decode(errors="surrogateescape")
    return raw


def _hold(path: str, held: list[int]) -> None:
    """Append descriptors that keep the files of a database locked as SQLite does. Its own locks
    belong to the process, and end when anything in it closes such a file, as a copy of the folder
    does; these belong to their descriptor. Linux only."""
    with suppress(OSError):  # such as a system without these locks
        for file, (first, length) in _USERS.items() if sys.platform == "linux" else ():
            held.append(os.open(path + file, os.O_RDONLY | os.O_CLOEXEC))
            _lock(held[-1], first, length, fcntl.F_RDLCK)


def _lock(descriptor: int, first: int, length: int, kind: int) -> None:
    """Lock or unlock bytes of a file for a descriptor. length: 0 is to the end."""
    wanted = struct.pack("hhqqi0q", kind, os.SEEK_SET, first, length, 0)
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)


class Sqlite(Server):
    """See `sql.Server`; `doubt` does nothing."""

    dialect = _DIALECT

    def __init__(self, folder: Path | None) -> None:
        """folder: made by `begin` only; None for a home in memory. Raises NotAStoreError."""
        self._lock = RLock()
        self.place = "memory" if folder is None else os.path.realpath(folder)
        self._folder = folder
        self._database: _Database | None = None
        if folder is not None:
            _require_local(folder)

    def begin(self) -> None:
        """See `sql.Server.begin`. Raises StorageError."""
        if self._folder is None:
            return
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            with suppress(FileExistsError):  # closing an existing file would end the locks on it
                os.close(os.open(self._folder / NAME, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise StorageError(
                error.errno, f"the home cannot be made ({error.strerror})", str(self._folder)
            ) from error

    def doing(
        self, act: Callable[[Connection], T], patience: float = PATIENCE, *, beat: bool = False
    ) -> T:
        """See `sql.Server.doing`. All calls share one connection, since none waits for a network.
        If the file was replaced during a call, the call is repeated."""
        try:
            with self._lock:
                while True:
                    database = self._current()
                    result = act(database)
                    if database is self._current():
                        return result
        except sqlite3.Error as error:
            file = None if self._folder is None else str(self._folder / NAME)
            why = str(error)
            if why.startswith("no such table"):
                raise MissingError(
                    ENOENT, "the home is not made yet: graphmem home make", file or "memory:"
                ) from error
            if file is not None and getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY:
                why += _writer(f"{file}-shm")
            raise StorageError(EIO, f"the home cannot be used ({why})", file) from error

    def _current(self) -> _Database:
        """The connection to the present file; SQLite itself would keep using one that was deleted
        or replaced. Raises StorageError if there is none. Within `_lock`."""
        if self._folder is None:
            file, there = ":memory:", None
        else:
            file = str(self._folder / NAME)
            try:
                there = os.stat(file)
            except OSError as error:
                raise StorageError(
                    ENOENT, "no home is there: mount it, or graphmem home make", str(self._folder)
                ) from error
        inode = None if there is None else (there.st_dev, there.st_ino)
        if self._database is None or self._database.inode != inode:
            self.close()
            self._database = _Database(file, inode)
        return self._database

    def wipe(self) -> None:
        """See `sql.Server.wipe`. Raises StorageError while others read for too long."""
        end = time.monotonic() + PATIENCE
        while self.doing(lambda c: c.execute("PRAGMA wal_checkpoint(TRUNCATE)", ()).fetchone())[0]:
            if time.monotonic() > end:
                raise StorageError(EIO, "what was erased is still in the home's log: erase again")
            time.sleep(0.01)

    def close(self) -> None:
        with self._lock:
            if self._database is not None and self._folder is not None:  # else it would be gone
                self._database.close()
                self._database = None


def _writer(shm: str) -> str:
    """The process that keeps a database locked, as far as Linux tells, and what to do about it."""
    who, go_on = "another process", "let it go on"
    with suppress(OSError, ValueError):
        of = f":{os.stat(shm).st_ino}"
        for line in _LOCKS.read_text().splitlines():
            *_, pid, inode, first, _ = line.split()
            if inode.endswith(of) and first == _WRITER and int(pid) > 0:
                who, go_on = f"process {pid}", f"let it go on (kill -CONT {pid})"
    return (
        f": {who} has stopped within a write, and nobody can write to this home until it goes on: "
        f"{go_on}, or end it, which loses nothing that it has acknowledged"
    )


def _require_local(folder: Path) -> None:
    """Raise NotAStoreError for a folder on a network file system."""
    try:
        mounts = [line.split() for line in _MOUNTS.read_text().splitlines()]
    except OSError:  # not Linux: not checked, see docs/home.md
        return
    real = Path(os.path.realpath(folder))
    under = [
        (len(point), kind)
        for _, point, kind, *_ in mounts
        if real.is_relative_to(point.encode().decode("unicode_escape"))
    ]
    kind = max(under, default=(0, ""))[1]
    if kind in _REMOTE or kind.startswith("fuse."):
        raise NotAStoreError(
            f"{folder} is on a file system of kind {kind}, where locks of several machines do not "
            "hold: a home that several machines share is a database, home='postgresql://…'"
        )
