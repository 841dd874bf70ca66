"""Supersession: which of several memories of one attribute of a subject is ranked first.

It reorders scored candidates. A memory whose words end or change an older one (`superseding`) goes
before it and has it in `earlier`; the older one is marked. A newer memory that probably states
another value of the best hit's attribute goes before that hit, and neither is marked; one that may
do so fills a budget. For a cue that asks for an earlier or the first value, or that of a time, the
same memories are ordered accordingly. Probability alone lifts only what scores at least .4 of the
best and is about the same person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from itertools import islice, starmap
from math import inf, log
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphmem.graph.relations import SUPERSEDES_CODE
from graphmem.index.words.postings import FEWEST, Nodes, distinct, least, positions, summed
from graphmem.recalling import asking, beginnings
from graphmem.recalling.candidates import (
    BELOW,
    Candidate,
    Source,
    allowed,
    ends_asking,
    is_empty,
    is_reply,
    words_left,
)
from graphmem.recalling.cue import Cue
from graphmem.recalling.cut import LEAST_FILLING
from graphmem.recalling.question import Filter
from graphmem.recalling.weights import FILLING, NEWER
from graphmem.recalling.whose import as_named_by, is_of_others
from graphmem.values.moments import micros, moment_in
from graphmem_worker.claims.contrast import is_other
from graphmem_worker.claims.numbered import distinguishing_words
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

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COMPARED: Final = 20  # best candidates that are compared with each other
_LIFTED: Final = 0.4  # share of the best score from which on a memory may be lifted
_OWN: Final = 8  # newest memories that are read for each word of the attribute asked for, …
_OWN_LATER: Final = 24  # … and in all, to find those newer than the best hit
_RELATED: Final = 16  # memories that share the rarest words with the best hit
_RARE_WORDS: Final = 8  # of the best hit by which they are found
_RARE: Final = 30  # memories that hold a rare word at most, or 5 % of all if that is more
_COMMON: Final = 256  # newest memories of a word that are considered
_READ: Final = 40  # best candidates that may fill a budget by their signs
_LATER: Final = 1.0  # the sum of signs from which on a newer memory is a hit too, …
_STRICTLY: Final = 2.5  # … and in a strict recall
_MOST_LATER: Final = 2  # such newer memories
_SERIES: Final = 32  # memories of one series of replacements that are read
_UNRELATED: Final = ("recency", "use", "focus", "currency")  # parts that do not depend on the cue
_BOUNDED: Final = ("bias", "apart", "root", "speaker")  # signs that are 1 at most
_ROUNDING: Final = 1e-3  # more than by which sums of cosines differ with the rows they are among
_OTHER_VALUE: Final = 0.5  # added to the sum of signs if the cue itself implies another value

_HAN_NUMERALS: Final = frozenset("一二两三四五六七八九十百千万半年月周天号点")
_ROOTS: Final = lower(r"[\u4e00-\u9fff]|[a-z0-9]{4,}")
_ROOT: Final = 5  # letters of a word that are its root


Signs = Mapping[str, float]
"""Evidence that a memory answers: name → 0–1."""
Ranked = tuple[float, Candidate]


class Ordered(NamedTuple):
    """Candidates in their new order."""

    candidates: list[Candidate]
    earlier: tuple[int, ...] = ()
    """Ids of the superseded ones, which are marked."""
    rest: Sequence[Candidate] | None = None
    """The best, and what fills a budget behind it, the likeliest to answer first; None: fill by
    score."""
    later: Sequence[Candidate] = ()
    """Those of `rest` that are newer than the best and probably state the value that holds now."""
    find_later: Callable[[], Sequence[Candidate]] = tuple
    """Finds `later` if `rest` is None; it costs a fifth of a recall."""


def order(
    source: Source, cue: Cue, candidates: Sequence[Candidate], only: Filter, *, fills: bool,
    strict: bool,
) -> Ordered:  # fmt: skip
    """The candidates, best first, in the order that the cue asks for. fills: with `rest`. strict:
    see `Question.strict`."""
    if not source.knobs.currency or not candidates or asking.asks_why(cue.text):
        return Ordered(list(candidates))
    least_later = _STRICTLY if strict else _LATER
    return _Ordering(source, cue, list(candidates), only, least_later).ordered(fills)


def newer_of(
    source: Source, cue: Cue, candidates: Sequence[Candidate], only: Filter
) -> tuple[dict[int, list[Candidate]], tuple[int, ...]]:
    """Node → the newer memories, not among the candidates, that surely or probably end or change
    what it states; and the nodes that surely hold no longer."""
    known = {c.node: c for c in candidates}
    found: dict[int, list[Candidate]] = {}
    over: list[int] = []
    for old in candidates[:_COMPARED]:
        older = _Reading(old)
        for read in _Ordering(source, cue, [old], only).rest(is_now=True)[1]:
            new = known.setdefault(read.node, read)
            newer = _Reading(new)
            if newer.is_apart(older):
                continue
            how = newer.superseding(older)
            if how is not None and how.is_sure:
                over.append(old.node)
            if not new.score:
                new.move_to(old.score)
            if new not in candidates:
                found.setdefault(old.node, []).append(new)
    return found, tuple(over)


class _Reading:
    """A candidate's sentences and moment, read once for all comparisons."""

    def __init__(self, c: Candidate) -> None:
        self._text = c.text
        self.sentences = _sentences(c.text.spans)
        self.moment = _moment(c)

    @cached_property
    def may_replace(self) -> bool:
        return may_replace(self.sentences, self._text.speaker)

    def is_apart(self, older: _Reading) -> bool:
        """Whether it is about other persons or things than an older one."""
        return are_apart(older.sentences, self.sentences, (older._text.speaker, self._text.speaker))

    def superseding(self, older: _Reading, *, surely: bool = False) -> Superseding | None:
        """How it supersedes an older one; None if it does not."""
        speakers = older._text.speaker, self._text.speaker
        return superseding(older.sentences, self.sentences, speakers, surely=surely)


