"""The cache of a home: used if it is a beginning of what the home has, else made anew."""

import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.errors import CorruptError, FencedError
from graphmem.storage.homes import cache as caches
from graphmem.storage.homes.home import Row, Stay
from graphmem.storage.homes.objects import Objects
from graphmem.storage.homes.reader import Reader
from graphmem.storage.homes.sql import SqlHome
from graphmem.storage.homes.sqlite import Sqlite
from tests.storage.homes.machine import ALL, Machine, batches, new_home, shown


def home_in(folder: Path, objects: Path | None = None) -> SqlHome:
    home = SqlHome(Sqlite(folder), None if objects is None else Objects(f"file://{objects}"))
    home.make()
    return home


def test_a_cache_is_used_again(tmp_path: Path) -> None:
    """Fetching all of a memory at each opening would take seconds."""
    machine = Machine(new_home(), tmp_path)
    engine = machine.open()
    batches(engine, {b"a": b"1"}, {b"b": b"2"})
    engine.close()
    again = machine.open()
    assert (again.figures()["cached"], again.figures()["rows_read"]) == (True, 0)
    again.close()


def test_a_cache_from_before_a_restart_of_the_machine_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing in a cache is synced: after a power cut its files may say anything."""
    machine = Machine(new_home(), tmp_path / "cache")
    engine = machine.open()
    engine.commit({b"a": b"1"}, sync=True)
    engine.close()
    (tmp_path / "boot").write_text("another\n")
    monkeypatch.setattr(caches, "_BOOT", tmp_path / "boot")
    again = machine.open()
    assert again.figures()["cached"] is False
    assert shown(again) == {b"a": b"1"}
    again.close()


def test_the_death_of_a_process_loses_nothing_of_group(tmp_path: Path) -> None:
    """With "group" an acknowledged write was lost by a kill -9 before its append, although its
    batch was on the disk of the machine; or was written twice when its row had arrived."""
    home = new_home()
    machine = Machine(home, tmp_path)
    engine = machine.open()
    engine.commit({b"a": b"1"})
    engine.commit({b"b": b"2"})
    engine.sync()  # in the home, and still in the outbox
    machine.die(engine)
    engine = machine.open()
    engine.commit({b"c": b"3"})
    engine.commit({b"d": b"4"})
    machine.die(engine)
    again = machine.open()
    expected = {b"a": b"1", b"b": b"2", b"c": b"3", b"d": b"4"}
    assert again.figures()["cached"] is True
    assert shown(again) == expected
    assert home.look("m").position == 4
    again.close()
    machine.lose_disk()
    anew = machine.open()
    assert shown(anew) == expected
    anew.close()


def test_what_another_has_gone_on_without_is_not_mixed_in(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A batch of the outbox builds on what was there: after another's writes it would undo them."""
    home = new_home()
    one, two = Machine(home, tmp_path / "1"), Machine(home, tmp_path / "2")
    engine = one.open()
    engine.commit({b"a": b"1"}, sync=True)
    engine.commit({b"a": b"lost"})
    one.die(engine)
    other = two.open(force=True)
    other.commit({b"a": b"2"}, sync=True)
    other.close()
    with caplog.at_level(logging.WARNING, "graphmem.home"):
        again = one.open()
    assert "1 writes" in caplog.text
    assert shown(again) == {b"a": b"2"}
    again.close()


def test_what_is_taken_during_an_opening_is_not_mixed_in(tmp_path: Path) -> None:
    """The opening had found that its outbox still fits, and then read another's row on top of it:
    at the next opening the outbox seemed to follow that row, and was written into the home (found
    by taking a memory by force 273 times)."""
    home = new_home()
    one, two = Machine(home, tmp_path / "1"), Machine(home, tmp_path / "2")
    engine = one.open()
    engine.commit({b"a": b"1"}, sync=True)
    engine.commit({b"b": b"never in the home"})
    one.die(engine)
    tail = home.tail

    def taken_meanwhile(memory: str, after: int) -> Iterator[Row]:
        found = list(tail(memory, after))
        home.tail = tail  # type: ignore[method-assign]
        other = two.open(force=True)
        other.commit({b"c": b"2"}, sync=True)
        other.close()
        return iter(found)

    home.tail = taken_meanwhile  # type: ignore[method-assign]
    with pytest.raises(FencedError):
        one.open(force=True)
    again = one.open()
    assert shown(again) == {b"a": b"1", b"c": b"2"}
    again.close()
    one.lose_disk()
    anew = one.open()
    assert shown(anew) == {b"a": b"1", b"c": b"2"}
    anew.close()


