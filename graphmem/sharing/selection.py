"""Selection: which facts of the turns that have left a working set its digest quotes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Final

from graphmem.sharing import quoting
from graphmem.sharing.digest import Digest, in_line
from graphmem.sharing.saved_set import Fact, Turn
from graphmem.values.rendering import TokenCounter, written
from graphmem_worker.text.words import script

_AGED: Final = 0.3  # of its worth, what the oldest quotation loses: more may have changed since
_STALE: Final = 0.6  # of the rest, what one with figures loses in `_STALE_DAYS`: prices change
_STALE_DAYS: Final = 120
_OWN: Final = 0.4  # of its words, that others may lack which say nearly the same with other names
_OFTEN: Final = 5  # of these, from which on each is worth less
_ROUNDS: Final = 3  # of filling the room for quotations; the later ones use what shared heads save


@dataclass(frozen=True, slots=True)
class Selection:
    """Chooses among the facts of a digest."""

    digest: Digest
    whole: Sequence[Turn]  # those that stand whole in the digest
    there: str  # what the prompt says without quotations, `quoting.plain`
    count: TokenCounter
    least: float  # the importance under which nothing is quoted
    next: int  # the number of the next turn, by which the age of a fact is measured
    today: str  # the day of the newest turn

    def fitting(self, limit: int) -> list[int]:
        """The places of the facts that fit into a digest of `limit` tokens: what protects
        somebody first, then rules, then the most important, and of these those that are worth most
        for the tokens that they take."""
        lines = (written(in_line(f.quote), f.day, f.speaker) + "\n" for f in self.digest.facts)
        costs = [self.count(line) for line in lines]
        groups = self._groups()
        holding = Counter(
            w for fact in self.digest.facts for w in quoting.linking_words(fact.quote)
        )
        shares = {
            group: self._worth(lead, holding) / max(1, sum(costs[place] for place in group))
            for group, lead in groups.items()
        }
        # A token of one language says less than one of another.
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
        said: list[str] = []
        for _ in range(_ROUNDS):
            room = limit - self.count(self.digest.text(self.whole, taken) + "\n")
            passed: list[tuple[int, ...]] = []
            for group in waiting:
                plain = quoting.plain(self.digest.facts[group[0]].quote)
                if any(plain in other or other in plain for other in said):
                    continue
                cost = sum(costs[place] for place in group if place not in taken)
                if cost > room:
                    passed.append(group)
                    continue
                room -= cost
                taken.update(group)
                said.append(plain)
                chosen.append(group)
            waiting = passed
        while chosen and self.count(self.digest.text(self.whole, taken) + "\n") > limit:
            chosen.pop()
            taken = {place for group in chosen for place in group}
        return sorted(taken)

    def _groups(self) -> dict[tuple[int, ...], Fact]:
        """Which facts may be quoted, by their places, each with those without which it is not
        quoted: the question that it answers, what is likely to give another value. The fact by
        which each group is ranked: one that a later one replaces lends it its rank.
        """
        by_turn: dict[int, list[int]] = {}
        for place, fact in enumerate(self.digest.facts):
            by_turn.setdefault(fact.turn, []).append(place)
        leads: dict[int, Fact] = {}
        before: dict[int, int] = {}  # a fact that replaces another one → the place of that
        doubted: dict[int, int | None] = {}  # the place of what may replace it; None: in the prompt
        for place, fact in enumerate(self.digest.facts):
            if fact.importance < self.least or fact.kind == quoting.STATEMENT:
                continue
            last, newest, is_past = place, fact, False
            while newest.newer:
                of_turn = by_turn.get(newest.newer)
                if of_turn is None or newest.part >= len(of_turn):
                    break
                last = of_turn[newest.part]
                newest = self.digest.facts[last]
                is_past = is_past or newest.outdated
            is_there = newest.newer > 0
            if not fact.outdated and is_past:
                continue  # what may replace it holds no longer either
            if not fact.outdated:
                leads[place] = max(leads.get(place, fact), fact, key=_lends)
                if fact.newer:
                    doubted[place] = None if is_there else last
            elif not is_there:
                leads[last] = max(leads.get(last, newest), fact, key=_lends)
                before[last] = place
        groups: dict[tuple[int, ...], Fact] = {}
        answered: set[int] = set()
        for place, lead in leads.items():
            fact = self.digest.facts[place]
            if quoting.plain(fact.quote) in self.there:
                continue
            group = [place]
            asked = self.digest.question(fact, by_turn)
            if asked is not None:
                group.append(asked)
                answered.add(asked)
            elif fact.answered or (
                quoting.is_short(fact.quote)
                and any(self.digest.facts[other].outdated for other in by_turn[fact.turn])
            ):
                continue  # as of "It has been so since March" behind what no longer holds
            elif not quoting.stands_alone(fact.kind, fact.quote):
                if place not in before:
                    continue
                group.append(before[place])  # "Agreed at 7,900." after the first offer
            elif (
                quoting.lacks_whom(fact.kind, fact.quote)
                and (said := self.digest.said_before(place, by_turn)) is not None
            ):
                group.append(said)  # what protects somebody who is named there only
            if (newer := doubted.get(place)) is not None and newer != place:
                group.append(newer)
            groups[tuple(group)] = lead
        return {group: lead for group, lead in groups.items() if group[0] not in answered}

    def _rank(self, fact: Fact, share: float) -> tuple[int, float, int, float, int]:
        """What surely protects goes before a rule, and that before all others."""
        guards = fact.kind == quoting.PROTECTIVE and quoting.surely_protects(fact.quote)
        order = 0 if guards else 1 if quoting.rules(fact.quote) else 2
        if self._is_over(fact):
            order = 2
        urgent = quoting.urgency(fact.quote) if order == 0 else 0
        return order, -fact.importance, -urgent, -share, -fact.turn

    def _worth(self, fact: Fact, holding: Mapping[str, int]) -> float:
        """holding: how many facts hold a word."""
        worth = quoting.worth(fact.kind, fact.quote, fact.speaker, self._is_over(fact))
        if fact.kind != quoting.PROTECTIVE:
            if any(map(str.isdigit, fact.quote)):
                worth *= 1 - _STALE * min(1.0, self._days_since(fact) / _STALE_DAYS)
            if often := sorted(holding[word] for word in quoting.linking_words(fact.quote)):
                worth *= min(1.0, _OFTEN / often[int(_OWN * len(often))])
        return worth * (1 - _AGED * (1 - fact.turn / self.next))

    def _days_since(self, fact: Fact) -> int:
        """The days from that of a fact to that of the newest turn."""
        if not fact.day or not self.today:
            return 0
        return max(0, (date.fromisoformat(self.today) - date.fromisoformat(fact.day)).days)

    def _is_over(self, fact: Fact) -> bool:
        return bool(fact.over) and fact.over < self.today


def _lends(fact: Fact) -> tuple[bool, float, float]:
    """A sort key: of facts that replace each other, the greatest gives the last one its rank."""
    return (
        fact.kind == quoting.PROTECTIVE,
        fact.importance,
        quoting.worth(fact.kind, fact.quote, fact.speaker, False),
    )
