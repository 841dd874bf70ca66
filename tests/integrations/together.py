"""A graph of LangGraph, an agent of the OpenAI SDK, Claude's memory tool, a notebook, the shell, the
page and an MCP client on one folder at once. Models are scripted."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypedDict
from urllib.parse import urljoin
from urllib.request import HTTPCookieProcessor, build_opener

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from IPython.core.interactiveshell import InteractiveShell
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import graphmem
from graphmem.integrations.checkpoints import GraphmemSaver
from graphmem.integrations.claude import MemoryTool
from graphmem.integrations.langchain import GraphmemRetriever
from graphmem.integrations.langgraph import GraphmemStore
from graphmem.integrations.openai_agents import GraphmemSession

FOLDER = "team-memory"


class State(TypedDict):
    question: str
    answer: str


def graph(memory: graphmem.Reached) -> None:
    """A node that keeps a preference in the store, and one that asks the memory."""

    def note(state: State, *, store: BaseStore) -> None:
        store.put(("users", "wen"), "language", {"speaks": "Chinese"})

    def answer(state: State) -> dict[str, str]:
        found = GraphmemRetriever(memory=memory, options={"limit": 1}).invoke(state["question"])
        return {"answer": found[0].page_content}

    built = StateGraph(State)
    built.add_node("note", note)
    built.add_node("answer", answer)
    built.add_edge(START, "note")
    built.add_edge("note", "answer")
    built.add_edge("answer", END)
    compiled = built.compile(store=GraphmemStore(memory), checkpointer=GraphmemSaver(memory))
    thread: Any = {"configurable": {"thread_id": "desk-1"}}
    compiled.invoke({"question": "When is the release?"}, thread)
    print("graph:", compiled.get_state(thread).values["answer"])


def claude(memory: graphmem.Reached) -> None:
    """What Claude asks of its memory tool."""
    path = "/memories/release.md"
    note = {"command": "create", "path": path, "file_text": "It waits for the audit."}
    block = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": note}
    print("claude:", MemoryTool(memory).answer(block)["content"])


async def agent(memory: graphmem.Reached) -> None:
    """A model that calls a tool before it answers; its session makes memories."""

    def recall(cue: str) -> str:
        return memory.recall(cue, tokens=100).text

    model = ScriptedModel(
        [
            [function_call("recall", {"cue": "audit"}, call_id="1")],
            [assistant_message("The audit is two weeks late, so is the release.")],
        ]
    )
    clerk = Agent(name="Clerk", model=model, tools=[function_tool(recall)])
    session = GraphmemSession(memory, "desk-1")
    quiet = RunConfig(tracing_disabled=True)
    result = await Runner.run(clerk, "How late is the audit?", session=session, run_config=quiet)
    print("agent:", result.final_output)


async def client(session: Client) -> None:
    """A chat program, whose `graphmem mcp` attaches to whoever has the folder open."""
    await session.call_tool("remember", {"text": "Iris says that the audit is two weeks late."})
    await session.call_tool("remember", {"text": "The release is on May 10."})
    result = await session.call_tool("recall", {"cue": "When is the release?"})
    line = result.content[0].text.splitlines()[0]  # "#2 [2026-05-03] The release …"
    print("client:", line.partition("] ")[2])


def notebook() -> None:
    """A cell, and what the notebook shows below it."""
    kernel = InteractiveShell.instance()
    kernel.run_cell(f"import graphmem; memory = graphmem.attach({FOLDER!r})")
    found = kernel.ev("memory.recall('How late is the audit?', limit=1)")
    table = kernel.display_formatter.format(found)[0]["text/html"]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", table)
    print("notebook:", next(cell for cell in cells if "audit" in cell))
    kernel.run_cell("memory.close()")


def shell() -> None:
    """Somebody at the command line corrects what the client has said."""
    typed = (
        "memory.replace(2, 'The release is on May 24.')\nmemory.recall('release', limit=1).text\n"
    )
    command = [sys.executable, "-m", "graphmem", "shell", FOLDER]
    ended = subprocess.run(command, input=typed, capture_output=True, text=True, check=True)
    print("shell:", ended.stdout.splitlines()[-1].partition("] ")[2].rstrip("'"))


@contextmanager
def page() -> Iterator[Callable[[str], Any]]:
    """`graphmem view`, as a browser asks its server."""
    command = [sys.executable, "-m", "graphmem", "view", FOLDER, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        browser = build_opener(HTTPCookieProcessor())
        browser.open(address).close()
        yield lambda asked: json.load(browser.open(urljoin(address, asked)))
        server.terminate()


async def main() -> None:
    command = ["-m", "graphmem", "mcp", FOLDER]
    # The SDK passes on few variables: without PYTHONPATH another checkout's server may start.
    started = StdioServerParameters(command=sys.executable, args=command, env={**os.environ})
    server = stdio_client(started)
    with graphmem.reach(FOLDER, worker="none") as memory, page() as browse:
        async with Client(server) as session:
            await client(session)
            graph(memory)
            await agent(memory)
            claude(memory)
            notebook()
            shell()
            hits = browse("/api/recall?cue=release")["hits"]
            print("page:", hits[0]["text"])
            result = await session.call_tool("recall", {"cue": "When is the release?"})
            print("client:", result.content[0].text.splitlines()[0].partition("] ")[2])
        print("store:", GraphmemStore(memory).get(("users", "wen"), "language").value)
        said = memory.nodes(where=graphmem.Where(session="openai-agents:desk-1"))
        print("session:", [f"{node.speaker}: {node.text}" for node in said])


asyncio.run(main())
