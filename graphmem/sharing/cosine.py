"""Cosines of a vector and those of items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphmem.errors import ArgumentTypeError, InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FLOAT: Final = np.dtype("<f4")


def unit(vector: Sequence[float]) -> NDArray[np.float32]:
    """The vector with length 1. Raises ArgumentTypeError, InvalidArgumentError."""
    try:
        given = np.asarray(vector, np.float64)
    except (TypeError, ValueError):
        raise ArgumentTypeError("a vector is a list of numbers") from None
    except OverflowError:
        raise InvalidArgumentError("a vector has numbers that a float can hold") from None
    largest = float(np.abs(given).max()) if given.ndim == 1 and given.size else 0.0
    if not (np.isfinite(largest) and largest > 0):
        raise InvalidArgumentError("a vector has finite numbers, not all of them 0")
    scaled = given / largest  # squares of the largest floats would be infinite
    return (scaled / np.linalg.norm(scaled)).astype(_FLOAT)


def packed_vector(vector: Sequence[float]) -> bytes:
    """A vector in the format of `Items.nearest`: little-endian float32 of length 1."""
    return unit(vector).tobytes()


def cosines(asked: NDArray[np.float32], vectors: Sequence[Any]) -> list[float | None]:
    """The greatest cosine of `asked` and the packed vectors of each item, None for an item without
    a vector of the same dimensions. vectors: the metadata "vectors" of each item."""
    owners: list[int] = []
    packed: list[bytes] = []
    for place, given in enumerate(vectors):
        for vector in given if isinstance(given, list) else ():
            if isinstance(vector, bytes) and len(vector) == asked.nbytes:
                owners.append(place)
                packed.append(vector)
    best = np.full(len(vectors), -np.inf)
    if packed:
        matrix = np.frombuffer(b"".join(packed), _FLOAT).reshape(len(packed), len(asked))
        np.fmax.at(best, owners, matrix @ asked)
    return [None if score == -np.inf else score for score in best.tolist()]
