"""The owner's side: no client, however slow, wrong or hostile, blocks it or brings it down."""

import errno
import logging
import os
import shutil
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import msgpack
import pytest
from hypothesis import given, strategies

import graphmem
from graphmem import Memory
from graphmem.api import attached
from graphmem.api.memory import listener
from graphmem.api.opening import rooms
from graphmem.attaching import channel as channels
from graphmem.attaching import listener as listeners
from graphmem.attaching.channel import Channel
from graphmem.attaching.codec import (
    DIALECT,
    LARGEST_MESSAGE,
    check_items,
    decode,
    decode_request,
    encode_request,
    rebuild,
)
from graphmem.attaching.listener import ERROR, LAST_PAGE, MORE, PAGE, PROGRESS, VALUE, Served
from graphmem.errors import (
    GraphMemError,
    NotOpenError,
    OwnerFaultError,
    ProtocolError,
    RefusedError,
)

MESSAGES = int(os.environ.get("GRAPHMEM_MESSAGES", "40000"))  # of the long test
PATIENCE = 0.5  # seconds, instead of half a minute


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled") / "m"
    with graphmem.open(folder, worker="none", durability="os", max_nodes=400) as memory:
        memory.remember_many([f"Note {k} of the release." for k in range(200)])
    return folder


@pytest.fixture
def memory(filled: Path, tmp_path: Path) -> Iterator[Memory]:
    shutil.copytree(filled, tmp_path / "m")
    with graphmem.open(
        tmp_path / "m", worker="none", durability="os", attachable=False, max_nodes=400
    ) as memory:
        serving = listener(memory)
        serving.patience = PATIENCE
        serving.start()
        rooms(memory).database.listener = serving
        yield memory


def connected(memory: Memory, *, greet: bool = True) -> Channel:
    assert memory.path is not None
    client = Channel(channels.connect(Path(memory.path), 10.0), patience=10.0)
    if greet:
        client.send(msgpack.packb(["graphmem", DIALECT]))
        assert answer(client)[0] == VALUE
    return client


def answer(client: Channel) -> tuple[int, Any]:
    """The next answer; fails when the connection is closed instead."""
    message = client.receive(20.0)
    assert message is not None
    kind, content = decode(message)
    return kind, rebuild(content) if kind == ERROR else content


def error(client: Channel) -> GraphMemError:
    kind, content = answer(client)
    assert kind == ERROR
    assert isinstance(content, GraphMemError)
    return content


def closed(client: Channel) -> bool:
    """Whether the owner ends the connection."""
    try:
        return client.receive(20.0) is None
    except ConnectionError:
        return True
    finally:
        client.close()


def fine(memory: Memory) -> None:
    """The owner works, and takes clients."""
    assert memory.path is not None
    with graphmem.attach(memory.path, timeout=20) as other:
        assert other.recall("release", use=False)


def test_a_client_must_greet(memory: Memory) -> None:
    client = connected(memory, greet=False)
    client.send(encode_request(["admin.stats", "default", [], {}]))
    assert isinstance(error(client), ProtocolError)
    assert closed(client)
    assert closed(connected(memory, greet=False))  # in silence, for as long as the owner's patience
    fine(memory)


def test_another_version_is_refused(memory: Memory) -> None:
    client = connected(memory, greet=False)
    client.send(msgpack.packb(["graphmem", "0123456789abcdef"]))
    refused = error(client)
    assert isinstance(refused, RefusedError)
    assert "another version" in str(refused)
    assert closed(client)


