"""Frames: what a sentence states of a thing ("payments go through …", "… handles payments").

A pattern names a thing and a value in one of several orders, so that two sentences which state the
same of one thing in other words give the same frame. Every pattern has bounded repeats.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from graphmem_worker.language.expressions import Expression, captured, expression
from graphmem_worker.language.lists import classed, listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import languages, simplified
from graphmem_worker.text.patterns import late


class Frame(NamedTuple):
    """A thing, what is stated of it ("use", "place", "open", "edition" …), and the value."""

    relation: str
    thing: str
    value: str


_LATIN: Final = late("[A-Za-z]")
_NO_PLACE: Final = late(
    lambda: (
        rf"\b(?:{either(ordered('no_place'))}|\w+(?:{either(ordered('day_ends'))})"
        rf"|v?\d[\d.:]*)\b"
    ),
    re.I,
)


def _expression(meaning: str) -> Expression:
    return expression("frames", meaning)


@cache
def _numbers() -> dict[str, str]:
    """Number word → the number in figures."""
    return {
        word: str(value)
        for tongue in languages()
        for words in (tongue.numerals.cardinals, tongue.numerals.ordinals)
        for word, value in words.items()
    }


def frames(sentence: str) -> tuple[Frame, ...]:
    """The frames of `sentence`, grouped by relation."""
    found: list[Frame] = []
    sentence = simplified(sentence)
    if _LATIN.search(sentence):
        used = _expression("use").match(sentence)
        owned = _expression("owner").finditer(sentence, sentence)
        named = [("use", used)] if used is not None else []
        for relation, match in (*named, *(("owner", match) for match in owned)):
            thing, value = captured(match, "thing", "value")
            name = _expression("tail").cut(_expression("articles").cut(thing).lower())
            # A lone capitalised word is a person, unless it is a plural: "Payments".
            lone = sentence.startswith(thing) and not name.endswith("s") and "ing" not in name
            if name not in listed("no_things") and not (relation == "use" and lone):
                found.append(Frame(relation, name, value.lower().rstrip(".")))
        placed = _expression("place").match(sentence)
        if placed is not None:
            thing, value = captured(placed, "thing", "value")
            if not _NO_PLACE.search(value):
                found.append(Frame("place", thing.lower(), value.lower()))
    for match in _expression("open").finditer(sentence, sentence):
        thing, state = (word.lower() for word in captured(match, "thing", "state"))
        found.append(Frame("open", thing, classed("same_states").get(state, state)))
    if (until := _expression("month").search(sentence)) is not None:
        month, year = captured(until, "month", "year")
        found.append(Frame("month", "", f"{year}-{month[:3].lower()}"))
    editions = [
        next(g for g in match.groups() if g).lower()
        for match in _expression("edition").finditer(sentence, sentence.casefold())
    ]
    numbers = _numbers()
    known = [numbers.get(each, each) for each in editions if each in numbers or each[0].isdigit()]
    replaces = len(known) == 2 and _expression("replaces").search(sentence)
    if replaces or len(set(known)) == 1:
        found.append(Frame("edition", "", known[0]))
    if sentence.isascii():
        return tuple(found)
    if (han := _expression("han").match(sentence)) is not None:
        thing, value = captured(han, "thing", "value")
        found.append(Frame("han", thing, value.strip().lower()))
    for match in _expression("duty").finditer(sentence, sentence):
        when, who, duty = captured(match, "when", "who", "duty")
        found.append(Frame("duty", when + duty, who))
    sums = [found[1] for found in _expression("sum").finditer(sentence, sentence)]
    if len(sums) == 1:
        found.append(Frame("sum", "", sums[0]))
    return tuple(found)


def has_other_site(older: str, newer: str) -> bool:
    """Whether the sentences name different places of one kind, such as two offices."""
    a, b = _sites(older), _sites(newer)
    return any(a[kind].isdisjoint(b[kind]) for kind in a.keys() & b.keys())


def _sites(sentence: str) -> dict[str, set[str]]:
    sites: dict[str, set[str]] = {}
    for match in _expression("site").finditer(sentence, sentence):
        name, kind = captured(match, "name", "kind")
        sites.setdefault(kind, set()).add(name)
    return sites
