# ruff: noqa: E501 (a pattern is read best in one line)
"""Secrets that follow a keyword: in prose of both languages, in code, settings and URLs.

Keywords are found as plain substrings; what stands around one is read within a bounded window. So
the cost is linear in the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from graphmem_worker.guard.names import CODE, HAN, PASSWORD, TOKEN, label_at, named
from graphmem_worker.guard.values import (
    is_phrase,
    is_word,
    number,
    opaque,
    placeholder,
    reference,
    strong,
)
from graphmem_worker.language.lists import listed, ordered
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

STEMS: Final[tuple[str, ...]] = (
    "pass", "pin", "code", "secret", "token", "key", "login", "log-in", "log in", "cred",
    "combination", "combo", "cvv", "cvc", "otp", "phrase", "mnemonic", "wifi", "wi-fi", "security",
)  # fmt: skip
"""Substrings of a text in lower case without which no keyword of this module stands in it."""

_KEYWORD: Final = late(
    lambda: (
        r"(?P<phrase>(?:pass[ -]?|)phrases?|mnemonics?)"
        rf"|(?P<password>{'|'.join(ordered('secret_names'))}|pass(?:words?|wrd|codes?|key|)|security answer|wi-?fi(?: key| code|))"
        r"|(?P<pin>pin(?:[ -]?(?:code|number|nr|no)\.?|))"
        r"|(?P<cvv>cvv2?|cvc2?)"
        r"|(?P<otp>otp)"
        r"|(?P<combination>combination|combo)"
        r"|(?P<login>log[- ]?ins?(?: details| data|)|cred(?:ential)?s?)"
        r"|(?P<key>secret(?:[ _-]?(?:access[ _-]?)?key|)|token|key)"
        r"|(?P<code>codes?)"
    )
)
"""A keyword at a stem; `_identifier` widens it to the whole name that it is part of."""

_NUMBERED: Final = late(
    r"(?:\b(?:door|front door|gate|garage|alarm|entry|entrance|access|security|safe|vault|lock|lockbox|locker|padlock|key ?pad"
    r"|building|lobby|lift|elevator|unlock|voice ?mail|backup|recovery|verification|verify|one[- ]time"
    r"|sms|authenticat\w{0,6}|auth|log[- ]?in|sign[- ]?in|2fa|mfa|two[- ]factor|reset|activation|office|house|room|key ?box|bike|shed|sim|puk|debit|disarm|wi-?fi)"
    r"[ -])$"
)
_LOCKED: Final = late(
    r"\b(?:door|gate|garage|alarm|safe|vault|lock|lockbox|locker|padlock|keypad|building|lift|elevator|phone"
    r"|house|flat|apartment|office|suitcase|bike|shed|key ?box|bank|card|sim|voicemail|account|cellar|entrance|bin room|parking|barrier)\b"
)
_CHANGED: Final = late(
    r"\b(?:chang\w{1,3}|set|sets|setting|reset\w{0,4}|switch\w{0,3}|updat\w{1,3}|rotat\w{1,3}|mov\w{1,3}|renam\w{1,3}|turn\w{0,3})\b"
)
_UNITS: Final = late(
    r"\s{0,2}(?:chars?|characters?|digits?|letters?|symbols?|words?|bits?|bytes?|days?|weeks?|months?|years?|minutes?|mins?"
    r"|hours?|seconds?|secs?|times?|attempts?|tries|people|users|accounts|percent|%|euros?|dollars?|pounds?|km|kg|am|pm|o'clock|th\b|st\b|nd\b|rd\b)"
)
_TOKENS: Final = late(r"\S+")
_STRIPPED_LEFT: Final = "《‹„([{\"'“‘`«「『*"
_STRIPPED_RIGHT: Final = "》›.,;:)]}\"'”’`?…»」』*，。；："
_QUOTES: Final = {
    '"': '"',
    "'": "'",
    "“": "”",
    "‘": "’",
    "`": "`",
    "«": "»",
    "「": "」",
    "『": "』",
    "《": "》",
    "‹": "›",
    "„": "“",
    "»": "«",
}
_DIGITS: Final = late(r"[#*]?\d(?:[ -]?\d){2,11}(?!\d)(?:[ ]?[#*])?")
_TURNS: Final = late(
    r"(?:(?:left|right|l|r|then|to|and|back)?[ ,]{0,2}\d{1,2}(?:[ ]?(?:left|right))?(?:[ ,–-]{1,3}|$|(?=\W))){3,5}"
)
_UNLINKED: Final = late(
    r"(?=[^\d]{0,63}\d)[\w.!@#$%^&*+~?-]{4,64}|[A-Za-z][\w.-]{1,32}[!@#$%^&*+~?][\w!@#$%^&*+~?.-]{0,32}"
)
"""A password that follows its keyword without a link: a digit in it, or a symbol after letters."""
_SPELLED: Final = late(
    r"(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)(?:[ ,-]{1,2}|\b)){4,12}"
)
_AS_USER: Final = late(
    r"\b(?:user(?:name)?:?|as)\s{1,2}\S{1,40}?[,;]?\s{1,2}(?:and\s|with\s|the\s|/\s)?$"
)
_BACKWARDS: Final = late(
    r"(?:^|\s)(\S{4,64})[\"'”’`]?\s(?:is|was|as|for|=)\s(?:still\s|now\s|currently\s)?(?:my|the|our|your|his|her|their|a|[A-Za-z]{2,20}'s)"
    r"\s(?:[A-Za-z0-9'-]{1,20}\s){0,3}$"
)
_SPOKEN: Final = late(r"\s|'s\s|[,，](?!\d)|$|[（：]|[^\x00-\x7f]")
_OF_USER: Final = late(
    r"(?:user|log ?in|cred|root|admin|account|wi-?fi|ssid|name|host)[^.?!\n]{0,40}[,/|:;&-]\s{0,2}$"
    r"|\b(?:wi-?fi|root|admin|db|account|guest|ftp|vpn|my|his|her|our|sudo|ssh)\s$"
)
_PAIR: Final = late(
    r"[\w ]{0,20}?(?:\s{0,2}(?:is|are|was|:|=|：|-)\s{0,2}|\s{1,2})[\"'`“‘]?([\w.@+-]{2,40})[\"'`”’]?\s{0,2}(?:/|\||:|,|\band\b|\+)\s{0,2}[\"'`]?"
    r"([^\s\"'`,;，。；]{3,64})"
)

# --- assignments --------------------------------------------------------------------------------

_ASSIGNED: Final = late(r"[\"'\]]{0,2}[ \t]{0,3}(=>|:=|==|!=|=|:|：|＝)[ \t]{0,3}")
_QUOTED: Final = late(r"[brfuBRFU]{0,2}([\"'`“‘])")
_BARE: Final = late(r"[^\s\"'`;<>，。；、！？）】》|]{1,200}")
_OPEN: Final = late(r"[({,][^\n]*$")
_NAME_LEFT: Final = late(r"[\w.-]{0,48}$", re.ASCII)
_NAME_RIGHT: Final = late(r"[A-Za-z0-9_]{0,32}")
HEADER: Final = late(r"(?i)(bearer|basic|token|apikey)\s{1,3}(?:=\s?)?([\w.=~+/-]{12,2000})")
_HEXADECIMAL: Final = late("[0-9a-f]{1,40}")


_NAMED_APART: Final = late(r"pass(?:word|code|phrase|wd)|pwd|密码|口令")
_NAMING: Final = late(
    r"\b(?:called|(?:re)?named?|names|known as|goes by|ssid|network)\b(?!.{0,40}\b(?:key|code|pin|pass)\b)|[叫名]"
)
_NAMING_BEFORE: Final = late(
    r"\b(?:(?:(?:user|nick)?names?|ssid)\s(?:of|for)|renam(?:e|ed|ing))\s(?:[a-z'’]{1,12}\s){0,3}$"
)
_NAME_TOLD: Final = late(r"\s(?:network|ssid|name)\s?[:：]")
_THING_CALLED: Final = late(
    r"\s(?!(?:for|of|to|on|at|in|is|was|now|still)\b)[a-z]{1,16}\s(?:is|was)\s(?:[a-z]{1,12}\s){0,2}(?:called|named)\s[\"'“‘`«]?$"
)


def english(text: str, low: str) -> Iterator[Found]:
    """Secrets after, and before, a keyword in Latin letters. `low` is `text` in lower case."""
    stems = _stems()
    if not holds(low, stems):
        return
    done = 0
    for start in _hits(low, stems):
        if start < done:
            continue
        keyword = _KEYWORD.match(low, start)
        if keyword is None or keyword.end() == start:
            continue
        done = keyword.end()
        yield from _at_keyword(text, low, keyword)


@cache
def _stems() -> tuple[str, ...]:
    return (*STEMS, *ordered("secret_names"))


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
        found = _assigned(text, low, start_of_name, name, keyword.lastgroup or "", sign)
        if found is not None:
            yield found
        if sign[1] not in {":", "=", "："} or (
            keyword.lastgroup in {"password", "key"} and not low.startswith("wi", start)
        ):
            return
    if end_of_name != end or (start_of_name != start and text[start - 1] != "-"):
        return
    yield from _spoken(text, low, keyword, sign)


def _assigned(
    text: str, low: str, start: int, name: str, group: str, sign: re.Match[str]
) -> Found | None:
    """The secret that an assignment, a mapping's entry, a setting or a URL's query gives a name."""
    kind = named(name) or label_at(text, start + len(name))
    if kind == TOKEN and text[start - 1 : start] == ":":
        return None  # a path such as arn:aws:…:secret:name
    low_name = name.lower()
    if not kind:
        return None
    at = sign.end()
    header = HEADER.match(text, at) if kind == TOKEN else None
    if header is not None and opaque(header[2], 12):
        return Found(TOKEN, header.start(2), header.end(2))
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
    if code and re.fullmatch(r"[A-Za-z_]\w*", value):
        return None
    chat = end == len(text) or after[:1] in "\n\r ;,.，。；)|"
    if _assigned_value(kind, value, low_name, quoted=False, chat=chat, spaced=spaced):
        if kind != TOKEN and number(value) and _UNITS.match(low, end):
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
    return bare != "pass" and is_word(value, 5) and (quoted or chat) and not spaced


def _spoken(
    text: str, low: str, keyword: re.Match[str], sign: re.Match[str] | None
) -> Iterator[Found]:
    """The secret that a sentence gives after, or before, a keyword that stands alone."""
    start, end = keyword.span()
    group = keyword.lastgroup or ""
    before = low[max(0, start - 64) : start]
    if (before[-1:].isalnum() and before[-1:].isascii()) or not (sign or _SPOKEN.match(low, end)):
        return
    if group == "phrase" and not label_at(text, end):
        return
    bare_pass = low[start:end] == "pass"
    if bare_pass and not _OF_USER.search(before) and not low.startswith((" is ", " was "), end):
        return  # the verb
    line_end = text.find("\n", end, end + _WINDOW)
    tail_end = min(len(text), end + _WINDOW) if line_end < 0 else line_end
    wifi = low.startswith("wi", start)
    if wifi and sign is None and _NAMED_APART.search(low, end, min(tail_end, end + 60)):
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
    if group == "code" and not _NUMBERED.search(before):
        if sign is not None and not _LOCKED.search(before):
            return
        # "The code for the gate is 4471#": a lock must be named between the code and its value.
        if sign is None and not re.match(
            r"s?\s(?:for|to|of|on|at|is|was|that)\b", low[end : end + 8]
        ):
            return
        if sign is None and not _LOCKED.search(low, end, min(tail_end, end + 60)):
            return
    if group == "key" and sign is not None:
        return
    if (
        group == "key"
        and low[start:end] == "key"
        and not re.search(
            r"(?:api|access|secret|private|auth|license|account|service|master|encryption|deploy|google|openai|wi-?fi|product|app|admin|bot|recovery)[ -]$",
            before,
        )
    ):
        return
    if wifi:
        group = "wifi"
    for found in _walk(
        text, low, group, before, sign.end() if sign else end, tail_end, linked=sign is not None
    ):
        if not _is_name(low, group, before, end, found):
            yield found
    if group in {"password", "pin", "phrase", "key"}:
        reverse = _BACKWARDS.search(text[max(0, start - 110) : start])
        if reverse is not None:
            value = reverse[1].strip(_STRIPPED_LEFT + _STRIPPED_RIGHT)
            fits = (
                number(value) and 4 <= len(value) <= 8
                if group == "pin"
                else strong(value) and any(map(str.isdigit, value)) and not reference(value)
            )
            if fits and not placeholder(value):
                at = text.find(value, max(0, start - 110), start)
                yield Found(CODE if group == "pin" else PASSWORD, at, at + len(value))


def _is_name(low: str, group: str, before: str, end: int, found: Found) -> bool:
    """Whether what follows a keyword that ends at `end` is told as the name of something: of a
    network, or of what the keyword describes, such as a password server."""
    if group != "wifi":
        return _THING_CALLED.fullmatch(low, end, found.start) is not None
    # A value may hold the Chinese words before it.
    return (
        _NAMING_BEFORE.search(before) is not None
        or _NAMING.search(low, end, found.start) is not None
        or _HAN_NAMED.match(low, found.start, found.end) is not None
    )


def _second_of_pair(pair: re.Match[str], between: str) -> bool:
    value = pair[2].rstrip(_STRIPPED_RIGHT)
    if len(value) < 3 or placeholder(value) or reference(value):
        return False
    linked = re.search(r"\bis\b|\bare\b|\bwas\b|[:=：]", between) is not None
    if strong(value) and any(map(str.isdigit, value)):
        return linked or pair[1].islower()
    return (
        linked
        and is_word(value, 4)
        and pair[1].lower() in {"root", "admin", "pi", "user", "guest", "sa", "postgres", "ubuntu"}
    )


def _walk(
    text: str, low: str, group: str, before: str, at: int, tail_end: int, *, linked: bool
) -> Iterator[Found]:
    """Read on from a keyword, word by word: fillers, a link such as "is", the value."""
    kind = (
        TOKEN if group == "key" else PASSWORD if group in {"password", "phrase", "wifi"} else CODE
    )
    linked = linked or (_AS_USER.search(before) is not None and group == "password")
    changed = _CHANGED.search(before) is not None
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
            if bare in {"to", "as"} and fillers == 0:
                following = _TOKENS.match(text, min(token.end() + 1, tail_end), tail_end)
                if following and (
                    changed
                    or _value_at(text, low, following.start(), tail_end, kind, group, strict=True)
                ):
                    linked = True
                    continue
            if fillers == 0 and token.start() - at <= 1 and group != "phrase":
                found = _value_at(text, low, token.start(), tail_end, kind, group, strict=True)
                if found is not None and bare not in listed("secret_breaks"):
                    yield found
                    return
            if bare in listed("secret_changes") and _TOKENS.match(text, token.end() + 1, tail_end):
                linked = low.startswith(("to ", "back to "), token.end() + 1)
                fillers += 1
                continue
            if bare in listed("secret_breaks") or fillers >= _MOST_FILLERS or not bare:
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


def _value_at(
    text: str, low: str, at: int, tail_end: int, kind: str, group: str, *, strict: bool
) -> Found | None:
    """The value that begins at `at`. `strict`: nothing links it to the keyword, so it must be strong."""
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
    if group == "phrase" and not strict:
        phrase = re.compile(r"[\"'“]?([a-z]{1,12}(?:[ ,-]{1,2}[a-z]{1,12}){2,23})").match(
            text, at, min(len(text), at + 300)
        )
        if phrase is not None:
            words = set(re.split(r"[ ,-]+", phrase[1]))
            if len(words & listed("describing")) <= max(1 + len(words) // 6, len(words) // 2):
                return Found(PASSWORD, phrase.start(1), phrase.end(1))
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
        if len(value) < 4 or _UNITS.match(low, end) or group == "phrase":
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
    if closed or re.match(
        r"\s(?:and|for|with|but|yesterday|now|today|since|again|please|i |on the|in case|btw|fyi|\()",
        following,
    ):
        return Found(PASSWORD, begin, end)
    return None


def _code_at(
    text: str, low: str, at: int, tail_end: int, group: str, *, strict: bool
) -> Found | None:
    least = 3 if group in {"cvv", "code", "combination"} else 4
    if group == "combination":
        turns = _TURNS.match(low, at, tail_end)
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
        if count < least or count > 12 or _UNITS.match(low, digits.end()):
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

_HAN_KEYWORDS: Final[dict[str, str]] = HAN | {
    "锁屏": PASSWORD, "门禁": CODE, "门锁": CODE, "pin 码": CODE, "access key": TOKEN, "accesskey": TOKEN,
    "token": TOKEN, "secret": TOKEN, "api key": TOKEN, "apikey": TOKEN, "wifi": PASSWORD, "pin": CODE,
    "登录": PASSWORD, "登陆": PASSWORD,
}  # fmt: skip
_HAN_STEMS: Final = tuple(sorted(_HAN_KEYWORDS, key=len, reverse=True))
_HAN_GAP: Final = late(r"[^\x21-\x7e，。；！？、\n]{0,14}[:：=＝]?[\s\"'“‘「『（(]{0,3}")
_HAN_LINK: Final = late(r"是|为|成|叫|用|填|输|改|设|换|还|就|：|:|=|＝|→|到|给你|发你|记一下")
_HAN_BREAK: Final = late(
    r"在|有|需|不|没|忘|过期|至少|超过|长度|策略|错|由|含|存|被|试|找|问|加密|算法|用完|失效|管理|保护|要求|一共|总共|最少|最多|位|强度|格式|和|与|或|的人|时"
)
_HAN_VALUE: Final = late(r"[\x21-\x7e]{3,80}")
_HAN_UNITS: Final = late(
    r"\s{0,2}(?:位|个|次|天|分|秒|小时|月|年|条|种|遍|字|块|元|度|楼|%|％|人|台|套|版|倍|点|岁|多)"
)
_HAN_DIGITS: Final = late(r"[零〇一二三四五六七八九幺两]{4,12}(?![十百千万个位年月])")
_HAN_TURNS: Final = late(
    r"(?:[左右][转拧]?[\s,，]{0,2}(?:到)?(?:\d{1,3}|[零一二三四五六七八九十]{1,3}|[一二三四五]圈到?)[再，,、 ]{0,2}(?:\d{1,3})?[再，,、 ]{0,2}){2,6}"
)
_HAN_QUOTED: Final = late(r"[“‘「『《\"'`]([^”’」』》\"'`\n]{2,160})[”’」』》\"'`]")
_HAN_PAIR: Final = late(
    r"[^\x21-\x7e，。；！？\n]{0,10}[:：=]?[\s\"“‘「`]{0,3}([\w.@+-]{2,40})\s{0,2}[/／|,，、 ]\s{0,2}([\x21-\x7e]{3,64})",
    re.ASCII,
)
_HAN_BACKWARDS: Final = late(
    r"([\x21-\x7e]{4,64})[”」』]?\s{0,2}(?:就?是|当作?|作为|用作|做)[^\x21-\x7e，。；！？\n]{0,10}$"
)
_HAN_NAMED: Final = late(r"[^\x21-\x7e]{0,10}(?:[叫名]|ssid|网络)")
_HAN: Final = late("[\u4e00-\u9fff]")


def chinese(text: str, low: str) -> Iterator[Found]:
    """Secrets after, and before, a keyword in a text that holds Chinese characters."""
    if _HAN.search(text) is None:
        return
    done = 0
    hits = sorted(
        {(at, word) for word in _HAN_STEMS if word in low for at in _hits(low, (word,))},
        key=lambda h: (h[0], -len(h[1])),
    )
    for at, word in hits:
        if at < done:
            continue
        done = at + len(word)
        kind = _HAN_KEYWORDS[word]
        if word == "wifi" and _NAMED_APART.search(low, done, done + 40):
            continue  # what follows is the network's name
        listed = word == "密码" and text[max(0, at - 3) : at].endswith(
            ("账号", "帐号", "用户名", "账户")
        )
        if word in {"登录", "登陆", "账密", "帐密", "wifi"} or listed:
            pair = _HAN_PAIR.match(text, done)
            if (
                pair is not None
                and (strong(pair[2]) or (word == "wifi" and number(pair[2]) and len(pair[2]) >= 8))
                and not reference(pair[2])
                and not placeholder(pair[2])
            ):
                yield Found(
                    PASSWORD, pair.start(2), pair.start(2) + len(pair[2].rstrip(_STRIPPED_RIGHT))
                )
                done = pair.end()
                continue
            if not listed:
                continue
        found = _han_value(text, done, kind, word)
        if found is not None:
            yield found
            done = found.end
            continue
        reverse = _HAN_BACKWARDS.search(text[max(0, at - 90) : at])
        if reverse is not None and kind != TOKEN:
            value = reverse[1].strip(_STRIPPED_LEFT + _STRIPPED_RIGHT)
            if (
                ((strong(value) and any(map(str.isdigit, value))) or number(value))
                and not reference(value)
                and not placeholder(value)
            ):
                begin = text.find(value, max(0, at - 90), at)
                yield Found(kind, begin, begin + len(value))


def _han_value(text: str, at: int, kind: str, word: str) -> Found | None:
    gap = _HAN_GAP.match(text, at)
    if gap is None:
        return None
    between = gap[0]
    # The gap was taken greedily; what it swallowed of Han digits, turns or quotes is looked at first.
    linked = _HAN_LINK.search(between) is not None
    broken = _HAN_BREAK.search(between) is not None
    if kind != TOKEN and not broken:
        turns = _HAN_TURNS.search(text, at, gap.end() + 40)
        if turns is not None and turns.start() - at <= 6:
            return Found(CODE, turns.start(), turns.start() + len(turns[0].rstrip("再，,、 ")))
        spelled = _HAN_DIGITS.search(text, at, gap.end() + 12)
        if spelled is not None and spelled.start() - at <= 8:
            return Found(kind, spelled.start(), spelled.end())
        quoted = _HAN_QUOTED.search(text, at, gap.end() + 164)
        if (
            quoted is not None
            and quoted.start() - at <= 8
            and (linked or (quoted.start() == at and is_phrase(quoted[1], loose=True)))
            and word != "登录"
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
        few = 3 if word == "安全码" else 4
        if (
            kind == TOKEN
            or len(value.strip("#*")) < few
            or len(value) > 16
            or _HAN_UNITS.match(text, end)
        ):
            return None
        return Found(kind, begin, end)
    if reference(value):
        return None
    if kind == TOKEN:
        return Found(TOKEN, begin, end) if opaque(value, 10) else None
    if strong(value):
        # Of the lock's maker: "门锁品牌叫Aqara2".
        if word in {"wifi", "pin", "锁屏", "门锁"} and (not linked or _HAN_NAMED.match(between)):
            return None
        return Found(kind, begin, end)
    direct = linked and re.match(r"[ \t]?[A-Za-z]", text[end : end + 2]) is None
    if (direct or (word == "提取码" and linked)) and is_word(value):
        return Found(kind, begin, end)
    return None


# --- command lines, headers, URLs ---------------------------------------------------------------
