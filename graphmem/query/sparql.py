"""SPARQL over a memory: a read-only rdflib graph, and queries whose patterns our planner joins.

rdflib parses a query and evaluates its algebra. Basic graph patterns, with their filters on one
variable, are evaluated here; every other operator runs within limits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final, NoReturn, Self, TypeAlias, cast

from rdflib import Graph
from rdflib.plugins.sparql import CUSTOM_EVALS, evaluate
from rdflib.plugins.sparql.aggregates import Aggregator, GroupConcat
from rdflib.plugins.sparql.evalutils import _ebv, _eval, _fillTemplate, _join, _minus, _val
from rdflib.plugins.sparql.parserutils import CompValue, Expr
from rdflib.plugins.sparql.parserutils import value as value_of
from rdflib.plugins.sparql.processor import SPARQLResult
from rdflib.plugins.sparql.sparql import FrozenBindings, Query, QueryContext
from rdflib.query import Result
from rdflib.store import Store
from rdflib.term import Identifier, URIRef, Variable
from rdflib.term import Literal as RdflibLiteral

from graphmem.errors import ArgumentTypeError, GraphMemError, QueryError, ReadOnlyError
from graphmem.graph.view import View
from graphmem.hexastore import joins, planner, terms
from graphmem.hexastore.joins import Test
from graphmem.hexastore.planner import IdPattern, Plan
from graphmem.hexastore.terms import Literal, Term
from graphmem.query import limits, parsing
from graphmem.query.limits import TRIPLE, Limits
from graphmem.query.parsing import Prepared, Shape, conjuncts, names_in
from graphmem.query.virtual import Presented
from graphmem.rdf.rdflib_store import node_of

Bindings: TypeAlias = Mapping[str, Identifier]

PREFIXES: Final = {
    "memory": "memory:",
    "node": "node:",
    "link": "link:",
    "relation": "relation:",
    "focus": "focus:",
    "theme": "theme:",
    "episode": "episode:",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""Prefixes that a query may use without declaring them."""

_MOST_DECODED: Final = 1 << 17  # decoded terms that an evaluation caches
_MOST_TESTED: Final = 1 << 18  # ids for which a filter caches its result


class _Solution(FrozenBindings):
    """A row for rdflib, which takes over a dict instead of copying it."""

    def __init__(self, ctx: QueryContext, values: dict[Identifier, Identifier]) -> None:
        self.ctx = ctx
        self._d = values
        self._hash = None

    def project(self, vars: Container[Variable]) -> FrozenBindings:
        return _Solution(self.ctx, {n: value for n, value in self._d.items() if n in vars})

    def __getitem__(self, key: Identifier | str) -> Identifier:
        value = self._d.get(cast(Identifier, key))
        return super().__getitem__(key) if value is None else value


class MemoryGraph(Graph):
    """A memory as an rdflib graph, read-only, at one snapshot, which it holds until `close`, and
    one pass. `query` takes `seconds` as `Memory.graph.sparql` does. Every way to write raises
    ReadOnlyError."""

    def __init__(
        self, view: View, source: Callable[[], Presented], close: Callable[[], None]
    ) -> None:
        """Use `Memory.graph`. `source` makes sources of the view's triples."""
        super().__init__(store=_ViewStore(view, source, close), bind_namespaces="none")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def explain(self, query: str, *bound: str) -> str:
        """How `query` would be evaluated now: its operators, and a line for each pattern read.
        bound: the variables that are given with the query. Raises QuerySyntaxError,
        QueryRefusedError."""
        store = self.store
        assert isinstance(store, _ViewStore)
        return store.explain(query, bound)


