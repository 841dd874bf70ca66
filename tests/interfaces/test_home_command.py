"""The commands of a home."""

import json
import os
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

import graphmem
from graphmem.api import homes
from graphmem.api.access import open_or_attach
from graphmem.interfaces.cli.commands import main


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Run a command of a home in a folder; its status and what it printed."""
    monkeypatch.setenv("GRAPHMEM_HOME", f"file://{tmp_path / 'home'}")
    monkeypatch.setenv("GRAPHMEM_HOME_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GRAPHMEM_WORKER", "none")

    def run(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(arguments)
        out, err = capsys.readouterr()
        return status, out + err

    return run


def test_an_operator_needs_no_python(told: Any, tmp_path: Path) -> None:
    """A memory that cannot be listed, freed, copied out and erased from a shell is a memory that
    nobody can look after at night."""
    assert told("home", "make")[0] == 0
    assert told("remember", "The tender is due on Friday.", "--path", "agent-1")[0] == 0
    assert "Friday" in told("recall", "When is the tender due?", "--path", "agent-1")[1]
    assert "agent-1" in told("home", "list", "agent-")[1]
    assert told("home", "owner", "agent-1") == (0, "Nothing.\n")
    assert told("home", "check", "agent-1") == (0, "No faults.\n")
    assert told("home", "backup", "agent-1", str(tmp_path / "copy"))[0] == 0
    assert told("home", "adopt", str(tmp_path / "copy"), "agent-2")[0] == 0
    assert "DestinationError" in told("home", "adopt", str(tmp_path / "copy"), "agent-2")[1]
    assert told("home", "restore", str(tmp_path / "copy"), "agent-1")[0] == 0
    status, said = told("home", "restore", str(tmp_path / "copy"), "agent-3")
    assert (status, "adopt puts a new one there" in said) == (1, True)  # it made one: "Done."
    assert "agent-3" not in told("home", "list")[1]
    assert told("home", "free", "agent-1")[0] == 0
    assert told("home", "move", "agent-2", f"file://{tmp_path / 'other'}")[0] == 0
    there = ("--home", f"file://{tmp_path / 'other'}")
    for at in (("home", *there, "list"), ("home", "list", *there)):  # as every other option
        other = json.loads(told(*at, "--json")[1])
        assert [memory["name"] for memory in other["result"]] == ["agent-2"]
    assert told("home", "erase", "agent-1")[0] == 0
    assert json.loads(told("home", "list", "--json")[1]) == {"result": []}
    assert told("home", "janitor") == (0, "0\n")
    for command in (("export", str(tmp_path / "out.jsonl")), ("admin", "repair")):
        assert "home backup" in told(*command, "--path", "agent-1")[1]
    status, out = told("home", "check", "agent-1")
    assert status == 1
    assert "MissingError" in out


def test_a_command_makes_a_folder_home_and_reads_the_cache_without_it(
    told: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first command of all was refused, and where the disk was not mounted all were."""
    assert told("remember", "The tender is due on Friday.", "--path", "agent-1")[0] == 0
    (tmp_path / "home").rename(tmp_path / "unmounted")
    monkeypatch.setattr(homes, "_homes", {})  # as in another process
    status, out = told("remember", "It is due on Monday.", "--path", "agent-1")
    assert (status, "graphmem home make" in out) == (1, True)
    with open_or_attach("agent-1", read_only=True) as left:
        assert len(left) == 1
    assert not (tmp_path / "home").exists()


def test_commands_take_turns(told: Any, tmp_path: Path) -> None:
    """Of two commands at once one was refused at once, and the note of a cron job was lost."""
    home = graphmem.Home(f"file://{tmp_path / 'home'}", cache=tmp_path / "elsewhere")
    memory = home.open("agent-1", worker="none", attachable=False)
    closing = Timer(0.5, memory.close)
    closing.start()
    assert told("remember", "The tender is due on Friday.", "--path", "agent-1")[0] == 0
    closing.join()
    home.close()


def test_a_command_says_where_a_memory_is_open(told: Any) -> None:
    """Whoever routes a request asks for the owner."""
    with graphmem.open("agent-1", attachable=False):
        found = json.loads(told("home", "owner", "agent-1", "--json")[1])["result"]
    assert found["host"].endswith(f":{os.getpid()}")


def test_without_a_home_it_says_how_to_name_one(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHMEM_HOME")
    status, out = told("home", "list")
    assert status == 1
    assert "GRAPHMEM_HOME" in out
