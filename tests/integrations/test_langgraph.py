"""A graph that loses what its store was told, or reads what was deleted, misleads its user."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import graphmem
from graphmem.errors import ArgumentTypeError

base = pytest.importorskip("langgraph.store.base")
pytestmark = pytest.mark.slow  # LangGraph takes a second to load


def lengths(texts: Sequence[str]) -> list[list[float]]:
    return [[float(len(text)), float(text.count("e")), 1.0] for text in texts]


def test_an_attached_store_sees_what_the_owner_s_store_wrote(tmp_path: Path) -> None:
    from graphmem.integrations.langgraph import GraphmemStore

    folder = tmp_path / "memory"
    index = {"dims": 3, "embed": lengths, "fields": ["text"]}
    with (
        graphmem.open(folder, worker="none") as memory,
        graphmem.attach(folder) as attached,
        graphmem.reach(folder) as reached,
    ):
        ours, theirs = GraphmemStore(memory, index=index), GraphmemStore(attached, index=index)
        ours.put(("users", "文"), "tea", {"text": "eeee", "rank": 2})
        ours.put(("users", "文"), "silent", {"text": "no", "rank": 3}, index=False)
        found = theirs.search(("users",), query="eeee")
        assert [(item.key, item.namespace, item.score is None) for item in found] == [
            ("tea", ("users", "文"), False),
            ("silent", ("users", "文"), True),
        ]
        assert found[0].score == pytest.approx(1.0)
        assert GraphmemStore(attached, name="other").search(()) == []
        # A vector that is not wanted any more goes with the value.
        theirs.put(("users", "文"), "tea", {"text": "eeee"}, index=False)
        assert [item.score for item in ours.search((), query="eeee")] == [None, None]
        batch = [
            base.GetOp(("users", "文"), "silent"),
            base.PutOp(("users", "文"), "silent", None),
            base.ListNamespacesOp(max_depth=1),
        ]
        got = asyncio.run(GraphmemStore(reached).abatch(batch))
        assert got[0].value["rank"] == 3
        assert got[2] == [("users",)]
        assert ours.get(("users", "文"), "silent") is None
        with pytest.raises(base.InvalidNamespaceError):
            ours.put(("x" * 600,), "k", {})


def test_an_item_that_is_read_lives_on_where_that_is_asked_for() -> None:
    from graphmem.integrations.langgraph import GraphmemStore

    now = datetime(2026, 5, 1, tzinfo=UTC)
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        store = GraphmemStore(memory, ttl={"default_ttl": 1.0, "refresh_on_read": True})
        store.put(("a",), "read", {})
        store.put(("a",), "left", {})
        now += timedelta(seconds=50)
        assert store.get(("a",), "read") is not None
        assert store.get(("a",), "left", refresh_ttl=False) is not None
        now += timedelta(seconds=50)
        assert [item.key for item in store.search(("a",))] == ["read"]


def test_what_is_no_memory_or_no_value_is_refused_by_name() -> None:
    """A path failed with an AttributeError of str, a text as a value with "dictionary update
    sequence element #0 has length 1"."""
    from graphmem.integrations.langgraph import GraphmemStore

    with pytest.raises(ArgumentTypeError, match=r"graphmem\.reach returned, got str"):
        GraphmemStore("agent-memory")  # type: ignore[arg-type]
    with graphmem.open(None, worker="none") as memory:
        store = GraphmemStore(memory)
        with pytest.raises(ArgumentTypeError, match="the value of 'tea' is a dict, got str"):
            store.put(("users",), "tea", "green")  # type: ignore[arg-type]
