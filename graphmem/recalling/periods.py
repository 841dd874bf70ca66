"""The memories of the periods that a cue names, and those about them, with coming days first."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time
from typing import Final, NamedTuple

import numpy as np

from graphmem.index.words.postings import distinct
from graphmem.recalling import days
from graphmem.recalling.candidates import Candidate, Source, allowed, folded, with_successors
from graphmem.recalling.cue import Cue
from graphmem.recalling.question import Filter
from graphmem.values.moments import moment_in
from graphmem_worker.language.calendar import Mention, is_ahead
from graphmem_worker.language.period import Period

_NEWEST: Final = 256  # memories among which the last day is looked for
_MOST: Final = 2000  # memories about a period that are read
_UNSURE: Final = 0.9  # the score of a memory of a coming day that may be the one a week before
_OVER: Final = 0.75  # … of one of the period, if the period has coming days
_ABOUT: Final = 0.5  # … of one that names the period


class Found(NamedTuple):
    """The memories of the periods of a cue."""

    best: list[Candidate]
    """The most salient ones, up to a limit: those of coming days, by day; then those of the periods
    in the order of time; then those about them."""
    behind: list[Candidate]
    """The most salient of the others."""
    ahead: tuple[int, ...]
    """The ordinals of the coming days that the first of `best` name."""
    plans: list[Candidate]
    """All that name coming days, or a day that may be a coming one."""


def read(source: Source, cue: Cue, only: Filter) -> tuple[list[Candidate], dict[int, int]]:
    """The memories of the periods that a cue names, and those about them, with their scores; and
    node → the ordinal of the first coming day of the periods that it names, unless the cue asks
    about the past. A replaced memory of a coming day gives its day to its successor. One that was
    replaced before the periods is left out if its successor is found too."""
    view, index, now = source.view, source.index, source.now
    current, only = only, replace(only, now=None)
    today, named = now.date(), [mention.period for mention in cue.when]
    of_days = [days.of_period(view, index, period, now) for period in named]
    found = [
        c
        for c in source.read(distinct(of_days), only)
        if any(source.day(c.text) in period for period in named)
    ]
    own = {c.node for c in found}
    about = days.naming_nearby(view, index, cue.when, now)
    naming = distinct((days.sharing_forms(index, cue.when, today), about))
    found += [
        c
        for c in source.read(allowed(naming, only)[-_MOST:], only)
        if c.node not in own and days.names_any(c.text, cue.when, source.day(c.text), today)
    ]
    begin = min(period.nearest(today).first for period in named)
    replaced = [c for c in found if _ended(c, source) < begin]
    known, successors = {c.node for c in found}, with_successors(source, replaced, only)
    dropped = {old.node for old, new in successors if new.node in known}
    found = [c for c in found if c.node not in dropped]
    asked = [m.period.coming(today) for m in cue.when if is_ahead(cue.text, m) is not False]
    asked = [period for period in asked if period.last > today]
    coming: dict[int, int] = {}
    unsure: set[int] = set()
    for c in found if asked else ():
        if (first := days.day_to_come(c.text, asked, source.day(c.text), today)) is not None:
            coming[c.node] = first[0].toordinal()
            unsure.update([c.node] if first[1] else ())
    over = {c.node: c for c in found if not current.holds(c.text, c.record)}
    holding = {c.node: c for c in found if c.node not in over}
    planned = [over[node] for node in over.keys() & coming.keys()]
    for old, new in with_successors(source, planned, current):
        if holding.setdefault(new.node, new) is new:
            coming[new.node] = coming[old.node]
    found = [*holding.values()]
    for c in found:
        of_period = _OVER if asked else 1.0
        c.score = of_period if c.node in own else _ABOUT
        if c.node in coming:
            c.score = _UNSURE if c.node in unsure else 1.0
        c.parts["time"] = c.score
    return found, coming


def dated(source: Source, cue: Cue, only: Filter) -> Cue:
    """The cue. One that asks what was talked about last gets the last day before today, or else
    today, of which there are memories among the newest."""
    if not cue.is_of_last:
        return cue
    end = source.view.state.next_node
    newest = source.read(np.arange(max(1, end - _NEWEST), end, dtype=np.uint64), only)
    today = source.now.date()
    recorded = {day for c in newest if (day := source.day(c.text)) <= today}
    last = max(recorded, key=lambda day: (day < today, day), default=today)
    return replace(cue, when=(Mention(Period(last, last), 0, 0),), is_dated=True)


def _ended(c: Candidate, source: Source) -> date:
    """The day on which a memory was replaced, in the clock's zone; date.max if it was not."""
    ended = c.record.valid_to
    return date.max if ended is None else moment_in(source.now.tzinfo, ended).date()


def of_cue(source: Source, cue: Cue, only: Filter, limit: int, most: int) -> Found:
    """The memories of the periods of a cue and about them: `most` at most, `limit` of them best."""
    found, coming = read(source, cue, only)
    day_of = {c.node: source.day(c.text) for c in found}
    timeless = {day_of[c.node] for c in found if days.time_of(c.text, source.now).time() == time()}

    def place(c: Candidate) -> tuple[float, int, date, float, int]:
        day = day_of[c.node]
        moment = 0 if day in timeless else c.text.moment
        return -c.score, coming.get(c.node, 0), day, moment, c.node

    found = folded(sorted(found, key=place))
    by_salience = sorted(
        found, key=lambda c: (-c.score, coming.get(c.node, 0), -max(c.text.saliences, default=0.0))
    )
    chosen = {c.node for c in by_salience[:limit]}
    best = [c for c in found if c.node in chosen]
    ahead = tuple(coming[c.node] for c in best if c.node in coming)
    may_come = any(is_ahead(cue.text, mention) is not False for mention in cue.when)
    plans = [c for c in found if c.node in coming or (may_come and c.score == _ABOUT)]
    return Found(best, by_salience[limit:most], ahead, plans)
