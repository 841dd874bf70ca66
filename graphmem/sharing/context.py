"""The context of a prompt: blocks, pins, recent turns, shared entries and recalled memories."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.sharing import tiers
from graphmem.sharing.tiers import Needs
from graphmem.values.checks import check_range
from graphmem.values.context import Context, Part
from graphmem.values.items import Item
from graphmem.values.nodes import Node
from graphmem.values.plain import plain
from graphmem.values.recall import Recall
from graphmem.values.rendering import RELATED, Passage, TokenCounter, line
from graphmem_worker.text.protects import protects

Recalled: TypeAlias = Callable[[int, Callable[[Node], bool]], Recall]
"""A recall within a number of tokens, without the nodes for which the function is True."""

Tier: TypeAlias = Callable[[Node], str]
"""The tier of a node."""
BLOCK: Final = "block:"
"""The prefix of the keys of a pool's blocks, which every context contains."""

SHARES: Final[Mapping[str, float]] = {"blocks": 0.2, "pinned": 0.15, "shared": 0.15}
"""The share of the tokens that each kind may take; recalled memories get the rest."""
_PROTECTIVE: Final = 0.5  # the share of protective pins, if no share of pins is given

_BLOCK_TOKENS: Final = 500  # of a block without a limit
_ROLES: Final = frozenset(("system", "user", "assistant", "tool"))
_MORE: Final = " …"


@dataclass(frozen=True, slots=True)
class Request:
    """The checked arguments of a context."""

    tokens: int
    recent: float
    shares: Mapping[str, float]
    roles: Mapping[str, str]
    count: TokenCounter


def request(
    tokens: int, recent: object, budgets: object, roles: object, count: TokenCounter
) -> Request:
    """The checked request. Raises ArgumentTypeError, InvalidArgumentError."""
    shares: dict[str, Any] = {**SHARES, "recent": recent}
    for name, given in (("budgets", budgets), ("roles", roles)):
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentTypeError(f"{name} is a map, got {type(given).__name__}")
    if isinstance(budgets, Mapping):
        if unknown := sorted(map(str, set(budgets) - set(SHARES))):
            raise InvalidArgumentError(
                f"budgets has an unknown {unknown[0]!r:.80}; there are {', '.join(SHARES)}"
            )
        shares.update(budgets)
    given = budgets if isinstance(budgets, Mapping) else {}
    if "pinned" not in given:
        shares["protective"] = _PROTECTIVE
    if "blocks" not in given:
        shares["unused"] = 1.0  # of what the best hits leave
    for name, share in shares.items():
        check_range(name, share, 0, 1)
    named = dict(roles) if isinstance(roles, Mapping) else {}
    if wrong := [role for role in named.values() if not (isinstance(role, str) and role in _ROLES)]:
        raise InvalidArgumentError(
            f"a role is one of {', '.join(sorted(_ROLES))}, got {wrong[0]!r:.80}"
        )
    return Request(tokens, float(shares.pop("recent")), shares, named, count)


class _Room:
    """The parts that are included so far, and the tokens that are left."""

    def __init__(self, asked: Request) -> None:
        self.asked = asked
        self.left = asked.tokens
        self.parts: list[Part] = []
        self.nodes: set[tuple[str, int]] = set()  # (scope, id)
        self.notes: tuple[str, ...] = ()

    def take(self, part: Part, most: int) -> int:
        """Include a part if its tokens exceed neither `most` nor `left`; returns them, else -1."""
        cost = self.asked.count(f"{part.text}\n")
        if cost > min(most, self.left):
            return -1
        self.parts.append(replace(part, tokens=cost))
        self.left -= cost
        if part.node is not None:
            self.nodes.add((part.scope, part.node))
        return cost


def _of_entry(kind: str, pool: str, entry: Item, text: str, tokens: int = 0) -> Part:
    return Part(kind, "pool", f"{pool}/{entry.key}", None, "system", text, text, tokens)


def _of_node(
    kind: str, node: Node, tier: str, text: str, role: str = "system", content: str | None = None
) -> Part:
    """content: the content of its message, if not `text`."""
    source = f"{node.scope}/node {node.id}" if node.scope else f"node {node.id}"
    content = text if content is None else content
    return Part(kind, tier, source, node.id, role, text, content, 0, node.scope)


def assemble(
    asked: Request,
    *,
    pool: str,
    blocks: Sequence[Item],
    entries: Sequence[Item],
    pinned: Sequence[Node],
    turns: Sequence[Node],
    need: Needs,
    tier: Tier,
    recall: Recalled,
) -> Context:
    """The context for a request. pool: the namespace of `blocks` and `entries`, which are newest
    first. turns: of the session, newest first, at least as many as `recent` has room for."""
    room = _Room(asked)
    shown, cut = _blocks(asked, pool, blocks, int(asked.tokens * asked.shares["blocks"]))
    room.left -= sum(part.tokens for part in shown)
    _take_pinned(room, tier, pinned)
    _take_recent(room, tier, turns, need)
    most = int(asked.tokens * asked.shares["shared"])
    for entry in entries:
        if not entry.key.startswith(BLOCK) and most > 0:
            text = f"[SHARED:{entry.key}] {_indented(entry.value)}"
            # If it does not fit, a later, shorter one may.
            most -= max(0, room.take(_of_entry("shared", pool, entry, text), most))
    remark, related = _take_recalled(room, tier, recall)
    if cut and "unused" in asked.shares:
        unused = room.left + sum(part.tokens for part in shown)
        shown, cut = _blocks(asked, pool, blocks, unused)
        room.left = unused - sum(part.tokens for part in shown)
    _take_related(room, remark, related)
    _note_left_out(room, pinned)
    if cut:
        named = f"{', '.join(cut)} {'does' if len(cut) == 1 else 'do'} not fit whole"
        note = f"{named}; give more tokens, or budgets with a share of 'blocks'"
        room.notes = (note, *room.notes)
    parts = [*shown, *room.parts]
    while (tokens := asked.count(_joined(parts)) if parts else 0) > asked.tokens:
        parts.pop()  # a counter may find more in the whole than in its parts
    return Context(_joined(parts), tokens, tuple(parts), room.notes)


