"""Identifiers: a commit, a digest or a key of which the cue, or the memory, has the beginning."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from graphmem.index.words.index import EITHER

_LEAST: Final = 7  # characters of a beginning, as Git writes at least
_LEFT: Final = 4  # … and of the rest: 1000000 is no beginning of 10000000
_MOST: Final = 64  # identifiers of one beginning
_IDENTIFIER: Final = re.compile(r"(?=.*\d)[0-9a-f]{7,}|\w*\d[a-z]\w*", re.ASCII)


def completed(
    asked: Mapping[str, float],
    frequency: Callable[[str], int],
    beginning_with: Callable[[str, int], Sequence[str]],
) -> dict[str, float]:
    """The words of a cue with their weights, where those of identifiers that no memory holds stand
    as it has them: "9fceb02d" asks for "9fceb02d0ae5", as if all that begin so were one word, and
    that one for "9fceb02d".

    frequency: how many nodes hold an index word. beginning_with: those that begin with a part,
    before so many characters at least.
    """
    found: dict[str, float] = {}
    for word, weight in asked.items():
        known = word
        if len(word) >= _LEAST and _IDENTIFIER.fullmatch(word) and not frequency(word):
            begun = (word[:end] for end in range(len(word) - _LEFT, _LEAST - 1, -1))
            known = EITHER.join(beginning_with(word, _LEFT)[:_MOST])
            known = known or next(filter(frequency, filter(_IDENTIFIER.fullmatch, begun)), word)
        found[known] = weight
    return found
