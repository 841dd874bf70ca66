"""Gates: one that lacks a stem hides claims, states and dates in silence.

Whatever an expression finds in the sentences of `data/` must pass its gate.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from graphmem.recalling import currency, mentions
from graphmem_worker import kinds
from graphmem_worker.claims import exclusions, states, times, versions
from graphmem_worker.text import frames
from graphmem_worker.text.gates import Gated, holds

DATA = Path(__file__).parents[2] / "data"
FILES = ("answers", "changes", "conflicts")
MODULES = (currency, exclusions, frames, states, times, versions)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    texts = (
        text
        for name in FILES
        for language in ("en", "zh")
        for line in (DATA / f"{name}.{language}.jsonl").read_text("utf-8").splitlines()
        for text in _strings(json.loads(line))
        if len(text) > 12
    )
    cut = (s.strip() for text in texts for s in re.split(r"(?<=[.!?。！？\n])", text))
    found = list(dict.fromkeys(s for s in cut if s))
    return [*found[::2], *(s.upper() for s in found[::9])]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_what_an_expression_finds_passes_its_gate(module: ModuleType, sentences: list[str]) -> None:
    gated = {name: each for name, each in vars(module).items() if isinstance(each, Gated)}
    assert gated
    met = 0
    for said in sentences:
        folded = said.casefold()
        for name, each in gated.items():
            found = each.pattern.search(said) is not None
            assert each.within(said, folded) is found, (name, said)
            met += each.opens(folded)
    assert 0 < met < len(sentences) * len(gated)


def test_what_tells_a_state_passes_its_gate(sentences: list[str]) -> None:
    for said in sentences:
        likely = [each for _, some in currency._opened(said.casefold()) for each in some]
        for slot, _, pattern in currency._PATTERNS:
            if (slot, pattern) not in likely:
                assert pattern.search(said) is None, (slot, said)


def test_what_names_a_period_passes_its_gate(sentences: list[str]) -> None:
    for said in sentences:
        low = said.lower()
        for gate, pattern, _ in mentions._GRAMMAR:
            if not (holds(low, gate) if gate else not low.isascii()):
                assert pattern.search(low) is None, (pattern.pattern, said)


def test_hints_in_ascii_are_those_of_the_expression(sentences: list[str]) -> None:
    hinted = [mentions._is_hinted(said.lower()) for said in sentences]
    assert hinted == [mentions._HINT.search(said.lower()) is not None for said in sentences]
    assert 0 < sum(hinted) < len(hinted)


def test_rules_of_periods_left_out_in_ascii_find_nothing_there(sentences: list[str]) -> None:
    kept = {id(rule) for _, rules in mentions._ASCII_BY_GATE for rule in rules}
    left_out = [rule for rule in mentions._GRAMMAR if id(rule) not in kept]
    assert left_out
    for low in filter(str.isascii, map(str.lower, sentences)):
        assert not any(pattern.search(low) for _, pattern, _ in left_out), low


def test_chinese_marks_of_a_kind_find_nothing_in_ascii(sentences: list[str]) -> None:
    marks = [each for each in vars(kinds).values() if isinstance(each, kinds._Marks)]
    passed = [m._rest for m in marks if m._rest is not None and not m._is_rest_ascii]
    assert passed
    for said in filter(str.isascii, sentences):
        assert not any(rest.search(said) for rest in passed), said
