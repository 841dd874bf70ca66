"""All errors of the worker. Each also inherits the builtin that a Python user would catch."""


def install(extra: str) -> str:
    """The hint of a message how to install an extra: from the checkout, since graphmem is on no
    registry, where anybody could take its name."""
    return f"in graphmem's checkout run: pip install -e '.[{extra}]'"


class WorkerError(Exception):
    """Root of the errors of this package; only raised as one of its subclasses."""


class ProtocolError(WorkerError, ValueError):
    """Raised when a message does not follow the protocol: broken msgpack, a missing or wrong field,
    too large.

    `id` is the message's id if it could be read, else `None`.
    """

    def __init__(self, message: str, id: int | None = None) -> None:
        super().__init__(message)
        self.id = id


class UnknownBackendError(WorkerError, LookupError):
    """Raised for the name of an unknown backend; the message lists the known ones."""


class TaskError(WorkerError, RuntimeError):
    """Raised when a worker answered that it could not do a task; the worker keeps running.

    `kind` is the cause ("unsupported", "deadline", "payload", "backend", "failed" …); `transient`
    is True if the same task may succeed later.
    """

    def __init__(self, kind: str, message: str, transient: bool) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.transient = transient


class WorkerDiedError(WorkerError, ConnectionError):
    """Raised when the worker process could not be started or ended before it answered; the next
    `ask` starts another."""


class WorkerTimeoutError(WorkerError, TimeoutError):
    """Raised when the worker process did not answer by the deadline and was killed; the next `ask`
    starts another."""


class WorkerAnswerError(WorkerError, ValueError):
    """Raised when the worker process gave an invalid answer and was killed; the next `ask` starts
    another."""


class WorkerForkedError(WorkerError, RuntimeError):
    """Raised when a forked child uses the `WorkerProcess` of its parent; it must create its own."""


class WorkerClosedError(WorkerError, RuntimeError):
    """Raised when a `WorkerProcess` is used after `close`."""
