"""Forms that cannot lie: what is left of a text never says something else than the text."""

import pytest

import graphmem
from bench.forms import faults
from graphmem_worker.text.keywords import keywords
from graphmem_worker.text.particulars import is_particular
from graphmem_worker.text.phrase import clause, phrase
from graphmem_worker.text.selection import shorten

CALLED_OFF = (
    "The trip to Lisbon is booked for the last week of May, with Wen and Ada. Lisbon is off.",
    "去里斯本的机票订好了，五月最后一周走，林青和小柯一起去。里斯本取消了。",
)


def forms(text: str) -> list[str]:
    """What is told of a text at each size, until it is gone."""
    with graphmem.open(worker="none") as memory:
        (node,) = memory.remember(text)
        for k in range(5):
            memory.remember(f"Chatter number {k}.", pin=True)
        said = []
        for _ in range(12):
            if node.id not in memory:
                break
            said.append(memory[node].text or memory[node].phrase)
            memory.admin.shrink(memory.admin.stats()["text_bytes"] - 1)
        return list(dict.fromkeys(said))


@pytest.mark.parametrize("text", CALLED_OFF)
def test_what_was_called_off_is_not_told_as_booked(text: str) -> None:
    """ "Lisbon is off." went before "Trip to Lisbon booked"."""
    for said in forms(text):
        assert ("booked" not in said and "订好" not in said) or "off" in said or "取消" in said


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("客服机器人上个月接待一万两千通电话，投诉少了一半，大家都挺高兴的。", "一万两千"),
        (
            "The pump moves twenty-five litres a minute, which is what the manual of 1998 says.",
            "25",
        ),
    ],
)
def test_a_number_is_whole_or_not_there(text: str, number: str) -> None:
    """接待一万两千通 became 接待一万."""
    parts = {number[:place] for place in range(1, len(number))}
    for said in (*forms(text), *keywords(text), phrase(text), phrase(text, 12)):
        assert not any(said.removesuffix("…").endswith(part) for part in parts)
        assert not set(faults(said, text, whole=False)) & {"number", "word"}


@pytest.mark.parametrize(
    "sentence",
    [
        "The office has moved to the third floor of the mill, but the sign at the door has not.",
        "We meet at the chapel on Friday at nine, unless it rains in the morning.",
        "周五九点在教堂门口集合，一起坐车去郊外的农场，除非早上下雨。",
        "体检报告说各项指标都正常，可是血压那一项没有测，要再去一次。",
    ],
)
def test_no_denial_or_condition_is_left_out(sentence: str) -> None:
    """Half of such a sentence says the opposite, or more than was said."""
    for longest in (20, 40, 60):
        part = clause(sentence, longest)
        assert not part or not set(faults(part, sentence, whole=True))
    for threshold in (0.0, 1.0, 9.0):
        left = shorten(sentence, 5.0, lambda part, t=threshold: 10.0 * (len(part) > t * 3))
        assert left is None or not set(faults(left, sentence, whole=True))


def test_a_phrase_that_is_cut_says_so() -> None:
    """Without it the rest of the sentence seems never to have been there."""
    text = "The committee on international standardisation published recommendations about this"
    assert phrase(text).endswith("…")
    assert len(phrase(text)) <= 60
    assert not phrase("Wen moved the release from May 3 to May 10.").endswith("…")


def test_one_word_is_no_gist() -> None:
    """ "Sunday", "SSO" and 毛球扭 told nobody anything."""
    assert "毛球扭" not in keywords("小猫被毛球扭伤了脚。")
    assert "普通话识" not in keywords("普通话识别的准确率到了九成。")
    for said in forms(
        "Sunday would be so much better for the two of them, wouldn't it, than Monday?"
    ):
        assert len(said.split()) > 1


@pytest.mark.parametrize(
    ("sentence", "is_one"),
    [
        ("Dad was born on 3 November 1951.", True),
        ("My passport number is X48213077.", True),
        ("The dog's chip number ends in 882.", True),
        ("我的工号是20417。", True),
        ("Is my passport number X48213077?", False),
        ("My day was so good that I stayed.", False),
        ("It's a lovely photo of the two of you.", False),
        ("希望你生日快乐。", False),
    ],
)
def test_particulars_are_told_from_talk(sentence: str, is_one: bool) -> None:
    """A birthday is told once; nobody asks until the day has come, and then it was gone."""
    assert is_particular(sentence) is is_one
