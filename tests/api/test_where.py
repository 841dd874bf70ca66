"""What filters is one `Where`, with the same meaning for each verb and in each process."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem import Where
from graphmem.errors import ArgumentTypeError, InvalidArgumentError


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[graphmem.Memory]:
    with graphmem.open(tmp_path / "m", worker="none", durability="os") as opened:
        opened.remember(
            "The pump of hall A is red.",
            about=graphmem.About(kind="project"),
            metadata={"team": "a"},
        )
        opened.remember(
            "The pump of hall B is red.",
            about=graphmem.About(kind="personal"),
            session="s",
            speaker="Wen",
        )
        opened.remember(
            "The pump was red.",
            about=graphmem.About(kind="universal"),
            happened="2020-01-01T00:00:00Z",
        )
        yield opened


WHERES = [
    (Where(), [1, 2, 3]),
    (Where(session="s"), [2]),
    (Where(speaker="wen"), [2]),
    (Where(since="2021-01-01T00:00:00+00:00"), [1, 2]),
    (Where(until="2021-01-01T00:00:00+00:00"), [3]),
    (Where(metadata={"team": "a"}), [1]),
    (Where(metadata={"confidence": {"lt": 0.01}}), []),
    (Where(realm="project"), [1]),
    (Where(realm=["project", "personal"]), [1, 2]),
    (Where(realm="project", metadata={"team": "b"}), []),
    (Where(realm="project", metadata={"realm": "personal"}), []),
    (Where(among=[2, 3, 99]), [2, 3]),
    (Where(without=[2, 99]), [1, 3]),
    (Where(among=[2, 3], without=[3]), [2]),
    (Where(as_of="2020-06-01T00:00:00+00:00"), [3]),
]


@pytest.mark.parametrize(("where", "expected"), WHERES)
def test_each_condition_means_the_same_everywhere(
    memory: graphmem.Memory, where: Where, expected: list[int]
) -> None:
    """A condition that one verb or one process ignored would show what it was to hide."""
    assert memory.path is not None
    with graphmem.attach(memory.path) as attached:
        for one in (memory, attached):
            assert [node.id for node in one.nodes(where=where)] == expected
            found = one.recall("red pump", where=where, cut="none", use=False)
            assert sorted(hit.id for hit in found) == expected


def test_metadata_goes_before_the_kind_of_the_same_name() -> None:
    """Whoever keeps a "source" of its own found nothing, or what graphmem itself calls so."""
    with graphmem.open(worker="none") as memory:
        memory.remember("The pump is red.", metadata={"source": "chat"})
        memory.remember("The valve is red.")
        for source, expected in (("chat", [1]), (memory[2].kind.source, [2])):
            where = Where(metadata={"source": source})
            assert [node.id for node in memory.nodes(where=where)] == expected


@pytest.mark.parametrize("given", [{"team": "a"}, "team=a", 5, [1]])
def test_what_is_no_where_is_refused_with_the_way(memory: graphmem.Memory, given: Any) -> None:
    """`where={"team": "a"}` was right before: as nothing it would return what must not be seen."""
    assert memory.path is not None
    with graphmem.attach(memory.path) as attached:
        for one in (memory, attached):
            for call in (one.recall, one.themes.about):
                with pytest.raises(ArgumentTypeError, match=r"conditions on metadata are Where\("):
                    call("pump", where=given)
            with pytest.raises(ArgumentTypeError, match=r"where is a graphmem\.Where, got"):
                list(one.nodes(where=given))


def test_metadata_that_is_no_mapping_is_refused(memory: graphmem.Memory) -> None:
    wrong: Any = 5
    for where in (Where(metadata=wrong), Where(metadata=wrong, realm="project")):
        with pytest.raises(ArgumentTypeError, match="metadata is a mapping"):
            memory.nodes(where=where)


def test_conditions_that_nothing_can_meet_are_told_of(memory: graphmem.Memory) -> None:
    """A slip in a name, or two dates the wrong way round, looked like a memory without an answer."""
    for since, until in (("2026-05-03", "2026-05-01"), ("2026-05-03", "2026-05-03")):
        with pytest.raises(InvalidArgumentError, match="until is later than since"):
            memory.recall("kettle", where=Where(since=since, until=until))
    memory.remember("The kettle is red.", metadata={"team": "red", "year": 2026})
    (note,) = memory.recall("kettle", where=Where(metadata={"taem": "red"})).notes
    assert "'taem'" in note
    assert "team" in note
    assert memory.recall("kettle", where=Where(metadata={"team": "blue"})).notes == ()
    assert memory.recall("kettle", where=Where(metadata={"realm": "universal"})).notes == ()


@pytest.mark.parametrize(
    "where",
    [
        *(Where(realm=realm) for realm in ("persnal", "persönlich", "项目", "", ["project", "x"])),
        Where(metadata={"temporality": "long"}),
        Where(metadata={"realm": {"ne": "PERSONAL"}}),
    ],
)
def test_a_kind_that_there_is_not_is_refused_with_those_that_there_are(
    memory: graphmem.Memory, where: Where
) -> None:
    """A misspelt realm found nothing, which looked like a memory without an answer."""
    for act in (lambda: memory.recall("pump", where=where), lambda: memory.nodes(where=where)):
        with pytest.raises(InvalidArgumentError, match=r"is one of p.*, .*, got"):
            act()


def test_a_list_follows_no_links(memory: graphmem.Memory) -> None:
    for where in (Where(depth=1), Where(relations=["focus"])):
        with pytest.raises(InvalidArgumentError, match="relations and depth are for recall"):
            memory.nodes(where=where)


def test_what_can_be_read_once_is_kept(memory: graphmem.Memory) -> None:
    """A second recall with the same `Where` would have found nothing, or everything."""
    where = Where(among=(node for node in (2, 3)))
    for _ in range(2):
        assert [node.id for node in memory.nodes(where=where)] == [2, 3]


@pytest.mark.parametrize(
    ("call", "now"),
    [
        (lambda m: m.recall("pump", session="s"), r"recall takes .*write where=Where\(session=…\)"),
        (lambda m: list(m.nodes(until="2026-01-01")), r"write where=Where\(until=…\)"),
        (lambda m: m.themes.about("pump", speaker="Wen"), r"write where=Where\(speaker=…\)"),
        (lambda m: m.remember("Text.", kind="project"), r"write about=About\(kind=…\)"),
        (lambda m: m.recall("pump", level="theme"), "write mode='themes' alone"),
        (lambda m: m.recall("pump", count_tokens=len), r"write tokens=Tokens\(…, by=…\)"),
        (lambda m: m.context("pump", count_tokens="qwen"), r"write tokens=Tokens\(…, by=…\)"),
        (lambda m: m.remember("Text.", ttl=60), r"write expires=…"),
    ],
)
def test_an_argument_of_before_says_what_is_written_now(
    memory: graphmem.Memory, call: Any, now: str
) -> None:
    """A program of before would stop with no hint of where its condition went."""
    assert memory.path is not None
    with graphmem.attach(memory.path) as attached, graphmem.reach(memory.path) as reached:
        for one in (memory, attached, reached):
            with pytest.raises(InvalidArgumentError, match=now):
                call(one)
    assert len(memory) == 3
