"""What one `remember` writes: whole or not at all, chained, linked with the focus, once.

A text that is half there answers questions with half a sentence; a repeat that is stored twice
crowds out what is new.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import CapacityError, FullError, InvalidTextError, PinLimitError
from graphmem.graph.relations import FOCUS, SEGMENT
from graphmem.remembering import intake
from graphmem.remembering.intake import BATCH_SEGMENTS
from graphmem.storage.store import Store

SEGMENTS = 150
"""Segments of the large text: three batches, with the record of intent before and after."""


def sentence(number: int) -> str:
    """About a segment's worth of text with a word of its own."""
    return (
        f"Sentence item{number} of the long report says at some length what the team has found, "
        "with enough words in it that no second sentence fits into the same segment of it. "
    )


LARGE = "".join(map(sentence, range(SEGMENTS)))


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        yield opened


def linked(memory: graphmem.Memory, relation: str) -> set[tuple[int, int, int]]:
    """(source, target, distance) of all links of a relation."""
    return {
        (link.source, link.target, link.distance)
        for node in memory
        for link in memory.graph.links(node)
        if link.relation == relation
    }


# -- the same text twice ------------------------------------------------------------------------


def test_the_same_text_directly_after_itself_is_a_use(memory: graphmem.Memory) -> None:
    """A client that retries would otherwise fill the memory with copies of one sentence."""
    (first,) = memory.remember("Standup is at nine.", speaker="Wen")
    (again,) = memory.remember("Standup is at nine.", speaker="Wen")
    assert again.id == first.id
    assert (first.uses, again.uses, memory[first.id].uses) == (0, 1, 1)
    assert len(memory) == 1
    assert memory.admin.check() == []


def test_the_same_text_later_is_a_new_memory(memory: graphmem.Memory) -> None:
    """Said again after something else, it is a second event, and deserves its own links."""
    memory.remember("Standup is at nine.")
    memory.remember("The coffee is out.")
    memory.remember("Standup is at nine.")
    assert len(memory) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"speaker": "Ada"},
        {"session": "tuesday"},
        {"happened": "2026-05-04T09:00:00Z"},
        {"about": graphmem.About(keywords=["standup"])},
    ],
)
def test_the_same_words_of_another_person_or_day_are_not_dropped(
    memory: graphmem.Memory, other: dict[str, Any]
) -> None:
    """Taken for a repeat, the second one's speaker, session, date or keywords were lost."""
    memory.remember("I agree.")
    (second,) = memory.remember("I agree.", **other)
    assert len(memory) == 2
    assert memory[second.id].uses == 0


def test_a_repeat_with_a_pin_is_pinned(memory: graphmem.Memory) -> None:
    """`pin=True` promised that it is never forgotten, and the repeat passed over it."""
    (first,) = memory.remember("The key is under the mat.")
    (again,) = memory.remember("The key is under the mat.", pin=True)
    assert again.pinned
    assert memory[first.id].pinned or len(memory) == 2
    assert memory.admin.stats()["pinned"] == 1
    assert memory.admin.check() == []


@pytest.mark.parametrize("since", ["forgotten", "shortened", "replaced"])
def test_a_repeat_of_what_is_no_more_as_it_was_is_remembered_anew(
    memory: graphmem.Memory, since: str
) -> None:
    """A use of a node that is no more would drop the text without a word."""
    (first,) = memory.remember("Standup is at nine.")
    if since == "forgotten":
        memory.forget(first)
    else:
        with rooms(memory).changing() as writer:
            pair = writer.view.pair(first.id)
            assert pair is not None
            record, text = pair
            if since == "shortened":
                writer.put_text(first.id, text, text._replace(spans=(), saliences=()))
            else:
                writer.put_record(first.id, record._replace(valid_to=1))
    (anew,) = memory.remember("Standup is at nine.")
    assert anew.id != first.id
    assert memory[anew.id].text == "Standup is at nine."
    assert memory[anew.id].valid_to is None


