"""Circles: which people belong together, told by who names whom and who speaks after whom."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from graphmem_worker.text.words import script

_ROLES: Final = ("system", "user", "assistant", "tool")
_LEAST: Final = 3  # people of a circle; fewer are no firm and no household
_RESOLUTION: Final = 0.7  # under 1: a firm is one circle rather than one for each of its teams
_BESIDE: Final = 0.5  # of a vote, what the speaker of a turn beside it has
_LINKED: Final = 64  # people among whom circles are looked for: joining takes time with the square
_NAMED: Final = 3  # people by whom a circle is called
_GIVEN: Final = 2  # characters of a Chinese given name behind a family name of one
_TITLES: Final = frozenset({"Miss", "Mrs", "Prof", "Sir", "The"})
_PART: Final = re.compile(r"[^\W\d_]{3,}")


class Said(NamedTuple):
    """A quotation, as far as it tells who belongs to whom."""

    turn: int
    day: str
    speaker: str  # or the role
    text: str


class Circles:
    """The circles of the people who say something in a conversation.

    People are linked by how often one names the other, and one speaks after the other on the same
    day. Circles are joined as long as that raises the modularity of the links (Clauset, Newman and
    Moore, 2004). There are none if all belong together.
    """

    def __init__(self, said: Sequence[Said]) -> None:
        """said: in order of turns."""
        people = sorted({one.speaker for one in said}.difference(_ROLES))
        self._called: dict[str, list[str]] = {}  # a name → the people who have it
        for person in people:
            self._called.setdefault(_name(person), []).append(person)
        self._pattern = _meeting(self._called)
        self._speakers = {one.turn: (one.day, one.speaker) for one in said}
        links: Counter[tuple[str, str]] = Counter()
        last: Said | None = None
        for one in said:
            if one.speaker in _ROLES:
                continue
            for person in self._named(one.text):
                links[_pair(person, one.speaker)] += 1
            if last is not None and (last.turn + 1, last.day) == (one.turn, one.day):
                links[_pair(last.speaker, one.speaker)] += 1
            last = one
        self._votes: dict[str, dict[int, float]] = {}
        self.names: list[tuple[str, ...]] = []
        """Of each circle, the people with the most links, the most first."""
        links = Counter({pair: count for pair, count in links.items() if pair[0] != pair[1]})
        found = [circle for circle in _joined(_strongest(links)) if len(circle) >= _LEAST]
        if len(found) > 1:
            self._settle(found, links)

    def _settle(self, found: Sequence[Sequence[str]], links: Mapping[tuple[str, str], int]) -> None:
        of = {person: place for place, circle in enumerate(found) for person in circle}
        shares: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for (one, other), count in links.items():
            for person, near in ((one, other), (other, one)):
                if near in of:
                    shares[person][of[near]] += count
        degrees = {person: sum(found.values()) for person, found in shares.items()}
        for person, counts in shares.items():
            self._votes[person] = {place: n / degrees[person] for place, n in counts.items()}
        for circle in found:
            most = sorted(circle, key=lambda person: (-degrees.get(person, 0.0), person))
            self.names.append(tuple(most[:_NAMED]))

    def circle(self, said: Iterable[Said]) -> int:
        """The place in `names` of the circle in which quotations belong: that of those who speak,
        who are named, and who speak just before and behind; -1 if there is none."""
        votes: dict[int, float] = defaultdict(float)
        for one in said:
            beside = [self._speakers.get(turn) for turn in (one.turn - 1, one.turn + 1)]
            for person, weight in (
                (one.speaker, 1.0),
                *((person, 1.0) for person in sorted(self._named(one.text))),
                *((near[1], _BESIDE) for near in beside if near is not None and near[0] == one.day),
            ):
                for place, vote in self._votes.get(person, {}).items():
                    votes[place] += weight * vote
        return min(votes, key=lambda place: (-votes[place], place), default=-1)

    def _named(self, text: str) -> set[str]:
        names = set(self._pattern.findall(text))
        return {person for name in names for person in self._called[name]}


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)


def _name(person: str) -> str:
    """What others call somebody: the first name, in Chinese the name without that of the family."""
    if script(person) != "latin":
        return person[-_GIVEN:] if len(person) == _GIVEN + 1 else person
    parts = [part for part in _PART.findall(person) if part not in _TITLES]
    return parts[0] if parts else person


def _meeting(names: Iterable[str]) -> re.Pattern[str]:
    """An expression for some names, the longer first: no part of another word, where words have
    blanks between them."""
    latin: list[str] = []
    others: list[str] = []
    for name in sorted(names, key=len, reverse=True):
        (latin if script(name) == "latin" else others).append(re.escape(name))
    # The bounds once for all names: for each by itself they took most of the time.
    bounded = [rf"(?<!\w)(?:{'|'.join(latin)})(?!\w)"] if latin else []
    return re.compile("|".join((*others, *bounded)) or "$^")


def _strongest(links: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """The links among the people who have the most."""
    degrees: Counter[str] = Counter()
    for pair, count in links.items():
        for person in pair:
            degrees[person] += count
    most = {person for person, _ in degrees.most_common(_LINKED)}
    return {pair: count for pair, count in links.items() if most.issuperset(pair)}


def _joined(links: Mapping[tuple[str, str], int]) -> list[list[str]]:
    """The circles of people, joined greedily while the modularity grows."""
    total = sum(links.values())
    degrees: Counter[str] = Counter()
    for (one, other), count in links.items():
        degrees[one] += count
        degrees[other] += count
    members = {person: [person] for person in sorted(degrees)}
    between = dict(links)
    while between:
        gain, one, other = max(
            (count / total - _RESOLUTION * degrees[a] * degrees[b] / (2 * total * total), a, b)
            for (a, b), count in between.items()
        )
        if gain <= 0:
            break
        members[one] += members.pop(other)
        degrees[one] += degrees.pop(other)
        joined: Counter[tuple[str, str]] = Counter()
        for (a, b), count in between.items():
            pair = _pair(one if a == other else a, one if b == other else b)
            if pair[0] != pair[1]:
                joined[pair] += count
        between = dict(joined)
    return sorted((sorted(circle) for circle in members.values()), key=lambda c: (-len(c), c))
