"""A context: what of a memory stands in a prompt, and in which tier everything is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One line of a context, which may have several rows."""

    kind: str  # block, pinned, recent, shared or recalled
    tier: str  # L1 to L4 of a node; "pool" of an entry
    source: str  # "node 12", of a parent "team/node 12", or "pool:name/key"
    node: int | None  # id of the node
    role: str  # of its message: system, or whose turn it is
    text: str  # its line
    content: str  # what its message says, without who says it if the role does
    tokens: int  # of its line
    scope: str = ""  # of a parent's memory: the parent's name


@dataclass(frozen=True, slots=True)
class Context:
    """What of a memory stands in a prompt; made by `memory.context`."""

    text: str
    tokens: int  # of `text`, as it was counted
    parts: tuple[Part, ...]  # in the order of `text`
    notes: tuple[str, ...] = ()  # what was left out of it, and why: a sentence each

    @property
    def messages(self) -> list[dict[str, str]]:
        """The context as chat models take it: one of the system, then the recent turns."""
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
class Tier:
    """A level of memory, as seen from one session."""

    name: str  # L1 to L4
    budget: int  # tokens
    tokens: int  # of all its nodes; of L3 and L4 it may be more than the budget
    nodes: tuple[int, ...]  # in the tier's order
    why: str
