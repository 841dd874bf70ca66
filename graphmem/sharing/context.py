"""The context of a prompt: blocks, pins, recent turns, shared entries and what a cue brings back,
within a number of tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.sharing import tiers
from graphmem.values.context import Context, Part
from graphmem.values.items import Item
from graphmem.values.nodes import Node
from graphmem.values.rendering import (
    Telling,
    TokenCounter,
    counted,
    identity,
    line,
    needed,
    told,
    too_small,
)

Recalled: TypeAlias = Callable[[int], tuple[Sequence[Node], Telling, tuple[str, ...]]]

BLOCK: Final = "block:"
"""What the key of a pool's entry begins with that always stands in the context."""

SHARES: Final[Mapping[str, float]] = {"blocks": 0.2, "pinned": 0.15, "shared": 0.15}
"""Of all tokens, how many each kind may take; what they leave is for what is recalled."""

_BLOCK_TOKENS: Final = 500  # of a block that says no limit
_ROLES: Final = frozenset(("system", "user", "assistant", "tool"))
_MORE: Final = " …"


@dataclass(frozen=True, slots=True)
class Request:
    """What a context is made for, checked."""

    tokens: int
    recent: float
    shares: Mapping[str, float]
    roles: Mapping[str, str]
    count: TokenCounter


def request(
    tokens: int, recent: object, budgets: object, roles: object, count: TokenCounter
) -> Request:
    """Raises ArgumentTypeError, InvalidArgumentError."""
    shares = {**SHARES, "recent": recent}
    for name, given in (("budgets", budgets), ("roles", roles)):
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentTypeError(f"{name} is a map, got {type(given).__name__}")
    if isinstance(budgets, Mapping):
        if unknown := sorted(map(str, set(budgets) - set(SHARES))):
            raise InvalidArgumentError(
                f"budgets has an unknown {unknown[0]!r:.80}; there are {', '.join(SHARES)}"
            )
        shares.update(budgets)
    for name, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float):
            raise ArgumentTypeError(f"{name} is a share of the tokens, got {type(share).__name__}")
        if not 0 <= share <= 1:
            raise InvalidArgumentError(f"{name} is a share between 0 and 1, got {share!r:.80}")
    named = dict(roles) if isinstance(roles, Mapping) else {}
    if wrong := [role for role in named.values() if not (isinstance(role, str) and role in _ROLES)]:
        raise InvalidArgumentError(
            f"a role is one of {', '.join(sorted(_ROLES))}, got {wrong[0]!r:.80}"
        )
    return Request(tokens, float(shares.pop("recent")), shares, named, count)  # type: ignore[arg-type]  # checked


class _Room:
    """The parts that are taken, and the tokens that are left."""

    def __init__(self, asked: Request) -> None:
        self.asked = asked
        self.left = asked.tokens
        self.parts: list[Part] = []
        self.nodes: set[tuple[str, int]] = set()  # (scope, id)
        self.notes: tuple[str, ...] = ()

    def take(self, part: Part, most: int) -> int:
        """Take a part if it fits into `most` tokens; returns how many of them are left, or -1."""
        cost = counted(self.asked.count, [part.text], ended=True)
        if cost > min(most, self.left):
            return -1
        self.parts.append(
            Part(
                part.kind, part.tier, part.source, part.node, part.role, part.text, part.content,
                cost, part.scope,
            )
        )  # fmt: skip
        self.left -= cost
        if part.node is not None:
            self.nodes.add((part.scope, part.node))
        return most - cost


