"""Writing nodes, links and the focus within one transaction."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from hashlib import blake2b

from graphmem.errors import CapacityError
from graphmem.graph import focus, links, strength, vocabulary, worth
from graphmem.graph.links import Entry, LinkWriter, StoredLink
from graphmem.graph.records import ALWAYS, NodeRecord, Span, TextRecord
from graphmem.graph.relations import FOCUS_CODE, SEGMENT_CODE, Relations
from graphmem.graph.view import STRONGEST, View, importance
from graphmem.hexastore import keys, terms, triples
from graphmem.hexastore.keys import Space
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleIds, TripleWriter
from graphmem.settings import FOCUS_SLOTS


def text_hash(record: TextRecord) -> int:
    """The hash of its sentences in a node record, by which a change of them is detected."""
    joined = "".join(record.spans)
    return int.from_bytes(blake2b(joined.encode(), digest_size=8).digest(), "big")


def fainter(weight: float, passes: int, decay: float) -> Callable[[Entry], bool]:
    """A predicate: whether an out-link is one of focus or segment that recall weighs below
    `weight`. A new one weighs ½^(distance − 1), and fades like every link."""
    faint = strength.encode(weight, passes, decay)

    def is_faint(entry: Entry) -> bool:
        return entry.relation in (
            FOCUS_CODE,
            SEGMENT_CODE,
        ) and entry.level < faint + strength.level(2.0) * (entry.distance - 1)

    return is_faint


class GraphWriter:
    """All changes of a graph that one transaction makes."""

    def __init__(self, tx: Transaction, relations: Relations) -> None:
        assert tx.store.held, "what is read here is what the commit builds on"
        self.tx = tx
        self.links = LinkWriter(tx)
        self._scope = tx.scope
        self._relations = relations
        self.focus = focus.read(tx, tx.scope)
        """The nodes in focus, newest first, as this transaction leaves them."""
        self._begun: set[int] = set()  # nodes whose record is not written yet
        tx.before_commit(self._require_records)

    @cached_property
    def view(self) -> View:
        return View(self.tx, self._scope, self._relations, state=self._scope.state)

    @cached_property
    def triples(self) -> TripleWriter:
        return TripleWriter(self.tx)

    # -- nodes --------------------------------------------------------------------------------

    def reserve(self, count: int) -> int:
        """Take `count` ids, never used before or again, and return the first."""
        first = self.tx.state.next_node
        if first + count > links.MOST_NODES:
            raise CapacityError("a scope has up to 2^40 nodes: go on in another scope")
        self.tx.state.next_node += count
        return first

    def count_pin(self, more: int) -> None:
        """Count a new pin, or with -1 a removed one."""
        scope, before = self.tx.scope, self.tx.scope.pins_changed

        def back() -> None:
            scope.pins_changed = before

        def publish(sequence: int) -> Callable[[], None]:
            scope.pins_changed = sequence
            return back

        self.tx.state.pinned += more
        self.tx.publish(publish)

    def create(
        self, node: int, text: TextRecord, *, pinned: bool = False, span: Span = ALWAYS
    ) -> NodeRecord:
        """Make the node of a reserved id. The caller sets when it is due, once its links are made:
        `set_due` writes its record, which is then written once."""
        record = NodeRecord(
            born=self.tx.state.passes, text_hash=text_hash(text), pinned=pinned,
            valid_from=span.valid_from, expires=span.expires, kind=span.kind, shared=span.shared,
            importance=span.importance,
        )  # fmt: skip
        self.links.begin(node)
        self._begun.add(node)
        self._enter(node, text, record)
        return record

    def restore(self, node: int, text: TextRecord, record: NodeRecord) -> None:
        """Write both records of a node that is not there, its keywords and session, and its due
        key if it is due."""
        self._enter(node, text, record)
        self.tx.insert(self._key(Space.NODE, node), record.pack())
        if record.due:
            self.tx.insert(self._due_key(record.due, node), b"")

    def _enter(self, node: int, text: TextRecord, record: NodeRecord) -> None:
        """Write all that `restore` writes except the node record and its due key."""
        state = self.tx.state
        state.nodes += 1
        if record.pinned:
            self.count_pin(1)
        state.text_bytes += text.size
        vocabulary.change(self.tx, node, None, text)
        self.tx.insert(self._key(Space.TEXT, node), text.pack())
        if record.expires is not None:
            self._schedule(node, record.expires)

    def put_record(self, node: int, record: NodeRecord) -> None:
        """Write the node record of a present node. Its due key is `set_due`'s."""
        if node in self._begun:
            self._begun.remove(node)
            self.tx.insert(self._key(Space.NODE, node), record.pack())
        else:
            self.tx.put(self._key(Space.NODE, node), record.pack())

    def put_text(self, node: int, old: TextRecord, new: TextRecord) -> None:
        """Write a new text record of a present node, with its keywords and session."""
        self.tx.state.text_bytes += new.size - old.size
        vocabulary.change(self.tx, node, old, new)
        self.tx.put(self._key(Space.TEXT, node), new.pack())

    def set_due(self, node: int, record: NodeRecord, due: int) -> NodeRecord:
        """Move the node's one key in the due index to pass `due` and return the new record."""
        if record.due:
            self.tx.delete(self._due_key(record.due, node))
        self.tx.insert(self._due_key(due, node), b"")
        record = record._replace(due=due)
        self.put_record(node, record)
        return record

    def schedule(self, node: int, text: TextRecord, record: NodeRecord, grace: int) -> NodeRecord:
        """Set when a node is due, from its text and links; returns the new record."""
        importance = self.importance(node)
        due = worth.due(self._scope, self.tx.state, text, record, importance, grace)
        return self.set_due(node, record, due)

    def set_expiry(self, node: int, record: NodeRecord, expires: int | None) -> NodeRecord:
        """Set when a present node expires (None: never); returns the new record."""
        if record.expires == expires:
            return record
        if record.expires is not None:
            self._unschedule(node, record.expires)
        if expires is not None:
            self._schedule(node, expires)
        record = record._replace(expires=expires)
        self.put_record(node, record)
        return record

    def _schedule(self, node: int, expires: int) -> None:
        self.tx.insert(self._scope.prefix(Space.EXPIRY) + keys.u64(expires) + keys.u64(node), b"")
        self.tx.state.expiring += 1

    def _unschedule(self, node: int, expires: int) -> None:
        self.tx.delete(self._scope.prefix(Space.EXPIRY) + keys.u64(expires) + keys.u64(node))
        self.tx.state.expiring -= 1

    def dissolve(self, node: int, text: TextRecord, record: NodeRecord) -> list[int]:
        """Remove a node with its out-links and the facts about it; links to it dangle. Returns the
        targets of the links that went. Words, vector and queue are the caller's."""
        targets = self.links.clear(node)
        for ids in self._facts_with(s=terms.encode_node(node)):
            self.triples.delete(*ids)
        vocabulary.change(self.tx, node, text, None)
        self.tx.delete(self._key(Space.TEXT, node))
        self.tx.delete(self._key(Space.NODE, node))
        if record.due:
            self.tx.delete(self._due_key(record.due, node))
        if record.expires is not None:
            self._unschedule(node, record.expires)
        state = self.tx.state
        state.nodes -= 1
        if record.pinned:
            self.count_pin(-1)
        state.text_bytes -= text.size
        if node in self.focus:
            self.set_focus(tuple(n for n in self.focus if n != node))
        return targets

    def facts(self, node: int) -> tuple[tuple[str, str, str], ...]:
        """The facts of which a node is the subject, as N-Triples."""

        def form(identifier: bytes) -> str:
            return triples.lookup(self.tx, self._scope, identifier).n3()

        found = self._facts_with(s=terms.encode_node(node))
        return tuple((form(s), form(p), form(o)) for s, p, o in found)

    def put_fact(self, fact: tuple[str, str, str]) -> None:
        """Write a fact out of its N-Triples, unless it is there."""
        s, p, o = (self.triples.intern(terms.term(terms.parse(part))) for part in fact)
        self.triples.put(s, p, o)

    def _facts_with(self, *, s: bytes | None = None, o: bytes | None = None) -> list[TripleIds]:
        """The facts that have this subject, or this object; none is read while there are none."""
        if not self.tx.state.triples:
            return []
        return [*triples.match(self.tx, self._scope, (s, None, o))]

    def _require_records(self) -> None:
        assert not self._begun, "a node without its record would be lost: call set_due"

    def _key(self, space: Space, node: int) -> bytes:
        return self._scope.prefix(space) + node.to_bytes(8, "big")

    def _due_key(self, due: int, node: int) -> bytes:
        return self._scope.prefix(Space.DUE) + due.to_bytes(8, "big") + node.to_bytes(8, "big")

    def move_facts(self, old: int, new: int) -> None:
        """Make the facts that name node `old` name node `new`; links are not facts."""
        before, now = terms.encode_node(old), terms.encode_node(new)
        found = [*self._facts_with(s=before), *self._facts_with(o=before)]
        for s, p, o in dict.fromkeys(found):
            self.triples.delete(s, p, o)
            self.triples.put(*(now if term == before else term for term in (s, p, o)))

    # -- links --------------------------------------------------------------------------------

    def link(
        self, source: int, relation: str, target: int, *, initial: float = 1.0, distance: int = 1
    ) -> float:
        """Make a link, or strengthen the one that is there, as `LinkWriter.connect` does; returns
        its strength now."""
        code = self._relations.code(self.tx, relation)
        return self.links.connect(code, ((source, target, initial, distance),))

    def link_both(self, a: int, relation: str, b: int, distance: int = 1) -> None:
        """Links of full strength in both directions."""
        code = self._relations.code(self.tx, relation)
        self.links.connect(code, ((a, b, 1.0, distance), (b, a, 1.0, distance)))

    def unlink(self, source: int, relation: str, target: int) -> None:
        """Remove the links of one relation from a node to another; without any, nothing is done."""
        code = self._relations.code(self.tx, relation)
        self._cut(source, lambda entry: entry.target == target and entry.relation == code)

    def cut_broken(self, node: int) -> list[int]:
        """Remove the node's links under 0.01 and return their targets."""
        broken = strength.encode(strength.BROKEN, self.tx.state.passes, self._scope.decay)
        return self._cut(node, lambda entry: entry.level < broken)

    def cut_faint(self, node: int, weight: float) -> list[int]:
        """Remove the node's links that are `fainter` than `weight`; returns their targets."""
        return self._cut(node, fainter(weight, self.tx.state.passes, self._scope.decay))

    def _cut(self, node: int, goes: Callable[[Entry], bool]) -> list[int]:
        cut = [entry for entry in self.links.out_links(node) if goes(entry)]
        for entry in reversed(cut):  # weakest first: nothing has to move up from the overflow
            self.links.remove(node, entry)
        return [entry.target for entry in cut]

    def cut_incoming(
        self, node: int, most: int | None = None, after: StoredLink | None = None
    ) -> StoredLink | None:
        """Remove links and facts that have the node as their object: all, or at most `most` links
        after `after`, and the facts once no link is left. Returns the last link that was removed,
        if there may be more."""
        found = self.links.in_links(node, most, after)
        for link in found:
            self.links.remove(link.source, link.entry)
        if most is not None and len(found) == most:
            return found[-1]
        for ids in self._facts_with(o=terms.encode_node(node)):
            self.triples.delete(*ids)
        return None

    def importance(self, node: int) -> float:
        strongest = self.links.head(node, STRONGEST)
        scope = self._scope
        return importance(strongest, self.tx.state.passes, scope.decay, scope.fades)

    # -- focus --------------------------------------------------------------------------------

    def set_focus(self, nodes: tuple[int, ...]) -> None:
        self.focus = nodes
        self.tx.put(focus.key(self._scope), focus.pack(nodes))

    def enter_focus(self, node: int) -> None:
        """Bring a node to the front of the focus; the least recently used leaves."""
        self.set_focus(focus.entered(self.focus, node, FOCUS_SLOTS))

    def link_with_focus(self, node: int) -> None:
        """Link a node both ways with each other node in focus, at its distance there."""
        self.links.connect(
            FOCUS_CODE,
            [
                (a, b, 1.0, distance)
                for distance, other in enumerate(self.focus, 1)
                if other != node
                for a, b in ((node, other), (other, node))
            ],
        )
