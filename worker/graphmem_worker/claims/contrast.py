"""Contrast: whether two texts tell of two things of one kind, by the word before it.

"The morning dose is 12 units" and "The evening dose is 18 units now" tell of two doses, 左边的抽屉
and 右边的抽屉 of two drawers, 12号床 and 15号床 of two beds. Other numbers are told apart in
`numbered`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from graphmem_worker.claims.vocabulary import Lexicon, lexicon_of
from graphmem_worker.language.calendar import mentions
from graphmem_worker.language.lists import numerals, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, STOP_WORDS

_WORD: Final = late(r"[^\W_][\w'’-]*|[,.;:!?()]+(?=\s|$)")
# How much of a text may say of which one it tells: its first words, …
_FIRST: Final = 2
# … or the first characters of a Chinese clause.
_OPENING: Final = 3
_RUN: Final = late(rf"[{HAN}]+")


def _labels() -> str:
    marks = either(ordered("number_marks"))
    return rf"([{numerals()}\d]++(?:{marks}))[{''.join(FUNCTION_CHARACTERS)}]?+([{HAN}])"


_LABELLED: Final = late(_labels)
"""A number that says which one, and the character behind it; or a day of the month."""
_ANY_DAY: Final = date(2000, 1, 1)

Heads = Mapping[str, Set[str]]
"""The words before each of some words."""


class _Read(NamedTuple):
    """What the words of a text stand before."""

    opening: Heads
    """Words of its first ones that tell something, by those behind them; Chinese characters, in
    each clause, by the two behind them: they say of which one it tells."""
    pairs: Heads
    """The same of all."""
    words: frozenset[str]
    """All words, or characters."""


def contrasted(one: str, other: str) -> bool:
    """Whether each begins with another word before a word that both have, and not that of the
    other."""
    mine, theirs = _read(one), _read(other)
    return _differ(mine.opening, mine, theirs, theirs.opening)


def contrasted_by(cue: str, one: str, other: str) -> bool:
    """Whether `one` has a word before a word as a cue has it, and `other` has another one there."""
    mine, theirs = _read(one), _read(other)
    asked = {h: both for h, w in _read(cue).pairs.items() if (both := w & mine.pairs.get(h, set()))}
    return _differ(asked, mine, theirs, theirs.pairs)


def _differ(pairs: Heads, mine: _Read, theirs: _Read, others: Heads) -> bool:
    return any(
        others[head].isdisjoint(mine.words) and not before <= theirs.words
        for head, before in pairs.items()
        if head in others
    )


@lru_cache(1 << 13)
def _read(text: str) -> _Read:
    lexicon = lexicon_of(text)
    found: list[tuple[int, str, str]] = []
    if lexicon.is_han:
        labelled = list(_LABELLED.finditer(text))
        days = {each.start for each in mentions(text, _ANY_DAY)} if labelled else ()
        for match in labelled:
            begins = match.start() == 0 or not text[match.start() - 1].isalnum()
            if match.start() not in days:
                found.append((0 if begins else _OPENING, match[1], match[2]))
        every = frozenset((*text, *(word for _, word, _ in found)))
        for run in _RUN.findall(text):
            for at in range(len(run) - 2):
                head = run[at + 1 : at + 3]
                is_number = run[at] in FUNCTION_CHARACTERS or run[at] in numerals()
                if not is_number and _is_thing(head, lexicon):
                    found.append((at, run[at], head))
    else:
        said = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
        stems = lexicon.stems(said)
        every = frozenset(stems)
        for at in range(len(said) - 1):
            is_counted = at > 0 and said[at - 1][0].isdigit()  # "5 mg ramipril"
            if (
                not is_counted
                and _tells(said[at], lexicon)
                and _heads(said[at], said[at + 1], lexicon)
            ):
                found.append((at, stems[at], stems[at + 1]))
    most = _OPENING if lexicon.is_han else _FIRST
    opening: defaultdict[str, set[str]] = defaultdict(set)
    pairs: defaultdict[str, set[str]] = defaultdict(set)
    for at, word, head in found:
        pairs[head].add(word)
        if at < most:
            opening[head].add(word)
    return _Read(dict(opening), dict(pairs), every)


def _is_thing(word: str, lexicon: Lexicon) -> bool:
    """Whether a word is none that tells an attribute."""
    return word not in lexicon.entries or lexicon.entries[word].role == "person"


def _heads(before: str, word: str, lexicon: Lexicon) -> bool:
    """Whether a word may be what the word before it tells apart; "the morning dose" too."""
    known = [lexicon.entries[each].role for each in (before, word) if each in lexicon.entries]
    return known == ["time", "concept"] or _tells(word, lexicon)


def _tells(word: str, lexicon: Lexicon) -> bool:
    """Whether a word tells something by itself, and not what is done."""
    known = lexicon.entries.get(word)
    empty = () if lexicon.nouns is None else ("empty",)  # of English some are titles
    is_other = known is not None and known.role in ("concept", "adjunct", "unknown", *empty)
    return word[0].isalpha() and not (is_other or word in STOP_WORDS or word in lexicon.marked)
