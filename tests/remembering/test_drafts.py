"""What `remember` refuses and what it takes: each refusal a named error, and nothing is written.

A text that is half refused would leave a node that `recall` trips over for ever, or an exception
that an agent's `except GraphMemError` does not catch.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

import graphmem
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, InvalidTextError
from graphmem.remembering import drafts

WINTER = datetime(2026, 1, 5, 9, 30, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none", tuning=graphmem.Tuning(max_text=1000)) as opened:
        opened.remember("Wen moved the release to May 10.", speaker="Wen")
        yield opened


def everything(memory: graphmem.Memory) -> tuple[Any, ...]:
    """All that a refused call must leave as it was."""
    stats = memory.admin.stats()
    return stats["sequence"], stats["queue"], list(memory), memory.graph.focus


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("", InvalidTextError, "empty or blank"),
        (" \n\t\u3000", InvalidTextError, "empty or blank"),
        *(
            (c, InvalidTextError, "empty or blank")
            for c in "\u200b\ufeff\xad\x1b\u3164\u2800\u0301"
        ),
        ("\u200b \u2060\U000e0020\n", InvalidTextError, "empty or blank"),
        ("x" * 1001, InvalidTextError, "max_text = 1,000; split it"),
        ("a\x00b", InvalidTextError, "a NUL at character 1"),
        ("\x00", InvalidTextError, "a NUL at character 0"),
        ("caf\ud800", InvalidTextError, "lone surrogate at character 3; clean it"),
        ("\udfff", InvalidTextError, "lone surrogate"),
        (None, ArgumentTypeError, "a text is a str, got NoneType"),
        (17, ArgumentTypeError, "a text is a str, got int"),
        (["a"], ArgumentTypeError, "a text is a str, got list"),
        (b"bytes", ArgumentTypeError, "got bytes; decode it first"),
        (bytearray(b"bytes"), ArgumentTypeError, "got bytearray; decode it first"),
    ],
)
def test_a_text_that_cannot_be_remembered_is_refused(
    memory: graphmem.Memory, text: Any, error: type[Exception], says: str
) -> None:
    """A blank, binary or foreign text stored as it is could not be read back or shown."""
    before = everything(memory)
    with pytest.raises(error, match=says):
        memory.remember(text)
    assert everything(memory) == before
    assert memory.admin.check() == []


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"speaker": 5}, ArgumentTypeError, "speaker is a str, got int"),
        ({"speaker": b"Wen"}, ArgumentTypeError, "speaker is a str, got bytes"),
        ({"speaker": "W" * 1001}, InvalidTextError, "speaker has 1,001 characters"),
        ({"speaker": "W\x00"}, InvalidTextError, "speaker has a NUL at character 1"),
        ({"session": ["monday"]}, ArgumentTypeError, "session is a str, got list"),
        ({"session": "\ud83d"}, InvalidTextError, "session has a lone surrogate"),
        (
            {"about": graphmem.About(keywords="release")},
            ArgumentTypeError,
            "keywords is a list of str",
        ),
        ({"about": graphmem.About(keywords=3)}, ArgumentTypeError, "keywords is a list of str"),
        ({"about": graphmem.About(keywords=[3])}, ArgumentTypeError, "a keyword is a str, got int"),
        (
            {"about": graphmem.About(keywords=b"abc")},
            ArgumentTypeError,
            "a keyword is a str, got int",
        ),
        ({"about": graphmem.About(keywords=["a\x00"])}, InvalidTextError, "a keyword has a NUL"),
        (
            {"about": graphmem.About(keywords=map(str, range(33)))},
            InvalidArgumentError,
            "at most 32 keywords, got 33",
        ),
        ({"pin": 1}, ArgumentTypeError, "pin is True or False, got int"),
        ({"pin": None}, ArgumentTypeError, "pin is True or False, got NoneType"),
    ],
)
def test_a_field_that_cannot_be_kept_is_refused_by_its_name(
    memory: graphmem.Memory, arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    """A message about "the text" when the speaker is wrong sends its reader to the wrong place."""
    before = everything(memory)
    with pytest.raises(error, match=says):
        memory.remember("A fine text.", **arguments)
    assert everything(memory) == before
    assert memory.admin.check() == []


@pytest.mark.parametrize(
    ("happened", "error", "says"),
    [
        (datetime(2026, 5, 3), InvalidArgumentError, "no time zone; write"),  # noqa: DTZ001
        ("2026-05-03T09:30:00", InvalidArgumentError, "no time zone; write"),
        ("2026-02-30T00:00:00Z", InvalidArgumentError, "day (is out of|30 must be in) range"),
        ("2026-05-03T25:00:00Z", InvalidArgumentError, "no ISO date-time"),
        ("2026-05-03T09:00:00+24:00", InvalidArgumentError, "no ISO date-time"),
        ("yesterday", InvalidArgumentError, "write it like 2026-05-03T09:30:00"),
        ("", InvalidArgumentError, "no ISO date-time"),
        ("\ud800", InvalidArgumentError, "no ISO date-time"),
        (20260503, ArgumentTypeError, "a datetime or an ISO string, got int"),
        (1777777777, ArgumentTypeError, "a datetime or an ISO string, got int"),
        (
            datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
            InvalidArgumentError,
            "outside the years 1 to 9999",
        ),
        (
            datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12))),
            InvalidArgumentError,
            "outside the years 1 to 9999",
        ),
    ],
)
def test_a_date_that_is_none_is_refused(
    memory: graphmem.Memory, happened: Any, error: type[Exception], says: str
) -> None:
    """A naive date means another moment on each machine; one before year 1 in UTC broke reading."""
    before = everything(memory)
    with pytest.raises(error, match=says):
        memory.remember("A fine text.", happened=happened)
    with pytest.raises(error, match=says):
        memory.recall("release", where=graphmem.Where(since=happened))
    with pytest.raises(error, match=says):
        memory.nodes(where=graphmem.Where(until=happened))
    assert everything(memory) == before
    assert memory.admin.check() == []


@pytest.mark.parametrize(
    ("happened", "shown"),
    [
        (WINTER, "2026-01-05T09:30:00+01:00"),
        ("2026-01-05T09:30:00+01:00", "2026-01-05T09:30:00+01:00"),
        ("20260105T083000Z", "2026-01-05T08:30:00+00:00"),
        ("2026-01-05 09:30:00.000001-05:30", "2026-01-05T09:30:00.000001-05:30"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00+00:00"),
        (datetime.max.replace(tzinfo=UTC), "9999-12-31T23:59:59.999999+00:00"),
        (datetime(1900, 1, 1, tzinfo=timezone(-timedelta(hours=11))), "1900-01-01T00:00:00-11:00"),
        (None, None),
    ],
)
def test_a_date_comes_back_as_it_was_given(
    memory: graphmem.Memory, happened: Any, shown: str | None
) -> None:
    """A date shifted by its offset, or rounded, would answer "when?" wrongly for ever."""
    (node,) = memory.remember("A fine text.", happened=happened)
    for seen in (node, memory[node.id]):
        assert (seen.happened and seen.happened.isoformat()) == shown
    assert memory.admin.check() == []


def test_fields_are_stripped_and_blank_ones_are_none(memory: graphmem.Memory) -> None:
    """` Wen ` and `Wen` as two speakers would split a person's memories in two."""
    (node,) = memory.remember(
        "A fine text.",
        speaker=" Wen ",
        session="  ",
        about=graphmem.About(keywords=[" may ", "", "may", "\n"]),
    )
    assert (node.speaker, node.session) == ("Wen", None)
    assert node.keywords[0] == "may"
    assert node.keywords.count("may") == 1
    assert [n.id for n in memory.nodes(keyword="may")] == [node.id]
    most = tuple(f"word {number}" for number in range(32))
    (node,) = memory.remember("Another text.", about=graphmem.About(keywords=most))
    assert node.keywords[:32] == most


