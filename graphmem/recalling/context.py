"""Context: the text of a recall, within a token budget."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from graphmem.graph.records import Form, Node

TokenCounter: TypeAlias = Callable[[str], int]

_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U000323af]")


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: one a CJK character, one every four others.

    A little high for the vocabularies in use, so that a budget is kept rather than overrun.
    """
    cjk = len(_CJK.findall(text))
    return cjk + -(-(len(text) - cjk) // 4)


def line(node: Node) -> str:
    """A node as a line of context: when, who, what; a gist says that the rest has faded."""
    when = f"{node.happened:%Y-%m-%d}" if node.happened is not None else None
    mark = ", ".join(part for part in (when, node.speaker) if part)
    said = node.text
    if node.form is Form.GIST:
        gist = node.derived or f"{node.phrase}: {', '.join(node.keywords)}"
        said = f"(faded) {gist}"
    return f"[{mark}] {said}" if mark else said


def shortened(node: Node, budget: int, count: TokenCounter) -> str:
    """As much of a node as `budget` tokens hold: its sentences from the first on, or its phrase.

    The phrase is the last resort, and is left out by `fitting` where even that is too long.
    """
    said = ""
    for sentence in node.sentences:
        if count(line(replace(node, text=(said + sentence).strip())) + "\n") > budget:
            break
        said += sentence
    return line(replace(node, text=said.strip() or node.phrase, form=Form.SHORTER))


def fitting(lines: Sequence[str], budget: int | None, count: TokenCounter) -> list[int]:
    """The places of the lines that fit into `budget` tokens together; all for None.

    One that does not fit is left out, and shorter ones behind it may still come in.
    """
    if budget is None:
        return list(range(len(lines)))
    chosen: list[int] = []
    left = budget
    for place, text in enumerate(lines):
        need = count(text + "\n")
        if need <= left:
            left -= need
            chosen.append(place)
    # A counter may find more in the whole than in its parts.
    while chosen and count("\n".join(lines[place] for place in chosen)) > budget:
        chosen.pop()
    return chosen
