"""The engine of a memory that has a home: a local engine as a cache, and the home as its log.

A commit with `sync` goes to the home first, and to the local engine when the home has it. One
without goes to the local engine, which keeps it in its outbox too, and to a queue; `sync`, which
the store calls within 50 ms, appends the queue as one row. Reads go to the local engine alone.
"""

from __future__ import annotations

import logging
import random
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from errno import EIO
from pathlib import Path
from threading import Lock, RLock, Thread
from typing import Any, Final, TypeAlias

from graphmem.errors import (
    BrokenError,
    ClosedError,
    FencedError,
    GraphMemError,
    MissingError,
    StorageError,
)
from graphmem.storage import engines
from graphmem.storage.engine import Batch
from graphmem.storage.folder import STORE
from graphmem.storage.homes.cache import (
    OUTBOX,
    OUTBOX_END,
    PLACE,
    Copied,
    bring,
    note,
    outbox_key,
    parts,
)
from graphmem.storage.homes.home import KEYS, LEASE, Place, Snapshot, Stay
from graphmem.storage.homes.lease import Lease
from graphmem.storage.homes.packing import Keys, Seal, checksum, packed
from graphmem.storage.homes.sql import SqlHome

SNAPSHOT_BYTES: Final = 1 << 20
"""Bytes of log from which on a snapshot replaces it, if they exceed the last snapshot."""
SNAPSHOT_ROWS: Final = 2000
"""Rows of log after which a snapshot replaces it in any case, since every opening reads them."""
SNAPSHOT_CLOSING: Final = 256 << 10
"""Bytes of log from which on closing makes a snapshot, if they are also a quarter of the last."""
_MOST: Final = 16 << 20  # bytes in the queue from which on a writer waits for the home
_log = logging.getLogger("graphmem.home")


Report: TypeAlias = Callable[[str, float, int, str | None], object]
"""Called after an operation of a home with its name, seconds, bytes or rows, and the error."""


