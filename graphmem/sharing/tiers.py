"""Tiers: levels of a memory as seen from one session, computed of what is there; nothing is moved.

L1 are the newest turns of the session. L2 are its other turns: those of a given importance from a
bound on, the newest first, then the most important first. L3 are those that fit into neither, and
the gists of other sessions. L4 is all else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from graphmem.values.context import Tier
from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import Passage, Telling, TokenCounter

Needs: TypeAlias = Callable[[Node], int]
Strategy: TypeAlias = Literal["importance", "frequency"]
STRATEGIES: Final = get_args(Strategy)
NAMES: Final = ("L1", "L2", "L3", "L4")
PLAIN: Final = Telling()
"""How turns are told."""
_WHY: Final = {
    "L1": "the newest turns of the session",
    "L2": "other turns of the session, by {strategy}",
    "L3": "turns of the session beyond L2, and gists of other sessions",
    "L4": "everything else",
}


@dataclass(frozen=True, slots=True)
class Placed:
    """The turns of a session in their tiers."""

    newest: tuple[int, ...]  # L1, the newest first
    others: tuple[int, ...]  # L2, the most important first
    beyond: tuple[int, ...]  # L3

    def tier(self, node: Node) -> str:
        """The tier of any node."""
        for name, nodes in zip(NAMES, (self.newest, self.others, self.beyond), strict=False):
            if node.id in nodes:
                return name
        return elsewhere(node)


def elsewhere(node: Node) -> str:
    """The tier of a node of another session."""
    return "L3" if node.form is Form.GIST else "L4"


def needs(count: TokenCounter) -> Needs:
    """A function that counts the tokens of a node's line where it stands alone."""
    return lambda node: Passage.of(node, PLAIN).need(count)


def newest(turns: Iterable[Node], budget: int, need: Needs) -> Iterator[Node]:
    """The newest turns, given newest first, that fit into `budget` tokens."""
    for turn in turns:
        budget -= need(turn)
        if budget < 0:
            break
        yield turn


def place(
    turns: Sequence[Node],
    budgets: Sequence[int],
    need: Needs,
    value: Callable[[Node], float],
    bound: float = 1.0,
) -> Placed:
    """The tiers of a session's turns, given newest first. budgets: tokens of L1 and L2. value: by
    what L2 is ordered, the greatest first. bound: the given importance from which a turn goes there
    before these."""
    first = list(newest(turns, budgets[0], need))

    def order(turn: Node) -> tuple[bool, float, int]:
        straight = turn.importance is not None and turn.importance >= bound
        return not straight, 0.0 if straight else -value(turn), -turn.id

    rest = sorted(turns[len(first) :], key=order)
    second = list(newest(rest, budgets[1], need))
    beyond = sorted(turn.id for turn in rest[len(second) :])
    return Placed(
        tuple(turn.id for turn in first), tuple(turn.id for turn in second), tuple(beyond)
    )


def report(
    nodes: Iterable[Node], placed: Placed, budgets: Sequence[int], strategy: Strategy, need: Needs
) -> list[Tier]:
    """What stands in each tier; `nodes` are all nodes of the memory."""
    ids: dict[str, list[int]] = {
        "L1": list(placed.newest), "L2": list(placed.others), "L3": list(placed.beyond), "L4": [],
    }  # fmt: skip
    tokens = dict.fromkeys(NAMES, 0)
    known = {*placed.newest, *placed.others, *placed.beyond}
    for node in nodes:
        tier = placed.tier(node)
        tokens[tier] += need(node)
        if node.id not in known:
            ids[tier].append(node.id)
    return [
        Tier(name, budget, tokens[name], tuple(ids[name]), _WHY[name].format(strategy=strategy))
        for name, budget in zip(NAMES, budgets, strict=True)
    ]
