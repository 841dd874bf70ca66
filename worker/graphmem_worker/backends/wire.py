"""JSON over HTTP with a server that may be slow, faulty, hostile or down.

Every request ends by its deadline, reads a bounded number of bytes and follows no redirect.
Failures are `TaskError`s of these kinds:

    unreachable  transient  no connection, or a connection that broke
    busy         transient  429 and 503: the server is overloaded
    server       transient  another 5xx
    deadline     transient  no answer in time
    refused      permanent  another status, a redirect, a bad certificate
    answer       permanent  not JSON, or too long

The key is sent in a header and never part of an error message.
"""

import json
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from math import isfinite
from socket import SHUT_RDWR, socket
from typing import Any, Final
from urllib.parse import urlsplit

import stamina
from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, InvalidHeader, NewConnectionError
from urllib3.util import Retry

from graphmem_worker.errors import TaskError

_ATTEMPTS: Final[int] = 15
_FIRST_WAIT: Final[float] = 0.5  # seconds, doubled each time
_LONGEST_WAIT: Final[float] = 30.0
_JITTER: Final[float] = 0.25  # seconds; many agents may wait for the same server
_WITHOUT_DEADLINE: Final[float] = 60.0
_CONNECT: Final[float] = 10.0
_CHUNK: Final[int] = 1 << 16
_QUOTED: Final[int] = 200  # characters of a server's error text in a message


class StatusError(TaskError):
    """Raised when a server answers with another status than 200. `retry_after`: seconds to wait, as
    the server asks; 0 if it does not."""

    def __init__(
        self, kind: str, message: str, transient: bool, status: int, retry_after: float = 0.0
    ) -> None:
        super().__init__(kind, message, transient)
        self.status = status
        self.retry_after = retry_after


