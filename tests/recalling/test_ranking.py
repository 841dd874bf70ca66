"""What a cue says beside its words: who, when, and what is not said twice."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import graphmem
from graphmem.recalling import matching
from graphmem.recalling.candidates import letters
from graphmem.recalling.weights import WORDS
from graphmem.runtime.database import system_clock
from graphmem.settings import Ranking

NOW = datetime(2026, 5, 13, 12, tzinfo=UTC)  # a Wednesday


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none", clock=lambda: NOW) as opened:
        yield opened


def best(memory: graphmem.Memory, cue: str) -> graphmem.Hit:
    return memory.recall(cue, use=False)[0]


@pytest.mark.parametrize(
    ("texts", "cue"),
    [
        (("Anouk moved to Ghent with her dog.", "Anouk moved to Ghent in May."), "When did Anouk move to Ghent?"),
        (("Saltmarsh employs people.", "Saltmarsh employs 32 people."), "How many people does Saltmarsh employ?"),
        (("安可带着狗搬到了宁波。", "安可搬到了宁波，那是五月一号。"), "安可是什么时候搬到宁波的？"),
    ],
)  # fmt: skip
def test_what_lacks_the_kind_of_value_stands_behind(
    memory: graphmem.Memory, texts: tuple[str, str], cue: str
) -> None:
    """ "When?" was answered without a day, by whatever holds more of the other words."""
    for text in texts:
        memory.remember(text)
    first, second = memory.recall(cue, use=False, cut="none")[:2]
    assert (first.text, second.text) == texts[::-1]
    assert first.parts.get("lacks", 0.0) == 0.0
    assert second.parts["lacks"] == WORDS["lacks"] < 0


@pytest.mark.parametrize(
    ("texts", "cue"),
    [
        (("Ben's car is blue.", "Mia has no car, she cycles."), "Who has no car?"),
        (("Ina smokes on the balcony.", "Nora does not smoke any more."), "Who does not smoke?"),
        (("老陈的车停在院子里。", "老张没有车，天天骑自行车。"), "谁没有车？"),
        (("Ben hat ein Auto.", "Mia hat kein Auto und fährt Rad."), "Wer hat kein Auto?"),
    ],
)
def test_a_negated_cue_prefers_what_says_not(
    memory: graphmem.Memory, texts: tuple[str, str], cue: str
) -> None:
    for text in texts:
        memory.remember(text)
    first, second = memory.recall(cue, use=False, cut="none")[:2]
    assert first.text == texts[1]
    assert 0 < first.parts["negation"] <= WORDS["negation"]
    assert "negation" not in second.parts
    assert "says not, as the cue does" in first.why
    turn = f"{cue} {texts[0]} {texts[0]}"  # a turn of several sentences asks for no such thing
    assert all("negation" not in hit.parts for hit in memory.recall(turn, use=False))


@pytest.mark.parametrize(
    ("speakers", "texts", "cue", "who"),
    [
        (("Ada", "Wen"), ("Painting a boat, the boat.", "Painting boats, Ada."), "Ada's boat", "Ada"),
        (("Dr Ada Byron", "Wen"), ("Boats.", "Boats of Byron."), "Which boats had Byron?", "Dr Ada Byron"),
        (("马千里", "林青"), ("单价谈妥了。", "单价谈妥了吧。"), "千里谈的单价是多少", "马千里"),
    ],
)  # fmt: skip
def test_a_named_speaker_is_preferred(
    memory: graphmem.Memory, speakers: tuple[str, str], texts: tuple[str, str], cue: str, who: str
) -> None:
    """ "What did Ada paint?" is answered by Ada, not by whoever greets her."""
    for speaker, text in zip(speakers, texts, strict=True):
        memory.remember(text, speaker=speaker)
    hit = best(memory, cue)
    assert hit.node.speaker == who
    assert 0 < hit.parts["speaker"] <= 0.6 * (hit.parts["words"] + hit.parts["activation"]) + 1e-9
    assert f"was said by {who}, whom the cue names" in hit.why


def test_a_word_that_is_also_a_name_names_nobody(memory: graphmem.Memory) -> None:
    """Will is a name only where it is written like one."""
    memory.remember("The boat is red.", speaker="Will")
    assert "speaker" not in best(memory, "what will the boat be").parts
    assert "speaker" in best(memory, "Did Will see the boat?").parts


@pytest.mark.parametrize(
    ("cue", "day"),
    [
        ("lunch on 7 May", "2026-05-07"),
        ("lunch yesterday", "2026-05-12"),
        ("the lunch of last May", "2025-05-20"),
        ("lunch in June 2025", "2025-06-02"),
        ("what did we do yesterday?", "2026-05-12"),  # none of its words is known
    ],
)
def test_a_named_time_is_preferred(memory: graphmem.Memory, cue: str, day: str) -> None:
    """An agent that dates its memories is asked by date."""
    for other in ("2025-05-20", "2025-06-02", "2026-05-07", "2026-05-12", "2026-05-13"):
        memory.remember(f"Lunch, number {other[-1]}.", happened=f"{other}T12:00:00+00:00")
    hit = best(memory, cue)
    assert f"{hit.node.happened:%Y-%m-%d}" == day
    assert f"is of {day}, a time that the cue names" in hit.why


def test_an_undated_memory_is_of_its_day_of_creation(memory: graphmem.Memory) -> None:
    """Most callers give no date."""
    memory.remember("Lunch was late.")
    assert "time" in best(memory, "lunch today").parts
    assert "time" not in best(memory, "lunch yesterday").parts


def test_what_questions_ask_with_finds_nothing(memory: graphmem.Memory) -> None:
    """A rare "happened" would outrank what the question is about."""
    memory.remember("The boat sank in the harbour.")
    memory.remember("It happened again, as she mentioned.")
    for _ in range(8):
        memory.remember(f"A boat of number {_} came by.")
    found = memory.recall("What happened to the boat in the harbour?", use=False)
    assert found[0].text == "The boat sank in the harbour."
    assert all(not hit.parts["words"] for hit in found if "happened" in hit.text)


def test_the_days_of_a_cue_are_those_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Shanghai "yesterday" would be the day before it until eight in the morning."""
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        assert system_clock().utcoffset() == timedelta(hours=8)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_repeated_text_is_one_hit(memory: graphmem.Memory) -> None:
    """A budget full of the same sentence tells nothing; another figure is another sentence."""
    texts = (
        "Ship on May 3.",
        "Lunch.",
        "ship on may 3",
        "Tea.",
        "Ship on May 4.",
        "Ship on May 3!",
    )
    nodes = [memory.remember(text, speaker="Wen")[0].id for text in texts]
    other = memory.remember("Ship on May 3.", speaker="Ada")[0].id
    found = memory.recall("ship on May 3", where=graphmem.Where(depth=0), use=False, cut="none")
    same = {nodes[0], nodes[2], nodes[5]}
    (hit,) = [hit for hit in found if hit.id in same]
    assert {hit.id, *hit.folded} == same
    assert {nodes[4], other} <= {hit.id for hit in found}
    assert "2 more say the same" in hit.why
    assert "(said 3 times)" in found.text
    for text in ("发布定在五月三日。", "发布定在五月三日！"):
        memory.remember(text, speaker="林青")
    assert "（说过 2 次）" in memory.recall("发布定在哪天", use=False).text


