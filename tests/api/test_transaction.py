"""A transaction of which half is kept, or of which others see half, is worse than none: whoever uses
it has given up writing so that each step alone is safe."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import (
    CapacityError,
    GraphMemError,
    InvalidArgumentError,
    PinLimitError,
    StorageError,
    TransactionError,
    VersionConflictError,
)
from graphmem.storage import block
from tests.embedders import Hashed

TEXTS = (
    "Wen moved the release from May 3 to May 10.",
    "Ada likes tea.",
    "The budget is 4,200 euros.",
    "会议改到星期五下午三点。",
    "Never deploy to berlin-02 on a Friday.",
)


NOW = datetime(2026, 5, 1, tzinfo=UTC)


class StopError(Exception):
    """What a test raises to leave a block."""


@pytest.fixture(params=["memory", "leveldb", "lmdb"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[graphmem.Memory]:
    named = {} if request.param == "memory" else {"engine": request.param}
    if request.param == "lmdb":
        pytest.importorskip("lmdb")
    path = None if request.param == "memory" else tmp_path / "m"
    with graphmem.open(path, worker="none", **named) as opened:
        yield opened


def elsewhere(call: Callable[[], Any]) -> Any:
    """What a call returns in another thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result(timeout=60)


def told(memory: graphmem.Memory) -> dict[str, Any]:
    """All that a memory says, by texts instead of ids, which a rolled back block uses up."""
    text = {node.id: node.text for node in memory.nodes()}
    return {
        "nodes": [(n.text, n.pinned, n.uses, n.keywords, n.valid_to) for n in memory.nodes()],
        "focus": [node.text for node in memory.graph.focus],
        "links": {
            text[node]: sorted(
                (k.relation, text.get(k.target, "gone"), round(k.strength, 6))
                for k in memory.graph.links(node)
            )
            for node in text
        },
        "forgotten": [gone.phrase for gone in memory.history.forgotten()],
        "items": [(i.namespace, i.key, i.value, i.version) for i in memory.items.search()],
        "facts": sorted(
            (text.get(int(str(fact.subject).removeprefix("node:")), ""), *map(str, fact[1:]))
            for fact in memory.graph.facts
        ),
        "found": {
            # Without scores and order: what is recent is told by ids, and a block uses some up.
            cue: sorted(hit.node.text for hit in memory.recall(cue, use=False))
            for cue in ("release May", "tea", "星期五", "berlin budget")
        },
        "counts": (len(memory), len(memory.graph.facts), memory.items.namespaces()),
    }


def changes(memory: graphmem.Memory) -> list[tuple[str, str, int]]:
    return [
        (change.action, change.namespace, change.version) for change in memory.history.changes(0)
    ]


def test_all_of_a_block_is_there_at_its_end(memory: graphmem.Memory) -> None:
    with memory.transaction() as same:
        assert same is memory
        note = memory.remember(TEXTS[0])[0]
        memory.pin(note)
        memory.items.put("releases", "1.4", {"note": note.id})
        memory.graph.facts.put(note, "http://e.org/about", "release")
        memory.pool("team").write("k", 1)
        # It reads what it has written.
        assert memory[note.id].pinned
        assert memory.recall("When is the release?", use=False)[0].id == note.id
        assert [node.id for node in memory.nodes(words="release")] == [note.id]
        assert memory.items.search("releases")[0].value == {"note": note.id}
        assert len(memory.graph.facts) == len(list(memory.graph.facts)) == 1
        assert memory.graph.focus == [memory[note]]
        # Nobody else does.
        assert elsewhere(lambda: told(memory))["counts"] == (0, 0, [])
        assert elsewhere(lambda: memory.recall("release")).notes == ()
    assert elsewhere(lambda: memory.recall("release", use=False)[0].id) == note.id
    assert elsewhere(lambda: told(memory)) == told(memory)
    assert memory.items.get("releases", "1.4").version == 1  # type: ignore[union-attr]
    assert memory.admin.check() == []


