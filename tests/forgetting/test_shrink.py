"""`shrink` ends, and ends where it was told to, or says what is left."""

from collections.abc import Iterator

import pytest

import graphmem
from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.values.reports import SweepReport

pytestmark = pytest.mark.usefixtures("by_passes")

STORY = "Wen paid {} euros to Karlsson in May. It was nice. The weather was rather good that day."


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        opened.remember_many(STORY.format(k) for k in range(40))
        yield opened


def test_it_stops_as_soon_as_the_text_fits(memory: graphmem.Memory) -> None:
    """Passes made beyond the aim forget what there was room for."""
    before = memory.admin.stats()["text_bytes"]
    report = memory.admin.shrink(before // 2)
    assert report.text_bytes <= before // 2
    assert report.text_bytes == memory.admin.stats()["text_bytes"]
    assert report.text_bytes > before // 4
    assert report.made == report.passes == memory.admin.stats()["passes"]
    assert memory.admin.check() == []


def test_what_fits_already_is_left_alone(memory: graphmem.Memory) -> None:
    """A pass costs every link its strength, so none is made for nothing."""
    before = memory.admin.stats()["sequence"]
    report = memory.admin.shrink(memory.admin.stats()["text_bytes"])
    assert (report.made, report.examined) == (0, 0)
    assert memory.admin.stats()["sequence"] == before


def test_to_zero_leaves_focus_and_pins_and_ends(memory: graphmem.Memory) -> None:
    """An aim that cannot be met must not be chased for ever."""
    memory.pin(3)
    report = memory.admin.shrink(0)
    assert {node.id for node in memory} == {3, *(node.id for node in memory.graph.focus)}
    assert report.text_bytes == memory.admin.stats()["text_bytes"] > 0
    assert memory.admin.shrink(0).made == 0
    assert memory.admin.check() == []


def test_all_pinned_ends_at_once() -> None:
    """Nothing may go, so no number of passes helps; and passes break links."""
    with graphmem.open(worker="none") as memory:
        for k in range(12):
            memory.remember(STORY.format(k), pin=True)
        assert memory.admin.shrink(0).made == 0
        assert len(memory) == 12


def test_all_in_focus_ends_at_once() -> None:
    """Five memories in focus are never shortened, however small the aim."""
    with graphmem.open(worker="none") as memory:
        for k in range(5):
            memory.remember(STORY.format(k))
        assert memory.admin.shrink(0).made == 0
        memory.pin(2)
        assert memory.admin.shrink(0).made == 0


def test_an_empty_memory_ends_at_once() -> None:
    """Nothing is due in it."""
    with graphmem.open(worker="none") as memory:
        assert memory.admin.shrink(0).made == 0


def test_grace_is_waited_for_not_broken() -> None:
    """Young nodes are spared in each pass, and the passes go on until they are old enough."""
    with graphmem.open(worker="none", tuning=graphmem.Tuning(grace=500)) as memory:
        for k in range(12):
            memory.remember(STORY.format(k))
        report = memory.admin.shrink(0)
        assert report.made >= 500
        assert len(memory) == 5
        assert memory.admin.check() == []


def test_progress_is_told_of_each_pass(memory: graphmem.Memory) -> None:
    """A progress bar that stops half-way is worse than none."""
    told: list[SweepReport] = []
    last = memory.admin.shrink(1000, progress=told.append)
    assert len(told) > 3
    made = [report.made for report in told]
    assert made == sorted(set(made))
    assert told[0].text_bytes > told[-1].text_bytes
    assert told[-1].made <= last.made  # the last one is what is returned
    assert told[-1].text_bytes >= last.text_bytes


def test_a_progress_that_raises_leaves_the_memory_whole(memory: graphmem.Memory) -> None:
    """Ctrl-C in a long shrink is how most of them end."""

    def stop(report: SweepReport) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.admin.shrink(0, progress=stop)
    assert memory.admin.check() == []
    memory.remember("And on.")
    assert memory.admin.check() == []


def test_its_argument_is_a_number_of_bytes(memory: graphmem.Memory) -> None:
    """`shrink("10MB")` must not be read as anything."""
    with pytest.raises(ArgumentTypeError, match="to_bytes is a whole number, got str"):
        memory.admin.shrink("10MB")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="to_bytes is between 0"):
        memory.admin.shrink(-1)
    assert memory.admin.stats()["passes"] == 0
