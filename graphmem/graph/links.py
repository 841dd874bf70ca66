"""Links: the only owner of their bytes (docs/format.md §5).

A link is stored twice: as an entry of its source's out-list, and as a key of its target's in-list.
Entries are sorted as bytes: the strongest first, then the newest target. So there are up to 2⁴⁰
nodes and 2²⁴ relations.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphmem.errors import CapacityError, CorruptError
from graphmem.graph import strength
from graphmem.graph.relations import SEGMENT_CODE
from graphmem.hexastore import keys
from graphmem.hexastore.fields import wrong
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEAD_ENTRIES: Final = 256
ENTRY_BYTES: Final = 16
MOST_NODES: Final = 1 << 40
_CODE: Final = 14  # the place of the last byte of the relation in an entry
_FULL: Final = HEAD_ENTRIES * ENTRY_BYTES
_ENTRY: Final = struct.Struct(">QQ")
_COLUMNS: Final = np.dtype(
    {
        "names": ["weakness", "target", "relation", "distance"],
        "formats": [">u8", ">u8", ">u4", "u1"],
        "offsets": [0, 4, 12, 15],
        "itemsize": ENTRY_BYTES,
    }
)
"""An entry as numpy reads it, in integers that overlap: the lowest 8 bits of weakness and relation
and the highest 24 of target belong to their neighbours."""
_TOP: Final = (1 << 55) - 1  # the greatest L
_LAST: Final = MOST_NODES - 1  # the greatest node
_NODES: Final = np.uint64(_LAST)
_IN_KEY: Final = struct.Struct(">5sQIQ")  # scope and space, target, relation, source
_VALUE: Final = struct.Struct(">qB")  # of a key of IN: L, distance
VALUE_BYTES: Final = _VALUE.size
_IN_BYTES: Final = 5 + 8 + 4 + 8 + VALUE_BYTES
_RELATED_BYTES: Final = 5 + 4 + 8 + 8
_join: Final = b"".join


class Entry(NamedTuple):
    """One link as its source's out-list keeps it."""

    level: int  # L, see graph.strength
    target: int
    relation: int  # code
    distance: int  # 1–255: how far back in the focus the other end was; 1 for other links


class StoredLink(NamedTuple):
    source: int
    relation: int  # code
    target: int
    level: int  # L, see graph.strength
    distance: int

    @property
    def entry(self) -> Entry:
        return Entry(self.level, self.target, self.relation, self.distance)


# -- bytes ------------------------------------------------------------------------------------


def pack(level: int, target: int, relation: int, distance: int) -> bytes:
    """The 16 bytes of an `Entry`. Raises CapacityError for values that do not fit."""
    weakness, inverted = _TOP - level, _LAST - target
    if weakness >> 56 or inverted >> 40 or relation >> 24 or distance >> 8:
        raise CapacityError(
            f"no link has the level {level}, the target {target}, the relation {relation} and the "
            f"distance {distance}: a scope has up to 2^40 nodes and 2^24 relations"
        )
    # One number of 128 bits: half as long as four pieces that are joined.
    whole = weakness << 72 | inverted << 32 | relation << 8 | distance
    return whole.to_bytes(ENTRY_BYTES, "big")


def is_possible(link: StoredLink) -> bool:
    """True if a link can be stored: `pack` takes its entry, and there can be such a source."""
    try:
        pack(*link.entry)
    except (CapacityError, TypeError, AttributeError):  # the last two: no whole number
        return False
    return 0 <= link.source <= _LAST


def unpack(packed: bytes) -> Entry:
    return _entry(*_ENTRY.unpack(packed))


def _entry(high: int, low: int) -> Entry:
    return Entry(
        _TOP - (high >> 8),
        _LAST - ((high & 0xFF) << 32 | low >> 32),
        low >> 8 & 0xFFFFFF,
        low & 0xFF,
    )


def entries(head: bytes, count: int = HEAD_ENTRIES) -> list[Entry]:
    """The first `count` entries of an out-list. Raises CorruptError when it is no whole number."""
    if len(head) % ENTRY_BYTES:
        raise _not_whole(head)
    return [_entry(high, low) for high, low in _ENTRY.iter_unpack(head[: count * ENTRY_BYTES])]


class Columns:
    """Many entries at once, as arrays; relations are worked out only if they are asked for."""

    __slots__ = ("_packed", "distances", "targets", "weakness")

    def __init__(self, packed: NDArray[np.void]) -> None:
        self._packed = packed
        self.weakness: NDArray[np.uint64] = packed["weakness"].astype(np.uint64) >> np.uint64(8)
        inverted = packed["target"].astype(np.uint64) & _NODES
        self.targets: NDArray[np.uint64] = _NODES - inverted
        self.distances: NDArray[np.uint8] = packed["distance"]

    @property
    def relations(self) -> NDArray[np.uint64]:
        codes: NDArray[np.uint64] = self._packed["relation"].astype(np.uint64) >> np.uint64(8)
        return codes


