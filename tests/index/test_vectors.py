"""A vector of another time, model or node: what is near the cue is then somebody else's memory."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.util import find_spec
from threading import Event, Thread
from typing import Any, ClassVar

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from numpy.typing import NDArray

from graphmem.errors import CorruptError, EmbedderError
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors import index as vectors
from graphmem.index.vectors.index import Nearest, VectorIndex
from graphmem.index.vectors.records import VectorState, quantized, unpacked
from graphmem.storage.store import Store, StoreSnapshot

DIMENSIONS = 8
NODES = st.integers(1, 6)
SEEDS = st.integers(0, 1 << 32)
Plain = dict[int, NDArray[np.float32]]


def opened(store: Store) -> Scope:
    return scopes.open_scope(
        store, "agent", kind="memory", decay=0.03, created=1, analyser=1, create=True
    )


class Index(VectorIndex):
    """An index that says where it is kept."""

    def __init__(self, store: Store, scope: Scope) -> None:
        super().__init__(store, scope)
        self.store, self.scope = store, scope


def unit(seed: int, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)
    return drawn / np.linalg.norm(drawn)


CUE = unit(7)


def kept(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """A vector as the bytes tell it."""
    scale, row = quantized(vector)
    return row.astype(np.float32) * np.float32(scale)


def found(index: Index, snapshot: StoreSnapshot, held: Any) -> Nearest | None:
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
    asked = range(1, 8)
    assert nearest.shares(asked) == pytest.approx(
        {node: shares[node] for node in asked if node in shares}, abs=1e-3
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
    """A cosine of E5 spans 0.1 in all: what the bytes lose of it must be far less."""
    vector = unit(seed, dimensions)
    as_kept = kept(vector)
    assert np.linalg.norm(as_kept) == pytest.approx(1.0, abs=1e-5)
    assert float(as_kept @ vector) > 0.999


class VectorMachine(RuleBasedStateMachine):
    """The index against a dict: written, removed, tidied, opened again, read at old snapshots."""

    patched: ClassVar[dict[str, float]] = {}

    @initialize()
    def start(self) -> None:
        self.patch = pytest.MonkeyPatch()
        for name, value in self.patched.items():
            self.patch.setattr(vectors, name, value)
        self.store = Store.open(None)
        self.scope = opened(self.store)
        self.index = Index(self.store, self.scope)
        assert self.index.use("model", DIMENSIONS)
        self.plain: Plain = {}
        self.old: list[tuple[StoreSnapshot, Any, Plain]] = []

    def teardown(self) -> None:
        with suppress(AttributeError):
            self.patch.undo()
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

    @rule(node=NODES, seed=SEEDS, removed=st.booleans())
    def fail(self, node: int, seed: int, removed: bool) -> None:
        """A batch that the engine refuses leaves the vectors as they were."""

        def refuse(sequence: int) -> Any:
            raise KeyboardInterrupt

        with suppress(KeyboardInterrupt), Transaction(self.store, self.scope) as tx:
            if removed:
                self.index.remove(tx, node)
            self.index.put(tx, node, *quantized(unit(seed)))
            tx.publish(refuse)

    @rule()
    def tidy(self) -> None:
        if self.index._table is not None:
            self.index._table.lost += vectors._LOST
        self.index.tidy()

    @rule()
    def link(self) -> None:
        self.index.link()

    @rule()
    def reopen(self) -> None:
        self.scope = opened(self.store)
        self.index = Index(self.store, self.scope)
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
            mean = held.means(held.count)[0] if held.count else nothing
            compare(found(self.index, snapshot, held), plain, mean)
        state = self.index.state
        assert state.vectors == len(self.plain)


TestVectors = VectorMachine.TestCase


class LinkedVectorMachine(VectorMachine):
    """The same out of a graph, a few rows of which join it at a time."""

    patched: ClassVar[dict[str, float]] = {"EXACT": 0, "_LINKED_AT_ONCE": 2, "_STEP": 0.001}


with_usearch = pytest.mark.skipif(find_spec("usearch") is None, reason="usearch is not installed")
TestLinkedVectors = with_usearch(LinkedVectorMachine.TestCase)


@pytest.fixture
def index() -> Index:
    store = Store.open(None)
    made = Index(store, opened(store))
    made.use("model", DIMENSIONS)
    return made


def put(index: Index, node: int, seed: int = 0, dimensions: int = DIMENSIONS) -> None:
    with Transaction(index.store, index.scope) as tx:
        index.put(tx, node, *quantized(unit(seed, dimensions)))


def nearest(index: Index) -> Nearest | None:
    with index.store.snapshot() as snapshot:
        return index.nearest(index.hold(), snapshot.sequence, CUE)


def test_many_rows_are_searched_in_blocks_as_one(index: Index) -> None:
    """The seams between blocks, growing and a cue asked again must not show."""
    count = 2 * vectors._BLOCK + 300
    before: Nearest | None = None
    plain: Plain = {}
    for first in range(0, count, 400):
        with Transaction(index.store, index.scope) as tx:
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


def test_the_mean_of_many_follows_in_steps(index: Index) -> None:
    """Taken anew with every text it would cost each recall of a busy agent a second search."""
    with Transaction(index.store, index.scope) as tx:
        for node in range(1, 1001):
            index.put(tx, node, *quantized(unit(node)))
    held = index.hold()
    assert held is not None
    mean = held.means(held.count)[0]
    put(index, 1001, 1001)
    assert held.means(held.count)[0] is mean
    for node in range(1002, 1021):
        put(index, node, node)
    anew = held.means(held.count)[0]
    rows = [kept(unit(node)) for node in range(1, 1021)]
    assert anew == pytest.approx(np.mean(rows, 0), abs=1e-5)


def test_readers_at_one_snapshot_find_the_same(index: Index) -> None:
    """What others write between two looks at one state must not move what is near."""
    with Transaction(index.store, index.scope) as tx:
        for node in range(1, 1001):
            index.put(tx, node, *quantized(unit(node)))
    held = index.hold()
    with index.store.snapshot() as snapshot:
        first = found(index, snapshot, held)
        for node in (1001, 1002, 7):
            put(index, node, 10 * node)
        with Transaction(index.store, index.scope) as tx:
            index.remove(tx, 9)
        second = found(index, snapshot, held)
    assert first is not None
    assert second is not None
    assert second.best(1000) == first.best(1000)
    assert second.distinction == first.distinction
    assert second.shares([7, 9, 1001]) == first.shares([7, 9, 1001])


def test_another_model_is_never_mixed_in(index: Index) -> None:
    """Two models' vectors have nothing to do with each other, whatever their cosine says."""
    with Transaction(index.store, index.scope) as tx:
        tx.state.next_node = 10
        for node in (1, 2, 9):
            tx.put(index.scope.prefix(Space.NODE) + keys.u64(node), b"there")
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
    again = Index(index.store, index.scope)
    again.use("another", DIMENSIONS)
    assert again.state.generation == 2
    held = nearest(again)
    assert held is not None
    assert held.count == 1


