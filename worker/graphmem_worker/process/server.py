"""The worker's side of the pipes: receives requests, does them by priority, sends answers."""

import contextlib
import heapq
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Final

from graphmem_worker.backends.backend import Backend, load
from graphmem_worker.errors import ProtocolError, TaskError
from graphmem_worker.protocol import (
    LARGEST_MESSAGE,
    LOG_VARIABLE,
    NICE_VARIABLE,
    Failure,
    Request,
    Response,
    decode_request,
    encode_response,
)

_NICE: Final[int] = 10


def serve(read: int, write: int, backend: str, options: Mapping[str, object]) -> None:
    """Answers requests from the file descriptor `read` on `write` until the other side closes its
    pipe.

    Never returns: the process ends with status 0 when the pipe is closed, 1 when it carries no
    messages.  If the backend cannot be loaded, all answers are failures of kind "backend".
    """
    read, write = _away_from_standard(read), _away_from_standard(write)
    _detach()
    requests: Connection[Any, Any] = Connection(read, writable=False)
    answer = partial(_send, Connection(write, readable=False), threading.Lock())
    queue = _Queue()
    threading.Thread(
        target=_receive, args=(requests, answer, queue), name="receive", daemon=True
    ).start()
    try:
        loaded: Backend | Failure = load(backend, options)
    except TaskError as error:
        loaded = Failure(error.kind, error.message, error.transient)
    except Exception as error:  # noqa: BLE001 - a model's library may raise anything
        traceback.print_exc()
        loaded = Failure("backend", f"{type(error).__name__}: {error}", False)
    while True:
        request, until = queue.take()
        outcome = loaded if isinstance(loaded, Failure) else _outcome(loaded, request, until)
        answer(Response(request.id, outcome))


def _away_from_standard(descriptor: int) -> int:
    """`descriptor`, or a copy if it is a standard one, which are redirected."""
    return os.dup(descriptor) if descriptor <= 2 else descriptor


def _detach() -> None:
    """Detaches from the user's terminal: no output, no Ctrl-C, low priority."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    path = os.environ.get(LOG_VARIABLE)
    flags = os.O_WRONLY | (os.O_CREAT | os.O_APPEND if path else 0)
    try:
        sink = os.open(path or os.devnull, flags, 0o600)
    except OSError:
        sink = os.open(os.devnull, os.O_WRONLY)
    # C libraries print to the descriptors, not to sys.stdout.
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    os.close(sink)
    with contextlib.suppress(OSError, ValueError):  # an invalid variable is ignored
        os.nice(int(os.environ.get(NICE_VARIABLE, _NICE)))


def _send(connection: "Connection[Any, Any]", lock: threading.Lock, response: Response) -> None:
    """Sends `response`, in one of two threads; ends the process if the pipe is closed."""
    try:
        message = encode_response(response)
    except ProtocolError as error:
        message = encode_response(Response(response.id, Failure("answer", str(error), False)))
    try:
        with lock:
            connection.send_bytes(message)
    except OSError:
        os._exit(0)


class _Queue:
    """The requests in order of priority."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._heap: list[tuple[int, int, float, Request]] = []
        self._arrived = 0

    def put(self, request: Request) -> None:
        """Adds `request`; its deadline starts now."""
        end = float("inf") if request.deadline is None else time.monotonic() + request.deadline
        with self._changed:
            self._arrived += 1
            heapq.heappush(self._heap, (-request.priority, self._arrived, end, request))
            self._changed.notify()

    def take(self) -> tuple[Request, float]:
        """Waits for a request and removes the most urgent one; with the time of its deadline."""
        with self._changed:
            while not self._heap:
                self._changed.wait()
            _, _, end, request = heapq.heappop(self._heap)
            return request, end

    def overdue(self) -> list[Request]:
        """Removes the requests whose deadline has passed."""
        now = time.monotonic()
        with self._changed:
            late = [entry[3] for entry in self._heap if entry[2] <= now]
            if late:
                self._heap = [entry for entry in self._heap if entry[2] > now]
                heapq.heapify(self._heap)
        return late

    def timeout(self) -> float | None:
        """Seconds until the next deadline; `None` if there is none."""
        with self._changed:
            end = min((entry[2] for entry in self._heap), default=float("inf"))
        return None if end == float("inf") else max(0.0, end - time.monotonic())


def _receive(
    requests: "Connection[Any, Any]", answer: Callable[[Response], None], queue: _Queue
) -> None:
    """Reads requests until the pipe closes; answers overdue ones even while a task runs."""
    status = 1
    try:
        while True:
            ready = requests.poll(queue.timeout())
            for late in queue.overdue():
                failure = Failure(
                    "deadline", f"{late.task} waited longer than {late.deadline} s", True
                )
                answer(Response(late.id, failure))
            if not ready:
                continue
            message = requests.recv_bytes(LARGEST_MESSAGE)
            try:
                queue.put(decode_request(message))
            except ProtocolError as error:
                answer(Response(error.id or 0, Failure("protocol", str(error), False)))
    except EOFError:
        status = 0
    except BaseException:  # noqa: BLE001 - without this thread no request is served
        traceback.print_exc()
    finally:
        # The owner is gone, so a running task is abandoned.
        sys.stderr.flush()
        os._exit(status)


def _outcome(backend: Backend, request: Request, until: float) -> Mapping[str, Any] | Failure:
    try:
        result: Mapping[str, Any] = getattr(backend, request.task)(request.payload, until)
    except TaskError as error:
        return Failure(error.kind, error.message, error.transient)
    except Exception as error:  # noqa: BLE001 - reported to the caller; the worker continues
        traceback.print_exc()
        return Failure("failed", f"{type(error).__name__}: {error}", False)
    return result
