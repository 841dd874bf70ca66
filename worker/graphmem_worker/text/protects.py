"""Sentences that protect somebody or bind somebody (docs/forgetting.md), and the day until which
one binds. Clear cases are told by the tables of `language.harm`, all others by the head
"protective". Of a sentence the first `LONGEST` characters are read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

import numpy as np

from graphmem_worker.claims.numbers import number_of
from graphmem_worker.language import harm
from graphmem_worker.language.calendar import Mention, mentions, without
from graphmem_worker.language.expressions import captured as said_in
from graphmem_worker.language.expressions import expression
from graphmem_worker.language.heads import head
from graphmem_worker.language.lists import classed
from graphmem_worker.language.sayings import folded
from graphmem_worker.text.patterns import late

if TYPE_CHECKING:
    from numpy.typing import NDArray

Protection = Literal["protective", "binding"]
PROTECTIONS: Final[tuple[Protection, ...]] = get_args(Protection)
"""The first of them counts where a text has both. A node's record has the place, from one on."""

LONGEST: Final = 600
"""Characters of a sentence that are looked at."""

_SHORTEST: Final = 4
_HEAD: Final = "protective"
_ASKS: Final = late(r"[?？]\s*[\"'”’)）]*\s*$|吗[。！~\s]*$")


class _Judged(NamedTuple):
    """What tables and head tell of a sentence: whether a table names it a clear case, and the sums
    of the head, from zero on of which it protects, says that it binds, or binds without such
    words."""

    is_clear: bool
    protects: float
    in_words: float
    bound: float

    @property
    def binds(self) -> float:
        return max(self.in_words, self.bound)


_NEITHER: Final = _Judged(False, *(-float("inf"),) * 3)


@lru_cache(maxsize=4096)  # a sweep asks the same of a held sentence every few passes
def _judged(sentence: str) -> _Judged:
    said = sentence[:LONGEST]
    if len(said) < _SHORTEST or _ASKS.search(said[-40:]):
        return _NEITHER
    classes = harm.classes(said)
    protects, *binds = head(_HEAD).sums(said, classes).tolist()
    if -_NEAR <= max(binds) < 0 and (days := mentions(said, LATEST)):
        # A day does not bind, but "today" is frequent in small talk.
        undated = head(_HEAD).sums(without(said, days), classes)[1:].tolist()
        binds = [*map(max, binds, undated)]
    return _Judged(harm.names_clearly(said, classes), protects, *binds)


def protects(sentence: str) -> Protection | None:
    """Whether `sentence` protects somebody ("protective") or binds somebody ("binding"); None for
    any other. What does both is protective. A question is neither."""
    judged = _judged(sentence)
    if judged.is_clear or judged.protects >= 0:
        return "protective"
    return "binding" if judged.binds >= 0 else None


def protects_by_vector(sentence: str, vector: NDArray[np.float32], model: str) -> Protection | None:
    """What `protects` tells, judged with the vector of length 1 of `sentence` by `model` as well.
    Of a model that the head does not know, and of what is told of a story or denied, which vectors
    hardly see, the vector tells nothing."""
    found, judged, fitted = protects(sentence), _judged(sentence), head(_HEAD)
    if found == "protective" or judged is _NEITHER or model != fitted.model:
        return found
    if harm.is_unmeant(sentence[:LONGEST]):
        return found
    sums = np.array(judged[1:], np.float32)
    seen = _Judged(judged.is_clear, *fitted.with_vector(sums, vector).tolist())
    if seen.protects >= 0:
        return "protective"
    return "binding" if seen.bound >= 0 else found  # of "promise" and the like words tell enough


def likeliest(spans: Sequence[str], protection: Protection) -> str | None:
    """The sentence that most likely has this protection; None of none."""
    if protection == "protective":
        return max(spans, key=lambda span: _judged(span).protects, default=None)
    return max(spans, key=lambda span: _judged(span).bound, default=None)


def is_clearly_protective(sentence: str) -> bool:
    """Whether a table names `sentence` as one that protects somebody. Of what only the head finds
    some is small talk: it may be kept for longer, but nothing is refused by it."""
    return _judged(sentence).is_clear


def is_surely_protective(sentence: str) -> bool:
    """Whether a table names `sentence` as one that protects somebody, or the head finds it far from
    small talk."""
    judged = _judged(sentence)
    return judged.is_clear or judged.protects >= _SURELY


@lru_cache(maxsize=4096)
def urgency(sentence: str) -> int:
    """How much must not be lost of what protects somebody, 0–2: an allergy that a table names
    before a hearing aid, and before what only the head takes for a danger."""
    return _judged(sentence).is_clear + harm.is_grave(harm.classes(sentence[:LONGEST]))


def binds_in_words(sentence: str) -> bool:
    """Whether `sentence` binds somebody by words that say so: a promise, a deadline, a price."""
    return _judged(sentence).in_words >= 0


def outright(sentence: str) -> bool:
    """Whether `sentence` binds somebody more likely than small talk that sounds alike."""
    return _judged(sentence).binds >= _OUTRIGHT


_OUTRIGHT: Final = 1.0  # nats above the least sum
_NEAR: Final = 2.0  # nats below it, from which the sentence is judged without its days too
_SURELY: Final = 1.0  # the same: none of 1,417 turns of LoCoMo has as much

# --- until when -----------------------------------------------------------------------------------

_MONTH: Final = 31  # days
LATEST: Final = date(9899, 12, 31)
"""The last day from which days are counted on: dates end with the year 9999."""


def last_day(sentence: str, told: date) -> date | None:
    """The latest day that `sentence` names, told on day `told`; None if it names none.

    It is read as of what is to come: a day without a year is the next one, a period ends with its
    last day. What has no end names none, nor does what was over or lasts up to now, such as
    "yesterday" or "recently", but for a day with its year. A day after `LATEST` counts as it.
    """
    said = sentence[:LONGEST]
    told = min(told, LATEST)
    named = mentions(said, told, ahead=True)
    found = [end for mention in named if (end := _end(said, mention, told)) is not None]
    for due in expression("ends", "due within").finditer(said, folded(said)):
        count, unit = said_in(due, "count", "unit")
        number = number_of(count) if count else 1
        if number is not None:
            days = int(number) * int(classed("due_days")[unit.lower()])
            found.append(told + timedelta(min(days, (LATEST - told).days)))
    return min(max(found), LATEST) if found else None


def _end(said: str, mention: Mention, told: date) -> date | None:
    period = mention.about.coming(told)
    if mention.is_vague or period.last == date.max:
        return None
    if period.last < told or period.first < told == period.last:
        is_dated = period.length <= _MONTH and str(period.last.year) in said[: mention.stop]
        return period.last if is_dated else None
    return period.last
