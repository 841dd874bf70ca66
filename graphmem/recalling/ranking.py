"""Ranking: from a cue and one snapshot to hits.

A hit's score is the sum of its parts, each bounded, each with a weight among the settings:

- words: BM25 against the best match, 0–1; a day that the cue names counts half a word; beside
  vectors less where the best match answers little of the cue;
- vector: how near the node's vector is to the cue's, 0 for the mean of the memory and 1 for the
  nearest, squared; a node that waits for its vector is as near as its words say;
- activation: what spread to the node from the best matches and from the focus;
- speaker, time: a share of words and activation more for a node said by one whom the cue names, or
  of a time that it names;
- session: the best match of words in the node's session;
- use: uses/(1 + uses); focus: ½^(k−1) for the k-th newest node in focus;
- recency, importance: off by default.

Nothing is multiplied by recency: on a memory that spans months that ruins recall. A cue of which no
word is known brings back nothing, unless the nearest vector stands out. docs/recall.md has
the formulas and what each part is worth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphmem.graph.records import (
    Node,
    NodeRecord,
    TextRecord,
    micros,
    moment,
)
from graphmem.graph.view import STRONGEST, Link, Tombstone, View
from graphmem.index.vectors import Nearest
from graphmem.index.words import Matches, WordReader, least, summed
from graphmem.recalling.activation import Spread, Spreading
from graphmem.recalling.context import LINE_TOKENS, TokenCounter
from graphmem.recalling.period import Period, periods
from graphmem.recalling.recall import LEAST_TOLD, Hit, Recall
from graphmem.recalling.trace import Trace, trace
from graphmem.settings import Settings
from graphmem_worker.words import script, words

_CUE_WORDS = 64  # distinct words of a cue that are looked up
_SHORTLIST = 50  # candidates whose records are read
_FILTERED = 2000  # the same, where a filter may throw most of them away
# What questions ask with and are not about; in Chinese the analyser knows no words, so these would
# count as content.
_ASKING = frozenset(
    (
        "happen mention said say talk tell told rememb "
        "什么 么时 怎么 么样 哪里 哪儿 哪个 哪些 多少 可以 "
        "如何 为什 是否 时候 有什 是什 做什 吃什 叫什"
    ).split()
)
_CUE_DAYS = 31  # days that a cue names and that are looked up
_DAY_SHARE = 0.5  # of a word: what the day of a node counts
_DANGLING = 10  # forgotten nodes that a recall names
_BETWEEN = re.compile(r"[\W_]+")
_ASCII_BETWEEN = "".join(_BETWEEN.findall("".join(map(chr, range(128))))).encode()
_RECENT = 30.0  # days after which recency has halved
_DAY = 86_400e6  # microseconds


@dataclass(frozen=True, slots=True)
class Filter:
    """What a hit must be."""

    session: str | None = None
    speaker: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def empty(self) -> bool:
        """True if it lets everything through."""
        return self == Filter()

    def admits(self, text: TextRecord) -> bool:
        """Whether a node may be a hit; one without a date is dated by when it was remembered."""
        if self.session is not None and text.session != self.session:
            return False
        if self.speaker is not None and (text.speaker or "").casefold() != self.speaker.casefold():
            return False
        when = text.created if text.happened is None else text.happened[0]
        if self.since is not None and when < micros(self.since):
            return False
        return self.until is None or when < micros(self.until)


@dataclass(slots=True)
class _Candidate:
    node: int
    record: NodeRecord
    text: TextRecord
    parts: dict[str, float]
    score: float = 0.0  # the sum of the parts, once all are known
    folded: list[int] = field(default_factory=list)  # nodes that say the same, ranked behind

    @property
    def matched(self) -> float:
        """What the cue's own words brought, by themselves and over links."""
        return self.parts["words"] + self.parts["vector"] + self.parts["activation"]


