"""The tables of languages, for whoever writes them: lang check, lang read."""

from __future__ import annotations

import click

from graphmem.interfaces.cli.group import Chosen, cli, command
from graphmem.interfaces.cli.printing import answer, complain
from graphmem.interfaces.terminal import styled


@cli.group()
def lang() -> None:
    """The tables of languages: how dates and numbers are said.

    \b
      graphmem lang check de
      graphmem lang read "Übermorgen kommt der Klempner."
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
        {**found, **counts, "unused": report.unused, "lacking": report.lacking},
        styled(f"checked {report.folder}", "dim"),
        *(styled(fault, "yellow") for fault in report.faults),
        ", ".join(f"{number} {what}" for what, number in counts.items()),
        *(styled(f"no example needs {phrase}", "dim") for phrase in report.unused),
        *(styled(f"en has, {code} lacks {names}", "dim") for names in report.lacking),
    )
    return 1 if report.faults else 0


@command("read", lang)
@click.argument("text")
def read_text(chosen: Chosen, text: str) -> int:
    """Show what the tables of all languages read in TEXT, as if it were said today.

    \b
      graphmem lang read "Übermorgen kommt der Klempner."
    """
    from datetime import datetime

    from graphmem.values.moments import MACHINE
    from graphmem_worker.guard import guard
    from graphmem_worker.language import calendar, check
    from graphmem_worker.text.protects import protects
    from graphmem_worker.text.trivial import trivial

    today = datetime.now(MACHINE).date()
    found = {
        "calendar": [check.written(m.period) for m in calendar.mentions(text, today)],
        **check.findings(text),
        "guard": [guard(text).text],
        "trivial": [str(trivial(text))],
        "protects": [str(protects(text))],
    }
    answer(chosen, found, *(f"{kind}: {', '.join(means)}" for kind, means in found.items()))
    return 0
