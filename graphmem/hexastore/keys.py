"""The keys of a scope: `scope u32 ‖ space u8 ‖ …`, big-endian; see docs/format.md. Numbers are only
added, and never change their meaning."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from graphmem.storage.encoding import number as number
from graphmem.storage.encoding import u64 as u64


class Space(IntEnum):
    """The kind of a key: the byte after the scope."""

    STATE = 0x01
    META = 0x02
    LAST_TEXT = 0x03
    RELATION = 0x04
    INTENT = 0x05
    SPO = 0x10
    SOP = 0x11
    PSO = 0x12
    POS = 0x13
    OSP = 0x14
    OPS = 0x15
    DICTIONARY = 0x18
    STATISTIC = 0x19
    TEXT = 0x20
    NODE = 0x21
    FOCUS = 0x24
    DUE = 0x25
    TOMBSTONE = 0x26
    OUT = 0x27
    OVERFLOW = 0x28
    IN = 0x29
    RELATED = 0x2A
    KEYWORD = 0x2B
    SESSION = 0x2C
    FRESH = 0x30
    CHUNK = 0x31
    FREQUENCY = 0x32
    VECTOR = 0x33
    VECTOR_STATE = 0x34
    EMBEDDING = 0x35
    EMBEDDING_AGE = 0x36
    QUEUE = 0x40
    DEAD = 0x41
    EMBED = 0x42
    ARCHIVE = 0x50
    ARCHIVED = 0x51
    ITEM = 0x60
    ITEM_EXPIRY = 0x61
    CHANGE = 0x62
    FEED = 0x63
    EXPIRY = 0x68
    CONFLICT = 0x69
    THEME = 0x70
    PLACE = 0x78


ORDERS: Final = (Space.SPO, Space.SOP, Space.PSO, Space.POS, Space.OSP, Space.OPS)
UNCOUNTED: Final = frozenset(
    (Space.STATE, Space.ARCHIVE, Space.ARCHIVED, Space.EMBEDDING, Space.EMBEDDING_AGE, Space.PLACE)
)
_ITEMS: Final = (Space.ITEM, Space.ITEM_EXPIRY, Space.CHANGE, Space.FEED)
KEPT: Final = frozenset((*ORDERS, Space.DICTIONARY, Space.STATISTIC, *_ITEMS))
"""Spaces outside the budget, since making room never deletes them: facts, items, their changes."""
BEFORE_SCOPES: Final = b"\x00\x00\x00\x00\x00"
SCOPE_TABLE: Final = b"\x00\x00\x00\x00\x01"
LAST_SCOPE: Final = b"\x00\x00\x00\x00\x02"
DROPPING: Final = b"\x00\x00\x00\x00\x03"
PREFIXES: Final = b"\x00\x00\x00\x00\x04"
LOAD: Final = b"\x00\x00\x00\x00\x05"
LOADED: Final = b"\x00\x00\x00\x00\x06"
ERASING: Final = b"\x00\x00\x00\x00\x07"


def prefix(scope: int, space: Space) -> bytes:
    """The five bytes that begin every key of a space."""
    return scope.to_bytes(4, "big") + bytes((space,))


def scope_range(scope: int) -> tuple[bytes, bytes]:
    """Start and stop of all keys of a scope."""
    return scope.to_bytes(4, "big"), (scope + 1).to_bytes(4, "big")


def after(start: bytes) -> bytes:
    """The smallest key that is greater than every key with the prefix `start`."""
    trimmed = start.rstrip(b"\xff")
    return trimmed[:-1] + bytes((trimmed[-1] + 1,))


def under(start: bytes) -> tuple[bytes, bytes]:
    """Start and stop of the keys with the prefix `start`."""
    return start, after(start)
