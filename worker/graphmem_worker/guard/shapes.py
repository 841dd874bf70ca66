"""Credentials that their format tells: private keys, JSON web tokens, and what vendors issue, by
the prefixes, alphabets and lengths of `secrets.toml`.

Some are recognised by how they begin, some by a mark in their midst; others look like any random
text, so the name of the vendor must stand before them.
"""

from __future__ import annotations

import binascii
import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from graphmem_worker.guard.names import TOKEN
from graphmem_worker.guard.prose import Found
from graphmem_worker.guard.values import placeholder
from graphmem_worker.language.lists import ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import SHARED, tables
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late

_LONG: Final = late(r"(?<![\w.:/+=~|%-])[\w.:/+=~|%-]{14}", re.ASCII)
_PRIVATE: Final = late(
    r"(?P<key>-----BEGIN [A-Z0-9 _-]{0,60}PRIVATE KEY(?: BLOCK)?-----(?=\s|\\[nr]|[A-Za-z0-9+/])"
    r"(?P<body>[\s\S]{0,20000}?-----END [A-Z0-9 _-]{0,80}-----"
    r"|(?:[A-Za-z0-9+/=:,\s.()@<>-]|\\[nr]){16,20000}))"
)
"""PEM, OpenSSH and PGP: to the closing line, or as far as the key's alphabet goes."""
_PUTTY: Final = late(r"Private-Lines: ?\d{1,4}\s{1,4}(?P<key>(?P<body>[A-Za-z0-9+/=\s]{16,20000}))")
_JWT: Final = late(
    r"(?<![A-Za-z0-9_])(eyJ[\w-]{10,2000})\.[\w-]{2,6000}(?:\.[\w-]{0,2000}){0,3}", re.ASCII
)
_CLASS: Final = re.compile(r"<(\w+)>")
_NAME: Final = re.compile(r"[a-z][a-z_-]+")
_SHORT: Final = re.compile(r"(?<![A-Za-z\[])(?:([HA])(\d+)|U)(?![A-Za-z])")
_SPELLED: Final = {"H": "<HEX>", "A": "<an>"}
_LEAST: Final = 24  # letters and figures of a private key: without them it is talk about one


def credentials(text: str, low: str) -> Iterator[Found]:
    """The credentials in a text; `low` is the text in lower case."""
    for mark, pattern in (("PRIVATE KEY", _PRIVATE), ("Private-Lines", _PUTTY)):
        for key in pattern.finditer(text) if mark in text else ():
            if sum(map(str.isalnum, key["body"][:400])) >= _LEAST:
                yield Found("key", *key.span("key"))
    if not _LONG.search(text):
        return
    for anchor, pattern in _issued():
        for found in pattern.finditer(text) if anchor in text else ():
            if _is_random(found["body"]):
                yield Found(TOKEN, *found.span("all"))
    for name in _vendors():
        for found in _assigned(name).finditer(text) if name in low else ():
            said = low[found.start() : found.start(1)]
            if _is_random(found[1]) and not holds(said, ordered("hash_words")):
                yield Found(TOKEN, *found.span(1))
    for found in _JWT.finditer(text) if "eyJ" in text else ():
        if _is_jose(found[1]):
            yield Found(TOKEN, *found.span())


def _is_random(value: str) -> bool:
    """Whether the body of a credential is not a row of one character nor a placeholder."""
    several = len(set(value))
    is_mixed = several >= 10 and not value.islower() and not value.isupper()
    return (is_mixed or (several >= 5 and any(map(str.isdigit, value)))) and not placeholder(value)


def _is_jose(head: str) -> bool:
    """Whether `head` is the header of a JSON web token: it names an algorithm or a type."""
    try:
        header = json.loads(urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (binascii.Error, ValueError):
        return False
    return bool(header.keys() & {"alg", "enc", "typ", "kid"})  # it begins with "{"


# --- the table ------------------------------------------------------------------------------------


@cache
def _issued() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """By a literal that each such credential has, the expression for those that begin with it or
    have it in their midst; its group `body` is what must be random."""
    found = [
        (anchor, rf"{lit}(?<![A-Za-z0-9_]{lit})(?P<body>{_spelled(pattern)})(?![A-Za-z0-9])")
        for *anchors, pattern in _rows("prefixed")
        for anchor, lit in ((anchor, re.escape(anchor)) for anchor in anchors)
    ]
    found += [
        (anchor, rf"(?<![A-Za-z0-9_])(?P<body>{_spelled(pattern)})(?![A-Za-z0-9_])")
        if back
        else (anchor, rf"(?P<body>{_spelled(pattern)})(?![A-Za-z0-9_])")
        for anchor, pattern, *back in _rows("embedded")
    ]
    return tuple((anchor, late(f"(?P<all>{pattern})", re.ASCII)) for anchor, pattern in found)


@cache
def _vendors() -> Mapping[str, str]:
    """A vendor's name in lower case → pattern of its credentials, which look like any text."""
    found = {}
    for row in _table()["named"]["rows"].strip().splitlines():
        words = row.split()
        names = [word for word in words if _NAME.fullmatch(word)]
        patterns = [_SHORT.sub(_written, word) for word in words if not _NAME.fullmatch(word)]
        found.update(dict.fromkeys(names, _spelled("|".join(patterns))))
    return found


@cache
def _assigned(name: str) -> re.Pattern[str]:
    """A vendor's name, at the beginning of a word, and an assignment of one of its credentials, in
    group 1: "lob" is no vendor in "blob"."""
    link = either(filter(str.isalpha, ordered("secret_links")))
    return re.compile(
        rf"(?:(?<![A-Za-z])(?i:{re.escape(name)})|{re.escape(name.capitalize())})"
        r"[ \t\w.-]{0,24}[\s'\"\]]{0,3}"
        rf"(?::{{0,3}}=>?|=>|:|>|\|\||\?=|,|：|(?<![a-z])(?:{link}))[`'\"\s=]{{0,5}}"
        rf"({_vendors()[name]})(?![\w=+/-])",
        re.ASCII,
    )


def _written(short: re.Match[str]) -> str:
    return "<uuid>" if short[1] is None else f"{_SPELLED[short[1]]}{{{short[2]}}}"


def _rows(name: str) -> Iterator[list[str]]:
    return (row.split(" ") for rows in _table()[name].values() for row in rows)


def _spelled(pattern: str) -> str:
    """A pattern with its classes of characters spelled out."""
    classes = _table()["classes"]
    while _CLASS.search(pattern):
        pattern = _CLASS.sub(lambda name: classes[name[1]], pattern)
    return pattern


def _table() -> Mapping[str, Any]:
    return _tables()[SHARED]


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    return tables("secrets")
