"""Names that the cue and the memory write in different scripts."""

from collections import Counter

import pytest

import graphmem
from graphmem.recalling.names import written
from graphmem_worker.text.words import words

HELD = Counter(
    word
    for text in (
        "张伟明天来", "小明的书包", "徐兰英说", "一禾", "高原去青岛", "欧阳静开会", "吕霞的", "女人们都在",
        "小顾请假", "老朱送货",
        "给方老师留茶", "魏先生涨租", "尉先生的电话", "陆姐来查库存", "阿依古丽做馕", "Lanying is here", "The women danced", "Lin Qing is late",
    )
    for word in words(text)
)  # fmt: skip


@pytest.mark.parametrize(
    ("cue", "found"),
    [
        ("Where is Zhang Wei?", {"张伟"}),
        ("Did Wei Zhang call?", {"张伟"}),
        ("Who is Xiaoming’s teacher?", {"小明"}),
        ("What did Xu Lanying say?", {"徐兰", "兰英"}),
        ("Yihe and Gao Yuan", {"一禾", "高原"}),
        ("a trip to Qingdao", {"青岛"}),
        ("Did Ouyang Jing agree?", {"欧阳", "阳静"}),
        ("Lü Xia", {"吕霞"}),
        ("When does Xiao Gu marry?", {"小顾"}),
        ("Call Lao Zhu", {"老朱"}),
        ("What may Teacher Fang not eat?", {"方老"}),
        ("What did Mr. Wei ask for?", {"魏先", "尉先"}),
        ("Was will Herr Wei?", {"魏先", "尉先"}),
        ("When does sister Lu come?", {"陆姐"}),
        ("Is Ayiguli there?", {"阿依", "依古", "古丽"}),
        ("Mr Wells and Teacher Smith", set()),
        ("Alice, Ali and Eli", set()),
        ("兰英今天来吗", set(words("Lanying"))),
        ("林青今天来吗", {"lin", "qing"}),
        ("Women are long", set()),
        ("where is zhang wei", set()),
        ("Where did Caroline go in Canada?", set()),
        ("Wei?", set()),
        ("", set()),
    ],
)
def test_a_name_is_looked_up_as_the_memory_writes_it(cue: str, found: set[str]) -> None:
    """Nobody writes a Chinese name in Chinese within an English question."""
    met = written(cue, lambda word: HELD[word])
    assert {word for held in met.values() for word in held} == found


def test_a_recall_meets_a_name_in_the_other_script() -> None:
    """Without vectors, text in the other language was not found at all."""
    with graphmem.open(worker="none") as memory:
        memory.remember("小明的书包是蓝色的。")
        memory.remember("雨下了一整天。", speaker="张伟")
        memory.remember("The office is closed on Friday.")
        memory.remember("Guoliang can't have peanuts.")
        assert memory.recall("What colour is Xiaoming's bag?", use=False)[0].text[:2] == "小明"
        assert memory.recall("What did Zhang Wei say?", use=False)[0].speaker == "张伟"
        assert memory.recall("国良对什么过敏？", use=False)[0].text.startswith("Guoliang")


@pytest.mark.parametrize("word", ["Xian" + "xian" * 16, "Ha" + "ha" * 1500])
def test_a_long_word_is_no_name(word: str) -> None:
    """A capitalised word was split into syllables in every way: seconds, and for a long one an
    error of recursion out of `recall`."""
    tried = Counter[str]()
    assert written(f"Who is {word}", lambda pair: tried.update([pair]) or 0) == {}
    assert not tried
    assert written("Who is Xiaoming", HELD.__getitem__) == {"xiaom": ("小明",)}
