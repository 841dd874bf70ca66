"""Supersession: of hits that tell the same of the same subject, which stands first.

It works on scored candidates. A memory that says in words that an older one is over or changed
(`superseding`) stands before it and names it in `earlier`; the older one is marked. What probably
tells another value of what the best hit tells is put before it where it was told later, and marked
nowhere; what may do so is told behind. A cue that asks for what was before, at first or at a time
orders the same memories accordingly. A memory is lifted only if its own score is at least .4 of the
best, and it is about the same person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from math import log
from typing import Final, NamedTuple

import numpy as np

from graphmem.graph.relations import SUPERSEDES_CODE
from graphmem.index.words.postings import FEWEST, distinct, least, summed
from graphmem.recalling import asking, beginnings
from graphmem.recalling.candidates import (
    BELOW,
    Candidate,
    Source,
    allowed,
    ends_asking,
    held_words,
    is_empty,
    is_reply,
)
from graphmem.recalling.cue import Cue
from graphmem.recalling.cut import LEAST_FILLING
from graphmem.recalling.question import Filter
from graphmem.recalling.weights import FILLING, NEWER
from graphmem.recalling.whose import as_named_by, is_of_others, persons
from graphmem.values.moments import micros, moment
from graphmem_worker.claims.contrast import contrasted_by
from graphmem_worker.claims.numbered import distinguishing
from graphmem_worker.claims.statements import (
    asked_of,
    attribute_words,
    attributes_of,
    is_grammar,
    is_over,
    named_in,
    statements,
)
from graphmem_worker.claims.superseding import Superseding, are_apart, may_replace, superseding
from graphmem_worker.claims.transfers import is_reversed
from graphmem_worker.text.patterns import lower
from graphmem_worker.text.words import FUNCTION_CHARACTERS, words

_COMPARED: Final = 20  # best candidates that are compared with each other
_LIFTED: Final = 0.4  # of the best score: what may be lifted
_OWN: Final = 8  # newest memories that hold a word of what the cue asks of somebody
_OWN_LATER: Final = 24  # … in all, where the best hit tells it already
_RELATED: Final = 16  # memories that share the rarest words with the best hit, …
_RARE_WORDS: Final = 8  # of so many words, …
_RARE: Final = 30  # which so few memories hold, or 5 % of all
_COMMON: Final = 256  # of the memories that hold a word, the newest
_READ: Final = 40  # best candidates of which it is looked at whether they fill a budget
_LATER: Final = 1.0  # the sum from which on what was told later is a hit too, …
_STRICTLY: Final = 2.5  # … in a strict recall, …
_MOST_LATER: Final = 2  # … so many
_SERIES: Final = 32  # memories of which one took another's place that are looked at
_BESIDE: Final = ("recency", "use", "focus", "currency")  # parts that do not say of whom it tells
_SAID: Final = 0.5  # added where the cue says that there was another value

_HAN_NUMERALS: Final = frozenset("一二两三四五六七八九十百千万半年月周天号点")
_ROOTS: Final = lower(r"[\u4e00-\u9fff]|[a-z0-9]{4,}")
_ROOT: Final = 5  # letters of a word that are its root


Signs = Mapping[str, float]
"""What speaks for a memory: name → 0–1."""
Ranked = tuple[float, Candidate]


class Ordered(NamedTuple):
    """Candidates in their new order."""

    candidates: list[Candidate]
    earlier: tuple[int, ...] = ()
    """Ids of those that say what was so before: they are marked."""
    rest: Sequence[Candidate] | None = None
    """The best, and what fills a budget behind it, the likeliest to answer first; None: what scores
    best."""
    later: Sequence[Candidate] = ()
    """Of these what was told after the best and probably tells what holds now."""
    look: Callable[[], Sequence[Candidate]] = tuple
    """Finds the same where `later` was not looked for yet; it costs a fifth of a recall."""


def order(
    source: Source, cue: Cue, candidates: Sequence[Candidate], only: Filter, *, fills: bool,
    strict: bool,
) -> Ordered:  # fmt: skip
    """The candidates, best first, in the order that the cue asks for. fills: with `rest`. strict:
    nothing rather than noise is wanted."""
    if not source.knobs.currency or not candidates or asking.asks_why(cue.text):
        return Ordered(list(candidates))
    order = _Order(source, cue, list(candidates), only, _STRICTLY if strict else _LATER)
    return order.made(fills)


def later(
    source: Source, cue: Cue, told: Sequence[Candidate], only: Filter
) -> tuple[dict[int, list[Candidate]], tuple[int, ...]]:
    """What was told after each of some memories and ends or changes, in words or probably, what it
    tells, by its node; and the ids of those that surely hold no longer."""
    known = {c.node: c for c in told}
    found: dict[int, list[Candidate]] = {}
    over: list[int] = []
    for old in told[:_COMPARED]:
        before = _Told(old)
        for read in _Order(source, cue, [old], only).rest(is_now=True)[1]:
            new = known.setdefault(read.node, read)
            after = _Told(new)
            if after.is_apart(before):
                continue
            how = after.superseding(before)
            if how is not None and how.is_sure:
                over.append(old.node)
            if not new.score:
                new.move_to(old.score)
            if new not in told:
                found.setdefault(old.node, []).append(new)
    return found, tuple(over)


class _Told:
    """What a candidate tells, read once."""

    def __init__(self, c: Candidate) -> None:
        self._text = c.text
        self.sentences = _sentences(c.text.spans)
        self.moment = _moment(c)

    @cached_property
    def may_replace(self) -> bool:
        return may_replace(self.sentences, self._text.speaker)

    def is_apart(self, older: _Told) -> bool:
        """Whether it tells of other persons or things than an older one."""
        return are_apart(older.sentences, self.sentences, (older._text.speaker, self._text.speaker))

    def superseding(self, older: _Told, *, surely: bool = False) -> Superseding | None:
        """How it concerns an older one."""
        speakers = older._text.speaker, self._text.speaker
        return superseding(older.sentences, self.sentences, speakers, surely=surely)


class _Order:
    """Orders the candidates of one cue."""

    def __init__(
        self,
        source: Source,
        cue: Cue,
        candidates: list[Candidate],
        only: Filter,
        later: float = _LATER,
    ) -> None:
        self._source = source
        self._cue = cue
        self._candidates = candidates
        self._only = only
        self._least_later = later
        self._asked = asking.State.of(cue.text, cue.when, source.now)
        self._whom = asked_of(cue.text)
        self._documents = max(FEWEST, source.view.state.documents)
        compared = candidates[:_COMPARED]
        self._coming = {c.node for c in compared if self._is_coming(c)}
        self._roots = Counter(root for c in compared for root in _roots(c.content))
        self._rarities: dict[str, float] = {}  # by root
        asked = {root: self._rarity(root) for root in _roots(cue.content)}
        whole = sum(asked.values()) or 1.0
        self._sought = {root: rarity / whole for root, rarity in asked.items()}
        self._best = candidates[0].score
        self._told: dict[int, _Told] = {}
        self._series: dict[int, dict[int, _Told]] = {}

    def made(self, fills: bool) -> Ordered:
        asked, candidates = self._asked, self._candidates
        best = candidates[0]
        compared = [c for c in candidates[:_COMPARED] if not is_reply(c.text.spans)]
        known = {c.node for c in candidates}
        later = self._telling_later(best) if asked.is_now else []
        among = {c.node: c for c in (*compared, *later)}
        earlier = self._mark([*among.values()]) if asked.is_now else ()
        candidates += (c for c in later if "currency" in c.parts and c.node not in known)
        asks = asking.asks_for_value(self._cue.text, asked.wanted, asked.until is not None)
        if asks and not self._is_of_time(best):
            compared = self._put_own_first(compared)
            self._put_first(compared, earlier)
        candidates.sort(key=lambda c: (-c.score, c.node))
        self._put_asked_first(earlier)
        if fills:
            return Ordered(candidates, earlier, *self.rest(is_now=asked.is_now))
        return Ordered(candidates, earlier, look=lambda: self.rest(is_now=asked.is_now)[1])

    # -- what is over -------------------------------------------------------------------------

    def _mark(self, compared: Sequence[Candidate]) -> tuple[int, ...]:
        """Have what ends or changes others stand where the best of them stands, and these directly
        below it; their ids."""
        over: dict[int, None] = {}
        first = self._candidates[0]
        ordered = sorted(compared, key=_moment, reverse=True)
        for place, newer in enumerate(ordered, 1):
            is_so = newer.node not in over and newer.node not in self._coming
            if not (is_so and self._ending(newer)):
                continue
            left = [c for c in ordered[place:] if c.node not in over]
            sure = [c.node for c in left if self._replaces(newer, c, surely=True)]
            older = [c for c in left if c.node in sure or (c is first and self._replaces(newer, c))]
            if not older:
                continue
            newer.earlier += tuple(sure)
            over |= dict.fromkeys(newer.earlier)
            best = max(c.score for c in (newer, *older))
            for place, c in enumerate((newer, *older)):
                c.move_to(best - place * BELOW)
        return tuple(over)

    def _of(self, c: Candidate) -> _Told:
        found = self._told.get(c.node)
        if found is None:
            found = self._told[c.node] = _Told(c)
        return found

    def _replaces(self, newer: Candidate, older: Candidate, *, surely: bool = False) -> bool:
        """Whether one says, in words, that the other holds no longer; surely: and nothing makes it
        doubtful."""
        if not (ending := self._ending(newer)):
            return False
        old = self._of(older)
        # What was to come soon has begun: `_coming` has what has not.
        return any(
            found is not None and found.how != "may"
            for new in ending
            if new.moment > old.moment
            for found in [new.superseding(old, surely=surely)]
        )

    def _ending(self, c: Candidate) -> list[_Told]:
        """What a candidate tells and what it was put in the place of told, if that may say of
        others that they hold no longer: it is not recalled any more, and what it ended is over."""
        return [one for one in self._series_of(c).values() if one.may_replace]

    def _series_of(self, c: Candidate) -> Mapping[int, _Told]:
        """What a candidate and all that it was put in the place of tell, by node."""
        told = self._series.get(c.node)
        if told is None:
            view, told = self._source.view, {c.node: self._of(c)}
            ahead = [c.node]
            while ahead and len(told) < _SERIES:
                for node in view.targets(ahead.pop(), SUPERSEDES_CODE):
                    if node not in told and (pair := view.pair(node)) is not None:
                        told[node] = _Told(Candidate(node, *pair, {}))
                        ahead.append(node)
            self._series[c.node] = told
        return told

    # -- what probably tells another value ------------------------------------------------------

    def _put_own_first(self, compared: list[Candidate]) -> list[Candidate]:
        """Where the best hit tells of others than those of whom the cue asks, have the newest one
        stand before it that tells of them the attribute that is asked for, in whatever words; or
        else the best that tells of them and holds as many words of the cue."""
        if not self._asked.is_now or not compared or not self._is_of_others(compared[0]):
            return compared
        own = max(self._telling_asked(), key=_moment, default=None) or self._as_good(compared)
        if own is None:
            return compared
        own.move_to(compared[0].score + BELOW)
        if all(c is not own for c in self._candidates):
            self._candidates.append(own)
        return [own, *(c for c in compared if c is not own)]

    def _as_good(self, compared: Sequence[Candidate]) -> Candidate | None:
        """The best that tells of those of whom the cue asks, and holds all of its words that the
        first does, which tells of others."""
        asked = self._sought.keys() & _roots(compared[0].content)
        for c in compared[1:] if asked else ():
            firsts = persons(statements(c.text.spans, c.text.speaker))
            if asked <= _roots(c.content) and not self._whom_by(c).isdisjoint(firsts):
                return c
        return None

    def _telling_later(self, best: Candidate) -> list[Candidate]:
        """Of those that tell what the cue asks for, the newest that were told after the best hit:
        "I moved to Ghent" holds no word of "Where do I live?"."""
        if not self._whom:
            return []
        return [c for c in self._telling_asked(_OWN_LATER) if _moment(c) > _moment(best)]

    def _telling_asked(self, most: int | None = None) -> list[Candidate]:
        """The newest memories that tell, in whatever words, the attribute that the cue asks for of
        those of whom it asks. most: so many are looked at."""
        if not (telling := attribute_words(self._cue.text)):
            return []
        index = self._source.index
        ids = distinct([index.find(word).nodes[-_OWN:] for word in telling])
        ids = allowed(ids if most is None else ids[-most:], self._only)
        known = {c.node: c for c in self._candidates}
        unread = np.setdiff1d(ids, np.fromiter(known, np.uint64), assume_unique=True)
        read = self._source.read(unread, self._only)
        found = (*(known[n] for n in ids.tolist() if n in known), *read)
        return [c for c in found if c.node not in self._coming and self._is_of_asked(c)]

    def _put_asked_first(self, earlier: Sequence[int]) -> None:
        """Where what suits the cue best tells of those whom it names, and something of others was
        lifted over it, or is only newer, have it stand before that."""
        first = self._candidates[0]
        best = max(self._candidates[:_COMPARED], key=suits)
        # By less it is the rounding of the sums, which differs between versions of Python.
        is_as_good = suits(best) < suits(first) + BELOW
        if is_as_good or first.parts.get("time") or best.node in earlier:
            return
        (whom, told), (others, other) = self._persons_of(best), self._persons_of(first)
        if not (others and whom.isdisjoint(other) and others.isdisjoint(told)):
            return
        has_kin = any("/" in one for one in whom | others)
        is_apart = has_kin or self._of(first).is_apart(self._of(best))
        if is_apart and self._names(best, whom) and not self._names(first, others):
            best.move_to(first.score + BELOW)
            self._candidates.sort(key=lambda c: (-c.score, c.node))

    def _persons_of(self, c: Candidate) -> tuple[frozenset[str], frozenset[str]]:
        """Of whom a memory tells, as far as it says so, and all that it names."""
        told = statements(c.text.spans, c.text.speaker)
        keys = frozenset[str]().union(*(s.keys for s in told))
        firsts = frozenset[str]().union(*(s.first for s in told if not s.is_inherited))
        return firsts - {"?"} | {key for key in keys if "/" in key}, keys

    def _names(self, c: Candidate, persons: frozenset[str]) -> bool:
        """Whether the cue names any of the persons of whom a memory tells; "we" are many."""
        named = named_in(self._cue.text) - {"self"}
        return not as_named_by(c, named).isdisjoint(persons)

    def _is_of_asked(self, c: Candidate) -> bool:
        """Whether a memory tells of those of whom the cue asks, and of nobody else, an attribute
        that the cue asks for."""
        asked = attributes_of(self._cue.text)
        whom = self._whom_by(c)
        return any(
            not whom.isdisjoint(s.first) and any(t.key in asked for t in s.content)
            for s in statements(c.text.spans, c.text.speaker)
        )

    def _put_first(self, compared: Sequence[Candidate], earlier: Sequence[int]) -> None:
        """Have that one of those that tell the attribute of the best hit stand first which the cue
        asks for."""
        best = max(compared, key=lambda c: c.score, default=None)
        if best is None or best.score < _LIFTED * self._best:
            return
        if best.parts.get("time"):  # what only is of that time, or asks: what held was told before
            best = max(compared, key=lambda c: c.parts.get("vector", 0.0))
        floor = _LIFTED * best.score
        group = [best]
        self._gather(compared, best, floor, group)
        if len(group) > 1:
            self._gather(compared, max(group, key=_moment), floor, group)
            group.sort(key=lambda c: (c.node in self._coming, -c.text.moment, -c.node))
            first = self._wanted(group)
            if first is not None and first.node not in earlier:
                best = first
        if best is not self._candidates[0]:
            best.move_to(self._candidates[0].score + BELOW)

    def _gather(
        self, compared: Sequence[Candidate], last: Candidate, floor: float, group: list[Candidate]
    ) -> None:
        """Take into a group what tells, surely, another value than one of it or, probably and with
        such a score, than the last of it."""
        apart = {
            c.node: c for c in compared if c.score >= floor and c.text.moment != last.text.moment
        }
        signs = self._signs(last, [*apart.values()])
        found = [(c, {**signs[c.node], **self._telling(c)}) for c in apart.values()]
        said = 0.0 if self._asked.wanted == "now" else _SAID
        likely = {c.node for c in stating(last, found, said)}
        for c in (c for c in compared if all(c is not known for known in group)):
            may_tell = c.node in likely and not (self._is_of_others(c) or self._is_none(c))
            if may_tell or any(
                self._replaces(new, old) or old.node in self._series_of(new)
                for known in group
                for new, old in ((c, known), (known, c))
            ):
                group.append(c)

    def _is_none(self, c: Candidate) -> bool:
        """Whether all that a memory states is a guess, a wish or a plan that is not sure, or, where
        the cue asks what is so now, how it was once."""
        told = statements(c.text.spans, c.text.speaker)
        is_guess = bool(told) and not any(s.is_sure for s in told)
        return is_guess or (self._asked.is_now and is_over(c.text.spans))

    def _telling(self, c: Candidate) -> Signs:
        """What speaks for a memory's telling what the cue asks for."""
        held = self._sought.keys() & _roots(c.exchange)
        return {
            "lacks": float(not asking.may_give_value(self._cue.text, c.content)),
            "answers": sum(self._sought[root] for root in held),
        }

    def _is_of_time(self, c: Candidate) -> bool:
        """Whether a memory is of a time that the cue names, and does not ask itself."""
        return bool(c.parts.get("time")) and not ends_asking(c.text.spans)

    def _wanted(self, group: Sequence[Candidate]) -> Candidate | None:
        """Of memories of one attribute, the newest first, that which the cue asks for; None if all
        were told after the time that it names, of which when they were told says nothing."""
        asked = self._asked
        if asked.wanted == "first":
            return min(group, key=_moment)
        if asked.wanted == "before":
            if asked.since is not None:
                return next((c for c in group if c.text.moment < asked.since), group[-1])
            named = self._named_after(group)
            if named is not None:
                before = [c for c in group if c.text.moment < named.text.moment]
                return before[0] if before else group[-1]
            return group[1]
        if asked.until is not None:
            return next((c for c in group if c.text.moment <= asked.until), None)
        return group[0]

    def _named_after(self, group: Sequence[Candidate]) -> Candidate | None:
        """What the cue names as told after what it asks for: "Where was she before Erfurt?"."""
        said = asking.named_after(self._cue.text)
        return max(group, key=lambda c: len(said & _held(c))) if said else None

    # -- what fills a budget --------------------------------------------------------------------

    def rest(self, *, is_now: bool) -> tuple[list[Candidate], list[Candidate]]:
        """What may answer where the best hit does not, the likeliest first: also what shares words
        with that one only, and was told later (earlier, where the cue asks for what was before:
        not is_now); and of these the first of those that were told later."""
        best, *others = self._candidates
        pool = {c.node: c for c in (*others[:_READ], *self._sharing(best))}
        weights = FILLING.words if self._source.nearest is None else FILLING.vectors
        places = {c.node: place for place, c in enumerate(others[:_READ], 2)}
        told = best.text.moment
        is_apart = [
            c for c in pool.values() if c.text.moment != told and (c.text.moment > told) == is_now
        ]
        signs = self._signs(best, is_apart)
        found: list[tuple[Candidate, Signs]] = []
        for c in pool.values():
            place = 1 / places[c.node] if c.node in places else 0.0
            own = {"bias": 1.0, "score": self._share(c), "place": place}
            found.append((c, {**signs.get(c.node, {}), **own}))
        further = (c for c in others[_READ:] if c.score >= LEAST_FILLING * best.score)
        likely = likeliest(found, weights)
        rest = {c.node: c for c in (best, *(c for _, c in likely), *further)}
        later = [c for value, c in likely if value >= self._least_later and c.text.moment > told]
        later = [
            c
            for c in later
            if self._of(c).may_replace or asking.may_give_value(self._cue.text, c.content)
        ]
        return [*rest.values()], later[:_MOST_LATER]

    def _sharing(self, best: Candidate) -> list[Candidate]:
        """The memories that hold the rarest words of one."""
        index, frequency = self._source.index, self._source.frequency
        most = max(_RARE, self._documents // 20)
        telling = [w for w in _linking(_held(best)) if 1 < frequency(w) <= most]
        telling.sort(key=lambda word: (frequency(word), word))
        if not telling:
            return []
        holding = [index.find(word).nodes[-_COMMON:] for word in telling[:_RARE_WORDS]]
        worth = np.repeat([1 / frequency(w) for w in telling[:_RARE_WORDS]], [*map(len, holding)])
        nodes, shared = summed(np.concatenate(holding), worth)
        if len(nodes) > _RELATED:
            (kept,) = (shared >= least(shared, _RELATED)).nonzero()
            nodes = nodes[kept]
        known = {c.node: c for c in self._candidates}
        unread = np.setdiff1d(nodes, np.fromiter(known, np.uint64), assume_unique=True)
        read = {c.node: c for c in self._source.read(unread, self._only)}
        found = [known.get(node) or read.get(node) for node in nodes.tolist() if node != best.node]
        return [c for c in found if c and not (is_empty(c.text.text) or is_reply(c.text.spans))]

    # -- how likely -----------------------------------------------------------------------------

    def _signs(self, one: Candidate, others: Sequence[Candidate]) -> dict[int, Signs]:
        """What speaks for others' telling the attribute of one: node → sign → value, 0–1."""
        alike: Mapping[int, float] = {}
        if self._source.nearest is not None:
            alike = self._source.nearest.alike(one.node, [c.node for c in others])
        whom = " ".join(key.rpartition("/")[2] for key in self._whom)
        if {*words(whom)} >= {*self._cue.asked}:  # "Who is my boss?"
            whom = ""
        linking, roots = _linking(_held(one)).difference(words(whom)), _roots(one.content)
        roots -= _roots(whom)
        found: dict[int, Signs] = {}
        for c in others:
            held = _linking(_held(c)).union(words(c.question))
            holding = [*map(self._source.frequency, linking & held)]
            found[c.node] = {
                "bias": 1.0,
                "score": self._share(c),
                "apart": 1.0,
                "word": 1 / max(1, min(holding)) if holding else 0.0,
                "root": max(map(self._rarity, roots & _roots(c.exchange)), default=0.0),
                "speaker": float(c.text.speaker == one.text.speaker),
                "alike": max(0.0, alike.get(c.node, 0.0)),
            }
        return found

    def _share(self, c: Candidate) -> float:
        """The score of one against the best."""
        return min(1.0, c.score / (self._best or 1.0))

    def _rarity(self, root: str) -> float:
        """How rare a root is among the candidates that are compared, 0–1; among few, as among as
        many as there may be."""
        found = self._rarities.get(root)
        if found is None:
            found = log((1 + _COMPARED) / (1 + self._roots[root])) / log(1 + _COMPARED)
            self._rarities[root] = found
        return found

    def _is_of_others(self, other: Candidate) -> bool:
        """Whether a memory tells of others, or other things, than those of which the cue asks."""
        cue = self._cue.text
        if distinguishing((cue,), other.text.spans, is_asked=True) or is_reversed(
            cue, other.content
        ):
            return True
        if contrasted_by(cue, self._candidates[0].content, other.content):
            return True
        return is_of_others(self._cue, other)

    def _whom_by(self, c: Candidate) -> frozenset[str]:
        """Those of whom the cue asks, as who told a memory names them."""
        return as_named_by(c, self._whom)

    def _is_coming(self, c: Candidate) -> bool:
        """Whether what a text tells begins after the time that the cue asks for."""
        begun = c.record.valid_from
        if begun is not None and begun > micros(self._source.now):
            return moment(begun, self._source.zone).date() > self._asked_day()
        said = beginnings.may_begin(_sentences(c.text.spans))
        if not said:
            return False
        begins = beginnings.begins(said, self._source.day(c.text))
        return begins is not None and begins > self._asked_day()

    def _asked_day(self) -> date:
        """The day of which the cue asks what is so: today, or what it names of the time to come."""
        if not self._cue.when and beginnings.asks_ahead(self._cue.text):
            return date.max
        today = self._source.now.date()
        return max([today, *(m.period.last for m in self._cue.when if not m.period.yearly)])


def stating(
    last: Candidate, found: Sequence[tuple[Candidate, Signs]], said: float = 0.0
) -> list[Candidate]:
    """Those of some candidates, told at another time than `last`, that tell the attribute that it
    tells, by their signs. said: what else speaks for it, nat."""
    return [c for c, signs in found if summed_up(signs, NEWER) + said >= 0]


def summed_up(signs: Signs, weights: Signs) -> float:
    """What signs say together; from zero on it is so."""
    return sum(weight * signs.get(name, 0.0) for name, weight in weights.items())


def likeliest(found: Sequence[tuple[Candidate, Signs]], weights: Signs) -> list[Ranked]:
    """Candidates with their sums, in the order in which they fill a budget: those that answer
    likely enough, and those that score high enough."""
    sums = [(summed_up(signs, weights), c) for c, signs in found]
    kept = [
        (value, c)
        for (value, c), (_, signs) in zip(sums, found, strict=True)
        if value >= 0 or signs["score"] >= LEAST_FILLING
    ]
    return sorted(kept, key=lambda pair: (-pair[0], pair[1].node))


def _moment(c: Candidate) -> tuple[int, int]:
    """When what a candidate tells happened, or else when it was told; of equal ones the id."""
    return c.text.moment, c.node


def suits(c: Candidate) -> float:
    """How well a candidate suits the cue, however new or much used it is."""
    return c.score - sum(c.parts.get(part, 0.0) for part in _BESIDE)


@lru_cache(1 << 13)
def _sentences(spans: tuple[str, ...]) -> tuple[str, ...]:
    """The sentences of a memory, each with the punctuation that ends it, the first few."""
    return tuple(text for span in spans[:8] if (text := span.strip()))


def _held(c: Candidate) -> frozenset[str]:
    return held_words(c.text.spans) or frozenset(c.text.words)


@lru_cache(1 << 13)
def _linking(held: frozenset[str]) -> frozenset[str]:
    """Those of some index words that tell something if two memories share them."""
    return frozenset(filter(links, held))


@lru_cache(1 << 13)
def _roots(text: str) -> frozenset[str]:
    """The Chinese characters of a text and the first letters of its other words: "electric" and
    "electricity" have one root, 林老师 and 林教授 share one."""
    return frozenset(found[:_ROOT] for found in _ROOTS.findall(text.lower()))


@lru_cache(1 << 13)
def links(word: str) -> bool:
    """Whether it tells something that two memories share an index word: no number, no particle and
    no word of time or change."""
    return not (
        word[0].isdigit()
        or is_grammar(word)
        or not FUNCTION_CHARACTERS.isdisjoint(word)
        or _HAN_NUMERALS.issuperset(word)
    )
