"""Enrichment: the worker may be late, dead, silent or mad; texts are scored once, or set aside.

A worker that goes wrong must neither lose a text, nor write what is not true of it, nor hold up
the others, nor keep the memory from closing.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import pytest

import graphmem
import graphmem.runtime.database
import graphmem.services.backoff
from graphmem.api.opening import rooms
from graphmem.errors import InvalidArgumentError
from graphmem.services.backoff import Backoff
from graphmem.values.nodes import Form
from graphmem_worker.backends.backend import load
from graphmem_worker.errors import TaskError, WorkerDiedError
from graphmem_worker.process.client import WorkerProcess

TEXTS = [f"Wen decided on May {k} to pay {k * 17} euros for the release." for k in range(1, 9)]

Answer = Callable[[dict[str, Any]], Any]


def honest(payload: dict[str, Any]) -> Any:
    return load("extractive", {}).process(payload, inf)  # type: ignore[arg-type]


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        yield opened


def answering(memory: graphmem.Memory, answer: Answer) -> list[str]:
    """Have `answer` stand in for the worker; returns the texts that it is asked about."""
    asked: list[str] = []

    def process(payload: dict[str, Any]) -> Any:
        asked.append("".join(payload["sentences"]))
        return answer(payload)

    rooms(memory).enrichment.process = process
    return asked


def enriched(memory: graphmem.Memory) -> list[int]:
    with rooms(memory).reading() as view:
        return [n for n in view.nodes() if (record := view.record(n)) and record.enriched]


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


# -- without a process --------------------------------------------------------------------------


def test_every_text_is_scored_once(memory: graphmem.Memory) -> None:
    """Scored twice, a text would count twice in the running median of worth."""
    memory.remember_many(TEXTS)
    asked = answering(memory, honest)
    assert memory.admin.enrich() == 0
    assert memory.admin.enrich() == 0
    assert asked == TEXTS
    assert enriched(memory) == [node.id for node in memory]
    assert memory.admin.stats()["worker"]["enriched"] == len(TEXTS)
    assert memory.admin.check() == []


def test_enrich_stops_at_its_timeout_and_says_what_is_left(memory: graphmem.Memory) -> None:
    """A call that was given a second and takes an hour blocks the agent."""
    memory.remember_many(TEXTS * 3)
    answering(memory, lambda payload: (time.sleep(0.02), honest(payload))[1])
    assert memory.admin.enrich(timeout=0) == len(TEXTS) * 3
    left = memory.admin.enrich(timeout=0.1)
    assert 0 < left < len(TEXTS) * 3
    assert memory.admin.stats()["queue"]["waiting"] == left


def test_what_the_worker_finds_is_written_and_found(memory: graphmem.Memory) -> None:
    """Keywords that stand nowhere in the text were kept, but the index never heard of them."""
    (node,) = memory.remember(
        "Alpha is green. Beta is blue.", about=graphmem.About(keywords=["mine"])
    )
    answering(
        memory,
        lambda p: {"salience": [3.0, 0.5], "phrase": "two letters", "keywords": ["mine", "colour"]},
    )
    memory.admin.enrich()
    assert memory[node.id].phrase == "two letters"
    assert memory[node.id].keywords == ("mine", "colour")
    assert memory.recall("colour", use=False)[0].id == node.id
    assert [n.id for n in memory.nodes(keyword="colour")] == [node.id]
    with rooms(memory).reading() as view:
        text = view.text(node.id)
    assert text is not None
    assert [s.salience for s in text.sentences] == [3.0, 0.5]
    assert memory.admin.check() == []


def test_the_worker_cannot_take_away_what_a_user_gave(memory: graphmem.Memory) -> None:
    """A keyword that a user set is how they will look for it."""
    (node,) = memory.remember("Alpha is green.", about=graphmem.About(keywords=["mine", "yours"]))
    answering(memory, lambda p: {"salience": [1.0], "phrase": "", "keywords": ["other"]})
    memory.admin.enrich()
    assert memory[node.id].keywords == ("mine", "yours", "other")
    assert memory[node.id].phrase == node.phrase


def act_shorten(memory: graphmem.Memory, node: int) -> None:
    for _ in range(300):
        memory.sweep()
        if node not in memory or memory[node].form is not Form.WHOLE:
            return
    pytest.fail("it never faded")


ACTS: dict[str, Callable[[graphmem.Memory, int], object]] = {
    "forgotten": lambda memory, node: memory.forget(node),
    "erased": lambda memory, node: memory.forget(node, erase=True),
    "corrected": lambda memory, node: memory.correct(node, "It was Ada, not Wen."),
    "shortened": act_shorten,
}


@pytest.mark.usefixtures("by_passes")
@pytest.mark.parametrize("act", ACTS)
def test_a_result_is_dropped_if_the_node_changed_meanwhile(
    memory: graphmem.Memory, act: str
) -> None:
    """An answer about the past written over the present would bring back what was taken away."""
    (node,) = memory.remember("Wen paid 17 euros on May 3. It was nice. The weather was nice too.")
    for k in range(6):
        memory.remember(f"Something else, number {k}.")

    def meanwhile(payload: dict[str, Any]) -> Any:
        if "17 euros" in payload["sentences"][0]:
            ACTS[act](memory, node.id)
            state.append([n for n in memory if n.id == node.id])
        return {
            "salience": [9.0] * len(payload["sentences"]),
            "phrase": "stale",
            "keywords": ["stale"],
        }

    state: list[list[graphmem.Node]] = []
    answering(memory, meanwhile)
    assert memory.admin.enrich() == 0
    assert [n for n in memory if n.id == node.id] == state[0]
    assert node.id not in [n.id for n in memory.nodes(keyword="stale")]
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 0}
    assert memory.admin.check() == []


@pytest.mark.parametrize("error", [TaskError("failed", "no", False), WorkerDiedError("gone")])
def test_a_failure_about_a_node_forgotten_meanwhile_counts_nothing(
    memory: graphmem.Memory, error: Exception
) -> None:
    """The failed attempt put the queue entry back, uncounted and without a node."""
    (node,) = memory.remember(TEXTS[0])

    def fail(payload: dict[str, Any]) -> Any:
        memory.forget(node)
        raise error

    answering(memory, fail)
    assert memory.admin.enrich(timeout=60) == 0
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 0}
    assert memory.admin.check() == []


RUBBISH: dict[str, Any] = {
    "nothing": {},
    "too few": {"salience": [], "phrase": "x", "keywords": []},
    "too many": {"salience": [1.0, 1.0], "phrase": "x", "keywords": []},
    "not a number": {"salience": [float("nan")], "phrase": "x", "keywords": []},
    "infinite": {"salience": [float("inf")], "phrase": "x", "keywords": []},
    "zero": {"salience": [0.0], "phrase": "x", "keywords": []},
    "negative": {"salience": [-1.0], "phrase": "x", "keywords": []},
    "text for a number": {"salience": ["1"], "phrase": "x", "keywords": []},
    "phrase none": {"salience": [1.0], "phrase": None, "keywords": []},
    "keywords text": {"salience": [1.0], "phrase": "x", "keywords": "abc"},
    "keyword empty": {"salience": [1.0], "phrase": "x", "keywords": [""]},
    "keyword number": {"salience": [1.0], "phrase": "x", "keywords": [1]},
}


@pytest.mark.parametrize("kind", RUBBISH)
def test_rubbish_is_not_written_but_set_aside_and_shown(memory: graphmem.Memory, kind: str) -> None:
    """A salience of 0 or NaN makes a memory immortal or gone; nobody would know why."""
    (node,) = memory.remember("Alpha is green.")
    before = memory[node.id]
    answering(memory, lambda payload: RUBBISH[kind])
    assert memory.admin.enrich(timeout=60) == 0
    assert memory[node.id] == before
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 1}
    assert f"node {node.id}: " in memory.admin.stats()["worker"]["last_error"]
    assert memory.admin.check() == []


def test_the_same_reason_is_logged_once(
    memory: graphmem.Memory, caplog: pytest.LogCaptureFixture
) -> None:
    """What is set up wrong fails for every text; the log is no place for thousands of lines."""
    memory.remember_many(TEXTS)

    def fail(payload: dict[str, Any]) -> Any:
        raise TaskError("refused", "no such model", False)

    answering(memory, fail)
    assert memory.admin.enrich() == 0
    assert memory.admin.stats()["queue"]["set_aside"] == len(TEXTS) > 1
    warned = [record for record in caplog.records if record.levelname == "WARNING"]
    assert ["no such model" in record.getMessage() for record in warned] == [True]


def test_a_deterministic_error_falls_back_at_once(memory: graphmem.Memory) -> None:
    """What fails the same way each time would be asked fifteen times for each text."""
    memory.remember_many(TEXTS)

    def fail(payload: dict[str, Any]) -> Any:
        if "17 euros" in payload["sentences"][0]:
            raise TaskError("payload", "not this one", False)
        return honest(payload)

    asked = answering(memory, fail)
    assert memory.admin.enrich() == 0
    assert sorted(asked) == sorted(TEXTS)
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 1}
    assert "not this one" in memory.admin.stats()["worker"]["last_error"]
    assert list(memory.admin.failed().values()) == ["payload: not this one"]
    assert memory.admin.check() == []


def test_an_error_that_is_over_is_no_error_any_more(memory: graphmem.Memory) -> None:
    """`graphmem doctor` told of a fault for as long as the process lived."""
    memory.remember_many(TEXTS)

    def fail(payload: dict[str, Any]) -> Any:
        raise TaskError("payload", "not this one", False)

    answering(memory, fail)
    assert memory.admin.enrich() == 0
    assert "not this one" in memory.admin.stats()["worker"]["last_error"]
    answering(memory, honest)
    memory.admin.retry()
    assert memory.admin.enrich() == 0
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 0}
    assert memory.admin.stats()["worker"]["last_error"] is None


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Back-off in milliseconds."""
    monkeypatch.setattr(graphmem.services.backoff, "_FIRST", 0.001)


