"""Moments: aware datetimes and microseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Final

from graphmem.errors import CorruptError

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def moment(micros: int, offset: int = 0) -> datetime:
    """The aware datetime of microseconds since 1970 UTC, shown at `offset` minutes from UTC.

    Raises CorruptError for a date that cannot be.
    """
    try:
        when = _EPOCH + timedelta(0, 0, micros)
        return when.astimezone(zone_of(offset)) if offset else when
    except (OverflowError, ValueError):
        raise CorruptError(
            f"no date is {micros} µs from 1970 at {offset} minutes from UTC; run admin.check()"
        ) from None


@lru_cache(256)
def zone_of(offset: int) -> timezone:
    """The zone so many minutes from UTC."""
    return timezone(timedelta(minutes=offset))


def offset_of(when: datetime) -> int:
    """Whole minutes from UTC, east of it above 0; 0 for a naive datetime."""
    offset = when.utcoffset()
    return 0 if offset is None else int(offset.total_seconds() // 60)


def micros(when: datetime) -> int:
    """Microseconds since 1970 UTC of an aware datetime."""
    return (when - _EPOCH) // _MICROSECOND
