"""A memory that comes back from a file a little different has forgotten something unasked."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import InvalidArgumentError, MalformedError, MissingError, UnknownScopeError
from graphmem.exchange import transfer
from graphmem.forgetting import archive
from graphmem.hexastore import keys, scopes
from graphmem.interfaces.cli import commands as cli
from graphmem.maintenance import check
from graphmem.rdf import bulk
from graphmem.storage.store import Store
from tests.embedders import Hashed
from tests.fixtures.make_format_2 import FOLDER


def lived(folder: Path) -> None:
    """A memory with one of everything."""
    with graphmem.open(folder, worker="none") as memory:
        texts = [
            f"Wen moved release {n} from May {n} to May {n + 7}. It costs {n * 3} euros. 发布推迟了。"
            for n in range(1, 25)
        ]
        nodes = [memory.remember(text, speaker="Wen", session="s")[0] for text in texts]
        memory.remember(
            "Pinned.",
            pin=True,
            happened="2026-05-03T09:30:00+02:00",
            about=graphmem.About(keywords=["mine"]),
        )
        memory.graph.relate(nodes[0], "blocks", nodes[1])
        memory.graph.relate(nodes[1], "http://example.org/r", nodes[2])
        memory.graph.facts.put(nodes[3], "http://example.org/p", 7)
        memory.graph.facts.put("http://example.org/s", "http://example.org/p", "x\n")
        memory.admin.enrich()
        memory.correct(nodes[2], "The release was called off.")
        memory.replace(nodes[6], "Release 7 is as it was.")
        memory.history.reopen(nodes[6])
        memory.used(nodes[4], nodes[5])
        for _ in range(70):
            memory.sweep()
        memory.forget(nodes[1])
        memory.remember("The last one waits in the queue.")
        assert memory.admin.stats()["tombstones"] > 0
        assert memory.admin.stats()["archived"] > 0
        assert any(form.worths for form in archive.newest_first(rooms(memory).ground.view()))


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of the file of such a memory."""
    folder = tmp_path_factory.mktemp("exported")
    lived(folder / "agent")
    transfer.export(folder / "agent", str(folder / "memory.jsonl"))
    return (folder / "memory.jsonl").read_text("utf-8").splitlines()


def dumped(folder: Path, name: str) -> list[Any]:
    with Store.open(folder) as store:
        (scope,) = (scope for scope in scopes.all_of(store, "memory") if scope.name == name)
        assert check.faults(store, scope) == []
        records = list(transfer.records(store, scope))
        del records[0]["memory"]["name"], records[0]["memory"]["analyser"]  # it is cut anew
        return records


