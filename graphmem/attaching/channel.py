"""A channel: whole messages over a Unix socket, and finding the socket of a folder's owner.

A message is its length (u32, big-endian) and so many bytes. The socket lies beside the lock file,
with mode 0600, and both ends ask the kernel whose process the other one is.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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
_LOOKED_AT: Final = 1 << 16  # bytes of a large message before the rest is read
_LENGTH: Final = struct.Struct(">I")
_CREDENTIALS: Final = struct.Struct("3i")  # process, user, group
_LOCAL: Final = struct.Struct("II")  # how a xucred of macOS and the BSDs begins: version, user
_LOCAL_ROOM: Final = 256  # bytes; more than a xucred has anywhere
_SOL_LOCAL: Final = 0
_LONGEST_ADDRESS: Final = 104  # bytes of a path of a socket, with a zero behind it: macOS

# What the system has; None: it does not.
_PEER_CREDENTIALS: int | None = getattr(socket, "SO_PEERCRED", None)
_LOCAL_CREDENTIALS: int | None = 1 if sys.platform.startswith(("darwin", "freebsd")) else None
_DESCRIPTORS: str | None = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else None

_open: Final[WeakSet[socket.socket]] = WeakSet()


class Budget:
    """Bytes that several channels share."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._changed = Condition()

    def take(self, size: int, within: float) -> bool:
        """Take so many bytes, at most all; False if they are not there within so many seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._left >= size, within):
                return False
            self._left -= size
            return True

    def give_back(self, size: int) -> None:
        with self._changed:
            self._left += size
            self._changed.notify_all()


class Channel:
    """One end of a connection; one thread at a time."""

    def __init__(
        self,
        connected: socket.socket,
        *,
        patience: float = PATIENCE,
        budget: Budget | None = None,
        check: Callable[[bytearray], None] | None = None,
    ) -> None:
        """patience: seconds for the other side to send, or take, what has begun.
        budget: of the bytes of messages over 1 MiB, together with other channels. check: looks at
        the beginning of such a message before more of it is read, and raises ProtocolError.
        """
        _open.add(connected)
        self.socket = connected
        self._news = select.poll()
        self._news.register(connected, select.POLLIN)
        self._patience = patience
        self._budget = budget
        self._check = check
        self._holds = 0  # bytes of the budget
        self._read = bytearray()

    def send(self, message: bytes) -> None:
        """Send a message. Raises OSError; TimeoutError when the other side does not read."""
        frame = _LENGTH.pack(len(message)) + message
        if (sent := self._sent(frame)) < len(frame):
            self.socket.settimeout(self._patience)
            self.socket.sendall(memoryview(frame)[sent:])
            self.socket.settimeout(None)

    def offer(self, message: bytes) -> None:
        """Send a message of a few bytes, or don't when the other side has not read the last ones.

        The kernel takes so small a message whole or not at all.
        """
        self._sent(_LENGTH.pack(len(message)) + message)

    def _sent(self, frame: bytes) -> int:
        try:
            return self.socket.send(frame, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0

    def receive(
        self, within: float | None = None, most: int = LARGEST_MESSAGE
    ) -> bytes | bytearray | None:
        """The next message, None when the other side has closed.

        within: seconds until it must begin; None waits for ever. most: bytes of it. Raises
        OSError, TimeoutError when a message does not come to its end within `patience`,
        ProtocolError when one is larger than is allowed.
        """
        self._let_go()
        if not self._read:
            if not (read := self._got(within)):
                return None
            if int.from_bytes(read[: _LENGTH.size], "big") == len(read) - _LENGTH.size <= most:
                return read[_LENGTH.size :]  # a whole message at once, as most are
            self._read += read
        until = monotonic() + self._patience
        while len(self._read) < _LENGTH.size:
            self._need(until)
        (length,) = _LENGTH.unpack_from(self._read)
        if length > most:
            raise ProtocolError(f"a message has at most {most:,} bytes here, not {length:,}")
        if length > _LARGE and self._budget is not None:
            while len(self._read) < _LOOKED_AT:
                self._need(until)
            if self._check is not None:
                self._check(self._read[_LENGTH.size :])
            if not self._budget.take(length, self._patience):
                raise TimeoutError("too many large messages at once")
            self._holds = length
            until = monotonic() + self._patience
        end = _LENGTH.size + length
        while len(self._read) < end:
            self._need(until)
        # Without a copy: it may have 64 MiB.
        message, self._read = self._read, self._read[end:]
        del message[end:]
        del message[: _LENGTH.size]
        return message

    def _need(self, until: float) -> None:
        if not (read := self._got(max(0.001, until - monotonic()))):
            raise ConnectionResetError("the connection ended within a message")
        self._read += read

    def _got(self, within: float | None) -> bytes:
        if within is not None:
            self.socket.settimeout(within)
        try:
            return self.socket.recv(_CHUNK)
        finally:
            if within is not None:
                self.socket.settimeout(None)

    def _let_go(self) -> None:
        if self._holds and self._budget is not None:
            self._budget.give_back(self._holds)
            self._holds = 0

    @property
    def idle(self) -> bool:
        """True if the other side is there and has sent nothing."""
        return not self._news.poll(0)

    def hang_up(self) -> None:
        """Wake whoever waits for a message, as if the other side had closed."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RD)

    def close(self) -> None:
        """End the connection. Idempotent."""
        self._let_go()
        self.socket.close()


def listen(folder: Path) -> socket.socket:
    """The socket of a folder that this process owns; what a dead owner left gives way.

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
    """Connect to the owner of a folder. Raises OSError: nobody listens, or it is another user."""
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
    """Whether the process at the other end belongs to this one's user, says the kernel.

    One that does not say it has let this process reach, or that one find, a socket of mode 0600 in
    a folder of mode 0700, which only the same user, and root, can.
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
    """A path of the socket that always fits into the bytes that the kernel allows."""
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
    """Close, in a forked child, the parent's sockets: with the child's copies a dead owner's
    connections would stay open, and its socket would take clients that nobody serves."""
    for held in list(_open):
        held.close()
    _open.clear()


os.register_at_fork(after_in_child=_after_fork)
