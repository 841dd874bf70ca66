"""A server on standard input and output, by the SDK's client, that is asked for what takes long.

A write of which nobody knows whether it was done is done twice, or lost.
"""

import json
import os
import pty
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Event
from typing import Any
from uuid import uuid4

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import graphmem
from graphmem import Memory
from graphmem.interfaces import mcp
from tests.interfaces.test_mcp import ENVIRONMENT, failed, running, said, stdio


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@running
async def test_both_ways_to_begin_find_all_of_it(mode: str, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    args = ["-m", "graphmem", "mcp", str(folder), "--one-scope"]
    server = StdioServerParameters(command=sys.executable, args=args, env=ENVIRONMENT)
    async with Client(stdio_client(server), mode=mode) as client:
        assert client.server_info.version == graphmem.__version__
        assert "recall before you answer" in str(client.instructions)
        assert "scope" not in str(client.instructions)
        assert not folder.exists()  # a client was answered later while it was being opened
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools][:2] == ["remember", "recall"]
        with anyio.fail_after(20):
            while not folder.exists():
                await anyio.sleep(0.05)
        assert await said(client, "remember", text="The kettle is broken.") == "Remembered as #1."
        assert "There is no tool" in await failed(client, "sweep")
        seen = (await client.read_resource("graphmem://node/1")).contents[0]
        assert json.loads(seen.text)["text"] == "The kettle is broken."
        with graphmem.attach(folder) as other:  # a model can wait for what it is asked
            assert other.admin.settings.conflict_patience == 0.02


CLIENT = {"name": "t", "version": "1"}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Popen[str]]:
    """A server, begun, whose lines a test writes and reads itself. To start one takes a second."""
    folder = tmp_path_factory.mktemp("plain") / "m"
    command = [sys.executable, "-m", "graphmem", "mcp", str(folder)]
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True, env=ENVIRONMENT) as server:
        (told,) = asked(
            server,
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}),
            '{"jsonrpc":"2.0","method":"notifications/initialized"}',
            answers=1,
        )
        assert told["id"] == 1
        yield server
        assert server.stdin is not None
        server.stdin.close()
        assert server.wait(20) == 0


def asked(server: Popen[str], *lines: str, answers: int) -> list[dict[str, Any]]:
    """Write `lines` to a server and read as many `answers`."""
    assert server.stdin is not None
    assert server.stdout is not None
    print(*lines, sep="\n", file=server.stdin, flush=True)
    return [json.loads(server.stdout.readline()) for _ in range(answers)]


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        (
            r'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"remember",'
            r'"arguments":{"text":"Gute Reise \ud83d"}}}',
            [(7, -32602, r"lone surrogate, \ud83d")],
        ),
        (
            r'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"\udc00"}}',
            [("a", -32602, r"lone surrogate, \udc00")],
        ),
        (
            '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"look",'
            f'"arguments":{{"node":{"9" * 5000}}}}}}}',
            [(7, -32700, "number out of range")],
        ),
        ('{"jsonrpc":"2.0","id":7,', [(None, -32700, "Invalid JSON")]),
        ('{"jsonrpc":"2.0","id":7}}', [(None, -32700, "Invalid JSON")]),
        ("[" * 100_000, [(None, -32700, "Invalid JSON")]),
        (
            '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":[1]}',
            [(8, -32602, "params is an object")],
        ),
        ('{"jsonrpc":"2.0","id":7}', [(7, -32600, "It has a method")]),
        ('{"id":"a","method":"ping"}', [("a", -32600, "no request of JSON-RPC 2.0")]),
        *(
            (
                f'{{"jsonrpc":"2.0","id":{odd},"method":"tools/call","params":{{"name":"list"}}}}',
                [(None, -32600, "a text or a whole number")],
            )
            for odd in ("null", "true", "false", "1.5", "1.0", "1e300", "[]", "[1]", '{"a":1}')
        ),
        ('{"jsonrpc":"2.0","id":1.5,"result":{}}', []),
        ("[]", [(None, -32600, "no request")]),
        ("5", [(None, -32600, "no request")]),
        ('{"jsonrpc":"2.0","method":"x","params":[1]}', []),
        ('{"jsonrpc":"2.0","id":7,"result":5}', []),
        (r'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"\ud83d"}}', []),
        (r'{"jsonrpc":"2.0","id":"\ud83d","method":"ping"}', []),  # such an id cannot be sent back
        (r'{"jsonrpc":"2.0","id":2,"result":{"a":"\ud83d"}}', []),
        ("", []),
    ],
)
def test_a_line_that_cannot_be_read_is_answered(
    plain: Popen[str], line: str, answers: list[tuple[int | str | None, int, str]]
) -> None:
    """A request that held half a surrogate pair, as a client sends that cuts a text within a
    character, was never answered: the SDK passes over such a line, and the call hung."""
    last = f"after {uuid4()}"
    told = asked(
        plain,
        line,
        json.dumps({"jsonrpc": "2.0", "id": last, "method": "ping"}),
        answers=1 + len(answers),
    )
    assert any(each["id"] == last and "result" in each for each in told)  # it lives on
    failed = [each for each in told if "error" in each]
    assert len(failed) == len(answers)
    for each, (request, code, says) in zip(failed, answers, strict=True):
        assert (each["id"], each["error"]["code"]) == (request, code)
        assert says in each["error"]["message"]


