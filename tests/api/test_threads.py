"""Many threads on one memory: readers, writers and a sweep at once, and every view consistent.

A memory that is only right when one thread uses it is wrong in any server.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ClosedError, GraphMemError, HeldError, UnknownNodeError
from graphmem.storage.bell import Bell
from graphmem.storage.syncer import Syncer

WORDS = "release coffee budget Ada Wen May invoice Karlsson 发布 咖啡 预算 证书".split()


def together(works: list[Callable[[threading.Event], None]], seconds: float) -> None:
    """Run each in a thread of its own for so long; what one raises is raised here."""
    stop = threading.Event()
    raised: list[BaseException] = []

    def guarded(work: Callable[[threading.Event], None]) -> None:
        try:
            work(stop)
        except BaseException as error:  # handed to the main thread
            raised.append(error)
            stop.set()

    threads = [threading.Thread(target=guarded, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(thread.is_alive() for thread in threads):
        if stop.wait(0.02):
            break
    stop.set()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive(), "a thread hangs"
    if raised:
        raise raised[0]


@pytest.mark.parametrize("place", ["folder", "memory"])
def test_readers_writers_and_a_sweep_at_once(tmp_path: Path, place: str) -> None:
    """A reader that sees half of a write, or a writer that overwrites another's, loses memories
    that nobody misses until they are asked for."""
    folder = tmp_path / "m" if place == "folder" else None
    written: list[dict[int, str]] = [{}, {}]
    with graphmem.open(
        folder,
        worker="none",
        guard="off",  # "w0p17 left" among random words is like a password
        tuning=graphmem.Tuning(fold_documents=32, worker_share=1.0),
    ) as memory:
        memory.remember("The first of all.")

        def write(turn: int) -> Callable[[threading.Event], None]:
            def work(stop: threading.Event) -> None:
                random = Random(turn)
                number = 0
                while not stop.is_set():
                    number += 1
                    pair = [
                        f"w{turn}p{number} {side} " + " ".join(random.choices(WORDS, k=6))
                        for side in ("left", "right")
                    ]
                    for nodes, text in zip(memory.remember_many(pair), pair, strict=True):
                        written[turn][nodes[0].id] = text
                    if number % 3 == 0:
                        memory.used(random.choice(list(written[turn])))
                    if number % 7 == 0:
                        memory.graph.relate(nodes[0], "because", 1)

            return work

        def read(stop: threading.Event) -> None:
            while not stop.is_set():
                found = memory.recall("release 发布", limit=200, use=False, tokens=500)
                assert len({hit.id for hit in found}) == len(found)
                assert [h.score for h in found] == sorted((h.score for h in found), reverse=True)
                for hit in found:
                    assert not any(link.dangling for link in hit.path)
                assert found.text is not None

        def list_all(stop: threading.Event) -> None:
            while not stop.is_set():
                names = [(n.text or n.phrase).split()[:2] for n in memory]
                sides: dict[str, set[str]] = {}
                for name, *side in names:
                    if name.startswith("w"):
                        sides.setdefault(name, set()).update(side)
                # Both of a pair are written in one batch, and nothing fades in so few passes.
                assert all(len(pair) == 2 for pair in sides.values())

        def look(stop: threading.Event) -> None:
            random = Random(9)
            while not stop.is_set():
                known = list(written[0])
                if known:
                    node = random.choice(known)
                    assert memory[node].text == written[0][node]
                    memory.graph.links(node)
                    assert 0 <= memory.graph.importance(node) <= 4
                assert len(memory.graph.focus) <= 5
                memory.admin.stats()

        def sweep(stop: threading.Event) -> None:
            while not stop.is_set() and memory.admin.stats()["passes"] < 15:
                memory.sweep(0.05)
                stop.wait(0.1)

        def maintain(stop: threading.Event) -> None:
            while not stop.is_set():
                with suppress(HeldError):  # a listing that takes long holds what it reads
                    memory.admin.compact()
                memory.admin.enrich(0.02)
                stop.wait(0.05)

        together([read, read, list_all, look, write(0), write(1), sweep, maintain], 1.2)
        for texts in written:
            assert len(texts) > 10
            for node, text in texts.items():
                assert memory[node].text == text
        assert memory.admin.check() == []
        assert memory.admin.stats()["upkeep_error"] is None


def test_folding_from_two_threads_loses_no_word(tmp_path: Path) -> None:
    """`compact` beside upkeep's own fold: each put its words over the other's, and fresh
    documents were found by nobody until the next start."""
    with graphmem.open(
        tmp_path / "m", worker="none", tuning=graphmem.Tuning(fold_documents=8)
    ) as memory:

        def write(stop: threading.Event) -> None:
            number = 0
            while not stop.is_set():
                number += 1
                memory.remember(f"unique{number} release note")
                if number % 5 == 0:
                    memory.forget(memory.graph.focus[-1])

        def fold(stop: threading.Event) -> None:
            while not stop.is_set():
                rooms(memory).words.fold(8)

        together([write, fold, fold, fold], 0.8)
        assert memory.admin.check() == []
        for node in memory:
            word = node.text.split()[0]
            assert [
                hit.id
                for hit in memory.recall(word, where=graphmem.Where(depth=0), use=False, limit=1)
            ] == [node.id]


def test_enriching_from_two_threads_scores_each_text_once() -> None:
    """Done twice, a text would count twice in the median that all others are measured by."""
    with graphmem.open(worker="none") as memory:
        asked: list[str] = []
        process = rooms(memory).enrichment.process

        def counted(payload):  # type: ignore[no-untyped-def]
            asked.append("".join(payload["sentences"]))
            return process(payload)

        rooms(memory).enrichment.process = counted
        texts = [f"Text number {k}." for k in range(60)]
        memory.remember_many(texts)
        together([lambda stop: memory.admin.enrich() and None for _ in range(3)], 5.0)
        assert sorted(asked) == sorted(texts)
        assert memory.admin.check() == []


def test_closing_under_the_feet_of_others_is_said_by_name(tmp_path: Path) -> None:
    """A program that ends while its threads work must not crash in LevelDB's memory."""
    memory = graphmem.open(tmp_path / "m", worker="none")
    for k in range(20):
        memory.remember(f"Release note {k}.")
    ended: list[BaseException] = []

    def use(work: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            try:
                while True:
                    work()
            except BaseException as error:  # looked at below
                ended.append(error)

        return run

    works: list[Callable[[], object]] = [
        lambda: memory.recall("release"),
        lambda: list(memory),
        lambda: memory.remember("More release."),
        lambda: memory.sweep(0.1),
        lambda: memory.admin.enrich(0.1),
        lambda: memory.admin.check(),
    ]
    threads = [threading.Thread(target=use(work), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    memory.close()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert [type(error) for error in ended] == [ClosedError] * len(works), ended
    with graphmem.open(tmp_path / "m", worker="none") as again:
        assert again.admin.check() == []


def test_a_scope_dropped_under_the_feet_of_its_writers(tmp_path: Path) -> None:
    """What is written after the drop stays on the disk for ever, in a scope that has no name."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("Stays.")
        other = memory.scopes.open("other")

        def write(stop: threading.Event) -> None:
            try:
                while not stop.is_set():
                    other.remember("Goes.")
                    other.sweep(0)
            except GraphMemError as error:
                ended.append(error)

        ended: list[GraphMemError] = []

        def drop(stop: threading.Event) -> None:
            stop.wait(0.2)
            memory.scopes.drop("other")
            stop.wait(0.2)

        together([write, drop], 1.0)
        assert "has been dropped" in str(ended[0])
        assert memory.scopes.names() == ["default"]
        prefix = rooms(other).scope.id.to_bytes(4, "big")
        assert not list(rooms(memory).store.keys(prefix, prefix + b"\xff"))
        assert len(memory.scopes.open("other")) == 0
        assert memory.admin.stats()["upkeep_error"] is None
        with pytest.raises(UnknownNodeError):
            memory.scopes.open("other")[1]


def test_closing_just_when_a_sync_begins_ends() -> None:
    """`close` waited for ever, once in some hundred times: its call to the syncer came between the
    end of the 40 ms and their being taken down, and was taken down with them."""

    class JustBefore(Bell):
        def clear(self) -> None:
            syncer._stopping.ring()
            self.ring()
            super().clear()

    syncer = Syncer(lambda: None, lambda error: None)
    syncer._wanted = JustBefore()
    syncer.want()
    assert syncer._thread is not None
    syncer._thread.join(60)
    assert not syncer._thread.is_alive()
