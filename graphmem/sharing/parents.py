"""What a scope says of its parents: an item of it, in the folder and in a file of it."""

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
"""The scope that is the last parent of every other one of its folder."""
PARENTS: Final = "parents"
"""The item that names the parents with their numbers, so that a later scope of a dropped one's name
is not taken for it, and says whose pools are used."""


class Declared(TypedDict):
    """The value of that item."""

    parents: list[list[Any]]
    """Name, and number of the scope; None: came with an import before its parent did, and is
    whichever scope gets the name."""
    pools: str | None


class Above(NamedTuple):
    """All parents of a scope, direct and indirect."""

    there: dict[str, int]  # name → number, the nearest first
    dropped: list[str]
    awaited: list[str]  # that were imported without them


def declared(reader: Reader | Store, scope: int) -> Declared:
    """What the scope of a number says of its parents and pools."""
    item = item_at(reader, scope, NAMESPACE, PARENTS)
    if item is None:
        return {"parents": [], "pools": None}
    return {"parents": item.value["parents"], "pools": item.value["pools"]}


def number_of(reader: Reader | Store | Transaction, name: str) -> int | None:
    """The number of the scope of that name, if there is one."""
    found = reader.get(keys.SCOPE_TABLE + name.encode(errors="surrogatepass"))
    return None if found is None else scopes.read_number(found)


def direct(reader: Reader | Store, said: Declared) -> dict[str, int]:
    """The parents that are there, by name, with their numbers."""
    named = [(name, number, number_of(reader, name)) for name, number in said["parents"]]
    return {name: is_ for name, was, is_ in named if is_ is not None and was in (None, is_)}


def above(reader: Reader | Store, scope: Scope) -> Above:
    """All parents of a scope."""
    found = Above({}, [], [])
    ahead = [scope]
    for member in ahead:  # which grows
        said = declared(reader, member.id)
        there = direct(reader, said)
        for name, number in said["parents"]:
            if name not in there:
                (found.awaited if number is None else found.dropped).append(name)
            elif name not in found.there:
                found.there[name] = there[name]
                ahead.append(scopes.read_scope(reader, there[name]))
    return found


def check_parent(reader: Reader | Store, name: str, parent: str, number: int | None) -> None:
    """Raise InvalidArgumentError if `name` would be above itself by this parent; number: None if
    there is none of that name."""
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
    """An item as it goes into a file: numbers are those of this folder only, so parents go by name,
    and those that were dropped stay behind."""
    if (item.namespace, item.key) != (NAMESPACE, PARENTS):
        return item
    there = direct(reader, item.value)
    kept = [[n, None] for n, was in item.value["parents"] if n in there or was is None]
    return replace(item, value=item.value | {"parents": kept})


def imported(reader: Reader, name: str, item: Item) -> Item:
    """An item of a file for the scope `name`, its parents those that have their names here. Raises
    InvalidArgumentError for a circle."""
    if (item.namespace, item.key) != (NAMESPACE, PARENTS):
        return item
    named = [[parent, number_of(reader, parent)] for parent, _ in item.value["parents"]]
    for parent, number in named:
        check_parent(reader, name, parent, number)
    return replace(item, value=item.value | {"parents": named})
