"""Themes and episodes as users see them, made out of one view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from graphmem.errors import (
    UnknownThemeError,
)
from graphmem.graph import vocabulary
from graphmem.graph.kinds import semantic_kind
from graphmem.graph.records import TextRecord
from graphmem.graph.view import View
from graphmem.hexastore.keys import Space
from graphmem.index.vectors.index import VectorIndex
from graphmem.index.vectors.products import Rows, units
from graphmem.index.words.index import WordIndex
from graphmem.themes import names
from graphmem.themes.index import ThemeIndex
from graphmem.values.links import Membership
from graphmem.values.moments import moment
from graphmem.values.themes import Episode, Theme
from graphmem_worker.text.words import words

NEIGHBOURS: Final = 10
LONGEST: Final = 25  # turns of an episode
SHORTEST: Final = 2  # turns, unless a gap in time leaves one alone
RUN_COST: Final = 1.5  # of one more run, in the unit of the squared distances
GAP: Final = timedelta(minutes=30)
# Similarity with the centre of the members that hold a term of the name, from which on a member is
# in the core. Between 0.66 and 0.70 a reader found every second one unrelated.
_NEAR: Final = 0.70


@dataclass(frozen=True, eq=False)
class ThemeReader:
    """Makes `Theme` and `Episode` values out of one view."""

    _view: View
    _index: ThemeIndex
    _vectors: VectorIndex
    _words: WordIndex

    def theme(self, identifier: int, members: Sequence[int] | None = None) -> Theme:
        """A theme by its id. Raises UnknownThemeError."""
        found = self._index.members(identifier) if members is None else members
        texts = self._texts(found)
        if not texts:
            raise UnknownThemeError(
                f"there is no theme {identifier}; iterate over memory.themes for those there are"
            )
        speakers = Counter(text.speaker for text in texts.values() if text.speaker)
        name, core = self._named(texts)
        days = [when(text) for text in texts.values()]
        gists = sum(not text.spans for text in texts.values())
        return Theme(
            id=identifier,
            name=str(name),
            named=name.named,
            keywords=name.terms,
            sentence=self._central({node: texts[node] for node in core} or texts),
            members=tuple(texts),
            neighbours=tuple(self._index.neighbours(identifier)[:NEIGHBOURS]),
            first=min(days),
            last=max(days),
            speakers=tuple(speaker for speaker, _ in speakers.most_common()),
            faded=gists / len(texts),
            kinds=tuple(map(semantic_kind, texts.values())),
            core=core,
            title=name.title,
        )

    def sentences(self, identifier: int) -> list[str]:
        """The best sentence of each member of a theme, that of the theme first. Raises
        UnknownThemeError."""
        theme = self.theme(identifier)
        return [theme.sentence, *map(_best_sentence, self._texts(theme.members).values())]

    def core(self, identifier: int) -> tuple[str, tuple[int, ...]]:
        """The name of a theme and its `core`; "" and nothing if its members share too little, or it
        is not there."""
        name, core = self._named(self._texts(self._index.members(identifier)))
        return str(name), core

    def _texts(self, nodes: Iterable[int]) -> dict[int, TextRecord]:
        """The text records of those nodes that exist, in the order of the nodes."""
        return {node: text for node in nodes if (text := self._view.text(node)) is not None}

    def _named(self, texts: Mapping[int, TextRecord]) -> tuple[names.Name, tuple[int, ...]]:
        """The name of a theme with these members, and its `core`."""
        name = self._name(list(texts.values()), self._words.frequency)
        nodes, scale = list(texts), self._index.calibration
        if not name.named:
            return name, ()
        fits = np.zeros(len(nodes), np.bool_)
        fits[list(name.holders)] = True
        if scale is not None:
            rows = self._rows(nodes)
            middle = rows[fits].sum(axis=0)
            own = np.einsum("ij,ij->i", units(middle - rows[fits]), rows[fits])
            if name.is_weak and own.mean() < scale.cosine(self._index.thresholds.lenient):
                return names.Name(), ()
            fits |= rows @ units(middle) >= scale.cosine(_NEAR)
        return name, tuple(nodes[at] for at in np.flatnonzero(fits))

    def _name(
        self, texts: Sequence[TextRecord], frequency: Callable[[str], int] | None = None
    ) -> names.Name:
        return names.name(
            [text.text or text.phrase for text in texts],
            [text.keywords for text in texts],
            self._words.rarity,
            phrases=[text.phrase for text in texts],
            leave={word for text in texts if text.speaker for word in words(text.speaker)},
            frequency=frequency,
        )

    def _central(self, texts: dict[int, TextRecord]) -> str:
        """The best sentence of the member that is nearest to the mean of all."""
        held = self._vectors.hold()
        nodes = list(texts)
        nearest = nodes[0]
        if held is not None and len(nodes) > 2:
            rows = held.vectors(nodes)
            nearest = nodes[int((rows @ rows.sum(axis=0)).argmax())]
        return _best_sentence(texts[nearest])

    def episodes(self, session: str) -> list[Episode]:
        """The episodes of a session, in order."""
        found: list[Episode] = []
        for number, run in enumerate(self.runs(session), 1):
            part = [*self._texts(run).values()]
            name = self._name(part)
            sentence = max(
                map(_best_sentence, part),
                key=lambda sentence: sum(map(self._words.rarity, set(words(sentence)))),
            )
            times = [when(text) for text in part]
            found.append(
                Episode(
                    session=part[0].session or "",
                    number=number,
                    title=str(name) or sentence,
                    sentence=sentence,
                    nodes=run,
                    start=min(times),
                    end=max(times),
                )
            )
        return found

    def runs(self, session: str) -> list[tuple[int, ...]]:
        """The nodes of each episode of a session, in order."""
        reader, scope = self._view.reader, self._view.scope
        turns = self._texts(vocabulary.nodes_with(reader, scope, Space.SESSION, session))
        if not turns:
            return []
        nodes = [*turns]
        starts = cuts(self._rows(nodes), [*map(when, turns.values())])
        return [
            tuple(nodes[start:stop])
            for start, stop in zip(starts, [*starts[1:], len(nodes)], strict=True)
        ]

    def _rows(self, nodes: Sequence[int]) -> Rows:
        """Centred vectors of nodes; of width 0 while there are too few for a mean, so that only
        gaps in time and the greatest length cut episodes."""
        held, scale = self._vectors.hold(), self._index.calibration
        if held is None or scale is None:
            return np.zeros((len(nodes), 0), np.float32)
        return scale.centred(held.vectors(nodes))


def when(text: TextRecord) -> datetime:
    """When a memory happened, if that was given, else when it was remembered."""
    return moment(text.created) if text.happened is None else moment(*text.happened)


def _best_sentence(text: TextRecord) -> str:
    if not text.spans:
        return text.phrase
    best = max(range(len(text.spans)), key=lambda at: text.saliences[at])
    return text.spans[best].strip()


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The episode and the theme of a node of one view, and the nodes of each, by ids."""

    _view: View
    _index: ThemeIndex
    _reader: ThemeReader
    _cut: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)

    def theme(self, node: int) -> int | None:
        """The theme of a node; None if it has none or does not exist."""
        return None if self._view.record(node) is None else self._index.theme(node)

    def members(self, theme: int) -> list[int]:
        return [node for node in self._index.members(theme) if self._view.record(node) is not None]

    def themes(self) -> Iterator[tuple[int, int]]:
        """(node, theme) of all nodes that have one."""
        for theme, _ in self._index.themes():
            for node in self.members(theme):
                yield node, theme

    def episode(self, node: int) -> tuple[str, int] | None:
        """The session and the number of a node's episode; None without a session."""
        text = self._view.text(node)
        if text is None or text.session is None:
            return None
        for number, nodes in enumerate(self._episodes(text.session), 1):
            if node in nodes:
                return text.session, number
        return None

    def turns(self, session: str, number: int) -> tuple[int, ...]:
        """The nodes of an episode; none for one that is not there."""
        cut = self._episodes(session)
        return cut[number - 1] if 0 < number <= len(cut) else ()

    def episodes(self) -> Iterator[tuple[str, int, tuple[int, ...]]]:
        """(session, number, nodes) of all episodes."""
        seen: set[str] = set()
        for node in self._view.nodes():
            text = self._view.text(node)
            if text is None or text.session is None or text.session in seen:
                continue
            seen.add(text.session)
            for number, nodes in enumerate(self._episodes(text.session), 1):
                yield text.session, number, nodes

    def memberships(self, node: int) -> tuple[Membership, ...]:
        """The hierarchy around a node: its episode, its theme."""
        found: list[Membership] = []
        theme, place = self.theme(node), self.episode(node)
        if place is not None:
            episode = f"{place[0]}#{place[1]}"
            found.append(Membership("belongs_to", node, episode))
            if theme is not None:
                found.append(Membership("supports", episode, node))
        if theme is not None:
            found.append(Membership("abstracted_by", node, theme))
        return tuple(found)

    def _episodes(self, session: str) -> list[tuple[int, ...]]:
        if session not in self._cut:
            self._cut[session] = self._reader.runs(session)
        return self._cut[session]


