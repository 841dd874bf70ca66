"""Excerpts: which clauses of a memory are told where there is no room to tell it whole.

A phrase says what a memory is about, whoever asks. What somebody asks for may stand in another
clause: "a girl, 3.2 kilos, her pet name is Bean". So of what does not fit those clauses are told
that hold the words of the cue or the kind of value that it asks for, with "…" where something is
left out.

A clause that limits the one before it ("you may, but not …", 少量可以，但是…) is told with it, or
neither is: a permission without its exception is a lie.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final

_LEFT_OUT: Final = "...", "…"
"""Where something is left out: of a text without Chinese characters, and of one with them. Three
full stops count as one token, "…" as two."""
_VALUE: Final = (
    0.5  # of the rarest word of the cue: what the kind of value counts that is asked for
)
_SHORTEST: Final = 12  # letters: a clause that is shorter is told with the one behind it
_SHORTLY: Final = 24  # characters
_SLACK: Final = 2  # times the letters that there are, which a clause may have that is told uncut

_BORDER: Final = (
    r"(?<=[,;:.!?)])\s+(?=\S)|(?<!\s)\s+(?=[—–-]\s)|\n+\s*|(?<=[，；：。！？])(?=[^，；：。！？」』”’）])"
    r"|(?<=[\u2e80-\uffef][,;:!?])(?=\S)"  # 会唱淮剧,5月来
)
_HAN: Final = "[\u2e80-\uffef]"
_BACK: Final = 8  # characters in which a better place for a cut is looked for
_pattern: Final = cache(re.compile)  # where it is first used: wide classes take milliseconds
_MARK: Final = re.compile("|".join(map(re.escape, _LEFT_OUT)))
_LEADING: Final = re.compile(r"(?:[\s,;:，；：、。…—–-]|\.{2,})+")
_TRAILING: Final = " \t\n,;:，；：、.。…—–-"


@dataclass(frozen=True, slots=True)
class Sought:
    """What a cue asks for, as far as clauses show that they tell it."""

    words: tuple[tuple[str, float], ...] = ()
    """Beginnings of words in lower case, or Chinese characters, each with what it is worth, > 0."""
    value: str = ""
    """An expression that meets what tells the kind of value asked for; "" if no kind is known."""
    limits: str = ""
    """An expression that meets what a clause begins with that limits the one before it, …"""
    ending: str = ""
    """… and one that meets a character behind which a Chinese clause may be cut."""


def excerpt(text: str, sought: Sought, most: int) -> str:
    """The clauses of `text` that tell most of what is sought, in its order, within about `most`
    letters, a Chinese character counting as three; "" if none tells any of it. A clause that is
    longer is cut around what is sought, unless it limits what it says: it is told whole, or not."""
    worths = _worths(text, sought)
    if not any(worth for *_, worth in worths):
        return ""
    order = sorted(range(len(worths)), key=lambda place: -worths[place][2])
    chosen = {order[0]}
    size = _width(text[slice(*worths[order[0]][:2])])
    # Then what tells more of it, and last what stands beside: first what follows.
    for place in (*(p for p in order[1:] if worths[p][2]), *_beside(order[0], len(worths))):
        if place in chosen:
            continue
        width = _width(text[slice(*worths[place][:2])])
        if size + width <= most:
            chosen.add(place)
            size += width
    if size > most:
        (place,) = chosen
        return _window(text, *worths[place][:2], sought, most)
    return _joined(text, [worths[place][:2] for place in sorted(chosen)])


def marked(phrase: str, text: str, sought: Sought) -> str:
    """A phrase of a text, with a mark where something of the text is left out; "" if what limits it
    would be."""
    at = text.find(phrase)
    if at < 0:  # it was cut within a clause, and says so
        phrase = phrase.rstrip(_TRAILING)
        at = text.find(phrase)
    if at < 0:
        return f"{phrase}{_left_out(text)}"
    end = at + len(phrase)
    for start, stop in _clauses(text, sought.limits):
        if start < end and at < stop and _cuts(text, (start, stop), (at, end), sought):
            return ""
    return _joined(text, [(at, end)])


def _cuts(text: str, whole: tuple[int, int], kept: tuple[int, int], sought: Sought) -> bool:
    """Whether what limits a clause is in what is left out of it, or so shortly before that what it
    limits it to is."""
    limits = _compiled(sought.limits)
    if limits is None:
        return False
    if limits.search(text[whole[0] : max(whole[0], kept[0])]):
        return True
    is_whole = not text[kept[1] : whole[1]].strip(_TRAILING)
    since = max(whole[0], kept[0], kept[1] - _SHORTLY)
    return not is_whole and limits.search(text[since : whole[1]]) is not None


def parts(excerpted: str) -> list[str]:
    """What stands between the marks of an excerpt."""
    return [part.strip() for part in _MARK.split(excerpted)]


def _width(text: str) -> int:
    """The letters of a text, a Chinese character counting as three."""
    return len(text) if text.isascii() else len(text) + 2 * len(_pattern(_HAN).findall(text))


def _beside(place: int, count: int) -> list[int]:
    """The other places, those next to `place` first, of two equally near the one behind it."""
    return sorted(
        (p for p in range(count) if p != place), key=lambda p: (abs(p - place), p < place)
    )


@lru_cache(1 << 8)
def _worths(text: str, sought: Sought) -> tuple[tuple[int, int, float], ...]:
    """The clauses of a text: where each begins and ends, and what it tells of what is sought."""
    value = _compiled(sought.value)
    bonus = _VALUE * max((worth for _, worth in sought.words), default=1.0)
    return tuple(
        (
            start,
            end,
            _held(text[start:end], sought)
            + (bonus if value is not None and value.search(text[start:end]) else 0.0),
        )
        for start, end in _clauses(text, sought.limits)
    )


@lru_cache(1 << 6)
def _compiled(value: str) -> re.Pattern[str] | None:
    return re.compile(value) if value else None


def _held(clause: str, sought: Sought) -> float:
    """What the words of the cue that a clause holds are worth together."""
    folded = clause.casefold()
    return sum(
        worth
        for word, worth in sought.words
        if word in folded and _beginning(word).search(folded) is not None
    )


@lru_cache(1 << 10)
def _beginning(word: str) -> re.Pattern[str]:
    """An expression for a word of the cue: of a Latin one, where a word begins with it."""
    return re.compile(rf"(?<![a-z0-9]){re.escape(word)}" if word.isascii() else re.escape(word))


def _clauses(text: str, limits: str) -> list[tuple[int, int]]:
    """Where the clauses of a text begin and end; a very short one belongs to the next, and one that
    limits another to that."""
    limiting = _compiled(limits)
    found: list[tuple[int, int]] = []
    start = 0
    for border in _pattern(_BORDER).finditer(text):
        if limiting is not None and limiting.match(text, border.end()):
            continue
        if _width(text[start : border.start()]) >= _SHORTEST or "\n" in border[0]:
            found.append((start, border.start()))
            start = border.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return found


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Spans of a text, ascending, with a mark where something is left out between, before or behind
    them."""
    said = ""
    at = 0
    left_out = _left_out(text)
    for start, end in spans:
        if text[at:start].strip():
            said = f"{said.rstrip(_TRAILING)}{left_out} " if said else left_out
            leading = _LEADING.match(text, start, end)
            start = start if leading is None else leading.end()
        elif said:
            said += text[at:start]
        said += text[start:end]
        at = end
    said = said.strip()
    return f"{said.rstrip(_TRAILING)}{left_out}" if text[at:].strip() else said


