"""What has expired is gone: from the moment for readers, with the next sweep from the records.

Without this an appointment that has passed is told as one to come, or hangs on in one of the indexes.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ArgumentTypeError, ForgottenError, InvalidArgumentError
from graphmem.exchange import transfer
from graphmem.hexastore.keys import Space, after
from tests.clock import Clock
from tests.embedders import Hashed

START = datetime(2026, 5, 1, 9, tzinfo=UTC)


def scheduled(memory: graphmem.Memory) -> int:
    start = rooms(memory).scope.prefix(Space.EXPIRY)
    with rooms(memory).store.snapshot() as snapshot:
        return sum(1 for _ in snapshot.keys(start, after(start)))


def test_it_is_hidden_at_once_and_forgotten_by_the_next_sweep(
    memory: graphmem.Memory, clock: Clock
) -> None:
    (kept,) = memory.remember("The garage in Ghent has four levels.", session="car")
    (node,) = memory.remember(
        "The car is on level three of the garage.", session="car", expires=3600
    )
    assert node.expires == START + timedelta(hours=1)
    assert node.id in {hit.id for hit in memory.recall("Where is the car?", use=False)}

    clock.now += timedelta(hours=1)
    with rooms(memory).reading() as view:
        assert view.reader.get(rooms(memory).scope.prefix(Space.NODE) + node.id.to_bytes(8, "big"))
    for mode in ("activation", "focus"):
        assert [h.id for h in memory.recall("car garage", mode=mode, use=False)] == [kept.id]
    assert [n.id for n in memory.nodes()] == [kept.id]
    assert [n.id for n in memory.nodes(where=graphmem.Where(session="car"))] == [kept.id]
    assert node not in memory
    assert len(memory) == memory.themes.levels()["message"] == 1
    assert [n.id for n in memory.graph.focus] == [kept.id]
    with pytest.raises(ForgottenError, match="has expired"):
        memory[node]
    asked = "SELECT ?n { { ?n memory:content ?t } UNION { ?n a memory:Node } UNION "
    asked += "{ ?n memory:session ?s } UNION { ?n memory:mentions 'garage' } }"
    assert {str(row[0]) for row in memory.graph.sparql(asked)} == {f"node:{kept.id}"}
    assert memory.admin.check() == []

    report = memory.sweep()
    assert report.forgotten == 1
    (gone,) = memory.history.forgotten()
    assert (gone.id, gone.why) == (node.id, "expired")
    assert [v.why for v in memory.history.of(node)] == ["expired"]
    assert any("time was over" in step.why for step in memory.history.life(node).steps)
    assert scheduled(memory) == 0
    assert memory.admin.check() == []
    revived = memory.history.revive(node)
    assert revived.expires is None
    clock.now += timedelta(days=900)
    assert memory[revived].text == node.text


@pytest.mark.parametrize(
    ("kept", "passing", "asked"),
    [
        ("The dentist lives in Kiel.", "The plumber comes on Friday.", "plumber"),
        ("Der Zahnarzt wohnt in Kiel.", "Der Installateur kommt am Freitag.", "Installateur"),
        ("牙医住在基尔。", "水管工星期五来。", "水管工"),
    ],
)
@pytest.mark.parametrize("embedder", [None, Hashed()], ids=["words", "vectors"])
def test_what_has_expired_leads_to_nothing(
    kept: str, passing: str, asked: str, embedder: Any, clock: Clock
) -> None:
    """Until the next sweep the words of an expired memory brought back its neighbours, which were
    "reached from" a node that the caller could not see."""
    tuning = graphmem.Tuning(vector_patience=60.0)
    with graphmem.open(worker="none", clock=clock, embedder=embedder, tuning=tuning) as memory:
        (node,) = memory.remember(kept)
        (gone,) = memory.remember(passing, expires=3600)
        (further,) = memory.remember("Unrelated: blue paint.", expires=7200)
        memory.graph.relate(further, "knows", gone)
        memory.graph.relate(gone, "knows", node)
        memory.admin.enrich(timeout=50)
        assert {h.id for h in memory.recall(asked, use=False, cut="none")} >= {node.id, gone.id}
        clock.now += timedelta(hours=1)
        found = memory.recall(asked, use=False, cut="none", trace=True)
        assert [hit.id for hit in found] == []
        for cue in (kept, "paint", ""):
            found = memory.recall(cue, use=False, cut="none", trace=True)
            assert all(f"node {gone.id}" not in hit.why for hit in found)
            assert found.trace is not None
            assert gone.id not in {entry.node for entry in found.trace.entries}
            assert all(p.source != gone.id for hop in found.trace.hops for p in hop)


def test_nobody_changes_what_readers_do_not_see(memory: graphmem.Memory, clock: Clock) -> None:
    (kept,) = memory.remember("The release is on May 10.")
    (node,) = memory.remember("The car is on level three.", expires=1, pin=True)
    (large,) = memory.remember("The train leaves at nine.", expires=START + timedelta(seconds=2))
    clock.now += timedelta(seconds=2)
    for change in (
        lambda: memory.pin(node), lambda: memory.graph.relate(kept, "near", node),
        lambda: memory.correct(large, "The train leaves at ten."), lambda: memory.forget(large),
    ):  # fmt: skip
        with pytest.raises(ForgottenError):
            change()
    memory.used(node, kept)
    memory.forget(node, erase=True)
    assert {gone.id for gone in memory.history.forgotten()} == {large.id}
    assert memory.admin.check() == []


def test_the_same_text_again_says_how_long_it_lasts(memory: graphmem.Memory, clock: Clock) -> None:
    said = "The car is on level three."
    (node,) = memory.remember(said, expires=60)
    clock.now += timedelta(seconds=30)
    (again,) = memory.remember(said, expires=timedelta(minutes=1))
    assert again.id == node.id
    assert again.expires == clock.now + timedelta(minutes=1)
    clock.now += timedelta(minutes=1)
    (anew,) = memory.remember(said)
    assert anew.id != node.id
    assert anew.expires is None
    (corrected,) = memory.correct(memory.remember("At ten.", expires=60)[0], "At eleven.")
    assert corrected.expires == clock.now + timedelta(minutes=1)
    assert memory.admin.check() == []


@pytest.mark.parametrize("first", [None, 3600, 60])
@pytest.mark.parametrize("second", [None, 3600, 60])
def test_the_same_text_again_only_makes_it_last_longer(
    memory: graphmem.Memory, clock: Clock, first: int | None, second: int | None
) -> None:
    """A note that was to stay expired because a passing one said the same."""
    (node,) = memory.remember("The pump is blue.", expires=first)
    (again,) = memory.remember("The pump is blue.", expires=second)
    longest = None if None in (first, second) else max(first or 0, second or 0)
    assert again.id == node.id
    assert again.expires == (longest and clock.now + timedelta(seconds=longest))
    assert memory.admin.check() == []


def test_it_outlives_a_restart_an_export_and_a_repair(tmp_path: Path, clock: Clock) -> None:
    with graphmem.open(tmp_path / "a", worker="none", clock=clock) as memory:
        (kept,) = memory.remember("The release is on May 10.")
        memory.remember("The car is on level three.", expires=60)
    transfer.export(tmp_path / "a", str(tmp_path / "a.jsonl"))
    transfer.load(tmp_path / "b", [str(tmp_path / "a.jsonl")])
    graphmem.repair(tmp_path / "a")
    for folder in ("a", "b"):
        with graphmem.open(tmp_path / folder, worker="none", clock=clock) as memory:
            assert memory.admin.check() == []
            assert (len(memory), scheduled(memory)) == (2, 1)
    clock.now += timedelta(minutes=1)
    for folder in ("a", "b"):
        with graphmem.open(tmp_path / folder, worker="none", clock=clock, read_only=True) as memory:
            assert [n.id for n in memory.nodes()] == [kept.id]
        with graphmem.open(tmp_path / folder, worker="none", clock=clock) as memory:
            memory.sweep()
            assert [gone.why for gone in memory.history.forgotten()] == ["expired"]
            assert memory.admin.check() == []


def test_any_order_of_times(memory: graphmem.Memory, clock: Clock) -> None:
    """Against a model: a dict of when each is over."""
    random = Random(7)
    ends = {}
    for number in range(60):
        ttl = random.choice((None, random.randint(1, 40)))
        (node,) = memory.remember(f"Note {number} is about parcel {number * 7}.", expires=ttl)
        ends[node.id] = None if ttl is None else clock.now + timedelta(seconds=ttl)
        clock.now += timedelta(seconds=random.randint(0, 2))
        if number % 20 == 19:
            memory.sweep(0)
        alive = {n for n, end in ends.items() if end is None or end > clock.now}
        assert {n.id for n in memory.nodes()} == alive
        assert len(memory) == len(alive)
    assert memory.admin.check() == []


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (0, InvalidArgumentError),
        (float("nan"), InvalidArgumentError),
        (timedelta(days=40_000), InvalidArgumentError),
        (True, ArgumentTypeError),
        ("60", InvalidArgumentError),
        ("2026-05-01T09:00:00+00:00", InvalidArgumentError),
    ],
)
def test_times_that_cannot_be(memory: graphmem.Memory, given: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        memory.remember("The car is on level three.", expires=given)
    assert len(memory) == 0
