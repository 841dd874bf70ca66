"""The context of a prompt from an open scope: blocks, pins, recent turns, shared entries, recalled
memories; and the tiers of its nodes, levels as seen from one session, computed on request.

L1: the newest turns of the session. L2: its other turns: first those with a given importance from
a bound on, newest first, then the most important. L3: its turns that fit into neither, and the
gists of other sessions. L4: everything else.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final, Literal, TypeAlias, get_args

from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.graph.pins import Pins
from graphmem.graph.view import View
from graphmem.recalling import listing
from graphmem.recalling.question import Filter, Question
from graphmem.runtime.family import Family
from graphmem.runtime.open_scope import OpenScope
from graphmem.values.checks import check_range
from graphmem.values.context import Context, Part, Tier
from graphmem.values.items import Item
from graphmem.values.nodes import Form, Node
from graphmem.values.plain import plain
from graphmem.values.rendering import RELATED, Layout, Passage, TokenCounter, line
from graphmem_worker.text.protects import protects

Needs: TypeAlias = Callable[[Node], int]
Strategy: TypeAlias = Literal["importance", "frequency"]
Placed: TypeAlias = Mapping[str, tuple[int, ...]]
"""The turns of a session by their tiers: L1, the newest first; L2, the most important first; L3."""
_WHY: Final = {
    "L1": "the newest turns of the session",
    "L2": "other turns of the session, by {strategy}",
    "L3": "turns of the session beyond L2, and gists of other sessions",
    "L4": "everything else",
}
_SHARED: Final = 200  # entries of a pool that a context considers
_BLOCK: Final = "block:"
"""The prefix of the keys of a pool's blocks, which every context contains."""
_SHARES: Final[Mapping[str, float]] = {"blocks": 0.2, "pinned": 0.15, "shared": 0.15}
"""The share of the tokens that each kind may take; recalled memories get the rest."""
_PROTECTIVE: Final = 0.5  # the share of protective pins, if no share of pins is given
_BLOCK_TOKENS: Final = 500  # of a block without a limit
_ROLES: Final = frozenset(("system", "user", "assistant", "tool"))
_MORE: Final = " …"
_PLAIN: Final = Layout()  # of turns


class _Room:
    """The checked arguments of a context, the parts that are included so far, and the tokens that
    are left."""

    def __init__(
        self, tokens: int, recent: object, budgets: object, roles: object, count: TokenCounter
    ) -> None:
        """Raises ArgumentTypeError, InvalidArgumentError."""
        shares: dict[str, Any] = {**_SHARES, "recent": recent}
        for name, given in (("budgets", budgets), ("roles", roles)):
            if given is not None and not isinstance(given, Mapping):
                raise ArgumentTypeError(f"{name} is a map, got {type(given).__name__}")
        wanted = budgets if isinstance(budgets, Mapping) else {}
        if unknown := sorted(map(str, set(wanted) - set(_SHARES))):
            raise InvalidArgumentError(
                f"budgets has an unknown {unknown[0]!r:.80}; there are {', '.join(_SHARES)}"
            )
        shares.update(wanted)
        if "pinned" not in wanted:
            shares["protective"] = _PROTECTIVE
        if "blocks" not in wanted:
            shares["unused"] = 1.0  # of what the best hits leave
        for name, share in shares.items():
            check_range(name, share, 0, 1)
        named = dict(roles) if isinstance(roles, Mapping) else {}
        wrong = [role for role in named.values() if not isinstance(role, str) or role not in _ROLES]
        if wrong:
            raise InvalidArgumentError(
                f"a role is one of {', '.join(sorted(_ROLES))}, got {wrong[0]!r:.80}"
            )
        self.tokens = self.left = tokens
        self.shares, self.roles, self.count = shares, named, count
        self.parts: list[Part] = []
        self.nodes: set[tuple[str, int]] = set()  # (scope, id)
        self.notes: tuple[str, ...] = ()
        self.tier: Callable[[Node], str] = _elsewhere

    def most(self, kind: str) -> int:
        """The tokens that parts of a kind may take."""
        return int(self.tokens * self.shares[kind])

    def take(self, part: Part, most: int) -> int:
        """Include a part if its tokens exceed neither `most` nor `left`; returns them, else -1."""
        cost = self.count(f"{part.text}\n")
        if cost > min(most, self.left):
            return -1
        self.parts.append(replace(part, tokens=cost))
        self.left -= cost
        if part.node is not None:
            self.nodes.add((part.scope, part.node))
        return cost

    def of_node(
        self, kind: str, node: Node, text: str, role: str = "system", content: str | None = None
    ) -> Part:
        """content: the content of its message, if not `text`."""
        source = f"{node.scope}/node {node.id}" if node.scope else f"node {node.id}"
        content = text if content is None else content
        return Part(kind, self.tier(node), source, node.id, role, text, content, 0, node.scope)


