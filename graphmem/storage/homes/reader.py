"""Reading a memory of a home without taking it: a cache, and an engine for one state of it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final, NoReturn

from graphmem.errors import AlreadyOpenError, MovedError, ReadOnlyError
from graphmem.storage.engine import Batch, Engine, Snapshot
from graphmem.storage.engines import Choice
from graphmem.storage.folder import STORE
from graphmem.storage.homes.cache import PLACE, apply, bring, damage, engine_of, noted, place_in
from graphmem.storage.homes.home import Place, ReplacedError, Stay
from graphmem.storage.homes.packing import Keys, Seal
from graphmem.storage.homes.sql import SqlHome
from graphmem.storage.ownership import Ownership

READER: Final = ".reader-"
"""Between the id of a memory and a number, in the name of a reader's folder."""
_FAULTS: Final = 1000  # faults of a memory in its home that are reported
_MOST: Final = 1000  # readers of one memory on one machine


class FrozenEngine:
    """See `engine.HomedEngine`. Reads from one snapshot; closing it leaves the cache open."""

    def __init__(
        self,
        local: Engine,
        figures: Callable[[], dict[str, Any]],
        closing: Callable[[], None] = lambda: None,
    ) -> None:
        """closing: called when this is closed."""
        state = local.snapshot()
        self._state = state
        self.get, self.get_many, self.range = state.get, state.get_many, state.range
        self.keys, self.approximate_size = state.keys, local.approximate_size
        self.figures, self._closing = figures, closing

    def snapshot(self) -> Snapshot:
        return _View(self._state)

    def commit(self, batch: Batch, sync: bool = False) -> NoReturn:
        """Raises ReadOnlyError, as all that writes."""
        raise ReadOnlyError("a reader of a home writes nothing: reach the owner")

    def compact(self, start: bytes, stop: bytes) -> NoReturn:
        self.commit({})

    def sync(self) -> None:
        """See `Engine.sync`; there is nothing to sync."""

    def resend(self) -> bool:
        """See `HomedEngine.resend`; there is nothing to send."""
        return False

    def close(self) -> None:
        self._state.close()
        self._closing()


class _View:
    """A snapshot whose closing leaves the state to others."""

    def __init__(self, state: Snapshot) -> None:
        self.get, self.get_many, self.range = state.get, state.get_many, state.range
        self.keys = state.keys

    def close(self) -> None: ...

    def __enter__(self) -> _View:
        return self

    def __exit__(self, *_: object) -> None: ...


class Reader:
    """A memory of a home as this process has read it, up to a place. One thread at a time."""

    def __init__(
        self,
        home: SqlHome,
        name: str,
        folder: Path,
        keys: Keys | None,
        choice: Choice,
        *,
        moved: bool = False,
    ) -> None:
        """folder: where the caches of this home are. moved: also of a memory that is being moved.
        Raises MissingError, MovedError, NewerFormatError."""
        self._home, self._folder, self._keys, self._choice = home, folder, keys, choice
        self._stay = _looked(home, name, moved=moved)
        self._seal = Seal(self._stay.memory, keys)
        self._ownership = self._begin()

    def _begin(self) -> Ownership:
        """Take a folder and bring it to the position of the memory."""
        ownership = _taken(self._folder / self._stay.memory)
        try:
            cache, self._stay = bring(
                ownership.folder,
                self._choice,
                self._home,
                self._stay,
                self._seal,
                lambda stay: _looked(self._home, stay.name, stay.memory),
            )
        except BaseException:
            ownership.release()
            raise
        self._engine, self._place = cache.engine, cache.place
        self._read = time.monotonic()
        return ownership

    def frozen(self, *, last: bool = False) -> FrozenEngine:
        """The memory as it is here now. last: closing the engine closes the reader."""
        name, position, read = self._stay.name, self._place.position, self

        def figures() -> dict[str, Any]:
            age = round(time.monotonic() - read._read, 1)
            return {"name": name, "position": position, "read": age}

        with ExitStack() as undo:
            if last:
                undo.callback(self.close)
            engine = FrozenEngine(self._engine, figures, self.close if last else lambda: None)
            undo.pop_all()
            return engine

    def poll(self) -> Reader | None:
        """Read new rows. Returns self if there were any, another reader if the log does not
        continue from here or something was erased, else None. Raises StorageError, and like this
        class."""
        now = _looked(self._home, self._stay.name, self._stay.memory)
        begun = self._place
        erases = now.erased > self._stay.erased
        if erases or (now.epoch, now.position) != (self._stay.epoch, begun.position):
            try:
                # Erased data is still in this cache, and calls may still read it.
                if erases or place_in(self._home, now, begun.position) != begun:
                    raise ReplacedError
                self._place, _ = apply(self._engine, self._home, now, begun, self._seal)
            except ReplacedError:
                replacement = Reader(self._home, now.name, self._folder, self._keys, self._choice)
                self._stay = now
                return replacement
        self._stay, self._read = now, time.monotonic()
        return None if self._place == begun else self

    def close(self, *, remove: bool = False) -> None:
        """Close the cache, and with `remove` delete it unless it has data that the home has lost.
        Idempotent."""
        self._engine.close()
        if remove and self._place.position <= self._stay.position:
            shutil.rmtree(self._ownership.folder, ignore_errors=True)
        self._ownership.release()


def damaged(home: SqlHome, name: str, keys: Keys | None) -> list[str]:
    """The damaged or missing parts and rows of a memory in its home, each once. Raises like
    `Reader`."""
    now = _looked(home, name)
    while True:
        stay = now
        faults = islice(damage(home, stay, Seal(stay.memory, keys)), _FAULTS)
        found = list(dict.fromkeys(faults))
        now = _looked(home, name, stay.memory)
        if not found or now.made == stay.made:
            return found  # else a new snapshot may have replaced the missing parts


def left(folder: Path) -> FrozenEngine:
    """A cache as it is, where its home cannot be reached. Raises what `Store.open` raises."""
    ownership = Ownership.take(folder, create=False)
    store = folder / STORE
    with ExitStack() as undo:
        undo.callback(ownership.release)
        engine, _ = engine_of(store)
        undo.callback(engine.close)
        changed = max(path.stat().st_mtime for path in store.iterdir())
        figures = {
            "name": noted(folder).get("name"),
            "position": Place.read(engine.get(PLACE)).position,
            "read": round(time.time() - changed, 1),
        }

        def close() -> None:
            engine.close()
            ownership.release()

        frozen = FrozenEngine(engine, lambda: figures, close)
        undo.pop_all()
        return frozen


def _looked(home: SqlHome, name: str, memory: str | None = None, *, moved: bool = False) -> Stay:
    stay = home.look(name, memory)
    if stay.moved is not None and not moved:
        raise MovedError(f"{stay.name!r} has moved to {stay.moved}: follow it there")
    stay.require_known()
    stay.require_whole()
    return stay


def _taken(path: Path) -> Ownership:
    """A folder of a reader that no other has open."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in range(_MOST):
        place = path.with_name(f"{path.name}{READER}{number}")
        with suppress(AlreadyOpenError):
            return Ownership.take(place)
    return Ownership.take(place)  # raises, naming the owner of the last one
