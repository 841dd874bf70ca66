"""What a text tells of somebody in other words than it is asked for in: how old, called what, from
where. An index holds it under a word of its own, so that "How old am I?" finds "I'm 41 now".
"""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.language.expressions import expression
from graphmem_worker.language.sayings import folded, sayings

MARK: Final = "="
"""The first character of such a word, with which no word of a text begins."""

_TOLD: Final = "told"  # the tables
_ATTRIBUTES: Final = ("age", "home", "job", "name", "origin")
_LONGEST: Final = 2000  # characters that are read


def markers(text: str) -> list[str]:
    """The index words of what a text tells, such as "=age". Tables say how it is told; a change of
    them needs a new `ANALYSER_VERSION`."""
    said = text[:_LONGEST]
    low = folded(said)
    return [f"{MARK}{one}" for one in _ATTRIBUTES if expression(_TOLD, one).within(said, low)]


def asked_markers(cue: str) -> dict[str, str]:
    """The index words of what a cue asks for → the phrase that does, with the word for it last."""
    low = folded(cue)
    found: dict[str, re.Match[str] | None]
    found = {f"{MARK}{one}": sayings(_TOLD, one).search(low) for one in _ATTRIBUTES}
    return {word: match[0] for word, match in found.items() if match is not None}
