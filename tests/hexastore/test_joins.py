"""A join that is wrong is wrong silently: every one is compared with the plainest way to do it."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import hypothesis.strategies as st
import pytest
import rdflib
from hypothesis import given, settings

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, InvalidTermError
from graphmem.hexastore import joins, planner, scopes, terms
from graphmem.hexastore.facts import Facts
from graphmem.hexastore.planner import Plan, Stored
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import IRI, BlankNode, Literal, Term, Variable
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleWriter
from graphmem.storage.store import Store

RESOURCES: tuple[Any, ...] = (*(IRI(f"http://e.org/{n}") for n in "abcd"), IRI("node:1"))
PREDICATES: tuple[Any, ...] = RESOURCES[:3]
OBJECTS: tuple[Any, ...] = (*RESOURCES, Literal("a"), Literal("7", terms.XSD_INTEGER))
ROUNDS = int(os.environ.get("GRAPHMEM_QUERY_ROUNDS", "2"))  # of ten thousand queries
VARIABLES = tuple(Variable(name) for name in "xyzw")
Triples = frozenset[tuple[Term, Term, Term]]


def opened(store: Store, name: str = "agent") -> Scope:
    return scopes.open_scope(
        store, name, kind="rdf", decay=0.03, created=1, analyser=1, create=True
    )


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(None) as store:
        yield store


@pytest.fixture
def facts(store: Store) -> Facts:
    return Facts(store, opened(store))


def written(store: Store, scope: Scope, rows: Sequence[tuple[Term, Term, Term]]) -> Facts:
    with Transaction(store, scope) as tx:
        writer = TripleWriter(tx)
        for row in rows:
            s, p, o = map(writer.intern, row)
            writer.put(s, p, o)
    return Facts(store, scope)


def brute_force(graph: Triples, patterns: Sequence[tuple[Any, Any, Any]]) -> list[dict[str, Term]]:
    """Every pattern tried on every triple."""
    found: list[dict[str, Term]] = [{}]
    for pattern in patterns:
        longer = []
        for row, triple in product(found, graph):
            extended = dict(row)
            for part, term in zip(pattern, triple, strict=True):
                value = extended.setdefault(part.name, term) if isinstance(part, Variable) else part
                if value != term:
                    break
            else:
                longer.append(extended)
        found = longer
    return found


def counted(rows: Any) -> Counter[frozenset[tuple[str, Term]]]:
    return Counter(frozenset(row.items()) for row in rows)


TRIPLES = st.tuples(*map(st.sampled_from, (RESOURCES, PREDICATES, OBJECTS)))
PARTS = [st.one_of(st.sampled_from(VARIABLES), st.sampled_from(p)) for p in (RESOURCES, PREDICATES, OBJECTS)]  # fmt: skip
QUERIES = st.lists(st.tuples(*PARTS), max_size=4)


@settings(deadline=None)
@given(st.frozensets(TRIPLES, max_size=25), st.lists(QUERIES, min_size=1, max_size=10))
def test_a_search_finds_what_brute_force_finds(graph: Triples, queries: list[Any]) -> None:
    with Store.open(None) as store:
        facts = written(store, opened(store), sorted(graph, key=str))
        for patterns in queries:
            assert counted(facts.search(patterns)) == counted(brute_force(graph, patterns))


def random_patterns(chance: random.Random) -> list[tuple[Any, Any, Any]]:
    return [
        tuple(
            chance.choice(VARIABLES) if chance.random() < share else chance.choice(terms)
            for terms, share in ((RESOURCES, 0.8), (PREDICATES, 0.25), (OBJECTS, 0.7))
        )
        for _ in range(chance.choice((1, 2, 2, 3, 3, 4)))
    ]


def differences(graphs: int, queries: int, seed: int) -> list[Any]:
    chance = random.Random(seed)
    different = []
    with Store.open(None) as store:
        for number in range(graphs):
            graph = frozenset(
                (chance.choice(RESOURCES), chance.choice(PREDICATES), chance.choice(OBJECTS))
                for _ in range(chance.randrange(20))
            )
            facts = written(store, opened(store, f"graph {number}"), sorted(graph, key=str))
            for _ in range(queries):
                patterns = random_patterns(chance)
                if counted(facts.search(patterns)) != counted(brute_force(graph, patterns)):
                    different.append((graph, patterns))
    return different


BOUNDS = {
    planner: ("COUNTED", "_SAMPLED"),
    joins: ("_FIRST_CHUNK", "_LAST_CHUNK", "_SHORT", "_KEPT"),
}


@pytest.mark.parametrize("bound", [None, 1, 2])
def test_thousands_of_random_joins_agree_with_brute_force(
    bound: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With low bounds several chunks and readings too long to keep are met as well."""
    if bound is not None:
        for module, names in BOUNDS.items():
            for name in names:
                monkeypatch.setattr(module, name, bound)
    assert differences(15, 50, seed=bound or 3) == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_many_random_joins_agree_with_brute_force() -> None:
    """GRAPHMEM_QUERY_ROUNDS sets how many."""
    assert differences(100 * ROUNDS, 100, seed=2) == []


