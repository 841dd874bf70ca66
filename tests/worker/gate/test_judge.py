"""The gate: a false memory is worse than none, so a lie that passes is the fault to look for.

The floors are what was measured, less a margin: rules that are loosened or broken show here before
they write a falsehood into someone's memory.
"""

from argparse import Namespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.gate import LANGUAGES, cases, run, verdict
from graphmem_worker.gate.judge import judge
from graphmem_worker.gate.reading import read

RELEASE = "Wen told Anna that the release moves from May 3 to May 10. The review stays on May 6."


@pytest.mark.parametrize("language", LANGUAGES)
def test_lies_are_caught_and_most_faithful_texts_pass(language: str) -> None:
    found = [(case, verdict(case).passed) for case in cases(language)]
    lies = [passed for case, passed in found if not case.faithful]
    faithful = [passed for case, passed in found if case.faithful]
    assert len(lies) >= 100
    assert len(faithful) >= 100
    assert sum(lies) <= 2
    assert sum(faithful) >= 0.85 * len(faithful)


def test_the_bench_counts_each_case_once() -> None:
    rows = run(Namespace(language=["zh"], misses=False))
    gate = {(row.dataset, row.metric): row for row in rows if row.method == "gate"}
    both = [gate["zh/all", metric] for metric in ("lies caught", "faithful passed")]
    assert [row.unit for row in both] == ["of 120", "of 120"]
    alone = next(r for r in rows if (r.method, r.dataset) == ("words alone", "zh/recombined"))
    assert alone.value < gate["zh/recombined", "lies caught"].value, "what the clauses are for"


def test_the_set_has_no_case_twice_and_every_split() -> None:
    everything = [case for language in LANGUAGES for case in cases(language)]
    assert len({(case.source, case.written) for case in everything}) == len(everything)
    assert {case.split for case in everything} == {"tuned", "held-out", "fresh"}


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "empty"),
        ('{"content": "Wen told Anna that the rel', "json"),
        ("小文告诉安娜，发布改到五月十号。", "language"),
        (RELEASE * 2, "long"),
        ("The review stays on May 6. The review stays on May 6.", "repeats"),
        ("The release moves to May 11.", "numbers"),
        ("The release moves to May 10 because of the flood.", "words"),
        ("Anna told Wen that the release moves.", "clauses"),
        ("The review stays on May 10.", "clauses"),
    ],
)
def test_it_says_why(written: str, reason: str) -> None:
    verdict = judge(RELEASE, written)
    assert not verdict.passed
    assert reason in verdict.reasons


def test_a_lost_negation_has_a_name_of_its_own() -> None:
    source = "Priya does not eat meat on Fridays."
    verdict = judge(source, "Priya eats meat on Fridays.")
    assert verdict.reasons == ("negation",)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("Lena has to stop taking aspirin.", "Lena has to take aspirin."),
        ("Nina is considering moving to Bern.", "Nina is moving to Bern."),
        ("The insurance stops paying after 30 days.", "The insurance pays after 30 days."),
        ("Vera dreamt that she won the lottery.", "Vera won the lottery."),
        ("Nils from Volta declined the offer.", "Nils from Volta the offer."),
        ("Pia is the former director of the museum.", "Pia is the director of the museum."),
        ("The lake is anything but clean.", "The lake is clean."),
        ("Our cat bit the neighbour's dog, which ran away.", "Our cat ran away."),
        ("Once the permit arrives, we start digging.", "We start digging."),
        ("In case of fire, break the glass.", "Break the glass."),
        ("保险三十天后停止赔付。", "保险三十天后赔付。"),
        ("佩佩是博物馆的前馆长。", "佩佩是博物馆的馆长。"),
        ("张伟说李娜把合同弄丢了。", "张伟把合同弄丢了。"),
        ("妮娜在考虑搬到成都。", "妮娜搬到成都。"),
        ("小王在银行退了票。", "小王票。"),
        ("一旦批文下来，我们就动工。", "我们动工。"),
        ("娜娜周五前签字的话，价格降到95块。", "价格降到95块。"),
        ("阿吉让小林重启服务器。", "阿吉重启服务器。"),
        ("小王被老板骂了。", "小王骂了。"),
        ("万一停电，去地下室拿蜡烛。", "去地下室拿蜡烛。"),
    ],
)
def test_the_verb_stays_and_what_limits_it(source: str, written: str) -> None:
    assert judge(source, source).passed
    assert not judge(source, written).passed


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("Anna worked at Siemens.", "Anna works at Siemens."),
        ("Ben had a dog called Rex.", "Ben has a dog called Rex."),
        ("Wen was in Oslo.", "Wen is in Oslo."),
        ("Wen wasn't in Oslo.", "Wen is not in Oslo."),
        ("Ben was fired from the bar.", "Ben fired from the bar."),
        ("The landlord has been paid in full.", "The landlord has paid in full."),
        ("We were planning a party.", "We are planning a party."),
        ("The bridge is being repaired in May.", "The bridge is repaired in May."),
        ("She drinks tea at home.", "She drinks tea now."),
        ("Wen paid 30 euros for 5 lamps for 3 rooms.", "Wen paid for 3 rooms."),
        ("老王去过北京和天津。", "老王去北京和天津。"),
        ("小王去北京出差。", "小王去北京出差了。"),
        ("小王修这台电脑。", "小王又修这台电脑。"),
        ("他们昨天来北京。", "他们都来北京。"),
    ],
)
def test_when_it_was_and_who_did_it_stay(source: str, written: str) -> None:
    assert judge(source, source).passed
    assert not judge(source, written, longest=100).passed


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("Wen was on Monday in Oslo.", "Wen was in Oslo."),
        ("We're late and haven't eaten.", "We are late and have not eaten."),
        ("They don't know it.", "They do not know it."),
        ("I am ill and I've a cough.", "Ada is ill and has a cough."),
        ("He has really enjoyed it.", "He has enjoyed it."),
        ("他们昨天都来了北京。", "他们来北京。"),
        ("她在决赛又输了。", "她输了。"),
        ("The new building in Graz has 12 floors.", "The building in Graz has 12 floors."),
        ("Ivo bought the old lamp from the inn for 80 euros.", "Ivo bought the lamp for 80 euros."),
        ("Our cat bit the dog, which then ran away.", "Our cat bit the dog, which ran away."),
        ("The white hen has already gone.", "The white hen has gone."),
        ("Tom goes to the dentist once a week.", "Tom goes to the dentist."),
        ("The router in the hall was replaced on Monday.", "The router was replaced on Monday."),
        ("她在决赛输了。", "她输了。"),
        ("小婷的签证周一批下来了。", "小婷的签证批下来了。"),
        ("会场终于定了。", "会场定了。"),
        ("星期天在老磨坊吃饭。", "周日在老磨坊吃饭。"),
    ],
)
def test_what_hangs_on_something_may_go(source: str, written: str) -> None:
    assert judge(source, written, speaker="Ada", longest=100).passed


