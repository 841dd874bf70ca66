"""Shortening: a part of a text, told where there is no room for the whole.

A clause that limits the one before it ("you may, but not …", 少量可以，但是…) is told with it, or
neither is: a permission without its exception is a lie.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

_LEFT_OUT: Final = "...", "…"
"""Where something is left out: of a text without Chinese characters, and of one with them. Three
full stops count as one token, "…" as two."""
_SHORTEST: Final = 12  # letters: a clause that is shorter is told with the one behind it
_SHORTLY: Final = 24  # characters

_BORDER: Final = (
    r"(?<=[,;:.!?)])\s+(?=\S)|(?<!\s)\s+(?=[—–-]\s)|\n+\s*|(?<=[，；：。！？])(?=[^，；：。！？」』”’）])"
    r"|(?<=[\u2e80-\uffef][,;:!?])(?=\S)"  # 会唱淮剧,5月来
)
_HAN: Final = "[\u2e80-\uffef]"
_pattern: Final = cache(re.compile)  # where it is first used: wide classes take milliseconds
_LEADING: Final = re.compile(r"(?:[\s,;:，；：、。…—–-]|\.{2,})+")
_TRAILING: Final = " \t\n,;:，；：、.。…—–-"


def marked(part: str, text: str, limits: str, at: int | None = None) -> str:
    """A part of a text, with a mark where something of the text is left out; "" if what limits it
    would be. Beside whole lines of a part of several the mark stands on a line of its own.

    limits: an expression that meets what a clause begins with that limits the one before it; ""
    if nothing does. at: where the part stands in the text, if that is known.
    """
    at = text.find(part) if at is None else at
    if at < 0:  # it was cut within a clause, and says so
        part = part.rstrip(_TRAILING)
        at = text.find(part)
    left_out = _LEFT_OUT[_pattern(_HAN).search(text) is not None]
    if at < 0:
        return f"{part}{left_out}"
    end = at + len(part)
    if limits and any(
        start < end and at < stop and _cuts(text, (start, stop), (at, end), limits)
        for start, stop in clauses(text, limits)
    ):
        return ""
    said = part.strip()
    has_lines = "\n" in said
    behind = text[at + len(part.rstrip()) :]
    if text[:at].strip():
        if has_lines and text[:at].endswith("\n"):
            said = f"{left_out}\n{part.strip(chr(10)).rstrip()}"
        else:
            leading = _LEADING.match(said)
            said = f"{left_out}{said[leading.end() :] if leading else said}"
    if not behind.strip():
        return said
    if has_lines and behind.startswith("\n"):
        return f"{said}\n{left_out}"
    return f"{said.rstrip(_TRAILING)}{left_out}"


def _cuts(text: str, whole: tuple[int, int], kept: tuple[int, int], limits: str) -> bool:
    """Whether what limits a clause is in what is left out of it, or so shortly before that what it
    limits it to is."""
    limiting = _pattern(limits)
    if limiting.search(text[whole[0] : max(whole[0], kept[0])]):
        return True
    is_whole = not text[kept[1] : whole[1]].strip(_TRAILING)
    since = max(whole[0], kept[0], kept[1] - _SHORTLY)
    return not is_whole and limiting.search(text[since : whole[1]]) is not None


@lru_cache(1 << 6)  # an excerpt asks for those of its text at each step
def clauses(text: str, limits: str) -> tuple[tuple[int, int], ...]:
    """Where the clauses of a text begin and end; a very short one belongs to the next, and one that
    limits another to that."""
    limiting = _pattern(limits)
    found: list[tuple[int, int]] = []
    start = 0
    for border in _pattern(_BORDER).finditer(text):
        if limiting.match(text, border.end()):
            continue
        if _width(text[start : border.start()]) >= _SHORTEST or "\n" in border[0]:
            found.append((start, border.start()))
            start = border.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return tuple(found)


def _width(text: str) -> int:
    """The letters of a text, a Chinese character counting as three."""
    return len(text) if text.isascii() else len(text) + 2 * len(_pattern(_HAN).findall(text))
