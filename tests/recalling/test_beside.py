"""What is told without what it needs is read wrongly, or not at all."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

import graphmem
from graphmem import Where

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)
LIST = """\
Sorry to hear that about the ankle! Until a doctor has seen it:

1. **Rest**: no stairs for three days, and no walks that are longer than to the baker.
2. **Ice**: ten minutes every two hours, never on the bare skin.
3. **Bandage**: firm, but loose enough for two fingers.
"""


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none", clock=lambda: NOW) as opened:
        yield opened


def talk(memory: graphmem.Memory, day: int, *turns: tuple[str, str]) -> list[int]:
    """Remember the turns of a session, a minute apart; the first node of each."""
    begun = NOW - timedelta(days=day)
    return [
        memory.remember(
            text, speaker=speaker, session=f"s{day}", happened=begun + timedelta(minutes=place)
        )[0].id
        for place, (speaker, text) in enumerate(turns)
    ]


def chatter(memory: graphmem.Memory) -> None:
    for day in range(20, 40):
        talk(memory, day, ("user", f"Finger {day}: a bandage, ibuprofen for hives, a doctor."))


# -- lists --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cue", ["Sorry: until when, doctor?", "Bandage, firm or loose?"])
@pytest.mark.parametrize("parent", [False, True])
def test_a_list_is_told_with_what_introduces_it(
    memory: graphmem.Memory, cue: str, parent: bool
) -> None:
    chatter(memory)
    memory.remember(LIST, speaker="assistant", session="s1", about=graphmem.About(shared=True))
    asked = memory.scopes.open("child", parents=("default",)) if parent else memory
    text = asked.recall(cue, tokens=140).text
    intro, items = text.index("Until a doctor has seen it:"), text.index("**Bandage**")
    assert intro < items
    assert "(perhaps related)" not in text[:items]


def test_what_introduces_a_list_is_not_told_where_the_list_does_not_fit(
    memory: graphmem.Memory,
) -> None:
    talk(memory, 1, ("user", "My left ankle is swollen since Tuesday. It hurts at night."))
    memory.remember(LIST, speaker="assistant", session="s1")
    text = memory.recall("Since when is my ankle swollen?", tokens=60).text
    assert "since Tuesday" in text
    assert "Until a doctor" not in text


def test_the_best_hit_is_told_without_what_does_not_fit(memory: graphmem.Memory) -> None:
    memory.remember(LIST, speaker="assistant", session="s1")
    text = memory.recall("Sorry about the ankle, a doctor?", tokens=40).text
    assert "Until a doctor has seen it:" in text
    assert "**Rest**" not in text


# -- pronouns -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "line", "cue"),
    [
        ("Mum slipped on the ice.", "She broke her hip in two places.", "hip broke places"),
        ("Mum slipped on the ice.", "That's the hip in two places.", "hip two places"),
        ("我妈在冰上滑倒了。", "她的髋骨断了两处。", "髋骨断了几处"),
    ],
)
def test_a_line_with_a_pronoun_is_told_with_the_one_before(
    memory: graphmem.Memory, before: str, line: str, cue: str
) -> None:
    talk(memory, 3, ("Priya", before), ("Priya", line))
    talk(memory, 2, ("Colm", "The hip flask leaks."), ("Colm", "髋骨汤很好喝。"))
    text = memory.recall(cue, tokens=200).text
    assert text.index(before) < text.index(line)


def test_a_pronoun_of_another_session_is_told_alone(memory: graphmem.Memory) -> None:
    talk(memory, 3, ("Priya", "Mum slipped on the ice."))
    talk(memory, 2, ("Colm", "She broke her hip in two places."))
    text = memory.recall("hip broke places", tokens=200).text
    assert "ice" not in text


# -- replies ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "reply", "cue"),
    [
        (
            "our puppy chews the skirting boards",
            "Rub a little bitter apple on the wood and give a frozen Kong in the afternoon.",
            "What did you recommend against the puppy chewing?",
        ),
        (
            "wie kriege ich Kaffeeflecken aus Leinen raus",
            "Sofort kalt ausspülen, dann Gallseife einwirken lassen und bei 40 Grad waschen.",
            "Was hast du gegen die Kaffeeflecken empfohlen?",
        ),
        (
            "我家猫总是半夜叫，怎么办？",
            "睡前陪它玩十五分钟，然后再喂一顿。",
            "猫半夜叫，你建议过什么？",
        ),
    ],
)
@pytest.mark.parametrize("speaker", ["assistant", "Mira"])
def test_what_was_suggested_is_told_before_what_was_asked(
    memory: graphmem.Memory, speaker: str, request_: str, reply: str, cue: str
) -> None:
    talk(
        memory, 3, ("user", request_), (speaker, reply), ("user", "thanks"), (speaker, "Good luck!")
    )
    assert [hit.text for hit in memory.recall(cue, tokens=300)][:2] == [reply, request_]
    assert reply in memory.recall(cue, tokens=300, cut="strict").text


@pytest.mark.parametrize(
    "cue", ["What did Tom recommend against the puppy chewing?", "Does the puppy chew the boards?"]
)
def test_what_was_asked_comes_first_where_no_reply_is_wanted(
    memory: graphmem.Memory, cue: str
) -> None:
    request, reply = "our puppy chews the skirting boards", "Rub bitter apple on the wood."
    talk(memory, 3, ("user", request), ("assistant", reply))
    assert memory.recall(cue, tokens=300)[0].text == request


_SHOP: Final = (
    ("en", "Ada Behr", "Where is my shelf?", "The parcel reaches you on Thursday.",
     "Nils Ott", "Where is my chair?", "The driver rings you on Monday."),
    ("de", "Ada Behr", "Wo bleibt mein Regal?", "Das Paket kommt am Donnerstag an.",
     "Nils Ott", "Wo bleibt mein Stuhl?", "Der Fahrer ruft am Montag an."),
    ("zh", "戴娜", "我的书架呢？", "包裹周四送到您手上。", "马骏", "我的椅子呢？", "司机周一给您打电话。"),
)  # fmt: skip


@pytest.mark.parametrize("agent", ["assistant", "Support"])
@pytest.mark.parametrize(
    ("shop", "cue", "said"),
    [
        (_SHOP[0], "What did we tell Ada Behr?", 3),
        (_SHOP[0], "When did we say Nils Ott gets his chair?", 6),
        (_SHOP[1], "Was haben wir Ada Behr zum Regal gesagt?", 3),
        (_SHOP[1], "Was haben wir Nils Ott zum Stuhl gesagt?", 6),
        (_SHOP[2], "我们跟戴娜说书架什么时候到？", 3),
        (_SHOP[2], "我们告诉马骏什么时候？", 6),
        (_SHOP[0], "What did Ada Behr ask?", 2),
        (_SHOP[2], "马骏问了什么？", 5),
    ],
)
def test_what_a_speaker_was_told_stands_before_what_they_said(
    shop: tuple[str, ...], cue: str, said: int, agent: str
) -> None:
    """Only the customer's own turns had the name for which was asked."""
    with graphmem.open(worker="none") as memory:
        for place in (1, 4):
            memory.remember(shop[place + 1], speaker=shop[place], session=str(place))
            memory.remember(shop[place + 2], speaker=agent, session=str(place))
        assert memory.recall(cue, use=False)[0].text == shop[said]


