"""The owner's side: serves clients on the folder's socket, a thread for each, and runs their verbs.

A client may be slow, wrong or hostile: it costs one thread, one message and one answer at a time,
and gets errors by name. No lock is held while the owner waits for a client: a verb has finished
when its answer is sent.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from itertools import count
from pathlib import Path
from threading import BoundedSemaphore, Event, Lock, Thread
from time import monotonic
from typing import Final, NamedTuple

from graphmem.attaching import channel as channels
from graphmem.attaching.channel import PATIENCE, Budget, Channel
from graphmem.attaching.codec import (
    DIALECT,
    LARGEST_MESSAGE,
    check_items,
    decode_request,
    describe,
    encode,
)
from graphmem.errors import (
    ClosedError,
    GraphMemError,
    NotOpenError,
    OwnerFaultError,
    ProtocolError,
    RefusedError,
)
from graphmem.storage.folder import SOCKET

VALUE, PAGE, LAST_PAGE, PROGRESS, ERROR = range(5)
"""The kind of an answer, its first element."""
GREETING: Final = "graphmem"
MORE: Final = b"more"  # requests the next page

_MOST_CLIENTS: Final = 64
_GREETING_BYTES: Final = 1 << 10
_LARGE_BYTES: Final = LARGEST_MESSAGE  # of all large requests in memory together
_VERBS_AT_ONCE: Final = 2  # so that clients leave the agent its share of the interpreter
_LONGEST_TURN: Final = 0.25  # seconds that a verb waits for a turn
_PAGE_ITEMS: Final = 64
_PAGE_BYTES: Final = 1 << 20
_FAREWELL: Final = 1.0  # seconds that `close` waits for verbs in progress
_CLOSING: Final = "the owner is closing the memory, and this was not done: open it when it has"
_log = logging.getLogger("graphmem.attaching")


class Served(NamedTuple):
    """A verb that an owner runs for its clients."""

    does: Callable[..., object]
    """Takes a memory and the client's arguments; raises ArgumentTypeError if these do not fit."""
    waits: bool
    """It may wait for other verbs, and so gives up its turn."""


