"""Repair: a damaged folder made anew out of what can still be read of it.

What can be read is written again by the code that writes memories, node by node and link by link.
So all that is derived (orders, adjacency, word index, due index, counters) agrees with what is
there, whatever was damaged.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Final, TypeVar

import msgpack

from graphmem import check
from graphmem.errors import CorruptError, InvalidTermError
from graphmem.forgetting import archive
from graphmem.forgetting.archive import Archived
from graphmem.graph import adjacency, focus, strength
from graphmem.graph.adjacency import Entry
from graphmem.graph.records import NodeRecord, TextRecord, micros, moment
from graphmem.graph.relations import FOCUS, SEGMENT, SUPERSEDES, Relations, iri, name_of
from graphmem.graph.view import Tombstone
from graphmem.graph.writer import LINK, GraphWriter, text_hash
from graphmem.hexastore import keys, terms
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Kind, Scope, ScopeState
from graphmem.hexastore.terms import IRI, Term
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import PLACES, TripleIds
from graphmem.index.words import WordIndex, node_of
from graphmem.settings import FOCUS_SLOTS
from graphmem.storage.backup import beside, put
from graphmem.storage.engine import Reader
from graphmem.storage.folder import META, STORE, State, path_name
from graphmem.storage.leveldb import LevelDBEngine
from graphmem.storage.ownership import Ownership
from graphmem.storage.salvage import salvage
from graphmem.storage.store import Store, settle_salvaged
from graphmem_worker.words import ANALYSER_VERSION

READ: Final = frozenset(
    (
        *keys.ORDERS, Space.STATE, Space.META, Space.LAST_TEXT, Space.RELATION, Space.INTENT,
        Space.DICTIONARY, Space.TEXT, Space.NODE, Space.HEAD, Space.OVERFLOW, Space.FOCUS,
        Space.TOMBSTONE, Space.QUEUE, Space.DEAD, Space.ARCHIVE,
    )
)  # fmt: skip
"""The spaces that are read; of triples and links each copy, so that one whole copy is enough."""
DERIVED: Final = frozenset(
    (
        Space.STATISTIC, Space.DUE, Space.FRESH, Space.CHUNK, Space.FREQUENCY, Space.ARCHIVED,
        Space.VECTOR, Space.VECTOR_STATE, Space.EMBEDDING, Space.EMBEDDING_AGE, Space.EMBED,
    )
)  # fmt: skip
"""The spaces that are made anew out of the others, here or by whoever opens the memory next."""

_UNWHOLE: Final = (keys.DROPPING, keys.LOADED)
"""What begins the keys that name a scope of which the rest is to be deleted, or that a bulk load
has not finished."""
_NODES: Final = 64  # written in a batch
_TRIPLES: Final = 512
_FOLD: Final = 2048  # documents
_ALIKE: Final = "nodes", "links", "triples"  # counters that tell of what is gone without a trace


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair found and made."""

    path: str
    damaged: str  # where the damaged folder is now, as it was
    unreadable: tuple[str, ...]  # which bytes of which files
    lost: tuple[str, ...]  # what is known to be lost, or older than it was, a sentence each
    nodes: int  # in all scopes together
    links: int
    triples: int  # links among them


def repair(path: str | os.PathLike[str]) -> RepairReport:
    """Make the closed, damaged memory in the folder `path` anew of all that can be read of it.

    The damaged folder is kept as `….damaged-1` (-2, …) beside it. What is derived is rebuilt; what
    is known to be lost is in the report: nothing there means that only what is derived, or nothing
    at all, was damaged. Where a newer state of a node or link was lost, an older one can come back,
    or one that was forgotten. Needs three times the space meanwhile, and as much memory as `check`.
    Interrupted, it leaves the folder as it was, and a folder `….repair-…` that can be deleted.

    Raises `AlreadyOpenError`, `MissingError`, `NotAStoreError`, `NewerFormatError`, `FullError`,
    `StorageError`.
    """
    ownership = Ownership.take(path_name(path), create=False)
    try:
        folder = ownership.folder
        meta = (folder / META).read_bytes() if ownership.state is State.OURS else None
        with beside(folder, "repair") as new:
            salvaged = LevelDBEngine(new.parent / "salvaged")
            try:
                unreadable = salvage(folder / STORE, salvaged)
                settle_salvaged(salvaged, meta)
                with Store.open(new, durability="os") as store:
                    lost, states = rebuild(salvaged, store)
            finally:
                salvaged.close()
            aside = _aside(folder)
            os.rename(folder, aside)
            try:
                put(new, folder)
            except BaseException:
                os.rename(aside, folder)
                raise
    finally:
        ownership.release()
    return RepairReport(
        str(folder),
        str(aside),
        tuple(unreadable),
        tuple(lost),
        sum(state.nodes for state in states),
        sum(state.links for state in states),
        sum(state.triples for state in states),
    )


