"""Formats of the credentials that vendors issue: prefix, alphabet and length, from `secrets.toml`.

Some are recognised by a prefix, some by a literal in the middle; others look like any random text,
so the name of the vendor must stand before them.
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

    `anchor` is a literal that every such credential contains; `pattern` matches the credential,
    which begins at most `back` characters before the anchor (0: with the anchor).
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
    """Credentials that begin with a unique literal."""
    return tuple(
        Shape(anchor, re.escape(anchor) + _spelled(pattern))
        for *anchors, pattern in _rows("prefixed")
        for anchor in anchors
    )


@cache
def embedded() -> tuple[Shape, ...]:
    """Credentials with a literal in the middle or directly before them."""
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
        patterns = [_SHORT.sub(_expanded, word) for word in words if not _NAME.fullmatch(word)]
        found.update(dict.fromkeys(names, _spelled("|".join(patterns))))
    return found


_LONG: Final = 4096  # characters of a text that is not searched for each anchor


def sieve(text: str) -> Callable[[str], bool]:
    """A function that tests whether a text contains a string. A long text is only searched for a
    string if it has all of its pairs of neighbouring bytes, which few of 200 anchors pass."""
    if len(text) < _LONG:
        return text.__contains__
    encoded = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    table = np.zeros(1 << 16, np.uint8)
    table[(encoded[:-1].astype(np.uint16) << 8) | encoded[1:]] = 1
    seen = table.tobytes()
    return lambda term: all(seen[pair] for pair in _pairs(term)) and term in text


@cache
def _pairs(term: str) -> tuple[int, ...]:
    encoded = term.encode()
    return tuple(first << 8 | second for first, second in pairwise(encoded))


_MNEMONIC: Final = 12  # words of a mnemonic, at least
_WORD: Final = re.compile(r"[A-Za-z]+")


def mnemonics(text: str, low: str) -> Iterator[tuple[int, int]]:
    """The spans of mnemonics that restore a wallet: twelve or more words of BIP-39's list with at
    most one repetition, separated by spaces. Other separators of lists count only if the text has a
    label for mnemonics, because lists of food or animals have many of these words.

    low: the text in lower case."""
    is_labelled, joins = holds(low, ordered("mnemonic_labels")), ordered("mnemonic_joins")
    for found in _rows_of_words(is_labelled).finditer(text):
        words = [w for w in _WORD.finditer(text, *found.span()) if w[0].lower() not in joins]
        for is_listed, group in groupby(words, lambda word: word[0].lower() in _mnemonic()):
            row = list(group)
            if is_listed and len({word[0].lower() for word in row}) >= _MNEMONIC - 1:
                yield row[0].start(), row[-1].end()


@cache
def _rows_of_words(is_labelled: bool) -> re.Pattern[str]:
    between = r"[ \t\xa0]{1,9}+"
    if is_labelled:
        joins = "|".join(ordered("mnemonic_joins"))
        between = rf"[^a-zA-Z]{{1,12}}+(?:(?:{joins})\s{{1,4}}+)?"
    return re.compile(
        rf"(?<![A-Za-z])(?:[A-Za-z]{{3,8}}+{between}){{11,200}}[A-Za-z]{{3,8}}(?![A-Za-z])"
    )


@cache
def _mnemonic() -> frozenset[str]:
    return frozenset(_table()["mnemonic"]["words"].split())


def _expanded(short: re.Match[str]) -> str:
    return "<uuid>" if short[1] is None else f"{_SPELLED[short[1]]}{{{short[2]}}}"


def _rows(name: str) -> Iterator[list[str]]:
    return (row.split(" ") for rows in _table()[name].values() for row in rows)


def _spelled(pattern: str) -> str:
    """A pattern with the names of character classes replaced by the classes."""
    classes = _table()["classes"]
    while _CLASS.search(pattern):
        pattern = _CLASS.sub(lambda name: classes[name[1]], pattern)
    return pattern


def _table() -> Mapping[str, Any]:
    return tables("secrets")[SHARED]


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The compiled pattern of a shape."""
    return re.compile(pattern, re.ASCII)


@cache
def assigned(name: str) -> re.Pattern[str]:
    """A pattern for the text behind a vendor's name: group 1 is a credential assigned to it."""
    link = either(filter(str.isalpha, ordered("secret_links")))
    return re.compile(
        r"[ \t\w.-]{0,24}[\s'\"\]]{0,3}"
        rf"(?::{{0,3}}=>?|=>|:|>|\|\||\?=|,|：|(?<![a-z])(?:{link}))[`'\"\s=]{{0,5}}"
        rf"({vendors()[name]})(?![\w=+/-])",
        re.ASCII,
    )
