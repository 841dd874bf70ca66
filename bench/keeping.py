"""What is kept over months and years: `bench life --replay` and `bench life --years`.

An answer counts if all index words of it are in the text of a recall of its question within 300
tokens. Replay: a journal is remembered by its dates with a sweep a day, once without sweeps and a
budget, once with 1 % of a budget used, once under half of the room that it takes. Years: facts
given once among notes that nobody asks for, under a share of the room that all of them take.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

import graphmem
from bench.corpora import read
from bench.report import Row
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import words

_TOKENS: Final = 300
_SAMPLE: Final = 1000  # notes by which the room of all is estimated
_START: Final = datetime(2023, 1, 1, 8, tzinfo=UTC)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def is_answered(memory: graphmem.Memory, question: str, answer: str) -> bool:
    """True if the text of a recall has all words of an answer."""
    found = memory.recall(question, tokens=_TOKENS, use=False, cut="none")
    return set(words(answer)) <= set(words(found.text))


# -- nine months --------------------------------------------------------------------------------


def replay(journal: Path, questions: Path) -> list[Row]:
    """How many of the answers of a memory that never forgets are kept by those that may."""
    notes, asked = lines(journal), lines(questions)
    base, room, _ = _replayed(notes, asked, None, daily=False)
    name = f"replay/{journal.name.removesuffix('.jsonl')}"
    rows = [Row("life", name, "no sweeps", "answers", sum(base), "answers")]
    for method, budget in (("1 % of a budget", 100 * room), ("half the room", room // 2)):
        kept, _, left = _replayed(notes, asked, budget, daily=True)
        both = sum(one and other for one, other in zip(base, kept, strict=True))
        rows.append(Row("life", name, method, "answers_kept", both / max(1, sum(base)), "share"))
        rows.append(Row("life", name, method, "nodes_left", left, "share"))
    return rows


def _replayed(
    notes: Sequence[dict[str, Any]],
    asked: Sequence[dict[str, Any]],
    budget: int | None,
    *,
    daily: bool,
) -> tuple[list[bool], int, float]:
    """Which questions are answered, the live bytes, and the share of nodes that are left."""
    clock, made = Clock(_moment(notes[0]["happened"])), 0
    with graphmem.open(
        None, worker="none", clock=clock, max_bytes=budget, random=Random(0)
    ) as memory:
        for row in notes:
            then = _moment(row["happened"])
            while daily and clock.now.date() < then.date():
                memory.sweep()
                clock.now += timedelta(days=1)
            clock.now = max(clock.now, then)
            made += len(
                memory.remember(row["text"], speaker=row["speaker"], happened=row["happened"])
            )
        memory.admin.enrich()
        memory.admin.compact()
        answered = [is_answered(memory, row["question"], str(row["answer"])) for row in asked]
        return answered, memory.admin.stats()["live_bytes"], len(memory) / made


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


# -- three years --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Years:
    """The notes of several years."""

    facts: tuple[dict[str, Any], ...]
    filler: tuple[str, ...]  # files of `bench.corpora`; none: the journals
    notes: int = 20_000
    days: int = 3 * 365
    share: float = 0.1  # of the room that all of it takes
    seed: int = 7


def years(plan: Years) -> list[Row]:
    """How many facts are kept, and how well what is left is found."""
    random, clock = Random(plan.seed), Clock(_START)
    notes = _notes(plan.filler, random)
    day_of = {row["id"]: random.randrange(plan.days) for row in plan.facts}
    budget = int(plan.share * plan.notes * _bytes_a_note(notes))
    nodes: dict[str, int] = {}
    with graphmem.open(
        None,
        worker="none",
        clock=clock,
        max_bytes=budget,
        random=random,
        tuning=graphmem.Tuning(archive_bytes=0),
    ) as memory:
        for day in range(plan.days):
            clock.now = _START + timedelta(days=day)
            for row in plan.facts:
                if day_of[row["id"]] == day:
                    nodes[row["id"]] = memory.remember(row["text"])[0].id
            for _ in range(_of_day(plan, day)):
                memory.remember(next(notes))
            memory.sweep()
        text_of = {node.id: str(node) for node in memory}  # the background may make room meanwhile
        kept = [row for row in plan.facts if _says(text_of, nodes[row["id"]], str(row["answer"]))]
        found = [row for row in kept if _is_near(memory, row["question"], nodes[row["id"]])]
        with graphmem.open(None, worker="none", clock=clock, random=random) as alone:
            same = {node: alone.remember(text)[0].id for node, text in text_of.items()}
            among = [
                row for row in kept if _is_near(alone, row["question"], same[nodes[row["id"]]])
            ]
        size = memory.admin.stats()["live_bytes"] / budget
    share = max(1, len(plan.facts))
    return [
        Row("life", "years", "facts told once", "kept", len(kept) / share, "share"),
        Row("life", "years", "facts told once", "first5", len(found) / max(1, len(kept)), "share"),
        Row("life", "years", "left alone", "first5", len(among) / max(1, len(kept)), "share"),
        Row("life", "years", "all", "nodes_left", len(text_of) / (plan.notes + share), "share"),
        Row("life", "years", "all", "budget_used", size, "share"),
    ]


def _of_day(plan: Years, day: int) -> int:
    return plan.notes * (day + 1) // plan.days - plan.notes * day // plan.days


def _says(text_of: Mapping[int, str], node: int, answer: str) -> bool:
    return set(words(answer)) <= set(words(text_of.get(node, "")))


def _is_near(memory: graphmem.Memory, question: str, node: int) -> bool:
    return node in [hit.id for hit in memory.recall(question, limit=5, use=False, cut="none")]


def _notes(paths: Sequence[str], random: Random) -> Iterator[str]:
    """Endless notes of one to three sentences of the texts, no two alike."""
    pool = {
        conversation.language: [s.strip() for t in conversation.turns for s in sentences(t.text)]
        for conversation in read(list(paths))
    }
    seen: set[str] = set()
    while True:
        language = random.choice(sorted(pool))
        some = random.sample(pool[language], random.randint(1, 3))
        text = ("" if language == "zh" else " ").join(some)
        if text not in seen:
            seen.add(text)
            yield text


def _bytes_a_note(notes: Iterator[str]) -> float:
    with graphmem.open(None, worker="none", random=Random(0)) as memory:
        for _ in range(_SAMPLE):
            memory.remember(next(notes))
        memory.admin.compact()
        return float(memory.admin.stats()["live_bytes"] / _SAMPLE)
