"""An approximate index of vectors: a graph of near neighbours (HNSW: Malkov & Yashunin 2018), which
usearch keeps. It is made in memory and never stored, so nothing of it can be out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LINKS: Final = 16  # of a row on each level but the lowest, where it has twice as many
_ADDING: Final = 128  # candidates examined while a row is added (ef_construction), …
_SEEKING: Final = 256  # … and in a search (ef); docs/recall.md has their effect
_FLAT: Final = 1e-9  # the largest component of a vector without direction


class Hnsw:
    """A graph of the first `count` rows of a table, from which the caller has subtracted a centre.

    One thread adds. Searches of others wait for a running `add`, so add few rows at a time.
    """

    def __init__(self, dimensions: int) -> None:
        """Raises ImportError without usearch."""
        from usearch.index import Index

        self._index: Any = Index(
            ndim=dimensions,
            metric="cos",
            dtype="i8",
            connectivity=_LINKS,
            expansion_add=_ADDING,
            expansion_search=_SEEKING,
            enable_key_lookups=False,
        )
        self.count = 0

    def add(self, vectors: NDArray[np.float32]) -> None:
        """Add the rows that come next. Raises ValueError or RuntimeError if there is no room."""
        stop = self.count + len(vectors)
        slots = np.arange(self.count, stop, dtype=np.uint64)
        self._index.add(slots, _directions(vectors), threads=1)
        self.count = stop

    def near(self, direction: NDArray[np.float32], count: int) -> NDArray[np.intp]:
        """About the `count` rows nearest to a vector, centre subtracted; may miss some."""
        found: NDArray[np.uint64] = self._index.search(
            _directions(direction[None]), count, threads=1
        ).keys
        return found.astype(np.intp)


def _directions(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Vectors quantized to a byte a component, each at its own scale."""
    largest = np.abs(vectors).max(axis=1, keepdims=True).clip(_FLAT)
    rounded: NDArray[np.float32] = np.round(vectors * (np.float32(127) / largest))
    return rounded.astype(np.int8)
