"""Ranges: numbers that a user hands over, checked."""

from __future__ import annotations

from graphmem.errors import ArgumentTypeError, InvalidArgumentError


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
        raise InvalidArgumentError(f"{name} is between {low:,} and {high:,}, got {value!r}")
    return float(value)
