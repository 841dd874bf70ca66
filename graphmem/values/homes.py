"""The memories in a home, and which processes have them open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from graphmem.values.html import Shown


@dataclass(frozen=True, slots=True)
class Owner(Shown):
    """The process that has a memory open: host:pid, its address, the seconds left of its lease."""

    host: str
    address: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class HomeMemory(Shown):
    """A memory in a home.

    host: host:pid of the process that has it open, or had until it died; None: nobody has.
    alive: whether that process's lease is valid.
    bytes: its size in the home; batches: how many were ever written.
    """

    name: str
    host: str | None
    alive: bool
    bytes: int
    batches: int
    changed: datetime
