"""Items: the store of keyed records of a scope."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import ge, gt, le, lt
from threading import Lock
from typing import Any, Final, TypeAlias

from lru import LRU

from graphmem.declaring import verb
from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.hexastore.keys import Space, after
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.sharing import content
from graphmem.sharing.content import LONGEST_KEY, LONGEST_NAMESPACE, check_name
from graphmem.sharing.feed import Feed, head
from graphmem.sharing.item_records import due_key, expiry, item_of, live, unpacked
from graphmem.sharing.item_store import Deletion, Entry, ItemStore
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem.values.checks import check_str, page
from graphmem.values.items import Changes, Item
from graphmem.values.moments import micros
from graphmem_worker.text.words import words

_Names: TypeAlias = list[str]
_Found: TypeAlias = list[Item]
_Near: TypeAlias = list[tuple[Item, float | None]]
_Words: TypeAlias = Mapping[str, int]
"""How often a text has each of its words."""
_K1, _B = 0.9, 0.4  # the defaults of `Ranking.bm25_k1` and `bm25_b`
Row: TypeAlias = tuple[bytes, Any, bytes]
"""An item: its key behind scope and space, its fields, which must not be changed, its record."""

_SHELVES: Final = 8
_LARGEST: Final = 16 << 20  # bytes of records in one shelf
_CACHED_WORDS: Final = 10_000  # items whose words are cached between queries
VECTORS: Final = "vectors"
"""The metadata key of an item's vectors; see `Items.nearest`."""


@dataclass(frozen=True, slots=True)
class _Shelf:
    head: int
    """The number of the last change that it includes."""
    rows: Mapping[bytes, Row]
    order: tuple[Row, ...]
    """The rows, the last written first."""


class Shelves:
    """The shelves of one scope. A shelf of change n is updated by the changes after n, read from
    the snapshot of the search. A change of only the expiry is not in the feed: `clear` is called
    after it."""

    def __init__(self, store: Store, scope: Scope, feed: Feed) -> None:
        self._store = store
        self._scope = scope
        self._feed = feed
        self._lock = Lock()
        self._cached: LRU[str, _Shelf] = LRU(_SHELVES)
        self._cleared = 0  # number of calls of `clear`

    def rows(self, namespaces: str) -> tuple[Row, ...]:
        """The items, also expired, of namespaces that begin with `namespaces`, newest first."""
        with self._lock:
            cached, cleared = self._cached.get(namespaces), self._cleared
        with self._scope.snapshot(self._store) as snapshot:
            if snapshot.provisional:
                return self._read(snapshot, namespaces).order
            shelf = None if cached is None else self._updated(snapshot, cached, namespaces)
            if shelf is None:
                shelf = self._read(snapshot, namespaces)
        if shelf is not cached and sum(len(row[2]) for row in shelf.order) <= _LARGEST:
            with self._lock:
                if cleared == self._cleared:
                    self._cached[namespaces] = shelf
        return shelf.order

    def clear(self) -> None:
        """Drop all shelves; the next search reads the items again."""
        with self._lock:
            self._cached.clear()
            self._cleared += 1

    def _updated(self, snapshot: Reader, shelf: _Shelf, namespaces: str) -> _Shelf | None:
        """The shelf with the changes since; None if these are no longer kept."""
        last = head(snapshot, self._scope)
        if last == shelf.head:
            return shelf
        recorded = self._feed.all_kept(snapshot, shelf.head, last)
        if recorded is None:
            return None
        rows, start = dict(shelf.rows), namespaces.encode()
        for place in {f"{change.namespace}\x00{change.key}".encode() for change, _ in recorded}:
            if place.startswith(start):
                record = snapshot.get(self._scope.prefix(Space.ITEM) + place)
                if record is None:
                    rows.pop(place, None)
                else:
                    rows[place] = place, unpacked(record), record
        return _Shelf(last, rows, _newest_first(rows))

    def _read(self, snapshot: Reader, namespaces: str) -> _Shelf:
        start = self._scope.prefix(Space.ITEM) + namespaces.encode()
        rows: dict[bytes, Row] = {
            key[5:]: (key[5:], unpacked(record), record)
            for key, record in snapshot.range(start, after(start))
        }
        return _Shelf(head(snapshot, self._scope), rows, _newest_first(rows))


