"""What a cue asks with: a turn says more than its question."""

from datetime import UTC, datetime

import pytest

import graphmem
from graphmem.recalling.cue import read

NOW = datetime(2026, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "asked", "aside"),
    [
        ("I missed the train again. Where does Nora work?", {"nora", "work"}, {"miss", "train"}),
        ("Where does Nora work?", {"nora", "work"}, set()),
        ("I missed the train again. Nora works late.", {"nora", "work", "miss", "train"}, set()),
        ("Nora starts at Hoyle's. When is she off?", {"nora", "start"}, set()),
        ("小陈换工作了。她在哪里上班？", {"小陈", "工作"}, set()),
        ("地铁晚点了。小陈在哪里上班？", {"小陈", "上班"}, {"地铁", "晚点"}),
    ],
)
def test_what_a_turn_says_besides_its_question(text: str, asked: set[str], aside: set[str]) -> None:
    cue = read(text, NOW)
    assert asked <= {*cue.asked} - cue.aside
    assert aside <= cue.aside if aside else not cue.aside


def test_function_words_of_another_language_say_nothing() -> None:
    """In a memory of several languages they are rare, and so brought whatever shares them."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember("Ich habe es mir anders überlegt, weil ich müde bin.")
        memory.remember("Der Haustürschlüssel liegt im Flur.")
        for number in range(30):
            memory.remember(f"The visitor in room {number} asked for towels.")
        found = memory.recall("Wo habe ich den Haustürschlüssel, weil ich los muss?", use=False)
        assert found[0].text == "Der Haustürschlüssel liegt im Flur."


@pytest.mark.parametrize(
    ("text", "is_dated"),
    [
        ("Was war im Herbst?", True),
        ("Was war im ersten Quartal?", True),
        ("What was in autumn?", True),
        ("Was war mit Anna im Herbst?", False),
        ("Was kostete die Pumpe im Herbst?", False),
    ],
)
def test_function_words_of_another_language_ask_about_nothing_besides(
    text: str, is_dated: bool
) -> None:
    """A German cue that asked with nothing but "Was war" was looked up by the word "war"."""
    assert read(text, NOW).is_dated is is_dated


def test_what_comes_before_a_question_does_not_outweigh_it() -> None:
    with graphmem.open(None, worker="none") as memory:
        memory.remember("Nora works in a bakery.")
        memory.remember("My knee hurts when it rains.")
        for number in range(30):
            memory.remember(f"Visitor {number} came for tea and asked for towels.")
        cue = "My knee hurts today and it rains. Where does Nora work?"
        assert memory.recall(cue, use=False)[0].text == "Nora works in a bakery."


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I missed the train again. Where does Nora work?", "Where does Nora work?"),
        ("Ich bin spät dran. Wo arbeitet Nora?", "Wo arbeitet Nora?"),
        ("地铁晚点了。小陈在哪里上班？", "小陈在哪里上班？"),
        ("I read a novel in the library. What was its name?", None),
        ("Ich war im Museum. Was gab es dort?", None),
        ("我在图书馆看了小说。那本叫什么？", None),
        ("Where does Nora work?", None),
    ],
)
def test_what_a_turn_asks_by_itself(text: str, question: str | None) -> None:
    """What was asked of "its name" was taken for answered wherever somebody has a name."""
    assert read(text, NOW).question.text == (question or text)


@pytest.mark.parametrize(
    "cue", ["Wann ist die Vorstandssitzung?", "Weshalb ist die Vorstandssitzung?"]
)
def test_a_german_question_word_is_not_what_it_asks_about(cue: str) -> None:
    """Any stored question that began like the cue came before what answers it."""
    assert read(cue, NOW).asked == ("vorstandssitzung",)
