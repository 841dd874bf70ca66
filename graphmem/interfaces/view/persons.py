"""Which names are those of persons: a title, a profession or a relation stands beside them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.tables import tables
from graphmem_worker.text.words import HAN, STOP_WORDS

_LEAST: Final = 2  # memories that hold a name with its title
_ANIMALS: Final = frozenset({"dog", "cat"})  # of the relations
_CAPITAL: Final = r"(?:[A-Z]['’])?[A-ZÀ-ÞĀ-ſ][\w-]*[^\W_]"


class Persons(NamedTuple):
    """Names of persons in texts."""

    titled: dict[str, str | None]
    """Those with a title in two texts or more ("Mr. Pell", 彭先生) → the name alone, where only one
    is called so."""
    related: frozenset[str]
    """Names behind a relation or a profession: "my daughter Lotte", "the plumber, Anneke Vos". In
    Chinese what stands there may be no name, so one is only that of a person if something else
    says that it is a name."""


def persons(texts: Iterable[str]) -> Persons:
    titled: Counter[tuple[str, str]] = Counter()
    related: set[str] = set()
    days = {(day, "") for day in listed("date_words")}
    for text in texts:
        titled.update({(f"{title} {name}", name) for title, name in _titled().findall(text)})
        titled.update(
            {(name if len(name) > 1 else name + title, "")
             for name, title in _titled_han().findall(text)}
        )  # fmt: skip
        titled.update({(name, "") for name in _mastered().findall(text)} - days)
        related.update(_related().findall(text), _related_han().findall(text))
    empty = STOP_WORDS | listed("function_words") | listed("titles")
    held = [
        (whole, name)
        for (whole, name), count in titled.items()
        if count >= _LEAST and empty.isdisjoint((whole.lower(), name.lower()))
    ]
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for whole, name in held:
        owners[name].add(whole)
    return Persons(
        {whole: name if name and len(owners[name]) == 1 else None for whole, name in held},
        frozenset(name for name in related if name.lower() not in empty | listed("no_names")),
    )


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
    professions = "|".join(ordered("professions"))
    return re.compile(
        rf"\b(?:(?:{_relations(False)}) |(?:{professions}),? (?![A-Z]{{2}}))({_CAPITAL})"
    )


@cache
def _titled_han() -> re.Pattern[str]:
    names = ("titles_behind", "titles_of_people", "titles_of_masters", "titles_of_office")
    titles = sorted({title for name in names for title in ordered(name)}, key=len, reverse=True)
    long = [title for title in titles if len(title) > 1]
    return re.compile(rf"((?:{_surname()})[{HAN}]?)({'|'.join(long)})")


@cache
def _mastered() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(ordered('titles_of_masters'))})((?:{_surname()})[{HAN}])")


@cache
def _related_han() -> re.Pattern[str]:
    first = f"(?:{_surname()}|{'|'.join(ordered('before_names'))})"
    return re.compile(rf"(?:{_relations(True)})({first}[{HAN}])")


@cache
def _surname() -> str:
    return "|".join(
        map(re.escape, sorted(ordered("surnames"), key=lambda name: (-len(name), name)))
    )
