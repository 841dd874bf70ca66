"""Features of the candidates for a cue, each from 0 to 1.

Those that need only ids and indexes are computed here for all candidates at once; `ranking` adds
those that need a node's text for the candidates that are read. A score is the sum of the features,
each times its fitted weight (`weights`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from graphmem.index.vectors.index import Nearest
from graphmem.index.words.postings import Nodes, Postings
from graphmem.recalling import sessions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SESSIONS: Final = 20.0
"""Sessions after which recency has halved."""


class Features:
    """The features of some nodes for one cue, as columns."""

    def __init__(
        self,
        nodes: Nodes,
        column: sessions.Column,
        matched: tuple[Nodes, Floats],
        nearest: Nearest | None,
    ) -> None:
        """nodes: ascending. column: their sessions. matched: nodes, ascending, and
        their BM25 against the best."""
        self.nodes = nodes
        self._column = column
        self._matched = matched
        self._nearest = nearest
        self.columns: dict[str, Floats] = {"words": looked_up(*matched, nodes)}
        self.own = words = self.columns["words"]
        """How well each matches the cue by its own words and vector."""
        self.columns["vector"] = np.zeros(len(nodes))
        if nearest is not None:
            self.columns["vector"] = self._nearness(nodes) ** 2
            self.own = (words + self.columns["vector"]) / 2

    def _nearness(self, nodes: Nodes) -> Floats:
        """The shares of vectors; of a node that has none yet, its match by words."""
        assert self._nearest is not None
        shares = self._nearest.shares(nodes.tolist())
        found = np.fromiter((shares.get(node, -1.0) for node in nodes.tolist()), float, len(nodes))
        return np.where(found < 0, looked_up(*self._matched, nodes), found)

    def add_session(self, found: Sequence[tuple[float, Postings]]) -> None:
        """How well its session matches as one document. found: (weight, postings) of each word."""
        self.columns["session"] = sessions.scores(found, self._column, self.nodes)

    def add_contrast(self) -> None:
        """How much nearer it is to the cue than to the others near the cue: of the texts on a
        subject the one that sums it up is nearest to a question, and seldom the answer."""
        if self._nearest is not None:
            contrasts = self._nearest.contrasts(self.nodes.tolist())
            most = max(contrasts.values(), default=0.0)
            self.add("contrast", {n: max(0.0, c) / most for n, c in contrasts.items() if most > 0})

    def add_recency(self) -> None:
        """½ for each twenty sessions that began since its own; less for a match below half of the
        best: else the newest memory would be a hit for any cue."""
        newest = len(self._column.sizes) - 1  # the last node may be of an older session
        recency = 0.5 ** ((newest - self._column.numbers[self.nodes]) / _SESSIONS)
        self.columns["recency"] = recency * (2 * self.own).clip(max=1.0)

    def add_received(self, nodes: Nodes, amounts: Floats) -> None:
        """The activation received over links as a share of the most received, less its own match:
        neighbours mostly match by the same words."""
        received = looked_up(nodes, amounts, self.nodes)
        share = received / max(1.0, float(received.max(initial=0.0)))
        self.columns["activation"] = (share - self.own).clip(min=0.0)

    def add(self, name: str, values: Mapping[int, float]) -> None:
        """Add a feature that few nodes have. values: by node, 0 for all others."""
        self.columns[name] = np.fromiter(
            (values.get(node, 0.0) for node in self.nodes.tolist()), float, len(self.nodes)
        )

    def weighted(self, weights: Mapping[str, float]) -> tuple[list[str], Floats]:
        """The names of the features, and for each node a row of their weighted values."""
        rows = [weights.get(name, 0.0) * column for name, column in self.columns.items()]
        return list(self.columns), np.stack(rows, 1)


def looked_up(nodes: Nodes, values: Floats, wanted: Nodes) -> Floats:
    """The values of wanted nodes, 0 for those that have none; `nodes` ascending."""
    found = np.zeros(len(wanted))
    if len(nodes):
        places = nodes.searchsorted(wanted).clip(max=len(nodes) - 1)
        is_there = nodes[places] == wanted
        found[is_there] = values[places[is_there]]
    return found
