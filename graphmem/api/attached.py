"""Attached: the memory that another process has open; each verb is sent to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from inspect import Parameter
from typing import Any, Generic, Protocol, TypeVar

from graphmem.api.adapters import IN_PARTS, RESULTS, kind_of
from graphmem.api.verbs import Verbs
from graphmem.attaching.codec import encode_request
from graphmem.attaching.connections import Line
from graphmem.attaching.listener import Served
from graphmem.declaring import Call, Verb, sends, verbs_of
from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.values.checks import check_function


class Access(Protocol):
    """How this process accesses a folder: by connections to its owner, or as the owner."""

    @property
    def path(self) -> str:
        """The folder, absolute."""

    @property
    def owner_pid(self) -> int:
        """The process that has it open, or had it when it was last asked."""

    def close(self) -> None:
        """Release it. Idempotent."""


_Access = TypeVar("_Access", bound=Access)


@sends
class Client(Verbs, ABC, Generic[_Access]):
    """A memory whose verbs are sent; the memories of all scopes of a folder share the access."""

    def __init__(self, access: _Access, name: str) -> None:
        """Use `graphmem.attach` or `graphmem.reach`."""
        self._access = access
        self._name = name

    @property
    def name(self) -> str:
        """The name of this memory's scope."""
        return self._name

    @property
    def path(self) -> str:
        """The folder, absolute."""
        return self._access.path

    @property
    def owner_pid(self) -> int:
        """The process that has the folder open, or had it when it was last asked."""
        return self._access.owner_pid

    def _send(self, call: Call) -> Any:
        if call.verb.name != "scopes.open":
            return self._do(call)
        call = repeatable(call)
        self._do(call)
        # It shares the access to the folder, and is closed with this one.
        return type(self)(self._access, call.given[0] if call.given else call.named["name"])

    @abstractmethod
    def _do(self, call: Call) -> Any:
        """Send a call; returns its result."""

    def close(self) -> None:
        """Release the folder: another process that has it open keeps it, and if this one had it
        open, another may open it. Idempotent."""
        self._access.close()

    def __repr__(self) -> str:
        pid = self.owner_pid
        return f"<{type(self).__name__} {self._name!r} in {self.path}, open in process {pid}>"


class Attached(Client[Line]):
    """A memory that another process has open, as `Memory` shows it; made by `graphmem.attach`.

    It returns and raises what `Memory` does, and also raises OwnerGoneError when the owner ends
    during a call, OwnerSilentError after `timeout`, and NotOpenError when nobody has the folder
    open any more. After an owner has gone, the next call looks for a new one.

    Any number of threads may use it; each call under way has a connection of its own.
    """

    def _do(self, call: Call) -> Any:
        def send(*given: Any, **named: Any) -> Any:
            return ask(self._access, self._name, call._replace(given=given, named=named))

        in_parts = partial(IN_PARTS[call.verb.name], send) if call.verb.name in IN_PARTS else send
        return in_parts(*call.given, **call.named)


def repeatable(call: Call) -> Call:
    """A call with lists in place of iterators, which can be read only once."""

    def kept(value: object) -> object:
        return list(value) if isinstance(value, Iterator) else value

    named = {name: kept(value) for name, value in call.named.items()}
    return call._replace(given=tuple(map(kept, call.given)), named=named)


def ask(line: Line, scope: str | None, call: Call) -> Any:
    """Send a call to the owner; returns its result.

    Raises what the verb raises; ArgumentTypeError for arguments that do not fit its signature,
    InvalidArgumentError for verbs and arguments that work in the owner's process only.
    """
    verb, given, named, of = call
    if verb.owner_only:
        raise InvalidArgumentError(
            f"{verb.name}() works in the owner's process only: {verb.owner_only}"
        )
    bound = verb.bind(given, named)
    own: dict[str, Callable[..., Any]] = {}
    for parameter in verb.parameters:
        name = parameter.name
        if name not in bound.arguments:
            continue
        value, kind = bound.arguments[name], kind_of(parameter)
        if name in verb.owner_arguments and value:
            raise InvalidArgumentError(
                f"{name} works in the owner's process only: {verb.owner_arguments[name]}"
            )
        if kind.function is not None and (function := kind.function(value)) is not None:
            if function is True:
                check_function(name, function)  # it would be taken for a function that stays
            if callable(function):
                own[name] = function
        if kind.sent is not None and value is not None:
            bound.arguments[name] = _each(kind.sent, parameter, value)
    arguments = [*bound.args[1:]]
    if verb.of_arguments:
        arguments.insert(0, [*of])
    request = [verb.name, scope, arguments, bound.kwargs]
    result = line.ask(encode_request(request, facts=verb.terms), own.get("progress"))
    outcome = RESULTS.get(str(verb.signature.return_annotation))
    return result if outcome is None else outcome.unpacked(result, own)


def _each(change: Callable[[Any], Any], parameter: Parameter, value: Any) -> Any:
    """Apply `change` to an argument; for `**named` to each value."""
    if parameter.kind is parameter.VAR_KEYWORD:
        return {key: change(item) for key, item in value.items()}
    return change(value)


def serve(verb: Verb, memory: Any, /, *given: Any, **named: Any) -> Any:
    """Do a verb for a client: the owner's side of `ask`.

    memory: a `Memory`. Raises ArgumentTypeError for arguments that do not fit the signature.
    """
    of: Sequence[object] = ()
    if verb.of_arguments:
        first, *rest = given or ((),)
        if not isinstance(first, list) or len(first) > verb.of_arguments:
            raise ArgumentTypeError(f"{verb.name} takes the arguments of {verb.of}() first, a list")
        of, given = first, tuple(rest)
    bound = verb.bind(given, named)
    for parameter in verb.parameters:
        name, taken = parameter.name, kind_of(parameter).taken
        if taken is not None and name in bound.arguments:
            bound.arguments[name] = _each(taken, parameter, bound.arguments[name])
    result = Call(verb, bound.args[1:], bound.kwargs, tuple(of)).done(memory)
    outcome = RESULTS.get(str(verb.signature.return_annotation))
    return result if outcome is None else outcome.packed(result)


@cache
def served() -> dict[str, Served]:
    """The verbs that an owner serves to its clients, by name."""
    verbs = verbs_of(Verbs).items()
    return {n: Served(partial(serve, verb), verb.waits) for n, verb in verbs if not verb.owner_only}
