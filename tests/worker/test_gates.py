"""Gates: one that lacks a stem hides claims, states and dates in silence.

Whatever an expression finds in the sentences of `data/` must pass its gate.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem_worker.language.expressions import expressions

DATA = Path(__file__).parents[2] / "data"
FILES = ("answers", "changes", "conflicts")
KINDS = ("ends", "frames", "states")


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


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_expression_finds_passes_its_gate(kind: str, sentences: list[str]) -> None:
    gated = {means: one for means, one in expressions(kind, "") if not one.opens("")}
    assert gated
    met = 0
    for text in sentences:
        folded = text.casefold()
        for means, each in gated.items():
            found = each.search(text) is not None
            assert each.within(text, folded) is found, (means, text)
            met += each.opens(folded)
    assert 0 < met < len(sentences) * len(gated)
