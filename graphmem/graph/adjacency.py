"""A node's out-links, strongest first: a packed head, and overflow keys behind it.

An entry is 24 bytes: L inverted (8), target inverted (8), relation code (4), distance in the focus
(1), zeros (3). Inverted big-endian numbers make the strongest, then the newest target, sort first,
so the head and the overflow keys share one order. The head holds the first 256 entries; only a full
head has overflow.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmem.errors import CorruptError
from graphmem.graph import strength
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader

HEAD_ENTRIES: Final = 256
ENTRY_BYTES: Final = 24
KEY_BYTES: Final = 20  # of an entry: what it is sorted by
_ENTRY: Final = struct.Struct(">QQIB3x")
_COLUMNS: Final = np.dtype(
    [("weakness", ">u8"), ("target", ">u8"), ("relation", ">u4"), ("distance", "u1"), ("", "V3")]
)
_FLIP: Final = (1 << 64) - 1
_OFFSET: Final = 1 << 63
_TOP: Final = _FLIP - _OFFSET


class Entry(NamedTuple):
    """One out-link as the adjacency keeps it."""

    level: int  # L, see graph.strength
    target: int
    relation: int  # code
    distance: int  # 1–255: how far back in the focus the other end was; 1 for other links


def pack(entry: tuple[int, int, int, int]) -> bytes:
    """The 24 bytes of an `Entry`."""
    level, target, relation, distance = entry
    return _ENTRY.pack(_TOP - level, _FLIP - target, relation, distance)


def unpack(packed: bytes) -> Entry:
    """The entry of 24 bytes."""
    level, target, relation, distance = _ENTRY.unpack(packed)
    return Entry(_FLIP - level - _OFFSET, _FLIP - target, relation, distance)


def head_key(scope: Scope, node: int) -> bytes:
    """The key of a node's head."""
    return scope.prefix(Space.HEAD) + node.to_bytes(8, "big")


def overflow_prefix(scope: Scope, node: int) -> bytes:
    """The bytes that begin a node's overflow keys."""
    return scope.prefix(Space.OVERFLOW) + node.to_bytes(8, "big")


def entries(head: bytes, count: int = HEAD_ENTRIES) -> list[Entry]:
    """The first `count` entries of a head. Raises CorruptError when it is no whole number."""
    if len(head) % ENTRY_BYTES:
        raise CorruptError(f"an adjacency head has {len(head)} bytes; run check()")
    return [
        Entry(_FLIP - level - _OFFSET, _FLIP - target, relation, distance)
        for level, target, relation, distance in _ENTRY.iter_unpack(head[: count * ENTRY_BYTES])
    ]


class Columns(NamedTuple):
    """Many entries at once."""

    weakness: NDArray[np.uint64]  # L inverted
    targets: NDArray[np.uint64]
    relations: NDArray[np.uint32]
    distances: NDArray[np.uint8]


def columns(packed: bytes) -> Columns:
    """The entries of joined heads. Raises CorruptError when they are no whole number."""
    if len(packed) % ENTRY_BYTES:
        raise CorruptError(f"adjacency heads have {len(packed)} bytes; run check()")
    rows = np.frombuffer(packed, _COLUMNS)
    weakness, inverted = rows["weakness"].astype(np.uint64), rows["target"].astype(np.uint64)
    return Columns(weakness, ~inverted, rows["relation"], rows["distance"])


def weakest(passes: int, decay: float) -> np.uint64:
    """The greatest weakness of a link that is not broken at pass `passes`."""
    return np.uint64(_FLIP - (strength.broken_level(passes, decay) + _OFFSET))


def overflow(reader: Reader, scope: Scope, node: int) -> Iterator[Entry]:
    """The entries behind a full head, strongest first."""
    start = overflow_prefix(scope, node)
    for key, value in reader.range(start, keys.after(start)):
        if len(key) + len(value) - len(start) != KEY_BYTES + 1:
            raise CorruptError(f"an adjacency entry of node {node} is no entry; run check()")
        yield unpack(key[len(start) :] + value + b"\x00\x00\x00")


