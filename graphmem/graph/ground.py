"""The ground: what the parts of an open scope share, and how they read and write it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final

from graphmem.graph.relations import Relations
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.settings import Settings
from graphmem.storage.store import Store, StoreSnapshot
from graphmem.values.moments import micros

_PAGE: Final = 64  # keys read at a time


@dataclass(frozen=True, slots=True)
class Ground:
    """A scope in its store, with the names of its relations, its settings and a clock."""

    store: Store
    scope: Scope
    relations: Relations
    settings: Settings
    clock: Callable[[], datetime]

    def now(self) -> int:
        """The present, in microseconds since 1970."""
        return micros(self.clock())

    def view(self) -> View:
        """The nodes and links of the latest commit, with those that have expired."""
        return View(self.store, self.scope, self.relations)

    def view_of(self, snapshot: StoreSnapshot, moment: int | None = None) -> View:
        """The nodes and links of a snapshot, without those that have expired by a moment, or now if
        that is None."""
        now = self.now() if moment is None else moment
        return View(snapshot, self.scope, self.relations, snapshot.sequence, now)

    def agreeing(self, *holds: Callable[[], Any]) -> tuple[StoreSnapshot, tuple[Any, ...]]:
        """A snapshot, and what each of `holds` returned for it: the data that an index holds in
        memory, and replaces when a fold ends."""
        while True:
            held = tuple(hold() for hold in holds)
            snapshot = self.scope.snapshot(self.store)
            if all(hold() is before for hold, before in zip(holds, held, strict=True)):
                return snapshot, held
            snapshot.close()  # a fold ended between the two

    @contextmanager
    def reading(self) -> Iterator[View]:
        with self.scope.snapshot(self.store) as snapshot:
            yield self.view_of(snapshot)

    def nodes(self, start: bytes, stop: bytes) -> Iterator[int]:
        """The nodes with which the keys in [start, stop) end, each once, even if keys change
        meanwhile. They are read a page at a time, because a generator that holds a snapshot while
        it waits would keep the store from freeing any byte."""
        while True:
            page = list(islice(self.store.keys(start, stop), _PAGE))
            yield from (int.from_bytes(key[-8:], "big") for key in page)
            if len(page) < _PAGE:  # LevelDB reads slowly over what was just deleted
                return
            start = page[-1] + b"\x00"

    def transaction(self) -> Transaction:
        """A transaction, which holds the writer's lock."""
        return Transaction(self.store, self.scope)

    def writing(self, *, joins: bool = False) -> AbstractContextManager[GraphWriter]:
        """A transaction that writes nodes and links. joins: as in `Transaction`."""
        tx = Transaction(self.store, self.scope, joins=joins)
        return tx.giving(lambda tx: GraphWriter(tx, self.relations))
