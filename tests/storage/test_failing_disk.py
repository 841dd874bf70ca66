"""A disk that refuses one kind of call: an error of ours, and the folder opens again afterwards.

A disk that failed as a memory was closed left the folder locked in this process, for ever; and an
`OSError` without a path came from opening it.
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.errors import FullError, GraphMemError
from graphmem.storage import failures
from graphmem.storage.registry import MIGRATIONS
from tests import older_format

CALLS = (
    "fsync", "ftruncate", "replace", "rename", "listdir", "scandir", "unlink", "lstat", "chmod",
)  # fmt: skip


def refuse(*_: Any, **__: Any) -> Any:
    raise OSError(errno.EIO, "Input/output error")


@pytest.mark.parametrize("engine", ["leveldb", "lmdb"])
@pytest.mark.parametrize("call", CALLS)
def test_a_disk_that_fails_as_a_memory_is_closed(call: str, engine: str, tmp_path: Path) -> None:
    memory = graphmem.open(tmp_path / "m", worker="none", engine=engine, attachable=False)
    memory.remember("The boiler was serviced in May.")
    _refused(call, memory.close)
    with graphmem.open(tmp_path / "m", worker="none", engine=engine) as again:
        assert again.admin.check() == []
        assert [node.text for node in again] == ["The boiler was serviced in May."]


@pytest.mark.parametrize("call", ["open", *CALLS])
def test_a_disk_that_fails_as_a_memory_is_opened(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a migration as well."""
    monkeypatch.setitem(MIGRATIONS, older_format.VERSION, older_format.migrate)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("The boiler was serviced in May.")
    older_format.age(tmp_path / "m")
    for _ in range(2):
        _refused(call, lambda: graphmem.open(tmp_path / "m", worker="none").close())
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert [node.text for node in memory] == ["The boiler was serviced in May."]


def _refused(call: str, act: Callable[[], object]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, call, refuse)
        with suppress(GraphMemError):
            act()


@pytest.mark.parametrize("number", ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EACCES", "EMFILE"])
def test_what_an_engine_says_of_the_disk_keeps_its_number(number: str) -> None:
    """Who catches `FullError` to make room would be told that the disk is broken."""
    code = getattr(errno, number)
    text = f"IO error: store/000003.log: {os.strerror(code)}"
    error = failures.refused(text, failures.number_in(text), "store")
    assert isinstance(error, FullError) is (number in ("ENOSPC", "EDQUOT"))
    assert (error.errno, error.filename) == (code, "store")
    assert failures.number_in("something else") == errno.EIO
