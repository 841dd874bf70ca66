"""Particulars: a day, number, place, size or name that belongs to somebody and is stated once.

Neither use nor the rarity of their words shows their worth. Clear cases are in `particulars.toml`;
the others are found by the head "particular" (`language.heads`).
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
    """Whether a sentence states a particular of somebody by the table. A question does not."""
    text = sentence[:_LONGEST].strip()
    if is_question(text):
        return False
    lower = folded(text)
    if sayings("particulars", "particular").is_in(lower):
        return True
    named = sayings("particulars", "particular name").search(lower)
    return named is not None and _NAME.match(text, named.end()) is not None


@lru_cache(maxsize=4096)
def is_particular(sentence: str, least: float = 0.0) -> bool:
    """Whether a sentence states a particular of somebody, by the table or by the head with a sum of
    at least `least` nat."""
    if is_clearly_particular(sentence):
        return True
    text = sentence[:_LONGEST].strip()
    return not is_question(text) and bool(head("particular").sums(text, marks(text))[0] >= least)
