"""Nouns: the nouns of a memory, and the present names of renamed verbs.

Attached processes import the classes of nouns for their declarations alone: the methods import the
implementations.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from graphmem.errors import RenamedError
from graphmem.values.identifiers import node_id

if TYPE_CHECKING:
    from graphmem.runtime.open_scope import OpenScope

_TO: Final = {
    "admin": "backup check compact end_session enrich flush retry settings shrink stats",
    "files": "sync",
    "graph": "explain facts focus importance links map nearest relate sparql",
    "history": "changes forgotten life reopen revive worth",
    "review": "conflicts preferences resolve tiers",
    "scopes": "parents",
    "themes": "about",
}
"""Nouns, and those of their verbs that were methods of `Memory` with the same name."""
MOVED: Final[Mapping[str, str]] = {
    **{name: f"{noun}.{name}" for noun, names in _TO.items() for name in names.split()},
    "drop_scope": "scopes.drop",
    "erase": "forget(…, erase=True)",
    "files": "files.list",
    "find": "nodes(text=…, reverse=True)",
    "forget_file": "files.remove",
    "graph": "graph.rdf",
    "history": "history.of",
    "lifecycle": "review",
    "remember_file": "files.add",
    "scope": "scopes.open",
    "scopes": "scopes.names",
    "set_aside": "admin.failed",
}
"""Former methods of `Memory`, and their present names."""


def moved(name: str) -> RenamedError | None:
    """The error for a name that `Memory` had; None for any other."""
    if (place := MOVED.get(name)) is None:
        return None
    return RenamedError(f"memory.{name} is now memory.{place}")


class OfScope:
    """Base of the classes whose verbs work on an open scope."""

    _opened: OpenScope

    @property
    def _now(self) -> datetime:
        """The present; a plain date begins in its zone."""
        return self._opened.database.clock()

    def _id(self, node: object) -> int:
        return node_id(node, self._opened.scope.name)


class Noun(OfScope):
    """A sub-object of a memory."""

    def __init__(self, opened: OpenScope) -> None:
        """Use the property of `Memory`."""
        self._opened = opened

    @property
    def _name(self) -> str:
        return self._opened.scope.name

    if not TYPE_CHECKING:  # a type checker would take any noun for a function

        def __call__(self, *_: Any, **__: Any) -> Any:
            """Some nouns were methods."""
            raise moved(_noun_name(self)) or TypeError(f"{self!r} is not callable")


def _noun_name(noun: Noun) -> str:
    return type(noun).__name__.lower()


def require_no_block(noun: Noun, name: str) -> None:
    """Raise TransactionError within a transaction."""
    noun._opened.store.require_no_block(f"{_noun_name(noun)}.{name}()")
