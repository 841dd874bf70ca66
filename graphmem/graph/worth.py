"""Worth: what a sentence is worth keeping, and when a node next changes by itself.

worth = density / median density of the memory, by script, so that Chinese and English sentences
are measured alike. A sentence stays while importance × worth ≥ ⅓; when none is left, the gist stays
while importance × (worth of the best sentence dropped last) ≥ ¼ (docs/memory.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from graphmem.graph import strength
from graphmem.graph.records import Form, NodeRecord, Sentence, TextRecord
from graphmem.graph.view import Link
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem_worker.words import script

STAYS: Final = 1 / 3  # importance × worth from which a sentence stays
FORGOTTEN: Final = 0.25  # importance × worth below which a gist is forgotten
_FIRST_STEP: Final = 1 / 20  # nat; the running median's first step
_LAST_STEP: Final = 1 / 500  # nat; its smallest, so that it follows a memory that changes
_SHOWN: Final = 60  # characters of a sentence in an explanation
# Logarithms of the median density in data/journal.*.jsonl: where the running median begins.
_PRIOR: Final = {"latin": 1.66, "cjk": 1.93}


@dataclass(frozen=True, slots=True)
class SentenceWorth:
    """Why one sentence is worth what it is worth."""

    text: str
    salience: float  # nat; as it was scored
    parts: tuple[tuple[str, float], ...]  # what it is made of; they add up to it
    characters: int
    density: float  # salience / √characters
    median: float  # of the memory's densities, in the script of the sentence
    worth: float  # density / median; it stays while importance × worth ≥ ⅓

    def __str__(self) -> str:
        made = " ".join(f"{name} {value:+.1f}" for name, value in self.parts)
        return (
            f"{self.worth:.2f} = {self.salience:.1f} / √{self.characters} / {self.median:.2f}  "
            f"{shown(self.text)}  ({made})"
        )


@dataclass(frozen=True, slots=True)
class Cut:
    """What a node loses next if no link of it is made stronger and the median stays."""

    passes: int  # the pass, by the scope's counter
    form: Form | None  # what it then is; None: forgotten
    lost: tuple[str, ...]  # the sentences that go; of a gist its phrase
    kept: tuple[str, ...]  # what takes their place: clauses, or the phrase of the gist

    def __str__(self) -> str:
        if self.form is None:
            return f"at pass {self.passes} it is forgotten"
        left = f", leaving {' / '.join(map(shown, self.kept))}" if self.kept else ""
        return f"at pass {self.passes} goes: {' / '.join(map(shown, self.lost))}{left}"


@dataclass(frozen=True, slots=True)
class Worth:
    """Why a node is worth keeping, and what of it would go next."""

    node: int
    form: Form
    passes: int  # the scope's pass counter
    sentences: tuple[SentenceWorth, ...]  # of a gist, none
    gist: float | None  # of a gist: the worth of the best sentence dropped last
    importance: float  # 0–4
    links: tuple[Link, ...]  # those that make the importance: the four strongest at most
    kept: str | None  # why it is never cut: "pinned", "in focus"; None if it is
    next: Cut | None  # None while it is pinned or in focus

    def __repr__(self) -> str:
        worths = ", ".join(f"{s.worth:.2f}" for s in self.sentences) or f"{self.gist:.2f}"
        then = self.kept if self.next is None else f"next cut at pass {self.next.passes}"
        return f"<Worth of node {self.node}: {self.importance:.2f} × ({worths}), {then}>"

    def __str__(self) -> str:
        made = ", ".join(f"{k.relation} → {k.target} {k.strength:.2f}" for k in self.links)
        lines = [
            f"node {self.node}, {self.form}, at pass {self.passes}",
            f"importance {self.importance:.2f}" + (f" = {made}" if made else ": no links"),
            *map(str, self.sentences),
        ]
        if self.gist is not None:
            lines.append(f"{self.gist:.2f} is the worth of the best sentence that it lost")
        lines.append(f"next: {self.next}" if self.kept is None else f"kept whole: {self.kept}")
        return "\n".join(lines)


def observe(state: ScopeState, sentences: tuple[Sentence, ...]) -> None:
    """Let sentences move the running median of their script.

    Stochastic approximation of a median (Robbins & Monro 1951), in logarithms: each sentence moves
    it by one step up or down, of 1/(20 + n) nat after n sentences and at least 1/500.
    """
    for sentence in sentences:
        cjk = script(sentence.text) == "cjk"
        seen = state.cjk_seen if cjk else state.latin_seen
        median = _log_median(state, cjk)
        step = max(_LAST_STEP, 1 / (1 / _FIRST_STEP + seen))
        median += math.copysign(step, math.log(max(sentence.density, 1e-9)) - median)
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
    """The worth of each sentence; of a gist, the worth of the best sentence dropped last."""
    latin, cjk = (math.exp(_log_median(state, script)) for script in (False, True))
    if not text.sentences:
        return [text.last_density / (cjk if script(text.phrase) == "cjk" else latin)]
    return [s.density / (cjk if script(s.text) == "cjk" else latin) for s in text.sentences]


def due(
    scope: Scope,
    state: ScopeState,
    text: TextRecord,
    node: NodeRecord,
    importance: float,
    grace: int,
) -> int:
    """The pass at which the node next changes if nothing strengthens it, after the present one."""
    least = min(worths(state, text))
    left = strength.passes_until(importance * least, threshold(text.form), scope.decay)
    return max(state.passes + max(1, left), node.born + grace)


def shown(text: str) -> str:
    """A text in quotes, cut to what fits a line."""
    bare = " ".join(text.split())
    return f"“{bare if len(bare) <= _SHOWN else bare[: _SHOWN - 1] + '…'}”"


def threshold(form: Form) -> float:
    """Importance × worth from which a form stays."""
    return FORGOTTEN if form is Form.GIST else STAYS
