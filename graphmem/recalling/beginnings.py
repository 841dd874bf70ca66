"""Beginnings: from when on holds what a text states, if that is still to come."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from typing import Final

from graphmem_worker.claims.exclusions import asks
from graphmem_worker.language.calendar import Mention, mentions
from graphmem_worker.language.expressions import Expression, expression
from graphmem_worker.language.sayings import folded
from graphmem_worker.text.protects import LATEST

_LONGEST: Final = 400  # characters of a sentence that is read
_FAR: Final = timedelta(days=183)  # beyond which a date without a year is one of the past


def _of(means: str) -> Expression:
    """An expression of the tables `ends`."""
    return expression("ends", means)


def asks_ahead(cue: str) -> bool:
    """Whether a cue without a date asks for what will be."""
    return _of("ahead of now").within(cue, folded(cue))


@lru_cache(1 << 13)
def begins(sentences: tuple[str, ...], told: date) -> date | None:
    """The day after `told` on which begins what some sentences state, if they name one: "from
    January 1 we live in The Hague", "next month we move to Delft", 下个月起. A time that is itself
    the value ("moved to Monday") is none."""
    said = () if told > LATEST else may_begin(sentences)
    return next((day for s in said if (day := _begins(s, told)) is not None), None)


@lru_cache(1 << 13)
def may_begin(sentences: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some sentences, as far as they are read, that may name when something begins."""
    if not _of("may begin").opens(" ".join(sentences).casefold()):
        return ()
    read = (sentence[:_LONGEST] for sentence in sentences)
    return tuple(s for s in read if _of("may begin").within(s, s.casefold()) and not asks(s))


def _begins(said: str, told: date) -> date | None:
    found: list[Mention] = []
    for match in _of("begins").finditer(said, said):
        rest = "on " + said[match.end() :]  # without the word that would have it last until today
        first = next(iter(mentions(rest, told)), None)
        if (
            first is not None
            and first.start <= len("on ")
            and not _of("to").match(rest, first.stop)
        ):
            found.append(first)
    for match in _of("begins behind").finditer(said, said):
        lead = said[: match.start()]
        found += [m for m in mentions(lead, told) if m.stop == len(lead)]
    if _of("moves").search(said):
        named = (m for m in mentions(said, told) if not _of("aimed").search(said[: m.start]))
        found += [m for m in named if said.isascii() or not m.period.yearly]
    was = _of("was").within(said, folded(said))
    days = [_ahead(m, told, was) for m in found]
    return max((day for day in days if day > told), default=None)


def _ahead(mention: Mention, told: date, was: bool) -> date:
    """The first day of a period named on a day; without a year, or as a weekday, the next one if
    that is near and nothing says that it was."""
    first = mention.period.latest(told)
    if mention.weekday is not None:
        return first if was or first > told else first + timedelta(days=7)
    if not mention.period.yearly or was:
        return first
    coming = mention.period.latest(told + _FAR)
    return max(first, coming)
