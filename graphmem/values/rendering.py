"""Context: the text of a recall, within a token budget."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeAlias

from graphmem.values.nodes import Form, Node

TokenCounter: TypeAlias = Callable[[str], int]


class LineCounter(ABC):
    """A counter that knows what lines make together without reading them again."""

    @abstractmethod
    def __call__(self, text: str, /) -> int:
        """The tokens of a text."""

    @abstractmethod
    def of_lines(self, lines: Sequence[str], *, ended: bool = False) -> int:
        """The tokens of the lines joined by line ends, with one behind the last if `ended`."""


def counted(count: TokenCounter, lines: Sequence[str], *, ended: bool = False) -> int:
    """The tokens of the lines joined by line ends, with one behind the last if `ended`."""
    if isinstance(count, LineCounter):
        return count.of_lines(lines, ended=ended)
    text = "\n".join(lines)
    return count(f"{text}\n" if ended else text)


LINE_TOKENS = 10  # of a short memory: how many may be needed to fill a budget
_SCOPE: Final = 1 << 41  # above the ids of nodes, of which a scope has 2^40
_ROUNDS = 3  # of filling a budget; the later ones use what shared dates have saved
_SHORTEST = 5  # tokens of a line with a phrase: more would not fit into a budget
EARLIER: Final = "(earlier, no longer so)"
"""What a line says of a value that another one has replaced."""
_REPEATED = 20  # characters from which a repetition is left out
_REMARK: Final = re.compile(r"\s*\\*\((?:faded|earlier|once known|only|theme)")
_HEAD: Final = re.compile(rf"\s*\\*\[|{_REMARK.pattern}")
_BREAKING: Final = re.compile(r"[\[\]\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Telling:
    """How memories are written as lines."""

    zone: int = 0
    """Minutes from UTC: where a memory without `happened` has its day."""
    in_order: bool = False
    """The lines stand in the order of time, not of rank."""
    whole_share: float = 1.0
    """Share of a budget for whole memories; the rest is for the phrases of those that follow."""
    earlier: tuple[int, ...] = ()
    """Ids of nodes that say what was so before: their lines stand last of all and say so."""
    copies: tuple[tuple[int, int], ...] = ()
    """(id, how many more nodes say the same)."""
    scopes: tuple[str, ...] = ()
    """Names of the parents whose memories are among the nodes; ids here are `identity`'s."""


def identity(node: Node, scopes: Sequence[str]) -> int:
    """A number that no other node has, of whatever scope: the id, for one without a scope."""
    return node.id + (_SCOPE * (scopes.index(node.scope) + 1) if node.scope else 0)


def id_of(identity: int) -> int:
    """The id of the node of which `identity` is the number."""
    return identity % _SCOPE


def _apart(node: Node, scopes: Sequence[str]) -> Node:
    """A node whose id and session are those of no node of another scope."""
    if not node.scope:
        return node
    session = None if node.session is None else f"{node.session}\x00{node.scope}"
    return replace(node, id=identity(node, scopes), session=session)


def dated(node: Node, zone: int) -> datetime:
    """When a memory happened, or else when it was told, `zone` minutes from UTC."""
    return node.happened or node.created.astimezone(_zone(zone))


@lru_cache(64)
def _zone(minutes: int) -> timezone:
    return timezone(timedelta(minutes=minutes))


def line(
    node: Node,
    before: Node | None = None,
    telling: Telling = Telling(),
    *,
    brief: bool = False,
) -> str:
    """A node as a line of context: when, who, what.

    The day is left out where it is that of the line `before`, and the year, if the line is to be
    `brief`, where it is that of `before`; a gist says that the rest has faded.
    Of what was replaced it says until when it held. Whatever the node says stays within its line:
    further lines of it are indented, and what could be taken for a head or a remark has a
    backslash before it.
    """
    day = _day(node, telling)
    last = None if before is None else _day(before, telling)
    return _written(node, _named_day(day, last, brief), telling)


def _named_day(day: str, last: str | None, brief: bool) -> str | None:
    """What of its day a line names behind a line of the day `last`."""
    if last == day:
        return None
    return day[-5:] if brief and last is not None and last[:-6] == day[:-6] else day


def _written(node: Node, when: str | None, telling: Telling) -> str:
    """A node as a line; when: the day that it names."""
    said = node.text
    remark = ""
    if node.form is Form.GIST:
        said = node.derived or f"{node.phrase}: {', '.join(node.keywords)}"
        remark = "(faded) "
    if node.id in telling.earlier:
        remark = f"{EARLIER} {remark}"
    until = f"until {node.valid_to:%Y-%m-%d}" if node.valid_to is not None else ""
    line = written(said, when, node.speaker, until=until, remark=remark)
    if telling.copies and (copies := dict(telling.copies).get(node.id, 0)):
        line += f" (said {copies + 1} times)"
    return line


