"""Removal: forgetting, retracting and erasing nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from graphmem.forgetting import archive
from graphmem.forgetting.archive import Archived
from graphmem.graph import tombstones, worth
from graphmem.graph.ground import Ground
from graphmem.graph.links import HEAD_ENTRIES, StoredLink
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.texts import TextIndex
from graphmem.services import queue
from graphmem.values.items import Action
from graphmem.values.moments import moment
from graphmem.values.nodes import Tombstone

Note: TypeAlias = Callable[[GraphWriter, Action, int], None]

_SOURCES: Final = 1000  # links to an erased node that one batch removes


@dataclass(slots=True)
class Removal:
    """Removes nodes of one scope."""

    ground: Ground
    index: TextIndex
    note: Note
    """Called with each removed node and the action "forgotten", "corrected" or "erased"."""
    archive_bytes: int

    def archive(
        self,
        writer: GraphWriter,
        node: int,
        text: TextRecord,
        record: NodeRecord,
        why: str,
        importance: float | None = None,
        *,
        last: bool = False,
    ) -> Archived:
        """Archive the present form of a node. importance: at which it ended; None: its present one.
        last: the node is forgotten, so that its links and facts are archived too."""
        state = writer.tx.state
        worths = tuple(worth.worths(state, text))
        if importance is None:
            importance = writer.importance(node)
        links, facts = (_links(writer, node), writer.facts(node)) if last else ((), ())
        now = self.ground.now()
        form = Archived(
            node, why, now, state.passes, text, record, importance, worths, links, facts
        )
        archive.put(writer.tx, form, self.archive_bytes)
        return form

    def forget(
        self, writer: GraphWriter, node: int, why: str, importance: float | None = None
    ) -> None:
        """Forget a node, if it exists: its form goes to the archive, a tombstone stays while links
        point to it. `importance` as for `archive`."""
        if (pair := writer.view.pair(node)) is None:
            return
        record, text = pair
        self.note(writer, "corrected" if why == "corrected" else "forgotten", node)
        form = self.archive(writer, node, text, record, why, importance, last=True)
        targets = self.retract(writer, node)
        if writer.links.is_pointed_to(node):
            bury(writer, form)
        self.release_tombstones(writer, targets)

    def retract(self, writer: GraphWriter, node: int) -> list[int]:
        """Delete a node, if it exists, without archiving it; returns the targets of its links."""
        if (pair := writer.view.pair(node)) is None:
            return []
        record, text = pair
        self.index.remove(writer.tx, node, text.words)
        queue.remove(writer.tx, node)
        return writer.dissolve(node, text, record)

    def release_tombstones(self, writer: GraphWriter, targets: Iterable[int]) -> None:
        """Drop the tombstones of those targets to which nothing points any more."""
        if not writer.tx.state.tombstones:
            return
        for target in set(targets):
            key = writer.tx.scope.prefix(Space.TOMBSTONE) + keys.u64(target)
            if writer.tx.get(key) is not None and not writer.links.is_pointed_to(target):
                writer.tx.delete(key)
                writer.tx.state.tombstones -= 1

    def undo_unfinished(self) -> None:
        """Undo the writes over 1 MB that a crash interrupted, and finish the erasures. May be
        interrupted and repeated."""
        for first, last in self.ground.view().hidden:
            if first == last:
                self.finish_erasing(first)
                continue
            for node in range(first, last + 1):
                with self.ground.writing(joins=True) as writer:
                    writer.view.hidden = ()
                    self.retract(writer, node)
            with self.ground.writing(joins=True) as writer:
                _drop_intent(writer.tx, first)

    def erase(self, writer: GraphWriter, nodes: Iterable[int]) -> list[int]:
        """Remove every byte of nodes, live or forgotten: forms, tombstones, links to them.

        A node with more than 1,000 incoming links is only hidden from readers, by an intent, and
        returned: `finish_erasing` does the rest, or the next opening of the scope.
        """
        whole, hubs = list[int](), list[int]()
        for node in nodes:
            self.note(writer, "erased", node)
            if len(writer.links.in_links(node, _SOURCES + 1)) <= _SOURCES:
                whole.append(node)
                continue
            hubs.append(node)
            key = _intent(writer.tx.scope, node)
            if writer.tx.get(key) is None:
                writer.tx.insert(key, keys.u64(node))
                writer.tx.state.intents += 1
            writer.set_focus(tuple(other for other in writer.focus if other != node))
        if whole:
            self._erase(writer, whole)
        return hubs

    def finish_erasing(self, node: int) -> None:
        """Erase a node that has an intent: a batch for each 1,000 links to it."""
        after: StoredLink | None = None
        while True:
            with self.ground.writing() as writer:
                writer.view.hidden = ()
                after = writer.cut_incoming(node, _SOURCES, after)
                if after is None:
                    self._erase(writer, [node])
                    tx = writer.tx
                    tx.put_uncounted(*scopes.erasing(tx.store, tx.scope.id))
                    if tx.get(_intent(tx.scope, node)) is not None:
                        _drop_intent(tx, node)
                    return

    def _erase(self, writer: GraphWriter, nodes: Collection[int]) -> None:
        archive.erase(writer.tx, nodes)
        for node in nodes:
            writer.cut_incoming(node)
            targets = self.retract(writer, node)
            self.index.erase(writer.tx, node)
            self.release_tombstones(writer, [*targets, node])
        writer.tx.delete(writer.tx.scope.prefix(Space.LAST_TEXT))


def bury(writer: GraphWriter, last: Archived) -> None:
    """Write the tombstone of a forgotten node to which a link points, from its last form."""
    text, when = last.text, moment(last.when)
    stone = Tombstone(last.node, text.phrase, text.keywords, when, last.passes, last.why)
    tombstones.insert(writer.tx, stone)


def _links(writer: GraphWriter, node: int) -> tuple[StoredLink, ...]:
    """The links from and to a node; of the incoming ones of a hub only some."""
    out = [
        StoredLink(node, e.relation, e.target, e.level, e.distance)
        for e in writer.links.out_links(node)
    ]
    return (*out, *writer.links.in_links(node, HEAD_ENTRIES))


def _intent(scope: Scope, node: int) -> bytes:
    return scope.prefix(Space.INTENT) + keys.u64(node)


def _drop_intent(tx: Transaction, node: int) -> None:
    tx.delete(_intent(tx.scope, node))
    tx.state.intents -= 1
