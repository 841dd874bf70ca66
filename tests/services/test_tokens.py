"""A wrong estimate of tokens overruns a model's window, or leaves half of it empty."""

import json
import re
from pathlib import Path
from typing import Any, Final

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, UnknownScopeError
from graphmem.services.tokens import (
    _FAMILIES,
    FAMILIES,
    Estimate,
    counter,
    estimated_tokens,
    family_of,
)
from graphmem.services.tokens import _pieces as pieces
from tests.golden_files import assert_golden

DATA: Final = Path(__file__).parents[2] / "data" / "tokens.jsonl"

PATTERNS = (
    "[A-Za-z]+",
    "(?<=[A-Za-z]{7})[A-Za-z]{1,4}",
    "(?<=[a-z])[A-Z]|(?<=[A-Z])[A-Z]{2,3}",
    "[0-9]{1,3}",
    "[0-9]",
    r"[!-/:-@\[-^`{-~]+|_+",
    r"(?<=[!-/:-@\[-^`{-~])[!-/:-@\[-^`{-~]{1,2}",
    "[ \t\r]*\n\\s*|  +",
    "[\u3400-\u9fff]",
    "[\u3000-\u303f\uff00-\uffef]",
    "[\u0080-\u2fff\u3040-\u33ff\ua000-\ufeff\U00010000-\U0010ffff]",
)
WORDS = st.sampled_from(
    "a Iris HTTPServer internationalisation 42 1234567 naïve __init__ x+=(y) ... 发布 五月十日， 😀 é"
    "\nx \n\nA   if, ABCDEFG snake_case CamelCaseName -- 、 “q”".split(" ")
)


@given(st.lists(WORDS).map(" ".join))
def test_pieces_are_those_of_the_patterns_that_were_fitted(text: str) -> None:
    """The weights are fitted to these patterns; counted otherwise they mean nothing."""
    text = re.sub(" +\n", "\n", text)  # of blanks that end a line, each run counts once
    assert pieces(text) == tuple(len(re.findall(pattern, text)) for pattern in PATTERNS)


@given(st.text(), st.sampled_from(FAMILIES))
def test_an_estimate_is_positive_for_any_text(text: str, family: str) -> None:
    """A line that counts nothing could be repeated without end."""
    count = estimated_tokens(text, family)
    assert count >= bool(text)
    assert (count == 0) == (text == "")


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        # Counted with the vocabulary o200k.
        ("Ring twice.", 3),
        ("Please bring: a torch, two blankets, something warm to drink, and patience.", 17),
    ],
)
def test_plain_sentences_are_counted_within_a_third(text: str, truth: int) -> None:
    assert abs(estimated_tokens(text) / truth - 1) < 0.34


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o-mini", "o200k"),
        ("gpt-4", "cl100k"),
        ("gpt-4-turbo", "cl100k"),
        ("gpt-3.5-turbo", "cl100k"),
        ("gpt-5", "o200k"),
        ("anthropic/claude-3", "claude"),
        ("Qwen2.5:7b", "qwen"),
        ("meta-llama/Llama-3", "llama"),
        ("deepseek-chat", "deepseek"),
        ("gemini-2", "gemma"),
        ("claude", "claude"),
        ("o200k", "o200k"),
    ],
)
def test_a_model_belongs_to_a_family(model: str, family: str) -> None:
    """Counted by another family a Chinese text would have half or twice its tokens."""
    assert family_of(model) == family


def test_texts_are_estimated_as_before() -> None:
    """A weight or a class of characters that moved lets prompts grow over their limit."""
    rows = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    odd = {"squares": "a  b   c    d\n\n\n  e", "marks": "!!! ... ?!?! --- __init__", "wide": "ＡＢＣ，。（１２）",
           "esses": "ss sss ssss issue", "figures": "3.14159 2026-05-10 12:30:45 0x7f"}  # fmt: skip
    texts = {row["id"]: row["text"] for row in rows} | odd
    assert_golden(
        "tokens",
        {key: {family: estimated_tokens(text, family) for family in FAMILIES}
         for key, text in texts.items()},
    )  # fmt: skip


def test_an_unknown_model_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgumentError, match="orca"):
        counter("orca-mini")
    with pytest.raises(ArgumentTypeError):
        counter(5)  # type: ignore[arg-type]
    assert counter(len)("four") == 4


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        (lambda text: None, ArgumentTypeError, "returns a number of tokens, got None"),
        (lambda text: "7", ArgumentTypeError, "returns a number of tokens, got '7'"),
        (lambda text: float("nan"), ArgumentTypeError, "got nan"),
        (lambda text: -1, InvalidArgumentError, "returns 0 or more, got -1"),
        (lambda text: int(text), InvalidArgumentError, "counting tokens failed: ValueError"),
        (lambda: 1, InvalidArgumentError, "counting tokens failed: TypeError"),
    ],
)
def test_a_counter_that_counts_nothing_is_refused_by_name(
    given: Any, error: type[Exception], says: str
) -> None:
    """A TypeError out of the middle of `about` or `context` does not say that it is the counter."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember("Wen moved the release to May 10.", session="s")
        for call in (
            lambda: (
                memory.recall(
                    "release",
                    tokens=graphmem.Tokens(100, given),
                ).text
            ),
            lambda: (
                memory.themes.about(
                    "release",
                    tokens=graphmem.Tokens(100, given),
                ).text
            ),
            lambda: memory.context(
                "release",
                tokens=graphmem.Tokens(100, given),
                session="s",
            ),
            lambda: memory.review.tiers("s", count_tokens=given),
        ):
            with pytest.raises(error, match=says):
                call()


def test_a_counter_may_return_a_fraction_or_a_number_of_numpy() -> None:
    assert counter(lambda text: len(text) / 4)("seventeen") == 3
    assert counter(lambda text: numpy.int64(3))("x") == 3


def test_an_error_of_graphmems_in_a_counter_stays_what_it_is() -> None:
    def failing(text: str) -> int:
        raise UnknownScopeError("no scope")

    count = counter(failing)
    with pytest.raises(UnknownScopeError):
        count("x")


def test_recall_counts_by_the_model_that_is_named() -> None:
    """The same budget holds fewer Chinese characters of a model that cuts them finer."""
    with graphmem.open(None, worker="none") as memory:
        for day in range(1, 29):
            memory.remember(f"五月{day}日，文把发布推迟了，因为审计晚了两个星期。")
        kept = {
            model: len(
                memory.recall(
                    "发布什么时候", tokens=graphmem.Tokens(400, model), cut="none"
                ).included
            )
            for model in ("qwen", "cl100k")
        }
        assert kept["qwen"] > 1.3 * kept["cl100k"]
        with pytest.raises(InvalidArgumentError, match="no token counts"):
            memory.recall("x", tokens=graphmem.Tokens(None, "nobody-knows"))


@given(
    st.lists(st.text(" \t\nab01.,_-ABC日。é", max_size=12), max_size=6),
    st.booleans(),
    st.sampled_from(FAMILIES),
)
def test_lines_together_make_as_many_tokens_as_their_text(
    lines: list[str], ended: bool, family: str
) -> None:
    """A text is counted by its lines, which are kept; one that is added up wrongly overruns its
    budget."""
    text = "\n".join(lines) + ("\n" if ended else "")
    whole = sum(n * round(100 * w) for n, w in zip(pieces(text), _FAMILIES[family], strict=True))
    assert estimated_tokens(text, family) == (round(whole / 100) or int(bool(text)))
    numbered = Estimate(family, before=2)
    assert numbered(text) == estimated_tokens(text, family) + 2 * (1 + text.count("\n"))
