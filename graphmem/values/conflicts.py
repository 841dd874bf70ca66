"""A conflict: two memories that give different values of one attribute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from graphmem.values.html import Shown
from graphmem.values.nodes import Node


@dataclass(frozen=True, slots=True)
class Conflict(Shown):
    """Two memories that seem to contradict each other. Both stay until `resolve`."""

    kind: str  # version, preference or time
    slot: str  # the attribute with two values: "residence", "version:node", "amount:money"
    values: tuple[str, ...]  # the older and the newer
    older: Node
    newer: Node
    proposal: int | None  # id of the node to keep; None: a person must decide
    replaces: bool  # the newer names the value that it replaces; policy "auto" resolves it
    dates: tuple[datetime, ...] = ()  # since when each is valid, in the clock's zone

    @property
    def pair(self) -> tuple[int, int]:
        """The ids of the older and the newer memory."""
        return self.older.id, self.newer.id

    def __str__(self) -> str:
        since, newer_since = (when.date().isoformat() for when in self.dates)
        keep = "ask" if self.proposal is None else f"keep {self.proposal}"
        what = f"{self.kind} ({self.slot})" if self.slot else self.kind
        return (
            f"{what}: {self.older.id} [{since}] {self.older} | "
            f"{self.newer.id} [{newer_since}] {self.newer} -> {keep}"
        )


class Conflicts(list[Conflict]):
    """Conflicts with notes on the search; made by `memory.review.conflicts`."""

    def __init__(self, found: Iterable[Conflict] = (), notes: Iterable[str] = ()) -> None:
        super().__init__(found)
        self.notes = tuple(notes)
        """A sentence if the time ran out before all memories were compared."""


ConflictLike: TypeAlias = "Conflict | str | Sequence[int]"
"""A conflict, or the ids of its two memories: (12, 17) or "12,17"."""
