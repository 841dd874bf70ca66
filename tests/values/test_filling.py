"""A budget that is filled wrongly leaves the model without the answer, or cuts the prompt off."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem.recalling.asking import limits
from graphmem.services.tokens import Estimate, estimated_tokens
from graphmem.values.filling import filled
from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import Layout, line
from graphmem.values.shortening import marked

_EARLIER = "(earlier, no longer so)", "（旧信息，已失效）", "(früher, gilt nicht mehr)"
BEGUN = datetime(2026, 5, 1, 23, tzinfo=UTC)
SAID = st.sampled_from(
    [
        "The release moved to May 10. ", "发布推迟到五月十日。", "[forged] head. ", "(faded) not so. ",
        "Two\nrows. ", "x  y\t. ", "Wen: 42,000 euros; HTTPServer_2 — naïve. ", "Ring twice. ",
        "(verblasst) nicht mehr. ", "Die Abgabe ist am zehnten Mai. ",
    ]
)  # fmt: skip


def node(
    number: int, sentences: tuple[str, ...], day: int, session: str | None, speaker: str | None
) -> Node:
    text = "".join(sentences).strip()
    return Node(
        number, text, (sentences or ("a gist",))[-1].strip()[:20], ("release", "May"), speaker,
        BEGUN + timedelta(days=day, hours=-number) if day % 2 else None, session, BEGUN, 0, None, False, 1,
        Form.WHOLE if sentences else Form.GIST, 1.0, sentences,
    )  # fmt: skip


NODES = st.lists(
    st.builds(
        lambda *given: given,
        st.lists(SAID, max_size=4).map(tuple),
        st.integers(0, 3),
        st.sampled_from(["a", "b", None]),
        st.sampled_from(["Wen", "[Iris]", None]),
    ),
    max_size=12,
)


@given(
    NODES,
    st.permutations(range(12)),
    st.integers(0, 300),
    st.booleans(),
)
def test_pieces_fill_a_budget_as_whole_texts_do(
    given: list[tuple[tuple[str, ...], int, str | None, str | None]],
    ids: list[int], budget: int, in_order: bool,
) -> None:  # fmt: skip
    """Added up otherwise than it is counted, a text has another length than it was given room for."""
    nodes = [node(ids[at] + 1, *one) for at, one in enumerate(given)]
    layout = Layout(in_order, earlier=(3,), copies=((2, 4),))
    ids_told, lines = filled(nodes, budget, Estimate(), layout)
    assert (ids_told, lines) == filled(nodes, budget, lambda text: estimated_tokens(text), layout)
    if len(lines) > 1:  # of a single one the phrase is told, however long it is
        assert estimated_tokens("\n".join(lines)) <= budget
    assert all(any(mark in line for mark in _EARLIER) == (identifier == 3) for identifier, line in
               zip(ids_told, lines, strict=True))  # fmt: skip


def test_what_has_no_session_stays_in_the_order_of_rank() -> None:
    """Asked where somebody lived before, "I moved to Ghent" ranked first, and the text told the
    memory of two months earlier before it, which had been remembered directly before."""
    bergen = node(1, ("I live in Bergen.",), 1, None, "Ada")
    ghent = node(2, ("I moved to Ghent.",), 3, None, "Ada")
    assert filled([ghent, bergen], 60, estimated_tokens)[0] == [2, 1]
    of_that_day = replace(ghent, happened=bergen.happened)
    assert filled([of_that_day, bergen], 60, estimated_tokens)[0] == [2, 1]


def test_lines_of_one_day_that_stand_out_of_order_name_the_time() -> None:
    """A deploy that was blocked at nine and not any more at three was told as both of one day."""

    def at(number: int, text: str, when: datetime, session: str | None = None) -> Node:
        return replace(node(number, (text,), 1, session, "Wen"), happened=when)

    nine, three = (datetime(2026, 5, 3, hour, tzinfo=UTC) for hour in (9, 15))
    blocked, free = at(1, "It is blocked.", nine), at(2, "It is free.", three)
    for budget in (None, 60):
        assert filled([free, blocked], budget, Estimate())[1] == [
            "[2026-05-03 15:00, Wen] It is free.",
            "[09:00, Wen] It is blocked.",
        ]
        assert filled([blocked, free], budget, Estimate())[1][1] == "[Wen] It is free."
        day = replace(blocked, happened=nine.replace(hour=0))  # as a plain date is kept
        assert filled([free, day], budget, Estimate())[1][0] == "[2026-05-03, Wen] It is free."
    talk = [at(3, "Is it?", three, "a"), at(4, "It is.", three, "a")]
    assert filled([*talk, blocked], None, Estimate())[1] == [
        "[2026-05-03 15:00, Wen] Is it?",
        "[Wen] It is.",  # the lines of a session stand in order
        "[09:00, Wen] It is blocked.",
    ]


def test_lines_behind_the_remark_name_the_time_if_they_are_earlier() -> None:
    """An earlier turn of a talk stood below a later one, and nothing said so."""
    with graphmem.open(None, worker="none") as memory:
        for hour, text in enumerate(("The oven is on.", "Rui rang.", "The bread is in the oven.")):
            memory.remember(text, session="s", happened=BEGUN - timedelta(hours=9 - hour))
        nodes = [*memory.nodes()]
    nodes = sorted(nodes, key=lambda each: each.id)
    _, lines = filled([nodes[2], nodes[0]], None, estimated_tokens, Layout(likely=1))
    assert [row[:18] for row in lines] == ["[2026-05-01 16:00]", "[2026-05-01 14:00]"]


def test_turns_of_a_session_that_are_left_out_leave_a_sign() -> None:
    """ "Deal." behind a bet of ten turns earlier was read as the reply to it."""
    said = [
        replace(node(number, (text,), 2, session, by), happened=None)
        for number, text, session, by in [
            (1, "I bet ten euros.", "a", "Wen"), (2, "On what?", "a", "Iris"),
            (7, "Deal.", "a", "Iris"), (9, "No talk.", None, "Iris"), (11, "Nor this.", None, "Iris"),
        ]
    ]  # fmt: skip
    assert filled(said, None, Estimate())[1] == [
        "[2026-05-01, Wen] I bet ten euros.",
        "[Iris] On what?",
        "[…, Iris] Deal.",
        "[Iris] No talk.",
        "[Iris] Nor this.",
    ]


def test_a_chunk_does_not_repeat_the_sentences_of_the_one_before() -> None:
    repeated = "The bridge of Merelbeke is painted in May. "
    first = node(1, ("We begin with the bridge. ", repeated), 0, "report", None)
    second = node(2, (repeated, "It costs 42,000 euros. ", "Nobody pays. "), 0, "report", None)
    for budget in (None, 600):
        _, lines = filled([first, second], budget, Estimate())
        assert lines[1] == "It costs 42,000 euros. Nobody pays."


def test_the_marks_of_a_line_are_in_its_language() -> None:
    """A Chinese reader met "(faded)" within Chinese lines."""
    layout = Layout(earlier=(2,), copies=((1, 2),))
    gist = replace(node(1, (), 1, None, "林青"), phrase="发布推迟到五月", keywords=("发布", "账单"))
    assert line(gist, layout=layout) == (
        "[2026-05-02, 林青] （已淡忘） 发布推迟到五月: 发布, 账单 （说过 3 次）"
    )
    assert "（旧信息，已失效）" in line(node(2, ("我住在成都。",), 1, None, None), layout=layout)
    assert "(faded)" in line(node(3, (), 1, None, None), layout=layout)


@pytest.mark.parametrize(
    ("phrase", "text", "left"),
    [
        # A phrase that was cut within a clause ends in "…" and had "..." behind it.
        ("The kiln in the shed…", "The kiln in the shed is broken.", "The kiln in the shed..."),
        ("The kiln in the shed…", "It is gone.", "The kiln in the shed..."),
        ("It was warm", "We left… It was warm… and dry.", "...It was warm..."),
        ("We met…", "We met… then we left.", "We met..."),
        ("We met…", "We met…", "We met…"),
        ("棚子里的窑…", "棚子里的窑坏了。", "棚子里的窑…"),
    ],
)
def test_what_is_left_out_is_marked_once(phrase: str, text: str, left: str) -> None:
    assert marked(phrase, text, "") == left


@given(st.text(alphabet="ab .…,", max_size=40), st.integers(0, 20), st.integers(1, 30))
def test_no_two_marks_stand_together(text: str, start: int, length: int) -> None:
    phrase = text[start : start + length].strip(" .…,")
    if phrase and "..." not in text:
        told = marked(f"{phrase}…", text.strip(" .…,"), "")
        assert "…..." not in told
        assert "...…" not in told


def test_what_is_left_out_of_the_best_is_marked() -> None:
    """A text that ended before "Wait, no, it's at ten" read as if nothing came behind."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember(
            "The meeting is on December 1 at nine. Wait, no, it's at ten. Priya just told me so."
        )
        text = memory.recall("When is the meeting?", tokens=25, use=False).text
    assert text.endswith("The meeting is on December 1 at nine...")


