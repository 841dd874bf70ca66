"""Joins: the rows that satisfy several patterns at once, in the order of a plan.

A row is a tuple of term ids, one for each variable bound so far. Rows are processed in growing
chunks; the distinct lookups of a chunk are sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from operator import itemgetter
from typing import Final, TypeAlias

from graphmem.hexastore.planner import Plan, Source, Step
from graphmem.hexastore.triples import TripleIds

Row: TypeAlias = tuple[bytes, ...]
Asked: TypeAlias = tuple[bytes | None, ...]
"""The lookup of one reading: subject, predicate and object, None for an open one."""
Test: TypeAlias = Callable[[bytes], bool]

_FIRST_CHUNK: Final = 16  # rows
_LAST_CHUNK: Final = 1024
_SHORT: Final = 256  # readings with fewer triples are cached for rows with the same lookup
_KEPT: Final = 16_384  # cached readings


def run(
    source: Source,
    plan: Plan,
    given: Row = (),
    tests: Mapping[str, Sequence[Test]] | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[Row]:
    """The rows of a join, each once, in the columns of `plan.variables`.

    given: the ids of `plan.bound`. tests: variable → tests that its id must pass, applied as soon
    as it is bound. tick: called for every chunk; an exception from it ends the join.
    """
    rows: Iterator[Row] = iter([given])
    columns = {name: column for column, name in enumerate(plan.bound)}
    for step in plan.steps:
        reading = _Reading(source, step, columns, tests or {})
        rows = (reading.read if step.method == "read" else reading.looked_up)(rows, tick)
    return rows


class _Reading:
    """One step of a plan: extends rows by the variables that it binds."""

    def __init__(
        self,
        source: Source,
        step: Step,
        columns: dict[str, int],
        tests: Mapping[str, Sequence[Test]],
    ) -> None:
        """Adds the variables that the step binds to `columns`."""
        self._source = source
        self._step = step
        width = len(columns)
        constants: list[bytes | None] = [None]
        asked: list[int] = []  # places of subject, predicate, object in a row with the constants
        new: dict[str, int] = {}  # new variable → its first place in the pattern
        self._equal: list[tuple[int, int]] = []  # places that must agree: a variable used twice
        for place, part in enumerate(step.pattern):
            if isinstance(part, bytes):
                asked.append(width + len(constants))
                constants.append(part)
            elif part in columns:
                asked.append(columns[part])
            else:
                asked.append(width)
                if part in new:
                    self._equal.append((new[part], place))
                new.setdefault(part, place)
        for name in new:
            columns[name] = len(columns)
        self._tests = [(place, test) for name, place in new.items() for test in tests.get(name, ())]
        self._constants = tuple(constants)
        self._key: Callable[[Asked], Asked] = itemgetter(*asked)
        self._places = tuple(new.values())
        self._is_whole = all(place != width for place in asked)
        self._asked = asked

    def looked_up(self, rows: Iterator[Row], tick: Callable[[], None]) -> Iterator[Row]:
        """The rows after the step."""
        key, constants = self._key, self._constants
        kept: dict[Asked, list[Row]] = {}
        for chunk in chunks(rows):
            tick()
            asked = [key(row + constants) for row in chunk]
            if len(kept) > _KEPT:
                kept.clear()
            long = self._read_ahead(set(asked) - kept.keys(), kept)
            for row, question in zip(chunk, asked, strict=True):
                found = kept.get(question)
                if found is None:
                    more = long.pop(question, None) or self._match(question)
                    yield from _ticked((row + extension for extension in more), tick)
                else:
                    for extension in found:
                        yield row + extension

    def _read_ahead(
        self, asked: Iterable[Asked], kept: dict[Asked, list[Row]]
    ) -> dict[Asked, Iterator[Row]]:
        """Cache the readings in `kept`; returns a reading that is too long for it, as
        question → iterator; empty if there is none."""
        # All have None in the same places, so no None is compared with an id.
        ordered = sorted(asked)
        if self._is_whole:
            whole: list[TripleIds] = [(s, p, o) for s, p, o in ordered if s and p and o]
            there = self._source.holds(whole)
            kept.update(
                (question, [()] if found else [])
                for question, found in zip(whole, there, strict=True)
            )
            return {}
        long: dict[Asked, Iterator[Row]] = {}
        for question in ordered:
            found = self._match(question)
            few = list(islice(found, _SHORT))
            if len(few) < _SHORT:
                kept[question] = few
            elif not long:
                long[question] = chain(few, found)
        return long

    def _match(self, question: Asked) -> Iterator[Row]:
        """The extensions of a row by one reading."""
        places, equal, tests = self._places, self._equal, self._tests
        for ids in self._source.match(*question):
            if equal and any(ids[one] != ids[other] for one, other in equal):
                continue
            if tests and not all(test(ids[place]) for place, test in tests):
                continue
            yield tuple([ids[place] for place in places])

    def read(self, rows: Iterator[Row], tick: Callable[[], None]) -> Iterator[Row]:
        """The rows, extended or tested by the only object of their subject (method "read")."""
        p, o = self._step.pattern[1:]
        assert isinstance(p, bytes)
        value_of = self._source.value_of(p)
        assert value_of is not None
        subject, other = self._asked[0], self._asked[2]
        tests = [test for _, test in self._tests]

        @lru_cache(_KEPT)
        def tested(asked: bytes) -> bytes | None:
            value = value_of(asked)
            return value if value is None or all(test(value) for test in tests) else None

        for row in _ticked(rows, tick):
            value = tested(row[subject])
            if value is None:
                continue
            if self._places:
                yield (*row, value)
            elif value == (o if isinstance(o, bytes) else row[other]):
                yield row


def _ticked(rows: Iterator[Row], tick: Callable[[], None]) -> Iterator[Row]:
    for chunk in chunks(rows):
        tick()
        yield from chunk


def chunks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Rows in lists that grow from 16 to 1,024."""
    size = _FIRST_CHUNK
    while chunk := list(islice(rows, size)):
        yield chunk
        size = min(2 * size, _LAST_CHUNK)
