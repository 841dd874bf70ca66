"""Import and export: RDF of graphs and facts, and JSONL of a whole memory.

JSONL: one record a line, a JSON object whose only key is its kind. The first is `memory`, with the
fixed attributes and the counters; the last is `end`, with the number of those before. Strengths are
levels (docs/format.md §5), so they are exact. Derived data is rebuilt.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import cache
from inspect import formatannotation
from itertools import islice
from math import isfinite, log
from pathlib import Path
from types import UnionType
from typing import Any, BinaryIO, Final, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from graphmem.errors import (
    CapacityError,
    CorruptError,
    GraphMemError,
    InvalidArgumentError,
    MalformedError,
    SecretError,
    UnknownScopeError,
)
from graphmem.exchange.import_guard import Cleaning
from graphmem.forgetting import archive
from graphmem.forgetting.archive import Archived
from graphmem.graph import focus, links, tombstones
from graphmem.graph.links import StoredLink
from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.relations import Relations, iri, name_of
from graphmem.graph.view import words_of
from graphmem.graph.writer import GraphWriter, text_hash
from graphmem.hexastore import fields, keys, scopes, terms
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem.hexastore.spaces import Declared
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleWriter
from graphmem.index.vectors.records import VectorState
from graphmem.index.words.index import WordIndex
from graphmem.maintenance.spaces import DECLARED
from graphmem.rdf import bulk
from graphmem.rdf import export as rdf
from graphmem.rdf.bulk import Loaded
from graphmem.remembering.guarding import Guard
from graphmem.settings import Settings
from graphmem.sharing import content, parents
from graphmem.sharing.item_records import item_of, unpacked
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem.storage.whole_file import write_whole
from graphmem.values.checks import check_file
from graphmem.values.items import Item
from graphmem.values.moments import micros, moment
from graphmem.values.nodes import Tombstone
from graphmem_worker.text.words import ANALYSER_VERSION

FORMAT: Final = 1
"""Of the JSONL."""

_WHOLE: Final = "a whole memory, which --scope names: neither --graph nor --facts"
_LINES: Final = 200  # records in a commit
_BY_RECORD: Final = {d.record: d for d in DECLARED.values() if d.load is not None}

# Counters that are recomputed from the records; the others are copied.
_COUNTED: Final = frozenset(
    ("nodes", "pinned", "text_bytes", "live_bytes", "archive_bytes", "archived", "triples", "links",
     "keywords", "sessions", "documents", "words", "tombstones", "queued", "dead", "intents",
     "expiring", "kept_bytes")
)  # fmt: skip

_RECORDS: Final = ("nodes", "links", "triples", "tombstones", "archived", "queued", "dead")
"""Counters of the most frequent kinds of records, for progress."""

_Record = dict[str, Any]
_Checked = TypeVar("_Checked")
_WRONG: Final = (
    KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, CapacityError,
    CorruptError, struct.error,
)  # fmt: skip


def load(
    path: str | os.PathLike[str],
    files: Sequence[str],
    *,
    format: str | None = None,
    scope: str = "default",
    graph: str | None = None,
    facts: bool = False,
    partial: bool = False,
    progress: bulk.Progress | None = None,
) -> Loaded:
    """Load files into the closed folder `path`, made if it does not exist; see `graphmem import`.
    Secrets in an exported memory and in facts are cut out by the setting `guard`. Raises
    MalformedError, MissingError, InvalidArgumentError, SecretError, and like `Store.open`."""
    settings = Settings.read({})
    cleaning = Cleaning(Guard(settings.guard))
    for name in files:
        check_file(name)
    kinds = {format or Path(name).suffix.lower().removeprefix(".") for name in files}
    is_memory = "jsonl" in kinds
    if is_memory and len(files) != 1:
        raise InvalidArgumentError("JSONL is loaded alone, one file into one new memory")
    if is_memory and (graph is not None or facts or partial):
        raise InvalidArgumentError(f"JSONL is {_WHOLE}, nor --partial")
    if facts and (graph is not None or partial):
        raise InvalidArgumentError("facts are of a memory: neither --graph nor --partial")
    with Store.open(path) as store:
        scopes.erase_dropped(store)
        if is_memory:
            return load_memory(store, Path(files[0]), scope, cleaning, progress=progress)
        if facts:
            memory = scopes.open_scope(
                store, scope, kind="memory", decay=-log(settings.decay),
                created=time.time_ns() // 1000, analyser=ANALYSER_VERSION, create=True,
            )  # fmt: skip
            return bulk.load_facts(
                store, memory, files, format=format, progress=progress, clean=cleaning.term
            )
        name = graph or bulk.DEFAULT_GRAPH
        return bulk.load(
            store, files, graph=name, format=format, partial=partial, progress=progress
        )


def export(
    path: str | os.PathLike[str],
    file: str,
    *,
    format: str | None = None,
    scope: str = "default",
    graph: str | None = None,
    facts: bool = False,
    progress: bulk.Progress | None = None,
) -> int:
    """Write graphs, facts or a memory to a file, "-" for standard output; returns how many records.

    progress: called with the number of records written and an estimate of all. Raises
    UnknownScopeError, InvalidArgumentError, StorageError, and like `Store.open`."""
    named = format or Path(file).suffix.lower().removeprefix(".")
    form = next((known for known in rdf.FORMATS if known == named), None)  # None: JSONL
    if form is None and named != "jsonl":
        raise InvalidArgumentError(
            f"{file}: the format {named!r:.80} is not one of {', '.join(rdf.FORMATS)}, jsonl; "
            "name it with --format"
        )
    if form is None and (graph is not None or facts):
        raise InvalidArgumentError(f"JSONL is {_WHOLE}")
    if facts and graph is not None:
        raise InvalidArgumentError("facts are of a memory, not of a graph: leave out --graph")
    with Store.open(path, create=False, read_only=True) as store, store.snapshot() as snapshot:
        if form is None or facts:
            chosen = [_open(snapshot, scope)]
        else:
            chosen = [
                found for found in scopes.all_of(snapshot, "rdf") if graph in (None, found.name)
            ]
            if graph is not None and not chosen:
                raise UnknownScopeError(f"there is no graph {graph!r:.80}")

        def write(out: BinaryIO) -> int:
            if form is None:
                return dump_memory(snapshot, chosen[0], out, progress)
            return rdf.export(snapshot, chosen, out, form, progress)

        def write_to(place: Path) -> int:
            with place.open("wb") as out:
                return write(out)

        return write(sys.stdout.buffer) if file == "-" else write_whole(file, write_to)


def _open(reader: Reader, name: str) -> Scope:
    for scope in scopes.all_of(reader, "memory"):
        if scope.name == name:
            return scope
    raise UnknownScopeError(f"there is no memory {name!r:.80}: `graphmem remember` makes one")


# -- a memory as JSONL ------------------------------------------------------------------------


def dump_memory(
    reader: Reader, scope: Scope, out: BinaryIO, progress: bulk.Progress | None = None
) -> int:
    """Write a whole memory as JSONL; returns the number of lines."""
    count, state = 0, scope.read_state(reader)
    total = sum(getattr(state, name) for name in _RECORDS)
    for record in records(reader, scope):
        out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        count += 1
        if progress is not None and count % _LINES == 0:
            progress(count, max(count, total))
    out.write(json.dumps({"end": count}).encode() + b"\n")
    return count + 1


def records(reader: Reader, scope: Scope) -> Iterator[_Record]:
    """The records of a memory, all lines but the last."""
    state = asdict(scope.read_state(reader))
    kept = {name: value for name, value in state.items() if name not in _COUNTED}
    if unknown := _hex(kept.pop("unknown")):
        kept["unknown"] = unknown
    fixed = {"decay": scope.decay, "created": scope.created, "analyser": scope.analyser}
    yield {"memory": {"format": FORMAT, "name": scope.name, **fixed, **kept}}

    def every(space: Space) -> Iterator[tuple[bytes, bytes]]:
        return ((k[5:], v) for k, v in reader.range(*keys.under(scope.prefix(space))))

    for key, value in every(Space.RELATION):
        yield {"relation": [int.from_bytes(key, "big"), value.decode()]}
    for key, value in every(Space.TEXT):
        node = reader.get(scope.prefix(Space.NODE) + key)
        if node is not None:
            text, record = TextRecord.unpack(value), NodeRecord.unpack(node)
            yield {
                "node": [int.from_bytes(key, "big"), _text_as_json(text), _record_as_json(record)]
            }
    names = Relations(reader, scope)
    for source, found in links.by_source(reader, scope):
        for entry in found:
            relation = iri(names.name(entry.relation))
            yield {"link": [source, relation, entry.target, entry.level, entry.distance]}
    for row in rdf.facts(reader, scope):
        yield {"fact": [term.n3() for term in row]}
    yield {"focus": list(focus.read(reader, scope))}
    for key, value in every(Space.TOMBSTONE):
        stone = tombstones.unpack(int.from_bytes(key, "big"), value)
        yield {"tombstone": {**asdict(stone), "when": micros(stone.when)}}
    for key, value in every(Space.ARCHIVE):
        form = Archived.unpack(value)
        parts = {"text": _text_as_json(form.text), "record": _record_as_json(form.record)}
        yield {"archived": [int.from_bytes(key, "big"), form._asdict() | parts]}
    if (vectors := VectorState.read(reader, scope)).generation:  # they are rebuilt
        yield {"vectors": [vectors.model, vectors.dimensions]}
    for declared in DECLARED.values():
        if declared.dump is not None:
            for key, value in every(declared.space):
                if declared.space is Space.ITEM:
                    value = _row_of(parents.exported(reader, item_of(key, value)), value)
                yield {declared.record: declared.dump(key, value)}


def load_memory(
    store: Store,
    path: Path,
    name: str,
    cleaning: Cleaning,
    *,
    progress: bulk.Progress | None = None,
) -> Loaded:
    """Create a memory from JSONL, equal to the dumped one, or nothing on an error. Raises
    MalformedError with the line, InvalidArgumentError if there is a scope of that name."""
    begun = time.monotonic()
    scopes.check_new_name(name, "memory")
    if store.get(keys.SCOPE_TABLE + name.encode()) is not None:
        raise InvalidArgumentError(
            f"there is a scope {name!r:.80} already; name a new one with --scope"
        )
    with store.writing:
        bulk.discard(store)
        number = bulk.reserve(store)
        try:
            with path.open("rb") as file:
                reading = _Lines(path, file, progress)
                scope = _loaded(store, number, name, reading, cleaning)
        except GraphMemError:
            bulk.discard(store)
            raise
        store.commit(bulk.shown(store, name, number))
        store.flush()
    return Loaded(reading.number, {}, time.monotonic() - begun, {name: scope.state.nodes})


class _Lines:
    """The records of a file, and the number of the current line for errors."""

    def __init__(self, path: Path, file: BinaryIO, progress: bulk.Progress | None) -> None:
        self.number = 0
        self._path, self._file, self._progress = path, file, progress
        self._size = path.stat().st_size

    def __iter__(self) -> Iterator[tuple[int, str, Any]]:
        for line in self._file:
            self.number += 1
            try:
                ((kind, value),) = json.loads(line).items()
            except (ValueError, AttributeError, RecursionError) as error:
                raise self.fault(f"not a record of a memory ({error})") from None
            if kind == "end":
                if value != self.number - 1:
                    raise self.fault(f"{value} records were written, {self.number - 1} are here")
                return
            yield self.number, kind, value
            if self._progress is not None and self.number % _LINES == 0:
                self._progress(self._file.tell(), self._size)
        self.number += 1
        raise self.fault("the file ends before its end record: it was cut short")

    def fault(self, message: str, number: int = 0) -> MalformedError:
        return MalformedError(str(self._path), number or self.number, None, message)


def _loaded(store: Store, number: int, name: str, reading: _Lines, cleaning: Cleaning) -> Scope:
    lines = iter(reading)
    nothing: tuple[int, str, Any] = 1, "end", {}
    _, kind, head = next(lines, nothing)
    try:
        if kind != "memory" or head.pop("format") != FORMAT:
            raise ValueError("not the first line of a memory in JSONL, format 1")
        _check("decay", decay := head.pop("decay"), float)
        _check("created", created := head.pop("created"), int)
        del head["name"], head["analyser"]  # the texts are analysed again
        scope = Scope(number, name, "memory", decay, created, ANALYSER_VERSION)
        head["unknown"] = _from_hex(head.get("unknown"))
        scope.state = _checked(ScopeState(**{**head, **dict.fromkeys(_COUNTED, 0)}))
        scope.state.pack()
        begun = scopes.begun(scope)
    except _WRONG as error:
        raise reading.fault(f"the first line does not describe a memory ({error})") from None
    store.commit(begun)
    relations, index = Relations(store, scope), WordIndex(store, scope, words_of(scope))
    while some := list(islice(lines, _LINES)):
        with Transaction(store, scope) as tx:
            loader = _Loader(tx, relations, index, cleaning)
            for number, kind, value in some:
                try:
                    loader.take(kind, value)
                except SecretError:
                    raise
                except _WRONG as error:
                    raise reading.fault(f"a {kind!r} that cannot be ({error})", number) from None
    return scope


class _Loader:
    """Writes records within one transaction."""

    def __init__(
        self, tx: Transaction, relations: Relations, index: WordIndex, cleaning: Cleaning
    ) -> None:
        self._cleaning = cleaning
        self._tx = tx
        self._relations = relations
        self._index = index
        self._graph = GraphWriter(tx, relations)
        self._triples: TripleWriter = self._graph.triples
        self._by_kind: dict[str, Callable[[Any], None]] = {
            "relation": self._relation, "node": self._node, "link": self._link,
            "fact": self._fact, "focus": self._focus, "tombstone": self._tombstone,
            "archived": self._archived, "vectors": self._vectors,
        }  # fmt: skip

    def take(self, kind: str, value: Any) -> None:
        """Write one record. Raises KeyError, TypeError, ValueError for an invalid one."""
        if (declared := _BY_RECORD.get(kind)) is not None:
            self._declared(declared, value)
        else:
            self._by_kind[kind](value)

    def _relation(self, value: Any) -> None:
        code, iri = value
        if self._relations.code(self._tx, name_of(iri)) != code:
            raise ValueError(f"the codes of relations have a gap before {code}")

    def _node(self, value: Any) -> None:
        node, text, record = value[0], _text_of_json(value[1]), _record_of(value[2])
        _check("its number", node, int)
        as_node(node, text, record, None)  # raises CorruptError for a moment that cannot be
        if (cleaned := self._cleaning.text(text)) is not text:
            text = cleaned
            record = record._replace(text_hash=text_hash(text))
        if not 0 < node < links.MOST_NODES:
            raise ValueError(f"a scope has nodes up to 2^40, not {node}")
        self._graph.restore(node, text, record)
        self._index.put(self._tx, node, text.words)

    def _link(self, value: Any) -> None:
        source, relation, target, level, distance = value
        code = self._relations.code_of(terms.encode(terms.IRI(relation)))
        if code is None:
            raise ValueError(f"no relation {relation!r} was named before")
        link = _checked(StoredLink(source, code, target, level, distance))
        if links.look_up(self._tx, self._tx.scope, [(source, code, target)])[0] is not None:
            raise ValueError("this link occurs twice in the file")
        self._graph.links.restore(link)

    def _fact(self, value: Any) -> None:
        s, p, o = (terms.term(terms.parse(form)) for form in value)
        cleaned = (self._cleaning.term(s), self._cleaning.term(p), self._cleaning.term(o, s, p))
        ids = tuple(map(self._triples.intern, cleaned))
        self._triples.put(ids[0], ids[1], ids[2])

    def _focus(self, value: Any) -> None:
        _check("focus", nodes := _tuples(value), tuple[int, ...])
        if nodes:
            self._tx.put(focus.key(self._tx.scope), focus.pack(nodes))

    def _tombstone(self, value: Any) -> None:
        _check("when", value["when"], int)
        cleaned = {name: self._cleaning.value(value[name]) for name in ("phrase", "keywords")}
        given = {**value, **cleaned, "when": moment(value["when"])}
        stone = Tombstone(**{name: _tuples(each) for name, each in given.items()})
        tombstones.insert(self._tx, _checked(stone))

    def _archived(self, value: Any) -> None:
        place, form = value
        given = {
            "text": self._cleaning.text(_text_of_json(form["text"])),
            "record": _record_of(form["record"]),
            "worths": _tuples(form.get("worths", [])),
            "links": tuple(_checked(StoredLink(*link)) for link in form.get("links", ())),
            "facts": _tuples(self._cleaning.value(form.get("facts", []))),
        }
        _check("its place", place, int)
        archived = _checked(Archived(**{**form, **given}))
        as_node(archived.node, archived.text, archived.record, None)
        archive.restore(self._tx, place, archived)

    def _vectors(self, value: Any) -> None:
        """Queue all nodes for vectors of the exported memory's model."""
        model, dimensions = value
        backlog = self._tx.state.next_node - 1
        VectorState(1, int(dimensions), backlog=backlog, model=str(model)).write(self._tx)

    def _declared(self, declared: Declared, value: Any) -> None:
        """Write a row of a space that declares how it is loaded."""
        assert declared.load is not None
        key, row = declared.load(value)
        if (fault := declared.fault(key, row)) is not None:
            raise ValueError(fault)
        if declared.space is Space.ITEM:
            item = parents.imported(self._tx.store, self._tx.scope.name, item_of(key, row))
            row = _row_of(self._cleaning.item(item), row)
        declared.insert(self._tx, key, row)


