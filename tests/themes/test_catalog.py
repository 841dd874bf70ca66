"""Themes that lag behind the memory, or outlive it, show what is not there any more."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, UnknownThemeError
from graphmem.themes import index
from tests.embedders import Hashed

SUBJECTS = {
    "kiln": "pottery clay glaze kiln bowl",
    "boat": "harbour boat sail mast anchor",
    "bread": "flour dough oven sourdough loaf",
    "choir": "choir soprano rehearsal concert hymn",
}
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def sentences() -> Iterator[dict[str, Any]]:
    """Fifteen texts about each of four subjects, in turns of five."""
    at = START
    for turn in range(3):
        for given in SUBJECTS.values():
            words = given.split()
            for number in range(5):
                first, second, third = (words[(number + k) % 5] for k in range(3))
                at += timedelta(minutes=1)
                yield {
                    "text": f"The {first} and the {second} need a {third} {turn}{number}",
                    "session": f"day {turn}",
                    "happened": at,
                    "speaker": "Ines" if number % 2 else "Bo",
                }
        at += timedelta(days=1)


def remembered(path: Path | None = None, **options: Any) -> graphmem.Memory:
    memory = graphmem.open(path, worker="none", embedder=Hashed(dimensions=64), **options)
    if not len(memory):
        memory.remember_many(sentences())
    settle(memory)
    return memory


def settle(memory: graphmem.Memory) -> None:
    memory.admin.enrich(30)
    assert memory.themes.assimilate(30) == 0


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with remembered() as memory:
        yield memory


def partition(memory: graphmem.Memory) -> list[list[int]]:
    """The members of all themes, those of one memory too."""
    found: dict[int, list[int]] = {}
    for node in memory.nodes():
        if (theme := memory.themes.of(node)) is not None:
            found.setdefault(theme.id, []).append(node.id)
    return sorted(sorted(members) for members in found.values())


def test_a_memory_that_is_like_no_other_is_not_listed(memory: graphmem.Memory) -> None:
    """Half of the themes of a small memory were of one memory each: nobody reads such a list."""
    (alone,) = memory.remember("Zebras gallop over Jupiter whenever trombones whistle quietly.")
    settle(memory)
    theme = memory.themes.of(alone)
    assert theme is not None
    assert theme.members == (alone.id,)
    assert theme.core == ()
    assert not theme.named
    assert (theme.name, theme.keywords) == ("", ())
    assert str(theme) == f"{theme.sentence} (1)"
    assert memory.themes[theme.id] == theme
    assert theme.id not in {listed.id for listed in memory.themes}
    assert memory.themes.levels()["theme"] == len(list(memory.themes))
    assert (
        len(memory.themes) == len(list(memory.themes)) == memory.admin.stats()["themes"]["themes"]
    )
    assert memory.admin.stats()["themes"]["alone"] >= 1


def test_every_semantic_is_in_one_theme_and_its_subject(memory: graphmem.Memory) -> None:
    themes = list(memory.themes)
    members = [node for theme in partition(memory) for node in theme]
    assert len(members) == len(set(members)) == 60
    listed = [node for theme in themes for node in theme.members]
    assert len(listed) == len(set(listed)) > 50
    for theme in themes:
        subjects = {(node - 1) // 5 % 4 for node in theme.members}
        assert len(subjects) == 1, theme
    assert [len(theme) for theme in themes] == sorted(map(len, themes), reverse=True)


def test_a_theme_says_what_it_is_about(memory: graphmem.Memory) -> None:
    theme = memory.themes.of(1)
    assert theme is not None
    assert theme.named
    assert set(theme.name.split(" · ")) & set(SUBJECTS["kiln"].split())
    held = rooms(memory).vectors.hold()
    assert held is not None
    for one in memory.themes:
        rows = held.vectors(one.core)
        central = one.core[int((rows @ rows.sum(axis=0)).argmax())]
        assert one.sentence == memory[central].text
    assert theme.speakers[0] == "Bo"
    assert theme.first is not None
    assert theme.last is not None
    assert theme.first < theme.last
    assert theme.faded == 0
    assert memory.themes[theme.id].members == theme.members
    assert theme.id in memory.themes
    assert all(other in memory.themes for other, _ in theme.neighbours)


TOLD = {
    "We decided to use the big kiln for the glaze and the bowl.": "decision",
    "我们决定新的窑只用来烧釉和碗。": "decision",
    "Ines prefers the harbour with the sail and the mast up.": "preference",
    "伊内斯喜欢在港口看帆和桅杆。": "preference",
    "The choir of Porto usually sings the hymn of Maria Alves at 7 in the old harbour.": "pattern",
    "合唱团一般每周三晚上在音乐会之前排练。": "pattern",
    "The sourdough of Maria Alves is in the old oven beside 12 loaves.": "fact",
    "做面包的面团在面粉旁边的烤箱里。": "fact",
}


def test_a_semantic_says_what_kind_it_is() -> None:
    """In both languages, and as the metadata says."""
    with remembered() as memory:
        kinds = {memory.remember(text)[0].id: kind for text, kind in TOLD.items()}
        for said, kind in ((True, "decision"), (False, "preference")):
            text = f"We decided {said}ly that Bo prefers the anchor of the boat."
            kinds[memory.remember(text, metadata={"decision": said})[0].id] = kind
        settle(memory)
        for node, kind in kinds.items():
            theme = memory.themes.of(node)
            assert theme is not None, memory[node]
            assert len(theme.kinds) == len(theme.members)
            assert dict(zip(theme.members, theme.kinds, strict=True))[node] == kind, memory[node]
            assert memory.themes[theme.id].kinds == theme.kinds


def test_a_calibration_made_anew_in_pieces_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Doubling a large memory stopped the background for most of a second: what is told, and what
    is forgotten, between the pieces must come out as if it had been one."""
    with remembered() as memory:
        monkeypatch.setattr(index, "_RENEWED_FOR", -1)  # one piece in each step
        before = {node.id: theme.id for node in memory.nodes() if (theme := memory.themes.of(node))}
        more = ({**turn, "text": f"{turn['text']} again"} for turn in sentences())
        told = [node.id for made in memory.remember_many(more) for node in made]
        memory.admin.enrich(30)
        gone: list[int] = []
        for some in zip(range(3, 33), reversed(told), strict=False):
            memory.themes.assimilate(0)
            for node in some:
                memory.forget(node)
            gone += some
            held = {node for _, nodes in rooms(memory).theme_index.themes() for node in nodes}
            assert held.isdisjoint(gone)  # or a centroid would have something of it
        settle(memory)
        left = [node for node in (*before, *told) if node not in gone]
        assert sorted(node for theme in partition(memory) for node in theme) == left


