"""What a model that may write offers: an answer to messages, as JSON of a given schema."""

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
        """The model's answer, meant to be JSON of the JSON schema `schema`: the caller checks it.

        `longest`: tokens of the answer at most; one that is cut there is returned as it is.
        `until`: the moment of `time.monotonic()` to give up at.  Raises `TaskError`, transient
        where the same question may be answered later.
        """
        ...


def answer_of(**fields: object) -> dict[str, object]:
    """The JSON schema of an answer with these fields, all of them needed, and no others."""
    schema = {"type": "object", "properties": fields, "required": [*fields]}
    return {**schema, "additionalProperties": False}
