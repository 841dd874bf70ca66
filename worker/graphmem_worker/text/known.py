"""What was made of words that were met, kept by word."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")
_LONGEST: Final = 80


class Known(dict[str, T], Generic[T]):
    """`known[word]` is `make(word)`, made once.

    Begun anew when it is full, which in a memory of conversations is as good as to let go of what
    was used least recently; a look-up takes a third of that of `lru_cache`. Any threads may use it.
    """

    def __init__(self, make: Callable[[str], T], most: int) -> None:
        """most: words that are kept."""
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
