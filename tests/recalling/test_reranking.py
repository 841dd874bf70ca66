"""A user who wants the newest or the most used first must not have to write a ranking."""

from datetime import UTC, datetime, timedelta

import pytest

import graphmem
from graphmem import Hit, Node, rerank
from graphmem.errors import InvalidArgumentError
from graphmem.values.nodes import Form

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def hit(identifier: int, score: float, *, days: float = 0, uses: int = 0) -> Hit:
    created = NOW - timedelta(days=days)
    node = Node(
        identifier,
        "text",
        "",
        (),
        None,
        None,
        None,
        created,
        uses,
        None,
        False,
        1,
        Form.WHOLE,
        1.0,
        ("text",),
    )
    return Hit(node, score, {"words": score}, ())


HITS = [hit(1, 1.0, days=300), hit(2, 0.9, days=1, uses=1), hit(3, 0.2, uses=9)]


def order(**weights: object) -> list[int]:
    plain = {"relevance": 0, "recency": 0, "importance": 0, "frequency": 0}
    return [found.id for found in rerank(HITS, now=NOW, **{**plain, **weights})]  # type: ignore[arg-type]


def test_each_signal_alone_orders_by_itself() -> None:
    assert order(relevance=1) == [1, 2, 3]
    assert order(recency=1) == [3, 2, 1]
    assert order(frequency=1) == [3, 2, 1]
    assert order(importance=1, measure=lambda found: {2: 4.0}.get(found.id, 0.0)) == [2, 1, 3]
    assert order() == [1, 2, 3]


def test_scores_are_the_sum_of_their_parts() -> None:
    found = rerank(HITS, now=NOW)
    assert [h.id for h in found] == [2, 1, 3]
    for one in found:
        assert one.score == pytest.approx(sum(one.parts.values()))
        assert all(0 <= value <= 0.5 for value in one.parts.values())
    assert rerank([]) == []


def test_a_half_life_halves() -> None:
    (one,) = rerank(
        [hit(1, 1.0, days=60)], now=NOW, recency=1, relevance=0, frequency=0, half_life=30
    )
    assert one.parts["recency"] == pytest.approx(0.25)


@pytest.mark.parametrize(
    "wrong",
    [{"recency": -1}, {"half_life": 0}, {"now": datetime(2026, 5, 1)}],  # noqa: DTZ001
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidArgumentError):
        rerank(HITS, **wrong)  # type: ignore[arg-type]


def test_hits_of_a_recall_are_reranked_with_their_importance() -> None:
    with graphmem.open(None, worker="none") as memory:
        for number in range(5):
            memory.remember(f"Wen moved release {number}.")
        found = memory.recall("release", use=False)
        again = rerank(found, measure=memory.importance)
        assert sorted(h.id for h in again) == sorted(h.id for h in found)
        assert "importance" in again[0].parts
