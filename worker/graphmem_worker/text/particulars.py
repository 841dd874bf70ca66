"""Particulars: a day, number, place, size or name that belongs to somebody and is told once.

Neither use nor the rarity of their words tells their worth, so the head "particular" does
(`language.heads`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from graphmem_worker.language.heads import head
from graphmem_worker.language.marks import marks
from graphmem_worker.text.salience import is_question

SURE: Final = 0.5  # nat: "Build #17 is green" has up to 0.42, a pump's serial number 1 to 2.6
_LONGEST: Final = 200  # characters that are read


@lru_cache(maxsize=4096)  # a sweep asks the same of a held sentence every few passes
def is_particular(sentence: str, least: float = 0.0) -> bool:
    """Whether a sentence tells a particular of somebody: the head gives it `least` nat. A question
    does not."""
    said = sentence[:_LONGEST].strip()
    return not is_question(said) and bool(head("particular").tells(said, marks(said))[0] >= least)