def written(
    said: str, when: str | None, speaker: str | None, *, until: str = "", remark: str = ""
) -> str:
    """What somebody said as a line that no text can forge: its head, a remark, and the text.

    when: the day that the head names, if it names one. until: what the head says behind the
    speaker. remark: ends with a blank.
    """
    mark = when or ""
    if speaker and (name := _name(speaker)):
        mark = f"{mark}, {name}" if mark else name
    if until:
        mark = f"{mark}, {until}" if mark else until
    first, *rest = said.splitlines() or [""]
    if (_REMARK if mark else _HEAD).match(first):
        first = f"\\{first}"
    said = "\n".join((first, *map(_continued, filter(str.strip, rest)))) if rest else first
    return f"[{mark}] {remark}{said}" if mark else f"{remark}{said}"


def _continued(more: str) -> str:
    """A further line of what a node says."""
    return f"  \\{more.lstrip()}" if _HEAD.match(more) else f"  {more}"


@lru_cache(1 << 10)
def _name(speaker: str) -> str:
    """A speaker's name without what would end the head of a line."""
    return " ".join(_BREAKING.sub(" ", speaker).split())


def _unrepeated(node: Node, before: Node | None) -> Node:
    """A node without the sentences at its beginning with which the one `before` ends, as chunks of
    a file overlap."""
    if before is None or node.session is None or node.session != before.session:
        return node
    repeated = said = ""
    for sentence in node.sentences[:-1]:
        said += sentence
        if len(said) > len(before.text):
            break
        if len(said) >= _REPEATED and before.text.endswith(said.strip()):
            repeated = said
    rest = node.text[len(repeated) :].strip() if repeated else node.text
    return node if rest == node.text else replace(node, text=rest)


def _day(node: Node, telling: Telling) -> str:
    return dated(node, telling.zone).date().isoformat()


class _Writer:
    """Writes the lines of some nodes; what is asked for again is neither written nor counted again.

    A node is known by its place in memory: one that was shortened has the id of the whole one.
    """

    def __init__(self, count: TokenCounter, telling: Telling) -> None:
        self.count = count
        self.telling = telling
        self._days: dict[int, tuple[Node, str]] = {}  # which keeps the nodes alive
        self._lines: dict[tuple[int, str | None], str] = {}
        self._needs: dict[int, int] = {}
        self._behind: tuple[dict[tuple[int, int], str], ...] = {}, {}

    def need(self, node: Node) -> int:
        """The tokens of a node's line where it stands alone."""
        found = self._needs.get(id(node))
        if found is None:
            found = self._needs[id(node)] = self.tokens([self.line(node)], ended=True)
        return found

    def line(self, node: Node, before: Node | None = None, *, brief: bool = False) -> str:
        """The line of a node that stands behind `before`."""
        last = None if before is None else self._day(before)
        when = _named_day(self._day(node), last, brief)
        if before is not None and (shorter := _unrepeated(node, before)) is not node:
            return _written(shorter, when, self.telling)
        found = self._lines.get((id(node), when))
        if found is None:
            found = self._lines[id(node), when] = _written(node, when, self.telling)
        return found

    def lines(self, nodes: Sequence[Node], *, brief: bool = False) -> list[str]:
        """The lines of nodes in the order in which they are read."""
        known = self._behind[brief]
        before: Node | None = None
        last = 0
        found: list[str] = []
        for node in nodes:
            this = id(node)
            text = known.get((last, this))
            if text is None:
                text = known[last, this] = self.line(node, before, brief=brief)
            found.append(text)
            before, last = node, this
        return found

    def tokens(self, lines: Sequence[str], *, ended: bool = False) -> int:
        """The tokens of lines together."""
        return counted(self.count, lines, ended=ended)

    def _day(self, node: Node) -> str:
        found = self._days.get(id(node))
        if found is None:
            found = self._days[id(node)] = node, _day(node, self.telling)
        return found[1]


def needed(node: Node, count: TokenCounter, telling: Telling = Telling()) -> int:
    """The tokens of a node's line where it stands alone."""
    return counted(count, [line(node, None, telling)], ended=True)


def too_small(budget: int, need: int) -> str:
    """The note on a budget into which the best memory does not fit."""
    return (
        f"the budget of {budget} tokens is too small: the best memory needs {need} to stand whole"
    )


def shortened(node: Node, budget: int, count: TokenCounter, telling: Telling) -> Node:
    """As much of a node as `budget` tokens hold: its sentences from the first on, or its phrase,
    however long that is."""
    said = ""
    for sentence in node.sentences:
        attempt = replace(node, text=(said + sentence).strip())
        if count(line(attempt, None, telling) + "\n") > budget:
            break
        said += sentence
    return replace(node, text=said.strip() or node.phrase, form=Form.SHORTER)


