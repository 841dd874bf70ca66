"""SIGKILL in the middle of `replace` and of expiry: one of two holds, and what is over stays over.

Cut short between the two, a person would live nowhere, or in two towns; an end that was lost would
bring back what was forgotten.
"""

from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.errors import ForgottenError
from tests.faults.changes import START
from tests.faults.test_kill import run_and_kill

ROUNDS = 2


@pytest.mark.faults
@pytest.mark.parametrize("durability", ["group", "os", "sync"])
def test_a_change_is_made_whole_or_not_at_all(tmp_path: Path, durability: str) -> None:
    random = Random(durability)
    folder = tmp_path / "m"
    told: list[list[Any]] = []
    for k in range(ROUNDS):
        acts, seconds = random.randint(1, 40), random.uniform(0.0, 0.02)
        told += run_and_kill("changes", folder, k, durability, acts=acts, seconds=seconds)
        hold_against(folder, told, START + timedelta(days=k, hours=12))


def hold_against(folder: Path, told: list[list[Any]], now: datetime) -> None:
    """What was acknowledged is so, and what was not is whole or not there."""
    with graphmem.open(folder, worker="none", clock=lambda: now) as memory:
        assert memory.admin.check() == []
        for what, *rest in told:
            match what, rest:
                case "replaced", [old, new]:
                    assert memory[old].valid_to == memory[new].valid_from
                    supersedes = [
                        k.target for k in memory.graph.links(new) if k.relation == "supersedes"
                    ]
                    assert supersedes == [old]
                case "passing", [node, _]:
                    assert node not in memory
                    with pytest.raises(ForgottenError):
                        memory[node]
        # Of each round one home holds, whether the last replacement was made or not.
        held = [node.text for node in memory.nodes(where=graphmem.Where(as_of=now))]
        rounds = {text.split(":")[0] for text in held}
        assert len(held) == len(rounds) == len([what for what, *_ in told if what == "kept"])
        memory.sweep()
        assert memory.admin.check() == []
        assert not [n for n in memory.nodes() if "passing" in n.text]
        gone = {each.id: each.why for each in memory.history.forgotten(100_000)}
        assert {gone[rest[0]] for what, *rest in told if what == "passing"} <= {"expired"}
