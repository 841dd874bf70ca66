"""An append is there once or not at all, and nobody's else is taken for it."""

import os
import threading
import time
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from graphmem.errors import (
    BrokenError,
    FencedError,
    ForkedError,
    FullError,
    HeldError,
    MissingError,
    NewerFormatError,
    StorageError,
)
from graphmem.storage.homes.home import PATIENCE
from graphmem.storage.homes.postgres import Postgres
from graphmem.storage.homes.sql import SqlHome
from tests.storage.homes.machine import Machine, new_home, shown


class Cut:
    """A home of which one call is cut short: before it is sent, or when it has been done."""

    def __init__(self, home: SqlHome, method: str) -> None:
        self._home, self._method = home, method
        self.cut: tuple[str, type[BaseException]] | None = None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._home, name)
        return self._cutting(found) if name == self._method else found

    def _cutting(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def cut(*given: Any, **named: Any) -> Any:
            when, kind = self.cut or ("", RuntimeError)
            self.cut = None
            if when == "before":
                raise kind
            result = call(*given, **named)
            if when == "after":
                raise kind
            return result

        return cut


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, RuntimeError, MemoryError])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("sync", [True, False])
def test_an_interrupt_in_an_append_ends_the_writing(
    tmp_path: Path, when: str, kind: type[BaseException], sync: bool
) -> None:
    """The next, different batch was acknowledged and never stored: the row of the interrupted one
    stood at its position and was taken for it."""
    home = Cut(new_home(), "append")
    machine = Machine(home, tmp_path)  # type: ignore[arg-type]
    engine = machine.open()
    engine.commit({b"a": b"1"}, sync=True)
    home.cut = (when, kind)
    with pytest.raises(kind):
        engine.commit({b"b": b"2"}, sync=True) if sync else (
            engine.commit({b"b": b"2"}),
            engine.sync(),
        )
    with pytest.raises(BrokenError):
        engine.commit({b"c": b"3"}, sync=True)
    with pytest.raises(BrokenError):
        engine.commit({b"c": b"3"})
    assert engine.resend() is not sync
    engine.close()
    again = machine.open()
    found = shown(again)
    # "group" kept the batch here, and the home was where it was.
    there = {b"b": b"2"} if when == "after" or not sync else {}
    assert found == {b"a": b"1", **there}
    again.commit({b"c": b"3"}, sync=True)
    again.close()
    machine.lose_disk()
    anew = machine.open()
    assert shown(anew) == {**found, b"c": b"3"}
    anew.close()


def test_of_two_clones_of_a_machine_one_is_told(tmp_path: Path) -> None:
    """A machine that was copied while it ran has the epoch, the position and the random numbers of
    the other: its different batch was acknowledged although the other's stood there."""
    home = new_home()
    machine = Machine(home, tmp_path)
    engine = machine.open()
    engine.commit({b"a": b"1"}, sync=True)
    clone = copy(engine._stay)
    engine.commit({b"a": b"2"}, sync=True)
    with pytest.raises(FencedError):
        home.append(clone, clone.position + 1, 12345, b"another")
    engine.commit({b"a": b"3"}, sync=True)
    engine.close()
    machine.lose_disk()
    anew = machine.open()
    assert shown(anew) == {b"a": b"3"}
    anew.close()


def test_an_append_whose_answer_was_lost_is_there_once(tmp_path: Path) -> None:
    """Repeated, it must neither fail nor be written twice; a long one is written in parts."""
    home = new_home()
    machine = Machine(home, tmp_path)
    engine = machine.open()
    for size in (10, 3 << 20):
        stay = engine._stay
        before = copy(stay)
        content = bytes(size)
        for _ in range(3):
            home.append(before, before.position + 1, 77, content)
        stay.position += 1
        assert [row.content for row in home.tail(stay.memory, before.position)] == [content]


