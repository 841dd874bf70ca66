"""The family of a scope: the parents whose shared memories it recalls, and whose pools it uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict

from graphmem.errors import InvalidArgumentError, UnknownScopeError
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.scopes import Scope
from graphmem.recalling.merging import merged
from graphmem.recalling.question import Question
from graphmem.recalling.where import unknown_fields
from graphmem.runtime.open_scope import OpenScope
from graphmem.sharing.item_records import item_at
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem.values.recall import Recall

if TYPE_CHECKING:
    from graphmem.sharing.pool import Pool

GLOBAL: Final = "global"
"""The name of the scope that is the last parent of every other one of its folder."""

NAMESPACE: Final = "graphmem:scope"
_PARENTS: Final = "parents"
"""The item that names the parents with their numbers, so that a later scope of a dropped one's name
is not taken for it, and says whose pools are used."""


class Family:
    """The parents of one open scope."""

    def __init__(self, opened: OpenScope, find: Callable[[str], OpenScope]) -> None:
        """find: opens a scope of the same folder that is there."""
        self._opened = opened
        self._find = find
        self._store = opened.store

    def declare(self, parents: Sequence[str] | None, pools: str | None) -> None:
        """Say who the parents are, and whose pools are used; None leaves it as it was.

        Raises UnknownScopeError, InvalidArgumentError; nothing is changed then.
        """
        scope = self._opened.scope
        with self._store.writing:  # so that no two scopes become each other's parent
            said = _declared(self._store, scope)
            value = _checked(self._store, scope.name, said, parents, pools)
            if value != said:
                self._opened.items.put(NAMESPACE, _PARENTS, value)

    def check_new(self, name: str, parents: Sequence[str] | None, pools: str | None) -> None:
        """Raise what `declare` would raise for a scope of the folder that is not made yet."""
        _checked(self._store, name, {"parents": [], "pools": None}, parents, pools)

    def has(self, name: str) -> bool:
        """Whether the folder has a memory's scope of this name."""
        number = _number(self._store, name)
        return number is not None and _is_memory(self._store, number)

    def ancestors(self, above: _Above | None = None) -> list[OpenScope]:
        """The scopes that this one recalls from, the nearest first, "global" last. above: what its
        parents are, if that is known."""
        name = self._opened.scope.name
        above = above or _above(self._store, self._opened.scope)
        found = {parent: self._find(parent) for parent in above.there if parent != name}
        if GLOBAL not in (name, *found) and self.has(GLOBAL):
            found[GLOBAL] = self._find(GLOBAL)
        return list(found.values())

    def children(self, name: str) -> list[str]:
        """The names of the scopes that have the named one as a parent."""
        with self._store.snapshot() as snapshot:
            return [
                scope.name
                for scope in scopes.all_of(snapshot, "memory")
                if [name, _number(snapshot, name)] in _declared(snapshot, scope)["parents"]
            ]

    def recall(self, asked: Question) -> Recall:
        """The hits of the scope and of what its parents share."""
        own = _recalled(self._opened, asked)
        above = _above(self._store, self._opened.scope)
        if parents := self.ancestors(above):
            named = [(opened.scope.name, opened) for opened in parents]
            if asked.among is not None:
                named = [(name, opened) for name, opened in named if name in asked.among]
            found = [(name, _recalled(opened, asked.of_parent(name))) for name, opened in named]
            own = merged(asked, own, found)
        if above.dropped:
            own.noted += tuple(
                f"the parent scope {name!r} was dropped: recalled without it"
                for name in dict.fromkeys(above.dropped)
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
        said = _declared(self._store, self._opened.scope)
        there = [name for name, number in said["parents"] if _number(self._store, name) == number]
        holder = said["pools"]
        if holder is not None and holder in there:
            return self._find(holder)
        if holder is None and there:
            return Family(self._find(there[0]), self._find)._holder()
        return self._opened


class _Declared(TypedDict):
    parents: list[list[Any]]  # name, number of the scope
    pools: str | None


def _declared(reader: Reader | Store, scope: Scope) -> _Declared:
    """What a scope's item says of its parents and pools."""
    item = item_at(reader, scope, NAMESPACE, _PARENTS)
    if item is None:
        return {"parents": [], "pools": None}
    return {"parents": item.value["parents"], "pools": item.value["pools"]}


def _checked(
    store: Store, name: str, said: _Declared, parents: Sequence[str] | None, pools: str | None
) -> _Declared:
    """What a scope of that name says of its parents and pools from now on: see `declare`."""
    named = said["parents"]
    if parents is not None:
        named = [[parent, _number(store, parent)] for parent in parents]
    for parent, number in named:
        if parent == name:
            there: Iterable[str] = (name,)
        elif number is None or not _is_memory(store, number):
            known = ", ".join(name for name, _ in scopes.names_of(store, "memory"))
            raise UnknownScopeError(f"there is no scope {parent!r:.80} (there are: {known})")
        else:
            there = _above(store, scopes.read_scope(store, number)).there
        if name in there:
            raise InvalidArgumentError(
                f"{parent!r} cannot be a parent of {name!r}: {name!r} is the same scope "
                "or one of its parents; choose another parent"
            )
    if pools is not None and pools != name and pools not in {p for p, _ in named}:
        raise InvalidArgumentError(
            f"pools is the scope's own name or a parent's, got {pools!r:.80}"
        )
    return {"parents": named, "pools": said["pools"] if pools is None else pools}


class _Above(NamedTuple):
    there: dict[str, int]  # name → number, the nearest first
    dropped: list[str]


def _above(reader: Reader | Store, scope: Scope) -> _Above:
    """All parents of a scope, direct and indirect, and the names of those that are not there any
    more."""
    found = _Above({}, [])
    ahead = [scope]
    for member in ahead:  # which grows
        for name, number in _declared(reader, member)["parents"]:
            if _number(reader, name) != number:
                found.dropped.append(name)
            elif name not in found.there:
                found.there[name] = number
                ahead.append(scopes.read_scope(reader, number))
    return found


def _is_memory(reader: Reader | Store, number: int) -> bool:
    return scopes.read_scope(reader, number).kind == "memory"


def _number(reader: Reader | Store, name: str) -> int | None:
    found = reader.get(keys.SCOPE_TABLE + name.encode(errors="surrogatepass"))
    return None if found is None else int.from_bytes(found, "big")


def _recalled(opened: OpenScope, asked: Question) -> Recall:
    """The hits of one scope, by the rule of the cue's mode."""
    if asked.mode != "themes" or asked.only.known_at is not None:
        return opened.recaller.recall(asked)
    from graphmem.runtime import themes  # which most recalls never need

    return themes.recall(opened, asked)
