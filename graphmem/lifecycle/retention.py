"""Retention of a memory by the forgetting curve, its state and its policy; and the health of all
memories. The formulas are those of OpenMemory Plus, after H. Ebbinghaus (1885). They are only
shown: forgetting does not use them."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Final

from graphmem.values.kinds import Temporality
from graphmem.values.lifecycle import Health, Measure, Policy, Retention, State

DAY: Final = 86_400_000_000.0  # microseconds
DEFAULT_TTL: Final = 90.0  # days, for a memory of unknown temporality
TTL_DAYS: Final[dict[Temporality, float | None]] = {
    "permanent": None,
    "long-term": 365.0,
    "short-term": 30.0,
    "session": 1.0,
}
"""Days that a temporality lasts. A session ends 24 hours after its last turn."""

_PER_USE: Final = 10.0  # days of strength that a use adds
_PER_PIN: Final = 50.0  # that a pin adds
_MOST_BOOST: Final = 0.5
ACTIVE, AGING, STALE = 0.7, 0.3, 0.1  # the least retention of each state
_FREQUENT: Final = 5  # a memory with more uses is boosted, …
_SURE: Final = 0.9  # … or with a higher confidence

WEIGHTS: Final = {"active": 0.3, "rot": 0.2, "confidence": 0.3, "conflicts": 0.2}
THRESHOLDS: Final = {"active": 0.6, "rot": 0.2, "confidence": 0.7, "conflicts": 0.05}
_LESS: Final = ("rot", "conflicts")  # measures of which less is better
_LEVELS: Final = ((80, "excellent"), (60, "good"), (0, "needs attention"))


def state(retained: float) -> State:
    """The state of a memory, by its retention."""
    if retained >= ACTIVE:
        return "active"
    if retained >= AGING:
        return "aging"
    return "stale" if retained >= STALE else "cleanup"


def policy(left: float, days: float, *, protected: bool) -> Policy:
    """The policy for a memory of base retention `left`, `days` without use. protected: pinned, or
    kept as core configuration. The boost does not count, as it is a floor of retention."""
    if protected:
        return "never"
    if left < STALE and days >= 90:
        return "automatic"
    if STALE <= left < AGING and days >= 60:
        return "confirm"
    return "none"


def retention(
    node: int,
    days: float,
    *,
    ttl: float | None = DEFAULT_TTL,
    uses: int = 0,
    pinned: bool = False,
    confidence: float = 0.0,
    core: bool = False,
) -> Retention:
    """Retention of a memory that was not used for `days` (negative: 0), by the formulas in
    `Retention`. ttl: days, over 0; None: permanent. core: kept as core configuration."""
    days = max(0.0, days)
    strength = None if ttl is None else ttl / 3 + _PER_USE * uses + _PER_PIN * pinned
    base = 1.0 if strength is None else exp(-days / strength)
    raised = 0.5 * pinned + 0.2 * (confidence > _SURE) + 0.1 * (uses > _FREQUENT) + 0.3 * core
    boost = min(_MOST_BOOST, raised)
    whole = base + boost * (1 - base)
    return Retention(
        node, days, ttl, strength, base, boost, whole, state(whole),
        policy(base, days, protected=pinned or core),
    )  # fmt: skip


def level(points: int) -> str:
    """A score as words: 80 or more is excellent, 60 or more good, else needs attention."""
    return next(name for least, name in _LEVELS if points >= least)


def health(states: Mapping[str, int], confidence: float, conflicting: int) -> Health:
    """The health of a memory; an empty one has 100. states: the number of nodes in each state.
    confidence: their mean, 0–1. conflicting: the number of nodes in conflicts.

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
