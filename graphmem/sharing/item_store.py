"""The store of a scope's items, on which `Items` and `Pool` work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Protocol, TypeAlias

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, VersionConflictError
from graphmem.graph.ground import Ground
from graphmem.hexastore.keys import Space, after, u64
from graphmem.hexastore.transaction import Transaction
from graphmem.sharing import content
from graphmem.sharing.content import LONGEST_KEY, LONGEST_NAMESPACE, Clean, check_name
from graphmem.sharing.feed import Feed, Wanted
from graphmem.sharing.item_records import (
    RECALLED,
    due_key,
    expiry,
    item_of_text,
    live,
    names_of,
    unpacked,
)
from graphmem.storage.engine import Reader
from graphmem.values.checks import check_count, check_switch
from graphmem.values.items import MEMORIES, SHARED, Changes, Item
from graphmem.values.moments import micros, moment

_Ids: TypeAlias = list[int]
POOLS: Final = "pool:"
"""The prefix of the namespaces of pools."""
FEATURE: Final = "items"  # versions without this feature open the store read-only
_EXPIRED_AT_ONCE: Final = 256


class Texts(Protocol):
    """Writes the memories by which `recall` finds the texts of items, in one transaction."""

    def write(self, item: Item, text: str, shared: bool) -> _Ids:
        """Write a text as a memory; returns the ids of its nodes."""

    def keep(self, nodes: Sequence[int], expires: int | None, shared: bool | None) -> bool:
        """Set expiry and sharing of nodes; False if one of them is gone or shortened."""

    def erase(self, nodes: Sequence[int]) -> None:
        """Delete nodes, live or forgotten."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An item to be written: the arguments of `put`, and those of a pool. shared: whether child
    scopes see it; None: as before. admits: raises if the existing item must not be replaced."""

    namespace: str
    key: str
    value: Any
    expected: int | None = None
    by: str = ""
    metadata: Mapping[str, Any] | None = None
    ttl: float | None = None
    recall: bool | None = None
    shared: bool | None = None
    admits: Callable[[Item | None], None] = lambda old: None


@dataclass(frozen=True, slots=True)
class Deletion:
    """An item to be deleted: the arguments of `delete`. admits: whether the caller sees it."""

    namespace: str
    key: str
    expected: int | None = None
    by: str = ""
    admits: Callable[[Item], bool] = lambda item: True


class ItemStore:
    """The items of a scope. It implements the guarantees of `Items` and `Pool` for writes."""

    def __init__(
        self,
        ground: Ground,
        clean: Clean,
        check: Callable[[str, str], None],
        texts: Callable[[Transaction], Texts],
    ) -> None:
        """clean: changes a value before it is stored. check: raises for a name with a secret; takes
        the kind of name and the name. texts: returns the memories of items for a transaction."""
        self.store, self.scope, self.now = ground.store, ground.scope, ground.now
        self.texts, self._clean, self._check = texts, clean, check
        self.feed = Feed(self.store, self.scope)
        if not self.store.read_only and self.feed.head:  # such as after an import or a repair
            self.store.require(FEATURE)

    def put(self, entry: Entry) -> Item:
        """See `Items.put`."""
        return self.write([entry])[0][0]

    def delete(self, deletion: Deletion) -> bool:
        """See `Items.delete`."""
        return self.write((), [deletion])[1][0]

    def write(
        self, entries: Iterable[Entry], deletions: Iterable[Deletion] = ()
    ) -> tuple[list[Item], list[bool]]:
        """Delete items and write others, in one batch; returns the written items, and for each
        deletion whether there was an item."""
        # Outside the transaction: the guard may take seconds to read a large value.
        checked = [self._checked(entry) for entry in entries]
        gone = [replace(each, by=self._writer(each.by)) for each in deletions]
        if checked:
            self.store.require(FEATURE)
        with Transaction(self.store, self.scope, joins=True) as tx:
            return self.change(tx, checked, gone)

    def change(
        self, tx: Transaction, entries: Iterable[Entry], deletions: Iterable[Deletion]
    ) -> tuple[list[Item], list[bool]]:
        """Like `write`, in a transaction, of values that are clean."""
        texts = self.texts(tx)
        deleted = [self._delete(tx, texts, each) for each in deletions]
        written = [self._put(tx, texts, entry) for entry in entries]
        tx.after_commit(self.feed.notify)
        return written, deleted

    def _writer(self, by: str) -> str:
        return str(self._clean(check_name("by", by, LONGEST_KEY, least=0), ""))

    def _checked(self, entry: Entry) -> Entry:
        """The entry, checked and cleaned."""
        metadata = entry.metadata
        self.place(entry.namespace, entry.key)
        by = self._writer(entry.by)
        self._check("namespace", entry.namespace)
        self._check("key", entry.key)
        if metadata is not None and not isinstance(metadata, Mapping):
            raise ArgumentTypeError(f"metadata is a map, got {type(metadata).__name__}")
        if metadata and RECALLED in metadata:
            raise InvalidArgumentError(f"metadata {RECALLED!r} is set by recall=; leave it out")
        for name, switch in (("recall", entry.recall), ("shared", entry.shared)):
            if switch is not None:
                check_switch(name, switch)
        # Checked before the guard reads it: too large or too deep.
        content.packed("value", entry.value)
        content.packed("metadata", metadata)
        value = self._clean(entry.value, entry.key)
        return replace(entry, by=by, value=value, metadata=self._clean(dict(metadata or {}), ""))

    def _put(self, tx: Transaction, texts: Texts, entry: Entry) -> Item:
        namespace, key, by = entry.namespace, entry.key, entry.by
        place, now = self.place(namespace, key), self.now()
        record = tx.get(place)
        old = live(namespace, key, record, now)
        entry.admits(old)
        _require_version(key, entry.expected, old)
        nodes: _Ids | None = None
        if record is not None:
            nodes = self.unschedule(tx, place, record)
        merged = {**(old.metadata if old is not None else {}), **(entry.metadata or {})}
        if entry.shared is not None:
            merged[SHARED] = entry.shared
        version, created, creator = 1, moment(now), by
        if old is not None:
            version, created, creator = old.version + 1, old.created, old.created_by
        expires = expiry(now, entry.ttl)
        made = Item(
            namespace, key, entry.value, version, created, moment(now), creator, by, expires, merged
        )
        if entry.recall or nodes is not None:
            made = self._with_text(texts, made, old, nodes or [], entry.recall)
        number = self.feed.add(tx, "put", namespace, key, version, by, now, made.shared)
        packed = content.packed("value", [*made.flat()[2:], number])
        tx.put(place, packed)
        if made.expires is not None:
            tx.put(due_key(self.scope, micros(made.expires), place), b"")
        # A copy: later changes of the caller's list must not show in what was returned.
        return Item.of([namespace, key, *content.unpacked(packed)])

    def _with_text(
        self, texts: Texts, made: Item, old: Item | None, nodes: _Ids, recall: bool | None
    ) -> Item:
        """The item, with its text remembered where `recall` is True, or None and the old item's
        text was. nodes: those of the old text."""
        metadata = {name: value for name, value in made.metadata.items() if name != RECALLED}
        is_found = old is not None and RECALLED in old.metadata if recall is None else recall
        text = content.searchable(made.value) if is_found else ""
        if recall and not text:
            raise InvalidArgumentError(
                f"the value of {made.key!r:.80} has no text to be found; leave out recall"
            )
        # Child scopes recall only shared memories; those of items outside pools are not shared.
        shared = made.shared and made.namespace.startswith(POOLS)
        if nodes and old is not None and text == content.searchable(old.value):
            end = None if made.expires is None else micros(made.expires)
            if made.updated_by == old.updated_by and texts.keep(nodes, end, shared):
                return made
        texts.erase(nodes)
        if is_found:
            metadata[RECALLED] = texts.write(made, text, shared) if text else []
        return replace(made, metadata=metadata)

    def _delete(self, tx: Transaction, texts: Texts, deletion: Deletion) -> bool:
        namespace, key = deletion.namespace, deletion.key
        place, now = self.place(namespace, key), self.now()
        record = tx.get(place)
        old = live(namespace, key, record, now)
        is_hidden = old is not None and not deletion.admits(old)
        _require_version(key, deletion.expected, None if is_hidden else old)
        if record is None or is_hidden:
            return False
        if nodes := self.unschedule(tx, place, record):
            texts.erase(nodes)
        tx.delete(place)
        if old is not None:
            self.feed.add(tx, "delete", namespace, key, old.version, deletion.by, now, old.shared)
        return old is not None

    def drop_text(self, tx: Transaction, namespace: str, key: str, node: int) -> _Ids:
        """Delete the item of whose text a node is erased; returns the other nodes of the text."""
        item = item_of_text(tx, self.scope, namespace, key, node)
        if item is None:
            return []
        place = self.place(namespace, key)
        nodes = self.unschedule(tx, place, tx.get(place) or b"")
        tx.delete(place)
        self.feed.add(tx, "delete", namespace, key, item.version, "", self.now(), item.shared)
        tx.after_commit(self.feed.notify)
        return [other for other in nodes or () if other != node]

    def expire(self) -> int:
        """Delete up to 256 expired items; returns how many. Called by upkeep."""
        start = self.scope.prefix(Space.ITEM_EXPIRY)
        now = self.now()
        if next(iter(self.store.keys(start, start + u64(max(0, now) + 1))), None) is None:
            return 0
        deleted = 0
        with Transaction(self.store, self.scope) as tx:
            texts = self.texts(tx)  # one for all: it delays changes of links until the commit
            for due in [*islice(tx.keys(start, start + u64(max(0, now) + 1)), _EXPIRED_AT_ONCE)]:
                place = self.scope.prefix(Space.ITEM) + due[13:]
                namespace, key = names_of(place[5:])
                tx.delete(due)
                if (record := tx.delete(place)) is not None:
                    flat = unpacked(record)
                    if nodes := flat[7].get(RECALLED):
                        texts.erase(nodes)
                    shared = flat[7].get(SHARED, True) is not False
                    self.feed.add(tx, "expire", namespace, key, flat[1], "", now, shared)
                    deleted += 1
        self.feed.notify()
        return deleted

    def is_stored(self, namespace: str, key: str) -> bool:
        """Whether an item exists, also one that has expired or cannot be read."""
        return self.store.get(self.place(namespace, key)) is not None

    def every(self, namespace: str) -> Iterator[Item]:
        """All live items of a namespace, by key, from one snapshot."""
        with self.scope.snapshot(self.store) as snapshot:
            yield from self.walk(snapshot, namespace, "")

    def walk(
        self, reader: Reader, namespace: str, prefix: str, reverse: bool = False
    ) -> Iterator[Item]:
        """The live items of a namespace whose keys begin with `prefix`, by key."""
        start = self.scope.prefix(Space.ITEM) + namespace.encode() + b"\x00" + prefix.encode()
        cut = 5 + len(namespace.encode()) + 1
        now = self.now()
        for key, record in reader.range(start, after(start), reverse):
            if (item := live(namespace, key[cut:].decode(), record, now)) is not None:
                yield item

    def changes(
        self, since: int | None, namespace: str | None, prefix: str, wait: float, *,
        child: bool = False,
    ) -> Changes:  # fmt: skip
        """See `Items.changes`. child: leave out changes of entries that were not shared then."""
        if namespace is not None:
            check_name("namespace", namespace, LONGEST_NAMESPACE)
        check_name("prefix", prefix, LONGEST_KEY, least=0)
        return self.feed.changes(since, Wanted(prefix, namespace, child=child), wait)

    def all_changes(self, since: int | None, prefix: str, wait: float) -> Changes:
        """The changes of items and memories; see `memory.history.changes`."""
        check_name("prefix", prefix, LONGEST_NAMESPACE + LONGEST_KEY, least=0)
        if not self.store.read_only:
            self.store.require(FEATURE)
            self.feed.begin()
        return self.feed.changes(since, Wanted(prefix, with_memories=True), wait)

    # -- keys ---------------------------------------------------------------------------------

    def places(self, namespace: str, keys: Sequence[str]) -> tuple[bytes, ...]:
        if isinstance(keys, str) or not isinstance(keys, Sequence):
            raise ArgumentTypeError(f"keys is a list of str, got {type(keys).__name__}")
        return tuple(self.place(namespace, key) for key in keys)

    def place(self, namespace: str, key: str) -> bytes:
        """The store's key of an item. Raises ArgumentTypeError, InvalidArgumentError."""
        check_name("namespace", namespace, LONGEST_NAMESPACE)
        check_name("key", key, LONGEST_KEY)
        if namespace == MEMORIES:
            raise InvalidArgumentError(f"the namespace {MEMORIES!r} is that of memories' changes")
        return self.scope.prefix(Space.ITEM) + f"{namespace}\x00{key}".encode()

    def unschedule(self, tx: Transaction, place: bytes, record: bytes) -> _Ids | None:
        """Remove an item from the time index; returns the nodes of its text or None."""
        flat = unpacked(record)
        if flat[6] is not None:
            tx.delete(due_key(self.scope, flat[6], place))
        nodes: _Ids | None = flat[7].get(RECALLED)
        return nodes


def _require_version(key: str, expected: int | None, old: Item | None) -> None:
    actual = 0 if old is None else old.version
    if expected is not None and check_count("expected", expected, 0, 1 << 63) != actual:
        raise VersionConflictError(key, expected, actual)
