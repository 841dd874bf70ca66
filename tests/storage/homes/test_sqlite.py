"""A home in a folder."""

from pathlib import Path

import pytest

from graphmem.errors import NotAStoreError
from graphmem.storage.homes import sqlite
from graphmem.storage.homes.sqlite import Sqlite


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
