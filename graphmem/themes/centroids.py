"""The centroids of themes, with a search for the nearest. A centroid is the sum of its members'
vectors; as these have length 1, |sum| / members is their mean cosine with it. In memory only."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from graphmem.index.vectors.products import Rows, product, units


class Centroids:
    """Theme id → sum of its members' vectors, with the nearest for a vector."""

    def __init__(self, dimensions: int) -> None:
        self._slots: dict[int, int] = {}
        self._ids: list[int] = []
        self._sums = np.zeros((64, dimensions), np.float32)
        self._units = np.zeros((64, dimensions), np.float32)

    def sum(self, theme: int) -> Rows:
        """The sum of a theme's vectors; not to be changed."""
        total: Rows = self._sums[self._slots[theme]]
        return total

    def directions(self, themes: Sequence[int]) -> Rows:
        """The sums of these themes, of length 1: themes × dimensions, a copy."""
        found: Rows = self._units[[self._slots[theme] for theme in themes]]
        return found

    def put(self, theme: int, total: Rows) -> None:
        """Set the sum of a theme, new or known. A new array is kept as a copy."""
        slot = self._slots.get(theme)
        if slot is None:
            slot = self._slots[theme] = len(self._ids)
            self._ids.append(theme)
            if slot == len(self._sums):
                self._sums = np.concatenate([self._sums, np.zeros_like(self._sums)])
                self._units = np.concatenate([self._units, np.zeros_like(self._units)])
        self._sums[slot] = total
        self._units[slot] = units(total)

    def drop(self, theme: int) -> None:
        """Remove a theme; nothing of its sum stays in the arrays."""
        slot, last = self._slots.pop(theme), self._ids.pop()
        if last != theme:
            end = len(self._ids)
            self._ids[slot], self._slots[last] = last, slot
            for column in (self._sums, self._units):
                column[slot] = column[end]
        self._sums[len(self._ids)] = self._units[len(self._ids)] = 0

    def nearest(
        self, row: Rows, count: int, without: Collection[int] = ()
    ) -> list[tuple[int, float]]:
        """Up to `count` (theme, cosine) of those nearest to a vector of length 1, best first."""
        most = min(len(self._ids), count + len(without))
        cosines = product(self._units[: len(self._ids)], row[None])[:, 0]
        best = np.argpartition(cosines, -most)[-most:]
        found = [
            (self._ids[at], float(cosines[at])) for at in best[np.lexsort((best, -cosines[best]))]
        ]
        return [pair for pair in found if pair[0] not in without][:count]


def halves(rows: Rows, rounds: int) -> NDArray[np.bool_]:
    """Which of at least two rows of length 1 go to the second half: neither half is empty. 2-means
    by cosine, begun at the two rows that lie farthest apart along the first principal axis."""
    spread = rows - rows.mean(axis=0)
    along = np.linalg.eigh(spread @ spread.T)[1][:, -1]
    first, second = rows[int(along.argmin())], rows[int(along.argmax())]
    side = np.zeros(len(rows), np.bool_)
    for turn in range(rounds):
        found = (product(rows, second[None]) > product(rows, first[None]))[:, 0]
        if not found.any():  # equal rows have no direction in which they differ
            side = np.zeros(len(rows), np.bool_)
            side[np.argsort(along, kind="stable")[len(rows) // 2 :]] = True
            return side
        if turn and (found == side).all():
            break
        side = found
        first, second = units(rows[~side].sum(axis=0)), units(rows[side].sum(axis=0))
    return side
