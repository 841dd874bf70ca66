"""A model uses a memory through MCP, by the SDK's own client.

A server that loses writes when two run, that answers "Error executing tool" and nothing else, or that
fills the context with schemas, is worse than none.
"""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

import graphmem
from graphmem import Memory
from graphmem.errors import (
    CorruptError,
    FullError,
    GraphMemError,
    OwnerGoneError,
    ProtocolError,
)
from graphmem.interfaces import mcp
from graphmem.services.tokens import estimated_tokens

ENVIRONMENT = {
    **os.environ,
    "GRAPHMEM_WORKER": "none",
    "GRAPHMEM_DURABILITY": "os",
    "PYTHONPATH": os.pathsep.join(str(Path(__file__).parents[2] / p) for p in (".", "worker")),
}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with graphmem.open(None, worker="none", max_nodes=20, grace=0) as memory:
        yield memory


def running(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """A coroutine as a test."""

    @wraps(test)
    def run(**fixtures: Any) -> None:
        anyio.run(lambda: test(**fixtures))

    return run


@asynccontextmanager
async def stdio(folder: Path) -> AsyncIterator[Client]:
    """A client that starts the server as a chat program does."""
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "graphmem", "mcp", str(folder)],
        env=ENVIRONMENT,
    )
    async with Client(stdio_client(started)) as client:
        yield client


