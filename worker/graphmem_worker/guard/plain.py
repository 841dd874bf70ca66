"""A text without its formatting, and the original place of each of its characters.

Emphasis, tags, bullets, table cells and emoji between the name of a secret and its value become a
colon, so that the search for secrets knows only one form.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Final

from graphmem_worker.guard.names import (
    CODE,
    PASSWORD,
    has_secret_name,
    is_neutral,
    kind_at,
    kind_of,
    terms_pattern,
)
from graphmem_worker.guard.spelling import Edit, has_odd_spelling, joined, spellings
from graphmem_worker.guard.values import is_certain
from graphmem_worker.language.lists import listed
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late


class Plain:
    """An edited text, with the place in the original text of each character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._places: list[int] | None = None  # None: nothing was changed

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span in the original of a span of `text`."""
        if self._places is None:
            return start, end
        return self._places[start], self._places[end - 1] + 1

    def edit(self, edits: Iterator[Edit]) -> None:
        """Apply edits, which are in order; one that overlaps an earlier one is left out."""
        done = 0
        pieces: list[str] = []
        places: list[int] = []
        old_places = self._places
        for start, end, replacement in edits:
            if start < done:
                continue
            if old_places is None:
                old_places = list(range(len(self.text)))
            pieces += (self.text[done:start], replacement)
            places += old_places[done:start]
            if replacement:
                places += [old_places[min(start, len(old_places) - 1)]] * (len(replacement) - 1)
                places.append(old_places[min(max(start, end - 1), len(old_places) - 1)])
            done = end
        if old_places is None or not pieces:
            return
        pieces.append(self.text[done:])
        places += old_places[done:]
        self.text, self._places = "".join(pieces), places


def plain(text: str) -> Plain:
    """`text` in usual spelling and without formatting. The time is linear in the text."""
    found = Plain(text)
    low = text.lower()
    if has_odd_spelling(low.replace("0", "o")):
        found.edit(spellings(text))
    is_named = has_secret_name(low)
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
    """Edits of tags and entities. A tag that is not HTML (`<your-token>`) stays unless it is closed
    again: then its name, or that of an attribute, may be the name of its content."""
    cell = False
    closed = {found[2] for found in _TAG.finditer(text) if found[1]}
    for found in _TAG.finditer(text):
        start, end = found.span()
        name = (found[2] or "").lower()
        label, inner = _attributes(found)
        if found[2] is None:
            yield start, end, html.unescape(found[0]).replace("\xa0", " ")
        elif label and inner:
            yield start, inner[0], f'\n{_KEYWORDS.get(kind_of(label), label)}: "'
            yield inner[1], end, '"\n'
        elif name in listed("tags_inline"):
            yield start, end, "**"
        elif name in listed("tags_of_cells"):
            yield start, end, "" if found[1] else " | " if cell else ""
            cell = True
        elif found[1] or name in listed("tags_of_blocks"):
            cell = cell and name not in listed("tags_of_rows")
            yield start, end, "\n"
        elif found[2] in closed and (kind := kind_of(label or name)):
            yield start, end, f"\n{_KEYWORDS.get(kind, name)}: "
        elif found[2] in closed and is_neutral(name):
            yield start, end, ""


_KEYWORDS: Final = {PASSWORD: "password", CODE: "pin"}
"""Kind of secret → the word that replaces its name."""


def _attributes(tag: re.Match[str]) -> tuple[str, tuple[int, int] | None]:
    """What the attributes of a tag say that it holds, if it is a secret, and where its value is:
    `<input type="password" value="…">`."""
    label, inner = "", None
    for each in _ATTRIBUTE.finditer(tag[3] or ""):
        group = 2 if each[2] is not None else 3
        if is_neutral(each[1]):
            inner = tag.start(3) + each.start(group), tag.start(3) + each.end(group)
        elif not label and kind_of(each[group]):
            label = each[group]
    return label, inner


_LINK: Final = late(r"!?\[([^\[\]\n]{1,80})\]\(([^()\s]{1,200})(?:\s\"[^\"\n]{0,80}\")?\)")
_TARGET: Final = late("[/.#:_-]")
_FENCE: Final = late(r"(?m)^[ \t>]*(?:```|~~~)[ \t]*\w{0,12}[ \t]*(?:\r?\n|$)")


def _links(text: str) -> Iterator[Edit]:
    """Edits of links to their text; if that names a secret, to a name and the target as value."""
    for found in _LINK.finditer(text):
        start, end = found.span()
        if kind_of(found[1]) and (is_certain(found[2]) or not _TARGET.search(found[2])):
            yield start, found.start(1), ""
            yield found.end(1), found.start(2), ": "
            yield found.end(2), end, ""
        else:
            yield start, found.start(1), ": " if kind_at(text, start) else ""
            yield found.end(1), end, ""


_QUOTED: Final = "《‹„\"'“‘`「『«"
_EMPHASIS: Final = late(
    r"(?P<mark>\*{1,3}|__?|~~)(?=[^\s*])([^*\n]{1,160}?)(?<=\S)(?P=mark)(?![\w*])"
)


_VALUE_NEXT: Final = late(
    lambda: rf"\s{{0,2}}(?!{terms_pattern('not_value')})[^\s:：=,.;!?，。、！？()（）|-]"
)


def _emphasis(text: str) -> Iterator[Edit]:
    """Edits of marks of emphasis: removed around a name of a secret, else quotation marks."""
    for found in _EMPHASIS.finditer(text):
        start, end = found.span()
        if start and (text[start - 1].isalnum() and text[start - 1].isascii()):
            continue
        name = found[2].rstrip(" :：")
        if kind_of(name) or kind_at(name, len(name)):
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
    """Edits of pointing emoji: a colon behind a name of a secret, else a space."""
    for found in _POINTING.finditer(text):
        yield *found.span(), ": " if kind_at(text, found.start()) else " "


_BULLET: Final = late(
    r"(?m)^[ \t]*(?:(?:[-*+•‣·▪◦>]|\d{1,2}[.)]|#{1,6}|\[[ xX]\])[ \t]+)+|(?m:^)>+[ \t]?"
)


# --- names and values ---------------------------------------------------------------------------

_ROW: Final = late(r"(?m)^[ \t]*\|?([^|\n]{1,200})\|([^|\n]{1,200})(?:\|[^\n]{0,600})?$")
_CELL: Final = late(r"[^|\n]+")
_RULE: Final = late(r"[\s|:–-]+")


def _tables(text: str) -> Iterator[Edit]:
    """Edits of rows of tables: a name of a secret in a cell or column head gets its value."""
    head: list[str] = []
    for row in _ROW.finditer(text):
        cells = list(_CELL.finditer(text, row.start(), row.end()))
        texts = [cell[0].strip() for cell in cells]
        if _RULE.fullmatch(row[0]):
            continue
        for place, cell in enumerate(cells):
            before = texts[place - 1] if place else ""
            above = head[place] if head and place < len(head) else ""
            value = cell[0].strip()
            if not value or not (kind_of(before) or kind_of(above)):
                continue
            begin = text.index(value, cell.start())
            if not kind_of(before):
                yield begin, begin, f"{above}: "
            else:
                yield cell.start() - 1, begin, ": "
        if any(map(kind_of, texts)) and not head and not any(map(kind_of, texts[:1])):
            head = texts


_Pass = Callable[[str], Iterator[Edit]]
_Passes = tuple[tuple[re.Pattern[str] | tuple[str, ...], _Pass], ...]


def _replacing(pattern: re.Pattern[str], replacement: str) -> _Pass:
    """A pass that replaces all matches of a pattern by one text."""
    return lambda text: ((*found.span(), replacement) for found in pattern.finditer(text))


_PICTURES: Final[_Passes] = (
    (_INVISIBLE, _replacing(_INVISIBLE, "")),
    (_POINTING, _pictures),
    (_PICTURE, _replacing(_PICTURE, " ")),
)
"""Passes for texts that are not ASCII."""
_MARKS: Final[_Passes] = (
    (("<", "&"), _tags),
    (("](",), _links),
    (("```", "~~~"), _replacing(_FENCE, "")),
    (("*", "_", "~~"), _emphasis),
    (late(r"(?m)^[ \t]*(?:[-*+•‣·▪◦>#]|\d{1,2}[.)])"), _replacing(_BULLET, "")),
    (("|",), _tables),
)
