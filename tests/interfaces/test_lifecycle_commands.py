"""`graphmem review` and `graphmem files guard`: what a person sees, and what a script gets.

A cleaning command that takes a typo for "all" empties a memory.
"""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import click
import pytest

import graphmem
from graphmem.interfaces.cli.commands import main
from graphmem.interfaces.cli.lifecycle import places

VALUE = "Tr0ub4dor"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRAPHMEM_PATH", str(tmp_path / "m"))
    monkeypatch.setenv("GRAPHMEM_DURABILITY", "os")
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("ok, thanks!")
        memory.remember("验证通过")
        memory.remember("Jonas is allergic to cashews.")
        memory.remember(
            f"The deploy password is {VALUE}-hunter2.", about=graphmem.About(allow=["password"])
        )
    return tmp_path / "m"


@pytest.fixture
def told(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*arguments: str, answer: str = "") -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", StringIO(answer))
        capsys.readouterr()
        status = main(arguments)
        out, err = capsys.readouterr()
        return status, out + err

    return run


def test_status_shows_health_with_its_parts(told: Any) -> None:
    status, out = told("review", "status")
    assert status == 0
    assert out.startswith("4 nodes\n")
    for said in (
        "health: ",
        "active",
        "rot",
        "confidence",
        "conflicts",
        "waiting to be scored 4",
        "ephemeral 2",
    ):
        assert said in out
    found = json.loads(told("review", "status", "--json")[1])["result"]
    assert found["nodes"] == 4
    assert [part["name"] for part in found["health"]["parts"]] == [
        "active", "rot", "confidence", "conflicts",
    ]  # fmt: skip


def test_a_person_says_which_go(told: Any) -> None:
    status, out = told("review", "clean", answer="none\n")
    assert (status, VALUE in out) == (0, False)
    assert "1. The deploy password is [password]." in out
    assert "2. ok, thanks!" in out
    assert "3. 验证通过" in out
    assert "cashews" not in out
    assert "Nothing was changed." in out
    assert told("review", "clean", answer="4\n")[0] == 2
    assert told("review", "clean", answer="everything\n")[0] == 2
    assert len(json.loads(told("nodes", "--json")[1])["result"]) == 4
    assert "1 archived." in told("review", "clean", answer="2\n")[1]
    assert "ok, thanks!" in told("history", "forgotten")[1]
    assert "1 erased." in told("review", "clean", "--kind", "secret", answer="all\n")[1]
    left = [node["text"] for node in json.loads(told("nodes", "--json")[1])["result"]]
    assert left == ["验证通过", "Jonas is allergic to cashews."]


def test_a_script_says_yes(told: Any) -> None:
    found = json.loads(told("review", "clean", "--json")[1])
    assert (len(found["candidates"]), found["taken"]) == (3, [])
    found = json.loads(told("review", "clean", "--kind", "trivial", "--yes", "--json")[1])
    assert (found["taken"], found["archived"]) == ([1, 2], 2)
    assert "Nothing to clean." in told("review", "clean", "--kind", "trivial")[1]


def test_what_may_be_a_secret_can_be_revived(folder: Path, told: Any) -> None:
    """`--yes` erased a sentence of which only the tagger thought that it holds a code."""
    with graphmem.open(folder, worker="none", guard="off") as memory:
        (guessed,) = memory.remember("Round the back, 4471 and then the green button.")
    for _ in range(2):  # what is in the archive is left to a person
        assert told("review", "clean", "--kind", "secret", "--yes")[0] == 0
    with graphmem.open(folder, worker="none") as memory:
        assert [each.node for each in memory.review.candidates("secret")] == [guessed.id]
    assert told("history", "revive", str(guessed.id))[0] == 0
    assert told("review", "clean", "--kind", "secret", "--yes")[0] == 0
    assert "1 erased." in told("review", "clean", "--kind", "secret", answer="1\n")[1]
    assert told("history", "revive", str(guessed.id))[0] != 0


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("You get in with Tulpe1987", "Tulpe1987"),
        ("进门用 Tulpe1987 就行", "Tulpe1987"),
        ("Hinein kommst du mit Tulpe1987", "Tulpe1987"),
    ],
)
def test_what_is_erased_is_read_before(folder: Path, told: Any, said: str, code: str) -> None:
    """ "all" erased it from the archive, and the list had said nothing of it."""
    with graphmem.open(folder, worker="none", guard="off") as memory:
        (guessed,) = memory.remember(said)
        assert not memory.review.candidates("secret")[-1].sure
    assert "1 archived" in told("review", "clean", "--kind", "secret", answer="all\n")[1]
    out = told("review", "clean", "--kind", "secret", answer="all\n")[1]
    assert said.split()[0] in out
    assert code not in out
    assert "only by its number it is erased" in out
    assert told("history", "revive", str(guessed.id))[0] == 0


