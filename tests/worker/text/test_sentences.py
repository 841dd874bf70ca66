"""A memory is kept, shortened and shown by its sentences: a lost character is lost for good."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.text import sentences as module
from graphmem_worker.text.sentences import LONGEST_SENTENCE, clauses, segments, sentences

SIGNS = "ab .。!？\n\r\t\u2028\x00\x85\x0b\x0c'\"“”()（）-*1é😀\u200b\ufeff你好，、；…`#|:：~=—"
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
TEXT = st.one_of(
    ANY,
    st.text(st.sampled_from(SIGNS), max_size=120),
    st.lists(
        st.sampled_from(
            [
                "Wen left. ",
                "为什么？",
                "\n\n",
                "\n",
                "- one\n",
                "1. two\n",
                "```\nx. y\n```\n",
                "# Head\n",
                "“好。走吧。”",
                "e.g. ",
                "1,000",
                "但是",
            ]
        ),
        max_size=30,
    ).map("".join),
)


def visible(text: str) -> str:
    return "".join(text.split())


@given(TEXT)
def test_sentences_lose_nothing(text: str) -> None:
    """A sentence that is not a span of the source could neither be found again nor be undone."""
    pieces = sentences(text)
    assert "".join(pieces) == text
    assert all(len(piece) <= LONGEST_SENTENCE for piece in pieces)
    if text.strip():
        assert all(piece.strip() for piece in pieces)
        assert not any(piece[0].isspace() for piece in pieces[1:])


@given(TEXT)
def test_clauses_lose_nothing(text: str) -> None:
    """A shortened sentence made of clauses that are none of the source would be an invention."""
    pieces = clauses(text)
    assert "".join(pieces) == text
    assert all(pieces)


@given(TEXT, st.integers(1, 80))
def test_segments_cover_the_text_in_order(text: str, limit: int) -> None:
    """A character in no segment is never remembered; one in two is remembered twice."""
    groups = segments(text, limit)
    place = 0
    for group in groups:
        whole = "".join(group)
        assert whole
        assert whole == whole.strip()
        found = text.index(whole, place)
        assert not text[place:found].strip()
        place = found + len(whole)
    assert not text[place:].strip()


@given(
    st.lists(
        st.sampled_from(["Wen left. ", "Is it so? ", "我走了。", "为什么不来？"]), max_size=40
    ),
    st.integers(12, 60),
)
def test_segments_keep_the_limit_where_sentences_permit(parts: list[str], limit: int) -> None:
    """A segment above the limit costs the budget of every recall that meets it."""
    for group in segments("".join(parts), limit):
        assert len("".join(group)) <= limit


def test_a_splitter_that_loses_characters_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next version of sentencex may drop white space: the text must survive it."""
    monkeypatch.setattr(
        module, "segment", lambda _language, text: [part.strip() for part in text.split(".")]
    )
    text = "Wen left.  Ann stayed. 好的。走吧。"
    assert "".join(sentences(text)) == text
    assert sentences(text) == ["Wen left.  ", "Ann stayed. ", "好的。", "走吧。"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("   \n", ["   \n"]),
        ("  Hi there. Bye.", ["  Hi there. ", "Bye."]),
        (
            "Dr. Smith paid $3.50, e.g. for milk. It was late.",
            ["Dr. Smith paid $3.50, e.g. for milk. ", "It was late."],
        ),
        ('"Is it ok?" she said. Yes!', ['"Is it ok?" she said. ', "Yes!"]),
        ("Great! 😀", ["Great! 😀"]),
        (
            "他说：“今天不去了。明天再说。”然后走了！",
            ["他说：“今天不去了。明天再说。”", "然后走了！"],
        ),
        ("价格是3.5元；明天见……好。", ["价格是3.5元；", "明天见……", "好。"]),
        (
            "文说OK. 然后走了。Then Ann left. 好！",
            ["文说OK. ", "然后走了。", "Then Ann left. ", "好！"],
        ),
        ("Use `a. B. C` now. Done.", ["Use `a. B. C` now. ", "Done."]),
        ("wrapped\nprose goes on. End", ["wrapped\nprose goes on. ", "End"]),
        ("one\n\ntwo", ["one\n\n", "two"]),
        ("# Plan\nbody", ["# Plan\n", "body"]),
        ("Plan\n====\nbody", ["Plan\n====\n", "body"]),
        (
            "Buy:\n- a. b\n- c\n  d\n1. e\n• f\n一、苹果\n2、梨",
            ["Buy:\n", "- a. b\n", "- c\n  d\n", "1. e\n", "• f\n", "一、苹果\n", "2、梨"],
        ),
        (
            "See\n```py\nx = 1. Y\n\n- z\n```\nend",
            ["See\n", "```py\nx = 1. Y\n\n- z\n```\n", "end"],
        ),
        ("```\nnever closed. A\n\nB. C", ["```\nnever closed. A\n\nB. C"]),
        ("Wen: ok then\nAnn: fine", ["Wen: ok then\n", "Ann: fine"]),
        ("It works!\nreally", ["It works!\n", "really"]),
        ("- a\n  - b\n\n    c", ["- a\n  ", "- b\n\n    ", "c"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, wanted: list[str]) -> None:
    """Half a sentence is valued and dropped as if it were one."""
    assert sentences(text) == wanted


def test_a_text_without_ends_is_cut() -> None:
    """One "sentence" of a megabyte could never be shortened."""
    for text in (
        "word " * 2000,
        "字" * 5000,
        "x" * 5000,
        "a, b " * 2000,
        "👩‍👩‍👧" * 1000,
        " " * 5000 + "x",
    ):
        pieces = sentences(text)
        assert "".join(pieces) == text
        assert max(map(len, pieces)) <= LONGEST_SENTENCE
    assert all(piece.endswith(" ") for piece in sentences("word " * 2000))


def test_long_texts_take_time_in_proportion() -> None:
    """A text full of quotes once took time with the square of its length."""
    text = "“a。”" * 15_000
    assert "".join(sentences(text)) == text
    assert "".join(clauses(text)) == text
    assert len(segments("`a. " * 15_000)) > 1


def test_segments_of_blank_text_are_none() -> None:
    """A memory of nothing would take a slot and a place in focus."""
    assert segments("") == []
    assert segments(" \n\t ") == []
    assert segments("  a ") == [["a"]]
    with pytest.raises(ValueError, match="limit"):
        segments("a", 0)


def test_a_list_and_a_code_block_stay_whole() -> None:
    """Half a list of ingredients, or half a program, is wrong rather than short."""
    items = "".join(f"- ingredient number {n}\n" for n in range(20))
    code = "```py\n" + "print('a')\n" * 40 + "```"
    text = f"First some prose here. And more of it.\n\n{items}\n{code}\n\nThe end."
    groups = ["".join(group) for group in segments(text)]
    assert items.strip() in groups
    assert code in groups
    assert len(segments("- item of a very long list\n" * 100)) > 1


def test_segments_prefer_paragraphs_and_balance() -> None:
    """Greedy filling leaves a last segment of three words that means nothing alone."""
    first, second = "Wen moved the release to May. " * 4, "Ann is allergic to cashews. " * 4
    assert ["".join(group) for group in segments(f"{first}\n\n{second}")] == [
        first.strip(),
        second.strip(),
    ]
    lengths = [len("".join(group)) for group in segments("Ann is allergic to nuts. " * 9)]
    assert max(lengths) - min(lengths) <= 30
    headed = segments("Some prose. " * 12 + "\n\n# Plans for May\n\n" + "We go to Rome. " * 10)
    assert any(group[0].startswith("# Plans") and len(group) > 1 for group in headed)


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("", []),
        ("Short.", ["Short."]),
        (
            "It costs 1,000 dollars, or 3.5 at 10:30, maybe.",
            ["It costs 1,000 dollars, ", "or 3.5 at 10:30, maybe."],
        ),
        (
            "Wen (Tom, Ann, Bo) came but nobody saw it",
            ["Wen (Tom, Ann, Bo) came ", "but nobody saw it"],
        ),
        (
            'She said "well, no, thanks" because it rained',
            ['She said "well, no, thanks" ', "because it rained"],
        ),
        (
            "Run `a, b, c, d, e` first — then `x; y; z` again",
            ["Run `a, b, c, d, e` first — ", "then `x; y; z` again"],
        ),
        ("Well, I am not going there", ["Well, I am not going there"]),
        (
            "他说：“好，我们走吧”，时间是10：30，我没去",
            ["他说：“好，我们走吧”，", "时间是10：30，", "我没去"],
        ),
        ("我很喜欢这个但是太贵所以没买", ["我很喜欢这个", "但是太贵", "所以没买"]),
    ],
)
def test_clauses_end_at_separators(sentence: str, wanted: list[str]) -> None:
    """A cut inside a number, a quotation or code changes what was said."""
    assert clauses(sentence) == wanted