class _Ordering:
    """Orders the candidates of one cue."""

    def __init__(
        self,
        source: Source,
        cue: Cue,
        candidates: list[Candidate],
        only: Filter,
        least_later: float = _LATER,
    ) -> None:
        self._source = source
        self._cue = cue
        self._candidates = candidates
        self._only = only
        self._least_later = least_later
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
        self._best_score = candidates[0].score
        self._about = candidates[0]  # the best that is about the thing which the cue names
        self._readings: dict[int, _Reading] = {}
        self._series: dict[int, dict[int, _Reading]] = {}
        self._endings: dict[int, list[_Reading]] = {}

    def ordered(self, fills: bool) -> Ordered:
        """The candidates in their new order; fills: with `rest`."""
        asked, candidates = self._asked, self._candidates
        best = candidates[0]
        compared = [c for c in candidates[:_COMPARED] if not is_reply(c.text.spans)]
        known = {c.node for c in candidates}
        later: list[Candidate] = []
        if asked.is_now and self._whom:  # "I moved to Ghent" has no word of "Where do I live?"
            newest = self._stating_asked(_OWN_LATER)
            later = [c for c in newest if _moment(c) > _moment(best)]
        among = {c.node: c for c in (*compared, *later)}
        earlier = self._mark([*among.values()]) if asked.is_now else ()
        candidates += (c for c in later if "currency" in c.parts and c.node not in known)
        asks = asking.asks_for_value(self._cue.text, asked.wanted, asked.until is not None)
        is_of_time = best.parts.get("time") and not ends_asking(best.text.spans)
        if asks and not is_of_time:
            compared = self._put_own_first(compared)
            self._put_first(compared, earlier)
        candidates.sort(key=lambda c: (-c.score, c.node))
        self._put_asked_first(earlier)
        if fills:
            return Ordered(candidates, earlier, *self.rest(is_now=asked.is_now))
        return Ordered(candidates, earlier, find_later=self._later)

    # -- what is superseded ---------------------------------------------------------------------

    def _mark(self, compared: Sequence[Candidate]) -> tuple[int, ...]:
        """Move each memory that ends or changes others to the best score of all, these just below;
        the ids surely outdated."""
        over: dict[int, None] = {}
        first = self._candidates[0]
        ordered = sorted(compared, key=_moment, reverse=True)
        for place, newer in enumerate(ordered, 1):
            if newer.node in over or newer.node in self._coming or not self._ending(newer):
                continue
            left = [c for c in ordered[place:] if c.node not in over]
            sure = [c.node for c in left if self._replaces(newer, c, surely=True)]
            may = self._replaces(newer, first) and not self._is_other_thing(newer)
            older = [c for c in left if c.node in sure or (c is first and may)]
            if not older:
                continue
            newer.earlier += tuple(sure)
            over |= dict.fromkeys(newer.earlier)
            best = max(c.score for c in (newer, *older))
            for step, c in enumerate((newer, *older)):
                c.move_to(best - step * BELOW)
        return tuple(over)

    def _reading(self, c: Candidate) -> _Reading:
        if c.node not in self._readings:
            self._readings[c.node] = _Reading(c)
        return self._readings[c.node]

    def _replaces(self, newer: Candidate, older: Candidate, *, surely: bool = False) -> bool:
        """Whether the words of one end or change the other; surely: without any doubt."""
        if not (ending := self._ending(newer)):
            return False
        old = self._reading(older)
        # A change announced for "soon" counts: those that have not begun are in `_coming`.
        return any(
            found is not None and found.how != "may"
            for new in ending
            if new.moment > old.moment
            for found in [new.superseding(old, surely=surely)]
        )

    def _ending(self, c: Candidate) -> list[_Reading]:
        """Those of the series of a candidate that may end others. A memory that it replaced is
        recalled no longer, but what that one ended is still over."""
        if c.node not in self._endings:
            series = self._series_of(c).values()
            self._endings[c.node] = [reading for reading in series if reading.may_replace]
        return self._endings[c.node]

    def _series_of(self, c: Candidate) -> Mapping[int, _Reading]:
        """Node → reading, of a candidate and all memories that it replaced, also indirectly."""
        series = self._series.get(c.node)
        if series is None:
            view, series = self._source.view, {c.node: self._reading(c)}
            unread = [c.node]
            while unread and len(series) < _SERIES:
                for node in view.targets(unread.pop(), SUPERSEDES_CODE):
                    if node not in series and (pair := view.pair(node)) is not None:
                        series[node] = _Reading(Candidate(node, *pair, {}))
                        unread.append(node)
            self._series[c.node] = series
        return series

    # -- what probably states another value -----------------------------------------------------

    def _put_own_first(self, compared: list[Candidate]) -> list[Candidate]:
        """If the best hit is about others than the cue asks about, put before it the newest memory
        that states the attribute of those whom the cue asks about, in whatever words."""
        own = self._of_thing_asked(compared)
        if own is None and self._asked.is_now and compared and self._is_of_others(compared[0]):
            own = max(self._stating_asked(), key=_moment, default=None)
        if own is None:
            return compared
        own.move_to(compared[0].score + BELOW)
        if all(c is not own for c in self._candidates):
            self._candidates.append(own)
        return [own, *(c for c in compared if c is not own)]

    def _of_thing_asked(self, ordered: Sequence[Candidate]) -> Candidate | None:
        """The best candidate about the thing that the cue names, if the first is about another."""
        for c in ordered[1:_COMPARED]:
            is_likely = c.score >= _LIFTED * ordered[0].score
            if is_likely and is_other(self._cue.text, c.content, ordered[0].content):
                self._about = c
                return c
        return None

    def _stating_asked(self, most: int | None = None) -> list[Candidate]:
        """The memories, of the newest `most`, that state, in whatever words, the attribute asked
        for of those asked about."""
        if not (terms := attribute_words(self._cue.text)):
            return []
        index = self._source.index
        ids = distinct([index.find(word).nodes[-_OWN:] for word in terms])
        ids = allowed(ids if most is None else ids[-most:], self._only)
        found = self._read(ids)
        return [c for c in found if c.node not in self._coming and self._is_of_asked(c)]

    def _read(self, nodes: Nodes) -> list[Candidate]:
        """The candidates of some nodes: the known ones, and those read that the filter admits."""
        known = {c.node: c for c in self._candidates}
        unread = np.setdiff1d(nodes, np.fromiter(known, np.uint64), assume_unique=True)
        known |= {c.node: c for c in self._source.read(unread, self._only)}
        return [known[node] for node in nodes.tolist() if node in known]

    def _put_asked_first(self, earlier: Sequence[int]) -> None:
        """Put the best match first if it is about those whom the cue names, and the first hit is
        about others and only lifted or newer."""
        first = self._candidates[0]
        best = self._of_thing_asked(self._candidates)
        if best is not None and best.node not in earlier and not first.parts.get("time"):
            best.move_to(first.score + BELOW)
            self._candidates.sort(key=lambda c: (-c.score, c.node))
            return
        best = max(self._candidates[:_COMPARED], key=relevance)
        # A smaller difference may be the rounding of sums, which depends on the Python version.
        is_as_good = relevance(best) < relevance(first) + BELOW
        if is_as_good or first.parts.get("time") or best.node in earlier:
            return
        whom, named = self._persons_of(best)
        others, named_first = self._persons_of(first)
        if not (others and whom.isdisjoint(named_first) and others.isdisjoint(named)):
            return
        has_kin = any("/" in key for key in whom | others)
        is_apart = has_kin or self._reading(first).is_apart(self._reading(best))
        if is_apart and self._names(best, whom) and not self._names(first, others):
            best.move_to(first.score + BELOW)
            self._candidates.sort(key=lambda c: (-c.score, c.node))

    def _persons_of(self, c: Candidate) -> tuple[frozenset[str], frozenset[str]]:
        """The persons whom a memory names as its subjects, and all keys that it names."""
        stated = statements(c.text.spans, c.text.speaker)
        keys = frozenset[str]().union(*(s.keys for s in stated))
        firsts = frozenset[str]().union(*(s.subjects for s in stated if not s.is_inherited))
        return firsts - {"?"} | {key for key in keys if "/" in key}, keys

    def _names(self, c: Candidate, persons: frozenset[str]) -> bool:
        """Whether the cue names a person that a memory is about, other than by "I" or "we"."""
        named = named_in(self._cue.text) - {"self"}
        return not as_named_by(c, named).isdisjoint(persons)

    def _is_of_asked(self, c: Candidate) -> bool:
        """Whether a memory states an attribute that the cue asks for of one whom it asks about."""
        asked = attributes_of(self._cue.text)
        whom = self._whom_of(c)
        return any(
            not whom.isdisjoint(s.subjects) and any(t.key in asked for t in s.content)
            for s in statements(c.text.spans, c.text.speaker)
        )

    def _put_first(self, compared: Sequence[Candidate], earlier: Sequence[int]) -> None:
        """Put first, of the memories that state the best hit's attribute, the one that the cue
        asks for."""
        best = max(compared, key=lambda c: c.score, default=None)
        if best is None or best.score < _LIFTED * self._best_score:
            return
        if best.parts.get("time"):  # only of that time, or asking: the value is elsewhere
            best = max(compared, key=lambda c: c.parts.get("vector", 0.0))
        floor = _LIFTED * best.score
        group = [best]
        self._gather(compared, best, floor, group)
        if len(group) > 1:
            self._gather(compared, max(group, key=_moment), floor, group)
            is_whether = asking.asks_whether(self._cue.text)
            doubtful = {c.node for c in group if is_whether and self._is_no_value(c)}
            group.sort(key=lambda c: (
                c.node in doubtful, c.node in self._coming, -c.text.moment, -c.node
            ))  # fmt: skip
            first = self._wanted(group)
            if first is not None and first.node not in earlier:
                best = first
        if best is not self._candidates[0]:
            best.move_to(self._candidates[0].score + BELOW)

    def _gather(
        self, compared: Sequence[Candidate], last: Candidate, floor: float, group: list[Candidate]
    ) -> None:
        """Add to a group what supersedes or replaced one of it, or the reverse, and what scores
        `floor` or more and probably states another value than `last`."""
        apart = {
            c.node: c for c in compared if c.score >= floor and c.text.moment != last.text.moment
        }
        signs = self._signs(last, [*apart.values()])
        found = [(c, {**signs[c.node], **self._answer_signs(c)}) for c in apart.values()]
        bonus = 0.0 if self._asked.wanted == "now" else _OTHER_VALUE
        likely = {c.node for c in stating(last, found, bonus)}
        for c in (c for c in compared if all(c is not known for known in group)):
            is_value = c.node in likely and not (self._is_of_others(c) or self._is_no_value(c))
            pairs = [pair for known in group for pair in ((c, known), (known, c))]
            is_changed = any(starmap(self._replaces, pairs)) and not self._is_other_thing(c)
            if is_value or is_changed or any(o.node in self._series_of(n) for n, o in pairs):
                group.append(c)

    def _is_no_value(self, c: Candidate) -> bool:
        """Whether a memory states nothing but guesses, wishes and unsure plans or, if the cue asks
        for what holds now, nothing but what is long over."""
        stated = statements(c.text.spans, c.text.speaker)
        is_guess = bool(stated) and not any(s.is_sure for s in stated)
        return is_guess or (self._asked.is_now and is_over(c.text.spans))

    def _answer_signs(self, c: Candidate) -> Signs:
        """The signs that a memory states what the cue asks for."""
        held = self._sought.keys() & _roots(c.exchange)
        return {
            "lacks": float(not asking.may_give_value(self._cue.text, c.content)),
            "answers": sum(self._sought[root] for root in held),
        }

    def _wanted(self, group: Sequence[Candidate]) -> Candidate | None:
        """Of memories of one attribute, the newest first, the one that the cue asks for; None if
        all are newer than the time that it names, about which they are no evidence."""
        asked = self._asked
        if asked.wanted == "first":
            return min(group, key=_moment)
        if asked.wanted == "before":
            if asked.since is not None:
                return next((c for c in group if c.text.moment < asked.since), group[-1])
            terms = asking.later_value_words(self._cue.text)
            if not terms:
                return group[1]
            named = max(group, key=lambda c: len(terms & _words_left(c)))
            return next((c for c in group if c.text.moment < named.text.moment), group[-1])
        if asked.until is not None:
            return next((c for c in group if c.text.moment <= asked.until), None)
        return group[0]

    # -- what fills a budget --------------------------------------------------------------------

    def rest(self, *, is_now: bool) -> tuple[list[Candidate], list[Candidate]]:
        """The best and the memories that may answer if it does not, the likeliest first, also those
        that share words only with the best and are newer (is_now) or older than it; and the first
        few newer ones of these."""
        best, *others = self._candidates
        likely = self._likely([*others[:_READ], *filter(_has_content, self._sharing(best))], is_now)
        further = (c for c in others[_READ:] if c.score >= LEAST_FILLING * best.score)
        rest = {c.node: c for c in (best, *(c for _, c in likely), *further)}
        return [*rest.values()], self._first_later(likely)

    def _later(self) -> list[Candidate]:
        """The newer ones of `rest` alone, so that the others need not be judged."""
        best, *others = self._candidates
        moment = best.text.moment
        newer = [c for c in others[:_READ] if c.text.moment > moment]
        found = self._sharing(best, self._least_later)
        sharing = (c for c in found if c.text.moment > moment and _has_content(c))
        return self._first_later(self._likely([*newer, *sharing], self._asked.is_now))

    def _likely(self, among: Iterable[Candidate], is_now: bool) -> list[Ranked]:
        """Those of some candidates that may answer if the first does not, the likeliest first."""
        best = self._candidates[0]
        pool = {c.node: c for c in among}
        weights = FILLING.words if self._source.nearest is None else FILLING.vectors
        first = self._candidates[1 : _READ + 1]
        places = {c.node: 1 / place for place, c in enumerate(first, 2)}
        moment_of_best = best.text.moment
        apart = [c for c in pool.values() if c.text.moment != moment_of_best
                 and (c.text.moment > moment_of_best) == is_now]  # fmt: skip
        signs = self._signs(best, apart)
        found: list[tuple[Candidate, Signs]] = []
        for c in pool.values():
            own = {"bias": 1.0, "score": self._share(c), "place": places.get(c.node, 0.0)}
            found.append((c, {**signs.get(c.node, {}), **own}))
        return likeliest(found, weights)

    def _first_later(self, likely: Sequence[Ranked]) -> list[Candidate]:
        """The first few of them that are newer than the best and may state the value now."""
        moment, cue = self._candidates[0].text.moment, self._cue.text
        later = (
            c
            for value, c in likely
            if value >= self._least_later
            and c.text.moment > moment
            and (self._reading(c).may_replace or asking.may_give_value(cue, c.content))
        )
        return [*islice(later, _MOST_LATER)]

    def _sharing(self, best: Candidate, least_sum: float = -inf) -> list[Candidate]:
        """The memories that share the rarest words of the best. least_sum: new ones whose signs
        cannot sum to so much may be left out, so that their texts need not be read."""
        index, frequency = self._source.index, self._source.frequency
        most = max(_RARE, self._documents // 20)
        shared = (word for word in _linking(_words_left(best)) if 1 < frequency(word) <= most)
        rarest = sorted(shared, key=lambda word: (frequency(word), word))[:_RARE_WORDS]
        if not rarest:
            return []
        holding = [index.find(word).nodes[-_COMMON:] for word in rarest]
        weights = np.repeat([1 / frequency(word) for word in rarest], [*map(len, holding)])
        nodes, sums = summed(np.concatenate(holding), weights)
        if len(nodes) > _RELATED:
            (kept,) = (sums >= least(sums, _RELATED)).nonzero()
            nodes = nodes[kept]
        rarities = np.zeros(len(nodes))
        for word, held in zip(rarest[::-1], holding[::-1], strict=True):  # the rarest last
            rarities[positions(nodes, held)] = 1 / frequency(word)
        nodes = nodes[self._most_summed(best, nodes, rarities) >= least_sum]
        return [c for c in self._read(nodes) if c.node != best.node]

    def _most_summed(
        self, best: Candidate, nodes: Nodes, rarities: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The most to which the signs of nodes can sum that share words of these rarities with the
        best; without bound for candidates, which have a score."""
        weights = FILLING.words if self._source.nearest is None else FILLING.vectors
        most = weights["word"] * rarities + sum(weights[name] for name in _BOUNDED) + _ROUNDING
        if self._source.nearest is not None:
            alike = self._source.nearest.alike(best.node, nodes.tolist())
            most += weights["alike"] * np.array(
                [max(0.0, alike.get(n, 0.0)) for n in nodes.tolist()]
            )
        known = np.fromiter((c.node for c in self._candidates), np.uint64)
        most[np.isin(nodes, known)] = inf
        return most

    # -- how likely -----------------------------------------------------------------------------

    def _signs(self, one: Candidate, others: Sequence[Candidate]) -> dict[int, Signs]:
        """Signs that `others` state the attribute of `one`: node → sign → 0–1."""
        alike: Mapping[int, float] = {}
        if self._source.nearest is not None:
            alike = self._source.nearest.alike(one.node, [c.node for c in others])
        whom = " ".join(key.rpartition("/")[2] for key in self._whom)
        if {*words(whom)} >= {*self._cue.asked}:  # "Who is my boss?"
            whom = ""
        linking, roots = _linking(_words_left(one)).difference(words(whom)), _roots(one.content)
        roots -= _roots(whom)
        found: dict[int, Signs] = {}
        for c in others:
            held = _linking(_words_left(c)).union(words(c.question))
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
        """The score of one as a share of the best, 0–1."""
        return min(1.0, c.score / (self._best_score or 1.0))

    def _rarity(self, root: str) -> float:
        """How rare a root is among the compared candidates, 0–1, as if there were `_COMPARED`."""
        if root not in self._rarities:
            share = log((1 + _COMPARED) / (1 + self._roots[root])) / log(1 + _COMPARED)
            self._rarities[root] = share
        return self._rarities[root]

    def _is_of_others(self, c: Candidate) -> bool:
        """Whether a memory is about others than those the cue asks about."""
        return (
            self._is_other_thing(c)
            or is_reversed(self._cue.text, c.content)
            or is_of_others(self._cue, c)
        )

    def _is_other_thing(self, c: Candidate) -> bool:
        """Whether it has, in the place of a word or number of the cue that the best hit has,
        another one."""
        cue = self._cue.text
        return bool(distinguishing_words((cue,), c.text.spans, is_asked=True)) or is_other(
            cue, self._about.content, c.content
        )

    def _whom_of(self, c: Candidate) -> frozenset[str]:
        """The keys of those whom the cue asks about, with "self" as the speaker of a memory."""
        return as_named_by(c, self._whom)

    def _is_coming(self, c: Candidate) -> bool:
        """Whether what a memory states begins after the time that the cue asks about."""
        begun = c.record.valid_from
        if begun is not None and begun > micros(self._source.now):
            return moment_in(self._source.now.tzinfo, begun).date() > self._asked_day()
        sentences = beginnings.may_begin(_sentences(c.text.spans))
        day = beginnings.begins(sentences, self._source.day(c.text)) if sentences else None
        return day is not None and day > self._asked_day()

    def _asked_day(self) -> date:
        """The day that the cue asks about: today, or the last coming day that it names."""
        if not self._cue.when and beginnings.asks_ahead(self._cue.text):
            return date.max
        today = self._source.now.date()
        return max([today, *(m.period.last for m in self._cue.when if not m.period.yearly)])


def stating(
    last: Candidate, found: Sequence[tuple[Candidate, Signs]], bonus: float = 0.0
) -> list[Candidate]:
    """Those of some candidates of another moment than `last` that state the same attribute, by
    their signs. bonus: other evidence for it, nat."""
    return [c for c, signs in found if summed_up(signs, NEWER) + bonus >= 0]


def summed_up(signs: Signs, weights: Signs) -> float:
    """The weighted sum of signs, as log-odds: what they are signs of is likely from 0 on."""
    return sum(weight * signs.get(name, 0.0) for name, weight in weights.items())


def likeliest(found: Sequence[tuple[Candidate, Signs]], weights: Signs) -> list[Ranked]:
    """Candidates with their sums, in the order in which they fill a budget: those with a sum of 0
    or more, and those that score high enough."""
    sums = [(summed_up(signs, weights), c, signs["score"]) for c, signs in found]
    kept = [(value, c) for value, c, score in sums if value >= 0 or score >= LEAST_FILLING]
    return sorted(kept, key=lambda pair: (-pair[0], pair[1].node))


def _has_content(c: Candidate) -> bool:
    return not (is_empty(c.text.text) or is_reply(c.text.spans))


def _moment(c: Candidate) -> tuple[int, int]:
    """When a candidate happened, or else was remembered, and its id to break ties."""
    return c.text.moment, c.node


def relevance(c: Candidate) -> float:
    """How well a candidate matches the cue, however new or much used it is."""
    return c.score - sum(c.parts.get(part, 0.0) for part in _UNRELATED)


@lru_cache(1 << 13)
def _sentences(spans: tuple[str, ...]) -> tuple[str, ...]:
    """The first eight sentences of a memory, each with the punctuation that ends it."""
    return tuple(text for span in spans[:8] if (text := span.strip()))


def _words_left(c: Candidate) -> frozenset[str]:
    return words_left(c.text.spans) or frozenset(c.text.words)


@lru_cache(1 << 13)
def _linking(held: frozenset[str]) -> frozenset[str]:
    """Those of some index words that `links` accepts."""
    return frozenset(filter(relates, held))


@lru_cache(1 << 13)
def _roots(text: str) -> frozenset[str]:
    """The Chinese characters of a text and the first letters of its other words: "electric" and
    "electricity" have one root, 林老师 and 林教授 share one."""
    return frozenset(found[:_ROOT] for found in _ROOTS.findall(text.lower()))


@lru_cache(1 << 13)
def relates(word: str) -> bool:
    """Whether two memories that share an index word are related: it is no number, no particle and
    no word of time or change."""
    return not (
        word[0].isdigit()
        or is_grammar(word)
        or not FUNCTION_CHARACTERS.isdisjoint(word)
        or _HAN_NUMERALS.issuperset(word)
    )