def test_what_a_friend_suggested_is_not_followed_by_what_the_user_said(
    memory: graphmem.Memory,
) -> None:
    said = "Against a puppy that chews I recommend bitter apple."
    talk(memory, 3, ("Mira", said), ("user", "The vet costs 80 euros a visit."))
    assert memory.recall("What did you recommend for the puppy?", tokens=300)[0].text == said


# -- what says little ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "little", "more", "cue"),
    [
        (
            "The glaze on the pottery bowl is celadon.",
            "Sounds terrifying.",
            "Kiln temperatures in that studio are kept low for whoever begins there.",
            "Which glaze has the pottery bowl?",
        ),
        (
            "陶艺碗上的釉是青瓷釉。",
            "吓我一跳",
            "那边工作室对刚开始学的人都用比较低的窑温烧制作品。",
            "陶艺碗上是什么釉？",
        ),
    ],
)
def test_what_says_little_is_told_last(
    memory: graphmem.Memory, first: str, little: str, more: str, cue: str
) -> None:
    talk(memory, 3, ("Priya", first), ("Priya", little), ("Colm", more))
    found = memory.recall(cue, limit=1, tokens=200)
    assert [node.text for node in found.remembered] == [first, more, little]


@pytest.mark.parametrize("little", ["Moving on the 28th.", "Bowls need care."])
def test_a_short_line_that_dates_or_holds_what_is_asked_is_not_told_last(
    memory: graphmem.Memory, little: str
) -> None:
    first = "The glaze on the pottery bowl is celadon."
    more = "Kiln temperatures in that studio are kept low for whoever begins there."
    talk(memory, 3, ("Priya", first), ("Priya", little), ("Colm", more))
    found = memory.recall("Is celadon the glaze on the pottery bowl?", limit=1, tokens=200)
    assert [node.text for node in found.remembered] == [first, little, more]


