"""SIGKILL in the middle of a sync: the file is the old one or the new one, and nothing is twice.

Cut short between the file and the memory, a decision would be written down or remembered a second
time; cut short within the file, a team would lose its log.
"""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.exchange import decisions
from tests.faults.test_kill import run_and_kill

ROUNDS = 3
BY_HAND = "# by hand\ndecisions:\n  - decision: 每周二发布  # Wen\n"


@pytest.mark.faults
def test_a_sync_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    random = Random(14)
    project = tmp_path / "project"
    project.mkdir()
    log = project / "decisions.yaml"
    log.write_text(BY_HAND)
    told: list[list[Any]] = []
    for seed in range(ROUNDS):
        acts, seconds = random.randint(1, 8), random.uniform(0.0, 0.03)
        told += run_and_kill("syncing", tmp_path / "m", project, seed, acts=acts, seconds=seconds)
        written = log.read_text()
        assert written.startswith(BY_HAND)
        found = Counter(record.text for record in decisions.read("log", written).records)
        assert set(found.values()) == {1}
        assert {text for _, text in told} <= set(found)
        with graphmem.open(tmp_path / "m", worker="none") as memory:
            assert memory.admin.check() == []
            memory.files.sync(project, write=True)
            assert not memory.files.sync(project, write=True).changed
            texts = Counter(node.text for node in memory)
            assert set(texts.values()) == {1}
            assert set(texts) >= set(found)
            assert memory.admin.check() == []
        assert [path.name for path in project.iterdir()] == ["decisions.yaml"]
