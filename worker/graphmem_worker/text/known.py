"""A cache of values that are computed from words."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")
_LONGEST: Final = 80


class Known(dict[str, T], Generic[T]):
    """`known[word]` is `make(word)`, computed once.

    Emptied when it is full, which for conversations is as good as evicting the least recently used
    words; a look-up takes a third of the time of `lru_cache`. Safe for threads.
    """

    def __init__(self, make: Callable[[str], T], most: int) -> None:
        """most: how many words are kept."""
        self._make = make
        self._most = most

    def __missing__(self, word: str) -> T:
        found = self._make(word)
        # Long ones would be megabytes of paths and base64 that never come again.
        if len(word) <= _LONGEST:
            if len(self) >= self._most:
                self.clear()
            self[word] = found
        return found
