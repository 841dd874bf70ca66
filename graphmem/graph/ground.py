"""The ground: what all that works on one open scope shares, and how it reads and writes there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime

from graphmem.graph.relations import Relations
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.settings import Settings
from graphmem.storage.snapshot import StoreSnapshot
from graphmem.storage.store import Store
from graphmem.values.moments import micros


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

    def view_of(self, snapshot: StoreSnapshot) -> View:
        """The nodes and links of a snapshot, without those that have expired by now."""
        return View(snapshot, self.scope, self.relations, snapshot.sequence, self.now())

    @contextmanager
    def reading(self) -> Iterator[View]:
        """A view of one snapshot."""
        with self.scope.snapshot(self.store) as snapshot:
            yield self.view_of(snapshot)

    def transaction(self) -> Transaction:
        """A transaction, which holds the writer's lock."""
        return Transaction(self.store, self.scope)

    def writing(self, *, joins: bool = False) -> AbstractContextManager[GraphWriter]:
        """A transaction that writes nodes and links. joins: as in `Transaction`."""
        tx = Transaction(self.store, self.scope, joins=joins)
        return tx.giving(lambda tx: GraphWriter(tx, self.relations))
