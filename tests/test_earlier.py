"""Prevents: what users of an earlier commit stored is not read, or cannot be erased.

`fixtures/earlier.tar.xz` was made by commit 29f99a72 with `fixtures/make_earlier.py`, so its
records are as that commit wrote them, however today's code writes such records itself.
"""

import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import graphmem
from tests.embedders import Hashed

MADE = Path(__file__).parent / "fixtures" / "earlier.tar.xz"
NOW = datetime(2026, 4, 20, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[graphmem.Memory]:
    with tarfile.open(MADE) as archive:
        archive.extractall(tmp_path, filter="data")
    with graphmem.open(
        tmp_path / "earlier", worker="none", clock=lambda: NOW, embedder=Hashed()
    ) as memory:
        yield memory


def test_all_its_parts_agree(memory: graphmem.Memory) -> None:
    assert memory.scopes.names() == ["default", "garden"]
    garden = memory.scopes.open("garden")
    assert garden.scopes.parents() == ["default"]
    assert memory.admin.check() == garden.admin.check() == []


@pytest.mark.parametrize(
    ("cue", "first"),
    [
        ("May grandpa have aspirin?", "Grandpa is on warfarin, so no aspirin for him."),
        ("赵敏对什么过敏", "赵敏对花生过敏，订餐时要避开。"),
        ("When is the release?", "The release moved to May 10."),
        ("Where is the wifi code?", "The wifi code hangs in the kitchen."),
        ("When is the boiler inspection?", "Thursday the 12th at nine."),
        ("Where does the fox sleep?", "The fox sleeps in the shed."),
    ],
)
def test_its_memories_are_recalled(memory: graphmem.Memory, cue: str, first: str) -> None:
    assert memory.recall(cue, use=False)[0].text == first


def test_its_nodes_have_what_they_were_given(memory: graphmem.Memory) -> None:
    (pinned,) = (node for node in memory if node.pinned)
    assert (pinned.speaker, pinned.text[:7]) == ("Ana", "Grandpa")
    assert [k.target for k in memory.graph.links(pinned) if k.relation == "treated by"] == [17]
    assert next(n for n in memory if n.speaker == "林青").metadata == {"source": "chat"}
    assert [Path(name).name for name in memory.files.list()] == ["notes.md"]


def test_what_was_forgotten_replaced_and_corrected_is_known(memory: graphmem.Memory) -> None:
    why = {gone.phrase: gone.why for gone in memory.history.forgotten()}
    assert why == {
        "Lisbon is off this year": "asked",
        "The dentist is called Dr. Mauss": "corrected",
        "The parking permit is valid today": "expired",
    }
    gone = next(g for g in memory.history.forgotten() if g.why == "asked")
    assert memory.history.revive(gone.id).speaker == "Ana"
    old = next(node for node in memory if "wifi password" in node.text)
    assert old.valid_to is not None
    at = graphmem.Where(as_of="2026-03-20")
    assert "password" in memory.recall("wifi", where=at, use=False)[0].text


def test_its_items_and_pools_are_read_and_written_on(memory: graphmem.Memory) -> None:
    items = memory.items
    assert {item.key: item.value for item in items.list("agent/notes")} == {
        "port": 5433, "motto": "Festina lente", "任务": {"列": [1, "二"]},
        "fox": "The fox sleeps in the shed.",
    }  # fmt: skip
    port = items.get("agent/notes", "port")
    assert port is not None
    assert (port.version, port.created_by, port.metadata) == (2, "planner", {"n": 1})
    assert items.put("agent/notes", "port", 1, expected=2).version == 3
    assert "delete" in {change.action for change in items.changes(0)}
    draft = memory.pool("team", by="editor").read("draft/1")
    assert draft is not None
    assert draft.value == "An outline of the report."


def test_its_working_set_goes_on(memory: graphmem.Memory) -> None:
    working = graphmem.WorkingSet.of(memory, "planning", 400)
    assert "allergic to penicillin" in "\n".join(m["content"] for m in working.messages)
    working.add("user", "The doctor has been told.")
    assert working.messages[-1]["content"] == "The doctor has been told."


def test_what_it_stored_can_be_erased(memory: graphmem.Memory) -> None:
    memory.forget(*(n for n in memory if "penicillin" in n.text), erase=True)
    working = graphmem.WorkingSet.of(memory, "planning", 400)
    assert "penicillin" not in "\n".join(m["content"] for m in working.messages)
    assert memory.path is not None
    folder = Path(memory.path)
    memory.close()
    assert not [p for p in folder.rglob("*") if p.is_file() and b"penicillin" in p.read_bytes()]


def test_it_goes_on_living(memory: graphmem.Memory) -> None:
    memory.remember("The release moved to May 17.", speaker="Ada")
    assert "May 17" in memory.recall("When is the release?", use=False)[0].text
    memory.sweep()
    memory.admin.compact()
    assert memory.admin.check() == []
