"""A clause torn out of its sentence may say the opposite of it."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.text import clauses as clauses_of
from graphmem_worker.text import selection
from graphmem_worker.text.clauses import standalone_clauses
from graphmem_worker.text.phrase import phrase

PARTS = st.lists(
    st.sampled_from(
        [
            "Wen moved the release, ", "but nobody knew it; ", "if it rains, ", "she paid 1,200 euros, ",
            "unless Tom objects, ", "apples, ", "and pears. ", "because (a, b) 1,000 — ", "not before 3 May 2026, ",
            "我们去了北京的老房子，", "但是没有人，", "如果下雨，", "苹果、", "电池扛不住高温，", "他五月十日回来。", " , ",
        ]
    ),
    max_size=12,
).map("".join)  # fmt: skip


@given(st.one_of(PARTS, st.text(max_size=200)))
def test_clauses_are_the_sentence(sentence: str) -> None:
    assert "".join(standalone_clauses(sentence)) == sentence


@pytest.mark.parametrize(
    ("sentence", "together"),
    [
        ("If it rains, we stay at home, and she is glad about it", "If it rains, we stay at home"),
        ("如果下雨，我们就不去了，大家都会很失望的", "如果下雨，我们就不去了"),
        ("We bought apples, pears, and plums at the market", "apples, pears, and plums"),
        ("她不是不想来，而是来不了", "她不是不想来，而是来不了"),
    ],
)
def test_what_needs_each_other_is_one_clause(sentence: str, together: str) -> None:
    assert any(together in clause for clause in standalone_clauses(sentence))


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("这块电池在那么高的温度下面根本就扛不住的因为外壳太薄了而且没有散热", ("不", "扛")),
        ("The new battery that we ordered from the supplier in May cannot stand the heat of the roof", ("cannot", "cannot stand")),
    ],
)  # fmt: skip
def test_a_phrase_keeps_the_complement_of_a_negation_or_leaves_it_out(
    text: str, never: tuple[str, ...]
) -> None:
    for longest in range(4, 60):
        assert not phrase(text, longest).endswith(never)


@pytest.mark.parametrize(
    "sentence",
    [
        "The dinner is on Thursday, no wait, it's Tuesday.",
        "I told Jess the rent was 900, but that was wrong, it's 960.",
        "I was going to take the job in Leeds, but in the end I stayed here.",
        "The doctor doesn't think it's the knee, she thinks it's the hip.",
        "She gave up driving, not because of her eyes, but because the car was stolen.",
        "我本来要去利兹上班的，但最后我还是留在老家了。",
        "我跟洁洁说房租是九百，其实说错了，含车库是九百六。",
        "在看这本书的过程中，我也体会到了生命的意义。",
    ],
)
def test_what_was_put_right_does_not_stand_alone(sentence: str) -> None:
    """A memory kept "The dinner is on Thursday at eight, no wait"."""
    assert standalone_clauses(sentence) == [sentence]


def test_a_condition_behind_a_dash_limits_what_follows() -> None:
    """“We meet at the mill - if it rains” was never said."""
    first, second = standalone_clauses("We meet at the mill - if it rains, we stay at home.")
    assert second == "if it rains, we stay at home."
    assert "if" not in first


def test_a_sentence_is_judged_once_for_both_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """`turned` and `leaning` ask the same of each sentence: a sixth of the time of `files.add`."""
    asked: list[str] = []
    limiting = clauses_of._limiting.__wrapped__
    monkeypatch.setattr(
        clauses_of,
        "_limiting",
        cache(lambda sentence: asked.append(sentence) or limiting(sentence)),
    )
    units = ("The valve may be opened.", "Wen has the key 7741.")
    selection.turned(units)
    selection.leaning(units)
    assert asked == [units[1]]


@pytest.mark.parametrize(
    "units",
    [
        ("The pond has carp.", "Ducks swim there.", "Somebody took them away."),
        ("The ferry is free.", "We queued for an hour.", "These days they charge two euros."),
        ("Olga says the well is clean.", "The kids drank.", "The report shows lead."),
        ("I take two tablets.", "The box is blue.", "That was in May, now it is one."),
        ("Word is the mill closes.", "My aunt wept.", "The owner denies it."),
        ("Der Teich hat Karpfen.", "Enten schwimmen dort.", "Wir haben sie abgeholt."),
        ("Die Fähre ist kostenlos.", "Wir standen lange an.", "Inzwischen kostet es zwei Euro."),
        ("Olga sagt, der Brunnen ist rein.", "Alle tranken.", "Im Bericht steht Blei."),
        ("Ich nehme zwei Tabletten.", "Der Karton ist blau.", "Das war im Mai, jetzt ist es eine."),
        ("Man munkelt, die Mühle schließt.", "Meine Tante weinte.", "Der Besitzer bestreitet es."),
        ("池塘里有鲤鱼。", "鸭子在那里游。", "后来都卖掉了。"),
        ("渡轮免费。", "我们排了一个小时。", "现在要收两欧元。"),
        ("奥尔加说井水干净。", "孩子们喝了。", "报告上写着铅超标。"),
        ("我吃两片药。", "盒子是蓝的。", "那是五月，现在是一片。"),
    ],
)
def test_what_became_of_a_thing_stays_with_it(units: tuple[str, ...]) -> None:
    """ "The ferry is free" was left of a text that went on to say what it costs today."""
    assert (0, 2) in selection.turned(units)


@pytest.mark.parametrize(
    "units",
    [
        ("The pond has carp.", "Ducks swim in the reeds."),
        ("The ferry was late.", "The band played on the quay."),
        ("Die Fähre kam spät.", "Die Kapelle spielte am Kai."),
        ("Der Teich hat Karpfen.", "Das war im Mai."),
        ("池塘里有鲤鱼。", "乐队在码头演奏。"),
        ("渡轮晚点了。", "码头上有支乐队。"),
    ],
)
def test_what_takes_nothing_back_binds_nothing(units: tuple[str, ...]) -> None:
    assert not selection.turned(units)