def _left_out(text: str) -> str:
    return _LEFT_OUT[_pattern(_HAN).search(text) is not None]


def _window(text: str, start: int, end: int, sought: Sought, most: int) -> str:
    """As much of a clause as `most` characters hold, around the first word that is sought. A
    Chinese one is told uncut if it has not many more: nothing shows where its words end."""
    width = _width(text[start:end])
    if width <= _SLACK * most and _pattern(_HAN).search(text, start, end):
        return _joined(text, [(start, end)])
    most = max(1, most * (end - start) // width)
    first = start + _first(text[start:end], sought)
    # Mostly what is said of a word follows it.
    begin = start if first + most // 2 <= start + most else max(start, first - most // 4)
    last = min(end, begin + most)
    begin = _at_border(text, begin, start, sought) if begin > start else begin
    last = _at_border(text, last, begin + 1, sought) if last < end else last
    if _cuts(text, (start, end), (begin, last), sought):
        return ""
    return _joined(text, [(begin, last)])


def _first(clause: str, sought: Sought) -> int:
    """Where the first word of the cue that a clause holds begins in it, else what tells the kind
    of value asked for; 0 if it holds neither."""
    folded = clause.casefold()
    met = (_beginning(word).search(folded) for word, _ in sought.words if word in folded)
    places = [found.start() for found in met if found is not None]
    value = _compiled(sought.value)
    if not places and value is not None and (told := value.search(clause)) is not None:
        return told.start()
    place = min(places, default=0)
    if len(folded) == len(clause):
        return place
    # "ß" is two letters where case is folded.
    return bisect_right([*accumulate(len(sign.casefold()) for sign in clause)], place)


def _at_border(text: str, place: int, least: int, sought: Sought) -> int:
    """The last place, not before `least`, at which no Latin word, number or number with its unit
    (8月) is cut; among Chinese characters, behind one that ends a word, if there is one."""
    ending = _compiled(sought.ending)
    if ending is not None:
        for at in range(place, max(least, place - _BACK), -1):
            if ending.match(text, at - 1):
                return at
    at = place
    while at > least and (
        (_is_inside(text[at - 1]) and _is_inside(text[at : at + 1]))
        or (text[at - 1].isdecimal() and _pattern(_HAN).match(text, at) is not None)
    ):
        at -= 1
    return at if at > least else place


def _is_inside(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character in "._-'/")
