"""Adapters: how arguments and results cross between Python, another process and commands.

An argument is adapted by its annotation, as it is written in `Verbs` (`KINDS`), a result by the
annotation of the return value (`RESULTS`). Other values are packed by the codec alone. Verbs that a
client does partly itself are in `IN_PARTS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from inspect import Parameter
from io import BytesIO
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

from graphmem.errors import ArgumentTypeError
from graphmem.hexastore import terms
from graphmem.services.tokens import Estimate, counter
from graphmem.sharing import content
from graphmem.storage.folder import path_name
from graphmem.values.about import About
from graphmem.values.checks import check_function
from graphmem.values.conflicts import Conflict, Conflicts
from graphmem.values.lifecycle import CLASSES
from graphmem.values.recall import Recall
from graphmem.values.rendering import Tokens
from graphmem.values.themes import LEVELS
from graphmem.values.where import Where

if TYPE_CHECKING:
    from rdflib.query import Result

Schema = Mapping[str, Any]

_TEXTS_AT_ONCE: Final = 64
_CHARACTERS_AT_ONCE: Final = 1 << 18
_LONGEST_WAIT: Final = 20.0  # seconds that one request waits in the owner
_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class Kind:
    """How the arguments with one annotation cross."""

    schema: Schema | None = None
    """The JSON Schema by which a command reads one; None: it cannot be given outside Python."""
    sent: Callable[[Any], Any] | None = None
    """Converts one in the client before it is sent."""
    taken: Callable[[Any], Any] | None = None
    """Converts the sent value in the owner."""
    function: Callable[[Any], Any] | None = None
    """The part of one that may be a function, which stays in the client: True is sent for it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the results with one annotation cross."""

    packed: Callable[[Any], Any]
    """Converts the result in the owner."""
    unpacked: Callable[[Any, Mapping[str, Any]], Any] = lambda value, own: value
    """Converts it in the client, given the functions among the arguments, by name."""


counted_there: Final = Estimate()
"""Counts tokens in the owner for a client with a counter of its own; the client then selects the
lines of `.text` again."""


def _parsed(written: object) -> object:
    if not isinstance(written, str):
        raise ArgumentTypeError("bindings are terms as N-Triples writes them, by variable")
    return terms.parse(written)


_TEXT: Final[Schema] = {"type": "string"}
_INTEGER: Final[Schema] = {"type": "integer"}
_TEXTS: Final[Schema] = {"type": "array", "items": _TEXT}
_RECORD: Final[Schema] = {"type": "object"}
_PATH: Final = Kind(_TEXT, sent=lambda path: os.path.abspath(path_name(path)))


def _named(given: object) -> object:
    """True for a function; anything else as it is."""
    return True if callable(given) else given


def _counted(sent: object) -> object:
    """The token counter for a sent value."""
    return counted_there if sent is True else sent


def _budget(sent: object) -> object:
    """A number of tokens, with its counter if one was sent."""
    if isinstance(sent, list) and len(sent) == 2:
        return Tokens(sent[0], cast(Any, _counted(sent[1])))
    return sent


def _numbers(given: Any) -> object:
    """The numbers of a vector, such as an array of numpy; anything else as it is."""
    try:
        return [*map(float, given)]
    except (TypeError, ValueError, OverflowError):
        return given


def _storable(value: object) -> object:
    """A value of an item. Checked here, because the owner gets any sequence as a list. Raises what
    the owner would."""
    content.packed("value", value)
    return value


_OWN: Final = Kind(sent=_named, function=lambda given: given)


def _of_fields(kind: Any) -> Kind:
    """How a record of arguments crosses: as a mapping of its fields."""
    names = [field.name for field in fields(kind)]

    def sent(given: object) -> object:
        if not isinstance(given, kind):
            return given  # the owner raises the error
        found = {name: getattr(given, name) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def taken(sent: object) -> object:
        return kind(**sent) if isinstance(sent, dict) and sent.keys() <= {*names} else sent

    return Kind(_RECORD, sent, taken)


KINDS: Final[Mapping[str, Kind]] = {
    "str": Kind(_TEXT),
    "int": Kind(_INTEGER),
    "float": Kind({"type": "number"}),
    "bool": Kind({"type": "boolean"}),
    "object": Kind(_TEXT),
    "NodeLike": Kind(_INTEGER),
    "Node | Hit | int": Kind(_INTEGER),
    "NodeLike | str": Kind({"type": ["integer", "string"]}),
    "ConflictLike": Kind(
        _TEXT,
        sent=lambda given: list(given.pair) if isinstance(given, Conflict) else given,
    ),
    "int | str": Kind({"type": ["integer", "string"]}),
    "Level": Kind({"type": "string", "enum": list(LEVELS)}),
    "NodeLike | Iterable[NodeLike]": Kind(_INTEGER),
    "date | str | float | timedelta": Kind(
        {"type": ["string", "number"]},
        sent=lambda until: until.total_seconds() if isinstance(until, timedelta) else until,
    ),
    "date | str": Kind(_TEXT),
    "Iterable[Mapping[str, Any]]": Kind({"type": "array", "items": _RECORD}),
    "Iterable[NodeLike]": Kind({"type": "array", "items": _INTEGER}),
    "Class": Kind({"type": "string", "enum": list(CLASSES)}),
    "Iterable[str]": Kind(_TEXTS),
    "Sequence[str]": Kind(_TEXTS),
    "Iterable[Sequence[str | int]]": Kind({"type": "array", "items": {}}),
    "str | Sequence[str]": Kind(_TEXT),
    "Sequence[float]": Kind({"type": "array", "items": {"type": "number"}}, sent=_numbers),
    "Iterable[str | Mapping[str, Any]]": Kind(),
    "Iterable[Pattern]": Kind(),
    "Any": Kind({}, sent=_storable),
    "Mapping[str, str]": Kind(_RECORD),
    "Mapping[str, float]": Kind(_RECORD),
    "Mapping[str, Any]": Kind(_RECORD),
    "str | Mapping[str, Any]": Kind(_TEXT),
    "bool | Mapping[str, str]": Kind({"type": "boolean"}),
    # Relative paths are resolved in the client's folder, not the owner's.
    "str | os.PathLike[str]": _PATH,
    "Binding": Kind(sent=lambda value: terms.term(value).n3(), taken=_parsed),
    "TokenCounter | str": Kind(_TEXT, sent=_named, taken=_counted, function=_OWN.function),
    "int | Tokens": Kind(
        _INTEGER,
        sent=lambda given: [given.most, _named(given.by)] if isinstance(given, Tokens) else given,
        taken=_budget,
        function=lambda given: given.by if isinstance(given, Tokens) else None,
    ),
    "Where": _of_fields(Where),
    "About": _of_fields(About),
}
"""By the annotation without `| None`; `Literal[…]` and `Callable[…]` are added by `kind_of`."""


def kind_of(parameter: Parameter) -> Kind:
    """How an argument crosses. Raises KeyError for an annotation that the table does not have."""
    bare = str(parameter.annotation).removesuffix(" | None")
    if bare.startswith("Callable["):
        return _OWN
    if bare.startswith("Literal["):
        choices = [part.strip().strip("\"'") for part in bare[8:-1].split(",")]
        return Kind({"type": "string", "enum": choices})
    return KINDS[bare]


# -- results ----------------------------------------------------------------------------------


def _with_lines(found: Recall) -> Recall:
    """A recall with the lines of its text, unless the client counts tokens itself."""
    if found._counter is not counted_there and found.tokens is not None:
        found._filled  # noqa: B018 - computed here, and sent
    return found


def _counting(found: Recall, own: Mapping[str, Any]) -> Recall:
    if "tokens" in own:
        found._counter = counter(own["tokens"])
    return found


def _written(result: Result) -> tuple[str, bytes]:
    """A query's result as it is sent: its kind, and SPARQL JSON or N-Triples."""
    form = "json" if result.type in ("SELECT", "ASK") else "nt"
    return result.type, result.serialize(format=form, encoding="utf-8") or b""


