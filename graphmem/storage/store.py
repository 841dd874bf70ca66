"""The store: what the rooms above hold. Engine, ownership, sequence, durability, format.

Keys of the rooms above begin with a scope (u32, big-endian). In scope 0 the store keeps, from byte
F0 on, keys of its own (numbers big-endian):

    00000000 F0 00          format record: the JSON of meta.json
    00000000 F0 01          last sequence number: u64
    00000000 F0 02 ‖ u16    the ring: sequence number s (u64) at s mod 4096
    00000000 F0 03          clean mark: the sequence number (u64) at the last clean close
    00000000 F0 04          a sequence number (u64) up to which everything was on the disk
    00000000 F0 05, F0 06   of the cache of a home: see `homes.cache`

Each commit writes its number in the ring, in its own batch. A number missing there means that the
commit was lost although a later one was not, which a power cut can do (google/leveldb#193).
"""

import _thread
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from errno import EIO, ENOENT
from functools import partial
from pathlib import Path
from threading import local
from types import TracebackType
from typing import Final, Literal, Self, TypeAlias, get_args

from graphmem.errors import (
    BrokenError,
    ClosedError,
    CorruptError,
    FencedError,
    ForkedError,
    GraphMemError,
    MissingError,
    NewerFormatError,
    NotAStoreError,
    OlderFormatError,
    ReadOnlyError,
    StorageError,
    TransactionError,
)
from graphmem.storage import engines, migration
from graphmem.storage.block import Block, Layered, Overlay
from graphmem.storage.engine import Engine, HomedEngine, Reader, Snapshot
from graphmem.storage.folder import (
    APPLICATION,
    CLEAN,
    LOCK,
    META,
    SOCKET,
    STORE,
    State,
    is_migration,
    read_clean,
    write_clean,
    write_meta,
)
from graphmem.storage.homes.cache import FORMAT, content, freed
from graphmem.storage.in_memory import InMemoryEngine
from graphmem.storage.ownership import Ownership, disk_error
from graphmem.storage.registry import FEATURES, HOMED, MIGRATIONS
from graphmem.storage.syncer import Syncer

Durability: TypeAlias = Literal["sync", "group", "os"]

FORMAT_VERSION: Final = 2
RING: Final = 4096
"""Commits that the ring remembers."""

_WAYS: Final = ("read", "write")
_OWN: Final = b"\0\0\0\0\xf0"
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
_background = local()


@contextmanager
def in_background() -> Iterator[None]:
    """Within it, what this thread commits waits for no home: nobody has been told of it."""
    _background.here = True
    try:
        yield
    finally:
        _background.here = False


