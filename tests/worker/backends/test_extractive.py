"""Without a model, whatever is returned must be out of the text, and the user's words come first."""

from math import inf

import pytest

from graphmem_worker.backends.extractive import Extractive
from graphmem_worker.errors import TaskError
from graphmem_worker.protocol import TASKS, check_result

BACKEND = Extractive()
SENTENCES = ["Wen moved the release to May 10. ", "Thanks!"]


def test_results_are_those_of_the_protocol() -> None:
    """A result that the other side refuses kills the worker."""
    check_result("segment", BACKEND.segment({"text": "a. b"}, inf))
    check_result(
        "process", BACKEND.process({"sentences": SENTENCES, "keywords": [], "rarity": {}}, inf)
    )
    check_result("process", BACKEND.process({"sentences": [], "keywords": [], "rarity": {}}, inf))
    check_result("score", BACKEND.score({"sentences": SENTENCES, "rarity": {"releas": 9.0}}, inf))
    assert set(TASKS) <= set(dir(BACKEND))


def test_the_users_keywords_are_kept_first() -> None:
    """What the user named is never thrown out for what was guessed."""
    given = ["launch", " Wen ", "launch", "", "LAUNCH"]
    found = BACKEND.process({"sentences": SENTENCES, "keywords": given, "rarity": {}}, inf)[
        "keywords"
    ]
    assert found[:2] == ["launch", "Wen"]
    assert len(found) <= 5
    assert "release" in found
    many = [f"k{n}" for n in range(8)]
    assert (
        BACKEND.process({"sentences": SENTENCES, "keywords": many, "rarity": {}}, inf)["keywords"]
        == many
    )


def test_rarities_count_and_gaps_are_filled() -> None:
    """A word that the index has not seen yet is not worthless."""
    usual = BACKEND.score({"sentences": SENTENCES, "rarity": {}}, inf)["salience"]
    rare = BACKEND.score({"sentences": SENTENCES, "rarity": {"releas": 9.0}}, inf)["salience"]
    assert rare[0] > usual[0]
    assert rare[1] == usual[1]


def test_vectors_are_refused_for_good() -> None:
    """A transient refusal would be tried fifteen times."""
    with pytest.raises(TaskError) as caught:
        BACKEND.embed({"texts": ["a"], "kind": "passage"}, inf)
    assert (caught.value.kind, caught.value.transient) == ("unsupported", False)
