"""Beside: what is told with a memory that is not understood without it, and what replied to one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import dropwhile, takewhile
from typing import Final, TypeAlias

import numpy as np

from graphmem.graph.exchanges import answers
from graphmem.graph.relations import SEGMENT_CODE
from graphmem.graph.view import View
from graphmem.recalling.asking import asks_what_you_said
from graphmem.recalling.candidates import (
    BELOW,
    Candidate,
    Source,
    ends_asking,
    is_empty,
    is_reply,
)
from graphmem.recalling.question import Filter
from graphmem_worker.language.lists import listed
from graphmem_worker.text.clauses import is_open, speaks_of_another

Beside: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
_REPLY: Final = 16  # memories behind a request among which its reply begins


def beside(
    source: Source, hits: Sequence[Candidate], behind: Sequence[Candidate], only: Filter
) -> tuple[list[Candidate], Beside]:
    """What may be told behind the hits, and which of it, and of them, is told with which other, as
    of `Telling.beside`: what introduces a list with the list, what speaks by a pronoun of somebody
    or something with what was said before it in the session, and what asks something with a short
    reply. What stands before and behind the best hit in its text, and the question that it answers,
    come last."""
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
    goes_on = (c for best in hits[:1] for c in _going_on(source.view, best, known))
    further = {c.node: c for c in (*behind, *needed, *goes_on) if c.node not in ids}
    pairs = tuple((node, tuple(others)) for node, others in found.items() if others)
    return [*further.values()], pairs


def _needed(view: View, c: Candidate, known: Mapping[int, Candidate]) -> Iterator[int]:
    """Those of the known ones without which a memory is not understood."""
    before, after = known.get(c.node - 1), known.get(c.node + 1)
    if before is not None and (
        (_are_of_text(view, before, c) and is_open(before.content))
        or (_are_of_session(before, c) and _leans(c.content))
    ):
        yield before.node
    if after is not None and (
        (_are_of_text(view, c, after) and is_open(c.content)) or answers(c.text, after.text)
    ):
        yield after.node


def _going_on(view: View, c: Candidate, known: Mapping[int, Candidate]) -> Iterator[Candidate]:
    """What stands before a memory in its text, which may name what it is about, and behind it; and
    the question that it answers."""
    before, after = known.get(c.node - 1), known.get(c.node + 1)
    if before is not None and (_are_of_text(view, before, c) or answers(before.text, c.text)):
        yield before
    if after is not None and _are_of_text(view, c, after):
        yield after


def message(view: View, c: Candidate) -> str:
    """What a memory says with those beside it that were told at once with it: "Oskar starts on
    Monday." names of whom "Tree nuts put him in hospital." tells; and a question of somebody else
    with its reply."""

    def said(node: int) -> str:
        other = view.text(node) if node > 0 else None
        if other is None or other.session != c.text.session:
            return ""
        text = other.text or other.phrase
        if other.speaker == c.text.speaker:
            return text if other.created == c.text.created else ""
        asking = other if node < c.node else c.text
        is_reply = c.text.session is not None and ends_asking(asking.spans)
        return f"{other.speaker or ''} {text}" if is_reply else ""

    return f"{said(c.node - 1)} {c.content} {said(c.node + 1)}".strip()


def put_reply_first(source: Source, cue: str, candidates: list[Candidate], only: Filter) -> None:
    """Where a cue asks what somebody has said to whom asks, and the best hit is what that one asked
    for, have the best of the reply stand before it."""
    request = candidates[0]
    if not asks_what_you_said(cue) or _is_of(request, "assistants"):
        return
    known = {c.node: c for c in candidates}
    nodes = range(request.node + 1, request.node + _REPLY)
    unread = [node for node in nodes if node not in known]
    known |= {c.node: c for c in source.read(np.array(unread, np.uint64), only)}
    behind = (known[node] for node in nodes if node in known)
    session = takewhile(lambda c: _are_of_session(request, c), behind)
    others = [*dropwhile(lambda c: c.text.speaker == request.text.speaker, session)]
    turn = takewhile(lambda c: c.text.speaker == others[0].text.speaker, others)
    telling = [c for c in turn if not (is_empty(c.text.text) or is_reply(c.text.spans))]
    if telling and (_is_of(request, "users") or _is_of(telling[0], "assistants")):
        reply = max(telling, key=lambda c: c.score)
        reply.move_to(request.score + BELOW)
        candidates[:] = [reply, *(c for c in candidates if c is not reply)]


def _is_of(c: Candidate, role: str) -> bool:
    return (c.text.speaker or "").casefold() in listed(role)


def _are_of_session(one: Candidate, other: Candidate) -> bool:
    return one.text.session is not None and one.text.session == other.text.session


def _are_of_text(view: View, one: Candidate, other: Candidate) -> bool:
    is_likely = one.text.created == other.text.created  # which needs no reading
    return is_likely and other.node in view.targets(one.node, SEGMENT_CODE)


_leans: Final = lru_cache(1 << 13)(speaks_of_another)
