"""A backup is whole, or there is none; and it is never in the way of what is there."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

import graphmem
from graphmem.errors import (
    AlreadyOpenError,
    CorruptError,
    DestinationError,
    FullError,
    MissingError,
    NotAStoreError,
    StorageError,
)
from graphmem.storage.backup import back_up, restore
from graphmem.storage.commit_keys import CLEAN_MARK, ring_key
from graphmem.storage.engines import default, open_engine
from graphmem.storage.leveldb import LevelDBEngine
from graphmem.storage.store import Store
from tests.storage.test_ownership import TRY_TO_OPEN, in_another_process

SCOPE = (b"\0\0\0\1", b"\0\0\0\2")


def rows(store: Store) -> dict[bytes, bytes]:
    return dict(store.range(*SCOPE))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed store of a few batches."""
    with Store.open(tmp_path / "memory") as store:
        for number in range(40):
            store.commit({b"\0\0\0\1%03d" % number: b"x" * number * 100, b"\0\0\0\1k": b""})
    return tmp_path / "memory"


def test_the_name_of_a_backup_is_on_the_disk(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut there would be no backup, though it was said to be done."""
    done: list[object] = []
    fsync, rename = os.fsync, os.rename

    def note_sync(descriptor: int) -> None:
        done.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def note_rename(old: Path, new: Path) -> None:
        rename(old, new)
        done.append(new)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "rename", note_rename)
    restore(folder, tmp_path / "copy")
    assert tmp_path.stat().st_ino in done[done.index(tmp_path / "copy") :]


def test_a_backup_is_what_was_committed_while_others_write_on(tmp_path: Path) -> None:
    """Copying the files of an open store mixes its moments."""
    begun, stop = Event(), Event()
    with Store.open(tmp_path / "memory") as store:
        for number in range(3000):
            store.commit({b"\0\0\0\1%05d" % number: b"x" * 1000, b"\0\0\0\1n": b"%d" % number})

        def write_on() -> None:
            number = 3000
            while not stop.is_set():
                store.commit({b"\0\0\0\1%05d" % number: b"", b"\0\0\0\1n": b"%d" % number})
                number += 1
                begun.set()

        writer = Thread(target=write_on)
        writer.start()
        begun.wait()
        seen: list[tuple[int, int]] = []
        sequence = back_up(store, tmp_path / "copy", lambda *done: seen.append(done))
        stop.set()
        writer.join()
        assert store.sequence > sequence - 1
        assert store.commit({b"\0\0\0\1z": b"the owner writes on"}) > sequence
    with Store.open(tmp_path / "copy") as copy:
        assert copy.sequence == sequence
        assert copy.gap is None
        found = rows(copy)
        last = int(found.pop(b"\0\0\0\1n"))
        assert sorted(found) == [b"\0\0\0\1%05d" % number for number in range(last + 1)]
        assert last == sequence - 1
        assert copy.commit({b"\0\0\0\1z": b"it goes on"}) == sequence + 1
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    assert sorted(os.listdir(tmp_path)) == ["copy", "memory"]


def test_a_backup_of_what_has_a_gap_has_it_too(folder: Path, tmp_path: Path) -> None:
    """The copy would pass for whole, and nobody is told of what is missing in it."""
    engine = open_engine(folder / "store", default(), create=False)
    engine.commit({CLEAN_MARK: None, ring_key(12): None}, sync=True)
    engine.close()
    with Store.open(folder) as store:
        assert store.gap == (12, 12)
        back_up(store, tmp_path / "copy")
    with Store.open(tmp_path / "copy") as copy:
        assert copy.gap == (12, 12)


def test_a_backup_does_not_give_the_folder_away(folder: Path, tmp_path: Path) -> None:
    """`cp -r` of an open folder closes LOCK, and so drops LevelDB's lock."""
    with Store.open(folder) as store:
        back_up(store, tmp_path / "copy")
        assert in_another_process(TRY_TO_OPEN, folder) == f"refused {os.getpid()}"
        assert in_another_process(TRY_TO_OPEN, tmp_path / "copy") == "opened"


def test_a_memory_without_a_folder_can_be_kept(tmp_path: Path) -> None:
    with graphmem.open(None, worker="none") as memory:
        memory.remember("Kept after all.")
        memory.scopes.open("other").remember("And this.")
        memory.admin.backup(tmp_path / "copy")
    with graphmem.open(tmp_path / "copy", worker="none") as memory:
        assert [node.text for node in memory] == ["Kept after all."]
        assert memory.scopes.names() == ["default", "other"]
        assert memory.admin.check() == memory.scopes.open("other").admin.check() == []


def test_restoring_gives_back_what_was_backed_up(folder: Path, tmp_path: Path) -> None:
    with Store.open(folder) as store:
        sequence, before = back_up(store, tmp_path / "copy"), rows(store)
        store.commit({b"\0\0\0\1k": b"later"})
    shutil.rmtree(folder)
    folder.mkdir()  # an empty folder will do
    assert restore(tmp_path / "copy", folder) == sequence
    with Store.open(folder) as store:
        assert rows(store) == before


def test_nothing_that_is_there_is_written_over(folder: Path, tmp_path: Path) -> None:
    """A backup onto itself, into itself, over another; a restore over a live or a closed store."""
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(folder)
    with Store.open(tmp_path / "other") as other:
        other.commit({b"\0\0\0\1k": b"1"})
        with Store.open(folder) as store:
            before = rows(store)
            for place in (folder, folder / "copy", folder / "store" / "x", tmp_path / "link" / "x",
                          tmp_path / "file", tmp_path / "other", tmp_path):  # fmt: skip
                with pytest.raises(DestinationError) as caught:
                    back_up(store, place)
                assert isinstance(caught.value, FileExistsError)
            with pytest.raises(MissingError, match="parent"):
                back_up(store, tmp_path / "no" / "copy")
            for place in (folder, tmp_path / "other"):
                with pytest.raises(DestinationError):
                    restore(tmp_path / "other", place)
            with pytest.raises(AlreadyOpenError):
                restore(folder, tmp_path / "new")
            assert rows(store) == before
    with pytest.raises(DestinationError):
        restore(folder, tmp_path / "other")
    with pytest.raises(DestinationError):
        restore(folder, folder / "copy")
    with pytest.raises(MissingError):
        restore(tmp_path / "nothing", tmp_path / "new")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "thesis.txt").write_text("")
    with pytest.raises(NotAStoreError):
        restore(tmp_path / "documents", tmp_path / "new")
    assert {p.name for p in tmp_path.iterdir()} == {"documents", "file", "link", "memory", "other"}


