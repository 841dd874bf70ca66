"""What a turn settles and why: the decisions and reasons of its sentences, by the head "reasons",
which `python -m bench heads` fits and judges."""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import Final, NamedTuple

from graphmem_worker.language.heads import head
from graphmem_worker.language.marks import marks
from graphmem_worker.text.patterns import late

LONGEST: Final = 600
"""Characters of a text that are looked at."""

_HEAD: Final = "reasons"
_UNDECIDED: Final = frozenset(("opens condition", "habit"))
_BREAK: Final = late(r"(?:,(?!\d)|[:：](?!\d)|[，;；—–]| - |[.!?](?=\s)|[。！？\n])\W*\w")


class Told(NamedTuple):
    """The sums of the head, from zero on of which a text has a reason or a decision; why: of a
    part of it, to be compared with those of its neighbours."""

    reason: float
    decision: float
    why: float


@lru_cache(maxsize=1024)  # a turn is asked about as a whole, by sentence and by clause
def told(text: str) -> Told:
    """What the head tells of a text; a habit, and what begins with a condition, decides nothing."""
    said = text[:LONGEST]
    found = set(marks(said))
    sums = Told(*head(_HEAD).tells(said, found).tolist())
    return sums if _UNDECIDED.isdisjoint(found) else sums._replace(decision=-inf)


def gives_reason(sentence: str) -> bool:
    """Whether a sentence tells why; what only decides, in one clause, is no reason itself."""
    sums = told(sentence)
    return sums.reason >= 0 and (sums.decision < 0 or _BREAK.search(sentence) is not None)
