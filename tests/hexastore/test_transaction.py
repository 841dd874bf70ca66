"""A transaction that half happens leaves counters, caches and rows that no longer agree."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from graphmem.errors import BrokenError, FullError
from graphmem.graph.relations import Relations
from graphmem.graph.view import words_of
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction, Undo
from graphmem.index.words.index import WordIndex
from graphmem.storage.engines import Kind
from graphmem.storage.store import Store


def opened() -> tuple[Store, Scope]:
    store = Store.open(None)
    scope = scopes.open_scope(
        store, "agent", kind="memory", decay=0.03, created=1, analyser=1, create=True
    )
    return store, scope


def everything(store: Store, scope: Scope) -> dict[bytes, bytes]:
    return dict(store.range(*keys.scope_range(scope.id)))


KEYS = st.binary(max_size=2)
WRITES = st.lists(st.tuples(KEYS, st.none() | st.binary(max_size=3)), max_size=10)


@given(before=WRITES, writes=WRITES, start=KEYS, stop=KEYS, reverse=st.booleans())
def test_a_transaction_reads_what_it_has_written(
    before: list[tuple[bytes, bytes | None]],
    writes: list[tuple[bytes, bytes | None]],
    start: bytes,
    stop: bytes,
    reverse: bool,
) -> None:
    """A step that does not see the one before it links to a node that it has just removed."""
    store, scope = opened()
    head = scope.prefix(Space.FRESH)
    plain: dict[bytes, bytes] = {}

    def write(tx: Transaction, key: bytes, value: bytes | None) -> None:
        assert tx.get(head + key) == plain.get(key)
        if value is None:
            assert tx.delete(head + key) == plain.pop(key, None)
        else:
            tx.put(head + key, value)
            plain[key] = value

    with Transaction(store, scope) as tx:
        for key, value in before:
            write(tx, key, value)
    live = scope.state.live_bytes
    with Transaction(store, scope) as tx:
        for key, value in writes:
            write(tx, key, value)
        expected = sorted(((head + k, v) for k, v in plain.items() if start <= k < stop))
        if reverse:
            expected.reverse()
        assert list(tx.range(head + start, head + stop, reverse)) == expected
        assert list(tx.keys(head + start, head + stop, reverse)) == [k for k, _ in expected]
        asked = [head + start, head + stop]
        assert tx.get_many(asked) == [plain.get(start), plain.get(stop)]
        assert scope.state.live_bytes == live, "the counters change with the commit, not before"
    assert {k[5:]: v for k, v in everything(store, scope).items() if k[4] == Space.FRESH} == plain
    size = sum(len(k) + len(v) for k, v in everything(store, scope).items() if k[4] != Space.STATE)
    assert scope.state.live_bytes == size
    assert scope.read_state(store) == scope.state


STEPS = st.lists(st.tuples(WRITES, st.sampled_from(("commits", "fails", "fails late"))), max_size=6)


@given(space=st.sampled_from((Space.OUT, Space.DICTIONARY, Space.FRESH)), steps=STEPS)
def test_the_next_transaction_reads_what_was_committed(
    space: Space, steps: list[tuple[list[tuple[bytes, bytes | None]], str]]
) -> None:
    """The writer keeps heads and dictionary: one kept from a failed write would lose links."""
    store, scope = opened()
    head = scope.prefix(space)
    plain: dict[bytes, bytes] = {}
    for writes, end in steps:
        change = dict(plain)
        with suppress(FailureError), Transaction(store, scope) as tx:
            for key, value in writes:
                assert tx.get(head + key) == change.get(key)
                if value is None:
                    tx.delete(head + key)
                    change.pop(key, None)
                else:
                    tx.put(head + key, value)
                    change[key] = value
            if end == "fails":
                raise FailureError
            if end == "fails late":
                tx.publish(broken)
        if end == "commits":
            plain = change
        assert {k[5:]: v for k, v in store.range(head, keys.after(head))} == plain
        with Transaction(store, scope) as tx:
            for key, _ in writes:
                assert tx.get(head + key) == plain.get(key)


def broken(sequence: int) -> Undo:
    raise FailureError


class FailureError(Exception):
    """Something goes wrong here."""


def fails_in_the_block(store: Store, patch: pytest.MonkeyPatch) -> Callable[[Transaction], None]:
    def fail(tx: Transaction) -> None:
        raise FailureError

    return fail


def fails_in_a_flush(store: Store, patch: pytest.MonkeyPatch) -> Callable[[Transaction], None]:
    def flush() -> None:
        raise FailureError

    return lambda tx: tx.before_commit(flush)


def fails_in_a_publisher(store: Store, patch: pytest.MonkeyPatch) -> Callable[[Transaction], None]:
    def publisher(sequence: int) -> Undo:
        raise FailureError

    return lambda tx: tx.publish(publisher)


def fails_in_the_engine(store: Store, patch: pytest.MonkeyPatch) -> Callable[[Transaction], None]:
    def commit(*args: Any, **kwargs: Any) -> None:
        raise FullError(28, "no space left")

    patch.setattr(store._engine, "commit", commit)
    return lambda tx: None


@pytest.mark.parametrize(
    "way", [fails_in_the_block, fails_in_a_flush, fails_in_a_publisher, fails_in_the_engine]
)
def test_nothing_is_left_of_a_transaction_that_fails(
    way: Callable[[Store, pytest.MonkeyPatch], Callable[[Transaction], None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A relation of a failed transaction kept its code without a record: links lost their name."""
    store, scope = opened()
    relations, index = Relations(store, scope), WordIndex(store, scope, words_of(scope))
    with Transaction(store, scope) as tx:
        index.put(tx, 1, ["tea"])
        relations.code(tx, "likes")
    before, state, fresh = everything(store, scope), copy(scope.state), index.pending
    with monkeypatch.context() as patch:
        fail = way(store, patch)

        def attempt() -> None:
            with Transaction(store, scope) as tx:
                tx.put(scope.prefix(Space.FOCUS), b"12345678")
                tx.state.passes += 1
                index.put(tx, 1, ["coffee"], ["tea"])
                index.put(tx, 2, ["milk"])
                code = relations.code(tx, "hates")
                assert relations.code(tx, "hates") == code
                fail(tx)

        with pytest.raises((FailureError, FullError)):
            attempt()
    assert everything(store, scope) == before
    assert scope.state == state
    assert index.pending == fresh
    assert relations.codes(["likes", "hates"]) == [64]
    assert relations.code_of(relations.term("hates")) is None
    with store.snapshot() as snapshot:
        reader = index.reader(snapshot, snapshot.sequence, index.hold())
        assert [reader.find(w).nodes.tolist() for w in ("tea", "coffee", "milk")] == [[1], [], []]


