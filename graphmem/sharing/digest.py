"""A working set's digest: what is left of turns that have left, written as one message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from graphmem.sharing import quoting
from graphmem.sharing.saved_set import Fact, Turn
from graphmem.values.rendering import written

USUAL: Final = 0.5  # the importance of a turn for which none is said
_BACK: Final = 2  # turns before one that begins with a pronoun, in which its name may stand
_BETWEEN: Final = " … "  # two quotations of one turn


class Digest:
    """The quotations of a working set: which of them go together, and how they are written."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.facts = facts

    def text(self, whole: Iterable[Turn], shown: Iterable[int]) -> str:
        """The message with these turns as they are and the facts of these places."""
        parts = self._parts(shown)
        leaning = {  # the turn before a quotation that leans on it → the first that goes with that
            self.facts[place].turn - 1: first
            for place, (_, first) in parts.items()
            if quoting.lacks_whom(self.facts[place].kind, self.facts[place].quote)
        }
        lines: list[_Line] = []
        for turn in whole:
            part = quoting.SETTLED if turn.importance > USUAL else quoting.TOLD
            first = turn.number
            lead = leaning.get(turn.number, -1)
            if lead >= 0 and turn.day == self.facts[lead].day:
                part, first = parts[lead][0], min(first, self.facts[lead].turn)
            speaker = turn.speaker or turn.role
            lines.append(_Line(part, first, turn.number, turn.day, speaker, turn.content))
        for place, (part, lead) in parts.items():
            fact, first = self.facts[place], self.facts[lead].turn
            quote = in_line(fact.quote)
            lines.append(_Line(part, first, fact.turn, fact.day, fact.speaker, quote))
        lines.sort(key=lambda line: line[:3])
        return self._joined(lines)

    def _joined(self, lines: Sequence[_Line]) -> str:
        """The lines of a digest under their titles."""
        said = "\n".join(line.text for line in lines)
        above, titles = quoting.heading(said)
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
        no pronoun from its name, no value from the one that may replace it, and of one turn only
        what is about health from what stands alone."""
        places = sorted(shown)
        by_turn: dict[int, list[int]] = {}
        for place in places:
            by_turn.setdefault(self.facts[place].turn, []).append(place)
        before = dict(zip(places[1:], places, strict=False))
        own = {
            place: quoting.part_of(self.facts[place].kind, self.facts[place].quote)
            for place in places
        }
        together = {place: [place] for place in places}
        for place in places:
            fact = self.facts[place]
            others = list(by_turn.get(fact.newer, ()))
            if place != by_turn[fact.turn][0] and (
                quoting.leans(fact.quote)
                or (own[place] == quoting.GUARDED) == (own[before[place]] == quoting.GUARDED)
            ):
                others.append(before[place])
            if fact.kind == "question":
                others += by_turn.get(fact.turn + 1, ())
            elif quoting.lacks_whom(fact.kind, fact.quote):
                said = self.said_before(place, by_turn)
                others += [] if said is None else [said]
            for other in others:
                one, more = together[place], together[other]
                if one is not more:
                    one += more
                    together.update(dict.fromkeys(more, one))
        return {
            place: (min(own[each] for each in group), min(group))
            for place, group in together.items()
        }

    def question(self, fact: Fact, by_turn: Mapping[int, Sequence[int]]) -> int | None:
        """The place of the question that a short quotation answers."""
        if fact.kind == "question" or not quoting.is_short(fact.quote):
            return None
        before = by_turn.get(fact.turn - 1, ())
        asked = [
            place
            for place in before
            if self.facts[place].kind == "question" and self.facts[place].day == fact.day
        ]
        if not asked or self.facts[asked[-1]].speaker == fact.speaker:
            return None
        return asked[-1]

    def said_before(self, place: int, by_turn: Mapping[int, Sequence[int]]) -> int | None:
        """The place of what a quotation leans on: a question in the turn before its own, else what
        its speaker said just before, if that stands alone, else what the turn before it says."""
        fact = self.facts[place]
        if by_turn[fact.turn][0] != place:
            return None
        last = [
            other
            for other in by_turn.get(fact.turn - 1, ())
            if self.facts[other].day == fact.day and not self.facts[other].outdated
        ]
        if last and self.facts[last[-1]].kind == "question":
            return last[-1]
        for turn in range(fact.turn - 1, fact.turn - 1 - _BACK, -1):
            for other in reversed(by_turn.get(turn, ())):
                said = self.facts[other]
                if (said.speaker, said.day) == (fact.speaker, fact.day) and not (
                    said.outdated or quoting.dangles(said.quote)
                ):
                    return other
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
