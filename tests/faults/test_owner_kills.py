"""Two MCP servers and an agent on one folder, while whoever has it open is killed again and again:
what was acknowledged is there, and what was in doubt and looked up is there once."""

import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

import graphmem
from graphmem.errors import GraphMemError
from tests.interfaces.test_mcp import ENVIRONMENT, running, said, stdio

KILLS = 10
WRITES = 334  # of each of the three
AGENT = """
import sys, graphmem
from graphmem.errors import OwnerGoneError
folder, number, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with graphmem.reach(folder, worker="none", durability="os") as memory:
    while number < last:
        text = f"Writer agent notes number {number} now."
        in_doubt = True
        while in_doubt:
            try:
                if not any(node.text == text for node in memory.nodes(words=text)):
                    memory.remember(text, session="agent")
                in_doubt = False
            except OwnerGoneError:
                pass
        print(number, flush=True)
        number += 1
"""


def text_of(name: str, number: int) -> str:
    return f"Writer {name} notes number {number} now."


class Progress:
    """How many writes of each writer were acknowledged."""

    def __init__(self) -> None:
        self.done = Counter[str]()

    @property
    def total(self) -> int:
        return sum(self.done.values())


async def write(folder: Path, name: str, progress: Progress) -> None:
    """Write through a server, as a chat program does: it starts another one when one has gone."""
    in_doubt = False
    while progress.done[name] < WRITES:
        with suppress(Exception):  # the server was killed; it is not said how the SDK tells it
            async with stdio(folder) as client:
                while progress.done[name] < WRITES:
                    text = text_of(name, progress.done[name])
                    if in_doubt and text in await said(client, "recall", cue=text, session=name):
                        progress.done[name] += 1
                        in_doubt = False
                        continue
                    in_doubt = True
                    written = await client.call_tool("remember", {"text": text, "session": name})
                    if not written.is_error:
                        progress.done[name] += 1
                        in_doubt = False


def run_agent(folder: Path, progress: Progress) -> None:
    while progress.done["agent"] < WRITES:
        began, last = str(progress.done["agent"]), str(WRITES)
        with subprocess.Popen(
            [sys.executable, "-c", AGENT, str(folder), began, last],
            env=ENVIRONMENT, stdout=subprocess.PIPE, text=True,
        ) as agent:  # fmt: skip
            assert agent.stdout is not None
            for line in agent.stdout:
                if line.endswith("\n"):
                    progress.done["agent"] = int(line) + 1
        assert agent.returncode in (0, -signal.SIGKILL)


async def kill_owners(folder: Path, progress: Progress) -> None:
    for number in range(KILLS):
        while progress.total < (number + 0.5) * 3 * WRITES / KILLS:
            await anyio.sleep(0.01)
        killed = False
        while not killed:
            with suppress(GraphMemError), graphmem.attach(folder) as attached:
                os.kill(attached.owner_pid, signal.SIGKILL)
                killed = True
            await anyio.sleep(0.01)


@pytest.mark.faults
@pytest.mark.timeout(300)
@running
async def test_no_write_is_lost_when_owners_are_killed(tmp_path: Path) -> None:
    folder, progress = tmp_path / "m", Progress()
    graphmem.open(folder, worker="none").close()
    async with anyio.create_task_group() as group:
        group.start_soon(write, folder, "one", progress)
        group.start_soon(write, folder, "two", progress)
        group.start_soon(anyio.to_thread.run_sync, run_agent, folder, progress)
        group.start_soon(kill_owners, folder, progress)
    with graphmem.open(folder, worker="none") as memory:
        texts = Counter(node.text for node in memory)
        assert texts == Counter(
            text_of(name, number) for name in ("one", "two", "agent") for number in range(WRITES)
        )
        assert memory.admin.check() == []
