"""Ways: for a cue that asks how something is done, a hit with a command goes first."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from graphmem.recalling.asking import asks_how
from graphmem.recalling.candidates import BELOW, Candidate
from graphmem.recalling.supersede import relevance
from graphmem_worker.text.clauses import negation

_COMPARED: Final = 20  # best candidates that are compared
_LEAST: Final = 0.5  # share of the best match that a hit with a command needs
_CODE: Final = re.compile(r"`[^`\n]+`|^\s*(?:`{3}|~{3}|\$ )", re.MULTILINE)


def put_way_first(cue: str, candidates: list[Candidate], earlier: Collection[int]) -> bool:
    """If a cue asks how something is done, and the best hit has no command or other code, put the
    best match that has one before it: "The seed data now has 40 customers" is no newer way to load
    it. Not before a newer memory with a negation. True if the hit that was first is newer: it may
    state another way, and is to be shown too.

    earlier: ids of nodes that surely hold no longer."""
    if not candidates or not asks_how(cue) or _has_code(candidates[0].text.spans):
        return False
    first = candidates[0]
    compared = [c for c in candidates[:_COMPARED] if c.node not in earlier]
    least = _LEAST * max(map(relevance, compared), default=0.0)
    ways = [c for c in compared if relevance(c) >= least and _has_code(c.text.spans)]
    way = max(ways, key=relevance, default=first)
    is_newer = first.text.moment > way.text.moment
    if way is first or (is_newer and negation(first.content) is not None):
        return False
    way.move_to(first.score + BELOW)
    candidates.sort(key=lambda c: (-c.score, c.node))
    return is_newer


@lru_cache(1 << 12)
def _has_code(spans: tuple[str, ...]) -> bool:
    return _CODE.search("".join(spans)) is not None
