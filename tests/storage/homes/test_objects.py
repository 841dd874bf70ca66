"""Object storage that homes, copies of them and strangers share: each deletes only its own."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphmem.errors import CorruptError, InvalidArgumentError, StorageError
from graphmem.storage.homes import sql
from graphmem.storage.homes.home import Snapshot
from graphmem.storage.homes.objects import Objects
from graphmem.storage.homes.sql import SqlHome
from graphmem.storage.homes.sqlite import Sqlite
from tests.storage.homes.machine import Machine, shown

KEYS = b"\0\0\0\1", b"\0\0\0\2"


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Callable[[str], SqlHome]]:
    """The home of a folder, whose objects are where those of the others are."""
    made: list[SqlHome] = []

    def home(name: str) -> SqlHome:
        made.append(SqlHome(Sqlite(tmp_path / name), Objects(f"file://{tmp_path / 'bucket'}")))
        made[-1].make()
        return made[-1]

    yield home
    for each in made:
        each.close()


def with_snapshots(machine: Machine, *values: bytes) -> None:
    engine = machine.open()
    for value in values:
        engine.commit({KEYS[0]: value}, sync=True)
        engine._put_snapshot(erases=False)
    engine.close()


def read(machine: Machine) -> dict[bytes, bytes]:
    shutil.rmtree(machine.cache, ignore_errors=True)
    engine = machine.open()
    try:
        return shown(engine)
    finally:
        engine.close()


def bucket(tmp_path: Path) -> set[Path]:
    found = {path for path in (tmp_path / "bucket").rglob("*") if path.is_file()}
    for path in found:
        os.utime(path, (time.time() - 1e6,) * 2)  # a day when nobody was at work
    return found


def test_a_janitor_leaves_what_others_have(tmp_path: Path, at: Callable[[str], SqlHome]) -> None:
    """The janitor of one home deleted the only snapshot of another under the same URL, and a
    stranger's file beside them."""
    one, two = Machine(at("1"), tmp_path / "c1"), Machine(at("2"), tmp_path / "c2")
    (tmp_path / "bucket" / "invoices").mkdir(parents=True)
    (tmp_path / "bucket" / "invoices" / "2026-10.pdf").write_bytes(b"a stranger's")
    with_snapshots(one, b"1", b"2")
    with_snapshots(two, b"3")
    there = bucket(tmp_path)
    assert two.home.clean(0) == 0
    two.home.erase("m")
    two.home.clean(0)
    assert {path for path in there if "invoices" in str(path)} < bucket(tmp_path)
    assert len(bucket(tmp_path)) == len(there) - 1
    assert read(one) == {KEYS[0]: b"2"}
    assert one.home.clean(0) == 1
    assert len(bucket(tmp_path)) == 2
    assert read(one) == {KEYS[0]: b"2"}


def test_a_copy_of_a_database_deletes_nothing_of_the_other(
    tmp_path: Path, at: Callable[[str], SqlHome]
) -> None:
    """A copy for staging, with the same bucket: `erase` there deleted production's snapshot."""
    production = Machine(at("production"), tmp_path / "c1")
    with_snapshots(production, b"1", b"2")
    there = bucket(tmp_path)
    shutil.copytree(tmp_path / "production", tmp_path / "staging")
    staging = Machine(at("staging"), tmp_path / "c2")
    for refused in (staging.open, lambda: staging.home.erase("m"), lambda: staging.home.clean(0)):
        with pytest.raises(InvalidArgumentError, match="make --same"):
            refused()
    staging.home.make(same=False)
    assert read(staging) == {KEYS[0]: b"2"}
    with_snapshots(staging, b"3")
    engine = staging.open()
    assert engine.compact(*KEYS)
    engine.close()
    with_snapshots(staging, b"4")
    staging.home.erase("m")
    staging.home.clean(0)
    assert bucket(tmp_path) == there
    assert read(production) == {KEYS[0]: b"2"}


