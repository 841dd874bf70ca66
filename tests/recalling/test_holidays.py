"""The day of a holiday."""

from datetime import date

import pytest

from graphmem.recalling import holidays


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("thanksgiving", "2026-11-26"),
        ("母亲节", "2026-05-10"),
        ("father's day", "2026-06-21"),
        ("春节", "1990-01-27"),
        ("春节", "2024-02-10"),
        ("除夕", "2025-01-28"),
        ("正月初三", "2026-02-19"),
        ("元宵", "2023-02-05"),
        ("端午", "2023-06-22"),
        ("中秋", "2020-10-01"),
        ("中秋", "2050-09-30"),
        ("清明", "2024-04-04"),
        ("清明", "2027-04-05"),
        ("easter sunday", "2024-03-31"),
        ("easter monday", "2038-04-26"),
        ("good friday", "2025-04-18"),
        ("boxing day", "2025-12-26"),
    ],
)
def test_a_holiday_has_its_day(name: str, day: str) -> None:
    """A moon that is a day off brings back the wrong evening."""
    assert holidays.day(name, int(day[:4])) == date.fromisoformat(day)


def test_every_name_has_a_day() -> None:
    """A name of the grammar without a day would be a date that is never found."""
    for name in holidays.NAMES:
        assert holidays.day(name, 2026).year == 2026, name


@pytest.mark.parametrize("year", [1989, 2051])
def test_beyond_the_tables_no_day_is_guessed(year: int) -> None:
    """A wrong day is worse than none."""
    with pytest.raises(ValueError, match=str(year)):
        holidays.day("中秋", year)