async def told(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says that failed."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)


async def found(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    structured: dict[str, Any] = result.structured_content
    return structured


@running
async def test_a_memory_is_used_from_end_to_end(memory: Memory) -> None:
    async with Client(mcp.server(memory)) as client:
        said = "Iris is allergic to walnuts."
        kept = await found(
            client, "remember", text=said, speaker="Iris", happened="2026-05-03T09:30:00+02:00"
        )
        (node,) = kept["ids"]
        await client.call_tool("remember", {"text": "The kettle is broken.", "session": "tea"})
        result = await client.call_tool("recall", {"cue": "What is Iris allergic to?"})
        first = result.structured_content["known"][0]
        assert first["id"] == node
        assert first["text"] == said
        assert first["speaker"] == "Iris"
        assert first["when"] == "2026-05-03T09:30:00+02:00"
        assert "shares words with the cue" in first["why"]
        assert result.content[0].text.splitlines()[0] == f"#{node} [2026-05-03, Iris] {said}"

        right = "Iris is allergic to peanuts."
        (fixed,) = (await found(client, "correct", node=node, text=right))["ids"]
        assert await found(client, "pin", node=fixed) == {"id": fixed, "pinned": True}
        assert await found(client, "pin", node=fixed, pinned=False) == {
            "id": fixed,
            "pinned": False,
        }
        seen = await found(client, "look", node=fixed)
        assert seen["text"] == right
        assert {"relation": "corrects", "id": node, "strength": 1.0} in seen["links"]
        assert (await found(client, "forget", node=fixed))["forgotten"]
        assert (await found(client, "look", node=fixed))["text"] is None
        assert "revive" in await told(client, "pin", node=fixed)
        assert await found(client, "revive", node=fixed) == {"id": fixed, "text": right}
        assert (await found(client, "look", node=node))["versions"][0]["text"] == said


@running
async def test_what_a_model_reads_is_whole(memory: Memory) -> None:
    """Many clients give a model the text of an answer and not its structure: there a memory was
    cut after sixty characters, its links were bare ids, and a cut secret was not told of."""
    async with Client(mcp.server(memory)) as client:
        said = "Lena lives on Oude Delft 44 with her husband Pieter and her daughter, who is six."
        (node,) = (await found(client, "remember", text=said, speaker="Lena"))["ids"]
        result = await client.call_tool(
            "remember", {"text": "测试库的密码是 Qn7!lantern88，用户是 ro。"}
        )
        assert result.structured_content["cut"] == ["password"]
        (content,) = result.content
        assert "Cut out before it was stored: password." in content.text
        text = (await client.call_tool("look", {"node": node})).content[0].text
        assert text.splitlines()[0] == f"#{node} {said}"
        assert "speaker: Lena" in text
        assert f"focus #{node + 1} (1.0): 测试库的密码是" in text
        await found(client, "correct", node=node, text="Lena lives in Ghent.")
        assert f"version 1 (corrected): {said}" in await _looked(client, node)


async def _looked(client: Client, node: int) -> str:
    result = await client.call_tool("look", {"node": node})
    return str(result.content[0].text)


@running
async def test_what_has_changed_is_replaced(memory: Memory) -> None:
    """Corrected instead, what was true would look like a mistake; remembered beside it, a model
    would read both."""
    async with Client(mcp.server(memory)) as client:
        (old,) = (await found(client, "remember", text="Wen lives in Turin."))["ids"]
        (new,) = (await found(client, "replace", node=old, text="Wen lives in Lyon."))["ids"]
        known = (await found(client, "recall", cue="Where does Wen live?"))["known"]
        assert known[0]["id"] == new
        assert old not in [item["id"] for item in known]
        assert (await found(client, "look", node=old))["text"] == "Wen lives in Turin."
        assert "replaced already" in await told(client, "replace", node=old, text="Or in Rome.")


@running
async def test_the_budget_holds_with_the_ids(memory: Memory) -> None:
    for number in range(15):
        memory.remember(f"Ticket {number} about the release was closed by Wen after {number} days.")
    async with Client(mcp.server(memory)) as client:
        result = await client.call_tool("recall", {"cue": "release tickets", "tokens": 100})
        text = result.content[0].text
        assert 60 < estimated_tokens(text) <= 100
        ids = [int(line[1:].split()[0]) for line in text.splitlines()]
        assert ids == [item["id"] for item in result.structured_content["known"]]


@running
async def test_what_was_known_once_is_told_with_its_id(memory: Memory) -> None:
    (old,) = memory.remember("The kettle is broken and stands in the hall.")
    (new,) = memory.remember("The hall is painted green by Wen.")
    memory.relate(new, "near", old)
    memory.forget(old)
    async with Client(mcp.server(memory)) as client:
        once = (await found(client, "recall", cue="green hall"))["once_known"]
        assert [stone["id"] for stone in once] == [old.id]
        nothing = await client.call_tool("recall", {"cue": "quantum chromodynamics"})
        assert nothing.structured_content["known"] == []
        assert "Nothing is known about that." in nothing.content[0].text


@running
async def test_the_tools_are_few_small_and_annotated(memory: Memory) -> None:
    """Each byte of a schema is paid for in every prompt; peers take 4 to 19 kB."""
    async with Client(mcp.server(memory)) as client:
        tools = (await client.list_tools()).tools
        size = len(json.dumps([t.model_dump(exclude_none=True, by_alias=True) for t in tools]))
        assert size <= 5_000
        names = [tool.name for tool in tools]
        assert names == [
            "remember",
            "recall",
            "look",
            "correct",
            "replace",
            "pin",
            "forget",
            "revive",
        ]
        hints = {
            tool.name: (
                tool.annotations.read_only_hint,
                tool.annotations.destructive_hint,
                tool.annotations.idempotent_hint,
            )
            for tool in tools
            if tool.annotations is not None
        }
        assert hints == {
            "remember": (False, False, False),
            "recall": (True, False, True),
            "look": (True, False, True),
            "correct": (False, False, False),
            "replace": (False, False, False),
            "pin": (False, False, True),
            "forget": (False, True, False),
            "revive": (False, False, False),
        }


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("sweep", {}, "There is no tool 'sweep'; there are remember, recall"),
        ("recall", {}, "recall needs cue."),
        ("correct", {}, "correct needs node and text."),
        ("recall", {"query": "tea"}, "recall takes no 'query'; it takes cue, tokens,"),
        ("recall", {"cue": 3}, "cue is of type string, not 3."),
        ("recall", {"cue": "tea", "tokens": 3}, "tokens is a number from 50 to 20000, not 3."),
        ("remember", {"text": ""}, "text is empty: give it some text."),
        ("remember", {"text": "  "}, "The text is empty or blank."),
        ("remember", {"text": "a\ud800"}, "The text has a lone surrogate at character 1."),
        ("remember", {"text": "a", "happened": "May"}, "happened is no date and time: write it"),
        ("recall", {"cue": "a", "since": "2026-05-03"}, "since has no offset: write it like 2026"),
        (
            "forget",
            {"node": 99},
            "There is nothing left of #99, or it never was; recall gives ids.",
        ),
        ("forget", {"node": 0}, "node is a number at least 1, not 0."),
        ("pin", {"node": True}, "node is of type integer, not true."),
        ("look", {"node": 99}, "There is nothing left of #99"),
        ("revive", {"node": 1, "version": 7}, "There is no such version of #1: look lists its"),
    ],
)
def test_a_mistake_is_told_in_the_tools_own_words(
    memory: Memory, tool: str, arguments: dict[str, Any], said: str
) -> None:
    memory.remember("The kettle is broken.")
    with pytest.raises(mcp.ToolMistakeError, match=re.escape(said)) as raised:
        mcp.call(memory, tool, arguments)
    assert not re.search(r"Error|\w\(\)|graphmem\.|None|\bstr\b|\bint\b", str(raised.value))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OwnerGoneError("gone"), "call correct again only if it was not"),
        (FullError(28, "no space", "m"), "Tell your user to make room"),
        (CorruptError("crc"), "`graphmem doctor`"),
        (ProtocolError("odd"), "Tell your user: odd"),
    ],
)
def test_what_the_model_cannot_mend_it_is_to_tell(error: GraphMemError, said: str) -> None:
    assert said in mcp.explained(error, "correct", 1)


def test_pinning_too_much_says_what_to_unpin(memory: Memory) -> None:
    for number in range(10):
        mcp.call(memory, "remember", {"text": f"Rule {number} is kept.", "pin": True})
    with pytest.raises(mcp.ToolMistakeError, match="pin with pinned false"):
        mcp.call(memory, "remember", {"text": "One rule more is kept.", "pin": True})


