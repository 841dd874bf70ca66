"""The store: what the rooms above hold. Engine, ownership, sequence, durability, format.

Keys of the rooms above begin with a scope (u32, big-endian). In scope 0 the store keeps, from byte
F0 on, keys of its own (numbers big-endian):

    00000000 F0 00          format record: the JSON of meta.json
    00000000 F0 01          last sequence number: u64
    00000000 F0 02 ‖ u16    the ring: sequence number s (u64) at s mod 4096
    00000000 F0 03          clean mark: the sequence number (u64) at the last clean close
    00000000 F0 04          a sequence number (u64) up to which everything was on the disk

Each commit writes its number in the ring, in its own batch. A number missing there means that the
commit was lost although a later one was not, which a power cut can do (google/leveldb#193).
"""

import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from errno import EIO, ENOENT
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Final, Literal, Self, TypeAlias, get_args

from graphmem.errors import (
    BrokenError,
    ClosedError,
    CorruptError,
    ForkedError,
    GraphMemError,
    MissingError,
    NewerFormatError,
    NotAStoreError,
    ReadOnlyError,
)
from graphmem.storage.engine import Engine, Reader, Snapshot
from graphmem.storage.folder import APPLICATION, LOCK, META, SOCKET, STORE, State, write_meta
from graphmem.storage.in_memory import InMemoryEngine
from graphmem.storage.leveldb import LevelDBEngine
from graphmem.storage.ownership import Ownership
from graphmem.storage.syncer import Syncer

Durability: TypeAlias = Literal["sync", "group", "os"]

FORMAT_VERSION: Final = 1
MIGRATIONS: Final[dict[int, Callable[[Engine], None]]] = {}
"""How to bring a store from a format version to the next. May run again after a crash."""

RING: Final = 4096
"""Commits that the ring remembers."""

_OWN: Final = b"\0\0\0\0\xf0"
_FORMAT: Final = _OWN + b"\x00"
_SEQUENCE: Final = _OWN + b"\x01"
_RING: Final = _OWN + b"\x02"
_RING_END: Final = _OWN + b"\x03"
_CLEAN: Final = _OWN + b"\x03"
_SYNCED: Final = _OWN + b"\x04"

_FIRST, _BEYOND = b"", b"\xff" * 9  # of all keys
_COPY_BYTES: Final = 1 << 20  # a batch of a copy
_PAUSE: Final = 1e-4  # seconds between two pieces of background work
_REST: Final = 3.0  # times as long as a piece took: the pause while somebody reads

_log = logging.getLogger("graphmem.storage")


