"""Secrets that follow a keyword: in prose of both languages, in code, settings and URLs.

Keywords are found as plain substrings; what stands around one is read within a bounded window. So
the cost is linear in the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from graphmem_worker.guard.names import (
    CODE,
    COMPOUND,
    PASSWORD,
    TOKEN,
    compound_start,
    is_about,
    is_qualified,
    keywords,
    label_at,
    named,
    stems,
)
from graphmem_worker.guard.values import (
    is_certain,
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
_MOST_FILLERS: Final = 7

# --- English prose ------------------------------------------------------------------------------


_KEYWORD: Final = late(
    lambda: "|".join(f"(?P<{kind}>{either(terms)})" for kind, terms in keywords().items())
)
"""A keyword at a stem; `_at_keyword` widens it to the whole name that it is part of."""
_BEFORE: Final = late("([a-z0-9]+)[ -]$")
_TOKENS: Final = late(r"\S+")
_STRIPPED_LEFT: Final = "《‹„([{\"'“‘`«「『*"
_STRIPPED_RIGHT: Final = "》›.,;:)]}\"'”’`?…»」』*，。；："
_QUOTES: Final = dict(zip("\"'“‘`«「『《‹„»", "\"'”’`»」』》›“«", strict=True))
_DIGITS: Final = late(r"[#*]?\d(?:[ -]?\d){2,11}(?!\d)(?:[ ]?[#*])?")
_UNLINKED: Final = late(
    r"(?=[^\d]{0,63}\d)[\w.!@#$%^&*+~?-]{4,64}"
    r"|[A-Za-z][\w.-]{1,32}[!@#$%^&*+~?][\w!@#$%^&*+~?.-]{0,32}"
)
"""A password that follows its keyword without a link: a digit in it, or a symbol after letters."""


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
    )
)
"""Figures told by word."""


def _scales() -> list[str]:
    return [word for tongue in languages() for word in tongue.numerals.scales]


_AS_USER: Final = late(
    lambda: (
        rf"\b(?:{either(ordered('user_words'))}):?\s{{1,2}}\S{{1,40}}?[,;]?\s{{1,2}}"
        rf"(?:(?:{either(ordered('pair_joins'))})\s)?$"
    )
)
_SPOKEN: Final = late(r"\s|'s\s|[,，](?!\d)|$|[（：]|[^\x00-\x7f]")
_OF_USER: Final = late(
    lambda: rf"\b(?:{either(ordered('pass_of'))})(?:[^.?!\n]{{0,40}}[,/|:;&-]\s{{0,2}}|\s)$"
)
_PAIR: Final = late(
    lambda: (
        rf"[\w ]{{0,20}}?(?:\s{{0,2}}(?:{_links()}|[:=：-])\s{{0,2}}|\s{{1,2}})[\"'`“‘]?"
        rf"([\w.@+-]{{2,40}})[\"'`”’]?\s{{0,2}}(?:[/|:,+]|\b(?:{either(ordered('pair_joins'))})\b)"
        r"\s{0,2}[\"'`]?([^\s\"'`,;，。；]{3,64})"
    )
)


def _links() -> str:
    return either(filter(str.isalpha, ordered("secret_links")))


# --- assignments --------------------------------------------------------------------------------

_ASSIGNED: Final = late(r"[\"'\]]{0,2}[ \t]{0,3}(=>|:=|==|!=|=|:|：|＝)[ \t]{0,3}")
_QUOTED: Final = late(r"[brfuBRFU]{0,2}([\"'`“‘])")
_BARE: Final = late(r"[^\s\"'`;<>，。；、！？）】》|]{1,200}")
_OPEN: Final = late(r"[({,][^\n]*$")
_ASIDE: Final = late(r"(?:^|\s)\($")  # a parenthesis of prose, and none of a call
_NAME_LEFT: Final = late(r"[\w.-]{0,48}$", re.ASCII)
_NAME_RIGHT: Final = late(r"[A-Za-z0-9_]{0,32}")
HEADER: Final = late(
    lambda: rf"(?i)({either(ordered('headers'))})\s{{1,3}}(?:=\s?)?([\w.=~+/-]{{12,2000}})"
)
_HEXADECIMAL: Final = late("[0-9a-f]{1,40}")
_NAME_TOLD: Final = late(lambda: rf"\s(?:{either(ordered('network_names'))})\s?[:：]")


def _said(means: str) -> Sayings:
    return sayings("guard", means)


_WORD_BEHIND: Final = late(r"\s[a-z0-9]")


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
        done, group = keyword.end(), keyword.lastgroup or ""
        if (begun := compound_start(low, done)) is not None:
            start, group = begun, "pin"
        if group == COMPOUND:
            continue
        yield from _at_keyword(text, low, start, done, group)


def _hits(low: str, stems: tuple[str, ...]) -> list[int]:
    hits = []
    for stem in stems:
        at = low.find(stem)
        while at >= 0:
            hits.append(at)
            at = low.find(stem, at + len(stem))
    hits.sort()
    return hits


def _at_keyword(text: str, low: str, start: int, end: int, group: str) -> Iterator[Found]:
    before = text[max(0, start - 48) : start]
    left = _NAME_LEFT.search(before)
    start_of_name = start - (len(left[0]) if left else 0)
    right = _NAME_RIGHT.match(text, end)
    end_of_name = right.end() if right else end
    name = text[start_of_name:end_of_name]
    sign = _ASSIGNED.match(text, end_of_name)
    if sign is not None:
        found = _assigned(text, low, start_of_name, name, sign)
        if found is not None:
            yield found
        if sign[1] not in {":", "=", "："} or (
            group in {"password", "key"} and not low.startswith("wi", start)
        ):
            return
    if end_of_name != end or (start_of_name != start and text[start - 1] != "-"):
        return
    yield from _spoken(text, low, start, end, group, sign)


def _assigned(text: str, low: str, start: int, name: str, sign: re.Match[str]) -> Found | None:
    """The secret that an assignment, a mapping's entry, a setting or a URL's query gives a name."""
    kind = named(name) or ("" if "_" in name else label_at(text, start + len(name)))
    if kind == TOKEN and text[start - 1 : start] == ":":
        return None  # a path such as arn:aws:…:secret:name
    low_name = name.lower()
    if not kind:
        return None
    at = sign.end()
    opening = _QUOTED.match(text, at)
    if opening is not None:
        begin = opening.end()
        closing = _QUOTES[opening[1]]
        end = text.find(closing, begin, begin + 300)
        newline = text.find("\n", begin, begin + 300)
        if end < 0 or 0 <= newline < end:
            return None
        value = text[begin:end]
        if _assigned_value(kind, value, low_name, quoted=True, chat=False, spaced=False):
            return Found(kind, begin, end)
        return None
    bare = _BARE.match(text, at)
    if bare is None:
        return None
    begin, end = bare.span()
    if (start and text[start - 1] in "?&") or ("&" in bare[0] and "=" in bare[0]):
        stop = text.find("&", begin, end)
        end = stop if stop >= 0 else end
    value = text[begin:end].rstrip(".,:)]}?*")
    if kind == TOKEN:
        value = value.partition(",")[0]
    value = value.lstrip("*(")
    begin = text.find(value, begin, end) if value else begin
    end = begin + len(value)
    spaced = sign[1] == "=" and sign[0] != "=" and "\n" in text
    after = text[end : end + 2]
    listed_on = after[:1] == "," and (
        after != ", " or _OPEN.search(text, max(0, start - 48), start)
    )
    code = after[:1] in {")", "(", "[", "}"} or listed_on or spaced
    is_aside = _ASIDE.search(text, max(0, start - 2), start) and after[:1] == ")"
    if code and re.fullmatch(r"[A-Za-z_]\w*", value) and not (is_aside and is_certain(value)):
        return None
    chat = end == len(text) or after[:1] in "\n\r ;,.，。；)|"
    if _assigned_value(kind, value, low_name, quoted=False, chat=chat, spaced=spaced):
        if kind != TOKEN and number(value) and is_quantity(low, end):
            return None
        return Found(kind, begin, end)
    return None


def _assigned_value(
    kind: str, value: str, bare: str, *, quoted: bool, chat: bool, spaced: bool
) -> bool:
    if not value or placeholder(value) or reference(value) or "://" in value:
        return False
    if kind == TOKEN:
        hexadecimal = len(value) < 20 and _HEXADECIMAL.fullmatch(value) is not None
        return " " not in value and not hexadecimal and opaque(value, 12)
    if len(value) < 3:
        return False
    if bare in listed("keyword_verbs") and not may_be_password(value):
        return False
    if " " in value or (quoted and _HAN.search(value)):
        return kind == PASSWORD and quoted and is_phrase(value, loose=True)
    digits = number(value)
    if kind == CODE:
        if digits:
            return 3 <= len(value.strip("#*")) <= 8
        return 6 <= len(value) <= 24 and opaque(value, 6)
    if digits:
        return len(value) >= 4
    if strong(value):
        plain = re.fullmatch(r"[A-Za-z]+", value) is not None
        return quoted or (chat and not plain) or (any(map(str.isdigit, value)) and not spaced)
    return (
        bare not in listed("keyword_verbs")
        and is_word(value, 5)
        and (quoted or chat)
        and not spaced
    )


def _spoken(
    text: str, low: str, start: int, end: int, group: str, sign: re.Match[str] | None
) -> Iterator[Found]:
    """The secret that a sentence gives after, or before, a keyword that stands alone."""
    before = low[max(0, start - 64) : start]
    if (before[-1:].isalnum() and before[-1:].isascii()) or not (sign or _SPOKEN.match(low, end)):
        return
    if group == "phrase" and not label_at(text, end):
        return
    is_verb = low[start:end] in listed("keyword_verbs")
    if is_verb and not _OF_USER.search(before) and not low.startswith((" is ", " was "), end):
        return  # the verb
    line_end = text.find("\n", end, end + _WINDOW)
    tail_end = min(len(text), end + _WINDOW) if line_end < 0 else line_end
    wifi = low.startswith("wi", start)
    if wifi and sign is None and _said("names").is_in(low[end : min(tail_end, end + 60)]):
        return  # what follows is the network's name
    if group == "login" or wifi:
        told = _NAME_TOLD.match(low, end) if wifi else None
        pair = _PAIR.match(text, told.end() if told else end, tail_end)
        if pair is not None and _second_of_pair(pair, text[end : pair.start(1)]):
            value = pair[2].rstrip(_STRIPPED_RIGHT)
            yield Found(PASSWORD, pair.start(2), pair.start(2) + len(value))
            return
        if group == "login":
            return
    if group == "code" and not _is_qualified("code", before):
        if sign is not None and not _said("locked").is_in(before):
            return
        # "The code for the gate is 4471#": a lock must be named between the code and its value.
        is_linked = sign is not None or _CODE_FOR.match(low, end) is not None
        if not is_linked or not (sign or _said("locked").is_in(low[end : min(tail_end, end + 60)])):
            return
    if group == "key" and (
        sign is not None or (low[start:end] == "key" and not _is_qualified("key", before))
    ):
        return
    if wifi:
        group = "wifi"
    for found in _walk(
        text, low, group, before, sign.end() if sign else end, tail_end, linked=sign is not None
    ):
        if not _is_name(low, group, before, end, found):
            yield found


def _is_qualified(keyword: str, before: str) -> bool:
    """Whether the word before a keyword makes it the name of a secret."""
    found = _BEFORE.search(before)
    return found is not None and is_qualified(keyword, found[1])


_CODE_FOR: Final = late(lambda: rf"s?\s(?:{either(ordered('code_for'))})\b")


def _is_name(low: str, group: str, before: str, end: int, found: Found) -> bool:
    """Whether what follows a keyword that ends at `end` is told as the name of something: of a
    network, or of what the keyword describes, such as a password server."""
    if group != "wifi":
        return _said("thing called").is_in(low[end : found.start])
    if low[end : end + 1] in (":", "：") and low[found.start : found.end].isalpha():
        return _WORD_BEHIND.match(low, found.end) is not None  # "Wifi: FritzBox in the hall"
    # A value may hold the Chinese words before it, but none behind: "wifi是2023年装的".
    value = low[found.start : found.end]
    bare = value.lstrip("".join(_HAN.findall(value)))
    return (
        _HAN.search(bare) is not None
        or (bare != value and not (strong(bare) or len(bare) >= _SHORTEST_NETWORK))
        or _said("names of").is_in(before)
        or _said("naming").is_in(low[end : found.start])
        or _HAN_NAMED.match(low, found.start, found.end) is not None
    )


_SHORTEST_NETWORK: Final = 8  # characters of a password of WPA
_PATH: Final = late(r"[a-z0-9_.-]{1,40}(?:/[a-z0-9_.-]{1,40}){1,8}")


def _second_of_pair(pair: re.Match[str], between: str) -> bool:
    value = pair[2].rstrip(_STRIPPED_RIGHT)
    if "," in pair.string[pair.end(1) : pair.start(2)] and _HAN.search(value):
        return False  # "wifi是电信的,300兆"
    if len(value) < 3 or placeholder(value) or reference(value) or _PATH.fullmatch(value):
        return False
    linked = not listed("secret_links").isdisjoint(
        re.findall(r"\w+|[:=]", between.lower().replace("：", ":"))
    )
    if strong(value) and any(map(str.isdigit, value)):
        return linked or pair[1].islower()
    return linked and is_word(value, 4) and pair[1].lower() in listed("user_names")


def _walk(
    text: str, low: str, group: str, before: str, at: int, tail_end: int, *, linked: bool
) -> Iterator[Found]:
    """Read on from a keyword, word by word: fillers, a link such as "is", the value."""
    kind = (
        TOKEN if group == "key" else PASSWORD if group in {"password", "phrase", "wifi"} else CODE
    )
    linked = linked or (_AS_USER.search(before) is not None and group == "password")
    changed = _said("changed").is_in(before)
    fillers = 0
    if low.startswith("'s ", at):
        linked, at = True, at + 3
    for token in _TOKENS.finditer(text, at, tail_end):
        word = token[0].lower()
        bare = word.strip(_STRIPPED_LEFT + _STRIPPED_RIGHT)
        if not linked:
            if word in listed("secret_links"):
                linked = True
                continue
            if bare in listed("secret_into") and fillers == 0:
                following = _TOKENS.match(text, min(token.end() + 1, tail_end), tail_end)
                if following and (
                    changed
                    or _value_at(text, low, following.start(), tail_end, kind, group, strict=True)
                ):
                    linked = True
                    continue
            if fillers == 0 and token.start() - at <= 1 and group != "phrase":
                found = _value_at(text, low, token.start(), tail_end, kind, group, strict=True)
                if found is not None and bare not in _breaks():
                    yield found
                    return
            if bare in _breaks() or fillers >= _MOST_FILLERS or not bare:
                return
            if word[-1] in ".?!;":
                return
            fillers += 1
            if word[-1] in ":=：":
                linked = True
            continue
        if bare in listed("secret_adverbs") and token[0][0] not in _QUOTES:
            fillers += 1
            if fillers > _MOST_FILLERS + 3:
                return
            continue
        found = _value_at(text, low, token.start(), tail_end, kind, group, strict=False)
        if found is not None:
            yield found
            # Several passwords in a list: "a, b and c" is left; one keyword gives one value.
        return


@cache
def _breaks() -> frozenset[str]:
    return listed("secret_breaks") | listed("secret_aspects")


def _value_at(
    text: str, low: str, at: int, tail_end: int, kind: str, group: str, *, strict: bool
) -> Found | None:
    """The value that begins at `at`. `strict`: nothing links it to the keyword, so it must be
    strong."""
    opening = text[at : at + 1]
    if opening in _QUOTES:
        closing = text.find(_QUOTES[opening], at + 1, min(tail_end, at + 80))
        if closing > at + 3:
            value = text[at + 1 : closing]
            if (strict and not (strong(value) or number(value))) or placeholder(value):
                return None
            if kind == TOKEN and not opaque(value, 8):
                return None
            if kind == CODE and not any(map(str.isdigit, value)):
                return None
            return Found(kind, at + 1, closing)
    if kind == CODE:
        return _code_at(text, low, at, tail_end, group, strict=strict)
    token = _TOKENS.match(text, at, tail_end)
    if token is None:
        return None
    value = token[0].lstrip(_STRIPPED_LEFT)
    begin = at + len(token[0]) - len(value)
    value = re.split(r"[，。；！？、）]", value)[0].rstrip(_STRIPPED_RIGHT)
    if token[0].endswith("?!") or not value:
        return None
    end = begin + len(value)
    if placeholder(value) and not (
        any(map(str.isdigit, value)) and not strict and re.fullmatch(r"\w+", value)
    ):
        return None
    if kind == TOKEN:
        fits = opaque(value, 10 if not strict else 16) and not reference(value)
        return Found(TOKEN, begin, end) if fits else None
    if reference(value):
        return None
    if number(value):
        if len(value) < 4 or is_quantity(low, end) or group == "phrase":
            return None
        return Found(PASSWORD, begin, end)
    if strong(value):
        if strict and not _UNLINKED.fullmatch(value):
            return None
        return (
            None
            if re.fullmatch(r"\d{1,4}(?:st|nd|rd|th|s|x|k|m|am|pm|gb|mb|-\w+)", value.lower())
            else Found(PASSWORD, begin, end)
        )
    if strict or group == "wifi" or not is_word(value):
        return None
    # A plain word must end its clause, or be followed by one that begins another.
    following = low[token.end() : token.end() + 12]
    closed = token[0] != token[0].rstrip(".,;!") or not following.strip()
    if closed or _GOES_ON.match(following):
        return Found(PASSWORD, begin, end)
    return None


_GOES_ON: Final = late(lambda: rf"\s(?:(?:{either(ordered('clause_begins'))})\b|\()")


def _code_at(
    text: str, low: str, at: int, tail_end: int, group: str, *, strict: bool
) -> Found | None:
    least = 3 if group in {"cvv", "code", "combination"} else 4
    if group == "combination":
        turns = _said("dialled").match(low[:tail_end], at)
        if turns is not None and turns.end() > at:
            return Found(CODE, at, turns.start() + len(turns[0].rstrip(" ,-–")))
    digits = _DIGITS.match(text, at, tail_end)
    if digits is not None:
        count = sum(map(str.isdigit, digits[0]))
        after = text[digits.end() : digits.end() + 1]
        if (after.isalpha() and after.isascii()) or (
            after in {":", "/"} and text[digits.end() + 1 : digits.end() + 2].isdigit()
        ):
            return None
        if strict and group == "code" and re.fullmatch(r"(?:19|20)\d\d", digits[0]):
            return None
        if count < least or count > 12 or is_quantity(low, digits.end()):
            return None
        if after in {".", ","} and text[digits.end() + 1 : digits.end() + 2].isdigit():
            return None
        return Found(CODE, at, digits.end())
    spelled = _SPELLED.match(low, at, tail_end)
    if spelled is not None:
        return Found(CODE, at, at + len(spelled[0].rstrip(" ,-")))
    token = _TOKENS.match(text, at, tail_end)
    if token is None or group in {"pin", "cvv", "otp", "combination"}:
        return None
    value = token[0].strip(_STRIPPED_LEFT + _STRIPPED_RIGHT)
    fits = 4 <= len(value) <= 24 and strong(value) and any(map(str.isdigit, value))
    if fits and not placeholder(value) and not reference(value):
        begin = text.find(value, at, tail_end)
        return Found(CODE, begin, begin + len(value))
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
_HAN_PAIR: Final = late(
    r"[^\x21-\x7e，。；！？\n]{0,10}[:：=]?[\s\"“‘「`]{0,3}([\w.@+-]{2,40})"
    r"\s{0,2}[/／|,，、 ]\s{0,2}([\x21-\x7e]{3,64})",
    re.ASCII,
)
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
            pair = _HAN_PAIR.match(text, done)
            if (
                pair is not None
                and (
                    strong(pair[2])
                    or (word == "wifi" and number(pair[2]) and len(pair[2]) >= _SHORTEST_NETWORK)
                )
                and not reference(pair[2])
                and not placeholder(pair[2])
            ):
                yield Found(
                    PASSWORD, pair.start(2), pair.start(2) + len(pair[2].rstrip(_STRIPPED_RIGHT))
                )
                done = pair.end()
                continue
            if not is_second:
                continue
        found = _han_value(text, done, kind, word)
        if found is not None:
            yield found
            done = found.end
            continue


_GOES_ON_HAN: Final = late(r"[ \t]?[A-Za-z]|[ \t][\u4e00-\u9fff]")


def _han_value(text: str, at: int, kind: str, word: str) -> Found | None:
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
        turns = _said("turns").search(text[at : gap.end() + 40])
        if turns is not None and turns.start() <= 6:
            return Found(CODE, at + turns.start(), at + turns.end())
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
    run = _HAN_VALUE.match(text, gap.end())
    if run is None:
        return None
    value = run[0].lstrip(_STRIPPED_LEFT).rstrip(_STRIPPED_RIGHT)
    begin = gap.end() + len(run[0]) - len(run[0].lstrip(_STRIPPED_LEFT))
    # A list of settings in one line: "密码:abc,端口:8080".
    value = re.split(r"[,;]", value)[0] if kind != TOKEN else value
    end = begin + len(value)
    if len(value) < 3 or placeholder(value):
        return None
    if number(value):
        few = 3 if word in listed("short_codes") else 4
        if (
            kind == TOKEN
            or len(value.strip("#*")) < few
            or len(value) > 16
            or is_quantity(text, end)
        ):
            return None
        return Found(kind, begin, end)
    if reference(value):
        return None
    if kind == TOKEN:
        return Found(TOKEN, begin, end) if opaque(value, 10) else None
    if strong(value):
        # Of the lock's maker: "门锁品牌叫Aqara2".
        if word in listed("secret_things") and (not linked or _HAN_NAMED.match(between)):
            return None
        return Found(kind, begin, end)
    direct = linked and _GOES_ON_HAN.match(text, end) is None
    if (direct or (word in listed("shared_codes") and linked)) and is_word(value):
        return Found(kind, begin, end)
    return None


# --- command lines, headers, URLs ---------------------------------------------------------------
