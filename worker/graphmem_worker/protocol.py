"""The messages between a process and its worker: msgpack maps, one a message.

    request    {"v": 1, "id": int ≥ 0, "task": str, "payload": {…},
                "deadline": seconds > 0 | nil, "priority": int}
    response   {"id": int ≥ 0, "ok": true, "result": {…}}
    or         {"id": int ≥ 0, "ok": false,
                "error": {"kind": str, "message": str, "transient": bool}}

`multiprocessing.connection.Connection.send_bytes` frames them.  The deadline counts from the moment
the worker reads the request; of waiting requests the one with the highest priority is done first,
of equals the oldest.  Fields are exactly these: an unknown one is an error.  What comes in is
checked in full, and only `wish` and `written` may be left out; rubbish raises `ProtocolError` and
nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, Literal, NotRequired, TypedDict, cast, get_args

import msgpack  # type: ignore[import-untyped, unused-ignore]

from graphmem_worker.errors import ProtocolError

VERSION: Final[int] = 1

LARGEST_MESSAGE: Final[int] = 16 * 1024 * 1024
"""Largest message, in bytes."""

LOG_VARIABLE: Final[str] = "GRAPHMEM_WORKER_LOG"
"""Environment variable: the file to which a worker appends what goes wrong; without it nothing is
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
    """What a model that may write is to write: `source` with its pronouns resolved, or, where
    `longest` is above 0, in at most so many characters.  `speaker` says "I", "" if unknown."""

    source: str
    longest: int
    speaker: str


class Written(TypedDict):
    """What a model wrote that passed the gate, "" for nothing, and why other things did not: the
    first reason of each (`gate.judge`; "phrase" and "keywords" that do not stand in the source;
    "failed" and "deadline" where no answer came)."""

    derived: str
    refused: list[str]


class ProcessPayload(TypedDict):
    """A memory's sentences, the keywords that the user gave and the rarities (nat) of its index
    words; a wish where a model may write."""

    sentences: list[str]
    keywords: list[str]
    rarity: dict[str, float]
    wish: NotRequired[Wish]


class ProcessResult(TypedDict):
    """A salience per sentence, the memory's phrase and its keywords, the user's first; what was
    written, where a model may write."""

    salience: list[float]
    phrase: str
    keywords: list[str]
    written: NotRequired[Written]


class ScorePayload(TypedDict):
    """Sentences to be valued, with the rarities (nat) of their index words."""

    sentences: list[str]
    rarity: dict[str, float]


class ScoreResult(TypedDict):
    """A salience per sentence."""

    salience: list[float]


