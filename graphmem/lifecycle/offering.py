"""Which older memories a new one may replace: a fitted sum for each that shares words with it.

In talk nearly every turn shares rare words with some other and gives "another value". What tells
a true predecessor is that it was told weeks before, that it stands out among all that share words,
that it is short, and that its own sayer said it. `python -m bench offers` fits and prints the
weights: on 2026-11-28 with 5,560 notes in pairs, 1,440 of twelve lives and 4,900 turns of talk.
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
"""From zero on a memory is offered and goes earlier for room, and always if the new one likely
replaces it."""
LONG: Final = 30  # days, from which on it no longer matters how many
UNDATED: Final = 18  # that count at least where of neither it is known when it happened


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
    is_apart: bool
    """All that the two state is of different persons or things, as far as is read."""
    is_likely: bool
    """The new one ends, changes or states what the older one says."""
    states_change: bool
    """The new one says that something changed."""
    contradicts: bool
    """Both claim something of one slot."""
    differs: bool
    """Both have a value of one type, and not the same: two prices, two times."""
    days: int
    """From the one to the other, at most `LONG`."""


def likely(candidates: Sequence[Candidate]) -> list[int]:
    """The candidates whose place is taken, the likeliest first. candidates: all of one memory."""
    weights = WEIGHTS.values()
    sums = {
        candidate.node: BIAS + sum(map(mul, weights, told))
        for candidate, told in zip(candidates, features(candidates), strict=True)
    }
    sure = {candidate.node for candidate in candidates if candidate.is_likely}
    found = (node for node in sums if sums[node] >= 0 or node in sure)
    return sorted(found, key=lambda n: (-sums[n], -n))


def may_follow(candidates: Sequence[Candidate], best: Candidate) -> bool:
    """Whether the place of any of these may be taken once the others are known, or that of another
    that shares no more than the last. best: what speaks for the likeliest of the others at most."""
    other = best._replace(shared=candidates[-1].shared)
    return bool(likely(candidates)) or other.node in likely([*candidates, other])


def features(candidates: Sequence[Candidate]) -> list[tuple[float, ...]]:
    """What `WEIGHTS` weighs, mostly 0 to 1 so that one penalty suits all, for each of the
    candidates of one memory. What is apart stands out among all, the others among themselves."""
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
