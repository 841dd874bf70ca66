"""The command group and the options that all commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import click

import graphmem
from graphmem.errors import InvalidArgumentError

_HOME: Final = "graphmem-memory"  # the folder when none is named
_LONGEST: Final = 1000  # characters of a sentence in a list of commands
_INTERRUPTED: Final = 130  # 128 + SIGINT, as a shell has it
_PIPE_CLOSED: Final = 141  # 128 + SIGPIPE


@dataclass(slots=True)
class Chosen:
    """The values of the options that all commands share."""

    path: str | None = None
    scope: str = "default"
    json: bool = False
    home: str | None = None
    home_objects: str | None = None

    @property
    def folder(self) -> str:
        return self.path or os.environ.get("GRAPHMEM_PATH") or _HOME

    @property
    def closed(self) -> str:
        """The folder, for commands that need it closed. Raises InvalidArgumentError with a home."""
        if graphmem.Settings.read({}).home is not None:
            raise InvalidArgumentError(
                "this works on a closed folder, not in a home: graphmem home backup, adopt and "
                "restore copy a memory out and in; unset GRAPHMEM_HOME for the folder"
            )
        return self.folder


pass_chosen = click.make_pass_decorator(Chosen, ensure=True)


def choose(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Store the value of an option in `Chosen`."""
    if value is None or value is False:
        return
    name = "path" if parameter.name == "folder" else str(parameter.name)
    # Such as from a variable that is not set: the default folder would be used instead.
    if name == "path" and not value:
        raise click.BadParameter("names no folder; leave it out", context, parameter)
    setattr(context.ensure_object(Chosen), name, value)


def _uncolour(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        os.environ["NO_COLOR"] = "1"  # rich obeys it, also for an error that ends the command


in_folder = click.argument("folder", required=False, expose_value=False, callback=choose)
"""The folder of the memory, in the place of --path."""

SHARED: Final = (
    click.Option(
        ["--path", "-p"], metavar="FOLDER", expose_value=False, callback=choose,
        help=f"Folder of the memory; else $GRAPHMEM_PATH, else ./{_HOME}.",
    ),
    click.Option(
        ["--scope"], metavar="NAME", expose_value=False, callback=choose,
        help="One of several memories in the folder; else 'default'.",
    ),
    click.Option(
        ["--json"], is_flag=True, expose_value=False, callback=choose,
        help="Print one JSON document, and errors as JSON too.",
    ),
    click.Option(
        ["--no-color"], is_flag=True, expose_value=False, callback=_uncolour,
        help="Print without colours, as with $NO_COLOR.",
    ),
)  # fmt: skip
"""The options that may stand before the command or after it."""


def command(
    place: str, group: click.Group | None = None, *, params: Iterable[click.Parameter] = ()
) -> Callable[[Callable[..., object]], click.Command]:
    """Make a function a command at a place such as "history life". It gets the `Chosen` first;
    `params`, then the shared options, follow its own. group: the group to add it to, if not one of
    `NOUNS`."""
    noun, _, name = place.rpartition(" ")

    def decorate(does: Callable[..., object]) -> click.Command:
        made = click.command(name)(pass_chosen(does))
        made.params += (*params, *SHARED)
        (group or (noun_group(noun) if noun else cli)).add_command(made)
        return made

    return decorate


def discard_output() -> None:
    """Redirect standard output to os.devnull, because Python flushes it at its end and would report
    an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Listing(click.Group):
    """A group that loads its commands on demand, and whose help has the whole first sentence of
    each."""

    load: ClassVar[Callable[[str, str | None], None]]
    """Loads a command of the group of a noun ("": of the memory) by its name, or for None all."""

    noun = ""
    """The noun of the group, such as "graph facts"; "" for the top level."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        Listing.load(self.noun, None)
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            Listing.load(self.noun, cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each command, wrapped, not cut: first the commands, then the groups."""
        known = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        for title, groups in (("Commands", False), ("Groups of commands", True)):
            rows = [
                (name, found.get_short_help_str(_LONGEST))
                for name, found in known.items()
                if found and (not self.noun and name in NOUNS) == groups
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Verbs(Listing):
    """The top-level group; an interrupt or a closed pipe ends it quietly, unlike click's own."""

    def invoke(self, context: click.Context) -> Any:
        """Run the verb that was named; returns the exit status, None for 0."""
        try:
            status = super().invoke(context)
            sys.stdout.flush()
        except KeyboardInterrupt:
            return _INTERRUPTED
        except BrokenPipeError:
            discard_output()
            return _PIPE_CLOSED
        return status


NOUNS: Final[Mapping[str, str]] = {
    "admin": "How the memory is kept: numbers, check, backup, settings.",
    "files": "Files and folders that are remembered and followed.",
    "graph": "Links, facts, the focus, SPARQL, the map.",
    "graph facts": "The triples that you store in a memory.",
    "history": "Versions, lives, what was forgotten, what brings it back.",
    "items": "Records by namespace and key, each with a version.",
    "pool": "Entries that several agents read, write and watch.",
    "review": "Conflicts, cleaning, preferences, the state of the memory.",
    "scopes": "The memories of the folder, and whose memories they see.",
    "themes": "What the memory is about.",
}
"""The groups of commands, with their help."""


def noun_group(noun: str) -> click.Group:
    """The group of a sub-object, made if it is not there. It has the commands written by hand and a
    default one for each other verb, made on first use because that imports the class."""
    outer, _, name = noun.rpartition(" ")
    above: click.Group = noun_group(outer) if outer else cli
    if name not in above.commands:
        example = f"graphmem {noun} COMMAND --help"
        made = Listing(name, help=f"{NOUNS[noun]}\n\n\b\n  {example}")
        made.noun = noun
        above.add_command(made)
    found = above.commands[name]
    assert isinstance(found, click.Group)
    return found


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(graphmem.__version__, prog_name="graphmem")
def cli() -> None:
    """A memory in a folder for agents: it remembers, recalls, and forgets to make room.

    \b
      graphmem remember "Wen moved the release to May 10." --speaker Wen
      graphmem recall "When is the release?"
      graphmem demo

    Exit status: 0 done, 1 an error or a fault found, 2 wrong usage.
    """


cli.params += SHARED