def columns(packed: bytes) -> Columns:
    """The entries of joined out-lists. Raises CorruptError when they are no whole number."""
    if len(packed) % ENTRY_BYTES:
        raise _not_whole(packed)
    return Columns(np.frombuffer(packed, _COLUMNS))


def levels(read: Columns) -> NDArray[np.int64]:
    """L of entries that were read at once."""
    return _TOP - read.weakness.astype(np.int64)


@lru_cache(16)
def weakest(passes: int, decay: float, fades: bool) -> np.uint64:
    """The greatest weakness of a link that is not broken at pass `passes`."""
    return np.uint64(_TOP - strength.broken_level(passes, decay, fades))


def out_key(scope: Scope, node: int) -> bytes:
    return scope.prefix(Space.OUT) + node.to_bytes(8, "big")


def overflow_prefix(scope: Scope, node: int) -> bytes:
    """The bytes that begin a node's overflow keys."""
    return scope.prefix(Space.OVERFLOW) + node.to_bytes(8, "big")


def in_key(scope: Scope, source: int, relation: int, target: int) -> bytes:
    """The key of a link in the in-list of its target."""
    return _IN_KEY.pack(scope.prefix(Space.IN), target, relation, source)


def _related_key(scope: Scope, source: int, relation: int, target: int) -> bytes:
    ends = relation.to_bytes(4, "big"), source.to_bytes(8, "big"), target.to_bytes(8, "big")
    return _join((scope.prefix(Space.RELATED), *ends))


def unpack_value(value: bytes) -> tuple[int, int]:
    """L and distance, of the value of a key of IN. Raises CorruptError when it is none."""
    try:
        level, distance = _VALUE.unpack(value)
    except struct.error:
        raise wrong(f"a link's value has {len(value)} bytes") from None
    return level, distance


def of_in(key: bytes, value: bytes) -> StoredLink:
    """The link of a key of IN and its value. Raises CorruptError."""
    number = int.from_bytes
    return StoredLink(
        number(key[17:25], "big"),
        number(key[13:17], "big"),
        number(key[5:13], "big"),
        *unpack_value(value),
    )


def is_indexed(relation: int) -> bool:
    """True if RELATED holds the links of a relation: all but focus and segment."""
    return relation > SEGMENT_CODE


# -- reading ----------------------------------------------------------------------------------


def overflow(reader: Reader, scope: Scope, node: int) -> Iterator[Entry]:
    """The entries in the overflow of a full out-list, strongest first."""
    start = overflow_prefix(scope, node)
    for key in reader.keys(start, keys.after(start)):
        if len(key) - len(start) != ENTRY_BYTES:
            raise wrong(f"a link of node {node} is no entry")
        yield unpack(key[len(start) :])


def out_links(reader: Reader, scope: Scope, node: int, head: bytes) -> Iterator[Entry]:
    """All out-links of a node with an out-list, strongest first, broken ones included."""
    yield from entries(head)
    if len(head) == _FULL:
        yield from overflow(reader, scope, node)


def targets(reader: Reader, scope: Scope, node: int, relation: int, head: bytes) -> Iterator[int]:
    """The targets of a node's links of one relation, strongest first. A head without the relation
    is recognised by its codes, without decoding entries."""
    if is_full(head) or relation & 0xFF in head[_CODE::ENTRY_BYTES]:
        for entry in out_links(reader, scope, node, head):
            if entry.relation == relation:
                yield entry.target


def is_full(head: bytes) -> bool:
    """True if an out-list may have overflow."""
    return len(head) == _FULL


def in_links(
    reader: Reader, scope: Scope, target: int, relation: int | None = None
) -> Iterator[StoredLink]:
    """The links to a node, of one relation or of all, by relation and source."""
    for key, value in reader.range(*in_range(scope, target, relation)):
        yield of_in(key, value)


def in_range(scope: Scope, target: int, relation: int | None = None) -> tuple[bytes, bytes]:
    """Start and stop of a node's in-list."""
    middle = b"" if relation is None else relation.to_bytes(4, "big")
    return keys.under(scope.prefix(Space.IN) + target.to_bytes(8, "big") + middle)


