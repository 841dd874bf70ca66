"""A vector of another time, model or node: what is near the cue is then somebody else's memory."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from numpy.typing import NDArray

from graphmem.errors import CorruptError, EmbedderError
from graphmem.hexastore import scopes
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index import vectors
from graphmem.index.vectors import Nearest, VectorIndex, VectorState, quantized
from graphmem.storage.store import Store, StoreSnapshot

DIMENSIONS = 8
NODES = st.integers(1, 6)
SEEDS = st.integers(0, 1 << 32)
Plain = dict[int, NDArray[np.float32]]


def opened(store: Store) -> Scope:
    return scopes.open_scope(
        store, "agent", kind="memory", decay=0.03, created=1, analyser=1, create=True
    )


def unit(seed: int, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)
    return drawn / np.linalg.norm(drawn)


CUE = unit(7)


def kept(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """A vector as the bytes tell it."""
    scale, row = quantized(vector)
    return row.astype(np.float32) * np.float32(scale)


def found(index: VectorIndex, snapshot: StoreSnapshot, held: Any) -> Nearest | None:
    return index.nearest(held, snapshot.sequence, CUE)


def compare(nearest: Nearest | None, plain: Plain, mean: NDArray[np.float32]) -> None:
    """The shares are those of the cosines of a plain dict, seen from `mean`."""
    if nearest is None:
        assert not plain
        return
    assert nearest.count == len(plain)
    cosines = {node: seen_from(mean, vector) for node, vector in plain.items()}
    most = max(cosines.values(), default=0.0)
    shares = {
        node: max(0.0, cosine / most) if most > vectors._LEAST else 0.0
        for node, cosine in cosines.items()
    }
    for node in range(1, 8):
        assert nearest.share(node) == (
            pytest.approx(shares[node], abs=1e-3) if node in shares else None
        )
    best = sorted(shares.values(), reverse=True)[:2]
    told = sorted(nearest.best(2).values(), reverse=True)
    assert [*told, 0.0, 0.0][: len(best)] == pytest.approx(best, abs=1e-3)


def seen_from(mean: NDArray[np.float32], vector: NDArray[np.float32]) -> float:
    one, other = vector.astype(float) - mean, CUE.astype(float) - mean
    least = vectors._APART**0.5
    return float(one @ other) / max(least, np.linalg.norm(one)) / max(least, np.linalg.norm(other))


@given(st.integers(0, 1 << 32), st.integers(1, 400))
def test_bytes_keep_the_direction(seed: int, dimensions: int) -> None:
    """A cosine of E5 spans .1 in all: what the bytes lose of it must be far less."""
    vector = unit(seed, dimensions)
    as_kept = kept(vector)
    assert np.linalg.norm(as_kept) == pytest.approx(1.0, abs=1e-5)
    assert float(as_kept @ vector) > 0.999


class VectorMachine(RuleBasedStateMachine):
    """The index against a dict: written, removed, tidied, opened again, read at old snapshots."""

    @initialize()
    def start(self) -> None:
        self.store = Store.open(None)
        self.scope = opened(self.store)
        self.index = VectorIndex(self.store, self.scope)
        assert self.index.use("model", DIMENSIONS)
        self.plain: Plain = {}
        self.old: list[tuple[StoreSnapshot, Any, Plain]] = []

    def teardown(self) -> None:
        with suppress(AttributeError):
            self.store.close()

    @rule(node=NODES, seed=SEEDS)
    def put(self, node: int, seed: int) -> None:
        with Transaction(self.store, self.scope) as tx:
            self.index.put(tx, node, *quantized(unit(seed)))
        self.plain[node] = kept(unit(seed))

    @rule(node=NODES)
    def remove(self, node: int) -> None:
        with Transaction(self.store, self.scope) as tx:
            self.index.remove(tx, node)
        self.plain.pop(node, None)

    @rule(node=NODES, seed=SEEDS)
    def fail(self, node: int, seed: int) -> None:
        """A batch that the engine refuses leaves the vectors as they were."""

        def refuse(sequence: int) -> Any:
            raise KeyboardInterrupt

        with suppress(KeyboardInterrupt), Transaction(self.store, self.scope) as tx:
            self.index.remove(tx, node)
            self.index.put(tx, node, *quantized(unit(seed)))
            tx.publish(refuse)

    @rule()
    def tidy(self) -> None:
        if self.index._table is not None:
            self.index._table.lost += vectors._LOST
        self.index.tidy()

    @rule()
    def reopen(self) -> None:
        self.scope = opened(self.store)
        self.index = VectorIndex(self.store, self.scope)
        self.index.use("model", DIMENSIONS)

    @rule()
    def look(self) -> None:
        held = self.index.hold()
        self.old = [*self.old[-3:], (self.store.snapshot(), held, dict(self.plain))]

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "index"):
            return
        held = self.index.hold()
        assert held is not None
        nothing = np.zeros(DIMENSIONS, np.float32)
        mean = np.mean(list(self.plain.values()) or [nothing], 0)
        with self.store.snapshot() as snapshot:
            compare(found(self.index, snapshot, held), self.plain, mean)
        for snapshot, held, plain in self.old:  # seen from the mean of now
            mean = held.mean(held.count) if held.count else nothing
            compare(found(self.index, snapshot, held), plain, mean)
        state = self.index.state
        assert state.vectors == len(self.plain)


TestVectors = VectorMachine.TestCase


@pytest.fixture
def index() -> VectorIndex:
    store = Store.open(None)
    made = VectorIndex(store, opened(store))
    made.use("model", DIMENSIONS)
    return made


def put(index: VectorIndex, node: int, seed: int = 0, dimensions: int = DIMENSIONS) -> None:
    with Transaction(index._store, index._scope) as tx:
        index.put(tx, node, *quantized(unit(seed, dimensions)))


def nearest(index: VectorIndex) -> Nearest | None:
    with index._store.snapshot() as snapshot:
        return index.nearest(index.hold(), snapshot.sequence, CUE)


def test_many_rows_are_searched_in_blocks_as_one(index: VectorIndex) -> None:
    """The seams between blocks, growing and a cue asked again must not show."""
    count = 2 * vectors._BLOCK + 300
    before: Nearest | None = None
    plain: Plain = {}
    for first in range(0, count, 400):
        with Transaction(index._store, index._scope) as tx:
            for node in range(first + 1, min(first + 400, count) + 1):
                index.put(tx, node, *quantized(unit(node)))
                plain[node] = kept(unit(node))
        before = nearest(index)  # asked again and again: only what came since is computed
    assert before is not None
    mean = np.mean(list(plain.values()), 0)
    cosines = {node: seen_from(mean, vector) for node, vector in plain.items()}
    order = sorted(cosines, key=cosines.__getitem__, reverse=True)[:50]
    assert set(before.best(50)) == set(order)
    assert max(before.best(50).values()) == pytest.approx(1.0)


def test_the_mean_of_many_follows_in_steps(index: VectorIndex) -> None:
    """Taken anew with every text it would cost each recall of a busy agent a second search."""
    with Transaction(index._store, index._scope) as tx:
        for node in range(1, 1001):
            index.put(tx, node, *quantized(unit(node)))
    held = index.hold()
    assert held is not None
    mean = held.mean(held.count)
    put(index, 1001, 1001)
    assert held.mean(held.count) is mean
    for node in range(1002, 1021):
        put(index, node, node)
    anew = held.mean(held.count)
    rows = [kept(unit(node)) for node in range(1, 1021)]
    assert anew == pytest.approx(np.mean(rows, 0), abs=1e-5)


def test_readers_at_one_snapshot_find_the_same(index: VectorIndex) -> None:
    """What others write between two looks at one state must not move what is near."""
    with Transaction(index._store, index._scope) as tx:
        for node in range(1, 1001):
            index.put(tx, node, *quantized(unit(node)))
    held = index.hold()
    with index._store.snapshot() as snapshot:
        first = found(index, snapshot, held)
        for node in (1001, 1002, 7):
            put(index, node, 10 * node)
        with Transaction(index._store, index._scope) as tx:
            index.remove(tx, 9)
        second = found(index, snapshot, held)
    assert first is not None
    assert second is not None
    assert second.best(1000) == first.best(1000)
    assert second.distinction == first.distinction
    assert [second.share(n) for n in (7, 9, 1001)] == [first.share(n) for n in (7, 9, 1001)]


def test_another_model_is_never_mixed_in(index: VectorIndex) -> None:
    """Two models' vectors have nothing to do with each other, whatever their cosine says."""
    with Transaction(index._store, index._scope) as tx:
        tx.state.next_node = 10
        for node in (1, 2, 9):
            tx.put(index._key(Space.NODE, node), b"there")
    for node in (1, 2, 9):
        put(index, node, node)
    assert index.use("another", DIMENSIONS)
    assert nearest(index) is None
    assert index.state.vectors == 0
    assert index.queue_backlog()
    assert list(index.waiting()) == [1, 2, 9]
    assert not index.queue_backlog()
    put(index, 2)
    seen = nearest(index)
    assert seen is not None
    assert seen.count == 1
    again = VectorIndex(index._store, index._scope)
    again.use("another", DIMENSIONS)
    assert again.state.generation == 2
    held = nearest(again)
    assert held is not None
    assert held.count == 1


