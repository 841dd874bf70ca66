"""An attached memory answers as the memory itself does, in another process as in this one."""

import asyncio
import copy
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
import rdflib

import graphmem
from graphmem import IRI, BlankNode, Literal, Memory
from graphmem.api.attached import Attached
from graphmem.api.opening import rooms
from graphmem.attaching.codec import decode, encode
from graphmem.errors import (
    AlreadyOpenError,
    ArgumentTypeError,
    ClosedError,
    ForgottenError,
    InvalidArgumentError,
    InvalidTermError,
    InvalidTextError,
    MissingError,
    NotOpenError,
    OwnerGoneError,
    OwnerSilentError,
    PinLimitError,
    ProtocolError,
    QuerySyntaxError,
    ReadOnlyError,
    ReservedError,
    UnknownNodeError,
    UnknownScopeError,
)
from graphmem.hexastore.terms import Variable
from graphmem.hexastore.transaction import Transaction
from graphmem.services import queue

"""Public names of Memory that a client does without, and why."""

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(str(Path(__file__).parents[2] / p) for p in (".", "worker")),
}
OWNER = """
import sys, graphmem
with graphmem.open(sys.argv[1], worker="none") as memory:
    memory.remember("The owner was here.")
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with graphmem.open(
        tmp_path / "m", worker="none", durability="os", tuning=graphmem.Tuning(grace=0)
    ) as memory:
        yield memory


@pytest.fixture
def attached(memory: Memory) -> Iterator[Attached]:
    assert memory.path is not None
    with graphmem.attach(memory.path) as attached:
        yield attached


class Owner:
    """Another process that has the folder open until it is told to end."""

    def __init__(self, folder: Path, script: str = OWNER) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
        )  # fmt: skip
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "open\n"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self.process.poll() is None:
            self.end(signal.SIGKILL)

    def end(self, how: signal.Signals | None = None) -> None:
        if how is not None:
            self.process.send_signal(how)
        self.process.communicate(timeout=60)


def public(kind: type) -> set[str]:
    dunders = {"__getitem__", "__contains__", "__len__", "__iter__", "__enter__", "__exit__"}
    return {name for name in vars(kind) if not name.startswith("_") or name in dunders}


def test_what_stays_with_the_owner_says_what_to_do(attached: Attached) -> None:
    with pytest.raises(InvalidArgumentError, match=r"ask with graph\.sparql\(\)"):
        attached.graph.rdf()
    with pytest.raises(InvalidArgumentError, match="trace in the owner's"):
        attached.recall("release", trace=True)


def test_it_gives_what_the_memory_gives(memory: Memory, attached: Attached) -> None:
    """Same ids, same texts, same types, to the last field."""
    when = datetime(2026, 5, 3, 9, 30, tzinfo=timezone(timedelta(hours=2)))
    (first,) = attached.remember(
        "Wen moved the release to May 10.", speaker="Wen", happened=when, session="standup",
        about=graphmem.About(keywords={"ship"}), pin=True,
    )  # fmt: skip
    assert first == memory[first]
    assert first.happened == when
    assert first.happened.utcoffset() == timedelta(hours=2)
    written = attached.remember_many(
        ["The audit was late.", {"text": "林青把发布改到了五月十日。", "speaker": "林青"}]
        + [f"Note {k} of the release. " * 20 for k in range(100)]
    )
    assert len(written) == 102
    assert attached.graph.relate(first, "because", written[0][0]) in list(memory.graph.links(first))
    assert list(attached) == list(memory)
    assert len(attached) == len(memory) > 300
    assert first in attached
    assert 10**9 not in attached
    assert "first" not in attached
    assert attached[first.id] == attached[first] == memory[first]
    assert list(attached.nodes(where=graphmem.Where(session="standup"), reverse=True)) == [first]
    assert (
        list(attached.nodes(form=graphmem.Form.WHOLE)) == list(attached.nodes(form="whole")) != []
    )
    assert attached.graph.focus == memory.graph.focus
    ours, theirs = attached.graph.links(first), memory.graph.links(first)
    assert list(ours) == list(theirs)
    assert ours.dangling == theirs.dangling
    assert attached.graph.importance(first) == memory.graph.importance(first)
    assert attached.admin.settings == memory.admin.settings
    assert attached.name == memory.name
    assert attached.path == memory.path
    assert attached.owner_pid == os.getpid()
    assert attached.unpin(first) == memory[first]
    assert attached.pin(first).pinned
    assert attached.admin.stats()["clients"] >= 1
    assert attached.admin.check() == []
    assert attached.admin.enrich() == 0
    assert attached.admin.failed() == {}
    assert attached.admin.retry() == 0
    attached.admin.compact()


def test_what_was_set_aside_is_the_same(memory: Memory, attached: Attached) -> None:
    """Keyed by nodes, which are numbers; msgpack's maps have texts for keys unless it is told."""
    first, other = (node for (node,) in memory.remember_many(["Wen is in Oslo.", "Iris is not."]))
    for node in (first, other):
        with Transaction(rooms(memory).store, rooms(memory).scope) as tx:
            queue.set_aside(tx, node.id, "refused: no such model")
    assert (
        attached.admin.failed()
        == memory.admin.failed()
        == dict.fromkeys((first.id, other.id), "refused: no such model")
    )
    assert len(attached.admin.failed(1)) == 1
    assert attached.admin.retry(first) == 1
    assert attached.admin.retry() == 1
    assert attached.admin.failed() == {}


