"""Bulk load: whole RDF files into graphs, in sorted runs, all of it or nothing.

A load writes into scopes that have no name yet; when all is read, one batch gives them the graphs'
names. A load that a crash cut short is found again by its record (`keys.LOAD`): the same load goes
on behind what it has written, another one first deletes what is left of it.
"""

from __future__ import annotations

import gc
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

import msgpack

from graphmem.errors import (
    CollisionError,
    InvalidArgumentError,
    MalformedError,
    MissingError,
    ReservedError,
    UnreadableFileError,
)
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import Term
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import Elsewhere, TripleWriter
from graphmem.rdf import staging, statements, tokens
from graphmem.rdf.batches import BatchWriter
from graphmem.rdf.runs import Run
from graphmem.rdf.staging import StagedGraph, Subjects
from graphmem.rdf.statements import Chunk
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store

DEFAULT_GRAPH: Final = "urn:x-rdflib:default"
"""Where triples of no graph go: what rdflib's Dataset has as its default graph."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with bytes read and bytes in all."""

_FACTS: Final = 1_000  # facts in a commit
_TERMS: Final = 65_536  # that a load of facts keeps


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did."""

    statements: int
    """Read, with those that were there before."""
    graphs: dict[str, int]
    """Triples in each graph that was loaded into, as it is now."""
    seconds: float
    memories: dict[str, int] = field(default_factory=dict)
    """Memories in each scope that was made out of an exported one."""


def load(
    store: Store,
    paths: Iterable[str | os.PathLike[str]],
    *,
    graph: str = DEFAULT_GRAPH,
    format: str | None = None,
    partial: bool = False,
    progress: Progress | None = None,
) -> Loaded:
    """Load RDF files into graphs (scopes of kind rdf); what they have already stays.

    graph: the scope for triples that name no graph. format: "nt", "nq" or "ttl"; None goes by the
    names of the files. partial: on malformed RDF, keep what stands before it; otherwise nothing is
    loaded. Holds the writer until it is done, and needs under 500 MB, whatever the size of the
    files.

    Raises MalformedError with line and column, MissingError, UnreadableFileError,
    InvalidArgumentError, ReservedError, CollisionError, StorageError; then the graphs are as
    before.
    """
    begun = time.monotonic()
    files = _Files(paths, format, progress)
    fault: MalformedError | None = None
    with store.writing, BatchWriter(store) as writer:
        scopes.settle(store)
        job = _Load(writer, files, graph)
        collecting = gc.isenabled()
        gc.disable()  # millions of short-lived tuples, none of them in a cycle: a tenth of the time
        try:
            try:
                files.read(job.take)
            except MalformedError as error:
                if not partial:
                    raise
                fault = error
            graphs = job.finish()
        except (CollisionError, InvalidArgumentError, MalformedError, ReservedError):
            writer.wait()
            discard(store)
            raise
        finally:
            if collecting:
                gc.enable()
        scopes.settle(store)
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
    elsewhere: Callable[[Reader], Elsewhere] | None = None,
    clean: Callable[..., Term] = lambda term, *_: term,
) -> Loaded:
    """Load RDF files as facts of a memory's scope, among its own triples.

    All files are read once before anything is written, but readers see the facts come. Graphs of
    N-Quads are passed over. elsewhere: as in `Facts`. clean: what becomes of each term before it is
    stored; of an object, it gets subject and predicate too. Raises like `load`.
    """
    begun = time.monotonic()
    files = _Files(paths, format, progress, times=2)
    salt, count = os.urandom(4).hex(), 0

    @lru_cache(_TERMS)
    def term(place: int, *row: bytes) -> Term:
        return clean(*(tokens.term(token, f"{salt}x{place}x") for token in row))

    def terms(place: int, chunk: Chunk) -> Iterator[tuple[Term, Term, Term]]:
        for s, p, o in zip(*chunk[:3], strict=True):
            named = (s, p) if o.startswith(b'"') else ()  # an IRI is no secret by its name
            yield term(place, s), term(place, p), term(place, o, *named)

    def check(place: int, chunk: Chunk) -> None:
        tokens.check_predicates(chunk[1])
        for _ in terms(place, chunk):
            pass

    def put(place: int, chunk: Chunk) -> None:
        nonlocal count
        count += len(chunk[0])
        rows = terms(place, chunk)
        while some := list(islice(rows, _FACTS)):
            with Transaction(store, scope) as tx:
                writer = TripleWriter(tx, None if elsewhere is None else elsewhere(tx))
                for row in some:
                    s, p, o = map(writer.intern, row)
                    writer.put(s, p, o)

    files.read(check)
    files.read(put)
    triples = scope.read_state(store).triples
    return Loaded(count, {scope.name: triples}, time.monotonic() - begun)


def discard(store: Store) -> None:
    """Delete what a load has written that was not finished."""
    batch: dict[bytes, bytes | None] = {}
    for number, _ in staging.named(store):
        batch |= staging.dropped(number)
    if batch or store.get(keys.LOAD) is not None:
        store.commit({**batch, keys.LOAD: None})
        scopes.settle(store)


class _Files:
    """The files of a load, read one behind the other; `progress` is told how far."""

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]],
        format: str | None,
        progress: Progress | None,
        times: int = 1,
    ) -> None:
        """times: how often they will be read. Raises like `_status`, and InvalidArgumentError."""
        self._paths = [Path(path) for path in paths]
        self._formats = [statements.format_of(path, format) for path in self._paths]
        status = list(map(_status, self._paths))
        self._sizes = [found.st_size for found in status]
        self._progress = progress
        self._total = times * sum(self._sizes)
        self._done = 0
        self.record = [
            [str(path.resolve()), found.st_size, found.st_mtime_ns]
            for path, found in zip(self._paths, status, strict=True)
        ]
        """What tells them from other files, and from what they were."""
        self.repeatable = "ttl" not in self._formats
        """Whether they give the same statements each time: parsers of Turtle make up labels."""

    def read(self, take: Callable[[int, Chunk], None]) -> None:
        """Hand all statements to `take`, with the place of their file. Raises MalformedError."""
        for place, size in enumerate(self._sizes):
            emit = partial(self._emit, take, place)
            statements.read(self._paths[place], self._formats[place], emit)
            self._done += size

    def _emit(
        self, take: Callable[[int, Chunk], None], place: int, chunk: Chunk, read: int
    ) -> None:
        take(place, chunk)
        if self._progress is not None:
            self._progress(self._done + min(read, self._sizes[place]), self._total)


def _status(path: Path) -> os.stat_result:
    """What the system says of a file. Raises MissingError, UnreadableFileError."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFileError(f"{path} is no file to load, but a folder, pipe or device")
        with path.open("rb"):  # or a load would find out half-way
            return status
    except FileNotFoundError as error:
        raise MissingError(error.errno, "there is no such file", str(path)) from None
    except PermissionError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror}") from None


