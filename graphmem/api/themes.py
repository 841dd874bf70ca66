"""Themes: what the memories are about, and the episodes of sessions; `memory.themes`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final

from graphmem.api import arguments
from graphmem.api.nouns import Noun
from graphmem.declaring import verb
from graphmem.errors import InvalidArgumentError, ModelError, UnknownThemeError
from graphmem.forgetting import undo
from graphmem.graph.records import as_node
from graphmem.graph.view import View
from graphmem.runtime.themes import hierarchy, places, reader_of, survey
from graphmem.storage.folder import path_name
from graphmem.storage.whole_file import write_whole
from graphmem.themes import files
from graphmem.themes.catalog import ThemeReader
from graphmem.themes.index import ThemeIndex
from graphmem.values.checks import check_count, check_encodable, check_range, check_str
from graphmem.values.hits import Hit
from graphmem.values.identifiers import node_id
from graphmem.values.nodes import Node
from graphmem.values.rendering import Tokens
from graphmem.values.themes import LEVELS, Episode, Level, Survey, Theme
from graphmem.values.where import Where
from graphmem_worker.errors import WorkerError
from graphmem_worker.text.words import script

Process = Callable[[dict[str, Any]], Mapping[str, Any]]
"""Answers a "process" payload of the worker's protocol."""

_LONGEST_SOURCE: Final = 6000  # characters that a model gets
_AT_ONCE: Final = 64  # nodes
_LONGEST: Final = 1 << 30  # seconds
_LAST_ID: Final = (1 << 64) - 1


