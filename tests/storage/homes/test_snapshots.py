"""Snapshots: what they replace is in them, and what was erased comes back in none."""

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from graphmem.errors import FencedError, StorageError
from graphmem.storage.homes import cache as caches
from graphmem.storage.homes import home_engine
from graphmem.storage.homes.home import Place, Snapshot
from graphmem.storage.homes.objects import Objects
from graphmem.storage.homes.sql import SqlHome
from graphmem.storage.homes.sqlite import Sqlite
from tests.storage.homes.machine import Machine, new_home, shown
from tests.storage.homes.test_packing import Vault

FILL = {b"\0\0\0\1%06d" % n: b"value %d" % n for n in range(2000)}


def reopened(machine: Machine) -> dict[bytes, bytes]:
    machine.lose_disk()
    engine = machine.open()
    found = shown(engine)
    engine.close()
    return found


@pytest.mark.parametrize("objects", [False, True])
def test_a_slow_snapshot_does_not_replace_one_that_erases(tmp_path: Path, objects: bool) -> None:
    """A background snapshot at position 2 that ended after an erasing one at 4 took its place: the
    log between was gone, and what had been erased was back."""
    where = Objects(f"file://{tmp_path / 'objects'}") if objects else None
    home = SqlHome(Sqlite(None), where)
    home.make()
    machine = Machine(home, tmp_path / "cache")
    engine = machine.open()
    engine.commit({b"\0\0\0\1a": b"secret"}, sync=True)
    stay = engine._stay
    early = Place(stay.position, stay.epoch, home.place_at(stay.memory, stay.position).id)  # type: ignore[union-attr]

    def slowly() -> object:
        yield b"a part with the secret"
        engine.commit({b"\0\0\0\1a": None, b"\0\0\0\1b": b"2"}, sync=True)
        assert engine.compact(b"\0\0\0\1", b"\0\0\0\2")

    with pytest.raises(StorageError, match="newer" if objects else "deleted"):
        home.put_snapshot(stay, Snapshot(early, "keys", False, 0), slowly())  # type: ignore[arg-type]
    assert engine.figures()["error"] is None
    engine.commit({b"\0\0\0\1c": b"3"}, sync=True)
    engine.close()
    assert reopened(machine) == {b"\0\0\0\1b": b"2", b"\0\0\0\1c": b"3"}


def test_a_snapshot_ahead_of_its_home_is_not_shown(tmp_path: Path) -> None:
    """After a failover to a standby that was behind, an owner showed its snapshot above the end of
    the log: what the next owner wrote below it was acknowledged, and never read."""
    home = SqlHome(Sqlite(tmp_path / "home"))
    home.make()
    engine = Machine(home, tmp_path / "cache").open()
    engine.commit({b"\0\0\0\1a": b"1"}, sync=True)
    shutil.copytree(tmp_path / "home", tmp_path / "standby")
    engine.commit({b"\0\0\0\1b": b"2"}, sync=True)
    engine.commit({b"\0\0\0\1c": b"3"}, sync=True)
    home.close()
    home._server = Sqlite(tmp_path / "standby")
    with pytest.raises(FencedError, match="its log is at 1"):
        engine._put_snapshot(erases=False)
    engine.close()
    other = Machine(home, tmp_path / "other")
    owner = other.open(force=True)
    owner.commit({b"\0\0\0\1d": b"4"}, sync=True)
    owner.close()
    assert reopened(other) == {b"\0\0\0\1a": b"1", b"\0\0\0\1d": b"4"}
    home.close()


def test_snapshots_of_one_memory_are_made_one_at_a_time(tmp_path: Path) -> None:
    """While many write, erase and snapshot, what the home has stays what the memory is."""
    machine = Machine(new_home(), tmp_path)
    engine = machine.open()
    faults: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(20):
                engine.commit({b"\0\0\0\1%d %d" % (number, step): b"x" * 100}, sync=bool(step % 2))
                if step % 5 == number:
                    engine._snapshot_quietly()
                if step % 9 == number:
                    engine.compact(b"\0\0\0\1", b"\0\0\0\2")
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    expected = shown(engine)
    assert len(expected) == 80
    engine.close()
    assert reopened(machine) == expected


def test_a_snapshot_has_nothing_that_the_home_has_not(tmp_path: Path) -> None:
    """A batch that was written between the append and the snapshot was in the snapshot, but in no
    row: when its process was fenced, another's batches came on top of it, and keys of two lives
    were mixed (found by taking a memory by force 334 times)."""
    home = new_home()
    machine = Machine(home, tmp_path / "1")
    engine = machine.open()
    engine.commit({b"a": b"1"})
    append = home.append
    later = threading.Thread(target=lambda: engine.commit({b"later": b"2"}))

    def meanwhile(*given: Any) -> None:
        append(*given)
        later.start()
        later.join(0.2)

    home.append = meanwhile  # type: ignore[method-assign]
    engine._put_snapshot(erases=False)
    home.append = append  # type: ignore[method-assign]
    later.join()
    other = Machine(home, tmp_path / "2").open(force=True)
    assert shown(other) == {b"a": b"1"}
    other.close()
    machine.die(engine)


