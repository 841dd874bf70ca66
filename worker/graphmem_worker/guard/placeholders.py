"""What the guard put in place of a secret is read as the secret that it stands for.

`[password]` behind "the password is" ends the search for a value, as the value did: else the next
word that could be one is cut when a text is read again. `[password]: …` is a name, not a value.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final

from graphmem_worker.guard.plain import Plain
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


def filled(text: str) -> tuple[Plain, list[tuple[int, int]]]:
    """A text with values in place of the guard's placeholders, and where these stand in it."""
    told = Plain(text)
    found = list(_PLACEHOLDER.finditer(text))
    told.edit((*each.span(), _STANDS_FOR[each[1]]) for each in found)
    return told, [each.span() for each in found]


def beside(
    text: str, taken: Sequence[tuple[int, int]], start: int, end: int
) -> Iterator[tuple[int, int]]:
    """The parts of a span of a text that are no placeholders. taken: where these stand.

    What only stands beside one is no value; what goes on after one without a gap is.
    """
    is_whole = True
    for begin, close in taken[bisect_right(taken, start, key=itemgetter(1)) :]:
        if end <= begin:
            break
        is_whole = False
        if start < begin and _GOES_ON.match(text, begin - 1):
            yield start, begin
        start = close
    if start < end and (is_whole or _GOES_ON.match(text, start)):
        yield start, end
