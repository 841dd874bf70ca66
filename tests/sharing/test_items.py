"""Agents that share values lose one another's writes, or act on what has expired."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import reduce
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem import Memory, repair
from graphmem.api.opening import rooms
from graphmem.errors import (
    ArgumentTypeError,
    ClosedError,
    InvalidArgumentError,
    NewerFormatError,
    SecretError,
    UnknownScopeError,
    VersionConflictError,
)
from graphmem.exchange.transfer import export, load
from graphmem.hexastore.keys import Space
from graphmem.hexastore.transaction import Transaction
from graphmem.sharing import content, feed
from graphmem.sharing.cosine import packed_vector
from graphmem.sharing.items import condition
from graphmem.storage import format_record

OPERATORS = ("eq", "ne", "gt", "gte", "lt", "lte")

DEEP: Any = reduce(lambda inner, _: [inner], range(450), "tea")
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
KEYS = st.sampled_from(["a", "ab", "b", "文", "a/b", "x" * 1000])
SPACES = st.sampled_from(["one", "one.two", "二"])
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("put"),
            SPACES,
            KEYS,
            VALUES,
            st.none() | st.integers(0, 3),
            st.none() | st.integers(1, 5),
        ),
        st.tuples(st.just("delete"), SPACES, KEYS, st.none() | st.integers(0, 3)),
        st.tuples(st.just("pass"), st.integers(1, 4)),
        st.tuples(st.just("expire")),
    ),
    max_size=25,
)


class Clock:
    """A clock that stands still until it is told."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def memory() -> Iterator[Memory]:
    with graphmem.open(None, worker="none") as opened:
        yield opened


