"""The caches of a scope: decoded values, tied to snapshots by sequence numbers.

An entry serves only readers that are not older than the snapshot from which it was read, and is
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
    """Node → the decoded value of its key in one space. Reading takes no lock."""

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
        if node not in entries:  # with the line below, a third of the time of `LRU.get`
            return None
        try:
            since, value = entries[node]
        except KeyError:  # a writer removed it meanwhile
            return None
        return value if since <= sequence else None

    def get_many(self, nodes: Sequence[int], sequence: int) -> list[Value | None]:
        entries = map(self._entries.get, nodes)
        return [e[1] if e is not None and e[0] <= sequence else None for e in entries]

    def put(self, node: int, sequence: int, value: Value) -> None:
        """Cache a value that a reader at `sequence` decoded."""
        with self._lock:
            if self._written.get(node, self._floor) <= sequence:
                self._entries[node] = (sequence, value)

    def put_many(self, values: Mapping[int, Value], sequence: int) -> None:
        with self._lock:
            added = {node: (sequence, value) for node, value in values.items()}
            if self._newest > sequence:
                written, floor = self._written.get, self._floor
                added = {n: entry for n, entry in added.items() if written(n, floor) <= sequence}
            self._entries.update(added)

    def written(self, nodes: Collection[int], sequence: int) -> None:
        """Remove nodes whose keys the commit of this number is about to write."""
        written, entries = self._written, self._entries
        with self._lock:
            if len(written) >= self._size:
                self._floor = self._newest
                written.clear()
            self._newest = sequence
            written.update(dict.fromkeys(nodes, sequence))
            for node in nodes:
                if node in entries:  # a tenth of the time of `pop`
                    del entries[node]


def new_caches() -> dict[int, Cache[Any]]:
    """A new cache for each space in `CACHED`."""
    return {space: Cache() for space in CACHED}