class _ViewStore(Store):
    """The rdflib store of a MemoryGraph."""

    def __init__(
        self,
        view: View,
        source: Callable[[], Presented],
        close: Callable[[], None],
        *,
        prepared: Prepared | None = None,
        kept_to: Limits | None = None,
    ) -> None:
        """prepared: the query that it serves, with the limits `kept_to`."""
        super().__init__()
        self._view = view
        self._make = source
        self._close = close
        self.prepared = prepared
        self.limits = kept_to or Limits()
        self._prefixes = {name: URIRef(iri) for name, iri in PREFIXES.items()}
        self._decoded: dict[bytes, Identifier] = {}
        self._introduced: set[int] = set()

    @cached_property
    def source(self) -> Presented:
        source = self._make()
        source.tick = self.limits.tick
        return source

    def node(self, identifier: bytes) -> Identifier:
        node = self._decoded.get(identifier)
        if node is None:
            if len(self._decoded) >= _MOST_DECODED:
                self._decoded.clear()
            node = self._decoded[identifier] = _node_of(self.source.term(identifier))
        return node

    def introduce(self, shape: Shape) -> None:
        """Make the constants of a pattern known to the source: a cached plan has only their ids."""
        if id(shape) not in self._introduced:
            self._introduced.add(id(shape))
            for node in shape.constants:
                self.identify(node)

    def identify(self, node: object) -> bytes:
        return self.source.identify(terms.known(node))

    # -- the interface of an rdflib store -----------------------------------------------------

    def triples(self, triple_pattern: Any, context: Any = None) -> Any:
        """The triples that match a pattern (None: any)."""
        # Outside of a query every call has its own source, so that the caches do not grow.
        store = self if self.prepared is not None else self._store_for(None, None)
        s, p, o = (None if node is None else store.identify(node) for node in triple_pattern)
        store.limits.tick()
        for number, ids in enumerate(store.source.match(s, p, o), 1):
            if not number % 256:
                store.limits.tick()
            yield tuple(map(store.node, ids)), iter(())

    def __len__(self, context: Any = None) -> int:
        return sum(1 for _ in self._make().match(None, None, None))

    def close(self, commit_pending_transaction: bool = False) -> None:
        self._close()

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix for this view only."""
        if override or prefix not in self._prefixes:
            self._prefixes[prefix] = namespace

    def namespace(self, prefix: str) -> URIRef | None:
        return self._prefixes.get(prefix)

    def prefix(self, namespace: URIRef) -> str | None:
        return next((name for name, iri in self._prefixes.items() if iri == namespace), None)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        return iter(list(self._prefixes.items()))

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise ReadOnlyError("a graph only reads; write with remember, graph.relate and graph.facts")

    add = remove = add_graph = remove_graph = update = create = destroy = _refuse
    addN = _refuse  # noqa: N815

    # -- queries ------------------------------------------------------------------------------

    def query(
        self,
        query: str | Query,
        initNs: Mapping[str, Any],  # noqa: N803
        initBindings: Bindings,  # noqa: N803
        queryGraph: str,  # noqa: N803
        seconds: float | None = 30.0,
        **kwargs: Any,
    ) -> Result:
        """Answer a query completely within `seconds`; see `Memory.graph.sparql`."""
        if not isinstance(query, str):
            raise ArgumentTypeError(f"a query is a str, got {type(query).__name__}")
        namespaces = {**self._prefixes, **initNs}
        view = self._view
        sizes = (view.state.nodes, view.state.links, view.state.all_triples)
        # A plan is reused until the memory has half or twice the size.
        key = (query, *namespaces.items(), id(view.scope), *map(int.bit_length, sizes))
        kept_to = Limits(None if seconds is None else time.monotonic() + seconds)
        prepared = parsing.kept.take(key) or Prepared(parsing.prepare(query, namespaces, kept_to))
        prepared.limits = kept_to
        store = self._store_for(prepared, kept_to)
        graph = Graph(store=store, bind_namespaces="none")
        try:
            safe = {name: _readable(value) for name, value in initBindings.items()}
            answer = dict(evaluate.evalQuery(graph, prepared.query, safe))
            if answer["type_"] == "SELECT":
                # All rows, as dicts without references to the evaluation.
                answer["bindings"] = [
                    {n: value for n in answer["vars_"] if (value := row.get(n)) is not None}
                    for row in kept_to.held(answer["bindings"])
                ]
            elif answer["type_"] == "DESCRIBE" and prepared.query.algebra.p is None:
                # Without a WHERE, rdflib does not describe the given bindings.
                projected = set(map(str, prepared.query.algebra.PV))
                for name, thing in initBindings.items():
                    if str(name) in projected:
                        graph.cbd(thing, target_graph=answer["graph"])
        except (GraphMemError, MemoryError):
            raise
        except Exception as error:
            raise QueryError(f"the query cannot be evaluated: {error}") from error
        parsing.kept.give_back(key, prepared)
        return SPARQLResult(answer)

    def explain(self, query: str, bound: Collection[str]) -> str:
        prepared = Prepared(parsing.prepare(query, self._prefixes, Limits()))
        lines: list[str] = []
        _explain(self._store_for(prepared, None), prepared.query.algebra, bound, 0, lines)
        return "\n".join(lines)

    def _store_for(self, prepared: Prepared | None, kept_to: Limits | None) -> _ViewStore:
        return _ViewStore(self._view, self._make, self._close, prepared=prepared, kept_to=kept_to)


def _node_of(term: Term) -> Identifier:
    """rdflib's term; for an unreadable literal without its value."""
    if isinstance(term, Literal) and limits.is_unreadable(term.lexical, term.datatype):
        return _unread(term.lexical, term.datatype)
    return node_of(term)


