"""Checks of arguments from users. `name` is what the error message calls the argument."""

from __future__ import annotations

import os
import re
import stat
import sys
import unicodedata
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from sys import maxsize
from typing import Final

from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    InvalidTextError,
    MissingError,
    UnreadableFileError,
)
from graphmem.values.moments import LATEST, micros

_LARGEST_SHOWN: Final = 1e80  # Python refuses to convert an int of thousands of digits to str
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_LONGEST_TTL: Final = 36_525 * 86_400  # seconds
_UNSEEN: Final = frozenset(("Cc", "Cf", "Mn", "Me", "Zs", "Zl", "Zp"))  # categories of Unicode
_FILLERS: Final = "\u115f\u1160\u2800\u3164\uffa0"  # letters and a symbol, all empty
LONGEST_FIELD: Final = 1000  # characters of a speaker, session or keyword


def check_count(name: str, value: object, low: int, high: int) -> int:
    """A whole number in the range. Raises ArgumentTypeError, InvalidArgumentError."""
    if not isinstance(value, int):
        raise ArgumentTypeError(f"{name} is a whole number, got {type(value).__name__}")
    check_range(name, value, low, high)
    return value


def check_range(name: str, value: object, low: float, high: float) -> float:
    """A number in the range. Raises ArgumentTypeError, InvalidArgumentError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(f"{name} is a number, got {type(value).__name__}")
    if not low <= value <= high:
        got = f"{value!r}" if abs(value) < _LARGEST_SHOWN or value != value else "one far outside"
        raise InvalidArgumentError(f"{name} is between {low:,} and {high:,}, got {got}")
    return float(value)


def page(limit: object, offset: object) -> slice:
    """The slice of `limit` entries (None: all) from `offset` on. Raises InvalidArgumentError."""
    start = _whole("offset", offset)
    stop = maxsize if limit is None else start + _whole("limit", limit)
    return slice(min(start, maxsize), min(stop, maxsize))


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidArgumentError(f"{name} is a whole number from 0 on, got {value!r:.80}")
    return value


def check_switch(name: str, value: object) -> bool:
    """A bool. Raises ArgumentTypeError, also for "no", which is truthy."""
    if not isinstance(value, bool):
        raise ArgumentTypeError(f"{name} is True or False, got {type(value).__name__}")
    return value


def check_share(name: str, value: object) -> float | None:
    """A number between 0 and 1, or None. Raises ArgumentTypeError, InvalidArgumentError."""
    return None if value is None else check_range(name, value, 0, 1)


def check_function(name: str, given: object) -> None:
    """Raise ArgumentTypeError unless `given` is None or callable."""
    if given is not None and not callable(given):
        raise ArgumentTypeError(f"{name} is a function or None, got {type(given).__name__}")


def check_str(name: str, value: object) -> str:
    """A str. Raises ArgumentTypeError."""
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name} is a str, got {type(value).__name__}")
    return value


def check_encodable(name: str, text: str) -> None:
    """Raise InvalidTextError for a text with a lone surrogate, such as `os.fsdecode` makes."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        read = sys.getfilesystemencoding()  # of arguments of a command
        locale = "" if read == "utf-8" else f", or use a UTF-8 locale instead of {read}"
        raise InvalidTextError(
            f"{name} has a lone surrogate at character {error.start}; "
            f"clean it with text.encode('utf-8', 'replace').decode(){locale}"
        ) from None


def check_characters(name: str, text: str) -> None:
    """Raise InvalidTextError for a text with a NUL or a lone surrogate."""
    if (at := text.find("\x00")) >= 0:
        raise InvalidTextError(f"{name} has a NUL at character {at}; is it a binary file?")
    check_encodable(name, text)


