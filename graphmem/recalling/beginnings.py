"""When what a text states begins to hold, if that is after the day on which it was recorded."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from typing import Final

from graphmem_worker.claims.exclusions import asks
from graphmem_worker.language.calendar import Mention, mentions
from graphmem_worker.language.expressions import Expression, expression
from graphmem_worker.language.sayings import folded
from graphmem_worker.text.protects import LATEST

_LONGEST: Final = 400  # characters of a sentence that are read
_FAR: Final = timedelta(days=183)  # beyond which a date without a year is one of the past


def _of(means: str) -> Expression:
    """An expression of the tables `ends`."""
    return expression("ends", means)


def asks_ahead(cue: str) -> bool:
    """Whether a cue without a date asks for what will be."""
    return _of("ahead of now").within(cue, folded(cue))


@lru_cache(1 << 13)
def begins(sentences: tuple[str, ...], recorded: date) -> date | None:
    """The day after `recorded` on which what some sentences state begins to hold, or None: "from
    January 1 we live in The Hague", "next month we move to Delft", 下个月起. A time that is itself
    the value ("moved to Monday") is no beginning."""
    likely = () if recorded > LATEST else may_begin(sentences)
    return next((day for s in likely if (day := _begins(s, recorded)) is not None), None)


@lru_cache(1 << 13)
def may_begin(sentences: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some sentences, cut to the length that is read, that may name a beginning."""
    if not _of("may begin").opens(" ".join(sentences).casefold()):
        return ()
    read = (sentence[:_LONGEST] for sentence in sentences)
    return tuple(s for s in read if _of("may begin").within(s, s.casefold()) and not asks(s))


def _begins(sentence: str, recorded: date) -> date | None:
    found: list[Mention] = []
    for match in _of("begins").finditer(sentence, sentence):
        rest = "on " + sentence[match.end() :]  # "since" would make it a period until today
        first = next(iter(mentions(rest, recorded)), None)
        if (
            first is not None
            and first.start <= len("on ")
            and not _of("to").match(rest, first.stop)
        ):
            found.append(first)
    for match in _of("begins behind").finditer(sentence, sentence):
        lead = sentence[: match.start()]
        found += [m for m in mentions(lead, recorded) if m.stop == len(lead)]
    if _of("moves").search(sentence):
        every = mentions(sentence, recorded)
        named = (m for m in every if not _of("aimed").search(sentence[: m.start]))
        found += [m for m in named if sentence.isascii() or not m.period.yearly]
    is_past = _of("was").within(sentence, folded(sentence))
    days = [_first_day(m, recorded, is_past) for m in found]
    return max((day for day in days if day > recorded), default=None)


def _first_day(mention: Mention, recorded: date, is_past: bool) -> date:
    """The first day of a mention in a sentence recorded on a day. Of a weekday, or a date without a
    year, the next one if that is near and the sentence is not about the past."""
    first = mention.period.latest(recorded)
    if mention.weekday is not None:
        return first if is_past or first > recorded else first + timedelta(days=7)
    if not mention.period.yearly or is_past:
        return first
    return max(first, mention.period.latest(recorded + _FAR))
