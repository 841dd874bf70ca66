"""The archive: earlier forms of nodes, compressed, the oldest dropped first; the last form of a
forgotten node is stored with its links and facts."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Collection, Container, Iterator
from typing import Final, NamedTuple

import msgpack

from graphmem.graph.links import StoredLink
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.relations import SUPERSEDES_CODE
from graphmem.graph.view import View
from graphmem.hexastore import keys, terms
from graphmem.hexastore.fields import unreadable
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.spaces import Declared, Salvage
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader

_LINK: Final = struct.Struct(">QIQqB")  # the fields of a StoredLink


class Archived(NamedTuple):
    """One earlier state of a node."""

    node: int
    why: str  # what ended it: shortened, pressed, faded, room, slot, asked, corrected, expired, …
    when: int  # microseconds since 1970, UTC
    passes: int  # the pass at which it ended
    text: TextRecord
    record: NodeRecord
    importance: float | None = None  # when it ended; None in what an early version wrote
    worths: tuple[float, ...] = ()  # of its sentences then; of a gist: of its best lost sentence
    links: tuple[StoredLink, ...] = ()  # from and to it when it was forgotten
    facts: tuple[tuple[str, str, str], ...] = ()  # of which it was the subject, as N-Triples

    @property
    def version(self) -> int:
        return self.record.version

    @property
    def superseded(self) -> list[int]:
        """The nodes that it had replaced when it was forgotten."""
        own = (e for e in self.links if e.relation == SUPERSEDES_CODE and e.source == self.node)
        return [e.target for e in own]

    def without(self, nodes: Collection[int]) -> Archived:
        """The same without the links and facts that name any of `nodes`."""
        gone = {terms.node_iri(node).n3() for node in nodes}
        return self._replace(
            links=tuple(e for e in self.links if e.source not in nodes and e.target not in nodes),
            facts=tuple(fact for fact in self.facts if gone.isdisjoint(fact)),
        )

    def pack(self) -> bytes:
        """The record on disk: compressed, except for the links and facts at its end, in which
        `erase` searches for nodes."""
        fields = [*self[:4], self.text.pack(), self.record.pack(), self.importance, self.worths]
        packed = zlib.compress(msgpack.packb(fields), 6)
        if self.links or self.facts:
            ends = b"".join(_LINK.pack(*link) for link in self.links)
            packed += msgpack.packb([ends, self.facts])
        return packed

    @classmethod
    def unpack(cls, packed: bytes) -> Archived:
        """Read a record. Raises CorruptError when it is not one."""
        try:
            unzip = zlib.decompressobj()
            fields = msgpack.unpackb(unzip.decompress(packed))
            ends, facts = b"", ()
            if unzip.unused_data:
                ends, facts = msgpack.unpackb(unzip.unused_data, use_list=False)
            text, record = TextRecord.unpack(fields[4]), NodeRecord.unpack(fields[5])
            importance, worths = fields[6:] or (None, ())
            links = tuple(map(StoredLink._make, _LINK.iter_unpack(ends)))
            held = text, record, importance, tuple(worths), links, facts
            return cls._make((*fields[:4], *held))
        except (
            ValueError, TypeError, LookupError, struct.error, zlib.error, msgpack.UnpackException
        ) as error:  # fmt: skip
            raise unreadable("an archived form", error) from None


def _index_key(scope: Scope, node: int, version: int) -> bytes:
    return scope.prefix(Space.ARCHIVED) + node.to_bytes(8, "big") + version.to_bytes(4, "big")


def put(tx: Transaction, form: Archived, limit: int) -> None:
    """Store a form, and drop the oldest until the archive is within `limit` bytes."""
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
    """Put a form in an empty place; the caller updates the counters of places."""
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
    for _, place in reader.range(*keys.under(scope.prefix(Space.ARCHIVED) + keys.u64(node))):
        packed = reader.get(scope.prefix(Space.ARCHIVE) + place)
        if packed is not None:
            yield Archived.unpack(packed)


def newest_first(view: View) -> Iterator[Archived]:
    """All archived forms, the one archived last first."""
    start = view.scope.prefix(Space.ARCHIVE)
    for _, packed in view.reader.range(*keys.under(start), reverse=True):
        yield Archived.unpack(packed)


def relations(view: View) -> set[int]:
    """The codes of all archived links."""
    return {link.relation for form in newest_first(view) for link in form.links}


def unread(
    reader: Reader, scope: Scope, known: Container[int]
) -> Iterator[tuple[int, Archived | None]]:
    """The place of each archived form, oldest first, and the form where the place is not known."""
    for key, packed in reader.range(*keys.under(scope.prefix(Space.ARCHIVE))):
        place = int.from_bytes(key[-8:], "big")
        yield place, None if place in known else Archived.unpack(packed)


def erase(tx: Transaction, nodes: Collection[int]) -> None:
    """Drop every form of nodes, and the links and facts of others that name them. Reads the whole
    archive, once."""
    prefix = tx.scope.prefix
    for node in nodes:
        for _, place in tx.range(*keys.under(prefix(Space.ARCHIVED) + keys.u64(node))):
            key = prefix(Space.ARCHIVE) + place
            if (packed := tx.get(key)) is not None:
                _delete(tx, key, packed)
    # Two patterns, since one whose alternatives share a prefix is matched as fast as a single one.
    ids = re.compile(b"|".join(re.escape(keys.u64(node)) for node in nodes))
    iris = re.compile(b"|".join(re.escape(terms.node_iri(node).n3().encode()) for node in nodes))
    for key, packed in tx.range(*keys.under(prefix(Space.ARCHIVE))):
        if ids.search(packed) or iris.search(packed):
            form = Archived.unpack(packed)
            if (left := form.without(nodes)) != form:
                tx.state.archive_bytes -= len(packed)
                tx.state.archive_bytes += len(without := left.pack())
                tx.put_uncounted(key, without)


SPACES: Final = (
    Declared(Space.ARCHIVE, 8, counter="archived"),
    Declared(Space.ARCHIVED, 12, (8,), Salvage.MADE),
)
