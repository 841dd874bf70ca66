"""Secrets in URLs, headers and the arguments of commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphmem_worker.guard.names import PASSWORD, TOKEN, Found, any_of
from graphmem_worker.guard.values import (
    is_number,
    is_opaque,
    is_placeholder,
    is_reference,
    is_strong,
)
from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.text.gates import holds, places
from graphmem_worker.text.patterns import late

_FLAG: Final = late(
    lambda: (
        rf"(?<=\s)--(?:{any_of('secret_options')})[= ]\s{{0,2}}"
        r"[\"']?([^\s\"']{4,200})"
    )
)
_USER_FLAG: Final = late(
    r"(?:-u|--user|--proxy-user)(?:[= ]\s{0,3}|)[\"']?[^\s:\"']{1,64}:([^\s\"']{3,128})"
)
_HEADER: Final = late(
    lambda: rf"(?i)({any_of('headers')})\s{{1,3}}(?:=\s?)?([\w.=~+/-]{{12,2000}})"
)
_LOGIN: Final = late(
    r"(?:\blogin\b|\s-u[= ]?[^\s|;]{1,64})[^\n|;`]{0,80}?\s-p[= ]\s{0,2}"
    r"[\"']?([^\s\"'`|;-][^\s\"'`|;]{3,128})"
)
"""Without a user, `-p` is mostly a port, a package or a path."""
_HTPASSWD: Final = late(
    r"htpasswd(?:\s-\w{1,8}){0,4}?\s-\w{0,8}b\w{0,8}(?:\s-\w{1,8}){0,4}"
    r"\s(?:[^\s]{0,200}[/.][^\s]{0,200}\s)?[^\s]{1,64}\s[\"']?([^\s\"'`]{3,128})"
)
_REDIS: Final = late(r"redis-cli\b[^\n|;`]{0,80}?\s-a\s[\"']?([^\s\"'`-][^\s\"'`]{2,128})")
_COOKIES: Final = late(r"(?i)\bcookie:\s?([^\n\"'`]{1,4000})")
_COOKIE: Final = late(r"=([^;\s]{16,4000})")
_SSHPASS: Final = late(r"sshpass\s{1,3}-p\s{0,2}[\"']?([^\s\"']{3,128})")
_DATABASE: Final = late(
    lambda: rf"\b(?:{any_of('database_clients')})\b[^\n|;]{{0,80}}?\s-p([^\s-][^\s]{{2,64}})"
)
_ARGUMENTS: Final = (
    ("curl", _USER_FLAG), ("sshpass", _SSHPASS), ("htpasswd", _HTPASSWD),
    ("redis-cli", _REDIS), ("mysql", _DATABASE), ("mariadb", _DATABASE),
)  # fmt: skip
"""Commands, and the patterns of their arguments with a password."""
_CREDENTIALS_IN_URL: Final = late(
    r"([^\s/:@\"'<>`]{0,200})(?::([^\s@\"'<>`]{1,200}))?@(?=[\w\[{$<%-])"
)


def commands(text: str, low: str) -> Iterator[Found]:
    """Secrets in URLs (`scheme://user:secret@host`), headers and the arguments of commands."""
    for at in places(low, "://"):
        found = _CREDENTIALS_IN_URL.match(text, at + 3)
        if found is not None and found[2] is None:  # a token instead of a user
            if is_opaque(found[1], 20) and not is_placeholder(found[1]):
                yield Found(TOKEN, *found.span(1))
        elif found is not None and not _is_example(found[2]):
            yield Found(PASSWORD, *found.span(2))
    if "bearer " in low or "basic " in low or "authorization" in low:
        for word in ("bearer ", "basic ", "token "):
            for at in places(low, word):
                header = _HEADER.match(text, at)
                if header is not None and _is_credential(low, header, at):
                    yield Found(TOKEN, *header.span(2))
    if "--" in low:
        for flag in _FLAG.finditer(text):
            value = flag[1]
            if _may_be_secret(value) and (is_strong(value) or is_number(value)):
                yield Found(PASSWORD, *flag.span(1))
    for cookies in _COOKIES.finditer(text) if "cookie:" in low else ():
        for cookie in _COOKIE.finditer(text, *cookies.span(1)):
            if is_opaque(cookie[1]) and not is_placeholder(cookie[1]):
                yield Found(TOKEN, *cookie.span(1))
    for login in _LOGIN.finditer(text) if " -p" in low else ():
        before = low[max(0, login.start() - 40) : login.start(1)]
        if (
            is_strong(login[1])
            and _may_be_secret(login[1])
            and not holds(before, ordered("database_clients"))  # their bare -p asks for it
        ):
            yield Found(PASSWORD, *login.span(1))
    for command, pattern in _ARGUMENTS:
        for match in pattern.finditer(text) if command in low else ():
            if not _is_example(match[1]):
                yield Found(PASSWORD, *match.span(1))


def _is_example(value: str) -> bool:
    return value.lower() in listed("url_placeholders") or is_placeholder(value)


def _may_be_secret(value: str) -> bool:
    return not (is_placeholder(value) or is_reference(value))


def _is_credential(low: str, header: re.Match[str], begin: int) -> bool:
    value = header[2]
    if is_placeholder(value):
        return False
    if header[1].lower() == "basic":
        return "authorization" in low[max(0, begin - 24) : begin]
    return is_opaque(value, 16)
