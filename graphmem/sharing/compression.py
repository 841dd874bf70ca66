"""Compression of knowledge: of many facts that say nearly the same, one entry of their own words.
Nothing is deleted: an entry names its sources."""

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

_LARGEST: Final = 6  # facts of a cluster
_LONGEST: Final = 600  # characters of an entry
_MARK: Final = 3.0  # nat, that a name or number is worth
_COMMON: Final = 0.1  # share of the facts from which on a word brings no two together
_PAIRS: Final = 4000  # of facts, by chance, of which similarities are measured
_CHANCE, _STEP = 0.30, 0.10  # similarity of a random pair, and of one deviation more
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
    """What became of one fact, or of several.

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
    """Make one entry of each cluster of near facts, if it keeps enough of them.

        entries = graphmem.compress([(node.id, node.text) for node in memory.nodes()])
        memory.items.put_many(
            {"namespace": "facts", "key": str(n), "value": [e.text, list(e.sources)]}
            for n, e in enumerate(entries)
        )

    facts: (source, text) of each, such as the id of a node. Up to `threshold` they stay as they
        are.
    similarity: from which two facts are near, on a scale on which two random ones have 0.30: with
        vectors 0.10 more for each standard deviation (`docs/themes.md`), by words as much more as
        their cosine is above that of random ones. Near ones are joined by union–find, the nearest
        first, up to six; clusters of fewer than `least` stay as they are.
    fidelity: 0.6 × mean similarity + 0.4 × keywords kept, from which an entry takes the place of
        its facts; below it they stay.
    embed: texts → their vectors; without it they are compared by words, weighted by rarity.

    An entry consists of whole sentences of its sources, up to 600 characters, so that no word, name
    or number in it is not theirs. Entries stand in the order of their first facts. Nothing is
    written: letting go of an entry is all there is to undoing it.

    Raises InvalidArgumentError, ArgumentTypeError.
    """
    for name, value in (("similarity", similarity), ("fidelity", fidelity)):
        check_range(name, value, 0, 10)
    check_count("least", least, 2, maxsize)
    check_count("threshold", threshold, 0, maxsize)
    given: object = facts
    if not isinstance(given, Sequence):
        raise ArgumentTypeError(f"facts are (source, text) in a list, got {type(given).__name__}")
    for fact in facts:
        single: object = fact
        if not isinstance(single, tuple) or len(single) != 2 or not isinstance(single[1], str):
            raise ArgumentTypeError(f"a fact is a (source, text), got {fact!r:.80}")
    alone = [Entry(text, (source,), None) for source, text in facts]
    if len(facts) <= threshold:
        return alone
    texts = [text for _, text in facts]
    space = _Space(texts, embed)
    taken: dict[int, Entry | None] = {}
    for cluster in _clusters(space, similarity):
        if len(cluster) < least:
            continue
        text = _together([texts[place] for place in cluster], space.rarity)
        kept = _fidelity(text, cluster, texts, space, fidelity)
        if kept.fidelity_passed:
            taken.update(dict.fromkeys(cluster))
            taken[cluster[0]] = Entry(text, tuple(facts[place][0] for place in cluster), kept)
    found = (taken.get(place, single) for place, single in enumerate(alone))
    return [entry for entry in found if entry is not None]


class _Space:
    """The vectors of the facts, and how near two of them are by chance."""

    def __init__(
        self,
        texts: Sequence[str],
        embed: Callable[[Sequence[str]], Sequence[Sequence[float]]] | None,
    ) -> None:
        self._embed = embed
        self._seen = Counter(word for text in texts for word in set(words(text)))
        self._count = len(texts)
        self.vectors = self.of(texts)
        random = Random(0)
        drawn = [random.sample(range(len(texts)), 2) for _ in range(_PAIRS)] if texts[1:] else []
        cosines = [cosine(self.vectors[a], self.vectors[b]) for a, b in drawn] or [0.0]
        self._mean = sum(cosines) / len(cosines)
        self._deviation = sqrt(sum((c - self._mean) ** 2 for c in cosines) / len(cosines)) or 1.0

    def rarity(self, word: str) -> float:
        """How telling a word is among the facts, in nat."""
        return log((1 + self._count) / (1 + self._seen[word]))

    def of(self, texts: Sequence[str]) -> list[_Vector]:
        """Vectors of unit length."""
        if self._embed is not None:
            return [_unit(dict(enumerate(vector))) for vector in self._embed(texts)]
        return [
            _unit({w: n**0.5 * self.rarity(w) for w, n in Counter(words(text)).items()})
            for text in texts
        ]

    def candidates(self) -> set[tuple[int, int]]:
        """The pairs that may be near: of words those that share one that is not common."""
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
        """How near two facts are, on the scale of `compress`."""
        apart = cosine(self.vectors[a], self.vectors[b]) - self._mean
        # Most pairs of texts share no word at all, so that deviations of that say nothing.
        return _CHANCE + (apart if self._embed is None else _STEP * apart / self._deviation)


def _clusters(space: _Space, similarity: float) -> list[list[int]]:
    """The places of the facts that belong together (union–find), in order."""
    of = {place: [place] for place in range(len(space.vectors))}
    pairs = ((-space.similarity(a, b), a, b) for a, b in space.candidates())
    for _, a, b in sorted(pair for pair in pairs if -pair[0] >= similarity):
        one, other = of[a], of[b]
        # The nearest first, and none over a bound: chains of near ones reach across everything.
        if one is not other and len(one) + len(other) <= _LARGEST:
            one += other
            of.update(dict.fromkeys(other, one))
    return [sorted(cluster) for place, cluster in of.items() if place == min(cluster)]


def _together(texts: Sequence[str], rarity: Callable[[str], float]) -> str:
    """Sentences of the texts, in their order: those that bring most that is not there yet."""
    pieces = [piece.strip() for text in texts for piece in sentences(text)]
    pieces = [piece for piece in dict.fromkeys(pieces) if piece]
    marks = [_marks(piece) for piece in pieces]
    said = [{*words(piece), *_marks(piece)} for piece in pieces]
    left = set(range(len(pieces)))
    chosen: list[int] = []
    known: set[str] = set()

    def gain(place: int) -> float:
        told = sum(_MARK if word in marks[place] else rarity(word) for word in said[place] - known)
        return told / sqrt(len(pieces[place]))

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
        known.update(said[best])
    return " ".join(pieces[place] for place in sorted(chosen))


def _marks(text: str) -> set[str]:
    """Keywords of a text: numbers, names, identifiers, and what else tells it apart."""
    return {*_MARKS.findall(text), *keywords(text)}


def _fidelity(
    text: str, cluster: Sequence[int], texts: Sequence[str], space: _Space, bound: float
) -> Fidelity:
    (vector,) = space.of([text])
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
