"""A memory knows what sort of thing each of its texts is, and finds it by that.

Without this "what are my preferences" also brings back chatter, and what a caller knows about a text
(its year, its team, that it is certain) is lost with the call.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphmem
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, InvalidTextError
from graphmem.exchange import transfer
from graphmem.graph.kinds import Stated, seen
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.interfaces.cli.commands import main
from graphmem.values.kinds import Kind
from graphmem_worker import kinds
from graphmem_worker.language.heads import head

START = datetime(2026, 5, 1, 9, tzinfo=UTC)


def ids(memory: graphmem.Memory, **where: Any) -> list[int]:
    return [node.id for node in memory.nodes(where=graphmem.Where(metadata=where))]


def test_the_rules_judge_from_the_first_sentence_on_in_both_languages(
    memory: graphmem.Memory,
) -> None:
    for text, realm, temporality in (
        ("I'm allergic to penicillin.", "personal", "permanent"),
        ("我对花生过敏", "personal", "permanent"),
        ("We chose Kafka over RabbitMQ for the event bus.", "project", "long-term"),
        ("前端统一用TypeScript写。", "project", "long-term"),
        ("Regular sleep improves memory.", "universal", "permanent"),
        ("谢谢你这么快回复。", "ephemeral", "session"),
    ):
        (node,) = memory.remember(text)
        assert (node.kind.realm, node.kind.temporality) == (realm, temporality)
        assert node.kind.source == "rules"
        assert memory[node].kind == node.kind
    assert len(ids(memory, realm="personal")) == 2
    assert len(ids(memory, confidence={"lt": 0.4})) == 1  # noise
    assert ids(memory, temporality=["session", "long-term"]) == [3, 4, 6]


class Directed:
    """Gives every text the direction of a general truth."""

    name = head("kinds").model
    dimensions = 384

    def embed(self, texts: Sequence[str], kind: str) -> list[np.ndarray]:
        """See `graphmem.Embedder`."""
        fitted = head("kinds")
        towards = fitted.vector[fitted.labels.index("universal")]
        return [towards - fitted.vector[fitted.labels.index("project")] for _ in texts]


def test_a_vector_tells_what_words_do_not() -> None:
    """Of another writer's sentences words alone put one in five in the wrong realm."""
    text = "The blue one is on the shelf by the door."
    with graphmem.open(None, worker="none", embedder=Directed()) as memory:
        (node,) = memory.remember(text)
        (given,) = memory.remember(f"{text} It is mine.", about=graphmem.About(kind="personal"))
        memory.admin.enrich()
        assert (node.kind.realm, memory[node].kind.realm) == ("project", "universal")
        assert memory[node].kind.source == "rules"
        assert memory[given].kind.realm == "personal"
        # What only a vector said is judged anew.
        (put,) = memory.correct(node, "Haha, exactly!")
        assert memory[put].kind.level == "noise"
        assert memory.admin.check() == []


def test_what_is_given_stands_above_the_rules(memory: graphmem.Memory) -> None:
    (node,) = memory.remember(
        "Haha, exactly!",
        about=graphmem.About(kind="project, short-term", confidence=0.75),
    )
    assert node.kind == Kind("project", 0.75, "short-term", "given")
    (partly,) = memory.remember(
        "I'm allergic to penicillin.", about=graphmem.About(kind={"realm": "project"})
    )
    assert partly.kind == Kind("project", 0.95, "permanent", "given")
    (kept,) = memory.remember("Port 8080.", about=graphmem.About(keep=True))
    assert (kept.kind.temporality, kept.kind.source) == ("permanent", "given")
    assert ids(memory, source="given") == [1, 2, 3]
    # Given again directly after itself, the text is the same node, of the kind given last.
    (again,) = memory.remember("Port 8080.", about=graphmem.About(kind="personal"))
    assert (again.id, again.kind.realm) == (kept.id, "personal")


