"""A view: a scope's nodes and links as one reader sees them, at one snapshot and one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo
from functools import cached_property
from itertools import islice, takewhile
from typing import TypeVar

from graphmem.errors import SupersededError
from graphmem.graph import focus, links, strength, tombstones
from graphmem.graph.links import Entry
from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.relations import SEGMENT, SEGMENT_CODE, SUPERSEDES, Relations
from graphmem.hexastore import keys
from graphmem.hexastore.cache import Cache
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem.storage.engine import Reader
from graphmem.storage.store import StoreSnapshot
from graphmem.values.links import Link
from graphmem.values.moments import moment
from graphmem.values.nodes import Node, Tombstone

Value = TypeVar("Value")
STRONGEST = 4  # links whose strengths make a node's importance


class View:
    """Reads nodes and links through any reader: a snapshot, or a transaction's own state.
    sequence: of the snapshot; None for a reader whose state may change, which gets nothing out
    of the caches."""

    def __init__(
        self,
        reader: Reader,
        scope: Scope,
        relations: Relations,
        sequence: int | None = None,
        now: int | None = None,
        state: ScopeState | None = None,
    ) -> None:
        """now: microseconds since 1970; nodes that have expired by then are hidden; None hides
        none. state: the counters, if they are known."""
        self.reader = reader
        self.scope = scope
        self.relations = relations
        # What may be rolled back must not get into caches.
        provisional = isinstance(reader, StoreSnapshot) and reader.provisional
        self._cached_at = None if provisional else sequence
        self.sequence = sequence
        self._now = now
        self._state = state

    @property
    def state(self) -> ScopeState:
        """The scope's counters, not to be changed."""
        state = self._state  # no cached property: in Python 3.11 each takes a lock
        if state is None:
            state = self._one(Space.STATE, 0, ScopeState.unpack) or ScopeState()
            self._state = state
        return state

    @cached_property
    def zone(self) -> tzinfo | None:
        """The zone of the clock, in which days begin."""
        return self.scope.clock().tzinfo

    @cached_property
    def passes(self) -> int:
        return self.state.passes

    @cached_property
    def focus(self) -> tuple[int, ...]:
        """The nodes in focus, newest first."""
        return focus.read(self.reader, self.scope)

    @cached_property
    def hidden(self) -> tuple[tuple[int, int], ...]:
        """Ranges of nodes (first, last): of unfinished writes over 1 MB, and of expired nodes."""
        expired = tuple((node, node) for node in sorted(self.expired))
        if not self.state.intents:
            return expired
        unfinished = tuple(
            (int.from_bytes(key[-8:], "big"), int.from_bytes(value, "big"))
            for key, value in self.reader.range(*keys.under(self.scope.prefix(Space.INTENT)))
        )
        return (*unfinished, *expired)

    @cached_property
    def expired(self) -> frozenset[int]:
        """The nodes that have expired and that the next sweep forgets."""
        if self._now is None or not self.state.expiring:
            return frozenset()
        start = self.scope.prefix(Space.EXPIRY)
        found = self.reader.keys(start, start + keys.u64(self._now + 1))
        return frozenset(int.from_bytes(key[-8:], "big") for key in found)

    def is_hidden(self, node: int) -> bool:
        """True if the node has expired, or belongs to a write that is not whole yet."""
        state = self.state
        if state.expiring and node in self.expired:
            return True
        return state.intents > 0 and any(first <= node <= last for first, last in self.hidden)

    def record(self, node: int) -> NodeRecord | None:
        record = self._one(Space.NODE, node, NodeRecord.unpack)
        return None if self.is_hidden(node) else record

    def text(self, node: int) -> TextRecord | None:
        text = self._one(Space.TEXT, node, TextRecord.unpack)
        return None if self.is_hidden(node) else text

    def pair(self, node: int) -> tuple[NodeRecord, TextRecord] | None:
        """A node's two records, None if there is no such node."""
        record = self._one(Space.NODE, node, NodeRecord.unpack)
        text = self._one(Space.TEXT, node, TextRecord.unpack)
        if record is None or text is None or self.is_hidden(node):
            return None
        return record, text

    def pairs(self, nodes: Sequence[int]) -> Iterator[tuple[int, NodeRecord, TextRecord]]:
        """Those of the nodes that are there, in their order, each with its two records."""
        records = self._many(Space.NODE, nodes, NodeRecord.unpack)
        texts = self._many(Space.TEXT, nodes, TextRecord.unpack)
        hidden = self.hidden
        for node, record, text in zip(nodes, records, texts, strict=True):
            if record is not None and text is not None and not (hidden and self.is_hidden(node)):
                yield node, record, text

    def texts(self, nodes: Sequence[int]) -> Iterator[tuple[int, TextRecord]]:
        """Those of the nodes that have a text, in their order, each with it."""
        for node, text in zip(nodes, self._many(Space.TEXT, nodes, TextRecord.unpack), strict=True):
            if text is not None and not self.is_hidden(node):
                yield node, text

    def live(self, nodes: Sequence[int]) -> list[Node]:
        """Those of the nodes that are there, as users see them."""
        return [as_node(node, text, record, self.zone) for node, record, text in self.pairs(nodes)]

    def all_pairs(self) -> Iterator[tuple[int, NodeRecord, TextRecord]]:
        """All nodes, oldest first, with their two records."""
        nodes = self.nodes(False)
        while page := list(islice(nodes, 256)):
            yield from self.pairs(page)

    def _one(self, space: Space, node: int, decode: Callable[[bytes], Value]) -> Value | None:
        """The value of a node in a cached space, from the cache if possible; for node 0, the value
        under the prefix alone."""
        sequence = self._cached_at
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
        prefix, sequence = self.scope.prefix(space), self._cached_at
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
        packed = self.reader.get(self.scope.prefix(Space.TOMBSTONE) + keys.u64(node))
        return None if packed is None else tombstones.unpack(node, packed)

    def nodes(self, reverse: bool = False, after: int | None = None) -> Iterator[int]:
        """The ids of all nodes, oldest first (newest first with `reverse`), beyond `after`."""
        start = self.scope.prefix(Space.NODE)
        first, stop = start, keys.after(start)
        if after is not None:
            bound = start + after.to_bytes(8, "big")
            first, stop = (first, bound) if reverse else (bound + b"\x00", stop)
        for key in self.reader.keys(first, stop, reverse):
            node = int.from_bytes(key[-8:], "big")
            if not self.is_hidden(node):
                yield node

    def head(self, node: int) -> bytes:
        """A node's packed out-list, without its overflow."""
        return self._one(Space.OUT, node, bytes) or b""

    def heads(self, nodes: Sequence[int]) -> list[bytes]:
        """`head` of each node, empty if it is hidden; fastest in the order of their ids."""
        heads = [head or b"" for head in self._many(Space.OUT, nodes, bytes)]
        if self.hidden:
            return [b"" if self.is_hidden(n) else h for n, h in zip(nodes, heads, strict=True)]
        return heads

    @property
    def _broken_level(self) -> int:
        return strength.broken_level(self.passes, self.scope.decay, self.scope.fades)

    def strength(self, entry: Entry) -> float:
        """The strength of an out-link at this view's pass."""
        return strength.decode(entry.level, self.passes, self.scope.decay)

    def importance(self, node: int) -> float:
        """The sum of the four strongest out-links, dangling ones included; see `importance`."""
        return importance(self.head(node), self.passes, self.scope.decay, self.scope.fades)

    def links(self, node: int) -> Iterator[Link]:
        """The out-links of a node, strongest first, without broken ones."""
        for entry in self._unbroken(node):
            yield self._link(node, entry, self.record(entry.target) is None)

    def link(self, source: int, target: int) -> Link | None:
        """The strongest link between two nodes, None if there is none or it is broken."""
        for entry in self._unbroken(source):
            if entry.target == target:
                return self._link(source, entry, self.record(target) is None)
        return None

    def _unbroken(self, node: int) -> Iterator[Entry]:
        broken = self._broken_level
        return takewhile(lambda entry: entry.level >= broken, self.entries(node))

    def _link(self, source: int, entry: Entry, dangling: bool) -> Link:
        name, strength = self.relations.name(entry.relation), self.strength(entry)
        return Link(source, name, entry.target, strength, entry.distance, dangling)

    def entries(self, node: int) -> Iterator[Entry]:
        """The out-list of a node, strongest first, broken links included."""
        return links.out_links(self.reader, self.scope, node, self.head(node))

    def targets(self, node: int, relation: int) -> Iterator[int]:
        """The targets of a node's links of one relation, by its code; broken ones included."""
        return links.targets(self.reader, self.scope, node, relation, self.head(node))

    def over(self, node: int) -> list[int]:
        """The nodes that have replaced a node, as far as links show."""
        return [k.source for k in self.incoming(node) if k.relation == SUPERSEDES]

    def require_holding(self, node: int, record: NodeRecord, *, is_by: bool = False) -> None:
        """Raises SupersededError for a node that was replaced. is_by: it is to take the place of
        another one."""
        if record.valid_to is not None:
            after = self.over(node)
            advice = "replace that one"
            if is_by:
                advice = f"call it with by={after[0] if after else 'another'}"
            raise SupersededError(
                f"node {node}{', which is to take the place (by),' * is_by} was replaced already, "
                f"by {named(after)}, and holds until {moment(record.valid_to)}; {advice}, or let "
                f"node {node} hold again: history.reopen({node})"
            )

    def incoming(self, node: int) -> list[Link]:
        """The links that point to a node, without broken ones."""
        broken = self._broken_level
        dangling = self.record(node) is None
        found = [k for k in links.in_links(self.reader, self.scope, node) if k.level >= broken]
        found.sort(key=lambda k: (k.source, -k.level, k.relation))
        return [self._link(k.source, k.entry, dangling) for k in found]


