"""The day of a holiday."""

from datetime import date

import pytest

from graphmem_worker.language import holidays
from graphmem_worker.language.calendar import names


def day(name: str, year: int) -> date:
    """The first day of a holiday by its name in the tables."""
    when = (names("feast") | names("fest"))[name]
    return holidays.span(str(when), year)[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("thanksgiving", "2026-11-26"),
        ("母亲节", "2026-05-10"),
        ("father's day", "2026-06-21"),
        ("春节", "1990-01-27"),
        ("春节", "2024-02-10"),
        ("除夕", "2025-01-28"),
        ("腊八", "2025-01-07"),
        ("腊八", "2026-01-26"),
        ("中元节", "2023-08-30"),
        ("小年夜", "2024-02-08"),
        ("浴佛节", "2024-05-15"),
        ("入伏", "2022-07-16"),
        ("末伏", "2025-08-09"),
        ("元宵", "2023-02-05"),
        ("端午", "2023-06-22"),
        ("中秋", "2020-10-01"),
        ("中秋", "2050-09-30"),
        ("清明", "1999-04-05"),
        ("清明", "2000-04-04"),
        ("清明", "2024-04-04"),
        ("清明", "2027-04-05"),
        ("冬至", "2026-12-22"),
        ("立春", "2027-02-04"),
        ("pfingstmontag", "2026-05-25"),
        ("easter sunday", "2024-03-31"),
        ("easter monday", "2038-04-26"),
        ("good friday", "2025-04-18"),
        ("boxing day", "2025-12-26"),
        ("七夕", "2025-08-29"),
        ("七夕", "2020-08-25"),
        ("重阳", "2023-10-23"),
        ("重阳节", "2024-10-11"),
        ("1. advent", "2023-12-03"),
        ("4. advent", "2023-12-24"),
        ("buß- und bettag", "2023-11-22"),
        ("totensonntag", "2025-11-23"),
        ("victoria day", "2026-05-18"),
    ],
)
def test_a_holiday_has_its_day(name: str, expected: str) -> None:
    """A moon that is a day off brings back the wrong evening."""
    assert day(name, int(expected[:4])) == date.fromisoformat(expected)


@pytest.mark.parametrize(
    ("when", "first", "last"),
    [
        ("moon01-", "2025-01-29", "2025-02-27"),
        ("moon06+", "2025-07-25", "2025-08-22"),
        ("moon06+06", "2025-07-30", "2025-07-30"),
        ("moon12-30", "2025-01-28", "2025-01-28"),
        ("moon01-01 -1 6", "2025-01-28", "2025-02-04"),
    ],
)
def test_months_and_leap_months_of_the_moon(when: str, first: str, last: str) -> None:
    """A birthday in a leap month was a month too early."""
    days = date.fromisoformat(first), date.fromisoformat(last)
    assert holidays.span(when, 2025) == days


@pytest.mark.parametrize("when", ["moon05+06", "moon01-31", "moon13"])
def test_a_day_that_the_moon_has_not_is_refused(when: str) -> None:
    """A wrong day is worse than none."""
    with pytest.raises(ValueError, match=r"moon|5"):
        holidays.span(when, 2025)


def test_every_name_has_a_day() -> None:
    """A name of the tables without a day would be a date that is never found."""
    every = names("feast") | names("fest") | names("off") | names("eve")
    for name, when in every.items():
        assert holidays.span(str(when), 2026)[0].year in (2025, 2026), name


@pytest.mark.parametrize("year", [1988, 2051])
def test_beyond_the_tables_no_day_is_guessed(year: int) -> None:
    """A wrong day is worse than none."""
    with pytest.raises(ValueError, match=str(year)):
        holidays.span("moon08-15", year)
