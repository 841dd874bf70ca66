"""A conflict: two memories that say different values of one thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from graphmem.values import html
from graphmem.values.nodes import Node


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two memories that seem to contradict each other. Both stay until `resolve` is told."""

    kind: str  # version, preference or time
    slot: str  # of what there are two values: "residence", "version:node", "amount:money"
    values: tuple[str, ...]  # the older and the newer
    older: Node
    newer: Node
    proposal: int | None  # id of the node to keep; None: a person must say
    replaces: bool  # the newer names the value that it replaces: policy "auto" resolves it
    dates: tuple[datetime, ...] = ()  # since when each holds, in the zone of the clock

    @property
    def pair(self) -> tuple[int, int]:
        """The ids of the older and the newer memory."""
        return self.older.id, self.newer.id

    def __str__(self) -> str:
        told, said = (when.date().isoformat() for when in self.dates)
        keep = "ask" if self.proposal is None else f"keep {self.proposal}"
        what = f"{self.kind} ({self.slot})" if self.slot else self.kind
        return (
            f"{what}: {self.older.id} [{told}] {self.older} | "
            f"{self.newer.id} [{said}] {self.newer} -> {keep}"
        )

    _repr_html_ = html.of_fields


class Conflicts(list[Conflict]):
    """Conflicts, and what is to be said of them; made by `memory.review.conflicts`."""

    def __init__(self, found: Iterable[Conflict] = (), notes: Iterable[str] = ()) -> None:
        super().__init__(found)
        self.notes = tuple(notes)
        """That the time ran out before all memories were compared: a sentence."""


ConflictLike: TypeAlias = "Conflict | str | Sequence[int]"
"""A conflict, or the ids of its two memories: (12, 17) or "12,17"."""
