"""Slots: with `max_nodes`, a newcomer takes the place of the least important of a sample."""

from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import CapacityError, PinLimitError
from graphmem.forgetting.holding import reason
from graphmem.forgetting.slots import SAMPLE
from graphmem.graph.records import TextRecord
from graphmem.storage.in_memory import InMemorySnapshot

pytestmark = pytest.mark.usefixtures("by_passes")

LONG = "".join(
    f"This is sentence {k} of a text that takes several segments of about two hundred characters "
    "each, as one can see when one counts them, which nobody in this house ever does. "
    for k in range(10)
)


def full(memory: graphmem.Memory, most: int) -> None:
    memory.remember_many(f"Thing number {k}." for k in range(most))


def test_the_number_of_nodes_is_never_above_max_nodes() -> None:
    """A bound that is kept on average is no bound."""
    with graphmem.open(worker="none", max_nodes=10, random=Random(1)) as memory:
        for k in range(60):
            memory.remember(f"Thing number {k}." if k % 9 else LONG[:700])
            assert memory.admin.stats()["nodes"] == len(memory) <= 10
            if k % 11 == 0:
                memory.sweep()
        assert memory.admin.check() == []


def test_in_one_commit_the_least_of_its_own_nodes_goes() -> None:
    """Only what had been committed was sampled: beside pinned nodes, those in focus went instead."""
    with graphmem.open(worker="none", max_nodes=12, random=Random(1)) as memory:
        for k in range(2):
            memory.remember(f"Pinned thing number {k}.", pin=True)
        turns = ["Ok, thanks.", *(f"Pump number {k} stands in hall {k % 5}." for k in range(12))]
        memory.remember(messages=[{"role": "user", "content": text} for text in turns])
        assert len(memory) == 12
        assert "Ok, thanks." not in {node.text for node in memory}


def test_the_least_important_goes() -> None:
    """By the id of its slot instead of by its node, importance was always 0 and chance decided."""
    with graphmem.open(worker="none", max_nodes=20, tuning=graphmem.Tuning(grace=0)) as memory:
        full(memory, 20)
        weak = 7
        with rooms(memory).changing() as writer:
            for entry in writer.links.out_links(weak):
                writer.links.remove(weak, entry)
            record = writer.view.record(weak)
            assert record is not None
        assert memory.graph.importance(weak) == 0
        memory.remember("A newcomer.")
        assert weak not in memory
        assert len(memory) == 20
        assert memory.history.of(weak)[-1].why == "slot"
        dangling = {d.link.target for node in memory for d in memory.graph.links(node).dangling}
        assert dangling == {weak}
        assert memory.admin.check() == []


def test_pinned_nodes_and_those_in_focus_never_go() -> None:
    """What was to be kept, or is being talked about, is not what room is made of."""
    with graphmem.open(worker="none", max_nodes=12, random=Random(2)) as memory:
        pinned = {memory.remember(f"Pinned {k}.", pin=True)[0].id for k in range(6)}
        for k in range(200):
            focus = {node.id for node in memory.graph.focus[:4]}  # the fifth is pushed out
            memory.remember(f"Thing number {k}.")
            alive = {node.id for node in memory}
            assert pinned <= alive
            assert focus <= alive
        assert memory.admin.check() == []


def test_grace_yields_only_when_there_is_no_other() -> None:
    """Newcomers that push each other out leave a memory of what was least important long ago."""
    with graphmem.open(worker="none", max_nodes=12, random=Random(3)) as memory:
        old = [memory.remember(f"Old {k}.")[0].id for k in range(4)]
        for _ in range(4):
            memory.sweep(0)
        for k in range(8):
            memory.remember(f"Young {k}.")
        gone = []
        for k in range(6):
            before = {node.id for node in memory}
            memory.remember(f"Newcomer {k}.")
            gone += sorted(before - {node.id for node in memory})
        assert set(gone[:4]) == set(old)  # though their links are no weaker than some
        assert len(gone) == 6  # then grace yields
        assert memory.admin.check() == []