def test_memories_that_come_after_greetings_only_have_themes() -> None:
    """Sixty joined themes that were thrown away: there were none before the calibration that their
    coming called for."""
    with graphmem.open(worker="none", embedder=Hashed(dimensions=64)) as memory:
        memory.remember_many([f"Thanks {number}!" for number in range(40)])
        settle(memory)
        assert len(memory.themes) == 0
        memory.remember_many(sentences())
        settle(memory)
        assert sum(map(len, partition(memory))) == 60


def test_a_forgotten_memory_leaves_its_theme(memory: graphmem.Memory) -> None:
    theme = memory.themes.of(3)
    assert theme is not None
    memory.forget(3)
    assert 3 not in memory.themes[theme.id].members
    for node in theme.members:
        if node != 3:
            memory.forget(node)
    assert theme.id not in memory.themes
    with pytest.raises(UnknownThemeError, match="iterate over"):
        memory.themes[theme.id]


def test_themes_are_the_same_after_closing_and_opening(tmp_path: Path) -> None:
    with remembered(tmp_path / "m") as memory:
        before = partition(memory)
    with remembered(tmp_path / "m") as memory:
        assert partition(memory) == before


def test_a_new_model_puts_all_into_themes_again(tmp_path: Path) -> None:
    with remembered(tmp_path / "m"):
        pass
    other = Hashed("other", dimensions=48)
    with graphmem.open(tmp_path / "m", worker="none", embedder=other) as memory:
        settle(memory)
        assert sum(map(len, partition(memory))) == 60


