"""The format record: which version of graphmem a store needs, and which features it has."""

import json
from datetime import UTC, datetime
from errno import ENOENT
from functools import cache
from typing import Final

from graphmem.errors import (
    CorruptError,
    MissingError,
    NewerFormatError,
    NotAStoreError,
    OlderFormatError,
    ReadOnlyError,
)
from graphmem.storage.engine import Engine
from graphmem.storage.folder import APPLICATION, STORE, State
from graphmem.storage.registry import BASIC, FEATURES, HOMED, MIGRATIONS

FORMAT: Final = b"\0\0\0\0\xf0\0"
"""The key of the record."""

FORMAT_VERSION: Final = 2
_WAYS: Final = ("read", "write")


def ensure(engine: Engine, state: State, *, read_only: bool, home: bool = False) -> bytes:
    """Return the format record of a store that this version can read or migrate, after creating it
    in an empty store. Raises CorruptError, NotAStoreError, MissingError, NewerFormatError,
    OlderFormatError, ReadOnlyError."""
    record = engine.get(FORMAT)
    if record is None:
        if state is State.OURS:
            raise CorruptError("the store's format record is gone: run graphmem admin repair")
        if next(engine.keys(b"", b"\xff" * 9), None) is not None:
            raise NotAStoreError(f"{STORE}/ is a database of somebody else's")
        if read_only:
            raise MissingError(
                ENOENT, "there is no store here: look at the path, or open it to write"
            )
        record = _new_record(home)
        engine.commit({FORMAT: record}, sync=True)
    try:
        content = json.loads(record)
        found = int(content["format"])
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptError("the store's format record is damaged: restore a backup") from error
    if found > FORMAT_VERSION:
        raise NewerFormatError(
            f"the store has format {found}, written by graphmem {content.get('library')}; this "
            f"version reads up to {FORMAT_VERSION}: install a newer graphmem"
        )
    if found < FORMAT_VERSION and found not in MIGRATIONS:
        raise OlderFormatError(
            f"the store has format {found}, written by graphmem {content.get('library')}, which "
            f"this version does not read: export it with that one, and import the file with this"
        )
    if found < FORMAT_VERSION and read_only:
        raise ReadOnlyError(
            f"the store has the older format {found}: open it once without read_only"
        )
    _require_known(content, read_only, home)
    return record


def raised(record: bytes) -> bytes:
    """A format record of this or an older version, raised to this version."""
    required: dict[str, object] = {"requires": {"read": [], "write": []}}
    return _packed(required | json.loads(record) | {"format": FORMAT_VERSION})


def version_of(record: bytes) -> int:
    return int(json.loads(record)["format"])


def requiring(record: bytes, feature: str, to_read: bool) -> bytes | None:
    """A format record that requires a feature to write, and with `to_read` also to read; None if it
    already does. Raises CorruptError."""
    content = json.loads(record)
    listed = _listed(content)
    ways = ("read", "write") if to_read else ("write",)
    if all(feature in listed[way] for way in ways):
        return None
    for way in ways:
        listed[way] = sorted({*listed[way], feature})
    return _packed(content | {"requires": listed})


def freed(record: bytes) -> bytes:
    """The format record of a cache, changed for a folder that is opened without its home."""
    found = json.loads(record)
    for names in found.get("requires", {}).values():
        names[:] = [name for name in names if name != HOMED]
    return _packed(found)


def _listed(content: dict[str, object]) -> dict[str, list[str]]:
    """The features that a format record requires, by "read" and "write". Raises CorruptError."""
    listed = content.get("requires", {})
    ways = {way: listed.get(way, []) if isinstance(listed, dict) else None for way in _WAYS}
    for names in ways.values():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise CorruptError("the store's format record is damaged: restore a backup")
    return {way: list(names) for way, names in ways.items() if names is not None}


def _require_known(content: dict[str, object], read_only: bool, home: bool) -> None:
    """Raise NewerFormatError if a format record requires what this version does not know."""
    listed = _listed(content)
    by = f"written by graphmem {content.get('library')}"
    if unknown := sorted({*listed["read"]} - FEATURES):
        raise NewerFormatError(
            f"the store has {', '.join(unknown)}, {by}, which this version cannot read: install a "
            "newer graphmem"
        )
    if HOMED in listed["write"] and not (home or read_only):
        raise NewerFormatError(
            "the folder is the cache of a memory that has a home: open it by its name with home=, "
            "or with read_only=True"
        )
    if (unknown := sorted({*listed["write"]} - FEATURES - {HOMED})) and not read_only:
        raise NewerFormatError(
            f"the store has {', '.join(unknown)}, {by}, which this version would leave behind if "
            "it wrote: open it with read_only=True, or install a newer graphmem"
        )


def ensure_salvaged(engine: Engine, meta: bytes | None) -> None:
    """Make a salvaged store readable by this version. meta: its meta.json. Raises
    `NewerFormatError`, and `OlderFormatError` for one that opening it would migrate."""
    if engine.get(FORMAT) is None:
        engine.commit({FORMAT: _new_record() if meta is None else meta}, sync=True)
    found = version_of(ensure(engine, State.OURS, read_only=False))
    if found < FORMAT_VERSION:
        raise OlderFormatError(f"the store has the older format {found}: open it once first")


@cache
def _library() -> str:
    # The import takes milliseconds, and only a new folder needs it.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("graphmem")
    except PackageNotFoundError:
        return "unknown"


def _new_record(home: bool = False) -> bytes:
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return _packed(
        {
            "application": APPLICATION,
            "format": FORMAT_VERSION,
            "created": created,
            "library": _library(),
            "requires": {"read": [*BASIC], "write": [*BASIC, HOMED] if home else [*BASIC]},
        }
    )


def _packed(content: dict[str, object]) -> bytes:
    return json.dumps(content, indent=2).encode() + b"\n"
