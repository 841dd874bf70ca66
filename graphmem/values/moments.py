"""Moments: aware datetimes, zones and microseconds since 1970."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final

from graphmem.errors import CorruptError

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_DAY: Final = timedelta(days=1)


def moment(micros: int, offset: int = 0) -> datetime:
    """The aware datetime of microseconds since 1970 UTC, in the zone `offset` minutes from UTC.

    Raises CorruptError for an impossible date.
    """
    try:
        when = EPOCH + timedelta(0, 0, micros)
        return when.astimezone(zone_of(offset)) if offset else when
    except (OverflowError, ValueError):
        raise CorruptError(
            f"no date is {micros} µs from 1970 at {offset} minutes from UTC; run admin.check()"
        ) from None


def in_zone(when: datetime, zone: tzinfo | None) -> datetime:
    """A moment in a zone; unchanged if it would be outside the years 1 to 9999 there."""
    try:
        return when.astimezone(zone)
    except OverflowError:
        return when


def moment_in(zone: tzinfo | None, micros: int) -> datetime:
    """The aware datetime of microseconds since 1970 UTC, in the offset that a zone has then.

    Not in the zone itself: two datetimes of one zone are compared by their wall clocks, which show
    an hour twice. Raises CorruptError for an impossible date.
    """
    when = moment(micros)
    if zone is None or zone is UTC:
        return when
    if zone is MACHINE:
        return _by_machine(when)
    local = in_zone(when, zone)
    return local.replace(tzinfo=timezone(local.utcoffset() or timedelta()), fold=0)


@lru_cache(256)
def zone_of(offset: int) -> timezone:
    """The zone `offset` minutes from UTC."""
    return timezone(timedelta(minutes=offset))


def offset_of(when: datetime) -> int:
    """Whole minutes from UTC, positive east of it; 0 for a naive datetime. Rounded up, for a zone
    had seconds before it had standard time, and a midnight must not be of the day before."""
    offset = when.utcoffset()
    return 0 if offset is None else -int(-offset.total_seconds() // 60)


def micros(when: datetime) -> int:
    """Microseconds since 1970 UTC of an aware datetime."""
    return (when - EPOCH) // _MICROSECOND


class _Machine(tzinfo):
    """The machine's zone with the rules of every year. (`datetime.now().astimezone()` is in the
    offset of now, in which midnight of a day half a year away is an hour off.)"""

    def utcoffset(self, when: datetime | None) -> timedelta | None:
        return None if when is None else _by_machine(when).utcoffset()

    def dst(self, when: datetime | None) -> None:
        return None

    def tzname(self, when: datetime | None) -> str | None:
        return None if when is None else _by_machine(when).tzname()

    def fromutc(self, when: datetime) -> datetime:
        shown = _by_machine(when.replace(tzinfo=UTC))
        local = shown.replace(tzinfo=self)
        return local if local.utcoffset() == shown.utcoffset() else local.replace(fold=1)


def _by_machine(when: datetime) -> datetime:
    """A moment, or what the wall clock shows, in the offset that the machine has then."""
    local = when if when.tzinfo is UTC else when.replace(tzinfo=None)
    try:
        return local.astimezone()
    # On Windows before 1970; in the years 1 and 9999; where TZ is a day or more from UTC.
    except (OSError, OverflowError, ValueError):
        offset = timedelta(seconds=-time.timezone)
        standard = timezone(offset) if abs(offset) < _DAY else UTC
        return when.replace(tzinfo=standard) if local.tzinfo is None else in_zone(when, standard)


MACHINE: Final = _Machine()
"""The zone of the machine, or of the environment variable TZ; UTC if that is no zone."""
LATEST: Final = micros(datetime.max.replace(tzinfo=UTC))
"""The last possible moment: what would expire later expires then."""
