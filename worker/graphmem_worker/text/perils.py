"""What harms somebody, by classes of words rather than by their order.

`peril_words` has the classes: illness, medicine, food that harms, injury, danger, what is out of
order, rules. Each that a sentence has adds to its score, certain ones together add more; from a
score on the sentence protects. Words are looked up in tables, so the time grows with the length of
the sentence, not of the tables.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final, NamedTuple

import Stemmer

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
    TOGETHER,
    WEIGHTS,
)

_CLASSES: Final = {name: 1 << place for place, name in enumerate(ENGLISH) if name != "none"}
_PERSON, _DRUG, _FOOD = _CLASSES["person"], _CLASSES["drug"], _CLASSES["food"]
_IDLE: Final = _CLASSES["idle"] | _CLASSES["topic"]
_WEAK: Final = sum(_CLASSES[name] for name in ("has", "takes", "modal", "person", "pet"))
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
_TOGETHER: Final = tuple(sum(_CLASSES[name] for name in names.split()) for names in TOGETHER)

_WORD: Final = late(r"[a-z0-9éè]+(?:'[a-z]+)?")
_NAME: Final = late(
    r"(?<=[a-z,;:] )[A-Z][a-z]{2,}"
    r"|^[A-Z][a-z]{2,}(?='s | (?:has|is|was|can|must|takes|needs|gets|and [A-Z]))"
)
_HAN_NAME: Final = late("[小老阿][\u4e00-\u9fff]")


class _Tables(NamedTuple):
    """Terms and their classes (0 for what means nothing): English ones by their stems, with the
    lengths over one of those that begin with a stem, Chinese ones by their first two characters;
    the longest first."""

    english: dict[tuple[str, ...], int]
    lengths: dict[str, tuple[int, ...]]
    chinese: dict[str, list[tuple[str, int]]]
    single: dict[str, int]


class Weighed(NamedTuple):
    """Whether the words of a sentence tell of what does somebody harm, and whether they are of
    office, sport, politics, games or stories, of which the words of danger are seldom meant."""

    protects: bool
    idle: bool


def weighed(sentence: str) -> Weighed:
    """What the words of `sentence` (of bounded length) tell together."""
    if sentence.isascii():
        found, words = _english(sentence)
    else:
        (english, words), (chinese, characters) = _english(sentence), _chinese(sentence)
        found, words = english | chinese, words + round(characters / 1.6)
    score = _score(found) - LENGTH * min(words, 40) / 10
    return Weighed(score >= ENOUGH, bool(found & _IDLE))


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


def _english(sentence: str) -> tuple[int, int]:
    """The classes of the English words of a sentence, and how many words it has."""
    words = _WORD.findall(sentence.replace("’", "'").lower())
    if not words:
        return 0, 0
    met = [_met(word) for word in words]
    stems = [stem for stem, _, _ in met]
    terms = _tables().english
    found, at = 0, 0
    for place, (_, alone, lengths) in enumerate(met):
        if place < at:
            continue
        at = place + 1
        found |= alone
        for length in lengths:
            classes = terms.get(tuple(stems[place : place + length]))
            if classes:
                found |= classes
            elif classes == 0:
                at = place + length
                break
    if not found & _PERSON and _NAME.search(sentence):
        found |= _PERSON
    return found, len(words)


def _chinese(sentence: str) -> tuple[int, int]:
    """The classes of the Chinese words of a sentence, and how many characters it has."""
    _, _, table, single = _tables()
    found, at, count, end = 0, 0, 0, len(sentence)
    while at < end:
        if sentence[at] < "\u4e00":
            at += 1
            continue
        count += 1
        taken = 1
        for term, classes in table.get(sentence[at : at + 2], ()):
            if sentence.startswith(term, at):
                if not classes:
                    taken = len(term)
                    count += taken - 1
                    break
                found |= classes
        if taken == 1:
            found |= single.get(sentence[at], 0)
        at += taken
    if not found & _PERSON and _HAN_NAME.search(sentence):
        found |= _PERSON
    return found, count


class _Met(NamedTuple):
    """An English word: its stem, its classes, and the lengths in words of longer terms that begin
    with it, the longest first."""

    stem: str
    alone: int
    lengths: tuple[int, ...]


@lru_cache(maxsize=1 << 14)
def _met(word: str) -> _Met:
    stem = _stemmer().stemWord(word)
    tables = _tables()
    alone = tables.english.get((stem,), 0)
    if len(word) > 6 and word.endswith(STEMS) and word not in NO_STEMS:
        alone |= _DRUG
    return _Met(stem, alone, tables.lengths.get(stem, ()))


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english", 4000)


@cache
def _tables() -> _Tables:
    english: dict[tuple[str, ...], int] = {}
    for name, terms in ENGLISH.items():
        for term in terms.split(","):
            stems = tuple(_stemmer().stemWords(_WORD.findall(term.lower())))
            if stems:
                english[stems] = _counted_once(english.get(stems, 0) | _CLASSES.get(name, 0))
    chinese: dict[str, int] = dict.fromkeys(HAN_STEMS, _DRUG)
    for name, terms in CHINESE.items():
        for term in terms.split(","):
            if term := term.strip():
                chinese[term] = _counted_once(chinese.get(term, 0) | _CLASSES.get(name, 0))
    lengths: dict[str, set[int]] = {}
    for stems in english:
        if len(stems) > 1:
            lengths.setdefault(stems[0], set()).add(len(stems))
    by_two: dict[str, list[tuple[str, int]]] = {}
    for term, classes in sorted(chinese.items(), key=lambda item: -len(item[0])):
        if len(term) > 1:
            by_two.setdefault(term[:2], []).append((term, classes))
    return _Tables(
        english,
        {stem: tuple(sorted(found, reverse=True)) for stem, found in lengths.items()},
        by_two,
        {term: classes for term, classes in chinese.items() if len(term) == 1},
    )


def _counted_once(classes: int) -> int:
    """The classes of a term, of `_ONE_OF` only the first: one word is one sign."""
    kept = next((one for one in _ONE_OF if classes & one), 0)
    return classes & ~sum(_ONE_OF) | kept
