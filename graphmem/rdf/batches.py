"""Batches of a bulk load: some are written while the next is made."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Final, Self

from graphmem.storage.store import Store

BATCH: Final = 4_096  # keys in a commit: about 250 KB, which stay in the processor's cache
_UNDER_WAY: Final = 4  # batches that are made, but not yet written


class BatchWriter:
    """Writes keys that no reader looks for yet, in a thread of its own and in the order given.
    Behind the `with` block nothing is being written any more."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._thread = ThreadPoolExecutor(1, "graphmem-load")
        self._under_way: deque[Future[None]] = deque()
        self._failed = False

    def write(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Write distinct keys in one commit. Raises what an earlier one has met."""
        write = self.store.staged(pairs)
        self._written(_UNDER_WAY - 1)
        self._under_way.append(self._thread.submit(self._commit, write))

    def write_all(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Write distinct keys, however many, in commits of `BATCH`."""
        rest = iter(pairs)
        while batch := list(islice(rest, BATCH)):
            self.write(batch)

    def flush(self) -> None:
        """Return when all has been committed."""
        self._written(0)

    def wait(self) -> None:
        """Return when nothing is being written, whatever has become of it."""
        wait(self._under_way)

    def _commit(self, write: Callable[[], None]) -> None:
        if self._failed:  # nothing is written behind what could not be
            return
        self._failed = True
        write()
        self._failed = False

    def _written(self, but: int) -> None:
        while len(self._under_way) > but:
            self._under_way[0].result()
            self._under_way.popleft()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._thread.shutdown()
