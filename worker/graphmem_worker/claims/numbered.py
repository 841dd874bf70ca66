"""Numbered things: whether a number in which two texts differ identifies a thing or is a value.

"Room 3 costs 80" and "Room 8 costs 95" are about two rooms, "Parking costs 65" and "Parking costs
80" about one car park. A number behind a word identifies a thing if it holds a letter (A1001,
INC-32), or if the texts differ in another number too, which is the value then. What a question
names ("bed 4", "staircase B", 四床, 第七集) does in any case.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Final

from graphmem_worker.claims.numbers import number_of, shown
from graphmem_worker.claims.vocabulary import Token, lexicon_of, software
from graphmem_worker.language.calendar import mentions, without
from graphmem_worker.language.lists import numerals, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, STOP_WORDS

_UNKNOWN: Final = Token("empty", "")
_ANY_DAY: Final = date(2000, 1, 1)  # only the places of dates matter, not their values


def _shape() -> str:
    units = either([*ordered("number_units"), *ordered("secret_units")])
    thing = rf"(?:([{HAN}]{{2}}|(?<![^\W\d_])[^\W\d_{HAN}]{{2,30}}+) ?[#№]?)?"
    figures = rf"\d{{1,9}}+(?! ?(?:{units})(?![a-z]))[a-z]?"
    number = rf"(?<![.,:-]|[^\W_{HAN}])((?:([A-Z]{{1,5}})-?)?{figures})"
    return rf"{thing}{number}(?![.,:-]?\d|[^\W\d_{HAN}]| ?%)"


_NUMBERED: Final = late(_shape)
"""Groups: the word before a number, the number, the letters that it begins with."""
_DIGIT: Final = late(r"\d")
_LETTERED: Final = late(rf"(?<![^\W\d_{HAN}])([^\W\d_{HAN}]{{2,30}}) ([A-HJ-Z])(?![\w'’])")
"""Groups: the word before a letter, the letter: "staircase B"."""


def _marked() -> str:
    marks, number = either(ordered("number_marks")), rf"[{numerals()}\d]++"
    before = either(ordered("ordinal_marks"))
    return rf"(?:{before})({number})([{HAN}])|({number}|(?<!\w)[A-Z]|(?<=[{HAN}])[A-Z])({marks})"


_MARKED: Final = late(_marked)
"""Groups: an ordinal and the character behind it, twice: 第七集, 四床, B栋."""
_NUMERAL: Final = late(lambda: rf"\d++(?:[.,:]\d++)*+|[{numerals()}]++")


def distinguishing_words(
    one: tuple[str, ...], other: tuple[str, ...], *, is_asked: bool = False
) -> frozenset[str]:
    """The words whose numbers show that two memories are about two things of one kind; empty if
    none does. is_asked: `one` is a question, which has no value."""
    found = _apart(_numbered(one), _numbered(other))
    if is_asked:  # in "Bed 14 may sit up" is no date
        found = found and _apart(_numbered(one, dated=False), _numbered(other))
        return found or _apart(_labelled(one), _labelled(other))
    if found:  # finding dates is slow, and most texts have no numbered thing
        left, right = _numbered(one, dated=False), _numbered(other, dated=False)
        found = _apart(left, right)
        values = _numerals(one).difference(left[head] for head in found)
        other_values = _numerals(other).difference(right[head] for head in found)
        return found if values and other_values and values != other_values else frozenset()
    return found


def has_number_of(cue: str, text: str) -> bool:
    """Whether a text has a numbered thing that a question names."""
    asked = _numbered((cue,), dated=False).items() | _labelled((cue,)).items()
    return not asked.isdisjoint(_numbered((text,)).items() | _labelled((text,)).items())


def lettered_words(one: str, other: str) -> frozenset[str]:
    """The words behind which two texts have different letters or ordinals: "key A", "key B"."""
    return _apart(_labelled((one,)), _labelled((other,)))


def _apart(left: Mapping[str, str], right: Mapping[str, str]) -> frozenset[str]:
    """The words that both have, if none of them has the same number in both; else empty."""
    if not left or not right:
        return frozenset()
    shared = left.keys() & right.keys()
    return frozenset(() if any(left[head] == right[head] for head in shared) else shared)


@lru_cache(1 << 13)
def _labelled(spans: tuple[str, ...]) -> Mapping[str, str]:
    """The word before a letter, or the character behind an ordinal → the first such one."""
    text = simplified(" ".join(spans))
    found: dict[str, str] = {}
    for match in _LETTERED.finditer(text):
        if match[1].lower() not in STOP_WORDS:
            found.setdefault(match[1].lower(), match[2])
    marked = list(_MARKED.finditer(text))
    days = {each.start for each in mentions(text, _ANY_DAY)} if marked else ()
    for match in marked:
        number, head = match[1] or match[3], match[2] or match[4]
        if match.start() in days:  # 三号马厩
            head += text[match.end() :].lstrip("".join(FUNCTION_CHARACTERS))[:1]
        found.setdefault(head, shown(number_of(number)) or number)
    return found


@lru_cache(1 << 13)
def _numbered(spans: tuple[str, ...], *, dated: bool = True) -> Mapping[str, str]:
    """The word before a number, or the letters that it begins with → the first such number.
    dated: include numbers of dates."""
    found: dict[str, str] = {}
    if not any(map(_DIGIT.search, spans)):
        return found
    text = simplified(" ".join(spans))
    lexicon = lexicon_of(text)
    if not dated:
        text = without(text, mentions(text, _ANY_DAY))
    for match in _NUMBERED.finditer(text):
        thing, number, letters = match.groups()
        head = (thing or "").lower()
        if letters and not match.start(2):  # a ticket that a text begins with
            found.setdefault(letters, number)
        if head and not (
            lexicon.entries.get(head, _UNKNOWN).role != "empty"
            or head in STOP_WORDS
            or head[-1] in FUNCTION_CHARACTERS
            or lexicon.stems([head])[0] in software()
        ):
            found.setdefault(head, number)
    return found


@lru_cache(1 << 13)
def _numerals(spans: tuple[str, ...]) -> frozenset[str]:
    return frozenset(found for span in spans for found in _NUMERAL.findall(simplified(span)))
