"""Expressions behind a gate of stems.

An expression of many words, in either case, takes microseconds for every sentence, and hardly any
sentence holds one of them. Whether a text holds a plain string is known thirty times as fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from graphmem_worker.text.patterns import late, lower


def holds(folded: str, stems: tuple[str, ...]) -> bool:
    """Whether a text in lower case holds one of these strings."""
    for stem in stems:  # noqa: SIM110  (a third faster than any())
        if stem in folded:
            return True
    return False


class Gated:
    """An expression that is looked for only in a text that holds one of its stems."""

    __slots__ = ("_ascii", "_in_any_script", "_lower", "pattern", "stems")

    def __init__(
        self,
        pattern: str,
        stems: str,
        flags: int = re.IGNORECASE,
        *,
        in_any_script: bool = False,
    ) -> None:
        """stems: in lower case, between spaces; "_" stands for a space. Whatever the expression
        finds holds one of them. in_any_script: or is in a text with characters beyond ASCII, whose
        sentences are short and whose words are not told apart by spaces."""
        self.pattern = late(pattern, flags)
        self._lower = lower(pattern) if flags == re.IGNORECASE else None
        self.stems = tuple(stem.replace("_", " ") for stem in stems.split())
        self._ascii = tuple(stem for stem in self.stems if stem.isascii())
        self._in_any_script = in_any_script

    def opens(self, folded: str) -> bool:
        """Whether a text in lower case (`str.casefold`) may hold what the expression finds."""
        if folded.isascii():
            return holds(folded, self._ascii)
        return self._in_any_script or holds(folded, self.stems)

    def within(self, said: str, folded: str) -> bool:
        """Whether the expression stands in a text. folded: the text in lower case."""
        if not self.opens(folded):
            return False
        found = self.pattern.search(said) if self._lower is None else self._lower.search(folded)
        return found is not None

    def without(self, said: str, folded: str) -> str:
        """A text with a space in place of what the expression finds. folded: the text in lower
        case."""
        return self.pattern.sub(" ", said) if self.opens(folded) else said

    def finditer(self, said: str, folded: str) -> Iterable[re.Match[str]]:
        """Where the expression stands in a text."""
        return self.pattern.finditer(said) if self.opens(folded) else ()
