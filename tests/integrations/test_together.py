"""All that uses a memory on one folder: what one of them wrote, the others did not see."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

# Found and not imported: another process uses them, and they take four seconds to load.
pytestmark = pytest.mark.skipif(
    not all(map(find_spec, ("langgraph", "agents", "mcp", "IPython"))),
    reason="needs langgraph, openai-agents, mcp and IPython",
)

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "integrations.md"


@pytest.mark.slow
def test_all_at_once_see_what_the_others_write_as_the_page_tells(tmp_path: Path) -> None:
    told = PAGE.read_text("utf-8").partition("## All at once\n")[2].partition("\n## ")[0]
    (transcript,) = re.findall(r"^```text\n(.*?)^```$", told, re.M | re.S)
    ended = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("together.py"))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "worker")))},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert ended.stdout == transcript, ended.stderr[-3000:]
