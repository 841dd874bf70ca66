"""A graph that loses what its store was told, or reads what was deleted, misleads its user."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.errors import ArgumentTypeError, InvalidArgumentError

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


@pytest.mark.parametrize(
    ("returned", "told"),
    [([[1.0]], "of 1 numbers for 1"), ([[1.0] * 7], "of 7 "), ([[]], "of 0 "), (None, "no vectors"),
     ([None], "of no numbers"), ([], "0 vectors"), ([[1.0] * 3] * 2, "2 vectors")],
)  # fmt: skip
def test_a_vector_of_another_length_is_refused(returned: Any, told: str) -> None:
    """It was stored, and never found, or ended in a TypeError of LangGraph's or ours."""
    from graphmem.integrations.langgraph import GraphmemStore

    with graphmem.open(None, worker="none") as memory:
        store = GraphmemStore(memory, index={"dims": 3, "embed": lambda _: returned})
        with pytest.raises(InvalidArgumentError, match=f"{told}.* list of 3 numbers"):
            store.put(("a",), "k", {"text": "x"})
        if returned != [[1.0] * 3] * 2:  # of which LangGraph takes the first for a query
            with pytest.raises(InvalidArgumentError, match="embed returned"):
                store.search(("a",), query="x")
            with pytest.raises(InvalidArgumentError, match="embed returned"):
                asyncio.run(store.asearch(("a",), query="x"))
        assert memory.items.search() == []


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


def test_a_store_without_an_index_answers_a_question_with_what_its_words_tell() -> None:
    """It returned the last written items, whatever was asked."""
    from graphmem.integrations.langgraph import GraphmemStore

    with graphmem.open(None, worker="none") as memory:
        store = GraphmemStore(memory)
        store.put(("users", "wen"), "tea", {"text": "Wen drinks green tea in the morning."})
        store.put(("users", "wen"), "茶", {"text": "温喜欢喝乌龙茶"})
        store.put(("users", "wen"), "bike", {"text": "Wen rides a bicycle to work."})
        store.put(("users", "wen"), "last", {"rank": 3})
        found = store.search(("users",), query="What does Wen drink in the mornings?")
        assert [item.key for item in found] == ["tea", "bike", "last", "茶"]
        assert [item.score is None for item in found] == [False, False, True, True]
        assert store.search(("users",), query="乌龙茶", limit=1)[0].key == "茶"
        ranked = store.search(("users",), query="tea", filter={"rank": 3})
        assert [(item.key, item.score) for item in ranked] == [("last", None)]
        store.put(("users", "wen"), "tea", {"text": "Wen drinks coffee."})
        assert store.search(("users",), query="green tea", limit=1)[0].score is None


def test_a_recall_stays_within_a_namespace() -> None:
    """What one user had told came back for another, and no page said how to ask for one."""
    from graphmem.integrations.langgraph import GraphmemStore

    with graphmem.open(worker="none") as memory:
        store = GraphmemStore(memory, recall=True)
        for user in ("ada", "adam", "wen"):
            store.put(("users", user), "d", {"text": f"The diagnosis of {user} is asthma."})
        store.put(("users", "ada", "old"), "d", {"text": "Her diagnosis was a cold."})
        memory.remember("A diagnosis is a judgement.")

        def found(*labels: str) -> set[str]:
            where = store.within(labels)
            hits = memory.recall("diagnosis", where=where, cut="none", use=False)
            listed = {node.text for node in memory.nodes(where=where)}
            assert {hit.text for hit in hits} == listed
            return listed

        assert len(found()) == len(found("users")) == 4
        assert found("users", "ada") == {
            "text: The diagnosis of ada is asthma.",
            "text: Her diagnosis was a cold.",
        }
        assert found("users", "nobody") == set()


def test_items_of_a_store_are_memories_where_that_is_asked_for() -> None:
    from graphmem.integrations.langgraph import GraphmemStore

    with graphmem.open(None, worker="none") as memory:
        store = GraphmemStore(memory, recall=True)
        store.put(("users",), "tea", {"text": "Wen drinks green tea."})
        store.put(("users",), "quiet", {"text": "Wen drinks black tea."}, index=False)
        store.put(("users",), "empty", {})
        (hit,) = memory.recall("What tea does Wen drink?")
        assert hit.item == ("langgraph::users.", "tea")
        store.put(("users",), "tea", {"text": "Wen drinks water."}, index=False)
        assert not memory.recall("What tea does Wen drink?")


def test_a_score_is_a_distance_where_that_is_asked_for() -> None:
    """A graph that was written for distances took a cosine for one, and kept what is far."""
    from graphmem.integrations.langgraph import GraphmemStore

    with graphmem.open(worker="none") as memory:
        index = {"dims": 2, "embed": lambda texts: [[len(t), 1] for t in texts], "fields": ["t"]}
        by_cosine = GraphmemStore(memory, index=index)
        by_distance = GraphmemStore(memory, index={**index, "distance_type": "l2"})
        for key, text in (("near", "aa"), ("far", "aaaaaaaaa"), ("same", "a")):
            by_cosine.put(("n",), key, {"t": text})
        by_cosine.put(("n",), "none", {"else": "a"})
        found = by_distance.search(("n",), query="a")
        assert [item.key for item in found] == ["same", "near", "far", "none"]
        assert found[0].score == pytest.approx(0, abs=1e-3)
        assert found[3].score is None
        for cosine, distance in zip(
            by_cosine.search(("n",), query="a")[:3], found[:3], strict=True
        ):
            assert cosine.key == distance.key
            assert distance.score == pytest.approx(-((2 - 2 * cosine.score) ** 0.5), abs=1e-3)
