"""A view: what one reader sees of a scope's nodes and links, at one snapshot and one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeVar, overload

import msgpack

from graphmem.errors import CorruptError
from graphmem.graph import adjacency, focus, strength
from graphmem.graph.adjacency import Entry
from graphmem.graph.records import NodeRecord, TextRecord, micros, moment, once_knew
from graphmem.graph.relations import Relations
from graphmem.hexastore import keys, terms, triples
from graphmem.hexastore.cache import Cache
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem.storage.engine import Reader

Value = TypeVar("Value")
STRONGEST = 4  # links whose strengths make a node's importance


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it is at the pass of the view."""

    source: int
    relation: str
    target: int
    strength: float  # 0.01–1
    distance: int  # 1 = newest in the focus when it was made
    dangling: bool  # the target has been forgotten


@dataclass(frozen=True, slots=True)
class Dangling:
    """A link whose target has been forgotten: "I once knew"."""

    link: Link
    known: Tombstone | None  # what is left of the target; None once it was erased

    def __str__(self) -> str:
        if self.known is None:
            return f"node {self.link.target}: erased"
        return once_knew(self.known.phrase, self.known.keywords)


class Links(Sequence[Link]):
    """The links of a node, strongest first."""

    def __init__(self, links: Sequence[Link], dangling: Sequence[Dangling]) -> None:
        self._links = tuple(links)
        self.dangling = tuple(dangling)
        """Those whose target has been forgotten, with what is left of it."""

    @overload
    def __getitem__(self, index: int) -> Link: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Link, ...]: ...
    def __getitem__(self, index: int | slice) -> Link | tuple[Link, ...]:
        return self._links[index]

    def __len__(self) -> int:
        return len(self._links)

    def __repr__(self) -> str:
        return f"<Links: {len(self)}, {len(self.dangling)} of them dangling>"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of a forgotten node while links still point to it."""

    id: int
    phrase: str
    keywords: tuple[str, ...]
    when: datetime
    passes: int  # the pass at which it was forgotten
    why: str

    def pack(self) -> bytes:
        """The record on disk."""
        packed: bytes = msgpack.packb(
            [self.phrase, self.keywords, micros(self.when), self.passes, self.why]
        )
        return packed

    @classmethod
    def unpack(cls, identifier: int, record: bytes) -> Tombstone:
        """Read a record. Raises CorruptError when it is not one."""
        try:
            phrase, keywords, when, passes, why = msgpack.unpackb(record)
            return cls(identifier, phrase, tuple(keywords), moment(when), passes, why)
        except (ValueError, TypeError, msgpack.UnpackException) as error:
            raise CorruptError(
                f"the tombstone of node {identifier} cannot be read ({error}); run check()"
            ) from None


class View:
    """Reads nodes and links through any reader: a snapshot, or a transaction's own state.

    `sequence` is that of the snapshot; None for a reader whose state may change, which gets nothing
    out of the caches.
    """

    def __init__(
        self, reader: Reader, scope: Scope, relations: Relations, sequence: int | None = None
    ) -> None:
        self.reader = reader
        self.scope = scope
        self.relations = relations
        self._sequence = sequence

    @cached_property
    def state(self) -> ScopeState:
        """The scope's counters, not to be changed."""
        return self._one(Space.STATE, 0, ScopeState.unpack) or ScopeState()

    @cached_property
    def passes(self) -> int:
        """The scope's pass counter P."""
        return self.state.passes

    @cached_property
    def focus(self) -> tuple[int, ...]:
        """The nodes in focus, newest first."""
        return focus.read(self.reader, self.scope)

    @cached_property
    def hidden(self) -> tuple[tuple[int, int], ...]:
        """Ranges of nodes (first, last) of writes over 1 MB that are not whole yet."""
        if not self.state.intents:
            return ()
        start = self.scope.prefix(Space.INTENT)
        return tuple(
            (int.from_bytes(key[-8:], "big"), int.from_bytes(value, "big"))
            for key, value in self.reader.range(start, keys.after(start))
        )

    def is_hidden(self, node: int) -> bool:
        """True if the node belongs to a write that is not whole yet."""
        return any(first <= node <= last for first, last in self.hidden)

    def record(self, node: int) -> NodeRecord | None:
        """The node record, None if there is no such node."""
        record = self._one(Space.NODE, node, NodeRecord.unpack)
        return None if self.state.intents and self.is_hidden(node) else record

    def text(self, node: int) -> TextRecord | None:
        """The text record, None if there is no such node."""
        text = self._one(Space.TEXT, node, TextRecord.unpack)
        return None if self.state.intents and self.is_hidden(node) else text

    def pair(self, node: int) -> tuple[NodeRecord, TextRecord] | None:
        """A node's two records, None if there is no such node."""
        record = self._one(Space.NODE, node, NodeRecord.unpack)
        if record is None or (self.state.intents and self.is_hidden(node)):
            return None
        text = self._one(Space.TEXT, node, TextRecord.unpack)
        return None if text is None else (record, text)

    def pairs(self, nodes: Sequence[int]) -> Iterator[tuple[int, NodeRecord, TextRecord] | int]:
        """For each node its two records, or its id alone if there is no such node."""
        records = self._many(Space.NODE, nodes, NodeRecord.unpack)
        texts = self._many(Space.TEXT, nodes, TextRecord.unpack)
        doubtful = bool(self.state.intents)
        for node, record, text in zip(nodes, records, texts, strict=True):
            if record is None or text is None or (doubtful and self.is_hidden(node)):
                yield node
            else:
                yield node, record, text

    def _one(self, space: Space, node: int, decode: Callable[[bytes], Value]) -> Value | None:
        """What a cached space has of a node, out of its cache where it can be; of node 0, what it
        has under its prefix alone."""
        sequence = self._sequence
        cache: Cache[Value] = self.scope.caches[space]
        if sequence is not None and (known := cache.get(node, sequence)) is not None:
            return known
        packed = self.reader.get(self.scope.prefix(space) + (keys.u64(node) if node else b""))
        if packed is None:
            return None
        value = decode(packed)
        if sequence is not None:
            cache.put(node, sequence, value)
        return value

    def _many(
        self, space: Space, nodes: Sequence[int], decode: Callable[[bytes], Value]
    ) -> list[Value | None]:
        """`_one` for each of `nodes`."""
        prefix, sequence = self.scope.prefix(space), self._sequence
        if sequence is None:
            values: list[Value | None] = [None] * len(nodes)
        else:
            cache: Cache[Value] = self.scope.caches[space]
            values = cache.get_many(nodes, sequence)
        places = [place for place, value in enumerate(values) if value is None]
        if not places:
            return values
        missed = [nodes[place] for place in places]
        read = self.reader.get_many([prefix + node.to_bytes(8, "big") for node in missed])
        found: dict[int, Value] = {}
        for place, node, packed in zip(places, missed, read, strict=True):
            if packed is not None:
                values[place] = found[node] = decode(packed)
        if sequence is not None:
            cache.put_many(found, sequence)
        return values

    def tombstone(self, node: int) -> Tombstone | None:
        """What is left of a forgotten node, None if nothing is."""
        packed = self.reader.get(self.scope.prefix(Space.TOMBSTONE) + keys.u64(node))
        return None if packed is None else Tombstone.unpack(node, packed)

    def nodes(self, reverse: bool = False, after: int | None = None) -> Iterator[int]:
        """The ids of all nodes, oldest first (newest first with `reverse`), beyond `after`."""
        start = self.scope.prefix(Space.NODE)
        first, stop = start, keys.after(start)
        if after is not None:
            bound = start + after.to_bytes(8, "big")
            first, stop = (first, bound) if reverse else (bound + b"\x00", stop)
        for key in self.reader.keys(first, stop, reverse):
            node = int.from_bytes(key[-8:], "big")
            if not (self.state.intents and self.is_hidden(node)):
                yield node

    def head(self, node: int) -> bytes:
        """The packed head of a node's adjacency."""
        return self._one(Space.HEAD, node, bytes) or b""

    def heads(self, nodes: Sequence[int]) -> list[bytes]:
        """The packed heads of nodes; fastest in the order of their ids."""
        return [head or b"" for head in self._many(Space.HEAD, nodes, bytes)]

    def strength(self, entry: Entry) -> float:
        """The strength of an adjacency entry at this view's pass."""
        return strength.decode(entry.level, self.passes, self.scope.decay)

    def importance(self, node: int) -> float:
        """The sum of the four strongest out-links, dangling ones included, broken ones not."""
        return importance(self.head(node), self.passes, self.scope.decay)

    def links(self, node: int) -> Iterator[Link]:
        """The out-links of a node, strongest first, without broken ones."""
        broken = strength.broken_level(self.passes, self.scope.decay)
        for entry in self.entries(node):
            if entry.level < broken:
                return
            yield self._link(node, entry)

    def link(self, source: int, target: int) -> Link | None:
        """The strongest link between two nodes, None if there is none or it is broken."""
        entry = next((entry for entry in self.entries(source) if entry.target == target), None)
        broken = strength.broken_level(self.passes, self.scope.decay)
        return None if entry is None or entry.level < broken else self._link(source, entry)

    def _link(self, source: int, entry: Entry) -> Link:
        return Link(
            source,
            self.relations.name(entry.relation),
            entry.target,
            self.strength(entry),
            entry.distance,
            self.record(entry.target) is None,
        )

    def entries(self, node: int) -> Iterator[Entry]:
        """The adjacency of a node, strongest first, broken links included."""
        return adjacency.out_links(self.reader, self.scope, node, self.head(node))

    def incoming(self, node: int) -> list[Link]:
        """The links that point to a node, without broken ones."""
        target = terms.encode_node(node)
        start = self.scope.prefix(Space.OSP) + target
        sources = {
            terms.decode_node(key[21:37]) for key in self.reader.keys(start, keys.after(start))
        }
        return [
            link
            for source in sorted(s for s in sources if s is not None)
            for link in self.links(source)
            if link.target == node
        ]

    def is_pointed_to(self, node: int) -> bool:
        """True if any link has the node as its target; facts do not count."""
        target = terms.encode_node(node)
        start = self.scope.prefix(Space.OSP) + target
        return any(
            self.reader.get(triples.spo_key(self.scope, key[21:37], key[37:53], target))
            for key in self.reader.keys(start, keys.after(start))
        )


def importance(head: bytes, passes: int, decay: float) -> float:
    """The sum of the strengths of the four strongest entries of a head, without broken ones."""
    total = 0.0
    for entry in adjacency.entries(head, STRONGEST):
        value = strength.decode(entry.level, passes, decay)
        if value >= strength.BROKEN:
            total += value
    return total
