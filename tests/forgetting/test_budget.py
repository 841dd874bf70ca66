"""`max_bytes`: the memory keeps within its budget by itself, and nothing else is lost over it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

import graphmem

pytestmark = pytest.mark.usefixtures("by_passes")

STORY = "Wen paid {} euros to Karlsson in May. It was nice. The weather was rather good that day."
LEAST = 1 << 16


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


FILL = 150  # stories that take more than that


def over(memory: graphmem.Memory) -> bool:
    return bool(memory.admin.stats()["live_bytes"] > LEAST)


@pytest.mark.slow
def test_upkeep_keeps_the_budget() -> None:
    """An agent that never calls `sweep` must not fill the disk."""
    with graphmem.open(
        worker="none",
        max_bytes=LEAST,
        tuning=graphmem.Tuning(worker_share=1.0, grace=0),
    ) as memory:
        for k in range(200):
            memory.remember(STORY.format(k))
        until(lambda: not over(memory))
        assert memory.admin.stats()["passes"] > 0
        assert 5 <= len(memory) < 100
        assert {node.id for node in memory} >= {node.id for node in memory.graph.focus}
        assert memory.admin.stats()["upkeep_error"] is None
        assert memory.admin.check() == []


def test_a_budget_that_pins_fill_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    """All that is not pinned fades at once then, and the figures alone do not say why."""
    with graphmem.open(worker="none", max_bytes=LEAST, tuning=graphmem.Tuning(grace=0)) as memory:
        for k in range(FILL):
            memory.remember(STORY.format(k), pin=True)
        assert over(memory)
        told = [record.getMessage() for record in caplog.records]
        assert len(told) == 1
        assert "'default' cannot keep max_bytes = 65536" in told[0]
        assert memory.admin.check() == []


def test_within_the_budget_nothing_is_swept() -> None:
    """A pass that nobody asked for weakens every link for nothing."""
    with graphmem.open(
        worker="none", max_bytes=1 << 24, tuning=graphmem.Tuning(worker_share=1.0)
    ) as memory:
        for k in range(20):
            memory.remember(STORY.format(k))
        time.sleep(0.3)
        assert memory.admin.stats()["passes"] == 0
    with graphmem.open(worker="none", tuning=graphmem.Tuning(worker_share=1.0)) as memory:
        for k in range(20):
            memory.remember(STORY.format(k))
        time.sleep(0.3)
        assert memory.admin.stats()["passes"] == 0


def test_over_the_budget_one_sweep_counts_for_up_to_eight_passes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Over its budget a memory must fade faster, but one call must still not erase it."""
    monkeypatch.setattr(graphmem.runtime.upkeep.Upkeep, "wake", lambda self: None)
    monkeypatch.setattr(graphmem.runtime.upkeep, "_IDLE", 600.0)
    with graphmem.open(worker="none") as memory:
        memory.remember_many(STORY.format(k) for k in range(100))
        assert memory.sweep().made == 1
        object.__setattr__(memory.admin.settings, "max_bytes", LEAST)
        assert over(memory)
        report = memory.sweep()
        assert report.made == 8
        assert len(memory) == 100 - report.forgotten > 50


def test_a_budget_that_pins_alone_exceed_does_not_wear_the_rest_out() -> None:
    """Upkeep made a hundred passes a second in vain, for ever, and broke every link."""
    with graphmem.open(
        worker="none",
        max_bytes=LEAST,
        tuning=graphmem.Tuning(worker_share=1.0, grace=0),
    ) as memory:
        memory.remember_many({"text": STORY.format(k), "pin": True} for k in range(FILL))
        assert over(memory)
        time.sleep(0.3)
        passes = memory.admin.stats()["passes"]
        assert passes == 0
        time.sleep(0.5)
        assert memory.admin.stats()["passes"] == passes
        assert memory.graph.importance(1) == 4
        assert memory.admin.check() == []


def test_a_text_larger_than_the_budget_is_remembered_and_cut_down_at_once() -> None:
    """A budget smaller than what comes must neither refuse it nor leave next to nothing of it:
    what the word index kept of forgotten nodes counted, and pushed out the rest."""
    with graphmem.open(worker="none", max_bytes=LEAST) as memory:
        nodes = memory.remember(" ".join(STORY.format(k) for k in range(400)))
        assert len(nodes) > 100
        assert memory.admin.stats()["live_bytes"] <= 1.05 * LEAST
        assert 5 <= len(memory) < len(nodes)
        assert nodes[-1] in memory  # the last segment is in focus
        (node,) = memory.remember("Noor signed the lease.")
        assert node in memory
        assert memory.admin.check() == []


def test_what_is_revived_takes_the_room_of_others() -> None:
    """A memory grew to almost twice its budget, and the next note had to make all the room."""
    with graphmem.open(worker="none", max_bytes=2 * LEAST) as memory:
        for begun in range(0, 500, 10):
            memory.remember_many(f"Heron {begun + number} at the mill." for number in range(10))
        revived = [memory.history.revive(node.id) for node in memory.history.forgotten(100)]
        assert len(revived) == 100
        assert memory.admin.stats()["budget"]["used"] <= 1.04
        assert revived[-1] in memory


@pytest.mark.parametrize("forgetting", ["room", "passes"])
def test_a_lowered_budget_is_reached_by_and_by(
    forgetting: Literal["room", "passes"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first write after it made all the room: minutes in a memory of some thousand notes."""
    monkeypatch.setattr("graphmem.runtime.budget._PATIENCE", 0.02)  # so little on any machine
    tuning = graphmem.Tuning(worker_share=0.02, grace=0, forgetting=forgetting)
    with graphmem.open(tmp_path / "m", worker="none", tuning=tuning) as memory:
        memory.remember_many(
            f"Heron {number} stood at the mill of Oudenaarde, said {number * 7}."
            for number in range(400)
        )
        before = memory.admin.stats()["budget"]["memory_bytes"]
    with graphmem.open(tmp_path / "m", worker="none", max_bytes=LEAST, tuning=tuning) as memory:
        used = before / LEAST
        assert used > 2
        writes = 0
        while memory.admin.stats()["budget"]["used"] > 1.04:
            memory.remember(f"Note {writes} after the budget was lowered.")
            now = memory.admin.stats()["budget"]["used"]
            assert now < used + 0.1  # a merge of the word index may take that
            used = min(used, now)
            writes += 1
            assert writes < 500
        assert writes > 1
        assert memory.admin.check() == []