class WriterLock(_thread.RLock):  # type: ignore[misc]  # final to mypy alone
    """The writer's lock. Written in C, so that an interrupt never leaves it held."""

    @property
    def held(self) -> bool:
        """Whether this thread holds it."""
        return bool(self._is_owned())  # type: ignore[attr-defined]


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
        self.engine: engines.Kind | None = None
        """What it is kept with in its folder; None for a store in memory."""
        self.home: HomedEngine | None = None
        """Its engine if it has a home."""
        self.gap: tuple[int, int] | None = None
        """First and last of the commits that an unclean end lost although a later one survived."""
        self._engine = engine
        self._ownership = ownership
        self._pid = os.getpid()
        self._lock = WriterLock()
        self._block: Block | None = None  # of the thread that holds the lock
        self._syncer = Syncer(self._sync, self._report_sync)
        self._snapshots: set[object] = set()  # of those that are open, a token each
        self._closed = False
        self._let_go = False
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
        engine: engines.Choice = "auto",
        make_engine: Callable[[Path | None, engines.Choice], HomedEngine] | None = None,
    ) -> Self:
        """Open the store in the folder `path`, or a new one in memory for None.

        With `create`, a missing folder is made (not its parents) and an empty one is filled. One
        process has a folder open at a time. `read_only` is no exception, and refuses commits; yet
        LevelDB itself writes to its folder when it opens it, so the folder must be writable.

        `durability` is what an acknowledged commit survives besides the death of the process:
        "sync" that of the machine; "group" too, but for the last 50 ms; "os" what the system makes
        of it, and there a gap may be noticed only within the last 4096 commits.

        `engine` is what a new folder is made with; see `engines.default` for "auto". `make_engine`
        makes that of a memory which has a home, in the owned folder, or for None anywhere.

        Raises `OpenError` in its kinds (`AlreadyOpenError`, `NotAStoreError`, `MissingError`,
        `NewerFormatError`, `OlderFormatError`, `ReadOnlyFolderError`), `CorruptError` (also if
        commits are gone that were there when it was last closed), `StorageError`,
        `ReadOnlyError` for an older format that would have to be migrated, and `ForkedError` in a
        process forked from one that had opened a folder before.
        """
        if durability not in get_args(Durability):
            raise ValueError(f"durability is one of {get_args(Durability)}, not {durability!r}")
        if path is None and make_engine is None:
            memory = InMemoryEngine()
            _settle_format(memory, State.EMPTY, read_only=False)
            return cls(memory, None, read_only=read_only, durability=durability)
        if make_engine is not None:
            return cls._with_home(path, make_engine, read_only, durability, engine)
        assert path is not None
        store_folder = Path(os.path.realpath(path)) / STORE
        engines.require_usable(path, engines.chosen(store_folder, engine))
        ownership = Ownership.take(path, create=create and not read_only)
        opened: Engine | None = None
        try:
            migration.settle(ownership.folder)
            kind = engines.chosen(ownership.folder / STORE, engine)
            open_it = partial(_open_engine, ownership, kind, durability != "os")
            opened = open_it(create=create and not read_only)
            record = _settle_format(opened, ownership.state, read_only=read_only)
            if (found := _version(record)) < FORMAT_VERSION:
                what = f"has format {found} and is written anew in format {FORMAT_VERSION}"
                migration.announce(ownership.folder, what)
                migration.write(ownership.folder, partial(cls._written_anew, opened, kind, found))
                opened.close()
                migration.swap(ownership.folder, found)
                opened = open_it(create=False)
                record = _settle_format(opened, ownership.state, read_only=read_only)
            if not read_only:
                write_meta(ownership.folder, record)
            store = cls(opened, ownership, read_only=read_only, durability=durability)
            store.engine = kind
            _require_all(store.sequence, ownership.folder)
            return store
        except BaseException as error:
            try:
                if opened is not None:
                    opened.close()
            finally:
                ownership.release()
            if isinstance(error, OSError) and not isinstance(error, GraphMemError):
                raise disk_error(error, ownership.folder, "it cannot be opened") from error
            raise

    @classmethod
    def _with_home(
        cls,
        path: str | os.PathLike[str] | None,
        make_engine: Callable[[Path | None, engines.Choice], HomedEngine],
        read_only: bool,
        durability: Durability,
        engine: engines.Choice,
    ) -> Self:
        ownership = None if path is None else Ownership.take(path)
        folder = None if ownership is None else ownership.folder
        opened: HomedEngine | None = None
        try:
            opened = make_engine(folder, engine)
            record = _settle_format(opened, State.UNFINISHED, read_only=read_only, home=True)
            if folder is not None:
                write_meta(folder, record)
            store = cls(opened, ownership, read_only=read_only, durability=durability)
            store.home = opened
            store.engine = None if folder is None else engines.kind_of(folder / STORE)
            if not read_only:
                store.require(HOMED)  # of one that was adopted
            return store
        except BaseException:
            if opened is not None:
                opened.close()
            if ownership is not None:
                ownership.release()
            raise

    @classmethod
    def _written_anew(cls, old: Engine, kind: engines.Kind, found: int, path: Path) -> None:
        """Make a store in the empty folder `path` of one of format `found`."""
        with cls.open(path, durability="os", engine=kind) as new:
            MIGRATIONS[found](old, new)
            new.continue_from(old)

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
            for name in os.listdir(ownership.folder):
                if is_migration(name):
                    shutil.rmtree(ownership.folder / name)
            # Last, so that what a crash leaves is still known as ours and can be destroyed.
            (ownership.folder / META).unlink()
            (ownership.folder / CLEAN).unlink(missing_ok=True)
            (ownership.folder / LOCK).unlink()
            (ownership.folder / SOCKET).unlink(missing_ok=True)
            with suppress(OSError):
                ownership.folder.rmdir()
        finally:
            ownership.release()

    @property
    def sequence(self) -> int:
        """The number of the last commit that this thread sees; 0 before the first."""
        block = self.block
        return self._sequence if block is None else block.sequence

    @property
    def folder(self) -> Path | None:
        """The real path of the folder; None for a store in memory."""
        return None if self._ownership is None else self._ownership.folder

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def writing(self) -> WriterLock:
        """The writer's lock, for `with`: what is read inside is what a commit inside builds on.

        The same thread may enter it again. Raises `ReadOnlyError`, `BrokenError` after a failed
        write, and `TransactionError` in a task of a thread where another task has a block open.
        """
        if (block := self._block) is not None:  # read once: another thread may end its block
            block.require_mine()
        # Here, not when it is entered: in a forked child a thread that is not there may hold it.
        self._require_writable()
        return self._lock

    @property
    def held(self) -> bool:
        """Whether this thread holds the writer's lock."""
        return self._lock.held

    # -- blocks: see graphmem/storage/block.py ------------------------------------------------

    @property
    def block(self) -> Block | None:
        """The block that this thread has open."""
        block = self._block
        return block if block is not None and block.is_mine() else None

    def require_no_block(self, what: str) -> None:
        """Raise TransactionError if this thread has a block open. what: what is not possible."""
        if self.block is not None:
            raise TransactionError(
                f"{what} cannot be part of a transaction: do it before or after the block"
            )

    def when_committed(self, call: Callable[[], None]) -> None:
        """Have `call` called now, or if this thread has a block open, once when that has been
        committed; not at all if it is rolled back."""
        if (block := self.block) is None:
            call()
        else:
            block.call_after(call)

    def begin(self) -> None:
        """Open a block in this thread, which is within `writing`. Raises TransactionError."""
        assert self.held
        if self._block is not None:
            raise TransactionError(
                "a transaction is open in this thread already, and transactions are not nested: "
                "join the two blocks"
            )
        self._block = Block(self._sequence)

    def end(self, commit: bool) -> Callable[[], None]:
        """Commit the block of this thread, or roll it back; does nothing if it has ended. What is
        returned is called when the lock is free, and calls whatever waited for the commit. Raises
        like `commit`."""
        block = self._block
        if block is None:
            return lambda: None
        try:
            if commit and block.sequence > block.before:
                block.require_whole()
                first = max(block.before + 1, block.sequence - RING + 1)
                batch = block.overlay.batch()
                batch.update((_ring(n), _u64(n)) for n in range(first, block.sequence + 1))
                self._write(batch, block.sequence)
        finally:
            # An interrupt can come when all is written already; then it counts.
            is_empty = block.sequence == block.before
            if self._sequence != block.sequence or (is_empty and not commit):
                if block.overlay.dropped:  # another one cut short what takes its changes back
                    self._failed = self._failed or StorageError(EIO, "interrupts cut it short")
                block.take_back()
            self._block = None
        return partial(_call_all, block.after if commit else [])

    @property
    def _reader(self) -> Reader:
        if self._block is None or (block := self.block) is None:
            return self._engine
        return Layered(self._engine, block.overlay, block.sequence)

    # -- reading ------------------------------------------------------------------------------

    def get(self, key: bytes) -> bytes | None:
        """See `Reader.get`."""
        return self._reader.get(key)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """See `Reader.get_many`."""
        return self._reader.get_many(keys)

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """See `Reader.range`."""
        return self._reader.range(start, stop, reverse)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        """See `Reader.keys`."""
        return self._reader.keys(start, stop, reverse)

    def first_keys(self, ranges: Sequence[tuple[bytes, bytes]]) -> list[bytes | None]:
        """See `Engine.first_keys`; in a block with what was written there."""
        if self._block is not None and (block := self.block) is not None:
            layered = Layered(self._engine, block.overlay, block.sequence)
            return [next(layered.keys(start, stop), None) for start, stop in ranges]
        return self._engine.first_keys(ranges)

    @property
    def readers(self) -> int:
        """How many snapshots are open."""
        return len(self._snapshots)

    def snapshot(self) -> "StoreSnapshot":
        """Return the present state, in a block with what was written there."""
        if self._block is not None and (block := self.block) is not None:
            return StoreSnapshot(
                self._engine.snapshot(), self._snapshots, block.sequence, block.overlay
            )
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
        joins: bool = False,
    ) -> int:
        """Write `batch` (None deletes) atomically, and return its sequence number.

        `on_sequence` is called with the number just before the write, under the writer's lock; if
        it raises, nothing is written. Keys of the store's own (see above) are not allowed. If this
        thread has a block open, the batch becomes part of it with `joins`; without,
        `TransactionError` is raised.

        Raises `StorageError` (`FullError` for a full disk), after which the store goes on reading
        and refuses to write, with `BrokenError`, until it is opened again; only then is it known
        whether the batch is there, all of it or nothing. Also raises what `writing` does.
        """
        with self.writing:
            if self._begun != self._sequence:
                self.give_up()
            self._require_writable()  # it may have been closed, or have failed, meanwhile
            if self._block is not None and (block := self.block) is not None:
                if not joins:
                    self.require_no_block("this")
                return block.add(batch, on_sequence)
            sequence = self._sequence + 1
            full = {**batch, _ring(sequence): _u64(sequence)}
            if on_sequence is not None:
                on_sequence(sequence)
            self._write(full, sequence)
            return sequence

    def _write(self, batch: dict[bytes, bytes | None], sequence: int) -> None:
        """Commit a batch, with its entries of the ring, under a sequence number."""
        synced = self._synced
        hurried = self.home is None or not getattr(_background, "here", False)
        sync = self.durability == "sync" and hurried
        batch[_SEQUENCE] = _u64(sequence)
        if self._marked_clean:
            batch[_CLEAN] = None
        if synced != self._synced_stored:
            batch[_SYNCED] = _u64(synced)
        try:
            self._begun = sequence
            self._engine.commit(batch, sync=sync)
            self._committed(sequence, synced, sync)
        except GraphMemError as error:
            self._failed, self._failure_told = error, True
            raise
        except BaseException:
            # An interrupt can come when the batch is already written: never reuse its number.
            if self._stored(_SEQUENCE) == sequence:
                self._committed(sequence, synced, sync)
            self._begun = self._sequence
            raise

    def give_up(self) -> None:
        """Raise BrokenError, as every write will from now on: an interrupt came while that of an
        earlier write was handled, so that what this process shows may not be what is stored."""
        self._failed = self._failed or StorageError(EIO, "interrupts cut it short")
        self._require_writable()

    def staged(self, pairs: Iterable[tuple[bytes, bytes | None]]) -> Callable[[], None]:
        """Take distinct keys that no reader looks for yet; what is returned writes them.

        It is called once, by any thread, while this one is within `writing`. Each batch is atomic,
        but a crash of the machine may lose any of them: `flush` comes before the commit that shows
        them. There is no sequence number: LevelDB takes sorted keys most cheaply when nothing else
        is written between them. Both steps raise like `commit`.
        """
        assert self.held
        self.require_no_block("a load")
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

    def compact(self, start: bytes, stop: bytes) -> bool:
        """See `Engine.compact`; writers go on meanwhile. Raises what `writing` does."""
        self._require_writable()
        try:
            return self._engine.compact(start, stop)
        except (StorageError, CorruptError) as error:
            self._failed, self._failure_told = self._failed or error, True
            raise

    def copy(self, engine: Engine, progress: Callable[[int, int], None] | None = None) -> int:
        """Write all of one snapshot into the empty `engine`, synced, as a store that was closed.

        Others go on reading and writing meanwhile. Every value read is verified. `progress` is
        called with the bytes copied and about how many there are. Returns the sequence number of
        the snapshot. Raises `CorruptError`, and like `Engine.commit`.
        """
        copied, batch, size = 0, dict[bytes, bytes | None](), 0
        with self.snapshot() as snapshot:
            about = self.approximate_size(_FIRST, _BEYOND)
            for key, value in content(snapshot):
                batch[key] = freed(value) if key == FORMAT else value
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

    def continue_from(self, reader: Reader, closed_at: int = 0) -> int:
        """Take over the format record of another store, which may be of an older format, and count
        on from its last commit, of which a number must not be given twice.

        closed_at: the sequence number at its last clean close. Returns that of the last commit
        that was found. Raises like `commit`.
        """
        with self.writing:
            ring = (int.from_bytes(value, "big") for _, value in reader.range(_RING, _RING_END))
            last = int.from_bytes(reader.get(_SEQUENCE) or b"", "big")
            found = max(self._sequence, last, *ring)
            sequence = max(found, closed_at)
            numbers = range(max(1, sequence - RING + 1), sequence + 1)
            whole = {_ring(number): _u64(number) for number in numbers}
            record = reader.get(FORMAT)
            kept = {} if record is None else {FORMAT: _raised(record)}
            self._engine.commit({**whole, **kept, _SEQUENCE: _u64(sequence)}, sync=True)
            self._sequence = self._begun = sequence
            return found

    def require(self, feature: str, *, to_read: bool = False) -> None:
        """Enter a feature into the format record, before the first write that uses it.

        A version that does not know the feature then opens the store `read_only`, or with `to_read`
        not at all. Does nothing if it is entered already. Raises like `commit`.
        """
        with self.writing:
            content = json.loads(self._engine.get(FORMAT) or b"{}")
            listed = _listed(content)
            ways = ("read", "write") if to_read else ("write",)
            if all(feature in listed[way] for way in ways):
                return
            for way in ways:
                listed[way] = sorted({*listed[way], feature})
            record = _record(content | {"requires": listed})
            self._engine.commit({FORMAT: record}, sync=True)
            if self._ownership is not None:
                write_meta(self._ownership.folder, record)

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
        with self.writing:
            if self.gap is not None:
                lost = range(self.gap[0], self.gap[1] + 1)
                self._engine.commit({_ring(number): _u64(number) for number in lost}, sync=True)
                self.gap = None

    def close(self) -> None:
        """Put everything on the disk, mark the end as clean, and let go of the folder. Idempotent.

        Then raises the `StorageError` that kept it from syncing, or that a background sync met and
        nobody has been told of. Raises `HeldError` without letting go if a call of another thread
        takes over a minute; then call it again. Does nothing in a forked child.
        """
        if os.getpid() != self._pid:
            return
        with self._lock:
            if self._let_go:
                return
            if not self._closed:
                self._closed = True
                try:
                    self._finish()
                except (GraphMemError, OSError) as error:
                    self._failed = self._ours(error)
            self._engine.close()
            if self._ownership is not None:
                if self._failed is None:
                    self._note_clean()
                self._ownership.release()
            self._let_go = True
            if self._failed is not None and not self._failure_told:
                raise self._failed

    def _finish(self) -> None:
        self._syncer.stop()
        if self.read_only or self._failed is not None:
            return
        self._sync()
        if not self._marked_clean and self.gap is None:
            self._engine.commit({_CLEAN: _u64(self._sequence)}, sync=True)
        if self._ownership is not None:
            migration.finish(self._ownership.folder)

    def _ours(self, error: Exception) -> GraphMemError:
        """An error as one of graphmem."""
        if isinstance(error, OSError) and not isinstance(error, GraphMemError):
            assert self._ownership is not None
            return disk_error(error, self._ownership.folder, "it cannot be closed cleanly")
        assert isinstance(error, GraphMemError)
        return error

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
        if not (self._closed or self.read_only or self._failed) and os.getpid() == self._pid:
            return  # as at each commit, thrice
        self._require_open()
        if self.read_only:
            raise ReadOnlyError("the store was opened with read_only=True: open it to write")
        if self._failed is not None:
            self._failure_told = True
            if isinstance(self._failed, FencedError):
                raise FencedError(EIO, self._failed.strerror, self._failed.filename)
            raise BrokenError(
                EIO,
                f"an earlier write failed ({self._failed}) and writing on could lose data: "
                "put that right, close the store and open it again",
            ) from self._failed

    def _note_clean(self) -> None:
        if self._ownership is not None and not self.read_only:
            try:
                write_clean(self._ownership.folder, self._sequence)
            except (OSError, GraphMemError) as error:
                # What is noted there is still true; it only says less than it could.
                _log.warning("%s could not be written: %s", CLEAN, error)

    def _stored(self, key: bytes) -> int:
        return int.from_bytes(self._engine.get(key) or b"", "big")

    def _committed(self, sequence: int, synced_stored: int, sync: bool) -> None:
        self._sequence = sequence
        self._synced_stored = synced_stored
        self._marked_clean = False
        if sync:
            self._synced = sequence
        elif self.durability != "os" and self._ownership is not None:
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
        self._sequence = self._begun = max(self._sequence, *ring, 0)
        lost = [
            number
            for number in range(max(1, self._sequence - RING + 1), self._sequence + 1)
            if number not in ring
        ]
        if lost:
            self.gap = (lost[0], lost[-1])
            _log.warning(
                "after an unclean end, commits %d to %d are missing although %d is there: "
                "run admin.check()",
                *self.gap,
                self._sequence,
            )


