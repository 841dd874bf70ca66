"""Public records of a node's links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from graphmem.values import html
from graphmem.values.html import Shown
from graphmem.values.nodes import Tombstone, once_knew


@dataclass(frozen=True, slots=True)
class Link(Shown):
    """A link as it was at the pass at which it was read.

    strength: 0.01–1; below 0.01 a link is broken.
    distance: the target's place in the focus when the link was made, 1 for the newest.
    dangling: True if the target has been forgotten.
    """

    source: int
    relation: str
    target: int
    strength: float
    distance: int
    dangling: bool


@dataclass(frozen=True, slots=True)
class Dangling(Shown):
    """A link whose target has been forgotten: "I once knew".

    known: what is left of the target; None once it was erased.
    """

    link: Link
    known: Tombstone | None

    def __str__(self) -> str:
        if self.known is None:
            return f"node {self.link.target}: erased"
        return once_knew(self.known.phrase, self.known.keywords)


@dataclass(frozen=True, slots=True)
class Membership(Shown):
    """A node's place in the hierarchy. Unlike a link it has no strength and does not fade."""

    relation: str  # "belongs_to" an episode, which "supports" it, "abstracted_by" a theme
    source: int | str  # the id of a node, or of an episode ("session#number")
    target: int | str  # the id of a node, of an episode, or of a theme


class Links(list[Link]):
    """The links of a node, strongest first."""

    def __init__(
        self,
        links: Iterable[Link],
        dangling: Iterable[Dangling],
        hierarchy: Callable[[], Sequence[Membership]] | None = None,
    ) -> None:
        super().__init__(links)
        self._find_hierarchy = hierarchy
        self.dangling = tuple(dangling)
        """The links whose target has been forgotten, with what is left of it."""

    @cached_property
    def hierarchy(self) -> tuple[Membership, ...]:
        """Its episode and its theme at the first access."""
        return () if self._find_hierarchy is None else tuple(self._find_hierarchy())

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copies: with the hierarchy, without the function that reads it."""
        return {**vars(self), "hierarchy": self.hierarchy, "_find_hierarchy": None}

    def _repr_html_(self) -> str:
        rows = ((link.relation, link.target, f"{link.strength:.2f}") for link in self)
        return html.table(
            rows, ("relation", "node", "strength"), "; ".join(map(str, self.dangling))
        )

    def __str__(self) -> str:
        lines = (f"{link.relation} {link.target} ({link.strength:.2f})" for link in self)
        return "\n".join((*lines, *map(str, self.dangling))) or "(no links)"
