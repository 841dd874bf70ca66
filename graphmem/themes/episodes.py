"""Episodes: runs of consecutive turns of one session on one subject."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

LONGEST: Final = 25  # turns
SHORTEST: Final = 2  # turns, unless a gap in time leaves one alone
RUN_COST: Final = 1.5  # of one more run, in the unit of the squared distances
GAP: Final = timedelta(minutes=30)


def cuts(rows: NDArray[np.float32], times: Sequence[datetime]) -> list[int]:
    """The index of the first turn of each episode of a session, ascending; empty for no turns.

    rows: the turns' vectors of length 1, centred; zeros for a turn without one. times: when each
    turn was said; two turns `GAP` or more apart share no episode. Between gaps the cuts minimise
    Σ|y − ȳ|² + `RUN_COST` · runs over all partitions into runs of `SHORTEST` to `LONGEST` turns
    (Fragkou, Petridis and Kehagias, 2004).
    """
    borders = [0, *(at for at in range(1, len(times)) if times[at] - times[at - 1] >= GAP)]
    found: list[int] = []
    for start, stop in zip(borders, [*borders[1:], len(rows)], strict=True):
        found.extend(start + cut for cut in _cheapest(rows[start:stop]))
    return found


def _cheapest(rows: NDArray[np.float32]) -> list[int]:
    count, width = rows.shape
    sums = np.zeros((count + 1, width))
    np.cumsum(rows, axis=0, out=sums[1:])
    squares = np.concatenate(([0.0], np.cumsum((rows.astype(np.float64) ** 2).sum(axis=1))))
    cost = np.full(count + 1, np.inf)
    cost[0] = 0.0
    first = np.zeros(count + 1, np.intp)  # of the last run of the best partition of a prefix
    for stop in range(SHORTEST, count + 1):
        starts = np.arange(max(0, stop - LONGEST), stop - SHORTEST + 1)
        spread = squares[stop] - squares[starts]
        spread -= ((sums[stop] - sums[starts]) ** 2).sum(axis=1) / (stop - starts)
        whole = cost[starts] + spread + RUN_COST
        best = int(whole.argmin())
        cost[stop], first[stop] = whole[best], starts[best]
    found: list[int] = []
    stop = count
    while stop > 0:
        stop = int(first[stop])
        found.append(stop)
    return found[::-1]
