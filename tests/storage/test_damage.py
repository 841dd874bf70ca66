"""Damaged files: what is read is what was written, or `CorruptError`. Never less without a word."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import plyvel
import pytest

import graphmem
from graphmem.errors import CorruptError, GraphMemError
from graphmem.storage import engines
from graphmem.storage.leveldb import LevelDBEngine
from graphmem.storage.salvage import _whole_rows
from graphmem.storage.store import Store

FIRST, LAST = b"", b"\xff" * 9
ROWS = {b"\0\0\0\1%05d" % i: (b"" if i % 3 else b"value %d" % i) for i in range(3000)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed store whose rows are in a table (`compacted`), and in a log the rest."""
    with Store.open(tmp_path / "memory") as store:
        store.commit(dict(ROWS))
        store.compact(FIRST, LAST)
    return tmp_path / "memory"


def rows(engine: LevelDBEngine, reverse: bool = False) -> dict[bytes, bytes]:
    return dict(engine.range(b"\0\0\0\1", b"\0\0\0\2", reverse))


def salvage(folder: Path, engine: LevelDBEngine) -> list[str]:
    return engines.salvage(folder, "leveldb", engine)


def flip(path: Path, position: int, bits: int = 0xFF) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= bits
    path.write_bytes(content)


def _of_snapshot(engine: LevelDBEngine) -> dict[bytes, bytes]:
    """Half by `get`, half by `get_many`, which leave LevelDB's checksums to ours where they can."""
    single, many = list(ROWS)[::2], list(ROWS)[1::2]
    with engine.snapshot() as snapshot:
        found = dict(zip(many, snapshot.get_many(many), strict=True))
        found |= {key: snapshot.get(key) for key in single}
    return {key: value for key, value in found.items() if value is not None}


READINGS: dict[str, Callable[[LevelDBEngine], dict[bytes, bytes]]] = {
    "range": rows,
    "reverse": lambda engine: rows(engine, reverse=True),
    "get": lambda engine: {k: v for k in ROWS if (v := engine.get(k)) is not None},
    "snapshot": lambda engine: _of_snapshot(engine),
    "keys": lambda engine: {k: ROWS[k] for k in engine.keys(b"\0\0\0\1", b"\0\0\0\2")},
}


@pytest.mark.parametrize("reading", READINGS)
def test_a_flipped_byte_in_a_table_is_never_read_as_data(folder: Path, reading: str) -> None:
    """Without checks a flip is another value, or a shorter memory: both pass for the truth."""
    (table,) = (folder / "store").glob("*.ldb")
    original = table.read_bytes()
    chance = random.Random(reading)
    refused = 0
    for _ in range(25):
        flip(table, chance.randrange(len(original)), 1 << chance.randrange(8))
        try:
            engine = LevelDBEngine(folder / "store", create=False)
            try:
                assert READINGS[reading](engine) == ROWS
            finally:
                engine.close()
        except CorruptError:
            refused += 1
        table.write_bytes(original)
    assert refused > 10


def test_a_damaged_end_is_not_taken_for_the_end_of_the_data(folder: Path) -> None:
    """plyvel's iterator stops at a damaged last block as if nothing came after it."""
    (table,) = (folder / "store").glob("*.ldb")
    flip(table, table.read_bytes().rindex(b"value 2997"))  # the last value, so in the last block
    raw = plyvel.DB(str(folder / "store"), compression=None, paranoid_checks=True)
    silent = sum(1 for _ in raw.iterator(start=b"\0\0\0\1", verify_checksums=True))
    raw.close()
    assert 0 < silent < len(ROWS), "if plyvel tells now, the second look can go"
    engine = LevelDBEngine(folder / "store")
    for reverse in (False, True):
        with pytest.raises(CorruptError):
            rows(engine, reverse)
        with pytest.raises(CorruptError):
            list(engine.keys(b"\0\0\0\1", LAST, reverse))
    # What lies before the damage is still there to be read.
    assert list(engine.keys(b"\0\0\0\1", b"\0\0\0\1" + b"00010")) == list(ROWS)[:10]
    engine.close()


