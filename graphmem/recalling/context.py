"""Context: the text of a recall, within a token budget."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from graphmem.graph.records import Form, Node

TokenCounter: TypeAlias = Callable[[str], int]

LINE_TOKENS = 10  # of a short memory: how many may be needed to fill a budget
_ROUNDS = 3  # of filling a budget; the later ones use what shared dates have saved
_REPEATED = 20  # characters from which a repetition is left out
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U000323af]")


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: one a CJK character, one every four others.

    A little high for the vocabularies in use, so that a budget is kept rather than overrun.
    """
    cjk = len(_CJK.findall(text))
    return cjk + -(-(len(text) - cjk) // 4)


def line(node: Node, before: Node | None = None, copies: int = 0) -> str:
    """A node as a line of context: when, who, what.

    The day is left out where it is that of the line `before`; a gist says that the rest has faded;
    `copies` is how many more nodes say the same.
    """
    day = _day(node)
    known = before is not None and _day(before) == day
    when = None if known or (day is None and before is None) else day or "undated"
    mark = ", ".join(part for part in (when, node.speaker) if part)
    said = node.text
    if node.form is Form.GIST:
        gist = node.derived or f"{node.phrase}: {', '.join(node.keywords)}"
        said = f"(faded) {gist}"
    if copies:
        said += f" (said {copies + 1} times)"
    return f"[{mark}] {said}" if mark else said


def _unrepeated(node: Node, before: Node | None) -> Node:
    """A node without the sentences at its beginning with which the one `before` ends, as chunks of
    a file overlap."""
    if before is None or node.session is None or node.session != before.session:
        return node
    repeated = said = ""
    for sentence in node.sentences[:-1]:
        said += sentence
        if len(said) > len(before.text):
            break
        if len(said) >= _REPEATED and before.text.endswith(said.strip()):
            repeated = said
    rest = node.text[len(repeated) :].strip() if repeated else node.text
    return node if rest == node.text else replace(node, text=rest)


def _day(node: Node) -> str | None:
    return None if node.happened is None else f"{node.happened:%Y-%m-%d}"


def shortened(node: Node, budget: int, count: TokenCounter) -> Node:
    """As much of a node as `budget` tokens hold: its sentences from the first on, or its phrase,
    however long that is."""
    said = ""
    for sentence in node.sentences:
        if count(line(replace(node, text=(said + sentence).strip())) + "\n") > budget:
            break
        said += sentence
    return replace(node, text=said.strip() or node.phrase, form=Form.SHORTER)


def told(
    nodes: Sequence[Node], copies: Mapping[int, int], budget: int | None, count: TokenCounter
) -> tuple[list[int], list[str]]:
    """The ids of the nodes, given best first, that fit into `budget` tokens, and their lines.

    Of a best one that does not fit, as much is told as does. Another is left out, and shorter ones
    behind it may still come in. `copies` is as for `line`, by id.
    """
    if budget is None:
        return _lines(nodes, copies)
    if nodes and count(line(nodes[0], None, copies.get(nodes[0].id, 0)) + "\n") > budget:
        nodes = [shortened(nodes[0], budget, count), *nodes[1:]]
    needs = [count(line(node, None, copies.get(node.id, 0)) + "\n") for node in nodes]
    taken: list[int] = []
    found: tuple[list[int], list[str]] = ([], [])
    left = budget
    for _ in range(_ROUNDS):
        before = len(taken)
        for place in sorted(set(range(len(nodes))).difference(taken)):
            if needs[place] <= left:
                left -= needs[place]
                taken.append(place)
        if len(taken) == before:
            break
        found = _lines([nodes[place] for place in sorted(taken)], copies)
        while taken and count("\n".join(found[1])) > budget:
            # A counter may find more in the whole than in its parts.
            taken.pop()
            found = _lines([nodes[place] for place in sorted(taken)], copies)
        # Lines of one day share its date: what that saves is room for more.
        left = budget - count("\n".join(found[1]) + "\n")
    return found


def _lines(nodes: Sequence[Node], copies: Mapping[int, int]) -> tuple[list[int], list[str]]:
    """The ids and lines of nodes, given best first, in the order in which they are read.

    What belongs together stands together, in the order in which it was remembered: nodes of one
    session; without a session, those remembered one directly after the other. The best of such a
    group says where it stands.
    """
    best: dict[str, int] = {}  # session → place of the best of it
    alone: list[tuple[int, int]] = []
    group = list(range(len(nodes)))
    for place, node in enumerate(nodes):
        if node.session is not None:
            group[place] = best.setdefault(node.session, place)
        else:
            alone.append((node.id, place))
    for (previous, first), (identifier, place) in pairwise(sorted(alone)):
        if identifier == previous + 1:
            group[place] = group[first]
    heads: dict[int, int] = {}  # a run is known by its first node, and stands where its best does
    for place, head in enumerate(group):
        heads.setdefault(head, place)
    order = sorted(range(len(nodes)), key=lambda place: (heads[group[place]], nodes[place].id))
    read = [nodes[place] for place in order]
    lines = [
        line(_unrepeated(node, before), before, copies.get(node.id, 0))
        for before, node in zip([None, *read[:-1]], read, strict=False)
    ]
    return [node.id for node in read], lines
