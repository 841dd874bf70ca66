"""What the guard put in place of a secret is read as the secret that it stands for.

`[password]` behind "the password is" ends the search for a value, as the value did: else the next
word that could be one is cut when a text is read again. `[password]: …` is a name, not a value.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from graphmem_worker.text.patterns import late

_STANDS_FOR: Final = {
    "password": "Zq7!xK2vW9", "code": "730584", "token": "Zq7xK2vW9rT4mB8sN3yH6",
    "key": "Zq7xK2vW9rT4mB8sN3yH6", "card": "4539578763621486", "iban": "DE89370400440532013000",
    "identity": "078051120", "passport": "C01X00T47", "phone": "+4930901820417",
    "mail": "qzxk@qzxkv.net", "account": "5304172", "plate": "QX730ZK", "address": "Qzxkv 7",
}  # fmt: skip
"""For each kind of secret a value that is surely one."""
_PLACEHOLDER: Final = late(rf"\[({'|'.join(_STANDS_FOR)})\](?!\(|\s?[:：=＝])")

_GOES_ON: Final = late("[A-Za-z0-9]")


class Filled:
    """A text with values in place of the guard's placeholders."""

    def __init__(self, text: str) -> None:
        pieces: list[str] = []
        self._values: list[tuple[int, int]] = []
        self._here, self._there = [0], [0]  # from where on the text is the given one, in each
        size = done = 0
        for found in _PLACEHOLDER.finditer(text):
            value = _STANDS_FOR[found[1]]
            pieces += (text[done : found.start()], value)
            size += found.start() - done + len(value)
            done = found.end()
            self._values.append((size - len(value), size))
            self._here.append(size)
            self._there.append(done)
        self.text = "".join((*pieces, text[done:])) if pieces else text

    def beside(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where in the given text the parts of a span of `text` stand that are no placeholders.

        What only stands beside one is no value; what goes on after one without a gap is.
        """
        first = bisect_right(self._values, (start, start))
        is_whole = True
        for place in range(max(0, first - 1), len(self._values)):
            begin, close = self._values[place]
            if end <= begin:
                break
            if close <= start:
                continue
            is_whole = False
            if start < begin and _GOES_ON.match(self.text, begin - 1):
                yield self._place(start), self._place(begin - 1) + 1
            start = close
        if start < end and (is_whole or _GOES_ON.match(self.text, start)):
            yield self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        last = bisect_right(self._here, at) - 1
        return self._there[last] + at - self._here[last]
