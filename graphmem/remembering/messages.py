"""Messages of a chat, and files of texts, as what `remember` takes: one mapping for each text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    InvalidTextError,
    MalformedError,
)
from graphmem.remembering import drafts
from graphmem.values.checks import is_blank

Draftable: TypeAlias = dict[str, Any]
"""Arguments of `remember`: `text`, and where known speaker, session, happened, keywords."""

_SPEAKERS: Final[Mapping[str, str]] = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant",
    "model": "assistant", "system": "system", "developer": "system",
}  # fmt: skip
_TOOLS: Final = frozenset(("tool", "function"))
_TEXT_PARTS: Final = frozenset(("text", "input_text", "output_text"))
_WHEN: Final = ("timestamp", "created_at")
_FIELDS: Final = frozenset(
    ("text", "speaker", "session", "happened", "keywords", "pin", "kind", "confidence", "keep",
     "metadata", "shared", "importance")
)  # fmt: skip
_MILLISECONDS: Final = 1e11  # from here on a number of seconds would be beyond the year 5138


def read_messages(messages: object, session: str | None = None) -> list[Draftable]:
    """The texts of chat messages, in their order; a message without any gives none, and tool calls,
    their results, images and files are left out.

    The speaker is the `name`, or else the role: user, assistant or system. The
    session is the message's own, else `session`. `timestamp` or `created_at`, an ISO date-time
    or seconds (or milliseconds) since 1970, becomes `happened`; without a zone it is in UTC.

    Raises ArgumentTypeError or InvalidArgumentError, which name the message by its number from 0.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise ArgumentTypeError('messages is a list of {"role": …, "content": …}')
    found: list[Draftable] = []
    for number, message in enumerate(messages):
        what = f"messages[{number}]"
        if not isinstance(message, Mapping):
            raise ArgumentTypeError(f"{what} is a {type(message).__name__}, not a mapping")
        role = message.get("role")
        if not isinstance(role, str):
            raise ArgumentTypeError(f'{what} has no "role", a str')
        if role in _TOOLS:
            continue
        if "content" not in message and not _calls_tools(message):
            raise ArgumentTypeError(f'{what} has no "content", a str or a list of parts')
        text = "\n\n".join(_texts(what, message.get("content")))
        if not text:
            continue
        drafted: Draftable = {"text": text, "speaker": _speaker(what, message, role)}
        if (own := message.get("session", session)) is not None:
            if not isinstance(own, str):
                raise ArgumentTypeError(f'the "session" of {what} is a str')
            drafted["session"] = own
        if (happened := _happened(what, message)) is not None:
            drafted["happened"] = happened
        found.append(drafted)
    return found


def read_lines(path: str, lines: Iterable[str]) -> Iterator[Draftable]:
    """Plain text, one note a line; blank lines are skipped. Raises MalformedError with the line
    that cannot be remembered, after yielding those before it."""
    for number, line in enumerate(lines, 1):
        if text := line.strip():
            yield _checked(path, number, {"text": text})


def read_jsonl(path: str, lines: Iterable[str], session: str | None = None) -> Iterator[Draftable]:
    """JSONL, one object a line: a message with "role", or our fields with "text".

    Raises MalformedError with the line that is neither or cannot be remembered, after yielding
    those before it.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise MalformedError(path, number, None, f"no JSON ({error})") from None
        if not isinstance(value, dict):
            raise MalformedError(path, number, None, "not an object")
        if "role" in value:
            try:
                made = read_messages([value], session)
            except (ArgumentTypeError, InvalidArgumentError) as error:
                reason = str(error).replace("messages[0]", "the message")
                raise MalformedError(path, number, None, reason) from None
            yield from (_checked(path, number, message) for message in made)
            continue
        yield _checked(path, number, _own_fields(path, number, value, session))


def _checked(path: str, number: int, drafted: Draftable) -> Draftable:
    """A draftable whose values can be remembered. Raises MalformedError with the line."""
    try:
        drafts.check_given(**drafted)
    except (ArgumentTypeError, InvalidArgumentError, InvalidTextError) as error:
        raise MalformedError(path, number, None, str(error)) from None
    return drafted


def _own_fields(
    path: str, number: int, value: Mapping[str, object], session: str | None
) -> Draftable:
    if not isinstance(value.get("text"), str):
        raise MalformedError(path, number, None, 'neither "role" and "content" nor a "text"')
    if unknown := sorted(value.keys() - _FIELDS):
        known = ", ".join(sorted(_FIELDS))
        raise MalformedError(path, number, None, f"no field {unknown[0]!r:.80}; there are {known}")
    drafted = {name: held for name, held in value.items() if held is not None}
    if session is not None:
        drafted.setdefault("session", session)
    return drafted


def _texts(what: str, content: object) -> Iterator[str]:
    """The texts of a content; it is None in a message that only calls tools."""
    parts = [content] if isinstance(content, str | Mapping) else content or []
    if not isinstance(parts, list | tuple):
        raise ArgumentTypeError(f'the "content" of {what} is a str or a list of parts')
    for part in parts:
        if not isinstance(part, str | Mapping):
            raise ArgumentTypeError(f"a part of {what} is a {type(part).__name__}")
        if isinstance(part, str):
            text: object = part
        else:
            text = part.get("text") if part.get("type", "text") in _TEXT_PARTS else None
        if isinstance(text, str) and not is_blank(text):
            yield text.strip()


def _calls_tools(message: Mapping[str, object]) -> bool:
    calls = message.get("tool_calls")
    is_call = isinstance(message.get("function_call"), Mapping)
    return is_call or (isinstance(calls, list | tuple) and bool(calls))


def _speaker(what: str, message: Mapping[str, object], role: str) -> str:
    name = message.get("name")
    if not isinstance(name, str | None):
        raise ArgumentTypeError(f'the "name" of {what} is a str')
    role = role.strip()
    return (name or "").strip() or _SPEAKERS.get(role.casefold(), role) or "user"


def _happened(what: str, message: Mapping[str, object]) -> datetime | None:
    name = next((name for name in _WHEN if message.get(name) is not None), None)
    if name is None:
        return None
    value = message[name]
    try:
        if isinstance(value, datetime):
            when = value
        elif isinstance(value, str):
            when = datetime.fromisoformat(value.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
        else:
            raise ArgumentTypeError(
                f'the "{name}" of {what} is an ISO date-time or seconds since 1970, not a '
                f"{type(value).__name__}"
            )
        when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
        when.astimezone(UTC)
        return when
    except ArgumentTypeError:
        raise
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidArgumentError(
            f'the "{name}" of {what} is no date-time ({error!s:.80}); write it like '
            "2026-05-03T09:30:00+02:00"
        ) from None
