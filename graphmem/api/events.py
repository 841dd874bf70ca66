"""Events: reports on the calls of a memory for its operator, without any of its text."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sized
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias, TypeVar, cast

from graphmem.declaring import Call, senders
from graphmem.hexastore.transaction import Together

_Class = TypeVar("_Class", bound=type)
_log = logging.getLogger("graphmem.events")


@dataclass(frozen=True, slots=True)
class Event:
    """A call that has ended.

    name: the name of the verb, such as "recall" or "history.life"; a "transaction" ends with its
        block.
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

    def send(self: Any, call: Call) -> Any:
        result = None
        begun = perf_counter()

        def report(error: str | None) -> None:
            count = None if isinstance(result, found) else _count(result)  # `len` makes an event
            seconds = perf_counter() - begun
            notify(on_event, Event(call.verb.name, self.name, seconds, count, error))

        try:
            result = call.done(super(found, self))
        except BaseException as raised:
            report(type(raised).__name__)
            raise
        if isinstance(result, Together):
            result.ended = report
        else:
            report(None)
        return result

    made = dict(senders(kind))
    del made["__iter__"]  # it calls `nodes`, which makes an event
    found: Any = type(kind.__name__, (kind,), {**made, "_send": send})
    return cast(_Class, found)


def notify(on_event: OnEvent, event: Event) -> None:
    """Call `on_event`; what it raises is logged."""
    try:
        on_event(event)
    except Exception:  # noqa: BLE001 - the operator's code; the call itself has ended
        _log.exception("on_event failed for %s", event.name)


def _count(result: object) -> int | None:
    if isinstance(result, bool):
        return None
    if isinstance(result, int):
        return result
    return len(result) if isinstance(result, Sized) and not isinstance(result, str) else None
