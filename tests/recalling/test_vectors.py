"""Recall with vectors: what shares no word with the cue comes back too, and noise does not."""

import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import InvalidArgumentError
from graphmem.index.vectors import index as vectors
from graphmem.recalling.weights import VECTORS
from graphmem.services.embedder import Encoder, WorkerEmbedder
from graphmem.settings import Ranking
from tests.embedders import Hashed

MEANINGS = {"hound": "dog", "ship": "release", "auto": "car", "wagen": "car"}


class Understanding(Hashed):
    """Knows some words that mean the same."""

    def embed(self, texts: Any, kind: str) -> Any:
        plain = [
            " ".join(MEANINGS.get(w, w) for w in t.casefold().strip(".?").split()) for t in texts
        ]
        return super().embed(plain, kind)


def tell(memory: graphmem.Memory, noise: int) -> None:
    memory.remember("Ada walks her dog.", session="pets", speaker="Ada")
    memory.remember("Wen planned the release.", session="work", speaker="Wen")
    memory.remember("The car is red.", session="work", speaker="Ada")
    memory.remember_many(
        {"text": f"Nothing{number} happened{number} today{number}.", "session": "noise"}
        for number in range(noise)
    )
    assert memory.admin.enrich(timeout=50) == 0


@pytest.fixture(scope="module")
def memory() -> Iterator[graphmem.Memory]:
    model = Understanding(dimensions=512)
    with graphmem.open(
        worker="none", embedder=model, tuning=graphmem.Tuning(vector_patience=60.0)
    ) as opened:
        tell(opened, 60)
        yield opened


def test_a_synonym_is_found_beside_the_words(memory: graphmem.Memory) -> None:
    found = memory.recall("Ada hound", use=False)
    assert found[0].text == "Ada walks her dog."
    assert found[0].parts["vector"] == pytest.approx(VECTORS["vector"])
    assert "means something near" in found[0].why
    assert found.notes == ()


def test_a_cue_of_unknown_words_finds_what_stands_out(memory: graphmem.Memory) -> None:
    """The old rule, that it brings back nothing, holds only as long as nothing is meant."""
    assert memory.recall("wagen auto", use=False)[0].text == "The car is red."


def test_a_cue_of_unknown_words_that_means_nothing_here_finds_nothing(
    memory: graphmem.Memory,
) -> None:
    assert len(memory.recall("xylophone quartet", use=False)) == 0


class Axes:
    """A cue along the first axis, texts near it as their first word says, apart otherwise."""

    name = "axes"
    dimensions = 64

    def embed(self, texts: Any, kind: str) -> Any:
        return [self._along(text) for text in texts]

    def _along(self, text: str) -> list[float]:
        said = text.split()
        if said[0] == "wagen":
            return [1.0, *[0.0] * 63]
        near, axis = float(said[0]), int(said[-1])
        return [near, *((1 - near**2) ** 0.5 * (place == axis) for place in range(63))]


def test_other_words_find_what_stands_out_little() -> None:
    """Where a cue in other words is answered, the nearest often stands out a little less than the
    greatest of chance would; the answer was lost."""
    with graphmem.open(
        worker="none", embedder=Axes(), tuning=graphmem.Tuning(vector_patience=60.0)
    ) as memory:
        memory.remember_many(
            {"text": f"{(-0.1, 0.1)[number % 2]} of item {number}", "session": f"s{number}"}
            for number in range(60)
        )
        memory.remember("0.26 of item 60")
        assert memory.admin.enrich(timeout=50) == 0
        assert memory.recall("wagen auto", use=False)[0].text == "0.26 of item 60"


def test_a_small_memory_is_asked_by_meaning_too() -> None:
    """Of ten values none lies four deviations above their mean, however far it stands out."""
    with graphmem.open(
        worker="none",
        embedder=Understanding(dimensions=512),
        tuning=graphmem.Tuning(vector_patience=60.0),
    ) as memory:
        memory.remember("The car is red.")
        for number in range(9):
            memory.remember(f"Nothing{number} happened{number} today{number}.")
        assert memory.admin.enrich(timeout=50) == 0
        assert memory.recall("wagen auto", use=False)[0].text == "The car is red."
        assert len(memory.recall("xylophone quartet", use=False)) == 0


def test_what_the_nearest_is_linked_with_comes_along(memory: graphmem.Memory) -> None:
    """The nearest is an entry node: activation spreads from it as from a match of words."""
    found = memory.recall("wagen auto", use=False, cut="none")
    assert any(hit.parts["activation"] > 0.05 for hit in found[1:])


def test_links_bring_no_more_than_a_match_lacks(memory: graphmem.Memory) -> None:
    """Neighbours that matched anyway counted twice, and stood above the answer."""
    found = memory.recall("Ada hound", use=False)
    assert any(hit.parts["activation"] for hit in found)
    for hit in found:
        own = (hit.parts["words"] / VECTORS["words"] + hit.parts["vector"] / VECTORS["vector"]) / 2
        assert hit.parts["activation"] <= VECTORS["activation"] * (1 - own) + 1e-9


