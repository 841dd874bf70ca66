"""Periods: the days that a cue speaks of ("last May", "on 7 May 2023", "two weeks ago", "上周三").

A small grammar over months, weekdays and seasons, in English and Chinese. What is relative counts
from the present; a day, month or season without a year is that of any year. Seasons are the
northern ones. A bare weekday, "recently" and "before June" name no days.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

_LONGEST: Final = 2_000  # characters of a cue that are looked through
_ANY_YEAR: Final = 2000  # stands for every year: it has a 29 February
_ANY_YEAR_DAYS: Final = 366
_DAY: Final = timedelta(days=1)
_Parts = Mapping[str, str]
_Reader = Callable[[_Parts, date], "Period | None"]


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`, both inclusive; a `yearly` one, written as of 2000, of any year.

    A yearly one may run into the next year.
    """

    first: date
    last: date
    yearly: bool = False

    def __contains__(self, day: date) -> bool:
        if not self.yearly:
            return self.first <= day <= self.last
        begun = (day.replace(year=_ANY_YEAR) - self.first).days % _ANY_YEAR_DAYS
        return begun <= (self.last - self.first).days

    def days(self, today: date, most: int) -> list[date]:
        """Its days, of a yearly one the last that began before `today`; none if more than `most`.

        Days beyond the years 1 to 9999 are left out.
        """
        length = (self.last - self.first).days + 1
        if length > most:
            return []
        first = self.first.toordinal()
        if self.yearly:
            first = self._latest(today).toordinal()
        return [
            date.fromordinal(n)
            for n in range(first, first + length)
            if 1 <= n <= date.max.toordinal()
        ]

    def _latest(self, today: date) -> date:
        """The first day of a yearly period in the year in which it last began."""
        month, day = self.first.month, self.first.day
        year = today.year - ((month, day) > (today.month, today.day))
        while day > monthrange(year, month)[1]:  # 29 February: the last leap year
            year -= 1
        return date(year, month, day)


def periods(cue: str, today: date) -> list[Period]:
    """The periods that a cue names, each once.

    `today` is what "yesterday" and "last May" count from. Never raises for a `str`.
    """
    found: dict[Period, None] = {}
    text = cue[:_LONGEST].casefold()
    if not any(hint in text for hint in _HINTS):
        return []
    for pattern, read in _GRAMMAR:
        for match in pattern.finditer(text):
            parts = {name: part for name, part in match.groupdict().items() if part}
            try:
                period = None if "beyond" in parts else read(parts, today)
            except (ValueError, OverflowError):  # 31 June, 9,999 years ago
                period = None
            if period is not None:
                found[period] = None
            # The year of a date must not be read once more as a year.
            text = text[: match.start()] + "|" * len(match[0]) + text[match.end() :]
    return list(found)


# -- what the parts of a match mean ---------------------------------------------------------------

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_SEASONS: Final = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
    "春": 3, "夏": 6, "秋": 9, "冬": 12,
}  # fmt: skip
_WEEKDAYS: Final = "mon tue wed thu fri sat sun".split()
_HAN_WEEKDAYS: Final = "一二三四五六日"
_COUNTS: Final = {
    name: count
    for count, names in enumerate(
        "a an one 一;two couple 二 两;three few 三 几;four 四;five 五;six 六;seven 七;eight 八"
        ";nine 九;ten 十;eleven 十一;twelve 十二".split(";"),
        1,
    )
    for name in names.split()
}
_UNIT_DAYS: Final = {
    "day": 1, "week": 7, "month": 30, "year": 365,
    "天": 1, "周": 7, "星期": 7, "礼拜": 7, "个月": 30, "年": 365,
}  # fmt: skip
_DAYS_BACK: Final = {
    "the day before yesterday": 2, "yesterday": 1, "last night": 1, "today": 0, "tonight": 0,
    "this morning": 0, "this afternoon": 0, "this evening": 0,
    "大前天": 3, "前天": 2, "前晚": 2, "昨天": 1, "昨日": 1, "昨晚": 1, "今天": 0, "今日": 0,
    "今早": 0, "今晚": 0,
}  # fmt: skip
_YEARS_BACK: Final = {"this": 0, "今年": 0, "去年": 1, "前年": 2}
_BACK: Final = {"this": 0, "这": 0, "本": 0, "上上": 2}  # any other: 1


