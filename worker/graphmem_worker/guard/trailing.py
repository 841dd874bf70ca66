"""Secrets that no link joins to their name, and those that are told in a short way.

"Gate code for the back stairs 2468E"; "ssh … with pass hunter2"; "password: eight eights"; the rest
of a row of words whose first has figures ("is tr33 house dragon").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Final

from graphmem_worker.guard.names import CODE, PASSWORD, label_at, stems
from graphmem_worker.guard.prose import Found
from graphmem_worker.guard.values import is_certain, is_phrase, number, reference, strong
from graphmem_worker.language.lists import classed, listed, ordered
from graphmem_worker.language.sayings import sayings
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late

_PLACE: Final = late(r"(?: [^\W\d_]{2,20}){0,2}:? ([\x21-\x7e]{4,40})")
_TRAILING: Final = ".,;:)]}\"'”’`?!"
_ENDED: Final = late(r"[\"'”’`)]?\s*(?:[.,;!?](?=\s|$)|[，。；！？\n]|$)")
_LETTERED: Final = late(r"[A-Za-z]?\d{3,8}[A-Za-z]?#?")
_YEAR: Final = late(r"(?:19|20)\d\d")
_SYMBOL: Final = late("[!#$%^&*+=~?]")
_BEHIND: Final = late(r" ([\x21-\x7e]{5,64})")
_NEAR: Final = 20  # characters of a link and a name's end
_MOST: Final = 8  # places of a text that are looked at


@cache
def _names() -> tuple[str, ...]:
    """Strings of one of which every text that names a secret has one."""
    return (*stems(), *ordered("secret_names"), *ordered("secret_signs"))


def trailing(text: str, low: str) -> Iterator[Found]:
    """Secrets behind a name and what it is for, behind "with pass", or told as so many figures."""
    if not holds(low, _names()):
        return
    for said in islice(sayings("guard", "of what").finditer(low), _MOST):
        kind = label_at(text, said.start())
        place = _PLACE.match(text, said.end()) if kind in (CODE, PASSWORD) else None
        if place is not None:
            value = place[1].rstrip(_TRAILING)
            close = place.start(1) + len(value)
            if _ENDED.match(text, close) and _fits(kind, value):
                yield Found(kind, place.start(1), close)
    for said in islice(sayings("guard", "with pass").finditer(low), _MOST):
        behind = _BEHIND.match(text, said.end())
        value = behind[1].rstrip(_TRAILING) if behind else ""
        if behind and strong(value) and not value.isalpha() and not reference(value):
            yield Found(PASSWORD, behind.start(1), behind.start(1) + len(value))
    for told in islice(sayings("guard", "repeated").finditer(low), _MOST):
        end, is_joined = _joined(text, told.start())
        kind = label_at(text, end)
        if is_joined and not kind:  # 家里WIFI是八个八
            known = classed("secret_told_han").items()
            kind = next((each for name, each in known if low[:end].endswith(name)), "")
        if kind in (CODE, PASSWORD) and not text[told.end() : told.end() + 1].isalnum():
            yield Found(kind, *told.span())


def _fits(kind: str, value: str) -> bool:
    if kind == CODE or number(value):
        return bool(_LETTERED.fullmatch(value)) and not _YEAR.fullmatch(value)
    if _LETTERED.fullmatch(value):
        return True
    return is_certain(value) and _SYMBOL.search(value) is not None


def _joined(text: str, at: int) -> tuple[int, bool]:
    """Where the name before `at` ends, and whether a link or a colon joins it to what is there."""
    start = max(0, at - _NEAR)
    bare = text[start:at].rstrip(" \"'“‘")
    if bare.endswith((":", "：", "=")):
        return start + len(bare.rstrip(" :：=")), True
    low = bare.lower()
    for link in sayings("guard", "joins").finditer(low):
        if link.end() == len(low):
            return start + len(bare[: link.start() - len(low)].rstrip()), True
    return start + len(bare), False


_ROW: Final = late(r"(?: [a-z0-9]{2,16}){2,9}(?=[\"'”’`)]?(?:[.,;!?](?:\s|$)|[，。；！？\n]|$))")


def extended(text: str, found: Iterable[Found]) -> Iterator[Found]:
    """What was found, to the end of a row of words in lower case that goes on behind a password."""
    for each in found:
        value = text[each.start : each.end]
        if each.kind == PASSWORD and " " not in value and value.isalnum() and value.islower():
            row = _ROW.match(text, each.end) if any(map(str.isdigit, value)) else None
            if row is not None and _is_row(text, each.start, value + row[0]):
                yield Found(PASSWORD, each.start, row.end())
                continue
        yield each


def _is_row(text: str, start: int, value: str) -> bool:
    is_joined = _joined(text, start)[1]
    return is_joined and is_phrase(value) and listed("talking").isdisjoint(value.split())
