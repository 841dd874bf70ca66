"""Writing: whatever a model answers, the result says nothing that the source does not.

The chats here are scripted: honest, lying, cut short, of another shape, late, or dead.
"""

import json
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import pytest

from graphmem_worker.backends import prompts, writing
from graphmem_worker.backends.extractive import Extractive
from graphmem_worker.backends.prompts import Message
from graphmem_worker.errors import TaskError
from graphmem_worker.protocol import ProcessPayload, check_payload, check_result

SOURCE = "I am allergic to cashews, and I cannot stand coriander. Wen told the cook on May 3."
HONEST = {
    "text": SOURCE.replace("I am", "Ada is").replace("and I", "and Ada"),
    "content": "I am allergic to cashews.",
    "phrase": "allergic to cashews",
    "keywords": ["cashews", "coriander", "Wen"],
}


class Scripted:
    """Answers each schema's fields out of `answers`, or with `raw`."""

    def __init__(self, answers: Mapping[str, Any], raw: str | TaskError | None = None) -> None:
        self.answers = answers
        self.raw = raw
        self.asked: list[Sequence[Message]] = []

    def chat(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, object],
        longest: int,
        until: float,
    ) -> str:
        self.asked.append(messages)
        assert longest > 0
        if isinstance(self.raw, TaskError):
            raise self.raw
        if self.raw is not None:
            return self.raw
        fields: Any = schema["required"]
        return json.dumps({name: self.answers[name] for name in fields if name in self.answers})


def asked(source: str = SOURCE, longest: int = 0, speaker: str = "Ada") -> ProcessPayload:
    return {
        "sentences": [source],
        "keywords": ["mine"],
        "rarity": {},
        "wish": {"source": source, "longest": longest, "speaker": speaker},
    }


def written(chat: Scripted, payload: ProcessPayload) -> Any:
    result = Extractive().process({**payload, "wish": payload["wish"]}, inf)
    found = writing.process(chat, payload, result, inf)
    check_payload("process", payload)
    check_result("process", found)
    return found


def test_an_honest_model_is_heard() -> None:
    found = written(Scripted(HONEST), asked())
    assert found["written"] == {"derived": HONEST["text"], "refused": []}
    assert found["phrase"] == "allergic to cashews"
    assert found["keywords"][:4] == ["mine", "cashews", "coriander", "Wen"]


def test_content_has_the_length_that_was_asked_for() -> None:
    found = written(Scripted(HONEST), asked(longest=25))
    assert found["written"] == {"derived": "I am allergic to cashews.", "refused": []}
    assert written(Scripted(HONEST), asked(longest=10))["written"]["refused"] == ["long"]


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        ("I am allergic to coriander.", "clauses"),
        ("I can stand coriander.", "negation"),
        ("Wen told the cook on May 4.", "numbers"),
        ("Anna prefers tea.", "words"),
        ("", None),
    ],
)
def test_a_lie_is_dropped_and_named(lie: str, reason: str | None) -> None:
    found = written(Scripted({"content": lie}), asked(longest=60))
    assert found["written"] == {"derived": "", "refused": [reason] if reason else []}


def test_labels_are_whole_words_that_tell_something() -> None:
    """ "ashew" would be found, and is in no text."""
    lying = {**HONEST, "phrase": "llergic to cashews", "keywords": ["ashew", "and", "Wen"]}
    found = written(Scripted(lying), asked())
    assert found["written"]["refused"] == ["phrase", "keywords"]
    assert found["phrase"] == Extractive().process(asked(), inf)["phrase"]
    assert found["keywords"][:2] == ["mine", "Wen"]
    assert {"ashew", "and"}.isdisjoint(found["keywords"])


def test_a_phrase_may_be_one_letter() -> None:
    """The name of a language or of a room."""
    source = "I wrote it in R."
    answers = {"text": "Ada wrote it in R.", "phrase": "R", "keywords": ["R"]}
    found = written(Scripted(answers), asked(source))
    assert (found["phrase"], found["written"]["refused"]) == ("R", [])


def test_labels_that_do_not_stand_in_the_source_are_dropped() -> None:
    lying = {**HONEST, "phrase": "nut allergy", "keywords": ["cashews", "allergy"]}
    found = written(Scripted(lying), asked())
    assert found["written"]["refused"] == ["phrase", "keywords"]
    assert found["phrase"] in SOURCE
    assert "allergy" not in found["keywords"]
    assert found["keywords"][:2] == ["mine", "cashews"]


@pytest.mark.parametrize(
    "raw", ["", "{", '{"text": "I am all', "[]", "null", '{"text": 3}', "[" * 99999]
)
def test_what_is_no_answer_changes_nothing(raw: str) -> None:
    payload = asked()
    plain = Extractive().process(payload, inf)
    found = written(Scripted({}, raw), payload)
    assert found["written"]["derived"] == ""
    assert set(found["written"]["refused"]) == {"json"}
    assert {**plain, "written": found["written"]} == found


def test_a_failure_that_may_pass_is_handed_on_and_another_is_not() -> None:
    """A server that is down must not cost the text what the model would have written; a model that
    is too slow must not cost it its scores, and be asked fifteen times."""
    late = Scripted({}, TaskError("busy", "try again", True))
    with pytest.raises(TaskError, match="try again"):
        written(late, asked())
    slow = Scripted({}, TaskError("deadline", "not in time", True))
    assert written(slow, asked())["written"] == {"derived": "", "refused": ["deadline"] * 2}
    broken = Scripted({}, TaskError("refused", "no such model", False))
    assert written(broken, asked())["written"] == {"derived": "", "refused": ["failed", "failed"]}


def test_without_a_wish_nobody_is_asked() -> None:
    chat = Scripted(HONEST)
    payload = asked()
    del payload["wish"]
    result = Extractive().process(payload, inf)
    assert writing.process(chat, payload, result, inf) == result
    assert chat.asked == []


def test_a_text_without_pronouns_is_not_rewritten() -> None:
    chat = Scripted(
        {**HONEST, "keywords": ["release", "May", "Wen"], "phrase": "moved the release"}
    )
    found = written(chat, asked("Wen moved the release to May 10."))
    assert found["written"]["derived"] == ""
    assert len(chat.asked) == 1


def test_chinese_is_asked_in_chinese() -> None:
    source = "我对腰果过敏，也受不了香菜。厨师把这事写在了白板上。"
    chat = Scripted(
        {
            "text": source.replace("我", "小文"),
            "phrase": "我对腰果过敏，也受不了香菜",
            "keywords": ["腰果", "过敏", "香菜"],
        }
    )
    found = written(chat, asked(source, speaker="小文"))
    assert found["written"] == {
        "derived": "小文对腰果过敏，也受不了香菜。厨师把这事写在了白板上。",
        "refused": [],
    }
    assert found["phrase"] == "我对腰果过敏，也受不了香菜"
    assert all(
        "JSON" in messages[0]["content"] and "原文" in messages[0]["content"]
        for messages in chat.asked
    )
    assert "小文" in chat.asked[0][1]["content"]


def test_prompts_of_a_kind_begin_alike() -> None:
    """A model keeps the beginning of a prompt that it has read; what changes must come last."""
    languages: tuple[prompts.Language, ...] = ("en", "zh")
    for language in languages:
        assert prompts.content(language, "a", 10)[0] == prompts.content(language, "b", 99)[0]
        assert prompts.resolve(language, "a", "")[0] == prompts.resolve(language, "b", "Wen")[0]
