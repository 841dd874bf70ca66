"""The cache of a scope: decoded values, tied to snapshots by sequence numbers.

An entry carries the sequence number of the snapshot that it was read from. It is used only by
readers that are not older, and made only if its key has not been written since that snapshot, so no
reader ever sees a value of another time than its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Final, Generic, TypeVar

from lru import LRU

Value = TypeVar("Value")
SIZE: Final = 4096  # entries


class Cache(Generic[Value]):
    """Values by key. Reading takes no lock."""

    def __init__(self) -> None:
        self._entries: LRU[bytes, tuple[int, Value]] = LRU(SIZE)
        self._written: LRU[bytes, int] = LRU(SIZE, callback=self._forget_write)
        self._floor = 0  # the newest write that is no longer in `_written`
        self._lock = Lock()

    def get(self, key: bytes, sequence: int) -> Value | None:
        """The value of `key` for a reader at `sequence`, if it is known."""
        entry = self._entries.get(key)
        return entry[1] if entry is not None and entry[0] <= sequence else None

    def put(self, key: bytes, sequence: int, value: Value) -> None:
        """Keep what a reader at `sequence` read and decoded."""
        with self._lock:
            if self._written.get(key, self._floor) <= sequence:
                self._entries[key] = (sequence, value)

    def written(self, keys: Iterable[bytes], sequence: int) -> None:
        """Let go of keys that a commit of this number is about to write."""
        with self._lock:
            for key in keys:
                self._written[key] = sequence
                self._entries.pop(key, None)

    def _forget_write(self, key: bytes, sequence: int) -> None:
        self._floor = max(self._floor, sequence)