@pytest.mark.parametrize("tokens", [None, 0, 7, 30, 100, 400, 3000])
def test_a_recall_is_the_same(memory: Memory, attached: Attached, tokens: int | None) -> None:
    """The owner leaves out what has no room in the text; nobody may see a difference."""
    memory.remember_many(
        [f"Note {k}: the release of {k % 7} is near. " * (k % 5 + 1) for k in range(90)]
    )
    memory.remember(
        "Wen says that release 3 waits.", speaker="Wen", happened="2026-05-03T09:00+08:00"
    )
    memory.graph.relate(1, "because", 5)
    for mode in ("activation", "focus"):
        options: Any = {"tokens": tokens, "use": False, "limit": 5, "mode": mode}
        ours, theirs = (
            attached.recall("release 3", **options),
            memory.recall("release 3", **options),
        )
        assert (ours[1:3], ours[-1], len(ours)) == (theirs[1:3], theirs[-1], len(theirs))
        assert list(ours) == list(theirs)
        assert [repr(hit.node.happened) for hit in ours] == [
            repr(hit.node.happened) for hit in theirs
        ]
        assert [hit.node for hit in copy.deepcopy(ours)] == [hit.node for hit in theirs]
        assert (ours.cue, ours.tokens, ours.dangling) == (
            theirs.cue,
            theirs.tokens,
            theirs.dangling,
        )
        assert (ours.text, ours.included, ours.node_lines) == (
            theirs.text,
            theirs.included,
            theirs.node_lines,
        )
        assert [hit.why for hit in ours] == [hit.why for hit in theirs]
        for by in (len, "cl100k", "gemma"):
            budget: Any = {**options, "tokens": graphmem.Tokens(tokens, by)}
            ours, theirs = (each.recall("release 3", **budget) for each in (attached, memory))
            assert (ours.text, ours.included, ours.node_lines) == (
                theirs.text,
                theirs.included,
                theirs.node_lines,
            )


def test_hits_that_are_none_are_named(memory: Memory) -> None:
    memory.remember("The kettle is on the third floor.")
    found = memory.recall("kettle")
    message = encode(found)
    moment = found[0].node.created.isoformat().encode()
    assert list(decode(message)) == list(found)
    with pytest.raises(ProtocolError):
        decode(message.replace(moment, b"\x01" * len(moment)))


def test_forgetting_goes_through(memory: Memory, attached: Attached) -> None:
    nodes = [nodes[0] for nodes in attached.remember_many([f"Number {k}." for k in range(30)])]
    told: list[graphmem.SweepReport] = []
    report = attached.admin.shrink(150, progress=told.append)
    assert report.forgotten > 0
    assert told
    assert all(isinstance(item, graphmem.SweepReport) for item in told)
    assert attached.sweep().passes == report.passes + 1
    assert attached.history.forgotten() == memory.history.forgotten()
    gone = attached.history.forgotten()[0]
    with pytest.raises(ForgottenError, match="was forgotten"):
        attached[gone.id]
    assert attached.history.revive(gone.id) == memory[gone.id]
    assert attached.history.of(gone.id) == memory.history.of(gone.id)
    (corrected,) = attached.correct(gone.id, "Another number.")
    assert attached.graph.links(corrected).dangling == memory.graph.links(corrected).dangling
    attached.forget(corrected, erase=True)
    assert corrected not in memory
    attached.used(nodes[-1], [nodes[-2].id], attached.recall("number", use=False))
    assert attached.graph.focus == memory.graph.focus


