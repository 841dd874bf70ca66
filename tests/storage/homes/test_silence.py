"""A server that takes connections, and then answers nothing, or no."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from graphmem.errors import StorageError
from graphmem.storage.homes.postgres import MOST, Postgres


def message(kind: bytes, content: bytes = b"") -> bytes:
    return kind + (len(content) + 4).to_bytes(4, "big") + content


READY = message(b"Z", b"I")
HELLO = (
    message(b"R", bytes(4))
    + message(b"S", b"client_encoding\0UTF8\0")
    + message(b"S", b"server_version\x0015.0\0")
    + READY
)
DONE = message(b"1") + message(b"2") + message(b"n") + message(b"C", b"DELETE 7\0") + READY
FULL = message(b"E", b"SERROR\0VERROR\0C53100\0Mcould not extend file: No space left\0\0") + READY
CROWDED = message(b"E", b"SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0")


class Server:
    """Says `hello` to who connects, and `answer` to what is asked."""

    def __init__(self) -> None:
        self.hello, self.answer, self.asked = HELLO, DONE, 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = (
            f"postgresql://nobody@127.0.0.1:{self._socket.getsockname()[1]}/none"
            "?sslmode=disable&gssencmode=disable"
        )
        self._served: list[socket.socket] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                self._served.append(client)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            client.recv(1 << 16)
            client.sendall(self.hello)
            if self.hello != HELLO:
                client.close()
            while client.recv(1 << 16):
                self.asked += 1
                client.sendall(self.answer)

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        for each in (self._socket, *self._served):
            each.close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def home(server: Server) -> Iterator[Postgres]:
    home = Postgres(server.url)
    yield home
    home.close()


def ask(home: Postgres, patience: float) -> int:
    return home.doing(lambda c: c.execute("DELETE", ()).rowcount, patience)


def test_a_silent_server_is_waited_for_no_longer_than_said(server: Server, home: Postgres) -> None:
    """A write waited for as long as a server stood still that had taken its connection: its kernel
    answers keepalives."""
    assert ask(home, 5) == 7
    server.answer = b""
    begun = time.monotonic()
    with pytest.raises(StorageError, match="nothing was heard"):
        ask(home, 1)
    assert 0.5 < time.monotonic() - begun < 3
    assert server.asked >= 3  # half-way it is asked again, by another connection
    server.answer = DONE
    assert ask(home, 5) == 7


def test_a_server_that_wakes_up_is_asked_again(server: Server, home: Postgres) -> None:
    """Its first connection may be dead while others are served."""
    assert ask(home, 5) == 7
    server.answer = b""
    threading.Timer(0.3, lambda: setattr(server, "answer", DONE)).start()
    assert ask(home, 2) == 7


def test_blocked_calls_hold_up_others_for_a_while_only(server: Server, home: Postgres) -> None:
    """Four memories whose rows were locked held up all others of their process, for as long."""
    assert ask(home, 5) == 7
    server.answer = b""
    calls = [threading.Thread(target=ask_in_vain, args=(home, 1.0)) for _ in range(MOST)]
    for call in calls:
        call.start()
    while server.asked < 1 + MOST:
        time.sleep(0.01)
    server.answer = DONE  # to those who ask now
    assert ask(home, 4) == 7
    for call in calls:
        call.join()


def ask_in_vain(home: Postgres, patience: float) -> None:
    with suppress(StorageError):
        ask(home, patience)


@pytest.mark.parametrize("what", ["full", "crowded", "gone"])
def test_an_error_says_what_the_server_said(server: Server, home: Postgres, what: str) -> None:
    """A full disk was told of as a home that cannot be reached: who read it looked at the
    network."""
    assert ask(home, 5) == 7
    said = "refuses .*could not extend file: No space left"
    if what == "full":
        server.answer = FULL
    elif what == "crowded":
        server.hello = CROWDED
        home.close()
        said = "refuses .*sorry, too many clients already"
    else:
        home.close()
        server.close()
        said = "cannot be reached .*refused"
    with pytest.raises(StorageError, match=said):
        ask(home, 0.2)
