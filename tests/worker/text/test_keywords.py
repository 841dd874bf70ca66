"""Keywords are what is left of a forgotten memory: a word that is not in the text would be a false memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.text.keywords import keywords
from graphmem_worker.text.words import STOP_WORDS, words

TEXT = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                "Wen",
                "Ann Lee",
                "the",
                "release",
                "“引用”",
                "《书名》",
                "我",
                "数据库",
                "，",
                "。",
                ". ",
                " ",
                "May 3",
                "getUser",
                "😀",
                "\n",
                '"a b"',
            ]
        ),
        max_size=40,
    ).map("".join),
)


def fit_side_by_side(found: list[str], text: str) -> bool:
    """Whether each word has a place of its own in the text."""
    if not found:
        return True
    place = text.find(found[0])
    while place >= 0:
        if fit_side_by_side(
            found[1:], text[:place] + "\x00" * len(found[0]) + text[place + len(found[0]) :]
        ):
            return True
        place = text.find(found[0], place + 1)
    return False


@given(TEXT, st.integers(0, 6))
def test_keywords_are_spans_that_do_not_overlap(text: str, count: int) -> None:
    """Each keyword must be there to be seen, once, and must be findable by the index."""
    found = keywords(text, count=count)
    assert len(found) <= count
    assert len({word.casefold() for word in found}) == len(found)
    for word in found:
        assert word in text
        assert word.casefold() not in STOP_WORDS
        assert word == word.strip()
        assert words(word)
        assert len(word.splitlines()) == 1
    assert fit_side_by_side(found, text)


@given(TEXT, st.sampled_from([float("nan"), float("inf"), -1.0, 0.0, 3.0]))
def test_any_rarity_is_borne(text: str, value: float) -> None:
    """A rarity out of an index that is being rebuilt may be anything; it must not stop a `remember`."""
    assert all(word in text for word in keywords(text, lambda _: value))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Wen moved the release from May 3 to May 10.", {"Wen", "release", "May 10"}),
        (
            "Ann is allergic to cashews, but she loves peanut butter.",
            {"Ann", "cashews", "peanut butter"},
        ),
        ("The fix for `getUserName` is in src/main.py.", {"getUserName", "src/main.py"}),
        (
            'Thanks, Ann! Yesterday Tom Baker and I watched "Little Women".',
            {"Tom Baker", "Little Women"},
        ),
        ("李老师决定把会议改到周五，因为王经理出差了。", {"李老师", "王经理"}),
        ("我最近在读《百年孤独》，很喜欢。", {"百年孤独"}),
        ("我的数据库用的是PostgreSQL 15。", {"数据库", "PostgreSQL 15"}),
        ("你好，我叫张曼婷，很高兴认识你。", {"张曼婷"}),
        ("Меня зовут Иван Петров.", {"Иван Петров"}),
    ],
)
def test_keywords_name_what_a_text_is_about(text: str, wanted: set[str]) -> None:
    """A keyword that misses the name leaves "I once knew something about the and of"."""
    assert wanted <= set(keywords(text))


def test_the_rarest_comes_first() -> None:
    """What every memory says tells none of them apart."""
    rare = {"axolotl": 9.0}
    assert (
        keywords("we saw some water and some axolotl there", lambda word: rare.get(word, 1.0))[0]
        == "axolotl"
    )


def test_a_chinese_keyword_is_nothing_that_was_denied() -> None:
    """A gist said "固件默认 (掉过线)" of a firmware that had never lost its connection."""
    assert "掉过线" not in keywords("固件更新以后默认没掉过线，挺稳的")
    assert not any("硬翻" in word for word in keywords("水浸过的旧书不能硬翻，湖大的老师说过"))
    assert "掉过线" in keywords("固件更新以后掉过线")


def test_few_words_give_few_keywords() -> None:
    """Padding with stop words would make all short memories alike."""
    assert keywords("") == []
    assert keywords("is it so?") == []
    assert keywords("tea") == ["tea"]


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("老罗和小柯下周二跑一趟，三台全部打胶。", "老罗", "二跑"),
        ("测量深度不动，还是10、20、40厘米三层。", "测量深度", "厘米三层"),
        ("天线座里一进潮气，灵敏度就完蛋。", "天线座", "天线座里"),
        ("水泵是三点五巴，地下室会进水。", "地下室", "五巴"),
        ("早饭后吃六十毫克阿司匹林。", "阿司匹林", "克阿司匹林"),
        ("门店要搬只是谣言。", "门店", "搬只"),
        ("运动会就在新的目的地。", "目的地", "运动"),
    ],
)
def test_a_chinese_keyword_holds_no_end_of_a_number_or_a_place(
    text: str, good: str, bad: str
) -> None:
    found = keywords(text)
    assert good in found
    assert bad not in found
