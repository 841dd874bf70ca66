"""The embedded engine: LevelDB through plyvel, with the sharp edges of both taken off.

What is stored is the caller's keys and values, except that each non-empty value is followed by four
bytes: crc32(value, crc32(key)), big-endian. LevelDB's own checksums cover its blocks; ours travels
with the value through memory, log, compaction and repair, and ties it to its key.
"""

import ctypes
import errno
import os
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Final, Self, TypedDict
from zlib import crc32

import plyvel

from graphmem.errors import (
    AlreadyOpenError,
    BrokenError,
    ClosedError,
    CorruptError,
    ForkedError,
    FullError,
    GraphMemError,
    MissingError,
    StorageError,
)
from graphmem.storage.engine import Batch
from graphmem.storage.folder import sync_names
from graphmem.storage.manifest import missing_files
from graphmem.storage.salvage import hides_records


class _Options(TypedDict):
    paranoid_checks: bool
    write_buffer_size: int
    lru_cache_size: int
    max_file_size: int
    compression: None
    bloom_filter_bits: int


_OPTIONS: Final[_Options] = {
    # Without it, a damaged log loses commits at open and says nothing.
    "paranoid_checks": True,
    "write_buffer_size": 16 << 20,
    "lru_cache_size": 64 << 20,
    "max_file_size": 8 << 20,
    # Long texts are compressed by the rooms above; blocks in the clear read several times faster.
    "compression": None,
    "bloom_filter_bits": 10,
}
# Pairs that an iterator reads at once. Small at first: many ranges are, or are left half-way.
_PAGE_STEP: Final = 8
_PAGE_MOST: Final = 64
_WHAT_NOW: Final = "close it and run graphmem repair, or restore a backup"


