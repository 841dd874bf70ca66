"""Filling: which memories fit into a budget of tokens, and their lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Final, NamedTuple

from graphmem.values.excerpts import excerpt, shortest
from graphmem.values.nodes import Node
from graphmem.values.rendering import Layout, Passage, TokenCounter, has_time, identity

_PLAIN: Final = Layout()
_ROUNDS: Final = 3  # of filling a budget; the later ones use what shared dates have saved
_LAST: Final = 2  # tokens that a line end may have: the last line has none; excess is removed
_LEAST_CUT: Final = 40  # tokens left of a budget from which on an excerpt is added
_REPEATED: Final = 20  # characters from which a repetition is left out
_GAP: Final = "…"


class PlacedLine(NamedTuple):
    """A memory that is included, and its line."""

    place: int  # among the nodes that were given
    line: str


def filled(
    memories: Sequence[Node],
    budget: int | None,
    count: TokenCounter,
    layout: Layout = _PLAIN,
) -> tuple[list[int], list[str]]:
    """The ids, or with `layout.scopes` the identities, and the lines of what `fill` includes."""
    found = fill(memories, budget, count, layout)
    ids = [identity(memories[one.place], layout.scopes) for one in found]
    return ids, [one.line for one in found]


def fill(
    memories: Sequence[Node], budget: int | None, count: TokenCounter, layout: Layout
) -> list[PlacedLine]:
    """The memories, given best first, that fit into `budget` tokens, in reading order.

    If the best does not fit, an `excerpt` of it is included. Any other that does not fit is left
    out with its companions (`layout.beside`); shorter ones of lower rank may still be included.
    """
    filling = _Filling(memories, count, layout)
    every = range(len(memories))
    if budget is None:
        return filling.lines(every)
    filling.shorten_best(budget)
    has_room = not memories or filling.tokens(every) <= budget
    return filling.lines(every if has_room else filling.fitting(budget))


class _Position(NamedTuple):
    """The position of a memory among the lines."""

    place: int
    before: int | None
    """The place of the line before it, if that is of the same session."""
    when: str | None
    """The date in its line: the day if it is new, the time if lines of a day are unordered, or the
    sign that memories between it and the line before are not shown."""


class _Filling:
    """Chooses among memories, best first, and orders them. A memory is identified by its place."""

    def __init__(self, memories: Sequence[Node], count: TokenCounter, layout: Layout) -> None:
        self._count = count
        self._layout = layout
        self._passages = [Passage.of(memory, layout) for memory in memories]
        self._ids = [identity(memory, layout.scopes) for memory in memories]
        self._places = {known: place for place, known in enumerate(self._ids)}
        self._beside = dict(layout.beside)
        # With the scope, since sessions of two scopes may have one name.
        self._sessions = [None if m.session is None else (m.scope, m.session) for m in memories]
        sessions = [session for session in self._sessions if session is not None]
        self._is_grouped = len({*sessions}) < len(sessions)
        timed = [p.day for p in self._passages if has_time(p.memory.happened)]
        self._is_timed = len({*timed}) < len(timed)

    def shorten_best(self, budget: int) -> None:
        """Cut the best memory to `budget` tokens if its line is longer."""
        if self._passages and self.tokens([0]) > budget:
            best = self._passages[0].memory
            cut = excerpt(best, budget, self._count, self._layout)
            self._passages[0] = Passage.of(cut or shortest(best, self._layout), self._layout)

    def fitting(self, budget: int) -> list[int]:
        """The places of memories, chosen best first, whose lines fit into the budget together."""
        needs = [passage.need(self._count) for passage in self._passages]
        taken: dict[int, None] = {}
        left = budget + _LAST
        for _ in range(_ROUNDS):
            before = len(taken)
            for place in range(len(needs)):
                if place in taken:
                    continue
                unit = [each for each in self._unit(place) if each not in taken]
                if not place and sum(needs[each] for each in unit) > left:
                    unit = [place]  # the best is always included
                if (need := sum(needs[each] for each in unit)) <= left:
                    left -= need
                    taken |= dict.fromkeys(unit)
            if len(taken) == before:
                break
            while taken and self.tokens(sorted(taken)) > budget:
                taken.popitem()  # a counter may find more in the whole than in its parts
            # Lines of one day share its date: what that saves is room for more.
            left = budget - self.tokens(sorted(taken), ended=True)
        return self._with_excerpt(sorted(taken), budget, left)

    def _with_excerpt(self, taken: list[int], budget: int, left: int) -> list[int]:
        """The places that are taken and, if `left` tokens allow, one more, cut to an excerpt: the
        best likely one if there are sought words, or else the continuation of the best memory."""
        layout = self._layout
        likely = len(self._passages) if layout.likely is None else layout.likely
        likely *= bool(layout.sought)
        others = (place for place in range(len(self._passages)) if place not in taken)
        place = next((p for p in others if p < likely or self._continues_best(p)), None)
        if place is None or left < _LEAST_CUT or len({*self._unit(place)}.difference(taken)) > 1:
            return taken
        whole = self._passages[place]
        if self._continues_best(place):
            layout = replace(layout, sought=())  # from its beginning on
        if cut := excerpt(whole.memory, left, self._count, layout):
            self._passages[place] = Passage.of(cut, layout)
            if self.tokens(more := sorted((*taken, place))) <= budget:
                return more
            self._passages[place] = whole
        return taken

    def _continues_best(self, place: int) -> bool:
        """Whether a memory is the segment after the best one in one call of `remember`."""
        best, memory = self._passages[0].memory, self._passages[place].memory
        is_next = self._ids[place] == self._ids[0] + 1
        return is_next and (memory.created, memory.session) == (best.created, best.session)

    def _unit(self, place: int) -> list[int]:
        """The places that are included together or not at all: a memory and its companions."""
        ids = (self._ids[place], *self._beside.get(self._ids[place], ()))
        return [self._places[each] for each in ids if each in self._places]

    def tokens(self, places: Sequence[int], *, ended: bool = False) -> int:
        """The tokens of the lines of `places`, ascending, as one text."""
        text = "\n".join([one.line for one in self.lines(places)])
        return self._count(f"{text}\n" if ended else text)

    def lines(self, places: Sequence[int]) -> list[PlacedLine]:
        """The lines of `places`, ascending, in reading order."""
        found: list[PlacedLine] = []
        for place, before, when in self._positions(places):
            passage = self._passages[place] if before is None else self._behind(place, before)
            found.append(PlacedLine(place, passage.text(when)))
        return found

    def _positions(self, places: Sequence[int]) -> list[_Position]:
        """The positions of `places` in reading order, which does not depend on how each is cut."""
        found: list[_Position] = []
        sessions = self._sessions
        before: int | None = None
        session = last = None
        in_likely = True
        for place in self._ordered(places):
            if in_likely and not self._is_likely(place):  # a remark stands between
                in_likely, last, session = False, None, None
            is_same = sessions[place] is not None and sessions[place] == session
            behind = before if is_same else None
            day = self._passages[place].day
            when = None if day == last else day
            if when is None and behind is not None and self._ids[place] != self._ids[behind] + 1:
                when = _GAP
            found.append(_Position(place, behind, when))
            session, before, last = sessions[place], place, day
        return self._timed(found) if self._is_timed else found

    def _timed(self, found: Sequence[_Position]) -> list[_Position]:
        """The positions with the time added where lines of one day are not in order of time. Of
        consecutive lines of one session, which are in order, only the first has it."""
        passages = self._passages
        days: dict[str, list[datetime]] = {}
        for each in found:
            if has_time((passage := passages[each.place]).memory.happened):
                days.setdefault(passage.day, []).append(passage.when)
        mixed = {day for day, whens in days.items() if whens != sorted(whens)}
        timed: list[_Position] = []
        for each in found:
            passage = passages[each.place]
            is_timed = each.before is None and has_time(passage.memory.happened)
            if is_timed and passage.day in mixed:
                clock = f"{passage.when:%H:%M}"
                each = _Position(each.place, None, f"{each.when} {clock}" if each.when else clock)
            timed.append(each)
        return timed

    def _ordered(self, places: Sequence[int]) -> list[int]:
        """Places, given ascending, in reading order.

        Likely memories stand before the rest. In both groups, nodes of one session stand together,
        in the order in which they were remembered, at the position of the best of them, and
        outdated ones (`layout.earlier`) stand last.
        """
        if self._layout.in_order:
            passages, ids, ahead = self._passages, self._ids, len(self._layout.ahead)
            coming = [place for place in places if place < ahead]
            past = places[len(coming) :]
            return [*coming, *sorted(past, key=lambda place: (passages[place].when, ids[place]))]
        behind = sum(map(self._is_likely, places))
        return [*self._arranged(places[:behind]), *self._arranged(places[behind:])]

    def _is_likely(self, place: int) -> bool:
        layout = self._layout
        return layout.likely is None or layout.in_order or place < layout.likely

    def _arranged(self, places: Sequence[int]) -> list[int]:
        """One group of places, the likely ones or the rest, in reading order."""
        order = self._together(places) if self._is_grouped else [*places]
        if self._layout.earlier:
            earlier = set(self._layout.earlier)
            order.sort(key=lambda place: self._ids[place] in earlier)
        return order

    def _together(self, places: Sequence[int]) -> list[int]:
        """Places, given ascending, with those of one session together."""
        groups: dict[tuple[str, str] | int, list[int]] = {}  # the first place of each is its best
        for place in places:
            group = self._sessions[place]
            groups.setdefault(place if group is None else group, []).append(place)
        arranged = (sorted(group, key=self._ids.__getitem__) for group in groups.values())
        return list(chain.from_iterable(arranged))

    def _behind(self, place: int, last: int) -> Passage:
        """The passage at a place that follows another one of its session, without the sentences at
        its beginning with which that one ends: chunks of a file overlap."""
        passage, before = self._passages[place], self._passages[last]
        memory = passage.memory
        if passage.body != memory.text:
            return passage
        repeated = beginning = ""
        for sentence in memory.sentences[:-1]:
            beginning += sentence
            if len(beginning) > len(before.body):
                break
            if len(beginning) >= _REPEATED and before.body.endswith(beginning.strip()):
                repeated = beginning
        return passage.with_body(passage.body[len(repeated) :].strip()) if repeated else passage
