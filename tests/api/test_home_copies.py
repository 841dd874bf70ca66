"""What goes into a home as a whole and comes out of it: copies, moves, restores, and what is damaged."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.errors import (
    ArgumentTypeError,
    CorruptError,
    DestinationError,
    InvalidArgumentError,
    MovedError,
    StorageError,
    UnfinishedError,
)
from graphmem.storage.homes.cache import OUTBOX_END, PLACE
from graphmem.storage.store import Store
from tests.api.test_homes import opened, until
from tests.storage.homes.test_packing import Vault


def test_a_folder_moves_in_and_out(home: graphmem.Home, tmp_path: Path) -> None:
    """Whoever has a folder begins with it, and whoever leaves takes one along."""
    with graphmem.open(tmp_path / "folder", worker="none") as memory:
        memory.remember("The tender is due on Friday.")
    home.adopt(tmp_path / "folder", "agent")
    with pytest.raises(DestinationError):
        home.adopt(tmp_path / "folder", "agent")
    with opened(home) as memory:
        memory.remember("The tender was moved to Monday.")
        memory.admin.backup(tmp_path / "open")
        home.backup("agent", tmp_path / "copied")
        assert home.check("agent") == []
    for copy in ("open", "copied"):
        with graphmem.open(tmp_path / copy, worker="none") as plain:
            assert plain.admin.stats()["nodes"] == 2
            assert plain.admin.check() == []
            plain.remember("A plain folder again.")
    home.restore(tmp_path / "folder", "agent")
    with opened(home) as memory:
        assert memory.admin.stats()["nodes"] == 1


def test_a_backup_has_nothing_that_waits_for_a_home(home: graphmem.Home, tmp_path: Path) -> None:
    """What waits is what was written, a second time: an erasure in the copy would not find it."""
    with opened(home, durability="group") as memory:
        for number in range(20):
            memory.remember(f"The tender has part {number}.")
        memory.admin.backup(tmp_path / "copy")
    with Store.open(tmp_path / "copy") as store:
        assert list(store.keys(PLACE, OUTBOX_END)) == []


@contextmanager
def failing_uploads(home: graphmem.Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A home that takes all but the parts of snapshots."""

    def run(statement: str, *given: Any) -> None:
        if statement == "put part":
            raise StorageError(5, "the connection is cut")
        works(statement, *given)

    works = home._store._run
    with monkeypatch.context() as cut:
        cut.setattr(home._store, "_run", run)
        yield


