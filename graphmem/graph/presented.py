"""Presented triples: what records say, as triples, beside those that are stored.

Nothing of it is written. With the subject bound it is a record read; otherwise every node, or every
link, is looked at, except where an index answers. See docs/sparql.md for the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Final, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote, unquote

from graphmem.graph import adjacency, strength
from graphmem.graph.records import NodeRecord, TextRecord, moment
from graphmem.graph.view import View
from graphmem.graph.writer import unpack_link
from graphmem.hexastore import terms, triples
from graphmem.hexastore.keys import Space
from graphmem.hexastore.planner import Estimate, Known, Stored
from graphmem.hexastore.terms import IRI, XSD_DATETIME, XSD_DOUBLE, XSD_INTEGER, Literal, Term
from graphmem.hexastore.triples import TripleIds

Found = TypeVar("Found")
Mentions: TypeAlias = Callable[[str], Iterable[int]]
"""The nodes that hold every word of a text."""

_BATCH: Final = 256  # nodes, or triples, that are read together
_RELATIVES: Final = 8.0  # links of a node, until there are any to count
_LINK_IRI = re.compile(r"link:(0|[1-9][0-9]{0,19})/([^/]+)/(0|[1-9][0-9]{0,19})\Z", re.ASCII)

_SPOKEN: Final[dict[bytes, Term]] = {}  # the IRIs below, which no dictionary needs to hold


def _spoken(iri: str) -> bytes:
    identifier = terms.encode(IRI(iri))
    _SPOKEN[identifier] = IRI(iri)
    return identifier


FOCUS: Final = _spoken("focus:current")
MEMBER: Final = _spoken("memory:member")
ORDER: Final = _spoken("memory:order")
MENTIONS: Final = _spoken("memory:mentions")
FROM, TO, RELATION, STRENGTH = (
    _spoken(f"memory:{name}") for name in ("from", "to", "relation", "strength")
)


def _integer(number: int) -> Literal:
    return Literal(str(number), XSD_INTEGER)


_OF_TEXT: Final[dict[str, Callable[[TextRecord], Term | None]]] = {
    "content": lambda text: Literal(text.text) if text.spans else None,
    "phrase": lambda text: Literal(text.phrase),
    "speaker": lambda text: None if text.speaker is None else Literal(text.speaker),
    "happened": lambda text: (
        None if text.happened is None else Literal(moment(*text.happened).isoformat(), XSD_DATETIME)
    ),
    "createdAt": lambda text: Literal(moment(text.created).isoformat(), XSD_DATETIME),
}
_OF_NODE: Final[dict[str, Callable[[NodeRecord, View, int], Term]]] = {
    "scanCount": lambda record, view, _: _integer(max(0, view.passes - record.born)),
    "uses": lambda record, _view, _: _integer(record.uses),
    "importance": lambda _, view, node: Literal(repr(view.importance(node)), XSD_DOUBLE),
}
_PROPERTIES: Final = {_spoken(f"memory:{name}"): name for name in (*_OF_TEXT, *_OF_NODE)}
_OF_LINKS: Final = (FROM, TO, RELATION, STRENGTH)
PREDICATES: Final = (*_PROPERTIES, MEMBER, ORDER, *_OF_LINKS)
"""The predicates whose triples are presented; MENTIONS is asked of, never listed."""
_VIRTUAL: Final = frozenset((*PREDICATES, MENTIONS))


class _Link(NamedTuple):
    source: int
    relation: str  # name
    target: int
    level: int


class Presented:
    """The source of a memory's triples at one view: stored ones, and what is presented.

    Broken links, and nodes of a write that is not whole yet, are left out. Ids of presented terms
    are known to this object only, so ask it for a term and for an id.
    """

    def __init__(
        self, view: View, mentions: Mentions, size: Callable[[bytes, bytes], int] | None = None
    ) -> None:
        self.view = view
        self._mentions = mentions
        self._stored = Stored(view.reader, view.scope, size)
        self._broken = strength.broken_level(view.passes, view.scope.decay)
        self._terms = dict(_SPOKEN)
        self._links: dict[bytes, _Link | None] = {}
        self._strengths: dict[int, bytes] = {}  # L → id of what it is worth now
        self._mentioning: dict[bytes, frozenset[int]] = {}

    # -- terms --------------------------------------------------------------------------------

    def term(self, identifier: bytes) -> Term:
        """The term of an id that this source gave or was given."""
        known = self._terms.get(identifier)
        if known is not None:
            return known
        if (link := self._links.get(identifier)) is not None:
            return IRI(_link_iri(link))
        return triples.lookup(self.view.reader, self.view.scope, identifier)

    def identify(self, term: Term) -> bytes:
        """The id of a term, which need not be stored."""
        identifier = terms.encode_once(term)
        if not terms.is_inline(identifier):
            self._terms[identifier] = term
        return identifier

    # -- as a source of joins -----------------------------------------------------------------

    def match(
        self, s: bytes | None, p: bytes | None, o: bytes | None, order: Space | None = None
    ) -> Iterator[TripleIds]:
        """See `Source.match`."""
        if p in _VIRTUAL:
            return self._virtual(s, p, o)
        stored = self._visible(self._stored.match(s, p, o, order), s, p)
        if p is not None:
            return stored
        return chain(stored, *(self._virtual(s, q, o) for q in self._predicates_of(s)))

    def holds(self, asked: Sequence[TripleIds]) -> list[bool]:
        """See `Source.holds`."""
        stored = [ids for ids in asked if ids[1] not in _VIRTUAL]
        there = set(self._only_visible(stored, self._values(stored)))
        return [
            ids in there if ids[1] not in _VIRTUAL else any(self._virtual(*ids)) for ids in asked
        ]

    def is_sorted(self, p: bytes | None) -> bool:
        """See `Source.is_sorted`."""
        return p is not None and p not in _VIRTUAL

    def value_of(self, p: bytes) -> Callable[[bytes], bytes | None] | None:
        """See `Source.value_of`."""
        if p in _OF_LINKS:

            def of_link(s: bytes) -> bytes | None:
                link = self._link_of(s)
                return None if link is None else self._of_link(link, p)

            return of_link
        if (name := _PROPERTIES.get(p)) is None:
            return None

        def of_node(s: bytes) -> bytes | None:
            return next((value for _, value in self._properties(s, name)), None)

        return of_node

    def estimate(self, known: Known) -> Estimate:
        """See `Source.estimate`."""
        s, p, o = known
        if isinstance(p, bytes) and p not in _VIRTUAL:
            return self._stored.estimate(known)
        state = self.view.state
        links = max(1.0, state.links / state.nodes) if state.nodes else _RELATIVES
        if p == MENTIONS:
            if isinstance(o, bytes):
                found = float(len(self._mention(o)))
                return Estimate(found / max(1, state.nodes) if s else found)
            return Estimate(1.0, is_scan=o is None)
        if s:
            return Estimate(0.5 if o and p else 1.0 if p else 16.0)
        if p in (MEMBER, ORDER):
            return Estimate(5.0)
        if p in (FROM, TO) and o:
            return Estimate(links)
        if p == RELATION and isinstance(o, bytes):
            return Estimate(float(triples.count(self.view.reader, self.view.scope, None, o)))
        if p in _OF_LINKS:
            return Estimate(float(state.links) / (10.0 if o else 1.0), is_scan=True)
        rows = float(state.nodes) if p else self._stored.estimate(known).rows + 12.0 * state.nodes
        return Estimate(rows / (10.0 if o else 1.0), is_scan=True)

    # -- stored triples -----------------------------------------------------------------------

    def _visible(
        self, found: Iterator[TripleIds], s: bytes | None, p: bytes | None
    ) -> Iterator[TripleIds]:
        """Stored triples without broken links and hidden nodes, in their order."""
        view = self.view
        if not view.hidden:
            if p is not None and view.relations.code_of(p) is None:
                return found
            node = None if s is None else terms.decode_node(s)
            if node is not None and self._has_no_broken_link(node):
                return found
        return chain.from_iterable(
            self._only_visible(batch, self._values(batch)) for batch in _batches(found)
        )

    def _has_no_broken_link(self, node: int) -> bool:
        head = self.view.head(node)
        if len(head) == adjacency.HEAD_ENTRIES * adjacency.ENTRY_BYTES:
            return False  # there may be one in the overflow
        return not head or adjacency.entries(head)[-1].level >= self._broken

    def _values(self, found: Sequence[TripleIds]) -> list[bytes | None]:
        spo = self.view.scope.prefix(Space.SPO)
        return self.view.reader.get_many([b"".join((spo, *ids)) for ids in found])

    def _only_visible(
        self, found: Sequence[TripleIds], values: Sequence[bytes | None]
    ) -> Iterator[TripleIds]:
        """Those that are there, by their values, and are seen."""
        hidden = bool(self.view.hidden)
        for ids, value in zip(found, values, strict=True):
            if value is None or (value and unpack_link(value)[0] < self._broken):
                continue
            if hidden and (self._is_hidden(ids[0]) or self._is_hidden(ids[2])):
                continue
            yield ids

    def _is_hidden(self, identifier: bytes) -> bool:
        node = terms.decode_node(identifier)
        return node is not None and self.view.is_hidden(node)

    # -- presented triples --------------------------------------------------------------------

    def _predicates_of(self, s: bytes | None) -> Sequence[bytes]:
        """The presented predicates that a subject can have."""
        if s is None:
            return PREDICATES
        if terms.decode_node(s) is not None:
            return (*_PROPERTIES, ORDER)
        return (MEMBER,) if s == FOCUS else _OF_LINKS

    def _virtual(self, s: bytes | None, p: bytes, o: bytes | None) -> Iterator[TripleIds]:
        found: Iterator[tuple[bytes, bytes]]  # subject, object
        if p in _PROPERTIES:
            found = self._properties(s, _PROPERTIES[p])
        elif p == MENTIONS:
            return self._mentioned(s, o)
        elif p in (MEMBER, ORDER):
            found = self._focus(s, p)
        else:
            found = self._of_links(s, p, o)
        return ((subject, p, obj) for subject, obj in found if o is None or obj == o)

    def _properties(self, s: bytes | None, name: str) -> Iterator[tuple[bytes, bytes]]:
        view = self.view
        if s is not None:
            node = terms.decode_node(s)
            batches: Iterable[Sequence[int]] = () if node is None else ([node],)
        else:
            batches = _batches(view.nodes())
        of_text = _OF_TEXT.get(name)
        for batch in batches:
            for found in view.pairs(batch):
                if isinstance(found, int):
                    continue
                node, record, text = found
                term = of_text(text) if of_text is not None else _OF_NODE[name](record, view, node)
                if term is not None:
                    yield terms.encode_node(node), self.identify(term)

    def _focus(self, s: bytes | None, p: bytes) -> Iterator[tuple[bytes, bytes]]:
        for place, node in enumerate(self.view.focus, 1):
            if self.view.record(node) is not None:
                member = terms.encode_node(node)
                if p == ORDER and s in (None, member):
                    yield member, terms.encode(_integer(place))
                elif p == MEMBER and s in (None, FOCUS):
                    yield FOCUS, member

    def _mentioned(self, s: bytes | None, o: bytes | None) -> Iterator[TripleIds]:
        if o is None:
            return
        nodes = self._mention(o)
        if s is None:
            for node in sorted(nodes):
                yield terms.encode_node(node), MENTIONS, o
        elif terms.decode_node(s) in nodes:
            yield s, MENTIONS, o

    def _mention(self, o: bytes) -> frozenset[int]:
        nodes = self._mentioning.get(o)
        if nodes is None:
            term = self.term(o)
            found = self._mentions(term.lexical) if isinstance(term, Literal) else ()
            if self.view.hidden:
                found = (node for node in found if not self.view.is_hidden(node))
            nodes = frozenset(found)
            self._mentioning[o] = nodes
        return nodes

    # -- links --------------------------------------------------------------------------------

    def _of_links(
        self, s: bytes | None, p: bytes, o: bytes | None
    ) -> Iterator[tuple[bytes, bytes]]:
        for identifier, link in self._links_for(s, p, o):
            yield identifier, self._of_link(link, p)

    def _of_link(self, link: _Link, p: bytes) -> bytes:
        if p == TO:
            return terms.encode_node(link.target)
        if p == FROM:
            return terms.encode_node(link.source)
        if p == RELATION:
            return self.view.relations.term(link.relation)
        known = self._strengths.get(link.level)
        if known is None:
            value = strength.decode(link.level, self.view.passes, self.view.scope.decay)
            known = self.identify(Literal(repr(value), XSD_DOUBLE))
            self._strengths[link.level] = known
        return known

    def _links_for(
        self, s: bytes | None, p: bytes, o: bytes | None
    ) -> Iterable[tuple[bytes, _Link]]:
        """The links that can have a presented triple (s, p, o)."""
        if s is not None:
            link = self._link_of(s)
            return () if link is None else ((s, link),)
        node = None if o is None else terms.decode_node(o)
        if o is not None and p in (FROM, TO):
            if node is None:
                return ()
            return self._out(node) if p == FROM else self._stored_links(None, o)
        if o is not None and p == RELATION:
            return self._stored_links(o, None)
        return chain.from_iterable(map(self._out, self.view.nodes()))

    def _out(self, node: int) -> Iterator[tuple[bytes, _Link]]:
        """The links of a node, strongest first."""
        view = self.view
        if view.hidden and view.is_hidden(node):
            return
        name = view.relations.name
        for entry in view.entries(node):
            if entry.level < self._broken:
                return
            if view.hidden and view.is_hidden(entry.target):
                continue
            yield self._known(_Link(node, name(entry.relation), entry.target, entry.level))

    def _stored_links(
        self, relation: bytes | None, target: bytes | None
    ) -> Iterator[tuple[bytes, _Link]]:
        """The links of a relation, or to a node, by the triples that they are."""
        names = self.view.relations
        for batch in _batches(self._stored.match(None, relation, target)):
            for (s, p, o), value in zip(batch, self._values(batch), strict=True):
                source, end = terms.decode_node(s), terms.decode_node(o)
                code = names.code_of(p)
                if not value or source is None or end is None or code is None:
                    continue
                if self.view.hidden and (self.view.is_hidden(source) or self.view.is_hidden(end)):
                    continue
                level = unpack_link(value)[0]
                if level >= self._broken:
                    yield self._known(_Link(source, names.name(code), end, level))

    def _link_of(self, identifier: bytes) -> _Link | None:
        """The link of an id: one that was read, that the query names, or that a fact is about."""
        if identifier in self._links:
            return self._links[identifier]
        found = None
        if not terms.is_inline(identifier):
            term = self._terms.get(identifier) or self._look_up(identifier)
            if isinstance(term, IRI) and (match := _LINK_IRI.match(term.value)):
                found = self._link(int(match[1]), unquote(match[2]), int(match[3]), term.value)
        self._links[identifier] = found
        return found

    def _look_up(self, identifier: bytes) -> Term | None:
        key = self.view.scope.prefix(Space.DICTIONARY) + identifier
        form = self.view.reader.get(key)
        return None if form is None else terms.parse(form.decode())

    def _link(self, source: int, relation: str, target: int, iri: str) -> _Link | None:
        if max(source, target) >= 1 << 64:
            return None
        names = self.view.relations
        ids = (terms.encode_node(source), names.term(relation), terms.encode_node(target))
        (value,) = self._values([ids])
        if not value or not any(self._only_visible([ids], [value])):
            return None
        link = _Link(source, relation, target, unpack_link(value)[0])
        return link if _link_iri(link) == iri else None  # one link, one IRI

    def _known(self, link: _Link) -> tuple[bytes, _Link]:
        identifier = terms.encode_hashed(_link_iri(link))
        self._links[identifier] = link
        return identifier, link


def _link_iri(link: _Link) -> str:
    return f"link:{link.source}/{_quoted(link.relation)}/{link.target}"


@lru_cache(maxsize=256)
def _quoted(relation: str) -> str:
    return quote(relation, safe="")


def _batches(found: Iterator[Found]) -> Iterator[list[Found]]:
    while batch := list(islice(found, _BATCH)):
        yield batch
