"""The memories of a day: those that happened on it, and those that speak of it.

A memory is of the day on which it happened, in the offset that was given with it; without
`happened`, of the day on which it was told, in the zone of the clock. The word index holds the days
of the first. The second are looked up by their ids, which ascend with the time of telling; if the
clock was set back in between, some are missed.
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
from graphmem.index.words.postings import Nodes, distinct
from graphmem.values.moments import in_zone, micros, moment
from graphmem_worker.language.calendar import Mention, coming_forms, distant_forms, mentions
from graphmem_worker.language.period import Period, single_day
from graphmem_worker.text.words import words

MOST_DAYS: Final = 400
"""Days of a period that are looked up where a cue asks for nothing else; the last ones of more."""
_MOST: Final = 4000  # nodes of a period that are read
_YEARS: Final = 30  # back to which a day of any year is looked for
_DAY: Final = timedelta(days=1)
_WEEK: Final = 7  # days after a period, …
_BEFORE: Final = 14  # … and before it, in which it is named without a date
_BESIDE: Final = 400  # nodes of these days that are read
_AHEAD: Final = 366  # days of a period to come for which texts are looked through
_COMING: Final = 500  # texts that are looked through, of those that may name a day in either way
_LONGEST: Final = 31  # days of a period that a text names as one to come, or as one without a name
_SHORT: Final = 4  # letters of a weekday that is shortened
_MONTH: Final = 28  # days from which on what a text tells of a period need not be of each day of it


def day_of(text: TextRecord, now: datetime) -> date:
    """The day of a memory; see the module."""
    if text.happened is not None:
        return moment(*text.happened).date()
    return in_zone(moment(text.created), now.tzinfo).date()


def of_period(view: View, index: WordReader, period: Period, now: datetime) -> Nodes:
    """The nodes of a period, or none. Of a day, month or season of any year, those of the last year
    that has some; of a long period at most some thousands, the newest."""
    today = now.date()
    first = period.latest(today)
    for back in range(_YEARS if period.yearly else 1):
        if back and (first.month, first.day) == (2, 29):
            continue
        begun = period if not period.yearly else _in_year(period, first.year - back)
        if begun is None:
            break
        wanted = begun.newest(today, MOST_DAYS)
        parts = [index.find(day.isoformat()).nodes for day in wanted]
        if wanted:
            parts.append(remembered_in(view, Period(wanted[0], wanted[-1]), now))
        nodes = distinct(parts)
        if len(nodes):
            return nodes[-_MOST:]
    return np.zeros(0, np.uint64)


def remembered_in(view: View, period: Period, now: datetime, most: int = 2000) -> Nodes:
    """The nodes without `happened` that were told in a period, ascending; the newest `most` that
    were remembered in it are looked at."""
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


def _id_at(view: View, moment: datetime) -> int:
    """The first id that may have been given at a moment or later."""
    low, high = 1, view.state.next_node
    try:
        wanted = micros(moment)
    except OverflowError:  # the first or last day of all, in a zone
        return low if moment.year == 1 else high
    start, end = view.scope.prefix(Space.TEXT), view.state.next_node
    while low < high:
        node = middle = (low + high) // 2
        text = view.text(node)
        if text is None:  # the next one that is there
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


def speaking_of(index: WordReader, when: Sequence[Mention], today: date | None = None) -> Nodes:
    """The nodes whose words may name the same days, months or weekdays, however they write them.

    today: if given, and a cue names a period from then on, also the last nodes whose words may name
    days that were to come."""
    found = [index.holding(words(form)) for mention in when for form in mention.forms]
    if today is not None:
        ahead = [_ahead(mention.period.coming(today), today) for mention in when]
        forms = dict.fromkeys(f for period in ahead if period for f in coming_forms(period))
        figures = [*filter(str.isdigit, forms)]  # which stand in much else
        distant = distant_forms() if forms else ()
        for said in (forms.keys() - {*figures}, (*figures, *distant)):
            coming = [index.holding(words(form)) for form in said]
            found.append(distinct(coming)[-_COMING:])
    return distinct(found)


def naming(view: View, index: WordReader, when: Sequence[Mention], now: datetime) -> Nodes:
    """The nodes of the two weeks before and the week after each short period of a cue that name it
    in their text, as "on Sunday", "tomorrow" or "three days ago", ascending."""
    found: list[int] = []
    today = now.date()
    for mention in when:
        meant = mention.period.dated(today)
        if meant.length > _WEEK or meant.first > today:
            continue
        first, last, latest = (day.toordinal() for day in (meant.first, meant.last, today))
        spans = (max(1, first - _BEFORE), first - 1), (last + 1, min(last + _WEEK, latest))
        for begin, end in (span for span in spans if span[0] <= span[1]):
            beside = Period(date.fromordinal(begin), date.fromordinal(end))
            pairs = view.pairs(of_period(view, index, beside, now)[-_BESIDE:].tolist())
            found += (n for n, _, text in pairs if speaks_of(text, (mention,), day_of(text, now)))
    return np.array(sorted({*found}), np.uint64)


def _ahead(period: Period, today: date) -> Period | None:
    """The days from today on of a period, up to a year of them; None if all have been."""
    first = max(period.first, today)
    last = min(period.last.toordinal(), first.toordinal() + _AHEAD - 1)
    return Period(first, date.fromordinal(last)) if period.last >= today else None


def speaks_of(
    text: TextRecord, when: Sequence[Mention], day: date, today: date | None = None
) -> bool:
    """Whether a memory of `day` names one of the periods of a cue in its text. today: if given, a
    long period of which days are to come counts too."""
    said = text.text
    named: Sequence[Mention] | None = None
    for mention in when:
        if mention.weekday is not None:
            forms = [form for form in mention.forms if _words(form) <= _words(said)]
            if any(len(form) > _SHORT or not form.isascii() for form in forms):
                return True
            # "sat", "sun" and "mon" are other words too, unless the reader takes them for days.
            named = _named(said, day) if forms and named is None else named
            if forms and any(mention.weekday == other.weekday for other in named or ()):
                return True
        is_coming = today is not None and mention.period.last > today
        if mention.period.length > _LONGEST and not is_coming and not mention.forms:
            continue
        named = _named(said, day) if named is None else named
        if any(_same(mention.period, one, day) for other in named for one in _either(other)):
            return True
        if any(mention.name == m.name and _is_yearless(m, said) for m in named if m.name):
            return True
    return False


def _is_yearless(holiday: Mention, said: str) -> bool:
    """Whether a text names a holiday without its year: it may be the last one or the next."""
    return str(holiday.period.first.year) not in said


@lru_cache(1 << 12)
def _words(said: str) -> frozenset[str]:
    return frozenset(words(said))


def _same(asked: Period, named: Period, day: date) -> bool:
    """Whether a period that a text of `day` names lies within one that is asked for; of one that is
    shorter than a month a day is enough."""
    named = _told(named)
    if asked.yearly and not named.yearly:
        asked = asked.nearest(named.first)
    meant = (named,) if asked.yearly else (named.dated(day), named.nearest(day))
    return any(
        _shared(one, asked) and (one.length < _MONTH or one.last <= asked.last) for one in meant
    )


def _either(named: Mention) -> Iterator[Period]:
    """The period that a text names, and of a day without a month the next one that it may mean."""
    yield named.period
    if named.coming is not None:
        yield named.coming


def _shared(named: Period, asked: Period) -> date | None:
    """The first day that two periods have in common; of a month or more the first of its days."""
    begins = max(named.first, asked.first) if named.length < _MONTH else named.first
    return begins if begins in asked and begins in named else None


def _told(named: Period) -> Period:
    """The day that a text names of a period open at one end: of a deadline the last."""
    if named.first == date.min:
        return single_day(named.last)
    return single_day(named.first) if named.last == date.max else named


def day_to_come(
    text: TextRecord, asked: Sequence[Period], day: date, today: date
) -> tuple[date, bool] | None:
    """The first day from today on that a memory of `day` names in its text and that lies in one of
    some periods, and whether it may have been a week before; today counts if it was not told today.
    None if it names none."""
    found: list[tuple[date, bool]] = []
    for named in [m for m in _named(text.text, day) if not m.is_vague]:
        may_have_been = named.weekday is not None and named.coming is not None
        for one in (_told(either).coming(day) for either in _either(named)):
            if one.last < today or one.length > _LONGEST:
                continue
            if not day == max(one.first, today) == one.last:
                left = one if one.first >= today else Period(today, one.last)
                shared = (_shared(left, p) for p in asked)
                found += [(begins, may_have_been) for begins in shared if begins is not None]
    return min(found, default=None)


@lru_cache(1 << 12)
def _named(said: str, day: date) -> tuple[Mention, ...]:
    return tuple(mentions(said, day))
