"""An engine in memory, for tests and for memories that need not last."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from itertools import groupby
from threading import Lock
from typing import Final, NamedTuple

from graphmem.errors import ClosedError
from graphmem.storage.engine import Batch, Engine, Pairs, Snapshot

_RUN = 512
"""Keys in a run, which is cut at twice as many."""


class _State(NamedTuple):
    """The immutable state after a commit: keys with their values, in runs. The next commit replaces
    the runs that it changes."""

    bounds: list[bytes]
    """For each run a lower bound of its keys that is above all keys of the runs before."""
    runs: list[tuple[list[bytes], dict[bytes, bytes]]]
    """The keys of each, in order, and their values."""


_EMPTY: Final = _State([b""], [([], {})])


class InMemoryEngine(Engine):
    """See `engine.Engine`. Nothing is ever on a disk: `sync` and `compact` do nothing."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._closed = False
        self._state = _EMPTY

    def commit(self, batch: Batch, sync: bool = False) -> None:
        changes = [
            (bytes(key), None if (value := batch[key]) is None else bytes(value))
            for key in sorted(batch, reverse=True)
        ]
        with self._lock:
            self._require_open()
            state = _State([*self._state.bounds], [*self._state.runs])
            for at in range(0, len(changes), _RUN):
                _write(state, changes[at : at + _RUN])
            self._state = state

    def snapshot(self) -> "InMemorySnapshot":
        self._require_open()
        return InMemorySnapshot(self, self._state)

    def approximate_size(self, start: bytes, stop: bytes) -> int:
        """See `Engine.approximate_size`; the sum of the lengths of keys and values."""
        return sum(len(key) + len(value) for key, value in self.range(start, stop))

    def compact(self, start: bytes, stop: bytes) -> bool:
        """There are no files."""
        self._require_open()
        return True

    def sync(self) -> None:
        self._require_open()

    def close(self) -> None:
        """See `Engine.close`. What was stored is gone."""
        with self._lock:
            self._closed = True
            self._state = _EMPTY

    def _require_open(self) -> None:
        if self._closed:
            raise ClosedError("the store in memory is closed, and what it held is gone")


def _write(state: _State, changes: Sequence[tuple[bytes, bytes | None]]) -> None:
    """Apply changes, the greatest key first, to a state that nobody reads yet."""
    bounds, runs = state
    for place, several in groupby(changes, lambda pair: bisect_right(bounds, pair[0]) - 1):
        keys, values = runs[place][0].copy(), runs[place][1].copy()
        for key, value in several:
            if value is None:
                if values.pop(key, None) is not None:
                    del keys[bisect_left(keys, key)]
                continue
            if key not in values:
                insort(keys, key)
            values[key] = value
        if len(keys) > 2 * _RUN:
            cut = [keys[at : at + _RUN] for at in range(0, len(keys), _RUN)]
            runs[place : place + 1] = [(some, {key: values[key] for key in some}) for some in cut]
            bounds[place + 1 : place + 1] = [some[0] for some in cut[1:]]
        elif keys or not place:
            runs[place] = keys, values
        else:
            del runs[place], bounds[place]


class InMemorySnapshot(Snapshot):
    """See `engine.Snapshot`."""

    def __init__(self, engine: InMemoryEngine, state: _State) -> None:
        self._engine = engine
        self._state = state
        self._closed = False

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        self._require_open()
        bounds, runs = self._state
        return [runs[bisect_right(bounds, key) - 1][1].get(key) for key in keys]

    def range(self, start: bytes, stop: bytes, reverse: bool = False) -> Pairs:
        self._require_open()
        bounds, runs = self._state
        order = slice(None, None, -1) if reverse else slice(None)
        for place in range(bisect_right(bounds, start) - 1, bisect_left(bounds, stop))[order]:
            keys, values = runs[place]
            for key in keys[bisect_left(keys, start) : bisect_left(keys, stop)][order]:
                self._require_open()
                yield key, values[key]

    def close(self) -> None:
        self._closed = True
        self._state = _EMPTY  # a reference to it would keep data that was deleted since

    def _require_open(self) -> None:
        if self._closed:
            raise ClosedError("the snapshot is closed")
        self._engine._require_open()
