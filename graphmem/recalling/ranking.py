"""Ranking: from a cue and one snapshot to hits.

score = words + w_v·vector + w_a·activation + w_s·session + w_u·use + w_f·focus. Words are BM25
against the best match (0–1); vector is how near the node's vector is to the cue's, 0 for the mean
of the memory and 1 for the nearest, squared; activation is what spread to the node from the best
matches of both and from the focus; session is the best match of both in the node's session; use is
uses/(1 + uses); focus is ½^(k−1) for the k-th newest node in focus. Nothing is multiplied by
recency: on a memory that spans months that ruins recall. A cue of which no word is known brings
back nothing, unless the nearest vector stands out from all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphmem.graph.records import Node, NodeRecord, TextRecord, micros
from graphmem.graph.view import Link, Tombstone, View
from graphmem.index.vectors import Nearest
from graphmem.index.words import WordReader
from graphmem.recalling.activation import Spread, Spreading
from graphmem.recalling.context import TokenCounter
from graphmem.recalling.recall import LEAST_TOLD, Hit, Recall
from graphmem.settings import Settings
from graphmem_worker.words import words

_CUE_WORDS = 64  # distinct words of a cue that are looked up
_SHORTLIST = 50  # candidates whose records are read
_FILTERED = 2000  # the same, where a filter may throw most of them away
_LINE_TOKENS = 20  # of a short memory: how many may be needed to fill a budget
# What Chinese questions ask with; the analyser knows no words, so these would count as content.
_ASKING = frozenset(
    (
        "什么 么时 怎么 么样 哪里 哪儿 哪个 哪些 多少 可以 "
        "如何 为什 是否 时候 有什 是什 做什 吃什 叫什"
    ).split()
)
_DANGLING = 10  # forgotten nodes that a recall names


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
    words: float
    vector: float
    activation: float
    focus: float
    session: float = 0.0
    use: float = 0.0

    @property
    def score(self) -> float:
        return self.words + self.vector + self.activation + self.session + self.use + self.focus


class Ranking:
    """Answers cues at one snapshot."""

    def __init__(
        self, view: View, index: WordReader, settings: Settings, nearest: Nearest | None = None
    ) -> None:
        self._view = view
        self._index = index
        self._settings = settings
        self._nearest = nearest

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
    ) -> Recall:
        """The best `limit` hits. `relations` are codes; None follows every link."""
        wanted = max(_SHORTLIST, 4 * limit, (tokens or 0) // _LINE_TOKENS)
        reach = wanted if only.empty else max(_FILTERED, wanted)
        asked = [word for word in dict.fromkeys(words(cue)) if word not in _ASKING]
        matched, covered = self._match(asked, reach)
        near = self._near(matched, reach) if asked else {}
        if asked and not matched and not near:
            return Recall(cue, [], [], [], tokens, counter)  # rather nothing than what is at hand
        spread = self._spread(matched, near, depth, relations)
        candidates, forgotten = self._shortlist(matched, near, spread, reach, wanted, only)
        self._add_priors(candidates)
        candidates.sort(key=lambda c: (-c.score, c.node))
        hits = [self._hit(c, spread, covered) for c in candidates[:limit]]
        behind = candidates[limit:] if tokens is not None else ()
        least = LEAST_TOLD * hits[0].score if hits else 0.0
        further = [Node.of(c.node, c.text, c.record) for c in behind if c.score >= least]
        return Recall(cue, hits, further, forgotten, tokens, counter)

    def _match(self, asked: Sequence[str], reach: int) -> tuple[dict[int, float], float]:
        """The best nodes that hold words of the cue → BM25 against the best of them; and how much
        of what the cue asks for that best one answers, 0–1."""
        weights = dict.fromkeys(asked[:_CUE_WORDS], 1.0)
        state, knobs = self._view.state, self._settings
        found = self._index.search(
            weights, state.documents, state.words, k1=knobs.bm25_k1, b=knobs.bm25_b
        )
        if not len(found.nodes):
            return {}, 0.0
        kept = _largest(found.scores, max(2 * reach, knobs.entry_nodes))
        best = float(found.scores.max())
        shares = (found.scores[kept] / best).tolist()
        matched = dict(zip(found.nodes[kept].tolist(), shares, strict=True))
        return matched, min(1.0, best / found.whole)

    def _near(self, matched: dict[int, float], reach: int) -> dict[int, float]:
        """The nearest nodes, and those that hold words of the cue → their weighted nearness."""
        knobs, nearest = self._settings, self._nearest
        if nearest is None or (not matched and nearest.distinction < knobs.vector_floor):
            return {}
        shares = nearest.best(max(reach, knobs.entry_nodes))
        return {node: self._nearness(node, matched) for node in shares | matched}

    def _nearness(self, node: int, matched: dict[int, float]) -> float:
        """Squared, for most of a memory is a little near. A node that still waits for its vector is
        as near as its words say."""
        share = None if self._nearest is None else self._nearest.share(node)
        near = matched.get(node, 0.0) if share is None else share
        return self._settings.vector_weight * near**2

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
        entries = {node: both[node] for node in best}
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
        came = {node: weight * amount for node, amount in spread.received.items()}
        focus = self._focus()
        both: dict[int, float] = {}
        for part in (matched, near, came, focus):
            for node, amount in part.items():
                both[node] = both.get(node, 0.0) + amount
        order = sorted(both, key=both.__getitem__, reverse=True)[:reach]
        candidates: list[_Candidate] = []
        forgotten: list[Tombstone] = []
        for at in range(0, len(order), wanted):
            for found in self._view.pairs(order[at : at + wanted]):
                if isinstance(found, int):
                    stone = self._view.tombstone(found) if len(forgotten) < _DANGLING else None
                    if stone is not None:
                        forgotten.append(stone)
                    continue
                node, record, text = found
                if only.admits(text):
                    parts = (part.get(node, 0.0) for part in (matched, near, came, focus))
                    candidate = _Candidate(node, record, text, *parts)
                    if near:  # also of those that came over links
                        candidate.vector = self._nearness(node, matched)
                    candidates.append(candidate)
            if len(candidates) >= wanted:
                break
        return candidates, forgotten

    def _add_priors(self, candidates: Iterable[_Candidate]) -> None:
        knobs = self._settings
        best: dict[str, float] = {}
        for c in candidates:
            if c.text.session is not None:
                best[c.text.session] = max(best.get(c.text.session, 0.0), c.words + c.vector)
            c.use = knobs.use_weight * c.record.uses / (1 + c.record.uses)
        for c in candidates:
            if c.text.session is not None:
                c.session = knobs.session_weight * best[c.text.session]

    def _hit(self, candidate: _Candidate, spread: Spread, covered: float) -> Hit:
        node = Node.of(candidate.node, candidate.text, candidate.record)
        parts = {
            "words": candidate.words,
            "vector": candidate.vector,
            "activation": candidate.activation,
            "session": candidate.session,
            "use": candidate.use,
            "focus": candidate.focus,
        }
        path = self._path(candidate.node, spread) if candidate.activation > candidate.words else ()
        return Hit(node, candidate.score, parts, path, covered * candidate.words)

    def _path(self, node: int, spread: Spread) -> tuple[Link, ...]:
        """The links over which most of a node's activation came, from an entry node on."""
        nodes = [node]
        while (before := spread.origin.get(nodes[0])) is not None and before not in nodes:
            nodes.insert(0, before)
            if len(nodes) > 10:
                break
        path = []
        for source, target in pairwise(nodes):
            link = next((k for k in self._view.links(source) if k.target == target), None)
            if link is None:
                return ()
            path.append(link)
        return tuple(path)


def _largest(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The places of the `count` largest scores, in no order."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - count)[len(scores) - count :]