def test_the_same_name_with_other_dimensions_is_another_model(index: Index) -> None:
    put(index, 1)
    index.use("model", DIMENSIONS + 1)
    assert index.state.generation == 2


def test_a_backlog_of_many_pages_is_queued_whole(index: Index) -> None:
    """A switch of models may be interrupted between any two pages."""
    many = 2 * vectors._BACKLOG_PAGE + 3
    with Transaction(index.store, index.scope) as tx:
        tx.state.next_node = many + 1
        for node in range(1, many + 1):
            tx.put(index.scope.prefix(Space.NODE) + keys.u64(node), b"there")
    index.use("another", DIMENSIONS)
    while index.queue_backlog():
        index = Index(index.store, opened(index.store))
        index.use("another", DIMENSIONS)
    assert list(index.waiting()) == list(range(1, many + 1))


def test_wrong_lengths_are_named(index: Index) -> None:
    put(index, 1)
    with pytest.raises(EmbedderError, match="9 dimensions where the others have 8"):
        put(index, 2, dimensions=9)
    with (
        index.store.snapshot() as snapshot,
        pytest.raises(EmbedderError, match="cue's vector has 5 dimensions"),
    ):
        index.nearest(index.hold(), snapshot.sequence, unit(0, 5))


def test_without_a_model_the_store_stays_in_step() -> None:
    """Opened without vectors, a forgotten node must not keep its vector, nor a changed one its."""
    store = Store.open(None)
    index = Index(store, opened(store))
    with Transaction(store, index.scope) as tx:
        index.changed(tx, 1)  # never used: nothing to keep in step
        index.remove(tx, 1)
    assert index.state == VectorState()
    index.use("model", DIMENSIONS)
    put(index, 1)
    put(index, 2)
    silent = Index(store, index.scope)
    with Transaction(store, silent.scope) as tx:
        silent.changed(tx, 1)
        silent.remove(tx, 2)
    assert silent.hold() is None
    assert (silent.state.vectors, silent.state.waiting) == (1, 1)


