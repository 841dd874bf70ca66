"""What a model wrote, in the memory: beside the source's words, found by its own, gone with its form.

A model stands in for the worker: it answers wishes as the protocol has them.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import InvalidArgumentError
from graphmem.forgetting import undo
from graphmem.graph.records import TextRecord
from graphmem.values.nodes import Form
from graphmem_worker.backends.extractive import Extractive

pytestmark = pytest.mark.usefixtures("by_passes")

TEXT = "He moved the release to May 10. The review stays on May 6. The printers are in Ghent."
DERIVED = "Wenceslas moved the release to May 10."


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        yield opened


def writing(
    memory: graphmem.Memory, write: Callable[[dict[str, Any]], str]
) -> list[dict[str, Any]]:
    """Let a model write; returns the wishes that it gets."""
    wishes: list[dict[str, Any]] = []

    def process(payload: dict[str, Any]) -> Any:
        wish = payload.pop("wish", None)
        if wish is not None and wish["longest"]:
            assert payload["sentences"] == [], "scored before"
        result: Any = Extractive().process(payload, inf)  # type: ignore[arg-type]
        if wish is None:
            return result
        wishes.append(wish)
        derived = write(wish)
        return {**result, "written": {"derived": derived, "refused": [] if derived else ["words"]}}

    rooms(memory).enrichment.process = process
    rooms(memory).enrichment.earlier = undo.form_before
    fader = rooms(memory).fader
    can = replace(fader.ground.settings, worker="llama", may_write=True)
    fader.ground = replace(fader.ground, settings=can)
    return wishes


def faded(memory: graphmem.Memory, node: graphmem.Node, form: Form) -> None:
    while memory[node].form < form:
        memory.sweep()


def alone(memory: graphmem.Memory, text: str = TEXT) -> graphmem.Node:
    """Remember a text and push it out of the focus."""
    # Told after the days that it names: what is still to come would be held until then.
    node = memory.remember(text, speaker="Wenceslas", happened="2025-06-01")[0]
    for number in range(6):
        memory.remember(f"Shift {number} was quiet, and nobody called about pump {number + 7}.")
    return node


def test_it_is_kept_beside_the_words_and_found_by_its_own(memory: graphmem.Memory) -> None:
    node = memory.remember(TEXT)[0]
    assert not memory.recall("Wenceslas", use=False)
    wishes = writing(memory, lambda wish: DERIVED)
    memory.admin.enrich()
    assert wishes == [{"source": TEXT, "longest": 0, "speaker": ""}]
    assert memory[node].text == TEXT
    assert memory[node].derived == DERIVED
    found = memory.recall("Wenceslas", use=False)
    assert found[0].id == node.id
    assert "Wenceslas" not in found.text
    assert memory.recall("Wenceslas", mode="focus", use=False)[0].id == node.id
    assert memory.admin.stats()["worker"]["written"] == 1
    assert memory.admin.stats()["text_bytes"] == len((TEXT + DERIVED).encode())
    assert memory.admin.check() == []


def test_what_was_refused_is_counted(memory: graphmem.Memory) -> None:
    node = memory.remember(TEXT)[0]
    writing(memory, lambda wish: "")
    memory.admin.enrich()
    assert memory[node].derived == ""
    assert memory.admin.stats()["worker"]["refused"] == {"words": 1}
    assert memory[node].text == TEXT


def test_a_shorter_form_is_written_anew_from_the_form_before(memory: graphmem.Memory) -> None:
    node = alone(memory)
    wishes = writing(memory, lambda wish: "The review stays." if wish["longest"] else DERIVED)
    memory.admin.enrich()
    faded(memory, node, Form.SHORTER)
    assert memory[node].derived == "", "written of what it no longer says"
    left = len(memory[node].text)
    wishes.clear()
    salience = memory[node].sentences
    memory.admin.enrich()
    (wish,) = [wish for wish in wishes if wish["source"] == TEXT]
    assert wish == {"source": TEXT, "longest": left, "speaker": "Wenceslas"}
    assert memory[node].derived == "The review stays."
    assert memory[node].sentences == salience
    assert memory.admin.check() == []


def test_a_gist_is_told_in_what_was_written(memory: graphmem.Memory) -> None:
    node = alone(memory)
    writing(memory, lambda wish: "He moved the release." if wish["longest"] else "")
    memory.admin.enrich()
    faded(memory, node, Form.GIST)
    assert "(faded)" in memory.recall("release", use=False).text
    memory.admin.enrich()
    assert memory[node].text == ""
    assert str(memory[node]) == "(He moved the release.)"
    assert "(faded) He moved the release." in memory.recall("release", use=False).text
    assert memory.admin.check() == []


def test_a_form_whose_past_is_gone_is_left_as_it_is(memory: graphmem.Memory) -> None:
    """Scored again, it would move the median of worth a second time."""
    node = alone(memory)
    wishes = writing(memory, lambda wish: "")
    memory.admin.enrich()
    rooms(memory).enrichment.earlier = lambda view, node: None
    faded(memory, node, Form.SHORTER)
    wishes.clear()
    done = memory.admin.stats()["worker"]["enriched"]
    assert memory.admin.enrich() == 0
    assert not [wish for wish in wishes if wish["longest"]]
    assert memory.admin.stats()["worker"]["enriched"] == done
    assert memory.admin.check() == []


def test_undo_brings_it_back_and_forgetting_takes_it(memory: graphmem.Memory) -> None:
    node = memory.remember(TEXT)[0]
    writing(memory, lambda wish: DERIVED)
    memory.admin.enrich()
    memory.forget(node)
    assert not memory.recall("Wenceslas", use=False)
    assert memory.history.of(node)[-1].node.derived == DERIVED
    assert memory.history.revive(node).derived == DERIVED
    assert memory.recall("Wenceslas", use=False)[0].id == node.id
    (new,) = memory.correct(node, "She moved the release to May 11.")
    assert memory[new].derived == ""
    assert not memory.recall("Wenceslas", use=False)
    assert memory.admin.check() == []


def test_erasing_leaves_no_byte_of_it(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        node = memory.remember(TEXT)[0]
        memory.remember("Shift 1 was quiet.")
        writing(memory, lambda wish: "Wenceslas" if wish["source"] == TEXT else "")
        memory.admin.enrich()
        assert memory[node].derived == "Wenceslas"
        memory.forget(node, erase=True)
        assert memory.admin.check() == []
    files = [path for path in (tmp_path / "m").rglob("*") if path.is_file()]
    assert not any(b"enceslas" in path.read_bytes() for path in files if "LOG" not in path.name)


def test_a_text_that_changed_meanwhile_keeps_nothing(memory: graphmem.Memory) -> None:
    node = memory.remember(TEXT)[0]

    def write(wish: dict[str, Any]) -> str:
        memory.forget(node)
        return DERIVED

    writing(memory, write)
    memory.admin.enrich()
    assert not memory.recall("Wenceslas", use=False)
    assert memory.admin.check() == []


def test_a_record_without_the_field_is_read_and_written_as_it_was() -> None:
    """A memory that no model writes in must not pay for the field."""
    plain = TextRecord((), (), "Wen", ("tea",))
    assert TextRecord.unpack(plain.pack()) == plain
    told = TextRecord((), (), "Wen", ("tea",), derived="Wen drinks tea.")
    assert TextRecord.unpack(told.pack()) == told
    assert len(told.pack()) == len(plain.pack()) + 2 + len("Wen drinks tea.")


@pytest.mark.parametrize("worker", ["extractive", "none"])
def test_a_worker_without_a_model_cannot_write(worker: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="may_write needs a model"):
        graphmem.open(worker=worker, may_write=True)