def _of_entry(kind: str, pool: str, entry: Item, text: str, tokens: int = 0) -> Part:
    return Part(kind, "pool", f"{pool}/{entry.key}", None, "system", text, text, tokens)


def context(
    opened: OpenScope,
    family: Family,
    given: Question,
    session: str | None,
    pool: str,
    recent: object,
    budgets: object,
    roles: object,
) -> Context:
    """The context for a cue, in `given.tokens`. Raises ArgumentTypeError, InvalidArgumentError."""
    room = _Room(given.tokens or 0, recent, budgets, roles, given.counter)
    need = _needs(room.count)
    without = given.only.without
    turns = _recent(opened, session, without, room.most("recent"), need)
    source = family.pool(pool)
    blocks = source.list(_BLOCK, limit=None)
    pinned = [node for node in _pinned(opened) if node.id not in without]
    for parent in family.ancestors():
        name = parent.scope.name
        there = given.without.get(name, ())
        pinned += [
            replace(node, scope=name)
            for node in _pinned(parent)
            if node.shared and node.id not in there
        ]
    room.tier = _tier_of(opened, session, turns, need)
    shown, cut = _blocks(room.count, source.namespace, blocks, room.most("blocks"))
    room.left -= sum(part.tokens for part in shown)
    _take_pinned(room, pinned)
    _take_recent(room, turns, need)
    most = room.most("shared")
    for entry in source.list(limit=_SHARED):
        if not entry.key.startswith(_BLOCK) and most > 0:
            text = f"[SHARED:{entry.key}] {_indented(entry.value)}"
            # If it does not fit, a later, shorter one may.
            most -= max(0, room.take(_of_entry("shared", source.namespace, entry, text), most))
    remark, related = _take_recalled(room, family, given) if room.left > 0 else ("", [])
    if cut and "unused" in room.shares:
        unused = room.left + sum(part.tokens for part in shown)
        shown, cut = _blocks(room.count, source.namespace, blocks, unused)
        room.left = unused - sum(part.tokens for part in shown)
    for part in related:
        text = f"{remark}\n{part.text}" if remark else part.text
        if room.take(replace(part, text=text, content=text), room.left) >= 0:
            remark = ""  # it is shown once, above the first of them
    _note_left_out(room, pinned)
    if cut:
        named = f"{', '.join(cut)} {'does' if len(cut) == 1 else 'do'} not fit whole"
        note = f"{named}; give more tokens, or budgets with a share of 'blocks'"
        room.notes = (note, *room.notes)
    parts = [*shown, *room.parts]
    while (tokens := room.count(_joined(parts)) if parts else 0) > room.tokens:
        parts.pop()  # a counter may find more in the whole than in its parts
    return Context(_joined(parts), tokens, tuple(parts), room.notes)


def _joined(parts: Sequence[Part]) -> str:
    return "\n".join([part.text for part in parts])


