"""The partition of all vectors at once, independent of their order: reciprocal nearest neighbours
by average linkage (Murtagh 1983), with a bound on the size of clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from graphmem.index.vectors.products import Rows, product

_CELLS: Final = 1 << 17  # similarities that are computed in one step: 2 to 5 ms


def linked(rows: Rows, least: float, largest: int) -> Generator[None, None, NDArray[np.intp]]:
    """The cluster of each of these rows of length 1, numbered from 0 by their first members. Two
    are merged if each is the other's nearest by the mean cosine of their members, if that is at
    least `least` and they have at most `largest` members. Takes time with the square of the rows;
    yields every few milliseconds."""
    cluster = np.arange(len(rows))
    sums, sizes = rows.copy(), np.ones(len(rows), np.float32)
    while True:
        count = len(sums)
        nearest, best = np.zeros(count, np.intp), np.zeros(count, np.float32)
        means = sums / sizes[:, None]  # the product of two is the mean over the pairs of members
        yield
        is_bounded = 2 * sizes.max(initial=0) > largest
        at_once = max(1, _CELLS // max(1, count))
        for start in range(0, count, at_once):
            batch = slice(start, min(start + at_once, count))
            cosines = product(means[batch], means)
            if is_bounded:
                for size in np.unique(sizes[batch]):
                    cosines[np.ix_(sizes[batch] == size, sizes > largest - size)] = -np.inf
            places = np.arange(batch.stop - start)
            cosines[places, places + start] = -np.inf
            nearest[batch] = cosines.argmax(axis=1)
            best[batch] = cosines[places, nearest[batch]]
            yield
        labels = np.arange(count)
        first = np.flatnonzero((best >= least) & (labels < nearest) & (nearest[nearest] == labels))
        if not len(first):
            return cluster
        second = nearest[first]
        sums[first] += sums[second]
        sizes[first] += sizes[second]
        labels[second] = first
        kept, renumbered = np.unique(labels, return_inverse=True)
        sums, sizes, cluster = sums[kept], sizes[kept], renumbered[cluster]
        yield


def carried_over(
    clusters: Mapping[int, int], themes: Mapping[int, int], next_theme: int
) -> dict[int, int]:
    """Node → theme for nodes in new clusters (node → cluster): each cluster gets the id of the old
    theme (node → theme) with which it shares most nodes, unless one that shares more has it; others
    get ids from `next_theme` on."""
    shared = Counter((clusters[node], theme) for node, theme in themes.items() if node in clusters)
    given: dict[int, int] = {}
    taken: set[int] = set()
    for cluster, theme in sorted(shared, key=lambda pair: (-shared[pair], pair[1], pair[0])):
        if cluster not in given and theme not in taken:
            given[cluster] = theme
            taken.add(theme)
    for cluster in sorted(set(clusters.values()) - given.keys()):
        given[cluster] = next_theme
        next_theme += 1
    return {node: given[cluster] for node, cluster in clusters.items()}