def test_what_comes_to_the_place_of_a_backup_meanwhile_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def late(old: Path, new: Path) -> None:
        new.mkdir()
        (new / "thesis.txt").write_text("")
        rename(old, new)

    monkeypatch.setattr(os, "rename", late)
    with pytest.raises(DestinationError, match="something has come there"):
        restore(folder, tmp_path / "copy")
    assert [p.name for p in (tmp_path / "copy").iterdir()] == ["thesis.txt"]


def test_a_damaged_store_is_not_backed_up_as_if_it_were_whole(folder: Path, tmp_path: Path) -> None:
    """The last good backup would be replaced by a bad one."""
    engine = LevelDBEngine(folder / "store")
    engine.compact(b"", b"\xff" * 9)
    engine.close()
    (table,) = (folder / "store").glob("*.ldb")
    content = bytearray(table.read_bytes())
    content[len(content) // 2] ^= 1
    table.write_bytes(content)
    with pytest.raises(CorruptError):
        restore(folder, tmp_path / "copy")
    assert [p.name for p in tmp_path.iterdir()] == ["memory"]


@pytest.mark.parametrize(("number", "kind"), [(errno.ENOSPC, FullError), (errno.EIO, StorageError)])
def test_a_disk_that_fails_leaves_no_half_backup(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[OSError]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise kind(number, os.strerror(number))

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    places: list[tuple[object, str, Callable[..., None]]] = [
        (LevelDBEngine, "commit", fail), (os, "rename", refuse), (os, "mkdir", refuse),
    ]  # fmt: skip
    with Store.open(folder) as store:
        for owner, name, instead in places:
            with monkeypatch.context() as patch:
                patch.setattr(owner, name, instead)
                with pytest.raises(kind) as caught:
                    back_up(store, tmp_path / "copy")
            assert caught.value.errno == number
            assert [p.name for p in tmp_path.iterdir()] == ["memory"]
        store.commit({b"\0\0\0\1k": b"the source is as good as before"})
        back_up(store, tmp_path / "copy")


def test_closing_the_memory_ends_a_backup(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory") as store:
        for number in range(3000):
            store.commit({b"\0\0\0\1%05d" % number: b"x" * 1000})

        def close(*_: int) -> None:
            store.close()

        with pytest.raises(graphmem.GraphMemError, match="closed"):
            back_up(store, tmp_path / "copy", close)
    assert [p.name for p in tmp_path.iterdir()] == ["memory"]