class Listener:
    """Serves the clients of one open folder, from `start` to `close`."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        verb: Callable[[str], Served | None],
        memory: Callable[[str | None], object],
    ) -> None:
        """verb: returns the verb of a name. memory: returns the memory of a scope by name, for None
        the one that was opened.
        """
        self._folder = Path(os.path.realpath(folder))
        self._verb = verb
        self._memory = memory
        self.patience = PATIENCE
        """Seconds that a client has to greet, and to complete sending or reading a message."""
        self._lock = Lock()
        self._clients: dict[Channel, Thread] = {}
        self._budget = Budget(_LARGE_BYTES)
        self._turns = BoundedSemaphore(_VERBS_AT_ONCE)
        self._numbers = count(1)
        self._closing = Event()
        self._socket: socket.socket | None = None
        self._pid = os.getpid()
        self.error: str | None = None
        """Why clients cannot attach; None if they can."""

    def start(self) -> None:
        """Listen. If the file system has no sockets, sets `error` and returns."""
        try:
            self._socket = channels.listen(self._folder)
        except OSError as error:
            self.error = f"no socket can be made in {self._folder}: {error}"
            _log.warning("nobody can attach: %s", self.error)
            return
        Thread(target=self._accept, name="graphmem-listener", daemon=True).start()

    @property
    def clients(self) -> int:
        """The number of connections; one `Attached` may have several."""
        return len(self._clients)

    def close(self) -> None:
        """Accept no more clients and close the connections. Idempotent.

        Verbs in progress are not interrupted; they get a second to be answered.
        """
        if os.getpid() != self._pid or self._closing.is_set():
            return
        self._closing.set()
        if self._socket is not None:
            with suppress(OSError):
                (self._folder / SOCKET).unlink()
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
        with self._lock:
            leaving = list(self._clients.items())
        for client, _ in leaving:
            client.hang_up()
        end = monotonic() + _FAREWELL
        for _, thread in leaving:
            thread.join(max(0.0, end - monotonic()))

    # -- clients ------------------------------------------------------------------------------

    def _accept(self) -> None:
        listening = self._socket
        while listening is not None and not self._closing.is_set():
            try:
                connected, _ = listening.accept()
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS):
                    self._closing.wait(0.1)  # until something is closed
                elif error.errno not in (errno.ECONNABORTED, errno.EINTR):
                    if not self._closing.is_set():
                        self.error = f"listening has failed: {error}"
                        _log.error("nobody can attach: %s", self.error)
                    return
                continue
            self._admit(connected)

    def _admit(self, connected: socket.socket) -> None:
        client = Channel(connected, patience=self.patience, budget=self._budget, check=check_items)
        thread = Thread(
            target=self._attend,
            args=(client,),
            name=f"graphmem-client-{next(self._numbers)}",
            daemon=True,
        )
        refusal = None
        with suppress(OSError):  # the client may have gone already
            with self._lock:
                if not channels.same_user(connected):
                    refusal = "the memory belongs to another user"
                elif len(self._clients) >= _MOST_CLIENTS:
                    refusal = f"the memory has {_MOST_CLIENTS} clients already: close some"
                elif not self._closing.is_set():
                    try:
                        thread.start()
                        self._clients[client] = thread
                        return
                    except RuntimeError:
                        refusal = "the owner cannot start another thread"
            if refusal is not None:
                client.offer(_failure(RefusedError(refusal)))
        client.close()

    def _attend(self, client: Channel) -> None:
        try:
            if self._greet(client):
                self._serve(client)
        except ProtocolError as error:  # the borders of further messages are unknown
            with suppress(OSError):
                client.offer(_failure(error))
        except OSError as error:
            _log.debug("a client went away, or took too long: %s", error)
        except Exception:  # noqa: BLE001 - a defect of the owner must not end a thread silently
            _log.exception("a client was let go")
        finally:
            client.close()
            with self._lock:
                self._clients.pop(client, None)

    def _greet(self, client: Channel) -> bool:
        message = client.receive(self.patience, _GREETING_BYTES)
        greeting = None if message is None else decode_request(message)
        if greeting == [GREETING, DIALECT]:
            client.send(encode([VALUE, os.getpid()]))
            return True
        if isinstance(greeting, list) and greeting[:1] == [GREETING]:
            error: GraphMemError = RefusedError(
                "the owner runs another version of graphmem: use the same one for both"
            )
        else:
            error = ProtocolError("a client greets first, this one did not")
        if message is not None:
            client.offer(_failure(error))
        return False

    def _serve(self, client: Channel) -> None:
        pages: Iterator[object] | None = None
        while (message := client.receive()) is not None:
            result: object = None
            turn = ExitStack()
            # If the others take long, this one runs beside them without a turn.
            if self._turns.acquire(timeout=_LONGEST_TURN):
                turn.callback(self._turns.release)
            if self._closing.is_set():
                turn.close()
                if message != MORE:
                    client.send(_failure(NotOpenError(_CLOSING)))
                return
            try:
                answer, pages, result = self._answer(message, client, pages, turn)
            except GraphMemError as error:
                if isinstance(error, ClosedError) and self._closing.is_set():
                    return
                answer, pages = _failure(error), None
            except Exception as error:  # noqa: BLE001 - the fault is reported, the owner continues
                _log.exception("a verb failed")
                fault = f"{type(error).__name__}: {error}; the owner's log has more"
                answer, pages = _failure(OwnerFaultError(fault)), None
            finally:
                turn.close()
            client.send(answer)
            del result  # freeing it takes a while; the client has its answer already

    def _answer(
        self,
        message: bytes | bytearray,
        client: Channel,
        pages: Iterator[object] | None,
        turn: ExitStack,
    ) -> tuple[bytes, Iterator[object] | None, object]:
        """The packed answer, the rest of the listing, if any, and the answer before packing."""
        if message != MORE:
            result = self._run(message, client, turn)
            if not isinstance(result, Iterator):
                return encode([VALUE, result]), None, result
            pages = result
        if pages is None:
            raise ProtocolError("there is no next page: nothing is being listed")
        items, more = _page(pages)
        return encode([PAGE if more else LAST_PAGE, items]), pages if more else None, items

    def _run(self, message: bytes | bytearray, client: Channel, turn: ExitStack) -> object:
        """Run the verb of a request. Raises what the verb raises, ProtocolError."""
        match decode_request(message):
            case [str(name), str() | None as scope, list(given), dict(named)] if all(
                isinstance(key, str) for key in named
            ):
                pass
            case _:
                raise ProtocolError("a request is [verb, scope, arguments, named]")
        served = self._verb(name)
        if served is None:
            raise ProtocolError(f"there is no verb {name!r:.80}")
        if named.get("progress") is True:
            named["progress"] = partial(_report, client)
        if served.waits:
            turn.close()
        return served.does(self._memory(scope), *given, **named)


def _page(pages: Iterator[object]) -> tuple[list[bytes], bool]:
    """The next items, each packed on its own, and whether there may be more."""
    items: list[bytes] = []
    size = 0
    for item in pages:
        items.append(encode(item))
        size += len(items[-1])
        if len(items) == _PAGE_ITEMS or size >= _PAGE_BYTES:
            return items, True
    return items, False


def _report(client: Channel, *progress: object) -> None:
    with suppress(OSError):  # if the client has gone, the verb continues
        client.offer(encode([PROGRESS, list(progress)]))


def _failure(error: GraphMemError) -> bytes:
    return encode([ERROR, describe(error)])
