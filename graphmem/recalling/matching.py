"""Matching: the index words by which a cue is looked up, and the nodes that hold them.

BM25 ranks the nodes. The days that a cue names count as words: those of a memory are in the index.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphmem.index.words.index import EITHER, Matches
from graphmem.index.words.postings import FEWEST, distinct, least, summed
from graphmem.index.words.records import characters
from graphmem.recalling import days, figures, names, spelling, synonyms
from graphmem.recalling.candidates import Source, allowed, ids_of
from graphmem.recalling.cue import Cue
from graphmem.recalling.identifiers import completed
from graphmem.recalling.question import Filter
from graphmem_worker.claims.statements import attribute_words
from graphmem_worker.text import markers
from graphmem_worker.text.words import signs, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CUE_DAYS: Final = 31  # days that a cue names and that are looked up
_UNDATED: Final = 256  # newest memories without `happened` of these days that are read
_CORRECTED: Final = 12  # words of the longest cue that is spell-checked: each takes 300 look-ups
_CHARACTER: Final = 0.4  # weight of a Chinese character, beside the pairs that it is part of
_VERB: Final = 0.3  # weight of a word that states an attribute, in a memory of hardly any notes
_ASIDE: Final = 0.5  # weight of a word of a turn outside its questions
_DAY_SHARE: Final = 0.5  # weight of the day of a node


class Match(NamedTuple):
    """The nodes that match a cue by words and days."""

    shares: dict[int, float]
    """Node → its BM25 as a share of the best."""
    covered: float
    """The best BM25 for the cue's questions, divided by that of a text of average length with every
    word once; at most 1."""
    of_day: list[int]
    """Those of the day that the cue names, if it names one or two."""


def matching(
    source: Source, cue: Cue, only: Filter, asked: Mapping[str, float], reach: int
) -> Match:
    """The best nodes that hold words of the cue or are of a day that it names, and all of these
    that the filter names. asked: see `asked_words`. reach: how many are to be ranked."""
    most = max(2 * reach, source.knobs.entry_nodes)
    found = _search(source, asked, None if cue.when or only.among is not None else most)
    nodes, scores, of_day = found.nodes, found.scores, np.zeros(0, np.uint64)
    if cue.when:
        today = source.now.date()
        named = [day for mention in cue.when for day in mention.period.days(today, _CUE_DAYS)]
        dates = [day.isoformat() for day in named[:_CUE_DAYS]]
        dated = _search(source, dict.fromkeys(dates, _DAY_SHARE), None)
        about = days.naming_nearby(source.view, source.index, cue.when, source.now)
        naming = [days.sharing_forms(source.index, cue.when), about]
        own = [dated.nodes, about] if cue.is_sharp else []
        for mention in cue.when:
            if mention.period.length <= _CUE_DAYS:
                period = mention.period.dated(today)
                undated = days.remembered_in(source.view, period, source.now, _UNDATED)
                naming.append(undated)
                own += [undated] if cue.is_sharp else []
        of_day = np.concatenate((of_day, *own))
        others = distinct(naming)
        share = _DAY_SHARE * log(1 + source.view.state.documents / (1 + len(others)))
        each = np.concatenate((nodes, dated.nodes, others))
        all_scores = (scores, dated.scores, np.full(len(others), share, np.float32))
        kept_most = None if only.among is not None else most
        nodes, sums = summed(each, np.concatenate(all_scores), kept_most)
        scores = sums.astype(np.float32)
    if not len(nodes):
        return Match({}, 0.0, [])
    kept = _largest(scores, most)
    if only.among is not None:
        kept = np.union1d(kept, np.flatnonzero(np.isin(nodes, ids_of(only.among))))
    shares = (scores[kept] / scores.max()).tolist()
    if (questions := cue.question) is not cue:  # the rest of the turn asks for nothing
        found = _search(source, asked_words(source, questions), most)
    best = found.scores
    if only.among is not None or only.without:
        best = best[np.isin(found.nodes, allowed(found.nodes, only))]
    covered = float(best.max(initial=0.0)) / found.whole if found.whole else 0.0
    by_node = dict(zip(nodes[kept].tolist(), shares, strict=True))
    return Match(by_node, min(1.0, covered), of_day.tolist())


def asked_words(source: Source, cue: Cue) -> dict[str, float]:
    """The index words that are looked up for a cue → their weights.

    Names are looked up also in the other script, and only there if no memory holds them; numbers
    also in other figures or numerals; mistyped words corrected; Chinese also by single characters,
    for 猫吃什么 asks for 猫吃, which hardly any text has. A word that asks for an attribute and the
    attribute's own marker are one. In a small memory, where "take" may be rare, the words of an
    attribute weigh less than its subject. Without vectors, synonyms stand for unknown words.
    """
    frequency = source.frequency
    asked = {word: _ASIDE if word in cue.aside else 1.0 for word in cue.asked}
    for attribute, phrase in markers.asked_markers(cue.text).items():
        if frequency(attribute):
            last = [word for word in words(phrase)[-1:] if asked.pop(word, None)]
            asked[EITHER.join((*last, attribute))] = 1.0
    asked = dict.fromkeys(filter(frequency, signs(cue.text)), _CHARACTER) | asked
    verbs = asked.keys() & attribute_words(cue.text)
    if verbs and verbs != asked.keys():
        size = min(1.0, source.view.state.documents / FEWEST)
        weight = _VERB + (1 - _VERB) * size
        asked |= {word: asked[word] * weight for word in verbs}
    for typed, held in names.written(cue.content, frequency).items():
        if not frequency(typed):
            asked.pop(typed, None)
        asked |= dict.fromkeys(held, 1.0)
    naming = {word for called in cue.called for word in called.words}
    asked = {word: weight for word, weight in asked.items() if word not in naming}
    asked |= {called.term: 1.0 for called in cue.called}
    asked = figures.written(cue.content, frequency) | asked
    if source.nearest is None:
        asked = synonyms.known(cue, asked, frequency, source.index.ending_in) | asked
    is_known = any(map(frequency, asked))  # if not, a long cue is corrected too
    if len(cue.asked) <= _CORRECTED or not is_known:
        corrected = spelling.corrected(cue.content, frequency, begins_with_name=is_known)
        if any(corrected.values()):
            left = {word: weight for word, weight in asked.items() if word not in corrected}
            asked = left | dict.fromkeys(filter(None, corrected.values()), 1.0)
    if source.index.has_characters:
        main = [word for word in cue.asked if word not in cue.aside | naming]
        asked = dict.fromkeys(characters(main), _CHARACTER) | asked
        asked = dict.fromkeys(characters(cue.aside), _CHARACTER * _ASIDE) | asked
    return completed(asked, frequency, source.index.beginning_with)


def _search(source: Source, weights: Mapping[str, float], most: int | None) -> Matches:
    state, knobs = source.view.state, source.knobs
    return source.index.search(
        weights, state.documents, state.words, k1=knobs.bm25_k1, b=knobs.bm25_b, most=most
    )


def _largest(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The places of the `count` largest scores, ascending; of equal ones the first."""
    if len(scores) <= count:
        return np.arange(len(scores))
    floor = least(scores, count)
    (better,) = (scores > floor).nonzero()
    (equal,) = (scores == floor).nonzero()
    return np.sort(np.concatenate((better, equal[: count - len(better)])))
