"""Bulk load: whole RDF files into graphs, in sorted runs, all of it or nothing.

A load writes into scopes that have no name yet. When all is read, one batch gives the graphs' names
to them and takes these from the scopes that had them, whose triples were copied before. So readers
see the graphs as they were, until they see them whole. A load that a crash cut short is found again
by its record (`keys.LOAD`): the same load goes on behind what it has written, another one first
deletes what is left of it.
"""

from __future__ import annotations

import gc
import os
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import repeat
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

import msgpack
import numpy as np
from numpy.typing import NDArray

from graphmem.errors import (
    CollisionError,
    InvalidArgumentError,
    MalformedError,
    MissingError,
    ReservedError,
)
from graphmem.hexastore import keys, scopes, statements, terms
from graphmem.hexastore.keys import ORDERS, Space
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem.hexastore.statements import Chunk
from graphmem.hexastore.terms import IRI, RDF_LANG_STRING, XSD_STRING, BlankNode, Literal
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import PLACES, TripleWriter
from graphmem.storage.store import Store

DEFAULT_GRAPH: Final = "urn:x-rdflib:default"
"""Where triples of no graph go: what rdflib's Dataset has as its default graph."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with bytes read and bytes in all."""

_RUN: Final = 1 << 20  # triples, and distinct terms, that are sorted at once: 3 × 21 bits fit in 64
_TEXT: Final = 128 << 20  # bytes of distinct terms that are held at once
_SUBJECTS: Final = 1 << 24  # bytes that remember subjects: enough for some millions
_MIX: Final = 0x9E3779B1  # odd, 2^32 over the golden ratio, as is usual in hashing by multiplying
_BATCH: Final = 4_096  # keys in a commit: about 250 KB, which stay in the processor's cache
_UNDER_WAY: Final = 4  # batches that are made, but not yet written
_FACTS: Final = 1_000  # facts in a commit
_KEY: Final = 53  # bytes of a key of one of the six orders
_MOST_LOOKED_UP: Final = 1 / 8  # of a run's triples: a look-up takes as long as counting eight keys

_Rows: TypeAlias = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did."""

    statements: int
    """Read, with those that were there before."""
    graphs: dict[str, int]
    """Triples in each graph that was loaded into, as it is now."""
    seconds: float


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

    graph: the name of the scope for triples that name no graph.
    format: "nt", "nq" or "ttl"; None goes by the names of the files.
    partial: on malformed RDF, keep what stands before it. Otherwise nothing is loaded.

    It holds the writer until it is done. Blank nodes of each file are its own: their labels are
    made new. Needs under 500 MB of its own, whatever the size of the files; the pages of LevelDB's
    mapped files, which the system takes back, come on top.

    Raises MalformedError with line and column, MissingError, InvalidArgumentError, ReservedError,
    CollisionError, StorageError; then the graphs are as they were before.
    """
    files = [Path(path) for path in paths]
    formats = [statements.format_of(path, format) for path in files]
    begun = time.monotonic()
    with store.writing, _Writer(store) as writer:
        scopes.finish_dropping(store)
        job = _Load(store, writer, files, graph, progress)
        fault: MalformedError | None = None
        collecting = gc.isenabled()
        gc.disable()  # millions of short-lived tuples, none of them in a cycle: a tenth of the time
        try:
            for place, (path, kind) in enumerate(zip(files, formats, strict=True)):
                job.read(place, path, kind)
        except MalformedError as error:
            if not partial:
                job.discard()
                raise
            fault = error
        except (CollisionError, InvalidArgumentError, MissingError, ReservedError):
            job.discard()
            raise
        finally:
            if collecting:
                gc.enable()
        graphs = job.finish()
        scopes.finish_dropping(store)
    if fault is not None:
        raise fault
    return Loaded(job.total, graphs, time.monotonic() - begun)


