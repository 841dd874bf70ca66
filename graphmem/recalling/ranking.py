"""Ranking: from a cue and one snapshot to hits.

A hit's score is the sum of its parts, each bounded, each with a weight among the settings:

- words: BM25 against the best match, 0–1; a day that the cue names counts half a word; beside
  vectors less where the best match answers little of the cue;
- vector: how near the node's vector is to the cue's, 0 for the mean of the memory and 1 for the
  nearest, squared; a node that waits for its vector is as near as its words say; twice as much for
  a text in another script than the cue's, of which words find nothing;
- activation: what spread to the node from the best matches and from the focus;
- speaker, time: a share of words and activation more for a node said by one whom the cue names, or
  of a time that it names;
- session: the best match of words in the node's session;
- context: a share of words, vector and activation more, the more of the cue's words the node and
  those told beside it hold together;
- currency: what a statement gains or loses for others of the same state (`currency`), so that what
  holds now stands where the best of them would, and what held before directly below it;
- use: uses/(1 + uses); focus: ½^(k−1) for the k-th newest node in focus;
- recency, importance: off by default.

Nothing is multiplied by recency: on a memory that spans months that ruins recall. A cue of which no
word is known brings back nothing, unless the nearest vector stands out. docs/recall.md has
the formulas and what each part is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise
from math import log, sqrt
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from graphmem.graph.records import as_node, as_tellable
from graphmem.graph.relations import SYSTEM
from graphmem.graph.view import STRONGEST, View
from graphmem.index.vectors.index import Nearest
from graphmem.index.words.index import ANY, Matches, WordReader, least, summed
from graphmem.recalling import attributes, characters, currency, days, names, spelling, synonyms
from graphmem.recalling.activation import Spread, Spreading
from graphmem.recalling.candidates import (
    BELOW,
    Candidate,
    Source,
    allowed,
    diverse,
    folded,
    ids_of,
    is_empty,
    is_reply,
    moment_of,
)
from graphmem.recalling.cue import Cue
from graphmem.recalling.cut import AS_GOOD, FEW, LEAST_ANSWERED, LEAST_SHARE, answered
from graphmem.recalling.precedence import Precedence
from graphmem.recalling.question import Filter
from graphmem.recalling.succession import asks_for_state, value_told
from graphmem.recalling.tracing import trace
from graphmem.settings import Settings
from graphmem.values.excerpts import Sought
from graphmem.values.hits import Hit
from graphmem.values.links import Link
from graphmem.values.moments import micros
from graphmem.values.nodes import Tombstone
from graphmem.values.recall import LEAST_TOLD, Recall
from graphmem.values.rendering import LINE_TOKENS, Telling, TokenCounter, counted, taken_apart
from graphmem.values.trace import Trace
from graphmem_worker.text.salience import is_question
from graphmem_worker.text.words import script, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHORTLIST = 50  # candidates whose records are read
_SAMPLE = 40  # of them whose length says how many fill a budget, …
_PHRASES = 0.3  # of a budget that is for phrases
_READ_ANYWAY = 200  # candidates, where a budget asks for so many
_FILTERED = 2000  # the same, where a filter may throw most of them away
_CUE_DAYS = 31  # days that a cue names and that are looked up
_TOLD = 256  # memories of these days, told without a date, that are looked at
_SHARP = 3.0  # what memories of a day that a cue names gain if they share a word with it
_DAY_SHARE = 0.5  # of a word: what the day of a node counts
_WORDLESS_DEMAND = 0.25  # how sure of a cue answered by vectors alone the cut is
_REPLIED = 0.5  # what matches of a text that only replies count
_LIKELY = 8  # hits that may tell the attribute that is asked for
_DANGLING = 10  # forgotten nodes that a recall names
_COMPARED = 32  # candidates of which it is looked at what was told beside them, …
_BESIDE = 2  # and how many ids apart that may be
_RECENT = 30.0  # days after which recency has halved
_DAY = 86_400e6  # microseconds


class Ranking:
    """Answers cues at one snapshot."""

    def __init__(
        self,
        view: View,
        index: WordReader,
        settings: Settings,
        now: datetime,
        nearest: Nearest | None = None,
        *,
        frequency: Callable[[str], int],
    ) -> None:
        """frequency: how many nodes hold an index word.

        `now` is what "yesterday" counts from; its zone says when days begin. `nearest`: what the
        vectors find near the cue."""
        self._source = Source(view, index, settings.ranking, now, nearest, frequency)
        self._nearest = nearest
        self._frequency = frequency
        self._view = view
        self._index = index
        self._knobs = settings.ranking
        self._now = now

    def recall(
        self,
        cue: Cue,
        *,
        relations: Sequence[int] | None,
        depth: int,
        limit: int,
        tokens: int | None,
        counter: TokenCounter,
        only: Filter,
        traced: bool = False,
        cut: bool = False,
        fill: bool = False,
    ) -> Recall:
        """The best `limit` hits. `relations` are codes; None follows every link. `traced`: with
        what the recall did."""
        lines = (tokens or 0) // LINE_TOKENS
        at_least = max(_SHORTLIST, 4 * limit, min(lines, _READ_ANYWAY))
        wanted = max(at_least, lines)
        reach = wanted if only.empty else max(_FILTERED, wanted)
        if cue.is_dated:
            return self._of_days(cue, limit, tokens, counter, only, traced)
        asked = self._asked(cue)
        matched, covered, of_day = self._match(cue, asked, reach, only)
        near = self._near(matched, reach, only) if cue.asked else {}
        if (cue.asked or cue.when) and not matched and not near:
            nothing = Trace(cue.text, (), (), (), {}) if traced else None
            return Recall(
                cue.text, [], [], [], tokens, counter, nothing, Telling(self._source.zone)
            )
        trust = self._trust(covered) if near else 1.0
        if trust < 1.0:
            matched = {node: trust * share for node, share in matched.items()}
        spread = self._spread(matched, near, depth, relations)

        filling: list[int] = []

        def enough(read: Sequence[Candidate]) -> int:
            """How many candidates fill the budget with some to choose from, as long as these."""
            if tokens is not None and not filling:  # the first of them stay the same
                filling.append(_filling(read[:_SAMPLE], tokens, counter))
            return min(wanted, max(at_least, *filling)) if filling else wanted

        candidates, forgotten = self._shortlist(
            matched, near, spread, of_day, reach, at_least, enough, only, set(cue.said)
        )
        self._add_priors(cue, candidates)
        sure = self._answered(candidates, covered / trust) if cue.asked else 0.0
        candidates.sort(key=lambda c: (-c.score, c.node))
        candidates = folded(candidates)
        precedence = Precedence(self._source, cue, only, fills=cut and tokens is not None)
        outdated = precedence.put_current_first(candidates)
        if cut and candidates:
            self._put_told_first(cue.text, candidates)
        if self._knobs.diversity:
            candidates = diverse(candidates, limit, self._knobs.diversity)
        perhaps: list[Candidate] = []
        if cut and cue.asked and candidates:
            is_small = self._view.state.documents < FEW
            # Vectors alone, which had to stand out, put much a little near to whatever is asked.
            demanded = sure if matched else _WORDLESS_DEMAND
            # Most of what is of a day that the cue names says so in no word.
            kept = _earning(candidates, demanded, by_score=bool(cue.when))
            is_unsure = sure < LEAST_ANSWERED and bool(matched) and not is_small
            if self._lack(cue.text, kept):
                candidates, sure = [], min(sure, LEAST_ANSWERED)
            elif is_unsure and "time" not in candidates[0].parts:
                candidates = []
            else:
                candidates = self._with_related(candidates, kept, sure, spread)
                if tokens is not None:
                    ids = {c.node for c in candidates}
                    perhaps = [c for c in precedence.perhaps if c.node not in ids]
        zone = self._source.zone
        sought = self._sought(cue, asked) if tokens is not None else Sought()
        telling = Telling(zone, earlier=tuple(outdated), sought=sought)
        if fill:
            best = candidates[:limit]
            rest = candidates[limit:] if tokens is not None else ()
            behind = [*perhaps, *(c for c in rest if c.score >= 0.0)]
            # Hardly anybody wants more of them than lines: nodes are made for those who do.
            return Recall(
                cue.text,
                lambda: [self._hit(c, None, covered / trust) for c in best],
                lambda: [as_node(c.node, c.text, c.record) for c in behind],
                forgotten, tokens, counter, None, telling, sure,
                [as_tellable(c.node, c.text, c.record, zone) for c in (*best, *behind)],
            )  # fmt: skip
        hits = [self._hit(c, spread, covered / trust) for c in candidates[:limit]]
        rest = candidates[limit:] if tokens is not None else ()
        least = LEAST_TOLD * hits[0].score if hits else 0.0
        behind = [*perhaps, *(c for c in rest if c.score >= least)]
        further = [as_node(c.node, c.text, c.record) for c in behind]
        told = None
        if traced:
            reasons = {"words": matched, "vector": near, "focus": self._focus()}
            told = trace(self._view, cue.text, spread, reasons, hits)
        return Recall(cue.text, hits, further, forgotten, tokens, counter, told, telling, sure)

    def _sought(self, cue: Cue, asked: Iterable[str]) -> Sought:
        """What of a memory is told that is not told whole: the words of the cue, by how rare they
        are, and the attribute or the type of value that it asks for."""
        documents = self._view.state.documents
        found: dict[str, float] = {}
        for word in asked:
            if held := self._frequency(word):
                found[word] = log(1 + documents / held)
                if word.endswith("i"):  # "studi" stands for "studies", and for "study"
                    found[f"{word[:-1]}y"] = found[word]
        value = attributes.value_told(cue.text) or value_told(cue.text)
        return Sought(tuple(found.items()), value)

    def _answered(self, candidates: Sequence[Candidate], covered: float) -> float:
        """How sure it is that the candidates, best first, answer the cue, 0–1."""
        if not candidates:
            return 0.0
        apart = None
        if self._nearest is not None and self._nearest.count >= FEW:
            apart = self._nearest.distinction
        best = nlargest(3, candidates, key=attrgetter("alone"))
        held = covered * max(c.parts["words"] for c in best)
        return answered(best[0].alone, min(1.0, covered), min(1.0, held), apart)

    def _lack(self, cue: str, kept: Sequence[Candidate]) -> bool:
        """Whether a cue asks for an attribute that none of the best hits may tell."""
        may_tell = self._telling(cue, kept, self._message)
        return may_tell is not None and not any(map(may_tell, kept[:_LIKELY]))

    def _telling(
        self, cue: str, among: Sequence[Candidate], said: Callable[[Candidate], str]
    ) -> Callable[[Candidate], bool] | None:
        """Whether one of some hits, by what it said, may tell the attribute that a cue asks for;
        None if it asks for none."""
        asked = attributes.asked_for(cue)
        if asked is None:
            return None
        near = set() if self._nearest is None else self._nearest.across([c.node for c in among])
        across = names.written(cue, self._frequency).values()
        spelled = frozenset(word for held in across for word in held)
        # In Chinese the subject may be no name, but said in words that no memory has.
        is_unknown = script(cue) == "cjk" and not any(
            map(self._frequency, attributes.subject_of(cue))
        )

        def may_tell(c: Candidate) -> bool:
            text = said(c)
            is_near = c.node in near and c.parts["vector"] >= 1.0
            is_about = is_unknown or is_near or not spelled.isdisjoint(words(text))
            return attributes.may_tell(asked, cue, text, c.text.speaker, is_about=is_about)

        return may_tell

    def _message(self, c: Candidate) -> str:
        """What a candidate says with those beside it that were told at once with it: "Oskar starts
        on Monday." names of whom "Tree nuts put him in hospital." tells."""
        told = c.text
        beside = (self._view.text(node) if node > 0 else None for node in (c.node - 1, c.node + 1))
        before, after = (
            text.text or text.phrase
            if text is not None
            and (text.created, text.session, text.speaker)
            == (told.created, told.session, told.speaker)
            else ""
            for text in beside
        )
        return f"{before} {c.said} {after}".strip()

    def _put_told_first(self, cue: str, candidates: list[Candidate]) -> None:
        """Where the attribute that a cue asks for is told first of another person, have the best
        hit that may tell it of the one whom the cue names stand before it."""
        asked, first = attributes.asked_for(cue), candidates[0]
        if asked is None or not asked.of_subject or currency.asked(cue) != "now":
            return
        likely = candidates[:_LIKELY]
        may_tell = self._telling(cue, likely, attrgetter("said"))
        said, speaker = first.said, first.text.speaker
        if (
            may_tell is None
            or may_tell(first)
            or not attributes.may_tell(asked, cue, said, speaker, is_about=True)
        ):
            return
        told = next(filter(may_tell, likely), None)
        if told is None:
            return
        told.move_to(candidates[0].score + BELOW)
        candidates.sort(key=lambda c: -c.score)

    def _of_days(
        self,
        cue: Cue,
        limit: int,
        tokens: int | None,
        counter: TokenCounter,
        only: Filter,
        traced: bool,
    ) -> Recall:
        """The memories of the days that a cue names, in the order of time; behind them those that
        speak of these days. Of more than there is room for, those that say most."""
        most = max(limit, (tokens or 0) // LINE_TOKENS)
        named = [mention.period for mention in cue.when]
        of_days = [days.of_period(self._view, self._index, period, self._now) for period in named]
        found = [
            c
            for c in self._source.read(np.unique(np.concatenate(of_days)), only)
            if any(self._source.day(c.text) in period for period in named)
        ]
        own = {c.node for c in found}
        speaking = days.speaking_of(self._index, cue.when)
        found += [
            c
            for c in self._source.read(allowed(speaking, only)[-_FILTERED:], only)
            if c.node not in own and days.speaks_of(c.text, cue.when, self._source.day(c.text))
        ]
        for c in found:
            c.parts["time"] = c.score = 1.0 if c.node in own else _DAY_SHARE
        timeless = {
            self._source.day(c.text) for c in found if moment_of(c.text) % _DAY == self._midnight
        }
        found = folded(
            sorted(
                found,
                key=lambda c: (
                    -c.score,
                    day := self._source.day(c.text),
                    0 if day in timeless else moment_of(c.text),
                    c.node,
                ),
            )
        )
        telling_most = sorted(found, key=lambda c: (-c.score, -max(c.text.saliences, default=0.0)))
        chosen = {c.node for c in telling_most[:limit]}
        hits = [self._hit(c, None, 0.0) for c in found if c.node in chosen]
        further = [
            as_node(c.node, c.text, c.record)
            for c in telling_most[limit : most if tokens is not None else limit]
        ]
        told = Trace(cue.text, (), (), tuple(hits), {}) if traced else None
        telling = Telling(self._source.zone, in_order=True)
        sure = 1.0 if hits else 0.0
        return Recall(cue.text, hits, further, [], tokens, counter, told, telling, sure)

    def _match(
        self, cue: Cue, asked: Mapping[str, float], reach: int, only: Filter
    ) -> tuple[dict[int, float], float, list[int]]:
        """The best nodes that hold words of the cue, or are of a day that it names, and all such
        `only` of which is among → BM25 against the best of them; how much of what the cue asks for
        that best one answers, 0–1; and which are of a day that it names, if it names one or two."""
        most = max(2 * reach, self._knobs.entry_nodes)
        today = self._now.date()
        named = [day for mention in cue.when for day in mention.period.days(today, _CUE_DAYS)]
        if not self._knobs.time_weight:
            named = []
        dates = [day.isoformat() for day in named[:_CUE_DAYS]]
        every = bool(cue.when) or only.among is not None
        found = self._search(asked, None if every else most)
        nodes, scores, of_day = found.nodes, found.scores, np.zeros(0, np.uint64)
        if cue.when:
            dated = self._search(dict.fromkeys(dates, _DAY_SHARE), None)
            speaking = [days.speaking_of(self._index, cue.when)]
            own = [dated.nodes] if cue.is_sharp else []
            for mention in cue.when if named else ():
                if mention.period.length <= _CUE_DAYS:
                    dated_period = mention.period.dated(today)
                    told = days.told_in(self._view, dated_period, self._now, _TOLD)
                    speaking.append(told)
                    own.append(told[: len(told) * cue.is_sharp])
            of_day = np.concatenate((of_day, *own))
            also = np.unique(np.concatenate(speaking))
            share = _DAY_SHARE * log(1 + self._view.state.documents / (1 + len(also)))
            both = np.concatenate((scores, dated.scores, np.full(len(also), share, np.float32)))
            each = np.concatenate((nodes, dated.nodes, also))
            nodes, sums = summed(each, both, None if only.among is not None else most)
            scores = sums.astype(np.float32)
        if not len(nodes):
            return {}, 0.0, []
        kept = _largest(scores, most)
        if only.among is not None:
            kept = np.union1d(kept, np.flatnonzero(np.isin(nodes, ids_of(only.among))))
        shares = (scores[kept] / scores.max()).tolist()
        answered = float(found.scores.max(initial=0.0)) / found.whole if found.whole else 0.0
        matched = dict(zip(nodes[kept].tolist(), shares, strict=True))
        return matched, min(1.0, answered), of_day.tolist()

    def _asked(self, cue: Cue) -> dict[str, float]:
        """The words that are looked up, with their weights; names also as the memory writes them
        in the other script, and then without words that no memory holds; where none is known,
        mistyped words as they are meant. Without vectors also synonyms of unknown words, and single
        Chinese characters."""
        asked = dict.fromkeys(cue.asked, 1.0)
        for said, held in names.written(cue.content, self._frequency).items():
            if not self._frequency(said):
                asked.pop(said, None)
            asked |= dict.fromkeys(held, 1.0)
        if self._nearest is None:
            asked |= dict.fromkeys(synonyms.of_unknown(cue.asked, self._frequency), 1.0)
        if not any(map(self._frequency, asked)):  # it would bring back nothing
            meant = spelling.corrected(cue.content, self._frequency)
            if any(meant.values()):
                left = (word for word in asked if word not in meant)
                asked = dict.fromkeys((*left, *filter(None, meant.values())), 1.0)
        if self._nearest is None:
            alone = characters.unknown(cue.asked, self._frequency)
            asked |= {c + ANY: weight for c, weight in alone.items()}
        return asked

    def _search(self, weights: Mapping[str, float], most: int | None) -> Matches:
        state, knobs = self._view.state, self._knobs
        return self._index.search(
            weights, state.documents, state.words, k1=knobs.bm25_k1, b=knobs.bm25_b, most=most
        )

    def _near(self, matched: dict[int, float], reach: int, only: Filter) -> dict[int, float]:
        """The nearest nodes, those that hold words of the cue, and those near it that `only` names
        → their weighted nearness."""
        knobs, nearest = self._knobs, self._nearest
        if nearest is None or not knobs.vector_weight:
            return {}
        if not matched and nearest.distinction < knobs.vector_floor:
            return {}
        best = nearest.best(max(reach, knobs.entry_nodes))
        if only.among is not None:
            named = nearest.shares(only.among)
            best |= {node: share for node, share in named.items() if share > 0}
        return self._source.nearness(list(best | matched), matched)

    def _trust(self, covered: float) -> float:
        """What words count beside vectors: less where the best match of them answers little of the
        cue, for then all that share a word with it are matches of chance."""
        enough = self._knobs.words_coverage
        # Nothing covered: it was days that matched.
        return (covered / enough) ** 0.5 if 0 < covered < enough else 1.0

    def _spread(
        self,
        matched: dict[int, float],
        near: dict[int, float],
        depth: int,
        relations: Sequence[int] | None,
    ) -> Spread:
        knobs = self._knobs
        both = matched
        if near:
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
        weight = self._knobs.focus_weight
        return {node: weight * 0.5**place for place, node in enumerate(self._view.focus)}

    def _shortlist(
        self,
        matched: dict[int, float],
        near: dict[int, float],
        spread: Spread,
        of_day: Sequence[int],
        reach: int,
        wanted: int,
        enough: Callable[[Sequence[Candidate]], int],
        only: Filter,
        said: Set[str],
    ) -> tuple[list[Candidate], list[Tombstone]]:
        """Up to `wanted` nodes that `only` admits among the best `reach`, and then up to `enough`
        of these, those of a day that the cue names before all; forgotten ones met. A text that
        says nothing is none of them, unless the cue, which says these words, says one of its own:
        any vector is near that of "lol"."""
        weight = self._knobs.activation_weight
        focus = self._focus()
        met = spread.among((*matched, *near, *focus, *(only.among or ())), reach)
        spread_to = {node: weight * amount for node, amount in met.items()}
        total = dict(matched)
        for source in (near, spread_to, focus):
            for node, amount in source.items():
                total[node] = total.get(node, 0.0) + amount
        for node in of_day:
            total[node] = total.get(node, 0.0) + _SHARP * self._knobs.time_weight
        admitted = total if only.among is None else filter(only.may_be, total)
        order = sorted(admitted, key=total.__getitem__, reverse=True)
        unfiltered = only.empty
        candidates: list[Candidate] = []
        forgotten: list[Tombstone] = []
        at, end = 0, min(reach, len(order))
        while at < end:
            some = order[at : min(at + max(_SHORTLIST, wanted - len(candidates)), end)]
            at += len(some)
            if near:  # also of those that came over links
                near = near | self._source.nearness([n for n in some if n not in near], matched)
            for found in self._view.pairs(some):
                if isinstance(found, int):
                    stone = self._view.tombstone(found) if len(forgotten) < _DANGLING else None
                    if stone is not None:
                        forgotten.append(stone)
                    continue
                node, record, text = found
                if (
                    said
                    and only.among is None
                    and is_empty(text.text)
                    and (said.isdisjoint(words(text.text)))
                ):
                    end = min(end + 1, len(order))
                    continue
                if (unfiltered and record.valid_to is None) or only.admits(node, text, record):
                    parts = {
                        "words": matched.get(node, 0.0),
                        "vector": near.get(node, 0.0),
                        "activation": spread_to.get(node, 0.0),
                        "focus": focus.get(node, 0.0),
                        "session": 0.0,  # these two are added below: a dict that grows costs more
                        "use": 0.0,
                    }
                    candidates.append(Candidate(node, record, text, parts))
                elif unfiltered:  # replaced: it takes no place of what holds
                    end = min(end + 1, len(order))
            if len(candidates) >= wanted:
                more = enough(candidates)
                if len(candidates) >= more:
                    break
                wanted = more
        return candidates, forgotten

    def _add_priors(self, cue: Cue, candidates: Sequence[Candidate]) -> None:
        """The parts that need a node's records. None of them makes a candidate."""
        knobs, when = self._knobs, cue.when
        sharp = cue.is_sharp
        of_day: list[Candidate] = []
        best: dict[str | None, float] = {}
        speakers: set[str | None] = set()
        for c, question in _answers(candidates) if knobs.question_weight else ():
            asked = question.parts["words"] + question.parts["vector"]
            c.parts["question"] = max(0.0, knobs.question_weight * asked - c.direct)
        for c in candidates:
            if is_reply(c.text.spans):
                for part in ("words", "vector", "activation"):
                    c.parts[part] *= _REPLIED
            speakers.add(c.text.speaker)
            if (session := c.text.session) is not None:
                matched = c.parts["words"] + c.parts["vector"]
                if matched > best.get(session, 0.0):
                    best[session] = matched
        named = _named(cue.content, set(cue.said), speakers) if knobs.speaker_weight else ()
        session_weight, use_weight = knobs.session_weight, knobs.use_weight
        timed, aged, linked = (
            when and knobs.time_weight,
            knobs.recency_weight,
            knobs.importance_weight,
        )
        together = self._held_together(cue, candidates) if knobs.context_weight else {}
        for c in candidates:
            text, parts, uses = c.text, c.parts, c.record.uses
            parts["session"] = session_weight * best.get(text.session, 0.0)
            if c.node in together:
                c.context = parts["context"] = knobs.context_weight * together[c.node] * c.matched
            parts["use"] = use_weight * uses / (1 + uses) if uses else 0.0
            if text.speaker in named:
                parts["speaker"] = knobs.speaker_weight * c.matched
            if timed:
                day = self._source.day(text)
                if (own := any(day in m.period for m in when)) or days.speaks_of(text, when, day):
                    parts["time"] = knobs.time_weight * c.matched
                if own and sharp and c.parts["words"]:
                    of_day.append(c)
            if aged:
                told = c.text.created if c.text.happened is None else c.text.happened[0]
                age = (micros(self._now) - max(c.record.last_used, told)) / _DAY
                parts["recency"] = knobs.recency_weight * 0.5 ** (max(0.0, age) / _RECENT)
            if linked:
                share = self._view.importance(c.node) / STRONGEST
                parts["importance"] = knobs.importance_weight * share
            c.score = sum(parts.values())
        lift = knobs.time_weight * _SHARP
        if of_day and not asks_for_state(cue.text):
            # What happened on a day was told on it, however near the rest is; what held, before it.
            own_day = {c.node for c in of_day}
            lift = max([lift, *(c.score for c in candidates if c.node not in own_day)])
        for c in of_day:
            c.parts["time"] += lift
            c.score += lift

    def _held_together(self, cue: Cue, candidates: Sequence[Candidate]) -> dict[int, float]:
        """Node, of the best → the share of the cue's words, by how rare they are, that it holds
        together with those of them told up to two before or after it in its session, 0–1."""
        postings = [self._index.find(word).nodes for word in cue.asked]
        if not any(map(len, postings)):
            return {}
        documents = self._view.state.documents
        rarity = np.array([log(1 + documents / (1 + len(found))) for found in postings])
        of_session = {c.node: c.text.session for c in candidates[:_COMPARED]}
        nodes = np.array(sorted(of_session), np.uint64)
        own = np.zeros((len(postings), len(nodes)))
        for row, found in zip(own, postings, strict=True):
            if len(found):
                row[:] = found.take(found.searchsorted(nodes), mode="clip") == nodes
        ids: list[int] = nodes.tolist()
        held = own.copy()
        for apart in range(1, min(_BESIDE, len(ids) - 1) + 1):
            beside = [
                b - a <= _BESIDE and of_session[a] == of_session[b] is not None
                for a, b in zip(ids, ids[apart:], strict=False)
            ]
            before, after = held[:, :-apart], held[:, apart:]
            np.maximum(before, own[:, apart:] * beside, out=before)
            np.maximum(after, own[:, :-apart] * beside, out=after)
        shares = rarity @ held / rarity.sum()
        return dict(zip(ids, shares.tolist(), strict=True))

    @property
    def _midnight(self) -> float:
        """Where in a day of UTC a day of the clock's zone begins, in microseconds."""
        return (-self._source.zone * 60e6) % _DAY

    def _hit(self, candidate: Candidate, spread: Spread | None, covered: float) -> Hit:
        node = as_node(candidate.node, candidate.text, candidate.record)
        parts, folded = candidate.parts, candidate.folded
        path: tuple[Link, ...] = ()
        if spread is not None and parts["activation"] > parts["words"]:
            path = self._path(candidate.node, spread)
        coverage = covered * parts["words"]
        earlier, scope = candidate.earlier, self._view.scope.name
        return Hit(
            node, candidate.score, parts, path, coverage, folded, self._source.zone, earlier, scope
        )

    def _with_related(
        self,
        candidates: Sequence[Candidate],
        kept: list[Candidate],
        sure: float,
        spread: Spread | None,
    ) -> list[Candidate]:
        """What is kept, and what a relation of the user's own joins to it, in the order of rank."""
        if spread is None or len(kept) == len(candidates) or not self._view.relations.own:
            return kept
        ids = {c.node for c in kept}
        floor = LEAST_SHARE * sure * candidates[0].alone
        for c in candidates:
            before = None if c.node in ids or c.alone < floor else spread.origin(c.node)
            if before is not None and before in ids:
                entries = self._view.entries(before)
                if any(e.target == c.node and e.relation > len(SYSTEM) for e in entries):
                    ids.add(c.node)
        return [c for c in candidates if c.node in ids]

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


def _filling(read: Sequence[Candidate], tokens: int, counter: TokenCounter) -> int:
    """How many candidates as long as those of `read` fill a budget, with those of which only the
    phrase is told behind them."""
    said = [taken_apart(c.said, counter) for c in read]
    whole = tokens * len(said) // max(1, counted(counter, said))
    return whole + int(tokens * _PHRASES) // LINE_TOKENS


def _answers(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """Candidates that answer a question with which somebody else ended, each with that one."""
    asking = {c.node: c for c in candidates[:_COMPARED] if c.text.spans and _asks(c.text.spans[-1])}
    if not asking:
        return
    for c in candidates:
        question = asking.get(c.node - 1) or asking.get(c.node - 2)
        if (
            question is not None
            and question.text.session is not None
            and question.text.session == c.text.session
            and question.text.speaker != c.text.speaker
            and not is_reply(c.text.spans)
        ):
            yield c, question


_asks = lru_cache(1 << 13)(is_question)


def _earning(candidates: Sequence[Candidate], sure: float, *, by_score: bool) -> list[Candidate]:
    """The best, and those of the others that earn their place; the surer the answer is, the more is
    asked of them. `by_score`: what was told beside an answer counts like what answers itself."""
    best, *others = candidates
    if by_score:
        floor = LEAST_SHARE * sure * best.alone
        return [best, *(c for c in others if c.alone >= floor)]
    floor = LEAST_SHARE * sqrt(sure) * max(c.direct for c in candidates)
    enough = AS_GOOD * max(c.alone for c in candidates)
    return [best, *(c for c in others if c.direct >= floor or c.alone >= enough)]


def _named(cue: str, said: Set[str], speakers: Set[str | None]) -> set[str | None]:
    """The speakers whom a cue, which says these words, names."""
    found = set()
    for speaker in speakers:
        parts, spellings = _names(speaker or "")
        is_named = not said.isdisjoint(parts) or any(name in cue for name in spellings)
        if is_named or (speaker and names.names_speaker(cue, speaker)):
            found.add(speaker)
    return found


@lru_cache(1 << 10)
def _names(speaker: str) -> tuple[Sequence[str], Sequence[str]]:
    """What names a speaker: any word of the name, or in Chinese the name as it stands, with or
    without the surname."""
    if script(speaker) == "cjk":
        return (), (speaker, speaker[1:]) if len(speaker) > 2 else (speaker,)
    return words(speaker), ()


def _largest(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The places of the `count` largest scores, ascending; of equal ones the first."""
    if len(scores) <= count:
        return np.arange(len(scores))
    floor = least(scores, count)
    (better,) = (scores > floor).nonzero()
    (equal,) = (scores == floor).nonzero()
    return np.sort(np.concatenate((better, equal[: count - len(better)])))