def test_a_value_that_is_not_what_was_written_names_its_key(tmp_path: Path) -> None:
    """LevelDB's checksums begin at the disk: a bit that flipped in memory gets a good one."""
    key = b"\0\0\0\1k"
    raw = plyvel.DB(str(tmp_path / "store"), create_if_missing=True)
    engine = LevelDBEngine(tmp_path / "good")
    engine.commit({key: b"value", b"other": b"value"})
    stored = engine._db.get(key)
    other = engine._db.get(b"other")
    engine.close()
    assert stored is not None
    assert other is not None
    assert stored[:-4] == b"value"
    for bad in (b"walue" + stored[-4:], stored[:-1], b"x", other):
        raw.put(key, bad)
        raw.close()
        engine = LevelDBEngine(tmp_path / "store")
        with engine.snapshot() as snapshot:
            for reader in (engine, snapshot):
                for read in (
                    lambda r: r.get(key),
                    lambda r: r.get_many([key]),
                    lambda r: list(r.range(FIRST, LAST)),
                    lambda r: list(r.range(FIRST, LAST, True)),
                ):
                    with pytest.raises(CorruptError, match=f"{key.hex()}.*repair"):
                        read(reader)
        engine.close()
        raw = plyvel.DB(str(tmp_path / "store"))
    raw.close()


def left_open(folder: Path, batches: int) -> Path:
    """Write as many batches of 500 bytes, die, and return the log that is left."""
    store = Store.open(folder, durability="os")
    for number in range(1, batches + 1):
        store.commit({b"\0\0\0\1%05d" % number: b"x" * 500})
    store._engine.close()
    assert store._ownership is not None
    store._ownership.release()
    (log,) = (folder / "store").glob("*.log")
    return log


def test_a_flipped_byte_in_the_log_refuses_to_open(tmp_path: Path) -> None:
    """By default LevelDB drops the rest of the block, and 74 of 4,000 batches vanish."""
    folder = tmp_path / "memory"
    log = left_open(folder, 400)
    for offset in range(8):
        flip(log, 100_000 + offset)
    for _ in range(2):
        with pytest.raises(CorruptError, match="repair"):
            Store.open(folder)
    engine = LevelDBEngine(tmp_path / "new")
    faults = salvage(folder / "store", engine)
    left = rows(engine)
    assert 398 <= len(left) < 400
    assert set(left.values()) == {b"x" * 500}
    assert len(faults) == 1
    assert log.name in faults[0]
    assert engine.get(b"\0\0\0\0\xf0\1") == (400).to_bytes(8, "big")
    engine.close()


def test_a_damaged_length_does_not_hide_the_end_of_the_log(tmp_path: Path) -> None:
    """LevelDB takes it for a record that a crash cut short: acknowledged batches went in silence."""
    log = left_open(tmp_path / "memory", 30)
    original = log.read_bytes()
    headers = [0]
    while headers[-1] < len(original):
        length = int.from_bytes(original[headers[-1] + 4 : headers[-1] + 6], "little")
        headers.append(headers[-1] + 7 + length)
    for number, header in enumerate(headers[:-2], 1):
        flip(log, header + 5, 0x80)  # the length reaches beyond the end
        with pytest.raises(CorruptError, match="leave out its end"):
            Store.open(tmp_path / "memory")
        engine = LevelDBEngine(tmp_path / f"new{number}")
        assert len(salvage(log.parent, engine)) == 1
        assert len(rows(engine)) == 29 + (number == 1)  # the first holds the format record
        engine.close()
        log.write_bytes(original)
    os.truncate(log, headers[-2] + 20)  # this is what a crash leaves
    with Store.open(tmp_path / "memory") as store:
        assert len(dict(store.range(b"\0\0\0\1", b"\0\0\0\2"))) == 29


