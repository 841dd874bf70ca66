"""What a reader is shown must be of one moment: one snapshot, one pass, and whole."""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis.strategies as st
import pytest
from hypothesis import given

import graphmem
from graphmem.api.memory import Memory
from graphmem.api.opening import rooms
from graphmem.graph import links, strength
from graphmem.graph.links import Entry
from graphmem.graph.view import STRONGEST, View, importance
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.transaction import Transaction

DECAY = strength.DEFAULT_DECAY


@pytest.fixture
def memory() -> Iterator[Memory]:
    with graphmem.open(None, worker="none") as memory:
        yield memory


def view_of(memory: Memory) -> View:
    return View(rooms(memory).store.snapshot(), rooms(memory).scope, rooms(memory).relations)


@given(
    strengths=st.lists(st.floats(0.001, 1), max_size=12), begun=st.integers(0, 9),
    more=st.integers(0, 100),
)  # fmt: skip
def test_importance_is_the_sum_of_the_four_strongest(
    strengths: list[float], begun: int, more: int
) -> None:
    """With all links a hub would live for ever; with broken ones, what nobody uses would too."""
    entries = [Entry(strength.encode(s, begun, DECAY), i, 1, 1) for i, s in enumerate(strengths)]
    head = b"".join(sorted(links.pack(*entry) for entry in entries))
    now = sorted((s * 0.97**more for s in strengths), reverse=True)[:STRONGEST]
    if any(abs(s - strength.BROKEN) < 1e-7 for s in now):
        return
    expected = sum(s for s in now if s >= strength.BROKEN)
    assert importance(head, begun + more, DECAY, True) == pytest.approx(expected, rel=2e-6)


def test_a_view_stays_at_its_moment(memory: Memory) -> None:
    """A text of now with links of then is a memory that never was."""
    a, b = memory.remember("Wen moved the release.")[0], memory.remember("Ada likes tea.")[0]
    view = view_of(memory)
    for _ in range(5):
        memory.sweep()
    memory.forget(b)
    memory.remember("Li stayed.")
    assert view.passes == 0
    assert list(view.nodes()) == [a.id, b.id]
    assert [(k.target, k.strength, k.dangling) for k in view.links(a.id)] == [(b.id, 1.0, False)]
    later = view_of(memory)
    assert [(k.target, k.dangling) for k in later.links(a.id)][-1] == (b.id, True)
    stone = later.tombstone(b.id)
    assert stone is not None
    assert (stone.phrase, stone.why, stone.passes) == (b.phrase, "asked", 5)


def test_links_are_strongest_first_and_newest_first_among_equals(memory: Memory) -> None:
    """Activation follows the first sixteen: the order decides what is remembered at all."""
    nodes = [memory.remember(f"Thing {i} is here.")[0] for i in range(4)]
    for target in (nodes[0], nodes[1]):
        memory.graph.relate(nodes[3], "x", target)
    memory.sweep()
    memory.graph.relate(nodes[3], "y", nodes[0])
    found = [(k.relation, k.target) for k in view_of(memory).links(nodes[3].id)]
    assert found[0] == ("y", nodes[0].id)
    assert [target for _, target in found[1:]] == sorted((t for _, t in found[1:]), reverse=True)


@pytest.mark.parametrize("reverse", [False, True])
def test_paging_over_nodes_misses_none(memory: Memory, reverse: bool) -> None:
    """A page that begins one further loses a node at every border."""
    for i in range(7):
        memory.remember(f"Thing {i} is here.")
    memory.forget(4)
    view, found = view_of(memory), []
    after = None
    while page := list(view.nodes(reverse, after))[:2]:
        found += page
        after = page[-1]
    assert found == sorted((1, 2, 3, 5, 6, 7), reverse=reverse)


def test_a_write_that_is_not_whole_is_not_seen(memory: Memory) -> None:
    """Half of a long text would be recalled as if it were all that was said."""
    nodes = [memory.remember(f"Thing {i} is here.")[0].id for i in range(5)]
    scope, store = rooms(memory).scope, rooms(memory).store
    with Transaction(store, scope) as tx:
        tx.put(scope.prefix(Space.INTENT) + keys.u64(nodes[1]), keys.u64(nodes[3]))
        tx.state.intents = 1
    view = view_of(memory)
    assert view.hidden == ((nodes[1], nodes[3]),)
    assert list(view.nodes()) == [nodes[0], nodes[4]]
    for node in nodes[1:4]:
        assert view.is_hidden(node)
        assert (view.record(node), view.text(node)) == (None, None)
    assert view.record(nodes[4]) is not None
    assert {hit.id for hit in memory.recall("thing", use=False)} == {nodes[0], nodes[4]}
    assert {node.id for node in memory.nodes()} == {nodes[0], nodes[4]}
