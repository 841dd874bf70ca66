"""Memory: the one object that a user holds, a scope of an open folder; how it is opened over a
folder or an engine, and served to the clients of the folder."""

from __future__ import annotations

# Modules for the first write are imported here: an interrupted import leaves Python's lock of the
# module held, and every later call would wait for it.
import encodings.cp437  # noqa: F401  of the names in a head's file
import os
import sys
from random import Random
from typing import TYPE_CHECKING

from graphmem.api import arguments  # noqa: F401
from graphmem.api.events import OnEvent, observed
from graphmem.api.verbs import Verbs
from graphmem.declaring import refuses
from graphmem.errors import ArgumentTypeError, UnknownScopeError
from graphmem.runtime import erasing, resolving  # noqa: F401
from graphmem.runtime.database import Clock, Database, MakeEngine
from graphmem.runtime.family import Family
from graphmem.runtime.open_scope import OpenScope, open_scope
from graphmem.services.embedder import Embedder
from graphmem.settings import Settings
from graphmem.values.checks import check_function, checked_clock
from graphmem_worker.language import tables

if TYPE_CHECKING:
    from graphmem.attaching.listener import Listener


@refuses(lambda memory, name: memory._opened.store.require_no_block(f"{name}()"))
class Memory(Verbs):
    """One scope of an open folder: remembers texts, recalls them, and forgets to make room.

    Made by `graphmem.open`. Any number of threads may use it; one writes at a time, and readers
    never wait. Use it in a `with` block, or `close()` it.

        with graphmem.open("agent-memory") as memory:
            memory.remember("Wen moved the release from May 3 to May 10.", speaker="Wen")
            found = memory.recall("When is the release?", tokens=200)
            print(found.text)
            memory.used(found[0])

    docs/verbs.md lists all verbs, `Verbs` has the contract of each. Every method raises ClosedError
    after `close`, ForkedError in a forked child, and StorageError when the disk fails; all errors
    are GraphMemErrors, and in `graphmem.errors`.
    """

    def __init__(self, opened: OpenScope, memories: dict[str, Memory]) -> None:
        """Use `graphmem.open`. memories: those of the folder's scopes that are open, by name."""
        self._opened = opened
        self._memories = memories
        self._is_first = not memories  # the one that `open` returned, with which all are closed
        self._family = Family(opened, lambda name: self._of(name)._opened)
        memories[opened.scope.name] = self

    def _of(self, name: str) -> Memory:
        """The one Memory of a scope of the folder; the scope is made if it is not there."""
        if (known := self._memories.get(name)) is not None:
            return known  # without the lock, so that a transaction need not wait
        database = self._opened.database
        database.store.require_no_block(f"opening the scope {name!r}")
        with database.lock:
            if (known := self._memories.get(name)) is not None:
                return known
            return type(self)(open_scope(database, name), self._memories)

    def _let_go(self, name: str) -> None:
        """End the jobs of the memory of a scope that is dropped."""
        if (dropped := self._memories.pop(name, None)) is not None:
            dropped._opened.jobs.end_dropped()

    def close(self) -> None:
        if self._is_first:
            self._opened.database.close()

    def __repr__(self) -> str:
        return f"<Memory {self.name!r} in {self.path or 'memory only'}>"


def open_over(
    path: str | os.PathLike[str] | None,
    settings: Settings,
    *,
    scope: str,
    read_only: bool,
    clock: Clock,
    random: Random | None = None,
    embedder: Embedder | None = None,
    on_event: OnEvent | None = None,
    make_engine: MakeEngine | None = None,
) -> Memory:
    """Open a memory over a folder, or over what `make_engine` makes for one that has a home; the
    others: see `graphmem.open`."""
    check_function("on_event", on_event)
    if random is not None and not isinstance(random, Random):
        raise ArgumentTypeError(f"random is a random.Random, got {type(random).__name__}")
    clock = checked_clock(clock)
    if not sys.dont_write_bytecode:
        tables.keep()
    database = Database(
        path,
        settings,
        read_only=read_only,
        clock=clock,
        random=random or Random(),
        embedder=embedder,
        make_engine=make_engine,
    )
    kind = Memory if on_event is None else observed(Memory, on_event)
    try:
        memory = kind(open_scope(database, scope), {})
        # The first write would import it; see above.
        import graphmem_worker.kinds  # noqa: F401

        if database.path is not None and database.settings.attachable:
            import numpy.ma  # noqa: F401  `np.unique` would

            database.listener = listener(memory)
            database.listener.start()
        return memory
    except BaseException:
        database.close()
        raise


def listener(memory: Memory) -> Listener:
    """The listener that serves clients of an open folder; it is not started yet."""
    from graphmem.attaching.listener import Listener, Served

    def of_scope(name: str | None) -> Memory:
        if name is None:
            return memory
        if (opened := memory._memories.get(name)) is not None:
            return opened
        if not memory._family.has(name):
            raise UnknownScopeError(
                f"there is no scope {name!r:.80} any more; scopes.open() makes it"
            )
        return memory.scopes.open(name)

    def verb(name: str) -> Served | None:
        from graphmem.api.attached import served  # takes as long to load as all else: few need it

        return served().get(name)

    assert memory.path is not None
    return Listener(memory.path, verb, of_scope)
