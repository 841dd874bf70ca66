"""The dates of holidays, by the month, Easter, the moon or the sun. Names are in the tables."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from typing import Final

from graphmem_worker.language.period import DAY

_WRITTEN: Final = re.compile(
    r"(?:[a-z]*\d\d[-+]\d*(?:/\d)?|\d\d/[1-7]/(?:[1-5]|last)|sun\d\d:[\d./]+|[a-z]+)"
    r"(?: (-?\d+)(?: (-?\d+))?)?"
)
_STEMS: Final = 10  # that name the days in turn; dog days have the `_SEVENTH`
_SEVENTH: Final = 2
_LAST_CENTURY: Final = 0.78  # days by which the sun was later than in this one
_FIRST_MOON: Final = date(1989, 2, 6)  # the new year of the first year of `_MOONS`
_MOONS: Final = (
    "00957504af004970064b3074a00ea5806b5005ac00ab65096d0092e00c9640d9500d4a00da520755"
    "0056a70abb0025d0092d50cab00a9500b4a40baa00ad59055d004ba00a5b615170052b00a9340795"
    "006aa00ad5205b5004b660a6e00a4e00d2650ea600d53005aa3076a0096db04af004ad00a4d61d0b"
    "00d2500d5250dd400b5a0056d2055b0049b70a5700a4b00aa551b25006d200ada314b6"
)
"""Five hexadecimal figures for each year of the Chinese calendar from 1989 to 2050: the month
before its leap month (0 for none), 1 if that has 30 days, and a bit a month, 1 if it has 30 days.
They follow from astronomical new moons, not from a short rule."""


def span(when: str, year: int) -> tuple[date, date]:
    """The first and the last day of a holiday that begins in a year.

    when: "12-25" is a day of a month, "05/7/2" the second Sunday of May (Monday is 1; "last" for
    the last), "12-24/7" the last Sunday up to 24 December, "easter" Easter Sunday, "moon08-15" the
    15th day of the eighth month of the Chinese calendar (1990 to 2050; the twelfth month is the one
    that ends in the year), "moon08-" that month, "moon06+15" a day of the leap month after the
    sixth, "sun04:4.81" a solar term in April by its constant (1900 to 2099), "sun06:21.37/3" the
    third day with the seventh stem from there on. One or two numbers behind it are the offset of
    the holiday in days, or those of its first and last day: "easter -2", "12-25 -1 6".

    Raises ValueError for another format, or if the date is unknown for the year.
    """
    parts = _WRITTEN.fullmatch(when)
    if parts is None:
        raise ValueError(when)
    name = when.partition(" ")[0]
    anchor, days = _by_moon(name, year) if name.startswith("moon") else (_anchor(name, year), 1)
    first = int(parts[1] or 0)
    try:
        return anchor + first * DAY, anchor + int(parts[2] or first + days - 1) * DAY
    except OverflowError:  # its last day is after the year 9999
        raise ValueError(when) from None


@cache
def _anchor(when: str, year: int) -> date:
    if when == "easter":
        return _easter(year)
    if when.startswith("sun"):
        since, of = year % 100, int(when[3:5])
        leaps = (since - (of < 3)) // 4
        constant, _, place = when[6:].partition("/")
        shift = float(constant) + (_LAST_CENTURY if year < 2000 else 0)
        day = date(year, of, int(0.2422 * since + shift) - leaps)
        stem = (_SEVENTH - day.toordinal()) % _STEMS + _STEMS * (int(place or 1) - 1)
        return day + stem * DAY if place else day
    if "-" in when:
        day = date(year, int(when[:2]), int(when[3:5]))
        return day - (day.isoweekday() - int(when[6:])) % 7 * DAY if when[5:] else day
    month, weekday, place = when.split("/")
    first = date(year, int(month), 1)
    day = first + (int(weekday) - 1 - first.weekday()) % 7 * DAY
    weeks = 4 if place == "last" else int(place) - 1
    while (found := day + 7 * weeks * DAY).month != day.month:
        weeks -= 1
    return found


@cache
def _by_moon(when: str, year: int) -> tuple[date, int]:
    """The first day of a day or month of the Chinese calendar, and its number of days. The 30th of
    a month of 29 days is the 29th. Raises ValueError for a date that does not exist."""
    month, day = int(when[4:6]), int(when[7:] or 0)
    before = year - (month == 12) - _FIRST_MOON.year
    if not 0 <= before < len(_MOONS) // 5:
        raise ValueError(year)
    years = [_MOONS[at : at + 5] for at in range(0, 5 * before + 5, 5)]
    away = sum(_before(each, 13) for each in years[:-1]) + _before(years[-1], month)
    length = _length(years[-1], month)
    if "+" in when:
        away, length = away + length, 29 + int(years[-1][1])
    if day > 30 or ("+" in when and int(years[-1][0], 16) != month):
        raise ValueError(when)
    first = _FIRST_MOON + away * DAY
    return (first + (min(day, length) - 1) * DAY, 1) if day else (first, length)


def _length(year: str, month: int) -> int:
    return 29 + (int(year[2:], 16) >> (12 - month) & 1)


def _before(year: str, month: int) -> int:
    """The number of days before a month in a year of `_MOONS`; of the whole year for month 13."""
    leap = int(year[0], 16)
    own = 29 + int(year[1]) if 0 < leap < month else 0
    return own + sum(_length(year, each) for each in range(1, month))


def _easter(year: int) -> date:
    """Easter Sunday (the algorithm of Meeus, Jones and Butcher)."""
    century, rest = divmod(year, 100)
    moon = (
        19 * (year % 19) + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15
    ) % 30
    week = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    shift = (year % 19 + 11 * moon + 22 * week) // 451
    month, at = divmod(moon + week - 7 * shift + 114, 31)
    return date(year, month, at + 1)
