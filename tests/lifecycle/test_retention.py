"""Retention, states and policies are the seed's formulas, worked by hand.

A figure that people act on ("would be forgotten without asking") and that nobody has ever worked
out on paper is wrong one day, and then the wrong memories go.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import graphmem
from graphmem.errors import (
    ArgumentTypeError,
    ForgottenError,
    InvalidArgumentError,
    UnknownNodeError,
)
from graphmem.lifecycle.retention import policy, retention, state
from graphmem.runtime.open_scope import OpenScope
from tests.clock import Clock

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
LASTING = "The office is on the third floor."
YEAR = {"temporality": "long-term"}


# days, what is known of it, then by hand: S = ttl/3 + 10 uses + 50 pinned, base = e^(−days/S),
# boost, R = base + boost (1 − base), the state by R, the policy by base.
PINNED = {"pinned": True}
FIXTURES: list[tuple[float, dict[str, Any], float, float, float, float, str, str]] = [
    (0, {}, 30, 1.0, 0.0, 1.0, "active", "none"),
    (30, {}, 30, 0.36788, 0.0, 0.36788, "aging", "none"),
    (10.7, {}, 30, 0.70001, 0.0, 0.70001, "active", "none"),
    (36.1, {}, 30, 0.30019, 0.0, 0.30019, "aging", "none"),
    (36.12, {}, 30, 0.29999, 0.0, 0.29999, "stale", "none"),  # under 0.3, but not for 60 days
    (60, {}, 30, 0.13534, 0.0, 0.13534, "stale", "confirm"),
    (69, {}, 30, 0.10026, 0.0, 0.10026, "stale", "confirm"),
    (89, {}, 30, 0.05147, 0.0, 0.05147, "cleanup", "none"),  # under 0.1, but not for 90 days
    (90, {}, 30, 0.04979, 0.0, 0.04979, "cleanup", "automatic"),
    (180, {}, 30, 0.00248, 0.0, 0.00248, "cleanup", "automatic"),
    # A use adds ten days of strength, a sixth one a tenth of boost.
    (60, {"uses": 1}, 40, 0.22313, 0.0, 0.22313, "stale", "confirm"),
    (200, {"uses": 1}, 40, 0.00674, 0.0, 0.00674, "cleanup", "automatic"),
    (90, {"uses": 5}, 80, 0.32465, 0.0, 0.32465, "aging", "none"),
    (400, {"uses": 6}, 90, 0.01174, 0.1, 0.11057, "stale", "automatic"),
    # A confidence over 0.9 gives 0.2, 0.9 itself nothing: R stays over 0.1, the policy tests base.
    (90, {"confidence": 0.95}, 30, 0.04979, 0.2, 0.23983, "stale", "automatic"),
    (90, {"confidence": 0.9}, 30, 0.04979, 0.0, 0.04979, "cleanup", "automatic"),
    # Pinned: 50 days and half of what is lost; what is pinned or core is never forgotten.
    (100, PINNED, 80, 0.28650, 0.5, 0.64325, "aging", "never"),
    (500, PINNED | {"uses": 5, "confidence": 0.95, "core": True}, 130, 0.02136, 0.5, 0.51068,
     "aging", "never"),
    (100, {"uses": 2, "core": True}, 50, 0.13534, 0.3, 0.39473, "aging", "never"),
    # What is meant for 30 days has 10, for a year 121.67; what is permanent does not fade.
    (7, {"ttl": 30}, 10, 0.49659, 0.0, 0.49659, "aging", "none"),
    (23.1, {"ttl": 30}, 10, 0.09926, 0.0, 0.09926, "cleanup", "none"),
    (90, {"ttl": 30}, 10, 0.00012, 0.0, 0.00012, "cleanup", "automatic"),
    (130, {"ttl": 365}, 121.66667, 0.34353, 0.0, 0.34353, "aging", "none"),
    (280, {"ttl": 365}, 121.66667, 0.10012, 0.0, 0.10012, "stale", "confirm"),
    (300, {"ttl": 365}, 121.66667, 0.08494, 0.0, 0.08494, "cleanup", "automatic"),
    # A clock that was set back: nothing is younger than new.
    (-3, {}, 30, 1.0, 0.0, 1.0, "active", "none"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("days", "known", "strength", "base", "boost", "retained", "state", "policy"), FIXTURES
)
def test_retention_worked_by_hand(
    days: float,
    known: dict[str, Any],
    strength: float,
    base: float,
    boost: float,
    retained: float,
    state: str,
    policy: str,
) -> None:
    found = retention(7, days, **known)
    assert found.strength == pytest.approx(strength, abs=5e-6)
    assert found.base == pytest.approx(base, abs=6e-6)
    assert found.boost == pytest.approx(boost)
    assert found.retention == pytest.approx(retained, abs=6e-6)
    assert (found.state, found.policy) == (state, policy)


def test_what_is_permanent_does_not_fade() -> None:
    found = retention(7, 4000, ttl=None, uses=3)
    assert (found.strength, found.base, found.retention) == (None, 1.0, 1.0)
    assert (found.state, found.policy) == ("active", "none")
    assert str(found) == "node 7: R 1.00, active; it is permanent"
    assert retention(7, 4000, ttl=None, pinned=True).policy == "never"


def test_a_memory_is_measured_from_its_last_use(memory: graphmem.Memory, clock: Clock) -> None:
    (node,) = memory.remember(LASTING, about=graphmem.About(kind=YEAR))
    assert memory.review.retention(node).ttl == 365
    clock.now += timedelta(days=50)
    assert memory.review.retention(node.id).days == pytest.approx(50)
    memory.used(node)
    clock.now += timedelta(days=20)
    found = memory.review.retention(node)
    assert found.days == pytest.approx(20)
    assert found.strength == pytest.approx(365 / 3 + 10)
    memory.pin(node)
    found = memory.review.retention(node)
    assert (found.strength, found.policy) == (pytest.approx(365 / 3 + 60), "never")
    assert found.boost == 0.5
    assert str(found).startswith(f"node {node.id}: R 0.9")


def test_how_long_a_memory_is_meant_to_last(memory: graphmem.Memory, clock: Clock) -> None:
    """What the caller says, else what its sentences say, in both languages."""
    (given,) = memory.remember(LASTING, expires=timedelta(days=9))
    (always,) = memory.remember("I am allergic to peanuts.")
    (zh,) = memory.remember("我对花生过敏。")
    (soon,) = memory.remember("The plumber comes tomorrow at nine.")
    found = [memory.review.retention(node).ttl for node in (given, always, zh, soon)]
    assert found == [9, None, None, 30]


def test_states_are_counted_and_policies_listed(memory: graphmem.Memory, clock: Clock) -> None:
    (old,) = memory.remember(LASTING, about=graphmem.About(kind=YEAR))
    (pinned,) = memory.remember(
        "The server is in the cellar.", pin=True, about=graphmem.About(kind=YEAR)
    )
    (soon,) = memory.remember("The plumber comes tomorrow at nine.")
    clock.now += timedelta(days=260)
    memory.remember("I am allergic to peanuts.")
    states = memory.review.status().states
    assert states == {"active": 1, "aging": 1, "stale": 2, "cleanup": 0}
    # S 121.67: base 0.118, R 0.294; S 10: base 0, R 0.2; pinned S 171.67: base 0.22, R 0.61.
    assert memory.review.policies() == {
        "automatic": [soon.id], "confirm": [old.id], "never": [pinned.id],
    }  # fmt: skip
    assert memory.review.policies(limit=1)["never"] == [pinned.id]
    assert len(memory) == 4, "a view forgets nothing"


@pytest.mark.parametrize("verb", ["policies", "clean"])
def test_what_is_not_listed_is_not_asked_about(
    memory: graphmem.Memory, clock: Clock, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """Of 27,000 stale memories each was asked about, which took a quarter of a minute, when the
    lists had long been full."""
    memory.remember("Never touch anything under vendor/, it's generated by the build farm.")
    memory.remember_many(
        f"The weather was {how} and nobody had anything to report."
        for how in ("mild", "wet", "dull", "grey", "warm", "dry", "fair", "cold", "damp", "bright")
    )
    asked: list[int] = []
    find = OpenScope.may_be_left

    def counting(self: OpenScope, node: int) -> set[int]:
        asked.append(node)
        return find(self, node)

    monkeypatch.setattr(OpenScope, "may_be_left", counting)
    clock.now += timedelta(days=900)
    whole = memory.review.policies()
    assert (len(whole["automatic"]), len(whole["confirm"])) == (10, 1)
    assert len(asked) == 10
    asked.clear()
    getattr(memory.review, verb)(limit=1)
    assert len(asked) == 1


def test_what_is_no_node_is_refused(memory: graphmem.Memory) -> None:
    (node,) = memory.remember(LASTING)
    memory.forget(node)
    with pytest.raises(ForgottenError):
        memory.review.retention(node)
    with pytest.raises(UnknownNodeError):
        memory.review.retention(99)
    with pytest.raises(ArgumentTypeError):
        memory.review.retention("1")  # type: ignore[arg-type]
    for wrong in (0, 100_001):
        with pytest.raises(InvalidArgumentError):
            memory.review.policies(limit=wrong)
    with pytest.raises(ArgumentTypeError):
        memory.review.policies(limit=True)


@pytest.mark.parametrize(
    ("retained", "expected"),
    [
        (1.0, "active"), (0.7, "active"), (0.699, "aging"), (0.3, "aging"), (0.299, "stale"),
        (0.1, "stale"), (0.099, "cleanup"), (0.0, "cleanup"),
    ],
)  # fmt: skip
def test_the_bounds_of_the_states(retained: float, expected: str) -> None:
    assert state(retained) == expected


@pytest.mark.parametrize(
    ("left", "days", "expected"),
    [
        (0.099, 90, "automatic"), (0.099, 89.9, "none"), (0.1, 90, "confirm"), (0.1, 60, "confirm"),
        (0.299, 60, "confirm"), (0.299, 59.9, "none"), (0.3, 999, "none"),
    ],
)  # fmt: skip
def test_the_bounds_of_the_policies(left: float, days: float, expected: str) -> None:
    """A day early, and a policy removes what nobody was asked about."""
    assert policy(left, days, protected=False) == expected
    assert policy(left, days, protected=True) == "never"
