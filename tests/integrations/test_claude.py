"""A tool that answers Claude otherwise than documented, or writes beside its files, misleads it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem.errors import InvalidArgumentError, VersionConflictError
from graphmem.integrations.claude import MemoryTool

SCRIPT: list[tuple[dict[str, Any], str]] = [
    (
        {"command": "view", "path": "/memories"},
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items"
        " and node_modules:\n0B\t/memories",
    ),
    (
        {"command": "create", "path": "/memories/wen/tea.txt", "file_text": "Green.\nNo sugar.\n"},
        "File created successfully at: /memories/wen/tea.txt",
    ),
    (
        {"command": "create", "path": "/memories/wen/tea.txt", "file_text": "Black."},
        "Error: File /memories/wen/tea.txt already exists",
    ),
    (
        {"command": "create", "path": "/memories/wen/a/b/c.md", "file_text": "x" * 1536},
        "File created successfully at: /memories/wen/a/b/c.md",
    ),
    (
        {"command": "create", "path": "/memories/.hidden", "file_text": "x"},
        "File created successfully at: /memories/.hidden",
    ),
    (
        {"command": "view", "path": "/memories/"},
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items"
        " and node_modules:\n1.5K\t/memories\n1.5K\t/memories/wen/\n1.5K\t/memories/wen/a/\n"
        "17B\t/memories/wen/tea.txt",
    ),
    (
        {"command": "view", "path": "/memories/wen/tea.txt"},
        "Here's the content of /memories/wen/tea.txt with line numbers:\n"
        "     1\tGreen.\n     2\tNo sugar.\n     3\t",
    ),
    (
        {"command": "view", "path": "/memories/wen/tea.txt", "view_range": [2, 2]},
        "Here's the content of /memories/wen/tea.txt with line numbers:\n     2\tNo sugar.",
    ),
    (
        {"command": "view", "path": "/memories/nobody"},
        "The path /memories/nobody does not exist. Please provide a valid path.",
    ),
    (
        {
            "command": "str_replace",
            "path": "/memories/wen/tea.txt",
            "old_str": "Green",
            "new_str": "Oolong",
        },
        "The memory file has been edited.\n     1\tOolong.\n     2\tNo sugar.\n     3\t",
    ),
    (
        {"command": "str_replace", "path": "/memories/wen/tea.txt", "old_str": "Green"},
        "No replacement was performed, old_str `Green` did not appear verbatim in "
        "/memories/wen/tea.txt.",
    ),
    (
        {"command": "str_replace", "path": "/memories/wen/tea.txt", "old_str": "."},
        "No replacement was performed. Multiple occurrences of old_str `.` in lines: 1, 2. Please "
        "ensure it is unique",
    ),
    (
        {"command": "str_replace", "path": "/memories/wen", "old_str": "a", "new_str": "b"},
        "Error: The path /memories/wen does not exist. Please provide a valid path.",
    ),
    (
        {
            "command": "insert",
            "path": "/memories/wen/tea.txt",
            "insert_line": 1,
            "insert_text": "Hot.\n",
        },
        "The file /memories/wen/tea.txt has been edited.",
    ),
    (
        {
            "command": "insert",
            "path": "/memories/wen/tea.txt",
            "insert_line": 9,
            "insert_text": "Hot.",
        },
        "Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the "
        "file: [0, 3]",
    ),
    (
        {"command": "rename", "old_path": "/memories/wen", "new_path": "/memories/people/wen"},
        "Successfully renamed /memories/wen to /memories/people/wen",
    ),
    (
        {"command": "rename", "old_path": "/memories/wen", "new_path": "/memories/x"},
        "Error: The path /memories/wen does not exist",
    ),
    (
        {"command": "rename", "old_path": "/memories/people", "new_path": "/memories/.hidden"},
        "Error: The destination /memories/.hidden already exists",
    ),
    (
        {"command": "create", "path": "/memories/.hidden/x", "file_text": ""},
        "Error: /memories/.hidden is a file, not a directory",
    ),
    ({"command": "delete", "path": "/memories/people/wen/a"}, "Successfully deleted "),
    (
        {"command": "delete", "path": "/memories/people/wen/a"},
        "Error: The path /memories/people/wen/a does not exist",
    ),
    ({"command": "delete", "path": "/memories"}, "Error: /memories itself cannot be deleted"),
    ({"command": "forget", "path": "/memories"}, "Error: a command is view"),
]


@pytest.mark.parametrize(
    "block", [{"id": "toolu_1"}, {"input": {}}, {"id": "a", "input": "view"}, None]
)
def test_what_is_no_block_is_refused(block: Any) -> None:
    """It was a bare KeyError."""
    refused = pytest.raises(InvalidArgumentError, match="has id and input")
    with graphmem.open(worker="none") as memory, refused:
        MemoryTool(memory).answer(block)


def test_a_scripted_run_is_answered_as_the_tools_documentation_says(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", worker="none"), graphmem.attach(tmp_path / "m") as memory:
        tool = MemoryTool(memory)
        for number, (given_, said) in enumerate(SCRIPT):
            block = {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": given_}
            result = tool.answer(block)
            assert result["tool_use_id"] == f"toolu_{number}"
            assert result["content"].startswith(said), given_
            assert result.get("is_error", False) == said.startswith(("Error", "No ", "The path"))
        (tea,) = memory.items.list("claude:", "people/")
        assert (tea.key, tea.value) == ("people/wen/tea.txt", "Oolong.\nHot.\nNo sugar.\n")


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/passwd", "memories/a", "/memories/../etc", "/memories/a/../../b", "/memoriesx/a"),
        *("/memories/%2e%2e/a", "/memories/..%2fa", "/memories/a\\..\\b", "/memories/a//b", ""),
    ],
)
def test_a_path_beside_the_folder_is_refused(path: str) -> None:
    with graphmem.open(None, worker="none") as memory:
        with pytest.raises(InvalidArgumentError, match=r"^Error: Path "):
            MemoryTool(memory).call({"command": "create", "path": path, "file_text": "x"})
        assert memory.items.namespaces() == []


@given(st.lists(st.sampled_from(["a", "b", "文", "a/b", "."]), max_size=3), st.text(max_size=40))
def test_what_is_created_is_what_is_there(parts: list[str], text: str) -> None:
    path, lines = "/".join(["/memories", *parts, "file"]), text.split("\n")
    with graphmem.open(None, worker="none") as memory:
        tool = MemoryTool(memory)
        if "." in parts:
            with pytest.raises(InvalidArgumentError):
                tool.call({"command": "create", "path": path, "file_text": text})
            return
        tool.call({"command": "create", "path": path, "file_text": text})
        shown = tool.call({"command": "view", "path": path}).split("\n")[1:]
        assert [line.partition("\t")[2] for line in shown] == lines
        tool.call({"command": "delete", "path": path})
        assert memory.items.namespaces() == []


@pytest.mark.parametrize("path", ["/memories/wen", "/memories/wen/tea"])
@pytest.mark.parametrize("change", [{"command": "delete"}, {"command": "rename"}])
def test_what_another_agent_wrote_meanwhile_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, str], path: str
) -> None:
    """Renaming wrote what it had read under the new name and deleted what was there by then; an
    edit that came between was gone without a word. So it was with deleting."""
    with graphmem.open(tmp_path / "m", worker="none"), graphmem.attach(tmp_path / "m") as memory:
        one, other = MemoryTool(memory), MemoryTool(memory)
        one.call({"command": "create", "path": "/memories/wen/tea", "file_text": "Green."})
        put_many = memory.items.put_many

        def late(*given: Any, **named: Any) -> Any:
            monkeypatch.undo()
            edit = {"command": "str_replace", "path": "/memories/wen/tea"}
            other.call({**edit, "old_str": "Green", "new_str": "Oolong"})
            return put_many(*given, **named)

        monkeypatch.setattr(one._items, "put_many", late)
        with pytest.raises(VersionConflictError, match="read it again"):
            one.call({**change, "path": path, "old_path": path, "new_path": "/memories/ada"})
        (tea,) = memory.items.list("claude:")
        assert (tea.key, tea.value) == ("wen/tea", "Oolong.")


def test_a_secret_is_cut_and_claude_is_told(tmp_path: Path) -> None:
    """A model that believes a key to be stored looks for it in vain."""
    key = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"
    with graphmem.open(None, worker="none") as memory:
        tool = MemoryTool(memory, recall=True)
        said = tool.call(
            {"command": "create", "path": "/memories/k", "file_text": f"The API key is {key}."}
        )
        assert "cut out" in said
        assert key not in tool.call({"command": "view", "path": "/memories/k"})
        tool.call({"command": "create", "path": "/memories/tea", "file_text": "Wen drinks tea."})
        assert memory.recall("What does Wen drink?")[0].item == ("claude:", "tea")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (
            {"command": "rename", "old_path": "/memories", "new_path": "/memories/a"},
            "Error: /memories itself cannot be renamed",
        ),
        ({"command": "view", "path": "/memories/" + "x" * 1000}, "has 1,010 characters, more than"),
        (
            {"command": "create", "path": "/memories/a", "file_text": "The valve is shut.\n" * 900},
            "at most 64 of an item, about 12,800 characters: split it",
        ),
    ],
)
def test_an_error_says_what_a_model_can_do(asked: dict[str, str], says: str) -> None:
    """It spoke of a prefix of 1,000 characters, and advised to leave out an argument of Python."""
    with graphmem.open(None, worker="none") as memory:
        said = MemoryTool(memory, recall=True).answer({"id": "1", "input": asked})
        assert said["is_error"]
        assert says in said["content"]


def test_the_longest_key_is_read_and_deleted() -> None:
    """Files with keys of 991 to 999 characters, which could be written before, were refused."""
    path = "/memories/" + "x" * 999
    with graphmem.open(None, worker="none") as memory:
        memory.items.put("claude:", "x" * 999, "Wen drinks tea.\n")
        tool = MemoryTool(memory)
        assert "Wen drinks tea." in tool.call({"command": "view", "path": path})
        assert tool.call({"command": "delete", "path": path}).startswith("Successfully deleted")


def test_a_view_is_bounded_and_says_what_goes_on() -> None:
    """A view of a file of 3 MB sent all of it to the model, with no hint of view_range."""
    with graphmem.open(worker="none") as memory:
        tool = MemoryTool(memory)
        lines = [f"note {number}" for number in range(1, 50_001)]
        tool.call({"command": "create", "path": "/memories/many", "file_text": "\n".join(lines)})
        seen: list[str] = []
        view: dict[str, Any] = {"command": "view", "path": "/memories/many"}
        for _ in range(3):
            _, *rows, told = tool.call(view).splitlines()
            seen += [row.split("\t")[1] for row in rows]
            assert sum(len(row) - 6 for row in rows) <= 16_000
            assert f"Lines {len(seen) - len(rows) + 1} to {len(seen)} of 50,000 are above" in told
            assert f"view_range [{len(seen) + 1}, 50000] goes on" in told
            view["view_range"] = [len(seen) + 1, 50_000]
        assert seen == lines[: len(seen)]
        tool.call(
            {"command": "create", "path": "/memories/long", "file_text": "x" * 90_000 + "\nend"}
        )
        told = tool.call({"command": "view", "path": "/memories/long"})
        assert "x" * 16_000 in told
        assert "x" * 16_001 not in told
        assert "line 1 has 90,000 characters, of which a view returns the first 16,000" in told
        assert "view_range [2, 2] has the next lines" in told
        rest = {"command": "view", "path": "/memories/long", "view_range": [2, 2]}
        assert tool.call(rest).endswith("\n     2\tend")


@pytest.mark.parametrize("path", ["//memories/x", "///memories/x"])
def test_a_path_with_two_slashes_is_not_one_with_one(path: str) -> None:
    """//memories/x was taken for /memories/x, though paths outside /memories are refused."""
    with graphmem.open(worker="none") as memory:
        tool = MemoryTool(memory)
        with pytest.raises(InvalidArgumentError, match="must start with /memories"):
            tool.call({"command": "create", "path": path, "file_text": "x"})
        for odd in ("/memories//a", "/memories/a//b", "/memories/a//"):
            with pytest.raises(InvalidArgumentError, match="empty name between two slashes"):
                tool.call({"command": "create", "path": odd, "file_text": "x"})


