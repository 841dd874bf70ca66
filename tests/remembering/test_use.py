"""Use: what helped is counted, linked with the focus and brought into it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ArgumentTypeError, UnknownNodeError
from graphmem.remembering.sessions import use

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none", clock=lambda: NOW) as opened:
        for k in range(12):
            opened.remember(f"Thought number {k}.")
        yield opened


def test_a_used_node_is_counted_and_enters_the_focus_first(memory: graphmem.Memory) -> None:
    """What helps would fade like what never did."""
    memory.used(1)
    node = memory[1]
    assert (node.uses, node.last_used) == (1, NOW)
    assert [n.id for n in memory.graph.focus] == [1, 12, 11, 10, 9]
    assert memory.admin.check() == []


def test_a_used_node_is_linked_with_the_focus_at_its_distances(memory: graphmem.Memory) -> None:
    """Without the links, the next recall from the focus does not find what helped before."""
    memory.used(1)
    expected = {12: 1, 11: 2, 10: 3, 9: 4, 8: 5}
    assert {k.target: k.distance for k in memory.graph.links(1) if k.target in expected} == expected
    back = {node: {k.target: k.distance for k in memory.graph.links(node)}[1] for node in expected}
    assert back == expected


def test_a_used_node_in_focus_moves_to_the_front(memory: graphmem.Memory) -> None:
    """Linked with the focus again and again, five nodes would become hubs of each other."""
    links = memory.admin.stats()["links"]
    memory.used(10)
    assert [n.id for n in memory.graph.focus] == [10, 12, 11, 9, 8]
    assert memory.admin.stats()["links"] == links
    assert memory[10].uses == 1


def test_used_takes_nodes_hits_ids_and_lists_of_them(memory: graphmem.Memory) -> None:
    """A form that is taken and not counted loses what the caller said."""
    found = memory.recall("thought number 11", where=graphmem.Where(depth=0), limit=1, use=False)
    assert found[0].id == 12
    memory.used(found[0])
    memory.used(found)
    memory.used(memory[2], 1, [4, memory[5]], (hit.id for hit in found))
    assert {node.id: node.uses for node in memory if node.uses} == {12: 3, 2: 1, 1: 1, 4: 1, 5: 1}


def test_a_forgotten_node_is_passed_over(memory: graphmem.Memory) -> None:
    """A use that comes after the node has gone must not bring half of it back."""
    memory.forget(2)
    memory.used(2, 3, 12345)
    assert 2 not in memory
    assert memory[3].uses == 1
    assert memory.admin.check() == []


@pytest.mark.parametrize("other", ["1", None, 1.0, True, ["1"], object()])
def test_what_is_no_node_is_refused_and_nothing_is_counted(
    memory: graphmem.Memory, other: Any
) -> None:
    """Half of a list counted and half refused could not be told apart."""
    sequence = memory.admin.stats()["sequence"]
    with pytest.raises(ArgumentTypeError, match="a node is a Node, a Hit or an id"):
        memory.used(1, other)
    with pytest.raises(UnknownNodeError):
        memory.used(1, -1)
    assert memory.admin.stats()["sequence"] == sequence
    assert memory[1].uses == 0


def test_several_in_place_of_one_are_refused_with_advice(memory: graphmem.Memory) -> None:
    """ "got Remembered" did not say what to do."""
    several: Any = memory.remember("A fence.")
    with pytest.raises(ArgumentTypeError, match="lists of nodes lie too deep"):
        memory.forget([1, [1]])  # it was told to give the first of them
    with pytest.raises(ArgumentTypeError, match="got Remembered; give one of them"):
        memory.replace(several, "A wall.")


def test_uses_that_keep_coming_do_not_hold_the_writer_for_ever(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads that recalled faster than uses were applied kept one transaction open without end:
    nobody could write, and `close` never returned."""

    opened, counted = rooms(memory), 0
    opened.database.upkeep.stop()

    def another(*args: Any) -> bool:
        nonlocal counted
        counted += 1
        opened.jobs.use_later(1)
        return use(*args)

    monkeypatch.setattr("graphmem.runtime.jobs.use", another)
    for node in (1, 2, 3):
        opened.jobs.use_later(node)
    opened.jobs.apply_uses()
    assert counted == 3
    monkeypatch.undo()
    assert (memory[1].uses, memory[2].uses) == (1, 1)
