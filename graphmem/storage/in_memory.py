"""An engine in memory, for tests and for memories that need not last. Nothing survives it."""

from bisect import bisect_left, bisect_right, insort
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import TypeAlias

from graphmem.errors import ClosedError
from graphmem.storage.engine import Batch, Engine, Snapshot

_Version: TypeAlias = tuple[int, bytes | None]

_PAGE = 256
"""Keys that a range takes at a time; between two pages writers go on."""
_RUN = 512
"""Keys in a run of the sorted list, which is cut in two at twice as many."""


class InMemoryEngine(Engine):
    """See `engine.Engine`. Nothing is ever on a disk: `sync` and `compact` do nothing.

    A key has a list of versions (commit, value), oldest first; a snapshot is the number of a
    commit. Versions that no live snapshot can see are dropped by later commits.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._closed = False
        self._commit = 0
        self._keys = _SortedKeys()
        self._versions: dict[bytes, list[_Version]] = {}
        self._layered: set[bytes] = set()
        """Keys with more than one version, or with none but a deletion."""
        self._live: Counter[int] = Counter()
        self._released: deque[int] = deque()
        """Commits whose snapshots were closed, perhaps by the garbage collector: so no lock."""

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        return self._read(keys)

    def commit(self, batch: Batch, sync: bool = False) -> None:
        copies = {bytes(key): None if v is None else bytes(v) for key, v in batch.items()}
        with self._lock:
            self._require_open()
            self._collect()
            commit = self._commit + 1
            newest_live = max(self._live, default=-1)
            for key, value in copies.items():
                self._put(key, (commit, value), newest_live)
            self._commit = commit

    def snapshot(self) -> "InMemorySnapshot":
        with self._lock:
            self._require_open()
            self._live[self._commit] += 1
            return InMemorySnapshot(self, self._commit)

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
            self._keys = _SortedKeys()
            self._versions = {}

    def _require_open(self) -> None:
        if self._closed:
            raise ClosedError("the store in memory is closed, and what it held is gone")

    def _read(self, keys: Sequence[bytes], commit: int | None = None) -> list[bytes | None]:
        with self._lock:
            self._require_open()
            return [self._seen(key, self._commit if commit is None else commit) for key in keys]

    def _seen(self, key: bytes, commit: int) -> bytes | None:
        for written, value in reversed(self._versions.get(key, ())):
            if written <= commit:
                return value
        return None

    def _page(
        self, start: bytes, stop: bytes, reverse: bool, commit: int
    ) -> tuple[list[tuple[bytes, bytes]], bytes | None]:
        """Return the next pairs of a range, and the key where it goes on, None at its end."""
        with self._lock:
            self._require_open()
            every = self._keys.descending if reverse else self._keys.ascending
            keys = list(islice(every(start, stop), _PAGE))
            pairs = [(key, value) for key in keys if (value := self._seen(key, commit)) is not None]
            if len(keys) < _PAGE:
                return pairs, None
            return pairs, keys[-1] if reverse else keys[-1] + b"\0"

    def _put(self, key: bytes, version: _Version, newest_live: int) -> None:
        versions = self._versions.get(key)
        if versions is None:
            if version[1] is not None:
                self._versions[key] = [version]
                self._keys.add(key)
            return
        if versions[-1][0] > newest_live:
            versions.pop()
        versions.append(version)
        if len(versions) > 1 or version[1] is None:
            self._layered.add(key)

    def _collect(self) -> None:
        """Drop the versions that no live snapshot sees any more."""
        closed = False
        while self._released:
            commit = self._released.popleft()
            self._live[commit] -= 1
            if not self._live[commit]:
                del self._live[commit]
                closed = True
        if self._live and not closed:
            return
        seen_by = [*self._live, self._commit]
        for key in list(self._layered):
            versions = self._versions[key]
            kept = {_index_seen(versions, commit) for commit in seen_by}
            versions[:] = [version for i, version in enumerate(versions) if i in kept]
            if len(versions) == 1:
                self._layered.discard(key)
                if versions[0][1] is None:
                    self._keys.remove(key)
                    del self._versions[key]


class InMemorySnapshot(Snapshot):
    """See `engine.Snapshot`."""

    def __init__(self, engine: InMemoryEngine, commit: int) -> None:
        self._engine = engine
        self._commit = commit
        self._closed = False

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        self._require_open()
        return self._engine._read(keys, self._commit)

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        while True:
            self._require_open()
            pairs, onward = self._engine._page(start, stop, reverse, self._commit)
            for pair in pairs:
                self._require_open()
                yield pair
            if onward is None:
                return
            start, stop = (start, onward) if reverse else (onward, stop)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._engine._released.append(self._commit)

    def __del__(self) -> None:
        self.close()

    def _require_open(self) -> None:
        if self._closed:
            raise ClosedError("the snapshot is closed")
        self._engine._require_open()


def _index_seen(versions: list[_Version], commit: int) -> int:
    """Return the index of the version that a reader of `commit` sees, -1 for none."""
    return max((i for i, (written, _) in enumerate(versions) if written <= commit), default=-1)


class _SortedKeys:
    """Keys in order, in runs, so that a key that comes or goes moves a few hundred others only."""

    def __init__(self) -> None:
        self._runs: list[list[bytes]] = [[]]
        self._bounds = [b""]
        """For each run a key that is not above its own and above all of the runs before it."""

    def add(self, key: bytes) -> None:
        """Put in a key that is not there."""
        place = self._place(key)
        run = self._runs[place]
        insort(run, key)
        if len(run) > 2 * _RUN:
            self._runs[place : place + 1] = [run[:_RUN], run[_RUN:]]
            self._bounds.insert(place + 1, run[_RUN])

    def remove(self, key: bytes) -> None:
        """Take out a key that is there."""
        place = self._place(key)
        run = self._runs[place]
        del run[bisect_left(run, key)]
        if not run and place:
            del self._runs[place], self._bounds[place]

    def ascending(self, start: bytes, stop: bytes) -> Iterator[bytes]:
        """The keys with start ≤ key < stop; use it up before anything changes."""
        place = self._place(start)
        low = bisect_left(self._runs[place], start)
        while place < len(self._runs) and self._bounds[place] < stop:
            run = self._runs[place]
            yield from run[low : bisect_left(run, stop)]
            low = 0
            place += 1

    def descending(self, start: bytes, stop: bytes) -> Iterator[bytes]:
        """The same keys, the greatest first."""
        place = self._place(stop)
        high = bisect_left(self._runs[place], stop)
        while place >= 0:
            run = self._runs[place]
            yield from reversed(run[bisect_left(run, start) : high])
            if self._bounds[place] <= start:
                return
            place -= 1
            high = len(self._runs[place])

    def _place(self, key: bytes) -> int:
        """The run that has the key, or would have it."""
        return bisect_right(self._bounds, key) - 1
