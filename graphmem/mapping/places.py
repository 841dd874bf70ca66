"""Where nodes lie on the map: near similar ones, and permanently.

The first nodes are laid out together: groups of similar ones are isles, which lie by the two main
axes of their centres and are pushed apart; within an isle, direction and distance from the middle
follow the two main axes of its members. A later node takes a free place beside the most similar
ones; no other moves. The same nodes give the same map. Distances are in units of the
distance between two neighbours; places are multiples of a sixteenth of it, up to 2,047 from the
middle, so that they are the same when they have been stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin, sqrt
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from graphmem.index.vectors.products import Rows, product, units

Numbers = NDArray[np.intp]

DIMENSIONS: Final = 192  # of features made of keywords
_GOLDEN: Final = pi * (3 - sqrt(5))  # radians
MOST_ISLES: Final = 40
STEP: Final = 1 / 16  # of places
_FARTHEST: Final = (1 << 15) - 1  # steps from the middle
_ROUNDS: Final = 10  # of k-means
_PUSHES: Final = 200  # rounds in which isles that overlap move apart
_GAP: Final = 1.12  # distance of isles over the sum of their radii
_PULL: Final = np.array([0.985, 0.95])  # towards the middle, the first round; screens are wide
_ALIKE: Final = 0.35  # cosine from which a node is drawn towards one of a group
_LIKE: Final = 0.2  # cosine from which two nodes count as similar
_APART: Final = 1.25  # of nodes of one row of an isle that came later …
_ROW: Final = 1.1  # … and of two rows
_TRIES: Final = 600  # places around a node that are looked at
_AT_ONCE: Final = 512  # nodes that are compared, or drawn, at once
_SAMPLE: Final = 512  # rows by which the main axes are found
_TOGETHER: Final = np.float32(2)  # weight of a group's middle; a node's own features have 1
_TURNS: Final = 30  # rounds of the search for main axes


class Place(NamedTuple):
    """Where a node lies."""

    x: float
    y: float
    isle: int


def of_keywords(keywords: Sequence[Sequence[str]]) -> Rows:
    """Features of nodes by their keywords, rows of length 1 (zeros without any): the sum of vectors
    of signs made of their hashes, weighted by rarity; one that only one node has counts little."""
    numbers: dict[str, int] = {}
    flat: list[int] = []
    owners: list[int] = []
    for node, own in enumerate(keywords):
        for keyword in dict.fromkeys(k.casefold() for k in own):
            flat.append(numbers.setdefault(keyword, len(numbers)))
            owners.append(node)
    features = np.zeros((len(keywords), DIMENSIONS), np.float32)
    if not flat:
        return features
    places = np.array(flat, np.intp)
    counts = np.bincount(places)
    hashes = np.array([crc32(k.encode()) for k in numbers], np.uint64)
    weights = np.log1p(len(keywords) / counts) * np.where(counts > 1, 1.0, 0.3)
    vectors = _signs(hashes) * weights[:, None].astype(np.float32)
    rows = np.array(owners, np.intp)
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    for at in range(0, len(starts), _AT_ONCE):  # in parts that fit into a cache
        begun = starts[at : at + _AT_ONCE]
        end = starts[at + _AT_ONCE] if at + _AT_ONCE < len(starts) else len(places)
        own_vectors = vectors[places[begun[0] : end]]
        features[rows[begun]] = np.add.reduceat(own_vectors, begun - begun[0], axis=0)
    return units(features)


def _signs(hashes: NDArray[np.uint64]) -> Rows:
    """±1 by hash and dimension, by the mixing of splitmix64."""
    numbers = hashes[:, None] * np.uint64(DIMENSIONS)
    mixed = np.asarray(numbers + np.arange(DIMENSIONS, dtype=np.uint64), np.uint64)
    mixed = np.asarray(mixed * np.uint64(0x9E3779B97F4A7C15), np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = np.asarray((mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor), np.uint64)
    signs: Rows = (mixed >> np.uint64(63)).astype(np.float32) * np.float32(2) - np.float32(1)
    return signs


def drawn_together(features: Rows, groups: Sequence[Sequence[int]]) -> Rows:
    """Features drawn towards the middle of their group; those without a group towards the most
    similar ones of any group. Rows of length 1."""
    drawn = features.copy()
    for members in groups:
        own = features[list(members)]
        drawn[list(members)] = own + _TOGETHER * units(own.mean(0, keepdims=True))
    having = sorted({node for members in groups for node in members})
    others = np.setdiff1d(np.arange(len(features)), having)
    having = having[:: len(having) // _SAMPLE + 1]
    for node, near in zip(others.tolist(), alike(features[others], features[having]), strict=True):
        for place, cosine in near:
            if cosine >= _ALIKE:
                drawn[node] += _TOGETHER * cosine * drawn[having[place]]
    return units(drawn)


def laid_out(
    features: Rows,
    groups: Sequence[Sequence[int]] = (),
) -> list[Place]:
    """A place for each node of a new map. groups: the nodes of each isle, all others form one more;
    without groups, isles are clusters of similar nodes."""
    count = len(features)
    if not count:
        return []
    isles = _isles(features, groups)
    sizes = np.bincount(isles)
    centres = np.stack([features[isles == k].mean(0) for k in range(len(sizes))])
    middles = _apart(_main_axes(centres), np.sqrt(sizes))
    found = np.zeros((count, 2))
    for isle in range(len(sizes)):
        members = np.flatnonzero(isles == isle)
        found[members] = middles[isle] + _filled(_main_axes(features[members]))
    stepped = _stepped(np.asarray(found - (found.max(0) + found.min(0)) / 2))
    return [
        Place(x, y, isle) for (x, y), isle in zip(stepped.tolist(), isles.tolist(), strict=True)
    ]


def _filled(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places that fill a disc evenly, whatever the shape of the projection: those of the seeds of a
    sunflower. Nodes are assigned to its rings by rank of distance, within a ring by angle."""
    count = len(axes)
    seeds = np.arange(count)
    turns = seeds * _GOLDEN % (2 * pi)
    by_turn = np.lexsort((turns, _ring(seeds)))
    by_distance = np.argsort(np.argsort((axes * axes).sum(1), kind="stable"))
    by_angle = np.lexsort((np.arctan2(axes[:, 1], axes[:, 0]) % (2 * pi), _ring(by_distance)))
    around = np.stack([np.cos(turns), np.sin(turns)], axis=1) * np.sqrt(seeds + 0.5)[:, None]
    found = np.empty((count, 2))
    found[by_angle] = around[by_turn]
    return found


