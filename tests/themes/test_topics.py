"""Groups of the map were called "20 April?" or nothing: a person would call them by a name."""

from graphmem.themes.topics import Topics

LAKE = [
    "We rowed on Lake Bled in the morning.",
    "The hotel at Lake Bled is full.",
    "I swam in Lake Bled on Sunday.",
    "Nobody knew that Lake Bled freezes.",
]
KILN = [
    "The kiln is cold.",
    "Who has the key of the kiln?",
    "I paid for the kiln, said Noor.",
    "Noor wants a second kiln beside the kiln.",
]
OTHER = [
    "It rained.",
    "Nobody came.",
    "Nobody called on Sunday.",
    "Tea again.",
    "Noor slept.",
    "I read.",
]
TEXTS = [*LAKE, *KILN, *OTHER]


def topics() -> Topics:
    return Topics(TEXTS, [("Lake Bled",)] * 4 + [()] * 10, ["Noor"])


def test_seeds_are_the_texts_of_one_name_or_noun() -> None:
    assert topics().seeds(9) == [(0, 1, 2, 3), (4, 5, 6, 7)]
    assert topics().seeds(1) == [(0, 1, 2, 3)]


def test_a_group_is_called_by_what_it_has_and_others_have_not() -> None:
    groups = [0] * 4 + [1] * 4 + [2] * 6
    # "Nobody" is no name, "Noor" has said what is told, "Sunday" says when.
    assert topics().names(groups, 3) == ["Lake Bled", "Kiln", ""]
    # Of two names the group has the one that more of it hold: "Lake Bled · Kiln" is nobody's.
    assert topics().names([0] * 8 + [1] * 6, 2) == ["Lake Bled", ""]
    strewn = [0, 1, 2] * 4 + [0, 1]
    assert set(topics().names(strewn, 3)) == {""}


def test_a_group_is_called_by_what_a_quarter_of_it_says() -> None:
    """ "Council" stood over twenty-six notes of which three were of it."""
    assert topics().names([0] * 14, 1) == ["Lake Bled"]
    more = Topics([*TEXTS, "It snowed.", "I ran.", "Tea."], [("Lake Bled",)] * 4 + [()] * 13, [])
    assert more.names([0] * 17, 1) == [""]
