"""Whether a text speaks of a day that it names as past or future.

A head, fitted by `python -m bench heads --only tense`, judges the sentence around the day.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from graphmem_worker.language.heads import head

SENTENCE_ENDS: Final = ".!?。！？\n"
_CLAUSE_ENDS: Final = f"{SENTENCE_ENDS};,；，"
_FUTURE_MARGIN: Final = 1.0  # nats by which the future must be likelier than no tense
_PAST_MARGIN: Final = 3.0  # nats by which the past must be likelier than the future
_DAY: Final = "ø"  # a word that no language has


def around(text: str, start: int, stop: int, ends: str = SENTENCE_ENDS) -> str:
    """The sentence of a text around a place, with a placeholder for the words there, such as a day.
    ends: the signs that end a sentence."""
    low = max(text.rfind(sign, 0, start) for sign in ends) + 1
    after = [at for sign in ends if (at := text.find(sign, stop)) >= 0]
    high = min(after, default=len(text) - 1) + 1
    return f"{text[low:start]} {_DAY} {text[stop:high]}"


def is_ahead(text: str, start: int, stop: int) -> bool | None:
    """Whether the clause around a day that a text names is about the future (True) or the past
    (False); judged by its sentence if the clause shows neither, None if that shows neither too."""
    in_clause = _is_future(around(text, start, stop, _CLAUSE_ENDS))
    return _is_future(around(text, start, stop)) if in_clause is None else in_clause


@lru_cache(1 << 12)
def _is_future(text: str) -> bool | None:
    past, future, none = head("tense").sums(text)
    if future > past:
        return True if future >= none + _FUTURE_MARGIN else None
    return False if past >= max(none, future + _PAST_MARGIN) else None
