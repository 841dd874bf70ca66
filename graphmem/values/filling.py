"""Filling: which memories fit into a number of tokens, and the lines that tell them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import (
    Line,
    LineCounter,
    Passage,
    Telling,
    TokenCounter,
    counted,
    dated,
    identity,
    line,
    named_day,
)

_PLAIN: Final = Telling()
_ROUNDS: Final = 3  # of filling a budget; the later ones use what shared dates have saved
_SHORTEST: Final = 5  # tokens of a line with a phrase: more would not fit into a budget
_REPEATED: Final = 20  # characters from which a repetition is left out


class Told(NamedTuple):
    """A memory that is told."""

    place: int  # among the nodes that were given
    line: Line


def told(
    nodes: Sequence[Node],
    budget: int | None,
    count: TokenCounter,
    telling: Telling = _PLAIN,
) -> tuple[list[int], list[str]]:
    """The ids of the nodes that `fill` tells, and their lines. With `telling.scopes` they are
    `identity`'s."""
    found = fill(nodes, budget, count, telling)
    ids = [identity(nodes[one.place], telling.scopes) for one in found]
    return ids, [one.line.text for one in found]


def fill(
    nodes: Sequence[Node], budget: int | None, count: TokenCounter, telling: Telling
) -> list[Told]:
    """Those of the nodes, given best first, that fit into `budget` tokens, in the order in which
    they are read.

    Of a best one that does not fit, as much is told as does. Another is left out, and shorter ones
    behind it may still come in. If not all fit, `whole_share` of the budget is for whole ones, and
    the rest for the phrases of those that come next, each where its session stands: heads cost as
    much as a phrase, so as many as can be are shared, and a year is written once.

    No line is written but of those that are told: the others are only counted, by a LineCounter
    each once.
    """
    filling = _Filling(nodes, count, telling)
    every = range(len(nodes))
    if budget is None:
        return filling.lines(every)
    filling.shorten_best(budget)
    if telling.whole_share >= 1:
        return filling.lines(filling.whole(budget))
    if not nodes or filling.tokens(every) <= budget:
        return filling.lines(every)
    taken = filling.whole(int(budget * telling.whole_share)) or filling.whole(budget)[:1]
    short = filling.in_short(taken)
    low, high = 0, min(len(short), budget // _SHORTEST)
    while low < high:
        middle = (low + high + 1) // 2
        if filling.tokens(sorted((*taken, *short[:middle])), brief=True) <= budget:
            low = middle
        else:
            high = middle - 1
    return filling.lines(sorted((*taken, *short[:low])), brief=True)


class _Filling:
    """Some nodes, best first, of which some are told. A node is known by its place."""

    def __init__(self, nodes: Sequence[Node], count: TokenCounter, telling: Telling) -> None:
        self._nodes = list(nodes)
        self._count = count
        self._telling = telling
        self._passages = [Passage.of(node, telling) for node in nodes]
        self._ids = [identity(node, telling.scopes) for node in nodes]
        self._sessions = [_session(node) for node in nodes]
        self._is_grouped = _is_grouped(self._ids, self._sessions)
        self._needs: list[int] = []
        self._summed: tuple[list[int], bool, int] | None = None
        self._unrepeated: dict[tuple[Passage, Passage], Passage] = {}

    def shorten_best(self, budget: int) -> None:
        """Of the best one, tell no more than fits into `budget` tokens."""
        if self._nodes and self._need(0) > budget:
            best = _shortened(self._nodes[0], budget, self._count, self._telling)
            self._nodes[0] = best
            self._passages[0] = Passage.of(best, self._telling)

    def whole(self, budget: int) -> list[int]:
        """The places of those whose lines fit into a budget together, the best first."""
        if not self._needs:
            self._needs = list(map(self._need, range(len(self._nodes))))
        taken: list[int] = []
        rest = list(range(len(self._nodes)))
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

    def in_short(self, taken: Sequence[int]) -> list[int]:
        """The places of the others that say something else. They are told by their phrases from now
        on, unless these are longer than what they say."""
        said = "\n".join(self._nodes[place].text for place in taken)
        words = set(said.split())
        known = set(taken)
        # A chunk of a file may repeat sentences of another. To look for the words first is faster.
        found = [
            place
            for place, node in enumerate(self._nodes)
            if place not in known
            and not (words.issuperset(node.phrase.split()[1:-1]) and node.phrase in said)
        ]
        for place in found:
            node = self._nodes[place]
            if node.form is not Form.GIST and len(node.phrase) + 1 < len(node.text):
                self._passages[place] = self._passages[place].saying(node.phrase)
        return found

    def tokens(self, places: Sequence[int], *, brief: bool = False, ended: bool = False) -> int:
        """The tokens of the lines of some places, ascending, together."""
        count = self._count
        if isinstance(count, LineCounter) and places:
            pieces = self._sum([*places], brief, count)
            if pieces is not None:
                return count.tokens(pieces + (len(places) - 1 + ended) * count.line_end)
        return counted(count, [one.line for one in self.lines(places, brief=brief)], ended=ended)

    def _sum(self, places: list[int], brief: bool, count: LineCounter) -> int | None:
        """The pieces of the lines of some places; the last sum is kept."""
        if self._summed is not None and self._summed[:2] == (places, brief):
            return self._summed[2]
        found = 0
        for _, passage, when in self._read(places, brief=brief):
            pieces = passage.pieces(when, count)
            if pieces is None:
                return None
            found += pieces
        self._summed = places, brief, found
        return found

    def lines(self, places: Sequence[int], *, brief: bool = False) -> list[Told]:
        """The lines of some places, ascending, in the order in which they are read."""
        return [
            Told(place, passage.line(when, self._count))
            for place, passage, when in self._read(places, brief=brief)
        ]

    def _need(self, place: int) -> int:
        """The tokens of a line that stands alone."""
        return self._passages[place].need(self._count)

    def _read(self, places: Sequence[int], *, brief: bool) -> list[tuple[int, Passage, str | None]]:
        """The places in the order in which they are read, what is told there, and the day that
        each line names."""
        found: list[tuple[int, Passage, str | None]] = []
        last, before = -1, None
        for place in self._ordered(places):
            passage = self._passages[place]
            if before is None:
                found.append((place, passage, passage.day))
            else:
                when = named_day(passage.day, before.day, brief=brief)
                session = self._sessions[place]
                if session is not None and session == self._sessions[last]:
                    found.append((place, self._behind(passage, before), when))
                else:
                    found.append((place, passage, when))
            last, before = place, passage
        return found

    def _ordered(self, places: Sequence[int]) -> list[int]:
        """Places, ascending, in the order in which they are read.

        What belongs together stands together, in the order in which it was remembered: nodes of one
        session; without a session, those remembered one directly after the other. The best of such
        a group says where it stands. What was so earlier stands behind all that holds.
        """
        telling, ids = self._telling, self._ids
        if telling.in_order:
            nodes = self._nodes
            return sorted(places, key=lambda place: (dated(nodes[place], telling.zone), ids[place]))
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
        best: dict[tuple[str, str], int] = {}  # session → the best place of it
        heads: dict[int, int] = {}  # place → the best place of its group
        alone: list[tuple[int, int]] = []
        for place in places:
            session = sessions[place]
            if session is not None:
                heads[place] = best.setdefault(session, place)
            else:
                heads[place] = place
                alone.append((ids[place], place))
        for run in _runs(sorted(alone)):
            heads |= dict.fromkeys(run, min(run))
        return sorted(places, key=lambda place: (heads[place], ids[place]))

    def _behind(self, passage: Passage, before: Passage) -> Passage:
        """What is told behind another passage of its session: without the sentences at its
        beginning with which that one ends, as chunks of a file overlap."""
        node = passage.node
        if len(node.sentences) < 2 or passage.said != node.text or before.node.form is Form.GIST:
            return passage
        found = self._unrepeated.get((before, passage))
        if found is None:
            repeated = said = ""
            for sentence in node.sentences[:-1]:
                said += sentence
                if len(said) > len(before.said):
                    break
                if len(said) >= _REPEATED and before.said.endswith(said.strip()):
                    repeated = said
            found = passage.saying(passage.said[len(repeated) :].strip()) if repeated else passage
            self._unrepeated[before, passage] = found
        return found


def _session(node: Node) -> tuple[str, str] | None:
    """The session of a node, as no node of another scope has it."""
    return None if node.session is None else (node.scope, node.session)


def _is_grouped(ids: Sequence[int], sessions: Sequence[tuple[str, str] | None]) -> bool:
    """Whether any two nodes belong together: of one session, or, without one, remembered one
    directly after the other."""
    known = [session for session in sessions if session is not None]
    if len(set(known)) < len(known):
        return True
    alone = {at for at, session in zip(ids, sessions, strict=True) if session is None}
    return any(at + 1 in alone for at in alone)


def _runs(alone: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """The places of nodes, given with their ids in ascending order, that were remembered one
    directly after the other."""
    run: list[int] = []
    for at, (identifier, place) in enumerate(alone):
        if run and identifier != alone[at - 1][0] + 1:
            yield run
            run = []
        run.append(place)
    if len(run) > 1:
        yield run


def _shortened(node: Node, budget: int, count: TokenCounter, telling: Telling) -> Node:
    """As much of a node as `budget` tokens hold: its sentences from the first on, or its phrase,
    however long that is."""
    said = ""
    for sentence in node.sentences:
        attempt = replace(node, text=(said + sentence).strip())
        if count(line(attempt, None, telling) + "\n") > budget:
            break
        said += sentence
    return replace(node, text=said.strip() or node.phrase, form=Form.SHORTER)
