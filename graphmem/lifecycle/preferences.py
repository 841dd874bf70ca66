"""Inferred preferences: what the same person takes, chooses or uses in several sessions. A view:
nothing of it is stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.values.kinds import EXPLICIT, INFERRED, Kind, Preference

_MORE: Final = 0.03  # confidence that each session more gives
_SURE: Final = EXPLICIT - 0.01  # nothing that is inferred is explicit


class _Told(NamedTuple):
    node: int
    session: str
    phrase: str
    marks: frozenset[str]


def preferences(
    nodes: Iterable[tuple[int, NodeRecord, TextRecord]], sessions: int
) -> list[Preference]:
    """What is told in at least `sessions` sessions by the same speaker, the most often told first.
    Two memories tell the same if what is taken shares a word. What an assistant says, and what was
    replaced, does not count."""
    # Its patterns take a while to be made, and most programs never ask.
    from graphmem_worker.kinds import taken
    from graphmem_worker.language.lists import listed

    told: defaultdict[str | None, list[_Told]] = defaultdict(list)
    for node, record, text in nodes:
        is_advice = (text.speaker or "").casefold() in listed("assistants")
        if text.session is None or record.valid_to is not None or is_advice:
            continue
        for span in text.spans:
            if (found := taken(span)) is not None:
                told[text.speaker].append(_Told(node, text.session, found[0], frozenset(found[1])))
    inferred = [p for who, some in told.items() for p in _of_speaker(who, some, sessions)]
    return sorted(inferred, key=lambda p: (-len(p.sessions), p.nodes))


def _of_speaker(speaker: str | None, told: list[_Told], least: int) -> list[Preference]:
    by_mark: defaultdict[str, list[_Told]] = defaultdict(list)
    for each in told:
        for mark in each.marks:
            by_mark[mark].append(each)
    groups: dict[tuple[int, ...], list[_Told]] = {}
    for some in by_mark.values():
        if len({each.session for each in some}) >= least:
            groups.setdefault(tuple(sorted({each.node for each in some})), some)
    found: list[Preference] = []
    seen: set[int] = set()
    for nodes, some in sorted(groups.items(), key=lambda group: (-len(group[0]), group[0])):
        if seen.issuperset(nodes):
            continue  # told by a word that goes with another
        seen.update(nodes)
        where = tuple(sorted({each.session for each in some}))
        sure = min(_SURE, INFERRED + 0.05 + _MORE * (len(where) - least))
        kind = Kind("personal", round(sure, 2), "long-term", "inferred")
        common = frozenset.intersection(*(each.marks for each in some))
        shortest = min(some, key=lambda each: (len(each.marks - common), -each.node))
        found.append(Preference(shortest.phrase, nodes, where, speaker, kind))
    return found
