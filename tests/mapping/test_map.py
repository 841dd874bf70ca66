"""The map in one call says what `nodes`, `links`, `importance` and `life` say one by one.

A view that draws other numbers than the memory has would explain a memory that is not there; a
map on which everything moves with each new memory cannot be learned.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import graphmem
from graphmem.mapping import places
from graphmem.mapping.packed import GONE, NEVER, PINNED, REPLACED, TRIVIAL, Chart, unpack

TEXTS = [
    f"{who} {what} {thing} on day {day}."
    for day, (who, what, thing) in enumerate(
        (w, v, t)
        for t in ("the garden fence", "the release notes", "her sister's wedding", "我们的厨房")
        for v in ("talked about", "worked on")
        for w in ("Wen", "Ada", "Bo")
    )
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("map") / "m"
    with graphmem.open(path, worker="none") as memory:
        memory.remember_many(
            [{"text": text, "session": f"s{n % 3}"} for n, text in enumerate(TEXTS)]
        )
    return path


@pytest.fixture
def memory(folder: Path) -> Iterator[graphmem.Memory]:
    with graphmem.open(folder, worker="none") as memory:
        yield memory


def rows(chart: Chart) -> dict[int, int]:
    return {node: place for place, node in enumerate(chart.nodes["id"].tolist())}


def test_map_says_what_the_verbs_say(memory: graphmem.Memory) -> None:
    chart = unpack(memory.graph.map())
    at = rows(chart)
    alive = [n for n, k in at.items() if not chart.nodes["flags"][k] & GONE]
    assert alive == [node.id for node in memory]
    assert chart.passes == memory.admin.stats()["passes"]
    assert chart.names["focus"] == [node.id for node in memory.graph.focus]
    day = max(f"{node.created:%Y-%m-%d}" for node in memory)
    assert chart.names["days"][-1] == [int(chart.nodes["born"].max()), day]
    empty = [found.node for found in memory.review.candidates("trivial")]
    assert [n for n, k in at.items() if chart.nodes["flags"][k] & TRIVIAL] == empty
    relations, ids = chart.names["relations"], chart.nodes["id"]
    drawn = {
        (int(ids[s]), relations[r], int(ids[t])): strength
        for s, t, strength, r in zip(*(chart.links[c].tolist() for c in
                                       ("source", "target", "strength", "relation")), strict=True)
    }  # fmt: skip
    told = {
        (link.source, link.relation, link.target): link.strength
        for node in memory for link in memory.graph.links(node) if link.target in at
    }  # fmt: skip
    assert drawn.keys() == told.keys()
    assert len(told) > len(TEXTS)
    assert all(drawn[k] == pytest.approx(told[k], rel=1e-5) for k in told)
    for node in memory:
        k = at[node.id]
        assert chart.nodes["importance"][k] == pytest.approx(
            memory.graph.importance(node), rel=1e-5
        )
        assert chart.nodes["form"][k] == node.form
        assert chart.nodes["kept"][k] == pytest.approx(node.kept)
        assert chart.labels[k] == node.phrase


@pytest.mark.usefixtures("by_passes")
def test_lives_of_nodes_are_in_the_map(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", worker="none", tuning=graphmem.Tuning(grace=0)) as memory:
        for text in TEXTS:
            memory.remember(
                f"{text} Rui works in Porto. The meeting is in the blue room, by the garden."
            )
        pinned = memory.pin(2)
        memory.replace(4, "Wen never worked on the fence.")
        memory.forget(3)
        for _ in range(200):
            memory.sweep()
        chart = unpack(memory.graph.map())
        at = rows(chart)
        gone = {f.id for f in memory.history.forgotten()}
        assert gone
        assert gone == {n for n, k in at.items() if chart.nodes["flags"][k] & GONE}
        assert chart.nodes["flags"][at[pinned.id]] & PINNED
        seen = set()
        for node, k in at.items():
            versions = memory.history.of(node)
            column = {
                name: int(chart.nodes[name][k]) for name in ("born", "shorter", "gist", "gone")
            }
            assert column["born"] == versions[0].born
            forms = [v.node.form for v in versions[1:]]
            ends = [v.passes for v in versions]
            for name, form in (("shorter", 1), ("gist", 2)):
                first = next((e for e, f in zip(ends, forms, strict=False) if f >= form), NEVER)
                assert column[name] == first
                seen.add((name, first == NEVER))
            assert column["gone"] == (versions[-1].passes if node in gone else NEVER)
        assert ("gist", False) in seen


def test_replaced_nodes_are_marked(memory: graphmem.Memory) -> None:
    old = memory.remember("The kettle stands in the hall.").nodes[0]
    memory.replace(old, "The kettle stands in the kitchen.")
    chart = unpack(memory.graph.map())
    assert chart.nodes["flags"][rows(chart)[old.id]] & REPLACED


def test_newcomers_move_nobody(memory: graphmem.Memory) -> None:
    before = unpack(memory.graph.map())
    known = memory.remember("Ada talked about the garden fence again.").nodes[0]
    memory.forget(int(before.nodes["id"][3]))
    after = unpack(memory.graph.map())
    at, then = rows(before), rows(after)
    for node, k in at.items():
        assert (before.nodes["x"][k], before.nodes["y"][k]) == (
            after.nodes["x"][then[node]],
            after.nodes["y"][then[node]],
        )
    x, y = after.nodes["x"], after.nodes["y"]
    apart = np.hypot(x - x[then[known.id]], y - y[then[known.id]])
    near = [TEXTS[int(after.nodes["id"][k]) - 1] for k in np.argsort(apart)[1:4].tolist()
            if int(after.nodes["id"][k]) <= len(TEXTS)]  # fmt: skip
    assert any("garden fence" in text for text in near)


def test_same_memory_gives_same_map(folder: Path) -> None:
    maps = []
    for _ in range(2):
        with graphmem.open(folder, worker="none", read_only=True) as memory:
            maps.append(memory.graph.map(anew=True))
            assert memory.graph.map() == maps[-1]
    assert maps[0] == maps[1]


def test_map_comes_through_attach(memory: graphmem.Memory) -> None:
    assert memory.path is not None
    memory.graph.map()  # places that are new are stored
    with graphmem.attach(memory.path) as attached:
        assert attached.graph.map() == memory.graph.map()


def test_empty_memory_has_a_map() -> None:
    with graphmem.open(None, worker="none") as memory:
        chart = unpack(memory.graph.map())
    assert not len(chart.nodes["id"])
    assert not len(chart.links["source"])
    assert chart.labels == []


@pytest.mark.parametrize("broken", [b"", b"GMAP", b"x" * 64])
def test_what_is_no_map_is_refused(broken: bytes) -> None:
    with pytest.raises(ValueError, match="no map"):
        unpack(broken)


def test_what_is_of_one_theme_lies_together() -> None:
    """Colours are those of themes: one that is strewn over the map says nothing."""
    random = np.random.default_rng(1)
    features = places.units(random.standard_normal((90, 32)).astype(np.float32))
    groups = [list(range(start, 90, 9)) for start in range(6)]  # the rest is of no theme

    def spread(rows: places.Rows) -> float:
        found = places.laid_out(rows)
        at = np.array([(place.x, place.y) for place in found])
        return float(
            np.mean([np.linalg.norm(at[g] - at[g].mean(0), axis=1).mean() for g in groups])
        )

    assert spread(places.drawn_together(features, groups)) < 0.5 * spread(features)


def test_nodes_that_are_all_alike_are_one_isle() -> None:
    """A log of one line, told again and again, would have no map: what is far from all is drawn."""
    features = np.eye(8, dtype=np.float32)[[0] * 40]
    found = places.laid_out(features)
    assert {place.isle for place in found} == {0}
    assert len({(place.x, place.y) for place in found}) == 40


def test_like_lies_near_like() -> None:
    # Three subjects, told in turn: neighbours on the map share one, whatever the order was.
    words = [[f"w{n % 3}{k}" for k in range(4)] + [f"own{n}"] for n in range(90)]
    found = places.laid_out(places.of_keywords(words))
    at = np.array([(p.x, p.y) for p in found])
    apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    same = [n % 3 == int(apart[n].argmin()) % 3 for n in range(90)]
    assert sum(same) > 80


def test_groups_lie_beside_each_other() -> None:
    """On the ground of another group a name says nothing."""
    random = np.random.default_rng(1)
    features = places.units(random.standard_normal((1000, 32)).astype(np.float32))
    found = places.laid_out(features)
    discs = []
    for isle in {place.isle for place in found}:
        at = np.array([(p.x, p.y) for p in found if p.isle == isle])
        middle = at.mean(0)
        discs.append((middle, np.linalg.norm(at - middle, axis=1).max()))
    assert len(discs) > 5
    for (one, reach), (other, far) in combinations(discs, 2):
        assert np.linalg.norm(one - other) > reach + far


def test_memories_lie_apart() -> None:
    """Dots lay over each other while half of their ground was empty."""
    words = [[f"w{n % 3}{k}" for k in range(4)] + [f"own{n}"] for n in range(90)]
    found = places.laid_out(places.of_keywords(words))
    beside = places.Beside(found)
    later = [beside.put([(n % 90, 1.0)] if n % 3 else [], n) for n in range(200)]
    for isle in {place.isle for place in later}:
        at = np.array([(p.x, p.y) for p in found if p.isle == isle])
        middle = at.mean(0)
        assert _nearest(at) > 1.3  # of 1.8 on a lattice as dense
        assert np.linalg.norm(at - middle, axis=1).max() < 1.1 * np.sqrt(len(at))
        new = np.array([(p.x, p.y) for p in later if p.isle == isle])
        assert _nearest(new) > 1.1
        both = np.vstack([at, new])
        assert np.linalg.norm(new - both.mean(0), axis=1).max() < 1.8 * np.sqrt(len(both))


def _nearest(at: NDArray[np.float64]) -> float:
    apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    return float(apart.min())


def test_what_tells_of_one_thing_is_one_group() -> None:
    """Without vectors the groups were as good as random: none had a name."""
    with graphmem.open(None, worker="none") as memory:
        for what in ("is cold", "is full", "freezes", "has fish", "is deep", "is blue"):
            for name in ("Lake Bled", "Fort Bourtange", "the kiln"):
                memory.remember(f"I was told that {name} {what}.")
        chart = unpack(memory.graph.map())
    called = [chart.names["isles"][isle] for isle in chart.nodes["isle"].tolist()]
    assert called == ["Lake Bled", "Fort Bourtange", "Kiln"] * 6


def test_what_shares_nothing_lies_with_no_named_group() -> None:
    """A note on the rent lay among those on a rendering library, under its name."""
    with graphmem.open(None, worker="none") as memory:
        for what in ("is cold", "is full", "freezes", "has fish", "is deep", "is blue"):
            for name in ("Lake Bled", "Fort Bourtange"):
                memory.remember(f"I was told that {name} {what}.")
        (other,) = memory.remember("Seventeen violins arrived yesterday.").nodes
        chart = unpack(memory.graph.map())
    place = chart.nodes["id"].tolist().index(other.id)
    called = [chart.names["isles"][isle] for isle in chart.nodes["isle"].tolist()]
    assert called[place] == ""
    assert {*called} == {"Lake Bled", "Fort Bourtange", ""}


def test_no_map_has_more_isles_than_can_be_stored() -> None:
    """The isle of what is like none came on top of as many as there may be."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember_many(
            f"I was told that {chr(65 + n // 26)}{chr(97 + n % 26)}bova has {what}."
            for n in range(50)
            for what in range(24)
        )
        chart = unpack(memory.graph.map())
    assert chart.nodes["isle"].max() == places.MOST_ISLES - 1
    assert chart.names["isles"].count("") == 1


