"""One process, and in it one store, has a folder: the ways in which LevelDB's own lock fails."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphmem
from graphmem.errors import (
    AlreadyOpenError,
    ForkedError,
    GraphMemError,
    MissingError,
    NotAStoreError,
    ReadOnlyFolderError,
    StorageError,
)
from graphmem.storage import ownership
from graphmem.storage.backup import back_up
from graphmem.storage.folder import make_private, read_clean, write_clean, write_meta
from graphmem.storage.ownership import Ownership, destroy
from graphmem.storage.store import Store
from tests.faults.small_disk import fill

KEY = b"\0\0\0\1key"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with Store.open(folder) as store:
        store.commit({KEY: b"first"})
        yield store


def test_a_file_of_ours_is_for_its_owner_alone_and_one_that_is_gone_no_error(
    tmp_path: Path,
) -> None:
    """LevelDB deletes files while we go through them."""
    make_private(tmp_path / "gone")
    (mine := tmp_path / "mine").touch(0o666)
    for mode in (0o666, 0o640, 0o604, 0o600):
        mine.chmod(mode)
        make_private(mine)
        assert mine.stat().st_mode & 0o777 == 0o600


def in_another_process(script: str, *arguments: str | Path) -> str:
    """Run `script` in a fresh interpreter; return what it printed."""
    header = (
        "import os, sys\nfrom graphmem.errors import *\nfrom graphmem.storage.store import Store\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", header + script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


TRY_TO_OPEN = """
try:
    Store.open(sys.argv[1])
except AlreadyOpenError as error:
    print("refused", error.owner_pid)
else:
    print("opened")
"""


def test_a_second_open_in_this_process_is_refused(store: Store, folder: Path) -> None:
    """LevelDB's refusal of a second handle drops the lock of the first."""
    for _ in range(2):
        with pytest.raises(AlreadyOpenError, match="close it there") as caught:
            Store.open(folder)
        assert caught.value.owner_pid == os.getpid()
        assert caught.value.path == str(folder)
    assert in_another_process(TRY_TO_OPEN, folder) == f"refused {os.getpid()}"


def test_an_alias_of_the_path_is_refused(store: Store, folder: Path, tmp_path: Path) -> None:
    """By `D/.` or a link LevelDB opens a second handle, and both write over each other."""
    link = tmp_path / "link"
    link.symlink_to(folder)
    for alias in (f"{folder}/.", f"{folder}/../memory", str(link), os.path.relpath(folder)):
        with pytest.raises(AlreadyOpenError):
            Store.open(alias)
        with pytest.raises(AlreadyOpenError):
            Store.open(alias, read_only=True)


def test_another_process_is_refused_and_told_the_owner(store: Store, folder: Path) -> None:
    """Two writers of one folder left 1 of 1,001 rows."""
    assert in_another_process(TRY_TO_OPEN, folder) == f"refused {os.getpid()}"
    assert (folder / "owner.lock").read_text().split()[0] == str(os.getpid())


def test_copying_the_folder_does_not_give_it_away(
    store: Store, folder: Path, tmp_path: Path
) -> None:
    """`shutil.copytree` opens and closes LOCK, which silently drops LevelDB's own lock."""
    shutil.copytree(folder, tmp_path / "copy")
    assert in_another_process(TRY_TO_OPEN, folder) == f"refused {os.getpid()}"
    store.commit({KEY: b"second"})
    assert store.get(KEY) == b"second"


@pytest.mark.parametrize(
    "name", [pytest.param("store/LOCK", marks=pytest.mark.leveldb), "owner.lock"]
)
def test_closing_a_lock_file_does_not_give_the_folder_away(
    store: Store, folder: Path, name: str
) -> None:
    """Closing any descriptor of a POSIX-locked file drops the lock; after that, 1,000 puts went."""
    with open(folder / name, "rb"):
        pass
    assert in_another_process(TRY_TO_OPEN, folder) == f"refused {os.getpid()}"


def test_the_folder_is_free_after_close(store: Store, folder: Path) -> None:
    """A lock that outlives the store shuts the user out of his own memory."""
    store.close()
    assert in_another_process(TRY_TO_OPEN, folder) == "opened"
    with Store.open(folder) as again:
        assert again.get(KEY) == b"first"