@pytest.mark.parametrize(
    "parts",
    [
        ("Am 14. Oktober zwischen 8 und 12 Uhr wird die Heizung gewartet. ", "Bitte öffnen."),
        ("Das Schreiben vom 28. ", "Nach Prüfung lehnen wir ab."),
        ("Das Schreiben vom 28. September ist da. ", "Danke."),
        ("Am 24. Dez. und vom 3. bis 5. Mai ist zu. ", "Gut."),
        ("Das gilt u. a. für Nr. 5, z. B. Äpfel, inkl. MwSt. ", "Ende."),
        ("Siehe S. 12 und Abs. 3 in Bd. 2. ", "Alles klar."),
        ("Am 14. 10. 2026 kommt er. ", "Der 3. Platz ist frei."),
        ("We have 20. ", "May I go?"),
        ("I like art. ", "He changed his mind. ", "She did not."),
        ("The winner was number 14. ", "September came early."),
        ("See Fig. 2 and approx. 20 more on Sept. 5. ", "Thanks."),
        ("The new landlady is Ms. Achterberg. ", "She is nice."),
        ("We pay 40 euros incl. VAT, and 3 doz. eggs. ", "Thanks."),
        ("Der Urlaub ist gebucht, 5. bis 19. August. ", "Schön."),
        ("Die Feier ist am Sa. 14 Uhr in Hausnr. 12 bei Fa. Krause. ", "Bis dann."),
        ("Das ist so. ", "14 Leute kamen."),
        ("A call takes 40 ms. ", "Then it ends."),
        ("This is all they do. ", "12 guests came."),
    ],
)
def test_the_stop_of_an_ordinal_or_abbreviation_ends_no_sentence(parts: tuple[str, ...]) -> None:
    """ "Am 14." was a sentence, and the month and all that was said of it another."""
    assert sentences("".join(parts)) == list(parts)
    assert sentences("\n".join(part.strip() for part in parts)) == [
        part.strip() + "\n" * (place < len(parts) - 1) for place, part in enumerate(parts)
    ]


