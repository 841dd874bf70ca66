"""Groups of alternatives of which one is in use at a time: databases, editors, seats.

The groups are `[choices]` in `lists.toml` of each language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from graphmem_worker.language.lists import classed
from graphmem_worker.language.sayings import sayings
from graphmem_worker.text.patterns import late

_BEFORE: Final = 26  # characters before a choice that are searched for a refusal
_LETTERS: Final = late("[A-Za-z]+")


@cache
def _first_words() -> frozenset[str]:
    """The first word of each choice in Latin letters."""
    return frozenset(first[0] for word in classed("choices") if (first := _LETTERS.match(word)))


def _any_choice(*, latin: bool) -> str:
    words = [word for word in classed("choices") if word.isascii() is latin]
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_LATIN: Final = late(
    lambda: rf"(?<![A-Za-z-])(?:{_any_choice(latin=True)})(?![A-Za-z]|-[a-z])", re.I
)
HAN_CHOICES: Final = late(lambda: _any_choice(latin=False))


def latin_choices(text: str) -> Iterator[re.Match[str]]:
    """The choices in Latin letters that a text names, in their order."""
    known, end = _first_words(), 0
    for word in _LETTERS.finditer(text):
        is_first = word.start() >= end and word[0].lower() in known
        if is_first and (found := _LATIN.match(text, word.start())) is not None:
            yield found
            end = found.end()


def is_refused(folded: str, start: int, end: int) -> bool:
    """Whether a case-folded text rejects the choice at `start:end`: "not", "instead of"."""
    if sayings("claims", "refused").is_in(folded[max(0, start - _BEFORE) : start]):
        return True
    return sayings("claims", "refused after").match(folded[end:]) is not None


def canonical(word: str) -> str:
    """A choice under the one spelling that stands for all of its spellings."""
    return classed("same_choices").get(word.lower(), word.lower())