def _read(answer: tuple[str, bytes], own: Mapping[str, Any]) -> Result:
    from rdflib import Graph
    from rdflib.query import Result

    kind, written = answer
    if kind in ("SELECT", "ASK"):
        return Result.parse(BytesIO(written), format="json")
    result = Result(kind)
    result.graph = Graph().parse(BytesIO(written), format="nt")
    return result


RESULTS: Final[Mapping[str, Outcome]] = {
    "Recall": Outcome(_with_lines, _counting),
    "Conflicts": Outcome(lambda found: ([*found], found.notes), lambda sent, own: Conflicts(*sent)),
    "Result": Outcome(_written, _read),
    # The owner keeps the key of its server to itself.
    "Settings": Outcome(lambda found: replace(found, server_key=None, home=None)),
    "_Memory": Outcome(lambda memory: None),  # the client makes its own
}


# -- verbs that a client does partly itself ----------------------------------------------------

Send = Callable[..., Any]
"""Sends a verb with the arguments that it is called with; returns the result."""


def _many(send: Send, texts: Any, *, progress: Callable[[int], None] | None = None) -> list[Any]:
    """Send texts as they come, up to 64 in a request."""
    if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable):
        written: list[Any] = send(texts)  # the owner raises the error
        return written
    check_function("progress", progress)
    done: list[Any] = []
    waiting: list[Any] = []
    characters = 0

    def write() -> None:
        # Removed first, so that `finally` does not send them again after a failure.
        ready, waiting[:] = waiting[:], []
        done.extend(send(ready))
        if progress is not None:
            progress(len(done))

    try:
        for item in texts:
            text = item.get("text") if isinstance(item, Mapping) else item
            length = len(text) if isinstance(text, str) else 0
            characters += length
            if len(waiting) == _TEXTS_AT_ONCE or (waiting and characters > _CHARACTERS_AT_ONCE):
                write()
                characters = length
            waiting.append(item)
    finally:
        if waiting:
            write()
    return done


