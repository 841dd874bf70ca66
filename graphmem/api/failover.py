"""Failover: a memory that several programs share, of which one at a time has the folder open."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from threading import RLock, Timer
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Unpack

from graphmem.api.access import open_or_attach
from graphmem.api.adapters import IN_PARTS
from graphmem.api.attached import Attached, Client, repeatable
from graphmem.declaring import Call
from graphmem.errors import ClosedError, NotOpenError, OwnerGoneError
from graphmem.settings import OpenSettings, Settings
from graphmem.storage.folder import path_name

if TYPE_CHECKING:
    from graphmem.api.events import OnEvent
    from graphmem.api.memory import Memory
    from graphmem.runtime.database import Clock
    from graphmem.services.embedder import Embedder

    _Either: TypeAlias = Memory | Attached

_SETTLED: Final = 0.25  # seconds after attaching, when most short programs have ended
_MOST_OWNERS: Final = 16  # that may end, one after the other, during one call
_REPEATED: Final = {"recall"}
"""Repeated although they write: at worst the best hit counts as used twice."""


def reach(
    path: str | os.PathLike[str],
    *,
    scope: str = "default",
    create: bool = True,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    on_event: OnEvent | None = None,
    **settings: Unpack[OpenSettings],
) -> Reached:
    """Use the memory in a folder together with other programs, whichever has it open.

    If nobody has the folder open, this process opens it and serves the others; if somebody has, it
    attaches. When the owner closes the folder or dies, the next call of any that are left opens it.

    scope: the name of the memory within the folder, made if it is not there.
    create: make a folder that is not there; its parent must exist.
    clock, embedder, on_event, settings: for `graphmem.open`, if it is this process that opens the
        folder.

    An owner that takes no clients is waited for, at most 5 seconds. Raises AlreadyOpenError if it
    still has the folder then, and what `graphmem.attach` and `graphmem.open` raise.
    """
    given = {"clock": clock, "embedder": embedder, "on_event": on_event}
    hooks = {name: hook for name, hook in given.items() if hook is not None}
    reached = reach_later(path, scope=scope, create=create, hooks=hooks, **settings)
    reached._access.scope(scope)
    return reached


def reach_later(
    path: str | os.PathLike[str],
    *,
    scope: str = "default",
    create: bool = True,
    hooks: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Reached:
    """Like `reach`, but the first call finds an owner or opens the folder, and raises if that
    fails; so does each call until one succeeds."""
    chosen = Settings.read(settings)  # wrong settings fail now, not when an owner goes
    name = path_name(path) if chosen.home is not None else os.path.abspath(path_name(path))
    find = partial(open_or_attach, name, scope=scope, create=create, hooks=hooks, **settings)
    return Reached(_Reaching(name, scope, find), scope)


class _Reaching:
    """The present access of this process: the open memory, or a connection to its owner."""

    def __init__(self, path: str, first: str, find: Callable[[], _Either]) -> None:
        """first: the scope that `find` gives back."""
        self.path = path
        self._first = first
        self._find = find
        self._lock = RLock()
        self._loading: Timer | None = None
        self._found: _Either | None = None
        """Closing it closes those of all scopes."""
        self._scopes: dict[str, _Either] = {}
        self._closed = False

    def scope(self, name: str) -> _Either:
        """The memory of a scope; finds an owner, or becomes it, if there is none. A dropped scope
        is replaced as soon as somebody has made it again."""
        known = self._scopes.get(name)
        if known is not None and not _dropped(known):  # without the lock, so that calls do not wait
            return known
        with self._lock:
            if self._closed:
                raise ClosedError("this memory was closed: reach it again")
            if self._found is None:
                found = self._found = self._find()
                self._scopes[found.name] = found
                if isinstance(found, Attached) and self._loading is None:
                    # Importing what opening needs takes several times as long as opening.
                    self._loading = Timer(_SETTLED, import_module, ("graphmem.api.opening",))
                    self._loading.daemon = True
                    self._loading.start()
            known = self._scopes.get(name)
            if known is None or (_dropped(known) and name in known.scopes.names()):
                known = self._scopes[name] = self._found.scopes.open(name)
            return known

    @property
    def owner_pid(self) -> int:
        """The process that has the folder open; finds it, or becomes it, if there is none."""
        memory = self.scope(self._first)
        return memory.owner_pid if isinstance(memory, Attached) else os.getpid()

    def release(self, gone: _Either) -> None:
        """Look for an owner at the next call, unless another thread has done so meanwhile."""
        with self._lock:
            if gone in self._scopes.values():
                self._close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._loading is not None:
                self._loading.cancel()
            self._close()

    def _close(self) -> None:
        found, self._found, self._scopes = self._found, None, {}
        if found is not None:
            found.close()


class Reached(Client[_Reaching]):
    """A memory that several programs share, as `Memory` shows it; made by `graphmem.reach`.

    It returns and raises what `Memory` and `Attached` do. If the owner ends during a call, the call
    is repeated where that does no harm: one that only reads, a recall, or one that is declared
    idempotent, such as `pin`. Any other raises OwnerGoneError, for it may have been done; the next
    call finds the folder open again. A listing whose owner ends half-way raises OwnerGoneError too.

    Any number of threads may use it.
    """

    def _do(self, call: Call) -> Any:
        verb = call.verb
        in_parts = verb.writes and verb.name in IN_PARTS
        sent = call if in_parts else repeatable(call)
        repeats = verb.idempotent or verb.name in _REPEATED  # also if it may have been done already
        for left in reversed(range(_MOST_OWNERS)):
            memory = self._access.scope(self._name)
            try:
                return sent.done(memory)
            except OwnerGoneError as gone:
                self._access.release(memory)
                if not (repeats and left):
                    raise OwnerGoneError(_maybe_done(verb.name, memory)) from gone
            except NotOpenError as gone:  # so nothing was done, unless a part was
                self._access.release(memory)
                if in_parts:
                    raise OwnerGoneError(_maybe_done(verb.name, memory)) from gone
                if not left:
                    raise
        raise AssertionError  # the last try returns or raises


def _dropped(memory: _Either) -> bool:
    return not isinstance(memory, Attached) and memory._opened.scope.dropped


def _maybe_done(verb: str, memory: _Either) -> str:
    pid = memory.owner_pid if isinstance(memory, Attached) else os.getpid()
    return (
        f"process {pid}, which had {memory.path} open, has gone while it did {verb}(), which may "
        "or may not have been done: look before you call it again; the next call finds the folder "
        "open"
    )
