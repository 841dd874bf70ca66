"""Migration: rewrites a store of an older format in `migration/`, and swaps the two by rename; the
old one stays as `store.format-<n>` until the new one has been closed cleanly once.

A crash before the swap leaves the old store unchanged, and the next opening starts over. Between
the two renames of the swap there is no store/, and the next opening finishes them.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path

from graphmem.errors import FullError
from graphmem.storage.folder import MIGRATION, OLD_STORE, STORE, sync_path

_log = logging.getLogger("graphmem.storage")


def finish_swap(folder: Path) -> None:
    """Finish a swap that a crash interrupted, or remove an unfinished migration."""
    store, new = folder / STORE, folder / MIGRATION
    old = _old_stores(folder)
    if not store.exists() and old:
        os.rename(new / STORE if (new / STORE).exists() else old[0], store)
        sync_path(folder)
    shutil.rmtree(new, ignore_errors=True)


def finish(folder: Path) -> None:
    """Remove the old store; the new one has been closed cleanly."""
    for old in _old_stores(folder):
        shutil.rmtree(old, ignore_errors=True)


def announce(folder: Path, what: str) -> None:
    """Log a rewrite of a store (what: "is …"), and the disk space that it needs. Raises FullError
    if less is free."""
    size = sum(file.stat().st_size for file in (folder / STORE).iterdir() if file.is_file())
    free = shutil.disk_usage(folder).free
    _log.warning(
        "%s %s: that takes up to %.1f MB beside it (%.1f MB free) until it has been closed once",
        folder, what, size / 1e6, free / 1e6,
    )  # fmt: skip
    if free < size:
        raise FullError(
            ENOSPC,
            f"it {what}: that takes up to {size:,} bytes and {free:,} are free: make room; nothing "
            "was changed",
            str(folder),
        )


def write(folder: Path, fill: Callable[[Path], None]) -> None:
    """Have `fill` make the new store in `migration/`; a failure leaves nothing behind."""
    new = folder / MIGRATION
    try:
        new.mkdir(mode=0o700)
        fill(new)
        sync_path(new)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def swap(folder: Path, found: int) -> None:
    """Put the new store in the place of the old one, which is closed."""
    os.rename(folder / STORE, folder / f"{STORE}.format-{found}")
    os.rename(folder / MIGRATION / STORE, folder / STORE)
    sync_path(folder)
    shutil.rmtree(folder / MIGRATION, ignore_errors=True)


def _old_stores(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if OLD_STORE.fullmatch(path.name))
