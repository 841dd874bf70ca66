"""Salvage: LevelDB's files read without LevelDB, which gives up more than what is damaged.

LevelDB refuses a table whose index is damaged, stops in a log at the first length that cannot be,
and its own repair takes in what it does not verify. Here each block of a table and each record of a
log stands for itself: those with a good checksum are taken, of each key the newest value.

Formats: github.com/google/leveldb, doc/table_format.md and doc/log_format.md.
"""

import errno
import heapq
import mmap
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeAlias
from zlib import crc32

from graphmem.errors import CorruptError, MissingError, StorageError
from graphmem.storage import manifest
from graphmem.storage.failures import WHAT_NOW
from graphmem.storage.manifest import slice_at, varint

Content: TypeAlias = bytes | mmap.mmap
Entry: TypeAlias = tuple[bytes, int, bytes | None]
"""Key, minus its sequence number, stored value (None: deleted); so entries sort newest first."""

_LOG_BLOCK: Final = 32768
_LOG_HEADER: Final = 7  # crc32c u32, length u16, type u8
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_BLOCK_TRAILER: Final = 5  # type u8, crc32c u32
_FOOTER: Final = 48
_TAG: Final = 8  # of an internal key: sequence << 8 | type
_BATCH_HEADER: Final = 12  # sequence u64, count u32
_FILTER: Final = b"filter."


def salvaged(folder: Path, faults: list[str]) -> Generator[tuple[bytes, bytes], None, None]:
    """All that can be read in the LevelDB folder `folder`, which stays as it is; adds to `faults`
    what cannot. The values, verified, come without the checksums of `LevelDBEngine`. Where the
    MANIFEST is damaged, tables that LevelDB was about to delete are read too. Raises
    `StorageError`."""
    try:
        with ExitStack() as files:
            tables, logs = _files(folder, faults)
            sources: list[Iterator[Entry]] = []
            for path in tables:
                if path.stat().st_size:
                    file = files.enter_context(path.open("rb"))
                    content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                    sources.append(_table(files.enter_context(content), path.name, faults))
            sources += [iter(sorted(_log(path, faults), key=_order)) for path in logs]
            done: bytes | None = None
            for key, _, stored in heapq.merge(*sources, key=_order):
                if key == done:
                    continue
                if stored and not _is_whole(key, stored):
                    faults.append(f"the value of key {key.hex()}")
                    continue  # an older one may be whole
                done = key
                if stored is not None:
                    yield key, stored[:-4]
    except OSError as error:
        raise StorageError(error.errno, f"it cannot be read ({error})", str(folder)) from error


def hides_records(log: Path) -> bool:
    """Tell whether a damaged length hides the end of a log: LevelDB takes the last record for one
    cut short by a crash, but then no whole record comes after it. Raises OSError."""
    with log.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(size - size % _LOG_BLOCK)
        tail = file.read()
    at = 0
    while at + _LOG_HEADER <= len(tail):
        following = at + _LOG_HEADER + _length(tail, at)
        if following > len(tail):
            return any(_is_record(tail, place, len(tail)) for place in range(at + 1, len(tail)))
        at = following
    return False


def require_openable(folder: Path, create: bool) -> None:
    """Raise unless LevelDB can open the folder, or with `create` make it, without losing any of it:
    CorruptError, MissingError, OSError."""
    if folder.exists() and not folder.is_dir():
        raise MissingError(errno.ENOTDIR, "a file is where LevelDB's folder should be", str(folder))
    if (folder / "CURRENT").exists():
        missing = manifest.missing_files(folder)
        if missing:
            raise CorruptError(
                f"{folder} lacks {', '.join(missing)}, or its list of files is damaged: {WHAT_NOW}"
            )
        for log in folder.glob("*.log"):
            if hides_records(log):
                raise CorruptError(
                    f"{log} is damaged, and LevelDB would leave out its end: {WHAT_NOW}"
                )
        return
    if folder.is_dir() and any(
        entry.suffix in (".ldb", ".sst") or (entry.suffix == ".log" and entry.stat().st_size)
        for entry in folder.iterdir()
    ):
        raise CorruptError(
            f"{folder} holds data but no CURRENT file, without which LevelDB would start empty and"
            f" delete the rest: {WHAT_NOW}"
        )
    if not create:
        raise MissingError(errno.ENOENT, "there is no LevelDB folder here", str(folder))
    if not folder.parent.is_dir():
        raise MissingError(errno.ENOENT, "the parent folder does not exist: make it", str(folder))


def _is_whole(key: bytes, stored: bytes) -> bool:
    return crc32(stored[:-4], crc32(key)).to_bytes(4, "big") == stored[-4:]


def _order(entry: Entry) -> tuple[bytes, int]:
    return entry[:2]


def _files(folder: Path, faults: list[str]) -> tuple[list[Path], list[Path]]:
    """The tables and logs to read: those that the MANIFEST lists, or all if it is damaged."""
    tables = sorted(path for path in folder.iterdir() if path.suffix in (".ldb", ".sst"))
    logs = sorted(folder.glob("*.log"))
    damaged: list[str] = []
    live: dict[int, manifest.Keys] = {}
    oldest = 0
    try:
        path = manifest.current(folder)
        live, oldest = manifest.listed(_records(path.read_bytes(), path.name, damaged))
        damaged += manifest.missing_files(folder)
    except (OSError, ValueError, IndexError):
        damaged.append("the list of files")
    if not damaged and oldest:
        tables = [path for path in tables if int(path.stem) in live]
        logs = [path for path in logs if int(path.stem) >= oldest]
    faults += damaged
    return tables, logs


