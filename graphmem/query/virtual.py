"""Virtual triples made from records, beside a memory's own triples (docs/sparql.md). With the
subject bound one record is read; otherwise every node or link, unless an index answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, Protocol, TypeAlias
from urllib.parse import quote, unquote

from graphmem.graph import strength
from graphmem.graph.kinds import kind_of
from graphmem.graph.links import StoredLink
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.relations import PREFIX, name_of, named
from graphmem.graph.view import View
from graphmem.hexastore import terms
from graphmem.hexastore.keys import Space
from graphmem.hexastore.planner import Estimate, Known, Size
from graphmem.hexastore.terms import IRI, XSD_DATETIME, XSD_DOUBLE, XSD_INTEGER, Literal, Term
from graphmem.hexastore.triples import TripleIds
from graphmem.query.triples import Found, MemoryTriples, batches
from graphmem.values.metadata import Scalar
from graphmem.values.moments import moment

Ends: TypeAlias = Iterator[tuple[bytes, bytes]]
"""Subject and object of triples."""
Mentions: TypeAlias = Callable[[str], Iterable[int]]
"""The nodes that hold every word of a text."""

_MEMBERS: Final = 8.0  # estimated nodes of an episode or theme
_XSD_BOOLEAN: Final = "http://www.w3.org/2001/XMLSchema#boolean"
_RELATIVES: Final = 8.0  # estimated links of a node in an empty memory
_LINK_IRI = re.compile(r"link:(0|[1-9][0-9]{0,19})/([^/]+)/(0|[1-9][0-9]{0,19})\Z", re.ASCII)

_THEME_IRI = re.compile(r"theme:([1-9][0-9]{0,19})\Z", re.ASCII)
_EPISODE_IRI = re.compile(r"episode:([^/]+)/([1-9][0-9]{0,8})\Z", re.ASCII)

_CONSTANTS: Final[dict[bytes, Term]] = {}  # the IRIs below, which are in no dictionary


def _constant(iri: str) -> bytes:
    identifier = terms.encode(IRI(iri))
    _CONSTANTS[identifier] = IRI(iri)
    return identifier


FOCUS: Final = _constant("focus:current")
MEMBER: Final = _constant("memory:member")
ORDER: Final = _constant("memory:order")
MENTIONS: Final = _constant("memory:mentions")
FROM, TO, RELATION, STRENGTH = (
    _constant(f"memory:{name}") for name in ("from", "to", "relation", "strength")
)


BELONGS_TO, SUPPORTS, ABSTRACTED_BY = (
    _constant(f"memory:{name}") for name in ("belongs_to", "supports", "abstracted_by")
)
_HIERARCHY: Final = (BELONGS_TO, SUPPORTS, ABSTRACTED_BY)


class Levels(Protocol):
    """The episodes and themes of a view."""

    def theme(self, node: int) -> int | None:
        """The theme of a node."""

    def members(self, theme: int) -> Sequence[int]:
        """The nodes of a theme."""

    def themes(self) -> Iterable[tuple[int, int]]:
        """(node, theme) of all nodes that have one."""

    def episode(self, node: int) -> tuple[str, int] | None:
        """The session and the number of a node's episode."""

    def turns(self, session: str, number: int) -> Sequence[int]:
        """The nodes of an episode."""

    def episodes(self) -> Iterable[tuple[str, int, Sequence[int]]]:
        """(session, number, nodes) of all episodes."""


def _integer(number: int) -> Literal:
    return Literal(str(number), XSD_INTEGER)


def _when(micros: int | None) -> Literal | None:
    return None if micros is None else Literal(moment(micros).isoformat(), XSD_DATETIME)


