"""Secrets that follow a keyword: in prose of both languages, in code, settings and URLs.

Keywords are found as plain substrings; what stands around one is read within a bounded window. So
the cost is linear in the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from graphmem_worker.guard.names import (
    CODE,
    PASSWORD,
    TOKEN,
    is_about,
    is_qualified,
    keywords,
    label_at,
    named,
    stems,
)
from graphmem_worker.guard.values import (
    is_phrase,
    is_quantity,
    is_word,
    may_be_password,
    number,
    opaque,
    placeholder,
    reference,
    strong,
)
from graphmem_worker.language.lists import classed, listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import Sayings, sayings
from graphmem_worker.language.tables import languages
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late


class Found(NamedTuple):
    """A secret in a text: its kind and its span."""

    kind: str
    start: int
    end: int


_WINDOW: Final = 160
_LONGEST: Final = 300  # characters of a value
_LEAST: Final = 3
_MOST_FILLERS: Final = 10


def _said(means: str) -> Sayings:
    return sayings("guard", means)


# --- English prose ------------------------------------------------------------------------------


_KEYWORD: Final = late(
    lambda: "|".join(f"(?P<{kind}>{either(terms)})" for kind, terms in keywords().items())
)
"""A keyword at a stem; `_at_keyword` widens it to the whole name that it is part of."""
_BEFORE: Final = late("([a-z0-9]+)[ -]$")
_TOKENS: Final = late(r"\S+")
_TOKEN: Final = late(r"[\u4e00-\u9fff]{3,20}\d{2,8}|[^\s\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]+")
_HEXADECIMAL: Final = late("[0-9a-f]{1,40}")
_STRIPPED_LEFT: Final = "《‹„([{\"'“‘`«「『*"
_STRIPPED_RIGHT: Final = "》›.,;:)]}\"'”’`?…»」』*，。；："
_QUOTES: Final = dict(zip("\"'“‘`«「『《‹„»", "\"'”’`»」』》›“«", strict=True))
_DIGITS: Final = late(r"[#*]?\d(?:[ -]?\d){2,11}(?!\d)(?:[ ]?[#*])?")


@cache
def figures() -> frozenset[str]:
    """The words of single figures."""
    every = (found for tongue in languages() for found in tongue.numerals.cardinals.items())
    return frozenset((*(word for word, value in every if value < 10), *ordered("digit_words")))


_SPELLED: Final = late(
    lambda: (
        rf"(?:(?:{either(word for word in figures() if word.isascii())})"
        r"(?:[ ,-]{1,2}|\b)){4,12}"
        f"|[{''.join(word for word in figures() if not word.isascii())}]{{4,12}}"
        f"(?!{either((*_scales(), *listed('serials')))})"
        rf"|(?:{_said('repeated').expression})(?!\w)"
    )
)
"""Figures told by word, or by how many there are: "eight eights"."""


def _scales() -> list[str]:
    return [word for tongue in languages() for word in tongue.numerals.scales]


_PAIR: Final = late(
    lambda: (
        rf"[^\n.!?,，。！？:：=]{{0,20}}?(\s{{0,2}}(?:\b(?:{_links()})\b|[:：=-])\s{{0,2}})?"
        rf"\s{{0,2}}[\"'`“‘「]?(?<!\w)((?!(?:{either(ordered('network_names'))})\b)[\w.@+-]{{2,40}})[\"'`”’」]?\s{{0,2}}"
        rf"(?:[/／|:,+，、]|\b(?:{either(ordered('pair_joins'))})\b)\s{{0,2}}[\"'`]?"
        r"([\x21-\x7e]{3,64})"
    ),
    re.ASCII,
)
"""What joins two to a keyword, the first, the second."""


def _links() -> str:
    return either(filter(str.isalpha, ordered("secret_links")))


_ASSIGNED: Final = late(r"[\"'\]]{0,2}[ \t]{0,3}(=>|:=|==|!=|=|:|：|＝)[ \t]{0,3}")
_NAME_LEFT: Final = late(r"[\w.-]{0,48}$", re.ASCII)
_NAME_RIGHT: Final = late(r"[A-Za-z0-9_]{0,32}")
_WORD_BEHIND: Final = late(r"\s[a-z0-9]")  # "Wifi: FritzBox in the hall"


def english(text: str, low: str) -> Iterator[Found]:
    """Secrets after, and before, a keyword in Latin letters. `low` is `text` in lower case."""
    if not holds(low, stems()):
        return
    done = 0
    for start in _hits(low, stems()):
        if start < done:
            continue
        keyword = _KEYWORD.match(low, start)
        if keyword is None or keyword.end() == start:
            continue
        done = keyword.end()
        yield from _at_keyword(text, low, keyword)


def _hits(low: str, stems: tuple[str, ...]) -> list[int]:
    hits = []
    for stem in stems:
        at = low.find(stem)
        while at >= 0:
            hits.append(at)
            at = low.find(stem, at + len(stem))
    hits.sort()
    return hits


def _at_keyword(text: str, low: str, keyword: re.Match[str]) -> Iterator[Found]:
    start, end = keyword.span()
    before = text[max(0, start - 48) : start]
    left = _NAME_LEFT.search(before)
    start_of_name = start - (len(left[0]) if left else 0)
    right = _NAME_RIGHT.match(text, end)
    end_of_name = right.end() if right else end
    name = text[start_of_name:end_of_name]
    sign = _ASSIGNED.match(text, end_of_name)
    if sign is not None:
        found = _assigned(text, low, start_of_name, name, sign.end())
        if found is not None:
            yield found
        if sign[1] not in {":", "=", "："} or (
            keyword.lastgroup in {"password", "key"} and not low.startswith("wi", start)
        ):
            return
    if end_of_name != end or (start_of_name != start and text[start - 1] != "-"):
        return
    told = _spoken(text, low, keyword, sign)
    if told is None and keyword[0] not in listed("keyword_verbs"):
        told = _told_before(text, start, end)
    if told is not None:
        yield told


def _assigned(text: str, low: str, start: int, name: str, at: int) -> Found | None:
    """The secret that an assignment, a mapping's entry, a setting or a URL's query gives a name."""
    kind = named(name) or ("" if "_" in name else label_at(text, start + len(name)))
    if not kind or (kind == TOKEN and text[start - 1 : start] == ":"):
        return None  # a path such as arn:aws:…:secret:name
    stop = text.find("&", at) if start and text[start - 1] in "?&" else -1  # of an address
    found = _value_at(text, low, at, len(text) if stop < 0 else stop, kind)
    if found is not None and name.lower() in listed("keyword_verbs"):
        return found if may_be_password(text[found.start : found.end]) else None
    return found


def _spoken(
    text: str, low: str, keyword: re.Match[str], sign: re.Match[str] | None
) -> Found | None:
    """The secret that a sentence gives after a keyword that stands alone."""
    start, end = keyword.span()
    group, name = keyword.lastgroup or "", keyword[0]
    before = low[max(0, start - 64) : start]
    is_told = sign is not None or low.startswith((" is ", " was "), end)
    if (
        (group == "phrase" and not label_at(text, end))
        or (name in listed("keyword_verbs") and not is_told)
        or (group == "code" and not _is_qualified("code", before))
        or (group == "key" and (sign or (name == "key" and not _is_qualified("key", before))))
    ):
        return None
    line_end = text.find("\n", end, end + _WINDOW)
    stop = min(len(text), end + _WINDOW) if line_end < 0 else line_end
    wifi = name.startswith("wi")
    if wifi and not sign and _said("names").is_in(low[end : min(stop, end + 60)]):
        return None  # what follows is the network's name
    if (wifi or group == "login") and (second := _second(text, end, stop)) is not None:
        return second
    if group == "login":
        return None
    found = _walk(text, low, group, before, sign.end() if sign else end, stop, linked=bool(sign))
    return None if found is None or _is_name(low, found, before, end, wifi=wifi) else found


def _is_qualified(keyword: str, before: str) -> bool:
    """Whether the word before a keyword makes it the name of a secret."""
    found = _BEFORE.search(before)
    return found is not None and is_qualified(keyword, found[1])


def _is_name(low: str, found: Found, before: str, end: int, *, wifi: bool) -> bool:
    """Whether what follows a keyword that ends at `end` is told as the name of something: of a
    network, or of what the keyword describes, such as a password server."""
    if not wifi:
        return _said("thing called").is_in(low[end : found.start])
    # A value may hold the Chinese words before it.
    return bool(
        (low[found.start : found.end].isalpha() and _WORD_BEHIND.match(low, found.end))
        or _said("names of").is_in(before)
        or _said("naming").is_in(low[end : found.start])
        or _HAN_NAMED.match(low, found.start, found.end) is not None
    )


def _second(text: str, at: int, stop: int) -> Found | None:
    """The password that stands behind a name: "login: otter / …"."""
    pair = _PAIR.match(text, at, stop)
    if pair is None or not (pair[1] or pair[2].islower()):
        return None
    value = pair[3].rstrip(_STRIPPED_RIGHT)
    is_sure = (strong(value) and any(map(str.isdigit, value))) or (number(value) and len(value) > 7)
    if not is_sure or "/" in value or placeholder(value) or reference(value):
        return None
    return Found(PASSWORD, pair.start(3), pair.start(3) + len(value))


def _walk(
    text: str, low: str, group: str, before: str, at: int, stop: int, *, linked: bool
) -> Found | None:
    """Read on from a keyword, word by word: fillers, a link such as "is", the value. One keyword
    has one value: of "a, b and c" the others are left."""
    kind = TOKEN if group == "key" else PASSWORD if group in {"password", "phrase"} else CODE
    least = _LEAST if group in {"cvv", "code", "combination"} else 4
    if low.startswith("'s ", at):
        linked, at = True, at + 3
    for place, token in enumerate(islice(_TOKENS.finditer(text, at, stop), _MOST_FILLERS)):
        word = token[0].lower()
        bare = word.strip(_STRIPPED_LEFT + _STRIPPED_RIGHT)
        if linked:
            if bare not in listed("secret_adverbs") or word[0] in _QUOTES:
                return _value_at(text, low, token.start(), stop, kind, least=least)
        elif word in listed("secret_links"):
            linked = True
        elif not bare or bare in _breaks():
            return None
        else:
            if not place and token.start() == at + 1:
                found = _value_at(text, low, token.start(), stop, kind, strict=True, least=least)
                if found is not None:
                    return found
                if bare in listed("secret_into"):
                    then = min(token.end() + 1, stop)
                    value = _value_at(text, low, then, stop, kind, strict=True)
                    linked = value is not None or _said("changed").is_in(before)
            if word[-1] in ".?!;":
                return None
            linked = linked or word[-1] in ":=："
    return None


@cache
def _breaks() -> frozenset[str]:
    return listed("secret_breaks") | listed("secret_aspects")


def _value_at(
    text: str, low: str, at: int, stop: int, kind: str, *, strict: bool = False, least: int = _LEAST
) -> Found | None:
    """The value of a kind that begins at `at`. strict: nothing links it to its name, so it must be
    strong. least: figures of a code."""
    stop = min(stop, at + _LONGEST)
    if (closing := _QUOTES.get(text[at : at + 1])) is not None:
        inner, closed, _ = text[at + 1 : stop].partition("\n")[0].partition(closing)
        if closed and len(inner) >= _LEAST:
            is_one = _fits(kind, inner, strict=strict, is_quoted=True)
            return Found(kind, at + 1, at + 1 + len(inner)) if is_one else None
    spelled = _SPELLED.match(low, at, stop) if kind != TOKEN else None
    if spelled is not None:
        return Found(kind, at, at + len(spelled[0].rstrip(" ,-")))
    if kind == CODE and (digits := _DIGITS.match(text, at, stop)) is not None:
        return _digits(text, low, digits, least, strict=strict)
    token = _TOKEN.match(text, at, stop)
    if token is None:
        return None
    value = token[0].rstrip(_STRIPPED_RIGHT)
    begin, end = at, at + len(value)
    value = value.lstrip(_STRIPPED_LEFT)
    begin = end - len(value)
    if kind == TOKEN:
        value = value.partition(",")[0]
        end = begin + len(value)
    if not _fits(kind, value, strict=strict) or is_quantity(low, end):
        return None
    is_plain = value.isalpha() and not strong(value)
    if is_plain and token.end() == end and not _ENDED.match(low, end):
        return None  # a word must end its clause, or be followed by one that begins another
    return Found(kind, begin, end)


def _fits(kind: str, value: str, *, strict: bool, is_quoted: bool = False) -> bool:
    """Whether a value may be a secret of a kind."""
    if len(value) < _LEAST or placeholder(value) or reference(value) or "://" in value:
        return False
    if kind == TOKEN:
        least = 8 if is_quoted else 16 if strict else 10
        is_short = len(value) < 20 and _HEXADECIMAL.fullmatch(value) is not None
        return " " not in value and not is_short and opaque(value, least)
    if number(value):
        return len(value) >= (_LEAST if kind == CODE else 4)
    if kind == CODE:
        return 4 <= len(value) <= 24 and strong(value) and any(map(str.isdigit, value))
    if " " in value or (is_quoted and _HAN.search(value)):
        return is_quoted and not strict and is_phrase(value, loose=True)
    return strong(value) or (not strict and is_word(value))


def _digits(
    text: str, low: str, digits: re.Match[str], least: int, *, strict: bool
) -> Found | None:
    """Figures, if they are a code: no time, price, date, year, measure, nor a part of a word."""
    count = sum(map(str.isdigit, digits[0]))
    is_year = strict and least == _LEAST and _YEAR.fullmatch(digits[0]) is not None
    goes_on = _GOES_ON.match(text, digits.end()) is not None
    if is_year or goes_on or not least <= count <= 12 or is_quantity(low, digits.end()):
        return None
    return Found(CODE, *digits.span())


_YEAR: Final = late(r"(?:19|20)\d\d")
_GOES_ON: Final = late(r"[A-Za-z]|[:/.,]\d")
_ENDED: Final = late(
    lambda: (
        r"\s*$|\s*[\n\u3000-\u303f\uff00-\uffef]|[\u4e00-\u9fff]"
        rf"|\s(?:(?:{either(ordered('clause_begins'))})\b|\()"
    )
)


# --- a value before its name --------------------------------------------------------------------


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


_FAR: Final = late(_far, re.I)
_CLAUSE_BEFORE: Final = late(_clause_before, re.I | re.S)
_NAME_GOES_ON: Final = late(r"[ ]?[A-Za-z\u4e00-\u9fff]")
_MAY_FOLLOW: Final = late(
    lambda: (
        rf"\s(?:{either(filter(str.isascii, ordered('after_name')))})\b"
        rf"|(?:{either(term for term in ordered('after_name') if not term.isascii())})?"
        rf"(?:$|[，。！；\s]|{either(ordered('after_name_ends'))})"
    )
)


def _told_before(text: str, start: int, end: int) -> Found | None:
    """The value that stands before its name, linked to it: "… is the wifi password"."""
    if _NAME_GOES_ON.match(text, end) and not _MAY_FOLLOW.match(text, end):
        return None
    if not (kind := label_at(text, end)):
        return None
    window = max(0, start - 120)
    clause = max(window, *(text.rfind(mark, window, start) + 1 for mark in "\n。！？；"))
    for link in islice(_FAR.finditer(text, clause, start), 6):
        before = _CLAUSE_BEFORE.match(text[clause : link.start()])
        value = before["value"].strip(_STRIPPED_LEFT + " ") if before else ""
        if not value or named(value):
            continue
        is_row = is_phrase(value) and (" " not in value or any(map(str.isdigit, value)))
        is_sure = strong(value) or number(value) or is_row
        if is_sure and _fits(kind, value, strict=False, is_quoted=True):
            begin = text.rindex(value, clause, link.start())
            return Found(kind, begin, begin + len(value))
    return None


# --- Chinese prose ------------------------------------------------------------------------------


@cache
def _han_keywords() -> Mapping[str, str]:
    return {**classed("secret_names_han"), **classed("secret_told_han")}


@cache
def _han_stems() -> tuple[str, ...]:
    return tuple(sorted(_han_keywords(), key=len, reverse=True))


_HAN_GAP: Final = late(r"[^\x21-\x7e，。；！？、\n]{0,14}[:：=＝]?[\s\"'“‘「『（(]{0,3}")
_HAN_VALUE: Final = late(r"[\x21-\x7e]{3,80}")
_HAN_QUOTED: Final = late(r"[“‘「『《\"'`]([^”’」』》\"'`\n]{2,160})[”’」』》\"'`]")
_HAN_NAMED: Final = late(
    lambda: rf"[^\x21-\x7e]{{0,10}}(?:{either((*ordered('network_names'), *ordered('naming')))})"
)
_HAN: Final = late("[\u4e00-\u9fff]")


def chinese(text: str, low: str) -> Iterator[Found]:
    """Secrets after, and before, a keyword in a text that holds Chinese characters."""
    if _HAN.search(text) is None:
        return
    done = 0
    hits = sorted(
        {(at, word) for word in _han_stems() if word in low for at in _hits(low, (word,))},
        key=lambda h: (h[0], -len(h[1])),
    )
    for at, word in hits:
        if at < done:
            continue
        done = at + len(word)
        kind = _han_keywords()[word]
        if word == "wifi" and _said("names").is_in(low[done : done + 40]):
            continue  # what follows is the network's name
        is_second = kind == PASSWORD and text[max(0, at - 3) : at].endswith(ordered("user_words"))
        if word in listed("secret_pairs") or is_second:
            second = _second(text, done, min(len(text), done + _WINDOW))
            if second is not None:
                yield second
                done = second.end
                continue
            if not is_second:
                continue
        found = _han_value(text, low, done, kind, word) or _told_before(text, at, done)
        if found is not None:
            yield found
            done = max(done, found.end)


def _han_value(text: str, low: str, at: int, kind: str, word: str) -> Found | None:
    if text.startswith(">", at) and text.endswith(("<", "</"), 0, at - len(word)):
        return None  # a tag, which `plain` looks through
    gap = _HAN_GAP.match(text, at)
    if gap is None:
        return None
    between = gap[0]
    # The gap was taken greedily; what it swallowed of digits, turns or quotes is looked at first.
    linked = holds(between, ordered("secret_linked"))
    broken = holds(between, ordered("secret_unlinked")) or is_about(between)
    if kind != TOKEN and not broken:
        spelled = _SPELLED.search(text, at, gap.end() + 12)
        if spelled is not None and spelled.start() - at <= 8:
            return Found(kind, spelled.start(), spelled.end())
        quoted = _HAN_QUOTED.search(text, at, gap.end() + 164)
        if (
            quoted is not None
            and quoted.start() - at <= 8
            and (linked or (quoted.start() == at and is_phrase(quoted[1], loose=True)))
            and word not in listed("secret_pairs")
            and not placeholder(quoted[1])
        ):
            return Found(kind, quoted.start(1), quoted.end(1))
    if broken or (between.strip(" \t\"'“‘「『（(:：=＝") and not linked):
        return None
    least = _LEAST if word in listed("short_codes") else 4
    found = _value_at(text, low, gap.end(), len(text), kind, least=least)
    if found is None or number(text[found.start : found.end]):
        return found
    if word in listed("secret_things") and (not linked or _HAN_NAMED.match(between)):
        return None  # of the lock's maker: "门锁品牌叫Aqara2"
    return found if linked or strong(text[found.start : found.end]) else None
