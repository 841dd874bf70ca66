"""A document without its date or its reason cannot be cited."""

import asyncio

import pytest

import graphmem
from graphmem.errors import ArgumentTypeError

pytest.importorskip("langchain_core.retrievers")
pytestmark = pytest.mark.slow  # LangChain takes a second to load


def test_documents_say_who_when_and_why() -> None:
    from graphmem.integrations.langchain import GraphmemRetriever

    with graphmem.open(worker="none") as memory:
        memory.remember(
            "Wen moved the release to May 10.", speaker="Wen", happened="2026-05-03T09:00:00+02:00"
        )
        memory.remember("The kettle is red.", session="kitchen")
        retriever = GraphmemRetriever(memory=memory, options={"limit": 1, "use": False})
        found = retriever.invoke("When is the release?")
        assert [document.page_content for document in found] == ["Wen moved the release to May 10."]
        told = found[0].metadata
        assert (found[0].id, told["id"], told["speaker"]) == ("1", 1, "Wen")
        assert told["happened"] == "2026-05-03T09:00:00+02:00"
        assert told["score"] > 0
        assert "shares words" in told["why"]
        again = asyncio.run(retriever.ainvoke("kettle"))
        assert again[0].metadata["session"] == "kitchen"


@pytest.mark.parametrize(("options", "uses"), [({}, 0), ({"use": False}, 0), ({"use": True}, 1)])
def test_it_only_reads_unless_it_is_told_to_count(options: dict[str, bool], uses: int) -> None:
    """Each retrieval counted a use and made links, of which its page says the opposite."""
    from graphmem.integrations.langchain import GraphmemRetriever

    with graphmem.open(worker="none") as memory:
        memory.remember("Wen moved the release to May 10.")
        for number in range(6):
            memory.remember(f"The kettle of room {number} is red.")
        memory.admin.flush()
        focus, links = list(memory.graph.focus), memory.admin.stats()["links"]
        GraphmemRetriever(memory=memory, options=options).invoke("When is the release?")
        memory.admin.flush()
        assert memory[1].uses == uses
        assert (list(memory.graph.focus) == focus) == (not uses)
        assert (memory.admin.stats()["links"] == links) == (not uses)


def test_a_path_is_no_memory() -> None:
    """It failed at the first call, with an AttributeError of str."""
    from graphmem.integrations.langchain import GraphmemRetriever

    with pytest.raises(ArgumentTypeError, match=r"graphmem\.reach returned, got str"):
        GraphmemRetriever(memory="agent-memory")
