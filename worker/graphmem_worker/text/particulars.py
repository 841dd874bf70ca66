"""Particulars: a day, number, place, size or name that belongs to somebody and is told once.

Neither use nor the rarity of their words tells their worth. Clear cases stand in
`particulars.toml`; the others are told by the head "particular" (`language.heads`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from graphmem_worker.language.heads import head
from graphmem_worker.language.marks import marks
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.salience import is_question

SURE: Final = 1.25  # nat: "Der Build 1037 ist grün" has 1.1, a room's code 1.6, a frame number 8
_LONGEST: Final = 200  # characters that are read
_NAME: Final = late(r"\s*[A-Z]\w")


@lru_cache(maxsize=4096)  # a sweep asks the same of a held sentence every few passes
def is_clearly_particular(sentence: str) -> bool:
    """Whether the table names a sentence as one that tells a particular of somebody. A question
    does not."""
    said = sentence[:_LONGEST].strip()
    if is_question(said):
        return False
    low = folded(said)
    if sayings("particulars", "particular").is_in(low):
        return True
    named = sayings("particulars", "particular name").search(low)
    return named is not None and _NAME.match(said, named.end()) is not None


@lru_cache(maxsize=4096)
def is_particular(sentence: str, least: float = 0.0) -> bool:
    """Whether a sentence tells a particular of somebody, by the table or by the head, which gives
    it `least` nat."""
    if is_clearly_particular(sentence):
        return True
    said = sentence[:_LONGEST].strip()
    return not is_question(said) and bool(head("particular").sums(said, marks(said))[0] >= least)