def out_links(
    reader: Reader, scope: Scope, node: int, head: bytes | None = None
) -> Iterator[Entry]:
    """All out-links of a node, strongest first, broken ones included; `head` if it is known."""
    if head is None:
        head = reader.get(head_key(scope, node)) or b""
    yield from entries(head)
    if len(head) == HEAD_ENTRIES * ENTRY_BYTES:
        yield from overflow(reader, scope, node)


def _position(head: bytes, key: bytes) -> int:
    """The index of the first entry that does not sort before `key`."""
    low, high = 0, len(head) // ENTRY_BYTES
    while low < high:
        middle = (low + high) // 2
        start = middle * ENTRY_BYTES
        if head[start : start + KEY_BYTES] < key:
            low = middle + 1
        else:
            high = middle
    return low


class AdjacencyWriter:
    """Changes heads and overflow within one transaction; heads are written once, at its end."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._scope = tx.scope
        self._heads: dict[int, bytes] = {}
        self._sizes: dict[int, int] = {}  # of the heads as they are stored
        self._changed: set[int] = set()
        tx.before_commit(self._flush)

    def head(self, node: int) -> bytes:
        """The node's head as this transaction sees it."""
        head = self._heads.get(node)
        if head is None:
            head = self._heads[node] = self._tx.get(head_key(self._scope, node)) or b""
            self._sizes[node] = len(head)
        return head

    def out_links(self, node: int) -> list[Entry]:
        """All out-links of a node as this transaction sees them."""
        head = self.head(node)
        found = entries(head)
        if len(head) == HEAD_ENTRIES * ENTRY_BYTES:
            found.extend(overflow(self._tx, self._scope, node))
        return found

    def add(self, node: int, entry: tuple[int, int, int, int]) -> None:
        """Put an `Entry` in its place. It must not be there yet."""
        packed = pack(entry)
        head = self._heads.get(node)
        if head is None:
            head = self.head(node)
        # What has just been made is mostly the strongest and newest.
        at = 0 if packed < head else _position(head, packed[:KEY_BYTES]) * ENTRY_BYTES
        if at == HEAD_ENTRIES * ENTRY_BYTES:
            self._add_overflow(node, packed)
            return
        head = head[:at] + packed + head[at:]
        if len(head) > HEAD_ENTRIES * ENTRY_BYTES:
            self._add_overflow(node, head[-ENTRY_BYTES:])
            head = head[:-ENTRY_BYTES]
        self._heads[node] = head
        self._changed.add(node)

    def remove(self, node: int, entry: Entry) -> None:
        """Take an entry out; the strongest of the overflow moves up. It must be there."""
        key, head = pack(entry)[:KEY_BYTES], self.head(node)
        at = _position(head, key) * ENTRY_BYTES
        start = overflow_prefix(self._scope, node)
        if head[at : at + KEY_BYTES] != key:
            if self._tx.delete(start + key) is None:
                raise CorruptError(f"node {node} lacks a link that its triples name; run check()")
            return
        shorter = head[:at] + head[at + ENTRY_BYTES :]
        if len(head) == HEAD_ENTRIES * ENTRY_BYTES:
            first = next(self._tx.range(start, keys.after(start)), None)
            if first is not None:
                self._tx.remove(first[0], len(first[1]))
                shorter += first[0][len(start) :] + first[1] + b"\x00\x00\x00"
        self._heads[node] = shorter
        self._changed.add(node)

    def _add_overflow(self, node: int, packed: bytes) -> None:
        key = overflow_prefix(self._scope, node) + packed[:KEY_BYTES]
        self._tx.insert(key, packed[KEY_BYTES : KEY_BYTES + 1])

    def _flush(self) -> None:
        for node in self._changed:
            key, head, size = head_key(self._scope, node), self._heads[node], self._sizes[node]
            if not size:
                if head:
                    self._tx.insert(key, head)
            elif head:
                self._tx.replace(key, head, size)
            else:
                self._tx.remove(key, size)
