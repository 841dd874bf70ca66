"""Postings of words as arrays: merging, sums by node, and inverse document frequency."""

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
_SAMPLED: Final = 16  # of many values one in so many is looked at first
FEWEST: Final = 300
"""Documents from which on a memory is large enough to estimate which words are rare."""

Nodes: TypeAlias = "NDArray[np.uint64]"


@dataclass(frozen=True, slots=True)
class Postings:
    """The documents of one word: nodes ascending, document lengths, frequencies."""

    nodes: Nodes
    lengths: NDArray[np.uint16]
    frequencies: NDArray[np.uint8]

    def among(self, nodes: Nodes) -> Postings:
        """The postings of `nodes`, as far as there are any; for ascending postings."""
        return self.at(positions(self.nodes, nodes))

    def at(self, places: NDArray[Any]) -> Postings:
        """The postings at some places, or where a mask is true."""
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


def put_together(folded: Postings, delta: Postings | None, void: Nodes) -> Postings:
    """Folded postings without those of `void` nodes, merged with the delta's; nodes ascending."""
    if len(at := positions(folded.nodes, void)):
        kept = np.ones(len(folded.nodes), np.bool_)
        kept[at] = False
        folded = folded.at(kept)
    if delta is None:
        return folded
    both = _joined([folded, delta]) if len(folded.nodes) else delta
    if len(both.nodes) == 1 or (both.nodes[1:] > both.nodes[:-1]).all():
        return both
    return both.at(both.nodes.argsort(kind="stable"))  # a changed old document


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
    """The places, in the ascending `among`, of those of `wanted` that are in it."""
    if not len(among) or not len(wanted):
        return np.zeros(0, np.int64)
    at = among.searchsorted(wanted)
    found: NDArray[np.int64] = at[among.take(at, mode="clip") == wanted]
    return found


def summed(
    nodes: Nodes, values: NDArray[np.floating], most: int | None = None
) -> tuple[Nodes, NDArray[np.float64]]:
    """The distinct nodes, ascending, and for each the sum of its values, all above 0.

    With `most`, nodes that cannot be among that many greatest sums may be left out.
    """
    if not len(nodes):
        return nodes, np.zeros(0)
    if len(nodes) > _SORTED and len(nodes) > np.ptp(nodes) * _DENSE_SHARE:
        first = nodes.min()
        offsets = (nodes - first).view(np.int64)
        totals = np.asarray(np.bincount(offsets, values), np.float64)
        if most is not None and len(nodes) > 2 * _SAMPLED * most:
            # A sum not among the `most` greatest of a sample is not among those of all.
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
    """The idf of a word in ranking. In a memory of under 300 documents it is the idf among 300,
    times the share of documents without the word: a word in half of the notes is then not common,
    but the name of the speaker of all of them is."""
    if documents >= FEWEST:
        return idf(count, documents)
    among = max(documents, count)
    return idf(count, FEWEST) * (among - count + 0.5) / (among + 0.5)
