"""The enrichment queue: what waits for the worker is in the store, counted, and never twice."""

from collections.abc import Iterator

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.hexastore.transaction import Transaction
from graphmem.services import queue


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        yield opened


def transaction(memory: graphmem.Memory) -> Transaction:
    return Transaction(rooms(memory).store, rooms(memory).scope)


def waiting(memory: graphmem.Memory) -> list[int]:
    return list(queue.waiting(rooms(memory).store, rooms(memory).scope))


def test_every_remembered_segment_waits_oldest_first(memory: graphmem.Memory) -> None:
    """A segment that never reaches the worker keeps its first guess of a salience for ever."""
    nodes = [node for text in ("One.", "Two.", "Three.") for node in memory.remember(text)]
    assert waiting(memory) == [node.id for node in nodes]
    assert memory.admin.stats()["queue"] == {"waiting": 3, "set_aside": 0}


def test_what_waits_is_queued_once(memory: graphmem.Memory) -> None:
    """Counted twice, `enrich` would wait for ever for work that is not there."""
    (node,) = memory.remember("One.")
    with transaction(memory) as tx:
        queue.put(tx, node.id)
        queue.put(tx, node.id)
    assert memory.admin.stats()["queue"]["waiting"] == 1
    assert memory.admin.check() == []


def test_failures_are_counted_until_the_node_is_set_aside(memory: graphmem.Memory) -> None:
    """A text that kills the worker each time would be tried for ever, and hold up the others."""
    (node,) = memory.remember("One.")
    for last in (False, False, True):
        with transaction(memory) as tx:
            assert queue.fail(tx, node.id, "the worker died", 3) is last
        assert memory.admin.check() == []
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 1}
    assert list(queue.dead(rooms(memory).store, rooms(memory).scope)) == [
        (node.id, "the worker died")
    ]


def test_a_failure_of_a_node_forgotten_meanwhile_leaves_no_trace(memory: graphmem.Memory) -> None:
    """Its queue entry came back, uncounted and without a node."""
    (node,) = memory.remember("One.")
    memory.forget(node)
    with transaction(memory) as tx:
        assert queue.fail(tx, node.id, "too late", 3)
    assert waiting(memory) == []
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 0}
    assert memory.admin.check() == []


def test_a_forgotten_node_leaves_the_queue_and_the_dead_letters(memory: graphmem.Memory) -> None:
    """The worker would be asked about a text that was to be forgotten."""
    first, second = (memory.remember(text)[0] for text in ("One.", "Two."))
    with transaction(memory) as tx:
        queue.fail(tx, second.id, "no", 1)
    memory.forget(first)
    memory.forget(second, erase=True)
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 0}
    assert memory.admin.check() == []


@pytest.mark.parametrize("before", ["", "x", "xx"])
def test_a_long_reason_in_any_script_is_cut_and_can_be_read(
    memory: graphmem.Memory, before: str
) -> None:
    """Cut inside a character, the reason could not be decoded, and `failed` and `retry` raised."""
    (node,) = memory.remember("One.")
    with transaction(memory) as tx:
        queue.fail(tx, node.id, before + "失败" * 1000, 1)
    ((found, reason),) = queue.dead(rooms(memory).store, rooms(memory).scope)
    assert found == node.id
    assert reason.startswith(before + "失败" * 160)
    assert len(reason) < 340
    assert memory.admin.retry() == 1
    assert waiting(memory) == [node.id]


def test_set_aside_and_back_again(memory: graphmem.Memory) -> None:
    """Counted wrongly, `check` would find a fault, and `enrich` wait for work that is not there."""
    first, second = (memory.remember(text)[0] for text in ("One.", "Two."))
    with transaction(memory) as tx:
        queue.set_aside(tx, first.id, "no")
        queue.set_aside(tx, first.id, "no again")  # it waits no more
    assert list(queue.dead(rooms(memory).store, rooms(memory).scope)) == [(first.id, "no")]
    assert memory.admin.check() == []
    with transaction(memory) as tx:
        assert queue.retry(tx, first.id)
        assert not queue.retry(tx, first.id)
        assert not queue.retry(tx, second.id)
    assert waiting(memory) == [first.id, second.id]
    assert memory.admin.stats()["queue"] == {"waiting": 2, "set_aside": 0}
    assert memory.admin.check() == []


def test_what_is_set_aside_in_two_forms_is_counted_once(memory: graphmem.Memory) -> None:
    """A model that may write is asked again of a shorter form; of that it may fail as well."""
    (node,) = memory.remember("One.")
    for reason in ("no", "no again"):
        with transaction(memory) as tx:
            queue.put(tx, node.id)
            queue.set_aside(tx, node.id, reason)
    assert memory.admin.stats()["queue"] == {"waiting": 0, "set_aside": 1}
    assert list(queue.dead(rooms(memory).store, rooms(memory).scope)) == [(node.id, "no again")]
    assert memory.admin.check() == []


def test_a_queue_is_gone_through_in_rounds() -> None:
    """What fails and stays would be tried again before the others had their turn."""
    tried: list[int] = []
    first = 0
    for _ in range(4):
        nodes, first = queue.turn(
            lambda start: (n for n in (3, 4, 7, 9, 12) if n >= start), first, 2
        )
        tried += nodes
    assert tried == [3, 4, 7, 9, 12, 3, 4]
