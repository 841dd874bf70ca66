"""Retention: how much of a memory is left by the forgetting curve, its state and its policy. The
formulas are those of OpenMemory Plus, after H. Ebbinghaus (1885). A view: nothing is forgotten by
them."""

from __future__ import annotations

from math import exp
from typing import Final

from graphmem.values.kinds import Temporality
from graphmem.values.lifecycle import Policy, Retention, State

DAY: Final = 86_400_000_000.0  # microseconds
DEFAULT_TTL: Final = 90.0  # days, of a memory of which nothing else is known
TTL_DAYS: Final[dict[Temporality, float | None]] = {
    "permanent": None,
    "long-term": 365.0,
    "short-term": 30.0,
    "session": 1.0,
}
"""Days that a temporality is meant to last. A session ends 24 hours after its last turn."""

_PER_USE: Final = 10.0  # days of strength that a use adds
_PER_PIN: Final = 50.0  # that a pin adds
_MOST_BOOST: Final = 0.5
ACTIVE, AGING, STALE = 0.7, 0.3, 0.1  # the least retention of each state
_FREQUENT: Final = 5  # uses above which a memory is boosted
_SURE: Final = 0.9  # confidence above which it is


def state(retained: float) -> State:
    """The state of a memory, by its retention."""
    if retained >= ACTIVE:
        return "active"
    if retained >= AGING:
        return "aging"
    return "stale" if retained >= STALE else "cleanup"


def policy(left: float, days: float, *, protected: bool) -> Policy:
    """What the policies would do with a memory of base retention `left`, `days` without use.
    protected: pinned, or kept as core configuration. Base is tested, for the boost is a floor of
    retention."""
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
    """Retention of a memory that was not used for `days` (a negative number counts as 0), by the
    formulas in `Retention`. ttl: days, over 0; None: it is permanent. core: kept as core
    configuration."""
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
