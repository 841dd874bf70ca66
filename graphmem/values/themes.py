"""Public records of themes and episodes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from graphmem.values.html import Shown

Level: TypeAlias = Literal["message", "episode", "semantic", "theme"]
LEVELS: Final[tuple[Level, ...]] = ("message", "episode", "semantic", "theme")
SemanticKind: TypeAlias = Literal["fact", "preference", "pattern", "decision"]


@dataclass(frozen=True, slots=True)
class Theme(Shown):
    """Memories about one subject, as they were when it was read.

    name: its keywords, joined by " · ", or ", " between two subjects; "" if it is not named.
    named: False if its members share too little for a meaningful name.
    keywords: those of its name, the best first; none if it is not named.
    sentence: the sentence of a member that is nearest to what all have in common.
    members: ids of nodes, in the order in which they joined it.
    neighbours: (theme, similarity) of the nearest themes, at most 10.
    first, last: when the earliest and the latest member happened, or was remembered.
    speakers: those of its members, the most frequent first.
    faded: share of the members of which only the gist is left, 0–1.
    kinds: the kind of each member, in step with `members`.
    core: the members that its name describes: they hold one of its keywords, or are near those
        that do. The others are only similar to some of them. Empty if it is not named.
    title: the one keyword that more than half of the members hold; "" if there is none.
    """

    id: int
    name: str
    named: bool
    keywords: tuple[str, ...]
    sentence: str
    members: tuple[int, ...]
    neighbours: tuple[tuple[int, float], ...]
    first: datetime | None
    last: datetime | None
    speakers: tuple[str, ...]
    faded: float
    kinds: tuple[SemanticKind, ...] = ()
    core: tuple[int, ...] = ()
    title: str = ""

    @property
    def period(self) -> tuple[datetime, datetime] | None:
        """When the earliest and the latest member happened, or were remembered."""
        return None if self.first is None or self.last is None else (self.first, self.last)

    @property
    def core_first(self) -> tuple[int, ...]:
        """The members, those of the core before the others."""
        core = set(self.core)
        return (*self.core, *(node for node in self.members if node not in core))

    @property
    def summary(self) -> str:
        """Its name and its sentence, on one line; the sentence alone if it is not named."""
        text = f"{self.name}: {self.sentence}" if self.name else self.sentence
        return " ".join(text.split())

    def __len__(self) -> int:
        return len(self.members)

    def __str__(self) -> str:
        return f"{self.name or self.sentence} ({len(self)})"


@dataclass(frozen=True, slots=True)
class Episode(Shown):
    """Consecutive turns of a session on one subject.

    number: its number in the session, from 1 on.
    title: its terms, joined as in a theme's name; its sentence if it has none.
    sentence: its most informative sentence.
    """

    session: str
    number: int
    title: str
    sentence: str
    nodes: tuple[int, ...]
    start: datetime
    end: datetime

    def __len__(self) -> int:
        return len(self.nodes)

    def __str__(self) -> str:
        begun = f"{self.start:%Y-%m-%d %H:%M}"
        return f"{self.session} #{self.number}, {begun}, {len(self)} nodes: {self.title}"


@dataclass(frozen=True, slots=True)
class Subject(Shown):
    """The part of a `Survey` on one theme."""

    theme: int | None  # its id; None: no theme, or one of which only this memory is included
    name: str  # the theme's name, "" if it has none
    nodes: tuple[int, ...]  # the nodes with these phrases, the best first
    phrases: tuple[str, ...]  # in step


@dataclass(frozen=True, slots=True)
class Survey(Shown):
    """What is known about a cue: phrases, grouped under the names of their themes."""

    cue: str
    text: str  # the subjects as lines, within the budget
    tokens: int  # of `text`, as it was counted
    subjects: tuple[Subject, ...]  # that of the best memory first
    more: int  # number of memories that match the cue but did not fit into the budget
    notes: tuple[str, ...] = ()  # as of `Recall`, such as that the vectors were late

    @property
    def nodes(self) -> tuple[int, ...]:
        """The ids of all memories that are included."""
        return tuple(node for subject in self.subjects for node in subject.nodes)

    def __str__(self) -> str:
        return self.text