def _row_of(item: Item, row: bytes) -> bytes:
    """The row of an item, with what follows its fields in another one."""
    return content.packed("an item", [*item.flat()[2:], *unpacked(row)[8:]])


def _text_as_json(text: TextRecord) -> _Record:
    values = text._asdict()
    spans, saliences, unknown = (values.pop(n) for n in ("spans", "saliences", "unknown"))
    if not values["behind"]:  # as in most texts, and in all that older versions read
        del values["behind"]
    values = {"sentences": list(zip(spans, saliences, strict=True)), **values}
    return {**values, "unknown": _hex(unknown)} if unknown else values


def _text_of_json(value: _Record) -> TextRecord:
    values = {name: _tuples(each) for name, each in value.items()}
    sentences = values.pop("sentences")
    values["spans"] = tuple(span for span, _ in sentences)
    values["saliences"] = tuple(salience for _, salience in sentences)
    values["unknown"] = _from_hex(values.get("unknown"))
    return _checked(TextRecord(**values))


def _record_as_json(record: NodeRecord) -> _Record:
    """A node record as JSON, without optional fields that have their default."""
    absent = NodeRecord()._asdict()
    behind = NodeRecord._fields[NodeRecord._fields.index("valid_from") :]
    values = {n: v for n, v in record._asdict().items() if n not in behind or v != absent[n]}
    return values | ({"unknown": _hex(record.unknown)} if record.unknown else {})


