"""Output of commands: JSON for programs, lines and tables for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

import click

import graphmem
from graphmem.errors import GraphMemError
from graphmem.interfaces.cli.group import Chosen
from graphmem.interfaces.terminal import Styled, printable, show, styled
from graphmem.values.moments import MACHINE
from graphmem.values.plain import plain

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

LISTED: Final = 20  # nodes of one text that are listed


def answer(chosen: Chosen, document: object, *parts: RenderableType) -> None:
    """Print a JSON document for programs, else the parts for people; texts among them are made
    safe."""
    if chosen.json:
        print_json(document)
        return
    show(*(styled(part) if isinstance(part, str) else part for part in parts))


def print_json(document: object) -> None:
    click.echo(_json(document))


def _json(document: object) -> bytes:
    # A path may hold bytes that are no UTF-8; backslashreplace writes them as JSON escapes.
    text = json.dumps(plain(document), ensure_ascii=False, indent=2)
    return text.encode("utf-8", "backslashreplace")


def _in_own_zone(moment: datetime) -> str:
    """A moment in its own zone, with the offset if that is not the terminal's then."""
    is_here = moment.utcoffset() == moment.replace(tzinfo=MACHINE).utcoffset()
    return f"{moment:%Y-%m-%d %H:%M}" if is_here else f"{moment:%Y-%m-%d %H:%M %z}"


def heading(node: graphmem.Node) -> str:
    form = f"{plain(node.form)}" if node.form is not graphmem.Form.WHOLE else None
    when = local_time(node.created) if node.happened is None else _in_own_zone(node.happened)
    until = f"until {local_time(node.valid_to)}" if node.valid_to else None
    named = f"{node.scope}/node {node.id}" if node.scope else f"node {node.id}"
    parts = (named, when, node.speaker, node.session, form, until)
    return " · ".join(part for part in parts if part)


def table(
    names: Sequence[str], rows: Iterable[Iterable[object]], *, right: Sequence[int] = ()
) -> Table:
    """A table; cells other than `Styled` are made safe. right: the columns to align right."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    made.show_header = any(names)
    for place, name in enumerate(names):
        made.add_column(name, justify="right" if place in right else "left")
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Styled) else styled(cell) for cell in row))
    return made


def pairs_of(rows: Iterable[tuple[str, object]]) -> Table:
    """A table of names and values, a line each."""
    return table(("", ""), ((styled(name, "dim"), value) for name, value in rows))


def local_time(moment: datetime) -> str:
    """A moment in the zone of the memory's clock, with the offset if the terminal has another one;
    of UTC, in which times without a zone are kept, in the terminal's."""
    return _in_own_zone(moment if moment.utcoffset() else moment.astimezone(MACHINE))


def counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def in_bytes(number: int) -> str:
    size, unit = float(number), 0
    while size >= 1000 and unit < 3:
        size, unit = size / 1000, unit + 1
    return f"{number} B" if unit == 0 else f"{size:.1f} {' kMG'[unit]}B"


def message(error: GraphMemError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def remark(what: str, as_json: bool = False) -> None:
    """A remark beside the answer, on standard error."""
    if as_json:
        click.echo(_json({"note": what}), err=True)
        return
    click.echo(printable(what), err=True)


def complain(kind: str, message: str, as_json: bool) -> None:
    if as_json:
        click.echo(_json({"error": {"kind": kind, "message": message}}), err=True)
        return
    from graphmem.interfaces.pages import Page

    Page(stderr=True).print(styled(f"{kind}: {message}", "red"), soft_wrap=True)