class Themes(Noun):
    """The themes of a memory. Made by `Memory.themes`; each access reads anew.

    Iteration and length cover the themes of two or more memories, the largest first: a memory
    that is like no other is alone in a theme that only `of(node)` and `themes[id]` return. Ids stay
    the same while the order changes. There are no themes without vectors, nor before a memory has
    32 of them. Memories of the scope's parents have themes of their own.
    """

    @property
    def _index(self) -> ThemeIndex:
        return self._opened.theme_index

    @verb()
    def __len__(self) -> int:
        return sum(len(members) > 1 for _, members in self._index.themes())

    @verb()
    def __iter__(self) -> Iterator[Theme]:
        return (theme for theme in self._all() if len(theme) > 1)

    def _all(self) -> Iterator[Theme]:
        """All themes, those of one memory last."""
        with self._opened.reading() as view:
            reader = reader_of(self._opened, view)
            for identifier, members in self._index.themes():
                with suppress(UnknownThemeError):  # all its members were forgotten meanwhile
                    yield reader.theme(identifier, members)

    @verb(command="show")
    def __getitem__(self, identifier: int) -> Theme:
        """The theme with this id. Raises UnknownThemeError, ArgumentTypeError."""
        identifier = check_count("a theme's id", identifier, 0, _LAST_ID)
        with self._opened.reading() as view:
            return reader_of(self._opened, view).theme(identifier)

    @verb()
    def __contains__(self, identifier: object) -> bool:
        return isinstance(identifier, int) and bool(self._index.members(identifier))

    @verb(command="of")
    def of(self, node: Node | Hit | int) -> Theme | None:
        """The theme of a node; None if it has none, or has not been assigned yet.

        Raises UnknownNodeError.
        """
        identifier = node_id(node, self._name)
        with self._opened.reading() as view:
            if view.record(identifier) is None:
                raise undo.unknown(view, identifier)
            theme = self._index.theme(identifier)
            return None if theme is None else reader_of(self._opened, view).theme(theme)

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
        given = arguments.question(
            self._name, self._now, cue=cue, tokens=tokens, where=where, cut="none"
        )
        check_count("tokens", given.tokens, 0, 1 << 30)  # None is no budget
        return survey(self._opened, given)

    def _process(self) -> Process | None:
        opened = self._opened
        return opened.database.processor if opened.settings.may_write else None

    @verb(command="summarise")
    def summarise(self, identifier: int, longest: int = 240) -> str:
        """A model's summary of a theme, in about `longest` (40–2,000) characters. It is "" if the
        gate refuses the answer, and the members' sentences themselves if they are not longer.

        Needs `may_write=True` and a worker with a model. Nothing of it is stored. Raises
        UnknownThemeError; InvalidArgumentError without `may_write`; ModelError if the model does
        not answer; ArgumentTypeError.
        """
        if (process := self._process()) is None:
            raise InvalidArgumentError(
                "a summary needs may_write=True and a worker with a model; "
                "theme.sentence is a member's own"
            )
        check_count("longest", longest, 40, 2000)
        identifier = check_count("a theme's id", identifier, 0, _LAST_ID)
        with self._opened.reading() as view:
            sentences = reader_of(self._opened, view).sentences(identifier)
        return summarised(process, sentences, longest)

    @verb(command="episodes")
    def episodes(self, session: str) -> list[Episode]:
        """The episodes of a session, in order; [] if the session is unknown.

        Raises ArgumentTypeError, InvalidArgumentError.
        """
        check_encodable("a session", check_str("a session", session))
        with self._opened.reading() as view:
            return reader_of(self._opened, view).episodes(session)

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
        with self._opened.reading() as view:
            reader = reader_of(self._opened, view)
            if yaml is not None:
                user, config, now = self._name, self._index.constants, self._now
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
            path, nodes, links, self._all(), cut, self._now, places(self._opened, view)
        )

    @verb()
    def levels(self) -> dict[Level, int]:
        """The number of messages, episodes, semantics and themes.

        Counting episodes reads every session, about a second for 10,000 memories;
        `stats()["themes"]` has the other levels at no cost.
        """
        with self._opened.reading() as view:
            cut = sum(1 for _ in hierarchy(self._opened, view).episodes())
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
                return self._episode_of(node_id(identifier, self._name))
            case "episode":
                session, _, number = str(identifier).rpartition("#")
                with self._opened.reading() as view:
                    runs = reader_of(self._opened, view).runs(session)
                return [n for at, run in enumerate(runs, 1) if str(at) == number for n in run]
            case _:
                return []

    @verb()
    def parents(self, identifier: int | str, level: Level) -> list[int | str]:
        """The ids one level above: of a message its episode, of an episode the semantics in it, of
        a semantic its theme, of a theme none. Raises as `children`."""
        match _level(level):
            case "message":
                return self._episode_of(node_id(identifier, self._name))
            case "episode":
                nodes = self.children(identifier, "episode")
                return [n for n in nodes if self._index.theme(int(n)) is not None]
            case "semantic":
                theme = self._index.theme(node_id(identifier, self._name))
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
        with self._opened.reading() as view:
            if view.text(node) is None:
                raise undo.unknown(view, node)
            place = hierarchy(self._opened, view).episode(node)
            return [] if place is None else [f"{place[0]}#{place[1]}"]


def _level(level: object) -> Level:
    for known in LEVELS:
        if level == known:
            return known
    raise InvalidArgumentError(f"level is one of {', '.join(LEVELS)}, got {level!r:.80}")


def summarised(process: Process, sentences: Sequence[str], longest: int) -> str:
    """A model's summary of sentences in about `longest` characters; "" if it refuses, or if the
    gate finds anything in its answer that the sentences do not support.

    sentences: the most important first; as many are given as fit into 6,000 characters. Raises
    ModelError if the model does not answer.
    """
    source = ""
    for sentence in dict.fromkeys(sentences):
        if len(source) + len(sentence) >= _LONGEST_SOURCE:
            break
        source += f"{_closed(sentence)}\n"
    if len(source) <= longest:
        return source.strip()
    wish = {"source": source.strip(), "longest": longest, "speaker": ""}
    try:
        result = process({"sentences": [], "keywords": [], "rarity": {}, "wish": wish})
    except WorkerError as error:
        raise ModelError(f"the model gave no summary: {error}; try again") from error
    return str(result.get("written", {}).get("derived", ""))


def _closed(sentence: str) -> str:
    """A sentence with a stop at its end: the gate compares clause by clause."""
    if not sentence[-1:].isalnum():
        return sentence
    return sentence + ("。" if script(sentence) == "cjk" else ".")
