"""Identifiers, such as commits and keys, of which the cue or the memory has only the beginning."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from graphmem.index.words.index import EITHER

_LEAST: Final = 7  # characters of a beginning, as in Git
_LEFT: Final = 4  # characters of the rest at least: 1000000 is no beginning of 10000000
_MOST: Final = 64  # identifiers of one beginning
_IDENTIFIER: Final = re.compile(r"(?=.*\d)[0-9a-f]{7,}|\w*\d[a-z]\w*", re.ASCII)


def completed(
    asked: Mapping[str, float],
    frequency: Callable[[str], int],
    beginning_with: Callable[[str, int], Sequence[str]],
) -> dict[str, float]:
    """The words of a cue with their weights. An identifier that no memory holds is replaced by all
    known ones that begin with it, as one word, or else by its longest known beginning: "9fceb02d"
    asks for "9fceb02d0ae5", and that one for "9fceb02d".

    frequency: how many nodes hold an index word. beginning_with: the index words that begin with a
    part and have at least so many characters more.
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