def test_after_a_failure_the_next_transaction_starts_clean() -> None:
    """What the failed one had in hand must not come out with the next commit."""
    store, scope = opened()
    relations = Relations(store, scope)

    def attempt() -> None:
        with Transaction(store, scope) as tx:
            relations.code(tx, "hates")
            raise FailureError

    with pytest.raises(FailureError):
        attempt()
    with Transaction(store, scope) as tx:
        assert relations.code(tx, "likes") == 64
    again = Relations(store, scope)
    assert again.name(64) == "likes"


def test_what_was_written_counts_although_an_interrupt_came_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ctrl-C between the write and its bookkeeping: undoing the counters would make them lie."""
    store, scope = opened()
    commit = store._engine.commit

    def interrupted(*args: Any, **kwargs: Any) -> None:
        commit(*args, **kwargs)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store._engine, "commit", interrupted)
        with pytest.raises(KeyboardInterrupt), Transaction(store, scope) as tx:
            tx.state.passes += 1
    assert scope.state.passes == 1
    assert scope.read_state(store) == scope.state
    with Transaction(store, scope) as tx:
        tx.state.passes += 1
    assert scope.read_state(store).passes == 2


def test_an_interrupt_as_the_bookkeeping_begins_loses_no_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next node got the id of one that was written, and both had a part in what was stored."""
    store, scope = opened()
    real, cut_short = Transaction._committed, []

    def interrupted(tx: Transaction) -> None:
        if not cut_short:
            cut_short.append(tx)
            raise KeyboardInterrupt
        real(tx)

    monkeypatch.setattr(Transaction, "_committed", interrupted)
    with pytest.raises(KeyboardInterrupt), Transaction(store, scope) as tx:
        tx.state.next_node = 7
    assert cut_short
    assert scope.state.next_node == scope.read_state(store).next_node == 7


