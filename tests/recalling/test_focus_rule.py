"""`mode="focus"`: the seed's own rule, compared with a breadth-first search written down plainly."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.settings import Ranking

WORDS = "release coffee budget Ada Wen May 发布 咖啡 预算".split()


Known = dict[int, tuple[list[graphmem.Link], str]]
"""node → its links, and what it says."""


def by_hand(
    known: Known, focus: Sequence[int], cue: Sequence[str], relations: Sequence[str], depth: int
) -> list[tuple[int, int]]:
    """(node, distance) of the seed's answer: breadth-first, any keyword as a substring."""
    distance = dict.fromkeys(focus, 0)
    queue = list(distance)
    for source in queue:
        if source in known and distance[source] < depth:
            for link in known[source][0]:
                if link.target not in distance:
                    distance[link.target] = distance[source] + 1
                    queue.append(link.target)
    found = []
    for node in queue:
        if node not in known:
            continue
        links, said = known[node]
        related = not relations or {link.relation for link in links} & set(relations)
        if related and (not cue or any(word.casefold() in said for word in cue)):
            found.append((node, distance[node]))
    return found


@pytest.fixture(scope="module")
def memory() -> Any:
    random = Random(7)
    with graphmem.open(
        worker="none", tuning=graphmem.Tuning(ranking=Ranking(node_budget=100_000))
    ) as opened:
        for k in range(120):
            text = " ".join(random.choices(WORDS, k=4)) + f" number {k}."
            opened.remember(text)
            if k > 2 and random.random() < 0.5:
                a, b = random.sample(range(1, k + 2), 2)
                if a in opened and b in opened:
                    opened.graph.relate(a, random.choice(["because", "after"]), b)
            if random.random() < 0.1:
                opened.used(random.randrange(1, k + 2))
            if random.random() < 0.1:
                opened.sweep()
            if random.random() < 0.05:
                opened.forget(opened.graph.focus[-1])
        yield opened


@pytest.fixture(scope="module")
def known(memory: graphmem.Memory) -> Known:
    return {
        node.id: (
            list(memory.graph.links(node)),
            " ".join((node.text, *node.keywords)).casefold(),
        )
        for node in memory
    }


@pytest.mark.parametrize(
    "cue", [[], ["release"], ["RELEASE", "coffee"], ["eleas"], ["发布"], ["giraffe"], ["12"]]
)
@pytest.mark.parametrize("relations", [(), ("because",), ("after", "segment"), ("nothing",)])
def test_it_is_the_seeds_rule(
    memory: graphmem.Memory, known: Known, cue: list[str], relations: tuple[str, ...]
) -> None:
    """Kept to compare with, it is worth nothing if it answers otherwise than the seed."""
    focus = [node.id for node in memory.graph.focus]
    for depth in (0, 1, 2, 3, 10):
        where = graphmem.Where(depth=depth, relations=relations)
        found = memory.recall(" ".join(cue), mode="focus", where=where, limit=1000, use=False)
        expected = by_hand(known, focus, cue, relations, depth)
        assert [(hit.id, round(1 / hit.score) - 1) for hit in found] == expected, depth


def test_a_path_leads_from_the_focus_to_the_hit(memory: graphmem.Memory) -> None:
    """A path that does not exist explains nothing."""
    focus = {node.id for node in memory.graph.focus}
    for hit in memory.recall(
        "", mode="focus", where=graphmem.Where(depth=3), limit=1000, use=False
    ):
        steps = [link.target for link in hit.path]
        assert len(steps) == round(1 / hit.score) - 1
        if steps:
            assert hit.path[0].source in focus
            assert steps[-1] == hit.id
            assert [link.source for link in hit.path[1:]] == steps[:-1]
        else:
            assert hit.id in focus


def test_forgotten_nodes_on_the_way_are_named(memory: graphmem.Memory) -> None:
    """The seed's "broken links" are what a user wants to hear about."""
    found = memory.recall("", mode="focus", where=graphmem.Where(depth=10), limit=1000, use=False)
    assert found.dangling
    assert all(stone.id not in memory for stone in found.dangling)


def test_its_work_is_bounded_by_the_node_budget() -> None:
    """Depth ten through hubs would read the whole memory for one question."""
    with graphmem.open(
        worker="none", tuning=graphmem.Tuning(ranking=Ranking(node_budget=10))
    ) as memory:
        for k in range(60):
            memory.remember(f"Thought {k}.")
        found = memory.recall(
            "", mode="focus", where=graphmem.Where(depth=10), limit=1000, use=False
        )
        expanded = {link.source for hit in found for link in hit.path}
        assert 5 <= len(expanded) <= 10


def test_nothing_in_focus_is_nothing_found() -> None:
    """The seed starts from the focus alone; words are no entry there."""
    with graphmem.open(worker="none") as memory:
        memory.remember("Release.")
        with rooms(memory).changing() as writer:
            writer.set_focus(())
        assert len(memory.recall("release", mode="focus")) == 0
        assert len(memory.recall("release")) == 1
