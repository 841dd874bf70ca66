"""An engine that shows one state of a cache: what a reader of a home has between two polls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from graphmem.errors import ReadOnlyError
from graphmem.storage.engine import Batch, Engine, Snapshot


class FrozenEngine:
    """See `engine.HomedEngine`. All is read from one snapshot; closing it leaves the cache open."""

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