@given(STEPS)
def test_items_are_those_of_a_plain_dictionary(steps: list[tuple[Any, ...]]) -> None:
    """A lost write, a version counted twice or an expired item that comes back would be acted on."""
    clock = Clock()
    model: dict[tuple[str, str], tuple[Any, int, datetime | None]] = {}
    log: list[tuple[str, str, str, int]] = []
    with graphmem.open(None, worker="none", clock=clock) as memory:
        items = memory.items

        def live(space: str, key: str) -> tuple[Any, int, datetime | None] | None:
            found = model.get((space, key))
            return None if found is None or (found[2] and found[2] <= clock.now) else found

        for step in steps:
            match step:
                case ("put", space, key, value, expected, ttl):
                    old = live(space, key)
                    version = old[1] if old else 0
                    if expected is not None and expected != version:
                        with pytest.raises(VersionConflictError) as raised:
                            items.put(space, key, value, expected=expected, ttl=ttl)
                        assert (raised.value.key, raised.value.expected, raised.value.actual) == (
                            key,
                            expected,
                            version,
                        )
                        continue
                    end = None if ttl is None else clock.now + timedelta(seconds=ttl)
                    made = items.put(space, key, value, expected=expected, ttl=ttl)
                    model[space, key] = (value, version + 1, end)
                    log.append(("put", space, key, version + 1))
                    assert (made.value, made.version, made.expires) == model[space, key]
                case ("delete", space, key, expected):
                    old = live(space, key)
                    if expected is not None and expected != (old[1] if old else 0):
                        with pytest.raises(VersionConflictError):
                            items.delete(space, key, expected=expected)
                        continue
                    assert items.delete(space, key) == (old is not None)
                    model.pop((space, key), None)
                    if old is not None:
                        log.append(("delete", space, key, old[1]))
                case ("pass", seconds):
                    clock.now += timedelta(seconds=seconds)
                case _:
                    gone = sorted(
                        ((e, s, k), v)
                        for (s, k), (_, v, e) in model.items()
                        if e and e <= clock.now
                    )
                    assert rooms(memory).item_store.expire() == len(gone)
                    for (_, space, key), version in gone:
                        del model[space, key]
                        log.append(("expire", space, key, version))
        for space in ("one", "one.two", "二"):
            for prefix in ("", "a", "文"):
                expected = sorted(
                    (k, live(s, k))
                    for s, k in model
                    if s == space and k.startswith(prefix) and live(s, k)
                )  # type: ignore[type-var]
                assert [
                    (i.key, (i.value, i.version, i.expires)) for i in items.list(space, prefix)
                ] == expected
        assert items.namespaces() == sorted({s for s, k in model if live(s, k)}, key=str.encode)
        told = items.changes(0)
        assert sorted((c.action, c.namespace, c.key, c.version) for c in told) == sorted(log)
        assert [c.number for c in told] == list(range(1, len(log) + 1))
        assert memory.admin.check() == []


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"namespace": ""}, InvalidArgumentError),
        ({"namespace": "a\x00b"}, InvalidArgumentError),
        ({"key": "x" * 1001}, InvalidArgumentError),
        ({"key": "\ud800"}, InvalidArgumentError),
        ({"key": 3}, ArgumentTypeError),
        ({"value": object()}, ArgumentTypeError),
        ({"value": {(1, 2): "a tuple comes back as a list, which is no key"}}, ArgumentTypeError),
        ({"value": 1 << 64}, InvalidArgumentError),
        ({"value": {"a": [1.0, float("inf")]}}, InvalidArgumentError),  # `--json` was no JSON
        ({"value": float("nan")}, InvalidArgumentError),
        ({"value": "\ud800"}, InvalidArgumentError),
        ({"value": b"x" * ((16 << 20) + 1)}, InvalidArgumentError),
        ({"expected": -1}, InvalidArgumentError),
        ({"expected": True}, ArgumentTypeError),
        ({"expected": "1"}, ArgumentTypeError),
        ({"ttl": 0}, InvalidArgumentError),
        ({"ttl": "1"}, ArgumentTypeError),
        ({"metadata": [1]}, ArgumentTypeError),
        ({"value": DEEP}, InvalidArgumentError),  # it was a RecursionError, from some hundred on
        ({"metadata": {"a": DEEP}}, InvalidArgumentError),
    ],
)
def test_what_cannot_be_stored_is_refused_by_name(
    memory: Memory, wrong: dict[str, Any], error: type[Exception]
) -> None:
    """Half an item, or a key that another one hides, would be found by nobody."""
    with pytest.raises(error):
        memory.items.put(**{"namespace": "n", "key": "k", "value": 1, **wrong})
    if wrong.keys() <= {"namespace", "key", "expected"}:
        with pytest.raises(error):
            memory.items.delete(**{"namespace": "n", "key": "k", **wrong})
    assert memory.items.namespaces() == []
    assert memory.admin.check() == []


def test_many_are_written_together_or_not_at_all(memory: Memory) -> None:
    """An agent's state of which half is there is no state."""
    good = {"namespace": "n", "key": "a", "value": 1}
    with pytest.raises(VersionConflictError):
        memory.items.put_many([good, {**good, "key": "b", "expected": 7}])
    with pytest.raises(InvalidArgumentError, match="unknown"):
        memory.items.put_many([good, {**good, "colour": 1}])
    with pytest.raises(InvalidArgumentError, match="'value' is missing"):
        memory.items.put_many([{"namespace": "n", "key": "a"}])
    for wrong in (good, "n", [good, ["n", "b", 2]]):
        with pytest.raises(ArgumentTypeError, match=r"is a (list of )?map"):
            memory.items.put_many(wrong)  # type: ignore[arg-type]
    assert memory.items.list("n") == []
    memory.items.put_many([good, {**good, "value": 2}, {**good, "key": "b"}])
    assert [i and i.value for i in memory.items.get_many("n", ["b", "c", "a"])] == [1, None, 2]


