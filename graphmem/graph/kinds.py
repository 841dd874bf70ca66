"""Kinds of nodes: what the rules say of their sentences, and what was given instead.

A node record keeps only what was given; the rest is judged when it is asked for. A sweep that
shortens a text keeps the judgement of the whole one.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.values.kinds import (
    JUDGES,
    REALMS,
    SOURCES,
    TEMPORALITIES,
    Kind,
    Realm,
    Source,
    Temporality,
)
from graphmem.values.themes import SemanticKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphmem_worker.kinds import Kind as SentenceKind

DECISION: Final = "decision"
"""The name in metadata by which a caller says that a memory is a decision, or is none."""
CONFIRMED: Final = 1.0  # confidence of what a person confirmed
_CACHED: Final = 8192  # texts whose judgement is kept in memory
_KEEP, _PASSING = 1 << 15, 1 << 16
_TEMPORALITIES: Final[dict[str, Temporality]] = {
    "permanent": "permanent", "long": "long-term", "short": "short-term", "session": "session",
}  # fmt: skip
"""By the names that the rules give them."""


class Stated(NamedTuple):
    """What a node record says of a kind; None: the rules say it.

    Packed: realm in bits 0–2, temporality in 3–5, confidence in percent + 1 in 6–12, source in
    13–14, `keep` in 15, `passing` in 16.
    """

    realm: Realm | None = None
    confidence: float | None = None
    temporality: Temporality | None = None
    source: Source = "rules"
    keep: bool = False
    """It is never offered for cleaning and never expires with a session."""
    passing: bool = False
    """Its `expires` is the end of its session, which its first use lifts."""

    def pack(self) -> int:
        """The number that a node record keeps; 0 if nothing is said."""
        packed = 0 if self.realm is None else REALMS.index(self.realm) + 1
        if self.temporality is not None:
            packed |= (TEMPORALITIES.index(self.temporality) + 1) << 3
        if self.confidence is not None:
            packed |= (round(self.confidence * 100) + 1) << 6
        packed |= SOURCES.index(self.source) << 13
        return packed | (_KEEP if self.keep else 0) | (_PASSING if self.passing else 0)

    @classmethod
    def unpack(cls, packed: int) -> Stated:
        """What a node record says. A value of a newer version counts as not said."""
        realm, temporality, percent = packed & 7, packed >> 3 & 7, packed >> 6 & 127
        return cls(
            REALMS[realm - 1] if 0 < realm <= len(REALMS) else None,
            min(100, percent - 1) / 100 if percent else None,
            TEMPORALITIES[temporality - 1] if 0 < temporality <= len(TEMPORALITIES) else None,
            SOURCES[packed >> 13 & 3],
            bool(packed & _KEEP),
            bool(packed & _PASSING),
        )

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left for the rules to say."""
        return None not in (self.realm, self.confidence, self.temporality)

    def filled(self, found: Kind) -> Stated:
        """The same with what was found for what is not said."""
        return self._replace(
            realm=self.realm or found.realm,
            confidence=found.confidence if self.confidence is None else self.confidence,
            temporality=self.temporality or found.temporality,
        )


def kind_of(record: NodeRecord, text: TextRecord) -> Kind:
    """The kind of a node: as it was given, and as the rules judge its sentences."""
    return judge(record.kind, text.spans, text.phrase, text.speaker)


def judge(packed: int, spans: tuple[str, ...], phrase: str, speaker: str | None) -> Kind:
    """The kind of a node, by what its records hold."""
    if not packed:
        return by_rules(spans or (phrase,), speaker)
    said = Stated.unpack(packed)
    if said.realm and said.temporality and said.confidence is not None:
        return Kind(said.realm, said.confidence, said.temporality, said.source)
    rules = by_rules(spans or (phrase,), speaker)
    return Kind(
        said.realm or rules.realm,
        rules.confidence if said.confidence is None else said.confidence,
        said.temporality or rules.temporality,
        said.source,
    )


JUDGES[:] = [judge]


def lasts(packed: int, spans: tuple[str, ...], phrase: str, speaker: str | None) -> Temporality:
    """How long a node may be needed, by what its records hold: as a caller said, else as it is
    judged, where the words leave hardly a doubt; it is for what removes memories."""
    kind, said = judge(packed, spans, phrase, speaker), Stated.unpack(packed)
    found: Temporality = "session" if kind.is_ephemeral else kind.temporality
    is_given = said.temporality is not None or said.realm == "ephemeral"
    if is_given and said.source != "rules":
        return found
    return min(found, _lasts(spans or (phrase,)), key=TEMPORALITIES.index)


