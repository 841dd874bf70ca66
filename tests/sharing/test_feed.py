"""Whoever follows a memory must be told of what went, and must not find an erased text in the telling."""

import sys
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from types import FrameType
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ClosedError, CorruptError, GraphMemError, InvalidArgumentError
from graphmem.sharing import content, feed
from graphmem.values.items import MEMORIES
from tests.clock import Clock


def told(changes: graphmem.Changes) -> list[tuple[str, str]]:
    return [(change.action, change.subject.removeprefix(f"{MEMORIES}/")) for change in changes]


def test_items_and_memories_are_in_one_feed(tmp_path: Path) -> None:
    with graphmem.open(
        tmp_path / "m", worker="none", max_nodes=8, tuning=graphmem.Tuning(grace=0)
    ) as memory:
        memory.remember("Before anybody asked.")
        assert not memory.history.changes(0)
        (first,) = memory.remember("The code word is xylophone-77.")
        memory.items.put("tickets", "7", 1)
        (second,) = memory.correct(first, "The code word is marimba-78.")
        (third,) = memory.replace(second, "The code word is vibraphone-79.")
        memory.forget(third)
        memory.history.revive(third)
        memory.forget(third, erase=True)
        assert told(memory.history.changes(0)) == [
            ("remembered", "2"), ("put", "tickets/7"), ("corrected", "2"), ("remembered", "3"),
            ("replaced", "3"), ("remembered", "4"), ("forgotten", "4"), ("remembered", "4"),
            ("erased", "4"),
        ]  # fmt: skip
        assert [c.number for c in memory.history.changes(0)] == [*range(1, 10)]
        assert [c.node for c in memory.history.changes(0, prefix=f"{MEMORIES}/3")] == [3, 3]
        assert told(memory.history.changes(0, prefix="tick")) == [("put", "tickets/7")]
        assert told(memory.items.changes(0)) == [("put", "tickets/7")]
        assert "vibraphone" not in repr(memory.history.changes(0)[:])
        with pytest.raises(InvalidArgumentError):
            memory.items.put(MEMORIES, "1", 1)
        since = memory.history.changes().last
        for number in range(12):  # the places of others are needed
            memory.remember(f"Note {number} about the orchestra.")
        assert "forgotten" in {action for action, _ in told(memory.history.changes(since))}
        assert memory.admin.check() == []
        with graphmem.attach(tmp_path / "m") as attached:
            assert attached.history.changes(since) == memory.history.changes(since)
            seen: list[graphmem.Changes] = []
            last = memory.history.changes().last
            waiter = Thread(target=lambda: seen.append(attached.history.changes(last, wait=30)))
            waiter.start()
            memory.remember("Who waits is woken.")
            waiter.join(60)
            assert told(seen[0])[-1][0] == "remembered"
    with graphmem.open(tmp_path / "m", worker="none") as again:
        last = again.history.changes().last
        again.remember("After a restart.")
        assert told(again.history.changes(last))[0][0] == "remembered"


