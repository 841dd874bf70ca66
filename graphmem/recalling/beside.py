"""Memories that are shown with another one that is not understood without them, and replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from graphmem.graph.exchanges import answers, changes, corrects
from graphmem.graph.relations import SEGMENT_CODE
from graphmem.graph.view import View
from graphmem.index.words.postings import Nodes
from graphmem.recalling.asking import asked, asked_type, asks_for_reply, may_give_value
from graphmem.recalling.attributes import asked_for
from graphmem.recalling.candidates import BELOW, Candidate, Source, ends_asking, is_empty, is_reply
from graphmem.recalling.question import Filter
from graphmem_worker.language.lists import listed
from graphmem_worker.text.clauses import is_open, speaks_of_another
from graphmem_worker.text.markers import TURN

if TYPE_CHECKING:
    from graphmem.recalling.sessions import Numbers

Beside: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
_CORRECTED: Final = 8  # best hits whose corrections are looked for
_CHANGING: Final = 4  # best hits of which a later change is looked for
_CHANGED: Final = 24  # memories after a hit among which a change of it is looked for
_REPLY: Final = 16  # memories after a request among which its reply is looked for


def beside(
    source: Source, hits: Sequence[Candidate], behind: Sequence[Candidate], only: Filter
) -> tuple[list[Candidate], Beside]:
    """What may fill a budget behind the hits, and which of all these are shown together, as
    `Layout.beside` has it: a list with its introduction, a text that refers back by a pronoun with
    the one before it in the session, a question with its short reply, and what its speaker then
    puts right. The neighbours of the best hit in its text, and the question that it answers, come
    last."""
    ids = {c.node for c in hits}
    ranked = {c.node: c for c in (*hits, *behind)}
    around = {node + step for node in ranked for step in (-1, 1)} - {0, *ranked}
    read = {c.node: c for c in source.read(np.array(sorted(around), np.uint64), only)}
    known = ranked | read
    found = {node: [*_needed(source.view, c, known)] for node, c in ranked.items()}
    for node in ranked:
        for other in found[node]:
            if other in read:  # it is only shown with that one
                found.setdefault(other, [node])
    needed = (c for node, c in read.items() if node in found)
    around_best = (c for best in hits[:1] for c in _neighbours(source.view, best, known))
    further = {c.node: c for c in (*behind, *needed, *around_best) if c.node not in ids}
    pairs = tuple((node, tuple(others)) for node, others in found.items() if others)
    return [*further.values()], pairs


def _needed(view: View, c: Candidate, known: Mapping[int, Candidate]) -> Iterator[int]:
    """The neighbours without which a memory is not understood. known: candidates by node."""
    before, after = known.get(c.node - 1), known.get(c.node + 1)
    if (by := _correction(view, c, known)) is not None:
        yield by.node
    earlier = (known[node] for node in (c.node - 2, c.node - 1) if node in known)
    yield from (one.node for one in earlier if _correction(view, one, known) is c)
    if before is not None and (
        (_are_of_text(view, before, c) and is_open(before.content))
        or (_are_of_session(before, c) and _refers_back(c.content))
    ):
        yield before.node
    if after is not None and (
        (_are_of_text(view, c, after) and is_open(c.content)) or answers(c.text, after.text)
    ):
        yield after.node


def _neighbours(view: View, c: Candidate, known: Mapping[int, Candidate]) -> Iterator[Candidate]:
    """The segment before a memory in its text, which may name what it is about, or the question
    that it answers; and the segment after it."""
    before, after = known.get(c.node - 1), known.get(c.node + 1)
    if before is not None and (_are_of_text(view, before, c) or answers(before.text, c.text)):
        yield before
    if after is not None and _are_of_text(view, c, after):
        yield after


def message(view: View, c: Candidate) -> str:
    """The text of a memory with those of its neighbours that were remembered at once with it:
    "Oskar starts on Monday." names who "him" is in "Tree nuts put him in hospital."; and with the
    question of somebody else that it answers, or the reply to it."""

    def neighbour(node: int) -> str:
        other = view.text(node) if node > 0 else None
        if other is None or other.session != c.text.session:
            return ""
        other = other.simplified
        text = other.text or other.phrase
        if other.speaker == c.text.speaker:
            return text if other.created == c.text.created else ""
        asking = other if node < c.node else c.text
        is_reply = c.text.session is not None and ends_asking(asking.spans)
        return f"{other.speaker or ''} {text}" if is_reply else ""

    return f"{neighbour(c.node - 1)} {c.content} {neighbour(c.node + 1)}".strip()


def put_reply_first(
    source: Source, cue: str, candidates: list[Candidate], only: Filter, told: Set[str | None]
) -> None:
    """If a cue asks what the assistant said, or somebody was told, and the best hit is the request,
    put the best memory of the reply before it. told: who was."""
    request = candidates[0]
    is_asked = request.text.speaker in told
    if not (is_asked or (asks_for_reply(cue) and not _is_of(request, "assistants"))):
        return
    known = {c.node: c for c in candidates}
    nodes = range(request.node + 1, request.node + _REPLY)
    unread = [node for node in nodes if node not in known]
    known |= {c.node: c for c in source.read(np.array(unread, np.uint64), only)}
    after = (known[node] for node in nodes if node in known)
    session = takewhile(lambda c: _are_of_session(request, c), after)
    others = [*dropwhile(lambda c: c.text.speaker == request.text.speaker, session)]
    turn = takewhile(lambda c: c.text.speaker == others[0].text.speaker, others)
    answering = [c for c in turn if not (is_empty(c.text.text) or is_reply(c.text.spans))]
    if answering and (is_asked or _is_of(request, "users") or _is_of(answering[0], "assistants")):
        reply = max(answering, key=lambda c: c.score)
        reply.move_to(request.score + BELOW)
        candidates[:] = [reply, *(c for c in candidates if c is not reply)]


def with_corrections(
    source: Source, cue: str, hits: Sequence[Candidate], only: Filter, sessions: Numbers
) -> list[Candidate]:
    """The hits, with each of the first ones and the turn in which its speaker puts it right or
    changes it next to each other: first that turn if the cue asks for a value that it may have.
    sessions: the number of each node's session, by its id."""
    first, found = {c.node for c in hits[:_CORRECTED]}, [*hits]
    known = {c.node: c for c in hits}
    turns = source.index.find(TURN).nodes
    near = {n for node in first for n in _within(turns, node, node + 2)}
    around = {n for turn in near for n in (turn - 2, turn - 1, turn) if n > 0}
    unread = around.difference(known)
    known |= {c.node: c for c in source.read(np.array(sorted(unread), np.uint64), only)}
    for said in [*known.values()]:
        by = _correction(source.view, said, known) if said.node in around else None
        if by is None and said in hits[:_CHANGING]:
            later = _within(turns, said.node + 1, said.node + _CHANGED)
            nodes = [n for n in reversed(later) if sessions[n] == sessions[said.node]]
            by = _change(source, cue, said, nodes, known, only)
        if by is None or first.isdisjoint((said.node, by.node)):
            continue
        first |= {said.node, by.node}  # a correction may be corrected
        is_asked = by.node > said.node + 2 or bool(asked_type(cue))
        is_answer = is_asked and may_give_value(cue, by.content)
        best, pair = max(said.score, by.score), [by, said] if is_answer else [said, by]
        for step, c in enumerate(pair):
            c.move_to(best - step * BELOW)
        place = next(k for k, c in enumerate(found) if c in pair)
        rest = [c for c in found if c not in pair]
        found = [*rest[:place], *pair, *rest[place:]]
    return found


