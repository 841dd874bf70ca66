"""Types of records that come from a file: each field is of the type that its class declares."""

from __future__ import annotations

from functools import cache
from inspect import formatannotation
from math import isfinite
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


def checked(record: Record) -> Record:
    """A named tuple or dataclass. Raises TypeError, naming the first field of another type than
    declared."""
    for name, hint in _hints(cast(Any, type(record))).items():
        check(name, getattr(record, name), hint)
    return record


def check(name: str, value: object, hint: Any) -> None:
    """Raise TypeError if a value is not of a type, as it is written in a declaration."""
    if not _fits(value, hint):
        raise TypeError(f"{name} is {value!r:.60}, not {formatannotation(hint)}")


def tuples(value: object) -> Any:
    """A value of JSON with tuples in place of lists."""
    return tuple(map(tuples, value)) if isinstance(value, list) else value


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _fits(value: object, hint: Any) -> bool:
    inner, origin = get_args(hint), get_origin(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, kind) for kind in inner)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        kinds = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return len(value) == len(kinds) and all(map(_fits, value, kinds))
    if isinstance(value, bool):
        return hint in (bool, Any)  # it is an int for isinstance
    if hint is float:
        return isinstance(value, float | int) and isfinite(value)
    return hint is Any or isinstance(value, hint)
