"""A working set's digest: what is left of turns that have left, written as one message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from graphmem.sharing import quoting
from graphmem.sharing.saved_set import Fact, Turn
from graphmem.values.rendering import written

USUAL: Final = 0.5  # the importance of a turn for which none is said
_BETWEEN: Final = " … "  # two quotations of one turn


class Digest:
    """The quotations of a working set: which of them go together, and how they are written."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.facts = facts

    def text(self, whole: Iterable[Turn], shown: Iterable[int]) -> str:
        """The message with these turns as they are and the facts of these places."""
        parts = self._parts(shown)
        leaning = {  # the turn before a quotation → that quotation, if it leans on what comes first
            self.facts[place].turn - 1: place
            for place, (_, first) in parts.items()
            if place == first and self._leans(self.facts[place])
        }
        lines: list[_Line] = []
        for turn in whole:
            part = quoting.SETTLED if turn.importance > USUAL else quoting.TOLD
            if turn.number in leaning and turn.day == self.facts[leaning[turn.number]].day:
                part = parts[leaning[turn.number]][0]
            speaker = turn.speaker or turn.role
            lines.append(_Line(part, turn.number, turn.number, turn.day, speaker, turn.content))
        for place, (part, first) in parts.items():
            fact, text = self.facts[place], in_line(self.facts[place].quote)
            lines.append(
                _Line(part, self.facts[first].turn, fact.turn, fact.day, fact.speaker, text)
            )
        lines.sort(key=lambda line: line[:3])
        above, titles = quoting.heading("\n".join(line.text for line in lines))
        found = [above]
        for part, of_part in groupby(lines, key=lambda line: line.part):
            found.append(titles[part])
            last = ""
            for (_, _, day, speaker), quotes in groupby(of_part, key=lambda line: line[1:5]):
                text = _BETWEEN.join(line.text for line in quotes)
                found.append(written(text, day if day != last else None, speaker))
                last = day
        return "\n".join(found)

    def _parts(self, shown: Iterable[int]) -> dict[int, tuple[int, int]]:
        """The part of the digest in which each of these facts stands, that of its own kind or of
        what it goes with, and the place of the first of these: no question is torn from its answer,
        no pronoun from its name, and of one turn only what is about health from what stands
        alone."""
        by_turn: dict[int, list[int]] = {}
        own: dict[int, int] = {}
        first: dict[int, int] = {}  # place → the first of those with which it stands
        before = -1
        # They stand in the order in which their turns have left.
        for place in sorted(shown, key=lambda place: (self.facts[place].turn, place)):
            fact = self.facts[place]
            turn = by_turn.setdefault(fact.turn, [])
            turn.append(place)
            own[place] = quoting.part_of(fact.kind, fact.quote)
            leader = next(
                (other for other in by_turn.get(fact.turn - 1, ()) if self._asks(other)), None
            )
            if len(turn) > 1 and (
                quoting.leans(fact.quote)
                or (own[place] == quoting.GUARDED) == (own[before] == quoting.GUARDED)
            ):
                leader = before
            elif leader is None and self._leans(fact):
                leader = self.said_before(place, by_turn)
            first[place] = place if leader is None else first[leader]
            before = place
        parts: dict[int, int] = {}
        for place, leader in first.items():
            parts[leader] = min(own[place], parts.get(leader, own[place]))
        return {place: (parts[leader], leader) for place, leader in first.items()}

    def _asks(self, place: int) -> bool:
        return self.facts[place].kind == "question"

    @staticmethod
    def _leans(fact: Fact) -> bool:
        """Whether it protects somebody who is named before it."""
        return fact.kind == quoting.PROTECTIVE and quoting.leans(fact.quote)

    def question(self, fact: Fact, by_turn: Mapping[int, Sequence[int]]) -> int | None:
        """The place of the question that a short quotation answers."""
        if fact.kind == "question" or not quoting.is_short(fact.quote):
            return None
        before = by_turn.get(fact.turn - 1, ())
        asked = [p for p in before if self._asks(p) and self.facts[p].day == fact.day]
        if not asked or self.facts[asked[-1]].speaker == fact.speaker:
            return None
        return asked[-1]

    def said_before(self, place: int, by_turn: Mapping[int, Sequence[int]]) -> int | None:
        """The place of what a quotation leans on: the last that the turn before its own says."""
        fact = self.facts[place]
        if by_turn[fact.turn][0] != place:
            return None
        last = [
            other
            for other in by_turn.get(fact.turn - 1, ())
            if self.facts[other].day == fact.day and not self.facts[other].outdated
        ]
        return last[-1] if last else None


class _Line(NamedTuple):
    """A quotation in a digest, in the order in which they stand there."""

    part: int
    first: int  # the turn of the first quotation with which it belongs
    turn: int
    day: str
    speaker: str
    text: str


def in_line(quote: str) -> str:
    return " ".join(quote.split("\n"))
