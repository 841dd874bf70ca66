"""A text without its formatting, and where each of its characters stood.

Emphasis, tags, bullets, table cells, line breaks and emoji between the name of a secret and its
value are read as a colon; a value of several words that such a name is followed by stands in
quotation marks. So the patterns of secrets are written for one way of telling one.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from graphmem_worker.guard.names import (
    CODE,
    PASSWORD,
    announces,
    compound_start,
    is_about,
    is_neutral,
    keyword_terms,
    label_at,
    named,
    whole,
    words,
)
from graphmem_worker.guard.spelling import Edit, has_odd_spelling, joined, spellings
from graphmem_worker.guard.values import (
    is_certain,
    is_han_phrase,
    is_phrase,
    is_quantity,
    is_told_row,
    is_word,
    number,
    secret_as,
    strong,
)
from graphmem_worker.language.lists import classed, listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import sayings
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late
from graphmem_worker.text.trivial import trivial


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
        for start, end, put, again, until in edits:
            if start < done:
                continue
            if was is None:
                was = list(range(len(self.text)))
            pieces += (self.text[done:start], put, self.text[again:until])
            places += was[done:start]
            if put:
                places += [was[min(start, len(was) - 1)]] * (len(put) - 1)
                places.append(was[min(max(start, end - 1), len(was) - 1)])
            places += was[again:until]
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
    if is_named if found.text == text else announces(found.text.lower()):
        found.edit(_labelled(found.text))
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
            yield start, end, html.unescape(found[0]).replace("\xa0", " "), 0, 0
        elif label and inner:
            yield start, inner[0], f'\n{_KEYWORDS.get(named(label), label)}: "', 0, 0
            yield inner[1], end, '"\n', 0, 0
        elif name in listed("tags_inline"):
            yield start, end, "**", 0, 0
        elif name in listed("tags_of_cells"):
            yield start, end, "" if found[1] else " | " if cell else "", 0, 0
            cell = True
        elif name in listed("tags_of_blocks"):
            cell = cell and name not in listed("tags_of_rows")
            yield start, end, "\n", 0, 0
        elif found[1]:
            yield start, end, "\n", 0, 0
        elif found[2] in closed and (kind := named(label or name)):
            yield start, end, f"\n{_KEYWORDS.get(kind, name)}: ", 0, 0
        elif found[2] in closed and is_neutral(name):
            yield start, end, "", 0, 0


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
            yield start, found.start(1), "", 0, 0
            yield found.end(1), found.start(2), ": ", 0, 0
            yield found.end(2), end, "", 0, 0
        else:
            yield start, found.start(1), ": " if label_at(text, start) else "", 0, 0
            yield found.end(1), end, "", 0, 0


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
            yield start, found.start(2), "", 0, 0
            yield (
                found.end(2),
                end,
                ": " if name == found[2] and _VALUE_NEXT.match(text, end) else "",
                0,
                0,
            )
        elif found[2][0] not in _QUOTED:
            yield start, found.start(2), '"', 0, 0
            yield found.end(2), end, '"', 0, 0


_INVISIBLE: Final = late("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0e\ufe0f\ufeff]+")
_POINTING: Final = late("\\s*(?:[→⇒➡➜👉🔑🗝🔐🔒🔓▶►]\\s*)+")
_LOCKED: Final = frozenset("🔑🗝🔐🔒🔓")
_TOLD: Final = late(
    lambda: rf"(?:(?:{either(ordered('secret_links'))}|[:：])\s?)?([^\n(（|]{{3,200}})"
)
_PICTURE: Final = late("[\u2600-\u27bf\U0001f000-\U0001faff]+")


def _pictures(text: str) -> Iterator[Edit]:
    """Emoji: those that point are read as a colon after a name, all others as a space; a key or a
    lock before what is surely a secret is read as the name of one."""
    for found in _POINTING.finditer(text):
        start, end = found.span()
        if label_at(text, start):
            yield start, end, ": ", 0, 0
        elif not _LOCKED.isdisjoint(found[0]) and (told := _TOLD.match(text, end)):
            sure = _surely(told[1], is_linked=told.start(1) > end)
            yield start, told.start(1) if sure else end, " password: " if sure else " ", 0, 0
        else:
            yield start, end, " ", 0, 0


def _surely(told: str, *, is_linked: bool) -> bool:
    """Whether what begins like this is a secret, with nothing that says so but an emoji."""
    told = told.strip().rstrip(_PUNCTUATION)
    first = re.split(r"\s|[，。；]", told)[0].strip(_QUOTED + _PUNCTUATION)
    if number(first):
        return 4 <= len(first) <= 12 and not told[len(first) :].lstrip(" \"'”’`")[:1].isalnum()
    if " " not in told and not told.isascii():
        return is_han_phrase(told, is_told=is_linked)
    is_row = len(told.split()) >= 3 and told.islower() and is_phrase(told)
    return is_certain(first) or is_row or is_told_row(told)


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
                yield begin, begin, f"{above}: ", 0, 0
            else:
                yield cell.start() - 1, begin, ": ", 0, 0
        if any(map(named, told)) and not head and not any(map(named, told[:1])):
            head = told


def _separated() -> str:
    links = either(filter(str.isalpha, ordered("secret_links")))
    changes = either(ordered("secret_changes"))
    still, to = either(ordered("told_still")), either(ordered("secret_tos"))
    it = either(ordered("it_is"))
    is_it = rf"(?:(?:{it})[,:，]?\s{{0,2}})?"
    return (
        r"[\"'”’`*\]]{0,3}[ \t]*"
        rf"(?:[(（][^()（）\n]{{0,40}}[)）](?=\s?(?:[:：=—–-]|{whole('secret_links')})))?[ \t]*(?:"
        r"(?P<line>[:：=—–.。…*_-]{0,4}[ \t]*\r?\n[\s>*—–=|_-]{0,8})"
        r"|(?P<dash>[—–~～…]{1,3}|\.{2,3}|-{1,2}>?(?=\s)|\|)[ \t]*"
        rf"|(?P<colon>[:：=＝])[ \t]*{is_it}"
        rf"|(?P<question>(?:\s?(?:{either(ordered('asked_of_name'))})){{0,3}}\s?[?？]\s{{1,4}})"
        rf"(?:[^\W\d_]{{1,12}}\s?[:：]\s?)?{is_it}"
        rf"|(?P<link>(?:{links}|=)(?:\s(?:{still}))?(?:[ \t]*\r?\n\s{{0,4}}|\s)"
        rf"|(?:{either(ordered('name_links'))})\s{{0,2}}(?:\n\s{{0,4}})?)"
        rf"|(?P<changed>(?:(?:{links}|has been|got)\s)?(?:(?:{still})\s)?(?:(?:{changes})\s)?"
        rf"(?:{to})\s)"
        rf"|(?P<stop>[\u4e00-\u9fff]{{0,2}}[.。;；!！,，]\s{{0,2}}(?:{it})\s{{0,1}})"
        r"|(?P<space>[ \u3000]{1,2}(?=[\u4e00-\u9fff]))"
        rf"|(?P<far>[^.!?:：。！？\n]{{1,40}}?(?:[:：]\s{{0,4}}|\s(?:{links}|spelled|goes)\s))"
        r"|(?P<comma>[,，;；]\s?(?=[\x21-\x7e]))"
        r"|(?P<bracket>[(（\[【「『])"
        r"|(?P<flag>(?<=[ =]))"
        r")"
    )


_SEPARATED: Final = late(_separated, re.I)
_STEM: Final = late(
    lambda: either(
        {*keyword_terms(), *classed("secret_names_han"), *classed("secret_told_han")}
        - listed("keyword_verbs")
    )
)
_IN_NAME: Final = late("[A-Za-z0-9_@]")
_WHOLE: Final = late(r"[^|\n\"“”「」]{3,240}")
_CLAUSE: Final = late(r"[^|\n\"“”「」.,;!?，。；！？、:：()（）]{3,240}")
_PUNCTUATION: Final = " \t.,;!。，；！"


def _labelled(text: str) -> Iterator[Edit]:
    """What separates a name from its value is a colon; several words after it are quoted, and a
    value before its name ("… is the wifi password") is repeated after it."""
    low = text.lower() if len(text.lower()) == len(text) else text
    for stem in _STEM.finditer(low):
        end = stem.end()
        if _IN_NAME.match(text, end) or (
            _is_inside(text, low, *stem.span()) and compound_start(low, end) is None
        ):
            continue
        kind = label_at(text, end)
        if not kind and (
            stem[0] not in listed("secret_logins") or text.startswith(ordered("naming"), end)
        ):
            continue  # 登录名 is the name of a user
        found = _SEPARATED.match(text, end) or _SEPARATED.match(text, end + 1)
        edits = _after(text, stem, found, kind) if found is not None else []
        if found is not None and found.lastgroup in ("stop", "comma") and kind:
            # "… is the password, it's 11 letters" tells it before its name.
            edits = edits if _told_before(text, stem.start(), end, kind) is None else []
        if not edits and kind:
            edits = _alone(text, end, kind)
        if not edits and kind and (before := _told_before(text, stem.start(), end, kind)):
            edits = [(end, end, ': "', *before), (end, end, '"', 0, 0)]
        yield from edits


def _is_inside(text: str, low: str, start: int, end: int) -> bool:
    """Whether a name is the end of another word: "1Password", "getpass"."""
    before = text[start - 1 : start]
    if not (before.isalnum() and before.isascii() and text[start].isascii()):
        return False
    is_camel = before.islower() and text[start] != low[start]
    return before.isdigit() or (end - start < _SHORT and not is_camel)


_SHORT: Final = 6  # characters of a name that other words end in, too
_UNIT: Final = 100  # characters in which a number stands with its unit
_WEAK: Final = ("far", "changed", "space", "comma", "bracket", "stop")
"""Ways of separating that count only before what is surely a secret."""
_LABELS: Final = ("line", "dash", "colon")


def _after(text: str, stem: re.Match[str], found: re.Match[str], kind: str) -> list[Edit]:
    """What is read for the separator after a name, and around its value."""
    way, begin, end = found.lastgroup, found.end(), stem.end()
    if way == "flag" and not (
        text[begin : begin + 1].isascii() and _FLAG.search(text, max(0, end - 48), end)
    ):
        return []
    if way in _WEAK and not kind:
        return []
    if way == "far" and is_about(found[0]):
        return []
    broken = way == "line" or way == "question" or "\n" in found[0]
    clause = (way == "link" or way in _WEAK) and not broken
    value = (_CLAUSE if clause else _WHOLE).match(text, begin)
    told = re.split(r"\s?[(（]", value[0])[0].rstrip(_PUNCTUATION) if value else ""
    token = _TOKEN.match(text, begin)
    first = token[0].rstrip(_PUNCTUATION) if token else ""
    is_stem = holds(stem[0], ordered("phrase_names"))
    # What stands behind a password of one word is no part of it.
    several = kind == PASSWORD and (is_stem or not strong(first)) and is_phrase(told, is_stem)
    several = several or (kind == PASSWORD and way in _LABELS and is_told_row(told))
    several = several and found[0] != "="  # of an assignment, as in a command
    if number(first) and is_quantity(text[begin : begin + _UNIT].lower(), len(first)):
        return []
    if broken and " " in told and kind == PASSWORD and not several:
        return []  # the next line is a sentence
    before = _SENTENCE.split(text[max(0, stem.start() - 48) : begin].lower())[-1]
    changed = found["changed"] is None or sayings("guard", "changed").is_in(before)
    inside = _BRACKETED.match(text, end)
    if inside is not None and (
        strong(inside[1]) or (kind == PASSWORD and _is_told(inside[1], kind))
    ):
        return [(end, inside.start(1), ': "', 0, 0), (inside.end(1), inside.end(), '"', 0, 0)]
    is_sure = is_certain(first) if way == "comma" else strong(first)
    is_row = several and (told.islower() or not told.isascii())
    if way in _WEAK and not (changed and (is_row or number(first) or is_sure)):
        return []
    edits: list[Edit] = []
    is_spoken = way == "link" and not several and not broken and found[0].isascii()
    if found[0] != ":" and not is_spoken:
        edits.append((end, begin, ": ", 0, 0))
    if several:
        edits += ((begin, begin, '"', 0, 0), (begin + len(told), begin + len(told), '"', 0, 0))
    return edits


_APART: Final = late(
    r"(?P<x>[^.!?。！？\n:：]{0,60})(?:[.!?:…]{1,3}\s{1,4}|\s{0,2}\n\s{0,4}|[。！？：]{1,3}\s{0,4})"
    r"(?:[^\n.!?:：]{1,24}[:：]\s{0,2})?(?P<y>[^\n]{3,240})"
)


def _alone(text: str, end: int, kind: str) -> list[Edit]:
    """What is read for the rest of a sentence that names a secret, if a secret stands behind it as
    a sentence or a line of its own: "Here is my password.\n…"."""
    found = _APART.match(text, end)
    if found is None:
        return []
    begin = found.start("y")
    told = found["y"].strip().rstrip(_PUNCTUATION).strip(_QUOTED + "”’」』")
    first = told.split(maxsplit=1)[0].rstrip(_PUNCTUATION) if told else ""
    gap = text[end:begin]
    said = words(text[max(0, end - 48) : end] + found["x"])
    is_gone = is_about(found["x"]) or not (
        listed("secret_breaks") | listed("secret_gone")
    ).isdisjoint(said)
    if is_certain(first):
        told = first
    elif is_gone or not _is_told(told, kind, is_told=":" in gap or "：" in gap):
        return []
    elif told.isalpha() and told.isascii():
        is_line = "\n" in gap or not text[end - 2 : begin].isascii()
        if not (is_line or told.islower()) or trivial(told) is not None:
            return []
    begin = text.index(told, begin)
    stop = begin + len(told)
    return [(end, begin, ': "', 0, 0), (stop, stop, '"', 0, 0)]


def _is_told(value: str, kind: str, *, is_told: bool = True) -> bool:
    """Whether a line may be a secret and nothing else. is_told: a colon or a bracket says so."""
    if number(value) and " " not in value:
        return 4 <= len(value) <= 12
    if kind != PASSWORD:
        return False
    if " " not in value:
        is_plain = is_word(value, 6) or (value.isascii() and strong(value))
        return is_plain or is_han_phrase(value, is_told=is_told)
    parts = value.split()
    is_row = value.islower() and _CLAUSE.fullmatch(value) and listed("talking").isdisjoint(parts)
    return bool(is_row) and (is_phrase(value) or is_told_row(value))


_TOKEN: Final = late(r"[\x21-\x7e]{1,80}")
_BRACKETED: Final = late(r"[<\[{(（【「『]([^\n<>\[\]{}()（）【】「」『』]{6,120})[>\]})）】」』]")
_SENTENCE: Final = late(r"[.!?\n]")
_FLAG: Final = late(r"(?:^|\s)--[\w-]{1,40}$")


def _near() -> str:
    asks = rf"{either(ordered('told_when'))}\s(?:\w+\s){{1,3}}(?:{either(ordered('told_asks'))})"
    whose = rf"{either(ordered('told_whose'))}|[a-z]{{2,20}}['’]s"
    return (
        rf"[\"'”’`」]?(?:\s?[,;—–-]{{1,2}}\s?(?:{either(ordered('told_that'))})"
        rf"|\s(?:{either(ordered('told_is'))}|=)"
        rf"|\s(?P<asked>{either(ordered('told_for'))}|{asks}))\s"
        rf"(?:(?:{either(ordered('told_still'))})\s)?(?:(?:{whose})\s)?"
        r"(?:[a-z0-9'-]{1,20}\s){0,3}$"
        rf"|[”」』]?\s?[,，]?(?:{either(ordered('told_before'))})[\w ]{{0,16}}$"
    )


def _far() -> str:
    latin = either(filter(str.isascii, ordered("opens_far")))
    han = either(term for term in ordered("opens_far") if not term.isascii())
    return (
        rf"[\"'”’`」』›》]?\s?[,;—–→(（-]{{0,2}}\s?(?:\b(?:{latin})\b|[(（→]|<-"
        rf"|[，,—]?[\u4e00-\u9fff]{{0,8}}?(?:{han}))"
    )


def _clause_before() -> str:
    latin = either(filter(str.isascii, ordered("typed_before")))
    han = either(term for term in ordered("typed_before") if not term.isascii())
    return rf"(?:.*(?:[.!?:;]\s|[\n。！？；，])|.*\b(?:{latin})\s|.*(?:{han}))?(?P<value>.*)$"


_NEAR: Final = late(_near, re.I)
_FAR: Final = late(_far, re.I)
_CLAUSE_BEFORE: Final = late(_clause_before, re.I | re.S)
_ASKED: Final = late(
    lambda: rf"\b(?:{either(ordered('typed'))})\s[^\s]*(?:\s[^\s]+){{0,25}}$", re.I
)
_GOES_ON: Final = late(r"[ ]?[A-Za-z\u4e00-\u9fff]")
_MAY_FOLLOW: Final = late(
    lambda: (
        rf"\s(?:{either(filter(str.isascii, ordered('after_name')))})\b"
        rf"|(?:{either(term for term in ordered('after_name') if not term.isascii())})?"
        rf"(?:$|[，。！；\s]|{either(ordered('after_name_ends'))})"
    )
)


def _told_before(text: str, start: int, end: int, kind: str) -> tuple[int, int] | None:
    """The span of a value that stands before its name, linked to it: "… is the wifi password"."""
    if text[start - 1 : start] == "_" or (
        _GOES_ON.match(text, end) and not _MAY_FOLLOW.match(text, end)
    ):
        return None
    window = max(0, start - 240)
    near = _NEAR.search(text, max(0, start - 80), start)
    if near is not None and near["asked"] and not _ASKED.search(text[window : near.start()]):
        near = None
    if near is not None:
        return _value_before(text, window, near.start(), kind, far=False)
    clause = max(window, *(text.rfind(mark, window, start) + 1 for mark in "\n。！？；"))
    links = islice(_FAR.finditer(text, clause, start), 6)
    found = (_value_before(text, clause, link.start(), kind, far=True) for link in links)
    return next(filter(None, found), None)


def _value_before(
    text: str, window: int, end: int, kind: str, *, far: bool
) -> tuple[int, int] | None:
    clause = _CLAUSE_BEFORE.match(text[window:end])
    value = clause["value"].strip(_QUOTED + " ") if clause else ""
    if named(value):
        return None
    if " " not in value:
        fits = secret_as(kind, value) and (
            strong(value)
            or number(value)
            or (not far and is_word(value))
            or is_phrase(value, loose=not far)
        )
    else:
        digit = any(map(str.isdigit, value))
        fits = kind == PASSWORD and (not far or digit) and is_phrase(value, loose=not far)
    if not fits:
        return None
    begin = text.rindex(value, window, end)
    return begin, begin + len(value)


_Pass = Callable[[str], Iterator[Edit]]
_Passes = tuple[tuple[re.Pattern[str] | tuple[str, ...], _Pass], ...]


def _reading(pattern: re.Pattern[str], put: str) -> _Pass:
    """The pass that reads the same for all that a pattern finds."""
    return lambda text: ((*found.span(), put, 0, 0) for found in pattern.finditer(text))


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