class _Load:
    """One load, from the record that says what it is to the batch that shows it."""

    def __init__(self, writer: BatchWriter, files: _Files, graph: str) -> None:
        self.statements = 0
        """Read."""
        self._store = writer.store
        self._writer = writer
        self._files = files
        self._graph = graph
        self._graphs: dict[str, StagedGraph] = {}
        self._subjects = Subjects()
        self._salt = os.urandom(4).hex()
        self._skip = 0  # statements that were written before the load was interrupted
        self._place = -1  # of the file that is being read
        self._run = Run("")
        self._resume()

    def _resume(self) -> None:
        record = self._store.get(keys.LOAD)
        if record is not None:
            what, salt, done = msgpack.unpackb(record)
            if done and what == [self._graph, self._files.record] and self._files.repeatable:
                self._salt, self._skip = salt, done
                for number, name in staging.named(self._store):
                    if name:
                        self._graphs[name] = StagedGraph(
                            self._writer, self._subjects, number, name, recount=True
                        )
                    else:  # what its graph has was not copied yet
                        self._store.commit(staging.dropped(number))
                return
        discard(self._store)
        self._note()

    def _note(self) -> None:
        self._store.flush()
        done = self.statements if self._files.repeatable else 0
        what = [self._graph, self._files.record]
        self._store.commit({keys.LOAD: msgpack.packb([what, self._salt, done])})

    def take(self, place: int, chunk: Chunk) -> None:
        """Take statements of a file; they are written when a run is full. Raises CollisionError,
        InvalidArgumentError, ReservedError, UnfitError."""
        if place != self._place:
            self._place = place
            self._flush()  # its blank nodes are others
        size, done = len(chunk[0]), self._skip - self.statements
        if done < size:
            self._run.enter(statements.cut(chunk, max(0, done), size))
        self.statements += size
        if self._run.full:
            self._flush()

    def _flush(self) -> None:
        """Write the run, then how far the load has come; begin another."""
        if self._run:
            vocabulary, graphs = self._run.ranked()
            for rank, triples in graphs:
                name = vocabulary.graph(rank) if rank else self._graph
                if name not in self._graphs:
                    self._graphs[name] = StagedGraph.begin(self._writer, self._subjects, name)
                self._graphs[name].write(vocabulary, triples)
            self._writer.flush()
            self._note()
        self._run = Run(f"{self._salt}x{self._place}x")

    def finish(self) -> dict[str, int]:
        """Write what is left, count, and show it all in one batch; triples in each graph. Raises
        CollisionError, InvalidArgumentError."""
        self._flush()
        counts = {name: graph.finish() for name, graph in self._graphs.items()}
        self._writer.flush()
        batch: dict[bytes, bytes | None] = {keys.LOAD: None}
        for graph in self._graphs.values():
            batch |= graph.naming()
        self._store.flush()
        self._store.commit(batch)
        self._store.flush()
        return counts
