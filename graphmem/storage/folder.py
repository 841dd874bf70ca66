"""The layout of a store's folder, and telling one of ours from anything else.

<folder>/owner.lock   who has it open (see `ownership`)
<folder>/owner.sock   where the owner takes clients, while it does
<folder>/store/       LevelDB's own files; the truth is here
<folder>/meta.json    a copy of the format record, for people and for recognising the folder
"""

import json
import os
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Final

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, NotAStoreError

LOCK: Final = "owner.lock"
SOCKET: Final = "owner.sock"
STORE: Final = "store"
META: Final = "meta.json"
APPLICATION: Final = "graphmem"


class State(Enum):
    """What a folder turns out to be."""

    EMPTY = "empty"
    """Nothing in it: a store may be made here."""
    UNFINISHED = "unfinished"
    """A store whose making was cut short, or whose meta.json was lost: look inside."""
    OURS = "ours"
    """Its meta.json says so."""


def path_name(path: object) -> str:
    """The path as a str. Raises ArgumentTypeError, InvalidArgumentError."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ArgumentTypeError(f"a path is a str or a pathlib.Path, got {type(path).__name__}")
    text = os.fspath(path)
    with suppress(UnicodeEncodeError):  # of a lone surrogate, told below
        if text and b"\x00" not in os.fsencode(text):
            return text
    raise InvalidArgumentError(f"path {text!r:.80} is empty, or has NULs or lone surrogates")


def recognise(folder: Path) -> State:
    """Return what `folder` is; raises `NotAStoreError` when it is somebody else's."""
    names = {name for name in os.listdir(folder) if name not in (LOCK, SOCKET, _TEMPORARY)}
    if not names:
        return State.EMPTY
    if _is_ours(folder / META):
        return State.OURS
    if names <= {STORE, META} and (folder / LOCK).is_file() and (folder / STORE).is_dir():
        return State.UNFINISHED
    raise NotAStoreError(
        f"{folder} holds files but no store of graphmem: name an empty or a new folder"
    )


def write_meta(folder: Path, record: bytes) -> None:
    """Write meta.json atomically, if it differs: after a crash it is the old one or the new one."""
    with suppress(FileNotFoundError):
        if (folder / META).read_bytes() == record:
            return
    temporary = folder / _TEMPORARY
    with open(temporary, "wb") as file:
        file.write(record)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, folder / META)
    sync_names(folder)


def sync_names(folder: Path) -> None:
    """Put the names in `folder` on the disk: a synced file can still be lost with its name."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_TEMPORARY: Final = META + ".new"


def _is_ours(meta: Path) -> bool:
    try:
        content = json.loads(meta.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("application") == APPLICATION
