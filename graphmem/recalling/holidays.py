"""Holidays: the day of a named one in a year, by the Gregorian and the Chinese calendar."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

_FIXED: Final = {
    name: (month, day)
    for month, day, names in (
        (1, 1, "new year's day;new year day;元旦"),
        (2, 14, "valentine's day;valentine day;情人节"),
        (3, 8, "international women's day;妇女节;三八节"),
        (3, 17, "st patrick's day;saint patrick's day"),
        (4, 1, "april fools' day;april fool's day;愚人节"),
        (5, 1, "labour day;劳动节;五一"),
        (6, 1, "儿童节;六一"),
        (7, 4, "independence day"),
        (9, 10, "教师节"),
        (10, 1, "国庆"),
        (10, 31, "halloween;万圣节"),
        (11, 5, "bonfire night;guy fawkes night"),
        (11, 11, "remembrance day;双十一;双11"),
        (12, 24, "christmas eve;平安夜;圣诞夜"),
        (12, 25, "christmas day;圣诞"),
        (12, 26, "boxing day"),
        (12, 31, "new year's eve;跨年夜"),
    )
    for name in names.split(";")
}
_FROM_EASTER: Final = {
    "shrove tuesday": -47, "ash wednesday": -46, "palm sunday": -7, "maundy thursday": -3,
    "good friday": -2, "easter saturday": -1, "easter sunday": 0, "easter day": 0,
    "easter monday": 1,
}  # fmt: skip
_FROM_SPRING: Final = {
    **dict.fromkeys(("除夕", "大年三十", "年三十", "大年夜"), -1),
    **dict.fromkeys(("春节", "大年初一", "正月初一", "年初一"), 0),
    **{f"{of}初{n}": k for k, n in enumerate("二三四五六七八", 1) for of in ("大年", "正月", "年")},
    **dict.fromkeys(("元宵", "正月十五"), 14),
}
"""name → days after the first day of the Chinese year"""
_BY_WEEKDAY: Final = {
    "母亲节": (5, 6, 2), "father's day": (6, 6, 3), "父亲节": (6, 6, 3), "thanksgiving": (11, 3, 4),
    "thanksgiving day": (11, 3, 4), "感恩节": (11, 3, 4),
}  # fmt: skip
"""name → month, weekday (0 is Monday), and which one of them"""
_FIRST_YEAR: Final = 1990
_TABLES: Final = {
    "春节": (
        "01270215020401230210013102190207012802160205012402120201012202090129021802070126"
        "02140203012302100131021902080128021602050125021202010122021001290217020601260213"
        "02030123021101310219020801280215020401240212020101220210013002170206012602140202"
        "0123"
    ),
    "端午": (
        "05280616060506240613060206200609053006180606062506150604062206110531061906080528"
        "06160606062306120602062006090530061806070625061406030622061005310619060905280616"
        "06050624061206010620061005300618060705270614060306220611053106190608052906150604"
        "0623"
    ),
    "中秋": (
        "10030922091109300920090909270916100509240912100109210911092809181006092509141003"
        "09220912093009190908092709151004092409131001092109100929091710060925091510030922"
        "09121001091909080927091610040924091310020920091009280917100509250915100409220911"
        "0930"
    ),
}
"""Month and day in each year from 1990 to 2050; they follow from moons, by no short rule."""

NAMES: Final = (*_FIXED, *_FROM_EASTER, *_FROM_SPRING, *_BY_WEEKDAY, "端午", "中秋", "清明")
"""Every name that `day` knows, in lower case; Chinese ones without 节 where it may be missing."""


def day(name: str, year: int) -> date:
    """The day of a holiday in a year, for Chinese moons from 1990 to 2050.

    Raises ValueError for another year, KeyError for another name.
    """
    if name in _FIXED:
        return date(year, *_FIXED[name])
    if name in _FROM_EASTER:
        return _easter(year) + timedelta(days=_FROM_EASTER[name])
    if name in _BY_WEEKDAY:
        month, weekday, place = _BY_WEEKDAY[name]
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (place - 1))
    if name == "清明":  # when the sun stands at 15°; right from 1900 to 2099
        since = year % 100
        return date(year, 4, int(0.2422 * since + (4.81 if year > 1999 else 5.59)) - since // 4)
    return _by_moon("春节" if name in _FROM_SPRING else name, year) + timedelta(
        days=_FROM_SPRING.get(name, 0)
    )


def _by_moon(name: str, year: int) -> date:
    at = 4 * (year - _FIRST_YEAR)
    written = _TABLES[name][max(0, at) : at + 4] if at >= 0 else ""
    if not written:
        raise ValueError(year)
    return date(year, int(written[:2]), int(written[2:]))


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
