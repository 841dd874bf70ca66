"""A clear case that a table no longer names is an allergy that only a fitted sum still guards."""

import pytest

from graphmem_worker.language import harm
from graphmem_worker.text.protects import is_clearly_protective

EXAMPLES = [
    (rule["say"], sentence, is_meant)
    for language in ("en", "zh")
    for rule in harm.table(language)["clear"]
    for is_meant, kind in ((True, "yes"), (False, "no"))
    for sentence in rule[kind]
]


@pytest.mark.parametrize(("say", "sentence", "is_meant"), EXAMPLES)
def test_a_clear_case_is_what_its_examples_say(say: str, sentence: str, is_meant: bool) -> None:
    names_all = set(say.split()) <= set(harm.classes(sentence))
    assert (names_all and not harm.is_unmeant(sentence)) is is_meant
    if is_meant:
        assert is_clearly_protective(sentence)


def test_a_term_inside_a_longer_word_tells_nothing() -> None:
    """特别 is no 别, and Zanzibarin no medicine: small talk was held as a warning."""
    assert "forbid" not in harm.classes("特别好吃")
    assert "drug" not in harm.classes("We flew to Zanzibarin spring.")
    assert "drug" in harm.classes("She takes zanubrutinib.")
