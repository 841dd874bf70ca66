"""What `remember` returns: the nodes of a text, cut secrets, conflicts and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from graphmem.values.conflicts import Conflict
from graphmem.values.html import Shown
from graphmem.values.nodes import Node


@dataclass(frozen=True, slots=True)
class Secret(Shown):
    """A secret that was cut out before processing: kind and place, never its value."""

    kind: str  # password, code, token, key, card; iban, identity, passport, phone, mail …
    start: int  # in characters of the given string
    end: int
    where: str = "text"  # text, speaker, keyword or metadata


@dataclass(frozen=True, slots=True)
class Replaceable(Shown):
    """An older memory that a new one may supersede; `replace(id, by=by)` makes it so."""

    id: int
    reason: str
    text: str
    by: int
    """The id of the new one."""
    rest: tuple[str, ...] = ()
    """Clauses of the older one on other things than the new one, which `replace` loses."""


@dataclass(frozen=True, slots=True)
class Remembered(Sequence[Node], Shown):
    """The nodes that were written, in the order of the text. It unpacks as they do:

    (node,) = memory.remember("Wen moved the release to May 10.")

    cut: the secrets that the guard cut out.
    conflicts: memories that it seems to contradict, as far as they were found in time.
    may_replace: up to three older memories that it may supersede, the likeliest first, as far as
        they were found in time. Both are valid until `replace` is called.
    scope: the name of the scope that `route` chose; "" without `route`.
    notes: a sentence if time ran out before it was compared with all memories.
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
