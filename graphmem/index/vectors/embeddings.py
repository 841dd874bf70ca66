"""The cache of embeddings: the `SIZE` vectors used last, keyed by model and text, so that none is
made twice. An entry names the node that it was made for last, by which erasing finds it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphmem.hexastore import keys
from graphmem.hexastore.fields import unreadable
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors.records import VectorState
from graphmem.storage.engine import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE: Final = 50_000
DIGEST_BYTES: Final = 32
_HEADER: Final = struct.Struct(">QQf")  # node, place, scale


class Embedding(NamedTuple):
    """A cached vector, and the node that it was made for last."""

    node: int
    place: int
    scale: float
    row: NDArray[np.int8]

    @classmethod
    def unpack(cls, record: bytes) -> Embedding:
        """Read a record. Raises CorruptError when it is not one."""
        try:
            node, place, scale = _HEADER.unpack_from(record)
        except struct.error as error:
            raise unreadable("an embedding", error) from None
        return cls(node, place, scale, np.frombuffer(record, np.int8, offset=_HEADER.size))


def digest(model: str, text: str) -> bytes:
    """The key of a text under a model."""
    return sha256(f"{model}\x00passage\x00{text}".encode()).digest()


class EmbeddingCache:
    """The cache of one scope."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._size = SIZE
        self.asked = 0  # since the memory was opened
        self.hits = 0

    def get(self, reader: Reader, key: bytes) -> Embedding | None:
        """The embedding under a digest, None if it is not known."""
        record = reader.get(self._scope.prefix(Space.EMBEDDING) + key)
        self.asked += 1
        self.hits += record is not None
        return None if record is None else Embedding.unpack(record)

    def put(
        self, tx: Transaction, key: bytes, node: int, scale: float, row: NDArray[np.int8]
    ) -> None:
        """Store an embedding as the one used last; the oldest beyond `SIZE` are dropped."""
        state = VectorState.read(tx, self._scope)
        place = state.next_place
        known = self._drop(tx, key)
        entry = _HEADER.pack(node, place, scale) + row.tobytes()
        tx.put_uncounted(self._scope.prefix(Space.EMBEDDING) + key, entry)
        tx.put_uncounted(self._scope.prefix(Space.EMBEDDING_AGE) + keys.u64(place), key)
        cached, first = state.cached + (not known), state.first_place
        if cached > self._size:
            # From where the last trimming ended: LevelDB reads slowly over what was just deleted.
            start = self._scope.prefix(Space.EMBEDDING_AGE)
            for age, oldest in tx.range(start + keys.u64(first), keys.after(start)):
                self._drop(tx, oldest)
                cached, first = cached - 1, int.from_bytes(age[-8:], "big") + 1
                if cached <= self._size:
                    break
        state._replace(cached=cached, next_place=place + 1, first_place=first).write(tx)

    def erase(self, tx: Transaction, node: int) -> None:
        """Drop the embeddings made for a node, in all its forms. Reads the whole cache."""
        dropped = 0
        for key, record in list(entries(tx, self._scope)):
            if Embedding.unpack(record).node == node:
                dropped += self._drop(tx, key)
        if dropped:
            state = VectorState.read(tx, self._scope)
            state._replace(cached=state.cached - dropped).write(tx)

    def _drop(self, tx: Transaction, key: bytes) -> bool:
        record = tx.get(self._scope.prefix(Space.EMBEDDING) + key)
        if record is None:
            return False
        place = Embedding.unpack(record).place
        tx.put_uncounted(self._scope.prefix(Space.EMBEDDING) + key, None)
        tx.put_uncounted(self._scope.prefix(Space.EMBEDDING_AGE) + keys.u64(place), None)
        return True


def entries(reader: Reader | Transaction, scope: Scope) -> Iterator[tuple[bytes, bytes]]:
    """The digests and records of the whole cache."""
    start = scope.prefix(Space.EMBEDDING)
    for key, record in reader.range(start, keys.after(start)):
        yield key[len(start) :], record