def test_a_text_of_several_sentences_is_of_the_kind_that_most_of_it_is(
    memory: graphmem.Memory,
) -> None:
    (node,) = memory.remember(
        "Thanks! We chose Kafka over RabbitMQ for the event bus. Haha, exactly!"
    )
    assert (node.kind.realm, node.kind.temporality) == ("project", "long-term")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"about": graphmem.About(kind="public")}, InvalidArgumentError),
        ({"about": graphmem.About(kind="project personal")}, InvalidArgumentError),
        (
            {"about": graphmem.About(kind={"realm": "project", "mood": "good"})},
            InvalidArgumentError,
        ),
        ({"about": graphmem.About(kind=3)}, ArgumentTypeError),
        ({"about": graphmem.About(confidence=1.5)}, InvalidArgumentError),
        ({"about": graphmem.About(confidence="high")}, ArgumentTypeError),
        ({"about": graphmem.About(keep=True, kind="session")}, InvalidArgumentError),
        ({"metadata": ["a"]}, ArgumentTypeError),
        ({"metadata": {"a": {"b": 1}}}, ArgumentTypeError),
        ({"metadata": {1: "a"}}, ArgumentTypeError),
        ({"metadata": {"": "a"}}, InvalidArgumentError),
        ({"metadata": {"a": 1 << 63}}, InvalidArgumentError),
        ({"metadata": {"a": float("nan")}}, InvalidArgumentError),
        ({"metadata": {"a": "x" * 1001}}, InvalidTextError),
        ({"metadata": {"a": "\x00"}}, InvalidTextError),
        ({"metadata": {"realm": "mine"}}, InvalidArgumentError),
        ({"metadata": {str(n): n for n in range(33)}}, InvalidArgumentError),
    ],
)
def test_what_is_no_kind_and_no_metadata_is_refused(
    memory: graphmem.Memory, given: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        memory.remember("We deploy on Mondays.", **given)
    assert len(memory) == 0


def test_metadata_filters_by_equality_range_and_membership(memory: graphmem.Memory) -> None:
    memory.remember("The old pump was blue.", metadata={"year": 2019, "team": "red", "ok": True})
    memory.remember("The new pump is green.", metadata={"year": 2024, "team": "blue", "ok": 1})
    memory.remember("The spare pump is grey.", metadata={"year": "2024"})
    assert ids(memory, year=2024) == [2]
    assert ids(memory, year={"gte": 2019, "lt": 2024}) == [1]
    assert ids(memory, year={"$gt": 2019.5}) == [2]
    assert ids(memory, team=["red", "blue"]) == [1, 2]
    assert ids(memory, team={"in": ("green",)}) == []
    assert ids(memory, ok=True) == [1]  # and 1 is no truth
    assert ids(memory, team=None) == [3]
    assert ids(memory, team={"ne": "red"}, year={"gte": 0}) == [2]
    for mode in ("activation", "focus"):
        found = memory.recall(
            "pump",
            where=graphmem.Where(metadata={"team": "blue"}),
            mode=mode,
            cut="none",
            use=False,
        )
        assert [hit.id for hit in found] == [2]
        assert found[0].node.metadata == {"year": 2024, "team": "blue", "ok": 1}
    for wrong in ({"year": {"about": 3}}, {"year": {}}):
        with pytest.raises(InvalidArgumentError):
            memory.recall("pump", where=graphmem.Where(metadata=wrong))
    for mistyped in ([("year", 3)], {3: 4}, {"year": b"x"}, {"year": {"in": "ab"}}):
        with pytest.raises(ArgumentTypeError):
            memory.recall("pump", where=graphmem.Where(metadata=mistyped))


def test_the_guard_sees_metadata(memory: graphmem.Memory) -> None:
    given = {"note": "the password is Tr0ub4dor&3x", "year": 2026}
    kept = memory.remember("The router stands in the hall.", metadata=given)
    assert "Tr0ub4dor" not in str(kept[0].metadata)
    assert kept[0].metadata["year"] == 2026
    assert [(secret.kind, secret.where) for secret in kept.cut] == [("password", "metadata")]
    assert kept[0].cut == ("password",)


def test_both_are_said_of_every_message_and_of_each_of_many(memory: graphmem.Memory) -> None:
    chat = [{"role": "user", "content": "The pump is blue."}, {"role": "user", "content": "OK."}]
    nodes = memory.remember(
        messages=chat, metadata={"source": "chat"}, about=graphmem.About(kind="project")
    )
    assert {node.metadata["source"] for node in nodes} == {"chat"}
    assert {node.kind.realm for node in nodes} == {"project"}
    memory.remember_many([{"text": "The hose is red.", "metadata": {"n": 1}, "confidence": 0.5}])
    assert ids(memory, n=1, confidence=0.5) == [3]


def test_metadata_and_kind_survive_correct_and_replace(memory: graphmem.Memory) -> None:
    (node,) = memory.remember(
        "The pump is blue.",
        metadata={"n": 1},
        about=graphmem.About(kind="personal", keep=True),
    )
    (right,) = memory.correct(node, "The pump is green.")
    (now,) = memory.replace(right, "The pump is red.", since="2026-06-01T00:00:00+00:00")
    for successor in (right, now):
        assert successor.metadata == {"n": 1}
        assert (successor.kind.realm, successor.kind.temporality) == ("personal", "permanent")
    # What only the rules said is judged anew.
    (told,) = memory.remember("Haha, exactly!")
    (put,) = memory.correct(told, "We chose Kafka over RabbitMQ for the event bus.")
    assert put.kind.realm == "project"


@pytest.mark.usefixtures("by_passes")
def test_a_shorter_form_keeps_the_kind_of_the_whole_text(memory: graphmem.Memory) -> None:
    text = "My sister plays the cello in an orchestra of amateurs near the harbour."
    (node,) = memory.remember(text, metadata={"n": 1})
    whole = node.kind
    assert (whole.realm, whole.source) == ("personal", "rules")
    for number in range(6):  # so that it is out of the focus
        memory.remember(f"The hall is painted white again, wall {number}.")
    for _ in range(200):
        if (left := memory[node]).version > 1:
            break
        memory.sweep()
    assert left.form is graphmem.Form.GIST
    assert left.kind == whole
    assert left.metadata == {"n": 1}


def test_it_goes_out_as_jsonl_and_comes_back(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "a", worker="none") as memory:
        memory.remember(
            "The pump is blue.",
            metadata={"n": 1, "ok": None},
            about=graphmem.About(kind="personal"),
        )
        memory.remember("We chose Kafka over RabbitMQ for the event bus.")
    transfer.export(tmp_path / "a", str(tmp_path / "a.jsonl"))
    transfer.load(tmp_path / "b", [str(tmp_path / "a.jsonl")])
    with graphmem.open(tmp_path / "b", worker="none") as memory:
        assert memory[1].metadata == {"n": 1, "ok": None}
        assert [n.kind.realm for n in memory] == ["personal", "project"]
        assert memory[1].kind.source == "given"
        assert memory.admin.check() == []


def test_it_reaches_another_process(tmp_path: Path) -> None:
    with graphmem.open(tmp_path, worker="none"), graphmem.attach(tmp_path) as attached:
        attached.remember(
            "We deploy on Mondays.",
            metadata={"n": 1},
            about=graphmem.About(kind="project permanent"),
        )
        (node,) = attached.nodes(
            where=graphmem.Where(metadata={"n": {"gte": 1}, "realm": ["project"]})
        )
        assert node.metadata == {"n": 1}
        assert node.kind == Kind("project", node.kind.confidence, "permanent", "given")


@pytest.mark.parametrize(
    "stated",
    [Stated(), Stated("universal", 1.0, "session", "confirmed", True, True), Stated(None, 0.0)],
)
def test_what_is_stated_is_packed_in_a_number(stated: Stated) -> None:
    assert Stated.unpack(stated.pack()) == stated
    assert stated.pack() < 1 << 17


def test_sparql_knows_kinds_and_metadata(memory: graphmem.Memory) -> None:
    memory.remember("I'm allergic to penicillin.", metadata={"year": 2019, "ok": True, "a b": "c"})
    memory.remember("We chose Kafka over RabbitMQ for the event bus.", metadata={"year": 2024})
    query = "SELECT ?n { ?n memory:realm 'personal'; memory:temporality 'permanent'; "
    query += "memory:kindSource 'rules'; memory:confidence ?c FILTER(?c > 0.9) }"
    assert [str(n) for (n,) in memory.graph.sparql(query)] == ["node:1"]
    found = memory.graph.sparql("SELECT ?n { ?n memory:metadata_year ?y FILTER(?y >= 2020) }")
    assert [str(n) for (n,) in found] == ["node:2"]
    found = memory.graph.sparql(
        "SELECT ?v { ?n <memory:metadata_a%20b> ?v; memory:metadata_ok true }"
    )
    assert [str(v) for (v,) in found] == ["c"]
    told = {str(p) for (p,) in memory.graph.sparql("SELECT ?p { node:1 ?p ?o }")}
    assert {"memory:realm", "memory:metadata_year", "memory:metadata_a%20b"} <= told
    assert [str(p) for (p,) in memory.graph.sparql("SELECT ?p { ?n ?p 2024 }")] == [
        "memory:metadata_year"
    ]


def test_a_text_goes_to_the_scope_of_its_kind() -> None:
    with graphmem.open(worker="none", user_scope="ana", project_scope="pump") as memory:
        for text, scope in (
            ("I prefer tabs over spaces.", "ana"),
            ("我喜欢喝绿茶。", "ana"),
            ("The project uses PostgreSQL 15.", "pump"),
            ("Regular sleep improves memory.", "default"),
        ):
            told = memory.remember(
                text,
                about=graphmem.About(route=True, keywords=iter(["given"])),
            )
            assert told.scope == scope
            (node,) = told
            assert memory.scopes.open(scope)[node].text == text
            assert "given" in node.keywords
        (node,) = memory.remember(
            "Haha!",
            about=graphmem.About(kind="project", route={"project": "other"}),
        )
        assert [n.text for n in memory.scopes.open("other")] == ["Haha!"]
        assert memory.remember("I prefer tabs.").scope == ""
        for wrong in ({"mine": "ana"}, "ana"):
            with pytest.raises((InvalidArgumentError, ArgumentTypeError)):
                memory.remember("I prefer tabs.", about=graphmem.About(route=wrong))  # type: ignore[arg-type]


def test_where_a_text_goes_must_be_known(memory: graphmem.Memory) -> None:
    with pytest.raises(InvalidArgumentError, match="user_scope"):
        memory.remember("I prefer tabs over spaces.", about=graphmem.About(route=True))
    assert len(memory) == 0


def test_the_command_line_filters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> str:
        assert main(["--path", str(tmp_path), *words]) == 0
        return capsys.readouterr().out

    given = ("--metadata", "year=2026", "--metadata", "team=red", "--kind", "project")
    run("remember", "We deploy on Mondays.", *given)
    assert "Mondays" in run("nodes", "--where", "year>=2020", "--where", "realm=project")
    assert "Mondays" in run("nodes", "--where", 'team=["red", "blue"]')
    assert "Mondays" not in run("nodes", "--where", "year<2026")
    assert "Mondays" in run("recall", "deploy", "--cut", "none", "--where", '{"team": "red"}')
    assert main(["--path", str(tmp_path), "nodes", "--where", "year"]) != 0


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (Stated(), Stated("personal", 0.9, "long-term")),
        (Stated("project", keep=True), Stated("project", 0.9, "long-term", keep=True)),
        (Stated(confidence=0.0), Stated("personal", 0.0, "long-term")),
        (Stated(temporality="session"), Stated("personal", 0.9, "session")),
        (Stated("project", 0.2, "session", "given"), Stated("project", 0.2, "session", "given")),
    ],
)
def test_a_vector_tells_only_what_was_not_given(
    said: Stated, expected: Stated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a user had said of a memory would be another's guess once its vector was made."""
    found = kinds.Kind("personal", 0.9, "long")
    monkeypatch.setattr(kinds, "kind_by_vector", lambda *given, **named: found)
    text = TextRecord(("The pump is red.",), (1.0,), "", ())
    packed = seen(NodeRecord(kind=said.pack()), text, np.zeros(2, np.float32), "model")
    assert Stated.unpack(packed) == expected