@running
async def test_left_out_may_be_null(memory: Memory) -> None:
    async with Client(mcp.server(memory)) as client:
        await found(client, "remember", text="The kettle is broken.", speaker=None, pin=None)
        assert (await found(client, "recall", cue="kettle", tokens=None))["known"]


@running
async def test_a_mistake_reaches_the_client_and_the_server_goes_on(memory: Memory) -> None:
    """The SDK masks what is raised in a tool, so that a model would learn nothing of it."""
    async with Client(mcp.server(memory)) as client:
        assert "recall gives ids" in await told(client, "forget", node=99)
        assert "recall takes no" in await told(client, "recall", cue="a", query="b")
        await found(client, "remember", text="The kettle is broken.")


@running
async def test_resources_and_the_prompt(memory: Memory) -> None:
    (node,) = memory.remember("The kettle is broken.")
    async with Client(mcp.server(memory)) as client:
        assert [r.uri for r in (await client.list_resources()).resources] == ["graphmem://stats"]
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "graphmem://node/{node}"
        stats = (await client.read_resource("graphmem://stats")).contents[0]
        assert json.loads(stats.text)["nodes"] == 1
        seen = (await client.read_resource(f"graphmem://node/{node.id}")).contents[0]
        assert json.loads(seen.text)["text"] == "The kettle is broken."
        with pytest.raises(MCPError, match="nothing left of #99"):
            await client.read_resource("graphmem://node/99")
        with pytest.raises(MCPError, match="There is no resource"):
            await client.read_resource("graphmem://else")
        (prompt,) = (await client.list_prompts()).prompts
        got = await client.get_prompt(prompt.name, {"topic": "tea"})
        assert got.messages[0].content.text.startswith("This is your memory")
        assert got.messages[0].content.text.endswith("first: tea")


@running
async def test_a_server_beside_an_agent(tmp_path: Path) -> None:
    """Both write to one folder; when the agent ends, the server goes on by itself."""
    with graphmem.reach(tmp_path / "m", worker="none", durability="os") as agent:
        async with stdio(tmp_path / "m") as client:
            agent.remember("The kettle is broken.")
            await found(client, "remember", text="The door is green.")
            assert len(agent) == 2
            agent.close()
            await found(client, "remember", text="The lift is out of order.")
            assert len((await found(client, "recall", cue="kettle door lift"))["known"]) == 3


@pytest.mark.slow
@running
async def test_two_servers_and_an_agent_lose_no_write(tmp_path: Path) -> None:
    """The most used peer rewrites its file whole: of two of its servers the last one wins."""
    folder = tmp_path / "m"
    async with stdio(folder) as first, stdio(folder) as second:
        await found(first, "remember", text="The first server is here.")

        async def write(client: Client, name: str) -> None:
            for number in range(15):
                await found(client, "remember", text=f"{name} wrote number {number}.", session=name)

        def agent() -> None:
            with graphmem.reach(folder, worker="none") as memory:
                for number in range(15):
                    memory.remember(f"The agent wrote number {number}.", session="agent")

        async with anyio.create_task_group() as group:
            group.start_soon(write, first, "one")
            group.start_soon(write, second, "two")
            group.start_soon(anyio.to_thread.run_sync, agent)
        known = (await found(second, "recall", cue="What did one write?", session="one"))["known"]
        assert known
    with graphmem.open(folder, worker="none") as memory:
        assert len({node.text for node in memory.nodes()}) == 46
        assert memory.check() == []


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind((mcp.HOST, 0))
        return int(bound.getsockname()[1])


@pytest.mark.slow
@running
async def test_http_wants_the_token_the_host_and_the_origin(tmp_path: Path) -> None:
    """Any page that a browser shows can send requests to a port of the same machine."""
    port = free_port()
    address = f"http://127.0.0.1:{port}/mcp"
    started = subprocess.Popen(
        [sys.executable, "-m", "graphmem", "mcp", str(tmp_path / "m"), "--http", str(port)],
        env=ENVIRONMENT, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert started.stderr is not None
        assert started.stderr.readline().endswith(f"at {address}\n")
        shown = started.stderr.readline().removeprefix("Authorization: Bearer ").strip()
        right = {"Authorization": f"Bearer {shown}"}
        async with create_mcp_http_client() as plain:
            for _ in range(100):
                try:
                    refused = await plain.post(address, json={})
                    break
                except OSError:
                    await anyio.sleep(0.05)
                except Exception as error:
                    if "Connect" not in type(error).__name__:
                        raise
                    await anyio.sleep(0.05)
            assert refused.status_code == 401
            for wrong in ({"Authorization": "Bearer x"}, {"Authorization": shown}):
                assert (await plain.post(address, json={}, headers=wrong)).status_code == 401
            accept = {"Accept": "application/json, text/event-stream"}
            ask = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            for odd in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
                answer = await plain.post(address, json=ask, headers=right | accept | odd)
                assert answer.status_code in (403, 421)
        async with (
            create_mcp_http_client(headers=right) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            await found(client, "remember", text="The kettle is broken.")
            assert (await found(client, "recall", cue="kettle"))["known"]
    finally:
        started.kill()
        started.communicate()
