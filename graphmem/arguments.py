"""Arguments: what a user hands to `Memory`, checked, or refused by name."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, UnknownNodeError
from graphmem.graph.records import Node
from graphmem.recalling.ranking import Filter
from graphmem.recalling.recall import Hit
from graphmem.remembering.drafts import check_field, check_moment

NodeLike = Node | Hit | int
"""Anything that names a node: the node, a hit, or its id."""


def node_id(node: object) -> int:
    """The id of what names a node. Raises ArgumentTypeError, UnknownNodeError."""
    if isinstance(node, Node | Hit):
        return node.id
    if isinstance(node, int) and not isinstance(node, bool):
        if 0 <= node < 1 << 64:
            return node
        raise UnknownNodeError(f"there is no node {node}; ids are between 1 and 2⁶⁴ − 1")
    raise ArgumentTypeError(f"a node is a Node, a Hit or an id, got {type(node).__name__}")


def node_ids(nodes: Iterable[NodeLike | Iterable[NodeLike]]) -> list[int]:
    """The ids of nodes, also of those in lists. Raises ArgumentTypeError, UnknownNodeError."""
    return [
        node_id(node)
        for item in nodes
        for node in (item if isinstance(item, Iterable) else (item,))
    ]


def hit_filter(session: object, speaker: object, since: object, until: object) -> Filter:
    """What a hit must be. Raises ArgumentTypeError, InvalidArgumentError."""
    return Filter(
        wanted("session", session),
        wanted("speaker", speaker),
        check_moment("since", since),
        check_moment("until", until),
    )


def wanted(name: str, value: object) -> str | None:
    """What is looked for, None for anything. Raises ArgumentTypeError, InvalidArgumentError."""
    found = check_field(name, value)
    if found is None and value is not None:
        raise InvalidArgumentError(f"{name} is blank; leave it out, or give None, to ask for any")
    return found


def relation_list(given: object) -> tuple[str, ...]:
    """The relations to follow. Raises ArgumentTypeError."""
    if isinstance(given, Iterable) and not isinstance(given, str):
        named = tuple(given)
        if all(isinstance(name, str) for name in named):
            return named
    raise ArgumentTypeError("relations is a list of str, such as ['focus']")


def scope_name(name: object) -> str:
    """The name of a scope, whose length the scopes check. Raises ArgumentTypeError."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"a scope's name is a str, got {type(name).__name__}")
    return name


def switch(name: str, value: object) -> bool:
    """True or False; "no" would count as True. Raises ArgumentTypeError."""
    if not isinstance(value, bool):
        raise ArgumentTypeError(f"{name} is True or False, got {type(value).__name__}")
    return value


def check_count(name: str, value: object, low: int, high: int) -> None:
    """Raise ArgumentTypeError, InvalidArgumentError unless it is a whole number in the range."""
    if not isinstance(value, int):
        raise ArgumentTypeError(f"{name} is a whole number, got {type(value).__name__}")
    check_range(name, value, low, high)


def check_range(name: str, value: object, low: float, high: float) -> None:
    """Raise ArgumentTypeError, InvalidArgumentError unless it is a number in the range."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(f"{name} is a number, got {type(value).__name__}")
    if not low <= value <= high:
        raise InvalidArgumentError(f"{name} is between {low:,} and {high:,}, got {value!r}")
