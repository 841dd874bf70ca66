"""Contrast: whether two texts tell of two things of one kind, by the word before it.

"The morning dose is 12 units" and "The evening dose is 18 units now" tell of two doses, 左边的抽屉
and 右边的抽屉 of two drawers. Numbers are told apart in `numbered`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from graphmem_worker.claims.vocabulary import Lexicon, lexicon_of
from graphmem_worker.language.lists import numerals
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, STOP_WORDS

_WORD: Final = late(r"[^\W_][\w'’-]*|[,.;:!?()]+(?=\s|$)")
_RUN: Final = late(rf"[{HAN}]+")


class _Read(NamedTuple):
    """What the words of a text stand before."""

    pairs: frozenset[tuple[str, str]]
    """Words that tell something with those behind them; of Chinese characters with the two behind
    them."""
    words: frozenset[str]
    """All words, or characters."""


def contrasted(one: str, other: str) -> bool:
    """Whether each has another word before a word that both have, and not that of the other."""
    return _differ(_read(one).pairs, _read(one), _read(other))


def contrasted_by(cue: str, one: str, other: str) -> bool:
    """Whether `one` has a word before a word as a cue has it, and `other` another one there."""
    mine = _read(cue).pairs & _read(one).pairs
    return bool(mine) and _differ(mine, _read(one), _read(other))


def _differ(pairs: Iterable[tuple[str, str]], mine: _Read, theirs: _Read) -> bool:
    before: defaultdict[str, set[str]] = defaultdict(set)
    for word, head in theirs.pairs:
        before[head].add(word)
    return any(
        word not in theirs.words and head in before and before[head].isdisjoint(mine.words)
        for word, head in pairs
    )


@lru_cache(1 << 13)
def _read(text: str) -> _Read:
    lexicon = lexicon_of(text)
    if lexicon.is_han:
        return _Read(
            frozenset(
                (run[at], head)
                for run in _RUN.findall(text)
                for at in range(len(run) - 2)
                if run[at] not in FUNCTION_CHARACTERS
                and run[at] not in numerals()
                and _is_thing(head := run[at + 1 : at + 3], lexicon)
            ),
            frozenset(text),
        )
    said = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    stems = lexicon.stems(said)
    tells = [_tells(word, lexicon) for word in said]
    roles = [lexicon.entries[word].role if word in lexicon.entries else "word" for word in said]
    return _Read(
        frozenset(
            (stems[at], stems[at + 1])
            for at in range(len(said) - 1)
            if tells[at]
            and (tells[at + 1] or roles[at : at + 2] == ["time", "concept"])  # "morning dose"
            and not (at and said[at - 1][0].isdigit())
        ),
        frozenset(stems),
    )


def _is_thing(word: str, lexicon: Lexicon) -> bool:
    """Whether a word is none that tells an attribute."""
    return word not in lexicon.entries or lexicon.entries[word].role == "person"


def _tells(word: str, lexicon: Lexicon) -> bool:
    """Whether a word tells something by itself, and not what is done."""
    known = lexicon.entries.get(word)
    empty = () if lexicon.nouns is None else ("empty",)  # of English some are titles
    is_other = known is not None and (known.role in ("concept", "adjunct", "unknown", *empty))
    return word[0].isalpha() and not (is_other or word in STOP_WORDS or word in lexicon.marked)
