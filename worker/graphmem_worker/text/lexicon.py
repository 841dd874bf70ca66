"""Words by class, in all languages: which classes a sentence has words of.

A term may have several words. Latin terms are compared by their stems, so one form covers all,
Chinese ones literally. The words of a term of the class "none" belong to no class: figures of
speech, and words that only contain another term. Words are looked up in tables, so the time grows
with the length of the sentence, not of the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, NamedTuple

from graphmem_worker.language.tables import simplified
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import HAN
from graphmem_worker.text.words import stems as stems_of

_HAN: Final = late(f"[{HAN}]")
_WORD: Final = late(r"[a-z0-9éè]+(?:'[a-z]+)?")
NONE: Final = "none"


class Reading(NamedTuple):
    """What a lexicon finds in a sentence: its classes as bits, those of its first terms, and its
    numbers of words and of Chinese characters."""

    classes: int
    opening: int
    words: int
    characters: int


class _Tables(NamedTuple):
    """Terms and their classes (0 for "none"), the longest first. Latin ones by their stems, with
    the lengths above 1 of those that begin with a stem; Chinese ones by their first two characters,
    or as a `single` character."""

    english: dict[tuple[str, ...], int]
    lengths: dict[str, tuple[int, ...]]
    chinese: dict[str, list[tuple[str, int]]]
    single: dict[str, int]


class _Word(NamedTuple):
    """A Latin word: its stem, its classes alone, and the lengths in words of longer terms that
    begin with it, the longest first."""

    stem: str
    alone: int
    lengths: tuple[int, ...]


class Lexicon:
    """Terms of all languages, by class."""

    def __init__(
        self,
        tables: Collection[Mapping[str, str]],
        ending: Callable[[str], int] = lambda word: 0,
    ) -> None:
        """tables: one a language, name of a class → its terms, separated by commas. ending: gives
        the classes of a Latin word in lower case by its ending, as bits."""
        names = sorted({*chain(*tables)} - {NONE})
        self.bits: Final = {name: 1 << place for place, name in enumerate(names)}
        self._terms = [term for table in tables for term in _terms(table)]
        self._ending = ending
        self._word = lru_cache(maxsize=1 << 14)(self._looked_up)

    def read(self, sentence: str) -> Reading:
        """The classes of a sentence of bounded length."""
        classes, opening, words = self._read_english(sentence)
        if sentence.isascii():
            return Reading(classes, opening, words, 0)
        others, first, characters = self._read_chinese(simplified(sentence))
        return Reading(classes | others, first if characters else opening, words, characters)

    def _read_english(self, sentence: str) -> tuple[int, int, int]:
        words = _WORD.findall(sentence.replace("’", "'").lower())
        known = [self._word(word) for word in words]
        stems = [word.stem for word in known]
        terms = self._tables.english
        found, opening, at = 0, 0, 0
        for place, word in enumerate(known):
            if place < at:
                continue
            at = place + 1
            found |= word.alone
            for length in word.lengths:
                classes = terms.get(tuple(stems[place : place + length]))
                if classes:
                    found |= classes
                elif classes == 0:
                    at = place + length
                    break
            if not place:
                opening = found
        return found, opening, len(words)

    def _read_chinese(self, sentence: str) -> tuple[int, int, int]:
        tables = self._tables
        found, opening, at, count, end = 0, 0, 0, 0, len(sentence)
        while at < end:
            if sentence[at] < "\u4e00":
                at += 1
                continue
            count += 1
            taken = 1
            for term, classes in tables.chinese.get(sentence[at : at + 2], ()):
                if sentence.startswith(term, at):
                    if not classes:
                        taken = len(term)
                        count += taken - 1
                        break
                    found |= classes
            if taken == 1:
                found |= tables.single.get(sentence[at], 0)
            if count == taken:
                opening = found
            at += taken
        return found, opening, count

    def _looked_up(self, word: str) -> _Word:
        (stem,) = stems_of([word])
        tables = self._tables
        alone = tables.english.get((stem,), 0) | self._ending(word)
        return _Word(stem, alone, tables.lengths.get(stem, ()))

    @cached_property
    def _tables(self) -> _Tables:
        english: dict[tuple[str, ...], int] = {}
        chinese: dict[str, int] = {}
        for name, term in self._terms:
            if _HAN.search(term):
                chinese[term] = chinese.get(term, 0) | self.bits.get(name, 0)
            elif stems := tuple(stems_of(_WORD.findall(term.lower()))):
                english[stems] = english.get(stems, 0) | self.bits.get(name, 0)
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


def _terms(by_class: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, terms in by_class.items():
        yield from ((name, term.strip()) for term in terms.split(",") if term.strip())