def test_the_policy_is_only_shown(told: Any) -> None:
    status, out = told("review", "clean", "--policy")
    assert status == 0
    assert "would go without asking: 0" in out
    assert "would be asked about: 0" in out
    assert json.loads(told("review", "clean", "--policy", "--json")[1]) == {
        "automatic": [],
        "asked": [],
    }
    assert told("review", "clean", "--policy", "--yes")[0] == 2


def test_of_two_that_contradict_each_other_the_older_is_closed(told: Any, folder: Path) -> None:
    """The new address was closed as replaced by the one from before the move."""
    with graphmem.open(folder, worker="none") as memory:
        (oslo,) = memory.remember("I live in Oslo.", speaker="Ada")
        (prague,) = memory.remember("I live in Prague now.", speaker="Ada")
    found = json.loads(told("review", "candidates", "--kind", "conflicting", "--json")[1])
    assert [(each["node"], each["other"]) for each in found["result"]] == [(oslo.id, prague.id)]
    status, out = told("review", "clean", "--kind", "conflicting", answer="all\n")
    assert (status, "1 replaced." in out) == (0, True)
    with graphmem.open(folder, worker="none") as memory:
        assert memory[oslo].valid_to is not None
        assert memory[prague].valid_to is None


def test_derived_commands(told: Any) -> None:
    assert "R 1.00" in told("review", "retention", "3")[1]
    assert told("review", "archive", "1", "2")[1] == "2\n"
    assert told("review", "archive")[0] == 2
    assert told("review", "candidates", "--kind", "trivial")[1] == "Nothing.\n"


@pytest.mark.parametrize(
    ("answer", "taken"),
    [
        ("all", [1, 2, 3, 4, 5]), ("全部", [1, 2, 3, 4, 5]), ("none", []), ("", []), ("取消", []),
        ("2", [2]), ("1,3", [1, 3]), ("1，3、5", [1, 3, 5]), ("2-4 1", [1, 2, 3, 4]), ("3,3", [3]),
    ],
)  # fmt: skip
def test_an_answer_names_places(answer: str, taken: list[int]) -> None:
    assert places(answer, 5) == taken


@pytest.mark.parametrize("answer", ["0", "6", "1-9", "4-2", "al", "yes", "1,x", "-1", "1.5"])
def test_what_is_no_answer_is_refused(answer: str) -> None:
    with pytest.raises(click.UsageError):
        places(answer, 5)


def test_guard_tells_places_and_never_values(told: Any, tmp_path: Path) -> None:
    page = tmp_path / "notes.md"
    page.write_text(f"# Notes\n\nThe deploy password is {VALUE}-hunter2.\n我的密码是 {VALUE}88!\n")
    status, out = told("files", "guard", str(page))
    assert status == 1
    assert VALUE not in out
    assert f"{page}:3:24: password, 17 long" in out
    assert f"{page}:4:" in out
    assert "2 secrets found" in out
    found = json.loads(told("files", "guard", str(page), "--json")[1])["found"]
    text = page.read_text()
    assert [text[each["start"] : each["end"]][:9] for each in found] == [VALUE, VALUE]
    page.write_text("Jonas is allergic to cashews.\n")
    assert told("files", "guard", str(page))[0] == 0
    page.write_bytes(b"\xff\xfe\x00")
    assert told("files", "guard", str(page))[0] == 1
    assert told("files", "guard", str(tmp_path / "none"))[0] == 2
