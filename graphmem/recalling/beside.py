"""Beside: what is told with a memory that is not understood without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from graphmem.graph.relations import SEGMENT_CODE
from graphmem.graph.view import View
from graphmem.recalling.candidates import Candidate, Source
from graphmem.recalling.question import Filter
from graphmem_worker.text.clauses import is_open, speaks_of_another

Beside: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]


def beside(
    source: Source, hits: Sequence[Candidate], behind: Sequence[Candidate], only: Filter
) -> tuple[list[Candidate], Beside]:
    """What may be told behind the hits, and which of it, and of them, is told with which other, as
    of `Telling.beside`: what introduces a list with the list, and what speaks by a pronoun of
    somebody or something with what was said before it in the session."""
    ids = {c.node for c in hits}
    told = {c.node: c for c in (*hits, *behind)}
    around = {node + step for node in told for step in (-1, 1)} - {0, *told}
    read = {c.node: c for c in source.read(np.array(sorted(around), np.uint64), only)}
    known = told | read
    found = {node: [*_needed(source.view, c, known)] for node, c in told.items()}
    for node in told:
        for other in found[node]:
            if other in read:  # it is told for the sake of that one
                found.setdefault(other, [node])
    needed = (c for node, c in read.items() if node in found)
    further = {c.node: c for c in (*behind, *needed) if c.node not in ids}
    pairs = tuple((node, tuple(others)) for node, others in found.items() if others)
    return [*further.values()], pairs


def _needed(view: View, c: Candidate, known: Mapping[int, Candidate]) -> Iterator[int]:
    """Those of the known ones without which a memory is not understood."""
    before, after = known.get(c.node - 1), known.get(c.node + 1)
    if before is not None and (
        (is_open(before.said) and _are_of_text(view, before, c))
        or (_are_of_session(before, c) and speaks_of_another(c.said))
    ):
        yield before.node
    if after is not None and is_open(c.said) and _are_of_text(view, c, after):
        yield after.node


def _are_of_session(one: Candidate, other: Candidate) -> bool:
    return one.text.session is not None and one.text.session == other.text.session


def _are_of_text(view: View, one: Candidate, other: Candidate) -> bool:
    return other.node in view.targets(one.node, SEGMENT_CODE)