def test_another_user_is_refused(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mode of the socket says so too, but root passes any mode."""

    def only_the_client_thinks_so(connected: socket.socket) -> bool:
        return threading.current_thread().name != "graphmem-listener"

    monkeypatch.setattr(channels, "same_user", only_the_client_thinks_so)
    assert memory.path is not None
    with pytest.raises(RefusedError, match="another user"):
        graphmem.attach(memory.path)
    monkeypatch.setattr(channels, "same_user", lambda connected: False)
    with pytest.raises(graphmem.GraphMemError, match="another user"):
        graphmem.attach(memory.path)


def test_a_client_that_ends_amid_a_listing_leaves_no_connection(memory: Memory) -> None:
    """Each took one of the owner's places, for as long as its process lived."""
    memory.remember_many([f"Number {k}." for k in range(300)])
    assert memory.path is not None
    attached = graphmem.attach(memory.path)
    listing = attached.nodes()
    next(listing)
    attached.close()
    assert len(list(listing)) == len(memory) - 1
    end = time.monotonic() + 5
    while memory.admin.stats()["clients"] and time.monotonic() < end:
        time.sleep(0.01)
    assert memory.admin.stats()["clients"] == 0
    attached.close()


def test_too_many_clients(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listeners, "_MOST_CLIENTS", 3)
    clients = [connected(memory) for _ in range(3)]
    assert memory.path is not None
    with pytest.raises(RefusedError, match="3 clients already"):
        graphmem.attach(memory.path)
    for client in clients:
        client.close()
    end = time.monotonic() + 60
    while memory.admin.stats()["clients"] and time.monotonic() < end:
        time.sleep(0.01)
    fine(memory)


def test_a_process_without_free_descriptors_takes_clients_later(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could attach any more until the owner was started anew."""
    failing, accept = [errno.ECONNABORTED, errno.EMFILE], socket.socket.accept

    def short_of_room(listening: socket.socket) -> Any:
        if failing:
            raise OSError(failing.pop(), "no")
        return accept(listening)

    monkeypatch.setattr(socket.socket, "accept", short_of_room)
    for _ in range(2):  # the first one is waited for already
        fine(memory)
    assert failing == []


def test_one_who_has_gone_before_it_was_looked_at_ends_no_listening(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On macOS nothing is known of a peer that has gone: the error ended the thread that listens,
    nobody could attach any more, and nothing said why."""
    gone, same_user = [True], channels.same_user

    def looked_at(connected: socket.socket) -> bool:
        if threading.current_thread().name == "graphmem-listener" and gone:
            gone.clear()
            raise OSError(errno.ENOTCONN, "Socket is not connected")
        return same_user(connected)

    monkeypatch.setattr(channels, "same_user", looked_at)
    assert closed(connected(memory, greet=False))
    assert not gone
    fine(memory)
    assert memory.admin.stats()["attach_error"] is None


def test_one_who_sends_half_a_message(memory: Memory) -> None:
    """It would hold a thread for ever, and sixty-four of them all that there are."""
    for part in (
        b"\0",
        b"\0\0\0\x20",
        b"\0\0\0\x20half",
        struct.pack(">I", LARGEST_MESSAGE) + b"x",
    ):
        client = connected(memory)
        client.socket.sendall(part)
        fine(memory)
        assert closed(client)


def test_one_who_sends_a_byte_at_a_time(memory: Memory) -> None:
    """A time limit for each byte is none: the message as a whole has one."""
    client = connected(memory)
    begun = time.monotonic()

    def drip() -> None:
        for byte in struct.pack(">I", 1000) + bytes(1000):
            client.socket.sendall(bytes([byte]))
            time.sleep(0.02)

    with pytest.raises(OSError):  # noqa: PT011 - reset or broken pipe, as it comes
        drip()
    assert time.monotonic() - begun < 15
    client.close()
    fine(memory)


def test_one_who_never_reads(memory: Memory) -> None:
    """The answers pile up in the kernel until it takes no more, and then the owner lets go."""
    client = connected(memory)
    request = encode_request(["recall", "default", ["release"], {"limit": 100, "use": False}])
    client.socket.settimeout(10)
    with pytest.raises(OSError):  # noqa: PT011
        client.socket.sendall((struct.pack(">I", len(request)) + request) * 10_000)
    memory.remember("The agent goes on.")
    fine(memory)
    client.close()


def test_one_who_does_not_read_progress_loses_only_progress(memory: Memory) -> None:
    """To wait for it would be to hold a sweep of the agent's memory."""
    client = connected(memory)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    client.send(encode_request(["admin.shrink", "default", [100], {"progress": True}]))
    kinds = []
    while (kind := answer(client)[0]) == PROGRESS:
        kinds.append(kind)
    assert kind == VALUE
    client.close()


def test_too_long_a_message_is_refused_before_it_is_read(memory: Memory) -> None:
    client = connected(memory)
    client.socket.sendall(struct.pack(">I", LARGEST_MESSAGE + 1))
    told = error(client)
    assert isinstance(told, ProtocolError)
    assert "at most" in str(told)
    assert closed(client)


def test_before_the_greeting_a_message_is_small(memory: Memory) -> None:
    client = connected(memory, greet=False)
    client.socket.sendall(struct.pack(">I", 2_000))
    assert isinstance(error(client), ProtocolError)
    assert closed(client)


def test_of_a_large_message_with_too_many_items_only_the_beginning_is_read(memory: Memory) -> None:
    """Eight clients with 60 million nils each brought the owner to 1.2 GB."""
    clients = [connected(memory) for _ in range(8)]
    head = msgpack.packb("Memory.stats")
    for client in clients:
        client.socket.sendall(struct.pack(">I", 60_000_100))
        client.socket.sendall(b"\x94" + head + b"\xdd" + struct.pack(">I", 60_000_000))
        client.socket.sendall(b"\xc0" * (1 << 16))
    for client in clients:
        assert "items" in str(error(client))  # though the other 59 MB were never sent
        assert closed(client)
    fine(memory)


def test_a_page_has_so_many_items_however_small_they_are(memory: Memory) -> None:
    """A listing in one page may be longer than a message can be, and its client gets none of it."""
    client = connected(memory)
    client.send(encode_request(["nodes", None, [], {}]))
    kind, items = answer(client)
    assert (kind, len(items)) == (PAGE, 64)
    client.close()


def test_a_large_request_waits_until_there_is_room_for_it(memory: Memory) -> None:
    serving = rooms(memory).database.listener
    assert serving is not None
    serving._budget = channels.Budget(3 << 20)
    first = connected(memory)
    serving.patience = 20.0
    second = connected(memory)
    text = encode_request(["Memory.none", "default", ["x" * (2 << 20)], {}])
    frame = struct.pack(">I", len(text)) + text
    first.socket.sendall(frame[: 1 << 19])  # and no more, until the owner hangs up
    second.socket.settimeout(20.0)
    second.socket.sendall(frame)
    assert closed(first)
    assert "no verb" in str(error(second))
    second.close()


def test_a_budget_is_shared_and_given_back() -> None:
    budget = channels.Budget(100)
    assert budget.take(60, 0)
    assert not budget.take(60, 0.01)
    assert budget.take(40, 0)
    budget.give_back(60)
    assert budget.take(60, 0)


@given(
    strategies.recursive(
        strategies.none()
        | strategies.integers(-(1 << 63), (1 << 64) - 1)
        | strategies.floats(allow_nan=False)
        | strategies.text(max_size=300)
        | strategies.binary(max_size=300)
        | strategies.builds(
            msgpack.ExtType, strategies.integers(0, 127), strategies.binary(max_size=40)
        ),
        lambda inner: (
            strategies.lists(inner, max_size=40)
            | strategies.dictionaries(strategies.text(max_size=40), inner, max_size=20)
        ),
        max_leaves=80,
    )
)
def test_items_are_counted_as_they_are_announced(value: Any) -> None:
    def items(value: Any) -> int:
        if isinstance(value, dict):
            return sum(1 + 1 + items(held) for held in value.values())
        if isinstance(value, list):
            return sum(1 + items(held) for held in value)
        return 0

    message = msgpack.packb(value)
    check_items(message, items(value))
    if items(value):
        with pytest.raises(ProtocolError):
            check_items(message, items(value) - 1)


def test_lists_that_are_only_announced_are_counted() -> None:
    """A thousand in one another, of 200,000 items each: 5 KB became 1.6 GB."""
    with pytest.raises(ProtocolError, match="items"):
        decode_request((b"\xdd" + struct.pack(">I", 199_999)) * 1_000)
    term = msgpack.ExtType(18, (b"\xdd" + struct.pack(">I", 199_999)) * 1_000)
    with pytest.raises(ProtocolError, match="items"):
        decode_request(msgpack.packb(["Facts.put", "default", [term], {}]))


def test_a_small_message_that_would_become_a_large_one(memory: Memory) -> None:
    """A megabyte of empty lists becomes sixty of Python objects."""
    client = connected(memory)
    client.send(b"\xdd" + struct.pack(">I", 1_000_000) + b"\x90" * 1_000_000)
    assert isinstance(error(client), ProtocolError)
    client.send((b"\xdc" + struct.pack(">H", 1000) + b"\xc0" * 1000) * 1)
    assert isinstance(error(client), ProtocolError)
    nested = b"\x91" * 100_000 + b"\x90"
    client.send(nested)
    assert isinstance(error(client), ProtocolError)
    client.send(encode_request(["__len__", "default", [], {}]))
    assert answer(client) == (VALUE, 200)
    client.close()


@pytest.mark.parametrize(
    "request_",
    [
        None,
        [],
        ["stats"],
        ["close", "default", [], {}],
        ["_opened", "default", [], {}],
        ["name", "default", [], {}],
        ["__import__", "default", ["os"], {}],
        ["stats", 5, [], {}],
        ["stats", "default", {}, []],
        ["stats", "default", [1], {}],
        ["stats", "default", [], {"x": 1}],
        ["stats", "none", [], {}],
        ["facts._terms", "default", [1, 2, 3], {}],
    ],
)
def test_what_is_no_request_is_refused(memory: Memory, request_: object) -> None:
    client = connected(memory)
    client.send(msgpack.packb(request_))
    told = error(client)
    assert not isinstance(told, OwnerFaultError)
    client.send(MORE)
    assert isinstance(error(client), ProtocolError)
    client.close()


def test_a_fault_of_ours_is_told_and_logged(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fault = Served(lambda memory: 1 / 0, waits=False)
    monkeypatch.setitem(attached.served(), "admin.stats", fault)
    assert memory.path is not None
    with graphmem.attach(memory.path) as other:
        with pytest.raises(OwnerFaultError, match="ZeroDivisionError"):
            other.admin.stats()
        assert len(other) == 200
    assert "a verb failed" in caplog.text


def test_closing_does_not_wait_for_clients(tmp_path: Path) -> None:
    memory = graphmem.open(tmp_path / "m", worker="none")
    idle = [connected(memory, greet=turn > 0) for turn in range(10)]
    begun = time.monotonic()
    memory.close()
    assert time.monotonic() - begun < 30
    assert all(closed(client) for client in idle)
    left = [thread.name for thread in threading.enumerate() if "graphmem-client" in thread.name]
    assert not left


def test_a_verb_under_way_is_answered_before_the_owner_has_closed(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def slow(memory: Memory) -> str:
        begun.set()
        time.sleep(0.3)
        return "done"

    monkeypatch.setitem(attached.served(), "admin.stats", Served(slow, waits=False))
    assert memory.path is not None
    other = graphmem.attach(memory.path)
    told: list[Any] = []
    asking = threading.Thread(target=lambda: told.append(other.admin.stats()))
    asking.start()
    assert begun.wait(20)
    serving = rooms(memory).database.listener
    assert serving is not None
    serving.close()
    assert serving.clients == 0
    asking.join()
    other.close()
    assert told == ["done"]


def test_who_has_connected_may_wait_for_answers_as_long_as_they_take(memory: Memory) -> None:
    assert memory.path is not None
    with channels.connect(Path(memory.path), 10.0) as connected:
        assert connected.gettimeout() is None


def test_what_was_not_begun_when_the_owner_closes_was_not_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that was writing was told that its note might have been stored, and could not just
    send it to the next owner."""
    memory = graphmem.open(tmp_path / "m", worker="none")
    serving = rooms(memory).database.listener
    assert serving is not None
    waiting, late = graphmem.attach(tmp_path / "m"), graphmem.attach(tmp_path / "m")
    for _ in range(2):
        serving._turns.acquire()  # as of two verbs under way
    told: list[GraphMemError] = []

    def write() -> None:
        try:
            waiting.remember("It has arrived, and waits for its turn.")
        except GraphMemError as error:
            told.append(error)

    writing = threading.Thread(target=write)
    writing.start()
    time.sleep(0.1)
    serving.close()
    writing.join()
    assert isinstance(told[0], NotOpenError)
    monkeypatch.setattr(Channel, "idle", True)  # as if it had closed just after that was looked up
    with pytest.raises(NotOpenError, match="is closing it"):
        late.remember("It does not arrive.")
    assert len(memory) == 0
    memory.close()


# -- random messages --------------------------------------------------------------------------

VALUES: list[Any] = [
    None, True, False, 0, 1, 5, 199, 200, 10**9, -1, 2**63, 2**64 - 1, -(2**63), 0.0, -1.5, 1e308,
    float("nan"), float("inf"), "", "release", "node:5", "http://x/y", "memory:keyword", "发布", "\0",
    "\ud800", "a" * 300, b"", b"bytes", [], [1, 2], ["release"], [[]], {}, {"text": "x"}, {"": 0},
    "2026-05-03T09:30:00+02:00", "default", "other", "focus", "activation",
]  # fmt: skip
NAMES = (
    "limit depth tokens session speaker since until mode use relations keyword pinned reverse seconds "
    "erase version offset happened keywords pin text progress where about metadata timeout"
).split()
TYPICAL: list[Any] = [
    ["remember", ["The release is near."], {"speaker": "Wen", "session": "chat"}],
    ["remember_many", [["One.", {"text": "Two.", "pin": False}]], {}],
    ["recall", ["release"], {"tokens": 50, "limit": 3}],
    ["recall", ["note 17"], {"mode": "focus", "where": {"depth": 1}, "tokens": [9, True]}],
    ["used", [3, [4, 5]], {}],
    ["graph.relate", [3, "because", 4], {}],
    ["__getitem__", [7], {}],
    ["__iter__", [], {}],
    ["nodes", [], {"keyword": "release", "reverse": True}],
    ["graph.links", [7], {}],
    ["pin", [9], {}],
    ["unpin", [9], {}],
    ["correct", [11, "Another text."], {}],
    ["forget", [13], {}],
    ["history.revive", [13], {}],
    ["history.of", [11], {}],
    ["history.forgotten", [], {"limit": 5}],
    ["admin.stats", [], {}],
    ["graph.facts.put", ["node:3", "http://x/y", 5], {}],
    ["graph.facts.match", [None, None, None], {"limit": 9}],
]
SLOW = {"admin.compact", "sweep", "admin.shrink"}


def any_request(random: Random) -> bytes:
    """A request of the right shape, about whatever."""
    if random.random() < 0.5:
        verb, *rest = random.choice(TYPICAL)
        usual: bytes = msgpack.packb([verb, "default", *rest])
        return usual
    verb = random.choice(sorted(attached.served()))
    if verb in SLOW and random.random() < 0.95:
        verb = "recall"
    given = [random.choice(VALUES) for _ in range(random.choice((0, 1, 1, 2, 3)))]
    named = {
        random.choice(NAMES): random.choice(VALUES) for _ in range(random.choice((0, 0, 1, 2)))
    }
    scope = random.choice(("default", "default", "default", None, "other", 3, ""))
    packed: bytes = msgpack.packb([verb, scope, given, named], unicode_errors="surrogatepass")
    return packed


def mutated(random: Random, message: bytes) -> bytes:
    """The same with a few bytes changed, taken out or put in."""
    changed = bytearray(message)
    for _ in range(random.choice((1, 1, 2, 8))):
        place = random.randrange(len(changed) + 1)
        match random.randrange(4):
            case 0:
                changed[place : place + 1] = bytes([random.randrange(256)])
            case 1:
                del changed[place : place + random.randrange(1, 5)]
            case 2:
                changed[place:place] = random.randbytes(random.randrange(1, 5))
            case 3:
                changed[place:] = b""
    return bytes(changed)


def any_message(random: Random) -> bytes:
    match random.randrange(8):
        case 0:
            return random.randbytes(random.randrange(80))
        case 1:
            value: bytes = msgpack.packb(random.choice(VALUES), unicode_errors="surrogatepass")
            return value
        case 2:
            return MORE
        case 3 | 4 | 5:
            return any_request(random)
    return mutated(random, any_request(random))


def fuzz(memory: Memory, messages: int, seed: int) -> dict[str, int]:
    """Send so many; returns how often which answer came."""
    random = Random(seed)
    came: dict[str, int] = {}
    client = connected(memory)
    for _ in range(messages):
        if random.random() < 0.01:  # a stream that is none: any bytes, half of a message, an end
            with suppress(ConnectionError):  # the owner may have let go of this one already
                client.socket.sendall(random.randbytes(random.randrange(1, 40)))
            client.close()
            client = connected(memory, greet=random.random() < 0.9)
            came["broken stream"] = came.get("broken stream", 0) + 1
            continue
        try:
            client.send(any_message(random))
            message = client.receive(60.0)
            while message is not None and decode(message)[0] == PROGRESS:
                message = client.receive(60.0)
        except ConnectionError:
            message = None
        if message is None:
            client.close()
            client = connected(memory)
            name = "closed"
        else:
            kind, content = decode(message)
            assert kind in (VALUE, PAGE, LAST_PAGE, ERROR)
            name = type(rebuild(content)).__name__ if kind == ERROR else "done"
            if name == "OwnerFaultError":
                raise AssertionError(content)
        came[name] = came.get(name, 0) + 1
    client.close()
    return came


@pytest.mark.parametrize(
    ("messages", "seed"), [(1_500, 1), pytest.param(MESSAGES, 2, marks=pytest.mark.slow)]
)
def test_random_messages(
    memory: Memory,
    messages: int,
    seed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever comes is answered, refused by name or cut off, and the memory stays whole."""
    monkeypatch.chdir(tmp_path)  # among the messages are backups into folders of any name
    caplog.set_level(logging.WARNING, "graphmem")
    memory.scopes.open("other")
    assert attached.served().keys() >= {verb for verb, *_ in TYPICAL} | SLOW
    came = fuzz(memory, messages, seed)
    assert came["done"] > messages / 10
    assert came["ProtocolError"] > messages / 10
    assert not caplog.records
    memory = memory.scopes.open("default")  # one of the messages may have dropped it
    assert memory.admin.check() == []
    memory.remember("The agent goes on with the release.")
    fine(memory)
