"""Prompts for a model that may write, in English and Chinese: their words are in the tables
"prompts". The variable part comes last, so that the model evaluates the common beginning once."""

from typing import Final, Literal

from graphmem_worker.backends.chat import Message, answer_of
from graphmem_worker.language.tables import tables

Language = Literal["en", "zh"]

_TEXT: Final = {"type": "string"}

RESOLVED: Final = answer_of(text=_TEXT)
"""JSON schema of the answer to `resolve`."""

CONTENT: Final = answer_of(content=_TEXT)
"""JSON schema of the answer to `content`."""

LABELS: Final = answer_of(
    phrase=_TEXT, keywords={"type": "array", "items": _TEXT, "minItems": 3, "maxItems": 5}
)
"""JSON schema of the answer to `labels`."""


def resolve(language: Language, text: str, speaker: str) -> list[Message]:
    """Asks for `text` with its pronouns replaced; `speaker`: the referent of "I", "" if unknown."""
    who = tables("prompts")[language]["speaker"].format(speaker) if speaker else ""
    return _messages(language, "resolve", f"{who}{text}")


def content(language: Language, text: str, longest: int) -> list[Message]:
    """Asks for `text` in at most `longest` characters."""
    length = tables("prompts")[language]["length"].format(longest)
    return _messages(language, "content", f"{length}{text}")


def labels(language: Language, text: str) -> list[Message]:
    """Asks for a phrase and keywords of `text`."""
    return _messages(language, "labels", text)


def _messages(language: Language, name: str, text: str) -> list[Message]:
    instruction = tables("prompts")[language][name]
    return [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
