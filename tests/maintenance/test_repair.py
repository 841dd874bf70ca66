"""repair(): what the damaged bytes did not hold is there again, and what is lost is said."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import (
    AlreadyOpenError,
    CorruptError,
    FullError,
    GraphMemError,
    MissingError,
    NewerFormatError,
)
from graphmem.hexastore import keys
from graphmem.hexastore.keys import ORDERS, Space
from graphmem.hexastore.scopes import META_START, all_of, open_scope
from graphmem.hexastore.spaces import Salvage
from graphmem.hexastore.terms import IRI
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleWriter
from graphmem.maintenance.spaces import DECLARED
from graphmem.storage import commit_keys
from graphmem.storage.leveldb import LevelDBEngine
from graphmem.storage.store import Store
from tests.embedders import Hashed
from tests.fixtures.make_format_2 import FOLDER, SECOND_SCOPE, picture
from tests.maintenance.test_check import lived
from tests.themes.test_catalog import remembered

SPACES = sorted(
    space
    for space in set(Space)
    - {Space.INTENT, Space.VECTOR, Space.VECTOR_STATE, Space.EMBED, Space.DEAD, Space.ARCHIVE}
    if space < 0x60  # from there on are spaces of later rooms, which have tests of their own
)
LINKS = (Space.OUT, Space.OVERFLOW, Space.IN, Space.RELATED)
MADE = [d.space for d in DECLARED.values() if d.salvage is Salvage.MADE]
FLIPS = int(os.environ.get("GRAPHMEM_FLIPS", "60"))


def read(folder: Path) -> dict[str, Any]:
    """All that a memory says, having checked that it agrees in itself."""
    with graphmem.open(folder, worker="none", durability="os") as memory:
        scopes = [memory.scopes.open(name) for name in memory.scopes.names()]
        assert [scope.admin.check() for scope in scopes] == [[]] * len(scopes)
        return {scope.name: picture(scope) for scope in scopes}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A closed memory in which every space holds something, and what it says."""
    folder = tmp_path_factory.mktemp("whole") / "memory"
    with lived() as memory:
        memory.remember("A large text. " * 8 + "It ends.")
        memory.scopes.open("other").remember("Another scope. 另一个。")
        memory.admin.backup(folder)
    return folder, read(folder)


def damaged(whole: Path, tmp_path: Path, change: Callable[[LevelDBEngine], None]) -> Path:
    folder = tmp_path / "memory"
    shutil.copytree(whole, folder)
    engine = LevelDBEngine(folder / "store")
    change(engine)
    engine.close()
    return folder


def without(*spaces: Space) -> Callable[[LevelDBEngine], None]:
    def change(engine: LevelDBEngine) -> None:
        for space in spaces:
            start = keys.prefix(1, space)
            engine.commit(dict.fromkeys(engine.keys(start, keys.after(start))))

    return change


def test_every_space_is_declared() -> None:
    """check, repair and export would pass over one that no room declares."""
    assert set(DECLARED) == set(Space)
    assert all(declared.record for declared in DECLARED.values() if declared.dump is not None)
    assert all((declared.dump is None) == (declared.load is None) for declared in DECLARED.values())
    copied = {d.space for d in DECLARED.values() if d.salvage is Salvage.COPIED}
    assert copied <= {d.space for d in DECLARED.values() if d.dump is not None}


@pytest.mark.parametrize("kind", ["format-2", "lived"])
def test_a_memory_that_is_whole_is_the_same_afterwards(
    whole: tuple[Path, dict[str, Any]], tmp_path: Path, kind: str
) -> None:
    """Who repairs to be on the safe side must lose nothing by it."""
    folder = tmp_path / "memory"
    shutil.copytree(FOLDER if kind == "format-2" else whole[0], folder)
    before = read(folder)
    with graphmem.open(folder, worker="none") as memory:
        sequence = memory.admin.stats()["sequence"]
    left = tmp_path / "memory.repair-killed"
    for part in ("memory", "salvaged"):
        (left / part).mkdir(parents=True)
    (tmp_path / "memory.repair-notes").mkdir()
    (tmp_path / "memory.repair-notes" / "mine.txt").write_text("A folder of somebody else's.")
    told: list[tuple[int, int]] = []
    report = graphmem.repair(folder, lambda done, total: told.append((done, total)))
    shutil.rmtree(tmp_path / "memory.repair-notes")
    assert told == sorted(told)
    assert told[-1] == (1000, 1000)
    assert len(told) > 3
    assert report.lost == report.unreadable == ()
    assert read(folder) == before
    assert report.nodes == sum(scope["stats"]["nodes"] for scope in before.values())
    assert report.links == sum(scope["stats"]["links"] for scope in before.values())
    assert report.damaged == f"{folder}.damaged-1"
    assert read(Path(report.damaged)) == before
    assert sorted(os.listdir(tmp_path)) == ["memory", "memory.damaged-1"]
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.stats()["sequence"] > sequence, "a number must not be given twice"
    if kind == "format-2":
        assert SECOND_SCOPE in before
    assert graphmem.repair(folder).damaged == f"{folder}.damaged-2"


