"""The parents of a scope: the item that declares them, in a folder and in an exported file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple, TypedDict

from graphmem.errors import InvalidArgumentError
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.sharing.item_records import item_at
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem.values.items import Item

NAMESPACE: Final = "graphmem:scope"
GLOBAL: Final = "global"
"""The scope that is the last parent of all others in its folder."""
PARENTS: Final = "parents"
"""The item with the names and numbers of the parents, and whose pools are used. By the number, a
later scope with the name of a dropped one is not mistaken for it."""


class Declared(TypedDict):
    """The value of the item `PARENTS`."""

    parents: list[list[Any]]
    """Name and number of each; None: imported before its parent, the next scope of that name. One
    that was dropped has the name ""."""
    pools: str | None


class Above(NamedTuple):
    """All parents of a scope, direct and indirect."""

    there: dict[str, int]  # name → number, the nearest first
    dropped: list[str]
    awaited: list[str]  # names of parents that were not imported yet


def declared(reader: Reader | Store, scope: int) -> Declared:
    """The parents and pools that the scope with a number declares."""
    item = item_at(reader, scope, NAMESPACE, PARENTS)
    if item is None:
        return {"parents": [], "pools": None}
    return {"parents": item.value["parents"], "pools": item.value["pools"]}


def number_of(reader: Reader | Store | Transaction, name: str) -> int | None:
    """The number of the scope with a name; None if there is none."""
    found = reader.get(keys.SCOPE_TABLE + name.encode(errors="surrogatepass"))
    return None if found is None else scopes.read_number(found)


def direct(reader: Reader | Store, declaration: Declared) -> dict[str, int]:
    """The numbers of the declared parents that exist, by name."""
    found = [(name, number, number_of(reader, name)) for name, number in declaration["parents"]]
    return {name: now for name, then, now in found if now is not None and then in (None, now)}


def above(reader: Reader | Store, scope: Scope) -> Above:
    """All parents of a scope."""
    found = Above({}, [], [])
    ahead = [scope]
    for member in ahead:  # grows meanwhile
        declaration = declared(reader, member.id)
        there = direct(reader, declaration)
        for name, number in declaration["parents"]:
            if name not in there:
                (found.awaited if number is None else found.dropped).append(name)
            elif name not in found.there:
                found.there[name] = there[name]
                ahead.append(scopes.read_scope(reader, there[name]))
    return found


def disowned(reader: Reader | Store, name: str, number: int) -> dict[str, Declared]:
    """What scopes declare, by name, once the scope with this name and number is dropped: without
    the names of dropped parents. Only those whose declarations change."""
    found: dict[str, Declared] = {}
    for child, identifier in scopes.names(reader):
        declaration = declared(reader, identifier)
        there = direct(reader, declaration)
        before = declaration["parents"]
        gone = {p for p, then in before if p == name or (then is not None and p not in there)}
        if gone := gone - {""}:
            parents = [
                ["", number if then is None else then] if parent in gone else [parent, then]
                for parent, then in before
            ]
            pools = child if declaration["pools"] in gone else declaration["pools"]
            found[child] = {"parents": parents, "pools": pools}
    return found


def check_parent(reader: Reader | Store, name: str, parent: str, number: int | None) -> None:
    """Raise InvalidArgumentError if this parent would make `name` its own ancestor. number: that of
    the parent, None if it does not exist."""
    if name == GLOBAL:
        raise InvalidArgumentError(f"{name!r} is a parent of all scopes and can have none")
    if number is not None:
        found = above(reader, scopes.read_scope(reader, number))
    if parent == name or (number is not None and name in (*found.there, *found.awaited)):
        raise InvalidArgumentError(
            f"{parent!r} cannot be a parent of {name!r}: {name!r} is the same scope "
            "or one of its parents; choose another parent"
        )


def exported(reader: Reader, item: Item) -> Item:
    """An item for export, without numbers (valid in this folder only) or dropped parents."""
    if (item.namespace, item.key) != (NAMESPACE, PARENTS):
        return item
    there = direct(reader, item.value)
    kept = [[n, None] for n, number in item.value["parents"] if n in there or number is None]
    return replace(item, value=item.value | {"parents": kept})


def imported(reader: Reader, name: str, item: Item) -> Item:
    """An item of a file for the scope `name`, with the numbers that its parents have here. Raises
    InvalidArgumentError for a cycle."""
    if (item.namespace, item.key) != (NAMESPACE, PARENTS):
        return item
    named = [[parent, number_of(reader, parent)] for parent, _ in item.value["parents"]]
    for parent, number in named:
        check_parent(reader, name, parent, number)
    return replace(item, value=item.value | {"parents": named})
