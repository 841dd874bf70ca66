"""An agent whose tool fails with a traceback learns nothing, and one whose id is wrong guesses."""

from typing import Any

import pytest

import graphmem
from graphmem.errors import InvalidArgumentError

pytest.importorskip("pydantic_ai", reason="the toolset needs the extra pydantic-ai")


def test_a_scripted_agent_remembers_corrects_itself_and_recalls() -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from graphmem.integrations.pydantic_ai import MemoryToolset

    calls: list[tuple[str, dict[str, Any]]] = [
        ("remember", {"text": "The release is on May 10.", "speaker": "Wen"}),
        ("pin", {"node": 99}),
        ("pin", {"node": "#1"}),
        ("recall", {"cue": "When is the release?"}),
    ]
    seen: list[str] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert {tool.name for tool in info.function_tools} >= {"recall", "remember", "look"}
        assert "This is your memory" in (info.instructions or "")
        last: Any = messages[-1].parts[-1]
        seen.append(str(last.content))
        if not calls:
            return ModelResponse(parts=[TextPart(seen[-1])])
        name, given = calls.pop(0)
        return ModelResponse(parts=[ToolCallPart(name, given)])

    with graphmem.open(None, worker="none") as memory:
        agent = Agent(FunctionModel(model), toolsets=[MemoryToolset(memory)], retries=2)
        answer = agent.run_sync("When is the release?").output
        assert answer.endswith("Wen] The release is on May 10.")
        assert memory[1].pinned
    assert seen[1] == "Remembered as #1."
    assert seen[2].startswith("There is nothing left of #99")


def test_some_of_the_tools_can_be_chosen() -> None:
    from graphmem.integrations.pydantic_ai import MemoryToolset

    with graphmem.open(None, worker="none") as memory:
        assert set(MemoryToolset(memory, tools=["recall"]).tools) == {"recall"}
        with pytest.raises(InvalidArgumentError, match="there is no tool 'sweep'"):
            MemoryToolset(memory, tools=["sweep"])
