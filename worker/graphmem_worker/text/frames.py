"""What a sentence says of a thing whatever it is: "payments go through …", "… handles payments".

A frame names a thing and a value in one of several orders, so that two sentences which say the same
of one thing in other words give the same slot. Every pattern has bounded repeats.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from graphmem_worker.language.expressions import Expression, captured, expression
from graphmem_worker.language.lists import classed, listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import languages
from graphmem_worker.text.patterns import late


class Frame(NamedTuple):
    """A thing, what is said of it ("use", "place", "open", "edition"), and the value."""

    relation: str
    thing: str
    value: str


_LATIN: Final = late("[A-z]")
_NO_PLACE: Final = late(
    lambda: (
        rf"\b(?:{either(ordered('no_place'))}|\w+(?:{either(ordered('day_ends'))})"
        rf"|v?\d[\d.:]*)\b"
    ),
    re.I,
)


def _of(means: str) -> Expression:
    """An expression of the tables `frames`."""
    return expression("frames", means)


@cache
def _numbers() -> dict[str, str]:
    """What the words of numbers mean, as figures."""
    return {
        word: str(value)
        for tongue in languages()
        for words in (tongue.numerals.cardinals, tongue.numerals.ordinals)
        for word, value in words.items()
    }


def frames(sentence: str) -> tuple[Frame, ...]:
    """What `sentence` says of things, in the order of the relations above."""
    found: list[Frame] = []
    if _LATIN.search(sentence):
        used = _of("use").match(sentence)
        owned = _of("owner").finditer(sentence, sentence)
        named = [("use", used)] if used is not None else []
        for relation, match in (*named, *(("owner", match) for match in owned)):
            thing, value = captured(match, "thing", "value")
            name = _of("tail").cut(_of("articles").cut(thing).lower())
            # A lone capitalised word is a person, unless it is a plural: "Payments".
            lone = sentence.startswith(thing) and not name.endswith("s") and "ing" not in name
            if name not in listed("no_things") and not (relation == "use" and lone):
                found.append(Frame(relation, name, value.lower().rstrip(".")))
        placed = _of("place").match(sentence)
        if placed is not None:
            thing, value = captured(placed, "thing", "value")
            if not _NO_PLACE.search(value):
                found.append(Frame("place", thing.lower(), value.lower()))
    for match in _of("open").finditer(sentence, sentence):
        thing, state = (word.lower() for word in captured(match, "thing", "state"))
        found.append(Frame("open", thing, classed("same_states").get(state, state)))
    if (until := _of("month").search(sentence)) is not None:
        month, year = captured(until, "month", "year")
        found.append(Frame("month", "", f"{year}-{month[:3].lower()}"))
    editions = [
        next(g for g in match.groups() if g).lower()
        for match in _of("edition").finditer(sentence, sentence.casefold())
    ]
    numbers = _numbers()
    known = [numbers.get(each, each) for each in editions if each in numbers or each[0].isdigit()]
    replaces = len(known) == 2 and _of("replaces").search(sentence)
    if replaces or len(set(known)) == 1:
        found.append(Frame("edition", "", known[0]))
    if sentence.isascii():
        return tuple(found)
    if (han := _of("han").match(sentence)) is not None:
        thing, value = captured(han, "thing", "value")
        found.append(Frame("han", thing, value.strip().lower()))
    for match in _of("duty").finditer(sentence, sentence):
        when, who, duty = captured(match, "when", "who", "duty")
        found.append(Frame("duty", when + duty, who))
    sums = [found[1] for found in _of("sum").finditer(sentence, sentence)]
    if len(sums) == 1:
        found.append(Frame("sum", "", sums[0]))
    return tuple(found)


def elsewhere(older: str, newer: str) -> bool:
    """Whether the sentences are of two places of one kind: the one office and the other."""
    a, b = _sites(older), _sites(newer)
    return any(a[kind].isdisjoint(b[kind]) for kind in a.keys() & b.keys())


def _sites(sentence: str) -> dict[str, set[str]]:
    sites: dict[str, set[str]] = {}
    for match in _of("site").finditer(sentence, sentence):
        name, kind = captured(match, "name", "kind")
        sites.setdefault(kind, set()).add(name)
    return sites
