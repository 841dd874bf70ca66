"""Spelling: the correction of mistyped words of a cue.

A word is tried with and without diacritics ("Muller", "Mueller", "Müller"), with two neighbouring
letters swapped, with a letter added and with one left out: some hundred look-ups for a word of
seven letters, without a scan of the vocabulary. A replaced letter mostly makes another word
("printer", "painter"), so it is not tried; a word of the tables is right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain, combinations
from string import ascii_lowercase
from typing import Final

from graphmem_worker.language.tables import known_words
from graphmem_worker.text.words import STOP_WORDS, stems, words

_LEAST: Final = 5  # letters: a shorter word has too many neighbours
_MOST: Final = 20
_UNKNOWN: Final = 16  # unknown words of a cue that are tried
_TYPED: Final = re.compile(r"(?<![\dA-Za-zÀ-ɏ_])[A-Za-zÀ-ɏ]+(?![\dA-Za-zÀ-ɏ_])")
# Grave, circumflex, tilde, ring, caron, cedilla; a word may have two acutes or diaereses.
_ONCE: Final = "\u0300\u0302\u0303\u030a\u030c\u0327"
_TWICE: Final = "\u0301\u0308"
# Letters that are also written as others.
_WRITTEN_OUT: Final = tuple(
    pair.split() for pair in ("ä ae", "ö oe", "ü ue", "ø oe", "ø o", "å aa", "æ ae", "ł l", "đ d")
)
_PLAIN: Final = str.maketrans("øłđ", "old")


def corrected(
    cue: str, frequency: Callable[[str], int], *, begins_with_name: bool = False
) -> Mapping[str, str | None]:
    """The mistyped index words of a cue → the corrected index word; None for a stop word.

    frequency: how many nodes hold an index word. In a name, which begins with a capital inside a
    sentence, only diacritics are corrected: another name is another person. begins_with_name: a
    capitalised first word counts as a name.
    """
    found: dict[str, str | None] = {}
    tried: set[tuple[str, bool]] = set()
    unknown = 0
    for match in _TYPED.finditer(unicodedata.normalize("NFC", cue)):
        typed = match[0].casefold()
        is_name = match[0][0].isupper() and (begins_with_name or match.start() > 0)
        if (typed, is_name) in tried:
            continue
        tried.add((typed, is_name))
        terms = words(typed)
        if len(terms) != 1 or len(typed) > _MOST or frequency(terms[0]):
            continue
        unknown += 1
        if unknown > _UNKNOWN:
            break
        known = _known(_marked(typed), frequency)
        if known is None and not is_name:
            if not STOP_WORDS.isdisjoint(_swapped(typed)):
                found[terms[0]] = None
            elif len(typed) >= _LEAST:
                known = _known(_swapped(typed), frequency) or _known(_changed(typed), frequency)
                if known is not None and terms[0] in _of_tables():  # "contact" is no "contract"
                    known = None
        if known is not None:
            found[terms[0]] = known
    return found


@cache
def _of_tables() -> frozenset[str]:
    """The index words of all words in the tables of the languages."""
    return frozenset(stems([*known_words()]))


def _known(tried: Iterator[str], frequency: Callable[[str], int]) -> str | None:
    """The most frequent index word of the tried words; None if no node holds any."""
    # As `words` would, without filling its cache.
    found = dict.fromkeys(stems([word for word in tried if word not in STOP_WORDS]))
    best = max(found, key=frequency, default=None)
    return best if best is not None and frequency(best) else None


def _marked(word: str) -> Iterator[str]:
    """A word without its diacritics, and with one diacritic on one letter or two."""
    parts = unicodedata.normalize("NFD", word)
    plain = "".join(part for part in parts if not unicodedata.combining(part))
    yield plain
    yield plain.translate(_PLAIN)
    for letter, pair in _WRITTEN_OUT:
        yield word.replace(letter, pair)
        yield word.replace(pair, letter)
    for mark in _ONCE + _TWICE:
        with_mark = [unicodedata.normalize("NFC", letter + mark) for letter in word]
        places = [place for place, letter in enumerate(with_mark) if len(letter) == 1]
        twos = combinations(places, 2) if mark in _TWICE else ()
        for some in chain(combinations(places, 1), twos):
            yield "".join(with_mark[i] if i in some else letter for i, letter in enumerate(word))


def _swapped(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _changed(word: str) -> Iterator[str]:
    for at in range(len(word) + 1):
        for letter in ascii_lowercase:
            yield word[:at] + letter + word[at:]
        if at < len(word):
            yield word[:at] + word[at + 1 :]