def _readable(value: Identifier) -> Identifier:
    datatype = value.datatype if isinstance(value, RdflibLiteral) else None
    if datatype is not None and limits.is_unreadable(str(value), str(datatype)):
        return _unread(str(value), str(datatype))
    return value


def _unread(lexical: str, datatype: str) -> RdflibLiteral:
    """A literal that rdflib treats as ill-typed, so that it does not convert it."""
    literal = RdflibLiteral(lexical)
    literal._datatype = URIRef(datatype)
    literal._value = None
    literal._ill_typed = True
    return literal


# -- evaluating -------------------------------------------------------------------------------

_OPERATORS: Final[dict[str, Callable[[QueryContext, CompValue], Iterable[Any]]]] = {
    "Filter": evaluate.evalFilter,
    "LeftJoin": evaluate.evalLeftJoin,
    "ToMultiSet": evaluate.evalMultiset,
    "Slice": evaluate.evalSlice,
    "Reduced": evaluate.evalReduced,
    "Group": evaluate.evalGroup,
}
"""Operators that rdflib evaluates row by row."""


def _joined(ctx: QueryContext, part: CompValue, kept_to: Limits) -> Iterator[Any]:
    if part.lazy:
        yield from evaluate.evalLazyJoin(ctx, part)
        return
    rows = set(kept_to.held(evaluate.evalPart(ctx, part.p2)))
    yield from _join(evaluate.evalPart(ctx, part.p1), rows)


def _without(ctx: QueryContext, part: CompValue, kept_to: Limits) -> Iterator[Any]:
    rows = set(kept_to.held(evaluate.evalPart(ctx, part.p2)))
    return _minus(evaluate.evalPart(ctx, part.p1), rows)


def _united(ctx: QueryContext, part: CompValue, kept_to: Limits) -> Iterator[Any]:
    yield from evaluate.evalPart(ctx, part.p1)
    yield from evaluate.evalPart(ctx, part.p2)


def _extended(ctx: QueryContext, part: CompValue, kept_to: Limits) -> Iterator[Any]:
    for row in evaluate.evalExtend(ctx, part):
        if isinstance(part.expr, Expr):
            kept_to.keep(row.get(part.var))
        yield row


def _distinct(ctx: QueryContext, part: CompValue, kept_to: Limits) -> Iterator[Any]:
    seen: set[Any] = set()
    for row in evaluate.evalPart(ctx, part.p):
        if row not in seen:
            kept_to.hold(len(row))
            seen.add(row)
            yield row


def _ordered(ctx: QueryContext, part: CompValue, kept_to: Limits) -> list[Any]:
    rows = list(kept_to.held(evaluate.evalPart(ctx, part.p)))
    for condition in reversed(part.expr):

        def key(row: Any, expression: Any = condition.expr) -> limits.Key:
            return limits.Key(_val(value_of(row, expression, variables=True)), kept_to)

        rows.sort(key=key, reverse=condition.order == "DESC")
    return rows


