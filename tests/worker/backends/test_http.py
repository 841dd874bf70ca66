"""A server may be slow, wrong, hostile or gone; no text is lost by it, and nothing hangs or leaks.

The server is scripted: a real one in a thread, which says what the test wants said.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import InvalidArgumentError, MissingExtraError
from graphmem.interfaces.cli.commands import main
from graphmem.settings import Settings
from graphmem_worker.backends import address, wire
from graphmem_worker.backends.backend import load
from graphmem_worker.backends.http import Http
from graphmem_worker.errors import TaskError

KEY = "sk-4711-very-secret"
SENTENCES = ["Hello there! ", "Wen moved the release to May 10."]
Act = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Plays the script: its acts in turn, the last one for ever."""

    protocol_version = "HTTP/1.1"
    scripted: "Scripted"

    def do_GET(self) -> None:
        self.play()

    def do_POST(self) -> None:
        self.play()

    def play(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self.question = json.loads(self.rfile.read(length) or b"null")
        acts = self.scripted.acts.get(self.path.removeprefix("/v1"), [status(404)])
        act = acts.pop(0) if len(acts) > 1 else acts[0]
        self.scripted.asked.append((self.path, self.question, dict(self.headers)))
        try:
            act(self)
        except ConnectionError:
            self.close_connection = True

    def answer(self, body: bytes, code: int = 200, **headers: str) -> None:
        self.send_response(code)
        for name, value in {"content_type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Scripted:
    """A server and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any, dict[str, str]]] = []
        self.acts: dict[str, list[Act]] = {"/models": [says({"data": [{"id": "tiny"}]})]}
        self.clients: list[Http] = []
        self.over = threading.Event()
        handler = type("Scripted", (Handler,), {"scripted": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def paths(self) -> list[str]:
        return [path.removeprefix("/v1") for path, _, _ in self.asked]

    def close(self) -> None:
        self.over.set()
        for client in self.clients:
            client.wire.close()
        self._server.shutdown()
        self._server.server_close()


# -- acts -----------------------------------------------------------------------------------------


def says(document: object) -> Act:
    return lambda handler: handler.answer(json.dumps(document).encode())


def chats(content: object) -> Act:
    return says({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]})


def rates(*ratings: object) -> Act:
    return chats(json.dumps({"ratings": ratings}))


def status(code: int, words: str = "no", **headers: str) -> Act:
    body = json.dumps({"error": {"message": words}}).encode()
    return lambda handler: handler.answer(body, code, **headers)


def never(handler: Handler) -> None:
    handler.scripted.over.wait(60)


def cut(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": ')
    handler.close_connection = True


def hang_up(handler: Handler) -> None:
    handler.close_connection = True


def endless(handler: Handler) -> None:
    """A million tokens, and then more."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Connection", "close")
    handler.end_headers()
    while not handler.scripted.over.is_set():
        handler.wfile.write(b'{"choices": [{"message": {"content": "' + b"word " * 10_000)


def drip_head(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while not handler.scripted.over.wait(0.05):
        handler.wfile.write(b"X-Drop: 1\r\n")


def drip_body(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Connection", "close")
    handler.end_headers()
    while not handler.scripted.over.wait(0.05):
        handler.wfile.write(b" ")


# -- fixtures -------------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries that follow each other at once."""
    monkeypatch.setattr(wire, "_FIRST_WAIT", 0.001)
    monkeypatch.setattr(wire, "_JITTER", 0.001)
    monkeypatch.setattr(wire, "_LONGEST_WAIT", 0.01)
    monkeypatch.setenv(address.KEY_VARIABLE, KEY)


def backend(server: Scripted, **options: object) -> Http:
    http = Http({"url": server.url, **options})
    server.clients.append(http)
    return http


def process(http: Http, until: float = inf) -> list[float]:
    payload = {"sentences": SENTENCES, "keywords": [], "rarity": {}}
    return http.process(payload, until)["salience"]  # type: ignore[arg-type]


def rules() -> list[float]:
    payload = {"sentences": SENTENCES, "keywords": [], "rarity": {}}
    return load("extractive", {}).process(payload, inf)["salience"]  # type: ignore[arg-type]


def failure(act: Callable[[], object]) -> TaskError:
    with pytest.raises(TaskError) as caught:
        act()
    assert KEY not in str(caught.value)
    assert KEY not in repr(caught.value)
    return caught.value


def soon() -> float:
    return time.monotonic() + 0.5


# -- what it is for -------------------------------------------------------------------------------


def test_ratings_move_salience_by_a_factor_of_two_at_most(server: Scripted) -> None:
    """On a scale of its own, the model's salience could not be compared with the memory's median."""
    server.acts["/chat/completions"] = [rates(0, 3)]
    low, high = rules()
    assert process(backend(server)) == pytest.approx([low / 2, high * 2])
    assert backend(server).score({"sentences": SENTENCES, "rarity": {}}, inf) == {
        "salience": pytest.approx([low / 2, high * 2])
    }


def test_the_question_names_model_and_key_and_bounds_the_answer(server: Scripted) -> None:
    """Without a bound on its tokens a model that loops is paid for until the deadline."""
    server.acts["/chat/completions"] = [rates(1, 1)]
    process(backend(server))
    process(backend(server, model="big"))
    assert server.paths() == ["/models", "/chat/completions", "/chat/completions"]
    first, second = (question for _, question, _ in server.asked[1:])
    assert (first["model"], second["model"]) == ("tiny", "big")
    assert 0 < first["max_tokens"] < 100
    assert first["temperature"] == 0
    assert json.loads(first["messages"][1]["content"]) == [s.strip() for s in SENTENCES]
    assert all(headers["Authorization"] == f"Bearer {KEY}" for _, _, headers in server.asked)


def test_a_model_that_is_gone_is_looked_for_anew(server: Scripted) -> None:
    """Every text failed from then on, though the server had another model."""
    server.acts["/models"].append(says({"data": [{"id": "new"}]}))
    server.acts["/chat/completions"] = [status(404, "no model 'tiny'"), rates(1, 1)]
    http = backend(server)
    assert failure(lambda: process(http)).kind == "refused"
    process(http)
    assert server.asked[-1][1]["model"] == "new"


def test_without_a_key_none_is_sent(server: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty bearer token is refused by servers that ask for none."""
    monkeypatch.delenv(address.KEY_VARIABLE)
    server.acts["/chat/completions"] = [rates(1, 1)]
    process(backend(server))
    assert "Authorization" not in server.asked[0][2]


def test_long_texts_are_rated_in_pieces(server: Scripted) -> None:
    """A page of a log in one question is beyond the context of most local models."""
    server.acts["/chat/completions"] = [rates(*[3] * 20), rates(*[3] * 20), rates(*[3] * 5)]
    payload = {"sentences": ["x" * 5000] * 45, "rarity": {}}
    assert len(backend(server).score(payload, inf)["salience"]) == 45  # type: ignore[arg-type]
    assert all(
        len(question["messages"][1]["content"]) < 10_000 for _, question, _ in server.asked[1:]
    )


def test_nothing_to_rate_is_not_asked(server: Scripted) -> None:
    """A question for each empty text."""
    assert backend(server).score({"sentences": [], "rarity": {}}, inf) == {"salience": []}
    assert server.asked == []


def test_segments_and_ping_ask_nobody(server: Scripted) -> None:
    """`remember` cuts texts without a model, so must the worker; a start must not need a network."""
    http = backend(server)
    assert http.segment({"text": "One. Two."}, inf) == load("extractive", {}).segment(
        {"text": "One. Two."}, inf
    )
    assert http.ping({}, inf) == {"backend": "http", "pid": os.getpid()}
    assert server.asked == []


def test_vectors_come_in_the_order_of_the_texts(server: Scripted) -> None:
    """Servers may answer out of order, and say so with `index`: each text got another's vector."""
    server.acts["/embeddings"] = [
        says({"data": [{"index": 1, "embedding": [3, 4.5]}, {"index": 0, "embedding": [1, 2]}]})
    ]
    assert backend(server).embed({"texts": ["a", "b"]}, inf) == {"vectors": [[1, 2], [3, 4.5]]}


def test_chat_says_what_the_model_said(server: Scripted) -> None:
    """An answer that was cut at its longest is the caller's to judge."""
    server.acts["/chat/completions"] = [chats('{"cut": "of')]
    answer = backend(server).chat([{"role": "user", "content": "?"}], {"type": "object"}, 7, inf)
    assert answer == '{"cut": "of'
    assert server.asked[-1][1]["max_tokens"] == 7


@pytest.mark.parametrize(
    "refusal", [status(400), status(422), status(500, "response_format: literal_error")]
)
def test_the_way_to_tell_a_schema_is_found_and_kept(server: Scripted, refusal: Act) -> None:
    """Servers know one of several ways; asked the wrong way each time, each text costs twice."""
    server.acts["/chat/completions"] = [refusal, rates(1, 1)]
    http = backend(server)
    process(http)
    process(http)
    forms = [q.get("response_format", {}).get("type") for _, q, _ in server.asked[1:]]
    assert forms == ["json_schema", "json_object", "json_object"]


def test_if_no_way_is_taken_the_first_refusal_is_told(server: Scripted) -> None:
    """The last refusal is about the last resort, and leads astray."""
    server.acts["/chat/completions"] = [status(400, "context too long"), status(400, "later")]
    http = backend(server)
    error = failure(lambda: process(http))
    assert error.kind == "refused"
    assert "context too long" in error.message
    assert len(server.asked) == 1 + 3
    server.acts["/chat/completions"] = [rates(1, 1)]
    process(http)
    assert server.asked[-1][1]["response_format"]["type"] == "json_schema"


# -- what goes wrong for a while ------------------------------------------------------------------


@pytest.mark.parametrize("bad", [status(500), status(502), status(503), status(429), status(408)])
def test_a_hiccup_is_tried_again(server: Scripted, bad: Act) -> None:
    """A server that restarts while a text is in hand."""
    server.acts["/chat/completions"] = [bad, bad, bad, rates(1, 1)]
    process(backend(server))
    assert server.paths().count("/chat/completions") == 4


@pytest.mark.parametrize("bad", [cut, hang_up])
def test_a_connection_that_is_cut_is_tried_again(server: Scripted, bad: Act) -> None:
    """Half an answer is none; the next connection may be whole."""
    server.acts["/chat/completions"] = [bad, rates(1, 1)]
    process(backend(server))
    server.acts["/chat/completions"] = [bad]
    error = failure(lambda: process(backend(server)))
    assert (error.kind, error.transient) == ("unreachable", True)


@pytest.mark.parametrize(
    ("bad", "kind"), [(status(500), "server"), (status(503), "busy"), (status(429), "busy")]
)
def test_it_is_tried_fifteen_times(server: Scripted, bad: Act, kind: str) -> None:
    """For ever would keep the query vectors waiting behind it."""
    server.acts["/chat/completions"] = [bad]
    error = failure(lambda: process(backend(server)))
    assert (error.kind, error.transient) == (kind, True)
    assert server.paths().count("/chat/completions") == 15


def test_a_server_that_asks_for_patience_gets_it(
    server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked again at once, it bans the key."""
    monkeypatch.setattr(wire, "_LONGEST_WAIT", 30.0)
    server.acts["/chat/completions"] = [status(429, Retry_After="20")]
    until = time.monotonic() + 10
    error = failure(lambda: process(backend(server), until))
    assert (error.kind, error.transient) == ("busy", True)
    assert time.monotonic() < until  # there was no point in waiting for it
    assert server.paths().count("/chat/completions") == 1
    server.acts["/chat/completions"] = [status(503, Retry_After="0"), rates(1, 1)]
    process(backend(server))
    server.acts["/chat/completions"] = [status(503, Retry_After="soon"), rates(1, 1)]
    process(backend(server))


def test_nobody_there(server: Scripted) -> None:
    """Ollama is not running: the most common case of all."""
    server.close()
    error = failure(lambda: process(backend(server), soon()))
    assert (error.kind, error.transient) == ("unreachable", True)
    assert server.url in error.message
    assert "refused" in error.message


@pytest.mark.parametrize("slow", [never, drip_head, drip_body])
def test_the_deadline_ends_every_wait(server: Scripted, slow: Act) -> None:
    """A socket's own timeout begins anew with each byte: a server that drips would keep us."""
    server.acts["/chat/completions"] = [slow]
    error = failure(lambda: process(backend(server), soon()))
    assert (error.kind, error.transient) == ("deadline", True)


def test_an_answer_may_take_longer_than_to_connect(
    server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large model thinks for a minute; a server that is there answers in a second."""
    monkeypatch.setattr(wire, "_CONNECT", 0.2)

    def later(handler: Handler) -> None:
        handler.scripted.over.wait(0.5)
        rates(1, 1)(handler)

    server.acts["/chat/completions"] = [later]
    process(backend(server))
    assert server.paths().count("/chat/completions") == 1


def test_after_the_deadline_nothing_is_asked(server: Scripted) -> None:
    """Of a text that waited too long for its turn, nobody wants the answer any more."""
    assert failure(lambda: process(backend(server), time.monotonic() - 1)).kind == "deadline"
    assert server.asked == []


def test_a_kept_connection_that_was_closed_meanwhile_is_opened_again(server: Scripted) -> None:
    """Servers close idle connections; the next question would fail."""

    def last(handler: Handler) -> None:
        rates(1, 1)(handler)
        handler.close_connection = True  # without having said so

    server.acts["/chat/completions"] = [last]
    http = backend(server)
    for _ in range(3):
        process(http)
    assert server.paths().count("/chat/completions") == 3


# -- what is wrong for good -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (status(401, f"bad key {KEY}"), "set server_key or GRAPHMEM_SERVER_KEY"),
        (status(403), "set server_key"),
        (status(404, "no model 'tiny'"), "no model 'tiny'; check server and server_model"),
        (status(413, f"too large, {KEY}"), "too large, (key)"),
        (status(302, Location="http://elsewhere.example/"), "http://elsewhere.example/"),
        (lambda handler: handler.answer(b"<html>Hello", content_type="text/html"), "text/html"),
        (lambda handler: handler.answer(b"{", content_type="application/json"), "not JSON"),
        (lambda handler: handler.answer(b"[" * 50_000), "not JSON"),
        (lambda handler: handler.answer(b"\xff\xfe"), "not JSON"),
        (lambda handler: handler.answer(b"{}", content_encoding="gzip"), "compressed"),
        (endless, "more than"),
        (says([]), "JSON without a message"),
        (says({"choices": []}), "JSON without a message"),
        (says({"choices": [{"message": {"content": None}}]}), "JSON without a message"),
        (chats("Sure! The ratings are 1 and 3."), "2 ratings"),
        (chats('{"ratings": [1, '), "2 ratings"),
        (chats('{"ratings": "13"}'), "2 ratings"),
        (rates(1), "2 ratings"),
        (rates(1, 2, 3), "2 ratings"),
        (rates(1, 4), "2 ratings"),
        (rates(1, -1), "2 ratings"),
        (rates(1, True), "2 ratings"),
        (rates(1, 2.5), "2 ratings"),
        (rates(1, None), "2 ratings"),
    ],
)
def test_what_is_wrong_for_good_is_told_at_once(server: Scripted, act: Act, says: str) -> None:
    """Asked again, it would be the same, fifteen times for each text."""
    server.acts["/chat/completions"] = [act]
    error = failure(lambda: process(backend(server)))
    assert not error.transient
    assert error.kind in ("refused", "answer")
    assert says in error.message
    assert f"{server.url}/v1/chat/completions" in error.message
    assert len(error.message) < 600
    assert server.paths().count("/chat/completions") <= (3 if error.kind == "refused" else 1)


@pytest.mark.parametrize(
    "document", [[], {}, {"data": []}, {"data": [{"id": 7}]}, {"data": {}}, None]
)
def test_a_server_that_lists_no_model_is_told(server: Scripted, document: object) -> None:
    """Whoever left the model out is to know that this server needs it."""
    server.acts["/models"] = [says(document)]
    error = failure(lambda: process(backend(server)))
    assert not error.transient
    assert "server_model" in error.message


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        [{"embedding": [1, 2]}],
        [{"embedding": [1, 2]}] * 3,
        [{"embedding": [1, 2]}, {"embedding": [1, float("nan")]}],
        [{"embedding": [1, 2]}, {"embedding": [1, float("inf")]}],
        [{"embedding": [1, 2]}, {"embedding": [1, 10**400]}],
        [{"embedding": [1, 2]}, {"embedding": [1, 2, 3]}],
        [{"embedding": [1, 2]}, {"embedding": [[1, 2], [3, 4]]}],
        [{"embedding": [1, 2]}, {"embedding": [0.0, 0.0]}],
        [{"embedding": [1, 2]}, {"embedding": ["1", "2"]}],
        [{"embedding": [1, 2]}, {"embedding": []}],
        [{"embedding": [1, 2]}, {"embedding": "AACAPwAAAEA="}],
        [{"embedding": [1, 2], "index": 0}, {"embedding": [1, 2], "index": 0}],
        [{"embedding": [1, 2], "index": 1}, {"embedding": [1, 2], "index": 2}],
    ],
)
def test_vectors_of_another_shape_are_refused(server: Scripted, data: object) -> None:
    """One NaN in an index makes every comparison with it false, for ever."""
    server.acts["/embeddings"] = [says({"data": data})]
    error = failure(lambda: backend(server).embed({"texts": ["a", "b"]}, inf))
    assert (error.kind, error.transient) == ("answer", False)


def test_another_dimension_than_before_is_refused(server: Scripted) -> None:
    """Somebody has put another model behind the same address: its vectors mean something else."""
    server.acts["/embeddings"] = [
        says({"data": [{"embedding": [1, 2]}]}),
        says({"data": [{"embedding": [1, 2, 3]}]}),
    ]
    http = backend(server)
    http.embed({"texts": ["a"]}, inf)
    error = failure(lambda: http.embed({"texts": ["b"]}, inf))
    assert "3 numbers after some of 2" in error.message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 4) | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["data", "choices", "message", "content", "embedding", "id", "ratings"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(JSON, JSON)
def test_whatever_json_comes_it_is_an_answer_or_an_error_of_ours(outer: Any, inner: Any) -> None:
    """A TypeError deep in a look-up says nothing to whoever has to mend the server."""

    class Says:
        base = "http://x/v1"

        def ask(self, path: str, *_: object) -> Any:
            if path == "/chat/completions" and isinstance(outer, list):
                return {"choices": [{"message": {"content": json.dumps(inner)}}]}
            return outer

    http = Http({"url": "http://x", "model": "m"})
    http.wire = Says()  # type: ignore[assignment]
    for task in (lambda: process(http), lambda: http.embed({"texts": ["a"]}, inf)):
        with suppress(TaskError):
            task()
    http._given_model = ""
    with pytest.raises(TaskError):
        process(http)


def test_no_redirect_is_followed_and_no_proxy_used(
    server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory's texts and the key must not go where nobody sent them."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    elsewhere = Scripted()
    try:
        server.acts["/chat/completions"] = [
            status(307, Location=f"{elsewhere.url}/v1/chat/completions")
        ]
        assert failure(lambda: process(backend(server))).kind == "refused"
        assert elsewhere.asked == []
    finally:
        elsewhere.close()


# -- addresses and keys ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("server", "base"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        (" http://localhost:11434/v1/ ", "http://localhost:11434/v1"),
        ("https://host.example/api/openai/v3", "https://host.example/api/openai/v3"),
        ("HTTP://[::1]:80", "http://[::1]:80/v1"),
    ],
)
def test_a_server_is_named_as_people_do(server: str, base: str) -> None:
    """With and without /v1: half of the documentation out there says one, half the other."""
    assert address.base_url(server) == base


@pytest.mark.parametrize(
    "server",
    [
        "", "localhost:11434", "ftp://x", "http://", "http://x:99999", "http://x:0", "http://[::1",
        "http://x/v1?api_key=sk-1", "http://u:sk-1@x", "u:sk-1@x", "http://x/v 1", "http://x/\r\nA: b",
        "http://münchen.example", "sk-1",
    ],
)  # fmt: skip
def test_what_is_no_server_is_told_without_quoting_it(server: str) -> None:
    """A key pasted into the wrong place ended up in the log."""
    with pytest.raises(ValueError, match="localhost:11434/v1") as caught:
        address.base_url(server)
    assert "sk-1" not in str(caught.value)


@pytest.mark.parametrize("key", ["a b", "a\nX-Evil: 1", "ключ", "a\x7f"])
def test_a_key_that_no_header_can_hold_is_told_without_quoting_it(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line break in a key writes headers of its own."""
    with pytest.raises(ValueError, match="server_key") as caught:
        address.check_key(key)
    assert key not in str(caught.value)
    monkeypatch.setenv(address.KEY_VARIABLE, key)
    with pytest.raises(ValueError, match="server_key"):
        Http({"url": "http://x"})


@pytest.mark.parametrize(
    "options", [{}, {"url": 7}, {"url": "x"}, {"url": "http://x", "model": 7}, {"key": "x"}]
)
def test_options_that_are_not_taken_are_refused(options: dict[str, object]) -> None:
    """An option that is ignored is believed to work."""
    with pytest.raises(ValueError):  # noqa: PT011 - each has its own words
        load("http", options)


# -- in a memory ----------------------------------------------------------------------------------


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def opened(server: Scripted, deadline: float = 60.0, **settings: Any) -> graphmem.Memory:
    return graphmem.open(
        worker="http",
        server=server.url,
        server_key=KEY,
        tuning=graphmem.Tuning(worker_share=1.0, worker_deadline=deadline),
        **settings,
    )


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({}, InvalidArgumentError, "worker='http' asks a server: give server='http://"),
        ({"server": ""}, InvalidArgumentError, "is not an http or https URL: write it like http:"),
        ({"server": "localhost"}, InvalidArgumentError, "worker='http' asks a server"),
        ({"server": f"http://{KEY}@x"}, InvalidArgumentError, "server_key"),
        ({"server": "http://x", "server_key": "a b"}, InvalidArgumentError, "server_key"),
    ],
)
def test_a_server_that_cannot_be_is_told_at_once(
    tmp_path: Path, settings: dict[str, Any], error: type[Exception], says: str
) -> None:
    """In the background nobody would hear it."""
    with pytest.raises(error, match=says) as caught:
        graphmem.open(tmp_path / "m", worker="http", **settings)
    assert KEY not in str(caught.value)
    assert not (tmp_path / "m").exists()


def test_without_the_extra_it_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ImportError in a background process, once for each text."""
    monkeypatch.setattr(address, "_LIBRARIES", ("json", "no_such_library"))
    with pytest.raises(MissingExtraError, match=r"no_such_library; .*pip install -e '\.\[http\]'"):
        graphmem.open(tmp_path / "m", worker="http", server="http://x")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"server": "http://x"}, "vectors='http' needs vectors_model"),
        ({"server": "http://x", "vectors_model": "m" * 191}, "1–190 characters"),
        ({"vectors_model": "m"}, "vectors='http' asks a server"),
        ({"server": f"http://{KEY}@x", "vectors_model": "m"}, "server_key"),
    ],
)
def test_a_server_that_cannot_make_vectors_is_told_at_once(
    tmp_path: Path, settings: dict[str, Any], says: str
) -> None:
    """Without its name a model that took another's place would go unnoticed."""
    with pytest.raises(InvalidArgumentError, match=says) as caught:
        graphmem.open(tmp_path / "m", vectors="http", **settings)
    assert KEY not in str(caught.value)
    assert not (tmp_path / "m").exists()


def counts_letters(handler: Handler) -> None:
    """Vectors in which texts of the same letters are alike."""
    texts = handler.question["input"]
    says({"data": [
        {"embedding": [text.lower().count(chr(97 + place)) + 0.01 for place in range(26)]}
        for text in texts
    ]})(handler)  # fmt: skip


def test_a_memory_finds_by_the_vectors_of_a_server(server: Scripted) -> None:
    """Not wired, `vectors` would silently stay off; one text at a time would be slow."""
    server.acts["/embeddings"] = [counts_letters]
    with graphmem.open(
        worker="none", vectors="http", vectors_model="letters", server=server.url, server_key=KEY,
        tuning=graphmem.Tuning(vector_patience=30.0, worker_share=1.0), ) as memory:  # fmt: skip
        for text in ("zebra zoo", "abacus", *(f"quiet note {n}" for n in range(30))):
            memory.remember(text)
        assert memory.admin.enrich(timeout=30) == 0
        found = memory.recall("oozarbez", mode="hybrid", use=False)
        assert (found[0].text, found.notes) == ("zebra zoo", ())
        vectors = memory.admin.stats()["vectors"]
        assert (vectors["model"], vectors["dimensions"]) == ("http:letters", 26)
    asked = [(question, head) for path, question, head in server.asked if "embed" in path]
    assert {question["model"] for question, _ in asked} == {"letters"}
    assert {head["Authorization"] for _, head in asked} == {f"Bearer {KEY}"}
    assert max(len(question["input"]) for question, _ in asked) > 1


@pytest.mark.slow
def test_a_command_uses_the_vectors_that_a_folder_has(
    server: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """A recall on the command line ranked by words only, whatever vectors the folder had."""
    server.acts["/embeddings"] = [counts_letters]
    folder = str(tmp_path / "m")
    with graphmem.open(
        folder, worker="none", vectors="http", vectors_model="letters", server=server.url,
        tuning=graphmem.Tuning(worker_share=1.0),
    ) as memory:  # fmt: skip
        for text in ("zebra zoo", "abacus", *(f"quiet note {n}" for n in range(30))):
            memory.remember(text)
        assert memory.admin.enrich(timeout=30) == 0
        asked = len(server.asked)

    def recalled() -> dict[str, Any]:
        capfd.readouterr()
        assert main(["recall", "oozarbez", "--json", "--path", folder]) == 0
        found: dict[str, Any] = json.loads(capfd.readouterr().out)
        return found

    assert "this memory has those of http:letters" in recalled()["notes"][0]
    monkeypatch.setenv("GRAPHMEM_SERVER", server.url)
    assert main(["admin", "stats", "--path", folder]) == 0
    assert len(server.asked) == asked  # nothing is started that nobody needs
    found = recalled()
    assert found["notes"] == []
    assert any(
        question.get("input") == ["query: oozarbez"] or question.get("input") == ["oozarbez"]
        for _, question, _ in server.asked[asked:]
    )
    patient = graphmem.Tuning(vector_patience=30.0)  # the question is whether, not how soon
    with graphmem.open(folder, worker="none", vectors="stored", tuning=patient) as memory:
        assert memory.recall("oozarbez", mode="hybrid", use=False)[0].text == "zebra zoo"
        other = memory.scopes.open("other")  # which has none, and is not given any
        other.remember("zebra zoo")
        assert other.admin.enrich(timeout=30) == 0
        assert other.admin.stats()["vectors"]["model"] is None
    monkeypatch.setenv("GRAPHMEM_VECTORS", "none")
    assert "this memory has those of http:letters" in recalled()["notes"][0]


def test_a_memory_whose_server_makes_no_vectors_goes_without(server: Scripted) -> None:
    """The recall would wait for it, or fail; the text would be lost to it."""
    server.acts["/embeddings"] = [status(400, "no vectors here")]
    with graphmem.open(
        worker="none",
        vectors="http",
        vectors_model="m",
        server=server.url,
        tuning=graphmem.Tuning(vector_patience=30.0),
    ) as memory:
        memory.remember("zebra zoo")
        memory.admin.enrich(timeout=30)
        assert memory.recall("zebra", use=False)[0].text == "zebra zoo"
        assert "no vectors here" in memory.admin.stats()["vectors"]["last_error"]


def test_the_libraries_are_loaded_in_the_worker_only() -> None:
    """An agent pays for urllib3 and tenacity, which it never uses."""
    script = (
        "import sys, graphmem\n"
        "m = graphmem.open(worker='http', server='http://127.0.0.1:1')\n"
        "m.close()\n"
        "print({'urllib3', 'stamina', 'tenacity', 'ssl'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    finished = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert finished.stdout == "set()\n"


def test_texts_are_scored_by_the_server_and_the_key_stays_secret(server: Scripted) -> None:
    """A key on the worker's command line is read by everyone on the machine."""
    server.acts["/chat/completions"] = [rates(3)]
    with opened(server) as memory:
        (node,) = memory.remember("Wen moved the release to May 10.")
        until(lambda: memory.admin.stats()["worker"]["enriched"] == 1)
        with rooms(memory).reading() as view:
            text = view.text(node.id)
        assert text is not None
        assert text.sentences[0].salience > 20
        shown = [repr(memory.admin.settings), str(memory.admin.stats()), str(Settings.table())]
        shown.append(Path(f"/proc/{memory.admin.stats()['worker']['pid']}/cmdline").read_text())
        assert not any(KEY in text for text in shown)
        assert server.url in shown[0]


@pytest.mark.slow
def test_what_a_server_writes_stands_beside_the_words_if_it_is_true(server: Scripted) -> None:
    """A model that may write is asked, and a lie of it goes nowhere."""
    labels = {"phrase": "the release", "keywords": ["Wen", "release", "May"]}
    server.acts["/chat/completions"] = [
        rates(3, 3),
        chats(json.dumps({"text": "Wen moved the release. Wen chose May 10."})),
        chats(json.dumps(labels)),
        rates(3, 3),
        chats(json.dumps({"text": "Anna moved the launch. Anna chose June 1."})),
        chats(json.dumps(labels)),
    ]
    with opened(server, may_write=True) as memory:
        (true,) = memory.remember("Wen moved the release. She chose May 10.")
        until(lambda: memory.admin.stats()["worker"]["enriched"] == 1)
        (lie,) = memory.remember("Anna moved the launch. She chose May 1.")
        until(lambda: memory.admin.stats()["worker"]["enriched"] == 2)
        assert memory[true.id].derived == "Wen moved the release. Wen chose May 10."
        assert memory[true.id].text == "Wen moved the release. She chose May 10."
        assert memory[lie.id].derived == ""
        assert memory.admin.stats()["worker"]["written"] == 1


@pytest.mark.slow
def test_a_wrong_key_leaves_the_texts_to_the_rules_and_can_be_mended(
    server: Scripted, tmp_path: Path
) -> None:
    """The texts of the week before the key was mended would stay without the model."""
    server.acts["/chat/completions"] = [status(401, KEY)]
    with opened(server, path=tmp_path / "m") as memory:
        memory.remember("Wen moved the release to May 10.")
        assert memory.admin.enrich(timeout=30) == 0
        until(lambda: memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 1})
        assert "GRAPHMEM_SERVER_KEY" in memory.admin.failed()[1]
        assert KEY not in memory.admin.failed()[1] + memory.admin.stats()["worker"]["last_error"]
        assert memory.admin.check() == []
    server.acts["/chat/completions"] = [rates(3)]
    with opened(server, path=tmp_path / "m") as memory:
        assert memory.admin.retry() == 1
        until(lambda: memory.admin.stats()["worker"]["enriched"] == 1)
        assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 0}
        assert memory.admin.check() == []


@pytest.mark.slow
def test_a_server_that_comes_late_finds_all_texts_waiting(server: Scripted) -> None:
    """An agent that starts before its model server."""
    server.acts["/chat/completions"] = [status(503), status(503), status(503), rates(2)]
    with opened(server, deadline=0.3) as memory:
        memory.remember_many(f"Text number {n}." for n in range(5))
        until(lambda: memory.admin.stats()["worker"]["enriched"] == 5)
        assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 0}
        assert memory.admin.check() == []


@pytest.mark.slow
def test_a_server_that_never_answers_holds_up_nothing_else(server: Scripted) -> None:
    """Uses, budgets and `close` waited a minute for each text."""
    server.acts["/chat/completions"] = [never]
    memory = opened(server)
    (node,) = memory.remember("Wen moved the release to May 10.")
    until(lambda: "/chat/completions" in server.paths())
    memory.recall("When is the release?")
    until(lambda: memory[node.id].uses == 1)
    memory.close()


# -- a real one -----------------------------------------------------------------------------------


def model() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    pulled = cache / "graphmem" / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    return Path(os.environ.get("GRAPHMEM_MODEL") or pulled)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_against_a_real_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Against our own script alone, we would agree with ourselves about what a server says."""
    if not all(map(find_spec, ("llama_cpp", "fastapi", "uvicorn"))):
        pytest.skip("needs llama-cpp-python[server]")
    if not model().is_file():
        pytest.skip(f"no model at {model()}: run `graphmem model pull`, or set GRAPHMEM_MODEL")
    monkeypatch.setattr(wire, "_FIRST_WAIT", 0.5)
    monkeypatch.setattr(wire, "_LONGEST_WAIT", 4.0)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path / "log"
    with log.open("w") as output:
        serving = subprocess.Popen(
            [
                *(sys.executable, "-m", "llama_cpp.server", "--model", str(model())),
                *("--host", "127.0.0.1", "--port", str(port), "--api_key", KEY),
                *("--n_ctx", "1024", "--n_threads", "1", "--logits_all", "false"),
                *("--embedding", "true"),
            ],
            stdout=output,
            stderr=output,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        http = Http({"url": url})
        http.wire.ask("/models", None, 1 << 20, time.monotonic() + 60)  # until it is up
        first, second = process(http, time.monotonic() + 60)
        for found, rule in zip((first, second), rules(), strict=True):
            assert rule / 2 <= found * 1.001
            assert found <= rule * 2.001
        # This model has no pooled vectors: one for each token comes back.
        error = failure(lambda: http.embed({"texts": ["a b c"]}, time.monotonic() + 60))
        assert error.kind == "answer"
        wrong = graphmem.open(worker="http", server=url, server_key="sk-wrong")
        with wrong, graphmem.open(worker="http", server=url, server_key=KEY) as memory:
            for opened in (wrong, memory):
                opened.remember("Wen moved the release to May 10. See you!")
            until(lambda: memory.admin.stats()["worker"]["enriched"] == 1, 120)
            until(lambda: wrong.admin.stats()["queue"]["set_aside"] == 1, 120)
            assert "GRAPHMEM_SERVER_KEY" in wrong.admin.failed()[1]
            assert memory.admin.check() == wrong.admin.check() == []
        http.wire.close()
    finally:
        serving.terminate()
        serving.wait(30)
