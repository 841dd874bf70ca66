"""Amounts with their units, prices and rates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from graphmem_worker.claims.numbers import NUMERAL_PATTERN, WORDED
from graphmem_worker.language.expressions import expressions
from graphmem_worker.language.lists import groups
from graphmem_worker.text.patterns import late

_UNIT: Final = "unit "
"""The prefix of units in the tables `states`."""
_NUMERAL_START: Final = late(
    rf"(?<![A-Za-z\d.,:/-])(?:\d|[零一二两三四五六七八九十百千万半]|(?:{WORDED})\b)", re.I
)


@cache
def _units() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each unit of the tables, with a pattern of a numeral and that unit."""
    numeral = rf"(?<![A-Za-z\d.,:/-])({NUMERAL_PATTERN})(?:\s|-)?(?:[a-z]{{2,12}}\s)?"
    return tuple(
        (means.removeprefix(_UNIT), late(f"{numeral}(?:{one.source})", re.I))
        for means, one in expressions("states", _UNIT)
    )


def amounts(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """(unit, match) for each amount of a text, unit by unit in the order of the tables; group 1 is
    the numeral. Matches of different units may overlap."""
    # An amount begins with its numeral, so only numerals are tried.
    starts = [found.start() for found in _NUMERAL_START.finditer(text)]
    for unit, pattern in _units() if starts else ():
        end = 0
        for start in starts:
            if start >= end and (found := pattern.match(text, start)) is not None:
                yield unit, found
                end = found.end()


PRICE: Final = late(r"[$€£¥￥]\s?(\d{1,9}(?:,\d{3}){0,3}(?:\.\d{1,2})?)(k?)")


def rate_of(words: str) -> str:
    """The name of a rate ("per month"); unknown words are returned in lower case."""
    low = words.lower()
    found = (rate for rate, marks in groups("rates").items() if any(mark in low for mark in marks))
    return next(found, low)
