"""Scopes: the other memories of a folder; `memory.scopes`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar, cast

from graphmem.api import arguments
from graphmem.api.nouns import Noun, require_no_block
from graphmem.declaring import refuses, verb
from graphmem.errors import InvalidArgumentError
from graphmem.hexastore import scopes
from graphmem.hexastore.transaction import Together
from graphmem.runtime.open_scope import OpenScope
from graphmem.sharing.parents import NAMESPACE, PARENTS

_Memory = TypeVar("_Memory")


@refuses(require_no_block)
class Scopes(Noun, Generic[_Memory]):
    """The memories of the folder, by name, and whose memories this one sees."""

    def __init__(self, opened: OpenScope, memory: Any) -> None:
        """memory: that of the scope, which opens those of others."""
        super().__init__(opened)
        self._memory = memory

    @verb(writes=True, idempotent=True, command="open", joins=True)
    def open(
        self, name: str, *, parents: Iterable[str] | None = None, pools: str | None = None
    ) -> _Memory:
        """The memory of another scope of the folder; it is created if it does not exist.

        It shares the folder, worker and settings, and is closed with the memory that was opened.

        parents: names of existing scopes. `recall` and `context` of the scope also return what its
            parents, and their parents, remembered with `shared=True`; `hit.scope` names the scope
            of a hit. A parent's memories are never changed or counted as used. None leaves the
            parents as they were; () removes them. What the scope "global" shares is visible in all
            scopes of the folder.
        pools: the scope whose pools `pool` and `context` use: this scope or one of its parents.
            None leaves it as it was; at first it is the first parent.

        Raises ArgumentTypeError; InvalidArgumentError for an invalid name and for a circle of
        parents; UnknownScopeError if a parent does not exist.
        """
        arguments.scope_name(name)
        named = None if parents is None else arguments.scope_names(parents)
        used = None if pools is None else arguments.scope_name(pools)
        if not self._memory._family.has(name):
            self._memory._family.check_new(name, named, used)
        memory = self._memory._of(name)
        if named is not None or used is not None:
            memory._family.declare(named, used)
        return cast(_Memory, memory)

    @verb(command="names", joins=True)
    def names(self) -> list[str]:
        """The names of the folder's scopes. Only memories are listed, not its RDF graphs."""
        with self._opened.store.snapshot() as snapshot:
            return [name for name, _ in scopes.names_of(snapshot, "memory")]

    @verb(command="parents", joins=True)
    def parents(self) -> list[str]:
        """The names of the scopes that this one recalls from, the nearest first."""
        return [opened.scope.name for opened in self._memory._family.ancestors()]

    @verb(writes=True, command="drop")
    def drop(self, name: str) -> list[str]:
        """Delete a scope with everything in it. Any Memory of it then raises UnknownScopeError.

        Returns the names of the scopes that had it as a parent. They lose that parent; their
        recalls say so in `.notes` until `open` sets their parents anew.

        Raises UnknownScopeError; InvalidArgumentError for this memory's own scope; and like
        `compact` if the scope is deleted but its bytes are still in the files.
        """
        if arguments.scope_name(name) == self._name:
            raise InvalidArgumentError(f"a memory cannot drop its own scope ({name!r})")
        family = self._memory._family
        children: list[str] = family.children(name)
        family.disowned(name, 0)  # opens them, which the lock does not allow
        database = self._opened.database
        store = database.store
        with database.lock, Together(store, None):
            number = scopes.mark_dropped(store, name)
            erased = {number}
            for child, declaration in family.disowned(name, number):
                child.items.put(NAMESPACE, PARENTS, declaration)
                store.commit(dict([scopes.erasing(store, child.scope.id)]), joins=True)
                erased.add(child.scope.id)
            self._memory._let_go(name)
        database.erase_dropped(erased, name)
        return children
