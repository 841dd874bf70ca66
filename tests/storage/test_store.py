"""The store: sequence numbers, the ring, durability, format, closing and destroying."""

import json
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import PropertyMock, patch

import pytest

from graphmem.errors import (
    BrokenError,
    ClosedError,
    CorruptError,
    FullError,
    GraphMemError,
    NewerFormatError,
    NotAStoreError,
    ReadOnlyError,
    StorageError,
)
from graphmem.storage import format_record
from graphmem.storage import store as store_module
from graphmem.storage.block import Block
from graphmem.storage.commit_keys import RING
from graphmem.storage.engine import Batch, Engine
from graphmem.storage.engines import default, open_engine
from graphmem.storage.folder import read_clean
from graphmem.storage.ownership import destroy
from graphmem.storage.registry import MIGRATIONS
from graphmem.storage.store import Store
from graphmem.storage.syncer import Syncer

FILES = ["clean.json", "meta.json", "owner.lock", "store"]
KEY = b"\0\0\0\1key"
OWN = b"\0\0\0\0\xf0"
CLEAN = OWN + b"\x03"


def ring(number: int) -> bytes:
    return OWN + b"\x02" + (number % RING).to_bytes(2, "big")


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


def edit(folder: Path, batch: dict[bytes, bytes | None]) -> None:
    """Change a closed store behind its back."""
    engine = open_engine(folder / "store", default(), create=False)
    engine.commit(batch, sync=True)
    engine.close()


def abandon(store: Store) -> None:
    """End as a killed process does: no flush, no clean mark."""
    store._syncer.stop()
    store._engine.close()
    assert store._ownership is not None
    store._ownership.release()


@pytest.mark.parametrize("where", ["folder", "memory"])
def test_each_commit_has_the_next_number(where: str, folder: Path) -> None:
    """A number used twice would let a cache show one commit's records for another's."""
    with Store.open(folder if where == "folder" else None) as store:
        assert store.sequence == 0
        seen: list[int] = []
        with store.snapshot() as before:
            for number in range(1, 20):
                assert store.commit({KEY: b"%d" % number}, on_sequence=seen.append) == number
                with store.snapshot() as now:
                    assert now.sequence == store.sequence == number
                    assert now.get(KEY) == b"%d" % number
            assert before.sequence == 0
            assert before.get(KEY) is None
        assert seen == list(range(1, 20))
    if where == "folder":
        with Store.open(folder) as store:
            assert store.sequence == 19
            assert store.commit({}) == 20


@pytest.mark.parametrize("where", ["folder", "memory"])
def test_a_snapshot_taken_during_a_commit_knows_which_side_it_is_on(
    where: str, folder: Path
) -> None:
    """A record of the one side, cached under the number of the other, would be shown for ever."""
    with Store.open(folder if where == "folder" else None) as store:
        store.commit({KEY: b"1"})
        real, seen = store._engine.commit, list[tuple[int, bytes | None]]()

        def look() -> None:
            with store.snapshot() as snapshot:
                seen.append((snapshot.sequence, snapshot.get(KEY)))

        def watched(batch: Batch, sync: bool = False) -> None:
            look()
            real(batch, sync)
            look()

        with patch.object(store._engine, "commit", watched):
            store.commit({KEY: b"2"})
        look()
        assert seen == [(1, b"1"), (2, b"2"), (2, b"2")]


def test_background_work_stands_back_while_somebody_reads() -> None:
    """Python runs one thread at a time: a recall beside work without a pause waits for all of it."""
    with Store.open(None) as store, patch.object(store_module.time, "sleep") as sleep:
        store.stand_back(0.5)
        with store.snapshot():
            store.stand_back(0.5)
        store.stand_back(0.5)
    first, reading, last = (call.args[0] for call in sleep.call_args_list)
    assert first == last < 0.001
    assert reading == 1.5


def test_a_commit_refused_by_on_sequence_writes_nothing() -> None:
    """What the rooms above publish and what is stored must not differ."""

    def refuse(number: int) -> None:
        raise RuntimeError(number)

    with Store.open(None) as store:
        with pytest.raises(RuntimeError):
            store.commit({KEY: b"1"}, on_sequence=refuse)
        assert store.get(KEY) is None
        assert store.commit({KEY: b"2"}) == 1