def look_up(
    reader: Reader, scope: Scope, asked: Sequence[tuple[int, int, int]]
) -> list[StoredLink | None]:
    """For each (source, relation, target) the link, None where there is none."""
    found = reader.get_many([in_key(scope, *ends) for ends in asked])
    return [
        None if value is None else StoredLink(*ends, *unpack_value(value))
        for ends, value in zip(asked, found, strict=True)
    ]


def related(reader: Reader, scope: Scope, relation: int) -> Iterator[tuple[int, int]]:
    """(source, target) of the links of an indexed relation, by source and target."""
    for key in reader.keys(*related_range(scope, relation)):
        yield int.from_bytes(key[9:17], "big"), int.from_bytes(key[17:25], "big")


def related_range(scope: Scope, relation: int) -> tuple[bytes, bytes]:
    """Start and stop of the links of an indexed relation."""
    return keys.under(scope.prefix(Space.RELATED) + relation.to_bytes(4, "big"))


def by_source(reader: Reader, scope: Scope) -> Iterator[tuple[int, list[Entry]]]:
    """Every node that has out-links, ascending, with these, strongest first."""
    for key, head in reader.range(*keys.under(scope.prefix(Space.OUT))):
        node = int.from_bytes(key[5:], "big")
        yield node, list(out_links(reader, scope, node, head))


def by_target(reader: Reader, scope: Scope) -> Iterator[StoredLink]:
    """Every link, by target, relation and source."""
    for key, value in reader.range(*keys.under(scope.prefix(Space.IN))):
        yield of_in(key, value)


# -- writing ----------------------------------------------------------------------------------


