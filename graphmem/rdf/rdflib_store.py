"""The rdflib store: `rdflib.Dataset(store="graphmem")` over the scopes of kind rdf of a folder.

Each graph is a scope, named by its IRI, or `_:` and the label of its blank node. rdflib's
extensions of RDF are stored under reserved IRIs: a variable of N3 as `memory:variable/…`, a
formula, and its scope, as `memory:formula/…`.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from functools import lru_cache
from heapq import merge
from itertools import groupby, islice, product, repeat
from operator import itemgetter
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote, unquote

from lru import LRU
from rdflib.graph import Graph, QuotedGraph
from rdflib.store import NO_STORE, VALID_STORE
from rdflib.store import Store as RdflibStoreProtocol
from rdflib.term import BNode, Identifier, Node, URIRef, Variable
from rdflib.term import Literal as RdflibLiteral

from graphmem.errors import (
    ArgumentTypeError,
    ClosedError,
    InvalidArgumentError,
    InvalidTermError,
    MissingError,
    ReservedError,
)
from graphmem.hexastore import keys, scopes, terms, triples
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import IRI, XSD_STRING, BlankNode, Literal, Term
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleIds, TripleWriter
from graphmem.storage.engine import Reader
from graphmem.storage.ownership import destroy
from graphmem.storage.store import Durability, Store

if TYPE_CHECKING:
    from rdflib.graph import (
        _ContextType,
        _QuadType,
        _TripleChoiceType,
        _TriplePatternType,
        _TripleType,
    )

    Matches: TypeAlias = Generator[
        tuple[_TripleType, Generator[_ContextType | None, None, None]], None, None
    ]

_VARIABLE: Final = "memory:variable/"
_FORMULA: Final = "memory:formula/"
_BATCH: Final = 1000  # triples that are written in one commit
_EMPTIED: Final = 10_000  # triples from which on a graph is emptied by dropping its scope
_TERMS: Final = 65_536  # cached decoded terms

IdPattern: TypeAlias = tuple[bytes | None, bytes | None, bytes | None]


class _TypedString(Literal):
    """A string written with its datatype, which rdflib, unlike RDF, distinguishes from a plain one.
    It is stored as another term; facts and exports show both as the plain one."""

    def n3(self) -> str:
        return f"{super().n3()}^^<{XSD_STRING}>"


class _Folder:
    """An open store with its graphs and prefixes; shared by all users of the folder."""

    def __init__(self, store: Store, path: str | None = None) -> None:
        self.store = store
        self.path = path
        """The real path; None for a store in memory."""
        self.users = 1
        self.lock = RLock()
        self.scopes = {scope.name: scope for scope in scopes.all_of(store, "rdf")}
        self.namespaces = {
            key[len(keys.PREFIXES) :].decode(): URIRef(value.decode())
            for key, value in store.range(*keys.under(keys.PREFIXES))
        }
        self.prefixes = {namespace: prefix for prefix, namespace in self.namespaces.items()}

    @classmethod
    def take(cls, path: str, create: bool, durability: Durability) -> _Folder:
        """The folder at `path`, opened if it is not; to be released with `release`."""
        real = os.path.realpath(path)
        with _folders_lock:
            if (folder := _folders.get(real)) is not None:
                folder.users += 1
                return folder
            store = Store.open(path, create=create, durability=durability)
            try:
                scopes.erase_dropped(store)
                folder = _folders[real] = cls(store, real)
            except BaseException:
                store.close()
                raise
            return folder

    def release(self) -> None:
        """Close the store if nobody else uses it."""
        with _folders_lock:
            self.users -= 1
            if self.users == 0 and self.path is not None:
                _folders.pop(self.path, None)
                self.store.close()

    def make(self, name: str) -> Scope:
        """The scope of that name, made if it does not exist."""
        with self.lock:
            if name not in self.scopes:
                self.scopes[name] = scopes.open_graph(self.store, name, create=True)
            return self.scopes[name]

    def drop(self, scope: Scope) -> None:
        with self.lock, self.store.writing:
            scope.dropped = True
            self.scopes.pop(scope.name, None)
            scopes.drop_scope(self.store, scope.name)

    def bind(self, prefix: str, namespace: URIRef, override: bool) -> None:
        with self.lock:
            bound = self.namespaces.get(prefix)
            known = self.prefixes.get(namespace)
            if bound == namespace or (not override and (bound, known) != (None, None)):
                return
            batch: dict[bytes, bytes | None] = {}
            if known is not None:
                batch[keys.PREFIXES + known.encode()] = None
            batch[keys.PREFIXES + prefix.encode()] = str(namespace).encode()
            self.store.commit(batch)
            if known is not None:
                del self.namespaces[known]
            if bound is not None:
                del self.prefixes[bound]
            self.namespaces[prefix] = namespace
            self.prefixes[namespace] = prefix


_folders: Final[dict[str, _Folder]] = {}
_folders_lock = RLock()


def _after_fork() -> None:
    global _folders_lock
    _folders_lock = RLock()
    _folders.clear()


os.register_at_fork(after_in_child=_after_fork)


class RdflibStore(RdflibStoreProtocol):
    """A store for rdflib's Graph and Dataset, found under the name "graphmem".

        graph = rdflib.Dataset(store="graphmem")
        graph.open("knowledge", create=True)
        …
        graph.close()

    Until `open` it keeps everything in memory, as rdflib's own store does. One process owns a
    folder; in it, stores that open the same folder share it, but `graphmem.open` does not. Every
    method that reads or writes raises ClosedError after `close`, ForkedError in a forked child,
    StorageError when the disk fails. Any number of threads may read; writers take turns.

    Each call reads from one snapshot, so a loop over triples may write. One `add`, and `addN` and
    `remove` of up to 1,000 triples of one graph, are atomic.
    """

    context_aware = True
    formula_aware = True
    graph_aware = True
    transaction_aware = False

    def __init__(
        self,
        configuration: str | None = None,
        identifier: Node | None = None,
        *,
        durability: Durability = "group",
    ) -> None:
        """With `configuration`, a path, open that folder or make it. durability: see `Store.open`;
        of several stores that share a folder, the first decides."""
        super().__init__()
        self.identifier = identifier
        self._durability: Durability = durability
        self._path: str | None = None
        self._opened: _Folder | None = _Folder(Store.open(None))
        self._decoded: LRU[bytes, Node] = LRU(_TERMS)
        if configuration is not None:
            self.open(configuration, create=True)

    # -- opening ------------------------------------------------------------------------------

    def open(self, configuration: str | tuple[str, str], create: bool = False) -> int:
        """Open the folder `configuration`; with `create`, make it, or fill it when it is empty.

        Returns rdflib's VALID_STORE, or NO_STORE when there is none and `create` is False; any use
        raises ClosedError then. Prefixes that were bound before are added where the folder has
        none for them.

        Raises AlreadyOpenError when another process, or `graphmem.open` in this one, has the
        folder: close it there first. Raises the other kinds of OpenError, CorruptError,
        StorageError, and InvalidArgumentError when this store is open or has triples in memory.
        """
        if not isinstance(configuration, str | os.PathLike):
            raise ArgumentTypeError(
                f"the configuration is the path of a folder, got {type(configuration).__name__}"
            )
        before = self._opened
        if before is not None and before.path is not None:
            raise InvalidArgumentError(f"this store has {before.path} open: close it first")
        if before is not None and any(scope.state.triples for scope in before.scopes.values()):
            raise InvalidArgumentError(
                "this store has triples in memory, which opening a folder would lose: "
                "open it first, and add them then"
            )
        self._path = os.fspath(configuration)
        self._opened = None
        try:
            self._opened = folder = _Folder.take(self._path, create, self._durability)
        except MissingError:
            if create:
                raise
            return NO_STORE
        for prefix, namespace in before.namespaces.items() if before is not None else ():
            folder.bind(prefix, namespace, override=False)
        return VALID_STORE

    def is_open(self) -> bool:
        """Whether a folder is open."""
        return self._opened is not None and self._opened.path is not None

    def close(self, commit_pending_transaction: bool = False) -> None:
        """Sync everything and release the folder. Idempotent. A store in memory keeps its
        triples."""
        if (folder := self._opened) is not None and folder.path is not None:
            self._opened = None
            folder.release()

    def destroy(self, configuration: str | None = None) -> None:
        """Remove all graphs and prefixes of a folder, and the folder if no memory is in it.

        Without `configuration`, of the one that this store had open last. It must be closed.
        Raises like `open`, and MissingError when there is none. Does nothing in memory.
        """
        path = self._path if configuration is None else configuration
        if path is None:
            return
        with Store.open(path, create=False) as store:
            for scope in list(scopes.all_of(store, "rdf")):
                scopes.drop_scope(store, scope.name)
            store.commit(dict.fromkeys(store.keys(*keys.under(keys.PREFIXES))))
            is_empty = next(scopes.names(store), None) is None
        if is_empty:
            destroy(path)

    @property
    def _folder(self) -> _Folder:
        folder = self._opened
        if folder is None:
            raise ClosedError(f"{self._path} is not open: call open, with create=True if it is new")
        return folder

    # -- writing ------------------------------------------------------------------------------

    def add(self, triple: _TripleType, context: _ContextType, quoted: bool = False) -> None:
        """Add a triple to a graph; to one of its formulae when it is `quoted`.

        Raises InvalidTermError for what is no RDF term, ReservedError for a predicate under
        `memory:`.
        """
        self._write(self._scope(context, quoted), [triple])
        super().add(triple, context, quoted)

    def addN(self, quads: Iterable[_QuadType]) -> None:  # noqa: N802
        """Add triples to graphs, 1,000 in a commit. Raises like `add`; those before it stay."""
        every = iter(quads)
        while batch := list(islice(every, _BATCH)):
            by_graph: dict[str, tuple[Scope, list[_TripleType]]] = {}
            for s, p, o, context in batch:
                scope = self._scope(context)
                by_graph.setdefault(scope.name, (scope, []))[1].append((s, p, o))
            for scope, added in by_graph.values():
                self._write(scope, added)
            for s, p, o, context in batch:
                super().add((s, p, o), context)

    def remove(
        self, triple_pattern: _TriplePatternType, context: _ContextType | None = None
    ) -> None:
        """Remove the triples a pattern matches (None: any) from a graph; without one, from all."""
        pattern = _pattern(triple_pattern)
        for scope in self._asserted() if context is None else self._known(context):
            if pattern == (None, None, None) and scope.state.triples >= _EMPTIED:
                self._folder.drop(scope)
                self._folder.make(scope.name)
            elif pattern is not None:
                while self._remove(scope, pattern) == _BATCH:
                    pass
        super().remove(triple_pattern, context)

    def add_graph(self, graph: Graph) -> None:
        """Make a graph, so that it is listed although it is empty."""
        self._scope(graph)

    def remove_graph(self, graph: Graph) -> None:
        """Remove a graph with all its triples."""
        for scope in self._known(graph):
            self._folder.drop(scope)

    def _write(self, scope: Scope, batch: list[_TripleType]) -> None:
        rows = [tuple(map(_term, triple)) for triple in batch]
        for (_, p, _), (_, predicate, obj) in zip(batch, rows, strict=True):
            if isinstance(p, URIRef) and terms.is_reserved(predicate, obj):
                raise ReservedError(
                    f"{predicate.n3()} is written by graphmem itself; use a predicate of your own"
                )
        with Transaction(self._folder.store, scope) as tx:
            writer = TripleWriter(tx)
            for row in rows:
                s, p_id, o = map(terms.encode, row)
                if not writer.has(s, p_id, o):
                    for term in row:
                        writer.intern(term)
                    writer.insert(s, p_id, o)

    def _remove(self, scope: Scope, pattern: IdPattern) -> int:
        with Transaction(self._folder.store, scope) as tx:
            writer = TripleWriter(tx)
            found = list(islice(triples.match(self._folder.store, scope, pattern), _BATCH))
            for ids in found:
                writer.delete(*ids)
            return len(found)

    # -- reading ------------------------------------------------------------------------------

    def triples(
        self, triple_pattern: _TriplePatternType, context: _ContextType | None = None
    ) -> Matches:
        """The triples that match the pattern (None: any), each with the graphs that have it.

        In a graph, or without one in the union of all graphs, where a triple is listed once. From
        one snapshot, taken at the first step.
        """
        with self._folder.store.snapshot() as snapshot:
            yield from self._matched(snapshot, triple_pattern, context)

    def triples_choices(
        self, triple: _TripleChoiceType, context: _ContextType | None = None
    ) -> Matches:
        """`triples` for each member of the one list among subject, predicate and object.

        An empty list stands for any term. All of them see one snapshot.
        """
        choices: Any = [(part or [None]) if isinstance(part, list) else [part] for part in triple]
        with self._folder.store.snapshot() as snapshot:
            for pattern in product(*choices):
                yield from self._matched(snapshot, pattern, context)

    def __len__(self, context: _ContextType | None = None) -> int:
        """Number of triples in a graph, from its counter; without one, in the union of all."""
        if context is not None:
            return sum(scope.state.triples for scope in self._known(context))
        filled = [scope for scope in self._asserted() if scope.state.triples]
        if len(filled) < 2:
            return sum(scope.state.triples for scope in filled)
        with self._folder.store.snapshot() as snapshot:
            return sum(1 for _ in _union(snapshot, filled, (None, None, None)))

    def contexts(self, triple: _TripleType | None = None) -> Generator[_ContextType, None, None]:
        """All graphs, also empty ones; those that have a triple, if one is given."""
        if triple is None or all(part is None for part in triple):
            found = list(self._folder.scopes.values())
        else:
            pattern = _pattern(triple)
            found = [] if pattern is None else list(self._having(pattern))
        return (self._graph(scope) for scope in found)

    def _matched(
        self, snapshot: Reader, given: _TriplePatternType, context: _ContextType | None
    ) -> Matches:
        pattern = _pattern(given)
        if pattern is None:
            return
        if context is None:
            for ids, having in _union(snapshot, self._asserted(), pattern):
                yield (
                    self._triple(snapshot, having[0], ids, given),
                    (self._graph(scope) for scope in having),
                )
            return
        for scope in self._known(context):
            for ids in triples.match(snapshot, scope, pattern):
                graphs = (self._graph(having) for having in self._having(ids))
                yield self._triple(snapshot, scope, ids, given), graphs

    def _triple(
        self, reader: Reader, scope: Scope, ids: TripleIds, given: _TriplePatternType
    ) -> Any:
        return tuple(
            self._node(reader, scope, identifier) if known is None else known
            for identifier, known in zip(ids, given, strict=True)
        )

    def _having(self, pattern: IdPattern) -> Iterator[Scope]:
        for scope in self._asserted():
            if next(triples.match(self._folder.store, scope, pattern), None) is not None:
                yield scope

    def _node(self, reader: Reader, scope: Scope, identifier: bytes) -> Node:
        # An id determines its term, so the cache never becomes outdated.
        node = self._decoded.get(identifier)
        if node is None:
            term = triples.lookup(reader, scope, identifier)
            if isinstance(term, Literal) and terms.encode(term) != identifier:
                term = _TypedString(term.lexical)
            node = self._decoded[identifier] = self._decode(term)
        return node

    def _decode(self, term: Term) -> Node:
        if isinstance(term, _TypedString):
            return RdflibLiteral(term.lexical, datatype=URIRef(XSD_STRING), normalize=False)
        if isinstance(term, IRI):
            if term.value.startswith(_VARIABLE):
                return Variable(term.value.removeprefix(_VARIABLE))
            if term.value.startswith(_FORMULA):
                return QuotedGraph(self, _identifier(term.value))
        return node_of(term)

    # -- graphs -------------------------------------------------------------------------------

    def _asserted(self) -> list[Scope]:
        every = list(self._folder.scopes.values())
        return [scope for scope in every if not scope.name.startswith(_FORMULA)]

    def _known(self, context: _ContextType) -> list[Scope]:
        scope = self._folder.scopes.get(_name(context))
        return [] if scope is None else [scope]

    def _scope(self, context: _ContextType, quoted: bool = False) -> Scope:
        name = _name(context, quoted)
        return self._folder.scopes.get(name) or self._folder.make(name)

    def _graph(self, scope: Scope) -> Graph:
        kind = QuotedGraph if scope.name.startswith(_FORMULA) else Graph
        return kind(self, _identifier(scope.name))

    # -- prefixes -----------------------------------------------------------------------------

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix to a namespace, and keep that in the folder.

        With `override`, earlier bindings of either are removed; otherwise they stay.
        """
        self._folder.bind(prefix, URIRef(namespace), override)

    def namespace(self, prefix: str) -> URIRef | None:
        """The namespace of a prefix."""
        return self._folder.namespaces.get(prefix)

    def prefix(self, namespace: URIRef) -> str | None:
        """The prefix of a namespace."""
        return self._folder.prefixes.get(namespace)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """Every prefix with its namespace."""
        return iter(list(self._folder.namespaces.items()))


