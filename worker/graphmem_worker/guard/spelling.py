"""Normal spelling: of misspelled names of secrets and spaced out characters.

Unusual spellings are replaced first, so that the search for secrets knows only one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from graphmem_worker.language.lists import classed, listed, ordered
from graphmem_worker.language.sayings import folded
from graphmem_worker.text.gates import Gate
from graphmem_worker.text.patterns import late

Edit = tuple[int, int, str]
"""Start and end of a part of a text, and its replacement."""

_LETTER: Final = "[A-Za-z0-9@$]"
_SHAPES: Final = str.maketrans("@$13", "asie")  # p@ssw0rd


@cache
def _shortened() -> Mapping[str, str]:
    """Names of secrets by each of their spellings without one letter."""
    return {short: word for word in ordered("secret_words") for short in _without_one(word)}


def _without_one(word: str) -> list[str]:
    return [word[:at] + word[at + 1 :] for at in range(len(word))]


@lru_cache(4096)
def respelled(word: str) -> str:
    """The usual spelling of a word in lower case, if it is a name of a secret in another spelling
    or with a typing error; otherwise the word."""
    if (usual := classed("secret_spellings").get(word)) is not None:
        return usual
    if word in listed("secret_words") or len(word) < _LEAST:
        return word
    known = _shortened()
    plain = word.translate(_SHAPES)
    if plain in listed("secret_words"):
        return plain
    return next((known[one] for one in (plain, *_without_one(plain)) if one in known), word)


_LEAST: Final = 7  # letters of a word that may have a typing error


@cache
def _halves() -> frozenset[str]:
    """Both halves of each name: a single error leaves one of them intact."""
    halves = {(word[: len(word) // 2], word[len(word) // 2 :]) for word in ordered("secret_words")}
    return frozenset(half for two in halves for half in two if len(half) >= 4)


def _odd() -> str:
    terms = sorted(classed("secret_spellings"), key=len, reverse=True)
    latin = "|".join(
        re.escape(term) + ("(?![A-Za-z0-9])" if term.isascii() and term[-1].isalnum() else "")
        for term in terms
        if term[0].isascii()
    )
    others = "|".join(re.escape(term) for term in terms if not term[0].isascii())
    around = f"{_LETTER}{{0,7}}"
    halves = "|".join(sorted(_halves()))
    return rf"{others}|(?<![A-Za-z0-9@$:.])(?:{latin}|{around}(?:{halves}){around}(?!{_LETTER}))"


_ODD: Final = late(_odd)
"""Words in lower case that may be another spelling of a name."""


@cache
def _gate() -> Gate:
    return Gate((*classed("secret_spellings"), *_halves()))


def has_odd_spelling(low: str) -> bool:
    """Whether a text in lower case may have a name of a secret in another spelling."""
    return _gate().opens(low)


def spellings(text: str) -> Iterator[Edit]:
    """Edits of names of secrets to their usual spelling: "passwrod", "psw", 密吗."""
    low = folded(text)
    for found in _ODD.finditer(low.replace("0", "o")):
        usual = respelled(found[0])
        if usual != low[found.start() : found.end()]:
            yield *found.span(), usual


_ONE: Final = "[0-9A-Za-z!@#$%^&*?~+=]"
_ANY: Final = "[0-9A-Za-z!@#$%^&*?~+=._/-]"
_APART: Final = late(
    rf"(?<![A-Za-z0-9])(?<!\d[.,])(?:"
    rf"{_ONE}(?P<x> ?[-./_·] ?|,){_ONE}(?:(?P=x){_ONE}){{1,48}}"
    rf"|{_ONE}(?P<y> {{1,2}}|\u00a0|, ){_ANY}(?:(?P=y){_ANY}){{0,47}}(?P=y){_ONE}"
    r")(?![A-Za-z0-9])"
)


def joined(text: str) -> Iterator[Edit]:
    """Edits that join spelled out characters: "h u n t e r 2", "4-8-2-9"."""
    for found in _APART.finditer(text):
        yield *found.span(), found[0].replace(found["x"] or found["y"], "")
