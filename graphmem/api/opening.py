"""Opening the memory in a folder, and serving it to other processes."""

from __future__ import annotations

import os
from random import Random
from typing import Any

from graphmem.api.attached import served
from graphmem.api.events import OnEvent, observed
from graphmem.api.memory import Memory
from graphmem.attaching.listener import Listener
from graphmem.errors import UnknownScopeError
from graphmem.remembering import drafts
from graphmem.runtime.database import Clock, Database, system_clock
from graphmem.runtime.open_scope import OpenScope, open_scope
from graphmem.services.embedder import Embedder
from graphmem.settings import Settings


def open(
    path: str | os.PathLike[str] | None = None,
    *,
    scope: str = "default",
    read_only: bool = False,
    clock: Clock = system_clock,
    random: Random | None = None,
    embedder: Embedder | None = None,
    on_event: OnEvent | None = None,
    **settings: Any,
) -> Memory:
    """Open the memory in a folder, or make it; one process has it open at a time.

    path: the folder; its parent must exist. None keeps everything in this process's memory only.
    scope: the name of the memory within the folder.
    read_only: refuse to write. The folder must be writable all the same, and is owned all the
        same: LevelDB writes when it opens.
    clock: gives the present as an aware datetime, in whose zone a cue's "yesterday" is meant.
    random: for sampling, in tests.
    embedder: what makes vectors instead of the setting `vectors`; see `graphmem.Embedder`.
    on_event: called with a `graphmem.Event` when a call of this memory has ended, also one that a
        client sent, in the thread that made it. What it raises is logged.
    settings: the fields of `Settings` (see `graphmem.Settings.table()`), such as max_bytes.

    Raises AlreadyOpenError when another process, or this one, has the folder open,
    NotAStoreError, MissingError, NewerFormatError, ReadOnlyFolderError, UnknownScopeError (read
    only), MissingExtraError, InvalidArgumentError, StorageError.
    """
    drafts.check_moment("clock()", clock())
    database = Database(
        path,
        Settings.read(settings),
        read_only=read_only,
        clock=clock,
        random=random or Random(),
        embedder=embedder,
    )
    kind = Memory if on_event is None else observed(Memory, on_event)
    try:
        memory = kind(open_scope(database, scope), {})
        if database.path is not None and database.settings.attachable:
            database.listener = listener(memory)
            database.listener.start()
        return memory
    except BaseException:
        database.close()
        raise


def listener(memory: Memory) -> Listener:
    """The listener that serves clients of an open folder; it is not started yet."""

    def of_scope(name: str | None) -> Memory:
        if name is None:
            return memory
        if (opened := memory._memories.get(name)) is not None:
            return opened
        if name not in memory.scopes():
            raise UnknownScopeError(f"there is no scope {name!r:.80} any more; scope() makes it")
        return memory.scope(name)

    assert memory.path is not None
    return Listener(memory.path, served(), of_scope)


def rooms(memory: Memory) -> OpenScope:
    """What works on the scope of a memory: for tests and measurements of what lies below the verbs.

    It is no part of the interface and may change with any version.
    """
    return memory._opened
