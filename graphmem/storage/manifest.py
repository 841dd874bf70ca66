"""Reads LevelDB's MANIFEST and logs, to check that opening a folder will lose nothing.

The MANIFEST is a log of edits to the list of live tables. LevelDB takes a last edit that does not
fit into the file for one cut short by a crash, drops it, and then deletes the tables it no longer
knows. One flipped byte of a length is enough. But a crash leaves the log that such an edit was
about to replace; when that is gone, the edit was whole once.

Format: github.com/google/leveldb, doc/log_format.md and db/version_edit.cc.
"""

import mmap
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

Keys: TypeAlias = tuple[bytes, bytes]
"""The first and the last key of a table."""

_MANIFEST: Final = re.compile("MANIFEST-[0-9]+")
_BLOCK: Final = 32768
_HEADER: Final = 7  # crc32c u32, length u16, type u8
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4


def current(folder: Path) -> Path:
    """Return the path of the MANIFEST that CURRENT names; it may not exist. Raises OSError."""
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
    """Return the files of the open LevelDB `folder` that may hold any of start ≤ key < stop: tables
    whose keys overlap, and files that are not live any more, but no log in use. None if the list
    cannot be read now."""
    try:
        names = set(os.listdir(folder))  # before the list, which may already know newer ones
        tables, log = listed(_edits(folder))
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
        tables, _ = listed(_edits(folder))
    except (OSError, IndexError, ValueError):
        return []
    return sorted({first for first, _ in tables.values() if start <= first < stop})


def missing_files(folder: Path) -> list[str]:
    """Return the missing files of the LevelDB `folder` that its MANIFEST needs; or the MANIFEST if
    it is missing or damaged, or CURRENT if it names none. Raises OSError."""
    manifest = current(folder)
    if not _MANIFEST.fullmatch(manifest.name):
        return ["a whole CURRENT"]
    if not manifest.is_file():
        return [manifest.name]
    try:
        tables, log = listed(_edits(folder, is_checked=True))
    except (IndexError, ValueError):
        return [manifest.name]
    names = set(os.listdir(folder))
    missing = [f"{n:06}.ldb" for n in sorted(tables) if not {f"{n:06}.ldb", f"{n:06}.sst"} & names]
    # 0: a new database, which has no log yet.
    if log and f"{log:06}.log" not in names:
        missing.append(f"{log:06}.log")
    return missing


def _edits(folder: Path, *, is_checked: bool = False) -> Iterator[bytes]:
    """Yield the edits of a MANIFEST, up to one that a crash cut short. is_checked: verify their
    checksums, not only their lengths. Raises OSError, and ValueError for damage before the last."""
    faults: list[str] = []
    path = current(folder)
    for edit in records(path.read_bytes(), path.name, faults, is_checked=is_checked):
        if faults:
            raise ValueError(faults[0])
        yield edit


def varint(content: bytes | mmap.mmap, at: int) -> tuple[int, int]:
    """A number and the offset after it. Raises IndexError beyond the end or 64 bits."""
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
    """Length-prefixed bytes, and the offset after them. Raises IndexError beyond the end."""
    length, at = varint(content, at)
    if at + length > len(content):
        raise IndexError(at)
    return content[at : at + length], at + length


def _apply(edit: bytes, tables: dict[int, Keys], log: int) -> int:
    """Apply `edit` to `tables`; return the number of the oldest log needed from then on."""
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


# -- logs -------------------------------------------------------------------------------------


def records(
    content: bytes, name: str, faults: list[str], *, is_checked: bool = True
) -> Iterator[bytes]:
    """The complete records of a log; a truncated last one is left by a crash, and no fault.
    is_checked: verify their checksums, which takes 0.2 µs a byte."""
    parts: list[bytes] | None = None
    at = 0
    while at + _HEADER <= len(content):
        end = min(len(content), at - at % _BLOCK + _BLOCK)
        if end - at < _HEADER:
            at = end
            continue
        is_whole = at + _HEADER + _length(content, at) <= end
        if not is_whole or (is_checked and not is_record(content, at, end)):
            following = _resume(content, at, end)
            if following < len(content) or is_whole:
                faults.append(f"bytes {at:,} to {following:,} of {name}")
            at, parts = following, None
            continue
        kind = content[at + 6]
        piece = content[at + _HEADER : at + _HEADER + _length(content, at)]
        at += _HEADER + len(piece)
        if kind in (_FULL, _FIRST):
            parts = []
        if parts is not None:
            parts.append(piece)
            if kind in (_FULL, _LAST):
                yield b"".join(parts)
                parts = None


def _resume(content: bytes, at: int, end: int) -> int:
    """Where the next good record of a block begins, or its end."""
    following = at + _HEADER + _length(content, at)
    if is_record(content, following, end):
        return following  # only this one is damaged, but not its length
    return next((place for place in range(at + 1, end) if is_record(content, place, end)), end)


def _length(content: bytes, at: int) -> int:
    return int.from_bytes(content[at + 4 : at + 6], "little")


def is_record(content: bytes, at: int, end: int) -> bool:
    if at + _HEADER > end or not _FULL <= content[at + 6] <= _LAST:
        return False
    stop = at + _HEADER + _length(content, at)
    stored = int.from_bytes(content[at : at + 4], "little")
    return stop <= end and masked(content[at + 6 : stop]) == stored


def hides_records(log: Path) -> bool:
    """Whether a damaged length hides the end of a log: LevelDB takes such a record for one cut
    short by a crash, after which no whole record can follow. Raises OSError."""
    with log.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(size - size % _BLOCK)
        tail = file.read()
    faults: list[str] = []
    for _ in records(tail, log.name, faults, is_checked=False):
        pass
    return bool(faults)


def _crc_table() -> tuple[int, ...]:
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


_CRC: Final = _crc_table()


def masked(content: bytes) -> int:
    """LevelDB's checksum: CRC-32C, rotated and shifted."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
