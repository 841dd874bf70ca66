"""Removal: taking a node out, with or without a trace."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.forgetting import archive
from graphmem.forgetting.archive import Archived
from graphmem.graph import worth
from graphmem.graph.records import NodeRecord, TextRecord, moment
from graphmem.graph.relations import Relations
from graphmem.graph.view import Tombstone, View
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.texts import TextIndex
from graphmem.storage.store import Store


class Removal:
    """Removes nodes of one scope."""

    def __init__(self, index: TextIndex, archive_bytes: int) -> None:
        self._index = index
        self._archive_bytes = archive_bytes

    def archive(
        self,
        writer: GraphWriter,
        node: int,
        text: TextRecord,
        record: NodeRecord,
        why: str,
        now: int,
    ) -> None:
        """Keep the present form of a node."""
        state = writer.tx.state
        worths = tuple(worth.worths(state, text))
        form = Archived(node, why, now, state.passes, text, record, writer.importance(node), worths)
        archive.put(writer.tx, form, self._archive_bytes)

    def forget(self, writer: GraphWriter, node: int, why: str, now: int) -> None:
        """Forget a node: its form goes to the archive, a tombstone stays while links point to it.

        `now` is in microseconds since 1970, UTC.
        """
        if (pair := writer.view.pair(node)) is None:
            return
        record, text = pair
        self.archive(writer, node, text, record, why, now)
        targets = self.retract(writer, node, text, record)
        if writer.view.is_pointed_to(node):
            passes = writer.tx.state.passes
            stone = Tombstone(node, text.phrase, text.keywords, moment(now), passes, why)
            writer.tx.put(writer.tx.scope.prefix(Space.TOMBSTONE) + keys.u64(node), stone.pack())
            writer.tx.state.tombstones += 1
        self.release_tombstones(writer, targets)

    def retract(
        self, writer: GraphWriter, node: int, text: TextRecord, record: NodeRecord
    ) -> list[int]:
        """Take a node out without a trace; returns the targets of the links that it had."""
        self._index.remove(writer.tx, node, text.words)
        for space, counter in ((Space.QUEUE, "queued"), (Space.DEAD, "dead")):
            if writer.tx.delete(writer.tx.scope.prefix(space) + keys.u64(node)) is not None:
                setattr(writer.tx.state, counter, getattr(writer.tx.state, counter) - 1)
        return writer.dissolve(node, text, record)

    def release_tombstones(self, writer: GraphWriter, targets: Iterable[int]) -> None:
        """Drop the tombstones of those targets to which nothing points any more."""
        for target in set(targets):
            key = writer.tx.scope.prefix(Space.TOMBSTONE) + keys.u64(target)
            if writer.tx.get(key) is not None and not writer.view.is_pointed_to(target):
                writer.tx.delete(key)
                writer.tx.state.tombstones -= 1

    def undo_unfinished(self, store: Store, scope: Scope, relations: Relations) -> None:
        """Take back the writes over 1 MB that a crash cut short; may be cut short itself."""
        for first, last in View(store, scope, relations).hidden:
            for node in range(first, last + 1):
                with Transaction(store, scope) as tx:
                    writer = GraphWriter(tx, relations)
                    writer.view.hidden = ()
                    if (pair := writer.view.pair(node)) is not None:
                        record, text = pair
                        self.retract(writer, node, text, record)
            with Transaction(store, scope) as tx:
                tx.delete(scope.prefix(Space.INTENT) + keys.u64(first))
                tx.state.intents -= 1

    def erase(self, writer: GraphWriter, node: int) -> None:
        """Remove every byte of a node, live or forgotten: forms, tombstone, links to it."""
        pair = writer.view.pair(node)
        targets: list[int] = []
        writer.cut_incoming(node)
        if pair is not None:
            record, text = pair
            targets = self.retract(writer, node, text, record)
        archive.erase(writer.tx, node)
        self._index.erase(writer.tx, node)
        self.release_tombstones(writer, [*targets, node])
        writer.tx.delete(writer.tx.scope.prefix(Space.LAST_TEXT))
