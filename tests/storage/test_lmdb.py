"""LMDB behind the protocol: what it does not do by itself, and what it must not keep.

Its keys end at 511 bytes, its free pages keep what was deleted, its address space is given when it
is opened, and it has no checksums. `test_conformance.py` has what every engine must do.
"""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import lmdb as binding
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem.errors import (
    AlreadyOpenError,
    BrokenError,
    CorruptError,
    FullError,
    InvalidArgumentError,
    MissingExtraError,
    ReadOnlyError,
    ReadOnlyFolderError,
    StorageError,
)
from graphmem.storage import engines, lmdb
from graphmem.storage.lmdb import LMDBEngine
from graphmem.storage.store import Store
from tests.faults.small_disk import fill

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(str(Path(__file__).parents[2] / p) for p in (".", "worker")),
}
HEADS = st.sampled_from([b"", b"a", b"a" * 508, b"a" * 509, b"a" * 510, b"b" * 509, b"\xff" * 509])
KEYS = st.builds(bytes.__add__, HEADS, st.binary(max_size=3) | st.sampled_from([b"c" * 200]))
BATCHES = st.lists(st.dictionaries(KEYS, st.none() | st.binary(max_size=4), max_size=6), max_size=6)


FORKED = """
import os, sys
from graphmem.errors import GraphMemError
from graphmem.storage.store import Store
from tests.faults.small_disk import fill
store = Store.open(sys.argv[1], engine="lmdb")
store.commit({b"0000k1": b"1", b"0000k2": b"2"})
snapshot, begun = store.snapshot(), store.range(b"0000k1", b"0000k9")
next(begun)
child = os.fork()
if child == 0:
    print("snapshot", snapshot.get(b"0000k1").decode(), "range", next(begun)[1].decode())
    for act in (
        lambda: store.get(b"0000k1"), store.snapshot, lambda: store.commit({b"0000k1": b"3"}),
        lambda: Store.open(sys.argv[1]), lambda: Store.open(sys.argv[2], engine="lmdb").close(),
    ):
        try:
            act()
            print("opened")
        except GraphMemError as error:
            print(type(error).__name__)
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
store.commit({b"0000k1": b"3"})
print("parent", store.get(b"0000k1").decode())
snapshot.close()
begun.close()
store.close()
"""


@given(batches=BATCHES, bounds=st.lists(KEYS, min_size=2, max_size=6))
def test_keys_of_any_length_keep_their_order(
    tmp_path_factory: pytest.TempPathFactory, batches: list[dict[bytes, bytes | None]],
    bounds: list[bytes],
) -> None:  # fmt: skip
    """A long session or relation makes keys that LMDB refuses; cut short, two would be one."""
    engine = LMDBEngine(tmp_path_factory.mktemp("lmdb") / "store", ordered=False)
    model: dict[bytes, bytes] = {}
    try:
        for batch in batches:
            engine.commit(batch)
            for key, value in batch.items():
                if value is None:
                    model.pop(key, None)
                else:
                    model[key] = value
        for start in bounds:
            assert engine.get(start) == model.get(start)
            for stop in bounds:
                expected = sorted(pair for pair in model.items() if start <= pair[0] < stop)
                assert list(engine.range(start, stop)) == expected
                assert list(engine.range(start, stop, True)) == expected[::-1]
                assert list(engine.keys(start, stop, True)) == [key for key, _ in expected[::-1]]
        engine.compact(b"", b"\xff" * 600)
        assert list(engine.range(b"", b"\xff" * 600)) == sorted(model.items())
    finally:
        engine.close()


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_what_was_erased_is_in_no_free_page(tmp_path: Path) -> None:
    """LMDB frees a page and leaves its bytes, and deletes from a page and leaves them there too."""
    folder = tmp_path / "store"
    engine = LMDBEngine(folder)
    engine.commit({b"k%05d" % n: b"secret-%05d " % n * 5 for n in range(2_000)})
    engine.commit({b"k%05d" % n: None for n in range(0, 2_000, 2)})
    engine.commit({b"k00001": b"other", b"k" * 600: b"secret-long"})
    engine.commit({b"k" * 600: None})
    left = bytes_of(folder)
    assert any(b"secret-%05d" % n in left for n in range(0, 2_000, 2))
    with engine.snapshot() as old:  # keeps nothing in the files, and is read on
        assert engine.compact(b"k", b"l")
        assert old.get(b"k00003") == b"secret-00003 " * 5
        left = bytes_of(folder)
        for n in range(0, 2_000, 2):
            assert b"secret-%05d" % n not in left
        assert b"secret-00001" not in left
        assert b"secret-long" not in left
    assert engine.get(b"k00003") == b"secret-00003 " * 5
    assert sorted(os.listdir(folder)) == ["2.mdb", "2.mdb-lock"]
    engine.commit({b"k00003": b"new"})
    engine.close()
    engine = LMDBEngine(folder, create=False)
    assert engine.get(b"k00003") == b"new"
    assert engine.get(b"k00002") is None
    engine.close()