# -- logs -------------------------------------------------------------------------------------


def _log(path: Path, faults: list[str]) -> Iterator[Entry]:
    for batch in _records(path.read_bytes(), path.name, faults):
        sequence = int.from_bytes(batch[:8], "little")
        at = _BATCH_HEADER
        try:
            while at < len(batch):
                kind = batch[at]
                key, at = slice_at(batch, at + 1)
                value: bytes | None = None
                if kind:
                    value, at = slice_at(batch, at)
                yield key, -sequence, value
                sequence += 1
        except IndexError:
            faults.append(f"a batch in {path.name}")


def _records(content: bytes, name: str, faults: list[str]) -> Iterator[bytes]:
    """The whole records of a log; a last one cut short is what a crash leaves, and no fault."""
    parts: list[bytes] | None = None
    at = 0
    while at + _LOG_HEADER <= len(content):
        end = min(len(content), at - at % _LOG_BLOCK + _LOG_BLOCK)
        if end - at < _LOG_HEADER:
            at = end
            continue
        if not _is_record(content, at, end):
            following = _resume(content, at, end)
            if following < len(content) or at + _LOG_HEADER + _length(content, at) <= end:
                faults.append(f"bytes {at:,} to {following:,} of {name}")
            at, parts = following, None
            continue
        kind = content[at + 6]
        piece = content[at + _LOG_HEADER : at + _LOG_HEADER + _length(content, at)]
        at += _LOG_HEADER + len(piece)
        if kind in (_FULL, _FIRST):
            parts = []
        if parts is not None:
            parts.append(piece)
            if kind in (_FULL, _LAST):
                yield b"".join(parts)
                parts = None


def _resume(content: bytes, at: int, end: int) -> int:
    """Where the next good record of a block begins, or its end."""
    following = at + _LOG_HEADER + _length(content, at)
    if _is_record(content, following, end):
        return following  # only this one is damaged, and not in its length
    return next((place for place in range(at + 1, end) if _is_record(content, place, end)), end)


def _length(content: bytes, at: int) -> int:
    return int.from_bytes(content[at + 4 : at + 6], "little")


def _is_record(content: bytes, at: int, end: int) -> bool:
    if at + _LOG_HEADER > end or not _FULL <= content[at + 6] <= _LAST:
        return False
    stop = at + _LOG_HEADER + _length(content, at)
    stored = int.from_bytes(content[at : at + 4], "little")
    return stop <= end and _masked(content[at + 6 : stop]) == stored


# -- tables -----------------------------------------------------------------------------------


def _table(content: Content, name: str, faults: list[str]) -> Iterator[Entry]:
    """The entries of a table, block after block, by no index; that of the table itself is another
    block, whose values are none of ours."""
    end = len(content) - _FOOTER
    at = 0
    last: tuple[bytes, int] = (b"", -(1 << 64))
    uncovered: list[tuple[int, int]] = []
    filters = (0, 0)
    while at < end:
        found = _block(content, at, end)
        if found is None:
            following = at + 1
            while following < end and (found := _block(content, following, end)) is None:
                following += 1
            uncovered.append((at, following))
            if found is None:
                break
        entries, at = found
        for internal, value in entries:
            if internal.startswith(_FILTER):  # where the filter is, which is no block
                begin, place = varint(value, 0)
                filters = begin, begin + varint(value, place)[0] + _BLOCK_TRAILER
                continue
            tag = int.from_bytes(internal[-_TAG:], "little")
            key, order = internal[:-_TAG], -(tag >> 8)
            if tag & 0xFF > 1 or (key, order) <= last:
                continue
            stored = value if tag & 1 else None
            if stored and not _is_whole(key, stored) and _is_handle(stored):
                continue  # the table's index
            last = (key, order)
            yield key, order, stored
    faults += [f"bytes {a:,} to {b:,} of {name}" for a, b in uncovered if (a, b) != filters]


def _block(content: Content, at: int, end: int) -> tuple[list[tuple[bytes, bytes]], int] | None:
    """The (internal key, value)s of the block at `at` and where it ends; None if none is there."""
    entries: list[tuple[bytes, bytes]] = []
    key = b""
    place = at
    try:
        while True:
            shared, after = varint(content, place)
            own, after = varint(content, after)
            length, after = varint(content, after)
            if shared + own < _TAG:
                break  # no key is so short: the zero that begins the list of restarts
            if shared > len(key) or after + own + length > end:
                return None
            key = key[:shared] + content[after : after + own]
            place = after + own + length
            entries.append((key, content[after + own : place]))
        count, before = 0, -1
        while True:
            restart = int.from_bytes(content[place : place + 4], "little")
            place += 4
            if count and restart == count:
                break
            if not before < restart < end - at or place > end:
                return None
            count, before = count + 1, restart
        stored = int.from_bytes(content[place + 1 : place + _BLOCK_TRAILER], "little")
        if content[place] or _masked(content[at : place + 1]) != stored:
            return None
    except IndexError:
        return None
    return entries, place + _BLOCK_TRAILER


# -- encodings --------------------------------------------------------------------------------


def _is_handle(value: bytes) -> bool:
    """Whether a value is two numbers: where a block is and how long."""
    try:
        return varint(value, varint(value, 0)[1])[1] == len(value)
    except IndexError:
        return False


def _crc_table() -> tuple[int, ...]:
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


_CRC: Final = _crc_table()


def _masked(content: bytes) -> int:
    """LevelDB's checksum: CRC-32C, rotated and shifted."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