@pytest.mark.usefixtures("impatient")
def test_a_transient_error_is_tried_again(memory: graphmem.Memory) -> None:
    """A server that restarts would leave the texts of that minute unscored for ever."""
    memory.remember_many(TEXTS)
    failures = iter(range(10))

    def fail(payload: dict[str, Any]) -> Any:
        if next(failures, None) is not None:
            raise TaskError("deadline", "busy", True)
        return honest(payload)

    answering(memory, fail)
    assert memory.admin.enrich() == 0
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 0}
    assert len(enriched(memory)) == len(TEXTS)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_what_fails_fifteen_times_is_set_aside(memory: graphmem.Memory) -> None:
    """One text that a server chokes on would be asked about as long as the memory lives."""
    memory.remember_many(TEXTS)

    def fail(payload: dict[str, Any]) -> Any:
        if "17 euros" in payload["sentences"][0]:
            raise TaskError("server", "HTTP 500", True)
        return honest(payload)

    asked = answering(memory, fail)
    assert memory.admin.enrich() == 0
    assert asked.count(TEXTS[0]) == 15
    assert len(asked) == 15 + len(TEXTS) - 1
    assert memory.admin.failed() == {1: "server: HTTP 500"}
    assert memory.admin.check() == []


def test_a_deterministic_failure_leaves_the_text_to_the_rules(memory: graphmem.Memory) -> None:
    """The text would stay unscored until somebody mends the server, which may be never."""
    memory.remember_many(TEXTS)

    def fail(payload: dict[str, Any]) -> Any:
        raise TaskError("refused", "HTTP 401", False)

    asked = answering(memory, fail)
    assert memory.admin.enrich() == 0
    assert len(asked) == len(TEXTS)
    assert enriched(memory) == [node.id for node in memory]
    assert memory.admin.failed() == dict.fromkeys(enriched(memory), "refused: HTTP 401")
    assert memory.admin.failed(limit=1) == {1: "refused: HTTP 401"}
    assert memory.admin.stats()["worker"]["enriched"] == 0
    assert memory.admin.check() == []


