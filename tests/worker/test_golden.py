"""What the rules read of labelled sentences: a bound that moved would change answers that no other
test asks for."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest

from graphmem_worker import kinds
from graphmem_worker.claims import areas, claims, contradiction, statements, superseding
from graphmem_worker.facts import decides, facts, surely_decides
from graphmem_worker.gate.judge import judge
from graphmem_worker.guard import guard
from graphmem_worker.language import calendar, harm
from graphmem_worker.text import particulars, protects, salience, trivial
from graphmem_worker.text.clauses import (
    correction,
    is_open,
    negation,
    standalone_clauses,
    turns,
)
from graphmem_worker.text.explaining import clauses, explaining
from graphmem_worker.text.frames import frames
from graphmem_worker.text.keywords import keywords
from graphmem_worker.text.phrase import phrase
from graphmem_worker.text.selection import (
    bound,
    leaning,
    together,
    turned,
)
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import words
from tests.golden_files import assert_golden

DATA: Final = Path(__file__).parents[2] / "data"
TODAY: Final = date(2026, 3, 4)
STEPS: Final = {
    "facts": 10, "conflicts": 1, "decisions": 20, "protects": 20, "stays": 20, "turns": 15,
    "lookalikes": 2, "gate": 5, "secrets": 4, "salience": 2,
}  # fmt: skip
"""Files of labelled texts, of which one in so many is read."""


CHAINS: Final = {
    "en": (
        "Dana takes the night shift. No, wait. Erik takes it. She is on leave.",
        "Ask Tom first. Actually, ask Ines. She knows the keys. They hang in the hall.",
        "The tea is good. But it is cold. Otherwise I would take two.",
        "We leave at six. Correction: at seven. If it rains, we stay.",
    ),
    "zh": (
        "小王上夜班。不对。是小李上。她请假了。",
        "先问老陈。算了，问林青。她知道钥匙在哪。",
        "茶很好。但是凉了。不然我要两杯。",
        "六点出发。更正：七点。如果下雨就不去。",
    ),
}
"""Texts whose sentences put each other right, turn each other round or lean on each other."""


def labelled(name: str, language: str) -> Iterator[tuple[str, dict[str, Any]]]:
    lines = (DATA / f"{name}.{language}.jsonl").read_text("utf-8").splitlines()
    for place in range(0, len(lines), STEPS[name]):
        yield f"{name} {place + 1}", json.loads(lines[place])


def reading(text: str) -> dict[str, object]:
    spans = tuple(sentences(text))
    return {
        "cut": [(cut.kind, text[cut.start : cut.end]) for cut in guard(text, "personal").cut],
        "sentences": len(spans),
        "words": len(words(text)),
        "atoms": len(standalone_clauses(text)),
        "keywords": keywords(text),
        "phrase": phrase(text, 30),
        "explaining": explaining(text, clauses(text))[0],
        "frames": len(frames(text)),
        "turns": len(turns(text)),
        "open": is_open(text),
        "puts right": correction(text),
        "negation": negation(text),
        "salience": salience.parts(text),
        "trivial": trivial.trivial(text),
        "question": salience.is_question(text),
        "facts": [(fact.kind, text[fact.start : fact.end]) for fact in facts(text)],
        "decides": decides(text) + surely_decides(text),
        "kind": kinds.kind(text),
        "leaning": kinds.leaning(text),
        "taken": kinds.taken(text),
        "over": kinds.last_relevant_day(spans, TODAY, None),
        "protects": protects.protects(text),
        "last day": protects.last_day(text, TODAY),
        "harm": harm.classes(text),
        "particular": particulars.is_particular(text) + particulars.is_clearly_particular(text),
        "claims": claims(text, speaker="Ada"),
        "areas": areas(text),
        "asked": statements.asked_of(text),
        "may change": statements.may_change(text),
        "days": calendar.mentions(text, TODAY),
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sentences_are_read_as_before(language: str) -> None:
    texts = [
        (key, row["text"])
        for name in ("facts", "decisions", "protects", "stays", "turns", "secrets")
        for key, row in labelled(name, language)
    ]
    assert_golden(f"sentences.{language}", {key: reading(text) for key, text in texts})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pairs_are_compared_as_before(language: str) -> None:
    pairs = [(key, row["older"], row["newer"]) for key, row in labelled("conflicts", language)]
    pairs += [(key, row["first"], row["second"]) for key, row in labelled("lookalikes", language)]
    compared = {
        key: {
            "contradiction": contradiction(older, newer),
            "back": contradiction(newer, older),
            "superseding": superseding.superseding((older,), (newer,)),
            "apart": superseding.are_apart((older,), (newer,)),
            "may replace": superseding.may_replace((newer,)),
        }
        for key, older, newer in pairs
    }
    assert_golden(f"pairs.{language}", compared)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_written_texts_are_judged_and_bound_as_before(language: str) -> None:
    rows: dict[str, object] = {
        key: judge(row["source"], row["written"], speaker=row["speaker"])
        for key, row in labelled("gate", language)
    }
    for chain in CHAINS[language]:
        units = tuple(sentences(chain))
        kept = sorted(bound(units, {len(units) - 1}))
        rows[chain] = (together(units), turned(units), leaning(units), kept)
    assert_golden(f"texts.{language}", rows)
