"""The examples in the help of commands do what they show.

Those made of declarations had "…" for most arguments, linked a node with itself and asked items in
SPARQL: nobody had ever run one.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from graphmem.interfaces.cli.commands import cli, main
from tests.test_house_examples import fault_of
from tests.themes.test_catalog import remembered

_EXAMPLE = re.compile(r"^ {4}graphmem (.+)$", re.M)
_PYTHON = re.compile(r"\b[A-Z]\w+\(\w+=|datetime\.|<graphmem\.|^None$", re.M)
"""What Python writes of its objects."""
_ONLY_READ = {
    "admin retry": "it needs a text that could not be scored",
    "demo": "it takes a minute",
    "files watch": "it runs until interrupted",
    "graph nearest": "it needs a model of vectors",
    "mcp": "it serves",
    "model": "it needs a download",
    "model pull": "it is a download",
    "pool watch": "it runs until interrupted",
    "themes summarise": "it needs a model that writes",
    "shell": "it reads standard input",
    "view": "it serves",
}
"""Commands whose examples are compared with the options that there are, and why not run."""
_BEFORE: dict[str, tuple[str, ...]] = {
    "admin restore": ("admin backup /mnt/disk/memory-2026-05-03", "rm agent-memory"),
    "files remove": ("files add notes.md",),
    "history reopen": ("replace 17 'It is another one now.'",),
    "history revive": ("forget 17",),
    **dict.fromkeys(("home adopt", "home list"), ("home make",)),
    **dict.fromkeys(
        ("home backup", "home erase", "home free", "home janitor", "home owner", "home restore"),
        ("home make", "home adopt agent-memory agent-42"),
    ),
    "import": ("export memory.jsonl",),
    "scopes open": ("remember 'The team is here.' --scope team",),
}
"""What makes true what the examples of a command take for granted."""


def commands(group: click.Group, context: click.Context) -> Iterator[tuple[str, str]]:
    """(path, help) of a group's commands and groups."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, parent=context, info_name=name)
        yield inner.command_path.removeprefix("graphmem "), command.get_help(inner)
        if isinstance(command, click.Group):
            yield from commands(command, inner)


EXAMPLES = {
    path: found
    for path, told in commands(cli, click.Context(cli, info_name="graphmem"))
    if (found := [line for line in _EXAMPLE.findall(told) if not line.endswith("COMMAND --help")])
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the examples are about."""
    folder = tmp_path_factory.mktemp("examples")
    with remembered(folder / "agent-memory") as memory:
        memory.remember("Wen moved the release to May 10.", session="standup")
        memory.items.put("tickets", "7", {"title": "The printer jams."})
        memory.pool("shared").write("7", "The printer jams.")
        memory.scopes.open("work")
    (folder / "notes.md").write_text("# Pump\n\nThe pump is red.\n")
    (folder / "notes.txt").write_text("The gate is green.\n")
    (folder / "chat.json").write_text('[{"role": "user", "content": "Where is the key?"}]')
    triple = "<http://e.org/a> <http://e.org/b> <http://e.org/c> .\n"
    for name in ("people.ttl", "places.nt"):
        (folder / name).write_text(triple)
    (folder / "docs" / "memory").mkdir(parents=True)
    (folder / "docs" / "memory" / "techContext.md").write_text("# Tech\n\nIt uses PostgreSQL.\n")
    (folder / "disk").mkdir()
    return folder


@pytest.fixture
def told(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Run a line behind `graphmem`; its status and what it printed."""
    folder = tmp_path / "here"
    shutil.copytree(kept, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GRAPHMEM_PATH", "agent-memory")
    monkeypatch.setenv("GRAPHMEM_DURABILITY", "os")

    def run(line: str) -> tuple[int, str]:
        words = shlex.split(line.replace("/mnt/disk", "disk"))
        if words[0] == "rm":
            shutil.rmtree(words[1])
            return 0, ""
        if words[0] == "home":
            monkeypatch.delenv("GRAPHMEM_DURABILITY", raising=False)
            monkeypatch.setenv("GRAPHMEM_HOME", f"file://{folder / 'home'}")
            monkeypatch.setenv("GRAPHMEM_HOME_CACHE", str(folder / "cache"))
        pipe = next((at for at, word in enumerate(words) if word[0] in "|>"), None)
        status = main(words[:pipe])
        out, err = capsys.readouterr()
        return status, out + err

    return run


def test_examples_are_found() -> None:
    """A pattern that finds none would pass for ever."""
    assert {"recall", "graph relate", "graph facts put", "home adopt"} < EXAMPLES.keys()


@pytest.mark.parametrize("path", EXAMPLES)
def test_an_example_of_help_does_what_it_shows(path: str, told: Any) -> None:
    assert [fault for line in EXAMPLES[path] if (fault := fault_of(line))] == []
    assert "…" not in " ".join(EXAMPLES[path])
    if path in _ONLY_READ:
        return
    for line in _BEFORE.get(path, ()):
        assert told(line)[0] == 0, line
    for line in EXAMPLES[path]:
        status, said = told(line)
        assert status == 0, f"{line}: {said}"
        assert not _PYTHON.search(said), f"{line}: {said}"