def test_one_vector_alone_is_near_nothing(index: Index) -> None:
    """There is nothing to measure it against, so its share says nothing."""
    put(index, 1)
    alone = nearest(index)
    assert alone is not None
    assert (alone.best(5), alone.shares([1]), alone.distinction) == ({}, {1: 0.0}, 0.0)


@pytest.mark.parametrize("is_tidied", [False, True])
@pytest.mark.parametrize("is_han", [False, True])
def test_each_script_is_seen_from_its_own_mean(index: Index, is_han: bool, is_tidied: bool) -> None:
    """Told by one measure, what is said in the language of the cue hides all that is in another;
    so it was after many changes, if the table forgot which vectors are of which script."""
    shift = {False: 0.4 * unit(101), True: 0.9 * unit(102)}  # what the texts of a script share
    scripts = {node: node % 3 == 0 for node in range(1, 31)}
    plain: Plain = {}
    with Transaction(index.store, index.scope) as tx:
        for node, script in scripts.items():
            vector = unit(node) + shift[script]
            scale, row = quantized(vector / np.linalg.norm(vector))
            index.put(tx, node, -scale if script else scale, row)
            plain[node] = row.astype(np.float32) * np.float32(scale)
    table = index._table
    assert table is not None
    if is_tidied:
        table.lost += vectors._LOST
        index.tidy()
    assert (index._table is not table) is is_tidied
    with index.store.snapshot() as snapshot:
        seen = index.nearest(index.hold(), snapshot.sequence, CUE, is_han)
    assert seen is not None
    of = {script: [n for n in plain if scripts[n] is script] for script in (False, True)}
    every = np.mean(list(plain.values()), 0)
    means = {
        script: (sum(plain[n] for n in nodes) + vectors._LEANING * every)
        / (len(nodes) + vectors._LEANING)
        for script, nodes in of.items()
    }

    def cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
        return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))

    centred = {node: vector - means[scripts[node]] for node, vector in plain.items()}
    cosines = {node: cosine(vector, CUE - means[is_han]) for node, vector in centred.items()}
    spread = {}
    for script, nodes in of.items():
        own = np.std([cosines[node] for node in nodes])
        wide = max(own, np.std(list(cosines.values())) / 2)
        spread[script] = wide * (2 * np.log(len(nodes))) ** 0.5
    above = {
        node: (value - np.mean([cosines[n] for n in of[scripts[node]]])) / spread[scripts[node]]
        for node, value in cosines.items()
    }
    most = max(above.values())
    shares = {node: float(np.clip(value / most, 0, 1)) for node, value in above.items()}
    assert seen.shares(plain) == pytest.approx(shares, abs=2e-3)
    assert seen.distinction == pytest.approx(most, rel=1e-3)
    assert seen.across([*plain, 99]) == set(of[not is_han])
    alike = {node: cosine(centred[2], centred[node]) for node in (1, 3, 6)}
    assert seen.alike(2, (1, 3, 6, 99)) == pytest.approx(alike, abs=1e-3)
    assert seen.alike(99, (1, 3)) == {}


@given(st.binary(max_size=40))
def test_rubbish_in_the_store_is_named(record: bytes) -> None:
    with suppress(CorruptError):
        unpacked(record)
    store = Store.open(None)
    scope = opened(store)
    store.commit({scope.prefix(Space.VECTOR_STATE): record})
    with suppress(CorruptError):
        VectorState.read(store, scope)


# -- the graph ------------------------------------------------------------------------------------

MANY = 3000
CUES = 40