class HomeEngine:
    """See `engine.Engine`."""

    def __init__(
        self,
        home: SqlHome,
        lease: Lease,
        stay: Stay,
        keys: Keys | None,
        folder: Path,
        choice: engines.Choice,
        report: Report,
        *,
        group: bool = True,
    ) -> None:
        """stay: a memory that was taken. folder: an owned one, whose cache is brought up to date.
        group: whether what waits for the home was acknowledged; else it comes from upkeep only.
        Raises FencedError, CorruptError, StorageError, InvalidArgumentError for a missing key."""
        begun = time.monotonic()
        self._home, self._lease, self._folder, self._report = home, lease, folder, report
        self._group = group
        self._seal = seal = Seal(stay.memory, keys)
        self._sent: list[int] = []  # positions in the home that are still in the outbox
        self._appends = self._snapshots = 0
        self._pushing = RLock()  # one append at a time, …
        self._lock = RLock()  # … and the order of what is written here; taken last
        self._snapshotting = Lock()
        self._snapshotter: Thread | None = None
        self._failed: BaseException | None = None
        self._sending: tuple[Place, bytes, int, Batch | None] | None = None
        """The row that the home may have or not; how many of the queue it has, and what it adds."""
        self._no_snapshot: str | None = None  # why the last one could not be put
        self._closed = self._let_go = False

        def look(before: Stay) -> Stay:
            now = home.look(before.name, before.memory)
            if now.epoch != before.epoch:
                raise FencedError(EIO, "another process has taken the memory meanwhile", now.name)
            return now

        cache, stay = bring(folder, choice, home, stay, seal, look)
        try:
            self._cache, self._stay = cache, stay
            self._local = local = cache.engine
            # The last row in the home, and the last that is recorded here.
            self._place = self._written = cache.place
            self._queue = cache.waiting
            self._queued = sum(map(len, cache.waiting))
            self._rows = cache.rows  # of the log
            self.get, self.get_many, self.range = local.get, local.get_many, local.range
            self.keys, self.snapshot = local.keys, local.snapshot
            self.approximate_size = local.approximate_size
            lease.when_lost(stay, self._lost)
            if keys is not None and not stay.position and not stay.generation:
                first = Snapshot(Place(), KEYS, False, seal.next_generation(0))
                home.put_snapshot(stay, first, ())
            seal.drop_before(stay.generation)  # of an erasure that was cut short
            self.sync()
        except BaseException:
            cache.engine.close()
            if cache.waiting and not isinstance(self._failed, FencedError):
                lease.keep(stay)
            raise
        report("home.open", time.monotonic() - begun, cache.rows, None)

    def figures(self) -> dict[str, Any]:
        """Figures for an operator; see docs/home.md."""
        return {
            "name": self._stay.name,
            "owner": self._lease.name,
            "epoch": self._stay.epoch,
            "position": self._place.position,
            "waiting": len(self._queue),
            "renewed": round(self._lease.age, 1),
            "cached": not self._cache.whole,
            "rows_read": self._cache.rows,
            "appends": self._appends,
            "snapshots": self._snapshots,
            "bytes": self._stay.bytes,
            "log_bytes": self._stay.log_bytes,
            "error": None if self._failed is None else str(self._failed),
            "snapshot_error": self._no_snapshot,
        }

    # -- writing ------------------------------------------------------------------------------

    def commit(self, batch: Batch, sync: bool = False) -> None:
        """See `Engine.commit`: with `sync` it returns when the home has it."""
        content = packed(batch)
        if sync:
            with self._pushing, self._lock:
                self._require()
                self._push([content], batch)
            return
        with self._lock:
            self._require()
            key = outbox_key(self._place.position + len(self._queue) + 1)
            try:
                self._queue.append(content)
                self._write_here({**batch, key: content})
            except BaseException:
                if self._local.get(key) is None:
                    self._queue.pop()
                raise
            self._queued += len(content)
        if self._queued > _MOST:
            self.sync()

    def sync(self) -> None:
        """See `Engine.sync`: returns when the home has all that was committed before."""
        with self._pushing:
            self._require()
            if self._queue:
                self._push([], None)

    def resend(self) -> bool:
        """See `HomedEngine.resend`."""
        with self._pushing:
            waits = self._group and self._queue and self._sending is not None
            if not waits or isinstance(self._failed, FencedError):
                return False
            self._push([], None)
            self._failed = None
            self.sync()
        return True

    def _push(self, more: list[bytes], batch: Batch | None) -> None:
        """Append the queue and `more` as one row, then write `batch` here; or repeat the row that
        the home may or may not have. Within `_pushing`. After an error the engine is broken."""
        with self._lock:
            waiting = list(self._queue)
        try:
            stay = self._stay
            if self._sending is None:
                row = _row(stay, self._seal, waiting + more)
                self._sending = *row, len(waiting), batch
            place, content, count, batch = self._sending
            self._home.append(stay, place.position, place.id, content)
            with self._lock:
                self._sending = None
                stay.position, stay.log_bytes = place.position, stay.log_bytes + len(content)
                first = self._place.position + 1
                self._sent += range(first, first + count)
                self._place = place
                del self._queue[:count]
                self._queued = sum(map(len, self._queue))
                if batch is not None:
                    self._write_here(batch)
        except BaseException as error:
            self._failed = error
            self._report("home.failed", 0.0, 0, type(error).__name__)
            raise
        self._appends += 1
        self._rows += 1
        if self._stay.log_bytes > max(SNAPSHOT_BYTES, self._stay.bytes) or (
            self._rows > SNAPSHOT_ROWS
        ):
            self._snapshot_soon()

    def _write_here(self, batch: Batch) -> None:
        """Commit a batch here, and record which rows the home has. Within `_lock`."""
        if (place := self._place) == self._written:
            self._local.commit(batch)
            return
        notes = dict.fromkeys(map(outbox_key, self._sent))
        self._local.commit({**batch, **notes, PLACE: bytes(place)})
        self._written, self._sent = place, []

    def _require(self) -> None:
        if self._closed:
            raise ClosedError("the memory was closed: open it again")
        if (failed := self._failed) is None:
            return
        kind = FencedError if isinstance(failed, FencedError) else BrokenError
        raise kind(EIO, f"an earlier write failed ({failed}): open it again", self._stay.name)

    def _lost(self) -> None:
        """Another process has taken the memory, as the lease learned: this one writes no more."""
        if self._failed is None and not self._closed:
            self._failed = FencedError(
                EIO, "another process has taken the memory, or erased it", self._stay.name
            )
            _log.error("%s", self._failed)
            self._report("home.lost", 0.0, 0, "FencedError")

    # -- snapshots and erasing ------------------------------------------------------------------

    def _snapshot_soon(self) -> None:
        if self._snapshotter is None or not self._snapshotter.is_alive():
            thread = Thread(target=self._snapshot_quietly, name="graphmem-snapshot", daemon=True)
            thread.start()
            self._snapshotter = thread

    def _snapshot_quietly(self) -> None:
        try:
            self._put_snapshot(erases=False)
        except (GraphMemError, OSError) as error:
            # The log stays, and a later append tries again.
            self._no_snapshot = str(error)
            _log.warning("%s: no snapshot: %s", self._stay.name, error)

    def _put_snapshot(self, *, erases: bool) -> None:
        """Put the present state into the home as a snapshot, which shortens its log; one at a time.
        While one erases, nothing is appended, since rows of the old key become unreadable."""
        begun, stay = time.monotonic(), self._stay
        with self._snapshotting, ExitStack() as held:
            held.enter_context(self._pushing)
            with self._lock:  # without writers, so that state and home agree
                self.sync()
                state = self._local.snapshot()
                place, self._rows = self._place, 0
            if not erases:
                held.close()
            with state:
                size = self._local.approximate_size(b"", b"\xff" * 16)
                copied = Copied(state, size, self._cache.kind, self._folder.parent)
                _put(self._home, stay, self._seal, copied, place, erases=erases)
        self._snapshots += 1
        self._no_snapshot = None
        self._report("home.snapshot", time.monotonic() - begun, stay.bytes, None)

    def compact(self, start: bytes, stop: bytes) -> bool:
        """See `Engine.compact`: removes the bytes here and in the rows of the home."""
        self.sync()
        with self._lock:
            self._write_here({})
            position = self._place.position
        done = self._local.compact(OUTBOX, OUTBOX_END) and self._local.compact(start, stop)
        if done and start < stop:
            self._put_snapshot(erases=True)
            with self._snapshotting:  # if not reached, the next opening compacts again
                note(self._folder, self._stay, position)
        return done

    def close(self) -> None:
        """See `Engine.close`. Gives the memory back, or raises StorageError if the home lacks
        acknowledged writes."""
        if self._let_go:
            return
        if self._snapshotter is not None:
            self._snapshotter.join()
        try:
            if self._failed is None and not self._closed:
                self.sync()
                if self._stay.log_bytes > max(SNAPSHOT_CLOSING, self._stay.bytes // 4):
                    self._snapshot_quietly()
                with self._pushing, self._lock:  # a commit comes before, or is refused
                    self.sync()
                    self._write_here({})
                    self._closed = True
        except GraphMemError as error:
            _log.warning("%s: %s", self._stay.name, error)
        finally:
            with self._lock:
                self._closed = True
            self._local.close()  # HeldError asks for another call
            self._let_go = True
            is_fenced = isinstance(self._failed, FencedError)
            if unsent := len(self._queue) if self._group and not is_fenced else 0:
                self._lease.keep(self._stay)
            else:
                self._leave()
        if unsent:
            raise StorageError(
                EIO,
                f"{unsent} writes are not in the home ({self._failed}). They are kept in "
                f"{self._folder}, and sent when the memory is opened again on this machine: do "
                "that before another one goes on without them, which it may do by force, or "
                f"{LEASE:.0f} s after this process has ended or was cut off",
                self._stay.name,
            )

    def _leave(self) -> None:
        try:
            self._lease.leave(self._stay)
            if isinstance(self._failed, FencedError):
                self._home.look(self._stay.name, self._stay.memory)
        except MissingError:
            shutil.rmtree(self._folder / STORE, ignore_errors=True)  # it was erased, so also here
        except GraphMemError as error:
            _log.warning("%s: its lease ends by itself: %s", self._stay.name, error)


def write_all(home: SqlHome, stay: Stay, seal: Seal, copied: Copied) -> None:
    """Replace a taken memory by a store, written as a snapshot; its old state stays valid until the
    snapshot is shown. Raises like `SqlHome.put_snapshot`."""
    # After the end of the log, so that no cache of the old state matches.
    place = Place(stay.position + 1, stay.epoch, random.SystemRandom().getrandbits(63))
    _put(home, stay, seal, copied, place, erases=True)


def _put(
    home: SqlHome, stay: Stay, seal: Seal, copied: Copied, place: Place, *, erases: bool
) -> None:
    """Put a snapshot; with `erases` under a new key, after which the old keys are destroyed. Raises
    like `SqlHome.put_snapshot`."""
    made, generation = stay.made, stay.generation
    if erases:
        generation = seal.next_generation(generation)
    form, pieces = parts(copied, seal, place.position, generation)
    try:
        home.put_snapshot(stay, Snapshot(place, form, erases, generation), pieces)
    finally:
        if erases and stay.made != made:  # it is shown, even if an error followed
            seal.drop_before(generation)


def _row(stay: Stay, seal: Seal, batches: Sequence[bytes]) -> tuple[Place, bytes]:
    """The row of batches at the end of a memory's log, with an id that no other content or writer
    has."""
    last = stay.position + len(batches)
    content = seal.closed("row", last, 0, b"".join(batches), stay.generation)
    id = random.SystemRandom().getrandbits(31) << 32 | checksum(content)
    return Place(last, stay.epoch, id), content
