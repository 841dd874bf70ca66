"""A working set's digest: quotations of turns that have left the prompt, as one message, and the
selection of what it quotes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, groupby
from statistics import median
from typing import Final, NamedTuple

from graphmem.sharing import quoting
from graphmem.sharing.saved_set import Fact, Turn
from graphmem.values.rendering import TokenCounter, written
from graphmem_worker.text.words import script

USUAL: Final = 0.5  # the default importance of a turn
_BACK: Final = 2  # turns before one that begins with a pronoun that may contain its referent
_BETWEEN: Final = " … "  # between two quotations of one turn
_AGED: Final = 0.3  # share of its worth that the oldest quotation loses: more may have changed
_STALE: Final = 0.6  # share of the rest that one with figures loses in `_STALE_DAYS`: prices change
_STALE_DAYS: Final = 120
_OWN: Final = 0.4  # share of the words of a quotation by which similar ones may differ from it
_OFTEN: Final = 5  # number of similar quotations from which on each is worth less
_ROUNDS: Final = 3  # of filling the room; the later ones use the tokens that shared heads save


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


@dataclass(frozen=True, slots=True)
class Selection:
    """Chooses among the facts of a digest."""

    digest: Digest
    whole: Sequence[Turn]  # the turns that the digest contains whole
    prompt: str  # the prompt without quotations, `quoting.normalized`
    count: TokenCounter
    least: float  # the least importance of facts that are quoted
    next: int  # the number of the next turn, from which the age of a fact is measured
    today: str  # the day of the newest turn

    def fitting(self, limit: int) -> list[int]:
        """The places of the facts that fit into a digest of `limit` tokens: protective ones first,
        then rules, then the most important, and of equal importance those worth most per token."""
        lines = (written(in_line(f.quote), f.day, f.speaker) + "\n" for f in self.digest.facts)
        costs = [self.count(line) for line in lines]
        groups = self._groups()
        words = (quoting.linking_words(fact.quote) for fact in self.digest.facts)
        frequency = Counter(chain.from_iterable(words))
        shares = {
            group: self._worth(lead, frequency) / max(1, sum(costs[place] for place in group))
            for group, lead in groups.items()
        }
        # The information in a token depends on the language.
        by_script: dict[str, list[float]] = {}
        for group, lead in groups.items():
            by_script.setdefault(script(lead.quote), []).append(shares[group])
        usual = {name: median(found) or 1.0 for name, found in by_script.items()}
        ranks = {
            group: self._rank(lead, shares[group] / usual[script(lead.quote)])
            for group, lead in groups.items()
        }
        waiting = sorted(groups, key=lambda group: ranks[group])
        chosen: list[tuple[int, ...]] = []
        taken: set[int] = set()
        quoted: list[str] = []
        for _ in range(_ROUNDS):
            room = limit - self.count(self.digest.text(self.whole, taken) + "\n")
            passed: list[tuple[int, ...]] = []
            for group in waiting:
                quote = quoting.normalized(self.digest.facts[group[0]].quote)
                if any(quote in other or other in quote for other in quoted):
                    continue
                cost = sum(costs[place] for place in group if place not in taken)
                if cost > room:
                    passed.append(group)
                    continue
                room -= cost
                taken.update(group)
                quoted.append(quote)
                chosen.append(group)
            waiting = passed
        while chosen and self.count(self.digest.text(self.whole, taken) + "\n") > limit:
            chosen.pop()
            taken = {place for group in chosen for place in group}
        return sorted(taken)

    def _groups(self) -> dict[tuple[int, ...], Fact]:
        """The facts that may be quoted, as groups of places → the fact by which the group is
        ranked. A group is a fact and those that it needs: the question that it answers, a likely
        newer value. A superseded fact passes its rank on to the one that supersedes it.
        """
        by_turn: dict[int, list[int]] = {}
        for place, fact in enumerate(self.digest.facts):
            by_turn.setdefault(fact.turn, []).append(place)
        leads: dict[int, Fact] = {}
        superseded: dict[int, int] = {}  # place → that of the fact that it supersedes
        newer_of: dict[int, int | None] = {}  # place → that of a likely newer value, None: prompt
        for place, fact in enumerate(self.digest.facts):
            if fact.importance < self.least or fact.kind == quoting.STATEMENT:
                continue
            last, newest, is_outdated = place, fact, False
            while newest.newer:
                of_turn = by_turn.get(newest.newer)
                if of_turn is None or newest.part >= len(of_turn):
                    break
                last = of_turn[newest.part]
                newest = self.digest.facts[last]
                is_outdated = is_outdated or newest.outdated
            is_in_prompt = newest.newer > 0
            if not fact.outdated and is_outdated:
                continue  # the likely newer value is outdated too
            if not fact.outdated:
                leads[place] = max(leads.get(place, fact), fact, key=_rank_key)
                if fact.newer:
                    newer_of[place] = None if is_in_prompt else last
            elif not is_in_prompt:
                leads[last] = max(leads.get(last, newest), fact, key=_rank_key)
                superseded[last] = place
        groups: dict[tuple[int, ...], Fact] = {}
        answered: set[int] = set()
        for place, lead in leads.items():
            fact = self.digest.facts[place]
            if quoting.normalized(fact.quote) in self.prompt:
                continue
            group = [place]
            question = self.digest.question(fact, by_turn)
            if question is not None:
                group.append(question)
                answered.add(question)
            elif fact.answered or (
                quoting.is_short(fact.quote)
                and any(self.digest.facts[other].outdated for other in by_turn[fact.turn])
            ):
                continue  # such as "It has been so since March" after an outdated fact
            elif not quoting.stands_alone(fact.kind, fact.quote):
                if place not in superseded:
                    continue
                group.append(superseded[place])  # "Agreed at 7,900." after the first offer
            elif (
                quoting.has_unnamed_person(fact.kind, fact.quote)
                and (antecedent := self.digest.antecedent(place, by_turn)) is not None
            ):
                group.append(antecedent)  # it names the person
            if (newer := newer_of.get(place)) is not None and newer != place:
                group.append(newer)
            groups[tuple(group)] = lead
        return {group: lead for group, lead in groups.items() if group[0] not in answered}

    def _rank(self, fact: Fact, share: float) -> tuple[int, float, int, float, int]:
        """A sort key: surely protective facts, then rules, then all others."""
        is_protective = fact.kind == quoting.PROTECTIVE and quoting.surely_protects(fact.quote)
        is_rule = quoting.is_rule(fact.quote) or quoting.forbids(fact.quote)
        order = 0 if is_protective else 1 if is_rule else 2
        if self._is_over(fact):
            order = 2
        urgent = quoting.urgency(fact.quote) if order == 0 else 0
        return order, -fact.importance, -urgent, -share, -fact.turn

    def _worth(self, fact: Fact, frequency: Mapping[str, int]) -> float:
        """The worth of a fact, 0 or more. frequency: the number of facts with a word."""
        worth = quoting.worth(fact.kind, fact.quote, fact.speaker, self._is_over(fact))
        if fact.kind != quoting.PROTECTIVE:
            if any(map(str.isdigit, fact.quote)):
                worth *= 1 - _STALE * min(1.0, self._days_since(fact) / _STALE_DAYS)
            if often := sorted(frequency[word] for word in quoting.linking_words(fact.quote)):
                worth *= min(1.0, _OFTEN / often[int(_OWN * len(often))])
        return worth * (1 - _AGED * (1 - fact.turn / self.next))

    def _days_since(self, fact: Fact) -> int:
        """The days from that of a fact to that of the newest turn."""
        if not fact.day or not self.today:
            return 0
        return max(0, (date.fromisoformat(self.today) - date.fromisoformat(fact.day)).days)

    def _is_over(self, fact: Fact) -> bool:
        return bool(fact.over) and fact.over < self.today


def _rank_key(fact: Fact) -> tuple[bool, float, float]:
    """A sort key: of facts that supersede each other, the greatest gives the last one its rank."""
    return (
        fact.kind == quoting.PROTECTIVE,
        fact.importance,
        quoting.worth(fact.kind, fact.quote, fact.speaker, False),
    )
