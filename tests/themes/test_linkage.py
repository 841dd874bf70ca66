"""The same memories made other themes when they came in another order, or their vectors later."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import graphmem
from graphmem.index.vectors.products import Rows, units
from graphmem.themes.calibration import Calibration, returned
from graphmem.themes.linkage import carried_over, linked
from tests.embedders import Hashed
from tests.themes.test_catalog import partition, remembered, sentences, settle


def clustered(count: int, seed: int = 0, dimensions: int = 24) -> Rows:
    draw = np.random.default_rng(seed)
    middles = draw.standard_normal((max(1, count // 6), dimensions))
    near = middles[draw.integers(0, len(middles), count)]
    return units((near + 0.7 * draw.standard_normal(near.shape)).astype(np.float32))


def sets(labels: list[int], order: list[int]) -> set[frozenset[int]]:
    found: dict[int, set[int]] = {}
    for item, label in zip(order, labels, strict=True):
        found.setdefault(label, set()).add(item)
    return set(map(frozenset, found.values()))


def together(rows: Rows, least: float, largest: int) -> list[int]:
    labels: list[int] = returned(linked(rows, least, largest)).tolist()
    return labels


@given(
    st.integers(1, 90), st.integers(0, 50), st.integers(1, 14), st.floats(-0.5, 1.0), st.randoms()
)
def test_the_order_of_the_vectors_does_not_matter(
    count: int, seed: int, largest: int, least: float, random: Random
) -> None:
    rows, order = clustered(count, seed), list(range(count))
    expected = sets(together(rows, least, largest), order)
    random.shuffle(order)
    assert sets(together(rows[order], least, largest), order) == expected
    assert max(map(len, expected)) <= largest


def test_clusters_are_those_of_average_linkage() -> None:
    """The model: merge the nearest pair of clusters, again and again."""
    rows = clustered(40)
    apart = rows.astype(np.float64)
    model = [{item} for item in range(40)]
    while True:
        pairs = [
            (float(np.mean([apart[a] @ apart[b] for a in one for b in other])), one, other)
            for at, one in enumerate(model)
            for other in model[:at]
        ]
        nearest, one, other = max(pairs, key=lambda pair: pair[0])
        if nearest < 0.3:
            break
        one |= other
        model.remove(other)
    assert 3 < len(model) < 30
    assert sets(together(rows, 0.3, 40), list(range(40))) == set(map(frozenset, model))


def test_more_vectors_than_one_tile_holds_are_compared_as_well() -> None:
    rows = np.repeat(np.eye(300, dtype=np.float32), 3, axis=0)
    found = Counter(together(rows, 0.9, 12))
    assert len(found) == 300
    assert set(found.values()) == {3}


def test_a_cluster_keeps_the_id_of_the_theme_that_it_shares_most_with() -> None:
    themes = {1: 7, 2: 7, 3: 7, 4: 8, 5: 8, 6: 9}
    clusters = {1: 0, 2: 0, 3: 1, 4: 1, 5: 1, 6: 2, 10: 3}
    found = carried_over(clusters, themes, 20)
    assert found == {1: 7, 2: 7, 3: 8, 4: 8, 5: 8, 6: 9, 10: 20}


@given(
    st.dictionaries(st.integers(0, 12), st.integers(0, 4)),
    st.dictionaries(st.integers(0, 12), st.integers(10, 14)),
)
@example({1: 0, 2: 1, 3: 1}, {1: 10, 2: 10, 3: 10})
def test_each_cluster_has_one_id_and_none_has_that_of_another(
    clusters: dict[int, int], themes: dict[int, int]
) -> None:
    """Two clusters under one id are one theme, about two things."""
    found = carried_over(clusters, themes, 20)
    assert found.keys() == clusters.keys()
    ids = {clusters[node]: theme for node, theme in found.items()}
    assert found == {node: ids[cluster] for node, cluster in clusters.items()}
    assert len(set(ids.values())) == len(ids)
    shared = Counter((clusters[node], theme) for node, theme in themes.items() if node in clusters)
    holders = {theme: cluster for cluster, theme in ids.items()}
    for (cluster, theme), count in shared.items():
        if shared[cluster, ids[cluster]] < count:  # one that shares as much has it
            assert shared[holders[theme], theme] >= count
    new = sorted(theme for theme in ids.values() if theme >= 20)
    assert new == list(range(20, 20 + len(new)))


def test_equal_partitions_keep_all_ids() -> None:
    rows = clustered(80)
    labels = dict(enumerate(together(rows, Calibration.of(rows).cosine(0.46), 12)))
    themes = {item: 100 + label for item, label in labels.items()}
    assert carried_over(labels, themes, 500) == themes


@pytest.mark.parametrize("seed", [1, 2])
def test_a_memory_that_is_filled_a_little_at_a_time_has_the_themes_of_one_filled_at_once(
    seed: int,
) -> None:
    texts = list(sentences())
    with remembered() as memory:
        at_once = {
            frozenset(memory[node].text or "" for node in members) for members in partition(memory)
        }
    Random(seed).shuffle(texts)
    with graphmem.open(worker="none", embedder=Hashed(dimensions=64)) as memory:
        for start in range(0, len(texts), 9):
            memory.remember_many(texts[start : start + 9])
            memory.admin.enrich(30)
            memory.themes.assimilate(0)
        settle(memory)
        found = {
            frozenset(memory[node].text or "" for node in members) for members in partition(memory)
        }
    assert found == at_once


def test_themes_made_at_once_are_the_same_when_the_memory_is_opened_again(
    tmp_path: Path,
) -> None:
    with remembered(tmp_path / "m") as memory:
        before = {theme.id: set(theme.members) for theme in memory.themes}
        told = list(memory.themes)
        assert memory.admin.stats()["themes"]["linked"]
        assert before
    with graphmem.open(tmp_path / "m", worker="none", read_only=True) as memory:  # as stored
        assert {theme.id: set(theme.members) for theme in memory.themes} == before
    model = Hashed(dimensions=64)
    with graphmem.open(tmp_path / "m", worker="none", embedder=model, read_only=True) as memory:
        assert [theme.id for theme in memory.themes] == [theme.id for theme in told]
        assert all(theme.neighbours for theme in memory.themes)
    with remembered(tmp_path / "m") as memory:
        assert memory.admin.stats()["themes"]["linked"]  # what a crash has left is made anew
        assert {theme.id: set(theme.members) for theme in memory.themes} == before
        assert memory.admin.check() == []
