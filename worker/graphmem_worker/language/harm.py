"""Words of what harms somebody, by class: illness, medicine, food, danger, what is out of order.

The tables are `harm.toml` in the folder of each language.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Any, Final

from graphmem_worker.language.tables import tables
from graphmem_worker.text.lexicon import NONE, Lexicon

_LANGUAGES: Final = ("en", "zh")
_UNMEANT: Final = frozenset(("idle", "topic", "deny"))
_LEAST: Final = 7  # letters of the name of a medicine that is known by its ending
_NAME: Final = re.compile(
    r"(?<=[a-z,;:] )[A-Z][a-z]{2,}"
    r"|^[A-Z][a-z]{2,}(?='s | (?:has|is|was|can|must|takes|needs|gets|and [A-Z]))"
)
_HAN_NAME: Final = re.compile("[小老阿][\u4e00-\u9fff]")


def classes(sentence: str) -> tuple[str, ...]:
    """The classes of which a sentence of bounded length has words; a name counts as a person."""
    lexicon = _lexicon()
    found = lexicon.read(sentence)
    bits = found.classes
    if _NAME.search(sentence) or (found.characters and _HAN_NAME.search(sentence)):
        bits |= lexicon.bits["person"]
    return _names(bits)


def is_clear(classes: Collection[str]) -> bool:
    """Whether classes of words together are those of somebody who is to be protected."""
    return _UNMEANT.isdisjoint(classes) and any(each <= set(classes) for each in _clear())


def is_unmeant(sentence: str) -> bool:
    """Whether a sentence tells a story, jokes or denies: its words of danger are not meant."""
    return not _UNMEANT.isdisjoint(classes(sentence))


@cache
def _clear() -> tuple[frozenset[str], ...]:
    rules = {frozenset(rule["say"].split()) for code in _LANGUAGES for rule in table(code)["clear"]}
    return tuple(rules)


@cache
def _names(bits: int) -> tuple[str, ...]:
    return tuple(name for name, bit in _lexicon().bits.items() if bits & bit)


@cache
def table(language: str) -> dict[str, Any]:
    """The table of a language."""
    return tables("harm")[language]


@cache
def _lexicon() -> Lexicon:
    english, chinese = (table(language)["terms"] for language in _LANGUAGES)
    endings = tuple(table("en")["endings"]["drug"].replace(",", " ").split())
    names = [name for name in english if name != NONE]

    def ending(word: str) -> int:
        is_drug = len(word) >= _LEAST and word.endswith(endings)
        return 1 << names.index("drug") if is_drug else 0

    return Lexicon(english, chinese, ending=ending)
