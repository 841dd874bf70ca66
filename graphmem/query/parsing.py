"""Parsing of queries within limits, and a cache of parsed queries with their plans."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock, local
from typing import Any, Final, NamedTuple, cast

from lru import LRU
from pyparsing import ParseBaseException, ParseResults
from rdflib.paths import Path
from rdflib.plugins.sparql import parser
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery, parseUpdate
from rdflib.plugins.sparql.parserutils import CompValue, Expr
from rdflib.plugins.sparql.sparql import Query
from rdflib.term import BNode, Identifier, Variable

from graphmem.errors import (
    GraphMemError,
    QueryLimitError,
    QueryRefusedError,
    QuerySyntaxError,
)
from graphmem.hexastore.planner import Plan
from graphmem.query.limits import Limits, watched
from graphmem.values.checks import check_str

_LONGEST: Final = 100_000  # characters of a query
_PREPARED: Final = 64  # cached parsed queries
_REFUSED: Final = {
    "ServiceGraphPattern": "SERVICE would use the network",
    "Graph": "GRAPH asks of a named graph, and a memory is one graph: leave it out",
}
_CHANCE: Final = frozenset(f"Builtin_{n}" for n in ("RAND", "UUID", "STRUUID", "BNODE"))
_OPEN: Final = frozenset((Variable, BNode))  # in a query a blank node is a variable
_EXISTS: Final = frozenset(("Builtin_EXISTS", "Builtin_NOTEXISTS"))
_LONG_EXPONENT: Final = re.compile(r"\s*[+-]?[\d_.]+[eE]([+-]?[\d_]{4,})\s*")


class Shape:
    """The fixed parts of a basic graph pattern."""

    def __init__(self, part: CompValue) -> None:
        self.plain = [triple for triple in part.triples if not isinstance(triple[1], Path)]
        self.paths = [triple for triple in part.triples if isinstance(triple[1], Path)]
        names = dict.fromkeys(n for triple in self.plain for n in triple if type(n) in _OPEN)
        self.constants = [n for triple in self.plain for n in triple if type(n) not in _OPEN]
        self.columns: dict[Identifier, str] = {
            name: f"_:{name}" if type(name) is BNode else str(name) for name in names
        }
        self.names = {column: name for name, column in self.columns.items()}


class _Condition(NamedTuple):
    """One of the conditions of a filter."""

    expression: Any
    names: set[Identifier]  # its variables
    is_plain: bool  # its value depends on the term alone


class Prepared:
    """A parsed query with everything that its evaluations can reuse, by the `id` of operators."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.limits = Limits()
        """The limits of the current evaluation, to which the expressions keep."""
        for part in _parts(query.algebra):
            if isinstance(part, Expr) and part._evalfn is not None:
                part._evalfn = watched(part, lambda: self.limits)
        self.plans: dict[tuple[int, tuple[str, ...]], Plan] = {}  # by operator, bound names
        self.needed: dict[int, set[Identifier]] = {}
        """Operator → the variables that are needed of it; without operators that need all."""
        self._shapes: dict[int, Shape] = {}
        self._conditions: dict[int, list[_Condition]] = {}

    def shape(self, part: CompValue) -> Shape:
        known = self._shapes.get(id(part))
        if known is None:
            known = self._shapes[id(part)] = Shape(part)
        return known

    def conditions(self, part: CompValue) -> list[_Condition]:
        """The conditions of a filter, all of which must hold."""
        known = self._conditions.get(id(part))
        if known is None:
            known = self._conditions[id(part)] = [
                _Condition(expression, names_in(expression), _is_plain(expression))
                for expression in conjuncts(part.expr)
            ]
        return known

    def narrow(self, project: CompValue) -> None:
        """Record which variables a projection needs of the basic graph pattern below it."""
        if id(project) in self.needed:
            return
        needed = self.needed[id(project)] = set(project.PV)
        part = project.p
        while part.name in ("OrderBy", "Extend", "Filter"):
            needed |= names_in(part.expr)
            part = part.p
        if part.name == "BGP":
            self.needed[id(part)] = needed | names_in(self.shape(part).paths)


class Kept:
    """Prepared queries, each lent to one evaluation at a time: rdflib's expressions keep state."""

    def __init__(self) -> None:
        self._queries: LRU[Any, Prepared] = LRU(_PREPARED)
        self._lock = Lock()

    def take(self, key: Any) -> Prepared | None:
        """Take an unused prepared query out of the cache, None if there is none."""
        with self._lock:
            return self._queries.pop(key, None)

    def give_back(self, key: Any, query: Prepared) -> None:
        """Put a prepared query back into the cache."""
        with self._lock:
            self._queries[key] = query


kept = Kept()
"""The unused ones. Read it from the module: a forked child has its own."""
# pyparsing determines the signature of each of a grammar's functions at its first call. Two threads
# that do so at once break the grammar for the rest of the process.
_parsing = Lock()


def _after_fork() -> None:
    global kept, _parsing
    kept, _parsing = Kept(), Lock()


os.register_at_fork(after_in_child=_after_fork)


# Per thread: the limits of the query that is being parsed.
_parsed_within = local()


