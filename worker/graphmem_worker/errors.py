"""Every error of the worker, in one tree; what a Python user would catch is among their bases."""


def install(extra: str) -> str:
    """How a message says to install an extra.

    From the checkout: graphmem is on no registry, where anybody could take the name.
    """
    return f"in graphmem's checkout run: pip install -e '.[{extra}]'"


class WorkerError(Exception):
    """Root of this package's errors: raised as one of those below."""


class ProtocolError(WorkerError, ValueError):
    """Raised when a message is not one of this protocol: broken msgpack, a missing or wrong field,
    too large.

    `id` is the message's id where it could still be read, else `None`.
    """

    def __init__(self, message: str, id: int | None = None) -> None:
        super().__init__(message)
        self.id = id


class UnknownBackendError(WorkerError, LookupError):
    """Raised when a backend is asked for that is not known; the message names those that are."""


class TaskError(WorkerError, RuntimeError):
    """Raised when a worker answered that it could not do a task; it goes on working.

    `kind` is a word for the cause ("unsupported", "deadline", "payload", "backend", "failed" …);
    `transient` is True where the same task may succeed later.
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
    """Raised when the worker process kept silent beyond the deadline and was killed; the next `ask`
    starts another."""


class WorkerAnswerError(WorkerError, ValueError):
    """Raised when the worker process answered rubbish and was killed; the next `ask` starts
    another."""


class WorkerForkedError(WorkerError, RuntimeError):
    """Raised when a forked child uses the `WorkerProcess` of its parent; it has to make its own."""


class WorkerClosedError(WorkerError, RuntimeError):
    """Raised when a `WorkerProcess` is used after `close`."""
