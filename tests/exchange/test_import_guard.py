"""A secret that was exported before there was a guard must not come back with the import."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import graphmem
from graphmem.errors import InvalidArgumentError, SecretError
from graphmem.exchange import transfer
from graphmem.exchange.import_guard import Cleaning
from graphmem.exchange.notes import format_of
from graphmem.graph.records import TextRecord
from graphmem.remembering.guarding import Guard
from graphmem.values.moments import micros

SECRET = "Tr0ub4dor&3x"
TOLD = f"The router stands in the hall. The password is {SECRET}, says Wen."


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    with graphmem.open(tmp_path / "old", worker="none", guard="off") as memory:
        memory.remember(TOLD, speaker="Wen", metadata={"note": f"the password is {SECRET}"})
        (gone,) = memory.remember(f"My password is {SECRET}.")
        memory.forget(gone)
        memory.graph.facts.put("http://x/router", "http://x/note", f"the password is {SECRET}")
        said = {"note": f"the password is {SECRET}"}
        memory.items.put("a", "b", said, metadata=said, by=f"Wen, whose password is {SECRET}")
    transfer.export(tmp_path / "old", str(tmp_path / "old.jsonl"))
    assert (tmp_path / "old.jsonl").read_text().count(SECRET) >= 4
    return tmp_path / "old.jsonl"


def test_an_exported_memory_passes_the_guard(exported: Path, tmp_path: Path) -> None:
    transfer.load(tmp_path / "new", [str(exported)])
    with graphmem.open(tmp_path / "new", worker="none") as memory:
        assert memory[1].text == TOLD.replace(SECRET, "[password]")
        assert memory[1].cut == ("password",)
        assert memory[1].metadata == {"note": "the password is [password]"}
        item = memory.items.get("a", "b")
        assert item.value == item.metadata == {"note": "the password is [password]"}
        assert item.created_by == item.updated_by == "Wen, whose password is [password]"
        assert memory.admin.check() == []
    transfer.export(tmp_path / "new", str(tmp_path / "new.jsonl"))
    again = [json.loads(line) for line in (tmp_path / "new.jsonl").read_text().splitlines()]
    assert SECRET not in str(again)


@pytest.mark.parametrize("field", ["spans", "phrase", "keywords", "speaker", "derived"])
def test_no_field_of_a_text_brings_a_secret_in(field: str) -> None:
    """What a model had written of a text was taken as it stood."""
    said = f"The password is {SECRET}"
    given = {field: (said,) if field in ("spans", "keywords") else said}
    record = TextRecord((TOLD.partition(".")[0],), (1.0,), "router", ())._replace(**given)
    cleaned = Cleaning(Guard("secrets")).text(record)
    assert SECRET not in str(cleaned)
    assert "The password is [password]" in str(getattr(cleaned, field))
    assert cleaned.cut == ("password",)


def test_a_secret_that_ends_in_the_next_sentence_stays_out() -> None:
    """Each sentence alone says nothing that is a secret."""
    secret = "tugboat" + "88"
    spans = ("The password of the router?", f" {secret}, says Wen.")
    cleaned = Cleaning(Guard("secrets")).text(TextRecord(spans, (1.0, 3.0), "router", ()))
    assert secret not in str(cleaned)
    assert cleaned.saliences == (3.0,)


@pytest.mark.parametrize(
    ("path", "named", "form"),
    [("a.txt", None, "text"), ("a.TXT", None, "text"), ("a.json", None, "chat"),
     ("a.txt", "notes", "notes"), ("a.csv", "chat", "chat")],
)  # fmt: skip
def test_a_format_is_that_which_is_named_or_that_of_the_file(
    path: str, named: str | None, form: str | None
) -> None:
    assert format_of(path, named) == form


def test_a_name_of_no_format_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="--format"):
        format_of("a.csv", None)


def test_it_can_be_refused_or_let_through(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHMEM_GUARD", "refuse")
    with pytest.raises(SecretError) as told:
        transfer.load(tmp_path / "new", [str(exported)])
    assert SECRET not in str(told.value)
    monkeypatch.setenv("GRAPHMEM_GUARD", "off")
    transfer.load(tmp_path / "new", [str(exported)])
    with graphmem.open(tmp_path / "new", worker="none") as memory:
        assert memory[1].text == TOLD


def test_facts_of_rdf_files_pass_the_guard(tmp_path: Path) -> None:
    """A new folder was made, and the load refused, as there was no memory in it."""
    file = tmp_path / "facts.nt"
    file.write_text(f'<http://x/r> <http://x/note> "the password is {SECRET}" .\n')
    transfer.load(tmp_path / "m", [str(file)], facts=True)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("The router stands in the hall.")
        assert memory.admin.check() == []
        (fact,) = memory.graph.facts
        assert str(fact.object.lexical) == "the password is [password]"


def test_a_memory_that_facts_begin_is_of_now(tmp_path: Path) -> None:
    """Its export said 1970: the moment was in another unit than that of other memories."""
    file = tmp_path / "facts.nt"
    file.write_text('<http://x/r> <http://x/says> "hello" .\n')
    begun = micros(datetime.now(UTC))
    transfer.load(tmp_path / "m", [str(file)], facts=True)
    transfer.export(tmp_path / "m", str(tmp_path / "m.jsonl"))
    with (tmp_path / "m.jsonl").open(encoding="utf-8") as lines:
        assert begun <= json.loads(next(lines))["memory"]["created"] <= micros(datetime.now(UTC))


def test_a_blank_node_has_no_secret_and_an_iri_with_one_is_named(tmp_path: Path) -> None:
    """51 of 60 files with blank nodes were refused, for the labels that are made for them."""
    file = tmp_path / "facts.nt"
    file.write_text("".join(f'_:n{n} <http://x/says> "hello" .\n' for n in range(300)))
    transfer.load(tmp_path / "m", [str(file)], facts=True)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert len(memory.graph.facts) == 300
    file.write_text(f'<http://x/?password={SECRET}> <http://x/says> "hello" .\n')
    with pytest.raises(SecretError, match=r"http://x/\?password=\[password\]"):
        transfer.load(tmp_path / "m", [str(file)], facts=True)
