"""A caller that has chosen memories by its own rules gets the best of these, and nothing else."""

import copy
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import (
    ArgumentTypeError,
    EmbedderError,
    InvalidArgumentError,
    UnknownNodeError,
)
from tests.embedders import Hanging, Hashed

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)
PATIENT = 10.0


def ids(found: Any) -> list[int]:
    return [hit.id for hit in found]


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(
        worker="none",
        clock=lambda: NOW,
        embedder=Hashed(),
        tuning=graphmem.Tuning(vector_patience=PATIENT),
    ) as opened:
        opened.remember("The release moved to May 10.", speaker="Wen")
        opened.remember("The release needs a certificate.", speaker="Ada")
        opened.remember("蒲江的探头单价谈到二百六十八。", happened="2026-05-04T10:00:00+00:00")
        opened.remember("Bananas are yellow.")
        assert opened.admin.enrich(timeout=50) == 0
        yield opened


@pytest.mark.parametrize("mode", ["activation", "focus", "hybrid", "themes"])
def test_only_these_come_back(memory: graphmem.Memory, mode: Any) -> None:
    """In every mode, and for whatever brought the others: words, vectors, links, the focus."""
    every = ids(memory.recall("release", mode=mode, use=False, cut="none"))
    assert 1 in every
    assert len(every) > 1
    found = memory.recall(
        "release", mode=mode, where=graphmem.Where(among=[2]), use=False, cut="none", tokens=500
    )
    assert ids(found) == [2]
    assert "May 10" not in found.text


@pytest.mark.parametrize("mode", ["activation", "focus", "hybrid", "themes"])
def test_these_do_not_come_back(memory: graphmem.Memory, mode: Any) -> None:
    """Turns that the prompt has already would be told twice."""
    where = graphmem.Where(without=[1])
    found = memory.recall("release", mode=mode, where=where, use=False, cut="none", tokens=500)
    assert 2 in ids(found)
    assert 1 not in ids(found)
    assert "May 10" not in found.text
    one = graphmem.Where(among=[1, 2], without=(node for node in [memory[1]]))
    assert ids(memory.recall("release", where=one, use=False)) == [2]
    asked = "What happened on 4 May?"
    assert ids(memory.recall(asked, where=graphmem.Where(without=[3]), use=False)) == []
    with pytest.raises(ArgumentTypeError, match="without is nodes"):
        memory.recall("release", where=graphmem.Where(without="12"))  # type: ignore[arg-type]


def test_nodes_hits_and_ids_name_them(memory: graphmem.Memory) -> None:
    """In any iterable, also one that can be read only once."""
    found = memory.recall("certificate", where=graphmem.Where(speaker="Ada"), use=False)
    (hit,) = found
    for among in ([hit], (hit.node,), {hit.id}, (n for n in [hit.id]), found):
        assert hit.id in ids(memory.recall("release", where=graphmem.Where(among=among), use=False))
    assert ids(memory.recall("release", where=graphmem.Where(among=[]), use=False)) == []
    assert ids(memory.recall("release", where=graphmem.Where(among=[99]), use=False)) == []
    for wrong in ("12", 12, [1.5], ["12"], {1: 2}):
        with pytest.raises(ArgumentTypeError):
            memory.recall("release", where=graphmem.Where(among=wrong))  # type: ignore[arg-type]
    with pytest.raises(UnknownNodeError):
        memory.recall("release", where=graphmem.Where(among=[-1]))


def test_they_hold_together_with_other_filters(memory: graphmem.Memory) -> None:
    found = memory.recall("release", where=graphmem.Where(among=[1, 2], speaker="Ada"), use=False)
    assert ids(found) == [2]


def test_a_day_and_what_was_known_respect_them(memory: graphmem.Memory) -> None:
    """Both are answered without the ranking of the others."""
    assert ids(
        memory.recall("What happened on 4 May?", where=graphmem.Where(among=[3, 4]), use=False)
    ) == [3]
    assert (
        ids(memory.recall("What happened on 4 May?", where=graphmem.Where(among=[1]), use=False))
        == []
    )
    known = memory.recall(
        "release", where=graphmem.Where(known_at=NOW, among=[2]), use=False, cut="none"
    )
    assert ids(known) == [2]


def test_the_best_of_these_come_back_though_many_others_match_better() -> None:
    """A filter that looks at the best two thousand only would miss them."""
    with graphmem.open(worker="none", clock=lambda: NOW) as memory:
        memory.remember("Of all the ports that we saw on the way, one had a pump of iron.")
        memory.remember_many(f"pump {number}" for number in range(2100))
        assert 1 not in ids(
            memory.recall("pump", limit=1000, where=graphmem.Where(depth=0), use=False)
        )
        assert ids(
            memory.recall("pump", where=graphmem.Where(among=[1], depth=0), use=False, cut="none")
        ) == [1]


