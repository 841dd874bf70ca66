"""The cut: the probability that the best hits answer a cue, and the least score of a hit.

`answered` is a logistic function of how much of the cue the words answer, how high the best hit
scores, and how far the nearest vector stands out. Its coefficients were fitted to the
questions of LoCoMo, MemoryBank, FriendsQA, LifeBench and MADial, and to as many asked of another
conversation. It separates these two; near misses, about the same persons and things, count as
answers.
"""

from __future__ import annotations

from math import exp
from typing import Final

LEAST_ANSWERED: Final = 0.25
"""If `answered` is below it, a strict recall returns nothing found by words."""
LEAST_SHOWN: Final = 0.4
"""The least share of the best score with which a candidate is a hit; with less it may fill a
budget, …"""
LEAST_FILLING: Final = 0.3
"""… down to this share: what scores less answers no more questions, and hides what does."""
FEW: Final = 16
"""With fewer memories or vectors, it is no evidence how far one of them stands out."""
_MOST_SCORE: Final = 4.0
_MOST_DISTINCTION: Final = 2.0


def answered(score: float, covered: float, held: float, distinction: float | None) -> float:
    """The probability that the best hits answer a cue, 0–1.

    score: the best hit's. covered: share of the cue that the best match of words answers, 0–1.
    held: the same of the best of the first three hits. distinction: of the nearest vector, see
    `Nearest.distinction`; None without vectors.
    """
    best = min(score, _MOST_SCORE)
    if distinction is None:
        logit = -6.1 + 2.1 * covered + 2.0 * held + 1.9 * best
    else:
        apart = min(distinction, _MOST_DISTINCTION)
        logit = -10.9 + 1.6 * covered + 1.6 * held + 2.2 * best + 2.7 * apart
    return 1 / (1 + exp(-logit))
