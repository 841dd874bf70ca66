"""Inferred preferences: what the same person takes, chooses or uses in several sessions. They are
computed on demand and not stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.values.kinds import EXPLICIT, INFERRED, Kind, Preference

_MORE: Final = 0.03  # confidence that each further session adds
_SURE: Final = EXPLICIT - 0.01  # highest confidence of an inferred preference


class _Mention(NamedTuple):
    node: int
    session: str
    phrase: str
    marks: frozenset[str]


def preferences(
    nodes: Iterable[tuple[int, NodeRecord, TextRecord]], sessions: int
) -> list[Preference]:
    """What a speaker takes in at least `sessions` sessions, that of most sessions first. Mentions
    that share a word are of one thing. Turns of assistants and replaced memories do not count."""
    # Compiling the patterns is slow, and most programs never need them.
    from graphmem_worker.kinds import taken
    from graphmem_worker.language.lists import listed

    mentions: defaultdict[str | None, list[_Mention]] = defaultdict(list)
    for node, record, text in nodes:
        is_advice = (text.speaker or "").casefold() in listed("assistants")
        if text.session is None or record.valid_to is not None or is_advice:
            continue
        for span in text.spans:
            if (found := taken(span)) is not None:
                mention = _Mention(node, text.session, found[0], frozenset(found[1]))
                mentions[text.speaker].append(mention)
    inferred = [
        p for speaker in mentions for p in _of_speaker(speaker, mentions[speaker], sessions)
    ]
    return sorted(inferred, key=lambda p: (-len(p.sessions), p.nodes))


def _of_speaker(speaker: str | None, mentions: list[_Mention], least: int) -> list[Preference]:
    by_mark: defaultdict[str, list[_Mention]] = defaultdict(list)
    for each in mentions:
        for mark in each.marks:
            by_mark[mark].append(each)
    groups: dict[tuple[int, ...], list[_Mention]] = {}
    for some in by_mark.values():
        if len({each.session for each in some}) >= least:
            groups.setdefault(tuple(sorted({each.node for each in some})), some)
    found: list[Preference] = []
    seen: set[int] = set()
    for nodes, some in sorted(groups.items(), key=lambda group: (-len(group[0]), group[0])):
        if seen.issuperset(nodes):
            continue  # found by another word already
        seen.update(nodes)
        where = tuple(sorted({each.session for each in some}))
        sure = min(_SURE, INFERRED + 0.05 + _MORE * (len(where) - least))
        kind = Kind("personal", round(sure, 2), "long-term", "inferred")
        common = frozenset.intersection(*(each.marks for each in some))
        shortest = min(some, key=lambda each: (len(each.marks - common), -each.node))
        found.append(Preference(shortest.phrase, nodes, where, speaker, kind))
    return found
