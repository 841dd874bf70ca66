"""The labelled texts are what they claim, and the measures taken on them are the ones named."""

import argparse

import pytest

from bench import model
from bench.model import Labelled, auc, read, same
from graphmem.errors import ModelError
from graphmem.services import models
from graphmem_worker.text.sentences import sentences


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_labelled_texts_are_whole(language: str) -> None:
    """A label beside the wrong sentence would measure something else."""
    texts = read(language)
    assert len(texts) >= 30
    assert len({text.text for text in texts}) == len(texts)
    for text in texts:
        assert len(text.sentences) == len(text.important) >= 4
        assert set(text.important) <= {0, 1}
        assert 0 in text.important
        assert all(word.casefold() in text.text.casefold() for word in text.keywords)
        assert "".join(sentences(text.text)) == text.text
    share = sum(sum(t.important) for t in texts) / sum(len(t.important) for t in texts)
    assert 0.3 < share < 0.6


def test_the_area_under_the_curve() -> None:
    texts = [
        Labelled("en", ("a", "b"), (1, 0), ("a",)),
        Labelled("en", ("c", "d"), (0, 1), ("c",)),
    ]
    assert auc(texts, [[2.0, 1.0], [1.0, 2.0]]) == 1.0
    assert auc(texts, [[1.0, 2.0], [2.0, 1.0]]) == 0.0
    assert auc(texts, [[1.0, 1.0], [1.0, 1.0]]) == 0.5
    assert auc(texts, [[3.0, 2.0], [1.0, 1.5]]) == 0.75


def test_which_keywords_count_as_the_same() -> None:
    assert same("Release", "release")
    assert same("staging database", "database")
    assert not same("the staging database of the firm", "database")
    assert not same("fire", "water")


def test_the_bench_runs_without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """What needs no model is measured all the same."""

    def none(named: str | None) -> None:
        raise ModelError("no model")

    monkeypatch.setattr(models, "find", none)
    monkeypatch.setattr(model, "find_spec", lambda name: None)
    rows = model.run(argparse.Namespace(texts=5))
    found = {(row.dataset, row.method, row.metric): row.value for row in rows}
    for language in ("en", "zh"):
        for method in ("lead", "length", "rules"):
            assert 0.0 <= found[f"salience/{language}", method, "auc"] <= 1.0
        assert 0.0 < found[f"keywords/{language}", "rules", "good"] <= 1.0
    assert not any("model" in row.method for row in rows)
