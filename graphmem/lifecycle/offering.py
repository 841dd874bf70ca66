"""Which older memories a new one may replace: a fitted sum for each that shares words with it.

In talk nearly every turn shares rare words with some other and gives "another value". What tells
a true predecessor is that it stands out among all that share words, that it is short, and that its
own sayer said it. `python -m bench offers` fits and prints the weights: on 2026-11-26 with 720
pairs of two writers and 3,000 turns of talk, of which one in twenty is offered something in vain.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from operator import mul
from typing import Final, NamedTuple

WEIGHTS: Final = {
    "shared": 0.74,
    "margin": 1.52,
    "first": 1.19,
    "candidates": -1.15,
    "words": -0.74,
    "sentences": -1.16,
    "asks": -1.66,
    "asked": -1.15,
    "other": -1.96,
    "sure": 0.74,
    "change": 1.01,
    "claim": 0.48,
}
BIAS: Final = 0.27
"""From zero on a memory is offered."""
PROBABLE: Final = 1.5
"""From which on it also goes earlier for room. The fewer memories are left, the more stands out: of
talk cut down to a tenth 18 turns in 100 would be offered something in vain, and 2 have this."""


class Candidate(NamedTuple):
    """An older memory that shares words with a new one, and what speaks for the new one's taking
    its place."""

    node: int
    shared: float
    """How rare the two rarest words are together that both hold, nat."""
    words: int
    """Of the older one."""
    sentences: int
    asks: bool
    """The older one ends with a question, …"""
    asked: bool
    """… the new one does."""
    is_of_other: bool
    """Another speaker said it, or it is not known whether."""
    is_sure: bool
    """The new one surely ends, changes or states what the older one says."""
    tells_change: bool
    """The new one says that something changed."""
    contradicts: bool
    """Both claim something of one slot."""


def likely(candidates: Sequence[Candidate], least: float = 0.0) -> list[int]:
    """The candidates that have at least so much, the likeliest first. candidates: all of one
    memory."""
    weights = WEIGHTS.values()
    sums = {
        candidate.node: BIAS + sum(map(mul, weights, told))
        for candidate, told in zip(candidates, features(candidates), strict=True)
    }
    return sorted((node for node in sums if sums[node] >= least), key=lambda n: (-sums[n], -n))


def may_follow(
    candidates: Sequence[Candidate],
    least: float = 0.0,
    is_sure: bool = False,
    contradicts: bool = False,
) -> bool:
    """Whether any of these, or of others that share no more than the last, may have at least so
    much once the others are known. is_sure, contradicts: what the new one may do at best."""
    other = candidates[-1]._replace(
        node=0, words=1, sentences=1, asks=False, is_of_other=False, is_sure=is_sure,
        contradicts=contradicts,
    )  # fmt: skip
    return bool(likely(candidates, least)) or 0 in likely([*candidates, other], least)


def features(candidates: Sequence[Candidate]) -> list[tuple[float, ...]]:
    """What `WEIGHTS` weighs, mostly 0 to 1 so that one penalty suits all, for each of the
    candidates of one memory."""
    best, second = [*sorted((c.shared for c in candidates), reverse=True), 0.0, 0.0][:2]
    count = log1p(len(candidates))
    return [
        (
            c.shared / 10,
            (c.shared - (second if c.shared == best else best)) / 10,
            float(c.shared == best),
            count,
            log1p(c.words) / 3,
            log1p(c.sentences),
            float(c.asks),
            float(c.asked),
            float(c.is_of_other),
            float(c.is_sure),
            float(c.tells_change),
            float(c.contradicts),
        )
        for c in candidates
    ]
