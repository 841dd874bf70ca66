"""What a memory goes through must leave no theme behind that names what is gone."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from time import sleep

import numpy as np
import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.exchange import transfer
from tests.embedders import Hashed
from tests.themes.test_catalog import SUBJECTS, remembered, settle

ROOT = Path(__file__).parents[2]


def assert_whole(memory: graphmem.Memory) -> None:
    """The themes are a partition of nodes that are there, and nothing waits."""
    settle(memory)
    assert memory.admin.check() == []
    members = [node for theme in memory.themes for node in theme.members]
    assert len(members) == len(set(members))
    assert all(node in memory for node in members)
    for theme in memory.themes:
        assert all(memory.themes.of(node) == theme for node in theme.members[:2])


def test_an_erased_vector_cannot_be_computed_from_what_is_left(tmp_path: Path) -> None:
    """The attack: with the vectors of the others, a centroid of before the erasure tells the one
    that is missing. So none may be stored, and one that is exported must be made of the others."""
    with remembered(tmp_path / "m") as memory:
        theme = memory.themes.of(3)
        assert theme is not None
        held = rooms(memory).vectors.hold()
        assert held is not None
        scale = rooms(memory).theme_index.calibration
        assert scale is not None
        rows = dict(zip(theme.members, scale.centred(held.vectors(theme.members)), strict=True))
        lost = rows.pop(3)

        def residual() -> float:
            """How much of the erased vector is in what the centroid has beyond the others."""
            memory.themes.export(centroids=tmp_path / "c.npy")
            places = [one.id for one in memory.themes]
            direction = np.load(tmp_path / "c.npy")[places.index(theme.id)]
            rest = np.sum(list(rows.values()), axis=0)
            beyond = direction - (direction @ rest) / (rest @ rest) * rest
            return float(np.linalg.norm(beyond))

        assert residual() > 0.01  # the attack works while the text is there
        memory.forget(3, erase=True)
        assert residual() < 1e-4
        assert_whole(memory)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "m").rglob("*") if path.is_file())
    assert lost.tobytes()[:64] not in stored
    with remembered(tmp_path / "m") as memory:
        again = memory.themes.of(next(iter(rows)))
        assert again is not None
        assert 3 not in again.members


@pytest.mark.parametrize(
    "change",
    [
        lambda memory: memory.forget(5),
        lambda memory: memory.correct(5, "The harbour and the boat need a new sail"),
        lambda memory: memory.replace(5, "The harbour and the boat need a new mast"),
        lambda memory: (memory.forget(5), memory.history.revive(5)),
        lambda memory: [memory.sweep() for _ in range(8)],
        lambda memory: memory.admin.shrink(1500),
    ],
    ids=["forget", "correct", "replace", "revive", "sweep", "shrink"],
)
def test_themes_follow_what_a_memory_goes_through(
    change: Callable[[graphmem.Memory], object],
) -> None:
    with remembered(tuning=graphmem.Tuning(grace=0)) as memory:
        change(memory)
        assert_whole(memory)
        assert sum(map(len, memory.themes)) <= len(memory)


def test_a_corrected_memory_changes_its_theme() -> None:
    with remembered() as memory:
        (new,) = memory.correct(1, "The harbour and the anchor need a mast and a sail")
        assert_whole(memory)
        theme = memory.themes.of(new)
        assert theme is not None
        assert set(theme.name.split(" · ")) & set(SUBJECTS["boat"].split())


@pytest.mark.usefixtures("by_passes")
def test_a_shorter_form_stays_in_its_theme() -> None:
    with remembered(tuning=graphmem.Tuning(grace=0)) as memory:
        # The others are said in so few words that they have no gist.
        memory.remember(
            "The harbour, the boat and the anchor need a mast, a sail and a rope, so the captain "
            "of the old ship looks for one in every shop along the shore."
        )
        for number in range(6):  # which stand in focus after it
            memory.remember(f"The ladder {number} leans at the wall.")
        settle(memory)
        before = {node: theme.id for theme in memory.themes for node in theme.members}
        for _ in range(200):
            memory.sweep()
            if gists := [node.id for node in memory.nodes(form="gist") if node.id in before]:
                break
        assert gists
        memory.admin.enrich(30)
        memory.themes.assimilate(30)
        for node in gists:
            theme = memory.themes.of(node)
            assert theme is not None
            assert theme.faded > 0


def test_a_dropped_scope_takes_its_themes_along(tmp_path: Path) -> None:
    with remembered(tmp_path / "m") as memory:
        other = memory.scopes.open("other")
        other.remember_many({"text": f"The kiln of number {n} needs clay"} for n in range(40))
        settle(other)
        assert len(other.themes)
        memory.scopes.drop("other")
        assert_whole(memory)
        assert len(memory.scopes.open("other").themes) == 0


def test_an_imported_and_a_repaired_memory_have_themes_again(tmp_path: Path) -> None:
    with remembered(tmp_path / "m") as memory:
        size = memory.admin.stats()["themes"]["semantics"]
    transfer.export(tmp_path / "m", str(tmp_path / "m.jsonl"))
    transfer.load(tmp_path / "copy", [str(tmp_path / "m.jsonl")])
    graphmem.repair(tmp_path / "m")
    for folder in ("m", "copy"):
        with remembered(tmp_path / folder) as memory:
            assert_whole(memory)
            assert memory.admin.stats()["themes"]["semantics"] == size


WRITER = """
import sys
from tests.embedders import Hashed
import graphmem
memory = graphmem.open(sys.argv[1], worker="none", embedder=Hashed(dimensions=64), durability="sync")
words = "pottery clay glaze kiln bowl harbour boat sail mast anchor flour dough oven loaf".split()
print("begun", flush=True)
for number in range(100_000):
    first, second, third = (words[(number * k) % len(words)] for k in (1, 3, 5))
    memory.remember(f"The {first} and the {second} need a {third} {number}")
    if number % 16 == 0:
        memory.admin.enrich(); memory.themes.assimilate()
        if number >= 48: print(number, flush=True)
