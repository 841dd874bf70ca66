"""Keywords and sessions: which nodes have one, and the terms that no dictionary holds.

Their form is read from any node that has one. Ids are hashes, so whatever enters a term compares
its form with the one that the id has in the dictionary, in these two indexes and among the
relations: a collision is refused, never overwritten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from graphmem.graph.records import TextRecord
from graphmem.graph.relations import Relations
from graphmem.hexastore import keys, terms, triples
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader

SPACES = {terms.KEYWORD: Space.KEYWORD, terms.SESSION: Space.SESSION}
_KEY_BYTES = 5 + terms.TERM_BYTES + 8
_BEHIND = b"\xff" * 9  # the key of any node


def key(scope: Scope, space: Space, value: str, node: int) -> bytes:
    """The key that says that a node has a keyword (space KEYWORD) or a session (SESSION)."""
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


def form(
    reader: Reader,
    scope: Scope,
    identifier: bytes,
    spaces: Iterable[Space] = (Space.KEYWORD, Space.SESSION),
) -> bytes | None:
    """The N-Triples form of a keyword or session by its id, None if no node has it."""
    for space in spaces:
        for found in reader.keys(*keys.under(scope.prefix(space) + identifier)):
            packed = reader.get(scope.prefix(Space.TEXT) + found[-8:])
            if packed is None:
                continue
            for value in values_of(TextRecord.unpack(packed), space):
                known, said = terms.plain_literal(value)
                if known == identifier:
                    return said
    return None


def elsewhere(reader: Reader, relations: Relations) -> Callable[[bytes], bytes | None]:
    """What gives the form of an id that the dictionary lacks: a relation, a keyword, a session."""
    scope = relations.scope

    def known(identifier: bytes) -> bytes | None:
        if terms.is_literal(identifier):
            return form(reader, scope, identifier)
        return relations.form(identifier)

    return known


class ValueWriter:
    """Writes the keys of keywords and sessions within one transaction, with their counters."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._scope = tx.scope

    def change(self, node: int, space: Space, old: Collection[str], new: Collection[str]) -> None:
        """Give a node the values `new` instead of `old`, each of them distinct. Raises
        CollisionError when another term has the hash of a new one."""
        before = set(old)
        added = [value for value in new if value not in before] if before else new
        gone = before.difference(new) if before else ()
        if not added and not gone:
            return
        rows, prefix, packed = self._tx.rows, self._scope.prefix(space), node.to_bytes(8, "big")
        literal, forms = terms.plain_literal, self._scope.forms
        for value in gone:
            rows[prefix + literal(value)[0] + packed] = None
        met = []
        for value in added:
            identifier, said = literal(value)
            if identifier not in forms or forms[identifier] != said:
                met.append((identifier, said))
            rows[prefix + identifier + packed] = b""
        if met:
            self._enter(met)
        state, change = self._tx.state, len(added) - len(gone)
        state.live_bytes += change * _KEY_BYTES
        if space is Space.KEYWORD:
            state.keywords += change
        else:
            state.sessions += change

    def _enter(self, met: Sequence[tuple[bytes, bytes]]) -> None:
        """See that ids have no other forms, in this transaction or before."""
        scope, tx = self._scope, self._tx
        counts = ((Space.KEYWORD, scope.state.keywords), (Space.SESSION, scope.state.sessions))
        spaces = [space for space, count in counts if count]
        starts = [scope.prefix(space) + identifier for space in spaces for identifier, _ in met]
        found = [next(tx.store.keys(start, start + _BEHIND), None) for start in starts]
        had = {key[5:-8] for key in found if key is not None}
        forms = scope.forms
        for identifier, said in met:
            known = forms.get(identifier)
            if known is None and tx.state.triples:
                known = tx.get(scope.prefix(Space.DICTIONARY) + identifier)
            if known is None and identifier in had:
                known = form(tx.store, scope, identifier, spaces)
            if known is not None and known != said:
                raise triples.collision(scope, said, known)
            forms[identifier] = said
