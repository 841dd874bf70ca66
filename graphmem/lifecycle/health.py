"""Health: one number for a memory, and the four parts that it is made of (OpenMemory Plus)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from graphmem.values.lifecycle import Health, Measure

WEIGHTS: Final = {"active": 0.3, "rot": 0.2, "confidence": 0.3, "conflicts": 0.2}
THRESHOLDS: Final = {"active": 0.6, "rot": 0.2, "confidence": 0.7, "conflicts": 0.05}
_LEVELS: Final = ((80, "excellent"), (60, "good"), (0, "needs attention"))


def score(active: float, rot: float, confidence: float, conflicts: float) -> int:
    """0–100, rounded down: 0.3 active + 0.2 (1 − rot) + 0.3 confidence + 0.2 (1 − conflicts)."""
    found = active * 0.3 + (1 - rot) * 0.2 + confidence * 0.3 + (1 - conflicts) * 0.2
    return int(found * 100)


def level(points: int) -> str:
    """A score as words: excellent from 80 on, good from 60 on, else needs attention."""
    return next(name for least, name in _LEVELS if points >= least)


def health(states: Mapping[str, int], confidence: float, conflicting: int) -> Health:
    """The health of a memory; an empty one has 100. states: how many nodes are in each state.
    confidence: their mean, 0–1. conflicting: how many nodes stand in a conflict."""
    total = sum(states.values())
    if not total:
        return Health(100, level(100), 0, _parts(1.0, 0.0, 1.0, 0.0))
    active = states.get("active", 0) / total
    rot = (states.get("stale", 0) + states.get("cleanup", 0)) / total
    conflicts = conflicting / total
    points = score(active, rot, confidence, conflicts)
    return Health(points, level(points), total, _parts(active, rot, confidence, conflicts))


def _parts(*values: float) -> tuple[Measure, ...]:
    made = []
    for (name, weight), value in zip(WEIGHTS.items(), values, strict=True):
        most = THRESHOLDS[name]
        healthy = value < most if name in ("rot", "conflicts") else value > most
        made.append(Measure(name, value, weight, most, healthy))
    return tuple(made)
