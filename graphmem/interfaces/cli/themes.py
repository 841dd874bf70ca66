"""The command themes."""

from __future__ import annotations

from collections.abc import Iterator

import click

import graphmem
from graphmem.interfaces.cli.group import SHARED, Chosen, Listing, cli, command, pass_chosen
from graphmem.interfaces.cli.printing import answer, table
from graphmem.interfaces.cli.reach import opened
from graphmem.interfaces.terminal import Progress, Styled, styled


class _Themes(Listing):
    """`themes` and `themes ID`, and a command for each verb of `memory.themes`."""

    noun = "themes"

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb; an id is that of a theme."""
        if cmd_name.isdecimal():
            return _theme_command(int(cmd_name))
        return super().get_command(ctx, cmd_name)


@cli.group(cls=_Themes, invoke_without_command=True, subcommand_metavar="[ID | COMMAND]")
@pass_chosen
@click.pass_context
def themes(context: click.Context, chosen: Chosen) -> None:
    """What the memory is about: its themes, the largest first.

    With an ID one of them, whole. There are none without vectors. A memory that has them shows its
    themes also where it is opened without.

    \b
      graphmem themes
      graphmem themes 12
    """
    if context.invoked_subcommand is not None:
        return
    with Progress("Reading"), opened(chosen, read_only=True) as memory:
        found = list(memory.themes)
    rows = (
        (theme.id, len(theme), f"{theme.last:%Y-%m-%d}" if theme.last else "", theme.summary)
        for theme in found
    )
    answer(
        chosen,
        {"themes": found},
        table(("id", "size", "last", ""), rows, right=(0, 1))
        if found
        else "There are no themes: they need vectors, and 32 memories that have them.",
    )


themes.params += SHARED


def _theme_command(identifier: int) -> click.Command:
    def one(chosen: Chosen) -> None:
        """A theme: its members, its neighbours, its period and who speaks in it."""
        with Progress("Reading"), opened(chosen, read_only=True) as memory:
            theme = memory.themes[identifier]
            members = [memory[node] for node in theme.core_first]
        answer(chosen, {"theme": theme, "members": members}, *_described(theme, members))

    return command(str(identifier), themes)(one)


def _described(theme: graphmem.Theme, members: list[graphmem.Node]) -> Iterator[Styled]:
    yield styled(f"theme {theme.id}: {theme.name or theme.sentence}", "bold")
    if theme.first is not None and theme.last is not None:
        yield styled(f"{theme.first:%Y-%m-%d} to {theme.last:%Y-%m-%d}", "dim")
    if theme.speakers:
        yield styled(", ".join(theme.speakers), "dim")
    if theme.faded:
        yield styled(f"of {theme.faded:.0%} of them only the gist is left", "dim")
    kinds = dict(zip(theme.members, theme.kinds, strict=True))
    for node in members:
        style = "dim" if theme.named and node.id not in theme.core else ""
        yield styled(f"{node.id} ({kinds[node.id]}): {node}", style, 2)
    for other, similarity in theme.neighbours:
        yield styled(f"near theme {other} ({similarity:.2f})", "dim")
