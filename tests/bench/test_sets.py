"""The bench of sets: it must not ask before or after its time, or every figure is wrong."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import oracle, sets
from bench.corpora import Conversation, Question, Turn
from bench.plain import Plain, best, tokens
from bench.stream import Stream, sampled

WORDS = ("boat", "paint", "harbour", "rope", "船", "油漆")


def conversation(texts: Sequence[str], *questions: Question) -> Conversation:
    turns = tuple(
        Turn(f"t{n}", "Ada", f"2026-03-{n + 1:02d}T10:00:00+00:00", f"s{n // 2}", text)
        for n, text in enumerate(texts)
    )
    return Conversation("made", "en", "made", turns, questions)


def asked(text: str, *evidence: str, after: int | None = None) -> Question:
    return Question(text, "", frozenset(evidence), "made", after)


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1), min_size=2, max_size=8), st.data())
def test_bm25_of_the_turns_told_so_far_is_that_of_a_conversation_that_ends_there(
    turns: list[list[str]], data: st.DataObject
) -> None:
    """A question in the stream was once scored with the rarity of words that came later."""
    texts = [" ".join(words) for words in turns]
    known = data.draw(st.integers(1, len(texts)))
    whole, part = Plain(conversation(texts)), Plain(conversation(texts[:known]))
    for cue in WORDS:
        assert np.allclose(whole.turns(cue, known), part.turns(cue, known))
        assert np.allclose(whole.sessions(cue, known), part.sessions(cue, known))


def test_a_chinese_word_is_found_by_its_characters() -> None:
    assert tokens("黑猫 Cats") == ["黑", "猫", "黑猫", "cat"]
    plain = Plain(conversation(["猫粮在柜子里", "Nothing here"]))
    assert best(plain.turns("猫", 2)) == [0]


def test_a_question_in_the_stream_is_asked_before_what_follows_it() -> None:
    made = conversation(
        ["The boat is red.", "Rope is dear.", "The boat is blue.", "The boat sank."],
        asked("Which colour is the boat?", "t2"),
        asked("Is the boat red?", "t0", after=0),
    )
    with Stream(made, None) as stream:
        seen = [
            (question.after, stream.known, stream.places(stream.memory.recall("boat"), question))
            for question in stream.asking()
        ]
    assert [(after, known) for after, known, _ in seen] == [(0, 1), (None, 4)]
    assert seen[0][2] == []  # its own session, which is running, does not count
    assert set(seen[1][2]) >= {0, 2, 3}


def test_a_sample_is_drawn_alike_and_no_larger_than_asked_for() -> None:
    many = conversation(["The boat is red."], *(asked(f"boat {n}?", "t0") for n in range(9)))
    few = sampled([many, many], 4)
    assert sum(len(c.questions) for c in few) == 4
    assert few == sampled([many, many], 4)
    assert sampled([many], None) == [many]


def test_the_interval_of_equal_values_is_that_value() -> None:
    assert sets.interval([[0.5, 0.5], [0.5]]) == (0.5, 0.5)


def written(folder: Path) -> Path:
    content: dict[str, Any] = {
        "set": "made", "language": "en",
        "turns": [
            {"id": f"t{n}", "time": None, "session": f"s{n}", "speaker": None, "text": text}
            for n, text in enumerate(("The boat is red.", "The rope is in the shed."))
        ],
        "questions": [
            {"q": "Where is the rope?", "after": None, "evidence": ["t1"], "sessions": [],
             "kind": "where", "answer": "in the shed"},
            {"q": "Where is the parrot?", "after": None, "evidence": [], "sessions": [],
             "kind": "where", "answer": "", "absent": True},
        ],
    }  # fmt: skip
    path = folder / "made.json"
    path.write_text(json.dumps(content), "utf-8")
    return path


def test_a_set_is_measured_beside_the_plain_rankings(tmp_path: Path) -> None:
    rows = sets.run(Namespace(paths=[str(written(tmp_path))], sample=None, turns=None, words=True,
                              vectors=False, ablate=False, plain=False, rows=None, chart=None))  # fmt: skip
    values = {(row.dataset, row.method, row.metric): row.value for row in rows}
    for method in ("graphmem", "bm25"):
        assert values["made", method, "M"] == 1.0
        assert values["made", method, "answer@300t"] == 1.0
    assert values["made", "graphmem", "questions"] == 1.0
    assert ("made", "graphmem", "empty") in values
    assert ("made", "bm25", "empty") not in values
    assert values["made", "graphmem", "over"] == 0.0  # as good as the best of the others
    assert ("made", "bm25", "over") not in values


def test_a_path_that_is_not_there_is_told_and_skipped(capsys: Any) -> None:
    assert sets.chosen(["/nowhere/at/all"], None, None) == []
    assert "skipped: /nowhere/at/all is not there" in capsys.readouterr().err


@pytest.mark.slow
def test_the_oracle_tells_what_changed(tmp_path: Path, capsys: Any) -> None:
    given = {"paths": [str(written(tmp_path))], "sample": 2, "turns": None, "vectors": False,
             "show": 3}  # fmt: skip
    file = tmp_path / "before.jsonl"
    oracle.run(Namespace(**given, write=str(file), compare=None))
    same = oracle.run(Namespace(**given, write=None, compare=str(file)))
    assert {row.value for row in same} == {0.0}
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    changed = [row | {"hits": [99]} if row["set"] == "made/en" else row for row in rows]
    file.write_text("\n".join(map(json.dumps, changed)), "utf-8")
    capsys.readouterr()
    other = oracle.run(Namespace(**given, write=None, compare=str(file)))
    values = {(row.dataset, row.metric): row.value for row in other}
    assert values["made/en", "hits_differ"] == 1.0
    assert values["made/en", "text_differ"] == 0.0
    assert "hits [99] -> " in capsys.readouterr().out
