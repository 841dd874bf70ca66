"""A channel: whole messages over a Unix socket, and finding the socket of a folder's owner.

A message is its length (u32, big-endian) and that many bytes. The socket is beside the lock file,
with mode 0600, and both ends ask the kernel for the user of the other process.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Condition
from time import monotonic
from typing import Final
from weakref import WeakSet

from graphmem.attaching.codec import LARGEST_MESSAGE
from graphmem.errors import ProtocolError
from graphmem.storage.folder import SOCKET

PATIENCE: Final = 30.0  # seconds for a message that has begun
_LARGE: Final = 1 << 20  # bytes
_CHUNK: Final = 1 << 16  # bytes read at once
_CHECKED: Final = 1 << 16  # bytes of a large message that are checked before the rest is read
_LENGTH: Final = struct.Struct(">I")
_CREDENTIALS: Final = struct.Struct("3i")  # process, user, group
_LOCAL: Final = struct.Struct("II")  # first fields of a xucred of macOS and BSD: version, user
_LOCAL_ROOM: Final = 256  # bytes; more than any system's xucred has
_SOL_LOCAL: Final = 0
_LONGEST_ADDRESS: Final = 104  # bytes of a socket's path, with its final zero, on macOS

# What the system offers; None: nothing.
_PEER_CREDENTIALS: int | None = getattr(socket, "SO_PEERCRED", None)
_LOCAL_CREDENTIALS: int | None = 1 if sys.platform.startswith(("darwin", "freebsd")) else None
_DESCRIPTORS: str | None = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else None

_open: Final[WeakSet[socket.socket]] = WeakSet()


def left(end: float) -> float:
    """Seconds until `end`, of `monotonic()`; above 0, with which a socket would not wait."""
    return max(0.001, end - monotonic())


class Budget:
    """Bytes that several channels share."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._changed = Condition()

    def take(self, size: int, within: float) -> bool:
        """Take `size` bytes, at most all; False if they are not free within `within` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._left >= size, within):
                return False
            self._left -= size
            return True

    def give_back(self, size: int) -> None:
        """Return bytes that were taken."""
        with self._changed:
            self._left += size
            self._changed.notify_all()


class Channel:
    """One end of a connection, used by one thread at a time."""

    def __init__(
        self,
        connected: socket.socket,
        *,
        patience: float = PATIENCE,
        budget: Budget | None = None,
        check: Callable[[bytearray], None] | None = None,
    ) -> None:
        """patience: seconds for the other side to complete sending or reading a message.
        budget: for the bytes of messages over 1 MiB, shared with other channels. check: is called
        with the beginning of such a message before more is read; may raise ProtocolError.
        """
        _open.add(connected)
        self.socket = connected
        self._poll = select.poll()
        self._poll.register(connected, select.POLLIN)
        self._patience = patience
        self._budget = budget
        self._check = check
        self._reserved = 0  # bytes of the budget
        self._buffer = bytearray()

    def send(self, message: bytes, end: float = inf) -> None:
        """Send a message. end: when it must be sent at the latest, by `monotonic()`. Raises
        OSError; TimeoutError if the other side does not read it."""
        frame = _LENGTH.pack(len(message)) + message
        if (sent := self._send_now(frame)) < len(frame):
            self.socket.settimeout(min(self._patience, left(end)))
            self.socket.sendall(memoryview(frame)[sent:])
            self.socket.settimeout(None)

    def offer(self, message: bytes) -> None:
        """Send a message of a few bytes, or drop it if the other side has not read earlier ones.

        The kernel accepts so small a message whole or not at all.
        """
        self._send_now(_LENGTH.pack(len(message)) + message)

    def _send_now(self, frame: bytes) -> int:
        """Send without waiting; returns how many bytes the kernel took."""
        try:
            return self.socket.send(frame, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0

    def receive(
        self, within: float | None = None, most: int = LARGEST_MESSAGE, *, end: float = inf
    ) -> bytes | bytearray | None:
        """The next message, None if the other side has closed.

        within: seconds until it must begin; None waits for ever. most: its maximum in bytes. end:
        when it must be complete at the latest, by `monotonic()`. Raises OSError; TimeoutError if a
        message is not complete within `patience`; ProtocolError if it is too large.
        """
        self._release()
        if end < inf:
            within = left(end)
        if not self._buffer:
            if not (read := self._read_some(within)):
                return None
            if int.from_bytes(read[: _LENGTH.size], "big") == len(read) - _LENGTH.size <= most:
                return read[_LENGTH.size :]  # a whole message at once, the usual case
            self._buffer += read
        until = min(end, monotonic() + self._patience)
        while len(self._buffer) < _LENGTH.size:
            self._fill(until)
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > most:
            raise ProtocolError(f"a message has at most {most:,} bytes here, not {length:,}")
        if length > _LARGE and self._budget is not None:
            while len(self._buffer) < _CHECKED:
                self._fill(until)
            if self._check is not None:
                self._check(self._buffer[_LENGTH.size :])
            if not self._budget.take(length, self._patience):
                raise TimeoutError("too many large messages at once")
            self._reserved = length
            until = monotonic() + self._patience
        stop = _LENGTH.size + length
        while len(self._buffer) < stop:
            self._fill(until)
        # Without a copy: a message may have 64 MiB.
        message, self._buffer = self._buffer, self._buffer[stop:]
        del message[stop:]
        del message[: _LENGTH.size]
        return message

    def _fill(self, until: float) -> None:
        if not (read := self._read_some(left(until))):
            raise ConnectionResetError("the connection ended within a message")
        self._buffer += read

    def _read_some(self, within: float | None) -> bytes:
        if within is not None:
            self.socket.settimeout(within)
        try:
            return self.socket.recv(_CHUNK)
        finally:
            if within is not None:
                self.socket.settimeout(None)

    def _release(self) -> None:
        if self._reserved and self._budget is not None:
            self._budget.give_back(self._reserved)
            self._reserved = 0

    @property
    def idle(self) -> bool:
        """True if the other side is connected and has sent nothing."""
        return not self._poll.poll(0)

    def hang_up(self) -> None:
        """Let a waiting `receive` return, as if the other side had closed."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RD)

    def close(self) -> None:
        """End the connection. Idempotent."""
        self._release()
        self.socket.close()