def test_what_was_set_aside_can_be_tried_again_and_counts_once(memory: graphmem.Memory) -> None:
    """After the key was mended, the texts of the week before would stay without the model."""
    memory.remember_many(TEXTS)

    def fail(payload: dict[str, Any]) -> Any:
        raise TaskError("refused", "HTTP 401", False)

    answering(memory, fail)
    memory.admin.enrich()
    with pytest.raises(InvalidArgumentError, match="node 99 was not set aside"):
        memory.admin.retry(2, 99)
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": len(TEXTS)}
    assert memory.admin.retry(2, memory[3], 2) == 2
    assert memory.admin.stats()["queue"] == {"waiting": 2, "set_aside": len(TEXTS) - 2}
    assert memory.admin.retry() == len(TEXTS) - 2
    assert memory.admin.retry() == 0
    answering(memory, honest)
    assert memory.admin.enrich() == 0
    assert memory.admin.failed() == {}
    assert memory.admin.stats()["worker"]["enriched"] == len(TEXTS)
    assert memory.admin.check() == []


@pytest.mark.parametrize("kind", ["unreachable", "busy", "backend"])
def test_a_server_or_model_that_is_away_is_probed_and_burns_nobodys_attempts(
    memory: graphmem.Memory, kind: str
) -> None:
    """A night without it, and every text of that night would be set aside by morning."""
    memory.remember_many(TEXTS)
    now = [0.0]
    rooms(memory).enrichment.backoff = Backoff(lambda: now[0])
    away = [True]

    def fail(payload: dict[str, Any]) -> Any:
        if away[0]:
            raise TaskError(kind, "not there", kind != "backend")
        return honest(payload)

    asked = answering(memory, fail)
    tries = []
    for _ in range(100_000):  # a look each tenth of a second: nearly three hours
        rooms(memory).enrichment.step(8)
        if len(asked) > len(tries):
            tries.append(now[0])
        now[0] += 0.1
    gaps = [later - earlier for earlier, later in pairwise(tries)]
    assert gaps[:6] == pytest.approx([0.5, 1, 2, 4, 8, 16], abs=0.11)
    assert gaps[6:] == pytest.approx([30.0] * len(gaps[6:]), abs=0.11)
    assert memory.admin.stats()["queue"] == {"waiting": len(TEXTS), "set_aside": 0}
    assert memory.admin.stats()["worker"]["paused"] > 0
    away[0] = False
    now[0] += 30
    assert rooms(memory).enrichment.step(8) == 1  # the probe
    # The round that the probe was in, and the next.
    assert rooms(memory).enrichment.step(8) + rooms(memory).enrichment.step(8) == len(TEXTS) - 1
    assert memory.admin.stats()["worker"]["paused"] == 0