def test_a_close_that_was_held_up_goes_on_when_called_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Called again it did nothing: the memory stayed taken until its lease ran out."""
    home = new_home()
    engine = Machine(home, tmp_path).open()
    engine.commit({b"a": b"1"})
    close = engine._local.close

    def held() -> None:
        raise HeldError("a call of another thread is under way")

    monkeypatch.setattr(engine._local, "close", held)
    with pytest.raises(HeldError):
        engine.close()
    monkeypatch.setattr(engine._local, "close", close)
    engine.close()
    anew = Machine(home, tmp_path / "another").open()  # without force
    assert shown(anew) == {b"a": b"1"}
    anew.close()


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_waits_for_a_home_that_was_away_is_sent_once(tmp_path: Path, when: str) -> None:
    """After a cut, what "group" had acknowledged stayed in a cache that nobody opened again."""
    home = Cut(new_home(), "append")
    machine = Machine(home, tmp_path)  # type: ignore[arg-type]
    engine = machine.open()
    engine.commit({b"a": b"1"})

    class AwayError(StorageError):
        def __init__(self) -> None:
            engine.commit({b"b": b"2"})  # as others do while the home is tried again
            super().__init__(5, "the home cannot be reached")

    home.cut = (when, AwayError)
    with pytest.raises(AwayError):
        engine.sync()
    with pytest.raises(BrokenError):
        engine.commit({b"c": b"3"})
    assert engine.resend()
    engine.close()
    machine.lose_disk()
    anew = machine.open()
    assert shown(anew) == {b"a": b"1", b"b": b"2"}
    assert anew.figures()["position"] == 2
    anew.close()


@pytest.mark.parametrize("sync", [True, False])
def test_who_was_fenced_writes_no_more(tmp_path: Path, sync: bool) -> None:
    """The loser of a taking must be told, at its next write and at each after it, and nothing of
    what it writes then may be mixed into what the other writes."""
    home = new_home()
    one, two = Machine(home, tmp_path / "1"), Machine(home, tmp_path / "2")
    first = one.open()
    first.commit({b"a": b"1"}, sync=True)
    second = two.open(force=True)
    second.commit({b"b": b"2"}, sync=True)
    if not sync:
        first.commit({b"c": b"3"})
    for _ in range(2):
        with pytest.raises(FencedError, match="may or may not") as told:
            first.commit({b"d": b"4"}, sync=True)
        assert f"another process ({two.lease.name}) has taken it since: " in str(told.value)
    assert first.get(b"a") == b"1"
    first.close()
    second.commit({b"e": b"5"}, sync=True)
    second.close()
    third = one.open()
    assert shown(third) == {b"a": b"1", b"b": b"2", b"e": b"5"}
    third.close()


def test_one_that_only_reads_learns_that_it_was_taken(tmp_path: Path) -> None:
    """An owner that does not write would show what is old for ever."""
    home = new_home()
    one, two = Machine(home, tmp_path / "1"), Machine(home, tmp_path / "2")
    first = one.open()
    second = two.open(force=True)
    one.lease._beat()
    assert first.figures()["error"] is not None
    assert one.events[-1] == "home.lost"
    with pytest.raises(FencedError):
        first.commit({b"a": b"1"})
    second.close()
    first.close()


def test_a_lease_that_had_ended_is_kept_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who closed all memories for a while and opened one again lost it after 15 seconds."""
    monkeypatch.setattr("graphmem.storage.homes.lease.LEASE", 0.1)
    machine = Machine(new_home(), tmp_path)
    others = set(threading.enumerate())
    machine.open().close()
    for beats in set(threading.enumerate()) - others:
        beats.join(10)  # none is needed for nothing
    engine, begun = machine.open(), time.monotonic()
    while machine.lease.age >= (waited := time.monotonic() - begun):
        assert waited < 10
        time.sleep(0.01)
    engine.close()


def test_what_was_erased_from_the_home_leaves_the_cache(tmp_path: Path) -> None:
    """Erased bytes would stay on the machine of whoever had it open."""
    home = new_home()
    machine = Machine(home, tmp_path)
    engine = machine.open()
    engine.commit({b"a": b"secret"}, sync=True)
    home.erase("m")
    with pytest.raises(FencedError, match="erased"):
        engine.commit({b"b": b"2"}, sync=True)
    engine.close()
    assert not any(b"secret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("table", ["memory", "log", "snapshot", "prefix", "folder"])
def test_a_missing_table_is_told_of_at_once(table: str) -> None:
    """A home that had not been made anew for a new version was opened, and failed in the middle of
    a write."""
    home = new_home()
    home.home_id()
    home._server.doing(lambda c: c.execute(f"DROP TABLE graphmem_{table}"))
    with pytest.raises(MissingError, match="graphmem home make"):
        home.home_id()
    home.make()
    home.home_id()
    home.close()


def test_a_newer_format_is_refused_before_anything_changes(tmp_path: Path) -> None:
    """An older version that raised the epoch first would throw the newer one out."""
    home = new_home()
    machine = Machine(home, tmp_path)
    engine = machine.open()
    engine.commit({b"a": b"1"}, sync=True)
    engine.close()
    before = home.look("m")
    home._server.doing(lambda c: c.execute("UPDATE graphmem_memory SET format = 9"))
    with pytest.raises(NewerFormatError):
        machine.open(force=True)
    assert home.look("m").epoch == before.epoch


def test_a_forked_child_is_refused(tmp_path: Path) -> None:
    """Two processes on one connection would mix their statements."""
    home = new_home()
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        try:
            home.listed("", None, 1)
        except ForkedError:
            os.write(write, b"refused")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 100) == b"refused"
    os.close(read)
    os.close(write)


def test_a_home_that_is_not_there_is_told_of_at_once() -> None:
    """A wrong name of a host must not look like a slow network for ten seconds."""
    home = SqlHome(Postgres("postgresql://nobody@127.0.0.1:1/nothing"))
    begun = time.monotonic()
    with pytest.raises(StorageError, match="cannot be reached"):
        home.home_id()
    assert time.monotonic() - begun < PATIENCE / 2
    home.close()


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_disk_that_fails_after_the_append_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """The home has the batch and the cache may not: what is written next would miss it here."""
    machine = Machine(new_home(), tmp_path)
    engine = machine.open()
    engine.commit({b"a": b"1"}, sync=True)
    commit = engine._local.commit

    def failing(batch: Any, sync: bool = False) -> None:
        if when == "after":
            commit(batch, sync)
        raise FullError(28, "no space left")

    monkeypatch.setattr(engine._local, "commit", failing)
    with pytest.raises(FullError):
        engine.commit({b"b": b"2"}, sync=True)
    monkeypatch.undo()
    with pytest.raises(BrokenError):
        engine.commit({b"c": b"3"}, sync=True)
    engine.close()
    again = machine.open()
    assert shown(again) == {b"a": b"1", b"b": b"2"}
    again.close()


def test_force_also_takes_what_another_makes_at_that_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three processes that took a new memory by force, one was told that it is open."""
    home = new_home()
    one, two = Machine(home, tmp_path / "1"), Machine(home, tmp_path / "2")
    rows = home._rows

    def late(query: str, asked: Any) -> Any:
        found = rows(query, asked)
        monkeypatch.setattr(home, "_rows", rows)
        one.open()
        return found

    monkeypatch.setattr(home, "_rows", late)
    two.open(force=True).close()
