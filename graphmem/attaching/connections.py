"""The client's side: connections to the owner of a folder, and what it lists page by page."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
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

_GREETING_TIME: Final = 10.0  # seconds for an owner to greet


class Line:
    """The connections to the owner of a folder: one for each call under way, kept for the next."""

    def __init__(self, path: str, timeout: float | None) -> None:
        self._folder = Path(os.path.realpath(path))
        self._timeout = timeout
        self._idle: deque[Channel] = deque()
        self._pid = os.getpid()
        self._closed = False
        self.path = os.path.abspath(path)
        self.owner_pid = 0

    def ask(self, request: bytes, progress: Callable[..., object] | None = None) -> Any:
        """What the owner answers to a request; raises the error that it answers."""
        channel = self._take()
        kind, content = self.exchange(channel, request, progress)
        if kind == PAGE:
            return Pages(self, channel, content)
        self.keep(channel)
        return Pages(self, None, content) if kind == LAST_PAGE else content

    def exchange(
        self, channel: Channel, request: bytes, progress: Callable[..., object] | None = None
    ) -> tuple[int, Any]:
        """One request and its answer, VALUE, PAGE or LAST_PAGE.

        Raises the error that the owner answers. A connection is closed by whatever is raised: who
        interrupts a call leaves an answer behind that must not be taken for that of the next.
        """
        try:
            while True:
                kind, content = decode(self._answer(channel, request))
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

    def _answer(self, channel: Channel, request: bytes) -> bytes | bytearray:
        """The next message of the owner, after a request if there is one. Raises NotOpenError if
        the owner has not got all of it, and so does nothing."""
        sent = request == MORE  # else of a listing that goes on, a part was done
        try:
            if request:
                channel.send(request)
            sent = True
            message = channel.receive(self._timeout)
        except TimeoutError:
            raise OwnerSilentError(
                f"process {self.owner_pid}, which has {self._folder} open, does not answer; what "
                "was asked may still be done"
            ) from None
        except OSError:
            message = None
        if not sent:
            raise self._closing()
        if message is None:
            raise OwnerGoneError(
                f"process {self.owner_pid}, which had {self._folder} open, has closed it or died "
                "during the call, which may or may not have been done; the next call looks for a "
                "new owner"
            )
        return message

    def _take(self) -> Channel:
        if self._closed:
            raise ClosedError(f"this connection to {self._folder} was closed: attach again")
        if os.getpid() != self._pid:  # a forked child has its own
            self._idle.clear()
            self._pid = os.getpid()
        while True:
            try:
                channel = self._idle.pop()
            except IndexError:
                return self._connected()
            if channel.idle:
                return channel
            channel.close()  # its owner has gone

    def _connected(self) -> Channel:
        try:
            channel = Channel(channels.connect(self._folder, _GREETING_TIME))
        except OSError as error:
            raise self._not_open(error) from None
        try:
            with suppress(OSError):  # a refusal may be there already
                channel.send(encode_request([GREETING, DIALECT]))
            message = channel.receive(_GREETING_TIME)
            if message is None:
                raise self._closing()
            kind, content = decode(message)
            if kind == ERROR:
                raise rebuild(content)
            self.owner_pid = int(content)
            return channel
        except BaseException as error:
            channel.close()
            if isinstance(error, OSError) and not isinstance(error, GraphMemError):
                raise self._not_open(error) from None
            raise

    def _closing(self) -> NotOpenError:
        return NotOpenError(f"the owner of {self._folder} is closing it; open it when that is done")

    def _not_open(self, error: OSError) -> GraphMemError:
        if not os.path.isfile(self._folder / LOCK):  # which raises for no name, however long
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
        """End the connections; calls under way are answered. Idempotent."""
        self._closed = True
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()


class Pages(Iterator[Any]):
    """What a verb lists, a page at a time, from the snapshot that the owner holds for it."""

    def __init__(self, line: Line, channel: Channel | None, page: list[bytes]) -> None:
        self._line = line
        self._channel = channel
        """On which the next page is asked for; None after the last."""
        self._items = iter(page)

    def __next__(self) -> Any:
        while (packed := next(self._items, None)) is None:
            if self._channel is None:
                raise StopIteration
            channel, self._channel = self._channel, None
            kind, page = self._line.exchange(channel, MORE)
            self._items = iter(page)
            if kind == PAGE:
                self._channel = channel
            else:
                self._line.keep(channel)
        return decode(packed)

    def close(self) -> None:
        """Let the owner let go of its snapshot. Idempotent."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        self._items = iter(())

    def __del__(self) -> None:
        self.close()


def owner_of(folder: Path) -> int | None:
    """The living process that the lock file names. To try the lock would be to disturb an open."""
    with suppress(OSError, ValueError, IndexError):
        pid = int(read_file(folder / LOCK).split()[0])
        os.kill(pid, 0)
        return pid
    return None
