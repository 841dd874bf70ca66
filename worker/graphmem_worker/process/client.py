"""The user's side of the pipes: a worker process, started on demand and replaced if it fails."""

import contextlib
import itertools
import json
import os
import signal
import site
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from graphmem_worker.backends.backend import known
from graphmem_worker.errors import (
    ProtocolError,
    TaskError,
    UnknownBackendError,
    WorkerAnswerError,
    WorkerClosedError,
    WorkerDiedError,
    WorkerError,
    WorkerForkedError,
    WorkerTimeoutError,
)
from graphmem_worker.protocol import (
    LARGEST_MESSAGE,
    LOG_VARIABLE,
    Failure,
    Request,
    Response,
    Task,
    check_result,
    decode_response,
    encode_request,
)

if TYPE_CHECKING:
    import subprocess
    from multiprocessing.connection import Connection

_Answer: TypeAlias = Future[Mapping[str, Any] | Failure]

# Seconds after a deadline. A sound worker reports it itself, late only by its low priority.
_GRACE: Final[float] = 2.0


class WorkerProcess:
    """A private `python -m graphmem_worker`, for many threads at once.

    It starts with `start` or the first `ask`.  A worker that died, hung or sent an invalid answer
    is replaced at the next `ask`.  It ends with `close`, with the last reference to this object,
    and with the user's process, however that ends.  It writes nothing to the terminal; its errors
    are appended to the file that the environment variable GRAPHMEM_WORKER_LOG names.
    """

    def __init__(
        self,
        backend: str = "extractive",
        options: Mapping[str, object] | None = None,
        start_timeout: float = 10.0,
        *,
        command: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`backend` and its `options` (JSON values) as `backends.backend.load` takes them.

        `start_timeout`: seconds (> 0) until a new worker must have answered.  `command` replaces
        the command line before `--read FD --write FD …`, for another interpreter or implementation
        of the protocol.  `environment`: variables of the worker beside those of this process; for
        secrets, since anyone on the machine may read a command line.

        Raises `UnknownBackendError` for an unknown backend without `command`, `ValueError` for
        options that are not JSON or a timeout ≤ 0.
        """
        if command is None and backend not in known():
            raise UnknownBackendError(f"no backend {backend!r}: known are {', '.join(known())}")
        if not start_timeout > 0:
            raise ValueError(f"start_timeout must be above 0 seconds, not {start_timeout}")
        try:
            written = json.dumps(dict(options or {}))
        except TypeError as error:
            raise ValueError(f"the backend's options must be JSON: {error}") from None
        self._arguments = ["--backend", backend, "--options", written]
        self._command = list(command) if command is not None else None
        self._environment = dict(environment or {})
        self._start_timeout = start_timeout
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._closed = False
        self._ids = itertools.count(1)
        # In a list, so that the finalizer sees the current session without holding this object.
        self._running: list[_Session] = []
        weakref.finalize(self, _release, self._running)

    def start(self) -> None:
        """Starts the worker, if none runs, and waits until it answers.

        Raises `WorkerDiedError`, `WorkerTimeoutError` (no answer within `start_timeout`),
        `WorkerAnswerError`, `TaskError` of kind "backend" (the backend cannot be loaded),
        `WorkerForkedError`, `WorkerClosedError`.
        """
        self._session()

    def ask(
        self,
        task: Task,
        payload: Mapping[str, Any],
        deadline: float | None = 60.0,
        priority: int = 0,
    ) -> dict[str, Any]:
        """The result of `task`, as `graphmem_worker.protocol` describes it.

        `deadline`: seconds (> 0) from now, without the start of a worker; `None` waits for ever.  A
        worker that has not answered 2 s later is killed.  Of waiting requests the one with the
        highest `priority` is done first.

        Raises `TaskError` if the worker could not do it (kind "deadline", transient, if it waited
        for another task), `WorkerTimeoutError`, `WorkerDiedError`, `WorkerAnswerError`,
        `ProtocolError` for an invalid or too large payload, `WorkerForkedError`,
        `WorkerClosedError`.  There is no retry, but tasks are idempotent: the caller may repeat.
        """
        number = next(self._ids)
        message = encode_request(Request(number, task, payload, deadline, priority))
        return self._session().ask(number, task, message, deadline)

    @property
    def alive(self) -> bool:
        """Whether a worker runs.  Always False in a forked child."""
        session = next(iter(self._running), None)
        return os.getpid() == self._owner and session is not None and session.alive

    @property
    def pid(self) -> int | None:
        """The worker's process id, `None` while none runs."""
        session = next(iter(self._running), None)
        return session.pid if session is not None and self.alive else None

    def close(self, timeout: float = 5.0) -> None:
        """Ends the worker, by force after `timeout` seconds; concurrent calls of `ask` and `start`
        raise `WorkerClosedError`.

        May be called twice.  Does nothing in a forked child.
        """
        if os.getpid() != self._owner:
            return
        self._closed = True
        # Before the lock, which a starting thread holds until the worker has loaded its model.
        for session in list(self._running):
            session.close(timeout)
        with self._lock:
            self._running.clear()

    def __enter__(self) -> "WorkerProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _session(self) -> "_Session":
        # Before any lock: in a forked child the thread that holds it may not exist.
        if os.getpid() != self._owner:
            raise WorkerForkedError(
                f"this worker belongs to process {self._owner}, this is {os.getpid()}: "
                "make a WorkerProcess after the fork"
            )
        with self._lock:
            if self._closed:
                raise WorkerClosedError("this WorkerProcess is closed")
            if self._running and self._running[0].alive:
                return self._running[0]
            self._running.clear()
            session = _Session(self._command, self._arguments, self._environment)
            self._running.append(session)
            try:
                if self._closed:  # `close` may have run before the session was in the list
                    raise WorkerClosedError("this WorkerProcess is closed")
                number = next(self._ids)
                ping = encode_request(Request(number, "ping", {}, self._start_timeout))
                session.ask(number, "ping", ping, self._start_timeout)
            except BaseException:
                self._running.clear()
                session.close(0.0)
                raise
            return session


def _release(running: "list[_Session]") -> None:
    for session in running:
        session.release()


class _Session:
    """One worker process from start to end.

    Two threads own one pipe each, because a descriptor must not be closed while another thread uses
    it.  A full pipe to a stopped worker blocks only the sender, so callers keep their deadlines.
    """

    def __init__(
        self, command: list[str] | None, arguments: list[str], environment: Mapping[str, str]
    ) -> None:
        self._lock = threading.Lock()
        self._killing = threading.Lock()
        self._pending: dict[int, tuple[str, _Answer]] = {}  # task and answer by number
        self._failure: WorkerError | None = None
        self._outbox: SimpleQueue[bytes | None] = SimpleQueue()
        self._process, self._requests, self._answers = _spawn(command, arguments, environment)
        self.pid = self._process.pid
        _SESSIONS.add(self)
        self._receiver = threading.Thread(
            target=self._receive, name=f"graphmem-worker-{self.pid}-in", daemon=True
        )
        self._sender = threading.Thread(
            target=self._send, name=f"graphmem-worker-{self.pid}-out", daemon=True
        )
        self._receiver.start()
        self._sender.start()

    @property
    def alive(self) -> bool:
        return self._failure is None

    def ask(self, number: int, task: str, message: bytes, deadline: float | None) -> dict[str, Any]:
        answer: _Answer = Future()
        with self._lock:
            if self._failure is not None:
                raise _copy(self._failure)
            self._pending[number] = task, answer
        self._outbox.put(message)
        try:
            error = answer.exception(None if deadline is None else deadline + _GRACE)
        except TimeoutError:
            what = f"worker {self.pid} did not answer {task} within {deadline} s and was killed"
            self._fail(WorkerDiedError(f"{what}, and this task with it"))
            self._kill()
            if (error := answer.exception()) is not None:
                raise WorkerTimeoutError(what) from None
        if isinstance(error, WorkerError):
            raise _copy(error)
        outcome = answer.result()
        if isinstance(outcome, Failure):
            raise TaskError(outcome.kind, outcome.message, outcome.transient)
        assert isinstance(outcome, dict)
        return outcome

    def release(self) -> None:
        """Closes the pipe, which ends the worker.  Takes no lock: finalizers run at any point."""
        self._outbox.put(None)

    def close(self, timeout: float) -> None:
        self._fail(WorkerClosedError("this WorkerProcess was closed"))
        self._receiver.join(timeout)
        if self._receiver.is_alive():
            self._kill()
        self._receiver.join(1.0)
        self._sender.join(1.0)

    def forget(self) -> None:
        """In a forked child: closes the pipes, or the worker would outlive its owner."""
        for connection in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                connection.close()

    def _fail(self, error: WorkerError) -> None:
        """Ends the session: pending and later requests raise the first error given here."""
        with self._lock:
            if self._failure is not None:
                return
            self._failure = error
            waiting, self._pending = list(self._pending.values()), {}
        for _, answer in waiting:
            answer.set_exception(error)
        self.release()

    def _kill(self) -> None:
        """Kills the worker and its children if they still run, and reaps the process."""
        with self._killing:
            if self._process.returncode is None:
                # Not yet waited for, so the number cannot belong to another process.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
                self._process.wait()

    def _send(self) -> None:
        try:
            while (message := self._outbox.get()) is not None:
                self._requests.send_bytes(message)
        except OSError as error:
            # The receiver usually notices the end too and has the exit status, but not if only one
            # pipe was closed.
            self._receiver.join(_GRACE)
            self._fail(WorkerDiedError(f"worker {self.pid} takes no more requests: {error}"))
            self._kill()
        finally:
            self._requests.close()

    def _receive(self) -> None:
        try:
            while True:
                response = decode_response(self._answers.recv_bytes(LARGEST_MESSAGE))
                with self._lock:
                    pending = self._pending.pop(response.id, None)
                    over = self._failure is not None
                if pending is not None:
                    self._settle(*pending, response)
                elif not over:
                    raise ProtocolError(f"response to {response.id}, which was not asked")
        except Exception as error:  # noqa: BLE001 - if this thread stops, all callers hang
            if _is_end(error):
                self._kill()
                status = _status(self._process.returncode)
                self._fail(WorkerDiedError(f"worker {self.pid} died ({status})"))
            else:
                self._fail(self._invalid_answer(error))
                self._kill()
        finally:
            self._answers.close()

    def _invalid_answer(self, error: Exception) -> WorkerAnswerError:
        # A message that does not decode, or an impossible length.
        return WorkerAnswerError(f"worker {self.pid} answered rubbish and was killed: {error}")

    def _settle(self, task: str, answer: _Answer, response: Response) -> None:
        if not isinstance(response.outcome, Failure):
            try:
                check_result(task, response.outcome)
            except ProtocolError as error:
                answer.set_exception(self._invalid_answer(error))
                raise
        answer.set_result(response.outcome)


_SESSIONS: "Final[weakref.WeakSet[_Session]]" = weakref.WeakSet()


def _forget_sessions() -> None:
    for session in list(_SESSIONS):
        session.forget()


os.register_at_fork(after_in_child=_forget_sessions)


def _is_end(error: Exception) -> bool:
    """Whether the pipe ended, between messages or within one."""
    # For an impossible length `Connection` raises an OSError too; only the message differs.
    return isinstance(error, EOFError) or str(error) == "got end of file during message"


def _copy(error: WorkerError) -> WorkerError:
    """A copy: one exception raised in many threads would collect all their tracebacks."""
    return type(error)(*error.args)


def _status(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _spawn(
    command: list[str] | None, arguments: list[str], environment: Mapping[str, str]
) -> "tuple[subprocess.Popen[bytes], Connection[Any, Any], Connection[Any, Any]]":
    """A new worker with the pipe to it and the pipe from it.

    Not `multiprocessing.Process`: that imports the user's script again, which fails for a script
    without a main guard, for standard input and in a REPL.
    """
    import subprocess  # most memories have no worker
    from multiprocessing.connection import Connection

    if command is None and not sys.executable:
        raise WorkerDiedError("a worker needs a Python interpreter, and sys.executable names none")
    read_requests, write_requests = os.pipe()
    read_answers, write_answers = os.pipe()
    try:
        with _log() as log:
            process = subprocess.Popen(
                [
                    # -P: a `queue.py` in the user's folder must not replace Python's own.
                    *(command or [sys.executable, "-P", "-m", "graphmem_worker"]),
                    *("--read", str(read_requests), "--write", str(write_answers)),
                    *arguments,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(read_requests, write_answers),
                close_fds=True,
                env={**_environment(), **environment},
                # Not reached by the terminal's Ctrl-C, and killed with its children.
                process_group=0,
            )
    except (OSError, ValueError) as error:
        os.close(write_requests)
        os.close(read_answers)
        raise WorkerDiedError(f"the worker could not be started: {error}") from error
    finally:
        os.close(read_requests)
        os.close(write_answers)
    return (
        process,
        Connection(write_requests, readable=False),
        Connection(read_answers, writable=False),
    )


@contextlib.contextmanager
def _log() -> Iterator[int]:
    """The descriptor for output before the worker redirects it, such as of a failing import."""
    path = os.environ.get(LOG_VARIABLE)
    descriptor = -3  # subprocess.DEVNULL
    if path:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        yield descriptor
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _environment() -> dict[str, str]:
    # One thread: on a busy machine two are several times slower than one.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    root = str(Path(__file__).resolve().parents[1])
    # Unless Python searches it anyway: before the standard library, a backport in that folder would
    # hide the original.
    if root not in {
        os.path.realpath(path) for path in [*site.getsitepackages(), site.getusersitepackages()]
    }:
        before = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([root, before]) if before else root
    return environment
