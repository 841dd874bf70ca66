"""Plans: in which order and by which method the patterns of a join are read.

A pattern is three parts, each a term's id or the name of a variable. The next pattern is the one
with the fewest expected rows, estimated from statistics per predicate, short counts and samples;
products come late, and patterns that need a scan over all nodes or links come last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple, Protocol, TypeAlias

from graphmem.hexastore import keys, triples
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import Term
from graphmem.hexastore.triples import ORDER_FOR, PLACES, TripleIds
from graphmem.storage.engine import Reader

IdPattern: TypeAlias = tuple[bytes | str, bytes | str, bytes | str]
"""Subject, predicate, object: the id of a term, or the name of a variable."""
Size: TypeAlias = Callable[[bytes, bytes], int]
"""About how many bytes a range of keys takes."""

COUNTED: Final = 100  # keys that are counted before a range is estimated
_KEY_BYTES: Final = 30  # the approximate size of a key in an index, for estimates
_SAMPLED: Final = 64  # keys from which the fan-out of a predicate is estimated


class Known(NamedTuple):
    """The bound parts of a pattern when it is read: an id, True for a bound variable, else None."""

    s: bytes | bool | None
    p: bytes | bool | None
    o: bytes | bool | None


class Estimate(NamedTuple):
    """The expected result of reading a pattern once."""

    rows: float
    is_scan: bool = False  # reads every node or link


class Source(Protocol):
    """A source of triples: stored ones, or also virtual ones."""

    def term(self, identifier: bytes) -> Term:
        """The term of an id that `match` returned. Raises CorruptError if it is unknown."""
        ...

    def match(self, s: bytes | None, p: bytes | None, o: bytes | None) -> Iterator[TripleIds]:
        """The triples that agree, each once."""
        ...

    def holds(self, asked: Sequence[TripleIds]) -> list[bool]:
        """For each triple whether it exists; fastest when they are sorted."""
        ...

    def value_of(self, p: bytes) -> Callable[[bytes], bytes | None] | None:
        """If no subject has two objects under a predicate: a function from subject to object."""
        return None

    def estimate(self, known: Known) -> Estimate:
        """The estimated number of triples of one reading of such a pattern."""
        ...


class Stored(Source):
    """A `Source` of the triples that a scope stores, with estimates of how many agree."""

    def __init__(self, reader: Reader, scope: Scope, size: Size | None = None) -> None:
        self._reader = reader
        self._scope = scope
        self._size = size

    def term(self, identifier: bytes) -> Term:
        return triples.lookup(self._reader, self._scope, identifier)

    def match(self, s: bytes | None, p: bytes | None, o: bytes | None) -> Iterator[TripleIds]:
        return triples.match(self._reader, self._scope, (s, p, o))

    def holds(self, asked: Sequence[TripleIds]) -> list[bool]:
        spo = self._scope.prefix(Space.SPO)
        found = self._reader.get_many([b"".join((spo, *ids)) for ids in asked])
        return [value is not None for value in found]

    def estimate(self, known: Known) -> Estimate:
        return Estimate(self._rows(known))

    def _rows(self, known: Known) -> float:
        s, p, o = known
        if s and o:
            return 0.5 if p else 1.0
        if not (s or o):
            return self._total(p)
        if (constant := s or o) is not True and p is not True:
            return self._counted(known)
        fan = self._fan(p if isinstance(p, bytes) else None, Space.PSO if s else Space.POS)
        if p is True or constant is not True:
            fan /= 2
        return fan

    def _total(self, p: bytes | bool | None) -> float:
        if p is True:
            return self._fan(None, Space.PSO) * 16
        return float(triples.count(self._reader, self._scope, (None, p or None, None)))

    def _counted(self, known: Known) -> float:
        """The estimated number of triples with the given parts."""
        s, p, o = (isinstance(part, bytes) for part in known)
        order, _ = ORDER_FOR[s, p, o]
        given = sorted(
            (place, part)
            for place, part in zip(PLACES[order], known, strict=True)
            if isinstance(part, bytes)
        )
        start = self._scope.prefix(order) + b"".join(part for _, part in given)
        return counted(self._reader, self._size, *keys.under(start), self._total(known.p))

    def _fan(self, p: bytes | None, order: Space) -> float:
        """How many triples share the term after the predicate in an order, on average."""
        if p is None:
            order = Space.SPO if order == Space.PSO else Space.OSP
        return fan(self._reader, self._scope.prefix(order) + (p or b""))


def counted(reader: Reader, size: Size | None, start: bytes, stop: bytes, most: float) -> float:
    """The number of keys in a range: counted if there are few, else estimated by its size."""
    found = sum(1 for _ in islice(reader.keys(start, stop), COUNTED))
    if found < COUNTED:
        return float(found)
    taken = 0 if size is None else size(start, stop)  # 0 also if all is still in LevelDB's memory
    return max(float(COUNTED), min(most, taken / _KEY_BYTES)) if taken else float(most)


def fan(reader: Reader, start: bytes) -> float:
    """How many keys share the term that follows `start`, on average."""
    # Newest first: LevelDB reads slowly over what was deleted, which is mostly old.
    newest = reader.keys(start, keys.after(start), reverse=True)
    sample = [key[len(start) :][:16] for key in islice(newest, _SAMPLED)]
    return len(sample) / len(set(sample)) if sample else 0.0


@dataclass(frozen=True, slots=True)
class Step:
    """One pattern of a plan, with how it is read."""

    pattern: IdPattern
    method: str  # "scan", "look up", "read" or "test"
    rows: float  # expected after the step
    is_scan: bool  # over every node, or every link
    is_product: bool  # shares no variable with the steps before


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a join, in their order."""

    bound: tuple[str, ...]  # variables that are bound beforehand
    steps: tuple[Step, ...]
    variables: tuple[str, ...]  # all, in the order of the columns of a row

    def explain(self, show: Callable[[bytes], str]) -> str:
        """The plan as text, a line a step; `show` gives the text of an id."""
        if not self.steps:
            return "nothing to read: one row"
        lines = []
        for number, step in enumerate(self.steps, 1):
            shown = " ".join(
                f"?{part}" if isinstance(part, str) else show(part) for part in step.pattern
            )
            notes = [f"~{step.rows:,.0f} rows"]
            if step.is_scan:
                notes.append("over every node or link")
            if step.is_product:
                notes.append("product")
            lines.append(f"{number}. {step.method:7} {shown}  ({', '.join(notes)})")
        return "\n".join(lines)


