"""Transactions: one logical write on one scope, committed as one batch or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Final, Self

from graphmem.errors import UnknownScopeError
from graphmem.hexastore.cache import CACHED
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.storage.store import Store

Undo = Callable[[], None]

# What `Scope.committed` keeps: what one write after another reads, in order to change it.
_KEPT: Final = frozenset(
    map(int, (Space.LAST_TEXT, Space.DICTIONARY, Space.STATISTIC, Space.HEAD, Space.FOCUS))
)


class Transaction:
    """Collects the writes of one logical act; reads see them at once.

    Use it in a `with` block, which holds the writer lock and commits at its end unless the block
    raises. `live_bytes` of the scope follows from `put`, `insert`, `delete` and `remove`; only the
    archive's writers go round them with `put_uncounted`.
    """

    def __init__(self, store: Store, scope: Scope) -> None:
        self.store = store
        self.scope = scope
        self.state = scope.state  # a copy of its own once entered
        self.sequence = 0  # known once committed
        self._batch: dict[bytes, bytes | None] = {}
        self._kept: list[bytes] = []  # keys of the batch that `Scope.committed` keeps
        self._cached: list[bytes] = []  # keys of the batch that caches may hold values of
        self._read: dict[bytes, bytes | None] = {}
        self._flushes: list[Callable[[], None]] = []
        self._publishers: list[Callable[[int], Undo]] = []
        self._undo: list[Undo] = []
        self._writing = store.writing

    def __enter__(self) -> Self:
        self._writing.__enter__()
        try:
            self.scope.require()
        except UnknownScopeError:
            self._writing.__exit__(None, None, None)
            raise
        self.state = self.scope.state.copy()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._commit()
            else:
                self._take_back()
        finally:
            # They refer to this transaction, whose batch would wait for the collector.
            self._flushes.clear()
            self._publishers.clear()
            self._undo.clear()
            self._writing.__exit__(None, None, None)

    # -- reading ------------------------------------------------------------------------------

    def get(self, key: bytes) -> bytes | None:
        """The value of `key`, with this transaction's own writes."""
        if key in self._batch:
            return self._batch[key]
        # Nobody else writes meanwhile, so what was read once stays true.
        read = self.scope.committed if key[4] in _KEPT else self._read
        if key in read:
            return read[key]
        value = read[key] = self.store.get(key)
        return value

    def written(self, key: bytes) -> bytes | None:
        """What this transaction wrote under `key`; None if nothing."""
        return self._batch.get(key)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """The values of `keys`, with this transaction's own writes."""
        return [self.get(key) for key in keys]

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Keys and values in [start, stop), with the writes made before the call."""
        own = sorted((k for k in self._batch if start <= k < stop), reverse=reverse)
        position = 0
        for key, value in self.store.range(start, stop, reverse):
            while position < len(own) and (own[position] > key if reverse else own[position] < key):
                if (mine := self._batch[own[position]]) is not None:
                    yield own[position], mine
                position += 1
            if position < len(own) and own[position] == key:
                continue
            yield key, value
        for rest in own[position:]:
            if (mine := self._batch[rest]) is not None:
                yield rest, mine

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        """The keys of `range`."""
        return (key for key, _ in self.range(start, stop, reverse))

    # -- writing ------------------------------------------------------------------------------

    def insert(self, key: bytes, value: bytes) -> None:
        """Write a key that is known to be absent."""
        self.state.live_bytes += len(key) + len(value)
        self._batch[key] = value
        if key[4] in _KEPT:
            self._kept.append(key)

    def replace(self, key: bytes, value: bytes, size: int) -> None:
        """Write a key that is known to be present with a value of `size` bytes."""
        self.state.live_bytes += len(value) - size
        self._set(key, value)

    @property
    def rows(self) -> dict[bytes, bytes | None]:
        """What is to be written. Triples, of which a write has most of its keys, go into it
        directly; whoever does that counts `live_bytes`, and only in spaces that nothing caches."""
        return self._batch

    def put(self, key: bytes, value: bytes) -> None:
        """Write a key, present or not."""
        old = self.get(key)
        self.state.live_bytes += len(value) - len(old) if old is not None else len(key) + len(value)
        self._set(key, value)

    def remove(self, key: bytes, size: int) -> None:
        """Delete a key that is known to be present with a value of `size` bytes."""
        self.state.live_bytes -= len(key) + size
        self._set(key, None)

    def delete(self, key: bytes) -> bytes | None:
        """Delete a key, present or not, and return the value that it had."""
        old = self.get(key)
        if old is not None:
            self.remove(key, len(old))
        return old

    def put_uncounted(self, key: bytes, value: bytes | None) -> None:
        """Write, or delete with None, a key that `live_bytes` does not count."""
        self._set(key, value)

    def _set(self, key: bytes, value: bytes | None) -> None:
        self._batch[key] = value
        space = key[4]
        if space in _KEPT:
            self._kept.append(key)
        if space in CACHED:
            self._cached.append(key)

    # -- committing ---------------------------------------------------------------------------

    def before_commit(self, flush: Callable[[], None]) -> None:
        """Have `flush` write what it holds back; the last to register is called first."""
        self._flushes.append(flush)

    def publish(self, publisher: Callable[[int], Undo]) -> None:
        """Have `publisher(sequence)` show an in-memory change to readers of that sequence.

        It is called just before the engine commits; what it returns takes the change back if the
        commit fails.
        """
        self._publishers.append(publisher)

    def on_failure(self, undo: Undo) -> None:
        """Have `undo()` take back an in-memory change made already, if nothing is committed."""
        self._undo.append(undo)

    def _take_back(self) -> None:
        while self._undo:
            self._undo.pop()()

    def _commit(self) -> None:
        def announce(sequence: int) -> None:
            self.sequence = sequence
            # Out before the batch is written: an interrupt must not leave an old value behind.
            for key in self._kept:
                self.scope.committed.pop(key, None)
            self.scope.caches.written(self._cached, sequence)
            for publisher in self._publishers:
                self._undo.append(publisher(sequence))

        try:
            for flush in reversed(self._flushes):
                flush()
            if not self._batch and self.state == self.scope.state:
                return
            self._set(self.scope.prefix(Space.STATE), self.state.pack())
            self.store.commit(self._batch, on_sequence=announce)
        except BaseException:
            # An interrupt can come when the batch is written already; then it counts.
            if self.sequence == 0 or self.store.sequence != self.sequence:
                self._take_back()
                raise
            self._committed()
            raise
        self._committed()

    def _committed(self) -> None:
        self.scope.state = self.state
        batch, committed = self._batch, self.scope.committed
        for key in self._kept:
            committed[key] = batch[key]
