"""Kinds of nodes: judged by rules from their sentences, or given by a caller.

A node record holds only what was given; the rest is judged on demand. Before a sweep shortens a
text, it stores the judgement of the whole text.
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
_CACHED: Final = 8192  # texts whose judgement is cached
_KEEP, _PASSING = 1 << 15, 1 << 16
_TEMPORALITIES: Final[dict[str, Temporality]] = {
    "permanent": "permanent", "long": "long-term", "short": "short-term", "session": "session",
}  # fmt: skip
"""By the worker's names."""


class Stated(NamedTuple):
    """The part of a kind that a node record holds; None: the rules decide.

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
        """The number that a node record holds; 0 if nothing is stated."""
        packed = 0 if self.realm is None else REALMS.index(self.realm) + 1
        if self.temporality is not None:
            packed |= (TEMPORALITIES.index(self.temporality) + 1) << 3
        if self.confidence is not None:
            packed |= (round(self.confidence * 100) + 1) << 6
        packed |= SOURCES.index(self.source) << 13
        return packed | (_KEEP if self.keep else 0) | (_PASSING if self.passing else 0)

    @classmethod
    def unpack(cls, packed: int) -> Stated:
        """Read the number of a node record. A value of a newer version counts as not stated."""
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
        """Whether nothing is left to the rules."""
        return None not in (self.realm, self.confidence, self.temporality)

    def filled(self, found: Kind) -> Stated:
        """The same, with the values of `found` for those that are not stated."""
        return self._replace(
            realm=self.realm or found.realm,
            confidence=found.confidence if self.confidence is None else self.confidence,
            temporality=self.temporality or found.temporality,
        )


def kind_of(record: NodeRecord, text: TextRecord) -> Kind:
    """The kind of a node: as it was given, else as the rules judge its sentences."""
    return judge(record.kind, text.spans, text.phrase, text.speaker)


def judge(packed: int, spans: tuple[str, ...], phrase: str, speaker: str | None) -> Kind:
    """`kind_of`, of the fields of the records."""
    if not packed:
        return by_rules(spans or (phrase,), speaker)
    stated = Stated.unpack(packed)
    if not stated.is_whole:
        stated = stated.filled(by_rules(spans or (phrase,), speaker))
    assert stated.realm
    assert stated.temporality
    assert stated.confidence is not None
    return Kind(stated.realm, stated.confidence, stated.temporality, stated.source)


JUDGES[:] = [judge]


def lasts(packed: int, spans: tuple[str, ...], phrase: str, speaker: str | None) -> Temporality:
    """How long a node may be needed, for code that removes memories: as it was given; else the
    longer of its kind's temporality and that of a cautious rule for its sentences."""
    kind, stated = judge(packed, spans, phrase, speaker), Stated.unpack(packed)
    found: Temporality = "session" if kind.is_ephemeral else kind.temporality
    is_given = stated.temporality is not None or stated.realm == "ephemeral"
    if is_given and stated.source != "rules":
        return found
    return min(found, _lasts(spans or (phrase,)), key=TEMPORALITIES.index)


@lru_cache(maxsize=_CACHED)
def _lasts(sentences: tuple[str, ...]) -> Temporality:
    from graphmem_worker.kinds import lasts

    return _TEMPORALITIES[lasts(sentences)]


def decides(text: TextRecord) -> bool:
    """Whether a text is a decision: by its metadata, else if one of its sentences is one."""
    return semantic_kind(text) == "decision"


def semantic_kind(text: TextRecord) -> SemanticKind:
    """A decision, preference or pattern, the first of these that one of the sentences is; else a
    fact. Metadata may state that it is a decision, or none."""
    given = dict(text.metadata).get(DECISION)
    if given is True:
        return "decision"
    kind = _semantic(_sentences(text))
    return _leaning(_sentences(text)) if given is False and kind == "decision" else kind


def _sentences(text: TextRecord) -> tuple[str, ...]:
    return text.spans or (text.phrase,)


@lru_cache(maxsize=_CACHED)
def _semantic(sentences: tuple[str, ...]) -> SemanticKind:
    from graphmem_worker.facts import decides  # its patterns take a while to compile

    return "decision" if decides("".join(sentences)) else _leaning(sentences)


def _leaning(sentences: tuple[str, ...]) -> SemanticKind:
    from graphmem_worker.kinds import leaning

    found = set(map(leaning, sentences))
    if "preference" in found:
        return "preference"
    return "pattern" if "pattern" in found else "fact"


def settled(record: NodeRecord, text: TextRecord) -> NodeRecord:
    """The record with the whole kind of its text stored in it: for a text that is about to be
    shortened, the rest of which might be judged differently."""
    stated = Stated.unpack(record.kind)
    if stated.is_whole:
        return record
    return record._replace(kind=stated.filled(kind_of(record, text)).pack())


def confirmed(record: NodeRecord) -> NodeRecord:
    """The record of a node that a person has confirmed."""
    stated = Stated.unpack(record.kind)._replace(confidence=CONFIRMED, source="confirmed")
    return record._replace(kind=stated.pack())


def given_of(record: NodeRecord) -> int:
    """The packed kind that a caller or a person gave a node, for the node that replaces it; 0 if
    nobody did."""
    stated = Stated.unpack(record.kind)
    if stated.source == "rules" and not stated.keep:
        return 0
    return stated._replace(passing=False).pack()


def lasting(record: NodeRecord) -> NodeRecord:
    """The record without the mark that it expires with its session."""
    if not record.kind & _PASSING:
        return record
    return record._replace(kind=record.kind & ~_PASSING)


def seen(record: NodeRecord, text: TextRecord, vector: NDArray[np.float32], model: str) -> int:
    """The packed kind of a node with this vector (length 1, by `model`): what was given, filled by
    the vector's judgement if that differs from the one by rules."""
    from graphmem_worker.kinds import kind_by_vector

    stated = Stated.unpack(record.kind)
    if stated.is_whole:
        return record.kind
    spans = _sentences(text)
    found = _dominant(
        spans, [kind_by_vector(span, vector, model, speaker=text.speaker) for span in spans]
    )
    if found == by_rules(spans, text.speaker):
        return record.kind
    return stated.filled(found).pack()


@lru_cache(maxsize=_CACHED)
def by_rules(sentences: tuple[str, ...], speaker: str | None) -> Kind:
    from graphmem_worker.kinds import kind

    return _dominant(sentences, [kind(sentence, speaker=speaker) for sentence in sentences])


def _dominant(sentences: tuple[str, ...], kinds: list[SentenceKind]) -> Kind:
    """The realm of most of the characters, with the longest temporality and the greatest
    confidence of that realm's sentences. Chatter counts only if there is nothing else."""
    found = list(zip(map(len, sentences), kinds, strict=True))
    counted = [(size, each) for size, each in found if each.realm != "ephemeral"] or found
    sizes: defaultdict[str, int] = defaultdict(int)
    for size, each in counted:
        sizes[each.realm] += size
    realm = max(sizes, key=sizes.__getitem__)
    of_realm = [each for _, each in counted if each.realm == realm]
    return Kind(
        of_realm[0].realm,
        max(each.confidence for each in of_realm),
        min((_TEMPORALITIES[each.temporality] for each in of_realm), key=TEMPORALITIES.index),
        "rules",
    )