def test_an_interrupt_after_the_write_does_not_reuse_the_number() -> None:
    """Ctrl-C in a REPL comes anywhere: two batches under one number would hide a later loss."""
    with Store.open(None) as store:
        real = store._engine.commit

        def interrupted(batch: object, sync: bool = False) -> None:
            real(batch, sync)  # type: ignore[arg-type]
            raise KeyboardInterrupt

        store._engine.commit = interrupted  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            store.commit({KEY: b"1"})
        store._engine.commit = real  # type: ignore[method-assign]
        assert store.sequence == 1
        assert store.commit({KEY: b"2"}) == 2


def test_writers_take_turns_and_may_enter_twice() -> None:
    """Two writers that read the same counter would both write its next value."""
    with Store.open(None) as store:

        def add() -> None:
            for _ in range(200):
                with store.writing, store.writing:
                    count = int(store.get(KEY) or b"0")
                    store.commit({KEY: b"%d" % (count + 1)})

        threads = [threading.Thread(target=add) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.get(KEY) == b"800"
        assert store.sequence == 800


def test_the_ring_holds_the_last_numbers(folder: Path) -> None:
    """Past 4096 commits the ring turns over: old entries must not look like a gap."""
    with Store.open(folder, durability="os") as store:
        for _ in range(RING + 100):
            store.commit({KEY: b""})
        abandon(store)
        store._closed = True
    with Store.open(folder) as store:
        assert store.sequence == RING + 100
        assert store.gap is None
        entries = [int.from_bytes(v, "big") for _, v in store.range(ring(0), ring(-1) + b"\0")]
        assert sorted(entries) == list(range(101, RING + 101))


@pytest.mark.parametrize("replacement", [None, "older"])
def test_a_gap_is_found_told_and_kept_until_accepted(
    folder: Path, caplog: pytest.LogCaptureFixture, replacement: str | None
) -> None:
    """After a power cut an earlier batch can be missing while later ones are there."""
    store = Store.open(folder)
    for _ in range(30):
        store.commit({KEY: b""})
    abandon(store)
    lost = {ring(n): None if replacement is None else u64(n - 10) for n in (12, 13, 15)}
    edit(folder, lost)
    for _ in range(2):  # closing does not make it forgotten
        with caplog.at_level(logging.WARNING, "graphmem.storage"), Store.open(folder) as store:
            assert store.gap == (12, 15)
            assert store.commit({}) > 30
        assert "12 to 15" in caplog.text
        caplog.clear()


def test_a_clean_end_is_marked_and_the_mark_goes_with_the_first_commit(folder: Path) -> None:
    """A mark that outlives a later crash would hide the gap."""
    with Store.open(folder) as store:
        store.commit({KEY: b"1"})
        assert store.get(CLEAN) is None
    with Store.open(folder, read_only=True) as store:
        assert store.get(CLEAN) == u64(1)
    with Store.open(folder) as store:
        assert store.get(CLEAN) == u64(1)
        store.commit({KEY: b"2"})
        assert store.get(CLEAN) is None


def test_a_batch_tells_what_was_on_the_disk_before(folder: Path) -> None:
    """After a power cut one must know which commits were promised to be there."""
    with Store.open(folder) as store:
        store.commit({})
        store.flush()
        store.commit({})
        assert store.get(OWN + b"\x04") == u64(1)
    with Store.open(folder, durability="sync") as store:
        store.commit({})
        store.commit({})
        assert store.get(OWN + b"\x04") == u64(3)


@pytest.mark.leveldb
def test_group_syncs_within_fifty_milliseconds(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`group` promises to lose no more than that; one that never syncs would lose everything."""
    from graphmem.storage.leveldb import LevelDBEngine

    synced: list[float] = []
    real = LevelDBEngine.sync

    def sync(engine: LevelDBEngine) -> None:
        synced.append(time.monotonic())
        real(engine)

    monkeypatch.setattr(LevelDBEngine, "sync", sync)
    with Store.open(folder) as store:
        for _ in range(3):
            store.commit({KEY: b"1"})
            committed = time.monotonic()
            store.commit({KEY: b"2"})
            deadline = committed + 5
            while store._synced < store.sequence and time.monotonic() < deadline:
                time.sleep(0.002)
            assert synced[-1] - committed < 0.2  # 50 ms on a machine that is not busy
            count = len(synced)
            time.sleep(0.1)
            assert len(synced) == count, "nothing to sync, so nothing to do"


def test_what_is_committed_during_a_sync_asks_for_another() -> None:
    """It would have waited for the next commit, and been lost to a power cut hours later."""
    again = threading.Event()
    synced: list[None] = []

    def sync() -> None:
        synced.append(None)
        if len(synced) == 1:
            syncer.want()
        else:
            again.set()

    syncer = Syncer(sync, lambda error: None)
    syncer.want()
    assert again.wait(10)
    syncer.stop()


@pytest.mark.leveldb
@pytest.mark.parametrize(("durability", "syncs"), [("sync", 0), ("group", 1), ("os", 0)])
def test_what_each_durability_syncs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, durability: store_module.Durability, syncs: int
) -> None:
    """The promise of each setting, as the engine is asked for it."""
    from graphmem.storage.leveldb import LevelDBEngine

    calls: list[str] = []
    commit, sync = LevelDBEngine.commit, LevelDBEngine.sync
    store = Store.open(folder, durability=durability)

    def counted_commit(engine: LevelDBEngine, batch: Batch, sync: bool = False) -> None:
        calls.append(f"commit {sync}")
        commit(engine, batch, sync)

    def counted_sync(engine: LevelDBEngine) -> None:
        calls.append("sync")
        sync(engine)

    monkeypatch.setattr(LevelDBEngine, "commit", counted_commit)
    monkeypatch.setattr(LevelDBEngine, "sync", counted_sync)
    store.commit({KEY: b"1"})
    time.sleep(0.2)
    assert calls == [f"commit {durability == 'sync'}"] + ["sync"] * syncs
    store.close()
    assert calls[-2:] == ["sync", "commit True"]


def test_an_unknown_durability_is_refused(folder: Path) -> None:
    """A misspelt "sync" would silently mean less."""
    with pytest.raises(ValueError, match="group"):
        Store.open(folder, durability="fsync")  # type: ignore[arg-type]
    assert not folder.exists()


@pytest.mark.leveldb
@pytest.mark.parametrize("caller", ["commit", "close", "flush"])
def test_a_failed_background_sync_surfaces(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caller: str
) -> None:
    """After a failed fsync the kernel drops the pages; going on would acknowledge lost writes."""
    from graphmem.storage import leveldb

    def fail(path: Path) -> None:
        raise OSError(5, os.strerror(5))

    store = Store.open(folder)
    monkeypatch.setattr(leveldb, "_sync_log", fail)
    store.commit({KEY: b"1"})
    deadline = time.monotonic() + 60
    while store._failed is None and time.monotonic() < deadline:
        time.sleep(0.005)
    assert store.get(KEY) == b"1", "reading goes on"
    call: Callable[[], object] = {
        "commit": lambda: store.commit({KEY: b"2"}),
        "close": store.close,
        "flush": store.flush,
    }[caller]
    with pytest.raises(StorageError, match="Input/output error") as caught:
        call()
    assert caller == "close" or isinstance(caught.value, BrokenError)
    monkeypatch.undo()
    store.close()
    assert read_clean(folder) == 0, "what a power cut takes now was never noted as there"
    with Store.open(folder) as store:
        assert store.get(KEY) == b"1"
        store.commit({KEY: b"3"})


@pytest.mark.parametrize("where", ["folder", "memory"])
def test_read_only_refuses_writes(folder: Path, where: str) -> None:
    """Whoever asks for read_only must be sure that nothing changes."""
    if where == "folder":
        with Store.open(folder) as store:
            store.commit({KEY: b"1"})
    with Store.open(folder if where == "folder" else None, read_only=True) as store:
        for write in (
            lambda: store.commit({KEY: b"2"}),
            lambda: store.writing.__enter__(),
            lambda: store.compact(b"", b"\xff"),
        ):
            with pytest.raises(ReadOnlyError):
                write()
        store.flush()
        assert store.get(KEY) == (b"1" if where == "folder" else None)


@pytest.mark.parametrize("where", ["folder", "memory"])
def test_a_closed_store_refuses(folder: Path, where: str) -> None:
    """A write after close that is neither stored nor refused is lost."""
    store = Store.open(folder if where == "folder" else None)
    snapshot = store.snapshot()
    store.close()
    store.close()
    uses: list[Callable[[], object]] = [
        lambda: store.commit({}),
        lambda: store.get(KEY),
        lambda: store.get_many([KEY]),
        lambda: list(store.range(b"", b"\xff")),
        lambda: list(store.keys(b"", b"\xff")),
        lambda: store.approximate_size(b"", b"\xff"),
        lambda: store.compact(b"", b"\xff"),
        lambda: store.writing.__enter__(),
        lambda: snapshot.get(KEY),
        store.snapshot,
        store.flush,
    ]
    for use in uses:
        with pytest.raises(ClosedError):
            use()


def test_meta_json_mirrors_the_record_and_is_not_needed(folder: Path) -> None:
    """A lost or damaged meta.json must not cost the memory: the truth is in the store."""
    with Store.open(folder) as store:
        store.commit({KEY: b"1"})
        record = store.get(OWN + b"\0")
    meta = folder / "meta.json"
    assert meta.read_bytes() == record
    assert json.loads(meta.read_text())["format"] == 2
    for damage in (meta.unlink, lambda: meta.write_bytes(b"{")):
        damage()
        with Store.open(folder) as store:
            assert store.get(KEY) == b"1"
        assert meta.read_bytes() == record


def test_a_making_that_was_cut_short_is_finished(folder: Path) -> None:
    """A crash within the first open must not leave a folder that is refused for ever."""
    Store.open(folder).close()
    (folder / "meta.json").unlink()
    edit(folder, {OWN + b"\0": None, CLEAN: None})
    with Store.open(folder) as store:
        assert store.commit({KEY: b"1"}) == 1


def test_somebody_elses_leveldb_is_refused(folder: Path) -> None:
    """A LevelDB folder of another program is not a store with a lost record."""
    Store.open(folder).close()
    (folder / "meta.json").unlink()
    edit(folder, {OWN + b"\0": None, b"theirs": b"1"})
    with pytest.raises(NotAStoreError):
        Store.open(folder)


def test_a_newer_format_is_refused(folder: Path) -> None:
    """An old version that writes into a newer format destroys it."""
    with Store.open(folder) as store:
        record = json.loads(store.get(OWN + b"\0") or b"")
    record |= {"format": 3, "library": "9.9"}
    edit(folder, {OWN + b"\0": json.dumps(record).encode()})
    with pytest.raises(NewerFormatError, match=r"format 3.*9\.9.*newer graphmem"):
        Store.open(folder)


def older(folder: Path) -> None:
    """A store of format 1 with one key."""
    with Store.open(folder) as store:
        store.commit({KEY: b"1"})
        record = json.loads(store.get(OWN + b"\0") or b"")
    edit(folder, {OWN + b"\0": json.dumps(record | {"format": 1, "created": "then"}).encode()})


def copied(old: Engine, new: Store) -> None:
    new.commit({KEY: (old.get(KEY) or b"") + b"2"})


def test_an_older_format_is_migrated(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory of years must open in the next version; the old store goes after a clean end."""
    older(folder)
    monkeypatch.setitem(MIGRATIONS, 1, copied)
    with pytest.raises(ReadOnlyError):
        Store.open(folder, read_only=True)
    with Store.open(folder) as store:
        assert store.get(KEY) == b"12"
        assert sorted(os.listdir(folder)) == [*FILES, "store.format-1"]
        assert store.sequence >= 1
    for _ in range(2):
        assert sorted(os.listdir(folder)) == FILES
        record = json.loads((folder / "meta.json").read_text())
        assert (record["format"], record["created"]) == (2, "then")
        with Store.open(folder, read_only=True) as store:
            assert store.get(KEY) == b"12"


@pytest.mark.parametrize(
    "error", [FullError(28, "full"), CorruptError("damaged"), KeyboardInterrupt]
)
def test_a_migration_that_fails_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """A disk that fills up half-way must leave the memory of years as it was."""
    older(folder)

    def fails(old: Engine, new: Store) -> None:
        copied(old, new)
        raise error

    monkeypatch.setitem(MIGRATIONS, 1, fails)
    with pytest.raises(type(error) if isinstance(error, Exception) else KeyboardInterrupt):
        Store.open(folder)
    assert sorted(os.listdir(folder)) == FILES
    monkeypatch.setitem(MIGRATIONS, 1, copied)
    with Store.open(folder) as store:
        assert store.get(KEY) == b"12"


def test_a_disk_without_room_is_known_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What it takes is said beforehand, and nothing is begun that cannot be finished."""
    older(folder)
    monkeypatch.setitem(MIGRATIONS, 1, copied)
    usage = shutil.disk_usage(folder)._replace(free=10)
    monkeypatch.setattr("graphmem.storage.migration.shutil.disk_usage", lambda _: usage)
    with pytest.raises(FullError, match="nothing was changed"):
        Store.open(folder)
    assert "takes up to" in caplog.text
    assert sorted(os.listdir(folder)) == FILES


@pytest.mark.parametrize("step", ["new", "old renamed", "both renamed"])
def test_a_swap_that_was_cut_short_is_finished(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Between two renames there is no store; a folder must never look empty for good."""
    older(folder)
    monkeypatch.setitem(MIGRATIONS, 1, copied)
    real, count = os.rename, {"new": 0, "old renamed": 1, "both renamed": 2}[step]

    def rename(source: Path, target: Path) -> None:
        nonlocal count
        if count == 0:
            raise KeyboardInterrupt
        count -= 1
        real(source, target)
        if count == 0 and step == "both renamed":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("graphmem.storage.migration.os.rename", rename)
        with pytest.raises(KeyboardInterrupt):
            Store.open(folder)
    with Store.open(folder) as store:
        assert store.get(KEY) == b"12"
    assert sorted(os.listdir(folder)) == FILES


@pytest.mark.parametrize("name", ["migration", "store.format-1"])
def test_a_migration_follows_no_link(folder: Path, name: str) -> None:
    """A folder from somebody else could have us remove, or open, what lies elsewhere."""
    Store.open(folder).close()
    elsewhere = folder.with_name("elsewhere")
    elsewhere.mkdir()
    (elsewhere / "mine").touch()
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(NotAStoreError, match="symbolic link"):
        Store.open(folder)
    assert (elsewhere / "mine").exists()


def test_destroy_removes_what_a_migration_has_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The texts of the old store must not outlive the folder."""
    older(folder)
    monkeypatch.setitem(MIGRATIONS, 1, copied)
    Store.open(folder)._engine.close()  # as a crash does
    shutil.copytree(folder, folder.with_name("crashed"))
    destroy(folder.with_name("crashed"))
    assert not folder.with_name("crashed").exists()


@pytest.mark.parametrize("to_read", [False, True])
def test_what_an_older_version_does_not_know_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, to_read: bool
) -> None:
    """A version that does not know an index would write past it, and leave it wrong for good."""
    with Store.open(folder) as store:
        for _ in range(2):
            store.require("time index", to_read=to_read)
    basic = [*format_record.BASIC]
    monkeypatch.setattr(format_record, "FEATURES", {*basic, "time index"})
    with Store.open(folder) as store:
        record = json.loads(store.get(OWN + b"\0") or b"")
        required = sorted([*basic, "time index"])
        assert record["requires"] == {"read": required if to_read else basic, "write": required}
    assert json.loads((folder / "meta.json").read_text()) == record
    monkeypatch.setattr(format_record, "FEATURES", set(basic))
    with pytest.raises(NewerFormatError, match=r"time index.*newer graphmem"):
        Store.open(folder)
    if to_read:
        with pytest.raises(NewerFormatError, match="cannot read"):
            Store.open(folder, read_only=True)
    else:
        Store.open(folder, read_only=True).close()


@pytest.mark.parametrize(
    "record",
    [b"", b"nonsense", b"[]", b"{}", b'{"format": "x"}', b'{"format": 2, "requires": {"read": 5}}'],
)
def test_a_damaged_format_record_is_refused(folder: Path, record: bytes) -> None:
    """Guessing the format would read one layout as another."""
    Store.open(folder).close()
    edit(folder, {OWN + b"\0": record})
    with pytest.raises(CorruptError):
        Store.open(folder)


def test_destroy_removes_ours_and_leaves_the_rest(folder: Path) -> None:
    """Removing a folder must not take files along that are not the store's."""
    with Store.open(folder), pytest.raises(GraphMemError):
        destroy(folder)
    destroy(folder)
    assert not folder.exists()
    Store.open(folder).close()
    (folder / "notes.txt").write_text("mine")
    destroy(folder)
    assert os.listdir(folder) == ["notes.txt"]
    with pytest.raises(NotAStoreError):
        destroy(folder)


def test_a_block_of_another_thread_may_end_while_one_waits_for_the_lock() -> None:
    """Looked at twice, the block was gone the second time, and the write raised AttributeError."""
    with Store.open(None) as store:
        ending = PropertyMock(side_effect=[Block(0), *[None] * 9])
        with patch.object(Store, "_block", ending, create=True), store.writing:
            assert store.held