@pytest.mark.parametrize("read_only", [False, True])
def test_a_log_cut_short_after_a_clean_close_is_refused(tmp_path: Path, read_only: bool) -> None:
    """LevelDB takes it for a crash, and the clean mark went with it: an older state in silence."""
    folder = tmp_path / "memory"
    with graphmem.open(folder, worker="none", attachable=False) as memory:
        for number in range(20):
            memory.remember(f"Note {number} by Ada.")
        last = memory.admin.stats()["sequence"]
    (log,) = (folder / "store").glob("*.log")
    os.truncate(log, log.stat().st_size // 2)
    for _ in range(2):
        with pytest.raises(CorruptError, match=f"closed cleanly with {last} commits.*repair"):
            Store.open(folder, read_only=read_only)
    report = graphmem.repair(folder)
    assert (
        len(
            [
                what
                for what in report.lost
                if f"to {last}, which were there when last closed" in what
            ]
        )
        == 1
    )
    assert 0 < report.nodes < 20
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.check() == []
        assert memory.admin.stats()["sequence"] >= last, "no number is given twice"
        assert len(memory) == report.nodes


def test_a_clean_close_is_noted_outside_the_log_and_needs_no_taking_back(tmp_path: Path) -> None:
    """A note that a later crash makes untrue would refuse a memory that is whole."""
    folder = tmp_path / "memory"
    left_open(folder, 30)
    assert not (folder / "clean.json").exists()
    Store.open(folder, read_only=True).close()
    assert not (folder / "clean.json").exists()
    Store.open(folder).close()
    assert (folder / "clean.json").read_text() == '{"sequence": 30}\n'
    log = left_open(folder, 30)
    os.truncate(log, log.stat().st_size // 2)  # this is what a crash leaves
    with Store.open(folder) as store:
        assert 30 < store.sequence < 60
        last = store.sequence
    for damage in (b"", b"{}", b'{"sequence": "x"}', b"[]", b"\xff"):
        (folder / "clean.json").write_bytes(damage)
        Store.open(folder).close()
        assert (folder / "clean.json").read_text() == f'{{"sequence": {last}}}\n'


@pytest.mark.parametrize("seed", range(3))
def test_what_is_whole_in_a_damaged_table_is_read(folder: Path, tmp_path: Path, seed: int) -> None:
    """LevelDB gives up a table whose index or footer is damaged, with all that it holds."""
    (table,) = (folder / "store").glob("*.ldb")
    original = table.read_bytes()
    block = 4096 + 200
    chance = random.Random(seed)
    size = len(original)
    places = [size - 1, size - 30, size - 300, *(chance.randrange(size) for _ in range(10))]
    for number, place in enumerate(places):
        flip(table, place, 1 << chance.randrange(8))
        engine = LevelDBEngine(tmp_path / f"new{number}")
        faults = salvage(folder / "store", engine)
        found = rows(engine)
        engine.close()
        assert found.items() <= ROWS.items()
        missing = sum(len(key) + len(value) for key, value in (ROWS.items() - found.items()))
        assert missing < block
        assert faults or not missing
        table.write_bytes(original)


@pytest.mark.parametrize("behind", [0, 5, -9, -10, -11, -12])  # of a value, or of what leads it
@pytest.mark.parametrize("bits", [1, 0xFF])
def test_of_a_damaged_block_what_is_whole_is_read(
    folder: Path, tmp_path: Path, behind: int, bits: int
) -> None:
    """One bit cost 39 notes, of which 38 stood whole in a block of 4 KB: each value has a checksum
    of its own. In this table a third of the rows has values."""
    (table,) = (folder / "store").glob("*.ldb")
    flip(table, table.read_bytes().index(b"value 1500") + behind, bits)
    engine = LevelDBEngine(tmp_path / "new")
    faults = salvage(folder / "store", engine)
    found = rows(engine)
    engine.close()
    assert found.items() <= ROWS.items()
    missing = [key for key, value in ROWS.items() if value and key not in found]
    assert len(missing) <= (1 if behind >= 0 else 6)  # sixteen rows share the parts of their keys
    assert "whole values" in faults[0]


def test_of_a_damaged_block_each_row_that_can_be_read_is_whole(folder: Path) -> None:
    """Whatever is damaged, nothing is taken that was never written, and nearly all that was."""
    (table,) = (folder / "store").glob("*.ldb")
    content = table.read_bytes()
    start = content.rindex(b"value 1500") - 2_000
    block = content[start : start + 4_000]
    assert len([*_whole_rows(block, 0, len(block))]) > 20
    chance = random.Random(5)
    for _ in range(200):
        damaged = bytearray(block)
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(len(block))] ^= 1 << chance.randrange(8)
        found = [*_whole_rows(bytes(damaged), 0, len(damaged))]
        assert all(ROWS[key] == (stored or b"")[:-4] for key, _, stored in found)
        assert len(found) > 20 - 3 * 6


@pytest.mark.parametrize("share", [0.25, 0.5, 0.99])
def test_a_table_that_was_cut_short_asks_for_repair(folder: Path, share: float) -> None:
    """It was told as a failing disk, and nothing said what to do."""
    (table,) = (folder / "store").glob("*.ldb")
    os.truncate(table, int(share * table.stat().st_size))
    with pytest.raises(CorruptError, match="graphmem admin repair"):
        Store.open(folder)


@pytest.mark.parametrize("pattern", ["CURRENT", "*.ldb", "MANIFEST-*"])
def test_a_missing_file_is_corruption_and_deletes_nothing(folder: Path, pattern: str) -> None:
    """Without CURRENT, LevelDB makes a new database and deletes the tables of the old one."""
    for path in (folder / "store").glob(pattern):
        path.unlink()
    before = {p.name for p in (folder / "store").glob("*.ldb")}
    with pytest.raises(CorruptError):
        Store.open(folder)
    assert {p.name for p in (folder / "store").glob("*.ldb")} == before
    engine = LevelDBEngine(folder.parent / "new")
    assert salvage(folder / "store", engine)
    assert rows(engine) == ({} if pattern == "*.ldb" else ROWS)
    engine.close()


def test_bytes_of_a_damaged_file_are_in_no_message(folder: Path) -> None:
    """Line breaks and codes of a terminal stood in the error as they were in the file."""
    with (folder / "store" / "CURRENT").open("ab") as file:
        file.write(b"\x1b[31m\nmore\r\n")
    with pytest.raises(CorruptError, match=r"lacks a whole CURRENT.*graphmem admin repair") as told:
        Store.open(folder)
    assert str(told.value).isprintable()


def test_a_store_without_its_data_is_not_a_new_store(folder: Path) -> None:
    """An empty memory in the place of a lost one would be noticed when the backups are gone."""
    (folder / "store").rename(folder.parent / "moved")
    for _ in range(2):
        with pytest.raises(CorruptError, match="backup"):
            Store.open(folder)
    (folder.parent / "moved").rename(folder / "store")
    with Store.open(folder) as store:
        assert store.get(next(iter(ROWS))) == b"value 0"


@pytest.mark.parametrize("name", ["CURRENT", pytest.param("MANIFEST", marks=pytest.mark.slow)])
def test_a_flipped_byte_in_the_list_of_files_is_refused_or_harmless(
    folder: Path, name: str, tmp_path: Path
) -> None:
    """For a flipped length LevelDB dropped an edit, and deleted the tables that it named."""
    (path,) = (p for p in (folder / "store").iterdir() if p.name.startswith(name))
    original = path.read_bytes()
    refused = 0
    for position in range(len(original)):
        copy = tmp_path / f"copy{position}"
        shutil.copytree(folder, copy)
        flip(copy / "store" / path.name, position)
        try:
            with Store.open(copy, read_only=True) as store:
                assert dict(store.range(b"\0\0\0\1", b"\0\0\0\2")) == ROWS
        except GraphMemError:
            refused += 1
            engine = LevelDBEngine(tmp_path / f"new{position}")
            salvage(copy / "store", engine)
            assert rows(engine) == ROWS
            engine.close()
        shutil.rmtree(copy)
    assert refused > len(original) / 2