def test_episodes_keep_to_one_subject(memory: graphmem.Memory) -> None:
    episodes = memory.themes.episodes("day 1")
    assert [node for episode in episodes for node in episode.nodes] == list(range(21, 41))
    assert len(episodes) >= 4
    for episode in episodes:
        assert len({(node - 1) // 5 for node in episode.nodes}) == 1
        assert episode.start <= episode.end
    assert memory.themes.episodes("no such day") == []


def test_the_levels_lead_down_and_up_again(memory: graphmem.Memory) -> None:
    theme = memory.themes.of(1)
    assert theme is not None
    below = memory.themes.descendants(theme.id, "theme")
    assert list(below) == ["semantic", "episode", "message"]
    assert set(below["semantic"]) == set(theme.members)
    assert set(theme.members) <= set(below["message"])
    above = memory.themes.ancestors(1, "message")
    assert list(above) == ["episode", "semantic", "theme"]
    assert theme.id in above["theme"]
    with pytest.raises(InvalidArgumentError, match="level is one of message, episode"):
        memory.themes.children(1, "chapter")  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError):
        memory.themes["1"]  # type: ignore[index]


def test_without_vectors_there_are_no_themes_but_episodes_by_time() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember_many(sentences())
        assert len(memory.themes) == 0
        assert memory.themes.of(1) is None
        assert memory.themes.episodes("day 0")
        memory.remember("The kettle is broken.", session="alone")
        (episode,) = memory.themes.episodes("alone")
        assert episode.title == episode.sentence == "The kettle is broken."


class Placed:
    """Five texts about each of sixteen subjects have nearly one vector; the stray is 45° off the
    first of them."""

    name, dimensions = "placed", 64
    subjects = (
        "kiln harbour oven choir bicycle lantern orchard violin compass saddle glacier carpet "
        "telescope vineyard lighthouse chessboard"
    ).split()
    stray = "Yesterday the accountant posted eleven angry letters to Lisbon."
    unsaid = "The fire of Faro is hot, and it is still too hot."  # the first, by another word

    def embed(self, texts: Sequence[str], kind: str) -> list[list[float]]:
        return [self._vector(text).tolist() for text in texts]

    def _vector(self, text: str) -> Any:
        noise = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dimensions)
        place = next((at for at, name in enumerate(self.subjects) if name in text), None)
        place = 0 if text == self.unsaid else place
        found = 0.1 * noise / np.linalg.norm(noise)
        found[0 if place is None else place] += 1
        if place is None:
            found[63] += 1
        return found / np.linalg.norm(found)


def test_what_a_name_is_not_about_is_not_in_the_core() -> None:
    """A theme's name stood beside a fact that has nothing to do with it but its vector."""
    texts = [
        f"The {name} of {place} is old, and it is still standing."
        for place in ("Porto", "Ghent", "Malmo", "Turin", "Cadiz")
        for name in Placed.subjects
    ]
    with graphmem.open(worker="none", embedder=Placed()) as memory:
        memory.remember_many([{"text": text} for text in texts])
        memory.remember(Placed.unsaid)
        (stray,) = memory.remember(Placed.stray)
        settle(memory)
        theme = memory.themes.of(stray)
        assert theme is not None
        assert theme.name == "kiln"
        assert stray.id in theme.members
        assert set(theme.core) == set(theme.members) - {stray.id}
        assert len(theme.core) == 6
        assert theme.core_first == (*theme.core, stray.id)
        assert theme.sentence != Placed.stray
        found = memory.themes.about("kiln and the accountant of Lisbon", tokens=2000)
        (kiln,) = (subject for subject in found.subjects if subject.name == "kiln")
        assert set(kiln.nodes) == set(theme.core)
        assert stray.id in found.nodes