def test_diversity_puts_likeness_behind() -> None:
    """Five wordings of one fact would hide the second fact."""
    texts = (
        "The release is in May.",
        "The release is in May now.",
        "In May, Noor signs the release off.",
    )
    for diversity, second in ((0.0, 1), (0.5, 2)):
        knobs = Ranking(diversity=diversity, recency_weight=0.0, focus_weight=0.0)
        with graphmem.open(worker="none", tuning=graphmem.Tuning(ranking=knobs)) as memory:
            nodes = [memory.remember(text)[0].id for text in texts]
            found = memory.recall("release in May", where=graphmem.Where(depth=0), use=False)
            assert [hit.id for hit in found[:2]] == [nodes[0], nodes[second]]
            assert sorted(hit.id for hit in found) == nodes


def test_of_equal_matches_the_newer_stands_first_unless_that_is_switched_off() -> None:
    """A memory of years answered with the oldest first."""
    for factor in (0.0, 1.0):
        with graphmem.open(
            worker="none",
            tuning=graphmem.Tuning(ranking=Ranking(recency_weight=factor, focus_weight=0.0)),
        ) as memory:
            for number in range(12):
                memory.remember(f"Boat {'one two'.split()[number > 5]}.", session=f"s{number}")
                memory.remember("Nothing new.", session=f"s{number}")
            first = memory.recall("boat", use=False, where=graphmem.Where(depth=0))[0]
        assert first.node.session == ("s11" if factor else "s0")
        assert first.parts["recency"] == pytest.approx(factor * WORDS["recency"])
        assert first.score == pytest.approx(sum(first.parts.values()))


@pytest.mark.parametrize("by", ["another turn", "a correction"])
def test_recency_is_at_most_one_though_the_last_note_is_of_an_old_session(by: str) -> None:
    """It counted sessions from the last note: a note of a newer session got 137 and stood first."""
    with graphmem.open(worker="none") as memory:
        mangos = memory.remember("Tara is allergic to mangos.", session="first")[0]
        memory.remember_many(
            {"text": f"Errand {number} is done.", "session": f"s{number}"} for number in range(60)
        )
        memory.remember("Tara was at the zoo today.", session="last")
        if by == "another turn":
            memory.remember("It rains today.", session="first")
        else:
            memory.replace(mangos, "Tara is allergic to ripe mangos.")
        found = memory.recall("What is Tara allergic to?", use=False)
        assert "mangos" in found[0].text
        assert all(hit.parts.get("recency", 0.0) <= WORDS["recency"] for hit in found)


