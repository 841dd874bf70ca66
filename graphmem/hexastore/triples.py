"""Triples: the six orders, the dictionary of terms, statistics per predicate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from graphmem.errors import InvalidTermError
from graphmem.hexastore import keys, terms
from graphmem.hexastore.fields import unreadable, wrong
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import Term
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader

TripleIds: TypeAlias = tuple[bytes, bytes, bytes]
Pattern: TypeAlias = tuple[bytes | None, bytes | None, bytes | None]
"""Subject, predicate and object; None matches any."""
ANY: Final[Pattern] = (None, None, None)

# The places of subject, predicate and object in a key of each order.
PLACES: Final = {
    Space.SPO: (0, 1, 2),
    Space.SOP: (0, 2, 1),
    Space.PSO: (1, 0, 2),
    Space.POS: (2, 0, 1),
    Space.OSP: (1, 2, 0),
    Space.OPS: (2, 1, 0),
}
# The order whose keys begin with the bound terms: (s?, p?, o?) → order, number of bound terms.
ORDER_FOR: Final = {
    (False, False, False): (Space.SPO, 0),
    (True, False, False): (Space.SPO, 1),
    (True, True, False): (Space.SPO, 2),
    (True, True, True): (Space.SPO, 3),
    (True, False, True): (Space.SOP, 2),
    (False, True, False): (Space.PSO, 1),
    (False, True, True): (Space.POS, 2),
    (False, False, True): (Space.OSP, 1),
}

_SIX_KEYS: Final = 6 * 53  # bytes
_join: Final = b"".join


def order_keys(scope: Scope, s: bytes, p: bytes, o: bytes) -> tuple[bytes, ...]:
    """The six keys of a triple, spo first."""
    spo, sop, pso, pos, osp, ops = scope.orders
    # `join` is faster: three additions take half as long again.
    return (
        _join((spo, s, p, o)),
        _join((sop, s, o, p)),
        _join((pso, p, s, o)),
        _join((pos, p, o, s)),
        _join((osp, o, s, p)),
        _join((ops, o, p, s)),
    )


def match(
    reader: Reader, scope: Scope, pattern: Pattern = ANY, *, reverse: bool = False
) -> Iterator[TripleIds]:
    """The stored triples that match, in the order of the index that begins with the bound terms."""
    s, p, o = pattern
    chosen, bound = ORDER_FOR[(s is not None, p is not None, o is not None)]
    places = PLACES[chosen]
    given: list[bytes] = [b"", b"", b""]
    for value, place in zip(pattern, places, strict=True):
        if value is not None:
            given[place] = value
    start = scope.prefix(chosen) + b"".join(given[:bound])
    return of_keys(chosen, reader.keys(start, keys.after(start), reverse))


def of_keys(order: Space, found: Iterable[bytes]) -> Iterator[TripleIds]:
    """The triples of the keys of an order."""
    s, p, o = PLACES[order]
    for key in found:
        parts = (key[5:21], key[21:37], key[37:53])
        yield parts[s], parts[p], parts[o]


def count(reader: Reader, scope: Scope, pattern: Pattern) -> int:
    """How many stored triples match; from statistics if at most the predicate is bound."""
    s, p, o = pattern
    if s is None and o is None:
        if p is None:
            state = scope.read_state(reader)
            if _SIX_KEYS * state.triples > state.live_bytes:  # a caller might allocate for them
                counts = f"{state.triples:,} triples in {state.live_bytes:,} bytes"
                raise wrong(f"scope {scope.name!r} counts {counts}")
            return state.triples
        return keys.number("a count of triples", reader.get(scope.prefix(Space.STATISTIC) + p))
    return sum(1 for _ in match(reader, scope, pattern))


def lookup(reader: Reader, scope: Scope, identifier: bytes) -> Term:
    """The term of an id. Raises CorruptError if the dictionary does not have it."""
    if terms.is_inline(identifier):
        return terms.decode_inline(identifier)
    form = reader.get(scope.prefix(Space.DICTIONARY) + identifier)
    what = f"term {identifier.hex()} of scope {scope.name!r}"
    if form is None:
        raise wrong(f"{what} is missing from the dictionary")
    try:
        return terms.parse(form.decode())
    except (InvalidTermError, UnicodeDecodeError) as error:
        raise unreadable(what, error) from None


class TripleWriter:
    """Writes triples within one transaction and keeps dictionary and statistics in agreement."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._rows = tx.rows
        self._scope = tx.scope
        self._statistics: defaultdict[bytes, int] = defaultdict(int)
        self._released: set[bytes] = set()
        self._used: set[bytes] = set()
        tx.before_commit(self._flush)

    def intern(self, term: Term) -> bytes:
        """The id of a term, which is added to the dictionary if it is new."""
        encode = terms.encode if terms.is_short(term) else terms.encode_once
        identifier = encode(term)
        if terms.is_inline(identifier) or identifier in self._used:
            return identifier
        key = self._scope.prefix(Space.DICTIONARY) + identifier
        if self._tx.get(key) is None:
            self._tx.insert(key, term.n3().encode())
        self._used.add(identifier)
        return identifier

    def put(self, s: bytes, p: bytes, o: bytes) -> bool:
        """Write a triple; True if it is new. Its terms were interned in this transaction."""
        if self.has(s, p, o):
            return False
        self.insert(s, p, o)
        return True

    def insert(self, s: bytes, p: bytes, o: bytes) -> None:
        """Write a triple that is known to be absent."""
        for key in order_keys(self._scope, s, p, o):
            self._rows[key] = b""
        self._tx.state.live_bytes += _SIX_KEYS
        self._tx.state.kept_bytes += _SIX_KEYS
        self._tx.state.triples += 1
        self._statistics[p] += 1

    def has(self, s: bytes, p: bytes, o: bytes) -> bool:
        """True if a triple exists, with the writes of this transaction."""
        return self._tx.get(_join((self._scope.orders[0], s, p, o))) is not None

    def delete(self, s: bytes, p: bytes, o: bytes) -> bool:
        """Delete a triple; True if it existed."""
        if not self.has(s, p, o):
            return False
        for key in order_keys(self._scope, s, p, o):
            self._tx.remove(key, 0)
        self._tx.state.triples -= 1
        self._statistics[p] -= 1
        self._released.update(t for t in (s, p, o) if not terms.is_inline(t))
        return True

    def _flush(self) -> None:
        for predicate, change in self._statistics.items():
            if change:
                key = self._scope.prefix(Space.STATISTIC) + predicate
                total = keys.number("a count of triples", self._tx.get(key)) + change
                if total < 0:
                    raise wrong(f"the statistics of predicate {predicate.hex()} are wrong")
                if total:
                    self._tx.put(key, keys.u64(total))
                else:
                    self._tx.delete(key)
        for identifier in self._released:
            if not self._is_referenced(identifier):
                self._tx.delete(self._scope.prefix(Space.DICTIONARY) + identifier)

    def _is_referenced(self, identifier: bytes) -> bool:
        orders = (Space.OSP,) if terms.is_literal(identifier) else (Space.OSP, Space.SPO, Space.PSO)
        for order in orders:
            # Newest nodes first: mostly old ones were just deleted, and LevelDB is slow over
            # deleted keys.
            found = self._tx.keys(*keys.under(self._scope.prefix(order) + identifier), reverse=True)
            if next(found, None) is not None:
                return True
        return False
