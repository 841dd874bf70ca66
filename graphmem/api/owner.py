"""The owner of a folder or an engine: opens the memory, and serves the clients of the folder."""

from __future__ import annotations

# What a first write loads is loaded here: an import that is interrupted leaves Python's lock of the
# module held, and every later call waits for it.
import encodings.cp437  # noqa: F401  of the names in a head's file
import os
import sys
from random import Random
from typing import TYPE_CHECKING

from graphmem.api import arguments  # noqa: F401
from graphmem.api.events import OnEvent, observed
from graphmem.api.memory import Memory
from graphmem.errors import ArgumentTypeError, UnknownScopeError
from graphmem.runtime import conflicts, erasing  # noqa: F401
from graphmem.runtime.database import Clock, Database, MakeEngine
from graphmem.runtime.open_scope import open_scope
from graphmem.services.embedder import Embedder
from graphmem.settings import Settings
from graphmem.values.checks import check_function, check_moment
from graphmem_worker.language import tables

if TYPE_CHECKING:
    from graphmem.attaching.listener import Listener


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
    if not callable(clock):
        raise ArgumentTypeError(f"clock is a function, got {type(clock).__name__}")
    if random is not None and not isinstance(random, Random):
        raise ArgumentTypeError(f"random is a random.Random, got {type(random).__name__}")
    check_moment("clock()", clock())
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
        if database.path is not None and database.settings.attachable:
            import numpy.ma  # noqa: F401  `np.unique` would: interrupted there, a thread hangs

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
        if name not in memory.scopes.names():
            raise UnknownScopeError(
                f"there is no scope {name!r:.80} any more; scopes.open() makes it"
            )
        return memory.scopes.open(name)

    def verb(name: str) -> Served | None:
        from graphmem.api.attached import served  # takes as long to load as all else: few need it

        return served().get(name)

    assert memory.path is not None
    return Listener(memory.path, verb, of_scope)
