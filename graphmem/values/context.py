"""A context: the part of a memory that goes into a prompt; the tiers of a memory."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.values.html import Shown


@dataclass(frozen=True, slots=True)
class Part(Shown):
    """One entry of a context; its text may have several rows.

    kind: block, pinned, recent, shared or recalled.
    tier: L1 to L4 of a node; "pool" of an entry.
    source: "node 12", of a parent "team/node 12", or "pool:name/key".
    node: id of the node; None for an entry.
    role: the role of its message: system, or that of the turn's speaker.
    text: its line in `Context.text`.
    content: the content of its message, without the speaker if the role identifies it.
    tokens: the length of `text`.
    scope: the name of the parent scope that it is from, if any.
    """

    kind: str
    tier: str
    source: str
    node: int | None
    role: str
    text: str
    content: str
    tokens: int
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Context(Shown):
    """The part of a memory that goes into a prompt; made by `memory.context`.

    tokens: the length of `text`, by the counter that was given.
    parts: its lines, in the order of `text`.
    notes: what was left out and why, a sentence each.
    """

    text: str
    tokens: int
    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()

    @property
    def messages(self) -> list[dict[str, str]]:
        """The context as chat messages: one with role system, then the recent turns."""
        system = [part.text for part in self.parts if part.kind != "recent"]
        turns = [
            {"role": part.role, "content": part.content}
            for part in self.parts
            if part.kind == "recent"
        ]
        return ([{"role": "system", "content": "\n".join(system)}] if system else []) + turns

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Tier(Shown):
    """A level of memory, as seen from one session.

    name: L1 to L4.
    budget: its maximum of tokens, by the settings.
    tokens: the length of all its nodes; in L3 and L4 it may exceed the budget.
    nodes: ids of its nodes, in the tier's order.
    why: what the tier contains, in words.
    """

    name: str
    budget: int
    tokens: int
    nodes: tuple[int, ...]
    why: str
