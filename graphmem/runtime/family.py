"""The family of a scope: the parents whose shared memories it recalls, and whose pools it uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graphmem.errors import InvalidArgumentError, UnknownScopeError
from graphmem.hexastore import scopes
from graphmem.recalling.merging import merged
from graphmem.recalling.question import Question
from graphmem.recalling.where import unknown_fields
from graphmem.runtime.open_scope import OpenScope
from graphmem.sharing.parents import (
    GLOBAL,
    NAMESPACE,
    PARENTS,
    Declared,
    check_parent,
    declared,
    direct,
    disowned,
    number_of,
)
from graphmem.sharing.parents import above as parents_above
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem.values.recall import Recall

if TYPE_CHECKING:
    from graphmem.sharing.pool import Pool


class Family:
    """The parents of one open scope."""

    def __init__(self, opened: OpenScope, find: Callable[[str], OpenScope]) -> None:
        """find: opens an existing scope of the same folder by name."""
        self._opened = opened
        self._find = find
        self._store = opened.store

    def declare(self, parents: Sequence[str] | None, pools: str | None) -> None:
        """Set the parents, and the scope whose pools are used; None leaves each as it is.

        Raises UnknownScopeError, InvalidArgumentError; nothing is changed then.
        """
        scope = self._opened.scope
        with self._store.writing:  # so that no two scopes become each other's parent
            declaration = declared(self._store, scope.id)
            value = _checked(self._store, scope.name, declaration, parents, pools)
            if value != declaration:
                self._opened.items.put(NAMESPACE, PARENTS, value)

    def check_new(self, name: str, parents: Sequence[str] | None, pools: str | None) -> None:
        """Raise what `declare` would raise for a scope that does not exist yet."""
        _checked(self._store, name, {"parents": [], "pools": None}, parents, pools)

    def has(self, name: str) -> bool:
        """Whether the folder has a scope of kind memory with this name."""
        number = number_of(self._store, name)
        return number is not None and _is_memory(self._store, number)

    def ancestors(self) -> list[OpenScope]:
        """The scopes that this one recalls from, the nearest first, "global" last."""
        name = self._opened.scope.name
        above = parents_above(self._store, self._opened.scope)
        found = {parent: self._find(parent) for parent in above.there if parent != name}
        if GLOBAL not in (name, *found) and self.has(GLOBAL):
            found[GLOBAL] = self._find(GLOBAL)
        return list(found.values())

    def children(self, name: str) -> list[str]:
        """The names of the scopes that have the named one as a parent."""
        with self._store.snapshot() as snapshot:
            return [
                child
                for child, number in scopes.names(snapshot)
                if name in direct(snapshot, declared(snapshot, number))
            ]

    def disowned(self, name: str, number: int) -> list[tuple[OpenScope, Declared]]:
        """The scopes, opened, that name a parent which is dropped, and what they then declare."""
        changed = disowned(self._store, name, number)
        return [(self._find(child), declaration) for child, declaration in changed.items()]

    def recall(self, asked: Question) -> Recall:
        """The hits of the scope, merged with those of the shared memories of its parents."""
        own = _recalled(self._opened, asked)
        above = parents_above(self._store, self._opened.scope)
        if parents := self.ancestors():
            named = [(opened.scope.name, opened) for opened in parents]
            if asked.among is not None:
                named = [(name, opened) for name, opened in named if name in asked.among]
            found = [(name, _recalled(opened, asked.of_parent(name))) for name, opened in named]
            own = merged(asked, own, found)
        if above.dropped:
            own.noted += ("a parent scope was dropped: recalled without it",)
        own.noted += tuple(
            f"the parent scope {name!r} is not here yet: recalled without it"
            for name in dict.fromkeys(above.awaited)
        )
        if asked.only.where is not None and not own:
            with self._opened.reading() as view:
                own.noted += unknown_fields(view, asked.only.where)
        return own

    def pool(self, name: str, by: str = "") -> Pool:
        """A pool as this scope sees it."""
        from graphmem.sharing.pool import Pool

        holder = self._holder()
        return Pool(holder.items, holder.item_store, name, by, child=holder is not self._opened)

    def _holder(self) -> OpenScope:
        """The scope whose items hold the pools of this one."""
        declaration = declared(self._store, self._opened.scope.id)
        there = [*direct(self._store, declaration)]
        holder = declaration["pools"]
        if holder is not None and holder in there:
            return self._find(holder)
        if holder is None and there:
            return Family(self._find(there[0]), self._find)._holder()
        return self._opened


def _checked(
    store: Store, name: str, declaration: Declared, parents: Sequence[str] | None, pools: str | None
) -> Declared:
    """The new declaration of a scope of that name; see `Family.declare`."""
    named = declaration["parents"]
    if parents is not None:
        named = [[parent, number_of(store, parent)] for parent in parents]
        for parent, number in named:
            if parent != name and (number is None or not _is_memory(store, number)):
                known = ", ".join(name for name, _ in scopes.names_of(store, "memory"))
                raise UnknownScopeError(f"there is no scope {parent!r:.80} (there are: {known})")
            check_parent(store, name, parent, number)
    if pools is not None and pools != name and pools not in {p for p, _ in named}:
        raise InvalidArgumentError(
            f"pools is the scope's own name or a parent's, got {pools!r:.80}"
        )
    return {"parents": named, "pools": declaration["pools"] if pools is None else pools}


def _is_memory(reader: Reader | Store, number: int) -> bool:
    return scopes.read_scope(reader, number).kind == "memory"


def _recalled(opened: OpenScope, asked: Question) -> Recall:
    """The hits of one scope, by the mode of the question."""
    if asked.mode != "themes" or asked.only.known_at is not None:
        return opened.recaller.recall(asked)
    from graphmem.runtime import themes  # which most recalls do not need

    return themes.recall(opened, asked)
