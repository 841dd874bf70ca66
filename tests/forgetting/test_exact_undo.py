"""`forget` and then `revive`: what comes back is what went, as far as its other ends exist."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem.api.opening import rooms
from graphmem.forgetting import archive


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        yield opened


def known(memory: graphmem.Memory, passes: int) -> dict[str, Any]:
    """All that an undo is to give back, with links as strong as they were so many passes ago."""
    stronger = 0.97**-passes
    return {
        "nodes": {
            node.id: (node.text, node.uses, node.pinned, node.session, node.speaker, node.metadata)
            for node in memory
        },
        "links": {
            (k.source, k.relation, k.target): (pytest.approx(k.strength * stronger), k.distance)
            for node in memory
            for k in memory.graph.links(node)
        },
        "importance": {
            node.id: pytest.approx(memory.graph.importance(node) * stronger) for node in memory
        },
        "facts": set(map(str, memory.graph.facts)),
    }


def filled(memory: graphmem.Memory, draw: Any) -> list[int]:
    nodes: list[int] = []
    for k in range(draw(st.integers(3, 9))):
        said = f"Thing {k} of the mill. " * draw(st.sampled_from([1, 12]))
        pin = draw(st.booleans())
        nodes += [n.id for n in memory.remember(said, session=f"s{k % 2}", pin=pin)]
    one = st.sampled_from(nodes)
    for a, b in draw(st.lists(st.tuples(one, one), max_size=8)):
        if a != b:
            memory.graph.relate(a, draw(st.sampled_from(["about", "with"])), b)
            memory.graph.facts.put(a, "ex:about", draw(st.one_of(one.map(lambda n: memory[n]))))
    for node in draw(st.lists(one, max_size=6)):
        memory.used(node)
        memory.graph.facts.put(node, "ex:source", "mail-118")
    return nodes


@given(data=st.data())
def test_what_was_forgotten_comes_back_as_it_was(data: st.DataObject) -> None:
    """Of 67 links 5 came back, and an importance of 2.14 became 4."""
    with graphmem.open(worker="none") as memory:
        nodes = filled(memory, data.draw)
        before = known(memory, 0)
        gone = data.draw(st.lists(st.sampled_from(nodes), unique=True, max_size=5))
        passes = 0
        for node in gone:
            memory.forget(node)
            for _ in range(data.draw(st.integers(0, 3))):
                memory.sweep()
                passes += 1
        assert memory.admin.check() == []
        for node in data.draw(st.permutations(gone)):
            assert memory.history.revive(node).missing == ()
        assert known(memory, passes) == before
        assert memory.admin.stats()["tombstones"] == 0
        assert memory.admin.check() == []


def test_a_link_waits_for_an_end_that_is_forgotten_too(memory: graphmem.Memory) -> None:
    """In one of the two orders it was lost."""
    one, other = memory.remember("Ada runs the mill.")[0], memory.remember("Ben rows.")[0]
    memory.graph.relate(one, "knows", other)
    for first, second in ((one, other), (other, one)):
        memory.forget(one)
        memory.forget(other)
        memory.history.revive(first)
        memory.history.revive(second)
        assert "knows" in {link.relation for link in memory.graph.links(one)}
        assert not memory.graph.links(one).dangling


def test_what_is_missing_is_said(memory: graphmem.Memory) -> None:
    """ "Undone" on a page that had lost most links was untrue."""
    one, other = memory.remember("Ada runs the mill.")[0], memory.remember("Ben rows.")[0]
    rooms(memory).removal.archive_bytes = 0
    memory.forget(other)
    rooms(memory).removal.archive_bytes = 1 << 20
    memory.forget(one)
    (missing,) = memory.history.revive(one).missing
    assert missing == f"1 link with what is no more (node {other.id})"
    assert memory.admin.check() == []


def test_what_was_replaced_is_said_to_hold_no_more(memory: graphmem.Memory) -> None:
    """It was told that it is back, and no recall told it."""
    (old,) = memory.remember("The heating is off on Fridays.")
    (new,) = memory.replace(old, "The heating is off on Saturdays.")
    memory.forget(old)
    (missing,) = memory.history.revive(old).missing
    assert missing == (
        f"that it holds: node {new.id} has replaced it; history.reopen({old.id}) undoes that"
    )
    memory.forget(new)
    memory.forget(old)
    assert "has replaced it" in memory.history.revive(old).missing[0]
    assert memory.history.reopen(old).valid_to is None
    memory.forget(old)
    assert memory.history.revive(old).missing == ()
    assert memory.admin.check() == []


def test_a_pin_for_which_there_is_no_room_is_said_to_be_missing() -> None:
    with graphmem.open(worker="none", max_nodes=8) as memory:
        nodes = [memory.remember(f"Thing {k}.", pin=True)[0].id for k in range(4)]
        memory.forget(nodes[0])
        memory.remember("Another thing.", pin=True)
        assert memory.history.revive(nodes[0]).missing == ("its pin",)
        assert memory.admin.stats()["pinned"] == 4


def test_an_erased_node_stands_in_nobodys_archived_links(memory: graphmem.Memory) -> None:
    """Its id, in what others were linked with, said that it had been there."""
    one, other = memory.remember("Ada runs the mill.")[0], memory.remember("Ben rows.")[0]
    memory.graph.facts.put(one, "ex:about", other)
    memory.forget(one)
    memory.forget(other, erase=True)
    with rooms(memory).reading() as view:
        (form,) = archive.forms(view.reader, view.scope, one.id)
    assert (form.links, form.facts) == ((), ())
    assert memory.admin.check() == []
    assert memory.history.revive(one).missing == ()
    assert memory.graph.facts.count() == 0
    assert memory.admin.check() == []


def test_a_reminder_that_went_for_room_is_linked_again() -> None:
    """Under a budget the links to what is forgotten are the first to go."""
    with graphmem.open(worker="none", max_bytes=1 << 16) as memory:
        one, other = memory.remember("Ada runs the mill.")[0], memory.remember("Ben rows.")[0]
        memory.graph.relate(other, "knows", one)
        memory.pin(other)
        memory.forget(one)
        for k in range(80):
            memory.remember(f"Wen paid {k} euros to Karlsson in May, and it was rather good.")
        assert "knows" not in {link.relation for link in memory.graph.links(other)}
        memory.history.revive(one)
        assert "knows" in {link.relation for link in memory.graph.links(other)}
        assert memory.admin.check() == []


@pytest.mark.parametrize(
    ("texts", "cue"),
    [
        (
            ("Wen keeps the spare key under the blue pot.", "Ada waters the blue pot on Fridays."),
            "Where is the spare key?",
        ),
        (("小文把备用钥匙放在蓝色花盆下面。", "阿达每周五给蓝色花盆浇水。"), "备用钥匙在哪里？"),
    ],
    ids=["en", "zh"],
)
def test_forget_and_revive_is_as_if_nothing_had_been(
    memory: graphmem.Memory, texts: tuple[str, str], cue: str
) -> None:
    """What was brought back had lost its links and was found in another place."""
    key, pot = (memory.remember(text, session="home")[0].id for text in texts)
    memory.graph.relate(key, "with", pot)
    memory.used(key)
    before, found = known(memory, 0), memory.recall(cue, use=False)
    assert found[0].id == key
    memory.forget(key)
    assert [node.id for node in memory.history.forgotten()] == [key]
    assert key not in [hit.id for hit in memory.recall(cue, use=False)]
    assert memory.history.revive(key).missing == ()
    assert known(memory, 0) == before
    again = memory.recall(cue, use=False)
    assert [(hit.id, hit.text) for hit in again] == [(hit.id, hit.text) for hit in found]
