"""The user's side of the pipes: a worker process that is started when needed and replaced when it
fails."""

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
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

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

# A worker in good health says itself that a request waited too long; only then is silence a fault.
# Its low priority can cost it a second on a busy machine.
_GRACE: Final[float] = 2.0


class WorkerProcess:
    """A `python -m graphmem_worker` of one's own, for many threads at once.

    Nothing is started before `start` or the first `ask`.  A worker that died, hung or answered
    rubbish is replaced at the next `ask`.  It ends with `close`, with the last reference to this
    object, and with the user's process, however that ends.  It writes nothing to the terminal; what
    goes wrong inside it is appended to the file that the environment variable GRAPHMEM_WORKER_LOG
    names.
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

        `start_timeout`: seconds (> 0) until a new worker must have answered.  `command` stands in
        for the command line up to `--read FD --write FD …`, which is appended: another interpreter,
        another implementation of the protocol.  `environment`: variables of the worker beside those
        of this process; for secrets, since anyone on the machine may read a command line.

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
        # In a list, for the finalizer must see the present one and must not hold this object.
        self._running: list[_Session] = []
        weakref.finalize(self, _let_go, self._running)

    def start(self) -> None:
        """Starts the worker and waits until it answers; nothing if it runs.

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

        `deadline`: seconds (> 0) from now, the start of a worker not counted; `None` waits for
        ever.  A worker that still says nothing 2 s later is killed.  Of waiting requests the one
        with the highest `priority` is done first.

        Raises `TaskError` if the worker could not do it (kind "deadline", transient, if it was
        still waiting for another task to end), `WorkerTimeoutError`, `WorkerDiedError`,
        `WorkerAnswerError`, `ProtocolError` for a payload that is none or is too large,
        `WorkerForkedError`, `WorkerClosedError`.  It does not try again: tasks are idempotent, the
        caller may.
        """
        number = next(self._ids)
        message = encode_request(Request(number, task, payload, deadline, priority))
        return self._session().ask(number, task, message, deadline)

    @property
    def alive(self) -> bool:
        """Whether a worker runs now.  Always False in a forked child."""
        session = next(iter(self._running), None)
        return os.getpid() == self._owner and session is not None and session.alive

    @property
    def pid(self) -> int | None:
        """The worker's process id, `None` while none runs."""
        session = next(iter(self._running), None)
        return session.pid if session is not None and self.alive else None

    def close(self, timeout: float = 5.0) -> None:
        """Ends the worker, by force after `timeout` seconds; asks and starts under way raise
        `WorkerClosedError`.

        May be called twice.  Does nothing in a forked child.
        """
        if os.getpid() != self._owner:
            return
        self._closed = True
        # Before the lock, which whoever starts a worker holds until it has loaded its model.
        for session in list(self._running):
            session.close(timeout)
        with self._lock:
            self._running.clear()

    def __enter__(self) -> "WorkerProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _session(self) -> "_Session":
        # Before any lock: in a forked child it may be held by a thread that is not there.
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
                if self._closed:  # meanwhile, and `close` may not have seen it
                    raise WorkerClosedError("this WorkerProcess is closed")
                number = next(self._ids)
                ping = encode_request(Request(number, "ping", {}, self._start_timeout))
                session.ask(number, "ping", ping, self._start_timeout)
            except BaseException:
                self._running.clear()
                session.close(0.0)
                raise
            return session


def _let_go(running: "list[_Session]") -> None:
    for session in running:
        session.let_go()


class _Pending:
    """A question on its way."""

    __slots__ = ("answered", "error", "outcome", "task")

    def __init__(self, task: str) -> None:
        self.task = task
        self.answered = threading.Event()
        self.outcome: Mapping[str, Any] | Failure | None = None
        self.error: WorkerError | None = None