class Ranking:
    """Answers cues at one snapshot."""

    def __init__(
        self,
        view: View,
        index: WordReader,
        settings: Settings,
        now: datetime,
        nearest: Nearest | None = None,
    ) -> None:
        """`now` is what "yesterday" counts from; its zone says when days begin. `nearest`: what the
        vectors find near the cue."""
        self._nearest = nearest
        self._view = view
        self._index = index
        self._settings = settings
        self._now = now

    def recall(
        self,
        cue: str,
        *,
        relations: Sequence[int] | None,
        depth: int,
        limit: int,
        tokens: int | None,
        counter: TokenCounter,
        only: Filter,
        traced: bool = False,
    ) -> Recall:
        """The best `limit` hits. `relations` are codes; None follows every link. `traced`: with
        what the recall did."""
        wanted = max(_SHORTLIST, 4 * limit, (tokens or 0) // LINE_TOKENS)
        reach = wanted if only.empty else max(_FILTERED, wanted)
        said = dict.fromkeys(words(cue))
        asked = [word for word in said if word not in _ASKING]
        when = periods(cue, self._now.date()) if self._settings.time_weight else []
        matched, covered = self._match(asked, when, reach)
        near = self._near(matched, reach) if asked else {}
        if (asked or when) and not matched and not near:
            # Rather nothing than what is at hand.
            nothing = Trace(cue, (), (), (), {}) if traced else None
            return Recall(cue, [], [], [], tokens, counter, nothing)
        trust = self._trust(covered) if near else 1.0
        if trust < 1.0:
            matched = {node: trust * share for node, share in matched.items()}
        spread = self._spread(matched, near, depth, relations)
        candidates, forgotten = self._shortlist(matched, near, spread, reach, wanted, only)
        self._add_priors(cue, said.keys(), when, candidates)
        candidates.sort(key=lambda c: (-c.score, c.node))
        candidates = _folded(candidates)
        if self._settings.diversity:
            candidates = _diverse(candidates, limit, self._settings.diversity)
        hits = [self._hit(c, spread, covered / trust) for c in candidates[:limit]]
        behind = candidates[limit:] if tokens is not None else ()
        least = LEAST_TOLD * hits[0].score if hits else 0.0
        further = [Node.of(c.node, c.text, c.record) for c in behind if c.score >= least]
        told = None
        if traced:
            reasons = {"words": matched, "vector": near, "focus": self._focus()}
            told = trace(self._view, cue, spread, reasons, hits)
        return Recall(cue, hits, further, forgotten, tokens, counter, told)

    def _match(
        self, asked: Sequence[str], when: Sequence[Period], reach: int
    ) -> tuple[dict[int, float], float]:
        """The best nodes that hold words of the cue, or are of a day that it names → BM25 against
        the best of them; and how much of what the cue asks for that best one answers, 0–1."""
        most = max(2 * reach, self._settings.entry_nodes)
        today = self._now.date()
        days = [day.isoformat() for period in when for day in period.days(today, _CUE_DAYS)]
        found = self._search(dict.fromkeys(asked[:_CUE_WORDS], 1.0), None if days else most)
        nodes, scores = found.nodes, found.scores
        if days:
            dated = self._search(dict.fromkeys(days[:_CUE_DAYS], _DAY_SHARE), None)
            both = np.concatenate((scores, dated.scores))
            nodes, sums = summed(np.concatenate((nodes, dated.nodes)), both, most)
            scores = sums.astype(np.float32)
        if not len(nodes):
            return {}, 0.0
        kept = _largest(scores, most)
        shares = (scores[kept] / scores.max()).tolist()
        answered = float(found.scores.max(initial=0.0)) / found.whole if found.whole else 0.0
        return dict(zip(nodes[kept].tolist(), shares, strict=True)), min(1.0, answered)

    def _search(self, weights: Mapping[str, float], most: int | None) -> Matches:
        state, knobs = self._view.state, self._settings
        return self._index.search(
            weights, state.documents, state.words, k1=knobs.bm25_k1, b=knobs.bm25_b, most=most
        )

    def _near(self, matched: dict[int, float], reach: int) -> dict[int, float]:
        """The nearest nodes, and those that hold words of the cue → their weighted nearness."""
        knobs, nearest = self._settings, self._nearest
        if nearest is None or not knobs.vector_weight:
            return {}
        if not matched and nearest.distinction < knobs.vector_floor:
            return {}
        best = nearest.best(max(reach, knobs.entry_nodes))
        return self._nearness(list(best | matched), matched)

    def _trust(self, covered: float) -> float:
        """What words count beside vectors: less where the best match of them answers little of the
        cue, for then all that share a word with it are matches of chance."""
        enough = self._settings.words_coverage
        # Nothing covered: it was days that matched.
        return (covered / enough) ** 0.5 if 0 < covered < enough else 1.0

    def _nearness(self, nodes: Sequence[int], matched: dict[int, float]) -> dict[int, float]:
        """Squared, for most of a memory is a little near. A node that still waits for its vector is
        as near as its words say."""
        shares = {} if self._nearest is None else self._nearest.shares(nodes)
        weight = self._settings.vector_weight
        return {n: weight * shares.get(n, matched.get(n, 0.0)) ** 2 for n in nodes}

    def _spread(
        self,
        matched: dict[int, float],
        near: dict[int, float],
        depth: int,
        relations: Sequence[int] | None,
    ) -> Spread:
        knobs = self._settings
        both = {node: near.get(node, 0.0) + matched.get(node, 0.0) for node in near | matched}
        best = sorted(both, key=both.__getitem__, reverse=True)[: knobs.entry_nodes]
        # Squared, for the many weak matches are mostly noise; against the best, which vectors and
        # words together make up to twice what words alone do: what spreads grows as it does.
        entries = {node: both[node] ** 2 / both[best[0]] for node in best}
        for node, amount in self._focus().items():
            entries[node] = entries.get(node, 0.0) + amount
        spreading = Spreading(knobs.node_links, knobs.node_budget, knobs.hop_damping, knobs.fan)
        return spreading.run(self._view, entries, depth, relations)

    def _focus(self) -> dict[int, float]:
        weight = self._settings.focus_weight
        return {node: weight * 0.5**place for place, node in enumerate(self._view.focus)}

    def _shortlist(
        self,
        matched: dict[int, float],
        near: dict[int, float],
        spread: Spread,
        reach: int,
        wanted: int,
        only: Filter,
    ) -> tuple[list[_Candidate], list[Tombstone]]:
        """Up to `wanted` nodes that `only` admits among the best `reach`; forgotten ones met."""
        weight = self._settings.activation_weight
        focus = self._focus()
        met = spread.among((*matched, *near, *focus), reach)
        spread_to = {node: weight * amount for node, amount in met.items()}
        total = dict(matched)
        for source in (near, spread_to, focus):
            for node, amount in source.items():
                total[node] = total.get(node, 0.0) + amount
        order = sorted(total, key=total.__getitem__, reverse=True)[:reach]
        unfiltered = only.empty
        candidates: list[_Candidate] = []
        forgotten: list[Tombstone] = []
        for at in range(0, len(order), wanted):
            some = order[at : at + wanted]
            if near:  # also of those that came over links
                near = near | self._nearness([n for n in some if n not in near], matched)
            for found in self._view.pairs(some):
                if isinstance(found, int):
                    stone = self._view.tombstone(found) if len(forgotten) < _DANGLING else None
                    if stone is not None:
                        forgotten.append(stone)
                    continue
                node, record, text = found
                if unfiltered or only.admits(text):
                    parts = {
                        "words": matched.get(node, 0.0),
                        "vector": near.get(node, 0.0),
                        "activation": spread_to.get(node, 0.0),
                        "focus": focus.get(node, 0.0),
                    }
                    candidates.append(_Candidate(node, record, text, parts))
            if len(candidates) >= wanted:
                break
        return candidates, forgotten

    def _add_priors(
        self, cue: str, said: Set[str], when: Sequence[Period], candidates: Sequence[_Candidate]
    ) -> None:
        """The parts that need a node's records. None of them makes a candidate."""
        knobs = self._settings
        best: dict[str | None, float] = {}
        speakers: set[str | None] = set()
        for c in candidates:
            speakers.add(c.text.speaker)
            if (session := c.text.session) is not None:
                matched = c.parts["words"] + c.parts["vector"]
                if matched > best.get(session, 0.0):
                    best[session] = matched
        named = _named(cue, said, speakers) if knobs.speaker_weight else ()
        session_weight, use_weight = knobs.session_weight, knobs.use_weight
        for c in candidates:
            text, parts, uses = c.text, c.parts, c.record.uses
            parts["session"] = session_weight * best.get(text.session, 0.0)
            parts["use"] = use_weight * uses / (1 + uses) if uses else 0.0
            if text.speaker in named:
                parts["speaker"] = knobs.speaker_weight * c.matched
            if when and any(self._day(text) in period for period in when):
                parts["time"] = knobs.time_weight * c.matched
            if knobs.recency_weight:
                told = c.text.created if c.text.happened is None else c.text.happened[0]
                age = (micros(self._now) - max(c.record.last_used, told)) / _DAY
                parts["recency"] = knobs.recency_weight * 0.5 ** (max(0.0, age) / _RECENT)
            if knobs.importance_weight:
                share = self._view.importance(c.node) / STRONGEST
                parts["importance"] = knobs.importance_weight * share
            c.score = sum(parts.values())

    def _day(self, text: TextRecord) -> date:
        """The day of a node where it happened; if that is not known, here when it was told."""
        if text.happened is not None:
            return moment(*text.happened).date()
        return moment(text.created).astimezone(self._now.tzinfo).date()

    def _hit(self, candidate: _Candidate, spread: Spread, covered: float) -> Hit:
        node = Node.of(candidate.node, candidate.text, candidate.record)
        parts = candidate.parts
        path = self._path(candidate.node, spread) if parts["activation"] > parts["words"] else ()
        coverage = covered * parts["words"]
        return Hit(node, candidate.score, parts, path, coverage, tuple(candidate.folded))

    def _path(self, node: int, spread: Spread) -> tuple[Link, ...]:
        """The links over which most of a node's activation came, from an entry node on."""
        nodes = [node]
        while (before := spread.origin(nodes[0])) is not None and before not in nodes:
            nodes.insert(0, before)
            if len(nodes) > 10:
                break
        path = []
        for source, target in pairwise(nodes):
            link = self._view.link(source, target)
            if link is None:
                return ()
            path.append(link)
        return tuple(path)


def _named(cue: str, said: Set[str], speakers: Set[str | None]) -> set[str | None]:
    """The speakers whom a cue, which says these words, names."""
    found = set()
    for speaker in speakers:
        parts, spellings = _names(speaker or "")
        if not said.isdisjoint(parts) or any(name in cue for name in spellings):
            found.add(speaker)
    return found


@lru_cache(1 << 10)
def _names(speaker: str) -> tuple[Sequence[str], Sequence[str]]:
    """What names a speaker: any word of the name, or in Chinese the name as it stands, with or
    without the surname."""
    if script(speaker) == "cjk":
        return (), (speaker, speaker[1:]) if len(speaker) > 2 else (speaker,)
    return words(speaker), ()


def _folded(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Of those who say the same, to the letter and the figure, only the best stands."""
    kept: dict[tuple[str | None, str], _Candidate] = {}
    for c in candidates:
        text = c.text
        first = kept.setdefault((text.speaker, _said(text.spans, text.phrase)), c)
        if first is not c:
            first.folded.append(c.node)
    return list(kept.values())


@lru_cache(1 << 14)
def _said(spans: tuple[str, ...], phrase: str) -> str:
    """The letters of a text; asked for by its parts, whose hashes are known, for putting them
    together takes longer than all the rest."""
    said = "".join(spans).strip() or phrase
    return _letters(said) or said


def _letters(said: str) -> str:
    folded = said.casefold()
    if folded.isascii():  # the same, several times faster
        return folded.encode().translate(None, _ASCII_BETWEEN).decode()
    return _BETWEEN.sub("", folded)


def _diverse(candidates: list[_Candidate], count: int, diversity: float) -> list[_Candidate]:
    """The first `count` in an order in which each is also unlike those before it; then the rest.

    Maximal marginal relevance (Carbonell & Goldstein 1998), over shared index words (Jaccard).
    """
    left = [(c, frozenset(c.text.words)) for c in candidates]
    best = (candidates[0].score if candidates else 0.0) or 1.0  # 0: a focus of no weight
    chosen: list[_Candidate] = []
    likeness = [0.0] * len(left)  # to the most alike of the chosen
    while left and len(chosen) < count:
        gains = [
            (1 - diversity) * c.score / best - diversity * like
            for (c, _), like in zip(left, likeness, strict=True)
        ]
        place = max(range(len(left)), key=gains.__getitem__)
        picked, said = left.pop(place)
        likeness.pop(place)
        chosen.append(picked)
        likeness = [
            max(like, len(said & other) / (len(said | other) or 1))
            for (_, other), like in zip(left, likeness, strict=True)
        ]
    return chosen + [c for c, _ in left]


def _largest(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The places of the `count` largest scores, ascending; of equal ones the first."""
    if len(scores) <= count:
        return np.arange(len(scores))
    floor = least(scores, count)
    (better,) = (scores > floor).nonzero()
    (equal,) = (scores == floor).nonzero()
    return np.sort(np.concatenate((better, equal[: count - len(better)])))