def test_odd_keywords_and_sessions_are_found_again(memory: graphmem.Memory) -> None:
    """A quote or a backslash that breaks a literal's form would hide the node from `nodes`."""
    odd = [
        'say "hi"',
        "back\\slash",
        "line\nbreak",
        "<angle>",
        "@en",
        "^^",
        "五月",
        "🙂",
        "\u2028x",
    ]
    (node,) = memory.remember(
        "A fine text.", about=graphmem.About(keywords=odd), session='a"b\\c\n<d>'
    )
    for word in odd:
        assert [n.id for n in memory.nodes(keyword=word)] == [node.id], word
    assert [n.id for n in memory.nodes(where=graphmem.Where(session='a"b\\c\n<d>'))] == [node.id]
    assert memory.admin.check() == []


@pytest.mark.parametrize(
    "text",
    [
        "🙂",
        "...",
        "\ufeffx",
        "(a+)+$",
        "שלום עולם",
        "ا" * 500,
        "\x1b[31mred",
        '"\\',
        "-" * 300,
        "a" * 999,
        "漢" * 700,
        "\r\n.\r\n",
        "```\nwhile True: pass\n```",
        "e\u0301" * 200,
        "SELECT ?s WHERE { ?s ?p ?o }",
        "\U0010ffff",
    ],
)
def test_any_other_text_is_kept_whole(memory: graphmem.Memory, text: str) -> None:
    """A text without words or sentences must not be lost, nor break what is derived from it."""
    nodes = memory.remember(text)
    kept = "".join("".join(memory[node.id].sentences) for node in nodes)
    assert kept.split() == text.split()
    assert memory.recall(text).text
    assert memory.admin.check() == []


def test_a_mapping_for_remember_many_is_checked_key_by_key(memory: graphmem.Memory) -> None:
    """A misspelt key that is passed over loses what it was to say."""
    before = everything(memory)
    with pytest.raises(InvalidArgumentError, match="unknown key 'sesion'; a text has: text"):
        memory.remember_many([{"text": "A fine text.", "sesion": "monday"}])
    with pytest.raises(ArgumentTypeError, match="a text is a str, got NoneType"):
        memory.remember_many([{"speaker": "Wen"}])
    with pytest.raises(ArgumentTypeError, match="a text is a str, got int"):
        memory.remember_many([5])  # type: ignore[list-item]
    assert everything(memory) == before


def test_a_draft_takes_its_record_from_the_text_alone() -> None:
    """Segments that do not join to the text would lose words between them."""
    text = "One fine day. " * 40 + "第一句话说完了。" * 40
    made = drafts.draft(
        text, limit=200, created=WINTER, rarity=lambda word: 1.0, speaker="Wen", happened=WINTER
    )
    joined = "".join(s.text for segment in made.segments for s in segment.record.sentences)
    # White space at the border of a segment goes.
    assert "".join(joined.split()) == "".join(text.split())
    assert all(len(segment.record.text) <= 200 for segment in made.segments)
    assert {segment.record.speaker for segment in made.segments} == {"Wen"}
    assert all("2026-01-05" in segment.words for segment in made.segments)
