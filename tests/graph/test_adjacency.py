"""An entry in the wrong place is a link that recall never follows, or a hub that costs seconds."""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from graphmem.errors import CorruptError
from graphmem.graph import adjacency
from graphmem.graph.adjacency import ENTRY_BYTES, HEAD_ENTRIES, AdjacencyWriter, Entry
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.store import Store

LEVELS = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-3, 3)
TARGETS = st.integers(0, (1 << 64) - 1) | st.integers(0, 5)
CODES = st.integers(0, (1 << 32) - 1) | st.integers(1, 3)
ENTRIES = st.builds(Entry, LEVELS, TARGETS, CODES, st.integers(1, 255))
NODE = 7


def rank(entry: Entry) -> tuple[int, int, int]:
    """Strongest first, newest target first among equals, then by relation."""
    return -entry.level, -entry.target, entry.relation


@pytest.fixture
def place() -> Iterator[tuple[Store, Scope]]:
    with Store.open(None) as store:
        yield store, opened(store)


def opened(store: Store) -> Scope:
    return scopes.open_scope(
        store, "agent", kind="memory", decay=0.03, created=1, analyser=1, create=True
    )


def check(store: Store, scope: Scope, expected: list[Entry]) -> None:
    """The first 256 entries are in the head, the others behind it, all in order."""
    head = store.get(adjacency.head_key(scope, NODE)) or b""
    assert adjacency.entries(head) == expected[:HEAD_ENTRIES]
    assert adjacency.entries(head, 4) == expected[:4]
    behind = list(adjacency.overflow(store, scope, NODE))
    assert behind == expected[HEAD_ENTRIES:]
    assert list(adjacency.out_links(store, scope, NODE)) == expected
    assert bool(head) == bool(expected), "an empty head takes no key"
    start, stop = keys.scope_range(scope.id)
    live = sum(len(k) + len(v) for k, v in store.range(start, stop) if k[4] != Space.STATE)
    assert scope.state.live_bytes == live


@given(entries=st.lists(ENTRIES, min_size=2, max_size=20))
def test_packed_entries_sort_as_links_do(entries: list[Entry]) -> None:
    """The head is one sorted row of bytes: the strongest link must have the smallest."""
    assert [adjacency.unpack(adjacency.pack(*entry)) for entry in entries] == entries
    assert all(len(adjacency.pack(*entry)) == ENTRY_BYTES for entry in entries)
    by_bytes = sorted(entries, key=lambda entry: adjacency.pack(*entry)[: adjacency.KEY_BYTES])
    assert list(map(rank, by_bytes)) == sorted(map(rank, entries))


@given(
    begun=st.sampled_from((0, 5, HEAD_ENTRIES - 2, HEAD_ENTRIES, HEAD_ENTRIES + 3)),
    steps=st.lists(st.lists(st.tuples(ENTRIES, st.booleans()), max_size=6), max_size=6),
    data=st.data(),
)
@settings(max_examples=max(25, settings().max_examples // 2))
def test_adding_and_removing_keeps_the_order(
    begun: int, steps: list[list[tuple[Entry, bool]]], data: st.DataObject
) -> None:
    """Around 256 links, entries wander between head and overflow; each is one to lose or to double."""
    with Store.open(None) as store:
        scope = opened(store)
        plain = {rank(e): e for e in (Entry(i % 9, i, 1, 1) for i in range(begun))}
        with Transaction(store, scope) as tx:
            writer = AdjacencyWriter(tx)
            for entry in plain.values():
                writer.add(NODE, adjacency.pack(*entry))
        check(store, scope, sorted(plain.values(), key=rank))
        for step in steps:
            with Transaction(store, scope) as tx:
                writer = AdjacencyWriter(tx)
                for entry, adds in step:
                    if adds and rank(entry) not in plain:
                        plain[rank(entry)] = entry
                        writer.add(NODE, adjacency.pack(*entry))
                    elif plain:
                        old = plain.pop(data.draw(st.sampled_from(sorted(plain))))
                        writer.remove(NODE, old)
                    expected = sorted(plain.values(), key=rank)
                    assert writer.out_links(NODE) == expected
                    assert adjacency.entries(writer.head(NODE)) == expected[:HEAD_ENTRIES]
            check(store, scope, sorted(plain.values(), key=rank))


def test_a_hub_can_be_emptied_from_either_end(place: tuple[Store, Scope]) -> None:
    """A hub of 1,000 links is cut weakest first, and dissolved strongest first."""
    store, scope = place
    entries = [Entry(i % 50, i, 1 + i % 3, 1) for i in range(1000)]
    for backwards in (False, True):
        with Transaction(store, scope) as tx:
            writer = AdjacencyWriter(tx)
            for entry in entries:
                writer.add(NODE, adjacency.pack(*entry))
        expected = sorted(entries, key=rank)
        check(store, scope, expected)
        while expected:
            with Transaction(store, scope) as tx:
                writer = AdjacencyWriter(tx)
                for _ in range(min(100, len(expected))):
                    writer.remove(NODE, expected.pop() if backwards else expected.pop(0))
            check(store, scope, expected)


def test_two_nodes_do_not_share_their_links(place: tuple[Store, Scope]) -> None:
    """Overflow keys of node 7 read as those of node 8 would link what never met."""
    store, scope = place
    with Transaction(store, scope) as tx:
        writer = AdjacencyWriter(tx)
        for node in (NODE, NODE + 1):
            for i in range(HEAD_ENTRIES + 5):
                writer.add(node, adjacency.pack(-i, i, node, 1))
    for node in (NODE, NODE + 1):
        found = list(adjacency.out_links(store, scope, node))
        assert len(found) == HEAD_ENTRIES + 5
        assert {entry.relation for entry in found} == {node}


@pytest.mark.parametrize("count", [3, HEAD_ENTRIES + 3])
def test_removing_what_is_not_there_is_damage(place: tuple[Store, Scope], count: int) -> None:
    """Passed over in silence, the triples and the adjacency would part for good."""
    store, scope = place
    with Transaction(store, scope) as tx:
        writer = AdjacencyWriter(tx)
        for i in range(count):
            writer.add(NODE, adjacency.pack(-i, i, 1, 1))

    def remove(entry: Entry) -> None:
        with Transaction(store, scope) as tx:
            AdjacencyWriter(tx).remove(NODE, entry)

    for entry in (Entry(-1, 1, 2, 1), Entry(5, 5, 5, 5), Entry(-10_000, 1, 1, 1)):
        with pytest.raises(CorruptError, match="check"):
            remove(entry)
    assert len(list(adjacency.out_links(store, scope, NODE))) == count


@given(head=st.binary(max_size=100))
def test_a_damaged_head_is_named(head: bytes) -> None:
    """A head cut short must not read as links that were never made."""
    if len(head) % ENTRY_BYTES:
        with pytest.raises(CorruptError):
            adjacency.entries(head)
    else:
        assert len(adjacency.entries(head)) == len(head) // ENTRY_BYTES
