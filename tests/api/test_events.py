"""An operator who is told nothing sees a slow memory only when users complain; one who is told texts
has them in the log."""

from pathlib import Path

import pytest

import graphmem
from graphmem import Event
from graphmem.errors import UnknownNodeError


def test_each_call_is_told_of_without_its_text(tmp_path: Path) -> None:
    told: list[Event] = []
    folder = tmp_path / "memory"
    with graphmem.open(folder, worker="none", on_event=told.append) as memory:
        memory.remember("The kettle is red.")
        with graphmem.attach(folder) as attached:
            attached.recall("kettle")
            attached.scope("child").remember("The child has a kettle.")
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


def test_an_operator_s_mistake_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: Event) -> None:
        raise ValueError(event.name)

    with graphmem.open(worker="none", on_event=broken) as memory:
        assert len(memory.remember("The kettle is red.")) == 1
    assert "on_event failed for remember" in caplog.text