def _newest_first(rows: Mapping[bytes, Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows.values(), key=lambda row: (-row[1][8], -row[1][3], row[0])))


class Items:
    """Records by namespace and key, each with a version; `memory.items`.

        entry = memory.items.put("settings", "language", {"spoken": "zh"})
        memory.items.put("settings", "language", {"spoken": "en"}, expected=entry.version)

    A namespace is created by its first item. Every write is one batch, as durable as `remember`.
    An expired item is treated as absent; its bytes are deleted soon after. Methods raise
    InvalidArgumentError and ArgumentTypeError for what cannot be stored, and what every method of
    `Memory` raises.
    """

    def __init__(self, items: ItemStore) -> None:
        """Use `memory.items`."""
        self._items = items
        self._store, self._scope, self._now = items.store, items.scope, items.now
        self._shelves = Shelves(items.store, items.scope, items.feed)
        self._words: LRU[bytes, _Words] = LRU(_CACHED_WORDS)

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
        value: None, bool, int of 64 bits, finite float, str, bytes, and lists and maps of these; at
            most 16 MiB as msgpack. Tuples come back as lists.
        expected: the version that the item must have, 0 if it must not exist; otherwise
            VersionConflictError is raised.
        by: the writer's name, up to 1,000 characters.
        metadata: merged into the metadata of the item.
        ttl: seconds, above 0, after which the item expires; None means never.
        recall: True lets `recall` find the text of the value: the value itself if it is a str, else
            a line for each field; `hit.item` is namespace and key. That memory changes,
            expires and is deleted with the item; erasing it erases the item. False ends that. None:
            as it was.
        """
        return self._items.put(Entry(namespace, key, value, expected, by, metadata, ttl, recall))

    @verb(writes=True)
    def put_many(
        self, entries: Iterable[Mapping[str, Any]], *, delete: Iterable[Sequence[str | int]] = ()
    ) -> list[Item]:
        """Write many items in one batch: all of them or none. Returns the items written.

        An entry is a mapping of `put`'s arguments with at least namespace, key and value.
        delete: (namespace, key) or (namespace, key, expected) of items to delete in the same batch;
            missing ones are skipped, unless `expected` is a version.
        Raises like `put`; InvalidArgumentError for an unknown key.
        """
        if isinstance(entries, str | bytes | Mapping) or not isinstance(entries, Iterable):
            raise ArgumentTypeError(f"entries is a list of maps, got {type(entries).__name__}")
        if isinstance(delete, str | bytes | Mapping) or not isinstance(delete, Iterable):
            raise ArgumentTypeError(f"{_DELETIONS}, got {type(delete).__name__}")
        deletions = [_deletion(name) for name in delete]
        checked = []
        for entry in entries:
            if not isinstance(entry, Mapping):
                raise ArgumentTypeError(f"an entry is a map, got {type(entry).__name__}")
            given = dict(entry)
            missing = [name for name in ("namespace", "key", "value") if name not in given]
            unknown = sorted(map(str, set(given) - _ARGUMENTS))
            if missing or unknown:
                wrong = f"{missing[0]!r} is missing" if missing else f"unknown {unknown[0]!r:.80}"
                raise InvalidArgumentError(f"{wrong}; an entry has {', '.join(_ARGUMENTS)}")
            checked.append(Entry(**given))
        return self._items.write(checked, deletions)[0]

    @verb(writes=True, idempotent=True)
    def touch(self, namespace: str, keys: Sequence[str], ttl: float | None) -> int:
        """Let items expire `ttl` seconds from now, never if it is None. Returns how many exist.

        Their versions and `updated` stay as they are, and the feed records no change.
        """
        places = self._items.places(namespace, keys)
        touched = 0
        with Transaction(self._store, self._scope, joins=True) as tx:
            now, texts = self._now(), self._items.texts(tx)
            end = expiry(now, ttl)
            for key, place in zip(keys, places, strict=True):
                record = tx.get(place)
                if record is None or live(namespace, key, record, now) is None:
                    continue
                nodes = self._items.unschedule(tx, place, record)
                flat = unpacked(record)
                flat[6] = None if end is None else micros(end)
                if nodes:
                    texts.keep(nodes, flat[6], None)
                tx.put(place, content.packed("value", flat))
                if end is not None:
                    tx.put(due_key(self._scope, micros(end), place), b"")
                touched += 1
        if touched:
            self._store.when_committed(self._shelves.clear)  # not in the feed
        return touched

    @verb(writes=True, idempotent=True)
    def delete(
        self, namespace: str, key: str, *, expected: int | None = None, by: str = ""
    ) -> bool:
        """Delete an item; False if there is none. expected, by: as in `put`."""
        return self._items.delete(Deletion(namespace, key, expected, by))

    # -- reading ------------------------------------------------------------------------------

    @verb()
    def get(self, namespace: str, key: str) -> Item | None:
        """The item, or None if it does not exist."""
        place = self._items.place(namespace, key)
        self._scope.require()
        return live(namespace, key, self._store.get(place), self._now())

    @verb()
    def get_many(self, namespace: str, keys: Sequence[str]) -> list[Item | None]:
        """The items of `keys`, in their order, from one snapshot."""
        places = self._items.places(namespace, keys)
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
        newest: the last written first, by the number of its change, instead of by key.
        reverse: reverse the order.
        limit, offset: return at most `limit` items, after skipping `offset`.
        """
        check_name("namespace", namespace, LONGEST_NAMESPACE)
        check_name("prefix", prefix, LONGEST_KEY, least=0)
        part = page(limit, offset)
        fits = condition(where)
        if newest:
            rows = [*self._matching_rows(f"{namespace}\x00{prefix}", fits)]
            return [item_of(row[0], row[2]) for row in (rows[::-1] if reverse else rows)[part]]
        with self._scope.snapshot(self._store) as snapshot:
            every = self._items.walk(snapshot, namespace, prefix, reverse)
            found = (item for item in every if fits(item.value))
            return [*islice(found, part.start, part.stop)]

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
        check_name("namespaces", namespaces, LONGEST_NAMESPACE, least=0)
        part = page(limit, offset)
        found = self._matching_rows(namespaces, condition(where))
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
        from graphmem.sharing.cosine import cosines, unit  # loads numpy

        check_name("namespaces", namespaces, LONGEST_NAMESPACE, least=0)
        part = page(limit, offset)
        query = unit(vector)
        found = list(self._matching_rows(namespaces, condition(where)))
        vectors = [flat[7].get(VECTORS) for _, flat, _ in found]
        return _ranked(found, cosines(query, vectors), part)

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
        check_str("query", query)
        check_name("namespaces", namespaces, LONGEST_NAMESPACE, least=0)
        part = page(limit, offset)
        found = list(self._matching_rows(namespaces, condition(where)))
        return _ranked(found, scores(query, [self._words_of(row) for row in found]), part)

    def _words_of(self, row: Row) -> _Words:
        _, flat, record = row
        if (cached := self._words.get(record)) is None:
            cached = self._words[record] = Counter(words(content.searchable(flat[0])))
        return cached

    def _matching_rows(self, start: str, fits: Callable[[Any], bool]) -> Iterator[Row]:
        """The live items that fit, the last written first. start: of their namespaces, or a whole
        one, NUL and the start of their keys."""
        now = self._now()
        for row in self._shelves.rows(start):
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
                if any(True for _ in self._items.walk(snapshot, name, "")):
                    found.append(name)
                position = start + namespace + b"\x01"
        return found

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
        return self._items.changes(since, namespace, prefix, wait)

    def __repr__(self) -> str:
        return f"<Items of {self._scope.name!r}>"


