"""Commands that say what a memory is about: themes, episodes."""

from __future__ import annotations

import click

import graphmem
from graphmem.interfaces.cli.group import Chosen, NounGroup, cli, noun_group, pass_chosen, shared
from graphmem.interfaces.cli.printing import columns, counted, plain, print_json, working
from graphmem.interfaces.cli.reach import opened


class _Themes(NounGroup):
    """`themes` and `themes ID`, and a command for each verb of `memory.themes`."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb; an id is that of a theme."""
        if cmd_name.isdecimal():
            return _theme_command(int(cmd_name))
        return super().get_command(ctx, cmd_name)


@cli.group(cls=_Themes, invoke_without_command=True, subcommand_metavar="[ID | COMMAND]")
@shared
@click.pass_context
def themes(context: click.Context) -> None:
    """What the memory is about: its themes, the largest first.

    With an ID one of them, whole. There are none without vectors. A memory that has them shows its
    themes also where it is opened without.

    \b
      graphmem themes
      graphmem themes 12
    """
    if context.invoked_subcommand is not None:
        return
    chosen = context.ensure_object(Chosen)
    with working("Reading"), opened(chosen, read_only=True) as memory:
        found = list(memory.themes)
    if chosen.json:
        print_json({"themes": found})
        return
    from graphmem.interfaces.terminal import said, show

    if not found:
        show("There are no themes: they need vectors, and 32 memories that have them.")
        return
    table = columns("id", "size", "last", "", right=(0, 1))
    for theme in found:
        last = "" if theme.last is None else f"{theme.last:%Y-%m-%d}"
        table.add_row(str(theme.id), str(len(theme)), last, said(theme.summary))
    show(table)


def _theme_command(identifier: int) -> click.Command:
    @click.command(str(identifier))
    @shared
    @pass_chosen
    def one(chosen: Chosen) -> None:
        """A theme: its members, its neighbours, its period and who speaks in it."""
        with working("Reading"), opened(chosen, read_only=True) as memory:
            theme = memory.themes[identifier]
            members = [memory[node] for node in theme.core_first]
        if chosen.json:
            print_json({"theme": theme, "members": members})
        else:
            _show_theme(theme, members)

    return one


def _show_theme(theme: graphmem.Theme, members: list[graphmem.Node]) -> None:
    from graphmem.interfaces.terminal import Indented, said, show

    show(said(f"theme {theme.id}: {theme.name or theme.sentence}", "bold"))
    if theme.first is not None and theme.last is not None:
        show(said(f"{theme.first:%Y-%m-%d} to {theme.last:%Y-%m-%d}", "dim"))
    if theme.speakers:
        show(said(", ".join(theme.speakers), "dim"))
    if theme.faded:
        show(said(f"of {theme.faded:.0%} of them only the gist is left", "dim"))
    kinds = dict(zip(theme.members, theme.kinds, strict=True))
    for node in members:
        style = "dim" if theme.named and node.id not in theme.core else ""
        show(Indented(said(f"{node.id} ({kinds[node.id]}): {node}", style), 2))
    for other, similarity in theme.neighbours:
        show(said(f"near theme {other} ({similarity:.2f})", "dim"))


@noun_group("themes").command()
@click.argument("session", metavar="SESSION")
@shared
@pass_chosen
def episodes(chosen: Chosen, session: str) -> None:
    """The episodes of a SESSION: runs of turns that keep to one subject.

    \b
      graphmem themes episodes monday
    """
    with working("Reading"), opened(chosen, read_only=True) as memory:
        found = memory.themes.episodes(session)
    if chosen.json:
        print_json({"episodes": [plain(episode) for episode in found]})
        return
    from graphmem.interfaces.terminal import Indented, said, show

    if not found:
        show(said(f"There is no session {session!r:.80}."))
    for episode in found:
        turns = counted(len(episode), "turn")
        show(said(f"{episode.number}  {episode.title}", "bold"))
        show(
            Indented(said(f"{episode.start:%Y-%m-%d %H:%M}, {turns}: {episode.sentence}", "dim"), 3)
        )
