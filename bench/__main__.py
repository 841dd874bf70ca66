"""`python -m bench NAME [--json FILE]` runs one bench; without a name, all of them.

A bench is a module of this package with `HELP`, `configure(parser)`, which adds its own options,
and `run(arguments)`, which returns its rows. Add it to `BENCHES`.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from types import ModuleType
from typing import Final

from bench import report
from bench.corpora import NotThereError

BENCHES: Final[tuple[ModuleType, ...]] = tuple(
    import_module(f"bench.{name}")
    for name in (
        "answers",
        "arrivals",
        "attach",
        "bulk",
        "context",
        "conflicts",
        "dates",
        "engine",
        "facts",
        "filling",
        "fit",
        "forgetting",
        "forms",
        "gate",
        "guard",
        "heads",
        "home",
        "kinds",
        "langgraph",
        "latency",
        "life",
        "mcp",
        "model",
        "offers",
        "pairs",
        "pool",
        "probes",
        "oracle",
        "recall",
        "secrets",
        "sets",
        "size",
        "soak",
        "sparql",
        "themes",
        "tokens",
        "vectors",
        "view",
        "worker",
    )
)


def main() -> None:
    """Run what the command line asks for."""
    # Before or after NAME: the option of a bench has no default that would undo the one before it.
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--json", metavar="FILE", help="write rows and machine to FILE")
    parser = argparse.ArgumentParser("python -m bench", description=__doc__, parents=[common])
    commands = parser.add_subparsers(metavar="NAME")
    every = {bench.__name__.removeprefix("bench."): bench for bench in BENCHES}
    chosen = {}
    for name, bench in every.items():
        chosen[name] = commands.add_parser(name, help=bench.HELP, parents=[common])
        bench.configure(chosen[name])
        chosen[name].set_defaults(bench=bench)
    arguments = parser.parse_args()
    if hasattr(arguments, "bench"):
        rows = _rows(arguments.bench, arguments)
    else:
        rows = [row for name in every for row in _rows(every[name], chosen[name].parse_args([]))]
    report.show(rows)
    if "json" in arguments:
        report.save(arguments.json, rows)


def _rows(bench: ModuleType, arguments: argparse.Namespace) -> list[report.Row]:
    try:
        rows: list[report.Row] = bench.run(arguments)
    except NotThereError as error:
        print(f"skipped: {error} is not there", file=sys.stderr)
        return []
    return rows


if __name__ == "__main__":
    main()
