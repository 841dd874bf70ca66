"""Worth: what a sentence is worth keeping, and when a node next changes by itself.

worth = density / median density of the memory, by script, so that Chinese and English sentences
are measured alike. A sentence stays while importance × worth ≥ ⅓; when none is left, the gist stays
while importance × (worth of the best sentence dropped last) ≥ ¼ (docs/memory.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from graphmem.graph import strength
from graphmem.graph.records import NodeRecord, TextRecord, density
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem.values.nodes import Form
from graphmem_worker.text.selection import together
from graphmem_worker.text.words import script

STAYS: Final = 1 / 3  # importance × worth from which a sentence stays
FORGOTTEN: Final = 0.25  # importance × worth below which a gist is forgotten
ASK_AGAIN: Final = 8  # passes until a node that may not change is looked at again
_FIRST_STEP: Final = 1 / 20  # nat; the running median's first step
_LAST_STEP: Final = 1 / 500  # nat; its smallest, so that it follows a memory that changes
# Logarithms of the median density in data/journal.*.jsonl: where the running median begins.
_PRIOR: Final = {"latin": 1.66, "cjk": 1.93}


def observe(state: ScopeState, text: TextRecord) -> None:
    """Let the sentences of a text move the running median of their script.

    Stochastic approximation of a median (Robbins & Monro 1951), in logarithms: each sentence moves
    it by one step up or down, of 1/(20 + n) nat after n sentences and at least 1/500.
    """
    for span, salience in zip(text.spans, text.saliences, strict=False):
        cjk = script(span) == "cjk"
        seen = state.cjk_seen if cjk else state.latin_seen
        median = _log_median(state, cjk)
        step = max(_LAST_STEP, 1 / (1 / _FIRST_STEP + seen))
        median += math.copysign(step, math.log(max(density(salience, span), 1e-9)) - median)
        if cjk:
            state.cjk_seen, state.cjk_density = seen + 1, median
        else:
            state.latin_seen, state.latin_density = seen + 1, median


def _log_median(state: ScopeState, cjk: bool) -> float:
    if cjk:
        return state.cjk_density if state.cjk_seen else _PRIOR["cjk"]
    return state.latin_density if state.latin_seen else _PRIOR["latin"]


def median(state: ScopeState, text: str) -> float:
    """The median density for the script of `text`."""
    return math.exp(_log_median(state, script(text) == "cjk"))


def worths(state: ScopeState, text: TextRecord) -> list[float]:
    """The worth of each sentence; of a gist, the worth of the best sentence dropped last.

    A list stays or goes as a whole, by the mean of its items, a question with its short answer by
    the better of the two.
    """
    spans = text.spans
    if not spans:
        return [text.last_density / median(state, text.phrase)]
    latin, cjk = math.exp(_log_median(state, False)), math.exp(_log_median(state, True))
    found = [
        density(salience, span) / (cjk if script(span) == "cjk" else latin)
        for span, salience in zip(spans, text.saliences, strict=False)
    ]
    for group in together(spans):
        part = found[group.first : group.last + 1]
        value = max(part) if group.kind == "answer" else sum(part) / len(part)
        found[group.first : group.last + 1] = [value] * len(part)
    return found


def due(
    scope: Scope,
    state: ScopeState,
    text: TextRecord,
    node: NodeRecord,
    importance: float,
    grace: int,
    held: Callable[[str], object] | None = None,
) -> int:
    """The pass at which the node next changes if nothing strengthens it, after the present one.

    Sentences that are `held` do not fade; where nothing else is left, the node is looked at again
    after `ASK_AGAIN` passes.
    """
    falling = worths(state, text)
    if held is not None and text.spans:
        falling = [w for w, span in zip(falling, text.spans, strict=True) if not held(span)]
        if not falling:
            return max(state.passes + ASK_AGAIN, node.born + grace)
    least = min(falling)
    left = strength.passes_until(importance * least, threshold(text.form), scope.decay)
    return max(state.passes + max(1, left), node.born + grace)


def threshold(form: Form) -> float:
    """Importance × worth from which a form stays."""
    return FORGOTTEN if form is Form.GIST else STAYS
