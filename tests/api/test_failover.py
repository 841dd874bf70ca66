"""Programs that share a folder: when the one that has it open goes, another goes on with it.

A server that died with its owner, or repeated a `correct` that had been done, lost or doubled what
its user had said.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any, Self

import pytest

import graphmem
from graphmem import Reached
from graphmem.api import access
from graphmem.api import failover as module
from graphmem.errors import (
    AlreadyOpenError,
    ClosedError,
    InvalidArgumentError,
    MissingError,
    NotOpenError,
    OwnerGoneError,
    UnknownScopeError,
)
from graphmem.storage.folder import LOCK

QUICK = {"worker": "none", "durability": "os"}
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(str(Path(__file__).parents[2] / p) for p in (".", "worker")),
}
OWNER = """
import os, signal, sys, graphmem
def dies(*given, **named):
    os.kill(os.getpid(), signal.SIGKILL)
def does_and_dies(method):
    def call(*given, **named):
        method(*given, **named)
        dies()
    return call
with graphmem.open(sys.argv[1], worker="none", durability="os") as memory:
    if len(memory) == 0:
        memory.remember("Iris is allergic to walnuts.")
        memory.remember("The kettle is broken.")
    for name in sys.argv[2:]:
        setattr(graphmem.Memory, name, does_and_dies(getattr(graphmem.Memory, name)))
    print("open", flush=True)
    sys.stdin.read()
"""
WRITER = """
import sys, graphmem
from graphmem.errors import OwnerGoneError
name, count = sys.argv[2], int(sys.argv[3])
with graphmem.reach(sys.argv[1], worker="none", durability="os") as memory:
    for number in range(count):
        text = f"{name} wrote number {number} of its texts."
        while True:
            try:
                memory.remember(text, session=name)
                break
            except OwnerGoneError:
                own = memory.nodes(where=graphmem.Where(session=name), reverse=True)
                if any(node.text == text for node in own):
                    break
        print(text, flush=True)
    sys.stdin.read()
