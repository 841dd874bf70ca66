"""Decisions and reasons in the sentences of a turn, found by the head "reasons", which
`python -m bench heads` fits and judges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import inf
from typing import Final, NamedTuple

from graphmem_worker.language.heads import head
from graphmem_worker.language.marks import marks
from graphmem_worker.text.patterns import late

LONGEST: Final = 600
"""Characters of a text that are read."""

_HEAD: Final = "reasons"
_UNDECIDED: Final = frozenset(("opens condition", "habit"))
_BREAK: Final = late(r",(?!\d)|[:：](?!\d)|[，;；—–]| - |[.!?](?=\s|$)|[。！？\n]")


class Sums(NamedTuple):
    """The sums of the head. At 0 and more a text has a reason or a decision; `why` ranks the
    clauses of one text by how likely they are its reason."""

    reason: float
    decision: float
    why: float


@lru_cache(maxsize=1024)  # a turn is judged as a whole, by sentence and by clause
def sums(text: str) -> Sums:
    """The sums of a text. A habit, or a text that begins with a condition, is no decision: -inf."""
    text = text[:LONGEST]
    found = set(marks(text))
    judged = Sums(*head(_HEAD).sums(text, found).tolist())
    return judged if _UNDECIDED.isdisjoint(found) else judged._replace(decision=-inf)


Span = tuple[int, int]
"""Where a clause begins and ends in a text."""


def clauses(text: str) -> list[Span]:
    """The clauses of a text, without the white space around them."""
    found: list[Span] = []
    begin = 0
    for start, end in (*(mark.span() for mark in _BREAK.finditer(text)), (len(text),) * 2):
        clause = text[begin:start]
        if len(bare := clause.strip()) > 1:
            first = begin + clause.index(bare)
            found.append((first, first + len(bare)))
        begin = end
    return found


def explaining(text: str, spans: Sequence[Span]) -> Span:
    """The clause (of at least one) of a text that most likely gives a reason."""
    return max(spans, key=lambda span: sums(text[slice(*span)]).why)
