"""Blocks: the commits of one thread that become one commit, or none.

While a block is open its thread holds the writer's lock. Its batches, each with a sequence number
of its own, are kept in memory above the last commit, where only that thread reads them.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from threading import get_ident
from typing import Any, Final

from graphmem.errors import CapacityError, TransactionError
from graphmem.storage.engine import Pairs, Reader

MOST_BYTES: Final = 64 << 20
"""Keys and values that a block may hold in memory."""
_FEW: Final = 64  # keys that are inserted one by one into the sorted ones


class OrderedKeys:
    """The keys of a dict in order. Keys are never removed from it, so only those added since the
    last call are merged into the sorted ones."""

    def __init__(self, of: dict[bytes, Any]) -> None:
        self._of = of
        self._known: list[bytes] = []

    def between(self, start: bytes, stop: bytes) -> list[bytes]:
        """Those in [start, stop), ascending."""
        known = self._known
        if (added_count := len(self._of) - len(known)) > 0:
            added = list(islice(reversed(self._of), added_count))
            if added_count < min(_FEW, len(known)):
                for key in added:
                    insort(known, key)
            else:
                known.extend(added)
                known.sort()
        return known[bisect_left(known, start) : bisect_left(known, stop)]


def merged(below: Pairs, own: Sequence[tuple[bytes, bytes | None]], reverse: bool) -> Pairs:
    """A range with changes on top of it, in its order: keys with their values, or None."""
    position = 0
    for key, value in below:
        while position < len(own) and (
            own[position][0] > key if reverse else own[position][0] < key
        ):
            if (changed := own[position][1]) is not None:
                yield own[position][0], changed
            position += 1
        if position == len(own) or own[position][0] != key:
            yield key, value
    for key, changed in own[position:]:
        if changed is not None:
            yield key, changed


class Overlay:
    """Batches on top of an engine, in ascending numbers. Keys are added, never removed."""

    def __init__(self) -> None:
        self.size = 0  # bytes
        self.dropped = False
        """It was rolled back: nothing may be read any more."""
        self._versions: dict[bytes, list[tuple[int, bytes | None]]] = {}
        self._keys = OrderedKeys(self._versions)

    def add(self, batch: Mapping[bytes, bytes | None], number: int) -> None:
        versions = self._versions
        for key, value in batch.items():
            versions.setdefault(key, []).append((number, value))
            self.size += len(key) + len(value or b"")

    def get(self, key: bytes, number: int) -> tuple[bytes | None] | None:
        """The value of a key in the batches up to `number`, as a tuple of one: (None,) if they
        delete it; None if they do not write it. Raises TransactionError after a rollback."""
        if self.dropped:
            raise TransactionError(
                "the transaction in which this was read has been rolled back: read it again"
            )
        for when, value in reversed(self._versions.get(key, ())):
            if when <= number:
                return (value,)
        return None

    def between(self, start: bytes, stop: bytes, number: int) -> list[tuple[bytes, bytes | None]]:
        """The keys in [start, stop) that the batches write, ascending, with their values."""
        known = self._keys.between(start, stop)
        return [(key, *found) for key in known if (found := self.get(key, number)) is not None]

    def cut(self, number: int) -> None:
        """Remove the batches above `number`."""
        for key, versions in self._versions.items():
            while versions and versions[-1][0] > number:
                self.size -= len(key) + len(versions.pop()[1] or b"")

    def batch(self) -> dict[bytes, bytes | None]:
        return {key: versions[-1][1] for key, versions in self._versions.items() if versions}


class Layered(Reader):
    """A reader of an engine, with the batches of an overlay up to a number on top."""

    def __init__(self, below: Reader, overlay: Overlay, number: int) -> None:
        self._below = below
        self._overlay = overlay
        self._number = number

    def get(self, key: bytes) -> bytes | None:
        found = self._overlay.get(key, self._number)
        return self._below.get(key) if found is None else found[0]

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        return [self.get(key) for key in keys]

    def range(self, start: bytes, stop: bytes, reverse: bool = False) -> Pairs:
        own = self._overlay.between(start, stop, self._number)
        if reverse:
            own.reverse()
        yield from merged(self._below.range(start, stop, reverse), own, reverse)


class Block:
    """An open block: its batches, and the callbacks for its end."""

    def __init__(self, sequence: int) -> None:
        """sequence: of the last commit before it."""
        self.before = sequence
        self.sequence = sequence
        """Of its last batch."""
        self.overlay = Overlay()
        self.undo: list[Callable[[], None]] = []
        """Take back its changes in memory; called last to first."""
        self.after: list[Callable[[], None]] = []
        """Called when it has been committed and the lock is free."""
        self._broken = False
        self._calls = 0  # under way
        self._thread = get_ident()
        self._task = _task()

    def is_mine(self) -> bool:
        """Whether it belongs to this thread, and where that runs tasks, to this task."""
        return self._thread == get_ident() and self._task is _task()

    def require_mine(self) -> None:
        """Raise TransactionError in another task of its thread, which the lock does not keep
        out."""
        if self._thread == get_ident() and self._task is not _task():
            raise TransactionError(
                "another task of this thread has a transaction open: a transaction must not await; "
                "run the whole of it in a thread, with asyncio.to_thread"
            )

    def add(
        self, batch: Mapping[bytes, bytes | None], on_sequence: Callable[[int], None] | None
    ) -> int:
        """Add a batch on top; returns its sequence number. Raises CapacityError, and then adds
        nothing."""
        size = sum(len(key) + len(value or b"") for key, value in batch.items())
        if self.overlay.size + size > MOST_BYTES:
            raise CapacityError(
                f"a transaction holds up to {MOST_BYTES >> 20} MiB in memory, and this one would "
                "need more: write in several transactions"
            )
        sequence = self.sequence + 1
        if on_sequence is not None:
            on_sequence(sequence)
        try:
            self.overlay.add(batch, sequence)
        except BaseException:  # an interrupt: part of it may be in
            self._broken = True
            raise
        self.sequence = sequence
        return sequence

    def require_whole(self) -> None:
        """Raise TransactionError if an interrupt cut one of its commits short."""
        if self._broken or self._calls:
            raise TransactionError(
                "an interrupt cut a write of this transaction short: all of it was rolled back"
            )

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Writes within are kept in the block if the `with` body ends, and dropped if it raises.
        Their sequence numbers are not reused."""
        self._calls += 1
        sequence, undo, after = self.sequence, len(self.undo), len(self.after)
        try:
            yield
        except BaseException:
            self.overlay.cut(sequence)
            self._undo_to(undo)
            del self.after[after:]
            self._calls -= 1
            raise
        self._calls -= 1

    def take_back(self) -> None:
        """Undo its changes in memory."""
        self.overlay.dropped = True
        self._undo_to(0)

    def _undo_to(self, count: int) -> None:
        while len(self.undo) > count:
            self.undo.pop()()


def _task() -> object | None:
    """The task that runs, None outside one."""
    task: object | None = None
    if (asyncio := sys.modules.get("asyncio")) is not None:
        with suppress(RuntimeError):  # no loop runs in this thread
            task = asyncio.current_task()
    return task
