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
    "" for a thing or the team. `slot` says what is claimed ("residence", "version:node"), `value`
    is normalised so that equal values are equal strings. `rejects` is a value that no longer
    holds. `topic` holds the content words around the value. `changed` tells that the sentence
    speaks of a change, `adds` that it adds to what was said ("also"); `size` is the length of the
    sentence in characters.
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
        """Subject and slot: of the claims with one key, the newest holds."""
        return f"{self.subject}\x1f{self.slot}"

    @property
    def single(self) -> bool:
        """Whether `key` alone decides: the slot has one value whatever else the sentence says."""
        return self.slot in STATES or self.slot.startswith(_KEYED)


STATES: Final = frozenset(("residence", "employer", "team", "marital", "diet"))

_KEYED: Final = ("version:", "owner:")

FRAME_SLOT: Final = "frame:"
