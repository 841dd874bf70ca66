"""Reminders: what a recall reads of forgotten memories."""

from random import Random

import pytest

import graphmem
from graphmem.errors import CorruptError
from graphmem.recalling import reminders
from graphmem.values.nodes import Tombstone


def test_a_recall_reads_only_new_tombstones_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full memory has up to a thousand, and each recall split all of them into words."""
    split = list[str]()
    real = reminders.words
    with graphmem.open(worker="none", max_nodes=40, random=Random(1)) as memory:
        for k in range(150):
            memory.remember(f"The pump in room {k * 31 % 97} was checked by shift {k}.")
        assert memory.admin.stats()["tombstones"] > 10
        before = memory.recall("pump of room 99 checked").dangling
        assert before
        monkeypatch.setattr(reminders, "words", lambda text: split.append(text) or real(text))
        assert memory.recall("pump of room 99 checked").dangling == before
        memory.recall("shift 150 in the pump's room")
    assert split == []


def test_a_tombstone_that_cannot_be_read_spoils_no_other_recall(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those without a root of the cue's words are not read."""
    with graphmem.open(worker="none", max_nodes=40, random=Random(1)) as memory:
        for k in range(60):
            memory.remember(f"The pump in room {k * 31 % 97} was checked by shift {k}.")

        def fail(node: int, record: bytes) -> Tombstone:
            raise CorruptError(f"the tombstone of node {node} cannot be read")

        monkeypatch.setattr(reminders.tombstones, "unpack", fail)
        reminders._words_of.cache_clear()
        assert list(memory.recall("Where is the ladder?")) == []
        with pytest.raises(CorruptError):
            memory.recall("Which pump was checked?")