def test_the_same_name_with_other_dimensions_is_another_model(index: VectorIndex) -> None:
    put(index, 1)
    index.use("model", DIMENSIONS + 1)
    assert index.state.generation == 2


def test_a_backlog_of_many_pages_is_queued_whole(index: VectorIndex) -> None:
    """A switch of models may be interrupted between any two pages."""
    many = 2 * vectors._BACKLOG_PAGE + 3
    with Transaction(index._store, index._scope) as tx:
        tx.state.next_node = many + 1
        for node in range(1, many + 1):
            tx.put(index._key(Space.NODE, node), b"there")
    index.use("another", DIMENSIONS)
    while index.queue_backlog():
        index = VectorIndex(index._store, opened(index._store))
        index.use("another", DIMENSIONS)
    assert list(index.waiting()) == list(range(1, many + 1))


def test_wrong_lengths_are_named(index: VectorIndex) -> None:
    put(index, 1)
    with pytest.raises(EmbedderError, match="9 dimensions where the others have 8"):
        put(index, 2, dimensions=9)
    with (
        index._store.snapshot() as snapshot,
        pytest.raises(EmbedderError, match="cue's vector has 5 dimensions"),
    ):
        index.nearest(index.hold(), snapshot.sequence, unit(0, 5))


def test_without_a_model_the_store_stays_in_step() -> None:
    """Opened without vectors, a forgotten node must not keep its vector, nor a changed one its."""
    store = Store.open(None)
    index = VectorIndex(store, opened(store))
    with Transaction(store, index._scope) as tx:
        index.changed(tx, 1)  # never used: nothing to keep in step
        index.remove(tx, 1)
    assert index.state == VectorState()
    index.use("model", DIMENSIONS)
    put(index, 1)
    put(index, 2)
    silent = VectorIndex(store, index._scope)
    with Transaction(store, silent._scope) as tx:
        silent.changed(tx, 1)
        silent.remove(tx, 2)
    assert silent.hold() is None
    assert (silent.state.vectors, silent.state.waiting) == (1, 1)


def test_one_vector_alone_is_near_nothing(index: VectorIndex) -> None:
    """There is nothing to measure it against, so its share says nothing."""
    put(index, 1)
    alone = nearest(index)
    assert alone is not None
    assert (alone.best(5), alone.share(1), alone.distinction) == ({}, 0.0, 0.0)


@given(st.binary(max_size=40))
def test_rubbish_in_the_store_is_named(record: bytes) -> None:
    with suppress(CorruptError):
        vectors.unpack(record)
    store = Store.open(None)
    scope = opened(store)
    store.commit({scope.prefix(Space.VECTOR_STATE): record})
    with suppress(CorruptError):
        VectorState.read(store, scope)
