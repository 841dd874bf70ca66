"""Scopes: named graphs that share one store, each a contiguous range of keys."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from itertools import groupby
from operator import attrgetter
from typing import Final, Literal

import msgpack
from lru import LRU

from graphmem.errors import CorruptError, InvalidArgumentError, UnknownScopeError
from graphmem.hexastore import keys
from graphmem.hexastore.cache import Caches
from graphmem.hexastore.keys import Space
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store, StoreSnapshot

Kind = Literal["memory", "rdf"]
_DROP_BATCH: Final = 10_000
COMMITTED: Final = 16_384  # values that the writer keeps: 6 MB, where nodes have a dozen links
_UNFIT: Final = re.compile("[\\x00\\ud800-\\udfff]")


@dataclass(slots=True)
class ScopeState:
    """The counters of a scope, written in the batch of whatever changes them."""

    next_node: int = 1
    passes: int = 0
    nodes: int = 0
    pinned: int = 0
    text_bytes: int = 0  # UTF-8 of what the nodes say: sentences, or the gists left of them
    live_bytes: int = 0  # keys and values of all but the archive and this record
    archive_bytes: int = 0  # keys and values of the archive
    next_archived: int = 1
    first_archived: int = 1  # nothing is in the archive before it
    archived: int = 0
    triples: int = 0
    links: int = 0
    documents: int = 0
    words: int = 0  # sum of the lengths of the documents, in index words
    tombstones: int = 0
    queued: int = 0
    dead: int = 0
    intents: int = 0  # writes over 1 MB that are not whole yet
    latin_seen: int = 0  # sentences whose worth density went into the running median
    cjk_seen: int = 0
    latin_density: float = 0.0  # running medians, in nat (logarithms)
    cjk_density: float = 0.0

    def pack(self) -> bytes:
        """The record on disk."""
        return _STATE.pack(*_STATE_FIELDS(self))

    def copy(self) -> ScopeState:
        """The same counters, to be counted on."""
        return ScopeState(*_STATE_FIELDS(self))

    @classmethod
    def unpack(cls, record: bytes) -> ScopeState:
        """Read a record. Raises CorruptError when it is not one."""
        try:
            return cls(*_STATE.unpack(record))
        except struct.error as error:
            raise CorruptError(
                f"a scope's counters cannot be read ({error}); run check()"
            ) from None


_STATE_FIELDS: Final = attrgetter(*(f.name for f in fields(ScopeState)))
_STATE: Final = struct.Struct(">20Q2d")


@dataclass(slots=True)
class Scope:
    """An open scope: what never changes about it, and the writer's copy of its counters."""

    id: int
    name: str
    kind: Kind
    decay: float  # λ, nat per pass
    created: int  # microseconds since 1970, UTC
    analyser: int  # version of the word analyser that its word index was built with
    state: ScopeState = field(default_factory=ScopeState)
    caches: Caches = field(default_factory=Caches, repr=False, compare=False)
    committed: LRU[bytes, bytes | None] = field(
        default_factory=lambda: LRU(COMMITTED), repr=False, compare=False
    )
    """What the last commit left under keys that the next write is likely to read again (None:
    nothing). It belongs to the writer, whose transactions keep it; whoever writes such a key past
    a transaction clears it."""
    dropped: bool = False  # nothing may be read or written any more
    orders: tuple[bytes, ...] = field(init=False, repr=False, compare=False)
    """What the keys of the six orders begin with, spo first."""
    _prefixes: list[bytes] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        scope = self.id.to_bytes(4, "big")
        self._prefixes = [scope + bytes((space,)) for space in range(256)]
        self.orders = tuple(map(self.prefix, keys.ORDERS))

    def require(self) -> None:
        """Raise UnknownScopeError if the scope was dropped."""
        if self.dropped:
            raise UnknownScopeError(
                f"scope {self.name!r} has been dropped: open it anew with scope(name)"
            )

    def snapshot(self, store: Store) -> StoreSnapshot:
        """A snapshot to read this scope by. Raises UnknownScopeError, ClosedError."""
        self.require()
        return store.snapshot()

    def prefix(self, space: Space) -> bytes:
        """The bytes that begin each key of a space."""
        return self._prefixes[space]

    def read_state(self, reader: Reader) -> ScopeState:
        """The counters as `reader` sees them."""
        record = reader.get(self.prefix(Space.STATE))
        return ScopeState() if record is None else ScopeState.unpack(record)

    @property
    def meta(self) -> bytes:
        """The scope's fixed record."""
        packed: bytes = msgpack.packb(
            {
                "name": self.name,
                "kind": self.kind,
                "decay": self.decay,
                "created": self.created,
                "analyser": self.analyser,
            }
        )
        return packed


def names(reader: Reader) -> Iterator[tuple[str, int]]:
    """(name, id) of every scope, by name."""
    start = keys.SCOPE_TABLE
    for key, value in reader.range(start, keys.after(start)):
        yield key[len(start) :].decode(), int.from_bytes(value, "big")


