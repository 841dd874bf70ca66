"""A text without its formatting, and where each of its characters stood.

Emphasis, tags, bullets, table cells and emoji between the name of a secret and its value are read
as a colon. So secrets are looked for in one way of writing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Final

from graphmem_worker.guard.names import (
    CODE,
    PASSWORD,
    announces,
    is_neutral,
    label_at,
    named,
    whole,
)
from graphmem_worker.guard.spelling import Edit, has_odd_spelling, joined, spellings
from graphmem_worker.guard.values import is_certain
from graphmem_worker.language.lists import listed
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late


class Plain:
    """A text as it is read, with the place in the original text of each character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._places: list[int] | None = None  # None: nothing was changed

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span in the original of a span of `text`."""
        if self._places is None:
            return start, end
        return self._places[start], self._places[end - 1] + 1

    def edit(self, edits: Iterator[Edit]) -> None:
        """Put what is read in place of parts of `text`, which are in order and apart."""
        done = 0
        pieces: list[str] = []
        places: list[int] = []
        was = self._places
        for start, end, put in edits:
            if start < done:
                continue
            if was is None:
                was = list(range(len(self.text)))
            pieces += (self.text[done:start], put)
            places += was[done:start]
            if put:
                places += [was[min(start, len(was) - 1)]] * (len(put) - 1)
                places.append(was[min(max(start, end - 1), len(was) - 1)])
            done = end
        if was is None or not pieces:
            return
        pieces.append(self.text[done:])
        places += was[done:]
        self.text, self._places = "".join(pieces), places


def plain(text: str) -> Plain:
    """`text` as it is read. The time is linear in the text."""
    found = Plain(text)
    low = text.lower()
    if has_odd_spelling(low.replace("0", "o")):
        found.edit(spellings(text))
    is_named = announces(low)
    if is_named or _DIGITS_APART.search(text):
        found.edit(joined(found.text))
    for signs, edits in _MARKS if text.isascii() else (*_PICTURES, *_MARKS):
        if holds(found.text, signs) if isinstance(signs, tuple) else signs.search(found.text):
            found.edit(edits(found.text))
    return found


_DIGITS_APART: Final = late(r"\d[ \u00a0.·-]{1,2}\d[ \u00a0.·-]")

# --- tags, emphasis, characters ------------------------------------------------------------------

_TAG: Final = late(
    r"<(/?)([^\W\d][\w.:-]{0,40})((?:\s[^<>]{0,300})?)/?>"
    r"|&(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|nbsp|amp|lt|gt|quot|apos|mdash|ndash);"
)
_ATTRIBUTE: Final = late(r"([\w.:-]{1,40})\s?=\s?(?:\"([^\"<>]{0,200})\"|'([^'<>]{0,200})')")


def _tags(text: str) -> Iterator[Edit]:
    """Tags and entities. What is no tag of HTML (`<your-token>`) stays, unless it is closed again:
    then its name, or that of one of its attributes, may name what stands in it."""
    cell = False
    closed = {found[2] for found in _TAG.finditer(text) if found[1]}
    for found in _TAG.finditer(text):
        start, end = found.span()
        name = (found[2] or "").lower()
        label, inner = _attributes(found)
        if found[2] is None:
            yield start, end, html.unescape(found[0]).replace("\xa0", " ")
        elif label and inner:
            yield start, inner[0], f'\n{_KEYWORDS.get(named(label), label)}: "'
            yield inner[1], end, '"\n'
        elif name in listed("tags_inline"):
            yield start, end, "**"
        elif name in listed("tags_of_cells"):
            yield start, end, "" if found[1] else " | " if cell else ""
            cell = True
        elif found[1] or name in listed("tags_of_blocks"):
            cell = cell and name not in listed("tags_of_rows")
            yield start, end, "\n"
        elif found[2] in closed and (kind := named(label or name)):
            yield start, end, f"\n{_KEYWORDS.get(kind, name)}: "
        elif found[2] in closed and is_neutral(name):
            yield start, end, ""


_KEYWORDS: Final = {PASSWORD: "password", CODE: "pin"}
"""What is read for any name of a secret of a kind."""


def _attributes(tag: re.Match[str]) -> tuple[str, tuple[int, int] | None]:
    """What the attributes of a tag say that it holds, if it is a secret, and where its value is:
    `<input type="password" value="…">`."""
    label, inner = "", None
    for each in _ATTRIBUTE.finditer(tag[3] or ""):
        group = 2 if each[2] is not None else 3
        if is_neutral(each[1]):
            inner = tag.start(3) + each.start(group), tag.start(3) + each.end(group)
        elif not label and named(each[group]):
            label = each[group]
    return label, inner


_LINK: Final = late(r"!?\[([^\[\]\n]{1,80})\]\(([^()\s]{1,200})(?:\s\"[^\"\n]{0,80}\")?\)")
_TARGET: Final = late("[/.#:_-]")
_FENCE: Final = late(r"(?m)^[ \t>]*(?:```|~~~)[ \t]*\w{0,12}[ \t]*(?:\r?\n|$)")


def _links(text: str) -> Iterator[Edit]:
    """Links are read as their text; one whose text names a secret as name and value."""
    for found in _LINK.finditer(text):
        start, end = found.span()
        if named(found[1]) and (is_certain(found[2]) or not _TARGET.search(found[2])):
            yield start, found.start(1), ""
            yield found.end(1), found.start(2), ": "
            yield found.end(2), end, ""
        else:
            yield start, found.start(1), ": " if label_at(text, start) else ""
            yield found.end(1), end, ""


_QUOTED: Final = "《‹„\"'“‘`「『«"
_EMPHASIS: Final = late(
    r"(?P<mark>\*{1,3}|__?|~~)(?=[^\s*])([^*\n]{1,160}?)(?<=\S)(?P=mark)(?![\w*])"
)


_VALUE_NEXT: Final = late(
    lambda: rf"\s{{0,2}}(?!{whole('not_value')})[^\s:：=,.;!?，。、！？()（）|-]"
)


def _emphasis(text: str) -> Iterator[Edit]:
    """Marks of emphasis: around a value they are quotation marks, around more they are nothing."""
    for found in _EMPHASIS.finditer(text):
        start, end = found.span()
        if start and (text[start - 1].isalnum() and text[start - 1].isascii()):
            continue
        name = found[2].rstrip(" :：")
        if named(name) or label_at(name, len(name)):
            yield start, found.start(2), ""
            is_next = name == found[2] and _VALUE_NEXT.match(text, end)
            yield found.end(2), end, ": " if is_next else ""
        elif found[2][0] not in _QUOTED:
            yield start, found.start(2), '"'
            yield found.end(2), end, '"'


_INVISIBLE: Final = late("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0e\ufe0f\ufeff]+")
_POINTING: Final = late("\\s*(?:[→⇒➡➜👉▶►]\\s*)+")
_PICTURE: Final = late("(?:(?![🔐-🔓🗝])[\u2600-\u27bf\U0001f000-\U0001faff])+")


def _pictures(text: str) -> Iterator[Edit]:
    """Emoji: those that point are read as a colon after a name, all others as a space."""
    for found in _POINTING.finditer(text):
        yield *found.span(), ": " if label_at(text, found.start()) else " "


_BULLET: Final = late(
    r"(?m)^[ \t]*(?:(?:[-*+•‣·▪◦>]|\d{1,2}[.)]|#{1,6}|\[[ xX]\])[ \t]+)+|(?m:^)>+[ \t]?"
)


# --- names and values ---------------------------------------------------------------------------

_ROW: Final = late(r"(?m)^[ \t]*\|?([^|\n]{1,200})\|([^|\n]{1,200})(?:\|[^\n]{0,600})?$")
_CELL: Final = late(r"[^|\n]+")
_RULE: Final = late(r"[\s|:–-]+")


def _tables(text: str) -> Iterator[Edit]:
    """Rows of tables: a cell that names a secret, or stands under such a name, names the next."""
    head: list[str] = []
    for row in _ROW.finditer(text):
        cells = list(_CELL.finditer(text, row.start(), row.end()))
        told = [cell[0].strip() for cell in cells]
        if _RULE.fullmatch(row[0]):
            continue
        for place, cell in enumerate(cells):
            before = told[place - 1] if place else ""
            above = head[place] if head and place < len(head) else ""
            value = cell[0].strip()
            if not value or not (named(before) or named(above)):
                continue
            begin = text.index(value, cell.start())
            if not named(before):
                yield begin, begin, f"{above}: "
            else:
                yield cell.start() - 1, begin, ": "
        if any(map(named, told)) and not head and not any(map(named, told[:1])):
            head = told


_Pass = Callable[[str], Iterator[Edit]]
_Passes = tuple[tuple[re.Pattern[str] | tuple[str, ...], _Pass], ...]


def _reading(pattern: re.Pattern[str], put: str) -> _Pass:
    """The pass that reads the same for all that a pattern finds."""
    return lambda text: ((*found.span(), put) for found in pattern.finditer(text))


_PICTURES: Final[_Passes] = (
    (_INVISIBLE, _reading(_INVISIBLE, "")),
    (_POINTING, _pictures),
    (_PICTURE, _reading(_PICTURE, " ")),
)
"""Only in texts that are not ASCII."""
_MARKS: Final[_Passes] = (
    (("<", "&"), _tags),
    (("](",), _links),
    (("```", "~~~"), _reading(_FENCE, "")),
    (("*", "_", "~~"), _emphasis),
    (late(r"(?m)^[ \t]*(?:[-*+•‣·▪◦>#]|\d{1,2}[.)])"), _reading(_BULLET, "")),
    (("|",), _tables),
)
