"""Index words for personal attributes, such as age, name and origin, that texts state in other
words than cues ask for them: "How old am I?" finds "I'm 41 now".
"""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.language.expressions import expression
from graphmem_worker.language.sayings import folded, sayings

MARK: Final = "="
"""First character of these index words; no word of a text begins with it."""

_TABLE: Final = "markers"
_ATTRIBUTES: Final = ("age", "home", "job", "name", "origin")
_LONGEST: Final = 2000  # characters that are read


def markers(text: str) -> list[str]:
    """The index words of the attributes that a text states, such as "=age". A change of their table
    needs a new `ANALYSER_VERSION`."""
    text = text[:_LONGEST]
    lower = folded(text)
    return [f"{MARK}{name}" for name in _ATTRIBUTES if expression(_TABLE, name).within(text, lower)]


def asked_markers(cue: str) -> dict[str, str]:
    """Index word of an attribute that a cue asks for → the phrase by which it does, which ends with
    the word for the attribute."""
    lower = folded(cue)
    found: dict[str, re.Match[str] | None]
    found = {f"{MARK}{name}": sayings(_TABLE, name).search(lower) for name in _ATTRIBUTES}
    return {word: match[0] for word, match in found.items() if match is not None}
