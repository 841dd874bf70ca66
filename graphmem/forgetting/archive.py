"""The archive: earlier forms and forgotten nodes, compressed, oldest out first."""

from __future__ import annotations

import zlib
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Final

import msgpack

from graphmem.errors import CorruptError
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.spaces import Declared, Salvage
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader


@dataclass(frozen=True, slots=True)
class Archived:
    """One earlier state of a node."""

    node: int
    why: str  # what ended it: shortened, faded, slot, asked, corrected, expired, revived
    when: int  # microseconds since 1970, UTC
    passes: int  # the pass at which it ended
    text: TextRecord
    record: NodeRecord
    importance: float | None = None  # when it ended; None in what an early version wrote
    worths: tuple[float, ...] = ()  # of its sentences then; of a gist, of the best that it lost

    @property
    def version(self) -> int:
        """The version that it was."""
        return self.record.version

    def pack(self) -> bytes:
        """The record on disk."""
        return zlib.compress(
            msgpack.packb(
                [
                    self.node,
                    self.why,
                    self.when,
                    self.passes,
                    self.text.pack(),
                    self.record.pack(),
                    self.importance,
                    self.worths,
                ]
            ),
            6,
        )

    @classmethod
    def unpack(cls, packed: bytes) -> Archived:
        """Read a record. Raises CorruptError when it is not one."""
        try:
            node, why, when, passes, text, record, *why_so = msgpack.unpackb(
                zlib.decompress(packed)
            )
            importance, worths = why_so or (None, ())
            return cls(
                node,
                why,
                when,
                passes,
                TextRecord.unpack(text),
                NodeRecord.unpack(record),
                importance,
                tuple(worths),
            )
        except (ValueError, TypeError, LookupError, zlib.error, msgpack.UnpackException) as error:
            raise CorruptError(f"an archived form cannot be read ({error}); run check()") from None


def _index_key(scope: Scope, node: int, version: int) -> bytes:
    return scope.prefix(Space.ARCHIVED) + node.to_bytes(8, "big") + version.to_bytes(4, "big")


def put(tx: Transaction, form: Archived, limit: int) -> None:
    """Keep a form, and let the oldest go until the archive is within `limit` bytes."""
    if limit == 0:
        return
    state = tx.state
    place = keys.u64(state.next_archived)
    state.next_archived += 1
    _put(tx, tx.scope.prefix(Space.ARCHIVE) + place, form.pack())
    _put(tx, _index_key(tx.scope, form.node, form.version), place)
    state.archived += 1
    if state.archive_bytes > limit:
        # From where the last trimming ended: LevelDB reads slowly over what was just deleted.
        start = tx.scope.prefix(Space.ARCHIVE)
        for key, packed in tx.range(start + keys.u64(state.first_archived), keys.after(start)):
            _delete(tx, key, packed)
            state.first_archived = int.from_bytes(key[-8:], "big") + 1
            if state.archive_bytes <= limit:
                break


def restore(tx: Transaction, place: int, form: Archived) -> None:
    """Put a form in a place where none is; the counters of places are the caller's."""
    _put(tx, tx.scope.prefix(Space.ARCHIVE) + keys.u64(place), form.pack())
    _put(tx, _index_key(tx.scope, form.node, form.version), keys.u64(place))
    tx.state.archived += 1


def _put(tx: Transaction, key: bytes, value: bytes) -> None:
    tx.state.archive_bytes += len(key) + len(value)
    tx.put_uncounted(key, value)


def _delete(tx: Transaction, key: bytes, packed: bytes) -> None:
    form = Archived.unpack(packed)
    index = _index_key(tx.scope, form.node, form.version)
    tx.state.archive_bytes -= len(key) + len(packed) + len(index) + 8
    tx.state.archived -= 1
    tx.put_uncounted(key, None)
    tx.put_uncounted(index, None)


def forms(reader: Reader, scope: Scope, node: int) -> Iterator[Archived]:
    """The archived forms of a node, oldest version first."""
    start = scope.prefix(Space.ARCHIVED) + keys.u64(node)
    for _, place in reader.range(start, keys.after(start)):
        packed = reader.get(scope.prefix(Space.ARCHIVE) + place)
        if packed is not None:
            yield Archived.unpack(packed)


def newest_first(reader: Reader, scope: Scope) -> Iterator[Archived]:
    """All archived forms, the one archived last first."""
    start = scope.prefix(Space.ARCHIVE)
    for _, packed in reader.range(start, keys.after(start), reverse=True):
        yield Archived.unpack(packed)


def unread(
    reader: Reader, scope: Scope, known: Container[int]
) -> Iterator[tuple[int, Archived | None]]:
    """The place of each archived form, oldest first, and the form where the place is not known."""
    start = scope.prefix(Space.ARCHIVE)
    for key, packed in reader.range(start, keys.after(start)):
        place = int.from_bytes(key[-8:], "big")
        yield place, None if place in known else Archived.unpack(packed)


def erase(tx: Transaction, node: int) -> None:
    """Drop every form of a node."""
    start = tx.scope.prefix(Space.ARCHIVED) + keys.u64(node)
    for _, place in list(tx.range(start, keys.after(start))):
        key = tx.scope.prefix(Space.ARCHIVE) + place
        if (packed := tx.get(key)) is not None:
            _delete(tx, key, packed)


SPACES: Final = (
    Declared(Space.ARCHIVE, 8, counter="archived"),
    Declared(Space.ARCHIVED, 12, (8,), Salvage.MADE),
)
