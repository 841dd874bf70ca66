"""Prevents: what holds of one person answers for another, or a city is taken for a person."""

from __future__ import annotations

import pytest

import graphmem
from graphmem.recalling.subjects import SELF, are_apart, asked_of, told_of


@pytest.mark.parametrize(
    ("cue", "whom"),
    [
        ("Where do I live?", {SELF}),
        ("Where does my sister live?", {"sister"}),
        ("What is Marta's phone number?", {"marta"}),
        ("When is the meeting?", set()),
        ("我住在哪里？", {SELF}),
        ("我妹妹住在哪里？", {"妹妹"}),
        ("小莲的狗叫什么？", {"小莲"}),
    ],
)
def test_of_whom_a_cue_asks(cue: str, whom: set[str]) -> None:
    assert asked_of(cue) == whom


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("I live in Lisbon.", {SELF}),
        ("My sister Lena lives in Berlin.", {"sister", "lena"}),
        ("Marta's boss is Mrs. Lopes.", {"marta"}),
        ("Moved from Leeds to Sheffield last weekend.", set()),
        ("Cancelled FitX and joined McFit.", set()),
        ("我妹妹小莲住在成都。", {"妹妹"}),
        ("晓梅的生日是11月19日。", {"晓梅"}),
        ("会议改到周四下午了。", set()),
    ],
)
def test_of_whom_a_text_tells(text: str, whom: set[str]) -> None:
    assert told_of(text) == whom


def test_a_text_about_somebody_whom_the_first_one_names_goes_with_it() -> None:
    me = asked_of("Who is my boss?")
    assert not are_apart(me, "My boss is Tom.", "Tom left; Ada leads us.", None)
    assert are_apart(me, "My boss is Tom.", "Marta's boss is Mrs. Lopes.", None)


def test_who_speaks_is_the_one_of_whom_is_asked_by_name() -> None:
    marta = asked_of("Where does Marta live?")
    assert are_apart(marta, "Marta lives in Porto.", "I moved to Faro.", "Rui")
    assert not are_apart(marta, "Marta lives in Porto.", "I moved to Faro.", "Marta")


@pytest.mark.parametrize(
    ("own", "others", "cue"),
    [
        (
            "I moved to Leeds.",
            "Nadia is my sister. She lives in Lyon with Tiago.",
            "Where do I live?",
        ),
        ("我搬到了建设路。", "我姐住在成都，姐夫开火锅店。", "我住哪儿？"),
    ],
)
def test_what_somebody_states_of_themselves_stands_before_others(
    own: str, others: str, cue: str
) -> None:
    """In other words than the cue's it was not found; the sister's address came back alone."""
    with graphmem.open(worker="none") as memory:
        memory.remember(own)
        memory.remember(others)
        memory.remember("The cat sleeps a lot.")
        assert memory.recall(cue, use=False)[0].text == own
