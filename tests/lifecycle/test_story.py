"""The story in docs/lifecycle.md prints what the page says, to the letter.

A transcript that was true once teaches what the program does not do any more.
"""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "lifecycle.md"
_STORY = re.compile(
    r"^## A year of it\n.*?^```python\n(?P<code>.*?)^```$.*?^```text\n(?P<said>.*?)^```$",
    re.M | re.S,
)


def test_the_story_is_told_as_it_happens(capsys: pytest.CaptureFixture[str]) -> None:
    found = _STORY.search(PAGE.read_text("utf-8"))
    assert found is not None
    exec(compile(found["code"], str(PAGE), "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == found["said"]
