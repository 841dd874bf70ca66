"""Convert: rewrites a closed folder with the other engine, and swaps the two after a check."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

from graphmem.errors import CorruptError, InvalidArgumentError, NotAStoreError
from graphmem.hexastore import scopes
from graphmem.maintenance import check
from graphmem.storage import engines, migration
from graphmem.storage.folder import LOCK, META, STORE, State, path_name, read_clean, read_file
from graphmem.storage.format_record import FORMAT_VERSION, ensure_salvaged
from graphmem.storage.ownership import Ownership
from graphmem.storage.store import Store


def convert(path: str | os.PathLike[str], engine: engines.Kind) -> engines.Kind:
    """Convert the closed memory in the folder `path` to another engine; returns the one before.

    engine: "leveldb" or "lmdb". The binding of the new engine must be installed, and LMDB's to read
    LMDB; LevelDB's files are read without any.

    Everything is written into a new store within the folder, each value verified, and the new store
    is checked as by `admin.check`; then the two are swapped. If interrupted, the folder is either
    unchanged or converted. Needs as much disk space again, and as much memory as `check`.

    Raises InvalidArgumentError if it has this engine already; CorruptError if anything cannot be
    read or does not agree (`graphmem.repair` goes on without it); AlreadyOpenError, MissingError,
    MissingExtraError, NotAStoreError, NewerFormatError, OlderFormatError, FullError, StorageError.
    """
    if engine not in get_args(engines.Kind):
        raise InvalidArgumentError(f"engine is 'leveldb' or 'lmdb', got {engine!r:.80}")
    ownership = Ownership.take(path_name(path), create=False)
    try:
        folder = ownership.folder
        migration.finish_swap(folder)
        before = engines.kind_of(folder / STORE)
        if ownership.state is not State.OURS or before is None:
            raise NotAStoreError(f"{folder} has no memory of ours: nothing was changed")
        if before == engine:
            raise InvalidArgumentError(f"{folder} is kept with {engine} already")
        engines.require_binding(folder / STORE, engine)
        migration.announce(folder, f"is written anew with {engine}")
        migration.write(folder, lambda new: _write(folder, before, new, engine))
        migration.swap(folder, FORMAT_VERSION)
        migration.finish(folder)
    finally:
        ownership.release()
    return before


def _write(folder: Path, before: engines.Kind, new: Path, engine: engines.Kind) -> None:
    """Write the new store into the folder `new`, and check it. Raises CorruptError."""
    (new / LOCK).touch(mode=0o600)  # by which the folder is recognised as ours
    made = engines.open_engine(new / STORE, engine)
    try:
        faults = engines.salvage(folder / STORE, before, made)
        ensure_salvaged(made, read_file(folder / META))
        made.sync()
    finally:
        made.close()
    with Store.open(new, create=False) as store:
        if store.gap is not None or store.sequence < read_clean(folder):
            faults.append("commits that were there are missing")
        for _, number in scopes.names(store):
            faults += check.faults(store, scopes.read_scope(store, number))
    if faults:
        raise CorruptError(
            f"{folder} is damaged and was not converted: {faults[0]}. "
            "Run graphmem admin repair first"
        )
