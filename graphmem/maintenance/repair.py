"""Repair: rebuilds a damaged folder from all that can still be read of it, by the code that writes
memories, node by node and link by link, so that derived data agrees with the records."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from glob import escape
from hashlib import blake2b
from itertools import count, islice
from math import ceil
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import msgpack

from graphmem.errors import CorruptError, InvalidTermError
from graphmem.forgetting import archive
from graphmem.forgetting.archive import Archived
from graphmem.graph import focus, links, strength, tombstones, vocabulary
from graphmem.graph.links import StoredLink
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.relations import SYSTEM, Relations, iri, name_of
from graphmem.graph.view import words_of
from graphmem.graph.writer import GraphWriter, text_hash
from graphmem.hexastore import keys, terms
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import (
    META_START,
    Kind,
    Scope,
    ScopeState,
    entry,
    last_given,
    read_number,
)
from graphmem.hexastore.spaces import SPACES, Declared, Salvage
from graphmem.hexastore.terms import Term
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleIds, of_keys
from graphmem.index.vectors.records import SET_ASIDE, WAITING, VectorState, unpacked
from graphmem.index.words.index import WordIndex
from graphmem.index.words.records import node_of
from graphmem.maintenance import check
from graphmem.maintenance.spaces import DECLARED
from graphmem.mapping import place_rows
from graphmem.settings import FOCUS_SLOTS
from graphmem.sharing import feed, item_records
from graphmem.storage import commit_keys, engines
from graphmem.storage.backup import beside, put
from graphmem.storage.encoding import is_whole
from graphmem.storage.engine import Engine, Reader
from graphmem.storage.folder import META, STORE, State, path_name, read_clean, read_file
from graphmem.storage.format_record import ensure_salvaged
from graphmem.storage.ownership import Ownership
from graphmem.storage.salvage import standing
from graphmem.storage.store import Store
from graphmem.values.checks import check_function
from graphmem.values.moments import micros, moment
from graphmem.values.nodes import Tombstone
from graphmem.values.reports import RepairReport
from graphmem_worker.text.words import ANALYSER_VERSION

_UNWHOLE: Final = (keys.DROPPING, keys.LOADED)
"""Prefixes of the keys that name scopes that are being deleted, or bulk loaded and not finished."""
_LONGEST_META: Final = 17_000  # bytes of a fixed record: its name has up to 4,000 characters
_NODES: Final = 64  # written in a batch
_TRIPLES: Final = 512
_FOLD: Final = 2048  # documents
_SALVAGE: Final = "salvaged"
"""The folder, beside the new one, for the readable rows."""
_ALIKE: Final = ("nodes", "links", "all_triples")
"""Counters by which losses without any other trace are found."""

_T = TypeVar("_T")
_Links: TypeAlias = dict[tuple[int, int, int], tuple[int, int] | None]
"""(source, relation, target) → L and distance; None: they are lost."""


_SALVAGED: Final = 0.3
_READ: Final = 0.15
_NODES_WRITTEN: Final = 0.35
_WRITTEN: Final = 0.6
"""Progress of a repair when all is salvaged; and of the rest, in each scope, when it is read, when
its nodes are written, and when all is written; its check follows."""


def repair(
    path: str | os.PathLike[str], progress: Callable[[int, int], None] | None = None
) -> RepairReport:
    """Rebuild the closed, damaged memory in the folder `path` from all that can be read of it.

    The damaged folder is kept as `….damaged-1` (-2, …) beside it. Derived data is rebuilt. The
    report lists known losses: if there are none, at most derived data was damaged. Where the newest
    state of a node or link was lost, an older one, or a forgotten node, can come back. Needs three
    times the disk space meanwhile, and as much memory as `check`. If killed, it leaves the
    folder unchanged, and a folder `….repair-…`, which the next repair removes. `progress` is called
    with how many thousandths are done, and 1,000.

    Raises `AlreadyOpenError`, `MissingError`, `NotAStoreError`, `NewerFormatError`,
    `OlderFormatError`, `FullError`, `StorageError`.
    """
    check_function("progress", progress)

    def report(share: float) -> None:
        if progress is not None:
            progress(round(1000 * share), 1000)

    ownership = Ownership.take(path_name(path), create=False)
    try:
        folder = ownership.folder
        _remove_left(folder)
        meta = read_file(folder / META) if ownership.state is State.OURS else None
        with beside(folder, "repair") as new:
            kind = engines.kind_of(folder / STORE) or engines.default()
            salvaged = engines.open_engine(new.parent / _SALVAGE, kind, ordered=False)
            try:
                size = sum(file.stat().st_size for file in (folder / STORE).glob("*"))
                unreadable = engines.salvage(
                    folder / STORE, kind, salvaged,
                    lambda count: report(_SALVAGED * min(1.0, count / max(1, size))),
                )  # fmt: skip
                ensure_salvaged(salvaged, meta)
                _find_records(folder / STORE, salvaged)
                with Store.open(new, durability="os", engine=kind) as store:
                    lost, states = rebuild(
                        salvaged, store, read_clean(folder),
                        progress=lambda share: report(_SALVAGED + (1 - _SALVAGED) * share),
                    )  # fmt: skip
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
        sum(state.all_triples for state in states),
    )


def _remove_left(folder: Path) -> None:
    """Remove what killed repairs of a folder have left; the caller owns the folder."""
    for left in folder.parent.glob(f"{escape(folder.name)}.repair-*"):
        if left.is_dir() and {*os.listdir(left)} <= {folder.name, _SALVAGE}:
            shutil.rmtree(left, ignore_errors=True)


def _aside(folder: Path) -> Path:
    number = 1
    while (path := folder.with_name(f"{folder.name}.damaged-{number}")).exists():
        number += 1
    return path


def rebuild(
    reader: Reader,
    store: Store,
    closed_at: int = 0,
    *,
    progress: Callable[[float], None] = lambda _: None,
) -> tuple[list[str], list[ScopeState]]:
    """Write all that `reader`, a store that may be damaged, holds into the empty `store`.
    closed_at: the sequence number at its last clean close. progress: called with the share that is
    done. Returns the known losses, and the counters of the scopes. Raises `CorruptError` if the new
    store fails its check."""
    lost: list[str] = []
    if (found := store.continue_from(reader, closed_at)) < closed_at:
        lost.append(
            f"commits {found + 1:,} to {closed_at:,}, which were there when last closed: "
            "what they changed is as it was before"
        )
    with _noting_loss(lost):
        commit_keys.last(reader)
    table: dict[int, str] = {}
    last = 0
    for key, value in reader.range(*keys.under(keys.SCOPE_TABLE)):
        name = key[len(keys.SCOPE_TABLE) :].decode(errors="replace")
        try:
            table[read_number(value)] = name
        except CorruptError:
            lost.append(f"the number of scope {name!r}, by which its name is found")
    unwhole = {
        int.from_bytes(key[5:9], "big")
        for start in _UNWHOLE
        for key in reader.keys(*keys.under(start))
    }
    numbers = {*table, *_numbers(reader)} - unwhole
    with _noting_loss(lost):
        last = last_given(reader)
    # Not the record of a bulk load, which would continue after triples that are missing here.
    batch: dict[bytes, bytes | None] = dict(reader.range(*keys.under(keys.PREFIXES)))
    batch[keys.LAST_SCOPE] = max(last, *numbers, *unwhole, 0).to_bytes(4, "big")
    store.commit(batch)
    scopes = _read_scopes(reader, numbers, table, lost)
    texts = [sum(1 for _ in _texts(reader, scope.id)) for scope in scopes]
    done, total = 0, max(1, sum(texts))
    for scope, part in zip(scopes, texts, strict=True):

        def report(share: float, done: int = done, part: int = part) -> None:
            progress((done + share * part) / total)

        _Rebuilding(reader, store, scope, lost, part, report).run()
        with store.snapshot() as snapshot:
            faults = check.faults(snapshot, scope)
        if faults:
            raise CorruptError(f"scope {scope.name!r} was not repaired: {faults[0]}")
        report(1.0)
        done += part
    return lost, [scope.state for scope in scopes]


@contextmanager
def _noting_loss(lost: list[str]) -> Iterator[None]:
    """Add a CorruptError to the losses instead of raising it."""
    try:
        yield
    except CorruptError as error:
        lost.append(str(error).partition(":")[0])


def _numbers(reader: Reader) -> Iterator[int]:
    """The numbers of the scopes that have any key."""
    start = keys.scope_range(1)[0]
    while (key := next(reader.keys(start, b"\xff" * 9), None)) is not None:
        number = int.from_bytes(key[:4], "big")
        yield number
        start = (number + 1).to_bytes(5, "big")[1:]
        if number == 0xFFFFFFFF:
            return


def _texts(reader: Reader, scope: int) -> Iterator[bytes]:
    return reader.keys(*keys.under(keys.prefix(scope, Space.TEXT)))


def _find_records(folder: Path, salvaged: Engine) -> None:
    """Search the damaged bytes for fixed records of scopes that were not salvaged: only they hold
    the name of a scope, and each has its own checksum."""
    wanted = {keys.prefix(number, Space.META) for number in _numbers(salvaged)}
    wanted = {key for key in wanted if salvaged.get(key) is None}
    for found in standing(folder, META_START, _LONGEST_META) if wanted else ():
        unpacker = msgpack.Unpacker()
        unpacker.feed(found)
        with suppress(ValueError, msgpack.UnpackException):
            unpacker.skip()
            stored = found[: unpacker.tell() + 4]
            salvaged.commit({key: stored[:-4] for key in wanted if is_whole(key, stored)})


def _fixed(reader: Reader, number: int) -> Scope | None:
    """A scope by its fixed record; None if that cannot be read."""
    record = reader.get(keys.prefix(number, Space.META)) or b""
    with suppress(ValueError, TypeError, msgpack.UnpackException):
        return Scope(id=number, **msgpack.unpackb(record))
    return None


def _read_scopes(
    reader: Reader, numbers: Set[int], table: dict[int, str], lost: list[str]
) -> list[Scope]:
    """The scopes by number, each with a unique name. If its name is lost, the only scope of a
    folder is called "default", any other `recovered-` and its number."""
    found: list[Scope] = []
    taken: set[str] = set()
    for number in sorted(numbers, key=lambda number: (number not in table, number)):
        scope = _fixed(reader, number)
        name = table.get(number, "") if scope is None else scope.name
        if not name or name in taken:
            free = (f"recovered-{n}" for n in count(number))
            name = "default" if len(numbers) == 1 else next(n for n in free if n not in taken)
            lost.append(f"the name of scope {number}: what is left of it is in scope {name!r} now")
        if scope is None:
            kind = _kind(reader, number, name)
            scope = Scope(number, name, kind, strength.DEFAULT_DECAY, 0, ANALYSER_VERSION)
            lost.append(f"the fixed record of scope {name!r}: it has the default decay now")
        scope.name = name
        scope.analyser = ANALYSER_VERSION  # its texts are analysed again
        taken.add(name)
        found.append(scope)
    return sorted(found, key=lambda scope: scope.id)


def _kind(reader: Reader, number: int, name: str) -> Kind:
    """The kind of a scope without its fixed record: an RDF graph has only triples, and its name is
    an IRI or the label of a blank node."""

    def has(spaces: Iterable[Space]) -> bool:
        found = (reader.keys(*keys.under(keys.prefix(number, space))) for space in spaces)
        return any(next(rows, None) is not None for rows in found)

    of_graphs = {declared.space for declared in SPACES}
    is_graph = ":" in name and has(keys.ORDERS) and not has({*Space} - of_graphs)
    return "rdf" if is_graph else "memory"


class _Rebuilding:
    """The rebuilding of one scope."""

    def __init__(
        self,
        reader: Reader,
        store: Store,
        scope: Scope,
        lost: list[str],
        texts: int,
        report: Callable[[float], None],
    ) -> None:
        """texts: how many it has. report: called with the share of its repair that is done."""
        self._texts = texts
        self._report = report
        self._reader = reader
        self._store = store
        self._scope = scope
        self._lost = lost
        self._now = micros(datetime.now(UTC))
        self._hidden = [
            (node_of(key), int.from_bytes(value, "big")) for key, value in self._rows(Space.INTENT)
        ]
        self._relation_names = self._read_relations()
        self._links, self._facts = self._read_links(), self._read_facts()
        # node, term id
        self._keywords = {(node_of(k), k[5:21]) for k, _ in self._rows(Space.KEYWORD)}
        self._stones = dict(self._readable(Space.TOMBSTONE, tombstones.unpack))
        self._forms = dict(self._readable(Space.ARCHIVE, lambda _, value: Archived.unpack(value)))
        self._alive: set[int] = set()
        self._changed: set[int] = set()  # nodes of which only another form was found
        self._gone: set[int] = set()  # nodes that are mentioned, but have no text
        self._old_state: ScopeState | None = None

    def run(self) -> None:
        scope = self._scope
        scope.state = self._first_state()
        store = self._store
        store.commit(
            {
                **entry(scope.name, scope.id.to_bytes(4, "big")),
                scope.prefix(Space.META): scope.meta,
                scope.prefix(Space.STATE): scope.state.pack(),
            }
        )
        self._index = WordIndex(store, scope, words_of(scope))
        self._relations = self._write_relations()
        self._report(_READ)
        self._write_nodes()
        self._report(_NODES_WRITTEN)
        self._bury()
        pointed_to = self._write_links()
        self._write_facts()
        self._write_stones(pointed_to)
        self._write_rest()
        while self._index.pending > _FOLD:
            self._index.fold(_FOLD)
        self._report(_WRITTEN)
        if self._old_state is not None and not self._hidden:
            for counter in _ALIKE:
                before, now = getattr(self._old_state, counter), getattr(scope.state, counter)
                if now < before:
                    what = counter.removeprefix("all_")
                    self._note(f"{before - now:,} of {before:,} {what} are not there")

    def _note(self, what: str) -> None:
        self._lost.append(f"scope {self._scope.name!r}: {what}")

    def _rows(self, space: Space) -> Iterator[tuple[bytes, bytes]]:
        """The rows that conform to the declaration of their space; others are noted as lost."""
        for key, value in self._reader.range(*keys.under(self._scope.prefix(space))):
            if (fault := DECLARED[space].fault(key[5:], value)) is not None:
                self._note(f"{fault}: {key.hex()}")
            else:
                yield key, value

    def _readable(
        self, space: Space, unpack: Callable[[int, bytes], _T]
    ) -> Iterator[tuple[int, _T]]:
        """Node or place, and record, of each readable row; others are noted as lost."""
        for key, value in self._rows(space):
            try:
                yield node_of(key), unpack(node_of(key), value)
            except CorruptError as error:
                self._note(f"the key {key.hex()}: {error}")

    # -- reading ------------------------------------------------------------------------------

    def _read_facts(self) -> set[TripleIds]:
        """Every triple that any of the six orders has."""
        found: set[TripleIds] = set()
        for order in keys.ORDERS:
            found.update(of_keys(order, (key for key, _ in self._rows(order))))
        return found

    def _read_links(self) -> _Links:
        """(source, relation, target) → L and distance of every link that either end has; None if
        only the index of its relation has it, so that its strength is lost."""
        found: _Links = {}
        for key, _ in self._rows(Space.RELATED):
            relation, source = int.from_bytes(key[5:9], "big"), int.from_bytes(key[9:17], "big")
            found[source, relation, int.from_bytes(key[17:], "big")] = None
        for link in self._stored_links():
            ends = link.source, link.relation, link.target
            known = found.get(ends)
            if known is None or known[0] < link.level:
                found[ends] = link.level, link.distance
        for ends, stored in list(found.items()):
            if not links.is_possible(StoredLink(*ends, *(stored or (0, 1)))):
                self._note(f"a link of node {ends[0]}, which no link can be")
                del found[ends]
        return found

    def _stored_links(self) -> Iterator[StoredLink]:
        """The links in out-lists, overflows and in-lists."""
        for key, value in self._rows(Space.OUT):
            with suppress(CorruptError):
                for level, target, relation, distance in links.entries(value):
                    yield StoredLink(node_of(key), relation, target, level, distance)
        for key, _ in self._rows(Space.OVERFLOW):
            source = int.from_bytes(key[5:13], "big")
            level, target, relation, distance = links.unpack(key[13:])
            yield StoredLink(source, relation, target, level, distance)
        for key, value in self._rows(Space.IN):
            yield links.of_in(key, value)

    def _read_relations(self) -> dict[int, str]:
        names = dict(enumerate(SYSTEM, 1))
        for key, value in self._rows(Space.RELATION):
            try:
                names[int.from_bytes(key[5:], "big")] = name_of(value.decode())
            except UnicodeDecodeError:
                self._note("the name of a relation cannot be read")
        return names

    def _term(self, identifier: bytes) -> Term | None:
        """The term of an id, None if its form is lost."""
        try:
            if terms.is_inline(identifier):
                return terms.decode_inline(identifier)
            form = self._reader.get(self._scope.prefix(Space.DICTIONARY) + identifier)
            if form is None or blake2b(form, digest_size=15).digest() != identifier[1:]:
                form = (
                    vocabulary.form(self._store, self._scope, identifier)
                    if terms.is_literal(identifier)
                    else self._relations.form(identifier)
                )
            if form is not None:
                return terms.parse(form.decode())
        except (InvalidTermError, UnicodeDecodeError):
            pass
        return None

    def _first_state(self) -> ScopeState:
        """The counters of an empty scope that continues the old one's numbers and medians."""
        record = self._reader.get(self._scope.prefix(Space.STATE))
        try:
            old = self._old_state = ScopeState.unpack(record or b"")
        except CorruptError:
            old = ScopeState()
            self._note("the counters: the pass is about the last at which anything happened")
        passes, node, place = old.passes, old.next_node - 1, old.next_archived - 1
        for number, record_ in self._readable(Space.NODE, lambda _, v: NodeRecord.unpack(v)):
            passes, node = max(passes, record_.born, record_.last_use), max(node, number)
        for number, stone in self._stones.items():
            passes, node = max(passes, stone.passes), max(node, number)
        for number, form in self._forms.items():
            passes, node, place = max(passes, form.passes), max(node, form.node), max(place, number)
        for (source, _, target), stored in self._links.items():
            node = max(node, source, target)
            if stored is not None:  # no link is stronger than 1
                least = ceil(stored[0] / (self._scope.decay * strength.UNIT) - 1e-3)
                passes = max(passes, least)
        for s, _, _ in self._facts:
            node = max(node, terms.decode_node(s) or 0)
        texts = (node_of(key) for key, _ in self._rows(Space.TEXT))
        return ScopeState(
            next_node=max(node, *texts, 0) + 1,
            passes=passes,
            live_bytes=len(self._scope.prefix(Space.META)) + len(self._scope.meta),
            next_archived=place + 1,
            first_archived=min(self._forms, default=place + 1),
            latin_seen=old.latin_seen,
            cjk_seen=old.cjk_seen,
            latin_density=old.latin_density,
            cjk_density=old.cjk_density,
        )

    # -- writing ------------------------------------------------------------------------------

    def _write_relations(self) -> Relations:
        for _, code, _ in self._links:
            if code not in self._relation_names:
                name = self._relation_names[code] = f"lost {code}"
                self._note(f"the name of a relation, which is called {name!r} now")
        with Transaction(self._store, self._scope) as tx:
            for code, name in self._relation_names.items():
                if name not in SYSTEM:
                    key = self._scope.prefix(Space.RELATION) + code.to_bytes(4, "big")
                    tx.insert(key, iri(name).encode())
        return Relations(self._store, self._scope)

    def _write_nodes(self) -> None:
        texts = self._readable(Space.TEXT, lambda _, value: TextRecord.unpack(value))
        while some := list(islice(texts, _NODES)):
            with Transaction(self._store, self._scope) as tx:
                writer = GraphWriter(tx, self._relations)
                for node, text in some:
                    if self._is_hidden(node):
                        continue
                    record = self._record(node, text)
                    writer.restore(node, text, record)
                    self._index.put(tx, node, text.words)
                    self._alive.add(node)
            written = len(self._alive) / max(1, self._texts)
            self._report(_READ + (_NODES_WRITTEN - _READ) * written)

    def _record(self, node: int, text: TextRecord) -> NodeRecord:
        """The node record that goes with a text."""
        passes, digest = self._scope.state.passes, text_hash(text)
        packed = self._reader.get(self._scope.prefix(Space.NODE) + keys.u64(node))
        try:
            record = NodeRecord.unpack(packed or b"")
        except CorruptError:
            self._note(f"of node {node}, how often it was used, and whether it was pinned")
            last = max((f.version for f in self._forms.values() if f.node == node), default=0)
            record = NodeRecord(version=last + 1, born=passes, due=passes + 1)
        if packed is not None and record.text_hash != digest:
            self._note(f"the present text of node {node}: this is another of its forms")
            self._changed.add(node)
        return record._replace(text_hash=digest)

    def _bury(self) -> None:
        """Note the nodes whose text is lost, and make tombstones for them."""
        self._gone = {
            node_of(key) for key, _ in self._rows(Space.NODE) if not self._is_hidden(node_of(key))
        } - self._alive
        keywords: defaultdict[int, list[str]] = defaultdict(list)
        if self._gone:
            for node, identifier in sorted(self._keywords):
                if node in self._gone and (word := self._term(identifier)) is not None:
                    keywords[node].append(str(word))
        for node in sorted(self._gone):
            about = f"; it was about {', '.join(keywords[node])}" if keywords[node] else ""
            self._note(f"node {node}{about}")
            stone = Tombstone(
                node, "a damaged memory", tuple(keywords[node]), moment(self._now),
                self._scope.state.passes, "damaged",
            )  # fmt: skip
            self._stones.setdefault(node, stone)

    def _write_links(self) -> set[int]:
        """Write the links of live nodes; returns their targets."""
        pointed_to: set[int] = set()
        weightless = 0
        new = strength.decayed(self._scope.state.passes, self._scope.decay), 1
        rest = iter(self._links.items())
        while some := list(islice(rest, _TRIPLES)):
            with Transaction(self._store, self._scope) as tx:
                writer = GraphWriter(tx, self._relations)
                for (source, relation, target), stored in some:
                    if source in self._alive and not self._is_hidden(target):
                        weightless += stored is None
                        writer.links.restore(StoredLink(source, relation, target, *(stored or new)))
                        pointed_to.add(target)
        if weightless:
            self._note(f"the strength of {weightless:,} links, which are as strong as new ones now")
        return pointed_to

    def _write_facts(self) -> None:
        unknown = 0
        rest = iter(self._facts)
        while some := list(islice(rest, _TRIPLES)):
            with Transaction(self._store, self._scope) as tx:
                writer = GraphWriter(tx, self._relations).triples
                for ids in some:
                    source = terms.decode_node(ids[0])
                    if source is not None and self._is_hidden(source):
                        continue
                    found = [word for part in ids if (word := self._term(part)) is not None]
                    if len(found) == 3:
                        writer.put(*map(writer.intern, found))
                    else:
                        unknown += 1
        if unknown:
            self._note(f"{unknown:,} facts, of which a word is lost")

    def _write_stones(self, pointed_to: set[int]) -> None:
        with Transaction(self._store, self._scope) as tx:
            for node, stone in self._stones.items():
                if node in pointed_to and node not in self._alive:
                    tombstones.insert(tx, stone)

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
        for declared in DECLARED.values():
            if declared.salvage is Salvage.COPIED:
                self._copy(declared)
        item_records.reschedule(self._store, self._scope)
        self._write_changes()
        self._write_vectors()
        newest = {(form.node, form.version): place for place, form in self._forms.items()}
        rest = iter(sorted(newest.values()))
        while some := list(islice(rest, _NODES)):
            with Transaction(self._store, self._scope) as tx:
                for place in some:
                    archive.restore(tx, place, self._forms[place])
        known = self._alive | {form.node for form in self._forms.values()}
        with Transaction(self._store, self._scope) as tx:
            rows = (place for row in self._rows(Space.PLACE) for place in place_rows.of_row(*row))
            place_rows.write(tx, {n: p for n, p in rows if n in known and not self._is_hidden(n)})

    def _write_changes(self) -> None:
        """Write the last changes, back to the newest lost one: watchers detect the gap."""
        rows = {int.from_bytes(key[5:], "big"): row for key, row in self._rows(Space.CHANGE)}
        first = 0
        with suppress(CorruptError):  # which is noted when the row is copied
            first = feed.head(self._reader, self._scope)
        with Transaction(self._store, self._scope) as tx:
            while (row := rows.pop(first, None)) is not None:
                tx.insert(self._scope.prefix(Space.CHANGE) + keys.u64(first), row)
                first -= 1
        if rows:
            self._note(f"{len(rows):,} changes, so that only those from {first + 1:,} on are kept")

    def _write_vectors(self) -> None:
        """Write the vectors of nodes with an unchanged text, and queue the other nodes."""
        vectors, state = dict(self._rows(Space.VECTOR)), VectorState()
        with suppress(CorruptError):
            state = VectorState.read(self._reader, self._scope)
        if not state.generation:
            if vectors:
                self._note("the model of its vectors, which are made anew once it is named again")
            return
        queue = {node_of(key): value for key, value in self._rows(Space.EMBED)}
        queue = {node: value for node, value in queue.items() if node in self._alive}
        # If an entry of the queue is lost, a vector may belong to an earlier text.
        sure = len(queue) >= state.waiting + state.set_aside
        kept = dict[int, bytes]()
        for key, value in vectors.items() if sure else ():
            with suppress(CorruptError):
                generation, _, row = unpacked(value)
                if (generation, len(row)) == (state.generation, state.dimensions):
                    kept[node_of(key)] = value
        kept = {n: v for n, v in kept.items() if n in self._alive and n not in self._changed}
        queue = dict.fromkeys(self._alive - kept.keys(), WAITING) | queue
        for space, rows in ((Space.VECTOR, kept), (Space.EMBED, queue)):
            rest = iter(rows.items())
            while some := list(islice(rest, _NODES)):
                with Transaction(self._store, self._scope) as tx:
                    for node, value in some:
                        tx.insert(self._scope.prefix(space) + keys.u64(node), value)
        aside = sum(value == SET_ASIDE for value in queue.values())
        with Transaction(self._store, self._scope) as tx:
            VectorState(
                state.generation, state.dimensions, vectors=len(kept),
                waiting=len(queue) - aside, set_aside=aside, model=state.model,
            ).write(tx)  # fmt: skip
        self._copy(DECLARED[Space.THEME])

    def _copy(self, declared: Declared) -> None:
        """Copy the valid rows of a space; those of nodes only if the node is live."""
        rows = self._rows(declared.space)
        while some := list(islice(rows, _NODES)):
            with Transaction(self._store, self._scope) as tx:
                for key, value in some:
                    if not declared.of_node or node_of(key) in self._alive:
                        declared.insert(tx, key[5:], value)
