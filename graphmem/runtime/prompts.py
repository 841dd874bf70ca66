"""The context of a prompt from an open scope, and the tiers of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from graphmem.errors import InvalidArgumentError
from graphmem.graph.pins import Pins
from graphmem.graph.view import View
from graphmem.recalling import listing
from graphmem.recalling.question import Filter, Question
from graphmem.runtime.family import Family
from graphmem.runtime.open_scope import OpenScope
from graphmem.sharing import context as contexts
from graphmem.sharing import tiers as levels
from graphmem.sharing.tiers import Needs, Placed, Strategy
from graphmem.values.context import Context, Tier
from graphmem.values.nodes import Node
from graphmem.values.recall import Recall
from graphmem.values.rendering import TokenCounter

_SHARED: Final = 200  # entries of a pool that a context considers


def context(
    opened: OpenScope,
    family: Family,
    given: Question,
    asked: contexts.Request,
    session: str | None,
    pool: str,
) -> Context:
    """The context for a cue. given: the recall; its `tokens` are set here."""

    def recalled(left: int, is_there: Callable[[Node], bool]) -> Recall:
        return family.recall(replace(given, tokens=left, fill=True)).without(is_there)

    need = levels.needs(asked.count)
    without = given.only.without
    turns = _recent(opened, session, without, int(asked.tokens * asked.recent), need)
    source = family.pool(pool)
    pinned = [node for node in _pinned(opened) if node.id not in without]
    for parent in family.ancestors():
        name = parent.scope.name
        there = given.without.get(name, ())
        pinned += [
            replace(node, scope=name)
            for node in _pinned(parent)
            if node.shared and node.id not in there
        ]
    return contexts.assemble(
        asked,
        pool=source.namespace,
        blocks=source.list(contexts.BLOCK, limit=None),
        entries=source.list(limit=_SHARED),
        pinned=pinned,
        turns=turns,
        need=need,
        tier=_tier_of(opened, session, turns, need),
        recall=recalled,
    )


def tiers(
    opened: OpenScope, session: str | None, strategy: Strategy, count: TokenCounter
) -> list[Tier]:
    """The tiers and their contents, as seen from a session. Raises InvalidArgumentError."""
    if strategy not in levels.STRATEGIES:
        named = " or ".join(map(repr, levels.STRATEGIES))
        raise InvalidArgumentError(f"strategy is {named}, got {strategy!r:.80}")
    kept = opened.settings.tiers
    budgets = kept.l1, kept.l2, kept.l3, kept.l4
    need = levels.needs(count)
    placed = _placed(opened, session, strategy, need)
    with opened.reading() as view:
        nodes = listing.nodes(view, listing.Asked())
        return levels.report(nodes, placed, budgets, strategy, need)


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
        for turn in levels.newest(_turns(view, session, without), opened.settings.tiers.l1, need):
            tokens -= 0 if turn.pinned else need(turn)
            if tokens < 0:
                break
            found.append(turn)
    return found


def _placed(opened: OpenScope, session: str | None, strategy: Strategy, need: Needs) -> Placed:
    """The tiers of a session's turns."""
    with opened.reading() as view:
        turns = list(_turns(view, session))
        value = {
            turn.id: float(turn.uses) if strategy == "frequency" else _important(view, turn)
            for turn in turns
        }
    settings = opened.settings
    budgets = settings.tiers.l1, settings.tiers.l2
    return levels.place(
        turns, budgets, need, lambda turn: value[turn.id], settings.tiers.l2_importance
    )


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

    @cache  # L1, and then the session, are read whole only if needed
    def first() -> set[int]:
        with opened.reading() as view:
            turns = levels.newest(_turns(view, session), opened.settings.tiers.l1, need)
            return {turn.id for turn in turns}

    placed = cache(lambda: _placed(opened, session, "importance", need))

    def tier(node: Node) -> str:
        if session is None or node.session != session or node.scope:
            return levels.elsewhere(node)
        return "L1" if node.id in newest or node.id in first() else levels.tier_of(node, placed())

    return tier
