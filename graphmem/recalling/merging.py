"""Merging: the recalls of a scope and of its parents, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from operator import attrgetter
from typing import Final

from graphmem.graph.relations import SYSTEM
from graphmem.recalling.asking import limits
from graphmem.recalling.candidates import BELOW
from graphmem.recalling.cut import LEAST_SHOWN
from graphmem.recalling.question import Question
from graphmem.values.hits import Hit
from graphmem.values.nodes import Node
from graphmem.values.recall import Recall
from graphmem.values.rendering import identity

_NEVER: Final = date.max.toordinal() + 1  # the day of a hit that names no coming day


def merged(question: Question, own: Recall, others: Sequence[tuple[str, Recall]]) -> Recall:
    """The best hits of `own` and of `others`, which are (name of the scope, its recall).

    In each recall the best match scores about 1, however little of the cue it answers. So scores
    and parts are multiplied by the recall's `answered`, as a share of the highest `answered`. The
    hits of other scopes pass the cut against the best of all; their paths, and the reminders of
    their recalls, are left out.
    """
    others = [(name, found) for name, found in others if len(found)]
    if not others:
        return own
    scopes = tuple(name for name, _ in others)
    surest = max(found.answered for found in (own, *(found for _, found in others)))
    hits = _weighed(own, surest)
    further = list(own._further)
    earlier = list(own._layout.earlier)
    beside = list(own._layout.beside)
    in_order = own._layout.in_order or any(found._layout.in_order for _, found in others)
    weighed = [_weighed(found, surest) for _, found in others]
    if question.cut and question.mode == "activation" and not in_order:
        weighed = _shown(hits, weighed, 1 - 10 * BELOW if question.strict else LEAST_SHOWN)
    for (name, found), kept in zip(others, weighed, strict=True):
        hits += [replace(hit, node=replace(hit.node, scope=name), path=()) for hit in kept]
        nodes = (*(hit.node for hit in found), *found._further)
        known = {node.id: identity(replace(node, scope=name), scopes) for node in nodes}
        earlier += [known[node] for node in found._layout.earlier if node in known]
        beside += [
            (known[node], tuple(known[other] for other in shown_with if other in known))
            for node, shown_with in found._layout.beside
        ]
        if len(kept) == len(found):  # else the nodes behind the hits score too little
            further += [replace(node, scope=name) for node in found._further]
    coming = {
        (name, hit.id): day
        for name, found in (("", own), *others)
        for hit, day in zip(found, found._layout.ahead, strict=False)
    }
    if in_order:  # a cue that names days: hits with equal scores in the order of time
        hits.sort(key=attrgetter("happened"))
    hits.sort(key=lambda hit: -hit.score)
    days = [coming.get((hit.node.scope, hit.id), _NEVER) for hit in hits]
    order = sorted(range(len(hits)), key=days.__getitem__)
    hits, days = [hits[place] for place in order], sorted(days)
    behind: list[Node] = []
    if question.tokens is not None:
        behind = [*(hit.node for hit in hits[question.limit :]), *further]
    layout = replace(
        own._layout,
        scopes=scopes,
        earlier=tuple(earlier),
        beside=tuple(beside),
        in_order=in_order,
        ahead=tuple(day for day in days[: question.limit] if day != _NEVER),
        limits=limits(),
        sought=own._layout.sought or others[0][1]._layout.sought,
    )
    made = Recall(
        own.cue, hits[: question.limit], behind, own.dangling, question.tokens, question.counter,
        own.trace, layout, surest,
    )  # fmt: skip
    made.themes, made.expanded_levels = own.themes, own.expanded_levels
    notes = (note for found in (own, *(found for _, found in others)) for note in found.noted)
    made.noted = tuple(dict.fromkeys(notes))
    return made


def _weighed(found: Recall, surest: float) -> list[Hit]:
    share = found.answered / surest if surest else 1.0
    if share == 1.0:
        return list(found)
    return [
        replace(
            hit,
            score=hit.score * share,
            parts={name: value * share for name, value in hit.parts.items()},
        )
        for hit in found
    ]


def _shown(own: Sequence[Hit], others: Sequence[list[Hit]], least: float) -> list[list[Hit]]:
    """Those of the others' hits that score at least `least` times the best of all, or were reached
    over a relation of the user's own."""
    floor = least * max(hit.score for hit in (*own, *chain.from_iterable(others)))
    return [
        [h for h in found if h.score >= floor or any(k.relation not in SYSTEM for k in h.path)]
        for found in others
    ]
