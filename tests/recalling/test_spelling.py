"""A typing error in the only telling word of a cue had it bring back nothing."""

import pytest

import graphmem
from graphmem.recalling.spelling import corrected

KNOWN = {"dentist": 2, "appoint": 3, "ladder": 1, "larger": 1, "contract": 4, "trail": 1}


@pytest.mark.parametrize(
    ("cue", "meant"),
    [
        ("whne is teh detnist apointment", {"whne": None, "teh": None, "detnist": "dentist", "apoint": "appoint"}),
        ("appoin laddr sladder", {"appoin": "appoint", "laddr": "ladder", "sladder": "ladder"}),
        ("laddder", {"laddder": "ladder"}),
        ("dentist", {}),
        ("Where is Ldader?", {}),  # a name
        ("bicycle", {}),
        ("看牙 detnist", {"detnist": "dentist"}),
        ("who is the contact for the trial of the adder", {}),  # what is a word itself
        ("dentost", {}),  # with a letter replaced it is mostly another word
    ],
)  # fmt: skip
def test_a_mistyped_word_is_the_known_one_beside_it(cue: str, meant: dict[str, str | None]) -> None:
    assert corrected(cue, lambda word: KNOWN.get(word, 0)) == meant


def test_a_cue_of_mistyped_words_is_answered() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("The dentist appointment is on 3 December at 10.")
        memory.remember("Tom borrowed the big ladder.")
        found = memory.recall("whne is teh detnist apointment", use=False)
        assert [hit.id for hit in found] == [1]
        assert not memory.recall("bicycle", use=False)


def test_a_mistyped_word_is_read_beside_known_ones_and_a_name_is_not() -> None:
    """The known words of a cue kept the mistyped one, which says most, from being looked up."""
    with graphmem.open(worker="none") as memory:
        memory.remember("The appointment at the garage is on Monday.")
        memory.remember("The dentist is on the second floor.")
        memory.remember("Helen's birthday is on 4 May.")
        found = memory.recall("which day is the detnist, not the appointment at the garage")
        assert "The dentist is on the second floor." in [hit.text for hit in found]
        assert memory.recall("Helena's birthday", use=False).answered < (
            memory.recall("Helen's birthday", use=False).answered
        )


def test_a_word_that_is_repeated_is_tried_once() -> None:
    """A cue of 100,000 characters, one unknown word, took three seconds of look-ups."""
    asked: list[str] = []

    def frequency(word: str) -> int:
        asked.append(word)
        return 0

    corrected("bicycle", frequency)
    once = len(asked)
    asked.clear()
    assert corrected("bicycle " * 100, frequency) == {}
    assert len(asked) == once
    asked.clear()
    corrected(" ".join(f"bicycle{a}{b}" for a in "abcdef" for b in "abcdef"), frequency)
    assert len(asked) < 20 * 500  # of many unknown words some are tried
    assert corrected("tell Ldader: ldader", lambda word: KNOWN.get(word, 0)) == {"ldader": "ladder"}


@pytest.mark.parametrize(
    ("cue", "told"),
    [
        ("What does Lucia play?", "Lucía plays the oboe."),
        ("Wo wohnt Frau Mueller?", "Frau Müller wohnt in Gera."),
        ("Wo wohnt Frau Muller?", "Frau Müller wohnt in Gera."),
        ("Wer mag keine Haselnusse?", "Haselnüsse mag Jan nicht."),
        ("Where is Łódź?", "The fair in Lodz begins on Monday."),
        ("resume", "The résumé is in the blue folder."),
        ("José的生日", "Jose was born in May."),
    ],
)
def test_a_word_without_its_marks_is_found(cue: str, told: str) -> None:
    """A word typed on a keyboard without umlauts or accents found nothing."""
    with graphmem.open(worker="none") as memory:
        memory.remember("The boiler was serviced last week.")
        memory.remember(told)
        assert [hit.text for hit in memory.recall(cue, use=False)][:1] == [told]
        assert not memory.recall("Lucas", use=False)  # another name is another person
