"""Ranking: from a cue and one snapshot to hits.

A hit's score is the sum of its parts: features from 0 to 1 (`features`, and here those that need a
node's text), each times its fitted weight (`weights`). After scoring, the value that holds now
takes the rank of the best statement of the same fact (`supersede`). If no word of a cue is known,
there are no hits unless the nearest vector stands out. docs/recall.md has the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from heapq import nlargest
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from graphmem.graph.relations import SYSTEM
from graphmem.index.words.index import EITHER
from graphmem.index.words.postings import distinct, rarity
from graphmem.recalling import attributes, days, names, periods, supersede
from graphmem.recalling.activation import Spread, Spreading
from graphmem.recalling.asking import State, asked_type, asks_for_value, limits, may_give_value
from graphmem.recalling.asking import asked as asked_when
from graphmem.recalling.attributes import is_of_kin
from graphmem.recalling.beside import Beside, beside, message, put_reply_first, with_corrections
from graphmem.recalling.candidates import (
    BELOW,
    Candidate,
    Source,
    answers,
    diverse,
    ends_asking,
    folded,
    hand_down,
    has_little,
    is_empty,
    is_reply,
)
from graphmem.recalling.cue import Cue
from graphmem.recalling.cut import FEW, LEAST_ANSWERED, LEAST_FILLING, LEAST_SHOWN, answered
from graphmem.recalling.features import Features
from graphmem.recalling.matching import Match, asked_words, matching
from graphmem.recalling.open_questions import without_questions
from graphmem.recalling.question import Question
from graphmem.recalling.reminders import reminders
from graphmem.recalling.sessions import Sessions
from graphmem.recalling.spelling import corrected
from graphmem.recalling.tracing import trace
from graphmem.recalling.ways import put_way_first
from graphmem.recalling.weights import Weights
from graphmem.recalling.whose import are_unknown, is_of_others
from graphmem.values.hits import Hit
from graphmem.values.links import Link
from graphmem.values.nodes import Tombstone
from graphmem.values.recall import LEAST_WRITTEN, Recall
from graphmem.values.rendering import LINE_TOKENS, Layout
from graphmem.values.trace import Trace
from graphmem_worker.claims.statements import is_over
from graphmem_worker.claims.transfers import is_reversed
from graphmem_worker.language.lists import listed
from graphmem_worker.text.clauses import negation
from graphmem_worker.text.phatic import is_phatic
from graphmem_worker.text.words import words

_MATCHED = 200  # candidates by words, …
_NEAREST = 100  # … by vectors …
_LINKED = 50  # … and by links
_FOCUS = 0.05  # activation of the newest node in focus; the best match has 1
_OF_DAY = 100.0  # more than any score
_SHORTLIST = 60  # candidates that are read at least
_SAMPLE = 40  # of them whose length says how many fill a budget
_SHORT_SHARE = 0.1  # of a budget, for which short memories are read besides
_READ_ANYWAY = 200  # the most that a budget alone asks for before lengths are known
_FILTERED = 2000  # candidates that a filter is applied to at least
_SHARP = 3.0  # factor of "time" for a memory of the day that the cue names, with a word of the cue
_LIKELY = 8  # best candidates, one of which should state the attribute asked for
_NEAR = 0.8  # least squared share of a vector that shows the same subject in another script

CandidateTest = Callable[[Candidate], bool]


class _Sizes(NamedTuple):
    """How many candidates a recall considers."""

    least: int  # always read
    most: int  # the upper limit, if a budget needs more
    reach: int  # the best by the indexes, among which they are looked for

    @classmethod
    def of(cls, question: Question) -> _Sizes:
        lines = (question.tokens or 0) // LINE_TOKENS
        least = max(_SHORTLIST, 4 * question.limit, min(lines, _READ_ANYWAY))
        most = max(least, lines)
        return cls(least, most, most if question.only.empty else max(_FILTERED, most))


@dataclass(frozen=True, slots=True)
class _Found:
    """What the indexes and the links find for a cue."""

    asked: Mapping[str, float]  # index words that were looked up → their weights
    match: Match
    near: Mapping[int, float]  # node → its `Nearest` share
    spread: Spread


@dataclass(frozen=True, slots=True)
class _Selection:
    """The candidates in their final order, after the cut."""

    shown: Sequence[Candidate]  # the hits, best first, also beyond the limit
    likely: Sequence[Candidate]  # what may fill a budget, with the hits
    answered: float  # the probability that the hits answer the cue, 0–1
    earlier: tuple[int, ...]  # ids of superseded nodes
    is_by_score: bool = False  # `likely` are all candidates, in the order of their scores


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
        cue = names.addressed(source, cue)
        self._cue, self._question = cue, question
        self._asking = cue.question
        self._readings = self._asking.readings
        self._sizes = _Sizes.of(question)
        self._only = question.only
        self._told: Set[str | None] = frozenset()
        """Whom the cue asks what they were told."""
        if self._only.as_of is None:
            state = State.of(cue.text, cue.when, source.now)
            moment = state.must_hold_at(source.now, is_dated=cue.is_dated)
            self._only = replace(self._only, now=moment)

    def recall(self, relations: Sequence[int] | None) -> Recall:
        """The best hits. `relations` are codes; None follows every link."""
        if self._question.cut and is_phatic(self._cue.text):
            return self._nothing()
        cue = self._cue = periods.dated(self._source, self._cue, self._only)
        if cue.is_dated:
            return self._of_days()
        if cue.is_of_period:
            self._restrict_to_periods()
        self._restrict_to_told()
        found = self._find(relations)
        if found is None:
            return self._nothing()
        candidates, others = self._score(found)
        return self._result(self._select(candidates, others, found), found)

    # -- finding ------------------------------------------------------------------------------

    def _restrict_to_periods(self) -> None:
        """Admit only memories of the periods of the cue, unless these are vague and have none."""
        found, _ = periods.read(self._source, self._cue, self._only)
        if found or not all(mention.is_vague for mention in self._cue.when):
            self._only = replace(self._only, among=frozenset(c.node for c in found))

    def _restrict_to_told(self) -> None:
        """Admit only memories of the talks with whom the cue asks what they were told."""
        numbers = self._sessions.at(self._view).numbers
        self._cue, told = names.told(self._source, self._cue, numbers)
        if told is not None:
            among = self._only.among
            self._only = replace(
                self._only, among=told.nodes if among is None else among & told.nodes
            )
            self._told = told.speakers

    def _find(self, relations: Sequence[int] | None) -> _Found | None:
        """Look the cue up by words, days and vectors, and spread activation from the nodes found;
        None if there are none."""
        cue = self._cue
        asked = asked_words(self._source, cue)
        match = matching(self._source, cue, self._only, asked, self._sizes.reach)
        near = self._near(bool(match.shares)) if cue.asked else {}
        if (cue.asked or cue.when) and not match.shares and not near:
            return None
        return _Found(asked, match, near, self._spread(match.shares, near, relations))

    def _near(self, is_known: bool) -> dict[int, float]:
        """The nearest nodes, and those near the cue that the filter names → their shares. Empty if
        no word of the cue is known and the nearest does not stand out."""
        knobs, nearest, only = self._knobs, self._source.nearest, self._only
        if nearest is None or not knobs.vector_weight:
            return {}
        if not is_known and nearest.distinction < knobs.vector_floor:
            return {}
        best = nearest.best(_NEAREST if only.empty else max(_NEAREST, self._sizes.reach))
        if only.among is not None:
            named = nearest.shares(only.among)
            best |= {node: share for node, share in named.items() if share > 0}
        return {node: share for node, share in best.items() if not self._view.is_hidden(node)}

    def _spread(
        self, matched: dict[int, float], near: dict[int, float], relations: Sequence[int] | None
    ) -> Spread:
        """Spread activation from the best matches and the nodes in focus."""
        knobs = self._knobs
        both = matched
        if near:
            both = {n: near.get(n, 0.0) ** 2 + matched.get(n, 0.0) for n in near | matched}
        best = sorted(both, key=both.__getitem__, reverse=True)[: knobs.entry_nodes]
        # Squared, since the many weak matches are mostly noise; divided by the best, which thus
        # keeps its amount: with vectors up to twice that of words alone.
        entries = {node: both[node] ** 2 / both[best[0]] for node in best}
        for node, amount in self._focus().items():
            entries[node] = entries.get(node, 0.0) + amount
        spreading = Spreading(knobs.node_links, knobs.node_budget, knobs.hop_damping, knobs.fan)
        return spreading.run(self._view, entries, self._question.depth, relations)

    def _focus(self) -> dict[int, float]:
        """Node in focus → its activation, halved for each newer node."""
        weight = _FOCUS * self._knobs.focus_weight
        focus = enumerate(self._view.focus)
        return {n: weight * 0.5**k for k, n in focus if not self._view.is_hidden(n)}

    # -- scoring ------------------------------------------------------------------------------

    def _score(self, found: _Found) -> tuple[list[Candidate], set[int]]:
        """The candidates with their scores, best first, without duplicates; and the nodes of the
        best ones that are about others than the cue asks about, which lose some of their score."""
        fitted = self._weights.vectors if found.near else self._weights.words
        weights = {name: weight * getattr(self._knobs, f"{name}_weight", 1.0)
                   for name, weight in fitted.items()}  # fmt: skip
        candidates = self._shortlist(self._features(found), weights, found.match.of_day)
        self._add_text_features(candidates, weights)
        candidates.sort(key=lambda c: (-c.score, c.node))
        others = [
            c
            for c in candidates[:_LIKELY]
            if all(is_of_others(r, c) for r in self._readings)
            and not self._is_spelled(f"{c.text.speaker or ''} {c.content}")
        ]
        for c in others:
            if "lacks" not in c.parts:
                c.parts["lacks"] = weights.get("lacks", 0.0)
                c.score += c.parts["lacks"]
        candidates.sort(key=lambda c: (-c.score, c.node))
        return folded(candidates), {c.node for c in others}

    def _features(self, found: _Found) -> Features:
        """The features of the candidates: of the best by words, vectors and links, those of the day
        and in focus, and all that the filter names."""
        most, only = max(_MATCHED, self._sizes.reach), self._only
        matched, spread = found.match.shares, found.spread
        by_words = nlargest(most, matched, key=matched.__getitem__)
        linked = spread.strongest(min(most, _LINKED) if only.empty else most)
        every = {*by_words, *found.near, *linked, *found.match.of_day, *self._view.focus}
        named = filter(only.may_be, every)
        nodes = distinct([np.array([*named, *(only.among or ())], np.uint64)])
        nodes = nodes[nodes < self._view.state.next_node]
        ordered = dict(sorted(matched.items()))
        shares = np.array([*ordered], np.uint64), np.array([*ordered.values()])
        column, nearest = self._sessions.at(self._view), self._source.nearest
        features = Features(nodes, column, shares, nearest if found.near else None)
        find = self._source.index.find
        features.add_session([(weight, find(word)) for word, weight in found.asked.items()])
        features.add_contrast()
        features.add_recency()
        features.add_received(spread.nodes, spread.amounts)
        features.add("focus", {n: 0.5**place for place, n in enumerate(self._view.focus)})
        return features

    def _shortlist(
        self, features: Features, weights: Mapping[str, float], of_day: Sequence[int]
    ) -> list[Candidate]:
        """The best nodes that the filter admits, see `_Sizes`; first those of a day that the cue
        names. A text without content is left out, unless it shares a word with the cue: any vector
        is near that of "lol"."""
        only, terms = self._only, {*self._cue.terms}
        wanted, is_measured = self._sizes.least, False
        names, rows = features.weighted(weights)
        total = rows.sum(1)
        total[np.isin(features.nodes, np.array(of_day, np.uint64))] += _OF_DAY
        places = np.argsort(-total, kind="stable")
        unfiltered = only.empty
        candidates: list[Candidate] = []
        replaced: list[Candidate] = []
        at, end = 0, min(self._sizes.reach, len(places))
        while at < end:
            some = places[at : min(at + max(_SHORTLIST, wanted - len(candidates)), end)]
            nodes = features.nodes[some].tolist()
            values = zip(rows[some].tolist(), features.own[some].tolist(), strict=True)
            parts_of = dict(zip(nodes, values, strict=True))
            for node, record, text in self._view.pairs(nodes):
                weighed, own = parts_of[node]
                may_skip = terms and only.among is None and is_empty(text.text)
                if may_skip and terms.isdisjoint(words(text.text)):
                    end = min(end + 1, len(places))
                    continue
                admits = unfiltered and None in (record.valid_to, only.now)
                admits = admits or only.admits(node, text, record)
                if admits or (only.as_of is None and not only.holds(text, record)):
                    parts = dict(zip(names, weighed, strict=True))
                    c = Candidate(node, record, text, parts, own)
                    (candidates if admits else replaced).append(c)
                if unfiltered and not admits:  # it takes no place of one that holds
                    end = min(end + 1, len(places))
            at += len(some)
            if len(candidates) >= wanted and not is_measured:
                wanted, is_measured = self._enough(candidates), True
            if len(candidates) >= wanted:
                break
        hand_down(self._source, replaced, candidates, only)
        return candidates

    def _enough(self, read: Sequence[Candidate]) -> int:
        """How many candidates as long as the first of these, with short ones to choose from, fill
        the budget."""
        (least, most, _), tokens = self._sizes, self._question.tokens
        if tokens is None:
            return most
        sample = [c.content for c in read[:_SAMPLE]]
        whole = tokens * len(sample) // max(1, self._question.counter("\n".join(sample)))
        return min(most, max(least, whole + int(tokens * _SHORT_SHARE) // LINE_TOKENS))

    def _add_text_features(
        self, candidates: Sequence[Candidate], weights: Mapping[str, float]
    ) -> None:
        """Add the features that need a node's text, and the scores."""
        cue, when = self._cue, self._cue.when
        # "today" may be part of a story.
        today = self._source.now.date()
        is_sharp = cue.is_sharp and not any(today in m.period for m in when)
        asking = weights.get("question", 0.0)
        for c, question in answers(candidates) if asking else ():
            c.parts["question"] = asking * max(0.0, question.own - c.own)
            c.question = question.content
        known = {c.text.speaker for c in candidates}
        named = set().union(*(names.speakers(r.text, {*r.terms}, known) for r in cue.readings))
        may_state = self._value_test(candidates)
        wanted = "before" if when else asked_when(cue.text)
        is_now = wanted == "now" and asks_for_value(cue.text, wanted, is_dated=False)
        for c in candidates:
            text, parts, uses, own = c.text, c.parts, c.record.uses, c.own
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
                (may_state is not None and not may_state(c))
                or (is_now and is_over(text.spans))
                or is_reversed(self._asking.text, c.content)
            ):
                parts["lacks"] = weights.get("lacks", 0.0)
            if when:
                day = self._source.day(text)
                is_own = any(day in m.period for m in when)
                if is_own or days.names_any(text, when, day):
                    parts["time"] = weights.get("time", 0.0)
                if is_own and is_sharp and parts["words"]:
                    parts["time"] *= _SHARP
            c.score = sum(parts.values())

    # -- selecting ----------------------------------------------------------------------------

    def _select(self, candidates: list[Candidate], others: set[int], found: _Found) -> _Selection:
        """Order the candidates, and drop those that are probably no answers. others: nodes that
        are about others than the cue asks about."""
        cue, question = self._cue, self._question
        answering = without_questions(self._view, cue, candidates)
        of_asked = [c for c in answering if c.node not in others]
        sure = self._answered(of_asked, found.match.covered) if cue.asked else 0.0
        ordered = self._order(answering if question.cut else candidates)
        ranked = ordered.candidates
        if not (question.cut and cue.asked and ranked):
            return _Selection(ranked, ranked, sure, ordered.earlier, is_by_score=True)
        if question.strict and (
            ranked[0].node in others
            or are_unknown(self._asking.text, found.asked, self._source.frequency)
        ):
            sure = 0.0
        return self._cut(ordered, sure, found)

    def _order(self, candidates: list[Candidate]) -> supersede.Ordered:
        """The candidates, best first, in the order that the cue asks for."""
        question, cue, only = self._question, self._cue, self._only
        fills = question.strict or (question.cut and question.tokens is not None)
        ordered = supersede.order(
            self._source, cue, candidates, only, fills=fills, strict=question.strict
        )
        candidates = ordered.candidates
        if put_way_first(cue.text, candidates, ordered.earlier):
            ordered = ordered._replace(later=[candidates[1], *ordered.later])
        if question.cut and candidates:
            self._put_stated_first(candidates)
            put_reply_first(self._source, cue.text, candidates, only, self._told)
        if self._knobs.diversity:
            candidates = diverse(candidates, question.limit, self._knobs.diversity)
        return ordered._replace(candidates=candidates)

    def _put_stated_first(self, candidates: list[Candidate]) -> None:
        """If the best hit cannot state the attribute that the cue asks for of the cue's subject,
        put before it the best hit that may; if it denies what the cue asks to be warned of, the
        best hit that warns."""
        cue = self._asking.text
        asked, first = attributes.asked_for(cue), candidates[0]
        if asked is None or not asked.of_subject or asked_when(cue) != "now":
            return
        likely = candidates[:_LIKELY]
        may_state = self._attribute_test(likely, attrgetter("content"))
        if may_state is None:
            return
        stating = (c for c in likely if may_state(c))
        if attributes.is_beside_warning(cue, first.content):
            stating = (c for c in stating if attributes.warns(c.content))
        elif may_state(first):
            return
        else:
            stating = (c for c in stating if c.score >= LEAST_SHOWN * first.score)
        if (best := next(stating, None)) is not None:
            best.move_to(first.score + BELOW)
            candidates.sort(key=lambda c: -c.score)

    def _cut(self, ordered: supersede.Ordered, sure: float, found: _Found) -> _Selection:
        """Choose the hits among ordered candidates, and what may fill a budget behind them. sure:
        the probability that the best answer the cue."""
        question, candidates, asking = self._question, ordered.candidates, self._asking.text
        most = candidates[0].score
        shown = [c for c in candidates if c.score >= min(most, LEAST_SHOWN * most)]
        likely: Sequence[Candidate]
        if self._lacks_attribute(shown):
            first = candidates[:_LIKELY]  # the best lacks the attribute, so its score is no measure
            shown = [c for c in first if attributes.may_protect(asking, c.content, c.text.speaker)]
            return _Selection(shown, (), 0.0, ordered.earlier)
        if question.strict:
            # With few memories only a hit about others, whose `sure` is 0, may be doubted.
            may_doubt = self._view.state.documents >= FEW or not sure
            is_timed = "time" in candidates[0].parts
            if sure < LEAST_ANSWERED and found.match.shares and may_doubt and not is_timed:
                return _Selection((), (), sure, ordered.earlier)
            shown = candidates[:1]  # the second is right one time in four, however well it scores
            likely = ordered.later
        else:
            likely = candidates if ordered.rest is None else ordered.rest
            if question.fill and likely is not candidates:
                known = {c.node for c in likely}
                likely = [*likely, *(c for c in candidates if c.node not in known)]
        shown = self._with_related(candidates, shown, found.spread)
        if question.tokens is None and len(shown) < question.limit:  # a budget has them in `likely`
            later = ordered.later if question.strict else ordered.find_later()
            shown += [c for c in later if c not in shown]
        numbers = self._sessions.at(self._view).numbers
        shown = with_corrections(self._source, asking, shown, self._only, numbers)
        return _Selection(shown, likely, sure, ordered.earlier, likely is candidates)

    def _answered(self, candidates: Sequence[Candidate], covered: float) -> float:
        """The probability that the candidates, best first, answer the cue, 0–1."""
        if not candidates:
            return 0.0
        apart = None
        if self._source.nearest is not None and self._source.nearest.count >= FEW:
            apart = self._source.nearest.distinction
        best = nlargest(3, candidates, key=attrgetter("score"))
        held = covered * max(c.parts["words"] for c in best)
        return answered(best[0].score, min(1.0, covered), min(1.0, held), apart)

    def _lacks_attribute(self, shown: Sequence[Candidate]) -> bool:
        """Whether the cue asks for an attribute that none of the best hits may state."""
        may_state = self._attribute_test(shown, partial(message, self._view))
        return may_state is not None and not any(map(may_state, shown[:_LIKELY]))

    def _attribute_test(
        self, among: Sequence[Candidate], text_of: Callable[[Candidate], str]
    ) -> CandidateTest | None:
        """A test whether one of `among`, by its `text_of`, may state the attribute that the
        cue asks for; None if it asks for none."""
        cue, readings = self._asking.text, self._readings
        asked = attributes.asked_for(cue)
        if asked is None:
            return None
        nearest, frequency = self._source.nearest, self._source.frequency
        in_other_script = () if nearest is None else nearest.across([c.node for c in among])
        near = self._source.nearness([*in_other_script])
        is_known = any(map(frequency, attributes.subject_of(cue)))
        is_unknown = attributes.may_be_no_name(cue) and not is_known

        def may_state(c: Candidate) -> bool:
            text, by = f"{c.replaced} {text_of(c)}".strip(), c.text.speaker
            is_spelled = self._is_spelled(text)
            may_be_of_kin = asked.of_person and not is_spelled
            if may_be_of_kin and any(is_of_kin(each.text, text, by) for each in readings):
                return False
            is_about = is_unknown or is_spelled or near.get(c.node, 0.0) >= _NEAR
            return any(
                attributes.may_answer(asked, each.text, text, by, is_about=is_about)
                for each in readings
            )

        return may_state

    def _is_spelled(self, text: str) -> bool:
        """Whether a text has a word of the cue as memories spell it, or in the other script."""
        return bool(self._spelled) and not self._spelled.isdisjoint(words(text))

    @cached_property
    def _spelled(self) -> frozenset[str]:
        cue, frequency = self._asking.text, self._source.frequency
        across = names.written(cue, frequency).values()
        spelled = frozenset(word for held in across for word in held)
        if not any(map(frequency, attributes.subject_of(cue))):  # "Frau Mueller" is Frau Müller
            spelled |= frozenset(filter(None, corrected(cue, frequency).values()))
        return spelled

    def _value_test(self, among: Sequence[Candidate]) -> CandidateTest | None:
        """A test whether one of `among` may itself state the attribute, or else a value of
        the type, that the cue asks for; None if it asks for neither."""
        may_state = self._attribute_test(among, attrgetter("content"))
        cue = self._asking.text
        if may_state is None and asked_type(cue):
            return lambda c: may_give_value(cue, c.content)
        return may_state

    # -- the result ---------------------------------------------------------------------------

    def _result(self, selection: _Selection, found: _Found) -> Recall:
        """The recall of a selection."""
        text, question, match = self._question.cue, self._question, found.match
        best = selection.shown[: question.limit]
        behind, shown_together = self._fill(best, selection, found)
        spread = None if question.fill else found.spread
        hits = [self._hit(c, spread, match.covered) for c in best]
        traced = None
        if question.trace and spread is not None:
            reasons = {"words": match.shares, "vector": found.near, "focus": self._focus()}
            traced = trace(self._view, text, spread, reasons, hits)
        sought = tuple((word, n) for some, n in found.asked.items() for word in some.split(EITHER))
        layout = Layout(
            earlier=selection.earlier, limits=limits(), beside=shown_together, sought=sought
        )  # fmt: skip
        further = [c.seen(self._view) for c in behind]
        forgotten = [] if question.fill else self._reminders(hits)
        return Recall(
            text, hits, further, forgotten, question.tokens, question.counter, traced,
            layout, selection.answered,
        )  # fmt: skip

    def _fill(
        self, best: Sequence[Candidate], selection: _Selection, found: _Found
    ) -> tuple[list[Candidate], Beside]:
        """What fills a budget behind the hits, and which of all these are shown together."""
        question = self._question
        if question.tokens is None:
            return [], ()
        share = LEAST_FILLING if question.cut else LEAST_WRITTEN
        is_bounded = best and selection.is_by_score and not question.fill
        least = share * best[0].score if is_bounded else 0.0
        behind = [c for c in selection.likely if c.score >= least]
        behind.sort(key=lambda c: has_little(c, found.asked, question.counter))
        return beside(self._source, best, behind, self._only)

    def _nothing(self) -> Recall:
        """A recall without hits."""
        text, question = self._question.cue, self._question
        traced = Trace(text, (), (), (), {}) if question.trace else None
        forgotten, layout = self._reminders(()), Layout()
        return Recall(text, [], [], forgotten, question.tokens, question.counter, traced, layout)

    def _reminders(self, hits: Sequence[Hit]) -> list[Tombstone]:
        if not self._view.state.tombstones:
            return []
        find, documents = self._source.index.find, self._view.state.documents
        weights = {word: rarity(len(find(word).nodes), documents) for word in self._cue.asked}
        return reminders(self._view, weights, hits)

    def _of_days(self) -> Recall:
        """The memories of the days that a cue names, in the order of time: coming days first, and
        last the memories that name these days. If there are too many, the most salient."""
        cue, question, only = self._cue, self._question, self._only
        limit, tokens = question.limit, question.tokens
        most = max(limit, (tokens or 0) // LINE_TOKENS)
        found = periods.of_cue(self._source, cue, only, limit, most)
        newer, over = supersede.newer_of(self._source, cue, found.plans, only)
        shown: list[Candidate] = []
        outcomes: list[Candidate] = []
        for c in found.best:  # each with its outcome
            more = [new for new in newer.get(c.node, ()) if new not in outcomes]
            if not shown or len(shown) + len(outcomes) + len(more) < limit:
                shown.append(c)
                outcomes += more
        outcomes.sort(key=lambda c: (c.text.moment, c.node))
        best = [*shown, *outcomes][:limit]
        hits = [self._hit(c, None, 0.0) for c in best]
        phrases = {c.node: c.text.phrase for c in best}
        traced = Trace(cue.text, (), (), tuple(hits), phrases) if question.trace else None
        coming = zip(found.best, found.ahead, strict=False)  # these stand first
        ahead = tuple(day for c, day in coming if c in shown)
        layout = Layout(in_order=True, ahead=ahead, earlier=over, limits=limits())
        sure = 1.0 if hits else 0.0
        further = [
            c.seen(self._view) for c in (*found.best, *outcomes, *found.behind) if c not in best
        ]
        return Recall(cue.text, hits, further, [], tokens, question.counter, traced, layout, sure)

    def _hit(self, c: Candidate, spread: Spread | None, covered: float) -> Hit:
        path: tuple[Link, ...] = ()
        if spread is not None and c.parts["activation"] > c.parts["words"]:
            path = self._path(c.node, spread)
        return Hit(
            c.seen(self._view), c.score, c.parts, path, covered * c.parts["words"], c.folded,
            c.earlier, self._view.scope.name,
        )  # fmt: skip

    def _with_related(
        self, candidates: Sequence[Candidate], kept: list[Candidate], spread: Spread
    ) -> list[Candidate]:
        """The kept candidates with those that a relation of the user's own joins to one of them, by
        rank."""
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
