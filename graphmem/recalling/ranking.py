"""Ranking: from a cue and one snapshot to hits.

A hit's score is the sum of its parts: features from 0 to 1 (`features`, and here those that need a
node's text), each times its fitted weight (`weights`). After scoring, the value that holds now
takes the rank of the best statement of the same fact (`supersede`). A cue of which no word is known
brings back nothing, unless the nearest vector stands out. docs/recall.md has the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from heapq import nlargest
from itertools import pairwise
from math import log
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from graphmem.graph.relations import SYSTEM
from graphmem.index.words.index import EITHER, Matches
from graphmem.index.words.postings import FEWEST, distinct, least, rarity, summed
from graphmem.index.words.records import characters
from graphmem.recalling import (
    attributes,
    days,
    figures,
    names,
    periods,
    spelling,
    supersede,
    synonyms,
)
from graphmem.recalling.activation import Spread, Spreading
from graphmem.recalling.asking import (
    State,
    asked_type,
    asks_for_value,
    limits,
    may_give_value,
)
from graphmem.recalling.asking import asked as asked_when
from graphmem.recalling.attributes import is_of_kin
from graphmem.recalling.beside import Beside, beside, message, put_reply_first
from graphmem.recalling.candidates import (
    BELOW,
    Candidate,
    Source,
    allowed,
    answers,
    diverse,
    ends_asking,
    folded,
    hand_down,
    ids_of,
    is_empty,
    is_reply,
    says_little,
)
from graphmem.recalling.cue import Cue
from graphmem.recalling.cut import FEW, LEAST_ANSWERED, LEAST_FILLING, LEAST_SHOWN, answered
from graphmem.recalling.features import Features
from graphmem.recalling.identifiers import completed
from graphmem.recalling.open_questions import without_questions
from graphmem.recalling.question import Question
from graphmem.recalling.reminders import reminders
from graphmem.recalling.sessions import Sessions
from graphmem.recalling.tracing import trace
from graphmem.recalling.ways import put_way_first
from graphmem.recalling.weights import Weights
from graphmem.recalling.whose import is_of_others
from graphmem.values.hits import Hit
from graphmem.values.links import Link
from graphmem.values.nodes import Tombstone
from graphmem.values.recall import LEAST_TOLD, Recall
from graphmem.values.rendering import LINE_TOKENS, Layout, TokenCounter
from graphmem.values.trace import Trace
from graphmem_worker.claims.statements import attribute_words, is_over
from graphmem_worker.claims.transfers import is_reversed
from graphmem_worker.language.lists import listed
from graphmem_worker.text import markers
from graphmem_worker.text.clauses import negation
from graphmem_worker.text.words import words

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MATCHED = 200  # candidates by words, …
_NEAREST = 100  # … by vectors …
_LINKED = 50  # … and by links
_FOCUS = 0.05  # activation of the newest node in focus, against 1 of the best match
_FIRST = 100.0  # more than any score
_SHORTLIST = 60  # candidates whose records are read
_SAMPLE = 40  # of them whose length says how many fill a budget, …
_BESIDE = 0.1  # of a budget: for so much of it short memories are read besides
_READ_ANYWAY = 200  # candidates, where a budget asks for so many
_FILTERED = 2000  # the same, where a filter may throw most of them away
_CUE_DAYS = 31  # days that a cue names and that are looked up
_TOLD = 256  # memories of these days, told without a date, that are looked at
_CORRECTED = 12  # words of the longest cue that is spell-checked: each takes some 300 look-ups
_CHARACTER = 0.4  # of a word: a Chinese character, beside the pairs that it is part of
_VERB = 0.3  # of a word: what tells an attribute, in a memory of hardly any notes
_ASIDE = 0.5  # of a word: what one counts with which a turn does not ask
_SHARP = 3.0  # what memories of a day that a cue names gain if they share a word with it
_DAY_SHARE = 0.5  # of a word: what the day of a node counts
_LIKELY = 8  # hits that may tell the attribute that is asked for
_NEAR = 0.8  # squared share from which on a text of the other script is about the same


class Ranking:
    """Answers one question at one snapshot."""

    def __init__(
        self, source: Source, sessions: Sessions, weights: Weights, cue: Cue, question: Question
    ) -> None:
        """cue: that of the question, as it was read."""
        self._source = source
        self._view, self._knobs = source.view, source.knobs
        self._sessions = sessions
        self._weights = weights
        self._cue, self._question = cue, question
        self._asking = cue.question
        self._only = question.only
        if self._only.as_of is None:
            state = State.of(cue.text, cue.when, source.now)
            held_since = state.held_since(source.now, is_dated=cue.is_dated)
            self._only = replace(self._only, now=held_since)

    def recall(self, relations: Sequence[int] | None) -> Recall:
        """The best hits. `relations` are codes; None follows every link."""
        cue, question, only = self._cue, self._question, self._only
        limit, tokens, counter = question.limit, question.tokens, question.counter
        fill = question.fill
        lines = (tokens or 0) // LINE_TOKENS
        at_least = max(_SHORTLIST, 4 * limit, min(lines, _READ_ANYWAY))
        most = max(at_least, lines)
        reach = most if only.empty else max(_FILTERED, most)
        cue = self._cue = periods.dated(self._source, cue, only)
        if cue.is_dated:
            return self._of_days()
        if cue.is_of_period:
            of_period = frozenset(c.node for c in periods.read(self._source, cue, only)[0])
            if of_period or not all(mention.is_vague for mention in cue.when):
                only = self._only = replace(only, among=of_period)
        asked = self._asked(cue)
        matched, covered, of_day = self._match(asked, reach)
        near = self._near(bool(matched), reach) if cue.asked else {}
        if (cue.asked or cue.when) and not matched and not near:
            nothing = Trace(cue.text, (), (), (), {}) if question.trace else None
            once = self._reminders(())
            return Recall(
                cue.text, [], [], once, tokens, counter, nothing, Layout(self._source.zone)
            )
        spread = self._spread(matched, near, question.depth, relations)
        weights = self._weighed(self._weights.vectors if near else self._weights.words)
        features = self._features(asked, matched, near, spread, of_day, reach)

        def enough(read: Sequence[Candidate]) -> int:
            """How many candidates fill the budget with some to choose from, as long as these."""
            if tokens is None:
                return most
            return min(most, max(at_least, _filling(read[:_SAMPLE], tokens, counter)))

        candidates = self._shortlist(features, weights, of_day, reach, at_least, enough)
        self._add_told(candidates, weights)
        candidates.sort(key=lambda c: (-c.score, c.node))
        others = self._put_others_behind(candidates, weights)
        candidates = folded(candidates)
        answering = without_questions(cue, candidates)
        of_asked = [c for c in answering if c.node not in others]
        sure = self._answered(of_asked, covered) if cue.asked else 0.0
        if question.cut:
            candidates = answering
        fills = question.strict or (question.cut and tokens is not None)
        ordered = supersede.order(
            self._source, cue, candidates, only, fills=fills, strict=question.strict
        )
        candidates = ordered.candidates
        if put_way_first(cue.text, candidates, ordered.earlier):
            ordered = ordered._replace(later=[candidates[1], *ordered.later])
        if question.cut and candidates:
            self._put_told_first(candidates)
            put_reply_first(self._source, cue.text, candidates, only)
        if self._knobs.diversity:
            candidates = diverse(candidates, limit, self._knobs.diversity)
        kept: Sequence[Candidate] = candidates
        likely: Sequence[Candidate] = candidates
        if question.cut and cue.asked and candidates:
            if question.strict and candidates[0].node in others:
                sure = 0.0
            kept, likely, sure = self._cut(candidates, ordered, spread, sure, bool(matched))
            # A budget tells them behind the hits.
            if tokens is None and likely and len(kept) < limit:
                later = ordered.later if fills else ordered.look()
                kept = [*kept, *(c for c in later if c not in kept)]
        best = kept[:limit]
        behind: list[Candidate] = []
        with_it: Beside = ()
        if tokens is not None:
            share = LEAST_FILLING if question.cut else LEAST_TOLD
            is_bounded = best and likely is candidates and not fill
            least = share * best[0].score if is_bounded else 0.0
            behind = [c for c in likely if c.score >= least]
            behind.sort(key=lambda c: says_little(c, asked, counter))
            behind, with_it = beside(self._source, best, behind, only)
        told = None
        hits = [self._hit(c, None if fill else spread, covered) for c in best]
        if question.trace and not fill:
            reasons = {"words": matched, "vector": near, "focus": self._focus()}
            told = trace(self._view, cue.text, spread, reasons, hits)
        sought = tuple((one, n) for word, n in asked.items() for one in word.split(EITHER))
        telling = Layout(
            self._source.zone, earlier=ordered.earlier, limits=limits(), beside=with_it,
            sought=sought,
        )  # fmt: skip
        once = [] if fill else self._reminders(hits)
        return Recall(
            cue.text, hits, [c.seen for c in behind], once, tokens, counter, told, telling,
            sure,
        )  # fmt: skip

    def _reminders(self, hits: Sequence[Hit]) -> list[Tombstone]:
        if not self._view.state.tombstones:
            return []
        find, documents = self._source.index.find, self._view.state.documents
        weights = {word: rarity(len(find(word).nodes), documents) for word in self._cue.asked}
        return reminders(self._view, weights, hits)

    def _cut(
        self,
        candidates: list[Candidate],
        ordered: supersede.Ordered,
        spread: Spread,
        sure: float,
        is_matched: bool,
    ) -> tuple[Sequence[Candidate], Sequence[Candidate], float]:
        """Which candidates are hits, which may fill a budget behind them, and how sure it is that
        they answer, which was `sure` before. is_matched: a word of the cue is known."""
        most = candidates[0].score
        shown = [c for c in candidates if c.score >= min(most, LEAST_SHOWN * most)]
        question, asking = self._question, self._asking.text
        if self._lack(shown):
            may_protect = attributes.may_protect
            first = candidates[:_LIKELY]  # what stands first lacks it, and is no measure
            return [c for c in first if may_protect(asking, c.content, c.text.speaker)], (), 0.0
        if not question.strict:
            likely = candidates if ordered.rest is None else ordered.rest
            if question.fill and likely is not candidates:
                known = {c.node for c in likely}
                likely = [*likely, *(c for c in candidates if c.node not in known)]
            return self._with_related(candidates, shown, spread), likely, sure
        # Among few memories only one of others is surely no answer: it has a `sure` of 0.
        may_doubt = self._view.state.documents >= FEW or not sure
        if sure < LEAST_ANSWERED and is_matched and may_doubt and "time" not in candidates[0].parts:
            return (), (), sure
        # The second hit is right only one time in four, however well it scores.
        return self._with_related(candidates, candidates[:1], spread), ordered.later, sure

    def _answered(self, candidates: Sequence[Candidate], covered: float) -> float:
        """How sure it is that the candidates, best first, answer the cue, 0–1."""
        if not candidates:
            return 0.0
        apart = None
        if self._source.nearest is not None and self._source.nearest.count >= FEW:
            apart = self._source.nearest.distinction
        best = nlargest(3, candidates, key=attrgetter("score"))
        held = covered * max(c.parts["words"] for c in best)
        return answered(best[0].score, min(1.0, covered), min(1.0, held), apart)

    def _lack(self, kept: Sequence[Candidate]) -> bool:
        """Whether the cue asks for an attribute that none of the best hits may tell."""
        may_tell = self._telling(kept, partial(message, self._view))
        return may_tell is not None and not any(map(may_tell, kept[:_LIKELY]))

    def _telling(
        self, among: Sequence[Candidate], said: Callable[[Candidate], str]
    ) -> Callable[[Candidate], bool] | None:
        """Whether one of some hits, by what it said, may tell the attribute that the cue asks for;
        None if it asks for none."""
        cue = self._asking.text
        asked = attributes.asked_for(cue)
        if asked is None:
            return None
        nearest, frequency = self._source.nearest, self._source.frequency
        others = () if nearest is None else nearest.across([c.node for c in among])
        near = self._source.nearness([*others])
        across = names.written(cue, frequency).values()
        spelled = frozenset(word for held in across for word in held)
        named = any(map(frequency, attributes.subject_of(cue)))
        is_unknown = attributes.may_be_no_name(cue) and not named

        def may_tell(c: Candidate) -> bool:
            text = said(c)
            is_spelled = not spelled.isdisjoint(words(text))
            if asked.of_person and not is_spelled and is_of_kin(cue, text, c.text.speaker):
                return False
            is_about = is_unknown or is_spelled or near.get(c.node, 0.0) >= _NEAR
            return attributes.may_answer(asked, cue, text, c.text.speaker, is_about=is_about)

        return may_tell

    def _value_telling(self, among: Sequence[Candidate]) -> Callable[[Candidate], bool] | None:
        """Whether one of some hits may itself tell the attribute, or else a value of the type, that
        the cue asks for; None if it asks for neither."""
        may_tell = self._telling(among, attrgetter("content"))
        cue = self._asking.text
        if may_tell is None and asked_type(cue):
            return lambda c: may_give_value(cue, c.content)
        return may_tell

    def _put_told_first(self, candidates: list[Candidate]) -> None:
        """Where the attribute that the cue asks for is told first of another person, or denied of
        something, have the best hit that may tell it of the one whom the cue names, or that warns,
        stand before it."""
        cue = self._asking.text
        asked, first = attributes.asked_for(cue), candidates[0]
        if asked is None or not asked.of_subject or asked_when(cue) != "now":
            return
        likely = candidates[:_LIKELY]
        may_tell = self._telling(likely, attrgetter("content"))
        if may_tell is None:
            return
        telling: Iterator[Candidate] = filter(may_tell, likely)
        if attributes.is_beside_warning(cue, first.content):
            telling = (c for c in telling if attributes.warns(c.content))
        elif may_tell(first) or not attributes.may_answer(
            asked, cue, first.content, first.text.speaker, is_about=True
        ):
            return
        told = next(telling, None)
        if told is not None:
            told.move_to(first.score + BELOW)
            candidates.sort(key=lambda c: -c.score)

    def _of_days(self) -> Recall:
        """The memories of the days that a cue names, in the order of time; behind them those that
        speak of these days, before them what is to come. Of more than there is room for, those that
        say most."""
        cue, question, only = self._cue, self._question, self._only
        limit, tokens = question.limit, question.tokens
        most = max(limit, (tokens or 0) // LINE_TOKENS)
        found = periods.of_cue(self._source, cue, only, limit, most)
        later, over = supersede.later(self._source, cue, found.plans, only)
        shown: list[Candidate] = []
        beside: list[Candidate] = []
        for c in found.best:  # none without what became of it
            more = [new for new in later.get(c.node, ()) if new not in beside]
            if not shown or len(shown) + len(beside) + len(more) < limit:
                shown.append(c)
                beside += more
        beside.sort(key=lambda c: (c.text.moment, c.node))
        best = [*shown, *beside][:limit]
        hits = [self._hit(c, None, 0.0) for c in best]
        phrases = {c.node: c.text.phrase for c in best}
        told = Trace(cue.text, (), (), tuple(hits), phrases) if question.trace else None
        zone = self._source.zone
        coming = zip(found.best, found.ahead, strict=False)  # these stand first
        ahead = tuple(day for c, day in coming if c in shown)
        telling = Layout(zone, in_order=True, ahead=ahead, earlier=over, limits=limits())
        sure = 1.0 if hits else 0.0
        further = [c.seen for c in (*found.best, *beside, *found.behind) if c not in best]
        return Recall(cue.text, hits, further, [], tokens, question.counter, told, telling, sure)

    def _match(
        self, asked: Mapping[str, float], reach: int
    ) -> tuple[dict[int, float], float, list[int]]:
        """The best nodes that hold words of the cue, or are of a day that it names, and all such
        that the filter names → BM25 against the best of them; how much of what its questions ask
        for the best answers, 0–1; and which are of a day that it names, if it names one or two."""
        cue, only = self._cue, self._only
        most = max(2 * reach, self._knobs.entry_nodes)
        today = self._source.now.date()
        named = [day for mention in cue.when for day in mention.period.days(today, _CUE_DAYS)]
        dates = [day.isoformat() for day in named[:_CUE_DAYS]]
        every = bool(cue.when) or only.among is not None
        found = self._search(asked, None if every else most)
        nodes, scores, of_day = found.nodes, found.scores, np.zeros(0, np.uint64)
        if cue.when:
            dated = self._search(dict.fromkeys(dates, _DAY_SHARE), None)
            about = days.naming(self._view, self._source.index, cue.when, self._source.now)
            speaking = [days.speaking_of(self._source.index, cue.when), about]
            own = [dated.nodes, about] if cue.is_sharp else []
            for mention in cue.when:
                if mention.period.length <= _CUE_DAYS:
                    dated_period = mention.period.dated(today)
                    told = days.remembered_in(self._view, dated_period, self._source.now, _TOLD)
                    speaking.append(told)
                    own.append(told[: len(told) * cue.is_sharp])
            of_day = np.concatenate((of_day, *own))
            also = distinct(speaking)
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
        if self._asking is not cue:  # what is told with a question asks for nothing
            found = self._search(self._asked(self._asking), most)
        best = found.scores
        if only.among is not None or only.without:
            best = best[np.isin(found.nodes, allowed(found.nodes, only))]
        answered = float(best.max(initial=0.0)) / found.whole if found.whole else 0.0
        matched = dict(zip(nodes[kept].tolist(), shares, strict=True))
        return matched, min(1.0, answered), of_day.tolist()

    def _asked(self, cue: Cue) -> dict[str, float]:
        """The words that are looked up, with their weights; names also as the memory writes them
        in the other script, and then without words that no memory holds; numbers also in other
        figures or numerals; mistyped words as they are meant; and single Chinese characters, since
        猫吃什么 asks for 猫吃, which hardly a text has. In a small memory, which does not know yet
        that "take" is common, what tells an attribute counts less than the thing; what is asked
        for in one word and told in another is one. Without vectors also synonyms of unknown
        words."""
        frequency, nearest = self._source.frequency, self._source.nearest
        asked = {word: _ASIDE if word in cue.aside else 1.0 for word in cue.asked}
        for attribute, said in markers.asked_markers(cue.text).items():
            if frequency(attribute):  # what asks for it and what tells it are one
                last = [word for word in words(said)[-1:] if asked.pop(word, None)]
                asked[EITHER.join((*last, attribute))] = 1.0
        verbs = asked.keys() & attribute_words(cue.text)
        if verbs and verbs != asked.keys():
            size = min(1.0, self._view.state.documents / FEWEST)
            weight = _VERB + (1 - _VERB) * size
            asked |= {word: asked[word] * weight for word in verbs}
        for said, held in names.written(cue.content, frequency).items():
            if not frequency(said):
                asked.pop(said, None)
            asked |= dict.fromkeys(held, 1.0)
        asked = figures.written(cue.content, frequency) | asked
        if nearest is None:
            asked = synonyms.known(cue, asked, frequency, self._source.index.ending_in) | asked
        is_known = any(map(frequency, asked))  # else it would bring back nothing
        if len(cue.asked) <= _CORRECTED or not is_known:
            meant = spelling.corrected(cue.content, frequency, begins_with_name=is_known)
            if any(meant.values()):
                left = {word: weight for word, weight in asked.items() if word not in meant}
                asked = left | dict.fromkeys(filter(None, meant.values()), 1.0)
        if self._source.index.has_characters:
            main = [word for word in cue.asked if word not in cue.aside]
            asked = dict.fromkeys(characters(main), _CHARACTER) | asked
            asked = dict.fromkeys(characters(cue.aside), _CHARACTER * _ASIDE) | asked
        return completed(asked, frequency, self._source.index.beginning_with)

    def _search(self, weights: Mapping[str, float], most: int | None) -> Matches:
        state, knobs = self._view.state, self._knobs
        return self._source.index.search(
            weights, state.documents, state.words, k1=knobs.bm25_k1, b=knobs.bm25_b, most=most
        )

    def _near(self, is_known: bool, reach: int) -> dict[int, float]:
        """The nearest nodes, and those near the cue that the filter names → their shares. None if
        neither a word of the cue is known nor the nearest stands out."""
        knobs, nearest, only = self._knobs, self._source.nearest, self._only
        if nearest is None or not knobs.vector_weight:
            return {}
        if not is_known and nearest.distinction < knobs.vector_floor:
            return {}
        best = nearest.best(_NEAREST if only.empty else max(_NEAREST, reach))
        if only.among is not None:
            named = nearest.shares(only.among)
            best |= {node: share for node, share in named.items() if share > 0}
        return {node: share for node, share in best.items() if not self._view.is_hidden(node)}

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
            both = {n: near.get(n, 0.0) ** 2 + matched.get(n, 0.0) for n in near | matched}
        best = sorted(both, key=both.__getitem__, reverse=True)[: knobs.entry_nodes]
        # Squared, for the many weak matches are mostly noise; against the best, which vectors and
        # words together make up to twice what words alone do: what spreads grows as it does.
        entries = {node: both[node] ** 2 / both[best[0]] for node in best}
        for node, amount in self._focus().items():
            entries[node] = entries.get(node, 0.0) + amount
        spreading = Spreading(knobs.node_links, knobs.node_budget, knobs.hop_damping, knobs.fan)
        return spreading.run(self._view, entries, depth, relations)

    def _focus(self) -> dict[int, float]:
        weight = _FOCUS * self._knobs.focus_weight
        focus = enumerate(self._view.focus)
        return {n: weight * 0.5**k for k, n in focus if not self._view.is_hidden(n)}

    def _weighed(self, fitted: Mapping[str, float]) -> dict[str, float]:
        """The fitted weights, each times the setting of its name."""
        return {name: weight * getattr(self._knobs, f"{name}_weight", 1.0)
                for name, weight in fitted.items()}  # fmt: skip

    def _features(
        self,
        asked: Mapping[str, float],
        matched: dict[int, float],
        near: dict[int, float],
        spread: Spread,
        of_day: Sequence[int],
        reach: int,
    ) -> Features:
        """The candidates: the best by words and by vectors, those that links lead to, those of the
        day and in focus, and all that the filter names; with what speaks for each."""
        most, only = max(_MATCHED, reach), self._only
        by_words = nlargest(most, matched, key=matched.__getitem__)
        met = spread.strongest(min(most, _LINKED) if only.empty else most)
        named = filter(only.may_be, {*by_words, *near, *met, *of_day, *self._view.focus})
        nodes = distinct([np.array([*named, *(only.among or ())], np.uint64)])
        nodes = nodes[nodes < self._view.state.next_node]
        ordered = sorted(matched.items())
        shares = (
            np.array([node for node, _ in ordered], np.uint64),
            np.array([share for _, share in ordered]),
        )
        column = self._sessions.at(self._view)
        features = Features(nodes, column, shares, self._source.nearest if near else None)
        features.add_session(
            [(weight, self._source.index.find(word)) for word, weight in asked.items()]
        )
        features.add_contrast()
        features.add_recency()
        features.add_received(spread.nodes, spread.amounts)
        features.add("focus", {n: 0.5**place for place, n in enumerate(self._view.focus)})
        return features

    def _shortlist(
        self,
        features: Features,
        weights: Mapping[str, float],
        of_day: Sequence[int],
        reach: int,
        wanted: int,
        enough: Callable[[Sequence[Candidate]], int] | None,
    ) -> list[Candidate]:
        """Up to `wanted` nodes that the filter admits among the best `reach`, and then up to
        `enough` of these, those of a day that the cue names before all. A text that says nothing is
        none of them, unless the cue says one of its words: any vector is near that of "lol"."""
        only, said = self._only, {*self._cue.terms}
        names, rows = features.weighted(weights)
        total = rows.sum(1)
        total[np.isin(features.nodes, np.array(of_day, np.uint64))] += _FIRST
        places = np.argsort(-total, kind="stable")
        unfiltered = only.empty
        candidates: list[Candidate] = []
        replaced: list[Candidate] = []
        at, end = 0, min(reach, len(places))
        while at < end:
            some = places[at : min(at + max(_SHORTLIST, wanted - len(candidates)), end)]
            nodes = features.nodes[some].tolist()
            told = zip(rows[some].tolist(), features.own[some].tolist(), strict=True)
            parts_of = dict(zip(nodes, told, strict=True))
            for node, record, text in self._view.pairs(nodes):
                weighed, own = parts_of[node]
                is_silent = said and only.among is None and is_empty(text.text)
                if is_silent and said.isdisjoint(words(text.text)):
                    end = min(end + 1, len(places))
                    continue
                admits = unfiltered and None in (record.valid_to, only.now)
                admits = admits or only.admits(node, text, record)
                if admits or (only.as_of is None and not only.holds(text, record)):
                    parts = dict(zip(names, weighed, strict=True))
                    c = Candidate(node, record, text, parts, own)
                    (candidates if admits else replaced).append(c)
                if unfiltered and not admits:  # it takes no place of what holds
                    end = min(end + 1, len(places))
            at += len(some)
            if len(candidates) >= wanted and enough is not None:
                wanted, enough = enough(candidates), None  # the first of them stay the same
            if len(candidates) >= wanted:
                break
        hand_down(self._source, replaced, candidates, only)
        return candidates

    def _add_told(self, candidates: Sequence[Candidate], weights: Mapping[str, float]) -> None:
        """The features that need a node's text, and the score. None of them makes a candidate."""
        cue, when = self._cue, self._cue.when
        # "today" in a story asks for no day.
        today = self._source.now.date()
        is_sharp = cue.is_sharp and not any(today in m.period for m in when)
        asking = weights.get("question", 0.0)
        for c, question in answers(candidates) if asking else ():
            c.parts["question"] = asking * max(0.0, question.own - c.own)
            c.question = question.content
        named = names.speakers(cue.content, set(cue.terms), {c.text.speaker for c in candidates})
        may_tell = self._value_telling(candidates)
        wanted = "before" if when else asked_when(cue.text)
        is_now = wanted == "now" and asks_for_value(cue.text, wanted, is_dated=False)
        for c in candidates:
            text, parts, uses = c.text, c.parts, c.record.uses
            own = c.own
            if is_reply(text.spans):
                parts["reply"] = weights.get("reply", 0.0) * own
            elif ends_asking(text.spans):
                parts["asks"] = weights.get("asks", 0.0) * own
            if (text.speaker or "").casefold() in listed("assistants"):
                parts["assistant"] = weights.get("assistant", 0.0) * own
            if uses:
                parts["use"] = weights.get("use", 0.0) * uses / (1 + uses)
            if text.speaker in named:
                parts["speaker"] = weights.get("speaker", 0.0) * own
            if cue.is_negated and negation(c.content) is not None:
                parts["negation"] = weights.get("negation", 0.0) * own
            if (
                (may_tell is not None and not may_tell(c))
                or (is_now and is_over(text.spans))
                or is_reversed(self._asking.text, c.content)
            ):
                parts["lacks"] = weights.get("lacks", 0.0)
            if when:
                day = self._source.day(text)
                is_own = any(day in m.period for m in when)
                if is_own or days.speaks_of(text, when, day):
                    parts["time"] = weights.get("time", 0.0)
                if is_own and is_sharp and parts["words"]:
                    parts["time"] *= _SHARP
            c.score = sum(parts.values())

    def _put_others_behind(
        self, candidates: list[Candidate], weights: Mapping[str, float]
    ) -> set[int]:
        """Those of the best that tell of others than of whom the cue asks, which lose some of their
        score."""
        others = [c for c in candidates[:_LIKELY] if is_of_others(self._asking, c)]
        for c in others:
            if "lacks" not in c.parts:
                c.parts["lacks"] = weights.get("lacks", 0.0)
                c.score += c.parts["lacks"]
        candidates.sort(key=lambda c: (-c.score, c.node))
        return {c.node for c in others}

    def _hit(self, candidate: Candidate, spread: Spread | None, covered: float) -> Hit:
        node = candidate.seen
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
        spread: Spread,
    ) -> list[Candidate]:
        """What is kept, and what a relation of the user's own joins to it, in the order of rank."""
        if len(kept) == len(candidates) or not self._view.relations.own:
            return kept
        ids = {c.node for c in kept}
        for c in candidates:
            before = None if c.node in ids else spread.origin(c.node)
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
    """How many candidates as long as those of `read` fill a budget, with short ones to choose
    from behind them."""
    whole = tokens * len(read) // max(1, counter("\n".join([c.content for c in read])))
    return whole + int(tokens * _BESIDE) // LINE_TOKENS


def _largest(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The places of the `count` largest scores, ascending; of equal ones the first."""
    if len(scores) <= count:
        return np.arange(len(scores))
    floor = least(scores, count)
    (better,) = (scores > floor).nonzero()
    (equal,) = (scores == floor).nonzero()
    return np.sort(np.concatenate((better, equal[: count - len(better)])))
