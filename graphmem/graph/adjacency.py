"""A node's out-links, strongest first: a packed head, and overflow keys behind it.

An entry is 24 bytes: L inverted (8), target inverted (8), relation code (4), distance in the focus
(1), zeros (3). Inverted big-endian numbers make the strongest, then the newest target, sort first,
so the head and the overflow keys share one order. The head holds the first 256 entries; only a full
head has overflow.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, insort
from collections.abc import Iterator
from functools import lru_cache
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
_PACKED: Final = struct.Struct(f"{ENTRY_BYTES}s")


class Entry(NamedTuple):
    """One out-link as the adjacency keeps it."""

    level: int  # L, see graph.strength
    target: int
    relation: int  # code
    distance: int  # 1–255: how far back in the focus the other end was; 1 for other links


def pack(level: int, target: int, relation: int, distance: int) -> bytes:
    """The 24 bytes of an `Entry` of these."""
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
        raise _not_whole(head)
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


@lru_cache(16)
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


class AdjacencyWriter:
    """Changes heads and overflow within one transaction; heads are written once, at its end."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._scope = tx.scope
        self._heads: dict[int, list[bytes]] = {}  # packed entries, in their order
        self._sizes: dict[int, int] = {}  # bytes of the heads as they are stored
        self._changed: set[int] = set()
        tx.before_commit(self._flush)

    def begin(self, node: int) -> None:
        """Take it that a new node has no links on the disk, which spares a look."""
        if node not in self._heads:
            self._heads[node], self._sizes[node] = [], 0

    def head(self, node: int, count: int = HEAD_ENTRIES) -> bytes:
        """The first `count` entries of the node's head as this transaction sees it."""
        return b"".join(self._packed(node)[:count])

    def out_links(self, node: int) -> list[Entry]:
        """All out-links of a node as this transaction sees them."""
        head = self._packed(node)
        found = list(map(unpack, head))
        if len(head) == HEAD_ENTRIES:
            found.extend(overflow(self._tx, self._scope, node))
        return found

    def add(self, node: int, packed: bytes) -> None:
        """Put an entry in its place, packed as `pack` does. It must not be there yet."""
        head = self._heads.get(node)
        if head is None:
            head = self._packed(node)
        insort(head, packed)
        self._changed.add(node)
        if len(head) > HEAD_ENTRIES:
            last = head.pop()
            key = overflow_prefix(self._scope, node) + last[:KEY_BYTES]
            self._tx.insert(key, last[KEY_BYTES : KEY_BYTES + 1])

    def remove(self, node: int, entry: Entry) -> None:
        """Take an entry out; the strongest of the overflow moves up. It must be there."""
        key, head = pack(*entry)[:KEY_BYTES], self._packed(node)
        at = bisect_left(head, key)
        start = overflow_prefix(self._scope, node)
        if at == len(head) or not head[at].startswith(key):
            if self._tx.delete(start + key) is None:
                raise CorruptError(f"node {node} lacks a link that its triples name; run check()")
            return
        del head[at]
        self._changed.add(node)
        if len(head) == HEAD_ENTRIES - 1:
            first = next(self._tx.range(start, keys.after(start)), None)
            if first is not None:
                self._tx.remove(first[0], len(first[1]))
                head.append(first[0][len(start) :] + first[1] + b"\x00\x00\x00")

    def _packed(self, node: int) -> list[bytes]:
        head = self._heads.get(node)
        if head is None:
            stored = self._tx.get(head_key(self._scope, node)) or b""
            if len(stored) % ENTRY_BYTES:
                raise _not_whole(stored)
            head = self._heads[node] = [packed for (packed,) in _PACKED.iter_unpack(stored)]
            self._sizes[node] = len(stored)
        return head

    def _flush(self) -> None:
        for node in self._changed:
            key, head, size = head_key(self._scope, node), self.head(node), self._sizes[node]
            if not size:
                if head:
                    self._tx.insert(key, head)
            elif head:
                self._tx.replace(key, head, size)
            else:
                self._tx.remove(key, size)


def _not_whole(head: bytes) -> CorruptError:
    return CorruptError(f"an adjacency head has {len(head)} bytes; run check()")
