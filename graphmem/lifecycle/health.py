"""Health: one number for a memory, and the four parts that it is made of (OpenMemory Plus)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from graphmem.values.lifecycle import Health, Measure

WEIGHTS: Final = {"active": 0.3, "rot": 0.2, "confidence": 0.3, "conflicts": 0.2}
THRESHOLDS: Final = {"active": 0.6, "rot": 0.2, "confidence": 0.7, "conflicts": 0.05}
_LESS: Final = ("rot", "conflicts")  # of which less is better
_LEVELS: Final = ((80, "excellent"), (60, "good"), (0, "needs attention"))


def level(points: int) -> str:
    """A score as words: excellent from 80 on, good from 60 on, else needs attention."""
    return next(name for least, name in _LEVELS if points >= least)


def health(states: Mapping[str, int], confidence: float, conflicting: int) -> Health:
    """The health of a memory; an empty one has 100. states: how many nodes are in each state.
    confidence: their mean, 0–1. conflicting: how many nodes stand in a conflict.

    The score is 0.3 active + 0.2 (1 − rot) + 0.3 confidence + 0.2 (1 − conflicts), in hundredths,
    rounded down."""
    total = sum(states.values())
    values = 1.0, 0.0, 1.0, 0.0
    if total:
        rotten = states.get("stale", 0) + states.get("cleanup", 0)
        values = states.get("active", 0) / total, rotten / total, confidence, conflicting / total
    score, parts = 0.0, []
    for (name, weight), value in zip(WEIGHTS.items(), values, strict=True):
        bound, less = THRESHOLDS[name], name in _LESS
        score += weight * (1 - value if less else value)
        parts.append(Measure(name, value, weight, bound, value < bound if less else value > bound))
    points = int(score * 100)
    return Health(points, level(points), total, tuple(parts))
