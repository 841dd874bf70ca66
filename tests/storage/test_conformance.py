"""What every engine must do. A new engine joins by one line in `ENGINES`."""

import gc
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphmem.errors import ClosedError
from graphmem.storage.engine import Engine
from graphmem.storage.engines import open_engine
from graphmem.storage.in_memory import InMemoryEngine
from graphmem.storage.lmdb import LMDBEngine
from tests.storage.homes.machine import Machine, PlainEngine, new_home

ENGINES: dict[str, Callable[[Path], Engine]] = {
    "leveldb": lambda folder: open_engine(folder / "store", "leveldb"),
    "lmdb": lambda folder: LMDBEngine(folder / "store"),
    "in_memory": lambda folder: InMemoryEngine(),
    "home": lambda folder: PlainEngine(Machine(new_home(), folder / "cache").open()),
}
FIRST, LAST = b"", b"\xff" * 20


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    engine = ENGINES[request.param](tmp_path)
    yield engine
    engine.close()


def test_get_tells_absent_from_empty(engine: Engine) -> None:
    """An empty value (every key of five of the six orders) must not read as absent."""
    engine.commit({b"empty": b"", b"full": b"value"})
    assert engine.get(b"empty") == b""
    assert engine.get(b"full") == b"value"
    assert engine.get(b"absent") is None
    assert engine.get_many([b"full", b"absent", b"empty", b"full"]) == [
        b"value",
        None,
        b"",
        b"value",
    ]


def test_order_is_that_of_unsigned_bytes(engine: Engine) -> None:
    """Signed or textual order would take a scope's keys out of its range."""
    keys = [
        b"",
        b"\0",
        b"\0\0",
        b"\0\xff",
        b"a",
        b"a\0",
        b"aa",
        b"b",
        b"\x7f",
        b"\x80",
        b"\xff" * 3,
    ]
    keys = sorted(keys)
    shuffled = random.Random(1).sample(keys, len(keys))
    engine.commit({key: b"v" + key for key in shuffled})
    assert list(engine.range(FIRST, LAST)) == [(key, b"v" + key) for key in keys]
    assert list(engine.keys(FIRST, LAST)) == keys
    assert list(engine.range(FIRST, LAST, reverse=True)) == [(k, b"v" + k) for k in keys[::-1]]
    assert list(engine.keys(FIRST, LAST, True)) == keys[::-1]


@pytest.mark.parametrize("reverse", [False, True])
def test_range_takes_start_and_leaves_stop(engine: Engine, reverse: bool) -> None:
    """A bound off by one reads a neighbour's links, or misses the last of one's own."""
    keys = [b"k%03d" % i for i in range(0, 300, 2)]
    engine.commit(dict.fromkeys(keys, b"v"))
    bounds = [b"", b"j", b"k000", b"k001", b"k098", b"k099", b"k100", b"k298", b"k299", b"l"]
    for start in bounds:
        for stop in bounds:
            expected = [key for key in keys if start <= key < stop]
            if reverse:
                expected.reverse()
            assert list(engine.keys(start, stop, reverse)) == expected, (start, stop)
            assert [key for key, _ in engine.range(start, stop, reverse)] == expected


def test_ranges_of_an_empty_engine_are_empty(engine: Engine) -> None:
    """The first open of a new store must not fail on having nothing."""
    for reverse in (False, True):
        assert list(engine.range(FIRST, LAST, reverse)) == []
    assert engine.approximate_size(FIRST, LAST) == 0


def test_long_ranges_come_whole(engine: Engine) -> None:
    """Reading page by page must neither lose nor double what lies at a page's edge."""
    keys = [i.to_bytes(4, "big") for i in range(5000)]
    for start in range(0, 5000, 1250):
        engine.commit({key: key * 20 for key in keys[start : start + 1250]})
    for low, high in [(0, 5000), (1, 9), (7, 15), (8, 16), (100, 356), (0, 257), (3000, 4999)]:
        stop = high.to_bytes(4, "big")
        expected = [(key, key * 20) for key in keys[low:high]]
        assert list(engine.range(keys[low], stop)) == expected
        assert list(engine.range(keys[low], stop, reverse=True)) == expected[::-1]