def test_items_are_filtered_by_fields_and_listed_newest_first(memory: Memory) -> None:
    for number in range(6):
        memory.items.put("n", f"k{number}", {"score": number, "kind": "ab"[number % 2]})
    memory.items.put("n", "plain", "text")
    memory.items.put("n", "k0", {"score": "none", "kind": "a"})

    def keys(**given: Any) -> list[str]:
        return [item.key for item in memory.items.list("n", **given)]

    assert keys(where={"kind": "b"}) == ["k1", "k3", "k5"]
    assert keys(where={"score": {"$gte": 2, "$lt": 4}}) == ["k2", "k3"]
    assert keys(where={"kind": {"$ne": "b"}}) == ["k0", "k2", "k4", "plain"]
    assert keys(newest=True, limit=2) == ["k0", "plain"]
    assert keys(limit=2, offset=3) == ["k3", "k4"]
    assert keys(limit=1 << 80, offset=3)[:2] == ["k3", "k4"]
    assert keys(limit=1, offset=1 << 80) == []
    with pytest.raises(InvalidArgumentError, match=r"\$like"):
        keys(where={"kind": {"$like": 1}})
    with pytest.raises(InvalidArgumentError, match="'much'"):
        keys(where={"kind": {"$gt": 1, "much": 2}})
    # As metadata are compared: it was taken for a field of a field, and nothing was found.
    with pytest.raises(InvalidArgumentError, match=r"by \$gte, not by gte; .* as 'score\.gte'"):
        keys(where={"score": {"gte": 3}})
    assert keys(where={"score.gte": 3}) == keys(where={"gte": 3}) == []
    with pytest.raises(ArgumentTypeError, match="where is a map, got list"):
        memory.items.list("n", where=["a"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "fits"),
    [
        ({}, True),
        *(({"n": {f"${name}": 3}}, name in ("eq", "gte", "lte")) for name in OPERATORS),
        *(({"n": {f"${name}": 2}}, name in ("ne", "gt", "gte")) for name in OPERATORS),
        ({"n": {"$gt": 2, "$lt": 3}}, False),
        ({"n": {"$gt": "2"}}, False),
        ({"n": {"x": 1}}, False),
        ({"n": [3]}, False),
        ({"n": None}, False),
        ({"t": ["a", "b"]}, True),
        ({"t": ("a", "b")}, True),
        ({"t": ["a"]}, False),
        ({"s": ["a", "b"]}, False),
        ({"who": {"name": "Wen", "age": 5}}, True),
        ({"who": {"name": {"$ne": "Ada"}, "age": {"$lt": 6}}}, True),
        ({"who": {"name": "Wen", "age": 6}}, False),
        ({"who.name": "Wen", "who.age": 5}, True),
        ({"who.age": 6}, False),
        ({"who.name.first": "Wen"}, False),
        ({"a.b": 1}, True),
        ({"gone": None}, True),
        ({"gone.too": None}, True),
    ],
)
def test_a_condition_on_fields(where: dict[str, Any], fits: bool) -> None:
    """An agent that filters by a field would act on what it did not ask for."""
    value = {"n": 3, "t": ["a", "b"], "s": "ab", "who": {"name": "Wen", "age": 5}, "a.b": 1}
    assert condition(where)(value) is fits
    assert condition(where)("no map") is condition(where)({})


@pytest.mark.parametrize(
    ("asked", "keys"),
    [(True, "b"), (1, "ac"), (1.0, "ac"), (0, "d"), ([True], "f"), ([1.0], "e"),
     ({"$eq": [1]}, "e"), ({"$ne": [True]}, "abcdegh"), ([[1]], "g"), ([{"y": 1}], "h"),
     ([{"y": True}], ""), ({"$eq": True}, "b"), ({"$ne": True}, "acdefgh"), ({"$ne": 1}, "bdefgh"), ({"$gte": 0}, "acd")],
)  # fmt: skip
def test_true_is_not_one(asked: Any, keys: str) -> None:
    """Items were taken for done that had been done once; `Where(metadata=…)` told them apart."""
    values = {
        "a": 1, "b": True, "c": 1.0, "d": 0, "e": [1], "f": [True], "g": [[1]], "h": [{"y": 1}],
    }  # fmt: skip
    fits = condition({"x": asked})
    assert "".join(key for key, value in values.items() if fits({"x": value})) == keys


