"""Activation: spreading from entry nodes along links, best first, within a budget of nodes.

One hop passes on: s/s₁ × ½^(k−1) × hop damping × (1 + ln n)^−fan, where s is the link's strength,
s₁ that of the node's strongest link, k the distance in the focus at which the link was made, and n
the node's number of links. Only relative strengths count: passes weaken all links alike, and a node
must be found as well after a hundred passes as before.

After Collins & Loftus (1975) and ACT-R's fan effect (Anderson 1974);
the factors are settings, measured by `python -m bench recall`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from graphmem.errors import CorruptError
from graphmem.graph import links, strength
from graphmem.graph.links import ENTRY_BYTES, HEAD_ENTRIES
from graphmem.graph.view import View
from graphmem.index.words.postings import Nodes, least, summed
from graphmem.values.trace import Passed

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEAR: Final = 0.5 ** (np.arange(256) - 1.0)  # ½^(k−1), by k

Amounts: TypeAlias = "NDArray[np.float64]"


@lru_cache(8)
def _fans(fan: float) -> Amounts:
    """(1 + ln n)^−fan, by n."""
    fans: Amounts = (1.0 + np.log(np.maximum(np.arange(HEAD_ENTRIES + 1), 1))) ** -fan
    return fans


class _Step(NamedTuple):
    """One hop: the activation that passed from each node to each of its targets."""

    nodes: Nodes  # the sources
    counts: NDArray[np.int64]  # how many consecutive targets each source has
    targets: Nodes
    passed: Amounts

    def source(self, place: int) -> int:
        """The source of the target at a place."""
        return int(self.nodes[self.counts.cumsum().searchsorted(place, "right")])


class Spread:
    """The activation that each node received, and over which hops."""

    def __init__(self, steps: Sequence[_Step], entries: Mapping[int, float]) -> None:
        self._steps = steps
        self.entries = entries
        """Entry node → its activation."""
        targets = np.concatenate([np.zeros(0, np.uint64), *(step.targets for step in steps)])
        passed = np.concatenate([np.zeros(0), *(step.passed for step in steps)])
        self.nodes, self.amounts = summed(targets, passed)
        """The nodes reached over links, ascending, and the activation that each received."""

    @cached_property
    def received(self) -> dict[int, float]:
        """Node → activation received over links."""
        return dict(zip(self.nodes.tolist(), self.amounts.tolist(), strict=True))

    def strongest(self, count: int) -> list[int]:
        """The `count` nodes that received most, with all ties for the last place."""
        nodes = self.nodes
        if len(nodes) > count:
            nodes = nodes[self.amounts >= least(self.amounts, count)]
        found: list[int] = nodes.tolist()
        return found

    def origin(self, node: int) -> int | None:
        """The node that passed on the most to `node`; None if nothing reached it."""
        most, origin = 0.0, None
        for step in self._steps:
            (places,) = np.nonzero(step.targets == np.uint64(node))
            for place in places.tolist():
                if step.passed[place] >= most:
                    most = step.passed[place]
                    origin = step.source(place)
        return origin

    def towards(self, nodes: Iterable[int], min_share: float) -> list[list[Passed]]:
        """For each hop the strongest link to each of `nodes`, and to each node on the way to them.

        A link that brought less than `min_share` (0–1) of what its node received is left out.
        """
        floors = {node: min_share * self.received.get(node, 0.0) for node in nodes}
        hops: list[list[Passed]] = []
        wanted: set[int] = set()
        for step in reversed(self._steps):
            found = []
            for node in wanted.union(floors):
                (places,) = np.nonzero(step.targets == np.uint64(node))
                if not len(places):
                    continue
                place = int(places[np.argmax(step.passed[places])])
                amount = float(step.passed[place])
                if node in wanted or amount >= floors[node]:
                    found.append(Passed(step.source(place), node, amount))
            hops.append(sorted(found, key=lambda passed: -passed.amount))
            wanted = {passed.source for passed in found}
        return hops[::-1]


@dataclass(frozen=True, slots=True)
class Spreading:
    """The limits and factors by which activation spreads."""

    links: int  # strongest links of a node that are followed
    budget: int  # nodes that are expanded
    damping: float
    fan: float

    def run(
        self, view: View, entries: Mapping[int, float], depth: int, relations: Sequence[int] | None
    ) -> Spread:
        """Spread from `entries` (node → activation) for `depth` hops along `relations` (None: all).

        At most `links` entries of a node are followed, so a hub costs no more than a leaf.
        """
        ordered = sorted(entries.items())
        nodes = np.array([node for node, _ in ordered], np.uint64)
        amounts = np.array([amount for _, amount in ordered], np.float64)
        steps: list[_Step] = []
        budget = self.budget
        for hop in range(depth):
            if hop:
                nodes, amounts = summed(steps[-1].targets, steps[-1].passed)
            if budget <= 0 or not len(nodes):
                break
            if len(nodes) > budget:
                chosen = np.sort(np.argpartition(amounts, len(amounts) - budget)[-budget:])
                nodes, amounts = nodes[chosen], amounts[chosen]
            budget -= len(nodes)
            steps.append(self._hop(view, nodes, amounts, relations))
        return Spread(steps, entries)

    def _hop(
        self, view: View, nodes: Nodes, amounts: Amounts, relations: Sequence[int] | None
    ) -> _Step:
        heads = view.heads(nodes.tolist())
        # With `relations`, the whole head is filtered before the strongest links are taken.
        most = self.links if relations is None else HEAD_ENTRIES
        sizes = np.fromiter(map(len, heads), np.int64, len(heads)) // ENTRY_BYTES
        counts = np.minimum(sizes, most)
        stops = counts.cumsum()
        starts = stops - counts
        packed = b"".join(heads)
        if len(packed) != ENTRY_BYTES * stops[-1]:
            packed = b"".join([head[: most * ENTRY_BYTES] for head in heads])
        found = links.columns(packed)
        weakness, targets, distances = found.weakness, found.targets, found.distances
        if len(targets) != stops[-1]:
            raise CorruptError("an out-list is no whole number of entries; run admin.check()")
        if not len(targets):
            return _Step(nodes, counts, targets, np.zeros(0))
        # A head is sorted, so the first entry of a source is its strongest link.
        strongest = weakness.take(starts, mode="clip").repeat(counts)
        share = amounts * self.damping * _fans(self.fan)[sizes]
        relative = np.exp((weakness - strongest) * (-1 / strength.UNIT))
        passed = share.repeat(counts) * relative * _NEAR.take(distances)
        weakest = links.weakest(view.passes, view.scope.decay, view.scope.fades)
        if relations is None and weakness.max() <= weakest:
            return _Step(nodes, counts, targets, passed)
        alive = weakness <= weakest
        if relations is not None:
            alive &= np.isin(found.relations, np.array(relations, np.uint64))
            before = alive.cumsum() - alive
            alive &= before - before.take(starts, mode="clip").repeat(counts) < self.links
        kept = np.bincount(np.arange(len(nodes)).repeat(counts)[alive], minlength=len(nodes))
        return _Step(nodes, kept, targets[alive], passed[alive])
