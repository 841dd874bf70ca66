"""The caches of a scope: what was read and decoded, tied to snapshots by sequence numbers.

An entry is used only by readers that are not older than the snapshot that it was read from, and
made only if its key has not been written since. Misses are not cached.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from lru import LRU

from graphmem.hexastore.keys import Space

Value = TypeVar("Value")
SIZE: Final = 16_384  # entries
CACHED: Final = frozenset(map(int, (Space.STATE, Space.NODE, Space.TEXT, Space.OUT)))
"""The spaces that are cached."""


class Cache(Generic[Value]):
    """Values by node: what a space has under its key. Reading takes no lock."""

    def __init__(self, size: int = SIZE) -> None:
        self._entries: LRU[int, tuple[int, Value]] = LRU(size)
        self._size = size
        self._written: dict[int, int] = {}  # node → its newest write; emptied when it is full
        self._newest = 0  # the newest write
        self._floor = 0  # the newest that is no longer in `_written`
        self._lock = Lock()

    def get(self, node: int, sequence: int) -> Value | None:
        """The value of `node` for a reader at `sequence`, if it is known."""
        entries = self._entries
        if node not in entries:  # which takes, with the line below, a third of what `LRU.get` does
            return None
        try:
            since, value = entries[node]
        except KeyError:  # a writer has let go of it meanwhile
            return None
        return value if since <= sequence else None

    def get_many(self, nodes: Sequence[int], sequence: int) -> list[Value | None]:
        entries = map(self._entries.get, nodes)
        return [e[1] if e is not None and e[0] <= sequence else None for e in entries]

    def put(self, node: int, sequence: int, value: Value) -> None:
        """Keep what a reader at `sequence` read and decoded."""
        with self._lock:
            if self._written.get(node, self._floor) <= sequence:
                self._entries[node] = (sequence, value)

    def put_many(self, values: Mapping[int, Value], sequence: int) -> None:
        with self._lock:
            fresh = {node: (sequence, value) for node, value in values.items()}
            if self._newest > sequence:
                written, floor = self._written.get, self._floor
                fresh = {n: entry for n, entry in fresh.items() if written(n, floor) <= sequence}
            self._entries.update(fresh)

    def written(self, nodes: Collection[int], sequence: int) -> None:
        """Let go of nodes whose keys a commit of this number is about to write."""
        written, entries = self._written, self._entries
        with self._lock:
            if len(written) >= self._size:
                self._floor = self._newest
                written.clear()
            self._newest = sequence
            written.update(dict.fromkeys(nodes, sequence))
            for node in nodes:
                if node in entries:  # a tenth of what `pop` takes
                    del entries[node]


def new_caches() -> dict[int, Cache[Any]]:
    """A scope's cache of each space that is worth one."""
    return {space: Cache() for space in CACHED}
