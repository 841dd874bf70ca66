"""Whoever follows a memory must be told of what went, and must not find an erased text in the telling."""

import sys
import threading
from pathlib import Path
from threading import Thread
from types import FrameType

import pytest

import graphmem
from graphmem.errors import InvalidArgumentError
from graphmem.values.items import MEMORIES


def told(changes: graphmem.Changes) -> list[tuple[str, str]]:
    return [(change.action, change.subject.removeprefix(f"{MEMORIES}/")) for change in changes]


def test_items_and_memories_are_in_one_feed(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", worker="none", max_nodes=8, grace=0) as memory:
        memory.remember("Before anybody asked.")
        assert memory.changes(0)[:] == ()
        (first,) = memory.remember("The code word is xylophone-77.")
        memory.items.put("tickets", "7", 1)
        (second,) = memory.correct(first, "The code word is marimba-78.")
        (third,) = memory.replace(second, "The code word is vibraphone-79.")
        memory.forget(third)
        memory.revive(third)
        memory.forget(third, erase=True)
        assert told(memory.changes(0)) == [
            ("remembered", "2"), ("put", "tickets/7"), ("corrected", "2"), ("remembered", "3"),
            ("replaced", "3"), ("remembered", "4"), ("forgotten", "4"), ("remembered", "4"),
            ("erased", "4"),
        ]  # fmt: skip
        assert [c.node for c in memory.changes(0, prefix=f"{MEMORIES}/3")] == [3, 3]
        assert told(memory.changes(0, prefix="tick")) == [("put", "tickets/7")]
        assert told(memory.items.changes(0)) == [("put", "tickets/7")]
        assert "vibraphone" not in repr(memory.changes(0)[:])
        with pytest.raises(InvalidArgumentError):
            memory.items.put(MEMORIES, "1", 1)
        since = memory.changes().last
        for number in range(12):  # the places of others are needed
            memory.remember(f"Note {number} about the orchestra.")
        assert "forgotten" in {action for action, _ in told(memory.changes(since))}
        assert memory.check() == []
        with graphmem.attach(tmp_path / "m") as attached:
            assert attached.changes(since) == memory.changes(since)
            seen: list[graphmem.Changes] = []
            last = memory.changes().last
            waiter = Thread(target=lambda: seen.append(attached.changes(last, wait=30)))
            waiter.start()
            memory.remember("Who waits is woken.")
            waiter.join(60)
            assert told(seen[0])[-1][0] == "remembered"
    with graphmem.open(tmp_path / "m", worker="none") as again:
        last = again.changes().last
        again.remember("After a restart.")
        assert told(again.changes(last))[0][0] == "remembered"


def test_an_interrupt_between_two_locks_of_the_feed_leaves_none_held() -> None:
    """A Ctrl-C as the feed began to tell of a change: every other thread's write waited for ever."""

    def interrupts(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code.co_filename == threading.__file__:
            sys.setprofile(None)
            raise KeyboardInterrupt

    with graphmem.open(None, worker="none") as memory:
        memory.items.put("tickets", "1", 1)
        sys.setprofile(interrupts)
        try:
            with pytest.raises(KeyboardInterrupt):
                memory.items.put("tickets", "2", 1)
        finally:
            sys.setprofile(None)
        other = Thread(target=lambda: memory.items.put("tickets", "3", 1), daemon=True)
        other.start()
        other.join(60)
        assert not other.is_alive()
        assert [item.key for item in memory.items.search("tickets")] == ["3", "2", "1"]


def test_nobody_pays_for_a_feed_that_nobody_reads() -> None:
    with graphmem.open(None, worker="none") as memory:
        memory.remember("One.")
        assert memory.items.changes(0).last == 0
