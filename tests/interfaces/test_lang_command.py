"""`graphmem lang check` tells the writer of a table what is wrong with it."""

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


def test_a_language_without_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped code passed for a language without faults."""
    assert main(["lang", "check", "xx"]) == 2
    assert "xx" in capsys.readouterr().err
