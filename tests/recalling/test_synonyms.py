"""Without vectors "When is the rubbish collected?" found nothing in "Refuse day is Friday"."""

import pytest

import graphmem
from graphmem.recalling.synonyms import of_unknown

TOLD = (
    "The refuse lorry comes on Fridays.",
    "Tom's landline is 0117 496 0233.",
    "We're with Truespeed for the broadband now.",
    "老魏从六月起一斤两块九，送货到店。",
    "女儿罗一诺在重庆读大三。",
    "My watch is two minutes slow.",
)


@pytest.mark.parametrize(
    ("asked", "known", "found"),
    [
        (["rubbish"], {"refus", "bin"}, ["refus", "bin"]),
        (["rubbish"], {"rubbish", "refus"}, []),  # the memory has the word itself
        (["rubbish"], {"friday"}, []),
        (["供货"], {"送货"}, ["送货"]),
        (["zeppelin", "0117"], {"refus"}, []),
    ],
)
def test_a_word_that_no_memory_holds_stands_for_known_synonyms(
    asked: list[str], known: set[str], found: list[str]
) -> None:
    assert of_unknown(asked, lambda word: int(word in known)) == found


@pytest.mark.parametrize(
    ("cue", "answer"),
    [
        ("When is the rubbish collected?", 1),
        ("Which internet provider do we have?", 3),
        ("供货的是哪家？", 4),
        ("孩子在哪儿？", 5),
    ],
)
def test_a_question_in_other_words_is_answered(cue: str, answer: int) -> None:
    with graphmem.open(None, worker="none") as memory:
        for text in TOLD:
            memory.remember(text)
        assert memory.recall(cue, use=False)[0].id == answer
