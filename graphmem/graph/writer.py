"""Writing nodes, links and the focus within one transaction."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from graphmem.errors import CorruptError
from graphmem.graph import adjacency, focus, strength
from graphmem.graph.adjacency import AdjacencyWriter, Entry
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.relations import FOCUS, SEGMENT, Relations, iri
from graphmem.graph.view import STRONGEST, View, importance
from graphmem.hexastore import keys, terms
from graphmem.hexastore.keys import Space
from graphmem.hexastore.terms import IRI, Literal
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleWriter
from graphmem.settings import FOCUS_SLOTS

_NEVER_ASSERTED: Final = frozenset((FOCUS, SEGMENT))
LINK: Final = struct.Struct(">qB")  # the value of a link's spo key: L, distance


def unpack_link(value: bytes) -> tuple[int, int]:
    """L and distance of a link. Raises CorruptError when it is none."""
    try:
        level, distance = LINK.unpack(value)
    except struct.error:
        raise CorruptError(f"a link's value has {len(value)} bytes; run check()") from None
    return level, distance


def text_hash(record: TextRecord) -> int:
    """What a node record keeps of its sentences, to tell whether they have changed."""
    joined = "".join(record.spans)
    return int.from_bytes(blake2b(joined.encode(), digest_size=8).digest(), "big")


class GraphWriter:
    """All changes of a graph that one transaction makes."""

    def __init__(self, tx: Transaction, relations: Relations) -> None:
        self.tx = tx
        self.view = View(tx, tx.scope, relations)
        self.triples = TripleWriter(tx)
        self._adjacency = AdjacencyWriter(tx)
        self._scope = tx.scope
        self._relations = relations
        self._decayed = strength.decayed(tx.state.passes, tx.scope.decay)
        self._focus = focus.read(tx, tx.scope)
        self._created: set[int] = set()

    # -- nodes --------------------------------------------------------------------------------

    def reserve(self, count: int) -> int:
        """Take `count` ids, never used before or again, and return the first."""
        first = self.tx.state.next_node
        self.tx.state.next_node += count
        return first

    def create(self, node: int, text: TextRecord, *, pinned: bool = False) -> NodeRecord:
        """Make the node of a reserved id; the caller sets when it is due."""
        record = NodeRecord(born=self.tx.state.passes, text_hash=text_hash(text), pinned=pinned)
        self._created.add(node)
        self._adjacency.begin(node)
        self.restore(node, text, record)
        return record

    def restore(self, node: int, text: TextRecord, record: NodeRecord) -> None:
        """Write both records of a node that is not there, and its triples."""
        term = terms.encode_node(node)
        self.triples.insert(term, terms.TYPE, terms.NODE)
        if text.session is not None:
            self.triples.insert(term, terms.SESSION, self.triples.intern_text(text.session))
        state = self.tx.state
        state.nodes += 1
        state.pinned += record.pinned
        state.text_bytes += text.size
        self._put_keywords(node, (), text.keywords)
        self.tx.insert(self._key(Space.TEXT, node), text.pack())
        self.tx.insert(self._key(Space.NODE, node), record.pack())

    def put_record(self, node: int, record: NodeRecord) -> None:
        """Write the node record of a present node. Its due key is `set_due`'s."""
        self.tx.put(self._key(Space.NODE, node), record.pack())

    def put_text(self, node: int, old: TextRecord, new: TextRecord) -> None:
        """Write a new text record of a present node, with its keywords' triples."""
        self.tx.state.text_bytes += new.size - old.size
        self._put_keywords(node, old.keywords, new.keywords)
        self.tx.put(self._key(Space.TEXT, node), new.pack())

    def set_due(self, node: int, record: NodeRecord, due: int) -> NodeRecord:
        """Move the node's one key in the due index to pass `due` and return the new record."""
        if record.due:
            self.tx.delete(self._due_key(record.due, node))
        self.tx.insert(self._due_key(due, node), b"")
        record = record._replace(due=due)
        self.put_record(node, record)
        return record

    def dissolve(self, node: int, text: TextRecord, record: NodeRecord) -> list[int]:
        """Remove a node with its triples and out-links; links to it dangle.

        Returns the targets of the links that went. Words, vector and queue are the caller's.
        """
        targets = [entry.target for entry in self._adjacency.out_links(node)]
        for entry in self._adjacency.out_links(node):
            self._remove_link(node, entry)
        term = terms.encode_node(node)
        start = self._scope.prefix(Space.SPO) + term
        for key in list(self.tx.keys(start, keys.after(start))):
            self.triples.delete(term, key[21:37], key[37:53])
        self.tx.delete(self._key(Space.TEXT, node))
        self.tx.delete(self._key(Space.NODE, node))
        if record.due:
            self.tx.delete(self._due_key(record.due, node))
        state = self.tx.state
        state.nodes -= 1
        state.pinned -= record.pinned
        state.text_bytes -= text.size
        if node in self._focus:
            self.set_focus(tuple(n for n in self._focus if n != node))
        return targets

    def _put_keywords(self, node: int, old: Iterable[str], new: Iterable[str]) -> None:
        term = terms.encode_node(node)
        before, now = dict.fromkeys(old), dict.fromkeys(new)
        for keyword in before:
            if keyword not in now:
                self.triples.delete(term, terms.KEYWORD, terms.encode(Literal(keyword)))
        for keyword in now:
            if keyword not in before:
                self.triples.insert(term, terms.KEYWORD, self.triples.intern_text(keyword))

    def _key(self, space: Space, node: int) -> bytes:
        return self._scope.prefix(space) + node.to_bytes(8, "big")

    def _due_key(self, due: int, node: int) -> bytes:
        return self._scope.prefix(Space.DUE) + due.to_bytes(8, "big") + node.to_bytes(8, "big")

    def move_facts(self, old: int, new: int) -> None:
        """Make the facts that name node `old` name node `new`; links are not facts."""
        before, now = terms.encode_node(old), terms.encode_node(new)
        start = self._scope.prefix(Space.SPO) + before
        found = [(before, key[21:37], key[37:53]) for key in self.tx.keys(start, keys.after(start))]
        start = self._scope.prefix(Space.OSP) + before
        found += [
            (key[21:37], key[37:53], before) for key in self.tx.keys(start, keys.after(start))
        ]
        for s, p, o in dict.fromkeys(found):
            own = p in (terms.KEYWORD, terms.SESSION) or (p == terms.TYPE and o == terms.NODE)
            if own or self.triples.value(s, p, o):
                continue
            self.triples.delete(s, p, o)
            self.triples.put(*(now if term == before else term for term in (s, p, o)))

    # -- links --------------------------------------------------------------------------------

    def link(
        self, source: int, relation: str, target: int, *, initial: float = 1.0, distance: int = 1
    ) -> float:
        """Make a link, or strengthen the one that is there; returns its strength now.

        s ← max(initial, s + ½(1 − s)); the nearer of the two distances stays.
        """
        term, code = self._relations.term(relation), self._relations.code(self.tx, relation)
        s, o = terms.encode_node(source), terms.encode_node(target)
        # ln 1 = 0: most links are made at full strength.
        level = self._decayed if initial == 1.0 else self._decayed + strength.level(initial)
        # Of other relations a user may have asserted facts about a node that was yet to come.
        own = relation in _NEVER_ASSERTED
        is_new = own and (source in self._created or target in self._created)
        packed = LINK.pack(level, distance)
        known = self.triples.setdefault(s, term, o, packed, is_new=is_new)
        if known:
            old_level, before = unpack_link(known)
            now = strength.decode(old_level, self.tx.state.passes, self._scope.decay)
            if now >= strength.BROKEN:
                initial = strength.strengthened(now, initial)
                level, distance = self._decayed + strength.level(initial), min(distance, before)
                packed = LINK.pack(level, distance)
            self._adjacency.remove(source, Entry(old_level, target, code, before))
        else:
            self.tx.state.links += 1
            if not own:
                self.triples.intern(IRI(iri(relation)))
        if known is not None:
            self.triples.put(s, term, o, packed)
        self._adjacency.add(source, adjacency.pack(level, target, code, distance))
        return initial

    def restore_link(
        self, source: int, relation: str, target: int, level: int, distance: int
    ) -> None:
        """Write a link that is not there with the strength, a level, that it had."""
        term = self.triples.intern(IRI(iri(relation)))
        code = self._relations.code(self.tx, relation)
        ends = terms.encode_node(source), terms.encode_node(target)
        self.triples.insert(ends[0], term, ends[1], LINK.pack(level, distance))
        self._adjacency.add(source, adjacency.pack(level, target, code, distance))
        self.tx.state.links += 1

    def link_both(self, a: int, relation: str, b: int, distance: int = 1) -> None:
        """Links of full strength in both directions."""
        self.link(a, relation, b, distance=distance)
        self.link(b, relation, a, distance=distance)

    def cut_broken(self, node: int) -> list[int]:
        """Remove the node's broken links and return their targets."""
        broken = strength.broken_level(self.tx.state.passes, self._scope.decay)
        cut = [e for e in self._adjacency.out_links(node) if e.level < broken]
        for entry in reversed(cut):  # weakest first: nothing has to move up from the overflow
            self._remove_link(node, entry)
        return [entry.target for entry in cut]

    def cut_incoming(self, node: int) -> None:
        """Remove every link and fact that has the node as its object."""
        target = terms.encode_node(node)
        start = self._scope.prefix(Space.OSP) + target
        for key in list(self.tx.keys(start, keys.after(start))):
            s, p = key[21:37], key[37:53]
            value, code = self.triples.value(s, p, target), self._relations.code_of(p)
            source = terms.decode_node(s)
            if value and code is not None and source is not None:
                level, distance = unpack_link(value)
                self._remove_link(source, Entry(level, node, code, distance))
            else:
                self.triples.delete(s, p, target)

    def _remove_link(self, source: int, entry: Entry) -> None:
        self._adjacency.remove(source, entry)
        self.triples.delete(
            terms.encode_node(source),
            self._relations.term(self._relations.name(entry.relation)),
            terms.encode_node(entry.target),
        )
        self.tx.state.links -= 1

    def importance(self, node: int) -> float:
        """The node's importance as this transaction leaves it."""
        strongest = self._adjacency.head(node, STRONGEST)
        return importance(strongest, self.tx.state.passes, self._scope.decay)

    # -- focus --------------------------------------------------------------------------------

    @property
    def focus(self) -> tuple[int, ...]:
        """The nodes in focus, newest first, as this transaction leaves them."""
        return self._focus

    def set_focus(self, nodes: tuple[int, ...]) -> None:
        """Write the focus list."""
        self._focus = nodes
        self.tx.put(focus.key(self._scope), focus.pack(nodes))

    def enter_focus(self, node: int) -> None:
        """Bring a node to the front of the focus; the least recently used leaves."""
        self.set_focus(focus.entered(self._focus, node, FOCUS_SLOTS))

    def link_with_focus(self, node: int) -> None:
        """Link a node both ways with each other node in focus, at its distance there."""
        for distance, other in enumerate(self._focus, 1):
            if other != node:
                self.link_both(node, FOCUS, other, distance)
