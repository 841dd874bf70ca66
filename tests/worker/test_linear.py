"""The time that a text takes grows with its length, whatever it is made of.

A megabyte of full stops took a minute: `joined[-1] += piece` copies what was joined before. Each of
these patterns once took time with the square of its length, or did not end at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count

import pytest

from graphmem_worker.claims.transfers import is_reversed
from graphmem_worker.gate.judge import judge
from graphmem_worker.gate.reading import read
from graphmem_worker.text.keywords import keywords
from graphmem_worker.text.phrase import phrase
from graphmem_worker.text.protects import protects
from graphmem_worker.text.salience import salience
from graphmem_worker.text.sentences import clauses, segments, sentences
from graphmem_worker.text.words import words

FAST = 0.05  # seconds of computing, below which a ratio says nothing
GROWTH = 9.0  # of four times the text; 4 is linear, 16 square
TIMES = count()


def rising(word: str) -> float:
    """A rarity by which every border of a Chinese run looks better than the one before."""
    return float(int.from_bytes(word.encode(), "big") % 1_000_003)


def computed(function: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    function(text)
    return time.process_time() - begun


def check_growth(
    function: Callable[[str], object], first: str, unit: str, last: str, size: int
) -> None:
    small, large = (first + (unit * (n // len(unit) + 1))[:n] + last for n in (size, 4 * size))
    for _ in range(3):  # another process may have had the core
        most = computed(function, large)
        if most < FAST or most < GROWTH * computed(function, small):
            return
    raise AssertionError(f"{most:.2f} s for {len(large):,} characters of {unit!r}")


def judged(text: str) -> object:
    return judge(text, text)


def given(text: str) -> object:
    """Whether it is the reverse of a question; each time of another text, for it is kept."""
    return is_reversed("谁借给我？", f"{text}{next(TIMES)}")


@pytest.mark.parametrize(
    ("function", "first", "unit", "last", "size"),
    [
        (given, "我", "借", "", 16_000),
        (sentences, "", "。", "", 20_000),
        (sentences, "我", "\n", "文", 40_000),
        (sentences, "", "！？", "", 20_000),
        (sentences, "", "…", "x", 16_000),
        (sentences, "", "...", "", 16_000),
        (sentences, "", " ", "x", 160_000),
        (segments, "", "；", "x", 20_000),
        (clauses, "我", "；", "文", 16_000),
        (clauses, "我", "- ", "文", 32_000),
        (words, "a", "\u0315\u0300", "x", 8_000),
        (words, "a", "'s", "", 64_000),
        (words, "x", "n't", "", 64_000),
        (words, "a", "_'s", "", 64_000),
        (salience, "", "Ab ", "", 64_000),
        (salience, "", "一", "", 16_000),
        (read, "", "can you ", "", 8_000),
        (read, "", "文", "", 4_000),
        (read, "", "is ", "", 16_000),
        (read, "one ", "hundred ", "", 24_000),
        (read, "a", "\u0315\u0300", "x", 4_000),
        (judged, "a", "\n", "x", 4_000),
        # These look at so much of a text and no further.
        (keywords, "a", ".", "x", 5_000),
        (keywords, "我", "一", "文", 5_000),
        (phrase, "a", "-", "x", 2_000),
        (protects, "I", " will", " not", 600),
        (protects, "", "千", "", 600),
        (protects, "", "to the ", "1", 600),
    ],
)
def test_four_times_the_text_takes_about_four_times_as_long(
    function: Callable[[str], object], first: str, unit: str, last: str, size: int
) -> None:
    check_growth(function, first, unit, last, size)


def test_a_chain_of_endings_is_no_deep_recursion() -> None:
    assert words("wen" + "'s" * 5_000) == words("wen")
    assert words("wen" + "n't" * 5_000) == words("wen")
    assert words("don't's") == words("don't") == words("do") == []


def test_a_run_that_is_cut_at_one_end_each_time_is_no_deep_recursion() -> None:
    run = "".join(chr(code) for code in range(0x5000, 0x5000 + 2_000))
    assert len(keywords(run, rising)) == 5


def test_a_number_of_thousands_of_words_is_no_amount() -> None:
    (token,) = read("one " + "hundred " * 5_000)
    assert token.text.startswith("one hundred hundred")


def test_marks_beyond_those_of_any_language_are_left_out() -> None:
    assert words("e\u0301" + "\u0300" * 500) == words("e\u0301" + "\u0300" * 29)
    assert words("Cafe\u0301") == words("café")


def test_a_text_of_many_sentences_is_not_judged() -> None:
    source = "".join(f"Room {number} is warm. " for number in range(1_000))
    verdict = judge(source, source[: len(source) // 3])
    assert verdict.reasons == ("long",)
    source = "".join(f"A{number}. " for number in range(500))
    assert judge(source, "A7.").reasons == ("long",)