def all_of(reader: Reader, kind: Kind) -> Iterator[Scope]:
    """Every scope of a kind, by name."""
    for _, identifier in names(reader):
        scope = _read_scope(reader, identifier)
        if scope.kind == kind:
            yield scope


def check_name(name: object, kind: Kind) -> str:
    """Return `name` if a scope of that kind can have it. Raises InvalidArgumentError."""
    most = 200 if kind == "memory" else 4000  # a graph is named by its IRI
    if not isinstance(name, str) or not 0 < len(name) <= most or _UNFIT.search(name):
        raise InvalidArgumentError(
            f"a scope's name has 1 to {most} characters, no NULs or lone surrogates, "
            f"got {name!r:.80}"
        )
    return name


def open_scope(
    store: Store,
    name: object,
    *,
    kind: Kind,
    decay: float,
    created: int,
    analyser: int,
    create: bool,
) -> Scope:
    """Open the scope called `name`, or make it when `create`.

    Raises UnknownScopeError when it is not there and may not be made, InvalidArgumentError when it
    is of another kind or the name is unfit (1–200 characters, 4,000 for kind rdf, no NUL).
    """
    name = check_name(name, kind)
    found = store.get(keys.SCOPE_TABLE + name.encode())
    if found is not None:
        scope = _read_scope(store, int.from_bytes(found, "big"))
        if scope.kind != kind:
            raise InvalidArgumentError(
                f"scope {name!r} is of kind {scope.kind!r}, not {kind!r}; choose another name"
            )
        return scope
    if not create:
        known = ", ".join(n for n, _ in names(store)) or "none"
        raise UnknownScopeError(f"there is no scope {name!r} (there are: {known})")
    with store.writing:
        last = int.from_bytes(store.get(keys.LAST_SCOPE) or b"", "big")
        scope = Scope(last + 1, name, kind, decay, created, analyser)
        # The counters count themselves out, and the fixed record in.
        scope.state.live_bytes = len(scope.prefix(Space.META)) + len(scope.meta)
        identifier = scope.id.to_bytes(4, "big")
        store.commit(
            {
                keys.LAST_SCOPE: identifier,
                keys.SCOPE_TABLE + name.encode(): identifier,
                scope.prefix(Space.META): scope.meta,
                scope.prefix(Space.STATE): scope.state.pack(),
            }
        )
        return scope


def _read_scope(reader: Reader, identifier: int) -> Scope:
    record = reader.get(keys.prefix(identifier, Space.META))
    if record is None:
        raise CorruptError(f"scope {identifier} has no fixed record; run check()")
    try:
        scope = Scope(id=identifier, **msgpack.unpackb(record))
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise CorruptError(
            f"the fixed record of scope {identifier} cannot be read ({error}); run check()"
        ) from None
    scope.state = scope.read_state(reader)
    return scope


def drop_scope(store: Store, name: str) -> None:
    """Remove a scope with all that it holds. It is gone at once; its space follows.

    Raises UnknownScopeError.
    """
    with store.writing, store.snapshot() as snapshot:
        found = snapshot.get(keys.SCOPE_TABLE + name.encode(errors="surrogatepass"))
        if found is None:
            raise UnknownScopeError(f"there is no scope {name!r}")
        marker = dropping(int.from_bytes(found, "big"))
        store.commit({keys.SCOPE_TABLE + name.encode(): None, marker: b""})
    finish_dropping(store)


def dropping(identifier: int) -> bytes:
    """The key that says that a scope's range is to be deleted; see `finish_dropping`."""
    return keys.DROPPING + identifier.to_bytes(4, "big")


def finish_dropping(store: Store) -> None:
    """Delete what dropped scopes have left behind; called again when a store is opened."""
    dropped: list[int] = []
    with store.writing, store.snapshot() as snapshot:
        for marker in list(snapshot.keys(keys.DROPPING, keys.after(keys.DROPPING))):
            dropped.append(int.from_bytes(marker[-4:], "big"))
            batch: dict[bytes, bytes | None] = {}
            for key in snapshot.keys(*keys.scope_range(dropped[-1])):
                batch[key] = None
                if len(batch) == _DROP_BATCH:
                    store.commit(batch)
                    batch = {}
            store.commit({**batch, marker: None})
    # When the snapshot, which keeps what it sees, is closed; neighbours in one go.
    for _, run in groupby(enumerate(dropped), lambda entry: entry[1] - entry[0]):
        neighbours = [scope for _, scope in run]
        compact(store, neighbours[0], neighbours[-1])


def compact(store: Store, first: int, last: int) -> None:
    """Give back the space of what the scopes from `first` to `last` have deleted, and leave no byte
    of it in the files.

    A snapshot that is open meanwhile keeps what it sees.
    """
    start, _ = keys.scope_range(first)
    end, stop = keys.scope_range(last)
    store.compact(start, stop)
    # LevelDB merges files downwards, and leaves the lowest as they are: what was written and
    # deleted before it first came to a file can be in them. Two deletions at the ends of the range,
    # of keys that never exist, make it merge those too.
    store.commit({start: None, end + b"\xff": None})
    store.compact(start, stop)
