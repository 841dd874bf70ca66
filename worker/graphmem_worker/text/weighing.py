"""Features of a text as bits, and what they tell together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

_CACHED: Final = 4096


class Weights:
    """A sum of weights: of single features, and of pairs of them."""

    def __init__(
        self,
        names: Sequence[str],
        single: Mapping[str, int],
        together: Mapping[tuple[str, str], int],
        enough: int,
    ) -> None:
        """names: of the features, in the order of their bits. single, together: what each tells, in
        hundredths of a nat. enough: the sum above which it is so."""
        self.bits: Final = {name: 1 << place for place, name in enumerate(names)}
        self._enough = enough
        self._single = [(self.bits[name], weight) for name, weight in single.items()]
        self._together = [
            (self.bits[one] | self.bits[other], weight) for (one, other), weight in together.items()
        ]
        self.surplus = lru_cache(maxsize=_CACHED)(self._surplus)

    def _surplus(self, found: int) -> int:
        """By how much the sum of these features is above what is enough."""
        total = sum(weight for bit, weight in self._single if found & bit)
        total += sum(weight for bits, weight in self._together if found & bits == bits)
        return total - self._enough
