"""Worth: the worth of sentences, and when a node next fades (docs/forgetting.md)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Final

from graphmem.graph import strength
from graphmem.graph.records import NodeRecord, TextRecord, density
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem.values.nodes import Form
from graphmem_worker.text.selection import leaning, together, turned
from graphmem_worker.text.trivial import trivial
from graphmem_worker.text.words import script

STAYS: Final = 1 / 3  # importance × worth from which a sentence stays
FORGOTTEN: Final = 0.25  # importance × worth below which a gist is forgotten
ASK_AGAIN: Final = 8  # passes until a node that may not change is looked at again
RANKED: Final = 1 << 62  # numbers of the due index from here on are ranks, lower ones passes
TRIVIAL, REPLACED, BY_WORTH = range(3)
# The bounds of the bands of worth: 3 % each, as much as a pass of the default decay is.
_BANDS: Final[list[float]] = [1e-8 * 0.97**-step for step in range(1000)]
_LINK_BYTES, _NODE_BYTES, _NAME_BYTES = 50, 112, 29  # of keys and values, see docs/format.md
_CACHED_TEXTS: Final = 4096
_FIRST_STEP: Final = 1 / 20  # nat; the running median's first step
_LAST_STEP: Final = 1 / 500  # nat; its smallest, so that it follows a memory that changes
# Logarithms of the median density, where the running one begins: of data/journal.en.jsonl, and 0.15
# more, by which notes told in both languages are denser in Chinese.
_PRIOR: Final = {"latin": 1.66, "cjk": 1.81}


def observe(state: ScopeState, text: TextRecord) -> None:
    """Update the running median of each script by the sentences of a text: a stochastic
    approximation (Robbins & Monro 1951), in logarithms, by steps of 1/(20 + n) nat after n
    sentences and at least 1/500."""
    for span, salience in zip(text.spans, text.saliences, strict=False):
        cjk = script(span) == "cjk"
        seen = state.cjk_seen if cjk else state.latin_seen
        if seen:
            median = state.cjk_density if cjk else state.latin_density
        else:
            median = _PRIOR["cjk" if cjk else "latin"]
        step = max(_LAST_STEP, 1 / (1 / _FIRST_STEP + seen))
        median += math.copysign(step, math.log(max(density(salience, span), 1e-9)) - median)
        if cjk:
            state.cjk_seen, state.cjk_density = seen + 1, median
        else:
            state.latin_seen, state.latin_density = seen + 1, median


def _medians(state: ScopeState) -> tuple[float, float]:
    """The median densities for Latin script, and for Chinese and Japanese: those of `_PRIOR`, moved
    by how much denser the sentences of the memory are, in the mean over both scripts. If each
    script were measured by itself, half of the sentences in one language would be below its
    median, and fade before the chatter in another."""
    denser = state.latin_seen * (state.latin_density - _PRIOR["latin"])
    denser += state.cjk_seen * (state.cjk_density - _PRIOR["cjk"])
    denser /= max(1, state.latin_seen + state.cjk_seen)
    return math.exp(_PRIOR["latin"] + denser), math.exp(_PRIOR["cjk"] + denser)


def median(state: ScopeState, text: str) -> float:
    """The median density for the script of `text`."""
    return _medians(state)[script(text) == "cjk"]


def worths(state: ScopeState, text: TextRecord) -> list[float]:
    """The worth of each sentence; of a gist, the worth of the best sentence dropped last.

    All items of a list have the mean of their worths; a question and its short answer the greater
    of the two. A sentence that depends on another and is worth more gives both the mean. A sentence
    that reverses or takes back another is worth at least as much.
    """
    spans = text.spans
    if not spans:
        return [text.last_density / median(state, text.phrase)]
    latin, cjk = _medians(state)
    found = [
        value / (cjk if is_cjk else latin) for value, is_cjk in _densities(spans, text.saliences)
    ]
    if len(spans) == 1:
        return found
    for group in together(spans):
        part = found[group.first : group.last + 1]
        value = max(part) if group.kind == "answer" else sum(part) / len(part)
        found[group.first : group.last + 1] = [value] * len(part)
    for place, later in leaning(spans):
        if found[later] > found[place]:
            found[place] = found[later] = (found[place] + found[later]) / 2
    for place, later in sorted(turned(spans), key=itemgetter(1)):
        found[later] = max(found[later], found[place])
    return found


@lru_cache(_CACHED_TEXTS)
def _densities(
    spans: tuple[str, ...], saliences: tuple[float, ...]
) -> tuple[tuple[float, bool], ...]:
    """The density of each sentence, and whether it is Chinese or Japanese."""
    return tuple(
        (density(salience, span), script(span) == "cjk")
        for span, salience in zip(spans, saliences, strict=False)
    )


@lru_cache(_CACHED_TEXTS)
def _is_trivial(spans: tuple[str, ...]) -> bool:
    return trivial("".join(spans).strip()) is not None


def due(
    scope: Scope,
    state: ScopeState,
    text: TextRecord,
    node: NodeRecord,
    importance: float,
    grace: int,
    held: Callable[[str], object] | None = None,
) -> int:
    """The node's number in the due index: in a scope that fades, the pass after the present one at
    which it next changes if nothing strengthens it; where forgetting waits for lack of room, its
    `rank`. Sentences that are `held` do not fade; if all are, it is due in `ASK_AGAIN` passes."""
    if not scope.fades:
        return rank(state, text, node, overhead(state))
    falling = worths(state, text)
    if held is not None and text.spans:
        falling = [w for w, span in zip(falling, text.spans, strict=True) if not held(span)]
        if not falling:
            return max(state.passes + ASK_AGAIN, node.born + grace)
    least = min(falling)
    left = strength.passes_until(importance * least, threshold(text.form), scope.decay)
    return max(state.passes + max(1, left), node.born + grace)


# -- the order in which room is made ------------------------------------------------------------


def overhead(state: ScopeState) -> float:
    """The mean size of a node's links, keywords and records, in equivalent bytes of text (a byte
    of text takes more than one on disk, because words are indexed)."""
    names = state.keywords + state.sessions
    beside = state.links * _LINK_BYTES + state.nodes * _NODE_BYTES + names * _NAME_BYTES
    indexed = max(state.text_bytes, state.memory_bytes - beside)
    return beside / max(1, state.nodes) * state.text_bytes / max(1, indexed)


def standing(text: TextRecord, values: Sequence[float], overhead: float) -> float:
    """The worth of a node relative to the room that it takes: the density of its text times the
    root of the text's share of the node's bytes. A gist counts a third more. values: its `worths`.
    overhead: see `overhead`."""
    sizes = [max(1, len(span.strip())) for span in text.spans] or [max(1, len(text.phrase))]
    total = sum(value * math.sqrt(size) for value, size in zip(values, sizes, strict=True))
    density: float = total / math.sqrt(sum(sizes))
    if text.form is Form.GIST:
        density *= STAYS / FORGOTTEN
    return density * math.sqrt(text.size / max(1.0, text.size + overhead))


def pressed(state: ScopeState, text: TextRecord, rank: int, overhead: float) -> float:
    """The importance with which to shorten a node when its rank is reached, such that sentences
    worth less than the rank's level are dropped; 0 if the whole node goes first."""
    if kind_of(rank) != BY_WORTH or text.form is Form.GIST:
        return 0.0
    # Without an overhead a single sentence is worth as much as its node, and is dropped first.
    found = worths(state, text)
    is_whole = standing(text, found, overhead) < 0.999 * min(found)
    return 0.0 if is_whole else STAYS / level(rank)


