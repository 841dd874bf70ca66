"""The focus is where recall begins: a node lost from it, or kept too long, misleads every answer."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from graphmem.errors import CorruptError
from graphmem.graph import focus
from graphmem.hexastore import scopes
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.store import Store


@given(entered=st.lists(st.integers(1, 9), max_size=30))
def test_five_stay_and_the_least_recently_used_leaves(entered: list[int]) -> None:
    """First in, first out would drop what is used again and again."""
    nodes: tuple[int, ...] = ()
    for node in entered:
        nodes = focus.entered(nodes, node, 5)
    newest_first = list(dict.fromkeys(reversed(entered)))
    assert list(nodes) == newest_first[:5]


@given(nodes=st.lists(st.integers(0, (1 << 64) - 1), max_size=5, unique=True).map(tuple))
def test_the_list_comes_back_in_its_order(nodes: tuple[int, ...]) -> None:
    """Members without their order would link at the wrong distances after a restart."""
    with Store.open(None) as store:
        scope = scopes.open_scope(
            store, "agent", kind="memory", decay=0.03, created=1, analyser=1, create=True
        )
        assert focus.read(store, scope) == ()
        with Transaction(store, scope) as tx:
            tx.put(focus.key(scope), focus.pack(nodes))
        assert focus.read(store, scope) == nodes
        store.commit({focus.key(scope): focus.pack(nodes) + b"\x00"})
        with pytest.raises(CorruptError):
            focus.read(store, scope)
