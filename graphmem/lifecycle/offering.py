"""Which older memories a new one may replace: a fitted sum for each that shares words with it.

In conversation nearly every turn shares rare words with another and gives "another value". A true
predecessor is weeks older, stands out among all that share words, is short, and has the same
speaker. `python -m bench offers` fits and prints the weights: on 2026-11-28 with 5,560 notes in
pairs, 1,440 of twelve lives and 4,900 turns of conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from math import log1p
from operator import mul
from typing import Final, NamedTuple

WEIGHTS: Final = {
    "shared": 2.04,
    "margin": 1.26,
    "first": 0.79,
    "candidates": -0.45,
    "words": -2.33,
    "sentences": -2.09,
    "asks": -1.46,
    "asked": -0.91,
    "other": -1.42,
    "apart": -0.55,
    "sure": 0.26,
    "change": 0.58,
    "claim": 0.71,
    "differs": 1.17,
    "days": 4.96,
}
BIAS: Final = -4.39
"""A memory with a sum ≥ 0, or likely superseded, is offered, and forgotten earlier for room."""
LONG: Final = 30  # most days between two memories that count
UNDATED: Final = 18  # least days if neither memory has a date


class Candidate(NamedTuple):
    """An older memory that shares words with a new one, and the evidence that it is replaced."""

    node: int
    shared: float
    """The sum of the rarities of the two rarest words that both have, nat."""
    words: int
    """Of the older one."""
    sentences: int
    asks: bool
    """The older one ends with a question, …"""
    asked: bool
    """… the new one does."""
    is_of_other: bool
    """The speakers differ, or only one is known."""
    is_apart: bool
    """The two are about different persons or things."""
    is_likely: bool
    """The new one ends or changes what the older one states."""
    states_change: bool
    """The new one has a word of change or end."""
    contradicts: bool
    """The two are in conflict."""
    differs: bool
    """Both have values of one type, and not the same: two prices, two times."""
    days: int
    """Between the two, at most `LONG`."""


def likely(candidates: Sequence[Candidate]) -> list[int]:
    """The nodes of the replaced candidates, likeliest first. candidates: all of one memory."""
    weights = WEIGHTS.values()
    sums = {
        candidate.node: BIAS + sum(map(mul, weights, values))
        for candidate, values in zip(candidates, features(candidates), strict=True)
    }
    sure = {candidate.node for candidate in candidates if candidate.is_likely}
    found = (node for node in sums if sums[node] >= 0 or node in sure)
    return sorted(found, key=lambda n: (-sums[n], -n))


def may_follow(candidates: Sequence[Candidate], best: Candidate) -> bool:
    """Whether any of these candidates, or a further one that shares no more than the last, may be
    replaced. best: an upper bound of the evidence for further candidates."""
    other = best._replace(shared=candidates[-1].shared)
    return bool(likely(candidates)) or other.node in likely([*candidates, other])


def features(candidates: Sequence[Candidate]) -> list[tuple[float, ...]]:
    """The features for `WEIGHTS` of each candidate of one memory, mostly 0 to 1 so that one penalty
    suits all. Candidates that are apart are ranked among all, others among themselves."""
    among = {
        False: [c.shared for c in candidates if not c.is_apart],
        True: [c.shared for c in candidates],
    }
    most = {is_apart: nlargest(2, (*shared, 0.0, 0.0)) for is_apart, shared in among.items()}
    count = {is_apart: log1p(len(shared)) for is_apart, shared in among.items()}
    return [
        (
            c.shared / 10,
            (c.shared - most[c.is_apart][c.shared == most[c.is_apart][0]]) / 10,
            c.shared == most[c.is_apart][0],
            count[c.is_apart],
            log1p(c.words) / 3,
            log1p(c.sentences),
            *c[4:-1],  # from `asks` to `differs`
            log1p(c.days) / log1p(LONG),
        )
        for c in candidates
    ]