def test_where_all_are_held_what_binds_goes_before_what_protects() -> None:
    """An allergy would have gone for the sake of a report that is due."""
    now = datetime(2026, 10, 1, tzinfo=UTC)
    with graphmem.open(worker="none", max_nodes=10, clock=lambda: now) as memory:
        protects = [memory.remember(f"{n} is allergic to cashews.")[0].id for n in ("Theo", "Ada")]
        for k in range(3):
            report = f"I promise to hand in report {k} by 31 October 2026."
            assert reason(report, now.date(), now.date()) == "binding until 2026-10-31"
            memory.remember(report)
        for name in ("Ines", "Jonas", "Karl", "Lena", "Noor"):
            memory.remember(f"{name} is allergic to peanuts.")
        for k in range(3):
            memory.remember(f"{k} people are allergic to walnuts.")
            assert all(node in memory for node in protects)
        assert not any("report" in node.text for node in memory)


def test_a_birthday_outlasts_what_binds_and_seems_to_take_its_place() -> None:
    """Lena's birthday went for a crate that "was moved to hall 14", with 100 of 100 crates held."""
    now = datetime(2026, 11, 29, tzinfo=UTC)
    with graphmem.open(worker="none", max_nodes=100, clock=lambda: now) as memory:
        (birthday,) = memory.remember("Lena's birthday is on March 14.")
        crates = [f"I promised crate {k * 37} to hall {k % 99} by 3 May 2030." for k in range(200)]
        memory.remember_many(crates[:90])
        for crate in crates[90:]:
            memory.remember(crate)
        assert birthday.id in memory


def test_no_slot_for_a_text_of_more_segments_than_slots() -> None:
    """Its last segments would push out its first."""
    with graphmem.open(worker="none", max_nodes=8) as memory:
        memory.remember("One thing.")
        with pytest.raises(CapacityError, match="10 segments, more than max_nodes = 8; split it"):
            memory.remember(LONG)
        assert len(memory) == 1
        assert memory.admin.check() == []


def test_no_slot_when_all_are_protected() -> None:
    """The newcomer is refused with what to do, not written over somebody."""
    with graphmem.open(worker="none", max_nodes=8) as memory:
        for k in range(4):
            memory.remember(f"Pinned {k}.", pin=True)
        full(memory, 4)
        before = {node.id for node in memory}
        with pytest.raises(CapacityError, match="unpin some or raise max_nodes"):
            memory.remember(LONG[:900])
        assert {node.id for node in memory} == before
        assert memory.admin.check() == []


