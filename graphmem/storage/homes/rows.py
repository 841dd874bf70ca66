"""Checks every row that a home returns before it is used.

SQLite accepts any type in a column, and many databases do not detect changed bytes. So each value
must be of its kind, redundant values must agree, and the id of a memory begins with a checksum of
its name.
"""

from __future__ import annotations

import uuid
import zlib
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, Final

from graphmem.errors import CorruptError
from graphmem.storage.homes.home import FORMAT, FORMS, Stay

_CHECKED: Final = 8  # version of an id that begins with a checksum; earlier ones are random
_LATEST: Final = 253_402_300_800.0  # the end of the year 9999
_WHOLE: Final = 1 << 63
_EPOCHS: Final = _WHOLE - (1 << 32)  # so that `take` can add to it
_GENERATIONS: Final = 1 << 32

_STAY: Final = ("graphmem_memory", tuple(field.name for field in fields(Stay)))
RESULTS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "home": ("graphmem_home", ("home",)),
    "states": ("graphmem_memory", ("memory", "epoch", "erased")),
    "take": _STAY,
    "new": _STAY,
    "look": _STAY,
    "look again": _STAY,
    "alike": ("graphmem_memory", ("memory", "name", "leads")),
    "holder": ("graphmem_host", ("host", "address", "seconds")),
    "place": ("graphmem_log", ("position", "epoch", "id")),
    "tail": ("graphmem_log", ("first", "position", "epoch", "id", "content")),
    "count parts": ("graphmem_snapshot", ("count",)),
    "show": ("graphmem_memory", ("log_bytes",)),
    "get parts": ("graphmem_snapshot", ("content",)),
    "list": (
        "graphmem_memory",
        ("memory", "name", "owner", "held", "alive", "bytes", "log_bytes", "position", "changed"),
    ),
    "prefixes": ("graphmem_prefix", ("place", "prefix")),
    "clean folders": ("graphmem_folder", ("folder",)),
}
"""The table and the columns of what each statement returns."""


def new_id(name: str) -> str:
    """An id for a memory of this name."""
    return _id(f"{_checksum(name):08x}{uuid.uuid4().hex[8:12]}{_CHECKED}{uuid.uuid4().hex[13:]}")


def ids(name: str) -> tuple[str, str]:
    """The least and the greatest id that a memory of this name can have."""
    first = f"{_checksum(name):08x}"
    return str(uuid.UUID(first + "0" * 24)), str(uuid.UUID(first + "f" * 24))


def checked(statement: str, asked: Sequence[Any], row: Sequence[Any]) -> tuple[Any, ...]:
    """A row that a statement returned. asked: the values that it was run with. Raises CorruptError,
    which names the row."""
    table, columns = RESULTS[statement]
    values = []
    for column, value in zip(columns, row, strict=True):
        try:
            values.append(_KINDS[column](value))
        except (ValueError, TypeError) as error:
            what = f"{column} is {value!r:.40}"
            raise _damaged(table, columns, asked, row, what) from error
    known = dict(zip(columns, values, strict=True))
    if (wrong := _wrong(known, columns == _STAY[1])) is not None:
        raise _damaged(table, columns, asked, row, wrong)
    return tuple(values)


def unlike(memory: str, name: str) -> CorruptError:
    """The error for an existing memory that is not found by its name."""
    return _damaged("graphmem_memory", ("memory",), (), (memory,), f"{name!r} does not lead to it")


def _wrong(row: dict[str, Any], is_stay: bool) -> str | None:
    """Why values of a row, each valid by itself, contradict each other; None if they do not."""
    if {"memory", "name"} <= row.keys():
        id = uuid.UUID(row["memory"])
        if id.version == _CHECKED and id.time_low != _checksum(row["name"]):
            return f"its name, {row['name']!r}, or its id has changed"
    if "first" in row and row["first"] > row["position"]:
        return f"it begins at {row['first']}, behind its end"
    if not is_stay or row["format"] > FORMAT:
        return None
    stay = Stay(**row)
    if stay.form not in FORMS:
        return f"form is {stay.form!r:.40}"
    if not stay.erased <= stay.snapshot <= stay.position:
        return f"erased {stay.erased}, snapshot {stay.snapshot} and position {stay.position} differ"
    if stay.parts > stay.bytes:
        return f"parts is {stay.parts}, of {stay.bytes} bytes"
    place = f"/{stay.memory}/{stay.snapshot}-{stay.made:016x}"
    if stay.folder is not None and not stay.folder.endswith(place):
        return f"folder is {stay.folder!r:.120}, which does not end in {place}"
    return None


def _damaged(
    table: str, columns: Sequence[str], asked: Sequence[Any], row: Sequence[Any], what: str
) -> CorruptError:
    named = dict(zip(columns, row, strict=True))
    where = [f"{key} {named[key]!r:.80}" for key in ("memory", "name", "position") if key in named]
    if "memory" not in named and asked:
        where.insert(0, f"of {asked[0]!r:.80}")
    return CorruptError(
        f"the home is damaged: in a row of {table} ({', '.join(where)}) {what}. Restore a backup "
        "of the home; the cache of a memory can be put under another name (graphmem home adopt)"
    )


def _checksum(name: str) -> int:
    return zlib.crc32(name.encode())


def _id(value: object) -> str:
    text = str(uuid.UUID(str(value)))
    if isinstance(value, str) and value not in (text, text.replace("-", "")):
        raise ValueError
    return text


def _below(limit: int, least: int = 0) -> Callable[[object], int]:
    def whole(value: object) -> int:
        if type(value) is not int or not least <= value < limit:
            raise ValueError
        return value

    return whole


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    value.encode()
    return value


def _optional(kind: Callable[[object], Any]) -> Callable[[object], Any]:
    return lambda value: None if value is None else kind(value)


def _content(value: object) -> bytes:
    if not isinstance(value, bytes | memoryview):
        raise ValueError
    return bytes(value)


def _seconds(value: Any) -> float:
    if isinstance(value, str | bytes) or not abs(seconds := float(value)) < _LATEST:
        raise ValueError
    return seconds


def _time(value: Any) -> float:
    if (seconds := _seconds(value)) < 0:
        raise ValueError
    return seconds


def _flag(value: object) -> bool:
    if value not in (0, 1):
        raise ValueError
    return bool(value)


_KINDS: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(
        ("position", "snapshot", "snapshot_epoch", "snapshot_id", "made", "parts", "bytes",
         "log_bytes", "erased", "first", "id", "count"),
        _below(_WHOLE),
    ),
    **dict.fromkeys(("home", "memory", "prefix"), _id),
    **dict.fromkeys(("name", "form", "host", "place"), _text),
    **dict.fromkeys(("folder", "moved", "owner"), _optional(_text)),
    **dict.fromkeys(("held", "alive", "leads"), _flag),
    "address": lambda value: _text(value) if value else value,
    "epoch": _below(_EPOCHS, 1),
    "generation": _below(_GENERATIONS),
    "format": _below(_WHOLE, 1),
    "content": _content,
    "seconds": _seconds,
    "changed": _time,
}  # fmt: skip
"""Column → the function that checks and converts a value; raises ValueError or TypeError."""
