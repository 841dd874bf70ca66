"""Scopes: named graphs that share one store, each a contiguous range of keys."""

from __future__ import annotations

import re
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from datetime import UTC, datetime
from functools import partial
from itertools import groupby, islice
from operator import attrgetter
from typing import Any, Final, Literal

import msgpack

from graphmem.errors import InvalidArgumentError, UnknownScopeError
from graphmem.hexastore import fields, keys
from graphmem.hexastore.cache import Cache, new_caches
from graphmem.hexastore.keys import Space
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store, StoreSnapshot
from graphmem.values.checks import is_blank

Kind = Literal["memory", "rdf"]
META_START: Final = b"\x85\xa4name"
"""The first bytes of each fixed record: see `Scope.meta`."""
_FIXED: Final = ("name", "kind", "decay", "created", "analyser")
_DROP_BATCH: Final = 10_000
_UNFIT: Final = re.compile("[\\x00\\ud800-\\udfff]")
_CONTROL: Final = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]")


@dataclass(slots=True)
class ScopeState:
    """The counters of a scope, written in the batch of the change. A new counter is a numbered
    field after the fixed head, in `_NUMBERED`."""

    next_node: int = 1
    passes: int = 0
    nodes: int = 0
    pinned: int = 0
    text_bytes: int = 0  # UTF-8 of the texts of nodes: sentences, or the gists left of them
    live_bytes: int = 0  # keys and values of all but the archive and this record
    archive_bytes: int = 0  # keys and values of the archive
    next_archived: int = 1
    first_archived: int = 1  # nothing is in the archive before it
    archived: int = 0
    triples: int = 0  # in the six orders: of a memory its facts
    links: int = 0
    documents: int = 0
    words: int = 0  # sum of the lengths of the documents, in index words
    tombstones: int = 0
    queued: int = 0
    dead: int = 0
    intents: int = 0  # unfinished writes over 1 MB
    keywords: int = 0  # keys of KEYWORD
    sessions: int = 0  # keys of SESSION
    latin_seen: int = 0  # sentences whose worth density went into the running median
    cjk_seen: int = 0
    latin_density: float = 0.0  # running medians, in nat (logarithms)
    cjk_density: float = 0.0
    expiring: int = 0  # nodes with an expiry
    kept_bytes: int = 0  # of a memory's live_bytes: keys and values of keys.KEPT; 0: or unknown
    unknown: fields.Unknown = ()  # numbered fields of a newer version

    @property
    def memory_bytes(self) -> int:
        """The bytes that a budget limits: live bytes of memories, which forgetting can free."""
        return self.live_bytes - self.kept_bytes

    @property
    def all_triples(self) -> int:
        """The number of triples: stored ones, and virtual ones of nodes, links and values."""
        return self.triples + self.links + self.nodes + self.keywords + self.sessions

    def pack(self) -> bytes:
        packed = _HEAD.pack(*_HEAD_FIELDS(self))
        numbered = {n: value for n, name in _NUMBERED.items() if (value := getattr(self, name))}
        if self.kept_bytes:
            numbered[_COUNTED_AT] = self.live_bytes
        if numbered or self.unknown:
            packed += fields.pack(numbered, self.unknown)
        return packed

    def copy(self) -> ScopeState:
        """A copy of the counters, to be changed."""
        return ScopeState(*_FIELDS(self))

    @classmethod
    def unpack(cls, record: bytes) -> ScopeState:
        """Read a record. Raises CorruptError when it is not one."""
        try:
            state = cls(*_HEAD.unpack_from(record))
        except struct.error as error:
            raise fields.unreadable("a scope's counters", error) from None
        if len(record) > _HEAD.size:
            numbered = fields.unpack(record[_HEAD.size :])
            for number, name in _NUMBERED.items():
                if number in numbered:
                    setattr(state, name, numbered.pop(number))
            current = numbered.pop(_COUNTED_AT, None) == state.live_bytes
            if not current or state.kept_bytes not in range(state.live_bytes + 1):
                state.kept_bytes = 0  # written by an older version, which does not count it
            state.unknown = fields.unknown(numbered)
        return state


_NUMBERED: Final[dict[int, str]] = {1: "expiring", 2: "kept_bytes"}
"""Number → counter after the fixed head; a counter of 0 is not written."""
_COUNTED_AT: Final = 3  # the number of the live_bytes for which kept_bytes was counted
_NAMES: Final = [f.name for f in dataclass_fields(ScopeState)]
_FIELDS: Final = attrgetter(*_NAMES)
_HEAD_FIELDS: Final = attrgetter(*_NAMES[: _NAMES.index("cjk_density") + 1])
_HEAD: Final = struct.Struct(">22Q2d")


