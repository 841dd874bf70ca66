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
from graphmem_worker.text.gates import holds

_ROLE: Final = "value"
_GROUP: Final = re.compile(rf"\?P<(?!{SAME}>)(?!\w+_{_ROLE}>)\w+>")
_VALUE: Final = re.compile(rf"(?<=\?P<)\w+_{_ROLE}(?=>)")
_AGAIN: Final = re.compile(rf"(?<=\?P[<=]){SAME}(?=[>)])")
_LATIN: Final = re.compile("[a-z0-9]")
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

    def values(self, folded: str) -> Iterator[tuple[int, int]]:
        """Where what a phrase has in its slot of the role `value` stands, of each that stands in a
        text in lower case."""
        for found in self.finditer(folded):
            if found.lastgroup is not None:
                yield found.span(found.lastgroup)

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
            return self._latin if not self._latin_gate or holds(folded, self._latin_gate) else None
        latin, others = self._gates
        is_open = (
            not (latin or others)
            or holds(folded, others)
            or (bool(latin) and _LATIN.search(folded) is not None and holds(folded, latin))
        )
        return self._every if is_open else None

    @cached_property
    def _latin_gate(self) -> tuple[str, ...]:
        """Strings of one of which plain text has one, if it has a phrase; () if none is known."""
        latin = [phrase for phrase in self._phrases if phrase.is_spaced]
        return tuple(root for root in _gate(latin) if root.isascii())

    @cached_property
    def _gates(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The same of any text: strings of ASCII, and others."""
        gate = _gate(self._phrases)
        return tuple(filter(str.isascii, gate)), tuple(s for s in gate if not s.isascii())

    @cached_property
    def _latin(self) -> re.Pattern[str] | None:
        latin = [phrase for phrase in self._phrases if phrase.is_spaced]
        return re.compile(_either(latin)) if latin else None

    @property
    def expression(self) -> str:
        """The phrases as one expression, for a reader that looks for other things with them."""
        return _either(self._phrases)

    @cached_property
    def _every(self) -> re.Pattern[str] | None:
        return re.compile(_either(self._phrases)) if self._phrases else None


def _gate(phrases: Iterable[Phrase]) -> tuple[str, ...]:
    """Strings of which every text with one of some phrases has one; () if none is known."""
    gates = [phrase.gates for phrase in phrases]
    if not all(gates):
        return ()
    return tuple(root for root, _ in roots(frozenset().union(*(gate[0] for gate in gates))))


def _either(phrases: Iterable[Phrase]) -> str:
    """One expression of several: those of whole words stand together behind one look back."""
    whole: list[str] = []
    others: list[str] = []
    for place, phrase in enumerate(phrases):
        pattern = _AGAIN.sub(f"{SAME}{place}", _GROUP.sub("?:", phrase.pattern))
        pattern = _VALUE.sub(f"{_ROLE}{place}", pattern)
        before, after = _WHOLE
        if phrase.is_spaced:
            whole.append(pattern.removeprefix(before).removesuffix(after))
        else:
            others.append(pattern)
    together = [f"{_WHOLE[0]}{'|'.join(f'(?:{one})' for one in whole)}{_WHOLE[1]}"] if whole else []
    return "|".join([*(f"(?:{one})" for one in others), *together])


def roots(words: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Some strings by a shortest one that each of them holds."""
    found: dict[str, list[str]] = {}
    for word in sorted(set(words), key=lambda w: (len(w), w)):
        root = next((root for root in found if root in word), word)
        found.setdefault(root, []).append(word)
    return iter(found.items())


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