def _contained(send: Send, node: object) -> bool:
    try:
        return bool(send(node))
    except ArgumentTypeError:
        return False


def _searched(
    send: Send, patterns: Any, *, where: Any = None, limit: int | None = None, offset: int = 0
) -> Iterator[Any]:
    """Apply `where` in the client: functions are not sent."""
    if where is None:
        found: Iterator[Any] = send(patterns, limit=limit, offset=offset)
        return found
    send(patterns, limit=limit, offset=offset)  # raises for wrong ones
    kept = filter(where, send(patterns))
    return islice(kept, offset, None if limit is None else offset + limit)


def _waited(send: Send, since: int | None = None, *, wait: Any = 0.0, **named: Any) -> Any:
    """Wait in slices of 20 seconds, so that the owner does not wait long for a client that has
    gone."""
    if not isinstance(wait, int | float) or not _LONGEST_WAIT < wait <= _DAY:
        return send(since, wait=wait, **named)
    until = monotonic() + wait
    while True:
        left = until - monotonic()
        found = send(since, wait=max(0.0, min(left, _LONGEST_WAIT)), **named)
        if found or found.gap or left <= _LONGEST_WAIT:
            return found
        since = found.last


IN_PARTS: Final[Mapping[str, Callable[..., Any]]] = {
    "remember_many": _many,
    "__contains__": _contained,
    "graph.facts.search": _searched,
    "history.changes": _waited,
    "items.changes": _waited,
    "pool.changes": _waited,
}
"""By the verb's name; each gets a `Send`, then the arguments of the call."""
