"""A pass that is named wrongly: a text dies before its time, or is never looked at again."""

from __future__ import annotations

import math
import statistics
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given

from graphmem.graph import strength, worth
from graphmem.graph.records import NodeRecord, Sentence, TextRecord
from graphmem.graph.worth import FORGOTTEN, STAYS
from graphmem.hexastore.scopes import Scope, ScopeState

DECAY = strength.DEFAULT_DECAY
SCOPE = Scope(1, "agent", "memory", DECAY, 1, 1)
LATIN, CJK = "Wen moved the release.", "会议改到星期五下午。"


def sentence(density: float, text: str = LATIN) -> Sentence:
    return Sentence(text, density * len(text) ** 0.5)


def told(density: float, text: str = LATIN) -> TextRecord:
    """A text of one sentence."""
    return TextRecord((text,), (sentence(density, text).salience,), "", ())


def parts(densities: list[float]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The spans and saliences of sentences."""
    made = list(map(sentence, densities))
    return tuple(s.text for s in made), tuple(s.salience for s in made)


@pytest.mark.parametrize("text", [LATIN, CJK])
@pytest.mark.parametrize("center", [2.0, 9.0])
def test_the_running_median_finds_the_median_and_follows_it(text: str, center: float) -> None:
    """A median that stays behind calls every sentence worthless, or none."""
    random, state = Random(1), ScopeState()
    for _ in range(2):
        seen = [random.lognormvariate(math.log(center), 0.5) for _ in range(3000)]
        for density in seen:
            worth.observe(state, told(density, text))
        assert worth.median(state, text) == pytest.approx(statistics.median(seen), rel=0.1)
        center *= 1.5


def test_the_scripts_have_one_measure() -> None:
    """A Chinese sentence holds more per character than an English one; but measured with Chinese
    ones alone, the only fact among English chatter is an average sentence."""
    state = ScopeState()
    before = worth.median(state, CJK), worth.median(state, LATIN)
    assert before[0] > before[1]
    for _ in range(300):
        worth.observe(state, told(2.0))
    after = worth.median(state, CJK), worth.median(state, LATIN)
    assert after[1] == pytest.approx(2.0, rel=0.02)
    assert after[0] / after[1] == pytest.approx(before[0] / before[1])
    assert (state.latin_seen, state.cjk_seen) == (300, 0)
    worth.observe(state, told(9.0, CJK))
    assert (state.latin_seen, state.cjk_seen) == (300, 1)
    assert worth.median(state, CJK) == pytest.approx(after[0], rel=0.01)


def test_the_first_sentence_moves_the_median_a_little() -> None:
    """Taken as the median itself, one odd text would judge all that follow."""
    state = ScopeState()
    prior = worth.median(state, LATIN)
    worth.observe(state, told(1000.0))
    assert prior < worth.median(state, LATIN) < prior * 1.06
    worth.observe(state, told(0.0))
    assert worth.median(state, LATIN) == pytest.approx(prior, rel=0.01)


DENSITIES = st.floats(0.3, 20)


@given(
    links=st.lists(st.floats(0.1, 1), max_size=4),
    densities=st.lists(DENSITIES, max_size=4),
    last=DENSITIES,
    born=st.integers(0, 60),
    passes=st.integers(0, 60),
    grace=st.sampled_from((0, 3, 50)),
)
def test_a_node_is_due_at_the_first_pass_that_changes_it(
    links: list[float], densities: list[float], last: float, born: int, passes: int, grace: int
) -> None:
    """Due too early, every pass looks at every node; too late, what should fade stays."""
    born = min(born, passes)
    text = TextRecord(*parts(densities), "Wen", (), characters=999, last_density=last)
    state, node = ScopeState(passes=passes), NodeRecord(born=born)
    due = worth.due(SCOPE, state, text, node, sum(links), grace)
    assert due >= max(passes + 1, born + grace)
    least = min(densities, default=last) / worth.median(state, LATIN)
    threshold = STAYS if densities else FORGOTTEN

    def changed(at: int) -> bool:
        now = [value * 0.97 ** (at - passes) for value in links]
        # Links break on the way only where so little is left that it no longer counts.
        assume(all(value >= strength.BROKEN for value in now))
        product = sum(now) * least
        assume(abs(product / threshold - 1) > 1e-9)
        return product < threshold

    first = passes + 1
    while not changed(first):
        first += 1
    assert due == max(first, born + grace)


@given(densities=st.lists(DENSITIES, max_size=4), last=DENSITIES)
def test_a_node_without_links_is_due_at_once(densities: list[float], last: float) -> None:
    """The logarithm of no importance would end the sweep with a ValueError."""
    text = TextRecord(*parts(densities), "Wen", (), last_density=last)
    state: Any = ScopeState(passes=10)
    assert worth.due(SCOPE, state, text, NodeRecord(born=2), 0.0, 3) == 11
    assert worth.due(SCOPE, state, text, NodeRecord(born=10), 0.0, 3) == 13


def test_worth_is_relative_to_the_median() -> None:
    """An absolute threshold would depend on how the backend happens to count."""
    state = ScopeState()
    middle = worth.median(state, LATIN)
    text = TextRecord(*parts([middle, 3 * middle]), "Wen", ())
    assert worth.worths(state, text) == pytest.approx([1.0, 3.0])
    gist = text._replace(spans=(), saliences=(), last_density=2 * middle)
    assert worth.worths(state, gist) == pytest.approx([2.0])


def test_of_equal_worth_what_was_told_or_used_longest_ago_goes_first() -> None:
    """What is asked for every day would go before what nobody has needed since."""
    state, text = ScopeState(passes=90), told(4.0)
    order = [
        NodeRecord(born=10),
        NodeRecord(born=0, uses=1, last_use=20),
        NodeRecord(born=30),
        NodeRecord(born=25, uses=3, last_use=40),
        NodeRecord(born=5, uses=1, last_use=80),
        NodeRecord(born=5, uses=2, last_use=80),
    ]
    ranks = [worth.rank(state, text, node, 0.0) for node in order]
    assert ranks == sorted(ranks)
    assert len({*ranks}) == len(ranks)