def test_deletes_and_overwrites(engine: Engine) -> None:
    """A key that was deleted must not come back from an older version."""
    engine.commit({b"a": b"1", b"b": b"1", b"c": b"1"})
    engine.commit({b"a": None, b"b": b"2", b"absent": None})
    assert list(engine.range(FIRST, LAST)) == [(b"b", b"2"), (b"c", b"1")]
    engine.commit({b"a": b"3"})
    assert engine.get(b"a") == b"3"
    engine.compact(FIRST, LAST)
    assert list(engine.range(FIRST, LAST)) == [(b"a", b"3"), (b"b", b"2"), (b"c", b"1")]


def test_a_batch_with_a_bad_value_writes_nothing(engine: Engine) -> None:
    """Half a batch, after a mistake in the other half, would leave the orders disagreeing."""
    batch: dict[bytes, object] = {b"a": b"1", b"b": "text, not bytes", b"c": b"3"}
    with pytest.raises(TypeError):
        engine.commit(batch)  # type: ignore[arg-type]
    assert list(engine.keys(FIRST, LAST)) == []
    engine.commit({b"d": b"4"})
    assert list(engine.keys(FIRST, LAST)) == [b"d"]


def test_a_snapshot_sees_no_later_commit(engine: Engine) -> None:
    """A recall that sees half of a later write mixes two states of the memory."""
    engine.commit({b"a": b"1", b"b": b"1", b"d": b"1"})
    with engine.snapshot() as first:
        engine.commit({b"a": b"2", b"b": None, b"c": b"2"})
        with engine.snapshot() as second:
            engine.commit({b"a": None, b"b": b"3", b"c": None, b"d": None})
            for _ in range(2):
                assert list(first.range(FIRST, LAST)) == [
                    (b"a", b"1"),
                    (b"b", b"1"),
                    (b"d", b"1"),
                ]
                assert first.get_many([b"a", b"b", b"c"]) == [b"1", b"1", None]
                assert list(second.keys(FIRST, LAST, True)) == [b"d", b"c", b"a"]
                assert second.get(b"a") == b"2"
                assert engine.get_many([b"a", b"b", b"c", b"d"]) == [None, b"3", None, None]
                engine.compact(FIRST, LAST)
                engine.commit({b"unrelated": b""})


def test_an_iterator_keeps_its_state_while_others_write(engine: Engine) -> None:
    """A sweep that deletes what it walks over must not skip or repeat."""
    keys = [b"%05d" % i for i in range(1000)]
    engine.commit(dict.fromkeys(keys, b"old"))
    seen = []
    for key, value in engine.range(FIRST, LAST):
        seen.append(key)
        assert value == b"old"
        engine.commit({key: None, key + b"new": b"new", b"zz": b"new"})
    assert seen == keys


def test_a_closed_snapshot_refuses(engine: Engine) -> None:
    """Reading after close would read freed memory."""
    engine.commit({b"%03d" % i: b"1" for i in range(100)})
    with engine.snapshot() as snapshot:
        begun = snapshot.range(FIRST, LAST)
        next(begun)
    snapshot.close()
    with pytest.raises(ClosedError):
        snapshot.get(b"a")
    with pytest.raises(ClosedError):
        snapshot.get_many([b"a"])
    with pytest.raises(ClosedError):
        list(snapshot.range(FIRST, LAST))
    with pytest.raises(ClosedError):
        list(snapshot.keys(FIRST, LAST))
    with pytest.raises(ClosedError):
        next(begun)
    assert engine.get(b"000") == b"1"


def test_a_closed_engine_refuses_and_so_does_all_that_came_from_it(engine: Engine) -> None:
    """A Python program must get an error, not a segmentation fault."""
    engine.commit({b"%03d" % i: b"1" for i in range(1000)})
    snapshot = engine.snapshot()
    begun = [engine.range(FIRST, LAST), snapshot.range(FIRST, LAST, True), snapshot.keys(b"", LAST)]
    for iterator in begun:
        next(iterator)
    engine.close()
    engine.close()
    for iterator in begun:
        with pytest.raises(ClosedError):
            for _ in iterator:
                pass
    refused: list[Callable[[], object]] = [
        lambda: engine.get(b"a"),
        lambda: engine.get_many([b"a"]),
        lambda: list(engine.range(FIRST, LAST)),
        lambda: list(engine.keys(FIRST, LAST)),
        lambda: engine.commit({b"a": b"1"}),
        engine.snapshot,
        engine.sync,
        lambda: engine.approximate_size(FIRST, LAST),
        lambda: engine.compact(FIRST, LAST),
        lambda: snapshot.get(b"a"),
    ]
    for call in refused:
        with pytest.raises(ClosedError):
            call()
    snapshot.close()