def _aggregated(ctx: QueryContext, part: CompValue, kept_to: Limits) -> Iterator[Any]:
    by = part.p.expr
    groups: dict[Any, Aggregator] = {}
    for row in evaluate.evalPart(ctx, part.p):
        kept_to.tick()
        key = None if by is None else tuple([_eval(one, row, False) for one in by])
        group = groups.get(key)
        if group is None:
            kept_to.hold(len(by or ()) + 2 * len(part.A))
            group = groups[key] = _aggregator(part, kept_to)
        group.update(row)
    if by is None and not groups:
        groups[None] = _aggregator(part, kept_to)
    for group in groups.values():
        found = group.get_bindings()
        for value in found.values():
            kept_to.check(value)
            kept_to.keep(value)
        yield FrozenBindings(ctx, found)
    if not groups:
        yield FrozenBindings(ctx)


def _aggregator(part: CompValue, kept_to: Limits) -> Aggregator:
    aggregator = Aggregator(aggregations=part.A)
    for accumulator in aggregator.accumulators.values():
        if accumulator.distinct:
            accumulator.seen = limits.Seen(kept_to)
        if isinstance(accumulator, GroupConcat):
            accumulator.value = limits.Parts(kept_to, accumulator.separator)
    return aggregator


def _constructed(ctx: QueryContext, part: CompValue, kept_to: Limits) -> dict[str, Any]:
    template = part.template or part.p.p.triples  # CONSTRUCT WHERE has none
    graph = Graph()
    for row in evaluate.evalPart(ctx, part.p):
        kept_to.tick()
        for triple in _fillTemplate(template, row):
            kept_to.hold(TRIPLE)
            graph.add(triple)
    return {"type_": "CONSTRUCT", "graph": graph}


_LIMITED: Final[dict[str, Callable[[QueryContext, CompValue, Limits], Any]]] = {
    "Join": _joined,
    "Minus": _without,
    "Union": _united,
    "Extend": _extended,
    "Distinct": _distinct,
    "OrderBy": _ordered,
    "AggregateJoin": _aggregated,
}
"""Operators that hold rows or make texts, implemented as in rdflib, but within limits."""


def _evaluate(ctx: QueryContext, part: CompValue) -> Iterator[FrozenBindings]:
    """Evaluate an operator of a query on a memory. rdflib calls it for each operator, and evaluates
    those itself for which it raises NotImplementedError."""
    store = None if ctx.graph is None else ctx.graph.store
    if not isinstance(store, _ViewStore) or store.prepared is None:
        raise NotImplementedError
    if part.name == "Project":
        store.prepared.narrow(part)
        names = frozenset(part.PV)
        return (row.project(names) for row in evaluate.evalPart(ctx, part.p))
    if part.name == "BGP":
        return _pattern(ctx, store, store.prepared, part, {})
    if part.name == "Filter" and part.p.name == "BGP":
        return _filter(ctx, store, store.prepared, part)
    if part.name == "ConstructQuery":
        return cast(Iterator[FrozenBindings], _constructed(ctx, part, store.limits))
    if (limited := _LIMITED.get(part.name)) is not None:
        return store.limits.ticked(limited(ctx, part, store.limits))
    if (evaluated := _OPERATORS.get(part.name)) is not None:
        return store.limits.ticked(evaluated(ctx, part))
    raise NotImplementedError


CUSTOM_EVALS["graphmem"] = _evaluate


def _filter(
    ctx: QueryContext, store: _ViewStore, prepared: Prepared, part: CompValue
) -> Iterator[FrozenBindings]:
    """A filter on a basic graph pattern: each condition as soon as its variable is bound."""
    columns = prepared.shape(part.p).columns
    given: Collection[Any] = ctx.initBindings or ()
    tests: dict[str, list[Test]] = {}
    left = []
    for condition in prepared.conditions(part):
        names = condition.names.difference(given)
        name = next(iter(names)) if len(names) == 1 else None
        if name in columns and condition.is_plain and ctx[name] is None:
            test = _test(ctx, store, name, condition.expression)
            tests.setdefault(columns[name], []).append(test)
        else:
            left.append(condition.expression)
    for row in _pattern(ctx, store, prepared, part.p, tests):
        if left:
            seen = row if part.no_isolated_scope else row.forget(ctx, _except=part._vars)
            if not all(_ebv(expression, seen) for expression in left):
                continue
        yield row


