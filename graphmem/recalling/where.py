"""Conditions on the metadata and the kind of a memory: the argument `where`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final

from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.graph.kinds import kind_of
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.view import View
from graphmem.values.kinds import REALMS, TEMPORALITIES
from graphmem.values.metadata import Scalar

KIND_FIELDS: Final = ("realm", "confidence", "temporality", "source")
"""Names that mean a field of the kind, for a memory without metadata of that name."""

_CLOSED: Final[Mapping[str, tuple[str, ...]]] = {"realm": REALMS, "temporality": TEMPORALITIES}
"""The values of the fields that have a fixed set of them; metadata cannot have these names."""
_MOST: Final = 32  # conditions
_NEWEST: Final = 200  # memories that are searched for a name of metadata
_COMPARED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "eq": eq, "ne": ne, "gt": gt, "gte": ge, "lt": lt, "lte": le,
}  # fmt: skip
_OPERATORS: Final = (*_COMPARED, "in")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one field."""

    field: str
    operator: str  # a key of `_COMPARED`, or "in"
    wanted: Scalar | tuple[Scalar, ...]

    def holds(self, value: Scalar) -> bool:
        """Whether a value meets it. Values of different types are unequal and have no order."""
        if self.operator == "in":
            assert isinstance(self.wanted, tuple)
            return any(_equal(value, each) for each in self.wanted)
        assert not isinstance(self.wanted, tuple)
        if self.operator == "eq":
            return _equal(value, self.wanted)
        if self.operator == "ne":
            return not _equal(value, self.wanted)
        if not _ordered(value, self.wanted):
            return False
        return _COMPARED[self.operator](value, self.wanted)


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions, all of which a memory must meet."""

    conditions: tuple[Condition, ...]

    def admits(self, text: TextRecord, record: NodeRecord) -> bool:
        """Whether a memory meets all of them. A key that it does not have is None."""
        given = dict(text.metadata)
        kind = None
        for condition in self.conditions:
            value: Scalar
            if condition.field in given or condition.field not in KIND_FIELDS:
                value = given.get(condition.field)
            else:
                kind = kind or kind_of(record, text)
                value = getattr(kind, condition.field)
            if not condition.holds(value):
                return False
        return True


def unknown_fields(view: View, where: Conditions) -> tuple[str, ...]:
    """A note on each name of metadata that none of the newest memories has."""
    known: set[str] = set(KIND_FIELDS)
    for node in islice(view.nodes(reverse=True), _NEWEST):
        if (text := view.text(node)) is not None:
            known.update(name for name, _ in text.metadata)
    names = ", ".join(sorted(known))
    return tuple(
        f"none of the newest {_NEWEST} memories has metadata named {field!r:.80}; there are {names}"
        for field in dict.fromkeys(condition.field for condition in where.conditions)
        if field not in known
    )


def read_where(given: object, realm: object = None) -> Conditions | None:
    """The conditions of a mapping, and that on the realm; None if there are none.

    {"year": 2026}: equal. {"year": {"gte": 2020, "lt": 2026}}: by eq, ne, gt, gte, lt, lte, in.
    {"team": ["red", "blue"]}: one of these. Raises ArgumentTypeError, InvalidArgumentError.
    """
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(
            f"metadata is a mapping, such as {{'year': 2026}}, got {type(given).__name__}"
        )
    found: list[Condition] = []
    for field, wanted in (*given.items(), *([] if realm is None else [("realm", realm)])):
        if not isinstance(field, str):
            raise ArgumentTypeError(f"where has names of fields, got {type(field).__name__}")
        tests = wanted if isinstance(wanted, Mapping) else {_default(wanted): wanted}
        if not tests:
            raise InvalidArgumentError(
                f"where has no condition for {field!r:.80}; give one, or leave the field out"
            )
        found += [_condition(field, name, value) for name, value in tests.items()]
    if len(found) > _MOST:
        raise InvalidArgumentError(f"where has at most {_MOST} conditions, got {len(found)}")
    return Conditions(tuple(found)) if found else None


def _default(wanted: object) -> str:
    return "in" if isinstance(wanted, Iterable) and not isinstance(wanted, str | bytes) else "eq"


def _condition(field: str, name: object, value: object) -> Condition:
    operator = name.removeprefix("$") if isinstance(name, str) else ""
    if operator not in _OPERATORS:
        raise InvalidArgumentError(
            f"where has an unknown operator {name!r:.80} of {field!r:.80}; there are "
            f"{', '.join(_OPERATORS)}"
        )
    if operator == "in":
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise ArgumentTypeError(f"where: 'in' of {field!r:.80} takes a list of values")
        return Condition(field, operator, tuple(_scalar(field, each) for each in value))
    return Condition(field, operator, _scalar(field, value))


def _scalar(field: str, value: object) -> Scalar:
    if value is not None and not isinstance(value, str | int | float):
        raise ArgumentTypeError(
            f"where compares {field!r:.80} with a str, int, float, bool or None, got "
            f"{type(value).__name__}"
        )
    among = _CLOSED.get(field)
    if among is not None and value not in among:
        raise InvalidArgumentError(f"{field} is one of {', '.join(among)}, got {value!r:.80}")
    return value


def _number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _equal(a: Scalar, b: Scalar) -> bool:
    """Equality of values and types, where True is not 1."""
    return ((_number(a) and _number(b)) or type(a) is type(b)) and a == b


def _ordered(a: Scalar, b: Scalar) -> bool:
    return (_number(a) and _number(b)) or (isinstance(a, str) and isinstance(b, str))
