"""A centroid that is lost would make a theme that no text can join."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.index.vectors.products import units
from graphmem.themes.calibration import Calibration
from graphmem.themes.centroids import Centroids, halves


def rows(seed: int, count: int) -> np.ndarray:
    return units(np.random.default_rng(seed).normal(size=(count, 16)).astype(np.float32))


@given(st.floats(-1, 1), st.integers(0, 9))
def test_a_place_on_the_scale_is_that_of_one_cosine(cosine: float, seed: int) -> None:
    """Thresholds are places on the scale, and compared with cosines."""
    scale = Calibration.of(rows(seed, 40))
    assert scale.cosine(scale.similarity(cosine)) == pytest.approx(cosine, abs=1e-6)
    assert scale.similarity(0.0) == 0.30
    assert scale.similarity(scale.deviation) == pytest.approx(0.40)


def test_the_nearest_are_found_among_many() -> None:
    centroids, given_rows = Centroids(16), rows(1, 3000)
    for theme, row in enumerate(given_rows):
        centroids.put(theme, row * 3)
    for cue in rows(2, 50):
        exact = np.argsort(-(given_rows @ cue))[:10].tolist()
        assert [theme for theme, _ in centroids.nearest(cue, 10)] == exact


@given(st.integers(0, 99), st.lists(st.tuples(st.booleans(), st.integers(0, 30)), max_size=200))
def test_what_is_put_is_found_and_what_is_dropped_is_not(
    seed: int, acts: list[tuple[bool, int]]
) -> None:
    centroids, given_rows = Centroids(16), rows(seed, len(acts) + 1)
    there: dict[int, np.ndarray] = {}
    for row, (puts, theme) in zip(given_rows, acts, strict=False):
        if puts:
            centroids.put(theme, row)
            there[theme] = row
        elif theme in there:
            centroids.drop(theme)
            del there[theme]
    found = [theme for theme, _ in centroids.nearest(given_rows[-1], 40)]
    assert sorted(found) == sorted(there)
    for theme, row in there.items():
        np.testing.assert_allclose(centroids.directions([theme])[0], row, atol=1e-6)
        assert centroids.nearest(row, 1)[0][1] > 0.999


def test_halves_are_never_empty() -> None:
    for count in (2, 3, 20):
        same = np.repeat(rows(3, 1), count, axis=0)
        for some in (same, rows(4, count)):
            side = halves(some, 8)
            assert side.any()
            assert not side.all()
