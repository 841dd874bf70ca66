"""The list of adapters and recipes for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Final


def installed(package: str) -> str:
    """The version of a package that is installed here; "" if there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


@dataclass(frozen=True, slots=True)
class Integration:
    """An adapter or recipe. extra: the one that installs it; "" if it needs none. package: that of
    the framework. tried: the framework's version in graphmem's tests."""

    name: str
    use: str
    extra: str = ""
    package: str = ""
    tried: str = ""

    @property
    def installed(self) -> str:
        """The version of the package that is installed here; "" if there is none."""
        return installed(self.package) if self.package else ""


_OURS: Final = "graphmem.integrations."
_RECIPE: Final = "a recipe in docs/integrations.md"
INTEGRATIONS: Final = (
    Integration("Model Context Protocol", "graphmem mcp FOLDER", "mcp", "mcp", "2.3.0"),
    Integration(
        "LangGraph's store", f"{_OURS}langgraph.GraphmemStore", "langgraph", "langgraph", "1.2.22"
    ),
    Integration(
        "LangGraph's checkpoints", f"{_OURS}checkpoints.GraphmemSaver", "langgraph",
        "langgraph-checkpoint", "4.3.2",
    ),
    Integration(
        "LangChain's retriever", f"{_OURS}langchain.GraphmemRetriever", "langgraph",
        "langchain-core", "1.7.2",
    ),
    Integration("Claude's memory tool", f"{_OURS}claude.MemoryTool"),
    Integration(
        "OpenAI Agents' session", f"{_OURS}openai_agents.GraphmemSession", "openai-agents",
        "openai-agents", "0.24.0",
    ),
    Integration(
        "Pydantic AI's tools", f"{_OURS}pydantic_ai.MemoryToolset", "pydantic-ai",
        "pydantic-ai-slim", "2.68.0",
    ),
    Integration("AG2", _RECIPE, "", "ag2", "1.2.1"),
    Integration("LlamaIndex", _RECIPE, "", "llama-index-core", "0.14.25"),
    Integration("Google ADK", _RECIPE, "", "google-adk", "2.13.0"),
    Integration("CrewAI", _RECIPE, "", "crewai", "1.15.30"),
    Integration(
        "OpenTelemetry", f"{_OURS}opentelemetry.Telemetry", "otel", "opentelemetry-api", "1.45.2"
    ),
)  # fmt: skip
