"""The trace of a recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from graphmem.graph.view import View
from graphmem.recalling.activation import Spread
from graphmem.values.hits import Hit
from graphmem.values.trace import Entry, Trace

_LEAST: Final = 0.05  # share of a hit's activation; links that brought less are left out
_HITS: Final = 8


def trace(
    view: View,
    cue: str,
    spread: Spread,
    reasons: Mapping[str, Mapping[int, float]],
    hits: Sequence[Hit],
) -> Trace:
    """The trace of a recall. reasons: why nodes were entries → node → how much activation."""
    entries = tuple(
        Entry(node, amount, {why: by[node] for why, by in reasons.items() if by.get(node)})
        for node, amount in sorted(spread.entries.items(), key=lambda pair: -pair[1])
    )
    best = tuple(hits[:_HITS])
    hops = tuple(map(tuple, spread.towards([hit.id for hit in best], _LEAST)))
    made = Trace(cue, entries, hops, best, {})
    nodes = {hit.id for hit in best}.union(entry.node for entry in made.shown)
    nodes.update(node for hop in hops for passed in hop for node in passed[:2])
    return Trace(cue, entries, hops, best, {node: _phrase(view, node) for node in nodes})


def _phrase(view: View, node: int) -> str:
    if (text := view.text(node)) is not None:
        return text.phrase
    stone = view.tombstone(node)
    return "(forgotten)" if stone is None else f"(forgotten) {stone.phrase}"