def _blocks(
    count: TokenCounter, pool: str, blocks: Sequence[Item], most: int
) -> tuple[list[Part], list[str]]:
    """The blocks, by key, that fit into `most` tokens, the shortest first, the last of them cut;
    and the sources of those that are not there, or cut below their limit."""
    whole = []
    for block in blocks:
        limit = block.metadata.get("limit", _BLOCK_TOKENS)
        text = f"[BLOCK:{block.key.removeprefix(_BLOCK)}] {_indented(block.value)}"
        text = _cut(text, limit if isinstance(limit, int) else _BLOCK_TOKENS, count)
        whole.append(_of_entry("block", pool, block, text, count(f"{text}\n")))
    shown, cut = [], []
    for part in sorted(whole, key=lambda part: (part.tokens, part.source)):
        if text := _cut(part.text, most, count):
            cost = count(f"{text}\n")
            shown.append(replace(part, text=text, content=text, tokens=cost))
            most -= cost
        if text != part.text:
            cut.append(part.source)
    return sorted(shown, key=lambda part: part.source), sorted(cut)


def _take_pinned(room: _Room, pinned: Sequence[Node]) -> None:
    """Protective pins first, from their own share if there is one."""
    left = {kind: room.most(kind) for kind in room.shares}
    protective = {node.id for node in pinned if _protects(node)}
    for node in sorted(pinned, key=lambda each: each.id not in protective):
        kind = "protective" if node.id in protective and "protective" in left else "pinned"
        text = f"[PINNED] {line(node)}"
        left[kind] -= max(0, room.take(room.of_node("pinned", node, text), left[kind]))


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


def _take_recent(room: _Room, turns: Sequence[Node], need: Needs) -> None:
    budget = min(room.most("recent"), room.left)
    unpinned = (turn for turn in turns if (turn.scope, turn.id) not in room.nodes)
    last: str | None = None
    for turn in reversed([*_newest(unpinned, budget, need)]):
        role = room.roles.get(turn.speaker or "", turn.speaker or "user")
        has_role = turn.speaker in room.roles or role in _ROLES
        passage = Passage.of(turn, _PLAIN)
        unnamed = Passage.of(replace(turn, speaker=None), _PLAIN)
        when = None if passage.day == last else passage.day
        content = unnamed.text(when) if has_role else None
        role = role if role in _ROLES else "user"
        part = room.of_node("recent", turn, passage.text(when), role, content)
        room.take(part, room.left)
        last = passage.day


def _take_recalled(room: _Room, family: Family, given: Question) -> tuple[str, list[Part]]:
    """Include the best hits; returns a remark, and the others to stand below it."""
    found = family.recall(replace(given, tokens=room.left, fill=True))
    found = found.without(lambda node: (node.scope, node.id) in room.nodes)
    room.notes += found.notes
    parts = [room.of_node("recalled", node, text) for node, text in found.node_lines]
    for part in parts[: found.likely]:
        room.take(part, room.left)
    return found.remark(RELATED), parts[found.likely :]


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


# -- tiers ------------------------------------------------------------------------------------


def tiers(
    opened: OpenScope, session: str | None, strategy: Strategy, count: TokenCounter
) -> list[Tier]:
    """The tiers and their contents, as seen from a session. Raises InvalidArgumentError."""
    if strategy not in get_args(Strategy):
        named = " or ".join(map(repr, get_args(Strategy)))
        raise InvalidArgumentError(f"strategy is {named}, got {strategy!r:.80}")
    kept, need = opened.settings.tiers, _needs(count)
    placed = _placed(opened, session, strategy, need)
    ids = {name: [*placed.get(name, ())] for name in _WHY}
    tokens = dict.fromkeys(_WHY, 0)
    in_session = {identifier for turns in placed.values() for identifier in turns}
    with opened.reading() as view:
        for node in listing.nodes(view, listing.Asked()):
            tier = _placed_in(node, placed)
            tokens[tier] += need(node)
            if node.id not in in_session:
                ids[tier].append(node.id)
    budgets = zip(_WHY.items(), (kept.l1, kept.l2, kept.l3, kept.l4), strict=True)
    return [
        Tier(name, budget, tokens[name], tuple(ids[name]), why.format(strategy=strategy))
        for (name, why), budget in budgets
    ]


