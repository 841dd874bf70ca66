"""The MCP server over standard input and output, beside a bare server of the same SDK.

The official SDK's client starts both, and calls them in turns: the bare server's one tool does
nothing, so what a call of ours takes above it is what the memory and its answers cost. CPU is that
of the server's process, read before and after each call.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import graphmem
from bench.report import Row

if TYPE_CHECKING:
    from mcp.client.client import Client

HELP: Final = "recall and remember through MCP beside a bare server"
_ROOT: Final = Path(__file__).parents[1]
_NAMES: Final = ("Wen", "Ada", "Bo", "Iris")
_WARM: Final = 10  # calls of each kind before those that count
# The process writes its id, which the SDK's client does not expose, and becomes the server.
_START: Final = 'echo $$ >"$0" && exec "$@"'
_BARE: Final = """
import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOL = types.Tool(name="nothing", input_schema={"type": "object"})

async def listed(context, asked):
    return types.ListToolsResult(tools=[TOOL])

async def called(context, asked):
    return types.CallToolResult(content=[types.TextContent(type="text", text="nothing")])

async def serve():
    server = Server("bare", on_list_tools=listed, on_call_tool=called)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

anyio.run(serve)
"""


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs, as its client sees it."""

    client: Client
    clock: int  # of the CPU time of its process
    ready: float  # seconds from its start until it has answered `initialize`
    ready_cpu: float

    async def took(self, tool: str, given: dict[str, Any]) -> tuple[float, float]:
        """Wall and CPU time of a call, in milliseconds. Raises RuntimeError if the tool fails."""
        begun, spent = time.perf_counter(), time.clock_gettime(self.clock)
        result = await self.client.call_tool(tool, given)
        wall, cpu = time.perf_counter() - begun, time.clock_gettime(self.clock) - spent
        if result.is_error or (tool == "recall" and not result.meta["graphmem/ids"]):
            raise RuntimeError(f"{tool} {given}: {result.content}")
        return 1e3 * wall, 1e3 * cpu


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--notes", type=int, default=10_000, help="in the memory (%(default)s)")
    parser.add_argument("--calls", type=int, default=200, help="of each kind (%(default)s)")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure, and return the rows."""
    if find_spec("mcp") is None:
        print("The MCP SDK is not installed: this bench is left out (pip install '.[mcp]').")
        return []
    import anyio

    with TemporaryDirectory(prefix="graphmem-bench-") as place:
        random = Random(5)
        with graphmem.open(Path(place) / "memory", worker="none") as memory:
            memory.remember_many(_note(random, number) for number in range(arguments.notes))
        return anyio.run(_measured, Path(place), arguments.notes, arguments.calls)


def _note(random: Random, number: int) -> str:
    return (
        f"{random.choice(_NAMES)} spoke of the topic{random.randrange(99)} and the "
        f"subject{random.randrange(999)}, for the {number:,}th time."
    )


async def _measured(place: Path, notes: int, calls: int) -> list[Row]:
    random = Random(7)
    times: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    servers = {
        "bare": [sys.executable, "-c", _BARE],
        "ours": [sys.executable, "-m", "graphmem", "mcp", str(place / "memory")],
    }
    for name, command in servers.items():
        async with _serving(place / name, command):
            pass  # what it loads is compiled now
    bare, ours = (_serving(place / name, command) for name, command in servers.items())
    async with bare as theirs, ours as own:
        opened = own.ready * 1e3 + (await own.took("recall", {"cue": "What did Wen say?"}))[0]
        for number in range(_WARM + calls):
            cue = f"What did {random.choice(_NAMES)} say of the topic{random.randrange(99)}?"
            for served, tool, given in (
                (theirs, "nothing", {}),
                (own, "recall", {"cue": cue}),
                (own, "remember", {"text": _note(random, notes + number)}),
            ):
                took = await served.took(tool, given)
                if number >= _WARM:
                    times[tool].append(took)
    dataset = f"{notes:,} notes"

    def row(method: str, metric: str, value: float, unit: str = "ms") -> Row:
        return Row("mcp", dataset, method, metric, value, unit)

    rows = []
    for method, served in (("bare server", theirs), ("graphmem", own)):
        rows.append(row(method, "ready", served.ready, "s"))
        rows.append(row(method, "ready, CPU", served.ready_cpu, "s"))
    rows.append(row("graphmem", "ready and first recall", opened / 1e3, "s"))
    for place_, kind in enumerate(("wall", "CPU")):
        floor, *values = (median(took[place_] for took in times[tool]) for tool in times)
        rows.append(row("bare server", f"call, {kind}", floor))
        for tool, value in zip(("recall", "remember"), values, strict=True):
            rows.append(row("graphmem", f"{tool}, {kind}", value))
            rows.append(row("graphmem", f"{tool} above a bare call, {kind}", value - floor))
    return rows


@asynccontextmanager
async def _serving(file: Path, command: list[str]) -> AsyncIterator[Served]:
    """A server that the SDK's client starts; `file` is written."""
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    paths = os.pathsep.join((str(_ROOT), str(_ROOT / "worker")))
    environment = {**os.environ, "GRAPHMEM_WORKER": "none", "PYTHONPATH": paths}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else each start compiles everything
    started = StdioServerParameters(
        command="sh", args=["-c", _START, str(file), *command], env=environment
    )
    begun = time.perf_counter()
    async with Client(stdio_client(started)) as client:
        ready = time.perf_counter() - begun
        # Linux's clock of the CPU time of all threads of a process: ~pid << 3 | CPUCLOCK_SCHED.
        clock = ~int(file.read_text("ascii")) << 3 | 2
        yield Served(client, clock, ready, time.clock_gettime(clock))
