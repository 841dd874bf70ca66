"""What comes back of two journals, by every way of asking: a weight or a bound that moved changes
the order, the reasons or the cut of answers that no other test asks for."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

import graphmem
from graphmem.values.hits import Hit
from tests.clock import Clock
from tests.embedders import Hashed
from tests.golden_files import assert_golden

DATA: Final = Path(__file__).parents[2] / "data"
NOTES: Final = 60
CUES: Final = 16
ASKED: Final[dict[str, dict[str, Any]]] = {
    "all": {"trace": True},
    "a budget": {"tokens": 160, "limit": 2},
    "uncut": {"cut": "none", "limit": 5},
    "strict": {"cut": "strict"},
    "both": {"mode": "hybrid", "limit": 5},
    "focus": {"mode": "focus", "limit": 5},
    "earlier": {"where": graphmem.Where(until="2026-02-01", depth=1)},
    "known then": {"where": graphmem.Where(known_at="2026-02-01"), "tokens": 160, "limit": 2},
    "as of": {"where": graphmem.Where(as_of="2026-02-01T00:00:00+00:00")},
}
"""How cues are asked for, each in its turn."""
DATED: Final = {
    "en": ("What happened on 12 January?", "What was said last week?", "What did Priya do recently?",
           "What do we have in the next two months?", "What is on 20 April?", "Who wrote in January?",
           "What was decided the day before yesterday?", "What changes in 2026?"),
    "zh": ("1月12日发生了什么？", "上周说了什么？", "最近谁生病了？", "接下来两个月有什么安排？",
           "4月20日有什么事？", "一月谁写了？", "前天决定了什么？", "2026年有什么变化？"),
}  # fmt: skip


def rows(name: str, language: str) -> list[dict[str, Any]]:
    lines = (DATA / f"{name}.{language}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def lived(language: str, **settings: Any) -> Iterator[graphmem.Memory]:
    """A memory of a journal, of which something was used, pinned, replaced, forgotten and swept."""
    clock = Clock(datetime(2026, 1, 5, tzinfo=UTC))
    with graphmem.open(worker="none", clock=clock, random=Random(1), **settings) as memory:
        for place, row in enumerate(rows("journal", language)[:NOTES]):
            clock.now = max(clock.now, datetime.fromisoformat(row["date"]))
            memory.remember(
                row["text"], speaker=row["speaker"], session=row["session"], happened=row["date"],
                metadata={"place": place}, about=graphmem.About(shared=place % 2 == 0),
            )  # fmt: skip
        nodes = [node.id for node in memory.nodes()]
        memory.used(nodes[3::7], nodes[3::14])
        memory.pin(nodes[11])
        memory.replace(nodes[5], "Marijke wants forty-eight of them now.")
        memory.correct(nodes[8], "The second board smells, not the fifth.")
        memory.forget(nodes[9])
        memory.graph.relate(nodes[2], "because of", nodes[12])
        clock.now += timedelta(days=2)
        memory.sweep()
        yield memory


@pytest.fixture(scope="module", params=["en", "zh"])
def memory(request: pytest.FixtureRequest) -> Iterator[tuple[str, graphmem.Memory]]:
    """The English one has vectors."""
    settings: dict[str, Any] = (
        {"embedder": Hashed(), "tuning": graphmem.Tuning(vector_patience=60.0)}
        if request.param == "en"
        else {}
    )
    for memory in lived(request.param, **settings):
        memory.admin.enrich()
        yield request.param, memory


def shown(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.id, "score": hit.score, "parts": hit.parts, "why": hit.why,
        "coverage": hit.coverage, "folded": hit.folded, "earlier": hit.earlier,
        "path": [(link.source, link.relation, link.target) for link in hit.path],
    }  # fmt: skip


def answer(found: graphmem.Recall) -> dict[str, Any]:
    return {
        "hits": [shown(hit) for hit in found[:4]],
        "ids": [f"{hit.scope} {hit.id}" for hit in found],
        "answered": found.answered,
        "text": found.text[-80:],
        "dangling": [one.id for one in found.dangling],
        "trace": len(str(found.trace)),
    }


def test_what_comes_back_is_as_before(memory: tuple[str, graphmem.Memory]) -> None:
    language, asked = memory
    told = {}
    for place, row in enumerate(rows("questions", language)[:CUES]):
        for way, how in list(ASKED.items())[place % 4 :: 4]:
            if how.get("mode") != "hybrid" or language == "en":
                found = asked.recall(row["question"], use=False, **how)
                told[f"{row['id']} {way}"] = answer(found)
    for cue in DATED[language]:
        told[cue] = answer(asked.recall(cue, use=False, tokens=120))
    child = asked.scopes.open("child", parents=("default",))
    for row in rows("journal", language)[NOTES : NOTES + 8]:
        child.remember(row["text"], speaker=row["speaker"], happened=row["date"])
    child.admin.enrich()
    for row in rows("questions", language)[:4]:
        told[f"{row['id']} of a child"] = answer(child.recall(row["question"], tokens=160))
    assert_golden(f"recalls.{language}", told)


def test_what_is_told_of_a_memory_is_as_before(memory: tuple[str, graphmem.Memory]) -> None:
    language, asked = memory
    told: dict[str, object] = {}
    for row in rows("questions", language)[CUES : CUES + 6]:
        told[f"context {row['id']}"] = str(asked.context(row["question"], tokens=200))
        if language == "zh":  # with vectors it waits for themes
            told[f"about {row['id']}"] = str(asked.themes.about(row["question"], tokens=60))
    nodes = list(asked.nodes())
    for node in nodes[::5]:
        told[f"node {node.id}"] = {
            "worth": asked.history.worth(node),
            "links": [
                (k.source, k.relation, k.target, k.strength) for k in asked.graph.links(node)
            ],
            "importance": asked.graph.importance(node),
            "versions": [str(version)[:60] for version in asked.history.of(node)],
        }
    told["conflicts"] = [(str(one), one.proposal, one.replaces) for one in asked.review.conflicts()]
    told["preferences"] = asked.review.preferences(sessions=2)
    told["forgotten"] = [(one.id, one.why) for one in asked.history.forgotten()]
    told["focus"] = [node.id for node in asked.graph.focus]
    assert_golden(f"told.{language}", told)