def test_a_large_text_twice_is_a_use_too(memory: graphmem.Memory) -> None:
    """A retried upload of a long report would double the memory."""
    first = memory.remember(LARGE)
    again = memory.remember(LARGE)
    assert [n.id for n in again] == [n.id for n in first]
    assert len(memory) == len(first)
    assert memory.admin.check() == []


# -- links --------------------------------------------------------------------------------------


def test_neighbours_in_a_text_are_chained_both_ways(memory: graphmem.Memory) -> None:
    """Without the chain a question that hits one sentence does not reach the next."""
    nodes = memory.remember("".join(map(sentence, range(5))))
    ids = [node.id for node in nodes]
    assert len(ids) == 5
    pairs = set(pairwise(ids)) | {(b, a) for a, b in pairwise(ids)}
    assert linked(memory, SEGMENT) == {(a, b, 1) for a, b in pairs}
    assert memory.graph.focus[0].id == ids[-1]


def test_a_large_text_is_chained_across_its_batches(memory: graphmem.Memory) -> None:
    """A chain cut at a batch's end would split a text into pieces that do not know each other."""
    nodes = memory.remember(LARGE)
    assert len(nodes) == SEGMENTS > 2 * BATCH_SEGMENTS
    ids = [node.id for node in nodes]
    assert {(a, b) for a, b, _ in linked(memory, SEGMENT) if a < b} == set(pairwise(ids))
    assert memory.admin.check() == []


def test_focus_links_go_both_ways_with_the_distance_in_the_focus(memory: graphmem.Memory) -> None:
    """Activation weighs a link by how far back its other end was; a wrong distance misleads it."""
    ids = [memory.remember(f"Thought number {k}.")[0].id for k in range(7)]
    expected = {
        (a, b, k)
        for newest, first in enumerate(ids)
        for k, second in enumerate(reversed(ids[max(0, newest - 5) : newest]), 1)
        for a, b in ((first, second), (second, first))
    }
    assert linked(memory, FOCUS) == expected
    assert [node.id for node in memory.graph.focus] == ids[:1:-1]


def test_only_the_first_segment_is_linked_with_the_focus(memory: graphmem.Memory) -> None:
    """All segments to every node in focus would make bystanders hubs."""
    (before,) = memory.remember("A bystander.")
    nodes = memory.remember("".join(map(sentence, range(4))))
    ends = {(a, b) for a, b, _ in linked(memory, FOCUS)}
    assert ends == {(nodes[0].id, before.id), (before.id, nodes[0].id)}
    assert [node.id for node in memory.graph.focus] == [nodes[-1].id, before.id]


# -- texts over a batch -------------------------------------------------------------------------


def test_readers_never_see_a_part_of_a_large_text(tmp_path: Path) -> None:
    """Half a report in an answer is worse than none: it looks whole."""
    seen: set[tuple[str, int]] = set()
    stop = threading.Event()
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("A short one before.")

        def read() -> None:
            while not stop.is_set():
                hits = memory.recall("long report", limit=1000, use=False)
                seen.add(("recall", sum("long report" in hit.text for hit in hits)))
                seen.add(("nodes", sum("long report" in node.text for node in memory)))
                seen.add(("last", sum(f"item{SEGMENTS - 1} " in node.text for node in memory)))

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        memory.remember(LARGE)
        stop.set()
        for reader in readers:
            reader.join()
        assert memory.admin.check() == []
    whole = {("recall", SEGMENTS), ("nodes", SEGMENTS), ("last", 1)}
    assert {("recall", 0), ("nodes", 0)} <= seen
    assert seen <= whole | {(name, 0) for name, _ in whole}


class _PulledPlugError(Exception):
    """Raised instead of a commit."""


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> str:
    """A text of three batches that is quickly written: batches have eight segments."""
    monkeypatch.setattr(intake, "BATCH_SEGMENTS", 8)
    return "".join(map(sentence, range(20)))


