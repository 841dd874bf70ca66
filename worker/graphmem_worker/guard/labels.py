"""Secrets behind their name: `DB_PASSWORD=…`, "wifi password: …", "the PIN is …", 密码是….

Rules read only a name, a sign or linking words, and a value. Signs are found first, then a bounded
window around each is read, so the cost is linear in the text. Any other wording is left to the
tagger, which may also reject what is found here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from graphmem_worker.guard.names import (
    CODE,
    PASSWORD,
    TOKEN,
    Found,
    any_of,
    has_purpose,
    has_secret_name,
    is_code_at,
    kind_at,
    kind_of,
)
from graphmem_worker.guard.values import (
    is_certain,
    is_generated,
    is_number,
    is_opaque,
    is_phrase,
    is_placeholder,
    is_quantity,
    is_reference,
    is_row_of_words,
    is_strong,
    is_word,
    may_be_password,
    secret_as,
)
from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import sayings
from graphmem_worker.language.tables import languages
from graphmem_worker.text.patterns import late


@cache
def figures() -> frozenset[str]:
    """The words for single figures in all languages."""
    every = (found for language in languages() for found in language.numerals.cardinals.items())
    return frozenset((*(word for word, value in every if value < 10), *ordered("digit_words")))


def _scales() -> list[str]:
    return [word for language in languages() for word in language.numerals.scales]


_SPELLED: Final = late(
    lambda: (
        rf"(?:(?:{either(word for word in figures() if word.isascii())})"
        r"(?:[ ,-]{1,2}|\b)){4,12}"
        f"|[{''.join(word for word in figures() if not word.isascii())}]{{4,12}}"
        f"(?!{either((*_scales(), *listed('serials')))})"
    )
)
"""Spelled out figures."""


def _signs() -> str:
    links = [*filter(str.isalpha, ordered("secret_links"))]
    latin = either(link for link in links if not _HAN.match(link))
    into = any_of("secret_into")
    han = either({*ordered("name_links"), *filter(_HAN.match, links)})
    han_figures = f"[{''.join(word for word in figures() if not word.isascii())}]"
    return (
        r"[\"'”’\]]{0,2}[ \t]{0,3}(?P<sign>=>|:=|==|!=|=|:|：|＝|→)[ \t]{0,3}(?:\r?\n\s{0,4})?"
        rf"|\s(?P<link>{latin})(?::?\s)\s{{0,4}}"
        rf"|(?P<han>{han})[:：]?\s{{0,2}}"
        rf"|(?P<bare>\s(?:(?:{into})\s)?(?=[^\s]*\d)|(?<=[\u4e00-\u9fff])\s?(?=[\x21-\x7e]*\d"
        rf"|{han_figures}{{4}}|{han_figures}\w{han_figures}|[【「『《“(（]))"
    )


_SIGN: Final = late(_signs, re.I)
_NAME_LEFT: Final = late(r"[\w.-]{1,48}$", re.ASCII)
_QUOTES: Final = dict(zip("\"'“‘`«「『《‹„»【(（", "\"'”’`»」』》›“«】)）", strict=True))
_QUOTED: Final = late(r"[brfuBRFU]{0,2}([\"'`“‘«「『《‹„»【(（])")
_ITEM: Final = late(r"[\s,、，;]{1,3}([A-Za-z0-9][A-Za-z0-9-]{4,30})(?![\w-])")
_BARE: Final = late(r"[^\s\"'`;<>，。；、！？）】》」』|]{1,200}")
_ROW: Final = late(r"\*{0,3}((?:(?!&\w{1,40}=|[.,;)*]{1,4}(?:\s|$))[!-~]){10,200})")
_CLAUSE: Final = late(r"[^|\n\"“”「」.,;!?，。；！？、:：()（）]{3,240}")
_OPEN: Final = late(r"[({,][^\n]*$")
_TRAILING: Final = ".,:)]}?*!"
_HEXADECIMAL: Final = late("[0-9a-f]{1,40}")
_HAN: Final = late("[\u4e00-\u9fff]")
_GOES_ON: Final = late(lambda: rf"\s(?:(?:{any_of('clause_begins')})\b|\()")


def labelled(text: str, low: str) -> Iterator[Found]:
    """The secrets that stand behind their name in a text. `low` is `text` in lower case."""
    if not has_secret_name(low):
        return
    for sign in _SIGN.finditer(text):
        left = _NAME_LEFT.search(text, max(0, sign.start() - 48), sign.start())
        name = left[0] if left else ""
        kind = kind_of(name) or kind_at(text, sign.start())
        if kind == PASSWORD and sign["bare"] is not None and name and not kind_of(name):
            continue  # "the password of alice99"
        if kind and (found := _value(text, low, kind, name, sign)) is not None:
            yield found
            if found.kind == CODE:
                yield from _further_codes(text, low, found.end)


def is_called_code(text: str, begin: int) -> bool:
    """Whether the value at `begin` stands behind the name of a code of any purpose."""
    while begin and text[begin - 1] in _QUOTES:
        begin -= 1
    signs = _SIGN.finditer(text, max(0, begin - 24), begin + 64)
    return any(is_code_at(text, sign.start()) for sign in signs if sign.end() == begin)


def _further_codes(text: str, low: str, at: int) -> Iterator[Found]:
    """The codes of a list behind its first one at `at`: backup codes."""
    while (item := _ITEM.match(text, at)) is not None:
        value, at = item[1], item.end()
        if sum(map(str.isdigit, value)) < 3 or is_reference(value) or is_quantity(low, at):
            return
        yield Found(CODE, *item.span(1))


def _value(text: str, low: str, kind: str, name: str, sign: re.Match[str]) -> Found | None:
    """The secret behind a name of a kind and its sign; None if no secret stands there."""
    at = sign.end()
    opening = _QUOTED.match(text, at)
    if opening is not None:
        begin = opening.end()
        end = text.find(_QUOTES[opening[1]], begin, begin + 300)
        value = text[begin:end]
        is_one = end >= 0 and "\n" not in value and _fits(kind, value, name, is_quoted=True)
        is_one = is_one or (kind == TOKEN and _is_token_setting(value, name, sign["sign"]))
        return Found(kind, begin, end) if is_one else None
    if kind != TOKEN:
        for pattern in (sayings("guard", "turns"), _SPELLED):
            match = pattern.match(low, at)
            close = match.end() if match else at
            if match is not None and close > at and not low[close : close + 1].isalnum():
                return Found(kind, at, at + len(match[0].rstrip(" ,-–")))
    row = _ROW.match(text, at)
    if row is not None and is_generated(row[1]):
        return Found(kind, row.start(1), row.end(1))
    bare = _BARE.match(text, at)
    if bare is None:
        return None
    is_linked = sign["bare"] is None and sign[0] != "="
    first = bare[0].rstrip(_TRAILING)
    if kind == PASSWORD and is_linked and not (is_certain(first) or is_number(first)):
        words = _CLAUSE.match(text, at)
        clause = words[0].rstrip() if words else ""
        is_han = " " not in clause and not clause.isascii() and not any(map(str.isdigit, clause))
        if (is_phrase(clause) and not (is_han and sign["han"])) or (
            sign["sign"] and is_row_of_words(clause)
        ):
            return Found(kind, at, at + len(clause))
    return _bare_value(text, low, kind, name, sign, bare)


def _bare_value(
    text: str, low: str, kind: str, name: str, sign: re.Match[str], bare: re.Match[str]
) -> Found | None:
    """The secret in an unquoted word behind a name and its sign, in settings, code and prose."""
    begin, end = bare.span()
    named_at = sign.start() - len(name)
    if text[max(0, named_at - 1) : named_at] in ("?", "&") or ("&" in bare[0] and "=" in bare[0]):
        end = begin + len(bare[0].partition("&")[0])
    value = text[begin:end].partition(",")[0].rstrip(_TRAILING)
    begin += len(value) - len(value.lstrip("*("))
    value = value.lstrip("*(")
    end = begin + len(value)
    after = text[end : end + 2]
    is_spaced = sign["sign"] == "=" and sign[0] != "=" and "\n" in text
    goes_on = after[:1] == "," and (
        after != ", " or _OPEN.search(text, max(0, sign.start() - 48), sign.start()) is not None
    )
    is_aside = text[max(0, named_at - 2) : named_at] in (" (", "(")  # no call: "Rosa (pw: …)"
    is_code = after[:1] in {")", "(", "[", "}"} or goes_on or is_spaced
    if is_code and value.isidentifier() and not (is_aside and is_certain(value)):
        return None
    is_ended = end == len(text) or after[:1] in "\n\r ;,.，。；)|！"
    if not sign["sign"] and value.isalpha() and not _GOES_ON.match(low, end):
        is_ended = after[:1] != " "  # a plain word must end its clause, or another one begins
    if is_number(value) and (
        is_quantity(low, end) or (sign["bare"] is not None and _YEAR.match(value))
    ):
        return None
    fits = _fits(kind, value, name, is_quoted=False) or (
        kind == TOKEN and sign["sign"] is not None and _is_token_setting(value, name, sign[0])
    )
    fits = fits and (is_ended or not value.isalpha())
    return Found(kind, begin, end) if fits and not (is_spaced and value.isalpha()) else None


_YEAR: Final = late(r"(?:19|20)\d\d$")


def _is_token_setting(value: str, name: str, sign: str | None) -> bool:
    """Whether the value of a setting with the name of a token is a token though it is made of
    words: `JWT_SECRET=moose-Under-Water-12`, `client_secret: …`. If the name states no purpose, it
    may be the name of a secret: `secret=payments-psp`."""
    if not _SETTING.fullmatch(value) or is_reference(value) or not secret_as(TOKEN, value, name):
        return False
    has_digit = any(map(str.isdigit, value))
    if not has_purpose(name):
        return sign == "=" and has_digit and is_strong(value) and not value.islower()
    return has_digit or (sign == "=" and is_phrase(value.replace("-", " ")))


_SETTING: Final = late(r"[\w.+=~@!#$%^&*-]{12,200}", re.ASCII)


def _fits(kind: str, value: str, name: str, *, is_quoted: bool) -> bool:
    """Whether a value may be a secret of a kind. is_quoted: it stands in quotes."""
    if len(value) < 3 or is_placeholder(value) or "://" in value:
        return False
    if is_generated(value):
        return True
    if is_number(value) and kind != TOKEN:
        return (3 if kind == CODE else 4) <= len(value.strip("#*")) <= 16
    if is_reference(value):
        return False
    if kind == TOKEN:
        hexadecimal = len(value) < 20 and _HEXADECIMAL.fullmatch(value) is not None
        return " " not in value and not hexadecimal and is_opaque(value, 8 if is_quoted else 12)
    if name.lower() in listed("keyword_verbs") and not may_be_password(value):
        return False
    if " " in value or _HAN.search(value):
        return kind == PASSWORD and is_phrase(value, loose=is_quoted)
    if kind == CODE:
        return len(value) <= 24 and any(map(str.isdigit, value)) and is_strong(value)
    return is_strong(value) or is_word(value, 5)
