"""The server of the page: on the loopback only, for the browser that was given the address.
docs/guarantees.md says how it recognises it."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from typing import Any, Final
from urllib.parse import SplitResult, parse_qs, urlsplit

from graphmem.api.verbs import Verbs
from graphmem.errors import (
    ArgumentTypeError,
    GraphMemError,
    InvalidArgumentError,
    UnknownNodeError,
)
from graphmem.interfaces.view import answers
from graphmem.interfaces.view.page import page, policy
from graphmem.interfaces.view.people import rows_and_names

HOST: Final = "127.0.0.1"
_MOST: Final = 1 << 20  # bytes of a request's body
_ROWS: Final = 400  # memories in one request of a list
_DIGITS: Final = 20  # of an id
_STRANGERS: Final = 64  # connections at once that have not shown the token
_JSON: Final = "application/json"


def _id(number: str) -> int:
    """The id in an address; 0 if it is none."""
    return int(number) if number.isdecimal() and len(number) <= _DIGITS else 0


_ASKED: Final[Mapping[str, Callable[[Verbs, Mapping[str, str]], Any]]] = {
    "/api/state": lambda memory, _: answers.state(memory),
    "/api/candidates": lambda memory, _: answers.candidates(memory),
    "/api/conflicts": lambda memory, _: answers.conflicts(memory),
    "/api/themes": lambda memory, _: answers.themes(memory),
    "/api/people": lambda memory, _: rows_and_names(memory),
    "/api/map": lambda memory, query: memory.graph.map(anew=query.get("anew") == "1"),
    "/api/recall": lambda memory, query: answers.recall(memory, query.get("cue", "")),
    "/api/lines": lambda memory, query: answers.lines(
        memory, map(_id, query.get("ids", "").split(",")[:_ROWS])
    ),
    "/api/node": lambda memory, query: answers.node(memory, _id(query.get("id", ""))),
}


class ViewServer(ThreadingHTTPServer):
    """Serves the view of one memory, until `shutdown`."""

    daemon_threads = True

    def __init__(self, memory: Verbs, port: int = 0) -> None:
        """port: of 127.0.0.1; 0 takes a free one. Raises OSError if it is taken."""
        self.memory = memory
        self.token: Final = secrets.token_urlsafe(24)
        self._strangers: dict[Any, None] = {}  # the oldest first
        super().__init__((HOST, port), _Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def hosts(self) -> frozenset[str]:
        """The accepted values of a request's Host header."""
        return frozenset(f"{name}:{self.port}" for name in (HOST, "localhost"))

    @property
    def cookie(self) -> str:
        """The name of the cookie: cookies of one host are shared by all its ports."""
        return f"graphmem-{self.port}"

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread. If there are too many strangers, the oldest connection is closed, so
        that open connections can neither use up threads nor keep the browser out."""
        self._strangers[request] = None
        if len(self._strangers) > _STRANGERS:
            oldest = next(iter(self._strangers))
            self.admit(oldest)
            with suppress(OSError):  # it has gone already
                oldest.shutdown(SHUT_RDWR)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.admit(request)

    def admit(self, connection: socket) -> None:
        """Stop counting a connection as a stranger."""
        self._strangers.pop(connection, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore it: a browser may close a connection during an answer."""


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    server_version = "graphmem"
    sys_version = ""
    timeout = 30.0

    def do_GET(self) -> None:
        """The page, and the answers to its requests."""
        url = self._url()
        if url is None or not self._is_local(url.path):
            return
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/" and "token" in query:
            if self._is_token(query["token"]):
                # The token must not stay in the address, which stays in the browser's history.
                self._send(HTTPStatus.SEE_OTHER, b"", "text/plain", {
                    "Location": "/",
                    "Set-Cookie": f"{self.server.cookie}={self.server.token}; "
                                  "HttpOnly; SameSite=Strict; Path=/",
                })  # fmt: skip
            else:
                self._refuse("this address is of a view that has ended; open the new one")
            return
        if not self._is_known():
            return
        if url.path == "/":
            self._send(HTTPStatus.OK, page().encode(), "text/html; charset=utf-8")
            return
        asked = _ASKED.get(url.path)
        self._answer(lambda: None if asked is None else asked(self.server.memory, query))

    def do_POST(self) -> None:
        """Do the act of a button."""
        url = self._url()
        if url is None or not (self._is_local(url.path) and self._is_known()):
            return
        if self.headers.get("Origin") is None:
            self._refuse("a change comes from the page itself")
            return
        if self.headers.get_content_type() != _JSON:
            self._fail(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send JSON")
            return
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self._fail(HTTPStatus.BAD_REQUEST, "Content-Length is a number of bytes")
            return
        if len(length) > 9 or int(length) > _MOST:
            self._fail(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"send up to {_MOST:,} bytes")
            return
        body = self.rfile.read(int(length))
        if url.path != "/api/act":
            self._fail(HTTPStatus.NOT_FOUND, "there is nothing there")
            return
        self._answer(lambda: answers.act(self.server.memory, _mapping(body)))

    # -- who asks -----------------------------------------------------------------------------

    def _url(self) -> SplitResult | None:
        """The requested address; None if it is malformed, and was refused."""
        try:
            return urlsplit(self.path)
        except ValueError as error:
            self._fail(HTTPStatus.BAD_REQUEST, f"the address cannot be read: {error}")
            return None

    def _is_local(self, path: str) -> bool:
        """False for a request that names another host or comes from another page; refuses it."""
        if self.headers.get("Host", "") not in self.server.hosts:
            self._refuse(f"this is {HOST}:{self.server.port}, not another host")
            return False
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{h}" for h in self.server.hosts}:
            self._refuse("another page may not ask")
            return False
        # A browser that opens the printed address sends "none", or follows a link to it.
        foreign = self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin")
        followed = self.headers.get("Sec-Fetch-Mode") == "navigate" and path == "/"
        if foreign and not followed:
            self._refuse("another page may not ask")
        return not foreign or followed

    def _is_token(self, shown: str) -> bool:
        if not hmac.compare_digest(shown.encode(), self.server.token.encode()):
            return False
        self.server.admit(self.connection)
        return True

    def _is_known(self) -> bool:
        try:
            found = SimpleCookie(self.headers.get("Cookie", "")).get(self.server.cookie)
        except CookieError:
            found = None
        if found is not None and self._is_token(found.value):
            return True
        self._refuse("open the address that graphmem view printed")
        return False

    # -- answers ------------------------------------------------------------------------------

    def _answer(self, find: Callable[[], Any]) -> None:
        try:
            found = find()
        except UnknownNodeError as error:
            self._fail(HTTPStatus.NOT_FOUND, str(error))
            return
        except (GraphMemError, ValueError) as error:
            of_call = isinstance(error, InvalidArgumentError | ArgumentTypeError)
            is_state = isinstance(error, GraphMemError) and not of_call
            self._fail(HTTPStatus.CONFLICT if is_state else HTTPStatus.BAD_REQUEST, str(error))
            return
        if found is None:
            self._fail(HTTPStatus.NOT_FOUND, "there is nothing there")
        elif isinstance(found, bytes):
            self._send(HTTPStatus.OK, found, "application/octet-stream")
        else:
            self._send(HTTPStatus.OK, json.dumps(found, ensure_ascii=False).encode(), _JSON)

    def _refuse(self, why: str) -> None:
        self._fail(HTTPStatus.FORBIDDEN, why)

    def _fail(self, status: HTTPStatus, why: str) -> None:
        self._send(status, json.dumps({"error": why}, ensure_ascii=False).encode(), _JSON)

    def _send(
        self, status: HTTPStatus, body: bytes, kind: str, more: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Content-Security-Policy": f"{policy()}; frame-ancestors 'none'",
            "X-Frame-Options": "DENY",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            **(more or {}),
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Log nothing: the log would show the address with the token."""


def _mapping(body: bytes) -> Mapping[str, Any]:
    try:
        given = json.loads(body)
    except RecursionError:
        raise ValueError("send JSON that is nested less deeply") from None
    if not isinstance(given, dict):
        raise ValueError("send a JSON object")
    return given
