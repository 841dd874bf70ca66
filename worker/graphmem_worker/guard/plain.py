# ruff: noqa: E501 (a pattern is read best in one line)
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

from graphmem_worker.guard.names import HAN, PASSWORD, label_at, named
from graphmem_worker.guard.values import is_phrase, is_word, number, secret_as, strong
from graphmem_worker.text.patterns import late

Edit = tuple[int, int, str, int, int]
"""A part of a text, from and to, what is read in its place, and a span that is repeated after it."""


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
    for sign, edits in _PASSES:
        if sign.search(found.text):
            found.edit(edits(found.text))
    return found


# --- tags, emphasis, characters ------------------------------------------------------------------

_TAG: Final = late(
    r"<(/?)([A-Za-z][A-Za-z0-9]{0,12})(?:\s[^<>]{0,200})?/?>|&(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|nbsp|amp|lt|gt|quot|apos|mdash|ndash);"
)
_INLINE: Final = frozenset(
    "b i u s em strong code kbd mark span font small tt q a ins samp var big sub sup".split()
)
_CELLS: Final = frozenset("td th dt dd".split())
_BLOCKS: Final = frozenset(
    "p div br tr table tbody thead li ul ol dl h1 h2 h3 h4 h5 h6 blockquote pre html body head hr section article header footer label".split()
)


def _tags(text: str) -> Iterator[Edit]:
    """Tags of HTML and entities. What is no tag of HTML (`<your-token>`) stays."""
    cell = False
    for found in _TAG.finditer(text):
        name = (found[2] or "").lower()
        if found[2] is None:
            yield *found.span(), html.unescape(found[0]).replace("\xa0", " "), 0, 0
        elif name in _INLINE:
            yield *found.span(), "**", 0, 0
        elif name in _CELLS:
            yield *found.span(), "" if found[1] else " | " if cell else "", 0, 0
            cell = True
        elif name in _BLOCKS:
            cell = cell and name not in ("tr", "table", "dl")
            yield *found.span(), "\n", 0, 0


_QUOTED: Final = "《‹„\"'“‘`「『«"
_EMPHASIS: Final = late(
    r"(?P<mark>\*{1,3}|__|~~)(?=[^\s*])([^*\n]{1,160}?)(?<=\S)(?P=mark)(?![\w*])"
)


