"""Numerals in digits, in English words and in Chinese characters; months, weekdays, versions."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

from graphmem_worker.language.tables import languages
from graphmem_worker.text.patterns import late

_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()

_HALF: Final = "半"
_FIGURES: Final = late(r"\d{1,12}(?:\.\d{1,6})?")

WORDED: Final = "|".join((*_TENS, *_ONES))

NUMERAL_PATTERN: Final = (
    rf"(?:\d{{1,9}}(?:,\d{{3}}){{0,3}}(?:\.\d{{1,6}})?"
    rf"|(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_ONES[1:10])})"
    rf"|{WORDED}|[零〇一二两三四五六七八九十百千万半]{{1,8}})"
)

MONTHS: Final = {
    m: i for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}

HAN_WEEK: Final = dict(
    zip("一二三四五六日天", "mon tues wednes thurs fri satur sun sun".split(), strict=True)
)


def number_of(text: str) -> float | None:
    """The value of a numeral in figures or in the words of a language; None if it is none."""
    said = text.strip().lower().replace(",", "")
    if _FIGURES.fullmatch(said):
        return float(said)
    whole = said.rstrip(_HALF)
    if said and not whole:
        return 0.5
    for tongue in languages() if not said[:1].isdigit() else ():
        with suppress(ValueError):
            return float(tongue.numerals.read(whole))
    return None


def shown(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def plain_version(text: str) -> str:
    """A version without the zeros at its end."""
    return re.sub(r"(?:\.0)+$", "", text)
