"""A channel: whole messages over a Unix socket, and finding the socket of a folder's owner.

A message is its length (u32, big-endian) and so many bytes. The socket lies beside the lock file,
with mode 0600, and both ends ask the kernel whose process the other one is.
"""

from __future__ import annotations

import os
import select
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import BoundedSemaphore
from time import monotonic
from typing import Final
from weakref import WeakSet

from graphmem.attaching.values import LARGEST_MESSAGE
from graphmem.errors import ProtocolError
from graphmem.storage.folder import SOCKET

PATIENCE: Final = 30.0  # seconds for a message that has begun
_LARGE: Final = 1 << 20  # bytes
_CHUNK: Final = 1 << 16  # bytes read at once
_LENGTH: Final = struct.Struct(">I")
_CREDENTIALS: Final = struct.Struct("3i")  # process, user, group

_open: Final[WeakSet[socket.socket]] = WeakSet()


class Channel:
    """One end of a connection; one thread at a time."""

    def __init__(
        self,
        connected: socket.socket,
        *,
        patience: float = PATIENCE,
        large: BoundedSemaphore | None = None,
    ) -> None:
        """patience: seconds for the other side to send, or take, what has begun.
        large: how many channels may hold a message of over 1 MiB at once.
        """
        _open.add(connected)
        self._socket = connected
        self._news = select.poll()
        self._news.register(connected, select.POLLIN)
        self._patience = patience
        self._large = large
        self._holds_large = False
        self._read = bytearray()

    def send(self, message: bytes) -> None:
        """Send a message. Raises OSError; TimeoutError when the other side does not read."""
        frame = _LENGTH.pack(len(message)) + message
        if (sent := self._sent(frame)) < len(frame):
            self._socket.settimeout(self._patience)
            self._socket.sendall(memoryview(frame)[sent:])
            self._socket.settimeout(None)

    def offer(self, message: bytes) -> None:
        """Send a message of a few bytes, or don't when the other side has not read the last ones.

        The kernel takes so small a message whole or not at all.
        """
        self._sent(_LENGTH.pack(len(message)) + message)

    def _sent(self, frame: bytes) -> int:
        try:
            return self._socket.send(frame, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0

    def receive(self, within: float | None = None) -> bytes | None:
        """The next message, None when the other side has closed.

        within: seconds until it must begin; None waits for ever. Raises OSError, TimeoutError
        when a message does not come to its end within `patience`, ProtocolError when one is
        larger than is allowed.
        """
        self._let_go()
        if not self._read:
            if not (read := self._got(within)):
                return None
            if int.from_bytes(read[: _LENGTH.size], "big") == len(read) - _LENGTH.size:
                return read[_LENGTH.size :]  # a whole message at once, as most are
            self._read += read
        until = monotonic() + self._patience
        while len(self._read) < _LENGTH.size:
            self._need(until)
        (length,) = _LENGTH.unpack_from(self._read)
        if length > LARGEST_MESSAGE:
            raise ProtocolError(f"a message has at most {LARGEST_MESSAGE:,} bytes, not {length:,}")
        if length > _LARGE and self._large is not None:
            if not self._large.acquire(timeout=self._patience):
                raise TimeoutError("too many large messages at once")
            self._holds_large = True
        end = _LENGTH.size + length
        while len(self._read) < end:
            self._need(until)
        message = bytes(memoryview(self._read)[_LENGTH.size : end])
        del self._read[:end]
        return message

    def _need(self, until: float) -> None:
        if not (read := self._got(max(0.001, until - monotonic()))):
            raise ConnectionResetError("the connection ended within a message")
        self._read += read

    def _got(self, within: float | None) -> bytes:
        if within is not None:
            self._socket.settimeout(within)
        try:
            return self._socket.recv(_CHUNK)
        finally:
            if within is not None:
                self._socket.settimeout(None)

    def _let_go(self) -> None:
        if self._holds_large and self._large is not None:
            self._holds_large = False
            self._large.release()

    @property
    def idle(self) -> bool:
        """True if the other side is there and has sent nothing."""
        return not self._news.poll(0)

    def hang_up(self) -> None:
        """Wake whoever waits for a message, as if the other side had closed."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RD)

    def close(self) -> None:
        """End the connection. Idempotent."""
        self._let_go()
        self._socket.close()


def listen(folder: Path) -> socket.socket:
    """The socket of a folder that this process owns; what a dead owner left gives way.

    Raises OSError where the file system has no sockets.
    """
    listening = socket.socket(socket.AF_UNIX)
    try:
        os.fchmod(listening.fileno(), 0o600)  # which `bind` gives to the file
        with suppress(FileNotFoundError):
            (folder / SOCKET).unlink()
        with _address(folder) as address:
            listening.bind(address)
        listening.listen(64)
    except BaseException:
        listening.close()
        raise
    _open.add(listening)
    return listening


def connect(folder: Path, patience: float) -> socket.socket:
    """Connect to the owner of a folder. Raises OSError: nobody listens, or it is another user."""
    connected = socket.socket(socket.AF_UNIX)
    try:
        connected.settimeout(patience)
        with _address(folder) as address:
            connected.connect(address)
        connected.settimeout(None)
        if not same_user(connected):
            raise PermissionError("it belongs to another user")
    except BaseException:
        connected.close()
        raise
    return connected


def same_user(connected: socket.socket) -> bool:
    """Whether the process at the other end belongs to this one's user, says the kernel."""
    packed = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(packed)[1]) == os.geteuid()


@contextmanager
def _address(folder: Path) -> Iterator[str]:
    """A path of the socket that always fits into the 107 bytes that the kernel allows."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}/{SOCKET}"
    finally:
        os.close(descriptor)


def _after_fork() -> None:
    """Close, in a forked child, the parent's sockets: with the child's copies a dead owner's
    connections would stay open, and its socket would take clients that nobody serves."""
    for held in list(_open):
        held.close()
    _open.clear()


os.register_at_fork(after_in_child=_after_fork)