class StoreSnapshot:
    """One state of a store: see `engine.Snapshot`."""

    def __init__(
        self,
        snapshot: Snapshot,
        opened: set[object],
        sequence: int | None,
        overlay: Overlay | None = None,
    ) -> None:
        """Use `Store.snapshot`. overlay: what was written in the block that it is made in."""
        self._snapshot = snapshot
        self.provisional = overlay is not None
        """It sees what may be rolled back: nobody else may be shown what was read from it."""
        self._reader: Reader = snapshot
        if overlay is not None and sequence is not None:
            self._reader = Layered(snapshot, overlay, sequence)
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
        return self._reader.get(key)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """See `Reader.get_many`."""
        return self._reader.get_many(keys)

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """See `Reader.range`."""
        return self._reader.range(start, stop, reverse)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        """See `Reader.keys`."""
        return self._reader.keys(start, stop, reverse)

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


def _call_all(calls: Iterable[Callable[[], None]]) -> None:
    """Make all calls, whatever one of them raises."""
    with ExitStack() as left:
        for call in reversed([*calls]):
            left.callback(call)


def _open_engine(
    ownership: Ownership, kind: engines.Kind, ordered: bool, *, create: bool
) -> Engine:
    ours = ownership.state is State.OURS
    path = ownership.folder / STORE
    try:
        return engines.open_engine(path, kind, create=create and not ours, ordered=ordered)
    except MissingError as error:
        if not ours:
            raise
        raise CorruptError(
            f"{ownership.folder} is a store of ours, but its data in {STORE}/ are gone: "
            "restore a backup"
        ) from error