def test_true_is_no_number_of_a_line() -> None:
    """`insert_line: true` inserted at line 1."""
    with graphmem.open(worker="none") as memory:
        tool = MemoryTool(memory)
        tool.call({"command": "create", "path": "/memories/a", "file_text": "1\n2\n"})
        insert = {"command": "insert", "path": "/memories/a", "insert_text": "x"}
        with pytest.raises(InvalidArgumentError, match="insert_line"):
            tool.call({**insert, "insert_line": True})
        with pytest.raises(InvalidArgumentError, match="view_range"):
            tool.call({"command": "view", "path": "/memories/a", "view_range": [True, 2]})
        told = tool.call({"command": "view", "path": "/memories/a"})
        assert told.endswith("     1\t1\n     2\t2\n     3\t")


def test_no_answer_is_longer_than_a_view(tmp_path: Path) -> None:
    """An edit of a long line, a word on every line and a folder of 3,000 files each answered with
    70 to 690 thousand characters."""
    path = "/memories/notes/long"
    edit: dict[str, Any] = {"command": "str_replace", "path": path}
    with graphmem.open(worker="none") as memory:
        tool = MemoryTool(memory)
        text = "x" * 90_000 + "Y\n" + "ab\n" * 50_000
        tool.call({"command": "create", "path": path, "file_text": text})
        told = tool.call({**edit, "old_str": "Y", "new_str": "Z"})
        assert "line 1 has 90,001 characters" in told
        assert len(told) < 17_000
        with pytest.raises(InvalidArgumentError, match=r"2, 3, .*, 21, and 49,980 more") as refused:
            tool.call({**edit, "old_str": "ab", "new_str": "c"})
        assert len(str(refused.value)) < 400
        with pytest.raises(InvalidArgumentError, match="did not appear") as refused:
            tool.call({**edit, "old_str": "z" * 50_000})
        assert len(str(refused.value)) < 1_200
        memory.items.put_many(
            {"namespace": "claude:", "key": f"notes/file-{n}", "value": "x"} for n in range(3000)
        )
        of_all: dict[str, Any] = {"command": "view", "path": "/memories/notes"}
        rows = tool.call(of_all).splitlines()
        assert sum(map(len, rows)) < 17_000
        shown = len(rows) - 2
        assert rows[-1] == (
            f"(Truncated: {3002 - shown:,} more are not listed; view_range [{shown + 1}, 3002] "
            "goes on.)"
        )
        more = tool.call({**of_all, "view_range": [shown + 1, -1]}).splitlines()
        assert not {*rows} & {*more[1:]}  # no range reached what was left out


