"""Secrets that a sentence gives apart from their name, or without any.

"Dad asks for the password, it's …", "the gate opens with …", "use … to log in", "the first half is
…, the rest …". What says so stands in `guard.toml` of each language, mostly with the secret as the
value of a phrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from graphmem_worker.guard.names import CODE, PASSWORD, TOKEN
from graphmem_worker.guard.prose import Found
from graphmem_worker.guard.values import (
    is_certain,
    is_phrase,
    is_quantity,
    is_word,
    number,
    opaque,
    placeholder,
    reference,
    talks,
)
from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import sayings
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late

_TRAILING: Final = " .,;:)]}\"'”’`?!，。；：！」』“«"
_OF_PART: Final = ".,;:\"'”’`，。；：」』“«"
_HEX: Final = late(r"[0-9a-f]{32,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LONG: Final = late(r"[\w+/-]{24}", re.ASCII)
_PAIR: Final = late(
    r"(?<![\w/+-])([\w+/-]{16,64})(?:\s|\s?[/|,，、:：]\s?)([\w+/-]{24,64}={0,2})(?![\w/+-])",
    re.ASCII,
)
_MIXED: Final = (late("[a-z]"), late("[A-Z]"), late(r"\d"))
_ROW: Final = late(r"((?:[\x21-\x7e]{0,40}[^\s,;:.!?] ){0,8}[\x21-\x7e]{1,40})[”’」]? ?$")
_ITEM: Final = late(
    lambda: (
        rf"(?:[^.?!。！？\n:：]{{0,40}}[:：])?[\s,;、，；/|\"'“”]{{0,4}}"
        rf"(?:(?:{either(ordered('item_joins'))})\s?)?([A-Za-z0-9][A-Za-z0-9-]{{3,30}})"
    )
)
_PART: Final = late(
    "[ :：,，=]{0,3}[\"'“‘`「『„»]?"
    r"([\x21-\x7e]{2,80}|[^\x00-\x7f，。；！？、」』”’\s]{2,12}[\x21-\x7e]{0,20})"
)
_CLOSE: Final = late(r"[\"'”’`」』“«]?[\s.,;:，。；：/+&-]{0,4}(?:\w{1,3}\s){0,2}")
_LAST: Final = late(r"[\"'”’`」』“«]?[.,;!?，。；！？]?(?:\s|$)")
_MOST: Final = 24  # items of a list
_BESIDE: Final = 24  # characters before turns in which a lock is named
_CALLED: Final = 8  # characters before a value in which it is said that it is a name
_BETWEEN: Final = 160  # characters from one part to the next
_NAMED: Final = 80  # characters before a part in which the secret, or its name, stands


def indirect(text: str, low: str) -> Iterator[Found]:
    """Secrets that are linked to what they open by more than a keyword directly before them."""
    for pair in _PAIR.finditer(text) if _LONG.search(text) else ():
        if all(opaque(v, 16) and all(some.search(v) for some in _MIXED) for v in pair.groups()):
            yield from (Found(TOKEN, *pair.span(group)) for group in (1, 2))
    for means, read in _READ.items():
        for begin, end in sayings("guard", means).values(low):
            yield from read(text, low, begin, end)
    for said in sayings("guard", "given").finditer(low):
        row = _ROW.search(text, max(0, said.start() - _NAMED), said.start())
        if row is not None:
            yield from _typed(text, low, *row.span(1))
    for turned in sayings("guard", "turns").finditer(low):
        if sayings("guard", "locked").is_in(low[max(0, turned.start() - _BESIDE) : turned.start()]):
            yield Found(CODE, *turned.span())
    for heading in sayings("guard", "lists codes").finditer(low):
        yield from _list(text, low, heading.end())
    yield from _parts(text, low)


def _told(text: str, low: str, begin: int, end: int, *, figures: bool = True) -> Iterator[Found]:
    """The value at the span, if it cannot be a word or a measure. figures: digits alone count."""
    value = re.split("[,;]", text[begin:end])[0].rstrip(_TRAILING)
    end = begin + len(value)
    if number(value):
        is_code = 4 <= sum(map(str.isdigit, value)) <= 12 and not is_quantity(low, end)
        if figures and is_code and not reference(value):
            yield Found(CODE, begin, end)
    elif is_certain(value):
        yield Found(TOKEN if _HEX.fullmatch(value) else PASSWORD, begin, end)


def _set(text: str, low: str, begin: int, end: int) -> Iterator[Found]:
    """What something was set to, unless that is its name."""
    if not holds(low[max(0, begin - _CALLED) : begin], ordered("naming")):
        yield from _told(text, low, begin, end, figures=False)


def _typed(text: str, low: str, begin: int, end: int) -> Iterator[Found]:
    """What is typed to get in: a row of words, or the first or the last of them."""
    row = text[begin:end].rstrip(_TRAILING)
    if _is_plain(row):
        yield Found(PASSWORD, begin, begin + len(row))
        return
    last = row.rfind(" ") + 1
    for start, stop in ((0, row.find(" ") if last else len(row)), (last, len(row))):
        yield from _told(text, low, begin + start, begin + stop)


def _is_plain(value: str) -> bool:
    """Whether a word, or a row of words, in lower case may be a password where one is told."""
    if " " in value:
        is_long = len(value.split()) >= (3 if any(map(str.isdigit, value)) else 4)
        return is_long and value.islower() and is_phrase(value)
    return value.islower() and is_word(value, 6) and value not in listed("entrances")


_Read = Callable[[str, str, int, int], Iterator[Found]]
_READ: Final[Mapping[str, _Read]] = {
    "told later": _told,
    "set to": _set,
    "keyed in": lambda text, low, begin, end: iter((Found(CODE, begin, end),)),
    "typed": _typed,
}
"""By what a phrase means, what is found in its value."""


def _list(text: str, low: str, at: int) -> Iterator[Found]:
    """The codes of a list after its heading, to the first word that is none."""
    for _ in range(_MOST):
        item = _ITEM.match(text, at)
        if item is None or sum(map(str.isdigit, item[1])) < 2 or placeholder(item[1]):
            return
        at = item.end()
        if (item[1].isdigit() and len(item[1]) < 6) or is_quantity(low, at):
            return
        yield Found(CODE, *item.span(1))


def _parts(text: str, low: str) -> Iterator[Found]:
    """A secret that is told in two parts: what stands behind "the first half is" and "the rest is",
    in a text that names a secret."""
    names = sayings("guard", "names")
    for first in sayings("guard", "first part").finditer(low) if names.is_in(low) else ():
        one = _part(text, first.end())
        if one is None or not names.is_in(low[max(0, first.start() - _NAMED) : one[0]]):
            continue
        for second in sayings("guard", "next part").finditer(low[one[1] : one[1] + _BETWEEN]):
            other = _part(text, one[1] + second.end())
            if other is None:
                continue
            between = text[one[1] : one[1] + second.start()]
            odd = [not text[slice(*each)].isalpha() for each in (one, other)]
            if all(odd) or (
                _CLOSE.fullmatch(between) and (any(odd) or _LAST.match(text, other[1]))
            ):
                yield from (Found(PASSWORD, *each) for each in (one, other))
                break


def _part(text: str, at: int) -> tuple[int, int] | None:
    value = _PART.match(text, at)
    told = value[1].rstrip(_OF_PART).split(",")[0] if value else ""
    if value is None or len(told) < 2 or told.lower() in listed("describing") or talks(told):
        return None
    return value.start(1), value.start(1) + len(told)