def told(
    nodes: Sequence[Node],
    budget: int | None,
    count: TokenCounter,
    telling: Telling = Telling(),
) -> tuple[list[int], list[str]]:
    """The ids of the nodes, given best first, that fit into `budget` tokens, and their lines. With
    `telling.scopes` they are `identity`'s.

    Of a best one that does not fit, as much is told as does. Another is left out, and shorter ones
    behind it may still come in. If not all fit, `whole_share` of the budget is for whole ones, and
    the rest for the phrases of those that come next, each where its session stands: heads cost as
    much as a phrase, so as many as can be are shared, and a year is written once.
    """
    if telling.scopes:
        nodes = [_apart(node, telling.scopes) for node in nodes]
    writer = _Writer(count, telling)
    if budget is None:
        return _lines(nodes, writer)
    if nodes and writer.need(nodes[0]) > budget:
        nodes = [shortened(nodes[0], budget, count, telling), *nodes[1:]]
    if telling.whole_share >= 1:
        return _filled(nodes, budget, writer)[1:]
    ids, lines = _lines(nodes, writer)
    if not lines or writer.tokens(lines) <= budget:
        return ids, lines
    places = _filled(nodes, int(budget * telling.whole_share), writer)[0]
    places = places or _filled(nodes, budget, writer)[0][:1]
    taken = set(places)
    said = "\n".join(nodes[place].text for place in places)
    # A chunk of a file may repeat sentences of another.
    short = [
        place for place, node in enumerate(nodes) if place not in taken and node.phrase not in said
    ]
    high = min(len(short), budget // _SHORTEST)
    resolved = {place: nodes[place] for place in places}

    def attempt(phrases: int) -> tuple[list[int], list[str]]:
        for place in short[len(resolved) - len(places) : phrases]:
            resolved[place] = _in_short(nodes[place])
        chosen = sorted((*places, *short[:phrases]))
        return _lines([resolved[place] for place in chosen], writer, brief=True)

    low = 0
    best = attempt(0)
    while low < high:
        middle = (low + high + 1) // 2
        found = attempt(middle)
        if writer.tokens(found[1]) <= budget:
            low, best = middle, found
        else:
            high = middle - 1
    return best


def _in_short(node: Node) -> Node:
    """A node with nothing but its phrase, unless that is longer than what it says."""
    if node.form is Form.GIST or len(node.phrase) + 1 >= len(node.text):
        return node
    return replace(node, text=node.phrase, form=Form.SHORTER)


def _filled(
    nodes: Sequence[Node], budget: int, writer: _Writer
) -> tuple[list[int], list[int], list[str]]:
    """The places of the nodes whose lines fit into a budget, the best first, and these nodes' ids
    and lines in the order in which they are read."""
    taken: list[int] = []
    rest = list(range(len(nodes)))
    ids: list[int] = []
    lines: list[str] = []
    left = budget
    for _ in range(_ROUNDS):
        before = len(taken)
        passed: list[int] = []
        for place in rest:
            need = writer.need(nodes[place])
            if need <= left:
                left -= need
                taken.append(place)
            else:
                passed.append(place)
        if len(taken) == before:
            break
        rest = passed
        ids, lines = _lines([nodes[place] for place in sorted(taken)], writer)
        while taken and writer.tokens(lines) > budget:
            # A counter may find more in the whole than in its parts.
            rest.append(taken.pop())
            ids, lines = _lines([nodes[place] for place in sorted(taken)], writer)
        rest.sort()
        # Lines of one day share its date: what that saves is room for more.
        left = budget - writer.tokens(lines, ended=True)
    return sorted(taken), ids, lines


def _lines(
    nodes: Sequence[Node], writer: _Writer, *, brief: bool = False
) -> tuple[list[int], list[str]]:
    """The ids and lines of nodes, given best first, in the order in which they are read.

    What belongs together stands together, in the order in which it was remembered: nodes of one
    session; without a session, those remembered one directly after the other. The best of such a
    group says where it stands. What was so earlier stands behind all that holds.
    """
    telling = writer.telling
    best: dict[str, int] = {}  # session → place of the best of it
    alone: list[tuple[int, int]] = []
    group = list(range(len(nodes)))
    for place, node in enumerate(nodes):
        if node.session is not None:
            group[place] = best.setdefault(node.session, place)
        else:
            alone.append((node.id, place))
    for (previous, first), (identifier, place) in pairwise(sorted(alone)):
        if identifier == previous + 1:
            group[place] = group[first]
    heads: dict[int, int] = {}  # a run is known by its first node, and stands where its best does
    for place, head in enumerate(group):
        heads.setdefault(head, place)
    places = range(len(nodes))
    if telling.in_order:
        order = sorted(places, key=lambda p: (dated(nodes[p], telling.zone), nodes[p].id))
    else:
        order = sorted(places, key=lambda place: (heads[group[place]], nodes[place].id))
        order.sort(key=lambda place: nodes[place].id in telling.earlier)
    read = [nodes[place] for place in order]
    return [node.id for node in read], writer.lines(read, brief=brief)
