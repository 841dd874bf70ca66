"""`graphmem lang` tells the writer of a table what is wrong with it, and how a text is read."""

import json

import pytest

from graphmem.interfaces.cli.commands import main


def test_a_language_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    """The status is what a script goes by, the document what it reads."""
    assert main(["lang", "check", "de", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["faults"] == []
    assert document["folder"].endswith("de")
    assert document["examples"] >= 4 * document["rules"] > 100
    assert "quoting.toml" in document["lacking"]


def test_what_a_text_is_read_as(capsys: pytest.CaptureFixture[str]) -> None:
    """Without it a writer of tables sees what is wrong only in the memory of a user."""
    assert (
        main(
            ["lang", "read", "Das Passwort ist Rhabarber-3. Am 3. Mai 2031 ist Schluss.", "--json"]
        )
        == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert document["guard"] == ["Das Passwort ist [password]. Am 3. Mai 2031 ist Schluss."]
    assert document["calendar"] == ["2031-05-03"]
    assert "uses" in document["claims"]
    assert "again" not in document.get("ends", ())


def test_a_language_without_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped code passed for a language without faults."""
    assert main(["lang", "check", "xx"]) == 2
    assert "xx" in capsys.readouterr().err