def test_what_the_subject_has_in_common_is_no_answer() -> None:
    """Of the paragraphs on somebody the one that sums them up was nearest, whatever was asked."""
    model = Hashed(dimensions=512)
    with graphmem.open(
        worker="none", embedder=model, tuning=graphmem.Tuning(vector_patience=60.0)
    ) as memory:
        memory.remember_many(f"Keller thing{number}." for number in range(100))
        (sum_up,) = memory.remember("Keller Keller Keller Basel.")
        (answer,) = memory.remember("Basel Basel Basel Keller.")
        memory.remember_many(f"Nothing{number} happened{number}." for number in range(100))
        assert memory.admin.enrich(timeout=50) == 0
        parts = {hit.id: hit.parts for hit in memory.recall("Keller Basel", use=False, cut="none")}
    best = max(part["contrast"] for part in parts.values())
    assert parts[answer.id]["contrast"] == best == pytest.approx(VECTORS["contrast"])
    assert 0 <= parts[sum_up.id]["contrast"] < 0.8 * best


def test_among_a_few_the_nearest_is_not_held_against_itself() -> None:
    """Of five notes it was a fifth of what it was contrasted with, and lost to one that said less."""
    model = Hashed(dimensions=512)
    with graphmem.open(
        worker="none", embedder=model, tuning=graphmem.Tuning(vector_patience=60.0)
    ) as memory:
        (same,) = memory.remember("Ada Ghent trip.")
        for text in ("Ada Ghent boat.", "Ada Ghent tea.", "Ada rain snow.", "Wen slept."):
            memory.remember(text)
        assert memory.admin.enrich(timeout=50) == 0
        inside = rooms(memory)
        vector, _ = inside.recaller.cue_vector("Ada Ghent trip.")
        assert vector is not None
        with inside.store.snapshot() as snapshot:
            near = inside.vectors.nearest(inside.vectors.hold(), snapshot.sequence, vector)
        assert near is not None
        assert near.contrasts([same.id])[same.id] == pytest.approx(1.0, abs=0.03)


def test_the_whole_cue_has_the_vector() -> None:
    """Texts say "in 2009" as well: a cue without it was nearest to the first paragraph."""
    model = Hashed()
    with graphmem.open(
        worker="none", embedder=model, tuning=graphmem.Tuning(vector_patience=60.0)
    ) as memory:
        memory.remember("Ada moved to Ghent in 2009.")
        assert memory.admin.enrich(timeout=50) == 0
        memory.recall("Where did Ada move in 2009?", use=False)
    assert ("Where did Ada move in 2009?", "query") in model.asked


def test_filters_hold_for_what_the_vectors_find(memory: graphmem.Memory) -> None:
    for mode in ("activation", "hybrid"):
        found = memory.recall(
            "wagen auto", where=graphmem.Where(session="pets"), mode=mode, use=False
        )  # type: ignore[arg-type]
        assert {hit.node.session for hit in found} <= {"pets"}


def test_hybrid_is_the_sum_of_both_and_nothing_else(memory: graphmem.Memory) -> None:
    found = memory.recall("Ada hound", mode="hybrid", limit=1000, use=False)
    assert found[0].text == "Ada walks her dog."
    assert found[0].score == pytest.approx(1.0)
    for hit in found:
        assert set(hit.parts) == {"words", "vector"}
        assert hit.score == pytest.approx(sum(hit.parts.values()))
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    budget = memory.recall("Ada hound", mode="hybrid", tokens=20, use=False)
    assert "dog" in budget.text


def test_hybrid_without_vectors_is_refused() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("A text.")
        with pytest.raises(InvalidArgumentError, match="needs vectors"):
            memory.recall("text", mode="hybrid")


@pytest.mark.parametrize("cue", ["", " ", "...", "🎂", "\x00", "\ud800", "a" * 100_000, "的 " * 50])
def test_odd_cues_are_answered(memory: graphmem.Memory, cue: str) -> None:
    for mode in ("activation", "hybrid"):
        found = memory.recall(cue, mode=mode, limit=3, use=False)  # type: ignore[arg-type]
        assert len(found) <= 3


def test_vectors_of_no_weight_are_as_if_there_were_none() -> None:
    """Nor may a cue of which no word is known divide by the best of nothing."""
    with graphmem.open(
        worker="none",
        embedder=Understanding(dimensions=512),
        tuning=graphmem.Tuning(vector_patience=60.0, ranking=Ranking(vector_weight=0)),
    ) as memory:
        memory.remember("The car is red.")
        for number in range(30):
            memory.remember(f"Nothing{number} happened{number} today{number}.")
        assert memory.admin.enrich(timeout=50) == 0
        assert len(memory.recall("wagen auto", use=False)) == 0
        found = memory.recall("car", use=False)
    assert found[0].text == "The car is red."
    assert all(hit.parts["vector"] == 0 for hit in found)


def test_a_waiting_node_is_found_by_its_words(memory: graphmem.Memory) -> None:
    """What was told a moment ago must not lose to noise that has its vectors already."""
    rooms(memory).database.embedding.stop()
    memory.remember("A zeppelin landed.")
    assert memory.recall("zeppelin", use=False)[0].text == "A zeppelin landed."
    assert memory.admin.stats()["vectors"]["waiting"] == 1