_Property: TypeAlias = Callable[[NodeRecord, TextRecord, View, int], Term | None]
_NAMED: Final[dict[str, _Property]] = {
    "content": lambda record, text, *_: Literal(text.text) if text.spans else None,
    "phrase": lambda record, text, *_: Literal(text.phrase),
    "speaker": lambda record, text, *_: None if text.speaker is None else Literal(text.speaker),
    "happened": lambda record, text, *_: (
        None if text.happened is None else Literal(moment(*text.happened).isoformat(), XSD_DATETIME)
    ),
    "createdAt": lambda record, text, *_: _when(text.created),
    "scanCount": lambda record, text, view, node: _integer(max(0, view.passes - record.born)),
    "uses": lambda record, *_: _integer(record.uses),
    "importance": lambda record, text, view, node: Literal(repr(view.importance(node)), XSD_DOUBLE),
    "validTo": lambda record, *_: _when(record.valid_to),
    "expires": lambda record, *_: _when(record.expires),
    "validFrom": lambda record, text, *_: _when(
        text.valid_from if record.valid_from is None else record.valid_from
    ),
    "realm": lambda record, text, *_: Literal(kind_of(record, text).realm),
    "confidence": lambda record, text, *_: Literal(
        repr(kind_of(record, text).confidence), XSD_DOUBLE
    ),
    "temporality": lambda record, text, *_: Literal(kind_of(record, text).temporality),
    "kindSource": lambda record, text, *_: Literal(kind_of(record, text).source),
}
_PROPERTIES: Final = {_constant(f"memory:{name}"): found for name, found in _NAMED.items()}
_OF_LINKS: Final = (FROM, TO, RELATION, STRENGTH)
PREDICATES: Final = (*_PROPERTIES, MEMBER, ORDER, *_OF_LINKS)
"""The predicates of virtual triples; MENTIONS and those of the hierarchy answer patterns that name
them, but are never listed."""
_METADATA: Final = "memory:metadata_"  # followed by the percent-encoded name
_VIRTUAL: Final = frozenset((*PREDICATES, MENTIONS, *_HIERARCHY))