def test_a_parents_memories_are_named_by_node() -> None:
    """An id alone is one of the scope that is asked: the same number is another memory there."""
    with graphmem.open(worker="none", clock=lambda: NOW) as memory:
        team = memory.scopes.open("team")
        team.remember("The pump of the team is red.", about=graphmem.About(shared=True))
        child = memory.scopes.open("child", parents=("team",))
        child.remember("The pump of the child is blue.")
        every = child.recall("pump", use=False, cut="none")
        assert sorted(hit.node.scope for hit in every) == ["", "team"]
        theirs = next(hit for hit in every if hit.node.scope)
        assert theirs.id == 1
        only = child.recall("pump", where=graphmem.Where(among=[theirs]), use=False, cut="none")
        assert [hit.node.scope for hit in only] == ["team"]
        others = child.recall("pump", where=graphmem.Where(without=[theirs]), use=False)
        assert [hit.node.scope for hit in others] == [""]
        own = child.recall("pump", where=graphmem.Where(among=[1]), use=False, cut="none")
        assert [hit.node.scope for hit in own] == [""]


def test_ids_of_a_text_leave_out_what_it_told(tmp_path: Path) -> None:
    """A parent's line came again, and the child's own of the same number was hidden instead."""
    folder = tmp_path / "m"
    with graphmem.open(folder, worker="none", clock=lambda: NOW) as memory:
        team = memory.scopes.open("team")
        team.remember("The pump of the team is red.", about=graphmem.About(shared=True))
        team.remember("The pump is heavy.", about=graphmem.About(shared=True))
        child = memory.scopes.open("child", parents=("team",))
        child.remember("The pump of the child is blue.")
        with graphmem.attach(folder, scope="child") as attached:
            for of in (child, attached):
                told = of.recall("pump of the team", limit=1, cut="strict", use=False)
                assert told.included == (1,), told.text
                for given in (told, told.included, copy.deepcopy(told.included)):
                    where = graphmem.Where(without=given)
                    found = of.recall("pump", where=where, tokens=300, use=False, cut="none")
                    assert sorted((h.scope, h.id) for h in found) == [("child", 1), ("team", 2)]
                where = graphmem.Where(among=told.included)
                found = of.recall("pump", where=where, use=False)
                assert [hit.scope for hit in found] == ["team"]
                assert json.dumps(told.included) == "[1]"


# -- nearest ------------------------------------------------------------------------------------


def test_nearest_tells_cosines_as_they_are(memory: graphmem.Memory) -> None:
    """Whoever compares them with a bound of its own needs numbers that no ranking has touched."""
    model = rooms(memory).database.encoder.embedder
    said = [text for text, kind in model.asked if kind == "passage"]
    given = np.array(model.embed(["bananas", *said], "passage"))
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    expected = given[1:] @ given[0]
    found = memory.graph.nearest("bananas", limit=1000)
    assert ids(n for n, _ in found) == [1 + int(k) for k in np.argsort(-expected)]
    for node, cosine in found:
        assert cosine == pytest.approx(expected[node.id - 1], abs=0.02)
    assert memory.graph.nearest("bananas", limit=2) == found[:2]


def test_nearest_among_some(memory: graphmem.Memory) -> None:
    every = {n.id: c for n, c in memory.graph.nearest("release")}
    some = memory.graph.nearest("release", among=[2, 3, 3, 99])
    assert {n.id for n, _ in some} == {2, 3}
    assert all(cosine == pytest.approx(every[n.id], abs=1e-5) for n, cosine in some)
    assert memory.graph.nearest("release", among=[]) == []


def test_what_was_forgotten_or_has_no_vector_yet_is_not_near(memory: graphmem.Memory) -> None:
    memory.forget(4)
    assert 4 not in [n.id for n, _ in memory.graph.nearest("bananas")]
    assert memory.graph.nearest("bananas", among=[4]) == []


def test_nearest_says_what_it_lacks() -> None:
    """An empty list would look like an answer."""
    with (
        graphmem.open(worker="none") as plain,
        pytest.raises(InvalidArgumentError, match="vectors="),
    ):
        plain.graph.nearest("release")
    with graphmem.open(worker="none", embedder=Hashed()) as memory:
        with pytest.raises(InvalidArgumentError, match="blank"):
            memory.graph.nearest(" ")
        with pytest.raises(ArgumentTypeError):
            memory.graph.nearest(3)  # type: ignore[arg-type]
    slow = Hanging()
    with graphmem.open(
        worker="none", embedder=slow, tuning=graphmem.Tuning(vector_patience=0.0)
    ) as memory:
        with pytest.raises(EmbedderError):
            memory.graph.nearest("release")
        slow.let_go.set()


def test_an_attached_process_gets_the_same(tmp_path: Path) -> None:
    with graphmem.open(
        tmp_path,
        worker="none",
        clock=lambda: NOW,
        embedder=Hashed(),
        tuning=graphmem.Tuning(vector_patience=PATIENT),
    ) as memory:
        memory.remember("The release moved to May 10.")
        memory.remember("The release needs a certificate.")
        assert memory.admin.enrich(timeout=50) == 0
        with graphmem.attach(tmp_path) as attached:
            near = attached.graph.nearest(
                "release", among=attached.recall("certificate", use=False)
            )
            assert near == memory.graph.nearest(
                "release", among=memory.recall("certificate", use=False)
            )
            assert near
            for among in ([2], (n for n in [2]), [memory[2]]):
                assert ids(
                    attached.recall("release", where=graphmem.Where(among=among), use=False)
                ) == [2]