@pytest.mark.parametrize("kind", [pytest.param("format-2", marks=pytest.mark.leveldb), "lived"])
def test_a_memory_comes_back_equal(tmp_path: Path, kind: str) -> None:
    """That of the fixture has what a model wrote, too."""
    folder, path = tmp_path / "agent", tmp_path / "memory.jsonl"
    if kind == "format-2":
        shutil.copytree(FOLDER, folder)
    else:
        lived(folder)
    count = transfer.export(folder, str(path))
    assert count == len(path.read_text("utf-8").splitlines())
    transfer.load(tmp_path / "other", [str(path)], scope="copy")
    assert dumped(tmp_path / "other", "copy") == dumped(folder, "default")
    with (
        graphmem.open(folder, worker="none", read_only=True) as first,
        graphmem.open(tmp_path / "other", scope="copy", worker="none", read_only=True) as second,
    ):
        found = [memory.recall("release", use=False) for memory in (first, second)]
        assert [(hit.id, hit.score) for hit in found[0]] == [
            (hit.id, hit.score) for hit in found[1]
        ]
        first_stats, second_stats = first.admin.stats(), second.admin.stats()
        for name in (
            "nodes", "links", "triples", "text_bytes", "archived", "archive_bytes", "passes"
        ):  # fmt: skip
            assert first_stats[name] == second_stats[name], name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:-1], "cut short"),
        (lambda lines: lines[:5] + lines[6:], "records were written"),
        (lambda lines: [*lines[:3], "{", *lines[4:]], "not a record"),
        (lambda lines: [*lines[:3], '{"node": [1]}', *lines[4:]], "'node' that cannot be"),
        (lambda lines: [*lines[:3], '{"other": 1}', *lines[4:]], "'other' that cannot be"),
        (
            lambda lines: [line.replace('"undone":[[', '"undone":[["x",') for line in lines],
            "cannot be",
        ),
        (lambda lines: lines[1:], "first line"),
        (lambda _: ['{"memory": {"format": 99}}'], "first line"),
        (lambda _: ['{"end": 0}'], "first line"),
        (lambda lines: [*lines[:3], "[" * 100_000, *lines[4:]], "not a record"),
    ],
)
def test_a_damaged_file_makes_no_memory(
    lines: list[str], tmp_path: Path, change: Any, message: str
) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_text("\n".join(change(lines)) + "\n", "utf-8")
    with pytest.raises(MalformedError, match=message):
        transfer.load(tmp_path / "other", [str(path)])
    with Store.open(tmp_path / "other") as store:
        assert list(scopes.names(store)) == []
        assert list(store.keys(b"\0\0\0\1", b"\xff")) == []


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The path of each value within a record, and values of another type."""
    named = value.items() if isinstance(value, dict) else ()
    for name, inner in enumerate(value[:3]) if isinstance(value, list) else named:
        wrong = {str: 5, list: "a", bool: "no", type(None): ["a"]}.get(type(inner), "2026-05-04")
        yield (*path, name), wrong
        if type(inner) in (int, float):
            yield (*path, name), True
        yield from places(inner, (*path, name))


@pytest.mark.parametrize("kind", ["memory", "node", "archived", "tombstone", "link", "focus"])
def test_a_field_of_another_type_is_refused_by_its_line(tmp_path: Path, kind: str) -> None:
    """A text in the place of a moment was taken, and then every recall failed."""
    file, folder = tmp_path / "memory.jsonl", tmp_path / "other"
    with graphmem.open(tmp_path / "agent", worker="none") as memory:
        (old,) = memory.remember("Wen lives in Lyon.", happened="2026-05-01", metadata={"a": 1})
        (new,) = memory.remember("Wen lives in Oslo.", expires=9e8, speaker="Wen", session="s")
        memory.replace(old, by=new)
        memory.history.reopen(old)
        (gone,) = memory.remember("An old note.")
        memory.graph.relate(old, "blocks", gone)
        memory.forget(gone)
    transfer.export(tmp_path / "agent", str(file))
    lines = file.read_text("utf-8").splitlines()
    number, record = next((n, r) for n, r in enumerate(map(json.loads, lines)) if kind in r)
    for path, wrong in [*places(record)][1:]:
        copy = deepcopy(record)
        inner = copy
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = wrong
        file.write_text("\n".join([*lines[:number], json.dumps(copy), *lines[number + 1 :]]))
        # Those of the new memory are taken, True is format 1, a value of metadata has any type.
        if (
            path[-1] in ("name", "analyser")
            or (path[-1] == "format" and wrong is True)
            or path[-3:] == ("metadata", 0, 1)
        ):
            continue
        with pytest.raises(MalformedError) as told:
            transfer.load(folder, [str(file)])
        assert told.value.line == number + 1, path
        if path[-1] not in ("sentences", "text", "record", "links"):
            assert isinstance(path[-1], int) or path[-1] in str(told.value), path


def test_a_memory_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    lived(tmp_path / "agent")
    path = tmp_path / "memory.jsonl"
    transfer.export(tmp_path / "agent", str(path))
    with pytest.raises(InvalidArgumentError, match="already"):
        transfer.load(tmp_path / "agent", [str(path)])


def test_vectors_are_made_anew(tmp_path: Path) -> None:
    """They are not in the file, so whoever opens the memory with an embedder gets them again."""
    lived(tmp_path / "agent")
    path = tmp_path / "memory.jsonl"
    transfer.export(tmp_path / "agent", str(path))
    transfer.load(tmp_path / "other", [str(path)])
    with graphmem.open(tmp_path / "other", worker="none", embedder=Hashed()) as memory:
        rooms(memory).database.embedding.stop()
        assert rooms(memory).embedding is not None
        while rooms(memory).embedding.step(50):
            pass
        stats = memory.admin.stats()
        assert stats["vectors"]["vectors"] == stats["nodes"] > 0
        assert memory.admin.check() == []


def test_nodes_of_an_import_wait_for_vectors_of_the_model_that_they_had(tmp_path: Path) -> None:
    """A command that opens it names no model, and recall said that there were no vectors."""
    with graphmem.open(tmp_path / "agent", worker="none", embedder=Hashed()) as memory:
        memory.remember("The kettle is broken.")
        memory.admin.enrich(20)
    transfer.export(tmp_path / "agent", str(tmp_path / "memory.jsonl"))
    transfer.load(tmp_path / "other", [str(tmp_path / "memory.jsonl")])
    with graphmem.open(tmp_path / "other", worker="none") as memory:
        assert memory.admin.stats()["vectors"]["waiting"] == 1
        assert memory.admin.check() == []
    with graphmem.open(tmp_path / "other", worker="none", embedder=Hashed()) as memory:
        memory.admin.enrich(20)
        found = memory.admin.stats()["vectors"]
        assert (found["model"], found["vectors"], found["waiting"]) == ("hashed", 1, 0)
        assert memory.admin.check() == []


def test_an_import_that_was_killed_is_deleted_by_the_next_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else would: its scope has no name."""
    lived(tmp_path / "agent")
    path, data = tmp_path / "memory.jsonl", tmp_path / "data.nt"
    transfer.export(tmp_path / "agent", str(path))
    data.write_text("<a:s> <a:p> <a:o> .\n")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(transfer._Loader, "_declared", stop)
        with pytest.raises(KeyboardInterrupt):
            transfer.load(tmp_path / "other", [str(path)])
    with Store.open(tmp_path / "other") as store:
        assert list(store.keys(*keys.scope_range(1)))
        bulk.load(store, [data], graph="a:g")
        assert list(store.keys(keys.LOAD, keys.after(keys.LOADED))) == []
        assert list(store.keys(*keys.scope_range(1))) == []
        assert [name for name, _ in scopes.names(store)] == ["a:g"]


