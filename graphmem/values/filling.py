"""Filling: which memories fit into a number of tokens, and the lines that tell them."""

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
_LAST: Final = 2  # tokens of a line end, which the last line has not; what is too much goes again
_WORTH: Final = 40  # tokens left of a budget from which on a part of one more is told
_REPEATED: Final = 20  # characters from which a repetition is left out


class PlacedLine(NamedTuple):
    """A memory that is told."""

    place: int  # among the nodes that were given
    line: str


def filled(
    memories: Sequence[Node],
    budget: int | None,
    count: TokenCounter,
    layout: Layout = _PLAIN,
) -> tuple[list[int], list[str]]:
    """The ids of the memories that `fill` tells, and their lines. With `layout.scopes` they are
    `identity`'s."""
    found = fill(memories, budget, count, layout)
    ids = [identity(memories[one.place], layout.scopes) for one in found]
    return ids, [one.line for one in found]


def fill(
    memories: Sequence[Node], budget: int | None, count: TokenCounter, layout: Layout
) -> list[PlacedLine]:
    """Those of the memories, given best first, that fit into `budget` tokens, in the order in which
    they are read.

    Of a best one that does not fit, an `excerpt` is told. Another is left out with what is told
    with it, and shorter ones behind it may still come in.
    """
    filling = _Filling(memories, count, layout)
    every = range(len(memories))
    if budget is None:
        return filling.lines(every)
    filling.shorten_best(budget)
    is_all = not memories or filling.tokens(every) <= budget
    return filling.lines(every if is_all else filling.fitting(budget))


class _Laid(NamedTuple):
    """Where a memory is told."""

    place: int
    before: int | None
    """The place before it if that is of the same session."""
    when: str | None
    """What its line names of when it happened: the day, if the line before has another one, and the
    time, where lines of one day stand out of order."""


