"""Which days a cue speaks of."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.recalling.period import Period, periods

TODAY = date(2026, 5, 13)  # a Wednesday


@pytest.mark.parametrize(
    ("cue", "first", "last"),
    [
        ("What did we decide on 7 May 2023?", "2023-05-07", "2023-05-07"),
        ("the 7th of May, 2023", "2023-05-07", "2023-05-07"),
        ("May 7th, 2023", "2023-05-07", "2023-05-07"),
        ("2023-05-07", "2023-05-07", "2023-05-07"),
        ("in June 2023", "2023-06-01", "2023-06-30"),
        ("at the end of November 2022", "2022-11-01", "2022-11-30"),
        ("last May", "2025-05-01", "2025-05-31"),
        ("last April", "2026-04-01", "2026-04-30"),
        ("this March", "2026-03-01", "2026-03-31"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("summer of 2021", "2021-06-01", "2021-08-31"),
        ("last summer", "2025-06-01", "2025-08-31"),
        ("winter 2023", "2023-12-01", "2024-02-29"),
        ("yesterday", "2026-05-12", "2026-05-12"),
        ("the day before yesterday", "2026-05-11", "2026-05-11"),
        ("last night", "2026-05-12", "2026-05-12"),
        ("three days ago", "2026-05-10", "2026-05-10"),
        ("a few days ago", "2026-05-08", "2026-05-12"),
        ("two weeks ago", "2026-04-26", "2026-05-02"),
        ("a couple of months ago", "2026-02-27", "2026-03-29"),
        ("last Tuesday", "2026-05-12", "2026-05-12"),
        ("last Wednesday", "2026-05-06", "2026-05-06"),
        ("this Friday", "2026-05-15", "2026-05-15"),
        ("last week", "2026-05-04", "2026-05-10"),
        ("last weekend", "2026-05-09", "2026-05-10"),
        ("last month", "2026-04-01", "2026-04-30"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("2023年5月7日说过什么", "2023-05-07", "2023-05-07"),
        ("二十天前", "2026-04-23", "2026-04-23"),
        ("去年五月", "2025-05-01", "2025-05-31"),
        ("去年夏天", "2025-06-01", "2025-08-31"),
        ("去年", "2025-01-01", "2025-12-31"),
        ("大前天", "2026-05-10", "2026-05-10"),
        ("前天", "2026-05-11", "2026-05-11"),
        ("上周三", "2026-05-06", "2026-05-06"),
        ("上上个星期天", "2026-05-03", "2026-05-03"),
        ("上周末", "2026-05-09", "2026-05-10"),
        ("本周", "2026-05-11", "2026-05-17"),
        ("上个月", "2026-04-01", "2026-04-30"),
        ("两周前", "2026-04-26", "2026-05-02"),
        ("3个月前", "2026-01-28", "2026-02-27"),
    ],
)
def test_a_cue_names_days(cue: str, first: str, last: str) -> None:
    """A date read wrongly prefers the wrong memories."""
    assert periods(cue, TODAY) == [Period(date.fromisoformat(first), date.fromisoformat(last))]


@pytest.mark.parametrize(
    ("cue", "first", "last"),
    [
        ("on 7 May", "2000-05-07", "2000-05-07"),
        ("on May 4th, I", "2000-05-04", "2000-05-04"),
        ("in May", "2000-05-01", "2000-05-31"),
        ("29 February", "2000-02-29", "2000-02-29"),
        ("in the summer", "2000-06-01", "2000-08-31"),
        ("在5月6号这天", "2000-05-06", "2000-05-06"),
        ("十二月二十五日", "2000-12-25", "2000-12-25"),
        ("冬天", "2000-12-01", "2001-02-28"),
    ],
)
def test_without_a_year_it_is_any_year(cue: str, first: str, last: str) -> None:
    """Nobody says the year of what they remember."""
    assert periods(cue, TODAY) == [
        Period(date.fromisoformat(first), date.fromisoformat(last), yearly=True)
    ]


@pytest.mark.parametrize(
    "cue",
    [
        "", "When did Caroline paint?", "May I ask?", "march on", "fall down", "recently",
        "on Monday", "before June 2023", "since 2022", "5月3日之前", "三月前", "31 June",
        "9999 years ago", "call 555-2023", "version 2.0", "a second", "decided", "周围", "明年",
    ],
)  # fmt: skip
def test_what_is_no_period(cue: str) -> None:
    """A verb taken for a month prefers memories at random."""
    assert periods(cue, TODAY) == []


def test_two_periods_in_one_cue() -> None:
    """ "Both in May and in June" names both, and a year is not read twice."""
    found = periods("in May 2023, 5 June 2023 and yesterday; in May 2023", TODAY)
    assert len(found) == 3
    assert not any(
        period.last - period.first > date(2023, 6, 1) - date(2023, 5, 1) for period in found
    )


def test_which_days_lie_in_a_period() -> None:
    """A memory from the day after, or from another year, is not what was asked for."""
    may = Period(date(2023, 5, 1), date(2023, 5, 31))
    days = [date(2023, 4, 30), date(2023, 5, 1), date(2023, 5, 31), date(2023, 6, 1)]
    assert [day in may for day in days] == [False, True, True, False]
    assert date(2022, 5, 5) not in may
    (winter,) = periods("冬天", TODAY)
    assert all(day in winter for day in (date(2021, 12, 1), date(2022, 1, 5), date(2024, 2, 28)))
    assert date(2022, 3, 2) not in winter


@pytest.mark.parametrize(
    ("cue", "days"),
    [
        ("yesterday", ["2026-05-12"]),
        ("on 7 May", ["2026-05-07"]),
        ("on 14 May", ["2025-05-14"]),
        ("29 February", ["2024-02-29"]),
        ("last weekend", ["2026-05-09", "2026-05-10"]),
        ("last year", []),
    ],
)
def test_the_days_of_a_period(cue: str, days: list[str]) -> None:
    """They are looked up as words; a whole year of them would be slow."""
    (period,) = periods(cue, TODAY)
    assert [day.isoformat() for day in period.days(TODAY, 31)] == days


@given(st.text(alphabet="12 /-年月日前个上周三天lastmay,ofgoeksdr", max_size=60), st.dates())
def test_no_cue_breaks_it(cue: str, today: date) -> None:
    """A cue comes from a keyboard or a model; every period it names is one."""
    for period in periods(cue, today):
        assert period.first <= period.last
        assert period.first in period
        assert len(period.days(today, 31)) <= 31
