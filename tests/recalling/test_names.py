"""Names that the cue and the memory write in different scripts."""

from collections import Counter
from collections.abc import Iterable

import pytest

import graphmem
from graphmem.recalling import names
from graphmem.recalling.candidates import Source
from graphmem.recalling.cue import Cue
from graphmem.recalling.names import addressed, meant, written
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


SAID = (
    ("汤丽", "我对花生过敏"), ("卢军", "我的车牌号是粤B52K81"), ("张伟", "我对虾过敏"), ("张敏", "我对芒果过敏"),
    ("高翔", "我养了一只八哥"), ("客服小林", "系统周五升级"), ("林芳", "我住在梧桐里"), ("客服", "高雄天气很好，小程序在首页"),
    ("Petra Keller", "My phone number is 0171 5550132"), ("Martin Voss", "I have asthma"),
    ("Emre Yilmaz", "Ich bin allergisch gegen Bienenstiche"), ("Uta von Berg", "Mein Sohn heißt Linus"),
)  # fmt: skip


def addressing(cue: str, said: Iterable[tuple[str, str]]) -> tuple[set[str], graphmem.Recall]:
    """The names for which a cue's forms of address stand, and what it brings back. said: speakers
    with their texts."""
    seen: list[Cue] = []

    def spy(source: Source, read: Cue) -> Cue:
        seen.append(addressed(source, read))
        return seen[-1]

    with graphmem.open(worker="none") as memory, pytest.MonkeyPatch.context() as patch:
        for speaker, text in said:
            memory.remember(text, speaker=speaker, session=speaker)
        patch.setattr(names, "addressed", spy)
        found = memory.recall(cue, use=False)
    return {name for one in seen[0].called for name in (one.written, *one.others)}, found


@pytest.mark.parametrize(
    ("cue", "others"),
    [
        ("汤女士对什么过敏？", {"汤丽"}),
        ("卢师傅的车牌号是多少？", {"卢军"}),
        ("小汤对什么过敏？", {"汤丽"}),
        ("张姐对什么过敏？", {"张伟", "张敏"}),
        ("汤女士和高总来吗？", {"汤丽", "高翔"}),
        ("What is the phone number of Mrs. Keller?", {"Petra Keller"}),
        ("What illness does Dr. Voss have?", {"Martin Voss"}),
        ("What is Mr. Tang allergic to?", {"汤丽"}),
        ("Wogegen ist Herr Yilmaz allergisch?", {"Emre Yilmaz"}),
        ("Wie heißt Frau Dr. von Bergs Sohn?", {"Uta von Berg"}),
        ("高雄天气好吗？", set()),
        ("高工资的岗位", set()),
        ("先生对什么过敏？", set()),
        ("王女士对什么过敏？", set()),
        ("小林说了什么？", set()),
        ("小程序在哪里？", set()),
        ("Dr. Martin", set()),
        ("We miss Voss", set()),
        ("Where is the keller, sir?", set()),
        ("Wo ist der Keller?", set()),
    ],
)
def test_a_form_of_address_means_the_speakers_of_the_surname(cue: str, others: set[str]) -> None:
    """Only the agent says 汤女士, and an allergy of 汤丽 was not found, or another's was told."""
    named, found = addressing(cue, SAID)
    assert named & {speaker for speaker, _ in SAID} == others
    assert not others or found[0].speaker in others


def test_a_form_of_address_alone_is_a_person() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("My son is called Idris.", speaker="Petra Keller")
        memory.remember("Good morning Mrs. Keller!", speaker="Agent Kim")
        assert "Idris" in memory.themes.about("Mrs. Keller", tokens=60).text


@pytest.mark.parametrize("cue", ["汤女士", "湯女士"])
def test_a_form_of_address_means_speakers_in_traditional_characters(cue: str) -> None:
    """汤 is no part of 湯麗 as it is written, so the form of address stood for nobody."""
    assert meant(cue, {"湯麗", "何靜"}) == ["湯麗"]
    with graphmem.open(worker="none") as memory:
        memory.remember("我養了一條狗叫旺財。", speaker="何靜", session="s")
        memory.remember("我養了一隻貓叫豆豆。", speaker="湯麗", session="s")
        found = memory.recall(f"{cue}养了什么？", use=False)
        assert found[0].speaker == "湯麗"
        assert found[0].score > 1.3 * found[1].score


@pytest.mark.parametrize("speakers", [6, 7])
def test_a_surname_of_more_than_six_speakers_names_nobody(speakers: int) -> None:
    said = [(f"{given} Keller", "I collect stamps.") for given in "ABCDEFG"[:speakers]]
    named, _ = addressing("What does Mrs. Keller collect?", said)
    assert len(named & {speaker for speaker, _ in said}) == (6 if speakers == 6 else 0)
