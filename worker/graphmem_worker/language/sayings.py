"""Sayings: whether a text says something, by the phrases of a table, and where.

A table other than the calendar has rules too; what a rule means is a name under which a reader asks
for its phrases in all languages. A reader looks at text in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Final

from graphmem_worker.language.phrases import LETTER, SAME, Phrase
from graphmem_worker.language.tables import Language, extended, languages, tables
from graphmem_worker.text.gates import Gate

_GROUP: Final = re.compile(rf"\?P<(?!{SAME}>)\w+>")
_AGAIN: Final = re.compile(rf"(?<=\?P[<=]){SAME}(?=[>)])")
_WHOLE: Final = (f"(?<!{LETTER})(?:", f")(?!{LETTER})")


class Sayings:
    """Phrases of which a text has one or none."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self._phrases = list(phrases)

    def search(self, folded: str) -> re.Match[str] | None:
        """The first place in a text in lower case where one stands; None if none does."""
        found = self._opened(folded)
        return None if found is None else found.search(folded)

    def match(self, folded: str, start: int = 0) -> re.Match[str] | None:
        """The one that stands at a place of a text in lower case."""
        found = self._opened(folded)
        return None if found is None else found.match(folded, start)

    def finditer(self, folded: str, start: int = 0) -> Iterator[re.Match[str]]:
        """Where they stand in a text in lower case, from a place on."""
        found = self._opened(folded)
        return iter(()) if found is None else found.finditer(folded, start)

    def is_in(self, folded: str) -> bool:
        """Whether one stands in a text in lower case."""
        return self.search(folded) is not None

    def is_whole(self, folded: str) -> bool:
        """Whether a text in lower case is one of them and nothing more."""
        found = self._latin if folded.isascii() else self._every
        return found is not None and found.fullmatch(folded) is not None

    def without(self, folded: str) -> str:
        """A text in lower case with a space in place of each."""
        found = self._opened(folded)
        return folded if found is None else found.sub(" ", folded)

    def _opened(self, folded: str) -> re.Pattern[str] | None:
        """The expression for a text that may hold one: of plain text those of Latin letters."""
        if folded.isascii():
            return self._latin if self._latin_gate.opens(folded) else None
        return self._every if self._gate.opens(folded) else None

    @cached_property
    def _spaced(self) -> list[Phrase]:
        return [phrase for phrase in self._phrases if phrase.is_spaced]

    @cached_property
    def _latin_gate(self) -> Gate:
        return _gate(self._spaced)

    @cached_property
    def _gate(self) -> Gate:
        return _gate(self._phrases)

    @cached_property
    def _latin(self) -> re.Pattern[str] | None:
        return re.compile(_either(self._spaced)) if self._spaced else None

    @property
    def expression(self) -> str:
        """The phrases as one expression, for a reader that looks for other things with them."""
        return _either(self._phrases)

    @cached_property
    def _every(self) -> re.Pattern[str] | None:
        return re.compile(_either(self._phrases)) if self._phrases else None


def _gate(phrases: Iterable[Phrase]) -> Gate:
    """The gate of texts with one of some phrases; open if one of these has none."""
    gates = [phrase.gates for phrase in phrases]
    return Gate(frozenset().union(*(gate[0] for gate in gates)) if all(gates) else ())


def _either(phrases: Iterable[Phrase]) -> str:
    """One expression of several: those of whole words stand together behind one look back."""
    whole: list[str] = []
    others: list[str] = []
    for place, phrase in enumerate(phrases):
        pattern = _AGAIN.sub(f"{SAME}{place}", _GROUP.sub("?:", phrase.pattern))
        before, after = _WHOLE
        if phrase.is_spaced:
            whole.append(pattern.removeprefix(before).removesuffix(after))
        else:
            others.append(pattern)
    together = [f"{_WHOLE[0]}{'|'.join(f'(?:{one})' for one in whole)}{_WHOLE[1]}"] if whole else []
    return "|".join([*(f"(?:{one})" for one in others), *together])


@cache
def sayings(kind: str, *means: str) -> Sayings:
    """The phrases of all languages that mean one of some things, by the tables of a kind; without
    `means` all of the kind.

    Raises KeyError if no language has one.
    """
    found = [
        tongue.phrase(say)
        for tongue in _tongues(kind)
        for rule in tongue.rules
        if not means or rule.means in means
        for say in rule.say
    ]
    if not found:
        raise KeyError(f"no rule of {kind}.toml means {' or '.join(means)!r}")
    return Sayings(found)


@cache
def _tongues(kind: str) -> tuple[Language, ...]:
    known = {tongue.code: tongue for tongue in languages()}
    return tuple(extended(known[code], table) for code, table in tables(kind).items())


def folded(text: str) -> str:
    """A text in lower case, as long as before."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(each if len(each.lower()) != 1 else each.lower() for each in text)
