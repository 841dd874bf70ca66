"""Metadata: the flat mapping that a caller gives a memory."""

from __future__ import annotations

from typing import Final, TypeAlias

Scalar: TypeAlias = str | int | float | bool | None
"""A value of metadata."""

Pairs: TypeAlias = tuple[tuple[str, Scalar], ...]
"""Metadata as a text record stores it, in the order given."""

MOST_KEYS: Final = 32
LONGEST_KEY: Final = 100  # characters
LONGEST_VALUE: Final = 1000  # characters of a str
