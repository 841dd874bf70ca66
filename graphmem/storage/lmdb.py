"""The second embedded engine: LMDB, for platforms without a wheel of LevelDB's binding.
docs/format.md describes how keys and values are stored.

LMDB keeps the bytes of what was deleted in its free pages, and never makes a file smaller. So
`compact` writes all that is live to a new file with the next number, and removes the old one.
"""

from __future__ import annotations

import errno
import os
import struct
import time
import weakref
from bisect import bisect_left
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import Lock, RLock
from typing import Any, Final

import lmdb

from graphmem.errors import ClosedError, CorruptError, FullError, GraphMemError, MissingError
from graphmem.storage import failures
from graphmem.storage.encoding import checksum, value_of
from graphmem.storage.engine import Batch, Engine, Pairs, Snapshot
from graphmem.storage.folder import make_private, require_parent, require_plain, sync_path
from graphmem.storage.lmdb_pages import Pages

SUFFIX: Final = ".mdb"
_NEW: Final = ".new"  # suffix of a file that is being written
_LOCK: Final = "-lock"  # suffix of LMDB's file of readers
_OPEN: Final = "already open in this process"
_CLOSING: Final = 2.0  # seconds that closing a file may take
_HEAD: Final = 509
"""Bytes of the longest key that is stored by itself: 511 without the byte before and the one
after it."""
_MAPS: Final = (1 << 40, 1 << 37, 1 << 34, 1 << 31)
"""Sizes of the address space to try, the largest first. It takes no disk, but limits the size of
the file; a process may not be allowed all of them."""
_STEP, _MOST = 8, 64  # pairs that an iterator reads at once, at first and at most
_READERS: Final = 4096
_LOCK_BYTES: Final = _READERS * 64 + (1 << 12)  # a reader has a cache line; what is before them
_FULL: Final = 1 << 20  # free bytes under which a disk counts as full
_COUNTED: Final = 8192  # pairs that are counted before the rest is estimated
_LENGTHS: Final = struct.Struct(">II")


class _File:
    """An open file of LMDB, until the last snapshot that was taken of it is closed."""

    def __init__(self, path: Path, number: int, environment: Any) -> None:
        self.path = path
        self.number = number
        self.environment = environment
        self.readers = 0
        self.retired = False


class LMDBSnapshot(Snapshot):
    """See `engine.Snapshot`. One thread at a time may use a read transaction, so each step of a
    call holds a lock."""

    def __init__(self, engine: LMDBEngine) -> None:
        """Use `LMDBEngine.snapshot`."""
        self._engine = engine
        self._lock = RLock()
        self._transaction: Any = None
        self._file, self._transaction = engine._begin(self)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        with self._lock:
            get, folder = self._open().get, self._engine._folder
            try:
                return [_value_of(key, get(_stored_key(key)), folder) for key in keys]
            except lmdb.Error as error:
                raise self._engine._translated(error) from error

    def range(self, start: bytes, stop: bytes, reverse: bool = False) -> Pairs:
        for key, stored in self._walk(start, stop, reverse):
            if len(key) <= _HEAD:
                yield key, value_of(key, stored, self._engine._folder)
            else:
                yield from self._long(key, stored, start, stop, reverse)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        for key, stored in self._walk(start, stop, reverse):
            if len(key) <= _HEAD:
                yield key
            else:
                yield from (whole for whole, _ in self._long(key, stored, start, stop, reverse))

    def _long(
        self, shared: bytes, stored: bytes, start: bytes, stop: bytes, reverse: bool
    ) -> Pairs:
        """The long keys stored under one key, as far as they are in the range."""
        pairs = _several(shared, stored, self._engine._folder)
        for key, value in reversed(pairs) if reverse else pairs:
            if start <= key < stop:
                self._open()
                yield key, value

    def _walk(self, start: bytes, stop: bytes, reverse: bool) -> Pairs:
        """Yield stored keys, without the byte before them, and stored values. An entry of several
        long keys may hold some that are not in the range."""
        low, high = _stored_key(start), _stored_key(stop)
        size, steps, page = 0, None, list[tuple[bytes, bytes]]()
        while steps is None or len(page) == size:
            with self._lock:
                transaction = self._open()
                try:
                    if steps is None:
                        steps = _steps(transaction.cursor(), low, high, reverse)
                    size = min(size + _STEP, _MOST)
                    page = list(islice(steps, size))
                except lmdb.Error as error:
                    raise self._engine._translated(error) from error
            for stored_key, stored in page:
                if stored_key < low if reverse else stored_key > high:
                    return
                key = stored_key[1:]
                if len(key) <= _HEAD and not start <= key < stop:
                    continue
                if self._transaction is None:
                    self._open()
                yield key, stored

    def _open(self) -> Any:
        if self._transaction is None:
            raise self._engine._refusal() or ClosedError("the snapshot is closed")
        return self._transaction

    def close(self) -> None:
        with self._lock:
            transaction, self._transaction = self._transaction, None
            if transaction is None:
                return
            if os.getpid() != self._engine._pid:  # a child must never free it
                failures.leak(transaction)
                return
            transaction.abort()
            self._engine._ended(self._file)

    def __del__(self) -> None:
        if hasattr(self, "_lock"):
            self.close()