@pytest.mark.parametrize(
    "parts",
    [
        ("Don't use context.Background() in handlers, take r.Context(). ", "It hides who cancels."),
        ("Avoid sync.Pool in the parser. ", "Not worth it."),
        ("We ship System.Text.Json only, no Newtonsoft.Json! ", "Ask Ada."),
        ("ASP.NET and list().First() are fine, user?.Name too. ", "Next."),
        ("Benutze nie Thread.Sleep im Test. ", "Nimm die falsche Uhr."),
        ("不要用sync.Pool做缓存。", "用 errors.New。"),
        ('He said "no." ', "Then he left."),
        ("他说OK.", "然后走了。"),
    ],
)
def test_a_dot_inside_a_word_ends_no_sentence(parts: tuple[str, ...]) -> None:
    """What was told of "Don't use context.Background()" was that it is used."""
    assert sentences("".join(parts)) == list(parts)


def test_a_line_that_ends_with_an_ordinal_goes_on() -> None:
    """A wrapped line is no end of a sentence."""
    assert len(sentences("Die Heizung wird am 14.\nOktober gewartet.")) == 1


@pytest.mark.parametrize("mark", ["一、", "（一）", "1. ", "1、", "① ", "• ", "- "])
def test_numbered_paragraphs_are_cut_as_paragraphs_and_a_list_is_not(mark: str) -> None:
    """A manual of eight became one segment of 750 characters, of which a recall tells the
    beginning: 6 of 20 questions were answered, and 20 without the numbers."""
    paragraph = "室外机须安装在通风良好的地方，距离墙面不少于三十厘米。不得安装在厨房油烟口附近。"
    paragraphs = [f"{mark}{paragraph * 2}" for _ in range(6)]
    assert max(len("".join(each)) for each in segments("\n".join(paragraphs))) <= 200
    rows = [f"{mark}室外机须安装在通风良好的地方" for _ in range(20)]
    assert len(segments("\n".join(rows))) == 1
