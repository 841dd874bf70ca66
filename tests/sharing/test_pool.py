"""Agents in several processes share entries; one that is not told of a change works on old ones."""

import time
from pathlib import Path
from threading import enumerate as running

import pytest

import graphmem
from graphmem.errors import CorruptError, InvalidArgumentError, VersionConflictError
from graphmem.sharing import feed
from graphmem.sharing.pool import Watch
from graphmem.values.items import Change, Changes


def until(seen: list[str], wanted: list[str]) -> None:
    end = time.monotonic() + 60
    while seen != wanted and time.monotonic() < end:
        time.sleep(0.005)
    assert seen == wanted


def test_an_attached_pool_is_the_owner_s(tmp_path: Path) -> None:
    """What one agent writes another one reads, with its version, wherever it runs."""
    with (
        graphmem.open(tmp_path / "m", worker="none") as owner,
        graphmem.attach(tmp_path / "m") as attached,
    ):
        here, there = owner.pool("team", by="here"), attached.pool("team", by="there")
        entry = here.write("a", {"found": [1, 2.5, "三", b"4", None]}, metadata={"x": 1})
        assert there.read("a") == entry
        second = there.write("a", "new", expected=1, metadata={"y": 2})
        assert (second.version, second.created_by, second.updated_by) == (2, "here", "there")
        assert second.metadata == {"x": 1, "y": 2}
        with pytest.raises(VersionConflictError) as raised:
            there.write("a", "late", expected=1)
        assert (raised.value.key, raised.value.expected, raised.value.actual) == ("a", 1, 2)
        here.write("b", 1)
        assert [e.key for e in there.list()] == [e.key for e in here.list()] == ["b", "a"]
        assert there.list("a", limit=1) == here.list("a")
        assert there.delete("b")
        assert not here.delete("b")
        assert there.changes(0) == here.changes(0)
        assert [c.action for c in there.changes(0)] == ["put", "put", "put", "delete"]
        assert owner.pool("other").list() == []
        with pytest.raises(InvalidArgumentError):
            attached.pool("").list()


def test_watchers_see_each_change_in_order_and_hold_nobody_back(tmp_path: Path) -> None:
    """More clients wait than the owner has turns for verbs; others must be answered meanwhile."""
    seen: list[str] = []
    idle = []

    def note(change: Change | None) -> None:
        seen.append("gap" if change is None else f"{change.action} {change.key}")

    with (
        graphmem.open(tmp_path / "m", worker="none") as owner,
        graphmem.attach(tmp_path / "m") as attached,
    ):
        pool = attached.pool("team")
        watch = pool.watch(note, prefix="a")
        idle = [attached.pool("quiet").watch(note) for _ in range(6)]
        begun = time.monotonic()
        for number in range(20):
            owner.pool("team").write(f"a{number}", number)
        owner.pool("team").write("b", 1)
        pool.delete("a3")
        assert pool.read("a4") is not None
        until(seen, [f"put a{number}" for number in range(20)] + ["delete a3"])
        assert time.monotonic() - begun < 20
        for one in (watch, *idle):
            one.close()
    assert all(one.error is None for one in idle)


def test_a_watch_goes_on_with_the_next_owner(tmp_path: Path) -> None:
    """An agent that was restarted must not leave the others deaf."""
    seen: list[str] = []
    owner = graphmem.open(tmp_path / "m", worker="none")
    with graphmem.attach(tmp_path / "m") as attached:
        watch = attached.pool().watch(lambda change: seen.append(change.key if change else "gap"))
        owner.pool().write("first", 1)
        until(seen, ["first"])
        owner.close()
        with graphmem.open(tmp_path / "m", worker="none") as owner:
            owner.pool().write("second", 2)
            until(seen, ["first", "second"])
            watch.close()


def test_a_watch_that_missed_changes_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent would believe that it knows all that the others wrote."""
    monkeypatch.setattr(feed, "RING", 3)
    seen: list[str] = []
    with graphmem.open(None, worker="none") as memory:
        for number in range(5):
            memory.pool().write(f"k{number}", number)
        watch = memory.pool().watch(
            lambda change: seen.append(change.key if change else "gap"), since=1
        )
        until(seen, ["gap", "k2", "k3", "k4"])
        memory.pool().write("k5", 5)
        until(seen, ["gap", "k2", "k3", "k4", "k5"])
        watch.close()


def test_a_callback_that_fails_is_called_with_what_comes_next(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A slip ended the watch, and nobody was told that nobody watched any more."""
    seen: list[str] = []

    def slip(change: Change | None) -> None:
        assert change is not None
        seen.append(change.key)
        if change.key == "boom":
            raise ZeroDivisionError

    with graphmem.open(None, worker="none") as memory:
        watch = memory.pool().watch(slip)
        for key in ("boom", "boom", "after"):
            memory.pool().write(key, 1)
        until(seen, ["boom", "boom", "after"])
        assert watch.error is None
        watch.close()
    assert [
        record.getMessage() for record in caplog.records if record.name == "graphmem.watch"
    ] == ["the callback of a watch failed for pool:shared/boom"] * 2


def test_a_watch_that_cannot_go_on_says_so(caplog: pytest.LogCaptureFixture) -> None:
    def changes(since: int | None, wait: float = 0.0) -> Changes:
        if wait:
            raise CorruptError("change 1 cannot be read")
        return Changes((), 0, False)

    watch = Watch(changes, lambda change: None, None)
    watch._thread.join(60)
    assert isinstance(watch.error, CorruptError)
    assert "a watch has ended" in caplog.messages


def test_a_watch_ends_with_its_memory() -> None:
    """Its thread asked a memory that was closed for ever."""
    others = {*running()}  # that of another test's memory may end just now
    with graphmem.open(None, worker="none") as memory:
        memory.pool().watch(lambda change: None)
        (thread,) = (
            each for each in running() if each.name == "graphmem-watch" and each not in others
        )
    thread.join(60)
    assert not thread.is_alive()