def test_a_memory_on_lmdb_erases_a_text(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", engine="lmdb", worker="none") as memory:
        (node,) = memory.remember("The word of the safe is xylophonequux.")
        memory.remember("The kettle is broken.")
        memory.forget(node, erase=True)
        assert b"xylophonequux" not in bytes_of(tmp_path / "m" / "store")
        assert memory.admin.check() == []


def test_an_interrupted_compaction_is_cleared_away(tmp_path: Path) -> None:
    """Killed after the rename both files are whole, and killed before it one is half a file."""
    folder = tmp_path / "store"
    engine = LMDBEngine(folder)
    engine.commit({b"a": b"1"})
    whole = (folder / "1.mdb").read_bytes()
    engine.compact(b"", b"\xff")
    engine.commit({b"a": b"2"})
    engine.close()
    (folder / "1.mdb").write_bytes(whole)
    (folder / "3.mdb.new").write_bytes(whole[:5000])
    (folder / "3.mdb.new-lock").write_bytes(b"")
    engine = LMDBEngine(folder)
    assert engine.get(b"a") == b"2"
    assert sorted(os.listdir(folder)) == ["2.mdb", "2.mdb-lock"]
    engine.close()


def test_a_file_that_is_not_on_the_disk_replaces_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power went after a compaction: the new file was empty, and the old one was gone."""

    class Unsynced:
        """An open file on a disk that refuses to sync."""

        def __init__(self, *given: Any, **named: Any) -> None:
            self._file = opened(*given, **named)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

        def sync(self, force: bool = False) -> None:
            raise binding.Error(os.strerror(errno.EIO))

    folder = tmp_path / "store"
    engine, opened = LMDBEngine(folder), binding.open
    engine.commit({b"a": b"1"})
    monkeypatch.setattr(binding, "open", Unsynced)
    with pytest.raises(StorageError):
        engine.compact(b"", b"\xff")
    engine.close()
    monkeypatch.undo()
    engine = LMDBEngine(folder)
    assert engine.get(b"a") == b"1"
    assert sorted(os.listdir(folder)) == ["1.mdb", "1.mdb-lock"]
    engine.close()


def test_a_value_that_changed_on_the_disk_is_never_returned(tmp_path: Path) -> None:
    """LMDB has no checksums: a flipped bit would be read as data."""
    folder = tmp_path / "store"
    engine = LMDBEngine(folder)
    engine.commit({b"one": b"the first value", b"x" * 600: b"the long one"})
    engine.close()
    content = (folder / "1.mdb").read_bytes()
    content = content.replace(b"the first value", b"the worst value")
    (folder / "1.mdb").write_bytes(content.replace(b"the long one", b"the lost one"))
    engine = LMDBEngine(folder)
    for key in (b"one", b"x" * 600):
        with pytest.raises(CorruptError, match="is damaged"):
            engine.get(key)
    with pytest.raises(CorruptError):
        list(engine.range(b"", b"\xff"))
    engine.close()


def test_no_file_of_lmdb_is_told(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "1.mdb").write_bytes(b"no database " * 1_000)
    with pytest.raises(CorruptError, match="is damaged"):
        LMDBEngine(tmp_path / "store")


def test_repair_brings_back_what_is_whole(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", engine="lmdb", worker="none") as memory:
        for number in range(30):
            memory.remember(f"Ticket {number} was closed by Wen.")
        said = [node.text for node in memory.nodes()]
    (file,) = (tmp_path / "m" / "store").glob("*.mdb")
    content = file.read_bytes()
    assert content.count(b"Ticket 7 was") >= 1
    file.write_bytes(content.replace(b"Ticket 7 was", b"Ticket 8 was"))
    report = graphmem.repair(tmp_path / "m")
    assert report.unreadable
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert memory.admin.check() == []
        assert {node.text for node in memory.nodes()} >= {*said} - {said[7]}
    assert engines.kind_of(tmp_path / "m" / "store") == "lmdb"


SHORTENED = """
import sys, graphmem
try:
    graphmem.open(sys.argv[1], worker="none")
except graphmem.CorruptError as error:
    print(error)
report = graphmem.repair(sys.argv[1])
print(len(report.unreadable), len(report.lost), report.nodes)
"""


@pytest.mark.parametrize(
    ("compacted", "kept"),
    [(True, 0.05), (True, 0.3), (True, 0.6), (True, 0.99), (False, 0.3), (False, 0.6)],
)
def test_a_file_that_was_cut_short_is_told_and_repaired(
    tmp_path: Path, compacted: bool, kept: float
) -> None:
    """LMDB maps what is not there, and each command ended with SIGBUS, repair and doctor too."""
    with graphmem.open(tmp_path / "m", engine="lmdb", worker="none") as memory:
        for number in range(60):
            memory.remember(f"Ticket {number} was closed by Wen.")
        if compacted:
            memory.admin.compact()
    (file,) = (tmp_path / "m" / "store").glob("*.mdb")
    os.truncate(file, int(file.stat().st_size * kept))
    ended = subprocess.run(
        [sys.executable, "-c", SHORTENED, tmp_path / "m"],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=50,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    told, found = ended.stdout.splitlines()
    assert str(file) in told
    assert "graphmem admin repair" in told
    unreadable, lost, nodes = map(int, found.split())
    assert unreadable
    assert nodes or lost
    assert nodes >= (60 if kept > 0.98 else 0)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert memory.admin.check() == []
        assert len(memory) == nodes


@given(batches=BATCHES)
def test_the_pages_are_read_as_lmdb_reads_them(
    tmp_path_factory: pytest.TempPathFactory, batches: list[dict[bytes, bytes | None]]
) -> None:
    """What a repair reads without LMDB is what is there, long keys and large values too."""
    folder = tmp_path_factory.mktemp("lmdb") / "store"
    engine = LMDBEngine(folder, ordered=False)
    for batch in batches:
        engine.commit({k: v and v * 3_000 for k, v in batch.items()})
    expected = list(engine.range(b"", b"\xff" * 600))
    engine.close()
    faults: list[str] = []
    assert sorted(lmdb.salvaged(folder, faults)) == expected
    assert faults == []


def test_a_file_that_lacks_only_free_pages_is_opened(tmp_path: Path) -> None:
    """LMDB does not write pages that it took and let go of in one transaction: its file may end
    before the last page, and is whole."""
    folder = tmp_path / "store"
    engine = LMDBEngine(folder)
    engine.commit({b"k%05d" % n: bytes(1_000) for n in range(2_000)})
    engine.commit({b"k%05d" % n: None for n in range(1, 2_000)})
    for number in range(6):  # moves all to the first free pages
        engine.commit({b"other": b"%d" % number})
    file, expected = engine._file.path, list(engine.range(b"", b"z"))
    engine.close()
    with lmdb.Pages(file) as pages:
        assert pages.missing() == 0
        last = max(pages._reached)
    size = file.stat().st_size
    assert (last + 1) * 4096 < size
    os.truncate(file, (last + 1) * 4096)
    engine = LMDBEngine(folder)
    assert list(engine.range(b"", b"z")) == expected
    assert file.stat().st_size == size
    engine.close()


@pytest.mark.leveldb
def test_a_folder_keeps_the_engine_that_it_was_made_with(tmp_path: Path) -> None:
    with Store.open(tmp_path / "m", engine="lmdb") as store:
        store.commit({b"\0\0\0\1a": b"1"})
        assert store.engine == "lmdb"
    with Store.open(tmp_path / "m") as store:
        assert store.engine == "lmdb"
        assert store.get(b"\0\0\0\1a") == b"1"
    with pytest.raises(InvalidArgumentError, match="was made with engine='lmdb'"):
        Store.open(tmp_path / "m", engine="leveldb")
    with Store.open(tmp_path / "n", engine="leveldb"):
        pass
    with pytest.raises(InvalidArgumentError, match="was made with engine='leveldb'"):
        Store.open(tmp_path / "n", engine="lmdb")


@pytest.mark.leveldb
def test_without_leveldbs_binding_lmdb_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a Mac, on ARM and on Python 3.13 the first example must run."""
    with Store.open(tmp_path / "old", engine="leveldb"):
        pass
    found = engines.find_spec
    monkeypatch.setattr(
        engines, "find_spec", lambda name: None if name == "plyvel" else found(name)
    )
    with Store.open(tmp_path / "m") as store:
        assert store.engine == "lmdb"
    with pytest.raises(MissingExtraError, match="pip install plyvel"):
        Store.open(tmp_path / "old")


def test_backup_and_restore_keep_the_engine(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", engine="lmdb", worker="none") as memory:
        memory.remember("The kettle is broken.")
        memory.admin.backup(tmp_path / "copy")
    graphmem.restore(tmp_path / "copy", tmp_path / "again")
    with graphmem.open(tmp_path / "again", worker="none") as memory:
        assert len(memory) == 1
    assert engines.kind_of(tmp_path / "again" / "store") == "lmdb"


LIMITED = """
import resource, sys
from pathlib import Path
from graphmem.errors import BrokenError, FullError
from graphmem.storage import lmdb
kind, folder = sys.argv[1:]
if kind == "space":
    resource.setrlimit(resource.RLIMIT_AS, (20 << 30, 20 << 30))
engine = lmdb.LMDBEngine(Path(folder))
print(engine._file.environment.info()["map_size"])
if kind == "disk":
    import signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    done = 0
    try:
        for done in range(1000):
            engine.commit({b"%d" % done: bytes(10_000)})
    except OSError as error:
        print(type(error).__name__)
    try:
        engine.commit({b"more": b""})
    except BrokenError:
        print("broken")
    print(done == sum(1 for _ in engine.range(b"", b"z")))
engine.close()
"""


def limited(kind: str, folder: Path) -> list[str]:
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, kind, str(folder)],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=50, check=True,
    )  # fmt: skip
    return ended.stdout.split()