def test_a_value_is_told_by_a_line_for_each_field_that_says_something() -> None:
    """An empty field would be a memory of nothing, and bytes one of rubbish."""
    value = {"a": " ", "b": [True, None, b"x", 3, ""], "c": {"d": "x", "e": {}}, 5: 1.5}
    assert content.searchable(value) == "b: true\nb: 3\nc.d: x\n5: 1.5"
    assert content.searchable(["x", "y"]) == "x\ny"
    assert content.searchable(None) == content.searchable("  ") == ""


def test_a_value_may_be_as_large_as_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte too few, and what an export holds could not be brought in again."""
    monkeypatch.setattr(content, "LARGEST_VALUE", 20)
    assert content.unpacked(content.packed("value", b"x" * 18)) == b"x" * 18
    with pytest.raises(InvalidArgumentError, match="value has 21 bytes; at most 20"):
        content.packed("value", b"x" * 19)


def test_a_watcher_that_fell_behind_is_told_of_one_gap(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A watcher that never reads must neither hold back writers nor believe that it saw all."""
    monkeypatch.setattr(feed, "RING", 41)
    items = memory.items
    items.put_many({"namespace": "n", "key": str(n), "value": n} for n in range(50))
    assert not items.changes(50 - 41).gap
    assert len(items.changes(50 - 41)) == 41
    assert items.changes(50 - 42).gap
    late = items.changes(0)
    assert late.gap
    assert late.last == 50
    assert [change.number for change in late] == list(range(10, 51))
    assert not items.changes(late.last).gap
    assert memory.admin.check() == []


def test_changes_survive_a_restart_and_a_repair(tmp_path: Path) -> None:
    """A watcher that goes on after a restart would miss what happened in between."""
    folder = tmp_path / "m"
    with graphmem.open(folder, worker="none") as memory:
        memory.items.put("n", "a", {"x": 1}, metadata={"who": "文"}, ttl=1000)
        memory.items.put("n", "b", b"bytes", by="b")
    with graphmem.open(folder, worker="none") as memory:
        found = memory.items.changes(1)
        assert [(c.number, c.key, c.by) for c in found] == [(2, "b", "b")]
        before = memory.items.list("n")
    repair(folder)
    with graphmem.open(folder, worker="none") as memory:
        assert memory.items.list("n") == before
        assert memory.items.changes(1) == found
        every, later = memory.items.changes(0), memory.items.changes(9)
        assert (every.gap, later.gap) == (False, True)  # 9 is a number of another life
        assert every[:] == later[:]
        assert memory.items.put("n", "a", 1).version == 2
        assert memory.items.changes(2)[0].number == 3
        assert memory.admin.check() == []
        before = memory.items.list("n")
    export(folder, str(tmp_path / "m.jsonl"))
    load(tmp_path / "other", [str(tmp_path / "m.jsonl")])
    with graphmem.open(tmp_path / "other", worker="none") as memory:
        assert memory.items.list("n") == before
        assert memory.items.changes().last == 3
        assert memory.items.changes(1).gap  # they are not in the file
        assert memory.admin.check() == []


def test_who_waits_is_woken_by_a_change_and_by_the_end(tmp_path: Path) -> None:
    """A thread that waits for ever keeps a program from ending."""
    memory = graphmem.open(tmp_path / "m", worker="none")
    seen: list[object] = []

    def wait() -> None:
        try:
            seen.append(memory.items.changes(wait=30)[0].key)
            memory.items.changes(wait=30)
        except ClosedError as error:
            seen.append(type(error))

    thread = Thread(target=wait)
    thread.start()
    while not seen:
        memory.items.put("n", "woken", 1)
        thread.join(0.01)
    memory.close()
    thread.join(60)
    assert seen == ["woken", ClosedError]


