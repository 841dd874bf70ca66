"""Secrets that a sentence gives apart from the keyword, or for a lock without any keyword.

"Dad asks for the password, it's …", "the gate opens with …", "router: name / …". What says so
stands in `guard.toml` of each language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphmem_worker.guard.names import CODE, PASSWORD, TOKEN, announces
from graphmem_worker.guard.prose import Found
from graphmem_worker.guard.values import (
    is_certain,
    is_quantity,
    number,
    opaque,
    placeholder,
    reference,
    talks,
)
from graphmem_worker.language.lists import ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import sayings
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late

_ACCESS_PAIR: Final = late(r"\b(?:AK|SK)\b\s?[:：=]?\s?([A-Za-z0-9+/_-]{16,64})(?![\w-])", re.ASCII)
_ITEM: Final = late(
    lambda: (
        rf"[\s,;、，；:：/|\"'“”]{{0,4}}(?:(?:{either(ordered('item_joins'))})\s?)?"
        r"([A-Za-z0-9][A-Za-z0-9-]{3,30})"
    )
)
_OPENING: Final = late(r"[^.?!。！？\n:：]{0,40}[:：]")
_BACK: Final = late(r"\s{0,2}(\d{3,4})(?![\d.,:]?\d|\w)")
_CARD: Final = late(r"\d{4}[ -]?\d{4}[ -]?\d{4}")
_PHRASE: Final = late(r"\s?([\u4e00-\u9fff]{5,28})(?=[，。；！\n]|$)")
_HEX: Final = late(r"[0-9a-f]{32,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ISSUED: Final = late(
    lambda: (
        rf"\b(?:{either(ordered('key_prefixes'))})[A-Za-z0-9]{{8,40}}\s{{0,2}}[/|,，、:：]?\s{{0,2}}"
        rf"(?:sk|secret|{either(ordered('item_joins'))})?\s?[:：=]?\s{{0,2}}"
        r"([A-Za-z0-9+/]{24,64}={0,2})(?![A-Za-z0-9])"
    ),
    re.ASCII,
)
_ACCOUNT: Final = late(
    lambda: (
        rf"\b(?:{either(ordered('account_commands'))})\s([A-Za-z0-9_-]{{32,64}})\s"
        r"([A-Za-z0-9_-]{32,64})(?![\w-])"
    ),
    re.ASCII,
)
_TRAILING: Final = ".,;:)]}\"'”’`?!，。；：！"
_MOST: Final = 24  # items of a list
_AFTER: Final = 60  # characters behind a value in which the next one stands
_BESIDE: Final = 24  # characters before turns in which a lock is named
_CALLED: Final = 8  # characters before a value in which it is said that it is a name
_NETWORK: Final = 8  # figures of the password of a network


_LINKED: Final = (("told later", True, 4), ("set to", False, 4), ("network", True, _NETWORK))
"""What a rule means, whether figures alone are a secret then, and how many at least."""


def indirect(text: str, low: str) -> Iterator[Found]:
    """Secrets that are linked to what they open by more than a keyword directly before them."""
    yield from _keys(text)
    if not text.isascii():
        yield from _han(text, low)
    for said in sayings("guard", "on the back").finditer(low):
        found = _BACK.match(low, said.end())
        if found is not None and (holds(low, ordered("card_words")) or _CARD.search(low)):
            yield Found(CODE, *found.span(1))
    if not (announces(low) or sayings("guard", "device", "keyed in").may_be_in(low)):
        return
    for means, is_loose, least in _LINKED:
        for begin, end in sayings("guard", means).values(low):
            if not is_loose and holds(low[max(0, begin - _CALLED) : begin], ordered("naming")):
                continue
            yield from _fitting(text, low, begin, end, loose=is_loose, least=least)
            if not is_loose and not text.isascii():
                # "It was A, now it is B": both open what does not change everywhere at once.
                for one in sayings("guard", "changed to").values(low[begin : end + _AFTER]):
                    span = (begin + place for place in one)
                    yield from _fitting(text, low, *span, loose=False)
    for begin, end in sayings("guard", "keyed in").values(low):
        yield Found(CODE, begin, end)
    for heading in sayings("guard", "lists codes").finditer(low):
        yield from _list(text, low, heading.end())


def _keys(text: str) -> Iterator[Found]:
    """Keys beside what a vendor or a command begins with."""
    if "AK" in text or "SK" in text:
        for found in _ACCESS_PAIR.finditer(text):
            if opaque(found[1], 16):
                yield Found(TOKEN, *found.span(1))
    if holds(text, ordered("key_prefixes")):
        for found in _ISSUED.finditer(text):
            if opaque(found[1], 20):
                yield Found(TOKEN, *found.span(1))
    if holds(text, ordered("account_commands")):
        for found in _ACCOUNT.finditer(text):
            for group in (1, 2):
                if opaque(found[group], 24):
                    yield Found(TOKEN, *found.span(group))


def _han(text: str, low: str) -> Iterator[Found]:
    for begin, end in sayings("guard", "key told").values(low):
        value = text[begin:end]
        before = low[max(0, begin - _BESIDE) : begin]
        is_random = _HEX.fullmatch(value) is not None or opaque(value, 16)
        is_other = holds(before, ordered("hash_words")) or placeholder(value) or reference(value)
        if is_random and not is_other:
            yield Found(TOKEN, begin, end)
    for turned in sayings("guard", "turns").finditer(low):
        if sayings("guard", "locked").is_in(low[max(0, turned.start() - _BESIDE) : turned.start()]):
            yield Found(CODE, *turned.span())
    for said in sayings("guard", "phrase told").finditer(low):
        phrase = _PHRASE.match(low, said.end())
        if phrase is not None and not talks(phrase[1]):
            yield Found(PASSWORD, *phrase.span(1))


def _fitting(
    text: str, low: str, begin: int, end: int, *, loose: bool, least: int = 4
) -> Iterator[Found]:
    """The value at the span if a secret may look like it. `loose`: digits alone are one."""
    value = re.split(r"[,;]", text[begin:end])[0].rstrip(_TRAILING)
    end = begin + len(value)
    dashed = loose and re.fullmatch(r"\d{2}(?:-\d{2}){2}", value)
    if len(value) < least - 1 or placeholder(value) or (reference(value) and not dashed):
        return
    if number(value):
        digits = sum(map(str.isdigit, value))
        if loose and max(least, 4) <= digits <= 12 and not is_quantity(low, end):
            yield Found(CODE, begin, end)
        return
    if is_certain(value):
        yield Found(TOKEN if _HEX.fullmatch(value) else PASSWORD, begin, end)


def _list(text: str, low: str, at: int) -> Iterator[Found]:
    """The codes of a list after its heading, to the first word that is none."""
    opening = _OPENING.match(low, at)
    at = opening.end() if opening is not None else at
    for _ in range(_MOST):
        item = _ITEM.match(text, at)
        if item is None:
            return
        value = item[1]
        digits = sum(map(str.isdigit, value))
        if digits < 2 or (value.isdigit() and len(value) < 6) or placeholder(value):
            return
        if is_quantity(low, item.end()):
            return
        yield Found(CODE, *item.span(1))
        at = item.end()