def test_enrich_does_not_wait_for_a_server_that_is_away(memory: graphmem.Memory) -> None:
    """A script that ends with `enrich()` would never end."""
    memory.remember_many(TEXTS)

    def fail(payload: dict[str, Any]) -> Any:
        raise TaskError("unreachable", "connection refused", True)

    asked = answering(memory, fail)
    assert memory.admin.enrich() == len(TEXTS)
    assert memory.admin.enrich() == len(TEXTS)  # asked for by hand: tried at once, and again once
    assert len(asked) == 2


def test_a_text_that_fails_does_not_hold_up_the_others(memory: graphmem.Memory) -> None:
    """One text that times out, at the head of the queue, and nothing else would be scored."""
    memory.remember_many(TEXTS)
    now = [0.0]
    rooms(memory).enrichment.backoff = Backoff(lambda: now[0])

    def fail(payload: dict[str, Any]) -> Any:
        if "17 euros" in payload["sentences"][0]:
            raise TaskError("deadline", "too long", True)
        return honest(payload)

    answering(memory, fail)
    taken = 0
    while taken < len(TEXTS) - 1:
        taken += rooms(memory).enrichment.step(8)
        now[0] += 0.1
        assert now[0] < 2
    assert memory.admin.stats()["queue"] == {"waiting": 1, "set_aside": 0}


