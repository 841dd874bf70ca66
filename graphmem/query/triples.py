"""The triples of a memory: its facts, and virtual triples of nodes, links, keywords and sessions.

Only facts are stored as triples; the virtual ones are read from records, indexes, and the lists at
either end of a link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import Final, TypeVar

from graphmem.graph import links, strength, vocabulary
from graphmem.graph.links import StoredLink
from graphmem.graph.view import View
from graphmem.hexastore import keys, terms, triples
from graphmem.hexastore.keys import Space
from graphmem.hexastore.planner import Estimate, Known, Size, Source, Stored, counted, fan
from graphmem.hexastore.terms import Term
from graphmem.hexastore.triples import TripleIds

Found = TypeVar("Found")

_BATCH: Final = 256  # nodes, or triples, that are read together
_encode: Final = terms.encode_node


class MemoryTriples(Source):
    """A source of all triples of one view, facts and virtual ones; see `planner.Source`. Broken
    links, and nodes of an unfinished write, are left out."""

    def __init__(self, view: View, size: Size | None = None) -> None:
        self.view = view
        self._reader, self._scope = view.reader, view.scope
        self._relations = view.relations
        self._facts = Stored(view.reader, view.scope, size)
        self._size = size
        self._has_facts = bool(view.state.triples)
        self._broken = strength.broken_level(view.passes, view.scope.decay, view.scope.fades)
        self._forms: dict[bytes, str] = {}  # keywords and sessions that were read, by id
        self._is_asserted: Callable[[bytes], bool] = cache(
            lambda p: triples.count(view.reader, view.scope, (None, p, None)) > 0
        )

    # -- as a source of joins -----------------------------------------------------------------

    def term(self, identifier: bytes) -> Term:
        """The term of an id. Raises CorruptError if it is unknown."""
        if terms.is_inline(identifier):
            return terms.decode_inline(identifier)
        if (value := self._forms.get(identifier)) is not None:
            return terms.Literal(value)
        form = self._relations.form(identifier)
        if form is None:
            form = self._reader.get(self._scope.prefix(Space.DICTIONARY) + identifier)
        if form is None and terms.is_literal(identifier):
            form = vocabulary.form(self._reader, self._scope, identifier)
        if form is None:
            return triples.lookup(self._reader, self._scope, identifier)  # which raises
        return terms.parse(form.decode())

    def match(self, s: bytes | None, p: bytes | None, o: bytes | None) -> Iterator[TripleIds]:
        virtual = self._virtual(s, p, o)
        if not self._has_facts or p in vocabulary.SPACES:
            return virtual
        return chain(self._visible(self._facts.match(s, p, o)), virtual)

    def holds(self, asked: Sequence[TripleIds]) -> list[bool]:
        found = self._facts.holds(asked) if self._has_facts else [False] * len(asked)
        if self.view.hidden:
            found = [
                there and self._is_visible(ids) for there, ids in zip(found, asked, strict=True)
            ]
        if all(found):
            return found
        wanted: list[tuple[int, bytes]] = []  # place, key
        for place, (s, p, o) in enumerate(asked):
            source = terms.decode_node(s)
            if found[place] or source is None:
                continue
            if p == terms.TYPE:
                found[place] = o == terms.NODE and self.view.record(source) is not None
            elif (space := vocabulary.SPACES.get(p)) is not None:
                wanted.append((place, self._scope.prefix(space) + o + s[8:]))
            else:
                code, target = self._relations.code_of(p), terms.decode_node(o)
                if code is not None and target is not None:
                    wanted.append((place, links.in_key(self._scope, source, code, target)))
        values = self._reader.get_many([key for _, key in wanted])
        for (place, _), value in zip(wanted, values, strict=True):
            if value is not None and self._is_visible(asked[place]):
                found[place] = not value or links.unpack_value(value)[0] >= self._broken
        return found

    def estimate(self, known: Known) -> Estimate:
        rows = self._facts.estimate(known).rows if self._has_facts else 0.0
        return Estimate(rows + self._virtual_rows(known))

    # -- facts --------------------------------------------------------------------------------

    def _visible(self, found: Iterator[TripleIds]) -> Iterator[TripleIds]:
        return filter(self._is_visible, found) if self.view.hidden else found

    def _is_visible(self, ids: TripleIds) -> bool:
        """False for a triple about a node of an unfinished write."""
        view = self.view
        return not view.hidden or not any(
            (node := terms.decode_node(end)) is not None and view.is_hidden(node)
            for end in (ids[0], ids[2])
        )

    def _not_asserted(self, p: bytes, found: Iterator[TripleIds]) -> Iterator[TripleIds]:
        """Links of a relation without those that are also facts, so that each triple comes once."""
        if not (self._has_facts and self._is_asserted(p)):
            return found
        return chain.from_iterable(
            [ids for ids, fact in zip(some, self._facts.holds(some), strict=True) if not fact]
            for some in batches(found)
        )

    # -- virtual triples ----------------------------------------------------------------------

    def _virtual(self, s: bytes | None, p: bytes | None, o: bytes | None) -> Iterator[TripleIds]:
        if p is not None:
            return self._of_predicate(s, p, o)
        if s is not None:
            return self._of_subject(s, o)
        if o is not None:
            return self._of_object(o)
        nodes = self.view.nodes()
        return chain.from_iterable(self._of_subject(_encode(node), None) for node in nodes)

    def _of_predicate(self, s: bytes | None, p: bytes, o: bytes | None) -> Iterator[TripleIds]:
        if p == terms.TYPE:
            if o not in (None, terms.NODE):
                return iter(())
            return ((node, p, terms.NODE) for node in self._nodes(s))
        if (space := vocabulary.SPACES.get(p)) is not None:
            return self._of_value(s, p, o, space)
        if (code := self._relations.code_of(p)) is None:
            return iter(())
        found = ((_encode(a), p, _encode(b)) for a, b in self._ends(s, code, o))
        return self._not_asserted(p, found)

    def _nodes(self, s: bytes | None) -> Iterator[bytes]:
        if s is None:
            yield from map(_encode, self.view.nodes())
        elif (node := terms.decode_node(s)) is not None and self.view.record(node) is not None:
            yield s

    def _of_subject(self, s: bytes, o: bytes | None) -> Iterator[TripleIds]:
        node = terms.decode_node(s)
        if node is None:
            return
        if o is not None:
            predicates = [terms.TYPE, *vocabulary.SPACES]
            if terms.decode_node(o) is not None:
                predicates = [term for term, _ in self._relations.known()]
            asked = [(s, p, o) for p in predicates]
            asserted = self._facts.holds(asked) if self._has_facts else [False] * len(asked)
            there = self.holds(asked)
            for ids, is_fact, is_there in zip(asked, asserted, there, strict=True):
                if is_there and not is_fact:
                    yield ids
            return
        if (text := self.view.text(node)) is None:
            return
        yield s, terms.TYPE, terms.NODE
        for p, space in vocabulary.SPACES.items():
            for value in vocabulary.values_of(text, space):
                yield s, p, self._value_id(value)
        found: dict[int, list[int]] = {}  # targets by relation
        for link in self.out(node):
            found.setdefault(link.relation, []).append(link.target)
        for code, targets in found.items():
            p = self._relations.term(self._relations.name(code))
            yield from self._not_asserted(p, ((s, p, target) for target in map(_encode, targets)))

    def _of_object(self, o: bytes) -> Iterator[TripleIds]:
        if (target := terms.decode_node(o)) is not None:
            names = {code: term for term, code in self._relations.known()}
            for relation, found in groupby(self.into(target), attrgetter("relation")):
                if (p := names.get(relation)) is not None:
                    yield from self._not_asserted(p, ((_encode(k.source), p, o) for k in found))
            return
        for p in (terms.TYPE, *vocabulary.SPACES):
            yield from self._of_predicate(None, p, o)

    def _of_value(
        self, s: bytes | None, p: bytes, o: bytes | None, space: Space
    ) -> Iterator[TripleIds]:
        """Triples of a keyword or a session."""
        if s is not None and o is not None:
            return iter([(s, p, o)] if self.holds([(s, p, o)])[0] else [])
        if s is not None:
            node = terms.decode_node(s)
            text = None if node is None else self.view.text(node)
            values = () if text is None else vocabulary.values_of(text, space)
            return ((s, p, value) for value in map(self._value_id, values))
        found = self._reader.keys(*keys.under(self._scope.prefix(space) + (o or b"")))
        rows = ((_encode(int.from_bytes(k[21:], "big")), p, k[5:21]) for k in found)
        return self._visible(rows)

    def _value_id(self, value: str) -> bytes:
        """The id of a keyword or session; its form is cached for `term`."""
        identifier = terms.plain_literal(value)[0]
        self._forms[identifier] = value
        return identifier

    # -- links --------------------------------------------------------------------------------

    def out(self, node: int) -> Iterator[StoredLink]:
        """The links of a node, strongest first, without broken ones."""
        view = self.view
        if view.hidden and view.is_hidden(node):
            return
        for entry in view.entries(node):
            if entry.level < self._broken:
                return
            if not (view.hidden and view.is_hidden(entry.target)):
                yield StoredLink(node, entry.relation, entry.target, entry.level, entry.distance)

    def into(self, target: int, relation: int | None = None) -> Iterator[StoredLink]:
        """The links to a node, by relation and source, without broken ones."""
        return filter(self._is_seen, links.in_links(self._reader, self._scope, target, relation))

    def link(self, source: int, relation: int, target: int) -> StoredLink | None:
        """One link, None if there is none, or it is broken."""
        (found,) = links.look_up(self._reader, self._scope, [(source, relation, target)])
        return found if found is not None and self._is_seen(found) else None

    def of_relation(self, relation: int) -> Iterator[StoredLink]:
        """The links of a relation, by source, without broken ones."""
        if links.is_indexed(relation):
            found = links.related(self._reader, self._scope, relation)
            for some in batches(found):
                asked = [(source, relation, target) for source, target in some]
                for link in links.look_up(self._reader, self._scope, asked):
                    if link is not None and self._is_seen(link):
                        yield link
        else:
            for node in self.view.nodes():
                yield from (link for link in self.out(node) if link.relation == relation)

    def _ends(self, s: bytes | None, code: int, o: bytes | None) -> Iterator[tuple[int, int]]:
        """(source, target) of the links of a relation that match."""
        if s is not None:
            source = terms.decode_node(s)
            if source is None:
                return iter(())
            if o is not None:
                target = terms.decode_node(o)
                there = target is not None and self.link(source, code, target) is not None
                return iter([(source, target)] if there and target is not None else [])
            return ((source, k.target) for k in self.out(source) if k.relation == code)
        if o is not None:
            target = terms.decode_node(o)
            if target is None:
                return iter(())
            return ((link.source, target) for link in self.into(target, code))
        return ((link.source, link.target) for link in self.of_relation(code))

    def _is_seen(self, link: StoredLink) -> bool:
        """False for a broken link, and for one of an unfinished write."""
        view = self.view
        return link.level >= self._broken and not (
            view.hidden and (view.is_hidden(link.source) or view.is_hidden(link.target))
        )

    # -- estimates ----------------------------------------------------------------------------

    def _virtual_rows(self, known: Known) -> float:
        """The estimated number of virtual triples of one reading of such a pattern."""
        s, p, o = known
        state = self.view.state
        nodes = max(1, state.nodes)
        if s and o:
            return 0.5
        own = state.nodes + state.keywords + state.sessions + state.links
        if not isinstance(p, bytes):
            if s:
                return own / nodes / (2 if p else 1)
            if o is True:
                return state.links / nodes + 1.0
            if isinstance(o, bytes):
                return self._in_rows(o)
            return float(own) / (2 if p else 1)
        if p == terms.TYPE:
            return 1.0 if s else float(state.nodes) if o in (None, terms.NODE) else 0.0
        if (space := vocabulary.SPACES.get(p)) is not None:
            total = state.keywords if space is Space.KEYWORD else state.sessions
            if s:
                return total / nodes
            if isinstance(o, bytes):
                return self._counted(*keys.under(self._scope.prefix(space) + o), total)
            return fan(self._reader, self._scope.prefix(space)) if o else float(total)
        if (code := self._relations.code_of(p)) is None:
            return 0.0
        total = state.links
        if links.is_indexed(code):
            total = int(self._counted(*links.related_range(self._scope, code), state.links))
        if isinstance(o, bytes):
            target = terms.decode_node(o)
            if target is None:
                return 0.0
            return self._counted(*links.in_range(self._scope, target, code), total)
        return total / nodes if s or o else float(total)

    def _in_rows(self, o: bytes) -> float:
        if (target := terms.decode_node(o)) is not None:
            return self._counted(*links.in_range(self._scope, target), self.view.state.links)
        if o == terms.NODE:
            return float(self.view.state.nodes)
        starts = [self._scope.prefix(space) + o for space in vocabulary.SPACES.values()]
        return sum(self._counted(s, keys.after(s), self.view.state.keywords) for s in starts)

    def _counted(self, start: bytes, stop: bytes, most: int) -> float:
        return counted(self._reader, self._size, start, stop, most)


def batches(found: Iterable[Found]) -> Iterator[list[Found]]:
    """The items in lists of 256."""
    rest = iter(found)
    while batch := list(islice(rest, _BATCH)):
        yield batch
