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
    """The value of a numeral in figures or words; None if the text is no numeral."""
    numeral = text.strip().lower().replace(",", "")
    if _FIGURES.fullmatch(numeral):
        return float(numeral)
    whole = numeral.rstrip(_HALF)
    if numeral and not whole:
        return 0.5
    for language in languages() if not numeral[:1].isdigit() else ():
        with suppress(ValueError):
            return float(language.numerals.read(whole))
    return None


def shown(value: float | None) -> str:
    """A number in figures, without trailing zeros; "" for None."""
    return "" if value is None else f"{value:.15g}"


def plain_version(text: str) -> str:
    """A version without zero parts at its end: "3.0" is "3"."""
    return re.sub(r"(?:\.0)+$", "", text)