def plan(source: Source, patterns: Sequence[IdPattern], bound: Collection[str] = ()) -> Plan:
    """The plan of a join of `patterns`, when the variables `bound` have values already."""
    names = dict.fromkeys(bound)
    steps: list[Step] = []
    rows = 1.0
    for place, (pattern, estimate) in enumerate(_ordered(source, patterns, set(names))):
        variables = dict.fromkeys(part for part in pattern if isinstance(part, str))
        shared = [name for name in variables if name in names]
        unbound = [name for name in variables if name not in names]
        p = pattern[1]
        if pattern[0] in names and isinstance(p, bytes) and source.value_of(p) is not None:
            method = "read"
        elif shared and not unbound:
            method = "test"
        elif shared:
            method = "look up"
        else:
            method = "scan" if unbound else "test"
        rows *= estimate.rows
        is_product = bool(place and not shared and unbound)
        steps.append(Step(pattern, method, rows, estimate.is_scan, is_product))
        names.update(variables)
    return Plan(tuple(dict.fromkeys(bound)), tuple(steps), tuple(names))


def _ordered(
    source: Source, patterns: Sequence[IdPattern], bound: set[str]
) -> list[tuple[IdPattern, Estimate]]:
    """The patterns in the order in which they are read."""
    left = list(patterns)
    ordered: list[tuple[IdPattern, Estimate]] = []
    while left:
        ranked = []
        for place, pattern in enumerate(left):
            known = Known(*(_known(part, bound) for part in pattern))
            estimate = source.estimate(known)
            open_names = {part for part in pattern if isinstance(part, str)}
            is_apart = bool(bound) and bool(open_names) and not open_names & bound
            ranked.append((estimate.is_scan, is_apart, estimate.rows, place, estimate))
        *_, place, estimate = min(ranked)
        pattern = left.pop(place)
        ordered.append((pattern, estimate))
        bound |= {part for part in pattern if isinstance(part, str)}
    return ordered


def _known(part: bytes | str, bound: set[str]) -> bytes | bool | None:
    if isinstance(part, bytes):
        return part
    return True if part in bound else None
