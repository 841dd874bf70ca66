"""Characters: what of a Chinese cue is looked up by single characters.

The index holds pairs of characters. So 猫吃什么 asks for 猫吃, which hardly a text has, and what
tells of 猫粮 or 猫砂 is not found. A character of which no pair is known stands for every pair that
begins with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from graphmem.index.words.index import ANY
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN

_HAN: Final = late(f"[{HAN}]{{1,2}}")
_EMPTY: Final = FUNCTION_CHARACTERS | frozenset("哪几多怎谁啥什何呢一不没有")
_ACTING: Final = frozenset("吃喝叫用放买住停去来做看说拿找打送给")
_WEIGHT: Final = 0.5  # of a word, …
_ACTING_WEIGHT: Final = 0.25  # … and that of a verb, which is said of anything
_MOST_KNOWN: Final = 0.5  # of the characters of a cue: what is known of it answers it


def unknown(asked: Iterable[str], frequency: Callable[[str], int]) -> dict[str, float]:
    """The characters of a cue to look up by themselves, with their weights: those that stand alone
    between others that say nothing, and where the memory knows few of the cue's pairs, those of the
    rest.

    asked: the index words of the cue. frequency: how many nodes hold an index word.
    """
    said: dict[str, None] = {}
    paired: set[str] = set()
    known: set[str] = set()
    for word in asked:
        if word.isascii() or not _HAN.fullmatch(word):
            continue
        content = [c for c in word if c not in _EMPTY]
        said |= dict.fromkeys(content)
        if len(content) == 2:
            paired.update(content)
            if frequency(word):
                known.update(content)
    skipped = known if len(known) <= _MOST_KNOWN * len(said) else paired
    return {c: _ACTING_WEIGHT if c in _ACTING else _WEIGHT for c in said if c not in skipped}


def looked_up(word: str) -> str:
    """An index word as it is looked up: a Chinese character alone for every pair that begins so."""
    return word + ANY if len(word) == 1 and _HAN.fullmatch(word) else word
