"""A clause torn out of its sentence may say the opposite of it."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.text import clauses as clauses_of
from graphmem_worker.text import selection
from graphmem_worker.text.clauses import standalone_clauses
from graphmem_worker.text.phrase import phrase

PARTS = st.lists(
    st.sampled_from(
        [
            "Wen moved the release, ", "but nobody knew it; ", "if it rains, ", "she paid 1,200 euros, ",
            "unless Tom objects, ", "apples, ", "and pears. ", "because (a, b) 1,000 — ", "not before 3 May 2026, ",
            "我们去了北京的老房子，", "但是没有人，", "如果下雨，", "苹果、", "电池扛不住高温，", "他五月十日回来。", " , ",
        ]
    ),
    max_size=12,
).map("".join)  # fmt: skip


@given(st.one_of(PARTS, st.text(max_size=200)))
def test_clauses_are_the_sentence(sentence: str) -> None:
    assert "".join(standalone_clauses(sentence)) == sentence


@pytest.mark.parametrize(
    ("sentence", "together"),
    [
        ("If it rains, we stay at home, and she is glad about it", "If it rains, we stay at home"),
        ("如果下雨，我们就不去了，大家都会很失望的", "如果下雨，我们就不去了"),
        ("We bought apples, pears, and plums at the market", "apples, pears, and plums"),
        ("她不是不想来，而是来不了", "她不是不想来，而是来不了"),
    ],
)
def test_what_needs_each_other_is_one_clause(sentence: str, together: str) -> None:
    assert any(together in clause for clause in standalone_clauses(sentence))


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("这块电池在那么高的温度下面根本就扛不住的因为外壳太薄了而且没有散热", ("不", "扛")),
        ("The new battery that we ordered from the supplier in May cannot stand the heat of the roof", ("cannot", "cannot stand")),
    ],
)  # fmt: skip
def test_a_phrase_keeps_the_complement_of_a_negation_or_leaves_it_out(
    text: str, never: tuple[str, ...]
) -> None:
    for longest in range(4, 60):
        assert not phrase(text, longest).endswith(never)


@pytest.mark.parametrize(
    "sentence",
    [
        "The dinner is on Thursday, no wait, it's Tuesday.",
        "I told Jess the rent was 900, but that was wrong, it's 960.",
        "I was going to take the job in Leeds, but in the end I stayed here.",
        "The doctor doesn't think it's the knee, she thinks it's the hip.",
        "She gave up driving, not because of her eyes, but because the car was stolen.",
        "我本来要去利兹上班的，但最后我还是留在老家了。",
        "我跟洁洁说房租是九百，其实说错了，含车库是九百六。",
        "在看这本书的过程中，我也体会到了生命的意义。",
    ],
)
def test_what_was_put_right_does_not_stand_alone(sentence: str) -> None:
    """A memory kept "The dinner is on Thursday at eight, no wait"."""
    assert standalone_clauses(sentence) == [sentence]


def test_a_condition_behind_a_dash_limits_what_follows() -> None:
    """“We meet at the mill - if it rains” was never said."""
    first, second = standalone_clauses("We meet at the mill - if it rains, we stay at home.")
    assert second == "if it rains, we stay at home."
    assert "if" not in first


def test_a_sentence_is_judged_once_for_both_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """`turned` and `leaning` ask the same of each sentence: a sixth of the time of `files.add`."""
    asked: list[str] = []
    limiting = clauses_of._limiting.__wrapped__
    monkeypatch.setattr(
        clauses_of,
        "_limiting",
        cache(lambda sentence: asked.append(sentence) or limiting(sentence)),
    )
    units = ("The valve may be opened.", "Wen has the key 7741.")
    selection.turned(units)
    selection.leaning(units)
    assert asked == [units[1]]
