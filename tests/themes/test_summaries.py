"""A summary that says more than the memories do would be taken for what is known."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

import graphmem
from graphmem.api.themes import Themes, summarised
from graphmem.errors import InvalidArgumentError, ModelError, UnknownThemeError
from graphmem_worker.backends import writing
from graphmem_worker.backends.extractive import Extractive
from graphmem_worker.errors import TaskError
from tests.themes.test_catalog import remembered


class Told:
    """A model that answers with a text; what it was asked is kept."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def chat(self, messages: Any, schema: Any, tokens: int, until: float) -> str:
        import json

        self.asked.append(str(messages))
        return json.dumps({"content": self.answer})


def told(memory: graphmem.Memory, model: Told | Exception) -> Themes:
    """The themes of a memory whose worker may write with this model."""

    def process(payload: dict[str, Any]) -> Any:
        if isinstance(model, Exception):
            raise model
        given: Any = payload
        plain: Any = Extractive().process(given, inf)
        return writing.process(model, given, plain, inf)

    themes = memory.themes
    themes._process = lambda: process  # type: ignore[method-assign]
    return themes


def test_a_summary_says_only_what_the_members_say() -> None:
    with remembered() as memory:
        theme = next(iter(memory.themes))
        honest = Told(f"{theme.sentence}.")
        assert told(memory, honest).summarise(theme.id, 100) == f"{theme.sentence}."
        assert all(memory[node].text in honest.asked[0] for node in theme.members)
        lying = Told("Ines sold 4,000 zeppelins to Bo in Paris, and the kiln exploded twice.")
        assert told(memory, lying).summarise(theme.id, 100) == ""
        assert memory.themes[theme.id] == theme  # nothing of it is stored


def test_what_cannot_be_summarised_is_refused() -> None:
    with remembered() as memory:
        theme = next(iter(memory.themes))
        with pytest.raises(InvalidArgumentError, match="may_write"):
            memory.themes.summarise(theme.id)
        away = told(memory, TaskError("busy", "come back", transient=True))
        with pytest.raises(ModelError, match="come back"):
            away.summarise(theme.id, 100)
        with pytest.raises(UnknownThemeError):
            away.summarise(99999)
        with pytest.raises(InvalidArgumentError, match="between 40"):
            away.summarise(theme.id, 10)


def test_a_model_is_asked_for_what_is_longer_than_wished_and_as_whole_sentences() -> None:
    """The gate compares clause by clause: two sentences that run into one are not found again."""
    asked: list[str] = []

    def process(payload: dict[str, Any]) -> dict[str, Any]:
        asked.append(payload["wish"]["source"])
        return {"written": {"derived": "Short."}}

    few = ["The kiln is cold", "It rained!", "The kiln is cold", "窑冷了"]
    assert summarised(process, few, 100) == "The kiln is cold.\nIt rained!\n窑冷了。"
    assert asked == []
    many = [f"The kiln of number {number} is cold" for number in range(400)]
    assert summarised(process, many, 100) == "Short."
    (source,) = asked
    assert 5900 < len(source) <= 6000
    assert source == "\n".join(f"{sentence}." for sentence in many[: source.count("\n") + 1])