def test_an_exception_leaves_nothing(memory: graphmem.Memory) -> None:
    kept = memory.remember(TEXTS[1], pin=True)[0]
    other = memory.remember(TEXTS[2])[0]
    memory.items.put("a", "b", 1)
    memory.history.changes()
    before, stored = told(memory), dict(rooms(memory).store.range(b"", b"\xff" * 9))
    with suppress(StopError), memory.transaction():
        new = memory.remember(TEXTS[0], session="s")[0]
        memory.graph.relate(new, "because", kept)
        memory.unpin(kept)
        memory.correct(other, "The budget is 5,000 euros.")
        memory.items.put("a", "b", 2, expected=1)
        memory.items.touch("a", ["b"], 60.0)
        memory.items.search()
        memory.graph.facts.put(kept, "http://e.org/p", 1)
        memory.forget(kept)
        listing = memory.nodes()
        next(listing)
        raise StopError
    assert dict(rooms(memory).store.range(b"", b"\xff" * 9)) == stored
    assert told(memory) == before
    assert memory.admin.check() == []
    with pytest.raises(TransactionError, match="rolled back"):
        list(listing)
    # A node that never was is not taken for one that comes later.
    assert memory.remember(TEXTS[3])[0].id > new.id
    assert new.id not in memory


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            "remember pin unpin forget correct replace revive relate used put delete fact unfact "
            "many".split()
        ),
        st.integers(0, 5),
        st.integers(0, 4),
    ),
    max_size=6,
)


def act(memory: graphmem.Memory, verb: str, which: int, text: int) -> None:
    """One step; what it cannot do, it leaves."""
    nodes = [node.id for node in memory.nodes()]
    if not nodes:
        verb = verb if verb in ("put", "delete", "many") else "remember"
    node = nodes[which % len(nodes)] if nodes else 0
    said = f"{TEXTS[text]} ({which})"
    with suppress(GraphMemError):
        match verb:
            case "remember":
                memory.remember(said, session=f"s{which % 2}", about=graphmem.About(keywords=["k"]))
            case "many":
                memory.remember_many([said, said + " Twice.", {"text": said, "pin": True}])
            case "relate":
                memory.graph.relate(node, f"r{text}", nodes[-1])
            case "correct":
                memory.correct(node, said)
            case "replace":
                memory.replace(node, said, since="2026-01-01T00:00:00+00:00")
            case "put":
                memory.items.put("n", f"{which}", text, expected=which % 3 or None)
            case "delete":
                memory.items.delete("n", f"{which}")
            case "fact":
                memory.graph.facts.put(node, f"http://e.org/{which}", text)
            case "unfact":
                memory.graph.facts.delete(node, f"http://e.org/{which}", text)
            case "revive":
                for gone in memory.history.forgotten()[:1]:
                    memory.history.revive(gone.id)
            case _:
                attrgetter(verb)(memory)(node)


