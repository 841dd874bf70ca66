"""Activation: spreading from entry nodes along links, best first, within a budget of nodes.

One hop passes on: s/s₁ × ½^(k−1) × hop damping × (1 + ln n)^−fan, where s is the link's strength,
s₁ that of the node's strongest link, k the distance in the focus at which the link was made, and n
the node's number of links. Strengths count against each other only: passes weaken all of them
alike, and what is still remembered must be found as well after a hundred passes as before.

After Collins & Loftus (1975) and ACT-R's fan effect (Anderson 1974);
the factors are settings, measured by `python -m bench recall`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmem.errors import CorruptError
from graphmem.graph import adjacency, strength
from graphmem.graph.adjacency import ENTRY_BYTES, ENTRY_TYPE
from graphmem.graph.view import View

_FLIP: Final = np.uint64((1 << 64) - 1)
_SIGN: Final = np.uint64(1 << 63)


@dataclass(frozen=True, slots=True)
class Spread:
    """What reached each node, and from where the most of it came."""

    received: dict[int, float]  # node → activation received over links
    origin: dict[int, int]  # node → the node that passed on the most to it


class _Step(NamedTuple):
    """One hop: what passed from which node to which."""

    sources: NDArray[np.uint64]
    targets: NDArray[np.uint64]
    passed: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Spreading:
    """How activation spreads."""

    links: int  # strongest links of a node that are followed
    budget: int  # nodes that are expanded
    damping: float
    fan: float

    def run(
        self, view: View, entries: Mapping[int, float], depth: int, relations: Sequence[int] | None
    ) -> Spread:
        """Spread from `entries` (node → activation) for `depth` hops along `relations` (None: all).

        A hub costs no more than a leaf: `links` are read of either.
        """
        nodes = np.array(list(entries), np.uint64)
        amounts: NDArray[np.float64] = np.array(list(entries.values()), np.float64)
        steps: list[_Step] = []
        budget = self.budget
        for _ in range(depth):
            if budget <= 0 or not len(nodes):
                break
            if len(nodes) > budget:
                chosen = np.argpartition(amounts, len(amounts) - budget)[-budget:]
                nodes, amounts = nodes[chosen], amounts[chosen]
            budget -= len(nodes)
            step = self._hop(view, nodes, amounts, relations)
            steps.append(step)
            nodes, places = np.unique(step.targets, return_inverse=True)
            amounts = np.bincount(places, step.passed, len(nodes)).astype(np.float64)
        return _gathered(steps)

    def _hop(
        self,
        view: View,
        nodes: NDArray[np.uint64],
        amounts: NDArray[np.float64],
        relations: Sequence[int] | None,
    ) -> _Step:
        order = np.argsort(nodes)  # sorted keys are read fastest
        nodes, amounts = nodes[order], amounts[order]
        prefix = adjacency.head_key(view.scope, 0)[:5]
        heads = view.reader.get_many([prefix + node.to_bytes(8, "big") for node in nodes.tolist()])
        # With a relation to look for, the whole head is looked through before the strongest count.
        width = (self.links if relations is None else adjacency.HEAD_ENTRIES) * ENTRY_BYTES
        parts = [head[:width] if head else b"" for head in heads]
        sizes, rest = np.divmod([len(head) if head else 0 for head in heads], ENTRY_BYTES)
        if rest.any():
            raise CorruptError("an adjacency head is no whole number of entries; run check()")
        table = np.frombuffer(b"".join(parts), ENTRY_TYPE)
        source = np.repeat(np.arange(len(nodes)), np.minimum(sizes, width // ENTRY_BYTES))
        levels = ((_FLIP - table["level"].astype(np.uint64)) ^ _SIGN).view(np.int64)
        alive = levels >= strength.broken_level(view.passes, view.scope.decay)
        if relations is not None:
            alive &= np.isin(table["relation"], np.array(relations, np.uint32))
            alive &= _rank_within(source, alive) < self.links
        share = amounts * self.damping * (1.0 + np.log(np.maximum(sizes, 1))) ** -self.fan
        # A head is sorted, so the first entry of a source is its strongest link.
        strongest = levels[np.searchsorted(source, source)]
        relative = np.exp((levels - strongest) / strength.UNIT)
        passed = share[source] * relative * 0.5 ** (table["distance"].astype(np.float64) - 1.0)
        targets = _FLIP - table["target"].astype(np.uint64)
        return _Step(nodes[source][alive], targets[alive], passed[alive])


def _gathered(steps: list[_Step]) -> Spread:
    """Sum up what each node received, and find who passed on the most to it."""
    if not steps:
        return Spread({}, {})
    targets = np.concatenate([step.targets for step in steps])
    sources = np.concatenate([step.sources for step in steps])
    passed = np.concatenate([step.passed for step in steps])
    nodes, places = np.unique(targets, return_inverse=True)
    totals = np.bincount(places, passed, len(nodes))
    largest = np.zeros(len(nodes), np.int64)
    order = np.argsort(passed, kind="stable")
    largest[places[order]] = order  # the last to be written, so the largest, stays
    named = nodes.tolist()
    return Spread(
        dict(zip(named, totals.tolist(), strict=True)),
        dict(zip(named, sources[largest].tolist(), strict=True)),
    )


def _rank_within(source: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each entry, how many chosen entries of the same source stand before it."""
    before: NDArray[np.int64] = np.cumsum(chosen) - chosen
    starts = np.searchsorted(source, source)  # first place of the same source
    return before - before[starts]
