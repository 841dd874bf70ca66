"""Bulk load: loads whole RDF files into graphs, atomically.

A load writes into scopes without a name; when all is read, one batch gives them the graphs' names.
A load that a crash interrupted is found by its record (`keys.LOAD`): the same load continues after
what it has written, another one first deletes that.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgpack

from graphmem.errors import (
    InvalidArgumentError,
    MalformedError,
    ReservedError,
)
from graphmem.hexastore import keys, scopes, terms
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import Term
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleWriter
from graphmem.rdf import reading
from graphmem.rdf.reading import Statement
from graphmem.storage.engine import batches
from graphmem.storage.store import Store
from graphmem.values.checks import check_file

DEFAULT_GRAPH: Final = "urn:x-rdflib:default"
"""The graph for triples that name none: the default graph of rdflib's Dataset."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with bytes read and bytes in all."""

_BATCH: Final = 1_000  # statements that are written together
_LENGTH: Final = 8 << 20  # characters after which statements are written
_HASH: Final = 16  # bytes of the hash of a graph's rows
_COPIED: Final = 1 << 20  # bytes in a commit of copied rows
_REPORTED: Final = 1 << 16  # bytes between two calls of `progress`
_SCOPES: Final = 1_000  # scopes that a load keeps open: there may be very many graphs
_TERMS: Final = 65_536  # cleaned terms that a load of facts caches


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of a load."""

    statements: int
    """Statements read, including those that existed before."""
    graphs: dict[str, int]
    """Loaded graph → its number of triples now."""
    seconds: float
    memories: dict[str, int] = field(default_factory=dict)
    """Scope made from an exported memory → its number of nodes."""


def load(
    store: Store,
    paths: Iterable[str | os.PathLike[str]],
    *,
    graph: str = DEFAULT_GRAPH,
    format: str | None = None,
    partial: bool = False,
    progress: Progress | None = None,
) -> Loaded:
    """Load RDF files into graphs (scopes of kind rdf), in addition to their triples.

    graph: the scope for triples that name no graph. format: "nt", "nq" or "ttl"; None: by the
    names of the files. partial: on malformed RDF, load the statements before it; otherwise nothing
    is loaded. Holds the writer until it is done.

    Raises MalformedError with line and column, MissingError, UnreadableFileError,
    InvalidArgumentError, ReservedError, StorageError; then the graphs are as before.
    """
    begun = time.monotonic()
    files = _Files(paths, format, progress)
    fault: MalformedError | None = None
    with store.writing:
        scopes.erase_dropped(store)
        job = _Load(store, files, graph)
        try:
            try:
                files.read(job.salt, job.take)
            except MalformedError as error:
                if not partial:
                    raise
                fault = error
            graphs = job.finish()
        except (InvalidArgumentError, MalformedError, ReservedError):
            discard(store)
            raise
        scopes.erase_dropped(store)
    if fault is not None:
        raise fault
    return Loaded(job.statements, graphs, time.monotonic() - begun)


def load_facts(
    store: Store,
    scope: Scope,
    paths: Iterable[str | os.PathLike[str]],
    *,
    format: str | None = None,
    progress: Progress | None = None,
    clean: Callable[..., Term] = lambda term, *_: term,
) -> Loaded:
    """Load RDF files as facts of a memory's scope, among its own triples.

    All files are read once before anything is written, but readers see facts before all are loaded.
    Graphs of N-Quads are ignored. clean: called with each term before it is stored, for an object
    also with subject and predicate; returns the term to store. Raises like `load`.
    """
    begun = time.monotonic()
    files = _Files(paths, format, progress, times=2)
    salt, count = os.urandom(4).hex(), 0
    rows: list[tuple[Term, ...]] = []
    length = 0
    cached = lru_cache(_TERMS)(clean)

    def cleaned(*given: Term) -> Term:
        return (cached if all(map(terms.is_short, given)) else clean)(*given)

    def check(statement: Statement) -> tuple[Term, ...]:
        s, p, o, _ = statement
        named = (s, p) if isinstance(o, terms.Literal) else ()  # IRIs need no field name
        return cleaned(s), cleaned(p), cleaned(o, *named)

    def put(statement: Statement) -> None:
        nonlocal length
        rows.append(check(statement))
        length += _length(statement)
        if len(rows) == _BATCH or length >= _LENGTH:
            write()

    def write() -> None:
        nonlocal count, length
        with Transaction(store, scope) as tx:
            _put(TripleWriter(tx), rows)
        count += len(rows)
        length = 0
        rows.clear()

    files.read(salt, check)
    files.read(salt, put)
    write()
    triples = scope.read_state(store).triples
    return Loaded(count, {scope.name: triples}, time.monotonic() - begun)


def _length(statement: Statement) -> int:
    return sum(map(len, map(str, statement)))


def _put(writer: TripleWriter, rows: Iterable[tuple[Term, ...]]) -> None:
    for row in rows:
        s, p, o = map(writer.intern, row)
        writer.put(s, p, o)


def reserve(store: Store) -> int:
    """The number of a new scope for a load, hidden from readers; `shown` gives it a name, `discard`
    deletes it."""
    number = scopes.last_given(store) + 1
    store.commit({keys.LAST_SCOPE: number.to_bytes(4, "big"), _loaded(number): b""})
    return number


def shown(store: Store, name: str, number: int) -> dict[bytes, bytes | None]:
    """The batch that gives a loaded scope its name, in place of any scope of that name."""
    batch = {**scopes.entry(name, number.to_bytes(4, "big")), _loaded(number): None}
    if (old := store.get(keys.SCOPE_TABLE + name.encode())) is not None:
        batch[scopes.dropping(scopes.read_number(old))] = b""
    return batch


def discard(store: Store) -> None:
    """Delete the writes of an unfinished load."""
    batch: dict[bytes, bytes | None] = {}
    for number, _ in _named(store):
        batch |= _dropped(number)
    if batch or store.get(keys.LOAD) is not None:
        store.commit({**batch, keys.LOAD: None})
        scopes.erase_dropped(store)


def _loaded(number: int) -> bytes:
    """The key that marks a scope as being loaded, and for which graph: see `_named`."""
    return keys.LOADED + number.to_bytes(4, "big")


def _named(store: Store) -> list[tuple[int, bytes]]:
    """The scopes that are being loaded, each with the hash of its graph's rows and the graph's
    name; b"" while these are copied."""
    found = store.range(*keys.under(keys.LOADED))
    return [(int.from_bytes(key[-4:], "big"), of) for key, of in found]


def _hashed(found: Iterable[tuple[bytes, bytes]], digest: Any) -> Iterator[tuple[bytes, bytes]]:
    """The rows of a scope, keys without its number, while they are added to a hash."""
    for key, value in found:
        digest.update(msgpack.packb([key[4:], value]))
        yield key[4:], value


def _is_as_copied(store: Store, of: bytes) -> bool:
    """Whether a graph is unchanged since a load into it began; its counters cannot show that."""
    digest = blake2b(digest_size=_HASH)
    if (entry := store.get(keys.SCOPE_TABLE + of[_HASH:])) is not None:
        found = store.range(*keys.scope_range(scopes.read_number(entry)))
        deque(_hashed(found, digest), maxlen=0)
    return digest.digest() == of[:_HASH]


def _dropped(number: int) -> dict[bytes, bytes | None]:
    """The batch that ends the loading of a scope, and marks it for deletion."""
    return {scopes.dropping(number): b"", _loaded(number): None}


class _Files:
    """The files of a load, read one after the other, with calls of `progress`."""

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]],
        format: str | None,
        progress: Progress | None,
        times: int = 1,
    ) -> None:
        """times: how often they will be read. Raises like `_status`, and InvalidArgumentError."""
        self._paths = [Path(path) for path in paths]
        self._formats = [reading.format_of(path, format) for path in self._paths]
        status = list(map(check_file, self._paths))
        self._sizes = [found.st_size for found in status]
        self._progress = progress
        self._total = times * sum(self._sizes)
        self._done = self._following = 0
        self.record = [
            [str(path.resolve()), found.st_size, found.st_mtime_ns]
            for path, found in zip(self._paths, status, strict=True)
        ]
        """Identifies the files and their state."""
        self.repeatable = "ttl" not in self._formats
        """Whether they give the same statements each time: parsers of Turtle generate labels."""

    def read(self, salt: str, take: Callable[[Statement], object]) -> None:
        """Call `take` with each statement. salt: of the load; blank nodes of each file are
        distinct. Raises like `reading.read`."""
        for place, size in enumerate(self._sizes):
            path, form = self._paths[place], self._formats[place]
            reading.read(path, form, f"{salt}x{place}x", partial(self._take, take))
            self._done += size
            if self._progress is not None:
                self._progress(self._done, self._total)

    def _take(self, take: Callable[[Statement], object], statement: Statement, read: int) -> None:
        take(statement)
        done = self._done + read
        if self._progress is not None and done >= self._following:
            self._following = done + _REPORTED
            self._progress(done, self._total)


class _Load:
    """One load, from its record to the batch that shows it."""

    def __init__(self, store: Store, files: _Files, graph: str) -> None:
        self.statements = 0
        """Read."""
        self.salt = os.urandom(4).hex()
        self._store = store
        self._graph = graph
        self._what = [graph, files.record]
        self._repeatable = files.repeatable
        self._numbers: dict[str, int] = {}
        self._scope = lru_cache(_SCOPES)(lambda number: scopes.read_scope(store, number))
        self._skip = 0  # statements that were written before the load was interrupted
        self._rows: dict[str, list[tuple[Term, ...]]] = {}
        self._length = 0  # characters of the rows
        self._resume()

    def _resume(self) -> None:
        record = self._store.get(keys.LOAD)
        if record is not None:
            what, salt, done = msgpack.unpackb(record)
            named = _named(self._store)
            same = done and what == self._what and self._repeatable
            if same and all(_is_as_copied(self._store, of) for _, of in named if of):
                self.salt, self._skip = salt, done
                for number, of in named:
                    if of:
                        self._numbers[of[_HASH:].decode()] = number
                    else:  # the rows of its graph were not all copied
                        self._store.commit(_dropped(number))
                return
        discard(self._store)
        self._note()

    def _note(self) -> None:
        done = self.statements if self._repeatable else 0
        self._store.commit({keys.LOAD: msgpack.packb([self._what, self.salt, done])})

    def take(self, statement: Statement) -> None:
        """Buffer a statement, and write the buffer if it is full. Raises InvalidArgumentError."""
        self.statements += 1
        if self.statements > self._skip:
            self._rows.setdefault(statement.graph or self._graph, []).append(statement[:3])
            self._length += _length(statement)
            if self.statements % _BATCH == 0 or self._length >= _LENGTH:
                self._flush()

    def _flush(self) -> None:
        """Write the buffer, then how far the load has come."""
        for name, rows in self._rows.items():
            if name not in self._numbers:
                self._numbers[name] = self._begin(name)
            with Transaction(self._store, self._scope(self._numbers[name])) as tx:
                _put(TripleWriter(tx), rows)
        self._rows.clear()
        self._length = 0
        self._note()

    def _begin(self, name: str) -> int:
        """The number of a new scope with a copy of the present graph of that name.

        Raises InvalidArgumentError for a name that no graph can have.
        """
        store, old = self._store, None
        scopes.check_name(name, "rdf")
        if store.get(keys.SCOPE_TABLE + name.encode()) is not None:
            old = scopes.open_graph(store, name, create=False)
        number, digest = reserve(store), blake2b(digest_size=_HASH)
        if old is None:
            new = Scope(number, name, "rdf", 0.0, time.time_ns() // 1000, 0)
            store.commit(scopes.begun(new))
        else:
            with store.snapshot() as snapshot:
                found = snapshot.range(*keys.scope_range(old.id))
                prefix = number.to_bytes(4, "big")
                copies = ((prefix + key, value) for key, value in _hashed(found, digest))
                for batch, _ in batches(copies, _COPIED):
                    store.commit(batch)
        store.commit({_loaded(number): digest.digest() + name.encode()})
        return number

    def finish(self) -> dict[str, int]:
        """Write the rest, and show all graphs in one batch; returns graph → number of triples.
        Raises InvalidArgumentError."""
        self._flush()
        batch: dict[bytes, bytes | None] = {keys.LOAD: None}
        for name, number in self._numbers.items():
            batch |= shown(self._store, name, number)
        self._store.commit(batch)
        self._store.flush()
        return {name: self._scope(number).state.triples for name, number in self._numbers.items()}
