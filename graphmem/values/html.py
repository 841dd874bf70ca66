"""What a notebook shows of a value: a table in which every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from html import escape
from typing import Any


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), below: str = "") -> str:
    """A table as HTML. below: a text under it."""
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    shown = f"<table>{f'<tr>{titles}</tr>' if head else ''}{body}</table>"
    return f"{shown}<p>{escape(below)}</p>" if below else shown


def of_fields(value: Any) -> str:
    """A dataclass: a row for each field that says something."""
    named = ((field.name, getattr(value, field.name)) for field in fields(value) if field.repr)
    return table((name, held) for name, held in named if held not in (None, "", (), {}))
