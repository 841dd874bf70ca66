"""A partition that loses a node, or keeps something of an erased one, makes themes worthless."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.index.vectors.products import Rows, units
from graphmem.settings import ThemeRules
from graphmem.themes.calibration import Calibration
from graphmem.themes.clusters import Clusters

DIMENSIONS = 96
DEFAULT = ThemeRules()


class Texts:
    """Vectors of invented texts: `subjects` directions with noise around each."""

    def __init__(self, seed: int, subjects: int, count: int, noise: float = 0.5) -> None:
        draw = np.random.default_rng(seed)
        middles = units(draw.normal(size=(subjects, DIMENSIONS)).astype(np.float32))
        self.subject = draw.integers(0, subjects, count)
        spread = draw.normal(size=(count, DIMENSIONS)).astype(np.float32)
        noisy = middles[self.subject] + noise * spread / DIMENSIONS**0.5
        self.rows = units(noisy + 2.0)  # all have a large part in common, as a model's have
        self.calibration = Calibration.of(self.rows)

    def lookup(self, nodes: Sequence[int]) -> Rows:
        return self.calibration.centred(self.rows[list(nodes)])

    def clusters(self, thresholds: ThemeRules = DEFAULT) -> Clusters:
        return Clusters(self.lookup, self.calibration, thresholds)


def partition(clusters: Clusters) -> dict[int, tuple[int, ...]]:
    return {theme: clusters.members(theme) for theme in clusters.themes()}


def agreement(texts: Texts, clusters: Clusters, nodes: Sequence[int]) -> float:
    """The share of pairs in one theme that are of one subject."""
    together = apart = 0
    for members in partition(clusters).values():
        for at, first in enumerate(members):
            for second in members[:at]:
                if texts.subject[first] == texts.subject[second]:
                    together += 1
                else:
                    apart += 1
    return together / max(1, together + apart)


def test_texts_of_one_subject_come_together() -> None:
    """Clusters by chance would put one pair in ten together."""
    texts = Texts(seed=1, subjects=10, count=200)
    clusters = texts.clusters()
    for node in range(200):
        clusters.add(node)
    assert agreement(texts, clusters, range(200)) > 0.95
    assert len(clusters.themes()) < 80


def test_no_theme_is_larger_than_it_may_be() -> None:
    texts = Texts(seed=2, subjects=12, count=300, noise=0.4)
    clusters = texts.clusters()
    for node in range(300):
        clusters.add(node)
        assert max(map(len, partition(clusters).values())) <= 12
    assert clusters.counts.split > 0


@given(
    seed=st.integers(0, 1000),
    acts=st.lists(st.tuples(st.booleans(), st.integers(0, 59)), max_size=120),
    cut=st.integers(0, 120),
)
def test_every_node_is_in_one_theme_whatever_comes_and_goes(
    seed: int, acts: list[tuple[bool, int]], cut: int
) -> None:
    """Adds, removals and a reload in any order: the themes stay a partition of what is there, and
    what `changes` tells is enough to make the same partition again."""
    texts = Texts(seed, subjects=5, count=60)
    clusters = texts.clusters()
    there: set[int] = set()
    kept: dict[int, int] = {}
    for at, (comes, node) in enumerate(acts):
        if comes and node not in there:
            clusters.add(node)
            there.add(node)
        elif not comes:
            clusters.remove(node)
            there.discard(node)
            kept.pop(node, None)
        kept.update(clusters.changes(1 << 30))
        if at == cut:
            again = texts.clusters()
            again.load(kept)
            clusters = again
    members = partition(clusters)
    assert sorted(node for nodes in members.values() for node in nodes) == sorted(there)
    assert all(clusters.theme(node) == theme for theme, nodes in members.items() for node in nodes)
    assert kept == {node: theme for theme, nodes in members.items() for node in nodes}


@pytest.mark.parametrize("order", [1, -1])
def test_of_a_theme_that_is_split_the_larger_half_keeps_its_id(order: int) -> None:
    """The id that a program had kept led to four memories of thirteen."""
    texts = Texts(seed=4, subjects=2, count=100, noise=0.1)
    first, second = (np.flatnonzero(texts.subject == subject).tolist() for subject in (0, 1))
    clusters = texts.clusters(ThemeRules(attach=0.0))
    clusters.load(dict.fromkeys([*first[:9], *second[:3]][::order], 1))
    clusters.add(second[3])
    assert set(clusters.members(1)) == {*first[:9]}
    assert set(clusters.members(2)) == {*second[:4]}


def test_one_theme_has_no_neighbours() -> None:
    rows = Texts(seed=4, subjects=1, count=40).rows
    scale = Calibration(np.zeros(DIMENSIONS, np.float32), 0.18)
    clusters = Clusters(lambda nodes: rows[list(nodes)], scale, ThemeRules(size=40))
    for node in range(40):
        clusters.add(node)
    assert partition(clusters) == {1: tuple(range(40))}
    assert clusters.neighbours(1) == []


def test_what_fits_better_elsewhere_moves_there() -> None:
    """What came before those that it is like stayed with the first that were near enough."""
    texts = Texts(seed=1, subjects=10, count=100)
    clusters = texts.clusters()
    themes = {node: int(texts.subject[node]) + 1 for node in range(60)}
    clusters.load(themes | {0: themes[0] % 10 + 1})
    for node in range(60, 100):
        clusters.add(node)
    assert clusters.theme(0) == themes[0]
    assert clusters.counts.moved > 0


def test_ids_of_themes_are_not_used_again() -> None:
    texts = Texts(seed=3, subjects=5, count=40)
    clusters = texts.clusters()
    for node in range(40):
        clusters.add(node)
    before = clusters.next_theme
    for node in range(40):
        clusters.remove(node)
    assert len(clusters.themes()) == 0
    clusters.add(0)
    assert clusters.themes() == [before]


def test_of_two_themes_that_are_joined_the_larger_one_keeps_its_id() -> None:
    """A theme of ten vanished into one of two, and with it the id that a program had kept."""
    draw = np.random.default_rng(0)
    middle = draw.normal(size=(1, 32)).astype(np.float32)
    middle /= np.linalg.norm(middle)
    near = middle + 0.05 * draw.normal(size=(12, 32)).astype(np.float32)
    near[11] = near[10]
    far = draw.normal(size=(100, 32)).astype(np.float32)
    rows = units(np.concatenate([near, far]))
    calibration = Calibration(np.zeros(32, np.float32), 0.18)
    clusters = Clusters(lambda nodes: rows[list(nodes)], calibration)
    clusters.load({**dict.fromkeys(range(10), 1), 10: 2})
    for node in range(11, 112):
        clusters.add(node)
    assert clusters.theme(0) == clusters.theme(10) == 1
    assert 2 not in clusters.themes()


def test_nothing_of_a_removed_vector_stays_in_the_centroid() -> None:
    """The sum of a theme less the members that stay would be the erased text's vector."""
    texts = Texts(seed=4, subjects=1, count=12, noise=0.2)
    clusters = texts.clusters(ThemeRules(attach=0.0, lenient=0.0))
    for node in range(12):
        clusters.add(node)
    theme = clusters.theme(7)
    assert theme is not None
    clusters.remove(7)
    rest = texts.lookup(clusters.members(theme)).sum(axis=0)
    left_over = clusters.directions([theme])[0] * np.linalg.norm(rest) - rest
    assert np.abs(left_over).max() < 1e-5


