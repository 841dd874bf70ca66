"""Reading LevelDB's MANIFEST, to see before LevelDB opens a folder that it will not lose any of it.

The MANIFEST is a log of edits to the list of live tables. LevelDB takes a last edit that does not
fit into the file for one cut short by a crash, drops it, and then deletes the tables it no longer
knows. One flipped byte of a length is enough. But a crash leaves the log that such an edit was
about to replace; when that is gone, the edit was whole once.

Format: github.com/google/leveldb, doc/log_format.md and db/version_edit.cc.
"""

import mmap
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

Keys: TypeAlias = tuple[bytes, bytes]
"""The first and the last key of a table."""

_BLOCK: Final = 32768
_HEADER: Final = 7
_FULL, _LAST = 1, 4


def current(folder: Path) -> Path:
    """Return the MANIFEST that CURRENT names, there or not. Raises OSError."""
    return folder / (folder / "CURRENT").read_text(errors="replace").strip()


def listed(edits: Iterable[bytes]) -> tuple[dict[int, Keys], int]:
    """Return the live tables by number, and the number of the oldest log that is needed. Raises
    IndexError and ValueError for what are no edits."""
    log = 0
    tables: dict[int, Keys] = {}
    for edit in edits:
        log = _apply(edit, tables, log)
    return tables, log


def held_by(folder: Path, start: bytes, stop: bytes) -> set[str] | None:
    """Return which files of the open LevelDB `folder` may have anything of start ≤ key < stop:
    tables whose keys overlap, files that are not live any more, no log in use. None if that cannot
    be read now."""
    try:
        names = set(os.listdir(folder))  # before the list, which may already know newer ones
        tables, log = listed(_records(current(folder).read_bytes()))
        found = set()
        for name in names:
            stem, _, kind = name.partition(".")
            if kind in ("ldb", "sst"):
                first, last = tables.get(int(stem), (start, start))
                if first < stop and last >= start:
                    found.add(name)
            elif kind == "log" and int(stem) < log:
                found.add(name)
    except (OSError, IndexError, ValueError):
        return None
    return found


def first_keys(folder: Path, start: bytes, stop: bytes) -> list[bytes]:
    """Return the first keys, from `start` on and below `stop`, of the tables of a LevelDB folder;
    none if they cannot be read now."""
    try:
        tables, _ = listed(_records(current(folder).read_bytes()))
    except (OSError, IndexError, ValueError):
        return []
    return sorted({first for first, _ in tables.values() if start <= first < stop})


def missing_files(folder: Path) -> list[str]:
    """Return which files of the LevelDB `folder` are not there though its MANIFEST needs them. What
    cannot be read is left to LevelDB, whose checksums tell. Raises OSError."""
    manifest = current(folder)
    if not manifest.is_file():
        return [manifest.name]
    try:
        tables, log = listed(_records(manifest.read_bytes()))
    except (IndexError, ValueError):
        return []
    names = set(os.listdir(folder))
    missing = [f"{n:06}.ldb" for n in sorted(tables) if not {f"{n:06}.ldb", f"{n:06}.sst"} & names]
    # A new database has no log yet, and says 0.
    if log and f"{log:06}.log" not in names:
        missing.append(f"{log:06}.log")
    return missing


def _records(content: bytes) -> Iterator[bytes]:
    """Yield the whole records of a log, up to its end or to one cut short."""
    at = 0
    record = b""
    while at + _HEADER <= len(content):
        left = _BLOCK - at % _BLOCK
        if left < _HEADER:
            at += left
            continue
        length = int.from_bytes(content[at + 4 : at + 6], "little")
        kind = content[at + 6]
        begin, at = at + _HEADER, at + _HEADER + length
        if at > len(content):
            return
        record += content[begin:at]
        if kind in (_FULL, _LAST):
            yield record
            record = b""


def varint(content: bytes | mmap.mmap, at: int) -> tuple[int, int]:
    """A number and where it ends. Raises IndexError beyond the end or 64 bits."""
    value = shift = 0
    while shift < 64:
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise IndexError(at)


def slice_at(content: bytes, at: int) -> tuple[bytes, int]:
    """Bytes behind their length, and where they end. Raises IndexError beyond the end."""
    length, at = varint(content, at)
    if at + length > len(content):
        raise IndexError(at)
    return content[at : at + length], at + length


def _apply(edit: bytes, tables: dict[int, Keys], log: int) -> int:
    """Change `tables` as `edit` says; return the number of the oldest log needed from then on."""
    at = 0
    while at < len(edit):
        tag, at = varint(edit, at)
        match tag:
            case 1:  # comparator
                _, at = slice_at(edit, at)
            case 2:
                log, at = varint(edit, at)
            case 3 | 4 | 9:  # next file, last sequence, previous log
                _, at = varint(edit, at)
            case 5:  # compaction pointer
                _, at = varint(edit, at)
                _, at = slice_at(edit, at)
            case 6:  # deleted table
                _, at = varint(edit, at)
                table, at = varint(edit, at)
                tables.pop(table, None)
            case 7:  # new table
                _, at = varint(edit, at)
                table, at = varint(edit, at)
                _, at = varint(edit, at)
                first, at = slice_at(edit, at)
                last, at = slice_at(edit, at)
                tables[table] = first[:-8], last[:-8]  # behind each are 8 bytes of LevelDB's own
            case _:
                raise ValueError(tag)
    return log
