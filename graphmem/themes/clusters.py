"""Themes as clusters of vectors that arrive one by one: attach, split, merge, move."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from graphmem.index.vectors.products import Rows, units
from graphmem.settings import ThemeRules
from graphmem.themes.calibration import Calibration
from graphmem.themes.centroids import Centroids, halves

Lookup = Callable[[Sequence[int]], Rows]
"""Centred vectors of length 1 (nodes × dimensions) of these nodes."""

_ROUND: Final = 16  # nodes after which changed themes are refined
_PASSES: Final = 3  # how often each at most: a member that moves makes room for others
_SPLIT_ROUNDS: Final = 8
_LOADED_AT_ONCE: Final = 1024
_NODES_AT_ONCE: Final = 4096
_USUAL: Final = ThemeRules()


@dataclass(slots=True)
class Assimilations:
    """How often each thing has happened since the clusters were made."""

    attached: int = 0
    created: int = 0
    split: int = 0
    merged: int = 0
    moved: int = 0
    linked: int = 0  # times that all themes were made at once


class Clusters:
    """A partition of nodes into themes, and their centroids. One thread at a time may use it. Theme
    ids count up from `next_theme` and are never used again."""

    def __init__(
        self,
        lookup: Lookup,
        calibration: Calibration,
        thresholds: ThemeRules = _USUAL,
        next_theme: int = 1,
    ) -> None:
        self.next_theme = next_theme
        self.counts = Assimilations()
        self._lookup = lookup
        self.calibration = calibration
        self._thresholds = thresholds
        self._centroids = Centroids(len(calibration.mean))
        self._members: dict[int, list[int]] = {}
        self._of: dict[int, int] = {}
        self._touched: dict[int, None] = {}  # themes that have changed since the last round
        self._waiting: dict[int, int] = {}  # theme to refine → passes that are left
        self._added = 0
        self._changes: dict[int, int] = {}

    # -- reading ------------------------------------------------------------------------------

    def theme(self, node: int) -> int | None:
        return self._of.get(node)

    def members(self, theme: int) -> tuple[int, ...]:
        """The nodes of a theme, in the order in which they came to it; none for an unknown one."""
        return tuple(self._members.get(theme, ()))

    def themes(self) -> list[int]:
        """All themes: the largest first, then the oldest."""
        return sorted(self._members, key=lambda theme: (-len(self._members[theme]), theme))

    def nearest(self, row: Rows, count: int) -> list[tuple[int, float]]:
        """Up to `count` (theme, similarity on the scale) of those nearest to a centred vector."""
        found = self._centroids.nearest(row, count)
        return [(theme, self.calibration.similarity(cosine)) for theme, cosine in found]

    def neighbours(self, theme: int) -> list[tuple[int, float]]:
        """The themes nearest to a theme, with their similarity on the scale, best first."""
        return [(k, self.calibration.similarity(c)) for k, c in self._around(theme)]

    def directions(self, themes: Sequence[int]) -> Rows:
        """The centroids of these themes, of length 1, seen from the mean: themes × dimensions."""
        return self._centroids.directions(themes)

    def memberships(self, themes: Iterable[int]) -> dict[int, int]:
        """Node → theme of the nodes of these themes, in the order in which they came to it; themes
        that are gone have none."""
        return {node: theme for theme in themes for node in self._members.get(theme, ())}

    def pieces(self, at_once: int) -> list[list[int]]:
        """All themes, in lists of `at_once`."""
        themes = list(self._members)
        return [themes[at : at + at_once] for at in range(0, len(themes), at_once)]

    def changes(self, most: int) -> dict[int, int]:
        """Node → theme of up to `most` nodes that joined a theme or changed it since they were last
        returned; the next call returns others."""
        chosen = dict(islice(self._changes.items(), most))
        for node in chosen:
            del self._changes[node]
        return {node: theme for node, theme in chosen.items() if self._of.get(node) == theme}

    @property
    def has_changes(self) -> bool:
        return bool(self._changes)

    @property
    def nodes(self) -> int:
        return len(self._of)

    # -- adding and removing ------------------------------------------------------------------

    def load(self, memberships: Mapping[int, int]) -> None:
        """Load a stored partition: node → theme. All nodes must have vectors."""
        for _ in self.loading(memberships, _LOADED_AT_ONCE):
            pass

    def loading(
        self, memberships: Mapping[int, int], at_once: int, before: Mapping[int, int] | None = None
    ) -> Iterator[None]:
        """`load`, `at_once` themes at a time; the clusters may not be used until it ends. before:
        the stored partition, if it is another one: `changes` then returns the difference."""
        if before is not None:
            self._changes = {n: t for n, t in memberships.items() if before.get(n) != t}
        for number, (node, theme) in enumerate(memberships.items()):
            self._members.setdefault(theme, []).append(node)
            self._of[node] = theme
            if number % _NODES_AT_ONCE == _NODES_AT_ONCE - 1:
                yield
        self.next_theme = max([self.next_theme, *(theme + 1 for theme in self._members)])
        for themes in self.pieces(at_once):
            rows = self._lookup([node for theme in themes for node in self._members[theme]])
            start = 0
            for theme in themes:
                stop = start + len(self._members[theme])
                self._centroids.put(theme, rows[start:stop].sum(axis=0))
                start = stop
            yield

    def add(self, node: int) -> None:
        """Put a node into the nearest theme, or into a new one. Then a theme that is too large is
        split, close ones are merged, and members of recently changed themes are moved to nearer
        ones, a few themes at each call."""
        row = self._lookup([node])[0]
        theme = self._attach(node, row)
        is_large = len(self._members[theme]) > self._thresholds.size
        changed = self._split(theme) if is_large else [theme]
        self._touched.update(dict.fromkeys(changed))
        self._added += 1
        if self._added % _ROUND == 0:
            for one in self._touched:
                self._waiting[one] = _PASSES
            self._touched.clear()
        for _ in range(-(-len(self._waiting) // _ROUND)):
            self._look_again()

    def remove(self, node: int) -> None:
        """Remove a node, if it is there. The centroid is computed again from the other members, so
        nothing of its vector is left in it."""
        theme = self._of.pop(node, None)
        if theme is None:
            return
        members = self._members[theme]
        members.remove(node)
        if members:
            self._centroids.put(theme, self._lookup(members).sum(axis=0))
        else:
            self._drop(theme)

    def refresh(self, node: int) -> None:
        """Update the centroid of a node whose vector has changed; it stays in its theme."""
        theme = self._of[node]
        self._centroids.put(theme, self._lookup(self._members[theme]).sum(axis=0))

    # -- attaching ----------------------------------------------------------------------------

    def _attach(self, node: int, row: Rows) -> int:
        limits = self._thresholds
        for theme, cosine in self._centroids.nearest(row, 1):
            similarity = self.calibration.similarity(cosine)
            has_room = len(self._members[theme]) < limits.size
            if similarity >= limits.attach or (has_room and similarity >= limits.lenient):
                self.counts.attached += 1
                self._join(theme, [node], row)
                return theme
        self.counts.created += 1
        return self._make([node], row)

    def _make(self, nodes: list[int], total: Rows) -> int:
        theme = self.next_theme
        self.next_theme += 1
        self._members[theme] = []
        self._centroids.put(theme, np.zeros_like(total))
        self._join(theme, nodes, total)
        return theme

    def _join(self, theme: int, nodes: Iterable[int], total: Rows) -> None:
        for node in nodes:
            self._members[theme].append(node)
            self._of[node] = self._changes[node] = theme
        self._centroids.put(theme, self._centroids.sum(theme) + total)

    def _drop(self, theme: int) -> None:
        del self._members[theme]
        self._centroids.drop(theme)
        self._touched.pop(theme, None)

    # -- splitting ----------------------------------------------------------------------------

    def _split(self, theme: int) -> list[int]:
        """Split a theme in two; the larger half keeps the id. Returns both themes."""
        members = self._members[theme]
        rows = self._lookup(members)
        side = halves(rows, _SPLIT_ROUNDS)
        if 2 * np.count_nonzero(side) > len(side):
            side = ~side
        self.counts.split += 1
        self._members[theme] = [members[at] for at in np.flatnonzero(~side)]
        self._centroids.put(theme, rows[~side].sum(axis=0))
        second = [members[at] for at in np.flatnonzero(side)]
        return [theme, self._make(second, rows[side].sum(axis=0))]

    # -- merging and moving -------------------------------------------------------------------

    def _merged(self, theme: int) -> int:
        """Merge a theme with the nearest neighbour that is near enough and leaves room, if any;
        returns the theme that remains."""
        for other, cosine in self._around(theme):
            if self.calibration.similarity(cosine) < self._thresholds.merge:
                break
            if len(self._members[theme]) + len(self._members[other]) <= self._thresholds.size:
                self.counts.merged += 1
                if len(self._members[other]) > len(self._members[theme]):
                    theme, other = other, theme  # the larger one stays the theme
                nodes, total = self._members[other], self._centroids.sum(other).copy()
                self._drop(other)
                self._join(theme, nodes, total)
                break
        return theme

    def _around(self, theme: int) -> list[tuple[int, float]]:
        row = self.directions([theme])[0]
        return self._centroids.nearest(row, self._thresholds.neighbours, (theme,))

    def _look_again(self) -> None:
        """Refine the theme that has waited longest, and queue those that this has changed."""
        theme = next(iter(self._waiting))
        left = self._waiting.pop(theme) - 1
        if theme not in self._members:
            return
        theme = self._merged(theme)
        changed = self._refine(theme)
        if left:
            for one in changed:
                self._waiting.setdefault(one, left)

    def _refine(self, theme: int) -> Collection[int]:
        """Move members of a theme to neighbours that are nearer than the rest of the theme; returns
        the themes that have changed."""
        changed: dict[int, None] = {}
        around = [other for other, _ in self._around(theme)]
        nodes = list(self._members[theme])
        if not around:
            return changed
        rows, others = self._lookup(nodes), self.directions(around)
        enough = self.calibration.cosine(self._thresholds.lenient)
        cosines = rows @ others.T
        own = np.einsum("ij,ij->i", units(self._centroids.sum(theme) - rows), rows)
        nearer = cosines.max(axis=1) > np.maximum(own, enough)
        for place in np.flatnonzero(nearer):
            node, row, target = nodes[place], rows[place], around[int(cosines[place].argmax())]
            if len(self._members[target]) >= self._thresholds.size:
                continue
            self.counts.moved += 1
            changed |= {theme: None, target: None}
            rest = self._centroids.sum(theme) - row
            self._members[theme].remove(node)
            self._join(target, [node], row)
            if not self._members[theme]:
                self._drop(theme)
                del changed[theme]
                break
            self._centroids.put(theme, rest)
        return changed
