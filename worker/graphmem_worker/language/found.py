"""A period that a phrase names, with the properties that decide which year or week it is of."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from graphmem_worker.language import holidays
from graphmem_worker.language.period import DAY, Period, whole_months

FEW: Final = 3  # the number of "a few"
_JUST_BEEN: Final = 31  # days after a holiday in which nobody speaks of the next one
SOON: Final = 91  # days before a holiday in which nobody speaks of the last one

Slots = Mapping[str, Any]
"""Role → what its words mean: a number, the name of a meaning, or a `Found`."""


def count_of(slots: Slots, few: float = FEW) -> float:
    """Slots count (1 without it), more (a half)."""
    count: Any = slots.get("count", 1)
    return float(few if count == "few" else count) + (0.5 if "more" in slots else 0)


@dataclass(frozen=True, slots=True)
class Found:
    """A period that a phrase names."""

    period: Period
    weekday: int | None = None
    """0 (Monday) to 6, if only a weekday is named."""
    is_weekly: bool = False
    """Whether it recurs every week; `period` is the last one."""
    is_monthless: bool = False
    """Whether it is a day without its month."""
    is_vague: bool = False
    is_end: bool = False
    """Whether it is the end of a longer period: "before" it includes its last day."""
    feast: str | None = None
    """The date of its holiday (see `holidays.span`), if no year is named."""
    name: str | None = None
    """The name of the holiday in the text."""
    about: Period | None = None
    """See `calendar.Mention`; None for the period itself."""
    coming: Period | None = None
    """The period if the text speaks of the future."""
    past: Period | None = None
    """The period if the text did not speak of the future."""

    @property
    def depends_on_tense(self) -> bool:
        """Whether it is another period if the text speaks of the future."""
        return self.is_weekly or self.is_monthless or bool(self.feast or self.coming)

    @property
    def is_day(self) -> bool:
        """Whether it is a single day."""
        return self.period.first == self.period.last

    @property
    def is_year(self) -> bool:
        """Whether it is a calendar year."""
        return self._spans(12)

    @property
    def is_two_years(self) -> bool:
        """Whether it is two consecutive calendar years, such as those of a winter."""
        return self._spans(24)

    @property
    def is_month(self) -> bool:
        """Whether it is a month, of one year or of each."""
        return self._spans(1)

    @property
    def is_week(self) -> bool:
        """Whether it is seven days."""
        return not self.period.yearly and self.period.length == 7

    def _spans(self, months: int) -> bool:
        first = self.period.first
        year = None if self.period.yearly else first.year
        return self.period == whole_months(year, first.month, months)


def of_year(found: Found, year: int) -> Found:
    """A holiday in a year. Raises ValueError if its date in that year is unknown."""
    period = Period(*holidays.span(found.feast or "", year))
    away, about = period.first - found.period.first, found.about
    about = about and Period(about.first + away, about.last + away)
    return replace(found, period=period, about=about)


def as_future(found: Found, today: date) -> Found:
    """The period if its text speaks of the future: the next weekday, day of a month or holiday in
    place of the last."""
    period = found.period
    if found.coming is not None:
        period = found.coming
    elif found.feast is not None:
        if period.last < today:  # with its last day, for New Year may begin in the old one
            return replace(of_year(found, period.last.year + 1), past=period)
    elif found.is_weekly:
        if period.last < today and period.last <= date.max - 7 * DAY:  # no week follows the last
            period = Period(period.first + 7 * DAY, period.last + 7 * DAY)
    elif found.is_monthless:
        month = today.year * 12 + today.month - 1
        for place in range(month, month + 13):
            try:
                first, last = (
                    day.replace(year=place // 12, month=place % 12 + 1)
                    for day in (period.first, period.last)
                )
            except ValueError:
                continue
            if last >= today:
                period = Period(first, last)
                break
    return replace(found, period=period, past=found.period)


def next_of(found: Found, today: date) -> Found | None:
    """The next such period, if it is another one; None also where its date is unknown."""
    with suppress(ValueError, OverflowError):
        coming = as_future(found, today)
        return coming if coming.period != found.period else None
    return None


def by_tense(found: Found, today: date, is_future: bool | None) -> Found:
    """The period by the tense of its text. Of a holiday the next one counts in a text about
    the future unless the last one has just been, in a text without tense if it is soon."""
    coming = as_future(found, today)
    if found.feast is None:
        return coming if is_future else found
    if is_future is None:
        return coming if (coming.period.first - today).days <= SOON else found
    return coming if is_future and (today - found.period.last).days > _JUST_BEEN else found
