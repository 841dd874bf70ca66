"""The partition of all vectors at once, whatever their order: reciprocal nearest neighbours by
average linkage (Murtagh 1983); the bound on the size departs from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from graphmem.themes.calibration import Rows
from graphmem.themes.centroids import IN_ONE_THREAD

_CELLS: Final = 1 << 17  # similarities that are computed in one step: 2 to 5 ms
_ROWS_OF_PRODUCT: Final = 16


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
        tiles = _tiles(means)
        yield
        is_bounded = 2 * sizes.max(initial=0) > largest
        at_once = max(1, _CELLS // max(1, count))
        for start in range(0, count, at_once):
            some = slice(start, min(start + at_once, count))
            cosines = _cosines(means[some], tiles)[:, :count]
            if is_bounded:
                for size in np.unique(sizes[some]):
                    cosines[np.ix_(sizes[some] == size, sizes > largest - size)] = -np.inf
            places = np.arange(some.stop - start)
            cosines[places, places + start] = -np.inf
            nearest[some] = cosines.argmax(axis=1)
            best[some] = cosines[places, nearest[some]]
            yield
        own = np.arange(count)
        first = np.flatnonzero((best >= least) & (own < nearest) & (nearest[nearest] == own))
        if not len(first):
            return cluster
        second = nearest[first]
        sums[first] += sums[second]
        sizes[first] += sizes[second]
        own[second] = first
        kept, renumbered = np.unique(own, return_inverse=True)
        sums, sizes, cluster = sums[kept], sizes[kept], renumbered[cluster]
        yield


def _tiles(rows: Rows) -> Rows:
    """The rows in tiles, so small that their product with some rows is made by one thread, the last
    one filled with zeros: tiles × rows × dimensions."""
    count, dimensions = rows.shape
    high = max(1, IN_ONE_THREAD // (_ROWS_OF_PRODUCT * dimensions))
    filled = np.zeros((-(-count // high) * high, dimensions), np.float32)
    filled[:count] = rows
    return filled.reshape(-1, high, dimensions)


def _cosines(rows: Rows, tiles: Rows) -> Rows:
    """The products of rows with all rows of tiles, in this thread alone."""
    parts = [
        np.matmul(rows[at : at + _ROWS_OF_PRODUCT], tiles.transpose(0, 2, 1))
        .transpose(1, 0, 2)
        .reshape(-1, tiles.shape[0] * tiles.shape[1])
        for at in range(0, len(rows), _ROWS_OF_PRODUCT)
    ]
    return np.concatenate(parts)


def carried_over(
    clusters: Mapping[int, int], themes: Mapping[int, int], next_theme: int
) -> dict[int, int]:
    """Node → theme for nodes in new clusters (node → cluster): each keeps the id of the theme
    (node → theme) with which it shares most nodes, unless a cluster that shares more has it; others
    have ids from `next_theme` on."""
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
