"""Moments: aware datetimes and microseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final

from graphmem.errors import CorruptError

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


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


@lru_cache(256)
def zone_of(offset: int) -> timezone:
    """The zone `offset` minutes from UTC."""
    return timezone(timedelta(minutes=offset))


def offset_of(when: datetime) -> int:
    """Whole minutes from UTC, positive east of it; 0 for a naive datetime."""
    offset = when.utcoffset()
    return 0 if offset is None else int(offset.total_seconds() // 60)


def micros(when: datetime) -> int:
    """Microseconds since 1970 UTC of an aware datetime."""
    return (when - EPOCH) // _MICROSECOND


LATEST: Final = micros(datetime.max.replace(tzinfo=UTC))
"""The last possible moment: what would expire later expires then."""
