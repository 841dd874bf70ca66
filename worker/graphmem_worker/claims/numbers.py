"""Numerals in digits, in English words and in Chinese characters; months, weekdays, versions."""

from __future__ import annotations

import re
from typing import Final

_ONES: Final = {
    word: value
    for value, word in enumerate(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen seventeen eighteen nineteen"
        ).split()
    )
}

_TENS: Final = {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}

_ORDINALS: Final = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        start=1,
    )
}

_HAN_DIGITS: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_HAN_SCALES: Final = {"十": 10, "百": 100, "千": 1000, "万": 10_000}

WORDED: Final = "|".join((*_TENS, *_ONES))

NUMERAL_PATTERN: Final = (
    rf"(?:\d{{1,9}}(?:,\d{{3}}){{0,3}}(?:\.\d{{1,6}})?"
    rf"|(?:{'|'.join(_TENS)})[- ](?:{'|'.join(list(_ONES)[1:10])})"
    rf"|{WORDED}|[零一二两三四五六七八九十百千万半]{{1,8}})"
)

MONTHS: Final = {
    m: i for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}

MONTH: Final = f"(?:{'|'.join(MONTHS)})[a-z]{{0,6}}"

HAN_WEEK: Final = dict(
    zip("一二三四五六日天", "mon tues wednes thurs fri satur sun sun".split(), strict=True)
)


def number_of(text: str) -> float | None:
    """The value of a numeral in digits, in English words or in Chinese characters."""
    said = text.strip().lower().replace(",", "")
    if re.fullmatch(r"\d{1,12}(?:\.\d{1,6})?", said):
        return float(said)
    if said in _ONES or said in _TENS or said in _ORDINALS:
        return float(_ONES.get(said) or _TENS.get(said) or _ORDINALS.get(said) or 0)
    tens, _, ones = said.replace("-", " ").partition(" ")
    if tens in _TENS and ones in _ONES:
        return float(_TENS[tens] + _ONES[ones])
    return _han(said)


def _han(said: str) -> float | None:
    if not said or any(
        c not in _HAN_DIGITS and c not in "半" and c not in _HAN_SCALES for c in said
    ):
        return None
    if said == "半":
        return 0.5
    total, section, digit, last = 0, 0, 0, 1
    for character in said.rstrip("半"):
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
            last = last if digit else 1  # 四百五 is 450, 四百零五 is 405
            continue
        last = _HAN_SCALES[character]
        if character == "万":
            total, section = (total + section + digit) * last, 0
        else:
            section += (digit or 1) * last
        digit = 0
    return float(total + section + digit * max(1, last // 10))


def shown(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def plain_version(text: str) -> str:
    """A version without the zeros at its end."""
    parts = text.split(".")
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    return ".".join(parts)