class Presented:
    """The source of a memory's triples at one view: its own and the virtual ones of this module.
    Ids of virtual terms are known to this object only: use its `term` and `identify`."""

    def __init__(self, view: View, mentions: Mentions, size: Size, levels: Levels) -> None:
        self.view = view
        self._levels = levels
        self.tick: Callable[[], None] = lambda: None
        """Called regularly while reading; an exception from it ends the reading."""
        self._mentions = mentions
        self._own = MemoryTriples(view, size)
        self._terms = dict(_CONSTANTS)
        self._links: dict[bytes, StoredLink | None] = {}
        self._strengths: dict[int, bytes] = {}  # L → id of the present strength
        self._mentioning: dict[bytes, frozenset[int]] = {}
        self._names: dict[bytes, str] = {}  # id of a predicate → name in metadata

    # -- terms --------------------------------------------------------------------------------

    def term(self, identifier: bytes) -> Term:
        """The term of an id from `match` or `identify`."""
        known = self._terms.get(identifier)
        if known is not None:
            return known
        if (link := self._links.get(identifier)) is not None:
            return IRI(self._link_iri(link))
        return self._own.term(identifier)

    def identify(self, term: Term) -> bytes:
        """The id of a term, which need not be stored. In a `relation:` more may be percent-encoded
        than where it is stored; one that a fact has is taken as it is."""
        identifier = terms.encode_once(term)
        relation = term.value if isinstance(term, IRI) else ""
        if relation.startswith(PREFIX) and self._look_up(identifier) is None:
            term = IRI(named(name_of(relation)))
            identifier = terms.encode_once(term)
        if not terms.is_inline(identifier):
            self._terms[identifier] = term
        if isinstance(term, IRI) and term.value.startswith(_METADATA):
            self._names[identifier] = unquote(term.value.removeprefix(_METADATA))
        return identifier

    def _is_virtual(self, p: bytes | None) -> bool:
        return p in _VIRTUAL or p in self._names

    # -- as a source of joins -----------------------------------------------------------------

    def match(self, s: bytes | None, p: bytes | None, o: bytes | None) -> Iterator[TripleIds]:
        if p is not None and self._is_virtual(p):
            return self._virtual(s, p, o)
        own = self._own.match(s, p, o)
        if s is None:
            own = self._watched(own)
        if p is not None:
            return own
        parts = [self._virtual(s, q, o) for q in self._predicates_of(s)]
        if o is None:
            parts.append(self._of_each_link(s))
        else:  # an index answers for some of them
            parts += (self._virtual(s, q, o) for q in _OF_LINKS)
        return chain(own, self._of_each_node(s, o), *parts)

    def holds(self, asked: Sequence[TripleIds]) -> list[bool]:
        virtual = self._is_virtual
        own = iter(self._own.holds([ids for ids in asked if not virtual(ids[1])]))
        return [any(self._virtual(*ids)) if virtual(ids[1]) else next(own) for ids in asked]

    def value_of(self, p: bytes) -> Callable[[bytes], bytes | None] | None:
        def of_link(s: bytes) -> bytes | None:
            link = self._link_of(s)
            return None if link is None else self._of_link(link, p)

        def of_node(s: bytes) -> bytes | None:
            return next((value for _, _, value in self._virtual(s, p, None)), None)

        if p in _OF_LINKS:
            return of_link
        return of_node if p in self._names or p in _PROPERTIES else None

    def estimate(self, known: Known) -> Estimate:
        s, p, o = known
        if isinstance(p, bytes) and not self._is_virtual(p):
            return self._own.estimate(known)
        state = self.view.state
        links = max(1.0, state.links / state.nodes) if state.nodes else _RELATIVES
        if p == MENTIONS:
            if isinstance(o, bytes):
                found = float(len(self._mention(o)))
                return Estimate(found / max(1, state.nodes) if s else found)
            return Estimate(1.0, is_scan=o is None)
        if s:
            return Estimate(0.5 if o and p else 1.0 if p else 16.0)
        if p in _HIERARCHY and o:
            return Estimate(_MEMBERS)
        if p in (MEMBER, ORDER):
            return Estimate(5.0)
        if p in (FROM, TO) and o:
            return Estimate(links)
        if p == RELATION and isinstance(o, bytes):
            return self._own.estimate(Known(None, o, None))
        if p in _OF_LINKS:
            return Estimate(float(state.links) / (10.0 if o else 1.0), is_scan=True)
        rows = float(state.nodes) if p else self._own.estimate(known).rows + 12.0 * state.nodes
        return Estimate(rows / (10.0 if o else 1.0), is_scan=True)

    def _watched(self, found: Iterator[Found]) -> Iterator[Found]:
        """The items of a scan, with regular ticks, since filters after it may pass none on."""
        for some in batches(found):
            self.tick()
            yield from some

    # -- virtual triples ----------------------------------------------------------------------

    def _predicates_of(self, s: bytes | None) -> Sequence[bytes]:
        """The virtual predicates that a subject can have, without properties and links."""
        if s is None:
            return MEMBER, ORDER
        return (ORDER,) if terms.decode_node(s) is not None else (MEMBER,)

    def _virtual(self, s: bytes | None, p: bytes, o: bytes | None) -> Iterator[TripleIds]:
        found: Ends
        if p in self._names:
            return self._of_each_node(s, o, {}, {self._names[p]})
        if p in _PROPERTIES:
            return self._of_each_node(s, o, {p: _PROPERTIES[p]}, ())
        if p == MENTIONS:
            return self._mentioned(s, o)
        if p in (MEMBER, ORDER):
            found = self._focus(s, p)
        elif p in _HIERARCHY:
            found = self._of_levels(s, p, o)
        else:
            found = ((link_id, self._of_link(k, p)) for link_id, k in self._links_for(s, p, o))
        return ((subject, p, obj) for subject, obj in found if o is None or obj == o)

    def _of_each_node(
        self,
        s: bytes | None,
        o: bytes | None,
        properties: Mapping[bytes, _Property] = _PROPERTIES,
        names: Collection[str] | None = None,
    ) -> Iterator[TripleIds]:
        """The triples of properties and metadata (names: None: all) of a subject or of all nodes,
        each of whose records is read once."""
        for node, record, text in self._pairs(s):
            found = [(p, read(record, text, self.view, node)) for p, read in properties.items()]
            for name, value in text.metadata:
                if value is not None and (names is None or name in names):
                    p = self.identify(IRI(_METADATA + quote(name, safe="")))
                    found.append((p, _scalar(value)))
            for p, term in found:
                obj = None if term is None else self.identify(term)
                if obj is not None and o in (None, obj):
                    yield terms.encode_node(node), p, obj

    def _pairs(self, s: bytes | None) -> Iterator[tuple[int, NodeRecord, TextRecord]]:
        """The records of a subject, if it is a node; of all nodes for None."""
        if s is not None:
            node = terms.decode_node(s)
            some: Iterable[Sequence[int]] = () if node is None else ([node],)
        else:
            some = batches(self._watched(self.view.nodes()))
        for batch in some:
            yield from self.view.pairs(batch)

    def _focus(self, s: bytes | None, p: bytes) -> Ends:
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

    # -- levels -------------------------------------------------------------------------------

    def _of_levels(self, s: bytes | None, p: bytes, o: bytes | None) -> Ends:
        levels = self._levels
        if p == ABSTRACTED_BY:
            for node, theme in self._abstractions(levels, s, o):
                yield terms.encode_node(node), self.identify(IRI(f"theme:{theme}"))
            return
        for session, number, nodes in self._episodes(levels, s, p, o):
            episode = self.identify(IRI(f"episode:{_quoted(session)}/{number}"))
            for node in nodes:
                turn = terms.encode_node(node)
                if p == BELONGS_TO and s in (None, turn):
                    yield turn, episode
                elif p == SUPPORTS and s in (None, episode) and levels.theme(node) is not None:
                    yield episode, turn

    def _abstractions(
        self, levels: Levels, s: bytes | None, o: bytes | None
    ) -> Iterable[tuple[int, int]]:
        """The matching pairs (node, theme)."""
        if s is not None:
            node = terms.decode_node(s)
            theme = None if node is None else levels.theme(node)
            return () if node is None or theme is None else ((node, theme),)
        if o is None:
            return self._watched(iter(levels.themes()))
        found = self._iri_of(o, _THEME_IRI)
        if found is None:
            return ()
        return ((node, int(found[1])) for node in levels.members(int(found[1])))

    def _episodes(
        self, levels: Levels, s: bytes | None, p: bytes, o: bytes | None
    ) -> Iterable[tuple[str, int, Sequence[int]]]:
        """(session, number, nodes) of the episodes that can have such a triple."""
        turn, episode = (s, o) if p == BELONGS_TO else (o, s)
        if turn is not None:
            node = terms.decode_node(turn)
            place = None if node is None else levels.episode(node)
            return () if node is None or place is None else ((*place, (node,)),)
        if episode is None:
            return self._watched(iter(levels.episodes()))
        found = self._iri_of(episode, _EPISODE_IRI)
        if found is None or _quoted(session := unquote(found[1])) != found[1]:
            return ()  # one episode, one IRI
        number = int(found[2])
        return ((session, number, levels.turns(session, number)),)

    def _iri_of(self, identifier: bytes, form: re.Pattern[str]) -> re.Match[str] | None:
        if terms.is_inline(identifier):
            return None
        term = self._terms.get(identifier) or self._look_up(identifier)
        return form.match(term.value) if isinstance(term, IRI) else None

    # -- links --------------------------------------------------------------------------------

    def _of_each_link(self, s: bytes | None) -> Iterator[TripleIds]:
        """The virtual triples of a link or of every link, each of which is read once."""
        for identifier, link in self._links_for(s, None, None):
            for p in _OF_LINKS:
                yield identifier, p, self._of_link(link, p)

    def _of_link(self, link: StoredLink, p: bytes) -> bytes:
        if p == TO:
            return terms.encode_node(link.target)
        if p == FROM:
            return terms.encode_node(link.source)
        if p == RELATION:
            return self.view.relations.term(self.view.relations.name(link.relation))
        known = self._strengths.get(link.level)
        if known is None:
            value = strength.decode(link.level, self.view.passes, self.view.scope.decay)
            known = self.identify(Literal(repr(value), XSD_DOUBLE))
            self._strengths[link.level] = known
        return known

    def _links_for(
        self, s: bytes | None, p: bytes | None, o: bytes | None
    ) -> Iterable[tuple[bytes, StoredLink]]:
        """The links that can have a virtual triple (s, p, o)."""
        if s is not None:
            link = self._link_of(s)
            return () if link is None else ((s, link),)
        node = None if o is None else terms.decode_node(o)
        if o is not None and p in (FROM, TO):
            if node is None:
                return ()
            own = self._own
            return map(self._known, own.out(node) if p == FROM else own.into(node))
        if o is not None and p == RELATION:
            code = self.view.relations.code_of(o)
            return () if code is None else map(self._known, self._own.of_relation(code))
        every = map(self._own.out, self._watched(self.view.nodes()))
        return map(self._known, chain.from_iterable(every))

    def _link_of(self, identifier: bytes) -> StoredLink | None:
        """The link of an id that was read, or is in the query or in a fact; None if there is
        none."""
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

    def _link(self, source: int, relation: str, target: int, iri: str) -> StoredLink | None:
        if max(source, target) >= 1 << 64:
            return None
        names = self.view.relations
        code = names.code_of(names.term(relation))
        link = None if code is None else self._own.link(source, code, target)
        # One link, one IRI.
        return link if link is not None and self._link_iri(link) == iri else None

    def _known(self, link: StoredLink) -> tuple[bytes, StoredLink]:
        identifier = terms.encode_hashed(self._link_iri(link))
        self._links[identifier] = link
        return identifier, link

    def _link_iri(self, link: StoredLink) -> str:
        relation = _quoted(self.view.relations.name(link.relation))
        return f"link:{link.source}/{relation}/{link.target}"


def _scalar(value: Scalar) -> Literal:
    match value:
        case bool():
            return Literal("true" if value else "false", _XSD_BOOLEAN)
        case int():
            return _integer(value)
        case float():
            return Literal(repr(value), XSD_DOUBLE)
    return Literal(str(value))


@lru_cache(maxsize=256)
def _quoted(relation: str) -> str:
    return quote(relation, safe="")
