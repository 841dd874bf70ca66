"""The records of items: their format, their time index and the declarations of their spaces."""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import datetime
from types import NoneType
from typing import Any, Final

from msgpack import UnpackException

from graphmem.errors import CorruptError, InvalidArgumentError
from graphmem.hexastore.fields import unreadable, wrong
from graphmem.hexastore.keys import Space, prefix, u64, under
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.spaces import Declared, Salvage
from graphmem.hexastore.transaction import Transaction
from graphmem.sharing import content, feed
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem.values.checks import check_range
from graphmem.values.items import Flat, Item
from graphmem.values.moments import LATEST, micros, moment

RECALLED: Final = "recalled"
"""The metadata key with the ids of the nodes by which `recall` finds an item's text."""

_LONGEST_TTL: Final = 100 * 366 * 86_400.0


def live(namespace: str, key: str, record: bytes | None, now: int) -> Item | None:
    """The item of a record; None if there is no record or it has expired."""
    if record is None:
        return None
    flat = unpacked(record)
    if flat[6] is not None and flat[6] <= now:
        return None
    return Item.of([namespace, key, *flat])


def unpacked(record: bytes) -> Flat:
    """The fields of a record: `Item.flat` without its names, and the number of the change that
    wrote it, 0 if an earlier version did. Raises CorruptError."""
    try:
        _, version, created, updated, maker, writer, expires, metadata, *number = flat = (
            content.unpacked(record)
        )
    except (ValueError, TypeError, UnpackException) as error:
        raise unreadable("an item", error) from None
    whole = type(version) is type(created) is type(updated) is int
    named = isinstance(maker, str) and isinstance(writer, str) and isinstance(metadata, dict)
    if not whole or not named or type(expires) not in (int, NoneType):
        raise wrong("an item has fields of another type")
    nodes = metadata.get(RECALLED, [])
    if not isinstance(nodes, list) or any(type(node) is not int for node in nodes):
        raise wrong("an item is found by what are no nodes")
    if len(number) > 1 or any(type(each) is not int for each in number):
        raise wrong("an item was written by what is no change")
    return flat if number else [*flat, 0]


def expiry(now: int, ttl: object) -> datetime | None:
    """When an item written now expires. Raises ArgumentTypeError, InvalidArgumentError."""
    if ttl is None:
        return None
    seconds = check_range("ttl", ttl, 0, _LONGEST_TTL)
    if not seconds:
        raise InvalidArgumentError("ttl is above 0, got 0")
    return moment(min(LATEST, now + round(seconds * 1_000_000)))


def due_key(scope: Scope, expires: int, place: bytes) -> bytes:
    """The key in the time index of the item with the key `place`."""
    return scope.prefix(Space.ITEM_EXPIRY) + u64(max(0, expires)) + place[5:]


def names_of(place: bytes) -> tuple[str, str]:
    """Namespace and key of a key behind scope and space."""
    namespace, key = place.split(b"\x00", 1)
    return namespace.decode(), key.decode()


def item_at(reader: Reader | Transaction, scope: int, namespace: str, key: str) -> Item | None:
    """An item of the scope with a number, which need not be open; also an expired one."""
    record = reader.get(prefix(scope, Space.ITEM) + f"{namespace}\x00{key}".encode())
    return None if record is None else Item.of([namespace, key, *unpacked(record)])


def item_of_text(
    reader: Reader | Transaction, scope: Scope, namespace: str, key: str, node: int
) -> Item | None:
    """The item of this name if the node is its text; the node's metadata alone proves nothing."""
    item = item_at(reader, scope.id, namespace, key)
    return item if item is not None and node in item.metadata.get(RECALLED, ()) else None


def item_of(place: bytes, record: bytes) -> Item:
    """The item of a row; `place` is the key behind scope and space. Raises CorruptError."""
    try:
        namespace, key = names_of(place)
        return Item.of([namespace, key, *unpacked(record)])
    except (ValueError, CorruptError) as error:
        raise CorruptError(f"the item {place[:80]!r} cannot be read ({error})") from None


def reschedule(store: Store, scope: Scope) -> None:
    """Rebuild the time index, which is empty, from the items."""
    with Transaction(store, scope) as tx:
        for key, record in store.range(*under(scope.prefix(Space.ITEM))):
            if (expires := item_of(key[5:], record).expires) is not None:
                tx.insert(due_key(scope, micros(expires), key), b"")


def _row_as_text(key: bytes, value: bytes) -> list[str]:
    return [b64encode(key).decode(), b64encode(value).decode()]


def _row_of_text(record: Any) -> tuple[bytes, bytes]:
    key, value = record
    return b64decode(key, validate=True), b64decode(value, validate=True)


SPACES: Final = (
    Declared(
        Space.ITEM, None, None, Salvage.COPIED, check=item_of,
        record="item", dump=_row_as_text, load=_row_of_text,
    ),
    Declared(
        Space.ITEM_EXPIRY, None, (0,), Salvage.MADE,
        record="item_expiry", dump=_row_as_text, load=_row_of_text,
    ),
    Declared(Space.CHANGE, 8, check=feed.change_of_row),  # not exported: a gap for a watcher
    Declared(
        Space.FEED, 0, (8,), Salvage.COPIED, check=lambda _, value: feed.number_of(value),
        record="feed", dump=_row_as_text, load=_row_of_text,
    ),
)  # fmt: skip