@lru_cache(maxsize=_CACHED)
def _lasts(sentences: tuple[str, ...]) -> Temporality:
    from graphmem_worker.kinds import lasts

    return _TEMPORALITIES[lasts(sentences)]


def decides(text: TextRecord) -> bool:
    """Whether a text decides something: as its metadata says, else if one of its sentences does."""
    return semantic_kind(text) == "decision"


def semantic_kind(text: TextRecord) -> SemanticKind:
    """What a text tells: a decision, else a preference, else a pattern, if one of its sentences
    does; else a fact. Metadata may say that it is a decision, or none."""
    said = dict(text.metadata).get(DECISION)
    if said is True:
        return "decision"
    kind = _semantic(_sentences(text))
    return _leaning(_sentences(text)) if said is False and kind == "decision" else kind


def _sentences(text: TextRecord) -> tuple[str, ...]:
    return text.spans or (text.phrase,)


@lru_cache(maxsize=_CACHED)
def _semantic(sentences: tuple[str, ...]) -> SemanticKind:
    from graphmem_worker.facts import decides  # whose patterns take a while to be made

    return "decision" if decides("".join(sentences)) else _leaning(sentences)


def _leaning(sentences: tuple[str, ...]) -> SemanticKind:
    from graphmem_worker.kinds import leaning

    found = set(map(leaning, sentences))
    if "preference" in found:
        return "preference"
    return "pattern" if "pattern" in found else "fact"


def settled(record: NodeRecord, text: TextRecord) -> NodeRecord:
    """The record with the kind of its text as it is now: for a text that is about to be shortened,
    whose rest would be judged otherwise."""
    said = Stated.unpack(record.kind)
    if said.is_whole:
        return record
    return record._replace(kind=said.filled(kind_of(record, text)).pack())


def confirmed(record: NodeRecord) -> NodeRecord:
    """The record of a node of which a person has said that it is so."""
    stated = Stated.unpack(record.kind)._replace(confidence=CONFIRMED, source="confirmed")
    return record._replace(kind=stated.pack())


def given_of(record: NodeRecord) -> int:
    """What a caller or a person said of a node's kind, packed, for what takes its place; 0: only
    the rules did."""
    stated = Stated.unpack(record.kind)
    if stated.source == "rules" and not stated.keep:
        return 0
    return stated._replace(passing=False).pack()


def lasting(record: NodeRecord) -> NodeRecord:
    """The record without the mark that its end is that of its session."""
    if not record.kind & _PASSING:
        return record
    return record._replace(kind=record.kind & ~_PASSING)


def seen(record: NodeRecord, text: TextRecord, vector: NDArray[np.float32], model: str) -> int:
    """The packed kind of a node whose vector of length 1 by `model` is known: what was given of it,
    and the rest as the vector tells where it tells otherwise than the words."""
    from graphmem_worker.kinds import kind_by_vector

    said = Stated.unpack(record.kind)
    if said.is_whole:
        return record.kind
    spans = text.spans or (text.phrase,)
    found = _of_most(
        spans, [kind_by_vector(span, vector, model, speaker=text.speaker) for span in spans]
    )
    if found == by_rules(spans, text.speaker):
        return record.kind
    return said.filled(found).pack()


@lru_cache(maxsize=_CACHED)
def by_rules(sentences: tuple[str, ...], speaker: str | None) -> Kind:
    from graphmem_worker.kinds import kind

    return _of_most(sentences, [kind(sentence, speaker=speaker) for sentence in sentences])


def _of_most(sentences: tuple[str, ...], kinds: list[SentenceKind]) -> Kind:
    """The realm of most of the characters, of that realm's sentences the longest temporality and
    the greatest confidence. Chatter counts only where there is nothing else."""
    found = list(zip(map(len, sentences), kinds, strict=True))
    telling = [(size, each) for size, each in found if each.realm != "ephemeral"] or found
    sizes: defaultdict[str, int] = defaultdict(int)
    for size, each in telling:
        sizes[each.realm] += size
    realm = max(sizes, key=sizes.__getitem__)
    of_realm = [each for _, each in telling if each.realm == realm]
    return Kind(
        of_realm[0].realm,
        max(each.confidence for each in of_realm),
        min((_TEMPORALITIES[each.temporality] for each in of_realm), key=TEMPORALITIES.index),
        "rules",
    )
