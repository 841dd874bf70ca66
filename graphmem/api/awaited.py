"""Awaited: a memory whose verbs are awaited; one thread of its own does them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any, Final, TypeVar

from graphmem.api.verbs import Verbs
from graphmem.declaring import Call, senders
from graphmem.errors import ArgumentTypeError, ClosedError, InvalidArgumentError

_Result = TypeVar("_Result")
_PAGE: Final = 64  # nodes that are read at once of a listing
_SLICE: Final = 1.0  # seconds after which a wait that was cancelled ends


class Awaited:
    """What `graphmem.aio` gives: every verb of `Memory`, to be awaited, and its nouns.

    Calls are done one after the other in one thread, so the event loop never waits for the disk.
    Listings are read with `async for`. A call that is cancelled before its turn is not done; one
    that has begun is done to its end. Functions such as `progress` are called in the thread.
    `changes(wait=…)` waits in a thread of its own.

    What a call returns or raises is what `Memory` returns or raises.
    """

    def __init__(self, memory: Verbs, thread: ThreadPoolExecutor, *, first: bool = True) -> None:
        """Use `graphmem.aio`. first: closing it closes the memory."""
        self._memory = memory
        self._thread = thread
        self._first = first

    @property
    def name(self) -> str:
        """The name of this memory's scope."""
        return self._memory.name

    @property
    def path(self) -> str | None:
        """The absolute path of the folder; None if the memory is not on disk."""
        return self._memory.path

    async def run(self, act: Callable[[Verbs], _Result]) -> _Result:
        """Call a function with the memory itself, in its thread; for a `with memory.transaction()`,
        or for many calls at once."""
        return await self._done(partial(act, self._memory))

    async def close(self) -> None:
        """Close the memory, as `Memory.close`, and end the thread. Idempotent."""
        if self._first:
            with suppress(ClosedError):
                await self._done(self._memory.close)
            self._thread.shutdown(wait=False)

    async def __aenter__(self) -> Awaited:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    def __bool__(self) -> bool:
        """True: whether there are nodes is asked with `run`."""
        return True

    def __repr__(self) -> str:
        return f"<Awaited {self._memory!r}>"

    def _send(self, call: Call) -> Any:
        verb = call.verb
        if verb.owner_only:
            raise InvalidArgumentError(
                f"{verb.name}() belongs to the thread that calls it: await memory.run(function), "
                "in which it can be used"
            )
        if verb.waits:
            return self._waited(call)
        act = partial(call.done, self._memory)
        if str(verb.signature.return_annotation).startswith("Iterator["):
            return self._listed(act)
        return self._result(act)

    async def _result(self, act: Callable[[], Any]) -> Any:
        result = await self._done(act)
        if isinstance(result, Verbs):  # of another scope
            return type(self)(result, self._thread, first=False)
        return result

    async def _done(self, act: Callable[[], _Result]) -> _Result:
        try:
            called = self._thread.submit(copy_context().run, act)
        except RuntimeError:
            raise ClosedError("the memory was closed: open it again") from None
        return await asyncio.wrap_future(called)

    async def _listed(self, act: Callable[[], Iterator[Any]]) -> AsyncIterator[Any]:
        rows = await self._done(act)
        try:
            while page := await self._done(lambda: list(islice(rows, _PAGE))):
                for row in page:
                    yield row
        finally:
            if (close := getattr(rows, "close", None)) is not None:
                with suppress(RuntimeError):
                    self._thread.submit(close)  # the snapshot that it reads

    async def _waited(self, call: Call) -> Any:
        bound = call.verb.signature.bind(None, *call.given, **call.named)
        wait = bound.arguments.get("wait", 0.0)
        until = monotonic() + wait if isinstance(wait, int | float) else 0.0
        # Not asyncio's pool: its few threads are also used to look up addresses.
        thread = ThreadPoolExecutor(1, "graphmem-aio-wait")
        try:
            while True:
                if _SLICE < until - monotonic() <= wait:
                    bound.arguments["wait"] = _SLICE
                asked = call._replace(given=bound.args[1:], named=bound.kwargs)
                act = partial(asked.done, self._memory)
                found = await asyncio.wrap_future(thread.submit(copy_context().run, act))
                left = until - monotonic()
                if found or found.gap or left <= 0:
                    return found
                bound.arguments |= {"since": found.last, "wait": left}
        finally:
            thread.shutdown(wait=False)


def _awaited(name: str, sender: Any, noun: str) -> Iterator[tuple[str, Any]]:
    """The attributes in place of a method that Python calls by an operator and cannot await: they
    raise, and name what to await. Without them, `in` and `list` would call `__getitem__` with one
    index after the other."""
    memory = f"memory.{noun}" if noun else "memory"
    within = "await memory.run(lambda memory: {})"
    match name:
        case "__getitem__":
            yield name, sender
        case "__iter__":
            yield "__aiter__", sender
            yield name, _refusing(f"read {memory} with `async for`")
        case "__contains__":
            yield name, _refusing(f"`in` cannot be awaited: {within.format(f'… in {memory}')}")
        case "__len__":
            yield name, _refusing(f"len() cannot be awaited: {within.format(f'len({memory})')}")
            yield "__bool__", lambda _: True  # how many there are is asked as above


def _refusing(advice: str) -> Callable[..., Any]:
    def refuse(self: object, *_: object) -> Any:
        raise ArgumentTypeError(advice)

    return refuse


for _name, _sender in senders(Verbs, suited=_awaited):
    setattr(Awaited, _name, _sender)


class Opening:
    """A memory that is about to be opened: await it, or use it with `async with`."""

    def __init__(self, find: Callable[[], Verbs]) -> None:
        self._find = find
        self._opened: Awaited | None = None

    def __await__(self) -> Generator[Any, None, Awaited]:
        return self._open().__await__()

    async def _open(self) -> Awaited:
        thread = ThreadPoolExecutor(1, "graphmem-aio")
        opening = thread.submit(copy_context().run, self._find)
        try:
            self._opened = Awaited(await asyncio.shield(asyncio.wrap_future(opening)), thread)
        except BaseException:
            # Cancelled while it opened: it is closed before whoever cancelled goes on.
            closing = thread.submit(_close, opening)
            thread.shutdown(wait=False)
            await asyncio.shield(asyncio.wrap_future(closing))
            raise
        return self._opened

    async def __aenter__(self) -> Awaited:
        return await self._open()

    async def __aexit__(self, *raised: object) -> None:
        if self._opened is not None:
            await self._opened.close()


def _close(opening: Any) -> None:
    if opening.exception() is None:
        opening.result().close()


def awaited(find: Callable[..., Verbs]) -> Callable[..., Opening]:
    """The asynchronous version of a function that opens a memory."""

    def opening(*given: Any, **named: Any) -> Opening:
        return Opening(partial(find, *given, **named))

    opening.__doc__ = find.__doc__
    return opening
