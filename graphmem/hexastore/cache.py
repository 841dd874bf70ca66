"""The caches of a scope: what was read and decoded, tied to snapshots by sequence numbers.

An entry carries the sequence number of the snapshot that it was read from. It is used only by
readers that are not older, and made only if its key has not been written since that snapshot, so no
reader ever sees a value of another time than its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from lru import LRU

from graphmem.hexastore.keys import Space

Value = TypeVar("Value")
SIZE: Final = 4096  # entries
_SIZES: Final = (
    (Space.STATE, 1),
    (Space.NODE, SIZE),
    (Space.TEXT, SIZE),
    (Space.HEAD, 4 * SIZE),  # small, and a recall reads over a hundred
)
CACHED: Final = frozenset(int(space) for space, _ in _SIZES)
"""The spaces that are cached."""


class Cache(Generic[Value]):
    """Values by key. Reading takes no lock."""

    def __init__(self, size: int = SIZE) -> None:
        self._entries: LRU[bytes, tuple[int, Value]] = LRU(size)
        self._written: LRU[bytes, int] = LRU(size, callback=self._forget_write)
        self._floor = 0  # the newest write that is no longer in `_written`
        self._lock = Lock()

    def get(self, key: bytes, sequence: int) -> Value | None:
        """The value of `key` for a reader at `sequence`, if it is known."""
        entry = self._entries.get(key)
        return entry[1] if entry is not None and entry[0] <= sequence else None

    def get_many(self, keys: Sequence[bytes], sequence: int) -> list[Value | None]:
        """`get` for each of `keys`."""
        entries = map(self._entries.get, keys)
        return [e[1] if e is not None and e[0] <= sequence else None for e in entries]

    def put(self, key: bytes, sequence: int, value: Value) -> None:
        """Keep what a reader at `sequence` read and decoded."""
        self.put_many([(key, value)], sequence)

    def put_many(self, pairs: Iterable[tuple[bytes, Value | None]], sequence: int) -> None:
        """`put` for each of `pairs` but those without a value."""
        with self._lock:
            entries, written, floor = self._entries, self._written.get, self._floor
            for key, value in pairs:
                if value is not None and written(key, floor) <= sequence:
                    entries[key] = (sequence, value)

    def written(self, keys: Iterable[bytes], sequence: int) -> None:
        """Let go of keys that a commit of this number is about to write."""
        with self._lock:
            for key in keys:
                self._written[key] = sequence
                self._entries.pop(key, None)

    def _forget_write(self, key: bytes, sequence: int) -> None:
        self._floor = max(self._floor, sequence)


class Caches:
    """A scope's cache of each space that is worth one."""

    def __init__(self) -> None:
        self._of: list[Cache[Any] | None] = [None] * 256
        for space, size in _SIZES:
            self._of[space] = Cache(size)

    def __getitem__(self, space: Space) -> Cache[Any]:
        cache = self._of[space]
        assert cache is not None
        return cache

    def written(self, keys: Iterable[bytes], sequence: int) -> None:
        """Let go of what a commit of this number is about to write."""
        told: defaultdict[int, list[bytes]] = defaultdict(list)
        for key in keys:
            told[key[4]].append(key)
        for space, mine in told.items():
            if (cache := self._of[space]) is not None:
                cache.written(mine, sequence)
