"""Every error that graphmem raises on purpose, grouped by the act that fails.

One root, `GraphMemError`; each subclass is also the builtin that a Python user would catch. A
message says what happened, to which path or key, and what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable


class GraphMemError(Exception):
    """Raised when anything in graphmem fails in a foreseen way; the root of the tree."""


# Opening a folder


class OpenError(GraphMemError):
    """Raised when a folder cannot be opened; each cause has a subclass."""


class AlreadyOpenError(OpenError, RuntimeError):
    """Raised when a folder is open already, in another process or in this one."""

    def __init__(self, path: str, owner_pid: int | None, message: str) -> None:
        super().__init__(message)
        self.path = path
        """The folder's real path."""
        self.owner_pid = owner_pid
        """The owner's process id; None when it could not be read, or is on another machine."""


class NotAStoreError(OpenError, ValueError):
    """Raised when a folder is not empty and holds no store of graphmem, or a path is no folder."""


class MissingError(OpenError, FileNotFoundError):
    """Raised when the folder to open, or the parent of the one to create, does not exist."""


class NewerFormatError(OpenError, ValueError):
    """Raised when a store was written in a format newer than this version can read."""


class OlderFormatError(OpenError, ValueError):
    """Raised when the format of a store is too old for this version, or for the operation."""


class MovedError(OpenError, LookupError):
    """Raised when a memory has moved to another home; the message names it."""


class UnfinishedError(OpenError, RuntimeError):
    """Raised when a memory has not arrived whole in its home: an adoption, a restore or a move goes
    on, or was cut short. Doing that again finishes it."""


class ReadOnlyFolderError(OpenError, PermissionError):
    """Raised when a folder cannot be written to, which even opening it needs."""


class DestinationError(GraphMemError, FileExistsError):
    """Raised when a backup or a restore would write over or into something that exists."""


class MissingExtraError(OpenError, ImportError):
    """Raised when a setting needs an optional package that is not installed."""


class ModelError(OpenError, RuntimeError):
    """Raised when a model is missing, is not the file it should be, or cannot be had or loaded."""


# Using an open memory


class ClosedError(GraphMemError, ValueError):
    """Raised when something is used after it was closed."""


class RenamedError(GraphMemError, AttributeError):
    """Raised for a method of `Memory` that has another name now; the message says which."""


class ForkedError(GraphMemError, RuntimeError):
    """Raised when a store is used in a process forked from the one that opened it, or a folder is
    opened in a process forked from one that had opened any."""


class ReadOnlyError(GraphMemError, PermissionError):
    """Raised when a store that was opened with `read_only=True`, or `graph.rdf()`, is written
    to."""


class TransactionError(GraphMemError, RuntimeError):
    """Raised for a call that is not allowed within a `transaction()`, or that uses what was read in
    one that has been rolled back."""


class HeldError(GraphMemError, RuntimeError):
    """Raised when an erasure, drop or compaction is done, but the bytes are still in the files,
    because an older listing, `graph.rdf()` or client is still open.

    They are removed when that ends, at the latest when the folder is next opened;
    `stats()["erasing"]` is 0 then. Also raised when `close` has waited a minute for another
    thread's call, which the message names: close again when that has ended.
    """


class CorruptError(GraphMemError, ValueError):
    """Raised when stored bytes are not those that were written."""


# Attaching to another process


class NotOpenError(OpenError, ConnectionError):
    """Raised by `attach` when no process has the folder open, or its owner takes no clients."""

    owner_pid: int | None = None
    """The process id of an owner that takes no clients; None if no owner is known."""


class RefusedError(OpenError, PermissionError):
    """Raised when the owner refuses a client: of another user, of another version, one too many."""


class OwnerGoneError(ClosedError, ConnectionError):
    """Raised when the owner closed an attached memory, or died; the next call looks for a new one.

    The call under way may or may not have been done.
    """


class OwnerSilentError(GraphMemError, TimeoutError):
    """Raised when the owner of an attached memory does not answer within `timeout`."""


class OwnerFaultError(GraphMemError, RuntimeError):
    """Raised when a call of a client fails in its owner with an unexpected error."""


class ProtocolError(GraphMemError, ValueError):
    """Raised when a message between client and owner cannot be sent, or breaks the protocol."""


# Committing