# -- with a process -----------------------------------------------------------------------------

PRELUDE = """
import os, signal, sys, time
from multiprocessing.connection import Connection
from graphmem_worker.process import server
fates, times, fate = sys.argv[1], sys.argv[2], sys.argv[3]
done = server._outcome
def fated(backend, request, until):
    text = "".join(request.payload.get("sentences", ()))
    if request.task == "process" and fates in text:
        count = len(open(times).read()) if os.path.exists(times) else 0
        if count < int(sys.argv[4]):
            open(times, "a").write("x")
            if fate == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if fate == "hang":
                time.sleep(600)
            if fate == "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            if fate == "rubbish":
                return {"salience": "rubbish"}
            if fate == "garbage":
                os.write(int(sys.argv[sys.argv.index("--write") + 1]), b"\\x00\\x00\\x00\\x03abc")
                time.sleep(600)
    return done(backend, request, until)
server._outcome = fated
at = sys.argv.index("--read")
server.serve(int(sys.argv[at + 1]), int(sys.argv[at + 3]), "extractive", {})
"""


@pytest.fixture
def fated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Have the worker meet a fate, so many times, at texts that hold a word."""

    def arrange(word: str, fate: str, times: int) -> Path:
        script = tmp_path / "worker.py"
        script.write_text(PRELUDE)
        met = tmp_path / "met"
        command = [sys.executable, str(script), word, str(met), fate, str(times)]
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        monkeypatch.setattr(
            graphmem.runtime.database, "WorkerProcess", partial(WorkerProcess, command=command)
        )
        return met

    return arrange


def test_what_another_thread_has_done_meanwhile_is_not_told_as_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Upkeep scores as well: `enrich` then finds nothing to do, and nothing waits."""
    with graphmem.open(worker="none") as memory:
        memory.remember_many(TEXTS)
        step = rooms(memory).enrichment.step

        def elsewhere(count: int) -> int:
            step(count)
            return 0

        monkeypatch.setattr(rooms(memory).enrichment, "step", elsewhere)
        assert memory.admin.enrich(timeout=60) == 0


@pytest.mark.slow
@pytest.mark.parametrize("fate", ["die", "hang", "rubbish", "garbage"])
def test_a_worker_that_fails_once_is_replaced_and_nothing_is_lost(
    tmp_path: Path, fated: Callable[..., Path], fate: str
) -> None:
    """The text in hand when a worker dies is the one that nobody remembers to ask about again."""
    met = fated("51 euros", fate, 1)
    with graphmem.open(
        tmp_path / "m",
        tuning=graphmem.Tuning(worker_deadline=2.0, worker_share=1.0),
    ) as memory:
        memory.remember_many(TEXTS)
        assert memory.admin.enrich(timeout=60) == 0
        until(lambda: memory.admin.stats()["queue"]["waiting"] == 0)
        assert met.read_text() == "x"
        assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 0}
        assert memory.admin.stats()["worker"]["enriched"] == len(TEXTS)
        assert memory.admin.stats()["worker"]["last_error"] is None  # it works again
        assert len(enriched(memory)) == len(TEXTS)
        assert memory.admin.check() == []


