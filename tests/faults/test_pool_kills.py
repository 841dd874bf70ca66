"""Clients that are killed while they write a pool: none of what was acknowledged is lost, and no
count is given twice."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import graphmem

ROOT = Path(__file__).parents[2]


@pytest.mark.faults
@pytest.mark.timeout(180)
def test_optimistic_increments_survive_kills(tmp_path: Path) -> None:
    told: list[int] = []
    with graphmem.open(tmp_path / "m", worker="none") as owner:
        path = os.pathsep.join([str(ROOT), str(ROOT / "worker")])
        for round_ in range(6):
            children = [
                subprocess.Popen(
                    [sys.executable, "-m", "tests.faults.counter", str(tmp_path / "m"), f"{n}"],
                    cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE,
                )
                for n in range(3)
            ]  # fmt: skip
            end = time.monotonic() + 30
            before = len(told)
            entry = owner.pool("counts").read("count")
            start = 0 if entry is None else entry.value
            while time.monotonic() < end:
                entry = owner.pool("counts").read("count")
                if entry is not None and entry.value > start + 200 + 17 * round_:
                    break
                time.sleep(0.01)
            for child in children:
                os.kill(child.pid, signal.SIGKILL)
            for child in children:
                assert child.stdout is not None
                lines = child.stdout.read().decode().split("\n")
                child.stdout.close()
                child.wait()
                told += [int(line) for line in lines[:-1]]
            assert len(told) > before
        entry = owner.pool("counts").read("count")
        assert entry is not None
        assert entry.value == entry.version, "a count was lost or given twice"
        assert len(told) == len(set(told)), "two clients were told the same count"
        assert entry.value - len(told) <= 18, "at most one unacknowledged act for each kill"
        assert owner.admin.check() == []
    with graphmem.open(tmp_path / "m", worker="none") as again:
        assert again.pool("counts").read("count") == entry
        assert again.admin.check() == []
