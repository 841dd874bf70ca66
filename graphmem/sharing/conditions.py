"""Conditions on the fields of an item's value: `where` of `memory.items`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import ge, gt, le, lt
from typing import Any, Final

from graphmem.errors import ArgumentTypeError, InvalidArgumentError


def _equal(value: Any, asked: Any) -> bool:
    """Equality in which True is not 1, as in `Where(metadata=…)`, also within lists and maps."""
    if isinstance(value, Mapping) and isinstance(asked, Mapping):
        return value.keys() == asked.keys() and all(_equal(value[k], asked[k]) for k in asked)
    if isinstance(value, list | tuple) and isinstance(asked, list | tuple):
        return len(value) == len(asked) and all(map(_equal, value, asked))
    return isinstance(value, bool) is isinstance(asked, bool) and bool(value == asked)


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$eq": _equal, "$ne": lambda value, asked: not _equal(value, asked),
    "$gt": gt, "$gte": ge, "$lt": lt, "$lte": le,
}  # fmt: skip
_BARE: Final = frozenset(name.removeprefix("$") for name in _OPERATORS)


def condition(where: Mapping[str, Any] | None) -> Callable[[Any], bool]:
    """A test of the value of an item. Raises ArgumentTypeError, InvalidArgumentError."""
    if where is None:
        return lambda value: True
    if not isinstance(where, Mapping):
        raise ArgumentTypeError(f"where is a map, got {type(where).__name__}")
    for name in _operators(where):
        if name not in _OPERATORS:
            raise InvalidArgumentError(
                f"where has an unknown operator {name!r:.80}; there are {', '.join(_OPERATORS)}"
            )

    def fits(value: Any) -> bool:
        return _fits_map(value if isinstance(value, dict) else {}, where)

    return fits


def _operators(wanted: object) -> Iterator[str]:
    """The names in maps with operators. Raises InvalidArgumentError for an operator without "$"."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            yield from wanted
        else:
            for field, inner in wanted.items():
                if isinstance(inner, Mapping) and inner and _BARE.issuperset(inner):
                    name = next(iter(inner))
                    raise InvalidArgumentError(
                        f"where compares by ${name}, not by {name}; a field of that name is asked "
                        f"for as '{field!s:.80}.{name}'"
                    )
                yield from _operators(inner)


def _fits_map(value: Mapping[Any, Any], wanted: Mapping[Any, Any]) -> bool:
    return all(_fits(_field(value, field), asked) for field, asked in wanted.items())


def _field(value: Mapping[Any, Any], name: Any) -> Any:
    if name in value or "." not in str(name):
        return value.get(name)
    outer, _, inner = name.partition(".")
    return _field(there, inner) if isinstance(there := value.get(outer), Mapping) else None


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            try:
                return all(_compares(name, value, asked) for name, asked in wanted.items())
            except TypeError:  # such as a text against a number
                return False
        return isinstance(value, Mapping) and _fits_map(value, wanted)
    return _equal(value, wanted)


def _compares(operator: str, value: Any, asked: Any) -> bool:
    """Whether a value compares so; a bool has no order with a number."""
    if operator not in ("$eq", "$ne") and isinstance(value, bool) is not isinstance(asked, bool):
        return False
    return bool(_OPERATORS[operator](value, asked))
