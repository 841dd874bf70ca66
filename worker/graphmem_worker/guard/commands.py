"""Secrets in URLs, headers and the arguments of commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphmem_worker.guard.names import PASSWORD, TOKEN, Found
from graphmem_worker.guard.values import number, opaque, placeholder, reference, strong
from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.text.patterns import late

_FLAG: Final = late(
    lambda: (
        rf"(?<=\s)(?:--(?:{either(ordered('secret_options'))})[= ]\s{{0,2}}"
        rf"|-p(?=[^\s-])(?<=mysql.{{40}}-p)|-p )[\"']?([^\s\"']{{4,200}})"
    )
)
_USER_FLAG: Final = late(
    r"(?:-u|--user|--proxy-user)(?:[= ]\s{0,3}|)[\"']?([^\s:\"']{1,64}):([^\s\"']{3,128})"
)
_HEADER: Final = late(
    lambda: rf"(?i)({either(ordered('headers'))})\s{{1,3}}(?:=\s?)?([\w.=~+/-]{{12,2000}})"
)
_SSHPASS: Final = late(r"sshpass\s{1,3}-p\s{0,2}[\"']?([^\s\"']{3,128})")
_DATABASE: Final = late(
    lambda: (
        rf"\b(?:{either(ordered('database_clients'))})\b[^\n|;]{{0,80}}?\s-p([^\s-][^\s]{{2,64}})"
    )
)
_CREDENTIALS_IN_URL: Final = late(r"([^\s/:@\"'<>`]{0,80}):([^\s@\"'<>`]{1,200})@(?=[\w\[{$<%-])")


def commands(text: str, low: str) -> Iterator[Found]:
    """Secrets in URLs (`scheme://user:secret@host`), headers and the arguments of commands."""
    at = low.find("://")
    while at >= 0:
        found = _CREDENTIALS_IN_URL.match(text, at + 3)
        if (
            found is not None
            and found[2].lower() not in listed("url_placeholders")
            and not placeholder(found[2])
        ):
            yield Found(PASSWORD, found.start(2), found.end(2))
        at = low.find("://", at + 3)
    if "bearer " in low or "basic " in low or "authorization" in low:
        for word in ("bearer ", "basic ", "token "):
            at = low.find(word)
            while at >= 0:
                header = _HEADER.match(text, at)
                if header is not None and _header_value(low, header, at):
                    yield Found(TOKEN, header.start(2), header.end(2))
                at = low.find(word, at + 6)
    if "--" in low:
        for flag in _FLAG.finditer(text):
            value = flag[1]
            if not placeholder(value) and not reference(value) and (strong(value) or number(value)):
                yield Found(PASSWORD, flag.start(1), flag.end(1))
    for trigger, pattern, group in (
        ("curl", _USER_FLAG, 2),
        ("sshpass", _SSHPASS, 1),
        ("mysql", _DATABASE, 1),
        ("mariadb", _DATABASE, 1),
    ):
        if trigger in low:
            for match in pattern.finditer(text):
                value = match[group]
                if not placeholder(value) and value.lower() not in listed("url_placeholders"):
                    yield Found(PASSWORD, match.start(group), match.end(group))


def _header_value(low: str, header: re.Match[str], at: int) -> bool:
    value = header[2]
    if placeholder(value):
        return False
    if header[1].lower() == "basic":
        return "authorization" in low[max(0, at - 24) : at]
    return opaque(value, 16)
