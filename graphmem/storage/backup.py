"""Backup and restore: a verified copy of one snapshot, put into place in one step."""

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from graphmem.errors import DestinationError, FullError, GraphMemError, StorageError
from graphmem.storage import engines
from graphmem.storage.commit_keys import CLEAN_MARK, SYNCED
from graphmem.storage.encoding import u64
from graphmem.storage.engine import Engine, batches
from graphmem.storage.folder import LOCK, STORE, path_name, require_parent, sync_path
from graphmem.storage.format_record import FORMAT, freed
from graphmem.storage.homes.cache import content
from graphmem.storage.store import Store
from graphmem.values.checks import check_function

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the bytes done, and an estimate of all."""

_COPY_BYTES: Final = 1 << 20  # a batch of a copy
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


def back_up(
    store: Store, destination: str | os.PathLike[str], progress: Progress | None = None
) -> int:
    """Copy one snapshot of `store`, which stays in use, to the new folder `destination`. Returns
    its sequence number.

    The copy is made beside it (`….partial-…`) and renamed. Raises `DestinationError` unless
    `destination` is new or an empty folder outside the store; `MissingError` when its parent is
    missing, `FullError`, `StorageError`; `CorruptError` when the source is damaged.
    """
    check_function("progress", progress)
    target = Path(os.path.realpath(destination))
    require_free(target)
    if store.folder is not None and target.is_relative_to(store.folder):
        raise DestinationError(
            errno.EEXIST, "a copy cannot be inside what it copies: name another", str(target)
        )
    with beside(target, "partial") as folder:
        (folder / LOCK).touch(mode=0o600)
        engine = engines.open_engine(folder / STORE, store.engine or engines.default())
        try:
            sequence = _copied(store, engine, progress)
        finally:
            engine.close()
        # Opening it once writes the other files, and proves that it can be opened.
        Store.open(folder, create=False).close()
        put(folder, target)
    return sequence


def _copied(store: Store, engine: Engine, progress: Progress | None) -> int:
    """Write one snapshot, each value verified, into the empty `engine`, as a cleanly closed store.
    Returns its sequence number. Raises `CorruptError`, and like `Engine.commit`."""
    copied = 0
    with store.snapshot() as snapshot:
        about = store.approximate_size(b"", b"\xff" * 9)
        pairs = ((k, freed(value) if k == FORMAT else value) for k, value in content(snapshot))
        for batch, size in batches(pairs, _COPY_BYTES):
            engine.commit(batch)
            copied += size
            if progress is not None:
                progress(copied, max(copied, about))
        sequence = snapshot.sequence
    clean = u64(sequence) if store.gap is None else None
    engine.commit({SYNCED: u64(sequence), CLEAN_MARK: clean}, sync=True)
    if progress is not None:
        progress(copied, copied)
    return sequence


def restore(
    source: str | os.PathLike[str],
    destination: str | os.PathLike[str],
    progress: Progress | None = None,
) -> int:
    """Copy the closed store in `source` to the new folder `destination`; returns the sequence
    number of its last commit. Raises like `back_up`, and for `source` like `Store.open`."""
    given = path_name(source)
    require_free(Path(os.path.realpath(path_name(destination))))
    with Store.open(given, read_only=True) as store:
        return back_up(store, destination, progress)


def require_free(target: Path) -> None:
    """Raise `DestinationError` unless nothing, or an empty folder, is at `target`."""
    try:
        if target.is_dir() and not any(target.iterdir()):
            return
        if target.exists():
            raise DestinationError(
                errno.EEXIST, "the destination exists already: name a new folder", str(target)
            )
        require_parent(target)
    except OSError as error:
        raise _translated(error, target) from error


@contextmanager
def beside(target: Path, what: str) -> Iterator[Path]:
    """A new folder beside `target`, removed at the end unless it was `put`."""
    try:
        around = Path(tempfile.mkdtemp(prefix=f"{target.name}.{what}-", dir=target.parent))
    except OSError as error:
        raise _translated(error, target) from error
    try:
        folder = around / target.name
        folder.mkdir(mode=0o700)
        yield folder
    except OSError as error:
        raise _translated(error, target) from error
    finally:
        shutil.rmtree(around, ignore_errors=True)


def put(folder: Path, target: Path) -> None:
    """Rename `folder` to `target`, where nothing or an empty folder is. Raises OSError."""
    os.rename(folder, target)
    sync_path(target.parent)


def _translated(error: OSError, target: Path) -> OSError:
    if isinstance(error, GraphMemError):
        return error
    if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
        return DestinationError(error.errno, "something has come there: try again", str(target))
    if error.errno in _FULL:
        return FullError(error.errno, "no space left for the copy: make room", str(target))
    return StorageError(error.errno, f"it cannot be written ({error.strerror})", str(target))
