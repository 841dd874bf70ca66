"""Precedence: which of several statements of one state stands first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from math import log

import numpy as np

from graphmem.graph.records import TextRecord
from graphmem.index.words.index import least, summed
from graphmem.recalling import currency, subjects
from graphmem.recalling.candidates import (
    BELOW,
    WORDLESS,
    Candidate,
    Source,
    allowed,
    held_words,
    is_empty,
    is_reply,
    moment_of,
)
from graphmem.recalling.cue import Cue
from graphmem.recalling.question import Filter
from graphmem.recalling.succession import Succession, Told, asks_for_state, links
from graphmem.values.moments import micros

_TOLD_NEWEST = 16  # texts for each word with which a state is told
_STATEMENTS = 20  # candidates that are compared with each other, …
_STATED = 0.03  # … if they have that share of the best score
_ALIKE = 0.25  # … and, where no pattern knows the state, this share
_VALUES = 15  # best candidates among which another value is looked for, …
_RELATED = 8  # and as many for each that is found, …
_RARE_WORDS = 8  # for the rarest words that both hold, …
_RARE = 30  # if so few memories hold them, in a small memory; in a large one 5 % of all
_SMALL = 300  # memories: in a smaller one words count as rare as in one of that size
_COMMON = 256  # of the memories that hold a word, the newest
_AS_TOLD_THEN = 0.9  # of what the best answers that names no time: it is about the same


class Precedence:
    """Which of the candidates of one cue tells what the cue asks for: what holds now, what held
    before, or what held then."""

    def __init__(self, source: Source, cue: Cue, only: Filter, *, fills: bool) -> None:
        """fills: a budget is filled, so `perhaps` is wanted of every cue."""
        self._source = source
        self._fills = fills
        self._view = source.view
        self._index = source.index
        self._now = source.now
        self._nearest = source.nearest
        self._frequency = source.frequency
        self._cue = cue
        self._only = only
        self.perhaps: list[Candidate] = []
        """What was told after the best hit and may replace it, the likeliest first, whether it is a
        hit or not. Known once `put_current_first` has returned."""

    def put_current_first(self, candidates: list[Candidate]) -> list[int]:
        """Of statements of one state, have the one that the cue asks for stand where the best of
        them stands, and the others directly below it. Returns those that hold no longer, where the
        cue asks for what holds. A reason does not cease to be one."""
        if not self._source.knobs.currency or not candidates or currency.asks_why(self._cue.text):
            return []
        least = _STATED * candidates[0].score
        by_node = {c.node: c for c in candidates[:_STATEMENTS] if c.score >= least}
        of_state = self._of_state(candidates)
        by_node |= of_state
        statements = [
            currency.Statement(
                c.node,
                moment_of(c.text),
                c.text.speaker,
                currency.sentences_of(c.text.spans),
                c.score >= _ALIKE * candidates[0].score,
                self._is_coming(c.text),
            )
            for c in by_node.values()
        ]
        wanted, until = currency.asked(self._cue.text), self._asked_until()
        begun = self._asked_since()
        outdated: list[int] = []
        grouped: set[int] = set()
        coming = {s.node for s in statements if s.is_coming}
        for group in currency.groups(statements, self._cue.asked):
            grouped.update(s.node for s in group)
            best = max(by_node[s.node].score for s in group)
            told = currency.current(group, wanted, until, begun)
            ordered = [by_node[s.node] for s in told]
            for place, c in enumerate(ordered):
                c.move_to(best - place * BELOW)
            if wanted == "now" and until is None:
                over = tuple(s.node for s in told[1:] if told[0].is_coming or not s.is_coming)
                outdated += over
                ordered[0].earlier += over
        ranked = {c.node for c in candidates}
        candidates += (c for c in by_node.values() if c.node in grouped - ranked)
        candidates.sort(key=lambda c: (-c.score, c.node))
        if until is None:
            self._put_own_first(candidates, of_state)
        # What held then, or before another value, is found already where a pattern reads them.
        known = (wanted != "now" or until is not None) and candidates[0].node in grouped
        if (
            candidates[0].parts.get("time")
            and self._cue.is_sharp
            and not asks_for_state(self._cue.text)
        ):
            return outdated  # it asks for what was said on a day
        asks = currency.asks_for_value(self._cue.text, wanted, until is not None)
        if not known and (asks or wanted != "now" or self._fills):
            # What is not yet so succeeds nothing; where no other is known, it answers.
            aside = [*outdated, *coming] if wanted == "now" and until is None else outdated
            self._follow(candidates, wanted, until, aside, asks=asks)
        return outdated

    def _put_own_first(
        self, candidates: list[Candidate], of_state: Mapping[int, Candidate]
    ) -> None:
        """Where the best hit tells of others than those of whom a cue asks, have the newest one
        stand before it that states of them what is asked for: "I moved to Leeds"."""
        asked, best = subjects.asked_of(self._cue.text), candidates[0]
        told = subjects.told_of(best.text.text)
        if (
            not asked
            or not told
            or not told.isdisjoint(asked)
            or currency.asked(self._cue.text) != "now"
        ):
            return
        own = [
            c
            for c in of_state.values()
            if not asked.isdisjoint(subjects.told_of(c.text.text))
            and currency.tells_personal(currency.sentences_of(c.text.spans))
            and not self._is_coming(c.text)
        ]
        if own:
            newest = max(own, key=lambda c: (moment_of(c.text), c.node))
            newest.move_to(best.score + BELOW)
            if all(newest is not c for c in candidates):
                candidates.append(newest)
            candidates.sort(key=lambda c: (-c.score, c.node))

    def _of_state(self, candidates: Sequence[Candidate]) -> dict[int, Candidate]:
        """The newest texts that tell the state that a cue asks for in words that it does not say,
        by node."""
        told = currency.told_with(self._cue.text)
        if not told:
            return {}
        newest = {
            node for word in told for node in self._index.find(word).nodes[-_TOLD_NEWEST:].tolist()
        }
        found = {c.node: c for c in candidates if c.node in newest}
        unread = np.array(sorted(newest - found.keys()), np.uint64)
        return found | {
            c.node: c for c in self._source.read(allowed(unread, self._only), self._only)
        }

    def _is_coming(self, text: TextRecord) -> bool:
        """Whether what a text tells begins after the time that a cue asks for."""
        said = currency.sentences_of(text.spans)
        if not currency.may_begin(said):
            return False
        begins = currency.begins(said, self._source.day(text))
        return begins is not None and begins > self._asked_day()

    def _asked_day(self) -> date:
        """The day of which a cue asks what is so: today, or what it names of the time to come."""
        if not self._cue.when and currency.asks_ahead(self._cue.text):
            return date.max
        today = self._now.date()
        return max([today, *(m.period.last for m in self._cue.when if not m.period.yearly)])

    def _follow(
        self,
        candidates: list[Candidate],
        wanted: currency.Asked,
        until: int | None,
        outdated: Sequence[int],
        *,
        asks: bool,
    ) -> None:
        """Find what tells of the same state as the best hit; it need share no word with the cue. Of
        a question for one value, that memory stands first which tells what holds, held before, or
        held then. asks: it is one; another cue may ask for what did not change, and its best hit
        stays first."""
        telling = [c for c in candidates if not is_reply(c.text.spans)]
        if not telling:
            return
        best = self._stated(telling, until)
        is_across = self._nearest is not None and bool(self._nearest.across((best.node,)))
        if is_across and currency.NOW.search(self._cue.text) is None:
            return  # of texts in another script, too many seem alike
        met = {c.node: c for c in candidates}
        documents = max(_SMALL, self._view.state.documents)
        whole = log(1 + documents)
        most = max(_RARE, documents // 20)
        rarity: dict[str, float] = {}

        def rare(word: str) -> float:
            found = rarity.get(word)
            if found is None:
                found = log(1 + documents / (1 + self._frequency(word))) / whole
                rarity[word] = found
            return found

        direct = max(c.direct for c in candidates[:_VALUES]) or 1.0

        def told(c: Candidate) -> Told:
            held = held_words(c.text.spans, c.text.speaker) or frozenset(c.text.words)
            moment, near = moment_of(c.text), c.parts["vector"] / direct
            if self._nearest is not None and self._nearest.across((c.node,)):
                near /= WORDLESS  # it says no more of a state for being in another script
            score = min(1.0, c.score / best.score) if best.score else 0.0
            return Told(c.node, moment, c.text.speaker, c.text.text, held, score, near)

        def related(one: Told) -> list[Told]:
            telling = [w for w in one.words if 1 < self._frequency(w) <= most and links(w)]
            telling.sort(key=lambda word: (-rare(word), word))  # the same in every process
            likely = self._sharing(telling[:_RARE_WORDS], rare)
            unread = [node for node in likely if node not in met]
            near = self._source.nearness(unread, {}) if self._nearest is not None else {}
            for c in self._source.read(np.array(unread, np.uint64), self._only):
                c.parts["vector"] = near.get(c.node, 0.0)
                met[c.node] = c
            return [
                told(met[n])
                for n in likely
                if n in met
                and n not in outdated
                and not is_empty(met[n].text.text)
                and not is_reply(met[n].text.spans)
            ]

        some = [best, *telling[:_VALUES]]
        pool = {c.node: told(c) for c in some if c is best or c.node not in outdated}
        topic = {word: rare(word) for word in self._cue.asked}
        alike = None if self._nearest is None else self._nearest.alike
        succession = Succession(self._cue.text, topic, rare, pool, related, alike)
        answer, over = succession.answer(pool[best.node], wanted, until, self._asked_since())
        if not asks:
            answer, over = pool[best.node], []
        chosen = [answer, *reversed(over)]
        also: list[Told] = []
        # Of a time that a cue names, what is told of other times is no answer.
        if (not self._cue.when or wanted != "now") and not met[answer.node].earlier:
            also = succession.besides([pool[best.node], *chosen])  # else those follow directly
        if wanted == "now" and until is None and not self._cue.when:
            self.perhaps = [met[t.node] for t in succession.perhaps([pool[best.node], *chosen])]
        if answer.node == candidates[0].node and not also:
            return
        ordered = [t.node for t in (*chosen, *also)]
        top = candidates[0].score + BELOW
        for place, node in enumerate(dict.fromkeys(ordered)):
            c = met[node]
            if c not in candidates:
                candidates.append(c)
            c.move_to(top - place * BELOW)
        candidates.sort(key=lambda c: -c.score)

    def _sharing(self, telling: Sequence[str], rare: Callable[[str], float]) -> list[int]:
        """The nodes that hold most of some words by their rarity, of equal ones the newest first,
        up to `_RELATED`."""
        if not telling:
            return []
        holding = [self._index.find(word).nodes[-_COMMON:] for word in telling]
        worth = np.repeat([rare(word) for word in telling], [len(nodes) for nodes in holding])
        nodes, shared = summed(np.concatenate(holding), worth)
        if len(nodes) > _RELATED:
            (best,) = (shared >= least(shared, _RELATED)).nonzero()
            nodes, shared = nodes[best], shared[best]
        likely: list[int] = nodes[np.lexsort((nodes, shared))[::-1][:_RELATED]].tolist()
        return likely

    def _stated(self, candidates: Sequence[Candidate], until: int | None) -> Candidate:
        """The hit from which to look for other values. What held at a time was told before it, so
        a cue that asks for it is not answered by what was told then and says little else of it."""
        best = candidates[0]
        if until is None or not best.parts.get("time") or not asks_for_state(self._cue.text):
            return best
        asked = set(self._cue.asked)

        def said(c: Candidate) -> float:
            """How well it answers what is asked besides the time."""
            held = held_words(c.text.spans, c.text.speaker) or c.text.words
            return c.parts["vector"] + (0.0 if asked.isdisjoint(held) else c.parts["words"])

        timeless = max(candidates, key=said)
        return timeless if said(best) < _AS_TOLD_THEN * said(timeless) else best

    def _asked_until(self) -> int | None:
        """The end of the last period that a cue names and that has ended, in microseconds."""
        ends = [m.period.dated(self._now.date()).last for m in self._cue.when]
        past = [end for end in ends if end < self._now.date()]
        if not past:
            return None
        end = datetime.combine(max(past), time(23, 59, 59), self._now.tzinfo)
        return micros(end)

    def _asked_since(self) -> int | None:
        """The beginning of the first period that a cue names, if it has begun, in microseconds."""
        begun = [m.period.dated(self._now.date()).first for m in self._cue.when]
        past = [day for day in begun if day <= self._now.date()]
        if not past:
            return None
        return micros(datetime.combine(min(past), time(), self._now.tzinfo))
