"""Ownership of a folder: one process, and in it one store, has a folder open at a time.

LevelDB's own lock does not hold: POSIX drops it when the process closes any descriptor of the
`LOCK` file, and an alias of the path lets a process in twice. Ours is an `flock`, which belongs to
one descriptor, outside LevelDB's folder, and a registry by real path.
"""

import errno
import fcntl
import os
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Final, Self

from graphmem.errors import (
    AlreadyOpenError,
    FullError,
    GraphMemError,
    MissingError,
    NotAStoreError,
    ReadOnlyFolderError,
    StorageError,
)
from graphmem.storage.engines import kind_of
from graphmem.storage.folder import (
    CLEAN,
    LOCK,
    META,
    SOCKET,
    STORE,
    State,
    is_migration,
    open_file,
    recognise,
    require_parent,
    require_plain,
    sync_path,
)

_registry: Final[dict[str, "Ownership"]] = {}
_registry_lock = Lock()

_REFUSED: Final = (errno.EROFS, errno.EACCES, errno.EPERM)
_COPY: Final = "Copy the closed folder to a place where you may write, and open the copy"
_READ_ONLY: Final = {
    "leveldb": "the folder cannot be written to, and even reading needs that: LevelDB writes when "
    f"it opens. {_COPY}",
    "lmdb": f"the folder cannot be written to: open it with read_only=True. {_COPY}, to write",
    None: f"the folder cannot be written to. {_COPY}",
}
"""By the engine of the folder."""


class Ownership:
    """The right to use a folder, from `take` to `release`."""

    def __init__(self, folder: Path, state: State, descriptor: int) -> None:
        """Use `take`."""
        self.folder = folder
        """The real path."""
        self.state = state
        """What the folder was when it was taken."""
        self._descriptor = descriptor
        self._pid = os.getpid()

    @classmethod
    def take(
        cls, path: str | os.PathLike[str], create: bool = True, *, reads: bool = False
    ) -> Self:
        """Take the folder `path`; with `create`, make it (not its parents) when it is missing.
        reads: nothing will be written, so take it even if it is not writable.

        Raises `AlreadyOpenError`, here or in another process; `NotAStoreError` for a file, a
        folder with other files, or one with links in it, and touches nothing in it; `MissingError`
        if it or its parent is missing, or without `create` if it is empty; `ReadOnlyFolderError`;
        `StorageError`.
        """
        folder = Path(os.path.realpath(path))
        with _registry_lock:
            if str(folder) in _registry:
                raise _already_open(folder)
            try:
                _require_folder(folder, create)
                _require_store(folder, create)
                descriptor = _lock(folder, reads)
            except OSError as error:
                if isinstance(error, GraphMemError):
                    raise
                raise disk_error(error, folder, "it cannot be opened") from error
            try:
                # Checked again now that no other process can change it.
                state = _require_store(folder, create)
                require_plain(folder)
            except BaseException:
                os.close(descriptor)
                raise
            ownership = cls(folder, state, descriptor)
            _registry[str(folder)] = ownership
        return ownership

    def release(self) -> None:
        """Let others take the folder. Idempotent; in a forked child it does nothing."""
        with _registry_lock:
            if os.getpid() == self._pid and self._descriptor >= 0:
                descriptor, self._descriptor = self._descriptor, -1
                del _registry[str(self.folder)]
                with suppress(OSError):  # remove our name from the lock file
                    os.ftruncate(descriptor, 0)
                os.close(descriptor)


def destroy(path: str | os.PathLike[str]) -> None:
    """Remove a closed store; the folder stays if it holds files that are not the store's. Raises
    like `take`."""
    ownership = Ownership.take(path, create=False)
    try:
        if ownership.state is not State.OURS:
            raise NotAStoreError(f"{ownership.folder} has no {META} of ours: nothing removed")
        shutil.rmtree(ownership.folder / STORE, ignore_errors=False)
        for name in os.listdir(ownership.folder):
            if is_migration(name):
                shutil.rmtree(ownership.folder / name)
        # Last, so that after a crash the rest is still recognised and can be destroyed.
        (ownership.folder / META).unlink()
        (ownership.folder / CLEAN).unlink(missing_ok=True)
        (ownership.folder / LOCK).unlink()
        (ownership.folder / SOCKET).unlink(missing_ok=True)
        with suppress(OSError):
            ownership.folder.rmdir()
    finally:
        ownership.release()


def _require_folder(folder: Path, create: bool) -> None:
    if folder.is_dir():
        return
    if folder.exists():
        raise NotAStoreError(f"{folder} is a file, and a store is a folder: name another path")
    if not create:
        raise _missing(folder)
    require_parent(folder)
    folder.mkdir(mode=0o700, exist_ok=True)  # another process may be making it just now
    sync_path(folder.parent)


def _require_store(folder: Path, create: bool) -> State:
    state = recognise(folder)
    if state is State.EMPTY and not create:
        raise _missing(folder)
    return state


def _missing(folder: Path) -> MissingError:
    return MissingError(
        errno.ENOENT, "there is no store here: look at the path, or open it to write", str(folder)
    )


def _lock(folder: Path, reads: bool = False) -> int:
    """Return the locked descriptor of the lock file; Python makes it close-on-exec. reads: see
    `Ownership.take`; without a lock file the folder itself is locked."""
    path = folder / LOCK
    is_written = not reads or os.access(folder, os.W_OK)
    while True:
        if is_written:
            descriptor = open_file(path, os.O_RDWR | os.O_CREAT)
        else:
            descriptor = open_file(path if path.exists() else folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not is_written:
                return descriptor
            # `destroy` removes the file while it holds it: then this lock is void, try again.
            if os.path.lexists(path) and os.path.samestat(path.lstat(), os.fstat(descriptor)):
                since = datetime.now(UTC).isoformat(timespec="seconds")
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()}\n{since}\n".encode(), 0)
                return descriptor
        except BlockingIOError:
            error = _already_open(folder, descriptor)
            os.close(descriptor)
            raise error from None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _already_open(folder: Path, descriptor: int | None = None) -> AlreadyOpenError:
    """Return the error for a folder taken by the owner named in the lock file, or by us."""
    if descriptor is None:
        pid: int | None = os.getpid()
        owner = f"this process ({pid})"
    else:
        lines = list[str]()
        with suppress(IsADirectoryError):  # one that cannot be written to
            lines = os.pread(descriptor, 100, 0).decode(errors="replace").split()
        pid = int(lines[0]) if lines and lines[0].isdecimal() else None
        owner = f"process {pid} since {' '.join(lines[1:])}" if pid else "another process"
    return AlreadyOpenError(
        str(folder),
        pid,
        f"{folder} is open in {owner}: close it there first, or graphmem.attach to it",
    )


def disk_error(error: OSError, folder: Path, what: str) -> ReadOnlyFolderError | StorageError:
    """Our error for an OSError. what: what cannot be done to the folder."""
    path = error.filename if isinstance(error.filename, str) else str(folder)
    if error.errno in _REFUSED:
        return ReadOnlyFolderError(error.errno, _READ_ONLY[kind_of(folder / STORE)], path)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FullError(error.errno, f"{what}: no space left, make room", path)
    return StorageError(error.errno, f"{what} ({error.strerror or error})", path)


def _after_fork() -> None:
    """Release, in a forked child, the parent's ownerships: the child's copy of a descriptor would
    keep the folder locked after the parent's death."""
    global _registry_lock
    _registry_lock = Lock()
    for ownership in _registry.values():
        os.close(ownership._descriptor)
    _registry.clear()


os.register_at_fork(after_in_child=_after_fork)
