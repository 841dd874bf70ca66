"""A recipe that a framework does not take is worse than none."""

import asyncio
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

import graphmem

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"


def recipe(name: str, folder: Path) -> dict[str, Any]:
    """The names that the functions and the recipe of a framework make, run on a folder."""
    text = PAGE.read_text("utf-8").partition("## Other frameworks\n")[2].partition("\n## ")[0]
    functions, *recipes = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    (chosen,) = (code for code in recipes if name in code)
    tools = ModuleType("memory_tools")
    exec(functions.replace('"agent-memory"', repr(str(folder))), vars(tools))
    names: dict[str, Any] = {**vars(tools), "__name__": "recipe"}  # the module of its classes
    with patch.dict(sys.modules, memory_tools=tools):
        exec(chosen, names)
    return names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("The release is on May 10.")
    return tmp_path / "m"


@pytest.mark.slow
def test_llama_index_takes_the_functions(folder: Path) -> None:
    pytest.importorskip("llama_index.core", reason="the recipe needs llama-index-core")
    made = recipe("llama_index", folder)
    with made["memory"]:
        recall, remember = made["tools"]
        remember.call(text="The audit is late.", speaker="Iris")
        assert "The release is on May 10." in str(recall.call(cue="When is the release?"))
        assert "Iris] The audit is late." in str(recall.call(cue="audit"))


@pytest.mark.slow
def test_ag2_takes_the_functions(folder: Path) -> None:
    testing = pytest.importorskip("ag2.testing", reason="the recipe needs ag2")
    made = recipe("ag2", folder)

    async def asked() -> str:
        from ag2.events import ToolCallEvent, ToolResultsEvent

        told = '{"text": "The audit is late.", "speaker": "Iris"}'
        script = testing.TestConfig(
            ToolCallEvent(name="remember", arguments=told),
            ToolCallEvent(name="recall", arguments='{"cue": "When is the release?"}'),
            "It is on May 10.",
        )
        reply = await made["agent"].ask("When is the release?", config=script)
        assert reply.body == "It is on May 10."
        events = await reply.history.get_events()
        return str([event for event in events if isinstance(event, ToolResultsEvent)])

    with made["memory"]:
        assert "The release is on May 10." in asyncio.run(asked())
        assert "Iris] The audit is late." in made["recall"]("audit")


@pytest.mark.slow
def test_google_adk_takes_the_functions(folder: Path) -> None:
    pytest.importorskip("google.adk", reason="the recipe needs google-adk")
    made = recipe("google.adk", folder)

    async def asked() -> str:
        recall, _ = await made["agent"].canonical_tools()
        assert (recall.name, "cue: a question" in recall.description) == ("recall", True)
        return str(await recall.run_async(args={"cue": "When is it?"}, tool_context=None))

    with made["memory"]:
        assert "The release is on May 10." in asyncio.run(asked())


@pytest.mark.slow
def test_crewai_takes_the_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crew keeps its result, another crew is told it before its task, a reset erases it."""
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")
    crewai = pytest.importorskip("crewai", reason="the recipe needs crewai")
    made = recipe("crewai", folder)
    asked: list[str] = []

    class Scripted(crewai.BaseLLM):  # type: ignore[misc]
        def call(self, messages: Any, *_: Any, **__: Any) -> str:
            asked.append(str(messages))
            return str(self.model)

    def crew(task: str) -> Any:
        model = Scripted(model="Thought: I know.\nFinal Answer: It is two weeks late.")
        clerk = crewai.Agent(role="Clerk", goal="answer", backstory="-", llm=model)
        todo = crewai.Task(description=task, expected_output="a sentence", agent=clerk)
        return crewai.Crew(agents=[clerk], tasks=[todo], memory=made["long_term"])

    extracts = Scripted(model='{"memories": ["The audit is two weeks late."]}')
    made["long_term"]._llm_instance = extracts
    with made["memory"]:
        crew("How late is the audit?").kickoff()
        assert [node.speaker for node in made["crew"]] == ["Clerk"]
        asked.clear()
        second = crew("Tell Iris about the audit.")
        second.kickoff()
        assert "The audit is two weeks late." in asked[0]
        search, save = second._add_memory_tools([], made["long_term"])
        save.run(contents=["Iris was told."])
        assert "Iris was told." in search.run(queries=["Iris"])
        second.reset_memories("memory")
        assert (len(made["crew"]), len(made["memory"])) == (0, 1)
