"""The scale of similarity, the same for every model of vectors: a cosine of centred vectors in
standard deviations of the cosines of random pairs.

The calibration is not stored: from an exact mean and all other vectors, an erased vector could be
computed.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from graphmem.index.vectors.products import Rows, units

FEWEST: Final = 32  # vectors that a calibration needs
UNRELATED: Final = 0.30  # mean similarity of two random texts
STEP: Final = 0.10  # similarity for one deviation
_PAIRS: Final = 8192
_PAIRS_AT_ONCE: Final = 1024
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Calibration:
    """The mean of a memory's vectors, and the standard deviation of cosines of centred ones."""

    mean: Rows
    deviation: float

    @classmethod
    def of(cls, rows: Rows) -> Calibration:
        """The calibration of at least two vectors of length 1 (count × dimensions), by up to 8,192
        random pairs, drawn with a fixed seed."""
        return returned(cls.in_steps(rows))

    @classmethod
    def in_steps(cls, rows: Rows) -> Generator[None, None, Calibration]:
        """The same as `of`, a few milliseconds at a time."""
        mean = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
        yield
        draw = np.random.default_rng(0)
        first = draw.integers(0, len(rows), _PAIRS)
        second = (first + draw.integers(1, len(rows), _PAIRS)) % len(rows)
        cosines = np.empty(_PAIRS, np.float32)
        for at in range(0, _PAIRS, _PAIRS_AT_ONCE):
            batch = slice(at, at + _PAIRS_AT_ONCE)
            left, right = units(rows[first[batch]] - mean), units(rows[second[batch]] - mean)
            cosines[batch] = np.einsum("ij,ij->i", left, right)
            yield
        return cls(mean, max(float(cosines.std()), 1e-3))

    def centred(self, rows: Rows) -> Rows:
        """Vectors of length 1 minus the mean, brought to length 1."""
        return units(rows - self.mean)

    def cosine(self, similarity: float) -> float:
        """The cosine of centred vectors with this similarity."""
        return (similarity - UNRELATED) / STEP * self.deviation

    def similarity(self, cosine: float) -> float:
        """The similarity for a cosine of centred vectors: 0.30 for unrelated texts, and 0.10 more
        for each deviation."""
        return UNRELATED + STEP * cosine / self.deviation


def returned(steps: Generator[None, None, _Found]) -> _Found:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: _Found = end.value
            return found
