"""The store: combines engine, ownership, sequence, snapshots, durability and format.

Keys of the rooms above begin with a scope (u32, big-endian); in scope 0 the store has keys of its
own, from byte F0 on: see docs/format.md.
"""

import _thread
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from errno import EIO
from functools import partial
from pathlib import Path
from threading import local
from typing import Final, Literal, Self, TypeAlias, get_args

from graphmem.errors import (
    ClosedError,
    CorruptError,
    FencedError,
    GraphMemError,
    MissingError,
    ReadOnlyError,
    StorageError,
    TransactionError,
)
from graphmem.storage import commit_keys, engines, format_record, migration
from graphmem.storage.block import Block, Layered, Overlay
from graphmem.storage.encoding import u64
from graphmem.storage.engine import Engine, HomedEngine, Pairs, Reader, Snapshot
from graphmem.storage.failures import broken, forked
from graphmem.storage.folder import CLEAN, STORE, State, read_clean, write_clean, write_meta
from graphmem.storage.format_record import FORMAT, FORMAT_VERSION
from graphmem.storage.in_memory import InMemoryEngine
from graphmem.storage.ownership import Ownership, disk_error
from graphmem.storage.registry import HOMED, MIGRATIONS
from graphmem.storage.syncer import Syncer

Durability: TypeAlias = Literal["sync", "group", "os"]

_PAUSE: Final = 1e-4  # seconds between two pieces of background work
_REST: Final = 3.0  # pause while snapshots are open, as a multiple of the work's duration

_log = logging.getLogger("graphmem.storage")
_report_sync = partial(_log.error, "the background sync failed; the next commit raises: %s")
_background = local()


@contextmanager
def in_background() -> Iterator[None]:
    """Within it, commits of this thread do not wait for a home: no caller relies on them."""
    _background.here = True
    try:
        yield
    finally:
        _background.here = False


class WriterLock(_thread.RLock):  # type: ignore[misc]  # final to mypy alone
    """The writer's lock. Written in C, so that an interrupt never leaves it held."""

    @property
    def held(self) -> bool:
        return bool(self._is_owned())  # type: ignore[attr-defined]


