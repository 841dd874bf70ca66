"""The declarations of all spaces of a scope; those outside graph and index are in their rooms."""

from __future__ import annotations

from itertools import chain
from typing import Final

from graphmem.errors import CorruptError
from graphmem.forgetting import archive
from graphmem.graph import links
from graphmem.hexastore import spaces as hexastore
from graphmem.hexastore import terms
from graphmem.hexastore.keys import Space
from graphmem.hexastore.spaces import Declared, Salvage
from graphmem.index.vectors.embeddings import DIGEST_BYTES
from graphmem.lifecycle import conflicts
from graphmem.mapping import place_rows
from graphmem.remembering import intake
from graphmem.services import queue
from graphmem.sharing import item_records
from graphmem.themes import index as themes

_VALUE: Final = terms.TERM_BYTES + 8

_GRAPH: Final = (
    Declared(Space.RELATION, 4),
    Declared(Space.INTENT, 8, (8,), counter="intents"),
    Declared(Space.TEXT, 8),
    Declared(Space.NODE, 8),
    Declared(Space.OUT, 8),
    Declared(Space.OVERFLOW, 8 + links.ENTRY_BYTES, (0,)),
    Declared(Space.IN, 20, (links.VALUE_BYTES,)),
    Declared(Space.RELATED, 20, (0,)),
    Declared(Space.KEYWORD, _VALUE, (0,), counter="keywords"),
    Declared(Space.SESSION, _VALUE, (0,), Salvage.MADE, counter="sessions"),
    Declared(Space.FOCUS, 0),
    Declared(Space.DUE, 16, (0,), Salvage.MADE),
    Declared(Space.EXPIRY, 16, (0,), Salvage.MADE, counter="expiring"),
    Declared(Space.TOMBSTONE, 8, counter="tombstones"),
)


def _check_chunk(key: bytes, _: bytes) -> None:
    if len(key) < 10 or key[-9]:  # a word, a zero and a node
        raise CorruptError("a key of chunk holds no word and node")


_INDEX: Final = (
    Declared(Space.FRESH, 8, salvage=Salvage.MADE),
    Declared(Space.CHUNK, None, salvage=Salvage.MADE, check=_check_chunk),
    Declared(Space.FREQUENCY, None, (4,), Salvage.MADE),
    Declared(Space.VECTOR, 8),
    Declared(Space.VECTOR_STATE, 0),
    Declared(Space.EMBEDDING, DIGEST_BYTES, salvage=Salvage.MADE),
    Declared(Space.EMBEDDING_AGE, 8, (DIGEST_BYTES,), Salvage.MADE),
    Declared(Space.EMBED, 8, (1,)),
)
"""Postings are rebuilt from the texts, and vectors where they are lost."""

DECLARED: Final[dict[Space, Declared]] = {
    declared.space: declared
    for declared in chain(
        hexastore.SPACES,
        _GRAPH,
        _INDEX,
        queue.SPACES,
        intake.SPACES,
        archive.SPACES,
        item_records.SPACES,
        conflicts.SPACES,
        themes.SPACES,
        place_rows.SPACES,
    )
}
