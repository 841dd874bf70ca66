"""The themes of an open scope: their readers, the survey of a cue."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from graphmem.graph.view import View
from graphmem.recalling.cue import subject
from graphmem.recalling.names import meant
from graphmem.recalling.question import Question
from graphmem.runtime.open_scope import OpenScope
from graphmem.themes.about import about, answering, by_worth, of_person
from graphmem.themes.catalog import Hierarchy, ThemeReader
from graphmem.values.themes import Survey

_PHRASE: Final = 4  # tokens of the shortest phrases
_LEAST_PHRASES: Final = 250  # memories whose phrases `about` chooses from
_MOST_PHRASES: Final = 1000


def hierarchy(opened: OpenScope, view: View) -> Hierarchy:
    """Episodes and themes of a view, by ids."""
    return Hierarchy(view, opened.theme_index, reader_of(opened, view))


def survey(opened: OpenScope, asked: Question) -> Survey:
    """The phrases of the memories that a cue recalls, by theme, within `asked.tokens`."""
    within = asked.tokens or 0
    many = min(_MOST_PHRASES, max(_LEAST_PHRASES, within // _PHRASE))
    recalled = opened.recaller.recall(replace(asked, tokens=None, limit=many))
    with opened.reading() as view:

        def before(node: int) -> tuple[str, bool] | None:
            last, own = view.text(node - 1), view.text(node)
            if last is None or own is None:
                return None
            return "".join(last.spans), last.session == own.session

        also = meant(asked.cue, {hit.speaker or "" for hit in recalled})
        found, instead = of_person(asked.cue, answering(recalled), before, also)

        def salience(node: int) -> float:
            text = view.text(node)
            return 0.0 if text is None else sum(text.saliences)

        over = {node for hit in recalled for node in hit.earlier}
        surveyed = about(
            asked.cue, by_worth(found, salience, subject(asked.cue), over),
            opened.theme_index.theme, reader_of(opened, view).core,
            tokens=within, count=asked.counter, instead=instead, over=over,
        )  # fmt: skip
        return replace(surveyed, notes=recalled.noted)


def reader_of(opened: OpenScope, view: View) -> ThemeReader:
    return ThemeReader(view, opened.theme_index, opened.vectors, opened.words)


def places(opened: OpenScope, view: View) -> dict[int, tuple[float, float]]:
    """Node → (x, y) on the map, for live nodes."""
    nodes = opened.atlas.chart(view).nodes
    rows = zip(nodes["id"], nodes["x"], nodes["y"], strict=True)
    return {int(node): (float(x), float(y)) for node, x, y in rows}
