"""What a home tells of its memories."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that has a memory open: host:pid, the address it gave, seconds of its lease."""

    host: str
    address: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class HomeMemory:
    """A memory in a home.

    host: who has it open, None if nobody has; of one that is dead, until another takes it.
    alive: whether that process's lease holds.
    bytes: what it takes in the home; batches: how many were written in its life.
    """

    name: str
    host: str | None
    alive: bool
    bytes: int
    batches: int
    changed: datetime