def test_an_interrupt_while_the_feed_tells_leaves_no_lock_held_and_nobody_untold() -> None:
    """A Ctrl-C as the feed began to tell of a change: every other thread's write waited for ever."""

    def interrupts(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code is feed.head.__code__:
            sys.setprofile(None)
            raise KeyboardInterrupt

    with graphmem.open(None, worker="none") as memory:
        memory.items.put("tickets", "1", 1)
        since = memory.items.changes().last
        told: list[graphmem.Changes] = []
        waiter = Thread(target=lambda: told.append(memory.items.changes(since, wait=60)))
        waiter.start()
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
        waiter.join(60)
        assert told[0][0].key == "2"


def test_nobody_pays_for_a_feed_that_nobody_reads() -> None:
    with graphmem.open(None, worker="none") as memory:
        memory.remember("One.")
        assert memory.items.changes(0).last == 0


def test_all_who_wait_are_told_of_theirs_and_of_nothing_else(tmp_path: Path) -> None:
    """Who waited for one key was woken by every other, and each read the same change anew."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        pool = memory.pool("team")
        pool.write("a:0", 0)
        since = pool.changes().last
        told: dict[str, list[str]] = {}

        def follow(name: str, prefix: str, reached: graphmem.Memory | graphmem.Attached) -> None:
            seen, last = told.setdefault(name, []), since
            while "end" not in seen:
                found = reached.pool("team").changes(last, prefix=prefix, wait=30)
                assert not found.gap
                assert all(change.number > last for change in found)
                seen += [change.key.removeprefix(prefix) for change in found]
                last = found.last

        with graphmem.attach(tmp_path / "m") as attached:
            threads = [
                Thread(target=follow, args=(f"{prefix}{number}", prefix, reached), daemon=True)
                for prefix in ("a:", "b:")
                for number, reached in enumerate((memory, memory, attached))
            ]
            for thread in threads:
                thread.start()
            for number in range(40):
                pool.write(f"a:{number}", number)
            with memory.transaction() as together:
                for number in range(300):  # more than are read for others
                    together.pool("team").write(f"b:{number}", number)
            for prefix in ("a:", "b:"):
                pool.write(f"{prefix}end", 1)
            for thread in threads:
                thread.join(60)
        for name, seen in told.items():
            expected = range(40 if name.startswith("a") else 300)
            assert seen == [*map(str, expected), "end"], name


def test_who_waits_for_what_does_not_come_is_answered_in_time() -> None:
    with graphmem.open(None, worker="none") as memory:
        memory.items.put("tickets", "1", 1)
        since = memory.items.changes().last
        found: list[graphmem.Changes] = []
        waiter = Thread(
            target=lambda: found.append(memory.items.changes(since, namespace="no", wait=0.3))
        )
        waiter.start()
        while waiter.is_alive():
            memory.items.put("tickets", "2", 1)
        assert found[0] == []
        assert since < found[0].last <= memory.items.changes().last


def test_who_waits_is_woken_when_an_item_expires() -> None:
    """A watcher of a lock that was let go by its time would have waited its own time out."""
    clock = Clock(datetime(2026, 5, 1, tzinfo=UTC))
    with graphmem.open(None, worker="none", clock=clock) as memory:
        memory.items.put("locks", "release", "Ada", ttl=5)
        since = memory.items.changes().last
        found: list[graphmem.Changes] = []
        waiter = Thread(target=lambda: found.append(memory.items.changes(since, wait=60)))
        waiter.start()
        clock.now += timedelta(seconds=5)
        rooms(memory).item_store.expire()
        waiter.join(10)
        assert [told(changes) for changes in found] == [[("expire", "locks/release")]]


def test_who_waits_is_woken_when_the_scope_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A watcher of a scope that is no more would have waited its own time out."""
    waits, ended = Event(), list[BaseException]()

    class Announced(Future[Any]):
        def result(self, timeout: float | None = None) -> Any:
            waits.set()
            return super().result(timeout)

    monkeypatch.setattr(feed, "Future", Announced)
    with graphmem.open(None, worker="none") as memory:
        apart = memory.scopes.open("apart")
        since = apart.items.changes().last

        def wait() -> None:
            try:
                apart.items.changes(since, wait=20)
            except GraphMemError as error:
                ended.append(error)

        waiter = Thread(target=wait)
        waiter.start()
        assert waits.wait(10)
        memory.scopes.drop("apart")
        waiter.join(10)
        assert [*map(type, ended)] == [ClosedError]


def test_compacting_leaves_nothing_of_a_deleted_item_in_the_feed(tmp_path: Path) -> None:
    """The key of a deleted item and the name of its writer stayed in the files after `compact`."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.items.put("n", "kept-a", 1, by="Ada")
        memory.items.put("n", "affair-with-Bo", 2, by="Cleo-the-writer")
        memory.items.delete("n", "affair-with-Bo", by="Cleo-the-writer")
        memory.items.put("n", "kept-b", 3, by="Ada")
        memory.admin.compact()
        later = memory.items.changes(since=0, wait=0)
        assert [change.key for change in later] == ["kept-b"]
        assert later.gap
        assert not memory.items.changes(since=3, wait=0).gap
        assert memory.admin.check() == []
    for file in (tmp_path / "m").rglob("*"):
        for name in (b"affair-with-Bo", b"Cleo-the-writer"):
            assert not file.is_file() or name not in file.read_bytes(), file


def test_asking_for_changes_of_memories_counts_those_of_items_on() -> None:
    """A watcher that had read the first item would miss the next ones, which had its number."""
    with graphmem.open(None, worker="none") as memory:
        memory.items.put("tickets", "1", 1)
        since = memory.history.changes().last
        memory.items.put("tickets", "2", 1)
        assert [c.number for c in memory.history.changes(since)] == [since + 1] == [2]


def test_who_has_asked_once_is_told_after_a_restart(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert memory.history.changes().last == 0
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        (node,) = memory.remember("The bridge of Ghent is closed.")
        assert told(memory.history.changes(0)) == [("remembered", str(node.id))]


@pytest.mark.parametrize(
    ("place", "wrong"),
    [(0, 1), (1, None), (2, 1), (4, 1), (3, "1"), (3, True)],
)
def test_a_damaged_change_is_named(place: int, wrong: object) -> None:
    whole: list[object] = ["put", "tickets", "1", 1, "", 0]
    assert feed.change_of_row(b"\x07", content.packed("a change", whole))[0].number == 7
    whole[place] = wrong
    with pytest.raises(CorruptError, match="change 7"):
        feed.change_of_row(b"\x07", content.packed("a change", whole))
    of_memory = ["remembered", MEMORIES, "bridge", 1, "", 0]
    with pytest.raises(CorruptError, match="change 7"):
        feed.change_of_row(b"\x07", content.packed("a change", of_memory))


def test_changes_say_how_far_they_go_and_whether_some_are_gone() -> None:
    assert repr(graphmem.Changes([], 7, True)) == "<Changes: [] up to 7, after a gap>"
    assert repr(graphmem.Changes([], 7, False)) == "<Changes: [] up to 7>"
