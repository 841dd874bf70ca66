"""SIGKILL at a random moment: what was acknowledged is there, and all structures agree.

The child does what an agent does, in an order drawn from a seed, and prints each act when it has
returned. What it printed is what somebody relies on.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.errors import ForgottenError

CHILD = """
import json, random, sys, threading, graphmem
path, seed, durability = sys.argv[1], int(sys.argv[2]), sys.argv[3]
draw = random.Random(seed)

def say(*what):
    sys.stdout.write(json.dumps(what) + "\\n")
    sys.stdout.flush()

words = "release coffee budget Ada Wen May invoice Karlsson 发布 咖啡 预算 证书".split()
with graphmem.open(path, durability=durability, fold_documents=32, grace=1, worker_share=1.0,
                   archive_bytes=1 << 26) as memory:
    say("open", memory.stats()["sequence"])
    number = 0
    while True:
        number += 1
        act = draw.choices(
            ["remember", "many", "large", "recall", "used", "sweep", "shrink", "fold", "pin",
             "forget", "erase", "revive", "correct", "relate", "facts", "enrich"],
            [30, 6, 1, 10, 6, 12, 1, 3, 3, 3, 1, 2, 2, 4, 2, 3])[0]
        name = f"s{seed}n{number}"
        text = f"{name} " + " ".join(draw.choices(words, k=draw.randint(2, 30))) + "."
        alive = [node.id for node in memory.focus] or [0]
        one = draw.choice(alive)
        try:
            if act == "remember":
                say("kept", memory.remember(text, speaker=draw.choice(words))[0].id, text)
            elif act == "many":
                texts = [f"{name}k{k} " + text for k in range(20)]
                for nodes, kept in zip(memory.remember_many(texts), texts):
                    say("kept", nodes[0].id, kept)
            elif act == "large":
                large = "".join(f"{name} sentence {k} " + "and so on " * 15 + ". " for k in range(90))
                say("large", [node.id for node in memory.remember(large)])
            elif act == "recall":
                memory.recall(text, tokens=100)
            elif act == "used":
                memory.used(one)
            elif act == "sweep":
                say("swept", memory.sweep(draw.choice([0, 0.01, 5])).passes)
            elif act == "shrink":
                memory.shrink(int(memory.stats()["text_bytes"] * 0.9))
            elif act == "fold":
                memory.compact()
            elif act == "pin":
                say("pinned", memory.pin(one).id)
            elif act == "forget":
                memory.forget(one)
                say("forgotten", one)
            elif act == "erase":
                say("erasing", one)
                memory.forget(one, erase=True)
                say("erased", one)
            elif act == "revive":
                gone = [f.id for f in memory.forgotten(5) if f.revivable]
                if gone:
                    say("reviving", gone[0])
                    memory.revive(gone[0])
                    say("revived", gone[0])
            elif act == "correct":
                say("kept", memory.correct(one, text)[0].id, text)
            elif act == "relate" and len(alive) > 1:
                memory.relate(alive[0], draw.choice(words), alive[1])
            elif act == "facts":
                memory.facts.put(f"ex:{number}", "ex:is", name)
                say("fact", f"ex:{number}", name)
            elif act == "enrich":
                memory.enrich(0.05)
        except graphmem.errors.UnknownNodeError:
            pass
"""


def run_and_kill(
    folder: Path, seed: int, durability: str, acts: int, seconds: float
) -> list[list[Any]]:
    """Start a child, kill it `seconds` after its act number `acts`, and return what it
    acknowledged. Acts, not seconds alone: a slow machine must not kill it before it did anything."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder), str(seed), durability],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    with child.stdout, child.stderr:
        first = b"".join(child.stdout.readline() for _ in range(acts))
        assert first.count(b"\n") == acts, child.stderr.read().decode()
        time.sleep(seconds)
        running = child.poll() is None
        os.kill(child.pid, signal.SIGKILL)
        rest = child.stdout.read()
        child.wait()
        assert running, child.stderr.read().decode()
    lines = (first + rest).decode().split("\n")
    return [json.loads(line) for line in lines[:-1]]  # the last one may be cut short


class Ledger:
    """What was acknowledged over all rounds."""

    def __init__(self) -> None:
        self.texts: dict[int, str | None] = {}
        self.erased: set[int] = set()
        self.facts: set[tuple[str, str]] = set()
        self.pinned: set[int] = set()
        self.passes = 0

    def add(self, acts: list[list[Any]]) -> None:
        for what, *values in acts:
            if what == "kept":
                self.texts[values[0]] = values[1]
            elif what == "large":
                self.texts.update(dict.fromkeys(values[0]))
            elif what == "erasing":  # it may be so already, or not
                self.erased.add(values[0])
            elif what == "swept":
                self.passes = max(self.passes, values[0])
            elif what == "fact":
                self.facts.add((values[0], values[1]))
            elif what == "pinned":
                self.pinned.add(values[0])

    def hold_against(self, memory: graphmem.Memory) -> None:
        """Every acknowledged memory is there, or lawfully forgotten, which the archive knows."""
        for node, text in self.texts.items():
            if node in self.erased:
                continue
            versions = memory.history(node)  # raises if nothing is known of it
            if text is not None:
                assert versions[0].node.text == text
            if node not in memory:
                with pytest.raises(ForgottenError):
                    memory[node]
        assert memory.stats()["passes"] >= self.passes
        for subject, value in self.facts:
            assert (subject, "ex:is", value) in memory.facts
        assert max(self.texts, default=0) < memory._scope.state.next_node


def rounds(folder: Path, count: int, seed: int, longest: int) -> None:
    random = Random(seed)
    ledger = Ledger()
    for k in range(count):
        durability = random.choice(["group", "group", "os", "sync"])
        acts, seconds = random.randint(1, longest), random.uniform(0.0, 0.05)
        ledger.add(run_and_kill(folder, seed * 1000 + k, durability, acts, seconds))
        with graphmem.open(folder, worker="none", archive_bytes=1 << 26) as memory:
            assert memory.check() == [], f"round {k} of seed {seed}"
            assert memory._store.gap is None
            ledger.hold_against(memory)
    assert len(ledger.texts) > count


def test_four_kills_lose_nothing(tmp_path: Path) -> None:
    """A killed process must lose nothing that it had acknowledged, nor leave a memory at odds with
    itself."""
    rounds(tmp_path / "m", 4, seed=11, longest=100)


@pytest.mark.faults
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_many_kills_lose_nothing(tmp_path: Path, seed: int) -> None:
    """The rare moments, between two batches of one act or within a fold, need many rounds."""
    rounds(tmp_path / "m", 15, seed=seed, longest=300)
