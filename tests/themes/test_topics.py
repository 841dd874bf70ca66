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
    return Topics(TEXTS, [("Lake Bled",)] * 4 + [()] * 10, ["Noor", *[None] * 13])


def test_groups_are_the_texts_of_one_name_or_noun_then_of_one_person() -> None:
    assert topics().groups(9) == [(0, 1, 2, 3), (4, 5, 6, 7)]
    assert topics().groups(1) == [(0, 1, 2, 3)]
    texts = [f"It is number {n}." for n in range(11)]
    texts[4], texts[5] = "I asked Bo.", "I asked Ada."
    speakers = [*["Wen"] * 6, *["Ada"] * 3, *["Bo"] * 2]
    # Too few are left of Bo, so what names him is of who said it; what names Ada is of her.
    assert Topics(texts, [()] * 11, speakers).groups(9) == [(5, 6, 7, 8), (0, 1, 2, 3, 4)]


def test_three_of_many_texts_that_share_a_noun_are_no_group() -> None:
    """Half of the circles held three notes, of "Rolling" or "Lock"; what has a name may be few."""
    kilns, lakes = TEXTS[:8], [text.replace("Lake Bled", "the kettle") for text in LAKE]
    others = [f"It is number {n}." for n in range(92)]
    assert Topics([*kilns, *lakes[:3]], [()] * 11, [None] * 11).groups(9)[-1] == (8, 9, 10)
    told = Topics([*kilns, *lakes[:3], *others], [()] * 103, [None] * 103).groups(9)
    assert told == [(0, 1, 2, 3)]


def test_what_a_sample_leaves_out_is_of_the_names_that_it_says() -> None:
    """Of large memories a part was read; the others lay where they were most alike."""
    texts = [f"Note {n} tells of {'Lake Bled' if n % 20 < 3 else 'nothing'}." for n in range(2400)]
    texts[1201] = "We sold the oven."
    told = Topics(texts, [()] * 2400, [None] * 2400)
    (lake,) = told.groups(1)
    assert lake == tuple(n for n in range(2400) if "Lake Bled" in texts[n])


def test_a_group_is_called_by_what_it_has_and_others_have_not() -> None:
    groups = [0] * 4 + [1] * 4 + [2] * 6
    # "Nobody" is no name, "Noor" has said what is told, "Sunday" says when.
    assert topics().names(groups, 3) == ["Lake Bled", "Kiln", ""]
    # Of two names the group has the one that more of it hold: "Lake Bled · Kiln" is nobody's.
    assert topics().names([0] * 8 + [1] * 6, 2) == ["Lake Bled", ""]
    strewn = [0, 1, 2] * 4 + [0, 1]
    assert set(topics().names(strewn, 3)) == {""}


def test_a_group_is_called_by_what_half_of_it_say() -> None:
    """The name "Van" stood over twelve notes of which three were of it."""
    assert topics().names([0] * 14, 1) == [""], "no half of it says one name"
    assert topics().names([0] * 4 + [1] * 10, 2) == ["Lake Bled", ""]


def test_a_group_without_a_term_is_called_by_a_person() -> None:
    """Half of the groups had no name, the largest among them."""
    said = ["It rained.", "Tea again.", "I read.", "We rest.", "Wen slept."]
    texts = [*said, "It is late.", "Who was it?", "They left.", "Why not?", "All gone."]
    told = Topics(texts, [()] * 10, [*["Wen"] * 4, "Ada", *["Ada"] * 5])
    assert told.names([0] * 5 + [1] * 5, 2) == ["Wen", "Ada"]
    assert Topics(texts, [()] * 10, ["Wen"] * 10).names([0] * 10, 1) == [""], "that tells nothing"


def test_no_two_groups_have_one_name() -> None:
    """Two circles called "Priya" cannot be told apart."""
    texts = [f"{what} on day {n}." for n, what in enumerate(["It rained", "Tea"] * 5)]
    told = Topics(texts, [()] * 10, ["Wen"] * 8 + ["Ada"] * 2)
    assert sorted(told.names([0] * 4 + [1] * 4 + [2] * 2, 3)) == ["", "", "Wen"]


def test_no_group_is_called_by_several() -> None:
    """ "Ada · Gus" stood over what three people had said: most of it was of neither."""
    texts = [f"It is number {n}." for n in range(24)]
    speakers = [*["Gus"] * 3, *["Ada"] * 3, *["Wen"] * 3, "Bo", *["Cleo"] * 14]
    told = Topics(texts, [()] * 24, speakers)
    assert told.names([0] * 10 + [1] * 14, 2) == ["", "Cleo"]


def test_what_says_nothing_of_its_group_is_of_whom_it_names() -> None:
    """A note that somebody owes a coin toss stood in the circle of coffee."""
    groups = [0] * 4 + [1] * 4 + [0, 1, *[2] * 4]
    told = topics().strays(groups, 2)
    assert told == dict.fromkeys(range(8, 14)), "they name no group"
    groups[13] = 3
    assert 13 not in topics().strays(groups, 4), "nor does the name of theirs say anything"
    assert topics().strays([0] * 3 + [1] * 5 + [2] * 6, 2)[3] == 0, "it names the lake"