def texts_like(count: int, seed: int) -> NDArray[np.float32]:
    """Vectors as texts have them: of topics, in few directions, with a large part in common."""
    draw = np.random.default_rng(seed)
    topics = np.random.default_rng(0).standard_normal((MANY // 30, DIMENSIONS))
    rows = 3 + topics[draw.integers(0, len(topics), count)]
    rows += 0.5 * draw.standard_normal((count, DIMENSIONS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def put_many(index: Index, rows: NDArray[np.float32], first: int = 1) -> None:
    with Transaction(index.store, index.scope) as tx:
        for node, row in enumerate(rows, first):
            index.put(tx, node, *quantized(row))


def remove_many(index: Index, nodes: Any) -> None:
    with Transaction(index.store, index.scope) as tx:
        for node in nodes:
            index.remove(tx, node)


def link(index: Index) -> None:
    while index.link():
        pass


def near(index: Index, cue: NDArray[np.float32]) -> Nearest:
    with index.store.snapshot() as snapshot:
        found = index.nearest(index.hold(), snapshot.sequence, cue)
    assert found is not None
    return found


def plainly(index: Index, plain: Plain, cue: NDArray[np.float32], count: int) -> list[int]:
    """The nearest by brute force, the nearest first."""
    held = index.hold()
    assert held is not None
    mean = held.means(held.count)[0].astype(float)
    rows = np.array(list(plain.values()), float) - mean
    cosines = rows @ (cue - mean) / np.linalg.norm(rows, axis=1)
    nodes = np.array(list(plain))
    return nodes[np.argsort(-cosines)[:count]].tolist()


def recall_at_10(index: Index, plain: Plain) -> float:
    shares = []
    for cue in texts_like(CUES, 99):
        wanted = plainly(index, plain, cue, 10)
        shares.append(len(set(near(index, cue).best(10)) & set(wanted)) / len(wanted))
    return float(np.mean(shares))


@pytest.fixture
def linked(index: Index, monkeypatch: pytest.MonkeyPatch) -> tuple[Index, Plain]:
    """More vectors than are compared one by one, in a graph."""
    if find_spec("usearch") is None:
        pytest.skip("usearch is not installed")
    monkeypatch.setattr(vectors, "EXACT", MANY // 2)
    monkeypatch.setattr(vectors, "_UNLINKED", 100)
    monkeypatch.setattr(vectors, "_LINKED_AT_ONCE", 100)
    monkeypatch.setattr(vectors, "_STEP", 1)
    rows = texts_like(MANY, 1)
    put_many(index, rows)
    assert index.search == "exact"
    link(index)
    assert index.search == "approximate"
    return index, {node: kept(row) for node, row in enumerate(rows, 1)}


def test_few_vectors_make_no_graph(index: Index) -> None:
    put_many(index, texts_like(MANY, 1))
    assert not index.link()
    assert index.search == "exact"


def test_the_graph_finds_what_comparing_all_of_them_does(
    linked: tuple[Index, Plain], monkeypatch: pytest.MonkeyPatch
) -> None:
    index, plain = linked
    assert recall_at_10(index, plain) >= 0.98
    cue = texts_like(1, 98)[0]
    told = near(index, cue)
    monkeypatch.setattr(vectors._Table, "is_linked", False)
    exact = near(index, cue)
    assert told.count == exact.count == MANY
    assert told.distinction == pytest.approx(exact.distinction, rel=0.1)
    nodes = (*range(1, 50), 2000, MANY + 1)
    assert told.shares(nodes) == pytest.approx(exact.shares(nodes), abs=1e-5)


def test_what_comes_and_goes_is_told_at_once(linked: tuple[Index, Plain]) -> None:
    """The graph lags behind: a new memory must be found, and a forgotten one not, nevertheless."""
    index, _ = linked
    cue = texts_like(1, 98)[0]
    before = index.store.snapshot()
    nearest = next(iter(sorted(near(index, cue).best(10).items(), key=lambda found: -found[1])))[0]
    put_many(index, cue[None], MANY + 1)
    remove_many(index, [nearest])
    assert index.search == "approximate"
    found = near(index, cue).best(10)
    assert found[MANY + 1] == 1.0
    assert nearest not in found
    with before:
        then = index.nearest(index.hold(), before.sequence, cue)
    assert then is not None
    assert then.best(10)[nearest] == 1.0
    assert MANY + 1 not in then.best(MANY)
    assert (then.shares([MANY + 1]), near(index, cue).shares([nearest])) == ({}, {})


def test_the_gone_do_not_crowd_out_what_is_there(linked: tuple[Index, Plain]) -> None:
    """What is forgotten stays in the graph, and may be all that lies near a cue."""
    index, plain = linked
    cue = texts_like(1, 98)[0]
    gone = plainly(index, plain, cue, MANY - 20)
    remove_many(index, gone)
    for node in gone:
        del plain[node]
    more = -texts_like(80, 2)  # not in the graph, and far off
    put_many(index, more, MANY + 1)
    plain |= {node: kept(row) for node, row in enumerate(more, MANY + 1)}
    assert index.search == "approximate"
    assert near(index, cue).count == 100
    assert set(near(index, cue).best(5)) == set(plainly(index, plain, cue, 5))


def test_a_flood_is_compared_one_by_one_until_the_graph_has_caught_up(
    linked: tuple[Index, Plain],
) -> None:
    index, plain = linked
    more = texts_like(1000, 2)
    put_many(index, more, MANY + 1)
    plain |= {node: kept(row) for node, row in enumerate(more, MANY + 1)}
    assert index.search == "exact"
    assert recall_at_10(index, plain) == 1.0
    link(index)
    assert index.search == "approximate"
    assert recall_at_10(index, plain) >= 0.98


@pytest.mark.slow
def test_many_changes_leave_the_graph_as_good_as_new(linked: tuple[Index, Plain]) -> None:
    """Each round rewrites, forgets and adds a third, and the table is written anew in between."""
    index, plain = linked
    for turn in range(6):
        rewritten = [node for node in plain if node % 3 == turn % 3]
        rows = texts_like(len(rewritten), 10 + turn)
        with Transaction(index.store, index.scope) as tx:
            for node, row in zip(rewritten, rows, strict=True):
                index.put(tx, node, *quantized(row))
                plain[node] = kept(row)
        gone = [node for node in plain if node % 7 == turn]
        remove_many(index, gone)
        for node in gone:
            del plain[node]
        first = max(plain) + 1
        more = texts_like(len(gone), 20 + turn)
        put_many(index, more, first)
        plain |= {node: kept(row) for node, row in enumerate(more, first)}
        index.tidy()
        link(index)
        assert index.search == "approximate"
        assert recall_at_10(index, plain) >= 0.98
    assert near(index, CUE).count == len(plain) == index.state.vectors


def test_another_model_begins_without_a_graph(linked: tuple[Index, Plain]) -> None:
    index, _ = linked
    index.use("another", DIMENSIONS)
    assert (index.search, index.link()) == ("exact", False)
    put_many(index, texts_like(MANY, 3))
    link(index)
    plain = {node: kept(row) for node, row in enumerate(texts_like(MANY, 3), 1)}
    assert recall_at_10(index, plain) >= 0.98


def test_a_cue_in_the_middle_of_all_is_answered(
    linked: tuple[Index, Plain], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen from the mean it has no direction."""
    index, _ = linked
    cue = unit(3)
    monkeypatch.setattr(vectors._Table, "means", lambda table, count: (cue, cue))
    assert near(index, cue).best(10) == {}


def test_one_thread_links_while_others_search(linked: tuple[Index, Plain]) -> None:
    index, plain = linked
    done = Event()
    wrong: list[Any] = []

    def search() -> None:
        draw = np.random.default_rng()
        while not done.is_set():
            node = int(draw.integers(1, MANY + 1))
            share = near(index, plain[node]).best(10).get(node)
            if share != 1.0:
                wrong.append((node, share))

    threads = [Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for first in range(MANY + 1, 2 * MANY, 200):
        put_many(index, texts_like(200, first), first)
        link(index)
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_without_usearch_all_are_compared(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "EXACT", 5)
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    put_many(index, texts_like(10, 1))
    assert not index.link()
    assert index.search == "exact"
    assert len(near(index, CUE).best(3)) == 3


def test_a_graph_that_fails_is_given_up(
    index: Index, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The library may have no room; the memory is then as slow as without, and not wrong."""

    class Full:
        count = 0

        def __init__(self, centre: object) -> None: ...

        def add(self, vectors: object) -> None:
            raise ValueError("Out of memory!")

    monkeypatch.setattr(vectors, "EXACT", 5)
    monkeypatch.setattr(vectors, "Hnsw", Full)
    put_many(index, texts_like(10, 1))
    assert not index.link()
    assert not index.link()
    assert index.search == "exact"
    assert [record.message for record in caplog.records] == [
        "vectors are searched exactly, which takes longer: Out of memory!"
    ]
    assert len(near(index, CUE).best(3)) == 3