def test_facts_go_through(memory: Memory, attached: Attached) -> None:
    """A node, a number of any size, a date and rdflib's terms mean the same as in this process."""
    (node,) = memory.remember("Iris prefers tea.")
    objects: list[object] = [
        node, "tea", 17, 10**30, 1.5, True, date(2026, 5, 3), datetime(2026, 5, 3, tzinfo=UTC),
        IRI("http://x/y"), BlankNode("b"), Literal("thé", language="fr"),
        rdflib.URIRef("http://x/z"), rdflib.Literal("té", lang="es"), rdflib.Literal(3),
    ]  # fmt: skip
    for obj in objects:
        assert attached.graph.facts.put(node, "http://x/likes", obj)
        assert not memory.graph.facts.put(node, "http://x/likes", obj)
        assert (node, "http://x/likes", obj) in attached.graph.facts
    assert list(attached.graph.facts) == list(memory.graph.facts)
    assert list(attached.graph.facts.match(node, None, limit=3, offset=1, reverse=True)) == list(
        memory.graph.facts.match(node, None, limit=3, offset=1, reverse=True)
    )
    assert all(isinstance(fact, graphmem.Triple) for fact in attached.graph.facts.match())
    assert attached.graph.facts.count(predicate="http://x/likes") == len(objects)
    assert len(attached.graph.facts) == len(memory.graph.facts)
    assert attached.graph.facts.delete(node, "http://x/likes", "tea")
    assert (node, "http://x/likes", "tea") not in memory.graph.facts
    with pytest.raises(ReservedError):
        attached.graph.facts.put(node, "memory:keyword", "x")
    with pytest.raises(InvalidTermError):
        attached.graph.facts.put(node, 5, "x")
    with pytest.raises(InvalidTermError):
        attached.graph.facts.put(object(), "http://x/likes", "x")
    with pytest.raises(InvalidTermError):
        attached.graph.facts.put(["http://x/y"], "http://x/likes", "x")
    with pytest.raises(InvalidTermError):
        attached.graph.facts.put(node, "http://x/likes", "\ud800")


def test_errors_are_the_same(memory: Memory, attached: Attached) -> None:
    """Whoever catches UnknownNodeError in one process catches it in the other."""
    wrongs: list[Any] = [
        lambda m: m[5],
        lambda m: m[-1],
        lambda m: m["x"],
        lambda m: m.graph.links(2**70),
        lambda m: m.remember(""),
        lambda m: m.remember(5),
        lambda m: m.remember("a\ud800"),
        lambda m: m.remember("a", happened="yesterday"),
        lambda m: m.remember("a", happened=datetime(2026, 5, 3)),  # noqa: DTZ001
        lambda m: m.remember("a", about=graphmem.About(keywords=5)),
        lambda m: m.remember_many("a"),
        lambda m: m.remember_many(["fine", ""]),
        lambda m: m.recall("x", mode="other"),
        lambda m: m.recall("x", limit=-1),
        lambda m: m.recall(None),
        lambda m: list(m.nodes(where=graphmem.Where(since="never"))),
        lambda m: m.graph.facts.match(limit=-1),
        lambda m: m.scopes.drop("default"),
        lambda m: m.scopes.drop("none"),
        lambda m: m.scopes.open(""),
        lambda m: m.scopes.open(5),
        lambda m: m.scopes.open([]),
        lambda m: m.scopes.drop({}),
        lambda m: m.remember_many(5),
        lambda m: 5 in m.graph.facts,
        lambda m: m.history.revive(99),
        lambda m: m.used(object()),
        lambda m: m.sweep(seconds="x"),
        lambda m: m.sweep(second=1),
        lambda m: m.graph.relate(1),
        lambda m: m.recall("x", colour="red"),
        lambda m: m.items.changes(0, wait="1"),
        lambda m: m.items.changes(0, wait=86_401),
    ]
    for wrong in wrongs:
        told: list[BaseException] = []
        for each in (memory, attached):
            with pytest.raises((graphmem.GraphMemError, TypeError)) as caught:
                wrong(each)
            told.append(caught.value)
        assert isinstance(told[1], type(told[0])), told
        if type(told[0]) is type(told[1]) and "cannot be sent" not in str(told[1]):
            assert str(told[0]) == str(told[1])
    assert [node.text for node in memory] == ["fine"]  # the second is a use of the first


