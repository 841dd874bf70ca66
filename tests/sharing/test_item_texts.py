"""The text of an item is found by recall if that is asked for, and goes when the item goes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    SecretError,
    UnknownNodeError,
    VersionConflictError,
)
from graphmem.interfaces.cli.commands import main
from tests.clock import Clock

SAID = [
    ("The pump in the cellar leaks at the flange.", "Where does the pump leak?", "flange"),
    ("地下室的水泵在法兰处漏水。", "水泵哪里漏水？", "法兰"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "m"


@pytest.fixture(params=["own", "attached"])
def memory(request: pytest.FixtureRequest, folder: Path) -> Iterator[graphmem.Memory]:
    with graphmem.open(folder, worker="none", durability="os") as owner:
        owner.remember("Iris paints the door red.")
        if request.param == "own":
            yield owner
        else:
            with graphmem.attach(folder) as client:
                yield client
        assert owner.admin.check() == []


def found(memory: graphmem.Memory, cue: str) -> list[tuple[str, str] | None]:
    return [hit.item for hit in memory.recall(cue, use=False)]


@pytest.mark.parametrize(("text", "cue", "word"), SAID)
def test_recall_finds_the_text_and_names_the_item(
    memory: graphmem.Memory, text: str, cue: str, word: str
) -> None:
    memory.items.put("tickets", "6", text)
    assert found(memory, cue) == []  # it was not asked for
    item = memory.items.put("tickets", "7", {"state": "open", "title": text}, by="Wen", recall=True)
    (hit,) = memory.recall(cue, use=False)
    assert hit.item == ("tickets", "7")
    assert hit.speaker == "Wen"
    assert word in memory.recall(cue, tokens=60, use=False).text
    read = memory.items.get(*hit.item)
    assert read is not None
    assert read.value == {"state": "open", "title": text}
    assert item.metadata["recalled"] == [hit.id]
    assert memory.recall("Iris door", use=False)[0].item is None


@pytest.mark.parametrize(("text", "cue", "word"), SAID)
def test_a_value_put_anew_is_what_recall_finds(
    memory: graphmem.Memory, text: str, cue: str, word: str
) -> None:
    memory.items.put("tickets", "7", text, recall=True)
    (first,) = memory.recall(cue, use=False)
    again = memory.items.put("tickets", "7", text)  # the same, in its next version
    assert again.metadata["recalled"] == [first.id]
    memory.items.put("tickets", "7", text.replace(word, "Zylinder"))
    (hit,) = memory.recall(cue, use=False)
    assert "Zylinder" in hit.text
    assert word not in hit.text
    assert list(memory.nodes(text=word, reverse=True)) == []
    memory.items.put("tickets", "7", None)
    assert found(memory, cue) == []
    memory.items.put("tickets", "7", text)  # it is still asked for
    assert found(memory, cue) == [("tickets", "7")]
    memory.items.put("tickets", "7", text, recall=False)
    assert found(memory, cue) == []
    memory.items.put("tickets", "7", text)
    assert found(memory, cue) == []


@pytest.mark.parametrize(("text", "cue", "word"), SAID)
def test_what_is_deleted_is_not_found(
    memory: graphmem.Memory, text: str, cue: str, word: str
) -> None:
    memory.items.put_many(
        [{"namespace": "tickets", "key": key, "value": text, "recall": True} for key in "78"]
    )
    assert memory.items.delete("tickets", "7")
    assert found(memory, cue) == [("tickets", "8")]
    memory.items.put_many([], delete=[("tickets", "8")])
    assert found(memory, cue) == []
    assert list(memory.nodes(text=word, reverse=True)) == []
    assert memory.history.forgotten() == []
    assert len(memory) == 1


@pytest.mark.parametrize(("text", "cue", "word"), SAID)
def test_erasing_what_was_found_erases_the_item(
    memory: graphmem.Memory, folder: Path, text: str, cue: str, word: str
) -> None:
    memory.items.put("tickets", "7", text, recall=True)
    since = memory.history.changes().last
    memory.forget(memory.recall(cue, use=False)[0], erase=True)
    assert memory.items.get("tickets", "7") is None
    changes = memory.history.changes(since)
    assert changes.gap  # whoever follows reads anew: what was erased is not named
    assert "tickets/7" not in [change.subject for change in changes]
    assert not any(
        word.encode() in file.read_bytes() for file in folder.rglob("*") if file.is_file()
    )
    # A forgotten one too.
    memory.items.put("tickets", "8", text, recall=True)
    hit = memory.recall(cue, use=False)[0]
    memory.forget(hit)
    assert found(memory, cue) == []
    assert memory.items.get("tickets", "8") is not None
    memory.forget(hit.id, erase=True)
    assert memory.items.get("tickets", "8") is None


def test_the_archive_has_a_forgotten_text_as_long_as_its_item(memory: graphmem.Memory) -> None:
    """What is said in docs/sharing.md."""
    for change in ("delete", "put"):
        memory.items.put("tickets", "7", "The pump in the cellar leaks.", recall=True)
        hit = memory.recall("pump", use=False)[0]
        memory.forget(hit)
        assert hit.id in [gone.id for gone in memory.history.forgotten()]
        if change == "delete":
            memory.items.delete("tickets", "7")
        else:
            memory.items.put("tickets", "7", "The valve is new.")
        assert memory.history.forgotten() == []


@pytest.mark.parametrize("there", [True, False])
def test_a_memory_that_only_says_so_erases_no_item(memory: graphmem.Memory, there: bool) -> None:
    if there:
        memory.items.put("tickets", "7", "The pump leaks.")
    about = {"item_namespace": "tickets", "item_key": "7"}
    (node,) = memory.remember("The valve leaks.", metadata=about)
    assert memory.correct(node, "The valve drips.")
    memory.forget(node, erase=True)
    assert (memory.items.get("tickets", "7") is not None) is there


def test_a_text_of_an_item_is_changed_with_the_item_alone(memory: graphmem.Memory) -> None:
    memory.items.put("tickets", "7", "The pump leaks.", recall=True)
    (hit,) = memory.recall("pump", use=False)
    for change in (memory.correct, memory.replace):
        with pytest.raises(InvalidArgumentError, match=r"items\.put"):
            change(hit, "The pump is dry.")
    assert memory[hit.id].text == "The pump leaks."


def test_an_item_whose_text_gave_way_is_found_again_when_it_is_put_again() -> None:
    """The value is the same, and recall had nothing of it any more."""
    with graphmem.open(worker="none", max_nodes=10, random=Random(1)) as memory:
        for found_again in (False, True):
            memory.items.put(
                "plans",
                "pump",
                {"note": "The pump was loud today."},
                recall=None if found_again else True,
            )
            if not found_again:
                for number in range(60):
                    memory.remember(
                        f"Door {number} of hall {number * 7} is painted in number {number * 3}."
                    )
            assert found(memory, "Was the pump loud?") == [("plans", "pump")] * found_again


def test_an_expired_item_is_not_found(folder: Path) -> None:
    clock = Clock(datetime(2026, 5, 3, tzinfo=UTC))
    with graphmem.open(folder, worker="none", durability="os", clock=clock) as memory:
        memory.items.put("tickets", "7", "The pump leaks.", ttl=60, recall=True)
        memory.items.put("tickets", "8", "The valve leaks.", ttl=60, recall=True)
        memory.items.touch("tickets", ["8"], 600)
        clock.now += timedelta(seconds=120)
        assert found(memory, "What leaks, pump or valve?") == [("tickets", "8")]
        memory.items.put("tickets", "7", "The gasket leaks.", recall=True)
        assert list(memory.nodes(text="pump", reverse=True)) == []
        clock.now += timedelta(seconds=3600)
        memory.items.put("tickets", "8", "The hose leaks.", recall=True)
        assert list(memory.nodes(text="valve", reverse=True)) == []
        assert found(memory, "hose") == [("tickets", "8")]
        assert memory.admin.check() == []


def test_what_cannot_be_found_is_refused(memory: graphmem.Memory) -> None:
    with pytest.raises(InvalidArgumentError, match="no text"):
        memory.items.put("a", "b", {"size": None, "raw": b"x"}, recall=True)
    with pytest.raises(ArgumentTypeError, match="recall"):
        memory.items.put("a", "b", "text", recall="yes")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="recalled"):
        memory.items.put("a", "b", "text", metadata={"recalled": [1]})
    with pytest.raises(VersionConflictError):
        memory.items.put("a", "b", "text", expected=4, recall=True)
    assert memory.items.namespaces() == []
    assert len(memory) == 1


def test_a_transaction_writes_both_or_neither(folder: Path) -> None:
    def fail(memory: graphmem.Memory) -> None:
        with memory.transaction():
            memory.items.put("tickets", "7", "The pump leaks.", recall=True)
            assert found(memory, "pump") == [("tickets", "7")]
            raise KeyError

    with graphmem.open(folder, worker="none", durability="os") as memory:
        with pytest.raises(KeyError):
            fail(memory)
        assert found(memory, "pump") == []
        assert memory.items.get("tickets", "7") is None
        assert memory.admin.check() == []


@pytest.mark.parametrize("guard", ["secrets", "refuse"])
def test_the_guard_reaches_what_recall_finds(folder: Path, guard: str) -> None:
    secret = "The pump's password is hunter2-Zx81!q."
    with graphmem.open(folder, worker="none", durability="os", guard=guard) as memory:
        if guard == "refuse":
            with pytest.raises(SecretError):
                memory.items.put("tickets", "7", secret, recall=True)
            assert len(memory) == 0
            return
        memory.items.put("tickets", "7", secret, recall=True)
        (hit,) = memory.recall("pump password", cut="none", use=False)
        assert "hunter2" not in hit.text


def test_an_exported_memory_keeps_both(folder: Path, tmp_path: Path) -> None:
    with graphmem.open(folder, worker="none", durability="os") as memory:
        memory.items.put("tickets", "7", "The pump leaks.", recall=True)
    file = str(tmp_path / "memory.jsonl")
    assert main(["export", file, "--path", str(folder)]) == 0
    assert main(["import", file, "--path", str(folder), "--scope", "copy"]) == 0
    with graphmem.open(folder, worker="none", durability="os", scope="copy") as copy:
        assert found(copy, "pump") == [("tickets", "7")]
        assert copy.admin.check() == []
        copy.items.put("tickets", "7", "The pump is dry.")
        assert [hit.text for hit in copy.recall("pump", use=False)] == ["The pump is dry."]


@pytest.mark.parametrize(("text", "cue", "word"), SAID)
def test_children_see_of_a_pool_what_is_shared(
    memory: graphmem.Memory, text: str, cue: str, word: str
) -> None:
    """Whatever stood in a parent's pool, each child read it."""
    team = memory.scopes.open("team")
    child = memory.scopes.open("child", parents=("team",))
    ours, theirs = team.pool("notes", by="Wen"), child.pool("notes")
    seen = ours.changes().last
    ours.write("open", "It is in May.")
    ours.write("secret", text, shared=False, recall=True)
    ours.write("told", text, recall=True)
    assert [entry.key for entry in theirs.list()] == ["told", "open"]
    assert [entry.key for entry in theirs.list(limit=1)] == ["told"]
    assert [entry.key for entry in ours.list()] == ["told", "secret", "open"]
    assert theirs.read("secret") is None
    assert ours.read("secret") is not None
    assert [change.key for change in theirs.changes(seen)] == ["open", "told"]
    assert len(ours.changes(seen)) == 3
    assert "SHARED:secret" not in child.context("May", pool="notes").text
    assert "SHARED:told" in child.context("May", pool="notes").text
    assert found(child, cue) == [("pool:notes", "told")]
    assert set(found(team, cue)) <= {("pool:notes", "told"), ("pool:notes", "secret")}
    assert not theirs.delete("secret")
    with pytest.raises(InvalidArgumentError, match="not shared"):
        theirs.write("secret", "mine")
    with pytest.raises(InvalidArgumentError, match="parent"):
        theirs.write("mine", "x", shared=False)
    ours.write("secret", text)  # as it was
    assert theirs.read("secret") is None
    ours.write("secret", text, shared=True)
    assert theirs.read("secret") is not None
    ours.write("open", "It is in June.", shared=False)
    assert theirs.read("open") is None
    ours.delete("open")
    assert [change.key for change in theirs.changes(seen)] == ["open", "told", "secret"]
    own = memory.scopes.open("own", parents=("team",), pools="own").pool("notes")
    own.write("x", "y", shared=False)
    assert own.read("x") is not None


