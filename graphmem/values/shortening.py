"""Shortening: a part of a text, shown where there is no room for the whole.

A clause that limits the one before it ("you may, but not …", 少量可以，但是…) is shown with it, or
neither is: a permission without its exception would mislead.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

_LEFT_OUT: Final = "...", "…"
"""The mark of an omission, in a text without and with Chinese characters. Three full stops count as
one token, "…" as two."""
_SHORTEST: Final = 12  # letters: a shorter clause is joined to the one behind it
_NEAR_CUT: Final = 24  # characters before a cut in which a limiting word limits what is cut off

_BORDER: Final = (
    r"(?<=[,;:.!?)])\s+(?=\S)|(?<!\s)\s+(?=[—–-]\s)|\n+\s*|(?<=[，；：。！？])(?=[^，；：。！？」』”’）])"
    r"|(?<=[\u2e80-\uffef][,;:!?])(?=\S)"  # 会唱淮剧,5月来
)
_HAN: Final = "[\u2e80-\uffef]"
_pattern: Final = cache(re.compile)  # compiled at first use: wide classes take milliseconds
_LEADING: Final = re.compile(r"(?:[\s,;:，；：、。…—–-]|\.{2,})+")
_TRAILING: Final = " \t\n,;:，；：、.。…—–-"


def marked(part: str, text: str, limits: str, at: int | None = None) -> str:
    """A part of a text with marks where text is left out; "" if a clause that limits it is left
    out. In a part of several lines, the mark at a line border is a line of its own.

    limits: a regular expression for the beginning of a clause that limits the one before it; ""
    if there is none. at: the index of the part in the text, if known.
    """
    at = text.find(part) if at is None else at
    if at < 0:  # it was cut within a clause and ends with a mark
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
    result = part.strip()
    has_lines = "\n" in result
    behind = text[at + len(part.rstrip()) :]
    if text[:at].strip():
        if has_lines and text[:at].endswith("\n"):
            result = f"{left_out}\n{part.strip(chr(10)).rstrip()}"
        else:
            leading = _LEADING.match(result)
            result = f"{left_out}{result[leading.end() :] if leading else result}"
    if not behind.strip():
        return result
    if has_lines and behind.startswith("\n"):
        return f"{result}\n{left_out}"
    return f"{result.rstrip(_TRAILING)}{left_out}"


def _cuts(text: str, whole: tuple[int, int], kept: tuple[int, int], limits: str) -> bool:
    """Whether the kept part of a clause lacks what limits it: the limiting words are left out, or
    are kept so close to the end that what they refer to is left out."""
    limiting = _pattern(limits)
    if limiting.search(text[whole[0] : max(whole[0], kept[0])]):
        return True
    is_whole = not text[kept[1] : whole[1]].strip(_TRAILING)
    since = max(whole[0], kept[0], kept[1] - _NEAR_CUT)
    return not is_whole and limiting.search(text[since : whole[1]]) is not None


@lru_cache(1 << 6)  # an excerpt needs those of its text at each step
def clauses(text: str, limits: str) -> tuple[tuple[int, int], ...]:
    """The (start, end) of the clauses of a text; a very short one is joined to the next, and one
    that limits another to that one."""
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
    """The length of a text in letters; a Chinese character counts as three."""
    return len(text) if text.isascii() else len(text) + 2 * len(_pattern(_HAN).findall(text))