def test_the_same_texts_in_the_same_order_make_the_same_themes() -> None:
    texts = Texts(seed=5, subjects=8, count=150)
    first, second = texts.clusters(), texts.clusters()
    for node in range(150):
        first.add(node)
        second.add(node)
    assert partition(first) == partition(second)


def test_other_scales_of_cosines_make_the_same_themes() -> None:
    """Models squeeze cosines differently; the thresholds are meant relative to that."""
    texts = Texts(seed=6, subjects=10, count=200)
    squeezed = Texts(seed=6, subjects=10, count=200)
    squeezed.rows = units(squeezed.rows + 30 * squeezed.rows.mean(axis=0))
    squeezed.calibration = Calibration.of(squeezed.rows)
    counts = []
    for one in (texts, squeezed):
        clusters = one.clusters()
        for node in range(200):
            clusters.add(node)
        counts.append(len(clusters.themes()))
    assert counts[1] == pytest.approx(counts[0], rel=0.1)


def test_a_calibration_and_a_partition_come_in_pieces() -> None:
    """Made in one go they stopped a memory of 100,000 notes for most of a second."""
    texts = Texts(seed=6, subjects=10, count=200)
    clusters = texts.clusters()
    for node in range(200):
        clusters.add(node)
    assert len(list(Calibration.in_steps(texts.rows))) > 4
    read: list[int] = []

    def lookup(nodes: Sequence[int]) -> Rows:
        read.append(len(nodes))
        return texts.lookup(nodes)

    again = Clusters(lookup, texts.calibration)
    kept = clusters.memberships(clusters.themes())
    assert len(list(again.loading(kept, 8))) == -(-len(clusters.themes()) // 8)
    assert max(read) <= 8 * DEFAULT.size
    assert again.memberships(again.themes()) == kept
    for theme in clusters.themes():
        assert np.allclose(again.directions([theme]), clusters.directions([theme]), atol=1e-5)