def node_of(term: Term) -> Identifier:
    """rdflib's term for one of RDF's."""
    match term:
        case IRI(value):
            return URIRef(value)
        case BlankNode(label):
            return BNode(label)
        case Literal(lexical, datatype, language):
            if language is not None:
                return RdflibLiteral(lexical, lang=language)
            if datatype == XSD_STRING:
                return RdflibLiteral(lexical)
            return RdflibLiteral(lexical, datatype=URIRef(datatype), normalize=False)


def _union(
    reader: Reader, graphs: list[Scope], pattern: IdPattern
) -> Iterator[tuple[TripleIds, list[Scope]]]:
    """The matching triples of all graphs, each once, with the graphs that have it."""
    # A term has the same id in all scopes, and each index yields the open parts of a pattern in
    # the order of (s, p, o).
    streams = (
        zip(triples.match(reader, scope, pattern), repeat(place), strict=False)
        for place, scope in enumerate(graphs)
    )
    for ids, group in groupby(merge(*streams), key=itemgetter(0)):
        yield ids, [graphs[place] for _, place in group]


def _name(context: _ContextType, quoted: bool = False) -> str:
    """The name of a graph's scope."""
    identifier: object = getattr(context, "identifier", context)
    if isinstance(identifier, BNode):
        name = f"_:{identifier}"
    elif isinstance(identifier, URIRef) and not str(identifier).startswith(("_:", _FORMULA)):
        name = str(identifier)
    else:
        raise InvalidTermError(
            f"a graph is named by an IRI or a blank node, not {identifier!r:.80}"
        )
    return _FORMULA + quote(name, safe="") if quoted or isinstance(context, QuotedGraph) else name


