"""`graphmem home …`: what an operator does with a home."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

import graphmem
from graphmem.errors import InvalidArgumentError
from graphmem.interfaces.cli.group import Chosen, FilePath, cli, command
from graphmem.interfaces.cli.printing import answer, counted, in_bytes, local_time, table

_GIVEN: Final = "graphmem.home"  # where a context keeps the options of the group


@cli.group()
@click.option("--home", metavar="URL", help="The database; else $GRAPHMEM_HOME.")
@click.option("--objects", "home_objects", metavar="URL", help="Else $GRAPHMEM_HOME_OBJECTS.")
@click.pass_context
def home(context: click.Context, /, **given: str | None) -> None:
    """Memories that outlive their machine, in a database.

    \b
      export GRAPHMEM_HOME=postgresql://db.internal/graphmem
      graphmem home make
      graphmem home adopt agent-memory agent-42
      graphmem home list
    """
    context.meta[_GIVEN] = {name: value for name, value in given.items() if value is not None}


def _opened(other: str | None = None) -> graphmem.Home:
    settings = graphmem.Settings.read(click.get_current_context().meta[_GIVEN])
    if (url := other or settings.home) is None:
        raise InvalidArgumentError("name the home: --home postgresql://…, or $GRAPHMEM_HOME")
    return graphmem.Home(url, objects=settings.home_objects, cache=settings.home_cache)


@command("make", home)
@click.option("--same/--copy", default=None, help="What a new URL leads to, for its objects.")
def make(chosen: Chosen, same: bool | None) -> None:
    """Make the tables, once; does nothing if they are there."""
    with _opened() as opened:
        opened.make(same=same)
    answer(chosen, {"made": True}, "Done.")


@command("list", home)
@click.argument("prefix", default="")
@click.option("--after", metavar="NAME", help="Go on behind this name.")
@click.option("--limit", type=int, default=1000, show_default=True)
def list_memories(chosen: Chosen, prefix: str, after: str | None, limit: int) -> None:
    """List the memories whose names begin with PREFIX."""
    with _opened() as opened:
        found = opened.list(prefix, after=after, limit=limit)
    names = ("memory", "open at", "bytes", "batches", "changed")
    rows = []
    for memory in found:
        gone = ", which is gone" if memory.host and not memory.alive else ""
        size, number = in_bytes(memory.bytes), f"{memory.batches:,}"
        changed = local_time(memory.changed)
        rows.append((memory.name, (memory.host or "") + gone, size, number, changed))
    answer(chosen, {"memories": found}, table(names, rows, right=(2, 3)))


@command("owner", home)
@click.argument("name")
def owner(chosen: Chosen, name: str) -> None:
    """Print who has a memory open, and the address that it gave."""
    with _opened() as opened:
        found = opened.owner(name)
    text = "Nobody." if found is None else f"{found.host} {found.address or ''}".rstrip()
    answer(chosen, {"owner": found}, text)


@command("check", home)
@click.argument("name")
def check_memory(chosen: Chosen, name: str) -> int:
    """Compare all structures of a memory with each other, wherever it is open.

    Exit status 1 if there are faults.
    """
    with _opened() as opened:
        faults = opened.check(name)
    answer(chosen, {"faults": faults}, "\n".join(faults) or "No faults.")
    return 1 if faults else 0


def _does(verb: str, arguments: Sequence[str], told: str) -> None:
    """Add a command that calls the method of its name, and tells no more than that it was done."""

    def run(chosen: Chosen, /, **given: str) -> None:
        with _opened() as opened:
            getattr(opened, verb)(*(given[name] for name in arguments))
        answer(chosen, {"done": verb}, "Done.")

    made = command(verb, home)(run)
    kinds = (FilePath(file_okay=False) if name == "folder" else None for name in arguments)
    made.params[:0] = [
        click.Argument([name], type=kind) for name, kind in zip(arguments, kinds, strict=True)
    ]
    made.help = told


_does("backup", ("name", "folder"), "Copy a memory, open or not, to a new ordinary folder.")
_does("restore", ("folder", "name"), "Put a closed folder in the place of a memory of the home.")
_does("adopt", ("folder", "name"), "Put a closed folder into the home under a new name.")
_does("free", ("name",), "Take a memory from a process that is thought dead; it can write no more.")
_does("erase", ("name",), "Delete a memory from the home, with its objects and keys.")


@command("move", home)
@click.argument("name")
@click.argument("target", metavar="OTHER-HOME")
def move(chosen: Chosen, name: str, target: str) -> None:
    """Move a memory to another home; if it was cut short, do it again."""
    with _opened() as opened, _opened(target) as other:
        opened.move(name, other)
    answer(chosen, {"moved": name}, "Done.")


@command("janitor", home)
@click.option(
    "--keep",
    type=float,
    default=3600,
    show_default=True,
    metavar="SECONDS",
    help="For which replaced snapshots stay in object storage.",
)
def janitor(chosen: Chosen, keep: float) -> None:
    """Remove what no memory names, from the home and from this machine's cache."""
    with _opened() as opened:
        removed = opened.janitor(keep=keep)
    answer(chosen, {"removed": removed}, f"{counted(removed, 'thing')} removed.")
