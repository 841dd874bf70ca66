"""Readers of a memory that another process writes."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from graphmem.errors import MissingError, MovedError, NewerFormatError, StorageError
from graphmem.storage.engines import Kind
from graphmem.storage.homes.cache import noted, remove_old
from graphmem.storage.homes.reader import Reader
from tests.storage.homes.machine import Machine, new_home, shown


def read(reader: Reader) -> dict[bytes, bytes]:
    engine = reader.frozen()
    try:
        return shown(engine)
    finally:
        engine.close()


def polled(reader: Reader) -> Reader:
    found = reader.poll()
    assert found is not None
    if found is not reader:
        reader.close(remove=True)
    return found


def test_a_reader_over_a_gap_begins_anew(tmp_path: Path) -> None:
    """One at position 1 with a snapshot at 3 got row 4 only, and skipped 2 and 3 without a word."""
    home = new_home()
    machine = Machine(home, tmp_path / "1")
    engine = machine.open()
    engine.commit({b"1": b"1"}, sync=True)
    reader = Reader(home, "m", tmp_path / "2", None, "lmdb")
    engine.commit({b"2": b"2"}, sync=True)
    engine.commit({b"3": b"3", b"1": None}, sync=True)
    engine._put_snapshot(erases=False)
    engine.commit({b"4": b"4"}, sync=True)
    reader = polled(reader)
    assert read(reader) == {b"2": b"2", b"3": b"3", b"4": b"4"} == shown(engine)
    assert reader.poll() is None
    engine.commit({b"5": b"5"}, sync=True)
    assert polled(reader) is reader
    assert read(reader) == shown(engine)
    reader.close()
    engine.close()


def test_a_newer_format_is_not_read(tmp_path: Path) -> None:
    """It was refused to writers alone: a reader took rows that it does not know for what it does."""
    home = new_home()
    engine = Machine(home, tmp_path / "1").open()
    engine.commit({b"1": b"1"}, sync=True)
    reader = Reader(home, "m", tmp_path / "2", None, "lmdb")
    home._server.doing(lambda c: c.execute("UPDATE graphmem_memory SET format = 9"))
    for moved in (False, True):
        with pytest.raises(NewerFormatError, match=r"'m' has format 9 .* install a newer"):
            Reader(home, "m", tmp_path / "3", None, "lmdb", moved=moved)
    engine.commit({b"2": b"2"}, sync=True)
    with pytest.raises(NewerFormatError):
        reader.poll()
    assert read(reader) == {b"1": b"1"}
    reader.close()
    engine.close()


@pytest.mark.parametrize("whose", ["reader", "owner"])
@pytest.mark.parametrize("cached", [False, True])
def test_an_opening_that_fails_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str, cached: bool
) -> None:
    """Each try while the home was away left the files of the cache open: the next one was refused,
    and a follower that tried again and again ran out of descriptors."""
    home = new_home()
    machine = Machine(home, tmp_path)
    engine = machine.open()
    engine.commit({b"1": b"1"}, sync=True)
    engine.close()
    Reader(home, "m", tmp_path, None, "lmdb").close()
    if not cached:
        machine.lose_disk()

    def opened() -> None:
        Reader(home, "m", tmp_path, None, "lmdb").close() if whose == "reader" else (
            machine.open().close()
        )

    def away(*_: object) -> None:
        raise StorageError(5, "the home is away")

    for call in ("place_at", "tail"):
        with monkeypatch.context() as cut:
            cut.setattr(home, call, away)
            before = open_files(tmp_path)
            if cached or call == "tail":
                with pytest.raises(StorageError, match="away") as raised:
                    opened()
                assert raised.tb is not None  # it keeps alive all that it went through
            assert open_files(tmp_path) == before == []
    opened()


def open_files(folder: Path) -> list[str]:
    names = [os.path.realpath(path) for path in Path("/proc/self/fd").iterdir()]
    return [name for name in names if name.startswith(str(folder))]


def holding(folder: Path, secret: bytes) -> list[Path]:
    """The files in which something stands; what is deleted meanwhile is none."""
    found = []
    for place, _, names in os.walk(folder):
        for path in (Path(place, name) for name in names):
            with suppress(FileNotFoundError):
                if path.is_file() and secret in path.read_bytes():
                    found.append(path)
    return found


@pytest.mark.parametrize("kept_with", ["leveldb", "lmdb"])
@pytest.mark.parametrize("again", ["polled", "opened", "janitor"])
def test_a_reader_that_has_applied_an_erasure_keeps_no_byte(
    tmp_path: Path, kept_with: Kind, again: str
) -> None:
    """One that read the deletion before the owner compacted was at the position of the erasure, and
    counted as clean: the text stayed in its log for good."""
    home = new_home()
    engine = Machine(home, tmp_path / "1").open(kind=kept_with)
    engine.commit({b"\0\0\0\1a": b"teal door", b"\0\0\0\1b": b"1"}, sync=True)
    engine.commit({b"\0\0\0\2a": b"teal window"}, sync=True)
    reader = Reader(home, "m", tmp_path / "2", None, kept_with)
    engine.commit({b"\0\0\0\1a": None, b"\0\0\0\2a": None}, sync=True)
    assert polled(reader) is reader
    if again != "polled":
        reader.close()
    engine.compact(b"\0\0\0\1", b"\0\0\0\2")
    assert holding(tmp_path / "2", b"teal")
    if again == "polled":
        reader = polled(reader)
        assert reader.poll() is None
    elif again == "opened":
        reader = Reader(home, "m", tmp_path / "2", None, kept_with)
    else:
        (folder,) = (tmp_path / "2").iterdir()
        assert not remove_old(folder, home.look("m").erased)
    assert not holding(tmp_path / "2", b"teal")
    if again == "janitor":
        reader = Reader(home, "m", tmp_path / "2", None, kept_with)
    assert read(reader) == {b"\0\0\0\1b": b"1"}
    reader.close()
    engine.close()


def test_an_owner_that_died_before_another_erased_keeps_no_byte(tmp_path: Path) -> None:
    """Its cache was at the position of the erasure too, which another machine did."""
    home = new_home()
    one, two = Machine(home, tmp_path / "1"), Machine(home, tmp_path / "2")
    first = one.open(kind="leveldb")
    first.commit({b"\0\0\0\1a": b"teal door"}, sync=True)
    first.commit({b"\0\0\0\1a": None, b"\0\0\0\1b": b"1"})
    first.sync()
    first.commit({b"\0\0\0\1c": b"2"})
    one.die(first)
    second = two.open(force=True)
    second.compact(b"\0\0\0\1", b"\0\0\0\2")
    second.close()
    assert holding(tmp_path / "1", b"teal")
    again = one.open(kind="leveldb")
    assert not holding(tmp_path / "1", b"teal")
    assert again.figures()["cached"] is True
    assert shown(again) == {b"\0\0\0\1b": b"1", b"\0\0\0\1c": b"2"}  # what waited too
    again.compact(b"\0\0\0\1", b"\0\0\0\2")
    (folder,) = (tmp_path / "1").iterdir()
    assert noted(folder)["erased"] == home.look("m").erased
    again.close()


def test_a_reader_follows_takings_and_erasures(tmp_path: Path) -> None:
    """What was erased must leave its copy, and another owner's writes must come."""
    home = new_home()
    one, two = Machine(home, tmp_path / "1"), Machine(home, tmp_path / "2")
    first = one.open()
    first.commit({b"\0\0\0\1a": b"secret"}, sync=True)
    reader = Reader(home, "m", tmp_path / "3", None, "lmdb")
    old = reader.frozen()
    second = two.open(force=True)
    second.commit({b"\0\0\0\1a": None, b"\0\0\0\1b": b"1"}, sync=True)
    second.compact(b"\0\0\0\1", b"\0\0\0\2")
    assert shown(old) == {b"\0\0\0\1a": b"secret"}  # a call that runs goes on with what it had
    old.close()
    reader = polled(reader)
    assert read(reader) == {b"\0\0\0\1b": b"1"}
    assert not any(
        b"secret" in path.read_bytes() for path in (tmp_path / "3").rglob("*") if path.is_file()
    )
    home.move(second._stay, "elsewhere")
    with pytest.raises(MovedError, match="elsewhere"):
        reader.poll()
    home.erase("m")
    with pytest.raises(MissingError):
        reader.poll()
    reader.close()
    second.close()
    first.close()