class _Filling:
    """Some memories, best first, of which some are told. One is known by its place."""

    def __init__(self, memories: Sequence[Node], count: TokenCounter, layout: Layout) -> None:
        self._count = count
        self._layout = layout
        self._passages = [Passage.of(memory, layout) for memory in memories]
        self._ids = [identity(memory, layout.scopes) for memory in memories]
        self._places = {known: place for place, known in enumerate(self._ids)}
        self._beside = dict(layout.beside)
        # As no node of another scope has them.
        self._sessions = [None if m.session is None else (m.scope, m.session) for m in memories]
        sessions = [session for session in self._sessions if session is not None]
        self._is_grouped = len({*sessions}) < len(sessions)
        timed = [p.day for p in self._passages if has_time(p.memory.happened)]
        self._is_timed = len({*timed}) < len(timed)

    def shorten_best(self, budget: int) -> None:
        """Of the best one, tell no more than fits into `budget` tokens."""
        if self._passages and self.tokens([0]) > budget:
            best = self._passages[0].memory
            part = excerpt(best, budget, self._count, self._layout)
            self._passages[0] = Passage.of(part or shortest(best, self._layout), self._layout)

    def fitting(self, budget: int) -> list[int]:
        """The places of those whose lines fit into a budget together, taken best first."""
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
                    unit = [place]  # the best is told anyway
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
        """The places that are taken, and one besides, of which as much is told as fits into what is
        left of a budget: the best likely one, if anything is sought, or else what goes on with the
        text of the best."""
        layout = self._layout
        likely = len(self._passages) if layout.likely is None else layout.likely
        likely *= bool(layout.sought)
        others = (place for place in range(len(self._passages)) if place not in taken)
        place = next((p for p in others if p < likely or self._goes_on(p)), None)
        if place is None or left < _WORTH or len({*self._unit(place)}.difference(taken)) > 1:
            return taken
        whole = self._passages[place]
        if self._goes_on(place):
            layout = replace(layout, sought=())  # from its beginning on
        if told := excerpt(whole.memory, left, self._count, layout):
            self._passages[place] = Passage.of(told, layout)
            if self.tokens(more := sorted((*taken, place))) <= budget:
                return more
            self._passages[place] = whole
        return taken

    def _goes_on(self, place: int) -> bool:
        """Whether what is told at a place was remembered in one go with the best, right behind."""
        best, memory = self._passages[0].memory, self._passages[place].memory
        is_next = self._ids[place] == self._ids[0] + 1
        return is_next and (memory.created, memory.session) == (best.created, best.session)

    def _unit(self, place: int) -> list[int]:
        """The places of which all are told, or none: a memory's, and what is told with it."""
        ids = (self._ids[place], *self._beside.get(self._ids[place], ()))
        return [self._places[each] for each in ids if each in self._places]

    def tokens(self, places: Sequence[int], *, ended: bool = False) -> int:
        """The tokens of the lines of some places, ascending, together."""
        text = "\n".join([one.line for one in self.lines(places)])
        return self._count(f"{text}\n" if ended else text)

    def lines(self, places: Sequence[int]) -> list[PlacedLine]:
        """The lines of some places, ascending, in the order in which they are read."""
        found: list[PlacedLine] = []
        for place, before, when in self._laid(places):
            passage = self._passages[place] if before is None else self._behind(place, before)
            found.append(PlacedLine(place, passage.text(when)))
        return found

    def _laid(self, places: Sequence[int]) -> list[_Laid]:
        """The places in the order in which they are read: the same whatever is told there."""
        found: list[_Laid] = []
        sessions = self._sessions
        before: int | None = None
        session = last = None
        is_likely = True
        for place in self._ordered(places):
            if is_likely and not self._is_likely(place):  # a remark stands between
                is_likely, last = False, None
            of = sessions[place]
            follows = of is not None and of == session
            day = self._passages[place].day
            when = None if day == last else day
            found.append(_Laid(place, before if follows else None, when))
            session, before, last = of, place, day
        return self._timed(found) if self._is_timed else found

    def _timed(self, found: Sequence[_Laid]) -> list[_Laid]:
        """The same with the time where lines of one day do not stand in its order; of lines of one
        session, which do, only the first names it."""
        passages = self._passages
        first = [each for each in found if each.before is None]
        days: dict[str, list[datetime]] = {}
        for each in first:
            if has_time((passage := passages[each.place]).memory.happened):
                days.setdefault(passage.day, []).append(passage.when)
        mixed = {day for day, whens in days.items() if whens != sorted(whens)}
        timed: list[_Laid] = []
        for each in found:
            passage = passages[each.place]
            is_timed = each.before is None and has_time(passage.memory.happened)
            if is_timed and passage.day in mixed:
                clock = f"{passage.when:%H:%M}"
                each = _Laid(each.place, None, f"{each.when} {clock}" if each.when else clock)
            timed.append(each)
        return timed

    def _ordered(self, places: Sequence[int]) -> list[int]:
        """Places, ascending, in the order in which they are read.

        What is likely stands first. There and behind it, nodes of one session stand together, in
        the order in which they were remembered; the best of them says where. What was so earlier
        stands behind what holds.
        """
        if self._layout.in_order:
            passages, ids, ahead = self._passages, self._ids, len(self._layout.ahead)
            coming = [place for place in places if place < ahead]
            over = places[len(coming) :]
            over = sorted(over, key=lambda place: (passages[place].when, ids[place]))
            return [*coming, *over]
        behind = sum(map(self._is_likely, places))
        return [*self._arranged(places[:behind]), *self._arranged(places[behind:])]

    def _is_likely(self, place: int) -> bool:
        layout = self._layout
        return layout.likely is None or layout.in_order or place < layout.likely

    def _arranged(self, places: Sequence[int]) -> list[int]:
        """What is likely, or what stands behind it, in the order in which it is read."""
        layout, ids = self._layout, self._ids
        order = [*places]
        if self._is_grouped:
            order = self._together(places)
        if layout.earlier:
            earlier = set(layout.earlier)
            order.sort(key=lambda place: ids[place] in earlier)
        return order

    def _together(self, places: Sequence[int]) -> list[int]:
        """Places, ascending, so that what belongs together stands together."""
        groups: dict[tuple[str, str] | int, list[int]] = {}  # the first place of each is its best
        for place in places:
            group = self._sessions[place]
            groups.setdefault(place if group is None else group, []).append(place)
        arranged = (sorted(group, key=self._ids.__getitem__) for group in groups.values())
        return list(chain.from_iterable(arranged))

    def _behind(self, place: int, last: int) -> Passage:
        """What is told at a place behind another one of its session: without the sentences at its
        beginning with which that one ends, as chunks of a file overlap."""
        passage, before = self._passages[place], self._passages[last]
        memory = passage.memory
        if passage.body != memory.text:
            return passage
        repeated = said = ""
        for sentence in memory.sentences[:-1]:
            said += sentence
            if len(said) > len(before.body):
                break
            if len(said) >= _REPEATED and before.body.endswith(said.strip()):
                repeated = said
        return passage.with_body(passage.body[len(repeated) :].strip()) if repeated else passage
