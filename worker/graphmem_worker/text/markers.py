"""Index words for what texts state in other words than cues ask for it, and for what a recall looks
for beside its hits: personal attributes, such as age, name and origin ("How old am I?" finds "I'm
41 now"), days ("on Sunday"), and turns that may put right or change what was said before.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from graphmem_worker.language.calendar import mentions
from graphmem_worker.language.expressions import expression
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.clauses import may_turn
from graphmem_worker.text.selection import is_short
from graphmem_worker.text.words import MARK

DAY: Final = f"{MARK}day"
"""Of a text that names a day or period."""
TURN: Final = f"{MARK}turn"
"""Of a short text that may put right, deny or change an earlier one."""
_TABLE: Final = "markers"
_ATTRIBUTES: Final = ("age", "home", "job", "name", "origin")
_LONGEST: Final = 2000  # characters that are read
_ANY_DAY: Final = date(2000, 1, 1)  # only whether there are dates matters


def markers(text: str) -> list[str]:
    """The index words of what a text states or is, such as "=age". A change of what has one needs
    a new `ANALYSER_VERSION`."""
    text = text[:_LONGEST]
    lower = folded(text)
    found = [f"{MARK}{n}" for n in _ATTRIBUTES if expression(_TABLE, n).within(text, lower)]
    if mentions(text, _ANY_DAY):
        found.append(DAY)
    if is_short(text) and may_turn(text):
        found.append(TURN)
    return found


def asked_markers(cue: str) -> dict[str, str]:
    """Index word of an attribute that a cue asks for → the phrase by which it does, which ends with
    the word for the attribute."""
    lower = folded(cue)
    found: dict[str, re.Match[str] | None]
    found = {f"{MARK}{name}": sayings(_TABLE, name).search(lower) for name in _ATTRIBUTES}
    return {word: match[0] for word, match in found.items() if match is not None}