def _allocate(lock: Path) -> None:
    """Allocate the whole file of readers on the disk. LMDB makes it sparse and writes by a mapping,
    so that a full disk would end the process with SIGBUS. Raises OSError."""
    with os.fdopen(os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "rb+") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, _LOCK_BYTES)
        elif (missing := _LOCK_BYTES - os.fstat(file.fileno()).st_size) > 0:
            file.seek(0, os.SEEK_END)
            file.write(bytes(missing))


class LMDBEngine(Engine):
    """See `engine.Engine`. Whoever opens this holds an `Ownership` first. While a snapshot is
    open the file grows by what is written; an unreadable block of the disk ends the process with
    SIGBUS."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        create: bool = True,
        *,
        ordered: bool = True,
        reads: bool = False,
    ) -> None:
        """Open the folder `path`; with `create`, make it (not its parents) when missing. ordered:
        have each commit wait until its pages are on the disk, without which a power cut may leave a
        file that cannot be read. reads: nothing will be committed, so open it also where nothing
        can be written. Raises `MissingError`, `CorruptError`, `StorageError`."""
        folder = Path(os.path.realpath(path))
        self._folder = folder
        self._ordered = ordered
        self._frozen = reads and not os.access(folder, os.W_OK)
        self._pid = os.getpid()
        self._closed = False
        self._broken: GraphMemError | None = None
        self._gate = RLock()  # re-entrant: a snapshot may be freed while this thread holds it
        self._writing = Lock()
        self._open: weakref.WeakSet[LMDBSnapshot] = weakref.WeakSet()
        try:
            files = _files(folder)
            if not files:
                if not create:
                    raise MissingError(errno.ENOENT, "there is no LMDB folder here", str(folder))
                require_parent(folder)
                folder.mkdir(mode=0o700, exist_ok=True)
            make_private(folder)
            require_plain(folder)
            number, current = files[-1] if files else (1, folder / f"1{SUFFIX}")
            if not self._frozen:
                _remove_others(folder, current)
            self._file = _File(current, number, self._environment(current))
            if not self._frozen:
                sync_path(folder)
        except (OSError, lmdb.Error) as error:
            if isinstance(error, GraphMemError):
                raise
            raise self._translated(error) from error
        _open_engines.add(self)

    def _environment(self, path: Path) -> Any:
        if not self._frozen:
            _allocate(path.with_name(path.name + _LOCK))
        sizes = iter(_MAPS)
        size = next(sizes)
        until = time.monotonic() + _CLOSING
        while True:
            try:
                environment = lmdb.open(
                    os.fsencode(path),  # a string is encoded strictly: without UTF-8 some fail
                    subdir=False,
                    readonly=self._frozen,
                    lock=not self._frozen,  # its file of readers; ownership is checked elsewhere
                    map_size=max(size, 2 * path.stat().st_size if path.exists() else 0),
                    mode=0o600,
                    sync=self._ordered,
                    metasync=False,
                    max_readers=_READERS,
                    max_spare_txns=16,
                    readahead=False,
                    meminit=True,  # so that no foreign byte of this process is written
                )
                break
            except lmdb.Error as error:
                if _OPEN in str(error) and time.monotonic() < until:
                    # Another thread is closing a file without a name, whose inode this one got.
                    time.sleep(0.01)
                elif os.strerror(errno.ENOMEM) in str(error) and size != _MAPS[-1]:
                    size = next(sizes)
                else:
                    raise
        try:
            last, size = environment.info()["last_pgno"], environment.stat()["psize"]
            _require_pages(path, (last + 1) * size, self._frozen)
        except BaseException:
            environment.close()
            raise
        return environment

    # -- reading ----------------------------------------------------------------------------------

    def snapshot(self) -> LMDBSnapshot:
        return LMDBSnapshot(self)

    def approximate_size(self, start: bytes, stop: bytes) -> int:
        """See `Engine.approximate_size`. Counts a few thousand pairs, and estimates the rest by how
        far these reach between the bounds."""
        size = count = 0
        with self.snapshot() as snapshot:
            for key, value in snapshot.range(start, stop):
                size, count = size + len(key) + len(value), count + 1
                if count == _COUNTED:
                    low, here, high = (_place(bound) for bound in (start, key, stop))
                    share = (here - low) / (high - low) if high > low else 1.0
                    whole = self._file.path.stat().st_size
                    return max(size, min(whole, int(size / share) if share > 0 else whole))
            return size

    def _begin(self, snapshot: LMDBSnapshot) -> tuple[_File, Any]:
        with self._gate:
            if (refusal := self._refusal()) is not None:
                raise refusal
            try:
                transaction = self._file.environment.begin(buffers=False)
            except lmdb.Error as error:
                raise self._translated(error) from error
            self._file.readers += 1
            self._open.add(snapshot)
            return self._file, transaction

    def _ended(self, file: _File) -> None:
        with self._gate:
            file.readers -= 1
            if file.retired and not file.readers:
                file.environment.close()

    # -- writing ----------------------------------------------------------------------------------

    def commit(self, batch: Batch, sync: bool = False) -> None:
        pairs = _packed(batch)
        with self._writing, self._breaking():
            with self._file.environment.begin(write=True) as transaction:
                cursor = transaction.cursor()
                for key, value in pairs:
                    if len(key) > _HEAD:
                        _put_long(cursor, key, value, self._folder)
                    elif value is not None:
                        cursor.put(b"k" + key, value)
                    elif cursor.set_key(b"k" + key):
                        cursor.delete()
            if sync:
                self._file.environment.sync(True)

    def sync(self) -> None:
        with self._writing, self._breaking():
            self._file.environment.sync(True)

    @contextmanager
    def _breaking(self, kinds: tuple[type[Exception], ...] = (lmdb.Error,)) -> Iterator[None]:
        """For a `with` body that writes: an error of these kinds breaks the engine. Raises like
        `Engine.commit`, also if the engine is broken already."""
        self._require_whole()
        try:
            yield
        except kinds as error:
            self._broken = self._translated(error)
            raise self._broken from error

    def compact(self, start: bytes, stop: bytes) -> bool:
        """See `Engine.compact`: always done. Writers wait while the file is written anew. Snapshots
        of earlier states keep the old file, which has no name any more."""
        if start >= stop:
            with self._gate:
                if (refusal := self._refusal()) is not None:
                    raise refusal
            return True
        with self._writing, self._breaking((OSError, lmdb.Error)):
            old = self._file
            path = self._folder / f"{old.number + 1}{SUFFIX}"
            self._written_anew(old, path)
            new = _File(path, old.number + 1, self._environment(path))
            with self._gate:
                self._file, old.retired = new, True
                if not old.readers:
                    old.environment.close()
            _remove_others(self._folder, path)
            sync_path(self._folder)
        return True

    def _written_anew(self, old: _File, path: Path) -> None:
        """Write what is live to a new file, which is there whole or not at all."""
        being = path.with_name(path.name + _NEW)
        for name in (being, being.with_name(being.name + _LOCK)):
            name.unlink(missing_ok=True)
        new = self._environment(being)
        try:
            # By pairs, not by pages: the unused part of a page keeps old bytes.
            with old.environment.begin() as source:
                pairs = iter(source.cursor())
                while some := list(islice(pairs, 4096)):
                    with new.begin(write=True) as target:
                        target.cursor().putmulti(some, append=True)
            new.sync(True)
        finally:
            new.close()
        being.with_name(being.name + _LOCK).unlink(missing_ok=True)
        os.rename(being, path)
        sync_path(self._folder)

    def close(self) -> None:
        if os.getpid() != self._pid:
            return
        with self._writing, self._gate:
            if self._closed:
                return
            self._closed = True
            held = list(self._open)
        for snapshot in held:  # each waits for the step that another thread is at
            snapshot.close()
        with self._writing, self._gate:
            self._file.environment.close()

    # -- what is wrong ----------------------------------------------------------------------------

    def _require_whole(self) -> None:
        if (refusal := self._refusal()) is not None:
            raise refusal
        if self._broken is not None:
            raise failures.broken(self._broken, str(self._folder)) from self._broken

    def _refusal(self) -> GraphMemError | None:
        if os.getpid() != self._pid:
            return failures.forked(str(self._folder))
        if self._closed:
            return failures.closed(str(self._folder))
        return None

    def _translated(self, error: Exception) -> GraphMemError:
        if (refusal := self._refusal()) is not None:  # LMDB was closed under the call
            return refusal
        path, text = str(self._folder), str(error)
        if isinstance(error, lmdb.CorruptedError | lmdb.InvalidError | lmdb.PageNotFoundError):
            return failures.corrupt(text, path)
        if isinstance(error, lmdb.MapFullError):
            return FullError(
                errno.ENOSPC,
                "the address space that this process may use is full: raise its limit (ulimit -v)",
                path,
            )
        number = getattr(error, "errno", None) or failures.number_in(text)
        # LMDB reports EIO if the disk took only part of a page.
        if number == errno.EIO and self._is_full():
            number = errno.ENOSPC
        return failures.refused(text, number, path)

    def _is_full(self) -> bool:
        with suppress(OSError):
            space = os.statvfs(self._folder)
            return space.f_bavail * space.f_frsize < _FULL
        return False


# -- keys and values as they are stored -------------------------------------------------------


def _stored_key(key: bytes) -> bytes:
    return b"k" + key if len(key) <= _HEAD else b"k" + key[:_HEAD] + b"\x01"


def _steps(cursor: Any, low: bytes, high: bytes, reverse: bool) -> Pairs:
    """The pairs of a cursor from the first bound on; the caller checks the other one."""
    if not reverse:
        steps = cursor.iternext() if cursor.set_range(low) else iter(())
    elif cursor.set_range(high):
        # At the bound itself may be several long keys, some of which come before it.
        there = cursor.key() == high or cursor.prev()
        steps = cursor.iterprev() if there else iter(())
    else:
        steps = cursor.iterprev() if cursor.last() else iter(())
    found: Pairs = steps
    return found


def _packed(batch: Batch) -> list[tuple[bytes, bytes | None]]:
    """The pairs of a batch in order, values with checksums; long keys get a common one later."""
    return sorted(
        (
            (key, value if value is None or len(key) > _HEAD else value + checksum(key, value))
            for key, value in batch.items()
        ),
        key=lambda pair: pair[0],
    )


def _value_of(key: bytes, stored: bytes | None, folder: Path) -> bytes | None:
    if stored is None:
        return None
    if len(key) <= _HEAD:
        return value_of(key, stored, folder)
    return dict(_several(key[:_HEAD] + b"\x01", stored, folder)).get(key)


def _several(shared: bytes, stored: bytes, folder: Path) -> list[tuple[bytes, bytes]]:
    """The whole long keys that are stored under one key, in order, with their values."""
    content = value_of(shared, stored, folder)
    pairs, place = [], 0
    while place < len(content):
        long, wide = _LENGTHS.unpack_from(content, place)
        place += _LENGTHS.size
        tail, value = content[place : place + long], content[place + long : place + long + wide]
        place += long + wide
        pairs.append((shared[:_HEAD] + tail, value))
    return pairs


def _put_long(cursor: Any, key: bytes, value: bytes | None, folder: Path) -> None:
    shared = key[:_HEAD] + b"\x01"
    stored = cursor.get(b"k" + shared)
    pairs = [] if stored is None else _several(shared, stored, folder)
    place = bisect_left(pairs, key, key=lambda pair: pair[0])
    there = place < len(pairs) and pairs[place][0] == key
    pairs[place : place + there] = [] if value is None else [(key, value)]
    if pairs:
        content = b"".join(
            _LENGTHS.pack(len(whole) - _HEAD, len(each)) + whole[_HEAD:] + each
            for whole, each in pairs
        )
        cursor.put(b"k" + shared, content + checksum(shared, content))
    elif stored is not None and cursor.set_key(b"k" + shared):
        cursor.delete()


def _place(key: bytes) -> int:
    """The position of a key among all, by its first 16 bytes."""
    return int.from_bytes((key + bytes(16))[:16], "big")


# -- files ------------------------------------------------------------------------------------


def _files(folder: Path) -> list[tuple[int, Path]]:
    """The numbered files, the current one last."""
    return sorted(
        (int(path.stem), path)
        for path in folder.glob(f"*{SUFFIX}")
        if path.stem.isascii() and path.stem.isdecimal()
    )


def _remove_others(folder: Path, current: Path) -> None:
    """Remove files that an interrupted `compact` left, and those that `current` replaced."""
    kept = {current.name, current.name + _LOCK}
    for entry in folder.iterdir() if folder.is_dir() else ():
        if SUFFIX in entry.name and entry.name not in kept:
            entry.unlink(missing_ok=True)


def _require_pages(path: Path, size: int, is_frozen: bool) -> None:
    """Raise CorruptError if the file lacks pages in use: reading one would end the process. size:
    that of its last transaction; missing pages at the end may be free."""
    if (there := path.stat().st_size) >= size:
        return
    with Pages(path) as pages:
        if pages.missing():
            damage = f"it has {there:,} bytes of {size:,}, and lacks pages that are in use"
            raise failures.corrupt(damage, str(path))
    if not is_frozen:
        os.truncate(path, size)


def salvaged(folder: Path, faults: list[str]) -> Generator[tuple[bytes, bytes], None, None]:
    """All pairs that can be read in the LMDB folder `folder`, which is not changed; adds the others
    to `faults`. If pages are missing, some that LMDB had freed are read too. Raises
    `StorageError`."""
    files = _files(folder)
    if not files:
        faults.append(f"{folder} has no file of LMDB")
        return
    path = files[-1][1]
    try:
        with Pages(path) as pages:
            for shared, stored, is_live in pages.pairs():
                key = shared[1:]
                try:
                    if len(key) <= _HEAD:
                        found = [(key, value_of(key, stored or b"", path))]
                    else:
                        found = _several(key, stored or b"", path)
                except (CorruptError, struct.error):
                    if is_live:
                        faults.append(f"the value of key {key.hex()} in {path.name}")
                    continue
                yield from found
            if missing := pages.missing():
                faults.append(f"{missing:,} pages of {path.name}, and what they lead to")
    except OSError as error:
        raise failures.refused(str(error), error.errno or errno.EIO, str(path)) from error


_open_engines: weakref.WeakSet[LMDBEngine] = weakref.WeakSet()


def _after_fork() -> None:
    """Disown, in a forked child, every open engine."""
    for engine in list(_open_engines):
        failures.leak(engine._file.environment)
        engine._gate, engine._writing = RLock(), Lock()
    _open_engines.clear()


os.register_at_fork(after_in_child=_after_fork)
