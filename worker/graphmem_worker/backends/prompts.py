"""The interface of a model that may write, and its prompts, of words of the tables "prompts".
The variable part comes last: the model reads the common beginning once."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol, TypedDict

from graphmem_worker.language.tables import tables


class Message(TypedDict):
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class Chat(Protocol):
    """A model that answers; `llama` and `http` have one each."""

    def chat(
        self, messages: Sequence[Message], schema: Mapping[str, object], longest: int, until: float
    ) -> str:
        """The model's answer, which should be JSON of the JSON schema `schema`; the caller checks.

        `longest`: most tokens of the answer, which is cut there.  `until`: the deadline as
        `time.monotonic()`.  Raises `TaskError`, transient if a later call may succeed.
        """
        ...


def answer_of(**fields: object) -> dict[str, object]:
    """The JSON schema of an answer with exactly these fields, all required."""
    schema = {"type": "object", "properties": fields, "required": [*fields]}
    return {**schema, "additionalProperties": False}


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