def _number(text: str) -> int:
    """A number up to 99 in figures or words, more in figures."""
    if text.isdigit():
        return int(text)
    if text in _COUNTS:
        return _COUNTS[text]
    tens, _, ones = text.partition("十")
    return 10 * _COUNTS.get(tens, 1) + _COUNTS.get(ones, 0)


def _months(year: int | None, month: int, count: int = 1) -> Period:
    """`count` months from the first day of one on; in any year for None."""
    first = date(year or _ANY_YEAR, month, 1)
    ahead = first.year * 12 + month - 2 + count
    year_of_last, month_of_last = ahead // 12, ahead % 12 + 1
    days = monthrange(year_of_last, month_of_last)[1]
    return Period(first, date(year_of_last, month_of_last, days), year is None)


def _year(parts: _Parts, month: int, today: date) -> int | None:
    """The year that is meant; None for any. The last of a month is the one before the present."""
    if "year" in parts:
        return int(parts["year"])
    which = parts.get("which", "")
    if which in ("last", "past", "previous"):
        return today.year - (month >= today.month)
    return today.year - _YEARS_BACK[which] if which in _YEARS_BACK else None


def _calendar(parts: _Parts, today: date) -> Period | None:
    """ "7 May 2023", "in May", "last June", "5月3日", "去年五月"."""
    name, day = parts["month"], parts.get("day") or parts.get("day_after")
    if name in ("may", "mar", "march") and not (day or "year" in parts or "which" in parts):
        return None  # a verb
    month = _MONTHS.index(name[:3]) + 1 if name[:3] in _MONTHS else _number(name)
    whole = _months(_year(parts, month, today), month)
    if day is None:
        return whole
    at = whole.first.replace(day=_number(day))
    return Period(at, at, whole.yearly)


def _season(parts: _Parts, today: date) -> Period:
    month = _SEASONS[parts["season"]]
    return _months(_year(parts, month, today), month, 3)


def _whole_year(parts: _Parts, today: date) -> Period:
    return _months(_year(parts, 1, today), 1, 12)


