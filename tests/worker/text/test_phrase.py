"""The phrase is the last thing known of a memory: empty or invented, the memory is gone or false."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.text.phrase import phrase
from graphmem_worker.text.words import script

TEXT = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            [
                "Wen moved it, ",
                "but ",
                "我们去北京，",
                "好。",
                "\n",
                "- ",
                " ",
                "…",
                "“",
                "longword" * 9,
                "😀",
            ]
        ),
        max_size=30,
    ).map("".join),
)


@given(TEXT)
def test_a_phrase_is_a_span_on_one_line(text: str) -> None:
    """A phrase that is not in the source is an invention; one with a line break tears the list it is shown in."""
    found = phrase(text)
    assert found.removesuffix("…") in text
    assert bool(found) == bool(text.strip())
    assert found == found.strip()
    assert len(found.splitlines()) <= 1
    assert len(found) <= (20 if script(text) == "cjk" else 60)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ""),
        ("ok", "ok"),
        ("...", "..."),
        (
            "Wen moved the release from May 3 to May 10.",
            "Wen moved the release from May 3 to May 10",
        ),
        ("Hi there! Thanks. Wen moved the release to May 10.", "Wen moved the release to May 10"),
        ("- but we decided to buy the house", "we decided to buy the house"),
        ("So is the soup.", "So is the soup"),
        ("So we moved to Ghent.", "we moved to Ghent"),
        ("李老师决定把会议改到周五下午三点。", "李老师决定把会议改到周五下午三点"),
        ("好的。谢谢。李老师把会议改到周五下午了。", "李老师把会议改到周五下午了"),
    ],
)
def test_the_clause_of_the_highest_salience_is_taken(text: str, wanted: str) -> None:
    """The first words of a chat are its greeting."""
    assert phrase(text) == wanted


def test_a_cut_falls_between_words() -> None:
    """Half a word, or half a number, is another word."""
    text = "The committee on international standardisation published recommendations about interoperability"
    found = phrase(text)
    assert 30 <= len(found) <= 60
    assert found.endswith("…")
    found = found.removesuffix("…")
    assert text[len(found)] == " "
    assert not found.endswith((" on", " about", " of", " the"))
    found = phrase("这个系统现在运行的是PostgreSQL数据库并且部署在上海的机房里面由运维团队负责")
    assert 10 <= len(found) <= 20
    assert "PostgreSQL" in found or "Postgre" not in found


def test_a_chinese_phrase_has_at_least_ten_characters() -> None:
    """ "好的" is no memory."""
    assert 10 <= len(phrase("我走了。你好吗。我们去吃饭。天气很好。")) <= 20


def test_a_phrase_never_joins_clauses_that_do_not_follow_each_other() -> None:
    """A clause too long to fit was skipped and a later one put behind the first: the phrase then
    said what the text never did."""
    text = "锂亚怕瞬间大电流，LoRa发射那一下有一百二十毫安，旁边得并个电容。丑话说前头，天一冷它会钝化。"
    assert phrase(text).removesuffix("…") in text
    journal = "行，先照一次性的做，三月以前有坏消息随时翻案。测量深度不动，还是10、20、40厘米三层。"
    assert phrase(journal).removesuffix("…") in journal


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("林青把发布改到了五月十日，因为审计还没有结束。", "五月十日"),
        ("龚总那边想约5月22号，我带阿依上门。", "5月22号"),
        ("从去年起一共欠了我们两千四百块钱的货款没有给。", "两千四百块"),
    ],
)
def test_no_number_or_date_is_cut_in_two(text: str, whole: str) -> None:
    """“五月” for the tenth of May is a wrong date, the worst thing to be left with."""
    for longest in range(5, 21):
        found = phrase(text, longest)
        assert whole in found or not any(whole[:k] in found for k in range(2, len(whole)))


def test_a_short_phrase_ends_at_a_clause_where_it_can() -> None:
    assert phrase("新娘子把话筒抢回去了，大家都看着她笑了一会儿。", 12) == "新娘子把话筒抢回去了"
    # What is left out would turn it round.
    assert phrase("新娘子把话筒抢回去了，但谁也没有在意这件事情。", 12) == "新娘子把话筒抢回去了…"