class Wire:
    """A connection to one server, opened on demand and kept open, for one thread. No proxy is used;
    certificates are checked against the system's."""

    def __init__(self, base: str, key: str) -> None:
        """`base`: the URL before the paths; `key`: bearer token, "" for none."""
        parts = urlsplit(base)
        assert parts.hostname is not None
        self.base = base
        self._path = parts.path
        self._key = key
        self._socket: socket | None = None
        self._response: BaseHTTPResponse | None = None
        self._connection = (
            HTTPSConnection(parts.hostname, parts.port, ssl_context=ssl.create_default_context())
            if parts.scheme == "https"
            else HTTPConnection(parts.hostname, parts.port)
        )

    def ask(self, path: str, body: Mapping[str, object] | None, largest: int, until: float) -> Any:
        """The JSON answer of `path` to a POST of `body` (`None`: a GET), at most `largest` bytes.

        Transient failures are tried up to 15 times, after growing waits of up to 30 s, as long as
        the next attempt begins before `until`, a time of `time.monotonic()`.  Raises `TaskError`.
        """
        if not isfinite(until):
            until = time.monotonic() + _WITHOUT_DEADLINE
        attempt: stamina.Attempt

        def retry_wait(error: Exception) -> bool | float:
            if not (isinstance(error, TaskError) and error.transient):
                return False
            wait = min(error.retry_after, _LONGEST_WAIT) if isinstance(error, StatusError) else 0.0
            if time.monotonic() + max(wait, attempt.next_wait + _JITTER) >= until:
                return False
            return wait if wait > attempt.next_wait else True

        for attempt in stamina.retry_context(
            retry_wait,
            attempts=_ATTEMPTS,
            timeout=None,
            wait_initial=_FIRST_WAIT,
            wait_max=_LONGEST_WAIT,
            wait_jitter=_JITTER,
        ):
            with attempt:
                return self._ask(path, body, largest, until)
        raise AssertionError("the last attempt raises")

    def close(self) -> None:
        """Closes the connection; the next request opens another."""
        if self._response is not None:
            self._response.close()
        self._connection.close()

    def _ask(self, path: str, body: Mapping[str, object] | None, largest: int, until: float) -> Any:
        url = f"{self.base}{path}"
        remaining = until - time.monotonic()
        if remaining <= 0:
            raise _deadline_error(url)
        # A socket's timeout starts again with each byte, so it does not bound a slow server.
        watchdog = threading.Timer(remaining, self._hang_up)
        watchdog.daemon = True
        watchdog.start()
        try:
            response = self._send(path, body, remaining)
            content, whole = _read(response, largest)
            if time.monotonic() >= until:
                raise TimeoutError  # an answer that the watchdog cut may look whole
        except ssl.SSLCertVerificationError as error:
            self.close()
            reason = f"the certificate is refused: {error.verify_message}"
            raise TaskError("refused", self._message(url, reason), False) from None
        except (HTTPError, HTTPException, OSError) as error:
            self.close()
            if time.monotonic() >= until - 0.01 and not isinstance(error, NewConnectionError):
                raise _deadline_error(url) from None
            message = self._message(url, str(error.__cause__ or error))
            raise TaskError("unreachable", message, True) from None
        finally:
            watchdog.cancel()
        if not whole:
            self.close()
        if response.status != 200:
            raise self._refusal(url, response, content)
        if not whole:
            raise self._answer_error(url, f"more than {largest:,} bytes")
        return self._parsed(url, response, content)

    def _send(
        self, path: str, body: Mapping[str, object] | None, remaining: float
    ) -> BaseHTTPResponse:
        connection = self._connection
        if not connection.is_connected:
            connection.close()
            connection.timeout = min(remaining, _CONNECT)
            connection.connect()
        # `close` of a connection that is not kept drops this socket but leaves it open.
        self._socket = connection.sock
        connection.timeout = remaining
        connection.request(
            "GET" if body is None else "POST",
            self._path + path,
            None if body is None else json.dumps(body).encode(),
            {
                "Accept": "application/json",
                "Accept-Encoding": "identity",
                "Content-Type": "application/json",
                "User-Agent": "graphmem",
                **({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            },
            preload_content=False,
            decode_content=False,
        )
        self._response = connection.getresponse()
        return self._response

    def _hang_up(self) -> None:
        """Interrupts the current read or write.  Called from another thread."""
        open_socket = self._socket
        if open_socket is not None:
            with suppress(OSError):
                # Not the socket's own `shutdown`: with TLS that is unsafe beside a reader.
                socket.shutdown(open_socket, SHUT_RDWR)

    def _refusal(self, url: str, response: BaseHTTPResponse, content: bytes) -> StatusError:
        status = response.status
        text = f"HTTP {status} {response.reason or ''}".strip()
        error_text = _error_text(content)
        if 300 <= status < 400:
            target = response.headers.get("Location", "nowhere")
            text = f"{text}: redirects, here to {target}, are not followed; set server to the place"
        elif status in (401, 403):
            # Some servers quote the key, not always in full.
            text = f"{text}: set server_key or GRAPHMEM_SERVER_KEY"
        else:
            text = ": ".join(filter(None, (text, error_text)))
            if status == 404:
                text = f"{text}; check server and server_model"
        kind = "refused"
        if status in (429, 503):
            kind = "busy"
        elif "response_format" in error_text:
            pass  # llama_cpp.server answers 500 to a format that it does not know
        elif status >= 500 or status in (408, 425):
            kind = "server"
        transient = kind != "refused"
        return StatusError(
            kind, self._message(url, text), transient, status, _retry_after(response)
        )

    def _parsed(self, url: str, response: BaseHTTPResponse, content: bytes) -> Any:
        kind = response.headers.get("Content-Type", "application/json").partition(";")[0].strip()
        if "json" not in kind.lower():
            raise self._answer_error(url, f"{kind}, not JSON; is it an OpenAI-compatible server?")
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise self._answer_error(url, "compressed content, which was not asked for")
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self._answer_error(url, "not JSON") from None

    def _answer_error(self, url: str, what: str) -> TaskError:
        return TaskError("answer", self._message(url, f"the answer is {what}"), False)

    def _message(self, url: str, text: str) -> str:
        if self._key:
            text = text.replace(self._key, "(key)")
        printable = "".join(c if c.isprintable() else " " for c in text)
        return f"{url}: {printable[: 2 * _QUOTED]}"


def _read(response: BaseHTTPResponse, largest: int) -> tuple[bytes, bool]:
    """The body, cut soon after `largest` bytes, and whether it is whole."""
    content = bytearray()
    for piece in response.stream(_CHUNK, decode_content=False):
        content += piece
        if len(content) > largest:
            return bytes(content), False
    return bytes(content), True


def _deadline_error(url: str) -> TaskError:
    return TaskError("deadline", f"{url}: no answer in time", True)


def _error_text(content: bytes) -> str:
    """The error text of a server's answer; "" if it has none."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    for name in ("error", "detail", "message"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    # A list of errors quotes the request, and with it a memory's text.
    return found[:_QUOTED] if isinstance(found, str) else ""


def _retry_after(response: BaseHTTPResponse) -> float:
    """The seconds of the header Retry-After."""
    try:
        return max(0.0, Retry().parse_retry_after(response.headers.get("Retry-After", "0")))
    except InvalidHeader:
        return 0.0
