"""An operator who is told nothing sees a slow memory only when users complain; one who is told texts
has them in the log."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphmem
from graphmem import Event
from graphmem.errors import (
    StorageError,
    TransactionError,
    UnknownNodeError,
    VersionConflictError,
)
from graphmem.storage.in_memory import InMemoryEngine


def test_each_call_is_told_of_without_its_text(tmp_path: Path) -> None:
    told: list[Event] = []
    folder = tmp_path / "memory"
    with graphmem.open(folder, worker="none", on_event=told.append) as memory:
        memory.remember("The kettle is red.")
        with graphmem.attach(folder) as attached:
            attached.recall("kettle")
            attached.scopes.open("child").remember("The child has a kettle.")
        with pytest.raises(UnknownNodeError):
            memory.pin(99)
        assert isinstance(memory, graphmem.Memory)
    calls = [(event.name, event.scope, event.count, event.error) for event in told]
    for call in (
        ("remember", "default", 1, None),
        ("recall", "default", 1, None),
        ("remember", "child", 1, None),
        ("pin", "default", None, "UnknownNodeError"),
    ):
        assert calls.count(call) == 1
    assert all(event.seconds >= 0 for event in told)
    assert "kettle" not in repr(told)


def test_what_python_writes_as_operators_is_told_of_too() -> None:
    """Who read single nodes, and counted them, was not seen in any trace."""
    told: list[Event] = []
    with graphmem.open(worker="none", on_event=told.append) as memory:
        (node,) = memory.remember("The kettle is red.")
        assert node in memory
        assert memory[node] == node
        assert len(memory) == 1
        with pytest.raises(UnknownNodeError):
            memory[99]
    assert [(event.name, event.count, event.error) for event in told[1:]] == [
        ("__contains__", None, None), ("__getitem__", None, None), ("__len__", 1, None),
        ("__getitem__", None, "UnknownNodeError"),
    ]  # fmt: skip


def test_an_operator_s_mistake_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: Event) -> None:
        raise ValueError(event.name)

    with graphmem.open(worker="none", on_event=broken) as memory:
        assert len(memory.remember("The kettle is red.")) == 1
    assert "on_event failed for remember" in caplog.text


def test_an_interrupted_call_is_not_told_of_as_one_that_returned() -> None:
    """Whoever counts what failed would not see the calls that users had no patience for."""

    def interrupted() -> Iterator[int]:
        yield 1
        raise KeyboardInterrupt

    told: list[Event] = []
    with graphmem.open(worker="none", on_event=told.append) as memory:
        memory.remember("The kettle is red.")
        with pytest.raises(KeyboardInterrupt):
            memory.forget(interrupted())
    calls = [(event.name, event.error) for event in told]
    assert calls == [("remember", None), ("forget", "KeyboardInterrupt")]


def test_the_verbs_of_nouns_are_told_of_too(tmp_path: Path) -> None:
    """Of a program that keeps its state in items an operator saw nothing at all."""
    told: list[Event] = []
    folder = tmp_path / "memory"
    with graphmem.open(folder, worker="none", on_event=told.append) as memory:
        memory.items.put("plans", "audit", {"weeks": 2})
        assert [item.key for item in memory.items.list("plans")] == ["audit"]
        memory.pool("team", by="Wen").write("audit", "late")
        memory.graph.facts.put(memory.remember("The kettle is red.")[0], "ex:colour", "red")
        assert len(memory.graph.facts) == 1
        assert memory.scopes.open("child").items.namespaces() == []
        with graphmem.attach(folder) as attached, pytest.raises(VersionConflictError):
            attached.items.put("plans", "audit", 1, expected=9)
        memory.remember("Tea is at four.", session="tea")
        assert memory.admin.end_session("tea") == 0
        with memory.transaction():
            memory.items.put("plans", "release", 1)
            with pytest.raises(TransactionError):
                len(memory.themes)
    calls = [(event.name, event.scope, event.count, event.error) for event in told]
    assert calls.count(("items.put", "default", None, None)) == 2
    for call in (
        ("items.put", "default", None, "VersionConflictError"),
        ("items.list", "default", 1, None),
        ("pool.write", "default", None, None),
        ("graph.facts.put", "default", None, None),
        ("items.namespaces", "child", 0, None),
        ("admin.end_session", "default", 0, None),
    ):
        assert calls.count(call) == 1, calls


def test_a_subclass_of_an_observed_class_does_the_verbs_of_nouns() -> None:
    """They were looked for on the class before the last, which for a subclass is the same."""
    told: list[Event] = []
    with graphmem.open(worker="none", on_event=told.append) as memory:
        made = type("Mine", (type(memory),), {})
        memory.__class__ = made
        assert memory.history.forgotten() == []
    assert [event.name for event in told] == ["history.forgotten"]


def test_a_transaction_is_told_of_when_its_block_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was told of as it began, without the time and the error of the commit."""
    told: list[Event] = []
    with graphmem.open(worker="none", on_event=told.append) as memory:
        with memory.transaction():
            memory.remember("The kettle is red.")
            time.sleep(0.02)
        with pytest.raises(LookupError), memory.transaction():
            raise KeyError
        with pytest.raises(TransactionError), memory.transaction(), memory.transaction():
            pass
        monkeypatch.setattr(InMemoryEngine, "commit", _failing)
        with pytest.raises(StorageError), memory.transaction():
            memory.remember("Tea is at four.")
    calls = [(event.name, event.error) for event in told]
    assert calls == [
        ("remember", None), ("transaction", None), ("transaction", "KeyError"),
        ("transaction", "TransactionError"), ("transaction", "TransactionError"),
        ("remember", None), ("transaction", "StorageError"),
    ]  # fmt: skip
    assert told[1].seconds >= 0.02


def test_a_scope_that_is_opened_is_not_counted() -> None:
    told: list[Event] = []
    with graphmem.open(worker="none", on_event=told.append) as memory:
        memory.scopes.open("child").remember("The kettle is red.")
    assert [event.name for event in told] == ["scopes.open", "remember"]


def _failing(*_: object, **__: object) -> None:
    raise StorageError(5, "the disk failed")
