"""What stands in a prompt after a journal was said into it: a rule of the digest that moved quotes
something else, in another order or under another title."""

import json
from pathlib import Path
from typing import Final

import pytest

from graphmem import WorkingSet
from tests.golden_files import assert_golden

DATA: Final = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_prompt_is_as_before(language: str) -> None:
    working = WorkingSet(700)
    lines = (DATA / f"journal.{language}.jsonl").read_text("utf-8").splitlines()
    prompts: dict[str, object] = {}
    for place, row in enumerate(map(json.loads, lines[:60])):
        working.add("user", row["text"], speaker=row["speaker"], happened=row["date"])
        if place % 30 == 29:
            prompts[f"after {row['id']}"] = [
                [message["role"], *message["content"].split("\n")] for message in working.messages
            ]
    assert_golden(f"prompts.{language}", prompts)
