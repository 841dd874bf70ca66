"""An engine against a plain dict, step by step, with snapshots kept and closed at random."""

import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
)

from graphmem.errors import TransactionError
from graphmem.storage.engine import Engine, Reader, Snapshot
from graphmem.storage.engines import open_engine
from graphmem.storage.in_memory import InMemoryEngine
from graphmem.storage.store import Store, StoreSnapshot
from tests.storage.homes.machine import Machine, PlainEngine, PlainSnapshot, new_home

KEYS = st.binary(max_size=3) | st.sampled_from([b"\xff", b"\xff\xff", b"a\0", b"a"])
BATCHES = st.dictionaries(KEYS, st.none() | st.binary(max_size=4), max_size=8)
State = dict[bytes, bytes]


def check(reader: Reader, state: State, start: bytes, stop: bytes, asked: list[bytes]) -> None:
    expected = sorted((key, value) for key, value in state.items() if start <= key < stop)
    assert list(reader.range(start, stop)) == expected
    assert list(reader.range(start, stop, reverse=True)) == expected[::-1]
    assert list(reader.keys(start, stop)) == [key for key, _ in expected]
    assert reader.get_many(asked) == [state.get(key) for key in asked]


class EngineMachine(RuleBasedStateMachine):
    snapshots: Bundle[Any] = Bundle("snapshots")
    engine: Engine

    def open(self) -> Engine:
        raise NotImplementedError

    @initialize()
    def start(self) -> None:
        self.state: State = {}
        self.engine = self.open()

    @rule(batch=BATCHES, sync=st.sampled_from([False, False, False, True]))
    def commit(self, batch: dict[bytes, bytes | None], sync: bool) -> None:
        self.engine.commit(batch, sync=sync)
        for key, value in batch.items():
            if value is None:
                self.state.pop(key, None)
            else:
                self.state[key] = value

    @rule(target=snapshots)
    def take(self) -> tuple[Snapshot, State]:
        return self.engine.snapshot(), dict(self.state)

    @rule(kept=snapshots, start=KEYS, stop=KEYS, asked=st.lists(KEYS, max_size=4))
    def read_snapshot(
        self, kept: tuple[Snapshot, State], start: bytes, stop: bytes, asked: list[bytes]
    ) -> None:
        check(kept[0], kept[1], start, stop, asked)

    @rule(start=KEYS, stop=KEYS, asked=st.lists(KEYS, max_size=4))
    def read(self, start: bytes, stop: bytes, asked: list[bytes]) -> None:
        check(self.engine, self.state, start, stop, asked)

    @rule(kept=consumes(snapshots))
    def drop(self, kept: tuple[Snapshot, State]) -> None:
        kept[0].close()

    @rule()
    def compact(self) -> None:
        self.engine.compact(b"", b"\xff" * 9)

    @invariant()
    def whole(self) -> None:
        check(self.engine, self.state, b"", b"\xff" * 9, [])

    def teardown(self) -> None:
        self.engine.close()


class InMemoryMachine(EngineMachine):
    def open(self) -> Engine:
        return InMemoryEngine()


class LevelDBMachine(EngineMachine):
    def open(self) -> Engine:
        self.folder = tempfile.TemporaryDirectory()
        return open_engine(Path(self.folder.name) / "store", "leveldb")

    def reopen(self) -> None:
        self.engine.close()
        self.engine = open_engine(Path(self.folder.name) / "store", "leveldb", create=False)

    def teardown(self) -> None:
        """What was committed must still be there after closing and opening again."""
        self.reopen()
        self.whole()
        super().teardown()
        self.folder.cleanup()


class HomeMachine(EngineMachine):
    """The memory is opened again from its home alone, or after its process was killed."""

    engine: PlainEngine

    def open(self) -> Engine:
        self.folder = tempfile.TemporaryDirectory()
        self.machine = Machine(new_home(), Path(self.folder.name) / "cache")
        self.life = 0
        return PlainEngine(self.machine.open())

    @rule(target=EngineMachine.snapshots)
    def take(self) -> tuple[Snapshot, State]:
        snapshot = self.engine.snapshot()
        snapshot.life = self.life
        return snapshot, dict(self.state)

    @rule(kept=EngineMachine.snapshots, start=KEYS, stop=KEYS, asked=st.lists(KEYS, max_size=4))
    def read_snapshot(
        self, kept: tuple[PlainSnapshot, State], start: bytes, stop: bytes, asked: list[bytes]
    ) -> None:
        if kept[0].life == self.life:
            super().read_snapshot(kept, start, stop, asked)

    @rule(how=st.sampled_from(["closed", "killed", "the machine is lost"]))
    def begin_anew(self, how: str) -> None:
        self.life += 1
        if how == "killed":
            self.machine.die(self.engine.inner)
        else:
            self.engine.close()
        if how == "the machine is lost":
            self.machine.lose_disk()
        self.engine = PlainEngine(self.machine.open())

    def teardown(self) -> None:
        self.begin_anew("the machine is lost")
        self.whole()
        super().teardown()
        self.folder.cleanup()


TestHome = HomeMachine.TestCase
TestHome.settings = settings(max_examples=settings().max_examples // 2, stateful_step_count=25)
TestInMemory = InMemoryMachine.TestCase
TestInMemory.settings = settings(stateful_step_count=30)
TestLevelDB = pytest.mark.leveldb(LevelDBMachine.TestCase)
TestLevelDB.settings = settings(max_examples=settings().max_examples // 2, stateful_step_count=25)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("commit"), BATCHES),
            st.tuples(st.sampled_from(["begin", "begin", "end", "take back", "look"])),
        ),
        max_size=25,
    ),
    KEYS,
    KEYS,
)
def test_a_block_is_read_as_what_it_will_have_written(
    steps: list[tuple[Any, ...]], start: bytes, stop: bytes
) -> None:
    """What a transaction wrote would be lost to its own readers, or seen by those before it."""
    first = b"\0\0\0\1"  # below are the store's own keys
    with Store.open(None) as store, store.writing:
        state: State = {}
        before: tuple[State, int] = {}, 0
        looks: list[tuple[StoreSnapshot, State]] = []
        inner: list[StoreSnapshot] = []
        for step in [*steps, ("end",)]:
            number = store.sequence
            match step:
                case ("commit", batch):
                    batch = {first + key: value for key, value in batch.items()}
                    assert store.commit(batch, joins=True) == number + 1 == store.sequence
                    changed = {**state, **batch}
                    state = {k: v for k, v in changed.items() if v is not None}
                case ("begin",) if store.block is None:
                    store.begin()
                    before, inner = (state, number), []
                case ("end",) if store.block is not None:
                    store.end(commit=True)()
                    assert store.sequence == number
                case ("take back",) if store.block is not None:
                    store.end(commit=False)()
                    state = before[0]
                    assert store.sequence == before[1]
                    for snapshot in inner:
                        with pytest.raises(TransactionError):
                            snapshot.get(first)
                    looks = [(look, kept) for look, kept in looks if look not in inner]
                case ("look",):
                    snapshot = store.snapshot()
                    assert snapshot.sequence == number
                    assert snapshot.provisional is (store.block is not None)
                    looks.append((snapshot, state))
                    inner.append(snapshot)
            for reader, kept in [(store, state), *looks]:
                check(reader, kept, first + start, first + stop, [first, first + start])
                check(reader, kept, first, first + b"\xff" * 9, [])
