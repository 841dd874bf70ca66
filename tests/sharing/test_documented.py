"""docs/sharing.md shows three processes; a transcript that no longer happens misleads."""

import re
import subprocess
import sys
import time
from pathlib import Path

import graphmem
from graphmem import Change

PAGE = (Path(__file__).parents[2] / "docs" / "sharing.md").read_text("utf-8")


def program(name: str) -> str:
    found = re.search(rf"```python\n# {name}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_two_agents_and_a_watcher_in_three_processes(tmp_path: Path) -> None:
    said = re.search(
        r"third process that watches the pool sees:\n\n```\n(.*?)\n```", PAGE, re.DOTALL
    )
    assert said is not None
    wanted = said[1].split("\n")
    seen: list[str] = []

    def note(change: Change | None) -> None:
        seen.append("gap" if change is None else f"{change.action} {change.key} {change.by}")

    with graphmem.open(tmp_path / "team-memory", worker="none") as owner:
        watch = owner.pool("team").watch(note)

        def start(name: str) -> "subprocess.Popen[str]":
            return subprocess.Popen(
                [sys.executable, "-c", program(name)],
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                text=True,
            )

        with start("writer.py") as writer, start("finder.py") as finder:
            outputs = finder.communicate(timeout=30)[0], writer.communicate(timeout=30)[0]
        assert outputs == ("found at version 1\n", "wrote after finder\n")
        end = time.monotonic() + 60
        while seen != wanted and time.monotonic() < end:
            time.sleep(0.01)
        assert seen == wanted
        assert owner.pool("team").read("report").value == "The audit is two weeks late."  # type: ignore[union-attr]
        watch.close()