def _aside(folder: Path) -> Path:
    number = 1
    while (path := folder.with_name(f"{folder.name}.damaged-{number}")).exists():
        number += 1
    return path


def rebuild(reader: Reader, store: Store) -> tuple[list[str], list[ScopeState]]:
    """Write all that `reader`, a store that may be damaged, says into the empty `store`.

    Returns what is known to be lost, and the counters of the scopes. Raises `CorruptError` if the
    new store does not agree in itself, which no damage may cause.
    """
    store.continue_from(reader)
    table: dict[int, str] = {}
    for key, value in reader.range(keys.SCOPE_TABLE, keys.after(keys.SCOPE_TABLE)):
        with suppress(UnicodeDecodeError):
            table[int.from_bytes(value, "big")] = key[len(keys.SCOPE_TABLE) :].decode()
    unwhole = {
        int.from_bytes(key[5:9], "big")
        for start in _UNWHOLE
        for key in reader.keys(start, keys.after(start))
    }
    lost: list[str] = []
    scopes: list[Scope] = []
    numbers = {*table, *_numbers(reader)} - unwhole
    last = int.from_bytes(reader.get(keys.LAST_SCOPE) or b"", "big")
    # Not the record of a load: it would go on behind triples that are not here.
    prefixes = reader.range(keys.PREFIXES, keys.after(keys.PREFIXES))
    batch: dict[bytes, bytes | None] = dict(prefixes)
    batch[keys.LAST_SCOPE] = max(last, *numbers, *unwhole, 0).to_bytes(4, "big")
    store.commit(batch)
    for number in sorted(numbers):
        scope = _read_scope(reader, number, table.get(number), lost)
        scopes.append(scope)
        _Rebuilding(reader, store, scope, lost).run()
        with store.snapshot() as snapshot:
            faults = check.faults(snapshot, scope)
        if faults:
            raise CorruptError(f"scope {scope.name!r} was not repaired: {faults[0]}")
    return lost, [scope.state for scope in scopes]


def _numbers(reader: Reader) -> Iterator[int]:
    """The scopes of which anything is there."""
    start = keys.scope_range(1)[0]
    while (key := next(reader.keys(start, b"\xff" * 9), None)) is not None:
        number = int.from_bytes(key[:4], "big")
        yield number
        start = (number + 1).to_bytes(5, "big")[1:]
        if number == 0xFFFFFFFF:
            return


def _read_scope(reader: Reader, number: int, name: str | None, lost: list[str]) -> Scope:
    record = reader.get(keys.prefix(number, Space.META)) or b""
    try:
        scope = Scope(id=number, **msgpack.unpackb(record))
    except (ValueError, TypeError, msgpack.UnpackException):
        start = keys.prefix(number, Space.TEXT)
        texts = next(reader.keys(start, keys.after(start)), None)
        kind: Kind = "rdf" if texts is None else "memory"
        name = name or f"recovered-{number}"
        scope = Scope(number, name, kind, strength.DEFAULT_DECAY, 0, ANALYSER_VERSION)
        lost.append(f"the fixed record of scope {name!r}: it has the default decay now")
    scope.analyser = ANALYSER_VERSION  # the words are cut anew
    return scope