def many(store: Store) -> tuple[Facts, Triples]:
    """Enough triples that chunks and readings too long to keep are met."""
    chance = random.Random(3)
    iris = [IRI(f"http://e.org/{n}") for n in range(300)]
    p, q, hub = IRI("http://e.org/p"), IRI("http://e.org/q"), IRI("http://e.org/hub")
    rows = {(chance.choice(iris), chance.choice((p, q)), chance.choice(iris)) for _ in range(1500)}
    rows |= {(iri, hub, hub) for iri in iris} | {(hub, p, iri) for iri in iris}
    return written(store, opened(store), sorted(rows, key=str)), frozenset(rows)


X, Y, Z, W = VARIABLES
P, Q, HUB = (IRI(f"http://e.org/{name}") for name in ("p", "q", "hub"))
LARGE = {
    "path": [(X, P, Y), (Y, Q, Z)],
    "star": [(X, P, Y), (X, Q, Z)],
    "star of three": [(X, P, Y), (X, Q, Z), (X, HUB, HUB)],
    "by object": [(X, P, Y), (Z, Q, Y)],
    "hub": [(X, HUB, Y), (Y, P, Z)],
    "triangle": [(X, P, Y), (Y, P, Z), (Z, Q, X)],
    "loop": [(X, P, X)],
    "loop of a pair": [(X, P, Y), (Y, P, X)],
    "open predicate": [(HUB, Z, Y), (Y, HUB, W)],
    "everything": [(X, Y, Z)],
}


@pytest.mark.slow
@pytest.mark.parametrize("patterns", LARGE.values(), ids=LARGE)
def test_large_joins_agree_with_nested_loops_over_a_dict(store: Store, patterns: Any) -> None:
    facts, graph = many(store)
    by_predicate = Counter(p for _, p, _ in graph)
    assert by_predicate[P] > 500
    expected: list[dict[str, Term]] = [{}]
    for pattern in patterns:
        tables: dict[tuple[Term, ...], list[dict[str, Term]]] = {}
        known = [part.name for part in pattern if isinstance(part, Variable) and expected and part.name in expected[0]]  # fmt: skip
        for row in brute_force(graph, [pattern]):
            tables.setdefault(tuple(row[name] for name in known), []).append(row)
        expected = [
            {**row, **more}
            for row in expected
            for more in tables.get(tuple(row[name] for name in known), ())
        ]
    assert counted(facts.search(patterns)) == counted(expected)


def planned(store: Store, patterns: Sequence[tuple[Any, Any, Any]]) -> Plan:
    ids = [tuple(p.name if isinstance(p, Variable) else terms.encode(p) for p in row) for row in patterns]  # fmt: skip
    with store.snapshot() as snapshot:
        return planner.plan(Stored(snapshot, opened(store)), ids)  # type: ignore[arg-type]


def test_several_rows_share_a_reading_too_long_to_keep(store: Store) -> None:
    """The second of them found it read to its end, and lost all that it is joined with."""
    facts, graph = many(store)
    rare = IRI("http://e.org/rare")
    for name in ("http://e.org/1", "http://e.org/2", "http://e.org/3"):
        facts.put(IRI(name), rare, HUB)
    patterns = [(X, rare, Y), (Y, P, Z)]
    assert planned(store, patterns).steps[1].method == "look up"
    each = sum(1 for s, p, _ in graph if (s, p) == (HUB, P))
    assert each > 256
    assert sum(1 for _ in facts.search(patterns)) == 3 * each


def test_the_rarest_pattern_comes_first(store: Store) -> None:
    facts, _ = many(store)
    facts.put(IRI("http://e.org/1"), IRI("http://e.org/rare"), "x")
    plan = planned(store, [(X, P, Y), (X, IRI("http://e.org/rare"), Z)])
    assert plan.steps[0].pattern[0] == "x"
    assert plan.steps[0].pattern[2] == "z"
    assert plan.steps[1].method == "look up"
    told = facts.explain([(X, P, Y), (X, "http://e.org/rare", Z)])
    assert told.splitlines()[0] == "1. scan    ?x <http://e.org/rare> ?z  (~1 rows)"


def test_what_shares_no_variable_waits(store: Store) -> None:
    many(store)
    plan = planned(store, [(X, HUB, HUB), (Z, Q, W), (X, P, Y)])
    assert [step.is_product for step in plan.steps] == [False, False, True]


def test_a_search_is_lazy_and_sees_one_snapshot(store: Store) -> None:
    facts, graph = many(store)
    found = facts.search([(X, P, Y), (Z, Q, W)])
    next(found)  # the product has hundreds of thousands of rows
    facts.put(IRI("http://e.org/new"), P, IRI("http://e.org/new"))
    first = facts.search([(X, P, Y)])
    next(first)
    facts.delete(IRI("http://e.org/new"), P, IRI("http://e.org/new"))
    assert sum(1 for _ in first) + 1 == sum(1 for _, p, _ in graph if p == P) + 1


