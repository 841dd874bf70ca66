"""Open questions among memories: what was asked is no answer where something is told."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

import graphmem

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)
ASKED_AGAIN = [
    ("The spare key is with Pavel.", "Who has our spare key again?", "Where could a spare key be?"),
    ("I paid 85 euros for the winter tyres.", "How much were the winter tyres?",
     "What did the winter tyres cost me?"),
    ("Die Hecke schneidet Herr Vogt.", "Wer schneidet eigentlich unsere Hecke?",
     "Wer kümmert sich um die Hecke?"),
    ("Der Hausmeister heißt Wozniak.", "Wie heißt der Hausmeister?",
     "Wie war der Name vom Hausmeister?"),
    ("我的眼镜落在牙医那里了。", "我的眼镜在哪里？", "我把眼镜忘在什么地方了？"),
    ("外公以前是火车司机。", "外公以前做什么工作？", "外公年轻的时候干哪一行？"),
]  # fmt: skip


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    """With what was told, then with what was asked, each by itself."""
    clock = [NOW - timedelta(days=60)]
    with graphmem.open(None, worker="none", clock=lambda: clock[0]) as opened:
        for place in (0, 1):
            for each in ASKED_AGAIN:
                clock[0] += timedelta(days=2)
                opened.remember(each[place], speaker="Mira", session=clock[0].isoformat())
        yield opened


@pytest.mark.parametrize(("told", "before", "cue"), ASKED_AGAIN)
def test_an_old_question_stands_before_no_answer(
    memory: graphmem.Memory, told: str, before: str, cue: str
) -> None:
    """Asked again in other words, 4 of 20 old questions were all that a strict recall returned."""
    assert memory.recall(cue, use=False)[0].text == told
    assert [hit.text for hit in memory.recall(cue, use=False, cut="strict")] == [told]
    text = memory.recall(cue, tokens=300, use=False).text
    assert told in text
    assert before not in text
    assert before in {hit.text for hit in memory.recall(cue, use=False, cut="none")}


def test_a_question_is_found_where_nothing_tells(memory: graphmem.Memory) -> None:
    """What was asked and never answered is known all the same."""
    memory.remember("Which ferry goes to Rømø in winter?", speaker="Mira")
    found = memory.recall("When does the ferry leave for Rømø?", use=False)
    assert found[0].text == "Which ferry goes to Rømø in winter?"


@pytest.mark.parametrize(
    ("before", "cue"),
    [
        ("Who has our spare key again?", "What did I ask about the spare key?"),
        ("Who has our spare key again?", "our spare key"),
        ("Wie heißt der Hausmeister?", "Was habe ich zum Hausmeister gefragt?"),
        ("我的眼镜在哪里？", "我问过眼镜的什么？"),
    ],
)
def test_a_question_is_found_by_who_does_not_ask_the_same(
    memory: graphmem.Memory, before: str, cue: str
) -> None:
    assert before in {hit.text for hit in memory.recall(cue, use=False)}


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("Do you want to come to my wedding in Trier on 3 May?", "When is the wedding in Trier?"),
        ("I am locked out, who has the spare key?", "Who is locked out?"),
        ("Kommst du am 3. Mai zu meiner Hochzeit nach Trier?", "Wann ist die Hochzeit in Trier?"),
        ("五月三号来特里尔参加我的婚礼吗？", "特里尔的婚礼是哪天？"),
    ],
)
def test_a_question_that_tells_something_is_a_hit(
    memory: graphmem.Memory, text: str, cue: str
) -> None:
    memory.remember(text, speaker="Ada")
    memory.remember("The cake of the wedding is ordered. 婚礼的蛋糕订了。", speaker="Ada")
    assert memory.recall(cue, use=False)[0].text == text


@pytest.mark.parametrize(
    ("told", "before", "waiting", "cue"),
    [
        ("The cabin has eight beds.", "Good morning! Hi, how many beds does the cabin have?",
         "Let me check that for you, one moment.", "What number of beds are in the cabin?"),
        ("Der Nähkurs kostet 120 Euro.", "Guten Abend, was kostet der Nähkurs?",
         "Moment, ich schaue nach.", "Wie teuer ist der Nähkurs?"),
        ("洛特的鞋码是三十四。", "好的，你好！洛特的鞋码是多少？", "稍等，我查一下。", "洛特穿几码的鞋？"),
    ],
)  # fmt: skip
def test_a_question_behind_a_greeting_only_asks(
    told: str, before: str, waiting: str, cue: str
) -> None:
    """Chat greets before it asks, and "Let me check" counted as the reply that makes it tell."""
    clock = [NOW - timedelta(days=9)]
    with graphmem.open(None, worker="none", clock=lambda: clock[0]) as memory:
        for text, who in ((told, "Mira"), (before, "Mira"), (waiting, "assistant")):
            clock[0] += timedelta(days=1)
            memory.remember(text, speaker=who, session="told" if text == told else "asked")
        assert [hit.text for hit in memory.recall(cue, use=False, cut="strict")] == [told]


@pytest.mark.parametrize(
    ("told", "before", "cue"),
    [
        ("Kim takes the four beds.", "Hi, the cabin is sold. Who takes the beds?",
         "Which of us takes the beds?"),
        ("Lena sagt den Kurs ab.", "Hallo, ich bin krank, wer sagt den Kurs ab?",
         "Wer kann den Kurs absagen?"),
        ("那些床给小金。", "你好，小木屋卖掉了。那些床给谁？", "那些床该给谁？"),
    ],
)  # fmt: skip
def test_a_question_behind_what_tells_is_a_hit(told: str, before: str, cue: str) -> None:
    with graphmem.open(None, worker="none", clock=lambda: NOW) as memory:
        memory.remember(told, speaker="Wen")
        memory.remember(before, speaker="Mira")
        assert {told, before} == {hit.text for hit in memory.recall(cue, use=False)}


@pytest.mark.parametrize(
    ("told", "before", "cue"),
    [
        ("Finally reached the Bexley people, for drawings they open nothing but DWG.",
         "Sorry to ask again. Is there a format for the Bexley drawings?",
         "What is the format for the Bexley drawings?"),
        ("Paul of Bexley signed, so we get 61,000 for the whole house.",
         "Do you know how big the budget of Bexley is?", "How big is the Bexley budget?"),
        ("Endlich Bexbach erreicht, die können nichts als DWG öffnen.",
         "Noch eine Frage. Gibt es für Bexbach ein Format der Zeichnungen?",
         "Welches Format der Zeichnungen gibt es für Bexbach?"),
        ("Paul aus Bexbach hat unterschrieben, wir kriegen 61.000 fürs Haus.",
         "Weißt du noch, wie hoch das Budget von Bexbach ist?", "Wie hoch ist das Budget von Bexbach?"),
        ("终于联系上贝斯利了，他们只能打开DWG。", "不好意思又来问，贝斯利有图纸格式吗？",
         "贝斯利图纸格式是什么？"),
        ("贝斯利的老潘签字了，整栋房子给六十一万。", "又是我，贝斯利有预算吗？", "贝斯利预算是多少？"),
    ],
)  # fmt: skip
def test_a_question_that_says_no_more_than_the_cue_is_no_hit(
    told: str, before: str, cue: str
) -> None:
    """Every turn of a chat is remembered: asked for the fourth time, questions stood first in 9 of
    14 cases."""
    clock = [NOW - timedelta(days=9)]
    with graphmem.open(None, worker="none", clock=lambda: clock[0]) as memory:
        for text in (told, before, f"{before} "):
            clock[0] += timedelta(days=1)
            memory.remember(text, speaker="Mira", session=clock[0].isoformat())
        assert memory.recall(cue, use=False)[0].text == told


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("What time is the dentist, still 9?", "When is the dentist?"),
        ("Did you know that the office moved to Kiel?", "Where did the office move?"),
        ("Ist der Friseur wirklich um halb vier?", "Wann ist der Friseur?"),
        ("Wusstest du, dass die Praxis nach Husum gezogen ist?", "Wohin ist die Praxis gezogen?"),
        ("看牙还是九点吗？", "几点看牙？"),
        ("你知道公司搬到宁波了吗？", "公司搬到哪里了？"),
    ],
)
def test_a_question_that_says_more_than_the_cue_stands_before_the_cue(text: str, cue: str) -> None:
    """It stood behind the same cue of before."""
    with graphmem.open(None, worker="none", clock=lambda: NOW) as memory:
        memory.remember(text, speaker="Wen", session="a")
        memory.remember(cue, speaker="Mira", session="b")
        assert memory.recall(cue, use=False)[0].text == text