def test_the_source_itself_and_its_sentences_pass() -> None:
    """What the extractive rules would have kept must never be refused."""
    for language in LANGUAGES:
        for case in cases(language):
            verdict = judge(case.source, case.source, speaker=case.speaker)
            assert verdict.passed, (case.source, verdict)


def test_i_is_the_speaker_and_nobody_else() -> None:
    source = "I am allergic to penicillin. My sister is not."
    assert judge(source, "Ada is allergic to penicillin.", speaker="Ada").passed
    assert judge(source, "Ada's sister is not.", speaker="Ada").passed
    assert not judge(source, "Ben is allergic to penicillin.", speaker="Ada").passed
    assert not judge(source, "Ada is allergic to penicillin.").passed


def test_a_name_stands_for_a_pronoun_only_where_one_can_be_meant() -> None:
    assert judge("Wen was in Oslo. He caught a cold.", "Wen caught a cold.").passed
    assert not judge("Wen wrote to Ada. She was ill.", "Wen was ill.").passed


def test_numbers_are_compared_by_value() -> None:
    assert judge("We need twenty-five chairs by 2 June.", "We need 25 chairs by June 2.").passed
    assert judge("三月五号来了十二个人。", "3月5日来了12个人。").passed
    assert not judge("The tank holds 1234567.5 litres.", "The tank holds 1234568.5 litres.").passed
    assert not judge("It was -5 degrees outside.", "It was 5 degrees outside.").passed
    assert not judge("Due on 2026-05-03, says Ada.", "Due on 2025-05-03.").passed


@pytest.mark.parametrize(
    "source",
    [
        "Der Vertrag mit Nordwind läuft bis Ende 2027, und niemand außer Ulrike darf ihn kündigen.",
        "会議は三時から五時に変わりました。",
        "Договор действует до конца года, и никто не может его расторгнуть.",
    ],
)
def test_a_language_that_it_cannot_read_does_not_pass(source: str) -> None:
    """Its negations would be words like others, which may be left out."""
    assert judge(source, source).reasons == ("language",)


def test_what_keeps_no_keyword_and_runs_sentences_together_is_unfaithful() -> None:
    source = (
        "Anna reviews the budget of the Lisbon harbour project on Tuesday. Tomas paints the "
        "northern lighthouse near Porto. The ferry to Faro carries cashews, clay kilns and gauges. "
        "Iris tests the release."
    )
    verdict = judge(source, "Anna reviews the budget and Iris tests the release.")
    assert verdict.reasons == ("fidelity",)
    assert verdict.fidelity == pytest.approx(0.6 * 0.5)  # half of its words, and no keyword


def test_a_model_that_never_stops_costs_nothing() -> None:
    assert judge(RELEASE, "release " * 1_000_000).reasons == ("long",)


@given(st.text(), st.text())
def test_it_never_fails(source: str, written: str) -> None:
    verdict = judge(source, written, speaker="Wen", longest=10_000)
    assert verdict.passed == (not verdict.reasons)
    assert 0.0 <= verdict.fidelity <= 1.0


@given(
    st.text(alphabet="零一二三十百千万亿0123456789.,-年月日号半两只 fiveandhundred", max_size=40)
)
def test_reading_never_fails(text: str) -> None:
    assert all(token.text for token in read(text))


@pytest.mark.parametrize("source", ["he " * 300, "a1 " * 500, "很长的文章，" * 300 + "结束。"])
def test_a_text_that_repeats_itself_is_given_up(source: str) -> None:
    """There are more ways through it than anyone can try; when in doubt, no."""
    assert not judge(source, source[: len(source) // 2] + source[-4:-1]).passed
