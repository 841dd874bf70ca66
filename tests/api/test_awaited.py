"""A program that awaits stands still while a thread of its own would have waited for the disk."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from runpy import run_path
from threading import Event, current_thread, get_ident
from threading import enumerate as enumerate_threads
from typing import Any

import pytest

import graphmem
import graphmem.aio
from graphmem.api.verbs import Verbs
from graphmem.declaring import own_verbs_of
from graphmem.errors import ClosedError, InvalidArgumentError, MissingError


def running(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """A coroutine as a test."""

    @wraps(test)
    def run(**fixtures: Any) -> None:
        asyncio.run(asyncio.wait_for(test(**fixtures), 60))  # type: ignore[arg-type]

    return run


@running
async def test_verbs_and_nouns_are_awaited(tmp_path: Path) -> None:
    async with graphmem.aio.open(tmp_path / "m", worker="none") as memory:
        (node,) = await memory.remember("Wen moved the release from May 3 to May 10.")
        found = await memory.recall("When is the release?", tokens=100, use=False)
        assert found[0].id == node.id
        assert (await memory[node]).text == node.text
        assert await memory.graph.focus == [await memory[node]]
        await memory.items.put("plans", "audit", {"weeks": 2})
        assert [item.key for item in await memory.items.list("plans")] == ["audit"]
        await memory.pool("team").write("audit", "late")
        assert (await memory.pool("team").read("audit")).value == "late"  # type: ignore[union-attr]
        other = await memory.scopes.open("other")
        await other.remember("另一个。")
        assert [other.name, await memory.scopes.names()] == ["other", ["default", "other"]]
        with pytest.raises(InvalidArgumentError):
            await memory.recall("x", limit=-1)
    with pytest.raises(ClosedError):
        await memory.recall("x")
    with pytest.raises(MissingError):
        await graphmem.aio.open(tmp_path / "not" / "there")


@running
async def test_a_listing_is_read_page_by_page_in_the_thread(tmp_path: Path) -> None:
    async with graphmem.aio.open(worker="none") as memory:
        await memory.remember_many([f"Note {number}." for number in range(150)])
        assert [node.text async for node in memory.nodes()] == [
            f"Note {number}." for number in range(150)
        ]
        assert len([node async for node in memory]) == 150
        async for node in memory.nodes(reverse=True):
            assert node.text == "Note 149."
            break


@running
async def test_what_cannot_be_awaited_is_refused_with_what_to_await() -> None:
    """`1 in memory` and `list(memory)` never returned, and froze the loop: Python asked for
    memory[0], memory[1] and so on, and each was something to await."""
    async with graphmem.aio.open(worker="none") as memory:
        await memory.remember("Chiara climbs in Arco.")
        nouns = [memory, memory.themes, memory.graph.facts]
        for noun, name in zip(
            nouns, ["memory", "memory.themes", "memory.graph.facts"], strict=True
        ):
            with pytest.raises(TypeError, match=rf"await memory.run\(lambda memory: … in {name}\)"):
                _ = 1 in noun  # type: ignore[operator]
            with pytest.raises(TypeError, match=rf"read {name} with `async for`"):
                list(noun)  # type: ignore[call-overload]
            with pytest.raises(TypeError, match=rf"await memory.run\(lambda memory: len\({name}\)"):
                len(noun)  # type: ignore[arg-type]
        assert memory
        assert await memory.run(lambda memory: 1 in memory and len(memory) == 1)


@running
async def test_a_noun_that_is_a_listing_is_listed() -> None:
    """`async for theme in memory.themes` was a TypeError that named an internal class, though the
    error for an unknown theme advises just that."""
    async with graphmem.aio.open(worker="none") as memory:
        assert [theme async for theme in memory.themes] == []
        put = "https://a.example/s", "https://a.example/p", "o"
        await memory.graph.facts.put(*put)
        assert len([fact async for fact in memory.graph.facts]) == 1
        assert memory.graph.facts, "how many there are cannot be awaited, and is not asked"


@running
async def test_the_loop_goes_on_and_calls_take_turns() -> None:
    threads: list[int] = []
    go = Event()
    async with graphmem.aio.open(worker="none") as memory:

        def slow(inner: Verbs) -> str:
            threads.append(get_ident())
            assert go.wait(10), "the loop stood still"
            with inner.transaction():
                inner.remember("The audit is late.")
                inner.items.put("plans", "audit", 1)
            return current_thread().name

        ran = asyncio.gather(*(memory.run(slow) for _ in range(5)))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not ran.done()
        go.set()
        assert all(name.startswith("graphmem-aio") for name in await ran)
        assert {*threads} == {threads[0]}
        with pytest.raises(InvalidArgumentError, match=r"await memory\.run"):
            memory.transaction()  # type: ignore[attr-defined]


@running
async def test_a_wait_for_changes_holds_nobody_up_and_can_be_cancelled() -> None:
    async with graphmem.aio.open(worker="none") as memory:
        last = (await memory.history.changes(0)).last
        waiting = asyncio.create_task(memory.history.changes(last, wait=3600))
        await asyncio.sleep(0.05)
        await memory.items.put("plans", "audit", 1)
        assert [change.key for change in await waiting] == ["audit"]
        assert not await memory.history.changes((await memory.history.changes(0)).last, wait=0.05)
        cancelled = asyncio.create_task(memory.items.changes(wait=3600))
        await asyncio.sleep(0.05)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        while any(thread.name.startswith("graphmem-aio-wait") for thread in enumerate_threads()):
            await asyncio.sleep(0.02)  # within a second: nobody is told what it waits for


@running
async def test_waits_for_changes_leave_asyncios_pool_to_the_program() -> None:
    """They sat in its few threads: eight of them held up the program's own `to_thread`, and the
    looking up of addresses, by as many seconds as they waited."""
    with ThreadPoolExecutor(1, "program") as pool:
        asyncio.get_running_loop().set_default_executor(pool)
        async with graphmem.aio.open(worker="none") as memory:
            last = (await memory.items.changes(0)).last
            waits = (memory.items.changes(last, wait=3600) for _ in range(20))
            waiting = list(map(asyncio.create_task, waits))
            await asyncio.sleep(0)
            used = await asyncio.wait_for(asyncio.to_thread(current_thread), 5)
            assert used.name.startswith("program")
            await memory.items.put("plans", "audit", 1)
            for told in await asyncio.gather(*waiting):
                assert [change.key for change in told] == ["audit"]


@running
async def test_a_memory_whose_opening_was_cancelled_is_closed(tmp_path: Path) -> None:
    async def opening() -> None:
        async with graphmem.aio.open(tmp_path / "m", worker="none"):
            await asyncio.sleep(60)

    for wait in range(8):
        task = asyncio.create_task(opening())
        await asyncio.sleep(wait / 500)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        graphmem.open(tmp_path / "m", worker="none").close()  # at once


def test_the_types_are_those_of_the_declarations() -> None:
    """A verb without a type here is one that an editor does not know."""
    made = run_path(str(Path(__file__).parents[2] / ".ci" / "async_stub.py"))["stub"]()
    assert Path(graphmem.aio.__file__).with_suffix(".pyi").read_text("utf-8") == made
    for verb in own_verbs_of(Verbs).values():
        if not verb.owner_only and not verb.method.startswith("__"):
            assert f"def {verb.method}(" in made
