"""SIGKILL in the middle of a transaction: all of it is there afterwards, or nothing."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from tests.faults.test_kill import run_and_kill

ROUNDS = 3


@pytest.mark.faults
@pytest.mark.parametrize("durability", ["group", "os"])
def test_a_block_is_there_as_a_whole_or_not_at_all(tmp_path: Path, durability: str) -> None:
    random = Random(durability)
    told: list[list[Any]] = []
    for k in range(ROUNDS):
        acts, seconds = random.randint(1, 40), random.uniform(0.0, 0.02)
        told += run_and_kill("blocks", tmp_path / "m", k, durability, acts=acts, seconds=seconds)
        hold_against(tmp_path / "m", {name for (name,) in told})


def hold_against(folder: Path, told: set[str]) -> None:
    """What was acknowledged is there, and what is there is whole."""
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.check() == []
        assert rooms(memory).store.gap is None
        items = {item.key: item for item in memory.items.search("blocks", limit=None)}
        assert told <= set(items)
        assert not [name for name in items if int(name.split(".")[1]) % 3 == 0]
        for name, item in items.items():
            assert (item.version, item.value["step"]) == (2, 2)
            begun = memory[item.value["node"]]
            assert begun.pinned
            assert begun.text == f"Block {name} has begun."
            (end,) = [k.target for k in memory.graph.links(begun) if k.relation == "ends in"]
            assert memory[end].text == f"Block {name} is nearly over."
            assert memory.graph.facts.count(begun, "http://e.org/block", name) == 1
        assert len(memory) == 2 * len(items)
        assert len(memory.graph.facts) == len(items)