def _look_at_the_clock(text: str, place: int, tokens: Any) -> Any:
    """Check the deadline, in place of an empty hook of rdflib's grammar."""
    kept_to: Limits | None = getattr(_parsed_within, "limits", None)
    if kept_to is not None:
        kept_to.tick()
    return tokens


# Frequent parts of long queries. Other uses of rdflib's parser are not affected.
for _part in (
    parser.VAR1, parser.VAR2, parser.IRIREF, parser.INTEGER, parser.DECIMAL, parser.DOUBLE,
    parser.STRING_LITERAL1, parser.STRING_LITERAL2, parser.GroupGraphPattern,
):  # fmt: skip
    setattr(_part, "postParse", _look_at_the_clock)  # noqa: B010 - mypy: a method


@contextmanager
def _parse_within(kept_to: Limits) -> Iterator[None]:
    """Hold the parser's lock. Raises QueryTimeoutError."""
    while not _parsing.acquire(timeout=kept_to.left):
        kept_to.tick()
    try:
        _parsed_within.limits = kept_to
        yield
    finally:
        _parsed_within.limits = None
        _parsing.release()


def prepare(text: str, namespaces: Mapping[str, Any], kept_to: Limits) -> Query:
    """Parse a query. Raises QuerySyntaxError, QueryRefusedError, QueryLimitError,
    QueryTimeoutError."""
    check_str("a query", text)
    if len(text) > _LONGEST:
        raise QueryLimitError(f"a query has up to {_LONGEST:,} characters, this {len(text):,}")
    try:
        with _parse_within(kept_to):
            parsed = parseQuery(text)
    except ParseBaseException as error:
        if _is_update(text, kept_to):
            raise QueryRefusedError(
                "graph.sparql() only reads, this is an update; write with remember, graph.relate "
                "and graph.facts"
            ) from None
        raise QuerySyntaxError(
            f"line {error.lineno}, column {error.column}: no SPARQL query: {error.msg}",
            error.lineno,
            error.column,
        ) from None
    except RecursionError:
        raise QuerySyntaxError("the query is nested too deeply") from None
    except GraphMemError:
        raise
    except (ValueError, OverflowError) as error:  # "\uD800", a number of 5,000 digits
        raise QuerySyntaxError(f"no SPARQL query: {error}") from None
    for part in _parts(parsed):
        _check_literal(part)
    kept_to.tick()
    try:
        query = translateQuery(parsed, None, dict(namespaces))
    except RecursionError:
        raise QuerySyntaxError("the query is nested too deeply") from None
    except Exception as error:
        raise QuerySyntaxError(f"no SPARQL query: {error}") from error
    if query.algebra.datasetClause:
        raise QueryRefusedError("FROM names other graphs, and a memory is one graph: leave it out")
    for part in _parts(query.algebra):
        if part.name in _REFUSED:
            raise QueryRefusedError(f"refused: {_REFUSED[part.name]}")
    return query


def _check_literal(part: CompValue) -> None:
    """Raise QueryRefusedError for a number whose exponent rdflib would expand digit by digit,
    unless it is a double. Its datatype may be a prefixed name."""
    if part.name != "literal" or (datatype := dict.get(part, "datatype")) is None:
        return
    name = dict.get(datatype, "localname", "") if isinstance(datatype, dict) else datatype
    exponent = _LONG_EXPONENT.fullmatch(str(dict.get(part, "string", "")))
    if exponent and not str(name).endswith(("double", "float")):
        raise QueryRefusedError(
            f"refused: a literal with the exponent {exponent[1][:20]}; an xsd:decimal has none, "
            "and an xsd:double is written without quotes"
        )


def _is_update(text: str, kept_to: Limits) -> bool:
    try:
        with _parse_within(kept_to):
            return bool(parseUpdate(text).request)
    except GraphMemError:
        raise
    except (ParseBaseException, RecursionError, ValueError, OverflowError):
        return False


def _parts(value: object) -> Iterator[CompValue]:
    """Every operator and expression of an algebra."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case CompValue() as part:
                yield part
                waiting.extend(dict.values(part))
            case dict() as mapping:
                waiting.extend(mapping.values())
            case list() | tuple() | set() | ParseResults() as several:
                waiting.extend(several)


def names_in(value: object) -> set[Identifier]:
    """The variables in an expression, in patterns inside it too."""
    if type(value) in _OPEN:
        return {cast(Identifier, value)}
    if isinstance(value, dict):
        value = list(dict.values(value))
    if isinstance(value, list | tuple | set | frozenset):
        return set().union(*map(names_in, value))
    return set()


def conjuncts(expression: Any) -> Iterator[Any]:
    """The parts of a conjunction."""
    if isinstance(expression, CompValue) and expression.name == "ConditionalAndExpression":
        yield from conjuncts(expression.expr)
        for other in expression.other:
            yield from conjuncts(other)
    else:
        yield expression


def _is_plain(condition: Any) -> bool:
    return isinstance(condition, Expr) and not any(
        part.name in _CHANCE or part.name in _EXISTS for part in _parts(condition)
    )
