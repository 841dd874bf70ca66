"""The placeholders of the guard are read as an example of the secret that they stand for.

Like the secret itself, `[password]` behind "the password is" ends the search for a value; otherwise
a second pass would cut the next word that could be one. `[password]: …` is a name, not a value.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final

from graphmem_worker.guard.plain import Plain
from graphmem_worker.text.patterns import late

_EXAMPLES: Final = {
    "password": "Zq7!xK2vW9", "code": "730584", "token": "Zq7xK2vW9rT4mB8sN3yH6",
    "key": "Zq7xK2vW9rT4mB8sN3yH6", "card": "4539578763621486", "iban": "DE89370400440532013000",
    "identity": "078051120", "passport": "C01X00T47", "phone": "+4930901820417",
    "mail": "qzxk@qzxkv.net", "account": "5304172", "plate": "QX730ZK", "address": "Qzxkv 7",
}  # fmt: skip
"""A value of each kind that the guard always finds."""
_PLACEHOLDER: Final = late(rf"\[({'|'.join(_EXAMPLES)})\](?!\(|\s?[:：=＝])")

_ALPHANUMERIC: Final = late("[A-Za-z0-9]")


def filled(text: str) -> tuple[Plain, list[tuple[int, int]]]:
    """A text with example values in place of the placeholders, and their spans in `text`."""
    plain = Plain(text)
    found = list(_PLACEHOLDER.finditer(text))
    plain.edit((*each.span(), _EXAMPLES[each[1]]) for each in found)
    return plain, [each.span() for each in found]


def outside(
    text: str, placeholders: Sequence[tuple[int, int]], start: int, end: int
) -> Iterator[tuple[int, int]]:
    """The parts of a span of a text outside of `placeholders` (their spans, in order).

    Beside a placeholder only what is joined to it without a gap belongs to the secret.
    """
    is_separate = True
    for opening, closing in placeholders[bisect_right(placeholders, start, key=itemgetter(1)) :]:
        if end <= opening:
            break
        is_separate = False
        if start < opening and _ALPHANUMERIC.match(text, opening - 1):
            yield start, opening
        start = closing
    if start < end and (is_separate or _ALPHANUMERIC.match(text, start)):
        yield start, end
