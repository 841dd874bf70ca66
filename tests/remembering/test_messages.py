"""A chat that is handed over becomes what was said, by whom and when, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, MalformedError
from graphmem.exchange import notes
from graphmem.remembering.messages import read_jsonl, read_lines, read_messages


def drafts(*messages: Any, session: str | None = None) -> list[dict[str, object]]:
    return read_messages(messages, session)


def test_a_text_is_its_speakers() -> None:
    assert drafts(
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": " Where is the key? "},
        {"role": "assistant", "content": "Under the mat."},
        {"role": "user", "name": "Wen", "content": "Thanks."},
        {"role": "Human", "content": "Hm."},
        {"role": "narrator", "content": "It rains."},
        {"role": "user", "name": " ", "content": "No."},
    ) == [
        {"text": "Be brief.", "speaker": "system"},
        {"text": "Where is the key?", "speaker": "user"},
        {"text": "Under the mat.", "speaker": "assistant"},
        {"text": "Thanks.", "speaker": "Wen"},
        {"text": "Hm.", "speaker": "user"},
        {"text": "It rains.", "speaker": "narrator"},
        {"text": "No.", "speaker": "user"},
    ]


def test_of_parts_those_with_a_text_count() -> None:
    content = [
        {"type": "text", "text": "Look at this."},
        {"type": "image_url", "image_url": {"url": "data:…"}},
        {"type": "input_audio", "input_audio": {}},
        {"text": "It is mine."},
        "And old.",
        {"type": "output_text", "text": "  "},
        {"type": "tool_use", "name": "f", "input": {"text": "no"}},
    ]
    found = read_messages([{"role": "user", "content": content}])
    assert [d["text"] for d in found] == ["Look at this.\n\nIt is mine.\n\nAnd old."]


def test_tool_calls_and_their_results_are_left_out() -> None:
    found = read_messages(
        [
            {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}, {"id": "2"}]},
            {"role": "tool", "tool_call_id": "1", "content": "42"},
            {"role": "function", "name": "f", "content": "43"},
            {"role": "assistant", "content": "It is 42.", "function_call": {"name": "f"}},
            {"role": "user", "content": [{"type": "tool_result", "content": "44"}]},
            {"role": "user", "content": ""},
        ]
    )
    assert [d["text"] for d in found] == ["It is 42."]


def test_sessions_and_times() -> None:
    berlin = timezone(timedelta(hours=2))
    first, second, third, fourth = drafts(
        {"role": "user", "content": "a", "timestamp": "2026-05-03T09:30:00+02:00"},
        {"role": "user", "content": "b", "created_at": 1_777_777_777, "session": "own"},
        {"role": "user", "content": "c", "created_at": 1_777_777_777_500, "timestamp": None},
        {"role": "user", "content": "d", "timestamp": "2026-05-03"},
        session="chat",
    )
    assert first["happened"] == datetime(2026, 5, 3, 9, 30, tzinfo=berlin)
    assert (first["session"], second["session"]) == ("chat", "own")
    assert second["happened"] == datetime.fromtimestamp(1_777_777_777, UTC)
    assert third["happened"] == datetime.fromtimestamp(1_777_777_777.5, UTC)
    assert fourth["happened"] == datetime(2026, 5, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    "messages",
    [
        "Hello",
        {"role": "user", "content": "x"},
        5,
        ["x"],
        [{"content": "x"}],
        [{"role": 5, "content": "x"}],
        [{"role": "user", "content": 5}],
        [{"role": "user", "content": [5]}],
        [{"role": "user", "content": "x", "name": 5}],
        [{"role": "user", "content": "x", "session": 5}],
        [{"role": "user", "content": "x", "timestamp": True}],
        [{"role": "user", "content": "x", "timestamp": []}],
    ],
)
def test_what_is_no_chat_is_named(messages: object) -> None:
    with pytest.raises(ArgumentTypeError, match="messages"):
        read_messages(messages)


@pytest.mark.parametrize(
    "when", ["noon", float("inf"), float("nan"), 1e30, "0001-01-01T00:00+14:00"]
)
def test_a_time_that_cannot_be_is_named_with_its_message(when: object) -> None:
    fine = {"role": "user", "content": "x"}
    with pytest.raises(InvalidArgumentError, match=r"messages\[1\]"):
        read_messages([fine, {**fine, "timestamp": when}])


def test_a_plain_file_has_a_note_a_line() -> None:
    assert list(read_lines("f", ["one\n", "\n", "  two "])) == [{"text": "one"}, {"text": "two"}]


def test_jsonl_has_messages_or_our_own_fields() -> None:
    lines = [
        '{"role": "user", "content": "a", "timestamp": "2026-05-03T09:30:00Z"}\n',
        "\n",
        '{"text": "b", "speaker": "Wen", "session": null, "keywords": ["k"], "pin": true}',
        '{"role": "tool", "content": "c"}',
    ]
    first, second = read_jsonl("f", lines, "chat")
    assert first["happened"] == datetime(2026, 5, 3, 9, 30, tzinfo=UTC)
    assert second == {
        "text": "b", "speaker": "Wen", "keywords": ["k"], "pin": True, "session": "chat"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[1]", "not an object"),
        ('{"words": "x"}', "neither"),
        ('{"text": 5}', "neither"),
        ('{"text": "x", "mood": 1}', "mood"),
        ('{"role": "user", "content": 5}', "the message"),
        ('{"role": "user", "content": "x", "timestamp": "noon"}', "the message"),
    ],
)
def test_a_wrong_line_is_named(line: str, why: str) -> None:
    with pytest.raises(MalformedError, match=why) as raised:
        list(read_jsonl("notes.jsonl", ['{"text": "fine"}', line]))
    assert raised.value.line == 2


@pytest.mark.parametrize(
    ("form", "before", "bad", "line"),
    [
        ("text", "Fine.", "No\0ne.", 2),
        ("notes", '{"text": "Fine."}', '{"text": "Bad.", "happened": "gestern"}', 2),
        ("notes", '{"text": "还好。"}', '{"text": "坏的。", "keywords": "一个词"}', 2),
        ("notes", '{"text": "Gut."}', '{"text": "Schlecht.", "pin": "ja"}', 2),
        ("notes", '{"text": "Fine."}', '{"text": "Bad.", "metadata": [1]}', 2),
        ("notes", '{"text": "Fine."}', '{"text": "Bad.", "metadata": {"\\ud800": 1}}', 2),
        ("notes", '{"text": "Fine."}', '{"text": "Bad.", "session": 5}', 2),
        ("notes", '{"text": "Fine."}', '{"text": "Bad.", "importance": 3}', 2),
        ("notes", '{"text": "Fine."}', '{"text": "Bad.", "kind": "odd"}', 2),
        ("notes", '{"text": "Fine."}', '{"text": "Bad.", "confidence": "sure"}', 2),
        ("notes", '{"text": "Fine."}', '{"text": " "}', 2),
        ("notes", '{"role": "user", "content": "a"}', '{"role": "user", "content": "a\\u0000"}', 2),
        (
            "chat",
            '[{"role": "user", "content": "a"},',
            '{"role": "user", "content": "\\u0000"}]',
            1,
        ),
    ],
)
def test_what_cannot_be_remembered_is_named_before_anything_is(
    tmp_path: Path, form: str, before: str, bad: str, line: int
) -> None:
    """A bad value in the midst of a long file named neither file nor line, and the texts before it
    were stored: the same command stopped there again."""
    file = tmp_path / "given"
    file.write_text(f"{before}\n{bad}\n", encoding="utf-8")
    with pytest.raises(MalformedError, match=f"given, line {line}: ") as raised:
        list(notes.read(str(file), form))
    assert (raised.value.path, raised.value.line) == (str(file), line)
    assert form != "chat" or "text 2 of the chat" in str(raised.value)


@pytest.mark.parametrize("message", [{"role": "user"}, {"role": "用户", "text": "钥匙在哪里？"}])
def test_a_message_without_content_is_refused_by_name(message: dict[str, str]) -> None:
    """Nothing was remembered, and nothing said so."""
    with pytest.raises(ArgumentTypeError, match=r'messages\[1\] has no "content"'):
        drafts({"role": "user", "content": "Hm."}, message)
    assert drafts({"role": "assistant", "tool_calls": [{}]}) == []
