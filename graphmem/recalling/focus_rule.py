"""`mode="focus"`: breadth-first from the focus, any keyword as a substring, by distance.

To compare with `mode="activation"`, and for callers who want exactly that.
"""

from __future__ import annotations

import re

from graphmem.graph.records import as_node
from graphmem.graph.view import View
from graphmem.recalling.candidates import is_empty
from graphmem.recalling.question import Question
from graphmem.values.hits import Hit
from graphmem.values.links import Link
from graphmem.values.nodes import Tombstone
from graphmem.values.recall import Recall
from graphmem_worker.text.words import folded, script, words

_WORD = re.compile(r"\w+")


def _keywords(cue: str) -> list[str]:
    """The words of a cue, not stemmed; of Chinese, which has no spaces, its bigrams."""
    found: list[str] = []
    for word in _WORD.findall(folded(cue)):
        found += words(word) if script(word) == "cjk" else [word]
    return found


def recall(view: View, question: Question, budget: int) -> Recall:
    """Nodes within `depth` links of the focus that hold any word of the cue, nearest first.

    With `relations`, only nodes that have a link of one of them. A blank cue matches every node.
    At most `budget` nodes are expanded.
    """
    keywords, limit, relations = _keywords(question.cue), question.limit, question.relations
    reached: dict[int, tuple[Link, ...]] = dict.fromkeys(view.focus, ())
    hits: list[Hit] = []
    forgotten: list[Tombstone] = []
    frontier = list(view.focus)
    for distance in range(question.depth + 1):
        following: list[int] = []
        for node in frontier:
            if (pair := view.pair(node)) is None:
                stone = view.tombstone(node)
                if stone is not None and not is_empty(stone.phrase):
                    forgotten.append(stone)
                continue
            record, text = pair
            links = list(view.links(node)) if budget > 0 else []
            budget -= 1
            low = folded(" ".join((text.text, text.derived, *text.keywords)))
            matches = not keywords or any(word in low for word in keywords)
            is_related = not relations or any(link.relation in relations for link in links)
            if matches and is_related and question.only.admits(node, text, record):
                hit = Hit(
                    as_node(node, text, record, view.zone),
                    1.0 / (1 + distance),
                    {"distance": 1.0 / (1 + distance)},
                    reached[node],
                    scope=view.scope.name,
                )
                hits.append(hit)
            for link in links:
                if link.target not in reached:
                    reached[link.target] = (*reached[node], link)
                    following.append(link.target)
        frontier = following
    further = [hit.node for hit in hits[limit:]] if question.tokens is not None else []
    return Recall(
        question.cue, hits[:limit], further, forgotten[:10], question.tokens, question.counter,
    )  # fmt: skip
