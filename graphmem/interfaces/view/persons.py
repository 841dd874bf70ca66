"""Which names are those of persons: what stands beside them says so, a title, a relation of a
family, a surname."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from itertools import islice
from typing import Final

from graphmem_worker.language.lists import ordered
from graphmem_worker.language.tables import tables
from graphmem_worker.text.words import HAN, STOP_WORDS

_LEAST: Final = 2  # memories that hold a name
_ANIMALS: Final = frozenset({"dog", "cat"})  # of the relations
_CAPITAL: Final = r"[A-ZÀ-ÞĀ-ſ][\w'’-]*[^\W_]"


def persons(texts: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """The persons whom at least two of some texts name, and what else each is called there: "Mr.
    Pell" and "Pell", 刘敏, 彭先生."""
    held = list(texts)
    ways: defaultdict[str, set[str]] = defaultdict(set)
    full: set[str] = set()
    related: set[str] = set()
    for text in held:
        for title, name in _titled().findall(text):
            ways[f"{title} {name}"].add(name)
        related.update(_related().findall(text))
        for first, last in _FULL.findall(text):
            full.add(first)
            ways[first].add(f"{first} {last}")
        for name, title in _titled_han().findall(text):
            ways.setdefault(name if len(name) > 1 else name + title, set())
        for name in _related_han().findall(text):
            ways.setdefault(name, set())
    for name in related:
        ways.setdefault(name, set())
    # A first name that also stands alone is one: "Harrow Mill" is never "Harrow".
    unsure = full - related
    certain = ways.keys() - unsure | _alone(unsure, held)
    empty = STOP_WORDS | {*ordered("titles")}
    return {
        name: frozenset(ways[name])
        for name in ways
        if name in certain
        and name.lower() not in empty
        and _are_several(text for text in held if any(way in text for way in (name, *ways[name])))
    }


_FULL: Final = re.compile(rf"\b([A-Z][a-zà-ÿ]+) ({_CAPITAL})")


def _alone(names: Collection[str], texts: Iterable[str]) -> set[str]:
    """Which of some names stand in several texts without another one before or behind them, and
    not after an article, as that of a thing does."""
    if not names:
        return set()
    pattern = re.compile(
        rf"(?<![A-Z]\w )(?<!\b[Tt]he )(?<![-\w])({'|'.join(sorted(names))})"
        rf"(?:['’]s)?(?! [A-ZÀ-Þ])(?![-\w])"
    )
    found = Counter(name for text in texts for name in {*pattern.findall(text)})
    return {name for name, count in found.items() if count >= _LEAST}


def _are_several(texts: Iterable[str]) -> bool:
    return len([*islice(texts, _LEAST)]) == _LEAST


@cache
def _titled() -> re.Pattern[str]:
    titles = "|".join(title.capitalize() for title in ordered("titles"))
    return re.compile(rf"\b((?:{titles})\.?) ({_CAPITAL})")


def _relations(is_han: bool) -> str:
    held = {
        word
        for table in tables("statements").values()
        for relation, words in table.get("kin", {}).items()
        if relation not in _ANIMALS
        for word in words.split()
        if (re.search(f"[{HAN}]", word) is not None) == is_han
    }
    return "|".join(map(re.escape, sorted(held, key=lambda word: (-len(word), word))))


@cache
def _related() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_relations(False)}),? ({_CAPITAL})")


@cache
def _titled_han() -> re.Pattern[str]:
    names = ("titles_behind", "titles_of_people", "titles_of_masters", "titles_of_office")
    titles = sorted({title for name in names for title in ordered(name)}, key=len, reverse=True)
    long = [title for title in titles if len(title) > 1]
    return re.compile(rf"((?:{_surname()})[{HAN}]?)({'|'.join(long)})")


@cache
def _related_han() -> re.Pattern[str]:
    first = rf"(?:{_surname()}|[小阿])"
    before = f"{_relations(True)}|{'|'.join(ordered('titles_of_masters'))}"
    return re.compile(rf"(?:{before})({first}[{HAN}])")


@cache
def _surname() -> str:
    return "|".join(
        map(re.escape, sorted(ordered("surnames"), key=lambda name: (-len(name), name)))
    )