def load_facts(
    store: Store,
    scope: Scope,
    paths: Iterable[str | os.PathLike[str]],
    *,
    format: str | None = None,
    progress: Progress | None = None,
) -> Loaded:
    """Load RDF files as facts of a memory's scope, among its own triples.

    All files are read once before anything is written, so malformed RDF changes nothing; but the
    facts are written in many commits, and readers see them come. Graphs of N-Quads are passed over.
    Raises like `load`.
    """
    files = [Path(path) for path in paths]
    formats = [statements.format_of(path, format) for path in files]
    total = 2 * sum(path.stat().st_size for path in files if path.exists())
    salt, begun, count, done = os.urandom(4).hex(), time.monotonic(), 0, 0
    for writes in (False, True):
        for place, (path, kind) in enumerate(zip(files, formats, strict=True)):
            run = _Run(f"{salt}x{place}x")

            def emit(
                chunk: Chunk, read: int, run: _Run = run, writes: bool = writes, done: int = done
            ) -> None:
                nonlocal count
                run.enter(chunk)
                if writes:
                    count += len(chunk[0])
                    _put(store, scope, run, chunk)
                if len(run.forms) > _RUN // 4:
                    run.clear()
                if progress is not None:
                    progress(done + read, total)

            _read(path, kind, emit)
            done += path.stat().st_size
    triples_now = scope.read_state(store).triples
    return Loaded(count, {scope.name: triples_now}, time.monotonic() - begun)


def _put(store: Store, scope: Scope, run: _Run, chunk: Chunk) -> None:
    rows = list(zip(*chunk[:3], strict=True))
    for start in range(0, len(rows), _FACTS):
        with Transaction(store, scope) as tx:
            writer = TripleWriter(tx)
            for row in rows[start : start + _FACTS]:
                found = [run.term(run.numbers[token]) for token in row]
                s, p, o = (writer.intern(term) for term in found)
                if writer.value(s, p, o) is None:
                    writer.insert(s, p, o)


def _read(path: Path, format: statements.Format, emit: statements.Emit) -> None:
    try:
        statements.read(path, format, emit)
    except _UnfitError as error:
        line, column = statements.locate(path, error.token)
        raise MalformedError(str(path), line, column, str(error)) from None


def discard(store: Store) -> None:
    """Delete what a load has written that was not finished."""
    staged = list(_staged(store))
    batch: dict[bytes, bytes | None] = {scopes.dropping(number): b"" for number, _ in staged}
    batch |= {keys.LOADED + number.to_bytes(4, "big"): None for number, _ in staged}
    if batch or store.get(keys.LOAD) is not None:
        store.commit({**batch, keys.LOAD: None})
        scopes.finish_dropping(store)


def _staged(store: Store) -> Iterator[tuple[int, str]]:
    for key, value in store.range(keys.LOADED, keys.after(keys.LOADED)):
        yield int.from_bytes(key[-4:], "big"), value.decode()


class _UnfitError(Exception):
    """Raised for a token that agrees with the grammar, but stands for no term."""

    def __init__(self, token: bytes, reason: str) -> None:
        super().__init__(reason)
        self.token = token