class LinkWriter:
    """Changes links within one transaction, in both lists and in RELATED, with their counters.
    Out-lists are written once, when it ends."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._rows = tx.rows
        self._scope = tx.scope
        self._in = tx.scope.prefix(Space.IN)
        self._heads: dict[int, bytes] = {}
        self._changed: set[int] = set()
        self._new: set[int] = set()  # nodes of this transaction, which nothing on the disk names
        self._decayed = strength.decayed(tx.state.passes, tx.scope.decay)
        tx.before_commit(self._flush)

    # -- reading ------------------------------------------------------------------------------

    def begin(self, node: int) -> None:
        """Treat a new node as one without links on disk, which saves reading them."""
        self._new.add(node)
        self._heads.setdefault(node, b"")

    def head(self, node: int, count: int = HEAD_ENTRIES) -> bytes:
        """The first `count` entries of a node's out-list as this transaction leaves it."""
        head = self._heads.get(node)
        return (self._load(node) if head is None else head)[: count * ENTRY_BYTES]

    def out_links(self, node: int) -> list[Entry]:
        """All out-links of a node as this transaction leaves them."""
        return list(out_links(self._tx, self._scope, node, self.head(node)))

    def in_links(
        self, target: int, most: int | None = None, after: StoredLink | None = None
    ) -> list[StoredLink]:
        """The links to a node as this transaction leaves them, by relation and source: all, or at
        most `most` of those after `after`."""
        start, stop = in_range(self._scope, target)
        if after is not None:
            start = in_key(self._scope, after.source, after.relation, target) + b"\x00"
        found = (of_in(key, value) for key, value in self._tx.range(start, stop))
        return list(islice(found, most))

    def is_pointed_to(self, target: int) -> bool:
        """True if this transaction leaves any link to the node."""
        return next(self._tx.keys(*in_range(self._scope, target)), None) is not None

    # -- changing -----------------------------------------------------------------------------

    def connect(self, relation: int, links: Iterable[tuple[int, int, float, int]]) -> float:
        """Make or strengthen links: (source, target, initial strength > 0, distance) each; returns
        the strength of the last. s ← max(initial, s + ½(1 − s)); the nearer of the two distances
        stays."""
        rows, new, decayed = self._rows, self._new, self._decayed
        look_up, level_of = self._tx.get, strength.level
        prefix, in_key_of, value_of = self._in, _IN_KEY.pack, _VALUE.pack
        added: dict[int, list[bytes]] = {}
        made, now = 0, 0.0
        for source, target, initial, distance in links:
            key = in_key_of(prefix, target, relation, source)
            known = rows.get(key) if source in new or target in new else look_up(key)
            # ln 1 = 0: most links are made at full strength.
            level = decayed if initial == 1.0 else decayed + level_of(initial)
            now = initial
            if known is None:
                made += 1
                if relation > SEGMENT_CODE:
                    rows[_related_key(self._scope, source, relation, target)] = b""
            else:
                old, before = unpack_value(known)
                current = strength.decode(old, self._tx.state.passes, self._scope.decay)
                if current >= strength.BROKEN:
                    now = strength.strengthened(current, initial)
                    level, distance = decayed + level_of(now), min(distance, before)
                self._add(source, added.pop(source, ()))  # it may be one of these
                self._take_out(source, pack(old, target, relation, before))
            packed = pack(level, target, relation, distance)
            if source in added:
                added[source].append(packed)
            else:
                added[source] = [packed]
            rows[key] = value_of(level, distance)
        for source, entries_of_source in added.items():
            self._add(source, entries_of_source)
        self._count(made, made if relation > SEGMENT_CODE else 0)
        return now

    def _add(self, source: int, added: Sequence[bytes]) -> None:
        """Put entries into the out-list of a node."""
        head = self._heads.get(source)
        if head is None:
            head = self._load(source)
        if not head and len(added) <= HEAD_ENTRIES:
            head, added = _join(sorted(added)), ()
        for packed in added:
            at = _place(head, packed)
            head = head[:at] + packed + head[at:]
            if len(head) > _FULL:  # the last one goes into the overflow
                self._tx.insert(overflow_prefix(self._scope, source) + head[_FULL:], b"")
                head = head[:_FULL]
        self._heads[source] = head
        self._changed.add(source)

    def restore(self, link: StoredLink) -> None:
        """Write a link that is not there as it was. Raises CapacityError."""
        source, relation, target, level, distance = link
        packed = pack(level, target, relation, distance)
        if not 0 <= source <= _LAST:
            raise CapacityError(f"node {source} cannot be: a scope has up to 2^40 nodes")
        key = in_key(self._scope, source, relation, target)
        self._rows[key] = _VALUE.pack(level, distance)
        if is_indexed(relation):
            self._rows[_related_key(self._scope, source, relation, target)] = b""
        self._add(source, (packed,))
        self._count(1, int(is_indexed(relation)))

    def remove(self, source: int, entry: Entry) -> None:
        """Remove a link, which must be there; raises CorruptError if its source's list lacks it."""
        self._take_out(source, pack(*entry))
        self._forget(source, entry)

    def clear(self, source: int) -> list[int]:
        """Remove all links of a node; returns their targets. Linear in their number."""
        found = self.out_links(source)
        for entry in found[HEAD_ENTRIES:]:
            self._tx.remove(overflow_prefix(self._scope, source) + pack(*entry), 0)
        for entry in found:
            self._forget(source, entry)
        if found:
            self._heads[source] = b""
            self._changed.add(source)
        return [entry.target for entry in found]

    def _forget(self, source: int, entry: Entry) -> None:
        """Remove a link but for its place in the out-list."""
        ends = source, entry.relation, entry.target
        self._rows[in_key(self._scope, *ends)] = None
        if related := is_indexed(entry.relation):
            self._rows[_related_key(self._scope, *ends)] = None
        self._count(-1, -related)

    # -- the two lists ------------------------------------------------------------------------

    def _count(self, more: int, related: int) -> None:
        """Count new links, or removed ones as negative numbers; related: those in RELATED."""
        state = self._tx.state
        state.links += more
        state.live_bytes += more * _IN_BYTES + related * _RELATED_BYTES

    def _take_out(self, source: int, packed: bytes) -> None:
        """Remove an entry from an out-list; the strongest of the overflow moves up."""
        head = self.head(source)
        at = _place(head, packed)
        start = overflow_prefix(self._scope, source)
        if head[at : at + ENTRY_BYTES] != packed:
            if self._tx.delete(start + packed) is None:
                raise wrong(f"node {source} lacks a link that its target's list has")
            return
        was_full = len(head) == _FULL
        head = head[:at] + head[at + ENTRY_BYTES :]
        if was_full and (first := next(self._tx.keys(start, keys.after(start)), None)) is not None:
            self._tx.remove(first, 0)
            head += first[len(start) :]
        self._heads[source] = head
        self._changed.add(source)

    def _load(self, node: int) -> bytes:
        stored = self._tx.get(out_key(self._scope, node)) or b""
        if len(stored) % ENTRY_BYTES:
            raise _not_whole(stored)
        self._heads[node] = stored
        return stored

    def _flush(self) -> None:
        for node in self._changed:
            key, head = out_key(self._scope, node), self._heads[node]
            if not head:
                self._tx.delete(key)
            elif node in self._new:
                self._tx.insert(key, head)
            else:
                self._tx.put(key, head)


def _place(head: bytes, packed: bytes) -> int:
    """At which byte of an out-list an entry stands, or would stand."""
    places = range(0, len(head), ENTRY_BYTES)
    return ENTRY_BYTES * bisect_left(places, packed, key=lambda at: head[at : at + ENTRY_BYTES])


def _not_whole(head: bytes) -> CorruptError:
    return wrong(f"an out-list has {len(head)} bytes")
