"""Commands of sharing and prompts: scopes open, scopes drop, context, pool watch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click

import graphmem
from graphmem.api.verbs import Verbs
from graphmem.interfaces.cli import pairs
from graphmem.interfaces.cli.derived import Json
from graphmem.interfaces.cli.group import Chosen, command
from graphmem.interfaces.cli.printing import answer, print_json
from graphmem.interfaces.cli.reach import opened
from graphmem.interfaces.terminal import Progress, printable
from graphmem.values.plain import plain
from graphmem.values.rendering import Tokens

if TYPE_CHECKING:
    from graphmem.sharing.pool import Pool
    from graphmem.values.items import Change

_SLICE: Final = 20.0  # seconds that one question for changes waits


@command("scopes open")
@click.argument("name")
@click.option(
    "--parent", "parents", metavar="NAME", multiple=True,
    help="A scope whose shared memories this one recalls too; may be repeated.",
)  # fmt: skip
@click.option("--no-parents", is_flag=True, help="Let it have no parents any more.")
@click.option("--pools", metavar="NAME", help="Whose pools it uses: its own, or a parent's.")
def scope(
    chosen: Chosen, name: str, parents: tuple[str, ...], no_parents: bool, pools: str | None
) -> None:
    """Make the memory NAME of the folder if it is not there, and say who its parents are.

    \b
      graphmem scopes open reviewer --parent team
      graphmem remember "The audit is two weeks late." --scope team --shared
      graphmem recall "When is the audit?" --scope reviewer
    """
    if parents and no_parents:
        raise click.UsageError("--no-parents does not go with --parent")
    with opened(chosen) as memory:
        child: Verbs = memory.scopes.open(
            name, parents=parents if parents or no_parents else None, pools=pools
        )
        above = child.scopes.parents()
    line = f"{name}: {'recalls from ' + ', '.join(above) if above else 'no parents'}"
    answer(chosen, {"scope": name, "parents": above}, line)


@command("scopes drop")
@click.argument("name")
def drop(chosen: Chosen, name: str) -> None:
    """Delete the memory NAME of the folder with everything in it.

    Scopes that had it as a parent lose that parent, and are named.

    \b
      graphmem scopes drop work
    """
    with Progress("Deleting"), opened(chosen, make=False) as memory:
        children = memory.scopes.drop(name)
    orphans = f"; it is no parent of {', '.join(children)} any more" if children else ""
    answer(chosen, {"result": children}, f"Dropped {name}{orphans}.")


@command("context", params=pairs.where_options(left_out="session"))
@click.argument("cue")
@click.option("--tokens", type=int, default=8000, show_default=True, help="Of the whole.")
@click.option("--session", metavar="NAME", help="Whose newest turns are taken.")
@click.option("--recent", type=float, default=0.25, show_default=True, help="Their share, 0 to 1.")
@click.option("--budgets", type=Json(True), metavar="JSON", help='Shares: {"pinned": 0.1, …}.')
@click.option("--roles", type=Json(True), metavar="JSON", help='Roles: {"Wen": "user", …}.')
@click.option("--pool", default="shared", show_default=True, metavar="NAME")
@click.option("--model", default="o200k", show_default=True, help="Which model reads it.")
@click.option("--parts", is_flag=True, help="Print a line a part: kind, tier, tokens, source.")
@click.option("--messages", is_flag=True, help="Print it as the messages of a chat, as JSON.")
def context(
    chosen: Chosen,
    cue: str,
    tokens: int,
    session: str | None,
    recent: float,
    budgets: dict[str, float] | None,
    roles: dict[str, str] | None,
    pool: str,
    model: str,
    parts: bool,
    messages: bool,
    **where: Any,
) -> None:
    """Print what stands in a prompt for CUE, within a number of tokens.

    \b
      graphmem context "When is the release?" --tokens 2000 --session standup
      graphmem context "When is the release?" --parts
    """
    with opened(chosen, read_only=True) as memory:
        found = memory.context(
            cue, tokens=Tokens(tokens, model), where=graphmem.Where(**where), session=session,
            recent=recent, budgets=budgets, roles=roles, pool=pool,
        )  # fmt: skip
    if messages:
        print_json(found.messages)
    elif chosen.json:
        print_json({"result": found})
    elif parts:
        for part in found.parts:
            row = f"{part.kind:<9} {part.tier:<5} {part.tokens:>6}  {part.source}"
            click.echo(printable(row))
        click.echo(f"{'together':<15} {found.tokens:>6}")
    else:
        click.echo(printable(found.text))
    for note in found.notes:
        click.echo(note, err=True)


@command("pool watch")
@click.argument("prefix", default="")
@click.option("--name", default="shared", show_default=True, help="Name of the pool.")
@click.option("--since", type=int, metavar="NUMBER", help="From this change on; 0 for all kept.")
@click.option(
    "--changes", "most", type=click.IntRange(0), metavar="NUMBER", help="End after so many."
)
def watch_pool(chosen: Chosen, prefix: str, name: str, since: int | None, most: int | None) -> None:
    """Print each change of entries whose keys begin with PREFIX, until interrupted.

    \b
      graphmem pool watch research: --name team
    """
    with opened(chosen) as memory:
        for change in islice(_changes(memory.pool(name), since, prefix), most):
            if chosen.json:
                click.echo(json.dumps(plain(change), ensure_ascii=False))
            else:
                by = f" by {change.by}" if change.by else ""
                line = f"{change.action} {change.key} (version {change.version}){by}"
                click.echo(printable(line))


def _changes(entries: Pool, since: int | None, prefix: str) -> Iterator[Change]:
    """Each change of entries, for ever; says on standard error if some were missed."""
    while True:
        found = entries.changes(since, prefix=prefix, wait=_SLICE)
        since = found.last
        if found.gap:
            click.echo("changes were missed: list the entries", err=True)
        yield from found
