"""Beginnings: from when on holds what a text states, if that is still to come."""

# ruff: noqa: E501  (a pattern that is broken over lines is harder to check)
from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache
from typing import Final

from graphmem_worker.claims.exclusions import asks
from graphmem_worker.language.calendar import Mention, mentions
from graphmem_worker.text.gates import Gated
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import LATEST

_LONGEST: Final = 400  # characters of a sentence that is read
_AHEAD: Final = late(
    r"\b(?:will|'ll|going to|(?:from|starting|next) (?:next|week|month|year|tomorrow))\b|将|[会要](?=[搬住去换在有])|以后|将来|打算",
    re.IGNORECASE,
)
_BEGINS: Final = late(
    r"\b(?:from|starting(?: (?:on|from|in|with))?|as of|as from|beginning(?: (?:on|in|from))?|effective(?: (?:from|on|as of))?)(?: the)? ",
    re.IGNORECASE,
)
_TO: Final = late(r"[^.;!?]{0,12}?\s*(?:\b(?:to|until|till|through)\b|[-–—])", re.IGNORECASE)
_HAN_BEGINS: Final = late("(?:这?一?天)?(?:起|开始|之后|以后)")
_WAS: Final = late(
    r"\b(?:was|were|had|did|lived|worked|moved|joined|started|used)\b|[了过]", re.IGNORECASE
)
_FAR: Final = timedelta(days=183)  # beyond which a date without a year is one of the past
_MOVING: Final = late(
    r"\b(?:I|we|he|she|they|[A-Z][a-z]+|my \w+)(?:'ll| will|'m|'re|'s| am| are| is)?(?: be)?(?: going to)? "
    r"(?:mov(?:e|es|ing)|relocat(?:e|es|ing)|join(?:s|ing)?|switch(?:es|ing)?|transfer(?:s|ring)?|start(?:s|ing)?(?= (?:at|work|as|with|in)\b)|tak(?:e|es|ing) over)\b"
    r"|(?:搬[到去进往]|入职|跳槽|调[到去]|转[到去]|换[到去]|接手)(?!了)",
    re.IGNORECASE,
)
_AIMED: Final = late(
    r"(?:\b(?:to|for|until|till|at|by|before)(?: the)? |[到在是至于])$", re.IGNORECASE
)
_MAY_BEGIN: Final = Gated(
    r"\b(?:from|starting|as of|beginning|effective|mov(?:e|es|ing)|relocat\w+|join\w*|switch\w*|transfer\w*|start\w*|tak(?:e|es|ing) over)\b"
    r"|起|开始|以后|之后|后|搬|入职|跳槽|调|转|换|接手",
    "from starting as_of beginning effective move moving relocat join switch transfer start take_over takes_over taking_over"
    " 起 开始 以后 之后 后 搬 入职 跳槽 调 转 换 接手",
)


def asks_ahead(cue: str) -> bool:
    """Whether a cue without a date asks for what will be."""
    return _AHEAD.search(cue) is not None


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
    if not _MAY_BEGIN.opens(" ".join(sentences).casefold()):
        return ()
    read = (sentence[:_LONGEST] for sentence in sentences)
    return tuple(s for s in read if _MAY_BEGIN.within(s, s.casefold()) and not asks(s))


def _begins(said: str, told: date) -> date | None:
    found: list[Mention] = []
    for match in _BEGINS.finditer(said):
        rest = "on " + said[match.end() :]  # without the word that would have it last until today
        first = next(iter(mentions(rest, told)), None)
        if first is not None and first.start <= len("on ") and not _TO.match(rest, first.stop):
            found.append(first)
    for match in _HAN_BEGINS.finditer(said):
        lead = said[: match.start()]
        found += [m for m in mentions(lead, told) if m.stop == len(lead)]
    if _MOVING.search(said) is not None:
        named = (m for m in mentions(said, told) if not _AIMED.search(said[: m.start]))
        found += [m for m in named if said.isascii() or not m.period.yearly]
    was = _WAS.search(said) is not None
    days = [_ahead(m, told, was) for m in found]
    return max((day for day in days if day > told), default=None)


def _ahead(mention: Mention, told: date, was: bool) -> date:
    """The first day of a period named on a day; without a year, or as a weekday, the next one if
    that is near and nothing says that it was."""
    first = mention.period.latest(told)
    if mention.weekday is not None:
        return first if was else first + timedelta(days=7)
    if not mention.period.yearly or was:
        return first
    coming = mention.period.latest(told + _FAR)
    return max(first, coming)
