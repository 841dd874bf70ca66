"""The spaces of the graph: nodes with their records and values, links, focus and due index."""

from __future__ import annotations

from typing import Final

from graphmem.graph import links
from graphmem.hexastore import terms
from graphmem.hexastore.keys import Space
from graphmem.hexastore.spaces import Declared, Salvage

_VALUE: Final = terms.TERM_BYTES + 8

SPACES: Final = (
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
