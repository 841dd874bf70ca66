"""Stored places: a row for each 256 ids, five bytes for each node (docs/format.md). An erasure
removes the place in the same batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from graphmem.errors import CorruptError
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.spaces import Declared
from graphmem.hexastore.transaction import Transaction
from graphmem.mapping.places import MOST_ISLES, STEP, Place
from graphmem.storage.engine import Reader

FEATURE: Final = "places"
_NODES: Final = 256  # of a row
_ENTRY: Final = np.dtype([("x", ">i2"), ("y", ">i2"), ("isle", "u1")])
_NONE: Final = 0xFF  # the isle of a node that has no place

_Row = NDArray[Any]


def key_of(scope: Scope, node: int) -> bytes:
    """The key of the row that holds the place of a node."""
    return scope.prefix(Space.PLACE) + keys.u64(node // _NODES)


def of_row(key: bytes, value: bytes) -> Iterator[tuple[int, Place]]:
    """The nodes of a row and their places; the last eight bytes of the key are its number."""
    first = int.from_bytes(key[-8:], "big") * _NODES
    row = np.frombuffer(value, _ENTRY)
    taken = np.flatnonzero(row["isle"] != _NONE)
    chosen = row[taken]
    xs, ys = (chosen[axis].astype(np.float64) * STEP for axis in ("x", "y"))
    columns = (each.tolist() for each in (taken, xs, ys, chosen["isle"]))
    for offset, x, y, isle in zip(*columns, strict=True):
        yield first + offset, Place(x, y, isle)


def read(reader: Reader, scope: Scope) -> dict[int, Place]:
    """All places that are stored, by node."""
    return {
        node: place
        for key, value in reader.range(*keys.under(scope.prefix(Space.PLACE)))
        for node, place in of_row(key, value)
    }


def write(tx: Transaction, changes: Mapping[int, Place | None]) -> None:
    """Store places; None removes one."""
    by_row: dict[bytes, list[int]] = {}
    for node in changes:
        by_row.setdefault(key_of(tx.scope, node), []).append(node)
    for key, nodes in by_row.items():
        old = tx.get(key)
        row = _unpack_row(old or b"")
        for node in nodes:
            place = changes[node]
            row[node % _NODES] = (0, 0, _NONE) if place is None else _packed_place(place)
        if (value := _pack_row(row)) != (old or b""):
            tx.put_uncounted(key, value or None)


def remove(tx: Transaction, node: int) -> None:
    """Remove the place of a node, if it has one."""
    write(tx, {node: None})


def _packed_place(place: Place) -> tuple[int, int, int]:
    return round(place.x / STEP), round(place.y / STEP), place.isle


def _unpack_row(value: bytes) -> _Row:
    row: _Row = np.zeros(_NODES, _ENTRY)
    row["isle"] = _NONE
    known = np.frombuffer(value, _ENTRY)
    row[: len(known)] = known
    return row


def _pack_row(row: _Row) -> bytes:
    taken = np.flatnonzero(row["isle"] != _NONE)
    return row[: taken[-1] + 1].tobytes() if len(taken) else b""


def _check(_: bytes, value: bytes) -> None:
    isles = np.frombuffer(value, _ENTRY)["isle"]
    if isles[-1] == _NONE:
        raise CorruptError("a row of place ends with no place")
    if (isles[isles != _NONE] >= MOST_ISLES).any():
        raise CorruptError(f"a place has an isle over {MOST_ISLES - 1}")


def _dump(key: bytes, value: bytes) -> list[list[int]]:
    return [[node, *_packed_place(place)] for node, place in of_row(key, value)]


def _load(record: Any) -> tuple[bytes, bytes]:
    row, rows = _unpack_row(b""), set()
    for node, x, y, isle in record:
        if not 0 <= isle < MOST_ISLES:
            raise ValueError(f"there is no isle {isle}")
        rows.add(node // _NODES)
        row[node % _NODES] = x, y, isle
    (number,) = rows
    return keys.u64(number), _pack_row(row)


_SIZES: Final = tuple(range(_ENTRY.itemsize, _NODES * _ENTRY.itemsize + 1, _ENTRY.itemsize))
SPACES: Final = (
    Declared(
        Space.PLACE, 8, _SIZES, check=_check, record="places", dump=_dump, load=_load,
    ),
)  # fmt: skip