_VALUE_NEXT: Final = late(
    r"\s{0,2}(?!is\b|was\b|for\b|to\b|and\b|[是为叫换改])[^\s:：=,.;!?，。、！？()（）|-]"
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
_PICTURE: Final = late("[\u2600-\u27bf\U0001f000-\U0001faff]+")


def _invisible(text: str) -> Iterator[Edit]:
    for found in _INVISIBLE.finditer(text):
        yield *found.span(), "", 0, 0


def _pictures(text: str) -> Iterator[Edit]:
    """Emoji: those that point are read as a colon after a name, all others as a space."""
    for found in _POINTING.finditer(text):
        yield *found.span(), ": " if label_at(text, found.start()) else " ", 0, 0


def _others(text: str) -> Iterator[Edit]:
    for found in _PICTURE.finditer(text):
        yield *found.span(), " ", 0, 0


_SPACED: Final = late(r"(?<![\w.,])(?:\d[ \u00a0.·-]{1,2}){2,18}\d(?![\w])", re.ASCII)


def _digits(text: str) -> Iterator[Edit]:
    """Single digits that are spelled one by one: "4 8 2 9"."""
    for found in _SPACED.finditer(text):
        yield *found.span(), re.sub(r"\D", "", found[0]), 0, 0


_BULLET: Final = late(r"(?m)^[ \t]*(?:(?:[-*+•‣·▪◦>]|\d{1,2}[.)]|#{1,6})[ \t]+)+|(?m:^)>+[ \t]?")


def _bullets(text: str) -> Iterator[Edit]:
    for found in _BULLET.finditer(text):
        yield *found.span(), "", 0, 0


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


_IT_IS: Final = (
    r"(?:(?:it(?:'s|’s| is| was)|that(?:'s|’s| is)|sure|yes|就是|是|改成了?)[,:，]?\s{0,2})?"
)
_SEPARATED: Final = late(
    r"[\"'”’`*\]]{0,3}[ \t]*(?:[(（][^()（）\n]{0,40}[)）](?=\s?(?:[:：=—–-]|is\b|was\b|是|为)))?[ \t]*(?:"
    r"(?P<line>[:：=—–.。…*_-]{0,4}[ \t]*\r?\n[\s>*—–=|_-]{0,8})"
    r"|(?P<dash>[—–~～…]{1,3}|\.{2,3}|-{1,2}>?(?=\s)|\|)[ \t]*"
    rf"|(?P<colon>[:：=＝])[ \t]*{_IT_IS}"
    r"|(?P<question>(?: ?(?:again|is|please|now))?\s?\?|(?:现在|又)?(?:是|为|叫)?(?:多少|什么|啥|几|哪个|哪一个)?(?:来着|呢|啊|呀)?[？?])\s{1,4}"
    rf"(?:[^\W\d_]{{1,12}}\s?[:：]\s?)?{_IT_IS}"
    r"|(?P<link>(?:is|was|=)(?:\s(?:now|still))?[ \t]*\r?\n\s{0,4}|(?:is|was)(?:\s(?:now|still))?\s"
    r"|(?:就|还|现在)?[是为叫]\s{0,2}(?:\n\s{0,4})?|(?:换|改|设)(?:成|为)?了?\s?)"
    r"|(?P<changed>(?:(?:is|was|has been|got)\s)?(?:now\s)?(?:(?:changed|set|reset|updated|switched)\s)?(?:back\s)?to\s)"
    r"|(?P<space>[ \u3000]{1,2}(?=[\u4e00-\u9fff]))"
    r"|(?P<far>[^.!?:：。！？\n]{1,40}?(?:[:：]\s{0,4}|\s(?:is|was|reads|spelled|goes)\s))"
    r"|(?P<comma>[,，;；]\s?(?=[\x21-\x7e]))"
    r"|(?P<bracket>[(（\[【])"
    r"|(?P<flag>(?<=[ =]))"
    r"|(?P<stop>[.。;；!！]\s{0,2}(?:it(?:'s|’s| is)|that(?:'s|’s| is)|就?是)\s{0,1})"
    r")",
    re.I,
)
_STEM: Final = late(
    rf"{'|'.join(HAN)}|登录|密碼|pass(?:words?|wd|wort|codes?|phrases?|[ -]phrases?|[ -]?keys?)|pwd|pins?(?: ?(?:code|number))?|psk|codes?|cvv2?|cvc2?|otp|phrases?|mnemonics?|tokens?|secrets?|(?<![a-z])keys?|credentials?|log[- ]?ins?"
)
_WHOLE: Final = late(r"[^|\n\"“”「」]{3,240}")
_CLAUSE: Final = late(r"[^|\n\"“”「」.,;!?，。；！？、:：()（）]{3,240}")
_PUNCTUATION: Final = " \t.,;!。，；！"


def _labelled(text: str) -> Iterator[Edit]:
    """What separates a name from its value is a colon; several words after it are quoted, and a
    value before its name ("… is the wifi password") is repeated after it."""
    low = text.lower() if len(text.lower()) == len(text) else text
    for stem in _STEM.finditer(low):
        end = stem.end()
        if low[end : end + 1].isalnum() and low[end : end + 1].isascii():
            continue
        kind = label_at(text, end)
        if not kind and not _LOGIN.fullmatch(stem[0]):
            continue
        found = _SEPARATED.match(text, end) or _SEPARATED.match(text, end + 1)
        edits = _after(text, stem, found, kind) if found is not None else []
        if not edits and kind and (before := _told_before(text, stem.start(), end, kind)):
            edits = [(end, end, ': "', *before), (end, end, '"', 0, 0)]
        yield from edits


_WEAK: Final = ("far", "changed", "space", "comma", "bracket", "stop")
"""Ways of separating that count only before what is surely a secret."""


def _after(text: str, stem: re.Match[str], found: re.Match[str], kind: str) -> list[Edit]:
    """What is read for the separator after a name, and around its value."""
    way, begin, end = found.lastgroup, found.end(), stem.end()
    if way == "flag" and not _FLAG.search(text, max(0, end - 48), end):
        return []
    if way in _WEAK and not kind:
        return []
    broken = way == "line" or way == "question" or "\n" in found[0]
    clause = (way == "link" or way in _WEAK) and not broken
    value = (_CLAUSE if clause else _WHOLE).match(text, begin)
    told = value[0].rstrip(_PUNCTUATION) if value else ""
    token = _TOKEN.match(text, begin)
    first = token[0].rstrip(_PUNCTUATION) if token else ""
    is_stem = _IN_PHRASE.search(stem[0]) is not None
    # What stands behind a password of one word is no part of it.
    several = kind == PASSWORD and (is_stem or not strong(first)) and is_phrase(told, is_stem)
    if broken and " " in told and kind == PASSWORD and not several:
        return []  # the next line is a sentence
    changed = found["changed"] is None or _CHANGED.search(text, max(0, stem.start() - 48), begin)
    if way in _WEAK and not (changed and (several or number(first) or strong(first))):
        return []
    if (inside := _BRACKETED.match(text, begin)) and strong(inside[1]):
        begin = inside.start(1)
    edits: list[Edit] = []
    if (found[0] != ":" or begin != found.end()) and (inside or way != "link" or several or broken):
        edits.append((end, begin, ": ", 0, 0))
    if several:
        edits += ((begin, begin, '"', 0, 0), (begin + len(told), begin + len(told), '"', 0, 0))
    return edits


_TOKEN: Final = late(r"[\x21-\x7e]{1,80}")
_BRACKETED: Final = late(r"[<\[{(（【]([^\s<>\[\]{}()]{6,80})[>\]})）】]")
_CHANGED: Final = late(r"\b(?:chang|set|reset|switch|updat|mov)[a-z]{0,4}\b[^.!?\n]{0,60}$", re.I)
_FLAG: Final = late(r"(?:^|\s)--[\w-]{1,40}$")
_LOGIN: Final = late("log[- ]?ins?|登录|credentials?")
_IN_PHRASE: Final = late("phrase|mnemonic|助记词|口令")
_NEAR: Final = late(
    r"[\"'”’`」]?(?:\s?[,;—–-]{1,2}\s?(?:that|this|it)(?:['’]s|\sis|\swas)|\s(?:is|was|=|as)|\s(?P<asked>for|at|into|when\s(?:\w+\s){1,3}(?:asks|wants)(?:\sfor)?))\s"
    r"(?:still\s|now\s)?(?:(?:my|the|our|your|his|her|their|a|[a-z]{2,20}['’]s)\s)?(?:[a-z0-9'-]{1,20}\s){0,3}$"
    r"|[”」』]?\s?[,，]?(?:[这那]?就?是|作为|[当填做]作?到?成?)[\w ]{0,16}$",
    re.I,
)
_FAR: Final = late(
    r"[\"'”’`」』›》]?\s?[,;—–→(（-]{0,2}\s?(?:\b(?:is|was|as|for|in|to|opens?|unlocks?|gets?|works?)\b|[(（→]|<-|[，,—]?[\u4e00-\u9fff]{0,8}?(?:是|作为|当|做|用于|用来|填|给|对应|进))",
    re.I,
)
_CLAUSE_BEFORE: Final = late(
    r"(?:.*(?:[.!?:;]\s|[\n。！？；，])|.*\b(?:need|needs|use|used|uses|enter|type|have|has|set|with|try|put|that|and)\s|.*(?:输入|需要|要用|使用|填|用|把|将))?(?P<value>.*)$",
    re.I | re.S,
)
_ASKED: Final = late(r"\b(?:need|needs|use|enter|type|put|give)\s[^\s]*(?:\s[^\s]+){0,25}$", re.I)
_GOES_ON: Final = late(r"[ ]?[A-Za-z\u4e00-\u9fff]")
_MAY_FOLLOW: Final = late(
    r"\s(?:for|to|on|at|in|and|now|so|but|please|just|wants|needs|takes|asks|expects)\b|[的了吧呢啊哦就]?(?:$|[，。！；\s行])"
)


def _told_before(text: str, start: int, end: int, kind: str) -> tuple[int, int] | None:
    """The span of a value that stands before its name, linked to it: "… is the wifi password"."""
    if _GOES_ON.match(text, end) and not _MAY_FOLLOW.match(text, end):
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


_PASSES: Final[tuple[tuple[re.Pattern[str], Callable[[str], Iterator[Edit]]], ...]] = (
    (_INVISIBLE, _invisible),
    (late("<[A-Za-z/]|&[a-z#]"), _tags),
    (late(r"\*|__|~~"), _emphasis),
    (_POINTING, _pictures),
    (_PICTURE, _others),
    (late(r"(?m)^[ \t]*(?:[-*+•‣·▪◦>#]|\d{1,2}[.)])"), _bullets),
    (late(r"\d[ \u00a0.·-]{1,2}\d[ \u00a0.·-]"), _digits),
    (late(r"\|"), _tables),
    (
        late(
            "(?i)pass|pwd|pin|psk|code|cvv|cvc|otp|phrase|mnemonic|token|secret|key|cred|login|[码令词钥碼录号]"
        ),
        _labelled,
    ),
)
