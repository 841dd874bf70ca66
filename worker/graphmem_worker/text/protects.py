"""Sentences that protect somebody or bind somebody (docs/forgetting.md), and the day until which
one binds. Clear cases are found by the tables of `language.harm`, all others by the head
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
from graphmem_worker.language.expressions import captured, expression
from graphmem_worker.language.heads import head
from graphmem_worker.language.lists import classed
from graphmem_worker.language.sayings import folded
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.patterns import late

if TYPE_CHECKING:
    from numpy.typing import NDArray

Protection = Literal["protective", "binding"]
PROTECTIONS: Final[tuple[Protection, ...]] = get_args(Protection)
"""A text with both counts as the first. The record of a node has the place, from 1 on."""

LONGEST: Final = 600
"""Characters of a sentence that are read."""

_SHORTEST: Final = 4
_HEAD: Final = "protective"
_ASKS: Final = late(r"[?？]\s*[\"'”’)）]*\s*$|吗[。！~\s]*$")


class _Judged(NamedTuple):
    """Whether a table has a sentence as a clear case, and the sums of the head. At 0 and more it
    protects, binds by words that say so (`in_words`), or binds (`bound`)."""

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
    text = simplified(sentence[:LONGEST])
    if len(text) < _SHORTEST or _ASKS.search(text[-40:]):
        return _NEITHER
    classes = harm.classes(text)
    protective, *binds = head(_HEAD).sums(text, classes).tolist()
    if -_NEAR <= max(binds) < 0 and (days := mentions(text, LATEST)):
        # A day does not bind, but "today" is frequent in small talk.
        undated = head(_HEAD).sums(without(text, days), classes)[1:].tolist()
        binds = [*map(max, binds, undated)]
    return _Judged(harm.is_protective(text, classes), protective, *binds)


def protects(sentence: str) -> Protection | None:
    """Whether `sentence` protects somebody ("protective", also if it binds too) or only binds
    somebody ("binding"); None for any other, and for a question."""
    judged = _judged(sentence)
    if judged.is_clear or judged.protects >= 0:
        return "protective"
    return "binding" if judged.binds >= 0 else None


def protects_by_vector(sentence: str, vector: NDArray[np.float32], model: str) -> Protection | None:
    """As `protects`, judged by the vector of length 1 of `sentence` by `model` too. The vector is
    ignored if the head does not know the model, and for stories, jokes and denials, which vectors
    hardly show."""
    found, judged, fitted = protects(sentence), _judged(sentence), head(_HEAD)
    if found == "protective" or judged is _NEITHER or model != fitted.model:
        return found
    if harm.is_unreal(sentence[:LONGEST]):
        return found
    sums = np.array(judged[1:], np.float32)
    by_vector = _Judged(judged.is_clear, *fitted.with_vector(sums, vector).tolist())
    if by_vector.protects >= 0:
        return "protective"
    return "binding" if by_vector.bound >= 0 else found  # `in_words` needs no vector


def likeliest(spans: Sequence[str], protection: Protection) -> str | None:
    """The sentence that most likely has this protection; None if there are no sentences."""
    if protection == "protective":
        return max(spans, key=lambda span: _judged(span).protects, default=None)
    return max(spans, key=lambda span: _judged(span).bound, default=None)


def is_clearly_protective(sentence: str) -> bool:
    """Whether `sentence` protects somebody by a table. Some of what only the head finds is small
    talk: it may be kept for longer, but must not cause a refusal."""
    return _judged(sentence).is_clear


def is_surely_protective(sentence: str) -> bool:
    """Whether `sentence` protects somebody by a table, or by a high sum of the head."""
    judged = _judged(sentence)
    return judged.is_clear or judged.protects >= _SURELY


@lru_cache(maxsize=4096)
def urgency(sentence: str) -> int:
    """How urgent it is to keep a sentence that protects somebody, 0–2: 1 if a table names it, and 1
    for what somebody may not have or reacts to. So an allergy ranks above a hearing aid."""
    return _judged(sentence).is_clear + harm.is_grave(harm.classes(sentence[:LONGEST]))


def binds_in_words(sentence: str) -> bool:
    """Whether `sentence` binds somebody by words that say so: a promise, a deadline, a price."""
    return _judged(sentence).in_words >= 0


def is_surely_binding(sentence: str) -> bool:
    """Whether `sentence` binds somebody, with a sum of the head that small talk hardly has."""
    return _judged(sentence).binds >= _OUTRIGHT


_OUTRIGHT: Final = 1.0  # minimum sum, in nats
_NEAR: Final = 2.0  # nats below 0, within which a sentence is judged without its days too
_SURELY: Final = 1.0  # minimum sum, in nats, that none of 1,417 turns of LoCoMo has

# --- dates ----------------------------------------------------------------------------------------

_MONTH: Final = 31  # days
LATEST: Final = date(9899, 12, 31)
"""The last day that counts as today, so that dates after it are within the year 9999."""


def last_day(sentence: str, today: date) -> date | None:
    """The latest day that `sentence`, written on day `today`, names; None if it names none.

    Days are read as future ones: a day without a year is the next one, a period counts by its last
    day. A period without an end counts for none, nor does one that is over or ends today, such as
    "yesterday" or "recently", unless it is given with its year. Days after `LATEST` count as it.
    """
    text = simplified(sentence[:LONGEST])
    today = min(today, LATEST)
    named = mentions(text, today, ahead=True)
    found = [end for mention in named if (end := _end(text, mention, today)) is not None]
    for due in expression("ends", "due within").finditer(text, folded(text)):
        count, unit = captured(due, "count", "unit")
        number = number_of(count) if count else 1
        if number is not None:
            days = int(number) * int(classed("due_days")[unit.lower()])
            found.append(today + timedelta(min(days, (LATEST - today).days)))
    return min(max(found), LATEST) if found else None


def _end(text: str, mention: Mention, today: date) -> date | None:
    period = mention.about.coming(today)
    if mention.is_vague or period.last == date.max:
        return None
    if period.last < today or period.first < today == period.last:
        is_dated = period.length <= _MONTH and str(period.last.year) in text[: mention.stop]
        return period.last if is_dated else None
    return period.last
