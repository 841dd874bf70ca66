"""What `remember` returns: the nodes of a text, and what there is to say about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from graphmem.values import html
from graphmem.values.conflicts import Conflict
from graphmem.values.nodes import Node


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret that was cut out before anything else saw it: kind and place, never its value."""

    kind: str  # password, code, token, key, card; iban, identity, passport, phone, mail …
    start: int  # characters of what was given
    end: int
    where: str = "text"  # text, speaker, keyword or metadata


@dataclass(frozen=True, slots=True)
class Replaceable:
    """An older memory whose place a new one may take; `replace(id, by=by)` says that it does."""

    id: int
    reason: str
    text: str
    by: int
    """The id of the new one."""
    rest: tuple[str, ...] = ()
    """Clauses of the older one that the new one does not speak of: `replace` would lose them."""


@dataclass(frozen=True, slots=True)
class Remembered(Sequence[Node]):
    """The nodes that were written, in the order of the text. It unpacks as they do:

    (node,) = memory.remember("Wen moved the release to May 10.")

    cut: the secrets that the guard cut out.
    conflicts: memories that it seems to contradict, as far as they were found in time.
    may_replace: up to three older memories whose place it may take, the likeliest first, as far as
        they were found in time. Both hold until `replace` is told.
    scope: the name of the scope that `route` chose; "" without `route`.
    notes: that there was not the time to compare it with all, if so.
    refused: True if nothing was written because the text is ephemeral and `ephemera` is "refuse".
    """

    nodes: tuple[Node, ...]
    cut: tuple[Secret, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    may_replace: tuple[Replaceable, ...] = ()
    scope: str = ""
    refused: bool = False
    notes: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Node, ...]: ...
    def __getitem__(self, index: int | slice) -> Node | tuple[Node, ...]:
        return self.nodes[index]

    def __len__(self) -> int:
        return len(self.nodes)

    _repr_html_ = html.of_fields
