"""The layout of a store's folder (docs/format.md), and recognising a folder as a store.

A folder may come from an untrusted source. Through a symbolic link in it we would overwrite its
target, so a folder with one is refused.
"""

import errno
import json
import logging
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Final

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, MissingError, NotAStoreError

LOCK: Final = "owner.lock"
SOCKET: Final = "owner.sock"
STORE: Final = "store"
MIGRATION: Final = "migration"
OLD_STORE: Final = re.compile(re.escape(STORE) + r"\.format-[0-9]+")
META: Final = "meta.json"
CLEAN: Final = "clean.json"
APPLICATION: Final = "graphmem"
_LONGEST: Final = 4095  # bytes of a path that Linux takes

_log = logging.getLogger("graphmem.storage")


class State(Enum):
    """What a folder holds."""

    EMPTY = "empty"
    """Nothing in it: a store may be made here."""
    UNFINISHED = "unfinished"
    """A store whose creation was interrupted, or whose meta.json was lost: look inside."""
    OURS = "ours"
    """Its meta.json says so."""


def path_name(path: object, name: str = "a path") -> str:
    """The path as a str; `name` is what an error calls it. Raises ArgumentTypeError,
    InvalidArgumentError."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ArgumentTypeError(f"{name} is a str or a pathlib.Path, got {type(path).__name__}")
    text = os.fspath(path)
    with suppress(UnicodeEncodeError):  # of a lone surrogate, which raises below
        written = os.fsencode(text)
        if b"\x00" not in written and 0 < len(written) <= _LONGEST:
            return text
    raise InvalidArgumentError(
        f"{name} {text!r:.80} is empty, or longer than {_LONGEST:,} bytes, or has NULs or lone "
        "surrogates"
    )


def recognise(folder: Path) -> State:
    """Return the state of `folder`. Raises `NotAStoreError` if it holds other files, or if one of
    the store's names in it is a link, a pipe or the like."""
    names = set(os.listdir(folder))
    for name in names:
        if name in _KINDS or is_migration(name):
            _require_kind(folder / name, _KINDS.get(name, stat.S_ISDIR))
    names -= {LOCK, SOCKET, META + _NEW, CLEAN + _NEW}
    if not names:
        return State.EMPTY
    if _is_ours(folder):
        return State.OURS
    if names <= {STORE, META, CLEAN} and (folder / LOCK).is_file() and (folder / STORE).is_dir():
        return State.UNFINISHED
    raise NotAStoreError(
        f"{folder} holds files but no store of graphmem: name the folder of a"
        " memory, or an empty or a new one to make one there"
    )


def is_migration(name: str) -> bool:
    """True for what a migration may leave in a folder; see `migration`."""
    return name == MIGRATION or OLD_STORE.fullmatch(name) is not None


def require_parent(folder: Path) -> None:
    """Raise `MissingError` if what a new folder is to be made in is not there."""
    if not folder.parent.is_dir():
        message = f"its parent folder is missing: make {folder.parent}"
        raise MissingError(errno.ENOENT, message, str(folder))


def require_plain(folder: Path) -> None:
    """Raise `NotAStoreError` if anything in LevelDB's folder, or in one of a migration, is a link,
    a pipe or the like: LevelDB follows links when it writes. The caller owns the folder."""
    for store in os.listdir(folder):
        if store == STORE or is_migration(store):
            _require_kind(folder / store, stat.S_ISDIR)
            for inside, folders, files in os.walk(folder / store):
                for name in (*folders, *files):
                    _require_kind(Path(inside) / name, _is_plain)


def open_file(path: Path, flags: int) -> int:
    """Return a descriptor of a file of the store; a new one has mode 0600. Raises OSError, and
    `NotAStoreError` if it is a symbolic link."""
    try:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _foreign(path) from None
        raise


def read_file(path: Path) -> bytes:
    """Return the content of a file of the store. Raises like `open_file`."""
    with open(open_file(path, os.O_RDONLY), "rb") as file:
        return file.read()


def write_file(path: Path, content: bytes) -> None:
    """Write a file of the store atomically; a failure leaves nothing. Raises like `open_file`."""
    temporary = path.with_name(path.name + _NEW)
    descriptor = open_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    sync_path(path.parent)


def write_meta(folder: Path, record: bytes) -> None:
    """Write meta.json, if it differs. Raises like `write_file`."""
    with suppress(FileNotFoundError):
        if read_file(folder / META) == record:
            make_private(folder / META)
            return
    write_file(folder / META, record)


def read_clean(folder: Path) -> int:
    """Return the sequence number at the last clean close; 0 if that is not known. Raises
    `NotAStoreError` for a link."""
    try:
        content = read_file(folder / CLEAN)
    except FileNotFoundError:
        return 0  # never closed cleanly, or last by an earlier version
    try:
        sequence = json.loads(content)["sequence"]
        if isinstance(sequence, int) and sequence >= 0:
            return sequence
    except (ValueError, KeyError, TypeError):
        pass
    _log.warning("%s is damaged: whether commits were lost since the close is not known", folder)
    return 0


def write_clean(folder: Path, sequence: int) -> None:
    """Record that all commits up to `sequence` are on the disk. Outside LevelDB, since a truncated
    log cannot tell its own length. Raises like `write_file`."""
    if read_clean(folder) != sequence:
        write_file(folder / CLEAN, json.dumps({"sequence": sequence}).encode() + b"\n")


def make_private(path: Path) -> None:
    """Remove the permissions of others from a file or folder; a failure is ignored."""
    with suppress(OSError):
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        if mode & 0o077:
            os.chmod(path, mode & 0o700)


def sync_path(path: Path) -> None:
    """Sync a file, or the names in a folder: a synced file can be lost with its name."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_NEW: Final = ".new"


def _is_plain(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


_KINDS: Final[dict[str, Callable[[int], bool]]] = {
    LOCK: stat.S_ISREG,
    META: stat.S_ISREG,
    META + _NEW: stat.S_ISREG,
    CLEAN: stat.S_ISREG,
    CLEAN + _NEW: stat.S_ISREG,
    # Copying a folder can turn it into a plain file, which is harmless and removed.
    SOCKET: lambda mode: stat.S_ISSOCK(mode) or stat.S_ISREG(mode),
    STORE: stat.S_ISDIR,
}
"""Name → whether a mode is that of the kind of file that it must be."""


def _require_kind(path: Path, is_kind: Callable[[int], bool]) -> None:
    with suppress(FileNotFoundError):  # gone since: its owner is at work
        if not is_kind(os.lstat(path).st_mode):
            raise _foreign(path)


def _foreign(path: Path) -> NotAStoreError:
    what = "a symbolic link" if path.is_symlink() else "no plain file or folder"
    return NotAStoreError(
        f"{path} is {what}, which no store of graphmem has: the folder is not opened, for writing "
        "to it would change something elsewhere; remove it if you trust the folder"
    )


def _is_ours(folder: Path) -> bool:
    try:
        content = json.loads(read_file(folder / META))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("application") == APPLICATION
