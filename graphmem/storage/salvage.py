"""Salvage: reads LevelDB's files without LevelDB, which gives up more than what is damaged.

LevelDB refuses a table whose index is damaged, stops in a log at the first impossible length, and
its own repair accepts data that it does not verify. Here each block of a table and each record of a
log is read by itself: those with a valid checksum are taken, of each key the newest value. Of a
damaged block the rows are taken whose value has a valid checksum of its own.

Formats: github.com/google/leveldb, doc/table_format.md and doc/log_format.md.
"""

import errno
import heapq
import mmap
import re
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeAlias

from graphmem.errors import CorruptError, MissingError, StorageError
from graphmem.storage import manifest
from graphmem.storage.encoding import is_whole
from graphmem.storage.failures import WHAT_NOW
from graphmem.storage.folder import require_parent
from graphmem.storage.manifest import hides_records, masked, records, slice_at, varint

Content: TypeAlias = bytes | mmap.mmap
Entry: TypeAlias = tuple[bytes, int, bytes | None]
"""Key, minus its sequence number, stored value (None: deleted); so entries sort newest first."""
_Block: TypeAlias = tuple[list[tuple[bytes, bytes]], int]
"""Internal keys with their values, and where the block ends."""

_BLOCK_TRAILER: Final = 5  # type u8, crc32c u32
_FOOTER: Final = 48
_TAG: Final = 8  # of an internal key: sequence << 8 | type
_BATCH_HEADER: Final = 12  # sequence u64, count u32
_FILTER: Final = b"filter."


def salvaged(folder: Path, faults: list[str]) -> Generator[tuple[bytes, bytes], None, None]:
    """All pairs that can be read in the LevelDB folder `folder`, which is not changed; adds the
    others to `faults`. Values are verified, and without the checksums of `LevelDBEngine`. If the
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
                if stored and not is_whole(key, stored):
                    faults.append(f"the value of key {key.hex()}")
                    continue  # an older one may be whole
                done = key
                if stored is not None:
                    yield key, stored[:-4]
    except OSError as error:
        raise StorageError(error.errno, f"it cannot be read ({error})", str(folder)) from error


def standing(folder: Path, start: bytes, longest: int) -> Iterator[bytes]:
    """The bytes from each occurrence of `start` in the files of an engine, damaged blocks and pages
    included, up to `longest` each; check them by `encoding.is_whole`. Raises `StorageError`."""
    try:
        for path in sorted(p for p in folder.iterdir() if p.is_file() and p.stat().st_size):
            with (
                path.open("rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
            ):
                for match in re.finditer(re.escape(start), content):
                    yield content[match.start() : match.start() + longest]
    except OSError as error:
        raise StorageError(error.errno, f"it cannot be read ({error})", str(folder)) from error


def require_openable(folder: Path, create: bool) -> None:
    """Raise CorruptError, MissingError or OSError unless LevelDB can open the folder, or with
    `create` make it, without losing data."""
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
    require_parent(folder)


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
        live, oldest = manifest.listed(records(path.read_bytes(), path.name, damaged))
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
    for batch in records(path.read_bytes(), path.name, faults):
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


# -- tables -----------------------------------------------------------------------------------


def _table(content: Content, name: str, faults: list[str]) -> Iterator[Entry]:
    """The entries of a table, block by block, without its index. The index is a block too, whose
    values are skipped."""
    end = len(content) - _FOOTER
    at = 0
    last: tuple[bytes, int] = (b"", -(1 << 64))
    uncovered: list[tuple[int, int, int]] = []
    filters = (0, 0)
    while at < end:
        found = _block(content, at, end)
        if found is None:
            following, found = _next_block(content, at + 1, end)
            behind = None if found is None else _first(found[0])
            taken = 0
            for entry in _whole_rows(content, at, following):
                if last < entry[:2] and (behind is None or entry[:2] < behind):  # as rows stand
                    last, taken = entry[:2], taken + 1
                    yield entry
            uncovered.append((at, following, taken))
            if found is None:
                break
        entries, at = found
        for internal, value in entries:
            if internal.startswith(_FILTER):  # the place of the filter, which is not a block
                begin, place = varint(value, 0)
                filters = begin, begin + varint(value, place)[0] + _BLOCK_TRAILER
            elif (read := _entry(internal, value)) is not None and read[:2] > last:
                last = read[:2]
                yield read
    for begin, stop, taken in uncovered:
        if (begin, stop) != filters:
            but = f", but for {taken:,} whole values" if taken else ""
            faults.append(f"bytes {begin:,} to {stop:,} of {name}{but}")


def _first(rows: list[tuple[bytes, bytes]]) -> tuple[bytes, int] | None:
    """Key and order of the first entry of a block; None if it has none of the caller's."""
    return next((entry[:2] for row in rows if (entry := _entry(*row)) is not None), None)


def _entry(internal: bytes, value: bytes) -> Entry | None:
    """The entry of a row; None if it is not one of the caller's, such as a row of the index."""
    key, tag = internal[:-_TAG], int.from_bytes(internal[-_TAG:], "little")
    stored = value if tag & 1 else None
    if tag & 0xFF > 1 or (stored and not is_whole(key, stored) and _is_handle(stored)):
        return None
    return key, -(tag >> 8), stored


def _whole_rows(content: Content, begin: int, end: int) -> Iterator[Entry]:
    """The rows of damaged blocks whose values have a valid checksum, which covers their key. After
    a damaged length or key, reading resumes at the next row that has its whole key."""
    again, is_chain = begin, True
    while again < end:
        at, key = again, b""
        again += 1
        while (row := _row(content, at, end, key)) is not None:
            key, value, at = row
            entry = _entry(key, value)
            if entry is not None and entry[2] and is_whole(entry[0], entry[2]):
                yield entry
                again, is_chain = at, True
            elif not is_chain:
                break  # no evidence that a row begins there
        is_chain = False


def _row(content: Content, at: int, end: int, before: bytes) -> tuple[bytes, bytes, int] | None:
    """The internal key and value of the row at `at`, after one with the key `before`, and its end;
    None if there can be none."""
    try:
        shared, at = varint(content, at)
        own, at = varint(content, at)
        length, at = varint(content, at)
    except IndexError:
        return None
    value = at + own
    if shared > len(before) or shared + own < _TAG or value + length > end:
        return None
    return before[:shared] + content[at:value], content[value : value + length], value + length


def _next_block(content: Content, at: int, end: int) -> tuple[int, _Block | None]:
    """The offset and content of the first block at `at` or later; `end` and None if none is."""
    for place in range(at, end):
        if (found := _block(content, place, end)) is not None:
            return place, found
    return end, None


def _block(content: Content, at: int, end: int) -> _Block | None:
    """The (internal key, value)s of the block at `at` and where it ends; None if none is there."""
    entries: list[tuple[bytes, bytes]] = []
    key, place = b"", at
    # After the rows come the list of restarts, and the checksum.
    while (row := _row(content, place, end, key)) is not None:
        key, value, place = row
        entries.append((key, value))
    try:
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
        if content[place] or masked(content[at : place + 1]) != stored:
            return None
    except IndexError:
        return None
    return entries, place + _BLOCK_TRAILER


# -- encodings --------------------------------------------------------------------------------


def _is_handle(value: bytes) -> bool:
    """Whether a value is two varints: the offset and length of a block."""
    try:
        return varint(value, varint(value, 0)[1])[1] == len(value)
    except IndexError:
        return False