def _record_of(value: _Record) -> NodeRecord:
    values = {name: _tuples(each) for name, each in value.items()}
    return _checked(NodeRecord(**{**values, "unknown": _from_hex(value.get("unknown"))}))


def _hex(unknown: fields.Unknown) -> str:
    """Fields of a newer version in hex, since they may hold values that JSON cannot."""
    return fields.pack(dict(unknown)).hex()


def _from_hex(packed: str | None) -> fields.Unknown:
    return fields.unknown(fields.unpack(bytes.fromhex(packed or "")))


# -- types of records that come from a file -----------------------------------------------------


def _checked(record: _Checked) -> _Checked:
    """A named tuple or dataclass. Raises TypeError, naming the first field of another type than
    declared."""
    for name, hint in _hints(cast(Any, type(record))).items():
        _check(name, getattr(record, name), hint)
    return record


def _check(name: str, value: object, hint: Any) -> None:
    """Raise TypeError if a value is not of a type, as it is written in a declaration."""
    if not _fits(value, hint):
        raise TypeError(f"{name} is {value!r:.60}, not {formatannotation(hint)}")


def _tuples(value: object) -> Any:
    """A value of JSON with tuples in place of lists."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _fits(value: object, hint: Any) -> bool:
    inner, origin = get_args(hint), get_origin(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, kind) for kind in inner)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        kinds = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return len(value) == len(kinds) and all(map(_fits, value, kinds))
    if isinstance(value, bool):
        return hint in (bool, Any)  # it is an int for isinstance
    if hint is float:
        return isinstance(value, float | int) and isfinite(value)
    return hint is Any or isinstance(value, hint)
