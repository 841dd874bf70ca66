"""Commands of what is shared and needed now: scope, context, tiers."""

from __future__ import annotations

from typing import Any

import click

from graphmem.api.verbs import Verbs
from graphmem.interfaces.cli.derived import Json
from graphmem.interfaces.cli.group import Chosen, cli, noun_group, pass_chosen, shared
from graphmem.interfaces.cli.printing import plain, print_json
from graphmem.interfaces.cli.reach import opened
from graphmem.values.rendering import Tokens


@noun_group("scopes").command("open")
@click.argument("name")
@click.option(
    "--parent", "parents", metavar="NAME", multiple=True,
    help="A scope whose shared memories this one recalls too; may be repeated.",
)  # fmt: skip
@click.option("--no-parents", is_flag=True, help="Let it have no parents any more.")
@click.option("--pools", metavar="NAME", help="Whose pools it uses: its own, or a parent's.")
@shared
@pass_chosen
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
    if chosen.json:
        print_json({"scope": name, "parents": above})
        return
    from graphmem.interfaces.terminal import said, show

    show(said(f"{name}: {'recalls from ' + ', '.join(above) if above else 'no parents'}"))


@cli.command()
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
@shared
@pass_chosen
def context(
    chosen: Chosen,
    cue: str,
    tokens: int,
    session: str | None,
    recent: float,
    budgets: Any,
    roles: Any,
    pool: str,
    model: str,
    parts: bool,
    messages: bool,
) -> None:
    """Print what stands in a prompt for CUE, within a number of tokens.

    \b
      graphmem context "When is the release?" --tokens 2000 --session standup
      graphmem context "When is the release?" --parts
    """
    with opened(chosen, read_only=True) as memory:
        found = memory.context(
            cue, tokens=Tokens(tokens, model), session=session, recent=recent, budgets=budgets,
            roles=roles, pool=pool,
        )  # fmt: skip
    if messages:
        print_json(found.messages)
    elif chosen.json:
        print_json({"result": plain(found)})
    elif parts:
        for part in found.parts:
            click.echo(f"{part.kind:<9} {part.tier:<5} {part.tokens:>6}  {part.source}")
        click.echo(f"{'together':<15} {found.tokens:>6}")
    else:
        click.echo(found.text)
    for note in found.notes:
        click.echo(note, err=True)


@noun_group("review").command()
@click.argument("session", required=False)
@click.option(
    "--strategy", type=click.Choice(("importance", "frequency")), default="importance",
    show_default=True, help="What orders L2.",
)  # fmt: skip
@click.option("--model", default="o200k", show_default=True, help="Whose tokens are counted.")
@shared
@pass_chosen
def tiers(chosen: Chosen, session: str | None, strategy: Any, model: str) -> None:
    """Print where every memory stands as seen from SESSION: L1, L2, L3 or L4.

    \b
      graphmem review tiers standup
      graphmem review tiers standup --strategy frequency --json
    """
    with opened(chosen, read_only=True) as memory:
        found = memory.review.tiers(session, strategy=strategy, count_tokens=model)
    if chosen.json:
        print_json({"result": plain(found)})
        return
    click.echo(f"{'':<4} {'nodes':>8} {'tokens':>10} {'budget':>10}")
    for tier in found:
        numbers = f"{len(tier.nodes):>8,} {tier.tokens:>10,} {tier.budget:>10,}"
        click.echo(f"{tier.name:<4} {numbers}  {tier.why}")
