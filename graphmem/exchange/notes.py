"""Notes: reads files of texts and chats as arguments of `remember_many`; `graphmem import --help`
describes their formats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    InvalidTextError,
    MalformedError,
)
from graphmem.remembering import drafts, messages
from graphmem.remembering.messages import Draftable

_FORMAT_OF: Final = {
    "text": "text", ".txt": "text", ".text": "text", "notes": "notes", "chat": "chat",
    ".json": "chat", **dict.fromkeys(("nt", ".nt", "nq", ".nq", "ttl", ".ttl")),
}  # fmt: skip


def format_of(path: str, named: str | None) -> str | None:
    """The format of a file, text, notes or chat, by the name of a format or of the file; None for
    triples and exported memories. A `.jsonl` file is `notes` unless its first line is that of an
    exported memory. Raises InvalidArgumentError for a name of no format."""
    form = named or Path(path).suffix.lower()
    if form in ("jsonl", ".jsonl"):
        return None if _is_memory(path) else "notes"
    if form not in _FORMAT_OF:
        raise InvalidArgumentError(
            f"{path}: its name does not say what it holds; name it with --format: text (a note a "
            "line), notes or chat (JSON), nt, nq or ttl (triples), jsonl (an exported memory)"
        )
    return _FORMAT_OF[form]


def _is_memory(path: str) -> bool:
    with open(path, "rb") as file:
        first = next((line for line in islice(file, 100) if line.strip()), b"{}")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "memory" in value and not {"role", "text"} & value.keys()


def read(path: str, form: str, session: str | None = None) -> Iterator[Draftable]:
    """The texts of a file, in order. session: for texts without one. Raises InvalidTextError for a
    file that is not UTF-8; MalformedError with the line, or the message of a chat, that is
    malformed or cannot be remembered."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            if form == "text":
                for note in messages.read_lines(path, file):
                    yield note if session is None else {**note, "session": session}
            elif form == "notes":
                yield from messages.read_jsonl(path, file, session)
            else:
                yield from _chat(path, file.read(), session)
    except UnicodeDecodeError as error:
        raise InvalidTextError(f"{path} is not UTF-8 text: {error.reason}; convert it") from None


def _chat(path: str, written: str, session: str | None) -> Iterator[Draftable]:
    try:
        value = json.loads(written)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise MalformedError(path, line, None, f"no JSON ({error})") from None
    if isinstance(value, dict):
        value = value.get("messages")
    try:
        for number, message in enumerate(messages.read_messages(value, session), 1):
            try:
                drafts.check_given(**message)
            except (ArgumentTypeError, InvalidArgumentError, InvalidTextError) as error:
                reason = f"{error} (text {number} of the chat)"
                raise MalformedError(path, 1, None, reason) from None
            yield message
    except (ArgumentTypeError, InvalidArgumentError) as error:
        raise MalformedError(path, 1, None, str(error)) from None
