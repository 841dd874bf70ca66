"""The tables of languages, for whoever writes them: lang check."""

from __future__ import annotations

import click

from graphmem.interfaces.cli.group import Chosen, cli, command
from graphmem.interfaces.cli.printing import answer, complain, said


@cli.group()
def lang() -> None:
    """The tables of languages: how dates and numbers are said.

    \b
      graphmem lang check de
    """


@command("check", lang)
@click.argument("code")
def check_tables(chosen: Chosen, code: str) -> int:
    """Check the tables of a language: lines, phrases, and the examples of each rule.

    Exit status 1 if something is wrong, 2 if there are no tables.

    \b
      graphmem lang check de
    """
    from graphmem_worker.language.check import check

    try:
        report = check(code)
    except FileNotFoundError as error:
        complain("no tables", str(error), chosen.json)
        return 2
    counts = {"rules": report.rules, "phrases": report.phrases, "examples": report.examples}
    found = {"folder": str(report.folder), "faults": report.faults}
    answer(
        chosen,
        {**found, **counts, "unused": report.unused},
        said(f"checked {report.folder}", "dim"),
        *(said(fault, "yellow") for fault in report.faults),
        ", ".join(f"{number} {what}" for what, number in counts.items()),
        *(said(f"no example needs {phrase}", "dim") for phrase in report.unused),
    )
    return 1 if report.faults else 0