class _Run:
    """Distinct terms of some statements: a number for each token, its id, and its form."""

    def __init__(self, salt: str) -> None:
        self._salt = salt  # makes the labels of blank nodes those of this file
        self.numbers = _Numbers()
        self.ids = bytearray()
        self.forms: list[bytes | None] = []
        """What the dictionary has; None for a term that is in its id."""
        self.size = 0
        """Bytes of all tokens."""

    def enter(self, chunk: Chunk) -> list[_Rows]:
        """The numbers of the tokens, by column. Raises ReservedError, _UnfitError."""
        numbers, forms, ids, salt = self.numbers, self.forms, self.ids, self._salt
        size, number = len(chunk[0]), numbers.__getitem__
        rows = [np.fromiter(map(number, column), np.uint32, size) for column in chunk[:3]]
        if any(chunk[3]):
            rows.append(np.fromiter(map(number, chunk[3]), np.uint32, size))
        else:
            rows.append(np.full(size, _NO_GRAPH, np.uint32))
        for token in numbers.new:
            identifier, form = _identified(token, salt)
            ids += identifier
            forms.append(form)
        self.size += sum(map(len, numbers.new))
        numbers.new.clear()
        for token in set(chunk[1]):
            predicate = self.term(numbers[token])
            if str(predicate).startswith("memory:"):
                raise ReservedError(
                    f"{predicate.n3()} is written by graphmem itself; use a predicate of your own"
                )
        return rows

    def term(self, number: int) -> terms.Term:
        """The term that has a number."""
        form = self.forms[number]
        if form is None:
            return terms.decode_inline(bytes(self.ids[16 * number : 16 * number + 16]))
        return terms.parse(form.decode())

    def clear(self) -> None:
        """Forget all terms."""
        self.numbers = _Numbers()
        self.ids.clear()
        self.forms.clear()
        self.size = 0


class _Numbers(dict[bytes, int]):
    """Numbers of tokens, from 0, in the order in which they are first asked for."""

    def __init__(self) -> None:
        super().__init__({b"": _NO_GRAPH})
        self.new: list[bytes] = []
        """Those that have been added."""

    def __missing__(self, token: bytes) -> int:
        number = self[token] = len(self) - 1
        self.new.append(token)
        return number


def _identified(token: bytes, salt: str) -> tuple[bytes, bytes | None]:
    """The id of a term in N-Triples form, and its form in the dictionary."""
    first = token[0]
    if first == 0x22:
        if _REWRITTEN.search(token):
            return _encoded(token, _literal)
        return b"\x04" + blake2b(token, digest_size=15).digest(), token
    if first == 0x3C:
        if b"\\" in token or token in _INLINE_IRIS or token.startswith((b"<node:", b"<memory:")):
            return _encoded(token, _iri)
        return b"\x02" + blake2b(token, digest_size=15).digest(), token
    token = b"_:b" + salt.encode() + token[2:]
    return b"\x03" + blake2b(token, digest_size=15).digest(), token


def _encoded(token: bytes, read: Callable[[str], terms.Term]) -> tuple[bytes, bytes | None]:
    try:
        term = terms.term(read(token.decode()))
    except ReservedError:
        raise
    except ValueError as error:  # an escape that is no character, an IRI with a space
        raise _UnfitError(token, str(error)) from None
    identifier = terms.encode(term)
    return identifier, None if terms.is_inline(identifier) else term.n3().encode()


# A literal whose form in the dictionary may be another than the one in the file: characters that
# are escaped otherwise, a tag in capitals, a datatype that may be in the id, or that is implied.
_REWRITTEN: Final = re.compile(
    rb'\\[^\\"nrtbf]|[\t\x08\x0c]|"@.*[A-Z]|"\^\^<(?:.*\\|'
    rb"http://www\.w3\.org/2001/XMLSchema#(?:integer|date|dateTime|string)>)"
)
_INLINE_IRIS: Final = frozenset((f"<{terms.RDF_TYPE}>".encode(),))


_OWN: Final = ("memory:formula/", "memory:variable/", "memory:Node")


def _iri(token: str) -> terms.Term:
    value = statements.unescape(token[1:-1])
    if value.startswith(_OWN):
        raise ReservedError(f"<{value}> is graphmem's own; use another IRI")
    return IRI(value)


def _literal(token: str) -> terms.Term:
    end = token.rindex('"')
    lexical = statements.unescape(token[1:end])
    tail = token[end + 1 :]
    if tail.startswith("@"):
        # Language tags do not differ by case, and rdflib writes them small.
        return Literal(lexical, RDF_LANG_STRING, tail[1:].lower())
    return Literal(lexical, statements.unescape(tail[3:-1]) if tail else XSD_STRING)