# -- episodes: runs of consecutive turns of one session on one subject ------------------------


def cuts(rows: NDArray[np.float32], times: Sequence[datetime]) -> list[int]:
    """The index of the first turn of each episode of a session, ascending; empty for no turns.

    rows: the turns' vectors of length 1, centred; zeros for a turn without one. times: when each
    turn was said; two turns `GAP` or more apart share no episode. Between gaps the cuts minimise
    Σ|y − ȳ|² + `RUN_COST` · runs over all partitions into runs of `SHORTEST` to `LONGEST` turns
    (Fragkou, Petridis and Kehagias, 2004).
    """
    borders = [0, *(at for at in range(1, len(times)) if times[at] - times[at - 1] >= GAP)]
    found: list[int] = []
    for start, stop in zip(borders, [*borders[1:], len(rows)], strict=True):
        found.extend(start + cut for cut in _cheapest(rows[start:stop]))
    return found


def _cheapest(rows: NDArray[np.float32]) -> list[int]:
    count, width = rows.shape
    sums = np.zeros((count + 1, width))
    np.cumsum(rows, axis=0, out=sums[1:])
    squares = np.concatenate(([0.0], np.cumsum((rows.astype(np.float64) ** 2).sum(axis=1))))
    cost = np.full(count + 1, np.inf)
    cost[0] = 0.0
    first = np.zeros(count + 1, np.intp)  # of the last run of the best partition of a prefix
    for stop in range(SHORTEST, count + 1):
        starts = np.arange(max(0, stop - LONGEST), stop - SHORTEST + 1)
        spread = squares[stop] - squares[starts]
        spread -= ((sums[stop] - sums[starts]) ** 2).sum(axis=1) / (stop - starts)
        whole = cost[starts] + spread + RUN_COST
        best = int(whole.argmin())
        cost[stop], first[stop] = whole[best], starts[best]
    found: list[int] = []
    stop = count
    while stop > 0:
        stop = int(first[stop])
        found.append(stop)
    return found[::-1]
