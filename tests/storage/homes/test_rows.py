"""A home whose rows have changed: each is checked before anything is done with it."""

import re
import shutil
import sqlite3
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem.errors import CorruptError, GraphMemError
from graphmem.storage.homes.packing import Seal, packed, unpacked, unpacked_piece
from graphmem.storage.homes.reader import Reader, damaged
from graphmem.storage.homes.rows import RESULTS, ids, new_id
from graphmem.storage.homes.sql import SqlHome
from graphmem.storage.homes.sqlite import NAME, Sqlite
from graphmem.storage.homes.statements import STATEMENTS
from tests.storage.homes.machine import Machine, new_home, shown
from tests.storage.homes.test_caches import home_in

COLUMNS = (
    "memory name epoch position snapshot snapshot_epoch snapshot_id form made parts folder bytes"
    " log_bytes erased generation moved format changed"
).split()
VALUES = (0, -1, 2**62, "", "garbage", b"", b"\0\xff garbage")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a memory that has a snapshot and a row behind it."""
    folder = tmp_path_factory.mktemp("written")
    home = home_in(folder / "home")
    machine = Machine(home, folder / "cache")
    engine = machine.open("agent-42")
    engine.commit({b"\0\0\0\1a": b"1"}, sync=True)
    engine._put_snapshot(erases=False)
    engine.commit({b"\0\0\0\1b": b"2"}, sync=True)
    engine.close()
    machine.end()
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "copy"))


def changed(folder: Path, statement: str, *values: Any) -> None:
    raw = sqlite3.connect(folder / "home" / NAME)
    raw.execute(statement, values)
    raw.commit()
    raw.close()


def done(folder: Path) -> Iterator[object]:
    """What is done with a home, until the first error."""
    home = SqlHome(Sqlite(folder / "home"))
    try:
        yield home.home_id()
        yield [(each.name, each.batches, each.bytes) for each in home.listed("", None, 10)]
        yield damaged(home, "agent-42", None)
        machine = Machine(home, folder / "cache")
        engine = machine.open("agent-42", force=True)
        yield shown(engine)
        engine.close()
        yield home.states([home.look("agent-42").memory])
    finally:
        home.close()


def tried(folder: Path) -> tuple[list[object], GraphMemError | None]:
    """What could be done, and the error that ended it."""
    found: list[object] = []
    try:
        found.extend(done(folder))
    except GraphMemError as error:
        return found, error
    return found, None


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("column", COLUMNS)
def test_a_value_that_cannot_be_is_told_with_its_row(
    folder: Path, column: str, value: object
) -> None:
    """TypeErrors and ValueErrors came of it, an opening that never ended, and an empty memory."""
    before = list(done(folder))
    changed(folder, f"UPDATE graphmem_memory SET {column} = ?", value)
    after, error = tried(folder)
    if isinstance(error, CorruptError):
        says = rf"graphmem_memory \(.*(agent-42|memory).*\) .*{column}|is missing from its home"
        assert re.search(says, str(error)), error
    elif error is not None:  # what may be, and says something else
        assert column in ("moved", "format"), error
    else:
        assert column not in ("memory", "name", "form", "folder", "moved", "snapshot"), after
        assert after[3] == before[3]


@pytest.mark.parametrize("table", ["graphmem_home", "graphmem_log", "graphmem_snapshot"])
def test_a_row_of_each_table_is_told(folder: Path, table: str) -> None:
    column = {"graphmem_home": "home"}.get(table, "content")
    changed(folder, f"UPDATE {table} SET {column} = ?", -1)
    with pytest.raises(CorruptError, match=rf"in a row of {table} .*{column} is '?-1'?"):
        list(done(folder))


def test_a_name_that_has_changed_makes_no_empty_memory(folder: Path) -> None:
    """One flipped byte, of the row or of the index: the old memory could not be found, and a new
    one stood beside it, wherever the cache was."""
    file = folder / "home" / NAME
    raw = sqlite3.connect(file)
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    content = file.read_bytes()
    places = [found.start() for found in re.finditer(b"agent-42", content)]
    assert len(places) >= 2
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 2
        file.write_bytes(flipped)
        home = SqlHome(Sqlite(folder / "home"))
        machine = Machine(home, folder / "cache")
        for force in (False, True):
            with pytest.raises(
                CorruptError,
                match=r"graphmem_memory .*('agent-42' does not lead to it|its name, 'cgent-42')",
            ):
                machine.open("agent-42", force=force)
        with pytest.raises(CorruptError):
            Reader(home, "agent-42", folder / "reader", None, "lmdb")
        machine.end()
        (folder / "home" / f"{NAME}-wal").unlink(missing_ok=True)


def test_an_id_begins_with_a_checksum_of_the_name(tmp_path: Path) -> None:
    """Those of two names with one checksum are two memories; an earlier id is random, and read."""
    first, last = ids("buckeroo")
    assert first < new_id("plumless") < last
    assert new_id("plumless") != new_id("plumless")
    assert not first < new_id("agent") < last
    home = new_home()
    machine = Machine(home, tmp_path)
    for name in ("plumless", "buckeroo"):
        engine = machine.open(name)
        engine.commit({b"name": name.encode()}, sync=True)
        engine.close()
    engine = machine.open("plumless")
    assert shown(engine) == {b"name": b"plumless"}
    engine.close()
    earlier = "UPDATE graphmem_memory SET memory = %s WHERE name = %s"
    for name in ("plumless", "buckeroo"):
        home._server.doing(lambda c, name=name: c.execute(earlier, (str(uuid.uuid4()), name)))  # type: ignore[misc]
    assert [memory.name for memory in home.listed("", None, 9)] == ["buckeroo", "plumless"]


def test_a_memory_that_is_made_at_that_moment_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look by its name and the one by its id."""
    home = new_home()
    one, two = Machine(home, tmp_path / "1"), Machine(home, tmp_path / "2")
    rows = home._rows

    def late(query: str, asked: Any = (), **more: Any) -> Any:
        if query == "alike":
            monkeypatch.setattr(home, "_rows", rows)
            engine = one.open()
            engine.commit({b"a": b"1"}, sync=True)
            engine.close()
        return rows(query, asked, **more)

    monkeypatch.setattr(home, "_rows", late)
    engine = two.open()
    assert shown(engine) == {b"a": b"1"}
    engine.close()