def test_what_is_no_text_is_not_written_as_one() -> None:
    """`new_str: ["x"]` wrote ['x'] into the file, and a line break in a name forged a row of the
    list."""
    with graphmem.open(worker="none") as memory:
        tool = MemoryTool(memory)
        tool.call({"command": "create", "path": "/memories/a", "file_text": "tea"})
        for odd in (["x"], 7, {"a": 1}):
            with pytest.raises(InvalidArgumentError, match="a command is"):
                tool.call(
                    {
                        "command": "str_replace",
                        "path": "/memories/a",
                        "old_str": "t",
                        "new_str": odd,
                    }
                )
        with pytest.raises(InvalidArgumentError, match="control character"):
            tool.call(
                {"command": "create", "path": "/memories/a\n1K\t/memories/b", "file_text": ""}
            )
        assert [item.value for item in memory.items.list("claude:")] == ["tea"]


def test_an_edit_shows_what_is_stored() -> None:
    """The snippet showed the secret that had been cut out."""
    key = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"
    with graphmem.open(worker="none") as memory:
        tool = MemoryTool(memory)
        tool.call({"command": "create", "path": "/memories/k", "file_text": "The key is K."})
        edit = {"command": "str_replace", "path": "/memories/k", "old_str": "K", "new_str": key}
        told = tool.call(edit)
        assert "cut out" in told
        assert key not in told