"""


class Process:
    """Another program at the folder."""

    def __init__(self, script: str, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
        )  # fmt: skip

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().removesuffix("\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.kill()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)


def owner(folder: Path, *deadly: str) -> Process:
    """A program that has the folder open; it does the `deadly` verbs and dies before it answers."""
    process = Process(OWNER, folder, *deadly)
    assert process.line() == "open"
    return process


@pytest.fixture
def reached(tmp_path: Path) -> Iterator[Reached]:
    """Opened by this process, which others may find."""
    with graphmem.reach(tmp_path / "m", **QUICK) as memory:
        yield memory


def test_whoever_comes_first_opens_it_and_the_next_attaches(reached: Reached) -> None:
    reached.remember("The kettle is broken.")
    with graphmem.reach(reached.path, **QUICK) as second:
        assert second.owner_pid == reached.owner_pid == os.getpid()
        assert [node.text for node in second.nodes()] == ["The kettle is broken."]
        second.graph.facts.put("ex:a", "ex:b", "c")
        assert reached.graph.facts.count("ex:a") == 1
        found = reached.recall("kettle", use=False)
        assert found[0].id == second.recall("kettle", use=False)[0].id
        assert reached.admin.settings.worker == "none"
        assert reached.graph.focus == second.graph.focus
        assert "Reached 'default'" in repr(second)


def test_the_next_call_takes_the_folder_over_when_the_owner_was_killed(tmp_path: Path) -> None:
    """Without it, every server at a folder is dead until its user starts it again."""
    with owner(tmp_path / "m") as other, graphmem.reach(tmp_path / "m", **QUICK) as memory:
        assert memory.owner_pid == other.process.pid
        (first, _) = memory.nodes()
        other.kill()
        begun = monotonic()
        # The connection is known to be dead before anything is sent, so a write may go on, too.
        memory.correct(first, "Iris is allergic to peanuts.")
        assert monotonic() - begun < 20  # not for good
        assert memory.owner_pid == os.getpid()
        assert len(memory.history.of(first)) == 1
        with graphmem.attach(tmp_path / "m") as third:  # and serves others in its turn
            assert third.recall("peanuts")[0].text == "Iris is allergic to peanuts."


def test_the_next_call_takes_the_folder_over_when_the_owner_closed_it(reached: Reached) -> None:
    with graphmem.reach(reached.path, **QUICK) as second:
        reached.remember("The kettle is broken.")
        assert len(second) == 1
        reached.close()
        assert len(second) == 1
        second.remember("It is new.")
    with pytest.raises(ClosedError):
        len(reached)


@pytest.mark.parametrize(
    ("verb", "call"),
    [
        ("recall", lambda memory, node: memory.recall("walnuts")[0].id == node.id),
        ("__len__", lambda memory, node: len(memory) == 2),
        ("pin", lambda memory, node: memory.pin(node).pinned),
    ],
)
def test_a_call_that_does_no_harm_is_repeated_when_the_owner_dies_in_it(
    tmp_path: Path, verb: str, call: Any
) -> None:
    with owner(tmp_path / "m", verb), graphmem.reach(tmp_path / "m", **QUICK) as memory:
        node = next(memory.nodes())
        begun = monotonic()
        assert call(memory, node)
        assert monotonic() - begun < 20  # not for good
        assert memory.owner_pid == os.getpid()


@pytest.mark.parametrize(
    ("verb", "call"),
    [
        ("correct", lambda memory, node: memory.correct(node, "Iris is allergic to peanuts.")),
        ("forget", lambda memory, node: memory.forget(node)),
        ("remember_many", lambda memory, node: memory.remember_many(iter(["The door is green."]))),
    ],
)
def test_a_call_that_may_have_been_done_is_not_repeated(
    tmp_path: Path, verb: str, call: Any
) -> None:
    """A `correct` that was done and is done again corrects nothing: its node is forgotten. A text
    that is remembered again after others is there twice."""
    with owner(tmp_path / "m", verb), graphmem.reach(tmp_path / "m", **QUICK) as memory:
        node = next(memory.nodes())
        with pytest.raises(OwnerGoneError, match=rf"did {verb}\(\), which may or may not"):
            call(memory, node)
        texts = [each.text for each in memory.nodes()]  # done once, and the memory goes on
        assert memory.owner_pid == os.getpid()
        if verb == "forget":
            assert texts == ["The kettle is broken."]
        elif verb == "correct":
            assert sorted(texts) == ["Iris is allergic to peanuts.", "The kettle is broken."]
        else:
            assert texts.count("The door is green.") == 1


def test_what_can_be_read_once_only_is_there_for_the_second_try(tmp_path: Path) -> None:
    with graphmem.reach(tmp_path / "m", **QUICK) as first:
        second = graphmem.reach(tmp_path / "m", **QUICK)
        first.close()
        with second:
            (node,) = second.remember(
                "The door is green.", about=graphmem.About(keywords=(k for k in ["doors"]))
            )
            assert "doors" in node.keywords
            third = graphmem.reach(tmp_path / "m", **QUICK)
            second.close()
            with pytest.raises(OwnerGoneError), third:
                third.remember_many(text for text in ["a b c", "d e f"])


def test_scopes_go_on_with_the_next_owner(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", **QUICK) as memory:  # type: ignore[arg-type]
        shared = graphmem.reach(tmp_path / "m", scope="user-1", **QUICK)
        other = shared.scopes.open("user-2")
        shared.remember("The door is green.")
        other.remember("The door is blue.")
        with pytest.raises(InvalidArgumentError):
            shared.scopes.open("no/such\x00name")
        memory.close()
    assert [node.text for node in other.nodes()] == ["The door is blue."]
    assert [node.text for node in shared.nodes()] == ["The door is green."]
    assert (shared.name, other.name) == ("user-1", "user-2")
    shared.close()
    with pytest.raises(ClosedError):
        len(other)


@pytest.mark.parametrize("dropped", ["user-1", "user-2"])
def test_a_scope_that_was_dropped_can_be_opened_anew(tmp_path: Path, dropped: str) -> None:
    """Whoever had it open was told to open it anew, and when that was done, told so again."""
    with graphmem.reach(tmp_path / "m", scope="user-1", **QUICK) as first:
        known = {"user-1": first, "user-2": first.scopes.open("user-2")}
        known[dropped].remember("The door is green.")
        (other,) = {*known} - {dropped}
        known[other].scopes.drop(dropped)
        for _ in range(2):
            with pytest.raises(UnknownScopeError, match="open it anew"):
                len(known[dropped])
        assert known[other].scopes.names() == [other]
        anew = known[other].scopes.open(dropped)
        anew.remember("The door is blue.")
        for memory in (anew, known[dropped]):
            assert [node.text for node in memory.nodes()] == ["The door is blue."]
    graphmem.open(tmp_path / "m", **QUICK).close()  # type: ignore[arg-type]


def test_threads_that_lose_their_owner_find_one_new_one(tmp_path: Path) -> None:
    """Each opening the folder for itself would have all but one fail."""
    failed: list[BaseException] = []
    with owner(tmp_path / "m") as other, graphmem.reach(tmp_path / "m", **QUICK) as memory:
        gone = threading.Event()

        def ask() -> None:
            try:
                while not gone.is_set() or memory.owner_pid != os.getpid():
                    assert len(memory.recall("walnuts")) > 0
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        other.kill()
        gone.set()
        for thread in threads:
            thread.join(60)
    assert failed == []


def test_what_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        graphmem.reach(tmp_path / "none", create=False)
    with pytest.raises(InvalidArgumentError, match="max_byte"):
        graphmem.reach(tmp_path / "none", max_byte=1)
    assert not (tmp_path / "none").exists()


def test_each_owner_is_waited_for_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that were all loading when the owner was killed took turns; the last one gave up."""
    clock = [0.0]
    opened = graphmem.open(None, **QUICK)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / LOCK).write_text(str(os.getpid()))

    def attached(*given: object, **named: object) -> None:
        raise NotOpenError("it takes no clients")

    def open_(*given: object, **named: object) -> graphmem.Memory:
        if clock[0] > 16:
            return opened
        raise AlreadyOpenError("m", int(clock[0] // 4) if turns else 7, "it is open")

    def sleep(seconds: float) -> None:
        clock[0] += 1

    monkeypatch.setattr(access, "_attached", attached)
    monkeypatch.setattr("graphmem.api.opening.open", open_)
    monkeypatch.setattr(access, "monotonic", lambda: clock[0])
    monkeypatch.setattr(access, "sleep", sleep)
    turns = True
    assert access.open_or_attach(tmp_path / "m") is opened
    clock[0], turns = 0.0, False
    with pytest.raises(AlreadyOpenError, match="no clients"):
        access.open_or_attach(tmp_path / "m")
    assert 5 <= clock[0] <= 7
    opened.close()


@pytest.mark.faults
def test_programs_that_write_lose_nothing_while_owners_are_killed(tmp_path: Path) -> None:
    """Two servers of peers at one folder overwrite each other's file. Here whoever has the folder
    open is killed ten times, and each text that was acknowledged is there, once."""
    folder, told = tmp_path / "m", set[str]()
    writers = [Process(WRITER, folder, f"writer {n}", 1_000) for n in range(3)]
    for number, writer in enumerate(writers):
        assert writer.line() == f"writer {number} wrote number 0 of its texts."
        told.add(f"writer {number} wrote number 0 of its texts.")
    for kills in range(10):
        for writer in writers:
            told.update(writer.line() for _ in range(30))
        with graphmem.attach(folder) as memory:
            pid = memory.owner_pid
        (killed,) = (writer for writer in writers if writer.process.pid == pid)
        os.kill(pid, signal.SIGKILL)
        assert killed.process.stdout is not None
        said = killed.process.stdout.read()
        told.update(said.split("\n")[:-1])  # the last line may have been cut short
        killed.kill()
        writers.remove(killed)
        writers.append(Process(WRITER, folder, f"writer {kills + 3}", 1_000))
        told.add(writers[-1].line())
    for writer in writers:
        writer.kill()
    with graphmem.open(folder, worker="none") as memory:
        texts = [node.text for node in memory.nodes()]
        assert len(texts) == len(set(texts))
        assert told <= set(texts)
        assert memory.admin.check() == []


def test_what_an_owner_needs_is_loaded_before_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loaded when the owner had gone, it was four fifths of the time in which nobody was
    answered."""
    loaded = threading.Event()
    monkeypatch.setattr(module, "import_module", lambda name: loaded.set())
    monkeypatch.setattr(module, "_SETTLED", 0.0)
    with graphmem.open(tmp_path / "m", **QUICK) as owner:
        owner.remember("Iris is allergic to walnuts.")
        with graphmem.reach(tmp_path / "m", **QUICK) as second:
            assert len(second) == 1
            assert loaded.wait(60)
        loaded.clear()
        monkeypatch.setattr(module, "_SETTLED", 60.0)
        with graphmem.reach(tmp_path / "m", **QUICK):
            pass
    waiting = [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]
    for thread in waiting:
        thread.join(60)  # a program that has ended waits for nothing
    assert not loaded.is_set()


def test_what_opens_the_folder_gets_the_hooks(tmp_path: Path) -> None:
    """A server that counts its calls could not be started: the hooks were taken for settings."""
    told: list[graphmem.Event] = []
    with graphmem.reach(tmp_path / "memory", on_event=told.append, **QUICK) as memory:
        memory.remember("The kettle is broken.")
    assert [event.name for event in told] == ["remember"]
