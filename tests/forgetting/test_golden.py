"""What a journal loses for room, in which order and why: a weight that moved forgets something
else."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

import pytest

import graphmem
from tests.clock import Clock
from tests.golden_files import assert_golden

DATA: Final = Path(__file__).parents[2] / "data"
NOTES: Final = 50


def left(memory: graphmem.Memory) -> dict[str, object]:
    return {
        "left": [f"{node.id} {node.form.name.lower()}" for node in memory.nodes()],
        "texts": [str(node) for node in memory.nodes(form="shorter")],
        "forgotten": [f"{one.id} {one.why}" for one in memory.history.forgotten(1000)],
        "links": memory.admin.stats()["links"],
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_goes_is_as_before(language: str) -> None:
    clock = Clock(datetime(2026, 1, 5, tzinfo=UTC))
    lines = (DATA / f"journal.{language}.jsonl").read_text("utf-8").splitlines()
    told: dict[str, object] = {}
    for most in (None, 40):
        with graphmem.open(worker="none", clock=clock, random=Random(1), max_nodes=most) as memory:
            for place, row in enumerate(map(json.loads, lines[:NOTES])):
                clock.now = max(clock.now, datetime.fromisoformat(row["date"]))
                nodes = memory.remember(row["text"], speaker=row["speaker"], session=row["session"])
                if place % 5 == 0:
                    memory.used(nodes[0])
                if place % 10 == 9:
                    clock.now += timedelta(days=1)
                    memory.sweep()
            told[f"at most {most}"] = left(memory)
            for kept in (40_000, 24_000, 12_000) if most is None else ():
                memory.admin.shrink(kept)
                told[f"shrunk to {kept}"] = left(memory)
    assert_golden(f"goes.{language}", told)
