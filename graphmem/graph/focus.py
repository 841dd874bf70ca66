"""The focus list: up to five nodes, the newest first; the least recently used drops out."""

from __future__ import annotations

import struct

from graphmem.hexastore.fields import wrong
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.storage.engine import Reader


def key(scope: Scope) -> bytes:
    return scope.prefix(Space.FOCUS)


def read(reader: Reader, scope: Scope) -> tuple[int, ...]:
    """The nodes in focus, newest first."""
    record = reader.get(key(scope)) or b""
    if len(record) % 8:
        raise wrong(f"the focus of scope {scope.name!r} has {len(record)} bytes")
    return struct.unpack(f">{len(record) // 8}Q", record)


def pack(nodes: tuple[int, ...]) -> bytes:
    return struct.pack(f">{len(nodes)}Q", *nodes)


def entered(nodes: tuple[int, ...], newest: int, slots: int) -> tuple[int, ...]:
    """The list after `newest` has come into focus."""
    return (newest, *(n for n in nodes if n != newest))[:slots]
