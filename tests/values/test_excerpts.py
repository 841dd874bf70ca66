"""Of a long block one line was told that happened to be its phrase, though the budget had room."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem.recalling.asking import limits
from graphmem.services.tokens import estimated_tokens
from graphmem.values.excerpts import excerpt
from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import Layout, line
from graphmem_worker.text.phrase import phrase
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import words

_FAILED = "--- FAIL: TestReserveTwice (0.03s)\n    stock_test.go:88: want 1 got 2"
_PASSED = [f"ok  pkg{i} 0.{i}s coverage: 61.{i}% of statements" for i in range(80)]


def _told(text: str, cue: str, tokens: int) -> str:
    with graphmem.open(None, worker="none") as memory:
        memory.remember(text)
        told = memory.recall(cue, tokens=tokens, use=False).text
    assert estimated_tokens(told) <= tokens
    return told


def _node(text: str) -> Node:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    return Node(
        1, text, phrase(text), (), None, None, None, now, 0, None, False, 1, Form.WHOLE, 1.0,
        tuple(sentences(text)),
    )  # fmt: skip


@pytest.mark.parametrize("around", [10, 40])
@pytest.mark.parametrize("fenced", [False, True])
def test_the_lines_around_the_match_are_told(around: int, fenced: bool) -> None:
    """The reason stands behind the line that says what failed."""
    log = "\n".join([*_PASSED[:around], _FAILED, *_PASSED[around:]])
    told = _told(f"```\n{log}\n```" if fenced else log, "what failed: TestReserveTwice", 300)
    assert _FAILED in told.replace("\n  ", "\n")
    assert estimated_tokens(told) > 250
    assert "..." in told


def test_what_stands_behind_the_match_is_told_before_what_stands_ahead_of_it() -> None:
    log = "\n".join([*_PASSED[:40], _FAILED, *_PASSED[40:]])
    told = _told(log, "TestReserveTwice", 80)
    assert told.splitlines()[1].strip().startswith("--- FAIL")
    last = "\n".join([*_PASSED[:40], _FAILED])
    assert "pkg39 " in _told(last, "TestReserveTwice", 80)


def test_a_fenced_block_that_fits_is_told_whole_or_not_at_all() -> None:
    code = "\n".join(f"step{i} = load({i})" for i in range(6))
    node = _node(f"The pump is primed like this:\n\n```\n{code}\n```\n\nThen call Lena about it.")
    layout = Layout(sought=(("pump", 1.0),))
    for tokens in range(20, 100):
        part = excerpt(node, tokens, estimated_tokens, layout)
        told = part.text if part else ""
        assert told.count("```") != 1, tokens
        assert ("step0" in told) == ("step5" in told) == ("```" in told)


def test_a_long_line_is_told_by_its_clauses_about_the_cue() -> None:
    values = ", ".join(
        f'"limit_{name}": {n}' for n, name in enumerate(words("ash elm fig oak") * 20)
    )
    told = _told(f'{{{values}, "pump_speed": 41, {values}}}', "pump_speed", 60)
    assert '"pump_speed": 41' in told


def test_the_sentence_about_the_cue_is_told_not_the_first() -> None:
    text = (
        "The barn was painted in May. " * 8
        + "The pump runs at night. Lena primes it. "
        + ("The barn was painted in June. " * 8)
    )
    part = excerpt(_node(text.strip()), 40, estimated_tokens, Layout(sought=(("pump", 1.0),)))
    assert part is not None
    assert part.text.startswith("...The pump runs at night. Lena primes it.")
    chinese = "谷仓是五月刷的。" * 8 + "水泵夜里开。李娜负责。" + "谷仓是六月刷的。" * 8
    part = excerpt(_node(chinese), 50, estimated_tokens, Layout(sought=(("泵", 0.4),)))
    assert part is not None
    assert part.text.startswith("…水泵夜里开。李娜负责。")


@given(
    st.lists(
        st.sampled_from(
            ["```\n", "def pump(x):\n", "    return 2\n", "\n", "It may run, ", "but not at night. ",
             "- an item\n", "水泵夜里开。", "a b c\n" * 6, "The barn! "]
        ),
        min_size=1,
        max_size=30,
    ).map("".join),
    st.integers(5, 200),
)  # fmt: skip
def test_an_excerpt_fits_and_says_nothing_that_is_not_in_the_text(text: str, tokens: int) -> None:
    text = text.strip()
    if not text:
        return
    node, layout = _node(text), Layout(sought=(("pump", 1.0), ("泵", 0.4)), limits=limits())
    if estimated_tokens(line(node)) <= tokens:
        return
    told = excerpt(node, tokens, estimated_tokens, layout)
    if told is None:
        return
    said = told.text.removeprefix("...").removeprefix("…").removesuffix("...").removesuffix("…")
    assert said.strip() in text
    assert estimated_tokens(line(told)) <= tokens


def test_of_another_likely_hit_a_part_fills_what_is_left() -> None:
    """The reason stood in the next memory of the same log, too long for what was left."""
    lines = [f"npm WARN deprecated pkg-{i}@1.{i}.0: use pkg-{i}-next" for i in range(80)]
    said = "npm ERR! code ERESOLVE\nnpm ERR! Could not resolve dependency: peer react@17"
    told = _told("\n".join([*lines[:40], said, *lines[40:]]), "npm ERESOLVE", 300)
    assert "Could not resolve dependency: peer react@17" in told
    assert estimated_tokens(told) > 250