def _ago(parts: _Parts, today: date) -> Period:
    """ "three days ago" is a day; weeks, months and years are as vague as they are long."""
    unit = _UNIT_DAYS[parts["unit"]]
    at = today - _number(parts["count"]) * unit * _DAY
    vague = (2 if unit == 1 and parts["count"] in ("few", "几") else unit // 2) * _DAY
    return Period(at - vague, at + vague)


def _relative(parts: _Parts, today: date) -> Period:
    """ "last week", "this month", "last Tuesday", "上上周三"."""
    unit, back = parts.get("unit", "week"), _BACK.get(parts["which"], 1)
    if unit == "year":
        return _months(today.year - back, 1, 12)
    if unit in ("month", "月"):
        month = today.year * 12 + today.month - 1 - back
        return _months(month // 12, month % 12 + 1)
    if unit[:3] in _WEEKDAYS and back:  # the last one before today, in whichever week
        at = today - ((today.weekday() - _WEEKDAYS.index(unit[:3]) - 1) % 7 + 1) * _DAY
        return Period(at, at)
    monday = today - (today.weekday() + 7 * back) * _DAY
    if unit == "week":
        return Period(monday, monday + 6 * _DAY)
    if unit in ("weekend", "末"):
        return Period(monday + 5 * _DAY, monday + 6 * _DAY)
    weekdays: Sequence[str] = _WEEKDAYS if unit.isascii() else _HAN_WEEKDAYS
    at = monday + weekdays.index(unit[:3].replace("天", "日")) * _DAY
    return Period(at, at)


def _named(parts: _Parts, today: date) -> Period:
    at = today - _DAYS_BACK[parts["word"]] * _DAY
    return Period(at, at)


# -- how it is written ----------------------------------------------------------------------------


def _either(names: Iterable[str], latin: bool) -> str:
    """An alternation of the names in one script."""
    return "|".join(name for name in names if name.isascii() == latin)


_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_OF_YEAR: Final = rf"(?:,? (?:of )?{_YEAR}\b)?"
_IN_MONTH: Final = r"(?:[12]\d|3[01]|0?[1-9])"
_LAST: Final = "(?P<which>last|this|past|previous)"
_MONTH_NAME: Final = (
    "(?P<month>january|jan|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug"
    "|september|sept|sep|october|oct|november|nov|december|dec)"
)
# What lies before or after a date does not lie within it.
_WITHIN: Final = r"\b(?:(?P<beyond>before|until|since|after) (?:the )?)?+"
_HAN_WITHIN: Final = "(?P<beyond>[之以]?[前后後])?"
_HAN_YEAR: Final = rf"(?:{_YEAR} ?年|(?P<which>[去今前]年))的?"
_HAN_NUMBER: Final = "一二两三四五六七八九十"

# One of these is in whatever the grammar matches.
_HINTS: Final = (
    *"0123456789", *_MONTHS, *_SEASONS, *_HAN_NUMBER, "last ", "this ", "past ", "previous ",
    " ago", "yesterday", "today", "tonight", *"月年周天昨今前末",
)  # fmt: skip
_GRAMMAR: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (rf"{_WITHIN}{_YEAR}[-/.](?P<month>1[0-2]|0?[1-9])(?:[-/.](?P<day>{_IN_MONTH}))?\b",
         _calendar),
        (rf"{_WITHIN}(?:(?P<which>last|this|past|previous|in|of|during|by|early|mid|late) )?+"
         rf"(?:(?P<day>{_IN_MONTH})(?:st|nd|rd|th)? (?:of )?)?+{_MONTH_NAME}\b\.?"
         rf"(?: (?:the )?(?P<day_after>{_IN_MONTH})(?:st|nd|rd|th)?(?![\d:]))?{_OF_YEAR}",
         _calendar),
        (rf"\b(?:{_LAST} |in (?:the )?)(?P<season>{_either(_SEASONS, True)})\b{_OF_YEAR}", _season),
        (rf"\b(?P<season>{_either(_SEASONS, True)})(?:,? (?:of )?){_YEAR}\b", _season),
        (rf"\b(?P<count>\d{{1,3}}|{_either(_COUNTS, True)})(?: of)?"
         rf" (?P<unit>{_either(_UNIT_DAYS, True)})s? ago\b", _ago),
        (rf"\b(?P<word>{_either(_DAYS_BACK, True)})\b", _named),
        (rf"\b{_LAST} (?P<unit>weekend|week|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
         r"\b", _relative),
        (rf"(?:{_HAN_YEAR})?+(?<![个個\d])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[{_HAN_NUMBER}])月"
         rf"(?:(?P<day>{_IN_MONTH}|[二三]?十[{_HAN_NUMBER}]?|[{_HAN_NUMBER}])[日号號])?+{_HAN_WITHIN}",
         _calendar),
        (rf"(?:{_HAN_YEAR})?+(?P<season>{_either(_SEASONS, False)})[天季]{_HAN_WITHIN}", _season),
        (rf"(?P<count>\d{{1,3}}|[{_HAN_NUMBER}几]{{1,3}})(?P<unit>{_either(_UNIT_DAYS, False)})"
         "[之以]?前", _ago),
        (rf"(?P<word>{_either(_DAYS_BACK, False)})", _named),
        (rf"(?P<which>上上|上|这|本)个?(?:周|星期|礼拜)(?P<unit>[{_HAN_WEEKDAYS}天末])?",
         _relative),
        ("(?P<which>上上|上|这|本)个?(?P<unit>月)", _relative),
        (rf"{_HAN_YEAR}{_HAN_WITHIN}", _whole_year),
        (rf"{_WITHIN}(?<![-\d]){_YEAR}(?![-\d])\b", _whole_year),
    )
)  # fmt: skip
