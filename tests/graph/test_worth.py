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
LATIN, CJK = "Ada has a blue bike in the shed.", "会议改到星期五下午。"


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


def test_what_says_nothing_goes_first_then_what_was_replaced() -> None:
    """A memory of greetings and old addresses would be what is left under pressure."""
    state, node = ScopeState(passes=90), NodeRecord(born=10)
    over = node._replace(valid_to=5)
    order = [
        worth.rank(state, TextRecord(("Thanks!",), (1.0,), "", ()), node, 0.0),
        worth.rank(state, told(9.0), over, 0.0),
        worth.rank(state, told(0.1), node, 0.0),
    ]
    assert order == sorted(order)
    assert [worth.kind_of(rank) for rank in order] == [
        worth.TRIVIAL, worth.REPLACED, worth.BY_WORTH,
    ]  # fmt: skip
    for rank in order:
        kind = worth.kind_of(rank)
        assert worth.first_rank(kind) <= rank < worth.first_rank(kind + 1)
        assert worth.is_ranked(rank)
    assert not worth.is_ranked(worth.RANKED - 1)


@given(value=st.floats(1e-7, 1e4))
def test_a_rank_knows_its_worth_to_three_per_cent(value: float) -> None:
    """Room would be made below the worth that was asked for, or not at all."""
    state = ScopeState()
    rank = worth.rank(state, told(value * worth.median(state, LATIN)), NodeRecord(), 0.0)
    assert value <= worth.level(rank) * (1 + 1e-9) <= value / 0.97 * (1 + 2e-9)
    assert worth.level(worth.after(rank)) == pytest.approx(value * STAYS / FORGOTTEN, rel=0.07)
    assert worth.after(rank) & 0xFF_FFFF_FFFF == rank & 0xFF_FFFF_FFFF


def test_what_is_held_neither_fades_nor_counts() -> None:
    """An allergy is told in a dull sentence: the text would go for its sake, or never be asked."""
    state = ScopeState(passes=20)
    middle = worth.median(state, LATIN)
    text = TextRecord(("Rich.", "Dull."), (2 * middle * 5**0.5, 0.1 * middle * 5**0.5), "Wen", ())
    gist = text._replace(spans=(), saliences=(), last_density=middle)

    def due(text: TextRecord, held: str, born: int = 0, grace: int = 0) -> int:
        node = NodeRecord(born=born)
        return worth.due(SCOPE, state, text, node, 1.0, grace, lambda span: span in held)

    assert due(text, "") == 21
    assert due(text, "Dull.") == due(TextRecord(("Rich.",), text.saliences[:1], "", ()), "") > 28
    assert due(text, "Rich.Dull.") == 20 + worth.ASK_AGAIN
    assert due(text, "Rich.Dull.", born=20, grace=30) == 50
    assert due(gist, "") == worth.due(SCOPE, state, gist, NodeRecord(), 1.0, 0) > 28
    ranks = [
        worth.rank(state, text, NodeRecord(), 0.0, lambda span, held=held: span in held)
        for held in ("", "Dull.", "Rich.Dull.")
    ]
    assert worth.level(ranks[0]) == pytest.approx(0.1, rel=0.04)
    assert worth.level(ranks[1]) == pytest.approx(2.0, rel=0.04)
    assert worth.level(ranks[2]) == worth.level(-1)
    assert worth.level(worth.rank(state, gist, NodeRecord(), 0.0, str)) < 2


@pytest.mark.parametrize(
    ("head", "tail"),
    [("Reported the lamp post outside.", "Ref 88-2210."), ("Laterne gemeldet.", "Noch offen."),
     ("门口的路灯坏了。", "编号88-2210。")],
)  # fmt: skip
def test_a_tail_is_worth_no_more_than_what_it_is_about(head: str, tail: str) -> None:
    state = ScopeState()
    poor, rich = worth.worths(state, TextRecord((head, tail), (1.0, 20.0), "", ()))
    assert poor == rich
    rich, poor = worth.worths(state, TextRecord((head, tail), (20.0, 1.0), "", ()))
    assert poor < rich / 2


def test_a_node_pays_for_the_room_that_all_of_it_takes() -> None:
    """Short texts, which take more for links and records than for what they say, would stay."""
    state = ScopeState(
        nodes=10, links=20, keywords=25, sessions=5, text_bytes=1000, live_bytes=6000
    )
    beside = 20 * 50 + 10 * 112 + 30 * 29  # a link, a node, a keyword or a session
    overhead = beside / 10 * 1000 / (6000 - beside)
    assert worth.overhead(state) == pytest.approx(overhead)
    assert worth.overhead(ScopeState()) == 0
    text, middle = told(3.0), worth.median(state, LATIN)
    alone = worth.standing(text, worth.worths(state, text), 0.0)
    assert alone == pytest.approx(3.0 / middle)
    with_room = worth.standing(text, worth.worths(state, text), 3.0 * text.size)
    assert with_room == pytest.approx(alone / 2)
    gist = TextRecord((), (), "Wen", (), last_density=3.0)
    assert worth.standing(gist, worth.worths(state, gist), 0.0) == pytest.approx(
        alone * STAYS / FORGOTTEN
    )
    first = worth.first_rank(worth.BY_WORTH)
    assert worth.pressed(state, gist, first, 0.0) == 0
    assert worth.pressed(state, text, first, 1.0) == 0
    assert worth.pressed(state, text, first, 0.0) == STAYS / worth.level(first)
    assert worth.pressed(state, text, worth.first_rank(worth.REPLACED), 0.0) == 0
