"""Facts: what leaves a working set must be quoted exactly, or the decision is lost with its turn."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem_worker.facts import decides, facts


def quoted(text: str) -> set[tuple[str, str]]:
    return {(fact.kind, text[fact.start : fact.end]) for fact in facts(text)}


def test_a_turn_gives_its_decision_reason_names_numbers_and_question() -> None:
    assert quoted(
        "We decided to use Postgres 16 because the vendor dropped 14. "
        "Lena owns the migration; budget is 4,200 euros. Should we move staging first?"
    ) >= {
        ("decision", "We decided to use Postgres 16"),
        ("reason", "the vendor dropped 14"),
        ("name", "Lena"),
        ("number", "4,200 euros"),
        ("question", "Should we move staging first?"),
    }


def test_a_turn_in_chinese_does_too() -> None:
    assert quoted(
        "我们决定把发布推迟到5月10号，因为供应商还没交货。林青负责迁移，预算一万二千元。要不要先迁预发？"
    ) >= {
        ("decision", "我们决定把发布推迟到5月10号"),
        ("reason", "供应商还没交货"),
        ("name", "林青"),
        ("number", "一万二千元"),
        ("question", "要不要先迁预发？"),
    }


def test_courtesy_and_guesses_are_no_facts() -> None:
    kinds = {kind for kind, _ in quoted("How are you? Maybe we could switch to the other one.")}
    assert not kinds & {"decision", "question"}


@pytest.mark.parametrize(
    "said",
    [
        "Fine, Thursday at six it is.",
        "Settled: Marta drives, I navigate.",
        "We went for the cheaper insurance in the end.",
        "Scrap the second stage, one is plenty.",
        "I've booked the 7:40, seats 12 and 13.",
        "We're sticking with the old printer until it dies.",
        "Right, the bakery gets the contract.",
        "Tuesday works, see everyone at nine.",
        "那就周日一早出发。",
        "就定周五吧，下午三点。",
        "还是别买了，家里放不下。",
        "会议纪要以后小唐写。",
        "票订好了，二十号的早班机。",
        "客厅刷白，卧室刷浅灰。",
        "蛋糕我来订，你们带饮料。",
        "领导说了，方案按一月份的走。",
    ],
)
def test_what_is_settled_in_a_talk_is_a_decision(said: str) -> None:
    """Of decisions as people say them to each other, fewer than half were found."""
    assert decides(said)


@pytest.mark.parametrize(
    "said",
    [
        "Let's see how it goes.",
        "I'm taking a nap.",
        "I'll take a look tomorrow.",
        "Here it is.",
        "Let's make some great memories!",
        "We went for a walk by the canal.",
        "I said I'd never say this.",
        "还是不行。",
        "从三月起一直这样。",
        "我走两步就要歇一歇。",
        "学校就在对面。",
        "你先吃，别等我。",
    ],
)
def test_what_is_only_about_to_happen_is_none(said: str) -> None:
    """A prompt full of naps and looks has no room for decisions."""
    assert not decides(said)


@pytest.mark.parametrize(
    "said",
    [
        # who takes up or gives up; shares out; rules; names; limits; passive; future as present
        "Dad's given up the allotment.",
        "Returned my hiking boots to the shop.",
        "You hoover, I'll mop.",
        "Nobody opens the kiln before Ravi has looked.",
        "The choir sings at three, not four.",
        "From now on in, bins go out on Sunday.",
        "The fence gets replaced.",
        "The market moves to the square in April.",
        "We're calling the boat Petrel.",
        "We'll give the fair a miss.",
        "The baby sleeps in our room from tonight.",
        "I've ditched the fitness app.",
        "Ravi's taking over the newsletter.",
        "No phones at the table.",
        "Ana brings the tent, we bring the stove.",
        "The attic becomes a workshop.",
        "The gutters can wait until autumn.",
        "I shan't be joining the gym.",
        "Let the grass grow.",
        "Neither of us is driving.",
        "书房就铺木地板。",
        "瑜伽挪到礼拜五。",
        "换窗户等开春再说。",
        "每家带一瓶酒。",
        "下周起奶奶睡楼下。",
        "坐早班车去吧。",
        "今晚吃饺子。",
        "那份差事我没接。",
        "老钢琴卖了。",
        "买松木没买橡木。",
        "鱼缸归外公收拾。",
        "闺女跟她妈姓。",
        "我打算把烟戒了。",
        "聚餐人数压在二十个以内。",
        "把会议室让给实习生。",
        "舅舅下月搬来跟我们住。",
        "谁先到谁占座。",
        "那就这么着，初五动身。",
    ],
)
def test_a_decision_needs_no_word_for_it(said: str) -> None:
    """Of what was settled in wording that the rules had not met, a third to a half was found."""
    assert decides(said)


@pytest.mark.parametrize(
    "said",
    [
        "My uncle reckons everybody should keep hens.",
        "Imagine if we moved to the moon.",
        "隔壁老李说大家都该早睡。",
    ],
)
def test_an_opinion_of_others_is_no_decision(said: str) -> None:
    assert not decides(said)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("The tram is full, hence the bikes.", "The tram is full"),
        ("The pump had seized, that's why the cellar flooded.", "The pump had seized"),
        ("The reason the choir stopped was the heating.", "the heating"),
        ("We cancelled the picnic for lack of shade.", "lack of shade"),
        ("I've dropped the evening class, it clashes with training.", "it clashes with training"),
        ("No more candles upstairs, landlord's orders.", "landlord's orders"),
        ("She can't come tonight, her train broke down.", "her train broke down"),
        ("I've ditched the app, nobody opened it.", "nobody opened it"),
        ("We're skipping the fair, the sitter's ill.", "the sitter's ill"),
        ("We chose slate as it lasts longer.", "lasts longer"),
        ("露营取消了，营地全是泥。", "营地全是泥"),
        ("礼拜六不去游泳了，修水管的要来。", "修水管的要来"),
        ("老钢琴卖了，放着净落灰。", "放着净落灰"),
        ("钥匙丢了，只好叫锁匠。", "钥匙丢了"),
        ("窗户关不上，木框泡涨了。", "木框泡涨了"),
        ("今天卖得少，都怪那场雨。", "那场雨"),
        ("灯不亮，闹了半天是插头松了。", "插头松了"),
    ],
)
def test_a_reason_needs_no_because(said: str, why: str) -> None:
    """In Chinese five of six reasons stand beside what they explain without a word for it."""
    assert ("reason", why) in quoted(said)


@pytest.mark.parametrize(
    "said",
    ["The soup was hot, the bread was warm.", "今天天气好，花也开了。", "So, shall we?"],
)
def test_two_clauses_are_not_yet_a_reason(said: str) -> None:
    assert not {kind for kind, _ in quoted(said)} & {"reason", "question"}


@pytest.mark.parametrize(
    "said",
    [
        "Nobody has worked out who feeds the hens in July.",
        "Can't tell yet whether the noise is the pump.",
        "七月份鸡谁来喂，还没个着落。",
        "响声是水泵还是风扇，还看不出来。",
    ],
)
def test_what_nobody_knows_yet_is_an_open_question(said: str) -> None:
    assert "question" in {kind for kind, _ in quoted(said)}


@given(st.text(max_size=400))
@settings(max_examples=60, deadline=None)
def test_every_fact_is_a_span_of_the_text(text: str) -> None:
    for fact in facts(text):
        assert 0 <= fact.start < fact.end <= len(text)


@pytest.mark.parametrize(
    "piece",
    [
        "A",
        "A ",
        "a_",
        "1.",
        "because ",
        "一",
        "《",
        ". A ",
        "'",
        "We decided ",
        "就定",
        "so no ",
        "还是去",
        "let's go ",
        "the a ",
        "，一了",
        ", so the ",
    ],
)
def test_hostile_turns_take_linear_time(piece: str) -> None:
    begun = time.process_time()
    facts((piece * 20_000)[:20_000])
    assert time.process_time() - begun < 2  # a quadratic pattern takes longer
