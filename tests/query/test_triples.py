"""Facts and links are kept apart; whoever asks in patterns must see one graph, each triple once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import graphmem
from graphmem.api.memory import Memory
from graphmem.api.opening import rooms
from graphmem.graph import strength
from graphmem.graph.links import StoredLink
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.relations import iri
from graphmem.graph.writer import text_hash
from graphmem.hexastore import joins, planner, terms
from graphmem.hexastore.terms import IRI, Literal, Term
from graphmem.query.triples import MemoryTriples

Ids: TypeAlias = tuple[bytes, bytes, bytes]

NODES = range(1, 6)
RELATIONS = ("focus", "segment", "supersedes", "http://e.org/r", "knows")
WORDS = ("tea", "茶", "release")
SESSIONS = (None, "standup", "tea")
LINKS = st.dictionaries(
    st.tuples(st.sampled_from(NODES), st.sampled_from(RELATIONS), st.integers(1, 7)),
    st.sampled_from((1.0, 0.5, 0.02, 0.005)),  # the last one is broken
    max_size=14,
)
OBJECTS = st.sampled_from(
    (IRI("node:1"), IRI("node:3"), IRI("node:9"), Literal("tea"), IRI("http://e.org/x"))
)
FACTS = st.sets(
    st.tuples(
        st.sampled_from((IRI("node:1"), IRI("node:2"), IRI("http://e.org/x"))),
        st.sampled_from((IRI("http://e.org/r"), IRI("relation:knows"), IRI("http://e.org/p"))),
        OBJECTS,
    ),
    max_size=6,
)


@dataclass
class World:
    """What is in the memory, as plainly as it can be said."""

    links: dict[tuple[int, str, int], float]
    facts: set[tuple[Term, Term, Term]]
    said: dict[int, tuple[tuple[str, ...], str | None]]
    triples: set[Ids] = field(default_factory=set)

    def __post_init__(self) -> None:
        def add(*parts: Term) -> None:
            s, p, o = map(terms.encode, parts)
            self.triples.add((s, p, o))

        for node, (keywords, session) in self.said.items():
            add(IRI(f"node:{node}"), IRI(terms.RDF_TYPE), IRI("memory:Node"))
            for word in keywords:
                add(IRI(f"node:{node}"), IRI("memory:keyword"), Literal(word))
            if session is not None:
                add(IRI(f"node:{node}"), IRI("memory:session"), Literal(session))
        for (source, relation, target), value in self.links.items():
            if value >= strength.BROKEN:
                add(IRI(f"node:{source}"), IRI(iri(relation)), IRI(f"node:{target}"))
        for fact in self.facts:
            add(*fact)


WORLDS = st.builds(
    World,
    LINKS,
    FACTS,
    st.fixed_dictionaries(
        {
            node: st.tuples(
                st.lists(st.sampled_from(WORDS), max_size=2).map(tuple), st.sampled_from(SESSIONS)
            )
            for node in NODES
        }
    ),
)


def made(memory: Memory, world: World) -> None:
    with rooms(memory).changing() as writer:
        relations = rooms(memory).relations
        writer.reserve(len(NODES))
        for node, (keywords, session) in world.said.items():
            text = TextRecord(("Wen went.",), (1.0,), "Wen", keywords, session=session)
            record = NodeRecord(text_hash=text_hash(text))
            writer.restore(node, text, record)
            writer.set_due(node, record, 9)
            rooms(memory).texts.put(writer.tx, node, text.words)
        for (source, relation, target), value in world.links.items():
            code = relations.code(writer.tx, relation)
            level = strength.level(value)
            writer.links.restore(StoredLink(source, code, target, level, 1))
    for fact in world.facts:
        assert memory.graph.facts.put(*fact)


@pytest.fixture
def opened() -> Iterator[Memory]:
    with graphmem.open(None, worker="none", tuning=graphmem.Tuning(forgetting="passes")) as memory:
        yield memory


def values(world: World) -> list[list[bytes | None]]:
    """What may stand at each place: what is there, and what is not."""
    strange = [terms.encode(IRI("node:77")), terms.encode(IRI("http://e.org/nothing"))]
    places = ({ids[at] for ids in world.triples} for at in range(3))
    return [[None, *sorted(some)[:6], *strange] for some in places]


@given(world=WORLDS)
@settings(max_examples=settings().max_examples * 2 // 5)
def test_every_pattern_gives_what_is_there_and_each_triple_once(world: World) -> None:
    """A pattern that an index does not answer would be one that a query silently lacks."""
    with graphmem.open(None, worker="none", tuning=graphmem.Tuning(forgetting="passes")) as memory:
        made(memory, world)
        assert memory.admin.check() == []
        assert len(memory.graph.facts) == len(world.facts) == len(list(memory.graph.facts))
        with rooms(memory).reading() as view:
            source = MemoryTriples(view)
            for s, p, o in product(*values(world)):
                expected = {
                    ids
                    for ids in world.triples
                    if s in (None, ids[0]) and p in (None, ids[1]) and o in (None, ids[2])
                }
                found = list(source.match(s, p, o))
                assert len(found) == len(set(found))
                assert set(found) == expected
                assert (len(found) > 0) == (len(expected) > 0)
                if s is not None and p is not None and o is not None:
                    assert source.holds([(s, p, o)]) == [bool(expected)]
            for identifier in {part for ids in world.triples for part in ids}:
                assert terms.encode(source.term(identifier)) == identifier


PARTS = st.sampled_from(("?a", "?b", "?c")) | st.integers(0, 5)


@given(
    world=WORLDS, shapes=st.lists(st.tuples(PARTS, PARTS, PARTS), min_size=1, max_size=3),
    data=st.data(),
)  # fmt: skip
@settings(max_examples=settings().max_examples * 3 // 5)
def test_joins_over_facts_and_links_agree_with_brute_force(
    world: World, shapes: list[tuple[str | int, str | int, str | int]], data: st.DataObject
) -> None:
    """A join that drops rows says nothing."""
    known = [[part for part in some if part is not None] for some in values(world)]
    patterns: list[planner.IdPattern] = []
    for shape in shapes:
        s, p, o = (
            part if isinstance(part, str) else known[at][part % len(known[at])]
            for at, part in enumerate(shape)
        )
        patterns.append((s, p, o))
    rows: list[dict[str, bytes]] = [{}]
    for pattern in patterns:
        longer = []
        for row, ids in product(rows, world.triples):
            new = dict(row)
            if all(
                new.setdefault(part, value) == value if isinstance(part, str) else part == value
                for part, value in zip(pattern, ids, strict=True)
            ):
                longer.append(new)
        rows = longer
    expected = {tuple(sorted(row.items())) for row in rows}
    with graphmem.open(None, worker="none", tuning=graphmem.Tuning(forgetting="passes")) as memory:
        made(memory, world)
        with rooms(memory).reading() as view:
            source = MemoryTriples(view)
            plan = planner.plan(source, patterns)
            found = [
                tuple(sorted(zip(plan.variables, row, strict=True)))
                for row in joins.run(source, plan)
            ]
        assert len(found) == len(set(found))
        assert set(found) == expected
        asked = [
            tuple(
                graphmem.Variable(part[1:]) if isinstance(part, str) else _term(world, part)
                for part in pattern
            )
            for pattern in patterns
        ]
        searched = {
            tuple(sorted((f"?{n}", terms.encode(term)) for n, term in row.items()))
            for row in memory.graph.facts.search([(s, p, o) for s, p, o in asked])
        }
        assert searched == expected
        lines = " . ".join(
            " ".join(part if isinstance(part, str) else _term(world, part).n3() for part in pattern)
            for pattern in patterns
        )
        if not any(isinstance(term, Literal) for pattern in asked for term in pattern[:2]):
            answered = {
                tuple(
                    sorted((f"?{n}", terms.encode(terms.known(t))) for n, t in row.asdict().items())
                )
                for row in memory.graph.sparql(f"SELECT * {{ {lines} }}")
            }
            presented = {row for row in answered if all(v in _all_ids(world) for _, v in row)}
            # rdflib gives no row for a solution that binds nothing.
            assert expected - {()} <= answered
            if all(isinstance(pattern[1], bytes) for pattern in patterns):
                assert presented == expected - {()}


def _all_ids(world: World) -> set[bytes]:
    return {part for ids in world.triples for part in ids}


def _term(world: World, identifier: bytes) -> Term:
    if terms.is_inline(identifier):
        return terms.decode_inline(identifier)
    spoken: list[Term] = [Literal(word) for word in (*WORDS, "standup")]
    spoken += [IRI(iri(name)) for name in RELATIONS]
    spoken += [part for fact in world.facts for part in fact]
    spoken.append(IRI("http://e.org/nothing"))
    return next(term for term in spoken if terms.encode(term) == identifier)


@given(world=WORLDS)
@settings(max_examples=settings().max_examples * 2 // 5)
def test_links_and_incoming_agree_with_the_model(world: World) -> None:
    """The two lists of a link are read by different code, and must tell the same."""
    with graphmem.open(None, worker="none", tuning=graphmem.Tuning(forgetting="passes")) as memory:
        made(memory, world)
        whole = {k: v for k, v in world.links.items() if v >= strength.BROKEN}
        for node in NODES:
            out = [(k.relation, k.target, k.strength) for k in memory.graph.links(node)]
            assert [value for *_, value in out] == sorted((v for *_, v in out), reverse=True)
            assert {(r, t): pytest.approx(v, rel=1e-6) for r, t, v in out} == {
                (r, t): v for (s, r, t), v in whole.items() if s == node
            }
            assert {k.target for k in memory.graph.links(node) if k.dangling} == {
                t for (s, _, t) in whole if s == node and t not in NODES
            }
        with rooms(memory).reading() as view:
            for node in range(1, 8):
                found = [(k.source, k.relation, k.strength) for k in view.incoming(node)]
                assert [source for source, *_ in found] == sorted(s for s, *_ in found)
                assert {(s, r): pytest.approx(v, rel=1e-6) for s, r, v in found} == {
                    (s, r): v for (s, r, t), v in whole.items() if t == node
                }
