"""Kinds: what sort of memory a node is, and how that was determined.

The rules that judge a sentence belong to the worker; `graph.kinds` registers its judge in `JUDGES`,
so that `Node.kind` works wherever a node is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from graphmem.values.html import Shown

Realm = Literal["personal", "project", "universal", "ephemeral"]
Temporality = Literal["permanent", "long-term", "short-term", "session"]
Source = Literal["rules", "given", "inferred", "confirmed"]

REALMS: Final[tuple[Realm, ...]] = get_args(Realm)
TEMPORALITIES: Final[tuple[Temporality, ...]] = get_args(Temporality)
SOURCES: Final[tuple[Source, ...]] = get_args(Source)

EXPLICIT: Final = 0.9
INFERRED: Final = 0.7
UNCERTAIN: Final = 0.4


@dataclass(frozen=True, slots=True)
class Kind(Shown):
    """What sort of memory a node is."""

    realm: Realm  # of whom it is
    confidence: float  # 0–1: from 0.9 explicit, from 0.7 inferred, from 0.4 uncertain, else noise
    temporality: Temporality  # for how long it matters: always, a year, 30 days, the session
    source: Source = "rules"  # "given" if the caller gave any of the three

    @property
    def level(self) -> str:
        """The confidence as a word: explicit, inferred, uncertain or noise."""
        if self.confidence >= EXPLICIT:
            return "explicit"
        if self.confidence >= INFERRED:
            return "inferred"
        return "uncertain" if self.confidence >= UNCERTAIN else "noise"

    @property
    def is_ephemeral(self) -> bool:
        """Whether it is of no use after the session."""
        return self.realm == "ephemeral" or self.temporality == "session"


@dataclass(frozen=True, slots=True)
class Preference(Shown):
    """Something that a speaker chooses repeatedly without having stated a preference."""

    what: str  # "oat latte", in the words of the last memory
    nodes: tuple[int, ...]  # the memories that it was inferred from, oldest first
    sessions: tuple[str, ...]  # the names of their sessions
    speaker: str | None  # the speaker of these memories
    kind: Kind  # personal, 0.7 to below 0.9, long-term, "inferred"


Judge: TypeAlias = Callable[[int, tuple[str, ...], str, "str | None"], Kind]
"""Determines the kind of a node from its packed kind, sentences, phrase and speaker."""

JUDGES: Final[list[Judge]] = []
"""The one judge, once `graph.kinds` is loaded."""