def _require_all(sequence: int, folder: Path) -> None:
    """Raise `CorruptError` if commits that were there at the last clean close are gone."""
    closed_at = read_clean(folder)
    if sequence < closed_at:
        raise CorruptError(
            f"{folder} was closed cleanly with {closed_at:,} commits, and only {sequence:,} are "
            "there: the end of the record has been lost since. Restore a backup, or run "
            "graphmem admin repair to go on without them"
        )


def _settle_format(engine: Engine, state: State, *, read_only: bool, home: bool = False) -> bytes:
    """Return the format record of a store that this version can read, or migrate; a new one is
    made in an empty store."""
    record = engine.get(FORMAT)
    if record is None:
        if state is State.OURS:
            raise CorruptError("the store's format record is gone: run graphmem admin repair")
        if next(engine.keys(b"", b"\xff" * 9), None) is not None:
            raise NotAStoreError(f"{STORE}/ is a database of somebody else's")
        if read_only:
            raise MissingError(
                ENOENT, "there is no store here: look at the path, or open it to write"
            )
        record = _new_record(home)
        engine.commit({FORMAT: record}, sync=True)
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
    if found < FORMAT_VERSION and found not in MIGRATIONS:
        raise OlderFormatError(
            f"the store has format {found}, written by graphmem {content.get('library')}, which "
            f"this version does not read: export it with that one, and import the file with this"
        )
    if found < FORMAT_VERSION and read_only:
        raise ReadOnlyError(
            f"the store has the older format {found}: open it once without read_only"
        )
    _require_known(content, read_only, home)
    return record