def _within(nodes: Nodes, first: int, last: int) -> list[int]:
    """Those of ascending nodes that are in a range."""
    start, stop = nodes.searchsorted(np.array((first, last + 1), np.uint64))
    found: list[int] = nodes[start:stop].tolist()
    return found


def _correction(view: View, c: Candidate, known: Mapping[int, Candidate]) -> Candidate | None:
    """The next turn of its speaker, at most one of another behind, if it puts that right."""
    after, by = known.get(c.node + 1), known.get(c.node + 2)
    if after is not None and after.text.speaker == c.text.speaker:
        return after if corrects(c.text, after.text) else None
    if by is None:
        return None
    # The turn of another may be one that the caller's conditions exclude.
    between = view.text(c.node + 1) if after is None else after.text
    return by if corrects(c.text, by.text, between) else None


def _change(
    source: Source,
    cue: str,
    said: Candidate,
    later: Sequence[int],
    known: dict[int, Candidate],
    only: Filter,
) -> Candidate | None:
    """The last later turn of its speaker that gives another value of the type asked for. later: the
    turns of its session, the last first."""
    if said.text.session is None or asked(cue) != "now":
        return None
    attribute = asked_for(cue)
    wanted = asked_type(cue) or (attribute.name if attribute else "")
    for node, after in source.view.texts(later):
        types = changes(said.text, after.simplified)
        units = types - {"time", "colour", "word"}
        if wanted in ("number", "money"):
            is_other = bool(units)
        elif wanted in ("time", "colour"):
            is_other = wanted in types
        else:
            is_other = "word" in types or any(unit and unit in cue.lower() for unit in units)
        if is_other and (found := known.get(node) or _read(source, node, only)) is not None:
            return known.setdefault(node, found)
    return None


def _read(source: Source, node: int, only: Filter) -> Candidate | None:
    return next(source.read(np.array([node], np.uint64), only), None)


def _is_of(c: Candidate, role: str) -> bool:
    """Whether the speaker is of a role: "users" or "assistants"."""
    return (c.text.speaker or "").casefold() in listed(role)


def _are_of_session(one: Candidate, other: Candidate) -> bool:
    return one.text.session is not None and one.text.session == other.text.session


def _are_of_text(view: View, one: Candidate, other: Candidate) -> bool:
    is_likely = one.text.created == other.text.created  # which needs no reading
    return is_likely and other.node in view.targets(one.node, SEGMENT_CODE)


_refers_back: Final = lru_cache(1 << 13)(speaks_of_another)
