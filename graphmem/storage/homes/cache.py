"""The cache of a memory that has a home: a folder with a copy of it up to a place, brought up to
date. Its own keys in scope 0, `F0 05` and `F0 06`, are never in a home."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from graphmem.errors import CorruptError, InvalidArgumentError, MissingError, OpenError
from graphmem.storage import engines
from graphmem.storage.engine import Engine, Pairs, Reader, batches
from graphmem.storage.folder import CLEAN, LOCK, META, STORE, read_file, write_file
from graphmem.storage.format_record import FORMAT, freed
from graphmem.storage.homes.home import KEYS, PART, Place, ReplacedError, Row, Stay
from graphmem.storage.homes.packing import Seal, packed, packed_piece, unpacked, unpacked_piece
from graphmem.storage.homes.sql import SqlHome
from graphmem.storage.ownership import Ownership

PLACE: Final = b"\0\0\0\0\xf0\x05"
OUTBOX: Final = b"\0\0\0\0\xf0\x06"
OUTBOX_END: Final = b"\0\0\0\0\xf0\x07"
PHYSICAL: Final = 4 << 20
"""Live bytes from which on a snapshot is a copy of the engine's files, which takes a fifth of the
time and twice the bytes."""
ASIDE: Final = ".ahead-"
_NOTE: Final = "home.json"  # beside the engine's own files
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_MERGED: Final = 1000  # rows of the log that are written as one batch
_FORMS: Final[dict[str, engines.Kind]] = {"leveldb": "leveldb", "lmdb": "lmdb"}
_EMPTY: Final = re.compile(r"LOCK|LOG|LOG\.old|.*-lock")  # files without content of the memory
_log = logging.getLogger("graphmem.home")


@dataclass(slots=True)
class Cache:
    """A folder that was brought up to date."""

    engine: Engine
    kind: engines.Kind
    place: Place
    """The last row of the home that it has."""
    waiting: list[bytes]
    """Packed batches after it that the home does not have yet."""
    rows: int
    """Rows of the log that were read."""
    whole: bool
    """Whether a snapshot was read, because there was no usable cache."""


@dataclass(frozen=True, slots=True)
class Copied:
    """The source of a snapshot."""

    reader: Reader
    size: int
    """Live bytes."""
    kind: engines.Kind
    beside: Path
    """A folder for a copy of the files."""


def outbox_key(position: int) -> bytes:
    """The key of a batch until the home has it."""
    return OUTBOX + position.to_bytes(8, "big")


def content(reader: Reader) -> Pairs:
    """All pairs of a cache that belong to the memory."""
    yield from reader.range(b"", PLACE)
    yield from reader.range(OUTBOX_END, b"\xff" * 16)


def bring(
    folder: Path,
    choice: engines.Choice,
    home: SqlHome,
    stay: Stay,
    seal: Seal,
    look: Callable[[Stay], Stay],
) -> tuple[Cache, Stay]:
    """Bring an owned folder to the last position of a memory. Returns also its latest `Stay`.

    The present cache is used if it is a copy of a beginning of the memory. Caches are never synced,
    so one from before the last start of this machine is discarded. look: reads the `Stay` again, if
    a snapshot came in between. Raises CorruptError if something is missing without one.
    """
    while True:
        try:
            return _brought(folder, choice, home, stay, seal), stay
        except ReplacedError as missing:
            before, stay = stay, look(stay)
            if stay.made == before.made and stay.position >= before.position:
                raise CorruptError(
                    f"{missing} of {stay.name!r} is missing from its home, which nothing has "
                    "replaced: restore a backup of it, of the database, or the folder of a cache"
                ) from None


def _brought(folder: Path, choice: engines.Choice, home: SqlHome, stay: Stay, seal: Seal) -> Cache:
    store = folder / STORE
    cache = _known(folder, home, stay, seal)
    if cache is None:
        shutil.rmtree(store, ignore_errors=True)
        for name in (CLEAN, META):
            (folder / name).unlink(missing_ok=True)
        kind = engines.chosen(store, choice if stay.form == KEYS else _FORMS[stay.form])
        engine = _filled(store, kind, home, stay, seal)
        cache = Cache(engine, kind, stay.bottom, [], 0, True)
    try:
        if cache.whole:
            note(folder, stay, stay.erased)
        else:
            _prove(home, stay, seal, cache.place, store.parent)
        if not cache.waiting:  # else its batches must be appended first
            cache.place, rows = apply(cache.engine, home, stay, cache.place, seal)
            cache.rows += rows
    except BaseException:
        cache.engine.close()
        raise
    return cache


def _prove(home: SqlHome, stay: Stay, seal: Seal, cached: Place, folder: Path) -> None:
    """Verify the whole log, even if the cache has all of it: if a row is damaged or missing, or the
    last one was written with another key, nobody else can read the memory. Raises CorruptError,
    and ReplacedError for what is missing."""
    position, last = stay.snapshot, None
    for row in home.tail(stay.memory, stay.snapshot):
        if row.first != position + 1:
            break
        position, last = row.place.position, row
        try:
            seal.require_whole("row", position, 0, row.content)
        except CorruptError as error:
            raise CorruptError(
                f"{error}, or what is here: {folder} has it up to position {cached.position} of "
                f"{stay.position} (graphmem home restore)"
            ) from error
    if position < stay.position:
        raise ReplacedError(f"the row behind position {position}")
    if last is not None:
        seal.opened("row", position, 0, last.content)
    elif (part := next(home.get_parts(stay, 0, min(1, stay.parts)), None)) is not None:
        seal.opened("part", stay.snapshot, 0, part)


def apply(engine: Engine, home: SqlHome, stay: Stay, after: Place, seal: Seal) -> tuple[Place, int]:
    """Apply the log of a memory after a place to a cache. Returns its new place, and how many rows
    were applied. Raises ReplacedError if the log does not continue from there."""
    batch: dict[bytes, bytes | None] = {}
    place, rows = after, 0
    for row in home.tail(stay.memory, after.position):
        if row.first != place.position + 1:
            break
        for each in _batches(seal, row):
            batch.update(each)
        place, rows = row.place, rows + 1
        if rows % _MERGED == 0:
            engine.commit({**batch, PLACE: bytes(place)})
            batch = {}
    if place != after:
        engine.commit({**batch, PLACE: bytes(place)})
    if place.position < stay.position:
        raise ReplacedError(f"the row behind position {place.position}")
    return place, rows


def _batches(seal: Seal, row: Row) -> list[dict[bytes, bytes | None]]:
    """The batches of a row. Raises CorruptError, which names it."""
    position = row.place.position
    found = list(unpacked(seal.opened("row", position, 0, row.content)))
    if len(found) != position - row.first + 1:
        raise CorruptError(
            f"row {position} of a memory in its home has {len(found)} batches, and should have "
            f"those from {row.first} on: restore a backup of the memory"
        )
    return found


def damage(home: SqlHome, stay: Stay, seal: Seal) -> Iterator[str]:
    """The damaged or missing parts and rows of a memory in its home, as text."""
    for part in range(stay.parts):
        try:
            (content,) = home.get_parts(stay, part, part + 1)
        except ReplacedError as missing:
            yield f"{missing} is missing from the home"
        else:
            yield from _unread(partial(_require_read, stay, seal, part, content))
    position = stay.snapshot
    for row in home.tail(stay.memory, stay.snapshot):
        if row.first != position + 1:
            yield f"the row behind position {position} is missing from the home"
        position = row.place.position
        yield from _unread(partial(_batches, seal, row))
    if position < stay.position:
        yield f"the row behind position {position} is missing from the home"


def _require_read(stay: Stay, seal: Seal, part: int, content: bytes) -> None:
    plain = seal.opened("part", stay.snapshot, part, content)
    if stay.form == KEYS:
        for _ in unpacked(plain):
            pass
    else:
        unpacked_piece(plain)


def _unread(read: Callable[[], object]) -> Iterator[str]:
    """The error of `read`, if it raises one: damage, or a wrong or missing key."""
    try:
        read()
    except (CorruptError, InvalidArgumentError) as error:
        yield str(error)


def parts(copied: Copied, seal: Seal, position: int, gen: int) -> tuple[str, Iterable[bytes]]:
    """The form of a snapshot and its parts. gen: generation of the key."""
    physical = copied.size >= PHYSICAL
    pairs = (packed(batch) for batch, _ in batches(content(copied.reader), PART))
    plain = _pieces(copied) if physical else pairs
    closed = (seal.closed("part", position, n, part, gen) for n, part in enumerate(plain))
    return copied.kind if physical else KEYS, closed


def _boot() -> str | None:
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return None


def note(folder: Path, stay: Stay, erased: int) -> None:
    """Record to which memory a cache belongs. erased: the position of the last erasure of which it
    has no byte left."""
    record = {"memory": stay.memory, "name": stay.name, "boot": _boot(), "erased": erased}
    write_file(folder / STORE / _NOTE, json.dumps(record).encode())


def noted(folder: Path) -> dict[str, Any]:
    """What `note` wrote; empty for a folder that is no cache."""
    with suppress(OSError, ValueError):
        found = json.loads(read_file(folder / STORE / _NOTE))
        if isinstance(found, dict) and isinstance(found.get("erased", 0), int):
            return found
    return {}


def place_in(home: SqlHome, stay: Stay, position: int) -> Place | None:
    """The place of a memory at a position; None if no row ends there any more."""
    return stay.bottom if position == stay.snapshot else home.place_at(stay.memory, position)


def engine_of(store: Path) -> tuple[Engine, engines.Kind]:
    """The engine of a cache, and of which kind it is. Raises like `engines.open_engine`."""
    kind = engines.kind_of(store) or engines.default()
    return engines.open_engine(store, kind, create=False, ordered=False), kind


def remove_old(folder: Path, erased: int | None) -> bool:
    """Remove a cache that nobody has open, if it is older than an erasure or, for None, always. A
    cache with the erasure is rewritten without the erased bytes. Returns whether it was removed."""
    try:
        ownership = Ownership.take(folder, create=False)
    except OpenError:
        return False
    try:
        if erased:
            engine, _ = engine_of(folder / STORE)
            with closing(engine):
                old = Place.read(engine.get(PLACE)).position < erased
                old = old or not _cleaned(engine, folder, erased)
        else:
            old = erased is None
        if old:
            shutil.rmtree(folder, ignore_errors=True)
        return old
    finally:
        ownership.release()


def _cleaned(engine: Engine, folder: Path, erased: int) -> bool:
    """Whether a cache at or after the position of an erasure has none of the erased bytes; compacts
    it if needed, since applying the log deletes the keys only."""
    record = noted(folder)
    if erased <= record.get("erased", 0):
        return True
    if not engine.compact(b"", OUTBOX_END) or not engine.compact(OUTBOX_END, b"\xff" * 16):
        return False
    write_file(folder / STORE / _NOTE, json.dumps({**record, "erased": erased}).encode())
    return True


def _known(folder: Path, home: SqlHome, stay: Stay, seal: Seal) -> Cache | None:
    """The cache in a folder, if it is a copy of a beginning of the memory."""
    note = noted(folder)
    if note.get("memory") != stay.memory or None in (note.get("boot"), _boot()):
        return None
    try:
        engine, kind = engine_of(folder / STORE)
    except (CorruptError, MissingError) as error:
        _log.warning("%s: the cache is damaged and made anew: %s", stay.name, error)
        return None
    with ExitStack() as undo:
        undo.callback(engine.close)
        trusted = note.get("boot") == _boot()
        cache = Cache(engine, kind, Place.read(engine.get(PLACE)), [], 0, False)
        if not (
            _continues(cache, folder, home, stay, seal, trusted)
            and _cleaned(engine, folder, stay.erased)
        ):
            return None
        undo.pop_all()
        return cache


def _continues(
    cache: Cache, folder: Path, home: SqlHome, stay: Stay, seal: Seal, trusted: bool
) -> bool:
    """Whether a cache, with its waiting batches, can be used; one with data that the home has lost
    is set aside. trusted: whether this machine has not been restarted since."""
    engine, place = cache.engine, cache.place
    outbox = dict(engine.range(OUTBOX, OUTBOX_END))
    waiting = cache.waiting = list(outbox.values())
    follows = [*outbox] == [outbox_key(place.position + 1 + n) for n in range(len(outbox))]
    if place.position < stay.snapshot:
        _log_lost(stay, waiting)
        return False
    if place_in(home, stay, place.position) != place:
        record = engine.get(FORMAT)
        own = {PLACE: None, FORMAT: record and freed(record)}
        engine.commit({**dict.fromkeys(outbox), **own}, sync=True)
        engine.close()
        aside = folder.with_name(f"{folder.name}{ASIDE}{place.position}-{place.epoch}")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(mode=0o700)
        (aside / LOCK).touch(0o600)  # by which a store without meta.json is recognised
        os.rename(folder / STORE, aside / STORE)
        _log.error(
            "%s: the cache at %d has what its home at %d has lost: it was set aside as %s, "
            "a folder like any other, and may be the only copy",
            stay.name,
            place.position,
            stay.position,
            aside,
        )
        return False
    if trusted and follows and (not waiting or _settled(cache, home, stay, seal)):
        return True
    _log_lost(stay, waiting)
    return False


def _log_lost(stay: Stay, waiting: list[bytes]) -> None:
    if waiting:
        _log.warning(
            '%s: %d writes of "group" or of upkeep, of just before a process of this machine '
            "ended, are lost, since the home has gone on without them",
            stay.name,
            len(waiting),
        )


def _settled(cache: Cache, home: SqlHome, stay: Stay, seal: Seal) -> bool:
    """Remove the waiting batches that the home has got. False if it has got other ones."""
    batch: dict[bytes, bytes | None] = {}
    waiting = list(cache.waiting)
    place = cache.place
    for row in home.tail(stay.memory, place.position):
        if row.first != place.position + 1:
            return False
        for each in map(packed, _batches(seal, row)):
            if not waiting or waiting.pop(0) != each:
                return False
        for position in range(row.first, row.place.position + 1):
            batch[outbox_key(position)] = None
        place = row.place
        cache.rows += 1
    if place.position != stay.position:
        return False
    cache.engine.commit({**batch, PLACE: bytes(place)})
    cache.place, cache.waiting = place, waiting
    return True


def _filled(store: Path, kind: engines.Kind, home: SqlHome, stay: Stay, seal: Seal) -> Engine:
    """A new engine with the snapshot of a memory."""
    position = stay.snapshot
    stored = enumerate(home.get_parts(stay, 0, stay.parts))
    opened = (seal.opened("part", position, n, part) for n, part in stored)
    if physical := stay.form != KEYS:
        store.mkdir(mode=0o700, parents=True)
        for part in opened:
            name, offset, piece = unpacked_piece(part)
            with open(os.open(store / name, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
                file.seek(offset)
                file.write(piece)
    engine = engines.open_engine(store, kind, create=not physical, ordered=False)
    try:
        if not physical:
            for part in opened:
                for batch in unpacked(part):
                    engine.commit(batch)
        if position:
            engine.commit({PLACE: bytes(stay.bottom)})
    except BaseException:
        engine.close()
        raise
    return engine


def _pieces(copied: Copied) -> Iterator[bytes]:
    """The files of a copy without deleted data, in pieces."""
    with tempfile.TemporaryDirectory(prefix="snapshot-", dir=copied.beside) as around:
        store = Path(around) / STORE
        engine = engines.open_engine(store, copied.kind, ordered=False)
        try:
            for batch, _ in batches(content(copied.reader), PART):
                engine.commit(batch)
            engine.sync()
        finally:
            engine.close()
        # Opened again, so that LevelDB turns its log into a table now, not at each opening.
        engines.open_engine(store, copied.kind, create=False, ordered=False).close()
        for path in sorted(store.iterdir()):
            if _EMPTY.fullmatch(path.name):
                continue
            with open(path, "rb") as file:
                offset = 0
                while (piece := file.read(PART)) or not offset:  # an empty file counts too
                    yield packed_piece(path.name, offset, piece)
                    if not piece:
                        break
                    offset += len(piece)
