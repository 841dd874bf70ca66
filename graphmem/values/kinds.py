"""Kinds: what sort of memory a node is, and who said so.

The rules that judge a sentence are the worker's; the room that knows them enters its judge here,
so that a `Node` can say its kind wherever it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

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
class Kind:
    """What sort of memory a node is."""

    realm: Realm  # of whom it is
    confidence: float  # 0–1: from 0.9 explicit, from 0.7 inferred, from 0.4 uncertain, else noise
    temporality: Temporality  # for how long it matters: always, a year, 30 days, the session
    source: Source = "rules"  # "given" if the caller said any of the three

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
        """Whether nobody needs it once the session is over."""
        return self.realm == "ephemeral" or self.temporality == "session"


@dataclass(frozen=True, slots=True)
class Preference:
    """What somebody takes again and again, without having said that they prefer it."""

    what: str  # "oat latte", as it was said last
    nodes: tuple[int, ...]  # the memories that tell it, oldest first
    sessions: tuple[str, ...]  # those in which they were told, by name
    speaker: str | None  # who told it
    kind: Kind  # personal, 0.7 to below 0.9, long-term, "inferred"


Judge: TypeAlias = Callable[[int, tuple[str, ...], str, "str | None"], Kind]
"""Judges a node: its packed kind, its sentences, its phrase, its speaker."""

JUDGES: Final[list[Judge]] = []
"""The one judge, once the room that knows the rules is loaded."""
