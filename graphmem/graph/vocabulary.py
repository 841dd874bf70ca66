"""Keywords and sessions: which nodes have one, and their terms, which no dictionary holds.

The form of such a term is read from any node that has it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from graphmem.graph.records import TextRecord
from graphmem.hexastore import keys, terms
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader

SPACES = {terms.KEYWORD: Space.KEYWORD, terms.SESSION: Space.SESSION}
_KEY_BYTES = 5 + terms.TERM_BYTES + 8


def key(scope: Scope, space: Space, value: str, node: int) -> bytes:
    """The key that records a keyword (space KEYWORD) or a session (SESSION) of a node."""
    return scope.prefix(space) + terms.plain_literal(value)[0] + node.to_bytes(8, "big")


def nodes_with(
    reader: Reader, scope: Scope, space: Space, value: str, reverse: bool = False
) -> Iterator[int]:
    """The nodes that have a keyword or session, ascending."""
    start = scope.prefix(space) + terms.plain_literal(value)[0]
    for found in reader.keys(start, keys.after(start), reverse):
        yield int.from_bytes(found[-8:], "big")


def values_of(text: TextRecord, space: Space) -> Collection[str]:
    """The distinct keywords of a text, or its session."""
    if space is Space.KEYWORD:
        return dict.fromkeys(text.keywords)
    return () if text.session is None else (text.session,)


def form(reader: Reader, scope: Scope, identifier: bytes) -> bytes | None:
    """The N-Triples form of a keyword or session by its id, None if no node has it."""
    for space in SPACES.values():
        for found in reader.keys(*keys.under(scope.prefix(space) + identifier)):
            packed = reader.get(scope.prefix(Space.TEXT) + found[-8:])
            if packed is None:
                continue
            for value in values_of(TextRecord.unpack(packed), space):
                known, literal = terms.plain_literal(value)
                if known == identifier:
                    return literal
    return None


def change(tx: Transaction, node: int, old: TextRecord | None, new: TextRecord | None) -> None:
    """Give a node the keywords and the session of `new` instead of those of `old`; None: none."""
    rows, state, packed = tx.rows, tx.state, node.to_bytes(8, "big")
    for space in SPACES.values():
        before = () if old is None else values_of(old, space)
        now = () if new is None else values_of(new, space)
        gone = [value for value in before if value not in now]
        added = [value for value in now if value not in before]
        prefix = tx.scope.prefix(space)
        for value in gone:
            rows[prefix + terms.plain_literal(value)[0] + packed] = None
        for value in added:
            rows[prefix + terms.plain_literal(value)[0] + packed] = b""
        more = len(added) - len(gone)
        state.live_bytes += more * _KEY_BYTES
        if space is Space.KEYWORD:
            state.keywords += more
        else:
            state.sessions += more
