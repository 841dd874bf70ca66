"""Identifiers: the ids of nodes that a user gave as nodes, hits or ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from graphmem.errors import ArgumentTypeError, UnknownNodeError
from graphmem.values.hits import Hit, NodeLike
from graphmem.values.nodes import Node, ScopedId


def node_id(node: object, scope: str = "") -> int:
    """The id of a node of `scope`, given as a Node, a Hit, an id or, from another process, as
    {"node", "scope"}. Raises ArgumentTypeError, UnknownNodeError."""
    if isinstance(node, Mapping) and {*node} == {"node", "scope"}:
        return _own(node_id(node["node"], scope), node["scope"], scope)
    number = int(node.id) if isinstance(node, Node | Hit) else node
    if isinstance(number, int) and not isinstance(number, bool):
        if 0 <= number < 1 << 64:
            return _own(int(number), _scope_of(node) if scope else "", scope)
        raise UnknownNodeError(f"there is no node {number}; ids are between 1 and 2⁶⁴ − 1")
    got = type(node).__name__
    if isinstance(node, Sequence) and not isinstance(node, str | bytes):
        got += "; give one of them, such as the first: [0]" if node else " of none"
    raise ArgumentTypeError(f"a node is a Node, a Hit or an id, got {got}")


def _own(identifier: int, its_scope: object, scope: str) -> int:
    """`identifier`; raises UnknownNodeError if `its_scope`, "" for unknown, is another."""
    if its_scope not in ("", scope):
        raise UnknownNodeError(
            f"node {identifier} belongs to scope {its_scope!r:.80}, not to {scope!r}: open that "
            f"scope (memory.scopes.open({its_scope!r:.80})) to change it or to ask for it"
        )
    return identifier


def node_ids(nodes: Iterable[NodeLike | Iterable[NodeLike]], scope: str) -> list[int]:
    """The ids of nodes of `scope`; a list of nodes may contain lists of nodes.

    Raises ArgumentTypeError; UnknownNodeError, also for a node of another scope.
    """
    return [node_id(node, scope) for node in _each(nodes)]


def own_ids(nodes: Iterable[NodeLike | Iterable[NodeLike]], scope: str) -> list[int]:
    """Like `node_ids`, but nodes of other scopes are skipped."""
    return [node_id(node, scope) for node in _each(nodes) if _scope_of(node) in ("", scope)]


def _is_list(nodes: object) -> TypeGuard[Iterable[object]]:
    """Whether an argument may be several nodes: bytes would be taken for the ids that they hold."""
    return isinstance(nodes, Iterable) and not isinstance(
        nodes, str | bytes | bytearray | memoryview | Mapping
    )


def _each(nodes: object) -> Iterator[object]:
    if not _is_list(nodes):
        raise ArgumentTypeError(
            f"nodes are given as a list, such as [12, 17], not as {type(nodes).__name__}"
        )
    for item in nodes:
        for node in item if _is_list(item) else (item,):
            if _is_list(node):
                raise ArgumentTypeError("lists of nodes lie too deep: give them in one list")
            yield node


def among_of(
    nodes: object, scope: str, argument: str = "among"
) -> dict[str, frozenset[int]] | None:
    """The ids of nodes by the name of their scope, "" for `scope` itself; None if `nodes` is None.

    Raises ArgumentTypeError, UnknownNodeError.
    """
    if nodes is None:
        return None
    if not _is_list(nodes):
        raise ArgumentTypeError(
            f"{argument} is nodes, hits or ids, such as [12, 17], got {type(nodes).__name__}"
        )
    found: dict[str, set[int]] = {"": set()}
    for node in nodes:
        name = _scope_of(node)
        name = "" if name == scope else str(name)
        found.setdefault(name, set()).add(node_id(node, name or scope))
    return {name: frozenset(ids) for name, ids in found.items()}


def _scope_of(node: object) -> object:
    if isinstance(node, Mapping):
        return node.get("scope", "")
    if isinstance(node, Hit):
        return node.scope or node.node.scope
    return node.scope if isinstance(node, Node | ScopedId) else ""