@pytest.mark.parametrize("kind", ["lmdb", pytest.param("leveldb", marks=pytest.mark.leveldb)])
@pytest.mark.parametrize("physical", [False, True])
@pytest.mark.parametrize("objects", [False, True])
def test_a_snapshot_is_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, physical: bool, objects: bool
) -> None:
    """All keys and no other, as pairs or as the engine's files, in the table or in objects."""
    monkeypatch.setattr(caches, "PHYSICAL", 0 if physical else 1 << 40)
    where = Objects(f"file://{tmp_path / 'objects'}") if objects else None
    home = SqlHome(Sqlite(None), where)
    home.make()
    machine = Machine(home, tmp_path / "cache")
    engine = machine.open(kind=kind)  # type: ignore[arg-type]
    engine.commit(FILL)
    engine.commit(dict.fromkeys(list(FILL)[::3]))
    engine.commit({b"last": b"\0" * (3 << 20)})
    engine._put_snapshot(erases=False)
    stay = engine._stay
    assert (stay.form == "keys") is not physical
    assert stay.log_bytes == 0
    assert list(home.tail(stay.memory, 0)) == []
    engine.commit({b"then": b"1"}, sync=True)
    expected = shown(engine)
    engine.close()
    assert reopened(machine) == expected
    if objects:
        assert any((tmp_path / "objects").rglob("*"))
        home.erase("m")
        assert not any(path.is_file() for path in (tmp_path / "objects").rglob("*"))


def test_a_snapshot_is_made_once_in_so_many_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If rows were counted from the opening, each write of a long life would send all of it."""
    monkeypatch.setattr(home_engine, "SNAPSHOT_ROWS", 3)
    engine = Machine(new_home(), tmp_path).open()
    for step in range(12):
        engine.commit({b"\0\0\0\1%d" % step: b"x"}, sync=True)
        if engine._snapshotter is not None:
            engine._snapshotter.join()
    assert engine.figures()["snapshots"] == 3
    engine.close()


def test_a_snapshot_of_which_parts_are_gone_is_not_shown(tmp_path: Path) -> None:
    """A janitor took what no memory names yet from an owner that lives. One that seems dead may
    lose it, and must not show what is left."""
    home = new_home()
    machine = Machine(home, tmp_path)
    engine = machine.open()
    engine.commit(FILL, sync=True)
    stay = engine._stay

    def parts() -> object:
        yield b"a"
        assert home.clean(0) == 0
        home.end(machine.lease._host)
        assert home.clean(0) == 1
        yield b"b"

    with pytest.raises(StorageError, match="deleted"):
        home.put_snapshot(stay, Snapshot(engine._place, "keys", False, 0), parts())  # type: ignore[arg-type]
    assert engine._stay.snapshot == 0
    expected = shown(engine)
    engine.close()
    assert reopened(machine) == expected
    assert home.clean(0) == 0  # it took its own parts along


def test_an_erasure_whose_answer_was_lost_makes_nothing_unreadable(tmp_path: Path) -> None:
    """The owner went on with the key that its snapshot had replaced: the next opening destroyed
    that key, and with it what had been acknowledged since."""
    home, vault = new_home(), Vault()
    machine = Machine(home, tmp_path, vault)
    engine = machine.open()
    engine.commit({b"\0\0\0\1a": b"1"}, sync=True)
    doing = home._doing

    def silent(act: Any, *given: Any, **named: Any) -> Any:
        result = doing(act, *given, **named)
        if act.__name__ == "show":
            raise StorageError(5, "the home does not answer")
        return result

    home._doing = silent  # type: ignore[method-assign]
    with pytest.raises(StorageError, match="answer"):
        engine.compact(b"\0\0\0\1", b"\0\0\0\2")
    home._doing = doing  # type: ignore[method-assign]
    engine.commit({b"\0\0\0\1b": b"2"}, sync=True)
    engine.close()
    for _ in range(2):
        assert reopened(machine) == {b"\0\0\0\1a": b"1", b"\0\0\0\1b": b"2"}
    assert len(vault.kept) == 1


def test_what_was_erased_is_nowhere(tmp_path: Path) -> None:
    """In the files of the cache, the rows of a home in a folder, its log and its objects."""
    secret = b"the colour of the door is teal"
    where = Objects(f"file://{tmp_path / 'objects'}")
    home = SqlHome(Sqlite(tmp_path / "home"), where)
    home.make()
    machine = Machine(home, tmp_path / "cache")
    engine = machine.open()
    key = b"\0\0\0\1a"
    engine.commit({key: secret})
    engine.sync()
    engine._put_snapshot(erases=False)
    engine.commit({key: secret + b"!"}, sync=True)
    engine.commit({key: None, b"\0\0\0\1b": b"1"}, sync=True)
    assert engine.compact(b"\0\0\0\1", b"\0\0\0\2")
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or secret not in path.read_bytes(), path
    engine.close()
    home.close()