class _Rebuilding:
    """One scope, written anew."""

    def __init__(self, reader: Reader, store: Store, scope: Scope, lost: list[str]) -> None:
        self._reader = reader
        self._store = store
        self._scope = scope
        self._lost = lost
        self._now = micros(datetime.now(UTC))
        self._hidden = [
            (node_of(key), int.from_bytes(value, "big")) for key, value in self._rows(Space.INTENT)
        ]
        self._relation_names = self._read_relations()
        self._relation_terms = {
            terms.encode(IRI(iri(name))): name for name in self._relation_names.values()
        }
        self._weightless: list[TripleIds] = []  # links whose strength is lost
        self._triples = self._read_triples()
        self._stones = dict(self._readable(Space.TOMBSTONE, Tombstone.unpack))
        self._forms = dict(self._readable(Space.ARCHIVE, lambda _, value: Archived.unpack(value)))
        self._alive: set[int] = set()
        self._gone: set[int] = set()  # nodes that are mentioned, but have no text
        self._told: ScopeState | None = None

    def run(self) -> None:
        """Write the scope."""
        scope = self._scope
        scope.state = self._first_state()
        store = self._store
        store.commit(
            {
                keys.SCOPE_TABLE + scope.name.encode(): scope.id.to_bytes(4, "big"),
                scope.prefix(Space.META): scope.meta,
                scope.prefix(Space.STATE): scope.state.pack(),
            }
        )
        self._index = WordIndex(store, scope)
        self._relations = self._write_relations()
        self._write_nodes()
        self._write_triples()
        self._write_rest()
        while self._index.fresh:
            self._index.fold(_FOLD)
        if self._told is not None and not self._hidden:
            for counter in _ALIKE:
                before, now = getattr(self._told, counter), getattr(scope.state, counter)
                if now < before:
                    self._tell(f"{before - now:,} of {before:,} {counter} are not there")

    def _tell(self, what: str) -> None:
        self._lost.append(f"scope {self._scope.name!r}: {what}")

    def _rows(self, space: Space) -> Iterator[tuple[bytes, bytes]]:
        """Keys and values that have the shape of their space."""
        length, sizes = check.SHAPES[space]
        start = self._scope.prefix(space)
        for key, value in self._reader.range(start, keys.after(start)):
            if length not in (None, len(key) - 5) or (
                sizes is not None and len(value) not in sizes
            ):
                self._tell(f"the key {key.hex()} or its value has not the length of its kind")
            else:
                yield key, value

    def _readable(
        self, space: Space, unpack: Callable[[int, bytes], _T]
    ) -> Iterator[tuple[int, _T]]:
        """Node or place, and record, of what can be read."""
        for key, value in self._rows(space):
            try:
                yield node_of(key), unpack(node_of(key), value)
            except CorruptError as error:
                self._tell(f"the key {key.hex()}: {error}")

    # -- reading ------------------------------------------------------------------------------

    def _read_triples(self) -> dict[TripleIds, bytes]:
        """Every triple that any of the six orders or the adjacency has, with its spo value."""
        found: dict[TripleIds, bytes] = {}
        doubtful: list[TripleIds] = []
        for order in keys.ORDERS:
            places = PLACES[order]
            for key, value in self._rows(order):
                parts = (key[5:21], key[21:37], key[37:53])
                triple = (parts[places[0]], parts[places[1]], parts[places[2]])
                if order is Space.SPO:
                    found[triple] = value
                elif triple not in found:
                    found[triple] = b""
                    doubtful.append(triple)
        nameless: dict[tuple[bytes, ...], bytes] = {
            (s, o, value): p for (s, p, o), value in found.items() if p not in self._relation_terms
        }
        heads: set[int] = set()
        for source, entry in self._entries(heads):
            s, o = terms.encode_node(source), terms.encode_node(entry.target)
            value = LINK.pack(entry.level, entry.distance)
            if (name := self._relation_names.get(entry.relation)) is not None:
                p = terms.encode(IRI(iri(name)))
            else:  # the name of the code is lost, but the link may be known by its predicate
                p = nameless.get((s, o, value)) or nameless.get((s, o, b"")) or _nameless(entry)
            known = found.get((s, p, o))
            if not known or LINK.unpack(known)[0] < entry.level:
                found[s, p, o] = value
        for s, p, o in doubtful:
            # A link's value is in spo and in the adjacency; where the one is lost and the other
            # says nothing of it, it is a fact.
            ends = terms.decode_node(s), terms.decode_node(o)
            could_be = p in self._relation_terms and None not in ends and ends[0] not in heads
            if could_be and not found[s, p, o]:
                self._weightless.append((s, p, o))
        return found

    def _entries(self, heads: set[int]) -> Iterator[tuple[int, Entry]]:
        for key, value in self._rows(Space.HEAD):
            with suppress(CorruptError):
                for entry in adjacency.entries(value):
                    yield node_of(key), entry
                heads.add(node_of(key))
        for key, value in self._rows(Space.OVERFLOW):
            packed = key[13:] + value + b"\x00" * 3
            yield int.from_bytes(key[5:13], "big"), adjacency.unpack(packed)

    def _read_relations(self) -> dict[int, str]:
        names = dict(enumerate((FOCUS, SEGMENT, SUPERSEDES), 1))
        for key, value in self._rows(Space.RELATION):
            try:
                names[int.from_bytes(key[5:], "big")] = name_of(value.decode())
            except UnicodeDecodeError:
                self._tell("the name of a relation cannot be read")
        return names

    def _term(self, identifier: bytes) -> Term | None:
        """The term of an id, None if its form is lost."""
        try:
            if terms.is_inline(identifier):
                return terms.decode_inline(identifier)
            key = self._scope.prefix(Space.DICTIONARY) + identifier
            for reader in (self._reader, self._store):  # a keyword is in its node's text as well
                form = reader.get(key)
                if form is not None and _digest(form) == identifier[1:]:
                    return terms.parse(form.decode())
        except (InvalidTermError, UnicodeDecodeError):
            pass
        return None

    def _name(self, predicate: bytes) -> str:
        """The relation of a link's predicate."""
        if (name := self._relation_terms.get(predicate)) is not None:
            return name
        term = self._term(predicate)
        if isinstance(term, IRI):
            return name_of(term.value)
        name = self._relation_terms[predicate] = f"lost {predicate.hex()[2:10]}"
        self._tell(f"the name of a relation, which is called {name!r} now")
        return name

    def _first_state(self) -> ScopeState:
        """The counters of an empty scope that goes on where the old one was."""
        record = self._reader.get(self._scope.prefix(Space.STATE))
        try:
            told = self._told = ScopeState.unpack(record or b"")
        except CorruptError:
            told = ScopeState()
            self._tell("the counters: the pass is about the last at which anything happened")
        passes, node, place = told.passes, told.next_node - 1, told.next_archived - 1
        for number, record_ in self._readable(Space.NODE, lambda _, v: NodeRecord.unpack(v)):
            passes, node = max(passes, record_.born, record_.last_use), max(node, number)
        for number, stone in self._stones.items():
            passes, node = max(passes, stone.passes), max(node, number)
        for number, form in self._forms.items():
            passes, node, place = max(passes, form.passes), max(node, form.node), max(place, number)
        for (s, _, o), value in self._triples.items():
            node = max(node, terms.decode_node(s) or 0, (terms.decode_node(o) or 0) if value else 0)
            if value:  # no link is stronger than 1
                level = LINK.unpack(value)[0]
                passes = max(passes, ceil(level / (self._scope.decay * strength.UNIT) - 1e-3))
        texts = (node_of(key) for key, _ in self._rows(Space.TEXT))
        return ScopeState(
            next_node=max(node, *texts, 0) + 1,
            passes=passes,
            live_bytes=len(self._scope.prefix(Space.META)) + len(self._scope.meta),
            next_archived=place + 1,
            first_archived=min(self._forms, default=place + 1),
            latin_seen=told.latin_seen,
            cjk_seen=told.cjk_seen,
            latin_density=told.latin_density,
            cjk_density=told.cjk_density,
        )

    # -- writing ------------------------------------------------------------------------------

    def _write_relations(self) -> Relations:
        with Transaction(self._store, self._scope) as tx:
            for code, name in self._relation_names.items():
                if name not in (FOCUS, SEGMENT, SUPERSEDES):
                    key = self._scope.prefix(Space.RELATION) + code.to_bytes(4, "big")
                    tx.insert(key, iri(name).encode())
        return Relations(self._store, self._scope)

    def _write_nodes(self) -> None:
        texts = self._readable(Space.TEXT, lambda _, value: TextRecord.unpack(value))
        queues = (Space.QUEUE, "queued"), (Space.DEAD, "dead")
        while some := list(islice(texts, _NODES)):
            with Transaction(self._store, self._scope) as tx:
                writer = GraphWriter(tx, self._relations)
                for node, text in some:
                    if self._is_hidden(node):
                        continue
                    record = self._record(node, text)
                    writer.restore(node, text, record)
                    due = self._scope.prefix(Space.DUE) + keys.u64(record.due) + keys.u64(node)
                    tx.insert(due, b"")
                    self._index.put(tx, node, text.words)
                    self._alive.add(node)
                    for space, counter in queues:
                        key = self._scope.prefix(space) + keys.u64(node)
                        waits = self._reader.get(key)
                        if waits is not None and (space is Space.DEAD or len(waits) == 1):
                            tx.insert(key, waits)
                            setattr(tx.state, counter, getattr(tx.state, counter) + 1)

    def _record(self, node: int, text: TextRecord) -> NodeRecord:
        """The node record that goes with a text."""
        passes, digest = self._scope.state.passes, text_hash(text)
        packed = self._reader.get(self._scope.prefix(Space.NODE) + keys.u64(node))
        try:
            record = NodeRecord.unpack(packed or b"")
        except CorruptError:
            self._tell(f"of node {node}, how often it was used, and whether it was pinned")
            last = max((f.version for f in self._forms.values() if f.node == node), default=0)
            record = NodeRecord(version=last + 1, born=passes, due=passes + 1)
        if packed is not None and record.text_hash != digest:
            self._tell(f"the present text of node {node}: this is another of its forms")
        return record._replace(text_hash=digest)

    def _write_triples(self) -> None:
        for triple in self._weightless:
            self._triples[triple] = LINK.pack(
                strength.decayed(self._scope.state.passes, self._scope.decay), 1
            )
        if self._weightless:
            count = len(self._weightless)
            self._tell(f"the strength of {count:,} links, which are as strong as new ones now")
        self._gone = {
            node_of(key) for key, _ in self._rows(Space.NODE) if not self._is_hidden(node_of(key))
        } - self._alive
        keywords: defaultdict[int, list[str]] = defaultdict(list)
        facts: list[tuple[TripleIds, bytes]] = []
        for (s, p, o), value in self._triples.items():
            node = terms.decode_node(s)
            own = p in (terms.KEYWORD, terms.SESSION) or (p == terms.TYPE and o == terms.NODE)
            if node is None or not own:
                facts.append(((s, p, o), value))
            elif node in self._gone and p == terms.KEYWORD and (word := self._term(o)) is not None:
                keywords[node].append(str(word))
        for node in sorted(self._gone):
            about = f"; it was about {', '.join(keywords[node])}" if keywords[node] else ""
            self._tell(f"node {node}{about}")
            stone = Tombstone(
                node, "a damaged memory", tuple(keywords[node]), moment(self._now),
                self._scope.state.passes, "damaged",
            )  # fmt: skip
            self._stones.setdefault(node, stone)
        pointed_to: set[int] = set()
        unknown = 0
        rest = iter(facts)
        while some := list(islice(rest, _TRIPLES)):
            with Transaction(self._store, self._scope) as tx:
                writer = GraphWriter(tx, self._relations)
                for (s, p, o), value in some:
                    source, target = terms.decode_node(s), terms.decode_node(o)
                    if not value or source is None or target is None:
                        if source is not None and self._is_hidden(source):
                            continue
                        words = [
                            word for part in (s, p, o) if (word := self._term(part)) is not None
                        ]
                        if len(words) == 3:
                            writer.triples.put(*map(writer.triples.intern, words))
                        else:
                            unknown += 1
                    elif source in self._alive and not self._is_hidden(target):
                        writer.restore_link(source, self._name(p), target, *LINK.unpack(value))
                        pointed_to.add(target)
        if unknown:
            self._tell(f"{unknown:,} facts, of which a word is lost")
        with Transaction(self._store, self._scope) as tx:
            for node, stone in self._stones.items():
                if node in pointed_to and node not in self._alive:
                    tx.insert(self._scope.prefix(Space.TOMBSTONE) + keys.u64(node), stone.pack())
                    tx.state.tombstones += 1

    def _is_hidden(self, node: int) -> bool:
        return any(first <= node <= last for first, last in self._hidden)

    def _write_rest(self) -> None:
        try:
            nodes = focus.read(self._reader, self._scope)
        except CorruptError:
            nodes = ()
        nodes = tuple(n for n in dict.fromkeys(nodes) if n in self._alive)[:FOCUS_SLOTS]
        with Transaction(self._store, self._scope) as tx:
            if nodes:
                tx.put(focus.key(self._scope), focus.pack(nodes))
            for key, value in self._rows(Space.LAST_TEXT):
                tx.put(key, value)
        newest = {(form.node, form.version): place for place, form in self._forms.items()}
        rest = iter(sorted(newest.values()))
        while some := list(islice(rest, _NODES)):
            with Transaction(self._store, self._scope) as tx:
                for place in some:
                    archive.restore(tx, place, self._forms[place])


def _nameless(entry: Entry) -> bytes:
    """A predicate for links of which only the code of the relation is left."""
    return terms.encode(IRI(f"lost:{entry.relation}"))


def _digest(form: bytes) -> bytes:
    return blake2b(form, digest_size=15).digest()
