"""A head that reads other weights than were fitted lets warnings fade and keeps small talk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.language import heads
from graphmem_worker.text.protects import is_clearly_protective, protects, protects_by_vector

NAMES = sorted({path.stem for path in heads.FOLDER.glob("*.npz")} - {"secrets"})  # the tagger's


def test_every_head_is_small() -> None:
    """Weights are installed with every copy."""
    assert NAMES
    sizes = [path.stat().st_size for path in heads.FOLDER.iterdir()]
    assert max(sizes) <= 100_000
    assert sum(sizes) <= 250_000


@given(st.lists(st.integers(-128, 127), min_size=6, max_size=6))
def test_weights_are_read_as_they_were_written(weights: list[int]) -> None:
    """Weights of other buckets or labels would judge at random."""
    written = np.array(weights, np.int8).reshape(3, 2)
    assert (heads.unpacked(heads.packed(written), 3) == written).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_head_records_what_made_it(name: str) -> None:
    """Weights of unknown origin can be neither judged nor made again."""
    made = heads.head(name).made
    assert made["command"].startswith("python -m bench heads")
    assert sum(made["data"].values()) > 1000
    assert set(made["figures"]) == set(heads.head(name).labels)


@given(st.text(max_size=300))
def test_any_text_has_a_sum(text: str) -> None:
    """A sentence that cannot be judged would end the sweep that asks."""
    fitted = heads.head("protective")
    sums = fitted.sums(text)
    assert sums.shape == (len(fitted.labels),)
    assert np.isfinite(sums).all()
    assert heads.buckets(text, 1 << 10) == sorted(set(heads.buckets(text, 1 << 10)))


@given(st.text(max_size=60), st.lists(st.floats(-1, 1), min_size=384, max_size=384))
def test_a_vector_takes_no_protection_away(text: str, components: list[float]) -> None:
    """What tables or words find stays protected, whatever an embedder returns."""
    vector = np.array(components, np.float32)
    for sentence in (text, f"{text} Jonas gets hives from cashews."):
        if protects(sentence) == "protective":
            found = protects_by_vector(sentence, vector, heads.head("protective").model)
            assert found == "protective"


def test_a_vector_of_another_model_is_ignored() -> None:
    """Two models share no directions: such a vector would guard at random."""
    fitted = heads.head("protective")
    likely = fitted.vector[fitted.labels.index("protects")]
    vector = likely / np.linalg.norm(likely)
    sentence = "Our tram was full again this morning."
    assert protects(sentence) is None
    assert protects_by_vector(sentence, vector, fitted.model) == "protective"
    assert protects_by_vector(sentence, vector, "another") is None


def test_a_question_is_no_warning() -> None:
    """Asking about an allergy is not having one."""
    assert protects("Is Jonas allergic to cashews?") is None
    assert not is_clearly_protective("Is Jonas allergic to cashews?")