def _test(ctx: QueryContext, store: _ViewStore, name: Identifier, condition: Any) -> Test:
    @lru_cache(_MOST_TESTED)
    def passes(identifier: bytes) -> bool:
        return bool(_ebv(condition, FrozenBindings(ctx, {name: store.node(identifier)})))

    return passes


def _pattern(
    ctx: QueryContext,
    store: _ViewStore,
    prepared: Prepared,
    part: CompValue,
    tests: Mapping[str, list[Test]],
) -> Iterator[FrozenBindings]:
    """The solutions of a basic graph pattern; property paths in it are left to rdflib."""
    shape = prepared.shape(part)
    store.introduce(shape)
    bound = {column: ctx[name] for name, column in shape.columns.items() if ctx[name] is not None}
    plan = _plan(store, prepared, part, tuple(bound))
    needed = prepared.needed.get(id(part))
    shown = [
        (shape.names[column], place)
        for place, column in enumerate(plan.variables)
        if column not in bound and (needed is None or shape.names[column] in needed)
    ]
    outer: dict[Identifier, Any] = dict(ctx.bindings)
    given = tuple(map(store.identify, bound.values()))
    node = store.node
    for row in joins.run(store.source, plan, given, tests, store.limits.tick):
        values = outer.copy()
        for name, place in shown:
            values[name] = node(row[place])
        solution = _Solution(ctx, values)
        if shape.paths:
            yield from evaluate.evalBGP(ctx.thaw(solution), shape.paths)
        else:
            yield solution


def _plan(store: _ViewStore, prepared: Prepared, part: CompValue, bound: tuple[str, ...]) -> Plan:
    """The plan of a basic graph pattern when the columns `bound` have values."""
    key = (id(part), bound)
    plan = prepared.plans.get(key)
    if plan is None:
        shape = prepared.shape(part)
        patterns: list[IdPattern] = []
        for triple in shape.plain:
            s, p, o = (shape.columns.get(node) or store.identify(node) for node in triple)
            patterns.append((s, p, o))
        plan = prepared.plans[key] = planner.plan(store.source, patterns, bound)
    return plan


# -- explaining -------------------------------------------------------------------------------


def _explain(
    store: _ViewStore, part: Any, bound: Collection[str], depth: int, lines: list[str]
) -> set[str]:
    """Add the description of an operator to `lines`; returns the variables bound after it."""
    known = set(bound)
    if not isinstance(part, CompValue):
        return known
    indent = "  " * depth
    if part.name == "BGP":
        assert store.prepared is not None
        shape = store.prepared.shape(part)
        plan = _plan(store, store.prepared, part, tuple(c for c in shape.names if c in known))
        rendered = plan.explain(lambda identifier: store.node(identifier).n3()[:60])
        lines.extend(indent + line for line in rendered.splitlines())
        lines.extend(
            f"{indent}path    {' '.join(node.n3() for node in triple)}  (by rdflib)"
            for triple in shape.paths
        )
        return known | set(plan.variables)
    lines.append(indent + part.name)
    if part.name == "Filter" and part.p.name == "BGP":
        names = [names_in(c) for c in conjuncts(part.expr)]
        early = sorted(str(next(iter(n))) for n in names if len(n) == 1)
        if early:
            lines.append(f"{indent}  tested when bound: {', '.join('?' + n for n in early)}")
    for child in ("p", "p1", "p2"):
        inner = dict.get(part, child)
        sees = known if part.name in ("Join", "LeftJoin") or child != "p2" else bound
        if isinstance(inner, CompValue):
            known |= _explain(store, inner, sees, depth + 1, lines)
    return known
