"""Events: what an operator is told of the calls of a memory, without any of its text."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sized
from dataclasses import dataclass
from functools import wraps
from time import perf_counter
from typing import Any, TypeAlias, TypeVar, cast

from graphmem.verbs import own_verbs_of

_Class = TypeVar("_Class", bound=type)
_log = logging.getLogger("graphmem.events")


@dataclass(frozen=True, slots=True)
class Event:
    """A call that has ended.

    name: the name of the verb, such as "recall".
    scope: the name of the scope.
    seconds: how long the call took.
    count: how many hits, nodes or others it returned, or the number that it returned, if any.
    error: the class of the error that it raised; None if it returned.
    """

    name: str
    scope: str
    seconds: float
    count: int | None
    error: str | None


OnEvent: TypeAlias = Callable[[Event], object]


def observed(kind: _Class, on_event: OnEvent) -> _Class:
    """A subclass of `Memory` that calls `on_event` after each call of a verb."""
    made: dict[str, Any] = {}
    for declared in own_verbs_of(kind.__mro__[1]).values():
        if not declared.is_property and not declared.method.startswith("__"):
            made[declared.method] = _observing(
                declared.name, getattr(kind, declared.method), on_event
            )
    return cast(_Class, type(kind.__name__, (kind,), made))


def _observing(name: str, method: Callable[..., Any], on_event: OnEvent) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, /, *given: Any, **named: Any) -> Any:
        result, error = None, None
        begun = perf_counter()
        try:
            result = method(self, *given, **named)
        except BaseException as raised:
            error = type(raised).__name__
            raise
        finally:
            seconds = perf_counter() - begun
            try:
                on_event(Event(name, self.name, seconds, _count(result), error))
            except Exception:  # noqa: BLE001 - the operator's own; the call has been done
                _log.exception("on_event failed for %s", name)
        return result

    return call


def _count(result: object) -> int | None:
    if isinstance(result, bool):
        return None
    if isinstance(result, int):
        return result
    return len(result) if isinstance(result, Sized) and not isinstance(result, str) else None