def test_a_memory_that_is_only_read_shows_its_items(tmp_path: Path) -> None:
    """Whoever looked at a copy of a team's memory could not open it."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.items.put("n", "k", 1)
    with graphmem.open(tmp_path / "m", worker="none", read_only=True) as memory:
        assert [item.value for item in memory.items.list("n")] == [1]
        assert [change.key for change in memory.items.changes(0)] == ["k"]
        assert memory.history.changes(0).last == 1


@pytest.mark.parametrize(
    "act",
    [
        lambda memory: memory.items.put("n", "k", 1),
        lambda memory: memory.items.put_many([{"namespace": "n", "key": "k", "value": 1}]),
        lambda memory: memory.history.changes(),
    ],
    ids=["put", "put_many", "changes"],
)
def test_a_version_that_knows_no_items_may_only_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Memory], object]
) -> None:
    """It would write memories of which the feed never tells."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        act(memory)
    monkeypatch.setattr(format_record, "FEATURES", format_record.FEATURES - {"items"})
    with pytest.raises(NewerFormatError, match="items"):
        graphmem.open(tmp_path / "m", worker="none")
    graphmem.open(tmp_path / "m", worker="none", read_only=True).close()


def test_a_dropped_scope_takes_its_items_along(memory: Memory) -> None:
    other = memory.scopes.open("other")
    other.items.put("n", "k", 1)
    memory.scopes.drop("other")
    with pytest.raises(UnknownScopeError):
        other.items.get("n", "k")
    assert memory.scopes.open("other").items.namespaces() == []


