"""docs/integrations.md shows three frameworks on one folder; what does not run there misleads."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("langgraph.graph")
pytest.importorskip("agents.testing")
pytest.importorskip("mcp.client")

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_graph_an_agent_and_a_client_share_a_folder(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "integrations.md").read_text("utf-8")
    shown = re.search(r"```python\n(# together.py\n.*?)```\n\n```\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    script = tmp_path / "together.py"
    script.write_text(shown[1], "utf-8")
    path = os.pathsep.join((str(ROOT), str(ROOT / "worker")))
    ended = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert ended.stdout == shown[2], ended.stderr[-3000:]
