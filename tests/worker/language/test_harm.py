"""A clear case that a table no longer names is an allergy that only a fitted sum still guards."""

import pytest

from graphmem_worker.language import harm, tables
from graphmem_worker.language.marks import marks
from graphmem_worker.text.protects import is_clearly_protective

EXAMPLES = [
    (rule["say"], sentence, is_positive)
    for table in tables.tables("harm").values()
    for rule in table["clear"]
    for is_positive, kind in ((True, "yes"), (False, "no"))
    for sentence in rule[kind]
]


@pytest.mark.parametrize(("names", "sentence", "is_positive"), EXAMPLES)
def test_examples_of_a_clear_case_hold(names: str, sentence: str, is_positive: bool) -> None:
    names_all = set(names.split()) <= set(harm.classes(sentence))
    assert (names_all and not harm.is_unreal(sentence)) is is_positive
    if is_positive:
        assert is_clearly_protective(sentence)


def test_german_has_classes_of_its_own_and_takes_none_of_english() -> None:
    """Marks and harm were read in two languages by name: a third table was silently ignored."""
    assert "kin" in set(marks("Seine Mutter ist Lehrerin."))
    assert "hedged" in set(marks("Das ist vermutlich so."))
    assert "kin" not in set(marks("They mutter in the hall."))
    assert "i" not in set(marks("Two plates of chow mein."))


def test_a_term_inside_a_longer_word_has_no_class() -> None:
    """特别 is no 别, and Zanzibarin no medicine: small talk was held as a warning."""
    assert "forbid" not in harm.classes("特别好吃")
    assert "drug" not in harm.classes("We flew to Zanzibarin spring.")
    assert "drug" in harm.classes("She takes zanubrutinib.")
