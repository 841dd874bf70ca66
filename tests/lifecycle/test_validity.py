"""What held then and what holds now: a change closes the old, and the past can be asked for.

Without this a person who moved lives in two cities, or has never lived in the first.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import graphmem
from graphmem.errors import (
    ForgottenError,
    InvalidArgumentError,
    PinLimitError,
    UnknownVersionError,
)
from graphmem.exchange import transfer
from tests.clock import Clock

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
GHENT, LYON, OSLO = "Wen lives in Ghent.", "Wen lives in Lyon.", "Wen lives in Oslo."


def asked(memory: graphmem.Memory, **when: datetime) -> list[str]:
    where = graphmem.Where(**when)
    modes = [memory.recall("Where does Wen live?", use=False, where=where)]
    modes.append(memory.recall("Wen", mode="focus", use=False, where=where))
    said = [[hit.text for hit in found] for found in modes]
    assert sorted(said[0]) == sorted(said[1])
    return said[0]


def moved_twice(memory: graphmem.Memory, clock: Clock) -> tuple[int, int, int]:
    (ghent,) = memory.remember(
        GHENT, speaker="Ada", session="people", about=graphmem.About(keywords=["home"])
    )
    clock.now = START + timedelta(days=90)
    (lyon,) = memory.replace(ghent, LYON, since=START + timedelta(days=60))
    clock.now = START + timedelta(days=200)
    (oslo,) = memory.replace(lyon, OSLO)
    return ghent.id, lyon.id, oslo.id


def test_a_person_who_moves_twice(memory: graphmem.Memory, clock: Clock) -> None:
    ghent, lyon, oslo = moved_twice(memory, clock)
    assert asked(memory) == [OSLO]
    first, second = START + timedelta(days=60), START + timedelta(days=200)
    for when, city in (
        (START, GHENT), (first - timedelta(microseconds=1), GHENT), (first, LYON),
        (second - timedelta(microseconds=1), LYON), (second, OSLO),
    ):  # fmt: skip
        assert asked(memory, as_of=when) == [city]
        assert [n.text for n in memory.nodes(where=graphmem.Where(as_of=when))] == [city]
    assert asked(memory, as_of=START - timedelta(seconds=1)) == []
    assert [n.id for n in memory.nodes()] == [ghent, lyon, oslo]
    assert (memory[ghent].valid_from, memory[ghent].valid_to) == (START, first)
    assert (memory[lyon].valid_from, memory[lyon].valid_to) == (first, second)
    assert (memory[oslo].valid_from, memory[oslo].valid_to) == (second, None)
    assert (memory[oslo].speaker, memory[oslo].session) == ("Ada", "people")
    assert "home" in memory[oslo].keywords
    pairs = {(k.source, k.target) for n in (lyon, oslo) for k in memory.graph.links(n)
             if k.relation == "supersedes"}  # fmt: skip
    assert pairs == {(lyon, ghent), (oslo, lyon)}
    assert memory.admin.check() == []


def test_the_past_is_marked_in_the_text(memory: graphmem.Memory, clock: Clock) -> None:
    moved_twice(memory, clock)
    assert "Ghent" not in memory.recall("Where does Wen live?", use=False).text
    told = memory.recall(
        "Where does Wen live?", where=graphmem.Where(as_of=START + timedelta(days=1)), use=False
    ).text
    assert "until 2026-03-02" in told
    assert "until" not in memory.recall("Where does Wen live?", use=False).text


def test_what_ends_later_holds_until_then(memory: graphmem.Memory, clock: Clock) -> None:
    (ghent,) = memory.remember(GHENT)
    memory.replace(ghent, LYON, since=START + timedelta(days=5))
    assert GHENT in asked(memory)
    clock.now += timedelta(days=5)
    assert asked(memory) == [LYON]


def test_replaced_ones_take_no_place_of_what_holds(memory: graphmem.Memory, clock: Clock) -> None:
    """A hundred former prices match a cue better than the ten things that still hold."""
    (node,) = memory.remember("The price of the lamp is 1 euro, the lamp price.")
    for number in range(2, 100):
        clock.now += timedelta(hours=1)
        (node,) = memory.replace(node, f"The price of the lamp is {number} euro, the lamp price.")
    others = {memory.remember(f"A lamp stands in room {n}.")[0].id for n in range(5)}
    found = {hit.id for hit in memory.recall("price of the lamp", limit=10, use=False, cut="none")}
    assert found == {node.id} | others


def test_a_pin_moves_on_and_the_old_fades(clock: Clock) -> None:
    with graphmem.open(worker="none", clock=clock, max_nodes=8) as memory:
        pinned = [memory.remember(f"Fact {n} of parcel {n}.", pin=True)[0] for n in range(4)]
        with pytest.raises(PinLimitError):
            memory.remember("One more.", pin=True)
        clock.now += timedelta(days=1)
        (new,) = memory.replace(pinned[0], "Fact 0 has changed.")
        assert (memory[new].pinned, memory[pinned[0]].pinned) == (True, False)
        assert memory.admin.check() == []


def test_what_cannot_be_replaced(memory: graphmem.Memory, clock: Clock) -> None:
    (ghent,) = memory.remember(GHENT, happened=START - timedelta(days=1))
    with pytest.raises(InvalidArgumentError, match="never true"):
        memory.replace(ghent, LYON, since=START - timedelta(days=1))
    (lyon,) = memory.replace(ghent, LYON)
    clock.now += timedelta(days=1)
    with pytest.raises(InvalidArgumentError, match="replaced already"):
        memory.replace(ghent, OSLO)
    memory.forget(lyon)
    with pytest.raises(ForgottenError):
        memory.replace(lyon, OSLO)
    assert len(memory) == 1


def test_one_that_is_there_takes_the_place(memory: graphmem.Memory, clock: Clock) -> None:
    """Only a conflict could be resolved so; else the text had to be written a second time."""
    (ghent,) = memory.remember(GHENT, happened=START - timedelta(days=9))
    (lyon,) = memory.remember(LYON, happened=START - timedelta(days=4), speaker="Ada")
    assert memory.replace(ghent, by=lyon).nodes == (lyon,)
    assert memory[ghent].valid_to == lyon.valid_from
    assert [repr(node) for node in memory.nodes()] == [
        "<Node 1 whole until 2025-12-28 'Wen lives in Ghent.'>",
        "<Node 2 whole 'Wen lives in Lyon.'>",
    ]
    assert asked(memory) == [LYON]
    with pytest.raises(InvalidArgumentError, match=f"by node {lyon.id}, and holds until"):
        memory.replace(ghent, OSLO)
    with pytest.raises(UnknownVersionError, match="reopen"):
        memory.history.revive(ghent)
    assert memory.history.reopen(ghent).valid_to is None
    memory.replace(ghent, by=lyon, since=START - timedelta(days=8))
    assert memory[ghent].valid_to == START - timedelta(days=8)
    for given in ({}, {"text": OSLO, "by": ghent}, {"by": lyon}):
        with pytest.raises(InvalidArgumentError):
            memory.replace(lyon, **given)
    memory.history.reopen(ghent)
    with pytest.raises(InvalidArgumentError, match="never true"):
        memory.replace(ghent, by=lyon, since=START - timedelta(days=10))
    assert memory.admin.check() == []


@pytest.mark.parametrize("is_forgotten", [False, True])
@pytest.mark.parametrize("pins", [(True, False), (True, True), (False, True), (False, False)])
def test_the_pin_goes_with_the_place(
    memory: graphmem.Memory, clock: Clock, pins: tuple[bool, bool], is_forgotten: bool
) -> None:
    """An allergy that another memory replaced was pinned in neither, and not when it was back."""
    (old,) = memory.remember("Iris is allergic to nuts.", pin=pins[0])
    clock.now += timedelta(days=1)
    (new,) = memory.remember("Iris is allergic to walnuts only.", pin=pins[1])
    (told,) = memory.replace(old, by=new)
    assert told == memory[new]
    assert (memory[old].pinned, memory[new].pinned) == (False, any(pins))
    assert memory.admin.check() == []
    if is_forgotten:
        memory.forget(new)
    assert memory.history.reopen(old).pinned == pins[0]
    assert is_forgotten or memory[new].pinned == any(pins)
    assert memory.admin.stats()["pinned"] == pins[0] + (any(pins) and not is_forgotten)
    assert memory.admin.check() == []


def test_a_pin_that_does_not_fit_is_not_given_back() -> None:
    with graphmem.open(worker="none", max_nodes=8) as memory:
        first, second, *_ = (memory.remember(f"Rule {n}.", pin=True)[0] for n in range(4))
        (other,) = memory.remember("The first rule is another one.")
        memory.replace(first, by=other)
        with pytest.raises(PinLimitError):
            memory.history.reopen(first)
        memory.unpin(second)
        assert memory.history.reopen(first).pinned
        assert memory.admin.check() == []


def test_a_pin_on_what_was_replaced_stays(memory: graphmem.Memory, clock: Clock) -> None:
    (old,) = memory.remember(GHENT)
    clock.now += timedelta(days=1)
    memory.replace(old, LYON)
    memory.pin(old)
    assert memory.history.reopen(old).pinned
    assert memory.admin.check() == []


def test_what_began_with_1970_ends_there(memory: graphmem.Memory) -> None:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    (old,) = memory.remember("The mill stands.", happened=epoch - timedelta(days=1))
    memory.replace(old, by=memory.remember("The mill burned down.")[0], since=epoch)
    assert memory[old].valid_to == epoch


def test_a_correction_keeps_when_it_holds(memory: graphmem.Memory, clock: Clock) -> None:
    _, _, oslo = moved_twice(memory, clock)
    since = memory[oslo].valid_from
    clock.now += timedelta(days=1)
    (bergen,) = memory.correct(oslo, "Wen lives in Bergen.")
    assert bergen.valid_from == since
    assert asked(memory, as_of=since or START) == ["Wen lives in Bergen."]
    assert "corrects" in {d.link.relation for d in memory.graph.links(bergen).dangling}
    clock.now += timedelta(days=1)
    assert memory.remember(GHENT)[0].valid_to is None, "said anew it holds anew"


def test_it_outlives_a_restart_an_export_and_a_repair(tmp_path: Path, clock: Clock) -> None:
    with graphmem.open(tmp_path / "a", worker="none", clock=clock) as memory:
        moved_twice(memory, clock)
        before = list(memory.nodes())
    transfer.export(tmp_path / "a", str(tmp_path / "a.jsonl"))
    transfer.load(tmp_path / "b", [str(tmp_path / "a.jsonl")])
    graphmem.repair(tmp_path / "a")
    for folder in ("a", "b"):
        with graphmem.open(tmp_path / folder, worker="none", clock=clock) as memory:
            assert list(memory.nodes()) == before
            assert asked(memory) == [OSLO]
            assert memory.admin.check() == []


# -- reopen ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("pinned", [False, True])
def test_a_replacement_is_taken_back(memory: graphmem.Memory, clock: Clock, pinned: bool) -> None:
    """A slip of the hand in `replace` would leave what is true closed for ever."""
    (old,) = memory.remember("Wen lives in Ghent.", pin=pinned)
    (other,) = memory.remember("Wen walks along the canal.")
    memory.graph.relate(old, "because", other)
    before, links = memory[old.id], [*memory.graph.links(old)]
    seen = memory.history.changes(None).last
    clock.now += timedelta(days=1)
    (new,) = memory.replace(old, "Wen lives in Lyon.")
    assert memory.history.reopen(old, withdraw=[new]) == before
    assert [*memory.graph.links(old)] == links
    assert new.id not in memory
    assert memory.admin.stats()["pinned"] == pinned
    assert [hit.id for hit in memory.recall("Where does Wen live?", use=False)][:1] == [old.id]
    told = [(each.action, each.node) for each in memory.history.changes(seen)]
    assert told[2:] == [("forgotten", new.id), ("reopened", old.id)]
    assert memory.admin.check() == []
    clock.now += timedelta(days=1)
    (again,) = memory.replace(old, "Wen lives in Oslo.")
    assert memory[again.id].pinned == pinned


def test_a_long_replacement_is_taken_back_whole(memory: graphmem.Memory, clock: Clock) -> None:
    """Segments that stay would be recalled beside what they replaced."""
    (old,) = memory.remember("Wen lives in Ghent.")
    long = "Wen lives in Lyon now, in the street behind the station, with two cats. " * 60
    clock.now += timedelta(days=1)
    written = memory.replace(old, long)
    assert len(written) > 1
    memory.history.reopen(old, withdraw=written)
    assert [node.id for node in memory] == [old.id]
    assert memory.admin.check() == []


def test_what_was_there_before_is_not_withdrawn(memory: graphmem.Memory, clock: Clock) -> None:
    """An undo forgot a memory that somebody else had told, and that held for another one too."""
    (ghent,) = memory.remember(GHENT, happened=START - timedelta(days=9))
    (gone,) = memory.remember("Wen lives by the river.", happened=START - timedelta(days=8))
    (oslo,) = memory.remember(OSLO)
    clock.now += timedelta(days=1)
    memory.replace(ghent, by=oslo)
    with pytest.raises(InvalidArgumentError, match=f"node {oslo.id} was not written in the place"):
        memory.history.reopen(ghent, withdraw=[oslo])
    clock.now += timedelta(days=1)
    (lyon,) = memory.replace(oslo, LYON)
    memory.replace(gone, by=lyon)
    for node in (oslo, gone):
        with pytest.raises(InvalidArgumentError, match=f"node {lyon.id} was not written"):
            memory.history.reopen(node, withdraw=[lyon])
    memory.history.reopen(gone)
    memory.history.reopen(oslo, withdraw=[lyon])
    assert {node.id for node in memory} == {ghent.id, gone.id, oslo.id}


def test_what_conflicts_with_later_acts_is_not_reopened(
    memory: graphmem.Memory, clock: Clock
) -> None:
    """What somebody did since then would be undone without a word."""
    (old,) = memory.remember("Wen lives in Ghent.")
    (other,) = memory.remember("Bo sings.")
    memory.graph.relate(other, "tells of", old)
    with pytest.raises(InvalidArgumentError, match=f"node {old.id} was not replaced"):
        memory.history.reopen(old)
    clock.now += timedelta(days=1)
    (new,) = memory.replace(old, "Wen lives in Lyon.")
    with pytest.raises(InvalidArgumentError, match=f"node {other.id} did not take the place"):
        memory.history.reopen(old, withdraw=[other])
    clock.now += timedelta(days=1)
    (newer,) = memory.replace(new, "Wen lives in Oslo.")
    with pytest.raises(InvalidArgumentError, match=f"reopen node {new.id} first"):
        memory.history.reopen(old, withdraw=[new])
    memory.history.reopen(new, withdraw=[newer])
    (right,) = memory.correct(new, "Wen lives in Lille.")
    with pytest.raises(ForgottenError, match=f"node {new.id}"):
        memory.history.reopen(old, withdraw=[new])
    memory.history.reopen(old)  # and what took its place stays
    assert {old.id, other.id, right.id} == {node.id for node in memory}
    assert all(link.relation != "supersedes" for link in memory.graph.links(right))
    clock.now += timedelta(days=1)
    memory.replace(old, "Wen lives in Rome.")
    memory.forget(old)
    with pytest.raises(ForgottenError, match=f"node {old.id}"):
        memory.history.reopen(old)
    assert memory.admin.check() == []
