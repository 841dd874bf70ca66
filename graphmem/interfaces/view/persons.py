"""Names of persons, recognised by a title beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import HAN, STOP_WORDS

_LEAST: Final = 2  # memories that hold a name with its title
_CAPITAL: Final = r"(?:[A-Z]['’])?[A-ZÀ-ÞĀ-ſ][\w-]*[^\W_]"
_BEHIND: Final = ("titles_behind", "titles_of_people", "titles_of_masters", "titles_of_office")
_TITLED: Final = late(
    lambda: rf"\b((?:{either(map(str.capitalize, ordered('titles')))})\.?) ({_CAPITAL})"
)
_TITLED_HAN: Final = late(
    lambda: (
        rf"((?:{either(ordered('surnames'))})[{HAN}]?)"
        rf"({either(title for name in _BEHIND for title in ordered(name) if len(title) > 1)})"
    )
)


def titled(texts: Iterable[str]) -> set[str]:
    """The names that have a title in two texts or more: "Mr. Pell", 彭先生."""
    found: Counter[str] = Counter()
    empty = STOP_WORDS | listed("function_words") | listed("titles")
    for text in texts:
        latin = {
            f"{title} {name}" for title, name in _TITLED.findall(text) if name.lower() not in empty
        }
        han = {name if len(name) > 1 else name + title for name, title in _TITLED_HAN.findall(text)}
        found.update(latin | (han - empty))
    return {name for name, count in found.items() if count >= _LEAST}
