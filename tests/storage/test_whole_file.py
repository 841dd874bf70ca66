"""A file of a user's is there whole, and what is no file is not replaced by one."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from graphmem.errors import StorageError
from graphmem.storage.whole_file import write_whole


def written(place: Path) -> int:
    return place.write_bytes(b"whole")


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    """As root, an export to /dev/null or /dev/stdout put a plain file in its place."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["timeout", "20", "cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        assert write_whole(pipe, written) == 5
        assert reader.communicate()[0] == b"whole"
    assert pipe.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for _ in range(2):  # where there is nothing yet, and where there is something
        write_whole(tmp_path / "link", written)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"whole"


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """Half a file would be taken for the whole one."""
    (tmp_path / "file").write_bytes(b"old")

    def half(place: Path) -> int:
        place.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(StorageError, match="file cannot be written: No space left on device"):
        write_whole(tmp_path / "file", half)
    with pytest.raises(StorageError, match="Is a directory"):
        write_whole(tmp_path, written)
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_what_is_written_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Every user of the machine could read the memories in an export, if the file was there before
    with the umask's mode also when that was mended."""
    (tmp_path / "shared").write_bytes(b"old")
    (tmp_path / "shared").chmod(0o640)
    (tmp_path / "new.part").write_bytes(b"of a killed process")
    (tmp_path / "new.part").chmod(0o666)
    for name in ("new", "shared"):
        write_whole(tmp_path / name, written)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