@pytest.mark.parametrize(
    "off",
    ["focus_weight", "activation_weight", "hop_damping", "use_weight", "session_weight",
     "contrast_weight", "question_weight"],
)  # fmt: skip
@pytest.mark.parametrize("cue", ["", "boat"])
def test_a_part_may_weigh_nothing(off: str, cue: str) -> None:
    """Every weight may be 0, also where nothing else scores: no share of nothing is taken."""
    knobs = dict.fromkeys(("focus_weight", off), 0.0)
    with graphmem.open(
        worker="none", tuning=graphmem.Tuning(ranking=Ranking(diversity=0.5, **knobs))
    ) as memory:
        for text in ("Boat one.", "Boat two."):
            memory.remember(text)
        found = memory.recall(cue, use=False, trace=True)
    assert len(found) == 2
    assert found.trace is not None
    assert found.trace.svg().endswith("</svg>\n")
    assert str(found.trace)


@pytest.mark.parametrize(
    ("question", "answer", "cue"),
    [
        ("Sorry to hear. Do the vouchers have an expiry date?", "14 May next year.", "When do the vouchers expire?"),
        ("好的。代金券有到期日吗？", "明年五月十四号。", "代金券什么时候到期"),
    ],
)  # fmt: skip
def test_an_answer_stands_where_its_question_matches(
    memory: graphmem.Memory, question: str, answer: str, cue: str
) -> None:
    """The assistant's question came back, and the reply that shares no word with the cue did not."""
    memory.remember("The airline gave us vouchers, typical.", speaker="Nora", session="may")
    memory.remember("航空公司只给代金券。", speaker="Nora", session="may")
    memory.remember(question, speaker="assistant", session="may")
    (reply,) = memory.remember(answer, speaker="Nora", session="may")
    memory.remember("Dad has a new mobile.", speaker="Nora", session="june")
    found = memory.recall(cue, use=False)
    hit = next(hit for hit in found if hit.id == reply.id)
    assert hit.parts["question"] > 0
    assert "answers a question that matches" in hit.why
    assert hit in found[:3]


@pytest.mark.parametrize("who", ["assistant", "Bot", "AI", "助手", "智能体", "KI"])
def test_an_assistant_ranks_as_one_whatever_it_is_called(memory: graphmem.Memory, who: str) -> None:
    memory.remember("The kettle is red.", speaker=who)
    (hit,) = memory.recall("kettle", use=False)
    assert hit.parts["assistant"] < 0


def test_an_agent_ranks_its_log_as_anybody_s(memory: graphmem.Memory) -> None:
    """What it found and decided is what it looks for; only replies in a chat rank below."""
    memory.remember("Fixed the export by reading the file as cp1252.", speaker="agent")
    (hit,) = memory.recall("How was the export fixed?", use=False)
    assert "assistant" not in hit.parts


def test_the_next_turn_of_the_same_speaker_is_no_answer(memory: graphmem.Memory) -> None:
    """Nor what was said in another session or in none, nor another question."""
    for speaker, session, text in (
        ("Nora", "may", "It rained."),
        ("assistant", "june", "It rained."),
        ("assistant", "may", "Which vouchers?"),
    ):
        memory.remember("Do the vouchers have an expiry date?", speaker="Nora", session="may")
        memory.remember(text, speaker=speaker, session=session)
    memory.remember("Do the vouchers have an expiry date?")
    memory.remember("It rained.", speaker="Wen")
    for hit in memory.recall("When do the vouchers expire?", use=False, cut="none", limit=20):
        assert not hit.parts.get("question")


def test_a_session_is_read_in_its_order(memory: graphmem.Memory) -> None:
    """An answer before its question, and a date on every line, cost the reader time and tokens."""
    for session, day, lines in (
        ("monday", "2026-05-04", ("How is the boat?", "Red, and dry.")),
        ("friday", "2026-05-08", ("Lunch was late.", "The boat, the red boat sails.")),
    ):
        for who, text in zip(("Ada", "Wen"), lines, strict=True):
            memory.remember(text, speaker=who, session=session, happened=f"{day}T09:00:00+02:00")
    memory.remember("A boat, by the way.")
    found = memory.recall("red boat", tokens=200, use=False, cut="none")
    assert found.text.splitlines() == [
        "[2026-05-08, Ada] Lunch was late.",
        "[Wen] The boat, the red boat sails.",
        "[2026-05-04, Ada] How is the boat?",
        "[Wen] Red, and dry.",
        "(perhaps related)",
        "[2026-05-13] A boat, by the way.",
    ]
    assert [memory[node].text for node in found.included] == [
        line.partition("] ")[2] for _, line in found.lines
    ]


@given(st.text())
def test_letters_are_the_same_by_either_way(text: str) -> None:
    """ASCII takes a short cut; it must not fold anything else."""
    assert letters(text) == re.sub(r"[\W_]+", "", text.casefold())


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 40))
def test_of_equal_scores_the_first_are_kept(scores: list[int], count: int) -> None:
    """The same cue must not bring back now this, now that."""
    kept = matching._largest(np.array(scores, np.float32), count).tolist()
    best = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:count]
    assert kept == sorted(best)
