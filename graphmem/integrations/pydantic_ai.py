"""A memory as tools of Pydantic AI: `MemoryToolset`. It needs the extra `pydantic-ai`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from graphmem.api.tools import TOOLS, ToolMistakeError, call, guide
from graphmem.api.verbs import Verbs
from graphmem.errors import InvalidArgumentError
from graphmem.integrations.taken import checked_memory, needs

with needs("pydantic-ai"):
    from pydantic_ai import ModelRetry, Tool
    from pydantic_ai.toolsets import FunctionToolset


class MemoryToolset(FunctionToolset[Any]):
    """The tools that `graphmem mcp` gives, without a server.

        agent = Agent("…", toolsets=[MemoryToolset(memory)])

    memory: from `graphmem.open`, `graphmem.attach` or `graphmem.reach`.
    tools: the names of those that the agent gets, such as ("recall", "remember"); all without. With
        all, the instructions of the toolset say when to use which.
    one_scope: no call may name another scope than that of the memory.
    id: as Pydantic AI takes it.

    What the model can put right, such as an unknown id, is a `ModelRetry`. Raises
    InvalidArgumentError for the name of no tool.
    """

    def __init__(
        self,
        memory: Verbs,
        *,
        tools: Iterable[str] | None = None,
        one_scope: bool = False,
        id: str = "graphmem",
    ) -> None:
        chosen = tuple(TOOLS if tools is None else tools)
        if unknown := [name for name in chosen if name not in TOOLS]:
            raise InvalidArgumentError(
                f"there is no tool {unknown[0]!r:.80}; there are {', '.join(TOOLS)}"
            )
        super().__init__(id=id, instructions=guide(one_scope=one_scope) if tools is None else None)
        act = partial(_done, checked_memory(memory), one_scope)
        for tool in map(TOOLS.__getitem__, chosen):
            schema = tool.schema(one_scope=one_scope)
            made = Tool.from_schema(partial(act, tool.name), tool.name, tool.about, schema)
            self.add_tool(made)


def _done(memory: Verbs, one_scope: bool, tool: str, /, **given: Any) -> str:
    try:
        return call(memory, tool, given, one_scope=one_scope)[1]
    except ToolMistakeError as error:
        raise ModelRetry(str(error)) from error
