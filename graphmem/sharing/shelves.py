"""Shelves: the items of the namespaces that were searched last, decoded, newest first."""

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
"""An item: its key behind scope and space, its fields, which nobody may change, its record."""

_SHELVES: Final = 8
_LARGEST: Final = 16 << 20  # bytes of records on one shelf


@dataclass(frozen=True, slots=True)
class _Shelf:
    head: int
    """The number of the last change that is in it."""
    rows: Mapping[bytes, Row]
    order: tuple[Row, ...]
    """The rows, those written last first."""


class Shelves:
    """What searches read again and again, for one scope. A shelf of change n is brought up to date
    by the changes after n, read from the snapshot of who searches. Changes of nothing but an expiry
    are not in the feed: `clear` is called after them."""

    def __init__(self, store: Store, scope: Scope, feed: Feed) -> None:
        self._store = store
        self._scope = scope
        self._feed = feed
        self._lock = Lock()
        self._known: LRU[str, _Shelf] = LRU(_SHELVES)
        self._cleared = 0  # times

    def rows(self, namespaces: str) -> tuple[Row, ...]:
        """The items of all namespaces that begin with `namespaces`, those written last first;
        expired ones are among them."""
        with self._lock:
            known, cleared = self._known.get(namespaces), self._cleared
        with self._scope.snapshot(self._store) as snapshot:
            if snapshot.provisional:
                return self._read(snapshot, namespaces).order
            shelf = None if known is None else self._caught_up(snapshot, known, namespaces)
            if shelf is None:
                shelf = self._read(snapshot, namespaces)
        if shelf is not known and sum(len(row[2]) for row in shelf.order) <= _LARGEST:
            with self._lock:
                if cleared == self._cleared:
                    self._known[namespaces] = shelf
        return shelf.order

    def clear(self) -> None:
        """Read everything anew at the next search."""
        with self._lock:
            self._known.clear()
            self._cleared += 1

    def _caught_up(self, snapshot: Reader, shelf: _Shelf, namespaces: str) -> _Shelf | None:
        """The shelf with what has changed since; None if that is not known any more."""
        last = head(snapshot, self._scope)
        if last == shelf.head:
            return shelf
        news = self._feed.all_kept(snapshot, shelf.head, last)
        if news is None:
            return None
        rows, start = dict(shelf.rows), namespaces.encode()
        for place in {f"{change.namespace}\x00{change.key}".encode() for change, _ in news}:
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
    return tuple(sorted(rows.values(), key=lambda row: (-row[1][3], row[0])))
