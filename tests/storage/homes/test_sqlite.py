"""A home in a folder."""

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graphmem.errors import NotAStoreError, StorageError
from graphmem.storage.homes import sqlite
from graphmem.storage.homes.sql import SqlHome
from graphmem.storage.homes.sqlite import NAME, Sqlite


@pytest.mark.parametrize(
    ("kind", "refused"),
    [("ext4", False), ("overlay", False), ("tmpfs", False), ("nfs4", True), ("cifs", True),
     ("fuse.sshfs", True), ("fuseblk", False), ("9p", True)],
)  # fmt: skip
def test_a_network_file_system_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, refused: bool
) -> None:
    """Locks of two machines do not hold there, and both would write."""
    mounts = tmp_path / "mounts"
    point = str(tmp_path / "a b").replace(" ", "\\040")
    mounts.write_text(f"disk / ext4 rw 0 0\nremote {point} {kind} rw 0 0\n")
    monkeypatch.setattr(sqlite, "_MOUNTS", mounts)
    folder = tmp_path / "a b" / "home"
    if refused:
        with pytest.raises(NotAStoreError, match=kind):
            Sqlite(folder)
        assert not folder.exists()
    else:
        Sqlite(folder).close()
    Sqlite(tmp_path / "beside").close()


STANDING = """
import sqlite3, sys
raw = sqlite3.connect(sys.argv[1], isolation_level=None)
raw.execute("BEGIN IMMEDIATE")
print("stopped", flush=True)
sys.stdin.read()
"""


def test_who_stopped_within_a_write_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A paused writer closes the home for all; "database is locked" named neither who nor what."""
    monkeypatch.setattr(sqlite, "PATIENCE", 0.1)
    home = SqlHome(Sqlite(tmp_path))
    home.make()
    with subprocess.Popen(
        [sys.executable, "-c", STANDING, tmp_path / NAME],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as writer:  # fmt: skip
        assert writer.stdout is not None
        assert writer.stdin is not None
        writer.stdout.readline()
        with pytest.raises(StorageError, match=rf"process {writer.pid} .*kill -CONT") as raised:
            home.renew("host", "name", None)
        assert raised.value.filename == str(tmp_path / NAME)
        assert home.home_id()  # what is there can be read
        monkeypatch.setattr(sqlite, "_LOCKS", tmp_path / "no")
        with pytest.raises(StorageError, match="another process has stopped"):
            home.renew("host", "name", None)
        writer.stdin.close()
        writer.wait()
    home.renew("host", "name", None)
    home.close()


def test_a_file_that_was_replaced_or_deleted_is_not_written_on(tmp_path: Path) -> None:
    """SQLite wrote on into a file that no path led to any more, and each write was acknowledged."""
    folder = tmp_path / "home"
    home = SqlHome(Sqlite(folder))
    home.make()
    shutil.copytree(folder, tmp_path / "copy", ignore=lambda *_: [f"{NAME}-wal", f"{NAME}-shm"])
    home.take("m", "host", force=False, create=True, encrypted=False)
    folder.rename(tmp_path / "gone")
    with pytest.raises(StorageError, match="no home is there"):
        home.listed("", None, 9)
    shutil.copytree(tmp_path / "copy", folder)
    beside = SqlHome(Sqlite(folder))
    beside.make()
    beside.take("other", "host", force=False, create=True, encrypted=False)
    beside.renew("host", "name", None)
    assert [memory.name for memory in home.listed("", None, 9)] == ["other"]
    assert (folder / f"{NAME}-wal").exists()  # what closes the old file leaves that of the new one
    beside.close()
    home.close()


OPENS_AND_CLOSES = """
import sqlite3, sys
raw = sqlite3.connect(sys.argv[1])
raw.execute("SELECT * FROM graphmem_home").fetchall()
raw.close()
"""


def test_making_a_home_again_ends_no_lock(tmp_path: Path) -> None:
    """A second home of a process opened and closed the file, which ended the locks of the first:
    the next process to close it deleted its log, and what was acknowledged afterwards was lost."""
    home = SqlHome(Sqlite(tmp_path))
    home.make()
    stay = home.take("m", "host", force=False, create=True, encrypted=False)
    beside = SqlHome(Sqlite(tmp_path))
    beside.make()
    beside.close()
    subprocess.run([sys.executable, "-c", OPENS_AND_CLOSES, tmp_path / NAME], check=True)
    home.append(stay, 1, 7, b"acknowledged")
    raw = sqlite3.connect(tmp_path / NAME)
    assert raw.execute("SELECT content FROM graphmem_log").fetchall() == [(b"acknowledged",)]
    raw.close()
    home.close()


@pytest.mark.skipif(sys.platform != "linux", reason="locks of descriptors")
@pytest.mark.parametrize("files", [("",), ("-shm",), ("", "-wal", "-shm")])
def test_a_copy_of_the_files_ends_no_lock(tmp_path: Path, files: tuple[str, ...]) -> None:
    """A process that copied, packed or hashed the files of the home that it has open lost SQLite's
    locks on them: the next process to close it deleted the log, into which the owner wrote on."""
    home, beside = SqlHome(Sqlite(tmp_path)), SqlHome(Sqlite(tmp_path))
    home.make()
    stay = home.take("m", "host", force=False, create=True, encrypted=False)
    beside.renew("host", "name", None)
    beside.close()  # what ends with it is its own
    for file in files:
        (tmp_path / f"{NAME}{file}").read_bytes()
    subprocess.run([sys.executable, "-c", OPENS_AND_CLOSES, tmp_path / NAME], check=True)
    home.append(stay, 1, 7, b"acknowledged")
    raw = sqlite3.connect(tmp_path / NAME)
    assert raw.execute("SELECT content FROM graphmem_log").fetchall() == [(b"acknowledged",)]
    raw.close()
    home.close()
    assert not (tmp_path / f"{NAME}-wal").exists()  # the last one to close it has tidied up


WRITES = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0.1, isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
"""


def test_a_home_that_is_closed_leaves_the_write_of_another_one_alone(tmp_path: Path) -> None:
    """Closing one of two homes of a process ended the writer's lock of the other: another process
    could write at the same time, and what it had acknowledged was lost."""
    home, beside = Sqlite(tmp_path), Sqlite(tmp_path)
    SqlHome(home).make()
    beside.doing(_asked)

    def act(connection: Any) -> None:
        with connection.transaction():
            beside.close()
            ended = subprocess.run(
                [sys.executable, "-c", WRITES, tmp_path / NAME], capture_output=True, check=False
            )
            assert b"locked" in ended.stderr

    home.doing(act)
    home.close()


def _asked(connection: Any) -> Any:
    return connection.execute("SELECT count(*) FROM sqlite_master", ()).fetchone()


def test_a_home_that_came_back_is_used_again(tmp_path: Path) -> None:
    """A file that was no database stood there for a moment, and the connection stayed closed for
    as long as the process lived."""
    home = Sqlite(tmp_path)
    SqlHome(home).make()
    assert home.doing(_asked) is not None
    (tmp_path / NAME).rename(tmp_path / "aside")
    for beside in ("-wal", "-shm"):
        (tmp_path / f"{NAME}{beside}").unlink(missing_ok=True)
    (tmp_path / NAME).write_bytes(b"no database" * 1000)
    with pytest.raises(StorageError):
        home.doing(_asked)
    (tmp_path / "aside").rename(tmp_path / NAME)
    assert home.doing(_asked) is not None
    home.close()
