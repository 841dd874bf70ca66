"""An allergy that fades is a person in an ambulance; a film about poison is no warning."""

from datetime import date

import pytest

from graphmem_worker.text.protects import (
    LATEST,
    is_clearly_protective,
    last_day,
    protects,
)

LABELLED: list[tuple[str, str | None]] = [
    ("Jonas is allergic to cashews.", "protective"),
    ("No cashews for Jonas, I remember the ambulance.", "protective"),
    ("Mum takes 5 mg of warfarin every evening.", "protective"),
    ("Never mix bleach and vinegar in the bathroom.", "protective"),
    ("The wire behind the fridge is live, so don't touch it.", "protective"),
    ("我乳糖不耐受", "protective"),
    ("我爸每天早上吃一片降压药。", "protective"),
    ("头孢配酒会要命，千万记住。", "protective"),
    ("Pay the rent by 31 October.", "binding"),
    ("I promised Tom to bring the drill back on Saturday.", "binding"),
    ("The rent is 840 euros a month from May.", "binding"),
    ("My new number is 555 0192.", "binding"),
    ("我们决定用老王的方案。", "binding"),
    ("报名截止到6月15号。", "binding"),
    ("Tariq has sickle cell, he mustn't get cold.", "protective"),
    ("The horse kicks, never walk behind him.", "protective"),
    ("Nobody uses the circular saw until the guard has been replaced.", "protective"),
    ("A man has been following Petra home, so somebody walks with her.", "protective"),
    ("她一看见针头就晕，抽血让她躺着抽。", "protective"),
    ("那匹马会尥蹶子，别站在它后面。", "protective"),
    ("采石场那个水坑一下去就没底，不许游。", "protective"),
    ("Dentist on 3 June at ten past nine.", "binding"),
    ("Rent goes up to 930 a month from September.", "binding"),
    ("The committee turned down the extension on the garage.", "binding"),
    ("I told Greta I'd be at her recital on 14 March.", "binding"),
    ("业主大会没通过加装电梯。", "binding"),
    ("他们开价一小时五百，四小时起。", "binding"),
    ("六月三号上午九点十分看牙。", "binding"),
    # In everyday words, where none of those that name an allergy, a price or a choice stands.
    ("Bees are a problem for Dad, he carries a pen in his jacket.", "protective"),
    ("I come out in welts if I wear anything with nickel in it.", "protective"),
    ("The vet said half a tablet for Bruno till Sunday.", "protective"),
    ("Someone will go through the back step.", "protective"),
    ("Drop that bucket and all the backups are gone.", "protective"),
    ("爸爸喝牛奶肚子就闹腾。", "protective"),
    ("医生让我别碰酒。", "protective"),
    ("有人拿我名字跟熟人借钱。", "protective"),
    ("生产库上绝对不能直接跑删除脚本。", "protective"),
    ("Leave it to me, I'll call the insurance for you tomorrow.", "binding"),
    ("Kim is letting me have the bike for sixty quid.", "binding"),
    ("Early-bird registration ends this Sunday.", "binding"),
    ("We're going with Postgres after all.", "binding"),
    ("Nina took her husband's name, she's Nina Falk now.", "binding"),
    ("这事包在我身上，明天就去给你办。", "binding"),
    ("沙发花了我快七千。", "binding"),
    ("早鸟票到这周日为止。", "binding"),
    ("二胎的事我们不考虑了。", "binding"),
    ("姐姐不住徐汇了，现在跟我妈住。", "binding"),
    ("It was decided by a penalty shoot-out.", None),
    ("I nearly died of embarrassment.", None),
    ("The cat is a bit grumpy today.", None),
    ("I made vegan ice cream last night.", None),
    ("说好的晴天呢。", None),
    ("打了个喷嚏，估计有人想我。", None),
    ("花了一个小时才排到。", None),
    ("The dentist was kind on 3 June.", None),
    ("My inbox is a hazard to shipping.", None),
    ("The oxygen of gossip reached us at lunch.", None),
    ("Keep the receipt, please.", None),
    ("这锅咖喱辣得致命，好吃。", None),
    ("泳池里全是唱歌的退休老人。", None),
    ("I'd kill for a coffee right now.", None),
    ("We watched a film about a poisoned king.", None),
    ("I'm allergic to meetings on Mondays.", None),
    ("Are you allergic to nuts?", None),
    ("昨天看了一部关于中毒的电影。", None),
    ("你用的什么芯片", None),
    ("订单号 20260304-88127733", None),
    ("The new phone has a nice camera.", None),
]


