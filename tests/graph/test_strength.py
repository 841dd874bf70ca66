"""A strength that drifts makes a memory forget sooner, or later, than it says."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import pytest
from hypothesis import given

from graphmem.graph import strength

FACTORS = st.sampled_from((0.97, 0.5, 0.9, 0.9999))
STRENGTHS = st.floats(strength.BROKEN, 1.0)


@pytest.mark.parametrize("begun", [0, 1, 7, 1000, 123_456])
def test_lazy_decay_is_repeated_multiplication(begun: int) -> None:
    """Rounding that adds up over passes would forget a quiet memory years too early."""
    decay = -math.log(0.97)
    for initial in (1.0, 0.5, 0.0123):
        level, expected = strength.encode(initial, begun, decay), initial
        for passes in range(begun, begun + 3000):
            assert strength.decode(level, passes, decay) == pytest.approx(expected, rel=1e-6)
            expected *= 0.97


@given(value=STRENGTHS, begun=st.integers(0, 10**7), more=st.integers(0, 3000), factor=FACTORS)
def test_any_strength_at_any_pass(value: float, begun: int, more: int, factor: float) -> None:
    """The same for every λ that a scope may be made with, and for a memory of many years."""
    decay = -math.log(factor)
    level = strength.encode(value, begun, decay)
    assert strength.decode(level, begun + more, decay) == pytest.approx(
        value * factor**more, rel=2e-6
    )
    assert -(1 << 63) <= level < 1 << 63, "it is kept in 64 bits"


@given(
    links=st.lists(st.tuples(STRENGTHS, st.integers(0, 500)), min_size=2, max_size=20),
    more=st.integers(0, 500),
)
def test_the_order_of_links_never_changes(links: list[tuple[float, int]], more: int) -> None:
    """The adjacency is sorted once, when a link is written: it must stay sorted for ever."""
    decay = strength.DEFAULT_DECAY
    levels = sorted(strength.encode(value, begun, decay) for value, begun in links)
    for passes in (500, 500 + more):
        now = [strength.decode(level, passes, decay) for level in levels]
        assert now == sorted(now)


@given(value=STRENGTHS, begun=st.integers(0, 1000), more=st.integers(0, 200))
def test_broken_is_below_one_hundredth(value: float, begun: int, more: int) -> None:
    """A link cut too early is a way to a memory that is lost."""
    decay = strength.DEFAULT_DECAY
    level = strength.encode(value, begun, decay)
    now = value * 0.97**more
    if abs(now - strength.BROKEN) > 1e-7:
        broken = level < strength.broken_level(begun + more, decay, True)
        assert broken == (now < strength.BROKEN)


@given(value=STRENGTHS, initial=STRENGTHS)
def test_linking_again_strengthens_and_stays_within_one(value: float, initial: float) -> None:
    """A strength above 1 would outlive everything; one that falls would punish use."""
    again = strength.strengthened(value, initial)
    assert max(value, initial) <= again <= 1.0
    assert again == max(initial, value + (1 - value) / 2)


@given(value=st.floats(0.001, 4), threshold=st.floats(0.001, 4), factor=FACTORS)
def test_passes_until_is_the_first_pass_below(
    value: float, threshold: float, factor: float
) -> None:
    """Too few: a node is looked at for nothing. Too many: it stays longer than its worth says."""
    decay = -math.log(factor)
    passes = strength.passes_until(value, threshold, decay)
    assert passes >= 0
    assert value * factor**passes < threshold * (1 + 1e-9)
    if passes:
        assert value * factor ** (passes - 1) >= threshold * (1 - 1e-9)
