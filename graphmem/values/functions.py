"""Functions that a user hands over, checked before they are needed."""

from __future__ import annotations

from graphmem.errors import ArgumentTypeError


def check_function(name: str, given: object) -> None:
    """Raise ArgumentTypeError for what is neither None nor can be called."""
    if given is not None and not callable(given):
        raise ArgumentTypeError(f"{name} is a function or None, got {type(given).__name__}")