def _raised(record: bytes) -> bytes:
    """A format record of an older version, or of this one, as one of this version."""
    required: dict[str, object] = {"requires": {"read": [], "write": []}}
    return _record(required | json.loads(record) | {"format": FORMAT_VERSION})


def _version(record: bytes) -> int:
    return int(json.loads(record)["format"])


def _listed(content: dict[str, object]) -> dict[str, list[str]]:
    """The features that a format record requires, by "read" and "write". Raises CorruptError."""
    listed = content.get("requires", {})
    ways = {way: listed.get(way, []) if isinstance(listed, dict) else None for way in _WAYS}
    for names in ways.values():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise CorruptError("the store's format record is damaged: restore a backup")
    return {way: list(names) for way, names in ways.items() if names is not None}


def _require_known(content: dict[str, object], read_only: bool, home: bool) -> None:
    """Raise NewerFormatError if a format record requires what this version does not know."""
    listed = _listed(content)
    by = f"written by graphmem {content.get('library')}"
    if unknown := sorted({*listed["read"]} - FEATURES):
        raise NewerFormatError(
            f"the store has {', '.join(unknown)}, {by}, which this version cannot read: install a "
            "newer graphmem"
        )
    if HOMED in listed["write"] and not (home or read_only):
        raise NewerFormatError(
            "the folder is the cache of a memory that has a home: open it by its name with home=, "
            "or with read_only=True"
        )
    if (unknown := sorted({*listed["write"]} - FEATURES - {HOMED})) and not read_only:
        raise NewerFormatError(
            f"the store has {', '.join(unknown)}, {by}, which this version would leave behind if "
            "it wrote: open it with read_only=True, or install a newer graphmem"
        )


def settle_salvaged(engine: Engine, meta: bytes | None) -> None:
    """Make what was salvaged of a store readable by this version.

    `meta` is its meta.json, which has a copy of the format record. Raises `NewerFormatError`, and
    `OlderFormatError` for one that opening it would migrate.
    """
    if engine.get(FORMAT) is None:
        engine.commit({FORMAT: _new_record() if meta is None else meta}, sync=True)
    found = _version(_settle_format(engine, State.OURS, read_only=False))
    if found < FORMAT_VERSION:
        raise OlderFormatError(f"the store has the older format {found}: open it once first")


def _new_record(home: bool = False) -> bytes:
    # Reads zip files and mails, and only a new folder needs it.
    from importlib.metadata import PackageNotFoundError, version

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
            "requires": {"read": [], "write": [HOMED] if home else []},
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
