"""Events: what an operator is told of the calls of a memory, without any of its text."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sized
from dataclasses import dataclass
from functools import wraps
from time import perf_counter
from typing import Any, TypeAlias, TypeVar, cast

from graphmem.verbs import Call, nouns_of, own_verbs_of, senders

_Class = TypeVar("_Class", bound=type)
_log = logging.getLogger("graphmem.events")


@dataclass(frozen=True, slots=True)
class Event:
    """A call that has ended.

    name: the name of the verb, such as "recall" or "history.life".
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
    """A subclass of `Memory` that calls `on_event` after each call of a verb, also of a noun."""
    nouns = nouns_of(kind)  # which send what they are to do to `_send`
    made: dict[str, Any] = {name: sender for name, sender in senders(kind) if name in nouns}
    for declared in own_verbs_of(kind).values():
        if not declared.is_property and not declared.method.startswith("__"):
            made[declared.method] = _observing(
                declared.name, getattr(kind, declared.method), on_event
            )
    found: Any = type(kind.__name__, (kind,), made)
    found._send = _observed_noun(found, on_event)
    return cast(_Class, found)


def _observed_noun(observing: type, on_event: OnEvent) -> Callable[[Any, Call], Any]:
    """What does a verb of a noun, on the noun of the class that is not observed."""

    def send(self: Any, call: Call) -> Any:
        def act(self: Any) -> Any:
            return call.done(super(observing, self))

        return _observing(call.verb.name, act, on_event)(self)

    return send


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
            told(on_event, Event(name, self.name, seconds, _count(result), error))
        return result

    return call


def told(on_event: OnEvent, event: Event) -> None:
    """Call `on_event`; what it raises is logged."""
    try:
        on_event(event)
    except Exception:  # noqa: BLE001 - the operator's own; what it tells of has been done
        _log.exception("on_event failed for %s", event.name)


def _count(result: object) -> int | None:
    if isinstance(result, bool):
        return None
    if isinstance(result, int):
        return result
    return len(result) if isinstance(result, Sized) and not isinstance(result, str) else None
