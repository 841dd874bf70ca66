"""The record of a tombstone: what is left of a forgotten node while links still point to it."""

from __future__ import annotations

import msgpack

from graphmem.hexastore import keys
from graphmem.hexastore.fields import unreadable
from graphmem.hexastore.keys import Space
from graphmem.hexastore.transaction import Transaction
from graphmem.values.moments import micros, moment
from graphmem.values.nodes import Tombstone


def pack(stone: Tombstone) -> bytes:
    packed: bytes = msgpack.packb(
        [stone.phrase, stone.keywords, micros(stone.when), stone.passes, stone.why]
    )
    return packed


def insert(tx: Transaction, stone: Tombstone) -> None:
    """Write the tombstone of a node that has none."""
    tx.insert(tx.scope.prefix(Space.TOMBSTONE) + keys.u64(stone.id), pack(stone))
    tx.state.tombstones += 1


def unpack(identifier: int, record: bytes) -> Tombstone:
    """Read the record of node `identifier`. Raises CorruptError when it is not one."""
    try:
        phrase, keywords, when, passes, why = msgpack.unpackb(record)
        return Tombstone(identifier, phrase, tuple(keywords), moment(when), passes, why)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise unreadable(f"the tombstone of node {identifier}", error) from None
