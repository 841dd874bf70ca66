"""The bench of the MCP server measures calls that were answered."""

import argparse

import pytest

from bench import mcp


@pytest.mark.slow
def test_a_quick_run_has_a_row_for_each_figure() -> None:
    """A tool that is renamed, or a server that ends at its start, would be measured as fast."""
    parser = argparse.ArgumentParser()
    mcp.configure(parser)
    rows = mcp.run(parser.parse_args(["--notes", "30", "--calls", "3"]))
    figures = {(row.method, row.metric): row.value for row in rows}
    for kind in ("wall", "CPU"):
        bare = figures["bare server", f"call, {kind}"]
        for tool in ("recall", "remember"):
            took = figures["graphmem", f"{tool}, {kind}"]
            assert took - bare == figures["graphmem", f"{tool} above a bare call, {kind}"]
            assert took > 0
    assert figures["graphmem", "ready and first recall"] > figures["graphmem", "ready"] > 0