@pytest.mark.parametrize(
    ("notes", "asked", "finding", "source"),
    [
        (
            "Loftus & Palmer 1974, car accidents on film. They asked how fast the cars went when "
            "they hit, bumped or smashed into each other, forty-five students. Smashed gave 40.8 "
            "miles an hour, contacted only 31.8. A week later a third of the smashed group "
            "remembered broken glass that was never shown.",
            "How many remembered glass that was not there?", "a third of", "Loftus",
        ),
        (
            "Lernkurven, Ebbinghaus 1885, eine einzige Versuchsperson, nämlich er selbst, über "
            "zweitausend Silbenreihen. Gemessen wurde die Ersparnis beim Wiederlernen. Nach zwanzig "
            "Minuten waren noch achtundfünfzig Prozent da, nach einem Tag ein Drittel, danach "
            "flacht es ab.",
            "Wie viel war nach zwanzig Minuten noch da?", "achtundfünfzig", "Ebbinghaus",
        ),
    ],
)  # fmt: skip
def test_what_stands_before_the_best_hit_in_its_text_is_told_in_a_budget(
    notes: str, asked: str, finding: str, source: str
) -> None:
    """A strict recall told a finding, what followed it, and never whose it was."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember(notes, session="paper")
        for number in range(16):
            memory.remember(f"Buy {number + 2} pots of paint for room {number}.")
        assert finding in memory.recall(asked, cut="strict", use=False)[0].text
        assert source not in memory.recall(asked, cut="strict", use=False)[0].text
        text = memory.recall(asked, cut="strict", tokens=200, use=False).text
    assert finding in text
    assert source in text


@pytest.mark.parametrize(
    ("asked", "reply", "cue"),
    [
        ("Could we rent the red van? It has a ramp.", "yep", "Do we rent the red van?"),
        ("Who feeds the hens of the Kuhns?", "me!", "Who feeds the hens?"),
        ("Nehmen wir den roten Bus? Er hat eine Rampe.", "nö", "Nehmen wir den roten Bus?"),
        ("Maybe we rent the red van.", "Agreed.", "Is the red van agreed on?"),
        ("Wer füttert die Hühner von Kuhns?", "ich", "Wer füttert die Hühner?"),
        ("咱们租那辆红色面包车吗？", "可以", "红色面包车租不租？"),
        ("谁去喂老邱家的鸡？", "我", "谁喂鸡？"),
    ],
)
@pytest.mark.parametrize("cut", ["auto", "strict"])
def test_a_short_reply_is_told_with_what_was_asked(
    memory: graphmem.Memory, asked: str, reply: str, cue: str, cut: Any
) -> None:
    """A proposal was told, and neither "yep" nor "nope"."""
    chatter(memory)
    talk(memory, 3, ("Colm", "Rainy again."), ("Priya", asked), ("Colm", reply), ("Priya", "soup"))
    text = memory.recall(cue, tokens=100, cut=cut).text
    assert asked in text
    assert f"Colm] {reply}" in text


@pytest.mark.parametrize(
    ("speaker", "other"),
    [
        ("Priya", "The neighbours have a new dog."),
        ("Colm", "Which one do you mean?"),
    ],
)
def test_what_is_no_short_reply_is_not_told_with_a_question(
    memory: graphmem.Memory, speaker: str, other: str
) -> None:
    chatter(memory)
    talk(memory, 3, ("Priya", "Could we rent the red van?"), (speaker, other))
    found = memory.recall("red van", tokens=100, cut="strict")
    assert [node.text for node in found.remembered] == ["Could we rent the red van?"]


# -- corrections --------------------------------------------------------------------------------

CORRECTED = [
    ("The florist comes on Friday.", "no wait, Saturday", "When does the florist come?"),
    ("Aunt Vera's bus leaves at 4:10.", "4:40, typo", "When does Aunt Vera's bus leave?"),
    ("The cabin sleeps 12 people.", "10, not 12", "How many people does the cabin sleep?"),
    ("Die Floristin kommt am Freitag.", "Samstag, entschuldige", "Wann kommt die Floristin?"),
    ("Der Bus fährt um 4:10 Uhr.", "um 4:40, hab mich verlesen", "Wann fährt der Bus?"),
    ("Die Hütte hat 12 Betten.", "10, nicht 12", "Wie viele Betten hat die Hütte?"),
    ("花店的人星期五来。", "说错了，星期六", "花店的人哪天来？"),
    ("薇拉阿姨的车四点开。", "不对，五点", "薇拉阿姨的车几点开？"),
    ("小屋有十二张床。", "十张，不是十二张", "小屋有几张床？"),
]


@pytest.mark.parametrize("between", [(), (("assistant", "Noted."),)])
@pytest.mark.parametrize(("wrong", "right", "cue"), CORRECTED)
def test_what_its_speaker_puts_right_is_told_with_the_correction(
    memory: graphmem.Memory, wrong: str, right: str, cue: str, between: tuple[tuple[str, str], ...]
) -> None:
    """A strict recall told the wrong value alone in 9 of 10, for the correction has no cue word."""
    talk(memory, 3, ("Mira", wrong), *between, ("Mira", right))
    talk(memory, 2, ("Colm", "The bakery opens at six."), ("Colm", "面包店六点开门。"))
    for cut in ("strict", "auto"):
        assert {hit.text for hit in memory.recall(cue, cut=cut, use=False)[:2]} == {wrong, right}
    told = memory.recall(cue, tokens=60, use=False).text
    assert told.index(wrong) < told.index(right)


@pytest.mark.parametrize("cue", ["When does the florist come?", "Who comes with tulips?"])
def test_a_correction_stands_first_if_it_may_answer(memory: graphmem.Memory, cue: str) -> None:
    wrong, right = "The florist comes on Friday with tulips.", "no wait, Saturday"
    talk(memory, 3, ("Mira", wrong), ("Mira", right))
    first = memory.recall(cue, limit=1, use=False)[0].text
    assert first == (right if cue.startswith("When") else wrong)


def test_a_correction_of_a_correction_stands_first(memory: graphmem.Memory) -> None:
    """A strict recall told what had been corrected and its first correction, which was wrong."""
    turns = ("The florist comes on Friday.", "no wait, Saturday", "sorry, Sunday")
    talk(memory, 3, *(("Mira", turn) for turn in turns))
    found = memory.recall("When does the florist come?", cut="strict", use=False)
    assert [hit.text for hit in found] == [*reversed(turns)]


def test_a_correction_comes_from_a_parent(memory: graphmem.Memory) -> None:
    for text in ("The florist comes on Friday.", "no wait, Saturday"):
        memory.remember(text, speaker="Mira", session="s", about=graphmem.About(shared=True))
    child = memory.scopes.open("child", parents=("default",))
    assert len(child.recall("When does the florist come?", cut="strict", use=False)) == 2


_BETWEEN = (("Colm", "Right."), ("Mira", "Is it dear?"), ("Colm", "Not at all."))


@pytest.mark.parametrize(
    ("said", "changed", "cue"),
    [
        ("I need the 10 litre boiler.", "Make it 16 litres instead.", "How many litres is it?"),
        ("Four boxes of tiles please.", "Let's change that to six boxes.", "How many boxes?"),
        ("The fitting on Monday suits me.", "I'd rather have Thursday.", "When is the fitting?"),
        ("Ich nehme 10 Liter.", "Dann doch lieber 16 Liter.", "Wie viele Liter sind es?"),
        ("Der Monteur soll am Montag kommen.", "Doch besser am Samstag.", "Wann kommt der Monteur?"),
        ("我要10升的热水器。", "要换成16升的。", "Mira要多少升的热水器？"),
        ("牛奶给我订四箱。", "算了，还是订两箱吧。", "Mira订了几箱牛奶？"),
        ("报销转到工行卡。", "改一下，转到招行卡。", "Mira的报销转到哪里？"),
    ],
)  # fmt: skip
def test_a_change_of_mind_later_in_a_session_stands_first(
    memory: graphmem.Memory, said: str, changed: str, cue: str
) -> None:
    """Five turns later it was told behind the old value, or by a strict recall not at all."""
    talk(memory, 3, ("Mira", said), *_BETWEEN, ("Mira", changed))
    assert memory.recall(cue, cut="strict", use=False)[0].text == changed


def test_a_speaker_of_a_name_in_traditional_characters_changes_their_mind(
    memory: graphmem.Memory,
) -> None:
    """The change stood behind the old value: its speaker was compared as written with one as
    read."""
    changed = "還是改成16升吧。"
    talk(memory, 3, ("湯麗", "魚缸要12升的。"), *_BETWEEN, ("湯麗", changed))
    assert memory.recall("鱼缸要多少升的？", cut="strict", use=False)[0].text == changed


@pytest.mark.parametrize(("between", "is_found"), [(23, True), (24, False)])
def test_a_change_is_looked_for_among_the_next_24_memories(
    memory: graphmem.Memory, between: int, is_found: bool
) -> None:
    said, changed = "I need the 10 litre boiler.", "Make it 16 instead."
    others = [("Colm", f"Parcel {chr(65 + k)} has come.") for k in range(between)]
    talk(memory, 3, ("Mira", said), *others, ("Mira", changed))
    found = memory.recall("How many litres has the boiler?", cut="strict", use=False)
    assert (changed in [hit.text for hit in found]) is is_found


@pytest.mark.parametrize(
    ("said", "by", "changed", "cue"),
    [
        ("I need the 10 litre boiler.", "Mira", "Change it to Wednesday.", "How many litres is it?"),
        ("I need the 10 litre boiler.", "Mira", "Can you make it 16 litres?", "How many litres is it?"),
        ("I need the 10 litre boiler.", "Colm", "Make it 16 litres instead.", "How big is the boiler?"),
        ("I need the 10 litre boiler.", "Mira", "Make it 16 litres.", "How many litres was it at first?"),
        ("Ich nehme 10 Liter.", "Mira", "Lieber am Mittwoch liefern.", "Wie viele Liter sind es?"),
        ("我要10升的热水器。", "Mira", "换成周三送货。", "Mira要多少升的热水器？"),
        ("我要10升的热水器。", "Mira", "支架改成两个吧。", "Mira要多少升的热水器？"),
        ("我要10升的热水器。", "Mira", "能换成16升的吗？", "Mira要多少升的热水器？"),
        ("我要10升的热水器。", "Mira", "不换成16升的。", "Mira要多少升的热水器？"),
    ],
)  # fmt: skip
def test_a_change_of_something_else_or_by_another_comes_not_first(
    memory: graphmem.Memory, said: str, by: str, changed: str, cue: str
) -> None:
    talk(memory, 3, ("Mira", said), *_BETWEEN, (by, changed))
    assert memory.recall(cue, cut="strict", use=False)[0].text == said


@pytest.mark.parametrize(
    ("said", "next_turn", "cue"),
    [
        ("The fair is on Sunday.", ("Mira", "sorry, I have to run"), "When is the fair?"),
        ("The fair is on Sunday.", ("Mira", "and it ends at nine"), "When is the fair?"),
        ("The fair is on Sunday.", ("Colm", "no wait, Saturday"), "When is the fair?"),
        ("The tent cost 320 euros.", ("Mira", "Tom has none"), "How much was the tent?"),
        ("Der Markt ist am Sonntag.", ("Mira", "sorry, muss los"), "Wann ist der Markt?"),
        ("Der Markt ist am Sonntag.", ("Mira", "und um neun ist Schluss"), "Wann ist der Markt?"),
        ("Das Zelt hat 320 Euro gekostet.", ("Mira", "und es ist dicht"), "Was hat das Zelt gekostet?"),
        ("集市在星期天。", ("Mira", "抱歉，我得走了"), "集市在哪天？"),
        ("集市在星期天。", ("Mira", "晚上九点结束"), "集市在哪天？"),
        ("帐篷花了三百二。", ("Mira", "小汤的更贵"), "帐篷花了多少钱？"),
        ("My rent is 900 euros.", ("Mira", "Sorry, I have 3 meetings today."), "How much is my rent?"),
        ("The fair is on Sunday.", ("Mira", "Sorry, I have to run till nine"), "When is the fair?"),
        ("The tent cost 320 euros.", ("Mira", "The wrong bus came, 9 hours late."), "How much was the tent?"),
        ("Der Markt ist am Sonntag.", ("Mira", "Entschuldigung, bin erst um 10 zu Hause."), "Wann ist der Markt?"),
        ("集市在星期天。", ("Mira", "抱歉，我三点才到家。"), "集市在哪天？"),
    ],
)  # fmt: skip
def test_a_turn_that_puts_nothing_right_is_no_correction(
    memory: graphmem.Memory, said: str, next_turn: tuple[str, str], cue: str
) -> None:
    """An apology with a number in it stood before the rent that was asked for."""
    talk(memory, 3, ("Mira", said), next_turn)
    assert [hit.text for hit in memory.recall(cue, cut="strict", use=False)] == [said]


@pytest.mark.parametrize(
    ("said", "asked", "reply", "cue"),
    [
        ("Two of us eat no kiwi.", "Is it three?", "No, two. Since 2011.", "Who eats no kiwi?"),
        ("Zwei von uns essen keine Kiwi.", "Sind es drei?", "Nein, zwei.", "Wer isst keine Kiwi?"),
        ("我们家两个人不吃猕猴桃。", "是三个吗？", "不，两个。", "谁不吃猕猴桃？"),
    ],
)
def test_a_reply_with_no_is_no_correction(
    memory: graphmem.Memory, said: str, asked: str, reply: str, cue: str
) -> None:
    """One to a question that the conditions of the recall exclude was taken for a correction."""
    talk(memory, 3, ("Mira", said), ("Colm", asked), ("Mira", reply))
    for where in (None, Where(speaker="Mira")):
        found = memory.recall(cue, cut="strict", where=where, use=False)
        assert [hit.text for hit in found] == [said]


def test_a_turn_of_another_session_is_no_correction(memory: graphmem.Memory) -> None:
    talk(memory, 3, ("Mira", "The florist comes on Friday."))
    talk(memory, 2, ("Mira", "no wait, Saturday"))
    assert len(memory.recall("When does the florist come?", cut="strict", use=False)) == 1
