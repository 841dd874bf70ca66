"""The messages between a process and its worker: msgpack maps, one a message.

    request    {"v": 1, "id": int ≥ 0, "task": str, "payload": {…},
                "deadline": seconds > 0 | nil, "priority": int}
    response   {"id": int ≥ 0, "ok": true, "result": {…}}
    or         {"id": int ≥ 0, "ok": false,
                "error": {"kind": str, "message": str, "transient": bool}}

`multiprocessing.connection.Connection.send_bytes` frames them.  The deadline counts from the moment
the worker reads the request; of waiting requests the one with the highest priority is done first,
of equals the oldest.  Fields are exactly these: an unknown one is an error.  What comes in is
checked in full, and only `wish` and `written` may be left out; invalid input raises `ProtocolError`
and nothing else.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import (
    Any,
    Final,
    Literal,
    NotRequired,
    TypedDict,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import msgpack  # type: ignore[import-untyped, unused-ignore]

from graphmem_worker.errors import ProtocolError

VERSION: Final[int] = 1

LARGEST_MESSAGE: Final[int] = 16 * 1024 * 1024
"""Largest message, in bytes."""

LOG_VARIABLE: Final[str] = "GRAPHMEM_WORKER_LOG"
"""Environment variable: the file to which a worker appends its errors; without it none are
written."""
NICE_VARIABLE: Final[str] = "GRAPHMEM_WORKER_NICE"
"""Environment variable: by how much a worker lowers its priority, 0–19; 10 without it."""

Task = Literal["segment", "process", "embed", "score", "ping"]
TASKS: Final[tuple[Task, ...]] = get_args(Task)


class SegmentPayload(TypedDict):
    """A text to cut."""

    text: str


class SegmentResult(TypedDict):
    """The segments, each a list of sentences."""

    segments: list[list[str]]


class Wish(TypedDict):
    """A request to a generative model: `source` with its pronouns resolved or, if `longest` is
    above 0, in at most so many characters.  `speaker` is who "I" is, "" if unknown."""

    source: str
    longest: int
    speaker: str


class Written(TypedDict):
    """The text of a model that passed the gate, "" for none, and the first reason of each refusal
    (`gate.judge`; "phrase" and "keywords" for those that are not in the source; "failed" and
    "deadline" for no answer)."""

    derived: str
    refused: list[str]


class ProcessPayload(TypedDict):
    """A memory's sentences, the user's keywords and the rarities (nat) of its index words; a wish
    if a generative model may be used."""

    sentences: list[str]
    keywords: list[str]
    rarity: dict[str, float]
    wish: NotRequired[Wish]


class ProcessResult(TypedDict):
    """A salience per sentence, the memory's phrase and its keywords, the user's first; the result
    of a wish."""

    salience: list[float]
    phrase: str
    keywords: list[str]
    written: NotRequired[Written]


class ScorePayload(TypedDict):
    """Sentences to be scored, with the rarities (nat) of their index words."""

    sentences: list[str]
    rarity: dict[str, float]


class ScoreResult(TypedDict):
    """A salience per sentence."""

    salience: list[float]


Kind = Literal["query", "passage"]
"""What a text is embedded as: some models distinguish questions from possible answers."""


class EmbedPayload(TypedDict):
    """Texts that need a vector, all of one kind."""

    texts: list[str]
    kind: Kind


class EmbedResult(TypedDict):
    """A vector per text, all of one length."""

    vectors: list[list[float]]


class PingPayload(TypedDict):
    """Nothing."""


class PingResult(TypedDict):
    """The backend and the process that answered."""

    backend: str
    pid: int


@dataclass(frozen=True, slots=True)
class Request:
    """A task for the worker.  `deadline` in seconds from its arrival, `None` for none."""

    id: int
    task: Task
    payload: Mapping[str, Any]
    deadline: float | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a task was not done; `transient` if it may succeed later."""

    kind: str
    message: str
    transient: bool


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to the request with the same id."""

    id: int
    outcome: Mapping[str, Any] | Failure


_OF_TASK: Final[Mapping[str, tuple[type, type]]] = {
    "segment": (SegmentPayload, SegmentResult),
    "process": (ProcessPayload, ProcessResult),
    "score": (ScorePayload, ScoreResult),
    "embed": (EmbedPayload, EmbedResult),
    "ping": (PingPayload, PingResult),
}
"""Payload and result of each task."""
_REQUEST: Final[Mapping[str, Any]] = {
    "id": int, "task": str, "payload": dict[str, Any], "deadline": Any, "priority": Any,
}  # fmt: skip


def encode_request(request: Request) -> bytes:
    """`request` as bytes.  Raises `ProtocolError` if a receiver would refuse it."""
    _check_request(request)
    return _packed({"v": VERSION} | {name: getattr(request, name) for name in Request.__slots__})


def decode_request(message: bytes) -> Request:
    """The request in `message`.  Raises `ProtocolError`, with its id where that could be read."""
    fields = _unpacked(message)
    known = fields["id"] if _is_count(fields.get("id")) else None
    try:
        version = fields.pop("v", None)
        if not _is_count(version) or version != VERSION:
            raise ProtocolError(f"request: version {VERSION} is spoken here, not {_shown(version)}")
        _check_fields(fields, _REQUEST, frozenset(_REQUEST), "request")
        request = Request(**fields)
        _check_request(request)
    except ProtocolError as error:
        raise ProtocolError(str(error), known) from None
    return request


def encode_response(response: Response) -> bytes:
    """`response` as bytes.  Raises `ProtocolError` if a receiver would refuse it."""
    outcome = response.outcome
    fields: dict[str, object] = {"id": response.id, "ok": not isinstance(outcome, Failure)}
    if isinstance(outcome, Failure):
        fields["error"] = {name: getattr(outcome, name) for name in Failure.__slots__}
    else:
        fields["result"] = outcome
    return _packed(fields)


def decode_response(message: bytes) -> Response:
    """The response in `message`.  Raises `ProtocolError`.  The result is not checked: see
    `check_result`."""
    fields = _unpacked(message)
    is_done = fields.pop("ok", None)
    _check(is_done, bool, "response: ok")
    types = {"id": int, "result": dict[str, Any]} if is_done else {"id": int, "error": Failure}
    _check_fields(fields, types, frozenset(types), "response")
    return Response(fields["id"], fields["result"] if is_done else Failure(**fields["error"]))


def check_payload(task: str, payload: object) -> None:
    """Raises `ProtocolError` unless `payload` is one for `task`."""
    _check_of(task, 0, payload)


def check_result(task: str, result: object) -> None:
    """Raises `ProtocolError` unless `result` is one of `task`."""
    _check_of(task, 1, result)


# --- checks ---------------------------------------------------------------------------------------


def _check_of(task: object, place: int, value: object) -> None:
    if not isinstance(task, str) or task not in _OF_TASK:
        raise ProtocolError(f"unknown task {_shown(task)}: known are {', '.join(TASKS)}")
    _check(value, _OF_TASK[task][place], f"{task} {('payload', 'result')[place]}")


def _check_request(request: Request) -> None:
    _check(request.id, int, "request: id")
    deadline, priority = request.deadline, request.priority
    if deadline is not None and (not _is_number(deadline) or deadline <= 0):
        raise ProtocolError(f"request: deadline is seconds above 0 or nil, not {_shown(deadline)}")
    if type(priority) is not int or not -(2**31) <= priority < 2**31:
        raise ProtocolError(
            f"request: priority is an integer of 32 bits, not {_shown(request.priority)}"
        )
    check_payload(request.task, request.payload)


def _check(value: object, declared: Any, what: str) -> None:
    """Raises `ProtocolError` unless a value is of a declared type."""
    if is_typeddict(declared) or declared is Failure:
        types = _types(declared)
        _check_fields(value, types, getattr(declared, "__required_keys__", types.keys()), what)
    elif not _test(declared)(value):
        name = str(declared) if get_args(declared) else declared.__name__
        raise ProtocolError(f"{what} is of type {name}, not {_shown(value)}")


def _check_fields(value: object, types: Mapping[str, Any], required: Set[str], what: str) -> None:
    if not _is_map(value):
        raise ProtocolError(f"{what} is a map with string keys, not {_shown(value)}")
    fields = cast("dict[str, Any]", value)
    if lacking := required - fields.keys():
        raise ProtocolError(f"{what}: lacking {', '.join(sorted(lacking))}")
    if unknown := fields.keys() - types.keys():
        raise ProtocolError(f"{what}: unknown {', '.join(sorted(map(_shown, unknown)))}")
    for name, field in fields.items():
        _check(field, types[name], f"{what}: {name}")


_types: Final = cache(get_type_hints)


@cache
def _test(declared: Any) -> Callable[[Any], bool]:
    """The predicate of values of a declared type; integers must be at least 0, floats finite."""
    origin, inner = get_origin(declared), get_args(declared)
    if origin is Literal:
        return lambda value: isinstance(value, str) and value in inner
    if origin is list:
        fits = _test(inner[0])
        return lambda value: isinstance(value, list) and all(map(fits, value))
    if origin is dict:
        fits = _test(inner[1])
        return lambda value: _is_map(value) and all(map(fits, value.values()))
    return {int: _is_count, float: _is_number, Any: lambda _: True}.get(
        declared, lambda value: isinstance(value, declared)
    )


def _is_map(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _shown(value: object) -> str:
    """A value as a message shows it, at most 60 characters."""
    if isinstance(value, (dict, list, bytes)):
        return f"{type(value).__name__} of {len(value)}"
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# --- bytes ----------------------------------------------------------------------------------------


def _packed(fields: Mapping[str, object]) -> bytes:
    try:
        message: bytes = msgpack.packb(fields)
    # Lone surrogates, integers over 64 bits, foreign types, nesting without end.
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ProtocolError(f"this cannot be sent: {error}") from None
    if len(message) > LARGEST_MESSAGE:
        raise ProtocolError(
            f"a message has at most {LARGEST_MESSAGE} bytes, this one {len(message)}: send less"
        )
    return message


def _no_extensions(code: int, data: bytes) -> object:
    raise ProtocolError(f"extension type {code} is not spoken here")


def _unpacked(message: bytes) -> dict[str, Any]:
    if len(message) > LARGEST_MESSAGE:
        raise ProtocolError(
            f"a message has at most {LARGEST_MESSAGE} bytes, this one {len(message)}"
        )
    try:
        fields = msgpack.unpackb(message, strict_map_key=True, ext_hook=_no_extensions, timestamp=0)
    except ProtocolError:
        raise
    except (
        ValueError,
        TypeError,
        OverflowError,
        RecursionError,
        MemoryError,
        msgpack.UnpackException,
    ) as error:
        raise ProtocolError(f"not msgpack: {type(error).__name__}") from None
    _check(fields, dict[str, Any], "message")
    return cast("dict[str, Any]", fields)