def _ring(seeds: Numbers) -> NDArray[np.float64]:
    """The ring of each seed of a sunflower; each ring has six more seeds than the one inside it."""
    return np.ceil(np.sqrt(seeds / 3))


def isles_wanted(count: int) -> int:
    """The number of isles for `count` nodes, without the isle of nodes similar to none."""
    return int(np.clip(round(2.7 * count**0.4), 1, min(MOST_ISLES - 1, count))) if count else 0


def _isles(features: Rows, groups: Sequence[Sequence[int]]) -> Numbers:
    """The isle of each node; isles are numbered from the largest."""
    if groups:
        isles = np.full(len(features), len(groups), np.intp)
        for isle, members in enumerate(groups):
            isles[list(members)] = isle
    else:
        isles = _clusters(features)
    sizes = np.bincount(isles, minlength=len(groups))
    numbered: Numbers = np.argsort(np.argsort(-sizes, kind="stable"))[isles]
    return numbered


def _clusters(features: Rows) -> Numbers:
    """The cluster of each node, by k-means++."""
    count = len(features)
    random = np.random.default_rng(1)
    centres = [features[int(product(features, features.mean(0)[None]).argmax())]]
    far = np.clip(1 - product(features, np.stack(centres)).max(1), 0, None)
    # A node far from all centres is likely the next one.
    while len(centres) < isles_wanted(count):
        near = product(features, centres[-1][None])[:, 0]
        far = np.minimum(far, np.clip(1 - near, 0, None))
        if far.sum() <= 1e-9:
            break
        centres.append(features[int(random.choice(count, p=far / far.sum()))])
    middles = np.stack(centres)
    nearest = np.zeros(count, np.intp)
    for _ in range(_ROUNDS):
        nearest = product(features, middles).argmax(1)
        order = np.argsort(nearest, kind="stable")
        having, starts = np.unique(nearest[order], return_index=True)
        middles[having] = units(np.add.reduceat(features[order], starts, axis=0))
    return nearest


