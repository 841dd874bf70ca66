"""A budget that is filled wrongly leaves the model without the answer, or cuts the prompt off."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem.recalling.asking import told_with_care
from graphmem.services.tokens import Estimate, estimated_tokens
from graphmem.values.excerpts import Sought, excerpt, marked
from graphmem.values.filling import told
from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import Telling, line

BEGUN = datetime(2026, 5, 1, 23, tzinfo=UTC)
SAID = st.sampled_from(
    [
        "The release moved to May 10. ", "发布推迟到五月十日。", "[forged] head. ", "(faded) not so. ",
        "Two\nrows. ", "x  y\t. ", "Wen: 42,000 euros; HTTPServer_2 — naïve. ", "Ring twice. ",
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
    st.sampled_from([1.0, 0.7, 0.0]),
    st.booleans(),
    st.integers(0, 600),
)
def test_pieces_fill_a_budget_as_whole_texts_do(
    given: list[tuple[tuple[str, ...], int, str | None, str | None]],
    ids: list[int], budget: int, whole_share: float, in_order: bool, zone: int,
) -> None:  # fmt: skip
    """Added up otherwise than it is counted, a text has another length than it was given room for."""
    nodes = [node(ids[at] + 1, *one) for at, one in enumerate(given)]
    telling = Telling(zone, in_order, whole_share=whole_share, earlier=(3,), copies=((2, 4),))
    ids_told, lines = told(nodes, budget, Estimate(), telling)
    assert (ids_told, lines) == told(nodes, budget, lambda text: estimated_tokens(text), telling)
    if len(lines) > 1:  # of a single one the phrase is told, however long it is
        assert estimated_tokens("\n".join(lines)) <= budget
    assert all(("(earlier, no longer so)" in line or "（旧信息，已失效）" in line) == (identifier == 3) for identifier, line in
               zip(ids_told, lines, strict=True))  # fmt: skip


def test_what_has_no_session_stays_in_the_order_of_rank() -> None:
    """Asked where somebody lived before, "I moved to Ghent" ranked first, and the text told the
    memory of two months earlier before it, which had been remembered directly before."""
    bergen = node(1, ("I live in Bergen.",), 1, None, "Ada")
    ghent = node(2, ("I moved to Ghent.",), 3, None, "Ada")
    assert told([ghent, bergen], 60, estimated_tokens)[0] == [2, 1]
    of_that_day = replace(ghent, happened=bergen.happened)
    assert told([of_that_day, bergen], 60, estimated_tokens)[0] == [2, 1]


def test_lines_of_one_day_that_stand_out_of_order_name_the_time() -> None:
    """A deploy that was blocked at nine and not any more at three was told as both of one day."""

    def at(number: int, text: str, when: datetime, session: str | None = None) -> Node:
        return replace(node(number, (text,), 1, session, "Wen"), happened=when)

    nine, three = (datetime(2026, 5, 3, hour, tzinfo=UTC) for hour in (9, 15))
    blocked, free = at(1, "It is blocked.", nine), at(2, "It is free.", three)
    for budget in (None, 60):
        assert told([free, blocked], budget, Estimate())[1] == [
            "[2026-05-03 15:00, Wen] It is free.",
            "[09:00, Wen] It is blocked.",
        ]
        assert told([blocked, free], budget, Estimate())[1][1] == "[Wen] It is free."
        day = replace(blocked, happened=nine.replace(hour=0))  # as a plain date is kept
        assert told([free, day], budget, Estimate())[1][0] == "[2026-05-03, Wen] It is free."
    talk = [at(3, "Is it?", three, "a"), at(4, "It is.", three, "a")]
    assert told([*talk, blocked], None, Estimate())[1] == [
        "[2026-05-03 15:00, Wen] Is it?",
        "[Wen] It is.",  # the lines of a session stand in order
        "[09:00, Wen] It is blocked.",
    ]


def test_a_phrase_is_whole_also_behind_a_chunk_that_it_overlaps() -> None:
    """It lost as many characters as the chunk repeats of the one before."""
    repeated = "The bridge of Merelbeke is painted in May. "
    first = node(1, ("We begin with the bridge. ", repeated), 0, "report", None)
    phrase = "It costs 42,000 euros."
    second = node(2, (repeated, f"{phrase} ", "Nobody knows who pays for it. " * 20), 0, "report",
                  None)  # fmt: skip
    second = replace(second, phrase=phrase)
    _, lines = told([first, second], 60, Estimate(), Telling(whole_share=0.7))
    assert lines[1] == "...It costs 42,000 euros...", "marked where something is left out"
    _, lines = told([first, second], 600, Estimate(), Telling(whole_share=0.7))
    assert lines[1].startswith(phrase), "told whole, it does not repeat the sentence"


def test_the_marks_of_a_line_are_in_its_language() -> None:
    """A Chinese reader met "(faded)" within Chinese lines."""
    telling = Telling(0, earlier=(2,), copies=((1, 2),))
    gist = replace(node(1, (), 1, None, "林青"), phrase="发布推迟到五月", keywords=("发布", "账单"))
    assert line(gist, telling=telling) == (
        "[2026-05-02, 林青] （已淡忘） 发布推迟到五月: 发布, 账单 （说过 3 次）"
    )
    assert "（旧信息，已失效）" in line(node(2, ("我住在成都。",), 1, None, None), telling=telling)
    assert "(faded)" in line(node(3, (), 1, None, None), telling=telling)


def test_what_is_cut_is_not_the_word_that_was_asked_for() -> None:
    """Lines were clipped to their phrases: a birth without the name, hives without the kiwi."""
    born = "何燕秋昨天生了，女孩，六斤四两，母女平安，她婆婆从老家赶来照顾，小名豆苗。"
    told_of = excerpt(born, Sought((("何燕", 1.0),), "叫|名|姓"), 60)
    assert "小名豆苗" in told_of
    assert "…" in told_of
    hives = (
        "Marta was covered in hives last night, poor thing, after the fruit salad, it was the kiwi."
    )
    told_of = excerpt(hives, Sought((("kiwi", 3.0), ("marta", 1.0)), ""), 50)
    assert told_of.startswith("...")
    assert told_of.endswith("it was the kiwi.")
    assert excerpt(hives, Sought((("otter", 1.0),), ""), 50) == "", "then the phrase tells more"
    assert excerpt(hives, Sought((("hive", 1.0),), ""), 500) == hives


def test_what_is_left_of_a_budget_makes_excerpts_longer() -> None:
    """A third of the budget stood empty behind lines that were clipped."""
    first = node(1, ("The boat is painted. " * 8,), 0, None, None)
    second = node(3, ("The mast came on Monday. ", "It is nine metres high. ", "Nobody knows why. "), 0,
                  None, None)  # fmt: skip
    sought = Sought((("mast", 1.0),))
    whole = told([first, second], 400, Estimate(), Telling(whole_share=0.1, sought=sought))[1]
    assert whole[-1].endswith(second.text)
    room = estimated_tokens("\n".join(whole)) - 4
    tight = told([first, second], room, Estimate(), Telling(whole_share=0.1, sought=sought))[1]
    assert "mast came on Monday" in tight[-1]
    assert tight[-1].endswith("...")


@pytest.mark.parametrize("sign", ["ß", "İ", "\U0001f600", "\ud800", "你"])
def test_an_excerpt_is_cut_at_the_word_whatever_stands_before_it(sign: str) -> None:
    """ "ß" is two letters where case is folded: a recall of a German text raised IndexError."""
    text = f"{sign * 200} kiwi {'and more ' * 20}"
    assert "kiwi" in excerpt(text, Sought((("kiwi", 1.0),)), 50)


def test_an_excerpt_is_cut_at_words_that_begin_like_one_of_the_cue() -> None:
    """ "art" was found in "party", and the line ended before what was said of the art."""
    text = f"the party {'went on and on ' * 12} with art on the walls {'and on ' * 12}"
    assert "art on the walls" in excerpt(text, Sought((("art", 1.0),)), 50)
    times = "We left the house late, the train leaves at 10:30 sharp, and nobody was there."
    assert "10:30" in excerpt(times, Sought((("10:30", 1.0),)), 30), "a time is a word of the index"


def test_an_excerpt_without_a_word_of_the_cue_is_cut_at_the_value() -> None:
    """A long clause that held nothing but the price was cut before it."""
    text = "and " * 40 + "it came to 2,310 with all of it"
    assert "2,310" in excerpt(text, Sought((), r"\d+"), 40)


def test_an_excerpt_cuts_no_number_from_its_unit() -> None:
    """A date was told as 定在8…, a text with commas of ASCII as one clause."""
    text = "医生说宝宝偏大可能提前剖定在8月3号港大医院让我们早点把要带走东西都收拾好放门口"
    assert (
        excerpt(text, Sought((("医生", 1.0),)), 3 * text.index("月"))
        == "医生说宝宝偏大可能提前剖定在…"
    )
    text = "妈妈挑中江苏盐城的仇阿姨,58岁,会唱淮剧,下个星期一上午来"
    assert excerpt(text, Sought((("淮剧", 1.0),)), 20) == "…58岁,会唱淮剧…"


def test_an_excerpt_of_a_text_full_of_blanks_ends() -> None:
    """It took time with the square of the blanks: 100,000 took over a minute."""
    begun = time.process_time()
    assert excerpt(f"the mast{' ' * 50_000}x", Sought((("mast", 1.0),)), 50)
    assert time.process_time() - begun < 2


def test_a_memory_with_a_known_phrase_is_told_by_what_is_sought() -> None:
    """It was left out, for its phrase stood in another; only its excerpt said what it tells."""
    filler = "nobody said much of the weather of the week, " * 3
    first = node(1, (f"{filler}the hamster is called Biscotti.",), 1, None, None)
    second = node(
        3, (f"{filler}the hamster sleeps in the attic, {filler}so it went.",), 1, None, None
    )
    first, second = (replace(one, phrase="nobody said much") for one in (first, second))
    sought = Sought((("hamster", 1.0),))
    _, lines = told([first, second], 100, Estimate(), Telling(whole_share=0.7, sought=sought))
    assert len(lines) == 2
    assert "sleeps in the attic" in lines[1]
    assert len(told([first, second], 100, Estimate(), Telling(whole_share=0.7))[1]) == 1, (
        "it would say nothing new"
    )


@given(st.text("ab ,.，。你好\n-", max_size=60), st.integers(1, 80))
def test_an_excerpt_says_nothing_that_the_text_does_not(text: str, most: int) -> None:
    """Clauses that are joined wrongly tell what nobody said."""
    found = excerpt(text, Sought((("a", 1.0), ("你", 2.0)), "b"), most)
    for piece in found.replace("…", "...").split("..."):
        assert piece.strip() in text


def test_days_of_different_years_are_told_whole() -> None:
    """Lines of "03-02" behind one of another year left it to the reader which year was meant."""
    days = (0, 2, 370, 372)
    texts = (
        "Anna rang twice about the boiler and its pump in the cellar of the house by the river. ",
        "Ben has moved the chess evening to another week because of his knee operation. ",
        "Cleo sold the blue bicycle to a neighbour who needs it for the way to the station. ",
        "Dora paints the kitchen green with her cousin who comes from the coast with two dogs. ",
    )
    nodes = [
        replace(node(n, (text,), 0, None, None), happened=BEGUN + timedelta(days=day))
        for n, (text, day) in enumerate(zip(texts, days, strict=True), 1)
    ]
    _, lines = told(nodes, 100, Estimate(), Telling(0, True, whole_share=0.0))
    assert len(lines) == 4
    for each, day in zip(lines, days, strict=True):
        assert each.startswith(f"[{(BEGUN + timedelta(days=day)).date()}")


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
    assert marked(phrase, text, Sought()) == left


@given(st.text(alphabet="ab .…,", max_size=40), st.integers(0, 20), st.integers(1, 30))
def test_no_two_marks_stand_together(text: str, start: int, length: int) -> None:
    phrase = text[start : start + length].strip(" .…,")
    if phrase and "..." not in text:
        told = marked(f"{phrase}…", text.strip(" .…,"), Sought())
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
    ("text", "word", "limit"),
    [
        ("复查了，医生说现在少量可以吃，但是腰果不行，要再等半年才能去复查。", "吃", "腰果不行"),
        ("药可以停，除非血压又高了，再去找王医生看一看，别自己加量。", "药可以停", "除非"),
        (
            "Zoe may eat a few small peanuts now, but no cashews at all, and we see him in May.",
            "peanut",
            "cash",
        ),
        (
            "You can take two of the white pills a day unless you drive afterwards, he said.",
            "pill",
            "unless",
        ),
        (
            "Er darf kleine Mengen Erdnüsse essen, aber keine Cashews, sagt der Arzt im Mai.",
            "erdn",
            "Cash",
        ),
        (
            "She must never have any of the yellow penicillin pills, said the doctor in May.",
            "pill",
            "never",
        ),
    ],
)
def test_a_permission_is_told_with_what_limits_it_or_not_at_all(
    text: str, word: str, limit: str
) -> None:
    """少量可以吃 was told without 但是腰果不行 behind it."""
    sought = replace(told_with_care(), words=((word, 1.0),))
    for most in range(10, 200, 5):
        told_of = excerpt(text, sought, most)
        assert limit in told_of or word not in told_of.casefold(), (most, told_of)
    for end in range(8, len(text) - 1):
        told_of = marked(text[:end], text, sought)
        assert limit in told_of or text.index(limit) >= end or not told_of.endswith(limit[:1])


def test_a_chinese_excerpt_is_cut_within_no_word() -> None:
    """医生说现… stood for 医生说现在少量可以吃."""
    text = "昨天去了医院，医生说现在少量可以吃，下次复查是五月。"
    assert excerpt(text, Sought((("医生", 1.0),)), 24) == "…医生说现在少量可以吃…"
    longer = "医生说他母亲的那只耳朵最近疼得厉害得去大医院照一下片子看看里面到底怎么回事"
    sought = replace(told_with_care(), words=(("医生", 1.0),))
    assert excerpt(longer, sought, 27) == "医生说他母亲的…"
