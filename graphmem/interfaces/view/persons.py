"""Which names are those of persons: a title stands beside them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Final

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.text.words import HAN, STOP_WORDS

_LEAST: Final = 2  # memories that hold a name with its title
_CAPITAL: Final = r"(?:[A-Z]['’])?[A-ZÀ-ÞĀ-ſ][\w-]*[^\W_]"


def titled(texts: Iterable[str]) -> dict[str, str | None]:
    """The names that have a title in two texts or more ("Mr. Pell", 彭先生) → the name alone, where
    only one is called so."""
    found: Counter[tuple[str, str]] = Counter()
    for text in texts:
        found.update({(f"{title} {name}", name) for title, name in _titled().findall(text)})
        found.update(
            {(name if len(name) > 1 else name + title, "")
             for name, title in _titled_han().findall(text)}
        )  # fmt: skip
    empty = STOP_WORDS | listed("function_words") | listed("titles")
    held = [
        (whole, name)
        for (whole, name), count in found.items()
        if count >= _LEAST and empty.isdisjoint((whole.lower(), name.lower()))
    ]
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for whole, name in held:
        owners[name].add(whole)
    return {whole: name if name and len(owners[name]) == 1 else None for whole, name in held}


@cache
def _titled() -> re.Pattern[str]:
    titles = "|".join(title.capitalize() for title in ordered("titles"))
    return re.compile(rf"\b((?:{titles})\.?) ({_CAPITAL})")


@cache
def _titled_han() -> re.Pattern[str]:
    names = ("titles_behind", "titles_of_people", "titles_of_masters", "titles_of_office")
    titles = sorted({title for name in names for title in ordered(name)}, key=len, reverse=True)
    long = [title for title in titles if len(title) > 1]
    return re.compile(rf"((?:{_surname()})[{HAN}]?)({'|'.join(long)})")


@cache
def _surname() -> str:
    return "|".join(
        map(re.escape, sorted(ordered("surnames"), key=lambda name: (-len(name), name)))
    )
