"""Which names are those of persons: a title stands beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Final

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.text.words import HAN, STOP_WORDS

_LEAST: Final = 2  # memories that hold a name with its title
_CAPITAL: Final = r"(?:[A-Z]['’])?[A-ZÀ-ÞĀ-ſ][\w-]*[^\W_]"


def titled(texts: Iterable[str]) -> set[str]:
    """The names that have a title in two texts or more: "Mr. Pell", 彭先生."""
    found: Counter[str] = Counter()
    empty = STOP_WORDS | listed("function_words") | listed("titles")
    for text in texts:
        latin = {
            f"{title} {name}"
            for title, name in _titled().findall(text)
            if name.lower() not in empty
        }
        han = {
            name if len(name) > 1 else name + title for name, title in _titled_han().findall(text)
        }
        found.update(latin | (han - empty))
    return {name for name, count in found.items() if count >= _LEAST}


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
