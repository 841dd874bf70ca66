"""Prevents: "Who is my dentist?" is answered, surely, with Tom's dentist."""

import pytest

import graphmem

_OTHERS = (
    "The bins are emptied on Tuesdays.", "We painted the fence green.", "The train was late again.",
    "It rained all weekend.", "The heating makes odd noises.", "Bought bread and two lemons.",
    "围栏刷成了绿色。", "垃圾周二收。", "暖气有怪声。", "整个周末都在下雨。", "火车又晚点了。",
    "Die Tonne wird dienstags geleert.", "Es hat das ganze Wochenende geregnet.",
    "Der Zaun ist jetzt grün.", "Die Heizung macht komische Geräusche.", "Der Zug kam zu spät.",
)  # fmt: skip


@pytest.fixture
def memory() -> graphmem.Memory:
    memory = graphmem.open(worker="none")
    for text in _OTHERS:
        memory.remember(text)
    return memory


@pytest.mark.parametrize(
    ("told", "own", "other"),
    [
        ("Tom's dentist is Dr. Moss.", "Who is Tom's dentist?", "Who is my dentist?"),
        ("Ben's swimming lesson is at four.", "When is Ben's swimming lesson?",
         "When is Emma's swimming lesson?"),
        ("My passport expires in May.", "When does my passport expire?",
         "When does Tom's passport expire?"),
        ("My sister rides a green bicycle.", "Which bicycle does my sister ride?",
         "Which bicycle does my brother ride?"),
        ("Bens Schwimmkurs beginnt um vier.", "Wann beginnt Bens Schwimmkurs?",
         "Wann beginnt Emmas Schwimmkurs?"),
        ("Mein Reisepass läuft im Mai ab.", "Wann läuft mein Reisepass ab?",
         "Wann läuft Toms Reisepass ab?"),
        ("小林的牙医是莫大夫。", "小林的牙医是谁？", "我的牙医是谁？"),
        ("我妹妹骑绿色的自行车。", "我妹妹骑什么自行车？", "我弟弟骑什么自行车？"),
    ],
)  # fmt: skip
def test_what_is_told_of_another_is_no_sure_answer(
    memory: graphmem.Memory, told: str, own: str, other: str
) -> None:
    memory.remember(told)
    found = memory.recall(own, cut="strict", use=False)
    assert [hit.text for hit in found] == [told]
    assert memory.recall(other, use=False).answered < found.answered / 2
    assert not memory.recall(other, cut="strict", use=False)


def test_among_few_memories_another_is_no_strict_answer_either() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("Tom's dentist is Dr. Moss.")
        assert memory.recall("Who is Tom's dentist?", cut="strict", use=False)
        assert not memory.recall("Who is my dentist?", cut="strict", use=False)


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Lena starts school in August.", "When does my daughter start school?"),  # she may be Lena
        ("She has a dentist in Hull.", "Where is Tom's dentist?"),
        ("Jonas has his birthday on 9 May, we celebrate on the 7th.", "When is Jonas's birthday?"),
        ("Our car has winter tyres.", "Does my car have winter tyres?"),
        ("Emma hat um vier Schwimmkurs.", "Wann hat Emmas Schwimmkurs begonnen?"),
        ("过年这些天霜哨响了十一回，我昨晚把报警线降到1℃。", "叶面温度低到多少，霜哨才会响？"),
        ("小禾最爱吃番茄牛腩。", "小禾爱吃什么？"),
        ("阿凯去成都的航班是三月二十一号。", "阿凯飞成都是哪天？"),
        ("苏敏带孩子去了动物园。", "谁带孩子去了动物园？"),  # 苏敏带 has no child
        ("林浩陪妈妈去了医院。", "林浩去了哪儿？"),
    ],
)
def test_what_may_be_of_the_one_asked_about_loses_nothing(
    memory: graphmem.Memory, told: str, asked: str
) -> None:
    memory.remember(told)
    first = memory.recall(asked, use=False)[0]
    assert first.text == told
    assert "lacks" not in first.parts


@pytest.mark.parametrize(
    ("speaker", "told", "asked"),
    [
        ("Jonas", "I drive a grey Skoda.", "What car does Jonas drive?"),
        ("Emily", "Our dog Bello is nine years old.", "How old is Emily's dog?"),
        ("Boris", "My sister teaches the piano.", "What does Boris's sister teach?"),
        ("Jonas", "My phone number is 0151 23456789.", "What is Jonas's phone number?"),
        ("Jonas", "Ich fahre einen grauen Skoda.", "What car does Jonas drive?"),
        ("Zoë", "I prefer green tea.", "Which tea does Zoe prefer?"),
        ("王丽", "我开大众汽车。", "Which car does Wang Li drive?"),
        ("Andreas", "Meine Schwester spielt Cello.", "Was spielt Andreas' Schwester?"),
        ("Marta", "Paul's wife is called Ingrid.", "Who is Paul married to?"),
        ("李强", "我开一辆灰色的大众汽车。", "李强的汽车是什么颜色？"),
    ],
)
def test_what_somebody_says_is_of_the_one_whom_a_cue_names(
    memory: graphmem.Memory, speaker: str, told: str, asked: str
) -> None:
    """The stem of "Jonas" is not "jonas", nor is "Zoe" "zoë": what they said was that of another."""
    memory.remember(told, speaker=speaker)
    found = memory.recall(asked, cut="strict", use=False)
    assert [hit.text for hit in found] == [told]
    assert "lacks" not in found[0].parts


@pytest.mark.parametrize(
    ("told", "known", "unknown"),
    [
        ("Uncle Ben plays the cello.", "What instrument does Uncle Ben play?",
         "What instrument does Uncle Karl play?"),
        ("Zoë prefers green tea.", "Which tea does Zoe prefer?", "Which tea does Dmitri prefer?"),
        ("Onkel Bernd spielt Cello.", "Welches Instrument spielt Onkel Bernd?",
         "Welches Instrument spielt Onkel Karl?"),
        ("陈叔叔会拉大提琴。", "陈叔叔会拉什么琴？", "唐叔叔会拉什么琴？"),
        ("林娜爱喝红茶。", "林娜爱喝什么茶？", "邓丽爱喝什么茶？"),
        ("王老师教钢琴。", "王老师教什么？", "曹老师教什么？"),
    ],
)  # fmt: skip
def test_of_one_whom_no_memory_names_nothing_is_strictly_told(
    memory: graphmem.Memory, told: str, known: str, unknown: str
) -> None:
    memory.remember(told)
    assert [hit.text for hit in memory.recall(known, cut="strict", use=False)] == [told]
    assert not memory.recall(unknown, cut="strict", use=False)
