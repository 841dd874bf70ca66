"""The centroids of themes, found by nearness without comparing all of them.

A centroid is the sum of its members' vectors: unit members make |sum| / members their mean cosine
with it. Centroids lie in cells, which are split when they grow too large; up to `_EXHAUSTIVE`
centroids one product is faster than cells. They live in memory only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from graphmem.themes.calibration import Rows, units

PROBED: Final = 8  # cells that are searched
_EXHAUSTIVE: Final = 2048  # centroids up to which all are compared
_SMALLEST_SPLIT: Final = 64  # centroids that a cell may hold whatever their number
_ROUNDS: Final = 4  # of 2-means over a cell
# OpenBLAS shares larger products among threads, which wait for each other in a loop: on two busy
# cores a product of 2,048 rows took 20 ms of CPU time at worst and 0.22 ms in the mean, in one
# thread 0.1 and 0.03 ms.
IN_ONE_THREAD: Final = 1 << 18  # multiplications
_FEW: Final = 32  # rows whose axis is computed exactly
_POWERS: Final = 32  # steps of a power iteration at most
_CONVERGED: Final = 1 - 1e-6  # cosine of an axis with that of the step before


class Centroids:
    """Theme id → sum of its members' vectors, with the nearest for a vector."""

    def __init__(self, dimensions: int) -> None:
        self._slots: dict[int, int] = {}
        self._ids: list[int] = []
        self._sums = np.zeros((64, dimensions), np.float32)
        self._units = np.zeros((64, dimensions), np.float32)
        self._cell = np.zeros(64, np.intp)  # of each slot
        self._cells: list[set[int]] = [set()]  # the themes in each cell
        self._middles = np.zeros((1, dimensions), np.float32)  # of the cells

    def __len__(self) -> int:
        return len(self._ids)

    def sum(self, theme: int) -> Rows:
        """The sum of a theme's vectors; not to be changed."""
        total: Rows = self._sums[self._slots[theme]]
        return total

    def direction(self, theme: int) -> Rows:
        """The sum, of length 1; not to be changed."""
        direction: Rows = self._units[self._slots[theme]]
        return direction

    def directions(self, themes: Sequence[int]) -> Rows:
        """`direction` of each of these: themes × dimensions, a copy."""
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
                self._cell = np.concatenate([self._cell, np.zeros_like(self._cell)])
        else:
            self._cells[self._cell[slot]].discard(theme)
        self._sums[slot] = total
        self._units[slot] = units(total)
        cell = int(_dots(self._middles, self._units[slot]).argmax())
        self._cell[slot] = cell
        self._cells[cell].add(theme)
        if len(self._cells[cell]) > max(_SMALLEST_SPLIT, 2 * sqrt(len(self._ids))):
            self._split(cell)

    def drop(self, theme: int) -> None:
        """Take a theme out; nothing of its sum stays in memory that is in use."""
        slot, last = self._slots.pop(theme), self._ids.pop()
        self._cells[self._cell[slot]].discard(theme)
        if last != theme:
            end = len(self._ids)
            self._ids[slot], self._slots[last] = last, slot
            for column in (self._sums, self._units, self._cell):
                column[slot] = column[end]
        self._sums[len(self._ids)] = self._units[len(self._ids)] = 0

    def nearest(
        self, row: Rows, count: int, without: Collection[int] = ()
    ) -> list[tuple[int, float]]:
        """Up to `count` (theme, cosine) of those nearest to a vector of length 1, best first.
        Only the `PROBED` nearest cells are searched: with thousands of themes the answer may
        lack one."""
        if not self._ids:
            return []
        if len(self._ids) <= _EXHAUSTIVE or len(self._cells) <= PROBED:
            slots: NDArray[np.intp] | slice = slice(0, len(self._ids))
        else:
            probed = np.zeros(len(self._cells), np.bool_)
            probed[np.argpartition(_dots(self._middles, row), -PROBED)[-PROBED:]] = True
            slots = np.flatnonzero(probed[self._cell[: len(self._ids)]])
        cosines = _dots(self._units[slots], row)
        most = min(len(cosines), count + len(without))
        if not most:
            return []
        best = np.argpartition(cosines, -most)[-most:]
        found: list[tuple[int, float]] = []
        for at in best[np.lexsort((best, -cosines[best]))]:
            theme = self._ids[at if isinstance(slots, slice) else slots[at]]
            if theme not in without:
                found.append((theme, float(cosines[at])))
        return found[:count]

    def _split(self, cell: int) -> None:
        themes = sorted(self._cells[cell])
        rows = self._units[[self._slots[theme] for theme in themes]]
        side = halves(rows, _ROUNDS)
        new = len(self._cells)
        middles = np.stack([units(rows[~side].sum(axis=0)), units(rows[side].sum(axis=0))])
        self._middles[cell] = middles[0]
        self._middles = np.concatenate([self._middles, middles[1:]])
        moved = {theme for theme, other in zip(themes, side, strict=True) if other}
        self._cells[cell] -= moved
        self._cells.append(moved)
        for theme in moved:
            self._cell[self._slots[theme]] = new


def halves(rows: Rows, rounds: int) -> NDArray[np.bool_]:
    """Which of at least two rows of length 1 go to the second half: neither half is empty. 2-means
    by cosine, begun at the two rows that lie farthest apart along the first principal axis."""
    along = _along(rows - rows.mean(axis=0))
    first, second = rows[int(along.argmin())], rows[int(along.argmax())]
    side = np.zeros(len(rows), np.bool_)
    for turn in range(rounds):
        found = _dots(rows, second) > _dots(rows, first)
        if found.all() or not found.any():  # equal rows have no direction in which they differ
            side = np.zeros(len(rows), np.bool_)
            side[np.argsort(along, kind="stable")[len(rows) // 2 :]] = True
            return side
        if turn and (found == side).all():
            break
        side = found
        first, second = units(rows[~side].sum(axis=0)), units(rows[side].sum(axis=0))
    return side


def _along(spread: Rows) -> Rows:
    """Where each row lies along the first principal axis of rows whose mean is zero: of many by
    power iteration, for `eigh` has several threads wait for each other, up to 160 ms instead of 1
    ms."""
    if len(spread) <= _FEW:
        exact: Rows = np.linalg.eigh(spread @ spread.T)[1][:, -1]
        return exact
    axis = units(spread[int(np.einsum("ij,ij->i", spread, spread).argmax())])
    for _ in range(_POWERS):
        before, axis = axis, units(np.einsum("ij,i->j", spread, _dots(spread, axis)))
        if float(np.einsum("i,i->", before, axis)) > _CONVERGED:
            break
    return _dots(spread, axis)


def _dots(rows: Rows, row: Rows) -> Rows:
    """`rows @ row`, in this thread alone."""
    high = max(1, IN_ONE_THREAD // rows.shape[1])
    if len(rows) <= high:
        found: Rows = rows @ row
        return found
    parts: Rows = np.concatenate([rows[at : at + high] @ row for at in range(0, len(rows), high)])
    return parts
