"""The embedded engine: LevelDB through plyvel, with the hazards of both handled here.

It stores the caller's keys and values, except that each non-empty value is followed by four
bytes: crc32(value, crc32(key)), big-endian. LevelDB's own checksums cover its blocks; ours travels
with the value through memory, log, compaction and repair, and ties it to its key.
"""

import errno
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Lock, get_ident
from types import FrameType, SimpleNamespace
from typing import Any, Final, TypeVar

import plyvel

from graphmem.errors import AlreadyOpenError, ClosedError, ForkedError, GraphMemError, HeldError
from graphmem.storage import failures
from graphmem.storage.encoding import checksum, value_of
from graphmem.storage.engine import Batch, Engine, Pairs, Snapshot
from graphmem.storage.folder import make_private, sync_path
from graphmem.storage.manifest import first_keys, held_by
from graphmem.storage.salvage import require_openable

T = TypeVar("T")


_OPTIONS: Final[dict[str, Any]] = {
    # Without it, a damaged log silently loses commits at open.
    "paranoid_checks": True,
    "write_buffer_size": 16 << 20,
    "lru_cache_size": 64 << 20,
    "max_file_size": 8 << 20,
    # Long texts are compressed by the rooms above; blocks in the clear read several times faster.
    "compression": None,
    "bloom_filter_bits": 10,
}
# Pairs that an iterator reads at once. Starts small: many ranges are short or abandoned early.
_PAGE_STEP, _PAGE_MOST = 8, 64
_LONGEST_CALL: Final = 60.0  # seconds that closing waits for the calls under way
_PATIENCE: Final = 2.0  # seconds that a compaction waits for readers that are about to end
_NOWHERE: Final = b"\xff" * 32  # behind all keys
# Divisor of the memtable: so many batch bytes may be written during a manual compaction. There a
# tiny entry takes seven times its bytes.
_ROOM: Final = 8


class _Gate:
    """Tracks the calls inside LevelDB: plyvel frees the database under a running call, and crashes.

    Each call puts a token into `busy` before it looks at `shut`, and takes it out at its end;
    closing sets `shut`, then waits for `busy` to empty. Both are atomic, so no lock is needed. An
    interrupt as a call ends can leave its token behind; `drain` takes those out.
    """

    __slots__ = ("busy", "held", "path", "shut")

    def __init__(self, path: str) -> None:
        self.path = path
        self.busy: set[object] = set()
        self.held: dict[object, tuple[int, int]] = {}
        """Snapshots and iterators that are open: how many commits they see at least, and the thread
        that opened them."""
        self.shut: Callable[[str], GraphMemError] | None = None

    def inside(self, act: Callable[[], T], *, reads: bool = False) -> T:
        """Call `act` with the database held open; calls of a microsecond or two inline this. reads:
        it may read an earlier state."""
        token = object() if reads else _Write()
        try:
            self.busy.add(token)
            if self.shut is not None:
                raise self.shut(self.path)
            return act()
        except plyvel.Error as error:
            raise _translated(error, self.path) from error
        finally:
            self.busy.discard(token)

    def drain(self) -> None:
        """Wait until no call is inside, a minute at most. Raises `HeldError`, which names the
        calls."""
        end = time.monotonic() + _LONGEST_CALL
        nap = 0.0005
        while self.busy:
            time.sleep(nap)
            nap = min(2 * nap, 0.05)
            if nap < 0.05:
                continue  # most calls have ended by now
            inside = _calls_inside()
            for token in list(self.busy):
                if id(token) not in inside:
                    self.busy.discard(token)  # an interrupt left it
            if self.busy and time.monotonic() >= end:
                held = "; ".join(
                    sorted({inside[id(t)] for t in list(self.busy) if id(t) in inside})
                )
                raise HeldError(
                    f"{self.path} cannot be closed yet: {held}; close it again when that has ended"
                )


