"""Activation against its formula written out: sums over walks, nothing lost to arrays or caches."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.graph.relations import Relations
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import scopes
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.recalling.activation import Spread, Spreading
from graphmem.storage.store import Store

Link = tuple[int, str, int, float, int]  # source, relation, target, strength, distance
LINKS = st.lists(
    st.tuples(
        st.integers(1, 6),
        st.sampled_from(("has", "of")),
        st.integers(1, 6),
        st.floats(0.02, 1.0),
        st.integers(1, 9),
    ),
    max_size=30,
    unique_by=lambda link: link[:3],
)


def opened(store: Store) -> tuple[Scope, Relations]:
    scope = scopes.open_scope(
        store, "s", kind="memory", decay=0.03, created=0, analyser=1, create=True
    )
    return scope, Relations(store, scope)


def link(store: Store, scope: Scope, relations: Relations, links: Sequence[Link]) -> None:
    with Transaction(store, scope) as tx:
        writer = GraphWriter(tx, relations)
        for source, relation, target, strength, distance in links:
            writer.link(source, relation, target, initial=strength, distance=distance)


def run(store: Store, scope: Scope, relations: Relations, spreading: Spreading) -> Spread:
    with store.snapshot() as snapshot:
        view = View(snapshot, scope, relations, snapshot.sequence)
        return spreading.run(view, {1: 1.0, 2: 0.25}, 2, None)


@given(links=LINKS, passes=st.integers(0, 60), named=st.sampled_from((None, ("has",))))
def test_what_arrives_is_the_sum_over_walks(
    links: list[Link], passes: int, named: tuple[str, ...] | None
) -> None:
    with Store.open(None) as store:
        scope, relations = opened(store)
        link(store, scope, relations, links)
        with Transaction(store, scope) as tx:
            tx.state.passes += passes
        out: dict[int, list[Link]] = {}
        for one in sorted(links, key=lambda one: -one[3]):
            out.setdefault(one[0], []).append(one)

        def hop(arrived: dict[int, float]) -> dict[int, float]:
            passed: dict[int, float] = {}
            for source, amount in arrived.items():
                mine = out.get(source, [])
                share = amount * 0.5 * (1 + math.log(max(1, len(mine)))) ** -0.25
                for _, relation, target, strength, distance in mine:
                    if strength * math.exp(-0.03 * passes) < 0.01:
                        continue
                    if named is None or relation in named:
                        weight = strength / mine[0][3] * 0.5 ** (distance - 1)
                        passed[target] = passed.get(target, 0.0) + share * weight
            return passed

        first = hop({1: 1.0, 2: 0.25})
        expected = dict(first)
        for node, amount in hop(first).items():
            expected[node] = expected.get(node, 0.0) + amount
        spreading = Spreading(links=256, budget=100, damping=0.5, fan=0.25)
        with store.snapshot() as snapshot:
            view = View(snapshot, scope, relations, snapshot.sequence)
            codes = None if named is None else relations.codes(named)
            for _ in ("cold", "cached"):
                found = spreading.run(view, {1: 1.0, 2: 0.25}, 2, codes)
                assert found.received == pytest.approx(expected, rel=1e-5)
                for node in expected:
                    assert found.origin(node) in {one[0] for one in links if one[2] == node}
                best = sorted(found.received.values(), reverse=True)[:2]
                kept = {found.received[node] for node in found.strongest(2)}
                assert kept == set(best)


def test_a_link_made_after_a_recall_is_followed_and_an_older_snapshot_stays_as_it_was() -> None:
    """A cached head that outlives a new link hides it from everybody."""
    spreading = Spreading(links=16, budget=100, damping=0.5, fan=0.0)
    with Store.open(None) as store:
        scope, relations = opened(store)
        link(store, scope, relations, [(1, "has", 3, 1.0, 1)])
        with store.snapshot() as before:
            old = View(before, scope, relations, before.sequence)
            assert set(run(store, scope, relations, spreading).received) == {3}
            link(store, scope, relations, [(1, "has", 4, 1.0, 1)])
            # It reads the old head, and must not put it back for those who come later.
            assert set(spreading.run(old, {1: 1.0}, 2, None).received) == {3}
            assert set(run(store, scope, relations, spreading).received) == {3, 4}
            assert set(spreading.run(old, {1: 1.0}, 2, None).received) == {3}
        assert set(run(store, scope, relations, spreading).received) == {3, 4}


@pytest.mark.parametrize("named", [None, ("has",)])
def test_of_a_hub_only_its_strongest_links_are_followed(named: tuple[str, ...] | None) -> None:
    """With a relation asked for too, which looks through all of them: a hub cost more than a leaf."""
    spreading = Spreading(links=2, budget=100, damping=0.5, fan=0.0)
    with Store.open(None) as store:
        scope, relations = opened(store)
        hub = [(1, "has", target, 1.0 - target / 10, 1) for target in range(3, 8)]
        link(store, scope, relations, [*hub, (1, "of", 9, 0.1, 1)])
        with store.snapshot() as snapshot:
            view = View(snapshot, scope, relations, snapshot.sequence)
            codes = None if named is None else relations.codes(named)
            assert set(spreading.run(view, {1: 1.0}, 1, codes).received) == {3, 4}


def test_nothing_arrives_without_links_or_hops() -> None:
    spreading = Spreading(links=16, budget=100, damping=0.5, fan=0.0)
    with Store.open(None) as store:
        scope, relations = opened(store)
        found = run(store, scope, relations, spreading)
        assert found.received == {}
        assert found.origin(1) is None
        assert found.strongest(5) == []
