"""JSON over HTTP with a server that may be slow, wrong, hostile or gone.

Every request ends by its deadline, reads a bounded number of bytes and follows no redirect.  What
goes wrong is a `TaskError`, of these kinds:

    unreachable  transient  no connection, or one that was cut
    busy         transient  429 and 503: the server asks for patience
    server       transient  another 5xx
    deadline     transient  no answer in time
    refused      for good   another status, a redirect, a bad certificate
    answer       for good   not JSON, or too much of it

The key is sent in a header and stands in no message.
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
_QUOTED: Final[int] = 200  # characters of a server's own words in a message


class StatusError(TaskError):
    """Raised when a server answers with another status than 200. `after`: seconds that it asks to
    be left alone, 0 if it does not say."""

    def __init__(
        self, kind: str, message: str, transient: bool, status: int, after: float = 0.0
    ) -> None:
        super().__init__(kind, message, transient)
        self.status = status
        self.after = after


class Wire:
    """One connection to one server, opened when needed and kept, for one thread. No proxy is used;
    certificates are checked against the system's."""

    def __init__(self, base: str, key: str) -> None:
        """`base`: URL under which the paths are; `key`: bearer token, "" for none."""
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

    def ask(
        self, path: str, question: Mapping[str, object] | None, largest: int, until: float
    ) -> Any:
        """The JSON that `path` answers to `question` (`None`: a GET), of at most `largest` bytes.

        Transient failures are tried again, at growing distances of up to 30 s and up to 15 times,
        as long as the next try begins before `until`, a moment of `time.monotonic()`.  Raises
        `TaskError`.
        """
        if not isfinite(until):
            until = time.monotonic() + _WITHOUT_DEADLINE
        attempt: stamina.Attempt

        def again(error: Exception) -> bool | float:
            if not (isinstance(error, TaskError) and error.transient):
                return False
            asked = min(error.after, _LONGEST_WAIT) if isinstance(error, StatusError) else 0.0
            if time.monotonic() + max(asked, attempt.next_wait + _JITTER) >= until:
                return False
            return asked if asked > attempt.next_wait else True

        for attempt in stamina.retry_context(
            again,
            attempts=_ATTEMPTS,
            timeout=None,
            wait_initial=_FIRST_WAIT,
            wait_max=_LONGEST_WAIT,
            wait_jitter=_JITTER,
        ):
            with attempt:
                return self._ask(path, question, largest, until)
        raise AssertionError("the last attempt raises")

    def close(self) -> None:
        """Lets go of the connection; the next question opens another."""
        if self._response is not None:
            self._response.close()
        self._connection.close()

    def _ask(
        self, path: str, question: Mapping[str, object] | None, largest: int, until: float
    ) -> Any:
        where = f"{self.base}{path}"
        left = until - time.monotonic()
        if left <= 0:
            raise _late(where)
        # A socket's timeout begins anew with each byte, so a server that drips would keep us.
        watchdog = threading.Timer(left, self._hang_up)
        watchdog.daemon = True
        watchdog.start()
        try:
            response = self._sent(path, question, left)
            content, whole = _read(response, largest)
            if time.monotonic() >= until:
                raise TimeoutError  # what the watchdog cut off may look whole
        except ssl.SSLCertVerificationError as error:
            self.close()
            told = f"the certificate is refused: {error.verify_message}"
            raise TaskError("refused", self._said(where, told), False) from None
        except (HTTPError, HTTPException, OSError) as error:
            self.close()
            if time.monotonic() >= until - 0.01 and not isinstance(error, NewConnectionError):
                raise _late(where) from None
            told = self._said(where, str(error.__cause__ or error))
            raise TaskError("unreachable", told, True) from None
        finally:
            watchdog.cancel()
        if not whole:
            self.close()
        if response.status != 200:
            raise self._refusal(where, response, content)
        if not whole:
            raise self._misfit(where, f"more than {largest:,} bytes")
        return self._parsed(where, response, content)

    def _sent(
        self, path: str, question: Mapping[str, object] | None, left: float
    ) -> BaseHTTPResponse:
        connection = self._connection
        if not connection.is_connected:
            connection.close()
            connection.timeout = min(left, _CONNECT)
            connection.connect()
        # `close` of a connection that is not kept leaves the body's socket open and takes our hold.
        self._socket = connection.sock
        connection.timeout = left
        connection.request(
            "GET" if question is None else "POST",
            self._path + path,
            None if question is None else json.dumps(question).encode(),
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
        """Ends the read or write that is going on.  Called from another thread."""
        held = self._socket
        if held is not None:
            with suppress(OSError):
                # Not its own: with TLS that pulls the rug from under the reader.
                socket.shutdown(held, SHUT_RDWR)

    def _refusal(self, where: str, response: BaseHTTPResponse, content: bytes) -> StatusError:
        status = response.status
        told = f"HTTP {status} {response.reason or ''}".strip()
        words = _words(content)
        if 300 <= status < 400:
            target = response.headers.get("Location", "nowhere")
            told = f"{told}: redirects, here to {target}, are not followed; set server to the place"
        elif status in (401, 403):
            # Some servers quote the key, not always in full.
            told = f"{told}: set server_key or GRAPHMEM_SERVER_KEY"
        else:
            told = ": ".join(filter(None, (told, words)))
            if status == 404:
                told = f"{told}; check server and server_model"
        kind = "refused"
        if status in (429, 503):
            kind = "busy"
        elif "response_format" in words:
            pass  # llama_cpp.server answers 500 to one that it does not know
        elif status >= 500 or status in (408, 425):
            kind = "server"
        transient = kind != "refused"
        return StatusError(kind, self._said(where, told), transient, status, _after(response))

    def _parsed(self, where: str, response: BaseHTTPResponse, content: bytes) -> Any:
        kind = response.headers.get("Content-Type", "application/json").partition(";")[0].strip()
        if "json" not in kind.lower():
            raise self._misfit(where, f"{kind}, not JSON; is it an OpenAI-compatible server?")
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise self._misfit(where, "compressed content, which was not asked for")
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self._misfit(where, "not JSON") from None

    def _misfit(self, where: str, what: str) -> TaskError:
        return TaskError("answer", self._said(where, f"the answer is {what}"), False)

    def _said(self, where: str, told: str) -> str:
        if self._key:
            told = told.replace(self._key, "(key)")
        shown = "".join(c if c.isprintable() else " " for c in told)
        return f"{where}: {shown[: 2 * _QUOTED]}"


def _read(response: BaseHTTPResponse, largest: int) -> tuple[bytes, bool]:
    """The body, up to a little over `largest` bytes, and whether it is whole."""
    content = bytearray()
    for piece in response.stream(_CHUNK, decode_content=False):
        content += piece
        if len(content) > largest:
            return bytes(content), False
    return bytes(content), True


def _late(where: str) -> TaskError:
    return TaskError("deadline", f"{where}: no answer in time", True)


def _words(content: bytes) -> str:
    """What a server says of its error; "" if that cannot be read."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    for name in ("error", "detail", "message"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    # A list of faults quotes the request, and with it a memory's text.
    return found[:_QUOTED] if isinstance(found, str) else ""


def _after(response: BaseHTTPResponse) -> float:
    """Seconds that the server asks to be left alone."""
    try:
        return max(0.0, Retry().parse_retry_after(response.headers.get("Retry-After", "0")))
    except InvalidHeader:
        return 0.0