def _placed_in(node: Node, placed: Placed) -> str:
    """The tier of any node."""
    return next((name for name, nodes in placed.items() if node.id in nodes), _elsewhere(node))


def _elsewhere(node: Node) -> str:
    """The tier of a node of another session."""
    return "L3" if node.form is Form.GIST else "L4"


def _needs(count: TokenCounter) -> Needs:
    """A function that counts the tokens of a node's line on its own."""
    return lambda node: Passage.of(node, _PLAIN).need(count)


def _newest(turns: Iterable[Node], budget: int, need: Needs) -> Iterator[Node]:
    """The newest turns, given newest first, that fit into `budget` tokens."""
    for turn in turns:
        budget -= need(turn)
        if budget < 0:
            break
        yield turn


def _pinned(opened: OpenScope) -> list[Node]:
    if not opened.scope.state.pinned:
        return []
    sequence = opened.store.sequence  # later commits may be missed
    with opened.reading() as view:
        if opened.scope.pins_changed > opened.pins.sequence:
            opened.pins = Pins(
                sequence,
                tuple(n for n in view.nodes() if (r := view.record(n)) is not None and r.pinned),
            )
        return view.live(opened.pins.nodes)


def _turns(
    view: View, session: str | None, without: frozenset[int] = frozenset()
) -> Iterator[Node]:
    """The turns of a session, newest first."""
    if session is None:
        return iter(())
    only = Filter(session=session, without=without)
    return listing.nodes(view, listing.Asked(only=only, reverse=True))


def _recent(
    opened: OpenScope, session: str | None, without: frozenset[int], tokens: int, need: Needs
) -> list[Node]:
    """The turns of L1, newest first, while the unpinned ones fit into `tokens`."""
    found: list[Node] = []
    with opened.reading() as view:
        for turn in _newest(_turns(view, session, without), opened.settings.tiers.l1, need):
            tokens -= 0 if turn.pinned else need(turn)
            if tokens < 0:
                break
            found.append(turn)
    return found


def _placed(opened: OpenScope, session: str | None, strategy: Strategy, need: Needs) -> Placed:
    """The tiers of a session's turns."""
    kept = opened.settings.tiers
    with opened.reading() as view:
        turns = list(_turns(view, session))
        value = {
            turn.id: float(turn.uses) if strategy == "frequency" else _important(view, turn)
            for turn in turns
        }
    first = list(_newest(turns, kept.l1, need))

    def order(turn: Node) -> tuple[bool, float, int]:
        is_first = turn.importance is not None and turn.importance >= kept.l2_importance
        return not is_first, 0.0 if is_first else -value[turn.id], -turn.id

    rest = sorted(turns[len(first) :], key=order)
    second = list(_newest(rest, kept.l2, need))
    return {
        "L1": tuple(turn.id for turn in first),
        "L2": tuple(turn.id for turn in second),
        "L3": tuple(sorted(turn.id for turn in rest[len(second) :])),
    }


def _important(view: View, turn: Node) -> float:
    """The importance that a caller gave, else i/(1 + i), 0–1, where i is the sum of its strongest
    links."""
    if turn.importance is not None:
        return turn.importance
    linked = view.importance(turn.id)
    return linked / (1 + linked)


def _tier_of(
    opened: OpenScope, session: str | None, recent: Sequence[Node], need: Needs
) -> Callable[[Node], str]:
    """A function that returns the tier of a node. recent: the newest turns of L1."""
    newest = {turn.id for turn in recent}
    # The session is read whole only if needed.
    placed = cache(lambda: _placed(opened, session, "importance", need))

    def tier(node: Node) -> str:
        if session is None or node.session != session or node.scope:
            return _elsewhere(node)
        return "L1" if node.id in newest else _placed_in(node, placed())

    return tier