@pytest.mark.parametrize(
    "value",
    [
        {1: "a", 2: {3.5: [None]}, None: b"b", False: 1},
        [np.float64(0.5), {"x": np.float64(2)}],
        [*map(float, range(250_000))],
        {"a": {1, 2}},
        {(1, 2): "a"},
        np.arange(3.0),
        [np.float32(1)],
        1 << 64,
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_stored_or_refused_as_by_the_owner(
    memory: Memory, attached: Attached, value: Any
) -> None:
    """Numbers as keys, those of numpy, and more than 200,000 items were refused, some as "the owner
    is closing it"; sets and arrays were stored as lists."""

    def told(one: Any) -> object:
        try:
            return one.items.put("n", "k", value).value, one.items.get("n", "k").value
        except graphmem.GraphMemError as error:
            return type(error), str(error)

    assert told(attached) == told(memory)


@pytest.mark.parametrize("key", [1, None])
def test_a_name_that_is_no_text_is_refused_as_by_the_owner(
    memory: Memory, attached: Attached, key: Any
) -> None:
    for one in (memory, attached):
        with pytest.raises(ArgumentTypeError, match="metadata"):
            one.remember("A note.", metadata={key: 2})


@pytest.mark.parametrize(
    "vector", [np.ones(3, np.float32), [*np.ones(3, np.float32)], array("f", [1, 1, 1])]
)
def test_a_vector_may_be_an_array(memory: Memory, attached: Attached, vector: Any) -> None:
    from graphmem.sharing.cosine import packed_vector

    memory.items.put("n", "k", 1, metadata={"vectors": [packed_vector([1, 1, 0])]})
    assert attached.items.nearest(vector) == memory.items.nearest(vector)
    for one in (memory, attached):
        with pytest.raises(ArgumentTypeError, match="list of numbers"):
            one.items.nearest("abc")


def test_a_listing_is_one_snapshot(memory: Memory, attached: Attached) -> None:
    """Pages read at different moments would show a node twice, or not at all."""
    memory.remember_many([f"Number {k}." for k in range(300)])
    before = list(memory)
    listing = attached.nodes()
    seen = [next(listing)]
    memory.remember("Too late.")
    memory.forget(250)
    assert seen + list(listing) == before
    half = attached.nodes()
    next(half)
    del half  # lets the owner's snapshot go
    assert len(list(attached.nodes())) == 300


def test_scopes(memory: Memory, attached: Attached) -> None:
    other = attached.scopes.open("other")
    other.remember("Elsewhere.")
    assert other.name == "other"
    assert len(attached) == 0
    assert attached.scopes.names() == ["default", "other"]
    assert len(memory.scopes.open("other")) == 1
    attached.scopes.drop("other")
    with pytest.raises(UnknownScopeError):
        other.remember("Gone.")
    assert memory.scopes.names() == ["default"]
    assert len(attached.scopes.open("other")) == 0
    assert memory.path is not None
    with graphmem.attach(memory.path, scope="third") as third:
        third.remember("In a scope of its own.")
    assert "third" in memory.scopes.names()


def test_many_threads_and_asyncio(memory: Memory, attached: Attached) -> None:
    """A call that waits must not hold up the others."""

    async def work() -> list[Any]:
        return await asyncio.gather(
            *(asyncio.to_thread(attached.remember, f"Number {k}.") for k in range(40)),
            *(asyncio.to_thread(memory.recall, "number") for _ in range(10)),
        )

    answers = asyncio.run(work())
    assert len({nodes[0].id for nodes in answers[:40]}) == 40
    assert len(memory) == 40

    failed: list[BaseException] = []

    def use(turn: int) -> None:
        try:
            for k in range(20):
                (node,) = attached.remember(f"Thread {turn}, text {k}.")
                assert attached[node].text == f"Thread {turn}, text {k}."
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=use, args=(turn,)) for turn in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not failed
    assert len(memory) == 200


def test_an_interrupted_call_leaves_no_answer_for_the_next(
    memory: Memory, attached: Attached
) -> None:
    """The answer to a call that Ctrl-C ended was taken for that of the next one."""
    memory.remember_many([f"Number {k}." for k in range(30)])

    def interrupt(report: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attached.admin.shrink(100, progress=interrupt)
    assert isinstance(attached.admin.stats(), dict)
    assert attached.admin.check() == []


# -- who is there -----------------------------------------------------------------------------


def test_the_socket_is_its_users_alone(memory: Memory) -> None:
    assert memory.path is not None
    mode = (Path(memory.path) / "owner.sock").stat().st_mode
    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600
    memory.close()
    assert not (Path(memory.path) / "owner.sock").exists()


def test_a_long_path_is_no_hindrance(tmp_path: Path) -> None:
    """A Unix socket's address has 107 bytes at most; folders of agents are deeper than that."""
    folder = tmp_path
    for _ in range(4):
        folder /= "a-folder-with-a-long-name-" + "x" * 40
    folder.mkdir(parents=True)
    with (
        graphmem.open(folder / "m", worker="none") as memory,
        graphmem.attach(folder / "m") as attached,
    ):
        attached.remember("Deep down.")
        assert len(memory) == 1


def test_another_process(tmp_path: Path) -> None:
    with Owner(tmp_path / "m") as owner, graphmem.attach(tmp_path / "m") as attached:
        with pytest.raises(AlreadyOpenError):
            graphmem.open(tmp_path / "m")
        assert attached.owner_pid == owner.process.pid
        assert str(owner.process.pid) in repr(attached)
        assert [hit.text for hit in attached.recall("owner")] == ["The owner was here."]
        attached.remember("So was the client.")
        owner.end()
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert [node.text for node in memory] == ["The owner was here.", "So was the client."]


def test_an_owner_that_closes(tmp_path: Path) -> None:
    """... is told by name, and whoever opens the folder next is found by the next call."""
    with Owner(tmp_path / "m") as owner, graphmem.attach(tmp_path / "m") as attached:
        listing = attached.nodes()
        owner.end()
        assert next(listing).text == "The owner was here."  # the page is here already
        with pytest.raises(NotOpenError, match="nobody has"):
            attached.admin.stats()
        with graphmem.open(tmp_path / "m", worker="none"):
            assert len(attached) == 1
            assert attached.owner_pid == os.getpid()


def test_an_owner_that_is_killed(tmp_path: Path) -> None:
    """What it left, a socket that nobody serves, is no owner, and hinders no new one."""
    with Owner(tmp_path / "m") as owner, graphmem.attach(tmp_path / "m") as attached:
        owner.end(signal.SIGKILL)
        assert (tmp_path / "m" / "owner.sock").exists()
        with pytest.raises(NotOpenError, match="nobody has"):
            attached[1]
        with pytest.raises(NotOpenError, match="nobody has"):
            graphmem.attach(tmp_path / "m")
        with graphmem.open(tmp_path / "m", worker="none") as memory:
            assert attached[1] == memory[1]


def test_an_owner_that_is_killed_during_a_call(tmp_path: Path) -> None:
    with Owner(tmp_path / "m") as owner, graphmem.attach(tmp_path / "m") as attached:
        attached.remember_many([f"Number {k}." for k in range(200)])
        listing = attached.nodes()
        next(listing)

        def kill(report: object) -> None:
            owner.end(signal.SIGKILL)

        with pytest.raises(OwnerGoneError, match="may or may not have been done"):
            attached.admin.shrink(100, progress=kill)
        with pytest.raises(OwnerGoneError):  # not that nothing was done
            list(listing)


def test_an_owner_that_hangs(tmp_path: Path) -> None:
    """A stopped process has its socket open and never answers."""
    with Owner(tmp_path / "m") as owner, graphmem.attach(tmp_path / "m", timeout=1.0) as attached:
        os.kill(owner.process.pid, signal.SIGSTOP)
        os.waitpid(owner.process.pid, os.WUNTRACED)  # it has stopped
        with pytest.raises(OwnerSilentError, match="does not answer"):
            attached.admin.stats()
        os.kill(owner.process.pid, signal.SIGCONT)
        owner.end()


def test_an_owner_that_hangs_is_waited_for_no_longer_than_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seconds were those of each part: connecting, greeting, sending, answering."""
    monkeypatch.setattr("graphmem.api.access._PATIENCE", 1.0)
    with (
        Owner(tmp_path / "m") as owner,
        graphmem.attach(tmp_path / "m", timeout=1.0) as attached,
        graphmem.attach(tmp_path / "m", timeout=1.0) as busy,
    ):
        listing = iter(busy.nodes())
        os.kill(owner.process.pid, signal.SIGSTOP)
        os.waitpid(owner.process.pid, os.WUNTRACED)  # it has stopped

        def took(error: type[Exception], call: Callable[[], object]) -> float:
            since = time.monotonic()
            with pytest.raises(error):
                call()
            return time.monotonic() - since

        large = "A long text. " * 80_000  # more than a socket holds
        assert took(OwnerSilentError, lambda: attached.items.put("a", "b", large)) < 1.9
        assert took(NotOpenError, lambda: attached.admin.stats()) < 1.9  # on a new connection
        assert took(NotOpenError, lambda: graphmem.attach(tmp_path / "m", timeout=1.0)) < 1.9
        assert took(AlreadyOpenError, lambda: graphmem.reach(tmp_path / "m", worker="none")) < 2.0
        listing.close()  # type: ignore[attr-defined]
        os.kill(owner.process.pid, signal.SIGCONT)
        owner.end()


def test_what_cannot_be_attached_to_is_named(memory: Memory) -> None:
    """A timeout of 0 would be a socket that never waits: every call would find its owner gone."""
    assert memory.path is not None
    for timeout in (0, -1, float("nan"), 1e9):
        with pytest.raises(InvalidArgumentError, match="timeout is between"):
            graphmem.attach(memory.path, timeout=timeout)
    with pytest.raises(ArgumentTypeError, match="timeout is a number"):
        graphmem.attach(memory.path, timeout="5")  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="a path is a str"):
        graphmem.attach(5)  # type: ignore[arg-type]


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="there is no store"):
        graphmem.attach(tmp_path / "m")
    with (
        graphmem.open(tmp_path / "m", worker="none", attachable=False),
        pytest.raises(NotOpenError, match="takes no clients") as held,
    ):
        graphmem.attach(tmp_path / "m")
    assert held.value.owner_pid == os.getpid()
    with pytest.raises(NotOpenError, match="nobody has") as free:
        graphmem.attach(tmp_path / "m")
    assert free.value.owner_pid is None


def test_a_folder_without_sockets_is_a_memory_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems (of virtual machines, of networks) have none."""

    def refuse(folder: Path) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("graphmem.attaching.channel.listen", refuse)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("Still.")
        assert "Operation not supported" in memory.admin.stats()["attach_error"]
        with pytest.raises(NotOpenError, match="takes no clients"):
            graphmem.attach(tmp_path / "m")


def test_closing(memory: Memory) -> None:
    assert memory.path is not None
    attached = graphmem.attach(memory.path)
    attached.close()
    attached.close()
    with pytest.raises(ClosedError, match="attach again"):
        len(attached)
    assert len(memory) == 0


def test_read_only(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("Read me.")
    with (
        graphmem.open(tmp_path / "m", worker="none", read_only=True),
        graphmem.attach(tmp_path / "m") as attached,
    ):
        assert attached.recall("read")[0].text == "Read me."
        with pytest.raises(ReadOnlyError):
            attached.remember("No.")


def test_a_pin_too_many(tmp_path: Path) -> None:
    with (
        graphmem.open(tmp_path / "m", worker="none", max_nodes=8),
        graphmem.attach(tmp_path / "m") as attached,
    ):
        attached.remember_many({"text": f"Number {k}.", "pin": True} for k in range(4))
        with pytest.raises(PinLimitError):
            attached.remember("One too many.", pin=True)


def test_the_servers_key_stays_with_the_owner(tmp_path: Path) -> None:
    with (
        graphmem.open(tmp_path / "m", worker="none", server_key="secret"),
        graphmem.attach(tmp_path / "m") as attached,
    ):
        assert attached.admin.settings.server_key is None


def test_what_fails_between_two_texts_keeps_those_before(
    memory: Memory, attached: Attached
) -> None:
    def texts() -> Iterator[str]:
        yield "First."
        yield "Second."
        raise LookupError("the file ended")

    with pytest.raises(LookupError, match="the file ended"):
        attached.remember_many(texts())
    with pytest.raises(InvalidTextError):
        attached.remember_many([*(f"Number {k}." for k in range(100)), "", "Never."])
    assert [node.text for node in memory][:2] == ["First.", "Second."]
    assert len(memory) == 102
    told: list[int] = []
    attached.remember_many((f"More {k}." for k in range(130)), progress=told.append)
    assert told == [64, 128, 130]


@pytest.mark.slow
def test_a_very_long_text(memory: Memory, attached: Attached) -> None:
    text = "The release is near. " * 20_000
    nodes = attached.remember(text)
    assert "".join(node.text for node in nodes).replace(" ", "") == text.replace(" ", "")


def test_unknown_things_are_refused_here(attached: Attached) -> None:
    with pytest.raises(ArgumentTypeError, match="cannot be sent"):
        attached.recall(object())  # type: ignore[arg-type]
    with pytest.raises((InvalidArgumentError, UnknownNodeError)):
        attached.graph.importance(3)


def test_a_forked_child_does_not_keep_the_owner_alive(tmp_path: Path) -> None:
    """With the child's copy of the socket a dead owner took clients, and answered nobody."""
    script = OWNER.replace('print("open", flush=True)', """
    import os, time
    if (child := os.fork()) == 0:
        sys.stdin.close(); os.close(0); os.close(1); os.close(2)
        time.sleep(30)
        os._exit(0)
    print("open", flush=True)
    print(child, flush=True)""")  # fmt: skip
    with Owner(tmp_path / "m", script) as owner:
        assert owner.process.stdout is not None
        child = int(owner.process.stdout.readline())
        try:
            with graphmem.attach(tmp_path / "m") as attached:
                assert len(attached) == 1
                owner.end(signal.SIGKILL)
                with pytest.raises(NotOpenError, match="nobody has"):
                    len(attached)
        finally:
            os.kill(child, signal.SIGKILL)


def test_a_forked_child_connects_anew(memory: Memory) -> None:
    """What it had opened meanwhile was taken for the connection of its parent, closed at the fork:
    it was told that the owner was closing the folder."""
    memory.remember("Wen moved the release to May 10.")
    script = """
import os, sys, graphmem
with graphmem.attach(sys.argv[1]) as attached:
    assert len(attached) == 1
    if (child := os.fork()) == 0:
        opened = [os.pipe() for _ in range(8)]
        try:
            os._exit(len(attached) != 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert len(attached) == 1
"""
    command = [sys.executable, "-c", script, str(memory.path)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_backup_is_made_where_the_client_says(
    attached: Attached, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path meant the folder that the owner happened to be started in."""
    monkeypatch.chdir(tmp_path)
    attached.remember("Wen moved the release to May 10.")
    steps: list[tuple[int, int]] = []
    attached.admin.backup("copy", progress=lambda done, whole: steps.append((done, whole)))
    assert steps
    with graphmem.open(tmp_path / "copy", worker="none") as copy:
        assert [node.text for node in copy] == ["Wen moved the release to May 10."]


def test_queries_are_answered_as_by_the_owner(memory: Memory, attached: Attached) -> None:
    (node,) = memory.remember(
        "Wen moved the release to May 10.", about=graphmem.About(keywords=["release"])
    )
    asked = "SELECT ?n ?text { ?n memory:mentions 'release'; memory:content ?text }"
    assert list(attached.graph.sparql(asked)) == list(memory.graph.sparql(asked))
    assert len(attached.graph.sparql(asked)) == 1
    bound = "SELECT ?text { ?n memory:content ?text }"
    assert list(attached.graph.sparql(bound, n=node)) == list(memory.graph.sparql(bound, n=node))
    assert attached.graph.sparql("ASK { ?n memory:mentions 'nothing' }").askAnswer is False
    built = attached.graph.sparql("CONSTRUCT { ?n rdfs:label ?t } WHERE { ?n memory:content ?t }")
    assert built.graph is not None
    assert len(built.graph) == 1
    assert attached.graph.explain(asked) == memory.graph.explain(asked)
    with pytest.raises(QuerySyntaxError) as told:
        attached.graph.sparql("SELECT nothing")
    assert told.value.line == 1


def test_facts_are_searched_as_by_the_owner(memory: Memory, attached: Attached) -> None:
    for person, city in (("Wen", "Oslo"), ("Anna", "Oslo"), ("Iris", "Bergen")):
        memory.graph.facts.put(f"ex:{person}", "ex:lives", city)
    who, where = Variable("who"), Variable("where")
    patterns = [(who, "ex:lives", where)]

    def names(facts: Any, **named: Any) -> list[str]:
        return sorted(str(found["who"]) for found in facts.search(patterns, **named))

    assert names(attached.graph.facts) == names(memory.graph.facts)
    assert len(names(attached.graph.facts, offset=1, limit=1)) == 1
    kept = {"where": lambda found: str(found["where"]) == "Oslo"}
    assert (
        names(attached.graph.facts, **kept)
        == names(memory.graph.facts, **kept)
        != names(memory.graph.facts)
    )
    assert len(names(attached.graph.facts, limit=1, **kept)) == 1
    assert attached.graph.facts.explain(patterns) == memory.graph.facts.explain(patterns)
    with pytest.raises(InvalidArgumentError, match="limit"):
        attached.graph.facts.search(patterns, limit="one")  # type: ignore[arg-type]


def test_worth_and_life_come_as_the_owner_tells_them(memory: Memory, attached: Attached) -> None:
    (node,) = memory.remember("Wen moved the release to May 10. She paid 300 euros for it.")
    memory.remember("Anna prefers tea.")
    memory.sweep()
    assert attached.history.worth(node) == memory.history.worth(node.id)
    assert attached.history.life(node) == memory.history.life(node)


def test_files_are_those_of_the_client(
    memory: Memory, attached: Attached, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.md").write_text("# Release\n\nWen moved the release to May 10.\n")
    report = attached.files.add("notes.md")
    assert (report.added, report.kept) == (1, 0)
    assert attached.files.list() == memory.files.list() == [os.path.realpath("notes.md")]
    assert attached.files.remove("notes.md").forgotten == 1
    with pytest.raises(InvalidArgumentError, match="trace"):
        attached.recall("release", trace=True)


def test_a_check_tells_how_far_it_is(memory: Memory, attached: Attached) -> None:
    """One of 50,000 notes took seven seconds without a sign."""
    memory.remember("A note.")
    told: list[tuple[int, int]] = []
    for one in (memory, attached):
        told.clear()
        assert one.admin.check(progress=lambda *step: told.append(step)) == []
        assert told == sorted(told)
        assert {total for _, total in told} == {told[-1][0] + 1}
        with pytest.raises(ArgumentTypeError, match="progress"):
            one.admin.check(progress=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", ["conflicts", "policies", "status", "candidates", "clean", "map"])
def test_a_look_at_the_whole_tells_how_far_it_is(
    memory: Memory, attached: Attached, verb: str
) -> None:
    """With 50,000 notes they took many seconds without a sign."""
    memory.remember("Wen lives in Ghent.")
    told: list[tuple[int, int]] = []
    for one in (memory, attached):
        told.clear()
        call = getattr(one.graph if verb == "map" else one.review, verb)
        memory.remember(f"A note for {one!r}.")  # not compared yet
        call(progress=lambda *step: told.append(step))
        assert told
        assert all(0 <= done <= total for done, total in told)
        with pytest.raises(ArgumentTypeError, match="progress"):
            call(progress=3)


def test_a_pool_says_what_it_is(memory: Memory, attached: Attached) -> None:
    """That of a client had neither name nor namespace nor writer."""
    pools = [one.pool("notes", by="Wen") for one in (memory, attached)]
    told = [(pool.name, pool.by, pool.namespace) for pool in pools]
    assert told[0] == told[1] == ("notes", "Wen", "pool:notes")