def test_circles_emerge_as_a_memory_grows() -> None:
    """A map that was asked for while there were few memories had one circle for good."""
    with graphmem.open(None, worker="none") as memory:
        for what in ("is cold", "is full", "freezes", "has fish", "is deep", "is blue"):
            for name in ("Lake Bled", "Fort Bourtange"):
                memory.remember(f"I was told that {name} {what}.")
                memory.remember(f"Nobody {what}, they say.")
                one, two = (unpack(memory.graph.map()).nodes for _ in range(2))
                assert all((one[name] == two[name]).all() for name in ("x", "y", "isle"))
        assert _circles(memory) == {"Lake Bled": 6, "Fort Bourtange": 6, "": 12}


def test_a_memory_lies_only_in_a_circle_whose_name_it_says() -> None:
    """ "I live in Ghent." lay in the circle "Data", other sentences in one called "Yuki · Sofie"."""
    with graphmem.open(None, worker="none") as memory:
        for what in ("is cold", "is full", "freezes", "has fish", "is deep", "is blue"):
            for name in ("Lake Bled", "Fort Bourtange"):
                memory.remember(f"I was told that {name} {what}.")
        memory.graph.map()
        (plain,) = memory.remember("I was told that it is cold, deep and blue.").nodes
        (fort,) = memory.remember("It is cold, deep and blue. Fort Bourtange is not.").nodes
        assert _circles(memory) == {"Lake Bled": 6, "Fort Bourtange": 7, "": 1}
        # What names the fort no longer is taken out of its circle.
        memory.forget(plain)
        (named,) = memory.correct(fort.id, "It is cold, deep and blue.")
        assert _circles(memory) == {"Lake Bled": 6, "Fort Bourtange": 6, "": 1}
        assert named.text == "It is cold, deep and blue."


