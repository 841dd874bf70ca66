"""The cut: how sure it is that a cue is answered, and which hits earn their place.

`answered` is a logistic function of how much of the cue the words answer, how high the best hit
scores, and how far the nearest vector stands out of chance. Its coefficients were fitted over
LoCoMo, MemoryBank and the journals, with questions of one conversation asked of another and
LoCoMo's adversarial ones as what is not answered; docs/recall.md has the curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import Final

from graphmem.recalling.candidates import Candidate

LEAST_ANSWERED: Final = 0.01
"""Below it nothing comes back."""
LEAST_SHARE: Final = 0.6
"""Times the root of how sure the answer is, the share of the best match below which a hit is left
out."""
AS_GOOD: Final = 0.8
"""The share of the best score from which on a hit stays whatever it says itself."""
FEW: Final = 16
"""Among fewer memories or vectors, how far one stands out says nothing."""
_MOST: Final = 8  # hits of which not all come near to the best, …
_MOST_TOKENS: Final = 37  # … or one for each so many tokens of a budget
_NEAR: Final = 0.7  # of the best match
_FEWEST_TOKENS: Final = 75  # of a budget for each memory that it is to hold at least, …
_BEHIND: Final = 0.3  # … if it has that share of the best score
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
        logit = -3.5 + 0.3 * covered + 4.2 * held + 0.73 * best
    else:
        apart = min(distinction, _MOST_DISTINCTION)
        logit = -9.0 + 3.0 * covered - 0.6 * held + 1.65 * best + 2.6 * apart
    return 1 / (1 + exp(-logit))


def earning(candidates: Sequence[Candidate], sure: float, *, by_score: bool) -> list[Candidate]:
    """The best, and those of the others that earn their place; the surer the answer is, the more is
    asked of them. `by_score`: what was told beside an answer counts like what answers itself."""
    best, *others = candidates
    if by_score:
        floor = LEAST_SHARE * sure * best.alone
        return [best, *(c for c in others if c.alone >= floor)]
    floor = LEAST_SHARE * sqrt(sure) * max(c.direct for c in candidates)
    enough = AS_GOOD * max(c.alone for c in candidates)
    return [best, *(c for c in others if c.direct >= floor or c.alone >= enough)]


def legible(kept: list[Candidate], tokens: int | None, *, by_score: bool) -> list[Candidate]:
    """Those that come near to the best, and of the others as many as somebody reads through: where
    the answer is unsure nearly everything earns a place, and hardly any of it answers."""
    most = max(_MOST, (tokens or 0) // _MOST_TOKENS)
    if len(kept) <= most:
        return kept

    def matched(c: Candidate) -> float:
        return c.alone if by_score else c.direct

    near = _NEAR * max(map(matched, kept))
    enough = AS_GOOD * max(c.alone for c in kept)
    best, *others = kept
    strong = {c.node for c in others if matched(c) >= near or c.alone >= enough}
    weak = [c.node for c in others if c.node not in strong][: max(0, most - 1 - len(strong))]
    return [best, *(c for c in others if c.node in strong or c.node in weak)]


def next_best(
    kept: Sequence[Candidate], ranked: Sequence[Candidate], tokens: int
) -> list[Candidate]:
    """What stands behind what is kept, for a budget that has room for more, unless it is far behind
    the best: in a second or third line the answer still helps."""
    missing = tokens // _FEWEST_TOKENS - len(kept)
    if missing <= 0:
        return []
    ids = {c.node for c in kept}
    floor = _BEHIND * ranked[0].alone
    return [c for c in ranked if c.node not in ids and c.alone >= floor][:missing]