def test_pages_are_parts_of_the_whole_and_where_comes_before_them(store: Store) -> None:
    facts, _ = many(store)
    patterns: Any = [(X, P, Y), (Y, Q, Z)]
    whole = list(facts.search(patterns))
    assert list(facts.search(patterns, limit=7, offset=11)) == whole[11:18]
    assert list(facts.search(patterns, offset=len(whole))) == []
    assert list(facts.search(patterns, limit=1 << 80, offset=11)) == whole[11:]
    assert list(facts.search(patterns, limit=0)) == []
    kept = [row for row in whole if str(row["x"]) < str(row["z"])]
    assert list(facts.search(patterns, where=lambda r: str(r["x"]) < str(r["z"]), limit=5, offset=2)) == kept[2:7]  # fmt: skip


def test_a_join_ends_when_its_tick_raises(store: Store) -> None:
    many(store)
    patterns = [("x", terms.encode(P), "y"), ("z", terms.encode(P), "w")]
    ticks = iter(range(3))

    def tick() -> None:
        if next(ticks, None) is None:
            raise TimeoutError

    with store.snapshot() as snapshot:
        source = Stored(snapshot, opened(store))
        rows = joins.run(source, planner.plan(source, patterns), tick=tick)  # type: ignore[arg-type]
        with pytest.raises(TimeoutError):
            sum(1 for _ in rows)


def test_no_pattern_has_one_solution_and_constants_ask_yes_or_no(facts: Facts) -> None:
    facts.put("http://e.org/a", "http://e.org/p", "tea")
    there: Any = ("http://e.org/a", "http://e.org/p", "tea")
    absent: Any = ("http://e.org/a", "http://e.org/p", "coffee")
    assert list(facts.search([])) == [{}]
    assert list(facts.search([there])) == [{}]
    assert list(facts.search([there, there])) == [{}]
    assert list(facts.search([there, absent])) == []
    assert facts.explain([]) == "nothing to read: one row"


@pytest.mark.parametrize(
    "text", ['"', "\\", "a\nb", "::", "\x01", "茶 ☕", "?x", "", "\\u0041", "%"]
)
def test_any_text_is_found_by_a_join_as_it_was_written(facts: Facts, text: str) -> None:
    facts.put("http://e.org/a", "http://e.org/says", text)
    facts.put("http://e.org/b", "http://e.org/says", text + "!")
    found = facts.search([(X, "http://e.org/says", text), (X, "http://e.org/says", Y)])
    assert list(found) == [{"x": IRI("http://e.org/a"), "y": Literal(text)}]


def test_numbers_dates_nodes_and_blank_nodes_join_as_themselves(facts: Facts) -> None:
    facts.put(BlankNode("b"), "http://e.org/age", 7)
    facts.put(17, "http://e.org/age", 7)
    facts.put(17, "http://e.org/knows", BlankNode("b"))
    found = facts.search([(X, "http://e.org/age", Z), (Y, "http://e.org/age", Z), (Y, "http://e.org/knows", X)])  # fmt: skip
    assert list(found) == [{"x": BlankNode("b"), "z": Literal("7", terms.XSD_INTEGER), "y": IRI("node:17")}]  # fmt: skip


def test_rdflibs_terms_and_variables_are_taken(facts: Facts) -> None:
    facts.put("http://e.org/a", "http://e.org/p", "tea")
    patterns: Any = [(rdflib.Variable("who"), rdflib.URIRef("http://e.org/p"), rdflib.Literal("tea"))]  # fmt: skip
    assert list(facts.search(patterns)) == [{"who": IRI("http://e.org/a")}]


@pytest.mark.parametrize(
    ("patterns", "error"),
    [
        ("x", ArgumentTypeError),
        (7, ArgumentTypeError),
        (["spo"], ArgumentTypeError),
        ([(X, P)], InvalidArgumentError),
        ([(X, None, Y)], InvalidTermError),
        ([("a b", P, Y)], InvalidTermError),
        ([("?x", P, Y)], InvalidTermError),  # as SPARQL writes it; it would be found nowhere
    ],
)
def test_what_is_no_pattern_is_refused_at_once(facts: Facts, patterns: Any, error: type) -> None:
    with pytest.raises(error):
        facts.search(patterns)
    with pytest.raises(error):
        facts.explain(patterns)


@pytest.mark.parametrize("name", ["", None, 7])
def test_a_variable_needs_a_name(name: Any) -> None:
    with pytest.raises(InvalidTermError):
        Variable(name)


@pytest.mark.parametrize("page", [{"limit": -1}, {"offset": -1}, {"limit": True}, {"offset": 0.5}])
def test_a_page_is_checked_at_once(facts: Facts, page: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        facts.search([], **page)