def test_the_folder_is_free_after_the_owner_was_killed(folder: Path) -> None:
    """A stale lock file must not need to be deleted by hand."""
    in_another_process(
        "store = Store.open(sys.argv[1])\nstore.commit({b'\\0\\0\\0\\1key': b'1'})\n"
        "os.fork() or os._exit(0)\nos._exit(0)",
        folder,
    )
    assert (folder / "owner.lock").read_text()
    with Store.open(folder) as store:
        assert store.get(KEY) == b"1"


@pytest.mark.leveldb
def test_a_failed_open_leaves_the_folder_free(store: Store, folder: Path) -> None:
    """After an error in opening, the next try must not say that it is open already."""
    store.close()
    (folder / "store" / "CURRENT").write_bytes(b"nonsense")
    for _ in range(2):
        with pytest.raises(GraphMemError) as caught:
            Store.open(folder)
        assert not isinstance(caught.value, AlreadyOpenError)


@pytest.mark.leveldb
def test_a_forked_child_may_not_use_the_store(store: Store, folder: Path) -> None:
    """What a forked child writes through the inherited handle the parent never sees."""
    begun = store.range(b"", b"\xff")
    next(begun)
    snapshot = store.snapshot()
    memory = Store.open(None)
    other = Ownership.take(folder.parent / "other")
    child = os.fork()
    if child == 0:
        status = 0
        for use in (
            lambda: store.get(KEY),
            lambda: store.get_many([KEY]),
            lambda: list(store.keys(b"", b"\xff")),
            lambda: next(begun),
            lambda: snapshot.get(KEY),
            lambda: store.snapshot(),
            lambda: store.commit({KEY: b"child"}),
            lambda: store.flush(),
            lambda: store.writing.__enter__(),
            lambda: memory.commit({KEY: b"child"}),
        ):
            try:
                use()
                status = 1
            except ForkedError:
                pass
        try:
            Store.open(folder)
            status = 2
        except ForkedError:
            pass
        other.release()
        snapshot.close()
        store.close()  # as a `with` block would
        del snapshot, begun, store
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.commit({KEY: b"parent"})
    assert store.get(KEY) == b"parent"
    assert in_another_process(TRY_TO_OPEN, folder) == f"refused {os.getpid()}"
    other.release()


FORK_AND_OPEN = """
import signal
from pathlib import Path
if sys.argv[2] == "open":
    with Store.open(sys.argv[1]) as store:
        store.compact(b"", b"\\xff")
if os.fork() == 0:
    signal.alarm(20)
    other = Path(sys.argv[1]).with_name("other")
    try:
        with Store.open(other) as store:
            store.commit({b"12345": b"value"})
            store.compact(b"", b"\\xff")
            print("compacted", flush=True)
    except ForkedError as error:
        print("other" in str(error), other.exists(), flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.leveldb
def test_a_child_forked_after_a_store_was_open_is_told(folder: Path) -> None:
    """LevelDB's one background thread stays with the parent: the child's first compaction hung."""
    assert in_another_process(FORK_AND_OPEN, folder, "open") == "True False"
    assert in_another_process(FORK_AND_OPEN, folder, "none") == "compacted"


def test_a_child_that_outlives_the_owner_does_not_keep_the_folder(folder: Path) -> None:
    """A forked child inherits the lock's descriptor, and would hold the folder after a crash."""
    script = (
        "store = Store.open(sys.argv[1])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os.close(1); os.close(2)\n"
        "    import time; time.sleep(30); os._exit(0)\n"
        "print(child, flush=True)\nos._exit(0)"
    )
    child = int(in_another_process(script, folder))
    try:
        Store.open(folder).close()
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_process_started_by_the_owner_does_not_inherit_the_lock(
    store: Store, folder: Path
) -> None:
    """The worker outlives its owner for a moment, and must not keep the folder."""
    with subprocess.Popen(["sleep", "30"], close_fds=False) as sleeper:
        store.close()
        assert in_another_process(TRY_TO_OPEN, folder) == "opened"
        sleeper.kill()


