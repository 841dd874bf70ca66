"""All that uses a memory on one folder: what one of them wrote, the others did not see."""

import os
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
_SEEN = """\
client: The release is on May 10.
graph: The release is on May 10.
agent: The audit is two weeks late, so is the release.
claude: File created successfully at: /memories/release.md
notebook: The audit is two weeks late, so is the release.
shell: The release is on May 24.
page: The release is on May 24.
client: The release is on May 24.
store: {'speaks': 'Chinese'}
session: ['user: How late is the audit?', \
'assistant: The audit is two weeks late, so is the release.']
"""


@pytest.mark.slow
def test_all_at_once_see_what_the_others_write(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("together.py"))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "worker")))},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert ended.stdout == _SEEN, ended.stderr[-3000:]
