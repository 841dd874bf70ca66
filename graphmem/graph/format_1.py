"""Format 1, which a link was six triples in: reading it, and writing it anew in format 2.

What differs from docs/format.md: a link's value stood in its SPO key (L i64 ‖ distance u8), type,
keywords and session of a node were triples with dictionary entries, and the counters were `>20Q2d`.
Adjacency (spaces 0x22 and 0x23: entries of 24 bytes, of which the last 4 were the overflow's value)
repeated the links of a source.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final

from graphmem.errors import CorruptError
from graphmem.graph import vocabulary
from graphmem.graph.links import LinkWriter, StoredLink, unpack_value
from graphmem.graph.records import TextRecord
from graphmem.graph.relations import Relations
from graphmem.graph.vocabulary import ValueWriter
from graphmem.hexastore import keys, scopes, terms, triples
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleIds, TripleWriter
from graphmem.storage.engine import Engine, Reader
from graphmem.storage.store import Store

VERSION: Final = 1
HEAD: Final = 0x22
OVERFLOW: Final = 0x23
_ENTRY: Final = struct.Struct(">QQIB3x")
_STATE: Final = struct.Struct(">20Q2d")
_COUNTERS: Final = (
    "next_node", "passes", "nodes", "pinned", "text_bytes", "live_bytes", "archive_bytes",
    "next_archived", "first_archived", "archived", "triples", "links", "documents", "words",
    "tombstones", "queued", "dead", "intents", "latin_seen", "cjk_seen", "latin_density",
    "cjk_density",
)  # fmt: skip
_FLIP: Final = (1 << 64) - 1
_OFFSET: Final = 1 << 63

COPIED: Final = (
    Space.META, Space.LAST_TEXT, Space.RELATION, Space.INTENT, Space.NODE, Space.FOCUS, Space.DUE,
    Space.TOMBSTONE, Space.FRESH, Space.CHUNK, Space.FREQUENCY, Space.VECTOR, Space.VECTOR_STATE,
    Space.EMBEDDING, Space.EMBEDDING_AGE, Space.QUEUE, Space.DEAD, Space.EMBED, Space.ARCHIVE,
    Space.ARCHIVED,
)  # fmt: skip
"""The spaces of a memory whose bytes are the same in format 2."""

_ROWS: Final = 2000  # keys a batch
_OWN: Final = frozenset((terms.KEYWORD, terms.SESSION))

Check = Callable[[Reader, Scope], list[str]]


def state(record: bytes) -> ScopeState:
    """The counters of a scope, with facts, keywords and sessions together in `triples`, as format 1
    did not tell them apart. Raises CorruptError when they cannot be read."""
    try:
        found = _STATE.unpack(record)
    except struct.error as error:
        raise CorruptError(f"a scope's counters cannot be read ({error})") from None
    counters = ScopeState(**dict(zip(_COUNTERS, found, strict=True)))
    counters.triples -= counters.links + counters.nodes
    return counters


def entries(head: bytes) -> Iterator[tuple[int, int, int, int]]:
    """L, target, relation and distance of the entries of an adjacency head."""
    for level, target, relation, distance in _ENTRY.iter_unpack(head):
        yield _FLIP - level - _OFFSET, _FLIP - target, relation, distance


def overflow_entry(key: bytes, value: bytes) -> tuple[int, int, int, int]:
    """The same of an overflow key, from behind its node."""
    return next(entries(key + value + b"\x00" * 3))


Rows = Callable[[int, int, tuple[int, ...] | None], Iterator[tuple[bytes, bytes]]]
"""Keys and values of a space: its number, the bytes of a key behind it, those a value may have."""


def salvage(
    rows: Rows, codes: Mapping[bytes, int]
) -> tuple[dict[tuple[int, int, int], tuple[int, int] | None], set[TripleIds]]:
    """What can be read of a damaged memory: links as (source, relation, target) → L and distance
    (None: they are lost), and all other triples. `codes` are the relations by term."""
    found: set[TripleIds] = set()
    links: dict[tuple[int, int, int], tuple[int, int] | None] = {}

    def keep(source: int, relation: int, target: int, level: int, distance: int) -> None:
        known = links.get((source, relation, target))
        if known is None or known[0] < level:
            links[source, relation, target] = level, distance

    for order in keys.ORDERS:
        places = triples.PLACES[order]
        for key, value in rows(order, 48, (0, 9) if order is Space.SPO else None):
            parts = (key[5:21], key[21:37], key[37:53])
            s, p, o = (parts[place] for place in places)
            source, target, code = terms.decode_node(s), terms.decode_node(o), codes.get(p)
            if source is None or target is None or code is None or not value:
                found.add((s, p, o))
            elif order is Space.SPO:
                keep(source, code, target, *unpack_value(value))
    heads: set[int] = set()
    for key, value in rows(HEAD, 8, None):
        if len(value) % _ENTRY.size == 0:
            heads.add(int.from_bytes(key[5:], "big"))
            for level, target, relation, distance in entries(value):
                keep(int.from_bytes(key[5:], "big"), relation, target, level, distance)
    for key, value in rows(OVERFLOW, 28, (1,)):
        level, target, relation, distance = overflow_entry(key[13:], value)
        keep(int.from_bytes(key[5:13], "big"), relation, target, level, distance)
    for s, p, o in list(found):
        source, target, code = terms.decode_node(s), terms.decode_node(o), codes.get(p)
        if source is None or target is None or code is None:
            continue
        # A link's value is in spo and in the adjacency; where the one is lost and the other says
        # nothing of it, it is a fact.
        if (source, code, target) in links:
            found.discard((s, p, o))
        elif source not in heads:
            found.discard((s, p, o))
            links[source, code, target] = None
    return links, found


def is_own(ids: TripleIds) -> bool:
    """True for a triple of type, keyword or session, which the records of a node say too."""
    return ids[1] in _OWN or (ids[1] == terms.TYPE and ids[2] == terms.NODE)


def migrate(old: Engine, store: Store, check: Check) -> None:
    """Write what a store of format 1 says into an empty one of format 2.

    Raises CorruptError if the old one is damaged, or if `check` finds a fault in the new one.
    """
    unwhole = {
        int.from_bytes(key[5:9], "big")
        for start in (keys.DROPPING, keys.LOADED)
        for key in old.keys(start, keys.after(start))
    }
    _copy(store, old.range(keys.PREFIXES, keys.after(keys.PREFIXES)))
    _copy(store, old.range(keys.LAST_SCOPE, keys.after(keys.LAST_SCOPE)))
    for name, number in scopes.names(old):
        if number in unwhole:
            continue
        scope = scopes.read_scope(old, number, state)
        if scope.kind == "rdf":
            _migrate_graph(old, store, scope)
        else:
            _Migration(old, store, scope).run()
        store.commit({keys.SCOPE_TABLE + name.encode(): number.to_bytes(4, "big")})
        with store.snapshot() as snapshot:
            if faults := check(snapshot, scope):
                raise CorruptError(
                    f"scope {name!r} cannot be migrated: {faults[0]}; run graphmem repair"
                )


def _copy(store: Store, rows: Iterator[tuple[bytes, bytes]]) -> int:
    """Copy keys and values as they are; returns their bytes."""
    size = 0
    while some := dict(islice(rows, _ROWS)):
        size += sum(len(key) + len(value) for key, value in some.items())
        store.commit({**some})
    return size


def _migrate_graph(old: Reader, store: Store, scope: Scope) -> None:
    """Copy a scope of kind rdf: only its counters have another length."""
    record = scope.prefix(Space.STATE)
    start, stop = keys.scope_range(scope.id)
    _copy(store, ((k, v) for k, v in old.range(start, stop) if k != record))
    store.commit({record: scope.state.pack()})


class _Migration:
    """One memory, written anew."""

    def __init__(self, old: Reader, store: Store, scope: Scope) -> None:
        self._old = old
        self._store = store
        self._scope = scope

    def run(self) -> None:
        scope, store = self._scope, self._store
        for counter in ("live_bytes", "links", "triples"):
            setattr(scope.state, counter, 0)
        for space in COPIED:
            size = _copy(store, self._all(space))
            if space not in keys.UNCOUNTED:
                scope.state.live_bytes += size
        self._relations = Relations(store, scope)
        self._write_texts()
        self._write_triples()

    def _all(self, space: Space) -> Iterator[tuple[bytes, bytes]]:
        start = self._scope.prefix(space)
        return self._old.range(start, keys.after(start))

    def _write_texts(self) -> None:
        rows = self._all(Space.TEXT)
        while some := list(islice(rows, _ROWS)):
            with Transaction(self._store, self._scope) as tx:
                values = ValueWriter(tx)
                for key, packed in some:
                    text = TextRecord.unpack(packed)
                    tx.insert(key, text.pack())
                    for space in vocabulary.SPACES.values():
                        said = vocabulary.values_of(text, space)
                        values.change(int.from_bytes(key[5:], "big"), space, (), said)

    def _write_triples(self) -> None:
        rows = self._all(Space.SPO)
        while some := list(islice(rows, _ROWS)):
            with Transaction(self._store, self._scope) as tx:
                links = LinkWriter(tx)
                facts = TripleWriter(tx, vocabulary.elsewhere(tx, self._relations))
                for key, value in some:
                    ids = (key[5:21], key[21:37], key[37:53])
                    if value:
                        links.restore(self._link(ids, value))
                    elif not is_own(ids):
                        term = (triples.lookup(self._old, self._scope, part) for part in ids)
                        facts.put(*map(facts.intern, term))

    def _link(self, ids: TripleIds, value: bytes) -> StoredLink:
        source, target = terms.decode_node(ids[0]), terms.decode_node(ids[2])
        relation = self._relations.code_of(ids[1])
        if source is None or target is None or relation is None:
            raise CorruptError(f"the link {b''.join(ids).hex()} has no relation, or no two nodes")
        return StoredLink(source, relation, target, *unpack_value(value))