def test_less_address_space_makes_a_smaller_map(tmp_path: Path) -> None:
    """A container with a limit could not open anything."""
    assert limited("space", tmp_path / "store") == [str(1 << 34)]


def test_a_disk_that_takes_no_more_loses_nothing_acknowledged(tmp_path: Path) -> None:
    _, kind, broken, whole = limited("disk", tmp_path / "store")
    assert kind in ("FullError", "StorageError")
    assert (broken, whole) == ("broken", "True")


def test_a_full_map_is_told_and_grows_when_it_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lmdb, "_MAPS", (1 << 20,))
    engine = LMDBEngine(tmp_path / "store")
    number = 0
    told = ""
    while not told:
        try:
            engine.commit({b"%d" % number: bytes(10_000)})
            number += 1
        except FullError as error:
            told = str(error)
    assert "address space" in told
    with pytest.raises(BrokenError):
        engine.commit({b"more": b""})
    assert sum(1 for _ in engine.keys(b"", b"z")) == number
    engine.close()
    engine = LMDBEngine(tmp_path / "store")
    engine.commit({b"%d" % number: bytes(10_000)})
    assert sum(1 for _ in engine.keys(b"", b"z")) == number + 1
    engine.close()


def test_a_forked_child_reads_what_was_open_and_no_more(tmp_path: Path) -> None:
    """docs/guarantees.md tells how a fork differs from one beside LevelDB; nothing else may."""
    said = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, tmp_path / "m", tmp_path / "other"],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=50,
    )  # fmt: skip
    assert said.stdout.split() == [
        "snapshot", "1", "range", "2",
        "ForkedError", "ForkedError", "ForkedError", "AlreadyOpenError", "opened",
        "parent", "3",
    ], said.stderr  # fmt: skip


