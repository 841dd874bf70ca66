"""Particulars: a day, number, size or name that belongs to somebody and is told once.

"Dad was born on 3 November 1951.", "The dog's chip number ends in 882.", 我的工号是20417。 Nobody
asks for them for years, so neither use nor the rarity of their words tells their worth. What says
so stands in `particulars.toml`.
"""

from __future__ import annotations

from typing import Final

from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.salience import is_question

_LONGEST: Final = 200  # characters that are read
_NAME: Final = late(r"\s*[A-Z]\w")


def is_particular(sentence: str) -> bool:
    """Whether a sentence tells a day, number, size or name of somebody. A question does not."""
    said = sentence[:_LONGEST].strip()
    if is_question(said):
        return False
    low = folded(said)
    if sayings("particulars", "particular").is_in(low):
        return True
    named = sayings("particulars", "particular name").search(low)
    return named is not None and _NAME.match(said, named.end()) is not None