def assemble(
    asked: Request,
    *,
    pool: str,
    entries: Sequence[Item],
    pinned: Sequence[Node],
    turns: Sequence[Node],
    tier: Callable[[Node], str],
    recall: Recalled,
) -> Context:
    """The context of what is given.

    pool: the namespace of `entries`, which come newest first. turns: of the session, newest first.
    tier: that of any node. recall: the nodes that a number of tokens brings back, best first,
    how they are written, and what was left out.
    """
    room = _Room(asked)
    _take_blocks(room, pool, [entry for entry in entries if entry.key.startswith(BLOCK)])
    most = int(asked.tokens * asked.shares["pinned"])
    for node in pinned:
        if most < 0:
            break
        text = f"[PINNED] {line(node)}"
        most = room.take(_node_part("pinned", tier, node, "system", text), most)
    _take_recent(room, tier, turns)
    most = int(asked.tokens * asked.shares["shared"])
    for entry in entries:
        if not entry.key.startswith(BLOCK) and most > 0:
            text = f"[SHARED:{entry.key}] {_written(entry.value)}"
            left = room.take(_entry_part("shared", pool, entry, text), most)
            most = left if left >= 0 else most  # a shorter one may still fit
    _take_recalled(room, tier, recall)
    lines = [part.text for part in room.parts]
    while (tokens := counted(asked.count, lines) if lines else 0) > asked.tokens:
        lines.pop()  # a counter may find more in the whole than in its parts
    parts = tuple(room.parts[: len(lines)])
    return Context("\n".join(lines), tokens, parts, room.notes)


def _take_blocks(room: _Room, pool: str, blocks: Sequence[Item]) -> None:
    most = int(room.asked.tokens * room.asked.shares["blocks"])
    for block in sorted(blocks, key=lambda entry: entry.key):
        limit = block.metadata.get("limit", _BLOCK_TOKENS)
        allowed = min(most, room.left, limit if isinstance(limit, int) else _BLOCK_TOKENS)
        text = f"[BLOCK:{block.key.removeprefix(BLOCK)}] {_written(block.value)}"
        text = _cut(text, allowed, room.asked.count)
        if text:
            most = max(0, room.take(_entry_part("block", pool, block, text), most))


def _take_recent(room: _Room, tier: Callable[[Node], str], turns: Sequence[Node]) -> None:
    budget = min(int(room.asked.tokens * room.asked.recent), room.left)
    unpinned = (turn for turn in turns if (turn.scope, turn.id) not in room.nodes)
    before: Node | None = None
    for turn in reversed(tiers.newest(unpinned, budget, room.asked.count)):
        role = room.asked.roles.get(turn.speaker or "", turn.speaker or "user")
        known = turn.speaker in room.asked.roles or role in _ROLES
        role = role if role in _ROLES else "user"
        part = _node_part("recent", tier, turn, role, line(turn, before))
        said = line(replace(turn, speaker=None), before) if known else part.text
        room.take(replace(part, content=said), room.left)
        before = turn


def _take_recalled(room: _Room, tier: Callable[[Node], str], recall: Recalled) -> None:
    if room.left <= 0:
        return
    found, telling, room.notes = recall(room.left)
    nodes = {
        identity(node, telling.scopes): node
        for node in found
        if (node.scope, node.id) not in room.nodes
    }
    if nodes:
        need = needed(next(iter(nodes.values())), room.asked.count, telling)
        if need > room.left:
            room.notes += (too_small(room.left, need),)
    identifiers, lines = told(list(nodes.values()), room.left, room.asked.count, telling)
    for identifier, text in zip(identifiers, lines, strict=True):
        part = _node_part("recalled", tier, nodes[identifier], "system", text)
        room.take(part, room.left)


def _node_part(kind: str, tier: Callable[[Node], str], node: Node, role: str, text: str) -> Part:
    source = f"{node.scope}/node {node.id}" if node.scope else f"node {node.id}"
    return Part(kind, tier(node), source, node.id, role, text, text, 0, node.scope)


def _entry_part(kind: str, pool: str, entry: Item, text: str) -> Part:
    return Part(kind, "pool", f"{pool}/{entry.key}", None, "system", text, text, 0)


def _written(value: Any) -> str:
    """A value as one line, or with rows that are indented: a text must not look like two parts."""
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, default=repr)
    return "\n  ".join(value.splitlines())


def _cut(text: str, tokens: int, count: TokenCounter) -> str:
    """As many characters of the text as fit into `tokens`, with a mark if some are left out."""
    if count(text + "\n") <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle] + _MORE + "\n") <= tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low] + _MORE if low else ""