def test_an_erasure_says_which_objects_it_may_not_delete(
    tmp_path: Path, at: Callable[[str], SqlHome], caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever erases would think that no byte is left."""
    production = Machine(at("production"), tmp_path / "c1")
    with_snapshots(production, b"1")
    (there,) = bucket(tmp_path)
    shutil.copytree(tmp_path / "production", tmp_path / "staging")
    staging = Machine(at("staging"), tmp_path / "c2")
    staging.home.make(same=False)
    engine = staging.open()
    left = f"but for the objects {there.parent.relative_to(tmp_path / 'bucket')}"
    assert engine.compact(*KEYS)
    assert left in caplog.text
    caplog.clear()
    assert engine.compact(*KEYS)
    engine.close()
    assert caplog.text == ""
    production.home._objects = None
    production.home.erase("m")
    assert left in caplog.text


def test_a_database_that_has_moved_goes_on(tmp_path: Path, at: Callable[[str], SqlHome]) -> None:
    """Else what it has made before would be there for ever."""
    with_snapshots(Machine(at("old"), tmp_path / "c1"), b"1", b"2")
    shutil.copytree(tmp_path / "old", tmp_path / "new")
    moved = Machine(at("new"), tmp_path / "c2")
    moved.home.make(same=True)
    assert moved.home.clean(0) == 1
    assert read(moved) == {KEYS[0]: b"2"}
    moved.home.erase("m")
    assert bucket(tmp_path) == set()


def test_a_database_that_goes_back_finds_its_snapshot(
    tmp_path: Path, at: Callable[[str], SqlHome]
) -> None:
    """The owner's next snapshot deleted the objects that a standby, which was behind, still named:
    after the failover the memory could not be opened anywhere."""
    machine = Machine(at("home"), tmp_path / "cache")
    with_snapshots(machine, b"1")
    shutil.copytree(tmp_path / "home", tmp_path / "standby")
    with_snapshots(machine, b"2")
    assert machine.home.clean(3600) == 0
    standby = Machine(at("standby"), tmp_path / "c2")
    standby.home._server.place = machine.home._server.place
    assert read(standby) == {KEYS[0]: b"1"}
    assert machine.home.clean(0) == 1  # no longer kept
    with pytest.raises(CorruptError, match="the object"):
        read(standby)


def test_an_erasure_keeps_nothing(tmp_path: Path, at: Callable[[str], SqlHome]) -> None:
    """What a snapshot is kept for would be a promise that is not kept."""
    machine = Machine(at("home"), tmp_path / "cache")
    with_snapshots(machine, b"secret", b"secret!")
    engine = machine.open()
    engine.commit({KEYS[0]: b"1"}, sync=True)
    assert engine.compact(*KEYS)
    engine.close()
    assert [path for path in bucket(tmp_path) if b"secret" in path.read_bytes()] == []
    assert read(machine) == {KEYS[0]: b"1"}


def test_what_a_death_left_is_the_janitors(tmp_path: Path, at: Callable[[str], SqlHome]) -> None:
    """A process that dies while it writes a snapshot has told nobody of the parts."""
    machine = Machine(at("home"), tmp_path / "cache")
    with_snapshots(machine, b"1")
    engine = machine.open()

    def parts() -> Iterator[bytes]:
        yield b"a part"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        machine.home.put_snapshot(engine._stay, Snapshot(engine._place, "keys", False, 0), parts())
    engine.close()
    assert len(bucket(tmp_path)) == 2
    assert machine.home.clean(3600) == 0
    assert machine.home.clean(0) == 1
    assert len(bucket(tmp_path)) == 1
    assert read(machine) == {KEYS[0]: b"1"}


def test_a_janitor_takes_nothing_that_is_being_written(
    tmp_path: Path, at: Callable[[str], SqlHome]
) -> None:
    """With a short time to keep, no snapshot was ever finished while a janitor was at work."""
    machine = Machine(at("home"), tmp_path / "cache")
    with_snapshots(machine, b"1")
    engine = machine.open()
    engine.commit({KEYS[0]: b"2"}, sync=True)
    put = machine.home._objects.put  # type: ignore[union-attr]

    def slowly(*part: object) -> None:
        assert machine.home.clean(0) == 0
        put(*part)  # type: ignore[arg-type]
        assert machine.home.clean(0) == 0

    machine.home._objects.put = slowly  # type: ignore[union-attr, method-assign]
    engine._put_snapshot(erases=False)
    engine.close()
    assert machine.home.clean(0) == 1  # what it has replaced
    assert read(machine) == {KEYS[0]: b"2"}


def test_a_snapshot_that_took_longer_than_objects_are_kept_is_not_shown(
    tmp_path: Path, at: Callable[[str], SqlHome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A janitor took its first parts, and the memory could be opened nowhere."""
    monkeypatch.setattr(sql, "_UPLOAD", 0.0)
    machine = Machine(at("home"), tmp_path / "cache")
    with_snapshots(machine, b"1")
    engine = machine.open()

    def parts() -> Iterator[bytes]:
        yield b"a part"
        assert machine.home.clean(0) == 1
        yield b"another"

    with pytest.raises(StorageError, match="deleted"):
        machine.home.put_snapshot(engine._stay, Snapshot(engine._place, "keys", False, 0), parts())
    engine.close()
    assert read(machine) == {KEYS[0]: b"1"}
