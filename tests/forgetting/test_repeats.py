"""What is told again: exact repeats go first, then older values of a series of figures."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.forgetting import pressure

STORY = "Wen painted chair K{} for Karlsson and his band. It was nice."


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        yield opened


def gone(memory: graphmem.Memory) -> list[int]:
    """The forgotten nodes in the order in which they went."""
    return [each.id for each in reversed(memory.history.forgotten(1000))]


def fill_focus(memory: graphmem.Memory) -> None:
    for k in "abcde":
        memory.used(memory.remember(STORY.format(k))[0])


def test_the_last_value_of_a_series_stays(memory: graphmem.Memory) -> None:
    """Five older readings had been used, and the newest one went."""
    nodes = [memory.remember(f"I weigh {k} kg.")[0].id for k in range(70, 76)]
    early = memory.remember("I weigh 60 kg.", happened=datetime(2020, 1, 1, tzinfo=UTC))[0].id
    pinned = memory.remember("I weigh 61 kg.", pin=True)[0].id
    for node in (*nodes[:5], early):
        memory.used(node)
    fill_focus(memory)
    list(rooms(memory).pressure._forget_repetitions())
    assert gone(memory) == [early, nodes[0]]
    assert pinned in memory


def test_repeats_take_no_place_of_a_series(memory: graphmem.Memory) -> None:
    """Of 70 to 74 and five times 75 only 75 was left; what was told in the same words on seven days
    took the room of seven."""
    told = [*range(69, 75), *[75] * 5]
    nodes = [memory.remember(f"I weigh {k} kg.", session=str(s))[0].id for s, k in enumerate(told)]
    days = [
        memory.remember(f"I ran {k} miles.", happened=datetime(2026, 1, day, tzinfo=UTC))[0].id
        for day, k in enumerate([2, 3, 4, 5, *[6] * 7], 1)
    ]
    fill_focus(memory)
    list(rooms(memory).pressure._forget_repetitions())
    assert [node in memory for node in nodes] == [False] * 2 + [True] * 4 + [False] * 4 + [True]
    assert [node in memory for node in days] == [True] * 4 + [False] * 5 + [True] * 2


def test_what_is_written_between_two_steps_counts(memory: graphmem.Memory) -> None:
    """The scan's result was acted upon later: with one of a pair pinned or gone, the other went."""
    wells, cups = (
        [memory.remember(f"The {a} is dry.", session=a + s)[0].id for s in "xy"]
        for a in ("well", "cup")
    )
    series = [memory.remember(f"The walk took {k} minutes.")[0].id for k in range(20, 27)]
    fill_focus(memory)
    steps = rooms(memory).pressure._forget_repetitions()
    next(steps)
    memory.pin(wells[0])
    memory.forget(cups[1])
    memory.forget(series[-1])
    list(steps)
    assert gone(memory) == [cups[1], series[-1]]


def test_what_only_hashes_alike_is_no_repeat(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts were grouped by their hashes and never compared."""
    nodes = [memory.remember(said)[0].id for said in ("The well is dry.", "Noor sold her car.")]
    fill_focus(memory)
    monkeypatch.setattr(pressure, "hash", lambda told: 1, raising=False)
    list(rooms(memory).pressure._forget_repetitions())
    assert all(node in memory for node in nodes)


PARTICULARS = [
    "The serial number of pump {} is {}.",
    "The frame number of bike {} is {}.",
    "{} 号房间的门禁码是 {}。",
    "Die Seriennummer von Pumpe {} ist {}.",
]


@pytest.mark.parametrize("said", PARTICULARS)
def test_particulars_are_no_series(memory: graphmem.Memory, said: str) -> None:
    """Of eight pumps the serial numbers of three were forgotten as older readings."""
    nodes = [memory.remember(said.format(k, 88_000 + 37 * k))[0].id for k in range(1, 9)]
    fill_focus(memory)
    list(rooms(memory).pressure._forget_repetitions())
    assert all(node in memory for node in nodes)


def test_who_waits_for_the_scan_waits_for_a_page(memory: graphmem.Memory) -> None:
    """All nodes were read in one step, which took 1.3 s of 10,000."""
    memory.remember_many([f"Wen saw chair {word}." for word in map(chr, range(0x4E00, 0x4F00))])
    assert sum(1 for _ in rooms(memory).pressure._forget_repetitions()) >= 4