@pytest.mark.faults
def test_a_full_disk_is_told_when_it_is_opened(small_disk: Path) -> None:
    """LMDB writes its file of readers by mapping it: without room the process ended with SIGBUS."""
    folder = small_disk / "store"
    code = (
        "import sys; from pathlib import Path; from graphmem.storage.lmdb import LMDBEngine;"
        "LMDBEngine(Path(sys.argv[1]))"
    )
    fill(small_disk / "ballast")
    opening = [sys.executable, "-c", code, str(folder)]
    ended = subprocess.run(opening, env=ENVIRONMENT, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "FullError" in ended.stderr.splitlines()[-1]
    (small_disk / "ballast").unlink()
    LMDBEngine(folder).close()


def _remount(disk: Path, how: str) -> None:
    """Mount a disk anew; a child that is just being started may hold a file of it for a moment."""
    for _ in range(50):
        if subprocess.run(["mount", "-o", f"remount,{how}", disk]).returncode == 0:
            return
        time.sleep(0.1)
    raise TimeoutError(disk)


@pytest.mark.faults
def test_a_folder_of_lmdb_is_read_where_nothing_can_be_written(small_disk: Path) -> None:
    """It was refused, with a sentence about LevelDB."""
    folder = small_disk / "m"
    with graphmem.open(folder, engine="lmdb", worker="none") as memory:
        memory.remember("The kettle is broken.")
    for locked in (True, False):
        if not locked:
            _remount(small_disk, "rw")
            (folder / "owner.lock").unlink()
        _remount(small_disk, "ro")
        with graphmem.open(folder, read_only=True, worker="none") as memory:
            assert [hit.node.text for hit in memory.recall("kettle")] == ["The kettle is broken."]
            assert memory.admin.check() == []
            with pytest.raises(AlreadyOpenError):
                graphmem.open(folder, read_only=True, worker="none")
            with pytest.raises(ReadOnlyError):
                memory.remember("The door is green.")
        with pytest.raises(ReadOnlyFolderError, match="open it with read_only=True"):
            graphmem.open(folder, worker="none")