def _identifier(name: str) -> URIRef | BNode:
    """The identifier of the graph whose scope has that name."""
    if name.startswith(_FORMULA):
        name = unquote(name.removeprefix(_FORMULA))
    return BNode(name[2:]) if name.startswith("_:") else URIRef(name)


def _pattern(given: Iterable[Node | None]) -> IdPattern | None:
    """The ids of a pattern; None if it holds a term that no store can have."""
    try:
        s, p, o = (None if node is None else terms.encode(_term(node)) for node in given)
    except (InvalidTermError, ReservedError):
        return None
    return s, p, o


def _term(node: Node) -> Term:
    if isinstance(node, QuotedGraph):
        return IRI(_name(node))
    if isinstance(node, URIRef | BNode | RdflibLiteral | Variable):
        return _known_term(node)
    raise InvalidTermError(f"{type(node).__name__} {node!r:.80} is no RDF term")


@lru_cache(maxsize=_TERMS)
def _known_term(node: URIRef | BNode | RdflibLiteral | Variable) -> Term:
    term: Term
    if isinstance(node, RdflibLiteral):
        term = terms.term(node)
        return _TypedString(str(node)) if str(node.datatype) == XSD_STRING else term
    # Not checked further, as rdflib does not: it stores relative IRIs, and warns of bad ones.
    if isinstance(node, BNode):
        term = BlankNode(str(node))
    elif isinstance(node, Variable):
        term = IRI(_VARIABLE + str(node))
    else:
        term = IRI(str(node))
        if term.value.startswith((_VARIABLE, _FORMULA)):
            raise ReservedError(f"{term.n3()} stands for a variable or a formula; use another IRI")
    return terms.encodable(term)
