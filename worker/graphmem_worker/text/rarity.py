"""The assumed rarity of words that no index has counted."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from graphmem_worker.language.lists import listed
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN

Rarity = Callable[[str], float]
"""The inverse document frequency, in nat, of an index word."""

_LATIN: Final = late("[a-z\u00df-\u024f\u1e00-\u1eff]+")
_HAN: Final = late(f"[{HAN}]+")
_DIGIT: Final = late("[0-9]")


@lru_cache(maxsize=1 << 15)
def shape_rarity(word: str) -> float:
    """A guess, in nat, at the inverse document frequency of an index word, from its length and
    shape: 2.0 to 6.0. Fitted to the means by length in conversations of LoCoMo and MemoryBank."""
    if word in listed("common_stems") or word in listed("common_bigrams"):
        return 2.0
    if _DIGIT.search(word):
        return 6.0
    if _LATIN.fullmatch(word):
        return min(5.2, 3.0 + 0.2 * len(word))
    if _HAN.fullmatch(word):
        return 3.8 if FUNCTION_CHARACTERS.intersection(word) else 4.6
    return 4.5
