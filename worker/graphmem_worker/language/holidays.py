"""When a holiday is: by the month, Easter, the moon or the sun. Its names are in the tables."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache
from typing import Final

_WRITTEN: Final = re.compile(
    r"(?:\d\d-\d\d(?:/[1-7])?|\d\d/[1-7]/(?:[1-5]|last)|sun\d\d:\d+\.\d+|[a-z]+)"
    r"(?: (?P<first>-?\d+)(?: (?P<last>-?\d+))?)?"
)
_FIRST_YEAR: Final = 1990
_LAST_CENTURY: Final = 0.78  # days by which the sun was later than in this one
_TABLES: Final = {
    "spring": (
        "01270215020401230210013102190207012802160205012402120201012202090129021802070126"
        "02140203012302100131021902080128021602050125021202010122021001290217020601260213"
        "02030123021101310219020801280215020401240212020101220210013002170206012602140202"
        "0123"
    ),
    "dragon": (
        "05280616060506240613060206200609053006180606062506150604062206110531061906080528"
        "06160606062306120602062006090530061806070625061406030622061005310619060905280616"
        "06050624061206010620061005300618060705270614060306220611053106190608052906150604"
        "0623"
    ),
    "moon": (
        "10030922091109300920090909270916100509240912100109210911092809181006092509141003"
        "09220912093009190908092709151004092409131001092109100929091710060925091510030922"
        "09121001091909080927091610040924091310020920091009280917100509250915100409220911"
        "0930"
    ),
    "stars": (
        "08260816080508240813080208200809082808170806082508150804082208110731081908070826"
        "08160806082308130802082008090828081708070825081408040822081008290819080808260816"
        "08050824081208010820081008280817080708260814080308220811073108190808082708160805"
        "0823"
    ),
    "heights": (
        "10261016100410231013110110201010102810171006102510141004102210111030101910071026"
        "10161005102310131002102110091028101710071025101410041023101110291018100810261016"
        "10051024101210011020100910271017100710261014100310221011102910181008102710161005"
        "1024"
    ),
}
"""Month and day in each year from 1990 to 2050 of the Spring, Dragon Boat and Mid-Autumn festivals
and of those of the double seventh and ninth; they follow from moons, by no short rule."""


def span(when: str, year: int) -> tuple[date, date]:
    """The first and the last day of a holiday that begins in a year.

    when: "12-25" is a day of a month, "05/7/2" the second Sunday of May (Monday is 1; "last" for
    the last), "12-24/7" the last Sunday up to 24 December, "easter" Easter Sunday, "spring",
    "dragon", "moon", "stars" and "heights" a Chinese festival (1990 to 2050), "sun04:4.81" a term
    of the sun, in April, by its constant (1900 to 2099). Behind it may stand how many days from
    there the holiday is, or where it begins and ends: "easter -2", "12-25 -1 6".

    Raises ValueError for what is written otherwise, or a year of which it is not known.
    """
    parts = _WRITTEN.fullmatch(when)
    if parts is None:
        raise ValueError(when)
    anchor = _anchor(when.partition(" ")[0], year)
    first = int(parts["first"] or 0)
    last = int(parts["last"] or first)
    return anchor + timedelta(days=first), anchor + timedelta(days=last)


@cache
def _anchor(when: str, year: int) -> date:
    if when == "easter":
        return _easter(year)
    if when.startswith("sun"):
        since, of = year % 100, int(when[3:5])
        leaps = (since - (of < 3)) // 4
        shift = float(when[6:]) + (_LAST_CENTURY if year < 2000 else 0)
        return date(year, of, int(0.2422 * since + shift) - leaps)
    if when in _TABLES:
        return _by_moon(when, year)
    if "-" in when:
        day = date(year, int(when[:2]), int(when[3:5]))
        return day - timedelta(days=(day.isoweekday() - int(when[6:])) % 7) if when[5:] else day
    month, weekday, place = when.split("/")
    first = date(year, int(month), 1)
    day = first + timedelta(days=(int(weekday) - 1 - first.weekday()) % 7)
    weeks = 4 if place == "last" else int(place) - 1
    while (found := day + timedelta(weeks=weeks)).month != day.month:
        weeks -= 1
    return found


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