def listen(folder: Path) -> socket.socket:
    """The socket of a folder that this process owns; replaces the socket of a dead owner.

    Raises OSError where the file system has no sockets.
    """
    listening = socket.socket(socket.AF_UNIX)
    try:
        with suppress(OSError):  # not every system has `bind` give this mode to the file
            os.fchmod(listening.fileno(), 0o600)
        with suppress(FileNotFoundError):
            (folder / SOCKET).unlink()
        with _address(folder) as address:
            listening.bind(address)
            os.chmod(address, 0o600)
        listening.listen(64)
    except BaseException:
        listening.close()
        raise
    _open.add(listening)
    return listening


def connect(folder: Path, patience: float) -> socket.socket:
    """Connect to the owner of a folder. Raises OSError if nobody listens, or another user does."""
    connected = socket.socket(socket.AF_UNIX)
    try:
        connected.settimeout(patience)
        with _address(folder) as address:
            if os.path.islink(address):
                raise PermissionError(f"{SOCKET} is a symbolic link")
            if os.stat(address).st_uid != os.geteuid():
                raise PermissionError("it belongs to another user")
            connected.connect(address)
        connected.settimeout(None)
        if not same_user(connected):
            raise PermissionError("it belongs to another user")
    except BaseException:
        connected.close()
        raise
    return connected


def same_user(connected: socket.socket) -> bool:
    """Whether the kernel reports this process's user for the process at the other end.

    True where the kernel cannot report it: the socket of mode 0600 in a folder of mode 0700 can be
    reached by the same user and root only.
    """
    if _PEER_CREDENTIALS is not None:
        packed = connected.getsockopt(socket.SOL_SOCKET, _PEER_CREDENTIALS, _CREDENTIALS.size)
        return int(_CREDENTIALS.unpack(packed)[1]) == os.geteuid()
    if _LOCAL_CREDENTIALS is not None:
        packed = connected.getsockopt(_SOL_LOCAL, _LOCAL_CREDENTIALS, _LOCAL_ROOM)
        return int(_LOCAL.unpack_from(packed)[1]) == os.geteuid()
    return True


@contextmanager
def _address(folder: Path) -> Iterator[str]:
    """A path of the socket that is not longer than the kernel allows."""
    if _DESCRIPTORS is not None:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield f"{_DESCRIPTORS}/{descriptor}/{SOCKET}"
        finally:
            os.close(descriptor)
        return
    path = os.path.realpath(folder)
    if len(os.fsencode(path)) + len(SOCKET) < _LONGEST_ADDRESS:
        yield f"{path}/{SOCKET}"
        return
    with TemporaryDirectory(prefix="gm-") as short:  # of mode 0700
        os.symlink(path, f"{short}/f")
        yield f"{short}/f/{SOCKET}"


def _after_fork() -> None:
    """Close the parent's sockets in a forked child: the child's copies would keep the connections
    of a dead owner open, and its socket would accept clients that nobody serves."""
    for inherited in list(_open):
        inherited.close()
    _open.clear()


os.register_at_fork(after_in_child=_after_fork)
