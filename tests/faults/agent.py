"""What an agent does with a memory, in an order drawn from a seed, and what somebody then relies on.

    python -m tests.faults.agent FOLDER SEED DURABILITY

lives until it is killed, and prints each act when it has returned.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ForgottenError, UnknownNodeError

WORDS = "release coffee budget Ada Wen May invoice Karlsson 发布 咖啡 预算 证书".split()
ACTS = {
    "remember": 30, "many": 6, "large": 1, "recall": 10, "used": 6, "sweep": 12, "shrink": 1,
    "fold": 3, "pin": 3, "forget": 3, "erase": 1, "revive": 2, "correct": 2, "relate": 4,
    "facts": 2, "enrich": 3, "backup": 1,
}  # fmt: skip
ARCHIVE = 1 << 26  # bytes; so large that what was acknowledged can always be told by its history

Say = Callable[..., None]


class Agent:
    """Acts on a memory; `say` hears of what was acknowledged, and of what is about to vanish."""

    def __init__(self, memory: graphmem.Memory, seed: int, say: Say, *, backups: bool) -> None:
        self._memory = memory
        self._seed = seed
        self._draw = Random(seed)
        self._say = say
        self._number = 0
        self._acts = [act for act in ACTS if act != "backup" or backups]

    def act(self) -> None:
        """Do one thing."""
        (name,) = self._draw.choices(self._acts, [ACTS[act] for act in self._acts])
        self._number += 1
        label = f"act {self._number} of run {self._seed}"  # which the guard takes for no secret
        words = self._draw.choices(WORDS, k=self._draw.randint(2, 30))
        one = self._draw.choice([node.id for node in self._memory.graph.focus] or [0])
        with suppress(UnknownNodeError):
            getattr(self, f"_{name}")(label, f"{label} {' '.join(words)}.", one)

    def _remember(self, label: str, text: str, one: int) -> None:
        nodes = self._memory.remember(text, speaker=self._draw.choice(WORDS))
        self._say("kept", nodes[0].id, text)

    def _many(self, label: str, text: str, one: int) -> None:
        texts = [f"{label}, part {k}, {text}" for k in range(6)]
        for nodes, kept in zip(self._memory.remember_many(texts), texts, strict=True):
            self._say("kept", nodes[0].id, kept)

    def _large(self, label: str, text: str, one: int) -> None:
        large = "".join(f"{label} sentence {k} " + "and so on " * 15 + ". " for k in range(90))
        self._say("large", [node.id for node in self._memory.remember(large)])

    def _recall(self, label: str, text: str, one: int) -> None:
        self._memory.recall(text, tokens=100)

    def _used(self, label: str, text: str, one: int) -> None:
        self._memory.used(one)

    def _sweep(self, label: str, text: str, one: int) -> None:
        self._say("swept", self._memory.sweep(self._draw.choice([0, 0.01, 5])).passes)

    def _shrink(self, label: str, text: str, one: int) -> None:
        self._memory.admin.shrink(int(self._memory.admin.stats()["text_bytes"] * 0.9))

    def _fold(self, label: str, text: str, one: int) -> None:
        self._memory.admin.compact()

    def _pin(self, label: str, text: str, one: int) -> None:
        self._memory.pin(one)

    def _forget(self, label: str, text: str, one: int) -> None:
        self._memory.forget(one)

    def _erase(self, label: str, text: str, one: int) -> None:
        self._say("erasing", one)
        self._memory.forget(one, erase=True)

    def _revive(self, label: str, text: str, one: int) -> None:
        gone = [lost.id for lost in self._memory.history.forgotten(5) if lost.revivable]
        if gone:
            self._memory.history.revive(gone[0])

    def _correct(self, label: str, text: str, one: int) -> None:
        self._say("kept", self._memory.correct(one, text)[0].id, text)

    def _relate(self, label: str, text: str, one: int) -> None:
        focus = [node.id for node in self._memory.graph.focus]
        if len(focus) > 1:
            self._memory.graph.relate(focus[0], self._draw.choice(WORDS), focus[1])

    def _facts(self, label: str, text: str, one: int) -> None:
        subject = f"ex:{label.replace(' ', '/')}"
        self._memory.graph.facts.put(subject, "ex:is", label)
        self._say("fact", subject, label)

    def _enrich(self, label: str, text: str, one: int) -> None:
        self._memory.admin.enrich(0.05)

    def _backup(self, label: str, text: str, one: int) -> None:
        destination = f"{self._memory.path}-{label}"
        self._say("copied", destination, self._memory.admin.backup(destination))


class Ledger:
    """What was acknowledged."""

    def __init__(self) -> None:
        self.texts: dict[int, str | None] = {}
        self.erased: set[int] = set()
        self.facts: set[tuple[str, str]] = set()
        self.passes = 0

    def add(self, what: str, *values: Any) -> None:
        match what:
            case "kept":
                self.texts[values[0]] = values[1]
            case "large":
                self.texts.update(dict.fromkeys(values[0]))
            case "erasing":  # it may be so already, or not
                self.erased.add(values[0])
            case "swept":
                self.passes = max(self.passes, values[0])
            case "fact":
                self.facts.add((values[0], values[1]))

    def hold_against(self, memory: graphmem.Memory) -> None:
        """Every acknowledged memory is there, or lawfully forgotten, which the archive knows."""
        for node, text in self.texts.items():
            if node in self.erased:
                continue
            versions = memory.history.of(node)  # raises if nothing is known of it
            if text is not None:
                assert versions[0].node.text == text
            if node not in memory:
                with pytest.raises(ForgottenError):
                    memory[node]
        assert memory.admin.stats()["passes"] >= self.passes
        for subject, value in self.facts:
            assert (subject, "ex:is", value) in memory.graph.facts
        assert max(self.texts, default=0) < rooms(memory).scope.state.next_node


def live(folder: Path, seed: int, durability: str) -> None:
    """Act until killed."""

    def say(*what: Any) -> None:
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()

    # A worker process is another's business, and costs a second a round: every eighth has one.
    with graphmem.open(
        folder,
        durability=durability,
        worker="none" if seed % 8 else "extractive",
        tuning=graphmem.Tuning(fold_documents=32, grace=1, worker_share=1.0, archive_bytes=ARCHIVE),
    ) as memory:
        say("open", memory.admin.stats()["sequence"])
        agent = Agent(memory, seed, say, backups=True)
        while True:
            agent.act()


if __name__ == "__main__":
    live(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