def _calls_inside() -> dict[int, str]:
    """Id of the token of each call under way → its thread and function, as text."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    found: dict[int, str] = {}
    for thread, frame in sys._current_frames().items():
        at: FrameType | None = frame
        while at is not None:
            if at.f_code.co_filename == __file__ and "token" in at.f_locals:
                where = f"thread {names.get(thread, thread)} is in {at.f_code.co_name}"
                found[id(at.f_locals["token"])] = where
            at = at.f_back
    return found


class _Write:
    """The token of a call that reads no earlier state."""

    __slots__ = ()


class _Reader:
    """Reading from `_raw`, a plyvel database or snapshot; None once a snapshot is closed.

    Uncompressed blocks are not cached, so LevelDB computes a block's checksum with every get, which
    takes longer than the rest of it. A snapshot omits that where our own checksum verifies key and
    value, and repeats the get with it for an absent or empty value. Remaining risk: damage to a key
    can bring back the value that it replaced, until `check` or the next compaction finds it. So
    writers read from the database itself, which always verifies.
    """

    _verify = True

    def __init__(self, gate: _Gate, raw: "plyvel.DB | plyvel.Snapshot") -> None:
        self._gate = gate
        self._raw: plyvel.DB | plyvel.Snapshot | None = raw

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        gate = self._gate
        token = object()
        raw = None
        try:
            gate.busy.add(token)
            raw = self._raw
            if raw is None or gate.shut is not None:
                raise _refusal(gate)
            if self._verify:
                found = [*map(partial(raw.get, verify_checksums=True), keys)]
            else:  # without an argument by its name, which costs a tenth of a get
                found = [*map(raw.get, keys)]
                if not all(found):
                    for place, stored in enumerate(found):
                        if not stored:
                            found[place] = raw.get(keys[place], verify_checksums=True)
        except plyvel.Error as error:
            raise _translated(error, gate.path) from error
        finally:
            # If the snapshot was closed meanwhile this is its last reference, and freeing it
            # needs the database: so it is dropped before the token.
            raw = None
            gate.busy.discard(token)
        for place, stored in enumerate(found):
            if stored:
                found[place] = value_of(keys[place], stored, gate.path)
        return found


class LevelDBSnapshot(_Reader, Snapshot):
    """See `engine.Snapshot`."""

    _verify = False
    _raw: "plyvel.DB | plyvel.Snapshot | None" = None  # until `__init__` is through: it may not be
    _token: object = None

    def __init__(self, gate: _Gate, commits: int, raw: "plyvel.Snapshot") -> None:
        """commits: how many it sees at least."""
        super().__init__(gate, raw)
        self._commits = commits
        self._token = object()
        gate.held[self._token] = commits, get_ident()

    def range(self, start: bytes, stop: bytes, reverse: bool = False) -> Pairs:
        gate = self._gate
        for page in self._pages(start, stop, reverse, values=True):
            for key, stored in page:
                if key < start if reverse else key >= stop:
                    return
                if self._raw is None or gate.shut is not None:
                    raise _refusal(gate)
                yield key, value_of(key, stored, gate.path) if stored else stored

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
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
        # plyvel silently takes a damaged block for the end of the data. So we give it no far
        # bound: then it ends only at the end of everything, which is rare enough to check twice.
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
                        gate.held[token] = self._commits, get_ident()
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
            if gate.shut is failures.forked:
                failures.leak(iterator)
            elif iterator is not None:
                iterator.close()
            gate.held.pop(token, None)

    def close(self) -> None:
        # Calls under way in other threads hold references of their own, so only dropping ours is
        # safe; the last one releases the snapshot, always inside the gate.
        token = object()
        try:
            self._gate.busy.add(token)
            if self._gate.shut is failures.forked:
                failures.leak(self._raw)
            self._raw = None
            self._gate.held.pop(self._token, None)
        finally:
            self._gate.busy.discard(token)

    def __del__(self) -> None:
        # Most have been closed; an interrupt can have left that half done.
        if self._raw is not None or (self._token and self._token in self._gate.held):
            self.close()


class LevelDBEngine(_Reader, Engine):
    """See `engine.Engine`. Whoever opens this holds an `Ownership` first: LevelDB's own lock is
    lost when any other descriptor of its `LOCK` file is closed."""

    def __init__(self, path: str | os.PathLike[str], create: bool = True) -> None:
        """Open the LevelDB folder `path`; with `create`, make it (not its parents) when missing.
        Raises `MissingError`, `AlreadyOpenError`, `CorruptError`, `StorageError`, and `ForkedError`
        in a child of a process that had a database open before."""
        folder = Path(os.path.realpath(path))
        require_own_thread(folder)
        require_openable(folder, create)
        _background.started = True
        try:
            if create:
                folder.mkdir(mode=0o700, exist_ok=True)
            make_private(folder)
            self._db = plyvel.DB(os.fsencode(folder), create_if_missing=create, **_OPTIONS)
        except (plyvel.Error, OSError) as error:
            raise _translated(error, str(folder)) from error
        # Nobody reads it, and it may name keys that have been erased since.
        (folder / "LOG.old").unlink(missing_ok=True)
        _make_private(folder)
        super().__init__(_Gate(str(folder)), self._db)
        self._folder = folder
        self._closing = Lock()
        self._committing = Lock()
        self._compacting = Lock()
        self._manual: set[object] = set()
        """A token while LevelDB compacts a range."""
        self._room: int = _OPTIONS["write_buffer_size"] // _ROOM
        self._written = 0
        """Bytes of the batches written since that compaction began."""
        self._commits = 0
        self._broken: GraphMemError | None = None
        """The failed write after which all others are refused."""
        _open_engines.add(self)

    def commit(self, batch: Batch, sync: bool = False) -> None:
        self._gate.inside(lambda: self._write(batch, sync))

    def _write(self, batch: Batch, sync: bool) -> None:
        # Never LevelDB's own `sync`: if that fails while a range is compacted, LevelDB 1.22
        # writes to address 4 (see `_compact_range`).
        writes = self._db.write_batch()
        put = writes.put
        for key, value in batch.items():
            if value:
                put(key, value + checksum(key, value))
            elif value is None:
                writes.delete(key)
            else:
                put(key, value)
        # One at a time: a commit queued behind one that fails would be written after a torn
        # record, acknowledged, and gone at the next open.
        with self._committing:
            size = writes.approximate_size()
            while self._manual and self._written > self._room:
                time.sleep(0.002)
            self._require_whole()
            self._written += size
            try:
                writes.write()
            except plyvel.Error as error:
                self._broken = _translated(error, self._gate.path)
                raise self._broken from error
            finally:
                self._commits += 1
            if sync:
                self._sync_files()

    def snapshot(self) -> LevelDBSnapshot:
        return self._gate.inside(
            lambda: LevelDBSnapshot(self._gate, self._commits, self._db.snapshot()), reads=True
        )

    def approximate_size(self, start: bytes, stop: bytes) -> int:
        """See `Engine.approximate_size`. Data that LevelDB still holds in memory is not counted."""
        if start >= stop:
            start = stop = b""
        return self._gate.inside(lambda: self._db.approximate_size(start, stop))

    def compact(self, start: bytes, stop: bytes) -> bool:
        """See `Engine.compact`. Does nothing while a reader of an earlier state is open."""
        return self._gate.inside(lambda: start >= stop or self._compact(start, stop))

    def _compact(self, start: bytes, stop: bytes) -> bool:
        # LevelDB merges files downwards, and leaves the lowest as they are: they can hold data that
        # was written and deleted before it first reached a file. So a key of each file is written
        # again, and merged down to the lowest in turn. (The two ends of the range would not do:
        # LevelDB splits files that span too many of the level below.)
        with self._compacting:
            self._require_whole()
            if not self._readers_end():
                return False
            try:
                self._compact_range(start, stop)
                before = held_by(self._folder, start, stop)
                self._rewrite(start, stop, *first_keys(self._folder, start, stop))
                self._compact_range(start, stop)
                self._rewrite()  # raises if LevelDB met an error, which it reports nowhere else
            except plyvel.Error as error:
                self._broken = _translated(error, self._gate.path)
                raise self._broken from error
            after = held_by(self._folder, start, stop)
            return before is not None and after is not None and not before & after

    def _readers_end(self) -> bool:
        """Wait a moment for the readers of earlier states to end; return whether they have. Returns
        at once if the calling thread has one, which could not end meanwhile."""
        now = self._commits
        gate = self._gate
        own = get_ident()
        end = time.monotonic() + _PATIENCE

        def holders() -> set[int]:
            return {thread for commits, thread in list(gate.held.values()) if commits < now}

        while threads := holders():
            if own in threads or time.monotonic() >= end:
                return False
            time.sleep(0.002)
        # A call under way may keep a snapshot that has been closed until it ends.
        calls = {token for token in list(gate.busy) if not isinstance(token, _Write)}
        while not calls.isdisjoint(list(gate.busy)) and time.monotonic() < end:
            time.sleep(0.002)
        return calls.isdisjoint(list(gate.busy))

    def _compact_range(self, start: bytes, stop: bytes) -> None:
        """Have LevelDB compact a range; it reports an error at the next write only.

        The compaction is known to LevelDB 1.22 by a pointer, which the waiting caller sets to null
        when it sees an error, and which the background thread follows without a look when it has
        done its part. That is safe for the errors of the compaction itself, for then the thread
        holds LevelDB's mutex from error to end. It is fatal for any other error meanwhile: of a
        synced write, so we sync the logs ourselves, and of a memtable that becomes a table. So
        there must be none: we begin with an empty one, and writers wait before it is full.
        (DBImpl::TEST_CompactRange and BackgroundCompaction in db/db_impl.cc)
        """
        token = object()
        try:
            with self._committing:
                # The range is empty, but this turns the memtable into a table. CompactRange may
                # omit that during a write, so `_committing` excludes writes.
                self._db.compact_range(start=_NOWHERE, stop=_NOWHERE)
                self._written = 0
                self._manual.add(token)
            self._db.compact_range(start=start, stop=stop)
        finally:
            self._manual.discard(token)

    def _rewrite(self, *keys: bytes) -> None:
        """Write the present values of keys, or their absence, again. Raises `plyvel.Error`."""
        with self._committing:
            self._require_whole()
            writes = self._db.write_batch()
            for key in keys:
                stored = self._db.get(key, verify_checksums=True)
                if stored is None:
                    writes.delete(key)
                else:
                    writes.put(key, stored)
            writes.write()

    def sync(self) -> None:
        """See `Engine.sync`. Commits of other threads go on meanwhile."""
        self._gate.inside(self._sync_files)

    def close(self) -> None:
        """See `Engine.close`. Waits for the calls under way. Raises `HeldError` if one takes over a
        minute: no other begins, and it can be called again."""
        gate = self._gate
        if gate.shut is None:
            gate.shut = failures.closed
        if gate.shut is not failures.closed:
            return
        gate.drain()
        with self._closing:
            if not self._db.closed:
                self._db.close()
                _make_private(self._folder)

    def _require_whole(self) -> None:
        if self._broken is not None:
            raise failures.broken(self._broken, self._gate.path) from self._broken

    def _sync_files(self) -> None:
        """Sync every log file, and the folder: a synced LevelDB write covers only the newest log,
        and not one that has just become full (google/leveldb#193)."""
        self._require_whole()
        try:
            for name in os.listdir(self._folder):
                if name.endswith(".log"):
                    _sync_log(self._folder / name)
            sync_path(self._folder)
        except OSError as error:
            # After a failed fsync the kernel may have dropped the pages: a retry would lie.
            self._broken = _translated(error, self._gate.path)
            raise self._broken from error


def _make_private(folder: Path) -> None:
    """Remove the permissions of others from the files in `folder`; LevelDB uses the umask."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            make_private(folder / entry.name)


def _sync_log(path: Path) -> None:
    with suppress(FileNotFoundError):  # it has become a table meanwhile, which LevelDB has synced
        sync_path(path)


def _require_end(
    raw: "plyvel.DB | plyvel.Snapshot", begin: bytes, last: bytes | None, reverse: bool
) -> None:
    """Raise `plyvel.CorruptionError` unless nothing comes after `last`, the end of an iterator that
    began at `begin`; None if it gave nothing."""
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


def _refusal(gate: _Gate) -> GraphMemError:
    return gate.shut(gate.path) if gate.shut is not None else ClosedError("the snapshot is closed")


def _translated(error: Exception, path: str) -> GraphMemError:
    """Return our error for one of LevelDB or of the system; it names the path."""
    first = error.args[0] if len(error.args) == 1 else str(error)
    text = first.decode(errors="replace") if isinstance(first, bytes) else str(first)
    # A table that was cut short is read beyond its end, which LevelDB takes for a disk's failure.
    is_cut = text.endswith(f".ldb: {os.strerror(errno.EINVAL)}")
    if isinstance(error, plyvel.CorruptionError) or is_cut:
        return failures.corrupt(text, path)
    if text.startswith("IO error: lock "):
        return AlreadyOpenError(path, None, f"{path} is open in LevelDB already: close it there")
    # LevelDB passes on the message of strerror, not the number.
    return failures.refused(text, failures.number_in(text), path)


def require_own_thread(path: str | os.PathLike[str]) -> None:
    """Raise `ForkedError`, which names `path`, if LevelDB could not compact in this process: its
    one background thread is not in a forked child, which would wait for it for ever."""
    if _background.lost:
        raise ForkedError(
            f"{os.fspath(path)} cannot be opened here: this process was forked from one that had "
            "opened a store, and LevelDB's background thread is not in it: start workers with spawn"
        )


_background = SimpleNamespace(started=False, lost=False)  # LevelDB's thread; lost: to a fork
_open_engines: weakref.WeakSet[LevelDBEngine] = weakref.WeakSet()


def _after_fork() -> None:
    """Disown every open engine in a forked child, whose writes the parent would not see."""
    for engine in list(_open_engines):
        engine._gate.shut = failures.forked
        failures.leak(engine._db)
    _open_engines.clear()
    _background.lost = _background.started


os.register_at_fork(after_in_child=_after_fork)
