"""Commands that ask about the graph: sparql."""

from __future__ import annotations

import json
from typing import Any

import click

from graphmem.interfaces.cli.derived import bindings
from graphmem.interfaces.cli.group import Chosen, command
from graphmem.interfaces.cli.printing import answer, print_json, table
from graphmem.interfaces.cli.reach import opened
from graphmem.interfaces.terminal import Progress, printable


@command("graph sparql")
@click.argument("query")
@click.option("--bind", "bound", multiple=True, metavar="NAME=VALUE",
              help="Bind a variable to a literal; may be repeated.")  # fmt: skip
@click.option("--seconds", type=float, default=30.0, show_default=True, help="For the answer.")
def sparql(chosen: Chosen, query: str, bound: tuple[str, ...], seconds: float) -> None:
    """Answer a SPARQL query over the memory and its facts: SELECT, ASK, CONSTRUCT or DESCRIBE.

    With --json, SPARQL's own JSON of the results; a graph is printed as N-Triples.

    \b
      graphmem graph sparql "SELECT ?n ?text { ?n memory:mentions 'release'; memory:content ?text }"
      graphmem graph sparql "ASK { ?n memory:mentions ?word }" --bind word=release
    """
    with Progress("Asking"), opened(chosen, read_only=True) as memory:
        result = memory.graph.sparql(query, seconds=seconds, **bindings(bound))
    if result.type in ("CONSTRUCT", "DESCRIBE"):
        written = (result.serialize(format="nt", encoding="utf-8") or b"").decode()
        if chosen.json:
            print_json({"ntriples": written})
        else:
            click.echo(printable(written), nl=False)
        return
    document = json.loads(result.serialize(format="json", encoding="utf-8") or b"{}")
    if result.type == "ASK":
        answer(chosen, document, "yes" if result.askAnswer else "no")
        return
    found: list[Any] = list(result)
    rows = (("" if value is None else value for value in row) for row in found)
    names = [f"?{name}" for name in result.vars or ()]
    answer(chosen, document, table(names, rows) if found else "No solutions.")
