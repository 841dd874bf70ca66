"""Places outlive the memory that found them, and not the memories that they are of.

A map on which everything lies elsewhere after each restart cannot be learned; a place that stays
behind says beside what an erased memory lay.
"""

from pathlib import Path

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.exchange.transfer import export, load
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.mapping import place_rows, places
from graphmem.mapping.packed import unpack
from graphmem.mapping.places import Place

TEXTS = [
    f"{who} {what} {thing} again."
    for thing in ("the garden fence", "the release notes", "我们的厨房")
    for what in ("talked about", "worked on")
    for who in ("Wen", "Ada", "Bo")
]
Seen = dict[int, tuple[float, float, int]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember_many(TEXTS)
        memory.graph.map()
    return tmp_path / "m"


def seen(memory: graphmem.Memory) -> Seen:
    nodes = unpack(memory.graph.map()).nodes
    columns = (nodes[name].tolist() for name in ("id", "x", "y", "isle"))
    return {node: (x, y, isle) for node, x, y, isle in zip(*columns, strict=True)}


def stored(memory: graphmem.Memory) -> dict[int, Place]:
    return place_rows.read(rooms(memory).store, rooms(memory).scope)


def test_places_survive_closing(folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        before = seen(memory)
        # As long as all are found anew, nothing says that they were stored.
        late = memory.remember("Ada painted the garden fence.").nodes[0].id
        newer = seen(memory)
        assert {node: newer[node] for node in before} == before
    with graphmem.open(folder, worker="none") as memory:
        assert seen(memory) == newer
        assert memory.admin.check() == []
        arranged = unpack(memory.graph.map(anew=True))
        assert len(arranged.labels) == len(newer)
    with graphmem.open(folder, worker="none", read_only=True) as memory:
        again = unpack(memory.graph.map())
        assert (again.nodes["x"] == arranged.nodes["x"]).all()
        assert late in newer


def test_looking_counts_no_bytes(folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        memory.remember("Bo watered the garden.")
        bytes_before = memory.admin.stats()["live_bytes"]
        memory.graph.map()
        assert memory.admin.stats()["live_bytes"] == bytes_before
        sequence = memory.admin.stats()["sequence"]
        memory.graph.map()
        assert memory.admin.stats()["sequence"] == sequence, (
            "a map that knows all places writes nothing"
        )


def test_export_and_repair_keep_places(folder: Path, tmp_path: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        memory.forget(2)
        memory.forget(3, erase=True)
        before = seen(memory)
        assert 2 in before
    export(folder, str(tmp_path / "m.jsonl"))
    load(tmp_path / "copy", [str(tmp_path / "m.jsonl")])
    with graphmem.open(tmp_path / "copy", worker="none") as memory:
        assert seen(memory) == before
        assert memory.admin.check() == []
    graphmem.repair(folder)
    with graphmem.open(folder, worker="none") as memory:
        assert seen(memory) == before


@pytest.mark.parametrize("forgotten", [False, True])
def test_an_erased_memory_leaves_no_place(folder: Path, forgotten: bool) -> None:
    with graphmem.open(folder, worker="none") as memory:
        place = seen(memory)[5]
        if forgotten:
            memory.forget(5)
            assert seen(memory)[5] == place, "a forgotten memory stays where it was"
        memory.forget(5, erase=True)
        assert 5 not in stored(memory)  # no map came in between
        assert len(stored(memory)) == len(TEXTS) - 1


def test_a_map_of_before_an_erasure_does_not_bring_the_place_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with graphmem.open(folder, worker="none") as memory:
        late = [node.id for node in memory.remember("Ada painted the garden fence.")]
        atlas = rooms(memory).atlas
        keep = atlas.keep

        def erased_meanwhile(sequence: int) -> None:
            memory.forget(late[0], erase=True)
            keep(sequence)

        monkeypatch.setattr(atlas, "keep", erased_meanwhile)
        memory.graph.map()
        assert late[0] not in stored(memory)


def test_what_the_archive_has_dropped_loses_its_place_with_the_next_map(tmp_path: Path) -> None:
    with graphmem.open(
        tmp_path / "m", worker="none", tuning=graphmem.Tuning(archive_bytes=0)
    ) as memory:
        memory.remember_many(TEXTS)
        assert len(seen(memory)) == len(TEXTS)
        memory.forget(4)
        assert memory.admin.check() == []
        assert 4 not in seen(memory)
        assert 4 not in stored(memory)


def test_check_tells_of_places_that_cannot_be(folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        opened = rooms(memory)
        key = opened.scope.prefix(Space.PLACE) + keys.u64(7)
        row = place_rows.read(opened.store, opened.scope)
        assert row
        opened.store.commit({key: bytes(5)})
        assert memory.admin.check() == [f"the map has a place for node {7 * 256}, which never was"]
        opened.store.commit({key: b"\0\0\0\0\xff"})
        assert "ends with no place" in memory.admin.check()[0]
        opened.store.commit({key: b"\0\0\0\0\x28"})
        assert "an isle over 39" in memory.admin.check()[0]


def test_rows_are_read_as_they_were_written() -> None:
    found = {
        node: Place(node % 999 / 16 - 40, -(node % 999) / 8, node % 40)
        for node in (1, 255, 256, 300, 511, 70_000)
    }
    with graphmem.open(None, worker="none") as memory:
        memory.remember_many(["a place for each"])
        with rooms(memory).changing() as writer:
            place_rows.write(writer.tx, dict(found))
        assert stored(memory) == found
        with rooms(memory).changing() as writer:
            place_rows.write(writer.tx, {255: None, 256: None, 300: None, 511: None})
            place_rows.remove(writer.tx, 12_345)
        assert stored(memory) == {node: found[node] for node in (1, 70_000)}


def test_strangers_do_not_blow_the_map_up() -> None:
    """What is like nothing else lies at the rim, and the rim grows as the number of nodes does: a
    coordinate has 16 bits."""
    beside = places.Beside(places.laid_out(places.of_keywords([["a"], ["a"], ["b"]] * 30)))
    far = [beside.put((), number) for number in range(1000)]
    assert max(abs(place.x) for place in far) < 100
    assert len({(place.x, place.y) for place in far}) == 1000