def test_commands_write_what_recall_finds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graphmem.open(folder, worker="none").close()
    at = ("--path", str(folder))
    assert main(["items", "put", "tickets", "7", '"The pump leaks."', "--recall", *at]) == 0
    assert main(["pool", "put", "a", '"The valve leaks."', "--recall", "--no-shared", *at]) == 0
    capsys.readouterr()
    assert main(["recall", "pump", *at]) == 0
    assert "The pump leaks." in capsys.readouterr().out
    with graphmem.open(folder, worker="none") as memory:
        entry = memory.pool().read("a")
        assert entry is not None
        assert not entry.shared
        assert found(memory, "valve") == [("pool:shared", "a")]


@pytest.mark.parametrize("count", [2, 5])
def test_texts_of_items_that_expire_together_leave_no_fault(count: int) -> None:
    """Each was erased by a writer of its own, which did not see the links that another had cut."""
    clock = Clock(datetime(2026, 5, 1, tzinfo=UTC))
    with graphmem.open(worker="none", clock=clock) as memory:
        memory.remember("The release is on May 3.")
        for place in range(count):
            text = f"Wen likes tea {place}."
            memory.items.put("notes", f"{place}", text, ttl=60.0, recall=True)
        memory.remember("Iris tests the release.")
        clock.now += timedelta(minutes=2)
        assert rooms(memory).jobs.work(), "more may have expired"
        assert not rooms(memory).jobs.work()
        assert memory.admin.check() == []
        assert [node.text for node in memory.nodes()] == [
            "The release is on May 3.",
            "Iris tests the release.",
        ]


def test_the_text_of_an_item_that_has_expired_cannot_be_revived() -> None:
    """It was forgotten only, and could be read for as long as what is forgotten is kept."""
    clock = Clock(datetime(2026, 5, 1, tzinfo=UTC))
    with graphmem.open(worker="none", clock=clock) as memory:
        memory.items.put("notes", "a", "The pump leaks.", ttl=60, recall=True)
        (hit,) = memory.recall("pump")
        clock.now += timedelta(minutes=2)
        while rooms(memory).jobs.work():
            pass
        with pytest.raises(UnknownNodeError):
            memory.history.revive(hit.node.id)