@pytest.mark.slow
@pytest.mark.parametrize("fate", ["die", "rubbish"])
def test_a_text_that_always_kills_the_worker_is_set_aside(
    tmp_path: Path, fated: Callable[..., Path], fate: str
) -> None:
    """One poisoned text at the head of the queue would stop the scoring of all that follow."""
    met = fated("51 euros", fate, 99)
    with graphmem.open(tmp_path / "m", tuning=graphmem.Tuning(worker_share=1.0)) as memory:
        memory.remember_many(TEXTS)
        assert memory.admin.enrich(timeout=60) == 0
        assert met.read_text() == "xxx"
        assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 1}
        assert memory[3].text == TEXTS[2]
        assert memory.recall("51 euros", use=False)[0].id == 3
        assert len(enriched(memory)) == len(TEXTS) - 1
        assert memory.admin.check() == []
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 1}


def test_a_worker_killed_from_outside_in_mid_task_is_replaced(
    tmp_path: Path, fated: Callable[..., Path]
) -> None:
    """The OOM killer takes the largest process, which is the one with the model."""
    met = fated("17 euros", "hang", 1)
    with graphmem.open(tmp_path / "m", tuning=graphmem.Tuning(worker_share=1.0)) as memory:
        memory.remember_many(TEXTS)
        until(lambda: met.exists() and met.read_text() and memory.admin.stats()["worker"]["pid"])
        first = memory.admin.stats()["worker"]["pid"]
        os.kill(first, signal.SIGKILL)
        assert memory.admin.enrich(timeout=60) == 0
        until(lambda: memory.admin.stats()["worker"]["enriched"] == len(TEXTS))
        assert memory.admin.stats()["worker"]["pid"] != first
        assert memory.admin.check() == []


@pytest.mark.slow
def test_a_hanging_worker_does_not_keep_the_memory_from_closing(
    tmp_path: Path, fated: Callable[..., Path]
) -> None:
    """`close` waited for the answer that never came: a minute for each text in the queue."""
    met = fated("17 euros", "stop", 99)
    memory = graphmem.open(tmp_path / "m", tuning=graphmem.Tuning(worker_share=1.0))
    memory.remember_many(TEXTS)
    until(met.exists)
    begun = time.monotonic()
    memory.close()
    assert time.monotonic() - begun < 20
    with graphmem.open(tmp_path / "m", worker="none") as again:
        assert again.admin.stats()["queue"] == {"waiting": len(TEXTS), "set_aside": 0}
        assert again.admin.check() == []


def test_closing_says_nothing_about_a_text(tmp_path: Path, fated: Callable[..., Path]) -> None:
    """A memory opened and closed three times would set the text in hand aside."""
    met = fated("17 euros", "hang", 99)
    for _ in range(4):
        with graphmem.open(tmp_path / "m", tuning=graphmem.Tuning(worker_share=1.0)) as memory:
            if not len(memory):
                memory.remember(TEXTS[0])
            until(met.exists)
            met.unlink()
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert memory.admin.stats()["queue"] == {"waiting": 1, "set_aside": 0}


def test_the_queue_survives_reopening(tmp_path: Path) -> None:
    """What was remembered just before the end would stay unscored for ever."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember_many(TEXTS[:4])
        memory.admin.enrich()
        memory.remember_many(TEXTS[4:])
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert memory.admin.stats()["queue"] == {"waiting": 4, "set_aside": 0}
        asked = answering(memory, honest)
        assert memory.admin.enrich() == 0
        assert asked == TEXTS[4:]
        assert memory.admin.check() == []


def test_upkeep_feeds_the_worker_by_itself(tmp_path: Path) -> None:
    """Nobody calls `enrich` in a long-running agent."""
    with graphmem.open(tmp_path / "m", tuning=graphmem.Tuning(worker_share=1.0)) as memory:
        memory.remember_many(TEXTS)
        until(lambda: memory.admin.stats()["worker"]["enriched"] == len(TEXTS))
        assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 0}
        assert memory.admin.stats()["upkeep_error"] is None
        assert memory.admin.check() == []