def rank(
    state: ScopeState,
    text: TextRecord,
    node: NodeRecord,
    overhead: float,
    held: Callable[[str], object] | None = None,
) -> int:
    """A node's place in the order in which room is made, the lowest first: trivial nodes, replaced
    ones, the others by the worth of the part that they would lose next; of equal worth, the one
    remembered or used longest ago, then the one used least. Sentences that are `held` are ignored.
    """
    if node.valid_to is not None:
        kind, value = REPLACED, 0.0
    elif text.spans and _is_trivial(text.spans):
        kind, value = TRIVIAL, 0.0
    else:
        kind, value = BY_WORTH, _next_to_fall(state, text, overhead, held)
    band = bisect_right(_BANDS, value)
    seen = min(max(node.born, node.last_use), (1 << 32) - 1)
    return RANKED + (kind << 56 | band << 40 | seen << 8 | min(node.uses, 255))


def _next_to_fall(
    state: ScopeState, text: TextRecord, overhead: float, held: Callable[[str], object] | None
) -> float:
    found = worths(state, text)
    if not text.spans:
        return standing(text, found, overhead)
    if held is None:
        return min(standing(text, found, overhead), *found)
    loose = (value for value, span in zip(found, text.spans, strict=True) if not held(span))
    return min(loose, default=math.inf)


def is_ranked(due: int) -> bool:
    """True if a number of the due index is a rank, not a pass."""
    return due >= RANKED


def kind_of(rank: int) -> int:
    """TRIVIAL, REPLACED or BY_WORTH."""
    return rank >> 56 & 0xF


def level(rank: int) -> float:
    """The worth below which a node with this rank loses parts: the upper bound of its band."""
    return _BANDS[min(rank >> 40 & 0xFFFF, len(_BANDS) - 1)]


def after(rank: int) -> int:
    """The rank at which the gist of a node would go, given the rank of its sentence: for a node
    that is forgotten without a gist."""
    band = bisect_right(_BANDS, level(rank) * STAYS / FORGOTTEN)
    return rank & ~(0xFFFF << 40) | band << 40


def first_rank(kind: int) -> int:
    """The lowest rank of a kind."""
    return RANKED + (kind << 56)


def threshold(form: Form) -> float:
    """Importance × worth from which a form stays."""
    return FORGOTTEN if form is Form.GIST else STAYS
