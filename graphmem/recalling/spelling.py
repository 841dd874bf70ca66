"""Spelling: a mistyped word of a cue as the memory writes it.

A word is tried with two neighbouring letters exchanged, with a letter added and with one left out:
some 30 look-ups a letter, none of which scans the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from string import ascii_lowercase
from typing import Final

from graphmem_worker.text.words import STOP_WORDS, words

_LEAST: Final = 5  # letters: a shorter word has too many neighbours
_MOST: Final = 20
_UNKNOWN: Final = 16  # unknown words of a cue that are tried
_TYPED: Final = re.compile(r"\b[A-Za-z]+\b")


def corrected(
    cue: str, frequency: Callable[[str], int], *, begins_with_name: bool = False
) -> Mapping[str, str | None]:
    """The mistyped index words of a cue → the index word that is meant; None for a stop word.

    frequency: how many nodes hold an index word. Names, which begin with a capital inside a
    sentence, are left as they are: another name is another person. begins_with_name: so is a first
    word with a capital.
    """
    found: dict[str, str | None] = {}
    tried: set[str] = set()
    unknown = 0
    for match in _TYPED.finditer(cue):
        typed = match[0].lower()
        is_name = match[0][0].isupper() and (begins_with_name or match.start() > 0)
        if is_name or typed in tried:
            continue
        tried.add(typed)
        said = words(typed)
        if len(said) != 1 or len(typed) > _MOST or frequency(said[0]):
            continue
        unknown += 1
        if unknown > _UNKNOWN:
            break
        if not STOP_WORDS.isdisjoint(_exchanged(typed)):
            found[said[0]] = None
        elif len(typed) >= _LEAST:
            meant = _known(_exchanged(typed), frequency) or _known(_changed(typed), frequency)
            if meant is not None:
                found[said[0]] = meant
    return found


def _known(tried: Iterator[str], frequency: Callable[[str], int]) -> str | None:
    """The most frequent index word among some."""
    stems = dict.fromkeys(stem for word in tried for stem in words(word))
    best = max(stems, key=frequency, default=None)
    return best if best is not None and frequency(best) else None


def _exchanged(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _changed(word: str) -> Iterator[str]:
    for at in range(len(word) + 1):
        for letter in ascii_lowercase:
            yield word[:at] + letter + word[at:]
        if at < len(word):
            yield word[:at] + word[at + 1 :]
