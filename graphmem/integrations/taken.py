"""For all adapters: checks of their extra and arguments, and asynchronous methods."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from graphmem.api.verbs import Verbs
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, MissingExtraError
from graphmem_worker.errors import install

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """A block of imports that need an extra. Raises MissingExtraError."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"this adapter needs {error.name}; {install(extra)}") from error


def awaited(act: Callable[_Given, _Result]) -> Callable[_Given, Coroutine[Any, Any, _Result]]:
    """A method as a coroutine that runs it in a thread, so that the event loop is not blocked."""

    @wraps(act)
    async def run(*given: _Given.args, **named: _Given.kwargs) -> _Result:
        return await asyncio.to_thread(act, *given, **named)

    return run


def checked_memory(given: object) -> Verbs:
    """The memory that was given. Raises ArgumentTypeError for anything else, such as the path of a
    folder, which would fail at the first call with an error that names neither."""
    if not isinstance(given, Verbs):
        raise ArgumentTypeError(
            "memory is what graphmem.open, graphmem.attach or graphmem.reach returned, got "
            f"{type(given).__name__}"
        )
    return given


def checked_name(name: str) -> str:
    """The name of one of several stores in a scope. Raises InvalidArgumentError."""
    if ":" in name or len(name) > 100:
        raise InvalidArgumentError(f"name has up to 100 characters, no colon, got {name!r:.80}")
    return name