def test_optimistic_increments_of_threads_are_all_counted(memory: Memory) -> None:
    """Two writers that read the same version must not both win."""

    def count() -> None:
        for _ in range(100):
            while True:
                entry = memory.items.get("n", "count")
                value, version = (0, 0) if entry is None else (entry.value, entry.version)
                try:
                    memory.items.put("n", "count", value + 1, expected=version)
                    break
                except VersionConflictError:
                    continue

    threads = [Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entry = memory.items.get("n", "count")
    assert entry is not None
    assert (entry.value, entry.version) == (300, 300)


def test_a_search_finds_across_namespaces_and_by_fields_of_fields() -> None:
    """A framework's store asks for a branch of namespaces, and would miss what lies deeper."""
    clock = Clock()
    with graphmem.open(worker="none", clock=clock) as memory:
        items = memory.items
        for number, namespace in enumerate(("a.", "a.b.", "ab.", "a.b.")):
            clock.now += timedelta(seconds=1)
            items.put(namespace, f"k{number}", {"n": number, "who": {"name": "Wen"}})
        items.put("a.", "plain", "no map")
        assert [item.key for item in items.search("a.", limit=2)] == ["plain", "k3"]
        assert [item.key for item in items.search("a.", where={"who.name": "Wen"}, offset=1)] == [
            "k1",
            "k0",
        ]
        assert len(items.search("a.", where={"who": {"name": "Wen"}, "n": {"$lt": 3}})) == 2
        assert len(items.search("", where={"gone": None}, limit=None)) == 5
        assert items.search("a.", where={"n": {"$gt": "x"}}) == []
        with pytest.raises(InvalidArgumentError, match=r"unknown operator '\$in'"):
            items.search("a.", where={"n": {"$in": [1]}})
        with pytest.raises(InvalidArgumentError, match="limit"):
            items.search("a.", limit=-1)
        for name, error in ((5, ArgumentTypeError), ("a\0", InvalidArgumentError)):
            with pytest.raises(error, match="namespaces"):
                items.search(name)  # type: ignore[arg-type]


def test_the_longest_names_are_taken_and_longer_ones_are_refused() -> None:
    """A client checks names by the limits that an error told it."""
    with graphmem.open(worker="none") as memory:
        for name, most, put in (
            ("pool's name", 200, lambda named: memory.pool(named).write("k", 1)),
            ("namespace", 500, lambda named: memory.items.put(named, "k", 1)),
            ("key", 1_000, lambda named: memory.items.put("n", named, 1)),
            ("by", 1_000, lambda named: memory.items.put("n", "k", 1, by=named)),
        ):
            put("x" * most)
            with pytest.raises(InvalidArgumentError, match=f"{name} has [01] to {most:,} char"):
                put("x" * (most + 1))


def test_those_that_match_by_words_come_first_and_those_without_one_last() -> None:
    """What an agent asks for by words must not stand behind what was written last."""
    with graphmem.open(worker="none") as memory:
        for key, text in (
            ("rare", "The pump pump is broken."),
            ("both", "The kettle beside the pump."),
            ("none", "Rain."),
            ("old", "The kettle."),
            ("new", "The kettle."),
        ):
            memory.items.put("n", key, {"text": text})
        memory.items.put("m", "other", "A pump and a kettle.")
        found = memory.items.matching("pump kettle", "n")
        assert [item.key for item, _ in found] == ["both", "rare", "new", "old", "none"]
        assert [score is None for _, score in found] == [False] * 4 + [True]
        part = memory.items.matching("pump", "n", limit=2, offset=1)
        assert [(item.key, score is None) for item, score in part] == [
            ("both", False),
            ("new", True),
        ]
        memory.items.put("n", "none", {"text": "A pump pump pump."})
        assert memory.items.matching("pump", "n", limit=1)[0][0].key == "none"


def test_the_nearest_come_first_and_those_without_a_vector_last() -> None:
    """A wrong order would hand an agent what has nothing to do with its question."""
    with graphmem.open(worker="none") as memory:
        for key, vectors in (
            ("east", [(1.0, 0.0)]),
            ("both", [(0.0, 3.0), (2.0, 2.0)]),
            ("other", [(1.0, 0.0, 0.0)]),
            ("none", []),
        ):
            packed = [packed_vector(vector) for vector in vectors]
            memory.items.put("n", key, {"key": key}, metadata={"vectors": packed})
        found = memory.items.nearest([0.0, 2.0], "n")
        assert [(item.key, None if score is None else round(score, 3)) for item, score in found][
            :2
        ] == [("both", 1.0), ("east", 0.0)]
        assert {item.key for item, score in found if score is None} == {"other", "none"}
        for wrong in ([], [0.0, 0.0], [float("nan")], [[1.0]]):
            with pytest.raises(InvalidArgumentError):
                memory.items.nearest(wrong, "n")  # type: ignore[arg-type]


def test_what_is_touched_lives_on_and_puts_and_deletions_are_one_write() -> None:
    """An item that is read would expire in use; half a batch would contradict itself."""
    clock = Clock()
    with graphmem.open(worker="none", clock=clock) as memory:
        items = memory.items
        made = items.put("n", "a", 1, ttl=10)
        for _ in range(3):  # also of a search, to which the feed tells nothing of it
            assert [item.key for item in items.search("n")] == ["a"]
            clock.now += timedelta(seconds=8)
            there = items.get("n", "a")
            assert items.touch("n", ["a", "absent"], 10) == 1
        assert there is not None
        assert (there.version, there.updated) == (made.version, made.updated)
        items.put_many(
            [{"namespace": "n", "key": "b", "value": 2}], delete=[("n", "a"), ("n", "c")]
        )
        assert [item.key for item in items.list("n")] == ["b"]
        with pytest.raises(ArgumentTypeError):
            items.put_many([{"namespace": "n", "key": "d", "value": object()}], delete=[("n", "b")])
        assert [item.key for item in items.list("n")] == ["b"]
        with pytest.raises(VersionConflictError):
            items.put_many([], delete=[("n", "b", 2)])
        for entries in ({"namespace": "n", "key": "d", "value": 1}, "n", 1):
            with pytest.raises(ArgumentTypeError, match="entries is a list of maps"):
                items.put_many(entries)  # type: ignore[arg-type]
        for wrong in (("n",), ("n", "b", 1, 1), ("n", "b", "1")):
            with pytest.raises(ArgumentTypeError):
                items.put_many([], delete=[wrong])
        assert items.touch("n", ["b"], None) == 1
        items.put_many([], delete=[("n", "b", 1)])
        assert items.list("n") == []
        assert memory.admin.check() == []


def test_what_is_touched_expires_when_it_was_said() -> None:
    """An item without its row of the time index stays in the store for ever."""
    clock = Clock()
    with graphmem.open(worker="none", clock=clock) as memory:
        memory.items.put("n", "a", 1)
        memory.items.touch("n", ["a"], 10)
        clock.now += timedelta(seconds=11)
        assert rooms(memory).jobs.work() is not None
        assert [change.action for change in memory.items.changes(0)] == ["put", "expire"]


def test_a_search_tells_nothing_of_a_transaction_that_was_rolled_back() -> None:
    """What it read within would be taken for what the next change with that number has left."""
    with graphmem.open(None, worker="none") as memory:
        items = memory.items
        items.put("n", "a", 1)
        with suppress(ZeroDivisionError), memory.transaction():
            items.put("n", "b", 1)
            assert {item.key for item in items.search("n")} == {"a", "b"}
            raise ZeroDivisionError
        items.put("n", "c", 1)
        assert {item.key for item in items.search("n")} == {"a", "c"}


@given(STEPS)
def test_a_search_sees_what_a_list_sees_whatever_was_written_before(steps: list[Any]) -> None:
    """A search that remembers what it read would go on telling what has changed since."""
    clock = Clock()
    written: list[tuple[str, str]] = []
    with graphmem.open(worker="none", clock=clock) as memory:
        items = memory.items
        for step in steps:
            match step:
                case ("put", namespace, key, value, _, ttl):
                    items.put(namespace, key, value, ttl=ttl)
                    written.append((namespace, key))
                case ("delete", namespace, key, _):
                    items.delete(namespace, key)
                case ("pass", seconds):
                    clock.now += timedelta(seconds=seconds - 2)  # it may be set back
                    items.touch("one", ["a", "b"], 2)
                case ("expire",):
                    rooms(memory).item_store.expire()
            for prefix in ("one", "one.two", "二", ""):
                there = [n for n in items.namespaces() if n.startswith(prefix)]
                listed = [item for n in there for item in items.list(n)]
                found = items.search(prefix, limit=None)
                assert sorted(found, key=repr) == sorted(listed, key=repr)
                newest = dict.fromkeys(reversed(written))
                names = [(f.namespace, f.key) for f in found]
                assert names == [name for name in newest if name in names]
            for n in items.namespaces():
                newest_first = items.search(n, limit=None)
                wanted = [item for item in newest_first if item.namespace == n]
                assert items.list(n, newest=True) == wanted
                assert items.list(n, newest=True, reverse=True) == wanted[::-1]


def test_what_was_written_last_is_first_after_a_restart_and_an_import(tmp_path: Path) -> None:
    """The clock stood still, or was set back: an agent read an old finding before a new one."""
    clock = Clock()
    with graphmem.open(tmp_path / "m", worker="none", clock=clock) as memory:
        for key in "cab":
            memory.pool("team").write(key, key)
            clock.now -= timedelta(minutes=1)
    export(tmp_path / "m", str(tmp_path / "m.jsonl"))
    load(tmp_path / "loaded", [str(tmp_path / "m.jsonl")])
    for folder in ("m", "loaded"):
        with graphmem.open(tmp_path / folder, worker="none", clock=clock) as memory:
            pool = memory.pool("team")
            assert [entry.key for entry in pool.list()] == [*"bac"]
            pool.write("c", "again")
            assert [entry.key for entry in pool.list()] == [*"cba"]
            assert [part.text[:9] for part in memory.context("", pool="team").parts] == [
                f"[SHARED:{key}" for key in "cba"
            ]


def test_what_a_search_returns_is_its_callers_own() -> None:
    """A list that a caller changes would be found changed by the next search."""
    with graphmem.open(worker="none") as memory:
        memory.items.put("n", "a", {"list": [1]})
        memory.items.search("n")[0].value["list"].append(2)
        assert memory.items.search("n")[0].value == {"list": [1]}
        for number in range(400):  # more changes than are caught up with
            memory.items.put("m", f"k{number}", number)
        assert len(memory.items.search("", limit=None)) == 401


@pytest.mark.parametrize(
    "name",
    [
        "ghp_" + "a1B2c3D4e5F6" * 3,
        "users/ana/sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "my password is Tr0ub4dor&3x",
        "db:password=Tr0ub4dor&3x",
        "postgres://wen:Tr0ub4dor3x@db/main",
        "门禁密码是 4417#2",
        "4111-1111-1111-1111",
    ],
)
def test_a_secret_is_no_name(name: str) -> None:
    """A key is listed, searched and told to all who watch, and no cutting reaches it."""
    with graphmem.open(worker="none") as memory:
        for given in ({"namespace": "n", "key": name}, {"namespace": name, "key": "k"}):
            with pytest.raises(SecretError, match="choose another one") as refused:
                memory.items.put(value=1, **given)
            assert name not in str(refused.value)
        for key in ("item:7", "4f9a1c2e-77aa-4b1c-9d3e-aabbccddeeff", "用户/设置", "a" * 64):
            memory.items.put("session-2026-05-03", key, 1)
        assert memory.items.namespaces() == ["session-2026-05-03"]
    with graphmem.open(worker="none", guard="off") as memory:
        assert memory.items.put("n", name, 1).key == name


def test_others_write_while_the_guard_reads_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """It read within the writer's lock: a list of 60,000 numbers held all other writers up for
    eight seconds."""
    with graphmem.open(worker="none") as memory:
        store = rooms(memory).item_store
        clean, done = store._clean, []

        def slow(value: Any, name: str) -> Any:
            if value == "tea":
                other = Thread(target=lambda: done.append(memory.remember("Wen likes tea.")))
                other.start()
                other.join(10.0)
                assert not other.is_alive()
            return clean(value, name)

        monkeypatch.setattr(store, "_clean", slow)
        memory.items.put("n", "a", "tea")
        memory.items.put_many([{"namespace": "n", "key": "b", "value": "tea"}])
        assert len(done) == 2


def test_an_item_of_an_early_version_is_read_found_and_changed(tmp_path: Path) -> None:
    """It has no number of the change that wrote it; reading one raised CorruptError."""
    folder = tmp_path / "m"
    with graphmem.open(folder, worker="none") as memory:
        memory.items.put("app", "theme", {"dark": "quixnarose"})
        opened = rooms(memory)
        key = opened.scope.prefix(Space.ITEM) + b"app\x00theme"
        with opened.store.snapshot() as snapshot:
            record = snapshot.get(key)
        assert record is not None
        fields = content.unpacked(record)
        with opened.store.writing, Transaction(opened.store, opened.scope) as tx:
            tx.put(key, content.packed("an item", fields[:8]))
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.check() == []
        item = memory.items.get("app", "theme")
        assert item is not None
        assert item.value == {"dark": "quixnarose"}
        assert [found.key for found in memory.items.search("app")] == ["theme"]
        assert memory.items.put("app", "theme", {"dark": False}).version == item.version + 1
