"""The engine bench runs end to end, and no peer may answer otherwise than graphmem.

A peer's driver rots unseen, and then its row in the README is a number that nobody can print.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.engine import SMALL as PLAN
from bench.engine import check, world
from bench.peers.peer import Walk

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({1: 0.5}, {1: 0.5, 2: 0.5}),
        ({1: 0.5, 2: 0.5}, {1: 0.5}),
        ({1: 0.5}, {1: 0.51}),
        ({1, 2}, {1, 3}),
        (("text", "phrase", ["a"]), ("text", "phrase", ["b"])),
        (None, 1),
    ],
)
def test_another_answer_ends_the_bench(ours: Any, theirs: Any) -> None:
    with pytest.raises(AssertionError, match="peer answers two_hop"):
        check("peer", "two_hop", [Walk((1,))], [ours], [theirs])


def test_rounding_of_a_strength_is_no_other_answer() -> None:
    check("peer", "two_hop", [Walk((1,))], [{1: 0.5}], [{1: 0.500001}])


@pytest.mark.slow
def test_the_memories_are_the_same_in_every_run() -> None:
    assert world(PLAN) == world(PLAN)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_small_bench_prints_every_peer_that_is_installed(tmp_path: Path) -> None:
    found = tmp_path / "rows.json"
    done = subprocess.run(
        [sys.executable, "-m", "bench", "engine", "--small", "--nodes=600", f"--json={found}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    content = json.loads(found.read_text("utf-8"))
    rows = {(row["method"], row["metric"]): row["value"] for row in content["rows"]}
    assert all(row["bench"] == "engine" for row in content["rows"])
    assert content["machine"]["cores"]
    methods = {method.split()[0] for method, _ in rows}
    for peer in ("sqlite", "pyoxigraph", "levelgraph"):
        skipped = f"{peer} is skipped: " in done.stderr
        assert (peer in methods) != skipped, f"{peer}: {done.stderr}"
    for metric in ("ingest", "read node, median", "2-hop, degree 6, median", "recall p99", "disk"):
        assert rows["graphmem", metric] > 0
