"""Numbered things: of two notes that differ in a number, whether it says of what they tell.

"Room 3 costs 80" and "Room 8 costs 95" tell of two rooms, "Parking costs 65" and "Parking costs 80"
of one car park. A number behind a word names a thing if it holds a letter (A1001, INC-32), or if
the notes differ in another number too, which is the value then.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Final

from graphmem_worker.claims.vocabulary import lexicon_of, software
from graphmem_worker.language.calendar import mentions, without
from graphmem_worker.language.lists import numerals, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN

_ANY_DAY: Final = date(2000, 1, 1)  # dates are left out, whatever they are


def _shape() -> str:
    units = either([*ordered("number_units"), *ordered("secret_units")])
    thing = rf"(?:([{HAN}]{{2}}|(?<![^\W\d_])[^\W\d_{HAN}]{{2,30}}+) ?[#№]?)?"
    number = rf"(?<![.,:-]|[^\W_{HAN}])((?:([A-Z]{{1,5}})-?)?\d{{1,9}})"
    return rf"{thing}{number}(?![.,:-]?\d|[^\W\d_{HAN}]| ?%| ?(?:{units})(?![a-z]))"


_NUMBERED: Final = late(_shape)
"""What stands before a number, the number, and the letters that it begins with."""
_DIGIT: Final = late(r"\d")
_NUMERAL: Final = late(lambda: rf"\d++(?:[.,:]\d++)*+|[{numerals()}]++")


def distinguishing(
    one: tuple[str, ...], other: tuple[str, ...], *, is_asked: bool = False
) -> frozenset[str]:
    """The words by whose numbers the sentences of two memories tell of two things of one kind; none
    if they do not. is_asked: the first one asks, and so has no value."""
    found = _apart(_numbered(one), _numbered(other))
    if found:  # dates are left out only where it matters: most texts have no number of a thing
        mine, theirs = _numbered(one, dated=False), _numbered(other, dated=False)
        if found := _apart(mine, theirs):
            ids = [[of[head] for head in found] for of in (mine, theirs)]
            if is_asked:
                return found
            left, right = _numerals(one).difference(ids[0]), _numerals(other).difference(ids[1])
            return found if left and right and left != right else frozenset()
    return found


def _apart(mine: Mapping[str, str], theirs: Mapping[str, str]) -> frozenset[str]:
    """What both have, if each with another number."""
    if not mine or not theirs:
        return frozenset()
    shared = mine.keys() & theirs.keys()
    return frozenset(() if any(mine[head] == theirs[head] for head in shared) else shared)


@lru_cache(1 << 13)
def _numbered(spans: tuple[str, ...], *, dated: bool = True) -> Mapping[str, str]:
    """What stands before a number, or begins it → the number, the first of each. dated: those of
    dates too."""
    found: dict[str, str] = {}
    if not any(map(_DIGIT.search, spans)):
        return found
    text = " ".join(spans)
    lexicon = lexicon_of(text)
    if not dated:
        text = without(text, mentions(text, _ANY_DAY))
    for match in _NUMBERED.finditer(text):
        thing, number, letters = match.groups()
        head = (thing or "").lower()
        if letters and not match.start(2):  # a ticket that a text begins with
            found.setdefault(letters, number)
        if head and not (
            head in lexicon.entries
            or head[-1] in FUNCTION_CHARACTERS
            or lexicon.stems([head])[0] in software()
        ):
            found.setdefault(head, number)
    return found


@lru_cache(1 << 13)
def _numerals(spans: tuple[str, ...]) -> frozenset[str]:
    return frozenset(found for span in spans for found in _NUMERAL.findall(span))
