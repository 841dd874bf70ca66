"""What harms somebody, by classes of words rather than by their order.

`peril_words` has the classes: illness, medicine, food that harms, injury, danger, what is out of
order, rules. Each that a sentence has adds to its score, certain ones together add more; from a
score on the sentence protects. Words are looked up in tables, so the time grows with the length of
the sentence, not of the tables.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from graphmem_worker.text.lexicon import Lexicon
from graphmem_worker.text.patterns import late
from graphmem_worker.text.peril_words import (
    BONUS,
    CHINESE,
    ENGLISH,
    ENOUGH,
    HAN_STEMS,
    LENGTH,
    NO_STEMS,
    STEMS,
    SURE,
    TOGETHER,
    WEIGHTS,
)


def _by_ending(word: str) -> int:
    is_drug = len(word) > 6 and word.endswith(STEMS) and word not in NO_STEMS
    return _DRUG if is_drug else 0


def _counted_once(classes: int) -> int:
    """The classes of a term, of `_ONE_OF` only the first: one word is one sign."""
    kept = next((one for one in _ONE_OF if classes & one), 0)
    return classes & ~sum(_ONE_OF) | kept


_LEXICON: Final = Lexicon(
    ENGLISH,
    {**CHINESE, "drug": f"{CHINESE['drug']}, {', '.join(HAN_STEMS)}"},
    counted=_counted_once,
    ending=_by_ending,
)
_CLASSES: Final = _LEXICON.bits
_PERSON, _DRUG, _FOOD = _CLASSES["person"], _CLASSES["drug"], _CLASSES["food"]
_IDLE: Final = _CLASSES["idle"] | _CLASSES["topic"]
_WEAK: Final = sum(_CLASSES[name] for name in ("has", "takes", "modal", "person", "pet", "child"))
_BODILY: Final = sum(
    _CLASSES[name]
    for name in (
        *("ill", "drug", "cure", "device", "react", "severe", "cannot", "forbid", "harm"),
        *("body", "upset", "doctor", "pet"),
    )
)
_WEIGHTS: Final = tuple((_CLASSES[name], weight) for name, weight in WEIGHTS.items())
_ONE_OF: Final = tuple(
    _CLASSES[name]
    for name in (
        *("threat", "broken", "drug", "body", "upset", "doctor", "cure", "hazard", "ill", "risky"),
        *("food", "device", "harm"),
    )
)
_SIGNS: Final = sum(
    _CLASSES[name]
    for name in ("ill", "drug", "cure", "device", "react", "severe", "cannot", "harm", "upset")
)
"""Classes of what happens to a body. What is dangerous or broken, a part of a body and a hospital
are in small talk as well."""
_TOGETHER: Final = tuple(sum(_CLASSES[name] for name in names.split()) for names in TOGETHER)

_NAME: Final = late(
    r"(?<=[a-z,;:] )[A-Z][a-z]{2,}"
    r"|^[A-Z][a-z]{2,}(?='s | (?:has|is|was|can|must|takes|needs|gets|and [A-Z]))"
)
_HAN_NAME: Final = late("[小老阿][\u4e00-\u9fff]")


class Weighed(NamedTuple):
    """Whether the words of a sentence tell of what does somebody harm, whether they surely do,
    whether one of them is of what happens to a body or is eaten, and whether they are of office,
    sport, politics, games or stories, of which the words of danger are seldom meant."""

    protects: bool
    surely: bool
    bodily: bool
    idle: bool


def weighed(sentence: str) -> Weighed:
    """What the words of `sentence` (of bounded length) tell together."""
    found, _, words, characters = _LEXICON.read(sentence)
    if not found & _PERSON and (
        _NAME.search(sentence) or (characters and _HAN_NAME.search(sentence))
    ):
        found |= _PERSON
    words += round(characters / 1.6)
    score = _score(found) - LENGTH * min(words, 40) / 10
    surely = score >= (ENOUGH if found & _SIGNS else SURE)
    bodily = bool(found & (_SIGNS | _FOOD))
    return Weighed(score >= ENOUGH, surely, bodily, bool(found & _IDLE))


@lru_cache(maxsize=4096)
def _score(found: int) -> int:
    """What classes tell together. Food counts beside a body and what it must not have only: beside
    a kettle or "until" it is cooked."""
    if not found & _BODILY:
        found &= ~_FOOD
    if (found & ~_WEAK).bit_count() < 2:
        return 0
    score = sum(weight for classes, weight in _WEIGHTS if found & classes)
    return score + BONUS * any(found & classes == classes for classes in _TOGETHER)