def searched(memory: graphmem.Memory, how: str) -> bool:
    """Wait until the vectors are searched like that."""
    end = time.monotonic() + 30
    while memory.admin.stats()["vectors"]["search"] != how:
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.slow
@pytest.mark.skipif(find_spec("usearch") is None, reason="usearch is not installed")
def test_many_vectors_are_searched_approximately_and_the_same_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The graph is made behind the user's back, at each opening anew: neither is to be noticed."""
    monkeypatch.setattr(vectors, "_STEP", 0.1)
    knobs: dict[str, Any] = {
        "worker": "none",
        "tuning": graphmem.Tuning(vector_patience=10.0, worker_share=1.0),
    }

    def opened(model: str = "words") -> graphmem.Memory:
        made = Understanding(model, dimensions=512)
        return graphmem.open(tmp_path / "m", embedder=made, **knobs)

    cues = ("wagen auto", "Ada hound", "happened7", "ship", "xylophone quartet")

    def told(memory: graphmem.Memory) -> list[dict[int, float]]:
        # Contrast is less the mean with the hundred nearest, of which one may be missed.
        found = (memory.recall(cue, use=False) for cue in cues)
        return [{hit.id: pytest.approx(hit.score, abs=0.05) for hit in hits} for hits in found]

    with opened() as memory:
        tell(memory, 300)
        assert memory.admin.stats()["vectors"]["search"] == "exact"
        exact = told(memory)
        monkeypatch.setattr(vectors, "EXACT", 100)
        assert searched(memory, "approximate")
        assert told(memory) == exact
    with opened() as memory:
        assert searched(memory, "approximate")
        assert told(memory) == exact
    with opened("other") as memory:
        assert memory.admin.enrich(timeout=50) == 0
        assert searched(memory, "approximate")
        assert told(memory) == exact
        new = memory.remember("The car is blue.")[0].id
        assert memory.admin.enrich(timeout=50) == 0
        assert new in {hit.id for hit in memory.recall("wagen auto", use=False)}
        memory.forget(new, erase=True)
        assert new not in {hit.id for hit in memory.recall("wagen auto", use=False)}
        assert memory.admin.check() == []
        assert memory.admin.stats()["upkeep_error"] is None


class Bilingual(Hashed):
    """Vectors that lie by language first, and then by what is meant."""

    MEANT = ("rain|雨", "school|学校", "chess|棋", "soup|汤", "airport|机场")

    def embed(self, texts: Any, kind: str) -> Any:
        rows = np.full((len(texts), self.dimensions), 0.01)
        for row, text in zip(rows, texts, strict=True):
            row[0] = 2.0 if text.isascii() else -2.0
            for place, names in enumerate(self.MEANT, 1):
                row[place] += any(name in text.casefold() for name in names.split("|"))
        return rows


def test_what_was_told_in_another_language_comes_back() -> None:
    """Words meet only what is written alike: so nobody was told what their family writes."""
    with graphmem.open(
        worker="none",
        embedder=Bilingual(),
        tuning=graphmem.Tuning(vector_patience=60.0, ranking=Ranking(activation_weight=0.0)),
    ) as memory:
        for number in range(8):
            memory.remember(f"Chess was number {number}.", session=f"chess {number}")
            memory.remember(f"第{number}次下雨的时候,学校放假。", session=f"rain {number}")
        memory.remember("The soup at the airport was cold.", session="soup")
        assert memory.admin.enrich(timeout=50) == 0
        cold = memory.recall("Was the soup cold?", use=False)
        assert cold[0].text == "The soup at the airport was cold."
        asked_in_chinese = memory.recall("机场的汤冷吗?", use=False)
        assert asked_in_chinese[0].text == "The soup at the airport was cold."
        assert asked_in_chinese[0].parts["words"] == 0.0


class Loading(WorkerEmbedder):
    """A model that takes a while to load, and is quick from then on."""

    name = "slow start"
    dimensions = 8

    def __init__(self) -> None:
        self.loaded = Event()

    def embed(self, texts: Any, kind: Any) -> Any:
        self.loaded.wait(30)
        return [[1.0] * 8 for _ in texts]


def test_the_first_cue_waits_until_the_model_is_loaded() -> None:
    """The first recalls after `open` were made without vectors: patience ran while it loaded."""
    model = Loading()
    encoder = Encoder(model, 30.0)
    encoder.warm()
    Timer(1.5, model.loaded.set).start()
    assert encoder.query("the boiler", 0.5).shape == (8,)
    encoder.close()


def test_a_memory_that_is_opened_without_its_vectors_says_so(tmp_path: Path) -> None:
    """A command on a folder with vectors ranked without them, and nobody knew."""
    with graphmem.open(tmp_path / "m", worker="none", embedder=Axes()) as memory:
        memory.remember("The boiler was serviced in May.")
        memory.admin.enrich(20)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert any("without vectors" in note for note in memory.recall("boiler").notes)
    with graphmem.open(worker="none") as memory:
        memory.remember("The boiler was serviced in May.")
        assert memory.recall("boiler").notes == ()