def named(successors: Sequence[int]) -> str:
    """The nodes that have replaced one, for a message."""
    return ", ".join(f"node {each}" for each in successors) or "one that is gone"


def words_of(scope: Scope) -> Callable[[Reader, int], list[str] | None]:
    """Reads the index words of a node's text, None if there is no such node."""
    prefix = scope.prefix(Space.TEXT)

    def read(reader: Reader, node: int) -> list[str] | None:
        packed = reader.get(prefix + keys.u64(node))
        return None if packed is None else TextRecord.unpack(packed).words

    return read


def importance(head: bytes, passes: int, decay: float, fades: bool) -> float:
    """The sum of the four strongest strengths of an out-list; where links fade, without broken
    ones. A link to the next segment of the same text counts twice: both directions of it are links
    of that text."""
    total, left = 0.0, STRONGEST
    now = strength.decayed(passes, decay)
    for level, _, relation, _ in links.entries(head, STRONGEST):
        value = strength.since(level, now)
        if (fades and value < strength.BROKEN) or not left:
            break
        counts = 2 if left > 1 and relation == SEGMENT_CODE else 1
        total += counts * value
        left -= counts
    return total


def counted(found: Iterable[Link]) -> Iterator[Link]:
    """The links that make a node's importance, as often as they count, out of all of its links,
    strongest first."""
    left = STRONGEST
    for link in found:
        for _ in range(min(left, 2 if link.relation == SEGMENT else 1)):
            yield link
            left -= 1
        if not left:
            return