Kind = Literal["query", "passage"]
"""What a text is embedded as: some models tell a question from what may answer it."""


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
    """Who is there."""

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
    """Why a task was not done; `transient` where it may be done later."""

    kind: str
    message: str
    transient: bool


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to the request with the same id."""

    id: int
    outcome: Mapping[str, Any] | Failure


def encode_request(request: Request) -> bytes:
    """`request` as bytes.  Raises `ProtocolError` if a receiver would refuse it."""
    _check_request(request)
    return _packed(
        {
            "v": VERSION,
            "id": request.id,
            "task": request.task,
            "payload": request.payload,
            "deadline": request.deadline,
            "priority": request.priority,
        }
    )


def decode_request(message: bytes) -> Request:
    """The request in `message`.  Raises `ProtocolError`, with its id where that could be read."""
    fields = _unpacked(message)
    id = fields.get("id")
    known = id if _is_count(id) else None
    try:
        _check_fields(fields, "request", {"v", "id", "task", "payload", "deadline", "priority"})
        if not _is_int(fields["v"]) or fields["v"] != VERSION:
            raise ProtocolError(
                f"request: version {VERSION} is spoken here, not {_shown(fields['v'])}"
            )
        payload = fields["payload"]
        request = Request(
            fields["id"], fields["task"], payload, fields["deadline"], fields["priority"]
        )
        _check_request(request)
    except ProtocolError as error:
        raise ProtocolError(str(error), known) from None
    return request


def encode_response(response: Response) -> bytes:
    """`response` as bytes.  Raises `ProtocolError` if a receiver would refuse it."""
    outcome = response.outcome
    if isinstance(outcome, Failure):
        error = {"kind": outcome.kind, "message": outcome.message, "transient": outcome.transient}
        fields: dict[str, object] = {"id": response.id, "ok": False, "error": error}
    else:
        fields = {"id": response.id, "ok": True, "result": outcome}
    return _packed(fields)


def decode_response(message: bytes) -> Response:
    """The response in `message`.  Raises `ProtocolError`.  The result is not checked: see
    `check_result`."""
    fields = _unpacked(message)
    id = fields.get("id")
    ok = fields.get("ok")
    if not isinstance(ok, bool):
        raise ProtocolError(f"response: ok must be a bool, not {_shown(ok)}")
    _check_fields(fields, "response", {"id", "ok", "result" if ok else "error"})
    if not _is_count(id):
        raise ProtocolError(f"response: id must be an integer from 0, not {_shown(id)}")
    outcome = _map(fields["result" if ok else "error"], "response")
    if ok:
        return Response(cast("int", id), outcome)
    _check_fields(outcome, "error", {"kind", "message", "transient"})
    _text(outcome["kind"], "error: kind")
    _text(outcome["message"], "error: message")
    if not isinstance(outcome["transient"], bool):
        raise ProtocolError(f"error: transient must be a bool, not {_shown(outcome['transient'])}")
    return Response(
        cast("int", id), Failure(outcome["kind"], outcome["message"], outcome["transient"])
    )


def check_payload(task: str, payload: object) -> None:
    """Raises `ProtocolError` unless `payload` is one for `task`."""
    _check(task, payload, "payload", _PAYLOADS)


def check_result(task: str, result: object) -> None:
    """Raises `ProtocolError` unless `result` is one of `task`."""
    _check(task, result, "result", _RESULTS)


# --- checks ---------------------------------------------------------------------------------------

_Check = Callable[[object, str], None]


def _check(task: str, value: object, what: str, shapes: Mapping[str, Mapping[str, _Check]]) -> None:
    shape = shapes.get(task)
    if shape is None:
        raise ProtocolError(f"unknown task {_shown(task)}: known are {', '.join(TASKS)}")
    fields = _map(value, f"{task} {what}")
    _check_fields(fields, f"{task} {what}", set(shape) - (_OPTIONAL - fields.keys()))
    for name in fields:
        shape[name](fields[name], f"{task} {what}: {name}")


def _check_request(request: Request) -> None:
    if not _is_count(request.id):
        raise ProtocolError(
            f"request: id must be an integer from 0 below 2**63, not {_shown(request.id)}"
        )
    if not isinstance(request.task, str):
        raise ProtocolError(f"request: task must be a string, not {_shown(request.task)}")
    deadline = request.deadline
    if deadline is not None and (not _is_number(deadline) or deadline <= 0):
        raise ProtocolError(
            f"request: deadline must be seconds above 0 or nil, not {_shown(deadline)}"
        )
    if not _is_int(request.priority) or not -(2**31) <= request.priority < 2**31:
        raise ProtocolError(
            f"request: priority must be an integer of 32 bits, not {_shown(request.priority)}"
        )
    check_payload(request.task, request.payload)


def _check_fields(fields: Mapping[str, Any], what: str, names: set[str]) -> None:
    if fields.keys() != names:
        lacking = ", ".join(sorted(names - fields.keys())) or "nothing"
        unknown = ", ".join(sorted(map(_shown, fields.keys() - names))) or "nothing"
        raise ProtocolError(f"{what}: lacking {lacking}, unknown {unknown}")


def _map(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise ProtocolError(f"{what} must be a map with string keys, not {_shown(value)}")
    return value


def _text(value: object, what: str) -> None:
    if not isinstance(value, str):
        raise ProtocolError(f"{what} must be a string, not {_shown(value)}")


def _texts(value: object, what: str) -> None:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ProtocolError(f"{what} must be a list of strings, not {_shown(value)}")


def _kind(value: object, what: str) -> None:
    if not isinstance(value, str) or value not in get_args(Kind):
        raise ProtocolError(
            f"{what} must be one of {', '.join(get_args(Kind))}, not {_shown(value)}"
        )


def _text_lists(value: object, what: str) -> None:
    if not isinstance(value, list):
        raise ProtocolError(f"{what} must be a list of lists of strings, not {_shown(value)}")
    for item in value:
        _texts(item, what)


def _numbers(value: object, what: str) -> None:
    if not isinstance(value, list) or not all(map(_is_number, value)):
        raise ProtocolError(f"{what} must be a list of finite numbers, not {_shown(value)}")


def _number_lists(value: object, what: str) -> None:
    if not isinstance(value, list):
        raise ProtocolError(
            f"{what} must be a list of lists of finite numbers, not {_shown(value)}"
        )
    for item in value:
        _numbers(item, what)


def _rarities(value: object, what: str) -> None:
    if not all(map(_is_number, _map(value, what).values())):
        raise ProtocolError(f"{what} must map words to finite numbers, not {_shown(value)}")


def _count(value: object, what: str) -> None:
    if not _is_count(value):
        raise ProtocolError(f"{what} must be an integer from 0, not {_shown(value)}")


def _wish(value: object, what: str) -> None:
    fields = _map(value, what)
    _check_fields(fields, what, {"source", "longest", "speaker"})
    _text(fields["source"], f"{what}: source")
    _count(fields["longest"], f"{what}: longest")
    _text(fields["speaker"], f"{what}: speaker")


def _written(value: object, what: str) -> None:
    fields = _map(value, what)
    _check_fields(fields, what, {"derived", "refused"})
    _text(fields["derived"], f"{what}: derived")
    _texts(fields["refused"], f"{what}: refused")


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _shown(value: object) -> str:
    """A value in a message: short, whatever was sent."""
    if isinstance(value, (dict, list, bytes)):
        return f"{type(value).__name__} of {len(value)}"
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_OPTIONAL: Final[frozenset[str]] = frozenset(("wish", "written"))
_PAYLOADS: Final[Mapping[str, Mapping[str, _Check]]] = {
    "segment": {"text": _text},
    "process": {"sentences": _texts, "keywords": _texts, "rarity": _rarities, "wish": _wish},
    "score": {"sentences": _texts, "rarity": _rarities},
    "embed": {"texts": _texts, "kind": _kind},
    "ping": {},
}
_RESULTS: Final[Mapping[str, Mapping[str, _Check]]] = {
    "segment": {"segments": _text_lists},
    "process": {
        "salience": _numbers,
        "phrase": _text,
        "keywords": _texts,
        "written": _written,
    },
    "score": {"salience": _numbers},
    "embed": {"vectors": _number_lists},
    "ping": {"backend": _text, "pid": _count},
}


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
    return _map(fields, "message")
