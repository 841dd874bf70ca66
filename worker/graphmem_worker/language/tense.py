"""Whether a text tells of a day that it names as past or as to come.

A head, fitted by `python -m bench heads --only tense`, reads the sentence around the day.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from graphmem_worker.language.heads import head

SENTENCE_ENDS: Final = ".!?。！？\n"
_CLAUSE_ENDS: Final = f"{SENTENCE_ENDS};,；，"
_SURE: Final = 1.0  # by which what is to come tells more than that there is no tense, …
_PAST: Final = 3.0  # … and by which the past tells more than what is to come
_DAY: Final = "ø"  # a word that no language has


def around(text: str, start: int, stop: int, ends: str = SENTENCE_ENDS) -> str:
    """The sentence of a text about a place, with one word for what stands there, such as a day.
    ends: the signs that end a sentence."""
    low = max(text.rfind(sign, 0, start) for sign in ends) + 1
    after = [at for sign in ends if (at := text.find(sign, stop)) >= 0]
    high = min(after, default=len(text) - 1) + 1
    return f"{text[low:start]} {_DAY} {text[stop:high]}"


def is_ahead(text: str, start: int, stop: int) -> bool | None:
    """Whether the clause about a day that a text names speaks of what is to come (True) or of what
    was (False), or its sentence if the clause does not say; None if neither does."""
    told = _told(around(text, start, stop, _CLAUSE_ENDS))
    return _told(around(text, start, stop)) if told is None else told


@lru_cache(1 << 12)
def _told(said: str) -> bool | None:
    past, coming, none = head("tense").sums(said)
    if coming > past:
        return True if coming >= none + _SURE else None
    return False if past >= max(none, coming + _PAST) else None
