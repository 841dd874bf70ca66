"""The client's side: connections to the owner of a folder, and cursors over listings."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final

from graphmem.attaching import channel as channels
from graphmem.attaching.channel import Channel
from graphmem.attaching.codec import DIALECT, decode, encode_request, rebuild
from graphmem.attaching.listener import ERROR, GREETING, LAST_PAGE, MORE, PAGE, PROGRESS
from graphmem.errors import (
    ClosedError,
    GraphMemError,
    MissingError,
    NotOpenError,
    OwnerGoneError,
    OwnerSilentError,
)
from graphmem.storage.folder import LOCK, read_file

_GREETING_TIME: Final = 10.0  # seconds


class Line:
    """A pool of connections to the owner of a folder: one for each call in progress."""

    def __init__(self, path: str, timeout: float | None) -> None:
        """timeout: seconds for a call."""
        self._folder = Path(os.path.realpath(path))
        self._timeout = inf if timeout is None else timeout
        self._idle: deque[Channel] = deque()
        self._pid = os.getpid()
        self._closed = False
        self.path = os.path.abspath(path)
        self.owner_pid = 0
        self.patience = _GREETING_TIME
        """Seconds for an owner to greet, within those for a call."""

    def ask(self, request: bytes, progress: Callable[..., object] | None = None) -> Any:
        """The owner's answer to a request (a `Cursor` over a listing), or raises its error."""
        end = monotonic() + self._timeout
        channel = self._idle_channel(end)
        kind, content = self.exchange(channel, request, progress, end)
        if kind == PAGE:
            return Cursor(self, channel, content)
        self.keep(channel)
        return Cursor(self, None, content) if kind == LAST_PAGE else content

    def exchange(
        self, channel: Channel, request: bytes, progress: Callable[..., object] | None = None,
        end: float | None = None,
    ) -> tuple[int, Any]:  # fmt: skip
        """Send a request; returns kind (VALUE, PAGE, LAST_PAGE) and content of the answer. end:
        when it must be there, by `monotonic()`; None: within the timeout from now.

        Raises the error that the owner sends. Any exception closes the connection: the answer to an
        interrupted call must not be taken for that of the next.
        """
        end = monotonic() + self._timeout if end is None else end
        try:
            while True:
                kind, content = decode(self._answer(channel, request, end))
                request = b""
                if kind == ERROR:
                    raise rebuild(content)
                if kind != PROGRESS:
                    return kind, content
                if progress is not None:
                    progress(*content)
        except BaseException:
            channel.close()
            raise

    def _answer(self, channel: Channel, request: bytes, end: float) -> bytes | bytearray:
        """The next message of the owner, after a request if there is one. Raises NotOpenError if
        the owner did not receive all of the request, and so has done nothing."""
        sent = request == MORE  # the first part of a listing has been done
        try:
            if request:
                channel.send(request, end)
            sent = True
            message = channel.receive(end=end)
        except TimeoutError:
            raise OwnerSilentError(
                f"process {self.owner_pid}, which has {self._folder} open, does not answer; what "
                "was asked may still be done"
            ) from None
        except OSError:
            message = None
        if not sent:
            raise self._closing_error()
        if message is None:
            raise OwnerGoneError(
                f"process {self.owner_pid}, which had {self._folder} open, has closed it or died "
                "during the call, which may or may not have been done; the next call looks for a "
                "new owner"
            )
        return message

    def _idle_channel(self, end: float) -> Channel:
        if self._closed:
            raise ClosedError(f"this connection to {self._folder} was closed: attach again")
        if os.getpid() != self._pid:  # a forked child needs its own
            self._idle.clear()
            self._pid = os.getpid()
        while True:
            try:
                channel = self._idle.pop()
            except IndexError:
                return self._connect(end)
            if channel.idle:
                return channel
            channel.close()  # its owner has gone

    def _connect(self, end: float) -> Channel:
        end = min(end, monotonic() + self.patience)
        try:
            channel = Channel(channels.connect(self._folder, channels.left(end)))
        except OSError as error:
            raise self._connection_error(error) from None
        try:
            with suppress(OSError):  # a refusal may be there already
                channel.send(encode_request([GREETING, DIALECT]), end)
            message = channel.receive(end=end)
            if message is None:
                raise self._closing_error()
            kind, content = decode(message)
            if kind == ERROR:
                raise rebuild(content)
            self.owner_pid = int(content)
            return channel
        except BaseException as error:
            channel.close()
            if isinstance(error, OSError) and not isinstance(error, GraphMemError):
                raise self._connection_error(error) from None
            raise

    def _closing_error(self) -> NotOpenError:
        return NotOpenError(f"the owner of {self._folder} is closing it; open it when that is done")

    def _connection_error(self, error: OSError) -> GraphMemError:
        if not os.path.isfile(self._folder / LOCK):  # raises for no name, however long
            return MissingError(
                f"there is no store in {self._folder}; graphmem.open({self.path!r}) makes one"
            )
        if isinstance(error, PermissionError):
            return NotOpenError(f"{self._folder} cannot be attached to: {error}")
        if (owner := owner_of(self._folder)) is None:
            return NotOpenError(
                f"nobody has {self._folder} open: graphmem.open({self.path!r}) does it here"
            )
        silent = NotOpenError(
            f"process {owner}, which has {self._folder} open, takes no clients ({error}): it may "
            "be hanging, only just opening it, or have been told attachable=False"
        )
        silent.owner_pid = owner
        return silent

    def keep(self, channel: Channel) -> None:
        """Keep a connection for the next call."""
        self._idle.append(channel)
        if self._closed:
            self.close()

    def close(self) -> None:
        """Close the idle connections; calls in progress are still answered. Idempotent."""
        self._closed = True
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()


class Cursor(Iterator[Any]):
    """A listing, fetched a page at a time from the snapshot that the owner holds for it."""

    def __init__(self, connections: Line, channel: Channel | None, page: list[bytes]) -> None:
        self._connections = connections
        self._channel = channel
        """The connection for the next page; None after the last."""
        self._items = iter(page)

    def __next__(self) -> Any:
        while (packed := next(self._items, None)) is None:
            if self._channel is None:
                raise StopIteration
            channel, self._channel = self._channel, None
            kind, page = self._connections.exchange(channel, MORE)
            self._items = iter(page)
            if kind == PAGE:
                self._channel = channel
            else:
                self._connections.keep(channel)
        return decode(packed)

    def close(self) -> None:
        """Let the owner release its snapshot. Idempotent."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        self._items = iter(())

    def __del__(self) -> None:
        self.close()


def owner_of(folder: Path) -> int | None:
    """The live process named in the lock file, or None. Trying the lock could make an open fail."""
    with suppress(OSError, ValueError, IndexError):
        pid = int(read_file(folder / LOCK).split()[0])
        os.kill(pid, 0)
        return pid
    return None
