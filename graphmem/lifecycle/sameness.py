"""Sameness: pairs of memories that say the same in other words, where there are vectors.

Two texts that contradict each other are as near as two that agree. So vectors only propose: both
must name the same numbers, deny equally, be of one speaker, and contradict each other by no rule.
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
from graphmem_worker.language.expressions import expression
from graphmem_worker.text.clauses import negation

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAME: Final = 0.67
"""The least similarity on the scale of themes (0.30 for unrelated texts, 0.10 for a deviation). Of
82 labelled pairs E5 gives the same 0.68 to 0.75; others 0.69 at most, 0.66 with equal numbers."""

_FEWEST: Final = 32  # vectors; fewer do not tell how cosines are spread
_SAMPLE: Final = 2048  # of which a calibration is made
_MOST: Final = 30_000_000  # pairs that one look compares
_NEW: Final = 256  # rows that are compared at once with _BLOCK others
_BLOCK: Final = 4096
_LONGEST: Final = 400  # characters of a text that is compared
_FIGURES: Final = re.compile(r"\d+")

Rows: TypeAlias = "NDArray[np.float32]"


class Scale(Protocol):
    """How cosines of a memory's vectors are told; see graphmem.themes.calibration."""

    def centred(self, rows: Rows) -> Rows:
        """Vectors as seen from their mean, of length 1."""
        ...

    def cosine(self, similarity: float) -> float:
        """The cosine of centred vectors that has this place on the scale."""
        ...


class Sameness:
    """Finds pairs that are near, and remembers which memories were compared with all others."""

    def __init__(self, vectors: VectorIndex, calibrated: Callable[[Rows], Scale]) -> None:
        self._vectors = vectors
        self._calibrated = calibrated
        self._compared: dict[int, int] = {}  # node → the place of its vector
        self._near: set[tuple[int, int]] = set()
        self._lock = Lock()

    def pairs(
        self, kept: Mapping[int, Seen], text: Callable[[int], TextRecord | None]
    ) -> Iterator[tuple[int, int]]:
        """Pairs out of `kept` that say the same. What is new is compared with all, up to 30
        million pairs at a look; the next look goes on from there."""
        with self._lock:
            self._look(kept)
            found = sorted(pair for pair in self._near if pair[0] in kept and pair[1] in kept)
        for one, other in found:
            a, b = text(one), text(other)
            if a is not None and b is not None and are_equivalent(a, b):
                yield one, other

    def _look(self, kept: Mapping[int, Seen]) -> None:
        held = self._vectors.hold()
        if held is None or len(held) < _FEWEST:
            return
        places = {node: held.slots.get(node, -1) for node in kept}
        nodes = sorted(node for node, place in places.items() if place >= 0)
        new = [node for node in nodes if self._compared.get(node) != places[node]]
        if len(nodes) < 2 or not new:
            return
        # Of the vectors as they are now, in memory only: a stored mean gives an erased one back.
        scale = self._calibrated(held.vectors(nodes[:: max(1, len(nodes) // _SAMPLE)]))
        least = scale.cosine(SAME)
        most = max(1, _MOST // len(nodes))
        changed = set(new)
        self._near = {pair for pair in self._near if changed.isdisjoint(pair)}
        for start in range(0, min(len(new), most), _NEW):
            some = new[start : min(start + _NEW, most)]
            rows = scale.centred(held.vectors(some))
            for at in range(0, len(nodes), _BLOCK):
                others = nodes[at : at + _BLOCK]
                near = rows @ scale.centred(held.vectors(others)).T >= least
                for i, j in zip(*map(np.ndarray.tolist, np.nonzero(near)), strict=True):
                    if some[i] != others[j]:
                        self._near.add((min(some[i], others[j]), max(some[i], others[j])))
            self._compared.update((node, places[node]) for node in some)
        if len(self._compared) > 2 * len(nodes):
            self._compared = {n: p for n, p in self._compared.items() if n in places}


def are_equivalent(one: TextRecord, other: TextRecord) -> bool:
    """Whether two texts that are near may stand for each other: the same speaker, day, numbers and
    denials, and no contradiction by rule. Only whole texts of up to 400 characters are."""
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
        contradiction(a, b, speakers=speakers) or contradiction(b, a, speakers=speakers[::-1])
    ) and _asks(a) == _asks(b)


def _numbers(text: str) -> set[str]:
    """The figures, numerals and words of time of a text."""
    folded = text.lower()
    said = (expression("asked", kind).finditer(text, folded) for kind in ("number", "time"))
    return {*_FIGURES.findall(text), *(each[0].lower().rstrip("s") for each in chain(*said))}


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’）) ").endswith(("?", "？"))
