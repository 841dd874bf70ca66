"""The stored rows of vectors: each as bytes with its generation, and their counters."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphmem.hexastore.fields import unreadable, wrong
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

SET_ASIDE: Final = b"\xff"
"""In the queue: a node that is not tried again until its text changes."""
_STATE: Final = struct.Struct(">HI7Q")  # the fields of a VectorState but the last
_HEADER: Final = struct.Struct(">Hf")  # generation, scale
WAITING: Final = b"\x00"
"""In the queue: a node that waits."""


def quantized(vector: NDArray[np.float32]) -> tuple[float, NDArray[np.int8]]:
    """(scale, bytes) of a vector; bytes × scale has length 1."""
    row = np.round(vector * (127.0 / float(np.abs(vector).max()))).astype(np.int8)
    return 1.0 / float(np.linalg.norm(row.astype(np.float32))), row


class VectorState(NamedTuple):
    """Model and counters of a scope's vectors; written in the batch of the change."""

    generation: int = 0  # 0: this scope has never had vectors
    dimensions: int = 0  # 0: not known yet
    backlog: int = 0  # nodes up to this one are still to be queued; 0: none
    vectors: int = 0  # of this generation
    waiting: int = 0
    set_aside: int = 0
    cached: int = 0  # embeddings in the cache
    next_place: int = 1  # in the order of their last use
    first_place: int = 1  # no embedding was used last before it
    model: str = ""

    @classmethod
    def read(cls, reader: Reader | Transaction, scope: Scope) -> VectorState:
        """The state as `reader` sees it. Raises CorruptError."""
        record = reader.get(scope.prefix(Space.VECTOR_STATE))
        if record is None:
            return cls()
        size = _STATE.size
        try:
            return cls._make((*_STATE.unpack(record[:size]), record[size:].decode()))
        except (struct.error, UnicodeDecodeError) as error:
            raise unreadable("the record of a scope's vectors", error) from None

    def write(self, tx: Transaction) -> None:
        try:
            numbers = _STATE.pack(*self[:-1])
        except struct.error as error:  # continued from a damaged record
            raise wrong(f"the counters of a scope's vectors make no sense ({error})") from None
        tx.put(tx.scope.prefix(Space.VECTOR_STATE), numbers + self.model.encode())


def packed(generation: int, scale: float, row: NDArray[np.int8]) -> bytes:
    """A vector as it is stored; see `unpacked`."""
    return _HEADER.pack(generation, scale) + row.tobytes()


def unpacked(record: bytes) -> tuple[int, float, NDArray[np.int8]]:
    """(generation, scale, bytes) of a stored vector; that of a text in Han or kana has a negative
    scale.

    Raises CorruptError.
    """
    try:
        generation, scale = _HEADER.unpack_from(record)
    except struct.error as error:
        raise unreadable("a vector", error) from None
    return generation, scale, np.frombuffer(record, np.int8, offset=_HEADER.size)