@pytest.mark.parametrize(
    ("text", "permitted", "limit"),
    [
        ("复查了，医生说现在少量可以吃，但是腰果不行，要再等半年才能去复查。", "可以吃", "腰果不"),
        ("药可以停，除非血压又高了，再去找王医生看一看，别自己加量。", "药可以停", "除非血压"),
        (
            "Zoe may eat a few small peanuts now, but no cashews at all, and we see him in May.",
            "may eat a few small peanuts",
            "cash",
        ),
        (
            "You can take two of the white pills a day unless you drive afterwards, he said.",
            "take two of the white pills",
            "unless you",
        ),
        (
            "Er darf kleine Mengen Erdnüsse essen, aber keine Cashews, sagt der Arzt im Mai.",
            "kleine Mengen Erdnüsse essen",
            "Cash",
        ),
        (
            "She must never have any of the yellow penicillin pills, said the doctor in May.",
            "have any of the yellow",
            "never",
        ),
    ],
)
def test_a_permission_is_told_with_what_limits_it_or_not_at_all(
    text: str, permitted: str, limit: str
) -> None:
    """少量可以吃 was told without 但是腰果不行 behind it."""
    starts = (at for at in range(20) if not at or not text[at - 1].isalnum() or text[at] > "一")
    for start in starts:
        for end in range(start + 8, len(text)):
            told_of = marked(text[start:end], text, limits())
            assert permitted not in told_of or limit in told_of, told_of
    assert marked(text, text, limits()) == text
