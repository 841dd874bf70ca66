"""The tables of languages, for whoever writes them: lang check."""

from __future__ import annotations

import click

from graphmem.interfaces.cli.group import Chosen, cli, pass_chosen, shared
from graphmem.interfaces.cli.printing import complain, print_json


@cli.group()
def lang() -> None:
    """The tables of languages: how dates and numbers are said.

    \b
      graphmem lang check de
    """


@lang.command("check")
@click.argument("code")
@shared
@pass_chosen
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
    if chosen.json:
        counts = {"rules": report.rules, "phrases": report.phrases, "examples": report.examples}
        found = {"folder": str(report.folder), "faults": report.faults}
        print_json({**found, **counts, "unused": report.unused})
        return 1 if report.faults else 0
    from graphmem.interfaces.terminal import said, show

    show(said(f"checked {report.folder}", "dim"))
    for fault in report.faults:
        show(said(fault, "yellow"))
    show(said(f"{report.rules} rules, {report.phrases} phrases, {report.examples} examples"))
    for phrase in report.unused:
        show(said(f"no example needs {phrase}", "dim"))
    return 1 if report.faults else 0