def fail_at(memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Have the store refuse the commit of that number from now on, and every later one."""
    store, commits = rooms(memory).store, 0
    commit = store.commit

    def failing(*args: Any, **named: Any) -> int:
        nonlocal commits
        commits += 1
        if commits >= number:
            raise _PulledPlugError
        return commit(*args, **named)

    monkeypatch.setattr(store, "commit", failing)


@pytest.mark.parametrize("batch", range(1, 6))
def test_a_crash_in_any_batch_is_undone_at_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_batches: str, batch: int
) -> None:
    """What a crash left of a large text would stay hidden, counted and undeletable for ever."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("A short one before.")
        with monkeypatch.context() as patch:
            fail_at(memory, patch, batch)
            with pytest.raises(_PulledPlugError):
                memory.remember(small_batches)
        assert [node.text for node in memory] == ["A short one before."]
        assert not memory.recall("long report", use=False, where=graphmem.Where(depth=0))[1:]
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert memory.admin.check() == []
        assert len(memory) == 1
        assert memory.admin.stats()["queue"] == {"waiting": 1, "set_aside": 0}
        assert len(memory.remember(small_batches)) == 20
        assert memory.admin.check() == []


def test_a_crash_while_undoing_is_undone_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_batches: str
) -> None:
    """A second crash during repair must not turn what is half undone into what is there."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("A short one before.")
        with monkeypatch.context() as patch:
            fail_at(memory, patch, 4)
            with pytest.raises(_PulledPlugError):
                memory.remember(small_batches)
    commit = Store.commit
    for most in (1, 3, 5):
        commits = 0

        def failing(*args: Any, **named: Any) -> int:
            nonlocal commits
            commits += 1
            if commits > most:  # noqa: B023
                raise _PulledPlugError
            return commit(*args, **named)

        with monkeypatch.context() as patch:
            patch.setattr(Store, "commit", failing)
            with pytest.raises(_PulledPlugError):
                graphmem.open(tmp_path / "m", worker="none")
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert [node.text for node in memory] == ["A short one before."]
        assert memory.admin.check() == []


def test_a_large_text_refused_half_way_leaves_nothing_behind() -> None:
    """Its hidden first half stayed, counted as nodes, and `shrink` went round it for ever."""
    with graphmem.open(worker="none", max_nodes=160) as memory:
        memory.remember_many({"text": f"Pinned thing {k}.", "pin": True} for k in range(80))
        before = {node.id for node in memory}
        with pytest.raises(CapacityError, match="80 are pinned; unpin some"):
            memory.remember(LARGE)
        assert {node.id for node in memory} == before
        assert memory.admin.stats()["nodes"] == len(before)
        assert memory.admin.check() == []
        assert memory.admin.shrink(0).text_bytes == memory.admin.stats()["text_bytes"]


CHILD = """
import json, sys, graphmem
from graphmem.storage.store import Store
commit, done = Store.commit, 0
def told(self, *args, **named):
    global done
    done += 1
    if done >= int(sys.argv[2]):
        print("now", flush=True)
        sys.stdin.read()
    return commit(self, *args, **named)
with graphmem.open(sys.argv[1], worker="none") as memory:
    memory.remember("A short one before.")
    Store.commit = told
    memory.remember(**json.loads(sys.argv[3]))
"""
CHAT = [{"role": "user", "content": sentence(k)} for k in range(200)]


@pytest.mark.parametrize(
    ("commit", "said"),
    [*((commit, {"text": LARGE}) for commit in (2, 4, 5)), (3, {"messages": CHAT})],
)
def test_a_process_killed_inside_a_call_leaves_nothing_of_it(
    tmp_path: Path, commit: int, said: dict[str, Any]
) -> None:
    """SIGKILL gives nobody a chance to tidy up; only what is on the disk can say what was whole."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path / "m"), str(commit), json.dumps(said)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == b"now\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdin.close()
    child.stdout.close()
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert [node.text for node in memory] == ["A short one before."]
        assert memory.admin.check() == []