_ARGUMENTS: Final = {"namespace", "key", "value", "expected", "by", "metadata", "ttl", "recall"}
_DELETIONS: Final = "delete is a list of (namespace, key) or (namespace, key, expected)"


def _deletion(name: object) -> Deletion:
    if isinstance(name, str) or not isinstance(name, Sequence) or len(name) not in {2, 3}:
        raise ArgumentTypeError(f"{_DELETIONS}, got {name!r:.80}")
    return Deletion(*name)


def _ranked(found: Sequence[Row], scored: Sequence[float | None], part: slice) -> _Near:
    """A page of items with their scores, the best first, those without one last."""
    ranked = sorted(
        zip(found, scored, strict=True), key=lambda pair: math.inf if pair[1] is None else -pair[1]
    )
    return [(item_of(row[0], row[2]), score) for row, score in ranked[part]]


def scores(query: str, texts: Sequence[_Words]) -> list[float | None]:
    """The BM25 score of each text for a query (Robertson & Zaragoza 2009), over these texts alone;
    None for a text with none of its words."""
    lengths = [sum(counts.values()) for counts in texts]
    average = max(1.0, sum(lengths) / max(1, len(texts)))
    found: list[float | None] = [None] * len(texts)
    for word in dict.fromkeys(words(query)):
        holding = [(k, counts[word]) for k, counts in enumerate(texts) if word in counts]
        rarity = math.log(1 + (len(texts) - len(holding) + 0.5) / (len(holding) + 0.5))
        for place, times in holding:
            norm = _K1 * (1 - _B + _B * lengths[place] / average)
            found[place] = (found[place] or 0.0) + rarity * times * (_K1 + 1) / (times + norm)
    return found


