"""A turn that was taken back would be recalled in another conversation; one that is lost is asked
again."""

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.errors import ArgumentTypeError, InvalidArgumentError

# The SDK takes two seconds to load, which whoever only collects the tests need not wait for.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("agents") is None, reason="needs the Agents SDK"),
]

SECRET = "The vault opens with quadrille."


def test_erasing_a_turn_erases_the_memories_made_of_it(tmp_path: Path) -> None:
    from graphmem.integrations.openai_agents import GraphmemSession

    folder = tmp_path / "memory"

    def stored() -> bytes:
        return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())

    async def talk(memory: graphmem.Memory) -> None:
        session = GraphmemSession(memory, "one")
        await session.add_items(
            [
                {"role": "user", "content": "Wen moved the release to May 10."},
                {"role": "user", "content": [{"type": "input_text", "text": SECRET}]},
                {"role": "user", "content": SECRET},
                {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "1"},
            ]
        )
        assert len(memory) == 2
        assert (
            memory.recall("release", where=graphmem.Where(session=session.name))[0].node.speaker
            == "user"
        )
        for _ in range(2):
            await session.pop_item()
        assert len(memory) == 2  # one item is left that says it
        await session.pop_item()
        assert [node.text for node in memory] == ["Wen moved the release to May 10."]
        memory.correct(next(iter(memory)), "Wen moved the release to June quadrille.")
        memory.remember("The kettle is red.")
        await session.clear_session()
        assert await session.get_items() == []
        assert [node.text for node in memory] == ["The kettle is red."]
        assert b"quadrille" not in stored()
        for take_back in (session.pop_item, session.clear_session):
            # The memories were erased, and what was said stayed in the files, as the item.
            for said in ({"role": "user", "content": SECRET}, {"type": "reasoning", "id": SECRET}):
                await session.add_items([said])
                assert b"quadrille" in stored()
                await take_back()
                assert b"quadrille" not in stored()
        assert memory.admin.check() == []

    with graphmem.open(folder, worker="none") as memory:
        asyncio.run(talk(memory))
        assert memory.admin.stats()["erasing"] == 0
    assert b"quadrille" not in stored()


def test_taking_a_turn_back_reads_no_history_and_rewrites_the_files_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All items were listed for the last one, and the files rewritten for its memories and again
    for itself."""
    from graphmem.integrations.openai_agents import GraphmemSession
    from graphmem.runtime import erasing
    from graphmem.runtime.open_scope import OpenScope
    from graphmem.sharing.item_store import ItemStore

    calls: list[str] = []
    compact, walk = erasing.compact, ItemStore.walk

    def compacted(scope: OpenScope) -> None:
        calls.append("compact")
        compact(scope)

    def walked(*given: Any, **named: Any) -> Iterator[Any]:
        for item in walk(*given, **named):
            calls.append("item")
            yield item

    monkeypatch.setattr(erasing, "compact", compacted)
    monkeypatch.setattr(ItemStore, "walk", walked)

    async def talk(memory: graphmem.Memory) -> None:
        session = GraphmemSession(memory, "one")
        await session.add_items(
            [{"role": "user", "content": f"Wen paid {k} euros to Karlsson."} for k in range(100)]
        )
        for made in ([{"role": "user", "content": SECRET}], [{"type": "reasoning", "id": "1"}]):
            await session.add_items(made)
            calls.clear()
            assert await session.pop_item() == made[0]
            assert calls.count("compact") <= 2
            assert calls.count("item") < 20
        assert len(await session.get_items()) == len(memory) == 100

    with graphmem.open(worker="none") as memory:
        asyncio.run(talk(memory))
        assert memory.admin.check() == []


def test_a_turn_whose_taking_back_was_cut_short_is_still_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was gone, nobody got it, and the next call took back the turn before it."""
    from graphmem.integrations.openai_agents import GraphmemSession

    async def talk(memory: graphmem.Memory) -> None:
        session = GraphmemSession(memory, "one")
        turns = [{"role": "user", "content": text} for text in ("Wen paid in May.", SECRET)]
        await session.add_items(turns)
        with monkeypatch.context() as patch:
            patch.setattr(type(memory), "forget", lambda *_, **__: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                await session.pop_item()
        assert await session.get_items() == turns
        assert len(memory) == 2
        assert await session.pop_item() == turns[1]
        assert await session.pop_item() == turns[0]
        assert len(memory) == 0
        assert memory.items.list(session.name) == []

    with graphmem.open(worker="none") as memory:
        asyncio.run(talk(memory))


def test_two_programs_add_to_one_session(tmp_path: Path) -> None:
    from graphmem.integrations.openai_agents import GraphmemSession

    folder = tmp_path / "memory"

    async def add(memory: graphmem.Memory | graphmem.Attached, name: str) -> None:
        session = GraphmemSession(memory, "one", remember=False)
        for number in range(10):
            await session.add_items([{"role": "user", "content": f"{name}{number}"}] * 2)

    async def both() -> list[str]:
        with graphmem.open(folder, worker="none") as memory, graphmem.attach(folder) as attached:
            await asyncio.gather(add(memory, "a"), add(attached, "b"))
            found = await GraphmemSession(memory, "one").get_items()
            assert len(memory) == 0
            return [item["content"] for item in found]

    said = asyncio.run(both())
    assert sorted(said) == sorted(f"{name}{n}" for name in "ab" for n in range(10) for _ in "12")
    assert said[::2] == said[1::2]  # the items of one call stand together


def test_a_path_is_no_memory() -> None:
    """It failed at the first call, with an AttributeError of str."""
    from graphmem.integrations.openai_agents import GraphmemSession

    with pytest.raises(ArgumentTypeError, match=r"graphmem\.reach returned, got str"):
        GraphmemSession("agent-memory", "wen-1")  # type: ignore[arg-type]


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_a_conversation_has_a_name(tmp_path: Path, blank: str) -> None:
    """Programs whose ids were blank by mistake would have shared one history."""
    from graphmem.integrations.openai_agents import GraphmemSession

    with (
        graphmem.open(tmp_path / "m", worker="none") as memory,
        pytest.raises(InvalidArgumentError, match="session_id"),
    ):
        GraphmemSession(memory, blank)