"""


@pytest.mark.faults
def test_a_kill_leaves_every_memory_in_one_theme_or_waiting(tmp_path: Path) -> None:
    for delay in (0.0, 0.05, 0.2):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "m")],
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert writer.stdout is not None
        assert writer.stdout.readline() == "begun\n"
        assert writer.stdout.readline()  # the first themes are there
        sleep(delay)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        with graphmem.open(tmp_path / "m", worker="none", embedder=Hashed(dimensions=64)) as memory:
            assert_whole(memory)
            assert len(memory.themes)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_memories_arrive_while_others_recall() -> None:
    """Readers must see whole themes, whatever is being split or moved."""
    subjects = [
        " ".join(f"{letter}{place}word" for place in range(6))
        for letter in map(chr, range(97, 123))
    ]

    def texts() -> Iterator[str]:
        draw = np.random.default_rng(0)
        for number in range(10_000):
            words = subjects[number % 26].split()
            chosen = draw.permutation(words)[:4]
            yield f"The {' '.join(chosen)} number {number} needs it"

    with graphmem.open(worker="none", embedder=Fast(dimensions=32)) as memory:
        arriving = Thread(target=lambda: memory.remember_many(texts()))
        arriving.start()
        asked = 0
        while arriving.is_alive():
            cue = subjects[asked % 26]
            memory.recall(cue, use=False)
            memory.themes.about(cue, tokens=200)
            memory.recall(cue, mode="themes", use=False)
            for theme in list(memory.themes)[:3]:
                assert len(set(theme.members)) == len(theme)
            asked += 1
        arriving.join()
        settle(memory)
        assert memory.admin.check() == []
        members = [node for _, nodes in rooms(memory).theme_index.themes() for node in nodes]
        assert len(members) == len(set(members))
        assert asked > 10


class Fast(Hashed):
    """Knows the words that it has seen."""

    def __init__(self, dimensions: int) -> None:
        super().__init__("fast", dimensions)
        self._known: dict[str, np.ndarray] = {}

    def _vector(self, text: str) -> np.ndarray:
        total = np.full(self.dimensions, 1e-3)
        for word in text.casefold().split():
            if word not in self._known:
                self._known[word] = super()._vector(word)
            total += self._known[word]
        return total
