"""A client written for the protocol, not for this server, must find what the protocol says.

The scenarios are those of the protocol's own conformance suite, fetched from npm's registry into a
folder that is not part of the project. It tests the reference server, which has tools, resources
and prompts made for it; the scenarios that call these cannot be asked of another server.
"""

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.interfaces.test_mcp import ENVIRONMENT, free_port

SUITE = "@modelcontextprotocol/conformance"
VERSION = "0.1.13"  # the last one that Node 20 runs
FOLDER = Path(__file__).parents[2] / ".w3c" / f"mcp-conformance-{VERSION}"
APPLY = {
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-error",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
}
OF_THE_REFERENCE_SERVER = {  # call what it has by name
    "completion-complete",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "json-schema-2020-12",
    "logging-set-level",
    "prompts-get-embedded-resource",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "resources-read-binary",
    "resources-read-text",
    "resources-subscribe",
    "resources-templates-read",
    "resources-unsubscribe",
    "server-sse-polling",
    "tools-call-audio",
    "tools-call-elicitation",
    "tools-call-embedded-resource",
    "tools-call-image",
    "tools-call-mixed-content",
    "tools-call-sampling",
    "tools-call-simple-text",
    "tools-call-with-logging",
    "tools-call-with-progress",
}
SERVER = """
import sys, graphmem, uvicorn
from graphmem.interfaces import mcp
with graphmem.open(None, worker="none") as memory:
    memory.remember("The kettle is broken.")
    uvicorn.run(mcp.web_application(memory), host=mcp.HOST, port=int(sys.argv[1]), log_level="error")
"""
# Without the token, which the suite cannot show; `test_mcp.py` has the tests of that.


def suite() -> Path:
    """The program of the suite; skips where it cannot be had."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("the conformance suite of the protocol needs Node 20 or later, with npm")
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(told.lstrip("v").partition(".")[0]) < 20:
        pytest.skip(f"the conformance suite of the protocol needs Node 20 or later, not {told}")
    program = FOLDER / "node_modules" / SUITE / "dist" / "index.js"
    if not (FOLDER / "complete").exists():
        quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1")
        FOLDER.mkdir(parents=True, exist_ok=True)
        ended = subprocess.run(
            [npm, "install", *quiet, "--prefix", str(FOLDER), f"{SUITE}@{VERSION}"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if re.search("ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH", ended.stderr):
            pytest.skip("npm's registry, which has the conformance suite, cannot be reached")
        assert ended.returncode == 0, ended.stderr
        (FOLDER / "complete").touch()
    return program


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_scenarios_that_apply_pass(tmp_path: Path) -> None:
    program, port = suite(), free_port()
    address = f"http://127.0.0.1:{port}/mcp"
    started = subprocess.Popen([sys.executable, "-c", SERVER, str(port)], env=ENVIRONMENT)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(address, timeout=5)
                break
            except urllib.error.HTTPError:  # it answers, if only that this is no request of MCP
                break
            except OSError:
                assert started.poll() is None
                time.sleep(0.05)
        told = subprocess.run(
            ["node", str(program), "server", "--url", address, "--suite", "all"],
            cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
    finally:
        started.kill()
        started.wait()
    summary = told.stdout.partition("=== SUMMARY ===")[2].partition("Total:")[0]
    found = {
        name: (int(passed), int(failed))
        for name, passed, failed in re.findall(r"([\w-]+): (\d+) passed, (\d+) failed", summary)
    }
    assert set(found) == APPLY | OF_THE_REFERENCE_SERVER, told.stderr[-2000:]
    for name in APPLY:
        passed, failed = found[name]
        assert passed, (name, told.stdout)
        assert not failed, (name, told.stdout)