def test_what_is_forgotten_lies_among_what_is_like_it() -> None:
    """It lay at the rim, so that one side of a circle was empty."""
    with graphmem.open(None, worker="none") as memory:
        for what in ("is cold", "is full", "freezes", "has fish", "is deep", "is blue"):
            for name in ("Lake Bled", "Fort Bourtange"):
                memory.remember(f"I was told that {name} {what}.")
        memory.forget(1, 2, 3, 4)
        chart = unpack(memory.graph.map())
    called = [chart.names["isles"][isle] for isle in chart.nodes["isle"].tolist()]
    assert [called[rows(chart)[node]] for node in (1, 2, 3, 4)] == [
        "Lake Bled",
        "Fort Bourtange",
    ] * 2
    at = np.array([chart.nodes["x"], chart.nodes["y"]]).T[[name == "Lake Bled" for name in called]]
    assert _nearest(at) > 1.3  # laid out together, as above


def _circles(memory: graphmem.Memory) -> Counter[str]:
    """How many live memories lie in the circles of each name."""
    chart = unpack(memory.graph.map())
    rows_ = zip(chart.nodes["isle"].tolist(), chart.nodes["flags"].tolist(), strict=True)
    return Counter(chart.names["isles"][isle] for isle, flags in rows_ if not flags & GONE)


def test_a_group_is_called_by_what_most_of_it_have_in_common() -> None:
    """ "door · Anna · gym" stood over ten memories of which three were of Anna."""
    with graphmem.open(None, worker="none") as memory:
        for what in ("was cold", "is beautiful", "freezes", "has fish"):
            memory.remember(f"Lake Bled {what}.")
        assert "Lake Bled" in unpack(memory.graph.map()).names["isles"]
    with graphmem.open(None, worker="none") as memory:
        for text in ("Anna sings.", "The gym is full.", "Lake Bled freezes.", "I met Wen."):
            memory.remember(text)
        assert set(unpack(memory.graph.map()).names["isles"]) == {""}
