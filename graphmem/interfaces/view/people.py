"""The people and things in a memory: its speakers, recurring names, and subjects of facts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from graphmem.api.verbs import Verbs
from graphmem.hexastore.terms import IRI, Literal, Term
from graphmem.interfaces.view.persons import titled
from graphmem.values.nodes import Node
from graphmem_worker.claims.statements import statements
from graphmem_worker.claims.vocabulary import lexicon_in
from graphmem_worker.language.lists import listed
from graphmem_worker.text.words import HAN, alone, stems

_LEAST: Final = 3  # memories that hold a name
_ASKED: Final = 3  # of them, in which statements about it are looked for
_MOST: Final = 60  # names
_TRIED: Final = 200  # keywords that may be names: reading takes a millisecond a memory
_LONGEST: Final = 40  # characters of a name
_FACTS: Final = 2000
_HAN_FULL: Final = 3  # characters of a full name
_HAN_NAME: Final = re.compile(f"[{HAN}]{{2,4}}")


def rows_and_names(memory: Verbs) -> dict[str, Any]:
    """The data of the lists of memories and of the names on the map.

    "rows": [id, speaker, day, realm, temporality, pinned] of each memory, oldest first. "names":
    "name", "also" (other names of the speaker), "person" (or a thing), "spoken" (ids of memories by
    the speaker), "named" (ids of memories with the name), most memories first, 60 at most.
    "relations": [place among the names, predicate, place], from the first 2,000 facts. Reads every
    memory: about a second for 2,000. Raises like `nodes`.
    """
    nodes = list(memory.nodes())
    rows = [
        [
            node.id, node.speaker, f"{node.happened or node.created:%Y-%m-%d}", node.kind.realm,
            node.kind.temporality, node.pinned,
        ]
        for node in nodes
    ]  # fmt: skip
    short = _short({node.speaker for node in nodes if node.speaker})
    known = titled(node.text for node in nodes)
    spoken: defaultdict[str, list[int]] = defaultdict(list)
    also: defaultdict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if node.speaker:
            name = short.get(node.speaker, node.speaker)
            spoken[name].append(node.id)
            also[name] |= {node.speaker} - {name}
    facts = [(short.get(s, s), predicate, short.get(o, o)) for s, predicate, o in _facts(memory)]
    related = {name for subject, _, thing in facts for name in (subject, thing)}
    recurring = _recurring(nodes)
    # A Chinese one begins with a surname or is a pet name; a Latin one may be that of a thing.
    known |= set(filter(_HAN_NAME.fullmatch, recurring))
    candidates = {*spoken, *related, *known, *recurring}
    named = _holding(candidates - short.keys(), short, nodes)
    ranked = sorted(
        {*spoken, *related, *named},
        key=lambda name: (name not in related, -len({*spoken[name], *named.get(name, ())}), name),
    )
    kept = [name for name in ranked[:_MOST] if name in related or spoken[name] or named.get(name)]
    kept.sort(key=lambda name: -len({*spoken[name], *named.get(name, ())}))
    places = {name: place for place, name in enumerate(kept)}
    return {
        "rows": rows,
        "names": [
            {
                "name": name,
                "also": sorted(also[name]),
                "person": bool(spoken[name]) or name in known,
                "spoken": spoken[name],
                "named": named.get(name, []),
            }
            for name in kept
        ],
        "relations": [
            [places[subject], predicate, places[thing]]
            for subject, predicate, thing in facts
            if subject in places and thing in places
        ],
    }


def _facts(memory: Verbs) -> list[tuple[str, str, str]]:
    """The user's facts of things, as far as both ends are short enough for a name."""
    found = [
        tuple(map(_shown, (fact.subject, fact.predicate, fact.object)))
        for fact in memory.graph.facts.match(limit=_FACTS)
        if not (isinstance(fact.subject, IRI) and fact.subject.value.startswith("node:"))
    ]
    return [(s, p, o) for s, p, o in found if s and o and max(len(s), len(o)) <= _LONGEST]


def _shown(term: Term) -> str:
    if isinstance(term, Literal):
        return term.lexical
    return re.split(r"[/#:]", term.value)[-1] if isinstance(term, IRI) else ""


def _recurring(nodes: Iterable[Node]) -> set[str]:
    """The keywords of several memories that are names: some of these state something of them."""
    having: defaultdict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        for keyword in node.keywords:
            if _HAN_NAME.fullmatch(keyword) or keyword[:1].isupper():
                having[keyword].append(node)
    several = [
        keyword
        for keyword, held in having.items()
        if len(held) >= _LEAST and keyword.lower() not in listed("no_names")
    ]
    several.sort(key=lambda keyword: -len(having[keyword]))
    verbs = lexicon_in("zh").governing
    return {
        next((keyword.removesuffix(v) for v in verbs if keyword[2:].endswith(v)), keyword)
        for keyword in several[:_TRIED]  # 苏敏带 is 苏敏
        if any(_is_described(keyword, node) for node in having[keyword][:_ASKED])
    }


def _is_described(name: str, node: Node) -> bool:
    """Whether a text makes a statement about the bearer of a name, and writes it as one: a capital
    at the beginning of a sentence does not count."""
    claims = statements(node.sentences, node.speaker)
    if _HAN_NAME.fullmatch(name):
        return any(name in each.persons for each in claims)
    keys = {*stems([name.split()[0].lower()]), name.lower()}
    is_written = re.search(rf"[^\W\d][,;]? {re.escape(name)}\b", node.text) is not None
    return is_written and any(not keys.isdisjoint(each.persons | each.subjects) for each in claims)


def _short(speakers: Iterable[str]) -> dict[str, str]:
    """Short name → speaker, if it is unambiguous: "Jolyon" or "Dunn" of "Jolyon Dunn", 知夏 of
    沈知夏; it may be the name of a speaker too."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in speakers:
        is_full = _HAN_NAME.fullmatch(name) and len(name) == _HAN_FULL
        for short in {name[1:]} if is_full else set(name.split()):
            found[short].append(name)
    return {
        short: longer[0]
        for short, names in found.items()
        if len(longer := [name for name in names if name != short]) == 1
        and not short[0].islower()
        and short.lower() not in listed("titles")
    }


def _holding(
    names: Iterable[str], short: Mapping[str, str], nodes: Sequence[Node]
) -> Mapping[str, list[int]]:
    """The ids of the memories whose text holds each name, or its short form."""
    longest_first = sorted(filter(None, {*names, *short}), key=len, reverse=True)
    found: defaultdict[str, list[int]] = defaultdict(list)
    if not longest_first:
        return found
    pattern = re.compile("|".join(map(alone, longest_first)))
    for node in nodes:
        for name in {short.get(name, name) for name in pattern.findall(node.text)}:
            found[name].append(node.id)
    return found
