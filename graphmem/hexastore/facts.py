"""Facts: triples that a user asserts, in terms instead of ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, TypeAlias
from urllib.parse import unquote

from graphmem.declaring import verb
from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    InvalidTermError,
    ReservedError,
    SecretError,
)
from graphmem.hexastore import joins, planner, terms, triples
from graphmem.hexastore.planner import IdPattern, Source, Stored
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import IRI, BlankNode, Literal, Term, Triple, Variable
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleWriter
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store, StoreSnapshot
from graphmem.values.checks import check_function, page

Pattern: TypeAlias = tuple[object, object, object]
"""Subject, predicate, object of a fact, any of them a Variable."""
_Terms: TypeAlias = tuple[Term | str, Term | str, Term | str]
"""The same as terms and names of variables."""

_DECODED: Final = 65_536  # decoded terms that a search caches


class Facts:
    """The triples that a user asserted in one scope; `search` joins them with all others.

    Subjects and predicates: an IRI with its scheme as `str` (`node:17` or the integer 17 is memory
    node 17), a node, `IRI`, `BlankNode`, or rdflib's terms. Objects: the same, except that a plain
    `str`, a number, bool, date or datetime is a literal. Every method raises InvalidTermError for
    others.
    """

    def __init__(
        self,
        store: Store,
        scope: Scope,
        *,
        joined: Callable[[StoreSnapshot], Source] | None = None,
        clean: Callable[[str, str], str] = lambda text, _: text,
    ) -> None:
        """joined: makes the source that `search` reads; None: the facts alone. clean: removes the
        secrets of a text before it is stored or searched; its second argument is the field name
        from subject and predicate."""
        self._store = store
        self._scope = scope
        self._joined = joined or (lambda snapshot: Stored(snapshot, scope, store.approximate_size))
        self._clean = clean

    @verb(writes=True, idempotent=True, command="put")
    def put(self, subject: object, predicate: object, obj: object) -> bool:
        """Store a fact. Returns True if it is new. Its nodes need not be there: they may be
        forgotten, or not yet made.

        Raises ReservedError for predicates under `memory:`. If it raises, nothing is written.
        """
        s, p, o = self._terms(subject, predicate, obj)
        if terms.is_reserved(p, o):
            raise ReservedError(
                f"{p.n3()} is written by graphmem itself; use a predicate of your own, "
                "or graph.relate to link nodes"
            )
        with Transaction(self._store, self._scope, joins=True) as tx:
            writer = TripleWriter(tx)
            return writer.put(writer.intern(s), writer.intern(p), writer.intern(o))

    @verb(writes=True, idempotent=True, command="delete")
    def delete(self, subject: object, predicate: object, obj: object) -> bool:
        """Delete a fact. Returns True if it existed. A link with the same triple stays.

        Raises ReservedError for predicates under `memory:`.
        """
        s, p, o = self._terms(subject, predicate, obj)
        if terms.is_reserved(p, o):
            raise ReservedError(
                f"{s.n3()} {p.n3()} {o.n3()[:80]} is not a fact: graphmem keeps it for a "
                "node; forget() or correct() the node to change it"
            )
        with Transaction(self._store, self._scope, joins=True) as tx:
            return TripleWriter(tx).delete(terms.encode(s), terms.encode(p), terms.encode(o))

    @verb(command="match")
    def match(
        self,
        subject: object = None,
        predicate: object = None,
        obj: object = None,
        *,
        limit: int | None = None,
        offset: int = 0,
        reverse: bool = False,
    ) -> Iterator[Triple]:
        """The facts that match the given terms (None matches any), from one snapshot.

        `limit` and `offset` are ≥ 0; the order is that of ids: stable, not alphabetical.
        """
        part = page(limit, offset)
        pattern = self._pattern(subject, predicate, obj)
        return self._match(pattern, part, bool(reverse))

    def _match(self, pattern: triples.Pattern, part: slice, reverse: bool) -> Iterator[Triple]:
        with self._scope.snapshot(self._store) as snapshot:
            found = triples.match(snapshot, self._scope, pattern, reverse=reverse)
            for ids in islice(found, part.start, part.stop):
                yield self._triple(snapshot, *ids)

    @verb(command="")
    def search(
        self,
        patterns: Iterable[Pattern],
        *,
        where: Callable[[Mapping[str, Term]], object] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Iterator[dict[str, Term]]:
        """The solutions of a join of patterns: for each a dict from variable name to term.

        Besides the facts it reads the type, keywords, session and links of nodes as triples.

            person, city = Variable("person"), Variable("city")
            facts.search([(person, "http://e.org/lives", city), (city, "http://e.org/in", "DE")])

        Lazy, from one snapshot; each solution occurs once, in no defined order. `where` is called
        with each solution and returns whether to keep it; `limit` and `offset` (≥ 0) count the
        kept ones. An empty list of patterns has one solution, the empty dict. Raises
        InvalidArgumentError, ArgumentTypeError, InvalidTermError.
        """
        part = page(limit, offset)
        ids = [*map(_ids, _patterns(patterns))]
        check_function("where", where)

        def solutions() -> Iterator[dict[str, Term]]:
            with self._scope.snapshot(self._store) as snapshot:
                source = self._joined(snapshot)
                plan = planner.plan(source, ids)
                decode = lru_cache(_DECODED)(source.term)
                found = (
                    dict(zip(plan.variables, map(decode, row), strict=True))
                    for row in joins.run(source, plan)
                )
                fitting = found if where is None else filter(where, found)
                yield from islice(fitting, part.start, part.stop)

        return solutions()

    @verb(command="")
    def explain(self, patterns: Iterable[Pattern]) -> str:
        """How `search` would evaluate these patterns now: one line for each step."""
        given = [*_patterns(patterns)]
        known = {part for pattern in given for part in pattern if not isinstance(part, str)}
        shown = {terms.encode(term): term.n3() for term in known}
        with self._scope.snapshot(self._store) as snapshot:
            source = self._joined(snapshot)
            plan = planner.plan(source, [*map(_ids, given)])
            return plan.explain(lambda identifier: shown[identifier][:60])

    @verb(command="count")
    def count(self, subject: object = None, predicate: object = None, obj: object = None) -> int:
        """The number of facts that match the given terms (None matches any)."""
        with self._scope.snapshot(self._store) as snapshot:
            return triples.count(snapshot, self._scope, self._pattern(subject, predicate, obj))

    @verb()
    def __contains__(self, triple: object) -> bool:
        if not isinstance(triple, tuple | list) or len(triple) != 3:
            raise ArgumentTypeError("a fact is a (subject, predicate, object)")
        s, p, o = map(terms.encode, self._terms(*triple))
        return Stored(self._store, self._scope).holds([(s, p, o)])[0]

    @verb()
    def __len__(self) -> int:
        return self.count()

    def __repr__(self) -> str:
        return f"<Facts of {self._scope.name!r}: {len(self)}>"

    @verb()
    def __iter__(self) -> Iterator[Triple]:
        return self.match()

    def _triple(self, reader: Reader, s: bytes, p: bytes, o: bytes) -> Triple:
        subject, predicate, obj = (triples.lookup(reader, self._scope, t) for t in (s, p, o))
        if isinstance(subject, Literal) or not isinstance(predicate, IRI):
            raise InvalidTermError(f"a stored triple is malformed: {subject.n3()} {predicate.n3()}")
        return Triple(subject, predicate, obj)

    def _terms(
        self, subject: object, predicate: object, obj: object
    ) -> tuple[IRI | BlankNode, IRI, Term]:
        for part in (subject, predicate):
            terms.check_absolute(part)
        s, p = (self._cleaned(terms.term(part, subject=True)) for part in (subject, predicate))
        if isinstance(s, Literal):
            raise InvalidTermError(
                f"a subject is an IRI, a blank node or a node, not {s.n3()[:80]}"
            )
        if not isinstance(p, IRI) or isinstance(predicate, int):
            raise InvalidTermError(f"a predicate is an IRI, not {p.n3()[:80]}")
        return s, p, self._cleaned(terms.term(obj), s, p)

    def _cleaned(self, term: Term, *of: Term) -> Term:
        return cleaned(term, self._clean, *of)

    def _pattern(self, subject: object, predicate: object, obj: object) -> triples.Pattern:
        s, p, o = (
            None if part is None else terms.term(part, subject=place < 2)
            for place, part in enumerate((subject, predicate, obj))
        )
        of = [term for term in (s, p) if term is not None]
        return (
            None if s is None else terms.encode(self._cleaned(s)),
            None if p is None else terms.encode(self._cleaned(p)),
            None if o is None else terms.encode(self._cleaned(o, *of)),
        )


def cleaned(term: Term, clean: Callable[[str, str], str], *of: Term) -> Term:
    """A term without secrets. clean: see `Facts`. of: for an object, its subject and predicate,
    which may show that it is one. Raises SecretError for an IRI or a blank node with a secret."""
    if isinstance(term, Literal):
        left = clean(term.lexical, field_name(*of))
        # A changed text is no longer a number or date.
        return term if left == term.lexical else Literal(left)
    left = clean(str(term), "")
    if left != str(term):
        raise SecretError(f"an IRI of a fact holds a secret, {left}; leave that out of it")
    return term


def field_name(*of: Term) -> str:
    """The field name of an object: the last parts of the IRIs of its subject and predicate, joined
    by spaces, such as "router wifi_password"."""
    parts = (re.split(r"[/#:]", term.value)[-1] for term in of if isinstance(term, IRI))
    return " ".join(unquote(part) for part in parts)


def _patterns(patterns: object) -> Iterator[_Terms]:
    """The patterns, each of three parts. Raises ArgumentTypeError, InvalidArgumentError."""
    if isinstance(patterns, str | bytes | Mapping) or not isinstance(patterns, Iterable):
        raise ArgumentTypeError(
            f"patterns is a list of (subject, predicate, object), got {type(patterns).__name__}"
        )
    for pattern in patterns:
        if isinstance(pattern, str) or not isinstance(pattern, Sequence):
            raise ArgumentTypeError(
                f"a pattern is (subject, predicate, object), got {type(pattern).__name__}"
            )
        if len(pattern) != 3:
            raise InvalidArgumentError(f"a pattern has three parts, got {len(pattern)}")
        yield _part(pattern[0], 0), _part(pattern[1], 1), _part(pattern[2], 2)


def _ids(pattern: _Terms) -> IdPattern:
    s, p, o = (part if isinstance(part, str) else terms.encode(part) for part in pattern)
    return s, p, o


def _part(part: object, place: int) -> Term | str:
    """A term, or the name of a variable, ours or rdflib's."""
    if isinstance(part, Variable):
        return part.name
    kind = type(part)
    if kind.__name__ == "Variable" and kind.__module__ == "rdflib.term":
        return str(part)
    if place < 2 and isinstance(part, str) and part.startswith("?"):
        raise InvalidTermError(
            f"{part[:80]!r} would be an IRI; a variable is Variable({part[1:81]!r})"
        )
    return terms.term(part, subject=place < 2)
