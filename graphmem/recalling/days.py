"""The memories of a day: those that happened on it, and those that name it.

A memory is of the day on which it happened, in the offset that was given with it; without
`happened`, of the day on which it was remembered, in the zone of the clock. The word index has the
days of the first. The second are looked up by id, for ids ascend with the time of remembering; if
the clock was set back in between, some are missed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Final

import numpy as np

from graphmem.graph.records import TextRecord
from graphmem.graph.view import View
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.index.words.index import WordReader
from graphmem.index.words.postings import Nodes, distinct, positions
from graphmem.values.moments import micros, moment, moment_in
from graphmem_worker.language.calendar import Mention, coming_forms, distant_forms, mentions
from graphmem_worker.language.period import Period, single_day
from graphmem_worker.text.markers import DAY
from graphmem_worker.text.words import words

MOST_DAYS: Final = 400
"""Days of a period that are looked up for a cue with nothing but dates; of more, the last ones."""
_MOST: Final = 4000  # nodes of a period that are read
_YEARS: Final = 30  # years back in which a day without a year is looked for
_DAY: Final = timedelta(days=1)
_WEEK: Final = 7  # days after a period in which a text may name it without a date, …
_BEFORE: Final = 14  # … and days before it
_BESIDE: Final = 400  # nodes of these days that are read
_AHEAD: Final = 366  # days of a coming period for which texts are searched
_COMING: Final = 500  # texts that are searched for coming days, for each way to name them
_LONGEST: Final = 31  # days of a period that a text names as a coming one, or without its name
_SHORT: Final = 4  # letters of a shortened weekday
_MONTH: Final = 28  # days of a period from which on a text about it need not be about each day


def time_of(text: TextRecord, now: datetime) -> datetime:
    """The moment of a memory in the offset that its day is of; see the module."""
    happened = text.happened
    return moment_in(now.tzinfo, text.created) if happened is None else moment(*happened)


def day_of(text: TextRecord, now: datetime) -> date:
    """The day of a memory; see the module."""
    return time_of(text, now).date()


def of_period(view: View, index: WordReader, period: Period, now: datetime) -> Nodes:
    """The nodes of a period, ascending. Of a day, month or season of any year, those of the last
    year that has some; of a long period the newest 4000."""
    today = now.date()
    first = period.latest(today)
    for back in range(_YEARS if period.yearly else 1):
        if back and (first.month, first.day) == (2, 29):
            continue
        of_year = _in_year(period, first.year - back) if period.yearly else period
        if of_year is None:
            break
        wanted = of_year.newest(today, MOST_DAYS)
        parts = [index.find(day.isoformat()).nodes for day in wanted]
        if wanted:
            parts.append(remembered_in(view, Period(wanted[0], wanted[-1]), now))
        nodes = distinct(parts)
        if len(nodes):
            return nodes[-_MOST:]
    return np.zeros(0, np.uint64)


def remembered_in(view: View, period: Period, now: datetime, most: int = 2000) -> Nodes:
    """The nodes without `happened` of a period, ascending, among the newest `most` that were
    remembered in it."""
    start = _id_at(view, datetime.combine(period.first, time(), now.tzinfo))
    if period.last == date.max:
        stop = view.state.next_node
    else:
        stop = _id_at(view, datetime.combine(period.last + _DAY, time(), now.tzinfo))
    nodes = range(max(start, stop - most), stop)
    found = [
        node
        for node, _, text in view.pairs(nodes)
        if text.happened is None and day_of(text, now) in period
    ]
    return np.array(found, np.uint64)


def _id_at(view: View, begin: datetime) -> int:
    """The first id that was given at a moment or later."""
    low, high = 1, view.state.next_node
    try:
        wanted = micros(begin)
    except OverflowError:  # the first or last day of all, in a zone
        return low if begin.year == 1 else high
    start, end = view.scope.prefix(Space.TEXT), view.state.next_node
    while low < high:
        node = middle = (low + high) // 2
        text = view.text(node)
        if text is None:  # forgotten: take the next one
            key = next(view.reader.keys(start + keys.u64(middle), start + keys.u64(end)), None)
            node = end if key is None else int.from_bytes(key[-8:], "big")
            text = None if key is None else view.text(node)
        if text is None or text.created >= wanted:
            high = middle
        else:
            low = node + 1
    return low


def _in_year(period: Period, year: int) -> Period | None:
    if year < 1:
        return None
    first = date(year, period.first.month, period.first.day)
    return Period(first, first + (period.length - 1) * _DAY)


def sharing_forms(index: WordReader, when: Sequence[Mention], today: date | None = None) -> Nodes:
    """The nodes whose words may name the same days, months or weekdays, in whatever form.

    today: if given, and a period of the cue lasts beyond it, also the last nodes whose words may
    name coming days."""
    found = [index.holding(words(form)) for mention in when for form in mention.forms]
    if today is not None:
        ahead = [_from_today(mention.period.coming(today), today) for mention in when]
        forms = dict.fromkeys(f for period in ahead if period for f in coming_forms(period))
        figures = [*filter(str.isdigit, forms)]  # these are in many other texts
        distant = distant_forms() if forms else ()
        for some in (forms.keys() - {*figures}, (*figures, *distant)):
            coming = [index.holding(words(form)) for form in some]
            found.append(distinct(coming)[-_COMING:])
    return distinct(found)


def naming_nearby(view: View, index: WordReader, when: Sequence[Mention], now: datetime) -> Nodes:
    """The nodes of the two weeks before and the week after each short period of a cue that name it
    in their text, as "on Sunday", "tomorrow" or "three days ago", ascending."""
    found: list[int] = []
    today = now.date()
    naming = index.find(DAY).nodes
    for mention in when:
        period = mention.period.dated(today)
        if period.length > _WEEK or period.first > today:
            continue
        first, last, latest = (day.toordinal() for day in (period.first, period.last, today))
        spans = (max(1, first - _BEFORE), first - 1), (last + 1, min(last + _WEEK, latest))
        for begin, end in (span for span in spans if span[0] <= span[1]):
            beside = Period(date.fromordinal(begin), date.fromordinal(end))
            nodes = naming[positions(naming, of_period(view, index, beside, now))]
            pairs = view.pairs(nodes[-_BESIDE:].tolist())
            found += (n for n, _, text in pairs if names_any(text, (mention,), day_of(text, now)))
    return np.array(sorted({*found}), np.uint64)


def _from_today(period: Period, today: date) -> Period | None:
    """The days of a period from today on, at most a year of them; None if all are past."""
    first = max(period.first, today)
    last = min(period.last.toordinal(), first.toordinal() + _AHEAD - 1)
    return Period(first, date.fromordinal(last)) if period.last >= today else None


def names_any(
    text: TextRecord, when: Sequence[Mention], day: date, today: date | None = None
) -> bool:
    """Whether the text of a memory of `day` names one of the periods of a cue. today: if given, a
    long period that lasts beyond it counts too."""
    content = text.text
    named: Sequence[Mention] | None = None
    for mention in when:
        if mention.weekday is not None:
            forms = [form for form in mention.forms if _words(form) <= _words(content)]
            if any(len(form) > _SHORT or not form.isascii() for form in forms):
                return True
            # "sat", "sun" and "mon" are other words too, unless they are read as days.
            named = _named(content, day) if forms and named is None else named
            if forms and any(mention.weekday == other.weekday for other in named or ()):
                return True
        is_coming = today is not None and mention.period.last > today
        if mention.period.length > _LONGEST and not is_coming and not mention.forms:
            continue
        named = _named(content, day) if named is None else named
        if any(_overlap(mention.period, p, day) for other in named for p in _either(other)):
            return True
        if any(mention.name == m.name and _is_yearless(m, content) for m in named if m.name):
            return True
    return False


def _is_yearless(holiday: Mention, text: str) -> bool:
    """Whether a text names a holiday without its year: it may be the last one or the next."""
    return str(holiday.period.first.year) not in text


@lru_cache(1 << 12)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))


def _overlap(asked: Period, named: Period, day: date) -> bool:
    """Whether a period that a text of `day` names lies within one that is asked for; if shorter
    than a month, whether they share a day."""
    named = _closed(named)
    if asked.yearly and not named.yearly:
        asked = asked.nearest(named.first)
    likely = (named,) if asked.yearly else (named.dated(day), named.nearest(day))
    return any(_shared(p, asked) and (p.length < _MONTH or p.last <= asked.last) for p in likely)


def _either(named: Mention) -> Iterator[Period]:
    """The period that a text names; of a day without a month also the next such day."""
    yield named.period
    if named.coming is not None:
        yield named.coming


def _shared(named: Period, asked: Period) -> date | None:
    """The first day that two periods share; of a month or more only its first day counts."""
    begins = max(named.first, asked.first) if named.length < _MONTH else named.first
    return begins if begins in asked and begins in named else None


def _closed(named: Period) -> Period:
    """A period; of one open at one end the day that the text names: of a deadline the last."""
    if named.first == date.min:
        return single_day(named.last)
    return single_day(named.first) if named.last == date.max else named


def day_to_come(
    text: TextRecord, asked: Sequence[Period], day: date, today: date
) -> tuple[date, bool] | None:
    """The first day from today on in one of the `asked` periods that the text of a memory of `day`
    names, and whether it may mean the one a week before; None if it names none. Today counts unless
    `day` is today."""
    found: list[tuple[date, bool]] = []
    for named in [m for m in _named(text.text, day) if not m.is_vague]:
        may_have_been = named.weekday is not None and named.coming is not None
        for period in (_closed(either).coming(day) for either in _either(named)):
            if period.last < today or period.length > _LONGEST:
                continue
            if not day == max(period.first, today) == period.last:
                left = period if period.first >= today else Period(today, period.last)
                shared = (_shared(left, p) for p in asked)
                found += [(begins, may_have_been) for begins in shared if begins is not None]
    return min(found, default=None)


@lru_cache(1 << 12)
def _named(text: str, day: date) -> tuple[Mention, ...]:
    return tuple(mentions(text, day))
