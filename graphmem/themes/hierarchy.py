"""The hierarchy of one view: the episode and the theme of a node, and the nodes of each."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.graph.view import View
from graphmem.themes.catalog import ThemeReader
from graphmem.themes.index import ThemeIndex
from graphmem.values.links import Membership


class Hierarchy:
    """Levels by ids, for what presents them as triples and beside links."""

    def __init__(self, view: View, index: ThemeIndex, reader: ThemeReader) -> None:
        self._view = view
        self._index = index
        self._reader = reader
        self._cut: dict[str, list[tuple[int, ...]]] = {}

    def theme(self, node: int) -> int | None:
        """The theme of a node that is there."""
        return None if self._view.record(node) is None else self._index.theme(node)

    def members(self, theme: int) -> list[int]:
        """The nodes of a theme."""
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