def check_file(given: str | Path) -> os.stat_result:
    """The status of a readable regular file. Raises MissingError, UnreadableFileError."""
    path = Path(given)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFileError(f"{path} is no file to load, but a folder, pipe or device")
        with path.open("rb"):  # so that a load does not fail half-way
            return status
    except FileNotFoundError as error:
        raise MissingError(error.errno, "there is no such file", str(path)) from None
    except PermissionError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror}") from None


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen: marks that are written on a letter do not count, and
    a NUL is refused as such."""
    return "\0" not in text and all(
        unicodedata.category(each) in _UNSEEN or each in _FILLERS for each in text
    )


def check_field(name: str, value: object) -> str | None:
    """A speaker, session or keyword, stripped; None if it is None or blank. Raises
    ArgumentTypeError, InvalidTextError."""
    if value is None:
        return None
    text = check_str(name, value)
    if len(text) > LONGEST_FIELD:
        raise InvalidTextError(
            f"{name} has {len(text):,} characters, at most {LONGEST_FIELD:,} are kept; shorten it"
        )
    check_characters(name, text)
    return None if is_blank(text) else text.strip()


def checked_clock(clock: object) -> Callable[[], datetime]:
    """A clock that checks each time of the given one, beginning now, for an aware datetime from
    1970 on. Raises InvalidArgumentError, ArgumentTypeError, as the returned clock does."""
    if not callable(clock):
        raise ArgumentTypeError(f"clock is a function, got {type(clock).__name__}")

    def present() -> datetime:
        now = clock()
        if not isinstance(now, datetime):
            raise ArgumentTypeError(f"clock() gives a datetime, got {type(now).__name__}")
        try:  # at once: each comparison asks the zone anew
            if 0 <= micros(now) <= LATEST:
                return now
        except TypeError:  # no zone
            pass
        check_moment("clock()", now)
        raise InvalidArgumentError(
            f"clock() gives {now.isoformat()}, which is before 1970; set the clock"
        )

    present()
    return present


def check_moment(name: str, value: object, zone: tzinfo | None = None) -> datetime | None:
    """An aware datetime, from one or from an ISO string; a plain date is the first moment of the
    day in `zone`, in the offset that it has then.

    Raises InvalidArgumentError for a naive or impossible date, ArgumentTypeError for another type.
    """
    if value is None:
        return None
    if isinstance(value, str):
        try:
            is_day = zone is not None and _DATE.fullmatch(value)
            value = (date if is_day else datetime).fromisoformat(value)
        except ValueError as error:
            raise InvalidArgumentError(
                f"{name}={value!r:.80} is no ISO date-time ({error!s:.80}); "
                "write it like 2026-05-03T09:30:00+02:00"
            ) from None
    if zone is not None and isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=zone)
    if not isinstance(value, datetime):
        raise ArgumentTypeError(
            f"{name} is a datetime or an ISO string, got {type(value).__name__}"
        )
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidArgumentError(
            f"{name}={value.isoformat()} has no time zone; write {value.isoformat()}+00:00, or "
            "use datetime(…, tzinfo=UTC)"
        )
    try:
        value.astimezone(UTC)
    except OverflowError:
        raise InvalidArgumentError(
            f"{name}={value.isoformat()} is outside the years 1 to 9999 in UTC; give a later or "
            "an earlier one"
        ) from None
    return value


def check_expiry(expires: object, now: datetime) -> int | None:
    """The time at which a text expires, in microseconds since 1970; None: never.

    expires: a moment later than `now`; or seconds, or a timedelta, above 0 and at most 100 years.
    Raises InvalidArgumentError, ArgumentTypeError.
    """
    seconds = expires.total_seconds() if isinstance(expires, timedelta) else expires
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        when = check_moment("expires", expires, now.tzinfo)
        if when is not None and when <= now:
            raise InvalidArgumentError(
                f"expires={when.isoformat()} is over already; it is {now.isoformat()}"
            )
        return None if when is None else micros(when)
    if not 0 < seconds <= _LONGEST_TTL:
        raise InvalidArgumentError(
            f"expires in more than 0 and at most {_LONGEST_TTL:,} seconds (100 years), not in "
            f"{seconds!r:.80}"
        )
    return min(LATEST, micros(now) + int(seconds * 1_000_000))
