"""Secrets that a sentence gives by what they are for, or in two parts.

"Use … to log in", "… is what I type at the prompt", "it's …, for the wifi", "the first half is …,
the second …". What says so stands in `guard.toml` of each language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from graphmem_worker.guard.names import CODE, PASSWORD
from graphmem_worker.guard.values import (
    is_certain,
    is_han_phrase,
    is_phrase,
    is_told_row,
    is_word,
    number,
    talks,
)
from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.sayings import Sayings, sayings
from graphmem_worker.text.patterns import late

_STOP: Final = late(r"[.!?](?=\s|$)|[。！？\n]")
_OPENING: Final = "[ :：,，=]{0,3}[\"'“‘`「『„»]?"
_VALUE: Final = late(
    lambda: (
        rf"{_OPENING}([\x21-\x7e]{{2,80}}"
        rf"|[\u4e00-\u9fff]{{3,16}}(?<![{''.join(ordered('serials'))}])\d{{2,8}})"
    )
)
_WORDS: Final = late(rf"{_OPENING}([\x21-\x7e]{{1,24}}(?: [\x21-\x7e]{{1,24}}){{0,25}})")
_PART: Final = late(
    rf"{_OPENING}([\x21-\x7e]{{2,80}}|[^\x00-\x7f，。；！？、」』”’\s]{{2,12}}[\x21-\x7e]{{0,20}})"
)
_TRAILING: Final = ".,;:)]}\"'”’`?!，。；：！」』“«"
_OF_PART: Final = ".,;:\"'”’`，。；：」』“«"
_LINKED: Final = late(r"[\"'”’`」』]?(?: to)?[\s，,]{0,2}[\u4e00-\u9fff]{0,6}")
_ENDED: Final = late(r"[\"'”’`」』“«]?(?:[.,;!?，。；！？]|\s*$|[\u4e00-\u9fff])")
_CLOSE: Final = late(r"[\"'”’`」』“«]?[\s.,;:，。；：/+&-]{0,4}(?:\w{1,3}\s){0,2}")
_LAST: Final = late(r"[\"'”’`」』“«]?[.,;!?，。；！？]?(?:\s|$)")
_LONGEST: Final = 300  # characters of a sentence
_NEAR: Final = 12  # characters between what says that somebody gets in and "use"
_MOST: Final = 8  # places of a sentence that are looked at
_BETWEEN: Final = 160  # characters from one part to the next
_NAMED: Final = 80  # characters before a part in which the name of the secret stands


def entering(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """Kinds and spans of what a sentence says that it opens something."""
    done = 0
    for entered in _said("enters").finditer(low):
        if entered.start() < done:
            continue
        begin, done = _sentence(text, *entered.span())
        sentence = text[begin:done], low[begin:done]
        for kind, start, end in (*_behind(*sentence), *_before(*sentence)):
            yield kind, begin + start, begin + end


def _said(means: str) -> Sayings:
    return sayings("guard", means)


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around a span begins and ends."""
    first = max(0, start - _LONGEST)
    stops = [stop.end() for stop in _STOP.finditer(text, first, start)]
    after = _STOP.search(text, end, end + _LONGEST)
    return stops[-1] if stops else first, after.start() if after else min(len(text), end + _LONGEST)


def _behind(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """What stands behind "use" or "it's" in a sentence."""
    for means in ("gives", "types"):
        for given in islice(_said(means).finditer(low), _MOST):
            value = _VALUE.match(text, given.end())
            told = value[1].rstrip(_TRAILING) if value else ""
            close = value.start(1) + len(told) if value else 0
            kind = _certain(told) if told else None
            if value is None:
                continue
            if kind is None:
                yield from _words(text, low, given, is_typed=means == "types")
            elif kind != CODE or _ENDED.match(text, close) or low[close : close + 4] == " to ":
                yield kind, value.start(1), close


def _words(
    text: str, low: str, given: re.Match[str], *, is_typed: bool
) -> Iterator[tuple[str, int, int]]:
    """Plain words behind "use", if they stand beside what they open: "use … to log in", "log in
    with …". What is used, not typed, may be a program with a capital."""
    at = given.end()
    after = [_said(means).search(low[at:]) for means in ("enters", "given")]
    stop = min((at + found.start() for found in after if found), default=len(low))
    words = _WORDS.match(text, at, stop)
    told = words[1].rstrip(_TRAILING + " ").removesuffix(" to") if words else ""
    if words is None or not (_plain(told) and (is_typed or told.islower())):
        return
    close = words.start(1) + len(told)
    is_linked = stop < len(low) and _LINKED.fullmatch(text, close, stop) is not None
    if is_linked and _said("serves").match(low[stop:]):
        is_linked = not {",", "，"}.isdisjoint(text[close:stop])  # "it's great for the wifi"
    last = max((found.end() for found in _said("enters").finditer(low[:at])), default=-_LONGEST)
    is_last = at - last <= len(given[0]) + _NEAR and _ENDED.match(text, close) is not None
    if is_linked or (is_last and told.islower()):
        yield PASSWORD, words.start(1), close


def _before(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """What stands before "is what I type", "gets you in", or only ", for the wifi"."""
    for means in ("given", "serves"):
        for said in islice(_said(means).finditer(low), _MOST):
            told = text[: said.start()].rstrip(_TRAILING + " ")
            stop = len(told)
            whole = re.split(r"[，,：:；;]\s?", told)[-1].strip().lstrip("\"'“‘`「『„»")
            last = re.split(r"[\s「“『]|(?<=[\u4e00-\u9fff])(?=[\x21-\x7e])", whole)[-1]
            if (kind := _certain(last)) is not None:
                yield kind, stop - len(last), stop
            elif means == "given" and _plain(whole):
                yield PASSWORD, stop - len(whole), stop


def _certain(value: str) -> str | None:
    """The kind of what cannot be a word, a name or a measure."""
    if not value[:1].isascii():
        return PASSWORD if is_han_phrase(value, is_told=False) else None
    if number(value):
        return CODE if 4 <= sum(map(str.isdigit, value)) <= 12 else None
    return PASSWORD if is_certain(value) else None


def _plain(value: str) -> bool:
    """Whether a word, or a row of words, may be a password where one is told."""
    if " " in value:
        is_long = len(value.split()) >= (3 if any(map(str.isdigit, value)) else 4)
        return (is_long and value.islower() and is_phrase(value)) or is_told_row(value)
    return is_word(value, 6) and value.lower() not in listed("entrances")


def parts(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """A secret that is told in two parts: what stands behind "the first half is" and "the rest is",
    in a text that names a secret."""
    if not _said("names").is_in(low):
        return
    for first in _said("first part").finditer(low):
        one = _part(text, first.end())
        if one is None or not _said("names").is_in(low[max(0, first.start() - _NAMED) : one[0]]):
            continue
        for second in _said("next part").finditer(low[one[1] : one[1] + _BETWEEN]):
            other = _part(text, one[1] + second.end())
            if other is None:
                continue
            between = text[one[1] : one[1] + second.start()]
            odd = [not text[slice(*each)].isalpha() for each in (one, other)]
            if all(odd) or (
                _CLOSE.fullmatch(between) and (any(odd) or _LAST.match(text, other[1]))
            ):
                yield PASSWORD, *one
                yield PASSWORD, *other
                break


def _part(text: str, at: int) -> tuple[int, int] | None:
    value = _PART.match(text, at)
    told = value[1].rstrip(_OF_PART).split(",")[0] if value else ""
    if value is None or len(told) < 2 or told.lower() in listed("describing") or talks(told):
        return None
    return value.start(1), value.start(1) + len(told)
