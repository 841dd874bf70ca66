"""What one act writes about nodes and links must agree in every place where it is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import hypothesis.strategies as st
import pytest
from hypothesis import given

import graphmem
from graphmem.graph import strength, vocabulary
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.relations import Relations
from graphmem.graph.view import View, words_of
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.words.index import WordIndex
from graphmem.maintenance import check
from graphmem.storage.store import Store

TEXT = TextRecord(("Wen went.",), (3.0,), "Wen", ("Wen",), session="standup")


class Graph:
    """A scope with nodes that have one text and no words, and what writes and reads it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.scope: Scope = scopes.open_scope(
            store, "agent", kind="memory", decay=strength.DEFAULT_DECAY, created=1, analyser=1,
            create=True,
        )  # fmt: skip
        self.relations = Relations(store, self.scope)
        self.index = WordIndex(store, self.scope, words_of(self.scope))

    @contextmanager
    def write(self) -> Iterator[GraphWriter]:
        with Transaction(self.store, self.scope) as tx:
            yield GraphWriter(tx, self.relations)

    def make(self, count: int) -> list[int]:
        with self.write() as writer:
            first = writer.reserve(count)
            for node in range(first, first + count):
                record = writer.create(node, TEXT)
                self.index.put(writer.tx, node, TEXT.words)
                writer.set_due(node, record, 1)
        return list(range(first, first + count))

    def dissolve(self, writer: GraphWriter, node: int) -> list[int]:
        record = writer.view.record(node)
        assert record is not None
        self.index.remove(writer.tx, node, TEXT.words)
        return writer.dissolve(node, TEXT, record)

    def passes(self, count: int) -> None:
        with Transaction(self.store, self.scope) as tx:
            tx.state.passes += count

    @property
    def view(self) -> View:
        return View(self.store, self.scope, self.relations)

    def strengths(self, node: int) -> dict[tuple[str, int], float]:
        return {(k.relation, k.target): k.strength for k in self.view.links(node)}

    def check(self) -> list[str]:
        return check.faults(self.store, self.scope)


@pytest.fixture
def graph() -> Iterator[Graph]:
    with Store.open(None) as store:
        yield Graph(store)


@given(
    acts=st.lists(
        st.tuples(st.integers(0, 40), st.floats(0.01, 1), st.integers(1, 5)), min_size=1, max_size=8
    )
)
def test_linking_again_strengthens_what_is_left(acts: list[tuple[int, float, int]]) -> None:
    """A link that starts anew with each use would forget how often it helped."""
    with Store.open(None) as store:
        graph = Graph(store)
        a, b = graph.make(2)
        expected, nearest = 0.0, 9
        for passes, initial, distance in acts:
            graph.passes(passes)
            expected *= 0.97**passes
            if abs(expected - strength.BROKEN) < 1e-6:
                return  # on the edge either is right
            if expected >= strength.BROKEN:
                expected = max(initial, expected + 0.5 * (1 - expected))
                nearest = min(nearest, distance)
            else:
                expected, nearest = initial, distance
            with graph.write() as writer:
                now = writer.link(a, "causes", b, initial=initial, distance=distance)
            assert now == pytest.approx(expected, abs=1e-5)
            assert graph.strengths(a) == {("causes", b): pytest.approx(expected, abs=1e-5)}
            assert [k.distance for k in graph.view.links(a)] == [nearest]
            assert graph.strengths(b) == {}
            assert graph.check() == []


def test_links_go_both_ways_only_where_asked(graph: Graph) -> None:
    """A relation by hand has a direction; a focus link has none."""
    a, b, c = graph.make(3)
    with graph.write() as writer:
        writer.link(a, "causes", b)
        writer.link_both(a, "focus", c, distance=3)
    assert set(graph.strengths(a)) == {("causes", b), ("focus", c)}
    assert set(graph.strengths(b)) == set()
    assert set(graph.strengths(c)) == {("focus", a)}
    assert graph.check() == []


def test_linking_with_the_focus_keeps_each_distance(graph: Graph) -> None:
    """All at distance 1, activation cannot tell what was said just now from what was long ago."""
    nodes = graph.make(7)
    with graph.write() as writer:
        for node in nodes[:-1]:
            writer.enter_focus(node)
        writer.link_with_focus(nodes[-1])
    found = {k.target: k.distance for k in graph.view.links(nodes[-1])}
    assert found == {node: k for k, node in enumerate(reversed(nodes[1:-1]), 1)}
    assert graph.view.focus == tuple(reversed(nodes[1:-1]))
    assert graph.check() == []


def test_a_node_is_not_linked_with_itself_in_focus(graph: Graph) -> None:
    """A link to itself would make a node important for ever, by its own hand."""
    a, b = graph.make(2)
    with graph.write() as writer:
        for node in (a, b):
            writer.enter_focus(node)
        writer.link_with_focus(b)
    assert {k.target for k in graph.view.links(b)} == {a}


def test_only_broken_links_are_cut(graph: Graph) -> None:
    """One comparison the wrong way round takes the strongest first."""
    a, *others = graph.make(300)
    for place, other in enumerate(others):
        with graph.write() as writer:
            writer.link(a, "causes", other)
        graph.passes(place % 2)
    before = graph.strengths(a)
    with graph.write() as writer:
        cut = writer.cut_broken(a)
    assert cut == []
    graph.passes(60)
    left = {key for key, value in before.items() if value * 0.97**60 >= strength.BROKEN}
    assert 0 < len(left) < 299
    assert set(graph.strengths(a)) == left, "broken links are not seen even before they are cut"
    with graph.write() as writer:
        cut = writer.cut_broken(a)
    assert len(cut) == len(set(cut)) == 299 - len(left)
    assert set(graph.strengths(a)) == left
    assert graph.scope.state.links == len(left)
    assert graph.check() == []
    graph.passes(400)
    with graph.write() as writer:
        writer.cut_broken(a)
    assert graph.scope.state.links == 0
    assert graph.check() == []


