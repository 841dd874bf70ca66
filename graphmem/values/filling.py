"""Filling: which memories fit into a number of tokens, and the lines that tell them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from graphmem.values.excerpts import excerpt, marked, parts
from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import (
    LineCounter,
    Passage,
    Tellable,
    Telling,
    TokenCounter,
    identity,
    named_day,
)

_PLAIN: Final = Telling()
_ROUNDS: Final = 3  # of filling a budget; the later ones use what shared dates have saved
_SHORTEST: Final = 5  # tokens of a line with a phrase: more would not fit into a budget
_BRIEF: Final = 50  # letters of the shortest excerpt
_LONGER: Final = (None, 480, 240, 120)  # of longer ones; None: the whole
_REPEATED: Final = 20  # characters from which a repetition is left out


class Told(NamedTuple):
    """A memory that is told."""

    place: int  # among the nodes that were given
    line: str


def told(
    memories: Sequence[Node | Tellable],
    budget: int | None,
    count: TokenCounter,
    telling: Telling = _PLAIN,
) -> tuple[list[int], list[str]]:
    """The ids of the memories that `fill` tells, and their lines. With `telling.scopes` they are
    `identity`'s."""
    given = [Tellable.of(m, telling.zone) if isinstance(m, Node) else m for m in memories]
    found = fill(given, budget, count, telling)
    ids = [identity(given[one.place], telling.scopes) for one in found]
    return ids, [one.line for one in found]


