"""Sameness: pairs of memories that state the same in other words, found with vectors.

Vectors of contradicting texts are as near as those of equal ones. So they only propose pairs: both
texts must have the same numbers, negation and speaker, and no rule may find a contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import numpy as np

from graphmem.graph.records import TextRecord
from graphmem.index.vectors.index import VectorIndex
from graphmem.lifecycle.cleaning import Seen
from graphmem_worker.claims import contradiction
from graphmem_worker.claims.contrast import are_of_two
from graphmem_worker.language.expressions import expression
from graphmem_worker.text.clauses import negation

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAME: Final = 0.67
"""The least similarity on the scale of themes (0.30 for unrelated texts, 0.10 for a deviation). Of
82 labelled pairs E5 gives the same 0.68 to 0.75; others 0.69 at most, 0.66 with equal numbers."""

_FEWEST: Final = 32  # vectors; fewer do not show the distribution of cosines
_SAMPLE: Final = 2048  # vectors for a calibration
_MOST: Final = 30_000_000  # pairs that one call compares
_NEW: Final = 256  # rows that are compared at once with _BLOCK others
_BLOCK: Final = 4096
_LONGEST: Final = 400  # characters of a text that is compared
_FIGURES: Final = re.compile(r"\d+")

Rows: TypeAlias = "NDArray[np.float32]"


class Scale(Protocol):
    """A calibration of the cosines of a memory's vectors; see graphmem.themes.calibration."""

    def centred(self, rows: Rows) -> Rows:
        """Vectors minus their mean, of length 1."""
        ...

    def cosine(self, similarity: float) -> float:
        """The cosine of centred vectors for a similarity on this scale."""
        ...


class Sameness:
    """Finds near pairs, and keeps which memories were compared with all others."""

    def __init__(self, vectors: VectorIndex, calibrated: Callable[[Rows], Scale]) -> None:
        self._vectors = vectors
        self._calibrated = calibrated
        self._compared: dict[int, int] = {}  # node → the place of its vector
        self._near: set[tuple[int, int]] = set()
        self._lock = Lock()

    def pairs(
        self, kept: Mapping[int, Seen], text: Callable[[int], TextRecord | None]
    ) -> Iterator[tuple[int, int]]:
        """Pairs out of `kept` that state the same. New memories are compared with all others, up to
        30 million pairs in a call; the next call continues."""
        with self._lock:
            self._look(kept)
            found = sorted(pair for pair in self._near if pair[0] in kept and pair[1] in kept)
        for one, other in found:
            a, b = text(one), text(other)
            if a is not None and b is not None and are_equivalent(a, b):
                yield one, other

    def _look(self, kept: Mapping[int, Seen]) -> None:
        snapshot = self._vectors.hold()
        if snapshot is None or len(snapshot) < _FEWEST:
            return
        places = {node: snapshot.slots.get(node, -1) for node in kept}
        nodes = sorted(node for node, place in places.items() if place >= 0)
        new = [node for node in nodes if self._compared.get(node) != places[node]]
        if len(nodes) < 2 or not new:
            return
        # Computed from the current vectors and never stored: a mean could reveal an erased vector.
        scale = self._calibrated(snapshot.vectors(nodes[:: max(1, len(nodes) // _SAMPLE)]))
        least = scale.cosine(SAME)
        most = max(1, _MOST // len(nodes))
        changed = set(new)
        self._near = {pair for pair in self._near if changed.isdisjoint(pair)}
        for start in range(0, min(len(new), most), _NEW):
            some = new[start : min(start + _NEW, most)]
            rows = scale.centred(snapshot.vectors(some))
            for at in range(0, len(nodes), _BLOCK):
                others = nodes[at : at + _BLOCK]
                near = rows @ scale.centred(snapshot.vectors(others)).T >= least
                for i, j in zip(*map(np.ndarray.tolist, np.nonzero(near)), strict=True):
                    if some[i] != others[j]:
                        self._near.add((min(some[i], others[j]), max(some[i], others[j])))
            self._compared.update((node, places[node]) for node in some)
        if len(self._compared) > 2 * len(nodes):
            self._compared = {n: p for n, p in self._compared.items() if n in places}


def are_equivalent(one: TextRecord, other: TextRecord) -> bool:
    """Whether two near texts state the same: equal speaker, day, numbers and negation, no
    contradiction by rule, and no contrast of things: left arm, right arm. False for shortened texts
    and those of more than 400 characters."""
    a, b = one.text, other.text
    if not a or not b or max(len(a), len(b)) > _LONGEST or one.speaker != other.speaker:
        return False
    if (one.happened is None) != (other.happened is None) or (
        one.happened is not None and other.happened is not None
        and abs(one.happened[0] - other.happened[0]) >= 86_400_000_000
    ):  # fmt: skip
        return False
    if _numbers(a) != _numbers(b) or (negation(a) is None) != (negation(b) is None):
        return False
    speakers = one.speaker, other.speaker
    return not (
        contradiction(a, b, speakers=speakers)
        or contradiction(b, a, speakers=speakers[::-1])
        or are_of_two(a, b)
    ) and _asks(a) == _asks(b)


def _numbers(text: str) -> set[str]:
    """The figures, numerals and words of time of a text."""
    folded = text.lower()
    found = (expression("asked", kind).finditer(text, folded) for kind in ("number", "time"))
    return {*_FIGURES.findall(text), *(each[0].lower().rstrip("s") for each in chain(*found))}


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’）) ").endswith(("?", "？"))