@pytest.mark.parametrize("batch", [1, 2, 4])
def test_messages_are_there_together_or_not_at_all(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """The first batches of a chat stayed when a later one failed."""
    with monkeypatch.context() as patch:
        fail_at(memory, patch, batch)
        with pytest.raises(_PulledPlugError):
            memory.remember(messages=CHAT)
    assert len(memory) == 0
    assert memory.admin.check() == []
    assert len(memory.remember(messages=CHAT)) == len(CHAT)


# -- many texts ---------------------------------------------------------------------------------


def test_remember_many_gives_the_nodes_of_each_text(memory: graphmem.Memory) -> None:
    """Nodes that do not line up with their texts would be pinned or related wrongly."""
    texts = [f"Text number {k}." for k in range(100)]
    texts[40] = "".join(map(sentence, range(3)))
    told: list[int] = []
    found = memory.remember_many(texts, progress=told.append)
    assert [" ".join(node.text for node in nodes) for nodes in found] == [t.strip() for t in texts]
    assert told == sorted(set(told))
    assert told[-1] == 100
    assert len(told) >= 2
    assert memory.admin.check() == []


def test_remember_many_takes_mappings_large_texts_and_nothing(memory: graphmem.Memory) -> None:
    """A large text among small ones must neither reorder nor split them."""
    found = memory.remember_many(
        [
            "First.",
            {"text": LARGE, "speaker": "Wen"},
            {"text": "Last.", "pin": True, "session": "s", "happened": "2026-05-03T00:00:00Z"},
        ]
    )
    assert [len(nodes) for nodes in found] == [1, SEGMENTS, 1]
    assert found[0][0].id < found[1][0].id < found[2][0].id
    assert found[1][77].speaker == "Wen"
    assert found[2][0].pinned
    assert memory.remember_many([]) == []
    assert memory.admin.check() == []


@pytest.mark.parametrize("place", [0, 1, 63, 64, 65, 130])
def test_a_refused_text_keeps_those_before_it(memory: graphmem.Memory, place: int) -> None:
    """An import of ten thousand lines that breaks at the last one must not lose the others."""
    texts = [f"Text number {k}." for k in range(140)]
    texts[place] = " "
    with pytest.raises(InvalidTextError):
        memory.remember_many(texts)
    assert [node.text for node in memory] == texts[:place]
    assert memory.admin.check() == []


def test_a_source_that_fails_keeps_what_it_gave(memory: graphmem.Memory) -> None:
    """A file that cannot be read to its end still gave its first lines."""

    def lines() -> Iterator[str]:
        yield "One."
        yield "Two."
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        memory.remember_many(lines())
    assert [node.text for node in memory] == ["One.", "Two."]


def test_a_pin_refused_in_the_middle_keeps_those_before_it() -> None:
    """The whole batch was refused, and twice."""
    with graphmem.open(worker="none", max_nodes=8) as memory:
        for k in range(4):
            memory.remember(f"Pinned thing {k}.", pin=True)
        with pytest.raises(PinLimitError, match="more than half of max_nodes = 8"):
            memory.remember_many(["One.", "Two.", {"text": "Three.", "pin": True}, "Four."])
        assert [node.text for node in memory if not node.pinned] == ["One.", "Two."]
        assert memory.admin.check() == []


def test_a_text_without_room_does_not_double_those_before_it() -> None:
    """Written, then tried again on the way out: ten notes became twenty."""
    with graphmem.open(worker="none", max_nodes=100) as memory:
        memory.remember_many({"text": f"Pinned thing {k}.", "pin": True} for k in range(50))
        notes = [f"Small note {k}." for k in range(10)]
        with pytest.raises(CapacityError):
            memory.remember_many([*notes, "".join(map(sentence, range(60)))])
        assert [node.text for node in memory if not node.pinned] == notes
        assert memory.admin.check() == []


def test_a_failed_write_is_not_tried_again_on_the_way_out(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a full disk a second try can only hide the first error."""
    tries = 0

    def full(*args: Any, **named: Any) -> int:
        nonlocal tries
        tries += 1
        raise FullError(28, "no space left")

    monkeypatch.setattr(rooms(memory).store, "commit", full)
    with pytest.raises(FullError):
        memory.remember_many(["One.", "Two."])
    monkeypatch.undo()
    assert tries == 1
    assert len(memory) == 0