@pytest.mark.parametrize("most", [8, 9, 10, 11])
@pytest.mark.parametrize(
    "said", ["Guest {} likes {} pears.", "客人{}喜欢{}个梨。", "Gast {} mag {} Birnen."]
)
def test_the_focus_gives_way_where_half_is_pinned(most: int, said: str) -> None:
    """With as many pinned as are allowed, the focus held the rest: nothing could be remembered,
    corrected or revived any more."""
    with graphmem.open(worker="none", max_nodes=most, random=Random(6)) as memory:
        pinned = {memory.remember(f"Pinned {k}.", pin=True)[0].id for k in range(most // 2)}
        for k in range(3 * most):
            last = memory.graph.focus[0].id
            (new,) = memory.remember(said.format(k, k * k))
            assert memory.graph.focus[0].id == new.id
            assert {*pinned, last, new.id} <= {node.id for node in memory}
            assert len(memory) <= most
        (new,) = memory.correct(new.id, said.format(1, 2))
        memory.replace(new.id, said.format(3, 4))
        memory.remember_many([said.format(k, -k) for k in range(most)])
        memory.history.revive(memory.history.forgotten()[0].id)
        assert len(memory) == most
        assert pinned <= {node.id for node in memory}
        assert memory.admin.check() == []


def test_pins_over_half_are_refused() -> None:
    """A memory pinned full can learn nothing any more."""
    with graphmem.open(worker="none", max_nodes=9) as memory:
        full(memory, 5)
        for node in (1, 2, 3, 4):
            memory.pin(node)
        with pytest.raises(PinLimitError, match="5 pins are more than half of max_nodes = 9"):
            memory.pin(5)
        with pytest.raises(PinLimitError, match="unpin some, or raise it"):
            memory.remember("Keep me.", pin=True)
        assert memory.admin.stats()["pinned"] == 4
        assert len(memory) == 5
        memory.unpin(1)
        assert memory.remember("Keep me.", pin=True)[0].pinned
        assert memory.admin.check() == []


def test_a_revived_node_needs_a_slot_too() -> None:
    """Brought back beside the others, it would be the one too many."""
    with graphmem.open(worker="none", max_nodes=10) as memory:
        full(memory, 12)
        gone = memory.history.forgotten()[0].id
        memory.history.revive(gone)
        assert gone in memory
        assert len(memory) == 10
        assert memory.admin.check() == []


def test_slots_are_kept_when_a_memory_is_opened_with_fewer() -> None:
    """`max_nodes` set on a memory that is larger must take hold with the first newcomer."""
    with graphmem.open(worker="none", max_nodes=50) as memory:
        full(memory, 50)
        object.__setattr__(memory.admin.settings, "max_nodes", 10)
        memory.remember("A newcomer.")
        assert len(memory) == 10
        assert memory.admin.check() == []


def test_a_large_text_into_a_full_memory_fits() -> None:
    """Each of its batches makes its own room, and none of it out of the batch before."""
    text = LONG * 9
    with graphmem.open(worker="none", max_nodes=120, random=Random(4)) as memory:
        full(memory, 120)
        nodes = memory.remember(text)
        assert len(nodes) == 90
        assert {node.id for node in nodes} <= {node.id for node in memory}
        assert len(memory) == 120
        assert memory.admin.check() == []


def test_a_long_life_still_samples_more_than_the_oldest() -> None:
    """After many newcomers the ids in use are a small part of those given out; drawn evenly from
    all ids, nearly every draw ended at the oldest node, and importance counted for nothing."""
    most = SAMPLE + 50
    with graphmem.open(
        worker="none", max_nodes=most, tuning=graphmem.Tuning(grace=0), random=Random(5)
    ) as memory:
        with rooms(memory).changing() as writer:
            writer.tx.state.next_node = 1_000_000  # as after a million newcomers
        full(memory, most)
        oldest = next(memory.nodes()).id
        weak = [oldest + 70, oldest + 90, oldest + 110]
        for node in weak:
            with rooms(memory).changing() as writer:
                for entry in writer.links.out_links(node):
                    writer.links.remove(node, entry)
        for k in range(12):
            memory.remember(f"Newcomer {k}.")
        assert oldest in memory
        assert sum(node in memory for node in weak) <= 1


@pytest.mark.parametrize(
    "said",
    [
        "Crate {} is due on 3 May 2030.",
        "箱子{}在2030年5月3日到期。",
        "Kiste {} ist am 3. Mai 2030 fällig.",
    ],
)
def test_a_write_into_a_full_memory_reads_few_texts_again(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each decoded the texts of all held nodes of the sample, and looked for each of the 100 by an
    iterator of its own: a full memory wrote at less than half of the speed."""
    with graphmem.open(worker="none", max_nodes=120, random=Random(7)) as memory:
        memory.remember_many(said.format(k) for k in range(250))
        decoded, sought = list[bytes](), list[bytes]()
        unpack, keys = TextRecord.unpack, InMemorySnapshot.keys

        def counted(snapshot: InMemorySnapshot, start: bytes, *rest: Any) -> Iterator[bytes]:
            sought.append(start)
            return keys(snapshot, start, *rest)

        monkeypatch.setattr(TextRecord, "unpack", lambda it: decoded.append(it) or unpack(it))
        monkeypatch.setattr(InMemorySnapshot, "keys", counted)
        for k in range(250, 270):
            memory.remember(said.format(k))
    assert len(decoded) < 20 * 20
    assert len(sought) < 20 * 50


@pytest.mark.parametrize("seed", range(3))
def test_no_other_protective_node_goes_for_one_that_is_over(seed: int) -> None:
    """What took the place of an allergy waited for it, was passed over, and another's went."""
    with graphmem.open(worker="none", max_nodes=8, random=Random(seed)) as memory:
        (kept,) = memory.remember("Mia is allergic to wool.")
        (older,) = memory.remember("Opa ist gegen Erdbeeren allergisch.")
        (newer,) = memory.remember("Opa verträgt jetzt wieder Erdbeeren.")
        for text in ("Figs were cheap.", "We had stew.", "Ben sang.", "Hail fell.", "It was hot."):
            memory.remember(text)
        memory.remember("The tram left.")
        assert kept.id in memory
        assert older.id in memory
        assert newer.id not in memory
