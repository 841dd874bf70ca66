"""Formats of the credentials that vendors issue: prefix, alphabet and length, by `secrets.toml`.

Some are recognised by how they begin, some by a mark in their midst; others look like any random
text, so the name of the vendor must stand before them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from typing import Any, Final

import numpy as np

from graphmem_worker.language.lists import ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import SHARED, tables
from graphmem_worker.text.gates import holds


@dataclass(frozen=True, slots=True)
class Shape:
    """A credential's format.

    `anchor` is a literal that every such credential contains; `pattern` describes the credential
    from `back` characters before the anchor at most (0: it begins with the anchor).
    """

    anchor: str
    pattern: str
    back: int = 0


_CLASS: Final = re.compile(r"<(\w+)>")
_NAME: Final = re.compile(r"[a-z][a-z_-]+")
_SHORT: Final = re.compile(r"(?<![A-Za-z\[])(?:([HA])(\d+)|U)(?![A-Za-z])")
_SPELLED: Final = {"H": "<HEX>", "A": "<an>"}


@cache
def prefixed() -> tuple[Shape, ...]:
    """Credentials that begin with a literal of their own."""
    return tuple(
        Shape(anchor, re.escape(anchor) + _spelled(pattern))
        for *anchors, pattern in _rows("prefixed")
        for anchor in anchors
    )


@cache
def embedded() -> tuple[Shape, ...]:
    """Credentials with a mark in their midst, or directly after one."""
    return tuple(
        Shape(anchor, _spelled(pattern), int(*back)) for anchor, pattern, *back in _rows("embedded")
    )


@cache
def vendors() -> Mapping[str, str]:
    """A vendor's name in lower case → pattern of its credentials, which look like any text."""
    found = {}
    for row in _table()["named"]["rows"].strip().splitlines():
        words = row.split()
        names = [word for word in words if _NAME.fullmatch(word)]
        patterns = [_SHORT.sub(_written, word) for word in words if not _NAME.fullmatch(word)]
        found.update(dict.fromkeys(names, _spelled("|".join(patterns))))
    return found


_LONG: Final = 4096  # characters of a text that is not searched for each anchor


def sieve(text: str) -> Callable[[str], bool]:
    """Tells of a string whether a text holds it. A long text is looked through only for strings of
    which each two neighbouring bytes stand side by side in it: it holds few of two hundred."""
    if len(text) < _LONG:
        return text.__contains__
    written = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    table = np.zeros(1 << 16, np.uint8)
    table[(written[:-1].astype(np.uint16) << 8) | written[1:]] = 1
    seen = table.tobytes()
    return lambda term: all(seen[pair] for pair in _pairs(term)) and term in text


@cache
def _pairs(term: str) -> tuple[int, ...]:
    written = term.encode()
    return tuple(first << 8 | second for first, second in pairwise(written))


_MNEMONIC: Final = 12  # words of a mnemonic, at least
_WORD: Final = re.compile(r"[A-Za-z]+")


def mnemonics(text: str, low: str) -> Iterator[tuple[int, int]]:
    """Where the words stand that restore a wallet: twelve or more of BIP-39's list, hardly one of
    them twice, with spaces between them, or with what stands between the parts of a list where the
    text says what they are: of a list of food or animals many are such words too.

    low: the text in lower case."""
    is_said, joins = holds(low, ordered("mnemonic_labels")), ordered("mnemonic_joins")
    for found in _rows_of_words(is_said).finditer(text):
        words = [w for w in _WORD.finditer(text, *found.span()) if w[0].lower() not in joins]
        for is_listed, group in groupby(words, lambda word: word[0].lower() in _mnemonic()):
            row = list(group)
            if is_listed and len({word[0].lower() for word in row}) >= _MNEMONIC - 1:
                yield row[0].start(), row[-1].end()


@cache
def _rows_of_words(is_said: bool) -> re.Pattern[str]:
    between = r"[ \t\xa0]{1,9}+"
    if is_said:
        joins = "|".join(ordered("mnemonic_joins"))
        between = rf"[^a-zA-Z]{{1,12}}+(?:(?:{joins})\s{{1,4}}+)?"
    return re.compile(
        rf"(?<![A-Za-z])(?:[A-Za-z]{{3,8}}+{between}){{11,200}}[A-Za-z]{{3,8}}(?![A-Za-z])"
    )


@cache
def _mnemonic() -> frozenset[str]:
    return frozenset(_table()["mnemonic"]["words"].split())


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
    return tables("secrets")[SHARED]


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern of a shape, compiled when it is first needed."""
    return re.compile(pattern, re.ASCII)


@cache
def assigned(name: str) -> re.Pattern[str]:
    """What stands after a vendor's name: an assignment of one of its credentials, in group 1."""
    link = either(filter(str.isalpha, ordered("secret_links")))
    return re.compile(
        r"[ \t\w.-]{0,24}[\s'\"\]]{0,3}"
        rf"(?::{{0,3}}=>?|=>|:|>|\|\||\?=|,|：|(?<![a-z])(?:{link}))[`'\"\s=]{{0,5}}"
        rf"({vendors()[name]})(?![\w=+/-])",
        re.ASCII,
    )
