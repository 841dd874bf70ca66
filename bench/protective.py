"""What protects or binds somebody: is it alive after months in which nobody asked for it?

The labelled texts are remembered among texts of the journals; then days go by, one sweep each, and
nothing is used. A row is alive while its `sentence` (else its text), or a clause of it of at least
a third, is in a sentence that the memory still has. A dated binding row is asked on its last day.
Of data/protects.*.jsonl and data/stays.*.jsonl only the rules are asked.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any, Final

import graphmem
from bench.labelled import LANGUAGES
from bench.life import DATA, texts
from bench.report import Row
from graphmem_worker.text.protects import protects
from graphmem_worker.text.sentences import sentences

HELP: Final = "what protects or binds: alive after unused days and under a budget"
DAYS: Final = (120, 400)
_SHARE: Final = 0.10  # of the text, to which a memory shrinks
_TOLD: Final = datetime(2026, 1, 1, 9, tzinfo=UTC)
_AROUND: Final = 3  # texts of the journals for each labelled one


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="only these")
    parser.add_argument(
        "--around", type=int, default=_AROUND, help="texts of the journals for each labelled one"
    )
    parser.add_argument("--misses", action="store_true", help="list what was lost or held in vain")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure each language."""
    measured: list[Row] = []
    for language in arguments.language or LANGUAGES:
        path = DATA / f"protective.{language}.jsonl"
        labelled = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        measured += _found(language, tell=arguments.misses)
        measured += _stays(language, tell=arguments.misses)
        measured += _unused(language, labelled, arguments.around, tell=arguments.misses)
        measured += _shrunk(language, labelled, arguments.around)
    return measured


def _found(language: str, *, tell: bool) -> list[Row]:
    """What the rules find of sentences that protect, and call protective of others."""
    path = DATA / f"protects.{language}.jsonl"
    called: defaultdict[bool, list[bool]] = defaultdict(list)
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        found = any(protects(part) == "protective" for part in sentences(row["text"]))
        called[row["protective"]].append(found)
        if tell and found != row["protective"]:
            print(f"called protective={found}: {row['text']}", file=sys.stderr)
    return [
        Row("protective", language, "rules", name, _share(values), f"of {len(values)}")
        for name, values in (("found", called[True]), ("called so in vain", called[False]))
    ]


def _stays(language: str, *, tell: bool) -> list[Row]:
    """What the rules find, in everyday words, of what stays, and hold of what need not."""
    path = DATA / f"stays.{language}.jsonl"
    held: defaultdict[str, list[bool]] = defaultdict(list)
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        found = any(protects(part) for part in sentences(row["text"]))
        wanted = row["class"] != "ordinary"
        held[f"{'found' if wanted else 'held in vain'}, {row['part']}"].append(found)
        if tell and found != wanted:
            print(f"{row['class']} held={found}: {row['text']}", file=sys.stderr)
    return [
        Row("protective", language, "everyday words", name, _share(values), f"of {len(values)}")
        for name, values in held.items()
    ]


class _Life:
    """A memory of labelled texts among others, and the day that it has."""

    def __init__(self, language: str, labelled: Sequence[Mapping[str, Any]], others: int) -> None:
        self.now = _TOLD
        self.memory = graphmem.open(None, worker="none", clock=lambda: self.now, random=Random(0))
        self._nodes: dict[str, list[int]] = {}
        around = texts(language, Random(7))
        for row in labelled:
            self._nodes[row["id"]] = [n.id for n in self.memory.remember(row["text"])]
            for _ in range(others):
                self.memory.remember(next(around))

    def pass_day(self) -> None:
        """A day goes by, with its sweep."""
        self.now += timedelta(days=1)
        self.memory.sweep()

    def has(self, row: Mapping[str, Any]) -> bool:
        """Whether the row's sentence, or a clause of it, is still there."""
        wanted = (row.get("sentence") or row["text"]).strip()
        for node in self._nodes[row["id"]]:
            if node not in self.memory:
                continue
            for kept in self.memory[node].sentences:
                bare = kept.strip().rstrip(".。!！")
                if wanted.rstrip(".。!！") in kept:
                    return True
                if bare and bare in wanted and 3 * len(bare) >= len(wanted):
                    return True
        return False


def _unused(language: str, labelled: list[dict[str, Any]], others: int, *, tell: bool) -> list[Row]:
    life = _Life(language, labelled, others)
    found: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    until = {row["id"]: date.fromisoformat(row["until"]) for row in labelled if row.get("until")}
    with life.memory:
        for day in range(1, max(DAYS) + 1):
            life.pass_day()
            for row in labelled:
                if until.get(row["id"]) == life.now.date():
                    found["binding", "on its last day"].append(life.has(row))
                    if tell and not found["binding", "on its last day"][-1]:
                        print(f"lost before its day: {row['text']}", file=sys.stderr)
            if day in DAYS:
                for row in labelled:
                    alive = life.has(row)
                    found[row["class"], f"after {day} days"].append(alive)
                    if tell and day == DAYS[0] and alive == (row["class"] != "protective"):
                        print(f"{row['class']} alive={alive}: {row['text']}", file=sys.stderr)
    return _rows(language, found)


def _shrunk(language: str, labelled: list[dict[str, Any]], others: int) -> list[Row]:
    life = _Life(language, labelled, others)
    found: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    with life.memory as memory:
        memory.admin.shrink(int(memory.admin.stats()["text_bytes"] * _SHARE))
        for row in labelled:
            found[row["class"], f"at {_SHARE:.0%} of the text"].append(life.has(row))
    return _rows(language, found)


def _rows(language: str, found: Mapping[tuple[str, str], list[bool]]) -> list[Row]:
    return [
        Row(
            "protective",
            language,
            name,
            f"alive {when}",
            _share(alive),
            f"of {len(alive)}",
        )
        for (name, when), alive in sorted(found.items())
    ]


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values)
