"""Reranking of hits by four signals: relevance, recency, importance and frequency of use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from math import log1p

from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.values.hits import Hit

_DAY = 86_400.0  # seconds
_MOST_IMPORTANT = 4.0  # where importance as links make it is counted in full


def rerank(
    hits: Iterable[Hit],
    *,
    relevance: float = 0.5,
    recency: float = 0.2,
    importance: float = 0.2,
    frequency: float = 0.1,
    half_life: float = 30.0,
    now: datetime | None = None,
    measure: Callable[[Hit], float] | None = None,
) -> list[Hit]:
    """Hits in a new order, with the new score and its parts.

    relevance, recency, importance, frequency: weights, 0 or more, of signals between 0 and 1: the
        score against the best one's; ½ for each `half_life` days since the hit was last used, or
        remembered; importance; ln(1 + uses) against that of the most used hit.
    now: an aware datetime; None for the machine's clock.
    measure: the importance of a hit, 0–4, such as `memory.importance`; None leaves it out.

    Hits of the same new score keep their order. The default weights are those of no measurement:
    they let relevance outweigh any other signal. Raises InvalidArgumentError, ArgumentTypeError.
    """
    weights = {
        "relevance": relevance, "recency": recency, "importance": importance,
        "frequency": frequency,
    }  # fmt: skip
    for name, weight in (*weights.items(), ("half_life", half_life)):
        given: object = weight
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise ArgumentTypeError(f"{name} is a number, got {type(given).__name__}")
        if not (0 <= weight < float("inf")) or (name == "half_life" and not weight):
            raise InvalidArgumentError(f"{name} is 0 or more, and half_life above 0, got {weight}")
    if now is not None and now.tzinfo is None:
        raise InvalidArgumentError("now is a datetime with an offset")
    present = now or datetime.now(UTC)
    listed = list(hits)
    best = max((hit.score for hit in listed), default=0.0)
    most = max((hit.node.uses for hit in listed), default=0)
    made = []
    for hit in listed:
        last = hit.node.last_used or hit.node.created
        age = max(0.0, (present - last).total_seconds() / _DAY)
        signals = {
            "relevance": hit.score / best if best > 0 else 0.0,
            "recency": 0.5 ** (age / half_life),
            "importance": 0.0 if measure is None else measure(hit) / _MOST_IMPORTANT,
            "frequency": log1p(hit.node.uses) / log1p(most) if most else 0.0,
        }
        parts = {name: weights[name] * min(1.0, value) for name, value in signals.items()}
        made.append(replace(hit, score=sum(parts.values()), parts=parts))
    return sorted(made, key=lambda hit: -hit.score)