@pytest.mark.parametrize("space", SPACES, ids=[space.name for space in SPACES])
def test_a_lost_space_is_made_anew_from_the_others(
    whole: tuple[Path, dict[str, Any]], tmp_path: Path, space: Space
) -> None:
    folder = damaged(whole[0], tmp_path, without(space))
    report = graphmem.repair(folder)
    found, before = read(folder)["default"], deepcopy(whole[1]["default"])
    if space in (*ORDERS, *MADE, *LINKS, Space.KEYWORD, Space.LAST_TEXT):
        assert found == before
        assert report.lost == ()
    elif space is Space.RELATION:
        assert "the name of a relation" in " ".join(report.lost)
        for node, said in before["links"].items():
            names = {relation for relation, *_ in found["links"][node]}
            assert len(found["links"][node]) == len(said)
            assert names <= {"focus", "segment", "supersedes", "corrects"} | {
                n for n in names if "lost" in n
            }
        assert {**found, "links": 0, "facts": 0} == {**before, "links": 0, "facts": 0}
    elif space is Space.DICTIONARY:  # so have the texts and the relations, but not facts
        assert found["facts"] == [fact for fact in before["facts"] if "plain" not in fact]
        assert {**found, "facts": 0, "stats": 0} == {**before, "facts": 0, "stats": 0}
        assert "1 facts" in " ".join(report.lost)
    elif space is Space.META:  # its bytes, with their checksum, are still in a file
        assert found == before
        assert report.lost == ()
    elif space is Space.STATE:
        assert found["links"] == before["links"], "strengths are those of the right pass"
        assert found["nodes"] == before["nodes"]
    elif space is Space.TEXT:
        assert found["nodes"] == {}
        assert all(f"node {number}" in " ".join(report.lost) for number in before["nodes"])
    elif space is Space.NODE:
        assert {n: v["text"] for n, v in found["nodes"].items()} == {
            n: v["text"] for n, v in before["nodes"].items()
        }
        assert found["links"] == before["links"]
        assert len(report.lost) == len(before["nodes"])
    else:
        part = {Space.FOCUS: ("focus",), Space.TOMBSTONE: ("stats", "links", "forgotten"),
                Space.QUEUE: ("stats",), Space.ITEM: ("stats",),
                Space.FEED: ("stats",)}[space]  # fmt: skip
        assert {k: v for k, v in found.items() if k not in part} == {
            k: v for k, v in before.items() if k not in part
        }


def test_a_memory_whose_record_is_lost_has_none_of_its_versions_twice(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "whole", worker="none", durability="os") as memory:
        node = memory.remember("The dentist is Dr. Mauss. " * 12 + "It ends.")[0]
        for _ in range(2):
            memory.forget(node)
            memory.history.revive(node)
        memory.remember("Another one.")
        before = [form.version for form in memory.history.of(node)]
    folder = damaged(tmp_path / "whole", tmp_path, without(Space.NODE))
    graphmem.repair(folder)
    with graphmem.open(folder, worker="none") as memory:
        assert memory[node].version == max(before)
        found = [form.version for form in memory.history.of(node)]
    assert sorted(found) == sorted(set(found))


