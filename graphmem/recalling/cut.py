"""The cut: how sure it is that a cue is answered, and from which score on a hit is shown.

`answered` is a logistic function of how much of the cue the words answer, how high the best hit
scores, and how far the nearest vector stands out of chance. Its coefficients were fitted to the
questions of LoCoMo, MemoryBank, FriendsQA, LifeBench and MADial and to as many of another
conversation. It tells these apart; near misses, of the same persons and things, it takes for
answers.
"""

from __future__ import annotations

from math import exp
from typing import Final

LEAST_ANSWERED: Final = 0.05
"""Below it a strict recall brings back nothing."""
LEAST_SHOWN: Final = 0.4
"""The share of the best score from which on a hit is shown; below it, it fills a budget, …"""
LEAST_FILLING: Final = 0.3
"""… down to this share: what is below answers no more questions, and buries what does."""
FEW: Final = 16
"""Among fewer memories or vectors, how far one stands out says nothing."""
_MOST_SCORE: Final = 4.0
_MOST_DISTINCTION: Final = 2.0


def answered(score: float, covered: float, held: float, distinction: float | None) -> float:
    """How sure it is that the best hits answer a cue, 0–1.

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
