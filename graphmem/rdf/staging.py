"""Graphs that are being loaded: scopes without a name yet, which no reader finds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from graphmem.hexastore import keys, scopes
from graphmem.hexastore.keys import ORDERS, Space
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem.hexastore.triples import PLACES
from graphmem.rdf import runs
from graphmem.rdf.batches import BatchWriter
from graphmem.rdf.runs import Ranks, Vocabulary
from graphmem.storage.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SUBJECTS: Final = 1 << 24  # bytes that remember subjects: enough for some millions
_MIX: Final = 0x9E3779B1  # odd, 2^32 over the golden ratio, as is usual in hashing by multiplying
_MOST_LOOKED_UP: Final = 1 / 8  # of a run's triples: a look-up takes as long as counting eight keys
_ENTRY: Final = 5 + 16  # bytes of a key that has one id
_TRIPLE: Final = len(ORDERS) * (5 + 3 * 16)


def loaded(number: int) -> bytes:
    """The key that says that a scope is being loaded, and for which graph; see `named`."""
    return keys.LOADED + number.to_bytes(4, "big")


def named(store: Store) -> list[tuple[int, str]]:
    """Scopes that are being loaded, and their graphs; "" while what the graph has is copied."""
    found = store.range(keys.LOADED, keys.after(keys.LOADED))
    return [(int.from_bytes(key[-4:], "big"), name.decode()) for key, name in found]


def dropped(number: int) -> dict[bytes, bytes | None]:
    """The batch behind which a scope is not being loaded any more, but deleted."""
    return {scopes.dropping(number): b"", loaded(number): None}


class Subjects:
    """Which subjects the graphs of a load may have: a Bloom filter."""

    def __init__(self) -> None:
        self._seen = np.zeros(_SUBJECTS, bool)

    def add(self, graph: int, ids: NDArray[np.void]) -> NDArray[np.bool_]:
        """Of each subject, whether the graph may have had it; from now on it has.

        Two parts of an id, a hash, will do; mixed with the graph's number.
        """
        parts = ids.view("<u4").reshape(-1, 4)[:, 2:] ^ np.uint32(graph * _MIX & 0xFFFFFFFF)
        first, second = (parts % np.uint32(_SUBJECTS)).T
        seen: NDArray[np.bool_] = self._seen[first] & self._seen[second]
        self._seen[first] = self._seen[second] = True
        return seen


@dataclass(eq=False)
class StagedGraph:
    """A graph that is being loaded, with what it had before."""

    writer: BatchWriter
    subjects: Subjects
    number: int
    name: str  # with the number instead of a Scope: there may be very many graphs
    recount: bool
    """Nobody knows how much of it was there before, so it is counted at the end."""
    _predicates: Counter[bytes] = field(default_factory=Counter)
    _dictionary: int = 0  # bytes of keys and forms

    @classmethod
    def begin(cls, writer: BatchWriter, subjects: Subjects, name: str) -> Self:
        """A new scope, which has what the graph of that name has now.

        Raises InvalidArgumentError for a name that no graph can have.
        """
        store, old = writer.store, None
        scopes.check_name(name, "rdf")
        if store.get(keys.SCOPE_TABLE + name.encode()) is not None:
            old = scopes.open_scope(
                store, name, kind="rdf", decay=0, created=0, analyser=0, create=False
            )
        number = int.from_bytes(store.get(keys.LAST_SCOPE) or b"", "big") + 1
        scope = number.to_bytes(4, "big")
        store.commit({keys.LAST_SCOPE: scope, loaded(number): b""})
        if old is not None:
            for space in (Space.DICTIONARY, *ORDERS):
                rows = store.range(*keys.under(old.prefix(space)))
                writer.write_all((scope + key[4:], value) for key, value in rows)
            writer.flush()
            store.flush()
        store.commit({loaded(number): name.encode()})
        return cls(writer, subjects, number, name, recount=old is not None)

    def write(self, vocabulary: Vocabulary, triples: Ranks) -> None:
        """Write sorted triples and their terms, in the order of the keys. Raises CollisionError."""
        columns = runs.unpacked(triples)
        seen = self.subjects.add(self.number, vocabulary.ids[columns[0]])
        entered = vocabulary.entered(np.concatenate(columns))
        if self.recount or self._predicates:  # it has some already
            # In one run too: a graph may be named, and be the one for what names none.
            self.writer.flush()
            entered = self._unknown(vocabulary, entered)
            if not self.recount:
                known = [~np.isin(column, entered) for column in columns[1:]]
                maybe = np.flatnonzero(seen & known[0] & known[1])
                triples = np.delete(triples, self._there(vocabulary, triples, maybe))
                columns = runs.unpacked(triples)
        for order in ORDERS:
            # PLACES says where subject, predicate and object stand; here it is what stands first.
            rows = runs.packed([columns[PLACES[order].index(place)] for place in range(3)])
            if order is not Space.SPO:
                rows.sort()
            for block in vocabulary.keys(self._prefix(order), runs.unpacked(rows)):
                self.writer.write(zip(block, repeat(b"")))
        forms = [vocabulary.forms[rank] for rank in entered.tolist()]
        self._dictionary += len(forms) * _ENTRY + sum(map(len, forms))
        rest = iter(forms)  # as many as keys, block by block
        for block in vocabulary.keys(self._prefix(Space.DICTIONARY), [entered]):
            self.writer.write(zip(block, rest, strict=False))
        for rank, count in zip(*np.unique(columns[1], return_counts=True), strict=True):
            self._predicates[vocabulary.ids[rank].tobytes()] += int(count)

    def _unknown(self, vocabulary: Vocabulary, entered: Ranks) -> Ranks:
        """Those of the terms that the dictionary has not yet."""
        unknown: list[int] = []
        found = self._values(vocabulary, Space.DICTIONARY, [entered])
        for rank, form in zip(entered.tolist(), found, strict=True):
            if form is None:
                unknown.append(rank)
            elif form != vocabulary.forms[rank]:
                raise runs.collision(vocabulary.forms[rank], form)
        return np.array(unknown, np.uint64)

    def _there(
        self, vocabulary: Vocabulary, triples: Ranks, maybe: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Those of the triples that may be there which are, so that it need not be counted.

        Where so many may be there that looking takes longer, it will be counted.
        """
        if len(maybe) > _MOST_LOOKED_UP * len(triples):
            self.recount = True
            return maybe[:0]
        found = self._values(vocabulary, Space.SPO, runs.unpacked(triples[maybe]))
        there: NDArray[np.intp] = maybe[np.array([value is not None for value in found], bool)]
        return there

    def _values(
        self, vocabulary: Vocabulary, space: Space, columns: Sequence[Ranks]
    ) -> Iterator[bytes | None]:
        for block in vocabulary.keys(self._prefix(space), columns):
            yield from self.writer.store.get_many(block)

    def _prefix(self, space: Space) -> bytes:
        return keys.prefix(self.number, space)

    def finish(self) -> int:
        """Write its counters; how many triples it has."""
        if self.recount:
            self._count()
        scope = Scope(self.number, self.name, "rdf", 0.0, time.time_ns() // 1000, 0)
        state = ScopeState(triples=self._predicates.total())
        state.live_bytes = (
            len(scope.prefix(Space.META)) + len(scope.meta) + _TRIPLE * state.triples
            + self._dictionary + (_ENTRY + 8) * len(self._predicates)
        )  # fmt: skip
        statistic = scope.prefix(Space.STATISTIC)
        own = [(scope.prefix(Space.META), scope.meta), (scope.prefix(Space.STATE), state.pack())]
        counts = ((statistic + p, keys.u64(n)) for p, n in self._predicates.items())
        self.writer.write_all(chain(counts, own))
        return state.triples

    def _count(self) -> None:
        triples = self.writer.store.keys(*keys.under(self._prefix(Space.PSO)))
        self._predicates = Counter(key[5:21] for key in triples)
        rows = self.writer.store.range(*keys.under(self._prefix(Space.DICTIONARY)))
        self._dictionary = sum(len(key) + len(form) for key, form in rows)

    def naming(self) -> dict[bytes, bytes | None]:
        """The batch behind which readers find this scope as the graph, and no other."""
        entry = keys.SCOPE_TABLE + self.name.encode()
        batch = {entry: self.number.to_bytes(4, "big"), loaded(self.number): None}
        if (old := self.writer.store.get(entry)) is not None:
            batch[scopes.dropping(int.from_bytes(old, "big"))] = b""
        return batch
