"""Ranges: numbers that a user hands over, checked."""

from __future__ import annotations

from sys import maxsize
from typing import Final

from graphmem.errors import ArgumentTypeError, InvalidArgumentError

_WRITTEN: Final = 1e80  # Python does not write an int of thousands of digits


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
        got = f"{value!r}" if abs(value) < _WRITTEN or value != value else "one far outside"
        raise InvalidArgumentError(f"{name} is between {low:,} and {high:,}, got {got}")
    return float(value)


def page(limit: object, offset: object) -> slice:
    """At most `limit` (None: all) behind `offset`. Raises InvalidArgumentError."""
    start = _whole("offset", offset)
    stop = maxsize if limit is None else start + _whole("limit", limit)
    return slice(min(start, maxsize), min(stop, maxsize))


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidArgumentError(f"{name} is a whole number from 0 on, got {value!r:.80}")
    return value