def test_a_foreign_folder_is_refused_and_not_touched(tmp_path: Path) -> None:
    """A mistyped path must not sow database files among somebody's documents."""
    (tmp_path / "thesis.txt").write_text("years of work")
    (tmp_path / "store").mkdir()
    for act in (Store.open, destroy, graphmem.repair):
        with pytest.raises(NotAStoreError):
            act(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["store", "thesis.txt"]
    with pytest.raises(NotAStoreError, match="file"):
        Store.open(tmp_path / "thesis.txt")
    (tmp_path / "meta.json").write_text('{"application": "other"}')
    with pytest.raises(NotAStoreError):
        Store.open(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """`read_only` and `create=False` must not make an empty memory out of a mistyped path."""
    with pytest.raises(MissingError, match="parent"):
        Store.open(tmp_path / "no" / "memory")
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "memory", tmp_path / "empty"):
        with pytest.raises(FileNotFoundError):
            Store.open(path, create=False)
        with pytest.raises(MissingError):
            Store.open(path, read_only=True)
        with pytest.raises(MissingError):
            destroy(path)
    assert os.listdir(tmp_path) == ["empty"]
    assert os.listdir(tmp_path / "empty") == []


def test_an_existing_empty_folder_is_filled(tmp_path: Path) -> None:
    """rdflib's suites open a store in a temporary folder that exists already."""
    with Store.open(tmp_path) as store:
        store.commit({KEY: b"1"})
    assert sorted(os.listdir(tmp_path)) == ["clean.json", "meta.json", "owner.lock", "store"]


def test_a_folder_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    """LevelDB cannot open without writing; an unnamed error would send the user to our code."""
    folder = tmp_path / "memory"
    Store.open(folder).close()
    if os.getuid() == 0:
        # Root may write in spite of permission bits, so it takes a read-only mount.
        for command in (
            ["mount", "--bind", str(folder), str(folder)],
            ["mount", "-o", "remount,bind,ro", str(folder)],
        ):
            if subprocess.run(command, capture_output=True).returncode:
                subprocess.run(["umount", str(folder)], capture_output=True)
                pytest.skip("cannot mount here, and root ignores permission bits")
    else:
        folder.chmod(0o500)
        (folder / "owner.lock").chmod(0o400)
    try:
        for read_only in (False, True):
            with pytest.raises(ReadOnlyFolderError, match="LevelDB writes when it opens"):
                Store.open(folder, read_only=read_only)
        with pytest.raises(PermissionError):
            Store.open(folder / "new" if os.getuid() else folder)
    finally:
        if os.getuid() == 0:
            subprocess.run(["umount", str(folder)], check=True)
        else:
            folder.chmod(0o700)
            (folder / "owner.lock").chmod(0o600)
    Store.open(folder).close()


def test_a_path_that_is_too_long_is_a_storage_error(tmp_path: Path) -> None:
    """Every failure of the system must come out as one of our errors."""
    with pytest.raises((StorageError, MissingError)):
        Store.open(tmp_path / ("x" * 5000))


@pytest.mark.parametrize(
    "name",
    ["owner.lock", "owner.sock", "meta.json", "meta.json.new", "clean.json", "store",
     "store/LOG", "store/LOCK", "store/CURRENT", "store/000007.log", "store/000009.dbtmp",
     "store.format-1", "migration/store"],
)  # fmt: skip
@pytest.mark.parametrize("folder_is", ["new", "ours"])
def test_a_link_in_a_folder_from_somebody_else_is_refused(
    folder: Path, tmp_path: Path, name: str, folder_is: str
) -> None:
    """Opening wrote into whatever a link named as a file of ours pointed to."""
    if folder_is == "ours":
        Store.open(folder).close()
    (folder / "store").mkdir(parents=True, exist_ok=True)
    (folder / "owner.lock").touch()
    victim = tmp_path / "victim"
    victim.write_text("years of work")
    path = folder / name
    if name == "store":
        path.rename(tmp_path / "elsewhere")
        victim = tmp_path / "elsewhere"
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(victim)
    before = sorted(os.listdir(victim)) if victim.is_dir() else victim.read_text()
    for act in (
        Store.open,
        lambda path: Store.open(path, read_only=True),
        destroy,
        graphmem.repair,
        lambda path: graphmem.restore(path, tmp_path / "restored"),
    ):
        with pytest.raises(NotAStoreError, match=f"{name} is a symbolic link|no store of"):
            act(folder)
    assert before == (sorted(os.listdir(victim)) if victim.is_dir() else victim.read_text())
    path.unlink()
    if name in ("owner.lock", "owner.sock", "store/LOG") and folder_is == "ours":
        Store.open(folder).close()


@pytest.mark.parametrize("name", ["owner.lock", "meta.json.new", "store/000007.log"])
def test_a_pipe_with_a_name_of_ours_is_refused(folder: Path, name: str) -> None:
    """Opening one waits for ever for the other end."""
    Store.open(folder).close()
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    with pytest.raises(NotAStoreError, match=f"{name} is no plain file"):
        Store.open(folder)


def test_a_link_put_in_place_later_is_not_followed(folder: Path, tmp_path: Path) -> None:
    """What was looked at before can have changed when it is opened."""
    folder.mkdir()
    victim = tmp_path / "victim"
    victim.write_text("years of work")
    for name in ("meta.json", "meta.json.new"):
        (folder / name).symlink_to(victim)
        with pytest.raises(NotAStoreError, match="symbolic link"):
            write_meta(folder, b"{}")
        (folder / name).unlink()
    (folder / "owner.lock").symlink_to(victim)
    with pytest.raises(NotAStoreError, match="symbolic link"):
        ownership._lock(folder)
    assert victim.read_text() == "years of work"


def test_a_file_is_on_the_disk_before_it_takes_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut its name would lead to an empty file, and the old one would be gone."""
    done: list[object] = []
    fsync, replace = os.fsync, os.replace

    def note_sync(descriptor: int) -> None:
        done.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def note_replace(old: Path, new: Path) -> None:
        done.append("put there")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "replace", note_replace)
    write_clean(tmp_path, 7)
    file = tmp_path / "clean.json"
    assert done == [file.stat().st_ino, "put there", tmp_path.stat().st_ino]
    assert read_clean(tmp_path) == 7


@pytest.mark.parametrize("mode", [0o750, 0o705, 0o770])
def test_neither_the_group_nor_others_keep_what_an_earlier_version_gave(
    folder: Path, mode: int
) -> None:
    """With a umask of 027 the folders of earlier versions can be read by the whole group."""
    Store.open(folder).close()
    (folder / "store").chmod(mode)
    Store.open(folder).close()
    assert modes(folder / "store") == {0o700}


def test_nobody_else_may_read_a_memory(folder: Path, tmp_path: Path) -> None:
    """With a common umask everybody on the machine could read what the agent was told."""
    old = os.umask(0o022)
    try:
        with Store.open(folder) as store:
            store.commit({KEY: b"secret"})
            back_up(store, tmp_path / "copy")
            # What LevelDB makes while it is open has the mode that the umask leaves, in a folder
            # that nobody else can enter.
            assert modes(folder, tmp_path / "copy", folder / "store") == {0o700}
        for place in (folder, tmp_path / "copy"):
            assert modes(place, place / "store") == {0o700}
            assert modes(*(p for p in place.rglob("*") if p.is_file())) == {0o600}
        (folder / "store").chmod(0o755)  # as earlier versions left it
        (folder / "meta.json").chmod(0o644)
        Store.open(folder).close()
        assert modes(folder / "store") == {0o700}
        assert modes(folder / "meta.json") == {0o600}
    finally:
        os.umask(old)


def modes(*paths: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in paths}


def test_what_a_full_disk_does_not_take_leaves_no_file(small_disk: Path) -> None:
    write_clean(small_disk, 7)
    fill(small_disk / "ballast")
    with pytest.raises(OSError, match="No space left"):
        write_clean(small_disk, 8)
    assert sorted(os.listdir(small_disk)) == ["ballast", "clean.json"]
    assert read_clean(small_disk) == 7
