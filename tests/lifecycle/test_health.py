"""Health is the seed's score, worked by hand, and status says what it is made of.

One number that nobody can take apart is believed when it is wrong and ignored when it is right.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import graphmem
from graphmem.api import review
from graphmem.lifecycle.retention import health, level
from tests.clock import Clock

START = datetime(2026, 1, 1, 9, tzinfo=UTC)


# active, aging, stale, cleanup; mean confidence; nodes in a conflict; by hand
# 100 (0.3 active/n + 0.2 (1 − (stale + cleanup)/n) + 0.3 confidence + 0.2 (1 − conflicts/n)),
# rounded down; and which parts are healthy: a(ctive) r(ot) c(onfidence) x (conflicts)
FIXTURES: list[tuple[tuple[int, int, int, int], float, int, int, str, str]] = [
    ((10, 0, 0, 0), 1.0, 0, 100, "excellent", "arcx"),
    ((10, 0, 0, 0), 0.95, 0, 98, "excellent", "arcx"),  # 98.5
    ((7, 2, 1, 0), 0.9, 0, 86, "excellent", "arcx"),  # 21 + 18 + 27 + 20
    ((6, 2, 1, 1), 0.8, 1, 76, "good", "c"),  # 18 + 16 + 24 + 18; 0.6 is not over 0.6
    ((5, 3, 1, 1), 0.7, 0, 72, "good", "x"),  # 15 + 16 + 21 + 20; 0.7 is not over 0.7
    ((0, 10, 0, 0), 0.6, 0, 58, "needs attention", "rx"),  # 0 + 20 + 18 + 20
    ((0, 0, 0, 10), 0.5, 5, 25, "needs attention", ""),  # 0 + 0 + 15 + 10
    ((0, 0, 5, 5), 0.0, 10, 0, "needs attention", ""),
    ((4, 4, 1, 1), 0.75, 2, 66, "good", "c"),  # 12 + 16 + 22.5 + 16 = 66.5
    ((13, 4, 2, 1), 0.88, 1, 81, "excellent", "arc"),  # 19.5 + 17 + 26.4 + 19 = 81.9
    ((1, 0, 0, 0), 0.55, 0, 86, "excellent", "arx"),  # 30 + 20 + 16.5 + 20 = 86.5
    ((2, 1, 0, 0), 0.95, 2, 75, "good", "arc"),  # 20 + 20 + 28.5 + 6.67 = 75.17
]


@pytest.mark.parametrize(
    ("counts", "confidence", "conflicts", "score", "words", "healthy"), FIXTURES
)
def test_health_worked_by_hand(
    counts: tuple[int, int, int, int],
    confidence: float,
    conflicts: int,
    score: int,
    words: str,
    healthy: str,
) -> None:
    states = dict(zip(("active", "aging", "stale", "cleanup"), counts, strict=True))
    found = health(states, confidence, conflicts)
    assert (found.score, found.level, found.nodes) == (score, words, sum(counts))
    letters = {"active": "a", "rot": "r", "confidence": "c", "conflicts": "x"}
    assert "".join(letters[part.name] for part in found.parts if part.healthy) == healthy
    assert [part.weight for part in found.parts] == [0.3, 0.2, 0.3, 0.2]
    assert [part.threshold for part in found.parts] == [0.6, 0.2, 0.7, 0.05]


def test_the_levels() -> None:
    assert [level(n) for n in (100, 80, 79, 60, 59, 0)] == [
        "excellent", "excellent", "good", "good", "needs attention", "needs attention",
    ]  # fmt: skip


def test_an_empty_memory_is_healthy(memory: graphmem.Memory) -> None:
    found = memory.review.status().health
    assert (found.score, found.nodes) == (100, 0)
    assert all(part.healthy for part in found.parts)
    assert [part.value for part in found.parts] == [1.0, 0.0, 1.0, 0.0]


def test_status_counts_every_memory_once(memory: graphmem.Memory, clock: Clock) -> None:
    memory.remember("I am allergic to peanuts.")
    memory.remember("项目使用 React 18。")
    memory.remember("ok, thanks!")
    (gone,) = memory.remember("The plumber comes tomorrow at nine.", expires=3600)
    clock.now += timedelta(days=2)
    found = memory.review.status()
    assert gone not in memory
    assert found.nodes == len(memory) == 3
    for counts in (found.realms, found.confidence, found.temporality, found.states):
        assert sum(counts.values()) == 3
    assert found.realms["personal"] == found.realms["project"] == found.realms["ephemeral"] == 1
    assert found.confidence["explicit"] == 2
    assert found.states == {"active": 2, "aging": 0, "stale": 0, "cleanup": 1}
    # 0.3 · 2/3 + 0.2 · 2/3 + 0.3 · (0.95 + 0.95 + 0.2)/3 + 0.2 = 0.7433
    assert found.health.score == 74
    assert found.health == memory.review.status().health
    assert found.queue["scored"] == memory.admin.stats()["queue"]["waiting"] > 0
    assert found.budget["live_bytes"] == memory.admin.stats()["live_bytes"]
    assert "health: 74 of 100, good" in str(found)


def test_status_of_many_memories_reads_some_of_them(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It read all of 50,000 texts, and compared memories for five seconds, at each call."""
    monkeypatch.setattr(review, "_READ", 20)
    monkeypatch.setattr(review, "_SECONDS", 0.0)
    memory.remember_many(
        f"The project uses React {n}." if n % 3 else f"I am allergic to E{n}." for n in range(99)
    )
    about = memory.review.status()
    assert (about.nodes, len(about.notes)) == (99, 2)
    assert "every 5th" in about.notes[1]
    assert about.realms["personal"] == pytest.approx(33, abs=5)
    assert sum(about.states.values()) == 99
    assert memory.review.status() == about
    told: list[tuple[int, int]] = []
    found = memory.review.status(exact=True, progress=lambda *step: told.append(step))
    assert (found.nodes, found.realms["personal"], found.notes) == (99, 33, ())
    assert told
    assert all(done <= total for done, total in told)
    assert memory.review.status() == found, "all texts are known now"


def test_a_change_is_seen_at_the_next_look(memory: graphmem.Memory, clock: Clock) -> None:
    """What is known of a text is kept; of one that has changed it must be found anew."""
    (node,) = memory.remember("ok, thanks!")
    assert memory.review.status().realms["ephemeral"] == 1
    memory.correct(node, "I am allergic to peanuts.")
    found = memory.review.status()
    assert (found.nodes, found.realms["personal"], found.realms["ephemeral"]) == (1, 1, 0)
