"""The interface of a model that may write: an answer to messages, as JSON of a given schema."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypedDict


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
