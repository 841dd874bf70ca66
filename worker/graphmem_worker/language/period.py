"""Periods: consecutive days of one year or of every year."""

from __future__ import annotations

from calendar import monthrange
from contextlib import suppress
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, timedelta
from functools import lru_cache
from typing import Final

DAY: Final = timedelta(days=1)
_ANY_YEAR: Final = 2000  # stands for every year: it has a 29 February
_FIRST_LEAP_YEAR: Final = 4
_LONGEST_LEAP: Final = 9  # years, within which there always is a 29 February
_WEEKDAY_MONTHS: Final = 20  # within which each number of a day falls on each weekday


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`, both inclusive. A `yearly` one recurs every year: it begins in
    2000 and may end in 2001.
    """

    first: date
    last: date
    yearly: bool = False

    def __contains__(self, day: date) -> bool:
        if not self.yearly:
            return self.first <= day <= self.last
        within = day.replace(year=_ANY_YEAR)
        if within < self.first:
            within = _in_year(within, _ANY_YEAR + 1)
        return within <= self.last

    @property
    def length(self) -> int:
        """How many days it has."""
        return (self.last - self.first).days + 1

    def days(self, today: date, most: int) -> list[date]:
        """Its days, of a yearly one the last that began before `today`; none if more than `most`.

        Days beyond the years 1 to 9999 are left out.
        """
        return self.newest(today, most) if self.length <= most else []

    def newest(self, today: date, most: int) -> list[date]:
        """The last `most` of its days up to `today`, ascending; of a yearly one those of the year
        in which it last began. A period that begins after `today` is taken from its beginning."""
        dated = self.dated(today)
        first, last = dated.first.toordinal(), dated.last.toordinal()
        if (now := today.toordinal()) < last and last - first >= most:
            last = now if first <= now else first + most - 1
        return [date.fromordinal(n) for n in range(max(1, first, last - most + 1), last + 1)]

    def latest(self, today: date) -> date:
        """The first day; of a yearly period, in the year in which it last began."""
        if not self.yearly:
            return self.first
        month, day = self.first.month, self.first.day
        year = max(MINYEAR, today.year - ((month, day) > (today.month, today.day)))
        while day > monthrange(year, month)[1]:  # 29 February: the last leap year
            year = year - 1 if year > MINYEAR else _FIRST_LEAP_YEAR
        return date(year, month, day)

    def dated(self, today: date) -> Period:
        """The same with a year: the last occurrence of a yearly one that has begun."""
        return self._begun(self.latest(today)) if self.yearly else self

    def _begun(self, first: date) -> Period:
        """The occurrence of a yearly one that begins on a day."""
        year = first.year + self.last.year - self.first.year
        return Period(first, _in_year(self.last, year) if year <= MAXYEAR else date.max)

    def coming(self, today: date) -> Period:
        """The same with a year: the present or next occurrence of a yearly one."""
        found = self.dated(today)
        if not self.yearly or found.last >= today:
            return found
        with suppress(ValueError, OverflowError):  # the years end with 9999
            for year in range(found.first.year + 1, found.first.year + _LONGEST_LEAP):
                if self.first.day <= monthrange(year, self.first.month)[1]:
                    return self._begun(self.first.replace(year=year))
        return found

    def nearest(self, today: date) -> Period:
        """The same with a year: of a yearly one the last or the next occurrence, whichever is
        nearer to `today`."""
        before, after = self.dated(today), self.coming(today)
        return after if after.first - today <= today - before.last else before


def single_day(day: date) -> Period:
    """The period of one day."""
    return Period(day, day)


@lru_cache(1 << 10)
def whole_months(year: int | None, month: int, count: int = 1) -> Period:
    """`count` months from the first day of `month` (1–12) on; of any year for None.

    Raises ValueError for a year or month that does not exist.
    """
    first = date(year or _ANY_YEAR, month, 1)
    ahead = first.year * 12 + month - 2 + count
    year_of_last, month_of_last = ahead // 12, ahead % 12 + 1
    days = monthrange(year_of_last, month_of_last)[1]
    return Period(first, date(year_of_last, month_of_last, days), year is None)


def on_weekday(day: Period, weekday: int, since: date | None = None) -> Period:
    """The last day up to `day` with the same number in its month that is that weekday, or with
    `since` the first one from there on; `day` if there is none."""
    month = day.first.year * 12 + day.first.month - 1
    for away in range(_WEEKDAY_MONTHS):
        year, place = divmod(month - away if since is None else month + away, 12)
        if day.first.day <= monthrange(year, place + 1)[1]:
            at = date(year, place + 1, day.first.day)
            if at.weekday() == weekday and (since is None or at >= since):
                return single_day(at)
    return day


def moved(days: Period, month: Period) -> Period:
    """The same days of another month; the month itself if it lacks one of them."""
    try:
        first = month.first.replace(day=days.first.day)
        last = month.first.replace(day=days.last.day)
    except ValueError:
        return month
    return Period(first, last, month.yearly) if first <= last else month


def spanned(first: Period, last: Period) -> Period | None:
    """From the first day of one to the last day of the other; None if that is earlier."""
    if first.yearly and last.yearly:
        end = last.last
        if end < first.first:
            end = _in_year(end, _ANY_YEAR + 1)
        return Period(first.first, end, True)
    if first.yearly:
        start = _in_year(first.first, last.first.year)
        if start > last.first:
            start = _in_year(first.first, last.first.year - 1)
        first = Period(start, start)
    if last.yearly:
        end = _in_year(last.last, first.first.year)
        if end < first.first:
            end = _in_year(last.last, first.first.year + 1)
        last = Period(end, end)
    return Period(first.first, last.last) if first.first <= last.last else None


def _in_year(day: date, year: int) -> date:
    """The same day of `year`; 29 February becomes the 28th in a year without it.

    A year outside 1 to 9999 counts as the nearest of them.
    """
    year = min(max(MINYEAR, year), MAXYEAR)
    return day.replace(year=year, day=min(day.day, monthrange(year, day.month)[1]))
