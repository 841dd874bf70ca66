"""What is worth keeping decides what is forgotten: the answer must outlive the greeting."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.text.salience import parts, salience


def density(sentence: str) -> float:
    return salience(sentence) / math.sqrt(len(sentence))


@given(
    st.text(max_size=200),
    st.sampled_from(
        [None, lambda _: 3.0, lambda _: float("nan"), lambda _: -5.0, lambda _: float("inf")]
    ),
)
def test_salience_is_positive_finite_and_explained(sentence: str, rarity: object) -> None:
    """A worth of 0 or NaN can never be compared: the sentence would live or die by accident."""
    value = salience(sentence, rarity)  # type: ignore[arg-type]
    assert 0 < value < math.inf
    assert sum(parts(sentence, rarity).values()) == pytest.approx(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kept", "dropped"),
    [
        (
            "Wen moved the release from May 3 to May 10.",
            "That sounds like a really good idea to me!",
        ),
        ("I am allergic to cashews.", "How are you doing these days?"),
        ("We decided to use Postgres.", "Thanks for letting me know about it."),
        ("The deadline is Friday.", "Hello, nice to meet you!"),
        ("I prefer tea in the morning.", "Is there anything else you need?"),
        ("我对腰果过敏。", "你今天过得怎么样呢？"),
        ("李老师决定把会议改到5月10日。", "谢谢你告诉我这件事情。"),
        ("我喜欢喝龙井茶。", "好的，没问题，听起来很不错。"),
    ],
)
def test_facts_are_worth_more_than_chatter(kept: str, dropped: str) -> None:
    """A memory that keeps the greeting and drops the allergy is dangerous."""
    assert density(kept) > density(dropped)


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Wen moved it to May 10.", {"numbers", "date", "names"}),
        ("We decided to go.", {"decision", "self"}),
        ("My favourite tea is oolong.", {"preference", "self"}),
        ("What is it?", {"question"}),
        ("Hello there.", {"greeting"}),
        ("Wow, great.", {"chatter"}),
        ("我决定明天去《故宫》。", {"decision", "date", "names", "self"}),
        ("他喜欢吗？", {"preference", "question"}),
    ],
)
def test_marks_are_seen(sentence: str, names: set[str]) -> None:
    """A mark that is never seen has no say in what is kept."""
    assert names <= set(parts(sentence))


def test_rarity_counts() -> None:
    """Without it all sentences of the same length and shape are alike."""
    rare = {"axolotl": 9.0}
    usual = salience("an axolotl swims", lambda _: 2.0)
    assert salience("an axolotl swims", lambda word: rare.get(word, 2.0)) == pytest.approx(
        usual + 1.5 * 7.0
    )


def test_a_repeated_word_counts_once() -> None:
    """Repeating oneself is not saying more."""
    assert parts("tea tea tea")["words"] == parts("tea")["words"]


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("My daughter lost a tooth and was proud.", "Meine Tochter hat einen Zahn verloren und war stolz."),
        ("The coffee machine in the office leaks.", "Die Kaffeemaschine im Büro tropft ein bisschen."),
    ],
)  # fmt: skip
def test_german_nouns_are_no_names(english: str, german: str) -> None:
    """Everyday German notes were worth twice as much as the same ones in English."""
    assert density(german) < 1.3 * density(english)
    assert "names" not in parts(german)
    assert {"names", "date"} <= set(parts("Am Freitag fährt Tobias nach Lübeck."))
