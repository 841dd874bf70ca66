"""Items: the store of keyed records of a scope."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import Any, Final, Protocol, TypeAlias

from lru import LRU

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, VersionConflictError
from graphmem.hexastore.keys import Space, after, u64
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.sharing import content
from graphmem.sharing.bm25 import Words, scores, words_of
from graphmem.sharing.conditions import condition
from graphmem.sharing.content import LONGEST_KEY, LONGEST_NAMESPACE, Clean, check_name
from graphmem.sharing.feed import Feed, Wanted
from graphmem.sharing.item_records import (
    RECALLED,
    due_key,
    expiry,
    item_of,
    live,
    names_of,
    told_by,
)
from graphmem.sharing.shelves import Row, Shelves
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem.values.items import MEMORIES, SHARED, Changes, Item
from graphmem.values.moments import micros, moment
from graphmem.values.ranges import check_count, page
from graphmem.verbs import verb

_Names: TypeAlias = list[str]
_Found: TypeAlias = list[Item]
_Ids: TypeAlias = list[int]
_Near: TypeAlias = list[tuple[Item, float | None]]
POOLS: Final = "pool:"
"""What the namespaces of pools begin with."""
FEATURE: Final = "items"  # a version that knows none opens the store read-only
_EXPIRED_AT_ONCE: Final = 256
_WORDS_KEPT: Final = 10_000  # items whose words are not found again for each query
VECTORS: Final = "vectors"
"""Under which an item's metadata has its vectors, see `Items.nearest`."""


class Texts(Protocol):
    """The memories of items, by which `recall` finds their texts; for one transaction."""

    def write(self, item: Item, text: str, shared: bool) -> _Ids:
        """Write a text as a memory; returns the ids of its nodes."""

    def keep(self, nodes: Sequence[int], expires: int | None, shared: bool | None) -> bool:
        """Let nodes expire then, and be shared or not; False if they are not there whole."""

    def erase(self, nodes: Sequence[int]) -> None:
        """Delete nodes, live or forgotten."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An item that is to be written: the arguments of `put`, and what a pool adds. shared:
    whether children see it; None: as it was. admits: raises if the item that is there must not
    be written."""

    namespace: str
    key: str
    value: Any
    expected: int | None = None
    by: str = ""
    metadata: Mapping[str, Any] | None = None
    ttl: float | None = None
    recall: bool | None = None
    shared: bool | None = None
    admits: Callable[[Item | None], None] | None = None


