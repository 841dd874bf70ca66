"""Tiers: levels of a memory as seen from one session, computed on request; nothing is moved.

L1: the newest turns of the session. L2: its other turns: first those with a given importance from
a bound on, newest first, then the most important. L3: its turns that fit into neither, and the
gists of other sessions. L4: everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias, get_args

from graphmem.values.context import Tier
from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import Layout, Passage, TokenCounter

Needs: TypeAlias = Callable[[Node], int]
Strategy: TypeAlias = Literal["importance", "frequency"]
STRATEGIES: Final = get_args(Strategy)
NAMES: Final = ("L1", "L2", "L3", "L4")
Placed: TypeAlias = Mapping[str, tuple[int, ...]]
"""The turns of a session by their tiers: L1, the newest first; L2, the most important first; L3."""
PLAIN: Final = Layout()
"""The layout of turns."""
_WHY: Final = {
    "L1": "the newest turns of the session",
    "L2": "other turns of the session, by {strategy}",
    "L3": "turns of the session beyond L2, and gists of other sessions",
    "L4": "everything else",
}


def tier_of(node: Node, placed: Placed) -> str:
    """The tier of any node."""
    return next((name for name, nodes in placed.items() if node.id in nodes), elsewhere(node))


def elsewhere(node: Node) -> str:
    """The tier of a node of another session."""
    return "L3" if node.form is Form.GIST else "L4"


def needs(count: TokenCounter) -> Needs:
    """A function that counts the tokens of a node's line on its own."""
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
    """The tiers of a session's turns, given newest first. budgets: tokens of L1 and L2. value: the
    sort key of L2, the greatest first. bound: turns of this given importance precede them."""
    first = list(newest(turns, budgets[0], need))

    def order(turn: Node) -> tuple[bool, float, int]:
        is_first = turn.importance is not None and turn.importance >= bound
        return not is_first, 0.0 if is_first else -value(turn), -turn.id

    rest = sorted(turns[len(first) :], key=order)
    second = list(newest(rest, budgets[1], need))
    return {
        "L1": tuple(turn.id for turn in first),
        "L2": tuple(turn.id for turn in second),
        "L3": tuple(sorted(turn.id for turn in rest[len(second) :])),
    }


def report(
    nodes: Iterable[Node], placed: Placed, budgets: Sequence[int], strategy: Strategy, need: Needs
) -> list[Tier]:
    """The tiers with their nodes; `nodes` are all nodes of the memory."""
    ids = {name: [*placed.get(name, ())] for name in NAMES}
    tokens = dict.fromkeys(NAMES, 0)
    in_session = {identifier for turns in placed.values() for identifier in turns}
    for node in nodes:
        tier = tier_of(node, placed)
        tokens[tier] += need(node)
        if node.id not in in_session:
            ids[tier].append(node.id)
    return [
        Tier(name, budget, tokens[name], tuple(ids[name]), _WHY[name].format(strategy=strategy))
        for name, budget in zip(NAMES, budgets, strict=True)
    ]