class StoreSnapshot:
    """One state of a store: see `engine.Snapshot`."""

    def __init__(
        self,
        snapshot: Snapshot,
        opened: set[object],
        sequence: int | None,
        overlay: Overlay | None = None,
    ) -> None:
        """Use `Store.snapshot`. overlay: the writes of the block in which it is made."""
        self._snapshot = snapshot
        self.provisional = overlay is not None
        """It sees writes that may be rolled back, so nothing read from it may be shared."""
        reader: Reader = snapshot
        if overlay is not None and sequence is not None:
            reader = Layered(snapshot, overlay, sequence)
        self.get, self.get_many, self.range = reader.get, reader.get_many, reader.range
        self.keys = reader.keys
        self._opened = opened
        self._token = object()
        opened.add(self._token)
        self._sequence = sequence

    @property
    def sequence(self) -> int:
        """The number of the last commit that the snapshot sees."""
        if self._sequence is None:
            self._sequence = commit_keys.last(self._snapshot)
        return self._sequence

    def close(self) -> None:
        self._snapshot.close()
        self._opened.discard(self._token)

    def __del__(self) -> None:
        self._opened.discard(self._token)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Store:
    """An open store; as a `Reader` it reads the latest commit. Any number of threads may read;
    writers take turns. Every method raises `ClosedError` after `close`, and `ForkedError` in a
    forked child."""

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
        """The kind of its engine; None for a store in memory."""
        self.home: HomedEngine | None = None
        """Its engine if it has a home."""
        self.gap: tuple[int, int] | None = None
        """First and last of the commits lost by an unclean end although a later one survived."""
        self._engine = engine
        self._ownership = ownership
        self._pid = os.getpid()
        self._lock = WriterLock()
        self._block: Block | None = None  # of the thread that holds the lock
        self._syncer = Syncer(self._sync, _report_sync)
        self._snapshots: set[object] = set()  # of those that are open, a token each
        self._required: set[tuple[str, bool]] = set()  # features that were entered, see `require`
        self._closed = False
        self._let_go = False
        self._failed: Exception | None = None
        self._failure_raised = False
        self._sequence = commit_keys.last(engine)  # of the last commit that is done, …
        self._begun = self._sequence  # … and of the last that was begun
        self._synced = self._synced_stored = commit_keys.synced(engine)
        self._marked_clean = engine.get(commit_keys.CLEAN_MARK) is not None
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

        With `create`, a missing folder is made (not its parents) and an empty one is filled.
        `read_only` refuses commits, yet LevelDB writes to its folder when it opens it;
        LMDB does not where the folder cannot be written to.
        `durability`: what an acknowledged commit survives besides the death of the process: "sync"
        a crash of the machine; "group" too, except for the last 50 ms; "os" as the system decides.
        `engine`: of a new folder. `make_engine` makes the engine of a memory with a home, in the
        owned folder, or for None anywhere.

        Raises kinds of `OpenError`, `CorruptError` (also if commits are gone that were there
        when it was last closed), `StorageError`, `ReadOnlyError` for an older format that would
        have to be migrated, and `ForkedError` in a process forked from one that had opened a folder
        before.
        """
        if durability not in get_args(Durability):
            raise ValueError(f"durability is one of {get_args(Durability)}, not {durability!r}")
        if path is None and make_engine is None:
            memory = InMemoryEngine()
            format_record.ensure(memory, State.EMPTY, read_only=False)
            return cls(memory, None, read_only=read_only, durability=durability)
        if make_engine is not None:
            return cls._with_home(path, make_engine, read_only, durability, engine)
        assert path is not None
        store_folder = Path(os.path.realpath(path)) / STORE
        kind = engines.chosen(store_folder, engine)
        engines.require_usable(path, kind)
        reads = read_only and kind == "lmdb"
        ownership = Ownership.take(path, create=create and not read_only, reads=reads)
        opened: Engine | None = None
        try:
            migration.finish_swap(ownership.folder)
            kind = engines.chosen(ownership.folder / STORE, engine)
            open_it = partial(_open_engine, ownership, kind, durability != "os", reads)
            opened = open_it(create=create and not read_only)
            record = format_record.ensure(opened, ownership.state, read_only=read_only)
            if (found := format_record.version_of(record)) < FORMAT_VERSION:
                what = f"has format {found} and is written anew in format {FORMAT_VERSION}"
                migration.announce(ownership.folder, what)
                migration.write(ownership.folder, partial(cls._written_anew, opened, kind, found))
                opened.close()
                migration.swap(ownership.folder, found)
                opened = open_it(create=False)
                record = format_record.ensure(opened, ownership.state, read_only=read_only)
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
        with ExitStack() as undo:
            if ownership is not None:
                undo.callback(ownership.release)
            opened = make_engine(folder, engine)
            undo.callback(opened.close)
            record = format_record.ensure(opened, State.UNFINISHED, read_only=read_only, home=True)
            if folder is not None:
                write_meta(folder, record)
            store = cls(opened, ownership, read_only=read_only, durability=durability)
            store.home = opened
            store.engine = None if folder is None else engines.kind_of(folder / STORE)
            if not read_only:
                store.require(HOMED)  # of one that was adopted
            undo.pop_all()
            return store

    @classmethod
    def _written_anew(cls, old: Engine, kind: engines.Kind, found: int, path: Path) -> None:
        """Make a store in the empty folder `path` of one of format `found`."""
        with cls.open(path, durability="os", engine=kind) as new:
            MIGRATIONS[found](old, new)
            new.continue_from(old)

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
    def writing(self) -> WriterLock:
        """The writer's lock, for `with`: what is read inside is what a commit inside builds on.
        Re-entrant. Raises `ReadOnlyError`, `BrokenError` after a failed write, and
        `TransactionError` in a task of a thread where another task has a block open."""
        if (block := self._block) is not None:  # read once: another thread may end its block
            block.require_mine()
        # Here, not when it is entered: in a forked child a thread that is not there may hold it.
        self._require_writable()
        return self._lock

    @property
    def held(self) -> bool:
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
        elif call not in block.after:
            block.after.append(call)

    def whole(self) -> AbstractContextManager[None]:
        """For a `with` body of several commits: if this thread has a block open and the body
        raises, none of them stays in the block."""
        return nullcontext() if (block := self.block) is None else block.whole()

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
        """Commit the block of this thread, or roll it back; does nothing if it has ended. Returns a
        function that makes the calls of `when_committed`, for after the lock is released. Raises
        like `commit`."""
        block = self._block
        if block is None:
            return lambda: None
        try:
            if commit and block.sequence > block.before:
                block.require_whole()
                batch = block.overlay.batch()
                batch.update(commit_keys.entries(block.before + 1, block.sequence))
                self._write(batch, block.sequence)
        finally:
            # If an interrupt came after the write, the block counts as committed.
            is_empty = block.sequence == block.before
            if self._sequence != block.sequence or (is_empty and not commit):
                if block.overlay.dropped:  # another interrupt cut the undoing short
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
        return self._reader.get(key)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        return self._reader.get_many(keys)

    def range(self, start: bytes, stop: bytes, reverse: bool = False) -> Pairs:
        return self._reader.range(start, stop, reverse)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        return self._reader.keys(start, stop, reverse)

    @property
    def readers(self) -> int:
        """How many snapshots are open."""
        return len(self._snapshots)

    def snapshot(self) -> StoreSnapshot:
        """Return the present state, in a block including its writes."""
        if self._block is not None and (block := self.block) is not None:
            return StoreSnapshot(
                self._engine.snapshot(), self._snapshots, block.sequence, block.overlay
            )
        done = self._sequence
        snapshot = self._engine.snapshot()
        # A commit begun by now and not done before may be in it or not.
        known = done if self._begun == done else None
        return StoreSnapshot(snapshot, self._snapshots, known)

    def stand_back(self, seconds: float) -> None:
        """Pause after `seconds` of background work: for other writers, and longer while a snapshot
        is open, since Python runs one thread at a time and readers had to wait."""
        time.sleep(_REST * seconds if self._snapshots else _PAUSE)

    def commit(
        self,
        batch: dict[bytes, bytes | None],
        *,
        on_sequence: Callable[[int], None] | None = None,
        joins: bool = False,
    ) -> int:
        """Write `batch` (None deletes) atomically, and return its sequence number.

        `on_sequence` is called with the number just before the write; if it raises, nothing is
        written. If this thread has a block open, the batch becomes part of it with `joins`;
        without, `TransactionError` is raised. Raises `StorageError` (`FullError`), after which the
        store is broken as in `Engine.commit`, and what `writing` does.
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
            full = {**batch, commit_keys.ring_key(sequence): u64(sequence)}
            if on_sequence is not None:
                on_sequence(sequence)
            self._write(full, sequence)
            return sequence

    def _write(self, batch: dict[bytes, bytes | None], sequence: int) -> None:
        """Commit a batch, with its entries of the ring, under a sequence number."""
        synced = self._synced
        hurried = self.home is None or not getattr(_background, "here", False)
        sync = self.durability == "sync" and hurried
        batch[commit_keys.SEQUENCE] = u64(sequence)
        if self._marked_clean:
            batch[commit_keys.CLEAN_MARK] = None
        if synced != self._synced_stored:
            batch[commit_keys.SYNCED] = u64(synced)
        try:
            self._begun = sequence
            self._engine.commit(batch, sync=sync)
            self._committed(sequence, synced, sync)
        except GraphMemError as error:
            self._failed, self._failure_raised = error, True
            raise
        except BaseException:
            # If an interrupt came after the write, never reuse the number.
            if commit_keys.last(self._engine) == sequence:
                self._committed(sequence, synced, sync)
            self._begun = self._sequence
            raise

    def give_up(self) -> None:
        """Raise BrokenError, as every write will from now on: an interrupt came while an
        interrupted write was handled, so that memory and disk may disagree."""
        self._failed = self._failed or StorageError(EIO, "interrupts cut it short")
        self._require_writable()

    def approximate_size(self, start: bytes, stop: bytes) -> int:
        return self._engine.approximate_size(start, stop)

    def compact(self, start: bytes, stop: bytes) -> bool:
        """See `Engine.compact`; writers go on meanwhile. Raises what `writing` does."""
        self._require_writable()
        try:
            return self._engine.compact(start, stop)
        except (StorageError, CorruptError) as error:
            self._failed, self._failure_raised = self._failed or error, True
            raise

    def continue_from(self, reader: Reader, closed_at: int = 0) -> int:
        """Take over the format record of another store, which may be of an older format, and
        continue its numbers; returns that of its last commit. closed_at: that at its last clean
        close. Raises like `commit`."""
        with self.writing:
            found = max(self._sequence, *commit_keys.in_ring(reader), 0)
            with suppress(CorruptError):  # which a repair reports
                found = max(found, commit_keys.last(reader))
            last = max(found, closed_at)
            record = reader.get(FORMAT)
            kept = {} if record is None else {FORMAT: format_record.raised(record)}
            numbers = {**commit_keys.entries(1, last), **kept, commit_keys.SEQUENCE: u64(last)}
            self._engine.commit(numbers, sync=True)
            self._sequence = self._begun = last
            return found

    def require(self, feature: str, *, to_read: bool = False) -> None:
        """Add a feature to the format record, before the first write that uses it: a version that
        does not know it then opens the store `read_only`, or with `to_read` not at all. Raises
        like `commit`."""
        if (feature, to_read) in self._required:
            return
        with self.writing:
            record = format_record.requiring(self._engine.get(FORMAT) or b"{}", feature, to_read)
            if record is not None:
                self._engine.commit({FORMAT: record}, sync=True)
                if self._ownership is not None:
                    write_meta(self._ownership.folder, record)
        self._required.add((feature, to_read))

    def flush(self) -> None:
        """Return when all that was committed before is on the disk. Raises like `commit`."""
        self._require_open()
        if not self.read_only:
            self._require_writable()
            try:
                self._sync()
            except GraphMemError:
                self._failure_raised = True
                raise

    def close(self) -> None:
        """Sync everything, mark the end as clean, and release the folder. Idempotent. Raises the
        `StorageError` of a failed sync, of an earlier write if no call has raised it yet, or of a
        home that lacks acknowledged writes; `HeldError`, and keeps the folder, if a call of another
        thread takes over a minute. Does nothing in a forked child."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            if self._let_go:
                return
            if not self._closed:
                self._closed = True
                try:
                    self._finish()
                except GraphMemError as error:
                    self._failed, self._failure_raised = error, False
                except OSError as error:
                    assert self.folder is not None
                    self._failed = disk_error(error, self.folder, "it cannot be closed cleanly")
            try:
                self._engine.close()
            except StorageError as error:
                self._failed, self._failure_raised = error, False
            if self._ownership is not None:
                if self._failed is None:
                    self._note_clean()
                self._ownership.release()
            self._let_go = True
            if self._failed is not None and not self._failure_raised:
                raise self._failed

    def _finish(self) -> None:
        self._syncer.stop()
        if self.read_only:
            return
        if self.home is not None and self.home.resend():
            self._failure_raised = True  # nothing is missing any more
        if self._failed is not None:
            return
        self._sync()
        if not self._marked_clean and self.gap is None:
            self._engine.commit({commit_keys.CLEAN_MARK: u64(self._sequence)}, sync=True)
        if self._ownership is not None:
            migration.finish(self._ownership.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _require_open(self) -> None:
        if os.getpid() != self._pid:
            raise forked(str(self.folder or "memory"))
        if self._closed:
            raise ClosedError("the store is closed: open it again")

    def _require_writable(self) -> None:
        if not (self._closed or self.read_only or self._failed) and os.getpid() == self._pid:
            return  # the fast path of every commit
        self._require_open()
        if self.read_only:
            what = self.folder or "the store in memory"
            if self.home is not None:
                what = f"{self.home.figures()['name']!r} of a home is followed, or"
            raise ReadOnlyError(f"{what} was opened with read_only=True: open it to write")
        if self._failed is not None:
            self._failure_raised = True
            if isinstance(self._failed, FencedError):
                raise FencedError(EIO, self._failed.strerror, self._failed.filename)
            raise broken(self._failed) from self._failed

    def _note_clean(self) -> None:
        if self._ownership is not None and not self.read_only:
            try:
                write_clean(self._ownership.folder, self._sequence)
            except (OSError, GraphMemError) as error:
                # The old record is still true, only not the latest.
                _log.warning("%s could not be written: %s", CLEAN, error)

    def _committed(self, sequence: int, synced_stored: int, sync: bool) -> None:
        self._sequence = sequence
        self._synced_stored = synced_stored
        self._marked_clean = False
        if sync:
            self._synced = sequence
        elif self.durability != "os" and self._ownership is not None:
            self._syncer.want()
            # Beyond that the ring could not show a gap among unsynced commits.
            if sequence - self._synced >= commit_keys.RING - 1:
                self._sync()

    def _sync(self) -> None:
        if self._failed is not None:
            return  # the failure was or will be raised; nothing can be saved
        covered = self._sequence
        try:
            self._engine.sync()
        except Exception as error:
            self._failed = error
            raise
        self._synced = max(self._synced, covered)

    def _look_for_gap(self) -> None:
        ring = commit_keys.in_ring(self._engine)
        # The ring is ahead only in a damaged store. A number must never be used twice.
        self._sequence = self._begun = max(self._sequence, *ring, 0)
        lost = [
            number for number in commit_keys.remembered(1, self._sequence) if number not in ring
        ]
        if lost:
            self.gap = (lost[0], lost[-1])
            _log.warning(
                "after an unclean end, commits %d to %d are missing although %d is there: "
                "run admin.check()",
                *self.gap,
                self._sequence,
            )


def _call_all(calls: Iterable[Callable[[], None]]) -> None:
    """Make all calls, even if one of them raises."""
    with ExitStack() as left:
        for call in reversed([*calls]):
            left.callback(call)


def _open_engine(
    ownership: Ownership, kind: engines.Kind, ordered: bool, reads: bool, *, create: bool
) -> Engine:
    made = create and ownership.state is not State.OURS
    path = ownership.folder / STORE
    try:
        return engines.open_engine(path, kind, create=made, ordered=ordered, reads=reads)
    except MissingError as error:
        if ownership.state is not State.OURS:
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