def test_what_was_written_is_read_although_nothing_could_be_noted_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The writer keeps what it committed: an old value would be changed and written once more."""
    store, scope = opened()
    key = scope.prefix(Space.FOCUS)
    with Transaction(store, scope) as tx:
        tx.put(key, b"12345678")

    show = Transaction._committed
    came = iter((True,))

    def interrupted(tx: Transaction) -> None:
        if next(came, False):
            raise KeyboardInterrupt
        show(tx)

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "_committed", interrupted)
        with pytest.raises(KeyboardInterrupt), Transaction(store, scope) as tx:
            tx.put(key, b"87654321")
    with Transaction(store, scope) as tx:
        assert tx.get(key) == b"87654321"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a third one
@pytest.mark.parametrize("engine", ["leveldb", "lmdb"])
@pytest.mark.parametrize("moment", ["shown", "taken back", "numbered"])
def test_a_second_interrupt_breaks_the_store_or_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, engine: Kind
) -> None:
    """A second Ctrl-C, within the handling of the first, left in memory what was not stored, or a
    number that the next write took once more, and nobody was told."""

    def interrupted(*_: object) -> Any:
        raise KeyboardInterrupt

    def publish(sequence: int) -> Undo:
        return interrupted

    def write(value: bytes) -> None:
        with Transaction(store, scope) as tx:
            tx.publish(publish)
            tx.put(key, value)

    with Store.open(tmp_path / "m", engine=engine) as store:
        scope = scopes.open_scope(
            store, "agent", kind="memory", decay=0.03, created=1, analyser=1, create=True
        )
        key = scope.prefix(Space.FRESH) + b"1"
        commit = store._engine.commit

        def interrupted_commit(batch: dict[bytes, bytes | None], *, sync: bool = False) -> None:
            if moment == "numbered":
                commit(batch, sync=sync)
                patch.setattr("graphmem.storage.commit_keys.last", interrupted)
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            if moment == "shown":
                patch.setattr(Transaction, "_committed", interrupted)
            else:
                patch.setattr(store._engine, "commit", interrupted_commit)
            with pytest.raises(KeyboardInterrupt):
                write(b"whole")
        with pytest.raises(BrokenError, match="interrupts"):
            write(b"more")
    with Store.open(tmp_path / "m", engine=engine) as store:
        assert store.get(key) == (None if moment == "taken back" else b"whole")
        store.commit({scope.prefix(Space.FRESH) + b"2": b"on"})


def test_what_waits_for_a_commit_happens_once_and_nothing_is_taken_back() -> None:
    """A watcher was told twice of a change, or an index forgot what had been committed."""
    store, scope = opened()
    done: list[str] = []
    with Transaction(store, scope) as tx:
        tx.put(scope.prefix(Space.FRESH) + b"a", b"1")
        tx.on_failure(lambda: done.append("undone"))
        tx.publish(lambda sequence: lambda: done.append("hidden"))
        tx.after_commit(lambda: done.append("after"))
        tx.follow(lambda: done.append("followed"))
        assert not done
    assert done == ["after", "followed"]


def test_nothing_written_is_no_commit() -> None:
    """Reading under the writer lock would wear the disk, and wake whoever waits for a change."""
    store, scope = opened()
    before = store.sequence
    with Transaction(store, scope) as tx:
        tx.get(scope.prefix(Space.META))
    assert store.sequence == before


def test_flushes_run_last_to_register_first() -> None:
    """The adjacency writes through the triples' transaction: who came later holds back more."""
    store, scope = opened()
    order: list[int] = []
    with Transaction(store, scope) as tx:
        tx.before_commit(lambda: order.append(1))
        tx.before_commit(lambda: order.append(2))
    assert order == [2, 1]
