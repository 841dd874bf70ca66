"""A working set's digest: quotations of turns that have left the prompt, as one message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from graphmem.sharing import quoting
from graphmem.sharing.saved_set import Fact, Turn
from graphmem.values.rendering import written

USUAL: Final = 0.5  # the default importance of a turn
_BACK: Final = 2  # turns before one that begins with a pronoun that may contain its referent
_BETWEEN: Final = " … "  # between two quotations of one turn


class Digest:
    """The quotations of a working set: which of them belong together, and how they are written."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.facts = facts

    def text(self, whole: Iterable[Turn], shown: Iterable[int]) -> str:
        """The message with the turns `whole` unchanged and the facts at the places `shown`."""
        parts = self._parts(shown)
        leads = {  # the turn before a quotation that refers to it → the first fact of its group
            self.facts[place].turn - 1: first
            for place, (_, first) in parts.items()
            if quoting.has_unnamed_person(self.facts[place].kind, self.facts[place].quote)
        }
        lines: list[_Line] = []
        for turn in whole:
            part = quoting.DECIDED if turn.importance > USUAL else quoting.OTHER
            first = turn.number
            lead = leads.get(turn.number, -1)
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
        """For each fact of `shown`: the part of the digest for its group, and the place of the
        first fact of the group. A group keeps together a question and its answer, a pronoun and its
        referent, a value and the one that may supersede it, and the facts of one turn: one on
        safety and another only if the later may refer to the earlier."""
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
                quoting.may_refer_back(fact.quote)
                or (own[place] == quoting.SAFETY) == (own[before[place]] == quoting.SAFETY)
            ):
                others.append(before[place])
            if fact.kind == "question":
                others += by_turn.get(fact.turn + 1, ())
            elif quoting.has_unnamed_person(fact.kind, fact.quote):
                antecedent = self.antecedent(place, by_turn)
                others += [] if antecedent is None else [antecedent]
            for other in others:
                group, joined = together[place], together[other]
                if group is not joined:
                    group += joined
                    together.update(dict.fromkeys(joined, group))
        return {
            place: (min(own[each] for each in group), min(group))
            for place, group in together.items()
        }

    def question(self, fact: Fact, by_turn: Mapping[int, Sequence[int]]) -> int | None:
        """The place of the question that a short quotation answers; None if there is none."""
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

    def antecedent(self, place: int, by_turn: Mapping[int, Sequence[int]]) -> int | None:
        """The place of the quotation to which the first one of a turn refers: a question in the
        turn before, else the last one of the same speaker in the two turns before that refers to
        nothing itself, else the last one of the turn before; None if there is none."""
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
                earlier = self.facts[other]
                if (earlier.speaker, earlier.day) == (fact.speaker, fact.day) and not (
                    earlier.outdated or quoting.refers_back(earlier.quote)
                ):
                    return other
        return last[-1] if last else None


class _Line(NamedTuple):
    """A line of a digest; the first three fields are its sort key."""

    part: int
    first: int  # the turn of the first quotation of its group
    turn: int
    day: str
    speaker: str
    text: str


def in_line(quote: str) -> str:
    return " ".join(quote.split("\n"))
