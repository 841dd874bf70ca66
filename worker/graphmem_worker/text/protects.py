"""Sentences that protect somebody or bind somebody, and the day until which one binds.

Protective: an allergy or intolerance, an illness that others must know of, a medicine or dose, a
danger and how to avoid it. Binding: a promise, a deadline, a price, a decision, an appointment, a
new address or number. Clear cases are told by the tables of `language.harm`, all others by the head
"protective" (`language.heads`), which `python -m bench heads` fits and judges. Of a sentence the
first `LONGEST` characters are read.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from graphmem_worker.language import harm
from graphmem_worker.language.heads import head
from graphmem_worker.text.patterns import late

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Protection = Literal["protective", "binding"]

LONGEST: Final = 600
"""Characters of a sentence that are looked at."""

_SHORTEST: Final = 4
_HEAD: Final = "protective"
_ASKS: Final = late(r"[?？]\s*[\"'”’)）]*\s*$|吗[。！~\s]*$")


class _Judged(NamedTuple):
    """What tables and head tell of a sentence: whether a table names it a clear case, and the sums
    of the head, from zero on of which it protects or binds."""

    is_clear: bool
    protects: float
    binds: float


_NEITHER: Final = _Judged(False, -float("inf"), -float("inf"))


@lru_cache(maxsize=4096)  # a sweep asks the same of a held sentence every few passes
def _judged(sentence: str) -> _Judged:
    said = sentence[:LONGEST]
    if len(said) < _SHORTEST or _ASKS.search(said[-40:]):
        return _NEITHER
    classes = harm.classes(said)
    protects, binds = head(_HEAD).tells(said, classes).tolist()
    return _Judged(harm.names_clearly(said, classes), protects, binds)


def protects(sentence: str) -> Protection | None:
    """Whether `sentence` protects somebody ("protective") or binds somebody ("binding"); None for
    any other. What does both is protective. A question is neither."""
    judged = _judged(sentence)
    if judged.is_clear or judged.protects >= 0:
        return "protective"
    return "binding" if judged.binds >= 0 else None


def protects_by_vector(sentence: str, vector: NDArray[np.float32], model: str) -> bool:
    """Whether `sentence` protects somebody, judged with its vector of length 1 by `model` as well.
    Of a model that the head does not know, and of what is told of a story or denied, which vectors
    hardly see, the vector tells nothing."""
    if protects(sentence) == "protective":
        return True
    judged, fitted = _judged(sentence), head(_HEAD)
    if judged is _NEITHER or model != fitted.model or harm.is_unmeant(sentence[:LONGEST]):
        return False
    row = fitted.labels.index("protects")
    by_vector = float(fitted.vector[row] @ vector + fitted.vector_bias[row])
    return judged.protects + by_vector >= 0


def likeliest(spans: Sequence[str]) -> str | None:
    """The sentence that most likely protects somebody; None of none."""
    return max(spans, key=lambda span: _judged(span).protects, default=None)


def is_clearly_protective(sentence: str) -> bool:
    """Whether a table names `sentence` as one that protects somebody. Of what only the head finds
    some is small talk: it may be kept for longer, but nothing is refused by it."""
    return _judged(sentence).is_clear


def is_surely_protective(sentence: str) -> bool:
    """Whether a table names `sentence` as one that protects somebody, or the head finds it far from
    small talk."""
    judged = _judged(sentence)
    return judged.is_clear or judged.protects >= _SURELY


def outright(sentence: str) -> bool:
    """Whether `sentence` binds somebody more likely than small talk that sounds alike."""
    return _judged(sentence).binds >= _OUTRIGHT


_OUTRIGHT: Final = 1.0  # nats above the least sum
_SURELY: Final = 1.0  # the same: none of 1,417 turns of LoCoMo has as much

# --- until when -----------------------------------------------------------------------------------

_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY: Final = (
    r"(?:mon(?:day)?|tues?(?:day)?|wed(?:nesday)?|thurs?(?:day)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)"
)
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAYS: Final = "mon tue wed thu fri sat sun".split()
_NUMERALS: Final = {name: n for n, name in enumerate("零一二三四五六七八九")} | {"两": 2}
_ISO: Final = late(r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_MONTH: Final = late(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?(?:,? ((?:19|20)\d\d))?", re.I
)
_MONTH_DAY: Final = late(
    rf"\b({_MONTH})\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,? ((?:19|20)\d\d))?", re.I
)
_MONTH_END: Final = late(
    rf"\b(?:end of|until|by|before|in|through|late) ({_MONTH})\b(?! \d{{1,2}}\b)(?: ((?:19"
    rf"|20)\d\d))?",
    re.I,
)
_HAN_NUMBER: Final = "[\\d一二三四五六七八九十]{1,3}"
_HAN_DATE: Final = late(
    f"(?:((?:19|20)\\d\\d)年|(明年|今年|去年))?({_HAN_NUMBER})月(?:份)?(?:({_HAN_NUMBER})[日号]?|(底|末))?"
)
_HAN_DAY: Final = late(
    f"(?<![\\d月])({_HAN_NUMBER})号(?!楼|线|房|桌|机|院|库|门|店|位|仓|车|厂|码)"
)
_ORDINAL: Final = late(r"\bthe (\d{1,2})(?:st|nd|rd|th)\b(?! (?:of|floor|time|century))", re.I)
_WEEK: Final = late(rf"\b(next |this |on |by |until |before |till )?({_WEEKDAY})\b", re.I)
_HAN_WEEK: Final = late("(下下|下|这|本)?个?(?:周|星期|礼拜)([一二三四五六日天末])")
_AHEAD: Final = tuple(
    (late(pattern, re.I), days)
    for pattern, days in (
        (r"\btomorrow\b|明天|明早|明晚", 1),
        (r"\b(?:today|tonight)\b|今天|今晚", 0),
        ("大后天", 3), ("(?<!大)后天", 2),
        (r"\bnext week\b|下周(?![一二三四五六日天末])", 13),
        (r"\bend of (?:the |this )?week\b|周末", 6),
    )
)  # fmt: skip
_MONTH_CLOSE: Final = late(r"\bend of (?:the |this )?month\b|(?<![月\d])月底|这个月底|本月底", re.I)
_YEAR_CLOSE: Final = late(r"\bend of (?:the |this )?year\b|年底|年末", re.I)
_NEXT_MONTH: Final = late(r"\bnext month\b|下个?月", re.I)
_YEAR_ONLY: Final = late(
    r"\b(?:until|till|to|through|by|before|expires? in) ((?:19|20)\d\d)\b|((?:19"
    r"|20)\d\d)年(?!\d{1,2}月)",
    re.I,
)
_WITHIN: Final = late(
    r"\b(?:within|in) (\d{1,3}|a|one|two|three|four|five|six|seven|ten|fourteen"
    r"|thirty) (?:working |business )?(day|week|month)s?\b"
    r"|([\d一二两三四五六七八九十]{1,3})个?(天|周"
    r"|星期|月|工作日)[之以]?内",
    re.I,
)
_WORDED: Final = {
    "a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10,
    "fourteen": 14, "thirty": 30,
}  # fmt: skip
_UNIT: Final = {
    "day": 1,
    "week": 7,
    "month": 31,
    "天": 1,
    "周": 7,
    "星期": 7,
    "月": 31,
    "工作日": 2,
}

LATEST: Final = date(9899, 12, 31)
"""The last day from which days are counted on: dates end with the year 9999."""


def last_day(sentence: str, told: date) -> date | None:
    """The latest day that `sentence` names, told on day `told`; None if it names none.

    A day without a year is the next one; a month or year alone ends with its last day. Only what is
    written as a date, a weekday or a stretch from `told` on is read. A day after `LATEST` counts as
    it.
    """
    said = sentence[:LONGEST]
    told = min(told, LATEST)
    found: list[date] = []
    for read in (_calendar_days, _relative_days):
        found += read(said, told)
    return max(found, default=None)


def _calendar_days(said: str, told: date) -> list[date]:
    found: list[date | None] = [_day(int(y), int(m), int(d)) for y, m, d in _ISO.findall(said)]
    for day, month, year in _DAY_MONTH.findall(said):
        found.append(_next(told, year, _month(month), int(day)))
    for month, day, year in _MONTH_DAY.findall(said):
        found.append(_next(told, year, _month(month), int(day)))
    for month, year in _MONTH_END.findall(said):
        found.append(_next(told, year, _month(month), 0))
    for year, which, month, day, _ in _HAN_DATE.findall(said):
        if not year and which:
            year = str(told.year + {"明年": 1, "今年": 0, "去年": -1}[which])
        found.append(_next(told, year, _count(month), _count(day) if day else 0))
    if not any(found):
        for (number,) in (m.groups() for m in (*_ORDINAL.finditer(said), *_HAN_DAY.finditer(said))):
            found.append(_of_month(told, _count(number)))
        found += [_day(int(a or b), 12, 31) for a, b in _YEAR_ONLY.findall(said)]
    return [day for day in found if day is not None]


def _relative_days(said: str, told: date) -> list[date]:
    found = [told + timedelta(days) for pattern, days in _AHEAD if pattern.search(said)]
    for which, name in _WEEK.findall(said):
        ahead = (_DAYS.index(name[:3].lower()) - told.weekday()) % 7
        found.append(told + timedelta(ahead + 7 * (which.lower() == "next " and ahead < 7)))
    for which, name in _HAN_WEEK.findall(said):
        weekday = "一二三四五六日".index({"天": "日", "末": "日"}.get(name, name))
        weeks = {"下": 1, "下下": 2}.get(which, 0)
        ahead = weekday - told.weekday() + 7 * weeks
        found.append(told + timedelta(ahead if which or ahead >= 0 else ahead + 7))
    if _MONTH_CLOSE.search(said):
        found.append(told.replace(day=monthrange(told.year, told.month)[1]))
    if _YEAR_CLOSE.search(said):
        found.append(date(told.year, 12, 31))
    if _NEXT_MONTH.search(said):
        after = told.replace(day=28) + timedelta(4)
        found.append(after.replace(day=monthrange(after.year, after.month)[1]))
    for count, unit, han_count, han_unit in _WITHIN.findall(said):
        number = _WORDED.get(count.lower()) or _count(count or han_count)
        found.append(told + timedelta(number * _UNIT[(unit or han_unit).lower()]))
    return found


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _count(number: str) -> int:
    """A number up to 99 in figures or Chinese numerals; 0 for what is none."""
    if number.isdigit():
        return int(number)
    tens, ten, ones = number.partition("十")
    if not ten:
        return _NUMERALS.get(number, 0)
    return 10 * _NUMERALS.get(tens, 1) + _NUMERALS.get(ones, 0)


def _day(year: int, month: int, day: int) -> date | None:
    """A day, the last of the month for day 0; None if there is none such."""
    if not (1 <= month <= 12 and 1 <= year <= 9998):
        return None
    last = monthrange(year, month)[1]
    return date(year, month, day or last) if day <= last else None


def _next(told: date, year: str, month: int, day: int) -> date | None:
    """The day of that year, else the first such day that is not before `told`."""
    if year:
        return _day(int(year), month, day)
    this = _day(told.year, month, day)
    return this if this is None or this >= told else _day(told.year + 1, month, day)


def _of_month(told: date, day: int) -> date | None:
    """The next day of that number in this month or the following."""
    if not 1 <= day <= 31:
        return None
    this = _day(told.year, told.month, day)
    if this is not None and this >= told:
        return this
    year, month = (told.year, told.month + 1) if told.month < 12 else (told.year + 1, 1)
    return _day(year, month, day)