class StorageError(GraphMemError, OSError):
    """Raised when the operating system refuses to read or write; `errno` says why, if known."""


class FullError(StorageError):
    """Raised when the disk has no space left for a commit."""


class BrokenError(StorageError):
    """Raised by every write after one that failed, until the store is opened again."""


class FencedError(BrokenError):
    """Raised when another process has since taken the memory from its home, or erased it there.

    Earlier acknowledged writes are in the home; the last one may or may not be.
    """

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


# Triples


class InvalidTermError(GraphMemError, ValueError):
    """Raised when a value cannot be a subject, predicate or object."""


class ReservedError(GraphMemError, ValueError):
    """Raised when a fact uses a predicate that graphmem keeps for itself (`memory:…`)."""


class MalformedError(GraphMemError, ValueError):
    """Raised when a file does not follow its format; the message has line and column."""

    def __init__(self, path: str, line: int, column: int | None, message: str) -> None:
        place = f"line {line}" if column is None else f"line {line}, column {column}"
        super().__init__(f"{path}, {place}: {message}")
        self.path = path
        self.line = line
        """From 1."""
        self.column = column
        """In characters, from 1; None if the parser does not give it."""


# SPARQL


class QueryError(GraphMemError, ValueError):
    """Raised when a SPARQL query cannot be answered; each known cause has a subclass."""


class QuerySyntaxError(QueryError):
    """Raised when a query is not SPARQL, or uses a prefix that is not bound."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        """Where the syntax error is, from 1; None if that is not known."""
        self.column = column
        """Counted in characters from 1."""


class QueryRefusedError(QueryError):
    """Raised when a query would write, use the network, or read other graphs than this one."""


class QueryLimitError(QueryError):
    """Raised when a query, a text that it makes, or the rows that it holds exceed a limit."""


class QueryTimeoutError(QueryError, TimeoutError):
    """Raised when a query takes longer than the `seconds` that it was given."""


# Remembering, recalling, forgetting


class InvalidArgumentError(GraphMemError, ValueError):
    """Raised when an argument is out of its range; the message names it and the range."""


class ArgumentTypeError(GraphMemError, TypeError):
    """Raised when an argument is of the wrong type."""


class SupersededError(InvalidArgumentError):
    """Raised when the memory to replace or keep was replaced before; the message says by which."""


class InvalidTextError(InvalidArgumentError):
    """Raised when a text is empty, holds NULs or lone surrogates, or is longer than `max_text`."""


class SecretError(InvalidTextError):
    """Raised when a text holds a secret and `guard` is "refuse"; the message omits the secret."""


class UnreadableFileError(GraphMemError, OSError):
    """Raised when a file to remember or to load is missing, no regular file, or may not be read."""


class _UnknownError(GraphMemError, KeyError):
    """Shows its message; a KeyError would show the repr of it."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UnknownNodeError(_UnknownError):
    """Raised when there never was a node of that id, or it was erased."""


class ForgottenError(UnknownNodeError):
    """Raised when a node has been forgotten; `memory.history` brings it back."""


class UnknownScopeError(_UnknownError):
    """Raised when a scope does not exist and may not be made."""

    def __init__(self, message: str = "", known: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.known = tuple(known)
        """The existing scopes' names, if the message lists them."""


class VersionConflictError(GraphMemError, ValueError):
    """Raised when the item to write has another version than expected: read it again."""

    def __init__(self, key: str, expected: int, actual: int) -> None:
        super().__init__(
            f"{key!r:.120} is at version {actual}, not {expected}: read it again"
            if actual
            else f"{key!r:.120} is not there, and was expected at version {expected}"
        )
        self.key = key
        self.expected = expected
        self.actual = actual
        """0 if there is no such item."""


class UnknownThemeError(_UnknownError):
    """Raised when there is no theme of that id, or all its members were forgotten."""


class UnknownVersionError(GraphMemError, LookupError):
    """Raised when the archive does not reach back to that version of a node."""


class PinLimitError(GraphMemError, ValueError):
    """Raised when a pin would leave less than half of `max_nodes` to be forgotten."""


class EmbedderError(GraphMemError, RuntimeError):
    """Raised when an embedder fails, is late, or returns something other than its vectors."""


class CapacityError(GraphMemError, ValueError):
    """Raised when a text has more segments than `max_nodes` allows, or all slots are protected."""
