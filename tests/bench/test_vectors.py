"""The bench of vectors tells how often the floor is passed."""

import pytest

from bench import vectors
from bench.corpora import read


@pytest.mark.slow
def test_the_floor_is_asked_of_texts_with_an_answer_and_without() -> None:
    """By an embedder that knows a text by its first word, so that only counting is looked at."""
    rows = list(vectors.passed(read([]), vectors.TextSpace(100)))
    assert {row.dataset for row in rows} == {f"{size} texts" for size in (10, 20, 40, 80)}
    for row in rows:
        assert 0 <= row.value <= 1
    share = {(row.dataset, row.metric): row.value for row in rows}
    for dataset in {row.dataset for row in rows}:
        passed = share[dataset, "one answers: passed"]
        assert share[dataset, "one answers: passed, and it is the nearest"] <= passed
