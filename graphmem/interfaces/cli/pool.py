"""The command `pool watch`; the others of a pool are derived, with which this module is loaded."""

from __future__ import annotations

import json
import sys
from typing import Final

import click

from graphmem.interfaces.cli.group import Chosen, noun_group, pass_chosen, shared
from graphmem.interfaces.cli.printing import plain
from graphmem.interfaces.cli.reach import opened

_SLICE: Final = 20.0  # seconds that one question for changes waits


@noun_group("pool").command("watch")
@click.argument("prefix", default="")
@click.option("--name", default="shared", show_default=True, help="Name of the pool.")
@click.option("--since", type=int, metavar="NUMBER", help="From this change on; 0 for all kept.")
@click.option("--changes", "most", type=int, metavar="NUMBER", help="End after so many.")
@shared
@pass_chosen
def watch_pool(chosen: Chosen, prefix: str, name: str, since: int | None, most: int | None) -> None:
    """Print each change of entries whose keys begin with PREFIX, until interrupted.

    \b
      graphmem pool watch research: --name team
    """
    with opened(chosen) as memory:
        entries = memory.pool(name)
        printed = 0
        while most is None or printed < most:
            found = entries.changes(since, prefix=prefix, wait=_SLICE)
            since = found.last
            if found.gap:
                click.echo("changes were missed: list the entries", err=True)
            for change in found[: None if most is None else most - printed]:
                printed += 1
                if chosen.json:
                    click.echo(json.dumps(plain(change), ensure_ascii=False))
                else:
                    by = f" by {change.by}" if change.by else ""
                    click.echo(f"{change.action} {change.key} (version {change.version}){by}")
            sys.stdout.flush()
