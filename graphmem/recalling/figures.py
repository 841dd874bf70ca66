"""Figures: the ways in which a memory may write a number of a cue, such as in Chinese numerals.

The index has a number only as it is written: 350,000 does not find "350 thousand".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from graphmem_worker.claims.numbers import number_of
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import languages
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import words

_LEAST: Final = 100  # a smaller number is in too many texts
_MOST: Final = 10**8
_MYRIAD: Final = 10_000
_LATIN: Final = {"k": 1000, "w": _MYRIAD}
_LONGEST: Final = 12  # numerals of a number
_LOOKED_UP: Final = 64  # distinct numbers of a cue


class _Signs(NamedTuple):
    """How the language writes numbers whose numerals are joined without spaces."""

    digits: dict[str, int]
    scales: dict[str, int]
    by_value: dict[int, str]
    """Value → its numeral, the first of several."""
    pairs: tuple[str, ...]
    """The numerals for two."""


@cache
def _signs() -> _Signs:
    found = [tongue.numerals for tongue in languages() if not tongue.is_spaced]
    digits = {word: value for n in found for word, value in n.cardinals.items() if value < 10}
    scales = {word: value for n in found for word, value in n.scales.items()}
    by_value = {value: word for word, value in reversed([*digits.items(), *scales.items()])}
    return _Signs(digits, scales, by_value, tuple(w for w, value in digits.items() if value == 2))


_FIGURES: Final = late(
    lambda: (
        r"(?<![\d.])(\d{1,3}(?:,\d{3})+|\d{1,8})(?:\.(\d{1,4}))?"
        rf"({either({*_signs().scales, *_LATIN})})?(?![\d.]?\d)"
    )
)
_NUMERALS: Final = late(
    lambda: f"[{''.join((*_signs().digits, *_signs().scales))}]{{2,{_LONGEST}}}"
)


def written(cue: str, frequency: Callable[[str], int]) -> dict[str, float]:
    """The index words of all ways to write the first 64 numbers from 100 on in a cue, with weights
    that add up to 1 for each way. frequency: how many nodes hold an index word."""
    found: dict[str, float] = {}
    for number in islice(dict.fromkeys(_numbers(cue)), _LOOKED_UP):
        for way in dict.fromkeys(_ways(number)):
            terms = words(way)
            if terms and all(map(frequency, terms)):
                found |= {word: max(1 / len(terms), found.get(word, 0.0)) for word in terms}
    return found


def _numbers(cue: str) -> Iterator[int]:
    scales = {**_signs().scales, **_LATIN}
    for match in _FIGURES.finditer(cue.lower()):
        scale, part = scales.get(match[3] or "", 1), match[2] or ""
        number = int(match[1].replace(",", "")) * scale
        number += int(part or 0) * scale // 10 ** len(part)
        if _LEAST <= number < _MOST:
            yield number
    for match in () if cue.isascii() else _NUMERALS.finditer(cue):
        if _LEAST <= (number := int(number_of(match[0]) or 0)) < _MOST:
            yield number


def _ways(number: int) -> Iterator[str]:
    """The ways to write a number: in figures, and in numerals with and without the last scale."""
    yield str(number)
    yield f"{number:,}"
    by_value, pairs = _signs().by_value, _signs().pairs
    if _MYRIAD not in by_value:
        return
    if number % 1000 == 0 or (number >= _MYRIAD and number % 100 == 0):
        yield f"{number / _MYRIAD:g}{by_value[_MYRIAD]}"
    whole, scales = _in_numerals(number), "".join(_signs().scales)
    below = "".join(word for word, value in _signs().scales.items() if value < _MYRIAD)
    for way in (whole, re.sub(rf"(?<=[{scales}][^{scales}{by_value[0]}])[{below}]$", "", whole)):
        yield way
        yield re.sub(rf"{pairs[0]}(?=[{scales}])", pairs[1], way)


def _in_numerals(number: int) -> str:
    by_value = _signs().by_value
    high, low = divmod(number, _MYRIAD)
    numerals = _in_numerals(high) + by_value[_MYRIAD] if high else ""
    is_gap = False
    for place in (1000, 100, 10, 1):
        digit, low = divmod(low, place)
        if digit:
            is_bare = not numerals and (place, digit) == (10, 1)
            numerals += by_value[0] * (is_gap and bool(numerals)) + by_value[digit] * (not is_bare)
            numerals += by_value[place] if place > 1 else ""
        is_gap = not digit
    return numerals
