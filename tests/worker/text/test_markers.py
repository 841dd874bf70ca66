"""Without vectors "What's my name?" and "How old am I?" found nothing in "I'm Marta, I'm 41"."""

import pytest

import graphmem
from graphmem_worker.text.markers import DAY, TURN, asked_markers, markers

STATED = {
    "en": (
        "Hi, I'm Marta and all this is new to me.",
        "I'm 41 now, can you believe it?",
        "I work as a nurse at the children's hospital.",
        "I've just moved to Porto.",
        "I grew up in a village near Braga.",
        "My sister Ana is a lawyer of 38 in Lisbon.",
        "We went to the beach on Sunday.",
    ),
    "de": (
        "Hallo, ich bin die Marta, das ist alles neu.",
        "Ich bin jetzt 41, kaum zu glauben.",
        "Ich arbeite als Krankenschwester in der Kinderklinik.",
        "Ich bin gerade nach Kiel gezogen.",
        "Aufgewachsen bin ich in einem Dorf bei Husum.",
        "Meine Schwester Ana ist Anwältin und 38.",
        "Am Sonntag waren wir am Strand.",
    ),
    "zh": (
        "你好，我叫周敏，什么都还不熟。",
        "我今年四十一了。",
        "我在儿童医院当护士。",
        "我刚搬到成都。",
        "我是在绵阳附近的村子长大的。",
        "我姐姐周岚是北京的律师，三十八。",
        "周日我们去了海边。",
    ),
}
ASKED = {
    "en": ("What's my name?", "How old am I?", "What do I do for a living?", "Where do I live?",
           "Where did I grow up?"),
    "de": ("Wie heiße ich?", "Wie alt bin ich?", "Was mache ich beruflich?", "Wo wohne ich?",
           "Wo bin ich aufgewachsen?"),
    "zh": ("我叫什么名字？", "我多大了？", "我是做什么工作的？", "我住在哪里？", "我在哪里长大的？"),
}  # fmt: skip


@pytest.mark.parametrize("language", STATED)
def test_an_attribute_of_the_speaker_is_found_without_a_common_word(language: str) -> None:
    with graphmem.open(None, worker="none") as memory:
        for text in STATED[language]:
            memory.remember(text, speaker="user")
        for cue, answer in zip(ASKED[language], STATED[language], strict=False):
            assert memory.recall(cue)[0].text == answer, cue


@pytest.mark.parametrize("language", STATED)
def test_a_text_has_index_words_for_the_attributes_that_it_states(language: str) -> None:
    words = [[w for w in markers(text) if w not in (DAY, TURN)] for text in STATED[language]]
    assert words[:5] == [["=name"], ["=age"], ["=job"], ["=home"], ["=origin"]]
    assert words[5:] == [[], []]
    assert [[*asked_markers(cue)] for cue in ASKED[language]] == words[:5]


def test_a_corrected_text_is_found_by_its_new_attributes() -> None:
    """The index words of a form that goes are those that it had."""
    with graphmem.open(None, worker="none") as memory:
        (node,) = memory.remember("I'm 41 now.", speaker="user")
        assert memory.recall("How old am I?")
        memory.correct(node, "The shed is 41 now.")
        assert not memory.recall("How old am I?")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("We went to the beach on Sunday.", [DAY]),
        ("We went to the beach.", []),
        ("No wait, 8 pm.", [TURN]),
        ("Thursday, sorry.", [DAY, TURN]),
        ("40, not 25.", [TURN]),
        ("Make it 16 litres instead.", [TURN]),
        ("Nein, doch acht Uhr.", [TURN]),
        ("不对，是周四。", [DAY, TURN]),
        ("I did not like what they told us about the boiler in the cellar of the house.", []),
    ],
)
def test_days_and_turns_that_may_change_another_have_a_mark(text: str, wanted: list[str]) -> None:
    """A recall reads only marked texts to find them: without its mark none would be found."""
    assert markers(text) == wanted