def test_an_adoption_that_failed_is_done_again(
    home: graphmem.Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name was another memory's from then on, until it was erased, and was listed."""
    for name in ("one", "two"):
        with graphmem.open(tmp_path / name, worker="none") as memory:
            memory.remember("The tender is due on Friday.")
    home.make()
    with failing_uploads(home, monkeypatch):
        for name in ("one", "two"):
            with pytest.raises(StorageError, match="cut"):
                home.adopt(tmp_path / name, name)
    assert home.list() == []
    for read in (home.open, partial(home.open, read_only=True), home.follow, home.check):
        with pytest.raises(UnfinishedError, match=r"'one' has not arrived"):
            read("one")  # type: ignore[operator]
    home.free("one")
    with pytest.raises(UnfinishedError):
        opened(home, "one", force=True)
    home.adopt(tmp_path / "one", "one")
    assert [memory.name for memory in home.list()] == ["one"]
    with opened(home, "one", create=False) as memory:
        assert len(memory) == 1
    with graphmem.Home("memory:from", cache=tmp_path / "cache") as other:
        other.adopt(tmp_path / "two", "two")
        other.move("two", home)  # the name is free for whoever comes
    with opened(home, "two", create=False) as memory:
        assert len(memory) == 1


@pytest.mark.parametrize("encrypted", [False, True])
def test_restores_that_failed_leave_the_memory_as_it_was(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, encrypted: bool
) -> None:
    """A row was in the log before the snapshot was: the second failure wrote over the key of the
    first one's row, and nobody could read the memory any more."""
    keys = Vault() if encrypted else None
    with graphmem.open(tmp_path / "folder", worker="none") as memory:
        memory.remember("The tender is due on Friday.")
    with graphmem.Home(url, cache=tmp_path / "cache", keys=keys) as home:
        with opened(home) as memory:
            memory.remember("Wen moved the release to May 10.")
        for _ in range(2):
            with failing_uploads(home, monkeypatch), pytest.raises(StorageError, match="cut"):
                home.restore(tmp_path / "folder", "agent")
        with graphmem.Home(url, cache=tmp_path / "elsewhere", keys=keys) as elsewhere:
            with opened(elsewhere) as memory:
                assert [node.text for node in memory] == ["Wen moved the release to May 10."]
            elsewhere.restore(tmp_path / "folder", "agent")
        with opened(home) as memory:
            assert [node.text for node in memory] == ["The tender is due on Friday."]
        if keys is not None:
            assert len(keys.kept) == 1
        home.erase("agent")
        assert keys is None or keys.kept == {}


def test_an_upload_into_a_name_that_was_made_and_never_written_can_be_opened_nowhere(
    home: graphmem.Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a process that died at its opening had left was opened as an empty memory; of one that
    was only freed nothing is in doubt."""
    with graphmem.open(tmp_path / "one", worker="none") as memory:
        memory.remember("The tender is due on Friday.")
    home.make()
    home._lease.leave(home._take("one", create=True))
    home.free("one")
    opened(home, "one").close()
    home.erase("one")
    home._lease.leave(home._take("one", create=True))
    with failing_uploads(home, monkeypatch), pytest.raises(StorageError, match="cut"):
        home.restore(tmp_path / "one", "one")
    with pytest.raises(UnfinishedError):
        opened(home, "one", force=True)
    home.restore(tmp_path / "one", "one")
    with opened(home, "one") as memory:
        assert len(memory) == 1


def cut_short(home: graphmem.Home, other: graphmem.Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Move the memory "agent", and be interrupted before anything has arrived."""
    with monkeypatch.context() as cut:
        cut.setattr(other, "_put", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            home.move("agent", other)


@pytest.mark.parametrize("uploading", [False, True])
def test_a_move_that_was_cut_short_is_finished(
    home: graphmem.Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uploading: bool
) -> None:
    """Between, the memory must be in one place and say in which, never in two. One that was cut
    short in its upload left a row in the other home, which was taken for a stranger's memory."""
    with opened(home) as memory:
        memory.remember("The tender is due on Friday.")
    with graphmem.Home(f"file://{tmp_path / 'other'}", cache=tmp_path / "cache") as other:
        if uploading:
            with failing_uploads(other, monkeypatch), pytest.raises(StorageError):
                home.move("agent", other)
        else:
            cut_short(home, other, monkeypatch)
        with pytest.raises(MovedError, match="other"):
            opened(home)
        for force in (False, True):
            with pytest.raises(UnfinishedError, match=r"'agent' has not arrived .* Do that again"):
                opened(other, force=force)
        home.move("agent", other)
        with pytest.raises(ArgumentTypeError, match="Home, got str"):
            home.move("agent", other.url)  # type: ignore[arg-type]
        assert home.list() == []
        with opened(other, create=False) as memory:
            assert memory.admin.stats()["nodes"] == 1


def test_a_move_that_was_cut_short_erases_nothing_for_the_sake_of_a_strangers_memory(
    home: graphmem.Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever had the name in the other home by then was taken for what had arrived: the memory
    was erased, or the stranger's written over."""
    with opened(home) as memory:
        memory.remember("The tender is due on Friday.")
    with graphmem.Home(f"file://{tmp_path / 'other'}", cache=tmp_path / "cache") as other:
        cut_short(home, other, monkeypatch)
        other.erase("agent")
        with opened(other) as stranger:
            stranger.remember("Somebody else's.")
        with pytest.raises(DestinationError):
            home.move("agent", other)
        assert [memory.name for memory in home.list()] == ["agent"]
        with opened(other, create=False) as stranger:
            assert [node.text for node in stranger] == ["Somebody else's."]
        other.erase("agent")
        home.move("agent", other)
        with opened(other, create=False) as memory:
            assert [node.text for node in memory] == ["The tender is due on Friday."]


def test_a_move_goes_to_a_name_that_is_free_and_to_one_home_only(
    home: graphmem.Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Begun to a name that somebody has, it would end in neither home."""
    with opened(home) as memory:
        memory.remember("The tender is due on Friday.")
    with (
        graphmem.Home(f"file://{tmp_path / 'other'}", cache=tmp_path / "cache") as other,
        graphmem.Home(f"file://{tmp_path / 'third'}", cache=tmp_path / "cache") as third,
    ):
        with opened(other), pytest.raises(DestinationError, match="agent"):
            home.move("agent", other)
        with monkeypatch.context() as meanwhile:  # it was free when the move looked
            meanwhile.setattr(other._store, "look", lambda name: home._store.look("nobody"))
            with pytest.raises(DestinationError, match="agent"):
                home.move("agent", other)
        opened(home).close()  # it has not begun to move
        other.erase("agent")
        cut_short(home, other, monkeypatch)
        with pytest.raises(MovedError, match=r"on its way to file:.*/other: move it there"):
            home.move("agent", third)
        home.move("agent", other)
        with opened(other, create=False) as memory:
            assert len(memory) == 1


def test_a_cache_mends_a_home_in_which_a_row_is_damaged(
    home: graphmem.Home, elsewhere: graphmem.Home
) -> None:
    """The advice was to restore a backup, which is older than what lies on this machine."""
    with opened(home) as memory:
        memory.remember("The tender is due on Friday.")
        folder = memory.path
    assert folder is not None
    damage = "UPDATE graphmem_log SET content = substr(content, 2)"
    home._store._doing(lambda c: c.execute(damage))
    with pytest.raises(CorruptError, match=f"{folder} has it .*graphmem home restore"):
        opened(home)
    home.restore(folder, "agent")
    for there in (home, elsewhere):
        with opened(there) as memory:
            assert [node.text for node in memory] == ["The tender is due on Friday."]


@pytest.mark.parametrize("encrypted", [False, True])
def test_what_was_set_aside_is_a_folder_like_any_other(
    tmp_path: Path, url: str, encrypted: bool
) -> None:
    """It may be the only copy, and was refused by all that could have used it. With keys, and a
    database from before an erasure, it is all that there is."""
    keys = Vault() if encrypted else None
    cache = tmp_path / "cache"
    with graphmem.Home(url, cache=cache, keys=keys) as home, opened(home) as memory:
        memory.remember("The tender is due on Friday.")
        secret = memory.remember("The colour: teal door.")
    shutil.copytree(tmp_path / "home", tmp_path / "earlier")
    with graphmem.Home(url, cache=cache, keys=keys) as home, opened(home) as memory:
        memory.remember("Wen moved the release to May 10.")
        memory.forget(secret, erase=True)
        texts = {node.text for node in memory.nodes()}
    shutil.rmtree(tmp_path / "home")
    shutil.move(tmp_path / "earlier", tmp_path / "home")
    with graphmem.Home(url, cache=cache, keys=keys) as home:
        if encrypted:
            with pytest.raises(InvalidArgumentError, match="restore what a cache has set aside"):
                opened(home)
        else:
            opened(home).close()
        (aside,) = cache.rglob("*.ahead-*")
        home.restore(aside, "agent")
        home.adopt(aside, "beside")
        for name in ("agent", "beside"):
            with opened(home, name) as memory:
                assert {node.text for node in memory.nodes()} == texts
                assert memory.admin.check() == []
    with graphmem.open(aside, worker="none") as memory:
        assert {node.text for node in memory.nodes()} == texts
        memory.remember("Written without a home.")
        assert memory.admin.check() == []


def test_what_was_set_aside_goes_with_its_memory(
    home: graphmem.Home, tmp_path: Path, url: str
) -> None:
    """A cache that a restored home is behind stays for whoever must look, but not after `erase`."""
    with opened(home) as memory:
        memory.remember("The tender is due on Friday.")
    shutil.copytree(tmp_path / "home", tmp_path / "earlier")
    with opened(home) as memory:
        memory.remember("The colour: teal door.")
    home.close()
    shutil.rmtree(tmp_path / "home")
    shutil.move(tmp_path / "earlier", tmp_path / "home")
    with graphmem.Home(url, cache=tmp_path / "cache") as restored:
        opened(restored).close()
        restored.janitor()
        assert list((tmp_path / "cache").rglob("*.ahead-*"))
        restored.erase("agent")
        assert not list((tmp_path / "cache").rglob("*.ahead-*"))


@pytest.mark.parametrize("objects", [False, True])
def test_a_check_tells_of_all_that_is_damaged(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, objects: bool
) -> None:
    """It ended in an error at the first row, and nobody knew whether there was a second."""
    monkeypatch.setattr("graphmem.storage.homes.cache.PART", 1 << 10)
    where = f"file://{tmp_path / 'objects'}" if objects else None
    with graphmem.Home(url, objects=where, cache=tmp_path / "cache") as home:
        with opened(home) as memory:
            memory.remember_many([f"Note {number} of many." for number in range(50)])
            memory.forget(next(iter(memory.nodes())), erase=True)  # so that there is a snapshot
            for number in range(4):
                memory.remember(f"Row {number}.")
        assert home.check("agent") == []
        stay = home._store.look("agent")
        positions = [row.place.position for row in home._store.tail(stay.memory, stay.snapshot)]
        assert (stay.parts > 3, len(positions) > 3) == (True, True)

        def run(statement: str, *values: int) -> None:
            home._store._doing(lambda c: c.execute(statement, values))

        if objects:
            (tmp_path / "objects" / str(stay.folder) / "000000").unlink()
            (tmp_path / "objects" / str(stay.folder) / "000002").write_bytes(b"nonsense")
        else:
            run("DELETE FROM graphmem_snapshot WHERE part = %s", 0)
            run("UPDATE graphmem_snapshot SET content = substr(content, 2) WHERE part = %s", 2)
        run(
            "UPDATE graphmem_log SET content = substr(content, 2) WHERE position = %s", positions[0]
        )
        run("DELETE FROM graphmem_log WHERE position = %s", positions[1])
        run("DELETE FROM graphmem_log WHERE position = %s", positions[-1])
        found = home.check("agent")
        says = [
            "000000 is missing" if objects else f"part 0 of snapshot {stay.snapshot} is missing",
            f"part 2 of snapshot {stay.snapshot} of the memory {stay.memory} in its home is damaged",
            f"row {positions[0]} of the memory {stay.memory} in its home is damaged",
            f"the row behind position {positions[0]} is missing",
            f"the row behind position {positions[-2]} is missing",
        ]
        assert [say in fault for say, fault in zip(says, found, strict=True)] == [True] * 5


KILLED = """
import os, signal, sys, graphmem
from graphmem.storage.homes import sql
sql.LEASE = 0.5
verb, here, there, folder, cache = sys.argv[1:]
home, other = graphmem.Home(here, cache=cache), graphmem.Home(there, cache=cache)
run = sql.SqlHome._run
def dies(self, statement, *given):
    run(self, statement, *given)
    if statement == "put part":
        os.kill(os.getpid(), signal.SIGKILL)
sql.SqlHome._run = dies
if verb == "move":
    home.move("agent", other)
else:
    getattr(other, verb)(folder, "agent")
"""


@pytest.mark.parametrize("verb", ["adopt", "restore", "move"])
def test_what_was_killed_while_it_uploaded_is_done_again(
    home: graphmem.Home, tmp_path: Path, url: str, verb: str
) -> None:
    """The name was taken for good, by a memory that nobody had written, and which opened as an
    empty one."""
    with opened(home) as memory:
        memory.remember("The tender is due on Friday.")
    home.backup("agent", tmp_path / "folder")
    there = f"file://{tmp_path / 'other'}"
    with graphmem.Home(there, cache=tmp_path / "cache") as other:
        other.make()
        if verb == "restore":
            with opened(other) as memory:
                memory.remember("Wen moved the release to May 10.")
        given = [verb, url, there, str(tmp_path / "folder"), str(tmp_path / "killed")]
        done = subprocess.run([sys.executable, "-c", KILLED, *given], check=False)
        assert done.returncode == -signal.SIGKILL
        again: Callable[[], None] = partial(home.move, "agent", other)
        if verb != "move":
            again = partial(getattr(other, verb), tmp_path / "folder", "agent")
        if verb != "restore":
            with pytest.raises(UnfinishedError, match="Do that again"):
                opened(other, force=True)
        until(lambda: not any(memory.alive for memory in other.list()))
        if verb != "restore":
            with pytest.raises(UnfinishedError):
                opened(other)
        else:
            with opened(other) as memory:
                assert [node.text for node in memory] == ["Wen moved the release to May 10."]
        again()
        with opened(other, create=False) as memory:
            assert [node.text for node in memory] == ["The tender is due on Friday."]
            assert memory.admin.check() == []