def test_a_row_of_the_log_has_as_many_batches_as_it_says(folder: Path) -> None:
    """A position that had changed to a huge one was counted up to."""
    for column, value in (("first", 1), ("first", 2**62), ("position", 2**62)):
        copy = Path(shutil.copytree(folder, folder.with_name(f"{column}{value}")))
        changed(copy, f"UPDATE graphmem_log SET {column} = ?", value)
        shutil.rmtree(copy / "cache")
        with pytest.raises(CorruptError, match=r"batches|behind"):
            list(done(copy))


def test_a_row_with_other_batches_than_it_says_is_refused(tmp_path: Path) -> None:
    home = new_home()
    machine = Machine(home, tmp_path)
    engine = machine.open()
    engine.commit({b"a": b"1"}, sync=True)
    stay = engine._stay
    engine.close()
    machine.lose_disk()
    content = Seal(stay.memory, None).closed("row", 1, 0, packed({b"a": b"1"}) * 2, 0)
    home._server.doing(lambda c: c.execute("UPDATE graphmem_log SET content = %s", (content,)))
    with pytest.raises(CorruptError, match=r"row 1 .* has 2 batches"):
        machine.open()
    assert "has 2 batches" in damaged(home, "m", None)[0]


@pytest.mark.parametrize(
    "plain", [b"\xc0", b"\x93\xc4\1a\xc4\1b\xc4\1c", b"\x92\1\2", b"\x92\x80\2"]
)
def test_what_is_neither_a_batch_nor_a_piece_is_refused(plain: bytes) -> None:
    """ValueErrors and TypeErrors, where a snapshot was read in another form than its own."""
    with pytest.raises(CorruptError):
        list(unpacked(plain))
    with pytest.raises(CorruptError):
        unpacked_piece(plain)


def test_what_every_statement_returns_is_checked() -> None:
    answering = {
        name
        for name, text in STATEMENTS.items()
        if text.startswith("SELECT") or "RETURNING" in text
    } - {"append"}  # whose rows go on in the statement
    assert answering == RESULTS.keys()


def test_a_check_of_a_count_that_has_changed_ends(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part that is missing was told, of as many as were said to be there."""
    monkeypatch.setattr("graphmem.storage.homes.reader._FAULTS", 3)
    changed(folder, "UPDATE graphmem_memory SET parts = bytes")
    home = SqlHome(Sqlite(folder / "home"))
    assert len(damaged(home, "agent-42", None)) == 3
    home.close()