# -- conditions on the fields of a value ---------------------------------------------------------


def _equal(value: Any, asked: Any) -> bool:
    """Equality in which True is not 1, as in `Where(metadata=…)`, also within lists and maps."""
    if isinstance(value, Mapping) and isinstance(asked, Mapping):
        return value.keys() == asked.keys() and all(_equal(value[k], asked[k]) for k in asked)
    if isinstance(value, list | tuple) and isinstance(asked, list | tuple):
        return len(value) == len(asked) and all(map(_equal, value, asked))
    return isinstance(value, bool) is isinstance(asked, bool) and bool(value == asked)


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$eq": _equal, "$ne": lambda value, asked: not _equal(value, asked),
    "$gt": gt, "$gte": ge, "$lt": lt, "$lte": le,
}  # fmt: skip
_BARE: Final = frozenset(name.removeprefix("$") for name in _OPERATORS)


def condition(where: Mapping[str, Any] | None) -> Callable[[Any], bool]:
    """A test of the value of an item. Raises ArgumentTypeError, InvalidArgumentError."""
    if where is None:
        return lambda value: True
    if not isinstance(where, Mapping):
        raise ArgumentTypeError(f"where is a map, got {type(where).__name__}")
    for name in _operators(where):
        if name not in _OPERATORS:
            raise InvalidArgumentError(
                f"where has an unknown operator {name!r:.80}; there are {', '.join(_OPERATORS)}"
            )

    def fits(value: Any) -> bool:
        return _fits_map(value if isinstance(value, dict) else {}, where)

    return fits


def _operators(wanted: object) -> Iterator[str]:
    """The names in maps with operators. Raises InvalidArgumentError for an operator without "$"."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            yield from wanted
        else:
            for field, inner in wanted.items():
                if isinstance(inner, Mapping) and inner and _BARE.issuperset(inner):
                    name = next(iter(inner))
                    raise InvalidArgumentError(
                        f"where compares by ${name}, not by {name}; a field of that name is asked "
                        f"for as '{field!s:.80}.{name}'"
                    )
                yield from _operators(inner)


def _fits_map(value: Mapping[Any, Any], wanted: Mapping[Any, Any]) -> bool:
    return all(_fits(_field(value, field), asked) for field, asked in wanted.items())


def _field(value: Mapping[Any, Any], name: Any) -> Any:
    if name in value or "." not in str(name):
        return value.get(name)
    outer, _, inner = name.partition(".")
    return _field(there, inner) if isinstance(there := value.get(outer), Mapping) else None


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            try:
                return all(_compares(name, value, asked) for name, asked in wanted.items())
            except TypeError:  # such as a text against a number
                return False
        return isinstance(value, Mapping) and _fits_map(value, wanted)
    return _equal(value, wanted)


def _compares(operator: str, value: Any, asked: Any) -> bool:
    """Whether a value compares so; a bool has no order with a number."""
    if operator not in ("$eq", "$ne") and isinstance(value, bool) is not isinstance(asked, bool):
        return False
    return bool(_OPERATORS[operator](value, asked))