@settings(max_examples=settings().max_examples // 4)
@given(blocks=st.lists(st.tuples(STEPS, st.booleans()), min_size=1, max_size=5))
def test_blocks_do_what_their_verbs_do_alone(
    blocks: list[tuple[list[tuple[str, int, int]], bool]],
) -> None:
    """Against a memory in which the verbs of the blocks that end well are called one by one."""
    with (
        graphmem.open(worker="none", clock=lambda: NOW) as memory,
        graphmem.open(worker="none", clock=lambda: NOW) as plain,
    ):
        for each in (memory, plain):
            each.history.changes()
        for steps, ends_well in blocks:
            if ends_well:
                for step in steps:
                    act(plain, *step)
            with suppress(StopError), memory.transaction():
                for step in steps:
                    act(memory, *step)
                inside = told(memory)
                if not ends_well:
                    raise StopError
            if ends_well:
                assert inside == told(plain)
            assert told(memory) == told(plain)
            assert changes(memory) == changes(plain)
        assert memory.admin.check() == plain.admin.check() == []
        memory.admin.compact()
        assert told(memory) == told(plain)


def test_a_verb_that_raises_leaves_out_its_own_writes_only(memory: graphmem.Memory) -> None:
    with memory.transaction():
        memory.items.put("a", "b", 1)
        with pytest.raises(VersionConflictError):
            memory.items.put_many(
                [
                    {"namespace": "a", "key": "c", "value": 1},
                    {"namespace": "a", "key": "b", "value": 2, "expected": 7},
                ]
            )
        with pytest.raises(InvalidArgumentError):
            memory.graph.relate(1, "r", 1)
    assert [item.key for item in memory.items.search()] == ["b"]
    assert memory.admin.check() == []


def test_a_call_of_several_commits_that_raises_leaves_nothing(memory: graphmem.Memory) -> None:
    """A block that caught the error committed the texts before the refused one."""
    many = [f"Note {n} is of hall {n % 7}." for n in range(80)]
    listed: list[graphmem.Node] = []
    with memory.transaction():
        kept = memory.remember(TEXTS[0], pin=True)[0]
        before = told(memory)
        with pytest.raises(InvalidArgumentError, match="bogus"):
            memory.remember_many([*many, {"text": "x", "bogus": 1}], progress=lambda _: None)
        assert told(memory) == before
        with suppress(StopError):
            memory.remember_many(stopping(many, lambda: listed.extend(memory.nodes())))
        assert len(listed) > 64
        assert told(memory) == before
        memory.graph.relate(kept, "near", memory.remember(TEXTS[1])[0])
        assert len(memory) == 2
    assert [node.text for node in memory.nodes()] == list(TEXTS[:2])
    assert [change.action for change in memory.history.changes(0)] == []
    memory.remember_many(many)
    assert {node.text for node in memory.nodes()} == {*TEXTS[:2], *many}
    assert memory.recall("hall 3", use=False)
    assert memory.admin.check() == []
    with memory.transaction(), suppress(StopError):
        memory.remember_many(stopping(many, lambda: None))
    assert len(memory) == 82
    assert memory.admin.check() == []


def stopping(texts: list[str], then: Callable[[], None]) -> Iterator[str]:
    yield from texts
    then()
    raise StopError


def test_what_a_large_text_wrote_before_it_failed_is_left_out(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taking it back needed room of its own in the block that was full."""
    long = " ".join(f"Sentence {n} of a long report on topic {n % 7}." for n in range(700))
    monkeypatch.setattr(block, "MOST_BYTES", 50_000)
    with memory.transaction():
        memory.remember(TEXTS[0])
        with pytest.raises(CapacityError, match="several transactions"):
            memory.remember(long)
        memory.remember(TEXTS[1])
    assert [node.text for node in memory.nodes()] == list(TEXTS[:2])
    assert memory.admin.check() == []


def test_what_cannot_be_taken_back_is_refused_by_name(memory: graphmem.Memory) -> None:
    node = memory.remember(TEXTS[0])[0]
    themes, opened = memory.themes, memory.scopes.open("there already")
    refused: list[Callable[[], object]] = [
        memory.sweep, memory.admin.compact, memory.admin.stats, memory.admin.check, memory.close,
        lambda: memory.forget(node, erase=True),
        lambda: memory.scopes.drop("there already"), lambda: memory.scopes.open("new"),
        lambda: memory.admin.enrich(0.1), lambda: memory.history.changes(wait=1.0), lambda: memory.themes,
        memory.review.status, lambda: memory.pool("team").changes(0),
        lambda: memory.review.resolve((1, 2), keep="both"), lambda: themes.assimilate(1),
        lambda: memory.transaction().__enter__(),
    ]  # fmt: skip
    with memory.transaction():
        for call in refused:
            with pytest.raises(TransactionError):
                call()
        with pytest.raises(TransactionError, match=r"sweep\(\) cannot be part of a transaction"):
            memory.sweep()
        opened.remember(TEXTS[1])
        assert memory.scopes.open("there already") is opened
        assert memory.graph.links(node).hierarchy == ()  # which asks the themes
    assert len(opened) == len(memory) == 1
    memory.sweep()


def test_a_block_spans_the_open_scopes(memory: graphmem.Memory) -> None:
    """One of two scopes that is written alone is the half that a transaction forbids."""
    other = memory.scopes.open("other")
    for fails in (True, False):
        with suppress(StopError), memory.transaction():
            memory.remember(TEXTS[0])
            other.remember(TEXTS[1])
            other.items.put("a", "b", 1)
            if fails:
                raise StopError
        assert len(memory) == len(other) == len(other.items.search()) == (0 if fails else 1)
    assert memory.admin.check() == other.admin.check() == []


def test_other_writers_wait_and_watchers_are_told_at_the_end(memory: graphmem.Memory) -> None:
    seen: list[str] = []
    memory.items.put("a", "before", 1)
    start = memory.history.changes().last
    with ThreadPoolExecutor(2) as pool:
        with memory.transaction():
            memory.items.put("a", "first", 1)
            waits = pool.submit(memory.items.put, "a", "second", 2)
            changed = pool.submit(memory.history.changes, start, wait=20.0)
            memory.items.put("a", "third", 3)
            assert elsewhere(lambda: list(memory.history.changes(start))) == []
            assert not waits.done()
            assert not changed.done()
        waits.result(timeout=60)
        seen += [change.key for change in changed.result(timeout=60)]
    assert seen[:2] == ["first", "third"]
    assert [c.key for c in memory.history.changes(start)] == ["first", "third", "second"]


def test_vectors_and_themes_after_an_abort() -> None:
    with graphmem.open(worker="none", embedder=Hashed()) as memory:
        nodes = [memory.remember(text)[0] for text in TEXTS]
        memory.admin.enrich()
        near = memory.graph.nearest("tea")
        with suppress(StopError), memory.transaction():
            memory.forget(near[0][0])
            memory.correct(nodes[0], "Wen moved the release to June.")
            memory.remember("Tea, more tea.")
            assert near[0][0].id not in [node.id for node, _ in memory.graph.nearest("tea")]
            assert elsewhere(lambda: memory.graph.nearest("tea")) == near
            raise StopError
        assert memory.graph.nearest("tea") == near
        assert memory.admin.enrich() == 0
        assert memory.admin.check() == []


def test_a_failing_disk_leaves_the_state_before_the_block(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember(TEXTS[0])
    before = told(memory)

    def full(*_: object, **__: object) -> None:
        raise StorageError(28, "no space left")

    monkeypatch.setattr(rooms(memory).store._engine, "commit", full)
    with ExitStack() as held:
        held.enter_context(pytest.raises(StorageError))
        held.enter_context(memory.transaction())
        memory.remember(TEXTS[1])
        memory.pin(1)
    monkeypatch.undo()
    assert told(memory) == before


def test_a_block_is_bounded_in_memory(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block, "MOST_BYTES", 10_000)
    with memory.transaction():
        memory.items.put("a", "b", "small")
        with pytest.raises(CapacityError, match="several transactions"):
            memory.items.put("a", "c", "x" * 10_000)
    assert [item.key for item in memory.items.search()] == ["b"]


def test_the_writes_of_a_block_are_bounded_together(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each was small, and a loop of them filled the machine's memory."""
    monkeypatch.setattr(block, "MOST_BYTES", 10_000)
    written = 0
    with ExitStack() as held:
        held.enter_context(pytest.raises(CapacityError, match="several transactions"))
        held.enter_context(memory.transaction())
        for number in range(100):
            memory.items.put("a", str(number), "x" * 1_000)
            written += 1
    assert 0 < written < 10
    assert memory.items.search() == []


def test_a_text_of_many_segments_is_in_the_block_as_a_whole(memory: graphmem.Memory) -> None:
    """Such a text takes several batches, and a failed one is undone by code of its own."""
    long = " ".join(f"Sentence {n} of a long report on topic {n % 7}." for n in range(400))
    for fails in (True, False):
        with suppress(StopError), memory.transaction():
            assert len(memory.remember(long)) > 64
            if fails:
                raise StopError
        assert (len(memory) > 64) is not fails
        assert memory.admin.check() == []


def test_limits_hold_across_the_verbs_of_a_block() -> None:
    with graphmem.open(worker="none", max_nodes=8) as memory:
        with ExitStack() as held:
            held.enter_context(pytest.raises(PinLimitError))
            held.enter_context(memory.transaction())
            for text in TEXTS:
                memory.remember(text, pin=True)
        assert len(memory) == 0
        with memory.transaction():
            for n in range(12):
                memory.remember(f"{TEXTS[n % 5]} ({n})")
        assert len(memory) == 8
        assert memory.admin.check() == []


def test_a_task_that_awaits_lets_no_other_one_in(memory: graphmem.Memory) -> None:
    """All tasks of a loop run in one thread: the writer's lock does not keep them apart."""

    async def other() -> int:
        with pytest.raises(TransactionError, match="must not await"):
            memory.remember(TEXTS[0])
        with pytest.raises(TransactionError, match="must not await"), memory.transaction():
            pass
        return len(memory)

    async def main() -> None:
        with pytest.raises(TransactionError, match="async with"):
            async with memory.transaction():  # type: ignore[attr-defined]
                pass
        with memory.transaction():
            memory.remember(TEXTS[1])
            assert await asyncio.create_task(other()) == 0
            assert len(memory) == 1

    asyncio.run(main())
    assert [node.text for node in memory] == [TEXTS[1]]


def test_a_client_is_told_what_to_do_instead(tmp_path: Path) -> None:
    with (
        graphmem.open(tmp_path / "m", worker="none"),
        graphmem.attach(tmp_path / "m") as client,
        pytest.raises(InvalidArgumentError, match="put_many"),
    ):
        client.transaction()


def test_a_block_is_one_commit_in_a_folder(tmp_path: Path) -> None:
    """Numbers that the ring lacks look like commits that a power cut has lost."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        before = memory.admin.stats()["sequence"]
        with memory.transaction():
            for n in range(20):
                memory.items.put("a", f"{n}", n)
        assert memory.admin.stats()["sequence"] == before + 20
        expected = told(memory)
    with graphmem.open(tmp_path / "m", worker="none") as again:
        assert told(again) == expected