@running
async def test_a_cancelled_write_is_told_of_and_a_long_call_tells_how_it_is(tmp_path: Path) -> None:
    """A client that gave up on a call did not know whether it had been done."""
    told: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert (message or "").startswith("remember: ")
        told.append(progress)

    async def remember(client: Client, text: str, patience: anyio.CancelScope) -> None:
        with patience:
            await client.call_tool("remember", {"text": text}, progress_callback=note)

    with graphmem.reach(tmp_path / "m", worker="none", durability="os") as agent:
        async with stdio(tmp_path / "m") as client:
            await said(client, "recall", cue="kettle")  # the memory is reached
            with agent.transaction():  # which a write waits for
                async with anyio.create_task_group() as group:
                    first, second = anyio.CancelScope(), anyio.CancelScope()
                    group.start_soon(remember, client, "The kettle is broken.", first)
                    await anyio.sleep(0.5)
                    group.start_soon(remember, client, "The door is green.", second)
                    with anyio.fail_after(20):
                        while len(told) < 3:
                            await anyio.sleep(0.05)
                    second.cancel()
                    first.cancel()
                await client.list_tools()  # which comes after what is cancelled
            assert (await said(client, "recall", cue="kettle door")).splitlines()[:2] == [
                "(The call of remember that was cancelled had not begun: nothing was changed)",
                "(The call of remember that was cancelled had begun: Remembered as #1.)",
            ]
            assert "cancelled" not in await said(client, "recall", cue="kettle door")
        assert [str(node) for node in agent.nodes()] == ["The kettle is broken."]


@running
async def test_what_only_reads_is_answered_while_a_long_write_goes_on() -> None:
    """A `remember` of 10 MB kept every other call waiting for half a minute."""
    began, goes_on = Event(), Event()
    order: list[str] = []
    remember = Memory.remember

    def slow(memory: Memory, text: str, **given: Any) -> Any:
        order.append(text)
        began.set()
        assert goes_on.wait(30)
        return remember(memory, text, **given)

    with graphmem.open(None, worker="none") as memory, pytest.MonkeyPatch.context() as patched:
        memory.remember("The door is green.")
        patched.setattr(Memory, "remember", slow)
        async with Client(mcp.server(memory)) as client, anyio.create_task_group() as group:
            group.start_soon(partial(said, client, "remember", text="The kettle is broken."))
            await anyio.to_thread.run_sync(began.wait, 30)
            group.start_soon(partial(said, client, "remember", text="The lamp is red."))
            try:
                with anyio.fail_after(20):
                    assert "green" in await said(client, "recall", cue="door")
                    assert "green" in await said(client, "list")
                assert order == ["The kettle is broken."]  # a write waits for those before it
            finally:
                goes_on.set()
        assert order == ["The kettle is broken.", "The lamp is red."]


@running
async def test_a_call_that_fails_in_an_unknown_way_is_answered() -> None:
    with graphmem.open(None, worker="none") as memory, pytest.MonkeyPatch.context() as patched:
        patched.setattr(Memory, "pin", lambda *given: 1 / 0)
        async with Client(mcp.server(memory)) as client:
            assert "may have been done" in await failed(client, "pin", node=1)
            assert await said(client, "recall", cue="kettle") == "Nothing is known about that."


@pytest.mark.parametrize("terminal", [False, True])
def test_an_interrupt_ends_it_and_closes_the_memory(tmp_path: Path, terminal: bool) -> None:
    """It stayed, whatever was sent, and kept the folder from everybody else: the SDK waits for a
    line that does not come."""
    command = [sys.executable, "-m", "graphmem", "mcp", str(tmp_path / "m")]
    ours, theirs = pty.openpty() if terminal else os.pipe()[::-1]
    with Popen(command, stdin=theirs, stdout=PIPE, text=True, env=ENVIRONMENT) as server:
        assert server.stdout is not None
        begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
        call = {"name": "remember", "arguments": {"text": "The kettle is broken."}}
        for number, method, given in ((1, "initialize", begin), (2, "tools/call", call)):
            line = {"jsonrpc": "2.0", "id": number, "method": method, "params": given}
            os.write(ours, json.dumps(line).encode() + b"\n")
            assert json.loads(server.stdout.readline())["id"] == number
        server.send_signal(signal.SIGINT)
        try:
            assert server.wait(10) == 130
        finally:
            server.kill()
    os.close(ours)
    os.close(theirs)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert len(memory) == 1
        assert memory.admin.check() == []


def test_a_client_that_died_ends_it_without_a_traceback(tmp_path: Path) -> None:
    """Each client that ended left 60 lines of the SDK's task groups in the log."""
    command = [sys.executable, "-m", "graphmem", "mcp", str(tmp_path / "m")]
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, env=ENVIRONMENT) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        first = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin})
        assert asked(server, first, answers=1)[0]["id"] == 1
        server.stdout.close()
        print('{"jsonrpc":"2.0","id":2,"method":"ping"}', file=server.stdin, flush=True)
        server.stdin.close()
        assert server.wait(20) in (0, 141)  # 0 where it saw the end before it could answer
        assert server.stderr.read() == ""
