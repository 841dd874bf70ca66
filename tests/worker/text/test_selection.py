"""Forgetting may only leave out; what is left must still be what was said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.text.clauses import atoms
from graphmem_worker.text.selection import select, shorten

LONG = st.lists(
    st.sampled_from(
        [
            "Wen moved the release, ",
            "but nobody knew it; ",
            "if it rains, ",
            "because (a, b) 1,000 — ",
            "我们去了北京的老房子，",
            "但是没有人，",
            "如果下雨，",
            " , ",
        ]
    ),
    max_size=12,
).map("".join)


@given(st.lists(st.floats(allow_nan=True)), st.floats(allow_nan=False))
def test_select_keeps_what_is_worth_it(worths: list[float], threshold: float) -> None:
    """A sentence at the threshold stays; order is the story's order."""
    chosen = select(["x"] * len(worths), worths, threshold)
    assert chosen == [place for place, worth in enumerate(worths) if worth >= threshold]
    assert chosen == sorted(chosen)


def test_select_refuses_unequal_lengths() -> None:
    """A worth too few would silently forget the last sentence."""
    with pytest.raises(ValueError, match="zip"):
        select(["a", "b"], [1.0], 0.5)


@given(st.one_of(LONG, st.text(max_size=200)), st.integers(0, 2**12))
def test_a_shorter_sentence_is_made_of_its_clauses(sentence: str, mask: int) -> None:
    """A word that is not of the source is a false memory."""
    parts = atoms(sentence.strip())
    chosen = {part for place, part in enumerate(parts) if mask >> place & 1}
    short = shorten(sentence, 1.0, lambda clause: 1.0 if clause in chosen else 0.0)
    if short is None:
        return
    assert short
    assert short == short.strip()
    assert len(short) < len(sentence.strip())
    rest = short
    for part in parts:
        for size in range(len(part), 0, -1):
            inner = next(
                (
                    part[a : a + size]
                    for a in range(len(part) - size + 1)
                    if rest.startswith(part[a : a + size])
                ),
                None,
            )
            if inner:
                rest = rest[len(inner) :]
                break
    assert not rest


def test_shorten_takes_the_clauses_that_are_worth_it() -> None:
    """A long sentence of chatter may hold the one fact."""
    sentence = (
        "Wen moved the release to May 10, and it was a really nice day, and everybody was there"
    )
    assert (
        shorten(sentence, 1.0, lambda clause: float("May" in clause))
        == "Wen moved the release to May 10"
    )
    sentence = (
        "那天的天气真的非常好大家都很开心，李老师把会议改到了周五下午三点，后来我们就回家了。"
    )
    assert (
        shorten(sentence, 1.0, lambda clause: float("会议" in clause))
        == "李老师把会议改到了周五下午三点。"
    )


def test_shorten_leaves_short_and_whole_sentences_alone() -> None:
    """Nothing is gained by taking a short sentence apart, and "everything" is no shorter form."""
    long = "Wen moved the release to May 10, and it was a really nice day, and all were there"
    assert (
        shorten("Wen moved it, and it was nice", 1.0, lambda clause: float("Wen" in clause)) is None
    )
    assert shorten(long, 1.0, lambda _: 2.0) is None
    assert shorten(long, 1.0, lambda _: 0.0) is None
    assert (
        shorten(
            "Wen has moved the release of the product to the tenth of May this year",
            1.0,
            lambda _: 2.0,
        )
        is None
    )


@pytest.mark.parametrize(
    ("sentence", "fact", "limit"),
    [
        (
            "We will move the release to May 10, unless Tom finds another bug, and all of us were happy",
            "release",
            "unless",
        ),
        (
            "If Tom finds another bug tonight, we will move the release to May 10, and all were happy",
            "release",
            "If Tom",
        ),
        (
            "You may always call me at home, but not on Sunday mornings, as I have told you before",
            "call me",
            "but not",
        ),
        (
            "我们会把新版本的发布改到五月十日，除非汤姆又发现别的问题，大家听了以后都很高兴。",
            "发布",
            "除非",
        ),
    ],
)
def test_a_condition_stays_with_what_it_limits(sentence: str, fact: str, limit: str) -> None:
    """ "We move the release" without "unless …" was never said."""
    short = shorten(sentence, 1.0, lambda clause: float(fact in clause))
    assert short is not None
    assert fact in short
    assert limit in short
    assert shorten(sentence, 1.0, lambda clause: float(limit in clause)) == short


def test_shorten_ends_where_the_sentence_ended() -> None:
    """What read "pump.png泵一开" was two sentences run into one; a question's mark would turn a statement."""
    chart = "找吴社长要了水泵的电表记录，跟丢包画在一张图上，pump.png，你们自己看。"
    assert shorten(chart, 1.0, lambda clause: float("png" in clause)) == (
        "找吴社长要了水泵的电表记录，跟丢包画在一张图上，pump.png。"
    )
    asked = "Wen moved the release to the tenth of May, so do you think that we could have lunch?"
    assert (
        shorten(asked, 1.0, lambda clause: float("May" in clause))
        == "Wen moved the release to the tenth of May"
    )