def test_a_broken_link_made_again_is_new(graph: Graph) -> None:
    """Strengthened from what was cut, it would remember more than it says."""
    a, b = graph.make(2)
    with graph.write() as writer:
        writer.link(a, "causes", b, distance=1)
    graph.passes(160)
    with graph.write() as writer:
        assert writer.link(a, "causes", b, initial=0.3, distance=4) == pytest.approx(0.3)
    assert [k.distance for k in graph.view.links(a)] == [4]
    assert graph.scope.state.links == 1
    assert graph.check() == []


def test_dissolving_takes_the_own_links_and_leaves_those_of_others(graph: Graph) -> None:
    """Links to what is gone dangle: they are how a memory knows that it once knew."""
    a, b, c = graph.make(3)
    with graph.write() as writer:
        writer.link_both(a, "focus", b)
        writer.link(a, "causes", c)
        writer.enter_focus(a)
    with graph.write() as writer:
        assert sorted(graph.dissolve(writer, a)) == [b, c]
    assert (graph.view.record(a), graph.view.text(a)) == (None, None)
    assert [(k.target, k.dangling) for k in graph.view.links(b)] == [(a, True)]
    assert graph.view.focus == ()
    assert [link.source for link in graph.view.incoming(a)] == [b]
    assert graph.view.incoming(c) == []
    assert graph.check() == []
    with graph.write() as writer:
        writer.cut_incoming(a)
    assert graph.view.incoming(a) == []
    assert graph.check() == []


def test_facts_do_not_keep_a_tombstone() -> None:
    """When the fact was deleted its tombstone stayed for ever, and check() found it."""
    with graphmem.open(None, worker="none") as memory:
        node = memory.remember("Wen moved the release.")[0]
        memory.graph.facts.put("http://e.org/s", "http://e.org/p", node)
        memory.forget(node)
        assert memory.admin.stats()["tombstones"] == 0
        assert memory.admin.check() == []
        assert memory.graph.facts.delete("http://e.org/s", "http://e.org/p", node)
        assert memory.admin.check() == []


def test_a_fact_about_a_node_to_come_is_not_counted_twice() -> None:
    """A correction's node has the next id: a fact asserted of it beforehand doubled its link.
    Now the same triple is a fact and a link, and each of them is counted once."""
    with graphmem.open(None, worker="none") as memory:
        a, b = memory.remember("Wen went.")[0], memory.remember("Ada came.")[0]
        memory.graph.relate(b, "http://e.org/r", a)
        memory.graph.facts.put(3, "http://e.org/r", a)
        assert memory.correct(b, "Ada came late.")[0].id == 3
        assert (3, "http://e.org/r", a) in memory.graph.facts
        assert [k.target for k in memory.graph.links(3) if k.relation == "http://e.org/r"] == [a.id]
        assert memory.admin.check() == []


def test_ids_are_never_given_twice(graph: Graph) -> None:
    """A new memory under an old id inherits links that were about something else."""
    first = graph.make(2)
    with graph.write() as writer:
        for node in first:
            graph.dissolve(writer, node)
    assert graph.make(2) == [3, 4]
    assert graph.check() == []


def test_the_due_index_has_one_key_a_node(graph: Graph) -> None:
    """A second key would have a node shortened twice in one pass."""
    (a,) = graph.make(1)
    for due in (5, 9, 2, 2):
        with graph.write() as writer:
            record = writer.view.record(a)
            assert record is not None
            assert writer.set_due(a, record, due).due == due
        start = graph.scope.prefix(Space.DUE)
        assert list(store_keys(graph, start)) == [start + keys.u64(due) + keys.u64(a)]
    assert graph.check() == []


def store_keys(graph: Graph, start: bytes) -> Iterator[bytes]:
    return graph.store.keys(start, keys.after(start))


def test_keywords_follow_the_text(graph: Graph) -> None:
    """A keyword that is no longer the node's would find it all the same."""
    (a,) = graph.make(1)
    new = TextRecord(TEXT.spans, TEXT.saliences, "Wen", ("Ada", "茶"), session="standup")
    with graph.write() as writer:
        writer.put_text(a, TEXT, new)
        graph.index.put(writer.tx, a, new.words, TEXT.words)
    assert graph.check() == []
    assert graph.view.text(a) == new
    found = partial(vocabulary.nodes_with, graph.store, graph.scope)
    assert [list(found(Space.KEYWORD, word)) for word in ("Wen", "Ada", "茶")] == [[], [a], [a]]
    assert list(found(Space.SESSION, "standup")) == [a]


def test_counters_follow_what_is_made_and_dissolved(graph: Graph) -> None:
    """Budgets are compared with these counters alone."""
    nodes = graph.make(3)
    with graph.write() as writer:
        record = writer.view.record(nodes[0])
        assert record is not None
        graph.dissolve(writer, nodes[0])
        graph.index.put(writer.tx, nodes[0], TEXT.words)
        writer.restore(nodes[0], TEXT, NodeRecord(text_hash=record.text_hash, pinned=True))
        again = writer.view.record(nodes[0])
        assert again is not None
        writer.set_due(nodes[0], again, 7)
    state = graph.scope.state
    assert (state.nodes, state.pinned, state.text_bytes) == (3, 1, 3 * TEXT.size)
    assert graph.check() == []
