"""`graphmem home …`: commands for the operator of a home."""

from __future__ import annotations

from typing import Final

import click

import graphmem
from graphmem.declaring import own_verbs_of
from graphmem.errors import InvalidArgumentError
from graphmem.interfaces.cli.derived import add_derived
from graphmem.interfaces.cli.group import Chosen, choose, cli, command
from graphmem.interfaces.cli.printing import answer

_PLACE: Final = (
    click.Option(
        ["--home"], metavar="URL", expose_value=False, callback=choose,
        help="The database; else $GRAPHMEM_HOME.",
    ),
    click.Option(
        ["--objects", "home_objects"], metavar="URL", expose_value=False, callback=choose,
        help="Else $GRAPHMEM_HOME_OBJECTS.",
    ),
)  # fmt: skip
"""The options that may stand before the command or after it."""


class _Home(click.Group):
    """The commands of a home: those written by hand, and one for each method that is declared."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, with the options of the group."""
        cmd.params += _PLACE
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        from graphmem.api.homes import Home  # which loads numpy and the store

        add_derived(self, own_verbs_of(Home).values(), lambda chosen, verb: _opened(chosen))
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            self.list_commands(ctx)
        return super().get_command(ctx, cmd_name)


@cli.group(cls=_Home)
def home() -> None:
    """Memories that outlive their machine, in a database.

    \b
      export GRAPHMEM_HOME=postgresql://db.internal/graphmem
      graphmem home make
      graphmem home adopt agent-memory agent-42
      graphmem home list
    """


home.params += _PLACE


def _opened(chosen: Chosen, other: str | None = None) -> graphmem.Home:
    given = {"home": chosen.home, "home_objects": chosen.home_objects}
    settings = graphmem.Settings.read({n: url for n, url in given.items() if url is not None})
    if (url := other or settings.home) is None:
        raise InvalidArgumentError("name the home: --home postgresql://…, or $GRAPHMEM_HOME")
    return graphmem.Home(url, objects=settings.home_objects, cache=settings.home_cache)


@command("make", home)
@click.option("--same/--copy", default=None, help="What a new URL leads to, for its objects.")
def make(chosen: Chosen, same: bool | None) -> None:
    """Make the tables, once; does nothing if they are there."""
    with _opened(chosen) as opened:
        opened.make(same=same)
    answer(chosen, {"made": True}, "Done.")


@command("check", home)
@click.argument("name")
def check_memory(chosen: Chosen, name: str) -> int:
    """Read all that the home has of a memory, wherever it is open, and compare its structures.

    Exit status 1 if there are faults.
    """
    with _opened(chosen) as opened:
        faults = opened.check(name)
    answer(chosen, {"faults": faults}, "\n".join(faults) or "No faults.")
    return 1 if faults else 0


@command("move", home)
@click.argument("name")
@click.argument("target", metavar="OTHER-HOME")
def move(chosen: Chosen, name: str, target: str) -> None:
    """Move a memory to another home; if it was cut short, do it again."""
    with _opened(chosen) as opened, _opened(chosen, target) as other:
        opened.move(name, other)
    answer(chosen, {"moved": name}, "Done.")
