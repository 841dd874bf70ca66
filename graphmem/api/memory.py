"""Memory: the one object that a user holds, a scope of an open folder."""

from __future__ import annotations

from graphmem.api.verbs import Verbs
from graphmem.declaring import refuses
from graphmem.runtime.family import Family
from graphmem.runtime.open_scope import OpenScope, open_scope


@refuses(lambda memory, name: memory._opened.store.require_no_block(f"{name}()"))
class Memory(Verbs):
    """One scope of an open folder: remembers texts, recalls them, and forgets where room is needed.

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
            return known  # without the lock, so that a transaction waits for nobody
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
