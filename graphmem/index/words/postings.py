"""Postings of words as arrays: put together, summed up by node, and how telling a word is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from graphmem.index.words.records import MAX_FREQUENCY

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DENSE_SHARE: Final = 1 / 50  # of all ids; above it one array over all ids beats sorting, …
_SORTED: Final = 500  # … but not for so few nodes
_SAMPLED: Final = 16  # one in so many values is looked at first, where there are many
FEWEST: Final = 300
"""Documents: fewer tell too little of which words are rare."""

Nodes: TypeAlias = "NDArray[np.uint64]"


@dataclass(frozen=True, slots=True)
class Postings:
    """The documents of one word: nodes ascending, document lengths, frequencies."""

    nodes: Nodes
    lengths: NDArray[np.uint16]
    frequencies: NDArray[np.uint8]

    def among(self, nodes: Nodes) -> Postings:
        """The postings of those of `nodes` that are here; for ascending postings."""
        return self.at(positions(self.nodes, nodes))

    def at(self, places: NDArray[Any]) -> Postings:
        """Those at some places, or where a mask is true."""
        return Postings(self.nodes[places], self.lengths[places], self.frequencies[places])


NOTHING: Final = Postings(np.zeros(0, np.uint64), np.zeros(0, np.uint16), np.zeros(0, np.uint8))


def _joined(parts: list[Postings]) -> Postings:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return NOTHING
    return Postings(
        np.concatenate([p.nodes for p in parts]),
        np.concatenate([p.lengths for p in parts]),
        np.concatenate([p.frequencies for p in parts]),
    )


def united(parts: list[Postings]) -> Postings:
    """The documents of several words as if these were one, nodes ascending."""
    joined = _joined(parts)
    nodes, first, which = np.unique(joined.nodes, return_index=True, return_inverse=True)
    frequencies = np.bincount(which, joined.frequencies).clip(max=MAX_FREQUENCY)
    return Postings(nodes, joined.lengths[first], frequencies.astype(np.uint8))


def put_together(folded: Postings, fresh: Postings | None, void: Nodes) -> Postings:
    """Folded postings without those of `void` nodes, and fresh ones; nodes ascending."""
    if len(at := positions(folded.nodes, void)):
        kept = np.ones(len(folded.nodes), np.bool_)
        kept[at] = False
        folded = folded.at(kept)
    if fresh is None:
        return folded
    both = _joined([folded, fresh]) if len(folded.nodes) else fresh
    if len(both.nodes) == 1 or (both.nodes[1:] > both.nodes[:-1]).all():
        return both
    return both.at(both.nodes.argsort(kind="stable"))  # a changed document is fresh, and not new


def distinct(parts: Iterable[Nodes]) -> Nodes:
    """The nodes of some arrays, ascending, each once; `np.unique` would load numpy.ma for it."""
    nodes = np.sort(np.concatenate((NOTHING.nodes, *parts)))
    is_new = np.ones(len(nodes), bool)
    np.not_equal(nodes[1:], nodes[:-1], out=is_new[1:])
    return nodes[is_new]


def least(values: NDArray[np.floating], most: int) -> float:
    """The `most`-th largest of more values."""
    if len(values) > 2 * _SAMPLED * most:
        values = values[values >= least(values[::_SAMPLED], most)]
    return float(np.partition(values, -most)[-most])


def positions(among: Nodes, wanted: Nodes) -> NDArray[np.int64]:
    """Where those of `wanted` that are there stand in the ascending `among`."""
    if not len(among) or not len(wanted):
        return np.zeros(0, np.int64)
    at = among.searchsorted(wanted)
    found: NDArray[np.int64] = at[among.take(at, mode="clip") == wanted]
    return found


def summed(
    nodes: Nodes, values: NDArray[np.floating], most: int | None = None
) -> tuple[Nodes, NDArray[np.float64]]:
    """Different nodes, ascending, and for each the sum of its values, all above 0.

    With `most`, where there are many, only those that can be among so many of the greatest sums,
    and some more.
    """
    if not len(nodes):
        return nodes, np.zeros(0)
    if len(nodes) > _SORTED and len(nodes) > np.ptp(nodes) * _DENSE_SHARE:
        first = nodes.min()
        offsets = (nodes - first).view(np.int64)
        totals = np.asarray(np.bincount(offsets, values), np.float64)
        if most is not None and len(nodes) > 2 * _SAMPLED * most:
            # What is not even among so many of a sample cannot be among so many of all.
            sample = totals[::_SAMPLED]
            sample = sample[sample > 0]
            met = totals >= least(sample, most) if len(sample) > most else totals > 0
        else:
            met = np.zeros(len(totals), np.bool_)
            met[offsets] = True
        (named,) = met.nonzero()
        found: Nodes = named.astype(np.uint64)
        return found + first, totals[named]
    order = nodes.argsort(kind="stable")
    ordered = nodes[order]
    is_first = np.empty(len(ordered), np.bool_)
    is_first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    sums = np.bincount(is_first.cumsum() - 1, values[order])
    return ordered[is_first], np.asarray(sums, np.float64)


def idf(count: float, documents: float) -> float:
    """The inverse document frequency, in nat, of a word that so many documents hold."""
    return math.log(1 + (max(documents, count) - count + 0.5) / (count + 0.5))


def rarity(count: int, documents: int) -> float:
    """The idf of a word as it ranks; in a small memory as among 300 documents, times the share of
    its own that lack the word: there the subject of half of the notes is no common word, but the
    name of who told all of them is."""
    if documents >= FEWEST:
        return idf(count, documents)
    among = max(documents, count)
    return idf(count, FEWEST) * (among - count + 0.5) / (among + 0.5)
