"""Opening the memory in a folder, or of a home."""

from __future__ import annotations

import os
from random import Random
from typing import Unpack

from graphmem.api.events import OnEvent
from graphmem.api.memory import Memory, open_over
from graphmem.errors import InvalidArgumentError
from graphmem.runtime.database import Clock, system_clock
from graphmem.runtime.open_scope import OpenScope
from graphmem.services.embedder import Embedder
from graphmem.settings import OpenSettings, Settings


def open(
    path: str | os.PathLike[str] | None = None,
    *,
    scope: str = "default",
    read_only: bool = False,
    clock: Clock = system_clock,
    random: Random | None = None,
    embedder: Embedder | None = None,
    on_event: OnEvent | None = None,
    **settings: Unpack[OpenSettings],
) -> Memory:
    """Open the memory in a folder, or make it; one process has it open at a time.

    path: the folder; its parent must exist. None keeps everything in this process's memory only.
        With the setting `home`, the name of the memory in it: see `graphmem.Home.open`.
    scope: the name of the memory within the folder.
    read_only: refuse to write. The folder is owned all the same, and must be writable unless it is
        kept with LMDB: LevelDB writes when it opens.
    clock: gives the present as an aware datetime, from 1970 on, in whose zone a cue's "yesterday"
        is meant.
    random: for sampling, in tests.
    embedder: what makes vectors instead of the setting `vectors`; see `graphmem.Embedder`.
    on_event: called with a `graphmem.Event` when a call of this memory has ended, also one that a
        client sent, in the thread that made it. What it raises is logged.
    settings: such as max_bytes, and `tuning`: see `graphmem.Settings.table()`.

    Raises AlreadyOpenError when another process, or this one, has the folder open,
    NotAStoreError, MissingError, NewerFormatError, ReadOnlyFolderError, UnknownScopeError (read
    only), MissingExtraError, InvalidArgumentError, StorageError.
    """
    chosen = Settings.read(settings)
    if isinstance(path, str) and "://" in path:
        raise InvalidArgumentError(
            f"{path.partition(':')[0]}://… is a home, not a memory: "
            "graphmem.open(name, home=…), or the variable GRAPHMEM_HOME"
        )
    if path == ":memory:":  # as SQLite has it; here it would be a folder of that name
        raise InvalidArgumentError("graphmem.open(None) keeps a memory in this process only")
    if chosen.home is not None and path is not None:
        from graphmem.api import homes  # which loads a database's client

        return homes.shared(chosen).open(
            path, scope=scope, read_only=read_only, clock=clock, random=random,
            embedder=embedder, on_event=on_event, **settings,
        )  # fmt: skip
    return open_over(
        path, chosen, scope=scope, read_only=read_only, clock=clock, random=random,
        embedder=embedder, on_event=on_event,
    )  # fmt: skip


def rooms(memory: Memory) -> OpenScope:
    """The open scope of a memory: for tests and measurements of the parts below the verbs.

    It is no part of the interface and may change with any version.
    """
    return memory._opened
