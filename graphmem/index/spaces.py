"""The spaces of the word index and of the vectors; all of them are made anew out of the texts."""

from __future__ import annotations

from typing import Final

from graphmem.hexastore.keys import Space
from graphmem.hexastore.spaces import Declared, Salvage
from graphmem.index.vectors.embeddings import DIGEST_BYTES


def _wrong_chunk(key: bytes, _: bytes) -> str | None:
    """A chunk's key is a word, a zero and a node."""
    if len(key) < 10 or key[-9]:
        return "a key of chunk holds no word and node"
    return None


SPACES: Final = (
    Declared(Space.FRESH, 8, salvage=Salvage.MADE),
    Declared(Space.CHUNK, None, salvage=Salvage.MADE, wrong=_wrong_chunk),
    Declared(Space.FREQUENCY, None, (4,), Salvage.MADE),
    Declared(Space.VECTOR, 8, salvage=Salvage.MADE),
    Declared(Space.VECTOR_STATE, 0, salvage=Salvage.MADE),
    Declared(Space.EMBEDDING, DIGEST_BYTES, salvage=Salvage.MADE),
    Declared(Space.EMBEDDING_AGE, 8, (DIGEST_BYTES,), Salvage.MADE),
    Declared(Space.EMBED, 8, (1,), Salvage.MADE),
)
