"""Attaching asks for what the system has. Each thing that only Linux has is switched off here, since
no other system is at hand: a client that finds no way in would find no memory either."""

import os
import struct
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.attaching import channel
from graphmem.errors import NotOpenError
from graphmem.storage.folder import SOCKET


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that neither says whose process the other one is, nor names descriptors."""
    monkeypatch.setattr(channel, "_PEER_CREDENTIALS", None)
    monkeypatch.setattr(channel, "_LOCAL_CREDENTIALS", None)
    monkeypatch.setattr(channel, "_DESCRIPTORS", None)


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize("name", ["m", "m" * 150])
def test_a_folder_is_attached_to_by_its_path(tmp_path: Path, name: str) -> None:
    """A socket's path has 104 bytes at most on macOS, and home folders are deep."""
    folder = tmp_path / name
    with graphmem.open(folder, worker="none") as memory:
        memory.remember("The kettle is broken.")
        assert (folder / SOCKET).stat().st_mode & 0o777 == 0o600
        with graphmem.attach(folder) as attached:
            assert [node.text for node in attached] == ["The kettle is broken."]
    assert not (folder / SOCKET).exists()


@pytest.mark.usefixtures("nothing")
def test_what_another_user_put_there_is_not_attached_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the kernel does not say whose process it is, the file does."""
    user = os.geteuid()
    with graphmem.open(tmp_path / "m", worker="none"):
        monkeypatch.setattr(os, "geteuid", lambda: user + 1)
        with pytest.raises(NotOpenError, match="belongs to another user"):
            graphmem.attach(tmp_path / "m")
        monkeypatch.undo()


@pytest.mark.parametrize(("user", "same"), [(0, True), (1, False)])
def test_credentials_as_macos_gives_them(
    monkeypatch: pytest.MonkeyPatch, user: int, same: bool
) -> None:
    """struct xucred: version, user, number of groups, sixteen groups."""
    packed = struct.pack("IIh2x16I", 0, os.geteuid() + user, 1, *range(16))

    class Connected:
        def getsockopt(self, level: int, name: int, room: int) -> bytes:
            assert (level, name) == (0, 1)  # SOL_LOCAL, LOCAL_PEERCRED
            return packed[:room]

    connected: Any = Connected()
    monkeypatch.setattr(channel, "_PEER_CREDENTIALS", None)
    monkeypatch.setattr(channel, "_LOCAL_CREDENTIALS", 1)
    assert channel.same_user(connected) is same