@dataclass(slots=True)
class _Target:
    """A graph that is being loaded: the scope without a name that takes its triples."""

    scope: Scope
    fresh: bool = True
    """Nothing has been written to it."""
    recount: bool = False
    """What it holds has to be counted, because nobody knows how much of it was there before."""
    predicates: Counter[bytes] = field(default_factory=Counter)
    dictionary: int = 0  # bytes of keys and forms


class _Load:
    """One load, from the record that says what it is to the batch that shows it."""

    def __init__(
        self,
        store: Store,
        writer: _Writer,
        files: Sequence[Path],
        graph: str,
        progress: Progress | None,
    ) -> None:
        self._store = store
        self._writer = writer
        self._graph = graph
        self._progress = progress
        self._sizes = [path.stat().st_size if path.exists() else 0 for path in files]
        self._what: list[Any] = [
            graph,
            [
                [str(path.resolve()), size, path.stat().st_mtime_ns if path.exists() else 0]
                for path, size in zip(files, self._sizes, strict=True)
            ],
        ]
        self.total = 0
        """Statements read."""
        self._targets: dict[str, _Target] = {}
        self._skip = 0  # statements that an earlier, interrupted run has written
        self._salt = os.urandom(4).hex()
        self._resume()
        self._run = _Run("")
        self._parts: list[list[_Rows]] = []
        self._waiting = 0
        self._subjects = np.zeros(_SUBJECTS, bool)

    def _resume(self) -> None:
        record = self._store.get(keys.LOAD)
        if record is not None:
            what, salt, done = msgpack.unpackb(record)
            if what == self._what and all(path.endswith((".nt", ".nq")) for path, *_ in what[1]):
                self._salt, self._skip = salt, done
                for number, name in list(_staged(self._store)):
                    if name:
                        scope = self._made(number, name)
                        self._targets[name] = _Target(scope, fresh=False, recount=True)
                    else:  # what its graph has was not copied yet
                        loaded = keys.LOADED + number.to_bytes(4, "big")
                        self._store.commit({scopes.dropping(number): b"", loaded: None})
                return
        discard(self._store)
        self._note(0)

    def _note(self, done: int) -> None:
        self._store.flush()
        record: bytes = msgpack.packb([self._what, self._salt, done])
        self._store.commit({keys.LOAD: record})

    def read(self, place: int, path: Path, format: statements.Format) -> None:
        """Read a file, and write each run as it is full."""
        self._flush()  # its blank nodes are others
        self._run = _Run(f"{self._salt}x{place}x")
        before, total = sum(self._sizes[:place]), sum(self._sizes)

        def emit(chunk: Chunk, read: int) -> None:
            size = len(chunk[0])
            self.total += size
            if self._skip >= self.total:
                return
            if self._skip > self.total - size:
                kept = self._skip - (self.total - size)
                chunk = (chunk[0][kept:], chunk[1][kept:], chunk[2][kept:], chunk[3][kept:])
            self._take(chunk)
            if self._progress is not None:
                self._progress(before + min(read, self._sizes[place]), total)

        _read(path, format, emit)

    def _take(self, chunk: Chunk) -> None:
        run = self._run
        self._parts.append(run.enter(chunk))
        self._waiting += len(chunk[0])
        if self._waiting >= _RUN or len(run.forms) >= _RUN or run.size >= _TEXT:
            self._flush()

    def _flush(self) -> None:
        """Write what is waiting, then how far the load has come."""
        if not self._waiting:
            return
        s, p, o, g = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        self._parts, self._waiting = [], 0
        ids, ranks, forms = self._ranked()
        s, p, o = ranks[s], ranks[p], ranks[o]
        graphs, starts = np.unique(g, return_index=True)
        if len(graphs) == 1:
            self._write(self._named(int(graphs[0])), ids, forms, s, p, o)
        else:
            order = np.argsort(g, kind="stable")
            starts = np.searchsorted(g[order], graphs)
            for number, part in zip(graphs, np.split(order, starts[1:]), strict=True):
                target = self._named(int(number))
                self._write(target, ids, forms, s[part], p[part], o[part])
        self._writer.flush()
        self._run.clear()
        self._note(self.total)

    def _ranked(self) -> tuple[NDArray[np.uint8], _Rows, list[bytes | None]]:
        """Ids in their order, the rank of each number, and the form of each rank."""
        run = self._run
        ids = np.frombuffer(bytes(run.ids), np.uint8).reshape(-1, 16)
        halves = ids.view(">u8").astype(np.uint64)
        order = np.lexsort((halves[:, 1], halves[:, 0]))
        high, low = halves[order, 0], halves[order, 1]
        new = np.ones(len(order), bool)
        new[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
        ranks = np.empty(len(order), np.uint32)
        ranks[order] = np.cumsum(new) - 1
        for twin in order[~new]:  # written in two ways, such as with an escape and without
            first = order[np.flatnonzero(new)[ranks[twin]]]
            if run.forms[twin] != run.forms[first]:
                raise _collision(run.forms[twin] or b"", run.forms[first] or b"")
        return ids[order[new]], ranks, [run.forms[number] for number in order[new]]

    def _named(self, number: int) -> _Target:
        if number == _NO_GRAPH:
            name = self._graph
        else:
            term = self._run.term(number)
            name = term.n3() if isinstance(term, BlankNode) else str(term)
        if name not in self._targets:
            self._targets[name] = self._new(name)
        return self._targets[name]

    def _made(self, number: int, name: str) -> Scope:
        return Scope(number, name, "rdf", 0.0, time.time_ns() // 1000, 0)

    def _new(self, name: str) -> _Target:
        """A scope without a name, that holds what the graph of this name has now."""
        store = self._store
        scopes.check_name(name, "rdf")
        last = int.from_bytes(store.get(keys.LAST_SCOPE) or b"", "big") + 1
        target = _Target(self._made(last, name))
        number = last.to_bytes(4, "big")
        found = store.get(keys.SCOPE_TABLE + name.encode())
        store.commit({keys.LAST_SCOPE: number, keys.LOADED + number: b""})
        if found is not None:
            old = scopes.open_scope(
                store, name, kind="rdf", decay=0, created=0, analyser=0, create=False
            )
            target.fresh, target.recount = False, True
            for space in (Space.DICTIONARY, *ORDERS):
                start = old.prefix(space)
                for key, value in store.range(start, keys.after(start)):
                    self._writer.put(number + key[4:], value)
            self._writer.flush()
            store.flush()
        store.commit({keys.LOADED + number: name.encode()})
        return target

    def _write(
        self,
        target: _Target,
        ids: NDArray[np.uint8],
        forms: list[bytes | None],
        s: _Rows,
        p: _Rows,
        o: _Rows,
    ) -> None:
        """Write triples of ranks, with their terms, in the order of the keys."""
        bits = np.uint64(max(1, len(ids).bit_length()))
        mask = (np.uint64(1) << bits) - np.uint64(1)
        two = np.uint64(2) * bits

        def packed(parts: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
            first, second, third = parts
            joined: NDArray[np.uint64] = (first << two) | (second << bits) | third
            return joined

        rows = _distinct(packed([part.astype(np.uint64) for part in (s, p, o)]))
        parts = [rows >> two, (rows >> bits) & mask, rows & mask]
        whole = np.ascontiguousarray(ids).view("V16").ravel()
        used = np.zeros(len(ids), bool)
        for part in parts:
            used[part] = True
        used &= np.fromiter((form is not None for form in forms), bool, len(forms))
        entered = np.flatnonzero(used)
        seen = self._seen(target, ids, parts[0])
        if not target.fresh:
            # In one run too: a graph may be named, and be the one for what names none.
            self._writer.flush()
            known = self._known(target, whole, forms, entered)
            if not target.recount:
                maybe = np.flatnonzero(seen & known[parts[1]] & known[parts[2]])
                parts = self._new_ones(target, whole, maybe, parts)
            entered = entered[~known[entered]]
        for order in ORDERS:
            # PLACES says where subject, predicate and object stand; here it is what stands first.
            rows = packed([parts[PLACES[order].index(place)] for place in range(3)])
            if order is not Space.SPO:
                rows.sort()
            columns = (rows >> two, (rows >> bits) & mask, rows & mask)
            for those in _keys(target.scope.prefix(order), whole, columns):
                self._writer.put_all(zip(those, repeat(b"")))
        missing = map(forms.__getitem__, entered.tolist())  # as many as keys, batch by batch
        for those in _keys(target.scope.prefix(Space.DICTIONARY), whole, (entered,)):
            entries = [(key, form or b"") for key, form in zip(those, missing, strict=False)]
            target.dictionary += sum(len(key) + len(form) for key, form in entries)
            self._writer.put_all(entries)
        for rank, count in enumerate(np.bincount(parts[1].astype(np.int64))):
            if count:
                target.predicates[ids[rank].tobytes()] += int(count)
        target.fresh = False

    def _known(
        self,
        target: _Target,
        whole: NDArray[np.void],
        forms: list[bytes | None],
        entered: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Of each rank, whether the graph may have its term already."""
        known = np.ones(len(whole), bool)
        ranks = iter(entered.tolist())
        for those in _keys(target.scope.prefix(Space.DICTIONARY), whole, (entered,)):
            for form, rank in zip(self._store.get_many(those), ranks, strict=False):
                if form is None:
                    known[rank] = False
                elif form != forms[rank]:
                    raise _collision(forms[rank] or b"", form)
        return known

    def _seen(
        self, target: _Target, ids: NDArray[np.uint8], subjects: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """Of each subject, whether an earlier run may have had it; from now on it has.

        A Bloom filter, for which two parts of an id, a hash, will do; mixed with the graph's scope.
        """
        mixed = ids[:, 8:16].view("<u4") ^ np.uint32(target.scope.id * _MIX & 0xFFFFFFFF)
        first, second = (mixed % np.uint32(len(self._subjects)))[subjects].T
        seen: NDArray[np.bool_] = self._subjects[first] & self._subjects[second]
        self._subjects[first] = self._subjects[second] = True
        return seen

    def _new_ones(
        self,
        target: _Target,
        whole: NDArray[np.void],
        maybe: NDArray[np.int64],
        parts: list[NDArray[np.uint64]],
    ) -> list[NDArray[np.uint64]]:
        """Triples without those that the graph has, so that it need not be counted at the end.

        Where so many may be there that looking takes longer, it will be counted.
        """
        if len(maybe) > _MOST_LOOKED_UP * len(parts[0]):
            target.recount = True
            return parts
        there: list[bool] = []
        columns = [part[maybe] for part in parts]
        for those in _keys(target.scope.prefix(Space.SPO), whole, columns):
            there += [value is not None for value in self._store.get_many(those)]
        old = maybe[np.array(there, bool)]
        return [np.delete(part, old) for part in parts]

    def discard(self) -> None:
        """Delete what it has written."""
        self._writer.wait()
        discard(self._store)

    def finish(self) -> dict[str, int]:
        """Write what is left, count, and show it all in one batch; triples in each graph."""
        self._flush()
        batch: dict[bytes, bytes | None] = {keys.LOAD: None}
        counts = {}
        for name, target in self._targets.items():
            scope = target.scope
            if target.recount:
                self._count(target)
            state = ScopeState(triples=sum(target.predicates.values()))
            for predicate, count in target.predicates.items():
                self._writer.put(scope.prefix(Space.STATISTIC) + predicate, keys.u64(count))
            state.live_bytes = (
                len(scope.prefix(Space.META)) + len(scope.meta)
                + len(ORDERS) * _KEY * state.triples
                + target.dictionary
                + (5 + 16 + 8) * len(target.predicates)
            )  # fmt: skip
            self._writer.put(scope.prefix(Space.META), scope.meta)
            self._writer.put(scope.prefix(Space.STATE), state.pack())
            counts[name] = state.triples
            number = scope.id.to_bytes(4, "big")
            entry = keys.SCOPE_TABLE + name.encode()
            if (old := self._store.get(entry)) is not None:
                batch[scopes.dropping(int.from_bytes(old, "big"))] = b""
            batch[entry] = number
            batch[keys.LOADED + number] = None
        self._writer.flush()
        self._store.flush()
        self._store.commit(batch)
        self._store.flush()
        return counts

    def _count(self, target: _Target) -> None:
        target.predicates.clear()
        start = target.scope.prefix(Space.PSO)
        for key in self._store.keys(start, keys.after(start)):
            target.predicates[key[5:21]] += 1
        start = target.scope.prefix(Space.DICTIONARY)
        target.dictionary = sum(
            len(key) + len(value) for key, value in self._store.range(start, keys.after(start))
        )


_NO_GRAPH: Final = (1 << 32) - 1


def _keys(
    prefix: bytes, whole: NDArray[np.void], columns: Sequence[NDArray[Any]]
) -> Iterator[list[bytes]]:
    """Keys of a prefix and the ids of ranks, a column for each id; so many as fit into a batch."""
    parts = [
        ("prefix", f"V{len(prefix)}"),
        *((f"id{place}", "V16") for place in range(len(columns))),
    ]
    kind = np.dtype(parts)
    for start in range(0, len(columns[0]), _BATCH):
        some = [column[start : start + _BATCH] for column in columns]
        block = np.empty(len(some[0]), kind)
        block["prefix"] = np.void(prefix)
        for place, column in enumerate(some):
            block[f"id{place}"] = whole[column]
        yield block.view(f"V{kind.itemsize}").tolist()


def _distinct(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Rows sorted, each once; numpy.unique takes several times as long."""
    rows = np.sort(rows)
    new = np.ones(len(rows), bool)
    np.not_equal(rows[1:], rows[:-1], out=new[1:])
    return rows[new]


def _collision(form: bytes, known: bytes) -> CollisionError:
    return CollisionError(
        f"{form.decode()[:80]} has the same 120-bit hash as {known.decode()[:80]}; nothing was "
        "loaded: write it in another form"
    )


class _Writer:
    """Commits keys, some thousands at a time: some batches are written while the next is made.

    Behind the `with` block nothing is being written any more.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._batch: dict[bytes, bytes] = {}
        self._thread = ThreadPoolExecutor(1, "graphmem-load")
        self._under_way: deque[Future[None]] = deque()
        self._failed = False

    def put(self, key: bytes, value: bytes) -> None:
        """Write a key."""
        self._batch[key] = value
        if len(self._batch) >= _BATCH:
            self._send()

    def put_all(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Write distinct keys in a commit of their own."""
        self._send()
        self._write(pairs)

    def flush(self) -> None:
        """Return when all has been committed."""
        self._send()
        self._written(0)

    def wait(self) -> None:
        """Return when nothing is being written, whatever has become of it."""
        wait(self._under_way)

    def _send(self) -> None:
        if self._batch:
            batch, self._batch = self._batch, {}
            self._write(batch.items())

    def _write(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        write = self._store.staged(pairs)
        self._written(_UNDER_WAY - 1)
        self._under_way.append(self._thread.submit(self._commit, write))

    def _commit(self, write: Callable[[], None]) -> None:
        if self._failed:  # nothing is written behind what could not be
            return
        self._failed = True
        write()
        self._failed = False

    def _written(self, but: int) -> None:
        while len(self._under_way) > but:
            self._under_way[0].result()
            self._under_way.popleft()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._thread.shutdown()