class Store:
    """An open store; read as a `Reader` it shows the latest commit.

    Any number of threads may read; writers take turns. Every method raises `ClosedError` after
    `close`, and `ForkedError` in a process forked from the one that opened the store.
    """

    def __init__(
        self,
        engine: Engine,
        ownership: Ownership | None,
        *,
        read_only: bool = False,
        durability: Durability = "group",
    ) -> None:
        """Use `open`."""
        self.read_only = read_only
        self.durability: Durability = durability
        self.gap: tuple[int, int] | None = None
        """First and last of the commits that an unclean end lost although a later one survived."""
        self._engine = engine
        self._ownership = ownership
        self._pid = os.getpid()
        self._lock = RLock()
        self._writing = _Writing(self)
        self._syncer = Syncer(self._sync, self._report_sync)
        self._snapshots: set[object] = set()  # of those that are open, a token each
        self._closed = False
        self._failed: Exception | None = None
        self._failure_told = False
        self._sequence = self._stored(_SEQUENCE)  # of the last commit that is done, …
        self._begun = self._sequence  # … and of the last that was begun
        self._synced = self._synced_stored = self._stored(_SYNCED)
        self._marked_clean = engine.get(_CLEAN) is not None
        if not self._marked_clean:
            self._look_for_gap()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None,
        *,
        create: bool = True,
        read_only: bool = False,
        durability: Durability = "group",
    ) -> Self:
        """Open the store in the folder `path`, or a new one in memory for None.

        With `create`, a missing folder is made (not its parents) and an empty one is filled. One
        process has a folder open at a time. `read_only` is no exception, and refuses commits; yet
        LevelDB itself writes to its folder when it opens it, so the folder must be writable.

        `durability` is what an acknowledged commit survives besides the death of the process:
        "sync" that of the machine; "group" too, but for the last 50 ms; "os" what the system makes
        of it, and there a gap may be noticed only within the last 4096 commits.

        Raises `OpenError` in its kinds (`AlreadyOpenError`, `NotAStoreError`, `MissingError`,
        `NewerFormatError`, `ReadOnlyFolderError`), `CorruptError`, `StorageError`, and
        `ReadOnlyError` for an older format that would have to be migrated.
        """
        if durability not in get_args(Durability):
            raise ValueError(f"durability is one of {get_args(Durability)}, not {durability!r}")
        if path is None:
            memory = InMemoryEngine()
            _settle_format(memory, State.EMPTY, read_only=False)
            return cls(memory, None, read_only=read_only, durability=durability)
        ownership = Ownership.take(path, create=create and not read_only)
        engine: LevelDBEngine | None = None
        try:
            engine = _open_engine(ownership, create=create and not read_only)
            record = _settle_format(engine, ownership.state, read_only=read_only)
            if not read_only:
                write_meta(ownership.folder, record)
            return cls(engine, ownership, read_only=read_only, durability=durability)
        except BaseException:
            if engine is not None:
                engine.close()
            ownership.release()
            raise

    @staticmethod
    def destroy(path: str | os.PathLike[str]) -> None:
        """Remove a closed store; the folder stays if it holds files that are not the store's.

        Raises like `open`; what is not a store of ours is not touched.
        """
        ownership = Ownership.take(path, create=False)
        try:
            if ownership.state is not State.OURS:
                raise NotAStoreError(f"{ownership.folder} has no {META} of ours: nothing removed")
            shutil.rmtree(ownership.folder / STORE, ignore_errors=False)
            # Last, so that what a crash leaves is still known as ours and can be destroyed.
            (ownership.folder / META).unlink()
            (ownership.folder / LOCK).unlink()
            (ownership.folder / SOCKET).unlink(missing_ok=True)
            with suppress(OSError):
                ownership.folder.rmdir()
        finally:
            ownership.release()

    @property
    def sequence(self) -> int:
        """The number of the last commit; 0 before the first."""
        return self._sequence

    @property
    def folder(self) -> Path | None:
        """The real path of the folder; None for a store in memory."""
        return None if self._ownership is None else self._ownership.folder

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def writing(self) -> AbstractContextManager[None]:
        """The writer's lock, for `with`: what is read inside is what a commit inside builds on.

        The same thread may enter it again. Entering raises `ReadOnlyError`, and `BrokenError` after
        a failed write.
        """
        return self._writing

    def get(self, key: bytes) -> bytes | None:
        """See `Reader.get`."""
        return self._engine.get(key)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """See `Reader.get_many`."""
        return self._engine.get_many(keys)

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """See `Reader.range`."""
        return self._engine.range(start, stop, reverse)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        """See `Reader.keys`."""
        return self._engine.keys(start, stop, reverse)

    def snapshot(self) -> "StoreSnapshot":
        """Return the present state."""
        done = self._sequence
        snapshot = self._engine.snapshot()
        # What was begun by now and not done before may be in it or not.
        known = done if self._begun == done else None
        return StoreSnapshot(snapshot, self._snapshots, known)

    def stand_back(self, seconds: float) -> None:
        """Pause after `seconds` of background work: for other writers, and longer while a snapshot
        is open. Python runs one thread at a time, so what the work takes its readers wait for."""
        time.sleep(_REST * seconds if self._snapshots else _PAUSE)

    def commit(
        self,
        batch: dict[bytes, bytes | None],
        *,
        on_sequence: Callable[[int], None] | None = None,
    ) -> int:
        """Write `batch` (None deletes) atomically, and return its sequence number.

        `on_sequence` is called with the number just before the write, under the writer's lock; if
        it raises, nothing is written. Keys of the store's own (see above) are not allowed.

        Raises `StorageError` (`FullError` for a full disk), after which the store goes on reading
        and refuses to write, with `BrokenError`, until it is opened again; only then is it known
        whether the batch is there, all of it or nothing. Also raises what `writing` does.
        """
        with self._writing:
            sequence = self._sequence + 1
            synced = self._synced
            full = {**batch, _SEQUENCE: _u64(sequence), _ring(sequence): _u64(sequence)}
            if self._marked_clean:
                full[_CLEAN] = None
            if synced != self._synced_stored:
                full[_SYNCED] = _u64(synced)
            if on_sequence is not None:
                on_sequence(sequence)
            self._begun = sequence
            try:
                self._engine.commit(full, sync=self.durability == "sync")
                self._committed(sequence, synced)
            except GraphMemError as error:
                self._failed, self._failure_told = error, True
                raise
            except BaseException:
                # An interrupt can come when the batch is already written: never reuse its number.
                if self._stored(_SEQUENCE) == sequence:
                    self._committed(sequence, synced)
                raise
            return sequence

    def staged(self, pairs: Iterable[tuple[bytes, bytes | None]]) -> Callable[[], None]:
        """Take distinct keys that no reader looks for yet; what is returned writes them.

        It is called once, by any thread, while this one is within `writing`. Each batch is atomic,
        but a crash of the machine may lose any of them: `flush` comes before the commit that shows
        them. There is no sequence number: LevelDB takes sorted keys most cheaply when nothing else
        is written between them. Both steps raise like `commit`.
        """
        prepared = self._engine.prepared(pairs)

        def write() -> None:
            try:
                prepared()
            except GraphMemError as error:
                self._failed, self._failure_told = error, True
                raise

        return write

    def approximate_size(self, start: bytes, stop: bytes) -> int:
        """See `Engine.approximate_size`."""
        return self._engine.approximate_size(start, stop)

    def compact(self, start: bytes, stop: bytes) -> None:
        """See `Engine.compact`; writers go on meanwhile. Raises `ReadOnlyError`."""
        self._require_writable()
        self._engine.compact(start, stop)

    def copy(self, engine: Engine, progress: Callable[[int, int], None] | None = None) -> int:
        """Write all of one snapshot into the empty `engine`, synced, as a store that was closed.

        Others go on reading and writing meanwhile. Every value read is verified. `progress` is
        called with the bytes copied and about how many there are. Returns the sequence number of
        the snapshot. Raises `CorruptError`, and like `Engine.commit`.
        """
        copied, batch, size = 0, dict[bytes, bytes | None](), 0
        with self.snapshot() as snapshot:
            about = self.approximate_size(_FIRST, _BEYOND)
            for key, value in snapshot.range(_FIRST, _BEYOND):
                batch[key] = value
                size += len(key) + len(value)
                if size > _COPY_BYTES:
                    engine.commit(batch)
                    copied, batch, size = copied + size, {}, 0
                    if progress is not None:
                        progress(copied, max(copied, about))
            sequence = snapshot.sequence
        engine.commit({**batch, **_own(sequence, clean=self.gap is None)}, sync=True)
        if progress is not None:
            progress(copied + size, copied + size)
        return sequence

    def continue_from(self, reader: Reader) -> None:
        """Take over the format record of a salvaged store, and count on from its last commit, of
        which a number must not be given twice. Raises like `commit`."""
        with self._writing:
            ring = (int.from_bytes(value, "big") for _, value in reader.range(_RING, _RING_END))
            last = int.from_bytes(reader.get(_SEQUENCE) or b"", "big")
            sequence = max(self._sequence, last, *ring)
            numbers = range(max(1, sequence - RING + 1), sequence + 1)
            whole = {_ring(number): _u64(number) for number in numbers}
            record = reader.get(_FORMAT)
            kept = {} if record is None else {_FORMAT: record}
            self._engine.commit({**whole, **kept, _SEQUENCE: _u64(sequence)}, sync=True)
            self._sequence = sequence

    def flush(self) -> None:
        """Return when all that was committed before is on the disk. Raises like `commit`."""
        self._require_open()
        if not self.read_only:
            self._require_writable()
            try:
                self._sync()
            except GraphMemError:
                self._failure_told = True
                raise

    def accept_gap(self) -> None:
        """Take `gap` as dealt with: it is not found again. Raises like `commit`."""
        with self._writing:
            if self.gap is not None:
                lost = range(self.gap[0], self.gap[1] + 1)
                self._engine.commit({_ring(number): _u64(number) for number in lost}, sync=True)
                self.gap = None

    def close(self) -> None:
        """Put everything on the disk, mark the end as clean, and let go of the folder. Idempotent.

        Lets go in any case; then raises the `StorageError` that kept it from syncing, or that a
        background sync met and nobody has been told of. Does nothing in a forked child.
        """
        if os.getpid() != self._pid:
            return
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._syncer.stop()
            try:
                if not self.read_only and self._failed is None:
                    self._sync()
                    if not self._marked_clean and self.gap is None:
                        self._engine.commit({_CLEAN: _u64(self._sequence)}, sync=True)
            except GraphMemError as error:
                self._failed = error
            finally:
                self._engine.close()
                if self._ownership is not None:
                    self._ownership.release()
            if self._failed is not None and not self._failure_told:
                raise self._failed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _require_open(self) -> None:
        if os.getpid() != self._pid:
            raise ForkedError(
                f"the store was opened in process {self._pid}, from which this one was forked: "
                "start workers with spawn, and open the folder in one process only"
            )
        if self._closed:
            raise ClosedError("the store is closed: open it again")

    def _require_writable(self) -> None:
        self._require_open()
        if self.read_only:
            raise ReadOnlyError("the store was opened with read_only=True: open it to write")
        if self._failed is not None:
            self._failure_told = True
            raise BrokenError(
                EIO,
                f"an earlier write failed ({self._failed}) and writing on could lose data: "
                "put that right, close the store and open it again",
            ) from self._failed

    def _stored(self, key: bytes) -> int:
        return int.from_bytes(self._engine.get(key) or b"", "big")

    def _committed(self, sequence: int, synced_stored: int) -> None:
        self._sequence = sequence
        self._synced_stored = synced_stored
        self._marked_clean = False
        if self.durability == "sync":
            self._synced = sequence
        elif self.durability == "group" and self._ownership is not None:
            self._syncer.want()
            # Past that the ring could no longer show a gap among what is not synced.
            if sequence - self._synced >= RING - 1:
                self._sync()

    def _sync(self) -> None:
        if self._failed is not None:
            return  # told, or about to be; there is nothing left to save
        covered = self._sequence
        try:
            self._engine.sync()
        except Exception as error:
            self._failed = error
            raise
        self._synced = max(self._synced, covered)

    def _report_sync(self, error: Exception) -> None:
        _log.error("the background sync failed; the next commit raises: %s", error)

    def _look_for_gap(self) -> None:
        ring = {int.from_bytes(value, "big") for _, value in self._engine.range(_RING, _RING_END)}
        # Only in a damaged store can the ring be ahead. A number must never be given twice.
        self._sequence = max(self._sequence, *ring, 0)
        lost = [
            number
            for number in range(max(1, self._sequence - RING + 1), self._sequence + 1)
            if number not in ring
        ]
        if lost:
            self.gap = (lost[0], lost[-1])
            _log.warning(
                "after an unclean end, commits %d to %d are missing although %d is there: "
                "run check()",
                *self.gap,
                self._sequence,
            )