class _Session:
    """One worker process from start to end.

    Two threads own the pipes, one each: whoever closes a descriptor must know that nobody else is
    reading it.  A full pipe to a stopped worker blocks the sender alone, and the callers keep their
    deadlines.
    """

    def __init__(
        self, command: list[str] | None, arguments: list[str], environment: Mapping[str, str]
    ) -> None:
        self._lock = threading.Lock()
        self._burial = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        self._failure: WorkerError | None = None
        self._outbox: SimpleQueue[bytes | None] = SimpleQueue()
        self._process, self._requests, self._answers = _spawned(command, arguments, environment)
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
        pending = _Pending(task)
        with self._lock:
            if self._failure is not None:
                raise _again(self._failure)
            self._pending[number] = pending
        self._outbox.put(message)
        if not pending.answered.wait(None if deadline is None else deadline + _GRACE):
            what = f"worker {self.pid} did not answer {task} within {deadline} s and was killed"
            self._fail(WorkerDiedError(f"{what}, and this task with it"))
            self._bury()
            if pending.outcome is None:
                raise WorkerTimeoutError(what)
        if pending.error is not None:
            raise _again(pending.error)
        outcome = pending.outcome
        if isinstance(outcome, Failure):
            raise TaskError(outcome.kind, outcome.message, outcome.transient)
        assert isinstance(outcome, dict)
        return outcome

    def let_go(self) -> None:
        """Closes the pipe, on which the worker ends.  Takes no lock: it may run in any thread at
        any place."""
        self._outbox.put(None)

    def close(self, timeout: float) -> None:
        self._fail(WorkerClosedError("this WorkerProcess was closed"))
        self._receiver.join(timeout)
        if self._receiver.is_alive():
            self._bury()
        self._receiver.join(1.0)
        self._sender.join(1.0)

    def forget(self) -> None:
        """In a forked child: lets go of the pipes, or the worker would outlive its owner."""
        for connection in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                connection.close()

    def _fail(self, error: WorkerError) -> None:
        """Ends the session for all who wait and for all who come; the first reason stands."""
        with self._lock:
            if self._failure is not None:
                return
            self._failure = error
            waiting, self._pending = list(self._pending.values()), {}
        for pending in waiting:
            pending.error = error
            pending.answered.set()
        self.let_go()

    def _bury(self) -> None:
        """Kills what is left of the worker and its children, and takes its exit status: no
        zombies."""
        with self._burial:
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
            # The receiver mostly sees the end as well and knows the exit status, but not if only
            # one pipe was closed.
            self._receiver.join(_GRACE)
            self._fail(WorkerDiedError(f"worker {self.pid} takes no more requests: {error}"))
            self._bury()
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
                    self._settle(pending, response)
                elif not over:
                    raise ProtocolError(f"response to {response.id}, which was not asked")
        except Exception as error:  # noqa: BLE001 - if this thread stops, all callers hang
            # Rubbish is a message that does not decode or a length that cannot be.
            if _is_end(error):
                self._bury()
                status = _status(self._process.returncode)
                self._fail(WorkerDiedError(f"worker {self.pid} died ({status})"))
            else:
                self._fail(self._rubbish(error))
                self._bury()
        finally:
            self._answers.close()

    def _rubbish(self, error: Exception) -> WorkerAnswerError:
        return WorkerAnswerError(f"worker {self.pid} answered rubbish and was killed: {error}")

    def _settle(self, pending: _Pending, response: Response) -> None:
        if not isinstance(response.outcome, Failure):
            try:
                check_result(pending.task, response.outcome)
            except ProtocolError as error:
                pending.error = self._rubbish(error)
                pending.answered.set()
                raise
        pending.outcome = response.outcome
        pending.answered.set()


_SESSIONS: "Final[weakref.WeakSet[_Session]]" = weakref.WeakSet()


def _forget_sessions() -> None:
    for session in list(_SESSIONS):
        session.forget()


os.register_at_fork(after_in_child=_forget_sessions)


def _is_end(error: Exception) -> bool:
    """Whether the pipe ended, between messages or within one."""
    # For a length that cannot be `Connection` raises an OSError too; only the words differ.
    return isinstance(error, EOFError) or str(error) == "got end of file during message"


def _again(error: WorkerError) -> WorkerError:
    """A copy: one exception raised in many threads would gather all their tracebacks."""
    return type(error)(*error.args)


def _status(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _spawned(
    command: list[str] | None, arguments: list[str], environment: Mapping[str, str]
) -> "tuple[subprocess.Popen[bytes], Connection[Any, Any], Connection[Any, Any]]":
    """A new worker with the pipe to it and the pipe from it.

    Not `multiprocessing.Process`: that imports the user's script again, which a script without a
    main guard, standard input and a REPL do not survive.
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
                    # -P: a `queue.py` in the user's folder must not stand in for Python's own.
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
                # Out of reach of the terminal's Ctrl-C from the first moment, and killed as a
                # whole.
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
    """Where the worker writes before it can look after that itself, such as a failing import."""
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
    # Not where Python looks anyway: in front of the standard library a backport there would hide
    # the original.
    if root not in {
        os.path.realpath(path) for path in [*site.getsitepackages(), site.getusersitepackages()]
    }:
        before = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([root, before]) if before else root
    return environment
