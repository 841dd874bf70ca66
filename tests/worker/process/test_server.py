"""The worker must answer everyone, quietly, and never outlive the pipe."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from graphmem_worker.protocol import Failure, Request, Response, decode_response, encode_request


class Worker:
    """A bare worker, driven by hand."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", requests: Connection, answers: Connection
    ) -> None:
        self.process = process
        self.requests = requests
        self.answers = answers

    def send(self, request: Request) -> None:
        self.requests.send_bytes(encode_request(request))

    def receive(self) -> Response:
        assert self.answers.poll(20)
        return decode_response(self.answers.recv_bytes())


@contextmanager
def worker(*arguments: str, environment: dict[str, str] | None = None) -> Iterator[Worker]:
    read_requests, write_requests = os.pipe()
    read_answers, write_answers = os.pipe()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "graphmem_worker",
            "--read",
            str(read_requests),
            "--write",
            str(write_answers),
            *arguments,
        ],
        pass_fds=(read_requests, write_answers),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(environment or {})},
    )
    os.close(read_requests)
    os.close(write_answers)
    requests, answers = (
        Connection(write_requests, readable=False),
        Connection(read_answers, writable=False),
    )
    try:
        yield Worker(process, requests, answers)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
        for connection in (requests, answers):
            connection.close()


BUSY = Request(1, "segment", {"text": "Wen left. Is it so? " * 10_000})


def test_it_answers_and_ends_with_the_pipe() -> None:
    """A worker that survives its parent is a process that nobody knows of."""
    with worker() as running:
        running.send(Request(1, "ping", {}))
        assert running.receive() == Response(
            1, {"backend": "extractive", "pid": running.process.pid}
        )
        running.requests.close()
        assert running.process.wait(60) == 0
        assert running.process.communicate() == (b"", b"")


def test_it_ends_in_the_middle_of_a_task() -> None:
    """A model may compute for minutes after its user has gone."""
    with worker() as running:
        running.send(BUSY)
        running.send(BUSY)
        running.requests.close()
        assert running.process.wait(60) == 0


def test_urgent_requests_go_first_and_late_ones_are_told() -> None:
    """A query's embedding must not wait behind a night's enrichment, nor any caller for nothing."""
    with worker() as running:
        running.send(Request(0, "ping", {}))
        assert running.receive().id == 0
        running.send(BUSY)
        time.sleep(0.1)
        running.send(Request(4, "ping", {}, deadline=0.05, priority=9))
        running.send(Request(2, "ping", {}))
        running.send(Request(3, "ping", {}, priority=5))
        responses = [running.receive() for _ in range(4)]
        assert [response.id for response in responses if response.id != 4] == [1, 3, 2]
        late = next(response.outcome for response in responses if response.id == 4)
        assert isinstance(late, Failure)
        assert (late.kind, late.transient) == ("deadline", True)


def test_rubbish_is_answered_and_the_next_request_served() -> None:
    """One wrong message must not cost the others their worker."""
    with worker() as running:
        running.requests.send_bytes(b"\xc1")
        refusal = running.receive()
        assert isinstance(refusal.outcome, Failure)
        assert refusal.outcome.kind == "protocol"
        running.send(Request(9, "embed", {"texts": [], "kind": "passage"}))
        refused = running.receive()
        assert refused.id == 9
        assert isinstance(refused.outcome, Failure)
        assert (refused.outcome.kind, refused.outcome.transient) == ("unsupported", False)
        running.send(Request(10, "score", {"sentences": ["a"], "rarity": {}}))
        assert running.receive().id == 10


@pytest.mark.parametrize("arguments", [("--backend", "nonsense"), ("--options", '{"x": 1}')])
def test_a_backend_that_cannot_be_loaded_is_told(
    arguments: tuple[str, str], tmp_path: Path
) -> None:
    """A worker that just ends leaves its user guessing; the log says more."""
    log = tmp_path / "log"
    with worker(*arguments, environment={"GRAPHMEM_WORKER_LOG": str(log)}) as running:
        running.send(Request(1, "ping", {}))
        refused = running.receive().outcome
        assert isinstance(refused, Failure)
        assert (refused.kind, refused.transient) == ("backend", False)
        running.requests.close()
        running.process.wait(60)
        assert running.process.communicate() == (b"", b"")
    assert "Error" in log.read_text()


def test_the_terminals_interrupt_is_the_parents_business() -> None:
    """Ctrl-C reaches every process of the terminal; the parent decides what ends."""
    with worker() as running:
        running.send(Request(1, "ping", {}))
        running.receive()
        running.process.send_signal(signal.SIGINT)
        running.send(Request(2, "ping", {}))
        assert running.receive().id == 2


def test_it_steps_back_behind_the_user() -> None:
    """Enrichment in the background must not slow the agent down."""
    with worker() as running:
        running.send(Request(1, "ping", {}))
        running.receive()
        own = os.getpriority(os.PRIO_PROCESS, 0)
        # Nothing stands back further than 19, which the tests may have inherited.
        assert os.getpriority(os.PRIO_PROCESS, running.process.pid) >= min(19, own + 1)