@dataclass(slots=True)
class Scope:
    """An open scope: its fixed attributes, and the writer's copy of its counters."""

    id: int
    name: str
    kind: Kind
    decay: float  # λ, nat per pass
    created: int  # microseconds since 1970, UTC
    analyser: int  # version of the word analyser that its word index was built with
    state: ScopeState = field(default_factory=ScopeState)
    caches: dict[int, Cache[Any]] = field(default_factory=new_caches, repr=False, compare=False)
    unresolved: bool = field(default=False, repr=False, compare=False)
    """True from the begin of a transaction until its changes are published or undone."""
    fades: bool = True
    """False if nodes are forgotten only for room: links never break, and a due key is a rank."""
    pins_changed: int = 0  # number of the last commit of this process that changed which are pinned
    clock: Callable[[], datetime] = field(
        default=partial(datetime.now, UTC), repr=False, compare=False
    )
    """Its nodes are shown in the zone of this clock."""
    dropped: bool = False  # nothing may be read or written any more
    orders: tuple[bytes, ...] = field(init=False, repr=False, compare=False)
    """The prefixes of the six orders, spo first."""
    _prefixes: list[bytes] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        scope = self.id.to_bytes(4, "big")
        self._prefixes = [scope + bytes((space,)) for space in range(max(Space) + 1)]
        self.orders = tuple(map(self.prefix, keys.ORDERS))

    def require(self) -> None:
        """Raise UnknownScopeError if the scope was dropped."""
        if self.dropped:
            raise UnknownScopeError(
                f"scope {self.name!r} has been dropped: open it anew with scopes.open(name)"
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
        packed: bytes = msgpack.packb({name: getattr(self, name) for name in _FIXED})
        return packed


def read_number(stored: bytes) -> int:
    """The number of a scope. Raises CorruptError."""
    return keys.number("the number of a scope", stored, 4)


def last_given(reader: Reader | Store) -> int:
    """The last number that was given to a scope. Raises CorruptError."""
    return keys.number("the last number of a scope", reader.get(keys.LAST_SCOPE), 4)


def names(reader: Reader) -> Iterator[tuple[str, int]]:
    """(name, id) of every scope, by name."""
    for key, value in reader.range(*keys.under(keys.SCOPE_TABLE)):
        yield key[len(keys.SCOPE_TABLE) :].decode(), read_number(value)


def names_of(reader: Reader, kind: Kind) -> Iterator[tuple[str, int]]:
    """(name, id) of every scope of a kind, by name."""
    for name, identifier in names(reader):
        if _fixed(reader, identifier)["kind"] == kind:
            yield name, identifier


def all_of(reader: Reader, kind: Kind) -> Iterator[Scope]:
    """Every scope of a kind, by name."""
    for _, identifier in names_of(reader, kind):
        yield read_scope(reader, identifier)


def check_name(name: object, kind: Kind) -> str:
    """Return `name` if a scope of that kind can have it. Raises InvalidArgumentError."""
    most = 200 if kind == "memory" else 4000  # a graph is named by its IRI
    if not isinstance(name, str) or not 0 < len(name) <= most or _UNFIT.search(name):
        raise InvalidArgumentError(
            f"a scope's name has 1 to {most} characters, no NULs or lone surrogates, "
            f"got {name!r:.80}"
        )
    return name


def check_new_name(name: object, kind: Kind) -> str:
    """Return `name` if a new scope of that kind may have it: blank names, and control characters,
    which older folders may hold, are refused. Raises InvalidArgumentError."""
    name = check_name(name, kind)
    if _CONTROL.search(name) or is_blank(name):
        raise InvalidArgumentError(
            "a scope's name has something to see, no control characters and no line breaks, "
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
    """Open the scope called `name`, or make it when `create`. Raises UnknownScopeError, and
    InvalidArgumentError for one of another kind or an unfit name (see `check_name`,
    `check_new_name`)."""
    name = check_name(name, kind)
    found = store.get(keys.SCOPE_TABLE + name.encode())
    if found is not None:
        scope = read_scope(store, read_number(found))
        if scope.kind != kind:
            raise InvalidArgumentError(
                f"scope {name!r} is of kind {scope.kind!r}, not {kind!r}; choose another name"
            )
        if kind == "memory" and not scope.state.kept_bytes:
            with store.snapshot() as snapshot:
                scope.state = scope.read_state(snapshot)
                scope.state.kept_bytes = kept_bytes(snapshot, scope)
        return scope
    if not create:
        known = [name for name, _ in names_of(store, kind)]
        listed = ", ".join(known) or "none"
        raise UnknownScopeError(f"there is no scope {name!r:.80} (there are: {listed})", known)
    check_new_name(name, kind)
    with store.writing:
        scope = Scope(last_given(store) + 1, name, kind, decay, created, analyser)
        identifier = scope.id.to_bytes(4, "big")
        store.commit({keys.LAST_SCOPE: identifier, **entry(name, identifier), **begun(scope)})
        return scope


def open_graph(store: Store, name: str, *, create: bool) -> Scope:
    """Open the scope of a graph of RDF, or make it when `create`. Raises like `open_scope`."""
    now = time.time_ns() // 1000
    return open_scope(store, name, kind="rdf", decay=0.0, created=now, analyser=0, create=create)


def begun(scope: Scope) -> dict[bytes, bytes | None]:
    """The batch with the fixed record and the counters of a new scope."""
    scope.state.live_bytes = len(scope.prefix(Space.META)) + len(scope.meta)
    return {scope.prefix(Space.META): scope.meta, scope.prefix(Space.STATE): scope.state.pack()}


def read_scope(reader: Reader, identifier: int) -> Scope:
    """The scope of a number. Raises CorruptError."""
    scope = Scope(id=identifier, **_fixed(reader, identifier))
    scope.state = scope.read_state(reader)
    return scope


def _fixed(reader: Reader, identifier: int) -> dict[str, Any]:
    """The fields of the fixed record, see `Scope.meta`. Raises CorruptError."""
    record = reader.get(keys.prefix(identifier, Space.META))
    if record is None:
        raise fields.wrong(f"scope {identifier} has no fixed record")
    try:
        found: dict[str, Any] = msgpack.unpackb(record)
        if {*found} != {*_FIXED}:
            raise ValueError(f"it has the fields {', '.join(map(str, found))}")
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise fields.unreadable(f"the fixed record of scope {identifier}", error) from None
    return found


def entry(name: str, identifier: bytes | None) -> dict[bytes, bytes | None]:
    """The batch that sets the number of a scope's name, or removes the name. LevelDB keeps the
    first and last keys of deleted files in its list, so a key without a name is always the
    first."""
    named = keys.SCOPE_TABLE + name.encode(errors="surrogatepass")
    return {keys.BEFORE_SCOPES: b"", named: identifier}


def kept_bytes(reader: Reader, scope: Scope) -> int:
    """The bytes of keys and values of a scope that are outside the budget."""
    ranges = (keys.under(scope.prefix(space)) for space in sorted(keys.KEPT))
    return sum(len(key) + len(value) for under in ranges for key, value in reader.range(*under))


def drop_scope(store: Store, name: str) -> list[int]:
    """Remove a scope: at once for readers, its bytes by `erase_dropped`. Returns and raises like
    that; also raises UnknownScopeError."""
    mark_dropped(store, name)
    return erase_dropped(store)


def mark_dropped(store: Store, name: str) -> int:
    """Remove a scope, and leave its bytes to `erase_dropped`; returns its id. Raises
    UnknownScopeError."""
    with store.writing:
        found = store.get(keys.SCOPE_TABLE + name.encode(errors="surrogatepass"))
        if found is None:
            raise UnknownScopeError(f"there is no scope {name!r:.80}")
        identifier = read_number(found)
        store.commit({**entry(name, None), dropping(identifier): b""}, joins=True)
        return identifier


def dropping(identifier: int) -> bytes:
    """The key that marks a scope's range for deletion and erasure."""
    return keys.DROPPING + identifier.to_bytes(4, "big")


def erasing(store: Store, identifier: int) -> tuple[bytes, bytes]:
    """The key and value that mark deleted bytes of a scope for erasure, for the batch that deletes
    them. The caller holds the writer's lock. The value identifies the batch, so that
    `erase_dropped` removes only marks that it has processed."""
    assert store.held
    return keys.ERASING + identifier.to_bytes(4, "big"), keys.u64(store.sequence + 1)


def to_erase(reader: Reader) -> dict[bytes, bytes]:
    """The marks that `erase_dropped` has to process, as keys and values."""
    return {
        key: value
        for start in (keys.DROPPING, keys.ERASING)
        for key, value in reader.range(*keys.under(start))
    }


def erase_dropped(store: Store) -> list[int]:
    """Delete the ranges of dropped scopes, and rewrite the files that hold erased bytes. Returns
    the ids of the scopes of which bytes are still in the files, because an older snapshot or range
    is open; they stay marked for the next call. Raises `StorageError`, and what `writing` does."""
    with store.writing, store.snapshot() as snapshot:  # closed before `compact`
        noted = to_erase(snapshot)
        for key in noted:
            if key.startswith(keys.DROPPING):
                left = snapshot.keys(*keys.scope_range(_scope_of(key)))
                while batch := dict.fromkeys(islice(left, _DROP_BATCH)):
                    store.commit(batch)
    kept: list[int] = []
    wanted = sorted({_scope_of(key) for key in noted})
    if any(key.startswith(keys.DROPPING) for key in noted):
        wanted.insert(0, 0)  # where their names were
    for _, run in groupby(enumerate(wanted), lambda entry: entry[1] - entry[0]):
        neighbours = [scope for _, scope in run]  # in one go
        start, stop = keys.scope_range(neighbours[0])[0], keys.scope_range(neighbours[-1])[1]
        if store.compact(start, stop):
            with store.writing:
                done = {
                    key: None
                    for key, value in noted.items()
                    if _scope_of(key) in neighbours and store.get(key) == value
                }
                if done:
                    store.commit({**done})
        elif neighbours[0] == 0:
            return wanted[1:]
        else:
            kept += neighbours
    return kept


def _scope_of(key: bytes) -> int:
    return int.from_bytes(key[-4:], "big")