def test_most_sentences_are_judged_as_labelled() -> None:
    """A head may err, but one fitted to other words than it reads errs on every third."""
    wrong = [text for text, what in LABELLED if protects(text) != what]
    assert len(wrong) <= len(LABELLED) // 8, wrong


def test_a_day_does_not_make_small_talk_of_what_binds() -> None:
    """The digest of a working set kept "I must leave by 16:45." but not the same with "today"."""
    for sentence in (
        "I must leave by 16:45 today.",
        "I must leave today by 16:45.",
        "我今天四点三刻必须走。",
    ):
        assert protects(sentence) == "binding", sentence


def test_no_ordinary_sentence_is_protective() -> None:
    """What is held in vain takes the room of an allergy."""
    held = [text for text, what in LABELLED if what is None and protects(text) == "protective"]
    assert held == []


@pytest.mark.parametrize(
    ("sentence", "day"),
    [
        ("Pay by 31 October.", date(2026, 10, 31)),
        ("It was due on January 3.", date(2027, 1, 3)),
        ("by Friday", date(2026, 3, 6)),
        ("end of May", date(2026, 5, 31)),
        ("下周三之前", date(2026, 3, 11)),
        ("合同明年三月到期", date(2027, 3, 31)),
        ("within two weeks", date(2026, 3, 18)),
        ("within a month", date(2026, 4, 4)),
        ("两个工作日之内", date(2026, 3, 8)),
        ("innerhalb von drei Tagen", date(2026, 3, 7)),
        ("31 June", None),
        ("I'm in Rome from November 24 to 28.", date(2026, 11, 28)),
        ("11月24号到28号在罗马", date(2026, 11, 28)),
        ("The pill is on the 2nd shelf.", None),
        ("我家住在中山路25号。", None),
        ("座位是12号", None),
        ("我在地铁10号口等你。", None),
        ("Last week we agreed on 900.", None),
        ("since Monday", None),
        ("whenever you like", None),
    ],
)
def test_the_last_day_that_a_sentence_names(sentence: str, day: date | None) -> None:
    assert last_day(sentence, date(2026, 3, 4)) == day


@pytest.mark.parametrize(
    "sentence",
    ["The deadline is May 31.", "I pay the rent by May 31.", "报名截止到5月31日。",
     "Die Frist endet am 31. Mai."],
)  # fmt: skip
def test_on_its_last_day_a_period_is_that_of_this_year(sentence: str) -> None:
    """Told on the day itself, a deadline of today was held for another year."""
    last = date(2026, 5, 31)
    assert last_day(sentence, last) == last
    assert last_day(sentence, date(2026, 6, 1)) == date(2027, 5, 31)


@pytest.mark.parametrize("today", [date.min, date(2024, 2, 29), date.max])
@pytest.mark.parametrize(
    "sentence",
    [
        "Pay next Friday.",
        "Due within 999 months.",
        "Due by the end of next month.",
        "下下周日交。",
        "31号交",
        "29 February",
    ],
)
def test_no_day_is_too_late_to_read(sentence: str, today: date) -> None:
    """A day near the end of the calendar ended the thread that forgets (OverflowError)."""
    last_day(sentence, today)


def test_rules_are_the_same_in_capitals() -> None:
    """Rules are written for small letters; a shout is no less a warning."""
    assert protects("JONAS IS ALLERGIC TO CASHEWS.") == "protective"
    assert protects("带上 EPIPEN，她对花生过敏。") == "protective"


@pytest.mark.parametrize(
    "sentence",
    [
        "The vat of pickling brine gives off chlorine if acid gets in, wear a respirator.",
        "Ngozi's throat tightens from groundnut oil.",
        "A brown snake lives under the pump house, shake out your boots.",
        "阿嬷洗肾，杨桃一口都不能吃。",
        "冲床的光栅坏了，手别伸进去。",
        "We keep the knives in the top cupboard since Eli learned to climb.",
        "The mare kicks when you walk up behind her.",
        "My brother hears voices when he leaves out his tablets.",
        "手刹在坡上拉不住，停车要挂挡。",
        "做核磁之前要把人工耳蜗的外机取下来。",
        "豚鼠不能喂大黄叶。",
    ],
)
def test_classes_of_words_protect_where_no_pattern_stands(sentence: str) -> None:
    """Patterns knew three of five warnings in other people's words; the rest faded."""
    assert protects(sentence) == "protective"


