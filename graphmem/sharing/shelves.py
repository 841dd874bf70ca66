"""Shelves: a cache of the decoded items of the namespaces that were searched last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, TypeAlias

from lru import LRU

from graphmem.hexastore.keys import Space, after
from graphmem.hexastore.scopes import Scope
from graphmem.sharing.feed import Feed, head
from graphmem.sharing.item_records import unpacked
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store

Row: TypeAlias = tuple[bytes, Any, bytes]
"""An item: its key behind scope and space, its fields, which must not be changed, its record."""

_SHELVES: Final = 8
_LARGEST: Final = 16 << 20  # bytes of records in one shelf


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