def _main_axes(rows: Rows) -> NDArray[np.float64]:
    """Rows projected on their two main axes, each scaled to a greatest absolute value of 1."""
    seen = np.zeros((len(rows), 2))
    if len(rows) > 1:
        centred = np.asarray(rows - rows.mean(0), np.float32)
        projected = product(centred, _directions(centred[:: len(rows) // _SAMPLE + 1]))
        seen = (projected / np.maximum(np.abs(projected).max(0), 1e-9)).astype(np.float64)
    # Coinciding points are spread by their order.
    turned = np.arange(len(rows)) * _GOLDEN
    return np.asarray(seen + 1e-3 * np.stack([np.cos(turned), np.sin(turned)], axis=1))


def _directions(centred: Rows) -> Rows:
    """The two main axes of some rows, by repeated multiplication with their covariance."""
    axes = centred[[int((centred * centred).sum(1).argmax()), 0]] + np.float32(1e-6)
    for _ in range(_TURNS):
        axes = product(np.ascontiguousarray(centred.T), product(axes, centred)).T
        axes[0] /= max(float(np.sqrt(axes[0] @ axes[0])), 1e-12)
        axes[1] -= (axes[1] @ axes[0]) * axes[0]
        axes[1] /= max(float(np.sqrt(axes[1] @ axes[1])), 1e-12)
    # The sign of an axis is arbitrary: make its greatest component positive.
    turned: Rows = axes * np.sign(axes[range(2), np.abs(axes).argmax(1)])[:, None]
    return turned


def _apart(seen: NDArray[np.float64], radii: NDArray[np.float64]) -> NDArray[np.float64]:
    """Middles of discs that do not overlap, near their projected places."""
    reach = 1.2 * float(np.sqrt((radii * radii).sum()))
    middles: NDArray[np.float64] = seen * np.array([1.5 * reach, reach])
    room = (radii[:, None] + radii[None]) * _GAP + 1.0
    np.fill_diagonal(room, 0)
    for done in range(_PUSHES):
        # Without a pull, outer discs would stay far out; it ends so that none overlap.
        middles *= _PULL ** (1 - done / _PUSHES)
        between = middles[:, None] - middles[None]
        distances = np.sqrt((between * between).sum(2)) + 1e-9
        short = np.clip(room - distances, 0, None)
        middles += 0.5 * (between / distances[..., None] * short[..., None]).sum(1)
    return middles


def _stepped(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places as they can be stored."""
    return np.asarray(np.clip(np.round(found / STEP), -_FARTHEST, _FARTHEST) * STEP)


class Beside:
    """Finds free places for nodes that come later."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = list(places)
        self._taken = {(place.isle, *self._cell(place.x, place.y)) for place in places}
        self._sums: dict[int, tuple[float, float, int]] = {}  # of the places of each isle
        for place in places:
            self._count(place)

    @staticmethod
    def _cell(x: float, y: float) -> tuple[int, int]:
        row = round(y / _ROW)
        return round(x / _APART - row % 2 / 2), row

    def _count(self, place: Place) -> None:
        x, y, count = self._sums.get(place.isle, (0.0, 0.0, 0))
        self._sums[place.isle] = x + place.x, y + place.y, count + 1

    def put(self, near: Sequence[tuple[int, float]], number: int, isle: int | None = None) -> Place:
        """Find and take a place for one node. near: (index of a place, weight > 0) of similar
        nodes, best first; without any it lies at the rim of an isle. number: where the search
        begins, such as the node's id. isle: the one to use; None: that of the best."""
        if isle is not None:
            near = [each for each in near if self._places[each[0]].isle == isle]
        if near:
            best = self._places[near[0][0]]
            same = [(self._places[k], w) for k, w in near if self._places[k].isle == best.isle]
            total = sum(weight for _, weight in same)
            x = sum(place.x * weight for place, weight in same) / total
            y = sum(place.y * weight for place, weight in same) / total
            isle = best.isle
        else:
            turn = number * _GOLDEN
            sums = self._sums if isle is None else {isle: self._sums.get(isle, (0.0, 0.0, 1))}
            isle, (x, y, count) = max(
                sums.items(),
                key=lambda each: (each[1][0] * cos(turn) + each[1][1] * sin(turn)) / each[1][2],
                default=(0, (0.0, 0.0, 1)),
            )
            x, y = x / count + sqrt(count) * cos(turn), y / count + sqrt(count) * sin(turn)
        for step in range(_TRIES):
            turn, away = (number + step) * _GOLDEN, 0.9 * sqrt(step)
            cell = self._cell(x + away * cos(turn), y + away * sin(turn))
            if (isle, *cell) not in self._taken:
                break
        # Rows are staggered. Places of other isles may be near: the drawing separates isles.
        there = np.array([(cell[0] + cell[1] % 2 / 2) * _APART, cell[1] * _ROW])
        x, y = _stepped(there).tolist()
        place = Place(x, y, isle)
        self._places.append(place)
        self._count(place)
        self._taken.add((isle, *cell))
        return place


def alike(new: Rows, known: Rows, most: int = 3) -> list[list[tuple[int, float]]]:
    """For each new row the most similar known ones, best first, with their cosine (≥ `_LIKE`)."""
    found: list[list[tuple[int, float]]] = []
    if not len(known):
        return [[] for _ in range(len(new))]
    for start in range(0, len(new), _AT_ONCE):
        cosines = product(known, new[start : start + _AT_ONCE]).T
        most = min(most, len(known))
        best = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
        for row, columns in zip(cosines, best, strict=True):
            pairs = sorted(((float(row[k]), int(k)) for k in columns), key=lambda p: (-p[0], p[1]))
            found.append([(k, cosine) for cosine, k in pairs if cosine >= _LIKE])
    return found