@pytest.mark.parametrize(
    "sentence",
    [
        "The striker choked on the penalty again.",
        "Leave the dough near the oven until it has doubled.",
        "The tyre shop on the corner has a new sign.",
        "加班加得我头疼。",
        "周末去水族馆看了水母。",
        "那次演讲差点要了我的命。",
        "我反应太慢，没赶上公交车。",
        "That spray smells of lemons.",
    ],
)
def test_words_of_danger_without_danger_do_not(sentence: str) -> None:
    """What is held in vain takes the room of an allergy."""
    assert protects(sentence) is None


AILING = """
I'm allergic to aspirin. | She is allergic to cats. | contact allergy to lanolin
Ben's allergic to propolis. | My boss is allergic to parabens. | I have asthma. | Ruth is diabetic.
I'm pregnant. | My wife is five months pregnant. | Nora has an intolerance to fructose.
No nuts please, because she's allergic. | I've had epilepsy since I was six.
我对麻药过敏。 | 我对洗手液过敏 | 她对碘过敏 | 我对人参和酒精都过敏 | 我有哮喘。 | 爸爸有糖尿病 | 我怀孕了
Ich bin allergisch gegen Lanolin. | Sie hat eine Katzenallergie. | Ich habe Asthma.
Ruth ist Diabetikerin. | Meine Frau ist schwanger. | Er verträgt keine Parabene.
"""
NOT_AILING = """
I'm allergic to meetings. | He's allergic to hard work. | She is allergic to waking up early.
Are you allergic to cats? | I'm not allergic to anything. | Nobody in the class has asthma.
If you are allergic to wool, say so. | He had asthma as a boy. | I'm not pregnant.
A pregnant pause followed. | In the film the king is allergic to bees.
我对加班过敏。 | 他对猫不过敏 | 你对花生过敏吗？ | 没有食物过敏 | 我没怀孕 | 小说里女主对蜂蜜过敏 | 他有点神经过敏
Er ist nicht allergisch gegen Jod. | Sie reagiert allergisch auf Kritik. | Er hat kein Asthma.
Sie ist nicht schwanger.
"""


def _split(rows: str) -> list[str]:
    return [each.strip() for line in rows.strip().splitlines() for each in line.split("|")]


@pytest.mark.parametrize("sentence", _split(AILING))
def test_who_is_allergic_or_ill_is_protected_whatever_it_is_against(sentence: str) -> None:
    """A list of substances knew penicillin; aspirin, lanolin and 麻药 were forgotten first."""
    assert is_clearly_protective(sentence)


@pytest.mark.parametrize("sentence", _split(NOT_AILING))
def test_who_only_speaks_of_allergies_is_not(sentence: str) -> None:
    """A figure of speech, a denial, a question or a story takes the room of an allergy."""
    assert not is_clearly_protective(sentence)


@pytest.mark.parametrize(
    "sentence", ["Return it within million months.", "Innerhalb von Millionen Wochen."]
)
def test_what_is_due_beyond_all_days_is_due_on_the_latest(sentence: str) -> None:
    assert last_day(sentence, date(2026, 1, 1)) == LATEST


@pytest.mark.parametrize(
    "sentence",
    [
        "Room 8 has said no to CPR.", "They refuse transfusions on religious grounds.",
        "The footbridge holds six hikers at most.", "Nobody dives alone here.",
        "No trampoline without an adult.", "A tenancy is void unless both sign it.",
        "Zimmer 8 möchte keine Wiederbelebung.", "Der Lift hebt maximal 90 kg.",
        "Die Gäste fotografieren wir nie.", "Ein Mietvertrag gilt nur mit Unterschrift.",
        "八号房不要心肺复苏。", "吊桥最多站六个人。", "这里不许单独潜水。", "卖蜂蜜要办许可证。",
    ],
)  # fmt: skip
def test_a_refusal_a_load_or_a_rule_protects(sentence: str) -> None:
    """A refused treatment was forgotten before the talk of the kitchen."""
    assert is_clearly_protective(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I had at most two beers.", "She wears a helmet in the photo.", "Nobody came before ten.",
        "We took two photos of the jetty.", "Auf dem Bild trägt sie einen Helm.",
        "Montags lächelt er nie.", "Sie trägt zwei Taschen.", "我最多喝两瓶啤酒。", "照片里她戴着头盔。",
    ],
)  # fmt: skip
def test_a_number_or_a_helmet_alone_protects_nobody(sentence: str) -> None:
    assert not is_clearly_protective(sentence)
