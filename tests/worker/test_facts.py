"""Facts: what leaves a working set must be quoted exactly, or the decision is lost with its turn."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem_worker.facts import facts


def quoted(text: str) -> set[tuple[str, str]]:
    return {(fact.kind, text[fact.start : fact.end]) for fact in facts(text)}


def test_a_turn_gives_its_decision_reason_names_numbers_and_question() -> None:
    assert quoted(
        "We decided to use Postgres 16 because the vendor dropped 14. "
        "Lena owns the migration; budget is 4,200 euros. Should we move staging first?"
    ) >= {
        ("decision", "We decided to use Postgres 16"),
        ("reason", "the vendor dropped 14"),
        ("name", "Lena"),
        ("number", "4,200 euros"),
        ("question", "Should we move staging first?"),
    }


def test_a_turn_in_chinese_does_too() -> None:
    assert quoted(
        "我们决定把发布推迟到5月10号，因为供应商还没交货。林青负责迁移，预算一万二千元。要不要先迁预发？"
    ) >= {
        ("decision", "我们决定把发布推迟到5月10号"),
        ("reason", "供应商还没交货"),
        ("name", "林青"),
        ("number", "一万二千元"),
        ("question", "要不要先迁预发？"),
    }


def test_courtesy_and_guesses_are_no_facts() -> None:
    kinds = {kind for kind, _ in quoted("How are you? Maybe we could switch to the other one.")}
    assert not kinds & {"decision", "question"}


@given(st.text(max_size=400))
@settings(max_examples=60, deadline=None)
def test_every_fact_is_a_span_of_the_text(text: str) -> None:
    for fact in facts(text):
        assert 0 <= fact.start < fact.end <= len(text)


@pytest.mark.parametrize(
    "piece", ["A", "A ", "a_", "1.", "because ", "一", "《", ". A ", "'", "We decided "]
)
def test_hostile_turns_take_linear_time(piece: str) -> None:
    begun = time.process_time()
    facts((piece * 20_000)[:20_000])
    assert time.process_time() - begun < 2  # a quadratic pattern takes longer