def test_a_cache_ahead_of_its_home_is_set_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """After a failover of the database to a standby that was behind, the cache was removed: it was
    the only copy of what had been acknowledged."""
    home = home_in(tmp_path / "home")
    machine = Machine(home, tmp_path / "cache")
    engine = machine.open()
    engine.commit({b"a": b"1"}, sync=True)
    engine.close()
    shutil.copytree(tmp_path / "home", tmp_path / "earlier")
    engine = machine.open()
    engine.commit({b"b": b"only here"}, sync=True)
    engine.close()
    home.close()
    earlier = home_in(tmp_path / "earlier")
    restored = Machine(earlier, tmp_path / "cache")
    with caplog.at_level(logging.ERROR, "graphmem.home"):
        again = restored.open()
    assert "only copy" in caplog.text
    assert shown(again) == {b"a": b"1"}
    again.commit({b"c": b"1"}, sync=True)
    again.close()
    (aside,) = (tmp_path / "cache").glob(f"*{caches.ASIDE}*")
    assert any(b"only here" in path.read_bytes() for path in aside.rglob("*") if path.is_file())
    assert aside.stat().st_mode & 0o077 == 0
    earlier.close()


def test_nobody_else_may_read_a_home_its_objects_or_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a common umask everybody on the machine could read what its agents were told."""
    monkeypatch.setattr(caches, "PHYSICAL", 0)
    old = os.umask(0o022)
    try:
        machine = Machine(home_in(tmp_path / "home", tmp_path / "objects"), tmp_path / "cache")
        engine = machine.open()
        engine.commit({b"a": b"secret"}, sync=True)
        assert engine.compact(*ALL)  # which puts a snapshot into the objects
        engine.close()
        machine.lose_disk()
        machine.open().close()
    finally:
        os.umask(old)
    (cache,) = (tmp_path / "cache").iterdir()
    places = [tmp_path / "home", tmp_path / "objects", cache / "store"]
    assert {path.stat().st_mode & 0o777 for path in places} == {0o700}
    files = [*(tmp_path / "home").iterdir(), *(cache / "store").iterdir()]
    assert {
        path.name: path.stat().st_mode & 0o077 for path in files if path.is_file()
    } == dict.fromkeys((path.name for path in files), 0)


def test_a_cache_of_another_lineage_is_set_aside(tmp_path: Path) -> None:
    """After a restore others may have written as far as the cache: the same position, another row."""
    home = home_in(tmp_path / "home")
    machine = Machine(home, tmp_path / "cache")
    engine = machine.open()
    engine.commit({b"a": b"1"}, sync=True)
    engine.close()
    shutil.copytree(tmp_path / "home", tmp_path / "earlier")
    engine = machine.open()
    engine.commit({b"b": b"lost"}, sync=True)
    engine.close()
    home.close()
    earlier = home_in(tmp_path / "earlier")
    other = Machine(earlier, tmp_path / "other").open()
    batches(other, {b"c": b"1"}, {b"d": b"1"})
    other.close()
    again = Machine(earlier, tmp_path / "cache").open()
    assert shown(again) == {b"a": b"1", b"c": b"1", b"d": b"1"}
    again.close()
    assert list((tmp_path / "cache").glob(f"*{caches.ASIDE}*"))
    earlier.close()


def test_a_damaged_row_is_told_of(tmp_path: Path) -> None:
    """Read as it is, it would be a memory that never was."""
    home = new_home()
    machine = Machine(home, tmp_path)
    engine = machine.open()
    engine.commit({b"a": b"1"}, sync=True)
    stay: Stay = engine._stay
    engine.close()
    machine.lose_disk()
    (row,) = home.tail(stay.memory, 0)
    flipped = bytes((row.content[0],)) + bytes((row.content[1] ^ 1,)) + row.content[2:]
    home._server.doing(lambda c: c.execute("UPDATE graphmem_log SET content = %s", (flipped,)))
    with pytest.raises(CorruptError, match=r"row 1 of the memory .* is damaged"):
        machine.open()


@pytest.mark.parametrize("position", [1, 2, 3])
@pytest.mark.parametrize("missing", [False, True])
def test_a_damaged_row_is_told_of_where_a_cache_has_it(
    tmp_path: Path, position: int, missing: bool
) -> None:
    """Without keys, a machine with a cache went on as if all were well; when it was lost, so was
    the memory."""
    home = new_home()
    machine = Machine(home, tmp_path)
    engine = machine.open()
    batches(engine, {b"a": b"1"}, {b"b": b"2"}, {b"c": b"3"})
    engine.close()
    Reader(home, "m", tmp_path, None, "lmdb").close()
    change = "DELETE FROM graphmem_log" if missing else "UPDATE graphmem_log SET content = content"
    if not missing:
        (row,) = (row for row in home.tail(engine._stay.memory, 0) if row.first == position)
        change = change.removesuffix("content") + "%s"
    damaged = () if missing else (row.content[:-1] + bytes((row.content[-1] ^ 1,)),)
    statement = f"{change} WHERE position = %s"
    home._server.doing(lambda c: c.execute(statement, (*damaged, position)))
    says = "is missing" if missing else rf"row {position} .* is damaged: .* position 3 of 3"
    with pytest.raises(CorruptError, match=says):
        machine.open()
    with pytest.raises(CorruptError, match=says):
        Reader(home, "m", tmp_path, None, "lmdb")


@pytest.mark.parametrize("what", ["row", "last row", "part", "object"])
def test_what_is_missing_is_named(tmp_path: Path, what: str) -> None:
    """An opening looked again and again, 250 times a second and for ever, for a row or an object
    that nothing had replaced."""
    home = new_home() if what != "object" else home_in(tmp_path / "home", tmp_path / "objects")
    machine = Machine(home, tmp_path / "cache")
    engine = machine.open()
    batches(engine, {b"a": b"1"}, {b"b": b"2"}, {b"c": b"3"})
    if what in ("part", "object"):
        engine._put_snapshot(erases=False)
    engine.close()
    machine.lose_disk()
    missing = "DELETE FROM graphmem_log WHERE position = %s"
    if what == "part":
        missing = "DELETE FROM graphmem_snapshot WHERE position = %s"
    home._server.doing(lambda c: c.execute(missing, (3 if what != "row" else 2,)))
    for path in (tmp_path / "objects").glob("*"):
        shutil.rmtree(path)
    says = {"part": "^part 0 of snapshot 3", "object": "object .*/000000"}
    named = (
        says.get(what, f"row behind position {1 if what == 'row' else 2}") + " of 'm' is missing"
    )
    with pytest.raises(CorruptError, match=named):
        machine.open()
    with pytest.raises(CorruptError, match=named):
        Reader(home, "m", tmp_path / "reader", None, "lmdb")


def test_a_damaged_cache_is_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A home is there so that a broken disk is no loss."""
    machine = Machine(new_home(), tmp_path)
    engine = machine.open()
    engine.commit({b"a": b"1"}, sync=True)
    engine.close()
    for path in tmp_path.rglob("*.mdb"):
        path.write_bytes(b"nonsense" * 1000)
    with caplog.at_level(logging.WARNING, "graphmem.home"):
        again = machine.open()
    assert "damaged" in caplog.text
    assert shown(again) == {b"a": b"1"}
    again.close()
