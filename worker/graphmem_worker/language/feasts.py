"""Meanings of the phrases for holidays and the Chinese calendar: see `meanings`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Final

from graphmem_worker.language import holidays
from graphmem_worker.language.found import Found, Slots, count_of, of_year
from graphmem_worker.language.period import DAY, Period, single_day, whole_months

_CYCLE: Final = 60  # years of the Chinese calendar, within which each leap month recurs
_LONGEST_YEAR: Final = 400  # days


def read_feast(slots: Slots, today: date) -> Found:
    """Slots feast (see `holidays.span`), count (of its days), day (the holiday itself instead of
    its days off): the last one that has begun."""
    when = str(slots["feast"])
    anchor, begins, *_ = [*when.split(), "0"]
    if (count := int(count_of(slots))) > 1:
        when = f"{anchor} {begins} {int(begins) + count - 1}"
    for year in range(today.year, today.year - _CYCLE, -1):
        with suppress(ValueError):  # a year without this leap month
            days = Period(*holidays.span(when, year))
            if days.first > today:
                continue
            if "day" in slots:
                return Found(single_day(days.first - int(begins) * DAY), feast=anchor, about=days)
            return Found(days, feast=when)
    raise ValueError(when)


def read_lunar(slots: Slots, today: date) -> Found | None:
    """Slots month, day, until (a later day), leap, and what `read_cycle` takes: a day or a month of
    the Chinese calendar."""
    when = f"moon{slots['month']:02}{'+' if 'leap' in slots else '-'}"
    if "day" in slots:
        when += f"{slots['day']:02} 0 {slots.get('until', slots['day']) - slots['day']}"
    found = read_feast({"feast": when}, today)
    if slots.keys().isdisjoint(("branch", "year")):
        return found
    return within(found, read_cycle(slots, today).period)


def read_cycle(slots: Slots, today: date) -> Found:
    """Slots stem (0–9), branch (0–11), year: the last year of the Chinese calendar with these that
    has begun."""
    for year in range(today.year, today.year - _CYCLE, -1):
        own = {"stem": year % 10, "branch": year % 12, "year": year}
        if all(slots.get(name, value) == value for name, value in own.items()):
            first, after = (holidays.span("moon01-01", y)[0] for y in (year, year + 1))
            if first <= today:
                return Found(Period(first, after - DAY))
    raise ValueError(slots)


def in_year(found: Found, year: int) -> Found | None:
    """A holiday, or a period of any year, in a year; None if it is unknown for that year."""
    if found.feast is not None:
        try:
            return replace(of_year(found, year), feast=None)
        except (ValueError, OverflowError):
            return None
    if not found.period.yearly:
        return None
    first, whole = found.period.first.replace(year=year), found.period
    last = first + (whole.length - 1) * DAY
    if whole.length > 27 and first.day == 1:  # whole months: February may have 29 days
        last = whole_months(year + whole.last.year - whole.first.year, whole.last.month).last
    return replace(found, period=Period(first, last))


def within(found: Found, whole: Period) -> Found | None:
    """A holiday within a month, or a year that is not a calendar year; None if it is not in it."""
    if found.feast is None or whole.yearly or not 1 < whole.length < _LONGEST_YEAR:
        return None
    named = (in_year(found, year) for year in (whole.first.year, whole.last.year))
    return next((one for one in named if one and one.period.first in whole), None)
