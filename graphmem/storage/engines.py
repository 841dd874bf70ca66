"""The engines of a folder: which one it has, and which one a new folder gets."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from graphmem.errors import InvalidArgumentError, MissingExtraError
from graphmem.storage.engine import batches

if TYPE_CHECKING:
    from graphmem.storage.engine import Engine

Kind: TypeAlias = Literal["leveldb", "lmdb"]
Choice: TypeAlias = Literal["auto", "leveldb", "lmdb"]

_BINDINGS: Final[dict[Kind, str]] = {"leveldb": "plyvel", "lmdb": "lmdb"}
_SUFFIX: Final = ".mdb"  # of LMDB's files; LevelDB has none of that name
_SALVAGED_AT_ONCE: Final = 1 << 20  # bytes


def default() -> Kind:
    """The engine of a new folder: LevelDB, or LMDB where LevelDB's binding is not installed."""
    return "leveldb" if find_spec("plyvel") is not None else "lmdb"


def kind_of(path: Path) -> Kind | None:
    """The engine whose files are in the folder `path`; None if it is new or unreadable."""
    try:
        names = os.listdir(path)
    except OSError:  # missing, or unreadable: opening it raises
        return None
    if any(name.endswith(_SUFFIX) for name in names):
        return "lmdb"
    return "leveldb" if names else None


def chosen(path: Path, choice: Choice) -> Kind:
    """The engine to open a folder with. Raises InvalidArgumentError if it has another one."""
    found = kind_of(path)
    if found is None:
        return default() if choice == "auto" else choice
    if choice not in ("auto", found):
        raise InvalidArgumentError(
            f"{path.parent} was made with engine={found!r}, not {choice!r}: leave the setting out, "
            f"or write the folder anew: graphmem admin convert {path.parent} --engine {choice}"
        )
    return found


def open_engine(
    path: Path, kind: Kind, *, create: bool = True, ordered: bool = True, reads: bool = False
) -> Engine:
    """Open the folder of an engine's files; with `create`, make it if it is missing.
    ordered, reads: see `LMDBEngine`. Raises MissingExtraError, and what the engine raises."""
    require_binding(path, kind)
    if kind == "lmdb":
        from graphmem.storage.lmdb import LMDBEngine

        return LMDBEngine(path, create=create, ordered=ordered, reads=reads)
    from graphmem.storage.leveldb import LevelDBEngine

    return LevelDBEngine(path, create=create)


def require_binding(path: Path, kind: Kind) -> None:
    """Raise MissingExtraError if an engine's binding is not installed."""
    if find_spec(_BINDINGS[kind]) is not None:
        return
    other: Kind = "lmdb" if kind == "leveldb" else "leveldb"
    anew = f", or write the folder anew: graphmem admin convert {path.parent} --engine {other}"
    raise MissingExtraError(
        f"{path.parent} needs the engine {kind!r}, of which the Python package {_BINDINGS[kind]} "
        f"is not installed: pip install {_BINDINGS[kind]}{anew if kind_of(path) == kind else ''}"
    )


def salvage(
    path: Path, kind: Kind, engine: Engine, committed: Callable[[int], None] = lambda _: None
) -> list[str]:
    """Commit to `engine` all that can be read in the folder of another engine, each value verified;
    returns what cannot be read. committed: called with the bytes committed so far. Raises
    MissingExtraError, StorageError."""
    if kind == "lmdb":
        require_binding(path, kind)
        from graphmem.storage.lmdb import salvaged
    else:
        from graphmem.storage.salvage import salvaged
    faults: list[str] = []
    total = 0
    with closing(salvaged(path, faults)) as pairs:
        for batch, size in batches(pairs, _SALVAGED_AT_ONCE):
            engine.commit(batch)
            committed(total := total + size)
    return faults


def require_usable(path: str | os.PathLike[str], kind: Kind) -> None:
    """Raise ForkedError if an engine could not work in this process."""
    if kind == "leveldb" and find_spec("plyvel") is not None:
        from graphmem.storage.leveldb import require_own_thread

        require_own_thread(path)
