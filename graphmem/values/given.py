"""Records of arguments that a user may pass to several calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any


class Given:
    """A frozen dataclass of arguments; an iterator among them is kept as a tuple."""

    __slots__ = ()

    @classmethod
    def moved(cls, argument: str) -> dict[str, str]:
        """For each field, how to pass it instead of as an argument: "where=Where(since=…)"."""
        kind: Any = cls
        return {f.name: f"{argument}={cls.__name__}({f.name}=…)" for f in fields(kind)}

    def __post_init__(self) -> None:
        record: Any = self
        for field in fields(record):
            value = getattr(self, field.name)
            if isinstance(value, Iterator):
                object.__setattr__(self, field.name, tuple(value))