class Items:
    """Records by namespace and key, each with a version; `memory.items`.

        entry = memory.items.put("settings", "language", {"spoken": "zh"})
        memory.items.put("settings", "language", {"spoken": "en"}, expected=entry.version)

    A namespace is created by its first item. Every write is one batch, as durable as `remember`.
    An expired item is treated as absent; its bytes are deleted soon after. Methods raise
    InvalidArgumentError and ArgumentTypeError for what cannot be stored, and what every method of
    `Memory` raises.
    """

    def __init__(
        self,
        store: Store,
        scope: Scope,
        now: Callable[[], int],
        clean: Clean = lambda value, _: value,
        *,
        texts: Callable[[Transaction], Texts],
        check: Callable[[str, str], None] | None = None,
    ) -> None:
        """Use `memory.items`. clean: what becomes of a value before it is stored. check: refuses
        a name with a secret; it gets what the name is of, and the name. texts: what keeps the
        memories of items in a transaction."""
        self._texts = texts
        self._store = store
        self._scope = scope
        self._now = now
        self._clean = clean
        self._check = check
        self.feed = Feed(store, scope)
        self._shelves = Shelves(store, scope, self.feed)
        self._words: LRU[bytes, Words] = LRU(_WORDS_KEPT)
        if not store.read_only and self.feed.head:  # such as after an import or a repair
            self._store.require(FEATURE)

    # -- writing ------------------------------------------------------------------------------

    @verb(writes=True)
    def put(
        self,
        namespace: str,
        key: str,
        value: Any,
        *,
        expected: int | None = None,
        by: str = "",
        metadata: Mapping[str, Any] | None = None,
        ttl: float | None = None,
        recall: bool | None = None,
    ) -> Item:
        """Write an item and return it. The last writer wins, unless `expected` says otherwise.

        namespace: 1–500 characters; key: 1–1,000; neither with a NUL. One with a secret in it is
            refused with SecretError, unless `guard` is "off"; secrets in the value are cut.
        value: None, bool, int of 64 bits, float, str, bytes, and lists and maps of these; at most
            16 MiB as msgpack. Tuples come back as lists.
        expected: the version that the item must have, 0 if it must not exist; otherwise
            VersionConflictError is raised.
        by: the writer's name, up to 1,000 characters.
        metadata: merged into the metadata of the item.
        ttl: seconds, above 0, after which the item expires; None means never.
        recall: True lets `recall` find the text of the value: the value itself if it is a str, else
            a line for each field; `hit.item` is namespace and key. It is a memory that changes,
            expires and is deleted with the item; who erases it erases the item. False ends that.
            None: as it was.
        """
        return self.write(Entry(namespace, key, value, expected, by, metadata, ttl, recall))

    def write(self, entry: Entry) -> Item:
        """`put`, of an entry of a pool as well."""
        self._store.require(FEATURE)
        with Transaction(self._store, self._scope, joins=True) as tx:
            item = self._put(tx, self._texts(tx), entry)
        self.feed.tell()
        return item

    @verb(writes=True)
    def put_many(
        self, entries: Iterable[Mapping[str, Any]], *, delete: Iterable[Sequence[str]] = ()
    ) -> list[Item]:
        """Write many items in one batch: all of them or none. Returns the items written.

        An entry is a mapping of `put`'s arguments with at least namespace, key and value.
        delete: (namespace, key) of items to delete in the same batch; missing ones are skipped.
        Raises like `put`; InvalidArgumentError for an unknown key.
        """
        if isinstance(entries, str | bytes | Mapping) or not isinstance(entries, Iterable):
            raise ArgumentTypeError(f"entries is a list of maps, got {type(entries).__name__}")
        if isinstance(delete, str | bytes | Mapping) or not isinstance(delete, Iterable):
            raise ArgumentTypeError(
                f"delete is a list of (namespace, key), got {type(delete).__name__}"
            )
        gone = [_pair(name) for name in delete]
        written = []
        self._store.require(FEATURE)
        with Transaction(self._store, self._scope, joins=True) as tx:
            texts = self._texts(tx)
            for namespace, key in gone:
                self._delete(tx, texts, namespace, key, None, "")
            for entry in entries:
                if not isinstance(entry, Mapping):
                    raise ArgumentTypeError(f"an entry is a map, got {type(entry).__name__}")
                given = dict(entry)
                missing = [name for name in ("namespace", "key", "value") if name not in given]
                unknown = sorted(map(str, set(given) - _ARGUMENTS))
                if missing or unknown:
                    wrong = (
                        f"{missing[0]!r} is missing" if missing else f"unknown {unknown[0]!r:.80}"
                    )
                    raise InvalidArgumentError(f"{wrong}; an entry has {', '.join(_ARGUMENTS)}")
                written.append(self._put(tx, texts, Entry(**given)))
        self.feed.tell()
        return written

    def _put(self, tx: Transaction, texts: Texts, entry: Entry) -> Item:
        namespace, key, metadata = entry.namespace, entry.key, entry.metadata
        place = self._place(namespace, key)
        by = self._clean(check_name("by", entry.by, LONGEST_KEY, least=0), "")
        if self._check is not None:
            self._check("namespace", namespace)
            self._check("key", key)
        if metadata is not None and not isinstance(metadata, Mapping):
            raise ArgumentTypeError(f"metadata is a map, got {type(metadata).__name__}")
        if metadata and RECALLED in metadata:
            raise InvalidArgumentError(f"metadata {RECALLED!r} is set by recall=; leave it out")
        for name, switch in (("recall", entry.recall), ("shared", entry.shared)):
            if switch is not None and not isinstance(switch, bool):
                raise ArgumentTypeError(f"{name} is True, False or None, got {switch!r:.80}")
        content.packed("value", entry.value)  # too large, it is refused before the guard reads it
        now = self._now()
        record = tx.get(place)
        old = live(namespace, key, record, now)
        if entry.admits is not None:
            entry.admits(old)
        _require_version(key, entry.expected, old)
        nodes: _Ids | None = None
        if record is not None:
            nodes = self._unschedule(tx, place, record)
        merged = {**(old.metadata if old is not None else {}), **(metadata or {})}
        if entry.shared is not None:
            merged[SHARED] = entry.shared
        made = Item(
            namespace,
            key,
            self._clean(entry.value, key),
            1 if old is None else old.version + 1,
            moment(now) if old is None else old.created,
            moment(now),
            by if old is None else old.created_by,
            by,
            expiry(now, entry.ttl),
            self._clean(merged, ""),
        )
        if entry.recall or nodes is not None:
            made = self._retold(texts, made, old, nodes or [], entry.recall)
        flat = made.flat()
        packed = content.packed("value", flat[2:])
        tx.put(place, packed)
        if made.expires is not None:
            tx.put(due_key(self._scope, micros(made.expires), place), b"")
        self.feed.add(tx, "put", namespace, key, made.version, by, now, made.shared)
        # As it will be read: a caller's list must not change what was returned.
        return Item.of([namespace, key, *content.unpacked(packed)])

    def _retold(
        self, texts: Texts, made: Item, old: Item | None, nodes: _Ids, recall: bool | None
    ) -> Item:
        """An item whose text `recall` finds from now on, or no more. nodes: by which it did."""
        about = {name: held for name, held in made.metadata.items() if name != RECALLED}
        asked = old is not None and RECALLED in old.metadata if recall is None else recall
        text = content.told(made.value) if asked else ""
        if recall and not text:
            raise InvalidArgumentError(
                f"the value of {made.key!r:.80} has no text to be found; leave out recall"
            )
        # A scope recalls of its parents what they share; of items that is nothing.
        shared = made.shared and made.namespace.startswith(POOLS)
        if nodes and old is not None and text == content.told(old.value):
            end = None if made.expires is None else micros(made.expires)
            if made.updated_by == old.updated_by and texts.keep(nodes, end, shared):
                return made
        texts.erase(nodes)
        if asked:
            about[RECALLED] = texts.write(made, text, shared) if text else []
        return replace(made, metadata=about)

    @verb(writes=True, idempotent=True)
    def touch(self, namespace: str, keys: Sequence[str], ttl: float | None) -> int:
        """Let items expire `ttl` seconds from now, never if it is None. Returns how many exist.

        Their versions and `updated` stay as they are, and the feed records no change.
        """
        places = self._places(namespace, keys)
        there = 0
        with Transaction(self._store, self._scope, joins=True) as tx:
            now = self._now()
            end = expiry(now, ttl)
            for key, place in zip(keys, places, strict=True):
                record = tx.get(place)
                if record is None or live(namespace, key, record, now) is None:
                    continue
                nodes = self._unschedule(tx, place, record)
                flat = content.unpacked(record)
                flat[6] = None if end is None else micros(end)
                if nodes:
                    self._texts(tx).keep(nodes, flat[6], None)
                tx.put(place, content.packed("value", flat))
                if end is not None:
                    tx.put(due_key(self._scope, micros(end), place), b"")
                there += 1
        if there:
            self._store.when_committed(self._shelves.clear)  # the feed does not tell of it
        return there

    @verb(writes=True, idempotent=True)
    def delete(
        self, namespace: str, key: str, *, expected: int | None = None, by: str = ""
    ) -> bool:
        """Delete an item; False if there is none. expected, by: as in `put`."""
        return self.remove(namespace, key, expected, by)

    def remove(
        self,
        namespace: str,
        key: str,
        expected: int | None,
        by: str,
        admits: Callable[[Item], bool] = lambda item: True,
    ) -> bool:
        """`delete`, of an entry of a pool as well. admits: whether there is such an item for who
        asks."""
        by = self._clean(check_name("by", by, LONGEST_KEY, least=0), "")
        with Transaction(self._store, self._scope, joins=True) as tx:
            was = self._delete(tx, self._texts(tx), namespace, key, expected, by, admits)
        self.feed.tell()
        return was

    def _delete(
        self,
        tx: Transaction,
        texts: Texts,
        namespace: str,
        key: str,
        expected: int | None,
        by: str,
        admits: Callable[[Item], bool] = lambda item: True,
    ) -> bool:
        place = self._place(namespace, key)
        record, now = tx.get(place), self._now()
        old = live(namespace, key, record, now)
        if old is not None and not admits(old):
            _require_version(key, expected, None)
            return False
        _require_version(key, expected, old)
        if record is None:
            return False
        if nodes := self._unschedule(tx, place, record):
            texts.erase(nodes)
        tx.delete(place)
        if old is not None:
            self.feed.add(tx, "delete", namespace, key, old.version, by, now, old.shared)
        return old is not None

    def drop_text(self, tx: Transaction, namespace: str, key: str, node: int) -> _Ids:
        """Delete the item of which a node that is erased is the text; returns its other nodes."""
        item = told_by(tx, self._scope, namespace, key, node)
        if item is None:
            return []
        place = self._place(namespace, key)
        nodes = self._unschedule(tx, place, tx.get(place) or b"")
        tx.delete(place)
        self.feed.add(tx, "delete", namespace, key, item.version, "", self._now(), item.shared)
        tx.after_commit(self.feed.tell)
        return [other for other in nodes or () if other != node]

    def expire(self, limit: int = _EXPIRED_AT_ONCE) -> int:
        """Delete items that have expired, at most `limit`; returns how many. Upkeep does it."""
        start = self._scope.prefix(Space.ITEM_EXPIRY)
        now = self._now()
        if next(iter(self._store.keys(start, start + u64(max(0, now) + 1))), None) is None:
            return 0
        gone = 0
        with Transaction(self._store, self._scope) as tx:
            for due in list(tx.keys(start, start + u64(max(0, now) + 1)))[:limit]:
                place = self._scope.prefix(Space.ITEM) + due[13:]
                namespace, key = names_of(place[5:])
                tx.delete(due)
                if (record := tx.delete(place)) is not None:
                    flat = content.unpacked(record)
                    if nodes := flat[7].get(RECALLED):
                        self._texts(tx).erase(nodes)
                    seen = flat[7].get(SHARED, True) is not False
                    self.feed.add(tx, "expire", namespace, key, flat[1], "", now, seen)
                    gone += 1
        self.feed.tell()
        return gone

    # -- reading ------------------------------------------------------------------------------

    def is_stored(self, namespace: str, key: str) -> bool:
        """Whether there is an item, also one that has expired or cannot be read."""
        return self._store.get(self._place(namespace, key)) is not None

    @verb()
    def get(self, namespace: str, key: str) -> Item | None:
        """The item, or None if it does not exist."""
        place = self._place(namespace, key)
        self._scope.require()
        return live(namespace, key, self._store.get(place), self._now())

    @verb()
    def get_many(self, namespace: str, keys: Sequence[str]) -> list[Item | None]:
        """The items of `keys`, in their order, from one snapshot."""
        places = self._places(namespace, keys)
        with self._scope.snapshot(self._store) as snapshot:
            found = snapshot.get_many(places)
        now = self._now()
        return [live(namespace, k, record, now) for k, record in zip(keys, found, strict=True)]

    @verb()
    def list(
        self,
        namespace: str,
        prefix: str = "",
        *,
        where: Mapping[str, Any] | None = None,
        newest: bool = False,
        reverse: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Item]:
        """The items of a namespace whose keys begin with `prefix`, by key, from one snapshot.

        where: conditions on fields of the value: {"kind": "decision"}, or by $eq, $ne, $gt, $gte,
            $lt, $lte: {"score": {"$gte": 3}}. Fields of fields are named by a nested map or with
            periods, {"user.name": "Wen"}. A missing field is None; a value that is not a map has
            no fields.
        newest: order by the last write, newest first, instead of by key.
        reverse: reverse the order.
        limit, offset: return at most `limit` items, after skipping `offset`.
        """
        check_name("namespace", namespace, LONGEST_NAMESPACE)
        check_name("prefix", prefix, LONGEST_KEY, least=0)
        part = page(limit, offset)
        fits = condition(where)
        with self._scope.snapshot(self._store) as snapshot:
            every = self._every(snapshot, namespace, prefix, reverse=reverse and not newest)
            found = (item for item in every if fits(item.value))
            if not newest:
                return [*islice(found, part.start, part.stop)]
            ordered = sorted(found, key=attrgetter("updated"), reverse=not reverse)
        return ordered[part]

    @verb()
    def search(
        self,
        namespaces: str = "",
        *,
        where: Mapping[str, Any] | None = None,
        limit: int | None = 10,
        offset: int = 0,
    ) -> _Found:
        """The items of all namespaces that begin with `namespaces`, the last written first.

        where, limit, offset: as in `list`. From one snapshot. The items of the last searches, up
        to 16 MiB each, are cached in memory and updated by later changes.
        """
        part = page(limit, offset)
        found = self._fitting(namespaces, condition(where))
        return [item_of(row[0], row[2]) for row in islice(found, part.start, part.stop)]

    @verb()
    def nearest(
        self,
        vector: Sequence[float],
        namespaces: str = "",
        *,
        where: Mapping[str, Any] | None = None,
        limit: int | None = 10,
        offset: int = 0,
    ) -> _Near:
        """Items with the cosine of their nearest vector to `vector`, the nearest first.

        The vectors of an item are in its metadata, under "vectors": a list of bytes, each
        little-endian float32 of length 1 (`graphmem.sharing.cosine.packed_vector`). Items without
        a vector of the same dimensions come last, with None, the last written first. All vectors
        of these namespaces are compared.

        namespaces, where, limit, offset: as in `search`. Raises InvalidArgumentError for a vector
        that is empty, of length 0, or not of finite numbers.
        """
        from graphmem.sharing.cosine import cosines, unit  # which loads numpy

        part = page(limit, offset)
        asked = unit(vector)
        found = list(self._fitting(namespaces, condition(where)))
        own = [flat[7].get(VECTORS) for _, flat, _ in found]
        return _best(found, cosines(asked, own), part)

    @verb()
    def matching(
        self,
        query: str,
        namespaces: str = "",
        *,
        where: Mapping[str, Any] | None = None,
        limit: int | None = 10,
        offset: int = 0,
    ) -> _Near:
        """Items with the BM25 score of their words for those of `query`, the best first.

        The words are those of `recall`, of the text of the value as `put(recall=True)` makes it.
        Items with no word of the query come last, with None, the last written first. The scores of
        different queries cannot be compared.

        namespaces, where, limit, offset: as in `search`.
        """
        if not isinstance(query, str):
            raise ArgumentTypeError(f"query is a str, got {type(query).__name__}")
        part = page(limit, offset)
        found = list(self._fitting(namespaces, condition(where)))
        return _best(found, scores(query, [self._words_of(row) for row in found]), part)

    def _words_of(self, row: Row) -> Words:
        _, flat, record = row
        if (known := self._words.get(record)) is None:
            known = self._words[record] = words_of(content.told(flat[0]))
        return known

    def _fitting(self, namespaces: str, fits: Callable[[Any], bool]) -> Iterator[Row]:
        """The live items that fit in namespaces with this prefix, those written last first."""
        check_name("namespaces", namespaces, LONGEST_NAMESPACE, least=0)
        now = self._now()
        for row in self._shelves.rows(namespaces):
            flat = row[1]
            if (flat[6] is None or flat[6] > now) and fits(flat[0]):
                yield row

    @verb()
    def namespaces(self, prefix: str = "") -> _Names:
        """The namespaces that have items, those beginning with `prefix`, in order."""
        check_name("prefix", prefix, LONGEST_NAMESPACE, least=0)
        start = self._scope.prefix(Space.ITEM)
        position = start + prefix.encode()
        stop = after(position)
        found: _Names = []
        with self._scope.snapshot(self._store) as snapshot:
            while (key := next(iter(snapshot.keys(position, stop)), None)) is not None:
                namespace = key[5:].split(b"\x00", 1)[0]
                name = namespace.decode()
                if any(True for _ in self._every(snapshot, name, "")):
                    found.append(name)
                position = start + namespace + b"\x01"
        return found

    def every(self, namespace: str) -> Iterator[Item]:
        """All live items of a namespace, by key, from one snapshot."""
        check_name("namespace", namespace, LONGEST_NAMESPACE)
        return self._in(namespace)

    def _in(self, namespace: str) -> Iterator[Item]:
        with self._scope.snapshot(self._store) as snapshot:
            yield from self._every(snapshot, namespace, "")

    def _every(
        self, reader: Reader, namespace: str, prefix: str, reverse: bool = False
    ) -> Iterator[Item]:
        start = self._scope.prefix(Space.ITEM) + namespace.encode() + b"\x00" + prefix.encode()
        cut = 5 + len(namespace.encode()) + 1
        now = self._now()
        for key, record in reader.range(start, after(start), reverse):
            if (item := live(namespace, key[cut:].decode(), record, now)) is not None:
                yield item

    # -- changes ------------------------------------------------------------------------------

    @verb(waits=True)
    def changes(
        self,
        since: int | None = None,
        *,
        namespace: str | None = None,
        prefix: str = "",
        wait: float = 0.0,
    ) -> Changes:
        """The changes of items after change number `since`, oldest first. Pass `.last` of the
        result as the next `since`.

        since: the number of a change; 0 returns all changes that are kept, None only later ones.
        namespace, prefix: return only changes of this namespace, of keys with this prefix.
        wait: how many seconds to wait if there is no change yet, up to 86,400. Other calls are not
            blocked meanwhile.

        The last 4,096 changes of a scope are kept, across restarts. If `.gap` is True, changes
        after `since` are no longer kept: list the items again.
        """
        return self.told(since, namespace, prefix, wait)

    def told(
        self, since: int | None, namespace: str | None, prefix: str, wait: float, *,
        child: bool = False,
    ) -> Changes:  # fmt: skip
        """`changes`. child: without those of entries that were not shared then."""
        if namespace is not None:
            check_name("namespace", namespace, LONGEST_NAMESPACE)
        check_name("prefix", prefix, LONGEST_KEY, least=0)
        return self.feed.changes(since, Wanted(prefix, namespace), wait, child)

    def everything(self, since: int | None, prefix: str, wait: float) -> Changes:
        """What happened to items and memories; see `Memory.changes`."""
        check_name("prefix", prefix, LONGEST_NAMESPACE + LONGEST_KEY, least=0)
        if not self._store.read_only:
            self._store.require(FEATURE)
            self.feed.begin()
        return self.feed.changes(since, Wanted(prefix, is_of_all=True), wait)

    # -- keys ---------------------------------------------------------------------------------

    def _places(self, namespace: str, keys: Sequence[str]) -> tuple[bytes, ...]:
        if isinstance(keys, str) or not isinstance(keys, Sequence):
            raise ArgumentTypeError(f"keys is a list of str, got {type(keys).__name__}")
        return tuple(self._place(namespace, key) for key in keys)

    def _place(self, namespace: str, key: str) -> bytes:
        check_name("namespace", namespace, LONGEST_NAMESPACE)
        check_name("key", key, LONGEST_KEY)
        if namespace == MEMORIES:
            raise InvalidArgumentError(f"the namespace {MEMORIES!r} is that of memories' changes")
        return self._scope.prefix(Space.ITEM) + f"{namespace}\x00{key}".encode()

    def _unschedule(self, tx: Transaction, place: bytes, record: bytes) -> _Ids | None:
        """Take an item that changes out of the time index; returns the nodes of its text, None if
        recall is not to find it."""
        flat = content.unpacked(record)
        if flat[6] is not None:
            tx.delete(due_key(self._scope, flat[6], place))
        nodes: _Ids | None = flat[7].get(RECALLED)
        return nodes

    def __repr__(self) -> str:
        return f"<Items of {self._scope.name!r}>"


_ARGUMENTS: Final = {"namespace", "key", "value", "expected", "by", "metadata", "ttl", "recall"}


def _pair(name: object) -> tuple[str, str]:
    if isinstance(name, str) or not isinstance(name, Sequence) or len(name) != 2:
        raise ArgumentTypeError(f"delete is a list of (namespace, key), got {name!r:.80}")
    return name[0], name[1]


def _best(found: Sequence[Row], scored: Sequence[float | None], part: slice) -> _Near:
    """A page of items with their scores, the best first, those without one last."""
    ranked = sorted(
        zip(found, scored, strict=True), key=lambda pair: math.inf if pair[1] is None else -pair[1]
    )
    return [(item_of(row[0], row[2]), score) for row, score in ranked[part]]


def _require_version(key: str, expected: int | None, old: Item | None) -> None:
    actual = 0 if old is None else old.version
    if expected is not None and check_count("expected", expected, 0, 1 << 63) != actual:
        raise VersionConflictError(key, expected, actual)
