"""Sayings: where phrases of a table occur in a text.

Tables other than the calendar have rules too. The `means` of a rule is the name by which a reader
gets its phrases in all languages. Texts are given in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Final

from graphmem_worker.language.phrases import LETTER, SAME, Phrase
from graphmem_worker.language.tables import Language, extended, languages, simplified, tables
from graphmem_worker.text.gates import Gate

_GROUP: Final = re.compile(rf"\?P<(?!{SAME}>)\w+>")
_AGAIN: Final = re.compile(rf"(?<=\?P[<=]){SAME}(?=[>)])")
_WHOLE: Final = (f"(?<!{LETTER})(?:", f")(?!{LETTER})")


class Sayings:
    """Alternative phrases, searched for as one expression."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self._phrases = list(phrases)

    def search(self, lower: str) -> re.Match[str] | None:
        """The first match in a text in lower case; None if there is none."""
        found = self._opened(lower)
        return None if found is None else found.search(lower)

    def match(self, lower: str, start: int = 0) -> re.Match[str] | None:
        """The match at a place of a text in lower case; None if there is none."""
        found = self._opened(lower)
        return None if found is None else found.match(lower, start)

    def finditer(self, lower: str, start: int = 0) -> Iterator[re.Match[str]]:
        """The matches in a text in lower case, from a place on."""
        found = self._opened(lower)
        return iter(()) if found is None else found.finditer(lower, start)

    def is_in(self, lower: str) -> bool:
        """Whether one occurs in a text in lower case."""
        return self.search(lower) is not None

    def may_be_in(self, lower: str) -> bool:
        """False if one surely occurs in no part of a text in lower case."""
        return self._opened(lower) is not None

    def is_whole(self, lower: str) -> bool:
        """Whether a text in lower case is exactly one of them."""
        found = self._latin if lower.isascii() else self._every
        return found is not None and found.fullmatch(lower) is not None

    def without(self, lower: str) -> str:
        """A text in lower case with each match replaced by a space."""
        found = self._opened(lower)
        return lower if found is None else found.sub(" ", lower)

    def _opened(self, lower: str) -> re.Pattern[str] | None:
        """The expression for a text, for ASCII that of the languages with spaces; None if its gate
        is closed or it has no phrases."""
        if lower.isascii():
            return self._latin if self._latin_gate.opens(lower) else None
        return self._every if self._gate.opens(lower) else None

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
        """The phrases as one expression, to be a part of another."""
        return _either(self._phrases)

    @cached_property
    def _every(self) -> re.Pattern[str] | None:
        return re.compile(_either(self._phrases)) if self._phrases else None


def _gate(phrases: Iterable[Phrase]) -> Gate:
    """The gate of some phrases; always open if one of these has no gate."""
    gates = [phrase.gates for phrase in phrases]
    return Gate(frozenset().union(*(gate[0] for gate in gates)) if all(gates) else ())


def _either(phrases: Iterable[Phrase]) -> str:
    """One expression of several phrases; those of whole words share the look-arounds."""
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
    """The phrases of all languages in the tables of a kind whose rules mean one of `means`, or all
    without `means`. Raises KeyError if there are none."""
    found = [
        tongue.phrase(text)
        for tongue in _tongues(kind)
        for rule in tongue.rules
        if not means or rule.means in means
        for text in rule.say
    ]
    if not found:
        raise KeyError(f"no rule of {kind}.toml means {' or '.join(means)!r}")
    return Sayings(found)


@cache
def _tongues(kind: str) -> tuple[Language, ...]:
    known = {tongue.code: tongue for tongue in languages()}
    return tuple(extended(known[code], table) for code, table in tables(kind).items())


def folded(text: str) -> str:
    """A text in lower case and simplified characters, of the same length: letters whose lower case
    is longer stay."""
    text = simplified(text)
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(each if len(each.lower()) != 1 else each.lower() for each in text)