def test_what_is_leaked_does_no_harm(engine: Engine) -> None:
    """A forgotten `close` must not crash, pin a state for ever or keep the folder."""
    engine.commit({b"%03d" % i: b"1" for i in range(100)})
    for _ in range(100):
        snapshot = engine.snapshot()
        next(snapshot.range(FIRST, LAST))
        next(engine.keys(FIRST, LAST))
        engine.commit({b"050": None, b"051": b"2"})
        engine.commit({b"050": b"3"})
    del snapshot
    gc.collect()
    engine.commit({b"x": b""})
    assert engine.get(b"050") == b"3"


@pytest.mark.slow
def test_many_read_while_one_writes(engine: Engine) -> None:
    """Torn reads: every state has one value under all keys, so a mixture shows."""
    keys = [b"%03d" % i for i in range(150)]
    engine.commit(dict.fromkeys(keys, b"0"))
    stop = threading.Event()
    failures: list[object] = []

    def read(seed: int) -> None:
        last = 0
        try:
            while not stop.is_set():
                with engine.snapshot() as snapshot:
                    values = set(snapshot.get_many(keys))
                    values |= {value for _, value in snapshot.range(FIRST, LAST, seed % 2 == 0)}
                state = {value for _, value in engine.range(FIRST, LAST)}
                if len(values) != 1 or len(state) != 1:
                    failures.append((values, state))
                (value,) = values
                if value is None or int(value) < last:
                    failures.append((value, last))
                else:
                    last = int(value)
        except Exception as error:
            failures.append(error)

    readers = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for reader in readers:
        reader.start()
    for number in range(1, 300):
        engine.commit(dict.fromkeys(keys, b"%d" % number))
        if number % 50 == 0:
            engine.sync()
            engine.compact(FIRST, LAST)
    stop.set()
    for reader in readers:
        reader.join()
    assert not failures


@pytest.mark.parametrize("round_", [0, 1, 4])
def test_closing_under_readers_and_writers_raises_and_does_not_crash(
    engine: Engine, round_: int
) -> None:
    """plyvel frees the database under a running call: the process would die."""
    keys = [b"%04d" % i for i in range(2000)]
    engine.commit(dict.fromkeys(keys, b"v" * 100))
    unexpected: list[BaseException] = []

    def use(kind: int) -> None:
        try:
            while True:
                if kind == 0:
                    engine.get_many(keys[:50])
                elif kind == 1:
                    with engine.snapshot() as snapshot:
                        for _ in snapshot.range(FIRST, LAST, round_ % 2 == 0):
                            pass
                elif kind == 2:
                    engine.commit(dict.fromkeys(keys[:50], b"w"))
                else:
                    engine.snapshot().get(keys[0])
        except ClosedError:
            pass
        except BaseException as error:
            unexpected.append(error)

    threads = [threading.Thread(target=use, args=(kind % 4,)) for kind in range(6)]
    for thread in threads:
        thread.start()
    threading.Event().wait(0.02 * round_)
    engine.close()
    for thread in threads:
        thread.join()
    assert not unexpected


def test_size_follows_what_is_stored(engine: Engine) -> None:
    """A budget that cannot see its range grow never shrinks it."""
    engine.commit({b"a%05d" % i: bytes(100) for i in range(5000)})
    engine.compact(FIRST, LAST)
    assert 300_000 < engine.approximate_size(b"a", b"b") < 900_000
    assert engine.approximate_size(b"b", b"c") == 0
    assert engine.approximate_size(b"b", b"a") == 0
    engine.commit({b"a%05d" % i: None for i in range(5000)})
    engine.compact(FIRST, LAST)
    assert engine.approximate_size(b"a", b"b") < 1000
