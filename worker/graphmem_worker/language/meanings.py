"""The meanings of phrases: functions that make a period of the slots of a phrase and of today.

A rule of a table names its meaning with `means`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import MINYEAR, date
from enum import IntEnum
from typing import Final

from graphmem_worker.language import holidays
from graphmem_worker.language.feasts import in_year, read_cycle, read_feast, read_lunar, within
from graphmem_worker.language.found import FEW, SOON, Found, Slots, as_future, count_of, next_of
from graphmem_worker.language.period import (
    DAY,
    Period,
    moved,
    on_weekday,
    single_day,
    spanned,
    whole_months,
)

UNIT_DAYS: Final = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 91, "half": 182,
                    "year": 365, "decade": 3652, "century": 36524}  # fmt: skip
_MONTHS: Final = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
_SHORTEST_MONTH: Final = 28
_LONGEST_MONTH: Final = 31
_FEW_DAYS: Final = 7  # of "the last few days"
_NEAR_YEARS: Final = 3  # within which a weekday decides the year of a day
_AROUND: Final = 3  # days on either side of a period
_LONGEST_FEAST: Final = 10  # days of a period for which "the Monday after" is plain
_YEARS: Final = 5 * 365  # days above which a period is divided into whole years
_FARTHEST: Final = 20  # years ahead that bare figures may name
_LONGEST_SHORT: Final = 20  # years of "1998-99"
_FIRST_SHORT: Final = 60  # two figures from here on are a year of the last century

Meaning = Callable[[Slots, date], Found | None]
"""Takes the slots and the present; None if they name no period. Raises ValueError or OverflowError
for a day that does not exist, KeyError for a unit that it knows nothing of."""


class Tier(IntEnum):
    """The order in which phrases are searched for. Those of the first have no slot <period>."""

    PLAIN = 0
    WITHIN = 1
    PART = 2
    RANGE = 3
    BOUND = 4


def _year(slots: Slots) -> int | None:
    year = slots.get("year")
    if (short := slots.get("short")) is not None:
        year = (2000 if short < _FIRST_SHORT else 1900) + short
    if "era" in slots:  # the year before the first of the reign
        year = slots["era"] + int(slots.get("reign", 1))
    if year is None:
        return None
    if not 1900 <= year <= 2099:
        raise ValueError(year)
    return int(year)


def read_date(slots: Slots, today: date) -> Found | None:
    """Slots month, day, until (a later day, of until_month if it is given), year; without year the
    day or month of any year."""
    whole = whole_months(_year(slots), slots["month"])
    if "until_month" in slots:
        first = whole.first.replace(day=slots["day"])
        last = whole_months(None, slots["until_month"]).first.replace(day=slots["until"])
        both = spanned(Period(first, first, whole.yearly), Period(last, last, yearly=True))
        return Found(both) if both else None
    if "day" not in slots:
        return Found(whole)
    first = whole.first.replace(day=slots["day"])
    last = whole.first.replace(day=slots.get("until", slots["day"]))
    return Found(Period(first, last, whole.yearly)) if first <= last else None


def read_month_range(slots: Slots, today: date) -> Found | None:
    """Slots month, until (a later month)."""
    first, last = whole_months(None, slots["month"]), whole_months(None, slots["until"])
    whole = spanned(first, last)
    return Found(whole) if whole else None


def read_figures(slots: Slots, today: date) -> Found | None:
    """Slots one, two, year, order ("dm" or "md"), fits (a weekday). If both figures may be the
    month, the weekday decides, else the order; None without an order."""
    first, second = slots["one"], slots["two"]
    if "order" not in slots and (first > 12) == (second > 12):
        return None
    is_day_first = slots.get("order") == "dm"
    if first > 12 or second > 12:
        is_day_first = first > 12
    month, day = (second, first) if is_day_first else (first, second)
    year = _year(slots)
    whole = whole_months(year, month)
    at = whole.first.replace(day=day)
    weekday = slots.get("fits")
    if weekday is not None and year is not None and first <= 12 and second <= 12:
        other = date(year, day, month)
        if at.weekday() != weekday - 1 == other.weekday():
            at = other
    return Found(Period(at, at, whole.yearly))


def read_week_number(slots: Slots, today: date) -> Found:
    """Slots week (1–53), year."""
    monday = date.fromisocalendar(_year(slots) or today.year, slots["week"], 1)
    return Found(Period(monday, monday + 6 * DAY))


def read_month_day(slots: Slots, today: date) -> Found | None:
    """Slots day, until, fits (a weekday): of this month, or of the last one in which the day is not
    after today; with a weekday of the last month, or else the next, in which it falls on it."""
    day, until = slots["day"], slots.get("until", slots["day"])
    if not 1 <= day <= until <= 31:
        return None
    month = today.year * 12 + today.month - 1
    while True:
        whole = whole_months(month // 12, month % 12 + 1)
        if until <= whole.last.day and (first := whole.first.replace(day=day)) <= today:
            found = Found(Period(first, whole.first.replace(day=until)), is_monthless=True)
            if "fits" not in slots:
                return found
            last = _on_weekday(found, slots["fits"] - 1, today)
            return replace(last, coming=on_weekday(found.period, slots["fits"] - 1, today))
        month -= 1


def read_unit(slots: Slots, today: date) -> Found | None:
    """Slots unit, which (-1 the last, 0 this, 1 the next, "coming"): a calendar week, month …"""
    unit, which = slots["unit"], slots["which"]
    which = 1 if which == "coming" else which
    if unit in _MONTHS:
        size = _MONTHS[unit]
        place = (today.year * 12 + today.month - 1) // size + which
        return Found(whole_months(place * size // 12, place * size % 12 + 1, size))
    monday = today + (7 * which - today.weekday()) * DAY
    if unit == "week":
        return Found(Period(monday, monday + 6 * DAY))
    if unit == "weekend":
        if slots["which"] == "coming":
            monday = today - today.weekday() * DAY
        return Found(Period(monday + 5 * DAY, monday + 6 * DAY))
    if unit == "workweek":
        return Found(Period(monday, monday + 4 * DAY))
    return None


def read_rest(slots: Slots, today: date) -> Found | None:
    """Slot unit: from tomorrow to the end of this week, month, quarter or year."""
    whole = read_unit({"unit": slots["unit"], "which": 0}, today)
    if whole is None or whole.period.last <= today:
        return None
    return Found(Period(today + DAY, whole.period.last))


def read_weekday(slots: Slots, today: date) -> Found:
    """Slots weekday (1–7), which, count (weeks further away) or place (1 is the nearest): with -1
    the last one before today, with "coming" the first one after today, with 0 and 1 that of this or
    the next week. Without `which` the last one before today."""
    wanted, which = slots["weekday"] - 1, slots.get("which")
    if "place" in slots:
        slots = {**slots, "count": int(slots["place"]) - 1}
    back = (today.weekday() - wanted - 1) % 7 + 1
    if which is None:
        return Found(single_day(today - back * DAY), weekday=wanted, is_weekly=True)
    if which == "coming":
        coming = (wanted - today.weekday() - 1) % 7 + 1 + 7 * int(slots.get("count", 0))
        return Found(single_day(today + coming * DAY))
    if which == -1:
        return Found(single_day(today - (back + 7 * int(slots.get("count", 0))) * DAY))
    return read_week_day(slots, today)


def read_week_day(slots: Slots, today: date) -> Found:
    """Slots weekday (1–7), which: that of the last (-1), this (0) or the next (1) week."""
    monday = today + (7 * slots["which"] - today.weekday()) * DAY
    return Found(single_day(monday + (slots["weekday"] - 1) * DAY))


def read_week_days(slots: Slots, today: date) -> Found | None:
    """Slots weekday, until (1–7), which: days of the last, this or the next week."""
    monday = today + (7 * slots["which"] - today.weekday()) * DAY
    first, last = slots["weekday"] - 1, slots["until"] - 1
    return Found(Period(monday + first * DAY, monday + last * DAY)) if first < last else None


def read_weekend(slots: Slots, today: date) -> Found:
    """The last weekend that has begun."""
    saturday = today - ((today.weekday() - 5) % 7) * DAY
    return Found(Period(saturday, saturday + DAY), is_weekly=True)


def read_day(slots: Slots, today: date) -> Found:
    """Slots days, until: how many days from today."""
    first, last = slots["days"], slots.get("until", slots["days"])
    return Found(Period(today + first * DAY, today + last * DAY))


def read_spell(slots: Slots, today: date) -> Found:
    """Slot spell: "14 0", how many days ago it begins and ends."""
    first, last = map(int, slots["spell"].split())
    return Found(Period(today - first * DAY, today - last * DAY), is_vague=True)


def read_away(slots: Slots, today: date) -> Found:
    """Slots count, unit, way (-1 ago, 1 ahead), fits (a weekday), exact, days: a day so far from
    today, with `exact` from `days` after today. Without `exact`, weeks, months and years are
    imprecise, so that `about` is longer; of "a few" `about` is the period itself."""
    unit = UNIT_DAYS[slots["unit"]]
    days = int(count_of(slots) * unit)
    at = today + slots["way"] * days * DAY
    if "fits" in slots and unit == 7:
        return Found(single_day(at + (slots["fits"] - 1 - at.weekday()) * DAY))
    vague = min(unit, days) // 2
    if "exact" in slots:
        today += slots.get("days", 0) * DAY
        return Found(_shifted(today, slots["unit"], slots["way"] * count_of(slots)))
    if unit == 1:
        vague = 2 if slots.get("count") == "few" else 0
        if days > 1 and count_of(slots) % 1:  # two or three
            near, far = slots["way"] * days, slots["way"] * (days + 1)
            return read_day({"days": min(near, far), "until": max(near, far)}, today)
    elif (count := count_of(slots)) > 1 and count % 1:
        vague = unit // 4
    about = Period(at - vague * DAY, at + vague * DAY)
    if not vague or slots.get("count") == "few":
        return Found(about)
    return Found(_shifted(today, slots["unit"], slots["way"] * count_of(slots)), about=about)


def read_rolling(slots: Slots, today: date) -> Found:
    """Slots count, unit, way (-1 up to today, 1 from today on)."""
    unit = UNIT_DAYS[slots["unit"]]
    days = max(
        1, int(count_of(slots, _FEW_DAYS if unit == 1 else FEW) * unit)
    )  # half a day counts as one
    if slots["way"] > 0:
        period = Period(today + DAY, today + days * DAY)
        return Found(period, about=Period(today, today + days * DAY))
    period = Period(today - (days - 1) * DAY, today)
    return Found(period, about=Period(today - days * DAY, today))


def read_same_day(slots: Slots, today: date) -> Found:
    """Slots unit and which (-1 the last, 1 the next), or years: today's day of another year, month
    or week."""
    if "years" in slots:
        return Found(_shifted(today, "year", slots["years"]))
    return Found(_shifted(today, slots["unit"], slots["which"]))


def read_year(slots: Slots, today: date) -> Found | None:
    """Slots year or short (two figures), until (a later year) or until_short, years (an offset from
    this one), bare (figures without another word)."""
    if "years" in slots:
        first = today.year + slots["years"]
    elif "bare" in slots and slots["year"] > today.year + _FARTHEST:
        return None  # "Cyberpunk 2077"
    elif "short" in slots:
        first = today.year // 100 * 100 + slots["short"]
        first -= 100 if first > today.year + 1 else 0
    else:
        year = _year(slots)
        if year is None:
            return None
        first = year
    last = slots.get("until", first)
    if "until_short" in slots:
        last = first // 100 * 100 + slots["until_short"]
        if not first < last <= first + _LONGEST_SHORT:
            return None
    return Found(Period(date(first, 1, 1), date(last, 12, 31))) if first <= last else None


def read_decade(slots: Slots, today: date) -> Found:
    """Slot decade: 1990, 90 or 9."""
    tens = slots["decade"]
    if tens < 10:
        tens *= 10
    first = tens if tens > 99 else tens + (1900 if tens > 20 else 2000)
    return Found(Period(date(first, 1, 1), date(first + 9, 12, 31)))


def read_century(slots: Slots, today: date) -> Found:
    """Slot ordinal."""
    first = (slots["ordinal"] - 1) * 100
    return Found(Period(date(max(first, MINYEAR), 1, 1), date(first + 99, 12, 31)))


def read_season(slots: Slots, today: date) -> Found:
    """Slots season (the month that it begins in), year."""
    return Found(whole_months(_year(slots), slots["season"], 3))


def read_quarter(slots: Slots, today: date) -> Found:
    """Slots quarter (1–4) or half (1–2), year."""
    size = 3 if "quarter" in slots else 6
    place = slots.get("quarter") or slots["half"]
    if not 1 <= place <= 12 // size:
        raise ValueError(place)
    return Found(whole_months(_year(slots), size * (place - 1) + 1, size))


def read_nothing(slots: Slots, today: date) -> None:
    """None, for phrases that look like a period."""


# -- meanings with the slot <period> ---------------------------------------------------------------


def read_pair(slots: Slots, today: date) -> Found | None:
    """Slots one, two: adjacent periods of which one is within the other, such as a weekday of a
    date or week, a day of a month, a day or month of a year; the inner one."""
    one, two = slots["one"], slots["two"]
    return _within(one, two, today) or _within(two, one, today)


def _within(inner: Found, outer: Found, today: date) -> Found | None:
    whole = outer.period
    if inner.weekday is not None:
        if outer.about is not None and outer.about.length == UNIT_DAYS["week"]:
            outer = read_unit({"unit": "week", "which": 0}, whole.first) or outer
            whole = outer.period
        elif outer.weekday is None and outer.is_day and outer.feast is None:
            return _on_weekday(outer, inner.weekday, today)
        if outer.is_week:
            away = (inner.weekday - whole.first.weekday()) % 7
            return Found(single_day(whole.first + away * DAY))
        return None
    if inner.feast is not None and inner.is_day and outer.is_day:
        named = in_year(inner, (inner.period if whole.yearly else whole).first.year)
        is_same = named is not None and _monthday(named) == _monthday(outer)
        return replace(outer, feast=None) if is_same else None
    if inner.feast is not None or inner.period.yearly:
        year = _year_within(inner, outer, today)
        if year is not None:
            return in_year(inner, year)
    if (feast := within(inner, whole)) is not None:
        return feast
    if inner.is_monthless and outer.is_month:
        return replace(inner, period=moved(inner.period, whole), is_monthless=False)
    if inner.is_day and outer.is_day and inner is not outer:
        is_same = whole.yearly and _monthday(inner) == _monthday(outer)
        return inner if is_same or inner.period == whole else None
    return None


def _monthday(found: Found) -> tuple[int, int]:
    return found.period.first.month, found.period.first.day


def _year_within(inner: Found, outer: Found, today: date) -> int | None:
    """The year of `outer` that a season or holiday is in, None if that is not plain. Of two years
    ("winter 2018/19") a winter begins in the first, and a holiday is near the turn of the year."""
    first = outer.period.first.year
    if outer.is_year:
        return first
    if outer.is_two_years and inner.feast is not None:
        return first + (inner.period.last.month <= 6)
    if outer.is_two_years and inner.period.last.year > inner.period.first.year:
        return first
    return _years_away(outer, today)


def _years_away(found: Found, today: date) -> int | None:
    """The year of a period that is named by an offset in years ("two years ago"), else None."""
    if found.about is None or not found.is_day or found.about.length < UNIT_DAYS["half"]:
        return None
    year = found.period.first.year
    return year if found.period == _shifted(today, "year", year - today.year) else None


def _on_weekday(found: Found, weekday: int, today: date) -> Found:
    """A day in the nearest month or year in which it is that weekday; one with a year as it is."""
    day = found.period
    if found.is_monthless:
        return replace(found, period=on_weekday(day, weekday), is_monthless=False)
    if day.yearly:
        near = []
        for year in range(today.year - _NEAR_YEARS, today.year + _NEAR_YEARS + 1):
            with_year = in_year(found, year) if day.first.day < 29 else None
            if with_year is not None and with_year.period.first.weekday() == weekday:
                near.append(with_year)
        nearest = min(near, key=lambda f: abs(f.period.first - today), default=found)
        return replace(nearest, feast=f"{day.first:%m-%d}")
    return found


def read_which(slots: Slots, today: date) -> Found | None:
    """Slots which, period (of any year, or a holiday): the last one that has ended (-1), that of
    this year (0), the next one that begins (1), or the one before (-2) or after (2) these."""
    found, which = slots["period"], slots["which"]
    if not isinstance(found, Found) or not (found.period.yearly or found.feast):
        return None
    if which == 0:
        return in_year(found, today.year)
    near = [f for year in range(today.year - 4, today.year + 5) if (f := in_year(found, year))]
    which = 1 if which == "coming" else which
    if which > 0:
        some = [f for f in near if f.period.first > today][which - 1 :]
    else:
        some = [f for f in near if f.period.last < today][which:]
    return some[0] if some else None  # the calendar has a first and a last year


def read_same(slots: Slots, today: date) -> Found | None:
    """Slot period: words that do not change a day, such as its evening. With `any`, any period."""
    found = slots["period"]
    return found if found.is_day or "any" in slots else None


def read_part(slots: Slots, today: date) -> Found | None:
    """Slots part (days of a month, "1-10", or "21-end" for its end), period: the corresponding part
    of a longer period, some days of a week, whole years of decades and centuries. With month, as
    for "the end of the year", the period is that month and `about` the part. With unit and which
    instead of period, the part of a month is the last one that has begun."""
    if "period" not in slots:
        slots = {**slots, "period": read_unit(slots, today)}
        part = read_part(slots, today)
        if part is None or part.period.first <= today or slots["unit"] != "month":
            return part
        past = read_part({**slots, "period": read_unit({**slots, "which": -1}, today)}, today)
        return None if past is None else replace(past, coming=part.period)
    found = _part(slots, slots["part"].replace("end", str(_LONGEST_MONTH)))
    return found and replace(found, is_end=slots["part"].endswith("end"))


def _part(slots: Slots, part: str) -> Found | None:
    found: Found | None = slots["period"]
    if found is None or found.period.length < 5:
        return None
    low, high = map(int, part.split("-"))
    whole = found.period
    if _SHORTEST_MONTH <= whole.length <= _LONGEST_MONTH:
        last = min(whole.first + (high - 1) * DAY, whole.last)
        return Found(replace(whole, first=whole.first + (low - 1) * DAY, last=last))
    days, place = whole.length, low // 10  # 0 the beginning, 1 the middle, 2 the end
    if days > _YEARS:
        years = whole.last.year - whole.first.year + 1
        low, high = (years * tenths // 10 for tenths in ((0, 4), (4, 7), (7, 10))[place])
        year = whole.first.year
        return Found(Period(date(year + low, 1, 1), date(year + high - 1, 12, 31)))
    if days > UNIT_DAYS["year"] + 1:
        return None  # a season of sports does not end with its second year
    if found.is_week:
        ends = ((0, 1), (1, 3), (3, 6))[place]
    else:
        sixth = days // 6
        ends = ((0, sixth), (days // 3, 2 * days // 3), (days - sixth, days - 1))[place]
    part_days = replace(whole, first=whole.first + ends[0] * DAY, last=whole.first + ends[1] * DAY)
    if "month" not in slots:
        return Found(part_days)
    month = whole_months(whole.first.year, slots["month"])
    return Found(month, about=part_days) if found.is_year else None


def read_half_of(slots: Slots, today: date) -> Found | None:
    """Slots half (1–2), period."""
    whole = slots["period"].period
    if slots["period"].is_year:
        return Found(whole_months(whole.first.year, 6 * slots["half"] - 5, 6))
    if whole.length < 5:
        return None
    middle = whole.first + (15 if slots["period"].is_month else whole.length // 2) * DAY
    first, last = (whole.first, middle - DAY) if slots["half"] == 1 else (middle, whole.last)
    return Found(Period(first, last, whole.yearly))


def read_nth(slots: Slots, today: date) -> Found | None:
    """Slots ordinal (-1 the last), count, unit or weekday (or inner, a weekday that was read),
    period, is_future (None if unknown): "the last three days of". Of a period of any year, weekdays
    and the end of February are those of the last one, or of the next one if `is_future`, or if that
    is unknown and it begins soon."""
    found: Found = slots["period"]
    whole, place = found.period, slots.get("ordinal", 1)
    if 0 < count_of(slots) < 1:
        return read_half_of({"period": found, "half": 1 if place > 0 else 2}, today)
    count = int(count_of(slots))
    weekday, unit = slots.get("weekday"), slots.get("unit", "day")
    if "inner" in slots:
        if slots["inner"].weekday is None:
            return None
        weekday = slots["inner"].weekday + 1
    if found.is_day or whole.length > 400 or place == 0:
        return None
    is_odd = weekday is not None or unit == "weekend" or (place < 0 and whole.first.month == 2)
    if whole.yearly and is_odd:
        at, is_future = whole.coming(today), slots.get("is_future")
        if not is_future and (is_future is False or (at.first - today).days > SOON):
            at = whole.dated(today)
        with_year = in_year(found, at.first.year)
        whole = with_year.period if with_year else whole
    if weekday is not None or unit == "weekend":
        wanted = 5 if weekday is None else weekday - 1
        first = whole.first + (wanted - whole.first.weekday()) % 7 * DAY
        last = whole.last - (whole.last.weekday() - wanted) % 7 * DAY
        day = first + 7 * (place - 1) * DAY if place > 0 else last + 7 * (place + 1) * DAY
        if day not in whole:
            return None
        return Found(Period(day, day + DAY) if weekday is None else single_day(day))
    if unit in _MONTHS:
        months = _MONTHS[unit] * count
        if not found.is_year or months > 12:
            return None
        month = (place - 1) * _MONTHS[unit] + 1 if place > 0 else 13 + place * months
        return Found(whole_months(None if whole.yearly else whole.first.year, month, months))
    size = UNIT_DAYS[unit]
    start = whole.length + place * size * count if place < 0 else size * (place - 1)
    first = whole.first + start * DAY
    last = first + (size * count - 1) * DAY
    if start < 0 or last > whole.last:
        return None
    return Found(replace(whole, first=first, last=last))


def read_of_month(slots: Slots, today: date) -> Found | None:
    """Slots month, half or those of `read_nth`: a half, week or weekend of a month in one word."""
    slots = {**slots, "period": Found(whole_months(None, slots["month"]))}
    return read_half_of(slots, today) if "half" in slots else read_nth(slots, today)


def read_day_of(slots: Slots, today: date) -> Found | None:
    """Slots day, until, period (a month): "the 5th of last month"."""
    found = slots["period"]
    if not found.is_month:
        return None
    whole = found.period
    first = whole.first.replace(day=slots["day"])
    last = whole.first.replace(day=slots.get("until", slots["day"]))
    return Found(replace(whole, first=first, last=last)) if first <= last else None


def read_around(slots: Slots, today: date) -> Found | None:
    """Slots unit, period (a day), begins, is_future: the week, weekend or month of a day, with
    `begins` the week that begins with it. A day of any year is the next one if `is_future`, else
    the last."""
    found = slots["period"]
    if not found.is_day:
        return None
    day = found.period.latest(today)
    if found.period.yearly and slots["is_future"] and day < today:
        day = day.replace(year=day.year + 1)
    if "begins" in slots:
        return Found(Period(day, day + 6 * DAY))
    return read_unit({"unit": slots["unit"], "which": 0}, day)


def read_beside(slots: Slots, today: date) -> Found | None:
    """Slots count, unit, way (-1 before, 1 after), period: "two days after Christmas"; for a period
    of the same unit the adjacent one, "the week before last week". With weekday (or inner, a
    weekday that was read) the closest such day. Beside a holiday also that of the next one."""
    found = _beside(slots, today)
    coming = next_of(slots["period"], today) if slots["period"].feast is not None else None
    if found is not None and coming is not None:
        later = _beside({**slots, "period": coming}, today)
        found = replace(found, coming=later.period if later else None)
    return found


def _beside(slots: Slots, today: date) -> Found | None:
    found, way, unit = slots["period"], slots["way"], slots.get("unit", "day")
    whole = found.period.dated(today)
    edge, named = whole.first if way < 0 else whole.last, _eponym(found, whole)
    if "weekday" in slots or "inner" in slots:
        weekday = slots["weekday"] - 1 if "weekday" in slots else slots["inner"].weekday
        if weekday is None or found.weekday is not None or whole.length > _LONGEST_FEAST:
            return None
        edge = named if way < 0 else edge  # Good Friday is before Easter
        return Found(
            single_day(edge + way * ((way * (weekday - edge.weekday()) - 1) % 7 + 1) * DAY)
        )
    if unit == "week" and found.feast is not None and "count" not in slots:
        near, far = named + way * DAY, named + 7 * way * DAY
        loosely = far - far.weekday() * DAY if way < 0 else far + (6 - far.weekday()) * DAY
        return Found(Period(*sorted((near, far))), about=Period(*sorted((near, loosely))))
    if unit == "week" and found.feast is not None:
        edge = named
    elif unit != "day" and not found.is_day:
        return read_unit({"unit": unit, "which": way}, whole.first)
    if whole.length > 31:
        return None
    if unit in ("week", "weekend") and "count" not in slots:
        return read_unit({"unit": unit, "which": way}, edge)
    period = _shifted(edge, unit, way * count_of(slots))
    if not found.period.yearly:
        return Found(period)
    any_year = period.first.replace(year=2000)
    return Found(Period(any_year, any_year, yearly=True))


def _eponym(found: Found, whole: Period) -> date:
    """Of the days of a holiday the one that it is named after, else the first."""
    day = whole.first
    if found.feast is not None:
        day, _ = holidays.span(found.feast.partition(" ")[0], whole.last.year)
    return day if whole.first <= day <= whole.last else whole.first


def _shifted(day: date, unit: str, by: float) -> Period:
    """A day some units away; of months and years the day with the same number, or the last."""
    months = by * _MONTHS.get(unit, 0)
    if months == int(months) != 0:
        place = day.year * 12 + day.month - 1 + int(months)
        whole = whole_months(place // 12, place % 12 + 1)
        return single_day(whole.first.replace(day=min(day.day, whole.last.day)))
    return single_day(day + int(UNIT_DAYS[unit] * by) * DAY)


def read_lasting(slots: Slots, today: date) -> Found | None:
    """Slots count, unit, period (a day): so many days, weeks or months from that day on."""
    day = slots["period"].period
    if not slots["period"].is_day or day.yearly:
        return None
    end = _shifted(day.first, slots["unit"], count_of(slots))
    return Found(Period(day.first, end.last - DAY)) if end.last > day.first else None


def read_range(slots: Slots, today: date) -> Found | None:
    """Slots one, two: from the first day of one to the last of the other."""
    one, two = slots["one"], slots["two"]
    whole = spanned(one.period, two.period)
    if whole is None and two.depends_on_tense:
        whole = spanned(one.period, as_future(two, one.period.first).period)
    return Found(whole) if whole else None


def read_bound(slots: Slots, today: date) -> Found | None:
    """Slots bound (before, until, by, since, from, begun, after, around), period, ahead, is_future:
    a period that is open at one end. With `ahead` the bound is the next such period, and included.
    "since" takes a period that has begun. "before" or "by" the end of a month includes its last
    day. Otherwise a period without month or year is the next or the nearest one, or the last one if
    `is_future` is False."""
    bound, found = slots["bound"], slots["period"]
    if bound in ("before", "by"):
        if bound == "by" and not found.is_end:
            return None
        bound = "until" if found.is_end else bound
    if slots["ahead"] and found.period.coming(today).last >= today:
        period = found.period.coming(today)
        if bound in ("before", "until"):
            return Found(Period(min(today, period.first), period.last))
        is_open = bound in ("since", "from", "after")
        return Found(replace(period, last=date.max)) if is_open else None
    period = found.period.dated(today)
    if bound not in ("since", "around") and slots["is_future"] is not False:
        if found.feast is None and bound in ("before", "until"):
            found = as_future(found, today)
        period = found.period.nearest(today)
    if bound == "since" and period.first > today and found.past is not None:
        period = found.past
    if bound == "before":
        last = period.first - DAY if period.first > date.min else period.first
        return Found(Period(date.min, last))
    if bound == "until":
        return Found(Period(date.min, period.last))
    if bound == "from" and period.first > today:
        return Found(replace(period, last=date.max))
    if bound in ("since", "from", "begun") and period.first <= today:
        return Found(Period(period.first, today))
    if bound == "after":
        return Found(Period(period.last + DAY, today if period.last < today else date.max))
    if bound == "around" and period.length <= _LONGEST_MONTH:
        return Found(Period(period.first - _AROUND * DAY, period.last + _AROUND * DAY))
    return None


MEANINGS: Final[Mapping[str, tuple[Tier, Meaning]]] = {
    "date": (Tier.PLAIN, read_date),
    "month-range": (Tier.PLAIN, read_month_range),
    "figures": (Tier.PLAIN, read_figures),
    "week-number": (Tier.PLAIN, read_week_number),
    "month-day": (Tier.PLAIN, read_month_day),
    "unit": (Tier.PLAIN, read_unit),
    "rest": (Tier.PLAIN, read_rest),
    "weekday": (Tier.PLAIN, read_weekday),
    "week-day": (Tier.PLAIN, read_week_day),
    "week-days": (Tier.PLAIN, read_week_days),
    "weekend": (Tier.PLAIN, read_weekend),
    "day": (Tier.PLAIN, read_day),
    "spell": (Tier.PLAIN, read_spell),
    "away": (Tier.PLAIN, read_away),
    "rolling": (Tier.PLAIN, read_rolling),
    "same-day": (Tier.PLAIN, read_same_day),
    "year": (Tier.PLAIN, read_year),
    "decade": (Tier.PLAIN, read_decade),
    "century": (Tier.PLAIN, read_century),
    "season": (Tier.PLAIN, read_season),
    "quarter": (Tier.PLAIN, read_quarter),
    "feast": (Tier.PLAIN, read_feast),
    "lunar": (Tier.PLAIN, read_lunar),
    "cycle": (Tier.PLAIN, read_cycle),
    "part-of-unit": (Tier.PLAIN, read_part),
    "of-month": (Tier.PLAIN, read_of_month),
    "nothing": (Tier.PLAIN, read_nothing),
    "pair": (Tier.WITHIN, read_pair),
    "which": (Tier.WITHIN, read_which),
    "same": (Tier.WITHIN, read_same),
    "part": (Tier.PART, read_part),
    "half-of": (Tier.PART, read_half_of),
    "nth": (Tier.PART, read_nth),
    "day-of": (Tier.PART, read_day_of),
    "around": (Tier.PART, read_around),
    "beside": (Tier.PART, read_beside),
    "lasting": (Tier.PART, read_lasting),
    "range": (Tier.RANGE, read_range),
    "bound": (Tier.BOUND, read_bound),
}
"""The meanings that a rule may name."""
