"""What a claim is: a subject, a slot, a value, and which slots have one value at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Conflict = Literal["version", "preference", "time"]

LONGEST: Final = 400
"""Longer sentences make no claim: they are lists, logs or code."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a sentence.

    `subject` is a name in lower case, "me" or the speaker's name, "me/daughter" for a relative, or
    "" for a thing or the team. `slot` names the attribute ("residence", "version:node"), `value`
    is normalised so that equal values are equal strings. `rejects` is a value that no longer
    holds. `topic` holds the content words around the value. `changed`: the sentence has a word of
    change; `adds`: it adds a value to earlier ones ("also"); `size`: its length in characters.
    """

    subject: str
    slot: str
    value: str
    kind: Conflict
    rejects: str = ""
    topic: frozenset[str] = frozenset()
    changed: bool = False
    size: int = 0
    adds: bool = False

    @property
    def key(self) -> str:
        """Subject and slot; the newest claim of a key holds."""
        return f"{self.subject}\x1f{self.slot}"

    @property
    def single(self) -> bool:
        """Whether two values of one `key` always conflict, whatever the topic."""
        return self.slot in STATES or self.slot.startswith(_KEYED)


STATES: Final = frozenset(("residence", "employer", "team", "marital", "diet"))

_KEYED: Final = ("version:", "owner:")

FRAME_SLOT: Final = "frame:"
