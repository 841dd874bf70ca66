"""Findings: what is found of a text stays with its version, whoever walks at the same time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import graphmem
from graphmem.api.memory import Memory
from graphmem.api.opening import rooms
from graphmem.graph import findings
from graphmem.graph.findings import Findings
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.view import View


@pytest.fixture
def memory() -> Iterator[Memory]:
    with graphmem.open(None, worker="none") as memory:
        yield memory


def view_of(memory: Memory) -> View:
    return View(rooms(memory).store.snapshot(), rooms(memory).scope, rooms(memory).relations)


def first_word(record: NodeRecord, text: TextRecord) -> str:
    return text.spans[0].split()[0]


def test_a_walk_goes_on_while_another_leaves_out_what_is_gone(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The map asked what another thread had thrown away, and failed with a KeyError."""
    monkeypatch.setattr(findings, "_AT_ONCE", 1)
    found = Findings(first_word)
    (gone,) = memory.remember("Alder grows by the brook.")
    memory.remember("Birch bark is white.")
    memory.forget(gone)
    fewer = view_of(memory)
    memory.history.revive(gone)
    (late,) = memory.remember("Cedar smells of pencils.")
    whole = view_of(memory)
    record, _ = whole.pair(late.id) or pytest.fail("it was remembered")
    walk = found.every(whole)
    assert next(walk)[2] == "Alder"
    assert [word for *_, word in found.every(fewer)] == ["Birch"]
    assert found.of(whole, late.id, record) == "Cedar"
    assert [word for *_, word in walk] == ["Birch", "Cedar"]


def test_a_text_that_changed_is_found_anew(memory: Memory) -> None:
    found = Findings(first_word)
    (note,) = memory.remember(
        "Alder grows by the brook. It is tall and old, and its cones are small."
    )
    assert [word for *_, word in found.every(view_of(memory))] == ["Alder"]
    with rooms(memory).changing() as writer:
        record, text = writer.view.pair(note.id) or pytest.fail("it was remembered")
        writer.put_text(note.id, text, text._replace(spans=("Tall.",), saliences=(1.0,)))
        writer.put_record(note.id, record._replace(version=record.version + 1))
    assert [word for *_, word in found.every(view_of(memory))] == ["Tall."]
