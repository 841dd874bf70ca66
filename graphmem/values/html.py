"""HTML tables that notebooks show for values; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from html import escape
from typing import Any


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), below: str = "") -> str:
    """An HTML table. below: a paragraph under it."""
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    rendered = f"<table>{f'<tr>{titles}</tr>' if head else ''}{body}</table>"
    return f"{rendered}<p>{escape(below)}</p>" if below else rendered


class Shown:
    """The base of what notebooks show as a table."""

    __slots__ = ()

    def _repr_html_(self: Any) -> str:
        """A row for each field that is not None or empty."""
        pairs = ((field.name, getattr(self, field.name)) for field in fields(self) if field.repr)
        return table(pair for pair in pairs if pair[1] not in (None, "", (), {}))
