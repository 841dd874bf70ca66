"""Episodes that begin in the middle of a subject, or run over a break, mislead who reads them."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphmem.index.vectors.products import units
from graphmem.themes.catalog import GAP, LONGEST, RUN_COST, SHORTEST, cuts

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def talk(*lengths: int, seed: int = 0) -> np.ndarray:
    """Turns about one subject after the other, as many as given about each."""
    draw = np.random.default_rng(seed)
    subjects = units(draw.normal(size=(len(lengths), 32)))
    turns = np.repeat(subjects, lengths, axis=0) + 0.08 * draw.normal(size=(sum(lengths), 32))
    return units(turns).astype(np.float32)


def minutes(*gaps: float) -> list[datetime]:
    times = [START]
    for gap in gaps:
        times.append(times[-1] + timedelta(minutes=gap))
    return times


def test_a_change_of_subject_begins_an_episode() -> None:
    rows = talk(8, 5, 9)
    assert cuts(rows, [START] * 22) == [0, 8, 13]


def test_a_break_begins_an_episode_even_of_one_turn() -> None:
    rows = talk(6)
    assert cuts(rows, minutes(1, 1, 30, 45, 1)) == [0, 3, 4]


def test_no_turns_no_episodes() -> None:
    assert cuts(np.zeros((0, 8), np.float32), []) == []


def test_turns_without_vectors_still_make_episodes() -> None:
    found = cuts(np.zeros((60, 0), np.float32), [START] * 60)
    assert found[0] == 0
    assert all(b - a <= LONGEST for a, b in pairwise([*found, 60]))


def price(rows: np.ndarray, borders: list[int]) -> float:
    return sum(
        float(((rows[a:b] - rows[a:b].mean(axis=0)) ** 2).sum()) + RUN_COST
        for a, b in pairwise([*borders, len(rows)])
    )


@given(st.integers(0, 999), st.integers(2, 9))
def test_no_other_cuts_are_cheaper(seed: int, count: int) -> None:
    """Every partition of a short session is tried beside the one that was found."""
    rows = np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)
    found = cuts(rows, [START] * count)
    least = price(rows, found)
    for chosen in range(1 << (count - 1)):
        borders = [0, *(at + 1 for at in range(count - 1) if chosen >> at & 1)]
        if all(b - a >= SHORTEST for a, b in pairwise([*borders, count])):
            assert price(rows, borders) >= least - 1e-4


@given(st.lists(st.sampled_from([1.0, 10.0, 30.0, 60.0]), min_size=1, max_size=70))
def test_episodes_keep_their_bounds(gaps: list[float]) -> None:
    times = minutes(*gaps)
    found = cuts(talk(len(times)), times)
    breaks = {at for at, gap in enumerate(gaps, 1) if timedelta(minutes=gap) >= GAP}
    assert breaks <= set(found)
    for start, stop in pairwise([*found, len(times)]):
        assert stop - start <= LONGEST
        alone = stop in {*breaks, len(times)} and start in {0, *breaks}
        assert stop - start >= SHORTEST or alone