def _joined(parts: Sequence[Part]) -> str:
    return "\n".join([part.text for part in parts])


def _blocks(
    asked: Request, pool: str, blocks: Sequence[Item], most: int
) -> tuple[list[Part], list[str]]:
    """The blocks, by key, that fit into `most` tokens, the shortest first, the last of them cut;
    and the sources of those that are not there, or cut below their limit."""
    whole = []
    for block in blocks:
        limit = block.metadata.get("limit", _BLOCK_TOKENS)
        text = f"[BLOCK:{block.key.removeprefix(BLOCK)}] {_indented(block.value)}"
        text = _cut(text, limit if isinstance(limit, int) else _BLOCK_TOKENS, asked.count)
        whole.append(_of_entry("block", pool, block, text, asked.count(f"{text}\n")))
    shown, cut = [], []
    for part in sorted(whole, key=lambda part: (part.tokens, part.source)):
        if text := _cut(part.text, most, asked.count):
            cost = asked.count(f"{text}\n")
            shown.append(replace(part, text=text, content=text, tokens=cost))
            most -= cost
        if text != part.text:
            cut.append(part.source)
    return sorted(shown, key=lambda part: part.source), sorted(cut)


def _take_pinned(room: _Room, tier: Tier, pinned: Sequence[Node]) -> None:
    """Protective pins first, from their own share if there is one."""
    asked = room.asked
    left = {kind: int(asked.tokens * share) for kind, share in asked.shares.items()}
    protective = {node.id for node in pinned if _protects(node)}
    for node in sorted(pinned, key=lambda each: each.id not in protective):
        kind = "protective" if node.id in protective and "protective" in left else "pinned"
        text = f"[PINNED] {line(node)}"
        part = _of_node("pinned", node, tier(node), text)
        left[kind] -= max(0, room.take(part, left[kind]))


def _note_left_out(room: _Room, pinned: Sequence[Node]) -> None:
    """Add a note on how many pins are not included whole."""
    shown = {(part.scope, part.node): " ".join(part.text.split()) for part in room.parts}
    whole = (" ".join(n.text.split()) in shown.get((n.scope, n.id), "") for n in pinned)
    left_out = len(pinned) - sum(whole)
    if left_out:
        those = "a pinned memory does" if left_out == 1 else f"{left_out} pinned memories do"
        note = f"{those} not fit; give more tokens, or budgets with a share of 'pinned'"
        room.notes = (note, *room.notes)


def _protects(node: Node) -> bool:
    return any(protects(text) == "protective" for text in node.sentences or (node.phrase,))


def _take_recent(room: _Room, tier: Tier, turns: Sequence[Node], need: Needs) -> None:
    budget = min(int(room.asked.tokens * room.asked.recent), room.left)
    unpinned = (turn for turn in turns if (turn.scope, turn.id) not in room.nodes)
    last: str | None = None
    for turn in reversed([*tiers.newest(unpinned, budget, need)]):
        role = room.asked.roles.get(turn.speaker or "", turn.speaker or "user")
        has_role = turn.speaker in room.asked.roles or role in _ROLES
        passage = Passage.of(turn, tiers.PLAIN)
        unnamed = Passage.of(replace(turn, speaker=None), tiers.PLAIN)
        when = None if passage.day == last else passage.day
        content = unnamed.text(when) if has_role else None
        role = role if role in _ROLES else "user"
        part = _of_node("recent", turn, tier(turn), passage.text(when), role, content)
        room.take(part, room.left)
        last = passage.day


def _take_recalled(room: _Room, tier: Tier, recall: Recalled) -> tuple[str, list[Part]]:
    """Include the best hits; returns a remark, and the others to stand below it."""
    if room.left <= 0:
        return "", []
    found = recall(room.left, lambda node: (node.scope, node.id) in room.nodes)
    room.notes += found.notes
    parts = [_of_node("recalled", node, tier(node), text) for node, text in found.node_lines]
    for part in parts[: found.likely]:
        room.take(part, room.left)
    return found.remark(RELATED), parts[found.likely :]


def _take_related(room: _Room, remark: str, related: Sequence[Part]) -> None:
    for part in related:
        text = f"{remark}\n{part.text}" if remark else part.text
        if room.take(replace(part, text=text, content=text), room.left) >= 0:
            remark = ""  # it is shown once, above the first of them


def _indented(value: Any) -> str:
    """A value as text with its further lines indented, so that it cannot look like two parts."""
    if not isinstance(value, str):
        value = json.dumps(plain(value), ensure_ascii=False)
    return "\n  ".join(value.splitlines())


def _cut(text: str, tokens: int, count: TokenCounter) -> str:
    """The text, cut to `tokens` with a mark at the end if it is longer."""
    if count(text + "\n") <= tokens:
        return text
    lengths = range(1, len(text) + 1)
    most = bisect_right(lengths, tokens, key=lambda length: count(f"{text[:length]}{_MORE}\n"))
    return text[:most] + _MORE if most else ""