def fill(
    memories: Sequence[Tellable], budget: int | None, count: TokenCounter, telling: Telling
) -> list[Told]:
    """Those of the memories, given best first, that fit into `budget` tokens, in the order in which
    they are read.

    Of a best one that does not fit, as much is told as does. Another is left out, and shorter ones
    behind it may still come in. If not all fit, `whole_share` of the budget is for whole ones, and
    the rest for excerpts of those that come next, as short as a phrase, each where its session
    stands: heads cost as much as a phrase, so as many as can be are shared, and a year is written
    once. What is then left makes the excerpts longer, the best first.

    No line is written but of those that are told: the others are only counted, by a LineCounter
    each once.
    """
    filling = _Filling(memories, count, telling)
    every = range(len(memories))
    if budget is None:
        return filling.lines(every)
    filling.shorten_best(budget)
    if telling.whole_share >= 1:
        return filling.lines(filling.whole(budget))
    if not memories or filling.tokens(every) <= budget:
        return filling.lines(every)
    taken = filling.whole(int(budget * telling.whole_share))
    if 0 not in taken:  # the best is told whole where it can be
        taken = filling.whole(budget)[:1]
    short = [*filter(filling.shortens, filling.left(taken))]
    low, high, told_in_short = 0, min(len(short), budget // _SHORTEST), 0
    while low < high:
        middle = (low + high + 1) // 2
        filling.shorten(short[told_in_short:middle])
        told_in_short = max(told_in_short, middle)
        if filling.tokens(sorted((*taken, *short[:middle])), brief=True) <= budget:
            low = middle
        else:
            high = middle - 1
    filling.lengthen(short[:low], sorted((*taken, *short[:low])), budget)
    return filling.lines(sorted((*taken, *short[:low])), brief=True)


class _Laid(NamedTuple):
    """Where a memory is told."""

    place: int
    before: int | None
    """The place before it if that is of the same session."""
    when: str | None
    """What its line names of when it happened: the day, if the line before has another one, and the
    time, where lines of one day stand out of order."""
    in_year: str | None
    """The same behind another one of its year."""


class _Filling:
    """Some memories, best first, of which some are told. One is known by its place."""

    def __init__(self, memories: Sequence[Tellable], count: TokenCounter, telling: Telling) -> None:
        self._count = count
        self._telling = telling
        self._passages = [Passage.of(memory, telling) for memory in memories]
        self._ids = [identity(memory, telling.scopes) for memory in memories]
        # As no node of another scope has them.
        self._sessions = [None if m.session is None else (m.scope, m.session) for m in memories]
        sessions = [session for session in self._sessions if session is not None]
        self._is_grouped = len({*sessions}) < len(sessions)
        self._needs: list[int] = []
        self._laid: tuple[list[int], list[_Laid]] = [], []
        timed = [p.day for p in self._passages if p.memory.is_timed]
        self._is_timed = len({*timed}) < len(timed)
        self._unrepeated: dict[tuple[Passage, Passage], Passage] = {}
        self._excerpts: dict[int, str] = {}

    def shorten_best(self, budget: int) -> None:
        """Of the best one, tell no more than fits into `budget` tokens."""
        if self._passages and self._need(0) > budget:
            best = _shortened(self._passages[0].memory, budget, self._count, self._telling)
            self._passages[0] = Passage.of(best, self._telling)

    def whole(self, budget: int) -> list[int]:
        """The places of those whose lines fit into a budget together, the best first."""
        if not self._needs:
            self._needs = list(map(self._need, range(len(self._passages))))
        taken: list[int] = []
        rest = list(range(len(self._passages)))
        left = budget
        for _ in range(_ROUNDS):
            before = len(taken)
            passed: list[int] = []
            for place in rest:
                need = self._needs[place]
                if need <= left:
                    left -= need
                    taken.append(place)
                else:
                    passed.append(place)
            if len(taken) == before:
                break
            rest = passed
            while taken and self.tokens(sorted(taken)) > budget:
                # A counter may find more in the whole than in its parts.
                rest.append(taken.pop())
            rest.sort()
            # Lines of one day share its date: what that saves is room for more.
            left = budget - self.tokens(sorted(taken), ended=True)
        return sorted(taken)

    def left(self, taken: Sequence[int]) -> list[int]:
        """The places of the others that say something else."""
        memories = [passage.memory for passage in self._passages]
        said = "\n".join(memories[place].text for place in taken)
        words = set(said.split())
        known = set(taken)
        # A chunk of a file may repeat sentences of another. To look for the words first is faster.
        return [
            place
            for place, memory in enumerate(memories)
            if place not in known
            and not (
                words.issuperset(memory.phrase.split()[1:-1])
                and memory.phrase in said
                and all(part in said for part in parts(self._excerpt(place)))
            )
        ]

    def shortens(self, place: int) -> bool:
        """Whether something of a memory may be told without the rest."""
        return self._passages[place].memory.form is Form.GIST or bool(self._brief(place))

    def shorten(self, places: Iterable[int]) -> None:
        """Tell of some an excerpt from now on, or the phrase where none tells what is sought,
        unless these are longer than what they say."""
        for place in places:
            memory = self._passages[place].memory
            if memory.form is Form.GIST:
                continue
            brief = self._brief(place)
            if len(brief) < len(memory.text):
                self._passages[place] = self._passages[place].saying(brief)

    def _brief(self, place: int) -> str:
        memory = self._passages[place].memory
        return self._excerpt(place) or marked(memory.phrase, memory.text, self._telling.sought)

    def _excerpt(self, place: int) -> str:
        if (found := self._excerpts.get(place)) is None:
            text = self._passages[place].memory.text
            found = self._excerpts[place] = excerpt(text, self._telling.sought, _BRIEF)
        return found

    def lengthen(self, some: Sequence[int], places: Sequence[int], budget: int) -> None:
        """Tell as much of some, best first, as fits into `budget` tokens with all `places`."""
        size = self.tokens(places, brief=True) if some else budget
        for place in some:
            if budget - size < _SHORTEST:
                return
            brief = self._passages[place]
            memory = brief.memory
            if memory.form is Form.GIST or brief.said == memory.text:
                continue
            for most in _LONGER:
                longer = memory.text
                if most is not None:
                    longer = excerpt(memory.text, self._telling.sought, most)
                if len(longer) <= len(brief.said):
                    break
                self._passages[place] = brief.saying(longer)
                if (found := self.tokens(places, brief=True)) <= budget:
                    size = found
                    break
                self._passages[place] = brief

    def tokens(self, places: Sequence[int], *, brief: bool = False, ended: bool = False) -> int:
        """The tokens of the lines of some places, ascending, together."""
        count, found = self._count, self._found(places, brief)
        if isinstance(count, LineCounter) and places:
            pieces = [passage.pieces(when, count) for _, passage, when in found]
            if None not in pieces:
                ends = (len(places) - 1 + ended) * count.line_end
                return count.tokens(sum(filter(None, pieces)) + ends)
        text = "\n".join([one.line for one in self.lines(places, brief=brief)])
        return count(f"{text}\n" if ended else text)

    def lines(self, places: Sequence[int], *, brief: bool = False) -> list[Told]:
        """The lines of some places, ascending, in the order in which they are read."""
        found = self._found(places, brief)
        return [Told(place, passage.text(when)) for place, passage, when in found]

    def _found(
        self, places: Sequence[int], brief: bool
    ) -> Iterator[tuple[int, Passage, str | None]]:
        """What is told at some places, as it is read, and what it names of when that happened."""
        # A year of which all are is named once.
        brief = brief and len({self._passages[place].day[:-6] for place in places}) == 1
        for place, before, when, in_year in self._layout(places):
            passage = self._passages[place] if before is None else self._behind(place, before)
            yield place, passage, in_year if brief else when

    def _need(self, place: int) -> int:
        """The tokens of a line that stands alone."""
        return self._passages[place].need(self._count)

    def _layout(self, places: Sequence[int]) -> list[_Laid]:
        """The places in the order in which they are read: the same whatever is told there."""
        if self._laid[0] == places:
            return self._laid[1]
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
            whens = named_day(day, last), named_day(day, last, brief=True)
            found.append(_Laid(place, before if follows else None, *whens))
            session, before, last = of, place, day
        if self._is_timed:
            found = self._timed(found)
        self._laid = [*places], found
        return found

    def _timed(self, found: Sequence[_Laid]) -> list[_Laid]:
        """The same with the time where lines of one day do not stand in its order; of lines of one
        session, which do, only the first names it."""
        passages = self._passages
        first = [each for each in found if each.before is None]
        days: dict[str, list[datetime]] = {}
        for each in first:
            if (passage := passages[each.place]).memory.is_timed:
                days.setdefault(passage.day, []).append(passage.memory.when)
        mixed = {day for day, whens in days.items() if whens != sorted(whens)}
        timed: list[_Laid] = []
        for each in found:
            memory = passages[each.place].memory
            if each.before is None and memory.is_timed and passages[each.place].day in mixed:
                clock = f"{memory.when:%H:%M}"
                whens = (f"{day} {clock}" if day else clock for day in each[2:])
                each = _Laid(each.place, None, *whens)
            timed.append(each)
        return timed

    def _ordered(self, places: Sequence[int]) -> list[int]:
        """Places, ascending, in the order in which they are read.

        What is likely stands first. There and behind it, nodes of one session stand together, in
        the order in which they were remembered; the best of them says where. What was so earlier
        stands behind what holds.
        """
        if self._telling.in_order:
            passages, ids, ahead = self._passages, self._ids, len(self._telling.ahead)
            coming = [place for place in places if place < ahead]
            over = places[len(coming) :]
            over = sorted(over, key=lambda place: (passages[place].memory.when, ids[place]))
            return [*coming, *over]
        behind = sum(map(self._is_likely, places))
        return [*self._arranged(places[:behind]), *self._arranged(places[behind:])]

    def _is_likely(self, place: int) -> bool:
        telling = self._telling
        return telling.likely is None or telling.in_order or place < telling.likely

    def _arranged(self, places: Sequence[int]) -> list[int]:
        """What is likely, or what stands behind it, in the order in which it is read."""
        telling, ids = self._telling, self._ids
        order = [*places]
        if self._is_grouped:
            order = self._together(places)
        if telling.earlier:
            earlier = set(telling.earlier)
            order.sort(key=lambda place: ids[place] in earlier)
        return order

    def _together(self, places: Sequence[int]) -> list[int]:
        """Places, ascending, so that what belongs together stands together."""
        ids, sessions = self._ids, self._sessions
        groups: dict[tuple[str, str] | int, list[int]] = {}  # the first place of each is its best
        for place in places:
            group = sessions[place]
            groups.setdefault(place if group is None else group, []).append(place)
        order: list[int] = []
        for together in groups.values():
            if len(together) > 1:
                together.sort(key=ids.__getitem__)
            order += together
        return order

    def _behind(self, place: int, last: int) -> Passage:
        """What is told at a place behind another one of its session: without the sentences at its
        beginning with which that one ends, as chunks of a file overlap."""
        passage, before = self._passages[place], self._passages[last]
        memory = passage.memory
        if (
            len(memory.sentences) < 2
            or passage.said != memory.text
            or before.memory.form is Form.GIST
        ):
            return passage
        found = self._unrepeated.get((before, passage))
        if found is None:
            repeated = said = ""
            for sentence in memory.sentences[:-1]:
                said += sentence
                if len(said) > len(before.said):
                    break
                if len(said) >= _REPEATED and before.said.endswith(said.strip()):
                    repeated = said
            found = passage.saying(passage.said[len(repeated) :].strip()) if repeated else passage
            self._unrepeated[before, passage] = found
        return found


def _shortened(memory: Tellable, budget: int, count: TokenCounter, telling: Telling) -> Tellable:
    """As much of a memory as `budget` tokens hold: its sentences from the first on, with "…" for
    the others, or its phrase, however long that is. All if what limits either would be left out."""
    said = told = ""
    for sentence in memory.sentences:
        said += sentence
        attempt = marked(said.strip(), memory.text, telling.sought)
        if not attempt:
            continue
        if Passage.of(memory._replace(text=attempt), telling).need(count) > budget:
            break
        told = attempt
    told = told or marked(memory.phrase, memory.text, telling.sought)
    return memory._replace(text=told, form=Form.SHORTER) if told else memory
