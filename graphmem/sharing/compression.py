"""Compression of knowledge: one entry, in their own words, for facts that are nearly the same. The
entry names its sources, which are not deleted."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import log, sqrt
from random import Random
from sys import maxsize
from typing import Any, Final, TypeAlias

from graphmem.errors import ArgumentTypeError
from graphmem.values.checks import check_count, check_range
from graphmem_worker.text.keywords import keywords
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import words

Source: TypeAlias = int | str
_Vector: TypeAlias = Mapping[Any, float]

_LARGEST: Final = 6  # facts in a cluster
_LONGEST: Final = 600  # characters in an entry
_MARK: Final = 3.0  # information of a name or number, in nat
_COMMON: Final = 0.1  # share of the facts from which on a shared word makes no candidate pair
_PAIRS: Final = 4000  # random pairs of facts, of which similarities are measured
_CHANCE, _STEP = 0.30, 0.10  # similarity of a random pair, and of each standard deviation more
_SIMILARITY_SHARE: Final = 0.6
_KEYWORD_SHARE: Final = 0.4
_MARKS: Final = re.compile(
    r"\d+(?:[.,:/-]\d+)*%?|[A-Za-z]\w*(?:[._]\w+)+|\b[A-Z][A-Z0-9_]+\b|(?<=[a-z,;:] )[A-Z][a-z]+"
)


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How much of its sources an entry has kept.

    fidelity_embedding_similarity: mean cosine of the entry and each source.
    fidelity_keyword_retention: share of the sources' keywords that are in the entry.
    fidelity_composite_score: 0.6 × the first + 0.4 × the second.
    """

    fidelity_embedding_similarity: float
    fidelity_keyword_retention: float
    fidelity_composite_score: float
    fidelity_passed: bool
    fidelity_lost_keywords: tuple[str, ...]

    def fields(self) -> dict[str, Any]:
        """The five fields, as metadata of an item has them."""
        return {**asdict(self), "fidelity_lost_keywords": list(self.fidelity_lost_keywords)}


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact that is unchanged, or several that were merged.

    text: whole sentences of its sources, unchanged.
    fidelity: how much of its sources it has kept; None if it is a single fact, unchanged.
    """

    text: str
    sources: tuple[Source, ...]
    fidelity: Fidelity | None


def compress(
    facts: Sequence[tuple[Source, str]],
    *,
    threshold: int = 150,
    similarity: float = 0.75,
    least: int = 3,
    fidelity: float = 0.5,
    embed: Callable[[Sequence[str]], Sequence[Sequence[float]]] | None = None,
) -> list[Entry]:
    """Merge each cluster of similar facts into one entry, if this preserves enough of them.

        entries = graphmem.compress([(node.id, node.text) for node in memory.nodes()])
        memory.items.put_many(
            {"namespace": "facts", "key": str(n), "value": [e.text, list(e.sources)]}
            for n, e in enumerate(entries)
        )

    facts: (source, text) of each; the source is, for example, the id of a node. Up to `threshold`
        facts are returned unchanged.
    similarity: the least similarity of facts to be joined, where random pairs have 0.30. With
        vectors, each standard deviation adds 0.10 (`docs/themes.md`); by words, the difference
        between the cosine and that of random pairs is added. Facts are joined by union–find, the
        most similar first, up to six; clusters of fewer than `least` stay unchanged.
    fidelity: the least 0.6 × mean similarity + 0.4 × share of keywords kept for an entry to replace
        its facts.
    embed: texts → their vectors; without it they are compared by words, weighted by rarity.

    An entry consists of whole sentences of its sources, up to 600 characters, so that it contains
    only their words, names and numbers. Entries are in the order of their first facts. Nothing is
    written, so dropping the entries undoes it.

    Raises InvalidArgumentError, ArgumentTypeError.
    """
    for name, value in (("similarity", similarity), ("fidelity", fidelity)):
        check_range(name, value, 0, 10)
    check_count("least", least, 2, maxsize)
    check_count("threshold", threshold, 0, maxsize)
    given: object = facts
    if not isinstance(given, Sequence):
        raise ArgumentTypeError(f"facts are (source, text) in a list, got {type(given).__name__}")
    for fact in given:
        if not isinstance(fact, tuple) or len(fact) != 2 or not isinstance(fact[1], str):
            raise ArgumentTypeError(f"a fact is a (source, text), got {fact!r:.80}")
    unmerged = [Entry(text, (source,), None) for source, text in facts]
    if len(facts) <= threshold:
        return unmerged
    texts = [text for _, text in facts]
    space = _Space(texts, embed)
    merged: dict[int, Entry | None] = {}
    for cluster in _clusters(space, similarity):
        if len(cluster) < least:
            continue
        text = _summary([texts[place] for place in cluster], space.rarity)
        kept = _fidelity(text, cluster, texts, space, fidelity)
        if kept.fidelity_passed:
            merged.update(dict.fromkeys(cluster))
            merged[cluster[0]] = Entry(text, tuple(facts[place][0] for place in cluster), kept)
    found = (merged.get(place, entry) for place, entry in enumerate(unmerged))
    return [entry for entry in found if entry is not None]


class _Space:
    """The vectors of the facts, and the similarity of random pairs of them."""

    def __init__(
        self,
        texts: Sequence[str],
        embed: Callable[[Sequence[str]], Sequence[Sequence[float]]] | None,
    ) -> None:
        self._embed = embed
        self._frequency = Counter(word for text in texts for word in set(words(text)))
        self._count = len(texts)
        self.vectors = self.embedded(texts)
        random = Random(0)
        drawn = [random.sample(range(len(texts)), 2) for _ in range(_PAIRS)] if texts[1:] else []
        cosines = [cosine(self.vectors[a], self.vectors[b]) for a, b in drawn] or [0.0]
        self._mean = sum(cosines) / len(cosines)
        self._deviation = sqrt(sum((c - self._mean) ** 2 for c in cosines) / len(cosines)) or 1.0

    def rarity(self, word: str) -> float:
        """The information of a word among the facts, in nat."""
        return log((1 + self._count) / (1 + self._frequency[word]))

    def embedded(self, texts: Sequence[str]) -> list[_Vector]:
        """Vectors of unit length."""
        if self._embed is not None:
            return [_unit(dict(enumerate(vector))) for vector in self._embed(texts)]
        return [
            _unit({w: n**0.5 * self.rarity(w) for w, n in Counter(words(text)).items()})
            for text in texts
        ]

    def candidates(self) -> set[tuple[int, int]]:
        """The pairs to compare: all, or without vectors those that share an uncommon word."""
        if self._embed is not None:
            return set(combinations(range(self._count), 2))
        holders: dict[str, list[int]] = defaultdict(list)
        for place, vector in enumerate(self.vectors):
            for word in vector:
                holders[word].append(place)
        most = max(3, int(_COMMON * self._count))
        return {
            pair
            for places in holders.values()
            if len(places) <= most
            for pair in combinations(places, 2)
        }

    def similarity(self, a: int, b: int) -> float:
        """The similarity of two facts, on the scale of `compress`."""
        excess = cosine(self.vectors[a], self.vectors[b]) - self._mean
        # Most pairs of texts share no word, so the standard deviation of words is meaningless.
        return _CHANCE + (excess if self._embed is None else _STEP * excess / self._deviation)


def _clusters(space: _Space, similarity: float) -> list[list[int]]:
    """The places of the facts of each cluster (union–find), in order."""
    cluster_of = {place: [place] for place in range(len(space.vectors))}
    pairs = ((-space.similarity(a, b), a, b) for a, b in space.candidates())
    for _, a, b in sorted(pair for pair in pairs if -pair[0] >= similarity):
        one, other = cluster_of[a], cluster_of[b]
        # Bounded, since chains of similar facts would join all of them.
        if one is not other and len(one) + len(other) <= _LARGEST:
            one += other
            cluster_of.update(dict.fromkeys(other, one))
    return [sorted(cluster) for place, cluster in cluster_of.items() if place == min(cluster)]


def _summary(texts: Sequence[str], rarity: Callable[[str], float]) -> str:
    """The sentences of the texts with most new information, in their order, joined."""
    pieces = [piece.strip() for text in texts for piece in sentences(text)]
    pieces = [piece for piece in dict.fromkeys(pieces) if piece]
    marks = [_marks(piece) for piece in pieces]
    terms = [{*words(piece), *_marks(piece)} for piece in pieces]
    left = set(range(len(pieces)))
    chosen: list[int] = []
    known: set[str] = set()

    def gain(place: int) -> float:
        new = terms[place] - known
        information = sum(_MARK if term in marks[place] else rarity(term) for term in new)
        return information / sqrt(len(pieces[place]))

    room = _LONGEST
    while left:
        best = max(sorted(left), key=gain)
        if gain(best) <= 0.0:
            break
        left.remove(best)
        if chosen and len(pieces[best]) + 1 > room:
            continue
        room -= len(pieces[best]) + 1
        chosen.append(best)
        known.update(terms[best])
    return " ".join(pieces[place] for place in sorted(chosen))


def _marks(text: str) -> set[str]:
    """Numbers, names, identifiers and other keywords of a text."""
    return {*_MARKS.findall(text), *keywords(text)}


def _fidelity(
    text: str, cluster: Sequence[int], texts: Sequence[str], space: _Space, bound: float
) -> Fidelity:
    (vector,) = space.embedded([text])
    similar = sum(cosine(vector, space.vectors[place]) for place in cluster) / len(cluster)
    wanted = set().union(*(_marks(texts[place]) for place in cluster))
    lost = tuple(sorted(mark for mark in wanted if mark not in text))
    retained = 1.0 - len(lost) / len(wanted) if wanted else 1.0
    score = _SIMILARITY_SHARE * similar + _KEYWORD_SHARE * retained
    return Fidelity(similar, retained, score, score >= bound, lost)


def _unit(vector: Mapping[Any, float]) -> _Vector:
    length = sqrt(sum(value * value for value in vector.values())) or 1.0
    return {name: value / length for name, value in vector.items()}


def cosine(a: _Vector, b: _Vector) -> float:
    """The cosine of two vectors of unit length."""
    return sum(value * b[name] for name, value in a.items() if name in b)