class _Gate:
    """Who is inside LevelDB now. plyvel frees the database under a running call, and crashes.

    Each call puts a token into `busy` before it looks at `shut`, and takes it out at its end;
    closing sets `shut`, then waits for `busy` to empty. Both are atomic, so no lock is needed, and
    an interrupt leaves no token behind.
    """

    __slots__ = ("busy", "path", "shut")

    def __init__(self, path: str) -> None:
        self.path = path
        self.busy: set[object] = set()
        self.shut: Callable[[str], GraphMemError] | None = None

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Hold the database open; calls of a microsecond or two do the same by hand."""
        token = object()
        try:
            self.busy.add(token)
            if self.shut is not None:
                raise self.shut(self.path)
            yield
        except plyvel.Error as error:
            raise _translated(error, self.path) from error
        finally:
            self.busy.discard(token)


class _Reader:
    """Reading from `_raw`, a plyvel database or snapshot; None once a snapshot is closed.

    Uncompressed blocks are not cached, so LevelDB computes a block's checksum with every get, which
    takes longer than the rest of it. A snapshot leaves that out where our own checksum proves key
    and value, and has an absent or empty value looked at again with it. What remains: damage to a
    key can bring back the value that it replaced, until `check`, or the next compaction, meets it.
    So whoever writes reads from the database itself, and that one always looks.
    """

    _verify = True

    def __init__(self, gate: _Gate, raw: "plyvel.DB | plyvel.Snapshot") -> None:
        self._gate = gate
        self._raw: plyvel.DB | plyvel.Snapshot | None = raw

    def get(self, key: bytes) -> bytes | None:
        """See `Reader.get`."""
        gate = self._gate
        token = object()
        raw = None
        try:
            gate.busy.add(token)
            raw = self._raw
            if raw is None or gate.shut is not None:
                raise _refusal(gate)
            stored = raw.get(key, verify_checksums=self._verify)
            if not stored and not self._verify:
                stored = raw.get(key, verify_checksums=True)
        except plyvel.Error as error:
            raise _translated(error, gate.path) from error
        finally:
            # If the snapshot is closed meanwhile this is its last reference, and freeing it needs
            # the database: so it goes before the token.
            raw = None
            gate.busy.discard(token)
        if not stored:
            return stored
        payload = stored[:-4]
        if not stored.endswith(crc32(payload, crc32(key)).to_bytes(4, "big")):
            raise _damaged(key, gate)
        return payload

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """See `Reader.get_many`."""
        gate = self._gate
        token = object()
        found: list[bytes | None] = []
        verify = self._verify
        raw = None
        try:
            gate.busy.add(token)
            raw = self._raw
            if raw is None or gate.shut is not None:
                raise _refusal(gate)
            # An argument by its name costs a tenth of a get, so the default is left out.
            get = partial(raw.get, verify_checksums=True) if verify else raw.get
            for key in keys:
                stored = get(key)
                if not stored and not verify:
                    stored = raw.get(key, verify_checksums=True)
                if stored:
                    payload = stored[:-4]
                    if not stored.endswith(crc32(payload, crc32(key)).to_bytes(4, "big")):
                        raise _damaged(key, gate)
                    found.append(payload)
                else:
                    found.append(stored)
        except plyvel.Error as error:
            raise _translated(error, gate.path) from error
        finally:
            raw = None
            gate.busy.discard(token)
        return found


class LevelDBSnapshot(_Reader):
    """See `engine.Snapshot`."""

    _verify = False

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """See `Reader.range`."""
        gate = self._gate
        for page in self._pages(start, stop, reverse, values=True):
            for key, stored in page:
                if key < start if reverse else key >= stop:
                    return
                if self._raw is None or gate.shut is not None:
                    raise _refusal(gate)
                if stored:
                    payload = stored[:-4]
                    if crc32(payload, crc32(key)).to_bytes(4, "big") != stored[-4:]:
                        raise _damaged(key, gate)
                    yield key, payload
                else:
                    yield key, stored

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        """See `Reader.keys`."""
        gate = self._gate
        for page in self._pages(start, stop, reverse, values=False):
            for key in page:
                if key < start if reverse else key >= stop:
                    return
                if self._raw is None or gate.shut is not None:
                    raise _refusal(gate)
                yield key

    def _pages(self, start: bytes, stop: bytes, reverse: bool, values: bool) -> Iterator[list[Any]]:
        """Yield lists of (key, stored value), or of keys, that may reach beyond the far bound."""
        # plyvel takes a damaged block for the end of the data and says nothing. So we give it no
        # far bound: then it ends only at the end of everything, which is rare enough to look twice.
        gate = self._gate
        token = object()
        size = 0
        iterator: plyvel.Iterator | None = None
        page: list[Any] = []
        last: bytes | None = None
        raw = None
        try:
            while iterator is None or len(page) == size:
                try:
                    gate.busy.add(token)
                    raw = self._raw
                    if raw is None or gate.shut is not None:
                        raise _refusal(gate)
                    if iterator is None:
                        iterator = raw.iterator(
                            start=None if reverse else start,
                            stop=stop if reverse else None,
                            reverse=reverse,
                            include_value=values,
                            verify_checksums=True,
                        )
                    size = min(size + _PAGE_STEP, _PAGE_MOST)
                    page = list(islice(iterator, size))
                    if page:
                        last = page[-1][0] if values else page[-1]
                    if len(page) < size:
                        _require_end(raw, stop if reverse else start, last, reverse)
                except plyvel.Error as error:
                    raise _translated(error, gate.path) from error
                finally:
                    raw = None
                    gate.busy.discard(token)
                yield page
        finally:
            if gate.shut is _forked:
                _leak(iterator)
            elif iterator is not None:
                iterator.close()

    def close(self) -> None:
        """See `Snapshot.close`."""
        # Calls under way in other threads hold references of their own, so only dropping ours is
        # safe; the last one releases the snapshot, always inside the gate.
        token = object()
        try:
            self._gate.busy.add(token)
            if self._gate.shut is _forked:
                _leak(self._raw)
            self._raw = None
        finally:
            self._gate.busy.discard(token)

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class LevelDBEngine(_Reader):
    """See `engine.Engine`.

    LevelDB's own lock on the folder is easily lost (closing any other descriptor of its `LOCK` file
    drops it), so whoever opens this holds an `Ownership` first.
    """

    def __init__(self, path: str | os.PathLike[str], create: bool = True) -> None:
        """Open the LevelDB folder `path`; with `create`, make it (not its parents) when missing.

        Raises `MissingError`, `AlreadyOpenError`, `CorruptError` (also for a folder with data but
        without its CURRENT file, which LevelDB would take for new and empty) and `StorageError`.
        """
        folder = Path(os.path.realpath(path))
        _require_openable(folder, create)
        try:
            self._db = plyvel.DB(str(folder), create_if_missing=create, **_OPTIONS)
        except plyvel.Error as error:
            raise _translated(error, str(folder)) from error
        # It may name keys that have been erased since, and nobody reads it.
        (folder / "LOG.old").unlink(missing_ok=True)
        super().__init__(_Gate(str(folder)), self._db)
        self._folder = folder
        self._closing = Lock()
        self._committing = Lock()
        self._unsynced = False
        self._broken: GraphMemError | None = None
        """The failed write after which no other is taken."""
        _open_engines.add(self)

    def commit(self, batch: Batch, sync: bool = False) -> None:
        """See `Engine.commit`."""
        with self._gate.inside():
            self._write(self._taken_apart(batch.items(), sync), sync)

    def prepared(self, pairs: Iterable[tuple[bytes, bytes | None]]) -> Callable[[], None]:
        """See `Engine.prepared`. The write itself leaves the interpreter to others."""
        with self._gate.inside():
            writes = self._taken_apart(pairs, sync=False)

        def write() -> None:
            with self._gate.inside():
                self._write(writes, sync=False)

        return write

    def _taken_apart(self, pairs: Iterable[tuple[bytes, bytes | None]], sync: bool) -> Any:
        writes = self._db.write_batch(sync=sync)
        put = writes.put
        for key, value in pairs:
            if value:
                put(key, value + crc32(value, crc32(key)).to_bytes(4, "big"))
            elif value is None:
                writes.delete(key)
            else:
                put(key, value)
        return writes

    def _write(self, writes: Any, sync: bool) -> None:
        # One at a time: a commit queued behind one that fails would be written after a torn
        # record, acknowledged, and gone at the next open.
        with self._committing:
            self._require_whole()
            if sync and self._unsynced:
                self._sync_files()
            self._unsynced = True
            try:
                writes.write()
                if sync:
                    sync_names(self._folder)
                    self._unsynced = False
            except (plyvel.Error, OSError) as error:
                self._broken = _translated(error, self._gate.path)
                raise self._broken from error

    def snapshot(self) -> LevelDBSnapshot:
        """See `Engine.snapshot`."""
        gate = self._gate
        token = object()
        try:
            gate.busy.add(token)
            if gate.shut is not None:
                raise _refusal(gate)
            return LevelDBSnapshot(gate, self._db.snapshot())
        finally:
            gate.busy.discard(token)

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """See `Reader.range`."""
        with self.snapshot() as snapshot:
            yield from snapshot.range(start, stop, reverse)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        """See `Reader.keys`."""
        with self.snapshot() as snapshot:
            yield from snapshot.keys(start, stop, reverse)

    def approximate_size(self, start: bytes, stop: bytes) -> int:
        """See `Engine.approximate_size`. What LevelDB still holds in memory counts as nothing."""
        with self._gate.inside():
            return self._db.approximate_size(start, stop) if start < stop else 0

    def compact(self, start: bytes, stop: bytes) -> None:
        """See `Engine.compact`. LevelDB tells of a failure only at the next commit."""
        with self._gate.inside():
            if start < stop:
                self._db.compact_range(start=start, stop=stop)

    def sync(self) -> None:
        """See `Engine.sync`. Commits of other threads go on meanwhile."""
        with self._gate.inside():
            self._require_whole()
            self._sync_files()

    def close(self) -> None:
        """See `Engine.close`. Waits for the calls under way, a compaction among them."""
        gate = self._gate
        if gate.shut is not None or not self._closing.acquire(blocking=False):
            return
        gate.shut = _closed
        while gate.busy:
            time.sleep(0.0005)
        self._db.close()

    def _require_whole(self) -> None:
        if self._broken is not None:
            raise _broken_by(self._broken, self._gate.path)

    def _sync_files(self) -> None:
        """Put every log file on the disk, and the folder that names them.

        A synced LevelDB write covers only the newest log. When a new one has just begun, the one
        before is neither synced nor yet a table (google/leveldb#193), so we sync the files.
        """
        try:
            for name in os.listdir(self._folder):
                if name.endswith(".log"):
                    _sync_log(self._folder / name)
            sync_names(self._folder)
        except OSError as error:
            # After a failed fsync the kernel may have dropped the pages: a retry would lie.
            self._broken = _translated(error, self._gate.path)
            raise self._broken from error


def _damaged(key: bytes, gate: _Gate) -> CorruptError:
    return CorruptError(f"the value of key {key.hex()} in {gate.path} is damaged: {_WHAT_NOW}")


def _sync_log(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return  # its content has become a table meanwhile, which LevelDB has synced
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_end(
    raw: "plyvel.DB | plyvel.Snapshot", begin: bytes, last: bytes | None, reverse: bool
) -> None:
    """Raise `plyvel.CorruptionError` unless nothing comes after `last`, the end of an iterator.

    `begin` is where it began; when that gave nothing at all, `last` is None.
    """
    probe = raw.raw_iterator(verify_checksums=True)
    try:
        # Unlike the plain iterator, the raw one reports its status after each move.
        if not reverse:
            probe.seek(begin if last is None else last + b"\0")
        else:
            probe.seek(begin if last is None else last)
            if probe.valid():
                probe.prev()
            else:
                probe.seek_to_last()
        if probe.valid():
            raise plyvel.CorruptionError(b"an iterator ended too early")
    finally:
        probe.close()


def _require_openable(folder: Path, create: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise MissingError(errno.ENOTDIR, "a file is where LevelDB's folder should be", str(folder))
    if (folder / "CURRENT").exists():
        missing = missing_files(folder)
        if missing:
            raise CorruptError(
                f"{folder} lacks {', '.join(missing)}, or its list of files is damaged: {_WHAT_NOW}"
            )
        for log in folder.glob("*.log"):
            if hides_records(log):
                raise CorruptError(
                    f"{log} is damaged, and LevelDB would leave out its end: {_WHAT_NOW}"
                )
        return
    if folder.is_dir() and any(
        entry.suffix in (".ldb", ".sst") or (entry.suffix == ".log" and entry.stat().st_size)
        for entry in folder.iterdir()
    ):
        raise CorruptError(
            f"{folder} holds data but no CURRENT file, without which LevelDB would start empty and"
            f" delete the rest: {_WHAT_NOW}"
        )
    if not create:
        raise MissingError(errno.ENOENT, "there is no LevelDB folder here", str(folder))
    if not folder.parent.is_dir():
        raise MissingError(errno.ENOENT, "the parent folder does not exist: make it", str(folder))


def _refusal(gate: _Gate) -> GraphMemError:
    return gate.shut(gate.path) if gate.shut is not None else ClosedError("the snapshot is closed")


def _closed(path: str) -> GraphMemError:
    return ClosedError(f"the store in {path} is closed: open it again")


def _forked(path: str) -> GraphMemError:
    return ForkedError(
        f"the store in {path} belongs to the process that this one was forked from: "
        "start workers with spawn, and open the folder in one process only"
    )


_ERRNOS: Final = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EIO,
    errno.EACCES,
    errno.EPERM,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOENT,
)


def _translated(error: Exception, path: str) -> GraphMemError:
    """Return our error for one of LevelDB's or of the system's; it names the path."""
    text = _text(error)
    if isinstance(error, plyvel.CorruptionError):
        return CorruptError(f"{path} is damaged ({text}): {_WHAT_NOW}")
    if text.startswith("IO error: lock "):
        return AlreadyOpenError(path, None, f"{path} is open in LevelDB already: close it there")
    # LevelDB hands on strerror's words, not the number.
    number = next((n for n in _ERRNOS if os.strerror(n) in text), errno.EIO)
    if number in (errno.ENOSPC, errno.EDQUOT):
        return FullError(number, f"no space left ({text}): make room and open it again", path)
    return StorageError(number, f"the disk refuses ({text})", path)


def _broken_by(cause: GraphMemError, path: str) -> BrokenError:
    error = BrokenError(
        errno.EIO,
        f"an earlier write failed ({cause}) and writing on could lose data: "
        "put that right, close the store and open it again",
        path,
    )
    error.__cause__ = cause
    return error


def _text(error: Exception) -> str:
    """Return the words of a plyvel error, which are bytes."""
    first = error.args[0] if len(error.args) == 1 else str(error)
    return first.decode(errors="replace") if isinstance(first, bytes) else str(first)


_open_engines: weakref.WeakSet[LevelDBEngine] = weakref.WeakSet()


def _leak(thing: object) -> None:
    """Keep `thing` from ever being freed.

    Freeing a part of LevelDB in a forked child can wait for ever, for a lock held by, or work left
    to, a thread that is only in the parent.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _after_fork() -> None:
    """Disown, in a forked child, every open engine: what it wrote the parent would not see."""
    for engine in list(_open_engines):
        engine._gate.shut = _forked
        _leak(engine._db)
    _open_engines.clear()


os.register_at_fork(after_in_child=_after_fork)