def test_a_lost_archive_leaves_what_is_remembered(
    whole: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    folder = damaged(whole[0], tmp_path, without(Space.ARCHIVE))
    graphmem.repair(folder)
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.check() == []
        assert memory.admin.stats()["archived"] == 0
        assert [str(node.id) for node in memory] == list(whole[1]["default"]["nodes"])


@pytest.mark.parametrize("seed", range(4))
def test_any_keys_lost_leave_a_memory_that_agrees(
    whole: tuple[Path, dict[str, Any]], tmp_path: Path, seed: int
) -> None:
    """A lost block holds neighbours of one space; two lost blocks may hold both copies of a link."""
    chance = Random(seed)

    def change(engine: LevelDBEngine) -> None:
        found = list(engine.keys(b"", b"\xff" * 9))
        for _ in range(6):
            at = chance.randrange(len(found))
            engine.commit(dict.fromkeys(found[at : at + chance.randint(1, 60)]))

    folder = damaged(whole[0], tmp_path, change)
    graphmem.repair(folder)
    with graphmem.open(folder, worker="none") as memory:
        for name in memory.scopes.names():
            scope = memory.scopes.open(name)
            assert scope.admin.check() == []
            known = whole[1].get(name, {"nodes": {}})["nodes"]
            assert all(known[str(node.id)]["text"] == node.text for node in scope)


# -- scopes whose name or kind is not salvaged ------------------------------------------------


def made(folder: Path, engine: Any, scope: str) -> Path:
    """A closed memory, most of it in values of items; returns the file that holds it."""
    with graphmem.open(folder, scope=scope, engine=engine, worker="none") as memory:
        for number in range(6):
            memory.remember(f"Frau Adebayo kauft {number} Birnen. 王芳买了梨。")
        for number in range(6):
            memory.items.put("n", str(number), "x" * 3_000)
    graphmem.open(folder, scope=scope, worker="none").close()  # LevelDB makes a table of its log
    files = [file for file in (folder / "store").iterdir() if file.suffix in (".ldb", ".mdb")]
    return max(files, key=lambda file: file.stat().st_size)


@pytest.mark.parametrize("engine", ["leveldb", "lmdb"])
@pytest.mark.parametrize("scope", ["default", "agent"])
def test_damage_around_a_fixed_record_leaves_the_scope_its_name(
    tmp_path: Path, engine: str, scope: str
) -> None:
    """Twenty zeroed bytes took the block that holds the fixed record of the scope, and what was
    left became an RDF graph of that name, or a scope of another name that nobody looked for."""
    file = made(tmp_path / "memory", engine, scope)
    whole = file.read_bytes()
    for near in (-120, -60, 120, 300, 900, 2_000):
        folder = tmp_path / f"{near}"
        shutil.copytree(tmp_path / "memory", folder)
        at = whole.rindex(META_START) + near
        (folder / "store" / file.name).write_bytes(whole[:at] + bytes(20) + whole[at + 20 :])
        (folder / "store" / "lost").mkdir()  # as a repair by LevelDB leaves it
        report = graphmem.repair(folder)
        with graphmem.open(folder, scope=scope, worker="none") as memory:
            assert memory.scopes.names() == [scope]
            assert memory.admin.check() == []
            assert len(memory) == report.nodes
            assert len(memory.items.list("n")) >= 5
            memory.remember("It goes on.")


@pytest.mark.parametrize(
    ("others", "name"), [((), "default"), (("other",), "recovered-1")], ids=["alone", "of two"]
)
@pytest.mark.parametrize("left", ["everything", "items", "facts"])
def test_a_scope_whose_name_is_lost_is_a_memory_that_is_named_and_listed(
    tmp_path: Path, others: tuple[str, ...], name: str, left: str
) -> None:
    """What was left of it was in a scope that no listing had, if none of its texts was whole; and
    the report did not say that the name was lost."""
    folder = tmp_path / "memory"
    with graphmem.open(folder, scope="agent", worker="none") as memory:
        memory.remember("The boat is blue.")
        memory.items.put("n", "1", "kept")
        memory.graph.facts.put("ex:boat", "ex:is", "blue")
        for other in others:
            memory.scopes.open(other).remember("Another scope. 另一个。")
    with Store.open(folder) as store:
        kept = {
            "everything": {*Space}, "items": {Space.ITEM}, "facts": {*ORDERS, Space.DICTIONARY}
        }[left] - {Space.META}  # fmt: skip
        gone = [key for key in store.keys(*keys.scope_range(1)) if Space(key[4]) not in kept]
        store.commit(dict.fromkeys([*gone, keys.SCOPE_TABLE + b"agent"]))
        store.compact(b"", b"\xff" * 9)
    report = graphmem.repair(folder)
    assert f"the name of scope 1: what is left of it is in scope {name!r} now" in report.lost
    with graphmem.open(folder, scope=name, worker="none") as memory:
        assert memory.scopes.names() == sorted([name, *others])
        assert memory.admin.check() == []
        assert len(memory) == (left == "everything")
        assert len(memory.items.list("n")) == (left != "facts")
        assert len([*memory.graph.facts.match()]) == (left != "items")


def test_a_graph_whose_fixed_record_is_lost_stays_a_graph(tmp_path: Path) -> None:
    """Only what has nothing but triples, and an IRI for a name, is no memory."""
    folder = tmp_path / "memory"
    with Store.open(folder) as store:
        graph = open_scope(
            store, "http://example.org/g", kind="rdf", decay=0, created=0, analyser=0, create=True
        )
        with Transaction(store, graph) as tx:
            writer = TripleWriter(tx)
            writer.put(*map(writer.intern, (IRI("ex:a"), IRI("ex:b"), IRI("ex:c"))))
        store.commit({keys.prefix(graph.id, Space.META): None})
        store.compact(b"", b"\xff" * 9)
    graphmem.repair(folder)
    with Store.open(folder) as store, store.snapshot() as snapshot:
        assert [scope.name for scope in all_of(snapshot, "rdf")] == ["http://example.org/g"]


def test_a_text_that_was_not_whole_is_not_brought_back(
    whole: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """Opening would have undone it."""

    def change(engine: LevelDBEngine) -> None:
        engine.commit({keys.prefix(1, Space.INTENT) + keys.u64(4): keys.u64(5)})

    folder = damaged(whole[0], tmp_path, change)
    graphmem.repair(folder)
    found = read(folder)["default"]["nodes"]
    assert found.keys() == whole[1]["default"]["nodes"].keys() - {"4", "5"}


@pytest.mark.parametrize("marker", [b"\0\0\0\0\x03", b"\0\0\0\0\x06"], ids=["dropped", "loading"])
def test_a_scope_that_is_not_to_be_seen_is_not_brought_back(
    whole: tuple[Path, dict[str, Any]], tmp_path: Path, marker: bytes
) -> None:
    """Neither one that was being dropped nor one that a bulk load had not finished."""

    def change(engine: LevelDBEngine) -> None:
        other = engine.get(keys.SCOPE_TABLE + b"other") or b""
        engine.commit({keys.SCOPE_TABLE + b"other": None, marker + other: b"", keys.LOAD: b"x"})

    folder = damaged(whole[0], tmp_path, change)
    graphmem.repair(folder)
    assert list(read(folder)) == ["default"]
    with Store.open(folder) as store:
        left = store.keys(keys.LOAD, keys.after(keys.LOADED))
        assert list(left) == [], "a load would go on behind triples that are not there"


def test_a_lost_format_record_is_taken_from_its_copy(
    whole: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    folder = damaged(whole[0], tmp_path, lambda engine: engine.commit({b"\0\0\0\0\xf0\0": None}))
    with pytest.raises(CorruptError, match="run graphmem admin repair"):
        graphmem.open(folder, worker="none")
    graphmem.repair(folder)
    assert read(folder) == whole[1]


def test_what_cannot_be_repaired_is_left_alone(
    whole: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    with pytest.raises(MissingError):
        graphmem.repair(tmp_path / "nothing")
    folder = damaged(whole[0], tmp_path, lambda _: None)
    with graphmem.open(folder, worker="none"), pytest.raises(AlreadyOpenError):
        graphmem.repair(folder)

    def newer(engine: LevelDBEngine) -> None:
        engine.commit({b"\0\0\0\0\xf0\0": b'{"application": "graphmem", "format": 99}'})

    folder = damaged(whole[0], tmp_path / "second", newer)
    with pytest.raises(NewerFormatError):
        graphmem.repair(folder)
    assert os.listdir(folder.parent) == ["memory"]


def test_a_repair_that_cannot_put_the_new_folder_leaves_the_old_one(
    whole: tuple[Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next opening made an empty memory at the path, beside the damaged one."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    folder = damaged(whole[0], tmp_path, lambda _: None)
    monkeypatch.setattr("graphmem.maintenance.repair.put", full)
    with pytest.raises(FullError):
        graphmem.repair(folder)
    assert os.listdir(tmp_path) == ["memory"]
    assert read(folder) == whole[1]


# -- flipped bytes ----------------------------------------------------------------------------

REACH = 16 * 1024  # bytes around a flip that LevelDB's checksums take with it: a block or a batch
MARKER = re.compile(rb"note-\d{4}")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed memory, half of it in tables and half in a log."""
    folder = tmp_path_factory.mktemp("written") / "memory"
    with graphmem.open(
        folder,
        worker="none",
        durability="os",
        random=Random(1),
        tuning=graphmem.Tuning(fold_documents=64),
    ) as memory:
        for number in range(260):
            memory.remember(f"The note-{number:04} of Wen, about {number % 17} things. 备忘录。")
            if number == 130:
                memory.sweep()
                memory.admin.compact()
            elif number % 10 == 0:
                memory.graph.facts.put(f"ex:{number}", "ex:is", f"note-{number:04}")
    return folder


def texts(memory: graphmem.Memory) -> dict[str, str]:
    return {text[4:13]: text for text in (node.text for node in memory)}


def flip_rounds(written: Path, tmp_path: Path, rounds: int, seed: int) -> int:
    """Flip a byte, see that it is found or harmless, and repair; returns how many were found."""
    chance = Random(seed)
    before = read(written)
    with graphmem.open(written, worker="none") as memory:
        known = texts(memory)
    found = 0
    for number in range(rounds):
        folder = tmp_path / f"{number}" / "memory"
        shutil.copytree(written, folder)
        files = [p for p in folder.rglob("*") if p.is_file() and p.name not in ("LOCK", "LOG")]
        files = [p for p in files if p.stat().st_size]
        small = [p for p in files if p.suffix not in (".ldb", ".log")]
        file = chance.choice(small if chance.random() < 0.15 else files)
        content = bytearray(file.read_bytes())
        at = chance.randrange(len(content))
        content[at] ^= 1 << chance.randrange(8)
        near = {
            match[0].decode()
            for match in MARKER.finditer(file.read_bytes())
            if abs(match.start() - at) < REACH
        }
        file.write_bytes(content)
        what = f"byte {at} of {file.name}, seed {seed}, round {number}"
        copy = folder.with_name("copy")  # opening may change a damaged folder
        shutil.copytree(folder, copy)
        try:
            harmless = read(copy) == before
        except (GraphMemError, AssertionError):
            found += 1
        else:
            assert harmless, what
        report = graphmem.repair(folder)
        after = read(folder)["default"]
        kept = {node["text"] for node in after["nodes"].values()}
        for marker, text in known.items():
            assert text in kept or marker in near, f"{what}: {marker}"
        if len(kept) < len(known):
            assert report.lost, what
            assert report.unreadable, what
        shutil.rmtree(folder.parent)
    return found


@pytest.mark.slow
def test_a_flipped_byte_is_found_or_harmless_and_repaired(written: Path, tmp_path: Path) -> None:
    found = 0
    for seed in range(1, 9):  # which bytes matter depends on the moments that the files hold
        found += flip_rounds(written, tmp_path / str(seed), 4, seed)
        if found > 1:
            return
    pytest.fail(f"of 32 flipped bytes only {found} were found")


@pytest.mark.faults
@pytest.mark.timeout(1200)
def test_many_flipped_bytes(written: Path, tmp_path: Path) -> None:
    assert flip_rounds(written, tmp_path, FLIPS, seed=2) > FLIPS / 3


def with_vectors(folder: Path) -> dict[str, Any]:
    """What a memory that has vectors says of them, having checked that it agrees in itself."""
    with graphmem.open(folder, worker="none", embedder=(made := Hashed())) as memory:
        assert memory.admin.check() == []
        memory.admin.enrich(20)
        found = memory.admin.stats()["vectors"]
        near = memory.graph.nearest("broken kettle", limit=40)
        return {
            "near": [(hit[0].id, round(hit[1], 5)) for hit in near],
            "vectors": found["vectors"], "waiting": found["waiting"],
            "asked": [text for text, kind in made.asked if kind == "passage"],
        }  # fmt: skip


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A closed memory with vectors, and what it says of them."""
    folder = tmp_path_factory.mktemp("embedded") / "memory"
    with graphmem.open(folder, worker="none", embedder=Hashed()) as memory:
        for number in range(30):
            thing = ("kettle", "door", "printer")[number % 3]
            memory.remember(f"The {thing} in room {number} is broken.")
        memory.admin.enrich(20)
        memory.themes.assimilate(20)
        rooms(memory).database.embedding.stop()
        memory.remember("The pump is new.")
        assert memory.admin.stats()["vectors"]["waiting"] == 1
    copy = shutil.copytree(folder, tmp_path_factory.mktemp("copied") / "memory")
    return folder, with_vectors(copy)  # which makes the vector that is waited for


def test_vectors_survive_a_repair(embedded: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """All of them went, no node waited for one, and the report said nothing was lost."""
    folder, before = embedded
    shutil.copytree(folder, tmp_path / "memory")
    report = graphmem.repair(tmp_path / "memory")
    assert report.lost == report.unreadable == ()
    assert with_vectors(tmp_path / "memory") == before


def test_themes_survive_a_repair(tmp_path: Path) -> None:
    """A memory without themes was compared, so that they might be lost until they are made anew."""

    def told(memory: graphmem.Memory) -> list[tuple[int, tuple[int, ...]]]:
        return [(theme.id, theme.members) for theme in memory.themes]

    with remembered(tmp_path / "memory") as memory:
        before = told(memory)
        assert len(before) > 3
    graphmem.repair(tmp_path / "memory")
    embedder = Hashed(dimensions=64)
    with graphmem.open(tmp_path / "memory", worker="none", embedder=embedder) as memory:
        assert told(memory) == before


@pytest.mark.parametrize("space", [Space.VECTOR, Space.EMBED, Space.VECTOR_STATE, Space.THEME])
def test_nodes_wait_for_vectors_that_are_lost(
    embedded: tuple[Path, dict[str, Any]], tmp_path: Path, space: Space
) -> None:
    folder = damaged(embedded[0], tmp_path, without(space))
    report = graphmem.repair(folder)
    assert any("model of its vectors" in told for told in report.lost) == (
        space is Space.VECTOR_STATE
    )
    with graphmem.open(folder, worker="none", embedder=Hashed()) as memory:
        assert memory.admin.check() == []
        memory.admin.enrich(20)
        vectors = memory.admin.stats()["vectors"]
        assert (vectors["vectors"], vectors["waiting"]) == (31, 0)
        assert memory.admin.check() == []


@pytest.mark.parametrize("bad", [b"garbage", b"\xff" * 8, b"\xff" * 9, b""])
@pytest.mark.parametrize(
    ("key", "told"),
    [
        (keys.SCOPE_TABLE + b"default", "the number of scope 'default'"),
        (keys.LAST_SCOPE, "the last number of a scope"),
        (commit_keys.SEQUENCE, "the number of the last commit"),
        (keys.prefix(1, Space.FEED), "feed|the number of the last change"),
    ],
)
def test_a_number_that_makes_no_sense_is_passed_over_and_told_of(
    key: bytes, told: str, bad: bytes, tmp_path: Path
) -> None:
    """With a good checksum. The repair itself ended in an OverflowError."""
    with graphmem.open(tmp_path / "whole", worker="none", durability="os") as memory:
        memory.items.put("n", "a", 1)
        memory.remember("The kettle is broken.")
    folder = damaged(tmp_path / "whole", tmp_path, lambda engine: engine.commit({key: bad}))
    with pytest.raises(CorruptError), graphmem.open(folder, worker="none") as memory:
        memory.scopes.open("another")
    assert re.search(told, "\n".join(graphmem.repair(folder).lost))
    with graphmem.open(folder, worker="none", durability="os") as memory:
        assert memory.admin.check() == []
        assert [node.text for node in memory.nodes()] == ["The kettle is broken."]
        assert [item.value for item in memory.items.list("n")] == [1]


def test_changes_behind_a_lost_one_are_told_as_a_gap(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "whole", worker="none", durability="os") as memory:
        for number in range(5):
            memory.items.put("n", "a", number)
    key = keys.prefix(1, Space.CHANGE) + keys.u64(3)
    folder = damaged(tmp_path / "whole", tmp_path, lambda engine: engine.commit({key: b"\xc1"}))
    report = graphmem.repair(folder)
    assert any("only those from 4 on are kept" in told for told in report.lost)
    with graphmem.open(folder, worker="none", durability="os") as memory:
        assert memory.admin.check() == []
        assert memory.items.changes(1).gap
        assert [change.number for change in memory.items.changes(3)] == [4, 5]