def test_files_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command line, as a person types it."""
    folder, data = tmp_path / "agent", tmp_path / "data.nq"
    data.write_text("<a:s> <a:p> <a:o> <a:g> .\n<a:s> <a:p> 'x' .\n".replace("'", '"'))
    path = ["--path", str(folder)]
    assert cli.main(["import", str(data), *path, "--json"]) == 0
    loaded = json.loads(capsys.readouterr().out)
    assert loaded["graphs"] == {"a:g": 1, "urn:x-rdflib:default": 1}
    assert cli.main(["export", "-", "--format", "nq", *path]) == 0
    assert cli.main(["export", str(tmp_path / "out.ttl"), "--graph", "a:g", *path]) == 0
    assert (tmp_path / "out.ttl").read_text() == "<a:s> <a:p> <a:o> .\n"
    assert cli.main(["remember", "A text.", *path]) == 0
    assert cli.main(["import", str(data), "--facts", *path]) == 0
    assert cli.main(["export", str(tmp_path / "facts.nt"), "--facts", *path]) == 0
    assert len((tmp_path / "facts.nt").read_text().splitlines()) == 2
    assert cli.main(["admin", "check", *path]) == 0
    data.rename(data := tmp_path / "data.txt")
    assert cli.main(["import", str(data), "--format", "nq", *path]) == 0
    data.rename(data := tmp_path / "data.nq")
    data.write_text("<a:s> <a:p> .\n")
    assert cli.main(["import", str(data), *path]) == 1
    assert "line 1, column 13" in capsys.readouterr().err.replace("\n", "")


@pytest.mark.parametrize(("name", "facts"), [("out.jsonl", False), ("out.nt", True)])
def test_an_export_tells_how_far_it_is(tmp_path: Path, name: str, facts: bool) -> None:
    """One of a large memory took many seconds without a sign."""
    with graphmem.open(tmp_path / "agent", worker="none") as memory:
        memory.remember_many(f"Wen sold {n} chairs." for n in range(250))
        for n in range(450):
            memory.graph.facts.put(f"http://example.org/{n}", "http://example.org/p", n)
    told: list[tuple[int, int]] = []
    count = transfer.export(
        tmp_path / "agent",
        str(tmp_path / name),
        facts=facts,
        progress=lambda done, total: told.append((done, total)),
    )
    assert [done for done, _ in told] == list(range(200, count, 200))
    assert all(done <= total <= count for done, total in told)
    assert len({total for _, total in told}) == 1


def test_what_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    with pytest.raises(MissingError):
        transfer.load(folder, [str(tmp_path / "none.nt")])
    with pytest.raises(InvalidArgumentError, match="not one of"):
        transfer.export(folder, "out.xls")
    with pytest.raises(MissingError):
        transfer.export(folder, str(tmp_path / "out.nt"))
    graphmem.open(folder, worker="none").close()
    with pytest.raises(UnknownScopeError, match="no graph"):
        transfer.export(folder, str(tmp_path / "out.nt"), graph="a:none")
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("asked", [{"graph": "a:g"}, {"facts": True}, {"partial": True}])
def test_a_whole_memory_is_neither_a_graph_nor_facts(tmp_path: Path, asked: Any) -> None:
    """What was asked for beside it would go unheard."""
    path = tmp_path / "memory.jsonl"
    path.write_text("{}\n")
    with pytest.raises(InvalidArgumentError, match="whole memory"):
        transfer.load(tmp_path / "other", [str(path)], **asked)
    if "partial" not in asked:
        with pytest.raises(InvalidArgumentError, match="whole memory"):
            transfer.export(tmp_path / "other", str(path), **asked)
    assert not (tmp_path / "other").exists()
    with pytest.raises(InvalidArgumentError, match="facts are of a memory"):
        transfer.export(tmp_path / "other", "facts.nt", facts=True, graph="a:g")


def _family(folder: Path, out: Path) -> list[str]:
    """The files of a child and its two parents, of which one was dropped and made again."""
    with graphmem.open(folder, worker="none") as memory:
        for name in ("lost", "team"):
            shared = graphmem.About(shared=True)
            memory.scopes.open(name).remember("The audit is two weeks late.", about=shared)
        memory.scopes.open("child", parents=["lost", "team"], pools="team")
        memory.scopes.drop("lost")
        memory.scopes.open("lost")
        assert memory.scopes.open("child").scopes.parents() == ["team"]
    names = ["child", "lost", "team"]
    for name in names:
        transfer.export(folder, str(out / f"{name}.jsonl"), scope=name)
    return names


@pytest.mark.parametrize("child_first", [True, False])
def test_a_memory_keeps_its_parents(tmp_path: Path, child_first: bool) -> None:
    """They went by their number in the folder that they came from: the child had lost them, or
    another scope, to which the number belongs here, was its parent."""
    names = _family(tmp_path / "agent", tmp_path)
    other = tmp_path / "other"
    with graphmem.open(other, worker="none") as memory:
        memory.scopes.open("stranger")
        memory.scopes.open("another")
    for name in names if child_first else reversed(names):
        transfer.load(other, [str(tmp_path / f"{name}.jsonl")], scope=name)
        if name == "child" and child_first:
            with graphmem.open(other, scope="child", worker="none") as child:
                assert child.scopes.parents() == []
                assert "'team' is not here yet" in " ".join(child.recall("audit").notes)
                with pytest.raises(InvalidArgumentError, match="cannot be a parent"):
                    child.scopes.open("team", parents=["child"])
    assert dumped(other, "child") == dumped(tmp_path / "agent", "child")
    with graphmem.open(other, scope="child", worker="none") as child:
        assert child.scopes.parents() == ["team"]
        assert [hit.scope for hit in child.recall("audit")] == ["team"]
        assert child.scopes.drop("team") == ["child"]


def test_an_import_makes_no_circle_of_parents(tmp_path: Path) -> None:
    """A recall of two that are each other's parents would not end."""
    _family(tmp_path / "agent", tmp_path)
    path = str(tmp_path / "child.jsonl")
    with pytest.raises(MalformedError, match="'team' cannot be a parent of 'team'"):
        transfer.load(tmp_path / "other", [path], scope="team")
    transfer.load(tmp_path / "other", [path], scope="child")
    with graphmem.open(tmp_path / "agent", worker="none") as memory:
        memory.scopes.open("low", parents=["child"])
    transfer.export(tmp_path / "agent", str(tmp_path / "low.jsonl"), scope="low")
    with pytest.raises(MalformedError, match="'child' cannot be a parent of 'team'"):
        transfer.load(tmp_path / "other", [str(tmp_path / "low.jsonl")], scope="team")