class StoreSnapshot:
    """One state of a store: see `engine.Snapshot`."""

    def __init__(self, snapshot: Snapshot, opened: set[object], sequence: int | None) -> None:
        """Use `Store.snapshot`."""
        self._snapshot = snapshot
        self._opened = opened
        self._token = object()
        opened.add(self._token)
        self._sequence = sequence

    @property
    def sequence(self) -> int:
        """The number of the last commit that the snapshot sees; read from it in case of doubt."""
        if self._sequence is None:
            self._sequence = int.from_bytes(self._snapshot.get(_SEQUENCE) or b"", "big")
        return self._sequence

    def get(self, key: bytes) -> bytes | None:
        """See `Reader.get`."""
        return self._snapshot.get(key)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """See `Reader.get_many`."""
        return self._snapshot.get_many(keys)

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """See `Reader.range`."""
        return self._snapshot.range(start, stop, reverse)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        """See `Reader.keys`."""
        return self._snapshot.keys(start, stop, reverse)

    def close(self) -> None:
        """See `Snapshot.close`."""
        self._snapshot.close()
        self._opened.discard(self._token)

    def __del__(self) -> None:
        self._opened.discard(self._token)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Writing:
    """The writer's lock as a context manager that first looks whether writing is possible."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __enter__(self) -> None:
        # Before the lock too: in a forked child it may be held by a thread that is not there.
        self._store._require_writable()
        self._store._lock.acquire()
        try:
            self._store._require_writable()
        except BaseException:
            self._store._lock.release()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._store._lock.release()


def _open_engine(ownership: Ownership, create: bool) -> LevelDBEngine:
    ours = ownership.state is State.OURS
    try:
        return LevelDBEngine(ownership.folder / STORE, create=create and not ours)
    except MissingError as error:
        if not ours:
            raise
        raise CorruptError(
            f"{ownership.folder} is a store of ours, but its data in {STORE}/ are gone: "
            "restore a backup"
        ) from error


def _settle_format(engine: Engine, state: State, *, read_only: bool) -> bytes:
    """Return the format record of a store that this version can read, making or migrating it."""
    record = engine.get(_FORMAT)
    if record is None:
        if state is State.OURS:
            raise CorruptError("the store's format record is gone: run graphmem repair")
        if next(engine.keys(b"", b"\xff" * 9), None) is not None:
            raise NotAStoreError(f"{STORE}/ is a LevelDB database of somebody else's")
        if read_only:
            raise MissingError(
                ENOENT, "there is no store here: look at the path, or open it to write"
            )
        record = _new_record()
        engine.commit({_FORMAT: record}, sync=True)
    try:
        content = json.loads(record)
        found = int(content["format"])
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptError("the store's format record is damaged: restore a backup") from error
    if found > FORMAT_VERSION:
        raise NewerFormatError(
            f"the store has format {found}, written by graphmem {content.get('library')}; this "
            f"version reads up to {FORMAT_VERSION}: install a newer graphmem"
        )
    if found < FORMAT_VERSION and read_only:
        raise ReadOnlyError(
            f"the store has the older format {found}: open it once without read_only"
        )
    for step in range(found, FORMAT_VERSION):
        MIGRATIONS[step](engine)
        record = _record(content | {"format": step + 1})
        engine.commit({_FORMAT: record}, sync=True)
    return record


def settle_salvaged(engine: Engine, meta: bytes | None) -> None:
    """Make what was salvaged of a store readable by this version.

    `meta` is its meta.json, which has a copy of the format record. Raises `NewerFormatError`.
    """
    if engine.get(_FORMAT) is None:
        engine.commit({_FORMAT: _new_record() if meta is None else meta}, sync=True)
    _settle_format(engine, State.OURS, read_only=False)


def _new_record() -> bytes:
    try:
        library = version("graphmem")
    except PackageNotFoundError:
        library = "unknown"
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return _record(
        {
            "application": APPLICATION,
            "format": FORMAT_VERSION,
            "created": created,
            "library": library,
        }
    )


def _record(content: dict[str, object]) -> bytes:
    return json.dumps(content, indent=2).encode() + b"\n"


def _own(sequence: int, *, clean: bool) -> dict[bytes, bytes | None]:
    """What says that all up to `sequence` is on the disk and, if `clean`, that it is all."""
    return {_SYNCED: _u64(sequence), _CLEAN: _u64(sequence) if clean else None}


def _ring(sequence: int) -> bytes:
    return _RING + (sequence % RING).to_bytes(2, "big")


def _u64(number: int) -> bytes:
    return number.to_bytes(8, "big")
