"""Themes and episodes for users: `memory.themes`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import pairwise
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final

import numpy as np

from graphmem.declaring import verb
from graphmem.errors import (
    InvalidArgumentError,
    UnknownNodeError,
    UnknownThemeError,
)
from graphmem.graph import vocabulary
from graphmem.graph.ground import Ground
from graphmem.graph.kinds import semantic_kind
from graphmem.graph.records import TextRecord, as_node
from graphmem.graph.view import View
from graphmem.hexastore.keys import Space
from graphmem.index.vectors.index import VectorIndex
from graphmem.index.vectors.products import Rows, units
from graphmem.index.words.index import WordIndex
from graphmem.storage.folder import path_name
from graphmem.storage.whole_file import write_whole
from graphmem.themes import episodes, files, names
from graphmem.themes.index import ThemeIndex
from graphmem.themes.summaries import Process, summarised
from graphmem.values.checks import (
    check_count,
    check_encodable,
    check_range,
    check_str,
)
from graphmem.values.hits import Hit
from graphmem.values.identifiers import node_id
from graphmem.values.links import Membership
from graphmem.values.moments import moment
from graphmem.values.nodes import Node
from graphmem.values.rendering import Tokens
from graphmem.values.themes import LEVELS, Episode, Level, Survey, Theme
from graphmem.values.where import Where
from graphmem_worker.text.words import words

NEIGHBOURS: Final = 10
_AT_ONCE: Final = 64  # nodes
_LONGEST: Final = 1 << 30  # seconds
_LAST_ID: Final = (1 << 64) - 1
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
        starts = episodes.cuts(self._rows(nodes), [*map(when, turns.values())])
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


@dataclass(eq=False, repr=False)
class Themes:
    """The themes of a memory. Made by `Memory.themes`; each access reads anew.

    Iteration and length cover the themes of two or more memories, the largest first: a memory
    that is like no other is alone in a theme that only `of(node)` and `themes[id]` return. Ids stay
    the same while the order changes. There are no themes without vectors, nor before a memory has
    32 of them. Memories of the scope's parents have themes of their own.
    """

    _ground: Ground
    _index: ThemeIndex
    _made: Callable[[View], ThemeReader]
    _places: Callable[[View], Mapping[int, tuple[float, float]]]
    _process: Callable[[], Process] | None
    _about: Callable[[str, int | Tokens, Where | None], Survey]
    """Does the verb `about`, which recalls a cue."""

    @verb()
    def __len__(self) -> int:
        return sum(len(members) > 1 for _, members in self._index.themes())

    @verb()
    def __iter__(self) -> Iterator[Theme]:
        return (theme for theme in self._all() if len(theme) > 1)

    def _all(self) -> Iterator[Theme]:
        """All themes, those of one memory last."""
        with self._ground.reading() as view:
            reader = self._made(view)
            for identifier, members in self._index.themes():
                with suppress(UnknownThemeError):  # all its members were forgotten meanwhile
                    yield reader.theme(identifier, members)

    @verb(command="show")
    def __getitem__(self, identifier: int) -> Theme:
        """The theme with this id. Raises UnknownThemeError, ArgumentTypeError."""
        identifier = check_count("a theme's id", identifier, 0, _LAST_ID)
        with self._ground.reading() as view:
            return self._made(view).theme(identifier)

    @verb()
    def __contains__(self, identifier: object) -> bool:
        return isinstance(identifier, int) and bool(self._index.members(identifier))

    @verb(command="of")
    def of(self, node: Node | Hit | int) -> Theme | None:
        """The theme of a node; None if it has none, or has not been assigned yet.

        Raises UnknownNodeError.
        """
        identifier = node_id(node, self._ground.scope.name)
        with self._ground.reading() as view:
            if view.record(identifier) is None:
                raise _no_node(identifier)
            theme = self._index.theme(identifier)
            return None if theme is None else self._made(view).theme(theme)

    @verb(
        command="about",
        moved={**Where.moved("where"), "count_tokens": "tokens=Tokens(…, by=…)"},
    )  # fmt: skip
    def about(self, cue: str, *, tokens: int | Tokens = 1000, where: Where | None = None) -> Survey:
        """What is known about a person or a subject, grouped by theme. It has the phrases of the
        memories that a broad cue finds, as many as the budget holds, and their sentences if there
        is room for all; what is no longer so comes last, marked.

        cue: words or a question, as in `recall`; "" uses the focus.
        tokens: the maximum length of `.text`, 0–1,073,741,824.
        The other arguments are as in `recall`. Nothing counts as used. Without vectors there are no
        themes, and the phrases are not grouped. Memories of the scope's parents are not read.

        Raises InvalidArgumentError and ArgumentTypeError.
        """
        return self._about(cue, tokens, where)

    @verb(command="summarise")
    def summarise(self, identifier: int, longest: int = 240) -> str:
        """A model's summary of a theme, in about `longest` (40–2,000) characters. It is "" if the
        gate refuses the answer, and the members' sentences themselves if they are not longer.

        Needs `may_write=True` and a worker with a model. Nothing of it is stored. Raises
        UnknownThemeError; InvalidArgumentError without `may_write`; ModelError if the model does
        not answer; ArgumentTypeError.
        """
        if self._process is None:
            raise InvalidArgumentError(
                "a summary needs may_write=True and a worker with a model; "
                "theme.sentence is a member's own"
            )
        check_count("longest", longest, 40, 2000)
        identifier = check_count("a theme's id", identifier, 0, _LAST_ID)
        with self._ground.reading() as view:
            sentences = self._made(view).sentences(identifier)
        return summarised(self._process(), sentences, longest)

    @verb(command="episodes")
    def episodes(self, session: str) -> list[Episode]:
        """The episodes of a session, in order; [] if the session is unknown.

        Raises ArgumentTypeError, InvalidArgumentError.
        """
        check_encodable("a session", check_str("a session", session))
        with self._ground.reading() as view:
            return self._made(view).episodes(session)

    @verb(writes=True, idempotent=True, command="assimilate")
    def assimilate(self, timeout: float | None = None) -> int:
        """Assign waiting nodes to themes, for at most `timeout` seconds. Returns how many wait.

        When none waits and enough nodes have changed, all themes are made at once, so that they do
        not depend on the order in which nodes came. One node is enough, 7 in a memory of 2,000
        semantics, 128 in one of 8,192; with more it is never done. The background does both too,
        but waits for more changes. Nodes need their vectors first: see `admin.enrich`.
        """
        seconds = inf if timeout is None else check_range("timeout", timeout, 0, _LONGEST)
        end = monotonic() + seconds
        while self._index.step(_AT_ONCE, link=True) and monotonic() < end:
            pass
        return self._index.waiting

    @verb(command="export")
    def export(
        self,
        *,
        yaml: str | os.PathLike[str] | None = None,
        gexf: str | os.PathLike[str] | None = None,
        centroids: str | os.PathLike[str] | None = None,
    ) -> dict[str, int]:
        """Write themes as YAML, the whole hierarchy as GEXF for graph viewers, centroids as NPY.
        Returns how many themes, nodes and centroids were written.

        Each file appears complete and replaces an older one. graphmem never reads them. A centroid
        and the vectors of all members but one reveal the vector of the last member: protect the
        file like the memory, and export again after erasing a member.

        Raises InvalidArgumentError, and writes nothing, for `centroids` of a memory without
        vectors; StorageError for a file that cannot be written;
        ArgumentTypeError.
        """
        for name, given in (("yaml", yaml), ("gexf", gexf), ("centroids", centroids)):
            if given is not None:
                path_name(given, name)  # before any file is written
        written: dict[str, int] = {}
        rows = None if centroids is None else self._index.centroids()[1]
        if rows is not None and not len(rows):
            raise InvalidArgumentError(
                "there are no centroids to export: they are made of vectors, and this memory has "
                "none yet; open it with an embedder and call admin.enrich(), or leave out centroids"
            )
        ground = self._ground
        with ground.reading() as view:
            reader = self._made(view)
            if yaml is not None:
                user, config, now = ground.scope.name, self._index.constants, ground.clock()
                write = partial(files.write_yaml, themes=self, user=user, config=config, now=now)
                written["themes"] = write_whole(yaml, write)
            if gexf is not None:
                written["nodes"] = write_whole(
                    gexf, lambda path: self._write_gexf(path, view, reader)
                )
            if centroids is not None and rows is not None:
                written["centroids"] = write_whole(
                    centroids, partial(files.write_centroids, centroids=rows)
                )
        return written

    def _write_gexf(self, path: Path, view: View, reader: ThemeReader) -> int:
        pairs = view.all_pairs()
        nodes = [
            (as_node(n, text, record, view.zone), view.importance(n)) for n, record, text in pairs
        ]
        sessions = dict.fromkeys(node.session for node, _ in nodes if node.session is not None)
        cut = (e for name in sessions for e in reader.episodes(name))
        links = (link for node, _ in nodes for link in view.links(node.id))
        return files.write_gexf(
            path, nodes, links, self._all(), cut, self._ground.clock(), self._places(view)
        )

    @verb()
    def levels(self) -> dict[Level, int]:
        """The number of messages, episodes, semantics and themes.

        Counting episodes reads every session, about a second for 10,000 memories;
        `stats()["themes"]` has the other levels at no cost.
        """
        with self._ground.reading() as view:
            cut = sum(1 for _ in Hierarchy(view, self._index, self._made(view)).episodes())
            themes = self._index.themes()
            return {
                "message": view.state.nodes - len(view.expired),
                "episode": cut,
                "semantic": sum(len(members) for _, members in themes),
                "theme": sum(len(members) > 1 for _, members in themes),
            }

    # -- the hierarchy ------------------------------------------------------------------------

    @verb()
    def children(self, identifier: int | str, level: Level) -> list[int | str]:
        """The ids one level below: of a theme its semantics, of a semantic its episode, of an
        episode ("session#number") its messages, of a message none.

        Raises InvalidArgumentError for an unknown level; UnknownThemeError, UnknownNodeError.
        """
        match _level(level):
            case "theme":
                return list(self[check_count("a theme's id", identifier, 0, _LAST_ID)].members)
            case "semantic":
                return self._episode_of(node_id(identifier, self._ground.scope.name))
            case "episode":
                session, _, number = str(identifier).rpartition("#")
                with self._ground.reading() as view:
                    runs = self._made(view).runs(session)
                return [n for at, run in enumerate(runs, 1) if str(at) == number for n in run]
            case _:
                return []

    @verb()
    def parents(self, identifier: int | str, level: Level) -> list[int | str]:
        """The ids one level above: of a message its episode, of an episode the semantics in it, of
        a semantic its theme, of a theme none. Raises as `children`."""
        match _level(level):
            case "message":
                return self._episode_of(node_id(identifier, self._ground.scope.name))
            case "episode":
                nodes = self.children(identifier, "episode")
                return [n for n in nodes if self._index.theme(int(n)) is not None]
            case "semantic":
                theme = self._index.theme(node_id(identifier, self._ground.scope.name))
                return [] if theme is None else [theme]
            case _:
                return []

    @verb()
    def descendants(self, identifier: int | str, level: Level) -> dict[Level, list[int | str]]:
        """The ids on all lower levels, by level. Raises as `children`."""
        return self._walk(identifier, level, LEVELS[::-1], self.children)

    @verb()
    def ancestors(self, identifier: int | str, level: Level) -> dict[Level, list[int | str]]:
        """The ids on all higher levels, by level. Raises as `children`."""
        return self._walk(identifier, level, LEVELS, self.parents)

    def _walk(
        self,
        identifier: int | str,
        level: Level,
        order: Sequence[Level],
        step: Callable[[int | str, Level], list[int | str]],
    ) -> dict[Level, list[int | str]]:
        found: dict[Level, list[int | str]] = {}
        current = [identifier]
        start = order.index(_level(level))
        for above, below in pairwise(order[start:]):
            current = list(dict.fromkeys(other for one in current for other in step(one, above)))
            found[below] = current
        return found

    def _episode_of(self, node: int) -> list[int | str]:
        with self._ground.reading() as view:
            if view.text(node) is None:
                raise _no_node(node)
            place = Hierarchy(view, self._index, self._made(view)).episode(node)
            return [] if place is None else [f"{place[0]}#{place[1]}"]


def _no_node(node: int) -> UnknownNodeError:
    return UnknownNodeError(f"there is no node {node}; nodes() lists those that there are")


def _level(level: object) -> Level:
    for known in LEVELS:
        if level == known:
            return known
    raise InvalidArgumentError(f"level is one of {', '.join(LEVELS)}, got {level!r:.80}")
