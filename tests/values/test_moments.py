"""Zones: the machine's has the rules of every year, and a moment is shown in the offset of then."""

import time
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from graphmem.values.checks import check_moment
from graphmem.values.moments import LATEST, MACHINE, micros, moment, moment_in, offset_of

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be set")
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu")


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest) -> Iterator[ZoneInfo]:
    """The zone in which the machine is for the time of a test."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TZ", request.param)
        time.tzset()
        yield ZoneInfo(request.param)
    time.tzset()


def test_the_machine_has_the_rules_of_every_half_hour_of_a_year(zone: ZoneInfo) -> None:
    """It had the offset of today for all the year."""
    first = datetime(2026, 1, 1, tzinfo=UTC)
    for half in range(2 * 24 * 365):
        when = first + half * timedelta(minutes=30)
        ours, theirs = when.astimezone(MACHINE), when.astimezone(zone)
        assert (ours.replace(tzinfo=None), ours.fold) == (theirs.replace(tzinfo=None), theirs.fold)
        assert (ours.utcoffset(), ours.tzname()) == (theirs.utcoffset(), theirs.tzname())
        assert micros(ours) == micros(when)


def test_any_date_has_an_offset(zone: ZoneInfo) -> None:
    for year in (1, 1850, 9999):
        assert datetime(year, 6, 1, tzinfo=MACHINE).utcoffset() is not None
    for last in (LATEST, micros(datetime.min.replace(tzinfo=UTC))):
        assert micros(moment_in(MACHINE, last)) == micros(moment_in(zone, last)) == last
    assert deepcopy(datetime.now(MACHINE)).utcoffset() is not None


@pytest.mark.parametrize("day", [date(2026, 7, 1), date(2026, 12, 24), date(1850, 1, 1)])
def test_a_day_begins_in_the_offset_of_then(zone: ZoneInfo, day: date) -> None:
    """Before standard time zones had seconds, which are not stored: the midnight of 1 January 1850
    was read again on the day before."""
    begun = check_moment("day", day, MACHINE)
    assert begun == datetime(day.year, day.month, day.day, tzinfo=zone)
    assert moment(micros(begun), offset_of(begun)).date() == day


def test_of_two_moments_in_the_hour_that_comes_twice_the_later_is_later() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    first = micros(datetime(2026, 10, 25, 0, 40, tzinfo=UTC))
    before, after = moment_in(berlin, first), moment_in(berlin, first + 3_000_000_000)
    assert (before.hour, before.minute, after.hour, after.minute) == (2, 40, 2, 30)
    assert before < after


@pytest.mark.parametrize("name", ["UTC+24", "UTC-24", "XXX+99", "ABC-167:59:59", "CET-25CEST"])
def test_a_zone_a_day_from_utc_is_utc(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Python has no such offset: every command ended in a traceback."""
    monkeypatch.setenv("TZ", name)
    time.tzset()
    try:
        for when in (datetime.now(MACHINE), datetime(2026, 6, 1, tzinfo=MACHINE)):
            assert when.utcoffset() == timedelta()
        assert moment_in(MACHINE, 0) == moment(0)
    finally:
        monkeypatch.undo()
        time.tzset()
